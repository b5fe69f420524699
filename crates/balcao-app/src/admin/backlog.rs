//! What waits too long: read for metrics, readiness, the log, and for turning floods away.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use balcao_store::ops::backlog;
pub use balcao_store::ops::backlog::{Figures, Waiting};
use balcao_store::ops::day_budget::DayCounter;
use jiff::Timestamp;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::metrics;

/// How long work may wait before the monitor raises an alert.
const ALERT_AFTER: [(BacklogKind, Duration); 11] = [
    (BacklogKind::Account, Duration::ZERO),
    (BacklogKind::Message, Duration::from_mins(2)),
    (BacklogKind::Answer, Duration::from_mins(2)),
    (BacklogKind::Job, Duration::from_mins(5)),
    (BacklogKind::Webhook, Duration::from_hours(1)),
    (BacklogKind::Person, Duration::from_mins(15)),
    (BacklogKind::Calendar, Duration::from_mins(15)),
    (BacklogKind::Event, Duration::ZERO),
    (BacklogKind::Delivery, Duration::ZERO),
    (BacklogKind::CrashedWebhook, Duration::ZERO),
    (BacklogKind::Nightly, Duration::ZERO),
];

/// What can wait too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BacklogKind {
    /// A channel's account that can send nothing before the operator acts.
    Account,
    /// A message that has not left.
    Message,
    /// Something that came in and has no answer.
    Answer,
    /// A reminder or a follow-up that is due.
    Job,
    /// An outgoing webhook.
    Webhook,
    /// A customer who read that a person comes (F-153).
    Person,
    /// An external calendar that cannot be read.
    Calendar,
    /// An appointment whose event in an external calendar was set aside.
    Event,
    /// What a pack's service sent, or a command that it started, set aside within the last day.
    Delivery,
    /// An outgoing webhook that was given up, because the program died each time while it was being sent.
    CrashedWebhook,
    /// Work of the night, a comparison with external calendars or a deletion of old data, that was set aside.
    Nightly,
}

/// Something has waited too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alarm {
    /// What.
    pub what: BacklogKind,
    /// The oldest of it, in seconds.
    pub age_s: u64,
    /// How many wait.
    pub count: u32,
}

impl fmt::Display for Alarm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            BacklogKind::Account => {
                "a channel's account that can send nothing (see its token and bill with `balcao doctor`)"
            }
            BacklogKind::Message => "the oldest message that is to be sent",
            BacklogKind::Answer => "the oldest message without an answer",
            BacklogKind::Job => "the oldest reminder or follow-up that is due",
            BacklogKind::Webhook => "the oldest outgoing webhook",
            BacklogKind::Person => "the oldest conversation that waits for a person",
            BacklogKind::Calendar => "an external calendar that cannot be read (see why with `balcao calendar status`)",
            BacklogKind::Event => {
                "an appointment whose event was set aside after three crashes (`balcao calendar status` names it, \
                 `balcao calendar sync` takes it up again)"
            }
            BacklogKind::Delivery => {
                "a delivery of a pack's service, or a command of one, that was set aside (`balcao doctor` counts them, the log says why)"
            }
            BacklogKind::CrashedWebhook => {
                "an outgoing webhook that was given up after three crashes (`balcao outbox webhooks` names it, with `--retry` it is \
                 sent again)"
            }
            BacklogKind::Nightly => {
                "nightly work that was set aside after three crashes (`balcao calendar sync` takes a comparison up again, \
                 `balcao retention` the deletion of old data)"
            }
        };
        write!(f, "{what} has waited for {} s, with {} more", self.age_s, self.count.saturating_sub(1))
    }
}

/// Used percentage of a daily budget at which the monitor reports it as scarce.
const HALF: u64 = 50;
/// A disk with less free than so many hundredths is nearly full, even if files are still taken.
const LITTLE_ROOM: u8 = 10;

/// Something runs out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scarce {
    /// So many hundredths are used of what today may take.
    Day(DayCounter, u64),
    /// So many hundredths of the database's disk are free.
    Disk(u8),
}

impl Scarce {
    /// Whether it is the same that runs out, however far.
    fn is_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Day(one, _), Self::Day(two, _)) => one == two,
            (Self::Disk(_), Self::Disk(_)) => true,
            (Self::Day(..), Self::Disk(_)) | (Self::Disk(_), Self::Day(..)) => false,
        }
    }
}

impl fmt::Display for Scarce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, percent) = match self {
            Self::Disk(free) => {
                return write!(f, "{free} % of the database's disk are free: no files are taken below a setting");
            }
            Self::Day(DayCounter::StrangersTokens, percent) => ("tokens for strangers of the web chat", percent),
            Self::Day(DayCounter::StrangersCost, percent) => ("money for strangers of the web chat", percent),
            Self::Day(DayCounter::Files, percent) => ("bytes of files of the web chat", percent),
        };
        write!(f, "{percent} % of today's {what} are used")
    }
}

/// What runs out, by figures and by the free share of the disk in hundredths. Below `least_free` hundredths no files are taken.
#[must_use]
pub fn scarce(figures: &Figures, free: Option<u8>, least_free: u8) -> Vec<Scarce> {
    let days = figures.budgets.into_iter().flatten().map(|(counted, used)| (counted, used.percent()));
    let days = days.filter(|(_, percent)| *percent >= HALF).map(|(counted, percent)| Scarce::Day(counted, percent));
    days.chain(free.filter(|free| *free < least_free.max(LITTLE_ROOM)).map(Scarce::Disk)).collect()
}

/// What has waited too long, by figures that were read at `now`.
#[must_use]
pub fn alarms(figures: &Figures, now: Timestamp) -> Vec<Alarm> {
    let found = ALERT_AFTER.into_iter().filter_map(|(what, patience)| {
        let waiting = match what {
            BacklogKind::Account => figures.paused,
            BacklogKind::Message => figures.unsent(),
            BacklogKind::Answer => figures.inbox,
            BacklogKind::Job => figures.due(),
            BacklogKind::Webhook => figures.webhooks,
            BacklogKind::Person => figures.untaken,
            BacklogKind::Calendar => figures.calendars,
            BacklogKind::Event => figures.set_aside,
            BacklogKind::Delivery => figures.deliveries(),
            BacklogKind::CrashedWebhook => figures.crashed_webhooks,
            BacklogKind::Nightly => figures.nightly(),
        };
        let age_s = waiting.age(now);
        (age_s > patience.as_secs()).then_some(Alarm { what, age_s, count: waiting.count })
    });
    found.collect()
}

/// The newest snapshot of the backlog, for callers that cannot query the database each time. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct BacklogMonitor {
    seen: Arc<Mutex<Snapshot>>,
    /// The free share of the disk below which no files are taken, in hundredths.
    least_free: u8,
}

#[derive(Debug, Clone, Default)]
struct Snapshot {
    waiting: u32,
    alarms: Vec<Alarm>,
    scarce: Vec<Scarce>,
}

impl BacklogMonitor {
    /// The same monitor where no files are taken below so many hundredths of the disk: the alarm says so, too.
    #[must_use]
    pub fn with_least_free(self, percent: u8) -> Self {
        Self { least_free: percent, ..self }
    }

    /// Messages that wait for an answer.
    #[must_use]
    pub fn waiting(&self) -> u32 {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).waiting
    }

    /// What has waited too long.
    #[must_use]
    pub fn alarms(&self) -> Vec<Alarm> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).alarms.clone()
    }

    /// What runs out.
    #[must_use]
    pub fn scarce(&self) -> Vec<Scarce> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).scarce.clone()
    }

    /// Looks into the database. What begins to wait too long is logged, and what no longer does.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; what was seen before stays.
    pub async fn look(&self, app: &AppContext) -> Result<Figures, UseCaseError> {
        let figures = look(app).await?;
        let alarms = alarms(&figures, app.clock.now());
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for alarm in alarms.iter().filter(|alarm| seen.alarms.iter().all(|known| known.what != alarm.what)) {
            tracing::error!(%alarm, "something waits too long");
        }
        for known in seen.alarms.iter().filter(|known| alarms.iter().all(|alarm| alarm.what != known.what)) {
            tracing::warn!(what = ?known.what, "it no longer waits too long");
        }
        let scarce = scarce(&figures, app.store.free_disk(), self.least_free);
        for one in scarce.iter().filter(|one| seen.scarce.iter().all(|known| !known.is_of(one))) {
            tracing::error!(alarm = %one, "something runs out");
        }
        *seen = Snapshot { waiting: figures.inbox.count, alarms, scarce };
        Ok(figures)
    }
}

/// What waits now, over all organizations; the gauges of [`metrics`] say the same afterwards.
///
/// # Errors
/// [`UseCaseError`] if the database failed; the gauges keep what they said, but for the one that says so.
pub async fn look(app: &AppContext) -> Result<Figures, UseCaseError> {
    let now = app.clock.now();
    let read = app.store.read(move |tx| backlog::read(tx, now)).await.map_err(UseCaseError::from);
    metrics::database_up(read.is_ok());
    let figures = read?;
    metrics::waiting(&figures, now);
    metrics::room(&figures, app.store.free_disk());
    if let Some(bytes) = app.store.log_bytes() {
        metrics::log_bytes(bytes);
    }
    Ok(figures)
}

#[cfg(test)]
#[path = "backlog_tests.rs"]
mod tests;
