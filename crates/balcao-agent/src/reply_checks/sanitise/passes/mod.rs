//! The passes, in the order in which they run. To add a pass, write a file beside the others and list it in [`ALL`].

mod announcements;
mod channels;
mod characters;
mod code;
mod errors;
mod escapes;
mod identifiers;
mod length;
mod links;
mod markers;
mod markup;
mod placeholders;
mod reasoning;
mod repeats;
mod roles;
mod secrets;
mod shapes;

use super::{edit::Edit, rules::Rules};

/// One pass: a pure function from a text to the changes it wants.
pub(crate) struct Pass {
    /// The file's name, for the record.
    pub(crate) name: &'static str,
    /// What to change. Ranges lie on character boundaries.
    pub(crate) find: fn(&str, &Rules) -> Vec<Edit>,
}

/// First the characters and escapes that disguise the rest, then what is worst, then the forms of leaks, then form.
pub(crate) const ALL: &[Pass] = &[
    Pass { name: "characters", find: characters::find },
    Pass { name: "escapes", find: escapes::find },
    Pass { name: "secrets", find: secrets::find },
    Pass { name: "channels", find: channels::find },
    Pass { name: "reasoning", find: reasoning::find },
    Pass { name: "markers", find: markers::find },
    Pass { name: "code", find: code::find },
    Pass { name: "shapes", find: shapes::find },
    Pass { name: "errors", find: errors::find },
    Pass { name: "identifiers", find: identifiers::find },
    Pass { name: "placeholders", find: placeholders::find },
    Pass { name: "roles", find: roles::find },
    Pass { name: "announcements", find: announcements::find },
    Pass { name: "links", find: links::find },
    Pass { name: "markup", find: markup::find },
    Pass { name: "repeats", find: repeats::find },
    Pass { name: "length", find: length::find },
];

/// Compiles patterns that stand in the source; one that does not compile fails the tests, and matches nothing.
///
/// Word boundaries become those of ASCII: `regex` leaves its automaton for a slow engine where it meets a Unicode boundary
/// in a text with accents.
pub(crate) fn patterns<S: AsRef<str>>(sources: &[S]) -> Vec<regex::Regex> {
    sources.iter().filter_map(|source| regex::Regex::new(&source.as_ref().replace(r"\b", r"(?-u:\b)")).ok()).collect()
}
