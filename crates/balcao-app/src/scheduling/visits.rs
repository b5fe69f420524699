//! Visits end: staff and programs mark how, undo a mark, and the server takes up unmarked visits.
//!
//! The rules are pure ([`balcao_domain::appointment::visit`]). A mark, its row of the audit log and its event commit together. Invariant: the server
//! takes up each visit once (I-18), because it notes that in the transaction that asks staff or marks the visit.

mod questions;
mod refusal;

use std::collections::BTreeMap;

use balcao_domain::appointment::visit::{
    ASK_WITHIN, MARK_WITHIN, MarkAuthor, MarkDecision, UnmarkedVisits, VisitEnd, VisitMark,
};
use balcao_domain::staff::VisitsMarked;
use balcao_domain::{Appointment, AppointmentId, AppointmentStatus, ContactId, OrganizationId, ProfessionalId, Span};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::crm::organization::Organization;
use balcao_store::crm::staff::{self, Staff};
use balcao_store::scheduling::appointment;
use balcao_store::scheduling::catalog;
use balcao_store::scheduling::visit_mark::{self, Batch, UndoWrite, UnmarkedScope};
use balcao_store::turns::event;
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{StoreError, Tx};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, UseCaseError, granted, organization};
use crate::context::staff_email::{Actor, by_email, professional_of};
use crate::scheduling::agenda::local_midnight;
use crate::scheduling::appointments::{AppointmentView, view};
use crate::scheduling::booking::coverage::recheck_quota;
use crate::scheduling::booking::trail;
pub use refusal::{GivenMark, VisitRefusal};

/// Visits that one transaction of the server marks at most.
const BATCH: u32 = 1_000;
/// Visits that one question to staff holds at most.
const ASKED: u32 = 200;
/// Attempts at a mark while others change the same appointment.
const ATTEMPTS: u32 = 3;

/// A visit after a mark or an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VisitView {
    /// The appointment as it is now.
    pub appointment: AppointmentView,
    /// Whose it is.
    pub contact: ContactId,
    /// Whether anything changed: the same mark a second time changes nothing.
    pub changed: bool,
    /// The name of the author of its mark: of a staff member the name, else a word or the name of a program.
    pub marked_by: Option<String>,
}

type Answer<T> = Result<Result<T, VisitRefusal>, UseCaseError>;

/// Ends visits.
#[derive(Debug, Clone)]
pub struct Visits {
    app: AppContext,
    key: Option<EffectKey>,
}

impl Visits {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, key: None }
    }

    /// Returns the use case with an effect key, so that an act happens once under this key.
    #[must_use]
    pub fn once(self, key: EffectKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Marks how a visit ended. The same mark again changes nothing.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why the visit cannot be marked.
    pub async fn mark_visit(
        &self,
        organization: OrganizationId,
        id: AppointmentId,
        end: VisitEnd,
        by: Actor,
    ) -> Answer<VisitView> {
        let work = move |tx: &mut Tx<'_>, now| mark(tx, organization, id, end, &by, now);
        self.app.act(organization, self.key.clone(), work).await
    }

    /// Undoes the mark of a visit, which has then the status from before.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, why the mark stays.
    pub async fn undo_visit_mark(
        &self,
        organization: OrganizationId,
        id: AppointmentId,
        by: Actor,
    ) -> Answer<VisitView> {
        let work = move |tx: &mut Tx<'_>, now| undo(tx, organization, id, &by, now);
        self.app.act(organization, self.key.clone(), work).await
    }

    /// Marks as completed every unmarked visit of a local date that has ended; returns how many. It answers the
    /// server's question after the exceptions are marked: all others came.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, [`VisitRefusal::UnknownStaff`] and [`VisitRefusal::DayToCome`].
    pub async fn complete_day(&self, organization_id: OrganizationId, date: Date, by: Actor) -> Answer<usize> {
        let work = move |tx: &mut Tx<'_>, now| {
            let (_, zone) = organization(tx, organization_id)?;
            let today = zone.to_datetime(now).date();
            if date > today {
                return Ok(Err(VisitRefusal::DayToCome { date, today }));
            }
            let all = staff::list(tx, organization_id)?;
            let names = catalog::professional_names(tx, organization_id)?;
            let day = day_of(&zone, date);
            let own = granted!(own_visits(&by, &all, &names));
            let scope = own.map_or(UnmarkedScope::StartedIn(day), |me| UnmarkedScope::OfProfessional(me, day));
            let by = granted!(by.identify(&all).map_err(VisitRefusal::from));
            let mut completed = 0;
            loop {
                let batch = Batch { ended_by: now, limit: BATCH };
                let found = visit_mark::complete_unmarked(tx, organization_id, scope, batch, &by, now)?;
                completed += found;
                if found == 0 {
                    return Ok(Ok(completed));
                }
            }
        };
        self.app.act(organization_id, self.key.clone(), work).await
    }

    /// Takes up the visits that are unmarked in time, by the rule of the business: marks them as completed, or asks staff. Returns how
    /// many it took up.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn review_unmarked(&self, id: OrganizationId) -> Result<usize, UseCaseError> {
        // A look that writes nothing: as a rule there is nothing to do.
        let due = self.app.look(move |tx, now| find_due(tx, id, now)).await?;
        let Some(Due { rule, .. }) = due else { return Ok(0) };
        let mut reviewed = 0;
        loop {
            let (now, accounts) = (self.app.clock.now(), std::sync::Arc::clone(&self.app.notices));
            let work = move |tx: &mut Tx<'_>| {
                // Another process may have taken them up meanwhile.
                let Some(due) = find_due(tx, id, now)? else { return Ok(0) };
                match rule {
                    UnmarkedVisits::Complete => {
                        let (scope, batch) = (UnmarkedScope::NotTakenUp, Batch { ended_by: due.until, limit: BATCH });
                        Ok(visit_mark::complete_unmarked(tx, id, scope, batch, &MarkAuthor::Job, now)?)
                    }
                    UnmarkedVisits::Ask => ask(tx, &accounts, &due, now),
                }
            };
            let found = self.app.store.write::<_, UseCaseError, _>(work).await?;
            if found == 0 {
                return Ok(reviewed);
            }
            reviewed += found;
        }
    }
}

/// Visits that the server takes up now.
struct Due {
    organization: Organization,
    zone: TimeZone,
    rule: UnmarkedVisits,
    /// Those that ended by this instant.
    until: Timestamp,
}

fn find_due(tx: &mut Tx<'_>, id: OrganizationId, now: Timestamp) -> Result<Option<Due>, UseCaseError> {
    let Some(first) = visit_mark::first_unreviewed(tx, id)? else { return Ok(None) };
    let waited = now.checked_sub(MARK_WITHIN).unwrap_or(Timestamp::MIN);
    if first > waited {
        return Ok(None);
    }
    let (organization, zone) = organization(tx, id)?;
    let today = day_of(&zone, zone.to_datetime(now).date());
    let is_day_over = !visit_mark::is_any_to_end(tx, id, waited, today.end)?;
    let rule = organization.scheduling.unmarked_visits;
    let until = rule.reviewed_until(now, today.start, is_day_over);
    Ok((first <= until).then_some(Due { organization, zone, rule, until }))
}

fn ask(
    tx: &mut Tx<'_>,
    accounts: &crate::context::notification_accounts::NotificationAccounts,
    due: &Due,
    now: Timestamp,
) -> Result<usize, UseCaseError> {
    let id = due.organization.id;
    let mut taken = visit_mark::take_up(tx, id, due.until, ASKED, now)?;
    let found = taken.len();
    // The first pass after an upgrade finds visits of many weeks. Staff are not asked about those: they cannot remember them.
    let oldest = now.checked_sub(ASK_WITHIN).unwrap_or(Timestamp::MIN);
    taken.retain(|one| one.span.end >= oldest);
    for one in &taken {
        event::push(tx, id, "appointment_unmarked", &one.id.to_string(), "{}", now)?;
    }
    questions::enqueue(tx, accounts, (&due.organization, &due.zone), &taken, now)?;
    Ok(found)
}

/// The span of a local date.
fn day_of(zone: &TimeZone, date: Date) -> Span {
    Span::new(local_midnight(zone, date), local_midnight(zone, date.saturating_add(1.day())))
}

/// What acts on a visit read first.
struct Scene {
    zone: TimeZone,
    staff: Vec<Staff>,
    by: MarkAuthor,
    appointment: Appointment,
    shown: AppointmentView,
}

fn read(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    by: &Actor,
) -> Result<Result<Scene, VisitRefusal>, UseCaseError> {
    let (organization, zone) = organization(tx, id)?;
    let Some(appointment) = appointment::find(tx, id, which, organization.currency)? else {
        return Ok(Err(VisitRefusal::NotFound { id: which }));
    };
    // An earlier mark may be of a person who left; only who works here marks.
    let staff = staff::list_with_archived(tx, id)?;
    let working: Vec<Staff> = staff.iter().filter(|one| one.active).cloned().collect();
    let names = catalog::professional_names(tx, id)?;
    if granted!(own_visits(by, &working, &names)).is_some_and(|me| me != appointment.professional) {
        return Ok(Err(VisitRefusal::OfAnother { id: which }));
    }
    let by = granted!(by.identify(&working).map_err(VisitRefusal::from));
    let shown = view(&appointment, &names, &zone);
    Ok(Ok(Scene { zone, staff, by, appointment, shown }))
}

/// The professional whose visits alone an actor may mark; `None` if they may mark those of all.
fn own_visits(
    by: &Actor,
    all: &[Staff],
    names: &BTreeMap<ProfessionalId, String>,
) -> Result<Option<ProfessionalId>, VisitRefusal> {
    let Actor::Staff(email) = by else { return Ok(None) };
    let me = by_email(all, email)?;
    let refusal = || VisitRefusal::NotAllowed { email: me.email.clone(), role: me.role };
    match me.role.marks_visits_of() {
        VisitsMarked::All => Ok(None),
        VisitsMarked::Own => professional_of(me, names).map(Some).ok_or_else(refusal),
        VisitsMarked::None => Err(refusal()),
    }
}

impl Scene {
    fn given(&self, mark: &VisitMark) -> GivenMark {
        let name = name_of(&self.staff, &mark.by);
        let at_local = self.zone.to_datetime(mark.at).strftime("%Y-%m-%dT%H:%M").to_string();
        GivenMark { by: mark.by.clone(), name, at: mark.at, at_local }
    }

    fn answer(self, appointment: AppointmentView, changed: bool) -> VisitView {
        let marked_by = appointment.mark.as_ref().map(|mark| name_of(&self.staff, &mark.by));
        VisitView { appointment, contact: self.appointment.contact, changed, marked_by }
    }
}

/// The name of a staff member, also of one who is archived; else what the audit log says.
fn name_of(staff: &[Staff], by: &MarkAuthor) -> String {
    let known = staff.iter().find(|one| *by == MarkAuthor::Staff(one.email.clone()));
    known.map_or_else(|| by.name().to_owned(), |one| one.name.clone())
}

fn mark(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    which: AppointmentId,
    end: VisitEnd,
    by: &Actor,
    now: Timestamp,
) -> Answer<VisitView> {
    for _attempt in 0..ATTEMPTS {
        let scene = granted!(read(tx, id, which, by)?);
        let decided = if is_on(Bug::MarkNotCompared) {
            let unmarked = AppointmentStatus::Confirmed;
            Appointment { status: unmarked, mark: None, ..scene.appointment.clone() }.decide_mark(end, &scene.by, now)
        } else {
            scene.appointment.decide_mark(end, &scene.by, now)
        };
        let from = match decided {
            Ok(MarkDecision::Change { from }) => from,
            Ok(MarkDecision::Unchanged) => {
                let shown = scene.shown.clone();
                return Ok(Ok(scene.answer(shown, false)));
            }
            Err(refusal) => {
                return Ok(Err(VisitRefusal::of_mark(which, refusal, &scene.zone, |mark| scene.given(mark))));
            }
        };
        let mark = VisitMark { by: scene.by.clone(), at: now, from };
        if !visit_mark::set(tx, id, &scene.appointment, end, &mark)? {
            continue;
        }
        let (event, action) = match end {
            VisitEnd::Completed => ("appointment_completed", "appointment.complete"),
            VisitEnd::NoShow => ("appointment_no_show", "appointment.no_show"),
            VisitEnd::Cancelled => ("appointment_cancelled", "appointment.cancel"),
        };
        let after = AppointmentView { status: end.status(), mark: Some(mark), ..scene.shown.clone() };
        record(tx, id, &scene, (event, action), &after, now)?;
        return Ok(Ok(scene.answer(after, true)));
    }
    Ok(Err(VisitRefusal::ChangedMeanwhile { id: which }))
}

fn undo(tx: &mut Tx<'_>, id: OrganizationId, which: AppointmentId, by: &Actor, now: Timestamp) -> Answer<VisitView> {
    for _attempt in 0..ATTEMPTS {
        let scene = granted!(read(tx, id, which, by)?);
        let to = match scene.appointment.decide_undo(now) {
            Ok(to) => to,
            Err(refusal) => return Ok(Err(VisitRefusal::of_undo(which, refusal, |mark| scene.given(mark)))),
        };
        match visit_mark::clear(tx, id, &scene.appointment, to, now)? {
            UndoWrite::ChangedMeanwhile => {}
            UndoWrite::SlotTaken => return Ok(Err(VisitRefusal::SlotTaken { id: which })),
            UndoWrite::Written => {
                // Another visit may have taken this one's place in the quota of the plan while this one was cancelled.
                let is_back = !scene.appointment.status.holds_slot();
                let full = if is_back { recheck_quota(tx, id, &scene.appointment, now)? } else { None };
                let price = full.unwrap_or(scene.shown.price);
                let after = AppointmentView { status: to, mark: None, price, ..scene.shown.clone() };
                let acts = ("appointment_mark_undone", "appointment.undo_mark");
                record(tx, id, &scene, acts, &after, now)?;
                return Ok(Ok(scene.answer(after, true)));
            }
        }
    }
    Ok(Err(VisitRefusal::ChangedMeanwhile { id: which }))
}

/// Writes the event and the row of the audit log.
fn record(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    scene: &Scene,
    (event, action): (&str, &str),
    after: &AppointmentView,
    now: Timestamp,
) -> Result<(), StoreError> {
    let values = (Some(trail::shown(&scene.shown)), trail::shown(after));
    trail::write_act(tx, id, (scene.by.name(), action, after.id), values, now)?;
    event::push(tx, id, event, &after.id.to_string(), "{}", now)
}
