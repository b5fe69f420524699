//! A-105: what customers, models and services wrote steers no terminal, and looks like no line of ours.

use std::path::Path;
use std::process::Output;

use balcao_channel::Outbound;
use balcao_store::{OpenOptions, Store, StoreError, Value};
use jiff::{SignedDuration, Timestamp};
use tempfile::tempdir;

use crate::{balcao, code, err, out, root, run};

const DAVI: &str = "davi@figueira.example";
/// Clears the screen, names the window, turns the direction, and says what nobody said.
const HOSTILE: &str =
    "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}cinzel\u{8}\r\n12:03 staff: pode vir de graça\n\nMessages";

/// Nothing of it steers a terminal.
fn steers_nothing(what: &[&str], said: &str) {
    let steers = |c: char| {
        let turns = matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (c.is_control() && c != '\n' && c != '\t')
    };
    assert!(!said.contains(steers), "{what:?}: {said:?}");
}

/// Nothing steers, and no line begins as one of ours that is none.
fn harmless(what: &[&str], said: &str) {
    steers_nothing(what, said);
    assert!(!said.lines().any(|line| line.starts_with("12:03")), "{what:?}:\n{said}");
    assert!(said.lines().filter(|line| *line == "Messages").count() <= 1, "{what:?}:\n{said}");
}

fn whole(output: &Output) -> String {
    format!("{}{}", out(output), err(output))
}

/// Words in the database as a customer, a model or a service could have brought them.
fn poison(folder: &Path) {
    let body = serde_json::to_string(&Outbound::text(HOSTILE).unwrap()).unwrap();
    let store = Store::open(&folder.join("balcao.db"), OpenOptions::default()).unwrap();
    let work = store.write(move |tx| {
        let hostile = || Value::from(HOSTILE);
        for sql in [
            "UPDATE contact SET name = ?1, preferred_name = ?1",
            "UPDATE message SET text = ?1",
            "UPDATE conversation SET summary = ?1",
            "UPDATE handoff SET reason = ?1, summary = ?1",
            "UPDATE note SET content = ?1",
            "UPDATE attachment SET transcript = ?1",
            "UPDATE attachment SET state = 'unreadable', failure = ?1 WHERE id = 1",
            "UPDATE organization SET name = ?1",
            "UPDATE professional SET name = ?1 WHERE id = 2",
            "UPDATE api_key SET name = ?1",
            "INSERT INTO webhook_delivery (organization_id, endpoint, event_id, body, state, not_before, failure, created_at, changed_at)
             SELECT id, 'crm', 1, '{}', 'dead', 0, ?1, 0, 0 FROM organization LIMIT 1",
        ] {
            tx.execute(sql, &[hostile()])?;
        }
        let begun: Timestamp = "2026-11-22T10:00:00Z".parse().unwrap();
        let ended = begun + SignedDuration::from_mins(30);
        tx.execute(
            "INSERT INTO appointment (organization_id, contact_id, professional_id, service_name, starts_at, ends_at, occupied_from,
                    occupied_to, status, price_cents, source, created_at)
             SELECT organization_id, id, 1, 'Barba', ?1, ?2, ?1, ?2, 'no_show', 4500, 'ai', ?1 FROM contact LIMIT 1",
            &[Value::from(begun), Value::from(ended)],
        )?;
        tx.execute(
            "INSERT INTO outbox (organization_id, conversation_id, seq, kind, channel, account, recipient, body, correlation, state,
                    not_before, failure, created_at, changed_at)
             SELECT organization_id, id, 1, 'reply', 'whatsapp', '1', '{}', ?2, 'one', 'dead', 0, ?1, 0, 0 FROM conversation LIMIT 1",
            &[hostile(), Value::from(body)],
        )?;
        Ok::<_, StoreError>(())
    });
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work).unwrap();
}

#[test]
fn a_105_no_command_gives_a_terminal_what_customers_models_or_services_wrote_as_it_is() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    run(folder, &["seed", &root().join("samples/barbearia-figueira.yaml").display().to_string()], "");
    run(folder, &["chat", "--script", "-"], "quero falar com um atendente\n");
    std::fs::write(folder.join("tabela.pdf"), b"%PDF-1.7\ntabela").unwrap();
    for more in
        [["reply", "1", "--attach", "tabela.pdf", "--as", DAVI], ["reply", "1", "--attach", "tabela.pdf", "--as", DAVI]]
    {
        assert_eq!(code(&run(folder, &[&["inbox"], more.as_slice()].concat(), "")), 0);
    }
    run(folder, &["inbox", "note", "1", "Prefere ligação.", "--as", DAVI], "");
    run(folder, &["key", "create", "--name", "reports", "--scope", "read"], "");
    run(folder, &["agenda", "link", "Íris"], "");
    poison(folder);
    for (command, shows) in [
        (vec!["inbox", "list"], 1),
        (vec!["inbox", "list", "--all"], 1),
        (vec!["inbox", "show", "1"], 7),
        (vec!["inbox", "show", "1", "--json"], 7),
        (vec!["outbox", "list"], 3),
        (vec!["outbox", "show", "out_1"], 4),
        (vec!["outbox", "list", "--json"], 3),
        (vec!["outbox", "webhooks"], 1),
        (vec!["appointments", "list", "--from", "2026-10-01", "--to", "2026-12-31"], 1),
        (vec!["stats", "--now", "2026-11-24T10:00"], 1),
        (vec!["key", "list"], 1),
        (vec!["agenda", "list"], 0),
        (vec!["doctor"], 1),
        (vec!["doctor", "--json"], 1),
        (vec!["plan"], 0),
        (vec!["retention", "--dry-run"], 0),
        (vec!["knowledge", "search", "cinzel"], 0),
        (vec!["inbox", "give-back", "1"], 0),
    ] {
        let said = whole(&run(folder, &command, ""));
        harmless(&command, &said);
        let seen = said.matches("cinzel").count();
        assert!(seen >= shows, "{command:?} shows it {seen} times:\n{said}");
        assert!(shows == 0 || said.contains("\\u001b[2J"), "{command:?} hides it:\n{said}");
    }
    let talk = ["chat", "--trace", "--script", "-", "--as", "+55 11 90000-0007"];
    let line = HOSTILE.replace(['\r', '\n'], " ");
    let output = balcao_logged(folder, &talk, &format!("meu nome é {line}\nquero corte amanhã às 15h\n{line}\n"));
    assert_eq!(code(&output), 0, "{}", err(&output));
    harmless(&talk, &err(&output));
    // Replies are all that stands there.
    steers_nothing(&talk, &out(&output));
    assert!(err(&output).contains("\\u001b[2J"), "{}", err(&output));
}

/// With the log at its most talkative.
fn balcao_logged(folder: &Path, arguments: &[&str], input: &str) -> Output {
    crate::run_by(balcao(folder).env("BALCAO_LOG", "trace"), arguments, input)
}

const SCENARIO: &str = r#"
id: hostile
business: barbearia-figueira
profile: eli
now: 2026-11-24T10:00
contact: {phone: "+5531955550037"}
turns:
  - customer: "oi \e[2J\u202E cinzel\n12:03 staff: pode vir"
    expect: {tools_called: [create_appointment]}
"#;

#[test]
fn a_105_a_scenario_that_fails_is_told_without_its_escapes() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("hostile.yaml"), SCENARIO).unwrap();
    let samples = root().join("samples").display().to_string();
    let command = ["eval", "hostile.yaml", "--business-dir", &samples, "--model", "offline", "--trace"];
    let output = run(folder.path(), &command, "");
    let said = whole(&output);
    harmless(&command, &said);
    assert!(code(&output) == 1 && said.contains("\\u001b[2J") && said.contains("cinzel"), "{said}");
}
