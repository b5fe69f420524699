use std::collections::BTreeSet;

use super::{Document, scores};

/// FTS5 is the reference: the same documents and terms give the same scores.
#[test]
fn scores_are_those_of_fts5() {
    let documents: &[Document<'_>] = &[
        ["estacion", "tem estacion na rua de tras e na rua do lado", "local"],
        ["pagament", "cart pix dinheir", "pagament"],
        ["cancel", "avis antes", ""],
        ["pix", "a chav pix e o telefon pix", "pagament"],
        ["rua", "fica na rua da igreja", "local"],
    ];
    let memory = rusqlite::Connection::open_in_memory().unwrap();
    memory.execute_batch("CREATE VIRTUAL TABLE search USING fts5 (title, content, category)").unwrap();
    for document in documents {
        memory.execute("INSERT INTO search VALUES (?1, ?2, ?3)", *document).unwrap();
    }
    for query in [&["rua"][..], &["pix"], &["pix", "rua"], &["rua", "antes", "local"], &["pagament", "na", "x"]] {
        let terms: BTreeSet<&str> = query.iter().copied().collect();
        let ours = scores(&terms, documents, [4.0, 1.0, 2.0]);
        for (rowid, ours) in (1_i64..).zip(ours) {
            let theirs: Option<f64> = memory
                .query_row(
                    "SELECT -bm25(search, 4.0, 1.0, 2.0) FROM search WHERE search MATCH ?1 AND rowid = ?2",
                    (query.join(" OR "), rowid),
                    |row| row.get(0),
                )
                .ok();
            let same = match (ours, theirs) {
                (Some(ours), Some(theirs)) => (ours - theirs).abs() < 1e-9,
                (ours, theirs) => ours == theirs,
            };
            assert!(same, "{query:?} in {rowid}: {ours:?}, {theirs:?}");
        }
    }
}

#[test]
fn without_documents_or_hits_there_is_nothing() {
    let terms = BTreeSet::from(["pix"]);
    assert!(scores(&terms, &[], [1.0; 3]).is_empty());
    assert_eq!(scores(&terms, &[["", "", ""]], [1.0; 3]), [None]);
}
