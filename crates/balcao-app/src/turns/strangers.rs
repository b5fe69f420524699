//! The cost of strangers in the web chat: checked before a turn of a stranger, and counted after it. A stranger is a visitor of the web
//! chat that the business does not know from another channel.

use std::sync::Arc;

use balcao_agent::profile::Degraded;
use balcao_channel::channels::web::KIND as WEB_CHAT;
use balcao_domain::{ConversationId, OrganizationId};
use balcao_llm::ChatProvider;
use balcao_store::Tx;

use super::{Agent, Opened, TurnOutcome, TurnRunner};
use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::budgets::{self, StrangerBudgets, StrangerStanding};

/// What strangers may cost in a day, and which model answers them after that.
pub(super) struct StrangerRules {
    pub(super) budgets: StrangerBudgets,
    /// Answers strangers at no cost once a budget is spent. Without this model, a person answers them.
    pub(super) instead: Option<Arc<dyn ChatProvider>>,
}

/// If the contact is a stranger and the daily budget is spent, the offline model answers from here on, or a person. The setting of
/// the profile for turns without a model decides which one.
pub(super) async fn apply_stranger_budget(
    runner: &TurnRunner,
    agent: &mut Agent,
    opened: &mut Opened,
) -> Result<(), UseCaseError> {
    let of = (opened.conversation.channel.as_str(), opened.conversation.id);
    match decide(runner, agent, opened.organization.id, of).await? {
        StrangerDecision::NotAStranger => {}
        StrangerDecision::CountCost => agent.stranger_budgets = Some(runner.strangers.budgets),
        StrangerDecision::AnswerOffline(model) => (agent.model, agent.stranger_budgets) = (model, None),
        StrangerDecision::HandOff(budget) => opened.guardrail_input.exhausted = Some(budget),
    }
    Ok(())
}

/// Applies the budget to the steps after a reply: once the budget is spent, these steps send no side request.
pub(super) async fn agent_for_after_reply(
    runner: &TurnRunner,
    agent: Agent,
    organization: OrganizationId,
    outcome: &TurnOutcome,
) -> Result<Agent, UseCaseError> {
    Ok(match decide(runner, &agent, organization, (&outcome.channel, outcome.conversation)).await? {
        StrangerDecision::NotAStranger => agent,
        StrangerDecision::CountCost => Agent { stranger_budgets: Some(runner.strangers.budgets), ..agent },
        StrangerDecision::AnswerOffline(_) | StrangerDecision::HandOff(_) => {
            let mut profile = agent.profile.as_ref().clone();
            (profile.after_reply.summary, profile.after_reply.contact_facts) = (false, false);
            Agent { profile: Arc::new(profile), ..agent }
        }
    })
}

/// Applies the budget to a model request that no turn makes, such as that of a follow-up. `None`: the contact is a stranger, and the
/// budget is spent.
pub(super) async fn agent_within_budget(
    runner: &TurnRunner,
    agent: Agent,
    organization: OrganizationId,
    of: (&str, ConversationId),
) -> Result<Option<Agent>, UseCaseError> {
    Ok(match decide(runner, &agent, organization, of).await? {
        StrangerDecision::NotAStranger => Some(agent),
        StrangerDecision::CountCost => Some(Agent { stranger_budgets: Some(runner.strangers.budgets), ..agent }),
        StrangerDecision::AnswerOffline(_) | StrangerDecision::HandOff(_) => None,
    })
}

/// What the daily budget of strangers means for a turn.
enum StrangerDecision {
    /// The contact is known.
    NotAStranger,
    /// The contact is a stranger, and some of the budget is left.
    CountCost,
    /// This model answers, which costs nothing.
    AnswerOffline(Arc<dyn ChatProvider>),
    /// A person takes over: the budget that is spent.
    HandOff(String),
}

/// Decides for a conversation of this channel.
async fn decide(
    runner: &TurnRunner,
    agent: &Agent,
    organization: OrganizationId,
    (channel, conversation): (&str, ConversationId),
) -> Result<StrangerDecision, UseCaseError> {
    if channel != WEB_CHAT {
        return Ok(StrangerDecision::NotAStranger);
    }
    let StrangerRules { budgets, instead } = &runner.strangers;
    let limits = *budgets;
    let find =
        move |tx: &mut Tx<'_>, now| budgets::find_stranger_standing(tx, organization, conversation, &limits, now);
    Ok(match runner.app().look(find).await? {
        StrangerStanding::Known => StrangerDecision::NotAStranger,
        StrangerStanding::WithinBudgets => StrangerDecision::CountCost,
        StrangerStanding::Spent(budget) => match instead {
            Some(model) if agent.profile.model.degraded == Degraded::Offline => {
                tracing::debug!(%conversation, budget, "the daily budget of strangers is spent; the offline model answers");
                StrangerDecision::AnswerOffline(Arc::clone(model))
            }
            _ => StrangerDecision::HandOff(budget),
        },
    })
}

/// Counts the model cost of a turn if its contact is a stranger. If the count fails, the reply still leaves.
pub(super) async fn count(app: &AppContext, agent: &Agent, organization: OrganizationId, tokens: i64, cost: i64) {
    let Some(budgets) = agent.stranger_budgets.filter(|_| (tokens, cost) != (0, 0)) else { return };
    let now = app.clock.now();
    let counted = app.store.write(move |tx| budgets::spend(tx, organization, &budgets, tokens, cost, now)).await;
    if let Err(error) = counted {
        tracing::warn!(%error, "the cost of a stranger's turn was not counted");
    }
}
