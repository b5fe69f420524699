//! A real partition: a program in a network namespace of its own, whose cable to PostgreSQL is pulled. The kernel drops what is sent, so that
//! nobody is told and only clocks can tell. Needs root's rights and `ip`; without them it is skipped, aloud.

use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use balcao_testkit::postgres::OwnServer;
use balcao_testkit::wait::until;

use super::faults::is_refused;
use super::{Running, Shop, every_message_has_one_answer, meta, no_effect_happened_twice, shop_at, wishes};

/// Two cables from this machine into a namespace: one for clients, one for the database. Both go with this.
struct Namespace {
    name: String,
    /// Third byte of its addresses.
    third: u8,
}

impl Namespace {
    fn new() -> Result<Self, String> {
        let third = u8::try_from(std::process::id() % 250).unwrap();
        let made = Self { name: format!("balcao-{}", std::process::id()), third };
        ip(&["netns", "add", &made.name])?;
        for (cable, second) in [("c", 232_u8), ("d", 233)] {
            let (outer, inner) = (made.cable(cable), format!("{}i", made.cable(cable)));
            ip(&["link", "add", &outer, "type", "veth", "peer", "name", &inner, "netns", &made.name])?;
            ip(&["addr", "add", &format!("10.{second}.{third}.1/30"), "dev", &outer])?;
            ip(&["link", "set", &outer, "up"])?;
            ip(&["-n", &made.name, "addr", "add", &format!("10.{second}.{third}.2/30"), "dev", &inner])?;
            ip(&["-n", &made.name, "link", "set", &inner, "up"])?;
        }
        Ok(made)
    }

    fn cable(&self, which: &str) -> String {
        format!("bal{which}{}", self.third)
    }

    /// Pulls the cable to the database, or plugs it in.
    fn database(&self, state: &str) {
        ip(&["link", "set", &self.cable("d"), state]).unwrap();
    }

    /// A program of the shop in here, which takes webhooks and answers nobody: it has no way to Meta.
    fn start(&self, shop: &Shop, port: u16) -> Running {
        let inside = shop.command();
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.name]).arg(inside.get_program());
        command.current_dir(inside.get_current_dir().unwrap());
        command.envs(inside.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let third = self.third;
        command.env("BALCAO_DATABASE_URL", format!("postgres://postgres@10.233.{third}.1:{port}/shop"));
        command.env("BALCAO__SERVER__LISTEN", format!("10.232.{third}.2:0"));
        shop.start_by(command, &["serve", "--model", "offline", "--role", "api"])
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        for cable in ["c", "d"] {
            drop(ip(&["link", "del", &self.cable(cable)]));
        }
        drop(ip(&["netns", "del", &self.name]));
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).output().map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn f_100_a_program_whose_cable_to_the_database_is_pulled_acknowledges_nothing_and_loses_nothing() {
    let namespace = match Namespace::new() {
        Ok(namespace) => namespace,
        Err(error) => {
            balcao_testkit::skip(&format!("cannot create a network namespace: {error}"));
            return;
        }
    };
    let everybody = "local all all trust\nhost all all 127.0.0.1/32 trust\nhost all all 10.233.0.0/16 trust\n";
    let settings = format!("listen_addresses = '127.0.0.1,10.233.{}.1'\nhba_file = 'hba'", namespace.third);
    let Some(database) = OwnServer::start(&settings, &[("hba", everybody)]) else { return };
    database.run("postgres", "CREATE DATABASE shop").unwrap();
    let shop = shop_at(Some(database.url("shop")), None).with_leases(2);
    let cut_off = namespace.start(&shop, database.port);
    let other = shop.start();
    let address = Arc::new(Mutex::new(cut_off.address.clone()));
    let (asking, agreeing) = wishes(0..8);
    let count = asking.len() + agreeing.len();
    let delivering = meta(asking, &address);
    shop.is_at_work(2, &delivering);
    namespace.database("down");
    let held = is_refused(&cut_off);
    assert_eq!(cut_off.get("/readyz"), Some(503));
    namespace.database("up");
    until("it works again", || (cut_off.get("/readyz") == Some(200)).then_some(()));
    delivering.join().unwrap();
    shop.quiet();
    // Whoever was asked agrees, by the program that was cut off.
    meta(agreeing, &address).join().unwrap();
    shop.quiet();
    every_message_has_one_answer(&shop, count);
    no_effect_happened_twice(&shop);
    drop((cut_off, other));
    eprintln!("F-100: {count} messages over a pulled cable, lost 0; refused after {held:.0?}");
    assert!(held < Duration::from_secs(40), "{held:?}");
}
