//! Any bytes as a webhook of WhatsApp, under any signature: nothing but the right one is believed, and no body breaks the reader.
#![no_main]

#[path = "../../crates/balcao-channel/tests/it/any_webhook.rs"]
mod any_webhook;

libfuzzer_sys::fuzz_target!(|input: &[u8]| any_webhook::drive(input));
