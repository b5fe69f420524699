//! The written contract is the table of the tests.

use std::{collections::BTreeSet, fmt::Write, path::Path};

use crate::row::Row;

/// Every part of the contract, in the order in which it is read.
const PARTS: &[(&str, &[Row])] = &[
    ("Guardrails", crate::guardrails::ROWS),
    ("Rounds and answers", crate::rounds::ROWS),
    ("Checking calls", crate::calls::ROWS),
    ("Circuit breaker and corrections", crate::breaker::ROWS),
    ("Budgets, clocks and failing models", crate::budgets::ROWS),
    ("Running calls", crate::running::ROWS),
    ("Confirmation", crate::confirm::ROWS),
    ("The structured protocol", crate::structured::ROWS),
    ("Handoff", crate::handoff::ROWS),
    ("What reaches the customer", crate::reply::ROWS),
    ("Saving and going on", crate::saving::ROWS),
    ("Hostile models", crate::hostile::ROWS),
];

const HEAD: &str = "# Loop contract

What a turn does in which situation. Each row is a test of
`crates/balcao-agent/tests/loop_contract`, run under the protocols of its last column; `both` is the provider's own tool
calling and one JSON object a step. This file is written from the tests by `cargo run -p xtask -- contract`.
";

fn document() -> String {
    let mut text = HEAD.to_owned();
    for (title, rows) in PARTS {
        write!(text, "\n## {title}\n\n| id | situation | required behaviour | protocols |\n|---|---|---|---|\n")
            .unwrap();
        for row in *rows {
            writeln!(text, "| {} | {} | {} | {} |", id(row), row.situation, row.behaviour, row.protocols).unwrap();
        }
    }
    text
}

fn id(row: &Row) -> String {
    row.id.to_uppercase().replace('_', "-")
}

#[test]
fn the_written_contract_is_that_of_the_tests() {
    let fresh = document();
    // `xtask contract` copies this file to its place.
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("LOOP-CONTRACT.md"), &fresh).unwrap();
    let written = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/LOOP-CONTRACT.md");
    let kept = std::fs::read_to_string(written).unwrap_or_default();
    assert!(kept == fresh, "docs/LOOP-CONTRACT.md is not up to date: run `cargo run -p xtask -- contract`");
}

#[test]
fn the_contract_has_its_rows_and_each_has_an_id_of_its_own() {
    let rows: Vec<&Row> = PARTS.iter().flat_map(|(_, rows)| *rows).collect();
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.id).collect();
    assert_eq!(ids.len(), rows.len(), "an id is used twice");
    assert!(ids.len() >= 120, "only {} rows", ids.len());
    for row in rows {
        assert!(!row.situation.contains('|') && !row.behaviour.contains('|'), "{} breaks the table", row.id);
    }
}
