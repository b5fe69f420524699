//! Turns: from a customer's message to the stored reply.
//!
//! The [`dispatcher`] leases conversations that are due, and [`TurnRunner`] answers each of them in three steps:
//!
//! 1. **Open** (`open`, `opened_turn`): one transaction stores the messages and loads what the turn needs. If a crash cut a turn short, this
//!    turn first continues from its saved state.
//! 2. **Run** (`runner`, `journal`): the driver of `balcao-agent` asks the model and runs tools. The journal saves each model response, and
//!    the state before and after an effect. It stops a turn if a person took over.
//! 3. **Close** (`close`): one transaction checks once more whether a person took over, and stores record, reply, handoff and conversation.
//!
//! Then the sender of `messaging::outbound` is woken, and `after_reply` runs the steps that the profile asks for after a reply. If no
//! process works on a conversation for a minute, the [`watchdog`] hands it to a person.
//!
//! If the contact wrote more before the turn had an effect, the journal or the close restarts the turn instead (`turn_lease`). The close
//! also restarts a turn that stayed silent because a person had the conversation, if the person has given it back since.
//!
//! A turn has one of two sources (`turn_source`): [`TurnRunner::answer`] has a caller that waits. [`TurnRunner::answer_leased`] works for a
//! conversation that the `dispatcher` leased: the transactions that open, save and close the turn demand the lease (`turn_lease`), and the
//! last one fills the outbox and ends the lease.
//!
//! Numbers such as I-16, F-31 and G-01 are explained in `docs/requirements.md`.
//!
//! Not here: the rules of a turn (`balcao-agent`) and channels.

mod after_reply;
mod answered_notification;
pub(crate) mod choices;
mod close;
pub mod dispatcher;
mod inbound_text;
mod journal;
mod meter;
mod open;
mod opened_turn;
mod runner;
pub(crate) mod side_request;
mod stale_inbound;
mod strangers;
pub mod summaries;
mod tool_selection;
pub mod traces;
mod turn_control;
mod turn_lease;
mod turn_setup;
mod turn_source;
mod versions;
pub mod watchdog;
mod wordless_message;

use std::sync::Arc;

use balcao_agent::driver::Interrupted;
use balcao_agent::reply_checks::sanitise::{Sanitiser, SanitiserConfig};
use balcao_agent::{Ending, Profile, TurnState};
use balcao_domain::{ContactId, ConversationId, OrganizationId, Phone, TurnId};
use balcao_llm::ChatProvider;
use balcao_store::StoreError;
use balcao_tool::{Registry, Tool, Toolbox};

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::budgets::StrangerBudgets;
pub use balcao_agent::turn::{SelectedTool, SelectionReason, ToolSelection};
pub use opened_turn::Opened;
pub use runner::TurnRunner;
pub use tool_selection::{ToolSelectionRequest, ToolSelector};
pub(crate) use turn_setup::memory_text;
use versions::PromptVersion;

/// A profile, ready to answer.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The profile.
    pub profile: Arc<Profile>,
    /// Its tools.
    pub toolbox: Arc<Toolbox>,
    /// Its model, with retries and fall-backs inside.
    pub model: Arc<dyn ChatProvider>,
    /// The tools that run when a conversation was handed over.
    pub on_handoff: Vec<Arc<Tool>>,
    /// The version of its prompt.
    prompt_version: PromptVersion,
    /// Selects the tools that the model sees in a turn, if it does not see all.
    pub selector: Option<Arc<dyn ToolSelector>>,
    /// The daily budgets to which the model cost of this turn is added; set only for a turn of a stranger in the web chat.
    stranger_budgets: Option<StrangerBudgets>,
}

impl Agent {
    /// Binds a profile to its tools and its model.
    #[must_use]
    pub fn new(profile: Profile, registry: &Registry, model: Arc<dyn ChatProvider>) -> Self {
        let toolbox = Arc::new(profile.toolbox(registry));
        let on_handoff = profile.on_handoff.iter().filter_map(|name| registry.get(name).map(Arc::clone)).collect();
        let prompt_version = PromptVersion::new(&profile, &toolbox);
        Self {
            profile: Arc::new(profile),
            toolbox,
            model,
            on_handoff,
            prompt_version,
            selector: None,
            stranger_budgets: None,
        }
    }

    pub(crate) fn sanitiser_for(&self, public_texts: Vec<String>) -> Sanitiser {
        let mut fields: Vec<String> = Vec::new();
        for tool in self.toolbox.iter() {
            for schema in [&tool.spec.input_schema, &tool.spec.output_schema] {
                collect_fields(schema, &mut fields);
            }
        }
        fields.sort();
        fields.dedup();
        let reply = &self.profile.reply;
        Sanitiser::new(SanitiserConfig {
            tool_names: self.toolbox.iter().map(|tool| tool.spec.name.clone()).collect(),
            field_names: fields,
            allowed_hosts: reply.allowed_hosts.iter().cloned().chain(hosts(&public_texts)).collect(),
            hide_model_identity: reply.hide_model_identity,
            max_chars: reply.max_chars,
            public_texts,
        })
    }
}

/// What a customer wrote.
#[derive(Debug, Clone)]
pub struct TurnRequest {
    /// The organization that receives the messages.
    pub organization: OrganizationId,
    /// How it came: `terminal`, `whatsapp`, …
    pub channel: String,
    /// The contact who wrote the messages.
    pub from: ContactRef,
    /// The name that the channel gives, for a contact that is not known yet.
    pub name: Option<String>,
    /// The messages; several are answered together.
    pub texts: Vec<String>,
}

/// Who wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContactRef {
    /// The contact who has this number; a number without a contact gets a new one.
    Phone(Phone),
    /// A contact that exists.
    Contact(ContactId),
}

/// What became of a message.
#[derive(Debug, Clone)]
pub struct TurnOutcome {
    /// The conversation.
    pub conversation: ConversationId,
    /// The turn.
    pub turn: TurnId,
    /// How it ended, as stored. If a person took over before the reply was stored, the ending is silence.
    pub ending: Ending,
    /// The final state of the turn, with everything that happened in it.
    pub state: TurnState,
    /// The channel of its messages.
    pub(crate) channel: String,
}

/// Why a message could not be answered. The message itself is stored, unless the error says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// No such profile.
    #[error("unknown profile `{name}`; expected one of: {known}")]
    UnknownProfile {
        /// The name.
        name: String,
        /// All names.
        known: String,
    },
    /// The database or the organization's data.
    #[error(transparent)]
    UseCase(#[from] UseCaseError),
    /// The prompt could not be built.
    #[error(transparent)]
    Prompt(#[from] balcao_agent::prompt::PromptError),
    /// A step could not be saved; the turn is taken up again with the next message.
    #[error(transparent)]
    Journal(#[from] Interrupted),
}

impl From<StoreError> for AnswerError {
    fn from(error: StoreError) -> Self {
        Self::UseCase(error.into())
    }
}

/// Returns the name of the staff member who would receive the next handoff; `None` means the queue.
///
/// # Errors
/// [`UseCaseError`] if the database failed.
pub async fn next_assignee(app: &AppContext, organization: OrganizationId) -> Result<Option<String>, UseCaseError> {
    app.look(move |tx, _now| {
        Ok(balcao_store::messaging::conversation::least_loaded(tx, organization)?.map(|(_, name)| name))
    })
    .await
}

/// Returns the number of the conversation's current episode. An episode begins when the conversation is opened or reopened; limits per
/// episode count from there.
///
/// # Errors
/// [`UseCaseError`] if the database failed.
pub async fn episode(
    app: &AppContext,
    organization: OrganizationId,
    conversation: ConversationId,
) -> Result<u32, UseCaseError> {
    app.look(move |tx, _now| {
        let found = balcao_store::messaging::conversation::get(tx, organization, conversation)?;
        Ok(u32::try_from(found.episode).unwrap_or(u32::MAX))
    })
    .await
}

/// Collects the names of all fields in a schema, at any depth.
fn collect_fields(schema: &serde_json::Value, fields: &mut Vec<String>) {
    if let Some(properties) = schema.get("properties").and_then(serde_json::Value::as_object) {
        for (name, property) in properties {
            fields.push(name.clone());
            collect_fields(property, fields);
        }
    }
    if let Some(items) = schema.get("items") {
        collect_fields(items, fields);
    }
}

/// The hosts of all links in texts that the business publishes.
fn hosts(texts: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts {
        for (_, rest) in text.match_indices("://").filter_map(|(at, mark)| text.split_at_checked(at + mark.len())) {
            let host: String =
                rest.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')).collect();
            if !host.is_empty() {
                found.push(host.to_lowercase());
            }
        }
    }
    found
}
