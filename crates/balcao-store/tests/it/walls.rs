//! What the sources must keep to: one function writes claims, and every repository function is in the contract.

use std::path::{Path, PathBuf};

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
    assert_eq!(writers, [Path::new("balcao-store/src/scheduling/slot_claim.rs")]);
}

/// SQL is written once for two databases, and only a run on both shows that both accept it.
#[test]
fn every_repository_function_is_called_by_a_case_of_the_contract() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let texts = |folder: &str| -> Vec<(String, String)> {
        let files = std::fs::read_dir(crates.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let sources = files.filter(|path| path.extension().is_some_and(|end| end == "rs"));
        let read = |path: PathBuf| {
            let named = if path.ends_with("mod.rs") { path.parent().unwrap() } else { &path };
            (named.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read_to_string(&path).unwrap())
        };
        sources.map(read).collect()
    };
    let contract: String = texts("balcao-testkit/src/contract").into_iter().map(|(_name, text)| text).collect();
    let called = |name: &str| {
        let mut rests = contract.split(name).skip(1);
        rests.any(|rest| rest.starts_with(|next: char| !next.is_alphanumeric() && next != '_'))
    };
    let mut functions = 0;
    let mut missing = Vec::new();
    let contexts = std::fs::read_dir(crates.join("balcao-store/src")).unwrap().map(|entry| entry.unwrap().path());
    let contexts: Vec<PathBuf> = contexts.filter(|path| path.is_dir()).collect();
    for (module, text) in contexts.iter().flat_map(|context| texts(context.to_str().unwrap())) {
        for function in text.split("\npub fn ").skip(1) {
            let (signature, _body) = function.split_once('{').unwrap();
            if signature.contains("tx: &mut Tx<") {
                functions += 1;
                let name = signature.split(['(', '<']).next().unwrap();
                let path = format!("{module}::{name}");
                if !called(&path) {
                    missing.push(path);
                }
            }
        }
    }
    assert!(functions > 100, "{functions}");
    assert_eq!(missing, Vec::<String>::new());
}
