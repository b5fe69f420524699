//! The assistant of staff, and the same figures as a table.

use std::io::{BufReader, Read, Write};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::{code, err, out, root, run};

const NOW: &str = "2026-11-24T10:00";
const OWNER: &str = "renata@figueira.example";

fn ask(who: &[&str], script: &str) -> std::process::Output {
    let folder = tempdir().unwrap();
    let business = root().join("samples/barbearia-figueira.yaml").display().to_string();
    let mut arguments = vec!["chat", "--script", "-", "--business", &business, "--now", NOW, "--profile"];
    arguments.extend(who);
    run(folder.path(), &arguments, script)
}

fn turns(output: &std::process::Output) -> Vec<Value> {
    assert_eq!(code(output), 0, "{}", err(output));
    out(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_owner_asks_for_the_month_the_agenda_and_the_no_shows() {
    let script = "como foi o mês?\nquem mais faltou?\no que tem na agenda?\n";
    let turns = turns(&ask(&["odys-assistant", "--as-staff", OWNER, "--json"], script));
    let replies: Vec<&str> = turns.iter().map(|turn| turn["reply"].as_str().unwrap()).collect();
    assert!(replies[0].starts_with("Resumo de 2026-11") && replies[0].contains("Receita: R$ 95,00"), "{}", replies[0]);
    assert!(
        replies[1].starts_with("Faltas de ") && replies[1].ends_with("\n1. Lívia Campos: 1 falta em 1 (100,0%)"),
        "{}",
        replies[1]
    );
    assert_eq!(replies[2], "Nada marcado de 24/11/2026 a 01/12/2026.");
    assert_eq!(turns[1]["calls"][0]["tool"], "get_no_show_clients");
}

#[test]
fn an_attendant_sees_no_money() {
    let turns = turns(&ask(&["odys-assistant", "--as-staff", "davi@figueira.example", "--json"], "resumo do mês\n"));
    let reply = turns[0]["reply"].as_str().unwrap();
    assert!(reply.starts_with("Resumo de 2026-11") && !reply.contains("R$"), "{reply}");
}

#[test]
fn whoever_is_not_named_or_not_of_staff_is_told_what_is_right() {
    let cases: [(&[&str], &str); 4] = [
        (&["odys-assistant"], "--as-staff EMAIL"),
        (&["eli", "--as-staff", OWNER], "talks with customers"),
        (&["odys-assistant", "--as-staff", "quem@figueira.example"], "renata@figueira.example"),
        (&["odys-assistant", "--as-staff", OWNER, "--as", "11 90000-0000"], "cannot be used with"),
    ];
    for (who, told) in cases {
        let output = ask(who, "oi\n");
        assert_eq!(code(&output), 2, "{who:?}: {}", err(&output));
        assert!(err(&output).contains(told), "{who:?}: {}", err(&output));
    }
}

#[test]
fn the_twenty_first_question_of_an_hour_waits() {
    let output = ask(&["odys-assistant", "--as-staff", OWNER, "--json"], &"resumo\n".repeat(22));
    assert_eq!(code(&output), 1);
    assert!((20..=21).contains(&out(&output).lines().count()), "{}", out(&output).lines().count());
    assert!(err(&output).contains("up to 20 questions an hour"), "{}", err(&output));
}

fn shop() -> TempDir {
    let folder = tempdir().unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml").display().to_string();
    for arguments in [vec!["migrate"], vec!["seed", &sample]] {
        let output = run(folder.path(), &arguments, "");
        assert_eq!(code(&output), 0, "{}", err(&output));
    }
    folder
}

#[test]
fn questions_are_counted_over_starts_of_the_program() {
    let folder = shop();
    std::fs::write(folder.path().join("balcao.toml"), "[agents]\nquestions_per_hour = 1\n").unwrap();
    let ask = |now: &str| {
        let who = ["chat", "--profile", "odys-assistant", "--as-staff", OWNER, "--model", "offline", "--script", "-"];
        run(folder.path(), &[&who[..], &["--now", now]].concat(), "como foi o mês?\n")
    };
    let first = ask("2026-11-24T10:00");
    assert_eq!(code(&first), 0, "{}", err(&first));
    let second = ask("2026-11-24T10:20");
    assert_eq!((code(&second), out(&second).as_str()), (1, ""), "{}", err(&second));
    assert!(err(&second).contains("up to 1 questions an hour; ask again in 40 minutes"), "{}", err(&second));
    let third = ask("2026-11-24T11:00");
    assert_eq!(code(&third), 0, "{}", err(&third));
}

#[test]
fn the_same_figures_as_a_table_and_as_data() {
    let folder = shop();
    let output = run(folder.path(), &["stats", "--months", "120"], "");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("\n\nmonth ") && text.contains('█'), "{text}");
    let data: Value =
        serde_json::from_str(&out(&run(folder.path(), &["stats", "--months", "120", "--json"], ""))).unwrap();
    assert_eq!(data["stats"]["months"].as_array().unwrap().len(), 120);
    assert_eq!((&data["messages"]["messages"], &data["messages"]["price"]["micros"]), (&json!(0), &json!(0)));
    let total = data["stats"]["summary"]["total"].as_u64().unwrap();
    assert!(text.lines().any(|line| line.starts_with("all") && line.contains(&total.to_string())), "{text}");
    let wrong = run(folder.path(), &["stats", "--months", "0"], "");
    assert_eq!(code(&wrong), 2);
}

#[test]
fn a_profile_for_staff_is_not_served_to_customers() {
    let folder = shop();
    std::fs::write(folder.path().join("balcao.toml"), "[agents]\nprofile = \"odys-assistant\"\n").unwrap();
    let output = run(folder.path(), &["serve"], "");
    assert_eq!(code(&output), 2, "{}", err(&output));
    assert!(err(&output).contains("talks with staff"), "{}", err(&output));
}

#[test]
fn a_plan_without_the_assistant_tells_the_owner_so() {
    let folder = shop();
    let json = |arguments: &[&str]| -> Value {
        let output = run(folder.path(), arguments, "");
        assert_eq!(code(&output), 0, "{}", err(&output));
        serde_json::from_str(&out(&output)).unwrap()
    };
    assert_eq!(json(&["plan", "--json"])["open"], json!(["assistant", "free_questions"]));
    assert_eq!(json(&["plan", "--set", "basic", "--json"])["open"], json!([]));
    let chat = [
        "chat",
        "--profile",
        "odys-assistant",
        "--as-staff",
        OWNER,
        "--now",
        NOW,
        "--model",
        "offline",
        "--script",
        "-",
    ];
    let output = run(folder.path(), &chat, "como foi o mês?\n");
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(err(&output).contains("not part of the business's plan `basic`"), "{}", err(&output));
    let past = run(folder.path(), &["plan", "--trial-until", "2020-01-01"], "");
    assert_eq!(code(&past), 2);
    assert!(err(&past).contains("would be over already"), "{}", err(&past));
    assert_eq!(json(&["plan", "--json"])["trial_ends_at"], Value::Null);
    json(&["plan", "--trial-until", "2099-12-31", "--json"]);
    let shown = run(folder.path(), &["plan"], "");
    assert!(out(&shown).contains("trial until  2099-12-31, the whole day (America/Sao_Paulo)"), "{}", out(&shown));
    let output = run(folder.path(), &chat, "como foi o mês?\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let unknown = run(folder.path(), &["plan", "--set", "gold"], "");
    assert_eq!(code(&unknown), 2);
    assert!(err(&unknown).contains("expected one of: basic, complete"), "{}", err(&unknown));
}

/// A model that writes the first part of its answer, and the rest once it is told to go on.
fn slow_model(first: &'static str, rest: &'static str, go_on: Receiver<()>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || -> std::io::Result<()> {
        let (mut stream, _client) = listener.accept()?;
        crate::request_body(&mut BufReader::new(stream.try_clone()?))?;
        let event = |delta: Value, end: Option<&str>| {
            format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}))
        };
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
        stream.write_all(event(json!({"role": "assistant", "content": first}), None).as_bytes())?;
        stream.flush()?;
        // Whoever asked may be gone.
        go_on.recv().ok();
        stream.write_all(event(json!({"content": rest}), None).as_bytes())?;
        stream.write_all(format!("{}data: [DONE]\n\n", event(json!({}), Some("stop"))).as_bytes())
    });
    address
}

#[test]
fn the_assistants_reply_is_seen_while_the_model_still_writes_it() {
    let folder = shop();
    let (sender, go_on) = channel();
    let model = slow_model("Posso ajudar com a agenda. O que você quer ", "saber?", go_on);
    let config =
        format!("[[model.providers]]\nname = \"slow\"\nkind = \"compatible\"\nbase_url = \"{model}\"\nmodel = \"x\"\n");
    std::fs::write(folder.path().join("balcao.toml"), config).unwrap();
    let chat = ["chat", "--profile", "odys-assistant", "--as-staff", OWNER, "--now", NOW, "--script", "-"];
    let mut child = crate::balcao(folder.path())
        .args(chat)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all("oi\n".as_bytes()).unwrap();
    let mut shown = child.stdout.take().unwrap();
    let mut seen = vec![0; "Posso ajudar com a agenda.".len()];
    // The model waits for this; it would be waited for in vain if the reply came in one piece.
    shown.read_exact(&mut seen).unwrap();
    assert_eq!(String::from_utf8_lossy(&seen), "Posso ajudar com a agenda.");
    sender.send(()).unwrap();
    let mut rest = String::new();
    shown.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(rest.trim_end(), " O que você quer saber?");
}
