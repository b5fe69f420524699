use AppointmentStatus::{Cancelled, Completed, Confirmed, NoShow, Pending};
use proptest::prelude::*;

use super::*;
use crate::{AppointmentId, ContactId, Currency, Money, ProfessionalId, Span};

/// The start of every appointment here, in minutes.
const START: i64 = 10_000;

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(1_795_000_000 + minute * 60).unwrap()
}

fn appointment(status: AppointmentStatus, mark: Option<VisitMark>) -> Appointment {
    let span = Span::of_minutes(at(START), 30);
    Appointment {
        id: AppointmentId::try_from(1).unwrap(),
        contact: ContactId::try_from(1).unwrap(),
        professional: ProfessionalId::try_from(1).unwrap(),
        service: None,
        service_name: "Corte".to_owned(),
        span,
        occupied: span,
        seat: 1,
        status,
        price: Money::new(4500, Currency::BRL),
        plan: None,
        attendee: None,
        source: "agent".to_owned(),
        holds_until: None,
        mark,
        moved_to: None,
    }
}

fn staff() -> MarkAuthor {
    MarkAuthor::Staff("davi@figueira.example".to_owned())
}

fn mark(by: MarkAuthor, minute: i64, from: AppointmentStatus) -> Option<VisitMark> {
    Some(VisitMark { by, at: at(minute), from })
}

/// The visit as it is after a decision.
fn marked(before: &Appointment, end: VisitEnd, by: &MarkAuthor, now: Timestamp) -> Appointment {
    let mut after = before.clone();
    if let Ok(MarkDecision::Change { from }) = before.decide_mark(end, by, now) {
        after.status = end.status();
        after.mark = Some(VisitMark { by: by.clone(), at: now, from });
    }
    after
}

#[test]
fn open_visit_is_marked_from_its_start_on() {
    for status in [Pending, Confirmed] {
        let open = appointment(status, None);
        for end in VisitEnd::ALL {
            let early = open.decide_mark(end, &staff(), at(START - 1));
            assert_eq!(early, Err(MarkRefusal::NotBegun { starts_at: at(START) }));
            assert_eq!(open.decide_mark(end, &staff(), at(START)), Ok(MarkDecision::Change { from: status }));
        }
    }
}

#[test]
fn expired_hold_is_no_visit() {
    let hold = Appointment { holds_until: Some(at(START + 5)), ..appointment(Pending, None) };
    let mark_at = |minute| hold.decide_mark(VisitEnd::Completed, &staff(), at(minute));
    assert_eq!(mark_at(START + 4), Ok(MarkDecision::Change { from: Pending }));
    assert_eq!(mark_at(START + 5), Err(MarkRefusal::HoldExpired));
}

#[test]
fn second_mark_is_unchanged_or_refused_with_the_first() {
    let authors = [MarkAuthor::Customer, staff(), MarkAuthor::Operator, MarkAuthor::Program("api:key_1".to_owned())];
    for first in VisitEnd::ALL {
        for by in authors.clone() {
            let given = mark(by, START + 40, Confirmed);
            let visit = appointment(first.status(), given.clone());
            for second in VisitEnd::ALL {
                let expected = if first == second {
                    Ok(MarkDecision::Unchanged)
                } else {
                    let undo = visit.decide_undo(at(START + 50)).err();
                    Err(MarkRefusal::MarkedBefore { end: first, mark: given.clone(), undo })
                };
                for next in authors.iter().chain([&MarkAuthor::Job]) {
                    assert_eq!(visit.decide_mark(second, next, at(START + 50)), expected, "{first} then {second}");
                }
            }
        }
    }
}

#[test]
fn person_replaces_what_the_server_assumed_within_a_day() {
    let assumed = appointment(Completed, mark(MarkAuthor::Job, START + 90, Confirmed));
    let missed = |by: &MarkAuthor, minute| assumed.decide_mark(VisitEnd::NoShow, by, at(minute));
    assert_eq!(missed(&staff(), START + 91), Ok(MarkDecision::Change { from: Confirmed }));
    assert!(missed(&MarkAuthor::Job, START + 91).is_err());
    assert!(missed(&staff(), START + 90 + 24 * 60).is_err(), "after a day");
    let expired = appointment(Cancelled, mark(MarkAuthor::Job, START - 90, Pending));
    assert!(expired.decide_mark(VisitEnd::Completed, &staff(), at(START + 91)).is_err(), "its time is another's");
}

#[test]
fn undo_restores_the_status_within_a_day() {
    let visit = appointment(NoShow, mark(staff(), START + 40, Pending));
    assert_eq!(visit.decide_undo(at(START + 40 + 24 * 60 - 1)), Ok(Pending));
    let late = visit.decide_undo(at(START + 40 + 24 * 60));
    assert_eq!(late, Err(UndoRefusal::TooLate { mark: visit.mark.clone().unwrap() }));
    assert_eq!(appointment(Confirmed, None).decide_undo(at(START)), Err(UndoRefusal::NotMarked));
    assert_eq!(appointment(Completed, None).decide_undo(at(START)), Err(UndoRefusal::NoRecord));
    let cancelled = |minute| appointment(Cancelled, mark(staff(), minute, Confirmed)).decide_undo(at(START + 60));
    assert_eq!(cancelled(START - 1), Err(UndoRefusal::CancelledBefore));
    assert_eq!(cancelled(START), Ok(Confirmed));
}

#[test]
fn author_is_read_as_it_is_written() {
    let program = MarkAuthor::Program("api:key_3".to_owned());
    for author in [MarkAuthor::Customer, staff(), MarkAuthor::Operator, program, MarkAuthor::Job] {
        let Ok(read) = author.to_string().parse::<MarkAuthor>();
        assert_eq!(read, author);
    }
    assert_eq!(staff().to_string(), "staff:davi@figueira.example");
    assert_eq!(staff().name(), "davi@figueira.example");
}

#[test]
fn questions_wait_for_the_end_of_the_day_and_assumptions_do_not() {
    let until = |rule: UnmarkedVisits, is_day_over| rule.reviewed_until(at(1_000), at(600), is_day_over);
    assert_eq!(until(UnmarkedVisits::Complete, false), at(940));
    assert_eq!(until(UnmarkedVisits::Ask, true), at(940));
    assert_eq!(until(UnmarkedVisits::Ask, false), at(600));
    // In the first hour of a day the last visits of the day before still have time.
    assert_eq!(UnmarkedVisits::Ask.reviewed_until(at(1_000), at(970), false), at(940));
}

fn any_end() -> impl Strategy<Value = VisitEnd> {
    prop::sample::select(VisitEnd::ALL.to_vec())
}

fn any_author() -> impl Strategy<Value = MarkAuthor> {
    prop::sample::select(vec![MarkAuthor::Customer, staff(), MarkAuthor::Operator, MarkAuthor::Job])
}

proptest! {
    /// However often staff mark it, an ended visit keeps the status of before the first mark, and an undo in time restores it.
    #[test]
    fn undo_after_any_marks_is_exact(
        pending in any::<bool>(),
        acts in prop::collection::vec((any_end(), any_author(), 0_i64..3_000), 1..12),
    ) {
        let first = appointment(if pending { Pending } else { Confirmed }, None);
        let mut acts = acts;
        acts.sort_by_key(|(_, _, minute)| *minute);
        let mut visit = first.clone();
        for (end, by, minute) in acts {
            let now = at(START + minute);
            let after = marked(&visit, end, &by, now);
            prop_assert!(!after.status.is_open());
            prop_assert_eq!(after.mark.as_ref().map(|mark| mark.from), Some(first.status));
            if visit.mark.as_ref().is_some_and(|mark| mark.by.is_person()) {
                prop_assert_eq!(&after, &visit, "a person's mark is never overwritten");
            }
            // The same mark again changes nothing.
            prop_assert_eq!(&marked(&after, end, &by, now), &after);
            prop_assert_eq!(after.decide_undo(after.mark.as_ref().unwrap().at), Ok(first.status));
            visit = after;
        }
    }

    /// Before its start nothing marks a visit; after a day nothing undoes a mark.
    #[test]
    fn limits_of_time_hold(end in any_end(), by in any_author(), early in 1_i64..10_000, late in 0_i64..10_000) {
        let open = appointment(Confirmed, None);
        prop_assert_eq!(&marked(&open, end, &by, at(START - early)), &open);
        let ended = marked(&open, end, &by, at(START));
        prop_assert!(ended.decide_undo(at(START + 24 * 60 + late)).is_err());
        prop_assert!(ended.decide_undo(at(START + (24 * 60 - 1).min(late))).is_ok());
    }

    /// A visit is taken up at the earliest an hour after its end, whatever the rule.
    #[test]
    fn staff_have_an_hour(now in 0_i64..100_000, today in 0_i64..100_000, over in any::<bool>()) {
        for rule in [UnmarkedVisits::Ask, UnmarkedVisits::Complete] {
            prop_assert!(rule.reviewed_until(at(now), at(today), over) <= at(now - 60));
        }
    }
}
