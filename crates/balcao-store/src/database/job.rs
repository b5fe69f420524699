//! A caller's closure on its way through a database thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::thread::{Builder, JoinHandle};

use tokio::sync::oneshot;

use crate::database::error::StoreError;
use crate::database::tx::{Connection, Tx};

/// Whether a closure's changes are to stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It succeeded.
    Keep,
    /// It failed or panicked.
    Undo,
}

/// A closure whose types are forgotten.
pub(crate) trait Job: Send {
    /// Runs the closure and keeps its result.
    fn run(&mut self, connection: Connection<'_>) -> Verdict;

    /// Answers the caller: with the closure's own result, or with why it cannot stand.
    fn answer(self: Box<Self>, failure: Option<StoreError>);
}

/// A closure, its result and the one who waits for it.
struct Work<F, T, E> {
    work: Option<F>,
    may_write: bool,
    result: Option<Result<T, E>>,
    answer: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Job for Work<F, T, E>
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, connection: Connection<'_>) -> Verdict {
        let Some(work) = self.work.take() else { return Verdict::Undo };
        // The caller has given up, for example because a tool call ran out of time. Work that has not begun does not begin.
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
        // If the caller no longer waits, the send fails. The work is done all the same, and its record says so.
        drop(self.answer.send(result));
    }
}

/// Queues a closure for a database thread and waits for its answer.
pub(crate) async fn submit<T, E, F>(queue: Option<&Sender<Box<dyn Job>>>, may_write: bool, work: F) -> Result<T, E>
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    let (answer, answered) = oneshot::channel();
    let job: Box<dyn Job> = Box::new(Work { work: Some(work), may_write, result: None, answer });
    let sent = queue.is_some_and(|queue| queue.send(job).is_ok());
    let result = if sent { answered.await.ok() } else { None };
    result.unwrap_or_else(|| Err(StoreError::Closed.into()))
}

/// Answers a group: with what each gave, or all with why it cannot stand.
pub(crate) fn answer_all(group: impl IntoIterator<Item = Box<dyn Job>>, failure: Option<&StoreError>) {
    for job in group {
        job.answer(failure.cloned());
    }
}

/// Starts a database thread. If the start fails, the other end of the queue closes and callers receive [`StoreError::Closed`].
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Option<JoinHandle<()>> {
    Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .inspect_err(|error| tracing::error!(%error, name, "a database thread did not start"))
        .ok()
}

/// Waits for database threads whose queues are closed, so that the database is closed when the last handle is.
pub(crate) fn join(threads: impl Iterator<Item = JoinHandle<()>>) {
    let own = std::thread::current().id();
    for thread in threads.filter(|thread| thread.thread().id() != own) {
        // A thread of ours ends by its queue being closed; a panic in it has been answered and logged already.
        drop(thread.join());
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
