//! No test depends on the wall clock: tests wait for events, or for limits in virtual time. Where one sleeps or asks a real clock all the
//! same, the place stands in a list with its reason.
//!
//! What is looked for is what such places are written with ([`ALWAYS`], [`UNLESS_VIRTUAL`]), in every file of tests, fakes and the
//! scripts that try the program out. A place that is not in the list fails, and so does one in the list that is there no more.

use std::{collections::BTreeMap, process::Command};

/// What sleeps or asks the real clock wherever it stands.
const ALWAYS: &[&str] = &[
    "thread::sleep",
    "park_timeout",
    "recv_timeout",
    "wait_timeout",
    "set_read_timeout",
    "SystemClock",
    "SystemTime::now",
    "Timestamp::now",
    "Zoned::now",
    "while sleep ",
];

/// The same in the browser's tests and in scripts.
const IN_SCRIPTS: &[&str] = &[
    "setTimeout(",
    "waitForTimeout(",
    "Date.now(",
    "time.sleep(",
    "sleep 0",
    "sleep 1",
    "date -d",
    "date +",
    "read -t",
];

/// What goes by virtual time where a file stops its clock, and by the wall's everywhere else.
const UNLESS_VIRTUAL: &[&str] =
    &["Instant::now", "sleep(", "time::timeout(", "sleep_until(", " timeout(", "interval(", "interval_at("];

/// How a file says that its clock is stopped.
const VIRTUAL: &[&str] =
    &["start_paused", "in_virtual_time", "wait::stand", "wait::hold", "use tokio::time::{Instant, pause}"];

/// How a file says that its instants are the real clock's, whatever else it stops.
const REAL: &[&str] = &["std::time::Instant", "use std::time::{Duration, Instant}", "    time::{Duration, Instant},"];

/// File, how many places, and why they may stay.
type Excused = (&'static str, usize, &'static str);

const LIST: &[Excused] = &[
    (
        "crates/balcao-testkit/src/wait.rs",
        5,
        "the one place that waits for what others do: minutes, which only end what hangs, and pauses between two looks",
    ),
    (
        "crates/balcao-cli/tests/it/google.rs",
        1,
        "the program signs with the time of its machine, so the clock of the fake service shows the same",
    ),
    (
        "crates/balcao-testkit/src/postgres.rs",
        1,
        "who ends the server of the tests looks now and then whether it is used; no test waits for that",
    ),
    (
        "crates/balcao-cli/tests/it/attack/weight.rs",
        1,
        "how long an answer for health takes is printed; only the nightly run limits it",
    ),
    (
        "crates/balcao-testkit/src/fakes/graph/statuses.rs",
        1,
        "Meta comes again after a post that was not acknowledged; how soon decides nothing",
    ),
    (
        "crates/balcao-testkit/src/fakes/graph/webhooks.rs",
        1,
        "messages to the built program, which goes by the machine's clock, are written now",
    ),
    (
        "crates/balcao-testkit/src/fakes/graph.rs",
        1,
        "beside the built program the fake goes by the machine's clock as well; other tests give it theirs",
    ),
    (
        "crates/balcao-cli/tests/it/serve/faults.rs",
        1,
        "a promise in seconds: without its database the built program refuses within its limits, far over what a machine adds",
    ),
    (
        "crates/balcao-cli/tests/it/serve/load.rs",
        2,
        "P-16 is a promise in milliseconds, to which the nightly run holds the program: customers come at a rate",
    ),
    (
        "crates/balcao-pack/tests/it/search.rs",
        1,
        "a figure that is printed where somebody named a model; nothing is judged by it",
    ),
    (".ci/mutants", 1, "each day tries another part of a crate, which SHARD fixes; nothing is judged by it"),
    (
        ".ci/icalendar",
        2,
        "the visits of the sample are moved to the coming week, because the built program goes by the machine's clock here",
    ),
    ("tests/browser/world.js", 3, "the one place that waits for what a page shows: minutes, which only end what hangs"),
];

pub(crate) fn check() -> Result<String, String> {
    let listed = Command::new("git").arg("ls-files").output().map_err(|error| format!("git ls-files: {error}"))?;
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut found = BTreeMap::new();
    let mut count = 0;
    for file in files.lines() {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let Some(text) = tests_of(file, &text) else { continue };
        count += 1;
        found.insert(file.to_owned(), places(file, &text));
    }
    let problems = judge(&found, LIST);
    let excused: usize = LIST.iter().map(|(_, places, _)| places).sum();
    if problems.is_empty() {
        Ok(format!(
            "{count} files of tests; {excused} places in {} of them go by a real clock, with reasons",
            LIST.len()
        ))
    } else {
        Err(problems.join("\n"))
    }
}

/// Tests, fakes, and scripts that try the program out. This check speaks of what it looks for.
fn is_of_tests(file: &str) -> bool {
    let of_rust = file.ends_with(".rs") && (file.contains("/tests/") || file.ends_with("_tests.rs"));
    let of_fakes = file.starts_with("crates/balcao-testkit/src/");
    let scripts = file.starts_with(".ci/") || (file.starts_with("tests/browser/") && !file.ends_with(".json"));
    (of_rust || of_fakes || scripts) && !file.starts_with("xtask/src/clocks")
}

/// The tests of a file; in a file of the program the lines before its tests are empty. `None` if the file has no tests.
fn tests_of(file: &str, text: &str) -> Option<String> {
    const INLINE: &str = "\n#[cfg(test)]\nmod tests {\n";
    if is_of_tests(file) {
        return Some(text.to_owned());
    }
    let program = text.find(INLINE).filter(|_| file.starts_with("crates/") && file.ends_with(".rs"))?;
    let (before, tests) = text.split_at(program);
    Some("\n".repeat(before.matches('\n').count()) + tests)
}

/// Numbers of the lines that sleep or ask a real clock, each with what says so.
fn places(file: &str, text: &str) -> Vec<(usize, &'static str)> {
    let is_virtual = VIRTUAL.iter().any(|mark| text.contains(mark)) && !REAL.iter().any(|mark| text.contains(mark));
    let further = match (file.ends_with(".rs"), is_virtual) {
        (false, _) => IN_SCRIPTS,
        (true, false) => UNLESS_VIRTUAL,
        (true, true) => &[],
    };
    let mut found = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim_start();
        // An import or a definition is no use, and what is said of the matter is none either.
        let is_spoken_of = ["//", "use ", "pub use ", "fn ", "async fn "].iter().any(|begin| line.starts_with(begin));
        if !is_spoken_of {
            found.extend(ALWAYS.iter().chain(further).find(|word| line.contains(**word)).map(|word| (number, *word)));
        }
    }
    found
}

/// What is wrong: places that nobody excused, and excuses for places that are gone.
fn judge(found: &BTreeMap<String, Vec<(usize, &'static str)>>, list: &[Excused]) -> Vec<String> {
    let mut problems = Vec::new();
    for (file, places) in found {
        let excused = list.iter().find(|(known, ..)| known == file).map_or(0, |(_, places, _)| *places);
        if places.len() > excused {
            let told = places.iter().map(|(number, word)| format!("{file}:{number}: `{word}`"));
            problems.push(format!(
                "{}\n{file}: {} places go by a real clock, and {excused} are excused: wait for an event, or let virtual time pass \
                 (balcao-testkit's `wait`), or say in xtask/src/clocks.rs why it may stay",
                told.collect::<Vec<_>>().join("\n"),
                places.len()
            ));
        }
    }
    for (file, excused, _) in list {
        let there = found.get(*file).map_or(0, Vec::len);
        if there < *excused {
            problems
                .push(format!("{file}: {excused} places are excused in xtask/src/clocks.rs, and there are {there}"));
        }
    }
    problems
}

#[cfg(test)]
#[path = "clocks_tests.rs"]
mod tests;
