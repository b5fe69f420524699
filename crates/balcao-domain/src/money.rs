//! Money in integer cents, never in floating point.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A three-letter ISO 4217 code, such as `BRL`. Only currencies with two decimals are meant; the code is not looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Currency([u8; 3]);

impl Currency {
    /// The Brazilian real.
    pub const BRL: Self = Self(*b"BRL");

    /// The code, three capital letters.
    #[must_use]
    pub fn code(&self) -> &str {
        // The constructor admits ASCII capitals alone, so this cannot be invalid UTF-8.
        std::str::from_utf8(&self.0).unwrap_or("BRL")
    }

    /// The sign written before an amount: `R$`, `US$`, `€`, else the code.
    #[must_use]
    pub fn symbol(&self) -> &str {
        match &self.0 {
            b"BRL" => "R$",
            b"USD" => "US$",
            b"EUR" => "€",
            _ => self.code(),
        }
    }
}

impl FromStr for Currency {
    type Err = MoneyError;

    fn from_str(code: &str) -> Result<Self, MoneyError> {
        match <[u8; 3]>::try_from(code.as_bytes()) {
            Ok(letters) if letters.iter().all(u8::is_ascii_uppercase) => Ok(Self(letters)),
            Ok(_) | Err(_) => Err(MoneyError::Currency { code: code.to_owned() }),
        }
    }
}

impl TryFrom<String> for Currency {
    type Error = MoneyError;

    fn try_from(code: String) -> Result<Self, MoneyError> {
        code.parse()
    }
}

impl From<Currency> for String {
    fn from(currency: Currency) -> String {
        currency.code().to_owned()
    }
}

/// An amount of one currency. Prints as Brazilians write it: `R$ 1.234,50`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Money {
    /// The amount in cents; negative for a refund.
    pub cents: i64,
    /// The currency of the cents.
    pub currency: Currency,
}

/// Why a text is not an amount of money.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// Not a currency code.
    #[error("invalid currency `{code}`; expected three capital letters, such as BRL")]
    Currency {
        /// The code as given.
        code: String,
    },
    /// Not an amount.
    #[error("invalid amount of money `{text}`; expected an amount with two decimals, such as 45.00 or R$ 1.234,50")]
    Amount {
        /// The text as given.
        text: String,
    },
}

/// The largest price and the largest payment, in cents: 1,000,000.00.
pub const MAX_PRICE_CENTS: i64 = 100_000_000;

impl Money {
    /// An amount of `cents`.
    #[must_use]
    pub const fn new(cents: i64, currency: Currency) -> Self {
        Self { cents, currency }
    }

    /// Reads `45.00`, `45,00`, `45`, `1.234,50`, `1,234.50`, each with or without the currency's sign before it.
    ///
    /// The last `.` or `,` followed by exactly two digits is the decimal sign; one before groups of three digits is a
    /// thousands sign, so `1.234` is one thousand two hundred and thirty-four, as it is in Brazil.
    ///
    /// # Errors
    /// [`MoneyError::Amount`] for anything else: one or three decimals, mixed grouping, a sign, more than an `i64` of cents.
    pub fn parse(text: &str, currency: Currency) -> Result<Self, MoneyError> {
        let refuse = || MoneyError::Amount { text: text.to_owned() };
        let trimmed = text.trim();
        let amount = trimmed.strip_prefix(currency.symbol()).unwrap_or(trimmed).trim_start();
        let (whole, cents) = match amount.len().checked_sub(3).and_then(|at| amount.split_at_checked(at)) {
            Some((whole, decimals)) if decimals.starts_with(['.', ',']) => {
                (whole, decimals.trim_start_matches(['.', ',']).parse::<u8>().map_err(|_source| refuse())?)
            }
            Some(_) | None => (amount, 0),
        };
        let decimal_sign = amount.strip_prefix(whole).and_then(|rest| rest.chars().next());
        let mut groups = whole.split(['.', ',']);
        let first = groups.next().unwrap_or_default();
        let rest: Vec<&str> = groups.collect();
        let grouped = !rest.is_empty();
        let signs: Vec<char> = whole.chars().filter(|letter| matches!(letter, '.' | ',')).collect();
        let well_grouped = first.len() <= 3
            && rest.iter().all(|group| group.len() == 3)
            && signs.windows(2).all(|pair| pair.first() == pair.last())
            && decimal_sign.is_none_or(|sign| !signs.contains(&sign));
        if first.is_empty() || (grouped && !well_grouped) {
            return Err(refuse());
        }
        let digits: String = whole.chars().filter(|letter| !matches!(letter, '.' | ',')).collect();
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refuse());
        }
        let whole: i64 = digits.parse().map_err(|_source| refuse())?;
        let cents = whole.checked_mul(100).and_then(|hundreds| hundreds.checked_add(i64::from(cents)));
        Ok(Self::new(cents.ok_or_else(refuse)?, currency))
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.cents < 0 { "-" } else { "" };
        let cents = self.cents.unsigned_abs();
        let whole = (cents / 100).to_string();
        write!(f, "{sign}{} ", self.currency.symbol())?;
        for (place, digit) in whole.chars().enumerate() {
            if place > 0 && (whole.len() - place).is_multiple_of(3) {
                f.write_str(".")?;
            }
            write!(f, "{digit}")?;
        }
        write!(f, ",{:02}", cents % 100)
    }
}

#[cfg(test)]
#[path = "money_tests.rs"]
mod tests;
