//! A business with everything that serves it, over a database of its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use balcao_agent::ProfileFile;
use balcao_app::{
    AppContext,
    admin::seed::BusinessFile,
    messaging::inbox::{Account, Inbox},
    messaging::outbound::sender::{Sender, SenderSettings},
    turns::dispatcher::{Dispatcher, DispatcherSettings},
    turns::{Agent, TurnRunner},
};
use balcao_builtin_tools::{Settings, registry};
use balcao_channel::{Channel, channels::whatsapp::webhook};
use balcao_domain::{ManualClock, OrganizationId, burst::BurstRules};
use balcao_store::{Probe, RecordedTransaction, Store};
use balcao_yaml::Problem;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    database::ScratchDatabase,
    stand_ins::{AcceptingChannel, BookingModel},
};

/// The account that messages come in for.
pub(crate) const ACCOUNT: &str = "7001";
const NOW: Timestamp = Timestamp::constant(1_795_489_200, 0);

const BUSINESS: &str = r#"
organization:
  name: Bancada
  slug: bancada
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"], fri: ["09:00-19:00"], sat: ["09:00-19:00"]}
  scheduling: {slot_step_minutes: 30, minimum_notice_minutes: 0, maximum_advance_days: 900, cancellation_notice_minutes: 0, maximum_open_appointments: 1000}
services:
  - {name: Corte, price: "45.00", duration_minutes: 30}
  - {name: Barba, price: "35.00", duration_minutes: 30}
professionals:
  - {name: Ana Prado, aliases: [Ana], hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"], thu: ["09:00-19:00"], fri: ["09:00-19:00"], sat: ["09:00-19:00"]}, services: [Corte, Barba]}
  - {name: Bia Melo, aliases: [Bia], hours: {tue: ["09:00-19:00"], fri: ["09:00-19:00"]}, services: [Corte]}
"#;

/// Keeps what transactions did.
#[derive(Debug, Default)]
pub(crate) struct TransactionRecorder(Mutex<Vec<RecordedTransaction>>);

impl TransactionRecorder {
    pub(crate) fn take(&self) -> Vec<RecordedTransaction> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Probe for TransactionRecorder {
    fn tapes(&self) -> bool {
        true
    }

    fn ran(&self, transaction: RecordedTransaction) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(transaction);
    }
}

/// A business that is served.
pub(crate) struct ServedBusiness {
    pub(crate) context: AppContext,
    pub(crate) organization: OrganizationId,
    pub(crate) inbox: Inbox,
    pub(crate) provider: Arc<AcceptingChannel>,
    dispatcher: Dispatcher,
    sender: Arc<Sender>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// A database with the business alone: where a tape begins.
pub(crate) async fn fill(database: &ScratchDatabase) -> Result<(Store, OrganizationId)> {
    let store = database.open()?;
    store.migrate().await?;
    let file = BusinessFile::read("bench", BUSINESS).map_err(|problems| invalid(&problems))?;
    let imported = file.import(&store, NOW).await?;
    Ok((store, imported.organization))
}

/// Mistakes of the files that are built in.
fn invalid(problems: &[Problem]) -> anyhow::Error {
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    anyhow!(problems.join("\n"))
}

impl ServedBusiness {
    /// Everything that serves, with a model that thinks so long, and so many turns at a time.
    pub(crate) async fn new(
        database: &ScratchDatabase,
        latency: Duration,
        at_once: u32,
        tape: Option<Arc<TransactionRecorder>>,
    ) -> Result<Self> {
        let (store, organization) = fill(database).await?;
        let store = match tape {
            Some(tape) => store.probed(tape),
            None => store,
        };
        let context = AppContext::new(store, Arc::new(ManualClock::at(NOW)));
        let document = balcao_yaml::Document::read("agents/eli.yaml", include_str!("../../../agents/eli.yaml"));
        let read = document.and_then(|document| document.read_as::<ProfileFile>());
        let mut profile = read?.profile;
        profile.guardrails.max_messages_per_day = 0;
        profile.guardrails.flood_per_minute = 0;
        profile.after_reply = balcao_agent::profile::AfterReply::default();
        let id = profile.id.clone();
        let settings =
            Settings { professional: None, allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![30] };
        let registry = registry(&context, &settings).map_err(|problems| invalid(&problems))?;
        let agent = Agent::new(profile, &registry, Arc::new(BookingModel { latency }));
        let front = Arc::new(TurnRunner::new(context.clone(), [agent]));
        let (wake, outgoing) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let burst = BurstRules { quiet: Duration::ZERO, ..BurstRules::default() };
        let account =
            Account { channel: "whatsapp".to_owned(), account: ACCOUNT.to_owned(), business: None, organization };
        let inbox = Inbox::new(context.clone(), [account], burst, Arc::clone(&wake));
        let settings =
            DispatcherSettings { max_concurrent_turns: at_once, burst, ..DispatcherSettings::new(id, "bench") };
        let dispatcher = Dispatcher::new(front, settings, wake, Arc::clone(&outgoing));
        let provider = AcceptingChannel::new(ACCOUNT);
        let channel: Arc<dyn Channel> = Arc::<AcceptingChannel>::clone(&provider);
        let settings = SenderSettings { at_once: at_once.max(16), ..SenderSettings::default() };
        let sender = Arc::new(Sender::new(context.clone(), [channel], settings, outgoing));
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        Ok(Self { context, organization, inbox, provider, dispatcher, sender, stop, tasks })
    }

    /// From now on messages are answered.
    pub(crate) fn start(&self) {
        let (dispatcher, stop) = (self.dispatcher.clone(), self.stop.clone());
        self.tasks.spawn(async move { dispatcher.run(stop).await });
        let (sender, stop) = (Arc::clone(&self.sender), self.stop.clone());
        self.tasks.spawn(async move { sender.run(stop).await });
    }

    /// Ends what runs.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// The customer with this number writes: the delivery is durable when this returns.
    pub(crate) async fn deliver(&self, number: &str, text: &str) -> Result<()> {
        let body = message(number, &uuid::Uuid::now_v7().to_string(), text).to_string();
        let events = webhook::parse(body.as_bytes())?;
        let accepted = self.inbox.accept("whatsapp", events).await;
        Ok(accepted.map(drop)?)
    }
}

/// A text as Meta posts it.
pub(crate) fn message(number: &str, id: &str, text: &str) -> Value {
    let message = json!({ "from": number, "id": id, "timestamp": NOW.as_second().to_string(), "type": "text",
        "text": { "body": text } });
    let metadata = json!({ "display_phone_number": "551130001000", "phone_number_id": ACCOUNT });
    let value = json!({ "messaging_product": "whatsapp", "metadata": metadata, "messages": [message] });
    let change = json!({ "field": "messages", "value": value });
    json!({ "object": "whatsapp_business_account", "entry": [{ "id": "9001", "changes": [change] }] })
}

/// A mobile number of São Paulo.
pub(crate) fn number(customer: u32) -> String {
    format!("55119{:08}", 10_000_000_u32.saturating_add(customer))
}
