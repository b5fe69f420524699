//! Validation of a call by a pack's checks: built-in ones ≤ 2 µs, with one helper ≤ 60 µs.
#![expect(clippy::unwrap_used, reason = "a bench")]

use balcao_pack::{
    Handlers, LoadedPack, Loader,
    validate::{CheckContext, OwnCommands},
};
use balcao_sandbox::Launcher;
use balcao_tool::{EffectKey, Locale, Principal, ToolContext};
use divan::{Bencher, black_box};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

const PACK: &str = r#"tool:
  id: tasks
  type: http
  name: Tasks
  version: 1.0.0
  description: {pt-BR: Tarefas, en: Tasks}
  connection: {base_url: "https://api.example.com"}
  helpers:
    - id: check-name
      function: "(args) => ({ valid: args.name.trim() === args.name, path: 'name' })"
  commands:
    - id: update_task
      description: {pt-BR: Muda, en: Changes}
      effect: write
      handler: {method: PUT, path: "/task/{task_id}"}
      input_schema:
        type: object
        additionalProperties: false
        required: [task_id]
        properties:
          task_id: {type: string}
          name: {type: string}
          due_date: {type: integer}
          priority: {type: integer}
          assignees: {type: object}
      output_schema: {type: object}
  validators:
    - id: v
      validates: update_task
      checks:
        - task_id_format: [regular, custom]
        - assignee_format: update_api
        - one_of: [name, due_date, priority, assignees]
        - format: {due_date: timestamp_ms}
        - range: {priority: {min: 1, max: 4}}
        - expression: "!due_date || due_date > 0"
        # helper
"#;

fn pack(helper: bool) -> LoadedPack {
    let text = if helper { PACK.replace("# helper", "- helper: check-name") } else { PACK.to_owned() };
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_pack-test-worker"), &[]);
    Loader::new(Handlers::new()).describing().helpers_in(launcher, 2).load("tool.yaml", &text).unwrap()
}

fn args() -> Value {
    json!({"task_id": "86b4bnnny", "name": "Ana", "due_date": 1_764_000_000_000_i64, "priority": 2, "assignees": {"add": [1]}})
}

#[divan::bench]
fn built_in_checks(bencher: Bencher<'_, '_>) {
    let pack = pack(false);
    let tool = pack.tools.first().unwrap();
    bencher.with_inputs(args).bench_local_values(|args| black_box(tool.check_arguments(args)).is_ok());
}

#[divan::bench]
fn with_one_helper(bencher: Bencher<'_, '_>) {
    let pack = pack(true);
    let (tool, admission) = (pack.tools.first().unwrap(), pack.admissions.get("update_task").unwrap());
    let lookup = OwnCommands::new(std::collections::BTreeMap::new());
    let principal =
        Principal { organization: 1, contact: 2, conversation: 3, turn: 4, staff_facing: true, locale: Locale::En };
    let now = "2026-11-23T09:00[America/Sao_Paulo]".parse().unwrap();
    let cx = ToolContext {
        principal,
        key: EffectKey::derive(4, 1, 0, "t", "h"),
        args_hash: "h".to_owned(),
        now,
        agreed: None,
        told_prices: Vec::new(),
    };
    let world = CheckContext { cx: &cx, lookup: &lookup, sandbox: pack.sandbox.as_deref() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(admission.admit(world, &tool.input, args())).unwrap();
    bencher.with_inputs(args).bench_local_values(|args| {
        let checked = tool.check_arguments(args).unwrap();
        runtime.block_on(admission.admit(world, &tool.input, checked.args)).is_ok()
    });
}
