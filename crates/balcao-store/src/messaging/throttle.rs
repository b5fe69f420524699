//! Where accounts stand that may send only so fast, over all programs. The rule is [`balcao_domain::throttle`].

use balcao_domain::OrganizationId;
use balcao_domain::throttle::Throttle;
use jiff::Timestamp;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::values;
use crate::messaging::outbox::Outbox;

/// Where an account of a channel stands; `None` if it has sent nothing yet.
///
/// # Errors
/// What the database said.
pub fn find(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    channel: &str,
    account: &str,
) -> Result<Option<Throttle>, StoreError> {
    tx.query_optional(
        "SELECT full_at_us, until, level, since FROM throttle WHERE organization_id = ?1 AND channel = ?2 AND account = ?3",
        values![organization, channel, account],
        |row| Ok(Throttle { full_at_us: row.get(0)?, until: row.get(1)?, level: row.get(2)?, since: row.get(3)? }),
    )
}

/// Remembers it. What leaves by the account waits until [`Throttle::until`] ([`crate::messaging::outbox::claim`]).
///
/// # Errors
/// What the database said.
pub fn set(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    channel: &str,
    account: &str,
    now: &Throttle,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO throttle (organization_id, channel, account, full_at_us, until, level, since)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (organization_id, channel, account) DO UPDATE SET full_at_us = excluded.full_at_us,
             until = excluded.until, level = excluded.level, since = excluded.since",
        values![organization, channel, account, now.full_at_us, now.until, now.level, now.since],
    )?;
    Ok(())
}

/// Puts back a message that was just claimed and not sent, because it would have left too fast: not to be taken before
/// `not_before`, if there is one. The attempt does not count.
///
/// # Errors
/// What the database said.
pub fn put_back(
    tx: &mut Tx<'_>,
    claimed: &Outbox,
    not_before: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE outbox SET state = 'pending', attempts = attempts - 1, sending_until = NULL,
                not_before = COALESCE(?4, not_before), changed_at = ?5
         WHERE organization_id = ?1 AND id = ?2 AND attempts = ?3 AND state = 'sending'",
        values![claimed.organization, claimed.id, claimed.attempts, not_before, now],
    )?;
    Ok(())
}
