//! What the server does for external calendars by itself: pushes that wait, calendars that are due, and the nightly comparison.
//!
//! Every process may do it: a row is claimed before it is worked on, and what the claim does not cover runs again without harm.

use std::sync::Arc;
use std::time::Duration;

use balcao_domain::OrganizationId;
use balcao_store::crm::organization;
use balcao_store::scheduling::calendar_crash::{self, SetAside};
use balcao_store::scheduling::calendar_event;
use balcao_store::scheduling::calendar_link::{self, OutsideCalendar};
use balcao_store::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::calendar_service::{CalendarService, DisconnectCause, ServiceError};
use crate::scheduling::booking::outside::take_over;
use crate::scheduling::calendar_channels::{CalendarChannels, NewChannel};
use crate::scheduling::calendar_comparison::{CalendarComparison, Comparison};
use crate::scheduling::remote_calendar::push::{self, Pushed};
use crate::scheduling::remote_calendar::reading::{self, ReadRequest, Reading};

/// How often the server looks for what is due. What is due is decided by each row.
const POLL: Duration = Duration::from_secs(5);
/// How often push channels are looked at.
const CHANNELS: SignedDuration = SignedDuration::from_mins(30);
/// How often the server looks whether the comparison of a day is due.
const COMPARISON: SignedDuration = SignedDuration::from_mins(10);
/// Pushes and readings of one business in one go, so that no business holds up the others.
const BATCH: u32 = 50;

/// What push channels are opened with.
#[derive(Debug, Clone)]
pub struct PushSettings {
    /// The public HTTPS address that the service calls.
    pub address: String,
    /// Gives bytes that cannot be guessed; `None` if the system has none to give.
    pub random: fn() -> Option<[u8; 32]>,
}

/// Why not every calendar was read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SyncRefusal {
    /// The program has no calendar service.
    #[error("no calendar service is connected; run `balcao calendar connect`, or set `google.service_account_file`")]
    NotConnected,
    /// So many events disappeared that a person has to say that it is true.
    #[error("{gone} of {known} events of {calendar} disappeared at once; if that is true, read again and accept it")]
    ManyDeletions {
        /// Where.
        calendar: String,
        /// How many events were known.
        known: usize,
        /// How many disappeared.
        gone: usize,
    },
}

/// Works off what external calendars need.
#[derive(Debug, Clone)]
pub struct CalendarWork {
    app: AppContext,
    push: Option<PushSettings>,
}

/// When rare work is done next.
#[derive(Debug, Clone, Copy)]
struct RareWork {
    channels_at: Timestamp,
    comparison_at: Timestamp,
}

impl CalendarWork {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, push: None }
    }

    /// Returns the worker with push channels, for a server that the service can reach.
    #[must_use]
    pub fn with_push(self, push: Option<PushSettings>) -> Self {
        Self { push, ..self }
    }

    /// Works off what is due until `stop` is cancelled. A program without a calendar service has nothing to do.
    pub async fn run(&self, stop: CancellationToken) {
        if self.app.remote_calendar.is_none() {
            return stop.cancelled().await;
        }
        let now = self.app.clock.now();
        let mut rare = RareWork { channels_at: now, comparison_at: now };
        while !stop.is_cancelled() {
            let worked = self.work_off().await.and(self.work_rarely(&mut rare).await);
            if let Err(error) = worked {
                tracing::error!(%error, "external calendars not worked off");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    /// Pushes and reads what is due, of every business that this program serves; returns how much came to an end.
    ///
    /// # Errors
    /// [`UseCaseError`] if the businesses cannot be read. A business that fails holds up no other.
    pub async fn work_off(&self) -> Result<usize, UseCaseError> {
        let mut ended = 0;
        for id in self.served().await? {
            for worked in [self.set_aside(id).await, self.push_due(id).await, self.read_due(id).await] {
                match worked {
                    Ok(some) => ended += some,
                    Err(error) => tracing::error!(organization = %id, %error, "calendars of a business not worked off"),
                }
            }
        }
        Ok(ended)
    }

    /// The businesses that this program serves.
    async fn served(&self) -> Result<Vec<OrganizationId>, UseCaseError> {
        let all = self.app.look(|tx, _now| Ok(organization::list(tx)?)).await?;
        let served = self.app.store.served();
        Ok(all.into_iter().map(|one| one.id).filter(|id| served.is_none_or(|served| served == *id)).collect())
    }

    /// Renews push channels and compares appointments with their events, when their time has come.
    async fn work_rarely(&self, rare: &mut RareWork) -> Result<(), UseCaseError> {
        let now = self.app.clock.now();
        if rare.channels_at <= now {
            rare.channels_at = later(now, CHANNELS);
            for id in self.served().await? {
                self.renew_channels(id).await?;
            }
        }
        if rare.comparison_at <= now {
            rare.comparison_at = later(now, COMPARISON);
            for id in self.served().await? {
                self.compare_nightly(id).await?;
            }
        }
        Ok(())
    }

    /// Compares the appointments of a business with their events, if it is night and no process did so yet.
    async fn compare_nightly(&self, id: OrganizationId) -> Result<(), UseCaseError> {
        match CalendarComparison::new(self.app.clone()).run_nightly(id).await? {
            None => {}
            Some(Ok(compared)) if compared.is_proof() => {
                let Comparison { equal, repaired, .. } = compared;
                tracing::info!(organization = %id, equal, repaired, "events are as they should be");
            }
            Some(Ok(Comparison { equal, repaired, differences, unread })) => {
                let count = differences.len();
                tracing::error!(
                    organization = %id, equal, repaired, count, ?differences, ?unread, "events are not known to be as they should be"
                );
            }
            Some(Err(error)) => tracing::warn!(organization = %id, %error, "events not compared"),
        }
        Ok(())
    }

    /// Opens push channels where one is missing or ends soon; returns how many. A calendar without one is read at its turn all the same.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn renew_channels(&self, id: OrganizationId) -> Result<usize, UseCaseError> {
        let mut opened = 0;
        let Some(push) = &self.push else { return Ok(opened) };
        let channels = CalendarChannels::new(self.app.clone());
        for calendar in channels.list_ending(id).await? {
            let Some(random) = (push.random)() else { return Ok(opened) };
            let new = NewChannel { address: &push.address, random };
            match channels.renew(id, calendar, new).await? {
                Ok(()) => opened += 1,
                Err(error) => tracing::warn!(organization = %id, %error, "push channel not opened"),
            }
        }
        Ok(opened)
    }

    /// Sets aside what the program crashed at three times, and tells the operator; returns 0, because none of it came to an end.
    async fn set_aside(&self, organization: OrganizationId) -> Result<usize, UseCaseError> {
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| calendar_crash::set_aside(tx, organization, now);
        let SetAside { appointments, calendars } = self.app.store.write::<_, StoreError, _>(work).await?;
        for appointment in appointments {
            tracing::error!(%organization, %appointment, "event of an appointment set aside after three crashes");
        }
        for calendar in calendars {
            tracing::error!(%organization, calendar, "external calendar set aside after three crashes");
        }
        Ok(0)
    }

    /// Takes up again what was set aside; returns how much that is.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn take_up(&self, organization: OrganizationId) -> Result<usize, UseCaseError> {
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| calendar_crash::take_up(tx, organization, now);
        Ok(self.app.store.write::<_, StoreError, _>(work).await?)
    }

    /// Makes events as their appointments are, whose push is due; returns how many came to an end.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn push_due(&self, organization: OrganizationId) -> Result<usize, UseCaseError> {
        let Some(service) = &self.app.remote_calendar else { return Ok(0) };
        let due = self.app.look(move |tx, now| Ok(calendar_event::list_due(tx, organization, now, BATCH)?)).await?;
        let mut ended = 0;
        for appointment in due {
            match push::push_event(&self.app, service, organization, appointment).await? {
                Pushed::Current(_) | Pushed::Absent | Pushed::Conflict(_) => ended += 1,
                Pushed::Held => {}
                // Nothing of this business gets through before a person connects it again.
                Pushed::Failed(ServiceError::Disconnected { .. }) => break,
                Pushed::Failed(error) | Pushed::Unknown(error) => {
                    tracing::warn!(%organization, %appointment, %error, "event of an appointment not pushed");
                }
            }
        }
        Ok(ended)
    }

    /// Reads the calendars that are due; returns how many were read.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn read_due(&self, organization: OrganizationId) -> Result<usize, UseCaseError> {
        let Some(service) = &self.app.remote_calendar else { return Ok(0) };
        let due = self.app.look(move |tx, now| Ok(calendar_link::list_due(tx, organization, now, BATCH)?)).await?;
        let mut read = 0;
        for calendar in due {
            if let Reading::Read { .. } = self.read_one(service, organization, calendar, false).await? {
                read += 1;
            }
        }
        Ok(read)
    }

    /// Reads one calendar, however new our copy is. `accepts_drop` says that many deletions are true.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn read(
        &self,
        organization: OrganizationId,
        calendar: String,
        accepts_drop: bool,
    ) -> Result<Reading, UseCaseError> {
        match &self.app.remote_calendar {
            Some(service) => self.read_one(service, organization, calendar, accepts_drop).await,
            None => {
                let reason = "the program has no calendar service".to_owned();
                Ok(Reading::Failed(ServiceError::Disconnected { cause: DisconnectCause::NotConnected, reason }))
            }
        }
    }

    async fn read_one(
        &self,
        service: &Arc<dyn CalendarService>,
        organization: OrganizationId,
        calendar: String,
        accepts_drop: bool,
    ) -> Result<Reading, UseCaseError> {
        let as_new_as = Timestamp::MAX;
        let request = ReadRequest { organization, calendar, as_new_as, accepts_drop };
        reading::read(&self.app, service, &request, take_over).await
    }

    /// Takes up what was set aside, reads every linked calendar now, and writes what waits. `accepts_drop` says that many deletions are true.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why not all was read. A calendar that the service does not answer for keeps its
    /// failure, which [`status`](crate::scheduling::calendar_links::CalendarLinks::status) shows.
    pub async fn sync(
        &self,
        organization: OrganizationId,
        accepts_drop: bool,
    ) -> Result<Result<(), SyncRefusal>, UseCaseError> {
        if self.app.remote_calendar.is_none() {
            return Ok(Err(SyncRefusal::NotConnected));
        }
        self.take_up(organization).await?;
        let linked = self.app.look(move |tx, _now| Ok(calendar_link::list_calendars(tx, organization)?)).await?;
        for OutsideCalendar { calendar, .. } in linked {
            let read = self.read(organization, calendar.clone(), accepts_drop).await?;
            if let Reading::Suspicious { known, gone } = read {
                return Ok(Err(SyncRefusal::ManyDeletions { calendar, known, gone }));
            }
        }
        self.push_due(organization).await?;
        Ok(Ok(()))
    }
}

fn later(now: Timestamp, by: SignedDuration) -> Timestamp {
    now.checked_add(by).unwrap_or(now)
}
