//! Servers that die, do not start, or start slowly.

use std::time::Duration;

use balcao_connector::Outcome;
use balcao_mcp::{FailureKind, Health};
use balcao_testkit::wait;
use serde_json::{Map, json};

use crate::world::{LONG, PROGRAM, World, call};

#[tokio::test]
async fn a_server_that_dies_in_a_call_leaves_its_outcome_unknown_and_is_started_again_ever_more_rarely() {
    let world = World::new(&["die", "echo"]);
    let server = world.accepted(json!({"restart": {"base_ms": 1_000, "max_ms": 3_000}})).await;
    // One answer, and what was before is forgotten.
    call(&server, "echo").await.unwrap();
    let error = call(&server, "die").await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (FailureKind::Unavailable, Outcome::Unknown), "{}", error.for_staff());
    assert_eq!(world.logged("call die"), 1);
    let mut waits = Vec::new();
    for _ in 0..4 {
        let mut waited = 0;
        loop {
            let error = call(&server, "die").await.unwrap_err();
            if error.outcome == Outcome::Unknown {
                break;
            }
            assert_eq!(error.kind, FailureKind::Unavailable, "{}", error.for_staff());
            world.clock.turn(Duration::from_millis(500));
            waited += 500;
        }
        waits.push(waited);
    }
    assert_eq!(waits, [0, 1_000, 2_000, 3_000]);
    assert_eq!((world.logged("start"), world.logged("call die")), (5, 5));
    world.clock.turn(Duration::from_secs(3));
    assert!(call(&server, "echo").await.is_ok());
}

#[tokio::test]
async fn u05_a_server_that_eats_its_memory_costs_its_call_alone() {
    if !cfg!(unix) {
        return;
    }
    let world = World::new(&["eat", "echo"]);
    let limited = format!("ulimit -v 400000; exec {PROGRAM} {}", world.folder.path().display());
    let server = world.accepted(json!({"command": "/bin/sh", "args": ["-c", limited]})).await;
    let error = call(&server, "eat").await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (FailureKind::Unavailable, Outcome::Unknown), "{}", error.for_staff());
    world.clock.turn(Duration::from_secs(600));
    assert!(call(&server, "echo").await.is_ok());
}

#[tokio::test]
async fn of_many_calls_at_once_one_starts_the_server() {
    let world = World::new(&["echo"]);
    world.accepted(json!({})).await;
    let before = world.logged("start");
    let server = world.server(json!({}));
    let calls = (0..20).map(|_| call(&server, "echo"));
    assert!(futures::future::join_all(calls).await.into_iter().all(|said| said.is_ok()));
    assert_eq!(world.logged("start") - before, 1);
}

#[tokio::test]
async fn a_slow_start_outlives_the_calls_that_gave_up_on_it() {
    let world = World::new(&["echo"]);
    world.accepted(json!({})).await;
    let gate = world.gate("start");
    let server = world.server(json!({}));
    wait::stand_until(gate.is_reached());
    for _ in 0..3 {
        // So much less than the start may take.
        let error = server.call("echo", Map::new(), LONG / 100).await.unwrap_err();
        assert_eq!((error.kind, error.outcome), (FailureKind::Timeout, Outcome::NotDone));
    }
    let _time = wait::hold();
    drop(gate);
    assert!(server.call("echo", Map::new(), LONG).await.is_ok());
    assert_eq!(world.logged("start"), 2);
}

#[tokio::test]
async fn a_server_that_does_not_start_is_told_of_with_its_own_complaint_for_staff() {
    let world = World::new(&["echo"]);
    world.accepted(json!({})).await;
    world.modes("dead");
    let server = world.server(json!({}));
    let Health::Down(why) = server.health().await else { panic!() };
    assert!(!why.is_empty() && !why.contains("sk-secret"), "{why}");
    let error = call(&server, "echo").await.unwrap_err();
    assert_eq!((error.kind, error.outcome), (FailureKind::Unavailable, Outcome::NotDone));
    assert!(
        error.for_staff().contains("started again in") && !error.for_staff().contains("sk-secret"),
        "{}",
        error.for_staff()
    );
    world.modes("");
    world.clock.turn(Duration::from_secs(60));
    assert_eq!(server.health().await, Health::Up(Vec::new()));
}

/// Some servers answer whatever they do not know with an empty result, the newer greeting among it.
#[tokio::test]
async fn a_server_that_answers_the_newer_greeting_with_nothing_is_greeted_as_an_older_one() {
    let world = World::new(&["echo"]);
    world.modes("agreeable");
    let server = world.accepted(json!({})).await;
    call(&server, "echo").await.unwrap();
    assert_eq!(world.logged("call echo"), 1);
}
