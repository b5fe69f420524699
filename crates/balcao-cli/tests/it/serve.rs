//! `balcao serve` as it runs at a shop: the built binary, a database, a fake of Meta's Graph API; killed at bad moments.
//!
//! What hangs on the database runs on both: `sqlite::…` over a file, `postgres::…` over a server where there is one.

mod doctor;
mod faults;
mod inbound;
mod load;
mod namespaces;
mod poison;
mod power;
mod restored;
mod rotation;
mod storage;
mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use balcao_store::{OpenOptions, Row, Store, StoreError};
use balcao_testkit::fakes::evolution::{FakeEvolution, INSTANCE, KEY};
use balcao_testkit::fakes::graph::{ACCOUNT, Behaviour, FakeGraph, TOKEN, webhooks};
use balcao_testkit::postgres::Database;
use balcao_testkit::wait::{told, until};
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::observed::text;
use crate::{balcao, code, err, out, root, run};

const SECRET: &str = "an app secret";

/// A shop's folder, its database, if that is not a file there, and Meta.
struct Shop {
    folder: Folder,
    /// Where the database is, if it is a server.
    url: Option<String>,
    /// A database there that goes with this.
    database: Option<Database>,
    graph: FakeGraph,
}

/// A server that runs. It is killed when it is dropped.
struct Running {
    child: Child,
    address: String,
}

/// A shop whose database is a file.
fn shop() -> Shop {
    shop_at(None, None)
}

fn shop_on(database: Database) -> Shop {
    shop_at(Some(database.url.clone()), Some(database))
}

fn shop_at(url: Option<String>, database: Option<Database>) -> Shop {
    let folder = Folder::Own(tempdir().unwrap());
    set_up(Shop { folder, url, database, graph: FakeGraph::start().unwrap() })
}

/// A shop whose database is a file in this folder.
fn shop_in(folder: &Path, graph: FakeGraph) -> Shop {
    set_up(Shop { folder: Folder::Given(folder.to_owned()), url: None, database: None, graph })
}

/// Where a shop's files are.
enum Folder {
    Own(TempDir),
    Given(PathBuf),
}

impl Folder {
    fn path(&self) -> &Path {
        match self {
            Self::Own(folder) => folder.path(),
            Self::Given(folder) => folder,
        }
    }
}

fn set_up(shop: Shop) -> Shop {
    let config = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\nburst_window_ms = 0\nsettle_s = 3\n\
         [whatsapp]\naccount = \"{ACCOUNT}\"\nbusiness = \"{}\"\nbase_url = \"{}\"\nmessages_per_second = 1000\n",
        webhooks::BUSINESS,
        shop.graph.url()
    );
    std::fs::write(shop.folder.path().join("balcao.toml"), config).unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml");
    for arguments in [vec!["migrate"], vec!["seed", sample.to_str().unwrap()]] {
        let output = shop.command().args(arguments).output().unwrap();
        assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    }
    shop
}

/// Each test on both databases. Without a PostgreSQL its half says so and ends.
macro_rules! on_both {
    ($($(#[$doc:meta])* fn $name:ident($shop:ident: Shop) $body:block)*) => {
        $($(#[$doc])* fn $name($shop: Shop) $body)*

        mod sqlite {
            $(#[test] fn $name() { super::$name(super::shop()); })*
        }

        mod postgres {
            $(#[test] fn $name() {
                if let Some(server) = super::Database::empty() {
                    super::$name(super::shop_on(server));
                }
            })*
        }
    };
}

fn secrets(command: &mut Command) -> &mut Command {
    command
        .env("BALCAO__WHATSAPP__TOKEN", TOKEN)
        .env("BALCAO__WHATSAPP__APP_SECRET", SECRET)
        .env("BALCAO__WHATSAPP__VERIFY_TOKEN", "a verify token")
}

impl Shop {
    fn command(&self) -> Command {
        let mut command = balcao(self.folder.path());
        if let Some(url) = &self.url {
            // The servers of the tests keep nothing over a power cut.
            command.env("BALCAO_DATABASE_URL", url).env("BALCAO__DATABASE__ALLOW_UNSAFE", "true");
        }
        command
    }

    /// The same with leases of so many seconds: what is killed or frozen here is taken over soon. A healthy server keeps the usual ones,
    /// or a machine that stands still would take its work away.
    fn with_leases(self, seconds: u32) -> Self {
        let file = self.folder.path().join("balcao.toml");
        let config = std::fs::read_to_string(&file).unwrap();
        let short = format!("[server]\nlease_s = {seconds}\nallow_short_lease = true");
        std::fs::write(&file, config.replace("[server]", &short)).unwrap();
        self
    }

    fn store(&self) -> Store {
        // Whoever looks on sees everybody's rows.
        match self.database.as_ref().map(|database| &database.admin_url).or(self.url.as_ref()) {
            Some(url) => Store::connect(url, OpenOptions::default()).unwrap(),
            None => Store::open(&self.folder.path().join("balcao.db"), OpenOptions::default()).unwrap(),
        }
    }

    fn start(&self) -> Running {
        self.start_with(&["serve", "--model", "offline"])
    }

    fn start_with(&self, arguments: &[&str]) -> Running {
        self.start_by(self.command(), arguments)
    }

    fn start_by(&self, mut command: Command, arguments: &[&str]) -> Running {
        secrets(&mut command).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("it says {line}"));
        // A worker has no webhook. Of several that have one, Meta tells the last.
        if !arguments.contains(&"worker") {
            self.graph.tells(address, SECRET);
        }
        Running { address: address.to_owned(), child }
    }

    /// Waits until Meta has told what became of every message.
    fn is_told(&self) {
        until("every status is acknowledged", || (self.graph.untold() == 0).then_some(()));
    }

    /// What Meta accepted, by our name of it.
    fn accepted(&self) -> Vec<(String, String)> {
        let text = |message: &Value, path: &str| message.pointer(path).unwrap().as_str().unwrap().to_owned();
        // Free times are buttons below the words.
        let words = |message: &Value| if message["type"] == "text" { "/text/body" } else { "/interactive/body/text" };
        let named = |message: Value| (text(&message, "/biz_opaque_callback_data"), text(&message, words(&message)));
        self.graph.accepted().into_iter().map(named).collect()
    }

    /// Rows of the database, while the server runs or not.
    fn rows<T: Send + 'static>(
        &self,
        sql: &'static str,
        read: impl Fn(&Row<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Vec<T> {
        let store = self.store();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(store.read(move |tx| tx.query_all(sql, &[], |row| read(row)))).unwrap()
    }

    /// Waits until all that was written is in the file itself: whoever closes it last moves the log there, and of two who close at
    /// once neither is the last.
    fn is_whole(&self) {
        let log = self.folder.path().join("balcao.db-wal");
        until("the log is moved into the file", || {
            self.count("SELECT COUNT(*) FROM organization");
            (!log.exists()).then_some(())
        });
    }

    fn count(&self, sql: &'static str) -> i64 {
        self.rows(sql, |row| row.get(0)).remove(0)
    }

    /// How much is left to do: messages to answer, and answers to send.
    fn left(&self) -> i64 {
        self.count(
            "SELECT (SELECT COUNT(*) FROM inbox WHERE state IN ('new', 'assigned'))
             + (SELECT COUNT(*) FROM outbox WHERE state IN ('pending', 'sending'))",
        )
    }

    /// Waits until nothing is left to do.
    fn quiet(&self) {
        until("everything is answered and sent", || (self.left() == 0).then_some(()));
    }

    /// Waits until Meta has accepted so many messages more, and the servers are in the middle of their work; or nothing is left of it.
    fn is_at_work(&self, more: usize, delivering: &JoinHandle<()>) {
        let goal = self.accepted().len() + more;
        let is_over = || delivering.is_finished() && self.left() == 0;
        until("more is answered", || (self.accepted().len() >= goal || is_over()).then_some(()));
    }
}

/// One request; the status, or `None` if no answer came.
fn request(address: &str, head: &str, body: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    let head = format!("{head}\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

fn post(address: &str, body: &Value, secret: &str) -> Option<u16> {
    webhooks::post(address, secret, body)
}

impl Running {
    fn delivers(&self, body: &Value) {
        assert_eq!(post(&self.address, body, SECRET), Some(200));
    }

    fn get(&self, path: &str) -> Option<u16> {
        request(&self.address, &format!("GET {path} HTTP/1.1"), b"")
    }

    /// As `kill -9`.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// As a service manager stops it.
    fn stop(mut self) -> ExitStatus {
        let told = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success());
        until("it ends when told to", || self.child.try_wait().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn a_forged_message_is_refused_and_nothing_is_stored() {
    let shop = shop();
    let server = shop.start();
    assert_eq!(post(&server.address, &text("wamid.1", 1, "oi"), "guessed"), Some(401));
    assert_eq!(shop.count("SELECT (SELECT COUNT(*) FROM inbox) + (SELECT COUNT(*) FROM stray_event)"), 0);
}

/// A model that takes requests and never answers; tells of each.
fn silent_model() -> (String, Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            open.push(stream);
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    (address, asked)
}

/// Meta: delivers each message to whatever server runs, until it is acknowledged.
fn meta(messages: Vec<Value>, address: &Arc<Mutex<String>>) -> JoinHandle<()> {
    let address = Arc::clone(address);
    std::thread::spawn(move || {
        for message in messages {
            until("a webhook is acknowledged", || {
                let to = address.lock().unwrap().clone();
                (post(&to, &message, SECRET) == Some(200)).then_some(())
            });
        }
    })
}

on_both! {
    fn a_47_a_message_is_answered_once_however_often_it_is_delivered(shop: Shop) {
        let server = shop.start();
        assert_eq!((server.get("/healthz"), server.get("/readyz"), server.get("/")), (Some(200), Some(200), Some(404)));
        let handshake = "/webhooks/whatsapp?hub.mode=subscribe&hub.verify_token=a%20verify%20token&hub.challenge=42";
        assert_eq!(server.get(handshake), Some(200));
        for _ in 0..5 {
            server.delivers(&text("wamid.1", 1, "oi"));
        }
        shop.quiet();
        server.delivers(&text("wamid.1", 1, "oi"));
        shop.quiet();
        assert_eq!(shop.accepted().len(), 1, "{:?}", shop.accepted());
        assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE kind = 'message'"), 1);
    }

    fn f_06_killed_in_the_middle_of_a_turn_it_answers_once_after_the_next_start(shop: Shop) {
        let shop = shop.with_leases(2);
        let (model, asked) = silent_model();
        let file = shop.folder.path().join("balcao.toml");
        let config = std::fs::read_to_string(&file).unwrap();
        let slow =
            format!("[[model.providers]]\nname = \"slow\"\nkind = \"compatible\"\nbase_url = \"{model}\"\nmodel = \"x\"\n");
        std::fs::write(&file, format!("{config}{slow}")).unwrap();
        let server = shop.start_with(&["serve"]);
        server.delivers(&text("wamid.1", 1, "quais os serviços?"));
        told("the model is asked", &asked);
        server.kill();
        assert_eq!(shop.count("SELECT COUNT(*) FROM turn WHERE state = 'open'"), 1);
        let server = shop.start();
        server.delivers(&text("wamid.1", 1, "quais os serviços?"));
        shop.quiet();
        assert_eq!(shop.accepted().len(), 1, "{:?}", shop.accepted());
        assert_eq!(shop.count("SELECT COUNT(*) FROM turn"), 1);
        assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE state = 'answered'"), 1);
    }

    fn f_13_killed_in_the_middle_of_a_send_it_never_sends_twice(shop: Shop) {
        let shop = shop.with_leases(2);
        shop.graph.next_message(Behaviour::AcceptThenSilence);
        shop.graph.hold_statuses(true);
        let server = shop.start();
        server.delivers(&text("wamid.1", 1, "oi"));
        until("Meta has the message", || (shop.accepted().len() == 1).then_some(()));
        server.kill();
        assert_eq!(shop.count("SELECT COUNT(*) FROM outbox WHERE state = 'sending'"), 1);
        let server = shop.start();
        shop.quiet();
        assert_eq!(shop.count("SELECT COUNT(*) FROM outbox WHERE state = 'unknown'"), 1);
        // A status names it: then it is known, and the next message need not wait.
        shop.graph.hold_statuses(false);
        shop.is_told();
        assert_eq!(shop.count("SELECT COUNT(*) FROM outbox WHERE state = 'sent' AND delivery = 'read'"), 1);
        server.delivers(&text("wamid.2", 1, "quais os serviços?"));
        shop.quiet();
        assert_eq!(shop.accepted().len(), 2);
    }

    fn f_20_three_servers_over_one_database_answer_each_customer_once(shop: Shop) {
        if shop.url.is_none() {
            // A file is served by one (F-81).
            return f_81_a_second_server_is_refused(&shop);
        }
        let servers = [shop.start(), shop.start(), shop.start()];
        for customer in 0..12 {
            let message = text(&format!("wamid.{customer}"), customer, "oi");
            servers.iter().for_each(|server| server.delivers(&message));
        }
        shop.quiet();
        let names: BTreeSet<String> = shop.accepted().into_iter().map(|(correlation, _)| correlation).collect();
        assert_eq!((shop.accepted().len(), names.len()), (12, 12));
        assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE state = 'answered'"), 12);
    }

    fn f_01_f_03_f_11_f_12_killed_again_and_again_under_load_it_answers_every_message_once(shop: Shop) {
        let shop = shop.with_leases(2);
        let (asking, agreeing) = wishes(0..16);
        let count = asking.len() + agreeing.len();
        let address = Arc::new(Mutex::new(String::new()));
        for messages in [asking, agreeing] {
            let delivering = meta(messages, &address);
            for round in 0..4 {
                let server = shop.start();
                address.lock().unwrap().clone_from(&server.address);
                shop.is_at_work(1 + round % 3, &delivering);
                server.kill();
            }
            // Whoever was asked can agree now.
            let server = shop.start();
            address.lock().unwrap().clone_from(&server.address);
            delivering.join().unwrap();
            shop.quiet();
            server.kill();
        }
        let server = shop.start();
        shop.is_told();
        shop.quiet();
        assert!(server.stop().success());
        every_message_has_one_answer(&shop, count);
        no_effect_happened_twice(&shop);
    }

    fn f_27_what_becomes_of_messages_is_known_in_whatever_order_and_however_often_it_is_told(shop: Shop) {
        let server = shop.start();
        for customer in 0..8 {
            // One is only reached without the ninth digit, one wants no more of it, and for one Meta is out of order.
            if let Some(code) = [131_026, 131_049, 131_000].get(usize::try_from(customer).unwrap()) {
                shop.graph.next_fails(*code);
            }
            server.delivers(&text(&format!("wamid.{customer}"), customer, "oi"));
            for _copy in 0..2 {
                shop.quiet();
                shop.is_told();
            }
        }
        let states = shop.rows(
            "SELECT state, delivery, category, failure FROM outbox ORDER BY id",
            |row| Ok((row.get::<String>(0)?, row.get::<Option<String>>(1)?, row.get::<Option<String>>(2)?,
                      row.get::<Option<String>>(3)?)),
        );
        let failed = states.iter().filter(|one| one.0 == "dead" && one.1.as_deref() == Some("failed"));
        let read = states.iter().filter(|one| {
            one.0 == "sent" && one.1.as_deref() == Some("read") && one.2.as_deref() == Some("service") && one.3.is_none()
        });
        assert_eq!((failed.count(), read.count()), (1, 7), "{states:?}");
        // Two were sent anew.
        assert_eq!(shop.accepted().len(), 10, "{:?}", shop.accepted());
    }

    fn told_to_stop_it_answers_what_it_has_begun_and_ends_well(shop: Shop) {
        let server = shop.start();
        server.delivers(&text("wamid.1", 1, "oi"));
        until("the message is taken up", || (shop.count("SELECT COUNT(*) FROM turn") == 1).then_some(()));
        assert!(server.stop().success());
        assert_eq!(shop.accepted().len(), 1);
        assert_eq!(shop.count("SELECT COUNT(*) FROM dispatch WHERE owner IS NOT NULL"), 0);
    }
}

/// Customers who want to book, each twice: what they want, and that they agree. One message after the other makes two
/// turns only if the first has its answer before the second comes.
fn wishes(customers: std::ops::Range<u32>) -> (Vec<Value>, Vec<Value>) {
    let ask = |customer: u32| {
        // Whenever this runs, the shop is open on one of them.
        let (hour, day) = (9 + customer % 9, if customer.is_multiple_of(2) { "terça" } else { "quinta" });
        let words = format!("quero marcar barba desenhada {day} às {hour}h");
        text(&format!("wamid.a{customer}"), customer, &words)
    };
    let agree = |customer: u32| text(&format!("wamid.b{customer}"), customer, "sim");
    (customers.clone().map(ask).collect(), customers.map(agree).collect())
}

fn f_81_a_second_server_is_refused(shop: &Shop) {
    let first = shop.start();
    let second = secrets(&mut shop.command()).args(["serve", "--model", "offline"]).output().unwrap();
    assert_eq!(code(&second), 1);
    let told = format!("served by another program (process {})", first.child.id());
    assert!(err(&second).contains(&told), "{}", err(&second));
    // Killed, it holds the file no longer.
    first.kill();
    assert!(shop.start().stop().success());
}

fn every_message_has_one_answer(shop: &Shop, count: usize) {
    let inbox = shop.rows(
        "SELECT i.state, i.turn_id, c.state FROM inbox i JOIN conversation c ON c.id = i.conversation_id
         WHERE i.kind = 'message'",
        |row| Ok((row.get::<String>(0)?, row.get::<i64>(1)?, row.get::<String>(2)?)),
    );
    assert_eq!(inbox.len(), count);
    // Whoever was there at three deaths was given to a person, with an answer; what they write then is for the person.
    let told = |state: &str, who: &str| match state {
        "answered" | "handed_off" => true,
        "ignored" if who == "waiting_human" => false,
        _ => panic!("{inbox:?}"),
    };
    let turns: BTreeSet<i64> =
        inbox.iter().filter(|(state, _, who)| told(state, who)).map(|(_, turn, _)| *turn).collect();
    assert!(turns.len() > count / 3, "{inbox:?}");
    let outbox = shop.rows("SELECT correlation, state, turn_id FROM outbox", |row| {
        Ok((row.get::<String>(0)?, row.get::<String>(1)?, row.get::<i64>(2)?))
    });
    assert_eq!(outbox.iter().map(|row| row.2).collect::<BTreeSet<_>>(), turns);
    assert_eq!(outbox.len(), turns.len(), "each turn has one answer");
    let mut accepted: BTreeMap<String, u32> = BTreeMap::new();
    for (correlation, _) in shop.accepted() {
        *accepted.entry(correlation).or_default() += 1;
    }
    assert!(accepted.values().all(|times| *times == 1), "sent twice: {accepted:?}");
    for (correlation, state, _) in &outbox {
        match state.as_str() {
            "sent" => assert!(accepted.contains_key(correlation), "{correlation} is said to be sent"),
            // What was accepted is known by its status.
            "unknown" => assert!(!accepted.contains_key(correlation), "{correlation} is not known to be sent"),
            other => panic!("{correlation} is {other}"),
        }
    }
    assert!(accepted.keys().all(|one| outbox.iter().any(|(known, ..)| known == one)));
}

fn no_effect_happened_twice(shop: &Shop) {
    let booked = shop
        .rows("SELECT contact_id, COUNT(*) FROM appointment WHERE source <> 'seed' GROUP BY contact_id", |row| {
            Ok((row.get::<i64>(0)?, row.get::<i64>(1)?))
        });
    let customers = shop.rows("SELECT id FROM contact WHERE channel_user LIKE 'BR.9%'", |row| row.get::<i64>(0));
    let booked: Vec<_> = booked.into_iter().filter(|(contact, _)| customers.contains(contact)).collect();
    assert!(booked.iter().all(|(_, times)| *times == 1), "{booked:?}");
    let said = shop.rows(
        "SELECT m.text FROM message m JOIN conversation c ON c.id = m.conversation_id
         WHERE m.author = 'agent' AND m.text LIKE '%marcado!%'",
        |row| row.get::<String>(0),
    );
    // A turn that was given to a person after its effect says nothing of it.
    let handed_over = shop.rows("SELECT id FROM turn WHERE outcome = 'handoff'", |row| row.get::<i64>(0)).len();
    assert!((said.len()..=said.len() + handed_over).contains(&booked.len()), "{said:?} {booked:?}");
    assert!(!booked.is_empty(), "the load booked nothing");
}

#[test]
fn what_is_missing_in_the_configuration_is_named() {
    let shop = shop();
    let output = run(shop.folder.path(), &["serve"], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("BALCAO__WHATSAPP__TOKEN"), "{}", err(&output));
    let mut command = balcao(shop.folder.path());
    let output = secrets(&mut command).args(["serve", "--listen", "localhost"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("127.0.0.1:8080"), "{}", err(&output));
    let shown = secrets(&mut balcao(shop.folder.path())).args(["config", "show"]).output().unwrap();
    let shown = out(&shown);
    assert!(shown.contains("whatsapp.token") && !shown.contains(TOKEN) && !shown.contains(SECRET), "{shown}");
    assert!(shown.contains("server.burst_window_ms"), "{shown}");
}

#[test]
fn a_gateway_is_answered_and_nobody_else_may_post() {
    let shop = shop();
    let gateway = FakeEvolution::start().unwrap();
    let config = shop.folder.path().join("balcao.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let section = format!("[evolution]\ninstance = \"{INSTANCE}\"\nbase_url = \"{}\"\n", gateway.url());
    std::fs::write(&config, format!("{text}{section}token = \"{KEY}\"\nsecret = \"a webhook key\"\n")).unwrap();
    let running = shop.start();
    let post = |id: &str, key: &str| {
        let data = json!({ "key": { "remoteJid": "554187654321@s.whatsapp.net", "fromMe": false, "id": id },
            "pushName": "João", "message": { "conversation": "oi" } });
        let body = json!({ "event": "messages.upsert", "instance": INSTANCE, "data": data }).to_string();
        let head = format!(
            "POST /webhooks/evolution HTTP/1.1\r\napikey: {key}\r\ncontent-type: application/json\r\ncontent-length: {}",
            body.len()
        );
        request(&running.address, &head, body.as_bytes())
    };
    assert_eq!(post("1", "wrong"), Some(401));
    assert_eq!((post("2", "a webhook key"), post("2", "a webhook key")), (Some(200), Some(200)));
    let sent = until("the gateway is told to answer", || gateway.sent().into_iter().next());
    assert_eq!((sent.0.as_str(), sent.1["number"].as_str()), ("sendText", Some("554187654321")));
    shop.quiet();
    assert_eq!((gateway.sent().len(), shop.count("SELECT COUNT(*) FROM inbox")), (1, 1));
}
