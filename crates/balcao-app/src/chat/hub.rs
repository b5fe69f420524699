//! Which visitors' pages are open here, and how they are told that there is something to read.
//!
//! A hint only: whoever listens also looks by itself from time to time, for what other processes wrote.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;

/// The open pages of one process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Hub(Arc<Mutex<HashMap<String, watch::Sender<()>>>>);

/// One open page; it is counted until it is dropped.
#[derive(Debug)]
pub struct Listening {
    hub: Hub,
    visitor: String,
    news: Option<watch::Receiver<()>>,
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
        let sender = pages.entry(visitor.to_owned()).or_insert_with(|| watch::channel(()).0);
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
            sender.send_replace(());
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
            // The hub is gone: nothing is told any more.
            std::future::pending::<()>().await;
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
