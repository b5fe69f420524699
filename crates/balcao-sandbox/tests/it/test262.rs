//! The string tests of test262, where `../shared/material` holds them.

use std::{fs, path::Path};

use balcao_sandbox::Helper;
use serde_json::json;

use crate::{generous, sandbox};

/// Tests of what a helper does not have.
const SKIPPED: &[(&str, &str)] = &[("toLowerCase-S15.5.4.16_A1_T3.js", "calls eval, which helpers lack")];

#[tokio::test]
async fn the_string_tests_of_test262_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material/unicode");
    if !folder.exists() {
        balcao_skip::skip(&format!("{} is missing", folder.display()));
        return;
    }
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let harness: String = ["assert.js", "sta.js", "compareArray.js", "propertyHelper.js", "isConstructor.js"]
        .map(|file| read(&folder.join("harness").join(file)))
        .concat();
    let mut files: Vec<_> = fs::read_dir(folder.join("test262")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut passed = 0;
    for path in &files {
        let name = path.file_name().unwrap().to_str().unwrap();
        if SKIPPED.iter().any(|(skipped, _)| *skipped == name) {
            continue;
        }
        let source = format!("export default () => {{\n{harness}\n{}\n; return 'passed' }}", read(path));
        let value = sandbox(vec![Helper::javascript("it", name, &source)]).call(&generous("it", &[])).await;
        assert_eq!(value.unwrap_or_else(|error| json!(error.to_string())), json!("passed"), "{name}");
        passed += 1;
    }
    assert_eq!(passed + SKIPPED.len(), files.len());
    assert!(passed > 20, "{passed}");
}

/// Every line of the Unicode consortium's test: five columns, source, NFC, NFD, NFKC, NFKD.
#[tokio::test]
async fn every_normalisation_of_the_unicode_test_is_right() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material/unicode/NormalizationTest-half.txt");
    let Ok(text) = fs::read_to_string(&path) else {
        balcao_skip::skip(&format!("{} is missing", path.display()));
        return;
    };
    let decoded = |column: &str| -> String {
        column.split(' ').map(|code| char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap()).collect()
    };
    let rows: Vec<Vec<String>> = text
        .lines()
        .filter(|line| line.starts_with(|first: char| first.is_ascii_hexdigit()))
        .map(|line| line.split(';').take(5).map(decoded).collect())
        .collect();
    assert!(rows.len() > 5_000, "{}", rows.len());
    let source = r#"(rows) => rows.filter(([s, c, d, kc, kd]) => s.normalize() !== c || s.normalize("NFD") !== d || s.normalize("NFKC") !== kc || s.normalize("NFKD") !== kd)"#;
    let sandbox = crate::one(source);
    for some in rows.chunks(1_000) {
        assert_eq!(sandbox.call(&generous("it", &[json!(some)])).await.unwrap(), json!([]));
    }
}
