//! A shop through a quarter of a year, by the real server, its API and its commands, on a clock from outside. What the shop then tells of
//! itself is compared with a ledger that this test keeps on its own: it reads nothing from the program but ids.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use balcao_testkit::clock::{OutsideClock, VARIABLE};
use balcao_testkit::fakes::graph::webhooks;
use balcao_testkit::postgres::Database;
use balcao_testkit::wait::until;
use jiff::civil::{Date, Weekday, date};
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

mod ledger;

use crate::observed::{Observed, request, serve_business};
use crate::server::try_ask;
use crate::{code, err, out, run_by};

const HOUR: Duration = Duration::from_hours(1);
/// Every day has these hours in São Paulo, which has no summer time: three behind UTC.
const UTC_BEHIND: i8 = 3;
const CLIENTS: [(&str, &str); 6] = [
    ("Ana", "5531988881001"),
    ("Bruno", "5531988881002"),
    ("Clara", "5531988881003"),
    ("Davi", "5531988881004"),
    ("Elisa", "5531988881005"),
    ("Fábio", "5531988881006"),
];
/// Has the plan, which lapses.
const SUBSCRIBER: &str = "Ana";
/// So many visits of a calendar month the plan pays.
const QUOTA: usize = 4;
/// Answers a reminder with another time.
const MOVER: &str = "Bruno";

/// How a visit ended, or that it was called off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Completed,
    NoShow,
    Cancelled,
}

/// A visit as this test knows it.
#[derive(Debug, Clone)]
struct Visit {
    id: String,
    client: &'static str,
    professional: String,
    day: Date,
    cents: i64,
    end: Option<End>,
    /// Whether the plan pays for it.
    is_covered: bool,
    starts: Timestamp,
    booked: Timestamp,
    /// When it was cancelled or moved.
    given_up: Option<Timestamp>,
}

struct Shop {
    served: Observed,
    clock: OutsideClock,
    /// What its commands run with.
    environment: Vec<(&'static str, String)>,
    key: String,
    contacts: BTreeMap<&'static str, String>,
    visits: Vec<Visit>,
    /// Visits whose place another one took, by its move.
    moved: Vec<Visit>,
    /// When a client wrote.
    wrote: Vec<(&'static str, Timestamp)>,
    /// What a cut costs now, and whether the new barber is there.
    cents: i64,
    delivered: u32,
}

fn business() -> String {
    let contacts: String =
        CLIENTS.iter().map(|(name, phone)| format!("  - {{name: {name}, phone: \"+{phone}\"}}\n")).collect();
    format!(
        "organization:\n  name: Navalha\n  slug: navalha\n  timezone: America/Sao_Paulo\n  currency: BRL\n  hours:\n    \
         tue: [\"09:00-19:00\"]\n    wed: [\"09:00-19:00\"]\n    thu: [\"09:00-19:00\"]\n    fri: [\"09:00-19:00\"]\n    sat: [\"09:00-19:00\"]\n  \
         national_holidays: true\n  scheduling: {{unmarked_visits: complete, minimum_notice_minutes: 0}}\n\
         professionals:\n  - name: Otávio\n    hours: &week {{tue: [\"09:00-19:00\"], wed: [\"09:00-19:00\"], thu: [\"09:00-19:00\"], \
         fri: [\"09:00-19:00\"], sat: [\"09:00-19:00\"]}}\n    services: [Corte]\n  - name: Wesley\n    hours: *week\n    services: [Corte]\n\
         services:\n  - {{name: Corte, price: \"50.00\", duration_minutes: 60}}\n\
         plans:\n  - {{name: Mensal, price: \"120.00\", period: month, covers: [Corte], quota: 4}}\n\
         staff:\n  - {{name: Rita, email: rita@navalha.example, role: owner}}\ncontacts:\n{contacts}"
    )
}

impl Shop {
    /// Opens over a database on a server, or over a file.
    fn open(database: Option<&Database>) -> Self {
        // A Monday, 08:00 in São Paulo.
        let clock = OutsideClock::start("2026-11-23T11:00:00Z".parse().unwrap()).unwrap();
        let mut environment = vec![(VARIABLE, clock.address())];
        if let Some(database) = database {
            environment.push(("BALCAO_DATABASE_URL", database.url.clone()));
            environment.push(("BALCAO__DATABASE__ALLOW_UNSAFE", "true".to_owned()));
        }
        let served = serve_business(&business(), "", &environment, |_| {});
        let mut shop = Self {
            served,
            clock,
            environment,
            key: String::new(),
            contacts: BTreeMap::new(),
            visits: Vec::new(),
            moved: Vec::new(),
            wrote: Vec::new(),
            cents: 5_000,
            delivered: 0,
        };
        let scopes = ["--scope", "read", "--scope", "write", "--scope", "business"];
        shop.key = shop.command(&[&["key", "create", "--name", "quarter"], &scopes[..]].concat()).trim().to_owned();
        for (name, _) in CLIENTS {
            let found = shop.get(&format!("/v1/contacts?search={}", name.replace('á', "%C3%A1")));
            let id = found["items"][0]["id"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned();
            shop.contacts.insert(name, id);
        }
        shop
    }

    /// A command on the server's machine, at the server's time.
    fn command(&self, arguments: &[&str]) -> String {
        let folder: &Path = self.served.folder.path();
        let environment = self.environment.iter().map(|(name, value)| (name, value));
        let output = run_by(crate::balcao(folder).envs(environment), arguments, "");
        assert_eq!(code(&output), 0, "{arguments:?}: {}{}", out(&output), err(&output));
        out(&output)
    }

    fn call(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        try_ask(&self.served.address, method, path, &self.key, None, body.as_ref()).unwrap()
    }

    fn get(&self, path: &str) -> Value {
        let (status, body) = self.call("GET", path, None);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.call("POST", path, Some(body.clone()));
        assert!((200..300).contains(&status), "{path} {body}: {status} {answer}");
        answer
    }

    /// Shows an edit's plan and makes exactly it; gives the plan.
    fn edit(&self, mut edit: Value) -> Value {
        let plan = self.post("/v1/business/edit", edit.clone());
        edit["plan"] = plan["hash"].clone();
        self.post("/v1/business/edit", edit);
        plan
    }

    fn today(&self) -> Date {
        self.clock.now().to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::offset(-UTC_BEHIND))).date()
    }

    /// Lets time pass until this local hour of a date; the server does in between what is due.
    fn wait_until(&self, day: Date, hour: i8) {
        let wanted = day.at(hour, 0, 0, 0).to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::offset(-UTC_BEHIND))).unwrap();
        let wanted = wanted.timestamp();
        while self.clock.now() < wanted {
            let left = Duration::try_from(wanted.duration_since(self.clock.now())).unwrap();
            self.clock.advance(left.min(12 * HOUR));
            assert_eq!(request(&self.served.address, "GET /healthz HTTP/1.1", b"").unwrap().0, 200);
        }
    }

    fn try_book(&self, client: &str, professional: &str, day: Date, start: &str) -> (u16, Value) {
        let contact = &self.contacts[client];
        let body = json!({ "contact_id": contact, "service": "Corte", "professional": professional, "date": day.to_string(), "start": start });
        self.call("POST", "/v1/appointments", Some(body))
    }

    /// A start in the shop's zone, as an instant.
    fn instant(day: Date, start: &str) -> Timestamp {
        let at = day.to_datetime(start.parse().unwrap());
        at.to_zoned(jiff::tz::TimeZone::fixed(jiff::tz::offset(-UTC_BEHIND))).unwrap().timestamp()
    }

    /// How many visits of a client the plan pays in a calendar month.
    fn covered(&self, client: &str, month: Date) -> usize {
        let is_in = |one: &&Visit| {
            let day = one.day;
            (day.year(), day.month()) == (month.year(), month.month()) && one.end != Some(End::Cancelled)
        };
        self.visits.iter().filter(|one| one.client == client && one.is_covered).filter(is_in).count()
    }

    /// Books, at the price that the ledger expects: the plan pays as many visits of a calendar month as its quota allows.
    fn book(&mut self, client: &'static str, professional: &str, day: Date, start: &str, has_plan: bool) -> String {
        let is_covered = has_plan && self.covered(client, day) < QUOTA;
        let cents = if is_covered { 0 } else { self.cents };
        let booked = self.clock.now();
        let (status, answer) = self.try_book(client, professional, day, start);
        assert_eq!(status, 201, "{client} {day} {start}: {answer}");
        let appointment = &answer["appointment"];
        assert_eq!(appointment["price"]["cents"], cents, "{client} {day}: {answer}");
        let id = appointment["id"].as_str().unwrap().to_owned();
        self.visits.push(Visit {
            id: id.clone(),
            client,
            professional: professional.to_owned(),
            day,
            cents,
            end: None,
            is_covered,
            starts: Self::instant(day, start),
            booked,
            given_up: None,
        });
        id
    }

    /// A visit goes to another place under another id.
    fn moves(&mut self, id: &str, new_id: &str, professional: &str, day: Date, start: &str) {
        let now = self.clock.now();
        let visit = self.visit(id);
        let before = Visit { given_up: Some(now), ..visit.clone() };
        let after = Visit {
            id: new_id.to_owned(),
            professional: professional.to_owned(),
            day,
            starts: Self::instant(day, start),
            booked: now,
            ..before.clone()
        };
        *visit = Visit { given_up: None, ..after };
        self.moved.push(before);
    }

    fn visit(&mut self, id: &str) -> &mut Visit {
        self.visits.iter_mut().find(|one| one.id == id).unwrap()
    }

    fn mark(&mut self, id: &str, end: End) {
        let word = match end {
            End::Completed => "completed",
            End::NoShow => "no_show",
            End::Cancelled => "cancelled",
        };
        self.post(&format!("/v1/appointments/{id}/mark"), json!({ "end": word, "staff": "rita@navalha.example" }));
        self.visit(id).end = Some(end);
    }

    /// The customer writes, and the shop's next messages come; gives the last of them.
    fn writes(&mut self, client: &'static str, words: &str) -> String {
        self.wrote.push((client, self.clock.now()));
        let (_, phone) = CLIENTS.into_iter().find(|(name, _)| *name == client).unwrap();
        let before = self.served.graph.accepted().len();
        self.delivered += 1;
        let message = json!({ "from": phone, "from_user_id": format!("BR.{phone}"), "id": format!("wamid.{}", self.delivered),
            "timestamp": self.clock.now().as_second().to_string(), "type": "text", "text": { "body": words } });
        self.served.delivers(&webhooks::envelope("messages", json!({ "messages": [message] })));
        until(words, || self.served.graph.accepted().get(before).map(ToString::to_string))
    }

    /// What was sent to a client since there were `before` messages.
    fn sent_to(&self, client: &str, before: usize) -> Vec<String> {
        let (_, phone) = CLIENTS.into_iter().find(|(name, _)| *name == client).unwrap();
        let all = self.served.graph.accepted();
        let own = all.iter().skip(before).filter(|message| message.to_string().contains(phone));
        own.map(ToString::to_string).collect()
    }

    /// The week's bookings, made on its Monday: each client on a day of their own, half of them with each barber.
    fn book_week(&mut self, monday: Date, subscriber_pays: bool, extra: Option<&str>) -> Vec<String> {
        let mut ids = Vec::new();
        for (place, (client, _)) in CLIENTS.into_iter().enumerate() {
            let offset = 1 + i64::try_from(place).unwrap() % 5;
            let day = monday.checked_add(offset.days()).unwrap();
            let barber = match (place % 3, extra) {
                (0, Some(new)) => new,
                (1, _) => "Wesley",
                _ => "Otávio",
            };
            let is_holiday = [date(2026, 12, 25), date(2027, 1, 1)].contains(&day);
            let start = if place < 5 { "10:00" } else { "15:00" };
            if is_holiday {
                let (status, refused) = self.try_book(client, barber, day, start);
                assert!(status == 409 || status == 422, "a holiday: {status} {refused}");
                continue;
            }
            let has_plan = client == SUBSCRIBER && !subscriber_pays;
            ids.push(self.book(client, barber, day, start, has_plan));
        }
        ids
    }

    /// Lives the days of a week: each evening some did not come, and the server completes the others.
    fn live_week(&mut self, monday: Date, ids: &[String], week: usize) {
        let mut ids = ids.to_vec();
        ids.sort_by_key(|id| self.visit(id).day);
        for (place, id) in ids.iter().enumerate() {
            let visit = self.visit(id).clone();
            if visit.end.is_some() {
                continue;
            }
            self.wait_until(visit.day, 18);
            match (week + place) % 7 {
                0 => self.mark(id, End::NoShow),
                3 => self.mark(id, End::Completed),
                5 if place % 2 == 0 => {
                    // Marked wrongly, undone, and marked rightly.
                    self.mark(id, End::NoShow);
                    self.post(&format!("/v1/appointments/{id}/undo-mark"), json!({}));
                    self.mark(id, End::Completed);
                }
                // The server marks it as completed, because the business has `unmarked_visits: complete`.
                _ => self.visit(id).end = Some(End::Completed),
            }
        }
        self.wait_until(monday.checked_add(7.days()).unwrap(), 8);
        assert_eq!(self.today().weekday(), Weekday::Monday);
    }
}

#[test]
fn every_figure_of_a_quarter_equals_a_ledger_of_its_own() {
    live_a_quarter(None);
}

#[test]
fn every_figure_of_a_quarter_on_postgresql_equals_a_ledger_of_its_own() {
    let Some(database) = Database::empty() else { return };
    live_a_quarter(Some(&database));
}

fn live_a_quarter(database: Option<&Database>) {
    let mut shop = Shop::open(database);
    let mut monday = date(2026, 11, 23);
    let next = |monday: &mut Date| *monday = monday.checked_add(7.days()).unwrap();
    // The plan is paid once: it is due on 24 December, then on 24 January, and then it lapses.
    let contact = shop.contacts[SUBSCRIBER].clone();
    let started =
        shop.post("/v1/subscriptions", json!({ "contact_id": contact, "plan": "Mensal", "due": "2026-12-24" }));
    let subscription = started["subscription"]["id"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();

    for week in 0..3 {
        let ids = shop.book_week(monday, false, None);
        shop.live_week(monday, &ids, week);
        next(&mut monday);
    }
    // 14 December: the price rises, and what is booked keeps its own.
    let ids = shop.book_week(monday, false, None);
    let plan =
        shop.edit(json!({ "section": "services", "name": "Corte", "action": "change", "set": { "price": "60.00" } }));
    assert_eq!(plan["changes"][0]["hits"].as_array().unwrap().len(), ids.len(), "{plan}");
    shop.cents = 6_000;
    shop.live_week(monday, &ids, 3);
    next(&mut monday);
    // 21 December, with Christmas on its Friday: the plan is paid before it is due.
    let payment = json!({ "reference": "PIX-1", "amount_cents": 12_000, "staff": "rita@navalha.example" });
    let paid = shop.post(&format!("/v1/subscriptions/{subscription}/payments"), payment.clone());
    assert_eq!(paid["subscription"]["due"], "2027-01-24", "{paid}");
    assert_eq!(shop.post(&format!("/v1/subscriptions/{subscription}/payments"), payment)["changed"], false);
    let ids = shop.book_week(monday, false, None);
    assert_eq!(ids.len(), 5, "nobody is cut on Christmas Day");
    shop.live_week(monday, &ids, 4);
    next(&mut monday);
    // 28 December, with New Year's Day on its Friday; a third barber begins.
    let week = json!(["09:00-19:00"]);
    let hours = json!({ "tue": week, "wed": week, "thu": week, "fri": week, "sat": week });
    shop.edit(json!({ "section": "professionals", "action": "add", "set": { "name": "Nina", "hours": hours, "services": ["Corte"] } }));
    let ids = shop.book_week(monday, false, Some("Nina"));
    // The fifth Tuesday of December is beyond the quota.
    quota_is_used(&shop, &subscription, date(2026, 12, 28));
    assert_eq!(shop.covered(SUBSCRIBER, date(2026, 12, 28)), QUOTA);
    assert!(shop.visits.iter().any(|one| one.client == SUBSCRIBER && one.cents == 6_000));
    shop.live_week(monday, &ids, 5);
    next(&mut monday);

    // 4 January: Otávio goes away on Thursday and Friday, with bookings in it.
    let ids = shop.book_week(monday, false, Some("Nina"));
    let (from, to) = (monday.checked_add(3.days()).unwrap(), monday.checked_add(5.days()).unwrap());
    let hit: Vec<String> = ids
        .iter()
        .filter(|id| {
            let visit = shop.visits.iter().find(|one| one.id == **id).unwrap();
            visit.professional == "Otávio" && (from..to).contains(&visit.day)
        })
        .cloned()
        .collect();
    let away = json!({ "from": format!("{from}T00:00"), "to": format!("{to}T00:00") });
    let plan = shop
        .edit(json!({ "section": "professionals", "name": "Otávio", "action": "change", "add": { "time_off": away } }));
    let named: Vec<&str> = plan["changes"][0]["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["appointment_id"].as_str().unwrap())
        .collect();
    assert!(!hit.is_empty() && named == hit, "{plan}");
    let conflicts = shop.get("/v1/conflicts");
    assert_eq!(conflicts["items"].as_array().unwrap().len(), hit.len(), "{conflicts}");
    let (first, others) = hit.split_first().unwrap();
    let ways = shop.get(&format!("/v1/appointments/{first}/ways-out"));
    assert!(ways["ways"].as_array().unwrap().len() >= 3, "{ways}");
    let to_wesley =
        json!({ "way": "move", "date": shop.visit(first).day.to_string(), "start": "16:00", "professional": "Wesley" });
    let moved = shop.post(&format!("/v1/appointments/{first}/resolve"), to_wesley);
    let new_id = moved["appointment"]["id"].as_str().unwrap_or_else(|| panic!("{moved}")).to_owned();
    let day = shop.visit(first).day;
    shop.moves(first, &new_id, "Wesley", day, "16:00");
    for id in others {
        shop.post(&format!("/v1/appointments/{id}/resolve"), json!({ "way": "cancel" }));
        let now = shop.clock.now();
        let visit = shop.visit(id);
        (visit.end, visit.given_up) = (Some(End::Cancelled), Some(now));
    }
    assert_eq!(shop.get("/v1/conflicts")["items"], json!([]));
    let ids: Vec<String> = ids.into_iter().map(|id| if id == *first { new_id.clone() } else { id }).collect();
    shop.live_week(monday, &ids, 6);
    next(&mut monday);

    // 11 January: a reminder is answered with another time.
    // What he writes opens WhatsApp's window for a day, in which the reminder comes as a message with buttons.
    shop.wait_until(monday, 12);
    shop.writes(MOVER, "oi");
    let ids = shop.book_week(monday, false, Some("Nina"));
    let his =
        ids.iter().find(|id| shop.visits.iter().any(|one| one.id == **id && one.client == MOVER)).unwrap().clone();
    let day = shop.visit(&his).day;
    let before = shop.served.graph.accepted().len();
    shop.wait_until(day.checked_sub(1.days()).unwrap(), 10);
    let reminder =
        shop.clock.advance_until("the reminder of a day before", || shop.sent_to(MOVER, before).first().cloned());
    assert!(reminder.contains("Remarcar") && reminder.contains("Sim"), "{reminder}");
    shop.writes(MOVER, "remarcar");
    let offered = shop.writes(MOVER, "sexta às 16h");
    let later = monday.checked_add(4.days()).unwrap();
    assert!(offered.contains("16"), "{offered}");
    let done = shop.writes(MOVER, "sim");
    let listed = shop.get(&format!("/v1/appointments?from={later}&to={later}"));
    let is_his = |one: &&Value| one["status"] == "confirmed" && one["contact_id"] == shop.contacts[MOVER].as_str();
    let open = listed["items"].as_array().unwrap().iter().find(is_his);
    let new_id = open.unwrap_or_else(|| panic!("{done}\n{listed}"))["id"].as_str().unwrap().to_owned();
    let professional = shop.visit(&his).professional.clone();
    shop.moves(&his, &new_id, &professional, later, "16:00");
    let ids: Vec<String> = ids.into_iter().map(|id| if id == his { new_id.clone() } else { id }).collect();
    shop.live_week(monday, &ids, 7);
    next(&mut monday);

    // Until 24 January the plan pays; from then on it is overdue, and cuts cost what they cost.
    for week in 8..13 {
        let lapsed = monday >= date(2027, 1, 25);
        let ids = shop.book_week(monday, lapsed, Some("Nina"));
        quota_is_used(&shop, &subscription, monday);
        shop.live_week(monday, &ids, week);
        next(&mut monday);
    }
    let overdue = shop.get("/v1/subscriptions?status=overdue");
    assert_eq!(overdue["items"][0]["id"], subscription.as_str(), "{overdue}");

    ledger::equals(&shop);
    shop.served.stop();
}

/// Compares what the plan paid in the month of a date, which is today's.
fn quota_is_used(shop: &Shop, subscription: &str, today: Date) {
    let shown = shop.get(&format!("/v1/subscriptions/{subscription}"));
    let shown = shown.get("subscription").unwrap_or(&shown);
    assert_eq!((&shown["quota"], &shown["used"]), (&json!(QUOTA), &json!(shop.covered(SUBSCRIBER, today))), "{shown}");
}
