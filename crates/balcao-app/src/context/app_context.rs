//! What every use case holds.

mod seeded_bugs;

use std::sync::Arc;

use balcao_domain::{Clock, FailureClass, OrganizationId};
use balcao_llm::embed::Embedder;
use balcao_store::crm::organization::{self, Organization};
use balcao_store::turns::ledger::{self, EffectKey, Recorded};
use balcao_store::{Store, StoreError, StoreErrorClass, Tx};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::calendar_service::{CalendarService, RemoteCalendarError};
use crate::{context::meaning::Meaning, context::notification_accounts::NotificationAccounts};

/// How often an effect is run whose commit was not answered.
const ATTEMPTS: u32 = 3;

/// Store and clock, and what use cases reach besides. Cheap to clone.
#[derive(Clone)]
pub struct AppContext {
    /// Where everything is kept.
    pub store: Store,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// The accounts that send notifications to professionals.
    pub notices: Arc<NotificationAccounts>,
    /// What finds knowledge by its meaning besides its words, if there is something.
    pub meaning: Option<Arc<Meaning>>,
    /// The calendar service outside, if the program is connected to one.
    pub remote_calendar: Option<Arc<dyn CalendarService>>,
}

impl std::fmt::Debug for AppContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AppContext").field("store", &self.store).finish_non_exhaustive()
    }
}

/// Why a use case could not do its work. Refusals are not here: they are answers.
#[derive(Debug, Clone, thiserror::Error)]
pub enum UseCaseError {
    /// The database failed.
    #[error("the database failed: {0}")]
    Store(#[from] StoreError),
    /// The organization's time zone is not known to this program.
    #[error("organization {organization} has the unknown time zone `{timezone}`; correct it")]
    Zone {
        /// Whose.
        organization: OrganizationId,
        /// As stored.
        timezone: String,
    },
    /// A message that cannot be sent was about to be written.
    #[error("a message cannot be sent: {0}")]
    Outbound(#[from] balcao_channel::OutboundError),
    /// A contact id that the runtime bound does not exist.
    #[error("organization {organization} has no contact {contact}")]
    NoContact {
        /// Whose.
        organization: OrganizationId,
        /// Which.
        contact: balcao_domain::ContactId,
    },
    /// The calendar service outside failed, and nothing was done.
    #[error(transparent)]
    RemoteCalendar(#[from] RemoteCalendarError),
}

impl UseCaseError {
    /// Whether an effect's key came again with other arguments: the caller's mistake, nothing broke.
    #[must_use]
    pub fn is_key_reused(&self) -> bool {
        matches!(self, Self::Store(StoreError::KeyReused { .. }))
    }

    /// Whether it may be done all the same: run it again under the same key, and it is done once.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Store(StoreError::CommitUnknown { .. }))
    }

    /// Whether the database could not be reached, or has no room: it may be asked again once that is over, and nothing is wrong with
    /// what was asked.
    #[must_use]
    pub fn is_for_want_of_a_database(&self) -> bool {
        let Self::Store(error) = self else { return false };
        matches!(error.class(), StoreErrorClass::Unavailable | StoreErrorClass::Full)
    }

    /// How it is to be treated.
    #[must_use]
    pub fn class(&self) -> FailureClass {
        match self {
            Self::Store(error) => error.failure(),
            Self::RemoteCalendar(RemoteCalendarError::Unavailable { .. }) => FailureClass::Transient,
            Self::RemoteCalendar(RemoteCalendarError::Disconnected { .. })
            | Self::Zone { .. }
            | Self::Outbound(_)
            | Self::NoContact { .. } => FailureClass::Fault,
        }
    }
}

/// The result of an effect: whether it was executed now, and the answer.
pub type Effect<T, R> = Result<Recorded<Result<T, R>>, UseCaseError>;

impl AppContext {
    /// A context over a store and a clock.
    #[must_use]
    pub fn new(store: Store, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, notices: Arc::default(), meaning: None, remote_calendar: None }
    }

    /// Returns the context with an embedder, so that knowledge is also found by the vectors of this model.
    #[must_use]
    pub fn with_embedder(self, embedder: Option<Arc<dyn Embedder>>) -> Self {
        Self { meaning: embedder.map(|embedder| Arc::new(Meaning::new(embedder))), ..self }
    }

    /// Returns the context with the accounts that send notifications to professionals.
    #[must_use]
    pub fn with_notices(self, accounts: NotificationAccounts) -> Self {
        Self { notices: Arc::new(accounts), ..self }
    }

    /// Returns the context with a calendar service outside.
    #[must_use]
    pub fn with_remote_calendar(self, service: Option<Arc<dyn CalendarService>>) -> Self {
        Self { remote_calendar: service, ..self }
    }

    /// Runs a query on one consistent state.
    pub(crate) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Result<T, UseCaseError> + Send + 'static,
    ) -> Result<T, UseCaseError> {
        let now = self.clock.now();
        self.store.read(move |tx| work(tx, now)).await
    }

    /// Runs an effect and undoes it: the answer says what would happen now. It may be asked again, so it is if the answer was
    /// lost.
    pub(crate) async fn rehearse<T, R>(
        &self,
        work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Result<Result<T, R>, UseCaseError> + Clone + Send + 'static,
    ) -> Result<Result<T, R>, UseCaseError>
    where
        T: Send + 'static,
        R: Send + 'static,
    {
        let now = self.clock.now();
        let mut attempt = 0;
        loop {
            attempt += 1;
            let work = work.clone();
            match self.store.write(move |tx| undo(tx, |tx| work(tx, now))).await {
                Err(error) if UseCaseError::is_unknown(&error) && attempt < ATTEMPTS => {}
                answer => return answer,
            }
        }
    }

    /// Runs an action of staff: once per key if the caller gives a key, else on each call. A refusal undoes what the action had begun.
    pub(crate) async fn act<T, R>(
        &self,
        organization: OrganizationId,
        key: Option<EffectKey>,
        work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Result<Result<T, R>, UseCaseError> + Clone + Send + 'static,
    ) -> Result<Result<T, R>, UseCaseError>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        R: Serialize + DeserializeOwned + Send + 'static,
    {
        if let Some(key) = key {
            return Ok(self.effect(organization, key, work).await?.value);
        }
        let now = self.clock.now();
        self.store.write(move |tx| tx.savepoint(|tx| work(tx, now))).await
    }

    /// Runs an effect once per key. A refusal undoes what the effect had begun, and is recorded like any answer.
    ///
    /// If the answer to the commit is lost, the effect is run again under its key: if it had been committed, the ledger gives
    /// what it gave, and nothing is done.
    pub(crate) async fn effect<T, R>(
        &self,
        organization: OrganizationId,
        key: EffectKey,
        work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Result<Result<T, R>, UseCaseError> + Clone + Send + 'static,
    ) -> Effect<T, R>
    where
        T: Serialize + DeserializeOwned + Send + 'static,
        R: Serialize + DeserializeOwned + Send + 'static,
    {
        if seeded_bugs::keeps_apart() {
            return seeded_bugs::effect_apart(self, organization, key, work).await;
        }
        if seeded_bugs::retries_anew() {
            return seeded_bugs::effect_retried_anew(self, organization, key, work).await;
        }
        let now = self.clock.now();
        let mut unknown = None;
        for _ in 0..ATTEMPTS {
            let (work, key) = (work.clone(), key.clone());
            let once =
                move |tx: &mut Tx<'_>| ledger::once(tx, organization, &key, now, |tx| tx.savepoint(|tx| work(tx, now)));
            match self.store.write(once).await {
                Err(error) if UseCaseError::is_unknown(&error) => unknown = Some(error),
                // A failure tells of its own attempt alone: the one before it may have been committed.
                Err(error) => return Err(unknown.unwrap_or(error)),
                done => return done,
            }
        }
        Err(unknown.unwrap_or_else(|| StoreError::Closed.into()))
    }
}

/// Runs `work` and undoes it: the answer says what it would do.
pub(crate) fn undo<T, R>(
    tx: &mut Tx<'_>,
    work: impl FnOnce(&mut Tx<'_>) -> Result<Result<T, R>, UseCaseError>,
) -> Result<Result<T, R>, UseCaseError> {
    // An attempt keeps its changes only if the inner answer is `Ok`: this one never is.
    let answer: Result<Result<std::convert::Infallible, Result<T, R>>, UseCaseError> =
        tx.savepoint(|tx| work(tx).map(Err));
    answer.map(|answer| match answer {
        Err(would) => would,
        Ok(never) => match never {},
    })
}

/// Loads an organization with its zone.
pub(crate) fn organization(tx: &mut Tx<'_>, id: OrganizationId) -> Result<(Organization, TimeZone), UseCaseError> {
    let organization = organization::get(tx, id)?;
    match TimeZone::get(&organization.timezone) {
        Ok(zone) => Ok((organization, zone)),
        Err(_unknown) => Err(UseCaseError::Zone { organization: id, timezone: organization.timezone }),
    }
}

/// Unwraps an answer inside a function that gives answers itself.
macro_rules! granted {
    ($answer:expr) => {
        match $answer {
            Ok(value) => value,
            Err(refusal) => return Ok(Err(refusal)),
        }
    };
}
pub(crate) use granted;
