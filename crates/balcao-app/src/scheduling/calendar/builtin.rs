//! The calendar of our own tables: the use cases of booking behind the interface. It keeps no rule of its own.

use async_trait::async_trait;
use balcao_domain::{AppointmentId, OrganizationId};
use balcao_store::turns::ledger::{self, EffectKey};
use balcao_store::{Tx, scheduling::appointment, scheduling::catalog};
use jiff::civil::Date;

use super::busy;
use super::settle::missing;
use super::{
    Act, BusyDay, BusyQuery, Calendar, CalendarError, Done, Entry, EntryId, Health, Outcome, Owner, Read, Reading,
    Refusal, Source, Version, Visit,
};
use crate::context::app_context::{AppContext, UseCaseError, organization};
use crate::scheduling::agenda::Agenda;
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::booking::freshness;
use crate::scheduling::booking::{BookRequest, Booked, Booking, BookingRefusal, RescheduleRequest, Rescheduled};
use crate::scheduling::catalog::{Catalog, Offer};

/// Our own tables.
#[derive(Debug, Clone)]
pub struct BuiltIn {
    app: AppContext,
    booking: Booking,
    catalog: Catalog,
}

impl BuiltIn {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { booking: Booking::new(app.clone()), catalog: Catalog::new(app.clone()), app }
    }

    /// Where a read is answered from: the external calendars are read first if our copy of them is older than a minute.
    async fn source(&self, organization: OrganizationId) -> Result<Source, CalendarError> {
        let as_of = freshness::freshen_for_read(&self.app, organization).await?;
        Ok(as_of.map_or(Source::Live, |as_of| Source::Mirror { as_of }))
    }

    /// The refusal of an entry that is not as it was seen; `None` if it is.
    ///
    /// Looked at before the act and not with it: whatever may happen in between (cancelled, moved, over) is refused by the
    /// act itself, which reads the row again.
    async fn changed(&self, owner: Owner, id: &EntryId, seen: &Version) -> Result<Option<Refusal>, CalendarError> {
        let now = self.find(owner, id).await?.value;
        Ok(now.filter(|now| now.version != *seen).map(|now| Refusal::Changed { now: Box::new(now) }))
    }
}

#[async_trait]
impl Calendar for BuiltIn {
    fn name(&self) -> &'static str {
        "built-in"
    }

    async fn offer(&self, organization: OrganizationId) -> Read<Offer> {
        Ok(Reading::live(self.catalog.offer(organization).await?))
    }

    async fn busy(&self, owner: Owner, query: BusyQuery) -> Read<Result<Vec<BusyDay>, BookingRefusal>> {
        let source = self.source(owner.organization).await?;
        let look = self.app.look(move |tx, now| {
            let zone = organization(tx, owner.organization)?.1;
            let local = zone.to_datetime(now);
            let from = query.from.max(local.date());
            if query.to < from {
                let time = local.strftime("%H:%M").to_string();
                return Ok(Err(BookingRefusal::PastDate { today: local.date(), time }));
            }
            let agenda = Agenda::load(tx, owner.organization, Some(owner.contact), (from, query.to), now)?;
            let last_date = agenda.last_date(None);
            if from > last_date {
                return Ok(Err(BookingRefusal::TooFar { last_date }));
            }
            let only = match query.professional.as_deref().map(|name| agenda.professional(name)).transpose() {
                Ok(only) => only.map(|(one, _)| one.id),
                Err(refusal) => return Ok(Err(BookingRefusal::Professional(refusal))),
            };
            Ok(Ok(busy::days(&agenda, only, from, query.to.min(last_date))))
        });
        Ok(Reading { value: look.await?, source })
    }

    async fn list(&self, owner: Owner, from: Date, to: Date) -> Read<Vec<Entry>> {
        let source = self.source(owner.organization).await?;
        let look = self.app.look(move |tx, now| {
            let (organization, zone) = organization(tx, owner.organization)?;
            let names = catalog::professional_names(tx, organization.id)?;
            let open =
                appointment::upcoming_of_contact(tx, organization.id, owner.contact, organization.currency, now)?;
            let all = open.iter().map(|one| entry(view(one, &names, &zone)));
            Ok(all.filter(|entry| (from..=to).contains(&entry.visit.date)).collect())
        });
        Ok(Reading { value: look.await?, source })
    }

    async fn find(&self, owner: Owner, id: &EntryId) -> Read<Option<Entry>> {
        let Some(id) = row(id) else { return Ok(Reading::live(None)) };
        let source = self.source(owner.organization).await?;
        let look = self.app.look(move |tx, _now| {
            let (organization, zone) = organization(tx, owner.organization)?;
            let found = appointment::find(tx, organization.id, id, organization.currency)?;
            let Some(own) = found.filter(|one| one.contact == owner.contact) else { return Ok(None) };
            let names = catalog::professional_names(tx, organization.id)?;
            Ok(Some(entry(view(&own, &names, &zone))))
        });
        Ok(Reading { value: look.await?, source })
    }

    async fn would_book(&self, owner: Owner, request: BookRequest) -> Outcome {
        let would = self.booking.preview_book(owner.organization, owner.contact, request).await?;
        Ok(would.map(booked).map_err(refused))
    }

    async fn would_cancel(&self, owner: Owner, id: &EntryId) -> Outcome {
        let Some(wanted) = row(id) else { return Ok(Err(missing(self, owner).await?)) };
        let would = self.booking.preview_cancel(owner.organization, owner.contact, Some(wanted)).await?;
        Ok(would.map(cancelled).map_err(refused))
    }

    async fn would_reschedule(&self, owner: Owner, id: &EntryId, request: RescheduleRequest) -> Outcome {
        let Some(wanted) = row(id) else { return Ok(Err(missing(self, owner).await?)) };
        let request = RescheduleRequest { appointment: Some(wanted), ..request };
        let would = self.booking.preview_reschedule(owner.organization, owner.contact, request).await?;
        Ok(would.map(moved).map_err(refused))
    }

    async fn book(&self, owner: Owner, key: EffectKey, request: BookRequest) -> Outcome {
        let done = self.booking.book(owner.organization, owner.contact, key, request).await?;
        Ok(done.value.map(booked).map_err(refused))
    }

    async fn cancel(&self, owner: Owner, key: EffectKey, id: &EntryId, seen: &Version) -> Outcome {
        let Some(wanted) = row(id) else { return Ok(Err(missing(self, owner).await?)) };
        if let Some(refusal) = self.changed(owner, id, seen).await? {
            return Ok(Err(refusal));
        }
        let done = self.booking.cancel(owner.organization, owner.contact, key, Some(wanted)).await?;
        Ok(done.value.map(cancelled).map_err(refused))
    }

    async fn reschedule(
        &self,
        owner: Owner,
        key: EffectKey,
        id: &EntryId,
        seen: &Version,
        request: RescheduleRequest,
    ) -> Outcome {
        let Some(wanted) = row(id) else { return Ok(Err(missing(self, owner).await?)) };
        if let Some(refusal) = self.changed(owner, id, seen).await? {
            return Ok(Err(refusal));
        }
        let request = RescheduleRequest { appointment: Some(wanted), ..request };
        let done = self.booking.reschedule(owner.organization, owner.contact, key, request).await?;
        Ok(done.value.map(moved).map_err(refused))
    }

    async fn came_of(
        &self,
        owner: Owner,
        key: &EffectKey,
        act: Act,
    ) -> Result<Option<Result<Done, Refusal>>, CalendarError> {
        let key = key.clone();
        let look = self.app.look(move |tx, _now| recorded(tx, owner.organization, &key, act));
        Ok(look.await?.map(|answer| answer.map_err(refused)))
    }

    async fn health(&self, id: OrganizationId) -> Health {
        match freshness::check(&self.app, id).await {
            Ok(None) => Health::Well,
            Ok(Some(as_of)) => Health::Mirrored { as_of },
            Err(error) => Health::Down { reason: error.to_string() },
        }
    }
}

/// The answer that the ledger has of an act.
fn recorded(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    key: &EffectKey,
    act: Act,
) -> Result<Option<Result<Done, BookingRefusal>>, UseCaseError> {
    Ok(match act {
        Act::Book => {
            ledger::find::<Result<Booked, BookingRefusal>>(tx, organization, key)?.map(|answer| answer.map(booked))
        }
        Act::Cancel => ledger::find::<Result<AppointmentView, BookingRefusal>>(tx, organization, key)?
            .map(|answer| answer.map(cancelled)),
        Act::Reschedule => {
            ledger::find::<Result<Rescheduled, BookingRefusal>>(tx, organization, key)?.map(|answer| answer.map(moved))
        }
    })
}

/// The row that an id names, if it names one.
fn row(id: &EntryId) -> Option<AppointmentId> {
    id.as_str().parse::<i64>().ok().and_then(|number| AppointmentId::try_from(number).ok())
}

fn entry(view: AppointmentView) -> Entry {
    let id = EntryId::new(i64::from(view.id).to_string());
    let visit = Visit::from(view);
    Entry { id, version: version(&visit), visit }
}

/// Another one whenever anything of the visit is another.
fn version(visit: &Visit) -> Version {
    let Visit { parts, date, start, finish, finish_date, status, price, attendee } = visit;
    let parts: Vec<_> = parts.iter().collect();
    Version::new(format!("{date}T{start}-{finish_date}T{finish} {status} {parts:?} {price:?} {attendee:?}"))
}

fn refused(refusal: BookingRefusal) -> Refusal {
    if let BookingRefusal::NotFound { upcoming } = refusal {
        return Refusal::NotFound { upcoming: upcoming.into_iter().map(entry).collect() };
    }
    Refusal::Rule(refusal)
}

fn booked(done: Booked) -> Done {
    Done {
        already: done.already_booked,
        near_name: done.near_name,
        plan_notice: done.plan_notice,
        ..Done::from_entry(entry(done.appointment))
    }
}

fn cancelled(done: AppointmentView) -> Done {
    Done::from_entry(entry(done))
}

fn moved(done: Rescheduled) -> Done {
    Done { before: Some(done.old.into()), ..booked(done.new) }
}

#[cfg(test)]
mod tests {
    use balcao_domain::{AppointmentStatus, Currency, Money};
    use jiff::civil::date;

    use super::{AppointmentView, entry};

    #[test]
    fn whatever_changes_of_a_visit_changes_its_version() {
        let view = || AppointmentView {
            id: 7.try_into().unwrap(),
            professional: "Ana Prado".to_owned(),
            service: "Corte".to_owned(),
            service_id: None,
            date: date(2026, 11, 24),
            start: "10:00".to_owned(),
            finish: "10:30".to_owned(),
            finish_date: date(2026, 11, 24),
            status: AppointmentStatus::Confirmed,
            price: Money::new(4_500, Currency::BRL),
            attendee: None,
            mark: None,
            moved_to: None,
        };
        let as_it_was = entry(view());
        let changes: [fn(&mut AppointmentView); 9] = [
            |one| one.professional = "Bruno Reis".to_owned(),
            |one| one.service = "Barba".to_owned(),
            |one| one.date = date(2026, 11, 25),
            |one| one.start = "09:30".to_owned(),
            |one| one.finish = "11:00".to_owned(),
            |one| one.finish_date = date(2026, 11, 25),
            |one| one.status = AppointmentStatus::Cancelled,
            |one| one.price = Money::new(0, Currency::BRL),
            |one| one.attendee = Some("Bento".to_owned()),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = view();
            change(&mut changed);
            assert_ne!(entry(changed).version, as_it_was.version, "{number}");
        }
        assert_eq!(entry(view()), as_it_was);
    }
}
