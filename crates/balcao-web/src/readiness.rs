//! Whether the database can be worked with, asked once a second at most.

use balcao_app::AppContext;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;

/// How long the last answer of the database is reused.
const HOLDS: SignedDuration = SignedDuration::from_secs(1);

/// What the database said when it was asked last.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Readiness {
    Ready,
    NotMigrated,
    Down,
}

/// Asks the database once a second at most, however many clients ask: the path needs no key.
#[derive(Debug, Default)]
pub(crate) struct LastLook(Mutex<Option<(Timestamp, Readiness)>>);

impl LastLook {
    /// Requests that arrive while the database is being asked wait for its answer.
    pub(crate) async fn look(&self, app: &AppContext) -> Readiness {
        let mut last = self.0.lock().await;
        let age = |at: Timestamp| app.clock.now().duration_since(at);
        if let Some((_, found)) = last.filter(|(at, _)| (SignedDuration::ZERO..HOLDS).contains(&age(*at))) {
            return found;
        }
        let found = match app.store.schema_status().await {
            Ok(status) if status.missing.is_empty() => Readiness::Ready,
            Ok(_) => Readiness::NotMigrated,
            Err(error) => {
                tracing::error!(%error, "the database does not answer");
                Readiness::Down
            }
        };
        *last = Some((app.clock.now(), found));
        found
    }
}
