//! What a run shares: time, chance, who lives, and the record of what the outside saw.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use balcao_domain::Clock;
use balcao_seeded_bugs::{Bug, is_on};
use fastrand::Rng;
use jiff::{SignedDuration, Timestamp};
use tokio::time::{Instant, sleep, sleep_until};

use crate::observations::Outside;
use crate::plan::Plan;

/// Everything that a run shares.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) plan: Plan,
    began: Instant,
    at: Timestamp,
    chance: Mutex<Rng>,
    log: Mutex<Log>,
    /// After this nothing goes wrong any more.
    healed: AtomicBool,
    /// How many processes died.
    pub(crate) deaths: AtomicU32,
    /// What the clock of each process is off by, in milliseconds, jumps apart.
    skews: Mutex<BTreeMap<String, i64>>,
    /// How often what else was asked for happened, by name.
    struck: Mutex<BTreeMap<&'static str, u64>>,
    /// What lies outside of the program.
    pub(crate) outside: Mutex<Outside>,
}

#[derive(Debug, Default)]
struct Log {
    hash: DefaultHasher,
    lines: Option<Vec<String>>,
}

impl World {
    /// A world that begins at `at`; `talk` keeps the log's lines.
    pub(crate) fn new(plan: Plan, seed: u64, at: Timestamp, talk: bool) -> Arc<Self> {
        let log = Log { lines: talk.then(Vec::new), ..Log::default() };
        Arc::new(Self {
            plan,
            began: Instant::now(),
            at,
            chance: Mutex::new(Rng::with_seed(seed)),
            log: Mutex::new(log),
            healed: AtomicBool::new(false),
            deaths: AtomicU32::new(0),
            skews: Mutex::default(),
            struck: Mutex::default(),
            outside: Mutex::default(),
        })
    }

    /// The largest difference between the clock of a process and true time, in milliseconds. Processes use the database's clock; a
    /// seeded bug makes them use their own.
    pub(crate) fn most_skew_ms(&self) -> i64 {
        if is_on(Bug::LeaseByHostClock) { 90_000 } else { self.plan.faults.skew_ms }
    }

    /// What the clock of the process of this name is off by.
    pub(crate) fn skew_ms(&self, process: &str) -> i64 {
        lock(&self.skews).get(process).copied().unwrap_or_default()
    }

    /// True time.
    pub(crate) fn now(&self) -> Timestamp {
        let elapsed = SignedDuration::try_from(self.began.elapsed()).unwrap_or(SignedDuration::MAX);
        self.at.checked_add(elapsed).unwrap_or(Timestamp::MAX)
    }

    /// How long the run has lasted.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// Draws something.
    pub(crate) fn draw<T>(&self, draw: impl FnOnce(&mut Rng) -> T) -> T {
        draw(&mut lock(&self.chance))
    }

    /// Whether a fault of this chance happens now.
    pub(crate) fn strikes(&self, chance: f64) -> bool {
        chance > 0.0 && !self.is_healed() && self.draw(|rng| rng.f64()) < chance
    }

    /// Counts something of this name for the summary.
    pub(crate) fn count(&self, what: &'static str) {
        *lock(&self.struck).entry(what).or_default() += 1;
    }

    /// Whether a fault of this chance happens now; if so, it is counted under its name.
    pub(crate) fn strikes_as(&self, what: &'static str, chance: f64) -> bool {
        let strikes = self.strikes(chance);
        if strikes {
            self.count(what);
        }
        strikes
    }

    /// How often what happened, by name.
    pub(crate) fn struck(&self) -> BTreeMap<&'static str, u64> {
        lock(&self.struck).clone()
    }

    /// Waits between `least` and `most` milliseconds.
    pub(crate) async fn linger(&self, least: u64, most: u64) {
        let millis = self.draw(|rng| rng.u64(least..=most));
        sleep(Duration::from_millis(millis)).await;
    }

    /// Nothing goes wrong from now on.
    pub(crate) fn heal(&self) {
        self.healed.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_healed(&self) -> bool {
        self.healed.load(Ordering::Relaxed)
    }

    /// Notes an event: two runs of a seed note the same.
    pub(crate) fn note(&self, event: impl FnOnce() -> String) {
        let line = format!("{:>10.3} {}", self.elapsed().as_secs_f64(), event());
        let mut log = lock(&self.log);
        line.hash(&mut log.hash);
        if let Some(lines) = &mut log.lines {
            lines.push(line);
        }
    }

    /// The hash of everything that was noted, and the lines, if they were kept.
    pub(crate) fn history(&self) -> (u64, Vec<String>) {
        let log = lock(&self.log);
        (log.hash.finish(), log.lines.clone().unwrap_or_default())
    }

    /// What lies outside.
    pub(crate) fn outside(&self) -> MutexGuard<'_, Outside> {
        lock(&self.outside)
    }
}

/// One life of one process. Whatever it does goes through [`Process::pass`]; after its death nothing of it goes on.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) world: Arc<World>,
    pub(crate) name: String,
    dead: AtomicBool,
    cut_off: AtomicBool,
    still_until: Mutex<Option<Instant>>,
    skew_ms: AtomicI64,
    /// By how many milliseconds its clock is wrong, and until when.
    jump: Mutex<Option<(i64, Instant)>>,
}

impl Process {
    pub(crate) fn start(world: &Arc<World>, name: String) -> Arc<Self> {
        let most = world.most_skew_ms();
        let skew = world.draw(|rng| rng.i64(-most..=most));
        lock(&world.skews).insert(name.clone(), skew);
        world.note(|| format!("{name} starts"));
        Arc::new(Self {
            world: Arc::clone(world),
            name,
            dead: AtomicBool::new(false),
            cut_off: AtomicBool::new(false),
            still_until: Mutex::default(),
            skew_ms: AtomicI64::new(skew),
            jump: Mutex::default(),
        })
    }

    /// Returns at once if the process runs, later if it stands still, never if it is dead.
    pub(crate) async fn pass(&self) {
        loop {
            if self.is_dead() {
                std::future::pending::<()>().await;
            }
            let until = *lock(&self.still_until);
            match until {
                Some(until) if until > Instant::now() => sleep_until(until).await,
                _ => return,
            }
        }
    }

    pub(crate) fn kill(&self, why: &str) {
        let so_far = self.world.deaths.load(Ordering::Relaxed);
        if self.world.plan.deaths.is_some_and(|most| so_far >= most) {
            return;
        }
        if !self.dead.swap(true, Ordering::Relaxed) {
            self.world.note(|| format!("{} dies: {why}", self.name));
            self.world.deaths.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.dead.load(Ordering::Relaxed)
    }

    pub(crate) fn pause(&self, lasting: Duration) {
        self.world.note(|| format!("{} stands still for {lasting:?}", self.name));
        // Of two that overlap the longer one counts: a process stands still as a whole, and goes on as a whole.
        let mut still = lock(&self.still_until);
        *still = (*still).max(Instant::now().checked_add(lasting));
    }

    /// Whether it would go on if nobody held it.
    pub(crate) fn stands_still(&self) -> bool {
        !self.is_dead() && lock(&self.still_until).is_some_and(|until| until > Instant::now())
    }

    /// Its clock is wrong by `off_ms` for so long.
    pub(crate) fn jump(&self, off_ms: i64, lasting: Duration) {
        self.world.note(|| format!("{}: the clock jumps by {off_ms} ms for {lasting:?}", self.name));
        *lock(&self.jump) = Instant::now().checked_add(lasting).map(|until| (off_ms, until));
    }

    pub(crate) fn cut_off(&self, cut: bool) {
        self.world.note(|| format!("{} {}", self.name, if cut { "is cut off" } else { "is back" }));
        self.cut_off.store(cut, Ordering::Relaxed);
    }

    pub(crate) fn is_cut_off(&self) -> bool {
        self.cut_off.load(Ordering::Relaxed)
    }
}

impl Clock for Process {
    fn now(&self) -> Timestamp {
        let skew = SignedDuration::from_millis(self.skew_ms.load(Ordering::Relaxed));
        let jump = lock(&self.jump).filter(|(_, until)| *until > Instant::now()).map_or(0, |(off_ms, _)| off_ms);
        let now = self.world.now();
        now.checked_add(skew + SignedDuration::from_millis(jump)).unwrap_or(now)
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
