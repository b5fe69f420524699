//! Every limit of the tool layer, in one place.

use std::time::Duration;

/// A tool call's time where its command states none.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a queryable effect may take to show, where its command says nothing.
pub const DEFAULT_SETTLE: Duration = Duration::from_secs(5);
/// Largest raw argument text that is looked at, in bytes.
pub const MAX_ARGUMENT_BYTES: usize = 32 * 1024;
/// Largest nesting of arguments.
pub const MAX_ARGUMENT_DEPTH: usize = 16;
/// Calls of one step that are looked at; further ones are answered without running.
pub const MAX_CALLS_PER_STEP: usize = 16;
/// Field problems reported for one call.
pub const MAX_FIELD_PROBLEMS: usize = 20;
/// Longest value quoted back in a field problem, in characters.
pub const MAX_QUOTED_CHARS: usize = 80;
/// Names offered beside an unknown one.
pub const MAX_SUGGESTIONS: usize = 3;
/// Values of a schema as it is written, and parts that it stands for once its references are followed.
pub const MAX_SCHEMA_PARTS: u64 = 10_000;
/// Levels of a schema as it is written, and of references that look at one value.
pub const MAX_SCHEMA_DEPTH: usize = 64;
/// Patterns of a schema.
pub const MAX_SCHEMA_PATTERNS: usize = 100;
/// Longest pattern, in bytes.
pub const MAX_SCHEMA_PATTERN_BYTES: usize = 1_000;
/// Memory that one compiled pattern may take, in bytes.
pub const MAX_PATTERN_MEMORY: usize = 256 * 1024;
/// Steps that a pattern which looks around may take for one text.
pub const MAX_PATTERN_STEPS: usize = 2_000;
/// Values under all `enum` of a schema.
pub const MAX_SCHEMA_OPTIONS: usize = 5_000;
/// Visits of values by parts of a schema in one check: a tenth of a second.
pub const MAX_VISITS: u64 = 4_000_000;
/// The same of a result that is checked on the thread that serves the call: a millisecond. A larger one is checked beside it.
pub const MAX_INLINE_VISITS: u64 = 40_000;
/// Time for the check of a result beside the thread; a hundred times what its visits take.
pub const CHECK_TIMEOUT: Duration = Duration::from_secs(10);
/// Mistakes that a value may have and all be collected: some 200 MiB. Of a value that could have more, the first one is reported.
pub const MAX_MISTAKES_COLLECTED: u64 = 500_000;
/// Mistakes of one value that are looked at before the first of them are reported.
pub const MAX_MISTAKES_SEEN: usize = 100;
/// Allowed values among which the nearest to a wrong one is looked for.
pub const MAX_COMPARED: usize = 200;
/// Longest list of allowed values in an error, in characters.
pub const MAX_TOLD_CHARS: usize = 1_000;
