//! A person we talk to or about.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::ids::ContactId;
use crate::phone::Phone;

/// A contact's own data. Tags, stages and appointments are loaded beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contact {
    /// Their id.
    pub id: ContactId,
    /// Their full name, where it is known.
    pub name: Option<String>,
    /// How they want to be called.
    pub preferred_name: Option<String>,
    /// Their number; absent where the channel knows them by an id of its own.
    pub phone: Option<Phone>,
    /// The channel's own id of them, the first key where there is one.
    pub channel_user: Option<String>,
    /// Their e-mail address.
    pub email: Option<String>,
    /// Their postal address.
    pub address: Option<String>,
    /// Whatever else the business keeps, by name.
    pub custom_fields: std::collections::BTreeMap<String, String>,
}

/// The name of the custom field that holds the birthday of a contact, as `YYYY-MM-DD`.
pub const BIRTHDAY: &str = "birthday";

/// Reads a birthday, `YYYY-MM-DD`. `None` if the text is not such a date, or the date is before 1900 or after `today`.
#[must_use]
pub fn read_birthday(text: &str, today: Date) -> Option<Date> {
    let date: Date = text.parse().ok()?;
    let is_written_out = date.to_string() == text;
    (is_written_out && date.year() >= 1900 && date <= today).then_some(date)
}

/// Why a text is not an e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid e-mail address `{text}`; expected the form name@example.com")]
pub struct EmailError {
    /// The text as given.
    pub text: String,
}

/// Checks an e-mail address and gives it trimmed, its domain in small letters.
///
/// The rule is that of HTML's `input type=email`, with at least one dot in the domain: what mail servers accept in
/// practice, not all of RFC 5322.
///
/// # Errors
/// [`EmailError`] with the text as given.
pub fn check_email(text: &str) -> Result<String, EmailError> {
    let refuse = || EmailError { text: text.to_owned() };
    let (local, domain) = text.trim().rsplit_once('@').ok_or_else(refuse)?;
    let local_fine = (1..=64).contains(&local.len())
        && local.bytes().all(|b| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b))
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..");
    let label_fine = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let top_fine =
        domain.rsplit('.').next().is_some_and(|top| top.len() >= 2 && top.bytes().any(|b| b.is_ascii_alphabetic()));
    if local_fine && top_fine && domain.len() <= 253 && domain.contains('.') && domain.split('.').all(label_fine) {
        Ok(format!("{local}@{}", domain.to_ascii_lowercase()))
    } else {
        Err(refuse())
    }
}

#[cfg(test)]
#[path = "contact_tests.rs"]
mod tests;
