//! What stops a call before it runs, and what is mended.

use balcao_tool::{CallDecision, CallResult, Locale, ResultClass, RunMode, validate_call};
use serde_json::{Value, json};

use crate::world::{Canned, UPDATE, context, pack, toolbox};

/// Judges a call, and runs it if it may run.
async fn call(world: &Canned, text: &str, autofix: bool, tool: &str, args: Value) -> CallResult {
    let loaded = world.loader().autofix(autofix).load("tool.yaml", text).unwrap_or_else(|found| panic!("{found:#?}"));
    let toolbox = toolbox(loaded);
    match validate_call::validate_call(&toolbox, tool, &args.to_string(), Locale::En) {
        CallDecision::Run(planned) => {
            toolbox.get(tool).unwrap().execute(&context(), planned.args, RunMode::Execute).await
        }
        CallDecision::Answer(result) => result,
    }
}

fn fields(result: &CallResult) -> &Vec<Value> {
    result.value["details"]["fields"].as_array().unwrap_or_else(|| panic!("{result:?}"))
}

#[tokio::test]
async fn a_wrong_form_is_refused_with_the_anti_pattern_before_anything_is_sent() {
    let world = Canned::new(json!({}));
    let args = json!({"task_id": "86b4bnnny", "assignees": [456, 789]});
    let result = call(&world, &pack(UPDATE), false, "update_task", args).await;
    assert_eq!((result.class, result.value["code"].as_str()), (ResultClass::Correction, Some("invalid_arguments")));
    let [field] = fields(&result).as_slice() else { panic!("{result:?}") };
    assert_eq!(field["pointer"], "/assignees");
    assert_eq!(field["anti_pattern"], "assignee-format-mismatch");
    assert_eq!(field["wrong"], json!({"assignees": [123, 456]}));
    assert_eq!(field["correct"], json!({"assignees": {"add": [123], "rem": [456]}}));
    assert_eq!(field["nearest"], json!({"add": [456, 789], "rem": []}));
    assert_eq!(world.called(), []);
}

#[tokio::test]
async fn what_is_unambiguous_is_mended_where_the_profile_allows_it_and_reported() {
    let world = Canned::new(json!({}));
    let loaded = world.loader().autofix(true).load("tool.yaml", &pack(UPDATE)).unwrap();
    let toolbox = toolbox(loaded);
    let args = json!({"task_id": "DEV-1", "assignees": [456]}).to_string();
    let CallDecision::Run(planned) = validate_call::validate_call(&toolbox, "update_task", &args, Locale::En) else {
        panic!()
    };
    assert_eq!(planned.args["assignees"], json!({"add": [456], "rem": []}));
    assert_eq!(planned.repairs, ["assignees was [456], and is {\"add\":[456],\"rem\":[]}"]);
    // A name is not an id and cannot be converted to one, so the call stays refused.
    let args = json!({"task_id": "DEV-1", "assignees": ["Ana"]}).to_string();
    assert!(matches!(
        validate_call::validate_call(&toolbox, "update_task", &args, Locale::En),
        CallDecision::Answer(_)
    ));
    // Nor is one failure mended while another stays.
    let args = json!({"task_id": "no id", "assignees": [456]}).to_string();
    assert!(matches!(
        validate_call::validate_call(&toolbox, "update_task", &args, Locale::En),
        CallDecision::Answer(_)
    ));
}

#[tokio::test]
async fn nobody_is_asked_to_confirm_what_would_be_refused() {
    let world = Canned::new(json!({}));
    let loaded = world.loader().load("tool.yaml", &pack(UPDATE)).unwrap();
    let args = json!({"task_id": "86b4bnnny", "assignees": [1]}).to_string();
    assert!(matches!(
        validate_call::validate_call(&toolbox(loaded), "update_task", &args, Locale::En),
        CallDecision::Answer(_)
    ));
}

/// A pack whose `create_task` has these checks.
fn checked(checks: &str) -> String {
    pack(&format!("  validators:\n    - id: v\n      validates: create_task\n      checks:\n        - {checks}\n"))
}

#[tokio::test]
async fn each_built_in_check_lets_right_calls_pass_and_says_what_is_wrong() {
    let table = [
        ("required_fields: [name]", json!({"name": "x"}), json!({"name": " "}), "/name", "missing"),
        ("one_of: [name, parent]", json!({"parent": "x"}), json!({}), "", "missing"),
        (
            "mutually_exclusive: [name, parent]",
            json!({"name": "x"}),
            json!({"name": "x", "parent": "y"}),
            "/parent",
            "mutually_exclusive",
        ),
        ("format: {email: email}", json!({"email": "a@b.co"}), json!({"email": "a"}), "/email", "bad_format"),
        (
            "format: {due_date: timestamp_ms}",
            json!({"due_date": 1_764_000_000_000_i64}),
            json!({"due_date": 1_764_000_000}),
            "/due_date",
            "bad_format",
        ),
        ("pattern: {name: '^[A-Z]'}", json!({"name": "Ab"}), json!({"name": "ab"}), "/name", "bad_format"),
        (
            "range: {priority: {min: 1, max: 4}}",
            json!({"priority": 4}),
            json!({"priority": 5}),
            "/priority",
            "out_of_range",
        ),
        (
            "assignee_format: create_api",
            json!({"assignees": [1]}),
            json!({"assignees": {"add": [1]}}),
            "/assignees",
            "wrong_form",
        ),
        (
            "task_id_format: {forms: [regular], field: parent}",
            json!({"parent": "86b4bnnny"}),
            json!({"parent": "DEV-1"}),
            "/parent",
            "bad_format",
        ),
        (
            "{expression: \"!parent || parent !== list_id\", field: parent}",
            json!({"parent": "y"}),
            json!({"parent": "l"}),
            "/parent",
            "not_allowed",
        ),
        (
            "{required_fields: [name], when: \"priority === 1\"}",
            json!({"priority": 2}),
            json!({"priority": 1}),
            "/name",
            "missing",
        ),
        (
            "required_fields: ['custom_fields[*].id']",
            json!({"custom_fields": [{"id": "a"}]}),
            json!({"custom_fields": [{"id": "a"}, {}]}),
            "/custom_fields/1/id",
            "missing",
        ),
        // Below what is missing it is missing, too.
        (
            "required_fields: [assignees.add]",
            json!({"assignees": {"add": [1]}}),
            json!({"name": "x"}),
            "/assignees/add",
            "missing",
        ),
        // What cannot be computed is refused.
        ("expression: 'name < 3'", json!({"name": null}), json!({"name": "x"}), "", "not_allowed"),
    ];
    for (check, right, wrong, pointer, problem) in table {
        let world = Canned::new(json!({}));
        let with_list = |mut args: Value| {
            args["list_id"] = json!("l");
            args
        };
        if !check.starts_with("expression: 'name < 3'") {
            let result = call(&world, &checked(check), false, "create_task", with_list(right)).await;
            assert_eq!(result.class, ResultClass::Success, "{check}: {result:?}");
        }
        let before = world.called().len();
        let result = call(&world, &checked(check), false, "create_task", with_list(wrong)).await;
        let field = &fields(&result)[0];
        assert_eq!(
            (field["pointer"].as_str(), field["problem"].as_str()),
            (Some(pointer), Some(problem)),
            "{check}: {field}"
        );
        assert_eq!(world.called().len(), before, "{check}");
    }
}

#[tokio::test]
async fn all_failures_are_told_at_once_the_schemas_too() {
    let text = checked("required_fields: [name]\n        - range: {priority: {max: 4}}");
    let world = Canned::new(json!({}));
    let result = call(&world, &text, false, "create_task", json!({"priority": 9, "nmae": "x"})).await;
    let pointers: Vec<&str> = fields(&result).iter().filter_map(|field| field["pointer"].as_str()).collect();
    assert_eq!(pointers, ["/name", "/priority", "/nmae", "/list_id"]);
}

const FIELDS: &str = "{custom_field_ids_exist: true, anti_pattern: wrong-field-id}\n  anti_patterns:\n    - {id: wrong-field-id, title: t, wrong: w, correct: c, why: because, reference: v}";

#[tokio::test]
async fn custom_fields_that_the_list_does_not_have_are_refused_with_those_that_it_has() {
    let world = Canned::new(json!({"get_list_custom_fields": {"fields": [{"id": "status"}, {"id": "cost"}]}}));
    let args = json!({"list_id": "7", "custom_fields": [{"id": "cost"}, {"id": "statsu"}]});
    let result = call(&world, &checked(FIELDS), false, "create_task", args).await;
    let [field] = fields(&result).as_slice() else { panic!("{result:?}") };
    assert_eq!(field["pointer"], "/custom_fields/1/id");
    assert_eq!((&field["nearest"], &field["anti_pattern"]), (&json!("status"), &json!("wrong-field-id")));
    // Read, and nothing else.
    assert_eq!(world.called(), [("get_list_custom_fields".to_owned(), json!({"list_id": "7"}))]);
    let args = json!({"list_id": "7", "custom_fields": [{"id": "cost"}]});
    assert_eq!(call(&world, &checked(FIELDS), false, "create_task", args).await.class, ResultClass::Success);
    // Without anything to check nothing is read.
    let before = world.called().len();
    call(&world, &checked(FIELDS), false, "create_task", json!({"list_id": "7"})).await;
    assert_eq!(world.called().len(), before + 1);
}

#[tokio::test]
async fn what_was_read_is_kept_for_a_while_for_whoever_it_was_read_for() {
    let world = Canned::new(json!({"get_list_custom_fields": {"fields": [{"id": "a"}]}}));
    let toolbox = toolbox(world.loader().load("tool.yaml", &checked(FIELDS)).unwrap());
    let tool = toolbox.get("create_task").unwrap();
    let args = json!({"list_id": "7", "custom_fields": [{"id": "a"}]});
    let reads = || world.called().iter().filter(|(id, _)| id == "get_list_custom_fields").count();
    let mut cx = context();
    for _ in 0..3 {
        tool.execute(&cx, args.clone(), RunMode::Execute).await;
    }
    assert_eq!(reads(), 1);
    cx.principal.organization = 9;
    tool.execute(&cx, args.clone(), RunMode::Execute).await;
    assert_eq!(reads(), 2);
    cx.now = "2026-11-23T09:06[America/Sao_Paulo]".parse().unwrap();
    tool.execute(&cx, args, RunMode::Execute).await;
    assert_eq!(reads(), 3);
}

#[tokio::test]
async fn a_check_that_cannot_be_made_lets_nothing_through() {
    let reference = "reference_exists: {field: parent, command: get_task, arguments: {task_id: parent}}";
    for (answer, class, code) in [
        (json!({"id": "x"}), ResultClass::Success, None),
        (json!(null), ResultClass::Correction, Some("invalid_arguments")),
        (json!("down"), ResultClass::Fault, Some("unavailable")),
    ] {
        let world = Canned::new(json!({ "get_task": answer }));
        let args = json!({"list_id": "7", "parent": "x"});
        let result = call(&world, &checked(reference), false, "create_task", args).await;
        assert_eq!((result.class, result.value["code"].as_str()), (class, code), "{result:?}");
        let wrote = world.called().iter().any(|(id, _)| id == "create_task");
        assert_eq!(wrote, class == ResultClass::Success);
        assert!(!result.uncertain);
    }
}

#[tokio::test]
async fn of_a_list_twenty_references_are_looked_up_and_a_longer_one_is_refused() {
    let reference = "reference_exists: {field: 'custom_fields[*].id', command: get_task, arguments: {task_id: value}}";
    for (count, class) in [(20, ResultClass::Success), (21, ResultClass::Correction)] {
        let world = Canned::new(json!({ "get_task": {"id": "x"} }));
        let fields_of: Vec<Value> = (0..count).map(|one| json!({ "id": format!("f{one}") })).collect();
        let args = json!({ "list_id": "7", "custom_fields": fields_of });
        let result = call(&world, &checked(reference), false, "create_task", args).await;
        assert_eq!(result.class, class, "{result:?}");
        assert_eq!(world.called().iter().filter(|(id, _)| id == "get_task").count(), 20);
        if count > 20 {
            let [field] = fields(&result).as_slice() else { panic!("{result:?}") };
            assert_eq!(
                (&field["pointer"], &field["expected"]),
                (&json!("/custom_fields/20/id"), &json!("at most 20 at a time"))
            );
        }
    }
}

const HELPER: &str = r#"helper: check-name
  helpers:
    - id: check-name
      function: |
        (args, context) => {
          if (context.command !== 'create_task') throw new Error('whose?')
          if (args.name === 'bomb') while (true) {}
          if (args.name === 'throw') throw new Error('no idea')
          if (args.name === 'odd') return { fine: 'yes' }
          const name = String(args.name || '').trim()
          return { valid: args.name === name, message: 'a name without blanks around it', path: 'name', fix: { ...args, name } }
        }
"#;

#[tokio::test]
async fn a_helper_judges_in_its_own_process_and_its_failure_denies() {
    let world = Canned::new(json!({}));
    let text = checked(HELPER);
    let named = |name: &str| json!({"list_id": "7", "name": name});
    assert_eq!(call(&world, &text, false, "create_task", named("Ana")).await.class, ResultClass::Success);
    let result = call(&world, &text, false, "create_task", named(" Ana")).await;
    let field = &fields(&result)[0];
    assert_eq!((&field["pointer"], &field["expected"]), (&json!("/name"), &json!("a name without blanks around it")));
    for name in ["bomb", "throw", "odd"] {
        let result = call(&world, &text, false, "create_task", named(name)).await;
        assert_eq!((result.class, result.uncertain), (ResultClass::Fault, false), "{name}: {result:?}");
    }
    assert_eq!(world.called().len(), 1);
}

#[tokio::test]
async fn what_a_helper_mends_is_told_with_the_result() {
    let world = Canned::new(json!({"create_task": {"id": "1"}}));
    let text = checked(&HELPER.replacen("helper: check-name", "{helper: check-name, fix: true}", 1));
    let result = call(&world, &text, true, "create_task", json!({"list_id": "7", "name": " Ana"})).await;
    assert_eq!(result.value, json!({"id": "1", "_mended": ["name was \" Ana\", and is \"Ana\""]}));
    assert_eq!(world.called(), [("create_task".to_owned(), json!({"list_id": "7", "name": "Ana"}))]);
}

#[tokio::test]
async fn a_verdict_that_names_an_anti_pattern_which_is_not_there_decides_nothing_and_says_so_to_the_author() {
    let verdict = "{valid: false, message: 'no', anti_pattern: 'wrong-feild-id'}";
    let text = pack(&format!(
        "  helpers:\n    - id: judge\n      function: \"() => ({verdict})\"\n  validators:\n    - {{id: v, validates: create_task, checks: [{{helper: judge}}, {{required_fields: [list_id], anti_pattern: wrong-field-id}}]}}\n  anti_patterns:\n    - {{id: wrong-field-id, title: t, wrong: w, correct: c, why: because, reference: v}}\n"
    ));
    let world = Canned::new(json!({}));
    let result = call(&world, &text, false, "create_task", json!({"list_id": "7"})).await;
    assert_eq!((result.class, world.called()), (ResultClass::Fault, Vec::new()), "{result:?}");
    let note = result.internal.unwrap_or_default();
    assert!(
        note.contains("names the anti-pattern `wrong-feild-id`") && note.contains("did you mean `wrong-field-id`?"),
        "{note}"
    );
    let example = "  examples:\n    failure_cases:\n      - {id: f, operation: create_task, error_message: 'no', wrong_input: {list_id: '7'}, cause: c}\n";
    let report = world.loader().load("tool.yaml", &format!("{text}{example}")).unwrap().test().await;
    assert!(!report.passed() && report.text().contains("wrong-feild-id"), "{}", report.text());
}
