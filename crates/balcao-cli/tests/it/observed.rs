//! What the built binary tells of itself while it serves: metrics, traces, logs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex};

use balcao_testkit::fakes::endpoint::{self, FakeEndpoint};
use balcao_testkit::fakes::graph::{ACCOUNT, Behaviour, FakeGraph, TOKEN, webhooks};
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

/// Serves the sample barbershop, by the offline model unless `config` names another; `config` is added to its file, `more` to the command.
pub(crate) fn serve(config: &str, more: impl FnOnce(&mut Command)) -> Observed {
    let sample = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    serve_business(&sample, config, &[], more)
}

/// Serves a business of this file; `config` and `more` as of [`serve`]. The commands that load it have the environment, too.
pub(crate) fn serve_business(
    business: &str,
    config: &str,
    environment: &[(&str, String)],
    more: impl FnOnce(&mut Command),
) -> Observed {
    let (folder, graph) = (tempdir().unwrap(), FakeGraph::start().unwrap());
    let file = format!(
        "[whatsapp]\naccount = \"{ACCOUNT}\"\nbusiness = \"{}\"\nbase_url = \"{}\"\n{config}",
        webhooks::BUSINESS,
        graph.url()
    );
    std::fs::write(folder.path().join("balcao.toml"), file).unwrap();
    std::fs::write(folder.path().join("shop.yaml"), business).unwrap();
    for arguments in [&["migrate"][..], &["seed", "shop.yaml"]] {
        let environment = environment.iter().map(|(name, value)| (name, value));
        let output = balcao(folder.path()).envs(environment).args(arguments).output().unwrap();
        assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    }
    let with_environment = |command: &mut Command| {
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        more(command);
    };
    let Started { child, log, reading, address } = start(&folder, with_environment);
    Observed { address, folder, graph, child, log, reading: Some(reading) }
}

/// A server that listens.
struct Started {
    child: Child,
    log: Arc<Mutex<String>>,
    reading: std::thread::JoinHandle<()>,
    address: String,
}

/// Serves with the configured model; without one, the offline model answers.
fn serving(folder: &TempDir, more: impl FnOnce(&mut Command)) -> Command {
    let mut command = balcao(folder.path());
    command
        .env("BALCAO__WHATSAPP__TOKEN", TOKEN)
        .env("BALCAO__WHATSAPP__APP_SECRET", SECRET)
        .env("BALCAO__WHATSAPP__VERIFY_TOKEN", "a verify token")
        .env("BALCAO__SERVER__BURST_WINDOW_MS", "0")
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    more(&mut command);
    command
}

fn start(folder: &TempDir, more: impl FnOnce(&mut Command)) -> Started {
    let mut child = serving(folder, more).spawn().unwrap();
    let log = Arc::new(Mutex::new(String::new()));
    let reading = read_log(child.stderr.take().unwrap(), &log);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said = || log.lock().unwrap().clone();
    let address =
        line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("it says {line}{}", said()));
    Started { address: address.to_owned(), child, log, reading }
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
    let head = format!("{head}\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
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

    /// Its number in the system.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Kills the server and starts it again in the same folder; its log starts empty.
    pub(crate) fn crash_and_start(&mut self, more: impl Fn(&mut Command)) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let Started { child, log, reading, address } = start(&self.folder, more);
        (self.child, self.log, self.reading, self.address) = (child, log, Some(reading), address);
    }

    /// Kills the server and starts it again in the same folder, which it refuses: what it says of that.
    pub(crate) fn crash_and_fail_to_start(&mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let output = serving(&self.folder, |_| {}).output().unwrap();
        assert_ne!(code(&output), 0, "{}", out(&output));
        err(&output)
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
