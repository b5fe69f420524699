//! Google Calendar's API v3 with its token endpoint and consent page, as far as both are documented, with a memory.
//!
//! Stricter than the real service on purpose: unknown parameters and keys, times without an offset, ids outside of `a-v0-9` and bodies
//! of another type are refused. The discovery document of revision 20261030 and the guides of the API are the model. The time comes from
//! the clock that a test hands in.
#![expect(clippy::indexing_slicing, reason = "JSON that the fake made itself, or that reads as null")]

mod accounts;
mod channels;
mod consent;
mod cursors;
mod events;
mod exchanges;
mod faults;
mod free_busy;
mod gate;
mod hands;
mod listing;
mod notices;
mod oauth;
mod recurrence;
mod refusal;
mod route;
mod shape;
mod state;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use balcao_domain::Clock;
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::http::Server;
use exchanges::Exchanges;
pub use faults::{Call, Fault, ProgramEnd};
use faults::{Faults, Interruption};
use gate::Gate;
pub use notices::Notice;
pub use oauth::{CLIENT_ID, CLIENT_SECRET, SERVICE_ACCOUNT};
use state::{Calendar, State};

/// A request that came.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The body, if it is JSON.
    pub body: Value,
}

struct Inner {
    state: State,
    faults: Faults,
    interruption: Interruption,
    exchanges: Exchanges,
    asked: Vec<Asked>,
}

/// The service on a port of this machine. It stops when it is dropped.
pub struct FakeGoogle {
    server: Server,
    gate: Arc<Gate>,
    inner: Arc<Mutex<Inner>>,
}

impl std::fmt::Debug for FakeGoogle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FakeGoogle").field("url", &self.url()).finish_non_exhaustive()
    }
}

/// A lock on the state alone.
struct StateGuard<'a>(MutexGuard<'a, Inner>);

impl std::ops::Deref for StateGuard<'_> {
    type Target = State;
    fn deref(&self) -> &State {
        &self.0.state
    }
}

impl std::ops::DerefMut for StateGuard<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.0.state
    }
}

impl FakeGoogle {
    /// Starts on a free port, without calendars and grants.
    ///
    /// # Errors
    /// No port is free, or the file of exchanges cannot be opened.
    pub fn start(clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let (faults, interruption) = (Faults::default(), Interruption::default());
        let (state, exchanges) = (State::new(clock), Exchanges::open()?);
        let inner = Inner { state, faults, interruption, exchanges, asked: Vec::new() };
        let inner = Arc::new(Mutex::new(inner));
        let (shared, gate) = (Arc::clone(&inner), Arc::new(Gate::default()));
        let passed = Arc::clone(&gate);
        let server = Server::start(move |request| {
            passed.pass(route::call_of(&request));
            route::answer(&mut lock(&shared), &request)
        })?;
        lock(&inner).state.base = server.url();
        Ok(Self { server, gate, inner })
    }

    /// What stands before every path: of the API, the token endpoint, `revoke` and the consent page.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.url()
    }

    /// The key file of the service account.
    #[must_use]
    pub fn key_file(&self) -> String {
        oauth::key_file(&self.url())
    }

    /// Adds a calendar. `role` is what the account may do: `owner`, `writer`, `reader` or `freeBusyReader`.
    ///
    /// # Errors
    /// The zone does not exist.
    pub fn add_calendar(&self, id: &str, zone: &str, role: &str) -> Result<(), jiff::Error> {
        let calendar = Calendar {
            name: format!("Agenda {id}"),
            zone: TimeZone::get(zone)?,
            zone_name: zone.to_owned(),
            role: role.to_owned(),
            data_owner: (role == "owner").then(|| "dona@example.test".to_owned()),
            is_primary: false,
            events: BTreeMap::new(),
            busy_error: None,
        };
        self.state().calendars.insert(id.to_owned(), calendar);
        Ok(())
    }

    /// Makes a calendar the account's own, which `primary` names.
    pub fn set_primary(&self, calendar: &str) {
        for (id, one) in &mut self.state().calendars {
            one.is_primary = id == calendar;
        }
    }

    /// Changes what the account may do with a calendar, and who owns its data.
    pub fn share_calendar(&self, id: &str, role: &str, data_owner: Option<&str>) {
        let mut state = self.state();
        if let Ok(calendar) = state.calendar_mut(id) {
            role.clone_into(&mut calendar.role);
            calendar.data_owner = data_owner.map(str::to_owned);
        }
        // A change of rights ends sync tokens.
        state.listings.expire();
    }

    /// Takes a calendar away, with its events.
    pub fn remove_calendar(&self, id: &str) {
        self.state().calendars.remove(id);
    }

    /// Gives a refresh token with these scopes, each the last part of its name, for example `calendar.events`.
    #[must_use]
    pub fn grant(&self, scopes: &[&str]) -> String {
        let full = |scope: &&str| format!("https://www.googleapis.com/auth/{scope}");
        self.state().grant(scopes.iter().map(full).collect())
    }

    /// Ends every access token; grants live on.
    pub fn end_access_tokens(&self) {
        self.state().end_access();
    }

    /// Ends every grant. A token request with one gets `invalid_grant` and this description.
    pub fn kill_grants(&self, description: &str) {
        self.state().kill_grants(description);
    }

    /// How many grants live.
    #[must_use]
    pub fn living_grants(&self) -> usize {
        self.state().living_grants()
    }

    /// Sets how far the clock of the service is ahead of the clock of its clients.
    pub fn set_clock_ahead(&self, by: SignedDuration) {
        self.state().accounts.ahead = by;
    }

    /// Says what happens to the next request of a method that has no fault yet.
    pub fn fail(&self, call: Call, fault: Fault) {
        lock(&self.inner).faults.add(call, 0, fault);
    }

    /// As [`Self::fail`], after so many requests of the method that go well.
    pub fn fail_later(&self, call: Call, after: usize, fault: Fault) {
        lock(&self.inner).faults.add(call, after, fault);
    }

    /// Forgets every fault that did not happen yet.
    pub fn clear_faults(&self) {
        lock(&self.inner).faults.clear();
    }

    /// Ends the program that sends the requests at one of them, after so many that go well: the request gets no answer, and
    /// [`Self::program_ended`] returns, so that the test can drop what waits for the answer.
    pub fn end_program_at(&self, after: usize, end: ProgramEnd) {
        lock(&self.inner).interruption.plan(after, end);
    }

    /// Holds the next requests of a method until so many have come: several programs ask at the same time.
    pub fn bring_together(&self, call: Call, count: usize) {
        self.gate.close(call, count);
    }

    /// Waits for the request at which the program ends.
    pub async fn program_ended(&self) {
        let ended = Arc::clone(&lock(&self.inner).interruption.ended);
        ended.notified().await;
    }

    /// Does what late requests ask for, in their order. Their answers go nowhere.
    pub fn deliver_late(&self) {
        let mut inner = lock(&self.inner);
        for request in inner.interruption.take_late() {
            drop(route::respond(&mut inner, &request));
        }
    }

    /// From now on no sync token is good: 410 `fullSyncRequired`.
    pub fn expire_sync_tokens(&self) {
        self.state().listings.expire();
    }

    /// Gives at most so many entries in a page.
    pub fn set_page_size(&self, size: usize) {
        self.state().listings.page_size = Some(size);
    }

    /// Puts an empty page behind the first one of every list of events.
    pub fn insert_empty_pages(&self) {
        self.state().listings.empty_page = true;
    }

    /// Says why free/busy does not know a calendar, for example `internalError`; `None` makes it known again.
    pub fn set_busy_error(&self, calendar: &str, reason: Option<&str>) {
        if let Ok(calendar) = self.state().calendar_mut(calendar) {
            calendar.busy_error = reason.map(str::to_owned);
        }
    }

    /// Every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.inner).asked.clone()
    }

    /// What `sendUpdates` said in every write that reached a calendar; `(not said)` if it was missing.
    #[must_use]
    pub fn send_updates(&self) -> Vec<String> {
        self.state().send_updates.clone()
    }

    /// An event as it is stored, deleted ones with all that they said.
    #[must_use]
    pub fn event(&self, calendar: &str, id: &str) -> Option<Value> {
        hands::stored(&self.state(), calendar, id).ok()
    }

    /// How many events a calendar holds that are not deleted; a series is one.
    #[must_use]
    pub fn count_events(&self, calendar: &str) -> usize {
        let state = self.state();
        state.calendar(calendar).map_or(0, |one| one.events.values().filter(|event| !event.is_cancelled()).count())
    }

    /// The notifications that channels are owed, in order; each is given once.
    #[must_use]
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.state().channels.notices)
    }

    /// The ids of push channels that live.
    #[must_use]
    pub fn channels(&self) -> Vec<String> {
        let state = self.state();
        state.channels.living(state.now())
    }

    fn state(&self) -> StateGuard<'_> {
        StateGuard(lock(&self.inner))
    }
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(PoisonError::into_inner)
}
