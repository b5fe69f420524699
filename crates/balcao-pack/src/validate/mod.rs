//! Checks of a call before it runs.
//!
//! The input schema and the checks that need no I/O run together, with the call itself ([`ArgumentChecks`] is an
//! [`ArgumentCheck`](balcao_tool::ArgumentCheck)). They report all failures at once, and apply a `fix` if the profile allows it. Checks
//! that read or compute in a helper run before the handler. If one of them fails, the handler does not run ([`crate::guard`]), so a refused
//! call changes nothing.
//!
//! Invariant: a call is refused if a check cannot decide. A helper that breaks, a read without an answer, or an expression over values that
//! it does not take never lets a call through.

pub(crate) mod argument_checks;
mod compile;
mod compiler;
mod fix;
mod lookup;
mod path;
mod pure;
mod reads;

use std::sync::Arc;

use balcao_tool::FieldProblem;
use serde_json::Value;

pub use argument_checks::{ArgumentChecks, CheckContext, CheckError};
pub(crate) use compiler::{Compiler, CompilerProblem, References};
pub(crate) use lookup::missing;
pub use lookup::{Lookup, OwnCommands};

use crate::expression::Expression;

/// One check, ready to run.
#[derive(Debug)]
pub(crate) struct Check {
    rule: Rule,
    /// The check applies only if this is true or cannot be computed.
    when: Option<Expression>,
    message: Option<String>,
    suggestion: Option<String>,
    cited: Option<Arc<Cited>>,
    fix: Option<fix::Mending>,
}

/// What a check looks at.
#[derive(Debug)]
enum Rule {
    /// The arguments alone.
    Pure(pure::Pure),
    /// What a read command answers.
    Read(reads::Read),
    /// What a helper says.
    Helper {
        id: String,
        arguments: Option<Vec<Expression>>,
        field: Option<path::FieldPath>,
        /// What it is given besides the arguments, by name.
        reads: Vec<(String, reads::Question)>,
    },
}

/// The anti-pattern that a failure is.
#[derive(Debug)]
pub(crate) struct Cited {
    id: String,
    wrong: Value,
    instead: Option<Value>,
    why: String,
}

/// A failure, as the check itself words it.
#[derive(Debug, Default)]
struct Failure {
    pointer: String,
    problem: &'static str,
    expected: String,
    got: Option<Value>,
    nearest: Option<Value>,
    /// All arguments as they would be right, where the check knows.
    mended: Option<Value>,
    /// The anti-pattern that it is, where a helper tells several apart.
    cited: Option<Arc<Cited>>,
}

impl Check {
    fn applies(&self, args: &Value) -> bool {
        self.when.as_ref().is_none_or(|when| when.holds(args).unwrap_or(true))
    }

    fn is_pure(&self) -> bool {
        matches!(self.rule, Rule::Pure(_))
    }

    /// Whether it reads what other systems answer.
    fn reads(&self) -> bool {
        match &self.rule {
            Rule::Pure(_) => false,
            Rule::Read(_) => true,
            Rule::Helper { reads, .. } => !reads.is_empty(),
        }
    }

    /// A failure with all that the author wrote about it.
    fn tell(&self, failure: Failure) -> FieldProblem {
        let cited = failure.cited.as_deref().or(self.cited.as_deref());
        FieldProblem {
            pointer: failure.pointer,
            problem: failure.problem.to_owned(),
            expected: self.message.clone().unwrap_or(failure.expected),
            got: failure.got,
            nearest: failure.nearest,
            anti_pattern: cited.map(|cited| cited.id.clone()),
            wrong: cited.map(|cited| cited.wrong.clone()),
            correct: cited.and_then(|cited| cited.instead.clone()),
            suggestion: self.suggestion.clone().or_else(|| cited.map(|cited| cited.why.clone())),
        }
    }
}
