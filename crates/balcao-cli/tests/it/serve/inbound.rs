//! G-05: nothing that was acknowledged is lost or answered twice, however it came and whatever died meanwhile.
//!
//! A thousand messages (ten thousand with `BALCAO_GATE_SCALE=10`), each delivered once to fifty times, in batches of one to
//! twenty, out of order, to servers that are killed in between; on PostgreSQL two of them, and the database is stopped for a
//! while, too.
#![expect(clippy::print_stderr, reason = "a gate prints its figures")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use balcao_testkit::fakes::graph::webhooks;
use balcao_testkit::postgres::{OwnServer, Stop};
use balcao_testkit::wait::until_within;
use serde_json::{Value, json};

use super::{Running, SECRET, Shop, post, shop, shop_at};

const CUSTOMERS: u32 = 100;
const EACH: u32 = 10;
const KILLS: u32 = 6;
/// Ten thousand messages take their time on a busy machine.
const PATIENCE: Duration = Duration::from_mins(30);
/// Connections that deliver at the same time.
const LANES: usize = 8;

/// Numbers from a seed: the same in every run (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound).unwrap()).unwrap()
    }
}

/// How many messages.
fn customers() -> u32 {
    let scale = std::env::var_os("BALCAO_GATE_SCALE").and_then(|text| text.to_str()?.parse().ok()).unwrap_or(1);
    CUSTOMERS * scale
}

/// Every message as often as it is delivered, near its place but out of order, cut into batches.
fn deliveries(dice: &mut Dice) -> Vec<Value> {
    let now = webhooks::now();
    let mut all: Vec<(usize, Value)> = Vec::new();
    for round in 0..EACH {
        for customer in 0..customers() {
            let id = format!("wamid.{customer}.{round}");
            let message = json!({ "from": format!("55319{customer:08}"), "from_user_id": format!("BR.{customer}"),
                "id": id, "timestamp": now, "type": "text", "text": { "body": "quais os serviços?" } });
            // Most come once or twice, some often, a few all fifty times.
            let times = match dice.below(100) {
                0 => 50,
                1..=4 => 5 + dice.below(10),
                5..=29 => 2,
                _ => 1,
            };
            let place = all.len();
            for _ in 0..times {
                all.push((place + dice.below(600), message.clone()));
            }
        }
    }
    all.sort_by_key(|(place, _)| *place);
    let mut messages = all.into_iter().map(|(_, message)| message).peekable();
    let mut batches = Vec::new();
    while messages.peek().is_some() {
        let batch: Vec<Value> = messages.by_ref().take(1 + dice.below(20)).collect();
        batches.push(webhooks::envelope("messages", json!({ "messages": batch })));
    }
    batches
}

/// How far deliveries have come.
struct Delivering {
    /// Batches that were begun.
    progress: Arc<AtomicUsize>,
    /// Posts that were not acknowledged.
    refusals: Arc<AtomicUsize>,
    all: std::thread::JoinHandle<()>,
}

/// Delivers everything by eight connections, each batch until it is acknowledged by whatever server is there.
fn deliver(batches: Vec<Value>, addresses: &Arc<Mutex<Vec<String>>>) -> Delivering {
    let (next, refused) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (progress, refusals) = (Arc::clone(&next), Arc::clone(&refused));
    let addresses = Arc::clone(addresses);
    let all = std::thread::spawn(move || {
        let batches = Arc::new(batches);
        std::thread::scope(|scope| {
            for lane in 0..LANES {
                let (batches, next, refused) = (Arc::clone(&batches), Arc::clone(&next), Arc::clone(&refused));
                let addresses = Arc::clone(&addresses);
                scope.spawn(move || {
                    while let Some(batch) = batches.get(next.fetch_add(1, Ordering::SeqCst)) {
                        until_within(PATIENCE, "a batch is acknowledged", || {
                            let to = addresses.lock().unwrap();
                            let to = to.get(lane % to.len().max(1)).cloned().unwrap_or_default();
                            let answer = post(&to, batch, SECRET);
                            refused.fetch_add(usize::from(answer != Some(200)), Ordering::SeqCst);
                            (answer == Some(200)).then_some(())
                        });
                    }
                });
            }
        });
    });
    Delivering { progress, refusals, all }
}

fn gate(shop: &Shop, replicas: usize, database: Option<&OwnServer>) {
    let file = shop.folder.path().join("balcao.toml");
    let config = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, config.replace("burst_window_ms = 0", "burst_window_ms = 300")).unwrap();
    let batches = deliveries(&mut Dice(0x5eed_0000_0000_0005));
    let (count, posts) = (usize::try_from(customers() * EACH).unwrap(), batches.len());
    let mut servers: Vec<Running> = (0..replicas).map(|_| shop.start()).collect();
    let where_they_are = |servers: &[Running]| servers.iter().map(|one| one.address.clone()).collect::<Vec<_>>();
    let addresses = Arc::new(Mutex::new(where_they_are(&servers)));
    let Delivering { progress, refusals, all } = deliver(batches, &addresses);
    for kill in 0..KILLS {
        let goal = posts * usize::try_from(kill + 1).unwrap() / usize::try_from(KILLS + 1).unwrap();
        until_within(PATIENCE, "deliveries go on", || (progress.load(Ordering::SeqCst) >= goal).then_some(()));
        if let Some(database) = database.filter(|_| kill == KILLS / 2) {
            database.stop(Stop::Immediate).unwrap();
            // Long enough that everybody who delivers has come in vain, and again.
            let goal = refusals.load(Ordering::SeqCst) + 2 * LANES;
            until_within(PATIENCE, "posts are refused", || (refusals.load(Ordering::SeqCst) >= goal).then_some(()));
            database.start_again().unwrap();
        }
        servers.remove(0).kill();
        servers.push(shop.start());
        *addresses.lock().unwrap() = where_they_are(&servers);
    }
    all.join().unwrap();
    let refused = refusals.load(Ordering::SeqCst);
    until_within(PATIENCE, "everything is answered and sent", || (shop.left() == 0).then_some(()));
    let rows = shop.count("SELECT COUNT(*) FROM inbox WHERE kind = 'message'");
    assert_eq!(usize::try_from(rows).unwrap(), count, "one row for each message");
    let open = shop.count("SELECT COUNT(*) FROM inbox WHERE state NOT IN ('answered', 'handed_off', 'ignored')");
    let silent = shop.count(
        "SELECT COUNT(*) FROM inbox i JOIN conversation c ON c.id = i.conversation_id
         WHERE i.state = 'ignored' AND c.state = 'ai'",
    );
    assert_eq!((open, silent), (0, 0));
    // Whoever dies twice with a conversation as the only suspect gives it to a person, and a kill makes one suspect die. Nobody is
    // away for a minute, so that nobody is rescued; for a machine that stands still, a tenth may be.
    let handed_over = shop.count("SELECT COUNT(DISTINCT conversation_id) FROM handoff");
    let suspects = i64::from(KILLS / balcao_domain::lease::MAX_BLAME);
    assert!(
        handed_over <= suspects + i64::from(customers() / 10),
        "{handed_over} conversations were given to a person"
    );
    let twice = shop.count(
        "SELECT COUNT(*) FROM (SELECT turn_id FROM outbox WHERE turn_id IS NOT NULL GROUP BY turn_id HAVING COUNT(*) > 1) d",
    );
    let unanswered = shop.count(
        "SELECT COUNT(*) FROM inbox i WHERE i.state IN ('answered', 'handed_off')
         AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.turn_id = i.turn_id)",
    );
    assert_eq!((twice, unanswered), (0, 0), "answered twice, or not at all");
    let mut accepted: BTreeMap<String, u32> = BTreeMap::new();
    for (correlation, _) in shop.accepted() {
        *accepted.entry(correlation).or_default() += 1;
    }
    assert!(accepted.values().all(|times| *times == 1), "sent twice");
    let (turns, unknown) =
        (shop.count("SELECT COUNT(*) FROM turn"), shop.count("SELECT COUNT(*) FROM outbox WHERE state = 'unknown'"));
    let sent = shop.count("SELECT COUNT(*) FROM outbox WHERE state = 'sent'");
    assert!(i64::try_from(accepted.len()).unwrap() >= sent && unknown <= i64::from(KILLS) * 16);
    eprintln!(
        "G-05 on {}: {count} messages in {posts} posts, {refused} posts refused and repeated, {replicas} servers, {KILLS} kills, \
         {turns} turns, {sent} answers sent, {unknown} of unknown outcome, {handed_over} conversations \
         handed over; lost 0, answered twice 0, open 0",
        if database.is_some() { "PostgreSQL" } else { "SQLite" }
    );
}

#[test]
fn g_05_nothing_is_lost_or_answered_twice_sqlite() {
    gate(&shop().with_leases(5), 1, None);
}

#[test]
fn g_05_nothing_is_lost_or_answered_twice_postgres() {
    let Some(database) = OwnServer::start("", &[]) else { return };
    database.run("postgres", "CREATE DATABASE shop").unwrap();
    gate(&shop_at(Some(database.url("shop")), None).with_leases(5), 2, Some(&database));
}
