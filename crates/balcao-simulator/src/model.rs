//! The model: it does what the customer's words ask for, says it another way each time it is asked, and fails as models do.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use balcao_llm::{
    ChatProvider, EventSink, FinishReason, Message, ModelError, ModelErrorKind, ModelRequest, ModelResponse, Purpose,
    ToolCallRequest, Usage,
};
use serde_json::{Value, json};

use crate::world::{Process, World};

/// What kills whoever works on it.
pub(crate) const POISON: &str = "VENENO";
/// What no customer may ever read.
pub(crate) const SECRET: &str = "create_appointment";

/// What the hint of a follow-up begins with that a turn planned.
pub(crate) const FOLLOW_UP_HINT: &str = "pediu para voltar";

/// What belongs to one tenant alone.
pub(crate) fn canary(tenant: usize) -> &'static str {
    if tenant == 0 { "CANARIOZERO" } else { "CANARIOUM" }
}

/// The model, as one process asks it.
#[derive(Debug)]
pub(crate) struct Model(pub(crate) Arc<Process>);

#[async_trait]
impl ChatProvider for Model {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn model(&self) -> &'static str {
        "simulated"
    }

    async fn complete(&self, request: &ModelRequest, _: &mut EventSink<'_>) -> Result<ModelResponse, ModelError> {
        let Self(process) = self;
        let world = &process.world;
        process.pass().await;
        watch_tenants(world, request);
        world.linger(50, 2_000).await;
        // Worst of all is to sleep through the end of a lease and to wake while somebody else works under the next one.
        if world.strikes(world.plan.faults.pause) {
            process.pause(Duration::from_millis(world.draw(|rng| rng.u64(28_000..=36_000))));
        }
        process.pass().await;
        let asked = last_words(request);
        // Who takes a conversation up again reads what was said in it; the poison was for whoever answers.
        if asked.contains(POISON) && request.purpose != Purpose::FollowUp {
            process.kill("poison");
            process.pass().await;
        }
        if world.strikes(world.plan.faults.model) {
            return self.fail().await;
        }
        Ok(answer(world, request, asked))
    }
}

impl Model {
    async fn fail(&self) -> Result<ModelResponse, ModelError> {
        let world = &self.0.world;
        match world.draw(|rng| rng.u8(..4)) {
            0 => Err(failure(ModelErrorKind::Upstream)),
            1 => {
                tokio::time::sleep(Duration::from_secs(600)).await;
                Err(failure(ModelErrorKind::Timeout))
            }
            2 => Ok(said("{\"name\": \"create_appointment\", \"arguments\": {")),
            _ => Ok(calls(vec![
                call(0, "drop_database", &json!({"now": true})),
                call(1, "create_appointment", &json!([])),
            ])),
        }
    }
}

fn failure(kind: ModelErrorKind) -> ModelError {
    ModelError {
        kind,
        provider: "simulated".to_owned(),
        message: "it failed".to_owned(),
        retry_after: None,
        usage: balcao_llm::Usage::default(),
    }
}

fn answer(world: &World, request: &ModelRequest, asked: &str) -> ModelResponse {
    let has_acted =
        request.messages.iter().rev().take_while(|message| !matches!(message, Message::User { .. })).count() > 0;
    let wanted = if has_acted || request.tools.is_empty() { Vec::new() } else { wishes(world, asked) };
    if wanted.is_empty() {
        let leaks = world.strikes(world.plan.faults.leak);
        let number = world.draw(|rng| rng.u32(..));
        return said(&if leaks {
            format!("<think>call {SECRET}</think> Oi! {SECRET}({{\"n\": {number}}}) Como posso ajudar?")
        } else {
            "Oi! Recebi sua mensagem. Como posso ajudar?".to_owned()
        });
    }
    calls(wanted)
}

/// The calls that the words ask for, each with arguments that are never the same twice, where they are free text.
fn wishes(world: &World, asked: &str) -> Vec<ToolCallRequest> {
    let mut calls = Vec::new();
    let free = || json!({"text": format!("{}", world.draw(|rng| rng.u32(..)))});
    for line in asked.lines() {
        let index = calls.len();
        if let Some(args) = booking(line) {
            calls.push(call(index, "create_appointment", &args));
        } else if let Some(args) = move_wish(line) {
            calls.push(call(index, "reschedule_appointment", &args));
        } else if line.contains("observação") {
            let note = format!("pediu {}", world.draw(|rng| rng.u32(..)));
            calls.push(call(index, "add_internal_note", &json!({"note": note})));
        } else if let Some(minutes) = reminder(line) {
            let args = json!({"minutes_before": minutes});
            calls.push(call(index, "schedule_appointment_reminder", &args));
        } else if line.contains("Me chama depois") {
            let hint = format!("{FOLLOW_UP_HINT} {}", world.draw(|rng| rng.u32(..)));
            let args = json!({"delay_minutes": 1, "message_hint": hint, "followup_type": "value"});
            calls.push(call(index, "schedule_followup", &args));
        } else if line.contains("lista de espera") {
            calls.push(call(index, "join_waitlist", &json!({"date": "2026-11-24"})));
        } else if line.contains("sistema") {
            calls.push(call(index, "push_crm", &free()));
        } else if line.contains("chamado") {
            calls.push(call(index, "open_task", &free()));
        } else if line.contains("SMS") {
            calls.push(call(index, "send_sms", &free()));
        }
        if calls.len() == 4 {
            break;
        }
    }
    if world.draw(|rng| rng.bool()) {
        calls.reverse();
    }
    calls
}

/// "Quero marcar SERVICE com NAME dia DD/MM às HH:MM."
fn booking(line: &str) -> Option<Value> {
    let (_, rest) = line.split_once("Quero marcar ")?;
    let (service, rest) = rest.split_once(" com ")?;
    let (name, rest) = rest.split_once(" dia ")?;
    let (date, rest) = rest.split_once(" às ")?;
    let (day, month) = date.split_once('/')?;
    let hour: String = rest.chars().take(5).collect();
    Some(json!({
        "service_name": service, "barber_name": name, "date": format!("2026-{month}-{day}"), "start_hour": hour,
    }))
}

/// "Quero remarcar para dia DD/MM às HH:MM."
fn move_wish(line: &str) -> Option<Value> {
    let (_, rest) = line.split_once("Quero remarcar para dia ")?;
    let (date, rest) = rest.split_once(" às ")?;
    let (day, month) = date.split_once('/')?;
    let hour: String = rest.chars().take(5).collect();
    Some(json!({ "new_date": format!("2026-{month}-{day}"), "new_start_hour": hour }))
}

/// "Me lembra NUMBER minutos antes."
fn reminder(line: &str) -> Option<u32> {
    let (_, rest) = line.split_once("Me lembra ")?;
    let (minutes, _) = rest.split_once(' ')?;
    minutes.parse().ok()
}

/// One tenant's words never reach a model together with another's.
fn watch_tenants(world: &World, request: &ModelRequest) {
    if world.plan.tenants < 2 {
        return;
    }
    let texts = request.messages.iter().map(|message| match message {
        Message::User { text } | Message::Assistant { text, .. } => text.as_str(),
        Message::ToolResult { content, .. } => content.as_str(),
    });
    let texts: Vec<&str> = texts.chain([request.system.as_str()]).collect();
    let has = |tenant| texts.iter().any(|text| text.contains(canary(tenant)));
    if has(0) && has(1) {
        world.outside().crossings.insert("two tenants in one prompt".to_owned());
    }
}

fn last_words(request: &ModelRequest) -> &str {
    let users = request.messages.iter().rev();
    let mut texts = users.filter_map(|message| match message {
        Message::User { text } => Some(text.as_str()),
        Message::Assistant { .. } | Message::ToolResult { .. } => None,
    });
    texts.next().unwrap_or_default()
}

fn call(index: usize, name: &str, args: &Value) -> ToolCallRequest {
    ToolCallRequest { id: format!("c{index}"), name: name.to_owned(), arguments: args.to_string(), vendor: None }
}

fn calls(tool_calls: Vec<ToolCallRequest>) -> ModelResponse {
    ModelResponse { tool_calls, finish: FinishReason::ToolCalls, ..said("") }
}

fn said(text: &str) -> ModelResponse {
    ModelResponse {
        text: text.to_owned(),
        tool_calls: Vec::new(),
        finish: FinishReason::Stop,
        usage: Usage { input_tokens: 100, output_tokens: 20, ..Usage::default() },
        model: "simulated".to_owned(),
        mended: Vec::new(),
    }
}
