use super::*;
use crate::channels::whatsapp::webhook;
use crate::inbound::InboundEvent;

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
fn the_answer_itself_is_free_and_what_comes_after_it_until_three_days_have_passed() {
    let (came, again) = ("2026-11-23T12:00:00Z", "2026-11-25T12:00:00Z");
    let in_time = Some("2026-11-23T13:00:00Z");
    for (entries, now, until) in [
        (vec![], "2026-11-23T12:01:00Z", None),
        // Nobody answered yet: what is sent now is the answer, if it is one in time.
        (vec![(came, None)], "2026-11-23T12:01:00Z", Some("2026-11-26T11:58:00Z")),
        (vec![(came, None)], "2026-11-24T12:00:00Z", Some("2026-11-26T11:58:00Z")),
        (vec![(came, None)], "2026-11-24T12:00:01Z", None),
        (vec![(came, in_time)], "2026-11-26T11:57:59Z", Some("2026-11-26T11:58:00Z")),
        (vec![(came, in_time)], "2026-11-26T11:58:00Z", None),
        (vec![(came, Some("2026-11-24T12:00:01Z"))], "2026-11-24T13:00:00Z", None),
        // They came by another one: the later end counts, and an answer to it of its own.
        (vec![(came, in_time), (again, None)], "2026-11-25T12:00:00Z", Some("2026-11-28T11:58:00Z")),
        (vec![(came, in_time), (again, Some("2026-11-26T12:00:01Z"))], "2026-11-26T12:00:01Z", None),
    ] {
        let read = entries.iter().map(|(came, answered)| (at(came), answered.map(at)));
        assert_eq!(free_until(read, at(now)), until.map(at), "{entries:?} at {now}");
    }
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
        let Some(InboundEvent::Message(message)) = events.pop() else { panic!("{body}") };
        assert_eq!(opens(&message), opened, "{body}");
    }
}
