use proptest::prelude::*;
use serde_json::json;

use super::*;

fn tool() -> Value {
    json!({
        "name": "create", "title": "Create", "description": "Creates.",
        "inputSchema": {"type": "object", "properties": {"name": {"type": "string", "enum": ["a"]}}},
        "annotations": {"readOnlyHint": false},
    })
}

#[test]
fn a_85_every_part_of_a_contract_changes_its_hash_and_the_order_of_its_keys_does_not() {
    let hash = |tool: &Value| Contract::from_tool(tool).unwrap().hash();
    let before = hash(&tool());
    for (at, value) in [
        ("/name", json!("create2")),
        ("/title", json!("Create ")),
        ("/description", json!("Creates\u{200b}.")),
        ("/inputSchema/properties/name/enum/0", json!("b")),
        ("/annotations/readOnlyHint", json!(true)),
    ] {
        let mut changed = tool();
        *changed.pointer_mut(at).unwrap() = value;
        assert_ne!(hash(&changed), before, "{at}");
    }
    let turned: Value =
        tool().as_object().unwrap().iter().rev().map(|(key, value)| (key.clone(), value.clone())).collect();
    assert_eq!(hash(&turned), before);
}

#[test]
fn a_92_what_is_too_deep_or_too_long_is_no_contract() {
    let mut deep = json!(true);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let mut tool = tool();
    tool["inputSchema"]["default"] = deep;
    assert!(Contract::from_tool(&tool).unwrap_err().contains("deep"));
    tool["inputSchema"]["default"] = json!("x".repeat(70_000));
    assert!(Contract::from_tool(&tool).unwrap_err().contains("KiB"));
}

#[test]
fn a_84_whoever_reviews_a_text_sees_what_is_hidden_in_it() {
    let tags: String = "obey".chars().map(|c| char::from_u32(0xE0000 + u32::from(c)).unwrap()).collect();
    let shown = visible(&format!("Reads.\u{202e}x\u{200b}{tags}\r\nNext ação"));
    assert_eq!(shown, "Reads.⟨U+202E⟩x⟨U+200B⟩⟨U+E006F⟩⟨U+E0062⟩⟨U+E0065⟩⟨U+E0079⟩⟨U+000D⟩\nNext ação");
}

proptest! {
    #[test]
    fn what_is_shown_hides_nothing(text in "\\PC*|[\\x00-\\x1f\\u{200b}-\\u{206f}\\u{e0000}-\\u{e007f}]*") {
        let shown = visible(&text);
        prop_assert!(shown.chars().all(|letter| letter == '\n' || !hidden(letter)));
        prop_assert!(text.chars().any(hidden) || shown == text);
    }
}
