//! How a turn must not be closed: bugs that the simulator must find (`balcao_seeded_bugs`).

use std::sync::Arc;

use balcao_agent::{Ending, TurnState};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::{Tx, turns::lease};

use super::super::turn_control::TurnControl;
use super::super::turn_lease::{self, TurnLease};
use super::super::{AnswerError, Opened, TurnOutcome};
use super::{ClosingResult, EndedTurn, close_in_transaction, reply_to_staff, spent};
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
    app: &AppContext,
    opened: Opened,
    mut state: TurnState,
    ending: Ending,
    turn_lease: TurnLease,
) -> Result<TurnControl, AnswerError> {
    let now = app.clock.now();
    let ending = reply_to_staff(&mut state, ending);
    let (state, decided) = (Arc::new(state), ending.clone());
    let result = {
        let ended = EndedTurn::new(opened.clone(), Arc::clone(&state), ending, Arc::clone(&app.notices));
        let work = move |tx: &mut Tx<'_>| {
            let EndedTurn { opened, state, ending, .. } = &ended;
            if let Some(restart) = turn_lease::restart_before_close(tx, &turn_lease, opened, ending, spent(state), now)?
            {
                return Ok(ClosingResult::Restarted(restart));
            }
            let stored = close_in_transaction(tx, &ended, now)?;
            turn_lease::settle_messages(tx, opened, state, &stored)?;
            lease::finish(tx, &turn_lease.lease)?;
            Ok(ClosingResult::Closed(stored))
        };
        app.store.write::<_, UseCaseError, _>(work).await?
    };
    let ending = match result {
        ClosingResult::Closed(ending) => ending,
        ClosingResult::Restarted(restart) => return Ok(TurnControl::Restarted(restart)),
    };
    if ending.reply().is_some() {
        let (opened, machine) = (opened.clone(), Arc::clone(&state));
        app.store.write(move |tx| turn_lease::enqueue_reply(tx, &opened, &machine, &decided, now)).await?;
    }
    let (conversation, channel) = (opened.conversation.id, opened.conversation.channel);
    let state = Arc::unwrap_or_clone(state);
    Ok(TurnControl::Finished(Box::new(TurnOutcome { conversation, turn: opened.turn, ending, state, channel })))
}
