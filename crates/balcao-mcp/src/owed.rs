//! Keeps what a server asks of us: each answer waits in memory until the server takes it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use serde::Deserialize;
use serde::de::IgnoredAny;

#[cfg(test)]
#[path = "owed_tests.rs"]
mod tests;

/// Questions of a server that may wait for our answers.
const MAX_OWED: usize = 256;
/// Bytes of a question's id: each id stays in memory until its answer is taken.
const MAX_ID_BYTES: usize = 256;

/// Why a question of a server is not heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unheard {
    #[error("the server asks without end, and does not take the answers in time")]
    TooMany,
    #[error("invalid id of a request of the server; expected a number, or a text of at most {MAX_ID_BYTES} bytes")]
    LongId,
}

/// Questions of a server that were read, less those that it has the answers of.
#[derive(Debug, Default)]
pub(crate) struct Owed(Mutex<Questions>);

#[derive(Debug, Default)]
struct Questions {
    /// With the stream that each came by. A server may use an id twice: both count.
    open: Vec<(u64, RequestId)>,
    /// Questions that were withdrawn, or whose stream ended. Their answers may still wait, so each counts until the server takes a
    /// message for it: otherwise it could ask and withdraw without end, and take next to nothing.
    left: usize,
    /// Streams so far.
    streams: u64,
}

impl Owed {
    /// Notes what the server says in a stream.
    ///
    /// # Errors
    /// If it asks while too many questions wait, or by an id that is too long. Then the question does not count.
    pub(crate) fn hear(&self, stream: u64, message: &[u8]) -> Result<(), Unheard> {
        match read_said(message) {
            Said::Question(id) => {
                if is_long(&id) {
                    return Err(Unheard::LongId);
                }
                let mut questions = self.questions();
                if questions.open.len().saturating_add(questions.left) >= MAX_OWED {
                    return Err(Unheard::TooMany);
                }
                questions.open.push((stream, id));
                Ok(())
            }
            Said::Withdrawal(id) => {
                let mut questions = self.questions();
                if let Some(at) = questions.open.iter().position(|(_, open)| *open == id) {
                    questions.open.swap_remove(at);
                    questions.left = questions.left.saturating_add(1);
                }
                Ok(())
            }
            Said::Other => Ok(()),
        }
    }

    /// Notes that the server took a message of ours.
    pub(crate) fn take(&self) {
        let mut questions = self.questions();
        questions.left = questions.left.saturating_sub(1);
    }

    /// Notes that the answer to a question does not wait any more.
    pub(crate) fn close(&self, id: &RequestId) {
        let mut questions = self.questions();
        if let Some(at) = questions.open.iter().position(|(_, open)| open == id) {
            questions.open.swap_remove(at);
        }
    }

    fn end(&self, stream: u64) {
        let mut questions = self.questions();
        let before = questions.open.len();
        questions.open.retain(|(of, _)| *of != stream);
        let ended = before.saturating_sub(questions.open.len());
        questions.left = questions.left.saturating_add(ended);
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of the streams by which a server asks. What is owed to it is left when it ends.
#[derive(Debug)]
pub(crate) struct Stream {
    owed: Arc<Owed>,
    number: u64,
}

impl Stream {
    pub(crate) fn begin(owed: Arc<Owed>) -> Self {
        let number = {
            let mut questions = owed.questions();
            questions.streams = questions.streams.saturating_add(1);
            questions.streams
        };
        Self { owed, number }
    }

    /// As [`Owed::hear`].
    pub(crate) fn hear(&self, message: &[u8]) -> Result<(), Unheard> {
        self.owed.hear(self.number, message)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.owed.end(self.number);
    }
}

/// An answer of ours on its way. Whether the server takes it or not, it does not wait any more when this is dropped.
#[derive(Debug)]
pub(crate) struct Answering<'a> {
    owed: &'a Owed,
    id: &'a RequestId,
}

impl<'a> Answering<'a> {
    pub(crate) fn begin(owed: &'a Owed, id: &'a RequestId) -> Self {
        Self { owed, id }
    }
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.owed.close(self.id);
    }
}

/// What a message of the server means for what we owe.
enum Said {
    Question(RequestId),
    /// It does not want the answer any more, and the library drops it.
    Withdrawal(RequestId),
    Other,
}

fn is_long(id: &RequestId) -> bool {
    match id {
        RequestId::Number(_) => false,
        RequestId::String(text) => text.len() > MAX_ID_BYTES,
    }
}

/// What tells questions, notifications and answers apart.
#[derive(Deserialize)]
struct Head {
    id: Option<RequestId>,
    method: Option<IgnoredAny>,
}

/// A message with a method and an id asks something of us (JSON-RPC 2.0 §4).
fn read_said(message: &[u8]) -> Said {
    #[derive(Deserialize)]
    struct Cancelled {
        method: String,
        params: Cancels,
    }
    #[derive(Deserialize)]
    struct Cancels {
        #[serde(rename = "requestId")]
        request_id: RequestId,
    }
    let Ok(head) = balcao_json::read_as::<Head>(message, balcao_json::MOST_VALUES) else { return Said::Other };
    match (head.id, head.method) {
        (Some(id), Some(_)) => Said::Question(id),
        (None, Some(_)) => match balcao_json::read_as::<Cancelled>(message, balcao_json::MOST_VALUES) {
            Ok(said) if said.method == "notifications/cancelled" => Said::Withdrawal(said.params.request_id),
            Ok(_) | Err(_) => Said::Other,
        },
        (_, None) => Said::Other,
    }
}

/// The question that a message of ours answers.
pub(crate) fn read_answered(message: &[u8]) -> Option<RequestId> {
    let head: Head = serde_json::from_slice(message).ok()?;
    head.id.filter(|_| head.method.is_none())
}
