//! The load generator as a person starts it.
#![expect(clippy::unwrap_used, reason = "tests")]

use assert_cmd::Command;

fn balcao_load(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("balcao-load").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn help_names_every_option() {
    let (code, out, _) = balcao_load(&["--help"]);
    assert_eq!(code, Some(0));
    for option in ["--only", "--seconds", "--conversations", "--postgres", "--no-sqlite", "--json"] {
        assert!(out.contains(option), "{option} is missing:\n{out}");
    }
}

#[test]
fn unknown_measurement_is_wrong_usage() {
    let (code, _, said) = balcao_load(&["--only", "everything"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("webhooks, turns, flight, contention"), "{said}");
}

#[test]
fn unreachable_postgresql_is_an_error() {
    let (code, out, said) = balcao_load(&["--no-sqlite", "--postgres", "postgres://postgres@127.0.0.1:1/postgres"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(said.contains("error: "), "{said}");
}
