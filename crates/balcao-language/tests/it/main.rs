//! How much of Microsoft's Portuguese recogniser cases we read alike. The figures are pinned: a rise is welcome and is
//! written down, a fall is a fault.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr, reason = "tests")]

mod colloquial;
mod model;
mod numbers;
mod when;
mod wordings;
mod yes_no;

use std::path::{Path, PathBuf};

use serde_json::Value;

fn cases(name: &str) -> Option<Vec<Value>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/material/portuguese/recognizers-text");
    let path: PathBuf = root.join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        balcao_skip::skip(&format!("{} is missing", path.display()));
        return None;
    };
    Some(serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap())
}

/// True unless none of the source's own four programs reads the case.
fn supported(case: &Value) -> bool {
    let not = case["NotSupported"].as_str().unwrap_or_default();
    !["dotnet", "javascript", "java", "python"].iter().all(|program| not.split(',').any(|one| one.trim() == *program))
}
