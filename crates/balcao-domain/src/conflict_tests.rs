use std::collections::BTreeMap;

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;

use super::{ConflictReason, find_conflicts};
use crate::hours::{DayException, Hours, Period, WeeklyHours};
use crate::professional::{Notify, Professional};
use crate::time_off::TimeOff;
use crate::{ProfessionalId, Span, TimeOffId};

fn zone() -> TimeZone {
    TimeZone::get("America/Sao_Paulo").unwrap()
}

fn span(from: &str, to: &str) -> Span {
    let at = |text: &str| zone().to_timestamp(text.parse().unwrap()).unwrap();
    Span::new(at(from), at(to))
}

/// Open on Wednesdays in these minutes.
fn wednesdays(opens: u16, closes: u16) -> Hours {
    let mut weekly = WeeklyHours::default();
    weekly.set(Weekday::Wednesday, vec![Period::new(opens, closes).unwrap()]).unwrap();
    Hours { weekly, exceptions: BTreeMap::new(), holidays: BTreeMap::new() }
}

fn professional(hours: Hours, off: Option<Span>) -> Professional {
    let id = ProfessionalId::try_from(1).unwrap();
    let off = off.map(|span| TimeOff { id: TimeOffId::try_from(1).unwrap(), professional: id, span, note: None });
    Professional {
        id,
        name: "Davi".to_owned(),
        aliases: Vec::new(),
        profession: None,
        hours,
        services: Vec::new(),
        time_off: off.into_iter().collect(),
        restrictions: None,
        capacity: 1,
        phone: None,
        email: None,
        notify: Notify { whatsapp: false, email: false },
        code: None,
        active: true,
    }
}

#[test]
fn booking_in_working_time_has_no_conflict() {
    let business = wednesdays(9 * 60, 18 * 60);
    let davi = professional(wednesdays(10 * 60, 18 * 60), Some(span("2026-11-25T12:00", "2026-11-25T14:00")));
    let conflict = |from: &str, to: &str| find_conflicts(&zone(), &business, &davi, span(from, to));
    assert_eq!(conflict("2026-11-25T11:30", "2026-11-25T12:00"), [], "it ends as the time off begins");
    assert_eq!(conflict("2026-11-25T14:00", "2026-11-25T18:00"), [], "until closing");
    assert_eq!(conflict("2026-11-25T11:45", "2026-11-25T12:15"), [ConflictReason::TimeOff]);
    assert_eq!(conflict("2026-11-25T17:45", "2026-11-25T18:15"), [ConflictReason::BusinessClosed]);
    let both = [ConflictReason::TimeOff, ConflictReason::BusinessClosed];
    assert_eq!(conflict("2026-11-25T13:30", "2026-11-25T18:30"), both, "each is decided about");
    assert_eq!(conflict("2026-11-25T09:00", "2026-11-25T09:30"), [ConflictReason::NotWorking]);
    assert_eq!(conflict("2026-11-26T11:00", "2026-11-26T11:30"), [ConflictReason::BusinessClosed], "a Thursday");
}

#[test]
fn holidays_and_exceptions_close_the_business() {
    let date: Date = "2026-11-25".parse().unwrap();
    let davi = professional(wednesdays(9 * 60, 18 * 60), None);
    let visit = span("2026-11-25T10:00", "2026-11-25T10:30");
    let mut holiday = wednesdays(9 * 60, 18 * 60);
    holiday.holidays.insert(date, "Feriado".to_owned());
    assert_eq!(find_conflicts(&zone(), &holiday, &davi, visit), [ConflictReason::BusinessClosed]);
    let mut later = wednesdays(9 * 60, 18 * 60);
    later.exceptions.insert(date, DayException { periods: vec![Period::new(13 * 60, 18 * 60).unwrap()], note: None });
    assert_eq!(find_conflicts(&zone(), &later, &davi, visit), [ConflictReason::BusinessClosed]);
}

#[test]
fn periods_that_touch_are_one() {
    let visit = span("2026-11-25T11:30", "2026-11-25T12:30");
    let with = |second: u16| {
        let mut hours = wednesdays(9 * 60, 12 * 60);
        let both = vec![Period::new(9 * 60, 12 * 60).unwrap(), Period::new(second, 18 * 60).unwrap()];
        hours.weekly.set(Weekday::Wednesday, both).unwrap();
        find_conflicts(&zone(), &hours, &professional(hours.clone(), None), visit)
    };
    assert_eq!(with(12 * 60), []);
    assert_eq!(with(12 * 60 + 5), [ConflictReason::BusinessClosed]);
}

#[test]
fn visit_over_midnight_needs_hours_until_midnight() {
    let visit = span("2026-11-25T23:30", "2026-11-26T00:30");
    let until = |closes| {
        let davi = professional(wednesdays(0, 1_440), None);
        find_conflicts(&zone(), &wednesdays(18 * 60, closes), &davi, visit)
    };
    assert_eq!(until(1_440), []);
    assert_eq!(until(1_430), [ConflictReason::BusinessClosed]);
}
