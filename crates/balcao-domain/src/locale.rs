//! The languages that the program speaks.

use serde::{Deserialize, Serialize};

/// A language of conversations, and of what the program says in them.
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

    /// The shipped language that fits a tag: Portuguese for `pt` and `pt-…`, English for `en` and `en-…`, `None` for any other.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let language = tag.split(['-', '_']).next().unwrap_or_default();
        match language.to_ascii_lowercase().as_str() {
            "pt" => Some(Self::PtBr),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    /// The language of a tag, Portuguese where none of ours fits.
    #[must_use]
    pub fn closest_to_tag(tag: &str) -> Self {
        Self::from_tag(tag).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_names_the_shipped_language_that_fits_it() {
        for (tag, locale) in [
            ("pt-BR", Some(Locale::PtBr)),
            ("pt_PT", Some(Locale::PtBr)),
            ("PT", Some(Locale::PtBr)),
            ("en-GB", Some(Locale::En)),
            ("EN", Some(Locale::En)),
            ("es", None),
            ("english", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(Locale::from_tag(tag), locale, "{tag}");
            assert_eq!(Locale::closest_to_tag(tag), locale.unwrap_or(Locale::PtBr), "{tag}");
        }
        for locale in [Locale::PtBr, Locale::En] {
            assert_eq!(Locale::from_tag(locale.tag()), Some(locale));
            assert_eq!(serde_json::to_value(locale).unwrap(), locale.tag());
        }
    }
}
