use super::*;
use crate::channels::whatsapp::webhook;
use crate::inbound::Inbound;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

#[test]
fn the_window_is_a_day_less_two_minutes() {
    let wrote = Some(at("2026-11-23T12:00:00Z"));
    let until = at("2026-11-24T11:58:00Z");
    assert_eq!(state(wrote, at("2026-11-23T12:00:00Z")), WindowState::Open { until });
    assert_eq!(state(wrote, at("2026-11-24T11:57:59Z")), WindowState::Open { until });
    assert_eq!(state(wrote, until), WindowState::Closed);
    assert_eq!(state(None, until), WindowState::Closed);
    assert_eq!(state(Some(Timestamp::MAX), Timestamp::MAX), WindowState::Closed);
}

#[test]
fn free_entry_wants_an_answer_within_a_day() {
    let came = at("2026-11-23T12:00:00Z");
    assert_eq!(free_entry(came, at("2026-11-24T12:00:00Z")), Some(at("2026-11-26T11:58:00Z")));
    assert_eq!(free_entry(came, at("2026-11-24T12:00:01Z")), None);
}

#[test]
fn a_reaction_a_deletion_and_a_group_do_not_open_it() {
    use balcao_testkit::fakes::graph::webhooks;
    use serde_json::json;
    for (message, opened) in [
        (json!({ "type": "text", "text": { "body": "Oi" } }), true),
        (json!({ "type": "button", "button": { "payload": "p", "text": "t" } }), true),
        (json!({ "type": "text", "text": { "body": "Oi" }, "group_id": "g" }), false),
        (json!({ "type": "reaction", "reaction": { "message_id": "wamid.0", "emoji": "👍" } }), false),
        (json!({ "type": "revoke", "revoke": { "original_message_id": "wamid.0" } }), false),
        (json!({ "type": "unsupported" }), false),
    ] {
        let body = webhooks::message("wamid.1", message).to_string();
        let mut events = webhook::parse(body.as_bytes()).unwrap();
        let Some(Inbound::Message(message)) = events.pop() else { panic!("{body}") };
        assert_eq!(opens(&message), opened, "{body}");
    }
}
