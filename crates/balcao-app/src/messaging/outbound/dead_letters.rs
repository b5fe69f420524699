//! Dead letters and messages of unknown outcome: staff read them, send them again, or dismiss them.
//!
//! The machine never repeats what may have arrived; a person may, and says so. Who did what is in the audit log.

use balcao_domain::outbox::OutboxState;
use balcao_domain::{ConversationId, OrganizationId, OutboxId};
use balcao_store::messaging::outbox::{self, FailedMessage};
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, crm::contact, crm::staff, messaging::conversation};
use jiff::Timestamp;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::context::app_context::{AppContext, UseCaseError, granted};
use crate::context::staff_email::{self, UnknownStaff};

/// A message that did not leave, or may not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Its id.
    pub id: OutboxId,
    /// `dead`: it did not arrive. `unknown`: it may have.
    pub state: OutboxState,
    /// Where.
    pub conversation: ConversationId,
    /// The name of the recipient, if it is known.
    pub contact_name: Option<String>,
    /// How.
    pub channel: String,
    /// What it is: `reply`, `staff`, …
    pub kind: String,
    /// Its words; empty if it has none.
    pub text: String,
    /// Attempts to send it.
    pub attempts: u32,
    /// Why it failed, for staff.
    pub failure: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When something last became of it.
    pub changed_at: Timestamp,
    /// When staff let it be.
    pub given_up_at: Option<Timestamp>,
}

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum DeadLetterRefusal {
    /// No such message, or it has left, or waits to.
    #[error("message {id} is unknown or did not fail; `balcao outbox list` shows the messages that failed")]
    NotFound {
        /// The id.
        id: OutboxId,
    },
    /// The e-mail address belongs to no staff member.
    #[error(transparent)]
    UnknownStaff(#[from] UnknownStaff),
    /// The outcome of the message is unknown.
    #[error("nobody knows whether {id} arrived: sent again, the customer may get it twice")]
    MayArriveTwice {
        /// The id.
        id: OutboxId,
    },
    /// Staff let it be before.
    #[error("{id} was given up before")]
    GivenUp {
        /// The id.
        id: OutboxId,
    },
}

type Answer<T> = Result<Result<T, DeadLetterRefusal>, UseCaseError>;

/// What staff do about messages that failed.
#[derive(Debug, Clone)]
pub struct DeadLetters {
    app: AppContext,
    key: Option<EffectKey>,
}

impl DeadLetters {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app, key: None }
    }

    /// Returns the service with an effect key, so that an action of staff happens once under this key.
    #[must_use]
    pub fn once(self, key: EffectKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Messages that failed, the latest first, at most `limit`, those before `before`; also those that staff let be, if `all`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(
        &self,
        organization: OrganizationId,
        all: bool,
        before: Option<OutboxId>,
        limit: u32,
    ) -> Result<Vec<DeadLetter>, UseCaseError> {
        self.app
            .look(move |tx, _now| {
                let found = outbox::list_failed(tx, organization, all, before, limit)?;
                found.into_iter().map(|one| view(tx, organization, one)).collect()
            })
            .await
    }

    /// One of them.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn show(&self, organization: OrganizationId, id: OutboxId) -> Answer<DeadLetter> {
        self.app.look(move |tx, _now| find(tx, organization, id)).await
    }

    /// Has a message sent again. Refuses a message that may have arrived, unless the caller accepts that it may arrive twice.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn retry(
        &self,
        organization: OrganizationId,
        id: OutboxId,
        email: String,
        may_arrive_twice: bool,
    ) -> Answer<()> {
        let work = move |tx: &mut Tx<'_>, now| {
            let letter = granted!(find(tx, organization, id)?);
            let actor = granted!(actor(tx, organization, &email)?);
            if letter.state == OutboxState::Unknown && !may_arrive_twice {
                return Ok(Err(DeadLetterRefusal::MayArriveTwice { id }));
            }
            outbox::retry(tx, organization, id, now)?;
            write_down(tx, organization, &letter, "outbox.retry", actor, OutboxState::Pending.as_str(), now)?;
            Ok(Ok(()))
        };
        self.act(organization, work).await
    }

    /// Lets a message be: it is not sent, and no longer listed.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn give_up(&self, organization: OrganizationId, id: OutboxId, email: String) -> Answer<()> {
        let work = move |tx: &mut Tx<'_>, now| {
            let letter = granted!(find(tx, organization, id)?);
            let actor = granted!(actor(tx, organization, &email)?);
            if !outbox::give_up(tx, organization, id, now)? {
                return Ok(Err(DeadLetterRefusal::GivenUp { id }));
            }
            write_down(tx, organization, &letter, "outbox.give_up", actor, "given_up", now)?;
            Ok(Ok(()))
        };
        self.act(organization, work).await
    }

    async fn act<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        organization: OrganizationId,
        work: impl FnOnce(&mut Tx<'_>, Timestamp) -> Answer<T> + Clone + Send + 'static,
    ) -> Answer<T> {
        self.app.act(organization, self.key.clone(), work).await
    }
}

fn find(tx: &mut Tx<'_>, organization: OrganizationId, id: OutboxId) -> Answer<DeadLetter> {
    match outbox::find_failed(tx, organization, id)? {
        Some(found) => Ok(Ok(view(tx, organization, found)?)),
        None => Ok(Err(DeadLetterRefusal::NotFound { id })),
    }
}

fn actor(tx: &mut Tx<'_>, organization: OrganizationId, email: &str) -> Answer<String> {
    let all = staff::list(tx, organization)?;
    Ok(staff_email::by_email(&all, email).map(|me| me.email.clone()).map_err(Into::into))
}

fn view(tx: &mut Tx<'_>, organization: OrganizationId, found: FailedMessage) -> Result<DeadLetter, UseCaseError> {
    let FailedMessage { message, changed_at, given_up_at } = found;
    let with = conversation::get(tx, organization, message.conversation)?.contact;
    Ok(DeadLetter {
        id: message.id,
        state: message.state,
        conversation: message.conversation,
        contact_name: contact::get(tx, organization, with)?.name,
        channel: message.channel,
        kind: message.kind,
        text: words(&message.body),
        attempts: message.attempts,
        failure: message.failure,
        created_at: message.created_at,
        changed_at,
        given_up_at,
    })
}

/// The words of a message, as far as it has any.
fn words(body: &str) -> String {
    let read: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    let found = ["/content/body", "/content/caption"].iter().find_map(|place| read.pointer(place)?.as_str());
    found.unwrap_or_default().to_owned()
}

fn write_down(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    letter: &DeadLetter,
    action: &str,
    actor: String,
    after: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let entry = AuditEntry {
        at: now,
        actor,
        action: action.to_owned(),
        subject: letter.id.to_string(),
        before: Some(serde_json::json!({ "state": letter.state }).to_string()),
        after: Some(serde_json::json!({ "state": after }).to_string()),
    };
    Ok(audit::append(tx, organization, &entry)?)
}
