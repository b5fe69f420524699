//! What has an example, and what has none.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::manifest::{Pack, Subject};

/// What the examples of a pack show.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Coverage {
    /// Commands with a success case.
    pub commands: Covered,
    /// Commands that write, with a failure case.
    pub refusals: Covered,
    /// Types of `field_mappings` that a case shows.
    pub field_types: Covered,
    /// Anti-patterns that a failure case cites. One without a validator is about what no arguments show, and is for reading only.
    pub anti_patterns: Covered,
}

/// Of how many things how many are shown, and which are not.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Covered {
    /// How many there are.
    pub of: usize,
    /// Those without an example.
    pub missing: Vec<String>,
}

impl Covered {
    fn new<'a>(all: impl Iterator<Item = &'a str>, shown: &BTreeSet<&str>) -> Self {
        let mut covered = Self::default();
        for name in all {
            covered.of += 1;
            if !shown.contains(name) {
                covered.missing.push(name.to_owned());
            }
        }
        covered
    }

    /// How many are shown.
    #[must_use]
    pub fn shown(&self) -> usize {
        self.of - self.missing.len()
    }
}

impl Coverage {
    /// Of a pack.
    #[must_use]
    pub fn of(pack: &Pack) -> Self {
        let examples = &pack.examples;
        let success: BTreeSet<&str> = examples.success_cases.iter().map(|case| case.operation.as_str()).collect();
        let failure: BTreeSet<&str> = examples.failure_cases.iter().map(|case| case.operation.as_str()).collect();
        let cited = examples.failure_cases.iter().filter_map(|case| case.reference.as_deref());
        let cited: BTreeSet<&str> = cited.map(|named| named.strip_prefix("anti_patterns.").unwrap_or(named)).collect();
        let mut fields: BTreeSet<&str> =
            examples.success_cases.iter().flat_map(|case| case.custom_fields_used.iter().map(String::as_str)).collect();
        for case in &examples.edge_cases {
            if let Some(Subject::Extraction(named)) = case.subject() {
                fields.extend(named.split_once('.').map(|(_, name)| name));
            }
        }
        // An extraction that is held against what it must give is an example, too.
        let types = || pack.field_mappings.values().flatten();
        fields.extend(types().filter(|(_, mapping)| mapping.extracted.is_some()).map(|(name, _)| name.as_str()));
        let held = pack.anti_patterns.iter().filter(|anti| anti.reference.is_some());
        let commands = || pack.commands.iter().filter(|command| !command.internal);
        Self {
            commands: Covered::new(commands().map(|command| command.id.as_str()), &success),
            refusals: Covered::new(
                commands()
                    .filter(|command| command.effect != balcao_tool::Effect::Read)
                    .map(|command| command.id.as_str()),
                &failure,
            ),
            field_types: Covered::new(types().map(|(name, _)| name.as_str()), &fields),
            anti_patterns: Covered::new(held.map(|anti| anti.id.as_str()), &cited),
        }
    }

    /// Each part with its name.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, &Covered)> {
        [
            ("commands", &self.commands),
            ("refusals", &self.refusals),
            ("field types", &self.field_types),
            ("anti-patterns", &self.anti_patterns),
        ]
        .into_iter()
    }

    /// Whether everything has an example.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.parts().all(|(_, covered)| covered.missing.is_empty())
    }
}
