//! The code of a pack's helpers, in real worker processes.

use async_trait::async_trait;
use balcao_pack::{Handlers, check_helpers, load_folder};
use balcao_sandbox::{Call, Launcher, Sandbox};
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult, erase};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

const PACK: &str = r#"tool:
  id: demo
  type: native
  name: Demo
  version: 1.0.0
  description: {pt-BR: Um pacote, en: A pack}
  commands:
    - id: wait
      description: {pt-BR: Espera, en: Waits}
      effect: read
      handler: wait
      input_schema: {type: object, additionalProperties: false}
      output_schema: {type: object}
  examples:
    success_cases: [{id: waits, operation: wait, input: {}, output: {}}]
    failure_cases: [{id: hurries, operation: wait, error_message: not_allowed, wrong_input: {now: 1}, cause: nothing}]
  helpers:
    - id: fold-name
      function: |
        // Blank lines and comments keep their places.

        const foldName = (name) => name.normalize("NFD").replace(/\p{Diacritic}/gu, "");
    - id: label
      dependencies: [fold-name]
      file: helpers/label.js
    - id: fails
      function: "(x) => x.y.z"
"#;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

struct Wait;

#[async_trait]
impl NativeTool for Wait {
    type Args = Nothing;

    async fn call(&self, _cx: &ToolContext, _args: Nothing) -> ToolResult<ToolOutput> {
        Ok(ToolOutput::success(json!({})))
    }
}

fn sandbox(pack: &str, label: &str) -> Sandbox {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("helpers")).unwrap();
    std::fs::write(folder.path().join("tool.yaml"), pack).unwrap();
    std::fs::write(folder.path().join("helpers/label.js"), label).unwrap();
    let loaded = load_folder(folder.path(), &Handlers::from([("wait".to_owned(), erase(Wait))])).unwrap();
    Sandbox::new(loaded.helpers, Launcher::new(env!("CARGO_BIN_EXE_pack-test-worker"), &[]), 1)
}

#[tokio::test]
async fn helpers_of_a_pack_are_checked_and_run() {
    let sandbox = sandbox(PACK, "module.exports = (field) => foldName(field.name) + '!';\n");
    assert_eq!(check_helpers(&sandbox).await.unwrap(), []);
    let arguments = [json!({ "name": "Endereço" })];
    assert_eq!(sandbox.call(&Call::new("label", &arguments)).await.unwrap(), json!("Endereco!"));
    let error = sandbox.call(&Call::new("fails", &[json!({})])).await.unwrap_err();
    assert_eq!(error.to_string(), "helper `fails`: TypeError: cannot read property 'z' of undefined (tool.yaml:27:25)");
}

#[tokio::test]
async fn a_mistake_in_a_helpers_code_is_told_with_its_line_in_the_file_that_holds_it() {
    let broken = PACK.replace("name.normalize(\"NFD\")", "name..normalize(\"NFD\")");
    let sandbox = sandbox(&broken, "\nmodule.exports = (field => {\n");
    let found: Vec<String> = check_helpers(&sandbox).await.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "tool.yaml:22:41: helper `fold-name`: SyntaxError: expecting field name\n    22 | const foldName = (name) => name..normalize(\"NFD\").replace(/\\p{Diacritic}/gu, \"\");",
            "helpers/label.js:2:29: helper `label`: SyntaxError: unexpected end of the code\n    2 | module.exports = (field => {",
        ]
    );
}
