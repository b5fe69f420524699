//! Measurements of no length: everything that a figure rests on runs once.

use std::cell::RefCell;
use std::time::Duration;

use balcao_testkit::postgres::Database;

use super::run;
use crate::database::DatabaseKind;
use crate::options::{Measurement, Size};

const SHORT: Size = Size { time: Duration::ZERO, flight: 4 };

async fn measure(kind: DatabaseKind, what: Measurement) -> Vec<(String, f64)> {
    let progress = RefCell::new(Vec::new());
    let report = run(std::slice::from_ref(&kind), &[what], SHORT, |line| progress.borrow_mut().push(line.to_owned()))
        .await
        .unwrap();
    assert_eq!(progress.into_inner(), [format!("{}: {what:?} …", kind.name())]);
    report.rows().iter().map(|row| (row.what.clone(), row.value)).collect()
}

fn value(rows: &[(String, f64)], what: &str) -> f64 {
    rows.iter().find(|(name, _)| name == what).unwrap_or_else(|| panic!("no `{what}` in {rows:?}")).1
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_bookings_run_again_on_sqlite() {
    let rows = measure(DatabaseKind::Sqlite, Measurement::Contention).await;
    assert!(value(&rows, "the same transactions in a bare loop") > 0.0);
    assert!(value(&rows, "bookings against the bare loop").abs() < f64::EPSILON, "no booking in no time");
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_bookings_run_again_on_postgresql() {
    let Some(database) = Database::empty() else { return };
    let rows = measure(DatabaseKind::Postgres(database.admin_url.clone()), Measurement::Contention).await;
    assert!(value(&rows, "the same transactions in a bare loop") > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn webhook_is_accepted_over_http() {
    let rows = measure(DatabaseKind::Sqlite, Measurement::Webhooks).await;
    assert!(value(&rows, "webhooks accepted and durable, 1 connection") > 0.0);
    assert!(value(&rows, "webhook, 32 connections, p99") > 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn conversations_in_flight_all_get_their_booking() {
    let rows = measure(DatabaseKind::Sqlite, Measurement::Flight).await;
    assert!(value(&rows, "4 conversations in flight, 300 ms a model call") > 0.0);
    assert!(value(&rows, "a turn in flight, p50") >= 900.0, "three model calls of 300 ms");
}
