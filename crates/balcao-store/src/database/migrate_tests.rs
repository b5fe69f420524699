use std::path::Path;

use super::{MIGRATIONS, SQLITE_SCHEMA, apply};
use crate::{Store, StoreError};

/// Every statement that made a table, an index or a trigger, in the order in which they were made. The tables behind a search are made
/// with it.
fn statements(store: &Store) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'schema_migration'
               AND name NOT LIKE 'knowledge!_search!_%' ESCAPE '!' ORDER BY rowid";
    let read = store.read(move |tx| tx.query_all(sql, &[], |row| row.get(0)));
    runtime.block_on(read).map_err(|error: StoreError| error).unwrap()
}

/// An empty file that went through one migration after another.
fn migrated_step_by_step() -> Store {
    let store = Store::open_in_memory().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let names: Vec<&'static str> = MIGRATIONS.iter().map(|migration| migration.name).collect();
    let table =
        "CREATE TABLE schema_migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)";
    let migrated = store.write(move |tx| tx.execute(table, &[]).and_then(|_rows| apply(tx, &names)));
    runtime.block_on(migrated).unwrap();
    store
}

#[test]
fn the_schema_of_an_empty_file_is_what_all_migrations_make() {
    let made = statements(&migrated_step_by_step());
    let text: String =
        std::iter::once("-- What all migrations together make. Not edited by hand: its test writes it.\n".to_owned())
            .chain(made.iter().map(|statement| format!("{statement};\n")))
            .collect();
    if std::env::var_os("BALCAO_WRITE_SCHEMA").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/sqlite.sql"), &text).unwrap();
    }
    assert!(
        text == SQLITE_SCHEMA,
        "schema/sqlite.sql is not what the migrations make; write it with `BALCAO_WRITE_SCHEMA=1 cargo test -p balcao-store --lib schema_of`"
    );
    let created = Store::open_in_memory().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert!(runtime.block_on(created.migrate()).unwrap().missing.is_empty());
    assert_eq!(statements(&created), made);
}
