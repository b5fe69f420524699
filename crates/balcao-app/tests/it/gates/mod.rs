//! Release gates, sized for CI. Each prints its figures; `BALCAO_GATE_SCALE=10` makes those that grow ten times as large.
#![expect(clippy::print_stderr, reason = "a gate prints its figures")]

mod contention;
mod crash;
mod shop;
mod tenancy;

/// How many times as large as usual.
fn scale() -> u32 {
    std::env::var("BALCAO_GATE_SCALE").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}
