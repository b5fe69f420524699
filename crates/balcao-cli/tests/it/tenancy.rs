//! G-10 for what the program writes: logs at their most talkative, traces, metrics, webhooks, and the output of every command.
//!
//! Two businesses lie in one database. One is served; what the other has holds a canary, and so does what a customer writes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use balcao_testkit::fakes::endpoint::{self, FakeEndpoint};
use balcao_testkit::fakes::otlp::FakeCollector;
use balcao_testkit::wait::until;
use serde_json::Value;

use crate::observed::{Observed, request, serve, text};
use crate::telemetry::metrics_of;
use crate::{balcao, code, err, out, run};

/// Stands in what the other business has, and nowhere else.
const CANARY: &str = "Harpia";
/// Stands in what customers of the served business write: no log, metric, trace or webhook holds it.
const SAID: &str = "xilofone";

const OTHER: &str = r#"
organization:
  name: Clínica Harpia
  slug: quetzal
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  address: Rua Harpia, 1
  hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"]}
services:
  - {name: Corte Harpia, price: "77.77", duration_minutes: 30}
professionals:
  - {name: Ana Harpia, hours: {tue: ["09:00-19:00"], wed: ["09:00-19:00"]}, services: [Corte Harpia]}
contacts:
  - {name: Cliente Harpia, phone: "+55 11 90000-0001", notes: [Nota Harpia]}
knowledge:
  - {title: Estacionamento, content: "Há vagas na Rua Harpia."}
"#;

/// Runs a command in the name of a business.
fn of(folder: &Path, slug: &str, arguments: &[&str]) -> (i32, String) {
    let output = balcao(folder).env("BALCAO__ORGANIZATION__SLUG", slug).args(arguments).output().unwrap();
    (code(&output), format!("{}{}", out(&output), err(&output)))
}

/// The other business, with a conversation, beside the sample.
fn other_business(command: &mut Command) {
    let folder = command.get_current_dir().unwrap().to_owned();
    std::fs::write(folder.join("quetzal.yaml"), OTHER).unwrap();
    assert_eq!(code(&run(&folder, &["seed", "quetzal.yaml", "--yes"], "")), 0);
    std::fs::write(folder.join("lines.txt"), "oi, aqui é a Harpia\nquero falar com um atendente\n").unwrap();
    let (status, said) = of(&folder, "quetzal", &["chat", "--script", "lines.txt", "--as", "+55 11 90000-0001"]);
    assert_eq!(status, 0, "{said}");
    let (_, theirs) = of(&folder, "quetzal", &["inbox", "show", "1", "--json"]);
    assert!(theirs.contains(CANARY), "{theirs}");
    command.env("BALCAO__ORGANIZATION__SLUG", "figueira");
}

fn folder(shop: &Observed) -> &Path {
    shop.folder.path()
}

/// Every command of the program.
fn commands(folder: &Path) -> BTreeSet<String> {
    let help = out(&run(folder, &["--help"], ""));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| line.starts_with("  "));
    let named = listed.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next());
    named.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn g_10_no_log_trace_metric_webhook_or_command_shows_another_business() {
    let (collector, endpoint) = (FakeCollector::start().unwrap(), FakeEndpoint::start().unwrap());
    let config = format!(
        "[server]\nmetrics_listen = \"127.0.0.1:0\"\n[telemetry]\notlp_endpoint = \"{}\"\n\
         [[webhooks]]\nname = \"crm\"\nurl = \"{}\"\nallow_private = true\nsecret_env = \"HOOK\"\n",
        collector.url(),
        endpoint.url()
    );
    let shop = serve(&config, |command| {
        other_business(command);
        command.env("HOOK", endpoint::SECRET).env("BALCAO_LOG", "trace");
    });
    shop.delivers(&text("wamid.1", 1, &format!("quais os serviços? {SAID}")));
    until("the question is answered", || (shop.said().len() == 1).then_some(()));
    shop.delivers(&text("wamid.2", 2, &format!("quero falar com uma pessoa, {SAID}")));
    until("the handoff is told", || (shop.said().len() == 2).then_some(()));
    // A program asks for what is the other's, by number and by name.
    let (status, made) = of(folder(&shop), "figueira", &["key", "create", "--name", "x", "--scope", "read", "--json"]);
    assert_eq!(status, 0, "{made}");
    let made: Value = serde_json::from_str(made.lines().next().unwrap()).unwrap();
    let key = made["key"].as_str().unwrap();
    let mut answers = String::new();
    for path in
        ["/v1/conversations", "/v1/conversations/cnv_1", "/v1/contacts?search=harpia", "/v1/services", "/v1/handoffs"]
    {
        let head = format!("GET {path} HTTP/1.1\r\nauthorization: Bearer {key}");
        answers.push_str(&request(&shop.address, &head, b"").unwrap().2);
    }
    let metrics = request(&metrics_of(&shop), "GET /metrics HTTP/1.1", b"").unwrap().2;
    until("the handoff's webhook is told", || (endpoint.received().len() >= 4).then_some(()));
    let told = endpoint.received().iter().map(|one| one.body.to_string()).collect::<Vec<_>>().join("\n");

    let sample = crate::root().join("samples/barbearia-figueira.yaml").display().to_string();
    // What each command writes; `None` for one that shows no stored data, or serves until it is stopped.
    let written: [(&str, Option<Vec<Vec<&str>>>); 26] = [
        ("chat", Some(vec![vec!["chat", "--script", "lines.txt", "--trace"]])),
        ("serve", None),
        ("demo", None),
        ("seed", Some(vec![vec!["seed", &sample]])),
        (
            "business",
            Some(vec![
                vec!["business", "export"],
                vec!["business", "plan", &sample],
                vec!["business", "plan", "quetzal.yaml"],
                vec!["business", "versions"],
            ]),
        ),
        ("migrate", Some(vec![vec!["migrate"]])),
        ("init", None),
        ("doctor", Some(vec![vec!["doctor"], vec!["doctor", "--json"]])),
        ("tools", Some(vec![vec!["tools", "--json"]])),
        ("config", Some(vec![vec!["config", "show"]])),
        (
            "inbox",
            Some(vec![
                vec!["inbox", "list", "--all"],
                vec!["inbox", "list", "--all", "--json"],
                vec!["inbox", "show", "1"],
                vec!["inbox", "show", "2", "--json"],
                vec!["inbox", "show", "3", "--json"],
                vec!["inbox", "attachment", "1"],
            ]),
        ),
        (
            "outbox",
            Some(vec![vec!["outbox", "list", "--all"], vec!["outbox", "list", "--json"], vec!["outbox", "webhooks"]]),
        ),
        ("retention", Some(vec![vec!["retention", "--dry-run"], vec!["retention", "--dry-run", "--json"]])),
        (
            "knowledge",
            Some(vec![vec!["knowledge", "search", "estacionamento"], vec!["knowledge", "prepare", "--json"]]),
        ),
        (
            "appointments",
            Some(vec![
                vec!["appointments", "list", "--from", "2026-10-01", "--to", "2027-01-31"],
                vec!["appointments", "list", "--unmarked", "--json"],
                vec!["appointments", "conflicts"],
                vec!["appointments", "reminders"],
            ]),
        ),
        ("subscriptions", Some(vec![vec!["subscriptions", "list"], vec!["subscriptions", "list", "--json"]])),
        ("contacts", Some(vec![vec!["contacts", "find", "harpia"], vec!["contacts", "find", "harpia", "--json"]])),
        ("stats", Some(vec![vec!["stats"], vec!["stats", "--json"]])),
        ("agenda", Some(vec![vec!["agenda", "list"], vec!["agenda", "export", "Wesley", "--detail", "first_name"]])),
        ("key", Some(vec![vec!["key", "list"], vec!["key", "list", "--json"]])),
        ("plan", Some(vec![vec!["plan"]])),
        (
            "calendar",
            Some(vec![
                vec!["calendar", "list"],
                vec!["calendar", "status"],
                vec!["calendar", "conflicts"],
                vec!["calendar", "disconnect", "--local"],
            ]),
        ),
        ("pack", None),
        ("backup", None),
        // As the doctor it is the operator's, and names businesses and numbers.
        ("restore", None),
        ("eval", None),
    ];
    let known: BTreeSet<String> = written.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(commands(folder(&shop)), known, "say of a new command what it writes");
    std::fs::write(folder(&shop).join("lines.txt"), "quais os serviços?\n").unwrap();
    let (mut ran, mut shown) = (0, String::new());
    for arguments in written.iter().flat_map(|(_, all)| all.iter().flatten()) {
        let mut verbose = arguments.clone();
        verbose.push("-vvv");
        let text = of(folder(&shop), "figueira", &verbose).1;
        // It is the operator's, and names every business of the database; what is in them it does not show.
        shown.push_str(&if arguments.first() == Some(&"doctor") { text.replace("Clínica Harpia", "") } else { text });
        ran += 1;
    }
    assert!(shown.contains(SAID), "staff read what customers wrote:\n{shown}");
    let log = shop.stop();
    assert!(log.contains("TRACE") && log.len() > 10_000, "the log is not at its most talkative: {} bytes", log.len());
    for (what, text) in [
        ("a command", &shown),
        ("the log", &log),
        ("the metrics", &metrics),
        ("a webhook", &told),
        ("the API", &answers),
    ] {
        assert!(
            !text.contains(CANARY) && !text.contains("77.77") && !text.contains("900000001"),
            "{what} shows {CANARY}:\n{text}"
        );
    }
    for (what, text) in [("the log", &log), ("the metrics", &metrics), ("a webhook", &told)] {
        assert!(!text.contains(SAID), "{what} shows what a customer wrote:\n{text}");
    }
    for canary in [CANARY, SAID] {
        assert!(!collector.heard(canary), "{canary} left in a span");
    }
    eprintln!(
        "G-10, what is written: {} bytes of log, {} of metrics, {} spans, {} webhooks, {ran} commands, 0 crossings",
        log.len(),
        metrics.len(),
        collector.spans().len(),
        told.lines().count()
    );
}
