//! Deletes what was kept long enough, once a day for each organization, in small batches.
//!
//! A setting per kind decides the storage period ([`Periods`]); `balcao_store::ops::retention` decides what may be deleted at all. After
//! a crash the next process deletes the rest, once the claim has expired. After three crashes nothing is deleted before a person deletes by
//! command, and an alarm says so. Two processes at once delete nothing twice.

use std::time::Duration;

use balcao_domain::OrganizationId;
use balcao_store::Tx;
use balcao_store::ops::retention::{self, RetentionKind};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use tokio_util::sync::CancellationToken;

use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::context::metrics;

/// Rows of one transaction: others write in between.
const BATCH: u32 = 200;
/// How long a claim holds without a sign of life.
const LEASE: Duration = Duration::from_mins(10);
/// How often it is looked whether the time has come.
const LOOK: Duration = Duration::from_mins(10);
/// How long a file of staff is kept that is not sent.
const UNSENT: Duration = Duration::from_hours(24);
/// When a business's day of deleting begins, by its own clock.
const AT: Time = Time::constant(3, 30, 0, 0);

/// For how many days each kind is kept; 0: for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Periods {
    /// Files of customers and of staff.
    pub files: u32,
    /// The insides of turns: steps, calls, results.
    pub traces: u32,
    /// Messages, what later turns read of them, and summaries.
    pub messages: u32,
    /// The content of what channels delivered.
    pub inbox: u32,
    /// Sent messages, events, and the outgoing webhooks that reported them. A month's costs are summed from them.
    pub outbox: u32,
    /// Records of effects: so long an `Idempotency-Key` is remembered.
    pub ledger: u32,
}

impl Default for Periods {
    /// Messages two years, the insides of turns thirty days, the rest ninety (P-06).
    fn default() -> Self {
        Self { files: 90, traces: 30, messages: 730, inbox: 90, outbox: 90, ledger: 90 }
    }
}

impl Periods {
    /// What is older than this goes; `None` if the kind is kept for ever.
    fn before(&self, old: RetentionKind, now: Timestamp) -> Option<Timestamp> {
        let days = match old {
            RetentionKind::UnsentFile => return now.checked_sub(UNSENT).ok(),
            RetentionKind::File => self.files,
            RetentionKind::Trace => self.traces,
            RetentionKind::Message | RetentionKind::ChatEntry | RetentionKind::Transcript | RetentionKind::Summary => {
                self.messages
            }
            RetentionKind::Inbox
            | RetentionKind::Stray
            | RetentionKind::Rescue
            | RetentionKind::PackDelivery
            | RetentionKind::DeliveryCommand => self.inbox,
            RetentionKind::Outbox | RetentionKind::Webhook | RetentionKind::Event => self.outbox,
            RetentionKind::Ledger => self.ledger,
        };
        let hours = SignedDuration::from_hours(i64::from(days).saturating_mul(24));
        if days == 0 { None } else { now.checked_sub(hours).ok() }
    }
}

/// How many rows of a kind went, or would.
pub type Tally = Vec<(RetentionKind, i64)>;

/// Deletes what was kept long enough in one organization. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Retention {
    app: AppContext,
    organization: OrganizationId,
    periods: Periods,
}

impl Retention {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext, organization: OrganizationId, periods: Periods) -> Self {
        Self { app, organization, periods }
    }

    /// Deletes once a day until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            if let Err(error) = self.when_due(&stop).await {
                tracing::error!(%error, "what is too old could not be deleted");
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
        }
    }

    /// Deletes if the day's time has come and no other process is doing it. Returns the counts if it did. The rest stays if `stop` is
    /// cancelled.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn when_due(&self, stop: &CancellationToken) -> Result<Option<Tally>, UseCaseError> {
        let (now, id) = (self.app.clock.now(), self.organization);
        let mut held = later(now, LEASE);
        let claim = move |tx: &mut Tx<'_>| {
            let (_, zone) = organization(tx, id)?;
            Ok::<_, UseCaseError>(retention::claim(tx, id, now, held, next(now, &zone))?)
        };
        if !self.app.store.write(claim).await? {
            return Ok(None);
        }
        let deleted = self.delete_all(&mut held, stop).await;
        let (now, is_whole) = (self.app.clock.now(), deleted.is_ok() && !stop.is_cancelled());
        let end = move |tx: &mut Tx<'_>| {
            if is_whole {
                let (_, zone) = organization(tx, id)?;
                retention::finish(tx, id, held, next(now, &zone))?;
            } else {
                retention::give_back(tx, id, held)?;
            }
            Ok::<_, UseCaseError>(())
        };
        self.app.store.write(end).await?;
        let tally = deleted?;
        let told: i64 = tally.iter().map(|(_, count)| count).sum();
        tracing::info!(organization = %id, rows = told, "what was kept long enough was deleted");
        Ok(Some(tally))
    }

    /// Deletes in batches, and renews the claim that lasts until `held` after each, until `stop` is cancelled.
    async fn delete_all(&self, held: &mut Timestamp, stop: &CancellationToken) -> Result<Tally, UseCaseError> {
        let id = self.organization;
        let mut tally = Vec::new();
        for (old, count) in self.preview().await? {
            let mut gone = 0;
            while gone < count && !stop.is_cancelled() {
                let deleted = self.batch(old, count - gone).await?;
                gone += deleted;
                let (until, from) = (later(self.app.clock.now(), LEASE), *held);
                let renew = move |tx: &mut Tx<'_>| Ok::<_, UseCaseError>(retention::renew(tx, id, from, until)?);
                if deleted == 0 || !self.app.store.write(renew).await? {
                    break;
                }
                *held = until;
            }
            metrics::deleted(old.as_str(), gone);
            tally.push((old, gone));
        }
        Ok(tally)
    }

    /// What would be deleted now.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn preview(&self) -> Result<Tally, UseCaseError> {
        let (organization, periods) = (self.organization, self.periods);
        let count = move |tx: &mut Tx<'_>, now| {
            let due = RetentionKind::ALL.into_iter().filter_map(|old| Some((old, periods.before(old, now)?)));
            due.map(|(old, before)| Ok((old, retention::count(tx, organization, old, before)?))).collect()
        };
        self.app.look(count).await
    }

    /// Deletes what was kept long enough, whatever was done today; gives what. The daily deletion goes on if it was set aside.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn now(&self) -> Result<Tally, UseCaseError> {
        let mut tally = Vec::new();
        for (old, count) in self.preview().await? {
            let mut gone = 0;
            while gone < count {
                let deleted = self.batch(old, count - gone).await?;
                gone += deleted;
                if deleted == 0 {
                    break;
                }
            }
            tally.push((old, gone));
        }
        let id = self.organization;
        let take_up = move |tx: &mut Tx<'_>| Ok::<_, UseCaseError>(retention::take_up(tx, id)?);
        self.app.store.write(take_up).await?;
        Ok(tally)
    }

    /// Deletes some of what there is, at most `most`: one transaction, no larger than others can wait for.
    async fn batch(&self, old: RetentionKind, most: i64) -> Result<i64, UseCaseError> {
        let (now, organization) = (self.app.clock.now(), self.organization);
        let Some(before) = self.periods.before(old, now) else { return Ok(0) };
        let limit = u32::try_from(most).unwrap_or(u32::MAX).min(BATCH);
        let delete =
            move |tx: &mut Tx<'_>| Ok::<_, UseCaseError>(retention::delete(tx, organization, old, before, limit)?);
        Ok(i64::try_from(self.app.store.write(delete).await?).unwrap_or(i64::MAX))
    }
}

/// The next time that it is [`AT`] there; after a day where the clock cannot say.
fn next(now: Timestamp, zone: &TimeZone) -> Timestamp {
    let local = now.to_zoned(zone.clone());
    let of = |day: jiff::civil::Date| day.to_datetime(AT).to_zoned(zone.clone()).ok().map(|at| at.timestamp());
    let today = of(local.date()).filter(|at| *at > now);
    let tomorrow = || of(local.date().checked_add(1.day()).ok()?);
    today.or_else(tomorrow).unwrap_or_else(|| later(now, UNSENT))
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    at.checked_add(by).unwrap_or(Timestamp::MAX)
}
