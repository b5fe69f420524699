//! Real processes of one business with a calendar of Google: two that want one slot, and staff who resolve what a person did.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use balcao_domain::ManualClock;
use balcao_testkit::clock::{OutsideClock, VARIABLE};
use balcao_testkit::fakes::google::{Call, FakeGoogle};
use balcao_testkit::postgres::Database;
use jiff::civil::date;
use jiff::tz::TimeZone;
use serde_json::Value;
use tempfile::tempdir;

use crate::google_scenarios::private;
use crate::{balcao, code, err, out};

const CALENDAR: &str = "wesley@example.test";
const CUSTOMERS: [&str; 2] = ["+5531955550001", "+5531955550002"];

/// A business whose processes share a database, a clock and a calendar.
struct Shop<'a> {
    folder: &'a Path,
    database: Option<&'a str>,
    clock: OutsideClock,
    google: FakeGoogle,
}

impl<'a> Shop<'a> {
    fn new(folder: &'a Path, database: Option<&'a str>) -> Self {
        let local = date(2026, 11, 24).at(10, 0, 0, 0);
        let now = local.to_zoned(TimeZone::get("America/Sao_Paulo").unwrap()).unwrap().timestamp();
        let google = FakeGoogle::start(Arc::new(ManualClock::at(now))).unwrap();
        google.add_calendar(CALENDAR, "America/Sao_Paulo", "owner").unwrap();
        std::fs::write(folder.join("key.json"), google.key_file()).unwrap();
        private(&folder.join("key.json"));
        let config = format!("[google]\nservice_account_file = \"key.json\"\nbase_url = \"{}\"\n", google.url());
        std::fs::write(folder.join("balcao.toml"), config).unwrap();
        let shop = Self { folder, database, clock: OutsideClock::start(now).unwrap(), google };
        let sample = crate::root().join("samples/barbearia-figueira.yaml");
        shop.run(&["migrate"]);
        shop.run(&["seed", sample.to_str().unwrap()]);
        shop.run(&["calendar", "link", "Wesley Moura", CALENDAR, "--write"]);
        shop.run(&["calendar", "sync"]);
        shop
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = balcao(self.folder);
        command.env(VARIABLE, self.clock.address()).args(arguments);
        if let Some(url) = self.database {
            command.env("BALCAO_DATABASE_URL", url).env("BALCAO__DATABASE__ALLOW_UNSAFE", "true");
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        ended(self.command(arguments).output().unwrap())
    }

    /// A customer's process, which has its message and answers it.
    fn says(&self, customer: &str, text: &str) -> Child {
        let arguments = ["chat", "--profile", "eli", "--as", customer, "--model", "offline", "--script", "-", "--json"];
        let mut command = self.command(&arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("{text}\n").as_bytes()).unwrap();
        child
    }

    /// Two customers ask for one time, and agree to it at the same instant.
    fn race(&self, time: &str, standing: usize) {
        for customer in CUSTOMERS {
            let asked = format!("quero marcar corte na máquina amanhã às {time} com o Wesley");
            let answer = ended(self.says(customer, &asked).wait_with_output().unwrap());
            assert!(answer.contains(time), "{answer}");
        }
        self.google.bring_together(Call::List, 2);
        let both = CUSTOMERS.map(|customer| self.says(customer, "pode marcar"));
        let answers = both.map(|child| ended(child.wait_with_output().unwrap()));
        let booked: Vec<bool> = answers.iter().map(|answer| is_booked(answer)).collect();
        assert_eq!(booked.iter().filter(|booked| **booked).count(), 1, "{time}: {answers:?}");
        assert_eq!(self.google.count_events(CALENDAR), standing, "{time}");
        let listed = self.run(&["appointments", "list", "--from", "2026-11-25", "--to", "2026-11-25", "--json"]);
        let listed: Vec<Value> = serde_json::from_str(&listed).unwrap();
        let is_ours = |one: &&Value| {
            let one = &one["appointment"];
            one["professional"] == "Wesley Moura" && one["status"] == "confirmed" && one["start"] == time
        };
        assert_eq!(listed.iter().filter(is_ours).count(), 1, "{time}: {listed:?}");
    }
}

/// What a process said that ended well.
fn ended(output: Output) -> String {
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    out(&output)
}

/// Whether the tool of a turn booked.
fn is_booked(answer: &str) -> bool {
    let turn: Value = serde_json::from_str(answer.lines().last().unwrap()).unwrap();
    let calls = turn["calls"].as_array().unwrap();
    let booking = calls.iter().rfind(|call| call["tool"] == "create_appointment");
    booking.unwrap_or_else(|| panic!("{turn}"))["result"]["success"] == true
}

fn two_processes_leave_one_event(database: Option<&str>) {
    let folder = tempdir().unwrap();
    let shop = Shop::new(folder.path(), database);
    let before = shop.google.count_events(CALENDAR);
    for (round, time) in ["14:00", "15:00", "16:00"].into_iter().enumerate() {
        shop.race(time, before + round + 1);
    }
    // Nothing waits, and no event is without an appointment.
    let compared = shop.run(&["calendar", "reconcile", "--json"]);
    let compared: Value = serde_json::from_str(&compared).unwrap();
    assert_eq!((&compared["repaired"], &compared["differences"]), (&0.into(), &Value::Array(Vec::new())), "{compared}");
}

#[test]
fn google_two_processes_that_want_one_slot_leave_one_event_on_sqlite() {
    two_processes_leave_one_event(None);
}

#[test]
fn google_two_processes_that_want_one_slot_leave_one_event_on_postgres() {
    let Some(database) = Database::empty() else { return };
    two_processes_leave_one_event(Some(&database.url));
}

/// A person deletes an event: staff see each way with its command, what the customer would read and what that costs, and take one.
#[test]
fn google_ways_out_of_a_conflict_are_shown_with_their_commands_and_prices_and_taken() {
    let folder = tempdir().unwrap();
    let shop = Shop::new(folder.path(), None);
    for text in ["quero marcar corte na máquina amanhã às 14:00 com o Wesley", "pode marcar"] {
        ended(shop.says(CUSTOMERS[0], text).wait_with_output().unwrap());
    }
    let asked = shop.google.asked();
    let mut made = asked.iter().filter(|asked| asked.method == "POST").filter_map(|asked| asked.body["id"].as_str());
    shop.google.delete_event(CALENDAR, made.next_back().unwrap());
    shop.run(&["calendar", "sync"]);
    let listed: Value = serde_json::from_str(&shop.run(&["calendar", "conflicts", "--json"])).unwrap();
    let number = listed[0]["id"].to_string();
    let shown = shop.run(&["calendar", "ways-out", &number]);
    let lines: Vec<&str> = shown.lines().collect();
    let line = |option: &str| {
        let command = format!("  resolve {number} {option}");
        lines.iter().position(|line| line.starts_with(&command)).unwrap_or_else(|| panic!("{option}: {shown}"))
    };
    let (take, restore, elsewhere) = (line("--take"), line("--restore"), line("--move-to 2026-11-2"));
    assert!(lines[take].contains("the booking is cancelled; the customer is not told, because"), "{shown}");
    assert!(lines[take + 1].contains("Infelizmente precisamos cancelar"), "{shown}");
    assert!(lines[restore].contains("the booking stays; the customer reads nothing"), "{shown}");
    assert!(lines[elsewhere].contains("the booking moves to 2026-11-2"), "{shown}");
    assert!(lines[elsewhere + 1].contains("Precisamos mudar o seu horário"), "{shown}");
    assert!(!shown.contains("--cancel"), "what was done outside is the cancellation: {shown}");
    // What is shown is what can be typed.
    let command = lines[elsewhere].split("  (").next().unwrap();
    let words: Vec<&str> = command.split_whitespace().collect();
    let told = shop.run(&[&["calendar"][..], &words].concat());
    assert!(told.contains(&format!("conflict {number} is resolved")), "{told}");
    assert_eq!(shop.run(&["calendar", "conflicts"]).trim(), "no conflicts with calendars");
    assert_eq!(shop.google.count_events(CALENDAR), 1);
}
