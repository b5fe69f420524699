//! Turns of conversations that were claimed: what differs from a turn that somebody waits for.
//!
//! Invariants (facts: exactly once): every transaction begins with the lease's guard (I-5); messages are given to the turn in
//! the transaction that opens it, or that lets it begin again, and never to another (I-3); reply, outbox rows, inbox and the
//! end of the lease are the closing transaction (I-12); a conversation that a person took over gets no outbox row (I-17).

use balcao_agent::driver::Observer;
use balcao_agent::streaming::ReplySink;
use balcao_agent::{Ending, TurnState};
use balcao_channel::channels::web::KIND as WEB_CHAT;
use balcao_domain::TurnId;
use balcao_domain::burst::BurstRules;
use balcao_domain::conversation::ConversationState;
use balcao_domain::inbox::InboxState;
use balcao_domain::lease::Verdict;
use balcao_planted::{self as planted, Bug};
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::inbox::{self, InboxRow};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::turns::lease::{self, Claimed, Lease};
use balcao_store::turns::turn::{self, Spent};
use balcao_store::{Tx, crm::contact, messaging::attachment};
use balcao_tool::Toolbox;
use jiff::{SignedDuration, Timestamp};

use super::choices;
use super::open::{self, LoadOptions, Opened};
use super::stale_inbound;
use super::strangers;
use super::unreadable_message;
use super::{Agent, AnswerError, TurnOutcome, TurnRunner};
use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::context::metrics::Meter;
use crate::messaging::inbox::retract;
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};
use crate::messaging::web_chat::Hub;
use crate::turns::closed::Closed;

/// Under what a claimed turn runs.
#[derive(Debug, Clone)]
pub(super) struct LeaseContext {
    pub(super) lease: Lease,
    lasts: SignedDuration,
    burst: BurstRules,
    needs: LoadOptions,
    locale: balcao_tool::Locale,
    /// Whether the turn changed anything outside of its own record.
    had_effect: bool,
}

/// What a claim found.
enum Found {
    /// Nothing waits: somebody else answered it. The lease is ended.
    Nothing,
    /// A turn, new or cut short.
    Turn {
        opened: Box<Opened>,
        /// What was saved of it.
        saved: Option<String>,
        /// The messages that it answers.
        inbound: String,
        /// Whether the channel's window for an answer is closed.
        late: bool,
    },
}

impl TurnRunner {
    /// Answers a claimed conversation: takes up the turn that was cut short, if there is one, else opens one for what waits.
    /// If the tally of attempts says so, a person gets the conversation without another attempt. One claim is one turn.
    /// `Ok(None)` if there was nothing to answer. What `pages` a visitor of the web chat has open see the reply while it is written.
    ///
    /// # Errors
    /// [`AnswerError`]; the lease is still held then, unless it was lost.
    pub async fn answer_claimed(
        &self,
        profile: &str,
        claimed: &Claimed,
        burst: BurstRules,
        observer: Option<&dyn Observer>,
        pages: Option<&Hub>,
    ) -> Result<Option<TurnOutcome>, AnswerError> {
        let mut agent = self.agent(profile)?;
        let meter = Meter::start(agent.model.model(), observer);
        let needs = LoadOptions::of(&agent, !self.has_sanitiser(claimed.lease.organization, &agent));
        let locale = agent.profile.language;
        let mut under =
            LeaseContext { lease: claimed.lease, lasts: claimed.lasts, burst, needs, locale, had_effect: false };
        let found = find(self.desk(), &agent, claimed, &under).await?;
        let Found::Turn { opened, saved, inbound, late } = found else { return Ok(None) };
        let mut opened = *opened;
        strangers::within_day(self, &mut agent, &mut opened).await?;
        let mut turn = match claimed.tally.verdict() {
            Verdict::Answer if late && saved.is_none() => {
                let mut turn = self.begin(&agent, &opened, inbound)?;
                turn.abandon("the message came so late that the channel lets nobody answer it");
                turn
            }
            Verdict::Answer => self.take_up(&agent, &opened, saved.as_deref(), inbound)?,
            Verdict::HandOver => {
                tracing::error!(turn = %opened.turn, tally = ?claimed.tally, "given up: a person gets the conversation");
                // What the customer wrote may be what breaks: nothing looks at it again. What was done stays on record.
                let mut turn = self.take_up(&agent, &opened, saved.as_deref(), String::new())?;
                turn.abandon(&format!("{} attempts to answer did not come to an end", claimed.tally.attempts));
                turn
            }
        };
        let visitor = opened.contact.channel_user.clone().filter(|_| claimed.channel == WEB_CHAT);
        let draft = pages.zip(visitor).map(|(pages, visitor)| pages.drafting(&visitor));
        loop {
            let live = draft.as_ref().map(|draft| -> &dyn ReplySink { draft });
            match self.run(&agent, opened, turn, &meter, (Some(under.clone()), live)).await? {
                Closed::Done(answered) => {
                    if let (Some(draft), Ending::Reply { .. }) = (draft, &answered.ending) {
                        draft.keep();
                    }
                    return Ok(Some(*answered));
                }
                Closed::Superseded { opened: again, inbound } => {
                    tracing::debug!(turn = %again.turn, "the customer wrote more: the turn begins again");
                    draft.as_ref().inspect(|draft| draft.retract());
                    opened = *again;
                    under.needs.public_texts = false;
                    strangers::within_day(self, &mut agent, &mut opened).await?;
                    turn = self.begin(&agent, &opened, inbound)?;
                }
            }
        }
    }
}

impl LeaseContext {
    /// Demands that the lease is still the current one, and lets it last its whole length from now on: what is done next outside
    /// is over before anybody else can go on with the turn (I-7).
    pub(super) fn renew(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<(), UseCaseError> {
        Ok(lease::renew(tx, &self.lease, now.checked_add(self.lasts).unwrap_or(Timestamp::MAX))?)
    }

    /// The same, with what a turn that is about to close did.
    pub(super) fn after(mut self, state: &TurnState, toolbox: &Toolbox) -> Self {
        self.had_effect = state.has_acted(toolbox);
        self
    }
}

async fn find(
    desk: &AppContext,
    agent: &Agent,
    claimed: &Claimed,
    under: &LeaseContext,
) -> Result<Found, UseCaseError> {
    let now = desk.clock.now();
    let (claimed, under, profile) = (claimed.clone(), under.clone(), agent.profile.id.clone());
    desk.store.write(move |tx| find_in(tx, &claimed, &under, &profile, now)).await
}

fn find_in(
    tx: &mut Tx<'_>,
    claimed: &Claimed,
    under: &LeaseContext,
    profile: &str,
    now: Timestamp,
) -> Result<Found, UseCaseError> {
    let lease = &under.lease;
    lease::guard(tx, lease)?;
    let (organization, zone) = organization(tx, lease.organization)?;
    let mut conversation = conversation::get(tx, organization.id, lease.conversation)?;
    let contact = contact::get(tx, organization.id, claimed.contact)?;
    if let Some((turn, saved)) = turn::find_open(tx, organization.id, conversation.id)? {
        let rows = inbox::of_turn(tx, organization.id, turn)?;
        let (inbound, late) = read(&rows, &conversation.channel, now);
        let written = stale_inbound::written(&rows, &zone, now);
        let opened = open::load(tx, organization, zone, contact, conversation, turn, under.locale, under.needs, now)?;
        let opened = Opened { written, ..opened };
        return Ok(Found::Turn { opened: Box::new(opened), saved, inbound, late });
    }
    if inbox::burst(tx, organization.id, conversation.id)?.is_none() {
        lease::set_due(tx, organization.id, conversation.id, None)?;
        lease::finish(tx, lease)?;
        return Ok(Found::Nothing);
    }
    if unreadable_message::handle_if_unreadable(tx, organization.id, &mut conversation, under.locale, now)? {
        lease::set_due(tx, organization.id, conversation.id, None)?;
        lease::finish(tx, lease)?;
        return Ok(Found::Nothing);
    }
    if conversation.state == ConversationState::Closed {
        open::reopen(tx, organization.id, &mut conversation)?;
    }
    let turn = turn::open(tx, organization.id, conversation.id, profile, now)?;
    let rows = assign_messages(tx, lease, turn, under.burst.most.max(1), now)?;
    let (inbound, late) = read(&rows, &conversation.channel, now);
    let written = stale_inbound::written(&rows, &zone, now);
    let mut opened = open::load(tx, organization, zone, contact, conversation, turn, under.locale, under.needs, now)?;
    opened.written = written;
    opened.conversation.last_message_at = now;
    conversation::update(tx, opened.organization.id, &opened.conversation)?;
    Ok(Found::Turn { opened: Box::new(opened), saved: None, inbound, late })
}

/// Gives what waits to a turn, at most `limit` messages; what is left over is ripe.
fn assign_messages(
    tx: &mut Tx<'_>,
    lease: &Lease,
    turn: TurnId,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<InboxRow>, UseCaseError> {
    let (organization, conversation) = (lease.organization, lease.conversation);
    let rows = inbox::assign(tx, organization, conversation, turn, limit)?;
    for row in &rows {
        let new =
            NewMessage { conversation, turn: Some(turn), author: Author::Contact, text: &row.text, subject: None };
        let message = message::insert(tx, organization, &new, row.received_at)?;
        attachment::show_with(tx, organization, row.id, message)?;
    }
    let left = inbox::burst(tx, organization, conversation)?;
    let files = attachment::awaited_until(tx, organization, conversation)?.unwrap_or(now);
    lease::set_due(tx, organization, conversation, left.map(|_| files.max(now)))?;
    Ok(rows)
}

/// What a turn reads of messages, and whether it is too late to answer them.
fn read(rows: &[InboxRow], channel: &str, now: Timestamp) -> (String, bool) {
    (stale_inbound::inbound_text(rows), stale_inbound::reply_window_closed(rows, channel, now))
}

/// What a reply becomes of a turn that changed nothing: if the customer wrote more, it begins again and nothing of the reply
/// is stored. A turn that was silent for a person begins again, too, if they gave the conversation back meanwhile: its messages came
/// before that, and wait for an answer as those do that no turn had taken yet (F-152).
pub(super) fn supersede(
    tx: &mut Tx<'_>,
    under: &LeaseContext,
    opened: &Opened,
    ending: &Ending,
    spent: Spent,
    now: Timestamp,
) -> Result<Option<(Box<Opened>, String)>, UseCaseError> {
    lease::guard(tx, &under.lease)?;
    if under.had_effect {
        return Ok(None);
    }
    match ending {
        Ending::Reply { .. } => begin_again(tx, under, opened.turn, spent, now),
        Ending::Silence { .. } if !opened.conversation.state.agent_speaks() => {
            given_back(tx, under, opened.turn, spent, now)
        }
        Ending::Silence { .. } | Ending::Handoff { .. } => Ok(None),
    }
}

/// If the conversation is the agent's again, the turn begins again with the messages that it has.
fn given_back(
    tx: &mut Tx<'_>,
    under: &LeaseContext,
    turn: TurnId,
    spent: Spent,
    now: Timestamp,
) -> Result<Option<(Box<Opened>, String)>, UseCaseError> {
    let conversation = conversation::get(tx, under.lease.organization, under.lease.conversation)?;
    if !conversation.state.agent_speaks() {
        return Ok(None);
    }
    turn::restart(tx, under.lease.organization, turn, spent)?;
    reload(tx, under, turn, conversation, now).map(Some)
}

/// A turn with all the messages that it has now, from its beginning.
fn reload(
    tx: &mut Tx<'_>,
    under: &LeaseContext,
    turn: TurnId,
    conversation: Conversation,
    now: Timestamp,
) -> Result<(Box<Opened>, String), UseCaseError> {
    let rows = inbox::of_turn(tx, under.lease.organization, turn)?;
    let (organization, zone) = organization(tx, under.lease.organization)?;
    let contact = contact::get(tx, organization.id, conversation.contact)?;
    let inbound = stale_inbound::inbound_text(&rows);
    let written = stale_inbound::written(&rows, &zone, now);
    let again = open::load(tx, organization, zone, contact, conversation, turn, under.locale, under.needs, now)?;
    let again = Opened { written, ..again };
    Ok((Box::new(again), inbound))
}

/// If the customer wrote more, the turn takes those messages too and begins again. At most as long, and with as many messages,
/// as a burst may have.
pub(super) fn begin_again(
    tx: &mut Tx<'_>,
    under: &LeaseContext,
    turn: TurnId,
    spent: Spent,
    now: Timestamp,
) -> Result<Option<(Box<Opened>, String)>, UseCaseError> {
    let lease = &under.lease;
    let organization = lease.organization;
    let conversation = conversation::get(tx, organization, lease.conversation)?;
    // A file that is still on its way is answered with what came with it, by the next turn.
    let files = attachment::awaited_until(tx, organization, lease.conversation)?;
    if !conversation.state.agent_speaks()
        || files.is_some_and(|until| until > now)
        || inbox::burst(tx, organization, lease.conversation)?.is_none()
    {
        return Ok(None);
    }
    let before = inbox::of_turn(tx, organization, turn)?;
    let count = u32::try_from(before.len()).unwrap_or(u32::MAX);
    let Some(first) = before.first().map(|row| row.received_at) else { return Ok(None) };
    if !under.burst.may_grow(first, count, now) {
        return Ok(None);
    }
    turn::restart(tx, organization, turn, spent)?;
    assign_messages(tx, lease, turn, under.burst.most.saturating_sub(count), now)?;
    reload(tx, under, turn, conversation, now).map(Some)
}

/// What the closing transaction of a claimed turn does besides: the outbox, the inbox, the end of the lease.
pub(super) fn finish(
    tx: &mut Tx<'_>,
    under: &LeaseContext,
    opened: &Opened,
    machine: &TurnState,
    decided: &Ending,
    stored: &Ending,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let organization = opened.organization.id;
    let (state, reason) = match stored {
        Ending::Reply { .. } => (InboxState::Answered, None),
        Ending::Handoff { .. } => (InboxState::HandedOff, None),
        Ending::Silence { reason } => (InboxState::Ignored, Some(reason.as_str())),
    };
    inbox::set_state(tx, organization, opened.turn, state, reason)?;
    retract::forget_late(tx, organization, opened.turn, &machine.inbound)?;
    if stored.reply().is_some() && !planted::has(Bug::OutboxAfterClose) {
        enqueue_reply(tx, opened, machine, decided, now)?;
    }
    lease::finish(tx, &under.lease)?;
    Ok(())
}

/// Writes what a turn says into the outbox.
pub(super) fn enqueue_reply(
    tx: &mut Tx<'_>,
    opened: &Opened,
    machine: &TurnState,
    decided: &Ending,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(reply) = decided.reply() else { return Ok(()) };
    let choices = match decided {
        Ending::Reply { .. } => choices::of(machine, reply.as_str(), opened.turn, opened.now.time_zone(), now)
            .or_else(|| choices::number(&opened.contact, reply.as_str())),
        Ending::Handoff { .. } | Ending::Silence { .. } => None,
    };
    let outgoing = OutgoingMessage {
        conversation: opened.conversation.id,
        channel: &opened.conversation.channel,
        turn: Some(opened.turn),
        message: None,
        kind: "reply",
        name: &opened.turn.to_string(),
        text: reply.as_str(),
        file: None,
        choices: choices.as_ref(),
        about: None,
        fallback: None,
    };
    enqueue::enqueue(tx, opened.organization.id, &outgoing, now)
}
