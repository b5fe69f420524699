//! Row-level security on PostgreSQL: what a statement does not name, it does not see.

use std::collections::BTreeSet;

use balcao_store::{OpenOptions, Store, StoreError, Tx, Value, crm::contact, crm::organization};
use balcao_testkit::contract::store::world;
use balcao_testkit::postgres::Database;

use crate::contract::database;

/// What a query gives, by whatever handle.
async fn texts(store: &Store, sql: &'static str, values: Vec<Value<'static>>) -> Result<Vec<String>, StoreError> {
    store.read(move |tx: &mut Tx<'_>| tx.query_all(sql, &values, |row| row.get(0))).await
}

#[tokio::test]
async fn g_10_every_table_that_carries_the_organization_is_walled_off() {
    let Some((_database, store)) = database() else { return };
    let walled = "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relrowsecurity AND c.relforcerowsecurity
                    AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid)";
    let all = "SELECT table_name::text FROM information_schema.tables
               WHERE table_schema = 'public' AND table_type = 'BASE TABLE'";
    let walled: BTreeSet<String> = texts(&store, walled, vec![]).await.unwrap().into_iter().collect();
    let all: BTreeSet<String> = texts(&store, all, vec![]).await.unwrap().into_iter().collect();
    let open: Vec<&String> = all.difference(&walled).collect();
    // An installation and a migration belong to no organization, and a stray event is for an account that no organization has.
    assert_eq!(
        open,
        ["installation", "schema_migration", "service_mark", "stray_event"],
        "call balcao_wall_off in the migration"
    );
    assert!(walled.len() > 40, "{}", walled.len());
}

#[tokio::test]
async fn g_10_a_statement_without_the_organization_sees_nothing_and_with_one_nothing_of_another() {
    let Some((_database, store)) = database() else { return };
    let (first, second) = (world(&store, "first").await, world(&store, "second").await);
    let names = "SELECT CAST(organization_id AS TEXT) FROM contact ORDER BY id";
    assert_eq!(texts(&store, names, vec![]).await.unwrap(), Vec::<String>::new());
    let sees = |id: balcao_domain::OrganizationId| {
        // The parameter names the organization; the statement's text forgets it.
        let forgets = "SELECT CAST(organization_id AS TEXT) FROM contact WHERE ?1 > 0 ORDER BY id";
        texts(&store, forgets, vec![Value::from(id)])
    };
    for one in [first, second] {
        let found = sees(one.organization).await.unwrap();
        assert_eq!(found, vec![i64::from(one.organization).to_string(); 2]);
    }
    // One transaction, one organization after the other, and then none.
    let (a, b) = (first.organization, second.organization);
    let counts = store.read(move |tx: &mut Tx<'_>| {
        let mut count = |sql: &str, values: &[Value<'_>]| tx.query_one(sql, values, |row| row.get::<i64>(0));
        let named = "SELECT COUNT(*) FROM contact WHERE organization_id = ?1";
        Ok::<_, StoreError>([count(named, &[Value::from(a)])?, count(named, &[Value::from(b)])?])
    });
    assert_eq!(counts.await.unwrap(), [2, 2]);
}

#[tokio::test]
async fn g_10_a_row_cannot_be_written_for_another_organization_or_moved_to_it() {
    let Some((_database, store)) = database() else { return };
    let (first, second) = (world(&store, "first").await, world(&store, "second").await);
    let (own, other) = (first.organization, second.organization);
    for sql in [
        "UPDATE contact SET organization_id = ?2 WHERE organization_id = ?1",
        "INSERT INTO tag (organization_id, name) SELECT ?2, 'x' FROM organization WHERE id = ?1",
    ] {
        let write =
            store.write(move |tx: &mut Tx<'_>| tx.execute(sql, &[Value::from(own), Value::Integer(other.into())]));
        let error: StoreError = write.await.unwrap_err();
        assert!(error.to_string().contains("refused"), "{error}");
    }
    // What is not seen is not deleted.
    let gone = store.write(move |tx: &mut Tx<'_>| tx.execute("DELETE FROM contact WHERE ?1 > 0", &[Value::from(own)]));
    let gone: Result<usize, StoreError> = gone.await;
    assert_eq!(gone.unwrap(), 2);
    let left = store.read(move |tx: &mut Tx<'_>| contact::list(tx, other, None, 10));
    assert_eq!(left.await.map_err(|error: StoreError| error).unwrap().len(), 2);
}

/// Closures that share a commit, and a savepoint that was undone, leave no organization behind for the next.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_10_an_organization_ends_with_its_closure() {
    let Some((_database, store)) = database() else { return };
    let shop = world(&store, "first").await;
    let mut writes = tokio::task::JoinSet::new();
    for number in 0..60_u32 {
        let (store, organization) = (store.clone(), shop.organization);
        writes.spawn(async move {
            let work = move |tx: &mut Tx<'_>| {
                if number % 2 == 0 {
                    organization::get(tx, organization)?;
                    if number % 4 == 0 {
                        return Err(StoreError::Closed);
                    }
                    return Ok(0);
                }
                tx.query_one("SELECT COUNT(*) FROM contact", &[], |row| row.get::<i64>(0))
            };
            store.write(work).await.unwrap_or(0)
        });
    }
    assert_eq!(writes.join_all().await.into_iter().sum::<i64>(), 0);
    let organization = shop.organization;
    let seen = store.write(move |tx: &mut Tx<'_>| {
        let undone: Result<Result<(), ()>, StoreError> = tx.savepoint(|tx| {
            organization::get(tx, organization)?;
            Ok(Err(()))
        });
        assert_eq!(undone.unwrap(), Err(()));
        tx.query_one("SELECT COUNT(*) FROM contact", &[], |row| row.get::<i64>(0))
    });
    assert_eq!(seen.await.map_err(|error: StoreError| error).unwrap(), 0);
}

#[tokio::test]
async fn a_superuser_is_told_from_a_user_whom_the_walls_hold() {
    let Some(database) = Database::migrated() else { return };
    for (url, held) in [(&database.url, true), (&database.admin_url, false)] {
        let store = Store::connect(url, OpenOptions::default()).unwrap();
        let found = store.read(|tx: &mut Tx<'_>| organization::walls_hold(tx)).await;
        assert_eq!(found.map_err(|error: StoreError| error).unwrap(), held);
    }
}
