use jiff::civil::{Weekday, date};
use jiff::{SignedDuration, ToSpan};
use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::hours::{DayException, Period};
use crate::material;

fn instant(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).unwrap()
}

fn every_day(periods: &[&str]) -> Hours {
    let mut hours = Hours::default();
    for weekday in Weekday::Monday.cycle_forward().take(7) {
        hours.weekly.set(weekday, periods.iter().map(|text| text.parse().unwrap()).collect()).unwrap();
    }
    hours
}

fn professional() -> ProfessionalId {
    ProfessionalId::try_from(1).unwrap()
}

fn candidate<'a>(hours: &'a Hours, duration_min: u32) -> Candidate<'a> {
    Candidate {
        professional: professional(),
        hours,
        time_off: &[],
        occupied: &[],
        capacity: 1,
        duration_min,
        buffer_before_min: 0,
        buffer_after_min: 0,
    }
}

fn question<'a>(zone: &'a TimeZone, business: &'a Hours, day: Date) -> SlotQuery<'a> {
    SlotQuery {
        zone,
        from: day,
        to: day,
        now: instant("2000-01-01T00:00:00Z"),
        notice_min: 0,
        advance_days: 100_000,
        step_min: 30,
        mode: SlotMode::Grid,
        business,
    }
}

fn local_starts(question: &SlotQuery<'_>, candidate: &Candidate<'_>) -> Vec<String> {
    let slots = free_slots(question, std::slice::from_ref(candidate));
    slots[0].starts.iter().map(|start| question.zone.to_datetime(*start).strftime("%d %H:%M").to_string()).collect()
}

#[test]
fn starts_lie_on_the_grid_between_opening_and_closing() {
    let (sao_paulo, always) = (zone("America/Sao_Paulo"), every_day(&["00:00-24:00"]));
    let works = every_day(&["09:00-10:30", "13:10-14:00"]);
    let question = question(&sao_paulo, &always, date(2026, 11, 24));
    assert_eq!(local_starts(&question, &candidate(&works, 30)), ["24 09:00", "24 09:30", "24 10:00", "24 13:10"]);
    assert_eq!(local_starts(&question, &candidate(&works, 60)), ["24 09:00", "24 09:30"]);
    assert!(local_starts(&question, &candidate(&works, 120)).is_empty());
    assert!(local_starts(&question, &candidate(&works, 0)).is_empty());
}

#[test]
fn business_hours_exceptions_and_holidays_limit_everybody() {
    let sao_paulo = zone("America/Sao_Paulo");
    let works = every_day(&["08:00-20:00"]);
    let mut business = every_day(&["09:00-10:00"]);
    business.holidays.insert(date(2026, 12, 25), "Natal".to_owned());
    business
        .exceptions
        .insert(date(2026, 12, 24), DayException { periods: vec!["11:00-12:00".parse().unwrap()], note: None });
    let mut question = question(&sao_paulo, &business, date(2026, 12, 23));
    question.to = date(2026, 12, 25);
    let starts = local_starts(&question, &candidate(&works, 30));
    assert_eq!(starts, ["23 09:00", "23 09:30", "24 11:00", "24 11:30"]);
}

#[test]
fn an_appointment_may_cross_midnight_where_both_days_are_open() {
    let (sao_paulo, always) = (zone("America/Sao_Paulo"), every_day(&["00:00-24:00"]));
    let works = every_day(&["00:00-01:00", "23:00-24:00"]);
    let question = question(&sao_paulo, &always, date(2026, 11, 24));
    let starts = local_starts(&question, &candidate(&works, 60));
    assert_eq!(starts, ["24 00:00", "24 23:00", "24 23:30"]);
}

#[test]
fn buffers_keep_distance_from_other_appointments_only() {
    let (sao_paulo, works) = (zone("America/Sao_Paulo"), every_day(&["09:00-12:00"]));
    let question = question(&sao_paulo, &works, date(2026, 11, 24));
    let taken = Occupied {
        span: Span::new(instant("2026-11-24T10:00:00-03:00"), instant("2026-11-24T10:30:00-03:00")),
        seat: Some(1),
    };
    let mut candidate = candidate(&works, 30);
    candidate.occupied = std::slice::from_ref(&taken);
    assert_eq!(local_starts(&question, &candidate), ["24 09:00", "24 09:30", "24 10:30", "24 11:00", "24 11:30"]);
    candidate.buffer_after_min = 15;
    assert_eq!(local_starts(&question, &candidate), ["24 09:00", "24 10:30", "24 11:00", "24 11:30"]);
    candidate.buffer_before_min = 15;
    assert_eq!(local_starts(&question, &candidate), ["24 09:00", "24 11:00", "24 11:30"]);
}

#[test]
fn two_halves_on_different_seats_do_not_make_a_slot() {
    let (sao_paulo, works) = (zone("America/Sao_Paulo"), every_day(&["09:00-10:00"]));
    let question = question(&sao_paulo, &works, date(2026, 11, 24));
    let half = |from: &str, to: &str, seat| Occupied {
        span: Span::new(instant(&format!("2026-11-24T{from}:00-03:00")), instant(&format!("2026-11-24T{to}:00-03:00"))),
        seat,
    };
    let occupied = [half("09:00", "09:30", Some(1)), half("09:30", "10:00", Some(2))];
    let mut candidate = candidate(&works, 60);
    candidate.capacity = 2;
    candidate.occupied = &occupied;
    assert!(local_starts(&question, &candidate).is_empty());
    assert_eq!(check(&question, &candidate, instant("2026-11-24T09:00:00-03:00")), Verdict::Taken);
    candidate.duration_min = 30;
    assert_eq!(local_starts(&question, &candidate), ["24 09:00", "24 09:30"]);
    let everybody = [half("09:00", "09:30", None)];
    candidate.occupied = &everybody;
    assert_eq!(local_starts(&question, &candidate), ["24 09:30"]);
}

#[test]
fn this_very_moment_is_not_past() {
    let (sao_paulo, works) = (zone("America/Sao_Paulo"), every_day(&["09:00-10:00"]));
    let mut question = question(&sao_paulo, &works, date(2026, 11, 25));
    question.now = instant("2026-11-25T09:00:00-03:00");
    question.notice_min = 0;
    assert_eq!(check(&question, &candidate(&works, 30), question.now), Verdict::Free);
}

#[test]
fn notice_and_advance_bound_the_starts() {
    let (sao_paulo, works) = (zone("America/Sao_Paulo"), every_day(&["09:00-10:00"]));
    let mut question = question(&sao_paulo, &works, date(2026, 11, 20));
    question.to = date(2026, 12, 31);
    question.now = instant("2026-11-24T08:00:00-03:00");
    question.notice_min = 90;
    question.advance_days = 1;
    assert_eq!(local_starts(&question, &candidate(&works, 30)), ["24 09:30", "25 09:00", "25 09:30"]);
    let verdict = |text: &str| check(&question, &candidate(&works, 30), instant(text));
    assert_eq!(verdict("2026-11-24T07:30:00-03:00"), Verdict::Past);
    assert_eq!(verdict("2026-11-24T09:00:00-03:00"), Verdict::TooSoon);
    assert_eq!(verdict("2026-11-24T09:30:00-03:00"), Verdict::Free);
    assert_eq!(verdict("2026-11-25T09:05:00-03:00"), Verdict::Free);
    assert_eq!(verdict("2026-11-25T09:07:00-03:00"), Verdict::OffGrid);
    assert_eq!(verdict("2026-11-25T09:45:00-03:00"), Verdict::OutsideHours);
    assert_eq!(verdict("2026-11-26T09:00:00-03:00"), Verdict::TooFar);
}

#[test]
fn fit_mode_leaves_no_useless_gap() {
    let (sao_paulo, works) = (zone("America/Sao_Paulo"), every_day(&["09:00-12:00"]));
    let mut question = question(&sao_paulo, &works, date(2026, 11, 24));
    question.mode = SlotMode::Fit;
    let taken = [Occupied {
        span: Span::new(instant("2026-11-24T10:10:00-03:00"), instant("2026-11-24T10:40:00-03:00")),
        seat: Some(1),
    }];
    let mut candidate = candidate(&works, 30);
    candidate.occupied = &taken;
    let starts = local_starts(&question, &candidate);
    assert_eq!(starts, ["24 09:00", "24 09:30", "24 09:40", "24 10:40", "24 11:10", "24 11:30"]);
}

#[test]
fn a_skipped_hour_is_never_offered_and_a_repeated_one_once() {
    let always = every_day(&["00:00-24:00"]);
    // zone, date, hours, expected local starts of an hour each
    type Row = (&'static str, Date, &'static str, &'static [&'static str]);
    let table: [Row; 6] = [
        // Brazil, 2018-11-04: 00:00 became 01:00.
        ("America/Sao_Paulo", date(2018, 11, 4), "00:00-03:00", &["04 01:00", "04 02:00"]),
        // Brazil, 2018-02-17: 24:00 became 23:00.
        ("America/Sao_Paulo", date(2018, 2, 17), "22:00-24:00", &["17 22:00", "17 23:00"]),
        ("Europe/Lisbon", date(2027, 3, 28), "00:00-04:00", &["28 00:00", "28 02:00", "28 03:00"]),
        ("Europe/Lisbon", date(2026, 10, 25), "00:00-03:00", &["25 00:00", "25 01:00", "25 02:00"]),
        ("America/New_York", date(2026, 3, 8), "01:00-04:00", &["08 01:00", "08 03:00"]),
        ("Australia/Lord_Howe", date(2026, 4, 5), "01:00-03:00", &["05 01:00", "05 02:00"]),
    ];
    for (name, day, works, expected) in table {
        let (zone, works) = (zone(name), every_day(&[works]));
        let mut question = question(&zone, &always, day);
        question.step_min = 60;
        assert_eq!(local_starts(&question, &candidate(&works, 60)), expected, "{name} {day}");
        question.mode = SlotMode::Fit;
        let fitted = local_starts(&question, &candidate(&works, 30));
        let mut once = fitted.clone();
        once.dedup();
        assert_eq!(fitted, once, "{name} {day}");
    }
    let sao_paulo = zone("America/Sao_Paulo");
    assert_eq!(instant_of(&sao_paulo, date(2018, 11, 4), 30), None);
    assert_eq!(instant_of(&sao_paulo, date(2018, 2, 17), 1410), Some(instant("2018-02-18T01:30:00Z")));
    assert_eq!(instant_of(&sao_paulo, date(2026, 11, 24), 600), Some(instant("2026-11-24T13:00:00Z")));
}

/// Whether every minute of a span is working time, judged by the local clock alone.
fn oracle_open(question: &SlotQuery<'_>, candidate: &Candidate<'_>, span: Span) -> bool {
    minutes(span).all(|minute| {
        let local = question.zone.to_datetime(minute);
        let of_day = u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap();
        let inside = |periods: &[Period]| periods.iter().any(|p| p.opens_min() <= of_day && of_day < p.closes_min());
        inside(question.business.on(local.date())) && inside(candidate.hours.on(local.date()))
    })
}

fn minutes(span: Span) -> impl Iterator<Item = Timestamp> {
    let mut next = span.start;
    std::iter::from_fn(move || {
        let minute = next;
        next = minute.checked_add(SignedDuration::from_mins(1)).unwrap();
        (minute < span.end).then_some(minute)
    })
}

fn oracle_bookable(question: &SlotQuery<'_>, candidate: &Candidate<'_>, start: Timestamp) -> bool {
    let body = Span::of_minutes(start, candidate.duration_min);
    let wide = body.widened(candidate.buffer_before_min, candidate.buffer_after_min);
    let today = question.zone.to_datetime(question.now).date();
    let last = today.checked_add(i64::from(question.advance_days).days()).unwrap();
    let hit = |span: Span, by: &Span| minutes(span).any(|minute| by.start <= minute && minute < by.end);
    start.duration_since(question.now) >= SignedDuration::from_mins(i64::from(question.notice_min))
        && question.zone.to_datetime(start).date() <= last
        && oracle_open(question, candidate, body)
        && !candidate.time_off.iter().any(|away| hit(body, away))
        && (1..=candidate.capacity).any(|seat| {
            !candidate.occupied.iter().any(|taken| taken.seat.is_none_or(|of| of == seat) && hit(wide, &taken.span))
        })
}

/// Every minute of the range that lies on a period's grid and whose local time has not occurred before.
fn oracle_grid(question: &SlotQuery<'_>, candidate: &Candidate<'_>) -> Vec<Timestamp> {
    let mut starts = Vec::new();
    let mut day = question.from;
    while day <= question.to {
        let mut local_minutes = Vec::new();
        for open in question.business.on(day) {
            for works in candidate.hours.on(day) {
                if let Some(period) = works.intersection(open) {
                    let step = usize::try_from(question.step_min).unwrap();
                    local_minutes.extend((period.opens_min()..period.closes_min()).step_by(step));
                }
            }
        }
        starts.extend(local_minutes.into_iter().filter_map(|minute| instant_of(question.zone, day, minute)));
        day = day.tomorrow().unwrap();
    }
    starts
}

fn arbitrary_hours() -> impl Strategy<Value = Hours> {
    proptest::collection::vec(proptest::collection::vec(0u16..=288, 0..6), 7).prop_map(|days| {
        let mut hours = Hours::default();
        for (weekday, mut marks) in Weekday::Monday.cycle_forward().zip(days) {
            marks.sort_unstable();
            let periods = marks.chunks_exact(2).filter_map(|pair| Period::new(pair[0] * 5, pair[1] * 5).ok()).collect();
            hours.weekly.set(weekday, periods).unwrap();
        }
        hours
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Every offered slot can be booked, and every bookable start on the grid is offered; `check` says the same.
    #[test]
    fn agrees_with_brute_force(
        business in arbitrary_hours(),
        works in arbitrary_hours(),
        place in prop::sample::select(vec![
            ("America/Sao_Paulo", date(2026, 11, 23)),
            ("America/Sao_Paulo", date(2018, 11, 3)),
            ("America/Sao_Paulo", date(2018, 2, 16)),
            ("Europe/Lisbon", date(2026, 10, 24)),
            ("Australia/Lord_Howe", date(2026, 10, 3)),
            ("Australia/Lord_Howe", date(2026, 4, 4)),
        ]),
        away in proptest::collection::vec((0i64..864, 1i64..60), 0..3),
        taken in proptest::collection::vec((-12i64..864, 1i64..24, prop::option::of(1u32..3)), 0..12),
        (capacity, duration, before, after) in (1u32..3, 1u32..20, 0u32..4, 0u32..4),
        (step, now, notice, advance) in (prop::sample::select(vec![5u32, 10, 15, 20, 30, 45, 60]), 0i64..2880, 0u32..300, 0u32..4),
    ) {
        let zone = zone(place.0);
        let start = place.1.to_zoned(zone.clone()).unwrap().timestamp();
        let at = |quanta: i64| start + SignedDuration::from_mins(quanta * 5);
        let away: Vec<_> = away.into_iter().map(|(from, long)| Span::new(at(from), at(from + long))).collect();
        let taken: Vec<_> = taken
            .into_iter()
            .map(|(from, long, seat)| Occupied { span: Span::new(at(from), at(from + long)), seat })
            .collect();
        let candidate = Candidate {
            professional: professional(),
            hours: &works,
            time_off: &away,
            occupied: &taken,
            capacity,
            duration_min: duration * 5,
            buffer_before_min: before * 5,
            buffer_after_min: after * 5,
        };
        let mut question = question(&zone, &business, place.1);
        question.to = place.1.checked_add(2.days()).unwrap();
        question.now = start + SignedDuration::from_mins(now - 600);
        question.notice_min = notice;
        question.advance_days = advance;
        question.step_min = step;

        let offered = &free_slots(&question, std::slice::from_ref(&candidate))[0].starts;
        let grid = oracle_grid(&question, &candidate);
        let bookable: Vec<_> = grid.iter().copied().filter(|start| oracle_bookable(&question, &candidate, *start)).collect();
        prop_assert_eq!(offered, &bookable);
        for start in grid {
            let free = check(&question, &candidate, start) == Verdict::Free;
            prop_assert_eq!(free, oracle_bookable(&question, &candidate, start));
        }
        question.mode = SlotMode::Fit;
        for start in &free_slots(&question, std::slice::from_ref(&candidate))[0].starts {
            prop_assert!(oracle_bookable(&question, &candidate, *start), "{start}");
        }
        for span in free_spans(&question, &candidate) {
            prop_assert!(oracle_open(&question, &candidate, span));
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Case {
    id: u32,
    time_zone: String,
    now: Timestamp,
    from: Timestamp,
    to: Timestamp,
    event_length_min: u32,
    slot_interval_min: u32,
    minimum_notice_min: u32,
    working_hours: Vec<Weekly>,
    date_overrides: Vec<Override>,
    busy: Vec<Range>,
    free: Vec<Range>,
    slots: Vec<Timestamp>,
}

#[derive(Deserialize)]
struct Weekly {
    days: Vec<i8>,
    start: String,
    end: String,
}

#[derive(Deserialize)]
struct Override {
    date: Date,
    start: String,
    end: String,
}

#[derive(Deserialize)]
struct Range {
    start: Timestamp,
    end: Timestamp,
}

/// Cases in which cal.com lays one period of a date of clock change out with the offset of the day before, so that hours
/// from 13:15 local appear at 14:15 (178) or begin inside another free span (192).
const CALCOM_WRONG: [u32; 2] = [178, 192];

/// Free spans agree exactly with cal.com's, and slots where its rounding rule and our grid mean the same.
#[test]
fn agrees_with_calcom() {
    let Some(text) = material("scheduling/availability-calcom-oracle.json") else { return };
    let cases: Vec<Case> = serde_json::from_str(&text).unwrap();
    let always = every_day(&["00:00-24:00"]);
    let mut wrong = Vec::new();
    let mut slots_compared = 0;
    for case in cases.iter().filter(|case| !CALCOM_WRONG.contains(&case.id)) {
        let zone = zone(&case.time_zone);
        let mut hours = Hours::default();
        for weekday in Weekday::Monday.cycle_forward().take(7) {
            let of_day =
                case.working_hours.iter().filter(|weekly| weekly.days.contains(&weekday.to_sunday_zero_offset()));
            let periods = of_day.map(|weekly| format!("{}-{}", weekly.start, weekly.end).parse().unwrap()).collect();
            hours.weekly.set(weekday, periods).unwrap();
        }
        for day in &case.date_overrides {
            let period = format!("{}-{}", day.start, day.end).parse::<Period>().ok();
            hours.exceptions.entry(day.date).or_default().periods.extend(period);
        }
        let busy: Vec<_> = case.busy.iter().map(|b| Occupied { span: Span::new(b.start, b.end), seat: None }).collect();
        let mut candidate = candidate(&hours, case.event_length_min);
        candidate.occupied = &busy;
        let mut question = question(&zone, &always, zone.to_datetime(case.from).date());
        question.to = zone.to_datetime(case.to).date();
        // cal.com reads hours an hour early on a date whose midnight the clock skips (São Paulo, 2018-11-04: its 05:00 for
        // hours that open at 06:00), so such a date is left out. Its range is of instants, ours of dates.
        let has_midnight = |at: Timestamp| instant_of(&zone, zone.to_datetime(at).date(), 0).is_some();
        let clip = |span: Span| Span::new(span.start.max(case.from), span.end.min(case.to));
        let comparable = |span: &Span| span.start < span.end && has_midnight(span.start);
        let theirs = case.free.iter().map(|range| Span::new(range.start, range.end));
        let mut expected: Vec<_> = theirs.filter(comparable).collect();
        expected.sort_unstable();
        let free: Vec<_> = free_spans(&question, &candidate).into_iter().map(clip).filter(comparable).collect();
        if free != expected {
            wrong.push(format!("{} {}: {free:?}, cal.com {expected:?}", case.id, case.time_zone));
        }
        question.now = case.now;
        question.notice_min = case.minimum_notice_min;
        question.step_min = case.slot_interval_min;
        // Only whole hours mean the same: cal.com counts its grid from the full UTC hour after each interruption.
        let whole_hour = |at: &Timestamp| at.as_second() % 3600 == 0;
        if case.slot_interval_min % 60 == 0 && case.free.iter().all(|range| whole_hour(&range.start)) {
            slots_compared += 1;
            let mut ours = free_slots(&question, &[candidate]).remove(0).starts;
            ours.retain(|start| *start < case.to && has_midnight(*start));
            let mut theirs = case.slots.clone();
            theirs.retain(|start| has_midnight(*start));
            theirs.sort_unstable();
            if ours != theirs {
                wrong.push(format!("{} slots: {ours:?}, cal.com {theirs:?}", case.id));
            }
        }
    }
    assert!(slots_compared > 0);
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    eprintln!("{} cases agree in free time, {slots_compared} also in slots", cases.len());
}
