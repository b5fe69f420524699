//! Examples of a pack. Each of them is a test.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// Examples of a pack.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Examples {
    /// What the commands of a native pack find when its examples run.
    pub arrange: Option<Arrange>,
    /// Calls that work.
    pub success_cases: Vec<SuccessCase>,
    /// Calls that must be refused.
    pub failure_cases: Vec<FailureCase>,
    /// What helpers, detections and the like must compute.
    pub edge_cases: Vec<EdgeCase>,
}

impl Examples {
    /// All ids, with the list and the place in it.
    pub fn ids(&self) -> impl Iterator<Item = (&str, &'static str, usize)> {
        let success = self.success_cases.iter().map(|case| case.id.as_str()).enumerate();
        let failure = self.failure_cases.iter().map(|case| case.id.as_str()).enumerate();
        let edge = self.edge_cases.iter().map(|case| case.id.as_str()).enumerate();
        let listed = |list: &'static str| move |(place, id)| (id, list, place);
        success
            .map(listed("success_cases"))
            .chain(failure.map(listed("failure_cases")))
            .chain(edge.map(listed("edge_cases")))
    }
}

/// A business in a scratch database, and the writer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrange {
    /// The business, in the form of a business file.
    pub business: Value,
    /// Who writes: the telephone number of one of its contacts, or the e-mail address of one of its staff.
    pub writer: String,
    /// The professional of the conversation, by name; none yet, if not stated.
    #[serde(default)]
    pub professional: Option<String>,
    /// The moment; not stated: [`crate::testing::NOW`].
    #[serde(default)]
    pub now: Option<Timestamp>,
}

/// A call of the same pack that runs before an example, in its scratch database.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrangedCall {
    /// The command.
    pub operation: String,
    /// Its arguments.
    pub input: Value,
}

/// A call that works.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuccessCase {
    /// Its id.
    pub id: String,
    /// What it shows.
    #[serde(default)]
    pub description: Option<String>,
    /// The command.
    pub operation: String,
    /// Arguments: satisfy the input schema and the validators.
    pub input: Value,
    /// Result: satisfies the output schema.
    pub output: Value,
    /// What the other side answered when this was recorded; the result is made of it. This or `response_file`.
    #[serde(default)]
    pub response: Option<Value>,
    /// The JSON file of the folder that holds the recorded answer.
    #[serde(default)]
    pub response_file: Option<String>,
    /// What the pack's own read commands answer while the input is checked, by command.
    #[serde(default)]
    pub lookups: Option<Value>,
    /// Calls that run before it, in the scratch database of a native pack.
    #[serde(default)]
    pub arrange: Vec<ArrangedCall>,
    /// The moment at which it takes place, for helpers that ask for the time; not stated: [`crate::testing::NOW`].
    #[serde(default)]
    pub now: Option<Timestamp>,
    /// Types of `field_mappings` that it shows.
    #[serde(default)]
    pub custom_fields_used: Vec<String>,
    /// Why it is worth showing.
    #[serde(default)]
    pub notes: Option<String>,
}

/// A call that must be refused before it runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailureCase {
    /// Its id.
    pub id: String,
    /// What it shows.
    #[serde(default)]
    pub description: Option<String>,
    /// The command.
    pub operation: String,
    /// Part of the error: a pointer, a problem's word or its message.
    pub error_message: String,
    /// Arguments that are refused.
    pub wrong_input: Value,
    /// Why they are wrong.
    pub cause: String,
    /// Arguments that would be right.
    #[serde(default)]
    pub correct_input: Option<Value>,
    /// What would be right, in words.
    #[serde(default)]
    pub solution: Option<String>,
    /// The anti-pattern that the refusal must cite, as `anti_patterns.<id>` or its id.
    #[serde(default)]
    pub reference: Option<String>,
    /// What the pack's own read commands answer while the input is checked, by command.
    #[serde(default)]
    pub lookups: Option<Value>,
    /// The moment at which it takes place, for helpers that ask for the time; not stated: [`crate::testing::NOW`].
    #[serde(default)]
    pub now: Option<Timestamp>,
}

/// What something of the pack must compute.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeCase {
    /// Its id.
    pub id: String,
    /// What it shows.
    #[serde(default)]
    pub description: Option<String>,
    /// A helper that is called.
    #[serde(default)]
    pub helper: Option<String>,
    /// A processor that is run.
    #[serde(default)]
    pub processor: Option<String>,
    /// An expression that is computed.
    #[serde(default)]
    pub expression: Option<String>,
    /// `true` checks that `payload_schemas` detects the format of a payload.
    #[serde(default)]
    pub detection: bool,
    /// A field mapping, as `group.type`, whose extraction is called.
    #[serde(default)]
    pub extraction: Option<String>,
    /// The moment at which it takes place, for helpers that ask for the time; not stated: [`crate::testing::NOW`].
    #[serde(default)]
    pub now: Option<Timestamp>,
    /// Inputs with what must come of them.
    pub cases: Vec<EdgeInput>,
    /// Why it is worth showing.
    #[serde(default)]
    pub notes: Option<String>,
}

/// One input with what must come of it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeInput {
    /// The one argument; this or `arguments`.
    #[serde(default)]
    pub input: Value,
    /// All arguments of a helper.
    #[serde(default)]
    pub arguments: Option<Vec<Value>>,
    /// What must come of it; fields that are not named here may be there, too, if `partial`.
    #[serde(default)]
    pub expected: Value,
    /// Part of the error that must come of it instead.
    #[serde(default)]
    pub error: Option<String>,
    /// Objects may have more fields than `expected` names.
    #[serde(default)]
    pub partial: bool,
}

/// What an edge case is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A helper.
    Helper(&'a str),
    /// A processor.
    Processor(&'a str),
    /// An expression.
    Expression(&'a str),
    /// The format of a payload.
    Detection,
    /// A field mapping, as `group.type`.
    Extraction(&'a str),
}

impl EdgeCase {
    /// What it is about; `None` if it names nothing, or several things.
    #[must_use]
    pub fn subject(&self) -> Option<Subject<'_>> {
        let mut named = [
            self.helper.as_deref().map(Subject::Helper),
            self.processor.as_deref().map(Subject::Processor),
            self.expression.as_deref().map(Subject::Expression),
            self.detection.then_some(Subject::Detection),
            self.extraction.as_deref().map(Subject::Extraction),
        ]
        .into_iter()
        .flatten();
        let first = named.next();
        if named.next().is_some() { None } else { first }
    }
}
