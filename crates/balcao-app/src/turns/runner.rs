//! Runs turns: opens one in a transaction, drives it, and closes it in another.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use balcao_agent::driver::{Interrupted, Observer, drive};
use balcao_agent::reply_checks::sanitise::Sanitiser;
use balcao_agent::streaming::{ReplySink, StreamingModel};
use balcao_agent::{Ending, Turn, TurnInput, TurnState, spans};
use balcao_channel::channels::web::KIND as WEB_CHAT;
use balcao_domain::burst::BurstRules;
use balcao_domain::lease::Verdict;
use balcao_domain::{ConversationId, OrganizationId};
use balcao_llm::ChatProvider;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::turns::lease::LeasedConversation;
use balcao_tool::Toolbox;
use tokio::sync::Mutex;
use tracing::Instrument;

use super::inbound_text::InboundText;
use super::journal::{Stop, StoreJournal};
use super::meter::Meter;
use super::open::caller::{self, OpenResult};
use super::open::leased::{LeasedOpening, open_leased_turn};
use super::opened_turn::{LoadOptions, Opened};
use super::strangers::StrangerRules;
use super::turn_control::TurnControl;
use super::turn_lease::TurnLease;
use super::turn_source::{Caller, Leased, TurnSource};
use super::{Agent, AnswerError, ContactRef, TurnOutcome, TurnRequest};
use super::{after_reply, close, strangers, tool_selection, turn_setup};
use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::budgets::StrangerBudgets;
use crate::messaging::web_chat::Hub;

/// A sanitiser, with the tools that it was made for. If the tools of a profile change, the earlier sanitiser is kept, because a turn may
/// still use the earlier tools.
type SanitiserForTools = (Arc<Toolbox>, Arc<Sanitiser>);

/// Answers customers. Cheap to share.
pub struct TurnRunner {
    app: AppContext,
    agents: std::sync::RwLock<BTreeMap<String, Agent>>,
    sanitisers: std::sync::Mutex<HashMap<(OrganizationId, String), Vec<SanitiserForTools>>>,
    /// What strangers of the web chat may cost in a day.
    pub(super) strangers: StrangerRules,
    /// One turn at a time per contact and channel.
    conversation_locks: std::sync::Mutex<HashMap<String, Arc<Mutex<()>>>>,
}

impl std::fmt::Debug for TurnRunner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TurnRunner").field("profiles", &self.names()).finish_non_exhaustive()
    }
}

impl TurnRunner {
    /// A runner with its agents, by profile id.
    #[must_use]
    pub fn new(app: AppContext, agents: impl IntoIterator<Item = Agent>) -> Self {
        let agents = agents.into_iter().map(|agent| (agent.profile.id.clone(), agent)).collect();
        let agents = std::sync::RwLock::new(agents);
        let strangers = StrangerRules { budgets: StrangerBudgets::default(), instead: None };
        Self {
            app,
            agents,
            sanitisers: std::sync::Mutex::default(),
            strangers,
            conversation_locks: std::sync::Mutex::default(),
        }
    }

    /// Returns the runner with daily budgets for all strangers of the web chat together. After a budget is spent, `instead` answers
    /// strangers if their profile lets it answer when no model does, and a person answers the others.
    #[must_use]
    pub fn with_strangers(self, budgets: StrangerBudgets, instead: Arc<dyn ChatProvider>) -> Self {
        Self { strangers: StrangerRules { budgets, instead: Some(instead) }, ..self }
    }

    /// Store and clock.
    #[must_use]
    pub fn app(&self) -> &AppContext {
        &self.app
    }

    /// Returns the current agent of a profile. The caller works with this one snapshot, even if the profile changes.
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

    /// Returns the current agent of a profile for a model request that no turn makes, in a conversation of this channel. `None`: its
    /// contact is a stranger, and the daily budget of strangers is spent.
    ///
    /// # Errors
    /// [`AnswerError::UnknownProfile`], and an error of the database.
    pub(crate) async fn agent_within_budget(
        &self,
        profile: &str,
        organization: OrganizationId,
        of: (&str, ConversationId),
    ) -> Result<Option<Agent>, AnswerError> {
        Ok(strangers::agent_within_budget(self, self.agent(profile)?, organization, of).await?)
    }

    /// Replaces the agent with the same profile id, from the next turn on.
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
    /// [`AnswerError`]. A failure of a model or a tool does not return an error: it ends in a reply or a handoff.
    pub async fn answer(
        &self,
        profile: &str,
        request: TurnRequest,
        observer: Option<&dyn Observer>,
    ) -> Result<TurnOutcome, AnswerError> {
        self.answer_live(profile, request, observer, None).await
    }

    /// As [`Self::answer`], and streams the reply to `live`. The streamed text is the beginning of the final reply; if the final reply
    /// differs, the turn calls [`ReplySink::retract`].
    ///
    /// # Errors
    /// As [`Self::answer`].
    pub async fn answer_live(
        &self,
        profile: &str,
        request: TurnRequest,
        observer: Option<&dyn Observer>,
        live: Option<&dyn ReplySink>,
    ) -> Result<TurnOutcome, AnswerError> {
        let mut agent = self.agent(profile)?;
        let conversation = self.conversation_lock(&request);
        let _only_one = conversation.lock().await;
        let meter = Meter::start(agent.model.model(), observer);
        let mut opened = loop {
            let load_options = LoadOptions::from_agent(&agent, !self.has_sanitiser(request.organization, &agent));
            match caller::open(&self.app, &agent, &request, load_options).await? {
                OpenResult::Fresh(opened) => break *opened,
                OpenResult::Interrupted { mut opened, saved } => {
                    strangers::apply_stranger_budget(self, &mut agent, &mut opened).await?;
                    let texts = caller::inbound_of(&self.app, opened.organization.id, opened.conversation.id).await?;
                    let turn = self.resume(&agent, &opened, saved.as_deref(), InboundText::of_contact(texts)).await?;
                    Box::pin(self.run_to_end(&mut agent, *opened, turn, &mut Caller { sink: None }, &meter)).await?;
                }
            }
        };
        strangers::apply_stranger_budget(self, &mut agent, &mut opened).await?;
        let turn = self.begin(&agent, &opened, InboundText::of_contact(request.texts.join("\n"))).await?;
        Box::pin(self.run_to_end(&mut agent, opened, turn, &mut Caller { sink: live }, &meter)).await
    }

    /// Answers a leased conversation: resumes the turn that a crash cut short, or else opens a turn for the messages that wait. If the
    /// attempt history has reached its limit, a person gets the conversation without another attempt. One lease is one turn. Returns
    /// `Ok(None)` if the conversation needs no turn. The `pages` that a visitor of the web chat has open show the reply while the model
    /// writes it.
    ///
    /// # Errors
    /// [`AnswerError`]; the lease is still held then, unless it was lost.
    pub async fn answer_leased(
        &self,
        profile: &str,
        leased: &LeasedConversation,
        burst: BurstRules,
        observer: Option<&dyn Observer>,
        pages: Option<&Hub>,
    ) -> Result<Option<TurnOutcome>, AnswerError> {
        let mut agent = self.agent(profile)?;
        let meter = Meter::start(agent.model.model(), observer);
        let load_options = LoadOptions::from_agent(&agent, !self.has_sanitiser(leased.lease.organization, &agent));
        let locale = agent.profile.language;
        let turn_lease =
            TurnLease { lease: leased.lease, lasts: leased.lasts, burst, load_options, locale, had_effect: false };
        let found = open_leased_turn(&self.app, &agent, leased, &turn_lease).await?;
        let LeasedOpening::Turn { opened, saved, inbound, window_closed } = found else { return Ok(None) };
        let mut opened = *opened;
        strangers::apply_stranger_budget(self, &mut agent, &mut opened).await?;
        let turn = match leased.attempts.verdict() {
            Verdict::Answer if window_closed && saved.is_none() => {
                let mut turn = self.begin(&agent, &opened, inbound).await?;
                turn.hand_over_failed("the message came so late that the channel lets nobody answer it");
                turn
            }
            Verdict::Answer => self.resume(&agent, &opened, saved.as_deref(), inbound).await?,
            Verdict::HandOver => {
                tracing::error!(turn = %opened.turn, attempts = ?leased.attempts, "given up: a person gets the conversation");
                // The customer's text may be the cause of the crashes, so the turn reads it no more. The record keeps what was done.
                let mut turn = self.resume(&agent, &opened, saved.as_deref(), InboundText::default()).await?;
                turn.hand_over_failed(&format!(
                    "{} attempts to answer did not come to an end",
                    leased.attempts.attempts
                ));
                turn
            }
        };
        let visitor = opened.contact.channel_user.clone().filter(|_| leased.channel == WEB_CHAT);
        let preview = pages.zip(visitor).map(|(pages, visitor)| pages.begin_preview(&visitor));
        let mut source = Leased { lease: turn_lease, preview };
        let outcome = Box::pin(self.run_to_end(&mut agent, opened, turn, &mut source, &meter)).await?;
        if let (Some(preview), Ending::Reply { .. }) = (source.preview, &outcome.ending) {
            preview.keep();
        }
        Ok(Some(outcome))
    }

    /// Runs an opened turn until it is closed. A turn that is superseded begins again.
    async fn run_to_end(
        &self,
        agent: &mut Agent,
        mut opened: Opened,
        mut turn: Turn,
        source: &mut dyn TurnSource,
        meter: &Meter<'_>,
    ) -> Result<TurnOutcome, AnswerError> {
        loop {
            match self.run_once(agent, opened, turn, source, meter).await? {
                TurnControl::Finished(outcome) => return Ok(*outcome),
                TurnControl::Restarted(restart) => {
                    tracing::debug!(turn = %restart.opened.turn, "the turn starts over: the contact wrote more, or staff gave the conversation back");
                    source.restarted();
                    opened = *restart.opened;
                    strangers::apply_stranger_budget(self, agent, &mut opened).await?;
                    turn = self.begin(agent, &opened, restart.inbound).await?;
                }
            }
        }
    }

    /// Runs the steps that a profile asks for after a reply or a deliberate handoff. Call it when the reply is on its way. It does nothing
    /// after silence or a failure, and it only logs errors.
    pub async fn after_reply(&self, profile: &str, answered: &TurnOutcome, organization: OrganizationId) {
        let Ok(agent) = self.agent(profile) else { return };
        let ran = match strangers::agent_for_after_reply(self, agent, organization, answered).await {
            Ok(agent) => after_reply::run(&self.app, &agent, organization, answered).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = ran {
            tracing::warn!(turn = %answered.turn, %error, "a step after the reply failed");
        }
    }

    async fn begin(&self, agent: &Agent, opened: &Opened, inbound: InboundText) -> Result<Turn, AnswerError> {
        let selection = tool_selection::select(agent, opened, &inbound.words).await;
        let setup = turn_setup::build(agent, opened, self.sanitiser(agent, opened))?;
        Ok(Turn::begin(
            setup,
            TurnInput {
                principal: opened.principal(agent),
                now: opened.now.clone(),
                inbound: inbound.words,
                service_messages: inbound.service_messages,
                breaker: opened.breaker.clone(),
                memory: opened.memory.clone(),
                pending_confirmation: opened.pending_confirmation.clone(),
                selection,
                guard: opened.guardrail_input.clone(),
            },
        ))
    }

    /// Drives a turn once: returns its outcome if it is closed, or the restart.
    async fn run_once(
        &self,
        agent: &Agent,
        opened: Opened,
        mut turn: Turn,
        source: &dyn TurnSource,
        meter: &Meter<'_>,
    ) -> Result<TurnControl, AnswerError> {
        let lease = source.lease().cloned();
        let journal = StoreJournal::new(&self.app, agent, &opened, lease.clone());
        let (conversation, id) = (opened.conversation.id.to_string(), opened.turn.to_string());
        let span = spans::of_turn(&agent.profile.id, &conversation, &id);
        let sanitiser = Arc::clone(&turn.setup().sanitiser);
        let staff_facing = opened.principal(agent).staff_facing;
        let streamed =
            source.sink().map(|sink| StreamingModel::new(agent.model.as_ref(), sink, sanitiser, staff_facing));
        let model: &dyn ChatProvider = match &streamed {
            Some(streamed) => streamed,
            None => agent.model.as_ref(),
        };
        let driven = Box::pin(drive(&mut turn, model, &journal, Some(meter)));
        let ending = match driven.instrument(span.clone()).await {
            Ok(ending) => ending,
            Err(Interrupted::Stopped) => match journal.why_stopped() {
                Stop::TakenOver => turn.end_in_silence("a person took over"),
                Stop::Restarted(restart) => return Ok(TurnControl::Restarted(restart)),
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
        let lease = lease.map(|lease| lease.with_effect_of(turn.state(), &agent.toolbox));
        let (organization, spent) = (opened.organization.id, close::spent(turn.state()));
        let closing = Box::pin(close::close(&self.app, opened, turn.into_state(), ending, lease));
        let closed = closing.instrument(span).await?;
        strangers::count(&self.app, agent, organization, spent.tokens, spent.cost_micro_usd).await;
        if let TurnControl::Finished(outcome) = &closed {
            meter.ended(outcome, &agent.toolbox);
        }
        Ok(closed)
    }

    /// Resumes an interrupted turn from its last saved step. A turn without a saved step starts over with the messages that are still
    /// without an answer.
    async fn resume(
        &self,
        agent: &Agent,
        opened: &Opened,
        saved: Option<&str>,
        unanswered: InboundText,
    ) -> Result<Turn, AnswerError> {
        if is_on(Bug::ModelAskedAgain) {
            return self.begin(agent, opened, unanswered).await;
        }
        let Some(saved) = saved else { return self.begin(agent, opened, unanswered).await };
        let setup = turn_setup::build(agent, opened, self.sanitiser(agent, opened))?;
        let state = serde_json::from_str::<TurnState>(saved).map_err(|error| error.to_string());
        match state.and_then(|state| Turn::resume(setup, state)) {
            Ok(turn) => Ok(turn),
            // The effect ledger holds what the turn did. Only a person can find out what it was about to do.
            Err(reason) => {
                tracing::error!(turn = %opened.turn, reason, "a saved turn cannot be read: a person takes over");
                let mut turn = self.begin(agent, opened, unanswered).await?;
                turn.hand_over_failed(&format!("the saved state of turn {} cannot be read: {reason}", opened.turn));
                Ok(turn)
            }
        }
    }

    fn conversation_lock(&self, inbound: &TurnRequest) -> Arc<Mutex<()>> {
        let who = match &inbound.from {
            ContactRef::Phone(phone) => phone.identity().as_str().to_owned(),
            ContactRef::Contact(id) => id.to_string(),
        };
        let name = format!("{}/{}/{who}", inbound.organization, inbound.channel);
        let mut conversation_locks = self.conversation_locks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if conversation_locks.len() > 4_096 {
            conversation_locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        }
        Arc::clone(conversation_locks.entry(name).or_default())
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
