//! One process of the program, wired as `balcao serve` wires it, and whoever starts it again when it dies.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, anyhow};
use balcao_agent::{Profile, ProfileFile};
use balcao_app::AppContext;
use balcao_app::admin::backlog::BacklogMonitor;
use balcao_app::context::clock::SharedClock;
use balcao_app::messaging::attachments::{AttachmentSettings, Attachments};
use balcao_app::messaging::inbox::{Account, Inbox};
use balcao_app::messaging::outbound::send_policy::SendPolicy;
use balcao_app::messaging::outbound::sender::{Sender, SenderSettings};
use balcao_app::timers::{TimerSettings, Timers};
use balcao_app::turns::dispatcher::{Dispatcher, DispatcherSettings};
use balcao_app::turns::watchdog::Watchdog;
use balcao_app::turns::{Agent, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_channel::{AccountId, Channel};
use balcao_domain::burst::BurstRules;
use balcao_store::InlineDatabase;
use balcao_yaml::Document;
use jiff::civil::Time;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::businesses::Tenant;
use crate::external_systems::{self, Sending};
use crate::faults::Faulty;
use crate::model::Model;
use crate::observations::CHANNEL;
use crate::world::{Process, World, lock};

const PROFILE: &str = "
profile:
  id: sim
  name: Sim
  packs: [salon, crm, followup, outside]
  prompt: [identity, context]
  guardrails: {asks_for_human: true, opt_out: true}
  followup_delays: [1]
  confirm: {reschedule_appointment: model}
  limits: {timeout_s: 90}
";

/// How long a turn waits for a file.
const FILE_WAIT: Duration = Duration::from_secs(20);

/// As they ship, but for how late something may fire: a run is shorter than half an hour.
pub(crate) const TIMERS: TimerSettings = TimerSettings {
    quiet_from: Time::constant(21, 0, 0, 0),
    quiet_until: Time::constant(8, 0, 0, 0),
    late_reminder: Duration::from_secs(40),
    late_follow_up: Duration::from_secs(60),
    most_a_day: 4,
    at_once: 20,
    poll: Duration::from_secs(5),
};

/// A running process.
#[derive(Debug)]
pub(crate) struct Replica {
    pub(crate) process: Arc<Process>,
    pub(crate) inbox: Inbox,
    pub(crate) app: AppContext,
    stop: CancellationToken,
    sent: CancellationToken,
    /// What ends once `stop` is told.
    working: Mutex<Vec<(&'static str, JoinHandle<()>)>>,
    sending: Mutex<Vec<(&'static str, JoinHandle<()>)>>,
}

impl Replica {
    /// Starts a process.
    pub(crate) fn start(
        world: &Arc<World>,
        database: &InlineDatabase,
        tenants: &[Tenant],
        name: String,
    ) -> anyhow::Result<Arc<Self>> {
        let process = Process::start(world, name.clone());
        let store = database.behind(Arc::new(Faulty(Arc::clone(&process))));
        let clock = SharedClock::new(Arc::<Process>::clone(&process));
        let app = AppContext::new(store, Arc::new(clock));
        let agent = agent(&app, &process)?;
        let front = Arc::new(TurnRunner::new(app.clone(), [agent]));
        let (wake, outgoing) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let burst = BurstRules { quiet: Duration::from_secs(2), ..BurstRules::default() };
        let accounts = tenants.iter().map(|tenant| Account {
            channel: CHANNEL.to_owned(),
            account: tenant.account.clone(),
            business: None,
            organization: tenant.organization,
        });
        let fetch = Arc::new(Notify::new());
        let inbox = Inbox::new(app.clone(), accounts, burst, Arc::clone(&wake));
        let inbox = inbox.with_files(Arc::clone(&fetch), FILE_WAIT);
        let turn_due = Arc::clone(&wake);
        let settings = DispatcherSettings { burst, max_concurrent_turns: 4, ..DispatcherSettings::new("sim", name) };
        let dispatcher = Dispatcher::new(Arc::clone(&front), settings, wake, Arc::clone(&outgoing));
        let watchdog = Watchdog::new(app.clone(), dispatcher.clone(), BacklogMonitor::default());
        let channels = tenants.iter().map(|tenant| {
            let account = AccountId::new(tenant.account.as_str());
            let channel: Arc<dyn Channel> = Arc::new(Sending { process: Arc::clone(&process), account });
            channel
        });
        let channels: Vec<_> = channels.collect();
        let files = AttachmentSettings { burst, ..AttachmentSettings::default() };
        let files = Attachments::new(app.clone(), channels.clone(), None, files, fetch, turn_due);
        let (told, terms) = (Arc::clone(&outgoing), SendPolicy::default());
        let timers = Timers::new(front, "sim", channels.clone(), terms, TIMERS, told);
        let sender = Sender::new(app.clone(), channels, SenderSettings::default(), outgoing);
        let (stop, sent) = (CancellationToken::new(), CancellationToken::new());
        let (until, waiting, watching, last) = (stop.clone(), stop.clone(), stop.clone(), sent.clone());
        let until_then = stop.clone();
        let fetching = tokio::spawn(async move { files.run(until_then).await });
        let dispatching = tokio::spawn(async move { dispatcher.run(until).await });
        let timing = tokio::spawn(async move { timers.run(waiting).await });
        let watching = tokio::spawn(async move { watchdog.run(watching).await });
        let sending = tokio::spawn(async move { sender.run(last).await });
        Ok(Arc::new(Self {
            process,
            inbox,
            app,
            stop,
            sent,
            working: Mutex::new(vec![
                ("the dispatcher", dispatching),
                ("what fires timers", timing),
                ("the watchdog", watching),
                ("what fetches files", fetching),
            ]),
            sending: Mutex::new(vec![("the sender", sending)]),
        }))
    }

    /// Tells it to stop, and says what did not. Whoever dies over its last work has stopped, too.
    pub(crate) async fn stop(&self) -> Result<(), String> {
        let stopped = async {
            self.stop.cancel();
            ended(&self.working).await?;
            self.sent.cancel();
            ended(&self.sending).await
        };
        stopped.await.or_else(|what| if self.process.is_dead() { Ok(()) } else { Err(what) })
    }
}

async fn ended(tasks: &Mutex<Vec<(&'static str, JoinHandle<()>)>>) -> Result<(), String> {
    let tasks = std::mem::take(&mut *lock(tasks));
    for (what, task) in tasks {
        match tokio::time::timeout(Duration::from_mins(2), task).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(format!("{what} broke down: {error}")),
            Err(_elapsed) => return Err(format!("{what} did not stop")),
        }
    }
    Ok(())
}

fn agent(app: &AppContext, process: &Arc<Process>) -> anyhow::Result<Agent> {
    let profile = profile()?;
    let settings = Settings {
        professional: None,
        allow_new_tags: false,
        reminder_minutes: profile.reminder_minutes,
        followup_delays: profile.followup_delays.clone(),
    };
    let registry = balcao_builtin_tools::registry(app, &settings);
    let mut registry = registry.map_err(|problems| anyhow!("the shipped packs: {problems:?}"))?;
    for tool in external_systems::tools(process) {
        registry.add(tool).map_err(|reason| anyhow!(reason))?;
    }
    Ok(Agent::new(profile, &registry, Arc::new(Model(Arc::clone(process)))))
}

fn profile() -> anyhow::Result<Profile> {
    let document = Document::read("sim.yaml", PROFILE).map_err(|problem| anyhow!("{problem:?}"))?;
    let read = document.read_as::<ProfileFile>().map_err(|problem| anyhow!("{problem:?}"));
    Ok(read.context("the simulator's profile")?.profile)
}

/// The places of the replicas, and who is in them.
#[derive(Debug)]
pub(crate) struct Cluster {
    world: Arc<World>,
    database: InlineDatabase,
    tenants: Vec<Tenant>,
    places: Mutex<Vec<Arc<Replica>>>,
}

impl Cluster {
    /// Starts as many as the plan says.
    pub(crate) fn start(
        world: &Arc<World>,
        database: InlineDatabase,
        tenants: Vec<Tenant>,
    ) -> anyhow::Result<Arc<Self>> {
        let start = |place: usize| Replica::start(world, &database, &tenants, format!("r{place}.0"));
        let places = (0..world.plan.replicas).map(start).collect::<anyhow::Result<Vec<_>>>()?;
        let world = Arc::clone(world);
        Ok(Arc::new(Self { world, database, tenants, places: Mutex::new(places) }))
    }

    pub(crate) fn all(&self) -> Vec<Arc<Replica>> {
        lock(&self.places).clone()
    }

    /// One of those that live, if any does.
    pub(crate) fn any(&self) -> Option<Arc<Replica>> {
        let alive: Vec<_> = self.all().into_iter().filter(|one| !one.process.is_dead()).collect();
        let place = self.world.draw(|rng| rng.usize(..alive.len().max(1)));
        alive.get(place).cloned()
    }

    /// Starts again whoever died, and lets things go wrong, second by second, until `end`.
    pub(crate) async fn supervise(self: Arc<Self>, end: CancellationToken) -> anyhow::Result<()> {
        let mut life = 0_u32;
        loop {
            tokio::select! {
                biased;
                () = end.cancelled() => return Ok(()),
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
            for (place, replica) in self.all().into_iter().enumerate() {
                if replica.process.is_dead() {
                    if self.world.draw(|rng| rng.u8(..3)) == 0 || self.world.is_healed() {
                        life += 1;
                        let name = format!("r{place}.{life}");
                        let started = Replica::start(&self.world, &self.database, &self.tenants, name)?;
                        self.relapses(&started);
                        if let Some(place) = lock(&self.places).get_mut(place) {
                            *place = started;
                        }
                    }
                } else {
                    self.trouble(&replica);
                }
            }
            if self.world.strikes(self.world.plan.faults.blackout) {
                self.all().iter().for_each(|replica| replica.process.kill("blackout"));
            }
        }
    }

    /// Sometimes a process does not survive its recovery either.
    fn relapses(&self, started: &Arc<Replica>) {
        if !self.world.strikes_as("deaths in a recovery", self.world.plan.faults.relapse) {
            return;
        }
        let (process, after) = (Arc::clone(&started.process), self.world.draw(|rng| rng.u64(1..=40_000)));
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(after)).await;
            if !process.world.is_healed() {
                process.kill("again, while it recovers");
            }
        });
    }

    fn trouble(&self, replica: &Replica) {
        let (faults, process) = (&self.world.plan.faults, &replica.process);
        if self.world.strikes(faults.kill) {
            process.kill("killed");
        } else if self.world.strikes(faults.pause) {
            process.pause(Duration::from_secs(self.world.draw(|rng| rng.u64(1..=70))));
        }
        if self.world.strikes(faults.jump) {
            let off_ms = self.world.draw(|rng| rng.i64(3_000..=259_200_000) * rng.choice([-1, 1]).unwrap_or(1));
            process.jump(off_ms, Duration::from_secs(self.world.draw(|rng| rng.u64(1..=50))));
        }
        // A cut lasts until luck or the end of all trouble mends it.
        if process.is_cut_off() {
            if self.world.is_healed() || self.world.draw(|rng| rng.u8(..10)) == 0 {
                process.cut_off(false);
            }
        } else if self.world.strikes(faults.partition) {
            process.cut_off(true);
        }
    }
}
