//! Commands that are made of others.

use balcao_tool::{Agreed, CallResult, ErrorCode, ResultClass, RunMode, ToolContext, Toolbox};
use serde_json::{Value, json};

use crate::world::{Canned, context, pack, problems, toolbox};

/// `create_by_name` finds the list's fields and makes a task; `twice` makes two; `greedy` calls for ever.
fn with(commands: &str, helpers: &str) -> String {
    pack(&format!("{commands}  helpers:\n{helpers}"))
}

fn command(id: &str, handler: &str, more: &str) -> String {
    format!(
        "    - id: {id}\n      description: {{pt-BR: Faz, en: Does}}\n      handler: {handler}\n{more}      input_schema: {{type: object, additionalProperties: false, properties: {{name: {{type: string}}}}}}\n      output_schema: {{type: object}}\n"
    )
}

const WRITES: &str = "      effect: write\n      confirm: none\n";

fn helper(id: &str, body: &str) -> String {
    format!("    - id: {id}\n      function: |\n        async function run(args, tools) {{ {body} }}\n")
}

fn tools(answers: Value, commands: &str, helpers: &str) -> (Canned, Toolbox) {
    let canned = Canned::new(answers);
    let loaded = canned.loader().load("tool.yaml", &with(commands, helpers));
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems:#?}"));
    (canned, toolbox(loaded))
}

async fn run(tools: &Toolbox, name: &str, args: Value) -> CallResult {
    tools.get(name).unwrap().execute(&context(), args, RunMode::Execute).await
}

#[tokio::test]
async fn a_helper_calls_the_commands_that_are_listed_and_its_parts_run_once_each() {
    let (canned, tools) = tools(
        json!({"get_list_custom_fields": {"fields": [{"id": "f1"}]}, "create_task": {"id": "t1"}}),
        &command("by-name", "{helper: by-name, calls: [get_list_custom_fields, create_task]}", WRITES),
        &helper(
            "by-name",
            "const { fields } = await tools.get_list_custom_fields({list_id: '7'}); \
             const task = tools.create_task({list_id: '7', name: args.name, custom_fields: fields}); \
             return {made: task.id, names: Object.keys(tools)}",
        ),
    );
    let result = run(&tools, "by_name", json!({"name": "Corte"})).await;
    assert_eq!(result.value, json!({"made": "t1", "names": ["create_task", "get_list_custom_fields"]}), "{result:?}");
    let made = json!({"list_id": "7", "name": "Corte", "custom_fields": [{"id": "f1"}]});
    assert_eq!(
        canned.called(),
        [("get_list_custom_fields".to_owned(), json!({"list_id": "7"})), ("create_task".to_owned(), made)]
    );
}

#[tokio::test]
async fn every_inner_call_is_judged_and_its_refusal_can_be_caught() {
    let (canned, tools) = tools(
        json!({"create_task": {"id": "t1"}, "get_task": null}),
        &command("careful", "{helper: careful, calls: [create_task, get_task]}", WRITES),
        &helper(
            "careful",
            "const told = []; \
             for (const [name, given] of [['create_task', {name: 5}], ['get_task', {task_id: 'x'}]]) { \
               try { tools[name](given) } catch (error) { told.push([error.name, error.code]) } } \
             return {told}",
        ),
    );
    let result = run(&tools, "careful", json!({})).await;
    assert_eq!(
        result.value,
        json!({"told": [["ToolError", "invalid_arguments"], ["ToolError", "not_found"]]}),
        "{result:?}"
    );
    assert_eq!(canned.called(), [("get_task".to_owned(), json!({"task_id": "x"}))]);
}

#[tokio::test]
async fn after_a_change_what_fails_leaves_the_outcome_uncertain_and_before_it_nothing_was_done() {
    let commands = command("half", "{helper: half, calls: [create_task, get_task]}", WRITES);
    for (body, uncertain) in [
        ("tools.create_task({list_id: '7'}); throw new Error('and then')", true),
        ("tools.create_task({list_id: '7'}); tools.get_task({task_id: 'x'})", true),
        ("tools.get_task({task_id: 'x'}); tools.create_task({list_id: '7'})", false),
    ] {
        let (_, tools) = tools(json!({"get_task": "down"}), &commands, &helper("half", body));
        let result = run(&tools, "half", json!({})).await;
        assert_eq!((result.class, result.uncertain), (ResultClass::Fault, uncertain), "{body}: {result:?}");
        assert_eq!(result.value["details"]["done_before"] == json!(["create_task"]), uncertain, "{body}");
    }
}

#[tokio::test]
async fn what_a_call_says_no_to_is_passed_on_with_its_code_unless_it_is_the_helpers_own_mistake() {
    let commands = command("pass", "{helper: pass, calls: [get_task, create_task]}", WRITES);
    for (body, code, class) in [
        ("return tools.get_task({task_id: 'x'})", ErrorCode::NotFound, ResultClass::Correction),
        ("return await tools.create_task({name: 5})", ErrorCode::Internal, ResultClass::Fault),
        ("const e = new Error('x'); e.code = 'not_found'; throw e", ErrorCode::Internal, ResultClass::Fault),
    ] {
        let (_, tools) = tools(json!({"get_task": null}), &commands, &helper("pass", body));
        let result = run(&tools, "pass", json!({})).await;
        assert_eq!((result.code, result.class, result.uncertain), (Some(code), class, false), "{body}: {result:?}");
    }
}

#[tokio::test]
async fn a_helper_that_calls_for_ever_or_swallows_its_interruption_comes_to_an_end() {
    let commands = command("greedy", "{helper: greedy, calls: [get_task], max_calls: 3}", "      effect: read\n");
    let (canned, tools_greedy) =
        tools(json!({}), &commands, &helper("greedy", "for (;;) tools.get_task({task_id: 'x'})"));
    let result = run(&tools_greedy, "greedy", json!({})).await;
    assert_eq!(result.code, Some(ErrorCode::Internal));
    assert!(result.internal.unwrap().contains("more than 3 calls"));
    assert_eq!(canned.called().len(), 3);
    // It catches what interrupts it, goes on as if nothing was, and is not believed.
    let body = "let seen = 'nothing'; try { seen = tools.get_task({task_id: 'x'}).name } catch {} return {seen}";
    let (_, tools_sly) = tools(json!({"get_task": {"name": "N"}}), &commands, &helper("greedy", body));
    assert_eq!(run(&tools_sly, "greedy", json!({})).await.value, json!({"seen": "N"}));
}

#[tokio::test]
async fn helper_makes_8_calls_unless_its_command_allows_more_and_no_command_allows_more_than_32() {
    let endless = helper("greedy", "for (;;) tools.get_task({task_id: 'x'})");
    let greedy =
        |more: &str| command("greedy", &format!("{{helper: greedy, calls: [get_task]{more}}}"), "      effect: read\n");
    let (canned, tools_greedy) = tools(json!({}), &greedy(""), &endless);
    let result = run(&tools_greedy, "greedy", json!({})).await;
    assert!(result.internal.unwrap().contains("more than 8 calls"));
    assert_eq!(canned.called().len(), 8);
    let load = |most: u32| {
        let text = with(&greedy(&format!(", max_calls: {most}")), &endless);
        problems(Canned::default().loader().load("tool.yaml", &text))
    };
    assert_eq!(load(32), [""; 0]);
    let found = load(33);
    assert!(found.iter().any(|one| one.contains("from 1 to 32 calls")), "{found:#?}");
}

#[tokio::test]
async fn a_preview_reads_and_asks_for_a_change_without_making_it() {
    let (canned, tools) = tools(
        json!({"get_task": {"name": "N"}}),
        &command(
            "ask",
            "{helper: ask, calls: [get_task, create_task]}",
            "      effect: write\n      confirm: customer\n",
        ),
        &helper(
            "ask",
            "const task = tools.get_task({task_id: 'x'}); if (args.name) tools.create_task({list_id: '7', name: task.name}); return task",
        ),
    );
    let ask = |args: Value| {
        let tool = std::sync::Arc::clone(tools.get("ask").unwrap());
        async move { tool.execute(&context(), args, RunMode::Ask).await }
    };
    let asked = ask(json!({"name": "y"})).await;
    assert_eq!(
        (asked.code, asked.confirm.as_deref()),
        (Some(ErrorCode::ConfirmationRequired), Some("Shall it be done?"))
    );
    // If the command would change nothing, it asks for no confirmation.
    assert_eq!(ask(json!({})).await.value, json!({"name": "N"}));
    assert!(canned.called().iter().all(|(name, _)| name == "get_task"), "{:?}", canned.called());
}

#[tokio::test]
async fn a_preview_lists_every_change_that_can_be_foreseen_and_says_where_more_may_follow() {
    let ask = "      effect: write\n      confirm: customer\n";
    let commands = command("ask", "{helper: ask, calls: [get_task, create_task, update_task]}", ask);
    let one = "Shall it be done?";
    let two = "These are 2 changes:\n1. Shall it be done?\n2. Shall it be done?";
    let more = "\nMore changes may follow, which depend on the answers.";
    for (body, expected) in [
        ("tools.create_task({list_id: '7'}); tools.update_task({task_id: 'x'}); return {}", two.to_owned()),
        // A result that only passes on the answer of an unmade call adds no change.
        ("tools.update_task({task_id: 'x'}); return {made: tools.create_task({list_id: '7'})}", two.to_owned()),
        (
            "const made = tools.create_task({list_id: '7'}); tools.update_task({task_id: made.id})",
            format!("{one}{more}"),
        ),
        (
            "tools.create_task({list_id: '7'}); const made = tools.create_task({list_id: '8'}); if (made.id) tools.update_task({task_id: 'x'})",
            format!("{two}{more}"),
        ),
        // It reads what its first change would have made otherwise.
        (
            "tools.update_task({task_id: 'x'}); if (!tools.get_task({task_id: 'x'}).name) throw new Error('unchanged')",
            format!("{one}{more}"),
        ),
    ] {
        let (canned, tools) = tools(json!({"get_task": {}}), &commands, &helper("ask", body));
        let asked = tools.get("ask").unwrap().execute(&context(), json!({}), RunMode::Ask).await;
        assert_eq!(asked.confirm, Some(expected), "{body}: {asked:?}");
        assert!(canned.called().iter().all(|(name, _)| name == "get_task"), "{:?}", canned.called());
    }
    // A command that cannot reach its end fails at the rehearsal, before it has changed anything.
    let body = "tools.create_task({list_id: '7'}); tools.update_task({task_id: 5})";
    let (_, tools) = tools(json!({}), &commands, &helper("ask", body));
    let asked = tools.get("ask").unwrap().execute(&context(), json!({}), RunMode::Ask).await;
    assert_eq!((asked.confirm, asked.code), (None, Some(ErrorCode::Internal)));
}

#[tokio::test]
async fn an_example_states_what_the_calls_answer() {
    let commands = command("by-name", "{helper: by-name, calls: [create_task]}", WRITES);
    let helpers = helper("by-name", "return {made: tools.create_task({list_id: '7', name: args.name}).id}");
    let examples = "  examples:\n    success_cases:\n      - {id: makes, operation: by-name, input: {name: a}, output: {made: t9}, lookups: {create_task: {id: t9}}}\n";
    let text = format!("{}{examples}", with(&commands, &helpers));
    let canned = Canned::default();
    let report = canned.loader().load("tool.yaml", &text).unwrap().test().await;
    assert!(report.passed(), "{:?}", report.cases);
    assert!(canned.called().is_empty());
    let wrong = text.replace("output: {made: t9}", "output: {made: t8}");
    assert!(!canned.loader().load("tool.yaml", &wrong).unwrap().test().await.passed());
}

#[test]
fn what_a_composite_command_hides_or_misnames_is_told_when_it_is_loaded() {
    let commands = [
        command("sly", "{helper: by-name, calls: [update_task]}", "      effect: read\n"),
        command("lost", "{helper: by-nam, calls: [creat_task, sly], max_calls: 99}", WRITES),
        command(
            "twice",
            "{helper: by-name, calls: [create_task]}",
            "      effect: write\n      confirm: none\n      effect_class: keyed\n",
        ),
        command("odd", "{helper: by-name, calls: [], more: 1}", WRITES),
    ];
    let text = with(&commands.concat(), &helper("by-name", "return {}"));
    let told = problems(Canned::default().loader().load("tool.yaml", &text));
    for part in [
        "`update_task` may change more than this command says of itself",
        "say `effect: write`",
        "agreed to by somebody before it runs",
        "say `confirm: customer`",
        "unknown helper `by-nam`",
        "did you mean `by-name`?",
        "unknown command `creat_task`",
        "is itself made of others",
        "from 1 to 32 calls",
        "it cannot be keyed",
        "unknown field `more`",
    ] {
        assert!(told.iter().any(|told| told.contains(part)), "{part} in {told:#?}");
    }
}

#[test]
fn a_composite_command_does_not_hide_the_act_of_what_it_calls() {
    let told = |act: &str, called: &str| {
        let own = format!("      effect: write\n      confirm: customer\n{act}");
        let text = with(
            &command("other", &format!("{{helper: by-name, calls: [{called}]}}"), &own),
            &helper("by-name", "return {}"),
        );
        // `update_task` says of no act what it does, and `create_task` cancels.
        let text = text.replacen("id: create_task", "id: create_task\n      act: cancel", 1);
        problems(Canned::default().loader().load("tool.yaml", &text)).join("\n")
    };
    assert!(
        told("      act: desk\n", "create_task")
            .contains("`create_task` is `act: cancel`, which this command would hide")
    );
    assert!(told("      act: book\n", "create_task").contains("say `act: cancel`, or leave `act` out"));
    assert!(told("      act: record\n", "update_task").contains("the customer is asked before `update_task`"));
    for held in [
        told("      act: cancel\n", "create_task"),
        told("", "create_task, update_task"),
        told("      act: desk\n", "get_task"),
    ] {
        assert!(!held.contains("act"), "{held}");
    }
}

const ASKED: &str = "      effect: write\n      confirm: customer\n";

/// Asks, and says yes an hour later.
async fn agreed(tools: &Toolbox, name: &str) -> (String, CallResult) {
    let (tool, cx) = (tools.get(name).unwrap(), context());
    let question = tool.execute(&cx, json!({}), RunMode::Ask).await.confirm.unwrap();
    let later = &cx.now + jiff::SignedDuration::from_hours(1);
    let agreed = Some(Agreed { question: question.clone(), asked_at: cx.now.timestamp() });
    let cx = ToolContext { agreed, now: later, ..cx };
    (question, tool.execute(&cx, json!({}), RunMode::Execute).await)
}

/// One task is moved for each name that is read.
const EACH: &str =
    "for (const name of tools.get_task({task_id: 'x'}).names) tools.create_task({list_id: name}); return {done: true}";

#[tokio::test]
async fn after_the_yes_only_what_was_listed_is_done() {
    let commands = command("each", "{helper: each, calls: [get_task, create_task]}", ASKED);
    let world = |in_turn: Value| tools(json!({"get_task": {"in_turn": in_turn}}), &commands, &helper("each", EACH));
    let writes = |canned: &Canned| canned.called().iter().filter(|(name, _)| name == "create_task").count();
    let one = json!({"names": ["a"]});
    let two = json!({"names": ["a", "b"]});

    // Nothing changed meanwhile.
    let (canned, same) = world(json!([two]));
    let (question, result) = agreed(&same, "each").await;
    assert!(question.starts_with("These are 2 changes:"), "{question}");
    assert_eq!((result.value, writes(&canned)), (json!({"done": true}), 2));

    // By now it would change more: nothing is sent, and the model reads what it would be.
    let (canned, more) = world(json!([one, two]));
    let (_, result) = agreed(&more, "each").await;
    assert_eq!((result.code, result.class, writes(&canned)), (Some(ErrorCode::Conflict), ResultClass::Refusal, 0));
    assert!(!result.uncertain && result.value["error"].as_str().unwrap().contains("nothing was done"), "{result:?}");
    assert_eq!(result.value["details"]["would_change"], json!(["Shall it be done?", "Shall it be done?"]));

    // Even between the second look and the call.
    let (canned, late) = world(json!([one, one, {"names": ["b"]}]));
    let (_, result) = agreed(&late, "each").await;
    assert_eq!((result.code, result.uncertain, writes(&canned)), (Some(ErrorCode::Conflict), false, 0), "{result:?}");
    let (canned, late) = world(json!([one, one, two]));
    let (_, result) = agreed(&late, "each").await;
    assert_eq!((result.uncertain, writes(&canned)), (true, 1), "the second one was not on the list: {result:?}");
    assert_eq!(result.value["details"]["done_before"], json!(["create_task"]));

    // There is nothing left to be done, and that is the answer.
    let (canned, none) = world(json!([one, {"names": []}]));
    let (_, result) = agreed(&none, "each").await;
    assert_eq!((result.value, writes(&canned)), (json!({"done": true}), 0));
}

#[tokio::test]
async fn what_was_agreed_to_is_computed_by_the_time_at_which_it_was_asked_for() {
    let commands = command("later", "{helper: later, calls: [create_task, update_task]}", ASKED);
    let body = "tools.create_task({list_id: '7', due_date: Date.now()}); return {}";
    let (canned, tools) = tools(json!({}), &commands, &helper("later", body));
    let (_, result) = agreed(&tools, "later").await;
    assert_eq!(result.code, None, "{result:?}");
    let due = context().now.timestamp().as_millisecond();
    assert_eq!(canned.called(), [("create_task".to_owned(), json!({"list_id": "7", "due_date": due}))]);
}

#[tokio::test]
async fn what_was_said_to_follow_may_follow_and_a_refusal_inside_stays_one() {
    let commands = command("ask", "{helper: ask, calls: [create_task, update_task]}", ASKED);
    let body = "try { tools.create_task({name: 5}) } catch (error) { if (error.code !== 'invalid_arguments') throw error } \
                const made = tools.create_task({list_id: '7'}); tools.update_task({task_id: made.id}); return {}";
    let (canned, tools) = tools(json!({"create_task": {"id": "t1"}}), &commands, &helper("ask", body));
    let (question, result) = agreed(&tools, "ask").await;
    assert!(question.ends_with("which depend on the answers."), "{question}");
    assert_eq!((result.code, canned.called().len()), (None, 2), "{result:?}");
}

#[tokio::test]
async fn a_command_of_others_that_changed_nothing_is_proof_of_nothing() {
    let commands = command("maybe", "{helper: maybe, calls: [get_task, create_task]}", WRITES);
    let body = "if (tools.get_task({task_id: 'x'}).there) return {made: false}; tools.create_task({list_id: '7'}); return {made: true}";
    for (there, receipts) in [(true, 0), (false, 1)] {
        let (_, tools) = tools(json!({"get_task": {"there": there}}), &commands, &helper("maybe", body));
        let result = run(&tools, "maybe", json!({})).await;
        assert_eq!((result.class, result.receipts.len()), (ResultClass::Success, receipts), "{result:?}");
    }
}
