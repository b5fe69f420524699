//! Small tools for the contract's rows: each does one thing that a real tool may do to a turn.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use balcao_tool::{
    Agreed, Behaviour, CommandSpec, Confirm, Effect, EffectClass, ErrorCode, Found, Internal, Localised, NativeTool,
    Preview, Receipt, ReceiptKind, Registry, SaidAs, Tool, ToolContext, ToolError, ToolHandler, ToolOutput, ToolResult,
    erase,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Stands in every internal text: it must never reach a model or a customer.
pub(crate) const INTERNAL: &str = "SQLSTATE-57P03";
/// What the tools `cancel` and `move_it` ask.
pub(crate) const QUESTION: &str = "Posso cancelar o seu horário de quinta às 10:00?";

/// What one execution of a tool does.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// What was asked, so that every other question has another answer.
    Echoes,
    Gives(Value),
    Proves(Value, Receipt),
    Refuses(Value),
    Fails(ErrorCode),
    Never,
    Panics,
}

/// One execution, as the outside world saw it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Execution {
    pub(crate) tool: String,
    pub(crate) args: Value,
    pub(crate) key: String,
    pub(crate) agreed: Option<Agreed>,
}

/// What the tools have done so far, and what they do next.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    pub(crate) executions: Vec<Execution>,
    /// `name+` when a call began, `name-` when it ended.
    pub(crate) events: Vec<String>,
    pub(crate) next: BTreeMap<String, VecDeque<Act>>,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Args {
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_hour: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    barber_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    appointment_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    period: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

struct Actor {
    name: &'static str,
    usual: Act,
    stage: Arc<Mutex<Stage>>,
}

impl Actor {
    fn next(&self) -> Act {
        let mut stage = self.stage.lock().unwrap();
        stage.next.get_mut(self.name).and_then(VecDeque::pop_front).unwrap_or_else(|| self.usual.clone())
    }

    fn event(&self, mark: char) {
        self.stage.lock().unwrap().events.push(format!("{}{mark}", self.name));
    }
}

fn fails(code: ErrorCode) -> Box<ToolError> {
    let text = "the system behind this tool did not do it";
    ToolError::new(code, text).internal(Internal::note(format!("{INTERNAL}: cannot connect now"))).into()
}

#[async_trait]
impl NativeTool for Actor {
    type Args = Args;
    const CONFIRMABLE: bool = true;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        self.event('+');
        self.stage.lock().unwrap().executions.push(Execution {
            tool: self.name.to_owned(),
            args: serde_json::to_value(&args).unwrap(),
            key: cx.key.as_str().to_owned(),
            agreed: cx.agreed.clone(),
        });
        // Virtual time (`in_virtual_time`): long enough that calls which may overlap do.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let result = match self.next() {
            Act::Echoes => Ok(ToolOutput::success(json!({"found": true, "of": args}))),
            Act::Gives(value) => Ok(ToolOutput::success(value)),
            Act::Proves(value, receipt) => Ok(ToolOutput::success(value).receipt(receipt)),
            Act::Refuses(value) => Ok(ToolOutput::refusal(value)),
            Act::Fails(code) => Err(fails(code)),
            Act::Never => std::future::pending().await,
            Act::Panics => panic!("{INTERNAL}: a defect"),
        };
        self.event('-');
        result
    }

    async fn preview(&self, _cx: &ToolContext, _args: Args) -> ToolResult<Preview> {
        let mut stage = self.stage.lock().unwrap();
        match stage.next.get_mut("preview").and_then(VecDeque::pop_front) {
            Some(Act::Refuses(value)) => Ok(Preview::Refused(ToolOutput::refusal(value))),
            Some(Act::Fails(code)) => Err(fails(code)),
            Some(Act::Echoes | Act::Gives(_) | Act::Proves(..) | Act::Never | Act::Panics) | None => {
                Ok(Preview::Ask(QUESTION.to_owned()))
            }
        }
    }
}

/// A tool that calls others: those that its argument `tags` names.
struct Several(Arc<dyn ToolHandler>);

#[async_trait]
impl ToolHandler for Several {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        self.0.call(cx, args).await
    }

    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        self.0.preview(cx, args).await
    }

    async fn find(&self, cx: &ToolContext, args: Value) -> ToolResult<Found> {
        self.0.find(cx, args).await
    }

    fn confirmable(&self) -> bool {
        self.0.confirmable()
    }

    fn args_schema(&self) -> Value {
        self.0.args_schema()
    }

    fn calls(&self, args: &Value) -> Vec<String> {
        let tags = args.get("tags").and_then(Value::as_array).into_iter().flatten();
        tags.filter_map(|tag| tag.as_str().map(str::to_owned)).collect()
    }
}

/// All of them, in a registry of their own. Tools that end in a fault do so each time, unless the stage says otherwise.
pub(crate) fn registry(stage: &Arc<Mutex<Stage>>) -> Registry {
    let read = (Effect::Read, EffectClass::Read);
    let local = (Effect::Write, EffectClass::Local);
    let gone = (Effect::Destructive, EffectClass::Local);
    let found = Act::Gives(json!({"available": true, "slots": ["10:00", "11:00"]}));
    let rows: Vec<Value> = (0..500).map(|n| json!({"n": n, "client": format!("Cliente número {n}")})).collect();
    let booked = Receipt {
        day: Some("2026-11-26".parse().unwrap()),
        start: Some("10:00".parse().unwrap()),
        service: Some("Corte".to_owned()),
        professional: Some("Íris".to_owned()),
        ..Receipt::bare(ReceiptKind::Booked)
    };
    let all = [
        ("find_slots", read, Confirm::None, found),
        ("look", read, Confirm::None, Act::Echoes),
        ("glance", read, Confirm::None, Act::Gives(json!({"seen": true}))),
        ("book", local, Confirm::None, Act::Proves(json!({"success": true, "appointment_id": 7}), booked.clone())),
        ("reserve", local, Confirm::None, Act::Proves(json!({"success": true, "appointment_id": 8}), booked)),
        ("note_it", local, Confirm::None, Act::Gives(json!({"success": true}))),
        (
            "cancel",
            gone,
            Confirm::Customer,
            Act::Proves(json!({"success": true}), Receipt::bare(ReceiptKind::Cancelled)),
        ),
        ("move_it", gone, Confirm::Customer, Act::Gives(json!({"success": true}))),
        ("suggest", local, Confirm::Model, Act::Gives(json!({"success": true}))),
        ("refund", gone, Confirm::Staff, Act::Gives(json!({"success": true}))),
        ("broken", read, Confirm::None, Act::Fails(ErrorCode::Unavailable)),
        ("broken_too", local, Confirm::None, Act::Fails(ErrorCode::Internal)),
        ("blind", (Effect::Write, EffectClass::Blind), Confirm::None, Act::Fails(ErrorCode::Timeout)),
        ("stuck", read, Confirm::None, Act::Never),
        ("crash", read, Confirm::None, Act::Panics),
        ("odd", read, Confirm::None, Act::Gives(json!({"surprise": INTERNAL}))),
        ("big", read, Confirm::None, Act::Gives(json!({"items": rows, "total": 500}))),
        ("long", read, Confirm::None, Act::Gives(json!({"text": "palavra ".repeat(2_000)}))),
        ("human", local, Confirm::None, Act::Proves(json!({"success": true}), Receipt::bare(ReceiptKind::HandedOff))),
        ("secret", read, Confirm::None, Act::Gives(json!({}))),
        ("foreign", read, Confirm::None, Act::Gives(json!({}))),
        ("unsaid", local, Confirm::None, Act::Gives(json!({"success": true}))),
        ("several", local, Confirm::None, Act::Gives(json!({"success": true}))),
    ];
    let mut registry = Registry::default();
    for (name, (effect, class), confirm, usual) in all {
        let actor = erase(Actor { name, usual, stage: Arc::clone(stage) });
        let handler = if name == "several" { Arc::new(Several(actor)) } else { actor };
        registry.add(Tool::new(spec(name, effect, class, confirm), handler).unwrap()).unwrap();
    }
    registry
}

fn spec(name: &str, effect: Effect, class: EffectClass, confirm: Confirm) -> CommandSpec {
    let words = |text: &str| Localised { pt_br: text.to_owned(), en: text.to_owned() };
    let input = if matches!(name, "book" | "reserve") {
        json!({
            "type": "object", "additionalProperties": false, "required": ["date", "start_hour"],
            "properties": properties()
        })
    } else {
        json!({"type": "object", "additionalProperties": false, "properties": properties()})
    };
    let output = if name == "odd" {
        json!({"type": "object", "required": ["ok"], "additionalProperties": false, "properties": {"ok": {"type": "boolean"}}})
    } else {
        json!({"type": "object"})
    };
    CommandSpec {
        name: name.to_owned(),
        pack: if name == "foreign" { "other" } else { "test" }.to_owned(),
        description: words(name),
        input_schema: input,
        output_schema: output,
        behaviour: Behaviour { effect, class, ..Behaviour::default() },
        confirm,
        timeout: Duration::from_secs(if name == "glance" { 2 } else { 10 }),
        settle: Duration::from_millis(1),
        on_error: BTreeMap::from([(ErrorCode::InvalidArguments, words("Ask the customer for what is missing."))]),
        internal: name == "secret",
        said: match name {
            "reserve" => BTreeMap::from([("date".to_owned(), SaidAs::Day), ("start_hour".to_owned(), SaidAs::Time)]),
            "find_slots" => BTreeMap::from([("date".to_owned(), SaidAs::Day)]),
            "note_it" => BTreeMap::from([("name".to_owned(), SaidAs::Words)]),
            _ => BTreeMap::new(),
        },
        with: None,
        act: match name {
            "reserve" => Some(balcao_tool::Act::Book),
            "cancel" => Some(balcao_tool::Act::Cancel),
            "move_it" => Some(balcao_tool::Act::Move),
            // Stands for whatever a pack forgot.
            "unsaid" => None,
            // A tool that calls others is of their acts.
            "several" => None,
            // `book` too: in most rows it stands for any write.
            _ => Some(balcao_tool::Act::Desk),
        },
    }
}

fn properties() -> Value {
    json!({
        "date": {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$", "examples": ["2026-11-26"]},
        "start_hour": {"type": "string", "pattern": "^\\d{2}:\\d{2}$"},
        "service_name": {"type": "string", "maxLength": 40},
        "barber_name": {"type": "string"},
        "appointment_id": {"type": "integer", "minimum": 1, "maximum": 2_147_483_647},
        "tags": {"type": "array", "items": {"type": "string"}},
        "period": {"type": "string", "enum": ["morning", "afternoon"]},
        "price": {"type": "number"},
        "filter": {"type": "object", "additionalProperties": {"type": "string"}},
        "reason": {"type": "string"},
        "name": {"type": "string"}
    })
}
