//! Examples are tests: the test runs every case of a pack, and reports the commands that have no example.

mod coverage;
mod report;
mod run;
mod scratch;

pub use coverage::{Coverage, Covered};
pub use scratch::{Scratch, ScratchCall};

use balcao_yaml::Problem;
use jiff::Timestamp;
use serde::Serialize;

use crate::Place;

/// What helpers take for now in an example that states no moment: 2026-01-15T12:00:00Z. It is a day like others, so that what is counted
/// from it (an age, a week, a time of day) looks as it will for a customer, and the same on every day on which it is tested.
pub const NOW: Timestamp = Timestamp::constant(1_768_478_400, 0);

/// What came of testing a pack.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// The pack.
    pub pack: String,
    /// Its version.
    pub version: String,
    /// Every case, in the order of the pack.
    pub cases: Vec<CaseReport>,
    /// What has an example, and what has none.
    pub coverage: Coverage,
}

/// What came of one case.
#[derive(Debug, Clone, Serialize)]
pub struct CaseReport {
    /// `success`, `failure`, `edge`, `mapping` or `load`.
    pub sort: Sort,
    /// Its id; of an edge case with its place among the inputs.
    pub id: String,
    /// The command, or what an edge case is about.
    pub about: String,
    /// Where it stands, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What happened.
    pub outcome: Outcome,
}

/// The sort of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// A call that works.
    Success,
    /// A call that is refused.
    Failure,
    /// What is computed.
    Edge,
    /// What a field mapping's example gives.
    Mapping,
    /// A mistake in the pack's files, for which none of its cases was run.
    Load,
}

impl Sort {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Edge => "edge",
            Self::Mapping => "mapping",
            Self::Load => "load",
        }
    }
}

/// What happened in a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "result", content = "message")]
pub enum Outcome {
    /// As the case says.
    Passed,
    /// The case passed as far as the test could check it; the reason names the part that was not checked.
    Partly(String),
    /// Otherwise than the case says.
    Failed(String),
    /// It could not be run: the pack does not load.
    Broken(String),
}

impl Report {
    /// Of a pack that does not load: every mistake is a case of its own, called by its place.
    #[must_use]
    pub fn unloaded(pack: &str, problems: &[Problem]) -> Self {
        let case = |problem: &Problem| CaseReport {
            sort: Sort::Load,
            id: format!("{}:{}:{}", problem.file, problem.line, problem.column),
            about: problem.file.clone(),
            place: None,
            outcome: Outcome::Broken(problem.to_string()),
        };
        let cases = problems.iter().map(case).collect();
        Self { pack: pack.to_owned(), version: String::new(), cases, coverage: Coverage::default() }
    }

    /// Whether its cases were run.
    #[must_use]
    pub fn loaded(&self) -> bool {
        self.broken() == 0
    }

    /// How many mistakes keep the pack from being loaded.
    #[must_use]
    pub fn broken(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case.outcome, Outcome::Broken(_))).count()
    }

    /// Whether no case failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failed() == 0 && self.loaded()
    }

    /// How many cases failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.cases.iter().filter(|case| matches!(case.outcome, Outcome::Failed(_))).count()
    }
}
