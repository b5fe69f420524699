//! Connecting a business to Google Calendar, against the strict fake of it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use balcao_connector::Egress;
use balcao_domain::{Clock as _, ManualClock, SystemClock};
use balcao_testkit::fakes::google::{CLIENT_ID, CLIENT_SECRET, FakeGoogle};
use reqwest::header::LOCATION;
use reqwest::{Client, Url};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::{balcao, code, err, out, run};

/// The time at the service.
const NOW: &str = "2026-11-26T12:00:00Z";

struct Shop {
    folder: TempDir,
    google: FakeGoogle,
    client: Client,
}

/// A command that waits for a person in a browser, and the address that it printed.
struct Waiting {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    address: Url,
}

impl Waiting {
    /// Its exit code, and what it wrote further.
    fn end(mut self) -> (Option<i32>, String, String) {
        let (mut text, mut errors) = (String::new(), String::new());
        self.output.read_to_string(&mut text).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (self.child.wait().unwrap().code(), text, errors)
    }
}

impl Shop {
    fn new() -> Self {
        let google = FakeGoogle::start(Arc::new(ManualClock::at(NOW.parse().unwrap()))).unwrap();
        google.add_calendar("dona@example.test", "America/Sao_Paulo", "owner").unwrap();
        google.add_calendar("lia@example.test", "America/Manaus", "reader").unwrap();
        let folder = tempdir().unwrap();
        let sample = crate::root().join("samples/barbearia-figueira.yaml").display().to_string();
        for arguments in [vec!["migrate"], vec!["seed", &sample]] {
            let done = run(folder.path(), &arguments, "");
            assert_eq!(code(&done), 0, "{}", err(&done));
        }
        let base = google.url();
        let config = format!(
            "[google]\nclient_id = \"{CLIENT_ID}\"\nclient_secret = \"{CLIENT_SECRET}\"\nbase_url = \"{base}\"\n"
        );
        std::fs::write(folder.path().join("balcao.toml"), config).unwrap();
        let egress = Egress { allow: vec!["127.0.0.0/8".parse().unwrap()], plain_http: true, ..Egress::default() };
        let client = egress.client(Duration::from_secs(5), true).unwrap();
        Self { folder, google, client }
    }

    fn connect(&self) -> Waiting {
        let mut command = balcao(self.folder.path());
        command.args(["calendar", "connect"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        Waiting { child, output, address: line.trim().parse().unwrap() }
    }

    /// Opens the page, ticks these rights, and presses a button; gives where the browser is sent.
    async fn answer(&self, address: &Url, button: &str, tick: impl Fn(&str) -> bool) -> Url {
        assert_eq!(self.client.get(address.clone()).send().await.unwrap().status(), 200);
        let mut form: Vec<(String, String)> = address.query_pairs().into_owned().collect();
        let scopes = form.iter().find(|(name, _)| name == "scope").unwrap().1.clone();
        form.extend(scopes.split(' ').filter(|scope| tick(scope)).map(|scope| ("tick".to_owned(), scope.to_owned())));
        form.push(("answer".to_owned(), button.to_owned()));
        let consent = format!("{}/o/oauth2/v2/consent", self.google.url());
        let sent = self.client.post(consent).form(&form).send().await.unwrap();
        sent.headers()[LOCATION].to_str().unwrap().parse().unwrap()
    }

    async fn open(&self, address: Url) -> (u16, String) {
        let page = self.client.get(address).send().await.unwrap();
        (page.status().as_u16(), page.text().await.unwrap())
    }

    fn tokens(&self) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join("google.tokens.json")).ok()
    }

    /// What `doctor` says of Google.
    fn doctor(&self) -> Vec<Value> {
        self.examine("google").1
    }

    /// The exit code of `doctor`, and what it says of a check.
    fn examine(&self, check: &str) -> (i32, Vec<Value>) {
        let done = run(self.folder.path(), &["doctor", "--json"], "");
        let all: Vec<Value> = serde_json::from_str(&out(&done)).unwrap();
        (code(&done), all.into_iter().filter(|one| one["check"] == check).collect())
    }

    fn run(&self, arguments: &[&str]) {
        let done = run(self.folder.path(), arguments, "");
        assert_eq!(code(&done), 0, "{arguments:?}: {}", err(&done));
    }

    async fn connect_and_allow(&self) {
        let waiting = self.connect();
        let back = self.answer(&waiting.address, "allow", |_| true).await;
        self.open(back).await;
        assert_eq!(waiting.end().0, Some(0));
    }

    /// Puts lines in front of the configuration, and changes the rest.
    fn configure(&self, lines: &str, change: impl Fn(&str) -> String) {
        let file = self.folder.path().join("balcao.toml");
        let written = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{lines}{}", change(&written))).unwrap();
    }
}

#[tokio::test]
async fn business_is_connected_looked_at_and_disconnected() {
    let shop = Shop::new();
    let waiting = shop.connect();
    let back = shop.answer(&waiting.address, "allow", |_| true).await;

    // Another page of the browser guesses the port, and has no state.
    let mut guess = back.clone();
    guess.set_query(Some("code=stolen&state=guessed"));
    assert_eq!(shop.open(guess).await.0, 400);
    let (status, page) = shop.open(back).await;
    assert!(status == 200 && page.contains("Connected"), "{page}");
    let (code_, text, errors) = waiting.end();
    assert_eq!(code_, Some(0), "{text}{errors}");
    assert!(text.contains("dona@example.test  Agenda dona@example.test  America/Sao_Paulo  may write"), "{text}");
    assert!(text.contains("lia@example.test") && text.contains("may read"), "{text}");

    assert!(shop.tokens().unwrap().contains("org_1"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = std::fs::metadata(shop.folder.path().join("google.tokens.json")).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }
    let listed = run(shop.folder.path(), &["calendar", "list", "--json"], "");
    let listed: Vec<Value> = serde_json::from_str(&out(&listed)).unwrap();
    assert_eq!((listed.len(), &listed[0]["writable"]), (2, &Value::Bool(true)));
    let found = shop.doctor();
    assert!(found.iter().all(|one| one["verdict"] == "ok"), "{found:?}");

    let ended = run(shop.folder.path(), &["calendar", "disconnect"], "");
    assert_eq!((code(&ended), out(&ended).trim()), (0, "disconnected"), "{}", err(&ended));
    assert_eq!((shop.google.living_grants(), shop.tokens().as_deref()), (0, Some("{}")));
    let listed = run(shop.folder.path(), &["calendar", "list"], "");
    assert!(code(&listed) == 1 && err(&listed).contains("balcao calendar connect"), "{}", err(&listed));
}

#[tokio::test]
async fn denied_or_incomplete_consent_stores_nothing() {
    let shop = Shop::new();
    let waiting = shop.connect();
    let back = shop.answer(&waiting.address, "deny", |_| true).await;
    let (status, page) = shop.open(back).await;
    assert!(status == 400 && page.contains("the consent was denied"), "{page}");
    let (code_, _, errors) = waiting.end();
    assert!(code_ == Some(1) && errors.contains("the consent was denied"), "{errors}");

    let waiting = shop.connect();
    let back = shop.answer(&waiting.address, "allow", |scope| !scope.contains("freebusy")).await;
    shop.open(back).await;
    let (code_, _, errors) = waiting.end();
    assert!(code_ == Some(1) && errors.contains("rights are missing: calendar.freebusy"), "{errors}");
    assert_eq!((shop.google.living_grants(), shop.tokens()), (0, None));
}

#[tokio::test]
async fn doctor_names_the_cause_of_a_dead_grant_and_of_open_files() {
    let shop = Shop::new();
    let found = shop.doctor();
    assert!(found[0]["mend"].as_str().unwrap().contains("balcao calendar connect"), "{found:?}");
    let waiting = shop.connect();
    let back = shop.answer(&waiting.address, "allow", |_| true).await;
    shop.open(back).await;
    assert_eq!(waiting.end().0, Some(0));
    shop.google.kill_grants("Token has been expired or revoked.");
    let found = shop.doctor();
    assert_eq!(found[0]["verdict"], "wrong");
    let says = found[0]["says"].as_str().unwrap();
    assert!(says.contains("invalid_grant") && says.contains("revoked it"), "{says}");
    assert!(!says.contains("1//0refresh"), "{says}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = shop.folder.path().join("google.tokens.json");
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(shop.doctor()[0]["mend"].as_str().unwrap().starts_with("chmod 600"));
    }
}

/// The one finding that is wrong, as what it says and what to do.
fn wrong(found: &[Value]) -> (String, String) {
    let wrong: Vec<&Value> = found.iter().filter(|one| one["verdict"] == "wrong").collect();
    assert_eq!(wrong.len(), 1, "{found:?}");
    let text = |key: &str| wrong[0][key].as_str().unwrap().to_owned();
    (text("says"), text("mend"))
}

#[tokio::test]
async fn doctor_fails_for_a_linked_calendar_that_is_missing_or_of_another_owner() {
    let shop = Shop::new();
    shop.connect_and_allow().await;
    shop.run(&["calendar", "link", "Wesley Moura", "dona@example.test", "--write"]);
    for check in ["google", "calendar"] {
        let (code, found) = shop.examine(check);
        assert!(code == 0 && found.iter().all(|one| one["verdict"] == "ok"), "{found:?}");
    }
    for (calendar, cure) in [("gone@example.test", "share the calendar"), ("lia@example.test", "the owner's account")] {
        shop.run(&["calendar", "link", "Otávio Prado", calendar, "--write"]);
        let (code, found) = shop.examine("google");
        let (says, mend) = wrong(&found);
        assert!(code == 1 && says.contains(calendar) && says.contains("Otávio Prado"), "{says}");
        assert!(mend.contains(cure) && mend.contains("`balcao calendar "), "{mend}");
        shop.run(&["calendar", "unlink", "Otávio Prado", calendar]);
    }
}

#[tokio::test]
async fn doctor_asks_the_service_for_linked_calendars_and_fails_for_links_without_a_service() {
    let shop = Shop::new();
    shop.connect_and_allow().await;
    shop.run(&["calendar", "link", "Wesley Moura", "dona@example.test", "--write"]);
    shop.run(&["calendar", "sync"]);
    shop.configure("", |config| config.replace(&shop.google.url(), "http://127.0.0.1:1"));
    let (_, found) = shop.examine("calendar");
    assert!(found[0]["verdict"] == "warning", "{found:?}");
    assert!(found[0]["says"].as_str().unwrap().contains("of figueira: does not answer"), "{found:?}");

    shop.configure("", |_| String::new());
    let (code, found) = shop.examine("calendar");
    let (says, mend) = wrong(&found);
    assert!(code == 1 && says.contains("of figueira: professionals have linked calendars (1)"), "{says}");
    assert!(mend.contains("[google]") && mend.contains("`balcao calendar unlink"), "{mend}");
}

#[test]
fn doctor_examines_the_linked_calendars_of_each_business() {
    let shop = Shop::new();
    std::fs::write(shop.folder.path().join("key.json"), shop.google.key_file()).unwrap();
    let config = format!(
        "organization = {{slug = \"figueira\"}}\n[google]\nservice_account_file = \"key.json\"\nbase_url = \"{}\"\n",
        shop.google.url()
    );
    shop.configure(&config, |_| String::new());
    // A service account signs with the time of this machine.
    shop.google.set_clock_ahead(SystemClock.now().duration_since(NOW.parse().unwrap()));
    shop.run(&["seed", &crate::root().join("samples/clinica-vereda.yaml").display().to_string()]);
    shop.run(&["calendar", "link", "Wesley Moura", "dona@example.test", "--write"]);
    let (code, found) = shop.examine("google");
    assert!(code == 0 && found.iter().all(|one| one["verdict"] != "wrong"), "{found:?}");
    let professional = "Dra. Helena Duque";
    shop.run(&["calendar", "--business", "vereda", "link", professional, "lia@example.test", "--write"]);
    let (code, found) = shop.examine("google");
    let (says, mend) = wrong(&found);
    assert!(code == 1 && says.starts_with("of vereda: ") && says.contains(professional), "{says}");
    assert!(mend.contains("`balcao calendar --business vereda link"), "{mend}");
    // Another business's changes are for the program that serves it.
    assert_eq!(shop.examine("calendar").1.len(), 1);
}

#[test]
fn service_account_with_another_clock_is_named_by_the_doctor() {
    let shop = Shop::new();
    let base = shop.google.url();
    std::fs::write(shop.folder.path().join("key.json"), shop.google.key_file()).unwrap();
    let config = format!("[google]\nservice_account_file = \"key.json\"\nbase_url = \"{base}\"\n");
    std::fs::write(shop.folder.path().join("balcao.toml"), config).unwrap();
    shop.google.set_clock_ahead(jiff::SignedDuration::from_hours(24 * 3_650));
    let found = shop.doctor();
    let wrong = found.iter().find(|one| one["verdict"] == "wrong").unwrap();
    assert!(wrong["says"].as_str().unwrap().contains("ahead of the clock of this machine"), "{wrong}");
    let other = run(shop.folder.path(), &["calendar", "list", "--business", "another"], "");
    assert!(code(&other) == 2 && err(&other).contains("unknown organization `another`"), "{}", err(&other));
    let connect = run(shop.folder.path(), &["calendar", "connect"], "");
    assert!(code(&connect) == 2 && err(&connect).contains("needs no consent"), "{}", err(&connect));
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let folder = tempdir().unwrap();
    for (config, says) in [
        ("client_id = \"x\"\nservice_account_file = \"y\"", "not both"),
        ("subject = \"x\"", "google.service_account_file is missing"),
        ("client = \"x\"", "unknown field"),
    ] {
        std::fs::write(folder.path().join("balcao.toml"), format!("[google]\n{config}\n")).unwrap();
        let shown = run(folder.path(), &["config", "show"], "");
        assert!(code(&shown) == 2 && err(&shown).contains(says), "{}", err(&shown));
    }
}
