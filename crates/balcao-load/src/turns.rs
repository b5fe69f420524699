//! Turns: one conversation, 32 at a time, a thousand in flight.
//!
//! A turn goes from the delivery of a message to the moment the provider has the answer: three model calls, availability and a
//! booking, everything durable. A customer writes the next message when they have their answer.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use tokio::task::JoinSet;

use crate::{
    database::{DatabaseKind, ScratchDatabase},
    machine,
    options::Size,
    report::{Report, Target},
    served_business::{ServedBusiness, TransactionRecorder, fill, number},
    stand_ins::booking_text,
};

/// A message that is not answered within this time ends the measurement.
const PATIENCE: Duration = Duration::from_secs(60);

/// A customer who had so many answers makes room for another.
const MESSAGES: u32 = 4;

/// Turns that warm caches and statements.
const WARM: u32 = 40;

/// Turns of a tape.
const TAPED: u32 = 300;

/// Measures turns, one conversation and 32 at a time, and holds them against the same transactions in a bare loop.
pub(crate) async fn measure(kind: &DatabaseKind, size: Size, report: &mut Report) -> Result<()> {
    let name = kind.name();
    for conversations in [1_u32, 32] {
        let what =
            if conversations == 1 { "1 conversation".to_owned() } else { format!("{conversations} conversations") };
        let database = ScratchDatabase::create(kind).await?;
        let business = Arc::new(ServedBusiness::new(&database, Duration::ZERO, conversations, None).await?);
        business.start();
        let next = Arc::new(AtomicU32::new(0));
        run_conversations(&business, &next, conversations, Stop::At(WARM)).await?;
        let started = Instant::now();
        let times = run_conversations(&business, &next, conversations, Stop::After(size.time)).await?;
        let rate = per_second(times.len(), started.elapsed());
        report.add(name, format!("turns, {what}"), rate, "/s", None);
        report.add_times(name, &format!("turn, {what}"), times);
        drop_all(business, database).await?;
        let bare = measure_bare_loop(kind, conversations).await?;
        report.add(name, format!("the same transactions in a bare loop, {what}"), bare, "turns/s", None);
        let share = rate / bare * 100.0;
        let target = (conversations == 32).then_some(Target::AtLeast(50.0));
        report.add(name, format!("turns against the bare loop, {what}"), share, "%", target);
    }
    Ok(())
}

/// How many turns a second the driver alone does, given the same transactions one after the other.
async fn measure_bare_loop(kind: &DatabaseKind, conversations: u32) -> Result<f64> {
    let database = ScratchDatabase::create(kind).await?;
    let tape = Arc::new(TransactionRecorder::default());
    let business =
        Arc::new(ServedBusiness::new(&database, Duration::ZERO, conversations, Some(Arc::clone(&tape))).await?);
    business.start();
    let next = Arc::new(AtomicU32::new(0));
    let turns = run_conversations(&business, &next, conversations, Stop::At(TAPED)).await?.len();
    drop_all(business, database).await?;
    let database = ScratchDatabase::create(kind).await?;
    drop(fill(&database).await?);
    let took = database.replay(tape.take()).await?;
    database.end().await?;
    Ok(per_second(turns, took))
}

/// Measures so many conversations in flight, with a model that takes 300 ms for each of its three answers.
pub(crate) async fn measure_flight(kind: &DatabaseKind, size: Size, report: &mut Report) -> Result<()> {
    const LATENCY: Duration = Duration::from_millis(300);
    const ARRIVE: Duration = Duration::from_millis(900);
    let database = ScratchDatabase::create(kind).await?;
    let business = Arc::new(ServedBusiness::new(&database, LATENCY, size.flight, None).await?);
    business.start();
    let next = Arc::new(AtomicU32::new(0));
    // One turn, so that what is made once is there.
    run_conversations(&business, &next, 1, Stop::At(2)).await?;
    let before = machine::resident_kib();
    let started = Instant::now();
    let mut answers = JoinSet::new();
    for customer in 0..size.flight {
        let (business, slot) = (Arc::clone(&business), next.fetch_add(1, Ordering::Relaxed));
        let at = ARRIVE.saturating_mul(customer) / size.flight.max(1);
        answers.spawn(async move {
            tokio::time::sleep(at).await;
            turn(&business, &number(500_000 + customer), slot).await
        });
    }
    let mut times = Vec::new();
    let mut peak = before;
    let mut look = tokio::time::interval(Duration::from_millis(20));
    while !answers.is_empty() {
        tokio::select! {
            Some(answer) = answers.join_next() => {
                times.push(answer??);
            }
            _ = look.tick() => peak = peak.max(machine::resident_kib()),
        }
    }
    let took = started.elapsed();
    let ideal = ARRIVE.saturating_add(LATENCY.saturating_mul(3));
    let what = format!("{} conversations in flight, 300 ms a model call", size.flight);
    report.add(kind.name(), what.clone(), per_second(times.len(), took), "turns/s", None);
    let share = ideal.as_secs_f64() / took.as_secs_f64() * 100.0;
    report.add(kind.name(), format!("{what}, of the ideal"), share, "%", Some(Target::AtLeast(95.0)));
    report.add_times(kind.name(), "a turn in flight", times);
    let each =
        f64::from(u32::try_from(peak.saturating_sub(before)).unwrap_or(u32::MAX)) / f64::from(size.flight.max(1));
    report.add(kind.name(), "memory per conversation in flight", each, "KiB", Some(Target::AtMost(64.0)));
    drop_all(business, database).await
}

#[derive(Clone, Copy)]
enum Stop {
    /// When so many turns have begun in all.
    At(u32),
    /// When this time is over.
    After(Duration),
}

/// So many customers at a time write and are answered; gives how long each turn took.
async fn run_conversations(
    business: &Arc<ServedBusiness>,
    next: &Arc<AtomicU32>,
    conversations: u32,
    stop: Stop,
) -> Result<Vec<Duration>> {
    let started = Instant::now();
    let mut lanes = JoinSet::new();
    for lane in 0..conversations {
        let (business, next) = (Arc::clone(business), Arc::clone(next));
        lanes.spawn(async move {
            let mut times = Vec::new();
            loop {
                let slot = next.fetch_add(1, Ordering::Relaxed);
                let over = match stop {
                    Stop::At(turns) => slot >= turns,
                    Stop::After(time) => started.elapsed() >= time,
                };
                if over {
                    return Ok::<_, anyhow::Error>(times);
                }
                let customer = lane * 10_000 + (slot / conversations) / MESSAGES;
                times.push(turn(&business, &number(customer), slot).await?);
            }
        });
    }
    let mut all = Vec::new();
    while let Some(lane) = lanes.join_next().await {
        all.extend(lane??);
    }
    Ok(all)
}

/// A customer asks for a slot and gets it.
async fn turn(business: &ServedBusiness, number: &str, slot: u32) -> Result<Duration> {
    let started = Instant::now();
    let answer = business.provider.listen(number);
    business.deliver(number, &booking_text(slot)).await?;
    let answer = tokio::time::timeout(PATIENCE, answer).await;
    let text = answer.ok().and_then(Result::ok).ok_or_else(|| anyhow!("a message was not answered"))?;
    if text.contains("marcado") { Ok(started.elapsed()) } else { Err(anyhow!("slot {slot} was not booked: {text}")) }
}

async fn drop_all(business: Arc<ServedBusiness>, database: ScratchDatabase) -> Result<()> {
    match Arc::try_unwrap(business) {
        Ok(business) => business.stop().await,
        Err(_shared) => return Err(anyhow!("a turn goes on after its end")),
    }
    database.end().await
}

pub(crate) fn per_second(count: usize, time: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / time.as_secs_f64().max(f64::EPSILON)
}
