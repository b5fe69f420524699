//! What lies outside of the program, and what it saw: the provider of the channel, and the systems behind tools.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use balcao_channel::Capabilities;
use balcao_channel::inbound::Media;
use balcao_channel::{
    AccountId, Channel, DownloadLimits, Downloaded, MediaDelivery, MediaError, Outbound, PaceLimit, ProviderMessageId,
    Recipient, SendClass, SendError, SendReceipt,
};
use balcao_domain::throttle::{PairRate, SendingRate};
use balcao_tool::{
    Behaviour, CommandSpec, Confirm, Effect, EffectClass, ErrorCode, Found, Localised, Preview, Tool, ToolContext,
    ToolError, ToolHandler, ToolOutput, ToolResult,
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::observations::{CHANNEL, Sent};
use crate::world::{Process, World};

/// The sending side of the channel, as one process sees it.
#[derive(Debug)]
pub(crate) struct Sending {
    pub(crate) process: Arc<Process>,
    pub(crate) account: AccountId,
}

#[async_trait]
impl Channel for Sending {
    fn kind(&self) -> &'static str {
        CHANNEL
    }

    fn account(&self) -> &AccountId {
        &self.account
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_text: 4_096,
            max_buttons: 3,
            max_rows: 10,
            media: &[],
            own_files: MediaDelivery::Link,
            templates: true,
            quotes: true,
            read_marks: true,
            typing: None,
            window: Some(Duration::from_hours(24)),
            idempotent: false,
        }
    }

    fn rate(&self) -> Option<SendingRate> {
        // Slow enough for the messages of a run to get in each other's way.
        Some(SendingRate { per_second: 5, to_one: Some(PairRate { burst: 4, every: Duration::from_secs(2) }) })
    }

    async fn fetch(&self, _media: &Media, _limits: DownloadLimits) -> Result<Downloaded, MediaError> {
        let (process, world) = (&self.process, &self.process.world);
        process.pass().await;
        world.linger(50, 3_000).await;
        process.pass().await;
        if world.strikes_as("files that could not be fetched", 0.3) {
            let gone = world.draw(|rng| rng.bool());
            return Err(if gone { MediaError::Gone } else { SendError::new(SendClass::retry(), "not now").into() });
        }
        Ok(Downloaded { mime: "application/pdf".to_owned(), bytes: b"%PDF-1.4 a list of wishes %%EOF".to_vec() })
    }

    async fn send(&self, message: &Outbound, _to: &Recipient) -> Result<SendReceipt, SendError> {
        let (process, world) = (&self.process, &self.process.world);
        let asked = Instant::now();
        process.pass().await;
        world.linger(20, 400).await;
        process.pass().await;
        if world.strikes(world.plan.faults.send / 2.0) {
            let class = world.draw(|rng| match rng.u8(..3) {
                0 => SendClass::retry(),
                1 => SendClass::TooFast { limit: PaceLimit::Account },
                _ => SendClass::TooFast { limit: PaceLimit::Customer },
            });
            if class != SendClass::retry() {
                world.count("messages that were too fast");
            }
            return Err(SendError::new(class, "too many requests"));
        }
        let body = serde_json::to_value(message).unwrap_or_default();
        let id = format!("wamid.out.{}", world.outside().sent.len());
        let correlation = find(&body, "correlation");
        world.note(|| format!("{} sends {correlation}", process.name));
        {
            let mut outside = world.outside();
            let (account, text) = (self.account.as_str().to_owned(), find(&body, "body"));
            let late_by = asked.elapsed();
            let at = world.now();
            outside.sent.push(Sent { account, correlation: correlation.clone(), text, at, late_by });
            outside.statuses.push((id.clone(), correlation));
        }
        if world.strikes(world.plan.faults.send / 2.0) {
            return Err(SendError::new(SendClass::Unknown, "the answer was lost"));
        }
        world.linger(10, 200).await;
        process.pass().await;
        let message = ProviderMessageId::new(id);
        Ok(SendReceipt { message, number: None, user: None, held: false })
    }

    async fn mark_read(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }

    async fn typing(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }
}

/// The first text of this name, at any depth.
fn find(value: &Value, name: &str) -> String {
    fn seek<'v>(value: &'v Value, name: &str) -> Option<&'v str> {
        match value {
            Value::Object(map) => {
                map.iter().find_map(|(key, field)| field.as_str().filter(|_| key == name).or_else(|| seek(field, name)))
            }
            Value::Array(items) => items.iter().find_map(|item| seek(item, name)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }
    seek(value, name).unwrap_or_default().to_owned()
}

/// How long an effect of the queryable system stays invisible, at most.
const SETTLE: Duration = Duration::from_secs(5);

/// A system outside, one for each class of effect.
#[derive(Debug)]
struct System {
    process: Arc<Process>,
    name: &'static str,
    class: EffectClass,
}

/// The tools that reach outside: one that honours keys, one that can be asked, one that neither does.
pub(crate) fn tools(process: &Arc<Process>) -> Vec<Tool> {
    let all =
        [("push_crm", EffectClass::Keyed), ("open_task", EffectClass::Queryable), ("send_sms", EffectClass::Blind)];
    all.into_iter().filter_map(|(name, class)| tool(process, name, class)).collect()
}

fn tool(process: &Arc<Process>, name: &'static str, class: EffectClass) -> Option<Tool> {
    let words = || Localised { pt_br: "Avisa outro sistema.".to_owned(), en: "Tells another system.".to_owned() };
    let spec = CommandSpec {
        name: name.to_owned(),
        pack: "outside".to_owned(),
        description: words(),
        input_schema: json!({"type": "object", "additionalProperties": false, "required": ["text"],
            "properties": {"text": {"type": "string", "maxLength": 200}}}),
        output_schema: json!({"type": "object"}),
        behaviour: Behaviour { effect: Effect::Write, class, open_world: true, ..Behaviour::default() },
        confirm: Confirm::None,
        timeout: Duration::from_secs(10),
        settle: SETTLE,
        on_error: std::collections::BTreeMap::new(),
        internal: false,
        said: std::collections::BTreeMap::new(),
        with: None,
        act: Some(balcao_tool::Act::Desk),
    };
    Tool::new(spec, Arc::new(System { process: Arc::clone(process), name, class })).ok()
}

impl System {
    fn world(&self) -> &World {
        &self.process.world
    }

    /// It happens, now.
    fn happen(&self, key: &str) {
        let now = self.world().now();
        let settle = self.world().draw(|rng| Duration::from_millis(rng.u64(..=4_900)));
        self.world().note(|| format!("{} did {key} for {}", self.name, self.process.name));
        let mut outside = self.world().outside();
        let done = outside.effects.entry((self.name.to_owned(), key.to_owned())).or_default();
        if self.class != EffectClass::Keyed || done.is_empty() {
            done.push(now);
        }
        outside.visible.insert(key.to_owned(), Instant::now() + settle);
    }
}

#[async_trait]
impl ToolHandler for System {
    async fn call(&self, cx: &ToolContext, _args: Value) -> ToolResult<ToolOutput> {
        self.process.pass().await;
        self.world().linger(20, 600).await;
        self.process.pass().await;
        let faults = &self.world().plan.faults;
        if self.world().strikes(faults.outside / 2.0) {
            return Err(ToolError::new(ErrorCode::Unavailable, "it does not answer").into());
        }
        self.happen(cx.key.as_str());
        if self.world().strikes(faults.outside / 2.0) {
            sleep(Duration::from_secs(60)).await;
        }
        self.world().linger(20, 600).await;
        self.process.pass().await;
        Ok(ToolOutput::success(json!({"ok": true})))
    }

    async fn preview(&self, _cx: &ToolContext, _args: Value) -> ToolResult<Preview> {
        Err(ToolError::new(ErrorCode::Internal, "nobody is asked").into())
    }

    async fn find(&self, cx: &ToolContext, _args: Value) -> ToolResult<Found> {
        self.process.pass().await;
        self.world().linger(20, 600).await;
        self.process.pass().await;
        let visible = self.world().outside().visible.get(cx.key.as_str()).copied();
        let there = visible.is_some_and(|at| at <= Instant::now());
        self.world().note(|| {
            let found = if there { "there" } else { "absent" };
            format!("{} says to {} that {} is {found}", self.name, self.process.name, cx.key.as_str())
        });
        Ok(if there { Found::There(ToolOutput::success(json!({"ok": true}))) } else { Found::Absent })
    }

    fn confirmable(&self) -> bool {
        false
    }

    fn args_schema(&self) -> Value {
        json!({"type": "object"})
    }
}
