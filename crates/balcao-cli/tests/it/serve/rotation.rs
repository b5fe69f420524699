//! The app secret is changed at Meta while the server runs.

use balcao_domain::{Clock, SystemClock};
use jiff::SignedDuration;

use super::{SECRET, post, shop, text};

const BEFORE: &str = "the app secret before";

#[test]
fn a_50_webhooks_signed_with_the_app_secret_before_are_taken_in_until_its_end_and_no_longer() {
    let shop = shop();
    let from_now = |span: SignedDuration| SystemClock.now().checked_add(span).unwrap().to_string();
    let start = |until: &str| {
        let mut command = shop.command();
        command.env("BALCAO__WHATSAPP__PREVIOUS_APP_SECRET", BEFORE);
        command.env("BALCAO__WHATSAPP__PREVIOUS_APP_SECRET_UNTIL", until);
        shop.start_by(command, &["serve", "--model", "offline"])
    };
    let running = start(&from_now(SignedDuration::from_hours(1)));
    let sent =
        |number: u32, secret: &str| post(&running.address, &text(&format!("wamid.{number}"), number, "oi"), secret);
    assert_eq!((sent(1, SECRET), sent(2, BEFORE), sent(3, "another")), (Some(200), Some(200), Some(401)));
    assert!(running.stop().success());
    let running = start(&from_now(SignedDuration::from_secs(-1)));
    let sent =
        |number: u32, secret: &str| post(&running.address, &text(&format!("wamid.{number}"), number, "oi"), secret);
    assert_eq!((sent(4, SECRET), sent(5, BEFORE)), (Some(200), Some(401)));
    assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE kind = 'message'"), 3);
}
