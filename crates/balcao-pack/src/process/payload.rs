//! Formats of payloads: which one came, and where its data is.

use balcao_tool::{FieldProblem, validate::Schema};
use serde_json::Value;

use crate::expression::{Expression, ExpressionError};

/// The formats that a pack knows, in the order in which they are tried: the first whose detection holds is the one.
#[derive(Debug, Default)]
pub struct Formats {
    pub(super) formats: Vec<Format>,
}

#[derive(Debug)]
pub(super) struct Format {
    pub(super) name: String,
    pub(super) detection: Expression,
    pub(super) path: Expression,
    pub(super) schema: Option<Schema>,
}

/// A payload with its detected format.
#[derive(Debug, Clone, PartialEq)]
pub struct Detected {
    /// The format's name.
    pub format: String,
    /// The data; `null` if nothing stands where the format says.
    pub payload: Value,
    /// What of the data breaks the format's schema.
    pub problems: Vec<FieldProblem>,
}

/// A detection or a path that could not be computed over what came.
#[derive(Debug, Clone, thiserror::Error)]
#[error("format `{format}`: {source}")]
pub struct DetectError {
    /// The format.
    pub format: String,
    /// Why.
    pub source: ExpressionError,
}

impl Formats {
    /// Tells the format of what came; `None` if it is none of those that the pack knows.
    ///
    /// # Errors
    /// An expression that does not take such values.
    pub fn detect(&self, came: &Value) -> Result<Option<Detected>, DetectError> {
        for Format { name, detection, path, schema } in &self.formats {
            let wrong = |source| DetectError { format: name.clone(), source };
            if detection.holds(came).map_err(wrong)? {
                let payload = path.value(came).map_err(wrong)?;
                let problems = schema.as_ref().map(|schema| schema.problems(&payload)).unwrap_or_default();
                return Ok(Some(Detected { format: name.clone(), payload, problems }));
            }
        }
        Ok(None)
    }
}
