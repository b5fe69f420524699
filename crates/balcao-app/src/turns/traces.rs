//! Traces of turns, which staff can read during a turn and after it.

use balcao_agent::record::{CallRecord, CleaningRecord, GuardRecord, Spent, StepRecord};
use balcao_agent::turn::ToolSelection;
use balcao_agent::turn::state::RetriesUsed;
use balcao_domain::{ConversationId, OrganizationId, TurnId};
use balcao_store::turns::turn::{self, SavedTurn};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::app_context::{AppContext, UseCaseError};

/// A turn, finished or in progress.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TurnTrace {
    /// Its id.
    pub id: TurnId,
    /// Whether the turn is still open.
    pub open: bool,
    /// How it ended: `reply`, `handoff`, `silence`.
    pub outcome: Option<String>,
    /// Why, for staff.
    pub reason: Option<String>,
    /// When it began.
    pub opened_at: Timestamp,
    /// When it ended.
    pub closed_at: Option<Timestamp>,
    /// The versions that it ran under, such as `business_3`.
    pub versions: Vec<String>,
    /// What was saved of its steps; `None` before the first.
    #[serde(rename = "inside")]
    pub details: Option<TurnDetails>,
}

/// The saved steps of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnDetails {
    /// What the customer wrote.
    pub inbound: String,
    /// Model calls.
    pub steps: Vec<StepRecord>,
    /// Tool calls, their receipts with them: what the reply could claim.
    pub calls: Vec<CallRecord>,
    /// The tools that the model saw beside those that it always sees; empty if it saw all.
    #[serde(default, skip_serializing_if = "ToolSelection::is_empty")]
    pub selection: ToolSelection,
    /// Guardrail decisions.
    pub guards: Vec<GuardRecord>,
    /// What sanitising removed.
    pub cleanings: Vec<CleaningRecord>,
    /// The second attempts of the model: `claim` if a text stated an act without a receipt.
    pub retried: RetriesUsed,
    /// What was used up.
    pub spent: Spent,
    /// The reply that the contact received, once it is decided.
    #[serde(default)]
    pub reply: Option<String>,
    /// Holds the ending, from which `reply` is read.
    #[serde(skip_serializing, default)]
    phase: Value,
}

/// Reads the traces of turns.
#[derive(Debug, Clone)]
pub struct Traces {
    app: AppContext,
}

impl Traces {
    /// Creates the use case over the app context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// The last `limit` turns of a conversation, the newest first.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn latest(
        &self,
        organization: OrganizationId,
        conversation: ConversationId,
        limit: u32,
    ) -> Result<Vec<TurnTrace>, UseCaseError> {
        let found = self.app.look(move |tx, _now| Ok(turn::latest(tx, organization, conversation, limit)?)).await?;
        Ok(found.into_iter().map(trace).collect())
    }
}

fn trace(saved: SavedTurn) -> TurnTrace {
    let SavedTurn { id, open, outcome, reason, machine, opened_at, closed_at, versions } = saved;
    // A record that another version of the program saved may be unreadable; the trace then has no insides.
    let details = machine.and_then(|text| serde_json::from_str::<TurnDetails>(&text).ok()).map(|mut details| {
        let reply = details.phase.pointer("/ending/reply");
        details.reply = reply.and_then(Value::as_str).map(str::to_owned);
        details
    });
    let versions = versions.names().map(|name| name.to_string()).collect();
    TurnTrace { id, open, outcome, reason, opened_at, closed_at, versions, details }
}
