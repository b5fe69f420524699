use serde_json::json;

use super::*;

fn fill(template: Value, arguments: Value) -> Result<Option<Value>, Problem> {
    let mut problems = Vec::new();
    let template = Template::parse(&template, "", &mut problems);
    assert_eq!(problems, []);
    let settings = json!({ "team": 9 });
    let scope =
        Scope { arguments: arguments.as_object().unwrap(), settings: settings.as_object().unwrap(), item: None };
    template.fill(scope)
}

#[test]
fn a_placeholder_alone_keeps_the_type_of_its_value() {
    let arguments = json!({ "n": 1.5, "list": [1, 2], "gone": null, "deep": { "add": [{ "id": 4 }] } });
    let template =
        json!({ "n": "{n}", "list": "{list}", "gone": "{gone}", "id": "{deep.add.0.id}", "team": "{settings.team}" });
    assert_eq!(
        fill(template, arguments).unwrap(),
        Some(json!({ "n": 1.5, "list": [1, 2], "gone": null, "id": 4, "team": 9 }))
    );
}

#[test]
fn what_is_absent_is_left_out_with_its_key_and_with_an_object_that_held_nothing_else() {
    let template =
        json!({ "name": "{name}", "place": { "lat": "{lat}", "lng": "{lng}" }, "empty": {}, "all": ["{a}", "{b}"] });
    assert_eq!(fill(template.clone(), json!({ "name": "x" })).unwrap(), Some(json!({ "name": "x", "empty": {} })));
    assert_eq!(
        fill(template, json!({ "lat": 1, "b": 2 })).unwrap(),
        Some(json!({ "place": { "lat": 1 }, "empty": {}, "all": [2] }))
    );
}

#[test]
fn a_text_takes_words_and_numbers_and_refuses_lists() {
    let template = json!("{a}-{b} {{c}}");
    assert_eq!(fill(template.clone(), json!({ "a": "x", "b": 2 })).unwrap(), Some(json!("x-2 {c}")));
    assert_eq!(fill(template.clone(), json!({ "a": "x" })).unwrap(), None);
    let problem = fill(template, json!({ "a": "x", "b": [] })).unwrap_err();
    assert_eq!(problem.to_string(), "/b: must be a text, a number or true/false");
}

#[test]
fn bad_braces_are_told_with_their_place_all_at_once() {
    let mut problems = Vec::new();
    Template::parse(&json!({ "a": "{", "b": ["}", "{a b}", "{a..b}", "{}", "{ok}"] }), "/body", &mut problems);
    let places: Vec<&str> = problems.iter().map(|problem| problem.pointer.as_str()).collect();
    assert_eq!(places, ["/body/a", "/body/b/0", "/body/b/1", "/body/b/2", "/body/b/3"]);
}

#[test]
fn a_value_that_looks_like_a_placeholder_is_a_value() {
    let filled = fill(json!("<{a}>"), json!({ "a": "{settings.team}" })).unwrap();
    assert_eq!(filled, Some(json!("<{settings.team}>")));
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_parser_panic_and_text_without_braces_stands_for_itself(text in "\\PC*") {
        let parsed = Text::parse(&text);
        if !text.contains(['{', '}']) {
            proptest::prop_assert_eq!(parsed, Ok(Text(vec![Piece::Literal(text)])));
        }
    }
}
