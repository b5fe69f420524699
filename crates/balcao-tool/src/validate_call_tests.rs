use std::{collections::BTreeMap, sync::Arc, time::Duration};

use async_trait::async_trait;

use super::*;
use crate::{
    Behaviour, CommandSpec, Effect, EffectClass, Localised, NativeTool, Registry, ResultClass, Tool, ToolContext,
    ToolOutput, ToolResult, erase,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Day {
    day: String,
}

struct Look;

#[async_trait]
impl NativeTool for Look {
    type Args = Day;

    async fn call(&self, _cx: &ToolContext, args: Day) -> ToolResult<ToolOutput> {
        Ok(ToolOutput::success(json!({"day": args.day})))
    }
}

fn spec(effect: Effect) -> CommandSpec {
    let text = || Localised { pt_br: "x".to_owned(), en: "x".to_owned() };
    CommandSpec {
        name: "look_up".to_owned(),
        pack: "test".to_owned(),
        description: text(),
        input_schema: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["day"],
            "properties": {
                "day": {"type": ["string", "null"]},
                "tags": {"type": "array", "items": {"type": "string"}},
                "note": {"type": "string"}
            }
        }),
        output_schema: json!({"type": "object"}),
        behaviour: Behaviour { effect, class: EffectClass::Local, ..Behaviour::default() },
        confirm: Confirm::Model,
        timeout: Duration::from_secs(10),
        settle: Duration::from_secs(5),
        on_error: BTreeMap::new(),
        internal: false,
        said: BTreeMap::new(),
        with: None,
        act: None,
    }
}

fn toolbox(effect: Effect) -> Toolbox {
    let mut registry = Registry::default();
    registry.add(Tool::new(spec(effect), erase(Look)).unwrap()).unwrap();
    registry.toolbox(|_| true)
}

fn decide_call(raw: &str) -> CallDecision {
    validate_call(&toolbox(Effect::Read), "look_up", raw, Locale::En)
}

#[test]
fn a_call_that_may_run_is_planned_with_all_that_it_was_checked_against() {
    let CallDecision::Run(planned) = decide_call(r#"{"day": "sexta", "tags": "vip"}"#) else { panic!("refused") };
    let args = json!({"day": "sexta", "tags": ["vip"]});
    assert_eq!((planned.tool.as_str(), &planned.args), ("look_up", &args));
    assert_eq!(planned.args_hash, canonical::hash(&args));
    assert_eq!(planned.contract_hash, spec(Effect::Read).contract_hash());
    assert_eq!((planned.confirm, planned.parallel), (Confirm::Model, true));
    assert_eq!(planned.repairs, ["put the single value of `tags` into a list"]);
    let CallDecision::Run(planned) = validate_call(&toolbox(Effect::Write), "look_up", r#"{"day":"x"}"#, Locale::En)
    else {
        panic!("refused")
    };
    assert!(!planned.parallel && planned.repairs.is_empty());
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_names() {
    let long = format!("look{}", "x".repeat(100));
    for (name, nearest) in [("lookup", json!(["look_up"])), ("zzz", json!([])), (long.as_str(), json!(["look_up"]))] {
        let CallDecision::Answer(told) = validate_call(&toolbox(Effect::Read), name, "{}", Locale::En) else {
            panic!("{name} ran")
        };
        assert_eq!((told.code, told.class), (Some(ErrorCode::UnknownTool), ResultClass::Correction));
        let quoted: String = name.chars().take(64).collect();
        assert_eq!(told.value["error"], format!("there is no tool `{quoted}`"));
        if name.len() < 64 {
            assert_eq!(told.value["details"]["nearest"], nearest, "{name}");
        }
    }
}

#[test]
fn an_optional_field_that_is_null_was_not_given_and_a_required_one_stays() {
    let CallDecision::Run(planned) = decide_call(r#"{"day": null, "note": null, "tags": null}"#) else {
        panic!("refused")
    };
    assert_eq!(planned.args, json!({"day": null}));
}

#[test]
fn arguments_that_cannot_run_are_answered_field_by_field() {
    for (raw, problem) in
        [(r#"{"day": 7}"#, "wrong_type"), ("{}", "missing"), (r#"{"day":"x","hour":1}"#, "unknown_field")]
    {
        let CallDecision::Answer(told) = decide_call(raw) else { panic!("{raw} ran") };
        assert_eq!(told.value["details"]["fields"][0]["problem"], problem, "{raw}");
    }
    let CallDecision::Answer(told) = decide_call("{bad") else { panic!("it ran") };
    assert_eq!(told.value["details"]["fields"][0]["expected"], "one JSON object");
    let schema = Schema::compile(&spec(Effect::Read).input_schema).unwrap();
    assert_eq!(arguments(&schema, r#"{"day":"x","tags":"a"}"#).unwrap().0, json!({"day": "x", "tags": ["a"]}));
    assert_eq!(arguments(&schema, r#"{"day":"x","tags":"a"}"#).unwrap().1.len(), 1);
    assert_eq!(arguments(&schema, r#"{"day":1}"#).unwrap_err().len(), 1);
    assert_eq!(arguments(&schema, "[1]").unwrap_err().len(), 1);
}

fn context() -> ToolContext {
    ToolContext {
        principal: crate::Principal {
            organization: 1,
            contact: 1,
            conversation: 1,
            turn: 1,
            staff_facing: false,
            locale: Locale::En,
        },
        key: crate::EffectKey::derive(1, 1, 0, "look_up", "hash"),
        args_hash: "hash".to_owned(),
        now: "2026-11-23T10:00[America/Sao_Paulo]".parse().unwrap(),
        agreed: None,
        told_prices: Vec::new(),
    }
}

#[tokio::test]
async fn a_native_command_reads_its_arguments_and_says_what_it_cannot_do() {
    let handler: Arc<dyn crate::ToolHandler> = erase(Look);
    let cx = context();
    assert_eq!(handler.call(&cx, json!({"day": "sexta"})).await.unwrap().value, json!({"day": "sexta"}));
    assert!(handler.is_safe() && !handler.repeats() && !handler.confirmable() && handler.mending().is_none());
    assert!(handler.calls(&json!({})).is_empty());
    assert_eq!(handler.args_schema()["properties"]["day"]["type"], "string");
    let wrong = handler.call(&cx, json!({"day": 1})).await.unwrap_err();
    assert_eq!((wrong.code, wrong.text.as_str()), (ErrorCode::Internal, "the tool failed"));
    let preview = handler.preview(&cx, json!({"day": "x"})).await.unwrap_err();
    assert_eq!(preview.text.as_str(), "this command cannot be confirmed");
    let found = handler.find(&cx, json!({"day": "x"})).await.unwrap_err();
    assert_eq!(found.text.as_str(), "it is not known whether this was done");
}
