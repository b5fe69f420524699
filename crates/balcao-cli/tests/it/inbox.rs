//! A customer asks for a person; staff take over, answer, and give the conversation back.

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

    assert_eq!(code(&inbox(&["give-back", &id])), 0);
    assert!(!out(&chat("que horas vocês abrem amanhã?\n")).is_empty());
    assert!(out(&inbox(&["list"])).contains("nobody waits"));
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
        (vec!["show", "99"], "no conversation cnv_99"),
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
