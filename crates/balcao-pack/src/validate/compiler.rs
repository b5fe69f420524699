//! Where the loader tells what is wrong, and sees that names and expressions hold.

use std::collections::BTreeSet;

use balcao_yaml::{Problem, nearest};

use crate::{expression::Expression, manifest::Pack, source::Source};

/// Collects the problems of a pack, each with the pointer of its place.
pub(crate) struct Compiler<'a> {
    pub(crate) source: &'a Source,
    pub(crate) pack: &'a Pack,
    pub(crate) problems: Vec<CompilerProblem>,
    /// What examples say and does not hold. Nothing is wrong with the files for that.
    pub(crate) unheld: Vec<CompilerProblem>,
    /// Commands whose checks do not all hold together; `None`: of one command it is not known which.
    pub(super) unchecked: BTreeSet<Option<String>>,
}

/// Something that is wrong.
pub(crate) struct CompilerProblem {
    /// The problem may be a consequence of a mistake that was already reported; then it goes with that mistake.
    pub(crate) follows: bool,
    pub(crate) problem: Problem,
}

/// The names that a reference may use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum References {
    Helper,
    Command,
    Validator,
    AntiPattern,
    Processor,
    Schema,
}

impl References {
    const fn word(self) -> &'static str {
        match self {
            Self::Helper => "helper",
            Self::Command => "command",
            Self::Validator => "validator",
            Self::AntiPattern => "anti-pattern",
            Self::Processor => "processor",
            Self::Schema => "schema",
        }
    }

    fn names(self, pack: &Pack) -> Vec<&str> {
        match self {
            Self::Helper => pack.helpers.iter().map(|helper| helper.id.as_str()).collect(),
            Self::Command => pack.commands.iter().map(|command| command.id.as_str()).collect(),
            Self::Validator => pack.validators.iter().map(|validator| validator.id.as_str()).collect(),
            Self::AntiPattern => pack.anti_patterns.iter().map(|anti| anti.id.as_str()).collect(),
            Self::Processor => pack.processors.iter().map(|processor| processor.id.as_str()).collect(),
            Self::Schema => pack.schemas.keys().map(String::as_str).collect(),
        }
    }
}

impl<'a> Compiler<'a> {
    pub(crate) fn new(source: &'a Source, pack: &'a Pack) -> Self {
        Self { source, pack, problems: Vec::new(), unheld: Vec::new(), unchecked: BTreeSet::new() }
    }

    pub(crate) fn complain(&mut self, at: &str, message: impl Into<String>, suggestion: Option<String>) {
        let told = self.problem_at(at, message.into(), suggestion);
        self.problems.push(told);
    }

    /// Tells of an example that does not hold.
    pub(crate) fn unheld(&mut self, at: &str, message: impl Into<String>) {
        let told = self.problem_at(at, message.into(), None);
        self.unheld.push(told);
    }

    fn problem_at(&self, at: &str, message: String, suggestion: Option<String>) -> CompilerProblem {
        let follows = self.source.owes(at, &message);
        CompilerProblem { follows, problem: self.source.problem(at, message, suggestion) }
    }

    /// Returns whether an entry of a section is misshapen. Then the compiler must not report entries that seem to be absent.
    pub(crate) fn lacks(&self, section: &str) -> bool {
        self.source.lacks(section)
    }

    /// Returns whether a command may lack a check. Then the compiler must not report inputs that the command accepts.
    pub(crate) fn lacks_checks(&self, command: &str) -> bool {
        let misses = |validator: &String| !self.pack.validators.iter().any(|known| known.id == *validator);
        let mut own = self.pack.commands.iter().filter(|known| known.id == command);
        self.unchecked.iter().any(|one| one.as_deref().is_none_or(|one| one == command))
            || own.any(|command| command.uses_validators.iter().any(misses))
            || self.lacks("validators")
    }

    /// Sees that a name is there.
    pub(crate) fn refer(&mut self, kind: References, name: &str, at: &str) -> bool {
        let known = kind.names(self.pack);
        if known.contains(&name) {
            return true;
        }
        let near = nearest(name, known.iter().copied()).map(|name| format!("did you mean `{name}`?"));
        let none = || format!("this pack has no {}s", kind.word());
        let suggestion = near.or_else(|| known.is_empty().then(none));
        self.complain(at, format!("unknown {} `{name}`", kind.word()), suggestion);
        false
    }

    /// Reads an expression.
    pub(crate) fn expression(&mut self, text: &str, at: &str) -> Option<Expression> {
        match Expression::parse(text) {
            Ok(expression) => Some(expression),
            Err(error) => {
                self.complain(at, format!("the expression `{text}` cannot be read: {error}"), None);
                None
            }
        }
    }
}
