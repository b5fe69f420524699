//! How fast messages leave: so many a second by one account, so many to one customer, counted in the database for all programs.
//!
//! It is looked at in the transaction that states the intent to send. What would leave too fast is put back there and then: it
//! costs no attempt, keeps its place in its conversation, and no other account waits for it. The rules are in
//! [`balcao_domain::throttle`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use balcao_domain::OrganizationId;
use balcao_domain::throttle::{PairRate, SendingRate, Throttle};
use balcao_store::messaging::outbox::{self, Outbox};
use balcao_store::{Tx, messaging::throttle, ops::request_rate};
use jiff::Timestamp;

use super::later;
use crate::context::app_context::UseCaseError;
use crate::context::request_rate::RequestRate;

/// One in so many messages makes room for others: what is known of customers who got none for a while is forgotten.
const TIDY_EVERY: i64 = 64;

/// The rates of the accounts that have one, by channel and account.
pub(super) type Rates = BTreeMap<(String, String), SendingRate>;

/// The pace of the accounts that one claim meets.
pub(super) struct Pacing<'r> {
    rates: &'r Rates,
    met: BTreeMap<(OrganizationId, String, String), Throttle>,
}

impl<'r> Pacing<'r> {
    pub(super) const fn new(rates: &'r Rates) -> Self {
        Self { rates, met: BTreeMap::new() }
    }

    /// Whether a message that was claimed may leave now; else it is put back.
    pub(super) fn check(&mut self, tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<bool, UseCaseError> {
        let Some(rate) = self.rates.get(&(message.channel.clone(), message.account.clone())) else { return Ok(true) };
        let name = (message.organization, message.channel.clone(), message.account.clone());
        let stands = match self.met.entry(name) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(stand(tx, message, now)?),
        };
        let next = match stands.take(rate.per_second, now) {
            Ok(next) => next,
            Err(waits) => {
                *stands = waits;
                throttle::put_back(tx, message, None, now)?;
                return Ok(false);
            }
        };
        if let Some(rate) = rate.to_one
            && let Some(not_before) = too_many_to_one(tx, message, rate, now)?
        {
            throttle::put_back(tx, message, Some(not_before), now)?;
            return Ok(false);
        }
        *stands = next;
        Ok(true)
    }

    /// Keeps where the accounts stand now.
    pub(super) fn store_throttles(self, tx: &mut Tx<'_>) -> Result<(), UseCaseError> {
        for ((organization, channel, account), stands) in self.met {
            throttle::set(tx, organization, &channel, &account, &stands)?;
        }
        Ok(())
    }
}

/// Handles the provider's answer that the account of a message sends too fast. The message itself is not at fault.
pub(super) fn apply_rate_limit(
    tx: &mut Tx<'_>,
    message: &Outbox,
    jitter: u64,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let slowed = stand(tx, message, now)?.after_report(jitter, now);
    tracing::warn!(
        channel = message.channel,
        account = message.account,
        level = slowed.level,
        until = %slowed.until,
        "the provider takes no more messages for now: the account sends more slowly"
    );
    throttle::set(tx, message.organization, &message.channel, &message.account, &slowed)?;
    Ok(outbox::excuse(tx, message)?)
}

fn stand(tx: &mut Tx<'_>, message: &Outbox, now: Timestamp) -> Result<Throttle, UseCaseError> {
    let known = throttle::find(tx, message.organization, &message.channel, &message.account)?;
    Ok(known.unwrap_or_else(|| Throttle::new(now)))
}

/// When the customer of a message may get it, if they got too many just now; else it is counted.
fn too_many_to_one(
    tx: &mut Tx<'_>,
    message: &Outbox,
    rate: PairRate,
    now: Timestamp,
) -> Result<Option<Timestamp>, UseCaseError> {
    let (organization, name) = (message.organization, format!("send/{}", message.conversation));
    let known = request_rate::find(tx, organization, &name)?;
    let rule = RequestRate { burst: rate.burst, every: rate.every };
    match rule.after(known, now) {
        Err(wait) => Ok(Some(later(now, wait))),
        Ok(full_at) => {
            if i64::from(message.id) % TIDY_EVERY == 0 {
                request_rate::forget(tx, organization, now)?;
            }
            request_rate::set(tx, organization, &name, full_at)?;
            Ok(None)
        }
    }
}
