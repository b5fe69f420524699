//! Servers that say what they should not.

use std::{
    sync::{
        Mutex,
        mpsc::{Sender, channel},
    },
    time::Duration,
};

use balcao_connector::Outcome;
use balcao_mcp::{Connection, FailureKind, Health, Server};
use balcao_testkit::wait;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

use crate::world::{LONG, PROGRAM, Starting, World, call, call_in_vain, reach};

#[tokio::test]
async fn an_accepted_tool_answers_and_its_server_gets_no_environment_but_what_is_stated() {
    let world = World::new(&["echo", "environment", "text"]);
    let server = world.accepted(json!({"env": {"TOKEN": "{settings.token}"}})).await;
    let arguments = json!({"a": ["ação", null]});
    let said = server.call("echo", arguments.as_object().unwrap().clone(), LONG).await.unwrap();
    assert_eq!(said["structuredContent"], json!({"said": arguments}));
    let environment = call(&server, "environment").await.unwrap();
    assert_eq!(environment["structuredContent"], json!({"TOKEN": "0987654321-terces-ks"}));
    assert_eq!(call(&server, "text").await.unwrap()["content"][0]["text"], json!("{\"n\": 1}"));
    assert_eq!(world.logged("start"), 1);
    assert!(!format!("{server:?}").contains("sk-secret"));
}

#[tokio::test]
async fn servers_of_both_revisions_and_those_that_write_other_things_besides_are_understood() {
    for (modes, handshake) in [("modern", "auto"), ("", "auto"), ("", "initialize")] {
        let world = World::new(&["echo", "noise"]);
        world.modes(modes);
        let server = world.accepted(json!({"handshake": handshake})).await;
        let said = call(&server, "noise").await.unwrap();
        assert_eq!(said["structuredContent"], json!({"said": "after noise"}), "{modes} {handshake}");
        assert!(call(&server, "echo").await.is_ok());
    }
}

#[tokio::test]
async fn what_is_no_answer_is_a_fault_whose_outcome_nobody_knows_and_10_mb_are_not_read() {
    for tool in ["wrong_types", "no_result", "huge", "many", "error"] {
        let world = World::new(&[tool, "echo"]);
        let server = world.accepted(json!({"restart": {"base_ms": 10, "max_ms": 10}})).await;
        let error = call(&server, tool).await.unwrap_err();
        assert_eq!(error.outcome, Outcome::Unknown, "{tool}: {}", error.for_staff());
        assert!(!error.to_tool_error().to_model(None, balcao_tool::Locale::En).to_string().contains("obey"), "{tool}");
        // Nothing is sent again, and the server is of use all the same.
        world.clock.turn(Duration::from_secs(1));
        assert!(call(&server, "echo").await.is_ok(), "{tool}");
        assert_eq!(world.logged(&format!("call {tool}")), 1, "{tool}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_costs_the_call_its_time_and_no_more() {
    let world = World::new(&["hang", "echo"]);
    let server = world.accepted(json!({})).await;
    let error = call_in_vain(&server, "hang", world.notes("call hang")).await;
    assert_eq!((error.kind, error.outcome), (FailureKind::Timeout, Outcome::Unknown));
}

#[tokio::test]
async fn a_server_that_hangs_is_ended_by_the_question_whether_it_is_well_and_started_again() {
    let world = World::new(&["hang", "echo"]);
    let server = world.accepted(json!({})).await;
    call_in_vain(&server, "hang", world.notes("call hang")).await;
    assert!(matches!(server.health().await, Health::Down(why) if why.contains("no list of tools")));
    let _time = wait::hold();
    world.clock.turn(Duration::from_secs(2));
    assert!(call(&server, "echo").await.is_ok());
    assert_eq!(world.logged("start"), 2);
    assert_eq!(server.health().await, Health::Up(Vec::new()));
}

#[tokio::test]
async fn a_93_a_server_that_wants_to_ask_people_is_declined() {
    let world = World::new(&["ask", "echo"]);
    let server = world.accepted(json!({})).await;
    assert_eq!(call(&server, "ask").await.unwrap()["structuredContent"], json!({"said": "asked"}));
    // What we answered has been read once something after it was.
    call(&server, "echo").await.unwrap();
    let told = world.log();
    let declined = |id: &str, words: &str| told.iter().any(|line| line.contains(id) && line.contains(words));
    assert!(declined("q1", "decline") || declined("q1", "error"), "{told:#?}");
    assert!(declined("q2", "error"), "{told:#?}");
    assert!(declined("q3", "\"roots\":[]") || declined("q3", "error"), "{told:#?}");
}

#[tokio::test]
async fn a_92_endless_lists_of_tools_are_not_read() {
    let world = World::new(&["echo"]);
    world.modes("many");
    let error = world.server(json!({})).review().await.unwrap_err();
    assert!(error.for_staff().contains("max_tools") || error.for_staff().contains("pages"), "{}", error.for_staff());
    // Pages without a tool count as well.
    world.modes("empty_pages");
    let error = world.server(json!({})).review().await.unwrap_err();
    assert!(error.for_staff().contains("more than 32 pages"), "{}", error.for_staff());
}

#[test]
fn a_91_only_programs_that_the_operator_listed_are_started_and_command_lines_hold_no_settings() {
    let read = |value| Connection::read(&value);
    for (connection, words) in [
        (json!({"command": "npx", "args": ["x"]}), "whole path"),
        (json!({"command": "/bin/sh", "args": ["-c", "{settings.token}"]}), "holds no settings"),
        (json!({"command": "/bin/sh", "url": "https://example.com"}), "not both"),
        (json!({}), "where the server is"),
        (json!({"url": "https://example.com", "env": {"A": "b"}}), "neither"),
        (json!({"command": "/bin/sh", "auth": {"bearer": "x"}}), "environment"),
    ] {
        let problems = read(connection).unwrap_err();
        assert!(problems.iter().any(|problem| problem.to_string().contains(words)), "{words}: {problems:?}");
    }
    let world = World::new(&[]);
    let open = |connection| {
        let connection = read(connection).unwrap();
        let settings = balcao_connector::Settings::new();
        Server::open(&connection, settings, &reach(), world.clock.clone(), world.pins())
    };
    let refused = open(json!({"command": "/bin/sh", "args": ["-c", "true"]})).unwrap_err();
    assert!(refused[0].to_string().contains("not among the programs"), "{refused:?}");
    // A program is permitted with its arguments.
    let written = read(json!({"command": PROGRAM, "args": ["a b", "c"]})).unwrap();
    let permitted = reach().starting(&written);
    let opened = |connection: &Connection| {
        let settings = balcao_connector::Settings::new();
        Server::open(connection, settings, &permitted, world.clock.clone(), world.pins())
    };
    assert_eq!(opened(&written).unwrap().describe(), format!("{PROGRAM} [\"a b\", \"c\"]"));
    let other = read(json!({"command": PROGRAM, "args": ["-c", "touch /tmp/owned"]})).unwrap();
    assert!(opened(&other).unwrap_err()[0].to_string().contains("not among the programs"));
}

#[tokio::test]
async fn what_a_server_echoes_of_a_secret_is_in_no_result() {
    let world = World::new(&["leak"]);
    let server = world.accepted(json!({})).await;
    let told = call(&server, "leak").await.unwrap().to_string();
    assert!(told.contains("Bearer") && told.contains('…'), "{told}");
    for part in ["secret-1", "67890", "VjcmV0LTEyMzQ1"] {
        assert!(!told.contains(part), "{part}: {told}");
    }
}

/// A runtime with one thread to serve on and one beside it, and what keeps the latter busy until it is dropped.
fn busy_runtime() -> (Runtime, Sender<()>) {
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(1).build().unwrap();
    let (busy, until_dropped) = channel::<()>();
    runtime.spawn_blocking(move || until_dropped.recv());
    (runtime, busy)
}

#[test]
fn a_large_answer_is_struck_beside_the_thread_that_serves_others() {
    let (runtime, busy) = busy_runtime();
    runtime.block_on(async {
        let world = World::new(&["leak_much", "echo"]);
        let server = world.accepted(json!({})).await;
        let order = Mutex::new(Vec::new());
        let large = async {
            let told = call(&server, "leak_much").await.unwrap();
            order.lock().unwrap().push("large");
            told
        };
        // The server answers in the order in which it is asked.
        let small = async {
            call(&server, "echo").await.unwrap();
            order.lock().unwrap().push("small");
            drop(busy);
        };
        let (told, ()) = futures::join!(large, small);
        assert_eq!(told["structuredContent"]["seen"], "Bearer …");
        assert_eq!(*order.lock().unwrap(), ["small", "large"]);
    });
}

#[test]
fn a_large_answer_that_is_not_struck_in_time_is_not_given_on() {
    let (runtime, _busy) = busy_runtime();
    runtime.block_on(async {
        let world = World::new(&["leak_much", "echo"]);
        let server = world.accepted(json!({})).await;
        tokio::time::pause();
        // Both are read by the time that the small answer is there.
        let small = async {
            call(&server, "echo").await.unwrap();
            // A timer ends on a whole millisecond behind its deadline.
            tokio::time::advance(LONG + Duration::from_millis(1)).await;
        };
        let (large, ()) = futures::join!(call(&server, "leak_much"), small);
        let error = large.unwrap_err();
        assert_eq!((error.kind, error.outcome), (FailureKind::Timeout, Outcome::Unknown));
        assert!(error.for_staff().contains("not read in time"), "{}", error.for_staff());
    });
}

#[tokio::test]
async fn a_server_that_asks_without_end_and_does_not_read_is_left() {
    let world = World::new(&["jam", "echo"]);
    let server = world.accepted(json!({"restart": {"base_ms": 10, "max_ms": 10}})).await;
    let error = call(&server, "jam").await.unwrap_err();
    assert_ne!(error.kind, FailureKind::Timeout, "{}", error.for_staff());
    world.clock.turn(Duration::from_secs(1));
    assert!(call(&server, "echo").await.is_ok());
}

#[tokio::test]
async fn a_server_that_asks_by_a_very_long_id_is_left() {
    let world = World::new(&["ask_by_a_long_id", "echo"]);
    let server = world.accepted(json!({"restart": {"base_ms": 10, "max_ms": 10}})).await;
    let error = call(&server, "ask_by_a_long_id").await.unwrap_err();
    assert_ne!(error.kind, FailureKind::Timeout, "{}", error.for_staff());
    world.clock.turn(Duration::from_secs(1));
    assert!(call(&server, "echo").await.is_ok());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_server_started_ends_with_it() {
    let world = World::new(&["fork"]);
    let server = world.accepted(json!({})).await;
    let told = call(&server, "fork").await.unwrap();
    let process = format!("/proc/{}/stat", told["structuredContent"]["pid"]);
    assert!(std::path::Path::new(&process).exists());
    drop(server);
    // What nobody waits for stays as a zombie where no process of the machine takes it up.
    let ended = move || std::fs::read_to_string(&process).map_or(true, |stat| stat.contains(") Z "));
    tokio::task::spawn_blocking(move || wait::until("its child ends", || ended().then_some(()))).await.unwrap();
}

#[tokio::test]
async fn a_trial_run_calls_no_server() {
    let world = World::new(&["echo"]);
    let server = world.accepted(json!({})).await;
    drop(server);
    let starts = world.logged("start");
    let connection = Connection::read(&world.connection(json!({}))).unwrap();
    let mut reach = reach().starting(&connection);
    reach.egress.safe_only = true;
    let settings = balcao_connector::Settings::new();
    let server = Server::open(&connection, settings, &reach, world.clock.clone(), world.pins()).unwrap();
    let error = call(&server, "echo").await.unwrap_err();
    assert!(error.for_staff().contains("trial run"), "{}", error.for_staff());
    assert_eq!(world.logged("start"), starts);
}
