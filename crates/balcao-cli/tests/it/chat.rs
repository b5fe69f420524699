use tempfile::tempdir;

use crate::{code, err, out, root, run};

const NOW: &str = "2026-11-24T10:00";

fn sample() -> String {
    root().join("samples/barbearia-figueira.yaml").display().to_string()
}

#[test]
fn a_customer_books_in_two_lines_and_is_told_so() {
    let folder = tempdir().unwrap();
    let business = sample();
    let script = "oi, quero marcar um corte na tesoura com o Otávio sexta às 15h\nisso\n";
    let output =
        run(folder.path(), &["chat", "--script", "-", "--business", &business, "--now", NOW, "--json"], script);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let turns: Vec<serde_json::Value> = out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(turns.len(), 2);
    let booked =
        turns[1]["calls"].as_array().unwrap().iter().find(|call| call["tool"] == "create_appointment").unwrap();
    assert_eq!(booked["result"]["success"], true, "{booked}");
    assert_eq!(booked["result"]["date"], "2026-11-27");
    assert!(turns[1]["reply"].as_str().unwrap().contains("15h"), "{}", turns[1]);
}

#[test]
fn the_profile_manual_books_lists_and_cancels_by_structured_answers() {
    let folder = tempdir().unwrap();
    let script = "quero sobrancelha sexta às 15h\npode marcar\nquando é meu horário?\ncancela\nsim\n";
    let arguments = ["chat", "--profile", "manual", "--script", "-", "--business", &sample(), "--now", NOW, "--json"];
    let output = run(folder.path(), &arguments, script);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let turns: Vec<serde_json::Value> = out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ran = |turn: usize, tool: &str| {
        let calls = turns[turn]["calls"].as_array().unwrap();
        calls.iter().find(|call| call["tool"] == tool).unwrap_or_else(|| panic!("{}", turns[turn]))["result"].clone()
    };
    assert_eq!(ran(1, "scheduleAppointmentTool")["date"], "27/11/2026");
    let listed = ran(2, "listEventsTool");
    assert_eq!(listed["events"][0]["summary"], "Compromisso Ocupado");
    assert!(turns[3]["reply"].as_str().unwrap().contains("27/11") && turns[3]["reply"].as_str().unwrap().contains('?'));
    assert_eq!(ran(4, "cancelAppointmentTool")["success"], true);
    assert!(turns.iter().all(|turn| !turn["reply"].as_str().unwrap().contains('{')));
}

#[test]
fn the_model_is_said_at_the_start_with_the_reason() {
    let folder = tempdir().unwrap();
    let output = run(folder.path(), &["chat", "--script", "-", "--business", &sample(), "--now", NOW], "oi\n");
    assert!(
        err(&output).contains("model: offline") && err(&output).contains("no key is in the environment"),
        "{}",
        err(&output)
    );
}

#[test]
fn a_conversation_that_was_handed_over_stays_silent() {
    let folder = tempdir().unwrap();
    let script = "quero falar com um atendente\nalguém aí?\n";
    let output =
        run(folder.path(), &["chat", "--script", "-", "--business", &sample(), "--now", NOW, "--json"], script);
    let turns: Vec<serde_json::Value> = out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((turns[0]["outcome"].as_str(), turns[1]["outcome"].as_str()), (Some("handoff"), Some("silence")));
    assert!(turns[1]["reply"].is_null());
}

#[test]
fn a_long_script_on_a_fixed_clock_is_no_flood() {
    let folder = tempdir().unwrap();
    let script = "quanto custa o corte?\n".repeat(45);
    let output =
        run(folder.path(), &["chat", "--script", "-", "--business", &sample(), "--now", NOW, "--json"], &script);
    let replies =
        out(&output).lines().filter(|line| line.contains("\"outcome\":\"reply\"") && line.contains("R$")).count();
    assert_eq!(replies, 45, "{}", out(&output));
}

#[test]
fn a_mark_before_a_script_is_no_part_of_the_first_message() {
    let folder = tempdir().unwrap();
    let answers = |script: &str| {
        std::fs::write(folder.path().join("script.txt"), script).unwrap();
        let output = run(
            folder.path(),
            &["chat", "--script", "script.txt", "--business", &sample(), "--now", NOW, "--json"],
            "",
        );
        assert_eq!(code(&output), 0, "{}", err(&output));
        let turns =
            out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<serde_json::Value>>();
        turns.into_iter().map(|turn| turn["reply"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(answers("\u{feff}quanto custa o corte?\n"), answers("quanto custa o corte?\n"));
    // A mark alone says nothing.
    assert!(answers("\u{feff}\n").is_empty());
}

#[test]
fn a_conversation_goes_on_over_restarts_of_the_program() {
    let folder = tempdir().unwrap();
    let seeded = run(folder.path(), &["seed", &sample()], "");
    assert_eq!(code(&seeded), 0, "{}", err(&seeded));
    let first = run(
        folder.path(),
        &["chat", "--script", "-", "--now", NOW],
        "quero marcar um corte na tesoura com o Otávio sexta às 15h\n",
    );
    assert!(out(&first).contains('?'), "{}", out(&first));
    let second = run(folder.path(), &["chat", "--script", "-", "--now", NOW, "--json"], "isso\n");
    assert!(out(&second).contains("create_appointment"), "{}", out(&second));
}

#[test]
fn two_customers_of_one_database_do_not_see_each_other() {
    let folder = tempdir().unwrap();
    run(folder.path(), &["seed", &sample()], "");
    let book = "quero marcar um corte na tesoura com o Otávio sexta às 15h\nisso\n";
    run(folder.path(), &["chat", "--script", "-", "--now", NOW, "--as", "+55 11 98888-0001"], book);
    let other = run(
        folder.path(),
        &["chat", "--script", "-", "--now", NOW, "--as", "+55 11 98888-0002", "--json"],
        "quais são meus horários?\n",
    );
    assert!(!out(&other).contains("15:00\",\"finish"), "{}", out(&other));
    let own = run(
        folder.path(),
        &["chat", "--script", "-", "--now", NOW, "--as", "11 8888-0001", "--json"],
        "quais são meus horários?\n",
    );
    assert!(out(&own).contains("2026-11-27"), "the same person without the ninth digit: {}", out(&own));
}

#[test]
fn the_demo_needs_no_terminal_and_nothing_set_up() {
    let folder = tempdir().unwrap();
    let output = run(folder.path(), &["demo", "--now", NOW], "quanto custa a barba?\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("R$"), "{}", out(&output));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the demo leaves nothing behind");
}
