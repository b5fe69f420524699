//! The shipped scenarios over our own tables and over Google Calendar: replies and tool calls are equal, and the
//! calendars show exactly the appointments that there are.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use balcao_domain::ManualClock;
use balcao_testkit::clock::{OutsideClock, VARIABLE};
use balcao_testkit::fakes::google::FakeGoogle;
use balcao_yaml::Document;
use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::{balcao, code, err, out, run_by};

/// Of a scenario, what is played here.
#[derive(Debug, Deserialize)]
struct Scenario {
    business: String,
    profile: String,
    now: DateTime,
    contact: Customer,
    turns: Vec<Turn>,
}

#[derive(Debug, Deserialize)]
struct Customer {
    phone: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Turn {
    customer: String,
    wait: Option<String>,
}

/// The professionals of a business file; each gets a calendar.
#[derive(Debug, Deserialize)]
struct Business {
    professionals: Vec<Professional>,
}

#[derive(Debug, Deserialize)]
struct Professional {
    name: String,
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap();
    Document::read(&path.display().to_string(), &text).unwrap().read_as().unwrap()
}

/// What a customer and a calendar see of a scenario that was played.
struct Played {
    turns: Vec<Value>,
    /// How many appointments of each professional have not ended and stand.
    standing: BTreeMap<String, usize>,
}

/// A business in a folder of its own, at a time that passes only where a scenario waits.
struct Shop<'a> {
    folder: &'a Path,
    clock: OutsideClock,
    /// The clock of the calendar service.
    google: Arc<ManualClock>,
}

impl Shop<'_> {
    /// Lets time pass, such as `2h`.
    fn pass(&self, wait: &str) {
        let by: SignedDuration = wait.parse().unwrap();
        self.clock.advance(by.unsigned_abs());
        self.google.advance(by);
    }

    fn run(&self, arguments: &[&str], input: &str) -> String {
        let done = run_by(balcao(self.folder).env(VARIABLE, self.clock.address()), arguments, input);
        assert_eq!(code(&done), 0, "{arguments:?}: {}", err(&done));
        out(&done)
    }

    /// Plays a scenario: what is said without a wait is one script.
    fn play(&self, scenario: &Scenario) -> Played {
        let phone = scenario.contact.phone.as_deref().unwrap();
        let options = ["--profile", &scenario.profile, "--as", phone, "--model", "offline", "--script", "-", "--json"];
        let mut turns = Vec::new();
        for said in scenario.turns.chunk_by(|_, next| next.wait.is_none()) {
            if let Some(wait) = &said[0].wait {
                self.pass(wait);
            }
            let script: String = said.iter().map(|turn| format!("{}\n", turn.customer)).collect();
            let answered = self.run(&[&["chat"][..], &options].concat(), &script);
            turns.extend(answered.lines().map(|line| seen(&serde_json::from_str(line).unwrap())));
        }
        assert_eq!(turns.len(), scenario.turns.len());
        let today = scenario.now.date();
        let (from, to) = (today.to_string(), today.saturating_add(jiff::Span::new().days(90)).to_string());
        let listed = self.run(&["appointments", "list", "--from", &from, "--to", &to, "--json"], "");
        let mut standing = BTreeMap::new();
        for one in serde_json::from_str::<Value>(&listed).unwrap().as_array().unwrap() {
            let one = &one["appointment"];
            if one["status"] == "confirmed" || one["status"] == "pending" {
                *standing.entry(one["professional"].as_str().unwrap().to_owned()).or_default() += 1;
            }
        }
        Played { turns, standing }
    }
}

/// Of a turn, what the customer and the tools saw.
fn seen(turn: &Value) -> Value {
    json!({"reply": turn["reply"], "outcome": turn["outcome"], "reason": turn["reason"], "calls": turn["calls"]})
}

/// Plays a scenario over our tables and over Google, and compares the two.
fn compare(path: &Path) {
    let scenario: Scenario = read(path);
    let sample = crate::root().join(format!("samples/{}.yaml", scenario.business));
    let names: Vec<String> = read::<Business>(&sample).professionals.into_iter().map(|one| one.name).collect();
    let now = scenario.now.to_zoned(TimeZone::get("America/Sao_Paulo").unwrap()).unwrap().timestamp();
    let time = Arc::new(ManualClock::at(now));
    let google = FakeGoogle::start(Arc::<ManualClock>::clone(&time)).unwrap();
    let (plain, linked) = (tempdir().unwrap(), tempdir().unwrap());
    let shop = |folder, google| Shop { folder, clock: OutsideClock::start(now).unwrap(), google };
    let shops = [shop(plain.path(), Arc::new(ManualClock::at(now))), shop(linked.path(), time)];
    for shop in &shops {
        shop.run(&["migrate"], "");
        shop.run(&["seed", sample.to_str().unwrap()], "");
    }
    let [plain, linked] = shops;
    std::fs::write(linked.folder.join("key.json"), google.key_file()).unwrap();
    private(&linked.folder.join("key.json"));
    let config = format!("[google]\nservice_account_file = \"key.json\"\nbase_url = \"{}\"\n", google.url());
    std::fs::write(linked.folder.join("balcao.toml"), config).unwrap();
    let calendar = |index: usize| format!("agenda{index}@example.test");
    for (index, name) in names.iter().enumerate() {
        google.add_calendar(&calendar(index), "America/Sao_Paulo", "owner").unwrap();
        linked.run(&["calendar", "link", name, &calendar(index), "--write"], "");
    }
    linked.run(&["calendar", "sync"], "");

    let (own, outside) = (plain.play(&scenario), linked.play(&scenario));
    assert_eq!(outside.turns, own.turns, "{}", path.display());
    assert_eq!(outside.standing, own.standing, "{}", path.display());
    linked.run(&["calendar", "sync"], "");
    for (index, name) in names.iter().enumerate() {
        let standing = outside.standing.get(name).copied().unwrap_or_default();
        assert_eq!(google.count_events(&calendar(index)), standing, "{}: {name}", path.display());
    }
    assert!(google.send_updates().iter().all(|one| one == "none"), "{}", path.display());
}

/// A key that others may read is refused.
pub(crate) fn private(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
}

/// Every scenario of a profile.
fn scenarios(profile: &str) -> Vec<std::path::PathBuf> {
    let mut all: Vec<_> =
        std::fs::read_dir(crate::root().join("evals")).unwrap().map(|one| one.unwrap().path()).collect();
    // A folder beside them holds the scenarios of a profile with tools of its own.
    all.retain(|path| path.is_file() && read::<Scenario>(path).profile == profile);
    all.sort();
    for path in &all {
        let is_line = |turn: &Turn| turn.customer.trim().lines().count() == 1;
        let Scenario { turns, .. } = read(path);
        assert!(turns.iter().all(is_line), "{}: a script has one message in a line", path.display());
    }
    all
}

/// Turn by turn with the result over tables, and without an exception: a scenario that differs is a fault.
#[test]
fn google_every_scenario_of_manual_gives_the_same_over_tables_and_over_google() {
    let all = scenarios("manual");
    assert!(!all.is_empty());
    all.iter().for_each(|path| compare(path));
}

fn compare_some(names: &[&str]) {
    for name in names {
        compare(&crate::root().join(format!("evals/{name}.yaml")));
    }
}

#[test]
fn google_ten_scenarios_of_the_salon_give_the_same_over_tables_and_over_google() {
    compare_some(&[
        "book-all-in-one",
        "book-and-cancel",
        "book-piecemeal",
        "cancel-agreed",
        "cancel-then-keep",
        "clinic-book",
        "clinic-move-both",
        "clinic-reschedule",
        "reschedule-agreed",
        "reschedule-to-taken",
    ]);
}

#[test]
fn google_ten_scenarios_of_the_intake_give_the_same_over_tables_and_over_google() {
    compare_some(&[
        "intake-all-in-one",
        "intake-alternative-taken-up",
        "intake-anyone",
        "intake-by-name",
        "intake-changes-mind",
        "intake-for-her-mother",
        "intake-for-somebody-else",
        "intake-no-second-booking",
        "intake-part-of-day-full",
        "intake-service-by-alias",
    ]);
}
