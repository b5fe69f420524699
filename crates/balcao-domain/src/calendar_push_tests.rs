use jiff::Timestamp;

use super::*;
use crate::outside_event::ConflictKind;

fn span(hour: i64) -> Span {
    Span::of_minutes(Timestamp::from_second(hour * 3600).unwrap(), 30)
}

fn owner(organization: i64) -> EventOwner {
    EventOwner { installation: "here".to_owned(), organization }
}

fn mark(appointment: i64) -> EventMark {
    EventMark { owner: owner(1), appointment }
}

fn wanted(calendar: &str, hour: i64) -> WantedEvent {
    WantedEvent { calendar: calendar.to_owned(), span: span(hour), mark: mark(7) }
}

fn shown(calendar: &str, hour: i64) -> ShownEvent {
    ShownEvent {
        calendar: calendar.to_owned(),
        id: "e".to_owned(),
        version: "1".to_owned(),
        span: span(hour),
        mark: mark(7),
    }
}

fn event(id: &str, hour: i64, made: i64) -> OutsideEvent {
    OutsideEvent {
        calendar: "a".to_owned(),
        id: id.to_owned(),
        version: "2".to_owned(),
        state: EventState::Busy,
        time: Some(EventTime::Timed(span(hour))),
        title: None,
        mark: None,
        series: None,
        created_at: Some(Timestamp::from_second(made).unwrap()),
        updated_at: None,
    }
}

#[test]
fn every_state_has_its_next_step() {
    let (at_ten, at_noon) = (wanted("a", 10), shown("a", 12));
    let cases = [
        (None, None, false, PushStep::Done),
        (None, None, true, PushStep::LookUp),
        (Some(&at_ten), None, true, PushStep::LookUp),
        (Some(&at_ten), None, false, PushStep::Insert),
        (None, Some(&at_noon), false, PushStep::Delete),
        (Some(&at_ten), Some(&at_noon), false, PushStep::Change),
    ];
    for (wanted, known, may_be_there, step) in cases {
        assert_eq!(next_step(wanted, known, may_be_there), step, "{wanted:?} {known:?} {may_be_there}");
    }
    assert_eq!(next_step(Some(&at_ten), Some(&shown("a", 10)), false), PushStep::Done);
    assert_eq!(next_step(Some(&at_ten), Some(&shown("b", 10)), false), PushStep::Transfer);
    let other = ShownEvent { mark: mark(8), ..shown("a", 10) };
    assert_eq!(next_step(Some(&at_ten), Some(&other), false), PushStep::Change);
}

#[test]
fn an_id_that_was_used_is_told_from_one_that_never_was() {
    assert_eq!(read_found(None, &owner(1)), FoundEvent::Absent);
    let deleted = OutsideEvent { state: EventState::Cancelled, time: None, ..event("e", 10, 0) };
    assert_eq!(read_found(Some(&deleted), &owner(1)), FoundEvent::Used);
    assert_eq!(read_found(Some(&event("e", 10, 0)), &owner(1)), FoundEvent::Foreign);
    let ours = OutsideEvent { mark: Some(mark(7)), ..event("e", 10, 0) };
    assert_eq!(
        read_found(Some(&ours), &owner(1)),
        FoundEvent::Ours(ShownEvent { version: "2".to_owned(), ..shown("a", 10) })
    );
    assert_eq!(read_found(Some(&ours), &owner(2)), FoundEvent::Foreign);
}

#[test]
fn a_person_who_moved_the_event_is_not_overwritten() {
    let ours = |hour| OutsideEvent { mark: Some(mark(7)), ..event("e", hour, 0) };
    let new = |hour| ChangedEvent::GoOn(ShownEvent { version: "2".to_owned(), ..shown("a", hour) });
    let (known, to) = (shown("a", 10), wanted("a", 15));
    assert_eq!(judge_changed(Some(&ours(10)), Some(&to), &known, &[]), new(10));
    assert_eq!(judge_changed(Some(&ours(15)), Some(&to), &known, &[]), new(15));
    assert_eq!(
        judge_changed(Some(&ours(11)), Some(&to), &known, &[]),
        ChangedEvent::Conflict(ConflictKind::RefusedMove)
    );
    assert_eq!(judge_changed(None, Some(&to), &known, &[]), ChangedEvent::Conflict(ConflictKind::Deleted));
    assert_eq!(judge_changed(Some(&ours(11)), None, &known, &[]), new(11));
    assert_eq!(judge_changed(None, None, &known, &[]), ChangedEvent::Gone);
    let stripped = OutsideEvent { mark: None, ..ours(10) };
    assert_eq!(
        judge_changed(Some(&stripped), Some(&to), &known, &[]),
        ChangedEvent::Conflict(ConflictKind::OwnerChanged)
    );
    let freed = OutsideEvent { state: EventState::Free, ..ours(15) };
    assert_eq!(judge_changed(Some(&freed), Some(&to), &known, &[]), ChangedEvent::Conflict(ConflictKind::NoLongerBusy));
}

#[test]
fn only_what_a_push_wrote_under_a_number_is_not_taken_for_an_edit() {
    let (known, to) = (shown("a", 10), WantedEvent { mark: mark(9), ..wanted("a", 15) });
    let judge = |number, hour| {
        let found = OutsideEvent { mark: Some(mark(number)), ..event("e", hour, 0) };
        judge_changed(Some(&found), Some(&to), &known, &[(8, span(12)), (6, span(11))])
    };
    for (number, hour) in [(7, 10), (8, 12), (9, 15), (7, 15), (8, 15)] {
        let found = ShownEvent { version: "2".to_owned(), mark: mark(number), ..shown("a", hour) };
        assert_eq!(judge(number, hour), ChangedEvent::GoOn(found));
    }
    for (number, hour) in [(7, 12), (8, 10), (9, 12), (9, 10), (6, 12)] {
        assert_eq!(judge(number, hour), ChangedEvent::Conflict(ConflictKind::RefusedMove), "{number} {hour}");
    }
    for hour in [10, 12, 15] {
        assert_eq!(judge(5, hour), ChangedEvent::Conflict(ConflictKind::OwnerChanged));
    }
    let all_day = EventTime::AllDay { from: jiff::civil::date(1970, 1, 1), until: jiff::civil::date(1970, 1, 2) };
    let all_day = OutsideEvent { time: Some(all_day), mark: Some(mark(9)), ..event("e", 15, 0) };
    let judged = judge_changed(Some(&all_day), Some(&to), &known, &[]);
    assert_eq!(judged, ChangedEvent::Conflict(ConflictKind::BecameAllDay));
}

#[test]
fn event_that_a_late_request_brought_elsewhere_is_not_taken_for_an_edit() {
    let ours = |calendar: &str, hour| OutsideEvent {
        calendar: calendar.to_owned(),
        mark: Some(mark(7)),
        ..event("e", hour, 0)
    };
    let gone = |calendar: &str| OutsideEvent { state: EventState::Cancelled, time: None, ..ours(calendar, 10) };
    let known = shown("a", 10);
    for event in [ours("b", 10), gone("a")] {
        assert!(is_late_transfer(&event, &known, "b"), "{event:?}");
        assert!(!is_late_transfer(&event, &known, "a"), "{event:?}");
    }
    let edited = [
        ours("c", 10),
        ours("b", 11),
        gone("b"),
        OutsideEvent { mark: None, ..ours("b", 10) },
        OutsideEvent { state: EventState::Free, ..ours("b", 10) },
        OutsideEvent { id: "copy".to_owned(), ..ours("b", 10) },
    ];
    for event in edited {
        assert!(!is_late_transfer(&event, &known, "b"), "{event:?}");
    }
}

#[test]
fn what_a_push_left_behind_is_not_taken_for_an_edit() {
    let ours = |calendar: &str, hour| OutsideEvent {
        calendar: calendar.to_owned(),
        mark: Some(mark(7)),
        ..event("e", hour, 0)
    };
    let gone = |calendar: &str| OutsideEvent { state: EventState::Cancelled, time: None, ..ours(calendar, 10) };
    let (known, later, elsewhere) = (shown("a", 10), wanted("a", 15), wanted("b", 15));
    let left = [
        (ours("a", 15), Some(&later)),
        (gone("a"), None),
        (gone("a"), Some(&elsewhere)),
        (ours("b", 10), Some(&elsewhere)),
        (ours("b", 15), Some(&elsewhere)),
    ];
    for (event, wanted) in left {
        assert!(is_own_write(&event, wanted, &known), "{event:?} {wanted:?}");
    }
    let edited = [
        (ours("a", 11), Some(&later)),
        (gone("a"), Some(&later)),
        (gone("b"), Some(&elsewhere)),
        (ours("b", 11), Some(&elsewhere)),
        (ours("b", 15), Some(&later)),
        (ours("a", 15), None),
        (OutsideEvent { mark: None, ..ours("a", 15) }, Some(&later)),
        (OutsideEvent { state: EventState::Free, ..ours("a", 15) }, Some(&later)),
        (OutsideEvent { id: "copy".to_owned(), ..ours("a", 15) }, Some(&later)),
    ];
    for (event, wanted) in edited {
        assert!(!is_own_write(&event, wanted, &known), "{event:?} {wanted:?}");
    }
}

#[test]
fn of_two_events_the_earlier_one_has_the_time() {
    let zone = TimeZone::UTC;
    let ours = OutsideEvent { mark: Some(mark(7)), ..event("m", 10, 100) };
    let beaten =
        |other: OutsideEvent| find_earlier((&ours, Arrival::Made), &[other], span(10), &zone, &owner(1)).is_some();
    assert!(beaten(event("z", 10, 99)));
    assert!(!beaten(event("a", 10, 101)));
    assert!(beaten(event("a", 10, 100)) && !beaten(event("z", 10, 100)));
    // In the same second, the last change decides.
    let changed = |id: &str, at: i64| OutsideEvent { updated_at: event(id, 10, at).created_at, ..event(id, 10, 100) };
    let late = OutsideEvent { mark: Some(mark(7)), ..changed("m", 150) };
    let loses =
        |other: OutsideEvent| find_earlier((&late, Arrival::Made), &[other], span(10), &zone, &owner(1)).is_some();
    assert!(loses(changed("z", 149)) && loses(changed("a", 150)));
    assert!(!loses(changed("a", 151)) && !loses(changed("z", 150)));
    assert!(!beaten(event("a", 11, 1)), "it touches no time of ours");
    assert!(!beaten(OutsideEvent { state: EventState::Free, ..event("a", 10, 1) }));
    assert!(!beaten(OutsideEvent { mark: Some(mark(8)), ..event("a", 10, 1) }), "our own tables decide about that one");
    assert!(!beaten(ours.clone()));
    // What was moved there counts from its last change on, however old it is.
    let moved = OutsideEvent { updated_at: event("m", 10, 200).created_at, ..ours.clone() };
    let beaten =
        |other: OutsideEvent| find_earlier((&moved, Arrival::Moved), &[other], span(10), &zone, &owner(1)).is_some();
    assert!(beaten(event("z", 10, 101)) && beaten(event("a", 10, 200)) && !beaten(event("z", 10, 200)));
}

#[test]
fn waits_grow_and_are_spread() {
    for failures in 0..40 {
        let delays: Vec<u64> = (0..200).map(|seed| retry_delay_s(failures, seed, None)).collect();
        let (low, high) = (delays.iter().min().unwrap(), delays.iter().max().unwrap());
        let base = (15 * 2_u64.pow(failures.min(8))).min(3600);
        assert!(*low >= base && *high <= base + base / 4 && low < high, "{failures} {low} {high}");
    }
    assert_eq!(retry_delay_s(0, 1, Some(60_001)), 61);
    assert_eq!(retry_delay_s(0, 1, Some(31_536_000_000)), 3600, "a year is an hour");
    assert_eq!(retry_delay_s(8, 1, Some(60_000)), retry_delay_s(8, 1, None), "the longer pause");
    let polls: Vec<u64> = (0..1000).map(poll_delay_s).collect();
    assert!(polls.iter().all(|delay| (540..=900).contains(delay)));
    assert!(polls.iter().any(|delay| *delay < 600) && polls.iter().any(|delay| *delay > 840));
}
