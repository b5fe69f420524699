//! What a lease adds to the transactions of a turn. The opening also assigns the waiting messages to the turn. A save may restart a
//! superseded turn. The closing also puts the reply into the outbox, from which `messaging::outbound` sends it, and ends the lease.
//!
//! Invariants: every transaction begins with the guard of the lease (I-5); the transaction that opens or restarts a turn assigns the
//! messages to it, and a message never moves to another turn (I-3); reply, outbox rows, inbox rows and the end of the lease commit in the
//! closing transaction (I-12); a conversation that a person took over gets no outbox row (I-17).

use balcao_agent::{Ending, TurnState};
use balcao_domain::TurnId;
use balcao_domain::burst::BurstRules;
use balcao_domain::inbox::{InboxState, Speaker};
use balcao_store::Lease;
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::inbox::{self, InboxRow};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::turns::lease;
use balcao_store::turns::turn::{self, Spent};
use balcao_store::{Tx, crm::contact, messaging::attachment};
use balcao_tool::Toolbox;
use jiff::{SignedDuration, Timestamp};

use super::choices;
use super::inbound_text;
use super::opened_turn::{self, LoadOptions, Opened, TurnSubject};
use super::stale_inbound;
use super::turn_control::Restart;
use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::inbox::retract;
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};

/// The lease under which a turn runs, and what its transactions need beside it.
#[derive(Debug, Clone)]
pub(super) struct TurnLease {
    pub(super) lease: Lease,
    pub(super) lasts: SignedDuration,
    pub(super) burst: BurstRules,
    pub(super) load_options: LoadOptions,
    pub(super) locale: balcao_tool::Locale,
    /// Whether the turn changed anything outside of its own record.
    pub(super) had_effect: bool,
}

impl TurnLease {
    /// Checks that the lease is still current, and extends it to its whole length from `now` on. So the next external effect is over before
    /// another process can continue the turn (I-7).
    pub(super) fn renew(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<(), UseCaseError> {
        Ok(lease::renew(tx, &self.lease, now.checked_add(self.lasts).unwrap_or(Timestamp::MAX))?)
    }

    /// Loads what the turn starts from; `rows` are its messages, which may come late.
    pub(super) fn load(
        &self,
        tx: &mut Tx<'_>,
        subject: TurnSubject,
        rows: &[InboxRow],
        now: Timestamp,
    ) -> Result<Opened, UseCaseError> {
        let written = stale_inbound::written(rows, &subject.zone, now);
        let is_overtaken = match &written {
            Some(at) => stale_inbound::is_overtaken(tx, &subject, at.timestamp())?,
            None => false,
        };
        let opened = opened_turn::load(tx, subject, self.locale, self.load_options, now)?;
        Ok(Opened { written, is_overtaken, ..opened })
    }

    /// Records whether the turn that is about to close changed anything.
    pub(super) fn with_effect_of(mut self, state: &TurnState, toolbox: &Toolbox) -> Self {
        self.had_effect = state.has_acted(toolbox);
        self
    }
}

/// Assigns the waiting messages to a turn, at most `limit` of them. If messages are left over, the conversation is due again.
pub(super) fn assign_messages(
    tx: &mut Tx<'_>,
    lease: &Lease,
    turn: TurnId,
    limit: u32,
    now: Timestamp,
) -> Result<Vec<InboxRow>, UseCaseError> {
    let (organization, conversation) = (lease.organization, lease.conversation);
    let rows = inbox::assign(tx, organization, conversation, turn, limit)?;
    for row in &rows {
        let author = match row.speaker {
            Speaker::Contact => Author::Contact,
            Speaker::Service => Author::System,
        };
        let new = NewMessage { conversation, turn: Some(turn), author, text: &row.text, subject: None };
        let message = message::insert(tx, organization, &new, row.received_at)?;
        attachment::show_with(tx, organization, row.id, message)?;
    }
    let left = inbox::burst(tx, organization, conversation)?;
    let files = attachment::awaited_until(tx, organization, conversation)?.unwrap_or(now);
    lease::set_due(tx, organization, conversation, left.map(|_| files.max(now)))?;
    Ok(rows)
}

/// Restarts a turn without an effect if the contact wrote more; its reply is then not stored. A turn that stayed silent because a person
/// had the conversation also restarts if the person has given it back since, because its messages still wait for an answer (F-152).
pub(super) fn restart_before_close(
    tx: &mut Tx<'_>,
    turn_lease: &TurnLease,
    opened: &Opened,
    ending: &Ending,
    spent: Spent,
    now: Timestamp,
) -> Result<Option<Restart>, UseCaseError> {
    lease::guard(tx, &turn_lease.lease)?;
    if turn_lease.had_effect {
        return Ok(None);
    }
    match ending {
        Ending::Reply { .. } => restart_if_contact_wrote(tx, turn_lease, opened.turn, spent, now),
        Ending::Silence { .. } if !opened.conversation.state.agent_speaks() => {
            restart_if_given_back(tx, turn_lease, opened.turn, spent, now)
        }
        Ending::Silence { .. } | Ending::Handoff { .. } => Ok(None),
    }
}

/// Restarts the turn with its own messages if the agent has the conversation again.
fn restart_if_given_back(
    tx: &mut Tx<'_>,
    turn_lease: &TurnLease,
    turn: TurnId,
    spent: Spent,
    now: Timestamp,
) -> Result<Option<Restart>, UseCaseError> {
    let conversation = conversation::get(tx, turn_lease.lease.organization, turn_lease.lease.conversation)?;
    if !conversation.state.agent_speaks() {
        return Ok(None);
    }
    turn::restart(tx, turn_lease.lease.organization, turn, spent)?;
    load_restart(tx, turn_lease, turn, conversation, now).map(Some)
}

/// Loads the restart of a turn, with all messages that are assigned to it now.
fn load_restart(
    tx: &mut Tx<'_>,
    turn_lease: &TurnLease,
    turn: TurnId,
    conversation: Conversation,
    now: Timestamp,
) -> Result<Restart, UseCaseError> {
    let rows = inbox::of_turn(tx, turn_lease.lease.organization, turn)?;
    let (organization, zone) = organization(tx, turn_lease.lease.organization)?;
    let contact = contact::get(tx, organization.id, conversation.contact)?;
    let inbound = inbound_text::inbound_text(&rows);
    let subject = TurnSubject { organization, zone, contact, conversation, turn };
    let again = turn_lease.load(tx, subject, &rows, now)?;
    Ok(Restart { opened: Box::new(again), inbound })
}

/// If the contact wrote more, assigns these messages to the turn and restarts it, within the limits of a burst for time and messages.
pub(super) fn restart_if_contact_wrote(
    tx: &mut Tx<'_>,
    turn_lease: &TurnLease,
    turn: TurnId,
    spent: Spent,
    now: Timestamp,
) -> Result<Option<Restart>, UseCaseError> {
    let lease = &turn_lease.lease;
    let organization = lease.organization;
    let conversation = conversation::get(tx, organization, lease.conversation)?;
    // If a file is still on its way, the next turn answers the file together with the messages that came with it.
    let files = attachment::awaited_until(tx, organization, lease.conversation)?;
    if !conversation.state.agent_speaks()
        || files.is_some_and(|until| until > now)
        || inbox::next_speaker(tx, organization, lease.conversation)? != Some(Speaker::Contact)
    {
        return Ok(None);
    }
    let before = inbox::of_turn(tx, organization, turn)?;
    let count = u32::try_from(before.len()).unwrap_or(u32::MAX);
    let Some(first) = before.first().map(|row| row.received_at) else { return Ok(None) };
    // A turn that answers a service takes no message of the contact; the next turn answers it.
    if before.iter().any(|row| row.speaker == Speaker::Service) {
        return Ok(None);
    }
    if !turn_lease.burst.may_grow(first, count, now) {
        return Ok(None);
    }
    turn::restart(tx, organization, turn, spent)?;
    assign_messages(tx, lease, turn, turn_lease.burst.most.saturating_sub(count), now)?;
    load_restart(tx, turn_lease, turn, conversation, now).map(Some)
}

/// The part of the closing transaction that a lease adds: the outbox, the inbox and the end of the lease. `stored` differs from `decided`
/// if a person took over: then it is silence, and no reply leaves.
pub(super) fn finish(
    tx: &mut Tx<'_>,
    turn_lease: &TurnLease,
    opened: &Opened,
    state: &TurnState,
    decided: &Ending,
    stored: &Ending,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    settle_messages(tx, opened, state, stored)?;
    if stored.reply().is_some() {
        enqueue_reply(tx, opened, state, decided, now)?;
    }
    lease::finish(tx, &turn_lease.lease)?;
    Ok(())
}

/// Records in the inbox how the messages of the turn ended: answered, handed off or ignored.
pub(super) fn settle_messages(
    tx: &mut Tx<'_>,
    opened: &Opened,
    state: &TurnState,
    stored: &Ending,
) -> Result<(), UseCaseError> {
    let organization = opened.organization.id;
    let (inbox_state, reason) = match stored {
        Ending::Reply { .. } => (InboxState::Answered, None),
        Ending::Handoff { .. } => (InboxState::HandedOff, None),
        Ending::Silence { reason } => (InboxState::Ignored, Some(reason.as_str())),
    };
    inbox::set_state(tx, organization, opened.turn, inbox_state, reason)?;
    retract::forget_late(tx, organization, opened.turn, &state.inbound)?;
    Ok(())
}

/// Writes the reply of a turn into the outbox.
pub(super) fn enqueue_reply(
    tx: &mut Tx<'_>,
    opened: &Opened,
    state: &TurnState,
    decided: &Ending,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let Some(reply) = decided.reply() else { return Ok(()) };
    let choices = match decided {
        Ending::Reply { .. } => choices::find(state, reply.as_str(), opened.turn, opened.now.time_zone(), now)
            .or_else(|| choices::ask_for_number(&opened.contact, reply.as_str())),
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
