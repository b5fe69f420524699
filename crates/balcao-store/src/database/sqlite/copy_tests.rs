use super::*;

#[test]
fn a_copy_that_was_stopped_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let [from, to, draft] = ["balcao.db", "copy.db", "copy.db.part"].map(|name| folder.path().join(name));
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let source = Connection::open_with_flags(&from, flags).unwrap();
    source.execute_batch("CREATE TABLE one (id INTEGER); INSERT INTO one VALUES (1)").unwrap();
    let stop = Stop::default();
    stop.ask();
    // What an earlier copy left does not stay either.
    std::fs::write(&draft, "broken off").unwrap();
    let stopped = copy(&from, &to, &stop);
    assert!(matches!(stopped, Err(StoreError::Closed)), "{stopped:?}");
    assert!(!to.exists() && !draft.exists());
    copy(&from, &to, &Stop::default()).unwrap();
    assert!(to.exists() && !draft.exists());
}
