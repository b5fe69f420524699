//! F-18: the power fails. What was not synced is gone, some of it is torn; what was acknowledged is still there.
//!
//! The server runs over `power.c`, which keeps back what is written until it is synced. That it does is shown by a disk that
//! lies: there the same story loses what was acknowledged.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::wait::until;

use super::{Running, SECRET, Shop, post, shop};
use crate::observed::text;
use crate::{code, err, out};

/// The power fails so often, each time after so many more messages were acknowledged.
const MESSAGES: [usize; 8] = [1, 2, 3, 5, 8, 13, 21, 34];
/// Webhooks that come at the same time.
const CLIENTS: u32 = 4;

/// What stands between the server and its disk; `None` where it cannot be built.
fn power(folder: &Path) -> Option<PathBuf> {
    if !cfg!(target_os = "linux") {
        balcao_testkit::skip("only Linux loads a library before a program");
        return None;
    }
    let built = folder.join("power.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/serve/power.c");
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&built).arg(source).args(["-ldl", "-lpthread"]);
    let Ok(output) = compiler.output() else {
        balcao_testkit::skip("the C compiler `cc` is missing");
        return None;
    };
    assert_eq!(code(&output), 0, "{}", err(&output));
    Some(built)
}

fn started(shop: &Shop, power: &Path, lies: bool) -> Running {
    let mut command = shop.command();
    command.env("LD_PRELOAD", power);
    if lies {
        command.env("POWER_LIES", "1");
    }
    shop.start_by(command, &["serve", "--model", "offline"])
}

/// Customers write to the server until it dies, after it acknowledged so much `more`; adds all that was acknowledged.
fn until_the_power_fails(server: Running, round: usize, more: usize, acknowledged: &Arc<Mutex<BTreeSet<String>>>) {
    let goal = acknowledged.lock().unwrap().len() + more;
    let over = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (address, over) = (server.address.clone(), Arc::clone(&over));
            let acknowledged = Arc::clone(acknowledged);
            std::thread::spawn(move || {
                for number in 0.. {
                    if over.load(Ordering::SeqCst) {
                        return;
                    }
                    let id = format!("wamid.{round}.{client}.{number}");
                    let customer = client * 20 + number % 20;
                    if post(&address, &text(&id, customer, "quais os serviços?"), SECRET) == Some(200) {
                        acknowledged.lock().unwrap().insert(id);
                    }
                }
            })
        })
        .collect();
    until("messages are acknowledged", || (acknowledged.lock().unwrap().len() >= goal).then_some(()));
    server.kill();
    over.store(true, Ordering::SeqCst);
    clients.into_iter().for_each(|client| client.join().unwrap());
}

/// The messages that are stored.
fn stored(shop: &Shop) -> Result<BTreeSet<String>, StoreError> {
    let store = Store::open(&shop.folder.path().join("balcao.db"), OpenOptions::default())?;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let sql = "SELECT provider_message FROM inbox WHERE kind = 'message'";
    let all: Vec<String> = runtime.block_on(store.read(move |tx| tx.query_all(sql, &[], |row| row.get(0))))?;
    Ok(all.into_iter().collect())
}

#[test]
fn f_18_what_was_acknowledged_is_there_after_the_power_failed_at_any_time() {
    let shop = shop().with_leases(2);
    let Some(power) = power(shop.folder.path()) else { return };
    let acknowledged = Arc::new(Mutex::new(BTreeSet::new()));
    for (round, many) in MESSAGES.into_iter().enumerate() {
        let server = started(&shop, &power, false);
        until_the_power_fails(server, round, many, &acknowledged);
        let stored = stored(&shop).unwrap();
        let lost: Vec<String> = acknowledged.lock().unwrap().difference(&stored).cloned().collect();
        assert!(lost.is_empty(), "round {round}: {lost:?}");
    }
    let doctor = shop.command().arg("doctor").output().unwrap();
    assert!(!out(&doctor).contains("damaged"), "{}{}", out(&doctor), err(&doctor));
    let server = shop.start();
    shop.quiet();
    assert!(server.stop().success());
    let written = acknowledged.lock().unwrap().len();
    assert!(written >= MESSAGES.iter().sum(), "only {written} were acknowledged");
    let open =
        "SELECT COUNT(*) FROM inbox WHERE kind = 'message' AND state NOT IN ('answered', 'handed_off', 'ignored')";
    assert_eq!(shop.count(open), 0);
    // A message that was on its way when the power failed may have left without a record: it is unknown, never sent again.
    let mut names: Vec<String> = shop.accepted().into_iter().map(|(name, _words)| name).collect();
    let sent = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), sent, "nobody was told anything twice");
    eprintln!(
        "F-18: the power failed {} times; {written} messages acknowledged, 0 lost, {sent} answers, none twice",
        MESSAGES.len()
    );
}

#[test]
fn f_18_a_disk_that_lies_about_its_syncs_is_seen_to_lose_what_was_acknowledged() {
    let shop = shop().with_leases(2);
    let Some(power) = power(shop.folder.path()) else { return };
    shop.is_whole();
    let acknowledged = Arc::new(Mutex::new(BTreeSet::new()));
    until_the_power_fails(started(&shop, &power, true), 0, 20, &acknowledged);
    let acknowledged = acknowledged.lock().unwrap();
    assert!(!acknowledged.is_empty());
    // It may have lost more than the messages: their table, or all that makes the file a database.
    let stored = stored(&shop).unwrap_or_default();
    assert!(acknowledged.is_disjoint(&stored), "or the test above proves nothing: {stored:?}");
}
