//! A database that was put back from a backup: found out before anything is served from it, and held so that nothing is done a
//! second time.
//!
//! While a server works on a file it notes the minute in the database, and then beside the file. A backup in the file's place knows
//! of an earlier minute than the note beside it. A server over PostgreSQL has no such note: there the operator says that
//! it was restored.

use std::time::Duration;

use balcao_store::ops::restore::{self, Held};
use balcao_store::{ExclusiveLock, Store, StoreError, Tx, crm::organization};
use jiff::{SignedDuration, Timestamp};

use crate::context::app_context::{AppContext, UseCaseError};

/// How often a server notes that it is at work.
const EVERY: Duration = Duration::from_secs(60);
/// Two notes of one moment may be so far apart: the program can die between them.
const SLACK: SignedDuration = SignedDuration::from_mins(3);
/// Timers that were due for longer than this are held: they have fired.
const DUE_FOR: SignedDuration = SignedDuration::from_mins(10);

/// The file is older than what was served here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the database is as it was at {marked}, and a server was at work here until {served}: it was restored from a backup. \
     Run `balcao restore --in-place` first, so that nothing is sent or fired a second time"
)]
pub struct StaleDatabase {
    /// What the database knows of.
    pub marked: Timestamp,
    /// What is noted beside it.
    pub served: Timestamp,
}

/// Whether the file in place is the one that was served from last.
///
/// # Errors
/// [`StoreError`] if the database failed.
pub async fn check(store: &Store, alone: &ExclusiveLock) -> Result<Result<(), StaleDatabase>, StoreError> {
    let Some(served) = alone.last_served() else { return Ok(Ok(())) };
    // One that was never served from is new, and nothing was done on it.
    let Some(marked) = store.read::<_, StoreError, _>(restore::marked).await? else { return Ok(Ok(())) };
    let is_older = marked.checked_add(SLACK).is_ok_and(|reach| reach < served);
    Ok(if is_older { Err(StaleDatabase { marked, served }) } else { Ok(()) })
}

/// Notes every minute that this server is at work, for as long as it is polled. A note that fails is made again a minute later.
pub async fn keep_noting(app: &AppContext, alone: &mut ExclusiveLock) {
    loop {
        if let Err(error) = note(app, alone).await {
            tracing::warn!(%error, "that the server is at work could not be noted");
        }
        tokio::time::sleep(EVERY).await;
    }
}

/// Notes that a server is at work now, in the database first.
///
/// # Errors
/// [`UseCaseError`] if the database or the note beside it failed.
pub async fn note(app: &AppContext, alone: &mut ExclusiveLock) -> Result<(), UseCaseError> {
    let now = note_in_database(app).await?;
    alone.mark(now).map_err(|error| StoreError::ReadOnly { what: format!("the note beside the database: {error}") })?;
    Ok(())
}

/// Notes in the database alone that a server is at work on it; gives when that is.
///
/// # Errors
/// [`StoreError`] if the database failed.
pub async fn note_in_database(app: &AppContext) -> Result<Timestamp, StoreError> {
    let now = app.clock.now();
    app.store.write::<_, StoreError, _>(move |tx: &mut Tx<'_>| restore::mark(tx, now)).await?;
    Ok(now)
}

/// Whether a server was at work on this database before.
///
/// # Errors
/// [`StoreError`] if the database failed.
pub async fn was_served(store: &Store) -> Result<bool, StoreError> {
    Ok(store.read::<_, StoreError, _>(restore::marked).await?.is_some())
}

/// Holds, for every business of the database, what a program whose work is lost may have done; gives what that was, by name.
///
/// # Errors
/// [`UseCaseError`] if the database failed; then nothing is held.
pub async fn hold(app: &AppContext) -> Result<Vec<(String, Held)>, UseCaseError> {
    let now = app.clock.now();
    let due_by = now.checked_sub(DUE_FOR).unwrap_or(Timestamp::MIN);
    let work = move |tx: &mut Tx<'_>| {
        let mut all = Vec::new();
        for one in organization::list(tx)? {
            all.push((one.name, restore::hold(tx, one.id, now, due_by)?));
        }
        restore::mark(tx, now)?;
        Ok(all)
    };
    Ok(app.store.write::<_, StoreError, _>(work).await?)
}
