//! Opens the turn of a leased conversation: the turn that a crash cut short, or a new one for the messages that wait.

use balcao_domain::conversation::ConversationState;
use balcao_domain::inbox::Speaker;
use balcao_store::messaging::conversation;
use balcao_store::messaging::inbox::{self, InboxRow};
use balcao_store::turns::lease::{self, LeasedConversation};
use balcao_store::turns::turn;
use balcao_store::{Tx, crm::contact};
use jiff::Timestamp;

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::scheduling::intake::professional_choice;
use crate::turns::Agent;
use crate::turns::inbound_text::{self, InboundText};
use crate::turns::opened_turn::{self, Opened, TurnSubject};
use crate::turns::stale_inbound;
use crate::turns::turn_lease::{TurnLease, assign_messages};
use crate::turns::versions::{self, PromptVersion};
use crate::turns::wordless_message;

/// What a lease found.
pub(crate) enum LeasedOpening {
    /// The conversation needs no turn: another process or a person answered, or the waiting messages had no words. The lease is ended.
    Nothing,
    /// A turn, new or cut short.
    Turn {
        opened: Box<Opened>,
        /// Its saved state; `None` for a turn without a saved step.
        saved: Option<String>,
        /// The messages that it answers.
        inbound: InboundText,
        /// Whether the channel's window for an answer is closed.
        window_closed: bool,
    },
}

pub(crate) async fn open_leased_turn(
    app: &AppContext,
    agent: &Agent,
    leased: &LeasedConversation,
    turn_lease: &TurnLease,
) -> Result<LeasedOpening, UseCaseError> {
    freshen_before_choice(app, leased, turn_lease).await?;
    let now = app.clock.now();
    let (leased, turn_lease, prompt) = (leased.clone(), turn_lease.clone(), agent.prompt_version.clone());
    app.store.write(move |tx| open_in_transaction(tx, &leased, &turn_lease, &prompt, now)).await
}

/// Reads the external calendars if the waiting messages of the contact accept any professional.
async fn freshen_before_choice(
    app: &AppContext,
    leased: &LeasedConversation,
    turn_lease: &TurnLease,
) -> Result<(), UseCaseError> {
    let (Some(_), Some(mode)) = (&app.remote_calendar, turn_lease.load_options.professional_resolution) else {
        return Ok(());
    };
    let (organization, conversation) = (leased.lease.organization, leased.lease.conversation);
    let limit = turn_lease.burst.most.max(1);
    let list = move |tx: &mut Tx<'_>, _now| Ok(inbox::list_waiting(tx, organization, conversation, limit)?);
    let rows = app.look(list).await?.into_iter().filter(|row| row.speaker == Speaker::Contact);
    let texts: Vec<String> = rows.map(|row| row.text).collect();
    professional_choice::freshen_before_choice(app, organization, &texts, Some(mode)).await
}

fn open_in_transaction(
    tx: &mut Tx<'_>,
    leased: &LeasedConversation,
    turn_lease: &TurnLease,
    prompt: &PromptVersion,
    now: Timestamp,
) -> Result<LeasedOpening, UseCaseError> {
    let lease = &turn_lease.lease;
    lease::guard(tx, lease)?;
    let (organization, zone) = organization(tx, lease.organization)?;
    let mut conversation = conversation::get(tx, organization.id, lease.conversation)?;
    let contact = contact::get(tx, organization.id, leased.contact)?;
    if let Some((turn, saved)) = turn::find_open(tx, organization.id, conversation.id)? {
        let rows = inbox::of_turn(tx, organization.id, turn)?;
        let (inbound, window_closed) = read(&rows, &conversation.channel, now);
        let subject = TurnSubject { organization, zone, contact, conversation, turn };
        let opened = turn_lease.load(tx, subject, &rows, now)?;
        return Ok(LeasedOpening::Turn { opened: Box::new(opened), saved, inbound, window_closed });
    }
    if inbox::burst(tx, organization.id, conversation.id)?.is_none() {
        lease::set_due(tx, organization.id, conversation.id, None)?;
        lease::finish(tx, lease)?;
        return Ok(LeasedOpening::Nothing);
    }
    if wordless_message::ask_if_wordless(tx, organization.id, &mut conversation, turn_lease.locale, now)? {
        let left = inbox::burst(tx, organization.id, conversation.id)?;
        lease::set_due(tx, organization.id, conversation.id, left.map(|_| now))?;
        lease::finish(tx, lease)?;
        return Ok(LeasedOpening::Nothing);
    }
    if conversation.state == ConversationState::Closed {
        opened_turn::reopen(tx, organization.id, &mut conversation)?;
    }
    let turn = versions::open_turn(tx, organization.id, conversation.id, prompt, now)?;
    let rows = assign_messages(tx, lease, turn, turn_lease.burst.most.max(1), now)?;
    let (inbound, window_closed) = read(&rows, &conversation.channel, now);
    let subject = TurnSubject { organization, zone, contact, conversation, turn };
    let mut opened = turn_lease.load(tx, subject, &rows, now)?;
    opened.conversation.last_message_at = now;
    conversation::update(tx, opened.organization.id, &opened.conversation)?;
    Ok(LeasedOpening::Turn { opened: Box::new(opened), saved: None, inbound, window_closed })
}

/// Returns the text that a turn reads from its messages, and whether the reply window is closed.
fn read(rows: &[InboxRow], channel: &str, now: Timestamp) -> (InboundText, bool) {
    (inbound_text::inbound_text(rows), stale_inbound::reply_window_closed(rows, channel, now))
}
