//! The door: what is readable for others, what strangers may fill, and what the log tells.

use balcao_testkit::fakes::graph::{Behaviour, TOKEN};
use balcao_testkit::wait::{self, until};
use serde_json::Value;
use tempfile::tempdir;

use crate::observed::{SECRET, post, request, serve, text};
use crate::web_chat::{ORIGIN, Running, exchange, shop, token};
use crate::{code, err, out, run};

#[cfg(unix)]
#[test]
fn h05_databases_their_logs_backups_and_configurations_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempdir().unwrap();
    // Whatever the mask of the system is, and the usual one lets everybody read.
    for arguments in [&["init", "shop"][..], &["--config", "shop/balcao.toml", "migrate"]] {
        let output = run(folder.path(), arguments, "");
        assert_eq!(code(&output), 0, "{arguments:?}: {}", err(&output));
    }
    let shop = folder.path().join("shop");
    let mode = |name: &str| std::fs::metadata(shop.join(name)).unwrap().permissions().mode() & 0o777;
    let backup = run(&shop, &["backup", "copy.db"], "");
    assert_eq!(code(&backup), 0, "{}", err(&backup));
    for name in ["balcao.toml", "balcao.db", "copy.db"] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    let restored = run(&shop, &["restore", "copy.db"], "");
    assert_eq!(code(&restored), 0, "{}", err(&restored));
    assert_eq!(mode("balcao.db"), 0o600);
    // The last two files exist while a program runs.
    let running = crate::web_chat::shop();
    let _server = Running::start(running.path(), &["serve", "--model", "offline"]);
    let file = |name: &str| running.path().join(name);
    let mode = |name: &str| std::fs::metadata(file(name)).unwrap().permissions().mode() & 0o777;
    let names = ["balcao.db-wal", "balcao.db-shm", "balcao.db"];
    for name in names {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    // The doctor reports older files that others may read. SQLite mends an empty log when the doctor opens it.
    for name in names {
        std::fs::set_permissions(file(name), std::fs::Permissions::from_mode(0o644)).unwrap();
        let doctor = run(running.path(), &["doctor"], "");
        let warned = out(&doctor).contains(&format!("every user of this machine may read {name}:"));
        assert!(warned || name.ends_with("-wal") && mode(name) == 0o600, "{name}: {}", out(&doctor));
        std::fs::set_permissions(file(name), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn h08_what_strangers_may_cost_is_set_and_told() {
    let folder = tempdir().unwrap();
    let shown = run(folder.path(), &["config", "show"], "");
    for (key, value) in [
        ("chat.strangers_tokens_day", "5000000"),
        ("chat.strangers_usd_day", "5.00"),
        ("chat.visitors_per_address_day", "60"),
        ("chat.files_mib_day", "500"),
        ("server.files_mib_contact_day", "50"),
        ("server.least_free_disk_percent", "10"),
    ] {
        let line = out(&shown).lines().find(|line| line.contains(key)).map(str::to_owned);
        assert!(line.as_ref().is_some_and(|line| line.contains(value)), "{key}: {line:?}");
    }
    let written =
        "[chat]\nenabled = true\norigins = [\"https://shop.example\"]\nsecret = \"0123456789abcdef0123456789abcdef\"\n";
    let doctor = |more: &str| {
        std::fs::write(folder.path().join("balcao.toml"), format!("{written}{more}")).unwrap();
        out(&run(folder.path(), &["doctor"], ""))
    };
    let usual = doctor("");
    assert!(usual.contains("strangers may use 5000000 tokens and US$ 5.00 in a day"), "{usual}");
    let none = doctor("strangers_tokens_day = 0\nstrangers_usd_day = \"0\"\n");
    assert!(none.contains("no ceiling is set") && none.contains("set chat.strangers_tokens_day"), "{none}");
    // A ceiling in money holds for a service whose prices are known, and no other.
    let service = |more: &str| {
        format!(
            "[[model.providers]]\nname = \"local\"\nkind = \"compatible\"\nbase_url = \"http://127.0.0.1:9\"\nmodel = \"x\"\n{more}"
        )
    };
    let unpriced = doctor(&service(""));
    assert!(unpriced.contains("US$ 5.00 in a day does not hold where local answers"), "{unpriced}");
    assert!(unpriced.contains("(price_input_usd and price_output_usd, transcription.usd_minute)"), "{unpriced}");
    let priced = doctor(&service("price_input_usd = \"1\"\nprice_output_usd = \"2\"\n"));
    assert!(priced.contains("strangers may use 5000000 tokens and US$ 5.00 in a day"), "{priced}");
    let wrong = doctor("strangers_usd_day = \"five\"\n");
    assert!(wrong.contains("chat.strangers_usd_day"), "{wrong}");
}

#[test]
fn h09_no_files_are_taken_while_the_disk_is_nearly_full() {
    let shop = shop();
    let config = shop.path().join("balcao.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    // No disk is free to its last byte.
    std::fs::write(&config, text.replace("[server]", "[server]\nleast_free_disk_percent = 100")).unwrap();
    let server = Running::start(shop.path(), &["serve", "--model", "offline"]);
    let token = token(server.address());
    let head = format!(
        "POST /chat/v1/files?id=file-0001&name=a.pdf HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\nauthorization: Bearer {token}"
    );
    let answer = exchange(server.address(), &head, "%PDF-1.7", None);
    assert!(answer.starts_with("HTTP/1.1 429") && answer.contains("too little room"), "{answer}");
    assert!(answer.contains("retry-after: 600"), "{answer}");
    let alarm = "of the database's disk are free: no files are taken";
    let ready = || exchange(server.address(), "GET /readyz HTTP/1.1\r\nhost: x", "", None);
    wait::until("the alarm", || ready().contains(alarm).then_some(()));
    let doctor = run(shop.path(), &["doctor"], "");
    assert!(out(&doctor).contains("of its disk are free; below 100 % no files are taken"), "{}", out(&doctor));
    let head =
        format!("POST /chat/v1/messages HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\nauthorization: Bearer {token}");
    let answer = exchange(server.address(), &head, "{\"id\":\"message-1\",\"text\":\"oi\"}", None);
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
}

/// What no log may hold.
const CANARIES: [&str; 8] = [
    "5531988880001",
    "canario@exemplo.com.br",
    "529.982.247-25",
    "98765-4321",
    "bk_canary0123456789canary",
    "zarabatana",
    TOKEN,
    SECRET,
];

/// A server whose log tells all that it can is talked to by customers, strangers and Meta; its log holds nothing of them. `more` is added to
/// the configuration.
pub(crate) fn log_holds_no_person_and_no_secret(more: &str) {
    for format in ["text", "json"] {
        let config = format!("[log]\nformat = \"{format}\"\n{more}");
        let shop = serve(&config, |command| {
            command.env("BALCAO_LOG", "trace");
        });
        let words = "quero marcar corte amanhã às 10h, sou zarabatana, cpf 529.982.247-25, canario@exemplo.com.br, (31) 98765-4321";
        shop.delivers(&text("wamid.HBgNNTUzMTk4ODg4MDAwMRUCABIY", 1, words));
        until("it is answered", || (!shop.said().is_empty()).then_some(()));
        shop.graph.next_message(Behaviour::Error {
            status: 400,
            code: 131_026,
            details: "5531988880001 is no user".to_owned(),
        });
        shop.delivers(&text("wamid.2", 1, "quero falar com uma pessoa, zarabatana"));
        until("Meta refused it", || shop.log().contains("a message was not sent").then_some(()));
        assert_eq!(post(&shop.address, &text("wamid.3", 1, "zarabatana"), "guessed").unwrap().0, 401);
        let key = "GET /v1/contacts?query=zarabatana HTTP/1.1\r\nauthorization: Bearer bk_canary0123456789canary";
        assert_eq!(request(&shop.address, key, b"").unwrap().0, 401);
        let log = shop.stop();
        assert!(log.lines().count() > 20, "the level is trace: {log}");
        for canary in CANARIES {
            let line = log.lines().find(|line| line.contains(canary));
            assert_eq!(line, None, "{canary}");
        }
        if format == "json" {
            let lines = log.lines().filter(|line| line.starts_with('{'));
            assert!(
                lines.map(|line| serde_json::from_str::<Value>(line).unwrap()).all(|line| line["level"].is_string())
            );
        }
    }
}

#[test]
fn u03_no_log_line_at_any_level_holds_a_person_or_a_secret() {
    log_holds_no_person_and_no_secret("");
}
