//! The app secret is changed at Meta while the server runs.

use super::{SECRET, post, shop};
use crate::observed::text;

const BEFORE: &str = "the app secret before";

#[test]
fn a_50_webhooks_signed_with_the_app_secret_before_are_taken_in_until_its_end_and_no_longer() {
    let shop = shop();
    let start = |until: &str| {
        let mut command = shop.command();
        command.env("BALCAO__WHATSAPP__PREVIOUS_APP_SECRET", BEFORE);
        command.env("BALCAO__WHATSAPP__PREVIOUS_APP_SECRET_UNTIL", until);
        shop.start_by(command, &["serve", "--model", "offline"])
    };
    let running = start("2100-01-01T00:00:00Z");
    let sent =
        |number: u32, secret: &str| post(&running.address, &text(&format!("wamid.{number}"), number, "oi"), secret);
    assert_eq!((sent(1, SECRET), sent(2, BEFORE), sent(3, "another")), (Some(200), Some(200), Some(401)));
    assert!(running.stop().success());
    let running = start("2020-01-01T00:00:00Z");
    let sent =
        |number: u32, secret: &str| post(&running.address, &text(&format!("wamid.{number}"), number, "oi"), secret);
    assert_eq!((sent(4, SECRET), sent(5, BEFORE)), (Some(200), Some(401)));
    assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE kind = 'message'"), 3);
}
