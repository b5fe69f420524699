//! Conversations with the offline model over a small fake business: the scenarios in `../shared/material` and our own.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr, reason = "tests")]

mod contract;
mod fake;
mod story;

use std::path::{Path, PathBuf};

use serde_json::Value;

fn material(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material").join(path)
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

fn report(results: Vec<Result<(), String>>) {
    let total = results.len();
    let failed: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(failed.is_empty(), "{} of {total} failed\n{}", failed.len(), failed.join("\n\n"));
}

async fn play_material(structured: bool) {
    let folder = material("conversations");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        balcao_skip::skip(&format!("{} is missing", folder.display()));
        return;
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    let mut results = Vec::new();
    for path in paths {
        let scenario = yaml(&std::fs::read_to_string(&path).unwrap());
        let business = material(&format!("business/{}.yaml", scenario["business"].as_str().unwrap()));
        let business = yaml(&std::fs::read_to_string(business).unwrap());
        results.push(story::play(&scenario, &business, structured).await);
    }
    report(results);
}

#[tokio::test]
async fn the_materials_conversations_in_the_native_protocol() {
    play_material(false).await;
}

#[tokio::test]
async fn the_materials_conversations_in_the_structured_protocol() {
    play_material(true).await;
}

#[tokio::test]
async fn our_own_conversations() {
    let stories = yaml(include_str!("stories.yaml"));
    let mut results = Vec::new();
    for scenario in stories["scenarios"].as_array().unwrap() {
        let business = &stories["businesses"][scenario["business"].as_str().unwrap()];
        results.push(story::play(scenario, business, false).await);
        results.push(story::play(scenario, business, true).await);
    }
    assert!(results.len() >= 60);
    report(results);
}
