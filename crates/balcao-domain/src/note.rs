//! Internal notes: for staff, never for the customer and never in a prompt.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::{ContactId, NoteId};

/// A note about a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Its id.
    pub id: NoteId,
    /// The contact that it is about.
    pub contact: ContactId,
    /// Its text.
    pub content: String,
    /// Who wrote it: `agent`, or a person of staff.
    pub author: String,
    /// When it was written.
    pub created_at: Timestamp,
}
