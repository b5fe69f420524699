//! How a failure is to be treated; each use case's error enum answers with one of these.

use serde::{Deserialize, Serialize};

/// What kind of failure an error is, for the breaker, retries and alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// A correct "no": tell the model, carry on, do not count.
    Refused,
    /// The caller's own mistake, which it can mend.
    Correction,
    /// May pass by itself: retry within the deadline, then count.
    Transient,
    /// Broken until a person repairs it: count it, and alert staff.
    Fault,
}
