//! Of the 79 contracts of profile `ops` a request carries those that it needs: the share of its tokens, and what the turn then does.

use std::path::Path;

use balcao_pack::resolve::{O200k, Tokens};
use balcao_testkit::fakes::clickup::LIST;
use balcao_testkit::fakes::model::{FakeModel, Says, calls, says};
use serde_json::{Value, json};

use crate::ops::{Ops, chat, model_config};
use crate::programs::without_programs;
use crate::{code, err, out};

/// The profile as it ships, with its contracts on demand or all in view, and with programs or without.
fn profile(folder: &Path, tool_tokens: Option<usize>, programs: bool) {
    let shipped = if programs { include_str!("../../../../agents/ops.yaml").to_owned() } else { without_programs() };
    let text = match tool_tokens {
        Some(tokens) => {
            shipped.replace("temperature_milli: 0,", &format!("temperature_milli: 0, tool_tokens: {tokens},"))
        }
        None => shipped,
    };
    assert_eq!(text.contains("tool_tokens"), tool_tokens.is_some());
    std::fs::create_dir_all(folder.join("agents")).unwrap();
    std::fs::write(folder.join("agents/ops.yaml"), text).unwrap();
}

/// What a day of the team asks for, and what the model does with it. The task is the first one that the fake makes. With contracts on
/// demand the model first loads those that its requests lack: it sees their names.
fn scenario(on_demand: bool) -> (String, Vec<Says>) {
    let task = "86b7q0101";
    let script = "crie a tarefa Confirmar horário da Marina\npasse essa tarefa ao Rafa\nponha a etiqueta urgente nela\n\
                  quais tarefas há na lista?\nobrigada\n";
    let load = |name: &str| [calls("load_tool", json!({ "names": [name] }))];
    let mut lines = vec![
        calls("create_task", json!({ "list_id": LIST, "name": "Confirmar horário da Marina" })),
        says("A tarefa está em https://app.clickup.com/t/86b7q0101"),
        calls("update_task", json!({ "task_id": task, "assignees": { "add": [4_410_021], "rem": [] } })),
        says("Rafa é o responsável."),
        calls("add_tag", json!({ "task_id": task, "tag_name": "urgente" })),
        says("A etiqueta urgente está na tarefa."),
        calls("list_tasks", json!({ "list_id": LIST })),
        says("Há uma tarefa na lista, Confirmar horário da Marina."),
        says("De nada!"),
    ];
    if on_demand {
        lines.splice(6..6, load("list_tasks"));
        lines.splice(4..4, load("add_tag"));
        lines.splice(2..2, load("update_task"));
    }
    (script.to_owned(), lines)
}

fn play(tool_tokens: Option<usize>, programs: bool) -> (Vec<Value>, Vec<Value>) {
    let (script, lines) = scenario(tool_tokens.is_none());
    let model = FakeModel::start(lines).unwrap();
    let ops = Ops::new(&model_config(&model));
    profile(ops.folder.path(), tool_tokens, programs);
    let turns = chat(&ops, "ops", &script);
    assert_eq!(model.left(), 0, "{turns:#?}");
    (turns, model.asked())
}

/// Tokens of a request: its contracts and its system prompt, and what the conversation said if that is wanted.
fn tokens(tokens: &O200k, request: &Value, conversation: bool) -> usize {
    let messages = if conversation { &request["messages"] } else { &request["messages"][0] };
    tokens.count(&json!([messages, request["tools"]]).to_string())
}

/// The tokens of the first request before contracts came on demand, without programs.
const BEFORE: usize = 11_727;

#[test]
fn request_of_ops_with_programs_takes_at_most_15_percent_of_all_contracts_with_the_same_result() {
    let (whole_turns, whole) = play(Some(100_000), true);
    let (turns, asked) = play(None, true);
    for (turn, other) in turns.iter().zip(&whole_turns) {
        for key in ["reply", "outcome"] {
            assert_eq!(turn[key], other[key], "{turn:#}");
        }
        let classes = |turn: &Value| {
            let calls = turn["calls"].as_array().unwrap().iter();
            let own = calls.filter(|call| !["find_tools", "load_tool"].contains(&call["tool"].as_str().unwrap()));
            own.map(|call| (call["tool"].clone(), call["class"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(classes(turn), classes(other));
    }
    // Each contract that was called was in view.
    let called = [(0, "create_task"), (3, "update_task"), (6, "add_tag"), (9, "list_tasks")];
    for (place, name) in called {
        let tools = asked[place]["tools"].as_array().unwrap();
        let shown: Vec<&str> = tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
        assert!(shown.contains(&name), "request {place} is without `{name}`: {shown:?}");
    }
    let counted = O200k::default();
    // A first request is counted whole; what a conversation said since then is the same on both sides.
    let (before, after) = (tokens(&counted, &whole[0], true), tokens(&counted, &asked[0], true));
    println!("first request: {after} of {before} tokens");
    assert!(after * 100 <= before * 15 && after * 100 <= BEFORE * 15, "{after} of {before} tokens");
    let sum = |requests: &[Value]| requests.iter().map(|one| tokens(&counted, one, false)).sum::<usize>();
    let (before, after) = (sum(&whole), sum(&asked));
    println!("instructions and contracts: {after} of {before} tokens in {} and {} requests", asked.len(), whole.len());
    let (each_before, each_after) = (before / whole.len(), after / asked.len());
    println!("a request: {each_after} of {each_before} tokens");
    assert!(each_after * 100 <= each_before * 15, "a request: {each_after} of {each_before} tokens");
    // The model asks three times more, for three contracts that its requests lacked, and each of these requests named them.
    assert!(after * 100 <= before * 20, "{after} of {before} tokens");
    for (place, name) in [(2, "update_task"), (5, "add_tag"), (8, "list_tasks")] {
        let tools = asked[place]["tools"].as_array().unwrap();
        let load = tools.iter().find(|tool| tool["function"]["name"] == "load_tool").unwrap();
        let named = load["function"]["description"].as_str().unwrap();
        assert!(named.split_whitespace().any(|word| word == name), "{name}: {named}");
    }
}

#[test]
fn request_of_ops_has_the_signatures_of_helpers() {
    let (_, whole) = play(Some(100_000), true);
    let (_, asked) = play(None, true);
    let counted = O200k::default();
    // A program may call a helper whose signature it sees, and sees none of those that the pack keeps to itself.
    let (of_a_command, of_none) = ("toAssigneeChange(wanted, present)", "extractTypedField(field, type)");
    for request in asked.iter().chain(&whole) {
        let tools = request["tools"].to_string();
        assert!(tools.contains(of_none), "{tools}");
        assert!(!tools.contains("duplicateTask(") && !tools.contains("checkKnownField("), "{tools}");
    }
    assert!(whole.iter().all(|request| request["tools"].to_string().contains(of_a_command)), "{whole:?}");
    // On demand the signature of a helper that commands use comes with one of them: first with those of the message, then with the one
    // that is loaded.
    let (first, behind_load) = (asked[0].to_string(), asked[3].to_string());
    assert!(first.contains("Helper normalizeName(name)") && !first.contains(of_a_command), "{first}");
    assert!(behind_load.contains(&format!("Helper {of_a_command}")), "{behind_load}");
    let (_, plain) = play(None, false);
    let signatures = tokens(&counted, &asked[0], true) - tokens(&counted, &plain[0], true);
    println!("without programs: {} tokens; programs and signatures: {signatures}", tokens(&counted, &plain[0], true));
    assert!(signatures < 200, "{signatures} tokens");
}

#[test]
fn packs_that_share_names_are_combined_under_names_with_the_pack_and_other_names_stay() {
    let task = "86b7q0101";
    let model = FakeModel::start([
        calls("create_task", json!({ "list_id": LIST, "name": "Confirmar horário" })),
        calls("clickup_add_tag", json!({ "task_id": task, "tag_name": "urgente" })),
        says("Pronto!"),
    ])
    .unwrap();
    let ops = Ops::new(&model_config(&model));
    let shipped = include_str!("../../../../agents/ops.yaml");
    let write = |text: &str| {
        std::fs::create_dir_all(ops.folder.path().join("agents")).unwrap();
        std::fs::write(ops.folder.path().join("agents/ops.yaml"), text).unwrap();
    };
    let both = shipped
        .replace("packs: [clickup]", "packs: [crm, clickup]")
        .replace("prompt: [operator]", "prompt: [operator, flows]");
    write(&both);
    let turns = chat(&ops, "ops", "crie a tarefa Confirmar horário e ponha a etiqueta urgente nela\n");
    assert_eq!((ops.clickup.count(), model.left()), (1, 0), "{turns:#?}");
    assert_eq!(turns[0]["calls"][1]["class"], "success", "{turns:#?}");
    // What the call says of others are exposed names, too, and the prompt speaks of the tools that there are.
    assert_eq!(turns[0]["calls"][1]["result"]["_undo"]["tool"], "clickup_remove_tag", "{turns:#?}");
    let system = model.asked()[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("`crm_add_tag`") && !system.contains("`add_tag`"), "{system}");

    let tools = |text: &str| {
        write(text);
        let output = ops.run(&["tools", "--profile", "ops"], "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        let named: Vec<String> =
            out(&output).lines().map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
        named
    };
    let has = |tools: &[String], name: &str| tools.iter().any(|tool| tool == name);
    let named = tools(&both);
    for name in
        ["crm_add_tag", "clickup_add_tag", "crm_remove_tag", "clickup_remove_tag", "create_task", "update_contact"]
    {
        assert!(has(&named, name), "{name}: {named:?}");
    }
    assert!(!has(&named, "add_tag") && !has(&named, "clickup_create_task"), "{named:?}");
    // One is left out by its own name, both by the name that they share; no other name changes.
    let one = tools(&both.replace("  protocol: native", "  without_tools: [crm_add_tag]\n  protocol: native"));
    assert!(!has(&one, "crm_add_tag") && has(&one, "clickup_add_tag") && !has(&one, "add_tag"), "{one:?}");
    let none = tools(&both.replace("  protocol: native", "  without_tools: [add_tag]\n  protocol: native"));
    assert!(!has(&none, "crm_add_tag") && !has(&none, "clickup_add_tag") && has(&none, "crm_remove_tag"), "{none:?}");
    assert!(has(&tools(shipped), "add_tag"), "alone a pack keeps its names");
}
