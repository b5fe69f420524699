//! The parts of the server, which run side by side. None ends before it is told to: one that does, or panics, is the end of the
//! program, and its exit code says so, so that whoever watches over the program starts it anew.

use std::collections::HashMap;

use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::output::{Failure, print_error};

/// Parts that are told to stop together.
#[derive(Debug, Default)]
pub(crate) struct Supervisor {
    running: JoinSet<()>,
    names: HashMap<Id, &'static str>,
}

impl Supervisor {
    /// Begins a part, which the log calls by this name.
    pub(crate) fn spawn(&mut self, name: &'static str, part: impl Future<Output = ()> + Send + 'static) {
        let id = self.running.spawn(part).id();
        self.names.insert(id, name);
    }

    /// Waits until one of them ends, and says which; waits for ever if there is none.
    async fn first_end(&mut self) -> String {
        match self.running.join_next_with_id().await {
            Some(Ok((id, ()))) => format!("{} ended by itself", self.name(id)),
            Some(Err(error)) => self.broke(&error),
            None => std::future::pending().await,
        }
    }

    /// Waits until all of them have ended; gives how the first broke that did.
    async fn end(&mut self) -> Option<String> {
        let mut broken = None;
        while let Some(ended) = self.running.join_next_with_id().await {
            if let Err(error) = ended {
                let told = self.broke(&error);
                broken.get_or_insert(told);
            }
        }
        broken
    }

    fn broke(&self, error: &JoinError) -> String {
        let told = format!("{} broke", self.name(error.id()));
        tracing::error!(%error, part = self.name(error.id()), "a part of the server broke");
        told
    }

    fn name(&self, id: Id) -> &'static str {
        self.names.get(&id).copied().unwrap_or("a part")
    }
}

/// The signals that stop the two groups of parts, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct StopSignals {
    /// Stops the parts that do the work.
    pub(crate) work: CancellationToken,
    /// Stops the parts that take up what the others wrote.
    pub(crate) last: CancellationToken,
}

/// Lets all parts run until `stopped`, or until one of them ends. Then `work` is told to stop and comes to its end, and after it
/// `last`, which takes up what the others wrote.
///
/// # Errors
/// A part ended before it was told to, or panicked, at any time: exit code 1.
pub(crate) async fn run(
    mut work: Supervisor,
    mut last: Supervisor,
    signals: StopSignals,
    stopped: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let ended = tokio::select! {
        () = stopped => None,
        ended = work.first_end() => Some(ended),
        ended = last.first_end() => Some(ended),
    };
    if let Some(ended) = &ended {
        tracing::error!(ended, "the server cannot go on");
    }
    print_error("stopping");
    signals.work.cancel();
    let while_stopping = work.end().await;
    signals.last.cancel();
    let at_last = last.end().await;
    match ended.or(while_stopping).or(at_last) {
        None => Ok(()),
        Some(why) => Err(Failure::operation(format!("the server ended: {why}; see the log for why"))),
    }
}

#[cfg(test)]
#[path = "supervisor_tests.rs"]
mod tests;
