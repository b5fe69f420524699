//! Messages: the append-only thread of a conversation.
//!
//! Invariant: a turn has at most one reply, by a unique index (I-13).

use balcao_domain::{ConversationId, MessageId, OrganizationId, TurnId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The contact.
    Contact,
    /// The agent.
    Agent,
    /// A person of staff.
    Staff,
    /// The program: a reminder, an offer. Within a turn it is the message of a service, which the contact is not sent.
    System,
    /// The agent, but not sent: a person had taken over.
    Draft,
}

impl Author {
    const ALL: [Self; 5] = [Self::Contact, Self::Agent, Self::Staff, Self::System, Self::Draft];

    /// The word it is stored and shown as.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Contact => "contact",
            Self::Agent => "agent",
            Self::Staff => "staff",
            Self::System => "system",
            Self::Draft => "draft",
        }
    }

    fn from_word(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|author| author.as_str() == text)
    }
}

/// A message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// Who wrote it.
    pub author: Author,
    /// What.
    pub text: String,
    /// What an unasked-for message is about.
    pub subject: Option<String>,
    /// When.
    pub created_at: Timestamp,
}

/// A message to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewMessage<'a> {
    /// Where.
    pub conversation: ConversationId,
    /// The turn that it belongs to.
    pub turn: Option<TurnId>,
    /// Who wrote it.
    pub author: Author,
    /// What.
    pub text: &'a str,
    /// What an unasked-for message is about.
    pub subject: Option<&'a str>,
}

pub(crate) const COLUMNS: &str = "id, author, text, subject, created_at";

pub(crate) fn read(row: &Row<'_>) -> Result<Message, StoreError> {
    Ok(Message {
        id: row.get(0)?,
        author: read_word(row, 1, Author::from_word)?,
        text: row.get(2)?,
        subject: row.get(3)?,
        created_at: row.get(4)?,
    })
}

/// Appends a message.
///
/// # Errors
/// A unique violation for a second reply of one turn.
pub fn insert(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewMessage<'_>,
    now: Timestamp,
) -> Result<MessageId, StoreError> {
    tx.insert(
        "INSERT INTO message (organization_id, conversation_id, turn_id, author, text, subject, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        values![organization, new.conversation, new.turn, new.author.as_str(), new.text, new.subject, now],
    )
}

/// Makes the reply of a turn a draft: it was not sent, because a person took over.
///
/// # Errors
/// What the database said.
pub fn unsend(tx: &mut Tx<'_>, organization: OrganizationId, turn: TurnId) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE message SET author = 'draft' WHERE organization_id = ?1 AND turn_id = ?2 AND author = 'agent'",
        values![organization, turn],
    )?;
    Ok(())
}

/// Puts other words in the place of what a contact wrote and took back; tells whether it was found. `turn` is the turn that
/// read it; of several with the same words it is the last.
///
/// # Errors
/// What the database said.
pub fn retract(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    turn: Option<TurnId>,
    text: &str,
    words: &str,
) -> Result<bool, StoreError> {
    let sql = "UPDATE message SET text = ?5 WHERE organization_id = ?1 AND id = (
                   SELECT id FROM message WHERE organization_id = ?1 AND conversation_id = ?2 AND author = 'contact'
                     AND text = ?4 AND (turn_id = ?3 OR (turn_id IS NULL AND ?3 IS NULL)) ORDER BY id DESC LIMIT 1)";
    Ok(tx.execute(sql, values![organization, conversation, turn, text, words])? == 1)
}

/// The last `limit` messages of a conversation, oldest first.
///
/// # Errors
/// What the database said.
pub fn last(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    let mut found = tx.query_all(
        &format!(
            "SELECT {COLUMNS} FROM message WHERE organization_id = ?1 AND conversation_id = ?2 ORDER BY id DESC LIMIT ?3"
        ),
        values![organization, conversation, limit],
        read,
    )?;
    found.reverse();
    Ok(found)
}

pub(crate) const COUNT_SINCE: &str = "SELECT count(*) FROM message WHERE organization_id = ?1 AND conversation_id = ?2 AND author = ?3 AND created_at >= ?4";

/// The last message of a conversation that was said: drafts were not.
///
/// # Errors
/// What the database said.
pub fn last_said(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Option<Message>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM message WHERE organization_id = ?1 AND conversation_id = ?2 AND author <> 'draft'
         ORDER BY id DESC LIMIT 1"
    );
    tx.query_optional(&sql, values![organization, conversation], read)
}

/// How many messages of one author a conversation got since an instant.
///
/// # Errors
/// What the database said.
pub fn count_since(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    author: Author,
    since: Timestamp,
) -> Result<u32, StoreError> {
    tx.query_one(COUNT_SINCE, values![organization, conversation, author.as_str(), since], |row| row.get(0))
}

/// Counts the contact's messages since the last message to the contact. Messages of an open turn do not count, because the turn answers
/// them. A message that did not arrive is not a message to the contact.
///
/// # Errors
/// What the database said.
pub fn unanswered(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<u32, StoreError> {
    tx.query_one(
        "SELECT count(*) FROM message WHERE organization_id = ?1 AND conversation_id = ?2 AND author = 'contact'
         AND (turn_id IS NULL OR NOT EXISTS (SELECT 1 FROM turn t WHERE t.id = message.turn_id AND t.state = 'open'))
         AND id > COALESCE((SELECT max(told.id) FROM message told WHERE told.organization_id = ?1 AND told.conversation_id = ?2
                            AND told.author IN ('agent', 'staff', 'system') AND (told.author <> 'system' OR told.turn_id IS NULL)
                            AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.message_id = told.id AND o.state = 'dead')), 0)",
        values![organization, conversation],
        |row| row.get(0),
    )
}

/// How many messages the contact wrote after we last said `text`, if we said it since an instant; those of `turn` not counted.
///
/// # Errors
/// What the database said.
pub fn written_since(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    text: &str,
    since: Timestamp,
    turn: TurnId,
) -> Result<Option<u32>, StoreError> {
    tx.query_optional(
        "SELECT (SELECT count(*) FROM message later WHERE later.organization_id = ?1 AND later.conversation_id = ?2
                   AND later.author = 'contact' AND later.id > said.id AND (later.turn_id IS NULL OR later.turn_id <> ?5))
         FROM message said WHERE said.organization_id = ?1 AND said.conversation_id = ?2 AND said.author = 'agent'
         AND said.text = ?3 AND said.created_at >= ?4 ORDER BY said.id DESC LIMIT 1",
        values![organization, conversation, text, since, turn],
        |row| row.get(0),
    )
}

/// What the contact wrote in a turn from `since` on, in order.
///
/// # Errors
/// What the database said.
pub fn texts_of_turn(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (conversation, turn): (ConversationId, TurnId),
    since: Timestamp,
) -> Result<Vec<String>, StoreError> {
    tx.query_all(
        "SELECT text FROM message WHERE organization_id = ?1 AND conversation_id = ?2 AND created_at >= ?4
           AND turn_id = ?3 AND author = 'contact' ORDER BY id",
        values![organization, conversation, turn, since],
        |row| row.get(0),
    )
}

/// A proactive message that we sent to a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    /// What was said.
    pub subject: String,
    /// What its message in the outbox names as its matter, if it left by a channel.
    pub about: Option<String>,
}

pub(crate) const LAST_NOTIFICATION: &str =
    "SELECT subject, created_at FROM message WHERE organization_id = ?1 AND conversation_id = ?2 AND author <> 'contact'
     AND author <> 'draft' AND (author <> 'system' OR turn_id IS NULL) AND created_at >= ?3 ORDER BY id DESC LIMIT 1";

/// The last unasked-for message since an instant, if nothing else was said by us after it.
///
/// # Errors
/// What the database said.
pub fn find_last_notification(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    since: Timestamp,
) -> Result<Option<Notification>, StoreError> {
    let last: Option<(Option<String>, Timestamp)> =
        tx.query_optional(LAST_NOTIFICATION, values![organization, conversation, since], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let Some((Some(subject), at)) = last else { return Ok(None) };
    // Message and outbox row are written in one transaction, at one instant.
    let about: Option<Option<String>> = tx.query_optional(
        "SELECT about FROM outbox WHERE organization_id = ?1 AND conversation_id = ?2 AND created_at = ?3 AND about IS NOT NULL
         ORDER BY id DESC LIMIT 1",
        values![organization, conversation, at],
        |row| row.get(0),
    )?;
    Ok(Some(Notification { subject, about: about.flatten() }))
}

/// What a customer's message answers by the name of a message of its channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// What we said last, or a notification.
    Last,
    /// Something that we said before that.
    Earlier(String),
    /// No message that we sent: one of the customer's own, for example.
    Other,
}

/// Finds what a message answers that names `provider_message`.
///
/// # Errors
/// What the database said.
pub fn find_answered(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    provider_message: &str,
) -> Result<Answered, StoreError> {
    // Message and outbox row are written in one transaction, at one instant.
    let found: Option<(String, Option<String>, bool)> = tx.query_optional(
        "SELECT message.text, message.subject,
                EXISTS (SELECT 1 FROM message later WHERE later.organization_id = ?1 AND later.conversation_id = ?2
                          AND later.id > message.id AND later.author <> 'contact' AND later.author <> 'draft'
                          AND (later.author <> 'system' OR later.turn_id IS NULL))
         FROM outbox
         JOIN message ON message.organization_id = outbox.organization_id AND message.conversation_id = outbox.conversation_id
              AND message.created_at = outbox.created_at AND message.author <> 'contact' AND message.author <> 'draft'
              AND (message.author <> 'system' OR message.turn_id IS NULL)
         WHERE outbox.organization_id = ?1 AND outbox.conversation_id = ?2 AND outbox.provider_message = ?3
         ORDER BY message.id DESC LIMIT 1",
        values![organization, conversation, provider_message],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    Ok(match found {
        None => Answered::Other,
        Some((_, None, false) | (_, Some(_), _)) => Answered::Last,
        Some((text, None, true)) => Answered::Earlier(text),
    })
}

/// Finds the notification that a channel message id refers to; `None` if the message was a reply, or if another system sent the message.
///
/// # Errors
/// What the database said.
pub fn find_quoted_notification(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    provider_message: &str,
) -> Result<Option<Notification>, StoreError> {
    tx.query_optional(
        "SELECT message.subject, outbox.about FROM outbox
         JOIN message ON message.organization_id = outbox.organization_id AND message.conversation_id = outbox.conversation_id
              AND message.created_at = outbox.created_at AND message.subject IS NOT NULL
         WHERE outbox.organization_id = ?1 AND outbox.conversation_id = ?2 AND outbox.provider_message = ?3
         ORDER BY message.id DESC LIMIT 1",
        values![organization, conversation, provider_message],
        |row| Ok(Notification { subject: row.get(0)?, about: row.get(1)? }),
    )
}
