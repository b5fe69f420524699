//! The command on PostgreSQL. Where there is none, these tests say so and end.

use std::path::Path;
use std::process::Output;

use balcao_testkit::postgres::Database;
use tempfile::tempdir;

use crate::{balcao, code, err, out, root};

/// Runs a command over a database on a server.
pub(crate) fn with(folder: &Path, url: &str, arguments: &[&str]) -> Output {
    balcao(folder)
        .env("BALCAO_DATABASE_URL", url)
        .env("BALCAO__DATABASE__ALLOW_UNSAFE", "true")
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn a_business_is_set_up_and_served_from_a_server() {
    let Some(database) = Database::empty() else { return };
    let folder = tempdir().unwrap();
    let sample = root().join("samples/barbearia-figueira.yaml").display().to_string();
    std::fs::write(folder.path().join("words"), "quanto custa o corte?\n").unwrap();
    let agents = root().join("agents").display().to_string();
    for (arguments, expected) in [
        (vec!["migrate"], "PostgreSQL at"),
        (vec!["migrate", "--check", "--json"], "\"missing\":[]"),
        (vec!["seed", &sample], "7 services"),
        (vec!["doctor"], "PostgreSQL at"),
        (vec!["chat", "--script", "words"], "R$"),
        (vec!["inbox", "list"], ""),
        (vec!["config", "show"], "BALCAO_DATABASE_URL"),
    ] {
        let output = balcao(folder.path())
            .env("BALCAO_DATABASE_URL", &database.url)
            .env("BALCAO__DATABASE__ALLOW_UNSAFE", "true")
            .env("BALCAO__AGENTS__DIR", &agents)
            .args(&arguments)
            .output()
            .unwrap();
        assert_eq!(code(&output), 0, "{arguments:?}: {}{}", out(&output), err(&output));
        assert!(out(&output).contains(expected), "{arguments:?}: {}{}", out(&output), err(&output));
    }
    assert!(!folder.path().join("balcao.db").exists());
}

#[test]
fn a_server_that_is_not_there_is_named_without_its_password() {
    let folder = tempdir().unwrap();
    let url = "postgres://balcao:s3cret@127.0.0.1:1/shop";
    for arguments in
        [vec!["migrate"], vec!["chat", "--script", "-"], vec!["doctor"], vec!["seed", "--check", "nothing"]]
    {
        let output = with(folder.path(), url, &arguments);
        assert_ne!(code(&output), 0, "{arguments:?}");
        let all = format!("{}{}", out(&output), err(&output));
        assert!(!all.contains("s3cret"), "{arguments:?}: {all}");
        assert!(all.contains("127.0.0.1:1/shop") || arguments[0] == "seed", "{arguments:?}: {all}");
    }
    let shown = out(&with(folder.path(), url, &["config", "show"]));
    assert!(shown.contains("********") && !shown.contains("s3cret"), "{shown}");
    let wrong = with(folder.path(), "postgres://balcao:s3@cret@host/shop", &["migrate"]);
    assert!(err(&wrong).contains("%40") && !err(&wrong).contains("cret"), "{}", err(&wrong));
}
