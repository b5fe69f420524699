use super::{arguments, pieces};
use crate::Prose;

#[test]
fn prose_is_cut_at_its_headings_and_code_is_no_heading() {
    let text = "Intro.\n\n## Fields\nVotes.\n```sh\n# no heading\n```\n\n## Empty\n\n## Limits\nOne.".to_owned();
    let prose = Prose { title: "All".to_owned(), file: "knowledge/x.md".to_owned(), text };
    let titles: Vec<String> = pieces(&prose).into_iter().map(|(title, _)| title).collect();
    assert_eq!(titles, ["All", "Fields", "Limits"]);
}

#[test]
fn long_prose_is_several_pieces_and_nothing_is_lost() {
    let line = "palavra ".repeat(20);
    let text = vec![line.as_str(); 100].join("\n");
    let prose = Prose { title: "All".to_owned(), file: "knowledge/x.md".to_owned(), text: text.clone() };
    let pieces = pieces(&prose);
    assert!(pieces.len() > 5 && pieces.iter().all(|(_, text)| text.len() <= super::MAX_PIECE));
    let words = pieces.iter().map(|(_, text)| text.split_whitespace().count()).sum::<usize>();
    assert_eq!(words, text.split_whitespace().count());
}

#[test]
fn of_arguments_their_names_what_is_said_of_them_and_the_words_that_they_may_be_are_found_at_every_level() {
    let schema = serde_json::json!({"type": "object", "properties": {
        "unit": {"type": "string", "description": "of temperature", "enum": ["celsius", "fahrenheit", 3]},
        "places": {"type": "array", "items": {"type": "object", "properties": {"city": {"description": "its name"}}}},
        "when": {"anyOf": [{"enum": ["today"]}, {"$ref": "#/$defs/day"}]},
    }, "$defs": {"day": {"properties": {"month": {}}}}});
    assert_eq!(arguments(&schema), "unit of temperature celsius fahrenheit places city its name when today month");
    let mut deep = serde_json::json!({"enum": ["bottom"]});
    for _ in 0..200 {
        deep = serde_json::json!({"items": deep});
    }
    assert_eq!(arguments(&deep), "");
}
