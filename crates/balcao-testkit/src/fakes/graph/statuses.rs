//! Sends the status updates of each message as Meta does: signed, not always in order, some of them twice or together, and again until
//! the receiver acknowledges them. A status update may come before the answer to the request that sent the message.

use std::{
    collections::VecDeque,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::webhooks;

/// The posts for one message, by its number: in order, out of order and twice, one left out, all together and all again.
const WAYS: [&[&[&str]]; 4] = [
    &[&["sent"], &["delivered"], &["read"]],
    &[&["delivered"], &["sent"], &["read"], &["sent"]],
    &[&["read"], &["sent"]],
    &[&["sent", "delivered", "read"], &["sent", "delivered", "read"]],
];

/// A pause after a post that was not acknowledged.
const AGAIN: Duration = Duration::from_millis(20);

/// A sent message that gets status updates.
pub(super) struct Sent<'m> {
    pub(super) id: &'m str,
    pub(super) number: u32,
    /// The body of the request that sent it.
    pub(super) body: &'m Value,
    /// What it is billed as.
    pub(super) category: &'m str,
    /// Meta's number of the error, if it fails.
    pub(super) fails: Option<i64>,
    pub(super) at: Timestamp,
}

#[derive(Debug, Default)]
struct Waiting {
    posts: VecDeque<Value>,
    /// The address and the app secret of the receiver.
    to: Option<(String, String)>,
    held: bool,
    over: bool,
}

/// The status updates that wait, and a thread that sends them.
#[derive(Debug, Clone, Default)]
pub(super) struct Statuses(Arc<(Mutex<Waiting>, Condvar)>);

impl Statuses {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changed(&self, change: impl FnOnce(&mut Waiting)) {
        change(&mut self.lock());
        self.0.1.notify_all();
    }

    /// Sends all later status updates to this address. Before the first call, none leave.
    pub(super) fn set_endpoint(&self, address: &str, app_secret: &str) {
        let first = self.lock().to.is_none();
        self.changed(|waiting| waiting.to = Some((address.to_owned(), app_secret.to_owned())));
        if first {
            let all = self.clone();
            thread::spawn(move || all.work());
        }
    }

    pub(super) fn hold(&self, held: bool) {
        self.changed(|waiting| waiting.held = held);
    }

    pub(super) fn end(&self) {
        self.changed(|waiting| waiting.over = true);
    }

    pub(super) fn untold(&self) -> usize {
        self.lock().posts.len()
    }

    pub(super) fn push(&self, sent: &Sent<'_>) {
        self.changed(|waiting| {
            if waiting.to.is_some() {
                waiting.posts.extend(posts(sent));
            }
        });
    }

    fn work(&self) {
        while let Some((address, secret, body)) = self.next() {
            let heard = webhooks::post(&address, &secret, &body) == Some(200);
            let mut waiting = self.lock();
            // A sent status update stays in front until the receiver acknowledges it; no other thread removes it meanwhile.
            if heard {
                waiting.posts.pop_front();
            } else {
                drop(self.0.1.wait_timeout(waiting, AGAIN));
            }
        }
    }

    /// Waits for a post; `None` at the end.
    fn next(&self) -> Option<(String, String, Value)> {
        let mut waiting = self.lock();
        loop {
            if waiting.over {
                return None;
            }
            if let (false, Some((address, secret)), Some(body)) = (waiting.held, &waiting.to, waiting.posts.front()) {
                return Some((address.clone(), secret.clone(), body.clone()));
            }
            waiting = self.0.1.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn posts(sent: &Sent<'_>) -> Vec<Value> {
    let ways = WAYS.iter().cycle().nth(usize::try_from(sent.number).unwrap_or_default()).copied().unwrap_or_default();
    let post = |states: &&[&str]| {
        let all: Vec<Value> = states.iter().map(|state| status(sent, state)).collect();
        webhooks::envelope("messages", json!({ "statuses": all }))
    };
    match sent.fails {
        Some(_) => [&["failed"], &["sent"]].iter().map(|states: &&[&str; 1]| post(&states.as_slice())).collect(),
        None => ways.iter().map(post).collect(),
    }
}

fn status(sent: &Sent<'_>, state: &str) -> Value {
    let text = |key: &str| sent.body.get(key).and_then(Value::as_str);
    let failed = sent.fails.filter(|_| state == "failed").map(|code| {
        json!([{ "code": code, "title": "Told", "message": "Told",
            "error_data": { "details": "The message could not be delivered." } }])
    });
    let pricing = sent
        .fails
        .is_none()
        .then(|| json!({ "billable": true, "pricing_model": "PMP", "type": "regular", "category": sent.category }));
    // Adds what is known of the recipient: a message to a user id has no number.
    let known = [
        ("recipient_id", text("to").map(|number| json!(super::without_ninth_digit(number)))),
        ("recipient_user_id", text("recipient").map(|user| json!(user))),
        ("biz_opaque_callback_data", text("biz_opaque_callback_data").map(|name| json!(name))),
        ("errors", failed),
        ("pricing", pricing),
    ];
    let mut status = json!({ "id": sent.id, "status": state, "timestamp": sent.at.as_second().to_string() });
    if let Value::Object(status) = &mut status {
        status.extend(known.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    }
    status
}
