//! Files that cannot be used, and what staff are told.

use std::path::Path;
use std::time::Duration;

use balcao_store::{OpenOptions, Store, StoreError, StoreErrorClass};
use rusqlite::OpenFlags;

fn plain(path: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
        .unwrap()
}

async fn touch(store: &Store) -> Result<usize, StoreError> {
    store.write(|tx| tx.execute("UPDATE organization SET name = name", &[])).await
}

#[tokio::test]
async fn a_file_keeps_what_was_written_after_it_was_closed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balcao.db");
    for round in 0..3_i64 {
        let store = Store::open(&path, OpenOptions::default()).unwrap();
        let status = store.migrate().await.unwrap();
        assert!(status.missing.is_empty());
        let before: i64 = store
            .read(|tx| tx.query_one("SELECT COUNT(*) FROM event", &[], |row| row.get(0)))
            .await
            .map_err(|error: StoreError| error)
            .unwrap();
        assert_eq!(before, round);
        let world = if round == 0 { Some(balcao_testkit::contract::store::world(&store, "a").await) } else { None };
        let organization =
            world.map_or(balcao_domain::OrganizationId::try_from(1).unwrap(), |world| world.organization);
        let now = balcao_testkit::contract::store::now();
        let push = store.write(move |tx| balcao_store::event::push(tx, organization, "x", "y", "{}", now)).await;
        push.map_err(|error: StoreError| error).unwrap();
    }
}

#[tokio::test]
async fn another_program_that_holds_the_lock_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balcao.db");
    let options = OpenOptions { busy_timeout: Duration::from_millis(20), ..OpenOptions::default() };
    let store = Store::open(&path, options).unwrap();
    store.migrate().await.unwrap();
    let other = plain(&path);
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = touch(&store).await.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Busy);
    assert!(error.to_string().contains("locked by another program"), "{error}");
    other.execute_batch("COMMIT").unwrap();
    touch(&store).await.unwrap();
}

#[test]
fn a_file_that_is_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balcao.db");
    std::fs::write(&path, "this is a shopping list, not a database\n".repeat(200)).unwrap();
    let error = Store::open(&path, OpenOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error:?}");
    assert!(error.to_string().contains("is not a database"), "{error}");
}

#[test]
fn a_missing_folder_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = Store::open(&folder.path().join("data/balcao.db"), OpenOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::MissingDirectory { .. }), "{error:?}");
    let error = Store::open(folder.path(), OpenOptions::default()).unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Unavailable);
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_a_changed_migration_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balcao.db");
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    let applied = store.migrate().await.unwrap().applied;
    drop(store);
    let other = plain(&path);
    other.execute_batch("UPDATE schema_migration SET checksum = 'x'").unwrap();
    let error = Store::open(&path, OpenOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::MigrationChanged { .. }), "{error:?}");
    for migration in &applied {
        let restore = "UPDATE schema_migration SET checksum = ?1 WHERE version = ?2";
        other.execute(restore, (&migration.checksum, migration.version)).unwrap();
    }
    Store::open(&path, OpenOptions::default()).unwrap();
    other.execute_batch("INSERT INTO schema_migration VALUES (9999123199, 'future', 'x')").unwrap();
    let error = Store::open(&path, OpenOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 9_999_123_199, .. }), "{error:?}");
    assert!(error.to_string().contains("update the program"), "{error}");
}

#[tokio::test]
async fn a_migration_that_fails_leaves_the_schema_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balcao.db");
    // A table in the way of the script's later part.
    plain(&path).execute_batch("CREATE TABLE effect_ledger (unexpected TEXT)").unwrap();
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    let error = store.migrate().await.unwrap_err();
    assert!(matches!(error, StoreError::Migration { .. }), "{error:?}");
    assert!(store.schema_status().await.unwrap().applied.is_empty());
    let tables: i64 = plain(&path)
        .query_row("SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 1);
    plain(&path).execute_batch("DROP TABLE effect_ledger").unwrap();
    assert!(store.migrate().await.unwrap().missing.is_empty());
    assert!(store.migrate().await.unwrap().missing.is_empty());
}

#[tokio::test]
async fn a_database_without_its_schema_says_so() {
    let store = Store::open_in_memory().unwrap();
    let error = touch(&store).await.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Older);
    assert!(error.to_string().contains("balcao migrate"), "{error}");
}

#[tokio::test]
async fn the_settings_are_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    let setting = |name: &'static str| {
        store.write(move |tx| tx.query_one::<i64>(&format!("SELECT * FROM pragma_{name}"), &[], |row| row.get(0)))
    };
    for (name, value) in [("synchronous", 2), ("foreign_keys", 1), ("mmap_size", 0), ("busy_timeout", 5000)] {
        let found = setting(name).await.map_err(|error: StoreError| error);
        // SQLite has no table for some pragmas; those were read back when the file was opened.
        if let Ok(found) = found {
            assert_eq!(found, value, "{name}");
        }
    }
    let mode: Result<String, StoreError> =
        store.write(|tx| tx.query_one("SELECT * FROM pragma_journal_mode", &[], |row| row.get(0))).await;
    assert_eq!(mode.unwrap(), "wal");
}

#[tokio::test]
async fn a_full_disk_undoes_the_transaction_and_the_next_one_works() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("balcao.db");
    let store = Store::open(&path, OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    let world = balcao_testkit::contract::store::world(&store, "a").await;
    let limit: Result<i64, StoreError> = store
        .write(|tx| {
            let pages: i64 = tx.query_one("SELECT * FROM pragma_page_count", &[], |row| row.get(0))?;
            tx.query_one(&format!("PRAGMA max_page_count = {}", pages + 2), &[], |row| row.get(0))
        })
        .await;
    limit.unwrap();
    let large = "x".repeat(1_000_000);
    let result: Result<(), StoreError> = store
        .write(move |tx| {
            balcao_store::event::push(tx, world.organization, "x", &large, "{}", balcao_testkit::contract::store::now())
        })
        .await;
    let error = result.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Full, "{error:?}");
    touch(&store).await.unwrap();
}
