//! Loading ClickUp ≤ 50 ms, resolving cold ≤ 5 ms and cached ≤ 100 µs, extraction of a task with 20 custom fields ≤ 1 ms.
//! Cold: the pack has no prepared pieces and no token counts yet; the vocabulary is loaded, as in a running server.
#![expect(clippy::unwrap_used, reason = "a bench")]

use std::path::Path;

use balcao_pack::{
    Handlers, LoadedPack, Loader,
    process::ProcessContext,
    resolve::{O200k, Question, Tokens},
};
use balcao_sandbox::Launcher;
use balcao_tool::Locale;
use divan::{Bencher, black_box};
use serde_json::{Value, json};

fn main() {
    divan::main();
}

fn load() -> LoadedPack {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup");
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_pack-test-worker"), &[]);
    Loader::new(Handlers::new()).describing().helpers_in(launcher, 2).load_folder(&folder).unwrap()
}

const QUESTION: Question<'_> =
    Question { command: Some("create_task"), words: "cria uma tarefa", budget: 2_000, locale: Locale::PtBr };

#[divan::bench]
fn load_clickup(bencher: Bencher<'_, '_>) {
    bencher.bench_local(load);
}

#[divan::bench]
fn resolve_cold(bencher: Bencher<'_, '_>) {
    black_box(O200k::default().count("warm"));
    let fresh = || (load(), O200k::default());
    bencher.with_inputs(fresh).bench_local_refs(|(pack, tokens)| pack.resolve(&QUESTION, tokens).unwrap().tokens);
}

#[divan::bench]
fn resolve_cached(bencher: Bencher<'_, '_>) {
    let (pack, tokens) = (load(), O200k::default());
    bencher.bench_local(|| pack.resolve(&QUESTION, &tokens).unwrap().tokens);
}

/// A task as `get_task` gives it, with every type of field, 20 of them.
fn task(pack: &LoadedPack) -> Value {
    let types = pack.pack.field_mappings.get("custom_fields").unwrap();
    let fields: Vec<Value> = types
        .iter()
        .take(20)
        .map(|(name, mapping)| {
            let mut field = mapping.example.clone();
            let field_of = field.as_object_mut().unwrap();
            field_of.insert("id".to_owned(), json!(name));
            field_of.insert("name".to_owned(), json!(format!("Campo {name}")));
            field
        })
        .collect();
    assert_eq!(fields.len(), 20);
    json!({"id": "86b4bnnny", "name": "Corte", "status": {"status": "to do"}, "custom_fields": fields})
}

#[divan::bench]
fn extract_20_custom_fields(bencher: Bencher<'_, '_>) {
    let pack = load();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let context = ProcessContext { sandbox: pack.sandbox.as_deref(), now_ms: 0, arguments: None };
    let run = |task| pack.processors.run("task-to-structured", task, context);
    let told = runtime.block_on(run(task(&pack))).unwrap();
    assert_eq!(told.pointer("/custom_fields").and_then(Value::as_object).map(serde_json::Map::len), Some(20));
    bencher.with_inputs(|| task(&pack)).bench_local_values(|task| runtime.block_on(run(task)).is_ok());
}
