use balcao_tool::{Agreed, EffectKey, Locale, Principal, ToolContext};
use serde_json::json;

use super::within;

/// Else a part that computes with the time would never come out as it did when it was asked for.
#[test]
fn a_part_of_what_was_agreed_to_takes_the_moment_of_the_question_for_now() {
    let principal =
        Principal { organization: 1, contact: 2, conversation: 3, turn: 4, staff_facing: true, locale: Locale::En };
    let now: jiff::Zoned = "2026-11-23T09:00[America/Sao_Paulo]".parse().unwrap();
    let asked_at = now.timestamp() - jiff::SignedDuration::from_hours(1);
    let agreed = Some(Agreed { question: "Shall it be done?".to_owned(), asked_at });
    let key = EffectKey::derive(4, 1, 0, "t", "h");
    let cx =
        ToolContext { principal, key, args_hash: "h".to_owned(), now: now.clone(), agreed, told_prices: Vec::new() };
    let part = within(&cx, 0, "create_task", &json!({}));
    assert_eq!((part.now.timestamp(), part.now.time_zone(), part.agreed), (asked_at, now.time_zone(), None));
    let unasked = within(&ToolContext { agreed: None, ..cx }, 0, "create_task", &json!({}));
    assert_eq!(unasked.now, now);
}
