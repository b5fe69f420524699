//! The pool: a bundle, some workers that know it, and callers who wait for one.

use std::{
    collections::HashSet,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;
use tokio::sync::Semaphore;

use crate::{
    confinement::Confinement,
    digits,
    error::{BrokenLimit, CompileError, HelperError, LostDigits, StartError},
    helper::{Bundle, Helper},
    limits::Limits,
    process::{Broken, Launcher, Worker},
    protocol::{self, CallHeader, Cause, Failure, Kind, Setup},
};

/// Bytes of all arguments of one call as JSON.
const MAX_INPUT_BYTES: usize = 4 << 20;

/// One call of a helper.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    /// The helper's id.
    pub helper: &'a str,
    /// Its function's arguments, in order.
    pub arguments: &'a [Value],
    /// What `Date` takes for now: milliseconds since 1970. The turn's time, so that a replayed turn computes the same.
    pub now_ms: i64,
    /// What it may use; brought into bounds first.
    pub limits: Limits,
}

impl<'a> Call<'a> {
    /// A call under the default limits, at the beginning of 1970.
    #[must_use]
    pub fn new(helper: &'a str, arguments: &'a [Value]) -> Self {
        Self { helper, arguments, now_ms: 0, limits: Limits::default() }
    }
}

/// Runs the helpers of one bundle in worker processes. Workers are started when they are needed and never shared between bundles.
///
/// A call whose future is dropped takes its worker with it.
#[derive(Debug)]
pub struct Sandbox {
    bundle: Bundle,
    launcher: Launcher,
    /// The frame that gives a new worker its code.
    setup: Vec<u8>,
    free: Semaphore,
    workers: u32,
    /// The one that served last stands last, and serves first: it is awake, and its memory is in the processor's caches.
    idle: Mutex<Vec<Worker>>,
    calls: AtomicU64,
}

/// For looking at code while it is loaded, which happens once.
const CHECKING: Limits = Limits {
    time: std::time::Duration::from_secs(1),
    memory_bytes: 64 << 20,
    output_bytes: 4 << 10,
    stack_bytes: 1 << 20,
};

impl Sandbox {
    /// A sandbox for that bundle with at most `workers` processes (at least one). Starts none yet.
    #[must_use]
    pub fn new(bundle: Bundle, launcher: Launcher, workers: u8) -> Self {
        let mut setup = protocol::frame(Kind::Setup);
        // Writing to memory cannot fail, and `Bundle` bounds the length.
        let written = serde_json::to_writer(&mut setup, &Setup { helpers: bundle.helpers().to_vec() }).is_ok();
        let setup = protocol::seal(setup).filter(|_| written).unwrap_or_default();
        Self {
            bundle,
            launcher,
            setup,
            free: Semaphore::new(usize::from(workers.max(1))),
            workers: workers.max(1).into(),
            idle: Mutex::new(Vec::new()),
            calls: AtomicU64::new(1),
        }
    }

    /// The helpers.
    #[must_use]
    pub fn bundle(&self) -> &Bundle {
        &self.bundle
    }

    /// Starts all workers that are not there yet, and tells what keeps them in. For `doctor`, and to have the first calls find warm ones.
    ///
    /// Waits until no call is running.
    ///
    /// # Errors
    /// If a worker cannot be started.
    pub async fn warm(&self) -> Result<Confinement, StartError> {
        let _all = self.free.acquire_many(self.workers).await;
        let mut workers = Vec::new();
        for _ in 0..self.workers {
            workers.push(self.worker().await?);
        }
        let confinement = workers.last().map(|worker| worker.confinement).unwrap_or_default();
        self.idle().extend(workers);
        Ok(confinement)
    }

    /// Compiles and loads every helper: code that does not parse, fails at its top level or declares no function. Empty if all are fine.
    /// Of one that stands behind a broken one it is told at least if its own code does not parse.
    ///
    /// # Errors
    /// If no worker can be started.
    pub async fn check(&self) -> Result<Vec<CompileError>, StartError> {
        let mut problems = self.check_each().await?;
        let broken: HashSet<&str> = problems.iter().map(|problem| problem.helper.as_str()).collect();
        let bundle = &self.bundle;
        let hidden = (0_u32..).zip(bundle.helpers()).filter(|(place, helper)| {
            let mut needs = bundle.order(*place).iter().filter_map(|place| bundle.at(*place));
            !broken.contains(helper.id.as_str()) && needs.any(|one| broken.contains(one.id.as_str()))
        });
        let hidden: Vec<Helper> = hidden.map(|(_, helper)| helper.clone()).collect();
        problems.extend(self.parse(hidden).await?);
        Ok(problems)
    }

    /// Looks at the code of each helper by itself, whatever it depends on: only what does not parse is reported.
    ///
    /// # Errors
    /// If no worker can be started.
    pub async fn check_syntax(&self) -> Result<Vec<CompileError>, StartError> {
        self.parse(self.bundle.helpers().to_vec()).await
    }

    async fn parse(&self, mut helpers: Vec<Helper>) -> Result<Vec<CompileError>, StartError> {
        helpers.iter_mut().for_each(|helper| helper.dependencies.clear());
        // Parts of a bundle that holds together do, too.
        let Some(alone) = Bundle::new(helpers).ok().filter(|bundle| !bundle.helpers().is_empty()) else {
            return Ok(Vec::new());
        };
        let mut problems = Self::new(alone, self.launcher.clone(), 1).check_each().await?;
        problems.retain(|problem| problem.message.starts_with("SyntaxError"));
        Ok(problems)
    }

    async fn check_each(&self) -> Result<Vec<CompileError>, StartError> {
        let mut problems = Vec::new();
        for helper in self.bundle.helpers() {
            let call = Call { limits: CHECKING, ..Call::new(&helper.id, &[]) };
            let problem = match self.run(&call, true).await {
                Ok(_) => continue,
                Err(HelperError::Start(error)) => return Err(error),
                Err(HelperError::Thrown { helper, message, place, .. }) => CompileError { helper, message, place },
                Err(
                    error @ (HelperError::Unknown { .. }
                    | HelperError::Limit { .. }
                    | HelperError::Digits { .. }
                    | HelperError::Worker { .. }),
                ) => CompileError { helper: helper.id.clone(), message: error.to_string(), place: None },
            };
            // A mistake in a helper shows in all that depend on it, and is reported once.
            let known = |told: &CompileError| {
                told.place.is_some() && told.place == problem.place && told.message == problem.message
            };
            if !problems.iter().any(known) {
                problems.push(problem);
            }
        }
        Ok(problems)
    }

    /// Calls a helper and waits for its answer; first for a free worker, in turn.
    ///
    /// # Errors
    /// Whatever the helper did wrong, or was done to it. Other callers notice nothing.
    pub async fn call(&self, call: &Call<'_>) -> Result<Value, HelperError> {
        self.run(call, false).await
    }

    async fn run(&self, call: &Call<'_>, check_only: bool) -> Result<Value, HelperError> {
        let Some((position, helper)) = self.bundle.find(call.helper) else {
            return Err(HelperError::Unknown { helper: call.helper.to_owned() });
        };
        let limit = |limit| HelperError::Limit { helper: helper.id.clone(), limit };
        let inexact = |pointer, is_answer| {
            let number = LostDigits { pointer, is_answer };
            HelperError::Digits { helper: helper.id.clone(), number }
        };
        if let Some(pointer) = call.arguments.iter().enumerate().find_map(|(at, one)| {
            digits::lost(one).map(|inside| if at == 0 { inside } else { format!("/{at}{inside}") })
        }) {
            return Err(inexact(pointer, false));
        }
        let arguments = serde_json::to_vec(call.arguments).unwrap_or_default();
        if arguments.len() > MAX_INPUT_BYTES {
            return Err(limit(BrokenLimit::Input(MAX_INPUT_BYTES)));
        }
        let header = CallHeader {
            number: self.calls.fetch_add(1, Ordering::Relaxed),
            check_only,
            now_ms: call.now_ms,
            limits: call.limits.bounded(),
            order: self.bundle.order(position).to_vec(),
        };
        let _turn = self.free.acquire().await;
        let mut worker = self.worker().await?;
        let mut answer = worker.call(&header, &arguments).await;
        if matches!(answer, Err(Broken::Nonsense(_))) && worker.has_served() {
            // What broke it may have been an earlier call's doing. Helpers only compute, so asking again is harmless.
            worker = Worker::start(&self.launcher, &self.setup).await?;
            answer = worker.call(&header, &arguments).await;
        }
        let answer = match answer {
            Ok(answer) => answer,
            Err(Broken::Late) => return Err(limit(BrokenLimit::Time(header.limits.time))),
            Err(Broken::Nonsense(reason)) => return Err(HelperError::Worker { helper: helper.id.clone(), reason }),
        };
        if answer.reusable {
            self.idle().push(worker);
        }
        let answered = answer.result.map_err(|Failure { cause, message, stack, place }| match cause {
            Cause::Thrown => HelperError::Thrown { helper: helper.id.clone(), message, place, stack },
            Cause::Time => limit(BrokenLimit::Time(header.limits.time)),
            Cause::Memory => limit(BrokenLimit::Memory(header.limits.memory_bytes)),
            Cause::Output => limit(BrokenLimit::Output(header.limits.output_bytes)),
            Cause::Stack => limit(BrokenLimit::Stack(header.limits.stack_bytes)),
        })?;
        digits::lost(&answered).map_or(Ok(answered), |pointer| Err(inexact(pointer, true)))
    }

    /// An idle worker, or a new one. To be called with a permit of `free`.
    async fn worker(&self) -> Result<Worker, StartError> {
        loop {
            let Some(mut worker) = self.idle().pop() else { break };
            if worker.lives() {
                return Ok(worker);
            }
        }
        Worker::start(&self.launcher, &self.setup).await
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Worker>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
