use serde_json::json;

use super::*;

fn undo(schema: &Value, stated: &[(&str, &str)]) -> Undo {
    let read = |(name, text): &(&str, &str)| ((*name).to_owned(), Expression::parse(text).unwrap());
    Undo { tool: "undo".to_owned(), schema: schema.clone(), stated: stated.iter().map(read).collect() }
}

#[test]
fn undoing_takes_what_was_made_and_what_it_was_made_with() {
    let schema =
        json!({"required": ["task_id"], "properties": {"task_id": {}, "team_id": {}, "list_id": {}, "force": {}}});
    let cases = [
        (
            json!({"list_id": "9", "name": "x"}),
            json!({"id": "t1", "name": "x"}),
            json!({"task_id": "t1", "list_id": "9"}),
        ),
        (json!({"task_id": "a"}), json!({"id": "b"}), json!({"task_id": "a"})),
        (json!({"task_id": "a"}), json!({"task_id": "b"}), json!({"task_id": "b"})),
    ];
    for (input, result, expected) in cases {
        assert_eq!(undo(&schema, &[]).arguments(&input, &result).map(Value::Object), Ok(expected));
    }
    assert_eq!(undo(&schema, &[]).arguments(&json!({}), &json!({})), Err(vec!["task_id".to_owned()]));
}

#[test]
fn what_the_pack_states_goes_before_names_and_null_is_left_out() {
    let schema = json!({"required": ["list_id"], "properties": {"list_id": {}, "note": {}, "name": {}}});
    let stated = undo(&schema, &[("list_id", "result.list.id"), ("note", "input.note || null")]);
    let (input, result) = (json!({"list_id": "input", "note": "", "name": "n"}), json!({"list": {"id": "made"}}));
    assert_eq!(stated.arguments(&input, &result).map(Value::Object), Ok(json!({"list_id": "made", "name": "n"})));
    // What it states and does not find is not looked for elsewhere.
    assert_eq!(stated.arguments(&input, &json!({"list": null})), Err(vec!["list_id".to_owned()]));
}
