//! The tools that a request offers, and which of them a service means by a name that is spelt otherwise.

use crate::provider::ModelRequest;

/// What stands before the name of a tool where a model was trained to see all tools in one space of names.
const SPACES: [&str; 3] = ["functions.", "tools.", "default_api."];

/// The names of the tools that a request offers.
#[derive(Debug, Default)]
pub(crate) struct Offered {
    names: Vec<String>,
}

impl Offered {
    pub(crate) fn from_request(request: &ModelRequest) -> Self {
        Self::from_names(request.tools.iter().map(|tool| tool.name.clone()))
    }

    fn from_names(names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect() }
    }

    /// The one tool that a name means: the tool of that name, else the only one whose name differs in nothing but blanks around it,
    /// the name of the space before it, case, or a hyphen for an underscore.
    pub(crate) fn find(&self, written: &str) -> Option<&str> {
        let named = |name: &str| self.names.iter().find(|offered| *offered == name);
        let bare = bare(written);
        if let Some(exact) = named(written).or_else(|| named(bare)) {
            return Some(exact);
        }
        let mut alike = self.names.iter().filter(|offered| folded(offered) == folded(bare));
        alike.next().filter(|_| alike.next().is_none()).map(String::as_str)
    }

    /// Whether a text is the name of a tool or its beginning.
    pub(crate) fn knows(&self, begun: &str) -> bool {
        let begun = folded(bare(begun));
        self.names.iter().any(|offered| folded(offered).starts_with(&begun))
    }
}

fn bare(written: &str) -> &str {
    let written = written.trim();
    SPACES.iter().find_map(|space| written.strip_prefix(space)).unwrap_or(written).trim()
}

fn folded(name: &str) -> String {
    name.to_ascii_lowercase().replace('-', "_")
}

#[cfg(test)]
#[path = "offered_tests.rs"]
mod tests;
