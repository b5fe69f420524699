//! Any text as a `tool.yaml`: loaded or refused, in bounded time and memory, and every problem has a place within the text.
#![no_main]

#[path = "../../crates/balcao-pack/tests/it/any_definition.rs"]
mod any_definition;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let _refused = any_definition::drive(text);
});
