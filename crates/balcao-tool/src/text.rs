//! Words by reader: text for a model, and text in the languages we ship.

use serde::{Deserialize, Serialize};

/// A language that descriptions and notices come in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Locale {
    /// Brazilian Portuguese, the default.
    #[default]
    #[serde(rename = "pt-BR")]
    PtBr,
    /// English.
    #[serde(rename = "en")]
    En,
}

impl Locale {
    /// The BCP 47 tag.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        match self {
            Self::PtBr => "pt-BR",
            Self::En => "en",
        }
    }

    /// The shipped language that fits a tag: `pt*` is Portuguese, `en*` English, anything else `None`.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        match tag.get(..2).unwrap_or(tag).to_ascii_lowercase().as_str() {
            "pt" => Some(Self::PtBr),
            "en" => Some(Self::En),
            _ => None,
        }
    }
}

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
    fn a_tag_names_the_shipped_language_that_fits_it() {
        for (tag, locale) in [
            ("pt-BR", Some(Locale::PtBr)),
            ("PT", Some(Locale::PtBr)),
            ("en-GB", Some(Locale::En)),
            ("EN", Some(Locale::En)),
            ("es", None),
            ("p", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(Locale::from_tag(tag), locale, "{tag}");
        }
        for locale in [Locale::PtBr, Locale::En] {
            assert_eq!(Locale::from_tag(locale.tag()), Some(locale));
            assert_eq!(serde_json::to_value(locale).unwrap(), locale.tag());
        }
        let text = Localised { pt_br: "oi".to_owned(), en: "hi".to_owned() };
        assert_eq!((text.get(Locale::PtBr), text.get(Locale::En)), ("oi", "hi"));
        assert_eq!(ModelText::new("oi"), ModelText::from("oi"));
        assert_eq!(ModelText::new("oi").as_str(), "oi");
    }
}
