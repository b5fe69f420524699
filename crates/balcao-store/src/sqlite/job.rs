//! A caller's closure on its way through a database thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use crate::error::StoreError;
use crate::tx::Tx;

/// Whether a closure's changes are to stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It succeeded.
    Keep,
    /// It failed or panicked.
    Undo,
}

/// A closure whose types are forgotten.
pub(super) trait Job: Send {
    /// Runs the closure and keeps its result.
    fn run(&mut self, connection: &rusqlite::Connection) -> Verdict;

    /// Answers the caller: with the closure's own result, or with why it cannot stand.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

/// A closure, its result and the one who waits for it.
pub(super) struct Work<F, T, E> {
    work: Option<F>,
    may_write: bool,
    result: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Work<F, T, E> {
    pub(super) fn new(work: F, may_write: bool, answer: oneshot::Sender<Result<T, E>>) -> Self {
        Self { work: Some(work), may_write, result: None, answer }
    }
}

impl<F, T, E> Job for Work<F, T, E>
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, connection: &rusqlite::Connection) -> Verdict {
        let Some(work) = self.work.take() else { return Verdict::Undo };
        // Whoever asked has given up (a tool call ran out of time): what has not begun is not begun.
        if self.answer.is_closed() {
            return Verdict::Undo;
        }
        let mut tx = Tx::new(connection, self.may_write);
        // A half-done closure's changes are undone by the caller, so nothing broken can be seen afterwards.
        let result = catch_unwind(AssertUnwindSafe(|| work(&mut tx)))
            .unwrap_or_else(|panic| Err(StoreError::Panicked { message: message(panic.as_ref()) }.into()));
        let verdict = if result.is_ok() { Verdict::Keep } else { Verdict::Undo };
        self.result = Some(result);
        verdict
    }

    fn answer(self: Box<Self>, failure: Option<StoreError>) {
        let result = match failure {
            Some(failure) => Err(failure.into()),
            None => self.result.unwrap_or_else(|| Err(StoreError::Closed.into())),
        };
        // Nobody waits any more: work that had begun is done all the same, and its record says so.
        drop(self.answer.send(result));
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
