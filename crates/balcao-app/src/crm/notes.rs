//! Internal notes: for staff, never for the customer, never in a prompt.

use balcao_domain::note::Note;
use balcao_domain::{ContactId, NoteId, OrganizationId};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, crm::note};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError};

/// Longest note, in characters.
const MAX_CHARS: usize = 10_000;

/// Why a note was not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteRefusal {
    /// Nothing but spaces.
    Empty,
    /// Longer than 10,000 characters.
    TooLong,
}

/// Keeps notes.
#[derive(Debug, Clone)]
pub struct Notes {
    app: AppContext,
}

impl Notes {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Adds a note about a contact.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn add(
        &self,
        organization: OrganizationId,
        contact: ContactId,
        key: EffectKey,
        author: String,
        content: String,
    ) -> Effect<NoteId, NoteRefusal> {
        let add = move |tx: &mut Tx<'_>, now| add(tx, organization, contact, &author, &content, now);
        self.app.effect(organization, key, add).await
    }

    /// A contact's notes, oldest first.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(&self, organization: OrganizationId, contact: ContactId) -> Result<Vec<Note>, UseCaseError> {
        self.app.look(move |tx, _now| Ok(note::of_contact(tx, organization, contact)?)).await
    }
}

/// Adds a note about a contact, within a transaction of the caller's.
pub(crate) fn add(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    contact: ContactId,
    author: &str,
    content: &str,
    now: Timestamp,
) -> Result<Result<NoteId, NoteRefusal>, UseCaseError> {
    let content = content.trim();
    if content.is_empty() {
        return Ok(Err(NoteRefusal::Empty));
    }
    if content.chars().count() > MAX_CHARS {
        return Ok(Err(NoteRefusal::TooLong));
    }
    Ok(Ok(note::insert(tx, organization, contact, author, content, now)?))
}
