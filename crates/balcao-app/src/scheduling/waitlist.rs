//! The waitlist: a freed slot is offered to the first who matches, and kept for them for a while.

use balcao_domain::hours::Period;
use balcao_domain::professional::Professional;
use balcao_domain::service::Service;
use balcao_domain::waitlist::{DayPeriod, WaitlistEntry};
use balcao_domain::{ContactId, OrganizationId, WaitlistId};
use balcao_store::Tx;
use balcao_store::scheduling::waitlist;
use balcao_store::turns::ledger::EffectKey;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError, organization};
use crate::context::names::NameRefusal;
use crate::scheduling::agenda::Agenda;
use crate::scheduling::booking::freshness;
use crate::scheduling::waitlist_offers::{Freed, offer_to_next};

/// The slot that a contact waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JoinRequest {
    /// The local date.
    pub date: Date,
    /// The professional; any, if absent.
    pub professional: Option<String>,
    /// What; anything, if absent.
    pub service: Option<String>,
    /// Which part of the day; any, if absent.
    pub period: Option<DayPeriod>,
}

/// A place on the waitlist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Joined {
    /// The entry.
    pub id: WaitlistId,
    /// How many wait for that date up to and including this one.
    pub position: usize,
    /// Whether the contact already had that place.
    pub already_waiting: bool,
    /// The professional that was understood.
    #[serde(default)]
    pub professional: Option<String>,
    /// The service that was understood.
    #[serde(default)]
    pub service: Option<String>,
}

/// Why the contact did not join the waitlist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum JoinRefusal {
    /// The date is over.
    PastDate {
        /// Today.
        today: Date,
    },
    /// The date is beyond the maximum advance.
    TooFar {
        /// The last date that can be booked.
        last_date: Date,
    },
    /// Nothing that is wanted could be booked on that date, even without other appointments: the business is closed or the
    /// professional away, or what is left of the day, or of the part of it that is wanted, is too short.
    OutsideHours {
        /// When the business is open that day.
        open: Vec<Period>,
        /// Why the date is not like its weekday.
        note: Option<String>,
    },
    /// The professional does not offer the service.
    NotOffered {
        /// The service.
        service: String,
        /// The professional.
        professional: String,
        /// Who does.
        offered_by: Vec<String>,
    },
    /// The professional's name.
    Professional(NameRefusal),
    /// The service's name.
    Service(NameRefusal),
}

/// Keeps the waitlist.
#[derive(Debug, Clone)]
pub struct Waitlist {
    app: AppContext,
}

impl Waitlist {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Puts a contact on the waitlist of a date; a second wish for the same is the first one's place. A date on which
    /// nothing that is wanted could free is refused.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn join(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        request: JoinRequest,
    ) -> Effect<Joined, JoinRefusal> {
        let join = move |tx: &mut Tx<'_>, now| join(tx, organization, contact, &request, now);
        self.app.effect(organization, key, join).await
    }

    /// Passes on what was offered and not taken in time: each slot to the next who matches. External calendars are read first; if one does not
    /// answer and its copy is too old, nothing of it is offered.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn pass_on(&self, id: OrganizationId) -> Result<usize, UseCaseError> {
        if self.app.look(move |tx, now| Ok(waitlist::has_lapsed(tx, id, now)?)).await? {
            freshness::check(&self.app, id).await?;
        }
        let now = self.app.clock.now();
        self.app
            .store
            .write(move |tx| {
                let (organization, zone) = organization(tx, id)?;
                let lapsed = waitlist::lapse(tx, id, now)?;
                for offer in &lapsed {
                    let freed = Freed { professional: offer.professional, seat: offer.seat, span: offer.span };
                    offer_to_next(tx, &organization, &zone, freed, now)?;
                }
                Ok(lapsed.len())
            })
            .await
    }
}

fn join(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    request: &JoinRequest,
    now: Timestamp,
) -> Result<Result<Joined, JoinRefusal>, UseCaseError> {
    let agenda = Agenda::load(tx, organization, None, (request.date, request.date), now)?;
    let today = agenda.today();
    if request.date < today {
        return Ok(Err(JoinRefusal::PastDate { today }));
    }
    let with = match request.professional.as_deref().map(|name| agenda.professional(name)).transpose() {
        Ok(found) => found.map(|(one, _)| one),
        Err(refusal) => return Ok(Err(JoinRefusal::Professional(refusal))),
    };
    let what = match request.service.as_deref().map(|name| agenda.service(name)).transpose() {
        Ok(found) => found.map(|(one, _)| one),
        Err(refusal) => return Ok(Err(JoinRefusal::Service(refusal))),
    };
    if let Some(refusal) = hopeless(&agenda, request, with, what) {
        return Ok(Err(refusal));
    }
    let joined = |id, position, already_waiting| Joined {
        id,
        position,
        already_waiting,
        professional: with.map(|one| one.name.clone()),
        service: what.map(|one| one.name.clone()),
    };
    let (professional, service) = (with.map(|one| one.id), what.map(|one| one.id));
    let waiting = waitlist::waiting_for(tx, organization, request.date)?;
    let is_same = |entry: &WaitlistEntry| {
        entry.contact == contact
            && (entry.professional, entry.service, entry.period) == (professional, service, request.period)
    };
    if let Some((before, entry)) = waiting.iter().enumerate().find(|(_, entry)| is_same(entry)) {
        return Ok(Ok(joined(entry.id, before + 1, true)));
    }
    // The entry's own id is given by the store.
    let id = waitlist::insert(
        tx,
        organization,
        &waitlist::NewEntry { contact, date: request.date, professional, service, period: request.period },
        now,
    )?;
    Ok(Ok(joined(id, waiting.len() + 1, false)))
}

/// Why no time that is wanted can ever free on that date.
fn hopeless(
    agenda: &Agenda,
    request: &JoinRequest,
    professional: Option<&Professional>,
    service: Option<&Service>,
) -> Option<JoinRefusal> {
    let last_date = agenda.last_date(service);
    if request.date > last_date {
        return Some(JoinRefusal::TooFar { last_date });
    }
    if let (Some(service), Some(professional)) = (service, professional)
        && professional.offers(service.id).is_none()
    {
        return Some(JoinRefusal::NotOffered {
            service: service.name.clone(),
            professional: professional.name.clone(),
            offered_by: agenda.offered_by(service),
        });
    }
    let in_period =
        |start: &Timestamp| request.period.is_none_or(|part| part.contains_minute(agenda.minute_of_day(*start)));
    let could_free = agenda.free_if_empty(service, professional.map(|one| one.id), (request.date, request.date));
    let hope = could_free.iter().any(|slots| slots.starts.iter().any(in_period));
    (!hope).then(|| JoinRefusal::OutsideHours {
        open: agenda.business.on(request.date).to_vec(),
        note: agenda.business.note_on(request.date).map(str::to_owned),
    })
}
