//! Which of the organization's things a name means: by its name, an alias, or one near spelling.

use balcao_language::names::{Candidate, How, NameMatch, match_name};
use balcao_language::normalize::normalize;
use serde::{Deserialize, Serialize};

/// Why a name did not lead to one thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum NameRefusal {
    /// Nothing is called so.
    NotFound {
        /// The name as given.
        query: String,
        /// The one that is spelt most alike.
        nearest: Option<String>,
        /// What there is.
        known: Vec<String>,
    },
    /// Several things could be meant.
    Ambiguous {
        /// The name as given.
        query: String,
        /// What could be meant.
        candidates: Vec<String>,
    },
}

/// A name that led to one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) index: usize,
    /// Whether it was a near spelling only, so that the answer should say what was understood.
    pub(crate) near: bool,
}

/// Finds `query` among things with a name and aliases.
pub(crate) fn find<'a>(
    query: &str,
    things: impl Iterator<Item = (&'a String, &'a [String])>,
) -> Result<Found, NameRefusal> {
    let candidates: Vec<Candidate<'a>> = things
        .map(|(name, aliases)| Candidate {
            names: std::iter::once(name.as_str()).chain(aliases.iter().map(String::as_str)).collect(),
        })
        .collect();
    if let Some(index) = spelt_out(query, &candidates) {
        return Ok(Found { index, near: false });
    }
    let name_of = |index: usize| candidates.get(index).and_then(|candidate| candidate.names.first()).copied();
    let named = |indices: Vec<usize>| indices.into_iter().filter_map(name_of).map(str::to_owned).collect();
    match match_name(query, &candidates) {
        NameMatch::One { index, how } => Ok(Found { index, near: how == How::Near }),
        NameMatch::Several(indices) => {
            Err(NameRefusal::Ambiguous { query: query.to_owned(), candidates: named(indices) })
        }
        NameMatch::None { nearest } => Err(NameRefusal::NotFound {
            query: query.to_owned(),
            nearest: nearest.and_then(name_of).map(str::to_owned),
            known: named((0..candidates.len()).collect()),
        }),
    }
}

/// Returns `true` if a given name may belong to a contact with a known name: all words of the shorter one are in the longer
/// one, and the first names are equal. "Ana" is "Ana Prado"; "Prado" and "Bia Prado" may be of her family.
#[must_use]
pub fn may_be_theirs(given: &str, name: Option<&str>, preferred_name: Option<&str>) -> bool {
    [name, preferred_name].into_iter().flatten().any(|own| alike(given, own))
}

fn alike(one: &str, other: &str) -> bool {
    let (one, other) = (normalize(one), normalize(other));
    let (one, other): (Vec<&str>, Vec<&str>) = (one.split_whitespace().collect(), other.split_whitespace().collect());
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short.first() == long.first() && short.iter().all(|word| long.contains(word))
}

/// The one thing whose name, or else alias, is the query but for case and accents. Most queries are, and comparing is much
/// cheaper than matching by sound.
fn spelt_out(query: &str, candidates: &[Candidate<'_>]) -> Option<usize> {
    let wanted = normalize(query);
    let only = |fits: &dyn Fn(&Candidate<'_>) -> bool| {
        let mut fitting =
            candidates.iter().enumerate().filter(|(_, candidate)| fits(candidate)).map(|(index, _)| index);
        fitting.next().filter(|_| fitting.next().is_none())
    };
    let is_wanted = |name: &str| normalize(name) == wanted;
    let by_name = |candidate: &Candidate<'_>| candidate.names.first().is_some_and(|name| is_wanted(name));
    if wanted.is_empty() {
        return None;
    }
    only(&by_name).or_else(|| {
        // A thing called so, even one of several, comes before an alias.
        let named = candidates.iter().any(by_name);
        if named { None } else { only(&|candidate| candidate.names.iter().any(|name| is_wanted(name))) }
    })
}

#[cfg(test)]
mod tests {
    use super::may_be_theirs;

    #[test]
    fn a_part_of_a_name_with_the_first_is_the_same_person_and_another_first_name_is_not() {
        for (given, same) in [
            ("ana", true),
            ("Ana Prado Lima", true),
            ("ÂNA PRADO", true),
            ("Ana Lima", false),
            ("Bia Prado", false),
            ("Prado", false),
            ("Aninha", true),
            ("", false),
        ] {
            assert_eq!(may_be_theirs(given, Some("Ana Prado"), Some("Aninha")), same, "{given}");
            assert!(!may_be_theirs(given, None, None), "{given}");
        }
    }
}
