//! Steps from one shape of data to another, and the formats of payloads.

use balcao_pack::{LoadedPack, process::ProcessContext};
use balcao_tool::{ReceiptKind, ResultClass, RunMode};
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

fn context_of(pack: &LoadedPack) -> ProcessContext<'_> {
    ProcessContext { sandbox: pack.sandbox.as_deref(), now_ms: 0, arguments: None }
}

async fn run(id: &str, value: Value) -> Result<Value, String> {
    let text = pack(&FORMATS.replace("        - set: {payload.format: format}\n", ""));
    let loaded = Canned::default().loader().load("tool.yaml", &text).unwrap_or_else(|found| panic!("{found:#?}"));
    let ran = loaded.processors.run(id, value, context_of(&loaded)).await;
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
    // It ran, and its answer cannot be read: what it did is done, and the model reads the answer as it came.
    let world = Canned::new(json!({"create_task": {"other": 1}}));
    let tools = toolbox(world.loader().load("tool.yaml", &text).unwrap());
    let result = tools.get("create_task").unwrap().execute(&context(), args, RunMode::Execute).await;
    assert_eq!((result.class, result.uncertain), (ResultClass::Success, false), "{result:?}");
    assert_eq!((&result.value["other"], result.value["_warning"].is_string()), (&json!(1), true), "{result:?}");
    assert_eq!(result.receipts.first().map(|receipt| receipt.kind), Some(ReceiptKind::Changed));
    assert!(result.internal.unwrap().contains("the input of processor `unwrap` breaks its schema"));
}

/// A command whose result a model reads in short; `read_twice` and a check read it whole.
fn shortened() -> String {
    let helpers = "  helpers:
    - {id: short, function: \"(task, {args}) => { if (!task.name) throw new Error('no name'); return {id: task.id, asked: args.task_id, name: task.name.slice(0, 3)} }\"}
    - {id: whole, function: \"async (args, tools) => ({name: (await tools.get_task({task_id: args.task_id})).name})\"}
  processors:
    - {id: in-short, steps: [short]}
";
    let twice = "    - id: whole_name
      description: {pt-BR: O nome., en: The name.}
      effect: read
      handler: {helper: whole, calls: [get_task]}
      input_schema: {type: object, additionalProperties: false, required: [task_id], properties: {task_id: {type: string}}}
      output_schema: {type: object}
";
    pack(helpers).replacen(
        "    - id: get_task\n",
        &format!("{twice}    - id: get_task\n      uses_processors: {{for_model: [in-short]}}\n"),
        1,
    )
}

#[tokio::test]
async fn model_reads_a_result_prepared_with_the_arguments_and_the_packs_own_commands_read_it_whole() {
    let world = Canned::new(json!({"get_task": {"id": "1", "name": "Corte e barba"}}));
    let tools = toolbox(world.loader().load("tool.yaml", &shortened()).unwrap_or_else(|found| panic!("{found:#?}")));
    let args = json!({"task_id": "DEV-1"});
    let execute = |name: &str| {
        let tool = std::sync::Arc::clone(tools.get(name).unwrap());
        let args = args.clone();
        async move { tool.execute(&context(), args, RunMode::Execute).await }
    };
    assert_eq!(execute("get_task").await.value, json!({"id": "1", "asked": "DEV-1", "name": "Cor"}));
    assert_eq!(execute("whole_name").await.value, json!({"name": "Corte e barba"}));
    let world = Canned::new(json!({"get_task": {"id": "1"}}));
    let tools = toolbox(world.loader().load("tool.yaml", &shortened()).unwrap());
    let result = tools.get("get_task").unwrap().execute(&context(), args.clone(), RunMode::Execute).await;
    assert_eq!((result.class, &result.value["id"]), (ResultClass::Success, &json!("1")), "{result:?}");
    assert!(result.value["_warning"].is_string() && result.internal.unwrap().contains("no name"));
}

#[tokio::test]
async fn processors_that_run_one_another_more_than_eight_deep_end() {
    let run_chain = async |length: usize| {
        let links = (1..length).map(|at| format!("    - id: p{at}\n      steps: [{{processor: p{}}}]\n", at + 1));
        let links: String = links.collect();
        let text = pack(&format!("  processors:\n{links}    - id: p{length}\n      steps: [{{pick: [id]}}]\n"));
        let loaded = Canned::default().loader().load("tool.yaml", &text).unwrap_or_else(|found| panic!("{found:#?}"));
        let ran = loaded.processors.run("p1", json!({"id": "x"}), context_of(&loaded)).await;
        ran.map_err(|error| error.to_string())
    };
    assert_eq!(run_chain(8).await, Ok(json!({"id": "x"})));
    assert_eq!(run_chain(9).await, Err("processor `p9` runs processors more than 8 deep".to_owned()));
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
