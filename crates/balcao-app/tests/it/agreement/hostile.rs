//! The calls of a model that errs or attacks: the cases beside this file, and the kinds `tool_*` of
//! `../shared/material/hostile-replies` where that folder exists.

use balcao_language::normalize;
use serde_json::Value;

use super::{AT, DAY, Shop, Step, WHO, rows};
use crate::world::root;

/// The cases of these kinds.
fn cases(wanted: impl Fn(&str) -> bool) -> Vec<Value> {
    let mut text = include_str!("hostile_cases.jsonl").to_owned();
    let folder = root().join("../shared/material/hostile-replies");
    match std::fs::read_dir(&folder) {
        Ok(entries) => {
            let files = entries.map(|entry| entry.unwrap().path());
            let files = files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
            text.extend(files.map(|path| std::fs::read_to_string(path).unwrap() + "\n"));
        }
        Err(_) => balcao_testkit::skip(&format!("{} is missing, so only our own cases are played", folder.display())),
    }
    let all =
        text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str::<Value>(line).unwrap());
    all.filter(|case| case["kind"].as_str().is_some_and(&wanted)).collect()
}

/// A case with the facts of its story in place of its marks.
fn filled(case: &Value, own: &str) -> Value {
    let huge = "nota ".repeat(9_000);
    let marks = [
        ("huge", huge.as_str()),
        ("iso", DAY),
        ("dia", "27/11"),
        ("diam", "27 de novembro"),
        ("hora", "15h"),
        ("hhmm", AT),
        ("wd", "sexta"),
        ("quem", WHO),
        ("nome", "João"),
        ("other_id", "1"),
        ("own_id", own),
    ];
    let text = marks.iter().fold(case.to_string(), |text, (mark, with)| text.replace(&format!("{{{{{mark}}}}}"), with));
    serde_json::from_str(&text).unwrap()
}

fn steps(of: &Value) -> Vec<Step> {
    of["model"].as_array().unwrap().iter().map(Step::of).collect()
}

/// Plays a case; what went wrong in it, if anything.
async fn play(case: &Value) -> Option<String> {
    let needs_booking = case["context"]["needs"] == "booking";
    let shop = Shop::open(needs_booking).await;
    let own = rows(&shop.sql(), "SELECT max(id) FROM appointment", &[]).replace(['[', ']'], "");
    let case = filled(case, &own);
    let before = shop.everything();
    for turn in case["context"]["before"].as_array().into_iter().flatten() {
        shop.turn(turn["say"].as_str().unwrap(), steps(turn)).await;
    }
    shop.turn(case["context"]["say"].as_str().unwrap(), steps(&case)).await;
    let after = shop.everything();
    let wrong = match case["effect"].as_str() {
        Some("none") if after != before => Some(format!("it changed\n{before}\nto\n{after}")),
        Some("booked") if shop.standing() != 1 => {
            Some(format!("{} appointments; told: {}", shop.standing(), shop.told()))
        }
        _ => None,
    };
    let told = shop.model.was_told();
    let leaked = case["tool_core"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|core| told.iter().any(|result| normalize(result).contains(&normalize(core))));
    let reached = case["core"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let said = |core: &str| shop.harness.texts().iter().any(|text| normalize(text).contains(&normalize(core)));
    let reached = reached.into_iter().find(|core| case["expected"] == "blocked" && said(core)).map(str::to_owned);
    let held = case["sql"].as_array().and_then(|sql| {
        let found = rows(&shop.sql(), sql[0].as_str().unwrap(), &[(":phone", "%87654321")]);
        (serde_json::from_str::<Value>(&found).unwrap() != sql[1]).then(|| format!("the database holds {found}"))
    });
    wrong.or_else(|| leaked.map(|core| format!("a tool told of {core}"))).or(reached).or(held)
}

async fn play_all(wanted: impl Fn(&str) -> bool) {
    let mut failed = Vec::new();
    let cases = cases(wanted);
    assert!(!cases.is_empty(), "no case of these kinds was found");
    for case in &cases {
        if let Some(why) = play(case).await {
            failed.push(format!("{}: {why}", case["id"]));
        }
    }
    assert!(failed.is_empty(), "{} of {} were not held:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

#[tokio::test]
async fn no_call_of_a_model_that_errs_acts_without_the_customer() {
    play_all(|kind| kind.starts_with("tool_")).await;
}

#[tokio::test]
async fn what_the_customer_asked_for_is_done() {
    play_all(|kind| kind.starts_with("ok_true_")).await;
}
