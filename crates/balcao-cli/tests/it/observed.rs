//! What the built binary tells of itself while it serves: metrics, traces, logs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex};

use balcao_testkit::fakes::endpoint::{self, FakeEndpoint};
use balcao_testkit::fakes::evolution::{FakeEvolution, INSTANCE, KEY};
use balcao_testkit::fakes::graph::{ACCOUNT, Behaviour, FakeGraph, TOKEN, webhooks};
use balcao_testkit::fakes::otlp::{FakeCollector, Span};
use balcao_testkit::wait::until;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::{balcao, code, err, out, root};

pub(crate) const SECRET: &str = "an app secret of Meta";

/// A shop that is served, with everything that it writes to standard error.
pub(crate) struct Observed {
    pub(crate) folder: TempDir,
    pub(crate) graph: FakeGraph,
    child: Child,
    pub(crate) address: String,
    pub(crate) log: Arc<Mutex<String>>,
    reading: Option<std::thread::JoinHandle<()>>,
}

/// Serves the sample barbershop; `config` is added to its file, `more` to the command.
pub(crate) fn serve(config: &str, more: impl FnOnce(&mut Command)) -> Observed {
    let (folder, graph) = (tempdir().unwrap(), FakeGraph::start().unwrap());
    let file = format!(
        "[whatsapp]\naccount = \"{ACCOUNT}\"\nbusiness = \"{}\"\nbase_url = \"{}\"\n{config}",
        webhooks::BUSINESS,
        graph.url()
    );
    std::fs::write(folder.path().join("balcao.toml"), file).unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml");
    for arguments in [vec!["migrate"], vec!["seed", sample.to_str().unwrap()]] {
        let output = balcao(folder.path()).args(arguments).output().unwrap();
        assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    }
    let mut command = balcao(folder.path());
    command
        .env("BALCAO__WHATSAPP__TOKEN", TOKEN)
        .env("BALCAO__WHATSAPP__APP_SECRET", SECRET)
        .env("BALCAO__WHATSAPP__VERIFY_TOKEN", "a verify token")
        .env("BALCAO__SERVER__BURST_WINDOW_MS", "0")
        .args(["serve", "--model", "offline", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    more(&mut command);
    let mut child = command.spawn().unwrap();
    let log = Arc::new(Mutex::new(String::new()));
    let reading = read_log(child.stderr.take().unwrap(), &log);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said = || log.lock().unwrap().clone();
    let address =
        line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("it says {line}{}", said()));
    Observed { address: address.to_owned(), folder, graph, child, log, reading: Some(reading) }
}

fn read_log(from: ChildStderr, into: &Arc<Mutex<String>>) -> std::thread::JoinHandle<()> {
    let into = Arc::clone(into);
    std::thread::spawn(move || {
        for line in BufReader::new(from).lines().map_while(Result::ok) {
            let mut log = into.lock().unwrap();
            log.push_str(&line);
            log.push('\n');
        }
    })
}

/// One request: status, head, body; `None` if no answer came.
pub(crate) fn request(address: &str, head: &str, body: &[u8]) -> Option<(u16, String, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(format!("{head}\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes()).ok()?;
    stream.write_all(body).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, head.to_lowercase(), body.to_owned()))
}

pub(crate) fn post(address: &str, body: &Value, secret: &str) -> Option<(u16, String, String)> {
    let body = body.to_string().into_bytes();
    let signature = webhooks::sign(secret, &body);
    let length = body.len();
    let head =
        format!("POST /webhooks/whatsapp HTTP/1.1\r\ncontent-length: {length}\r\nX-Hub-Signature-256: {signature}");
    request(address, &head, &body)
}

/// A text that a customer writes now.
pub(crate) fn text(id: &str, customer: u32, words: &str) -> Value {
    let message = json!({ "from": format!("5531988880{customer:03}"), "from_user_id": format!("BR.9{customer:03}"),
        "id": id, "timestamp": webhooks::now(), "type": "text", "text": { "body": words } });
    webhooks::envelope("messages", json!({ "messages": [message] }))
}

impl Observed {
    pub(crate) fn delivers(&self, body: &Value) {
        let answer = post(&self.address, body, SECRET).unwrap();
        assert_eq!(answer.0, 200, "{answer:?}");
    }

    /// The texts that Meta accepted.
    pub(crate) fn said(&self) -> Vec<String> {
        let body = |message: &Value| message.pointer("/text/body").and_then(Value::as_str).unwrap_or("").to_owned();
        self.graph.accepted().iter().map(body).collect()
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Where Prometheus reads.
    pub(crate) fn metrics(&self) -> String {
        let log = self.log();
        let line = log.lines().find_map(|line| line.strip_prefix("metrics at http://"));
        line.unwrap_or_else(|| panic!("no metrics: {log}")).strip_suffix("/metrics").unwrap().to_owned()
    }

    /// As a service manager stops it; everything that it wrote to standard error.
    pub(crate) fn stop(mut self) -> String {
        let told = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success() && self.child.wait().unwrap().success(), "{}", self.log());
        self.reading.take().unwrap().join().unwrap();
        self.log()
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The value of a line of the metrics' page.
fn value(page: &str, name: &str) -> f64 {
    let found = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("there is no {name} in\n{page}")).parse().unwrap()
}

#[test]
fn webhooks_are_counted_whatever_channel_they_are_of() {
    let gateway = FakeEvolution::start().unwrap();
    let config = format!(
        "[server]\nmetrics_listen = \"127.0.0.1:0\"\n[evolution]\ninstance = \"{INSTANCE}\"\nbase_url = \"{}\"\n\
         token = \"{KEY}\"\nsecret = \"a key of ours\"\n",
        gateway.url()
    );
    let shop = serve(&config, |_| {});
    for (path, key, expected) in
        [("evolution", "guessed", 401), ("evolution", "a key of ours", 400), ("packs/nothing", "guessed", 404)]
    {
        let head = format!("POST /webhooks/{path} HTTP/1.1\r\napikey: {key}\r\ncontent-length: 1");
        assert_eq!(request(&shop.address, &head, b"[").unwrap().0, expected);
    }
    let page = request(&shop.metrics(), "GET /metrics HTTP/1.1", b"").unwrap().2;
    for (channel, result) in [("evolution", "bad_signature"), ("evolution", "malformed"), ("packs", "not_ours")] {
        let name = format!("balcao_webhooks_total{{channel=\"{channel}\",result=\"{result}\"}}");
        assert_eq!(value(&page, &name), 1.0, "{name} in\n{page}");
    }
}

#[test]
fn a_conversation_is_in_the_metrics_and_nobody_in_it() {
    let shop = serve("[server]\nmetrics_listen = \"127.0.0.1:0\"\n", |_| {});
    let at = shop.metrics();
    let scrape = || request(&at, "GET /metrics HTTP/1.1", b"").unwrap();
    let (status, head, before) = scrape();
    assert!(status == 200 && head.contains("text/plain; version=0.0.4"), "{head}");
    assert_eq!(value(&before, "balcao_breaker_openings_total"), 0.0);
    assert_eq!(value(&before, "balcao_database_up"), 1.0);
    assert_eq!(post(&shop.address, &text("wamid.0", 1, "oi"), "guessed").unwrap().0, 401);
    shop.delivers(&text("wamid.1", 1, "quais os serviços?"));
    shop.delivers(&text("wamid.1", 1, "quais os serviços?"));
    until("the question is answered", || (shop.said().len() == 1).then_some(()));
    shop.delivers(&text("wamid.2", 2, "quero falar com uma pessoa"));
    until("the handoff is told", || (shop.said().len() == 2).then_some(()));
    let page = until("everything is counted", || {
        let page = scrape().2;
        (value(&page, "balcao_outbox_messages{state=\"sending\"}") == 0.0).then_some(page)
    });
    for (name, expected) in [
        ("balcao_turn_duration_seconds_count{outcome=\"reply\"}", 1.0),
        ("balcao_turn_duration_seconds_count{outcome=\"handoff\"}", 1.0),
        ("balcao_turn_overhead_seconds_count", 2.0),
        ("balcao_tool_calls_total{tool=\"get_services\",result=\"success\"}", 1.0),
        ("balcao_handoffs_total{reason=\"asked_for_human\"}", 1.0),
        ("balcao_sends_total{channel=\"whatsapp\",outcome=\"sent\"}", 2.0),
        ("balcao_webhooks_total{channel=\"whatsapp\",result=\"accepted\"}", 3.0),
        ("balcao_webhooks_total{channel=\"whatsapp\",result=\"bad_signature\"}", 1.0),
        ("balcao_inbox_events_total{channel=\"whatsapp\",kind=\"new\"}", 2.0),
        ("balcao_inbox_events_total{channel=\"whatsapp\",kind=\"repeated\"}", 1.0),
        ("balcao_http_requests_total{method=\"POST\",route=\"/webhooks/whatsapp\",status=\"200\"}", 3.0),
        ("balcao_http_requests_total{method=\"POST\",route=\"/webhooks/whatsapp\",status=\"401\"}", 1.0),
        ("balcao_handoffs_open", 1.0),
        ("balcao_inbox_waiting", 0.0),
        ("balcao_outbox_oldest_seconds", 0.0),
        ("balcao_turns_open", 0.0),
    ] {
        assert_eq!(value(&page, name), expected, "{name} in\n{page}");
    }
    assert!(page.lines().any(|line| line.starts_with("balcao_model_call_duration_seconds_count{model=\"")));
    for (name, ..) in balcao_app::metrics::ALL {
        let described = page.contains(&format!("# TYPE {name} "));
        // What has not happened yet has no line.
        assert!(described || !page.contains(&format!("{name}{{")), "{name} is not described");
    }
    for personal in ["5531988880", "88880001", "BR.9001", "wamid", "serviços"] {
        assert!(!page.contains(personal), "{personal} is in\n{page}");
    }
    assert_eq!(request(&at, "GET / HTTP/1.1", b"").unwrap().0, 404);
    assert_eq!(request(&shop.address, "GET /metrics HTTP/1.1", b"").unwrap().0, 404, "not on the open port");
}

/// One conversation with a question that a tool answers.
fn traced(content: bool) -> FakeCollector {
    let collector = FakeCollector::start().unwrap();
    let config = format!("[telemetry]\notlp_endpoint = \"{}\"\ncapture_content = {content}\n", collector.url());
    let shop = serve(&config, |_| {});
    shop.delivers(&text("wamid.1", 1, "quais os serviços? xilofone"));
    until("the question is answered", || (shop.said().len() == 1).then_some(()));
    // Told to stop, it sends its last spans first.
    shop.stop();
    assert_eq!(collector.complaints(), Vec::<String>::new());
    collector
}

#[test]
fn a_turn_is_a_trace_by_the_conventions_and_holds_nothing_that_was_said() {
    let collector = traced(false);
    let spans = collector.spans();
    let named = |name: &str| spans.iter().filter(|span| span.name.starts_with(name)).collect::<Vec<_>>();
    let [turn] = named("invoke_agent ")[..] else { panic!("{spans:?}") };
    assert_eq!((turn.name.as_str(), turn.kind, turn.parent.as_str()), ("invoke_agent eli", "internal", ""));
    assert_eq!(turn.resource["service.name"], "balcao");
    let has = |span: &Span, name: &str| span.attributes.get(name).cloned().unwrap_or_default();
    assert_eq!(has(turn, "gen_ai.operation.name"), "invoke_agent");
    assert_eq!(has(turn, "gen_ai.agent.name"), "eli");
    assert!(has(turn, "gen_ai.conversation.id").starts_with("cnv_"), "{turn:?}");
    assert_eq!(has(turn, "balcao.outcome"), "reply");
    let chats = named("chat ");
    assert!(chats.len() >= 2, "{spans:?}");
    for chat in &chats {
        assert_eq!((chat.kind, &chat.parent, &chat.trace), ("client", &turn.id, &turn.trace), "{chat:?}");
        assert_eq!(has(chat, "gen_ai.operation.name"), "chat");
        assert_eq!(has(chat, "gen_ai.provider.name"), "offline");
        assert!(!has(chat, "gen_ai.request.model").is_empty() && !has(chat, "gen_ai.response.model").is_empty());
        for tokens in ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.request.max_tokens"] {
            assert!(has(chat, tokens).parse::<u64>().is_ok(), "{tokens} of {chat:?}");
        }
    }
    let [tool] = named("execute_tool ")[..] else { panic!("{spans:?}") };
    assert_eq!((tool.name.as_str(), &tool.parent, tool.failed), ("execute_tool get_services", &turn.id, false));
    assert_eq!(
        (has(tool, "gen_ai.tool.name"), has(tool, "gen_ai.tool.type")),
        ("get_services".into(), "function".into())
    );
    let [webhook] = named("POST /webhooks/whatsapp")[..] else { panic!("{spans:?}") };
    assert_eq!((webhook.kind, has(webhook, "http.response.status_code")), ("server", "200".to_owned()));
    let [sent] = named("send whatsapp")[..] else { panic!("{spans:?}") };
    assert_eq!((sent.kind, has(sent, "balcao.outcome")), ("producer", "sent".to_owned()));
    for said in ["xilofone", "serviços", "Corte", "5531988880001"] {
        assert!(!collector.heard(said), "{said} left in a span");
    }
}

#[test]
fn what_was_said_is_in_the_trace_if_the_operator_wants_it() {
    let collector = traced(true);
    let spans = collector.spans();
    let said = spans.iter().flat_map(|span| &span.events);
    let said: Vec<_> = said.filter(|(name, _)| name == "gen_ai.client.inference.operation.details").collect();
    assert!(said.iter().all(|(_, content)| content["gen_ai.input.messages"].contains("xilofone")), "{said:?}");
    let input: Value = serde_json::from_str(&said[0].1["gen_ai.input.messages"]).unwrap();
    assert_eq!(input[0]["parts"][0]["type"], "text");
    let tool = spans.iter().find(|span| span.name == "execute_tool get_services").unwrap();
    assert!(tool.events.iter().any(|(_, content)| content.contains_key("gen_ai.tool.call.result")), "{tool:?}");
}

/// What no log may hold.
const CANARIES: [&str; 8] = [
    "5531988880001",
    "canario@exemplo.com.br",
    "529.982.247-25",
    "98765-4321",
    "bk_canary0123456789canary",
    "zarabatana",
    TOKEN,
    SECRET,
];

#[test]
fn a_112_no_log_line_at_any_level_holds_a_person_or_a_secret() {
    for format in ["text", "json"] {
        let collector = FakeCollector::start().unwrap();
        let config = format!(
            "[log]\nformat = \"{format}\"\n[telemetry]\notlp_endpoint = \"{}\"\ncapture_content = true\n",
            collector.url()
        );
        let shop = serve(&config, |command| {
            command.env("BALCAO_LOG", "trace");
        });
        let words = "quero marcar corte amanhã às 10h, sou zarabatana, cpf 529.982.247-25, canario@exemplo.com.br, (31) 98765-4321";
        shop.delivers(&text("wamid.HBgNNTUzMTk4ODg4MDAwMRUCABIY", 1, words));
        until("it is answered", || (!shop.said().is_empty()).then_some(()));
        shop.graph.next_message(Behaviour::Error {
            status: 400,
            code: 131_026,
            details: "5531988880001 is no user".to_owned(),
        });
        shop.delivers(&text("wamid.2", 1, "quero falar com uma pessoa, zarabatana"));
        until("Meta refused it", || shop.log().contains("a message was not sent").then_some(()));
        assert_eq!(post(&shop.address, &text("wamid.3", 1, "zarabatana"), "guessed").unwrap().0, 401);
        let key = "GET /v1/contacts?query=zarabatana HTTP/1.1\r\nauthorization: Bearer bk_canary0123456789canary";
        assert_eq!(request(&shop.address, key, b"").unwrap().0, 401);
        let log = shop.stop();
        assert!(log.lines().count() > 20, "the level is trace: {log}");
        for canary in CANARIES {
            let line = log.lines().find(|line| line.contains(canary));
            assert_eq!(line, None, "{canary}");
        }
        if format == "json" {
            let lines = log.lines().filter(|line| line.starts_with('{'));
            assert!(
                lines.map(|line| serde_json::from_str::<Value>(line).unwrap()).all(|line| line["level"].is_string())
            );
        }
    }
}

#[test]
fn a_110_who_steals_the_database_or_a_backup_has_no_secret_of_a_provider_and_no_key() {
    let shop = serve("", |_| {});
    let folder = shop.folder.path().to_owned();
    let made = balcao(&folder).args(["key", "create", "--name", "crm", "--scope", "read", "--json"]).output().unwrap();
    let made: Value = serde_json::from_str(&out(&made)).unwrap();
    let key = made["key"].as_str().unwrap();
    let asked = format!("GET /v1/services HTTP/1.1\r\nauthorization: Bearer {key}");
    assert_eq!(request(&shop.address, &asked, b"").unwrap().0, 200);
    shop.delivers(&text("wamid.1", 1, "zarabatana, quais os serviços?"));
    until("it is answered", || (!shop.said().is_empty()).then_some(()));
    let copied = balcao(&folder).args(["backup", "copy.db"]).output().unwrap();
    assert_eq!(code(&copied), 0, "{}", err(&copied));
    let mut whole = Vec::new();
    for file in ["balcao.db", "balcao.db-wal", "copy.db"] {
        whole.extend(std::fs::read(folder.join(file)).unwrap_or_default());
    }
    let holds = |words: &str| whole.windows(words.len()).any(|piece| piece == words.as_bytes());
    assert!(holds("zarabatana"), "it is the database that was looked through");
    for secret in [TOKEN, SECRET, "a verify token", key] {
        assert!(!holds(secret), "{secret}");
    }
}

#[test]
fn a_level_that_is_none_is_named() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("balcao.toml"), "[log]\nlevel = \"balcao_app=loud\"\n").unwrap();
    let output = balcao(folder.path()).args(["tools"]).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("log.level") && err(&output).contains("balcao_app=debug"), "{}", err(&output));
}

#[test]
fn an_address_that_tries_wrong_keys_waits_and_others_do_not() {
    let shop = serve("[server]\ntrusted_proxies = [\"127.0.0.1/32\"]\n", |_| {});
    let ask = |from: &str| {
        let head = format!("GET /v1/services HTTP/1.1\r\nx-forwarded-for: {from}\r\nauthorization: Bearer bk_wrong");
        request(&shop.address, &head, b"").unwrap()
    };
    let refused = (0..60).map(|_| ask("198.51.100.7")).find(|(status, ..)| *status != 401).unwrap();
    assert!(refused.0 == 429 && refused.1.contains("\r\nretry-after: "), "{refused:?}");
    assert_eq!(ask("198.51.100.8").0, 401, "another address");
    shop.delivers(&text("wamid.1", 1, "oi"));
}

#[test]
fn what_happens_is_told_outside_and_what_failed_is_sent_again_by_staff() {
    let endpoint = FakeEndpoint::start().unwrap();
    let config = format!(
        "[[webhooks]]\nname = \"crm\"\nurl = \"{}\"\nsecret_env = \"CRM_SECRET\"\nallow_private = true\n",
        endpoint.url()
    );
    let shop = serve(&config, |command| {
        command.env("CRM_SECRET", endpoint::SECRET);
    });
    shop.graph.next_message(Behaviour::Error {
        status: 400,
        code: 131_009,
        details: "Parameter value is not valid".to_owned(),
    });
    shop.delivers(&text("wamid.1", 1, "quais os serviços?"));
    let types = || -> Vec<String> {
        let name = |one: &endpoint::Received| one.body["type"].as_str().unwrap().to_owned();
        endpoint.received().iter().map(name).collect()
    };
    until("the failure is told", || types().contains(&"message.failed".to_owned()).then_some(()));
    let outbox = |arguments: &[&str]| {
        let output = balcao(shop.folder.path()).arg("outbox").args(arguments).output().unwrap();
        (code(&output), format!("{}{}", out(&output), err(&output)))
    };
    let (_, list) = outbox(&["list"]);
    assert!(list.contains("out_1  did not arrive") && list.contains("131009"), "{list}");
    assert_eq!(outbox(&["retry", "out_1", "--as", "ninguem@figueira.example"]).0, 1);
    assert_eq!(outbox(&["retry", "out_9", "--as", "davi@figueira.example"]).0, 1);
    let again = outbox(&["retry", "out_1", "--as", "davi@figueira.example"]);
    assert_eq!(again.0, 0, "{}", again.1);
    until("it is sent", || (shop.said().len() == 1).then_some(()));
    until("that is told", || types().contains(&"message.sent".to_owned()).then_some(()));
    assert_eq!(
        (outbox(&["list"]).1.trim(), outbox(&["webhooks"]).1.trim()),
        ("no message failed; those that wait to be sent are not listed", "every webhook was delivered")
    );
    assert_eq!(endpoint.complaints(), Vec::<String>::new());
    shop.stop();
}

#[test]
fn an_endpoint_that_leads_inside_is_named_before_anything_starts() {
    let folder = tempdir().unwrap();
    let config = "[[webhooks]]\nname = \"crm\"\nurl = \"https://169.254.169.254/\"\nsecret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n";
    for (events, expected) in
        [("", "allow_private"), ("events = [\"appointment.boked\"]\n", "did you mean `appointment.booked`?")]
    {
        std::fs::write(folder.path().join("balcao.toml"), format!("{config}{events}")).unwrap();
        let output = balcao(folder.path()).args(["serve"]).output().unwrap();
        assert_eq!(code(&output), 2, "{}", err(&output));
        assert!(err(&output).contains(expected) && !err(&output).contains("MfKQ9r8"), "{}", err(&output));
    }
}
