//! The API of the real server: a key from the command line, a turn of the offline model, and what is left of both.

use std::path::Path;
use std::process::Command;

use balcao_testkit::postgres::Database;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::server::{Running, ask, try_ask};
use crate::{code, err, out, root, run};

/// What is killed is taken over soon.
const SHORT_LEASES: &str = "lease_s = 2\nallow_short_lease = true\n";

/// A seeded database, and a server over it.
fn serve(folder: &Path) -> Running {
    serve_on(folder, "")
}

fn serve_on(folder: &Path, more: &str) -> Running {
    let config = format!("[server]\nlisten = \"127.0.0.1:0\"\n{more}");
    std::fs::write(folder.join("balcao.toml"), config).unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml");
    let seeded = run(folder, &["seed", sample.to_str().unwrap()], "");
    assert_eq!(code(&seeded), 0, "{}", err(&seeded));
    Running::start(folder, &["serve", "--model", "offline"])
}

fn key(folder: &Path, arguments: &[&str]) -> String {
    let made = run(folder, &[&["key", "create", "--name", "tests"], arguments].concat(), "");
    assert_eq!(code(&made), 0, "{}", err(&made));
    out(&made).trim().to_owned()
}

#[test]
fn a_key_opens_the_api_until_it_is_revoked() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let server = serve(folder);
    let key = key(folder, &["--scope", "turn,read", "--days", "30"]);
    assert!(key.starts_with("bk_") && key.len() == 46, "{key}");
    let body = json!({ "conversation": "c1", "text": "quais os serviços?", "contact": { "phone": "31 99640-1177" } });
    let (status, answer) = ask(&server, "POST", "/v1/turn", &key, Some(&body));
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["outcome"], "reply");
    assert!(answer["reply"].as_str().unwrap().contains("Corte na tesoura"), "{answer}");
    let (status, answer) = ask(&server, "POST", "/v1/appointments", &key, Some(&json!({})));
    assert_eq!((status, answer["code"].as_str()), (403, Some("insufficient_scope")));

    let listed = run(folder, &["keys", "list"], "");
    let line = out(&listed);
    for expected in ["key_1", "tests", "turn, read", "600 a minute", "last used", "expires"] {
        assert!(line.contains(expected), "«{expected}» is not in {line}");
    }
    assert!(!line.contains(&key), "the key is shown twice");
    let listed: Value = serde_json::from_str(&out(&run(folder, &["key", "list", "--json"], ""))).unwrap();
    assert_eq!(listed[0]["scopes"], json!(["turn", "read"]));
    assert_eq!(code(&run(folder, &["key", "revoke", "key_1"], "")), 0);
    assert_eq!(ask(&server, "GET", "/v1/services", &key, None).0, 401);
    assert!(out(&run(folder, &["key", "list"], "")).contains("revoked"));
    let again = run(folder, &["key", "revoke", "1"], "");
    assert!(code(&again) == 1 && err(&again).contains("balcao key list"), "{}", err(&again));
}

#[test]
fn what_no_key_can_be_says_what_one_can() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    run(folder, &["seed", &root().join("samples/barbearia-figueira.yaml").display().to_string()], "");
    assert!(out(&run(folder, &["key", "list"], "")).contains("balcao key create"));
    for (arguments, exit, expected) in [
        (vec!["--scope", "reed"], 2, "did you mean `read`?"),
        (vec![], 2, "--scope"),
        (vec!["--scope", "read", "--days", "0"], 2, "--days"),
        (vec!["--scope", "read", "--per-minute", "0"], 2, "--per-minute"),
        (vec!["--scope", "read", "--name", " "], 1, "1 to 100 characters"),
    ] {
        let name = if arguments.contains(&"--name") { vec![] } else { vec!["--name", "x"] };
        let output = run(folder, &[&["key", "create"], &name[..], &arguments[..]].concat(), "");
        assert_eq!(code(&output), exit, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(code(&run(folder, &["key", "revoke", "cnv_1"], "")), 2);
}

#[test]
fn a_turn_that_is_killed_is_answered_once_to_who_asks_again() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let server = serve_on(folder, SHORT_LEASES);
    let key = key(folder, &["--scope", "turn", "--scope", "read"]);
    let address = server.address.clone();
    let body = json!({ "conversation": "c1", "text": "quero marcar barba terça às 10h" });
    // Killed somewhere between the request and its answer.
    let asking = {
        let (key, body) = (key.clone(), body.clone());
        std::thread::spawn(move || try_ask(&address, "POST", "/v1/turn", &key, Some("k1"), Some(&body)))
    };
    std::thread::yield_now();
    server.kill();
    drop(asking.join().unwrap());
    let server = Running::start(folder, &["serve", "--model", "offline"]);
    let ask_again = || try_ask(&server.address, "POST", "/v1/turn", &key, Some("k1"), Some(&body)).unwrap();
    let (first, second) = (ask_again(), ask_again());
    assert_eq!((first.0, &first.1), (200, &second.1), "{first:?}");
    let id = first.1["conversation_id"].as_str().unwrap();
    let (_, said) = ask(&server, "GET", &format!("/v1/conversations/{id}/messages"), &key, None);
    let authors: Vec<&str> =
        said["items"].as_array().unwrap().iter().map(|one| one["author"].as_str().unwrap()).collect();
    assert_eq!(authors, ["agent", "contact"], "{said}");
}

#[test]
fn two_servers_over_one_postgresql_are_one_api() {
    let Some(database) = Database::empty() else { return };
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let first = serve_on(folder, &format!("[database]\nurl = \"{}\"\nallow_unsafe = true\n", database.url));
    let second = Running::start(folder, &["serve", "--model", "offline"]);
    let key = key(folder, &["--scope", "turn,read,write,inbox", "--per-minute", "1000000"]);
    let body = json!({ "conversation": "c1", "text": "quais os serviços?", "contact": { "phone": "31 99640-1177" } });
    let ask_both = |name: &str, body: &Value| {
        let addresses = [first.address.clone(), second.address.clone()];
        let asking = addresses.map(|address| {
            let (key, name, body) = (key.clone(), name.to_owned(), body.clone());
            std::thread::spawn(move || try_ask(&address, "POST", "/v1/turn", &key, Some(&name), Some(&body)).unwrap())
        });
        asking.map(|one| one.join().unwrap())
    };
    for round in 0..5 {
        let [one, other] = ask_both(&format!("k{round}"), &body);
        assert_eq!((one.0, &one.1), (200, &other.1), "{one:?} {other:?}");
        assert_eq!(one.1["outcome"], "reply", "{one:?}");
    }
    let (_, conversations) = ask(&second, "GET", "/v1/conversations", &key, None);
    let id = conversations["items"][0]["id"].as_str().unwrap().to_owned();
    let (_, said) = ask(&first, "GET", &format!("/v1/conversations/{id}/messages?limit=100"), &key, None);
    assert_eq!(said["items"].as_array().unwrap().len(), 10, "{said}");
    // Every read and a booking, against the other database.
    for path in [
        "/v1/contacts?search=caio",
        "/v1/handoffs?open=true",
        "/v1/services",
        "/v1/professionals",
        "/v1/availability",
        "/v1/appointments?from=2026-10-01&to=2026-12-31",
    ] {
        let (status, answer) = ask(&first, "GET", path, &key, None);
        assert_eq!(status, 200, "{path}: {answer}");
    }
    let taken = json!({ "staff": "davi@figueira.example" });
    assert_eq!(ask(&second, "POST", &format!("/v1/conversations/{id}/take"), &key, Some(&taken)).0, 200);
    // Requests are counted together: two servers, a few each.
    let slow = crate::api::key(folder, &["--scope", "read", "--per-minute", "1"]);
    let statuses = [&first, &second, &first].map(|server| ask(server, "GET", "/v1/services", &slow, None).0);
    let refused = statuses.iter().filter(|status| **status == 429).count();
    // Where a minute ends in between, one more is let in.
    assert!(refused >= 1, "{statuses:?}");
}

#[test]
fn the_guides_example_works_as_it_stands() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let server = serve(folder);
    let key = key(folder, &["--scope", "turn"]);
    let guide = std::fs::read_to_string(root().join("docs/GUIDE.md")).unwrap();
    let example = guide.split("```sh\n").find(|block| block.starts_with("curl ")).unwrap();
    let example =
        example.split("```").next().unwrap().replace("http://127.0.0.1:8080", &format!("http://{}", server.address));
    if Command::new("curl").arg("--version").output().is_err() {
        balcao_testkit::skip("`curl` is missing, so the example of the guide was not run");
        return;
    }
    let output = Command::new("sh").args(["-ec", &example]).env("BALCAO_KEY", &key).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    assert_eq!(answer["outcome"], "reply", "{answer}");
}
