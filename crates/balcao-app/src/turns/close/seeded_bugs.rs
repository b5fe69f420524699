//! How a turn must not be closed: bugs that the simulator must find (`balcao_seeded_bugs`).

use std::sync::Arc;

use balcao_agent::{Ending, TurnState};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::{Tx, turns::lease};

use super::super::control::TurnControl;
use super::super::lease_context::{self, LeaseContext};
use super::super::{AnswerError, Opened, TurnOutcome};
use super::{SavedState, in_transaction, of_staff, spent};
use crate::context::app_context::{AppContext, UseCaseError};

/// Whether a person who took over goes unnoticed.
pub(super) fn ignores_takeover() -> bool {
    is_on(Bug::TakeoverNotChecked)
}

/// Whether the reply goes into the outbox after the closing transaction.
pub(super) fn enqueues_after_close() -> bool {
    is_on(Bug::OutboxAfterClose)
}

/// Closes a turn under a lease in one transaction, and writes its reply into the outbox in the next.
pub(super) async fn close_then_enqueue(
    desk: &AppContext,
    opened: Opened,
    mut state: TurnState,
    ending: Ending,
    under: LeaseContext,
) -> Result<TurnControl, AnswerError> {
    let now = desk.clock.now();
    let ending = of_staff(&mut state, ending);
    let (shared, decided) = (Arc::new(state), ending.clone());
    let stored = {
        let (opened, state, accounts) = (opened.clone(), Arc::clone(&shared), Arc::clone(&desk.notices));
        let work = move |tx: &mut Tx<'_>| {
            if let Some(restart) = lease_context::supersede(tx, &under, &opened, &ending, spent(&state), now)? {
                return Ok(Err(restart));
            }
            let saved = SavedState::new(&state);
            let stored = in_transaction(tx, &accounts, &opened, &state, &saved, ending.clone(), now)?;
            lease_context::settle_messages(tx, &opened, &state, &stored)?;
            lease::finish(tx, &under.lease)?;
            Ok(Ok(stored))
        };
        desk.store.write::<_, UseCaseError, _>(work).await?
    };
    let ending = match stored {
        Ok(ending) => ending,
        Err(restart) => return Ok(TurnControl::Superseded(restart)),
    };
    if ending.reply().is_some() {
        let (opened, machine) = (opened.clone(), Arc::clone(&shared));
        desk.store.write(move |tx| lease_context::enqueue_reply(tx, &opened, &machine, &decided, now)).await?;
    }
    let (conversation, channel) = (opened.conversation.id, opened.conversation.channel);
    let state = Arc::unwrap_or_clone(shared);
    Ok(TurnControl::Finished(Box::new(TurnOutcome { conversation, turn: opened.turn, ending, state, channel })))
}
