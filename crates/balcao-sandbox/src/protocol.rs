//! How the server and a worker talk: frames over the worker's standard input and output.
//!
//! A frame is its length (four bytes, little-endian), a byte that says what it is, and its body. A worker first sends one [`Greeting`]; the
//! server sends [`Setup`] once; then calls and answers take turns. Values of helpers cross as the JSON text they are: the server writes
//! what it has, and the worker's engine reads it. Everything a worker sends is taken as hostile: lengths are bounded before anything
//! is read, and an answer must carry the number of the call it answers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{confinement::Confinement, helper::Helper, limits::Limits};

/// Of the protocol: the server and its workers are one executable, so a mismatch means that the launcher starts something else.
pub const VERSION: u32 = 1;

/// The longest frame towards a worker: arguments, or the sources of a bundle.
pub const MAX_REQUEST_BYTES: usize = 16 << 20;

/// What an answer may hold beyond its output: header, or an error with its stack.
pub const ANSWER_OVERHEAD_BYTES: usize = 64 << 10;

/// What a worker says first.
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// [`VERSION`].
    pub version: u32,
    /// What keeps the worker in.
    pub confinement: Confinement,
}

/// The set-up that a worker receives once: all code it will ever run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Setup {
    /// In the order that calls refer to.
    pub helpers: Vec<Helper>,
}

/// One call, without its arguments, which follow as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallHeader {
    /// Comes back in the answer.
    pub number: u64,
    /// Only load and look for the function; the answer is `null`.
    pub check_only: bool,
    /// Milliseconds since 1970 that the helper takes for now.
    pub now_ms: i64,
    /// What it may use.
    pub limits: Limits,
    /// Positions in [`Setup::helpers`]: dependencies first, the one to call last.
    pub order: Vec<u32>,
}

/// What kind of frame it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A [`Greeting`] as JSON.
    Greeting,
    /// A [`Setup`] as JSON.
    Setup,
    /// A [`CallHeader`] and the arguments: a JSON array.
    Call,
    /// The answer's number, whether it is the worker's last, and the value as JSON.
    Value,
    /// The answer's number, whether it is the worker's last, and a [`Failure`] as JSON.
    Failure,
}

impl Kind {
    /// The kind of that byte.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Self> {
        [Self::Greeting, Self::Setup, Self::Call, Self::Value, Self::Failure]
            .into_iter()
            .find(|kind| kind.byte() == byte)
    }

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Greeting => 1,
            Self::Setup => 2,
            Self::Call => 3,
            Self::Value => 4,
            Self::Failure => 5,
        }
    }
}

/// Why a call failed, in the worker's words. Lines are those of the author's files already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What happened.
    pub cause: Cause,
    /// The error's name and message.
    pub message: String,
    /// The frames: a function's name and where it stands.
    pub stack: Vec<String>,
    /// Where it was thrown.
    pub place: Option<crate::error::Place>,
}

/// What made a call fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The code: it threw, or does not parse.
    Thrown,
    /// Processor time.
    Time,
    /// Heap.
    Memory,
    /// Length of the answer.
    Output,
    /// Stack.
    Stack,
}

/// Begins a frame; [`seal`] ends it.
#[must_use]
pub fn frame(kind: Kind) -> Vec<u8> {
    let mut frame = Vec::with_capacity(256);
    frame.extend_from_slice(&[0; 4]);
    frame.push(kind.byte());
    frame
}

/// Writes the frame's length into its first bytes. `None` if it is too long for any frame.
#[must_use]
pub fn seal(mut frame: Vec<u8>) -> Option<Vec<u8>> {
    let length = u32::try_from(frame.len().checked_sub(4)?).ok()?;
    frame.first_chunk_mut::<4>()?.copy_from_slice(&length.to_le_bytes());
    Some(frame)
}

impl CallHeader {
    /// Appends the header to a frame.
    pub fn write(&self, frame: &mut Vec<u8>) {
        frame.extend_from_slice(&self.number.to_le_bytes());
        frame.push(u8::from(self.check_only));
        frame.extend_from_slice(&self.now_ms.to_le_bytes());
        let time_us = u32::try_from(self.limits.time.as_micros()).unwrap_or(u32::MAX);
        for number in [time_us, self.limits.memory_bytes, self.limits.output_bytes, self.limits.stack_bytes] {
            frame.extend_from_slice(&number.to_le_bytes());
        }
        frame.extend_from_slice(&u32::try_from(self.order.len()).unwrap_or(u32::MAX).to_le_bytes());
        for position in &self.order {
            frame.extend_from_slice(&position.to_le_bytes());
        }
    }

    /// Reads the header of a call's body, and gives the arguments that follow.
    #[must_use]
    pub fn read(body: &[u8]) -> Option<(Self, &[u8])> {
        let mut rest = body;
        let number = u64::from_le_bytes(take(&mut rest)?);
        let [check_only] = take(&mut rest)?;
        let now_ms = i64::from_le_bytes(take(&mut rest)?);
        let time_us = u32::from_le_bytes(take(&mut rest)?);
        let memory_bytes = u32::from_le_bytes(take(&mut rest)?);
        let output_bytes = u32::from_le_bytes(take(&mut rest)?);
        let stack_bytes = u32::from_le_bytes(take(&mut rest)?);
        let count = u32::from_le_bytes(take(&mut rest)?);
        let mut order = Vec::new();
        for _ in 0..count {
            order.push(u32::from_le_bytes(take(&mut rest)?));
        }
        let limits = Limits { time: Duration::from_micros(time_us.into()), memory_bytes, output_bytes, stack_bytes };
        Some((Self { number, check_only: check_only != 0, now_ms, limits, order }, rest))
    }
}

/// An answer: its number, whether the worker ends after it, and the rest of the frame.
#[must_use]
pub fn read_answer(body: &[u8]) -> Option<(u64, bool, &[u8])> {
    let mut rest = body;
    let number = u64::from_le_bytes(take(&mut rest)?);
    let [last] = take(&mut rest)?;
    Some((number, last != 0, rest))
}

/// A whole answer, ready to be sent. `None` if it is too long for any frame.
#[must_use]
pub fn answer(kind: Kind, number: u64, last: bool, body: &[u8]) -> Option<Vec<u8>> {
    let mut answer = frame(kind);
    answer.extend_from_slice(&number.to_le_bytes());
    answer.push(u8::from(last));
    answer.extend_from_slice(body);
    seal(answer)
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, left) = rest.split_first_chunk::<N>()?;
    *rest = left;
    Some(*taken)
}

#[cfg(test)]
#[path = "protocol_tests.rs"]
mod tests;
