//! What every database must do for visits: their marks, the undo of a mark, and unmarked visits. Each function is one case, as
//! in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use std::collections::BTreeSet;

use balcao_domain::AppointmentStatus::{Cancelled, Completed, Confirmed, NoShow, Pending};
use balcao_domain::appointment::visit::{MarkAuthor, VisitEnd, VisitMark};
use balcao_domain::conflict::ConflictReason;
use balcao_domain::{Appointment, AppointmentId, Currency, OrganizationId, Span};
use balcao_store::queries::pages::{self, AppointmentRange};
use balcao_store::scheduling::appointment::{self, NewAppointment};
use balcao_store::scheduling::kept_appointment;
use balcao_store::scheduling::visit_mark::{self, Batch, UndoWrite, UnmarkedScope};
use balcao_store::{Store, StoreError, Tx, ops::audit, turns::event};
use jiff::Timestamp;

use super::Case;
use super::delivery::{at, write};
use super::store::{World, now, world};

cases!(
    a_visit_is_marked_by_one_and_undone_exactly,
    a_cancelled_visit_comes_back_unless_its_time_is_taken,
    a_visit_that_nobody_marked_is_taken_up_once,
    unmarked_visits_are_completed_with_their_events_and_audit_rows,
    an_appointment_is_kept_once_for_a_reason,
);

/// Books an appointment of an hour that many hours from now.
fn book(tx: &mut Tx<'_>, world: World, contact: usize, hour: i64) -> Result<AppointmentId, StoreError> {
    Ok(appointment::insert(tx, world.organization, &super::store::at(world, contact, hour), now())?.unwrap())
}

fn read(tx: &mut Tx<'_>, organization: OrganizationId, id: AppointmentId) -> Result<Appointment, StoreError> {
    Ok(appointment::find(tx, organization, id, Currency::BRL)?.unwrap())
}

fn by(email: &str, hour: i64) -> VisitMark {
    VisitMark { by: MarkAuthor::Staff(email.to_owned()), at: at(hour * 3_600), from: Confirmed }
}

/// Of two who mark what both read as open, the first succeeds. The undo compares with the mark that it takes away.
pub async fn a_visit_is_marked_by_one_and_undone_exactly(store: &Store) {
    let (world, other) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = world.organization;
        let id = book(tx, world, 0, 1)?;
        let open = read(tx, organization, id)?;
        assert_eq!((open.status, open.mark.clone()), (Confirmed, None));
        assert!(!visit_mark::set(tx, other.organization, &open, VisitEnd::NoShow, &by("x@b", 2))?, "another's");
        assert!(visit_mark::set(tx, organization, &open, VisitEnd::NoShow, &by("davi@a", 2))?);
        assert!(!visit_mark::set(tx, organization, &open, VisitEnd::Completed, &by("iris@a", 3))?, "read before");
        let missed = read(tx, organization, id)?;
        assert_eq!((missed.status, missed.mark.clone()), (NoShow, Some(by("davi@a", 2))));
        let mut undo = |read: &Appointment, whose| visit_mark::clear(tx, whose, read, Confirmed, at(0));
        assert_eq!(undo(&missed, other.organization)?, UndoWrite::ChangedMeanwhile);
        let stale = Appointment { mark: Some(by("davi@a", 1)), ..missed.clone() };
        assert_eq!(undo(&stale, organization)?, UndoWrite::ChangedMeanwhile);
        assert_eq!(undo(&missed, organization)?, UndoWrite::Written);
        assert_eq!(undo(&missed, organization)?, UndoWrite::ChangedMeanwhile, "undone before");
        assert_eq!(read(tx, organization, id)?, open);
        // What the server assumed is replaced, and keeps the status from before both.
        let assumed = VisitMark { by: MarkAuthor::Job, ..by("", 3) };
        assert!(visit_mark::set(tx, organization, &open, VisitEnd::Completed, &assumed)?);
        let assumed = read(tx, organization, id)?;
        assert!(visit_mark::set(tx, organization, &assumed, VisitEnd::Cancelled, &by("iris@a", 4))?);
        let cancelled = read(tx, organization, id)?;
        assert_eq!((cancelled.status, cancelled.mark), (Cancelled, Some(by("iris@a", 4))));
        // Who cancels an open appointment is recorded, and the first to do so stays.
        let id = book(tx, world, 1, 3)?;
        appointment::cancel(tx, organization, id, &MarkAuthor::Customer, at(5))?;
        appointment::cancel(tx, organization, id, &MarkAuthor::Job, at(9))?;
        let mark = VisitMark { by: MarkAuthor::Customer, at: at(5), from: Confirmed };
        assert_eq!(read(tx, organization, id)?.mark, Some(mark));
        Ok(())
    })
    .await;
}

/// A visit that is marked as cancelled gives its time back, and claims it again with the undo.
pub async fn a_cancelled_visit_comes_back_unless_its_time_is_taken(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let id = book(tx, world, 0, 1)?;
        let open = read(tx, organization, id)?;
        assert!(visit_mark::set(tx, organization, &open, VisitEnd::Cancelled, &by("davi@a", 1))?);
        let cancelled = read(tx, organization, id)?;
        let taken = Span::of_minutes(at(3_600 + 1_800), 60);
        let taken = NewAppointment { span: taken, occupied: taken, ..super::store::at(world, 1, 1) };
        let taken = appointment::insert(tx, organization, &taken, now())?.unwrap();
        let mut undo = || visit_mark::clear(tx, organization, &cancelled, Confirmed, at(0));
        assert_eq!(undo()?, UndoWrite::SlotTaken);
        assert_eq!(read(tx, organization, id)?, cancelled, "nothing changed");
        appointment::cancel(tx, organization, taken, &MarkAuthor::Customer, at(1))?;
        // The contact's other appointment of the same start would stand beside it.
        let twin = NewAppointment { capacity: 2, ..super::store::at(world, 0, 1) };
        let twin = appointment::insert(tx, organization, &twin, now())?.unwrap();
        assert_eq!(visit_mark::clear(tx, organization, &cancelled, Confirmed, at(0))?, UndoWrite::SlotTaken);
        appointment::cancel(tx, organization, twin, &MarkAuthor::Customer, at(1))?;
        assert_eq!(visit_mark::clear(tx, organization, &cancelled, Confirmed, at(0))?, UndoWrite::Written);
        assert_eq!(read(tx, organization, id)?, open);
        assert!(
            appointment::insert(tx, organization, &super::store::at(world, 1, 1), now())?.is_none(),
            "claimed again"
        );
        Ok(())
    })
    .await;
}

/// The server asks about each visit once. Open, marked and later ones are not asked about.
pub async fn a_visit_that_nobody_marked_is_taken_up_once(store: &Store) {
    let (world, other) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = world.organization;
        assert_eq!(visit_mark::first_unreviewed(tx, organization)?, None);
        let (second, first, later) = (book(tx, world, 0, 3)?, book(tx, world, 1, 1)?, book(tx, world, 0, 5)?);
        let hold = NewAppointment { status: Pending, expires_at: Some(at(60)), ..super::store::at(world, 1, 7) };
        appointment::insert(tx, organization, &hold, now())?;
        book(tx, other, 0, 1)?;
        assert_eq!(visit_mark::first_unreviewed(tx, organization)?, Some(at(2 * 3_600)));
        let mut to_end = |after: i64, before: i64| {
            visit_mark::is_any_to_end(tx, organization, at(after * 3_600), at(before * 3_600))
        };
        assert!(to_end(4, 6)?);
        assert!(!to_end(4, 5)?, "the next one starts on the day after");
        assert!(!to_end(6, 24)?);
        let mut take = |hour: i64, limit| {
            let taken = visit_mark::take_up(tx, organization, at(hour * 3_600), limit, at(0))?;
            Ok::<_, StoreError>(taken.into_iter().map(|one| one.id).collect::<Vec<_>>())
        };
        assert_eq!(take(1, 10)?, []);
        assert_eq!(take(5, 1)?, [first]);
        assert_eq!(take(5, 10)?, [second]);
        assert_eq!(take(5, 10)?, []);
        assert_eq!(visit_mark::first_unreviewed(tx, organization)?, Some(at(6 * 3_600)));
        // They stay on the list of unmarked visits.
        let range = AppointmentRange { from: at(0), to: at(99_999), after: None, unmarked_at: Some(at(5 * 3_600)) };
        let listed = pages::appointments(tx, organization, &range, Currency::BRL, 10)?;
        assert_eq!(listed.iter().map(|one| one.id).collect::<Vec<_>>(), [first, second]);
        let open = read(tx, organization, later)?;
        assert!(visit_mark::set(tx, organization, &open, VisitEnd::Completed, &by("davi@a", 6))?);
        assert_eq!(visit_mark::take_up(tx, organization, at(99_999), 10, at(0))?, []);
        Ok(())
    })
    .await;
}

/// In batches, each visit with one event and one row of the audit log.
pub async fn unmarked_visits_are_completed_with_their_events_and_audit_rows(store: &Store) {
    let (world, other) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = world.organization;
        let mut booked = Vec::new();
        for number in 0..120 {
            let span = Span::of_minutes(at(number * 300), 5);
            let new = NewAppointment { span, occupied: span, ..super::store::at(world, 0, 1) };
            booked.push(appointment::insert(tx, organization, &new, now())?.unwrap());
        }
        let theirs = book(tx, other, 0, 1)?;
        // The first was asked about; only a batch by day takes it.
        assert_eq!(visit_mark::take_up(tx, organization, at(300), 1, at(0))?.len(), 1);
        let (all, job) = (at(1_000_000), MarkAuthor::Job);
        let mut complete = |scope, limit, by: &MarkAuthor| {
            visit_mark::complete_unmarked(tx, organization, scope, Batch { ended_by: all, limit }, by, at(7))
        };
        assert_eq!(complete(UnmarkedScope::NotTakenUp, 110, &job)?, 110);
        assert_eq!(complete(UnmarkedScope::NotTakenUp, 110, &job)?, 9);
        assert_eq!(complete(UnmarkedScope::NotTakenUp, 110, &job)?, 0);
        let staff = MarkAuthor::Staff("davi@a".to_owned());
        let before = Span::new(at(-600), at(0));
        assert_eq!(complete(UnmarkedScope::StartedIn(before), 10, &staff)?, 0);
        assert_eq!(complete(UnmarkedScope::StartedIn(Span::new(at(0), at(600))), 10, &staff)?, 1);
        let (first, last) = (*booked.first().unwrap(), *booked.last().unwrap());
        for (id, by) in [(first, staff), (last, job)] {
            let one = read(tx, organization, id)?;
            let mark = VisitMark { by: by.clone(), at: at(7), from: Confirmed };
            assert_eq!((one.status, one.mark), (Completed, Some(mark)));
            let acts = audit::of_subject(tx, organization, &id.to_string())?;
            assert_eq!(acts.len(), 1);
            let act = acts.first().unwrap();
            assert_eq!((act.actor.as_str(), act.action.as_str()), (by.name(), "appointment.complete"));
            assert_eq!(act.before.as_deref(), Some(r#"{"status":"confirmed"}"#));
        }
        let mut told: Vec<String> = event::waiting(tx, 500)?.into_iter().map(|one| one.subject).collect();
        told.sort_unstable();
        let mut expected: Vec<String> = booked.iter().map(ToString::to_string).collect();
        expected.sort_unstable();
        assert_eq!(told, expected);
        assert_eq!(read(tx, other.organization, theirs)?.status, Confirmed);
        Ok(())
    })
    .await;
}

/// For one reason once; another reason is news. What ended is not kept.
pub async fn an_appointment_is_kept_once_for_a_reason(store: &Store) {
    let (ours, other) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = ours.organization;
        let id = appointment::insert(tx, organization, &super::store::at(ours, 0, 10), now())?.unwrap();
        let keep = |tx: &mut Tx<'_>, whose, reason| {
            kept_appointment::record(tx, whose, id, reason, &by("iris@a", 1).by, at(1))
        };
        assert!(!keep(tx, other.organization, ConflictReason::TimeOff)?, "another's");
        assert!(keep(tx, organization, ConflictReason::TimeOff)?);
        assert!(!keep(tx, organization, ConflictReason::TimeOff)?);
        assert!(keep(tx, organization, ConflictReason::BusinessClosed)?);
        let kept = |tx: &mut Tx<'_>, whose| kept_appointment::list_from(tx, whose, now());
        let both = [ConflictReason::TimeOff, ConflictReason::BusinessClosed].into();
        assert_eq!(kept(tx, organization)?, [(id, both)].into());
        kept_appointment::forget(tx, other.organization, id, ConflictReason::TimeOff)?;
        assert_eq!(kept(tx, organization)?.get(&id).map(BTreeSet::len), Some(2), "another's");
        kept_appointment::forget(tx, organization, id, ConflictReason::TimeOff)?;
        assert_eq!(kept(tx, organization)?, [(id, [ConflictReason::BusinessClosed].into())].into());
        assert_eq!(kept(tx, other.organization)?, [].into());
        assert_eq!(kept_appointment::list_from(tx, organization, Timestamp::MAX)?, [].into());
        appointment::cancel(tx, organization, id, &MarkAuthor::Operator, at(2))?;
        assert!(!keep(tx, organization, ConflictReason::NotWorking)?);
        Ok(())
    })
    .await;
}
