//! Side requests: model requests outside the steps of a turn, after its reply or when a timer is due.

use balcao_agent::spans;
use balcao_domain::{OrganizationId, TurnId};
use balcao_llm::{ModelError, ModelRequest, ModelResponse};
use balcao_store::{StoreError, turns::turn};
use tokio::time::Instant;

use super::{Agent, strangers};
use crate::context::app_context::AppContext;
use crate::context::metrics;

/// Sends one side request. Traces and metrics show it like a request of a turn, and its usage counts for the turn `of`, if there is one.
///
/// # Errors
/// The error of the model. If only the count of the usage fails, the function still returns the answer.
pub(crate) async fn complete(
    app: &AppContext,
    agent: &Agent,
    organization: OrganizationId,
    of: Option<TurnId>,
    request: &ModelRequest,
) -> Result<ModelResponse, ModelError> {
    let started = Instant::now();
    let answer = spans::ask(agent.model.as_ref(), request).await;
    metrics::model_call(agent.model.model(), &answer, started.elapsed());
    let usage = answer.as_ref().map_or_else(|error| error.usage, |answer| answer.usage);
    let natural = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let tokens = natural(usage.input_tokens.saturating_add(usage.output_tokens));
    let cost = natural(usage.cost_micro_usd.unwrap_or(0));
    strangers::count(app, agent, organization, tokens, cost).await;
    if let Some(of) = of.filter(|_| answer.is_ok() || tokens > 0) {
        let counted = app.store.write(move |tx| turn::add_model_call(tx, organization, of, tokens, cost)).await;
        if let Err(error) = counted {
            let error: StoreError = error;
            tracing::warn!(%error, purpose = ?request.purpose, "a question beside a turn was not counted");
        }
    }
    answer
}
