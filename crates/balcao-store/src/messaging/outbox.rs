//! The outbox: everything that leaves, as a row that was written with the decision that caused it.
//!
//! The states and their invariants are in [`balcao_domain::outbox`]. Every change demands the state that it starts from; a
//! change that finds another state does nothing and says so.

mod failures;

use balcao_domain::outbox::{Next, OutboxState};
use balcao_domain::{ConversationId, MessageId, OrganizationId, OutboxId, TurnId};
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, read_word, values};
use crate::database::wakeup::Wakeup;

pub use failures::{FailedMessage, find_failed, give_up, list_failed};

/// A message to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewOutbox<'a> {
    /// Where.
    pub conversation: ConversationId,
    /// The turn whose reply it is.
    pub turn: Option<TurnId>,
    /// The message of the thread that it is; without one, the turn's reply, if there is one.
    pub message: Option<MessageId>,
    /// Which part of it, from 1.
    pub part: u32,
    /// What it is: `reply`, …
    pub kind: &'a str,
    /// The channel.
    pub channel: &'a str,
    /// From which account.
    pub account: &'a str,
    /// The recipient, as JSON of the channel.
    pub recipient: &'a str,
    /// What, as JSON of the channel.
    pub body: &'a str,
    /// Our name of it, unique.
    pub correlation: &'a str,
    /// What an unasked-for message is about, such as `reminder:12`.
    pub about: Option<&'a str>,
    /// The template that takes its place once the channel's window is closed, as JSON of the channel.
    pub fallback: Option<&'a str>,
}

/// A message as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outbox {
    /// Its id.
    pub id: OutboxId,
    /// Whose.
    pub organization: OrganizationId,
    /// Where.
    pub conversation: ConversationId,
    /// The turn whose reply it is.
    pub turn: Option<TurnId>,
    /// What it is: `reply`, …
    pub kind: String,
    /// The channel.
    pub channel: String,
    /// From which account.
    pub account: String,
    /// The recipient, as JSON of the channel.
    pub recipient: String,
    /// What, as JSON of the channel.
    pub body: String,
    /// Our name of it.
    pub correlation: String,
    /// What became of it.
    pub state: OutboxState,
    /// Attempts so far, the running one included.
    pub attempts: u32,
    /// Pending: not tried before. Unknown: those behind it wait until then.
    pub not_before: Timestamp,
    /// The provider's name of it.
    pub provider_message: Option<String>,
    /// How far it came, in the channel's word.
    pub delivery: Option<String>,
    /// Why it failed, for staff.
    pub failure: Option<String>,
    /// What an unasked-for message is about.
    pub about: Option<String>,
    /// The template that takes its place once the channel's window is closed.
    pub fallback: Option<String>,
    /// What it is billed as, in the provider's word; `None` until it is known.
    pub category: Option<String>,
    /// What it costs, in millionths of the business's currency; `None` until it is known.
    pub price_micros: Option<i64>,
    /// How many times the outbox sent a new copy after an attempt that had counted; statuses of earlier copies do not concern this one.
    pub round: u32,
    /// Attempts of those counted that failed because its whole account could send nothing: they are not its own.
    pub excused: u32,
    /// Whether it goes to the other spelling of the customer's number.
    pub respelled: bool,
    /// When it was written.
    pub created_at: Timestamp,
    /// Attempts that the program did not live to end.
    pub deaths: u32,
}

impl Outbox {
    /// Our name of the copy that is being sent: the first has the message's own, a later one says which it is.
    #[must_use]
    pub fn copy_name(&self) -> String {
        if self.round == 0 { self.correlation.clone() } else { format!("{}{COPY}{}", self.correlation, self.round) }
    }

    /// Whether a name that a status repeats is of an earlier copy.
    #[must_use]
    pub fn is_earlier_copy(&self, name: &str) -> bool {
        name != self.copy_name()
    }
}

/// What stands between our name of a message and the number of its copy; no name has it.
const COPY: char = '~';

/// What the messages of an account cost since an instant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bill {
    /// Messages of one category.
    pub messages: i64,
    /// All messages, in millionths of the business's currency.
    pub micros: i64,
}

const COLUMNS: &str = "id, organization_id, conversation_id, turn_id, channel, account, recipient, body, correlation, state, \
                       attempts, not_before, provider_message, delivery, failure, kind, about, fallback, category, \
                       price_micros, round, excused, respelled, created_at, deaths";

fn read(row: &Row<'_>) -> Result<Outbox, StoreError> {
    Ok(Outbox {
        id: row.get(0)?,
        organization: row.get(1)?,
        conversation: row.get(2)?,
        turn: row.get(3)?,
        channel: row.get(4)?,
        account: row.get(5)?,
        recipient: row.get(6)?,
        body: row.get(7)?,
        correlation: row.get(8)?,
        state: read_word(row, 9, OutboxState::from_word)?,
        attempts: row.get(10)?,
        not_before: row.get(11)?,
        provider_message: row.get(12)?,
        delivery: row.get(13)?,
        failure: row.get(14)?,
        kind: row.get(15)?,
        about: row.get(16)?,
        fallback: row.get(17)?,
        category: row.get(18)?,
        price_micros: row.get(19)?,
        round: row.get(20)?,
        excused: row.get(21)?,
        respelled: row.get(22)?,
        created_at: row.get(23)?,
        deaths: row.get(24)?,
    })
}

/// Appends a message to its conversation's.
///
/// # Errors
/// A unique violation for a second set of messages of one turn.
pub fn push(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewOutbox<'_>,
    now: Timestamp,
) -> Result<OutboxId, StoreError> {
    tx.hint(Wakeup::Outbox);
    tx.insert(
        "INSERT INTO outbox (organization_id, conversation_id, seq, turn_id, part, kind, channel, account, recipient, body,
                             correlation, not_before, created_at, changed_at, about, fallback, message_id)
         VALUES (?1, ?2, (SELECT COALESCE(max(seq), 0) + 1 FROM outbox WHERE conversation_id = ?2), ?3, ?4, ?5, ?6, ?7, ?8,
                 ?9, ?10, ?11, ?11, ?11, ?12, ?13,
                 COALESCE(?14, (SELECT id FROM message WHERE turn_id = ?3 AND author IN ('agent', 'draft')))) RETURNING id",
        values![
            organization,
            new.conversation,
            new.turn,
            new.part,
            new.kind,
            new.channel,
            new.account,
            new.recipient,
            new.body,
            new.correlation,
            now,
            new.about,
            new.fallback,
            new.message,
        ],
    )
}

/// Claims due messages, at most one of each conversation and `limit` in all, and marks them as being sent. That mark is the intent,
/// durable before the request goes out. The attempt counts. `claim` is a unique name for this claim, so that a sender that does not learn
/// the outcome of the commit can give the messages back. A message of a paused account ([`crate::messaging::account_pause`]), or of an
/// account at its rate limit ([`crate::messaging::throttle`]), waits.
///
/// # Errors
/// What the database said.
pub fn claim(
    tx: &mut Tx<'_>,
    claim: &str,
    now: Timestamp,
    until: Timestamp,
    limit: u32,
) -> Result<Vec<Outbox>, StoreError> {
    let sql = format!(
        "UPDATE outbox SET state = 'sending', attempts = attempts + 1, sending_until = ?2, changed_at = ?1, claim = ?4
         WHERE id IN (
             SELECT o.id FROM outbox o WHERE o.state = 'pending' AND o.not_before <= ?1
               AND NOT EXISTS (SELECT 1 FROM outbox before WHERE before.conversation_id = o.conversation_id
                               AND before.seq < o.seq AND (before.state IN ('pending', 'sending')
                                    OR (before.state = 'unknown' AND before.not_before > ?1)))
               AND NOT EXISTS (SELECT 1 FROM pause p WHERE p.organization_id = o.organization_id AND p.channel = o.channel
                               AND p.account = o.account AND p.until > ?1)
               AND NOT EXISTS (SELECT 1 FROM throttle t WHERE t.organization_id = o.organization_id AND t.channel = o.channel
                               AND t.account = o.account AND t.until > ?1)
               AND (o.organization_id = ?5 OR ?5 IS NULL)
             ORDER BY o.not_before, o.id LIMIT ?3)
         RETURNING {COLUMNS}"
    );
    let served = tx.served();
    tx.query_all(&sql, values![now, until, limit, claim, served], read)
}

/// Gives back what a claim took of which nothing was sent; gives how many messages that were.
///
/// # Errors
/// What the database said.
pub fn give_back(tx: &mut Tx<'_>, claim: &str, now: Timestamp) -> Result<usize, StoreError> {
    tx.across_organizations();
    tx.execute(
        "UPDATE outbox SET state = 'pending', attempts = attempts - 1, sending_until = NULL, not_before = ?2, changed_at = ?2
         WHERE claim = ?1 AND state = 'sending'",
        values![claim, now],
    )
}

/// Excuses the attempt that [`claim`] counted: it failed because of its whole account. A message whose attempt is not the last
/// one changes no count.
///
/// # Errors
/// What the database said.
pub fn excuse(tx: &mut Tx<'_>, attempted: &Outbox) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE outbox SET excused = excused + 1 WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3",
        values![attempted.organization, attempted.id, attempted.attempts],
    )?;
    Ok(())
}

/// Marks the messages of a dead sender as unknown, counts the death and returns them. Later messages of the conversation wait until `settle`.
///
/// # Errors
/// What the database said.
pub fn expire(tx: &mut Tx<'_>, now: Timestamp, settle: Timestamp) -> Result<Vec<Outbox>, StoreError> {
    let sql = format!(
        "UPDATE outbox SET state = 'unknown', sending_until = NULL, not_before = ?2, changed_at = ?1, deaths = deaths + 1,
                failure = 'the program ended while it was being sent'
         WHERE state = 'sending' AND sending_until <= ?1 AND (organization_id = ?3 OR ?3 IS NULL) RETURNING {COLUMNS}"
    );
    let served = tx.served();
    tx.query_all(&sql, values![now, settle, served], read)
}

/// Records what came of the attempt that [`claim`] counted; tells whether it did. An answer that comes after the attempt was
/// taken for lost still counts; one that a status overtook does not.
///
/// # Errors
/// What the database said.
pub fn record(
    tx: &mut Tx<'_>,
    attempted: &Outbox,
    next: Next,
    provider_message: Option<&str>,
    failure: Option<&str>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outbox SET state = ?4, not_before = ?5, sending_until = NULL, failure = ?7, changed_at = ?8,
                provider_message = COALESCE(?6, provider_message)
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state IN ('sending', 'unknown')",
        values![
            attempted.organization,
            attempted.id,
            attempted.attempts,
            next.state.as_str(),
            next.not_before,
            provider_message,
            failure,
            now,
        ],
    )?;
    Ok(changed == 1)
}

/// Whether a message was given up and something behind it in its conversation has left since: sent now, it would come after what it
/// was written before (I-14).
///
/// # Errors
/// What the database said.
pub fn is_left_behind(tx: &mut Tx<'_>, attempted: &Outbox) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM outbox WHERE organization_id = ?1 AND id = ?2 AND state = 'unknown'";
    let given_up = tx.query_optional(sql, values![attempted.organization, attempted.id], |row| row.get::<i64>(0))?;
    Ok(given_up.is_some() && is_followed(tx, attempted)?)
}

/// Whether something behind a message in its conversation has left, or may have.
///
/// # Errors
/// What the database said.
pub fn is_followed(tx: &mut Tx<'_>, message: &Outbox) -> Result<bool, StoreError> {
    let later = tx.query_optional(
        "SELECT 1 FROM outbox AS one JOIN outbox AS later
            ON later.conversation_id = one.conversation_id AND later.seq > one.seq AND later.state IN ('sending', 'sent', 'unknown')
         WHERE one.organization_id = ?1 AND one.id = ?2 LIMIT 1",
        values![message.organization, message.id],
        |row| row.get::<i64>(0),
    )?;
    Ok(later.is_some())
}

/// Puts its template in the place of a message that is being sent and certainly was not, because the channel's window is
/// closed; it is tried again at once. Tells whether it did. A template has no further one.
///
/// # Errors
/// What the database said.
pub fn fall_back(tx: &mut Tx<'_>, attempted: &Outbox, failure: &str, now: Timestamp) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outbox SET body = fallback, fallback = NULL, state = 'pending', not_before = ?5, sending_until = NULL,
                failure = ?4, category = NULL, price_micros = NULL, priced_at = NULL, changed_at = ?5
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'sending' AND fallback IS NOT NULL",
        values![attempted.organization, attempted.id, attempted.attempts, failure, now],
    )?;
    Ok(changed == 1)
}

/// Queues a new copy of a message that certainly did not arrive, although the provider may have accepted it. The copy leaves no earlier
/// than `not_before` and, if `respelled` is given, goes to that spelling of the number. Returns whether the message was queued.
///
/// # Errors
/// What the database said.
pub fn send_anew(
    tx: &mut Tx<'_>,
    failed: &Outbox,
    respelled: Option<&str>,
    failure: &str,
    not_before: Timestamp,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outbox SET state = 'pending', not_before = ?7, sending_until = NULL, failure = ?5, changed_at = ?6,
                provider_message = NULL, delivery = NULL, round = round + 1, category = NULL, price_micros = NULL,
                priced_at = NULL, recipient = COALESCE(?4, recipient),
                respelled = CASE WHEN ?4 IS NULL THEN respelled ELSE 1 END
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state IN ('sending', 'sent', 'unknown')",
        values![failed.organization, failed.id, failed.attempts, respelled, failure, now, not_before],
    )?;
    Ok(changed == 1)
}

/// Gives a message that is being sent the template that may take its place.
///
/// # Errors
/// What the database said.
pub fn set_fallback(tx: &mut Tx<'_>, attempted: &Outbox, fallback: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE outbox SET fallback = ?4 WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'sending'",
        values![attempted.organization, attempted.id, attempted.attempts, fallback],
    )?;
    Ok(())
}

/// Extends the sender's claim on a message, because it must upload the file first. Returns whether the claim was still valid.
///
/// # Errors
/// What the database said.
pub fn extend(tx: &mut Tx<'_>, attempted: &Outbox, until: Timestamp) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outbox SET sending_until = ?4 WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'sending'",
        values![attempted.organization, attempted.id, attempted.attempts, until],
    )?;
    Ok(changed == 1)
}

/// Replaces the text of a message that [`send_anew`] has queued again with another text.
///
/// # Errors
/// What the database said.
pub fn reword(tx: &mut Tx<'_>, failed: &Outbox, body: &str) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE outbox SET body = ?4 WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'pending'",
        values![failed.organization, failed.id, failed.attempts, body],
    )
}

/// Puts the message that names its file at the provider in the place of one whose file was with us; tells whether the message was
/// still theirs to send who handed the file in.
///
/// # Errors
/// What the database said.
pub fn set_body(tx: &mut Tx<'_>, attempted: &Outbox, body: &str) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outbox SET body = ?4 WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'sending'",
        values![attempted.organization, attempted.id, attempted.attempts, body],
    )?;
    Ok(changed == 1)
}

/// Keeps what a message is going to cost.
///
/// # Errors
/// What the database said.
pub fn set_price(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: OutboxId,
    category: &str,
    micros: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.defer(
        "UPDATE outbox SET category = ?3, price_micros = ?4, priced_at = ?5 WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, category, micros, now],
    )
}

/// Corrects what a message was expected to cost by what the provider says of it: as what it bills it, and for how much, if that is known.
///
/// # Errors
/// What the database said.
pub fn learn_price(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: OutboxId,
    category: Option<&str>,
    micros: Option<i64>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE outbox SET category = COALESCE(?3, category), price_micros = COALESCE(?4, price_micros)
         WHERE organization_id = ?1 AND id = ?2",
        values![organization, id, category, micros],
    )?;
    Ok(())
}

/// What the messages of an account cost since an instant, those of `category` counted. What was not sent and will not be
/// costs nothing.
///
/// # Errors
/// What the database said.
pub fn bill(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    account: (&str, &str),
    category: &str,
    since: Timestamp,
) -> Result<Bill, StoreError> {
    let (channel, account) = account;
    tx.query_one(
        "SELECT CAST(COALESCE(sum(CASE WHEN category = ?4 THEN 1 ELSE 0 END), 0) AS BIGINT),
                CAST(COALESCE(sum(price_micros), 0) AS BIGINT)
         FROM outbox WHERE organization_id = ?1 AND channel = ?2 AND account = ?3 AND priced_at >= ?5 AND state <> 'dead'",
        values![organization, channel, account, category, since],
        |row| Ok(Bill { messages: row.get(0)?, micros: row.get(1)? }),
    )
}

/// How many messages of a kind a conversation was sent, or is to be, since an instant.
///
/// # Errors
/// What the database said.
pub fn count_of_kind(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    kind: &str,
    since: Timestamp,
) -> Result<u32, StoreError> {
    tx.query_one(
        "SELECT count(*) FROM outbox WHERE organization_id = ?1 AND conversation_id = ?2 AND kind = ?3 AND created_at >= ?4
           AND state <> 'dead'",
        values![organization, conversation, kind, since],
        |row| row.get(0),
    )
}

/// The message that a status is about: by the provider's name of it, else by ours, which may be that of an earlier copy
/// ([`Outbox::is_earlier_copy`]).
///
/// # Errors
/// What the database said.
pub fn find_for_status(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    account: (&str, &str),
    correlation: Option<&str>,
    provider_message: &str,
) -> Result<Option<Outbox>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM outbox WHERE organization_id = ?1 AND channel = ?2 AND account = ?3
         AND (provider_message = ?4 OR (correlation = ?5 AND (provider_message IS NULL OR provider_message = ?4)))
         ORDER BY id LIMIT 1"
    );
    let (channel, account) = account;
    let name = correlation.map(|name| name.split_once(COPY).map_or(name, |(name, _)| name));
    tx.query_optional(&sql, values![organization, channel, account, provider_message, name], read)
}

/// Stores the fields that a status update changed on a message.
///
/// # Errors
/// What the database said.
pub fn set_delivery(tx: &mut Tx<'_>, changed: &Outbox, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE outbox SET state = ?3, provider_message = ?4, delivery = ?5, failure = ?6, changed_at = ?7,
                sending_until = CASE WHEN ?3 = 'sending' THEN sending_until END
         WHERE organization_id = ?1 AND id = ?2",
        values![
            changed.organization,
            changed.id,
            changed.state.as_str(),
            changed.provider_message.as_ref(),
            changed.delivery.as_ref(),
            changed.failure.as_ref(),
            now,
        ],
    )?;
    Ok(())
}

/// Gives up the agent's replies that are still pending in a conversation because a person took it over; gives their turns.
///
/// # Errors
/// What the database said.
pub fn withdraw(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    failure: &str,
    now: Timestamp,
) -> Result<Vec<TurnId>, StoreError> {
    let turns: Vec<Option<TurnId>> = tx.query_all(
        "UPDATE outbox SET state = 'dead', failure = ?3, changed_at = ?4, given_up_at = ?4
         WHERE organization_id = ?1 AND conversation_id = ?2 AND kind = 'reply' AND state = 'pending' RETURNING turn_id",
        values![organization, conversation, failure, now],
        |row| row.get(0),
    )?;
    Ok(turns.into_iter().flatten().collect())
}

/// Sends a dead or unknown message again because staff ask for it; returns whether the message was in one of these states. The count of
/// attempts goes on, so that an answer to an earlier attempt cannot count for this one. The statuses and the price of the earlier copy
/// are cleared, because today's terms apply. The message goes to the contact's current address.
///
/// # Errors
/// What the database said.
pub fn retry(tx: &mut Tx<'_>, organization: OrganizationId, id: OutboxId, now: Timestamp) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE outbox SET state = 'pending', not_before = ?3, changed_at = ?3, failure = NULL, given_up_at = NULL,
                delivery = NULL, provider_message = NULL, round = round + 1, category = NULL, price_micros = NULL, priced_at = NULL,
                recipient = COALESCE((SELECT d.recipient FROM dispatch d WHERE d.conversation_id = outbox.conversation_id), recipient)
         WHERE organization_id = ?1 AND id = ?2 AND state IN ('dead', 'unknown')",
        values![organization, id, now],
    )?;
    Ok(changed == 1)
}

/// The messages of a conversation, in order.
///
/// # Errors
/// What the database said.
pub fn of_conversation(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<Vec<Outbox>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM outbox WHERE organization_id = ?1 AND conversation_id = ?2 ORDER BY seq");
    tx.query_all(&sql, values![organization, conversation], read)
}

/// Messages in this state, in order of id, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn list(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    state: OutboxState,
    limit: u32,
) -> Result<Vec<Outbox>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM outbox WHERE organization_id = ?1 AND state = ?2 ORDER BY id LIMIT ?3");
    tx.query_all(&sql, values![organization, state.as_str(), limit], read)
}
