//! What is particular to PostgreSQL. Where there is none, these tests say so and end.

use std::collections::BTreeSet;
use std::time::Duration;

use balcao_domain::FailureClass;
use balcao_store::{
    Backend, DurabilityError, OpenOptions, Store, StoreError, StoreErrorClass, Tx, Value, crm::organization,
    scheduling::appointment, turns::event,
};
use balcao_testkit::contract::deferred::{read_agenda, read_turn, turn_of};
use balcao_testkit::contract::store::{World, at, now, world};
use balcao_testkit::postgres::Database;
use postgres::{Client, NoTls};

use crate::contract::database;
use crate::proxy::{Cut, Proxy};

/// Runs statements beside the store, on a thread without async code.
fn beside(url: &str, sql: &'static str) {
    let url = url.to_owned();
    let run = move || Client::connect(&url, NoTls).unwrap().batch_execute(sql).unwrap();
    std::thread::spawn(run).join().unwrap();
}

async fn push(store: &Store, world: World, kind: &'static str) -> Result<(), StoreError> {
    store.write(move |tx| event::push(tx, world.organization, kind, "x", "{}", now())).await
}

async fn kinds(store: &Store) -> Vec<String> {
    let read = |tx: &mut Tx<'_>| Ok(event::waiting(tx, 100)?.into_iter().map(|event| event.kind).collect());
    store.read(read).await.map_err(|error: StoreError| error).unwrap()
}

#[tokio::test]
async fn f_78_when_every_reader_is_busy_a_write_is_done_all_the_same() {
    let Some((_database, store)) = database() else { return };
    crate::files::nobody_is_kept_from_writing(&store).await;
}

#[test]
fn the_tests_have_a_postgresql() {
    if let Some(database) = Database::migrated() {
        let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
        let Backend::Postgres { place } = store.backend() else { panic!("a PostgreSQL") };
        eprintln!("the store's tests run on PostgreSQL too: {place}");
        assert!(place.contains("balcao_test_"));
    }
}

/// Name, column, and whether it may be null, of every table; primary keys are never null.
async fn columns(store: &Store, sql: &'static str) -> BTreeSet<(String, String, bool)> {
    let read = move |tx: &mut Tx<'_>| tx.query_all(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    store.read(read).await.map_err(|error: StoreError| error).unwrap().into_iter().collect()
}

#[tokio::test]
async fn both_schemas_have_the_same_tables_and_columns() {
    let Some((_database, store)) = database() else { return };
    let sqlite = crate::contract::memory_store().await;
    let ours = columns(
        &sqlite,
        "SELECT t.name, c.name, CASE WHEN c.\"notnull\" = 1 OR c.pk > 0 THEN 0 ELSE 1 END
         FROM sqlite_schema t JOIN pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'knowledge_search%'",
    )
    .await;
    let theirs = columns(
        &store,
        "SELECT table_name::text, column_name::text, CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END
         FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'knowledge_search%'",
    )
    .await;
    assert!(ours.len() > 200, "{}", ours.len());
    assert_eq!(ours.difference(&theirs).collect::<Vec<_>>(), Vec::<&(String, String, bool)>::new());
    assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), Vec::<&(String, String, bool)>::new());
}

/// Named indexes are the same; PostgreSQL's own for keys and constraints have generated names.
#[tokio::test]
async fn both_schemas_have_the_same_indexes() {
    let Some((_database, store)) = database() else { return };
    let sqlite = crate::contract::memory_store().await;
    let names = |store: Store, sql: &'static str| async move {
        let read = move |tx: &mut Tx<'_>| tx.query_all(sql, &[], |row| row.get::<String>(0));
        store.read(read).await.map_err(|error: StoreError| error).unwrap()
    };
    let ours =
        names(sqlite, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name").await;
    let theirs = names(
        store,
        "SELECT c.relname::text COLLATE \"C\" AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE c.relkind = 'i' AND n.nspname = 'public'
           AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('p', 'u', 'x'))
         ORDER BY name",
    )
    .await;
    assert!(ours.len() > 20);
    assert_eq!(ours, theirs);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn programs_that_start_together_migrate_once() {
    let Some(database) = Database::empty() else { return };
    let mut starting = tokio::task::JoinSet::new();
    for _program in 0..4 {
        let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
        starting.spawn(async move { store.migrate().await.unwrap() });
    }
    for status in starting.join_all().await {
        assert!(status.missing.is_empty());
        assert!(status.applied.len() >= 3);
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_a_changed_migration_too() {
    let Some((database, store)) = database() else { return };
    drop(store);
    beside(&database.url, "UPDATE schema_migration SET checksum = checksum || 'x'");
    let error = Store::connect(&database.url, OpenOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::MigrationChanged { .. }), "{error:?}");
    beside(
        &database.url,
        "UPDATE schema_migration SET checksum = left(checksum, -1);
         INSERT INTO schema_migration VALUES (9999123199, 'future', 'x')",
    );
    let error = Store::connect(&database.url, OpenOptions::default()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 9_999_123_199, .. }), "{error:?}");
    assert!(error.to_string().contains("update the program"), "{error}");
}

#[tokio::test]
async fn a_migration_that_fails_leaves_the_schema_as_it_was() {
    let Some(database) = Database::empty() else { return };
    // A table in the way of the script's later part.
    beside(&database.url, "CREATE TABLE effect_ledger (unexpected TEXT)");
    let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
    let error = store.migrate().await.unwrap_err();
    assert!(matches!(error, StoreError::Migration { .. }), "{error:?}");
    assert!(store.schema_status().await.unwrap().applied.is_empty());
    beside(&database.url, "DROP TABLE effect_ledger");
    assert!(store.migrate().await.unwrap().missing.is_empty());
    assert!(store.migrate().await.unwrap().missing.is_empty());
}

#[tokio::test]
async fn a_database_without_its_schema_says_so() {
    let Some(database) = Database::empty() else { return };
    let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
    let error = store.read(organization::list).await.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Older);
    assert!(error.to_string().contains("balcao migrate"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_and_the_password_is_not() {
    let url = "postgres://balcao:s3cret@127.0.0.1:1/shop";
    let error = Store::connect(url, OpenOptions::default()).unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Unavailable);
    let text = format!("{error} {error:?}");
    assert!(text.contains("127.0.0.1:1/shop"), "{text}");
    assert!(!text.contains("s3cret"), "{text}");
}

#[tokio::test]
async fn f_71_another_writer_that_holds_the_lock_is_waited_for_and_then_named() {
    let Some(database) = Database::migrated() else { return };
    let other = Store::connect(&database.url, OpenOptions::default()).unwrap();
    let world = world(&other, "a").await;
    // Another transaction holds the lock until the test releases it, which is after even this short timeout.
    let options = OpenOptions { busy_timeout: Duration::from_millis(50), ..OpenOptions::default() };
    let store = Store::connect(&database.url, options).unwrap();
    let (holds, held) = tokio::sync::oneshot::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let mut holder = tokio::task::JoinSet::new();
    holder.spawn(async move {
        let work = move |_tx: &mut Tx<'_>| {
            holds.send(()).unwrap();
            released.recv().unwrap();
            Ok::<_, StoreError>(())
        };
        other.write(work).await
    });
    held.await.unwrap();
    let error = push(&store, world, "tried").await.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Busy, "{error:?}");
    assert!(kinds(&store).await.is_empty(), "readers do not wait for writers");
    release.send(()).unwrap();
    holder.join_next().await.unwrap().unwrap().unwrap();
    push(&store, world, "kept").await.unwrap();
    assert_eq!(kinds(&store).await, ["kept"]);
}

/// Writers take turns, so that none of ours can conflict with another of ours; other programs' statements still may.
#[tokio::test]
async fn f_71_a_conflict_undoes_the_whole_closure_and_says_that_it_may_be_run_again() {
    let Some((_database, store)) = database() else { return };
    let world = world(&store, "a").await;
    for (code, class) in [
        ("40001", StoreErrorClass::Busy),
        ("40P01", StoreErrorClass::Busy),
        ("55P03", StoreErrorClass::Busy),
        ("57014", StoreErrorClass::Busy),
    ] {
        let conflicts = move |tx: &mut Tx<'_>| {
            event::push(tx, world.organization, "before", "x", "{}", now())?;
            tx.execute(&format!("DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '{code}'; END $$"), &[])
        };
        // Beside others that share its transaction.
        let (one, lost, two) =
            tokio::join!(push(&store, world, "one"), store.write(conflicts), push(&store, world, "two"));
        assert!(one.is_ok() && two.is_ok(), "{code}");
        let error = lost.unwrap_err();
        assert_eq!((error.class(), error.failure()), (class, FailureClass::Transient), "{code}: {error:?}");
        // Run again, it is done once.
        push(&store, world, code).await.unwrap();
    }
    assert_eq!(
        kinds(&store).await,
        ["one", "two", "40001", "one", "two", "40P01", "one", "two", "55P03", "one", "two", "57014"]
    );
}

/// PostgreSQL turns the commit of a broken transaction into a rollback without a word.
#[tokio::test]
async fn a_closure_that_overlooks_an_error_is_not_told_that_it_succeeded() {
    let Some((_database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let overlooks = move |tx: &mut Tx<'_>| {
        event::push(tx, world.organization, "before", "x", "{}", now())?;
        drop(tx.execute("INSERT INTO tag (organization_id, name) VALUES (99, 'x')", &[]));
        Ok::<_, StoreError>(())
    };
    let error = store.write(overlooks).await.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Constraint, "{error:?}");
    // In a group too: the others stay.
    let (one, two, three) =
        tokio::join!(push(&store, world, "one"), store.write(overlooks), push(&store, world, "two"));
    assert!(one.is_ok() && three.is_ok());
    assert_eq!(two.unwrap_err().class(), StoreErrorClass::Constraint);
    assert_eq!(kinds(&store).await, ["one", "two"]);
}

#[tokio::test]
async fn an_attempt_that_fails_leaves_the_transaction_usable() {
    let Some((_database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let work = move |tx: &mut Tx<'_>| {
        event::push(tx, world.organization, "before", "x", "{}", now())?;
        let failed: Result<Result<(), ()>, StoreError> = tx.savepoint(|tx| {
            tx.execute("INSERT INTO tag (organization_id, name) VALUES (99, 'x')", &[])?;
            Ok(Ok(()))
        });
        assert_eq!(failed.unwrap_err().class(), StoreErrorClass::Constraint);
        event::push(tx, world.organization, "after", "x", "{}", now())
    };
    store.write(work).await.unwrap();
    assert_eq!(kinds(&store).await, ["before", "after"]);
}

/// Nothing that the database says about a row repeats what is in it.
#[tokio::test]
async fn an_error_does_not_repeat_the_values_of_a_row() {
    let Some((_database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let twice = move |tx: &mut Tx<'_>| {
        let (sql, own) =
            ("INSERT INTO tag (organization_id, name) VALUES (?1, 'Maria da Silva')", Value::from(world.organization));
        tx.execute(sql, std::slice::from_ref(&own))?;
        tx.execute(sql, &[own])
    };
    let error = store.write(twice).await.unwrap_err();
    assert!(error.is_unique_violation());
    assert!(!format!("{error} {error:?}").contains("Maria"), "{error:?}");
}

#[tokio::test]
async fn a_read_transaction_cannot_write_by_any_way() {
    let Some((_database, store)) = database() else { return };
    world(&store, "a").await;
    let sneaks = |tx: &mut Tx<'_>| {
        tx.query_one("INSERT INTO tag (organization_id, name) VALUES (1, 'x') RETURNING id", &[], |row| {
            row.get::<i64>(0)
        })
    };
    let error = store.read(sneaks).await.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::ReadOnly, "{error:?}");
}

#[tokio::test]
async fn a_text_with_nul_is_stored_without_it() {
    let Some((_database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let write = move |tx: &mut Tx<'_>| event::push(tx, world.organization, "a\0b", "x", "{}", now());
    store.write(write).await.map_err(|error: StoreError| error).unwrap();
    assert_eq!(kinds(&store).await, ["a\u{fffd}b"]);
}

const END_ALL: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()";

#[tokio::test]
async fn a_connection_that_was_ended_while_it_idled_is_made_anew() {
    let Some((database, store)) = database() else { return };
    let world = world(&store, "a").await;
    assert!(kinds(&store).await.is_empty());
    for kind in ["first", "second"] {
        beside(&database.url, END_ALL);
        push(&store, world, kind).await.unwrap();
        beside(&database.url, END_ALL);
        assert!(kinds(&store).await.contains(&kind.to_owned()));
    }
}

#[tokio::test]
async fn a_connection_that_is_lost_in_a_transaction_undoes_it() {
    let Some((database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let url = database.url.clone();
    let cut = move |tx: &mut Tx<'_>| {
        event::push(tx, world.organization, "undone", "x", "{}", now())?;
        beside(&url, END_ALL);
        organization::get(tx, world.organization)
    };
    let error = store.write(cut).await.unwrap_err();
    assert!(matches!(error, StoreError::Disconnected { .. }), "{error:?}");
    push(&store, world, "kept").await.unwrap();
    assert_eq!(kinds(&store).await, ["kept"]);
}

/// Else it would be asked for twice.
#[tokio::test]
async fn what_was_read_ahead_is_not_asked_for_again() {
    let Some((database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let begins = store.write(move |tx| turn_of(tx, world)).await.map_err(|error: StoreError| error).unwrap();
    let url = database.url.clone();
    let agenda = move |tx: &mut Tx<'_>| {
        let first = read_agenda(tx, world, true)?;
        beside(&url, END_ALL);
        Ok((first, read_agenda(tx, world, true)?))
    };
    let (first, second) = store.read(agenda).await.map_err(|error: StoreError| error).unwrap();
    assert_eq!(first, second);
    let url = database.url.clone();
    let turn = move |tx: &mut Tx<'_>| {
        let first = read_turn(tx, &begins, true)?;
        beside(&url, END_ALL);
        Ok((first, read_turn(tx, &begins, true)?, organization::find_by_slug(tx, "a").is_err()))
    };
    let (first, second, is_cut) = store.read(turn).await.map_err(|error: StoreError| error).unwrap();
    assert_eq!(first, second);
    assert!(is_cut, "the connection was there all the time");
}

/// A closure that waits in the same group runs on the next connection.
#[tokio::test]
async fn a_connection_that_is_lost_takes_only_the_closure_that_ran() {
    let Some((database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let url = database.url.clone();
    let (begun, begins) = tokio::sync::oneshot::channel();
    let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
    let first = store.write(move |_tx| {
        begun.send(()).unwrap();
        goes_on.recv().unwrap();
        Ok::<_, StoreError>(())
    });
    let cut = move |tx: &mut Tx<'_>| {
        beside(&url, END_ALL);
        event::push(tx, world.organization, "undone", "x", "{}", now())
    };
    // While the first one runs the others queue up, and become a group.
    let others = async {
        begins.await.unwrap();
        let queued = async { tokio::join!(store.write(cut), push(&store, world, "one"), push(&store, world, "two")) };
        let release = async { go_on.send(()).unwrap() };
        tokio::join!(queued, release).0
    };
    let (first, (cut, one, two)) = tokio::join!(first, others);
    assert!(first.is_ok() && one.is_ok() && two.is_ok(), "{first:?} {one:?} {two:?}");
    assert!(matches!(cut, Err(StoreError::Disconnected { .. })), "{cut:?}");
    assert_eq!(kinds(&store).await, ["one", "two"]);
}

/// The connection is cut before the server reads `COMMIT`, or before its answer comes: the store cannot know which, and says so.
#[tokio::test]
async fn f_72_a_commit_whose_answer_is_lost_is_unknown() {
    for (cut, stays) in [(Cut::BeforeCommit, false), (Cut::BeforeItsAnswer, true)] {
        let Some((database, direct)) = database() else { return };
        let world = world(&direct, "a").await;
        let proxy = Proxy::start(&database.url);
        let store = Store::connect(&proxy.url, OpenOptions::default()).unwrap();
        push(&store, world, "before").await.unwrap();
        proxy.cut(cut);
        let error = push(&store, world, "unknown").await.unwrap_err();
        assert!(matches!(error, StoreError::CommitUnknown { .. }), "{error:?}");
        assert_eq!(error.class(), StoreErrorClass::Unknown);
        push(&store, world, "after").await.unwrap();
        let expected: &[&str] = if stays { &["before", "unknown", "after"] } else { &["before", "after"] };
        assert_eq!(kinds(&direct).await, expected, "{cut:?}");
    }
}

/// Two replicas, 64 callers, one slot a round: always exactly one gets it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f_155_sixty_four_callers_of_two_replicas_never_book_one_slot_twice() {
    let Some((database, first)) = database() else { return };
    let second = Store::connect(&database.url, OpenOptions::default()).unwrap();
    let world = world(&first, "a").await;
    let rounds = 30;
    for hour in 0..rounds {
        let mut fight = tokio::task::JoinSet::new();
        for caller in 0..64_usize {
            let store = if caller % 2 == 0 { first.clone() } else { second.clone() };
            fight.spawn(async move {
                let mut new = at(world, caller / 2 % 2, hour);
                new.attendee = Some(caller.to_string());
                let book = move |tx: &mut Tx<'_>| appointment::insert(tx, world.organization, &new, now());
                store.write(book).await.map_err(|error: StoreError| error).unwrap().is_some()
            });
        }
        let won = fight.join_all().await;
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "round {hour}");
    }
    let own = [Value::from(world.organization)];
    let count = |sql: &'static str| {
        let own = own.clone();
        first.read(move |tx| tx.query_one::<i64>(sql, &own, |row| row.get(0)))
    };
    let overlaps = "SELECT count(*) FROM appointment a JOIN appointment b ON a.id < b.id AND a.professional_id = b.professional_id
        AND a.occupied_from < b.occupied_to AND b.occupied_from < a.occupied_to WHERE a.status <> 'cancelled' AND b.status <> 'cancelled'
        AND a.organization_id = ?1";
    let found: Result<i64, StoreError> = count("SELECT count(*) FROM appointment WHERE organization_id = ?1").await;
    assert_eq!(found.unwrap(), rounds);
    let found: Result<i64, StoreError> = count(overlaps).await;
    assert_eq!(found.unwrap(), 0);
}

/// The exclusion constraint stands behind the claims, also against writers that are not this program.
#[tokio::test]
async fn the_database_itself_refuses_an_overlap() {
    let Some((_database, store)) = database() else { return };
    let world = world(&store, "a").await;
    let book = move |tx: &mut Tx<'_>| appointment::insert(tx, world.organization, &at(world, 0, 10), now());
    store.write(book).await.map_err(|error: StoreError| error).unwrap();
    let copy = move |tx: &mut Tx<'_>| {
        tx.execute(
            "INSERT INTO appointment (organization_id, contact_id, professional_id, service_name, starts_at, ends_at,
                                      occupied_from, occupied_to, seat, status, price_cents, source, created_at)
             SELECT organization_id, contact_id, professional_id, service_name, starts_at + 1, ends_at, occupied_from,
                    occupied_to, seat, status, price_cents, source, created_at FROM appointment
             WHERE organization_id = ?1",
            &[Value::from(world.organization)],
        )
    };
    let error = store.write(copy).await.unwrap_err();
    assert!(error.to_string().contains("appointment_overlaps_another"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_forgets_is_told_from_one_that_keeps() {
    for (settings, expected) in [
        // What the servers of the tests are set to.
        (
            "",
            vec![
                DurabilityError::NotDurable { setting: "fsync" },
                DurabilityError::NotDurable { setting: "full_page_writes" },
            ],
        ),
        ("fsync = on\nfull_page_writes = on", Vec::new()),
    ] {
        let Some(server) = balcao_testkit::postgres::OwnServer::start(settings, &[]) else { return };
        let store = Store::connect(&server.url("postgres"), OpenOptions::default()).unwrap();
        assert_eq!(store.soundness().await.unwrap(), expected);
        assert_eq!(store.damages(true).await.unwrap(), Vec::<String>::new());
        assert!(store.serve_alone().unwrap().is_none(), "any number serves from a server");
    }
}
