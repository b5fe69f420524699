//! Writes down requests and answers for a judge that shares no code with the fake (`tests/google/discovery.py`).

use std::fs::File;
use std::io::Write;

use serde_json::{Value, json};

use super::Asked;
use crate::fakes::http::Reply;

/// The variable that names the file.
const VARIABLE: &str = "BALCAO_GOOGLE_EXCHANGES";

/// A file of exchanges, one JSON object per line. Several programs may write into one file.
#[derive(Debug)]
pub(super) struct Exchanges(Option<File>);

impl Exchanges {
    /// Into the file that the environment names; without one, nothing is written.
    pub(super) fn open() -> std::io::Result<Self> {
        let file = std::env::var_os(VARIABLE).map(|path| File::options().create(true).append(true).open(path));
        Ok(Self(file.transpose()?))
    }

    /// Writes down a request and its answer, unless the fake refused the request as wrong itself. `is_planted` says that events of the
    /// answer may be unreadable on purpose.
    pub(super) fn write(&mut self, asked: &Asked, reply: &Reply, is_planted: bool) {
        let Some(file) = &mut self.0 else { return };
        if !asked.target.starts_with("/calendar/v3/") {
            return;
        }
        let (status, answer) = match reply {
            Reply::Json(400, ..) | Reply::Whole(404, ..) => return,
            Reply::Json(status, _, body) => (Some(*status), serde_json::from_slice(body).unwrap_or(Value::Null)),
            Reply::Whole(..) | Reply::Cut(..) | Reply::Endless(_) | Reply::Nothing | Reply::Silence => {
                (None, Value::Null)
            }
        };
        let Asked { method, target, body } = asked;
        let line = json!({ "method": method, "target": target, "body": body, "status": status, "answer": answer,
            "planted": is_planted });
        // The judge misses what cannot be written: it asks for an exchange of every method.
        drop(file.write_all(format!("{line}\n").as_bytes()));
    }
}
