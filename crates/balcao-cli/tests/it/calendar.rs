//! How a shop links external calendars at the command line. No service is connected here.

use std::path::Path;

use serde_json::Value;
use tempfile::tempdir;

use crate::{code, err, out, root, run};

const CALENDAR: &str = "wesley@group.calendar.example";

fn calendar(folder: &Path, arguments: &[&str]) -> std::process::Output {
    run(folder, &[&["calendar"], arguments].concat(), "")
}

#[test]
fn calendars_are_linked_shown_and_unlinked() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let sample = root().join("samples/barbearia-figueira.yaml");
    let seeded = run(folder, &["seed", sample.to_str().unwrap()], "");
    assert_eq!(code(&seeded), 0, "{}", err(&seeded));

    let unknown = calendar(folder, &["link", "Zuleica", CALENDAR]);
    assert!(code(&unknown) == 1 && err(&unknown).contains("expected one of: "), "{}", err(&unknown));
    let linked = calendar(folder, &["link", "Wesley Moura", CALENDAR, "--write"]);
    assert_eq!(code(&linked), 0, "{}", err(&linked));
    let other = calendar(folder, &["link", "Wesley Moura", "other@group.calendar.example", "--write"]);
    assert!(code(&other) == 1 && err(&other).contains("unlink that one first"), "{}", err(&other));

    let text = out(&calendar(folder, &["status"]));
    assert!(text.contains("service: none connected"), "{text}");
    assert!(text.contains("written  never read, too old: nothing is offered"), "{text}");
    let status: Value = serde_json::from_str(&out(&calendar(folder, &["status", "--json"]))).unwrap();
    assert_eq!(status["links"][0]["calendar"], CALENDAR);
    assert_eq!(status["links"][0]["is_written"], true);
    assert_eq!(status["last_comparison"], Value::Null);

    let synced = calendar(folder, &["sync"]);
    assert!(code(&synced) == 1 && err(&synced).contains("no calendar service is connected"), "{}", err(&synced));
    assert_eq!(out(&calendar(folder, &["conflicts"])).trim(), "no conflicts with calendars");
    let missing = calendar(folder, &["resolve", "3", "--restore"]);
    assert!(code(&missing) == 1 && err(&missing).contains("unknown conflict 3"), "{}", err(&missing));
    assert_eq!(code(&calendar(folder, &["resolve", "3"])), 2, "a choice is needed");

    let unlinked = calendar(folder, &["unlink", "Wesley Moura", CALENDAR]);
    assert_eq!(code(&unlinked), 0, "{}", err(&unlinked));
    let again = calendar(folder, &["unlink", "Wesley Moura", CALENDAR]);
    assert!(code(&again) == 1 && err(&again).contains("is not linked to Wesley Moura"), "{}", err(&again));
}
