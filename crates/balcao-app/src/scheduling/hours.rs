//! When the business is open.

use balcao_domain::OrganizationId;
use balcao_domain::availability::instant_of;
use balcao_domain::hours::{Hours, Period};
use balcao_store::scheduling::hours;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError, organization};

/// How many days the next opening is looked for.
const HORIZON_DAYS: i64 = 60;

/// What opens before this minute of the day opens early.
const EARLY_MIN: u16 = 8 * 60;

/// One local date.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayHours {
    /// The date.
    pub date: Date,
    /// `mon` to `sun`.
    pub weekday: String,
    /// When the business is open; nothing means closed.
    pub periods: Vec<Period>,
    /// Why the date is not like its weekday.
    pub note: Option<String>,
}

/// When the business opens next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The local date.
    pub date: Date,
    /// The local time, `HH:MM`.
    pub opens: String,
}

/// The hours of a date, or of seven days from today on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoursView {
    /// The IANA zone.
    pub timezone: String,
    /// Whether it is open now.
    pub open_now: bool,
    /// When it opens next after now, within 60 days.
    pub next_opening: Option<Opening>,
    /// The dates asked for.
    pub days: Vec<DayHours>,
}

/// Tells the hours.
#[derive(Debug, Clone)]
pub struct BusinessHours {
    app: AppContext,
}

impl BusinessHours {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// The hours of a date, or, without one, of seven days from today on; exceptions and holidays applied.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn view(&self, id: OrganizationId, date: Option<Date>) -> Result<HoursView, UseCaseError> {
        self.app
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let today = zone.to_datetime(now).date();
                let (first, count) = date.map_or((today, 7), |date| (date, 1));
                let last = first.max(today).saturating_add(HORIZON_DAYS.days());
                let business = hours::of_business(tx, &organization, first.min(today), last)?;
                let days = (0..count).map(|ahead: i64| day(&business, first.saturating_add(ahead.days())));
                Ok(HoursView {
                    timezone: organization.timezone,
                    open_now: is_open(&business, &zone, now),
                    next_opening: next_opening(&business, &zone, now),
                    days: days.collect(),
                })
            })
            .await
    }
}

fn day(business: &Hours, date: Date) -> DayHours {
    DayHours {
        date,
        weekday: date.strftime("%a").to_string().to_lowercase(),
        periods: business.on(date).to_vec(),
        note: business.note_on(date).map(str::to_owned),
    }
}

/// Whether the business is open at an instant, and when it opens next, in its own zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenState {
    pub(crate) open_now: bool,
    pub(crate) next_opening: Option<jiff::civil::DateTime>,
    /// The earliest time at which anybody works on one of the days to come; `None` if that is eight or later.
    pub(crate) earliest: Option<Time>,
}

pub(crate) fn open_state(
    tx: &mut balcao_store::Tx<'_>,
    organization: &balcao_store::crm::organization::Organization,
    zone: &TimeZone,
    now: Timestamp,
) -> Result<OpenState, UseCaseError> {
    let today = zone.to_datetime(now).date();
    let business = hours::of_business(tx, organization, today, today.saturating_add(HORIZON_DAYS.days()))?;
    let next = next_opening(&business, zone, now);
    Ok(OpenState {
        open_now: is_open(&business, zone, now),
        next_opening: next.and_then(|next| Some(next.date.to_datetime(next.opens.parse().ok()?))),
        earliest: earliest(tx, organization.id, &business, today)?,
    })
}

/// Only what is open before eight is looked at more closely: no hour after that is taken for another.
fn earliest(
    tx: &mut balcao_store::Tx<'_>,
    id: OrganizationId,
    business: &Hours,
    today: Date,
) -> Result<Option<Time>, UseCaseError> {
    let days = || (0..=HORIZON_DAYS).map(|ahead| today.saturating_add(ahead.days()));
    let early = |opens: Option<u16>| opens.filter(|opens| *opens < EARLY_MIN);
    let open = |date: Date| business.on(date).iter().map(Period::opens_min);
    if early(days().flat_map(open).min()).is_none() {
        return Ok(None);
    }
    let people = crate::scheduling::professionals::active(tx, id)?;
    let works = |date: Date| {
        let own = people.iter().flat_map(move |one| one.hours.on(date));
        own.flat_map(move |own| business.on(date).iter().filter_map(|open| open.intersection(own)))
            .map(|period| period.opens_min())
    };
    let first = early(days().flat_map(works).min());
    Ok(first.and_then(|opens| Time::new(i8::try_from(opens / 60).ok()?, i8::try_from(opens % 60).ok()?, 0, 0).ok()))
}

fn is_open(business: &Hours, zone: &TimeZone, now: Timestamp) -> bool {
    let local = zone.to_datetime(now);
    let minute = i32::from(local.hour()) * 60 + i32::from(local.minute());
    let covers = |period: &Period| (i32::from(period.opens_min())..i32::from(period.closes_min())).contains(&minute);
    business.on(local.date()).iter().any(covers)
}

fn next_opening(business: &Hours, zone: &TimeZone, now: Timestamp) -> Option<Opening> {
    let today = zone.to_datetime(now).date();
    (0..=HORIZON_DAYS).map(|ahead| today.saturating_add(ahead.days())).find_map(|date| {
        let after_now = |period: &&Period| instant_of(zone, date, period.opens_min()).is_some_and(|opens| opens > now);
        business.on(date).iter().find(after_now).map(|period| Opening { date, opens: period.opens() })
    })
}
