//! The front desk: from a customer's message to the stored reply.
//!
//! [`FrontDesk::answer`] opens a turn in one transaction, drives it, and closes it in another: record, reply, handoff and
//! conversation commit together, after a last look at whether a person took over meanwhile. A turn that a crash cut short is
//! taken up from its saved state before the next message is looked at.
//!
//! [`FrontDesk::answer_claimed`] does the same for a conversation that the dispatcher claimed: every transaction demands its
//! lease, and the last one writes the outbox, settles the inbox and ends the lease.
//!
//! Not here: the rules of a turn (`balcao-agent`), who claims (`dispatcher`), channels.

mod after_reply;
pub(crate) mod choices;
mod close;
mod closed;
mod context;
pub mod dispatcher;
mod journal;
mod leased;
mod open;
mod reply_context;
pub(crate) mod side_request;
mod stale_inbound;
mod strangers;
pub mod summaries;
pub mod traces;
pub mod turn_completion;
mod unreadable_message;
pub mod watchdog;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use balcao_agent::driver::{Interrupted, Observer, drive};
use balcao_agent::sanitise::{Sanitiser, SanitiserConfig};
use balcao_agent::streaming::{ReplySink, StreamingModel};
use balcao_agent::{Ending, Profile, Turn, TurnInput, TurnState, spans};
use balcao_domain::{ContactId, ConversationId, OrganizationId, Phone, TurnId};
use balcao_llm::ChatProvider;
use balcao_planted::{self as planted, Bug};
use balcao_store::StoreError;
use balcao_tool::{Registry, Tool, Toolbox};
use tokio::sync::Mutex;
use tracing::Instrument;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::budgets::StrangerBudgets;
use crate::context::metrics::Meter;
use crate::turns::closed::Closed;
pub(crate) use context::in_words;
use journal::Stop;
use leased::LeaseContext;
pub use open::Opened;

/// A profile, ready to answer.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The profile.
    pub profile: Arc<Profile>,
    /// Its tools.
    pub toolbox: Arc<Toolbox>,
    /// Its model, with retries and fall-backs inside.
    pub model: Arc<dyn ChatProvider>,
    /// The tools that run when a conversation was handed over.
    pub on_handoff: Vec<Arc<Tool>>,
    /// What its model costs counts for strangers of the web chat, who have these ceilings; only for the time of one turn.
    counted: Option<StrangerBudgets>,
}

impl Agent {
    /// Binds a profile to its tools and its model.
    #[must_use]
    pub fn new(profile: Profile, registry: &Registry, model: Arc<dyn ChatProvider>) -> Self {
        let toolbox = Arc::new(profile.toolbox(registry));
        let on_handoff = profile.on_handoff.iter().filter_map(|name| registry.get(name).map(Arc::clone)).collect();
        Self { profile: Arc::new(profile), toolbox, model, on_handoff, counted: None }
    }

    pub(crate) fn sanitiser_for(&self, public_texts: Vec<String>) -> Sanitiser {
        let mut fields: Vec<String> = Vec::new();
        for tool in self.toolbox.iter() {
            for schema in [&tool.spec.input_schema, &tool.spec.output_schema] {
                collect_fields(schema, &mut fields);
            }
        }
        fields.sort();
        fields.dedup();
        let reply = &self.profile.reply;
        Sanitiser::new(SanitiserConfig {
            tool_names: self.toolbox.iter().map(|tool| tool.spec.name.clone()).collect(),
            field_names: fields,
            allowed_hosts: reply.allowed_hosts.iter().cloned().chain(hosts(&public_texts)).collect(),
            hide_model_identity: reply.hide_model_identity,
            max_chars: reply.max_chars,
            public_texts,
        })
    }
}

/// What a customer wrote.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// To whom.
    pub organization: OrganizationId,
    /// How it came: `terminal`, `whatsapp`, …
    pub channel: String,
    /// From whom.
    pub from: ContactRef,
    /// The name that the channel gives, for a contact that is not known yet.
    pub name: Option<String>,
    /// The messages; several are answered together.
    pub texts: Vec<String>,
}

/// Who wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactRef {
    /// Whoever has this number; a contact is made if nobody is known to.
    Phone(Phone),
    /// A contact that exists.
    Contact(ContactId),
}

/// What became of a message.
#[derive(Debug, Clone)]
pub struct TurnOutcome {
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// How it ended, as stored: a reply that came too late is silence.
    pub ending: Ending,
    /// Everything that happened in it.
    pub state: TurnState,
    /// How its messages came.
    pub(crate) channel: String,
}

/// Why a message could not be answered. The message itself is stored, unless the error says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// No such profile.
    #[error("there is no profile `{name}`; there are: {known}")]
    UnknownProfile {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// The database or the organization's data.
    #[error(transparent)]
    UseCase(#[from] UseCaseError),
    /// The prompt could not be built.
    #[error(transparent)]
    Prompt(#[from] balcao_agent::prompt::PromptError),
    /// A step could not be saved; the turn is taken up again with the next message.
    #[error(transparent)]
    Journal(#[from] Interrupted),
}

impl From<StoreError> for AnswerError {
    fn from(error: StoreError) -> Self {
        Self::UseCase(error.into())
    }
}

/// A sanitiser, with the tools that it was made for. Of a profile whose tools changed the last one is kept, too: a turn may still be at
/// work with them.
type Made = (Arc<Toolbox>, Arc<Sanitiser>);

/// Answers customers. Cheap to share.
pub struct TurnRunner {
    desk: AppContext,
    agents: std::sync::RwLock<BTreeMap<String, Agent>>,
    sanitisers: std::sync::Mutex<HashMap<(OrganizationId, String), Vec<Made>>>,
    /// What strangers of the web chat may cost in a day, and what answers them after it; without it a person does.
    strangers: (StrangerBudgets, Option<Arc<dyn ChatProvider>>),
    /// One turn at a time per contact and channel.
    lanes: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl std::fmt::Debug for TurnRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrontDesk").field("profiles", &self.names()).finish_non_exhaustive()
    }
}

impl TurnRunner {
    /// A front desk with its agents, by profile id.
    #[must_use]
    pub fn new(desk: AppContext, agents: impl IntoIterator<Item = Agent>) -> Self {
        let agents = agents.into_iter().map(|agent| (agent.profile.id.clone(), agent)).collect();
        let agents = std::sync::RwLock::new(agents);
        let strangers = (StrangerBudgets::default(), None);
        Self { desk, agents, sanitisers: std::sync::Mutex::default(), strangers, lanes: std::sync::Mutex::default() }
    }

    /// The same, where strangers of the web chat may cost so much in a day, all together. After it `instead` answers those whose profile has
    /// it answer when no model does, and a person the others.
    #[must_use]
    pub fn with_strangers(self, budgets: StrangerBudgets, instead: Arc<dyn ChatProvider>) -> Self {
        Self { strangers: (budgets, Some(instead)), ..self }
    }

    /// Store and clock.
    #[must_use]
    pub fn desk(&self) -> &AppContext {
        &self.desk
    }

    /// One agent, as it is now: whoever holds it works with one snapshot.
    ///
    /// # Errors
    /// [`AnswerError::UnknownProfile`], with the names that exist.
    pub fn agent(&self, profile: &str) -> Result<Agent, AnswerError> {
        let agents = self.agents.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        agents.get(profile).cloned().ok_or_else(|| AnswerError::UnknownProfile {
            name: profile.to_owned(),
            known: agents.keys().cloned().collect::<Vec<_>>().join(", "),
        })
    }

    /// From the next turn on this agent answers in the place of the one with its profile's id.
    pub fn replace(&self, agent: Agent) {
        let mut agents = self.agents.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        agents.insert(agent.profile.id.clone(), agent);
    }

    fn names(&self) -> Vec<String> {
        self.agents.read().unwrap_or_else(std::sync::PoisonError::into_inner).keys().cloned().collect()
    }

    /// Answers a message: opens a turn, drives it, closes it. Messages of one contact are answered one after the other.
    ///
    /// # Errors
    /// [`AnswerError`]. Whatever a model or a tool does is no error here: it ends in a reply or a person.
    pub async fn answer(
        &self,
        profile: &str,
        inbound: TurnRequest,
        observer: Option<&dyn Observer>,
    ) -> Result<TurnOutcome, AnswerError> {
        self.answer_live(profile, inbound, observer, None).await
    }

    /// The same, and `live` sees the reply while it is written: nothing that the reply will not begin with, unless it is told
    /// that what it saw is void.
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub async fn answer_live(
        &self,
        profile: &str,
        inbound: TurnRequest,
        observer: Option<&dyn Observer>,
        live: Option<&dyn ReplySink>,
    ) -> Result<TurnOutcome, AnswerError> {
        let mut agent = self.agent(profile)?;
        let lane = self.lane(&inbound);
        let _only_one = lane.lock().await;
        let meter = Meter::start(agent.model.model(), observer);
        let mut opened = loop {
            let needs = open::LoadOptions::of(&agent, !self.has_sanitiser(inbound.organization, &agent));
            match open::open(&self.desk, &agent, &inbound, needs).await? {
                open::OpenResult::Fresh(opened) => break *opened,
                open::OpenResult::Interrupted { mut opened, saved } => {
                    strangers::within_day(self, &mut agent, &mut opened).await?;
                    let texts = open::inbound_of(&self.desk, opened.organization.id, opened.conversation.id).await?;
                    let turn = self.take_up(&agent, &opened, saved.as_deref(), texts)?;
                    self.run(&agent, *opened, turn, &meter, (None, None)).await?;
                }
            }
        };
        strangers::within_day(self, &mut agent, &mut opened).await?;
        let mut turn = self.begin(&agent, &opened, inbound.texts.join("\n"))?;
        loop {
            match self.run(&agent, opened, turn, &meter, (None, live)).await? {
                Closed::Done(answered) => return Ok(*answered),
                Closed::Superseded { opened: again, inbound } => {
                    opened = *again;
                    strangers::within_day(self, &mut agent, &mut opened).await?;
                    turn = self.begin(&agent, &opened, inbound)?;
                }
            }
        }
    }

    /// Steps that a profile asks for after the reply. Call it when the reply is on its way; it changes nothing if the turn
    /// ended otherwise, and whatever fails in it is logged only.
    pub async fn after_reply(&self, profile: &str, answered: &TurnOutcome, organization: OrganizationId) {
        let Ok(agent) = self.agent(profile) else { return };
        let ran = match strangers::after_reply(self, agent, organization, answered).await {
            Ok(agent) => after_reply::run(&self.desk, &agent, organization, answered).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = ran {
            tracing::warn!(turn = %answered.turn, %error, "a step after the reply failed");
        }
    }

    fn begin(&self, agent: &Agent, opened: &Opened, inbound: String) -> Result<Turn, AnswerError> {
        let setup = context::setup(agent, opened, self.sanitiser(agent, opened))?;
        Ok(Turn::begin(
            setup,
            TurnInput {
                principal: opened.principal(agent),
                now: opened.now.clone(),
                inbound,
                breaker: opened.breaker.clone(),
                memory: opened.memory.clone(),
                held: opened.held.clone(),
                guard: opened.guard.clone(),
            },
        ))
    }

    /// Drives a turn to its end and closes it: under a lease, if it was claimed.
    async fn run(
        &self,
        agent: &Agent,
        opened: Opened,
        mut turn: Turn,
        meter: &Meter<'_>,
        (under, live): (Option<LeaseContext>, Option<&dyn ReplySink>),
    ) -> Result<Closed, AnswerError> {
        let journal = journal::StoreJournal::new(&self.desk, agent, &opened, under.clone());
        let (conversation, id) = (opened.conversation.id.to_string(), opened.turn.to_string());
        let span = spans::of_turn(&agent.profile.id, &conversation, &id);
        let sanitiser = Arc::clone(&turn.setup().sanitiser);
        let staff_facing = opened.principal(agent).staff_facing;
        let streamed = live.map(|live| StreamingModel::new(agent.model.as_ref(), live, sanitiser, staff_facing));
        let model: &dyn ChatProvider = match &streamed {
            Some(streamed) => streamed,
            None => agent.model.as_ref(),
        };
        let driven = Box::pin(drive(&mut turn, model, &journal, Some(meter)));
        let ending = match driven.instrument(span.clone()).await {
            Ok(ending) => ending,
            Err(Interrupted::Stopped) => match journal.why_stopped() {
                Stop::TakenOver => turn.stop("a person took over"),
                Stop::Superseded { opened, inbound } => return Ok(Closed::Superseded { opened, inbound }),
                Stop::Lost(error) => return Err(UseCaseError::from(error).into()),
            },
            Err(error) => return Err(error.into()),
        };
        span.record("balcao.outcome", ending.outcome());
        if let Ending::Handoff { reason, .. } = &ending
            && reason.is_failure()
        {
            spans::failed(&span, reason.code());
        }
        let under = under.map(|under| under.after(turn.state(), &agent.toolbox));
        let (organization, spent) = (opened.organization.id, close::spent(turn.state()));
        let closing = Box::pin(close::close(&self.desk, opened, turn.into_state(), ending, under));
        let closed = closing.instrument(span).await?;
        strangers::count(&self.desk, agent, organization, (spent.tokens, spent.cost_micro_usd)).await;
        if let Closed::Done(answered) = &closed {
            meter.ended(answered, &agent.toolbox);
        }
        Ok(closed)
    }

    /// A turn that was cut short goes on from its last saved step; one that had none begins anew with the messages that
    /// nobody answered.
    fn take_up(
        &self,
        agent: &Agent,
        opened: &Opened,
        saved: Option<&str>,
        unanswered: String,
    ) -> Result<Turn, AnswerError> {
        let saved = saved.filter(|_| !planted::has(Bug::ModelAskedAgain));
        let Some(saved) = saved else { return self.begin(agent, opened, unanswered) };
        let setup = context::setup(agent, opened, self.sanitiser(agent, opened))?;
        let state = serde_json::from_str::<TurnState>(saved).map_err(|error| error.to_string());
        match state.and_then(|state| Turn::resume(setup, state)) {
            Ok(turn) => Ok(turn),
            // What it had done is in the ledger; what it was about to do only a person can tell.
            Err(reason) => {
                tracing::error!(turn = %opened.turn, reason, "a saved turn cannot be read: a person takes over");
                let mut turn = self.begin(agent, opened, unanswered)?;
                turn.abandon(&format!("the saved state of turn {} cannot be read: {reason}", opened.turn));
                Ok(turn)
            }
        }
    }

    fn lane(&self, inbound: &TurnRequest) -> Arc<Mutex<()>> {
        let who = match &inbound.from {
            ContactRef::Phone(phone) => phone.identity().as_str().to_owned(),
            ContactRef::Contact(id) => id.to_string(),
        };
        let name = format!("{}/{}/{who}", inbound.organization, inbound.channel);
        let mut lanes = self.lanes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if lanes.len() > 4_096 {
            lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
        }
        Arc::clone(lanes.entry(name).or_default())
    }

    fn has_sanitiser(&self, organization: OrganizationId, agent: &Agent) -> bool {
        let sanitisers = self.sanitisers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let held = sanitisers.get(&(organization, agent.profile.id.clone()));
        held.is_some_and(|all| all.iter().any(|(toolbox, _)| Arc::ptr_eq(toolbox, &agent.toolbox)))
    }

    fn sanitiser(&self, agent: &Agent, opened: &Opened) -> Arc<Sanitiser> {
        let mut sanitisers = self.sanitisers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let key = (opened.organization.id, agent.profile.id.clone());
        let all = sanitisers.entry(key).or_default();
        if let Some((_, held)) = all.iter().find(|(toolbox, _)| Arc::ptr_eq(toolbox, &agent.toolbox)) {
            return Arc::clone(held);
        }
        let made = Arc::new(agent.sanitiser_for(opened.public_texts.clone()));
        all.insert(0, (Arc::clone(&agent.toolbox), Arc::clone(&made)));
        all.truncate(2);
        made
    }
}

/// The person whom the next handoff would be assigned to; `None` means the queue.
///
/// # Errors
/// [`UseCaseError`] if the database failed.
pub async fn next_assignee(desk: &AppContext, organization: OrganizationId) -> Result<Option<String>, UseCaseError> {
    desk.look(move |tx, _now| {
        Ok(balcao_store::messaging::conversation::least_loaded(tx, organization)?.map(|(_, name)| name))
    })
    .await
}

/// Which opening of a conversation this is: limits per episode count from its last one.
///
/// # Errors
/// [`UseCaseError`] if the database failed.
pub async fn episode(
    desk: &AppContext,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<u32, UseCaseError> {
    desk.look(move |tx, _now| {
        let found = balcao_store::messaging::conversation::get(tx, organization, conversation)?;
        Ok(u32::try_from(found.episode).unwrap_or(u32::MAX))
    })
    .await
}

/// The names of all fields that a schema speaks of, at any depth.
fn collect_fields(schema: &serde_json::Value, fields: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(serde_json::Value::as_object) {
        for (name, property) in properties {
            fields.push(name.clone());
            collect_fields(property, fields);
        }
    }
    if let Some(items) = schema.get("items") {
        collect_fields(items, fields);
    }
}

/// The hosts of all links in texts that the business publishes.
fn hosts(texts: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts {
        for (_, rest) in text.match_indices("://").filter_map(|(at, mark)| text.split_at_checked(at + mark.len())) {
            let host: String =
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')).collect();
            if !host.is_empty() {
                found.push(host.to_lowercase());
            }
        }
    }
    found
}
