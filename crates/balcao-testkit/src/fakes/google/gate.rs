//! Holds requests until others have come, so that several programs ask at the same time.

use std::sync::{Condvar, Mutex, PoisonError};

use super::faults::Call;

/// Where requests wait for each other.
#[derive(Debug, Default)]
pub(super) struct Gate {
    waiting: Mutex<Option<Waiting>>,
    opened: Condvar,
}

#[derive(Debug)]
struct Waiting {
    call: Call,
    /// How many requests are still missing.
    missing: usize,
}

impl Gate {
    /// From now on requests of a method wait until so many have come. Then the gate is open for good.
    pub(super) fn close(&self, call: Call, count: usize) {
        *self.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(Waiting { call, missing: count });
    }

    /// Waits with a request of a method until the gate is open.
    pub(super) fn pass(&self, call: Option<Call>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *waiting {
            Some(one) if Some(one.call) == call => one.missing = one.missing.saturating_sub(1),
            Some(_) | None => return,
        }
        let is_closed = |waiting: &mut Option<Waiting>| waiting.as_ref().is_some_and(|one| one.missing > 0);
        let mut waiting = self.opened.wait_while(waiting, is_closed).unwrap_or_else(PoisonError::into_inner);
        *waiting = None;
        self.opened.notify_all();
    }
}
