use std::collections::BTreeSet;

use super::CLAIMS;
use crate::{Store, StoreError, Tx};

/// Columns with the name of a claim that are none: no process that died leaves them behind.
const NO_CLAIMS: [(&str, &str); 9] = [
    ("attachment", "awaited_until"),
    ("attachment", "not_before"),
    ("calendar_event", "not_before"),
    ("dispatch", "not_before"),
    ("outbox", "not_before"),
    ("pause", "until"),
    ("throttle", "until"),
    ("waitlist_offer", "held_until"),
    ("webhook_delivery", "not_before"),
];

fn columns_with_the_name_of_a_claim(store: &Store) -> BTreeSet<(String, String)> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let sql = "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
               WHERE t.type = 'table' AND (c.name LIKE '%until' OR c.name = 'not_before')";
    let read = store.read(move |tx: &mut Tx<'_>| tx.query_all(sql, &[], |row| Ok((row.get(0)?, row.get(1)?))));
    runtime.block_on(read).map_err(|error: StoreError| error).unwrap().into_iter().collect()
}

#[test]
fn every_claim_of_the_schema_is_taken_over() {
    let store = Store::open_in_memory().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.migrate()).unwrap();
    let claims = CLAIMS.map(|claim| (claim.table, claim.column));
    let known: BTreeSet<(String, String)> =
        claims.into_iter().chain(NO_CLAIMS).map(|(table, column)| (table.to_owned(), column.to_owned())).collect();
    assert_eq!(known.len(), CLAIMS.len() + NO_CLAIMS.len(), "a column is a claim or none");
    assert_eq!(columns_with_the_name_of_a_claim(&store), known, "name a new column in `CLAIMS` or in `NO_CLAIMS`");
}
