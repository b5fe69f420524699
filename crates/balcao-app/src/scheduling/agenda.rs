//! A stretch of the organization's agenda, loaded once per call: services, professionals and booked time.

use balcao_domain::availability::{
    Candidate, FreeSlots, Occupied, SlotQuery, Verdict, check, free_slots, free_spans, works,
};
use balcao_domain::hours::{Hours, Period};
use balcao_domain::professional::Professional;
use balcao_domain::scheduling::{CalendarDown, SchedulingRules, SlotMode};
use balcao_domain::service::Service;
use balcao_domain::{Appointment, ContactId, OrganizationId, ProfessionalId, ServiceId, Span};
use balcao_language::normalize::normalize;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::crm::organization::Organization;
use balcao_store::scheduling::calendar_mirror::{self, OutsideTime};
use balcao_store::scheduling::catalog::Around;
use balcao_store::{
    Tx, queries::prefetch, scheduling::appointment, scheduling::catalog, scheduling::hours, scheduling::waitlist,
};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{UseCaseError, organization};
use crate::context::names::{Found, NameRefusal, find};

/// A bookable span in the form that customers read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// Whose.
    pub professional: String,
    /// The local date.
    pub date: Date,
    /// The local time it starts, `HH:MM`.
    pub start: String,
}

/// What a visit needs of one professional.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Need {
    pub(crate) duration_min: u32,
    pub(crate) buffer_before_min: u32,
    pub(crate) buffer_after_min: u32,
    pub(crate) price_cents: i64,
}

/// What an appointment keeps that is moved with its professional and its service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeptTerms {
    /// `None` of a visit without a service.
    pub(crate) service: Option<ServiceId>,
    professional: ProfessionalId,
    duration_min: u32,
    /// `None` of a visit that a plan paid for: if no plan pays for it at its new time, it has the price of today.
    price_cents: Option<i64>,
}

impl KeptTerms {
    /// The terms of an appointment.
    pub(crate) fn of_appointment(one: &Appointment) -> Option<Self> {
        let minutes = one.span.start.duration_until(one.span.end).as_mins();
        Some(Self {
            service: one.service,
            professional: one.professional,
            duration_min: u32::try_from(minutes).ok()?,
            price_cents: one.plan.is_none().then_some(one.price.cents),
        })
    }
}

pub(crate) struct Agenda {
    pub(crate) organization: Organization,
    pub(crate) zone: TimeZone,
    pub(crate) now: Timestamp,
    pub(crate) business: Hours,
    pub(crate) services: Vec<Service>,
    pub(crate) professionals: Vec<Professional>,
    /// What an appointment that is moved keeps.
    pub(crate) kept: Option<KeptTerms>,
    /// The first and the last local date that are loaded.
    dates: (Date, Date),
    time_off: Vec<Vec<Span>>,
    occupied: Vec<OccupiedTime>,
}

/// Time that a professional is occupied on the loaded dates.
struct OccupiedTime {
    /// In order of start.
    all: Vec<Occupied>,
    longest: SignedDuration,
}

impl OccupiedTime {
    fn new(mut all: Vec<Occupied>) -> Self {
        all.sort_unstable_by_key(|one| one.span.start);
        let lengths = all.iter().map(|one| one.span.start.duration_until(one.span.end));
        let longest = lengths.max().unwrap_or_default();
        Self { all, longest }
    }

    /// What may touch a span, and little else: the whole of many days is not looked through for each of them.
    fn near(&self, span: Span) -> &[Occupied] {
        let earliest = span.start.checked_sub(self.longest).unwrap_or(Timestamp::MIN);
        let first = self.all.partition_point(|one| one.span.start < earliest);
        let end = self.all.partition_point(|one| one.span.start < span.end);
        self.all.get(first..end).unwrap_or_default()
    }
}

impl Agenda {
    /// Loads local dates `from` to `to`, both included. What the waitlist keeps for others than `contact` is occupied.
    pub(crate) fn load(
        tx: &mut Tx<'_>,
        id: OrganizationId,
        contact: Option<ContactId>,
        dates: (Date, Date),
        now: Timestamp,
    ) -> Result<Self, UseCaseError> {
        let (organization, zone) = organization(tx, id)?;
        let (from, to) = dates;
        let wide = widened((from, to));
        let span = Span::new(local_midnight(&zone, wide.0), local_midnight(&zone, wide.1));
        let around = Around { from: wide.0, to: wide.1, since: span.start };
        prefetch::prefetch_agenda(tx, id, around, span, contact, now)?;
        let business = hours::of_business(tx, &organization, wide.0, wide.1)?;
        let services = catalog::list_services(tx, id, organization.currency)?;
        let professionals = catalog::list_professionals(tx, id, around)?;
        let mut taken = appointment::occupied(tx, id, span, now)?;
        taken.extend(waitlist::held_for_others(tx, id, span, contact, now)?);
        let outside = calendar_mirror::list_outside_time(tx, id, span)?;
        taken.extend(taken_outside(&organization.scheduling, &outside, span, now));
        let of = |professional: ProfessionalId| {
            let own = taken.iter().filter(|(whose, _)| *whose == professional);
            OccupiedTime::new(own.map(|(_, occupied)| *occupied).collect())
        };
        let occupied = professionals.iter().map(|professional| of(professional.id)).collect();
        let away = |professional: &Professional| professional.time_off.iter().map(|off| off.span).collect();
        let time_off = professionals.iter().map(away).collect();
        Ok(Self { organization, zone, now, business, services, professionals, kept: None, dates, time_off, occupied })
    }

    /// The agenda for the move of an appointment with these terms.
    pub(crate) fn keeping(self, kept: Option<KeptTerms>) -> Self {
        Self { kept, ..self }
    }

    /// Today's date where the business is.
    pub(crate) fn today(&self) -> Date {
        self.zone.to_datetime(self.now).date()
    }

    /// An active service by name, or that of the appointment which is moved. The latter comes first where both have the name.
    pub(crate) fn service(&self, query: &str) -> Result<(&Service, bool), NameRefusal> {
        let is_kept = |service: &Service| self.kept.is_some_and(|kept| kept.service == Some(service.id));
        let wanted = normalize(query);
        let is_called = |service: &Service| {
            normalize(&service.name) == wanted || service.aliases.iter().any(|alias| normalize(alias) == wanted)
        };
        if let Some(kept) = self.services.iter().find(|service| is_kept(service) && is_called(service)) {
            return Ok((kept, false));
        }
        let active: Vec<&Service> = self.services.iter().filter(|service| service.active || is_kept(service)).collect();
        let found = find(query, active.iter().map(|service| (&service.name, service.aliases.as_slice())))?;
        picked(&active, found, query)
    }

    /// An active professional by name.
    pub(crate) fn professional(&self, query: &str) -> Result<(&Professional, bool), NameRefusal> {
        let active: Vec<&Professional> = self.professionals.iter().filter(|professional| professional.active).collect();
        let found = find(query, active.iter().map(|one| (&one.name, one.aliases.as_slice())))?;
        picked(&active, found, query)
    }

    /// An active professional by id.
    pub(crate) fn professional_of(&self, id: ProfessionalId) -> Result<&Professional, NameRefusal> {
        let active = || self.professionals.iter().filter(|one| one.active);
        active().find(|one| one.id == id).ok_or_else(|| {
            let gone = self.professionals.iter().find(|one| one.id == id);
            NameRefusal::NotFound {
                query: gone.map_or_else(|| id.to_string(), |one| one.name.clone()),
                nearest: None,
                known: active().map(|one| one.name.clone()).collect(),
            }
        })
    }

    /// What `service`, or a visit of `duration_min` without one, needs of a professional; `None` if they do not offer it. An appointment
    /// that is moved keeps its terms with its professional and its service, although they are offered no longer. A service that is
    /// archived has no other terms.
    pub(crate) fn need(
        &self,
        professional: &Professional,
        service: Option<&Service>,
        duration_min: Option<u32>,
    ) -> Option<Need> {
        let kept = self.kept.filter(|kept| kept.service == service.map(|service| service.id));
        let own = kept.filter(|kept| kept.professional == professional.id);
        let Some(service) = service else {
            let usual = own.map_or(self.organization.scheduling.default_duration_minutes, |own| own.duration_min);
            return Some(Need {
                duration_min: duration_min.unwrap_or(usual),
                buffer_before_min: 0,
                buffer_after_min: 0,
                price_cents: own.and_then(|own| own.price_cents).unwrap_or_default(),
            });
        };
        let offered = professional.offers(service.id);
        if offered.is_none() && own.is_none() {
            return None;
        }
        let need = Need {
            duration_min: offered.and_then(|own| own.duration_min).unwrap_or(service.duration_min),
            buffer_before_min: service.buffer_before_min,
            buffer_after_min: service.buffer_after_min,
            price_cents: offered.and_then(|own| own.price_cents).unwrap_or(service.price.cents),
        };
        match own.or(kept.filter(|_| !service.active)).filter(|_| !is_on(Bug::TermsNotKept)) {
            Some(kept) => Some(Need {
                duration_min: kept.duration_min,
                price_cents: kept.price_cents.unwrap_or(need.price_cents),
                ..need
            }),
            None => Some(need),
        }
    }

    fn question(&self, service: Option<&Service>, dates: (Date, Date), mode: SlotMode) -> SlotQuery<'_> {
        let rules = &self.organization.scheduling;
        SlotQuery {
            zone: &self.zone,
            from: dates.0,
            to: dates.1,
            now: self.now,
            notice_min: service.and_then(|service| service.notice_min).unwrap_or(rules.minimum_notice_minutes),
            advance_days: service.and_then(|service| service.advance_days).unwrap_or(rules.maximum_advance_days),
            step_min: rules.slot_step_minutes,
            mode,
            business: &self.business,
        }
    }

    /// A professional as a candidate for dates.
    fn candidate<'a>(
        &'a self,
        (index, professional): (usize, &'a Professional),
        need: Need,
        dates: (Date, Date),
    ) -> Candidate<'a> {
        let wide = widened(dates);
        let around = Span::new(local_midnight(&self.zone, wide.0), local_midnight(&self.zone, wide.1));
        Candidate {
            professional: professional.id,
            hours: &professional.hours,
            time_off: self.time_off.get(index).map_or(&[], Vec::as_slice),
            occupied: self.occupied.get(index).map_or(&[], |occupied| occupied.near(around)),
            capacity: professional.capacity,
            duration_min: need.duration_min,
            buffer_before_min: need.buffer_before_min,
            buffer_after_min: need.buffer_after_min,
        }
    }

    /// The free slots on the loaded dates of everybody active who offers the service, or of one of them.
    pub(crate) fn free(
        &self,
        service: Option<&Service>,
        duration_min: Option<u32>,
        only: Option<ProfessionalId>,
        dates: (Date, Date),
    ) -> Vec<FreeSlots> {
        self.free_slots(service, dates, &self.candidates(service, duration_min, only, dates))
    }

    /// Returns the slots of [`Self::free`] for an agenda without appointments, so the slots that a cancellation could free.
    pub(crate) fn free_if_empty(
        &self,
        service: Option<&Service>,
        only: Option<ProfessionalId>,
        dates: (Date, Date),
    ) -> Vec<FreeSlots> {
        let mut candidates = self.candidates(service, None, only, dates);
        for candidate in &mut candidates {
            candidate.occupied = &[];
        }
        self.free_slots(service, dates, &candidates)
    }

    fn candidates(
        &self,
        service: Option<&Service>,
        duration_min: Option<u32>,
        only: Option<ProfessionalId>,
        dates: (Date, Date),
    ) -> Vec<Candidate<'_>> {
        self.professionals
            .iter()
            .enumerate()
            .filter(|(_, one)| one.active && only.is_none_or(|only| only == one.id))
            .filter_map(|(index, one)| {
                Some(self.candidate((index, one), self.need(one, service, duration_min)?, dates))
            })
            .collect()
    }

    fn free_slots(
        &self,
        service: Option<&Service>,
        dates: (Date, Date),
        candidates: &[Candidate<'_>],
    ) -> Vec<FreeSlots> {
        let dates = (dates.0.max(self.dates.0), dates.1.min(self.dates.1));
        free_slots(&self.question(service, dates, self.organization.scheduling.slot_mode), candidates)
    }

    /// When a professional works on a loaded date.
    pub(crate) fn works(&self, professional: &Professional, date: Date) -> Vec<Period> {
        works(&self.zone, &self.business, professional, date)
    }

    /// When a professional works on a date and is free, from now plus the notice on.
    pub(crate) fn free_spans(&self, professional: &Professional, date: Date) -> Vec<Span> {
        let place = self.professionals.iter().position(|one| one.id == professional.id);
        let (Some(index), Some(need)) = (place, self.need(professional, None, None)) else { return Vec::new() };
        let question = self.question(None, (date, date), SlotMode::Grid);
        free_spans(&question, &self.candidate((index, professional), need, (date, date)))
    }

    /// Whether a start that could be booked is one at which customers are booked: on the grid of the business, or anywhere where its
    /// starts follow no grid.
    pub(crate) fn is_on_grid(&self, professional: &Professional, service: Option<&Service>, start: Timestamp) -> bool {
        let date = self.zone.to_datetime(start).date();
        self.organization.scheduling.slot_mode != SlotMode::Grid
            || self
                .free(service, None, Some(professional.id), (date, date))
                .iter()
                .any(|free| free.starts.contains(&start))
    }

    /// The minute of its local day.
    pub(crate) fn minute_of_day(&self, at: Timestamp) -> u16 {
        let local = self.zone.to_datetime(at);
        u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap_or_default()
    }

    /// The last local date that a service, or a visit without one, can be booked on.
    pub(crate) fn last_date(&self, service: Option<&Service>) -> Date {
        let own = service.and_then(|service| service.advance_days);
        let days = own.unwrap_or(self.organization.scheduling.maximum_advance_days);
        self.today().saturating_add(i64::from(days.min(100_000)).days())
    }

    /// The names of those who offer a service.
    pub(crate) fn offered_by(&self, service: &Service) -> Vec<String> {
        let offers = self.professionals.iter().filter(|one| one.active && one.offers(service.id).is_some());
        offers.map(|one| one.name.clone()).collect()
    }

    /// Whether a start could be booked with a professional.
    pub(crate) fn verdict(
        &self,
        professional: ProfessionalId,
        service: Option<&Service>,
        need: Need,
        start: Timestamp,
    ) -> Verdict {
        let place = self.professionals.iter().enumerate().find(|(_, one)| one.id == professional);
        place.map_or(Verdict::OutsideHours, |(index, one)| {
            let question = self.question(service, self.dates, SlotMode::Grid);
            check(&question, &self.candidate((index, one), need, self.dates), start)
        })
    }

    /// The free slots nearest to a start, in order of time: those of the professional asked for come before the others'.
    pub(crate) fn alternatives(
        &self,
        service: Option<&Service>,
        duration_min: Option<u32>,
        wanted: Option<ProfessionalId>,
        start: Timestamp,
    ) -> Vec<Slot> {
        const COUNT: usize = 5;
        let free = self.free(service, duration_min, None, self.dates);
        let distance = |at: Timestamp| (at.as_second() - start.as_second()).abs();
        let pairs = free.iter().flat_map(|slots| slots.starts.iter().map(|at| (slots.professional, *at)));
        let mut nearest: Vec<(ProfessionalId, Timestamp)> =
            pairs.filter(|(_, at)| *at != start || wanted.is_none()).collect();
        nearest.extend(free.iter().filter(|slots| Some(slots.professional) != wanted && wanted.is_some()).filter_map(
            // Another professional at the requested time is an alternative, too.
            |slots| slots.starts.contains(&start).then_some((slots.professional, start)),
        ));
        let asked = |whose: ProfessionalId| wanted.is_some_and(|wanted| wanted != whose);
        nearest.sort_unstable_by_key(|(whose, at)| (asked(*whose), distance(*at), *at, *whose));
        nearest.truncate(COUNT);
        nearest.sort_unstable_by_key(|(whose, at)| (asked(*whose), *at, *whose));
        nearest.into_iter().filter_map(|(whose, at)| self.slot(whose, at)).collect()
    }

    /// Returns a slot in the form that customers read.
    pub(crate) fn slot(&self, professional: ProfessionalId, start: Timestamp) -> Option<Slot> {
        let name = self.professionals.iter().find(|one| one.id == professional)?.name.clone();
        let local = self.zone.to_datetime(start);
        Some(Slot { professional: name, date: local.date(), start: local.strftime("%H:%M").to_string() })
    }
}

/// The dates around some, on which what lies there may touch them: a visit may reach over midnight, and buffers a little more.
fn widened((from, to): (Date, Date)) -> (Date, Date) {
    (from.saturating_sub(1.day()), to.saturating_add(2.days()))
}

/// The time that external calendars take. A copy that is too old says nothing, so that all of the span counts as taken, unless the business
/// books without the calendar.
fn taken_outside(
    rules: &SchedulingRules,
    outside: &[OutsideTime],
    span: Span,
    now: Timestamp,
) -> Vec<(ProfessionalId, Occupied)> {
    let is_known = |one: &OutsideTime| {
        rules.when_calendar_is_down == CalendarDown::BookAnyway || rules.is_calendar_copy_current(one.as_of, now)
    };
    let taken = |one: &OutsideTime| {
        let span = if is_known(one) { one.busy? } else { span };
        Some((one.professional, Occupied { span, seat: None }))
    };
    outside.iter().filter_map(taken).collect()
}

fn picked<'a, T>(things: &[&'a T], found: Found, query: &str) -> Result<(&'a T, bool), NameRefusal> {
    let missing = || NameRefusal::NotFound { query: query.to_owned(), nearest: None, known: Vec::new() };
    things.get(found.index).map(|thing| (*thing, found.near)).ok_or_else(missing)
}

/// The first instant of a local date.
pub(crate) fn local_midnight(zone: &TimeZone, date: Date) -> Timestamp {
    let midnight = zone.to_ambiguous_timestamp(date.at(0, 0, 0, 0)).compatible();
    midnight.unwrap_or(if date < Date::constant(1970, 1, 1) { Timestamp::MIN } else { Timestamp::MAX })
}
