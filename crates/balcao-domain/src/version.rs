//! Versions: what business, knowledge and prompts looked like each time that they changed.

use std::fmt;
use std::str::FromStr;

/// What has versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VersionKind {
    /// Services, people, hours, rules: a business file without its knowledge.
    Business,
    /// The entries that the agent may tell.
    Knowledge,
    /// A profile with its prompt modules and the descriptions of its tools.
    Prompt,
}

impl VersionKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Business, Self::Knowledge, Self::Prompt];

    /// Its word in databases, in names of versions and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Business => "business",
            Self::Knowledge => "knowledge",
            Self::Prompt => "prompt",
        }
    }

    /// The kind of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

impl fmt::Display for VersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Names a version within its organization, such as `business_3`. Numbers begin at 1; a later version has a greater number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionName {
    /// What it is a version of.
    pub kind: VersionKind,
    /// Which one.
    pub number: i64,
}

impl fmt::Display for VersionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.kind, self.number)
    }
}

/// A text that names no version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid version `{text}`; expected business_N, knowledge_N or prompt_N")]
pub struct InvalidVersionName {
    text: String,
}

impl FromStr for VersionName {
    type Err = InvalidVersionName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let (word, number) = text.rsplit_once('_')?;
            let digits =
                !number.is_empty() && !number.starts_with('0') && number.bytes().all(|byte| byte.is_ascii_digit());
            let number = number.parse().ok().filter(|_| digits)?;
            Some(Self { kind: VersionKind::from_word(word)?, number })
        };
        read().ok_or_else(|| InvalidVersionName { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_name_is_read_back() {
        for kind in VersionKind::ALL {
            for number in [1, 9, 10, i64::MAX] {
                let name = VersionName { kind, number };
                assert_eq!(name.to_string().parse(), Ok(name));
            }
        }
    }

    #[test]
    fn a_text_of_another_form_is_refused() {
        for text in
            ["", "business", "business_", "business_0", "business_03", "business_+3", "shop_3", "prompt_-1", "3"]
        {
            assert!(text.parse::<VersionName>().is_err(), "{text}");
        }
        assert!("prompt_9223372036854775808".parse::<VersionName>().is_err());
    }
}
