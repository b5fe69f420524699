//! Leases conversations that are due and answers them: one turn at a time per conversation, a bounded number of them at once.
//!
//! The lease in the database keeps other workers away, in this process and in any other. The dispatcher renews the lease during the
//! turn, and drops a turn that lost its lease. Recovery has no separate program: after a crash, the dispatcher leases the conversation
//! like any other and resumes its open turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use balcao_domain::burst::BurstRules;
use balcao_store::Lease;
use balcao_store::turns::lease::{self, LeaseRequest, LeasedConversation};
use balcao_store::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::context::app_context::UseCaseError;
use crate::messaging::turn_completion::CompletionNotifier;
use crate::messaging::typing_indicator::{self, TypingIndicator};
use crate::messaging::web_chat::Hub;
use crate::turns::{AnswerError, TurnRunner};

/// The largest number of conversations in one rescue; the next rescue takes the rest.
const RESCUED_AT_ONCE: u32 = 32;

/// How the dispatcher works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatcherSettings {
    /// The profile that answers.
    pub profile: String,
    /// A name that no other process has.
    pub owner: String,
    /// How long a lease lasts; the dispatcher renews it after a third of this time.
    pub lease: Duration,
    /// Turns that run at the same time.
    pub max_concurrent_turns: u32,
    /// When a burst is answered.
    pub burst: BurstRules,
    /// How often the dispatcher reads the database if no wake-up arrives.
    pub poll: Duration,
    /// How long running turns may continue after the stop signal.
    pub drain: Duration,
}

impl DispatcherSettings {
    /// The usual settings.
    #[must_use]
    pub fn new(profile: impl Into<String>, owner: impl Into<String>) -> Self {
        Self {
            profile: profile.into(),
            owner: owner.into(),
            lease: Duration::from_secs(30),
            max_concurrent_turns: 32,
            burst: BurstRules::default(),
            poll: Duration::from_millis(250),
            drain: Duration::from_secs(20),
        }
    }
}

/// Leases conversations that are due and answers them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Dispatcher {
    runner: Arc<TurnRunner>,
    settings: Arc<DispatcherSettings>,
    /// Fires when a message arrived.
    wake: Arc<Notify>,
    /// Wakes the sender when a reply was stored.
    outgoing: Arc<Notify>,
    /// Notified at the end of each turn.
    completion: CompletionNotifier,
    /// Shows customers that an answer is being written.
    typing_indicator: TypingIndicator,
    /// The web chat's open pages, which see a reply while it is written.
    pages: Option<Hub>,
    turns: Arc<Semaphore>,
    /// Runs one suspect at a time: a conversation whose turn ran when a process crashed. So a further crash has one possible cause.
    suspects: Arc<Semaphore>,
    tracker: TaskTracker,
    /// Cancels all running turns.
    abort: CancellationToken,
}

/// A leased conversation and its place among the turns that run.
struct Job {
    leased: LeasedConversation,
    _turn: Option<OwnedSemaphorePermit>,
    _suspect: Option<OwnedSemaphorePermit>,
}

/// Where the typing indicator of a turn is shown, and whether it was.
#[derive(Default)]
struct TypingState {
    target: OnceLock<Arc<typing_indicator::TypingTarget>>,
    was_shown: AtomicBool,
}

/// The task of the typing indicator. It ends when the value is dropped, with the turn.
struct TypingTask {
    state: Arc<TypingState>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for TypingTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Dispatcher {
    /// Creates a dispatcher. It looks for work at once when `wake` fires, and it fires `outgoing` when a reply was written.
    #[must_use]
    pub fn new(
        runner: Arc<TurnRunner>,
        settings: DispatcherSettings,
        wake: Arc<Notify>,
        outgoing: Arc<Notify>,
    ) -> Self {
        let most = usize::try_from(settings.max_concurrent_turns).unwrap_or(1).max(1);
        Self {
            runner,
            settings: Arc::new(settings),
            wake,
            outgoing,
            completion: CompletionNotifier::default(),
            typing_indicator: TypingIndicator::default(),
            pages: None,
            turns: Arc::new(Semaphore::new(most)),
            suspects: Arc::new(Semaphore::new(1)),
            tracker: TaskTracker::new(),
            abort: CancellationToken::new(),
        }
    }

    /// Returns the dispatcher with `completion`, which is notified at the end of each turn.
    #[must_use]
    pub fn with_completion_notifier(self, completion: CompletionNotifier) -> Self {
        Self { completion, ..self }
    }

    /// Returns the dispatcher with a typing indicator, which shows contacts that an answer is being written.
    #[must_use]
    pub fn with_typing_indicator(self, typing_indicator: TypingIndicator) -> Self {
        Self { typing_indicator, ..self }
    }

    /// Returns the dispatcher with the open pages of the web chat, which show a reply while the model writes it.
    #[must_use]
    pub fn with_draft_pages(self, pages: Hub) -> Self {
        Self { pages: Some(pages), ..self }
    }

    /// Dispatches until `stop` is cancelled. Running turns then get some time to end. The dispatcher then cancels the rest and gives
    /// their leases back, and the next process to lease those conversations resumes them.
    pub async fn run(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            match self.lease_due().await {
                Ok(jobs) if !jobs.is_empty() => {
                    jobs.into_iter().for_each(|job| self.start(job));
                    continue;
                }
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "conversations cannot be leased"),
            }
            tokio::select! {
                biased;
                () = stop.cancelled() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(self.settings.poll) => {}
            }
        }
        self.tracker.close();
        if tokio::time::timeout(self.settings.drain, self.tracker.wait()).await.is_err() {
            tracing::warn!(turns = self.tracker.len(), "turns are cut short, and taken up at the next start");
            self.abort.cancel();
            self.tracker.wait().await;
        }
    }

    /// Answers all conversations that are due now, until none is left. Returns the number of leases.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn work_off(&self) -> Result<usize, UseCaseError> {
        let mut leases = 0;
        loop {
            let jobs = self.lease_due().await?;
            if jobs.is_empty() {
                return Ok(leases);
            }
            leases += jobs.len();
            futures::future::join_all(jobs.into_iter().map(|job| self.work(job))).await;
        }
    }

    /// Hands conversations to a person if their messages have waited since before `since` and no process works on them. Returns the number
    /// of these conversations. Their turns ask no model, so they take no place of another turn.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn rescue(&self, since: Timestamp, suspects_since: Timestamp) -> Result<usize, UseCaseError> {
        let now = self.runner.app().clock.now();
        let (owner, until, limit) = (self.settings.owner.clone(), self.lease_until(now), RESCUED_AT_ONCE);
        let work = move |tx: &mut Tx<'_>| {
            let request = LeaseRequest { owner: &owner, now, until, limit, suspects: limit };
            lease::lease_stuck(tx, &request, since, suspects_since)
        };
        let leased = self.runner.app().store.write::<_, StoreError, _>(work).await?;
        let count = leased.len();
        let jobs = leased.into_iter().map(|leased| {
            tracing::error!(conversation = %leased.lease.conversation, "nobody answered for too long: a person gets it");
            self.work(Job { leased, _turn: None, _suspect: None })
        });
        futures::future::join_all(jobs).await;
        Ok(count)
    }

    fn start(&self, job: Job) {
        let this = self.clone();
        self.tracker.spawn(async move {
            this.work(job).await;
            // A place for a turn is free now, and the conversation may be due again.
            this.wake.notify_one();
        });
    }

    async fn lease_due(&self) -> Result<Vec<Job>, UseCaseError> {
        let mut places = Vec::new();
        while let Ok(place) = Arc::clone(&self.turns).try_acquire_owned() {
            places.push(place);
        }
        let Some(limit) = u32::try_from(places.len()).ok().filter(|limit| *limit > 0) else { return Ok(Vec::new()) };
        let mut suspect = Arc::clone(&self.suspects).try_acquire_owned().ok();
        let now = self.runner.app().clock.now();
        let (owner, until) = (self.settings.owner.clone(), self.lease_until(now));
        let suspects = u32::from(suspect.is_some());
        let work =
            move |tx: &mut Tx<'_>| lease::lease_due(tx, &LeaseRequest { owner: &owner, now, until, limit, suspects });
        let leased = self.runner.app().store.write::<_, StoreError, _>(work).await?;
        let jobs = leased.into_iter().zip(places).map(|(leased, place)| {
            let _suspect = if leased.attempts.poison_suspect { suspect.take() } else { None };
            Job { leased, _turn: Some(place), _suspect }
        });
        Ok(jobs.collect())
    }

    fn lease_until(&self, now: Timestamp) -> Timestamp {
        let lease = SignedDuration::try_from(self.settings.lease).unwrap_or(SignedDuration::MAX);
        now.checked_add(lease).unwrap_or(Timestamp::MAX)
    }

    /// Runs one turn while its lease lasts. Whenever the turn continues, the lease is checked first, because a program that was frozen for
    /// longer than its lease must not act while another process resumes the turn.
    async fn work(&self, job: Job) {
        let leased = &job.leased;
        let (profile, burst) = (&self.settings.profile, self.settings.burst);
        let answer = self.runner.answer_leased(profile, leased, burst, None, self.pages.as_ref());
        let typing = self.show_typing(leased);
        let result = tokio::select! {
            biased;
            () = self.keep_lease(leased) => return,
            result = Box::pin(answer) => result,
            () = self.abort.cancelled() => return self.end_lease(leased, lease::give_back).await,
        };
        self.mark_read_without_typing(&typing);
        drop(typing);
        match result {
            Ok(Some(answered)) => {
                self.outgoing.notify_one();
                self.completion.notify(answered.conversation);
                let after = self.runner.after_reply(&self.settings.profile, &answered, leased.lease.organization);
                tokio::select! {
                    biased;
                    () = Box::pin(after) => {}
                    () = self.abort.cancelled() => {}
                }
            }
            Ok(None) => {}
            Err(AnswerError::UseCase(UseCaseError::Store(StoreError::LeaseLost { conversation }))) => {
                tracing::warn!(%conversation, "a turn lost its lease: somebody else goes on with it");
            }
            Err(error) => {
                tracing::error!(conversation = %leased.lease.conversation, attempts = ?leased.attempts, %error, "a turn failed");
                self.end_lease(leased, lease::fail).await;
            }
        }
    }

    /// Starts a task beside the turn that shows the typing indicator until the turn is over.
    fn show_typing(&self, leased: &LeasedConversation) -> TypingTask {
        let (state, app) = (Arc::new(TypingState::default()), self.runner.app().clone());
        let (typing_indicator, leased, seeing) = (self.typing_indicator.clone(), leased.clone(), Arc::clone(&state));
        let task = self.tracker.spawn(async move {
            if let Some(at) = typing_indicator.find(&app, &leased).await {
                let at = seeing.target.get_or_init(|| Arc::new(at));
                at.typing(|| seeing.was_shown.store(true, Ordering::Relaxed)).await;
            }
        });
        TypingTask { state, task }
    }

    /// Marks the messages as read if the turn ended before the typing indicator was shown.
    fn mark_read_without_typing(&self, typing: &TypingTask) {
        if let Some(at) = typing.state.target.get()
            && !typing.state.was_shown.load(Ordering::Relaxed)
        {
            let at = Arc::clone(at);
            self.tracker.spawn(async move { at.read().await });
        }
    }

    /// Renews the lease repeatedly. Returns when the lease is lost, or when it expired before a renewal. The lease also expires if the
    /// database does not answer, because another process may have the turn by then (F-85, F-92).
    async fn keep_lease(&self, leased: &LeasedConversation) {
        let clock = &self.runner.app().clock;
        let mut ends = self.lease_until(clock.now());
        loop {
            let left = Duration::try_from(ends.duration_since(clock.now())).unwrap_or_default();
            match tokio::time::timeout(left, self.wait_and_renew(leased.lease, ends)).await {
                Ok(Some(until)) => ends = until,
                Ok(None) => return,
                Err(_elapsed) => {
                    return tracing::warn!("a turn is dropped: its lease ran out before it could be renewed");
                }
            }
        }
    }

    /// Waits a third of a lease's length and renews the lease that ends at `ends`; tries again after an error. Returns the new end of the
    /// lease; `None` if the lease is lost.
    async fn wait_and_renew(&self, lease: Lease, ends: Timestamp) -> Option<Timestamp> {
        let app = self.runner.app();
        loop {
            tokio::time::sleep(self.settings.lease / 3).await;
            let now = app.clock.now();
            if now >= ends {
                tracing::warn!("a turn is dropped: its lease ran out while the program stood still");
                return None;
            }
            let until = self.lease_until(now);
            match app.store.write(move |tx| lease::renew(tx, &lease, until)).await {
                Ok(()) => return Some(until),
                Err(error @ StoreError::LeaseLost { .. }) => {
                    tracing::warn!(%error, "a turn is dropped");
                    return None;
                }
                Err(error) => tracing::error!(%error, "a lease cannot be renewed"),
            }
        }
    }

    async fn end_lease(
        &self,
        leased: &LeasedConversation,
        how: fn(&mut Tx<'_>, &LeasedConversation, Timestamp) -> Result<(), StoreError>,
    ) {
        let (leased, now) = (leased.clone(), self.runner.app().clock.now());
        if let Err(error) = self.runner.app().store.write(move |tx| how(tx, &leased, now)).await {
            // The lease expires without this write.
            tracing::warn!(%error, "a lease could not be ended");
        }
    }
}
