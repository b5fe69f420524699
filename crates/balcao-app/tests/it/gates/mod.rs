//! Release gates, sized for CI. Each gate prints its figures; `BALCAO_GATE_SCALE=10` makes the gates that can grow ten times as large.
#![expect(clippy::print_stderr, reason = "a gate prints its figures")]

mod contention;
mod crash;
mod shop;
mod tenancy;

/// How many times as large as usual.
pub(crate) fn scale() -> u32 {
    std::env::var_os("BALCAO_GATE_SCALE").and_then(|text| text.to_str()?.parse().ok()).unwrap_or(1)
}
