//! Whether the program lives, and whether it can work.

use axum::extract::State;
use axum::response::IntoResponse;

use crate::problem::Problem;
use crate::readiness::Readiness;
use crate::web::Web;

/// The header that says what this program does of the server's work: `api`, `worker` or `all`.
const ROLE: &str = "x-balcao-role";

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
    match web.readiness().look(web.app()).await {
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
