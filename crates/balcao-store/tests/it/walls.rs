//! One function writes claims; this searches the sources for another.

use std::path::Path;

#[test]
fn only_one_function_writes_claims() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut writers = Vec::new();
    let mut folders = vec![crates.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests/it/walls.rs") {
                let text = std::fs::read_to_string(&path).unwrap().to_lowercase();
                let words: Vec<&str> = text.split_whitespace().collect();
                let writes = |verb: &str, preposition: &str| {
                    words.windows(3).any(|three| {
                        three[0].ends_with(verb) && three[1] == preposition && three[2].starts_with("slot_claim")
                    })
                };
                if writes("insert", "into") || writes("replace", "into") || text.contains("update slot_claim") {
                    writers.push(path.strip_prefix(crates).unwrap().to_owned());
                }
            }
        }
    }
    assert_eq!(writers, [Path::new("balcao-store/src/claims.rs")]);
}
