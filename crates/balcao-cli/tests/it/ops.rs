//! The operator's own packs, run: the profile `ops` works in ClickUp, as its fake is, with a scripted model.

use balcao_testkit::fakes::clickup::{FakeClickUp, LIST, TOKEN};
use balcao_testkit::fakes::model::{FakeModel, calls, says};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::{balcao, code, err, out, root, run, run_by};

const OWNER: &str = "renata@figueira.example";

/// A folder whose configuration names the pack `clickup` and an account at a fake.
pub(crate) struct Ops {
    pub(crate) folder: TempDir,
    pub(crate) clickup: FakeClickUp,
}

impl Ops {
    pub(crate) fn new(more: &str) -> Self {
        let (folder, clickup) = (tempdir().unwrap(), FakeClickUp::start().unwrap());
        let pack = root().join("packs/clickup");
        let config = format!(
            "[packs]\nfolders = [{pack:?}]\nallow_networks = [\"127.0.0.1/32\"]\nplain_http = true\n\
             [[packs.accounts]]\npack = \"clickup\"\nwebhook_secrets = [\"${{CLICKUP_WEBHOOK_SECRET}}\"]\n\
             settings = {{ token = \"${{CLICKUP_TOKEN}}\", base_url = \"{}\" }}\n{more}",
            clickup.base_url()
        );
        std::fs::write(folder.path().join("balcao.toml"), config).unwrap();
        Self { folder, clickup }
    }

    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> std::process::Output {
        let mut command = balcao(self.folder.path());
        command.env("CLICKUP_TOKEN", TOKEN).env("CLICKUP_WEBHOOK_SECRET", "clickup-secret-of-the-shop");
        run_by(&mut command, arguments, input)
    }
}

pub(crate) fn model_config(model: &FakeModel) -> String {
    format!(
        "[[model.providers]]\nname = \"scripted\"\nkind = \"compatible\"\nmodel = \"scripted\"\nbase_url = \"{}\"\n",
        model.url()
    )
}

pub(crate) fn chat(ops: &Ops, profile: &str, script: &str) -> Vec<Value> {
    let business = root().join("samples/barbearia-figueira.yaml").display().to_string();
    let arguments =
        ["chat", "--profile", profile, "--as-staff", OWNER, "--business", &business, "--script", "-", "--json"];
    let output = ops.run(&arguments, script);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(!err(&output).contains(TOKEN) && !out(&output).contains(TOKEN));
    out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the last result of a tool said, as the model read it.
pub(crate) fn last_result(asked: &Value) -> String {
    let messages = asked["messages"].as_array().unwrap();
    let tool = messages.iter().rev().find(|message| message["role"] == "tool").unwrap();
    tool["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_chat_with_ops_creates_a_task_and_a_wrong_assignee_format_is_refused_and_put_right() {
    let model = FakeModel::start([
        calls("create_task", json!({ "list_id": LIST, "name": "Confirmar horário da Marina" })),
        says("A tarefa está em https://app.clickup.com/t/86b7q0101"),
    ])
    .unwrap();
    let ops = Ops::new(&model_config(&model));
    let created = chat(&ops, "ops", "crie a tarefa Confirmar horário da Marina\n");
    assert_eq!((ops.clickup.count(), model.left()), (1, 0), "{created:?}");
    assert_eq!(created[0]["reply"], "A tarefa está em https://app.clickup.com/t/86b7q0101");
    let system = model.asked()[0]["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("Avoid: ") && system.contains("nos sistemas do negócio"), "{system}");

    let id = created[0]["calls"][0]["result"]["id"].as_str().unwrap().to_owned();
    for line in [
        calls("update_task", json!({ "task_id": id, "assignees": [4_410_021] })),
        calls("update_task", json!({ "task_id": id, "assignees": { "add": [4_410_021], "rem": [] } })),
        says("Rafa é o responsável."),
    ] {
        model.next(line);
    }
    let before = ops.clickup.asked().len();
    let updated = chat(&ops, "ops", "passe essa tarefa ao Rafa\n");
    let asked = model.asked();
    let refused = last_result(&asked[asked.len() - 2]);
    for part in ["invalid_arguments", "assignee-format", "\"correct\"", "\"add\""] {
        assert!(refused.contains(part), "{part}: {refused}");
    }
    let classes: Vec<&Value> = updated[0]["calls"].as_array().unwrap().iter().map(|call| &call["class"]).collect();
    assert_eq!(classes, ["correction", "success"], "{updated:?}");
    assert_eq!(ops.clickup.asked().len() - before, 1, "what is refused is not sent: {:?}", ops.clickup.asked());
    assert_eq!(ops.clickup.task(&id).unwrap()["assignees"][0]["id"], 4_410_021);
    assert_eq!((model.left(), &updated[0]["reply"]), (0, &json!("Rafa é o responsável.")));
}

#[test]
fn after_a_write_a_bare_done_is_true_and_undoing_it_is_at_hand_and_without_one_it_is_no_reply() {
    let model = FakeModel::start([
        calls("create_task", json!({ "list_id": LIST, "name": "Ligar" })),
        says("Pronto!"),
        calls("list_tasks", json!({ "list_id": LIST })),
        says("Pronto!"),
        says("A lista tem uma tarefa, Ligar."),
    ])
    .unwrap();
    let ops = Ops::new(&model_config(&model));
    let turns = chat(&ops, "ops", "crie a tarefa Ligar\ne o que mais há na lista?\n");
    assert_eq!(turns[0]["reply"], "Pronto!", "{turns:#?}");
    let undo = &turns[0]["calls"][0]["result"]["_undo"];
    assert_eq!((&undo["tool"], undo["arguments"]["task_id"].is_string()), (&json!("delete_task"), true), "{turns:#?}");
    // A read proves nothing: the model has to say what is true.
    assert_eq!((&turns[1]["reply"], model.left()), (&json!("A lista tem uma tarefa, Ligar."), 0), "{turns:#?}");
}

#[test]
fn what_the_flags_of_a_command_want_agreed_to_is_asked_before_it_is_done() {
    let model = FakeModel::start([
        calls("create_task", json!({ "list_id": LIST, "name": "Velha" })),
        says("A tarefa Velha está na lista."),
    ])
    .unwrap();
    let ops = Ops::new(&model_config(&model));
    let id = chat(&ops, "ops", "crie Velha\n")[0]["calls"][0]["result"]["id"].as_str().unwrap().to_owned();
    for line in [calls("delete_task", json!({ "task_id": id })), says("Posso apagar a tarefa Velha?")] {
        model.next(line);
    }
    let asked = chat(&ops, "ops", "apague essa tarefa\n");
    assert_eq!(asked[0]["calls"][0]["result"]["code"], "confirmation_required", "{asked:?}");
    assert_eq!(ops.clickup.count(), 1);
}

#[test]
fn a_profile_whose_pack_is_not_set_up_is_told_what_to_set() {
    let folder = tempdir().unwrap();
    let tools = |config: &str| {
        std::fs::write(folder.path().join("balcao.toml"), config).unwrap();
        let output = run(folder.path(), &["tools", "--profile", "ops"], "");
        assert_eq!(code(&output), 2, "{}", out(&output));
        err(&output)
    };
    let told = tools("");
    assert!(told.contains("unknown pack `clickup`") && told.contains("packs.folders"), "{told}");
    let pack = root().join("packs/clickup");
    let told = tools(&format!("[packs]\nfolders = [{pack:?}]\n"));
    assert!(told.contains("has no account for this organization"), "{told}");
    assert!(told.contains("settings = { token = \"${CLICKUP_TOKEN}\" }"), "{told}");
}

#[test]
fn all_that_is_wrong_with_accounts_is_told_at_once_and_no_secret_is_shown() {
    let folder = tempdir().unwrap();
    let pack = root().join("packs/clickup");
    let config = |settings: &str, more: &str| {
        let text = format!(
            "[packs]\nfolders = [{pack:?}, \"nowhere\"]\n[[packs.accounts]]\npack = \"clickup\"\nsettings = {settings}\n{more}"
        );
        std::fs::write(folder.path().join("balcao.toml"), text).unwrap();
        let output = run(folder.path(), &["doctor"], "");
        assert_eq!(code(&output), 1);
        out(&output)
    };
    let told = config("{ token = \"pk_1_INTHECLEAR123\", requests_per_minute = 0 }", "webhook_secrets = [\"clear\"]\n");
    assert!(told.contains("`token` is a secret, and stands in the file") && told.contains("nowhere"), "{told}");
    assert!(!told.contains("INTHECLEAR"), "{told}");
    let told = config("{ token = \"${HOME}\" }", "header_secrets = [\"clear\", \"${SHORT}\"]\n");
    assert!(told.contains("header_secrets: a secret stands in the file"), "{told}");
    let told = config("{ token = \"${NOT_SET}\" }", "");
    assert!(told.contains("the environment has no NOT_SET"), "{told}");
    let shown = out(&run(folder.path(), &["config", "show"], ""));
    assert!(shown.contains("token = ${NOT_SET}"), "{shown}");
}

#[test]
fn a_64_an_account_that_leads_into_a_private_network_is_refused_when_it_is_loaded() {
    let folder = tempdir().unwrap();
    let pack = root().join("packs/clickup");
    for address in ["http://api.example.com", "https://10.0.0.7/api", "https://localhost/api", "https://[::1]/api"] {
        let text = format!(
            "[packs]\nfolders = [{pack:?}]\n[[packs.accounts]]\npack = \"clickup\"\n\
             settings = {{ token = \"${{HOME}}-long-enough\", base_url = \"{address}\" }}\n"
        );
        std::fs::write(folder.path().join("balcao.toml"), text).unwrap();
        let output = run(folder.path(), &["tools", "--profile", "ops"], "");
        assert_eq!(code(&output), 2, "{address}: {}", out(&output));
        assert!(err(&output).contains("packs.accounts `clickup`: the connection"), "{address}: {}", err(&output));
    }
}

#[test]
fn a_pack_with_mistakes_stops_what_would_run_it_and_names_each_line() {
    let folder = tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("packs/broken")).unwrap();
    std::fs::write(folder.path().join("packs/broken/tool.yaml"), "tool: {id: broken, type: scrpt, nme: x}\n").unwrap();
    std::fs::write(folder.path().join("balcao.toml"), "[packs]\nfolders = [\"packs\"]\n").unwrap();
    let output = run(folder.path(), &["tools", "--profile", "eli"], "");
    assert_eq!(code(&output), 2);
    for part in ["packs/broken/tool.yaml:1", "nme", "scrpt"] {
        assert!(err(&output).contains(part), "{part}: {}", err(&output));
    }
}

#[test]
fn one_command_is_run_by_hand_shown_before_it_is_sent_and_undone() {
    let ops = Ops::new("");
    let input = json!({ "list_id": LIST, "name": format!("Nova {TOKEN}") }).to_string();
    let shown = ops.run(&["pack", "run", "clickup", "create_task", "--input", &input, "--dry-run"], "");
    assert_eq!(code(&shown), 0, "{}", err(&shown));
    for part in ["\"method\":\"POST\"", "/list/90110223/task", "Nova [secret]"] {
        assert!(out(&shown).contains(part), "{part}: {}", out(&shown));
    }
    assert!(!out(&shown).contains(TOKEN) && ops.clickup.asked().is_empty(), "{}", out(&shown));

    let wrong = json!({ "task_id": "86b7q1x2z", "assignees": [1] }).to_string();
    let refused = ops.run(&["pack", "run", "clickup", "update-task", "--input", &wrong], "");
    assert_eq!(code(&refused), 1);
    assert!(out(&refused).contains("\"add\":[1]") && ops.clickup.asked().is_empty(), "{}", out(&refused));

    std::fs::write(ops.folder.path().join("task.json"), json!({ "list_id": LIST, "name": "Nova" }).to_string())
        .unwrap();
    let made = ops.run(&["pack", "run", "clickup", "create_task", "--input", "@task.json"], "");
    assert_eq!((code(&made), ops.clickup.count()), (0, 1), "{}{}", out(&made), err(&made));
    std::fs::write(ops.folder.path().join("made.json"), out(&made)).unwrap();
    let undo = ["pack", "undo", "clickup", "create_task", "--input", "@task.json", "--result", "@made.json"];
    let shown = ops.run(&[&undo[..], &["--dry-run"]].concat(), "");
    assert!(out(&shown).contains("DELETE") && ops.clickup.count() == 1, "{}{}", out(&shown), err(&shown));
    let undone = ops.run(&undo, "");
    assert_eq!((code(&undone), ops.clickup.count()), (0, 0), "{}{}", out(&undone), err(&undone));

    for (arguments, told) in [
        (vec!["clikup", "get_task"], "expected one of: clickup"),
        (vec!["clickup", "get_tsk"], "did you mean `get_task`?"),
        (vec!["clickup", "get_task", "--input", "[]"], "invalid --input; expected a JSON object"),
        (vec!["clickup", "get_task", "--input", r#"{"task_id": "1", "task_id": "2"}"#], "`/task_id` is given twice"),
        (vec!["clickup", "get_task", "--input", "@nowhere.json"], "nowhere.json"),
    ] {
        let output = ops.run(&[&["pack", "run"][..], &arguments].concat(), "");
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(err(&output).contains(told), "{told}: {}", err(&output));
    }
    let output = ops.run(&["pack", "undo", "clickup", "get_task"], "");
    assert!(code(&output) == 2 && err(&output).contains("names no command that undoes it"), "{}", err(&output));
}

#[test]
fn the_examples_that_read_are_sent_to_the_account_where_that_is_asked_for_and_nothing_that_changes() {
    let ops = Ops::new("");
    let pack = root().join("packs/clickup").display().to_string();
    let tested = ops.run(&["pack", "test", &pack], "");
    assert_eq!((code(&tested), ops.clickup.asked().len()), (0, 0), "{}", err(&tested));
    let live = ops.run(&["pack", "test", "--live", &pack], "");
    let told = out(&live);
    let line =
        told.lines().find(|line| line.starts_with("live clickup: ")).unwrap_or_else(|| panic!("{told}{}", err(&live)));
    assert!(line.contains("cases that change something, or may, were not sent"), "{line}");
    let asked = ops.clickup.asked();
    assert!(!asked.is_empty() && asked.iter().all(|request| request.method == "GET"), "{asked:?}");
    assert!(!told.contains(TOKEN));
    // What the account does not have is told, each with its example.
    let words: Vec<&str> = line.split_whitespace().collect();
    let (answered, sent): (usize, usize) = (words[2].parse().unwrap(), words[4].parse().unwrap());
    let missed = told.lines().filter(|line| line.starts_with("  ") && line.contains("not_found")).count();
    assert!(answered > 5 && answered + missed == sent, "{told}");
    assert_eq!(code(&live), i32::from(missed > 0));
    // A report that programs read has nothing behind it.
    let live = ops.run(&["pack", "test", "--live", "--format", "json", &pack], "");
    assert!(serde_json::from_str::<serde_json::Value>(&out(&live)).is_ok(), "{}", out(&live));
    assert!(err(&live).contains("live clickup: "), "{}", err(&live));
}

/// The shipped scenario of the profile, played at the strict fake of ClickUp. The model is scripted: what it wants is checked elsewhere,
/// what becomes of it here.
#[test]
fn the_scenario_of_ops_holds_and_fails_where_the_model_does_less() {
    let task = "86b7q0101";
    let script = |named: &str| {
        [
            calls("create_task", json!({ "list_id": LIST, "name": "Confirmar horário da Marina" })),
            says("Criei a tarefa Confirmar horário da Marina."),
            calls("add_tag", json!({ "task_id": task, "tag_name": named })),
            says("A etiqueta urgente está na tarefa."),
            calls("delete_task", json!({ "task_id": task })),
            says("Confirma que apago a tarefa?"),
            says("Certo, ela fica."),
        ]
    };
    let scenario = root().join("evals/ops/a-task-for-the-team.yaml").display().to_string();
    let businesses = root().join("samples").display().to_string();
    let play = |named: &str| {
        let model = FakeModel::start(script(named)).unwrap();
        let ops = Ops::new(&model_config(&model));
        let output = ops.run(&["eval", &scenario, "--business-dir", &businesses, "--json"], "");
        let report: Value = serde_json::from_str(&out(&output)).unwrap_or_else(|_| panic!("{}", err(&output)));
        (code(&output), report, ops)
    };
    let (status, report, ops) = play("urgente");
    assert_eq!((status, &report["passed"]), (0, &json!(1)), "{report:#}");
    let stored = ops.clickup.task(task).unwrap();
    assert_eq!((ops.clickup.count(), &stored["tags"][0]["name"]), (1, &json!("urgente")), "nobody agreed to delete it");
    // A call with an argument that the tool refuses did not run.
    let (status, report, _) = play("");
    assert_eq!(status, 1, "{report:#}");
}
