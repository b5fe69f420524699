//! How effects must not be run: mistakes that the simulator must find (`balcao_seeded_bugs`).

use balcao_domain::OrganizationId;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::Tx;
use balcao_store::turns::ledger::{self, EffectKey};
use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{AppContext, Effect, UseCaseError};

/// The key of an attempt: always the same one, but for a mistake.
pub(super) fn key_of(key: &EffectKey, attempt: u32) -> EffectKey {
    let mut key = key.clone();
    if attempt > 1 && is_on(Bug::UnknownCommitRetriedAnew) {
        key.key.push('+');
    }
    key
}

/// Whether effect and record are to be kept apart: never, but for a mistake.
pub(super) fn keeps_apart() -> bool {
    is_on(Bug::OutcomeBeforeEffect) || is_on(Bug::EffectOutsideOfItsRecord)
}

/// Effect and record in two transactions, one before the other.
pub(super) async fn effect_apart<T, R>(
    desk: &AppContext,
    organization: OrganizationId,
    key: EffectKey,
    work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Result<Result<T, R>, UseCaseError> + Clone + Send + 'static,
) -> Effect<T, R>
where
    T: Serialize + DeserializeOwned + Send + 'static,
    R: Serialize + DeserializeOwned + Send + 'static,
{
    let now = desk.clock.now();
    let record_first = is_on(Bug::OutcomeBeforeEffect);
    let first = work.clone();
    let answer = if record_first {
        desk.rehearse(first).await?
    } else {
        desk.store.write(move |tx: &mut Tx<'_>| tx.savepoint(|tx| first(tx, now))).await?
    };
    let once = move |tx: &mut Tx<'_>| ledger::once(tx, organization, &key, now, |_| Ok::<_, UseCaseError>(answer));
    let recorded = desk.store.write(once).await?;
    if record_first && !recorded.repeated {
        let done: Result<Result<T, R>, UseCaseError> =
            desk.store.write(move |tx: &mut Tx<'_>| tx.savepoint(|tx| work(tx, now))).await;
        done.map(drop)?;
    }
    Ok(recorded)
}
