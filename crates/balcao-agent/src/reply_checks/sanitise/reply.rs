//! A text that may reach a customer.

use serde::Serialize;

/// A checked reply. Only this crate builds one: from a text that passed the sanitiser and the claim check, or from words
/// that people wrote (notices, profile texts). Channels take nothing else. It can be written out but not read back: what was
/// stored is a text again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reply(String);

impl Reply {
    /// A text that passed the sanitiser and the claim check.
    pub(crate) fn checked(text: String) -> Self {
        Self(text)
    }

    /// Words of a notice or a profile, written by people.
    pub(crate) fn written(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
