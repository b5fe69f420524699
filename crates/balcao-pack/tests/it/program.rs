//! Programs that models write, over the commands of a pack.

use std::sync::Arc;

use balcao_pack::program::{self, Callable, ProgramHelpers};
use balcao_sandbox::Launcher;
use balcao_tool::{
    Agreed, CallDecision, CallResult, ErrorCode, Locale, ResultClass, RunMode, Tool, ToolContext, Toolbox,
    validate_call,
};
use serde_json::{Value, json};

use crate::world::{Canned, UPDATE, context, pack, toolbox};

/// `run_program` over the commands of the pack (`update_task` is to be agreed to, `create_task` is not), and what they were called with.
fn world(answers: Value) -> (Canned, Toolbox) {
    let canned = Canned::new(answers);
    let loaded = canned.loader().load("tool.yaml", &pack(UPDATE)).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let mut tools = toolbox(loaded);
    let callable = tools
        .iter()
        .map(|tool| Callable { tool: Arc::clone(tool), confirm: tools.confirm(tool), is_on_demand: false })
        .collect::<Vec<_>>();
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_pack-test-worker"), &[]);
    tools.push(program::tool(callable, ProgramHelpers::default(), 6, launcher).unwrap());
    (canned, tools)
}

fn program(tools: &Toolbox) -> &Tool {
    tools.get(program::RUN_PROGRAM).unwrap()
}

async fn run(tools: &Toolbox, code: &str) -> CallResult {
    program(tools).execute(&context(), json!({ "code": code }), RunMode::Execute).await
}

async fn ask(tools: &Toolbox, code: &str) -> CallResult {
    program(tools).execute(&context(), json!({ "code": code }), RunMode::Ask).await
}

async fn run_agreed(tools: &Toolbox, code: &str, question: &str) -> CallResult {
    let asked_at = context().now.timestamp();
    let cx = ToolContext { agreed: Some(Agreed { question: question.to_owned(), asked_at }), ..context() };
    program(tools).execute(&cx, json!({ "code": code }), RunMode::Execute).await
}

const ID: &str = "86b4bnnny";

#[tokio::test]
async fn a_program_calls_tools_in_loops_and_at_once_and_gives_what_it_returns() {
    let (canned, tools) = world(json!({"get_task": {"name": "N", "points": 2}, "create_task": {"id": "t1"}}));
    let code = "const tasks = await Promise.all(['a', 'b'].map((task_id) => tools.get_task({task_id})))
        let sum = 0
        for (const task of tasks) sum += task.points
        const made = await tools.create_task({list_id: '7', name: `sum ${sum}`}).then((task) => task.id)
        return {sum, made}";
    let result = run(&tools, code).await;
    assert_eq!(result.value["result"], json!({"sum": 4, "made": "t1"}), "{result:?}");
    assert_eq!(result.value["calls"], json!(["get_task: done (2 times)", "create_task: done"]));
    assert_eq!(canned.called().len(), 3, "each call is made once: {:?}", canned.called());
    let nothing = run(&tools, "await tools.get_task({task_id: 'a'})").await;
    assert!(nothing.value["note"].as_str().unwrap().contains("return"), "{nothing:?}");
}

#[tokio::test]
async fn a_mistake_names_its_line_and_what_was_meant_and_counts_as_the_models_own() {
    let (canned, tools) = world(json!({"get_task": null, "get_list_custom_fields": {"fields": []}}));
    for (code, parts) in [
        ("const a = 1\nreturn a +", vec!["line 2", "SyntaxError"]),
        ("\n\n  return nothing.there", vec!["line 3, column 10", "not defined"]),
        ("return nothing.there", vec!["line 1, column 8", "not defined"]),
        ("return tools.get_tsk({task_id: 'x'})", vec!["not a function", "did you mean `get_task`?"]),
        ("return tools['get' + '_task']({task_id: 'x'})", vec!["not a function"]),
        ("for (;;) {}", vec!["time limit"]),
        ("let s = 'x'; for (;;) s += s", vec!["memory limit"]),
        ("for (let i = 0; ; i++) await tools.get_list_custom_fields({list_id: `${i}`})", vec!["more than 6 calls"]),
    ] {
        let result = run(&tools, code).await;
        assert_eq!((result.class, result.code), (ResultClass::Correction, Some(ErrorCode::InvalidArguments)), "{code}");
        for part in parts {
            assert!(result.value.to_string().contains(part), "{part} in {}", result.value);
        }
    }
    assert!(canned.called().iter().all(|(name, _)| name == "get_list_custom_fields"));
    let uncaught = run(&tools, "const id = 'x'\nconst task = await tools.get_task({task_id: id})\nreturn task").await;
    assert_eq!(uncaught.code, Some(ErrorCode::NotFound));
    assert!(uncaught.value["error"].as_str().unwrap().starts_with("line 2: "), "{uncaught:?}");
    let caught = "try { await tools.get_task({task_id: 'x'}) } catch (error) { return [error.name, error.code] }";
    assert_eq!(run(&tools, caught).await.value["result"], json!(["ToolError", "not_found"]));
}

#[test]
fn program_of_more_than_16_000_characters_is_refused() {
    let (_, tools) = world(json!({}));
    let judge = |chars: usize| {
        let args = json!({"code": format!("return 1 //{}", "x".repeat(chars - 11))}).to_string();
        validate_call::validate_call(&tools, program::RUN_PROGRAM, &args, Locale::En)
    };
    assert!(matches!(judge(16_000), CallDecision::Run(_)));
    let CallDecision::Answer(refused) = judge(16_001) else { panic!("it may run") };
    assert_eq!(refused.value["details"]["fields"][0]["problem"], "too_long", "{refused:?}");
}

#[tokio::test]
async fn every_call_inside_is_judged_as_one_of_the_models_would_be() {
    let (canned, tools) = world(json!({}));
    let code = format!("await tools.update_task({{task_id: '{ID}', assignees: [7]}})");
    let result = ask(&tools, &code).await;
    assert_eq!(result.code, Some(ErrorCode::InvalidArguments), "{result:?}");
    for part in ["line 1", "assignee-format-mismatch", "\"add\""] {
        assert!(result.value.to_string().contains(part), "{part} in {}", result.value);
    }
    let result = run(&tools, "return tools.create_task({list: 7})").await;
    assert!(result.value.to_string().contains("list_id"), "{result:?}");
    assert!(canned.called().is_empty(), "{:?}", canned.called());
}

#[tokio::test]
async fn what_must_be_agreed_to_is_a_list_of_all_changes_before_any_is_made() {
    let (canned, tools) = world(json!({"get_task": {"name": "N"}}));
    let code = "for (const name of ['a', 'b']) {
          const task = await tools.get_task({task_id: 'x'})
          await tools.update_task({task_id: '86b4bnnny', name: task.name + name})
        }
        return 'renamed'";
    assert_eq!(
        tools.confirm_call(program(&tools), &json!({"code": code})),
        tools.confirm(tools.get("update_task").unwrap()),
        "who agrees to a call of it agrees to the program"
    );
    let asked = ask(&tools, code).await;
    let question = asked.confirm.clone().unwrap();
    for part in ["2 change(s)", "1. Changes: update_task", "\"name\":\"Na\"", "2. Changes", "\"name\":\"Nb\""] {
        assert!(question.contains(part), "{part} in {question}");
    }
    assert!(canned.called().iter().all(|(name, _)| name == "get_task"), "{:?}", canned.called());
    let ran = run_agreed(&tools, code, &question).await;
    assert_eq!(ran.value["result"], "renamed", "{ran:?}");
    let changed: Vec<_> = canned.called().into_iter().filter(|(name, _)| name == "update_task").collect();
    assert_eq!(changed.len(), 2, "{changed:?}");
}

#[tokio::test]
async fn a_program_that_would_do_something_else_by_now_does_nothing() {
    let code = "const {name} = await tools.get_task({task_id: 'x'})
        return tools.update_task({task_id: '86b4bnnny', name})";
    let (_, then) = world(json!({"get_task": {"name": "then"}}));
    let question = ask(&then, code).await.confirm.unwrap();
    let (canned, now) = world(json!({"get_task": {"name": "now"}}));
    let result = run_agreed(&now, code, &question).await;
    assert_eq!((result.class, &result.value["done"]), (ResultClass::Refusal, &json!(false)), "{result:?}");
    assert!(canned.called().iter().all(|(name, _)| name == "get_task"), "{:?}", canned.called());
}

#[tokio::test]
async fn what_was_on_no_list_is_refused_within_the_program_and_nobody_is_asked_where_nothing_changes() {
    let (canned, tools) = world(json!({"create_task": {"id": "86b4bnnny"}}));
    // The second change depends on the answer to the first, so no person could confirm it in advance.
    let code = "const task = await tools.create_task({list_id: '7'})
        await tools.update_task({task_id: task.id, name: 'x'})";
    let question = ask(&tools, code).await.confirm.unwrap();
    assert!(question.contains("1 change(s)") && question.contains("depends on the answers"), "{question}");
    let result = run_agreed(&tools, code, &question).await;
    assert_eq!(result.value["stopped"]["code"], "confirmation_required", "{result:?}");
    assert_eq!((&result.value["changed"], result.uncertain), (&json!(["create_task"]), false));
    assert_eq!(canned.called().len(), 1);
    // An agreement is used up, and without one nothing that needs it runs, however the call came here.
    let unasked = run(&tools, "return tools.update_task({task_id: '86b4bnnny'})").await;
    assert_eq!(unasked.code, Some(ErrorCode::ConfirmationRequired), "{unasked:?}");
    let reads =
        ask(&tools, "const t = await tools.get_task({task_id: 'x'}); if (!t) await tools.update_task({}); return 1");
    assert_eq!(reads.await.value["result"], 1);
    assert_eq!(canned.called().len(), 2);
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_changed_and_asks_nobody() {
    let (canned, tools) = world(json!({}));
    let args = json!({"code": "return tools.update_task({task_id: '86b4bnnny', name: 'x'})", "dry_run": true});
    assert_eq!(tools.confirm_call(program(&tools), &args), balcao_tool::Confirm::None);
    let told = program(&tools).execute(&context(), args, RunMode::Execute).await;
    let would = json!([{"tool": "update_task", "arguments": {"task_id": ID, "name": "x"}}]);
    assert_eq!(told.value["would_change"], would, "{told:?}");
    assert!(canned.called().is_empty());
}

#[tokio::test]
async fn after_a_change_a_mistake_tells_what_stays_changed_and_a_tool_that_keeps_failing_is_withdrawn() {
    let (canned, tools) = world(json!({"create_task": {"id": "t1"}, "get_task": "down"}));
    let result = run(&tools, "await tools.create_task({list_id: '7'})\nreturn gone.there").await;
    assert_eq!((result.class, result.uncertain), (ResultClass::Success, false), "{result:?}");
    assert!(result.value["stopped"]["error"].as_str().unwrap().contains("line 2"), "{result:?}");
    assert_eq!(result.value["changed"], json!(["create_task"]));
    let stubborn = "const codes = []
        for (let i = 0; i < 3; i++) try { await tools.get_task({task_id: 'x'}) } catch (error) { codes.push(error.code) }
        return codes";
    assert_eq!(run(&tools, stubborn).await.value["result"], json!(["unavailable", "unavailable", "blocked"]));
    assert_eq!(canned.called().len(), 3);
}
