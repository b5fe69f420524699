//! Work on what a service answered, beside the threads that serve others.

use std::time::Duration;

/// Works beside the threads that serve others; `None`: not within `limit`.
pub(crate) async fn aside<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    tokio::time::timeout(limit, tokio::task::spawn_blocking(work)).await.ok()?.ok()
}
