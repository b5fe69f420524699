//! What a call costs, from configured prices.

use std::fmt;

use crate::usage::Usage;

/// Prices of one model in millionths of a US dollar per million tokens: $0.15 per million is 150,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Input that no cache served.
    pub input: u64,
    /// Input that a prompt cache served.
    pub cached_input: u64,
    /// Output, reasoning included.
    pub output: u64,
}

impl Price {
    /// The cost of a call in millionths of a US dollar, rounded up. Writing a prompt cache counts as plain input.
    #[must_use]
    pub fn cost_micro_usd(&self, usage: &Usage) -> u64 {
        let cached = usage.cached_input_tokens.min(usage.input_tokens);
        let fresh = usage.input_tokens - cached;
        let parts = [(fresh, self.input), (cached, self.cached_input), (usage.output_tokens, self.output)];
        let total: u128 = parts
            .iter()
            .map(|(tokens, price)| u128::from(*tokens).saturating_mul(u128::from(*price)))
            .fold(0, u128::saturating_add);
        u64::try_from(total.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

/// A price that is no plain decimal number of dollars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PriceError {
    /// What was written.
    pub written: String,
}

impl fmt::Display for PriceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid price {:?}; expected US dollars per million tokens, like 0.15", self.written)
    }
}

impl std::error::Error for PriceError {}

/// Reads dollars (`3`, `0.15`, at most six decimals) as millionths of a dollar.
///
/// # Errors
/// [`PriceError`] for anything else: a sign, an exponent, a decimal comma, more than six decimals, more than a billion.
pub fn parse_usd(written: &str) -> Result<u64, PriceError> {
    let refuse = || PriceError { written: written.to_owned() };
    let (whole, decimals) = written.split_once('.').unwrap_or((written, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || whole.len() > 9 || decimals.len() > 6 {
        return Err(refuse());
    }
    format!("{whole}{decimals:0<6}").parse().map_err(|_cause: std::num::ParseIntError| refuse())
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
