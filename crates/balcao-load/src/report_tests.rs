//! The table, its targets and its percentiles.

use std::time::Duration;

use super::{Report, Target};

fn report() -> Report {
    Report { machine: "a machine".to_owned(), profile: "release", rows: Vec::new() }
}

#[test]
fn table_says_of_each_target_whether_it_is_met() {
    let mut report = report();
    report.add("sqlite", "webhooks", 299.999, "/s", Some(Target::AtLeast(300.0)));
    report.add("postgres", "memory", 64.0, "KiB", Some(Target::AtMost(64.0)));
    report.add("sqlite", "turns", 7.0, "/s", None);
    assert_eq!(
        report.lines(),
        [
            "a machine; release build",
            "",
            "sqlite    webhooks      300.00 /s        ≥ 300: MISSED",
            "postgres  memory         64.00 KiB       ≤ 64: met",
            "sqlite    turns           7.00 /s",
        ]
    );
}

#[test]
fn times_give_median_and_99th_percentile() {
    let mut report = report();
    report.add_times("sqlite", "turn", (0..100).rev().map(Duration::from_millis).collect());
    report.add_times("sqlite", "nothing", Vec::new());
    let values: Vec<f64> = report.rows().iter().map(|row| row.value).collect();
    assert_eq!(values, [50.0, 99.0, 0.0, 0.0]);
}

#[test]
fn json_leaves_out_the_target_of_a_figure_without_one() {
    let mut report = report();
    report.add("sqlite", "webhooks", 301.0, "/s", Some(Target::AtLeast(300.0)));
    report.add("sqlite", "turns", 7.0, "/s", None);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["rows"][0]["target"], serde_json::json!({ "at_least": 300.0 }));
    assert_eq!(json["rows"][1].get("target"), None);
}
