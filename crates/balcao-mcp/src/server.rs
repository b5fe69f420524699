//! A server of an organization: started when it is needed, started again when it died, asked only for what was accepted.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use balcao_connector::{Clock, Outcome, Problem, Settings, Striker};
use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use serde_json::{Map, Value};
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::{
    connection::Connection,
    contract::Standing,
    error::{CallError, FailureKind},
    live::Live,
    open::{Reach, Target},
    pins::{Pin, Pins, PinsError},
};

/// An organization's access to a server. Keep one for each, not one for each call: it is what starts the server at most once.
pub struct Server {
    target: Arc<Target>,
    connection: Connection,
    striker: Arc<Striker>,
    trial: bool,
    pins: Arc<dyn Pins>,
    clock: Arc<dyn Clock>,
    tasks: TaskTracker,
    state: Mutex<State>,
}

/// A start that may be waited for by many.
type Starting = Shared<BoxFuture<'static, Result<Arc<Live>, Arc<str>>>>;

#[derive(Default)]
struct State {
    now: Now,
    /// Starts since a call was answered.
    starts: u32,
    /// When the last one began, by the clock's `elapsed`.
    began: Duration,
    /// Lists of tools that it left unanswered, one after the other.
    unanswered: u32,
}

/// A server that leaves so many lists unanswered hangs, whatever it is doing. One that is busy with a call may leave fewer.
const HANGS_AFTER: u32 = 3;

#[derive(Default)]
enum Now {
    /// Not started yet, or it died or did not start, and why.
    #[default]
    Down,
    Failed(Arc<str>),
    Starting(Starting),
    Up(Arc<Live>),
}

/// How a server is.
#[derive(Debug, Clone, PartialEq)]
pub enum Health {
    /// It answers. These of its accepted tools are out of use, and why.
    Up(Vec<(String, String)>),
    /// It does not answer, and why, for staff.
    Down(String),
}

/// A tool as it stands, for the person who accepts tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Its name on the server.
    pub tool: String,
    /// How it stands to what was accepted.
    pub standing: Standing,
}

impl Server {
    /// Binds a connection to settings. Nothing is started yet.
    ///
    /// # Errors
    /// Everything that is missing, of no use, or not permitted.
    pub fn open(
        connection: &Connection,
        settings: Settings,
        reach: &Reach,
        clock: Arc<dyn Clock>,
        pins: Arc<dyn Pins>,
    ) -> Result<Self, Vec<Problem>> {
        let target = Arc::new(Target::bind(connection, &settings, reach)?);
        let (connection, tasks, state) = (connection.clone(), TaskTracker::new(), Mutex::default());
        Ok(Self {
            target,
            connection,
            striker: Arc::new(settings.striker(&[])),
            trial: reach.egress.safe_only,
            pins,
            clock,
            tasks,
            state,
        })
    }

    /// For staff: the very command line that is run, or the address that is called.
    #[must_use]
    pub fn describe(&self) -> String {
        self.target.describe()
    }

    /// Calls a tool that was accepted, and gives the server's result as it came: an object of the protocol's `CallToolResult`.
    ///
    /// # Errors
    /// [`CallError`] says what went wrong, and whether it was carried out all the same.
    pub async fn call(&self, tool: &str, arguments: Map<String, Value>, within: Duration) -> Result<Value, CallError> {
        self.called(tool, arguments, within, false).await.map_err(|error| self.struck(error))
    }

    /// The same call for a command that only reads: a tool of which its server says that it changes something is not called.
    ///
    /// # Errors
    /// [`CallError`], as of [`Server::call`].
    pub async fn read(&self, tool: &str, arguments: Map<String, Value>, within: Duration) -> Result<Value, CallError> {
        self.called(tool, arguments, within, true).await.map_err(|error| self.struck(error))
    }

    async fn called(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        within: Duration,
        reads: bool,
    ) -> Result<Value, CallError> {
        let until = tokio::time::Instant::now() + within;
        let late = |outcome| CallError::new(FailureKind::Timeout, outcome, "no answer in time");
        if self.trial {
            let detail = "a trial run starts no program and calls no server: what a call changes only the server knows";
            return Err(CallError::unsent(FailureKind::Unavailable, detail.to_owned()));
        }
        // Up to here nothing was asked of the tool.
        let ready = tokio::time::timeout_at(until, self.ready(tool, reads)).await;
        let live = ready.map_err(|_elapsed| late(Outcome::NotDone))??;
        let called = tokio::time::timeout_at(until, live.call(tool, arguments)).await;
        match called.unwrap_or_else(|_elapsed| Err(late(Outcome::Unknown))) {
            Ok(answer) => {
                self.state().starts = 0;
                // What a server echoes of our secrets goes no further than here.
                let left = until.saturating_duration_since(tokio::time::Instant::now());
                self.striker.value_within(answer, left).await.ok_or_else(|| {
                    let outcome = if reads { Outcome::NotDone } else { Outcome::Unknown };
                    CallError::new(FailureKind::Timeout, outcome, "the answer was not read in time")
                })
            }
            Err(error) => {
                let (outcome, said) = (error.outcome, live.complaints());
                Err(error.telling(outcome, |detail| {
                    if said.is_empty() { detail.to_owned() } else { format!("{detail}; it complained: {said}") }
                }))
            }
        }
    }

    /// What the service behind it sent on its own, without our secrets, as results of calls are; `None`: not within `limit`.
    pub async fn strike_within(&self, value: Value, limit: Duration) -> Option<Value> {
        self.striker.value_within(value, limit).await
    }

    /// The same failure without any of our secrets.
    pub(crate) fn struck(&self, error: CallError) -> CallError {
        let outcome = error.outcome;
        error.telling(outcome, |detail| self.striker.text(detail))
    }

    /// The server, if it has this tool as it was accepted, and does not say of one that `reads` that it changes something.
    async fn ready(&self, tool: &str, reads: bool) -> Result<Arc<Live>, CallError> {
        let pins = self.accepted().await?;
        let live = self.live().await?;
        let listing = live.listing(&self.connection, self.clock.elapsed()).await.map_err(unsent)?;
        match listing.standing(tool, &pins) {
            Standing::Accepted if live.is_over() => {
                Err(CallError::unsent(FailureKind::Unavailable, format!("it ended; {}", live.complaints())))
            }
            Standing::Accepted if reads && listing.changes_something(tool) => {
                let detail = format!(
                    "`{tool}`: the server says that it changes something, and the pack calls it a read; expected the effect `write` or `destructive`"
                );
                Err(CallError::unsent(FailureKind::NotAccepted, detail))
            }
            Standing::Accepted => Ok(live),
            other @ (Standing::New(_) | Standing::Changed { .. } | Standing::Vanished | Standing::Refused(_)) => {
                let detail = format!("`{tool}`: {}", other.for_staff());
                Err(CallError::unsent(FailureKind::NotAccepted, detail))
            }
        }
    }

    async fn accepted(&self) -> Result<BTreeMap<String, Pin>, CallError> {
        // An error here denies: without the list nothing was accepted.
        let refused = |error: PinsError| CallError::unsent(FailureKind::NotAccepted, error.to_string());
        self.pins.load().await.map_err(refused)
    }

    /// Every tool that the server has or that was accepted, and how it stands. Asks the server again.
    ///
    /// # Errors
    /// If it does not answer.
    pub async fn review(&self) -> Result<Vec<Review>, CallError> {
        self.reviewed().await.map_err(|error| self.struck(error))
    }

    async fn reviewed(&self) -> Result<Vec<Review>, CallError> {
        let pins = self.accepted().await?;
        let live = self.live().await?;
        let within = Duration::from_millis(self.connection.start_timeout_ms);
        let listed = timeout(within, live.list(&self.connection, self.clock.elapsed())).await;
        let Ok(listed) = listed else {
            self.left_unanswered(&live);
            return Err(CallError::unsent(FailureKind::Timeout, "no list of tools in time"));
        };
        self.state().unanswered = 0;
        listed?;
        let listing = live.listing(&self.connection, self.clock.elapsed()).await?;
        let mut names: Vec<&String> = listing.tools.keys().chain(pins.keys()).collect();
        names.sort();
        names.dedup();
        Ok(names
            .into_iter()
            .map(|tool| Review { tool: tool.clone(), standing: listing.standing(tool, &pins) })
            .collect())
    }

    /// A server that is there and says nothing is let go of, which ends its program: the next caller starts it again. Not in the middle of a
    /// call, which may be what keeps it busy.
    fn left_unanswered(&self, silent: &Arc<Live>) {
        let mut state = self.state();
        state.unanswered = state.unanswered.saturating_add(1);
        // One is the state's, one the asker's; every call holds another.
        let calls = Arc::strong_count(silent).saturating_sub(2);
        let is_this = matches!(&state.now, Now::Up(live) if Arc::ptr_eq(live, silent));
        if is_this && (calls == 0 || state.unanswered >= HANGS_AFTER) {
            state.now = Now::Failed(Arc::from("it did not answer, and was ended"));
            state.unanswered = 0;
        }
    }

    /// Accepts tools as they were reviewed. One that changed since then stays out of use, and one that vanished is forgotten.
    ///
    /// # Errors
    /// If the server does not answer, or what is accepted cannot be kept.
    pub async fn accept(&self, reviewed: &[Review]) -> Result<(), CallError> {
        let now = self.review().await?;
        let mut pins = self.accepted().await?;
        for seen in reviewed.iter().filter(|seen| now.contains(seen)) {
            match &seen.standing {
                Standing::New(is) | Standing::Changed { is, .. } => drop(pins.insert(seen.tool.clone(), Pin::from(is))),
                Standing::Vanished => drop(pins.remove(&seen.tool)),
                Standing::Accepted | Standing::Refused(_) => {}
            }
        }
        self.pins.keep(&pins).await.map_err(|error| CallError::unsent(FailureKind::NotAccepted, error.to_string()))
    }

    /// Asks the server whether it is there, and starts it if it is not.
    pub async fn health(&self) -> Health {
        match self.review().await {
            Ok(reviews) => {
                let wanted = |review: &Review| !matches!(review.standing, Standing::Accepted | Standing::New(_));
                let out = reviews.into_iter().filter(wanted);
                Health::Up(out.map(|review| (review.tool, review.standing.for_staff())).collect())
            }
            Err(error) => Health::Down(error.for_staff()),
        }
    }

    /// How often [`Self::health`] is to be asked, as the pack's author wants it; `None`: never.
    #[must_use]
    pub fn health_check_every(&self) -> Option<Duration> {
        Some(self.connection.health_check_ms).filter(|ms| *ms > 0).map(Duration::from_millis)
    }

    /// The server, started if need be. Many may wait for one start; a caller that leaves does not end it.
    async fn live(&self) -> Result<Arc<Live>, CallError> {
        let starting = match self.there_or_starting()? {
            Ok(live) => return Ok(live),
            Err(starting) => starting,
        };
        let started = starting.await;
        let mut state = self.state();
        match started {
            Ok(live) => {
                if matches!(state.now, Now::Starting(_)) {
                    state.now = Now::Up(Arc::clone(&live));
                }
                Ok(live)
            }
            Err(why) => {
                if matches!(state.now, Now::Starting(_)) {
                    state.now = Now::Failed(Arc::clone(&why));
                }
                Err(CallError::unsent(FailureKind::Unavailable, why.to_string()))
            }
        }
    }

    fn there_or_starting(&self) -> Result<Result<Arc<Live>, Starting>, CallError> {
        let mut state = self.state();
        let why = match &state.now {
            Now::Up(live) if !live.is_over() => return Ok(Ok(Arc::clone(live))),
            Now::Starting(starting) => return Ok(Err(starting.clone())),
            Now::Up(dead) => format!("it ended; {}", dead.complaints()),
            Now::Failed(why) => why.to_string(),
            Now::Down => String::new(),
        };
        let now = self.clock.elapsed();
        let next = state.began.saturating_add(self.pause(state.starts));
        if now < next {
            let detail = format!("it is started again in {} ms: {why}", (next - now).as_millis());
            return Err(CallError::unsent(FailureKind::Unavailable, detail));
        }
        state.starts = state.starts.saturating_add(1);
        state.began = now;
        let starting = self.start(now);
        state.now = Now::Starting(starting.clone());
        Ok(Err(starting))
    }

    /// From one start to the next.
    fn pause(&self, starts: u32) -> Duration {
        let restart = self.connection.restart;
        let Some(doublings) = starts.checked_sub(1) else { return Duration::ZERO };
        let pause = restart.base_ms.saturating_mul(1_u64.checked_shl(doublings).unwrap_or(u64::MAX));
        Duration::from_millis(pause.min(restart.max_ms))
    }

    fn start(&self, now: Duration) -> Starting {
        let (target, connection, tasks) = (Arc::clone(&self.target), self.connection.clone(), self.tasks.clone());
        let within = Duration::from_millis(connection.start_timeout_ms);
        // On its own: a call that gives up must not end a slow start, or the server would never come up.
        let started = self.tasks.spawn(async move {
            let started = timeout(within, Live::start(&target, &connection, &tasks, now)).await;
            match started {
                Ok(Ok(live)) => Ok(Arc::new(live)),
                Ok(Err(why)) => Err(Arc::from(why)),
                Err(_elapsed) => Err(Arc::from(format!("it was not ready within {} ms", within.as_millis()))),
            }
        });
        let ended = |joined: Result<_, tokio::task::JoinError>| {
            joined.unwrap_or_else(|error| Err(Arc::from(format!("its start broke down: {error}"))))
        };
        started.map(ended).boxed().shared()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An error before anything was asked of the tool.
fn unsent(error: CallError) -> CallError {
    error.telling(Outcome::NotDone, str::to_owned)
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("connection", &self.connection).finish_non_exhaustive()
    }
}
