//! Where lists go on: page tokens and sync tokens.

use std::collections::BTreeMap;

use serde_json::Value;

/// What the service remembers of lists that it gave.
#[derive(Debug, Default)]
pub(super) struct Listings {
    pub(super) tokens: BTreeMap<String, SyncPoint>,
    pub(super) pages: BTreeMap<String, Page>,
    /// Events of a page at most, whatever the client asks for.
    pub(super) page_size: Option<usize>,
    /// Puts an empty page behind the first page of every list.
    pub(super) empty_page: bool,
}

/// What a sync token stands for.
#[derive(Debug, Clone)]
pub(super) struct SyncPoint {
    pub(super) calendar: String,
    pub(super) bound: Vec<Vec<String>>,
    pub(super) revision: u64,
}

/// What a page token stands for.
#[derive(Debug, Clone)]
pub(super) struct Page {
    pub(super) calendar: String,
    pub(super) parameters: Vec<(&'static str, Vec<String>)>,
    pub(super) items: Vec<Value>,
    /// The revision that the list began at.
    pub(super) revision: u64,
    /// The empty page comes first.
    pub(super) is_empty_first: bool,
}

impl Listings {
    /// From now on no sync token is good any more.
    pub(super) fn expire(&mut self) {
        self.tokens.clear();
    }
}
