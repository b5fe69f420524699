//! How effects must not run: bugs that the simulator must find (`balcao_seeded_bugs`).

use balcao_domain::OrganizationId;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::turns::ledger::{self, EffectKey};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ATTEMPTS, AppContext, Effect, UseCaseError};

/// Whether an effect whose commit is unknown runs again under another key.
pub(super) fn retries_anew() -> bool {
    is_on(Bug::UnknownCommitRetriedAnew)
}

/// Runs an effect, and runs it again under another key if the answer to the commit is lost.
pub(super) async fn effect_retried_anew<T, R>(
    app: &AppContext,
    organization: OrganizationId,
    mut key: EffectKey,
    work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Result<Result<T, R>, UseCaseError> + Clone + Send + 'static,
) -> Effect<T, R>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    R: Serialize + DeserializeOwned + Send + 'static,
{
    let now = app.clock.now();
    let first = key.key.clone();
    let mut unknown = None;
    for _ in 0..ATTEMPTS {
        let (work, attempt) = (work.clone(), key.clone());
        let once =
            move |tx: &mut Tx<'_>| ledger::once(tx, organization, &attempt, now, |tx| tx.savepoint(|tx| work(tx, now)));
        match app.store.write(once).await {
            Err(error) if UseCaseError::is_unknown(&error) => unknown = Some(error),
            Err(error) => return Err(unknown.unwrap_or(error)),
            done => return done,
        }
        key.key = format!("{first}+");
    }
    Err(unknown.unwrap_or_else(|| StoreError::Closed.into()))
}

/// Whether effect and record go into two transactions.
pub(super) fn keeps_apart() -> bool {
    is_on(Bug::OutcomeBeforeEffect) || is_on(Bug::EffectOutsideOfItsRecord)
}

/// Effect and record in two transactions, one before the other.
pub(super) async fn effect_apart<T, R>(
    app: &AppContext,
    organization: OrganizationId,
    key: EffectKey,
    work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Result<Result<T, R>, UseCaseError> + Clone + Send + 'static,
) -> Effect<T, R>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    R: Serialize + DeserializeOwned + Send + 'static,
{
    let now = app.clock.now();
    let record_first = is_on(Bug::OutcomeBeforeEffect);
    let first = work.clone();
    let answer = if record_first {
        app.rehearse(first).await?
    } else {
        app.store.write(move |tx: &mut Tx<'_>| tx.savepoint(|tx| first(tx, now))).await?
    };
    let once = move |tx: &mut Tx<'_>| ledger::once(tx, organization, &key, now, |_| Ok::<_, UseCaseError>(answer));
    let recorded = app.store.write(once).await?;
    if record_first && !recorded.repeated {
        let done: Result<Result<T, R>, UseCaseError> =
            app.store.write(move |tx: &mut Tx<'_>| tx.savepoint(|tx| work(tx, now))).await;
        done.map(drop)?;
    }
    Ok(recorded)
}
