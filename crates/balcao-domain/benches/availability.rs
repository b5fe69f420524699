//! Free slots of ten professionals over thirty days with two hundred appointments each: at most one millisecond.
#![expect(clippy::expect_used, reason = "a benchmark")]

use balcao_domain::availability::{Candidate, Occupied, SlotQuery, free_slots};
use balcao_domain::hours::Hours;
use balcao_domain::scheduling::SlotMode;
use balcao_domain::{ProfessionalId, Span};
use jiff::civil::{Weekday, date};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

fn main() {
    divan::main();
}

#[divan::bench]
fn ten_professionals_thirty_days(bencher: divan::Bencher<'_, '_>) {
    let zone = TimeZone::get("America/Sao_Paulo").expect("the zone is bundled");
    let mut hours = Hours::default();
    for weekday in Weekday::Monday.cycle_forward().take(7) {
        hours.weekly.set(weekday, vec!["09:00-18:00".parse().expect("a period")]).expect("one period");
    }
    let opening: Timestamp = "2026-11-23T12:00:00Z".parse().expect("an instant");
    // Spread so that no two of one professional overlap, and not in order, as an index would not give them either.
    let occupied: Vec<Vec<Occupied>> = (0..10_i64)
        .map(|professional| {
            let appointment = |number: i64| {
                let (day, place) = (number % 30, (number / 30 * 2 + professional % 2) % 18);
                let start = opening + SignedDuration::from_mins(day * 1440 + place * 30);
                Occupied { span: Span::of_minutes(start, 30), seat: Some(1) }
            };
            (0..200).map(appointment).collect()
        })
        .collect();
    let question = SlotQuery {
        zone: &zone,
        from: date(2026, 11, 23),
        to: date(2026, 12, 22),
        now: opening,
        notice_min: 0,
        advance_days: 60,
        step_min: 15,
        mode: SlotMode::Grid,
        business: &hours,
    };
    let candidates: Vec<_> = (1..=10)
        .zip(&occupied)
        .map(|(id, occupied)| Candidate {
            professional: ProfessionalId::try_from(id).expect("an id"),
            hours: &hours,
            time_off: &[],
            occupied,
            capacity: 1,
            duration_min: 30,
            buffer_before_min: 0,
            buffer_after_min: 0,
        })
        .collect();
    bencher.bench_local(|| free_slots(divan::black_box(&question), divan::black_box(&candidates)));
}
