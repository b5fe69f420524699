//! All processes over one database go by one clock.

use std::sync::Arc;

use balcao_app::clock::SharedClock;
use balcao_domain::{Clock, ManualClock, SystemClock};
use balcao_store::{OpenOptions, Store};
use jiff::SignedDuration;

#[tokio::test(flavor = "multi_thread")]
async fn a_process_whose_own_clock_is_wrong_goes_by_the_database_servers() {
    let Some(server) = balcao_testkit::postgres::Database::migrated() else { return };
    let store = Store::connect(&server.url, OpenOptions::default()).unwrap();
    for wrong_by in [-3_600, 0, 3_600] {
        let own = SystemClock.now() + SignedDuration::from_secs(wrong_by);
        let clock = SharedClock::new(Arc::new(ManualClock::at(own)));
        clock.follow(&store).await.unwrap();
        let differs = clock.now().duration_since(SystemClock.now()).abs();
        assert!(differs < SignedDuration::from_secs(60), "{wrong_by} s: still {differs} off");
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
