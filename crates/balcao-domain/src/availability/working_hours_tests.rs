use jiff::civil::{Weekday, date};
use jiff::{SignedDuration, Timestamp, ToSpan};
use proptest::prelude::*;

use super::*;
use crate::Span;
use crate::availability::{Candidate, SlotQuery, Verdict, check};
use crate::hours::DayException;
use crate::scheduling::SlotMode;
use crate::time_off::TimeOff;

fn somebody(hours: Hours, away: Vec<Span>) -> Professional {
    let id = 1.try_into().unwrap();
    let time_off = away
        .into_iter()
        .map(|span| TimeOff { id: 1.try_into().unwrap(), professional: id, span, note: None })
        .collect();
    Professional {
        id,
        name: "Ana".to_owned(),
        aliases: Vec::new(),
        profession: None,
        hours,
        services: Vec::new(),
        time_off,
        restrictions: None,
        capacity: 1,
        phone: None,
        email: None,
        notify: crate::professional::Notify::default(),
        code: None,
        active: true,
    }
}

fn every_day(periods: &[&str]) -> Hours {
    let mut hours = Hours::default();
    for weekday in Weekday::Monday.cycle_forward().take(7) {
        hours.weekly.set(weekday, periods.iter().map(|text| text.parse().unwrap()).collect()).unwrap();
    }
    hours
}

fn told(zone: &str, business: &Hours, professional: &Professional, date: Date) -> String {
    let all = works(&TimeZone::get(zone).unwrap(), business, professional, date);
    all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_skipped_hour_is_nobodys_and_a_repeated_one_counts_once() {
    let always = every_day(&["00:00-24:00"]);
    let works = |zone, date, away: &[(&str, &str)]| {
        let span = |(from, to): &(&str, &str)| Span::new(from.parse().unwrap(), to.parse().unwrap());
        let ana = somebody(every_day(&["00:00-04:00"]), away.iter().map(span).collect());
        told(zone, &always, &ana, date)
    };
    assert_eq!(works("America/Sao_Paulo", date(2018, 11, 4), &[]), "01:00-04:00");
    assert_eq!(works("Europe/Lisbon", date(2027, 3, 28), &[]), "00:00-01:00 02:00-04:00");
    assert_eq!(works("Europe/Lisbon", date(2026, 10, 25), &[]), "00:00-04:00");
    // Away for the first 01:00 to 02:00 only: the clock shows that hour again.
    let first = [("2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z")];
    assert_eq!(works("Europe/Lisbon", date(2026, 10, 25), &first), "00:00-04:00");
    let both = [("2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z")];
    assert_eq!(works("Europe/Lisbon", date(2026, 10, 25), &both), "00:00-01:00 02:00-04:00");
}

#[test]
fn a_minute_away_in_part_does_not_count() {
    let away = Span::new("2026-11-24T12:10:30Z".parse().unwrap(), "2026-11-24T12:20:01Z".parse().unwrap());
    let always = every_day(&["00:00-24:00"]);
    let ana = somebody(every_day(&["09:00-12:00"]), vec![away]);
    assert_eq!(told("America/Sao_Paulo", &always, &ana, date(2026, 11, 24)), "09:00-09:10 09:21-12:00");
}

fn arbitrary_hours() -> impl Strategy<Value = Hours> {
    let periods = || {
        proptest::collection::vec(0u16..=288, 0..6).prop_map(|mut marks| {
            marks.sort_unstable();
            marks.chunks_exact(2).filter_map(|pair| Period::new(pair[0] * 5, pair[1] * 5).ok()).collect::<Vec<_>>()
        })
    };
    let days = proptest::collection::vec(periods(), 7);
    (days, prop::option::of(periods()), any::<bool>()).prop_map(|(days, special, holiday)| {
        let mut hours = Hours::default();
        for (weekday, periods) in Weekday::Monday.cycle_forward().zip(days) {
            hours.weekly.set(weekday, periods).unwrap();
        }
        for day in PLACES.iter().map(|(_, day)| *day) {
            if let Some(periods) = special.clone() {
                hours.exceptions.insert(day, DayException { periods, note: None });
            }
            if holiday {
                hours.holidays.insert(day, "Feriado".to_owned());
            }
        }
        hours
    })
}

const PLACES: [(&str, Date); 6] = [
    ("America/Sao_Paulo", Date::constant(2026, 11, 24)),
    ("America/Sao_Paulo", Date::constant(2018, 11, 4)),
    ("America/Sao_Paulo", Date::constant(2018, 2, 17)),
    ("Europe/Lisbon", Date::constant(2026, 10, 25)),
    ("Australia/Lord_Howe", Date::constant(2026, 10, 4)),
    ("Australia/Lord_Howe", Date::constant(2026, 4, 5)),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A minute of the wall is worked if it occurs while the shop is open, the professional's own hours hold and they are
    /// there; and what is worked without a break can be booked if nobody has it, and nothing else can.
    #[test]
    fn agrees_with_the_clock_on_the_wall_and_with_what_can_be_booked(
        business in arbitrary_hours(),
        own in arbitrary_hours(),
        (zone, day) in prop::sample::select(PLACES.to_vec()),
        away in proptest::collection::vec((-60i64..300, 1i64..60), 0..3),
    ) {
        let zone = TimeZone::get(zone).unwrap();
        let start = day.to_zoned(zone.clone()).unwrap().timestamp();
        let at = |quanta: i64| start + SignedDuration::from_mins(quanta * 5);
        let away: Vec<Span> = away.into_iter().map(|(from, long)| Span::new(at(from), at(from + long))).collect();
        let ana = somebody(own.clone(), away.clone());
        let told = works(&zone, &business, &ana, day);

        let inside = |periods: &[Period], minute: u16| periods.iter().any(|one| one.opens_min() <= minute && minute < one.closes_min());
        let instants = (0..27 * 12).map(|quanta| at(quanta - 12)).filter(|instant| zone.to_datetime(*instant).date() == day);
        let of_day = |instant: Timestamp| {
            let local = zone.to_datetime(instant);
            u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).unwrap()
        };
        let is_there = |instant: &Timestamp| !away.iter().any(|off| off.start <= *instant && *instant < off.end);
        let planned = |instant: &Timestamp| {
            let minute = of_day(*instant);
            inside(business.on(day), minute) && inside(own.on(day), minute)
        };
        let worked: std::collections::BTreeSet<u16> =
            instants.clone().filter(planned).filter(is_there).map(of_day).collect();
        for minute in (0..1440).step_by(5) {
            prop_assert_eq!(inside(&told, minute), worked.contains(&minute), "{} of {:?}", minute, told);
        }
        for pair in told.windows(2) {
            prop_assert!(pair[0].closes_min() < pair[1].opens_min(), "{:?}", told);
        }

        let question = SlotQuery {
            zone: &zone, from: day, to: day, now: start - SignedDuration::from_hours(240), notice_min: 0,
            advance_days: 100, step_min: 5, mode: SlotMode::Grid, business: &business,
        };
        let candidate = Candidate {
            professional: ana.id, hours: &own, time_off: &away, occupied: &[], capacity: 1, duration_min: 5,
            buffer_before_min: 0, buffer_after_min: 0,
        };
        for instant in instants {
            let bookable = check(&question, &candidate, instant) == Verdict::Free;
            prop_assert!(!bookable || inside(&told, of_day(instant)), "{}", instant);
        }
        let free: std::collections::BTreeSet<u16> = crate::availability::free_spans(&question, &candidate)
            .into_iter()
            .flat_map(|span| (0..).map(move |quanta| span.start + SignedDuration::from_mins(5 * quanta)).take_while(move |at| *at < span.end))
            .map(of_day)
            .collect();
        prop_assert_eq!(free, worked);
    }

    /// Time off takes away and never adds; a day off takes everything.
    #[test]
    fn a_day_off_leaves_nothing(
        business in arbitrary_hours(),
        own in arbitrary_hours(),
        (zone, day) in prop::sample::select(PLACES.to_vec()),
    ) {
        let zone = TimeZone::get(zone).unwrap();
        let (from, to) = (day.to_zoned(zone.clone()).unwrap(), day.checked_add(1.day()).unwrap().to_zoned(zone.clone()).unwrap());
        let away = Span::new(from.timestamp(), to.timestamp());
        let next = day.checked_add(1.day()).unwrap();
        let (off, there) = (somebody(own.clone(), vec![away]), somebody(own, Vec::new()));
        prop_assert_eq!(works(&zone, &business, &off, day), []);
        prop_assert_eq!(works(&zone, &business, &off, next), works(&zone, &business, &there, next));
    }
}
