use proptest::prelude::*;

use super::*;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(1_795_000_000_000 + millis).unwrap()
}

/// Sends as fast as it may for `millis`; gives when each message left.
fn sent(per_second: u32, mut throttle: Throttle, from: i64, millis: i64) -> Vec<i64> {
    let (mut now, mut left) = (from, Vec::new());
    while now < from + millis {
        match throttle.take(per_second, at(now)) {
            Ok(next) => {
                throttle = next;
                left.push(now);
            }
            Err(wait) => {
                throttle = wait;
                now = wait.until.as_millisecond() - at(0).as_millisecond();
            }
        }
    }
    left
}

fn most_in_a_second(left: &[i64]) -> usize {
    let mut first = 0;
    let counts = left.iter().enumerate().map(|(place, at)| {
        while left[first] + 1_000 <= *at {
            first += 1;
        }
        place - first + 1
    });
    counts.max().unwrap_or(0)
}

#[test]
fn a_numbers_throughput_is_used_and_never_passed() {
    for per_second in [1, 5, 20, 80, 1_000] {
        let left = sent(per_second, Throttle::new(at(0)), 0, 10_000);
        let most = usize::try_from(per_second).unwrap();
        assert!(most_in_a_second(&left) <= most, "{per_second}: {}", most_in_a_second(&left));
        assert!(left.len() >= most * 10 * 3 / 4, "{per_second}: only {} in ten seconds", left.len());
    }
}

#[test]
fn each_complaint_halves_the_pace_and_calm_gives_it_back() {
    let mut throttle = Throttle::new(at(0));
    let mut now = 0;
    for (level, seconds) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (6, 32)] {
        throttle = throttle.after_report(0, at(now));
        assert_eq!((throttle.level, throttle.until), (level, at(now + seconds * 1_000)));
        assert_eq!(throttle.take(80, at(now + seconds * 1_000 - 1)), Err(throttle), "nothing leaves in the pause");
        now += seconds * 1_000;
    }
    let slowest = sent(80, throttle, now, 20_000);
    assert!(most_in_a_second(&slowest) <= 2 && slowest.len() >= 5, "{slowest:?}");
    let calm = now - 32_000 + 6 * 60_000;
    assert_eq!(throttle.take(80, at(calm)).map(|one| one.level), Ok(0));
    assert_eq!(throttle.take(80, at(calm - 1)).map(|one| one.level), Ok(1));
}

#[test]
fn what_was_under_way_when_the_provider_complained_is_one_complaint() {
    let once = Throttle::new(at(0)).after_report(0, at(0));
    assert_eq!([1, 5, 900].map(|later| once.after_report(0, at(later))), [once; 3]);
    assert_eq!(once.after_report(0, at(1_000)).level, 2);
}

#[test]
fn a_clock_that_was_set_back_shuts_nobody_out_for_long() {
    let throttle = Throttle { full_at_us: at(86_400_000).as_microsecond(), ..Throttle::new(at(0)) };
    assert!(throttle.take(80, at(0)).unwrap_err().until <= at(130));
}

proptest! {
    #[test]
    fn no_second_ever_holds_more_than_it_may(
        per_second in 1_u32..200, complaints in prop::collection::vec(0_i64..6_000, 0..4), spread: u64,
    ) {
        let mut throttle = Throttle::new(at(0));
        let mut all = Vec::new();
        let mut from = 0;
        for complaint in complaints {
            let left = sent(per_second, throttle, from, complaint);
            for at_ms in &left {
                throttle = throttle.take(per_second, at(*at_ms)).unwrap_or(throttle);
            }
            all.extend(left);
            from += complaint;
            throttle = throttle.after_report(spread, at(from));
        }
        all.extend(sent(per_second, throttle, from, 5_000));
        prop_assert!(most_in_a_second(&all) <= usize::try_from(per_second).unwrap());
    }
}

#[test]
fn a_bucket_takes_a_fifth_of_a_second_at_once_and_refills_with_the_rest() {
    // Messages a second, complaints: how many at once, and microseconds until the next.
    let table = [
        (0, 0, 1, 1_000_000),
        (1, 0, 1, 1_000_000),
        (5, 0, 1, 250_000),
        (80, 0, 16, 15_625),
        (1_000, 0, 200, 1_250),
        (80, 1, 8, 31_250),
        (80, 3, 2, 125_000),
        (80, 6, 1, 1_000_000),
        (4, 2, 1, 1_000_000),
        (4, 3, 1, 2_000_000),
        (1, 6, 1, 64_000_000),
        (1, 9, 1, 64_000_000),
    ];
    for (per_second, level, burst, every) in table {
        assert_eq!(bucket(per_second, level), (burst, every), "{per_second} a second, level {level}");
    }
}

#[test]
fn a_message_that_has_to_wait_is_told_until_when_and_changes_nothing_else() {
    let mut throttle = Throttle::new(at(0));
    for _ in 0..16 {
        throttle = throttle.take(80, at(0)).unwrap();
    }
    assert_eq!(throttle.full_at_us, at(250).as_microsecond());
    // Half a burst, and a millisecond, later.
    let wait = throttle.take(80, at(0)).unwrap_err();
    assert_eq!(wait, Throttle { until: at(126), ..throttle });
    assert_eq!(wait.take(80, at(125)), Err(wait));
    assert!(wait.take(80, at(126)).is_ok());
    // A clock that was set back finds a bucket that is full, not one that is full for a day.
    let ahead = Throttle { full_at_us: at(86_400_000).as_microsecond(), ..Throttle::new(at(0)) };
    assert_eq!(ahead.take(80, at(0)).unwrap_err().until, at(126));
    // After a long silence no more leave at once than ever.
    let rested = Throttle::new(at(0)).take(80, at(3_600_000)).unwrap();
    assert_eq!(rested.full_at_us, at(3_600_000).as_microsecond() + 15_625);
}

#[test]
fn a_pause_doubles_with_each_complaint_and_is_spread_over_a_quarter_of_it() {
    let millis = |level, spread| pause(level, spread).as_millis();
    assert_eq!([0, 1, 2, 6, 7, 8].map(|level| millis(level, 0)), [1_000, 1_000, 2_000, 32_000, 64_000, 64_000]);
    assert_eq!([249, 250, 251].map(|spread| millis(1, spread)), [1_249, 1_000, 1_001]);
}

#[test]
fn each_minute_of_calm_takes_one_complaint_back_and_the_next_counts_from_there() {
    let loud = Throttle { level: 3, since: at(0), ..Throttle::new(at(0)) };
    let level = |millis| {
        let calm = loud.calmer(at(millis));
        (calm.level, calm.since)
    };
    assert_eq!(level(-60_000), (3, at(0)));
    assert_eq!(level(59_999), (3, at(0)));
    assert_eq!(level(60_000), (2, at(60_000)));
    assert_eq!(level(150_000), (1, at(120_000)));
    assert_eq!(level(600_000), (0, at(180_000)));
    // A pause that a provider's word began is not shortened by the next complaint.
    let waiting = Throttle { until: at(90_000), ..loud };
    let reported = waiting.after_report(0, at(62_000));
    assert_eq!((reported.until, reported.level), (at(90_000), 3));
}
