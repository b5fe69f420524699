//! What the shop tells of itself at the end of the quarter, held against the ledger.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::{CLIENTS, End, Shop};
use crate::{err, out, run_by};

/// The reminders of a visit, in minutes before its start.
const LEADS: [i64; 2] = [1_440, 60];

/// Compares the reminders of every visit: which were planned when it was booked, and what became of each.
fn reminders_equal(shop: &Shop) {
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for visit in shop.visits.iter().chain(&shop.moved) {
        let due = |lead: i64| visit.starts.checked_sub(SignedDuration::from_mins(lead)).unwrap();
        let planned: Vec<i64> = LEADS.into_iter().filter(|lead| due(*lead) > visit.booked).collect();
        let found = shop.get(&format!("/v1/appointments/{}", visit.id));
        let reminders = found["reminders"].as_array().unwrap();
        let leads: Vec<i64> = reminders.iter().map(|one| one["minutes_before"].as_i64().unwrap()).collect();
        assert_eq!(leads, planned, "{visit:?}: {found}");
        for (lead, reminder) in planned.into_iter().zip(reminders) {
            let state = reminder["state"].as_str().unwrap();
            // A reminder reaches a client who wrote less than a day ago, because the shop has no template for reminders.
            let is_reached = shop.wrote.iter().any(|(client, at)| {
                *client == visit.client
                    && *at <= due(lead)
                    && due(lead).duration_since(*at) < SignedDuration::from_hours(24)
            });
            if visit.given_up.is_some_and(|at| at < due(lead)) {
                assert_eq!(state, "cancelled", "{visit:?}: {found}");
            } else if is_reached {
                assert_eq!(state, "sent", "{visit:?}: {found}");
            } else {
                // Whether a mark ends it first, or it is found due first, is a race of two that are both right.
                assert!(["skipped", "cancelled"].contains(&state), "{visit:?}: {found}");
            }
            *ends.entry(state.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(ends.get("sent"), Some(&1), "{ends:?}");
    assert!(ends["cancelled"] >= 4, "{ends:?}");
    assert_eq!(shop.command(&["appointments", "reminders"]).trim(), "no planned reminders");
}

/// Compares what the agent's tool tells a client of their visits.
fn visits_equal(shop: &Shop) {
    for (client, phone) in CLIENTS {
        let chat = ["chat", "--as", &format!("+{phone}"), "--script", "-", "--model", "offline", "--json"];
        let folder: &Path = shop.served.folder.path();
        let environment = shop.environment.iter().map(|(name, value)| (name, value));
        let output = run_by(crate::balcao(folder).envs(environment), &chat, "quais são os meus horários?\n");
        let turn: Value = serde_json::from_str(out(&output).lines().next().unwrap_or_default())
            .unwrap_or_else(|_| panic!("{}{}", out(&output), err(&output)));
        let calls = turn["calls"].as_array().unwrap();
        let told = calls.iter().find(|call| call["tool"] == "get_appointment_history");
        let told = &told.unwrap_or_else(|| panic!("{turn}"))["result"];
        let own = || shop.visits.iter().filter(|one| one.client == client && one.end == Some(End::Completed));
        let mut barbers: BTreeMap<&str, (usize, Timestamp)> = BTreeMap::new();
        for visit in own() {
            let entry = barbers.entry(visit.professional.as_str()).or_insert((0, visit.starts));
            *entry = (entry.0 + 1, entry.1.max(visit.starts));
        }
        // The professional with most visits; of two, the one of the last visit.
        let preferred = barbers.into_iter().max_by_key(|(_, rank)| *rank).map(|(name, _)| name);
        assert_eq!(
            (&told["total_visits"], &told["preferred_barber"]),
            (&json!(own().count()), &json!(preferred)),
            "{client}: {told}"
        );
    }
}

/// A share in millionths, to be put in order.
fn share(part: usize, whole: usize) -> usize {
    (part * 1_000_000).checked_div(whole).unwrap_or_default()
}

/// A share as it is compared, with six decimals.
fn rate(part: usize, whole: usize) -> String {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap());
    six_decimals(if whole == 0 { 0.0 } else { number(part) / number(whole) })
}

fn six_decimals(rate: f64) -> String {
    format!("{rate:.6}")
}

/// Compares what commands and API tell with what the ledger adds up to.
pub(super) fn equals(shop: &Shop) {
    let told: Value =
        serde_json::from_str(&shop.command(&["stats", "--months", "4", "--no-shows", "20", "--json"])).unwrap();
    let count = |month: Option<&str>, end: End| {
        shop.visits
            .iter()
            .filter(|one| month.is_none_or(|month| one.day.to_string().starts_with(month)) && one.end == Some(end))
            .count()
    };
    let cents = |month: Option<&str>| -> i64 {
        let done = shop.visits.iter().filter(|one| one.end == Some(End::Completed));
        done.filter(|one| month.is_none_or(|month| one.day.to_string().starts_with(month))).map(|one| one.cents).sum()
    };
    let expected = |month: Option<&str>| {
        let (done, missed, cancelled) =
            (count(month, End::Completed), count(month, End::NoShow), count(month, End::Cancelled));
        let rate = rate(missed, missed + done);
        json!([done + missed + cancelled, done, missed, cancelled, 0, cents(month), rate])
    };
    let shown = |figures: &Value| {
        json!([
            figures["total"],
            figures["completed"],
            figures["no_shows"],
            figures["cancelled"],
            figures["unmarked"],
            figures["revenue"]["cents"],
            six_decimals(figures["no_show_rate"].as_f64().unwrap())
        ])
    };
    let months = told["stats"]["months"].as_array().unwrap();
    assert_eq!(months.len(), 4, "{told}");
    for month in months {
        let name = month["month"].as_str().unwrap();
        assert_eq!(shown(month), expected(Some(name)), "{name}: {told}");
    }
    assert_eq!(shown(&told["stats"]["summary"]), expected(None));
    assert!(count(None, End::NoShow) > 5 && count(None, End::Completed) > 50, "{}", shop.visits.len());

    // Four calendar months to the end of this one, and those who missed until today.
    assert_eq!((&told["stats"]["from"], &told["stats"]["to"]), (&json!("2026-11-01"), &json!("2027-02-28")));
    let today = shop.today().to_string();
    assert_eq!((&told["no_shows"]["from"], &told["no_shows"]["to"]), (&json!("2026-11-01"), &json!(today)));

    let mut ranking: Vec<(&str, usize, usize)> = Vec::new();
    for (client, _) in CLIENTS {
        let of = |end: End| shop.visits.iter().filter(|one| one.client == client && one.end == Some(end)).count();
        ranking.push((client, of(End::NoShow), of(End::NoShow) + of(End::Completed)));
    }
    ranking.retain(|(_, missed, _)| *missed > 0);
    // Who missed most comes first, then who missed the greater share, then who came to the shop first.
    ranking.sort_by_key(|(_, missed, due)| std::cmp::Reverse((*missed, share(*missed, *due))));
    let clients = told["no_show_clients"].as_array().unwrap();
    let listed: Vec<Value> = clients
        .iter()
        .map(|one| {
            json!([
                one["name"],
                one["no_shows"],
                one["total_sessions"],
                six_decimals(one["no_show_rate"].as_f64().unwrap())
            ])
        })
        .collect();
    let expected: Vec<Value> =
        ranking.iter().map(|(name, missed, due)| json!([name, missed, due, rate(*missed, *due)])).collect();
    assert_eq!(listed, expected);
    reminders_equal(shop);
    visits_equal(shop);

    for visit in &shop.visits {
        let found = shop.get(&format!("/v1/appointments/{}", visit.id));
        let word = match visit.end.unwrap() {
            End::Completed => "completed",
            End::NoShow => "no_show",
            End::Cancelled => "cancelled",
        };
        assert_eq!((&found["status"], &found["price"]["cents"]), (&json!(word), &json!(visit.cents)), "{found}");
    }
}
