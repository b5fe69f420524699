use axum::response::IntoResponse;
use balcao_store::{OpenOptions, Store, StoreError};

use super::*;

/// The status, and after how many seconds it is worth coming again.
fn answered(error: StoreError) -> (u16, Option<String>) {
    let response = failed(&UseCaseError::Store(error)).into_response();
    let after = response.headers().get("retry-after").map(|seconds| seconds.to_str().unwrap().to_owned());
    (response.status().as_u16(), after)
}

#[tokio::test]
async fn while_there_is_no_database_or_no_room_in_it_a_caller_is_told_to_come_again() {
    let nowhere = Store::connect("postgres://nobody@127.0.0.1:1/nothing", OpenOptions::default()).unwrap_err();
    assert!(matches!(nowhere, StoreError::CannotConnect { .. }), "{nowhere:?}");
    let small = Store::open_in_memory().unwrap();
    let fills = small.write(|tx| {
        tx.query_one("PRAGMA max_page_count = 4", &[], |row| row.get::<i64>(0))?;
        tx.execute("CREATE TABLE large AS SELECT hex(zeroblob(100000)) AS x", &[])
    });
    let full: StoreError = fills.await.unwrap_err();
    assert!(matches!(full, StoreError::Full { .. }), "{full:?}");
    for error in [nowhere, full, StoreError::Closed] {
        let shown = error.to_string();
        assert_eq!(answered(error), (503, Some("5".to_owned())), "{shown}");
    }
    let mistake = StoreError::NoRow { sql: "SELECT 1".to_owned() };
    assert_eq!(answered(mistake), (500, None), "what is wrong with the program is not mended by coming again");
}
