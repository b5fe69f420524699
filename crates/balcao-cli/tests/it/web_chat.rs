//! The web chat of `balcao serve` and the page of `balcao demo`, as the built binary answers them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use balcao_testkit::wait::patiently;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::{balcao, code, err, out, root, run};

pub(crate) const ORIGIN: &str = "https://shop.example";
const SECRET: &str = "a secret of a test that is long enough";

/// A program that runs, and the first line that it said. It is killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    line: String,
}

impl Running {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        Self::start_in(&[], folder, arguments)
    }

    /// The same with more variables in its environment.
    pub(crate) fn start_in(environment: &[(&str, &str)], folder: &Path, arguments: &[&str]) -> Self {
        Self::start_by(balcao(folder), environment, arguments)
    }

    /// The same under a system that lets the program open so many files.
    pub(crate) fn start_with_files(
        files: u32,
        environment: &[(&str, &str)],
        folder: &Path,
        arguments: &[&str],
    ) -> Self {
        let inner = balcao(folder);
        let mut outer = Command::new("sh");
        outer.args(["-c", &format!("ulimit -n {files} && exec \"$@\""), "sh"]).arg(inner.get_program());
        outer.current_dir(folder).env_clear();
        outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Self::start_by(outer, environment, arguments)
    }

    fn start_by(mut command: Command, environment: &[(&str, &str)], arguments: &[&str]) -> Self {
        command.env("BALCAO__CHAT__SECRET", SECRET).envs(environment.iter().copied()).args(arguments);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, line: line.trim().to_owned() }
    }

    /// Its number in the system.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Stops it as a service manager does.
    pub(crate) fn stop(mut self) {
        let told = Command::new("kill").arg("-TERM").arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success() && self.child.wait().unwrap().success());
    }

    pub(crate) fn address(&self) -> &str {
        let (_, address) = self.line.split_once("http://").unwrap_or_else(|| panic!("it says {}", self.line));
        address.split('/').next().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A request, and what came back until the server closed or `enough` stood in it.
pub(crate) fn exchange(address: &str, head: &str, body: &str, enough: Option<&str>) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    patiently(&stream).unwrap();
    let length = body.len();
    let request = format!(
        "{head}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let (mut answer, mut piece) = (Vec::new(), [0; 4_096]);
    loop {
        let read = stream.read(&mut piece).unwrap();
        answer.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&answer).into_owned();
        if read == 0 || enough.is_some_and(|enough| text.contains(enough)) {
            return text;
        }
    }
}

pub(crate) fn shop() -> TempDir {
    let folder = tempdir().unwrap();
    let config = format!(
        "[server]\nlisten = \"127.0.0.1:0\"\nburst_window_ms = 0\n[chat]\nenabled = true\norigins = [\"{ORIGIN}\"]\n"
    );
    std::fs::write(folder.path().join("balcao.toml"), config).unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml");
    for arguments in [vec!["migrate"], vec!["seed", sample.to_str().unwrap()]] {
        let output = run(folder.path(), &arguments, "");
        assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    }
    folder
}

pub(crate) fn token(address: &str) -> String {
    let answer = exchange(address, &format!("POST /chat/v1/session HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}"), "", None);
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str::<Value>(body).unwrap()["token"].as_str().unwrap().to_owned()
}

pub(crate) fn write(address: &str, token: &str, id: &str, text: &str) -> String {
    let head =
        format!("POST /chat/v1/messages HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\nauthorization: Bearer {token}");
    exchange(address, &head, &json!({ "id": id, "text": text }).to_string(), None)
}

/// The stream of a visitor until it holds this.
pub(crate) fn read(address: &str, token: &str, enough: &str) -> String {
    let head = format!("GET /chat/v1/events HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\nauthorization: Bearer {token}");
    exchange(address, &head, "", Some(enough))
}

#[test]
fn a_chat_message_survives_a_kill_and_is_answered_once() {
    let shop = shop();
    // What is killed is taken over soon.
    let config = shop.path().join("balcao.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let short = "[server]\nlease_s = 2\nallow_short_lease = true";
    std::fs::write(&config, text.replace("[server]", short)).unwrap();
    let server = Running::start(shop.path(), &["serve", "--model", "offline"]);
    let visitor = token(server.address());
    assert!(write(server.address(), &visitor, "message-1", "oi").starts_with("HTTP/1.1 202"));
    // As `kill -9`, wherever it just is.
    drop(server);
    let server = Running::start(shop.path(), &["serve", "--model", "offline"]);
    assert!(write(server.address(), &visitor, "message-1", "oi").contains("\"repeated\":true"));
    read(server.address(), &visitor, "\"author\":\"agent\"");
    assert!(write(server.address(), &visitor, "message-2", "quais os serviços?").starts_with("HTTP/1.1 202"));
    let all = read(server.address(), &visitor, "id: 4\n");
    assert_eq!(
        (all.matches("\"author\":\"visitor\"").count(), all.matches("\"author\":\"agent\"").count()),
        (2, 2),
        "{all}"
    );
}

#[test]
fn the_profile_manual_serves_ends_a_chat_and_takes_it_up_again() {
    let shop = shop();
    let config = shop.path().join("balcao.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(&config, format!("{text}[agents]\nprofile = \"manual\"\n")).unwrap();
    let server = Running::start(shop.path(), &["serve", "--model", "offline"]);
    let visitor = token(server.address());
    let says = |id: &str, text: &str, enough: &str| {
        assert!(write(server.address(), &visitor, id, text).starts_with("HTTP/1.1 202"));
        read(server.address(), &visitor, enough)
    };
    says("message-1", "quero marcar um horário", "Sobrancelha");
    says("message-2", "deixa, não quero mais", "id: 4\n");
    says("message-3", "era só isso, tchau!", "id: 6\n");
    let listed = |arguments: &[&str]| out(&run(shop.path(), &[&["inbox", "list", "--json"], arguments].concat(), ""));
    assert!(!listed(&[]).contains("closed"));
    assert!(listed(&["--all"]).contains("\"state\":\"closed\""), "{}", listed(&["--all"]));
    let all = says("message-4", "oi", "id: 8\n");
    assert_eq!(all.matches("\"author\":\"agent\"").count(), 4, "{all}");
    assert!(listed(&["--all"]).contains("\"state\":\"ai\""));
}

#[test]
fn staff_answer_a_visitor_from_the_command_line() {
    let shop = shop();
    let server = Running::start(shop.path(), &["serve", "--model", "offline"]);
    let visitor = token(server.address());
    write(server.address(), &visitor, "message-1", "oi");
    read(server.address(), &visitor, "\"author\":\"agent\"");
    let listed = run(shop.path(), &["inbox", "--json", "list", "--all"], "");
    let listed: Value = serde_json::from_str(&out(&listed)).unwrap();
    let one = listed.as_array().unwrap().iter().find(|one| one["channel"] == "web").unwrap();
    let id = one["id"].to_string();
    let reply = run(shop.path(), &["inbox", "reply", &id, "Oi, aqui é o Davi.", "--as", "davi@figueira.example"], "");
    assert_eq!(code(&reply), 0, "{}", err(&reply));
    let all = read(server.address(), &visitor, "aqui é o Davi");
    assert!(all.contains("\"author\":\"staff\""), "{all}");
}

#[test]
fn what_is_wrong_with_the_chats_configuration_is_named() {
    let shop = shop();
    let output = run(shop.path(), &["serve"], "");
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("BALCAO__CHAT__SECRET"), "{}", err(&output));
    for (variable, value, named) in [
        ("BALCAO__CHAT__SECRET", "short", "chat.secret"),
        ("BALCAO__CHAT__ORIGINS", "[]", "chat.origins"),
        ("BALCAO__CHAT__ORIGINS", "[\"*\"]", "invalid origin `*`"),
    ] {
        let mut command = balcao(shop.path());
        let output = command.env("BALCAO__CHAT__SECRET", SECRET).env(variable, value).arg("serve").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(err(&output).contains(named), "{}", err(&output));
    }
    let shown = balcao(shop.path()).env("BALCAO__CHAT__SECRET", SECRET).args(["config", "show"]).output().unwrap();
    assert!(out(&shown).contains("chat.origins") && !out(&shown).contains(SECRET), "{}", out(&shown));
}

#[test]
fn the_demo_serves_its_page_to_this_machine_only() {
    let folder = tempdir().unwrap();
    let demo = Running::start(folder.path(), &["demo", "--port", "0", "--model", "offline"]);
    let (address, code) = (demo.address().to_owned(), demo.line.split_once('#').unwrap().1.to_owned());
    assert!(address.starts_with("127.0.0.1:") && code.len() == 32, "{}", demo.line);
    let page = exchange(&address, &format!("GET / HTTP/1.1\r\nhost: {address}"), "", None);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("Barbearia Figueira") && !page.contains(&code));
    assert!(exchange(&address, "GET / HTTP/1.1\r\nhost: evil.example", "", None).starts_with("HTTP/1.1 403"));
    let live = |code: &str, enough| {
        let head = format!("GET /demo/v1/live HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {code}");
        exchange(&address, &head, "", enough)
    };
    assert!(live("guessed", None).starts_with("HTTP/1.1 401"));
    assert!(live(&code, Some("\"professionals\"")).starts_with("HTTP/1.1 200"));
}

#[test]
fn without_a_terminal_the_demo_chats_on_standard_input() {
    let folder = tempdir().unwrap();
    for arguments in [vec!["demo"], vec!["demo", "--terminal"]] {
        let output = run(folder.path(), &arguments, "quanto custa a barba?\n");
        assert_eq!(code(&output), 0, "{}", err(&output));
        assert!(out(&output).contains("42,00"), "{}", out(&output));
    }
    let output = run(folder.path(), &["demo", "--terminal", "--port", "0"], "");
    assert_eq!(code(&output), 2, "{}", err(&output));
}
