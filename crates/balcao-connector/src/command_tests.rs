use serde_json::json;

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["list_id", "tasks"],
        "properties": { "list_id": {}, "name": {}, "page": {}, "tasks": { "type": "array" } },
    })
}

fn told(command: Value) -> Vec<String> {
    let read = HttpCommand::read(&command).unwrap();
    read.compile(&schema()).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn all_mistakes_are_told_at_once_each_with_what_would_be_right() {
    let found = told(json!({
        "method": "GET",
        "path": "/v2/list/{lst_id}/{name}",
        "query": { "a": "{pag}", "b": "{" },
        "query_fields": ["paige"],
        "headers": { "Content-Length": "1" },
        "body": { "x": "{item.y}" },
        "body_fields": ["nam"],
        "response": { "at": "tasks" },
    }));
    assert_eq!(
        found,
        [
            "/path: unknown argument `lst_id`; did you mean `list_id`?",
            "/path: the argument `name` is part of the path, but may be absent; list `name` under `required` of the input schema",
            "/query/a: unknown argument `pag`; did you mean `page`?",
            "/query/b: a lone `{` in `{`; write `{name}`, or `{{` for the sign",
            "/query_fields/0: unknown argument `paige`; did you mean `page`?",
            "/headers/Content-Length: `Content-Length` is set by the client itself; leave it out",
            "/body: `{item}` is known only under `for_each`",
            "/body_fields/0: unknown argument `nam`; did you mean `name`?",
            "/body: a GET has no body; put the arguments under `query`",
            "/response/at: invalid JSON pointer `tasks`; write `/tasks`",
        ]
    );
}

#[test]
fn pages_and_entries_have_bounds_that_no_command_exceeds() {
    let pages = |more: (&str, u32)| {
        let mut pagination = json!({ "style": "page", "items": "", "param": "page" });
        pagination[more.0] = more.1.into();
        json!({ "method": "GET", "path": "/x", "pagination": pagination })
    };
    let each = |at_most: u32| json!({ "method": "POST", "path": "/x", "for_each": { "argument": "tasks", "at_most": at_most } });
    for (fits, exceeds, place) in [
        (pages(("max_pages", 100)), pages(("max_pages", 101)), "/pagination/max_pages"),
        (pages(("max_items", 100_000)), pages(("max_items", 100_001)), "/pagination/max_items"),
        (each(500), each(501), "/for_each/at_most"),
    ] {
        assert!(HttpCommand::read(&fits).is_ok(), "{place}");
        let told = HttpCommand::read(&exceeds).unwrap_err();
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert!(matches!(told.as_slice(), [one] if one.starts_with(place)), "{told:?}");
    }
}

#[test]
fn a_58_a_path_stays_below_its_base() {
    for path in ["v2/x", "/a//b", "/a/../b", "/a/./b", "/a?x=1", "/a#b", "/a%2e", "/a\\b", "//evil.test/x", "/a b"] {
        let command = HttpCommand::read(&json!({ "method": "GET", "path": path })).unwrap();
        assert!(command.compile(&schema()).is_err(), "{path}");
    }
    let command = HttpCommand::read(&json!({ "method": "GET", "path": "/" })).unwrap();
    assert!(command.compile(&schema()).is_ok());
}

#[test]
fn a_list_is_a_required_argument_and_its_entry_a_word_of_ours() {
    let command = |argument: &str| json!({ "method": "POST", "path": "/x/{item.id}", "for_each": { "argument": argument, "body_fields": ["name"] } });
    assert!(HttpCommand::read(&command("tasks")).unwrap().compile(&schema()).is_ok());
    assert_eq!(
        told(command("task")),
        ["/for_each/argument: invalid argument `task`; expected a required argument; did you mean `tasks`?"]
    );
    let reserved = json!({ "required": [], "properties": { "item": {}, "settings": {} } });
    let plain = HttpCommand::read(&json!({ "method": "GET", "path": "/x" })).unwrap();
    assert_eq!(plain.compile(&reserved).unwrap_err().len(), 2);
}
