//! Any JSON as a delivery to ClickUp's formats: it is read by the pack's processor, and nothing breaks. Needs the worker:
//! `cargo build -p balcao-sandbox` from the folder above.
#![no_main]

#[path = "../../crates/balcao-pack/tests/it/any_delivery.rs"]
mod any_delivery;

use std::{path::Path, sync::LazyLock};

use balcao_pack::{Handlers, LoadedPack, Loader};
use balcao_sandbox::Launcher;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_all().build().expect("a runtime"));

static PACK: LazyLock<LoadedPack> = LazyLock::new(|| {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let worker = Launcher::new(above.join("target/debug/balcao-sandbox-worker"), &[]);
    let loader = Loader::new(Handlers::new()).describing().helpers_in(worker, 1);
    loader.load_folder(&above.join("packs/clickup")).expect("the pack loads")
});

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let _told = RUNTIME.block_on(any_delivery::drive(&PACK, text));
});
