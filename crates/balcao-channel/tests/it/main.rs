//! The adapters against fakes over real HTTP on 127.0.0.1.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::wildcard_enum_match_arm,
    clippy::print_stderr,
    reason = "tests"
)]

mod any_webhook;
mod changed_webhooks;
mod contract;
mod email;
mod email_tls;
mod evolution;
mod extension_points;
mod files;
mod material;
mod second_opinion;
mod sender;
mod support;
