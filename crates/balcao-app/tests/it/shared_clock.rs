//! All processes over one database go by one clock.

use std::sync::Arc;
use std::time::Duration;

use balcao_app::context::clock::SharedClock;
use balcao_domain::{Clock, ManualClock};
use balcao_store::{OpenOptions, Store};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use tokio::time::advance;

#[tokio::test(flavor = "multi_thread")]
async fn f_86_f_98_a_process_whose_own_clock_is_wrong_goes_by_the_database_servers() {
    let Some(server) = balcao_testkit::postgres::Database::migrated() else { return };
    let store = Store::connect(&server.url, OpenOptions::default()).unwrap();
    let theirs = async || store.time().await.unwrap().unwrap();
    for wrong_by in [-3_600, 0, 3_600] {
        let before = theirs().await;
        let own = before + SignedDuration::from_secs(wrong_by);
        let clock = SharedClock::new(Arc::new(ManualClock::at(own)));
        clock.follow(&store).await.unwrap();
        // It was read between these two, whatever time that took.
        let read = before..=theirs().await;
        assert!(read.contains(&clock.now()), "{wrong_by} s: {} is not in {read:?}", clock.now());
    }
}

#[tokio::test]
async fn on_sqlite_the_machines_clock_is_the_only_one() {
    let store = Store::open_in_memory().unwrap();
    let own = "2026-11-23T09:00:00Z".parse().unwrap();
    let clock = SharedClock::new(Arc::new(ManualClock::at(own)));
    clock.follow(&store).await.unwrap();
    assert_eq!(clock.now(), own);
}

/// A machine's clock, and the same as the program goes by it.
fn clocks() -> (Arc<ManualClock>, SharedClock, Timestamp) {
    let start: Timestamp = "2026-11-23T09:00:00Z".parse().unwrap();
    let own = Arc::new(ManualClock::at(start));
    let clock = SharedClock::new(Arc::<ManualClock>::clone(&own));
    assert_eq!(clock.now(), start);
    (own, clock, start)
}

/// Time passes; the machine's clock shows it and is off by `off` seconds.
async fn second(own: &ManualClock, start: Timestamp, passed: i64, off: i64) {
    advance(Duration::from_secs(1)).await;
    own.set(start + SignedDuration::from_secs(passed + off));
}

#[tokio::test(start_paused = true)]
async fn f_90_a_clock_that_jumps_forward_is_not_believed_until_that_has_lasted() {
    let (own, clock, start) = clocks();
    let after = |seconds| start + SignedDuration::from_secs(seconds);
    // Three hours, for half a minute.
    for passed in 1..=30 {
        second(&own, start, passed, 10_800).await;
        assert_eq!(clock.now(), after(passed));
    }
    for passed in 31..=40 {
        second(&own, start, passed, 0).await;
        assert_eq!(clock.now(), after(passed));
    }
    // The clock jumps by three hours for good, as after a manual correction.
    for passed in 41..=100 {
        second(&own, start, passed, 10_800).await;
        assert_eq!(clock.now(), after(passed), "{passed}");
    }
    second(&own, start, 101, 10_800).await;
    assert_eq!(clock.now(), after(101 + 10_800));
}

#[tokio::test(start_paused = true)]
async fn f_91_a_clock_that_jumps_backward_takes_no_time_back_until_that_has_lasted() {
    let (own, clock, start) = clocks();
    for passed in 1..=60 {
        second(&own, start, passed, -86_400).await;
        assert_eq!(clock.now(), start + SignedDuration::from_secs(passed));
    }
    second(&own, start, 61, -86_400).await;
    assert_eq!(clock.now(), start + SignedDuration::from_secs(61 - 86_400));
}

#[tokio::test(start_paused = true)]
async fn f_90_a_clock_that_is_pulled_gently_is_followed() {
    let (own, clock, start) = clocks();
    for passed in 1..=600 {
        // A second in ten seconds: far more than a time service does.
        second(&own, start, passed, passed / 10).await;
        assert_eq!(clock.now(), start + SignedDuration::from_secs(passed + passed / 10));
    }
}

proptest! {
    /// However wildly a clock jumps about for less than a minute each, the shared clock does not show it.
    #[test]
    fn f_90_f_91_short_jumps_are_never_seen(jumps in prop::collection::vec((3_i64..100_000, any::<bool>(), 1_i64..59), 1..12)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let (own, clock, start) = clocks();
            let mut passed = 0;
            for (off, back, lasting) in jumps {
                for _ in 0..lasting {
                    passed += 1;
                    second(&own, start, passed, if back { -off } else { off }).await;
                    assert_eq!(clock.now(), start + SignedDuration::from_secs(passed));
                }
                passed += 1;
                second(&own, start, passed, 0).await;
                assert_eq!(clock.now(), start + SignedDuration::from_secs(passed));
            }
        });
    }
}
