//! Whether the program lives, and whether it can work.

use axum::extract::State;

use crate::problem::Problem;
use crate::router::Web;

/// `GET /healthz`: the program answers.
pub(crate) async fn healthz() -> &'static str {
    "ok"
}

/// `GET /readyz`: it can take work: the database answers, has the current schema, and the program is not about to stop.
pub(crate) async fn readyz(State(web): State<Web>) -> Result<&'static str, Problem> {
    if web.is_stopping() {
        return Err(Problem::unavailable("the server is about to stop"));
    }
    match web.desk().store.schema_status().await {
        Ok(status) if status.missing.is_empty() => Ok("ready"),
        Ok(_) => Err(Problem::unavailable("the database lacks the current schema; run `balcao migrate`")),
        Err(error) => {
            tracing::error!(%error, "the database does not answer");
            Err(Problem::unavailable("the database does not answer"))
        }
    }
}
