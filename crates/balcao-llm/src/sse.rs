//! Server-sent events from bytes, as the HTML standard's "event stream interpretation" reads them.
//!
//! Whatever the pieces in which the bytes come, the events are the same: lines are cut at CR, LF or CRLF before they are
//! decoded, so a piece may end inside a character. Unlike a browser, a last event without its blank line is given out by
//! [`SseDecoder::finish`], because some vendors forget it, and a line of data that is a whole JSON object is an event also if another
//! line of data follows at once: services that forget the blank lines would otherwise be unreadable, and be read only at their end. `id` and `retry` fields are ignored: nothing here reconnects.

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event` field; empty if there was none.
    pub name: String,
    /// The `data` fields, joined by line feeds. Bytes that are no UTF-8 become U+FFFD.
    pub data: String,
}

/// A line or an event was larger than the limit; the stream cannot be read on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is larger than {limit} bytes")]
pub struct SseTooLarge {
    /// The limit, in bytes.
    pub limit: usize,
}

/// Turns pieces of a byte stream into events.
#[derive(Debug)]
pub struct SseDecoder {
    limit: usize,
    line: Vec<u8>,
    name: Option<String>,
    data: Option<String>,
    after_cr: bool,
    first_line: bool,
    split_lines: bool,
}

impl SseDecoder {
    /// A decoder that refuses a line or an event of more than `limit` bytes.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { limit, line: Vec::new(), name: None, data: None, after_cr: false, first_line: true, split_lines: false }
    }

    /// Reads the next piece and appends the events that it completes to `events`.
    ///
    /// # Errors
    /// [`SseTooLarge`]; events before it were appended.
    pub fn push(&mut self, mut bytes: &[u8], events: &mut Vec<SseEvent>) -> Result<(), SseTooLarge> {
        if self.after_cr
            && let Some((first, rest)) = bytes.split_first()
        {
            self.after_cr = false;
            if *first == b'\n' {
                bytes = rest;
            }
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (line, rest) = bytes.split_at(end);
            self.extend_line(line)?;
            self.end_line(events)?;
            bytes = match rest {
                [b'\r', b'\n', tail @ ..] | [_, tail @ ..] => {
                    self.after_cr = rest == b"\r";
                    tail
                }
                [] => rest,
            };
        }
        self.extend_line(bytes)
    }

    /// Ends the stream: gives out what was not followed by a blank line.
    ///
    /// # Errors
    /// [`SseTooLarge`] if the last line makes the last event too large.
    pub fn finish(&mut self, events: &mut Vec<SseEvent>) -> Result<(), SseTooLarge> {
        self.end_line(events)?;
        self.dispatch(events);
        Ok(())
    }

    fn extend_line(&mut self, bytes: &[u8]) -> Result<(), SseTooLarge> {
        if self.line.len().saturating_add(bytes.len()) > self.limit {
            return Err(SseTooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<SseEvent>) -> Result<(), SseTooLarge> {
        let bytes = std::mem::take(&mut self.line);
        let decoded = String::from_utf8_lossy(&bytes);
        let mut line = decoded.as_ref();
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix('\u{feff}').unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(events);
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => {
                self.dispatch_object(events);
                self.name = Some(value.to_owned());
            }
            "data" => {
                self.dispatch_object(events);
                let held = self.data.as_ref().map_or(0, String::len);
                if held.saturating_add(value.len()) > self.limit {
                    return Err(SseTooLarge { limit: self.limit });
                }
                match &mut self.data {
                    Some(data) => {
                        data.push('\n');
                        data.push_str(value);
                    }
                    None => self.data = Some(value.to_owned()),
                }
            }
            // A line that begins with a colon has an empty field name: a comment.
            _ => {}
        }
        Ok(())
    }

    /// Gives out what is held if it is one line, and that a whole JSON object (or `null`, with which some services begin): nothing
    /// that follows can be of the same document.
    fn dispatch_object(&mut self, events: &mut Vec<SseEvent>) {
        let Some(held) = &self.data else { return };
        let may_be = held == "null" || (held.starts_with('{') && held.trim_ascii_end().ends_with('}'));
        // An object over several lines is not looked at again with each of them.
        let is_one_line = !held.contains('\n');
        if may_be && is_one_line && serde_json::from_str::<serde::de::IgnoredAny>(held).is_ok() {
            self.split_lines = true;
            self.dispatch(events);
        }
    }

    /// Whether two events stood in the stream without a blank line between them.
    pub(crate) const fn split_lines(&self) -> bool {
        self.split_lines
    }

    fn dispatch(&mut self, events: &mut Vec<SseEvent>) {
        let name = self.name.take().unwrap_or_default();
        if let Some(data) = self.data.take() {
            events.push(SseEvent { name, data });
        }
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
