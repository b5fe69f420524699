//! Saves the steps of a turn, and stops a turn that may not act any more.
//!
//! Invariant (I-6, I-17): the transaction that makes calls durable before they run also checks who has the conversation. So a turn does not
//! act after a takeover, and it starts over if the contact wrote before it had an effect.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use balcao_agent::TurnState;
use balcao_agent::driver::{Interrupted, Journal};
use balcao_domain::{ConversationId, OrganizationId, TurnId};
use balcao_store::turns::lease;
use balcao_store::{StoreError, Tx, messaging::conversation, turns::turn};
use balcao_tool::Toolbox;

use super::Agent;
use super::close;
use super::opened_turn::Opened;
use super::turn_control::Restart;
use super::turn_lease::{self, TurnLease};
use crate::context::app_context::{AppContext, UseCaseError};

/// Why a turn was stopped.
pub(super) enum Stop {
    /// A person has the conversation.
    TakenOver,
    /// The contact wrote more before the turn had an effect, so the turn starts over with all messages.
    Restarted(Restart),
    /// Another process continues the turn.
    Lost(StoreError),
}

/// The journal of a turn.
pub(super) struct StoreJournal {
    app: AppContext,
    toolbox: Arc<Toolbox>,
    organization: OrganizationId,
    conversation: ConversationId,
    turn: TurnId,
    /// The lease under which it runs, if its conversation was leased.
    turn_lease: Option<TurnLease>,
    stopped: Mutex<Option<Stop>>,
}

impl StoreJournal {
    pub(super) fn new(app: &AppContext, agent: &Agent, opened: &Opened, turn_lease: Option<TurnLease>) -> Self {
        Self {
            app: app.clone(),
            toolbox: Arc::clone(&agent.toolbox),
            organization: opened.organization.id,
            conversation: opened.conversation.id,
            turn: opened.turn,
            turn_lease,
            stopped: Mutex::new(None),
        }
    }

    fn stop(&self, why: Stop) -> Interrupted {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
        Interrupted::Stopped
    }

    /// Returns why the turn was stopped; [`Stop::TakenOver`] if no other reason is known.
    pub(super) fn why_stopped(&self) -> Stop {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or(Stop::TakenOver)
    }
}

#[async_trait]
impl Journal for StoreJournal {
    async fn save(&self, state: &TurnState) -> Result<(), Interrupted> {
        let machine = serde_json::to_string(state).map_err(|error| Interrupted::NotSaved(error.to_string()))?;
        let &Self { organization, conversation, turn, .. } = self;
        let (turn_lease, hash) = (self.turn_lease.clone(), state.prompt_hash.clone());
        let (acts_next, has_acted) = (state.acts_next(&self.toolbox), state.has_acted(&self.toolbox));
        let (spent, now) = (close::spent(state), self.app.clock.now());
        let work = move |tx: &mut Tx<'_>| {
            match &turn_lease {
                Some(turn_lease) if acts_next => turn_lease.renew(tx, now)?,
                Some(turn_lease) => lease::guard(tx, &turn_lease.lease)?,
                None => {}
            }
            if acts_next {
                if !conversation::get(tx, organization, conversation)?.state.agent_speaks() {
                    return Ok(Some(Stop::TakenOver));
                }
                if !has_acted
                    && let Some(turn_lease) = &turn_lease
                    && let Some(restart) = turn_lease::restart_if_contact_wrote(tx, turn_lease, turn, spent, now)?
                {
                    return Ok(Some(Stop::Restarted(restart)));
                }
            }
            turn::save(tx, organization, turn, &machine, &hash)?;
            Ok(None)
        };
        match self.app.store.write::<_, UseCaseError, _>(work).await {
            Ok(None) => Ok(()),
            Ok(Some(stop)) => Err(self.stop(stop)),
            Err(UseCaseError::Store(error @ StoreError::LeaseLost { .. })) => Err(self.stop(Stop::Lost(error))),
            Err(error) => Err(Interrupted::NotSaved(error.to_string())),
        }
    }
}
