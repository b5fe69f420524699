//! Every limit of the tool layer, in one place.

use std::time::Duration;

/// A tool call's time where its command states none (specification part 1 §2).
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a queryable effect may take to show, where its command says nothing.
pub const DEFAULT_SETTLE: Duration = Duration::from_secs(5);
/// Largest raw argument text that is looked at, in bytes.
pub const MAX_ARGUMENT_BYTES: usize = 32 * 1024;
/// Largest nesting of arguments.
pub const MAX_ARGUMENT_DEPTH: usize = 16;
/// Largest result given to a model, in bytes of JSON; larger ones are cut to a head.
pub const MAX_RESULT_BYTES: usize = 16 * 1024;
/// Calls of one step that are looked at; further ones are answered without running.
pub const MAX_CALLS_PER_STEP: usize = 16;
/// Field problems reported for one call.
pub const MAX_FIELD_PROBLEMS: usize = 20;
/// Longest value quoted back in a field problem, in characters.
pub const MAX_QUOTED_CHARS: usize = 80;
/// Names offered beside an unknown one.
pub const MAX_SUGGESTIONS: usize = 3;
