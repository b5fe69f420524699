//! What one call may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one call of a helper may use; its dependencies are part of the call.
///
/// Every limit lies between a floor, under which the engine itself does not fit, and a ceiling that protects the machine
/// ([`Limits::bounded`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time, so that a busy machine does not fail innocent calls. Wall-clock time is bounded too: [`Limits::wall`].
    pub time: Duration,
    /// Bytes of the engine's heap.
    pub memory_bytes: u32,
    /// Bytes of the answer as JSON.
    pub output_bytes: u32,
    /// Bytes of the engine's stack.
    pub stack_bytes: u32,
}

const FLOOR: Limits =
    Limits { time: Duration::from_millis(1), memory_bytes: 1 << 20, output_bytes: 16, stack_bytes: 64 << 10 };

const CEILING: Limits =
    Limits { time: Duration::from_secs(10), memory_bytes: 128 << 20, output_bytes: 4 << 20, stack_bytes: 4 << 20 };

impl Limits {
    /// These limits, each brought between its floor and its ceiling.
    #[must_use]
    pub fn bounded(self) -> Self {
        Self {
            time: self.time.clamp(FLOOR.time, CEILING.time),
            memory_bytes: self.memory_bytes.clamp(FLOOR.memory_bytes, CEILING.memory_bytes),
            output_bytes: self.output_bytes.clamp(FLOOR.output_bytes, CEILING.output_bytes),
            stack_bytes: self.stack_bytes.clamp(FLOOR.stack_bytes, CEILING.stack_bytes),
        }
    }

    /// After how long the worker is killed, whatever it says: some of the engine's own functions do not look at the time.
    ///
    /// Twice the processor time and 400 ms: a default call is gone after half a second. A worker that the machine has not let use up its
    /// processor time by then gets up to seven times that long again.
    #[must_use]
    pub fn wall(self) -> Duration {
        self.time * 2 + Duration::from_millis(400)
    }
}

/// 50 ms, 16 MiB, 256 KiB of output, 1 MiB of stack (some 1,600 calls deep).
impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_millis(50), memory_bytes: 16 << 20, output_bytes: 256 << 10, stack_bytes: 1 << 20 }
    }
}
