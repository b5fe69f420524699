//! Examples are tests: what passes, what fails, and what has none.

use balcao_pack::testing::{Outcome, Report};
use serde_json::json;

use crate::world::{Canned, pack, problems};

const REST: &str = r#"  helpers:
    - id: detect-id
      function: "(id) => /^[A-Z][A-Z0-9]*[-_.]\\d+$/.test(id) ? 'custom' : 'regular'"
    - id: read-field
      function: "(field) => field.value === undefined ? null : field.value"
  validators:
    - id: v
      validates: create_task
      checks:
        - {custom_field_ids_exist: true, anti_pattern: wrong-field-id}
        - {assignee_format: create_api, anti_pattern: update-form}
  anti_patterns:
    - {id: wrong-field-id, title: t, wrong: w, correct: c, why: because, reference: v}
    - {id: update-form, title: t, wrong: w, correct: c, why: because, reference: v}
  field_mappings:
    custom_fields:
      text: {structure: string, extraction: helpers.read-field, example: {value: x}, extracted: x}
      date: {structure: number, extraction: read-field, example: {value: 1}}
  payload_schemas:
    standard: {detection: "!event", path: body.payload}
  examples:
    success_cases:
      - id: finds-task
        operation: get_task
        input: {task_id: DEV-1}
        response: {id: '1', n: 1.0}
        output: {id: '1', n: 1}
      - id: creates
        operation: create_task
        input: {list_id: '7', custom_fields: [{id: a}]}
        lookups: {get_list_custom_fields: {fields: [{id: a}]}}
        output: {}
        custom_fields_used: [date]
    failure_cases:
      - id: wrong-field
        operation: create_task
        error_message: one of
        wrong_input: {list_id: '7', custom_fields: [{id: b}]}
        correct_input: {list_id: '7', custom_fields: [{id: a}]}
        lookups: {get_list_custom_fields: {fields: [{id: a}]}}
        cause: no such field
        reference: anti_patterns.wrong-field-id
    edge_cases:
      - id: ids
        helper: detect-id
        cases: [{input: DEV-1234, expected: custom}, {input: PROJ_456, expected: custom}, {input: BUG.789, expected: custom}, {input: 86b4bnnny, expected: regular}]
      - {id: formats, detection: true, cases: [{input: {body: {}}, expected: standard}, {input: {event: x}, expected: null}]}
      - {id: empty, extraction: custom_fields.date, cases: [{input: {}, expected: null}]}
      - {id: throws, helper: read-field, cases: [{input: null, error: TypeError}]}
      - {id: parts, expression: "{a: 1, b: 2}", cases: [{input: {}, expected: {a: 1}, partial: true}]}
"#;

async fn test(rest: &str) -> Report {
    let loaded = Canned::default().loader().load("tool.yaml", &pack(rest)).unwrap_or_else(|found| panic!("{found:#?}"));
    loaded.test().await
}

#[tokio::test]
async fn every_example_runs_and_what_has_none_is_told() {
    let report = test(REST).await;
    assert!(report.passed(), "{}", report.text());
    assert_eq!(report.cases.len(), 3 + 4 + 2 + 1 + 1 + 1 + 1);
    let coverage = &report.coverage;
    assert_eq!(coverage.commands.missing, ["get_list_custom_fields", "update_task"]);
    assert_eq!(coverage.refusals.missing, ["update_task"]);
    assert_eq!(coverage.field_types.missing, [""; 0]);
    assert_eq!(coverage.anti_patterns.missing, ["update-form"]);
    assert!(!coverage.is_full());
    let text = report.text();
    assert!(text.contains("anti-patterns: 1 of 2 have an example; none: update-form"), "{text}");
    assert!(text.contains("1 of them have no recorded answer"), "{text}");
}

#[tokio::test]
async fn an_example_that_does_not_hold_fails_with_what_came_instead() {
    let table = [
        (
            "output: {id: '1', n: 1}",
            "output: {id: '2', n: 1}",
            "finds-task",
            "it gives {\"id\":\"1\",\"n\":1.0}, and should give {\"id\":\"2\",\"n\":1}",
        ),
        ("expected: regular}]", "expected: custom}]", "ids[3]", "it gives \"regular\", and should give \"custom\""),
        ("custom_fields: [{id: b}]", "custom_fields: [{id: a}]", "wrong-field", "the wrong input is accepted"),
        ("error_message: one of", "error_message: two of", "wrong-field", "is refused for another reason"),
        (
            "reference: anti_patterns.wrong-field-id",
            "reference: update-form",
            "wrong-field",
            "does not cite `update-form`",
        ),
        (
            "        lookups: {get_list_custom_fields: {fields: [{id: a}]}}\n        output",
            "        output",
            "creates",
            "state under `lookups`",
        ),
        ("extracted: x", "extracted: z", "custom_fields.text", "it gives \"x\", and should give \"z\""),
        ("error: TypeError", "error: RangeError", "throws[0]", "not with `RangeError`"),
    ];
    for (good, bad, id, expected) in table {
        let report = test(&REST.replacen(good, bad, 1)).await;
        let failed: Vec<(&str, &str)> = report
            .cases
            .iter()
            .filter_map(|case| match &case.outcome {
                Outcome::Failed(message) | Outcome::Broken(message) => Some((case.id.as_str(), message.as_str())),
                Outcome::Passed | Outcome::Partly(_) => None,
            })
            .collect();
        assert!(
            matches!(failed.as_slice(), [(which, message)] if *which == id && message.contains(expected)),
            "{bad}: {failed:#?}"
        );
    }
}

#[tokio::test]
async fn reports_are_read_by_programs_too() {
    let report = test(&REST.replacen("expected: regular}]", "expected: <none>}]", 1)).await;
    let junit = report.junit();
    assert!(junit.contains("<testsuite name=\"tasks\" tests=\"13\" failures=\"1\" errors=\"0\">"), "{junit}");
    assert!(junit.contains("should give &quot;&lt;none&gt;&quot;</failure>"), "{junit}");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(
        json["cases"][0],
        json!({"sort": "success", "id": "finds-task", "about": "get_task", "outcome": {"result": "passed"}})
    );
    assert_eq!(json["coverage"]["commands"]["of"], 4);
}

#[test]
fn examples_that_can_be_judged_when_the_pack_is_loaded_are() {
    for (good, bad, expected) in [
        ("input: {task_id: DEV-1}", "input: {task: DEV-1}", "the input of `finds-task` breaks its schema"),
        ("custom_fields_used: [date]", "custom_fields_used: [dat]", "unknown field type `dat`; did you mean `date`?"),
        ("id: creates", "id: finds-task", "the example `finds-task` is defined twice"),
        ("correct_input: {list_id: '7',", "correct_input: {", "the correct input of `wrong-field` is refused"),
        ("extraction: custom_fields.date", "extraction: custom_fields.dat", "`custom_fields.dat` has no extraction"),
        ("{id: formats, detection: true,", "{id: formats,", "is about nothing, or about several things"),
    ] {
        let found = problems(Canned::default().loader().load("tool.yaml", &pack(&REST.replacen(good, bad, 1))));
        assert!(found.iter().any(|problem| problem.contains(expected)), "{bad}: {found:#?}");
    }
}

#[test]
fn a_stated_message_is_looked_for_in_what_the_program_says_and_not_in_what_came() {
    let more = |message: &str| {
        pack(&format!(
            "  validators:\n    - {{id: v, validates: create_task, checks: [{{expression: \"name != 'x'\", field: name, message: 'say \"y\"', suggestion: 'a \"z\"'}}]}}\n  examples:\n    failure_cases:\n      - {{id: f, operation: create_task, error_message: '{message}', wrong_input: {{list_id: [1], name: x}}, cause: c}}\n"
        ))
    };
    let told = |message: &str| problems(Canned::default().loader().load("tool.yaml", &more(message)));
    for said in ["say \"y\"", "a \"z\"", "/name", "wrong_type", "/list_id: wrong_type"] {
        assert_eq!(told(said), [""; 0], "{said}");
    }
    for came in ["[1]", "got", "nearest"] {
        let found = told(came);
        assert!(matches!(found.as_slice(), [one] if one.contains("refused for another reason")), "{came}: {found:#?}");
    }
    assert!(told("other")[0].contains("/name: not_allowed; expected say \"y\"; a \"z\""), "{:#?}", told("other"));
}

#[test]
fn a_pack_that_does_not_load_is_a_report_with_a_case_for_each_mistake() {
    let found = Canned::default().loader().load("tool.yaml", &pack("  validators: [{id: v}]\n")).err().unwrap();
    let report = Report::unloaded("packs/tasks", &found);
    assert!(!report.passed() && !report.loaded());
    assert_eq!((report.failed(), report.broken()), (0, found.len()));
    let junit = report.junit();
    assert!(junit.contains(&format!("failures=\"0\" errors=\"{}\">", found.len())), "{junit}");
    assert!(junit.contains("classname=\"packs/tasks.load\" name=\"tool.yaml:"), "{junit}");
    assert!(junit.contains("<error>tool.yaml:"), "{junit}");
}

#[tokio::test]
async fn an_example_states_the_moment_at_which_it_takes_place_and_another_is_on_a_day_like_others() {
    let rest = r#"  helpers:
    - {id: today, function: "() => new Date().toISOString().slice(0, 10)"}
    - {id: dated, function: "(task) => ({...task, on: today()})", dependencies: [today]}
    - id: to-come
      function: "(args) => ({valid: args.due_date > Date.now(), message: 'lies behind', path: 'due_date'})"
  processors:
    - {id: dated-task, steps: [dated]}
  validators:
    - {id: v, validates: create_task, checks: [helper: to-come]}
  examples:
    success_cases:
      - {id: a, operation: get_task, now: "2026-11-24T22:30:00-03:00", input: {task_id: a}, response: {}, output: {on: "2026-11-25"}}
      - {id: b, operation: get_task, input: {task_id: a}, response: {}, output: {on: "2026-01-15"}}
      - {id: c, operation: create_task, now: "2001-01-01T00:00:00Z", input: {list_id: a, due_date: 1000000000000}, output: {}}
    failure_cases:
      - {id: d, operation: create_task, now: "2002-01-01T00:00:00Z", wrong_input: {list_id: a, due_date: 1000000000000}, error_message: lies behind, cause: c}
    edge_cases:
      - {id: e, helper: today, cases: [{arguments: [], expected: "2026-01-15"}]}
      - {id: f, helper: today, now: "2024-02-29T12:00:00Z", cases: [{arguments: [], expected: "2024-02-29"}]}
      - {id: g, processor: dated-task, now: "2024-02-29T12:00:00Z", cases: [{input: {}, expected: {on: "2024-02-29"}}]}
"#;
    let text = pack(rest).replacen(
        "handler: {method: GET, path: \"/task/{task_id}\"}",
        "handler: {method: GET, path: \"/task/{task_id}\"}\n      uses_processors: {after: [dated-task]}",
        1,
    );
    let loaded = Canned::default().loader().load("tool.yaml", &text).unwrap_or_else(|found| panic!("{found:#?}"));
    let report = loaded.test().await;
    assert!(report.passed(), "{}", report.text());
    let found = problems(Canned::default().loader().load("tool.yaml", &text.replace("2024-02-29T12", "2024-02-30T12")));
    assert!(
        found.len() == 2 && found.iter().all(|one| one.contains("bad format; expected string, for example")),
        "{found:#?}"
    );
}
