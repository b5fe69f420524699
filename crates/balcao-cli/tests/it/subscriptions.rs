//! How a shop keeps its subscriptions at the command line.

use std::path::Path;

use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::{code, err, out, root, run};

const DAVI: &str = "davi@figueira.example";

/// The sample; Lívia's payment is late by years whatever today is.
fn shop() -> TempDir {
    let folder = tempdir().unwrap();
    let text = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let (usual, late) = ("plan: Raiz, status: overdue, due: 2026-11-08", "plan: Raiz, due: 2020-01-31");
    assert!(text.contains(usual));
    std::fs::write(folder.path().join("shop.yaml"), text.replace(usual, late)).unwrap();
    let seeded = run(folder.path(), &["seed", "shop.yaml"], "");
    assert_eq!(code(&seeded), 0, "{}", err(&seeded));
    folder
}

fn subscriptions(folder: &Path, arguments: &[&str]) -> std::process::Output {
    run(folder, &[&["subscriptions"], arguments].concat(), "")
}

#[test]
fn staff_list_pay_pause_end_and_start_again() {
    let folder = shop();
    let folder = folder.path();
    let listed: Vec<Value> =
        serde_json::from_str(&out(&subscriptions(folder, &["list", "--status", "overdue", "--json"]))).unwrap();
    let raiz = listed.iter().find(|one| one["plan"] == "Raiz").unwrap();
    let (id, contact) = (raiz["id"].to_string(), raiz["contact"].to_string());
    let pay = ["pay", &id, "--reference", "PIX-1", "--amount", "89,00", "--as", DAVI];
    let paid = out(&subscriptions(folder, &pay));
    assert!(paid.contains("Lívia Campos  Raiz  overdue  due 2020-02-29"), "{paid}");
    let again = out(&subscriptions(folder, &pay));
    assert!(again.contains("due 2020-02-29") && again.contains("; nothing changed"), "{again}");
    let renewed = out(&subscriptions(folder, &["renew", &id, "--due", "2020-02-29"]));
    assert!(renewed.contains("due 2020-03-31"), "{renewed}");
    let shown: Value = serde_json::from_str(&out(&subscriptions(folder, &["show", &id, "--json"]))).unwrap();
    assert_eq!(
        (&shown["payments"][0]["reference"], &shown["payments"][0]["noted_by"]),
        (&"PIX-1".into(), &DAVI.into())
    );
    assert!(out(&subscriptions(folder, &["show", &id])).contains("R$ 89,00  PIX-1"));
    assert!(out(&subscriptions(folder, &["pause", &id])).contains("  paused"), "paused");
    assert!(out(&subscriptions(folder, &["resume", &id])).contains("  overdue"), "resumed");
    assert!(out(&subscriptions(folder, &["end", &id])).contains("  cancelled"), "ended");
    let late = subscriptions(folder, &["pay", &id, "--reference", "PIX-2"]);
    assert!(code(&late) == 1 && err(&late).contains("start it again first"), "{}", err(&late));
    let started = out(&subscriptions(folder, &["start", &contact, "raiz", "--as", DAVI]));
    assert!(started.contains("  active  due "), "{started}");
    // What is paid is given up by a word alone.
    assert_eq!(code(&subscriptions(folder, &["pay", &id, "--reference", "PIX-3"])), 0);
    let early = subscriptions(folder, &["end", &id]);
    assert_eq!(code(&early), 2, "{}", err(&early));
    assert!(out(&early).contains("days, which are paid until"), "{}", out(&early));
    assert!(err(&early).contains("`--yes` to lose"), "{}", err(&early));
    let taken = out(&subscriptions(folder, &["take-back", &id, "--reference", "PIX-3"]));
    assert!(taken.contains("  active  due "), "{taken}");
    assert!(out(&subscriptions(folder, &["show", &id])).contains("PIX-3  due until"), "shown");
    assert_eq!(code(&subscriptions(folder, &["end", &id, "--yes"])), 0);
}

#[test]
fn contact_is_found_by_words_or_number() {
    let folder = shop();
    let find = |words: &[&str]| out(&run(folder.path(), &[&["contacts", "find"], words].concat(), ""));
    let line = find(&["livia", "campos"]);
    assert!(line.starts_with("con_") && line.contains("Lívia Campos  +5531984327788"), "{line}");
    assert_eq!(find(&["31 98432-7788"]), line);
    assert_eq!(find(&["ninguém"]).trim(), "no contact is found by `ninguém`");
    let found: Vec<Value> = serde_json::from_str(&find(&["lívia", "--json"])).unwrap();
    assert_eq!((found.len(), &found[0]["name"]), (1, &"Lívia Campos".into()));
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let folder = shop();
    let folder = folder.path();
    for (arguments, exit, expected) in [
        (vec!["show", "sub_999"], 1, "unknown subscription sub_999"),
        (vec!["pay", "x", "--reference", "a"], 2, "expected an id"),
        (vec!["pay", "sub_1", "--reference", "a", "--amount", "-5"], 2, "invalid amount of money"),
        (vec!["pay", "sub_1", "--reference", "a", "--amount", "0"], 1, "expected more than zero"),
        (vec!["start", "con_1", "Kopa"], 1, "did you mean `Copa`?"),
        (vec!["start", "con_999", "Copa"], 1, "unknown contact con_999; `balcao contacts find`"),
        (vec!["list", "--contact", "con_999"], 1, "unknown contact con_999; `balcao contacts find`"),
        (vec!["pay", "sub_1", "--reference", "a", "--amount", "1,00"], 1, "`--partial` notes less"),
        (vec!["pay", "sub_1", "--reference", "a", "--amount", "1.000.000,01", "--more"], 1, "at most R$ 1.000.000,00"),
        (vec!["start", "con_1", "Copa"], 1, "already, and is"),
        (vec!["renew", "sub_1", "--due", "2026-02-31"], 2, "invalid value"),
        (vec!["end", "sub_1", "--as", "ninguem@figueira.example"], 1, "nobody of staff has"),
    ] {
        let output = subscriptions(folder, &arguments);
        assert_eq!(code(&output), exit, "{arguments:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{arguments:?}: {}", err(&output));
    }
}
