use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use jiff::civil::{date, time};
use serde_json::{Value, json};

use super::*;
use crate::{
    Act, Behaviour, EffectClass, EffectKey, Found, Localised, Offer, Preview, Principal, ReceiptKind, SaidAs,
    ToolResult,
};

/// A handler whose properties a test chooses.
#[derive(Clone, Default)]
struct Scripted {
    output: Option<ToolOutput>,
    unsafe_request: bool,
    confirmable: bool,
    calls: Vec<String>,
    mends: bool,
}

#[async_trait]
impl ToolHandler for Scripted {
    async fn call(&self, _cx: &ToolContext, _args: Value) -> ToolResult<ToolOutput> {
        Ok(self.output.clone().unwrap_or_else(|| ToolOutput::success(json!({"mends": self.mends}))))
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        Ok(Preview::Ask("Shall I book João at 15:00?".to_owned()))
    }

    async fn find(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        Ok(Found::Absent)
    }

    fn confirmable(&self) -> bool {
        self.confirmable
    }

    fn args_schema(&self) -> Value {
        json!({"title": "Arguments"})
    }

    fn is_safe(&self) -> bool {
        !self.unsafe_request
    }

    fn mending(&self) -> Option<Arc<dyn ToolHandler>> {
        let copy: Arc<dyn ToolHandler> = Arc::new(self.clone());
        self.mends.then_some(copy)
    }

    fn calls(&self, _args: &Value) -> Vec<String> {
        self.calls.clone()
    }
}

/// Refuses a day in the past; the mending form writes `today` instead.
struct NoPast {
    mends: bool,
}

impl ArgumentCheck for NoPast {
    fn check(&self, _schema: &Schema, args: Value, broken: Vec<FieldProblem>) -> Result<Checked, Vec<FieldProblem>> {
        match (args["day"] == "yesterday", broken.is_empty()) {
            (false, true) => Ok(Checked { args, mended: Vec::new() }),
            (true, true) if self.mends => Ok(Checked { args: json!({"day": "today"}), mended: vec!["day".to_owned()] }),
            _ => Err(vec![FieldProblem { problem: "in_the_past".to_owned(), ..FieldProblem::default() }]),
        }
    }

    fn mending(&self) -> Option<Arc<dyn ArgumentCheck>> {
        Some(Arc::new(Self { mends: true }))
    }
}

fn spec(name: &str) -> CommandSpec {
    CommandSpec {
        name: name.to_owned(),
        pack: "salon".to_owned(),
        description: Localised { pt_br: "Marca \"já\".".to_owned(), en: "Books.".to_owned() },
        input_schema: json!({"type": "object", "properties": {"day": {"type": "string"}}}),
        output_schema: json!({"type": "object", "properties": {"mends": {"type": "boolean"}}}),
        behaviour: Behaviour { effect: Effect::Write, class: EffectClass::Local, ..Behaviour::default() },
        confirm: Confirm::None,
        timeout: Duration::from_secs(10),
        settle: Duration::from_secs(5),
        on_error: BTreeMap::new(),
        internal: false,
        said: BTreeMap::new(),
        with: None,
        act: None,
    }
}

fn tool(name: &str) -> Tool {
    Tool::new(spec(name), Arc::new(Scripted::default())).unwrap()
}

fn context() -> ToolContext {
    ToolContext {
        principal: Principal {
            organization: 1,
            contact: 1,
            conversation: 1,
            turn: 1,
            staff_facing: false,
            locale: Locale::En,
        },
        key: EffectKey::derive(1, 1, 0, "book", "hash"),
        args_hash: "hash".to_owned(),
        now: "2026-11-23T10:00[America/Sao_Paulo]".parse().unwrap(),
        agreed: None,
        told_prices: Vec::new(),
    }
}

fn names<'a>(tools: impl Iterator<Item = &'a Arc<Tool>>) -> Vec<&'a str> {
    tools.map(|tool| tool.spec.name.as_str()).collect()
}

fn registry(all: &[&str]) -> Registry {
    let mut registry = Registry::default();
    for name in all {
        registry.add(tool(name)).unwrap();
    }
    registry
}

#[test]
fn a_tool_shows_its_schema_and_one_line_per_language() {
    let tool = tool("book");
    assert_eq!(*tool.shown(), spec("book").input_schema);
    let portuguese: Value = serde_json::from_str(tool.line(Locale::PtBr)).unwrap();
    let whole = json!({"name": "book", "description": "Marca \"já\".", "params": spec("book").input_schema});
    assert_eq!(portuguese, whole);
    assert!(tool.line(Locale::PtBr).starts_with(r#"{"name":"book","description":"#));
    let english: Value = serde_json::from_str(tool.line(Locale::En)).unwrap();
    assert_eq!(english["description"], "Books.");
    assert_eq!(tool.args_schema(), json!({"title": "Arguments"}));
    let told = format!("{tool:?}");
    assert!(told.contains("book") && told.contains(&tool.contract_hash), "{told}");
}

#[test]
fn a_schema_that_does_not_compile_is_named_with_its_command() {
    for (field, broken) in [
        ("input_schema", CommandSpec { input_schema: json!({"type": 1}), ..spec("book") }),
        ("output_schema", CommandSpec { output_schema: json!({"type": 1}), ..spec("book") }),
    ] {
        let refused = Tool::new(broken, Arc::new(Scripted::default())).unwrap_err();
        assert!(refused.starts_with(&format!("{field} of `book`")), "{refused}");
    }
}

#[test]
fn a_call_is_safe_only_if_the_command_reads_and_its_request_changes_nothing() {
    for (effect, unsafe_request, safe) in [
        (Effect::Read, false, true),
        (Effect::Read, true, false),
        (Effect::Write, false, false),
        (Effect::Write, true, false),
    ] {
        let behaviour = Behaviour { effect, ..Behaviour::default() };
        let handler = Scripted { unsafe_request, ..Scripted::default() };
        let tool = Tool::new(CommandSpec { behaviour, ..spec("book") }, Arc::new(handler)).unwrap();
        assert_eq!((tool.is_safe(), behaviour.parallel()), (safe, effect == Effect::Read));
    }
    for confirmable in [false, true] {
        let handler = Scripted { confirmable, ..Scripted::default() };
        assert_eq!(Tool::new(spec("book"), Arc::new(handler)).unwrap().confirmable(), confirmable);
    }
}

#[test]
fn the_contract_changes_with_whatever_a_model_or_an_approval_relies_on() {
    let base = spec("book");
    let changed = [
        base.clone(),
        CommandSpec { name: "move".to_owned(), ..base.clone() },
        CommandSpec { pack: "intake".to_owned(), ..base.clone() },
        CommandSpec { description: Localised { pt_br: "x".to_owned(), en: "x".to_owned() }, ..base.clone() },
        CommandSpec { input_schema: json!({}), ..base.clone() },
        CommandSpec { output_schema: json!({}), ..base.clone() },
        CommandSpec { behaviour: Behaviour { effect: Effect::Read, ..base.behaviour }, ..base.clone() },
        CommandSpec { confirm: Confirm::Staff, ..base.clone() },
        CommandSpec { timeout: Duration::from_secs(11), ..base.clone() },
        CommandSpec { said: [("day".to_owned(), SaidAs::Day)].into(), ..base.clone() },
        CommandSpec { act: Some(Act::Book), ..base.clone() },
    ];
    let hashes: BTreeSet<String> = changed.iter().map(CommandSpec::contract_hash).collect();
    assert_eq!(hashes.len(), changed.len());
    let mut bound = tool("book");
    assert_eq!(bound.contract_hash, base.contract_hash());
    bound.bind(&json!({"path": "/a"}), &json!({}));
    let mut other = tool("book");
    other.bind(&json!({"path": "/b"}), &json!({}));
    assert!(bound.contract_hash != other.contract_hash && bound.contract_hash != base.contract_hash());
}

#[test]
fn guidance_of_a_command_is_its_own_for_the_codes_that_it_names() {
    let own = Localised { pt_br: "Pergunte.".to_owned(), en: "Ask.".to_owned() };
    let spec = CommandSpec { on_error: [(ErrorCode::NotFound, own)].into(), ..spec("book") };
    assert_eq!(spec.guidance(ErrorCode::NotFound, Locale::En), Some("Ask."));
    assert_eq!(spec.guidance(ErrorCode::NotFound, Locale::PtBr), Some("Pergunte."));
    assert_eq!(spec.guidance(ErrorCode::Conflict, Locale::En), None);
    let tool = Tool::new(spec, Arc::new(Scripted::default())).unwrap();
    let told = tool.fail(&ToolError::new(ErrorCode::NotFound, "no such day"), Locale::En);
    assert_eq!((told.value["_context"].as_str(), told.class), (Some("Ask."), ResultClass::Correction));
}

#[test]
fn arguments_are_judged_by_the_schema_and_by_the_commands_own_check() {
    let plain = tool("book");
    assert_eq!(plain.check_arguments(json!({"day": "today"})).unwrap().args, json!({"day": "today"}));
    assert_eq!(plain.check_arguments(json!({"day": 1})).unwrap_err()[0].problem, "wrong_type");
    assert!(plain.mending().is_none());
    let checked = tool("book").with_check(Arc::new(NoPast { mends: false }));
    assert_eq!(checked.check_arguments(json!({"day": "yesterday"})).unwrap_err()[0].problem, "in_the_past");
    assert!(checked.check_arguments(json!({"day": "today"})).is_ok());
}

#[tokio::test]
async fn a_profile_that_lets_arguments_be_mended_has_the_mending_check_and_handler_under_the_same_contract() {
    let handler = Scripted { mends: true, ..Scripted::default() };
    let mut tool = Tool::new(spec("book"), Arc::new(handler)).unwrap().with_check(Arc::new(NoPast { mends: false }));
    tool.bind(&json!("definition"), &json!("shared"));
    let mending = tool.mending().unwrap();
    assert_eq!(mending.contract_hash, tool.contract_hash);
    let checked = mending.check_arguments(json!({"day": "yesterday"})).unwrap();
    assert_eq!((checked.args, checked.mended), (json!({"day": "today"}), vec!["day".to_owned()]));
    let result = mending.execute(&context(), json!({}), RunMode::Execute).await;
    assert_eq!(result.value["mends"], true);
}

#[test]
fn a_limit_of_an_argument_is_enforced_or_only_told() {
    let values = vec![json!("today"), json!("tomorrow")];
    let checked = || tool("book").with_check(Arc::new(NoPast { mends: false }));
    let restricted = checked().restrict("day", values.clone()).unwrap();
    assert_eq!(restricted.shown()["properties"]["day"]["enum"], json!(values));
    assert!(restricted.check_arguments(json!({"day": "friday"})).is_err());
    assert_eq!(restricted.check_arguments(json!({"day": "yesterday"})).unwrap_err()[0].problem, "in_the_past");
    let suggested = checked().suggest("day", values.clone()).unwrap();
    assert_eq!(suggested.shown()["properties"]["day"]["enum"], json!(values));
    assert!(suggested.check_arguments(json!({"day": "friday"})).is_ok());
    assert_eq!(suggested.check_arguments(json!({"day": "yesterday"})).unwrap_err()[0].problem, "in_the_past");
    for refused in [tool("book").restrict("hour", Vec::new()), tool("book").suggest("hour", Vec::new())] {
        assert_eq!(refused.unwrap_err(), "`book` has no argument `hour`");
    }
}

#[tokio::test]
async fn a_result_has_everything_that_the_handler_gave() {
    let mut output =
        ToolOutput::success(json!({"mends": false})).receipt(Receipt::bare(ReceiptKind::Booked)).offering([Offer {
            day: date(2026, 11, 27),
            start: time(15, 0, 0, 0),
            professional: "João".to_owned(),
            service: None,
        }]);
    output.mended = vec!["the day".to_owned()];
    output.undo = Some(Box::new(json!({"tool": "cancel"})));
    let handler = Scripted { output: Some(output.clone()), ..Scripted::default() };
    let result =
        Tool::new(spec("book"), Arc::new(handler)).unwrap().execute(&context(), json!({}), RunMode::Execute).await;
    assert_eq!((result.class, result.code, result.is_error()), (ResultClass::Success, None, false));
    assert_eq!((&result.receipts, &result.offers), (&output.receipts, &output.offers));
    assert_eq!((result.receipts.len(), result.offers.len()), (1, 1));
    assert_eq!(result.value, json!({"mends": false, "_mended": ["the day"], "_undo": {"tool": "cancel"}}));

    let refused = Scripted { output: Some(ToolOutput::refusal(json!({}))), ..Scripted::default() };
    let result =
        Tool::new(spec("book"), Arc::new(refused)).unwrap().execute(&context(), json!({}), RunMode::Execute).await;
    assert_eq!((result.class, &result.value), (ResultClass::Refusal, &json!({})));
}

#[tokio::test]
async fn an_answer_that_breaks_the_output_schema_is_an_error_whose_words_only_staff_read() {
    let wrong = Scripted { output: Some(ToolOutput::success(json!({"mends": "secret"}))), ..Scripted::default() };
    let result =
        Tool::new(spec("book"), Arc::new(wrong)).unwrap().execute(&context(), json!({}), RunMode::Execute).await;
    assert_eq!((result.code, result.class, result.is_error()), (Some(ErrorCode::Internal), ResultClass::Fault, true));
    assert!(!result.value.to_string().contains("secret"));
    assert!(result.internal.unwrap().contains("breaks the output schema"));
}

#[tokio::test]
async fn a_question_is_the_result_of_a_call_that_asks_first() {
    let result = tool("book").execute(&context(), json!({}), RunMode::Ask).await;
    assert_eq!(result.confirm.as_deref(), Some("Shall I book João at 15:00?"));
    assert_eq!((result.code, result.class), (Some(ErrorCode::ConfirmationRequired), ResultClass::Refusal));
    assert_eq!(result.value["details"]["summary"], "Shall I book João at 15:00?");
    assert!(!result.uncertain);
}

#[test]
fn a_name_belongs_to_one_tool_of_a_registry() {
    let mut registry = registry(&["book", "cancel"]);
    assert_eq!(names(registry.iter()), ["book", "cancel"]);
    let other =
        Tool::new(CommandSpec { pack: "intake".to_owned(), ..spec("book") }, Arc::new(Scripted::default())).unwrap();
    let refused = registry.add(other).unwrap_err();
    assert_eq!(refused, "the tool `book` of pack `intake` is already defined by pack `salon`");
    assert_eq!(names(registry.iter()), ["book", "cancel"]);
    let put = Arc::new(tool("book"));
    let replaced = registry.put(Arc::clone(&put)).unwrap();
    assert!(!Arc::ptr_eq(&replaced, &put) && Arc::ptr_eq(registry.get("book").unwrap(), &put));
    assert!(registry.put(Arc::new(tool("move"))).is_none());
    assert!(registry.get("nothing").is_none());
}

#[test]
fn a_toolbox_has_what_is_offered_and_not_internal() {
    let mut registry = registry(&["book", "cancel"]);
    registry
        .add(Tool::new(CommandSpec { internal: true, ..spec("sweep") }, Arc::new(Scripted::default())).unwrap())
        .unwrap();
    assert_eq!(names(registry.toolbox(|_| true).iter()), ["book", "cancel"]);
    assert_eq!(names(registry.toolbox(|spec| spec.name != "book").iter()), ["cancel"]);
    let mut toolbox = registry.toolbox(|_| true);
    toolbox.push(tool("load_tool"));
    let kept = Arc::clone(toolbox.get("book").unwrap());
    toolbox.push(tool("book"));
    assert_eq!(names(toolbox.iter()), ["book", "cancel", "load_tool"]);
    assert!(Arc::ptr_eq(toolbox.get("book").unwrap(), &kept));
    assert_eq!(toolbox.nearest("bok"), ["book"]);
    assert!(toolbox.nearest("xyzzy").is_empty());
}

#[test]
fn a_deferred_contract_is_shown_behind_the_others_once_it_was_asked_for() {
    let mut toolbox = registry(&["book", "cancel", "move"]).toolbox(|_| true);
    toolbox.defer(["book".to_owned(), "move".to_owned()]);
    assert_eq!(names(toolbox.shown(|_| None)), ["cancel"]);
    assert_eq!(names(toolbox.shown(|name| (name == "book").then_some(0))), ["cancel", "book"]);
    assert_eq!(names(toolbox.shown(|name| Some(if name == "move" { 0 } else { 1 }))), ["cancel", "move", "book"]);
    assert!(toolbox.get("move").is_some());
}

#[test]
fn the_strictest_of_the_call_and_of_what_it_calls_has_to_agree() {
    let mut registry = registry(&["cancel", "look"]);
    let calls = vec!["cancel".to_owned(), "unknown".to_owned()];
    let caller = Scripted { calls, ..Scripted::default() };
    registry
        .add(Tool::new(CommandSpec { confirm: Confirm::Model, ..spec("book") }, Arc::new(caller)).unwrap())
        .unwrap();
    let mut toolbox = registry.toolbox(|_| true);
    let book = Arc::clone(toolbox.get("book").unwrap());
    assert_eq!(book.calls(&json!({})), ["cancel", "unknown"]);
    assert_eq!((toolbox.confirm(&book), toolbox.confirm_call(&book, &json!({}))), (Confirm::Model, Confirm::Model));
    assert!(!toolbox.settles_confirm("cancel"));
    toolbox.set_confirm("cancel", Confirm::Staff);
    assert!(toolbox.settles_confirm("cancel") && !toolbox.settles_confirm("book"));
    assert_eq!((toolbox.confirm(&book), toolbox.confirm_call(&book, &json!({}))), (Confirm::Model, Confirm::Staff));
    toolbox.set_confirm("cancel", Confirm::None);
    toolbox.set_confirm("book", Confirm::Customer);
    assert_eq!(toolbox.confirm_call(&book, &json!({})), Confirm::Customer);
}
