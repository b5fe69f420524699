//! What can go wrong, for those who wrote the helper, those who called it and those who run the server.
//!
//! `Display` and `source()` are for authors and staff, [`HelperError::for_model`] is for a model. Customers never hear of helpers.

use std::{fmt, io, time::Duration};

use serde::{Deserialize, Serialize};

use crate::language::Language;

/// Why helpers do not make a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// Two helpers have one id.
    #[error("two helpers have the id `{helper}`")]
    Duplicate {
        /// The id.
        helper: String,
    },
    /// A dependency names no helper.
    #[error("helper `{helper}` depends on `{dependency}`, which is not there")]
    UnknownDependency {
        /// Who depends.
        helper: String,
        /// On whom.
        dependency: String,
    },
    /// A helper needs itself, by way of others or directly.
    #[error("helper `{}` needs itself: {}", path.first().map_or("", String::as_str), path.join(" → "))]
    Cycle {
        /// The way round; the first is also the last.
        path: Vec<String>,
    },
    /// No interpreter of that language is built in. Never skipped in silence.
    #[error("unsupported_language: helper `{helper}` is written in {language:?}; helpers are written in JavaScript")]
    UnsupportedLanguage {
        /// The helper.
        helper: String,
        /// Its language.
        language: Language,
    },
    /// More code than anybody writes.
    #[error("{bytes} bytes of code; a bundle holds {most} at most")]
    TooLong {
        /// How many.
        bytes: usize,
        /// How many there may be.
        most: usize,
    },
    /// More helpers than anybody writes.
    #[error("{count} helpers; a bundle holds {most} at most")]
    TooMany {
        /// How many.
        count: usize,
        /// How many there may be.
        most: usize,
    },
}

/// A place in an author's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// As [`Helper::file`](crate::Helper::file) says.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Code that is not a helper: it does not parse, fails while it loads, or has no function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("helper `{helper}`: {message}{}", place_text(place.as_ref()))]
pub struct CompileError {
    /// The helper's id.
    pub helper: String,
    /// What the engine says.
    pub message: String,
    /// Where, if it says so.
    pub place: Option<Place>,
}

/// A limit, with what it was set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenLimit {
    /// Processor time, or the wall-clock time that follows from it.
    Time(Duration),
    /// Bytes of heap.
    Memory(u32),
    /// Bytes of the answer.
    Output(u32),
    /// Bytes of stack.
    Stack(u32),
    /// Bytes of the arguments as JSON.
    Input(usize),
}

impl fmt::Display for BrokenLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(limit) => write!(f, "time limit of {} ms", limit.as_millis()),
            Self::Memory(bytes) => write!(f, "memory limit of {} KiB", bytes / 1024),
            Self::Output(bytes) => write!(f, "output limit of {} KiB", bytes.div_ceil(1024)),
            Self::Stack(bytes) => write!(f, "stack limit of {} KiB", bytes / 1024),
            Self::Input(bytes) => write!(f, "input limit of {} KiB", bytes / 1024),
        }
    }
}

/// A whole number that would lose its digits in a helper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostDigits {
    /// Where it stands in the arguments or in the answer, as a JSON pointer.
    pub pointer: String,
    /// Whether the helper gave it, and did not get it.
    pub is_answer: bool,
}

impl fmt::Display for LostDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.is_answer { "the answer" } else { "the arguments" };
        let place = &self.pointer;
        write!(f, "a whole number beyond 2^53 at `{place}` of {whose}, whose digits are not kept; expected a text")
    }
}

/// Why a call of a helper gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum HelperError {
    /// The bundle has no such helper.
    #[error("unknown helper `{helper}`")]
    Unknown {
        /// The id that was called.
        helper: String,
    },
    /// It used more than it may.
    #[error("helper `{helper}` broke its {limit}")]
    Limit {
        /// The helper that was called.
        helper: String,
        /// Which limit.
        limit: BrokenLimit,
    },
    /// A whole number beyond 2^53: JavaScript has no such numbers, and gives another one for it without a word.
    #[error("helper `{helper}`: {number}")]
    Digits {
        /// The helper that was called.
        helper: String,
        /// The number, and whose it is.
        number: LostDigits,
    },
    /// It threw, does not parse, has no function to call, or answered with what is not JSON.
    #[error("helper `{helper}`: {message}{}", place_text(place.as_ref()))]
    Thrown {
        /// The helper that was called; `place` may lie in one that it depends on.
        helper: String,
        /// The error as the engine words it, such as `TypeError: x is not a function`. The helper's words: not to be trusted.
        message: String,
        /// Where it was thrown, if that is known.
        place: Option<Place>,
        /// The frames, innermost first, in the author's files.
        stack: Vec<String>,
    },
    /// Its process died or talked nonsense, and was replaced.
    #[error("helper `{helper}`: its worker {reason}")]
    Worker {
        /// The helper that was called.
        helper: String,
        /// What was seen of it.
        reason: String,
    },
    /// No worker could be started.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl HelperError {
    /// Whether another helper, or this one with other arguments, may well work: it is the code that failed, not the machine.
    #[must_use]
    pub fn is_the_helpers(&self) -> bool {
        match self {
            Self::Unknown { .. } | Self::Limit { .. } | Self::Digits { .. } | Self::Thrown { .. } => true,
            Self::Worker { .. } | Self::Start(_) => false,
        }
    }

    /// What a model may read: the words of the author's code for its caller, and never files, lines or processes.
    #[must_use]
    pub fn for_model(&self) -> String {
        match self {
            Self::Thrown { message, .. } => message.clone(),
            Self::Limit { limit, .. } => format!("the computation broke its {limit}"),
            Self::Digits { number, .. } => number.to_string(),
            Self::Unknown { .. } | Self::Worker { .. } | Self::Start(_) => {
                "the computation could not be run".to_owned()
            }
        }
    }
}

/// Why no worker process could be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The operating system refused.
    #[error("the worker process could not be started")]
    Spawn(#[source] io::Error),
    /// It did not introduce itself as one of ours.
    #[error("the worker process did not introduce itself: {reason}")]
    Greeting {
        /// What it did instead.
        reason: String,
    },
}

fn place_text(place: Option<&Place>) -> String {
    place.map_or_else(String::new, |place| format!(" ({place})"))
}
