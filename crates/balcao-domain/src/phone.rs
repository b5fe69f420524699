//! Telephone numbers: one person is one contact, however the number was written.
//!
//! Brazil is read by our own rule, because a WhatsApp id may lack the ninth digit of a mobile number and people write
//! carrier codes, `0xx` and trunk zeros. Other countries are read by their numbering plans (`plans`) and are kept as
//! valid E.164.
//!
//! Where this differs from libphonenumber on purpose: a Brazilian eight-digit number that starts with 6, 7, 8 or 9 is a
//! mobile number that lacks its ninth digit (added in all areas by 2016), so `+55 11 8038-0973` is `+5511980380973`.
//! `00 55 …` is the international prefix followed by Brazil. Numbers without an area code (`4004-1234`, `190`) are
//! refused: they cannot identify a person.

mod pattern;
mod plans;

use std::fmt;

use serde::{Deserialize, Serialize};

/// Brazil's area codes (Anatel's national numbering plan).
const AREA_CODES: [u8; 67] = [
    11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 24, 27, 28, 31, 32, 33, 34, 35, 37, 38, 41, 42, 43, 44, 45, 46, 47, 48,
    49, 51, 53, 54, 55, 61, 62, 63, 64, 65, 66, 67, 68, 69, 71, 73, 74, 75, 77, 79, 81, 82, 83, 84, 85, 86, 87, 88, 89,
    91, 92, 93, 94, 95, 96, 97, 98, 99,
];

/// What makes two spellings one person: in Brazil area code and last eight digits, elsewhere the whole E.164 number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PhoneIdentity(String);

impl PhoneIdentity {
    /// The key as it is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A telephone number that exists by the rules of its country.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Phone {
    e164: String,
    as_received: String,
}

/// Why a text is not a usable telephone number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PhoneError {
    /// No digits, or letters among them.
    #[error("`{text}` is no telephone number")]
    NotANumber {
        /// The text as given.
        text: String,
    },
    /// Brazil has no such area code.
    #[error("`{text}`: Brazil has no area code {area}")]
    AreaCode {
        /// The text as given.
        text: String,
        /// The two digits read as an area code.
        area: String,
    },
    /// Too short, too long, or not a line of any kind.
    #[error(
        "`{text}` is not a number of {country}: write country code, area code and number, such as +55 11 98765-4321"
    )]
    Impossible {
        /// The text as given.
        text: String,
        /// The country that it was read for.
        country: String,
    },
}

impl Phone {
    /// Reads a number as a person or a channel writes it; without a country code it is Brazilian.
    ///
    /// # Errors
    /// [`PhoneError`] if no number that can exist is written there.
    pub fn parse(text: &str) -> Result<Self, PhoneError> {
        let number = Written::read(text)?;
        let e164 = match number.country {
            Country::Brazil => brazilian(text, &number.digits)?,
            Country::Other => plans::e164(&number.digits)
                .ok_or_else(|| PhoneError::Impossible { text: text.to_owned(), country: "any country".to_owned() })?,
        };
        Ok(Self { e164, as_received: text.to_owned() })
    }

    /// The number in E.164, with a plus sign and, in Brazil, the ninth digit.
    #[must_use]
    pub fn e164(&self) -> &str {
        &self.e164
    }

    /// The number as it came: what to send to.
    #[must_use]
    pub fn as_received(&self) -> &str {
        &self.as_received
    }

    /// What makes two spellings one person.
    #[must_use]
    pub fn identity(&self) -> PhoneIdentity {
        let Some(national) = self.e164.strip_prefix("+55") else { return PhoneIdentity(self.e164.clone()) };
        let key = national.split_at_checked(2).and_then(|(area, line)| {
            let (_, last_eight) = line.split_at_checked(line.len().checked_sub(8)?)?;
            Some(format!("55{area}{last_eight}"))
        });
        PhoneIdentity(key.unwrap_or_else(|| self.e164.clone()))
    }

    /// Whether this is a Brazilian number.
    #[must_use]
    pub fn is_brazilian(&self) -> bool {
        self.e164.starts_with("+55")
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.e164)
    }
}

enum Country {
    Brazil,
    Other,
}

/// The digits that were written, after country detection; for Brazil without the `55`.
struct Written {
    country: Country,
    digits: String,
}

impl Written {
    fn read(text: &str) -> Result<Self, PhoneError> {
        let refuse = || PhoneError::NotANumber { text: text.to_owned() };
        let lower = text.trim().to_lowercase();
        let bare = lower.strip_prefix("whatsapp:").or_else(|| lower.strip_prefix("tel:")).unwrap_or(&lower);
        let bare = bare.split('@').next().unwrap_or(bare); // a WhatsApp JID
        let bare = cut_extension(bare).replace("0xx", "0");
        let mut digits = String::with_capacity(bare.len());
        let mut plus = false;
        for letter in bare.chars() {
            match letter {
                '+' | '＋' if digits.is_empty() && !plus => plus = true,
                '0'..='9' => digits.push(letter),
                '０'..='９' => digits.extend(char::from_digit(u32::from(letter) - u32::from('０'), 10)),
                '-' | '.' | '(' | ')' | '/' | '‐'..='―' | '−' => {}
                other if other.is_whitespace() || is_invisible(other) => {}
                _ => return Err(refuse()),
            }
        }
        if digits.is_empty() {
            return Err(refuse());
        }
        let international = match digits.strip_prefix("00") {
            Some(rest) if !plus => Some(rest.to_owned()),
            Some(_) | None => plus.then(|| digits.clone()),
        };
        Ok(match international {
            Some(number) => match number.strip_prefix("55") {
                Some(national) => Self { country: Country::Brazil, digits: national.to_owned() },
                None => Self { country: Country::Other, digits: number },
            },
            // A WhatsApp id has no plus sign. No Brazilian number without its country code has 12 or 13 digits.
            None => match digits.strip_prefix("55") {
                Some(national) if matches!(national.len(), 10 | 11) => {
                    Self { country: Country::Brazil, digits: national.to_owned() }
                }
                Some(_) | None => Self { country: Country::Brazil, digits },
            },
        })
    }
}

/// Cuts `ramal 2`, `;ext=2`, `ext. 2`, `x2`: a person is reached at the number.
fn cut_extension(text: &str) -> &str {
    const MARKS: [&str; 4] = [";", "ramal", "ext", "r."];
    let end = MARKS.iter().filter_map(|mark| text.find(mark)).min().unwrap_or(text.len());
    text.split_at_checked(end).map_or(text, |(number, _)| number)
}

/// Characters that a copied number carries unseen: zero-width, directional and soft-hyphen marks.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

/// Digits after `+55`, perhaps with a trunk zero and a carrier code, as E.164.
fn brazilian(text: &str, digits: &str) -> Result<String, PhoneError> {
    let impossible = || PhoneError::Impossible { text: text.to_owned(), country: "Brazil".to_owned() };
    let national = match digits.strip_prefix('0') {
        // After a trunk zero: two digits of carrier may come first.
        Some(rest) if rest.len() > 11 => rest.split_at_checked(2).map_or(rest, |(_carrier, number)| number),
        Some(rest) => rest,
        None => digits,
    };
    if !matches!(national.len(), 10 | 11) {
        return Err(impossible());
    }
    let (area, line) = national.split_at_checked(2).ok_or_else(impossible)?;
    if !area.parse::<u8>().is_ok_and(|code| AREA_CODES.contains(&code)) {
        return Err(PhoneError::AreaCode { text: text.to_owned(), area: area.to_owned() });
    }
    match (line.len(), line.bytes().next()) {
        (8, Some(b'2'..=b'5')) | (9, Some(b'9')) => Ok(format!("+55{area}{line}")),
        (8, Some(b'6'..=b'9')) => Ok(format!("+55{area}9{line}")),
        _ => Err(impossible()),
    }
}

#[cfg(test)]
#[path = "phone_tests.rs"]
mod tests;
