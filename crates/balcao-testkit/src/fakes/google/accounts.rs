//! What the service knows of those who call: grants, access tokens, codes.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

/// What the service knows of those who call.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    pub(super) grants: BTreeMap<String, Grant>,
    pub(super) access: BTreeMap<String, Access>,
    pub(super) codes: BTreeMap<String, Code>,
    /// How far the clock of the service is ahead of the client's.
    pub(super) ahead: SignedDuration,
}

/// What a person granted.
#[derive(Debug)]
pub(super) struct Grant {
    pub(super) scopes: BTreeSet<String>,
    /// Why it is dead.
    pub(super) dead: Option<String>,
}

/// An access token.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) scopes: BTreeSet<String>,
    pub(super) until: Timestamp,
    pub(super) is_service_account: bool,
    pub(super) refresh: Option<String>,
}

/// A code that the consent page gave, with what it is bound to.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) redirect_uri: String,
    pub(super) challenge: String,
    pub(super) scopes: BTreeSet<String>,
    pub(super) until: Timestamp,
}
