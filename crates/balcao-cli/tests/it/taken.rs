//! Two customers want one time: whoever says yes too late is refused by the tool itself, and is offered others.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::{code, err, out, root, run};

const CAIO: &str = "+55 31 99640-1177";
const LIVIA: &str = "+55 31 98432-7788";

fn shop() -> TempDir {
    let folder = tempdir().unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml").display().to_string();
    for arguments in [vec!["migrate"], vec!["seed", &sample]] {
        let output = run(folder.path(), &arguments, "");
        assert_eq!(code(&output), 0, "{}", err(&output));
    }
    folder
}

/// What came of somebody's messages, turn by turn.
fn says(folder: &Path, profile: &str, phone: &str, now: &str, script: &str) -> Vec<Value> {
    let chat =
        ["chat", "--json", "--model", "offline", "--script", "-", "--profile", profile, "--as", phone, "--now", now];
    let output = run(folder, &chat, script);
    assert_eq!(code(&output), 0, "{}", err(&output));
    out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Caio is offered a time, Lívia books it, and Caio agrees to it: what came of that.
fn agrees_too_late(folder: &Path, profile: &str, wish: &str) -> Value {
    let mut offered = says(folder, profile, CAIO, "2026-11-24T10:00", &format!("{wish}\n"));
    let offer = offered.pop().unwrap();
    assert!(offer["reply"].as_str().unwrap().contains("15h"), "{offer}");
    // Her plan is overdue: the price is a question of its own where the offer did not name it.
    let booked = says(folder, profile, LIVIA, "2026-11-24T10:05", &format!("{wish}\nsim\nsim\n"));
    let books = |call: &Value| {
        let tool = call["tool"].as_str().unwrap();
        ["scheduleAppointmentTool", "book_appointment"].contains(&tool) && call["class"] == "success"
    };
    assert!(booked.iter().any(|turn| turn["calls"].as_array().unwrap().iter().any(books)), "{booked:?}");
    says(folder, profile, CAIO, "2026-11-24T10:10", "sim\n").pop().unwrap()
}

/// The refusal is an answer: the conversation goes on with other times, and nothing is claimed.
fn is_refused(turn: &Value, tool: &str) {
    let refused = turn["calls"].as_array().unwrap().iter().find(|call| call["tool"] == tool).unwrap();
    let told = (&refused["class"], &refused["result"]["success"], &refused["result"]["reason"]);
    assert_eq!(told, (&json!("refusal"), &json!(false), &json!("SLOT_TAKEN")), "{turn}");
    assert!(!refused["result"]["alternatives"].as_array().unwrap().is_empty(), "{turn}");
    let reply = turn["reply"].as_str().unwrap();
    assert_eq!(turn["outcome"], "reply", "{turn}");
    let says_so = reply.contains("não está livre") || reply.contains("está ocupado");
    assert!(says_so && reply.contains("15h30") && reply.contains('?') && !reply.contains("Marcado"), "{reply}");
    assert!(!reply.contains("Lívia"), "{reply}");
}

#[test]
fn a_time_that_went_between_offer_and_yes_is_refused_by_the_tool_of_the_calendar() {
    let folder = shop();
    let wish = "quero corte na máquina com o Wesley amanhã às 15h";
    is_refused(&agrees_too_late(folder.path(), "manual", wish), "scheduleAppointmentTool");
    let next = says(folder.path(), "manual", CAIO, "2026-11-24T10:15", "15h30\nsim\n");
    let booked = next.last().unwrap();
    assert_eq!(booked["calls"][0]["result"]["start"], "15:30", "{booked}");
}

#[test]
fn a_time_that_went_between_offer_and_yes_is_refused_by_the_intake() {
    let folder = shop();
    let wish = "quero com o Wesley amanhã às 15h";
    is_refused(&agrees_too_late(folder.path(), "odys-intake", wish), "book_appointment");
    let next = says(folder.path(), "odys-intake", CAIO, "2026-11-24T10:15", "15h30\nsim\n");
    let booked = next.last().unwrap();
    assert_eq!(booked["calls"][0]["result"]["time"], "15:30", "{booked}");
}
