//! Intent before effect, and what becomes of an effect that was cut short.
//!
//! A call whose effect leaves our own tables is marked as intended, and the mark is durable, before it runs. A turn that is
//! taken up again and finds the mark without a result knows that the call may have happened; what may be done about it depends
//! on the command's class, and [`balcao_tool::Tool::execute`] does that.

use balcao_tool::{CallResult, Effect, ErrorCode, Internal, RunMode, ToolError, Toolbox, registry::error_result};

use crate::turn::{Phase, QueuedCall, Turn, TurnState, next_batch};

impl TurnState {
    /// Whether a call that runs next changes anything, and cannot have begun before.
    #[must_use]
    pub fn acts_next(&self, toolbox: &Toolbox) -> bool {
        let Phase::RunningTools { queue, .. } = &self.phase else { return false };
        next_batch(queue).iter().any(|call| call.mode == RunMode::Execute && changes(toolbox, &call.planned.tool))
    }

    /// Whether a call of the turn that changes anything ran.
    #[must_use]
    pub fn has_acted(&self, toolbox: &Toolbox) -> bool {
        self.calls.iter().any(|call| call.key.is_some() && changes(toolbox, &call.tool))
    }
}

/// A tool that is gone may have changed anything.
fn changes(toolbox: &Toolbox, tool: &str) -> bool {
    toolbox.get(tool).is_none_or(|tool| tool.spec.behaviour.effect != Effect::Read)
}

impl Turn {
    /// Marks the calls that run next and whose effects leave our own tables; tells whether there is anything to be saved
    /// before they may run.
    pub fn intend(&mut self) -> bool {
        let Self { setup, state } = self;
        let Phase::RunningTools { queue, .. } = &mut state.phase else { return false };
        let mut news = false;
        let count = next_batch(queue).len();
        for call in queue.iter_mut().take(count) {
            let leaves = setup.toolbox.get(&call.planned.tool).is_some_and(|tool| tool.is_external());
            if leaves && call.mode != RunMode::Ask && !call.intended {
                call.intended = true;
                news = true;
            }
        }
        news
    }

    /// The calls that run next were cut short, by the end of the program or of the turn's time: what changes anything may have
    /// happened.
    pub(super) fn recover(&mut self) {
        let Self { setup, state } = self;
        let Phase::RunningTools { queue, .. } = &mut state.phase else { return };
        let changes = |call: &QueuedCall| {
            let tool = setup.toolbox.get(&call.planned.tool);
            tool.is_some_and(|tool| tool.spec.behaviour.effect != Effect::Read)
        };
        for call in queue.iter_mut().filter(|call| call.mode == RunMode::Execute && changes(call)) {
            call.mode = RunMode::Recover;
        }
    }

    /// The result of a call that has none when its turn ends.
    pub(super) fn cut_short(&self, call: &QueuedCall, why: &'static str) -> CallResult {
        let locale = self.state.principal.locale;
        if call.mode != RunMode::Recover {
            return error_result(&ToolError::new(ErrorCode::Conflict, why), None, locale);
        }
        let note = Internal::note("it had begun: it may have happened or not");
        let error = ToolError::new(ErrorCode::Timeout, "it is not known whether this was done").internal(note);
        CallResult { uncertain: true, ..error_result(&error, None, locale) }
    }
}
