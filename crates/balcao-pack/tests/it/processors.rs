//! Steps from one shape of data to another, and the formats of payloads.

use balcao_tool::{ResultClass, RunMode};
use serde_json::{Value, json};

use crate::world::{Canned, context, pack, problems, toolbox};

const FORMATS: &str = r#"  payload_schemas:
    automation: {detection: "event === 'automation_webhook'", path: "payload || body.payload.payload"}
    legacy: {detection: "id && trigger_id && !event", path: "payload || body.payload"}
    standard: {detection: "!event && !trigger_id", path: body.payload, schema: task}
  schemas:
    task: {type: object, required: [id]}
  helpers:
    - id: upper
      function: "(value, context) => ({ ...value, id: value.id.toUpperCase(), had: Object.keys(context.input).length })"
  processors:
    - id: structured
      output_schema: {type: object, required: [id]}
      steps:
        - payload: true
        - set: {payload.format: format}
        - path: payload
        - upper
        - {rename: {name: title}}
        - {omit: [secret]}
    - id: twice
      steps:
        - processor: structured
        - {helper: {id: upper, arguments: ["{id: 'a' + id}", "{input: {}}"]}}
        - {pick: [id]}
"#;

async fn run(id: &str, value: Value) -> Result<Value, String> {
    let text = pack(&FORMATS.replace("        - set: {payload.format: format}\n", ""));
    let loaded = Canned::default().loader().load("tool.yaml", &text).unwrap_or_else(|found| panic!("{found:#?}"));
    let ran = loaded.processors.run(id, value, loaded.sandbox.as_deref(), 0).await;
    ran.map_err(|error| error.to_string())
}

#[tokio::test]
async fn steps_run_in_order_and_both_ends_are_held_against_their_schemas() {
    let came = json!({"body": {"payload": {"id": "x", "name": "n", "secret": 1}}});
    assert_eq!(run("structured", came.clone()).await.unwrap(), json!({"id": "X", "had": 1, "title": "n"}));
    assert_eq!(run("twice", came).await.unwrap(), json!({"id": "AX"}));
    for (came, expected) in [
        (json!({"event": "other"}), "processor `structured`, step 1: it is of no format"),
        (json!({"body": {"payload": {}}}), "processor `structured`, step 3: helper `upper`: TypeError"),
        (json!({"body": 1}), "processor `structured`, step 3"),
    ] {
        let error = run("structured", came).await.unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn the_first_format_whose_detection_holds_is_the_one() {
    let loaded = Canned::default().loader().load("tool.yaml", &pack(FORMATS)).unwrap();
    let formats = loaded.processors.formats();
    let detect =
        |came: Value| formats.detect(&came).unwrap().map(|found| (found.format, found.payload, found.problems.len()));
    let named = |name: &str, payload: Value, problems| Some((name.to_owned(), payload, problems));
    assert_eq!(detect(json!({"body": {"payload": {"id": 1}}})), named("standard", json!({"id": 1}), 0));
    assert_eq!(detect(json!({"body": {"payload": {}}})), named("standard", json!({}), 1));
    assert_eq!(
        detect(json!({"event": "automation_webhook", "payload": {"id": 2}})),
        named("automation", json!({"id": 2}), 0)
    );
    assert_eq!(
        detect(json!({"event": "automation_webhook", "body": {"payload": {"payload": {"id": 3}}}})),
        named("automation", json!({"id": 3}), 0)
    );
    assert_eq!(
        detect(json!({"id": "w", "trigger_id": "t", "payload": {"id": 4}})),
        named("legacy", json!({"id": 4}), 0)
    );
    assert_eq!(detect(json!({"event": "taskCreated"})), None);
    assert_eq!(detect(json!(null)).map(|found| found.0), Some("standard".to_owned()));
}

#[tokio::test]
async fn processors_around_a_command_reshape_what_goes_in_and_what_comes_out() {
    let around = "      uses_processors: {before: [trim], after: [unwrap]}\n";
    let text = pack("  processors:\n    - {id: trim, steps: [{omit: [name]}]}\n    - {id: unwrap, input_schema: {type: object, required: [task]}, steps: [{path: task}]}\n")
        .replacen("      confirm: none\n", &format!("      confirm: none\n{around}"), 1);
    let world = Canned::new(json!({"create_task": {"task": {"id": "1"}}}));
    let tools = toolbox(world.loader().load("tool.yaml", &text).unwrap());
    let args = json!({"list_id": "7", "name": "x"});
    let result = tools.get("create_task").unwrap().execute(&context(), args.clone(), RunMode::Execute).await;
    assert_eq!(result.value, json!({"id": "1"}));
    assert_eq!(world.called(), [("create_task".to_owned(), json!({"list_id": "7"}))]);
    // It ran, and its answer cannot be read: that it may have happened is not forgotten.
    let world = Canned::new(json!({"create_task": {"other": 1}}));
    let tools = toolbox(world.loader().load("tool.yaml", &text).unwrap());
    let result = tools.get("create_task").unwrap().execute(&context(), args, RunMode::Execute).await;
    assert_eq!((result.class, result.uncertain), (ResultClass::Fault, true), "{result:?}");
}

#[test]
fn what_does_not_hold_together_is_told() {
    let table = [
        ("        - upper\n", "        - uper\n", "unknown helper `uper`; did you mean `upper`?"),
        ("{rename: {name: title}}", "{renam: {name: title}}", "unknown field; did you mean `rename`?"),
        ("schema: task}", "schema: tsak}", "unknown schema `tsak`; did you mean `task`?"),
        (
            "path: body.payload,",
            "path: 'body..payload',",
            "the expression `body..payload` cannot be read: at character 6: expected the name of a field",
        ),
        ("task: {type: object,", "task: {type: objekt,", "invalid schema"),
        (
            "        - upper\n",
            "        - processor: twice\n",
            "processor `structured` needs itself: structured → twice → structured",
        ),
        ("id: twice", "id: structured", "two processors have the id `structured`"),
    ];
    for (good, bad, expected) in table {
        let found = problems(Canned::default().loader().load("tool.yaml", &pack(&FORMATS.replacen(good, bad, 1))));
        assert!(found.iter().any(|problem| problem.contains(expected)), "{bad}: {found:#?}");
    }
}
