use jiff::civil::date;
use proptest::prelude::*;

use super::*;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + minute * 60).unwrap()
}

fn span(from: i64, until: i64) -> Span {
    Span::new(at(from), at(until))
}

fn owner(organization: i64) -> EventOwner {
    EventOwner { installation: "here".to_owned(), organization }
}

fn shown() -> ShownEvent {
    ShownEvent {
        calendar: "rafa".to_owned(),
        id: "e1".to_owned(),
        version: "1".to_owned(),
        span: span(0, 30),
        mark: EventMark { owner: owner(7), appointment: 12 },
    }
}

/// The event as it was shown, under a new version.
fn seen() -> OutsideEvent {
    OutsideEvent {
        calendar: "rafa".to_owned(),
        id: "e1".to_owned(),
        version: "2".to_owned(),
        state: EventState::Busy,
        time: Some(EventTime::Timed(span(0, 30))),
        title: None,
        mark: Some(EventMark { owner: owner(7), appointment: 12 }),
        series: None,
        created_at: None,
        updated_at: None,
    }
}

fn edited(change: impl FnOnce(&mut OutsideEvent)) -> Edit {
    let mut event = seen();
    change(&mut event);
    judge_edit(&event, Some(&shown()), &owner(7))
}

fn timed(from: i64, until: i64) -> Option<EventTime> {
    Some(EventTime::Timed(span(from, until)))
}

#[test]
fn each_edit_of_an_event_of_ours_has_its_meaning() {
    use ConflictKind as K;
    let conflict = Edit::Conflict;
    let all_day = Some(EventTime::AllDay { from: date(2026, 11, 20), until: date(2026, 11, 21) });
    assert_eq!(edited(|event| event.version = "1".to_owned()), Edit::Echo);
    assert_eq!(edited(|event| event.title = Some("Corte (trazer boné)".to_owned())), Edit::Harmless);
    assert_eq!(edited(|event| event.time = timed(60, 90)), Edit::Moved { to: span(60, 90) });
    assert_eq!(edited(|event| event.time = timed(0, 20)), conflict(K::Shortened));
    assert_eq!(edited(|event| event.time = timed(0, 45)), conflict(K::Lengthened));
    assert_eq!(edited(|event| event.time = all_day), conflict(K::BecameAllDay));
    assert_eq!(edited(|event| event.state = EventState::Free), conflict(K::NoLongerBusy));
    assert_eq!(edited(|event| event.calendar = "lu".to_owned()), conflict(K::OtherCalendar));
    assert_eq!(edited(|event| event.mark = None), conflict(K::OwnerChanged));
    let other = Some(EventMark { owner: owner(7), appointment: 13 });
    assert_eq!(edited(|event| event.mark = other), conflict(K::OwnerChanged));
    assert_eq!(edited(|event| event.series = Some("s".to_owned())), conflict(K::RecurringException));
    let deleted =
        |event: &mut OutsideEvent| (event.state, event.time, event.mark) = (EventState::Cancelled, None, None);
    assert_eq!(edited(deleted), conflict(K::Deleted));
}

#[test]
fn an_instance_of_a_series_that_was_ours_is_an_exception() {
    let instance = |event: &mut OutsideEvent| {
        (event.id, event.series) = ("e1_20261120T120000Z".to_owned(), Some("e1".to_owned()));
    };
    assert_eq!(edited(instance), Edit::Conflict(ConflictKind::RecurringException));
}

#[test]
fn a_copy_names_an_appointment_that_has_its_event() {
    let copied = |event: &mut OutsideEvent| event.id = "e2".to_owned();
    assert_eq!(edited(copied), Edit::Conflict(ConflictKind::Copied));
    assert_eq!(judge_edit(&seen(), None, &owner(7)), Edit::Conflict(ConflictKind::Copied));
    let deleted = OutsideEvent { state: EventState::Cancelled, ..seen() };
    assert_eq!(judge_edit(&deleted, None, &owner(7)), Edit::Foreign, "a deleted copy is none");
    assert_eq!(judge_edit(&seen(), None, &owner(8)), Edit::Foreign, "the mark of another business");
    assert_eq!(judge_edit(&OutsideEvent { mark: None, ..seen() }, None, &owner(7)), Edit::Foreign);
}

#[test]
fn a_move_into_another_calendar_is_one_conflict_in_either_order() {
    use ConflictKind::{Deleted, OtherCalendar};
    assert_eq!(Deleted.of_one_event(OtherCalendar), OtherCalendar);
    assert_eq!(OtherCalendar.of_one_event(Deleted), OtherCalendar);
}

#[test]
fn only_a_busy_event_that_touches_an_appointment_collides_with_it() {
    let zone = TimeZone::UTC;
    let appointment = span(10, 40);
    let of = |state, time| judge_collision(&OutsideEvent { state, time, mark: None, ..seen() }, &zone, appointment);
    assert_eq!(of(EventState::Busy, timed(0, 11)), Some(ConflictKind::Collision));
    assert_eq!(of(EventState::Busy, timed(0, 10)), None, "it ends where the other begins");
    assert_eq!(of(EventState::Free, timed(0, 30)), None);
    assert_eq!(of(EventState::Cancelled, timed(0, 30)), None);
    let day = zone.to_datetime(appointment.start).date();
    let block = Some(EventTime::AllDay { from: day, until: day.tomorrow().unwrap() });
    assert_eq!(of(EventState::Busy, block), Some(ConflictKind::AllDayBlock));
}

#[test]
fn whole_days_begin_at_the_local_midnight_also_where_the_clock_changes() {
    let zone = TimeZone::get("America/New_York").unwrap();
    // On 2026-11-01 the clock goes back: that day has 25 hours.
    let day = EventTime::AllDay { from: date(2026, 11, 1), until: date(2026, 11, 2) }.span(&zone).unwrap();
    assert_eq!(day.start.duration_until(day.end).as_hours(), 25);
}

#[test]
fn each_stored_word_names_its_kind() {
    for kind in ConflictKind::ALL {
        assert_eq!(kind.as_str().parse(), Ok(kind));
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
    }
}

#[test]
fn a_large_drop_asks_and_a_few_events_do_not() {
    assert!(!is_suspicious_drop(2, 2, 30), "a calendar of two events may be emptied");
    assert!(!is_suspicious_drop(100, 30, 30));
    assert!(is_suspicious_drop(100, 31, 30));
    assert!(is_suspicious_drop(10_000, 10_000, 30));
    assert!(!is_suspicious_drop(100, 100, 100));
}

/// Zones east, west and far off, with and without clock changes, and one whose clock changes at midnight.
const ZONES: [&str; 6] =
    ["America/Sao_Paulo", "America/New_York", "Europe/Lisbon", "Pacific/Apia", "Asia/Kathmandu", "America/Santiago"];

proptest! {
    #[test]
    fn whole_days_follow_each_other_without_a_gap_in_every_zone(zone in 0usize..6, day in 0i32..1_500, days in 1i32..10) {
        let zone = TimeZone::get(ZONES[zone]).unwrap();
        let after = |days: i32| date(2025, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
        let span = |from: i32, until: i32| EventTime::AllDay { from: after(from), until: after(until) }.span(&zone).unwrap();
        let (this, next) = (span(day, day + days), span(day + days, day + days + 1));
        prop_assert_eq!(this.end, next.start);
        prop_assert_eq!(zone.to_datetime(this.start).date(), after(day));
        let last_second = this.end.checked_sub(jiff::SignedDuration::from_secs(1)).unwrap();
        prop_assert_eq!(zone.to_datetime(last_second).date(), after(day + days - 1));
    }

    #[test]
    fn an_edit_is_a_move_exactly_if_the_length_stays(from in -500i64..500, length in 5i64..200) {
        let edit = edited(|event| event.time = timed(from, from + length));
        let expected = match (from, length) {
            (0, 30) => Edit::Harmless,
            (_, 30) => Edit::Moved { to: span(from, from + 30) },
            (1.., _) | (..=-1, _) => Edit::Conflict(ConflictKind::MovedAndResized),
            (_, shorter) if shorter < 30 => Edit::Conflict(ConflictKind::Shortened),
            _ => Edit::Conflict(ConflictKind::Lengthened),
        };
        prop_assert_eq!(edit, expected);
    }

    #[test]
    fn a_smaller_drop_is_never_more_suspicious(known in 0usize..10_000, gone in 0usize..10_000, percent in 0u32..=100) {
        let gone = gone.min(known);
        if !is_suspicious_drop(known, gone, percent) {
            prop_assert!(!is_suspicious_drop(known, gone.saturating_sub(1), percent));
        }
    }
}

/// Two installations count alike; an event without an installation is ours only where its id is known.
#[test]
fn an_event_is_of_one_installation() {
    let there = EventOwner { installation: "there".to_owned(), ..owner(7) };
    let by = |owner: &EventOwner| {
        let mark = Some(EventMark { owner: owner.clone(), appointment: 12 });
        OutsideEvent { id: "other".to_owned(), mark, ..seen() }
    };
    assert_eq!(judge_edit(&by(&owner(7)), None, &owner(7)), Edit::Conflict(ConflictKind::Copied));
    assert_eq!(judge_edit(&by(&there), None, &owner(7)), Edit::Foreign);
    let unsigned = by(&EventOwner { installation: String::new(), ..owner(7) });
    assert_eq!(judge_edit(&unsigned, None, &owner(7)), Edit::Foreign);
    assert!(unsigned.clone().signed_by(&owner(7)).is_of(&owner(7)));
    assert!(!unsigned.signed_by(&owner(8)).is_of(&owner(8)) && !by(&there).signed_by(&owner(7)).is_of(&owner(7)));
}
