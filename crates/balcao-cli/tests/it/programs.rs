//! Programs that a model writes for staff, through `balcao chat`, with the fake of ClickUp behind the pack.

use balcao_testkit::fakes::clickup::LIST;
use balcao_testkit::fakes::model::{FakeModel, calls, says};
use serde_json::{Value, json};

use crate::ops::{Ops, chat, last_result, model_config};
use crate::{code, err, out, run};

/// What `ops` says of programs as it ships.
const SHIPPED: &str = "  program: {} ";

/// `ops` as it ships, with other lines in the place of what it says of programs.
fn profile(ops: &Ops, more: &str) {
    let folder = ops.folder.path().join("agents");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("ops.yaml"), format!("{}{more}", without_programs())).unwrap();
}

/// `ops` as it ships, but without programs.
pub(crate) fn without_programs() -> String {
    let shipped = include_str!("../../../../agents/ops.yaml");
    let lines: Vec<&str> = shipped.lines().filter(|line| !line.starts_with(SHIPPED)).collect();
    assert_eq!(lines.len() + 1, shipped.lines().count());
    lines.join("\n") + "\n"
}

fn program(code: &str) -> balcao_testkit::fakes::model::Says {
    calls("run_program", json!({ "code": code }))
}

fn result(turn: &Value) -> &Value {
    &turn["calls"][0]["result"]
}

#[test]
fn a_program_does_in_one_call_what_takes_many_and_what_it_deletes_is_agreed_to_as_one_list() {
    let make = format!(
        "const ids = []\n\
         for (const name of ['Velha 1', 'Velha 2']) ids.push((await tools.create_task({{list_id: '{LIST}', name}})).id)\n\
         return ids"
    );
    let delete = "const {tasks} = await tools.list_tasks({list_id: 'LIST'})
        const old = tasks.filter((task) => task.name.startsWith('Velha'))
        for (const task of old) await tools.delete_task({task_id: task.id})
        return old.length"
        .replace("LIST", LIST);
    let model = FakeModel::start([
        program(&make),
        says("As duas tarefas estão na lista."),
        program(&delete),
        says("São duas tarefas. Posso apagar?"),
        says("As duas saíram da lista."),
    ])
    .unwrap();
    let ops = Ops::new(&model_config(&model));
    profile(&ops, "  program: {}\n");
    let turns = chat(&ops, "ops", "crie duas tarefas\napague as velhas\nsim\n");
    assert_eq!(result(&turns[0])["result"].as_array().map(Vec::len), Some(2), "{turns:#?}");
    let asked = result(&turns[1]);
    assert_eq!(asked["code"], "confirmation_required", "{asked:#}");
    let question = asked["details"]["summary"].as_str().unwrap();
    for id in result(&turns[0])["result"].as_array().unwrap() {
        assert!(question.contains(id.as_str().unwrap()), "{id} in {question}");
    }
    assert_eq!(result(&turns[2])["result"], 2, "{turns:#?}");
    assert_eq!((ops.clickup.count(), model.left()), (0, 0), "{:?}", ops.clickup.asked());
    let tools = model.asked()[0]["tools"].to_string();
    assert!(tools.contains("run_program") && tools.contains("await tools.<"), "{tools}");
}

#[test]
fn a_wrong_call_inside_a_program_is_refused_with_its_line_and_its_anti_pattern_and_put_right() {
    let wrong = "const task_id = '86b7q1x2z'\nawait tools.update_task({task_id, assignees: [4410021]})";
    let model = FakeModel::start([program(wrong), says("Não consegui ainda.")]).unwrap();
    let ops = Ops::new(&model_config(&model));
    profile(&ops, "  program: {tools: [update_task, get_task]}\n");
    let turns = chat(&ops, "ops", "passe ao Rafa\n");
    let asked = model.asked();
    let refused = last_result(asked.last().unwrap());
    for part in ["line 2: ", "assignee-format", "\\\"add\\\""] {
        assert!(refused.contains(part) || refused.contains(&part.replace('\\', "")), "{part}: {refused}");
    }
    assert!(ops.clickup.asked().is_empty(), "{turns:?}");
}

#[test]
fn programs_are_for_staff_and_their_tools_are_the_profiles() {
    let ops = Ops::new("");
    let told = |more: &str| {
        profile(&ops, more);
        let output = ops.run(&["tools", "--profile", "ops"], "");
        assert_eq!(code(&output), 2, "{more}: {}", out(&output));
        err(&output)
    };
    for most in [0, 65] {
        let wrong = told(&format!("  program: {{tools: [get_tsk, delete_task], max_calls: {most}}}\n"));
        assert!(wrong.contains("from 1 to 64") && wrong.contains("agents/ops.yaml:"), "{wrong}");
    }
    let wrong = told("  program: {tools: [get_tsk, delete_task]}\n");
    assert!(wrong.contains("no tool `get_tsk`") && wrong.contains("did you mean `get_task`?"), "{wrong}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("agents")).unwrap();
    let own = include_str!("../../../../agents/eli.yaml").replace("id: eli", "id: mine") + "\n  program: {}\n";
    std::fs::write(folder.path().join("agents/mine.yaml"), own).unwrap();
    let output = run(folder.path(), &["tools", "--profile", "mine"], "");
    assert_eq!(code(&output), 2, "{}", out(&output));
    for part in ["talks with customers writes no programs", "audience: staff", "agents/mine.yaml:"] {
        assert!(err(&output).contains(part), "{part}: {}", err(&output));
    }
}

#[test]
fn what_a_check_knows_how_to_mend_is_mended_where_the_profile_says_so() {
    let lines = || {
        let create = calls("create_task", json!({ "list_id": LIST, "name": "Nova" }));
        [create, says("A tarefa Nova está na lista.")]
    };
    for (more, class) in [("", "correction"), ("  autofix: true\n", "success")] {
        let model = FakeModel::start(lines()).unwrap();
        let ops = Ops::new(&model_config(&model));
        profile(&ops, more);
        let id = result(&chat(&ops, "ops", "crie Nova\n")[0])["id"].as_str().unwrap().to_owned();
        for line in [calls("update_task", json!({"task_id": id, "assignees": [4_410_021]})), says("Está com o Rafa.")]
        {
            model.next(line);
        }
        let turn = chat(&ops, "ops", "passe ao Rafa\n");
        assert_eq!(turn[0]["calls"][0]["class"], class, "{more}: {turn:#?}");
        let mended = !ops.clickup.task(&id).unwrap()["assignees"].as_array().unwrap().is_empty();
        assert_eq!(mended, class == "success", "{more}");
    }
}

#[test]
fn a_program_calls_the_helpers_of_its_packs_within_its_limits() {
    let read = format!(
        "const {{tasks}} = await tools.list_tasks({{list_id: '{LIST}'}})\n\
         return {{names: tasks.map((task) => normalizeName(task.name)), price: extractTypedField({{name: 'Preço', type: 'currency', value: '45'}}, 'number')}}"
    );
    let endless = "for (;;) normalizeName('Não')";
    let model = FakeModel::start([
        calls("create_task", json!({ "list_id": LIST, "name": "Não Confirmado" })),
        says("Pronto!"),
        program(&read),
        says("A lista tem uma tarefa."),
        program(endless),
        program("return checkKnownField('a', 1, {})"),
        says("Não consegui."),
    ])
    .unwrap();
    let ops = Ops::new(&model_config(&model));
    profile(&ops, "  program: {}\n");
    let turns = chat(&ops, "ops", "crie a tarefa Não Confirmado\nquais tarefas há?\nconte sem fim\n");
    let made = &result(&turns[1])["result"];
    assert_eq!(made["names"], json!(["nao_confirmado"]), "{turns:#?}");
    assert_eq!(made["price"]["warning"], "custom field \"Preço\": expected number, found currency", "{made}");
    let stopped = turns[2]["calls"][0]["result"].to_string();
    assert!(stopped.contains("250 ms"), "{stopped}");
    // Programs cannot call what the pack keeps to itself (`inject: never`).
    let unknown = turns[2]["calls"][1]["result"].to_string();
    assert!(unknown.contains("checkKnownField"), "{unknown}");
    let described = model.asked()[0]["tools"].to_string();
    assert!(
        described.contains("extractTypedField(field, type)") && !described.contains("checkKnownField"),
        "{described}"
    );
}
