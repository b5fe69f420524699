use async_trait::async_trait;
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult, erase};
use schemars::JsonSchema;
use serde::Deserialize;

use super::*;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its shape matters")]
struct Args {
    tag_name: String,
}

struct AddTag;

#[async_trait]
impl NativeTool for AddTag {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, _cx: &ToolContext, _args: Args) -> ToolResult<ToolOutput> {
        Ok(ToolOutput::success(serde_json::json!({"success": true})))
    }
}

pub(crate) fn handlers() -> Handlers {
    Handlers::from([("add_tag".to_owned(), erase(AddTag))])
}

pub(crate) const GOOD: &str = r#"tool:
  id: demo
  type: native
  name: Demo
  version: 1.0.0
  description: {pt-BR: Um pacote, en: A pack}
  commands:
    - id: add_tag
      description: {pt-BR: Põe uma etiqueta, en: Adds a tag}
      effect: write
      effect_class: local
      confirm: none
      handler: add_tag
      example_refs: [tag_vip]
      input_schema:
        type: object
        additionalProperties: false
        required: [tag_name]
        properties:
          tag_name: {type: string, minLength: 1}
      output_schema:
        type: object
        required: [success]
        properties:
          success: {type: boolean}
  examples:
    success_cases:
      - {id: tag_vip, operation: add_tag, input: {tag_name: VIP}, output: {success: true}}
    failure_cases:
      - {id: tag_empty, operation: add_tag, error_message: too_short, wrong_input: {tag_name: ""}, cause: no name}
"#;

fn problems(text: &str) -> Vec<String> {
    load("tool.yaml", text, &handlers()).unwrap_err().iter().map(ToString::to_string).collect()
}

#[test]
fn a_good_pack_loads() {
    let pack = load("tool.yaml", GOOD, &handlers()).unwrap();
    assert_eq!((pack.id.as_str(), pack.tools.len()), ("demo", 1));
}

#[test]
fn what_is_not_stated_is_taken_as_the_worst_case() {
    let text = GOOD.replace("      effect_class: local\n      confirm: none\n", "");
    let pack = load("tool.yaml", &text, &handlers()).unwrap();
    let spec = &pack.tools[0].spec;
    assert_eq!(spec.confirm, balcao_tool::Confirm::Customer);
    assert_eq!(spec.behaviour.class, balcao_tool::EffectClass::Blind);
    assert!(spec.behaviour.open_world && !spec.behaviour.idempotent);
}

#[test]
fn every_problem_is_reported_with_its_line_and_a_suggestion() {
    let table = [
        ("handler: add_tag", "handler: ad_tag", "13:16: unknown native handler `ad_tag`; did you mean `add_tag`?"),
        ("example_refs: [tag_vip]", "example_refs: [tag_vpi]", "unknown example `tag_vpi`; did you mean `tag_vip`?"),
        ("effect: write", "efect: write", "unknown field; did you mean `effect`?"),
        ("input: {tag_name: VIP}", "input: {tag: VIP}", "breaks its schema"),
        ("output: {success: true}", "output: {success: yes}", "the output of `tag_vip` breaks its schema"),
        ("wrong_input: {tag_name: \"\"}", "wrong_input: {tag_name: x}", "should be refused, and is accepted"),
        ("error_message: too_short", "error_message: missing", "refused for another reason"),
        (
            "additionalProperties: false",
            "additionalProperties: true",
            "must be closed; add `additionalProperties: false`",
        ),
        ("required: [tag_name]", "required: []", "differ in required"),
        ("tag_name: {type: string, minLength: 1}", "tag_name: {type: strin, minLength: 1}", "did you mean `string`?"),
        ("operation: add_tag, error", "operation: ad_tag, error", "unknown command `ad_tag`"),
        ("effect: write", "effect: wirte", "not allowed; did you mean `write`?"),
    ];
    for (good, bad, expected) in table {
        let text = GOOD.replacen(good, bad, 1);
        let found = problems(&text);
        assert!(found.iter().any(|problem| problem.contains(expected)), "{bad}: {found:#?}");
        assert!(found.iter().all(|problem| !problem.contains(":0:")), "{bad}: {found:#?}");
    }
}

#[test]
fn several_problems_are_reported_together() {
    let text = GOOD.replace("handler: add_tag", "handler: x").replace("example_refs: [tag_vip]", "example_refs: [y]");
    assert!(problems(&text).len() >= 2);
    assert!(problems("tool: [").first().is_some_and(|problem| problem.starts_with("tool.yaml:1:")));
}
