//! The pack `clickup` loads without a problem, and its examples hold.

use std::{path::Path, sync::Arc};

use balcao_connector::Http;
use balcao_pack::{Handlers, LoadedPack, Loader, check_helpers, manifest::PackKind, testing::Outcome};
use balcao_sandbox::Launcher;
use serde_json::Value;

fn load(folder: &Path) -> Result<LoadedPack, String> {
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_pack-test-worker"), &[]);
    let loader = Loader::new(Handlers::new()).kind(PackKind::Http, Arc::new(Http::offline())).helpers_in(launcher, 1);
    let joined = |problems: Vec<_>| problems.iter().map(ToString::to_string).collect::<Vec<String>>().join("\n");
    loader.load_folder(folder).map_err(|problems: Vec<balcao_yaml::Problem>| joined(problems))
}

fn clickup() -> LoadedPack {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup");
    load(&folder).unwrap_or_else(|problems| panic!("{problems}"))
}

#[tokio::test]
async fn the_clickup_pack_loads_and_its_helpers_are_functions() {
    let pack = clickup();
    assert!(pack.tools.len() >= 40, "{}", pack.tools.len());
    let helpers = check_helpers(pack.sandbox.as_ref().unwrap()).await.unwrap();
    assert_eq!(helpers, []);
}

#[tokio::test]
async fn the_examples_of_the_clickup_pack_hold() {
    let report = clickup().test().await;
    let failed: Vec<String> = report
        .cases
        .iter()
        .filter(|case| matches!(case.outcome, Outcome::Failed(_)))
        .map(|case| format!("{} ({}): {:?}", case.id, case.about, case.outcome))
        .collect();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(report.cases.len() > 150, "{}", report.cases.len());
}

#[test]
fn commands_of_clickup_that_give_custom_fields_give_them_as_people_mean_them() {
    let pack = clickup().pack;
    let keeps_fields = |handler: &Value| {
        let kept = handler.pointer("/response/keep").and_then(Value::as_array);
        kept.into_iter().flatten().filter_map(Value::as_str).any(|kept| kept.starts_with("custom_fields"))
    };
    let giving: Vec<_> = pack.commands.iter().filter(|command| keeps_fields(&command.handler)).collect();
    assert!(giving.len() >= 3, "{}", giving.len());
    for command in giving {
        assert_eq!(command.uses_processors.for_model, ["values-as-meant"], "{}", command.id);
    }
}

#[tokio::test]
async fn the_pack_viacep_that_the_guide_taught_holds_with_full_coverage() {
    let pack = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/viacep"))
        .unwrap_or_else(|found| panic!("{found}"));
    assert_eq!(check_helpers(pack.sandbox.as_ref().unwrap()).await.unwrap(), []);
    let report = pack.test().await;
    assert!(report.passed() && report.coverage.is_full() && report.cases.len() >= 14, "{}", report.text());
    assert!(report.cases.iter().all(|case| case.outcome == Outcome::Passed), "{}", report.text());
}

/// The pointers of whatever is called `secret`, in what examples say that a model is given.
fn secrets(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let at = format!("{at}/{name}");
                secrets(field, &at, found);
                if name.to_lowercase().contains("secret") {
                    found.push(at);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| secrets(item, at, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn no_example_of_a_shipped_pack_gives_a_secret_to_the_model() {
    let mut found = Vec::new();
    let mut packs = 0;
    for entry in std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs")).unwrap() {
        let loaded = Loader::new(Handlers::new())
            .kind(PackKind::Native, Arc::new(balcao_pack::Described))
            .describing()
            .load_folder(&entry.unwrap().path());
        let pack = loaded.unwrap_or_else(|problems| panic!("{problems:#?}")).pack;
        for case in &pack.examples.success_cases {
            secrets(&case.output, &format!("{}/{}", pack.id, case.id), &mut found);
        }
        packs += 1;
    }
    assert!(found.is_empty() && packs >= 8, "{found:?} in {packs} packs");
}

#[test]
fn what_is_wrong_with_a_connection_or_a_request_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"tool:
  id: demo
  type: http
  name: Demo
  version: 1.0.0
  description: {pt-BR: Um pacote, en: A pack}
  settings: {type: object, properties: {token: {type: string}}}
  connection:
    base_url: https://api.example.com/{settings.region}
    auth: {bearer: "{settings.tokn}"}
    timeout: 3
  commands:
    - id: get_x
      description: {pt-BR: Lê, en: Reads}
      effect: read
      handler: {method: GET, path: "/x/{idd}"}
      input_schema: {type: object, additionalProperties: false, required: [id], properties: {id: {type: string}}}
      output_schema: {type: object}
  examples:
    success_cases: [{id: reads, operation: get_x, input: {id: a}, output: {}, response: {}}]
    failure_cases: [{id: hurries, operation: get_x, error_message: missing, wrong_input: {}, cause: nothing}]
"#;
    std::fs::write(folder.path().join("tool.yaml"), text).unwrap();
    let problems = load(folder.path()).unwrap_err();
    for part in [
        "tool.yaml:11:",
        "unknown key `timeout`; did you mean `timeout_ms`?",
        "the pack declares no setting `region`",
        "the pack declares no setting `tokn`; did you mean `token`?",
        "tool.yaml:16:",
        "unknown argument `idd`; did you mean `id`?",
    ] {
        assert!(problems.contains(part), "{part} in\n{problems}");
    }
}

#[test]
fn a_command_that_would_be_repeated_where_nobody_can_tell_the_repeat_does_not_load() {
    let pack = |class: &str, connection: &str| {
        format!(
            "tool:\n  id: orders\n  type: http\n  name: Orders\n  version: 1.0.0\n  description: {{pt-BR: Pedidos., en: Orders.}}\n  \
             connection: {{base_url: 'https://api.example.com'{connection}}}\n  commands:\n    - id: add_order\n      \
             description: {{pt-BR: Um pedido., en: An order.}}\n      effect: write\n      effect_class: {class}\n      \
             confirm: none\n      timeout_ms: 8000\n      handler: {{method: POST, path: /orders}}\n      \
             input_schema: {{type: object, additionalProperties: false, properties: {{}}}}\n      output_schema: {{type: object}}\n"
        )
    };
    let load = |class, connection| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tool.yaml"), pack(class, connection)).unwrap();
        let loader = Loader::new(Handlers::new()).kind(PackKind::Http, Arc::new(Http::offline()));
        let said = loader.load_folder(folder.path()).map(drop);
        said.map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    };
    assert!(load("keyed", "").unwrap_err().contains("connection.idempotency_header"));
    assert!(load("queryable", ", idempotency_header: Idempotency-Key").unwrap_err().contains("`blind`"));
    assert_eq!(load("keyed", ", idempotency_header: Idempotency-Key"), Ok(()));
    assert_eq!(load("blind", ""), Ok(()));
}

#[test]
fn a_request_that_names_a_setting_that_is_secret_or_nobody_declared_does_not_load() {
    let pack = |name: &str| {
        format!(
            "tool:\n  id: orders\n  type: http\n  name: Orders\n  version: 1.0.0\n  description: {{pt-BR: Pedidos., en: Orders.}}\n  \
             settings: {{type: object, properties: {{team: {{type: string}}, token: {{type: string, secret: true}}}}}}\n  \
             connection: {{base_url: 'https://api.example.com'}}\n  commands:\n    - id: get_orders\n      \
             description: {{pt-BR: Pedidos., en: Orders.}}\n      effect: read\n      \
             handler: {{method: GET, path: /orders, query: {{team: '{{settings.{name}}}'}}}}\n      \
             input_schema: {{type: object, additionalProperties: false, properties: {{}}}}\n      output_schema: {{type: object}}\n"
        )
    };
    let load = |name| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tool.yaml"), pack(name)).unwrap();
        let loader = Loader::new(Handlers::new()).kind(PackKind::Http, Arc::new(Http::offline()));
        let said = loader.load_folder(folder.path()).map(drop);
        said.map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    };
    assert_eq!(load("team"), Ok(()));
    let misspelt = load("teem").unwrap_err();
    assert!(misspelt.contains("declares no setting `teem`") && misspelt.contains("team"), "{misspelt}");
    assert!(load("token").unwrap_err().contains("`token` is a secret"));
}
