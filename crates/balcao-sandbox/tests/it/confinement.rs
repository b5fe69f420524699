//! What code that broke out of the engine could reach: nothing.

use std::process::{Command, Output};

use balcao_sandbox::{Bundle, Helper, Launcher, Sandbox};
use serde_json::json;

use crate::{PROBE, generous, one};

fn confined(what: &str) -> Output {
    Command::new(PROBE).args(["confined", what]).output().unwrap()
}

/// Whether this machine's kernel has the filter; if not, there is nothing to test and the test says so.
fn filtered() -> bool {
    let said = String::from_utf8(confined("nothing").stdout).unwrap();
    let on = said.starts_with("system call filter on");
    if !on {
        balcao_skip::skip(&format!("the kernel filters no system calls: {said}"));
    }
    on
}

#[cfg(target_os = "linux")]
#[test]
fn a_71_a_78_whatever_reaches_outside_kills_the_process() {
    use std::os::unix::process::ExitStatusExt;
    if !filtered() {
        return;
    }
    for what in [
        "open",
        "create",
        "list",
        "connect",
        "listen",
        "udp",
        "unix-socket",
        "exec",
        "fork",
        "thread",
        "signal",
        "limits",
    ] {
        let output = confined(what);
        assert_eq!(output.status.signal(), Some(31), "{what}: {output:?}");
        assert!(!String::from_utf8(output.stdout).unwrap().contains(&format!("{what}:")), "{what} went on");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_67_the_process_has_less_memory_than_the_machine() {
    if !filtered() {
        return;
    }
    let output = confined("memory");
    assert!(!output.status.success(), "{output:?}");
}

#[tokio::test]
async fn the_report_says_what_stands() {
    let confinement = one("() => 1").warm().await.unwrap();
    let said = confinement.to_string();
    assert!(said.contains("system call filter") && said.contains("resource limits"), "{said}");
    #[cfg(target_os = "linux")]
    assert!(confinement.resource_limits);
    assert_eq!(confinement.holds(), filtered());
}

#[tokio::test]
async fn a_worker_has_no_environment() {
    let bundle = Bundle::new(vec![Helper::javascript("it", "it.js", "() => 1")]).unwrap();
    let sandbox = Sandbox::new(bundle, Launcher::new(PROBE, &["bare-environment"]), 1);
    assert_eq!(sandbox.call(&generous("it", &[])).await.unwrap(), json!(1));
}
