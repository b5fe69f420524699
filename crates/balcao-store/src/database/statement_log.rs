//! A look at the transactions of one handle, and a hand in what becomes of them: for crash tests and benches.
//!
//! A handle without a probe, as the program has it, pays nothing.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use crate::database::driver_error::{DriverError, PostgresCause};
use crate::database::error::StoreError;
use crate::database::statement::Statement;
use crate::database::tx::Tx;

/// What becomes of a write transaction that is about to be committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitFate {
    /// It is committed and answered.
    Commit,
    /// The program dies before the commit: the database changes nothing, and the caller never receives an answer.
    DieBefore,
    /// The program dies after the commit: the change is durable, and the caller never receives an answer.
    DieAfter,
    /// The connection breaks around the commit, which is done or not; the caller receives [`StoreError::CommitUnknown`].
    Unknown {
        /// Whether it is done.
        done: bool,
    },
}

/// A transaction that ran.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTransaction {
    /// Whether it could write.
    pub write: bool,
    /// Whether its changes were kept.
    pub kept: bool,
    /// What ran in it, in order.
    pub statements: Vec<Statement>,
}

/// Looks on at the transactions of a handle. It is called on the database's threads.
pub trait Probe: Debug + Send + Sync {
    /// Decides over a write transaction that changed rows and is about to be committed. Those that changed nothing, or undo
    /// themselves, are not asked about.
    fn fate(&self) -> CommitFate {
        CommitFate::Commit
    }

    /// Whether statements are to be taped.
    fn tapes(&self) -> bool {
        false
    }

    /// A transaction ran. Those of a group commit come in the order in which they ran.
    fn ran(&self, transaction: RecordedTransaction) {
        drop(transaction);
    }
}

/// Wraps `work` so that `probe` is asked about it, and gives what was decided beside it.
pub(crate) fn watched<T, E, F>(
    probe: Arc<dyn Probe>,
    write: bool,
    work: F,
) -> (impl FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static, Arc<OnceLock<CommitFate>>)
where
    F: FnOnce(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    E: From<StoreError>,
{
    let decided = Arc::new(OnceLock::new());
    let fate = Arc::clone(&decided);
    let watched = move |tx: &mut Tx<'_>| {
        let tapes = probe.tapes();
        tx.begin_watch(tapes);
        let result = work(tx);
        let watch = tx.end_watch();
        let asked = result.is_ok() && watch.changed;
        let fate = if asked { *fate.get_or_init(|| probe.fate()) } else { CommitFate::Commit };
        let undo = matches!(fate, CommitFate::DieBefore | CommitFate::Unknown { done: false });
        if let Some(statements) = watch.tape {
            probe.ran(RecordedTransaction { write, kept: result.is_ok() && !undo, statements });
        }
        if undo { Err(StoreError::Closed.into()) } else { result }
    };
    (watched, decided)
}

/// The answer that the waiting caller receives; `result` is the transaction's own result.
pub(crate) async fn commit_fate<T, E: From<StoreError>>(
    decided: &OnceLock<CommitFate>,
    result: Result<T, E>,
) -> Result<T, E> {
    match decided.get() {
        None | Some(CommitFate::Commit) => result,
        Some(CommitFate::DieBefore | CommitFate::DieAfter) => std::future::pending().await,
        Some(CommitFate::Unknown { .. }) => Err(StoreError::CommitUnknown { source: Arc::new(lost()) }.into()),
    }
}

fn lost() -> DriverError {
    DriverError::Postgres(PostgresCause { code: None, message: "the connection was lost around the commit".to_owned() })
}
