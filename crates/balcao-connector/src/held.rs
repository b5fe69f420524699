//! What one call holds of answers at a time: over all its pages, entries and redirects together.
//!
//! What was read is given back once the part that matters was taken from it; that part is held until the call ends.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Values of JSON that one call holds: a value takes some hundred bytes of memory, however short its text is.
pub(crate) const MAX_VALUES: usize = 200_000;

/// What is left of the budget of one call.
#[derive(Debug)]
pub(crate) struct Held {
    bytes: AtomicUsize,
    values: AtomicUsize,
}

impl Held {
    /// A budget of so many bytes.
    pub(crate) const fn new(bytes: usize) -> Self {
        Self { bytes: AtomicUsize::new(bytes), values: AtomicUsize::new(MAX_VALUES) }
    }

    /// Takes bytes that are being read; false if they are too many.
    pub(crate) fn take_bytes(&self, count: usize) -> bool {
        take(&self.bytes, count)
    }

    /// Gives bytes back that are held no longer.
    pub(crate) fn give_bytes(&self, count: usize) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// The values that an answer may have now.
    pub(crate) fn values_left(&self) -> usize {
        self.values.load(Ordering::Relaxed)
    }

    /// Keeps what matters of an answer until the call ends; false if it is too much.
    pub(crate) fn keep(&self, value: &Value) -> bool {
        let (values, bytes) = size(value);
        take(&self.values, values) && take(&self.bytes, bytes)
    }
}

fn take(from: &AtomicUsize, count: usize) -> bool {
    from.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(count)).is_ok()
}

/// Values and bytes of a result that are looked through where it arrives.
const INLINE_VALUES: usize = 5_000;
const INLINE_BYTES: usize = 256 * 1024;

/// Whether looking through a result would hold up others on the same thread.
pub(crate) fn is_large(value: &Value) -> bool {
    let (values, bytes) = size(value);
    values > INLINE_VALUES || bytes > INLINE_BYTES
}

/// The values within a value, itself among them, and the bytes of its texts.
fn size(value: &Value) -> (usize, usize) {
    let sum = |(values, bytes): (usize, usize), (more, further): (usize, usize)| (values + more, bytes + further);
    match value {
        Value::String(text) => (1, text.len()),
        Value::Array(items) => items.iter().map(size).fold((1, 0), sum),
        Value::Object(fields) => fields.iter().map(|(key, field)| sum((0, key.len()), size(field))).fold((1, 0), sum),
        Value::Null | Value::Bool(_) | Value::Number(_) => (1, 0),
    }
}
