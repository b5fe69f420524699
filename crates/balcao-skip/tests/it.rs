//! A skip is seen by a runner that hides the output of tests that pass.

use std::{env, fs, process::Command};

/// Set in the process that skips.
const CHILD: &str = "BALCAO_SKIP_CHILD";

#[test]
fn skip_appends_line_with_place_and_reason() {
    if env::var_os(CHILD).is_some() {
        balcao_skip::skip("the tool\nis missing");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let collected = folder.path().join("skipped");
    for _ in 0..2 {
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["--exact", "skip_appends_line_with_place_and_reason"]);
        let output = child.env(CHILD, "1").env(balcao_skip::VARIABLE, &collected).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let line = "crates/balcao-skip/tests/it.rs: the tool is missing\n";
    assert_eq!(fs::read_to_string(&collected).unwrap(), line.repeat(2));
}
