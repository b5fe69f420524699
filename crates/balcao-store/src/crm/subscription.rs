//! Subscriptions and their payments. Plans are in [`crate::scheduling::catalog`].
//!
//! A subscription is one row for each contact and plan; one that ended starts again in its row. A change compares the revision that its
//! decision was made on, so that of two changes at once one is written and the other is decided again.

use balcao_domain::subscription::{Subscriber, SubscriptionDates};
use balcao_domain::{ContactId, OrganizationId, PlanId, SubscriberId};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Row, values};

/// A subscription to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewSubscription {
    /// Who subscribes.
    pub contact: ContactId,
    /// To what.
    pub plan: PlanId,
    /// Its dates.
    pub dates: SubscriptionDates,
}

/// A payment that was noted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubscriptionPayment {
    /// What names the payment outside, such as the number of a transfer.
    pub reference: String,
    /// The amount, in cents of the organization's currency; more than zero.
    pub amount_cents: i64,
    /// The due date that it moved; `None` if no payment was expected.
    pub due_from: Option<Date>,
    /// The due date after it.
    pub due_to: Date,
    /// When it was noted.
    pub noted_at: Timestamp,
    /// Its author, by the name in the audit log.
    pub noted_by: String,
    /// Whether it was less than the price, and moved no due date.
    pub is_partial: bool,
    /// When it was taken back, and its author then.
    pub taken_back: Option<(Timestamp, String)>,
}

/// The end of a subscription. A program from before the column wrote a word without a date.
const ENDED: &str = "COALESCE(subscriber.ended_on, CASE WHEN subscriber.status = 'cancelled' THEN COALESCE(subscriber.due_on, '1970-01-01') END)";

fn columns() -> String {
    format!("id, contact_id, plan_id, started_on, due_on, anchor_day, paused_on, {ENDED}, revision")
}

fn read(row: &Row<'_>) -> Result<Subscriber, StoreError> {
    Ok(Subscriber {
        id: row.get(0)?,
        contact: row.get(1)?,
        plan: row.get(2)?,
        dates: SubscriptionDates {
            started: row.get(3)?,
            due: row.get(4)?,
            anchor_day: row.get::<Option<i64>>(5)?.and_then(|day| day.try_into().ok()),
            paused: row.get(6)?,
            ended: row.get(7)?,
        },
        revision: row.get(8)?,
    })
}

/// The word that a program from before the dates reads.
const fn word_of(dates: &SubscriptionDates) -> &'static str {
    match (dates.ended, dates.paused) {
        (Some(_), _) => "cancelled",
        (None, Some(_)) => "overdue",
        (None, None) => "active",
    }
}

/// Adds a subscription, or starts one again in the row of the one that ended by `today`. `None` if the contact has one of that plan that
/// has not ended.
///
/// # Errors
/// What the database said.
pub fn start(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &NewSubscription,
    today: Date,
) -> Result<Option<SubscriberId>, StoreError> {
    let NewSubscription { contact, plan, dates } = new;
    tx.query_optional(
        &format!(
            "INSERT INTO subscriber (organization_id, contact_id, plan_id, status, started_on, due_on, anchor_day, paused_on, ended_on)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (organization_id, contact_id, plan_id) DO UPDATE SET status = excluded.status,
                 started_on = excluded.started_on, due_on = excluded.due_on, anchor_day = excluded.anchor_day,
                 paused_on = excluded.paused_on, ended_on = excluded.ended_on, revision = subscriber.revision + 1
             WHERE {ENDED} <= ?10
             RETURNING id"
        ),
        values![
            organization,
            *contact,
            *plan,
            word_of(dates),
            dates.started,
            dates.due,
            dates.anchor_day.map(i64::from),
            dates.paused,
            dates.ended,
            today
        ],
        |row| row.get(0),
    )
}

/// Gives a subscription other dates if it is still as it was `read`; tells whether it was.
///
/// # Errors
/// What the database said.
pub fn change(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    read: &Subscriber,
    dates: &SubscriptionDates,
) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE subscriber SET status = ?4, started_on = ?5, due_on = ?6, anchor_day = ?7, paused_on = ?8, ended_on = ?9,
             revision = revision + 1
         WHERE organization_id = ?1 AND id = ?2 AND revision = ?3",
        values![
            organization,
            read.id,
            read.revision,
            word_of(dates),
            dates.started,
            dates.due,
            dates.anchor_day.map(i64::from),
            dates.paused,
            dates.ended
        ],
    )?;
    Ok(changed == 1)
}

/// Locks a contact's subscriptions until the transaction ends, and returns them in order of id. Of two bookings at once the second waits
/// here, so that it counts what the first one took of a quota.
///
/// # Errors
/// What the database said.
pub fn lock_of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Vec<Subscriber>, StoreError> {
    let sql = format!(
        "UPDATE subscriber SET revision = revision WHERE organization_id = ?1 AND contact_id = ?2 RETURNING {}",
        columns()
    );
    let mut locked = tx.query_all(&sql, values![organization, contact], read)?;
    locked.sort_unstable_by_key(|one| one.id);
    Ok(locked)
}

/// The subscription of an id, if the organization has it.
///
/// # Errors
/// What the database said.
pub fn find(tx: &mut Tx<'_>, organization: OrganizationId, id: SubscriberId) -> Result<Option<Subscriber>, StoreError> {
    let sql = format!("SELECT {} FROM subscriber WHERE organization_id = ?1 AND id = ?2", columns());
    tx.query_optional(&sql, values![organization, id], read)
}

/// A contact's subscriptions, in order of id.
///
/// # Errors
/// What the database said.
pub fn of_contact(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
) -> Result<Vec<Subscriber>, StoreError> {
    let sql =
        format!("SELECT {} FROM subscriber WHERE organization_id = ?1 AND contact_id = ?2 ORDER BY id", columns());
    tx.query_all(&sql, values![organization, contact], read)
}

/// Subscriptions to a plan that have not ended by `today`, in order of id, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn list_running(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    plan: PlanId,
    today: Date,
    limit: u32,
) -> Result<Vec<Subscriber>, StoreError> {
    let sql = format!(
        "SELECT {} FROM subscriber WHERE organization_id = ?1 AND plan_id = ?2 AND ({ENDED} IS NULL OR {ENDED} > ?3)
         ORDER BY id LIMIT ?4",
        columns()
    );
    tx.query_all(&sql, values![organization, plan, today, limit], read)
}

/// Subscriptions in order of id, at most `limit`; those behind `after`.
///
/// # Errors
/// What the database said.
pub fn list(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    after: Option<SubscriberId>,
    limit: u32,
) -> Result<Vec<Subscriber>, StoreError> {
    let sql =
        format!("SELECT {} FROM subscriber WHERE organization_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3", columns());
    tx.query_all(&sql, values![organization, after.map_or(0, i64::from), limit], read)
}

/// Notes a payment of a subscription; tells whether its reference is new there, or belonged to a payment that was taken back.
///
/// # Errors
/// What the database said.
pub fn insert_payment(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: SubscriberId,
    new: &SubscriptionPayment,
) -> Result<bool, StoreError> {
    let inserted = tx.execute(
        "INSERT INTO subscription_payment
             (organization_id, subscriber_id, reference, amount_cents, due_from, due_to, noted_at, noted_by, is_partial)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
         ON CONFLICT (organization_id, subscriber_id, reference) DO UPDATE SET amount_cents = excluded.amount_cents,
             due_from = excluded.due_from, due_to = excluded.due_to, noted_at = excluded.noted_at, noted_by = excluded.noted_by,
             is_partial = excluded.is_partial, taken_back_at = NULL, taken_back_by = NULL
         WHERE subscription_payment.taken_back_at IS NOT NULL",
        values![
            organization,
            id,
            &new.reference,
            new.amount_cents,
            new.due_from,
            new.due_to,
            new.noted_at,
            &new.noted_by,
            i64::from(new.is_partial)
        ],
    )?;
    Ok(inserted == 1)
}

/// Takes a payment back; tells whether it stood until now.
///
/// # Errors
/// What the database said.
pub fn take_back_payment(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: SubscriberId,
    reference: &str,
    (by, now): (&str, Timestamp),
) -> Result<bool, StoreError> {
    let taken = tx.execute(
        "UPDATE subscription_payment SET taken_back_at = ?4, taken_back_by = ?5
         WHERE organization_id = ?1 AND subscriber_id = ?2 AND reference = ?3 AND taken_back_at IS NULL",
        values![organization, id, reference, now, by],
    )?;
    Ok(taken == 1)
}

/// The payment of a subscription with that reference, taken back or not.
///
/// # Errors
/// What the database said.
pub fn find_payment(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: SubscriberId,
    reference: &str,
) -> Result<Option<SubscriptionPayment>, StoreError> {
    let sql = format!("{PAYMENTS} AND reference = ?3");
    tx.query_optional(&sql, values![organization, id, reference], read_payment)
}

/// Payments of a subscription, the latest first, at most `limit`.
///
/// # Errors
/// What the database said.
pub fn list_payments(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: SubscriberId,
    limit: u32,
) -> Result<Vec<SubscriptionPayment>, StoreError> {
    let sql = format!("{PAYMENTS} ORDER BY noted_at DESC, reference LIMIT ?3");
    tx.query_all(&sql, values![organization, id, limit], read_payment)
}

const PAYMENTS: &str =
    "SELECT reference, amount_cents, due_from, due_to, noted_at, noted_by, is_partial, taken_back_at, taken_back_by
         FROM subscription_payment
         WHERE organization_id = ?1 AND subscriber_id = ?2";

fn read_payment(row: &Row<'_>) -> Result<SubscriptionPayment, StoreError> {
    let taken_back: (Option<Timestamp>, Option<String>) = (row.get(7)?, row.get(8)?);
    Ok(SubscriptionPayment {
        reference: row.get(0)?,
        amount_cents: row.get(1)?,
        due_from: row.get(2)?,
        due_to: row.get(3)?,
        noted_at: row.get(4)?,
        noted_by: row.get(5)?,
        is_partial: row.get::<i64>(6)? != 0,
        taken_back: taken_back.0.zip(taken_back.1),
    })
}
