//! A customer asks for a person; staff take over, answer, and give the conversation back.

use balcao_store::{OpenOptions, Store, StoreError, Value as Cell};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tempfile::tempdir;

use crate::{code, err, out, root, run};

const DAVI: &str = "davi@figueira.example";

#[test]
fn staff_see_who_waits_take_over_answer_note_and_give_back() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let inbox = |arguments: &[&str]| run(folder, &[&["inbox"], arguments].concat(), "");
    let chat = |text: &str| run(folder, &["chat", "--script", "-", "--as", "31 99640-1177"], text);
    assert_eq!(
        code(&run(folder, &["seed", &root().join("samples/barbearia-figueira.yaml").display().to_string()], "")),
        0
    );
    assert!(out(&inbox(&["list"])).contains("nobody waits"));

    assert_eq!(code(&chat("quero falar com um atendente\n")), 0);
    let listed: Value = serde_json::from_str(&out(&inbox(&["list", "--json"]))).unwrap();
    let one = &listed[0];
    assert_eq!((one["state"].as_str(), one["phone"].as_str()), (Some("waiting_human"), Some("+5531996401177")));
    assert!(one["waiting_since"].is_string() && one["reason"].is_string(), "{one}");
    let id = one["id"].to_string();

    let taken = inbox(&["take", &id, "--as", "davi@figueira.example"]);
    assert_eq!(code(&taken), 0, "{}", err(&taken));
    assert_eq!(code(&inbox(&["reply", &id, "Oi, aqui é o Davi.", "--as", DAVI])), 0);
    assert_eq!(code(&inbox(&["note", &id, "Prefere ligação.", "--as", DAVI])), 0);
    let silent = chat("oi?\n");
    assert_eq!(out(&silent), "", "the agent spoke while a person had the conversation");
    let shown = out(&inbox(&["show", &id]));
    for expected in ["staff: Oi, aqui é o Davi.", "customer: oi?", "Prefere ligação.", "Davi Lopes", "with a person"]
    {
        assert!(shown.contains(expected), "«{expected}» is not in:\n{shown}");
    }

    let nobody = inbox(&["give-back", &id, "--as", "ninguem@figueira.example"]);
    assert!(code(&nobody) == 1 && err(&nobody).contains(DAVI), "{}", err(&nobody));
    let back = inbox(&["give-back", &id, "--as", DAVI]);
    assert_eq!(code(&back), 0);
    assert!(err(&back).contains("1 of the customer's messages"), "what nobody answered is told: {}", err(&back));
    assert!(!out(&chat("que horas vocês abrem amanhã?\n")).is_empty());
    assert!(out(&inbox(&["list"])).contains("nobody waits"));
}

#[test]
fn staff_send_a_file_and_save_one() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let inbox = |arguments: &[&str]| run(folder, &[&["inbox"], arguments].concat(), "");
    run(folder, &["seed", &root().join("samples/barbearia-figueira.yaml").display().to_string()], "");
    run(folder, &["chat", "--script", "-"], "oi\n");
    let bytes = b"%PDF-1.7\ntabela";
    std::fs::write(folder.join("tabela.pdf"), bytes).unwrap();
    std::fs::write(folder.join("virus.pdf"), b"MZ\x90\0\x03\0\0\0").unwrap();
    let sent = inbox(&["reply", "1", "--attach", "tabela.pdf", "--as", DAVI]);
    assert_eq!((code(&sent), out(&sent).contains("tabela.pdf is sent")), (0, true), "{}", err(&sent));
    let shown = out(&inbox(&["show", "1"]));
    assert!(
        shown.contains("staff: [documento: tabela.pdf]") && shown.contains("att_1  document  tabela.pdf"),
        "{shown}"
    );
    let shown: Value = serde_json::from_str(&out(&inbox(&["show", "1", "--json"]))).unwrap();
    assert_eq!(shown["messages"].as_array().unwrap().last().unwrap()["attachments"][0]["state"], "stored");
    let saved = inbox(&["attachment", "att_1", "--output", "copia.pdf"]);
    assert_eq!(code(&saved), 0, "{}", err(&saved));
    assert_eq!(std::fs::read(folder.join("copia.pdf")).unwrap(), bytes);
    for (arguments, exit, expected) in [
        (vec!["attachment", "att_1", "--output", "copia.pdf"], 1, "exists"),
        (vec!["attachment", "att_99"], 1, "unknown file att_99"),
        (vec!["attachment", "x"], 2, "invalid id of a file"),
        (vec!["reply", "1", "--attach", "virus.pdf", "--as", DAVI], 1, "cannot be sent"),
        (vec!["reply", "1", "--attach", "nichts.pdf", "--as", DAVI], 2, "nichts.pdf"),
        (vec!["reply", "1", "--as", DAVI], 2, "TEXT"),
    ] {
        let output = inbox(&arguments);
        assert_eq!(code(&output), exit, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn what_staff_cannot_do_says_why_and_what_would_be_right() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let inbox = |arguments: &[&str]| run(folder, &[&["inbox"], arguments].concat(), "");
    let without = inbox(&["list"]);
    assert!(code(&without) == 1 && err(&without).contains("balcao seed"), "{}", err(&without));
    run(folder, &["seed", &root().join("samples/barbearia-figueira.yaml").display().to_string()], "");
    run(folder, &["chat", "--script", "-"], "oi\n");
    for (arguments, expected) in [
        (vec!["show", "99"], "unknown conversation cnv_99"),
        (vec!["take", "1", "--as", "ninguem@figueira.example"], "davi@figueira.example"),
        (vec!["reply", "1", "   ", "--as", DAVI], "empty"),
        (vec!["give-back", "1"], "has this conversation already"),
    ] {
        let output = inbox(&arguments);
        assert_eq!(code(&output), 1, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
    let long = "a".repeat(4_001);
    assert!(err(&inbox(&["note", "1", &long, "--as", DAVI])).contains("4001 characters"));
    for arguments in [vec!["show", "cnv_0"], vec!["show", "x"], vec!["take", "1"]] {
        assert_eq!(code(&inbox(&arguments)), 2, "{arguments:?}");
    }
}

#[test]
fn list_of_more_conversations_than_it_shows_says_that_it_is_cut() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    run(folder, &["seed", &root().join("samples/barbearia-figueira.yaml").display().to_string()], "");
    let begin = |numbers: std::ops::Range<i64>| {
        let store = Store::open(&folder.join("balcao.db"), OpenOptions::default()).unwrap();
        let work = store.write(move |tx| {
            let first: Timestamp = "2026-11-24T13:00:00Z".parse().unwrap();
            for number in numbers {
                tx.execute(
                    "INSERT INTO conversation (organization_id, contact_id, channel, state, created_at, last_message_at)
                     SELECT organization_id, id, ?1, 'waiting_human', ?2, ?2 FROM contact ORDER BY id LIMIT 1",
                    &[
                        Cell::from(format!("channel {number}")),
                        Cell::from(first + SignedDuration::from_mins(number)),
                    ],
                )?;
            }
            Ok::<_, StoreError>(())
        });
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work).unwrap();
    };
    let listed = |arguments: &[&str]| {
        let output = run(folder, &[&["inbox", "list"], arguments].concat(), "");
        assert_eq!(code(&output), 0, "{arguments:?}: {}", err(&output));
        (out(&output), err(&output))
    };
    for (numbers, is_cut) in [(0..200, false), (200..201, true)] {
        begin(numbers);
        for arguments in [&["--all"][..], &[]] {
            let (list, said) = listed(arguments);
            assert_eq!(list.lines().count(), 200, "{arguments:?}");
            assert_eq!(said.contains("there are more than 200 conversations"), is_cut, "{arguments:?}: {said}");
        }
        let (list, said) = listed(&["--json"]);
        let list: Vec<Value> = serde_json::from_str(&list).unwrap();
        assert_eq!((list.len(), said.contains("GET /v1/conversations")), (200, is_cut), "{said}");
    }
}
