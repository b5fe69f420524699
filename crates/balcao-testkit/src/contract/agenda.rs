//! What every database must do for waiting lists, holds, plans and follow-ups, and when timers are due. Each function is one case, as in
//! [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use std::ops::ControlFlow;

use balcao_domain::AppointmentStatus::{Cancelled, Completed, Confirmed, NoShow, Pending};
use balcao_domain::appointment::visit::{MarkAuthor, VisitEnd, VisitMark};
use balcao_domain::subscription::{Plan, PlanPeriod};
use balcao_domain::waitlist::DayPeriod;
use balcao_domain::{AppointmentId, Currency, Money, OrganizationId, PlanId, Span};
use balcao_store::queries::report::Scope;
use balcao_store::scheduling::appointment::{self, NewAppointment};
use balcao_store::scheduling::follow_up::{self, DueFollowUp, NewFollowUp};
use balcao_store::scheduling::waitlist::{self, NewEntry, NewOffer};
use balcao_store::{
    Store, StoreError, Tx, queries::report, scheduling::catalog, scheduling::reminder, scheduling::visit_mark,
};
use jiff::Timestamp;

use super::Case;
use super::delivery::{at, write};
use super::records::{day, first};
use super::reminders::plan_reminder;
use super::store::{World, now, world};

cases!(
    whoever_waits_is_offered_what_was_freed,
    an_offer_that_nobody_took_lapses,
    follow_ups_are_counted_by_episode_and_cancelled,
    what_is_due_ends_once,
    a_hold_expires_unless_it_is_confirmed,
    appointments_on_a_plan_are_counted,
    figures_are_added_up_within_a_span_and_a_tenant,
    every_appointment_of_a_span_is_told_once_in_order,
);

fn entry(world: World, contact: usize) -> NewEntry {
    NewEntry {
        contact: *world.contacts.get(contact).unwrap(),
        date: day(),
        professional: Some(world.professional),
        service: None,
        period: Some(DayPeriod::Morning),
    }
}

/// An offer takes its entry out of the queue, keeps the time from others, and is served when it is accepted.
pub async fn whoever_waits_is_offered_what_was_freed(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let mut wait = |contact| waitlist::insert(tx, organization, &entry(world, contact), now());
        let ids = [wait(0)?, wait(1)?];
        let waiting = waitlist::waiting_for(tx, organization, day())?;
        assert_eq!(waiting.iter().map(|one| one.id).collect::<Vec<_>>(), ids);
        assert_eq!(waiting.first().unwrap().period, Some(DayPeriod::Morning));
        let span = Span::of_minutes(now(), 30);
        let [id, _] = ids;
        let [contact, other] = world.contacts;
        let offer =
            NewOffer { entry: id, contact, professional: world.professional, seat: 1, span, held_until: at(600) };
        waitlist::offer(tx, organization, &offer, now())?;
        assert_eq!(waitlist::waiting_for(tx, organization, day())?.len(), 1);
        let mut held = |contact, when| waitlist::held_for_others(tx, organization, span, contact, when);
        assert_eq!(held(Some(contact), now())?.len(), 0);
        assert_eq!(held(Some(other), now())?.len(), 1);
        assert_eq!(held(None, now())?.len(), 1);
        assert_eq!(held(None, at(600))?.len(), 0);
        waitlist::accept(tx, organization, contact, span)?;
        assert_eq!(waitlist::held_for_others(tx, organization, span, None, now())?.len(), 0);
        Ok(())
    })
    .await;
}

/// What lapsed is given once.
pub async fn an_offer_that_nobody_took_lapses(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let id = waitlist::insert(tx, organization, &entry(world, 0), now())?;
        let span = Span::of_minutes(now(), 30);
        let offer = NewOffer {
            entry: id,
            contact: first(world),
            professional: world.professional,
            seat: 2,
            span,
            held_until: at(600),
        };
        waitlist::offer(tx, organization, &offer, now())?;
        assert!(!waitlist::has_lapsed(tx, organization, at(599))?);
        assert!(waitlist::lapse(tx, organization, at(599))?.is_empty());
        assert!(waitlist::has_lapsed(tx, organization, at(600))?);
        let lapsed = waitlist::lapse(tx, organization, at(600))?;
        assert_eq!(lapsed.iter().map(|one| (one.seat, one.span)).collect::<Vec<_>>(), [(2, span)]);
        assert!(!waitlist::has_lapsed(tx, organization, at(601))?);
        assert!(waitlist::lapse(tx, organization, at(601))?.is_empty());
        Ok(())
    })
    .await;
}

/// Counted are open and sent ones; one or all can be cancelled.
pub async fn follow_ups_are_counted_by_episode_and_cancelled(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (organization, contact) = (world.organization, first(world));
        let mut plan = |episode, send_at| {
            let kind = balcao_domain::follow_up::FollowUpType::Value;
            let new = NewFollowUp { contact, kind, hint: "dica".to_owned(), send_at, episode };
            follow_up::insert(tx, organization, &new, now())
        };
        let late = plan(1, at(200))?;
        let (soon, _other) = (plan(1, at(100))?, plan(2, at(300))?);
        assert_eq!(follow_up::count_of_episode(tx, organization, contact, 1)?, 2);
        let open = follow_up::open_of_contact(tx, organization, contact)?;
        assert_eq!(open.iter().map(|one| one.id).collect::<Vec<_>>().get(..2), Some(&[soon, late][..]));
        assert_eq!(follow_up::cancel_open(tx, organization, contact, Some(late))?, 1);
        assert_eq!(follow_up::cancel_open(tx, organization, contact, Some(late))?, 0);
        assert_eq!(follow_up::count_of_episode(tx, organization, contact, 1)?, 1);
        assert_eq!(follow_up::cancel_open(tx, organization, contact, None)?, 2);
        follow_up::drop_open(tx, organization, contact)?;
        Ok(())
    })
    .await;
}

/// A confirmed hold stays. An unconfirmed hold is found when its time is over.
pub async fn a_hold_expires_unless_it_is_confirmed(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let mut hold = |contact, hour| {
            let mut new = super::store::at(world, contact, hour);
            (new.status, new.expires_at) = (Pending, Some(at(600)));
            appointment::insert(tx, organization, &new, now()).map(Option::unwrap)
        };
        let (kept, lost) = (hold(0, 10)?, hold(0, 12)?);
        assert!(appointment::confirm(tx, organization, kept)?);
        assert!(!appointment::confirm(tx, organization, kept)?);
        assert!(appointment::expired(tx, organization, at(599))?.is_empty());
        assert_eq!(appointment::expired(tx, organization, at(600))?, [lost]);
        let upcoming = |tx: &mut Tx<'_>, when| {
            let found = appointment::upcoming_of_contact(tx, organization, first(world), Currency::BRL, when)?;
            Ok::<_, StoreError>(found.into_iter().map(|one| one.id).collect::<Vec<_>>())
        };
        assert_eq!(upcoming(tx, now())?, [kept, lost]);
        assert_eq!(upcoming(tx, at(601))?, [kept]);
        let of_contact = appointment::of_contact(tx, organization, first(world), Currency::BRL)?;
        assert_eq!(of_contact.len(), 2);
        let span = Span::of_minutes(now(), 24 * 60);
        assert_eq!(appointment::occupied(tx, organization, span, at(601))?.len(), 1);
        let starting = appointment::starting_between(tx, organization, span.start, span.end, Currency::BRL)?;
        assert_eq!(starting.len(), 2);
        Ok(())
    })
    .await;
}

/// Those that start in the span and stand.
pub async fn appointments_on_a_plan_are_counted(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let plan = Plan {
            id: PlanId::try_from(1).unwrap(),
            name: "Mensal".to_owned(),
            price: Money::new(9900, Currency::BRL),
            period: PlanPeriod::Month,
            covers: Vec::new(),
            quota: None,
            benefits: Vec::new(),
            active: true,
        };
        let plan = catalog::insert_plan(tx, organization, &plan)?;
        let mut book = |hour, plan| {
            let new = NewAppointment { plan, ..super::store::at(world, 0, hour) };
            appointment::insert(tx, organization, &new, now()).map(Option::unwrap)
        };
        let (counted, cancelled) = (book(1, Some(plan))?, book(2, Some(plan))?);
        let (_without, _later) = (book(3, None)?, book(30, Some(plan))?);
        assert!(appointment::changed_since(tx, organization, first(world), at(-1))?, "they were booked");
        assert!(!appointment::changed_since(tx, organization, first(world), at(5))?);
        appointment::cancel(tx, organization, cancelled, &MarkAuthor::Customer, at(9))?;
        assert!(appointment::changed_since(tx, organization, first(world), at(5))?, "one was cancelled");
        assert!(!appointment::changed_since(tx, organization, first(world), at(9))?);
        let hold = NewAppointment {
            plan: Some(plan),
            status: Pending,
            expires_at: Some(at(60)),
            ..super::store::at(world, 0, 5)
        };
        appointment::insert(tx, organization, &hold, now())?;
        let day = Span::of_minutes(now(), 24 * 60);
        let mut count = |second| appointment::count_on_plan(tx, organization, first(world), plan, day, at(second));
        assert_eq!((count(59)?, count(60)?), (2, 1), "a hold counts until it expires");
        appointment::take_off_plan(tx, organization, counted, 5_000)?;
        assert_eq!(appointment::count_on_plan(tx, organization, first(world), plan, day, at(60))?, 0);
        Ok(())
    })
    .await;
}

/// I-18: of two workers that end one due timer, only the first finds it open.
pub async fn what_is_due_ends_once(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (organization, contact) = (world.organization, first(world));
        let booked = appointment::insert(tx, organization, &super::store::at(world, 0, 10), now())?.unwrap();
        let (early, late) = (
            plan_reminder(tx, organization, booked, (20, at(10)))?,
            plan_reminder(tx, organization, booked, (10, at(20)))?,
        );
        assert_eq!(reminder::due(tx, at(9), 10)?, []);
        let due = reminder::due(tx, at(20), 10)?;
        assert_eq!(
            due.iter().map(|one| (one.id, one.appointment)).collect::<Vec<_>>(),
            [(early, booked), (late, booked)]
        );
        assert!(!reminder::move_to(tx, organization, early, at(20))?, "there is one at that instant");
        assert!(reminder::move_to(tx, organization, early, at(30))?);
        assert!(reminder::end(tx, organization, early, true)?);
        assert!(!reminder::end(tx, organization, early, true)?);
        assert!(!reminder::move_to(tx, organization, early, at(40))?);
        assert!(reminder::end(tx, organization, late, false)?);
        assert_eq!(reminder::due(tx, at(100), 10)?, []);

        let kind = balcao_domain::follow_up::FollowUpType::Value;
        let new = NewFollowUp { contact, kind, hint: "dica".to_owned(), send_at: at(10), episode: 1 };
        let id = follow_up::insert(tx, organization, &new, now())?;
        assert_eq!(follow_up::take_due(tx, at(9), at(12))?, None);
        let taken = follow_up::take_due(tx, at(10), at(12))?.unwrap();
        let DueFollowUp { organization: whose, follow_up: found, tries } = taken;
        assert_eq!((whose, found.id, found.hint.as_str(), tries), (organization, id, "dica", 1));
        assert_eq!(follow_up::take_due(tx, at(11), at(13))?, None, "somebody has it in hand");
        assert_eq!(follow_up::take_due(tx, at(12), at(14))?.map(|one| one.tries), Some(2));
        assert!(follow_up::move_to(tx, organization, id, at(20))?);
        assert_eq!(follow_up::take_due(tx, at(19), at(21))?, None);
        assert_eq!(follow_up::take_due(tx, at(20), at(22))?.map(|one| one.tries), Some(3));
        assert!(follow_up::end(tx, organization, id, true)?);
        assert!(!follow_up::end(tx, organization, id, false)?);
        assert!(!follow_up::move_to(tx, organization, id, at(30))?);
        Ok(())
    })
    .await;
}

/// By status, with their prices; who missed most stands first.
pub async fn figures_are_added_up_within_a_span_and_a_tenant(store: &Store) {
    let (world, other) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = world.organization;
        let (completed, missed, cancelled) = (VisitEnd::Completed, VisitEnd::NoShow, VisitEnd::Cancelled);
        let ends =
            [(0, 8, completed), (0, 9, missed), (1, 10, missed), (1, 11, cancelled), (1, 12, missed), (0, 20, missed)];
        for (contact, hour, end) in ends {
            let new = NewAppointment { status: Confirmed, ..super::store::at(world, contact, hour) };
            let id = appointment::insert(tx, organization, &new, now())?.unwrap();
            end_as(tx, organization, id, end)?;
        }
        // The other tenant has one kept and one missed.
        let theirs = super::store::at(other, 0, 9);
        appointment::insert(tx, other.organization, &theirs, now())?;
        let missed = NewAppointment { status: Confirmed, ..super::store::at(other, 1, 10) };
        let missed = appointment::insert(tx, other.organization, &missed, now())?.unwrap();
        end_as(tx, other.organization, missed, VisitEnd::NoShow)?;
        let (from, to) = (super::store::at(world, 0, 8).span.start, super::store::at(world, 0, 20).span.start);
        let scope = Scope { from, to, of: None };
        let middle = super::store::at(world, 0, 11).span.start;
        let totals = report::totals(tx, organization, scope, middle)?;
        let told: Vec<_> =
            totals.iter().map(|one| (one.status, one.count, one.cents / theirs.price_cents, one.begun)).collect();
        assert_eq!(told, [(Cancelled, 1, 1, 0), (Completed, 1, 1, 1), (NoShow, 3, 3, 2)]);
        // A move leaves a cancelled appointment, which is counted at its new time alone.
        let [_, mover] = world.contacts;
        let [old, new] = [13, 14].map(|hour| NewAppointment {
            contact: mover,
            status: Confirmed,
            ..super::store::at(world, 1, hour)
        });
        let old = appointment::insert(tx, organization, &old, now())?.unwrap();
        let new = appointment::insert(tx, organization, &new, now())?.unwrap();
        appointment::cancel(tx, organization, old, &MarkAuthor::Operator, now())?;
        appointment::set_moved_to(tx, organization, old, new)?;
        appointment::cancel(tx, organization, new, &MarkAuthor::Operator, now())?;
        let cancelled = report::totals(tx, organization, scope, middle)?;
        assert_eq!(cancelled.first().map(|one| (one.status, one.count)), Some((Cancelled, 2)));
        appointment::set_moved_to(tx, organization, new, old)?;
        assert!(appointment::set_moved_to(tx, other.organization, old, new).is_err());
        assert!(report::totals(tx, organization, Scope { from: to, ..scope }, middle)?.is_empty());
        assert_eq!(report::totals(tx, organization, Scope { of: Some(world.professional), ..scope }, middle)?, totals);
        let nobody = Scope { of: Some(other.professional), ..scope };
        assert!(report::totals(tx, organization, nobody, middle)?.is_empty());
        let missed = report::missed(tx, organization, scope, 5)?;
        let told: Vec<_> = missed.iter().map(|one| (one.contact, one.no_shows, one.completed)).collect();
        let [first, second] = world.contacts;
        assert_eq!(told, [(second, 2, 0), (first, 1, 1)]);
        assert_eq!(report::missed(tx, organization, scope, 1)?.len(), 1);
        assert!(report::missed(tx, organization, nobody, 1)?.is_empty());
        let foreign = report::missed(tx, other.organization, scope, 5)?;
        let foreign: Vec<_> = foreign.iter().map(|one| (one.contact, one.no_shows, one.completed)).collect();
        assert_eq!(foreign, [(*other.contacts.last().unwrap(), 1, 0)]);
        Ok(())
    })
    .await;
}

/// Marks a confirmed appointment.
fn end_as(tx: &mut Tx<'_>, organization: OrganizationId, id: AppointmentId, end: VisitEnd) -> Result<(), StoreError> {
    let open = appointment::find(tx, organization, id, Currency::BRL)?.unwrap();
    let mark = VisitMark { by: MarkAuthor::Operator, at: now(), from: Confirmed };
    assert!(visit_mark::set(tx, organization, &open, end, &mark)?);
    Ok(())
}

fn booked(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    scope: Scope,
) -> Result<Vec<(Timestamp, AppointmentId)>, StoreError> {
    let mut told = Vec::new();
    report::each_booked(tx, organization, scope, |one| {
        told.push((one.starts_at, one.id));
        ControlFlow::Continue(())
    })?;
    Ok(told)
}

/// However many there are, and also where several start at once.
pub async fn every_appointment_of_a_span_is_told_once_in_order(store: &Store) {
    let (world, other) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = world.organization;
        // Another tenant's, at the same time as some of these.
        let span = Span::of_minutes(at(600), 1);
        let theirs = NewAppointment { span, occupied: span, ..super::store::at(other, 0, 9) };
        let theirs = appointment::insert(tx, other.organization, &theirs, now())?.unwrap();
        for number in 0..1_205 {
            // Three of them at each start.
            let span = Span::of_minutes(at(number / 3 * 300), 1);
            let [contact, _] = world.contacts;
            let new = NewAppointment {
                contact,
                capacity: 3,
                span,
                occupied: span,
                attendee: Some(format!("nº {number}")),
                ..super::store::at(world, 0, 9)
            };
            appointment::insert(tx, organization, &new, now())?.unwrap();
        }
        let all = Scope { from: at(0), to: at(402 * 300), of: None };
        let told = booked(tx, organization, all)?;
        assert_eq!(told.len(), 1_205);
        assert!(told.is_sorted());
        assert_eq!(booked(tx, other.organization, all)?, [(at(600), theirs)]);
        assert_eq!(booked(tx, organization, Scope { of: Some(other.professional), ..all })?, []);
        let mut few = Vec::new();
        report::each_booked(tx, organization, Scope { from: at(300), of: Some(world.professional), ..all }, |one| {
            few.push((one.client, one.professional, one.ends_at > one.starts_at));
            if few.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        assert_eq!(few.first(), Some(&(Some("nº 3".to_owned()), world.professional, true)));
        assert_eq!(few.len(), 2);
        Ok(())
    })
    .await;
}
