//! Escapes that no text can hold: half of a surrogate pair. A telephone cuts a name in the middle of an emoji, a service sends one half
//! in this piece of a text and the other in the next.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::RangeInclusive;

const FIRST: RangeInclusive<u16> = 0xD800..=0xDBFF;
const SECOND: RangeInclusive<u16> = 0xDC00..=0xDFFF;
/// Bytes of `\u0000`.
const ESCAPE: usize = 6;
/// What stands for a half whose other half is not there.
const REPLACEMENT: &str = "\u{fffd}";

/// The text without the byte order mark before it. It says nothing of UTF-8, and some services write it.
#[must_use]
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// A JSON text in which each escaped half of a pair whose other half is not beside it is `\ufffd`. Places stay where they are.
#[must_use]
pub fn mend_escapes(text: &[u8]) -> Cow<'_, [u8]> {
    let mut mended = Vec::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(next) = text.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        at += next;
        match unit(text, at) {
            Some(half) if FIRST.contains(&half) && is_second(text, at + ESCAPE) => at += 2 * ESCAPE,
            Some(half) if FIRST.contains(&half) || SECOND.contains(&half) => {
                mended.extend_from_slice(text.get(kept..at).unwrap_or_default());
                mended.extend_from_slice(br"\ufffd");
                at += ESCAPE;
                kept = at;
            }
            Some(_) => at += ESCAPE,
            // Another escape; the character behind the backslash begins none.
            None => at += 2,
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    mended.extend_from_slice(text.get(kept..).unwrap_or_default());
    Cow::Owned(mended)
}

/// The UTF-16 unit of the escape that begins at a byte.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let [b'\\', b'u', digits @ ..] = text.get(at..at.checked_add(ESCAPE)?)? else { return None };
    // The reader of numbers would take a sign, too.
    let digits =
        std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

fn is_second(text: &[u8], at: usize) -> bool {
    unit(text, at).is_some_and(|half| SECOND.contains(&half))
}

/// Control characters within the texts of a JSON text are escaped, as they should have been.
pub(crate) fn escape_controls(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c.is_ascii_control()) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    let (mut is_inside, mut is_escape) = (false, false);
    for c in text.chars() {
        match c {
            '"' if !is_escape => is_inside = !is_inside,
            c if is_inside && c < ' ' => {
                // Writing to a text cannot fail.
                let _ = write!(escaped, "\\u{:04x}", u32::from(c));
                is_escape = false;
                continue;
            }
            _ => {}
        }
        is_escape = is_inside && c == '\\' && !is_escape;
        escaped.push(c);
    }
    Cow::Owned(escaped)
}

/// A text that comes in pieces, each a JSON string of its own: halves of one character find each other.
#[derive(Debug, Default)]
pub struct Pieces {
    /// The first half that the last piece ended with, as an escape.
    held: Option<String>,
}

impl Pieces {
    /// Nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { held: None }
    }

    /// The text of a piece, a JSON string with its quotes, as far as it is known: half a character at its end waits for the next piece.
    ///
    /// # Errors
    /// The piece is no JSON string.
    pub fn push(&mut self, piece: &str) -> Result<String, serde_json::Error> {
        let is_plain = self.held.is_none() && !piece.contains(r"\u");
        let inside = piece.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let Some(inside) = inside.filter(|_| !is_plain) else { return serde_json::from_str(piece) };
        if inside.is_empty() {
            return Ok(String::new());
        }
        let mut whole = self.held.take().unwrap_or_default();
        whole.push_str(inside);
        let cut = ends_with_first_half(&whole);
        if let Some(at) = cut {
            self.held = Some(whole.split_off(at));
        }
        let quoted = format!("\"{whole}\"");
        let mended = mend_escapes(quoted.as_bytes());
        serde_json::from_slice(&mended)
    }

    /// What stands for half a character whose other half never came.
    pub fn rest(&mut self) -> &'static str {
        if self.held.take().is_some() { REPLACEMENT } else { "" }
    }
}

/// Where the escape of a first half begins that a text ends with.
fn ends_with_first_half(text: &str) -> Option<usize> {
    let at = text.len().checked_sub(ESCAPE)?;
    let bytes = text.as_bytes();
    unit(bytes, at).filter(|half| FIRST.contains(half))?;
    // An odd number of backslashes before it makes its own backslash the end of another escape.
    let before = bytes.get(..at)?.iter().rev().take_while(|byte| **byte == b'\\').count();
    (before % 2 == 0).then_some(at)
}
