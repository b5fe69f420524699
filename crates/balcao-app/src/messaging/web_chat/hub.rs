//! The pages of the web chat that are open in this process: wakes them when there is something to read, and shows them a reply while the
//! agent writes it ([`ReplyPreview`]).
//!
//! A page also reads the store from time to time, because another process may write a message. The hub stores nothing; once the reply is a
//! message, the page shows the message instead of the preview.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use balcao_agent::streaming::ReplySink;
use tokio::sync::watch;

/// The open pages of one process by visitor, with the preview of the reply to each visitor. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Hub(Arc<Mutex<HashMap<String, watch::Sender<String>>>>);

/// One open page; it is counted until it is dropped.
#[derive(Debug)]
pub struct OpenPage {
    hub: Hub,
    visitor: String,
    news: Option<watch::Receiver<String>>,
}

impl Hub {
    /// Opens a page of a visitor; `None` if the visitor has `most` open pages or the process has `most_of_all`.
    #[must_use]
    pub fn join(&self, visitor: &str, most: usize, most_of_all: usize) -> Option<OpenPage> {
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
        Some(OpenPage { hub: self.clone(), visitor: visitor.to_owned(), news })
    }

    /// Tells a visitor's pages that there is something to read.
    pub fn wake(&self, visitor: &str) {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = pages.get(visitor) {
            sender.send_modify(|_preview| {});
        }
    }

    /// Begins the preview of a reply to a visitor, for the pages that the visitor has open.
    #[must_use]
    pub fn begin_preview(&self, visitor: &str) -> ReplyPreview {
        ReplyPreview { hub: self.clone(), visitor: visitor.to_owned(), so_far: Mutex::default() }
    }

    fn show(&self, visitor: &str, preview: &str) {
        let pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = pages.get(visitor) {
            sender.send_if_modified(|shown| {
                let changed = shown != preview;
                preview.clone_into(shown);
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

impl OpenPage {
    /// Waits until there may be something to read. A signal since the last wait counts.
    pub async fn wait_for_news(&mut self) {
        let changed = match &mut self.news {
            Some(news) => news.changed().await.is_ok(),
            None => false,
        };
        if !changed {
            // The hub is gone, so no more signals arrive.
            std::future::pending::<()>().await;
        }
    }

    /// Returns the reply as far as it is written; empty if no reply is being written.
    #[must_use]
    pub fn preview(&self) -> String {
        self.news.as_ref().map(|news| news.borrow().clone()).unwrap_or_default()
    }

    /// Clears the preview, because the reply is a message now and a page must not show both.
    pub fn clear_preview(&self) {
        self.hub.show(&self.visitor, "");
    }
}

/// Shows a visitor's pages a reply while it is written. Dropping it clears the pages, because the turn ended without this reply;
/// [`keep`](Self::keep) leaves it in place.
#[derive(Debug)]
pub struct ReplyPreview {
    hub: Hub,
    visitor: String,
    so_far: Mutex<String>,
}

impl ReplyPreview {
    /// Leaves the preview on the pages until the stored message arrives there.
    pub fn keep(self) {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl ReplySink for ReplyPreview {
    fn delta(&self, piece: &str) {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        so_far.push_str(piece);
        // The preview always holds the whole text, so a page that opens now sees the beginning too.
        self.hub.show(&self.visitor, &so_far);
    }

    fn retract(&self) {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.hub.show(&self.visitor, "");
    }
}

impl Drop for ReplyPreview {
    fn drop(&mut self) {
        if !self.so_far.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            self.hub.show(&self.visitor, "");
        }
    }
}

impl Drop for OpenPage {
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
