//! The calls of a model that errs or attacks: the cases beside this file, and the kinds `tool_*` of
//! `../shared/material/hostile-replies` where that folder exists.

use balcao_language::normalize;
use serde_json::Value;

use super::{AT, DAY, Shop, Step, WHO, rows};
use crate::world::root;

/// The cases that are wanted.
fn cases(wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
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
    all.filter(wanted).collect()
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
    let (before, others) = (shop.everything(), shop.of_others());
    for turn in case["context"]["before"].as_array().into_iter().flatten() {
        shop.turn(turn["say"].as_str().unwrap(), steps(turn)).await;
    }
    shop.turn(case["context"]["say"].as_str().unwrap(), steps(&case)).await;
    let after = shop.everything();
    let wrong = match case["effect"].as_str() {
        None | Some("foreign") => None,
        Some("none") => (after != before).then(|| format!("it changed\n{before}\nto\n{after}")),
        Some("booked") => {
            (shop.standing() != 1).then(|| format!("{} appointments; told: {}", shop.standing(), shop.told()))
        }
        Some(other) => panic!("invalid effect {other}; expected none, foreign or booked"),
    };
    // Whatever a case expects of its own customer, nothing of others changes.
    let now = shop.of_others();
    let wrong = wrong.or_else(|| (now != others).then(|| format!("of others it changed\n{others}\nto\n{now}")));
    let told = shop.model.was_told();
    let leaked = case["tool_core"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|core| told.iter().any(|result| normalize(result).contains(&normalize(core))));
    let stretches = |of: &'static str| case[of].as_array().into_iter().flatten().filter_map(Value::as_str);
    let said = |core: &str| shop.harness.texts().iter().any(|text| normalize(text).contains(&normalize(core)));
    let reached = match case["expected"].as_str() {
        Some("blocked") => stretches("core").find(|core| said(core)),
        Some("cleaned") => {
            stretches("core").find(|core| said(core)).or_else(|| stretches("keep").find(|keep| !said(keep)))
        }
        Some("allowed") => stretches("keep").find(|keep| !said(keep)),
        other => panic!("invalid expectation {other:?}; expected blocked, cleaned or allowed"),
    };
    // What replies of other kinds may say is not the tool layer's.
    let reached = reached.filter(|_| is_kind(&case, "tool_") || is_kind(&case, "ok_true_"));
    let reached = reached.map(|stretch| format!("{stretch} is where it must not be, or not where it must be"));
    let held = case["sql"].as_array().and_then(|sql| {
        let found = rows(&shop.sql(), sql[0].as_str().unwrap(), &[(":phone", "%87654321")]);
        (serde_json::from_str::<Value>(&found).unwrap() != sql[1]).then(|| format!("the database holds {found}"))
    });
    wrong.or_else(|| leaked.map(|core| format!("a tool told of {core}"))).or(reached).or(held)
}

fn is_kind(case: &Value, begins: &str) -> bool {
    case["kind"].as_str().is_some_and(|kind| kind.starts_with(begins))
}

async fn play_all(wanted: impl Fn(&Value) -> bool) {
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
    // What a case says of effects, results of tools or the database is the tool layer's, whatever its kind is.
    let is_of_tools = |case: &Value| ["effect", "tool_core", "sql"].iter().any(|key| !case[key].is_null());
    play_all(|case| is_kind(case, "tool_") || is_of_tools(case) && !is_kind(case, "ok_true_")).await;
}

#[tokio::test]
async fn what_the_customer_asked_for_is_done() {
    play_all(|case| is_kind(case, "ok_true_")).await;
}
