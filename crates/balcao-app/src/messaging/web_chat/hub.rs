//! The open pages of visitors in this process, the signal that there is something to read, and the drafts that an agent is writing to them.
//!
//! The signals are only hints: a page also reads the store from time to time, for entries of other processes. A reply that a page shows
//! during its writing ([`Drafting`]) appears again, whole, once it is a message. The hub stores nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use balcao_agent::streaming::ReplySink;
use tokio::sync::watch;

/// The open pages of one process, each visitor's with the beginning of the reply that is being written to them. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Hub(Arc<Mutex<HashMap<String, watch::Sender<String>>>>);

/// One open page; it is counted until it is dropped.
#[derive(Debug)]
pub struct Listening {
    hub: Hub,
    visitor: String,
    news: Option<watch::Receiver<String>>,
}

impl Hub {
    /// Opens a page of a visitor, if they have fewer than `most` and all together fewer than `most_of_all`.
    #[must_use]
    pub fn join(&self, visitor: &str, most: usize, most_of_all: usize) -> Option<Listening> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open: usize = pages.values().map(watch::Sender::receiver_count).sum();
        if open >= most_of_all {
            return None;
        }
        let sender = pages.entry(visitor.to_owned()).or_insert_with(|| watch::channel(String::new()).0);
        if sender.receiver_count() >= most {
            return None;
        }
        let news = Some(sender.subscribe());
        Some(Listening { hub: self.clone(), visitor: visitor.to_owned(), news })
    }

    /// Tells a visitor's pages that there is something to read.
    pub fn wake(&self, visitor: &str) {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = pages.get(visitor) {
            sender.send_modify(|_draft| {});
        }
    }

    /// A reply to a visitor that their pages see while it is written, if any is open then.
    #[must_use]
    pub fn drafting(&self, visitor: &str) -> Drafting {
        Drafting { hub: self.clone(), visitor: visitor.to_owned(), so_far: Mutex::default() }
    }

    fn show(&self, visitor: &str, draft: &str) {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = pages.get(visitor) {
            sender.send_if_modified(|shown| {
                let changed = shown != draft;
                draft.clone_into(shown);
                changed
            });
        }
    }

    /// How many pages are open.
    #[must_use]
    pub fn open(&self) -> usize {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.values().map(watch::Sender::receiver_count).sum()
    }
}

impl Listening {
    /// Waits until there may be something to read; what happened since the last time counts.
    pub async fn news(&mut self) {
        let changed = match &mut self.news {
            Some(news) => news.changed().await.is_ok(),
            None => false,
        };
        if !changed {
            // The hub is gone, so no more signals arrive.
            std::future::pending::<()>().await;
        }
    }

    /// What an agent has written so far of a reply; empty if nothing is to be seen of one.
    #[must_use]
    pub fn draft(&self) -> String {
        self.news.as_ref().map(|news| news.borrow().clone()).unwrap_or_default()
    }

    /// What was written so far has become a message: no page is to show both.
    pub fn settle(&self) {
        self.hub.show(&self.visitor, "");
    }
}

/// A reply on its way to a visitor's pages. Unless it is [kept](Self::keep), they stop showing it when this is dropped: the turn came to
/// something else, or to nothing.
#[derive(Debug)]
pub struct Drafting {
    hub: Hub,
    visitor: String,
    so_far: Mutex<String>,
}

impl Drafting {
    /// The reply is a message now: the pages show what they have seen of it until that comes.
    pub fn keep(self) {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl ReplySink for Drafting {
    fn delta(&self, piece: &str) {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.push_str(piece);
        // The whole each time: a page that opens in the middle sees its beginning, too.
        self.hub.show(&self.visitor, &so_far);
    }

    fn retract(&self) {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.hub.show(&self.visitor, "");
    }
}

impl Drop for Drafting {
    fn drop(&mut self) {
        if !self.so_far.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            self.hub.show(&self.visitor, "");
        }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut pages = self.hub.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.news = None;
        if pages.get(&self.visitor).is_some_and(|sender| sender.receiver_count() == 0) {
            pages.remove(&self.visitor);
        }
    }
}

#[cfg(test)]
#[path = "hub_tests.rs"]
mod tests;
