//! Limits the rate of requests: a burst at once, then one after the other. Counted in the database, for all programs over it.

use std::time::Duration;

use balcao_domain::OrganizationId;
use balcao_store::{Tx, ops::request_rate};
use jiff::{SignedDuration, Timestamp};

use crate::context::app_context::{AppContext, UseCaseError};

/// A limit on the rate of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestRate {
    /// So often at once.
    pub burst: u32,
    /// Then once in so long.
    pub every: Duration,
}

impl RequestRate {
    /// Returns a limit that is `times` times as fast, for a client that stands for so many users.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        Self { burst: self.burst.saturating_mul(times), every: self.every / times.max(1) }
    }

    /// Counts a request of a client that may send a full burst again at `full_at` (`None`: now). Returns the instant of the next full burst
    /// after this request.
    ///
    /// # Errors
    /// How long to wait if it comes too soon; it is not counted then.
    pub fn after(self, full_at: Option<Timestamp>, now: Timestamp) -> Result<Timestamp, Duration> {
        let every = SignedDuration::try_from(self.every).unwrap_or(SignedDuration::ZERO);
        let whole = every.saturating_mul(i32::try_from(self.burst).unwrap_or(i32::MAX));
        let at = full_at.unwrap_or(now).max(now);
        // A clock that was set back must not shut anybody out for long.
        let next = at.min(now.saturating_add(whole).unwrap_or(now)).saturating_add(every).unwrap_or(now);
        let over = next.duration_since(now).saturating_sub(whole);
        if over > SignedDuration::ZERO { Err(over.unsigned_abs()) } else { Ok(next) }
    }
}

/// Counts a request of `name`, who may ask `most` times in any span of length `window`: each takes a place that is free again
/// a window later.
///
/// # Errors
/// [`UseCaseError`] if the database failed; the inner error says how long to wait, and then it is not counted.
pub(crate) async fn take_within(
    app: &AppContext,
    organization: OrganizationId,
    name: String,
    most: u32,
    window: Duration,
) -> Result<Result<(), Duration>, UseCaseError> {
    let now = app.clock.now();
    let place = RequestRate { burst: 1, every: window };
    let work = move |tx: &mut Tx<'_>| {
        let mut wait = window;
        for number in 0..most {
            let name = format!("{name}/{number}");
            match place.after(request_rate::find(tx, organization, &name)?, now) {
                Ok(free_at) => {
                    request_rate::set(tx, organization, &name, free_at)?;
                    return Ok(Ok(()));
                }
                Err(longer) => wait = wait.min(longer),
            }
        }
        Ok(Err(wait))
    };
    app.store.write(work).await
}

/// Counts a request in the database under all of these names, each with a pace of its own.
///
/// # Errors
/// [`UseCaseError`] if the database failed; the inner error says how long to wait, and then it is counted under none.
pub(crate) async fn take_all(
    app: &AppContext,
    organization: OrganizationId,
    names: Vec<(String, RequestRate)>,
) -> Result<Result<(), Duration>, UseCaseError> {
    let now = app.clock.now();
    let work = move |tx: &mut Tx<'_>| {
        let (mut nexts, mut is_new) = (Vec::new(), false);
        for (name, rule) in &names {
            let known = request_rate::find(tx, organization, name)?;
            is_new |= known.is_none();
            match rule.after(known, now) {
                Err(wait) => return Ok(Err(wait)),
                Ok(next) => nexts.push((name, next)),
            }
        }
        if is_new {
            // A new client deletes expired rows, so that the table stays small.
            request_rate::forget(tx, organization, now)?;
        }
        for (name, next) in nexts {
            request_rate::set(tx, organization, name, next)?;
        }
        Ok(Ok(()))
    };
    app.store.write::<_, UseCaseError, _>(work).await
}
