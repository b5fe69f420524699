//! Pages: what a program reads bit by bit. Each page begins behind the last row of the one before, so that rows that come
//! meanwhile neither repeat nor hide others.

use balcao_domain::conversation::ConversationState;
use balcao_domain::{Appointment, AppointmentId, ConversationId, Currency, MessageId, OrganizationId, StaffId, TurnId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;
use crate::messaging::conversation::{self, Conversation};
use crate::messaging::message::{self, Message};
use crate::scheduling::appointment::{self, IS_VISIT};
use crate::turns::turn::TurnVersions;

/// Before everything: a page of the latest first begins here.
const LAST_ID: i64 = i64::MAX;
const LAST_INSTANT: i64 = i64::MAX;

/// Conversations, the latest first, of one state if it is given; those behind the one that is named by its instant and id.
///
/// A conversation moves to the front when a message arrives. A reader who wants to miss none reads the first page again.
///
/// # Errors
/// What the database said.
pub fn conversations(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    state: Option<ConversationState>,
    after: Option<(Timestamp, ConversationId)>,
    limit: u32,
) -> Result<Vec<Conversation>, StoreError> {
    let at = after.map_or(LAST_INSTANT, |(at, _)| at.as_millisecond());
    let id = after.map_or(LAST_ID, |(_, id)| i64::from(id));
    let ids: Vec<ConversationId> = tx.query_all(
        "SELECT id FROM conversation WHERE organization_id = ?1 AND (?2 = '' OR state = ?2)
           AND (last_message_at < ?3 OR (last_message_at = ?3 AND id < ?4))
         ORDER BY last_message_at DESC, id DESC LIMIT ?5",
        values![organization, state.map_or("", ConversationState::as_str), at, id, limit],
        |row| row.get(0),
    )?;
    ids.into_iter().map(|id| conversation::get(tx, organization, id)).collect()
}

/// Messages of a conversation, the latest first; those before `before`.
///
/// # Errors
/// What the database said.
pub fn messages(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    before: Option<MessageId>,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    tx.query_all(
        &format!(
            "SELECT {} FROM message WHERE organization_id = ?1 AND conversation_id = ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4",
            message::COLUMNS
        ),
        values![organization, conversation, before.map_or(LAST_ID, i64::from), limit],
        message::read,
    )
}

/// Which appointments are asked for.
#[derive(Debug, Clone, Copy)]
pub struct AppointmentRange {
    /// Those that start at this instant or later,
    pub from: Timestamp,
    /// and before this one;
    pub to: Timestamp,
    /// those behind this one, by start and id;
    pub after: Option<(Timestamp, AppointmentId)>,
    /// only unmarked visits that ended by this instant.
    pub unmarked_at: Option<Timestamp>,
}

/// Appointments in order of start, cancelled ones included.
///
/// # Errors
/// What the database said.
pub fn appointments(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    range: &AppointmentRange,
    currency: Currency,
    limit: u32,
) -> Result<Vec<Appointment>, StoreError> {
    let at = range.after.map_or(i64::MIN, |(at, _)| at.as_millisecond());
    let id = range.after.map_or(0, |(_, id)| i64::from(id));
    let sql = format!(
        "SELECT id FROM appointment WHERE organization_id = ?1 AND starts_at >= ?2 AND starts_at < ?3
           AND (starts_at > ?4 OR (starts_at = ?4 AND id > ?5))
           AND ((ends_at <= ?7 AND status = 'confirmed') OR ?7 IS NULL) AND {IS_VISIT}
         ORDER BY starts_at, id LIMIT ?6"
    );
    let ids: Vec<AppointmentId> =
        tx.query_all(&sql, values![organization, range.from, range.to, at, id, limit, range.unmarked_at], |row| {
            row.get(0)
        })?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        found.extend(appointment::find(tx, organization, id, currency)?);
    }
    Ok(found)
}

/// A handoff as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffRow {
    /// Its number.
    pub id: i64,
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn that ended in it.
    pub turn: Option<TurnId>,
    /// Why.
    pub reason: String,
    /// What the conversation was about.
    pub summary: Option<String>,
    /// The staff member who has the handoff.
    pub assigned_staff: Option<StaffId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When the conversation was given back or closed.
    pub resolved_at: Option<Timestamp>,
}

/// Handoffs, the latest first, open ones only if `open`; those before the number `before`.
///
/// # Errors
/// What the database said.
pub fn handoffs(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    open: bool,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<HandoffRow>, StoreError> {
    tx.query_all(
        "SELECT id, conversation_id, turn_id, reason, summary, assigned_staff, created_at, resolved_at FROM handoff
         WHERE organization_id = ?1 AND id < ?2 AND (?3 = 0 OR resolved_at IS NULL) ORDER BY id DESC LIMIT ?4",
        values![organization, before.unwrap_or(LAST_ID), open, limit],
        |row| {
            Ok(HandoffRow {
                id: row.get(0)?,
                conversation: row.get(1)?,
                turn: row.get(2)?,
                reason: row.get(3)?,
                summary: row.get(4)?,
                assigned_staff: row.get(5)?,
                created_at: row.get(6)?,
                resolved_at: row.get(7)?,
            })
        },
    )
}

/// How a closed turn ended, and what was said in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// `reply`, `handoff` or `silence`.
    pub outcome: String,
    /// What was said to the contact.
    pub reply: Option<String>,
    /// What it ran under.
    pub versions: TurnVersions,
}

/// How a turn ended; `None` while it is open.
///
/// # Errors
/// What the database said.
pub fn turn_end(tx: &mut Tx<'_>, organization: OrganizationId, turn: TurnId) -> Result<Option<TurnEnd>, StoreError> {
    tx.query_optional(
        "SELECT t.outcome, m.text, t.business_version, t.knowledge_version, t.prompt_version FROM turn t
         LEFT JOIN message m ON m.organization_id = t.organization_id AND m.turn_id = t.id AND m.author = 'agent'
         WHERE t.organization_id = ?1 AND t.id = ?2 AND t.state = 'closed' ORDER BY m.id LIMIT 1",
        values![organization, turn],
        |row| {
            let versions = TurnVersions { business: row.get(2)?, knowledge: row.get(3)?, prompt: row.get(4)? };
            Ok(TurnEnd { outcome: row.get(0)?, reply: row.get(1)?, versions })
        },
    )
}
