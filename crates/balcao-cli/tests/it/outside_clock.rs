//! The real server on a clock from outside: a reminder comes when it is due, and a quarter of a year passes in seconds.

use std::time::Duration;

use balcao_testkit::clock::{OutsideClock, VARIABLE};
use balcao_testkit::fakes::graph::webhooks;
use balcao_testkit::wait::until;
use serde_json::json;

use crate::observed::{Observed, request, serve};

const HOUR: Duration = Duration::from_hours(1);

/// A customer writes `words` at the time of the clock, and then has `many` messages; gives the last, as Meta took it.
fn writes(shop: &Observed, clock: &OutsideClock, id: &str, words: &str, many: usize) -> String {
    let message = json!({ "from": "5531988880001", "from_user_id": "BR.9001", "id": id,
        "timestamp": clock.now().as_second().to_string(), "type": "text", "text": { "body": words } });
    shop.delivers(&webhooks::envelope("messages", json!({ "messages": [message] })));
    until(words, || shop.graph.accepted().get(many - 1).map(ToString::to_string))
}

#[test]
fn a_quarter_of_a_year_passes_when_the_clock_outside_says_so() {
    // A Tuesday, 10:00 in São Paulo.
    let clock = OutsideClock::start("2026-11-24T13:00:00Z".parse().unwrap()).unwrap();
    let shop = serve("", |command| {
        command.env(VARIABLE, clock.address());
    });
    let offer = writes(&shop, &clock, "wamid.1", "quero marcar corte na tesoura com o Otávio amanhã às 9h", 1);
    assert!(offer.contains("25/11"), "{offer}");
    let booked = writes(&shop, &clock, "wamid.2", "isso, pode marcar", 2);
    assert!(booked.contains("9h") || booked.contains("09:00"), "{booked}");
    writes(&shop, &clock, "wamid.3", "me lembra uma hora antes", 3);

    // Nothing comes before it is due, at eight; each look is after everything of its hour was done.
    for _ in 0..21 {
        clock.advance(HOUR);
        assert_eq!(request(&shop.address, "GET /healthz HTTP/1.1", b"").unwrap().0, 200);
    }
    assert_eq!(shop.graph.accepted().len(), 3, "{:?}", shop.graph.accepted());
    clock.advance(HOUR);
    let reminder = clock.advance_until("the reminder", || shop.graph.accepted().get(3).map(ToString::to_string));
    assert!(reminder.contains("9h") || reminder.contains("09:00"), "{reminder}");

    for _ in 0..92 {
        clock.advance(24 * HOUR);
        assert_eq!(request(&shop.address, "GET /healthz HTTP/1.1", b"").unwrap().0, 200);
    }
    let later = writes(&shop, &clock, "wamid.4", "tem horário amanhã às 15h para corte na tesoura com o Otávio?", 5);
    assert!(later.contains("/02"), "a quarter later: {later}");
    shop.stop();
}
