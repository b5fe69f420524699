//! What use cases read one after the other, asked for in one round trip ([`Tx::read_ahead`]).
//!
//! A caller that omits this call, or that asks for other rows afterwards, receives the same answers, only later.

use balcao_domain::{ContactId, ConversationId, OrganizationId, Span, TurnId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;
use crate::messaging::message::{self, Author};
use crate::scheduling::calendar_mirror;
use crate::scheduling::catalog::{self, Around};
use crate::{messaging::inbox, scheduling::appointment, scheduling::hours, scheduling::waitlist, turns::turn};

/// What an agenda is made of, around these dates: the hours of the business, services, professionals, and what is taken in `span`, also
/// by what is kept for others than `contact`.
///
/// # Errors
/// What the database said.
pub fn prefetch_agenda(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    around: Around,
    span: Span,
    contact: Option<ContactId>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (all, dates) = (values![organization], values![organization, around.from, around.to]);
    tx.read_ahead(&[
        (hours::EXCEPTIONS, dates),
        (hours::HOLIDAYS, dates),
        (catalog::SERVICE_ALIASES, all),
        (catalog::SERVICES, all),
        (catalog::PROFESSIONAL_ALIASES, all),
        (catalog::PROFESSIONAL_SERVICES, all),
        (catalog::TIME_OFF, values![organization, around.since]),
        (catalog::PROFESSIONALS, all),
        (appointment::OCCUPIED, values![organization, span.start, span.end, now]),
        (waitlist::HELD_FOR_OTHERS, values![organization, span.start, span.end, contact, now]),
        (calendar_mirror::OUTSIDE_TIME, values![organization, span.start, span.end]),
    ])
}

/// What a turn begins with, and since when.
#[derive(Debug, Clone, Copy)]
pub struct TurnPrefetch {
    /// Whose.
    pub organization: OrganizationId,
    /// The contact of the conversation.
    pub contact: ContactId,
    /// Where.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// The first turn whose transcript counts, and at most how many do.
    pub transcripts: (i64, u32),
    /// Notifications from then on may be answered.
    pub told_since: Timestamp,
    /// The contact's messages are counted from then on.
    pub written_since: Timestamp,
    /// Ours are.
    pub answered_since: Timestamp,
    /// Now.
    pub now: Timestamp,
}

/// What a turn loads before it begins.
///
/// # Errors
/// What the database said.
pub fn prefetch_turn(tx: &mut Tx<'_>, begins: &TurnPrefetch) -> Result<(), StoreError> {
    let TurnPrefetch { organization, contact, conversation, transcripts: (from, most), .. } = *begins;
    let (by_contact, by_agent) = (Author::Contact.as_str(), Author::Agent.as_str());
    tx.read_ahead(&[
        (turn::TRANSCRIPTS, values![organization, conversation, from, most]),
        (inbox::PAYLOADS, values![organization, begins.turn]),
        (message::LAST_NOTIFICATION, values![organization, conversation, begins.told_since]),
        (&appointment::upcoming(), values![organization, contact, begins.now]),
        (message::COUNT_SINCE, values![organization, conversation, by_contact, begins.written_since]),
        (message::COUNT_SINCE, values![organization, conversation, by_agent, begins.answered_since]),
    ])
}
