//! Any JSON as a delivery to ClickUp's formats: its format is told or not, and nothing breaks.
#![no_main]

use std::{path::Path, sync::LazyLock};

use balcao_pack::{Handlers, LoadedPack, Loader};

static PACK: LazyLock<LoadedPack> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packs/clickup");
    Loader::new(Handlers::new()).describing().load_folder(&folder).expect("the pack loads")
});

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    if let Ok(delivery) = serde_json::from_slice(text) {
        let _told = PACK.processors.formats().detect(&delivery);
    }
});
