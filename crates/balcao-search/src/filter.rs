//! Which entries a search is about.

use crate::Labels;

/// What entries must be labelled with; an empty filter takes all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filter<'a> {
    /// The tool or pack.
    pub tool: Option<&'a str>,
    /// The command.
    pub command: Option<&'a str>,
    /// The type of entry.
    pub kind: Option<&'a str>,
    /// The category.
    pub category: Option<&'a str>,
}

impl Filter<'_> {
    /// Whether an entry may be found.
    #[must_use]
    pub fn takes(&self, labels: &Labels) -> bool {
        let fits = |wanted: Option<&str>, label: &str| wanted.is_none_or(|wanted| wanted == label);
        fits(self.tool, &labels.tool)
            && fits(self.kind, &labels.kind)
            && fits(self.category, &labels.category)
            && self.command.is_none_or(|wanted| labels.commands.iter().any(|command| command == wanted))
    }
}
