//! One run: a seed, from an empty inbox to the oracles' verdict.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{Context, anyhow};
use async_trait::async_trait;
use balcao_app::seed::BusinessFile;
use balcao_planted::{self as planted, Bug};
use balcao_store::{Fate, Gate, InlineDatabase};
use jiff::Timestamp;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::model::canary;
use crate::oracles::{self, Finding};
use crate::plan::Plan;
use crate::replica::{Cluster, Tenant};
use crate::traffic::Crowd;
use crate::world::World;

/// When every run begins: a Monday morning in São Paulo.
const BEGINS: &str = "2026-11-23T12:00:00Z";
/// After the last fault everything comes to rest within this time (I-16, with room for the longest pause of a send).
const REST: Duration = Duration::from_mins(15);
/// After this the run is over, whatever still waits to be delivered.
const END: Duration = Duration::from_hours(2);

const BUSINESS: &str = include_str!("../../../samples/barbearia-figueira.yaml");

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
    /// Processes that died.
    pub(crate) deaths: u32,
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
    let (template, tenants) = template(plan.tenants).await?;
    let database = template.copy()?;
    if planted::has(Bug::SlotNotGuarded) {
        database.without_walls()?;
    }
    let first_own: i64 = database
        .look(|tx| tx.query_one("SELECT COALESCE(max(id), 0) + 1 FROM appointment", &[], |row| row.get(0)))
        .map_err(|error: balcao_store::StoreError| error)?;
    let world = World::new(plan, seed, begins()?, talk);
    let cluster = Cluster::start(&world, database.clone(), tenants.clone())?;
    let (world_ref, end) = (Arc::clone(&world), CancellationToken::new());
    let supervisor = tokio::spawn(Arc::clone(&cluster).supervise(end.clone()));
    let crowd = Crowd { world, cluster: Arc::clone(&cluster), database: database.clone(), tenants: tenants.clone() };
    let reporter = tokio::spawn(crowd.clone().report(end.clone()));
    let writing = tokio::spawn({
        let crowd = crowd.clone();
        async move { crowd.write().await }
    });
    let world = world_ref;
    sleep(world.plan.span).await;
    world.heal();
    world.note(|| "nothing goes wrong any more".to_owned());
    let mut findings = Vec::new();
    if tokio::time::timeout(END, writing).await.is_err() {
        findings.push("O-8: a delivery is not acknowledged after two hours".to_owned());
    }
    findings.extend(rest(&database).await?);
    end.cancel();
    supervisor.await.context("the supervisor broke down")??;
    drop(reporter.await);
    for replica in cluster.all().into_iter().filter(|replica| !replica.process.is_dead()) {
        findings.extend(replica.stop().await.err().map(|reason| format!("O-15: {reason}")));
    }
    findings.extend(oracles::judge(&world, &database, &tenants, first_own)?);
    let turns: i64 = database
        .look(|tx| tx.query_one("SELECT count(*) FROM turn WHERE state = 'closed'", &[], |row| row.get(0)))
        .map_err(|error: balcao_store::StoreError| error)?;
    let (hash, lines) = world.history();
    Ok(Outcome {
        findings,
        hash,
        lines,
        turns: u64::try_from(turns).unwrap_or(0),
        deaths: world.deaths.load(std::sync::atomic::Ordering::Relaxed),
        simulated: world.elapsed(),
    })
}

/// O-8: waits until nothing waits any more.
async fn rest(database: &InlineDatabase) -> anyhow::Result<Option<Finding>> {
    let until = tokio::time::Instant::now() + REST;
    loop {
        let Some(left) = oracles::waiting(database)? else { return Ok(None) };
        if tokio::time::Instant::now() > until {
            return Ok(Some(format!("O-8: {left} still wait {} s after the last fault", REST.as_secs())));
        }
        sleep(Duration::from_secs(1)).await;
    }
}

fn begins() -> anyhow::Result<Timestamp> {
    Ok(BEGINS.parse::<Timestamp>()?)
}

/// A migrated database with so many businesses, made once.
async fn template(tenants: usize) -> anyhow::Result<(InlineDatabase, Vec<Tenant>)> {
    static ONE: OnceLock<(InlineDatabase, Vec<Tenant>)> = OnceLock::new();
    static TWO: OnceLock<(InlineDatabase, Vec<Tenant>)> = OnceLock::new();
    let made = if tenants == 1 { &ONE } else { &TWO };
    if let Some(made) = made.get() {
        return Ok(made.clone());
    }
    let fresh = make(tenants).await?;
    Ok(made.get_or_init(|| fresh).clone())
}

async fn make(tenants: usize) -> anyhow::Result<(InlineDatabase, Vec<Tenant>)> {
    let database = InlineDatabase::new()?;
    let store = database.behind(Arc::new(Open));
    store.migrate().await?;
    let mut made = Vec::new();
    for place in 0..tenants {
        let text = BUSINESS.replace("slug: figueira", &format!("slug: loja{place}"));
        let text = text.replace("name: Barbearia Figueira", &format!("name: Barbearia {}", canary(place)));
        let file = BusinessFile::read("sample.yaml", &text).map_err(|problems| anyhow!("{problems:?}"))?;
        let organization = file.import(&store, begins()?).await?.organization;
        made.push(Tenant { organization, account: format!("10{place}") });
    }
    Ok((database, made))
}

/// A gate that is always open.
#[derive(Debug)]
struct Open;

#[async_trait]
impl Gate for Open {
    async fn enter(&self, _may_write: bool) -> Fate {
        Fate::Commit
    }

    async fn leave(&self, _may_write: bool) {}
}
