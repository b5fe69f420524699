//! One run: a seed, from an empty inbox to the oracles' verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::{InlineDatabase, StoreError};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::fixtures;
use crate::oracles::{self, Finding};
use crate::plan::Plan;
use crate::replica::Cluster;
use crate::workload::{self, Crowd};
use crate::world::World;

/// After the last fault everything comes to rest within this time (I-16, with room for the longest pause of a send).
const REST: Duration = Duration::from_mins(15);
/// After the last fault nothing that may be done is left undone for so long (O-8: a lease, a request and the look of the watchdog fit).
const PROMPT: Duration = Duration::from_secs(120);
/// After this the run is over, whatever still waits to be delivered.
const END: Duration = Duration::from_hours(2);

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// What the oracles found; empty if all is well.
    pub(crate) findings: Vec<Finding>,
    /// Equal for two runs of one seed.
    pub(crate) hash: u64,
    /// What happened, if it was asked for.
    pub(crate) lines: Vec<String>,
    /// Turns that were closed.
    pub(crate) turns: u64,
    /// Messages that nobody asked for: reminders, follow-ups, offers.
    pub(crate) fired: u64,
    /// Messages of customers that the watchdog gave to a person.
    pub(crate) rescued: u64,
    /// Turns that were given up, because too many attempts did not come to an end.
    pub(crate) given_up: u64,
    /// Processes that died.
    pub(crate) deaths: u32,
    /// What else happened, by name.
    pub(crate) struck: BTreeMap<&'static str, u64>,
    /// How long it would have taken.
    pub(crate) simulated: Duration,
}

/// Runs a seed.
///
/// # Errors
/// If the simulation itself could not be set up.
pub(crate) fn run(seed: u64, plan: Plan, talk: bool) -> anyhow::Result<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    runtime.block_on(simulate(seed, plan, talk))
}

async fn simulate(seed: u64, plan: Plan, talk: bool) -> anyhow::Result<Outcome> {
    let (template, tenants) = fixtures::template(plan.tenants).await?;
    let database = template.copy()?;
    if is_on(Bug::SlotNotGuarded) {
        database.without_walls()?;
    }
    let world = World::new(plan, seed, crate::businesses::begins()?, talk);
    let planned = fixtures::plan_ahead(&world, &database, &tenants)?;
    let cluster = Cluster::start(&world, database.clone(), tenants.clone())?;
    let (world_ref, end) = (Arc::clone(&world), CancellationToken::new());
    let supervisor = tokio::spawn(Arc::clone(&cluster).supervise(end.clone()));
    let names = workload::names(tenants.len());
    let crowd =
        Crowd { world, cluster: Arc::clone(&cluster), database: database.clone(), tenants: tenants.clone(), names };
    let reporter = tokio::spawn(crowd.clone().report(end.clone()));
    let writing = tokio::spawn({
        let crowd = crowd.clone();
        async move { crowd.write(planned).await }
    });
    let world = world_ref;
    sleep(world.plan.span).await;
    world.heal();
    world.note(|| "nothing goes wrong any more".to_owned());
    let mut findings = Vec::new();
    if tokio::time::timeout(END, writing).await.is_err() {
        findings.push("O-8: a delivery is not acknowledged after two hours".to_owned());
    }
    findings.extend(rest(&world, &database, &cluster).await?);
    end.cancel();
    supervisor.await.context("the supervisor broke down")??;
    drop(reporter.await);
    for replica in cluster.all().into_iter().filter(|replica| !replica.process.is_dead()) {
        findings.extend(replica.stop().await.err().map(|reason| format!("O-15: {reason}")));
    }
    findings.extend(oracles::judge_run(&world, &database, &tenants)?);
    let turns = count(&database, "SELECT count(*) FROM turn WHERE state = 'closed'")?;
    let fired = count(&database, "SELECT count(*) FROM outbox WHERE kind IN ('reminder', 'follow_up', 'waitlist')")?;
    let rescued = count(&database, "SELECT count(*) FROM rescue")?;
    let given_up = count(&database, "SELECT count(*) FROM turn WHERE reason LIKE '%did not come to an end%'")?;
    let (hash, lines) = world.history();
    Ok(Outcome {
        findings,
        hash,
        lines,
        turns,
        fired,
        rescued,
        given_up,
        struck: world.struck(),
        deaths: deaths(&world),
        simulated: world.elapsed(),
    })
}

/// O-8: waits until nothing waits any more. What may be done now is done within [`PROMPT`]; what is to be tried again at a later instant,
/// such as a message that was refused, has its time until [`REST`]. The last fault is not always the plan's: a process that was made to stand
/// still may do so for longer, and a poisonous message kills until it is given up.
async fn rest(world: &World, database: &InlineDatabase, cluster: &Cluster) -> anyhow::Result<Option<Finding>> {
    let began = tokio::time::Instant::now();
    let (mut idle, mut died) = (began, deaths(world));
    loop {
        let Some(left) = oracles::waiting(database, world.now())? else { return Ok(None) };
        let now = tokio::time::Instant::now();
        let faults = deaths(world) != died || cluster.all().iter().any(|replica| replica.process.stands_still());
        died = deaths(world);
        if faults || !oracles::is_anything_due(database, world.now())? {
            idle = now;
        }
        if now - idle > PROMPT {
            return Ok(Some(format!(
                "O-8: {left} wait, and something could have been done for {} s",
                PROMPT.as_secs()
            )));
        }
        if now - began > REST {
            return Ok(Some(format!("O-8: {left} still wait {} s after the last fault", REST.as_secs())));
        }
        sleep(Duration::from_secs(1)).await;
    }
}

fn deaths(world: &World) -> u32 {
    world.deaths.load(std::sync::atomic::Ordering::Relaxed)
}

fn count(database: &InlineDatabase, sql: &str) -> Result<u64, StoreError> {
    let many: i64 = database.look(|tx| tx.query_one(sql, &[], |row| row.get(0)))?;
    Ok(u64::try_from(many).unwrap_or(0))
}
