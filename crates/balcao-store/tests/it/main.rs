//! The store against its contract, and what is particular to SQLite files.
#![expect(clippy::unwrap_used, reason = "tests")]

mod files;
mod walls;

use balcao_store::{OpenOptions, Store};
use balcao_testkit::contract::{Case, delivery, outbox, store};

fn all() -> impl Iterator<Item = Case> {
    store::all().into_iter().chain(delivery::all()).chain(outbox::all())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_in_a_file_keeps_the_contract() {
    for (name, case) in all() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
        store.migrate().await.unwrap();
        eprintln!("{name}");
        case(store).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_in_memory_keeps_the_contract() {
    for (name, case) in all() {
        let store = Store::open_in_memory().unwrap();
        store.migrate().await.unwrap();
        eprintln!("{name}");
        case(store).await;
    }
}
