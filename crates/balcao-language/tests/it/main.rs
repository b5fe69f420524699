//! How much of Microsoft's Portuguese recogniser cases we read alike. The figures are pinned: a rise is welcome and is
//! written down here, a fall is a fault.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stderr, reason = "tests")]

mod numbers;

use std::path::{Path, PathBuf};

use balcao_language::{Agreement, DateSpan, TimeReading, agreement, find_dates, find_times};
use jiff::civil::{Date, DateTime, Time};
use serde_json::Value;

fn cases(name: &str) -> Option<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material/portuguese/recognizers-text");
    let path: PathBuf = root.join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: {} does not exist", path.display());
        return None;
    };
    Some(serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap())
}

/// True unless none of the source's own four programs reads the case.
fn supported(case: &Value) -> bool {
    let not = case["NotSupported"].as_str().unwrap_or_default();
    !["dotnet", "javascript", "java", "python"].iter().all(|program| not.split(',').any(|one| one.trim() == *program))
}

/// The reference day and the expected text and value of every case that expects exactly one thing.
fn singles<'a>(cases: &'a [Value], key: &str) -> Vec<(&'a str, Date, &'a str)> {
    let single = |case: &'a Value| {
        let results = case["Results"].as_array().filter(|results| results.len() == 1)?;
        let value = results[0]["Value"]["FutureResolution"][key].as_str()?;
        let reference = case["Context"]["ReferenceDateTime"].as_str().unwrap_or("2016-11-07T00:00:00");
        let today = reference.parse::<DateTime>().unwrap().date();
        Some((case["Input"].as_str().unwrap(), today, value))
    };
    cases.iter().filter_map(single).collect()
}

#[test]
fn single_dates() {
    let Some(cases) = cases("DateTime/DateParser.json") else { return };
    let singles = singles(&cases, "date");
    let read = |(text, today, want): &(&str, Date, &str)| {
        let found = find_dates(text, *today);
        found.len() == 1 && found[0].reading == Ok(DateSpan::Day(want.parse().unwrap()))
    };
    let (alike, missed): (Vec<_>, Vec<_>) = singles.iter().copied().partition(read);
    assert_eq!((alike.len(), singles.len()), DATES, "missed: {missed:#?}");
}

#[test]
fn single_times() {
    let Some(cases) = cases("DateTime/TimeParser.json") else { return };
    let singles = singles(&cases, "time");
    let read = |(text, _, want): &(&str, Date, &str)| {
        let want: Time = want.parse().unwrap();
        let found = find_times(text);
        // Seconds do not exist at a front desk.
        let minute = want.with().second(0).build().unwrap();
        found.len() == 1 && matches!(found[0].reading, TimeReading::At { time, .. } if time == minute)
    };
    let (alike, missed): (Vec<_>, Vec<_>) = singles.iter().copied().partition(read);
    assert_eq!((alike.len(), singles.len()), TIMES, "missed: {missed:#?}");
}

#[test]
fn dates_with_times() {
    let Some(cases) = cases("DateTime/DateTimeParser.json") else { return };
    let singles = singles(&cases, "dateTime");
    let read = |(text, today, want): &(&str, Date, &str)| {
        let want: DateTime = want.replace(' ', "T").parse().unwrap();
        let minute = want.time().with().second(0).build().unwrap();
        let days = find_dates(text, *today);
        let times = find_times(text);
        days.len() == 1
            && times.len() == 1
            && days[0].reading == Ok(DateSpan::Day(want.date()))
            && matches!(times[0].reading, TimeReading::At { time, .. } if time == minute)
    };
    let (alike, missed): (Vec<_>, Vec<_>) = singles.iter().copied().partition(read);
    assert_eq!((alike.len(), singles.len()), DATE_TIMES, "missed: {missed:#?}");
}

/// The recogniser finds a "sim" anywhere; a confirmation must not. What hedges, negates or goes on is not.
#[test]
fn plain_agreement_is_yes_and_hedged_agreement_is_not() {
    let Some(cases) = cases("Choice/BooleanModel.json") else { return };
    let mut yes = 0;
    for case in &cases {
        let text = case["Input"].as_str().unwrap();
        let hedged = ["Acho", "não"].iter().any(|word| text.contains(word));
        let found = agreement(text);
        let fits =
            if hedged { matches!(found, Agreement::Unclear | Agreement::Contested) } else { found == Agreement::Yes };
        assert!(fits, "{text:?} is {found:?}");
        yes += usize::from(!hedged);
    }
    assert_eq!((yes, cases.len()), (4, 7));
}

/// Both missed ones name a weekday that their date does not have: a problem here, a date there.
const DATES: (usize, usize) = (31, 33);
/// Four of the missed ones are bare hours up to 7 (the afternoon here) or have no sign of a time ("São oito e quinze").
const TIMES: (usize, usize) = (18, 23);
/// None of the missed ones is a clock time: "agora", "ao final do dia".
const DATE_TIMES: (usize, usize) = (24, 30);
