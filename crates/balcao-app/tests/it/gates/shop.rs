//! A business whose model acts by a script that a crash does not derange, and whose server can die at any commit.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use balcao_agent::ProfileFile;
use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::messaging::inbox::{Account, Inbox};
use balcao_app::messaging::outbound::sender::{Sender, SenderSettings};
use balcao_app::turns::dispatcher::{Dispatcher, DispatcherSettings};
use balcao_app::turns::{Agent, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_channel::channels::whatsapp::webhook;
use balcao_channel::{
    AccountId, Capabilities, Channel, MediaDelivery, Outbound, ProviderMessageId, Recipient, SendError, SendReceipt,
};
use balcao_domain::burst::BurstRules;
use balcao_domain::{ManualClock, OrganizationId};
use balcao_llm::{
    ChatProvider, EventSink, FinishReason, Message, ModelError, ModelErrorKind, ModelRequest, ModelResponse,
    ToolCallRequest, Usage,
};
use balcao_store::{CommitFate, Probe, Store, StoreError};
use balcao_testkit::fakes::graph::{ACCOUNT, webhooks};
use balcao_yaml::Document;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::world::root;

pub(super) const NOW: &str = "2026-11-24T03:00:00Z";

const BUSINESS: &str = r#"
organization:
  name: Bancada SLUG
  slug: SLUG
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"], fri: ["09:00-19:00"], sat: ["09:00-19:00"]}
  scheduling: {slot_step_minutes: 30, minimum_notice_minutes: 0, maximum_advance_days: 900, cancellation_notice_minutes: 0, maximum_open_appointments: 1000}
services:
  - {name: Corte, price: "45.00", duration_minutes: 30}
professionals:
  - {name: Ana Prado, aliases: [Ana], hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"], fri: ["09:00-19:00"], sat: ["09:00-19:00"]}, services: [Corte]}
pipelines:
  - {name: Clientes, stages: [Novo, Agendado]}
tags: [VIP, Antigo]
"#;

/// What a model does when it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    /// Calls these tools; `DAY`, `HOUR` and `LATER` stand for the case's slot.
    Calls(&'static [(&'static str, &'static str)]),
    /// Says this.
    Says(&'static str),
    /// Fails for good.
    Fails,
}

/// A customer's message, and what the model does about it, step by step.
pub(super) type Exchange = (&'static str, &'static [Act]);

/// Follows a script by what it is asked, so that being asked again changes nothing.
#[derive(Debug)]
struct Actor {
    script: &'static [Exchange],
    asked: Arc<Mutex<Vec<ModelRequest>>>,
}

/// Local day and time of a slot: twenty a day, five days a week, from a week ahead.
pub(super) fn slot(number: u32) -> (jiff::civil::Date, u32) {
    let (day, at) = (number / 20, number % 20);
    let days = i64::from(7 + day / 5 * 7 + day % 5);
    (jiff::civil::date(2026, 11, 24).checked_add(days.days()).unwrap(), 9 * 60 + at * 30)
}

/// The same with the case's slot in place of `DAY`, `HOUR` and `LATER`.
pub(super) fn filled(text: &str, number: u32) -> String {
    let ((day, at), (later, _)) = (slot(number), slot(number + 1_000));
    let hour = format!("{:02}:{:02}", at / 60, at % 60);
    text.replace("DAY", &day.to_string()).replace("HOUR", &hour).replace("LATER", &later.to_string())
}

#[async_trait]
impl ChatProvider for Actor {
    fn name(&self) -> &str {
        "actor"
    }

    fn model(&self) -> &str {
        "actor"
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        _on_event: &mut EventSink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        let response = |text: &str, tool_calls: Vec<ToolCallRequest>| {
            let finish = if tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
            let text = text.to_owned();
            Ok(ModelResponse {
                text,
                tool_calls,
                finish,
                usage: Usage::default(),
                model: "actor".to_owned(),
                mended: Vec::new(),
            })
        };
        // Words of the program stand between, where it corrects the model.
        let asked = request.messages.iter().enumerate().rev().find_map(|(at, message)| {
            let Message::User { text } = message else { return None };
            self.script
                .iter()
                .rev()
                .find(|(says, _)| text.contains(says.split(',').next().unwrap_or(says)))
                .map(|(_, acts)| (at, *acts))
        });
        let Some((at, acts)) = asked else { return response("Pois não?", Vec::new()) };
        let steps = request.messages.iter().skip(at);
        let steps = steps.filter(|one| matches!(one, Message::Assistant { tool_calls, .. } if !tool_calls.is_empty()));
        let number = request.messages.iter().rev().find_map(|message| match message {
            Message::User { text } => text.rsplit_once('#')?.1.trim().parse().ok(),
            Message::Assistant { .. } | Message::ToolResult { .. } => None,
        });
        let number = number.unwrap_or(0);
        match acts.get(steps.count()).or(acts.last()) {
            Some(Act::Calls(calls)) => {
                let call = |(place, (name, arguments)): (usize, &(&str, &str))| ToolCallRequest {
                    id: format!("c{place}"),
                    name: (*name).to_owned(),
                    arguments: filled(arguments, number),
                    vendor: None,
                };
                response("", calls.iter().enumerate().map(call).collect())
            }
            Some(Act::Says(text)) => response(text, Vec::new()),
            Some(Act::Fails) | None => {
                let (provider, message) = ("actor".to_owned(), "the key was revoked".to_owned());
                Err(ModelError {
                    kind: ModelErrorKind::Denied,
                    provider,
                    message,
                    retry_after: None,
                    usage: balcao_llm::Usage::default(),
                })
            }
        }
    }
}

/// A WhatsApp that keeps what it took, by our name of it.
#[derive(Debug)]
pub(super) struct Takes {
    account: AccountId,
    accepted: Mutex<BTreeMap<String, u32>>,
}

impl Takes {
    pub(super) fn accepted(&self) -> BTreeMap<String, u32> {
        self.accepted.lock().unwrap().clone()
    }
}

#[async_trait]
impl Channel for Takes {
    fn kind(&self) -> &'static str {
        "whatsapp"
    }

    fn account(&self) -> &AccountId {
        &self.account
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            max_text: 4_096,
            max_buttons: 0,
            max_rows: 0,
            media: &[],
            own_files: MediaDelivery::Link,
            templates: false,
            quotes: false,
            read_marks: false,
            typing: None,
            window: None,
            idempotent: false,
        }
    }

    async fn send(&self, message: &Outbound, _to: &Recipient) -> Result<SendReceipt, SendError> {
        let name = message.correlation().unwrap().as_str().to_owned();
        *self.accepted.lock().unwrap().entry(name.clone()).or_default() += 1;
        Ok(SendReceipt { message: ProviderMessageId::new(name), number: None, user: None, held: false })
    }

    async fn mark_read(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }

    async fn typing(&self, _message: &ProviderMessageId) -> Result<(), SendError> {
        Ok(())
    }
}

/// Counts the commits that change something, and ends the program, or the connection, at one of them.
#[derive(Debug, Default)]
pub(super) struct Reaper {
    seen: AtomicU32,
    at: Mutex<Option<(u32, CommitFate)>>,
    dead: AtomicBool,
    died: Notify,
}

impl Reaper {
    /// Begins to count; the `at`th commit, counted from 0, is the one.
    pub(super) fn arm(&self, at: Option<(u32, CommitFate)>) {
        self.seen.store(0, Ordering::SeqCst);
        *self.at.lock().unwrap() = at;
        self.dead.store(false, Ordering::SeqCst);
    }

    /// Commits since.
    pub(super) fn seen(&self) -> u32 {
        self.seen.load(Ordering::SeqCst)
    }

    pub(super) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::SeqCst)
    }

    /// Runs `work` until it ends, or the program does.
    pub(super) async fn until_death<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = Box::pin(work) => Some(done),
            () = self.died.notified() => None,
        }
    }
}

impl Probe for Reaper {
    fn fate(&self) -> CommitFate {
        let number = self.seen.fetch_add(1, Ordering::SeqCst);
        if self.is_dead() {
            return CommitFate::DieBefore;
        }
        match *self.at.lock().unwrap() {
            Some((at, fate)) if at == number => {
                if matches!(fate, CommitFate::DieBefore | CommitFate::DieAfter) {
                    self.dead.store(true, Ordering::SeqCst);
                    self.died.notify_one();
                }
                fate
            }
            _ => CommitFate::Commit,
        }
    }
}

/// One program that serves.
pub(super) struct Process {
    pub(super) inbox: Inbox,
    pub(super) dispatcher: Dispatcher,
    pub(super) sender: Sender,
}

/// A business, a program that will die, and one that will not.
pub(super) struct Shop {
    pub(super) store: Store,
    pub(super) clock: Arc<ManualClock>,
    pub(super) organization: OrganizationId,
    pub(super) reaper: Arc<Reaper>,
    pub(super) channel: Arc<Takes>,
    asked: Arc<Mutex<Vec<ModelRequest>>>,
    pub(super) mortal: Process,
    pub(super) survivor: Process,
}

/// A business of this name in a database, served by two programs.
pub(super) async fn open(store: &Store, slug: &str, script: &'static [Exchange]) -> Shop {
    let now: Timestamp = NOW.parse().unwrap();
    let file = BusinessFile::read(slug, &BUSINESS.replace("SLUG", slug)).unwrap_or_else(|all| panic!("{all:?}"));
    let organization = file.import(store, now).await.unwrap().organization;
    let clock = Arc::new(ManualClock::at(now));
    let reaper = Arc::new(Reaper::default());
    let account = format!("{ACCOUNT}-{slug}");
    let channel = Arc::new(Takes { account: AccountId::new(account.as_str()), accepted: Mutex::default() });
    let asked = Arc::new(Mutex::new(Vec::new()));
    let process = |store: Store, owner: &str| {
        let app = AppContext::new(store, clock.clone());
        let text = std::fs::read_to_string(root().join("agents/eli.yaml")).unwrap();
        let mut profile = Document::read("agents/eli.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile;
        profile.after_reply = balcao_agent::profile::AfterReply::default();
        profile.guardrails.max_messages_per_day = 0;
        let settings =
            Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![30] };
        let registry = balcao_builtin_tools::registry(&app, &settings).unwrap();
        let agent = Agent::new(profile, &registry, Arc::new(Actor { script, asked: Arc::clone(&asked) }));
        let front = Arc::new(TurnRunner::new(app.clone(), [agent]));
        let account =
            Account { channel: "whatsapp".to_owned(), account: account.clone(), business: None, organization };
        let burst = BurstRules { quiet: Duration::from_secs(1), ..BurstRules::default() };
        let inbox = Inbox::new(app.clone(), [account], burst, Arc::default());
        let settings = DispatcherSettings { burst, ..DispatcherSettings::new("eli", owner) };
        let dispatcher = Dispatcher::new(front, settings, Arc::default(), Arc::default());
        let way: Arc<dyn Channel> = Arc::<Takes>::clone(&channel);
        let sender = Sender::new(app, [way], SenderSettings::default(), Arc::default());
        Process { inbox, dispatcher, sender }
    };
    let mortal = process(store.clone().probed(Arc::<Reaper>::clone(&reaper)), "the one that dies");
    let survivor = process(store.clone(), "the one that lives");
    Shop { store: store.clone(), clock, organization, reaper, channel, asked, mortal, survivor }
}

impl Process {
    /// The provider posts this; `false`: it must come again.
    pub(super) async fn takes_in(&self, body: &Value) -> bool {
        let events = webhook::parse(body.to_string().as_bytes()).unwrap();
        self.inbox.accept("whatsapp", events).await.is_ok()
    }

    /// Does what is to be done now. What fails is done again the next time.
    pub(super) async fn run_until_idle(&self) {
        drop(self.dispatcher.work_off().await);
        drop(self.sender.work_off().await);
    }
}

impl Shop {
    /// The program that lives.
    fn process(&self) -> &Process {
        if self.reaper.is_dead() { &self.survivor } else { &self.mortal }
    }

    /// What the model was asked so far.
    pub(super) fn asked(&self) -> Vec<ModelRequest> {
        self.asked.lock().unwrap().clone()
    }

    pub(super) fn advance_secs(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// A text of a customer.
    pub(super) fn text(&self, customer: u32, id: &str, words: &str) -> Value {
        let user = format!("BR.{customer}");
        let now = balcao_domain::Clock::now(&*self.clock).as_second().to_string();
        let message = json!({ "from": format!("55119{customer:08}"), "from_user_id": user, "id": id, "timestamp": now,
            "type": "text", "text": { "body": words } });
        let mut body = webhooks::envelope("messages", json!({ "messages": [message] }));
        body["entry"][0]["changes"][0]["value"]["metadata"]["phone_number_id"] = json!(self.channel.account.as_str());
        body
    }

    /// Delivers a message until it is taken, and works until nothing is left to do for the customer, through any crash of a program.
    pub(super) async fn serves(&self, customer: u32, messages: &[Value]) {
        for body in messages {
            let mut taken = false;
            for _ in 0..5 {
                taken = self.reaper.until_death(self.process().takes_in(body)).await.unwrap_or(false);
                if taken {
                    break;
                }
            }
            assert!(taken, "a message was never taken");
        }
        self.advance_secs(4);
        for _ in 0..60 {
            if self.reaper.until_death(self.process().run_until_idle()).await.is_some() && self.is_quiet(customer).await
            {
                return;
            }
            self.advance_secs(31);
        }
        panic!("customer {customer} waits for ever: {}", self.seen_of(customer).await);
    }

    async fn is_quiet(&self, customer: u32) -> bool {
        let left = self
            .rows(
                customer,
                &["SELECT CAST(COUNT(*) AS TEXT) FROM inbox WHERE state IN ('new', 'assigned') AND conversation_id = ?2 \
                   AND organization_id = ?1 AND ?3 > 0",
                    "SELECT CAST(COUNT(*) AS TEXT) FROM outbox WHERE state IN ('pending', 'sending') AND \
                     conversation_id = ?2 AND organization_id = ?1 AND ?3 > 0"],
            )
            .await;
        left == ["0", "0"]
    }

    /// Rows of queries by organization, conversation and contact, as texts.
    pub(super) async fn rows(&self, customer: u32, queries: &[&'static str]) -> Vec<String> {
        let (organization, queries) = (self.organization, queries.to_vec());
        let user = format!("BR.{customer}");
        let work = move |tx: &mut balcao_store::Tx<'_>| {
            let Some(contact) = balcao_store::crm::contact::find_by_channel_user(tx, organization, &user)? else {
                return Ok(Vec::new());
            };
            let all = balcao_store::messaging::conversation::of_contact(tx, organization, contact.id)?;
            let conversation = all.first().map_or(0, |one| i64::from(one.id));
            let values = [
                balcao_store::Value::Organization(organization.into()),
                balcao_store::Value::Integer(conversation),
                balcao_store::Value::Integer(contact.id.into()),
            ];
            let mut rows = Vec::new();
            for query in queries {
                rows.extend(tx.query_all(query, &values, |row| row.get::<String>(0))?);
            }
            Ok::<_, StoreError>(rows)
        };
        self.store.read(work).await.unwrap()
    }

    /// Lists all rows that judge a case, for the reader of a failed test.
    pub(super) async fn seen_of(&self, customer: u32) -> String {
        let mut all = self.rows(customer, &super::crash::STATE).await;
        all.extend(self.rows(customer, &[super::crash::OUTBOX]).await);
        all.join("\n")
    }
}
