//! Real faults under the built binary: PostgreSQL stopped, crashed and cut off, programs frozen past their lease, a full disk.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use balcao_testkit::fakes::graph::FakeGraph;
use balcao_testkit::partition::Partition;
use balcao_testkit::postgres::{OwnServer, Stop};
use balcao_testkit::wait::until;
use tempfile::TempDir;

use super::{
    Running, SECRET, Shop, every_message_has_one_answer, meta, no_effect_happened_twice, post, shop_at, shop_in, wishes,
};
use crate::attack::weight::has_stayed_small;
use crate::observed::text;

/// A shop whose PostgreSQL is its own.
pub(super) fn shop_with_server() -> Option<(OwnServer, Shop)> {
    let database = OwnServer::start("", &[])?;
    database.run("postgres", "CREATE DATABASE shop").unwrap();
    let shop = shop_at(Some(database.url("shop")), None);
    Some((database, shop))
}

/// Statuses of everything that was sent, told to this server, so that nothing stays unknown, and then nothing left to do.
fn settle(shop: &Shop, server: &Running) {
    shop.graph.tells(&server.address, SECRET);
    shop.is_told();
    shop.quiet();
    shop.is_told();
}

/// A message is not acknowledged where there is no database; how long that took.
pub(super) fn is_refused(server: &Running) -> Duration {
    let asked = Instant::now();
    assert_eq!(post(&server.address, &text("wamid.while-down", 99, "oi"), SECRET), Some(503));
    asked.elapsed()
}

fn signal(server: &Running, name: &str) {
    let told = Command::new("kill").arg(name).arg(server.child.id().to_string()).status().unwrap();
    assert!(told.success());
}

/// Waits until whoever had taken up work here has it no more: its leases are over, and others have taken what it held.
fn others_have_its_work(shop: &Shop, server: &Running) {
    until("its leases are over", || (holds(shop, server) == 0).then_some(()));
}

/// How many conversations this server holds.
fn holds(shop: &Shop, server: &Running) -> usize {
    let owners = shop.rows("SELECT owner FROM dispatch WHERE owner IS NOT NULL", |row| row.get::<String>(0));
    let its = format!("{}/", server.child.id());
    owners.iter().filter(|owner| owner.starts_with(&its)).count()
}

#[test]
fn f_33_while_postgresql_is_down_nothing_is_acknowledged_and_after_it_nothing_is_lost() {
    let Some((database, shop)) = shop_with_server() else { return };
    let shop = shop.with_leases(2);
    let servers = [shop.start(), shop.start(), shop.start()];
    let address = Arc::new(Mutex::new(servers[0].address.clone()));
    let (asking, agreeing) = wishes(0..10);
    let count = asking.len() + agreeing.len();
    let mut delivering = vec![meta(asking, &address)];
    let mut refused = Vec::new();
    for (round, how) in [Stop::Fast, Stop::Immediate, Stop::Fast].into_iter().enumerate() {
        if round == 1 {
            // Whoever was asked agrees.
            shop.quiet();
            delivering.push(meta(agreeing.clone(), &address));
        }
        shop.is_at_work(2, delivering.last().unwrap());
        database.stop(how).unwrap();
        for server in &servers {
            refused.push(is_refused(server));
        }
        until("all have noticed", || servers.iter().all(|server| server.get("/readyz") == Some(503)).then_some(()));
        database.start_again().unwrap();
        // The next one takes the load.
        address.lock().unwrap().clone_from(&servers[(round + 1) % servers.len()].address);
    }
    delivering.into_iter().for_each(|one| one.join().unwrap());
    settle(&shop, &servers[0]);
    every_message_has_one_answer(&shop, count);
    no_effect_happened_twice(&shop);
    let slowest = refused.iter().max().unwrap();
    eprintln!("F-33: {count} messages over 3 stops of PostgreSQL, lost 0; the slowest refusal took {slowest:.0?}");
    // Far beyond what it takes: that it does not hang, on whatever machine.
    assert!(*slowest < Duration::from_secs(15), "{slowest:?}");
}

#[test]
fn f_100_a_program_that_is_cut_off_from_the_database_acknowledges_nothing_and_another_goes_on() {
    let Some((database, shop)) = shop_with_server() else { return };
    let shop = shop.with_leases(2);
    let way = Partition::to(database.port).unwrap();
    let cut_off = {
        let mut command = shop.command();
        command.env("BALCAO_DATABASE_URL", format!("postgres://postgres@{}/shop", way.address));
        shop.start_by(command, &["serve", "--model", "offline"])
    };
    let other = shop.start();
    let (asking, agreeing) = wishes(0..8);
    let count = asking.len() + agreeing.len();
    let address = Arc::new(Mutex::new(cut_off.address.clone()));
    let delivering = meta(asking, &address);
    shop.is_at_work(2, &delivering);
    // Nothing passes and nobody is told: only a clock can tell.
    way.hold();
    let held = is_refused(&cut_off);
    address.lock().unwrap().clone_from(&other.address);
    others_have_its_work(&shop, &cut_off);
    shop.quiet();
    way.heal();
    until("it works again", || (cut_off.get("/readyz") == Some(200)).then_some(()));
    way.cut();
    assert_eq!(post(&cut_off.address, &text("wamid.while-cut", 98, "oi"), SECRET), Some(503));
    way.heal();
    until("it works again", || (cut_off.get("/readyz") == Some(200)).then_some(()));
    delivering.join().unwrap();
    // Whoever was asked agrees.
    shop.quiet();
    meta(agreeing, &address).join().unwrap();
    settle(&shop, &other);
    every_message_has_one_answer(&shop, count);
    no_effect_happened_twice(&shop);
    eprintln!("F-100, F-101: {count} messages over a held and a cut connection, lost 0; refused after {held:.0?}");
    assert!(held < Duration::from_secs(40), "{held:?}");
}

#[test]
fn f_92_a_program_that_was_frozen_past_its_lease_does_nothing_twice_when_it_wakes() {
    let Some((_database, shop)) = shop_with_server() else { return };
    let mut shop = shop.with_leases(2);
    // A transaction in which it is frozen ends with its leases.
    let url = shop.url.as_mut().unwrap();
    url.push_str("?options=-c%20idle_in_transaction_session_timeout%3D2s");
    let (sleeper, other) = (shop.start(), shop.start());
    let address = Arc::new(Mutex::new(sleeper.address.clone()));
    let (asking, agreeing) = wishes(0..12);
    let count = asking.len() + agreeing.len();
    for messages in [asking, agreeing] {
        let delivering = meta(messages, &address);
        for _ in 0..2 {
            until("it is frozen in the middle of its work", || {
                signal(&sleeper, "-STOP");
                let (is_over, caught) = (delivering.is_finished(), holds(&shop, &sleeper) > 0);
                if !caught && !is_over {
                    signal(&sleeper, "-CONT");
                }
                (caught || is_over).then_some(())
            });
            address.lock().unwrap().clone_from(&other.address);
            others_have_its_work(&shop, &sleeper);
            signal(&sleeper, "-CONT");
            address.lock().unwrap().clone_from(&sleeper.address);
        }
        delivering.join().unwrap();
        // Whoever was asked can agree now.
        shop.quiet();
    }
    settle(&shop, &other);
    every_message_has_one_answer(&shop, count);
    no_effect_happened_twice(&shop);
    eprintln!("F-92: {count} messages, 4 times frozen past the lease, nothing twice");
}

/// A file system of its own, so small that it fills. Gone with this.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = format!("size={size}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path()).output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Some(Self(folder));
        }
        balcao_testkit::skip("cannot mount a file system; a mount needs root's rights");
        None
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("--lazy").arg(self.0.path()).status());
    }
}

#[test]
fn f_73_on_a_full_disk_nothing_is_acknowledged_and_with_room_again_it_goes_on_by_itself() {
    let Some(disk) = SmallDisk::mount("12m") else { return };
    let shop = shop_in(disk.0.path(), FakeGraph::start().unwrap()).with_leases(2);
    let server = shop.start();
    server.delivers(&text("wamid.1", 1, "oi"));
    shop.quiet();
    let ballast = disk.0.path().join("ballast");
    let fill = || Command::new("dd").args(["if=/dev/zero", "bs=64k"]).arg(format!("of={}", ballast.display())).output();
    assert!(!fill().unwrap().status.success(), "the disk is full now");
    let mut acknowledged = 1;
    let mut refused = 0;
    for number in 2..200 {
        // Pages that were freed may take some more.
        match post(&server.address, &text(&format!("wamid.{number}"), number, "oi"), SECRET) {
            Some(200) => acknowledged += 1,
            Some(503) => refused += 1,
            other => panic!("{other:?}"),
        }
        assert_eq!(server.get("/healthz"), Some(200));
        if refused >= 20 {
            break;
        }
    }
    assert!(refused >= 20, "only {refused} were refused");
    std::fs::remove_file(&ballast).unwrap();
    until("it takes messages again", || {
        (post(&server.address, &text("wamid.after", 500, "oi"), SECRET) == Some(200)).then_some(())
    });
    acknowledged += 1;
    shop.quiet();
    let kept = shop.count("SELECT COUNT(*) FROM inbox WHERE kind = 'message' AND state IN ('answered', 'handed_off')");
    // A message whose commit failed may be delivered again; none that was acknowledged is missing.
    assert_eq!(kept, acknowledged);
    assert_eq!(i64::try_from(shop.accepted().len()).unwrap(), acknowledged);
    has_stayed_small(server.child.id());
    eprintln!("F-73: {refused} refused on a full disk, {acknowledged} acknowledged, all of them answered once");
}

#[test]
fn without_hints_the_work_is_done_all_the_same() {
    let Some((database, shop)) = shop_with_server() else { return };
    let api = shop.start_with(&["serve", "--model", "offline", "--role", "api"]);
    let worker = shop.start_with(&["serve", "--model", "offline", "--role", "worker"]);
    for round in 0..3 {
        // Whoever listens is thrown out, again and again.
        let deaf = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
        database.run("shop", deaf).unwrap();
        api.delivers(&text(&format!("wamid.{round}"), round, "oi"));
        shop.quiet();
    }
    assert_eq!(shop.accepted().len(), 3);
    assert_eq!(post(&worker.address, &text("wamid.x", 9, "oi"), SECRET), Some(404));
    assert_eq!(
        (worker.get("/readyz"), worker.get("/v1/services"), api.get("/readyz")),
        (Some(200), Some(404), Some(200))
    );
    drop(worker);
    api.delivers(&text("wamid.later", 7, "oi"));
    // Nobody runs turns, or it would have been begun and ended: what came in waits for the next worker.
    assert!(api.stop().success());
    assert_eq!(shop.count("SELECT COUNT(*) FROM inbox WHERE state = 'new'"), 1);
    let _worker = shop.start_with(&["serve", "--model", "offline", "--role", "worker"]);
    shop.quiet();
    assert_eq!(shop.accepted().len(), 4);
}
