//! What a question may cost. A question beyond these is refused before anything is read, or stops while it is read.

/// Characters of a question.
pub const MAX_TEXT: usize = 2_000;
/// Stages after the source.
pub const MAX_STAGES: usize = 16;
/// How deep expressions nest.
pub const MAX_DEPTH: usize = 16;
/// Names, values and operators in a question.
pub const MAX_TERMS: usize = 200;
/// Rows that a stage may hold at once.
pub const MAX_KEPT_ROWS: usize = 100_000;
/// Groups of a `summarize`.
pub const MAX_GROUPS: usize = 10_000;
/// Rows of an answer; what lies beyond is counted, not given.
pub const MAX_ANSWER_ROWS: usize = 200;
