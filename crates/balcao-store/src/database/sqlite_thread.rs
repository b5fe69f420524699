//! What a thread of SQLite notes of the closure that it runs: that the disk failed under it, and until when it may read.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::database::driver_error::DriverError;

thread_local! {
    /// What the disk failed with under this thread.
    static FAILED: RefCell<Option<Arc<DriverError>>> = const { RefCell::new(None) };
    /// When what this thread reads is given up.
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Notes that the disk failed under a statement of this thread; the first failure stays.
pub(crate) fn note_disk_failure(failure: &Arc<DriverError>) {
    FAILED.with_borrow_mut(|failed| _ = failed.get_or_insert_with(|| Arc::clone(failure)));
}

/// The first failure that was noted under this thread.
pub(crate) fn disk_failure() -> Option<Arc<DriverError>> {
    FAILED.with_borrow(Clone::clone)
}

/// Gives up what this thread reads from now on after `limit`.
pub(crate) fn set_limit(limit: Duration) {
    UNTIL.set(Instant::now().checked_add(limit));
}

/// Lets what this thread reads now take as long as it needs.
pub(crate) fn lift_limit() {
    UNTIL.set(None);
}

/// Whether the limit of this thread is over.
pub(crate) fn is_late() -> bool {
    UNTIL.get().is_some_and(|until| Instant::now() > until)
}
