//! Whether the program lives, and whether it can work.

use axum::extract::State;
use axum::response::IntoResponse;
use balcao_app::AppContext;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::Mutex;

use crate::problem::Problem;
use crate::router::Web;

/// The header that says what this program does of the server's work: `api`, `worker` or `all`.
const ROLE: &str = "x-balcao-role";
/// How long the last answer of the database is reused.
const HOLDS: SignedDuration = SignedDuration::from_secs(1);

/// `GET /healthz`: the program answers, and says its role.
pub(crate) async fn healthz(State(web): State<Web>) -> impl IntoResponse {
    ([(ROLE, web.role())], "ok")
}

/// `GET /readyz`: it can take work: the database answers, has the current schema, and the program is not about to stop.
///
/// Overdue work does not take the process out of service; each alarm is one line of the answer.
pub(crate) async fn readyz(State(web): State<Web>) -> Result<impl IntoResponse, Problem> {
    if web.is_stopping() {
        return Err(Problem::unavailable("the server is about to stop"));
    }
    match web.readiness().look(web.desk()).await {
        Readiness::Ready => {
            let alarms = web.watch().alarms();
            let lines = alarms.iter().map(|alarm| format!("\nalarm: {alarm}"));
            let scarce = web.watch().scarce();
            let lines = lines.chain(scarce.iter().map(|one| format!("\nalarm: {one}")));
            let told: String = std::iter::once("ready".to_owned()).chain(lines).collect();
            Ok(([(ROLE, web.role())], told))
        }
        Readiness::NotMigrated => {
            Err(Problem::unavailable("the database lacks the current schema; run `balcao migrate`"))
        }
        Readiness::Down => Err(Problem::unavailable("the database does not answer")),
    }
}

/// What the database said when it was asked last.
#[derive(Debug, Clone, Copy)]
enum Readiness {
    Ready,
    NotMigrated,
    Down,
}

/// Asks the database once a second at most, however many clients ask: the path needs no key.
#[derive(Debug, Default)]
pub(crate) struct LastLook(Mutex<Option<(Timestamp, Readiness)>>);

impl LastLook {
    /// Requests that arrive while the database is being asked wait for its answer.
    async fn look(&self, desk: &AppContext) -> Readiness {
        let mut last = self.0.lock().await;
        let age = |at: Timestamp| desk.clock.now().duration_since(at);
        if let Some((_, found)) = last.filter(|(at, _)| (SignedDuration::ZERO..HOLDS).contains(&age(*at))) {
            return found;
        }
        let found = match desk.store.schema_status().await {
            Ok(status) if status.missing.is_empty() => Readiness::Ready,
            Ok(_) => Readiness::NotMigrated,
            Err(error) => {
                tracing::error!(%error, "the database does not answer");
                Readiness::Down
            }
        };
        *last = Some((desk.clock.now(), found));
        found
    }
}
