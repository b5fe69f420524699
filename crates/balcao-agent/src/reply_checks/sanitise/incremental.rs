//! Cleaning a text while it is still being written.

use super::{Sanitised, Sanitiser, Verdict, edit::sentences};

/// What is left to send when the text has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The rest of the reply, after all that was released; `None` if there is none.
    pub rest: Option<String>,
    /// The judgement of the whole text. With [`Verdict::Retry`] or [`Verdict::Block`] nothing more may be shown.
    pub sanitised: Sanitised,
}

/// Releases a growing text sentence by sentence, as far as nothing in it could be removed later.
///
/// Only whole sentences go out, only as long as everything so far is plain; from the first doubtful sentence on, all waits
/// for [`Incremental::finish`]. What was released is therefore the beginning of what [`Sanitiser::clean`] would send for the
/// whole text. The one thing that no prefix can foresee is a closing reasoning tag without an opening one: for models whose
/// prompt opens their reasoning, `open_reasoning` holds everything back to the end.
#[derive(Debug, Clone)]
pub struct Incremental {
    sanitiser: Sanitiser,
    text: String,
    /// Bytes of `text` that were looked at and found plain.
    plain: usize,
    /// Bytes of the trimmed text that were released.
    released: String,
    held: bool,
}

impl Incremental {
    /// Begins a text. `open_reasoning` if it may begin inside a chain of thought that only a closing tag ends.
    #[must_use]
    pub fn new(sanitiser: &Sanitiser, open_reasoning: bool) -> Self {
        Self {
            sanitiser: sanitiser.clone(),
            text: String::new(),
            plain: 0,
            released: String::new(),
            held: open_reasoning,
        }
    }

    /// Takes the next piece and gives what may be shown now.
    pub fn push(&mut self, piece: &str) -> Option<String> {
        self.text.push_str(piece);
        if self.held || !piece.contains([' ', '\n']) {
            return None;
        }
        let fresh = self.text.get(self.plain..).unwrap_or_default();
        let mut ends = sentences(fresh).into_iter().filter(|sentence| {
            let words = fresh.get(sentence.clone()).unwrap_or_default();
            words.ends_with(' ') && words.trim_end().ends_with(['.', '!', '?', '…'])
        });
        let end = ends.next_back()?.end.saturating_add(self.plain);
        let head = self.text.get(..end).unwrap_or_default();
        if !self.sanitiser.is_plain(head) || head.trim().is_empty() {
            self.held = true;
            return None;
        }
        self.plain = end;
        // The last blank waits: a removal behind it may take it along.
        let ready = head.trim();
        let new = ready.strip_prefix(self.released.as_str()).unwrap_or_default().to_owned();
        self.released = ready.to_owned();
        (!new.is_empty()).then_some(new)
    }

    /// The text has ended.
    #[must_use]
    pub fn finish(self) -> Finished {
        let sanitised = self.sanitiser.clean(&self.text);
        let rest = match &sanitised.verdict {
            Verdict::Send(clean) => clean.strip_prefix(self.released.as_str()).filter(|rest| !rest.is_empty()),
            Verdict::Retry(_) | Verdict::Block(_) => None,
        };
        Finished { rest: rest.map(str::to_owned), sanitised }
    }
}
