//! The barbershop behind a WhatsApp number: webhooks in, messages out, everything between them real but the model, the clock
//! and Meta.

use std::sync::Arc;
use std::time::Duration;

use balcao_agent::{Profile, ProfileFile};
use balcao_app::context::budgets::{FileBudgets, StrangerBudgets};
use balcao_app::messaging::attachments::{AttachmentSettings, Attachments};
use balcao_app::messaging::inbox::{Accepted, Account, Inbox};
use balcao_app::messaging::outbound::message_templates::{ApprovedTemplate, Purpose, TemplateVariable};
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_app::messaging::outbound::sender::{Sender, SenderSettings};
use balcao_app::messaging::typing_indicator::TypingIndicator;
use balcao_app::timers::{TimerSettings, Timers};
use balcao_app::turns::dispatcher::{Dispatcher, DispatcherSettings};
use balcao_app::turns::{Agent, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_channel::channels::whatsapp::price::{Category, Rates};
use balcao_channel::channels::whatsapp::{Clocks, Config, WhatsApp, webhook};
use balcao_channel::{AccountId, Channel, DownloadLimits};
use balcao_domain::burst::BurstRules;
use balcao_domain::conversation::ConversationState;
use balcao_domain::inbox::InboxState;
use balcao_domain::outbox::OutboxState;
use balcao_domain::{Clock, ConversationId};
use balcao_llm::ChatProvider;
use balcao_llm::providers::scripted::{Line, Scripted, with};
use balcao_llm::transcribe::{OpenAiTranscriber, Transcriber, TranscriptionConfig};
use balcao_store::Lease;
use balcao_store::messaging::attachment::{self, Attachment};
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::inbox::InboxRow;
use balcao_store::messaging::outbox::Outbox;
use balcao_store::turns::lease::{self, LeaseRequest};
use balcao_store::{Store, StoreError, Tx, crm::contact, messaging::inbox, messaging::message, messaging::outbox};
use balcao_testkit::fakes::graph::{ACCOUNT, FakeGraph, TOKEN, Template, webhooks};
use balcao_testkit::fakes::transcription::{self, FakeTranscription};
use balcao_yaml::Document;
use jiff::SignedDuration;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::world::{World, on, root};

/// How long a turn waits for files.
pub(crate) const WAIT: Duration = Duration::from_secs(20);

/// The largest file that is taken.
pub(crate) const MAX_BYTES: usize = 64 * 1024;

pub(crate) struct MessagingHarness {
    pub(crate) world: World,
    pub(crate) model: Scripted,
    pub(crate) graph: FakeGraph,
    pub(crate) inbox: Inbox,
    pub(crate) dispatcher: Dispatcher,
    pub(crate) sender: Sender,
    pub(crate) files: Attachments,
    pub(crate) speech: FakeTranscription,
    front: Arc<TurnRunner>,
}

pub(crate) fn eli() -> Profile {
    let text = std::fs::read_to_string(root().join("agents/eli.yaml")).unwrap();
    let mut profile = Document::read("agents/eli.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile;
    profile.after_reply = balcao_agent::profile::AfterReply::default();
    profile
}

/// The harness on a Tuesday morning.
pub(crate) async fn start_harness(script: impl IntoIterator<Item = Line>) -> MessagingHarness {
    start_with_profile(eli(), script).await
}

/// The same with another profile; its id must be `eli`.
pub(crate) async fn start_with_profile(profile: Profile, script: impl IntoIterator<Item = Line>) -> MessagingHarness {
    start_on_store(Store::open_in_memory().unwrap(), profile, script).await
}

/// The same over another store.
pub(crate) async fn start_on_store(
    store: Store,
    profile: Profile,
    script: impl IntoIterator<Item = Line>,
) -> MessagingHarness {
    start_in_world(on(store, "barbearia-figueira.yaml", "2026-11-24T10:00").await, profile, script)
}

/// The same in a world that is there already.
pub(crate) fn start_in_world(
    world: World,
    profile: Profile,
    script: impl IntoIterator<Item = Line>,
) -> MessagingHarness {
    let model = Scripted::new(script);
    MessagingHarness { model: model.clone(), ..start_with_model(world, profile, Arc::new(model)) }
}

/// The same with any model.
pub(crate) fn start_with_model(world: World, profile: Profile, model: Arc<dyn ChatProvider>) -> MessagingHarness {
    let settings = Settings {
        professional: None,
        allow_new_tags: profile.allow_new_tags,
        reminder_minutes: profile.reminder_minutes,
        followup_delays: profile.followup_delays.clone(),
    };
    let registry = balcao_builtin_tools::registry(&world.app, &settings).unwrap();
    let agent = Agent::new(profile, &registry, model);
    let front = Arc::new(TurnRunner::new(world.app.clone(), [agent]));
    let graph = meta(&world);
    let wake = Arc::new(Notify::new());
    let account = Account {
        channel: "whatsapp".to_owned(),
        account: ACCOUNT.to_owned(),
        business: Some(webhooks::BUSINESS.to_owned()),
        organization: world.organization,
    };
    let inbox = Inbox::new(world.app.clone(), [account], BurstRules::default(), Arc::clone(&wake));
    let dispatcher = process(&front, "the first process");
    let inbox = inbox.with_files(Arc::new(Notify::new()), WAIT).with_rates(terms().rates);
    let sender = sender(&world, &graph);
    let speech = FakeTranscription::start().unwrap();
    let files = files(&world, &graph, Some(&speech), AttachmentSettings::default());
    MessagingHarness { world, model: Scripted::new([]), graph, inbox, dispatcher, sender, files, speech, front }
}

/// Meta by the world's clock, with the templates of [`terms`].
pub(crate) fn meta(world: &World) -> FakeGraph {
    let graph = FakeGraph::start_by(world.clock.clone()).unwrap();
    graph.keep_template(Template::new("lembrete", "Oi {{nome}}, seu horário é {{dia}}, às {{hora}}. Você vem?"));
    graph.keep_template(Template::new("retomada", "Oi {{nome}}, a {{loja}} respondeu à sua mensagem. Quer ver?"));
    graph
}

fn process(front: &Arc<TurnRunner>, owner: &str) -> Dispatcher {
    let settings = DispatcherSettings::new("eli", owner);
    Dispatcher::new(Arc::clone(front), settings, Arc::new(Notify::new()), Arc::new(Notify::new()))
}

/// The terms of a shop with a template for reminders and one for what came too late.
pub(crate) fn terms() -> SendPolicy {
    let gaps =
        |gaps: &[(&str, TemplateVariable)]| gaps.iter().map(|(name, fact)| (Some((*name).to_owned()), *fact)).collect();
    let template = |name: &str, all: &[(&str, TemplateVariable)]| ApprovedTemplate {
        name: name.to_owned(),
        language: "pt_BR".to_owned(),
        category: Category::Utility,
        parameters: gaps(all),
        quick_replies: Vec::new(),
    };
    let reminder = template(
        "lembrete",
        &[("nome", TemplateVariable::Customer), ("dia", TemplateVariable::Day), ("hora", TemplateVariable::Time)],
    );
    let reopen = template("retomada", &[("nome", TemplateVariable::Customer), ("loja", TemplateVariable::Business)]);
    SendPolicy {
        templates: [(Purpose::Reminder, reminder), (Purpose::Reopen, reopen)].into(),
        rates: Some(Rates { service: 40_000, utility: 40_000, marketing: 350_000, authentication: 40_000 }),
        cap_micros: None,
    }
}

impl MessagingHarness {
    /// What is due fires, on these terms; then messages leave.
    pub(crate) async fn fires(&self, terms: SendPolicy) -> usize {
        let (channels, outgoing) = ([account(&self.graph)], Arc::new(Notify::new()));
        let settings = TimerSettings::default();
        let timers = Timers::new(Arc::clone(&self.front), "eli", channels, terms.clone(), settings, outgoing);
        let fired = timers.work_off().await.unwrap();
        self.sends(terms).await;
        fired
    }

    /// Messages leave on these terms.
    pub(crate) async fn sends(&self, terms: SendPolicy) {
        let sender = sender(&self.world, &self.graph).with_terms("whatsapp", ACCOUNT, terms);
        sender.work_off().await.unwrap();
    }

    /// Returns the harness with a typing indicator for customers.
    pub(crate) fn present(mut self) -> Self {
        self.dispatcher = self.dispatcher.with_typing_indicator(TypingIndicator::new([account(&self.graph)]));
        self
    }
}

pub(crate) fn account(graph: &FakeGraph) -> Arc<dyn Channel> {
    // Machines are slow; where a test waits for the end of it, virtual time passes.
    let clocks = Clocks { whole: Duration::from_mins(1), file: Duration::from_mins(1), ..Clocks::default() };
    let config = Config { base_url: graph.url(), clocks, ..Config::new(AccountId::new(ACCOUNT), TOKEN.into()) };
    Arc::new(WhatsApp::new(config).unwrap())
}

pub(crate) fn sender(world: &World, graph: &FakeGraph) -> Sender {
    Sender::new(world.app.clone(), [account(graph)], SenderSettings::default(), Arc::new(Notify::new()))
}

fn files(
    world: &World,
    graph: &FakeGraph,
    speech: Option<&FakeTranscription>,
    settings: AttachmentSettings,
) -> Attachments {
    let transcriber = speech.map(|speech| -> Arc<dyn Transcriber> {
        let config = TranscriptionConfig {
            base_url: speech.url(),
            model: transcription::MODEL.to_owned(),
            key: Some(transcription::KEY.into()),
            language: Some("pt".to_owned()),
            within: Duration::from_mins(1),
        };
        Arc::new(OpenAiTranscriber::new(config).unwrap())
    });
    let limits = DownloadLimits { max_bytes: MAX_BYTES, ..DownloadLimits::default() };
    let settings = AttachmentSettings { limits, longest_sound: Duration::from_secs(60), ..settings };
    let (wake, ripe) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    Attachments::new(world.app.clone(), [account(graph)], transcriber, settings, wake, ripe)
}

/// Waits for the database in a model's line: it answers on a thread of its own.
pub(crate) fn wait<T: Send>(work: impl Future<Output = T> + Send) -> T {
    std::thread::scope(|scope| {
        let wait = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(work);
        scope.spawn(wait).join().unwrap()
    })
}

impl MessagingHarness {
    /// Returns the harness without a transcriber of sound.
    pub(crate) fn deaf(mut self) -> Self {
        self.files = files(&self.world, &self.graph, None, AttachmentSettings::default());
        self
    }

    /// Returns the harness without a transcriber, where files may take so much.
    pub(crate) fn within(mut self, budgets: FileBudgets) -> Self {
        let settings = AttachmentSettings { budgets, ..AttachmentSettings::default() };
        self.files = files(&self.world, &self.graph, None, settings);
        self
    }

    /// Returns the harness where strangers may cost so much, and a minute of their sound so many millionths of a US dollar.
    pub(crate) fn with_strangers(mut self, strangers: StrangerBudgets, micro_usd_minute: u64) -> Self {
        let transcription_micro_usd_minute = Some(micro_usd_minute);
        let settings =
            AttachmentSettings { strangers, transcription_micro_usd_minute, ..AttachmentSettings::default() };
        self.files = files(&self.world, &self.graph, Some(&self.speech), settings);
        self
    }

    /// The customers' files of the conversation, in order.
    pub(crate) async fn attachments(&self) -> Vec<Attachment> {
        let (organization, id) = (self.world.organization, self.id().await);
        self.in_transaction(move |tx| attachment::of_conversation(tx, organization, id, 100)).await
    }

    /// Another process over the same database.
    pub(crate) fn another_process(&self) -> Dispatcher {
        process(&self.front, "another process")
    }

    pub(crate) fn advance_secs(&self, seconds: i64) {
        self.world.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// Meta posts this body.
    pub(crate) async fn delivers(&self, body: &Value) -> Accepted {
        let events = webhook::parse(body.to_string().as_bytes()).unwrap();
        self.inbox.accept("whatsapp", events).await.unwrap()
    }

    /// João sends something now.
    pub(crate) async fn joao_sends(&self, id: &str, what: Value) -> Accepted {
        self.delivers(&self.of_joao(id, what)).await
    }

    pub(crate) async fn joao_writes(&self, id: &str, text: &str) -> Accepted {
        self.joao_sends(id, json!({ "type": "text", "text": { "body": text } })).await
    }

    /// Sends content from a person with these ids now; a person without a number hides it.
    pub(crate) async fn sends_as(&self, number: Option<&str>, user: Option<&str>, id: &str, what: Value) -> Accepted {
        let now = self.world.clock.now().as_second().to_string();
        let mut whole = json!({ "from": number, "from_user_id": user, "id": id, "timestamp": now });
        whole.as_object_mut().unwrap().extend(what.as_object().unwrap().clone());
        self.delivers(&webhooks::envelope("messages", json!({ "messages": [whole] }))).await
    }

    /// Sends a text from a person with these ids now.
    pub(crate) async fn writes_as(&self, number: Option<&str>, user: Option<&str>, id: &str, text: &str) -> Accepted {
        self.sends_as(number, user, id, json!({ "type": "text", "text": { "body": text } })).await
    }

    fn of_joao(&self, id: &str, mut what: Value) -> Value {
        let now = self.world.clock.now().as_second().to_string();
        what.as_object_mut().unwrap().entry("timestamp").or_insert(json!(now));
        webhooks::message(id, what)
    }

    /// The model's line, said after João has written something more.
    pub(crate) fn after_joao_writes(&self, id: &str, text: &str, line: Line) -> Line {
        let body = self.of_joao(id, json!({ "type": "text", "text": { "body": text } }));
        self.after_delivery(&body, line)
    }

    /// The model's line, said after Meta posted something.
    pub(crate) fn after_delivery(&self, body: &Value, line: Line) -> Line {
        let (inbox, events) = (self.inbox.clone(), webhook::parse(body.to_string().as_bytes()).unwrap());
        with(move |_| {
            wait(inbox.accept("whatsapp", events)).unwrap();
            line
        })
    }

    /// The burst ripens, turns run, messages leave.
    pub(crate) async fn run_until_idle(&self) {
        self.advance_secs(3);
        self.dispatcher.work_off().await.unwrap();
        self.sender.work_off().await.unwrap();
    }

    /// What Meta accepted for João, in order.
    pub(crate) fn texts(&self) -> Vec<String> {
        let text = |message: Value| {
            let body = message["text"]["body"].as_str().or_else(|| message["interactive"]["body"]["text"].as_str());
            body.unwrap_or_default().to_owned()
        };
        self.graph.accepted().into_iter().map(text).collect()
    }

    pub(crate) async fn in_transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.world.app.store.write(work).await.unwrap()
    }

    /// The conversation with João.
    pub(crate) async fn conversation(&self) -> Conversation {
        let organization = self.world.organization;
        self.in_transaction(move |tx| {
            let joao = contact::find_by_channel_user(tx, organization, "BR.1234567890")?.unwrap();
            Ok(conversation::of_contact(tx, organization, joao.id)?.remove(0))
        })
        .await
    }

    async fn id(&self) -> ConversationId {
        self.conversation().await.id
    }

    pub(crate) async fn inbox_rows(&self) -> Vec<InboxRow> {
        let (organization, id) = (self.world.organization, self.id().await);
        self.in_transaction(move |tx| inbox::of_conversation(tx, organization, id, 100)).await
    }

    pub(crate) async fn inbox_states(&self) -> Vec<InboxState> {
        self.inbox_rows().await.into_iter().map(|row| row.state).collect()
    }

    pub(crate) async fn outbox(&self) -> Vec<Outbox> {
        let (organization, id) = (self.world.organization, self.id().await);
        self.in_transaction(move |tx| outbox::of_conversation(tx, organization, id)).await
    }

    /// Reads the messages of the outbox, for all recipients.
    pub(crate) async fn outbox_of_all(&self) -> Vec<Outbox> {
        let organization = self.world.organization;
        self.in_transaction(move |tx| {
            let all = conversation::list(tx, organization, &ConversationState::ALL, 1_000)?;
            let of = |one: &Conversation| outbox::of_conversation(tx, organization, one.id);
            Ok(all.iter().map(of).collect::<Result<Vec<_>, _>>()?.concat())
        })
        .await
    }

    pub(crate) async fn outbox_states(&self) -> Vec<OutboxState> {
        self.outbox().await.into_iter().map(|row| row.state).collect()
    }

    pub(crate) async fn thread(&self) -> Vec<(message::Author, String)> {
        let (organization, id) = (self.world.organization, self.id().await);
        let all = self.in_transaction(move |tx| message::last(tx, organization, id, 50)).await;
        all.into_iter().map(|message| (message.author, message.text)).collect()
    }

    /// Another owner leases the due conversations, for this many seconds.
    pub(crate) async fn lease(&self, owner: &'static str, seconds: i64) -> Lease {
        let now = self.world.clock.now();
        let until = now.checked_add(SignedDuration::from_secs(seconds)).unwrap();
        let lease =
            move |tx: &mut Tx<'_>| lease::lease_due(tx, &LeaseRequest { owner, now, until, limit: 1, suspects: 1 });
        self.in_transaction(lease).await.remove(0).lease
    }

    /// Returns `true` if the holder has lost the lease.
    pub(crate) async fn lost(&self, lease: Lease) -> bool {
        let guarded: Result<(), StoreError> = self.world.app.store.write(move |tx| lease::guard(tx, &lease)).await;
        guarded.is_err()
    }

    /// A staff member takes over the conversation with João.
    pub(crate) async fn staff_takes_over(&self) {
        let (organization, id) = (self.world.organization, self.id().await);
        let staff = self.in_transaction(move |tx| balcao_store::crm::staff::list(tx, organization)).await.remove(0);
        let conversations = balcao_app::conversations::Conversations::new(self.world.app.clone());
        conversations.take(organization, id, staff.email).await.unwrap().unwrap();
    }

    /// The last thing that the model was asked.
    pub(crate) fn asked(&self) -> String {
        match self.model.last_request().unwrap().messages.last() {
            Some(balcao_llm::Message::User { text }) => text.clone(),
            other => panic!("the model was asked {other:?}"),
        }
    }
}
