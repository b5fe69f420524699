//! Runs the commands that deliveries of packs started.
//!
//! Invariants: a command runs in no conversation and for no contact, with the effect rules of every call. Its claim is durable
//! before it runs. After a crash the effect class decides (`balcao_tool::execute`): a call that the service cannot recognise is not
//! repeated, and staff see it. The key of the effect is the same at every attempt.

use std::sync::Arc;
use std::time::Duration;

use balcao_domain::OrganizationId;
use balcao_domain::delivery_command::{AttemptOutcome, NextStep, next_step};
use balcao_store::ops::pack_delivery_command::{self, ClaimedCommand, FailedAttempt};
use balcao_store::{StoreError, Tx};
use balcao_tool::{
    CallResult, EffectClass, EffectKey, Locale, Principal, ResultClass, RunMode, Tool, ToolContext, canonical,
};
use futures::future;
use jiff::{Timestamp, tz::TimeZone};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::context::app_context::{AppContext, UseCaseError, organization};

/// Commands that run side by side, so that one slow service does not hold up the others.
const AT_ONCE: u32 = 4;
/// How long one program holds the commands that it claimed. Longer than a call takes with its repeats.
const HELD: Duration = Duration::from_mins(10);
const POLL: Duration = Duration::from_millis(500);
/// Longest reason that is kept, in characters.
const MAX_FAILURE_CHARS: usize = 500;

/// Finds the commands of packs that deliveries may start.
pub trait PackCommands: Send + Sync {
    /// A command of a pack.
    ///
    /// # Errors
    /// Why it must not run now, for staff: the pack or the rule is gone, or its contract waits for acceptance.
    fn find(&self, pack: &str, command: &str) -> Result<Arc<Tool>, String>;
}

/// Runs commands of deliveries. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DeliveryCommands {
    app: AppContext,
    organization: OrganizationId,
}

/// What a call reads of the business.
struct Business {
    zone: TimeZone,
    locale: Locale,
}

/// How an attempt ended, and what the next one must know.
struct Attempt {
    outcome: AttemptOutcome,
    failure: String,
    /// Attempts whose end is still unknown.
    begun: u32,
}

impl DeliveryCommands {
    /// For an organization.
    #[must_use]
    pub const fn new(app: AppContext, organization: OrganizationId) -> Self {
        Self { app, organization }
    }

    /// Runs the commands that are due; returns how many took effect.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn work_off(&self, commands: &dyn PackCommands) -> Result<usize, UseCaseError> {
        let mut done: usize = 0;
        loop {
            let Some(business) = self.due().await? else { return Ok(done) };
            let claimed = self.claim().await?;
            if claimed.is_empty() {
                return Ok(done);
            }
            let running = claimed.into_iter().map(|one| self.run_one(commands, one, &business));
            for ran in future::join_all(running).await {
                done = done.saturating_add(usize::from(ran?));
            }
        }
    }

    /// Runs commands until `stop` is cancelled.
    pub async fn run(&self, commands: &dyn PackCommands, stop: CancellationToken) {
        loop {
            if let Err(error) = self.work_off(commands).await {
                tracing::error!(%error, "commands of deliveries stand still");
            }
            if stop.run_until_cancelled(tokio::time::sleep(POLL)).await.is_none() {
                return;
            }
        }
    }

    /// The business if a command is due. Most looks find nothing, and write nothing. The business is loaded before a claim, so that a
    /// claimed command can only fail at its call.
    async fn due(&self) -> Result<Option<Business>, UseCaseError> {
        let id = self.organization;
        let look = move |tx: &mut Tx<'_>, now| {
            if !pack_delivery_command::is_due(tx, id, now)? {
                return Ok(None);
            }
            let (organization, zone) = organization(tx, id)?;
            Ok(Some(Business { zone, locale: Locale::closest_to_tag(&organization.locale) }))
        };
        self.app.look(look).await
    }

    async fn claim(&self) -> Result<Vec<ClaimedCommand>, UseCaseError> {
        let (organization, now) = (self.organization, self.app.clock.now());
        let held_until = now.saturating_add(HELD).unwrap_or(now);
        let work = move |tx: &mut Tx<'_>| {
            let set_aside = pack_delivery_command::set_aside(tx, organization, now)?;
            Ok((set_aside, pack_delivery_command::claim(tx, organization, now, held_until, AT_ONCE)?))
        };
        let (set_aside, claimed) = self.app.store.write::<_, StoreError, _>(work).await?;
        if set_aside > 0 {
            tracing::error!(commands = set_aside, "commands of deliveries set aside after three crashes");
        }
        Ok(claimed)
    }

    /// Runs a claimed command and records its end; returns whether it took effect.
    async fn run_one(
        &self,
        commands: &dyn PackCommands,
        claimed: ClaimedCommand,
        business: &Business,
    ) -> Result<bool, UseCaseError> {
        let attempt = match call_of(commands, &claimed) {
            Ok((tool, arguments)) => {
                let context = self.context(&tool, &claimed, &arguments, business);
                let mode = if claimed.may_have_run() { RunMode::Recover } else { RunMode::Execute };
                read_result(&tool, tool.execute(&context, arguments, mode).await)
            }
            // This attempt never ran; earlier ones may have.
            Err(failure) => {
                Attempt { outcome: AttemptOutcome::NotDone, failure, begun: claimed.begun.saturating_sub(1) }
            }
        };
        self.record(claimed, attempt).await
    }

    async fn record(&self, claimed: ClaimedCommand, attempt: Attempt) -> Result<bool, UseCaseError> {
        let (organization, now) = (self.organization, self.app.clock.now());
        let ClaimedCommand { delivery, pack, command, attempts, .. } = &claimed;
        let next = next_step(attempt.outcome, *attempts);
        let failure = attempt.failure.as_str();
        match next {
            NextStep::Finish => tracing::info!(delivery, pack, command, "command of a delivery done"),
            NextStep::RetryAfter(_) => {
                tracing::warn!(delivery, pack, command, attempts, failure, "command of a delivery not done yet");
            }
            NextStep::SetAside => tracing::error!(delivery, pack, command, failure, "command of a delivery set aside"),
        }
        let work = move |tx: &mut Tx<'_>| {
            let again = match next {
                NextStep::Finish => return pack_delivery_command::finish(tx, organization, claimed.delivery),
                NextStep::RetryAfter(pause) => Some(now.checked_add(pause).unwrap_or(Timestamp::MAX)),
                NextStep::SetAside => None,
            };
            let failed = FailedAttempt { failure: &attempt.failure, again, begun: attempt.begun };
            pack_delivery_command::fail(tx, organization, &claimed, failed).map(|_| false)
        };
        Ok(self.app.store.write::<_, StoreError, _>(work).await?)
    }

    /// The identity of the call: the organization, without a conversation. Its key belongs to the delivery, so that each attempt has
    /// the same key and no turn has it.
    fn context(&self, tool: &Tool, claimed: &ClaimedCommand, arguments: &Value, business: &Business) -> ToolContext {
        let args_hash = canonical::hash(arguments);
        let source = format!("pack_delivery/{}/{}", claimed.pack, tool.spec.name);
        let principal = Principal {
            organization: self.organization.into(),
            contact: 0,
            conversation: 0,
            turn: 0,
            staff_facing: true,
            locale: business.locale,
        };
        let key = EffectKey::derive(claimed.delivery, 0, 0, &source, &args_hash);
        let now = self.app.clock.now().to_zoned(business.zone.clone());
        ToolContext { principal, key, args_hash, now, agreed: None, told_prices: Vec::new() }
    }
}

/// The command as it may run now, with its arguments.
fn call_of(commands: &dyn PackCommands, claimed: &ClaimedCommand) -> Result<(Arc<Tool>, Value), String> {
    let tool = commands.find(&claimed.pack, &claimed.command)?;
    let arguments = serde_json::from_str(&claimed.arguments).map_err(|error| error.to_string())?;
    // The contract may have changed, and been accepted, since the delivery was read.
    match tool.check_arguments(arguments) {
        Ok(checked) => Ok((tool, checked.args)),
        Err(problems) => Err(in_words(&problems)),
    }
}

/// What breaks a command's contract, without any value: values of a delivery may name people.
#[must_use]
pub fn in_words(problems: &[balcao_tool::FieldProblem]) -> String {
    let told = problems
        .iter()
        .map(|one| format!("`{}` {}, expected {}", one.pointer, one.problem.replace('_', " "), one.expected));
    format!("invalid arguments: {}", told.collect::<Vec<_>>().join("; "))
}

/// How a call ended. `begun` stays above zero where the effect is unknown, so that the next attempt recovers.
fn read_result(tool: &Tool, result: CallResult) -> Attempt {
    let repeats = matches!(tool.spec.behaviour.class, EffectClass::Keyed | EffectClass::Queryable);
    let (outcome, begun) = match (result.uncertain, result.class) {
        (true, _) if repeats => (AttemptOutcome::Repeatable, 1),
        (true, _) => (AttemptOutcome::Unknown, 1),
        (false, ResultClass::Success) => (AttemptOutcome::Done, 0),
        (false, ResultClass::Refusal | ResultClass::Correction) => (AttemptOutcome::Refused, 0),
        (false, ResultClass::Fault) => (AttemptOutcome::NotDone, 0),
    };
    let code = result.code.map_or_else(|| "refused".to_owned(), |code| code.as_str().to_owned());
    let failure = result.internal.map_or_else(|| code.clone(), |internal| format!("{code}: {internal}"));
    Attempt { outcome, failure: failure.chars().take(MAX_FAILURE_CHARS).collect(), begun }
}
