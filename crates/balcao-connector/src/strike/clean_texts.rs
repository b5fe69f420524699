//! Remembers short texts that hold no secret: the keys of a list return in each of its entries, and so do many names and states.

/// Texts that are remembered at most, and bytes of the longest: two kilobytes in all.
const SLOTS: usize = 64;
const LONGEST: usize = 31;

/// Short texts of one value that one striker found clean.
pub(super) struct CleanTexts {
    /// Each text by its bytes and its length. A later text of the same slot takes the place of an earlier one.
    slots: [([u8; LONGEST], u8); SLOTS],
}

impl CleanTexts {
    pub(super) const fn new() -> Self {
        Self { slots: [([0; LONGEST], 0); SLOTS] }
    }

    /// Whether this text is remembered; the empty text always is.
    pub(super) fn contains(&self, text: &str) -> bool {
        let slot = self.slots.get(slot_of(text.as_bytes()));
        slot.is_some_and(|(bytes, length)| bytes.get(..usize::from(*length)) == Some(text.as_bytes()))
    }

    /// Remembers a text, if it is short.
    pub(super) fn insert(&mut self, text: &str) {
        let Some((bytes, length)) = self.slots.get_mut(slot_of(text.as_bytes())) else { return };
        let (Some(room), Ok(new_length)) = (bytes.get_mut(..text.len()), u8::try_from(text.len())) else { return };
        room.copy_from_slice(text.as_bytes());
        *length = new_length;
    }
}

/// A hash of the length and three bytes: it has to be quicker than a search, and texts that share a slot cost only that.
fn slot_of(text: &[u8]) -> usize {
    let some_bytes = [text.first(), text.get(text.len() / 2), text.last()];
    some_bytes.into_iter().flatten().fold(text.len(), |hash, byte| hash.wrapping_mul(31) + usize::from(*byte)) % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_contained_once_it_was_inserted_and_no_other() {
        let mut clean = CleanTexts::new();
        let texts = ["assignees", "assignee", "due_date", "Íris Prado", "a text of thirty-one bytes here"];
        for text in texts {
            assert!(!clean.contains(text), "{text}");
            clean.insert(text);
            assert!(clean.contains(text), "{text}");
        }
        assert!(texts.iter().all(|text| clean.contains(text)));
        // The same length and the same three bytes, so the same slot.
        assert!(!clean.contains("due-date"));
        clean.insert("due-date");
        assert!(clean.contains("due-date") && !clean.contains("due_date"));
    }

    #[test]
    fn a_long_text_is_not_remembered() {
        let mut clean = CleanTexts::new();
        let long = "x".repeat(LONGEST + 1);
        clean.insert(&long);
        assert!(!clean.contains(&long));
    }
}
