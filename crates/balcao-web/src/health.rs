//! Whether the program lives, and whether it can work.

use axum::extract::State;
use axum::response::IntoResponse;

use crate::problem::Problem;
use crate::router::Web;

/// The header that says what this program does of the server's work: `api`, `worker` or `all`.
const ROLE: &str = "x-balcao-role";

/// `GET /healthz`: the program answers, and says its role.
pub(crate) async fn healthz(State(web): State<Web>) -> impl IntoResponse {
    ([(ROLE, web.role())], "ok")
}

/// `GET /readyz`: it can take work: the database answers, has the current schema, and the program is not about to stop.
///
/// What waits too long is no reason to take the process out of service, and is told in a line each.
pub(crate) async fn readyz(State(web): State<Web>) -> Result<impl IntoResponse, Problem> {
    if web.is_stopping() {
        return Err(Problem::unavailable("the server is about to stop"));
    }
    match web.desk().store.schema_status().await {
        Ok(status) if status.missing.is_empty() => {
            let alarms = web.watch().alarms();
            let lines = alarms.iter().map(|alarm| format!("\nalarm: {alarm}"));
            let told: String = std::iter::once("ready".to_owned()).chain(lines).collect();
            Ok(([(ROLE, web.role())], told))
        }
        Ok(_) => Err(Problem::unavailable("the database lacks the current schema; run `balcao migrate`")),
        Err(error) => {
            tracing::error!(%error, "the database does not answer");
            Err(Problem::unavailable("the database does not answer"))
        }
    }
}
