//! What every database must do for calendars of a service outside. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::appointment::visit::{MarkAuthor, VisitEnd, VisitMark};
use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{AppointmentId, AppointmentStatus, Currency, Span};
use balcao_store::scheduling::calendar_conflict::FoundConflict;
use balcao_store::scheduling::calendar_crash::{self, SetAside};
use balcao_store::scheduling::calendar_event::{CalendarEvent, FailedPush, KnownEvent};
use balcao_store::scheduling::calendar_link::{CalendarFailure, CalendarLink, LinkAccess, StoredChannel};
use balcao_store::scheduling::calendar_mirror::{BusyEvent, QuarantinedEvent};
use balcao_store::scheduling::{
    appointment, calendar_conflict, calendar_event, calendar_link, calendar_mirror, catalog, visit_mark,
};
use balcao_store::{Store, StoreError, Tx, ops::backlog, ops::installation};
use jiff::civil::Date;

use super::Case;
use super::delivery::{at, write};
use super::store::{World, at as appointment_at, now, world};

cases!(
    an_appointment_raises_its_event_only_where_a_calendar_is_linked_for_writing,
    a_push_is_claimed_by_one_and_a_lost_claim_writes_nothing,
    a_moved_appointment_hands_its_event_on,
    a_moved_appointment_is_opened_again_while_its_time_is_free,
    a_visit_that_is_marked_cancelled_and_comes_back_raises_its_event,
    an_event_at_which_three_programs_crashed_is_set_aside,
    a_calendar_at_which_three_programs_crashed_is_set_aside,
    a_professional_has_one_calendar_to_write_into,
    a_reading_holds_its_calendar_and_whoever_lost_it_writes_nothing,
    a_channel_finds_its_calendar_in_any_business,
    the_copy_tells_busy_time_and_how_old_it_is,
    an_event_that_cannot_be_read_is_put_aside_once,
);

pub(super) const CALENDAR: &str = "ana@calendar.example";

pub(super) fn link(world: World, calendar: &str, access: LinkAccess) -> CalendarLink {
    CalendarLink { professional: world.professional, calendar: calendar.to_owned(), access }
}

fn book(tx: &mut Tx<'_>, world: World, contact: usize, hour: i64) -> Result<AppointmentId, StoreError> {
    Ok(appointment::insert(tx, world.organization, &appointment_at(world, contact, hour), now())?.unwrap())
}

fn linked_book(tx: &mut Tx<'_>, world: World) -> Result<AppointmentId, StoreError> {
    calendar_link::link(tx, world.organization, &link(world, CALENDAR, LinkAccess::Write), now())?;
    book(tx, world, 0, 1)
}

fn known(claimed: &CalendarEvent, version: &str) -> KnownEvent {
    KnownEvent {
        calendar: CALENDAR.to_owned(),
        event: format!("{}n{}", claimed.seed, claimed.attempt),
        version: version.to_owned(),
        span: Span::of_minutes(at(3600), 60),
        marked: claimed.appointment.into(),
    }
}

pub(super) fn claimed(tx: &mut Tx<'_>, world: World, id: AppointmentId) -> Result<CalendarEvent, StoreError> {
    Ok(calendar_event::claim(tx, world.organization, id, now(), at(30))?.unwrap())
}

/// Neither without a link nor with one for reading. What was booked before is raised when the calendar is linked.
pub async fn an_appointment_raises_its_event_only_where_a_calendar_is_linked_for_writing(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let early = book(tx, ours, 0, 1)?;
        assert_eq!(calendar_event::find(tx, ours.organization, early)?, None);
        calendar_link::link(tx, ours.organization, &link(ours, CALENDAR, LinkAccess::Read), now())?;
        let second = book(tx, ours, 0, 3)?;
        assert_eq!(calendar_event::find(tx, ours.organization, second)?, None);
        calendar_link::link(tx, ours.organization, &link(ours, CALENDAR, LinkAccess::Write), now())?;
        let third = book(tx, ours, 1, 5)?;
        let raised = calendar_event::find(tx, ours.organization, third)?.unwrap();
        assert_eq!((raised.wanted, raised.pushed, raised.attempt, raised.begun), (1, 0, 1, 0));
        assert!(raised.seed.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'v').contains(&byte)), "{raised:?}");
        assert_eq!(calendar_event::raise_all(tx, ours.organization, ours.professional, now())?, 3);
        // The worker leaves a fresh change to the use case that made it.
        let due = |tx: &mut Tx<'_>, seconds, limit| calendar_event::list_due(tx, ours.organization, at(seconds), limit);
        assert_eq!(due(tx, 0, 9)?, [early, second, third]);
        appointment::cancel(tx, ours.organization, third, &MarkAuthor::Customer, at(1))?;
        assert_eq!(due(tx, 1, 9)?, [early, second]);
        assert_eq!(due(tx, 60, 2)?, [early, second]);
        calendar_event::raise_again(tx, ours.organization, third, at(2))?;
        assert_eq!(due(tx, 2, 9)?, [early, second, third]);
        assert_eq!(calendar_event::list_due(tx, theirs.organization, at(60), 9)?, []);
        assert_eq!(calendar_event::find(tx, theirs.organization, third)?, None);
        Ok(())
    })
    .await;
}

/// A change that comes during a push is not forgotten by it.
pub async fn a_push_is_claimed_by_one_and_a_lost_claim_writes_nothing(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let id = linked_book(tx, world)?;
        let first = claimed(tx, world, id)?;
        assert_eq!((first.begun, first.claim), (1, 1));
        assert_eq!(calendar_event::claim(tx, world.organization, id, at(29), at(60))?, None);
        assert_eq!(calendar_event::list_due(tx, world.organization, at(29), 9)?, []);
        let second = calendar_event::claim(tx, world.organization, id, at(30), at(60))?.unwrap();
        assert_eq!((second.begun, second.claim), (2, 2));
        assert!(!calendar_event::record_shown(tx, world.organization, &first, &known(&first, "1"))?);
        assert!(!calendar_event::record_gone(tx, world.organization, &first)?);
        assert_eq!(calendar_event::begin_anew(tx, world.organization, &first)?, None);
        let failed = |failure| FailedPush { failure, due: at(90), sent_nothing: false };
        assert!(!calendar_event::record_failure(tx, world.organization, &first, failed("late"))?);
        calendar_event::raise_again(tx, world.organization, id, at(31))?;
        assert!(calendar_event::record_shown(tx, world.organization, &second, &known(&second, "1"))?);
        let shown = calendar_event::find(tx, world.organization, id)?.unwrap();
        assert_eq!((shown.wanted, shown.pushed, shown.known.clone()), (2, 1, Some(known(&second, "1"))));
        let third = calendar_event::claim(tx, world.organization, id, at(32), at(60))?.unwrap();
        assert!(calendar_event::record_failure(tx, world.organization, &third, failed("it is down"))?);
        let failed = calendar_event::find(tx, world.organization, id)?.unwrap();
        assert_eq!((failed.tries, failed.failure.as_deref()), (1, Some("it is down")));
        assert_eq!(calendar_event::count_waiting(tx, world.organization)?, (1, Some(at(90))));
        assert_eq!(calendar_event::list_due(tx, world.organization, at(89), 9)?, []);
        let fourth = calendar_event::claim(tx, world.organization, id, at(90), at(120))?.unwrap();
        let anew = calendar_event::begin_anew(tx, world.organization, &fourth)?.unwrap();
        assert_eq!((anew.attempt, anew.begun, anew.known.clone()), (2, 1, None));
        assert!(calendar_event::record_gone(tx, world.organization, &anew)?);
        let gone = calendar_event::find(tx, world.organization, id)?.unwrap();
        assert_eq!((gone.attempt, gone.begun, gone.known.clone(), gone.tries), (3, 0, None, 0));
        let id_of_database = installation::find_id(tx)?;
        assert!(id_of_database.len() == 16 && gone.seed.contains(&format!("i{id_of_database}c")), "{}", gone.seed);
        assert_eq!(calendar_event::claim(tx, world.organization, id, at(200), at(230))?, None);
        assert_eq!(calendar_event::count_waiting(tx, world.organization)?, (0, None));
        assert!(calendar_event::adopt_late(tx, world.organization, id, &known(&anew, "9"), at(300))?);
        assert!(!calendar_event::adopt_late(tx, world.organization, id, &known(&anew, "9"), at(300))?);
        assert_eq!(calendar_event::list_due(tx, world.organization, at(300), 9)?, [id]);
        assert!(calendar_event::forget(tx, world.organization, id, at(301))?);
        assert!(!calendar_event::forget(tx, world.organization, id, at(301))?);
        let forgotten = calendar_event::find(tx, world.organization, id)?.unwrap();
        assert_eq!((forgotten.attempt, forgotten.begun, forgotten.known), (gone.attempt + 1, 0, None));
        Ok(())
    })
    .await;
}

/// Only what was moved, and only at the time that it had. The event comes back with it.
pub async fn a_moved_appointment_is_opened_again_while_its_time_is_free(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let old = linked_book(tx, world)?;
        let event = claimed(tx, world, old)?;
        calendar_event::record_shown(tx, world.organization, &event, &known(&event, "1"))?;
        assert!(!appointment::reopen(tx, world.organization, old, now())?, "it is open");
        appointment::cancel(tx, world.organization, old, &MarkAuthor::Customer, at(1))?;
        assert!(!appointment::reopen(tx, world.organization, old, now())?, "it was cancelled, and not moved");
        let new = book(tx, world, 0, 5)?;
        appointment::set_moved_to(tx, world.organization, old, new)?;
        let other = book(tx, world, 1, 1)?;
        assert!(!appointment::reopen(tx, world.organization, old, now())?, "another one has its time");
        appointment::cancel(tx, world.organization, other, &MarkAuthor::Customer, at(2))?;
        appointment::cancel(tx, world.organization, new, &MarkAuthor::Job, at(3))?;
        assert!(appointment::reopen(tx, world.organization, old, now())?);
        appointment::set_moved_to(tx, world.organization, new, old)?;
        let stands = appointment::find(tx, world.organization, old, Currency::BRL)?.unwrap();
        assert_eq!((stands.status, stands.mark, stands.moved_to), (AppointmentStatus::Confirmed, None, None));
        assert!(appointment::insert(tx, world.organization, &appointment_at(world, 1, 1), now())?.is_none());
        let shown = |tx: &mut Tx<'_>, after: i64| {
            let (id, event) = (world.organization, known(&event, "1").event);
            let count = calendar_event::count_shown(tx, id, CALENDAR, at(after))?;
            let listed = calendar_event::list_shown(tx, id, CALENDAR, at(after))?;
            assert_eq!(listed, vec![event.clone(); usize::try_from(count).unwrap()]);
            Ok::<_, StoreError>((count, calendar_event::shows(tx, id, (CALENDAR, &event), at(after))?))
        };
        assert_eq!((shown(tx, 7199)?, shown(tx, 7200)?), ((1, true), (0, false)));
        let found = FoundConflict {
            appointment: old,
            kind: ConflictKind::Deleted,
            calendar: CALENDAR.to_owned(),
            event: known(&event, "1").event,
            span: None,
            version: "1".to_owned(),
            moved_from: None,
        };
        let number = calendar_conflict::record(tx, world.organization, &found, at(4))?.id;
        assert_eq!(shown(tx, 0)?, (0, true), "staff know that it is gone");
        calendar_conflict::resolve(tx, world.organization, number, "it is back", at(5))?;
        let (calendar, span) = (found.calendar, Span::of_minutes(at(0), 1));
        let busy = BusyEvent { calendar, event: found.event, span, all_day: false, version: "1".to_owned() };
        calendar_mirror::put(tx, world.organization, &busy, 1)?;
        assert_eq!((shown(tx, 59)?, shown(tx, 60)?), ((0, true), (1, true)), "it counts in the copy");
        let back = calendar_event::find(tx, world.organization, old)?.unwrap();
        assert_eq!(back.known, Some(known(&event, "1")));
        assert!(back.wanted > back.pushed && calendar_event::find(tx, world.organization, new)?.is_none());
        Ok(())
    })
    .await;
}

/// The old appointment has none any more. To a professional without a calendar nothing goes over: the old event is to be deleted.
pub async fn a_moved_appointment_hands_its_event_on(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let old = linked_book(tx, world)?;
        let first = claimed(tx, world, old)?;
        calendar_event::record_shown(tx, world.organization, &first, &known(&first, "1"))?;
        appointment::cancel(tx, world.organization, old, &MarkAuthor::Customer, at(1))?;
        let new = book(tx, world, 0, 5)?;
        appointment::set_moved_to(tx, world.organization, old, new)?;
        assert_eq!(calendar_event::find(tx, world.organization, old)?, None);
        let moved = calendar_event::find(tx, world.organization, new)?.unwrap();
        assert_eq!((moved.seed.as_str(), moved.known.clone()), (first.seed.as_str(), Some(known(&first, "1"))));
        assert!(moved.wanted > moved.pushed && !moved.must_write);
        // The move is taken back before its push ended: the change may have arrived.
        let span = Span::of_minutes(at(5 * 3600), 30);
        calendar_event::assume_changed(tx, world.organization, new, CALENDAR, span)?;
        let assumed = calendar_event::find(tx, world.organization, new)?.unwrap();
        assert_eq!(assumed.known.as_ref().map(|known| (known.span, known.marked)), Some((span, i64::from(new.get()))));
        assert!(assumed.must_write);
        let push = claimed(tx, world, new)?;
        assert!(calendar_event::note_sent(tx, world.organization, &push, "elsewhere", at(1))?);
        let sent = calendar_event::find(tx, world.organization, new)?.unwrap().sent;
        assert_eq!(sent, Some(("elsewhere".to_owned(), at(1))));
        assert!(!calendar_event::note_sent(tx, world.organization, &first, "elsewhere", at(1))?, "its claim is lost");
        assert!(calendar_event::record_shown(tx, world.organization, &push, &known(&first, "1"))?);
        let shown = calendar_event::find(tx, world.organization, new)?.unwrap();
        assert!(shown.sent.is_none() && !shown.must_write && shown.wanted == shown.pushed);
        calendar_event::raise_to_write(tx, world.organization, new, at(1))?;
        let moved = calendar_event::find(tx, world.organization, new)?.unwrap();
        assert!(moved.must_write && moved.wanted > moved.pushed);
        calendar_event::leave(tx, world.organization, new)?;
        let left = calendar_event::find(tx, world.organization, new)?.unwrap();
        assert!(!left.must_write && left.wanted == left.pushed);
        calendar_event::raise_to_write(tx, world.organization, new, at(1))?;
        let moved = calendar_event::find(tx, world.organization, new)?.unwrap();
        assert_eq!(calendar_event::find_by_event(tx, world.organization, &known(&first, "1").event)?, Some(moved));
        assert!(calendar_link::unlink(tx, world.organization, world.professional, CALENDAR)?);
        appointment::cancel(tx, world.organization, new, &MarkAuthor::Customer, at(2))?;
        let last = book(tx, world, 0, 9)?;
        appointment::set_moved_to(tx, world.organization, new, last)?;
        let mut earlier = appointment::list_moved_into(tx, world.organization, last)?;
        earlier.sort_unstable_by_key(|(one, _)| *one);
        let span_of = |tx: &mut Tx<'_>, one| appointment::find(tx, world.organization, one, Currency::BRL);
        let expected = [old, new].map(|one| (one, span_of(tx, one).unwrap().unwrap().span));
        assert_eq!(earlier, expected);
        assert_eq!(appointment::list_moved_into(tx, world.organization, old)?, []);
        assert_eq!(calendar_event::find(tx, world.organization, last)?, None);
        let left = calendar_event::find(tx, world.organization, new)?.unwrap();
        assert!(left.known.is_some() && left.wanted > left.pushed);
        let listed = calendar_event::list_from(tx, world.organization, now(), 0, 9)?;
        assert_eq!(listed.iter().map(|one| one.appointment).collect::<Vec<_>>(), [new]);
        assert_eq!(calendar_event::list_from(tx, world.organization, at(6 * 3600), 0, 9)?, []);
        let seen = KnownEvent { version: "2".to_owned(), ..known(&first, "1") };
        assert!(calendar_event::record_seen(tx, world.organization, new, "1", &seen)?);
        assert!(!calendar_event::record_seen(tx, world.organization, new, "1", &seen)?);
        Ok(())
    })
    .await;
}

/// As staff mark it and take the mark back.
pub async fn a_visit_that_is_marked_cancelled_and_comes_back_raises_its_event(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let id = linked_book(tx, world)?;
        let wanted =
            |tx: &mut Tx<'_>| Ok::<_, StoreError>(calendar_event::find(tx, world.organization, id)?.unwrap().wanted);
        let read = |tx: &mut Tx<'_>| {
            Ok::<_, StoreError>(appointment::find(tx, world.organization, id, Currency::BRL)?.unwrap())
        };
        let (one, mark) = (read(tx)?, VisitMark { by: MarkAuthor::Job, at: at(9), from: AppointmentStatus::Confirmed });
        assert!(visit_mark::set(tx, world.organization, &one, VisitEnd::Cancelled, &mark)?);
        assert_eq!(wanted(tx)?, 2);
        let cancelled = read(tx)?;
        visit_mark::clear(tx, world.organization, &cancelled, AppointmentStatus::Confirmed, at(10))?;
        assert_eq!(wanted(tx)?, 3);
        Ok(())
    })
    .await;
}

/// Each claim counts before its push; an end of any kind takes the count back, and so does another wish of the customer.
pub async fn an_event_at_which_three_programs_crashed_is_set_aside(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let deadly = linked_book(tx, ours)?;
        let other = book(tx, ours, 1, 3)?;
        let claim = |tx: &mut Tx<'_>, id, seconds: i64| {
            calendar_event::claim(tx, ours.organization, id, at(seconds), at(seconds + 30))
        };
        for (second, crashes) in [(30, 1), (60, 2)] {
            assert_eq!(claim(tx, deadly, second)?.unwrap().crashes, crashes);
        }
        let failed = FailedPush { failure: "down", due: at(90), sent_nothing: false };
        let third = claim(tx, deadly, 90)?.unwrap();
        assert!(calendar_event::record_failure(tx, ours.organization, &third, failed)?);
        for (second, crashes) in [(120, 1), (150, 2), (180, 3)] {
            assert_eq!(calendar_crash::set_aside(tx, ours.organization, at(second))?, SetAside::default());
            assert_eq!(claim(tx, deadly, second)?.unwrap().crashes, crashes);
        }
        assert!(calendar_crash::set_aside(tx, ours.organization, at(209))?.is_empty(), "somebody may still push it");
        assert!(calendar_crash::set_aside(tx, theirs.organization, at(210))?.is_empty());
        assert_eq!(claim(tx, deadly, 210)?, None);
        let aside = SetAside { appointments: vec![deadly], calendars: Vec::new() };
        assert_eq!(calendar_crash::set_aside(tx, ours.organization, at(210))?, aside);
        assert!(calendar_crash::set_aside(tx, ours.organization, at(211))?.is_empty(), "told once");
        assert_eq!(calendar_crash::list(tx, ours.organization, 9)?, aside);
        assert_eq!(calendar_event::list_due(tx, ours.organization, at(300), 9)?, [other]);
        let counted = backlog::read(tx, at(300))?.set_aside;
        assert_eq!((counted.count, counted.since), (1, Some(at(210))));
        assert_eq!(calendar_crash::take_up(tx, theirs.organization, at(301))?, 0);
        assert_eq!(calendar_crash::take_up(tx, ours.organization, at(301))?, 1);
        assert_eq!(calendar_event::list_due(tx, ours.organization, at(301), 9)?, [other, deadly]);
        for second in [330, 360, 390] {
            claim(tx, deadly, second)?.unwrap();
        }
        assert_eq!(calendar_crash::set_aside(tx, ours.organization, at(420))?, aside);
        appointment::cancel(tx, ours.organization, deadly, &MarkAuthor::Customer, at(421))?;
        assert!(calendar_crash::list(tx, ours.organization, 9)?.is_empty());
        let cancelled = claim(tx, deadly, 450)?.unwrap();
        assert_eq!(cancelled.crashes, 1);
        assert!(calendar_event::record_gone(tx, ours.organization, &cancelled)?);
        assert_eq!(calendar_event::find(tx, ours.organization, deadly)?.unwrap().crashes, 0);
        Ok(())
    })
    .await;
}

/// It fails from then on, so that staff learn of it and an old copy offers nothing.
pub async fn a_calendar_at_which_three_programs_crashed_is_set_aside(store: &Store) {
    let ours = world(store, "a").await;
    write(store, move |tx| {
        for calendar in [CALENDAR, "b"] {
            calendar_link::link(tx, ours.organization, &link(ours, calendar, LinkAccess::Read), now())?;
        }
        let claim = |tx: &mut Tx<'_>, seconds: i64| {
            let times = (at(seconds), at(seconds + 30));
            calendar_link::claim_reading(tx, ours.organization, CALENDAR, at(900), times)
        };
        for second in [0, 30] {
            claim(tx, second)?.unwrap();
        }
        let third = claim(tx, 60)?.unwrap();
        assert_eq!(third.crashes, 3);
        assert!(calendar_link::record_reading(tx, ours.organization, &third, "t", (at(60), at(90)))?);
        for (second, crashes) in [(90, 1), (120, 2), (150, 3)] {
            assert_eq!(claim(tx, second)?.unwrap().crashes, crashes);
        }
        assert!(calendar_crash::set_aside(tx, ours.organization, at(179))?.is_empty(), "somebody may still read it");
        assert!(!calendar_link::is_set_aside(tx, ours.organization, CALENDAR, at(179))?);
        assert_eq!(claim(tx, 180)?, None);
        assert!(calendar_link::is_set_aside(tx, ours.organization, CALENDAR, at(180))?);
        let aside = SetAside { appointments: Vec::new(), calendars: vec![CALENDAR.to_owned()] };
        assert_eq!(calendar_crash::set_aside(tx, ours.organization, at(180))?, aside);
        assert!(calendar_crash::set_aside(tx, ours.organization, at(181))?.is_empty(), "told once");
        assert_eq!(calendar_crash::list(tx, ours.organization, 9)?, aside);
        let failing = backlog::read(tx, at(300))?.calendars;
        assert_eq!((failing.count, failing.since), (1, Some(at(180))));
        assert_eq!(calendar_link::list_due(tx, ours.organization, at(300), 9)?, ["b"]);
        assert_eq!(calendar_crash::take_up(tx, ours.organization, at(301))?, 1);
        assert_eq!(calendar_link::list_due(tx, ours.organization, at(301), 9)?, ["b", CALENDAR]);
        let again = claim(tx, 301)?.unwrap();
        assert!(calendar_link::record_reading(tx, ours.organization, &again, "t", (at(301), at(900)))?);
        assert_eq!(backlog::read(tx, at(302))?.calendars.count, 0);
        Ok(())
    })
    .await;
}

/// And any number to read.
pub async fn a_professional_has_one_calendar_to_write_into(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        for (calendar, access) in [("a", LinkAccess::Read), ("b", LinkAccess::Write), ("c", LinkAccess::Read)] {
            calendar_link::link(tx, ours.organization, &link(ours, calendar, access), now())?;
        }
        assert_eq!(calendar_link::list(tx, ours.organization)?.len(), 3);
        assert_eq!(calendar_link::list(tx, theirs.organization)?, []);
        let write_into = calendar_link::find_write_calendar(tx, ours.organization, ours.professional)?;
        assert_eq!(write_into.as_deref(), Some("b"));
        let always = catalog::Around { from: Date::MIN, to: Date::MAX, since: jiff::Timestamp::MIN };
        let mut clone = catalog::list_professionals(tx, ours.organization, always)?.remove(0);
        clone.name = "Bia".to_owned();
        let other = catalog::insert_professional(tx, ours.organization, &clone)?;
        // A further link has the calendar read from the beginning, and nothing else does.
        let read = |tx: &mut Tx<'_>| {
            let from = (now(), at(60));
            calendar_link::claim_reading(tx, ours.organization, "b", jiff::Timestamp::MAX, from)
        };
        let token = |tx: &mut Tx<'_>| {
            let all = calendar_link::list_calendars(tx, ours.organization)?;
            Ok::<_, StoreError>(all.into_iter().find(|one| one.calendar == "b").and_then(|one| one.token))
        };
        let claimed = read(tx)?.unwrap();
        assert!(calendar_link::record_reading(tx, ours.organization, &claimed, "t", (now(), at(900)))?);
        let under_way = read(tx)?.unwrap();
        calendar_link::link(tx, ours.organization, &link(ours, "b", LinkAccess::Write), now())?;
        assert_eq!(token(tx)?.as_deref(), Some("t"));
        let further = CalendarLink { professional: other, ..link(ours, "b", LinkAccess::Read) };
        calendar_link::link(tx, ours.organization, &further, now())?;
        assert_eq!(token(tx)?, None);
        assert!(!calendar_link::record_reading(tx, ours.organization, &under_way, "t", (now(), at(900)))?);
        assert!(calendar_link::unlink(tx, ours.organization, other, "b")?);
        assert!(!calendar_link::unlink(tx, theirs.organization, ours.professional, "b")?);
        assert!(calendar_link::unlink(tx, ours.organization, ours.professional, "a")?);
        assert!(!calendar_link::unlink(tx, ours.organization, ours.professional, "a")?);
        let left = calendar_link::list_calendars(tx, ours.organization)?;
        assert_eq!(left.iter().map(|one| one.calendar.as_str()).collect::<Vec<_>>(), ["b", "c"]);
        Ok(())
    })
    .await;
    let second = link(ours, "c", LinkAccess::Write);
    let refused = store.write(move |tx| calendar_link::link(tx, ours.organization, &second, now())).await;
    assert!(refused.is_err_and(|error: StoreError| error.is_unique_violation()));
}

/// A fresh copy is not read again, and a failure is tried again.
pub async fn a_reading_holds_its_calendar_and_whoever_lost_it_writes_nothing(store: &Store) {
    let ours = world(store, "a").await;
    write(store, move |tx| {
        calendar_link::link(tx, ours.organization, &link(ours, CALENDAR, LinkAccess::Read), now())?;
        let claim = |tx: &mut Tx<'_>, seconds: i64| {
            calendar_link::claim_reading(
                tx,
                ours.organization,
                CALENDAR,
                at(seconds - 60),
                (at(seconds), at(seconds + 30)),
            )
        };
        let first = claim(tx, 0)?.unwrap();
        assert_eq!((first.epoch, first.token.clone(), first.synced_at), (1, None, None));
        assert_eq!(claim(tx, 1)?, None);
        assert!(calendar_link::is_held(tx, ours.organization, CALENDAR, at(29))?);
        assert!(!calendar_link::is_held(tx, ours.organization, CALENDAR, at(30))?);
        let second = claim(tx, 30)?.unwrap();
        assert!(!calendar_link::lock_reading(tx, ours.organization, &first)?);
        assert!(calendar_link::begin_complete(tx, ours.organization, &first).is_err());
        assert!(!calendar_link::record_reading(tx, ours.organization, &first, "t", (at(0), at(900)))?);
        let down = (CalendarFailure::Unavailable, "no answer");
        assert!(!calendar_link::record_failure(tx, ours.organization, &first, down, (at(30), at(90)))?);
        assert!(calendar_link::lock_reading(tx, ours.organization, &second)?);
        assert_eq!(calendar_link::begin_complete(tx, ours.organization, &second)?, 1);
        assert!(calendar_link::record_failure(tx, ours.organization, &second, down, (at(31), at(90)))?);
        assert!(!calendar_link::release_reading(tx, ours.organization, &first)?);
        assert!(calendar_link::release_reading(tx, ours.organization, &second)?);
        let third = claim(tx, 40)?.unwrap();
        let failure = third.failure.clone().unwrap();
        assert_eq!((failure.kind, failure.since, failure.count), (CalendarFailure::Unavailable, at(31), 1));
        assert!(calendar_link::record_failure(tx, ours.organization, &third, down, (at(41), at(90)))?);
        let failing = backlog::read(tx, at(42))?.calendars;
        assert_eq!((failing.count, failing.since), (1, Some(at(31))));
        let fourth = claim(tx, 42)?.unwrap();
        assert_eq!(fourth.failure.clone().unwrap().since, at(31));
        assert!(calendar_link::record_reading(tx, ours.organization, &fourth, "t1", (at(42), at(900)))?);
        assert_eq!(claim(tx, 43)?, None);
        let [read] = &calendar_link::list_calendars(tx, ours.organization)?[..] else { unreachable!() };
        assert_eq!(
            (read.token.as_deref(), read.synced_at, read.due_at, &read.failure),
            (Some("t1"), Some(at(42)), at(900), &None)
        );
        assert!(calendar_link::set_due(tx, ours.organization, CALENDAR, at(50))?);
        assert!(!calendar_link::set_due(tx, ours.organization, "none", at(50))?);
        assert_eq!(calendar_link::list_due(tx, ours.organization, at(49), 9)?, Vec::<String>::new());
        assert_eq!(calendar_link::list_due(tx, ours.organization, at(50), 9)?, [CALENDAR]);
        assert!(claim(tx, 200)?.is_some());
        assert_eq!(calendar_link::list_due(tx, ours.organization, at(201), 9)?, Vec::<String>::new());
        Ok(())
    })
    .await;
}

/// A call names the channel alone.
pub async fn a_channel_finds_its_calendar_in_any_business(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        for one in [ours, theirs] {
            calendar_link::link(tx, one.organization, &link(one, CALENDAR, LinkAccess::Read), now())?;
        }
        let channel = |id: &str| StoredChannel {
            id: id.to_owned(),
            hash: "h".to_owned(),
            resource: "r".to_owned(),
            ends_at: at(900),
        };
        let first = channel("c1");
        assert_eq!(calendar_link::replace_channel(tx, theirs.organization, CALENDAR, Some(&first))?, None);
        let found = calendar_link::find_by_channel(tx, "c1")?.unwrap();
        assert_eq!((found.organization, found.channel), (theirs.organization, channel("c1")));
        let second = channel("c2");
        let before = calendar_link::replace_channel(tx, theirs.organization, CALENDAR, Some(&second))?;
        assert_eq!(before, Some(channel("c1")));
        assert_eq!(calendar_link::find_by_channel(tx, "c1")?, None);
        assert_eq!(calendar_link::replace_channel(tx, theirs.organization, CALENDAR, None)?, Some(channel("c2")));
        assert_eq!(calendar_link::find_by_channel(tx, "c2")?, None);
        Ok(())
    })
    .await;
}

/// A calendar without an event in the span has one row, so that its age is known.
pub async fn the_copy_tells_busy_time_and_how_old_it_is(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        for one in [ours, theirs] {
            calendar_link::link(tx, one.organization, &link(one, CALENDAR, LinkAccess::Read), now())?;
        }
        let busy = |event: &str, hour: i64| BusyEvent {
            calendar: CALENDAR.to_owned(),
            event: event.to_owned(),
            span: Span::of_minutes(at(hour * 3600), 60),
            all_day: false,
            version: "1".to_owned(),
        };
        let span = |from: i64, to: i64| Span::new(at(from * 3600), at(to * 3600));
        let told = |tx: &mut Tx<'_>, span| {
            let all = calendar_mirror::list_outside_time(tx, ours.organization, span)?;
            assert!(all.iter().all(|one| one.professional == ours.professional && one.as_of.is_none()));
            let mut busy: Vec<_> = all.into_iter().map(|one| one.busy).collect();
            busy.sort();
            Ok::<_, StoreError>(busy)
        };
        assert_eq!(told(tx, span(0, 9))?, [None]);
        calendar_mirror::put(tx, ours.organization, &busy("e1", 1), 1)?;
        calendar_mirror::put(tx, ours.organization, &busy("e2", 3), 1)?;
        calendar_mirror::put(tx, ours.organization, &busy("e3", 5), 1)?;
        calendar_mirror::put(tx, theirs.organization, &busy("e4", 1), 1)?;
        assert_eq!(told(tx, span(0, 4))?, [Some(span(1, 2)), Some(span(3, 4))]);
        assert_eq!(told(tx, span(2, 3))?, [None]);
        calendar_mirror::put(tx, ours.organization, &busy("e2", 2), 2)?;
        assert_eq!(calendar_mirror::count(tx, ours.organization, CALENDAR, at(0))?, 3);
        assert_eq!(calendar_mirror::list_missing(tx, ours.organization, CALENDAR, 2, at(0), 9)?, ["e1", "e3"]);
        for one in ["e1", "e4"] {
            calendar_mirror::mark_found(tx, ours.organization, (CALENDAR, one), 2)?;
        }
        assert_eq!(calendar_mirror::list_missing(tx, ours.organization, CALENDAR, 2, at(0), 9)?, ["e3"]);
        assert_eq!(calendar_mirror::count_missing(tx, ours.organization, CALENDAR, 2, at(0))?, 1);
        assert_eq!(calendar_mirror::count_missing(tx, theirs.organization, CALENDAR, 2, at(0))?, 1);
        calendar_mirror::put(tx, ours.organization, &busy("e1", 1), 1)?;
        let holds = |tx: &mut Tx<'_>, world: World, event: &str, after: i64| {
            calendar_mirror::holds(tx, world.organization, (CALENDAR, event), at(after))
        };
        assert!(holds(tx, ours, "e1", 0)? && !holds(tx, ours, "e9", 0)? && !holds(tx, theirs, "e1", 0)?);
        assert!(!holds(tx, ours, "e1", 100_000)?, "it is over by then");
        let missing = calendar_mirror::list_missing(tx, ours.organization, CALENDAR, 2, at(0), 9)?;
        let count = calendar_mirror::count_missing(tx, ours.organization, CALENDAR, 2, at(0))?;
        assert_eq!(usize::try_from(count).ok(), Some(missing.len()));
        assert_eq!(missing, ["e1", "e3"]);
        calendar_mirror::remove(tx, ours.organization, CALENDAR, "e1")?;
        assert_eq!(calendar_mirror::remove_ended(tx, ours.organization, CALENDAR, at(3 * 3600))?, 1);
        assert_eq!(told(tx, span(0, 9))?, [Some(span(5, 6))]);
        let id = book(tx, ours, 0, 2)?;
        let touched = |tx: &mut Tx<'_>, from, to, after| {
            calendar_mirror::list_touched(tx, ours.organization, CALENDAR, span(from, to), now(), after, 1)
        };
        let first = (jiff::Timestamp::MIN, 0);
        assert_eq!(touched(tx, 1, 9, first)?, [(id, span(2, 3))]);
        assert_eq!(touched(tx, 3, 9, first)?, []);
        let next = book(tx, ours, 0, 4)?;
        assert_eq!(touched(tx, 1, 9, first)?, [(id, span(2, 3))]);
        assert_eq!(touched(tx, 1, 9, (span(2, 3).start, id.into()))?, [(next, span(4, 5))]);
        assert_eq!(touched(tx, 1, 9, (span(4, 5).start, next.into()))?, []);
        Ok(())
    })
    .await;
}

/// And taken back when it can be read.
pub async fn an_event_that_cannot_be_read_is_put_aside_once(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let bad = |seconds| QuarantinedEvent {
            calendar: CALENDAR.to_owned(),
            event: "e1".to_owned(),
            reason: "no start".to_owned(),
            found_at: at(seconds),
        };
        assert!(calendar_mirror::quarantine(tx, world.organization, &bad(1))?);
        assert!(!calendar_mirror::quarantine(tx, world.organization, &bad(2))?);
        assert_eq!(calendar_mirror::list_quarantined(tx, world.organization, 9)?, [bad(1)]);
        calendar_mirror::release(tx, world.organization, CALENDAR, "e1")?;
        assert_eq!(calendar_mirror::list_quarantined(tx, world.organization, 9)?, []);
        Ok(())
    })
    .await;
}
