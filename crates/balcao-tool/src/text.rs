//! Words by reader: text for a model, and text in the languages we ship.

use balcao_domain::Locale;
use serde::{Deserialize, Serialize};

/// One text in both languages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Localised {
    /// Brazilian Portuguese.
    #[serde(rename = "pt-BR")]
    pub pt_br: String,
    /// English.
    pub en: String,
}

impl Localised {
    /// The text in `locale`.
    #[must_use]
    pub fn get(&self, locale: Locale) -> &str {
        match locale {
            Locale::PtBr => &self.pt_br,
            Locale::En => &self.en,
        }
    }
}

/// A sentence that a model may read: facts it can act on.
///
/// There is no conversion from an error: the words of an upstream service can only become [`crate::Internal`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelText(String);

impl ModelText {
    /// Words written for the model. Never pass a driver's or an upstream's message here.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The words.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for ModelText {
    fn from(text: &'static str) -> Self {
        Self(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_given_in_the_language_that_is_asked_for() {
        let text = Localised { pt_br: "oi".to_owned(), en: "hi".to_owned() };
        assert_eq!((text.get(Locale::PtBr), text.get(Locale::En)), ("oi", "hi"));
        assert_eq!(ModelText::new("oi"), ModelText::from("oi"));
        assert_eq!(ModelText::new("oi").as_str(), "oi");
    }
}
