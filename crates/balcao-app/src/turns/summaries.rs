//! Summaries of conversations for the person who continues them; stored with the conversation and with its open handoff.

use balcao_agent::memory::WorkingMemory;
use balcao_agent::notice::{fill, notices};
use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::messaging::message::Author;
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Tx, messaging::conversation, messaging::handoff, messaging::message};
use balcao_tool::Locale;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError};
use crate::turns;

/// Messages that are searched for the contact's last one.
const LOOKED_AT: u32 = 20;
/// Longest request that a summary quotes, in characters.
const REQUEST_CHARS: usize = 400;

/// The reason for a missing summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryRefusal {
    /// The contact has written nothing yet.
    NothingSaid,
}

/// Keeps summaries.
#[derive(Debug, Clone)]
pub struct Summaries {
    app: AppContext,
}

impl Summaries {
    /// Creates the use case over the app context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Stores a summary of the conversation and returns it: the running summary, the contact's last message, and the known data of the
    /// appointment in question. No model is asked.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn store_summary(
        &self,
        organization: OrganizationId,
        id: ConversationId,
        key: EffectKey,
        locale: Locale,
    ) -> Effect<String, SummaryRefusal> {
        let keep = move |tx: &mut Tx<'_>, _now| {
            let found = conversation::get(tx, organization, id)?;
            let last = message::last(tx, organization, id, LOOKED_AT)?;
            let Some(request) = last.iter().rev().find(|message| message.author == Author::Contact) else {
                return Ok(Err(SummaryRefusal::NothingSaid));
            };
            let memory = found.memory.as_deref().and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
            let summary = compose(found.summary.as_deref(), &request.text, &memory, locale);
            store(tx, organization, id, &summary)?;
            Ok(Ok(summary))
        };
        self.app.effect(organization, key, keep).await
    }
}

/// Keeps a summary with the conversation and with its open handoff.
pub(crate) fn store(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ConversationId,
    summary: &str,
) -> Result<(), UseCaseError> {
    conversation::set_summary(tx, organization, id, summary)?;
    handoff::set_summary(tx, organization, id, summary)?;
    Ok(())
}

/// Composes a summary of the running summary, the last request and the known facts: one line each, without repeats.
pub(crate) fn compose(running: Option<&str>, request: &str, memory: &WorkingMemory, locale: Locale) -> String {
    let request: String = request.trim().chars().take(REQUEST_CHARS).collect();
    // A turn that answers a service has no request of the contact, so the earlier request stays.
    if request.is_empty() {
        let known = running.map(str::to_owned).into_iter().chain(turns::memory_text(memory));
        return known.collect::<Vec<_>>().join("\n");
    }
    let words = &notices(locale).summary_request;
    let request = fill(words, "request", &request);
    // The new request replaces the earlier one.
    let before = fill(words, "request", "");
    let running = running.into_iter().flat_map(str::lines).filter(|line| !line.starts_with(before.trim_end()));
    let mut lines: Vec<String> = running.map(str::to_owned).collect();
    for more in [Some(request), turns::memory_text(memory)].into_iter().flatten() {
        if !lines.contains(&more) {
            lines.push(more);
        }
    }
    lines.join("\n")
}
