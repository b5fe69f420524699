//! The example does what it says.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Output};

fn run(arguments: &str) -> Output {
    let pack = concat!(env!("CARGO_MANIFEST_DIR"), "/pack");
    Command::new(env!("CARGO_BIN_EXE_run-a-pack")).args([pack, "quote_order", arguments]).output().unwrap()
}

#[test]
fn the_example_tells_checks_and_runs_a_command_in_fewer_than_40_lines() {
    let right = run(r#"{"lines": [{"cents": 250, "pieces": 3}]}"#);
    let said = String::from_utf8(right.stdout).unwrap();
    assert!(
        right.status.success() && said.contains("Helper total(order)") && said.contains(r#"{"cents":750}"#),
        "{said}"
    );
    let wrong = run(r#"{"lines": [{"cents": 250, "pieces": 0}]}"#);
    let refused = String::from_utf8(wrong.stderr).unwrap();
    assert!(!wrong.status.success() && refused.contains("at least one piece"), "{refused}");
    assert!(include_str!("../src/main.rs").lines().count() < 40);
}
