//! What lies under the server: a disk that fails, a file that is damaged, a migration that is killed.

use std::path::Path;
use std::process::{Command, Stdio};

use balcao_testkit::wait::until;
use tempfile::tempdir;

use super::faults::shop_with_server;
use super::{SECRET, Shop, post, secrets, shop};
use crate::observed::text;
use crate::{balcao, code, err, out};

/// The server under a system that lets no file grow beyond `bytes`: to SQLite a disk that fails (`EFBIG`).
fn limited(shop: &Shop, bytes: u64) -> Command {
    let inner = shop.command();
    let mut outer = Command::new("sh");
    // Without the trap the signal ends the program before it could see the error.
    outer
        .args(["-c", "trap '' XFSZ; exec \"$@\"", "sh", "prlimit", &format!("--fsize={bytes}")])
        .arg(inner.get_program());
    outer.current_dir(shop.folder.path()).env_clear();
    outer.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outer
}

#[test]
fn f_74_when_the_disk_fails_it_ends_at_once_and_the_next_start_knows_all_that_was_acknowledged() {
    if Command::new("prlimit").arg("--version").output().is_err() {
        balcao_testkit::skip("`prlimit` is missing");
        return;
    }
    let shop = shop().with_leases(2);
    shop.is_whole();
    // What is read of it is not what is written: the log is the file that grows.
    let size = std::fs::metadata(shop.folder.path().join("balcao.db")).unwrap().len();
    let mut server = shop.start_by(limited(&shop, size.max(1 << 20)), &["serve", "--model", "offline"]);
    let mut acknowledged = 0;
    for number in 0..2_000 {
        match post(&server.address, &text(&format!("wamid.{number}"), number % 900, "oi"), SECRET) {
            Some(200) => acknowledged += 1,
            _ => break,
        }
    }
    let ended = until("it ends by itself", || server.child.try_wait().unwrap());
    assert_eq!(ended.code(), Some(1));
    assert!((1..2_000).contains(&acknowledged), "{acknowledged}");
    let again = shop.start();
    shop.quiet();
    let kept = shop.count("SELECT COUNT(*) FROM inbox WHERE kind = 'message'");
    // The last commit may have reached the disk, although it failed.
    assert!((acknowledged..=acknowledged + 1).contains(&kept), "{kept} kept of {acknowledged}");
    assert!(again.stop().success());
    eprintln!("F-74: ended at the first failed write; {acknowledged} acknowledged before it, none lost");
}

#[test]
fn f_75_a_damaged_file_is_not_served_and_the_backup_is_named() {
    let shop = shop();
    let path = shop.folder.path().join("balcao.db");
    shop.is_whole();
    let mut bytes = std::fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    for page in 8..pages {
        bytes[page * 4096..page * 4096 + 16].fill(0xff);
    }
    std::fs::write(&path, bytes).unwrap();
    for arguments in [&["serve", "--model", "offline"][..], &["doctor"]] {
        let output = secrets(&mut shop.command()).args(arguments).output().unwrap();
        assert_eq!(code(&output), 1, "{arguments:?}");
        let said = format!("{}{}", out(&output), err(&output));
        assert!(said.contains("damaged") && said.contains("backup"), "{arguments:?}: {said}");
    }
}

/// How many bytes of the database there are, its log included.
fn written(folder: &Path) -> u64 {
    let length = |name: &str| std::fs::metadata(folder.join(name)).map_or(0, |file| file.len());
    length("balcao.db") + length("balcao.db-wal") + length("balcao.db-journal")
}

#[test]
fn f_80_a_migration_that_is_killed_at_any_time_is_done_wholly_or_not_at_all() {
    let mut killed = 0;
    for round in 0..12 {
        let folder = tempdir().unwrap();
        let mut command = balcao(folder.path());
        let mut child = command.arg("migrate").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // So far it has come when it is killed, from nothing to all: what it has written, or its end.
        until("it comes so far", || {
            let is_over = child.try_wait().unwrap().is_some();
            (written(folder.path()) >= round * 32_768 || is_over).then_some(())
        });
        child.kill().unwrap();
        killed += usize::from(!child.wait().unwrap().success());
        let again = balcao(folder.path()).arg("migrate").output().unwrap();
        assert_eq!(code(&again), 0, "round {round}: {}", err(&again));
        let check = balcao(folder.path()).args(["migrate", "--check", "--json"]).output().unwrap();
        assert!(out(&check).contains("\"missing\":[]"), "round {round}: {}", out(&check));
    }
    assert!(killed > 0, "none was killed before it ended");
}

#[test]
fn a_server_that_forgets_is_refused_with_how_to_serve_from_it_all_the_same() {
    let Some((_database, shop)) = shop_with_server() else { return };
    let mut command = shop.command();
    command.env("BALCAO__DATABASE__ALLOW_UNSAFE", "false");
    let refused = secrets(&mut command).args(["serve", "--model", "offline"]).output().unwrap();
    assert_eq!(code(&refused), 1);
    for part in ["fsync=off", "full_page_writes=off", "database.allow_unsafe = true"] {
        assert!(err(&refused).contains(part), "{part}: {}", err(&refused));
    }
}
