//! Any text as a `tool.yaml`: loaded or refused, in bounded time and memory, and every problem has a place within the text.
#![no_main]

use balcao_pack::{Handlers, Loader};

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(problems) = Loader::new(Handlers::new()).describing().load("tool.yaml", text) {
        assert!(!problems.is_empty());
        assert!(problems.iter().all(|problem| problem.line <= text.lines().count() + 1));
    }
});
