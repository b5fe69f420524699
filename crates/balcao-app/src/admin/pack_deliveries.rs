//! What services of packs tell of on their own: stored at once, read later, handed on as an event. The same transaction stores what
//! a delivery starts, if the operator configured it: a command ([`super::delivery_commands`] runs it) or a message for a turn.
//!
//! Invariants: a service may forget a delivery after our acknowledgement. A delivery and a change become one event at most. Reading changes
//! nothing, so a delivery may be read again: it is handed on once. One at which the program died three times is set aside.

use std::time::Duration;

use async_trait::async_trait;
use balcao_domain::OrganizationId;
use balcao_domain::burst::BurstRules;
use balcao_store::ops::pack_delivery::{self, Waiting};
use balcao_store::ops::pack_delivery_command::{self, NewCommand};
use balcao_store::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::delivery_commands::DeliveryCommands;
use crate::context::app_context::{AppContext, UseCaseError};
use crate::messaging::inbox::service_messages::{self, ServiceMessage};

/// The pauses between attempts to read a delivery; then it is given up.
const PAUSES: [Duration; 4] =
    [Duration::from_secs(5), Duration::from_mins(1), Duration::from_mins(10), Duration::from_hours(1)];
/// Deliveries that are read in one go.
const AT_ONCE: u32 = 20;
/// How long one program holds the deliveries that it took; then another program may take them.
const HELD: Duration = Duration::from_mins(2);
const POLL: Duration = Duration::from_millis(500);

/// A delivery whose sender was made sure of.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrived {
    /// The same for a delivery that is sent again, another for any other.
    pub once: String,
    /// Whether `once` is what the service calls the delivery, and so for ever the same one.
    pub named: bool,
    /// The same for all deliveries of one change, if the service names it.
    pub change: Option<String>,
    /// What was sent.
    pub body: Value,
}

/// A delivery as its pack prepared it.
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// What the delivery says.
    pub said: Value,
    /// What it starts, if a rule of the operator applies to it.
    pub starts: Option<Started>,
}

/// What a delivery starts.
#[derive(Debug, Clone, PartialEq)]
pub enum Started {
    /// A command of the pack.
    Command(CommandCall),
    /// A turn of the agent with a contact.
    Turn(ServiceMessage),
}

/// A call of a command of the pack that a delivery came for.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandCall {
    /// The command's name in its pack.
    pub command: String,
    /// Arguments that satisfy the command's schema.
    pub arguments: Value,
}

/// Reads deliveries, as their packs say how.
#[async_trait]
pub trait Reader: Send + Sync {
    /// What a delivery says, and what it starts.
    ///
    /// # Errors
    /// Why it cannot be read now, for staff. A field that a rule wants and the delivery lacks is such a reason.
    async fn read(&self, pack: &str, body: Value, now: Timestamp) -> Result<Prepared, String>;
}

/// Takes deliveries in and hands them on. Cheap to clone.
#[derive(Debug, Clone)]
pub struct PackDeliveries {
    app: AppContext,
    organization: OrganizationId,
    /// When a turn answers what waits in a conversation.
    burst: BurstRules,
}

impl PackDeliveries {
    /// For an organization; `burst` says when a turn answers what waits in a conversation.
    #[must_use]
    pub const fn new(app: AppContext, organization: OrganizationId, burst: BurstRules) -> Self {
        Self { app, organization, burst }
    }

    /// What runs the commands that deliveries of this organization start.
    #[must_use]
    pub fn commands(&self) -> DeliveryCommands {
        DeliveryCommands::new(self.app.clone(), self.organization)
    }

    /// Stores a delivery; tells whether it, or its change, is new.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed: nothing was taken in.
    pub async fn accept(&self, pack: &str, arrived: Arrived) -> Result<bool, UseCaseError> {
        let (organization, now, pack) = (self.organization, self.app.clock.now(), pack.to_owned());
        let Arrived { once, named, change, body } = arrived;
        let body = body.to_string();
        let work = move |tx: &mut Tx<'_>| {
            let (pack, once) = (pack.as_str(), once.as_str());
            let arrived = pack_delivery::Arrived { pack, once, named, change: change.as_deref(), body: &body };
            pack_delivery::accept(tx, organization, arrived, now)
        };
        Ok(self.app.store.write::<_, StoreError, _>(work).await?)
    }

    /// Reads what waits and hands it on; gives how many were handed on.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn work_off(&self, reader: &dyn Reader) -> Result<usize, UseCaseError> {
        let mut handed = 0;
        loop {
            let due = self.take().await?;
            if due.is_empty() {
                return Ok(handed);
            }
            for one in due {
                handed += usize::from(self.read(reader, one).await?);
            }
        }
    }

    /// What is to be read now.
    async fn take(&self) -> Result<Vec<Waiting>, UseCaseError> {
        let (organization, now) = (self.organization, self.app.clock.now());
        // Most looks find nothing, and write nothing.
        if !self.app.look(move |tx, now| Ok(pack_delivery::is_due(tx, organization, now)?)).await? {
            return Ok(Vec::new());
        }
        let held_until = now.saturating_add(HELD).unwrap_or(now);
        let work = move |tx: &mut Tx<'_>| {
            let set_aside = pack_delivery::set_aside(tx, organization, now)?;
            Ok((set_aside, pack_delivery::take(tx, organization, now, held_until, AT_ONCE)?))
        };
        let (set_aside, taken) = self.app.store.write::<_, StoreError, _>(work).await?;
        if set_aside > 0 {
            tracing::error!(
                deliveries = set_aside,
                "the program died at a delivery of a pack three times; it is set aside"
            );
        }
        Ok(taken)
    }

    async fn read(&self, reader: &dyn Reader, one: Waiting) -> Result<bool, UseCaseError> {
        let (organization, burst, now) = (self.organization, self.burst, self.app.clock.now());
        let read = match serde_json::from_str(&one.body) {
            Ok(body) => reader.read(&one.pack, body, now).await,
            Err(error) => Err(error.to_string()),
        };
        let (pack, attempts) = (one.pack.clone(), one.attempts);
        if let Err(reason) = &read {
            tracing::warn!(delivery = one.id, pack, attempts, reason, "a delivery of a pack could not be read");
        }
        let work = move |tx: &mut Tx<'_>| {
            let prepared = match &read {
                Ok(prepared) => prepared,
                Err(reason) => return put_off(tx, organization, &one, reason, now),
            };
            let place = match &prepared.starts {
                Some(Started::Turn(message)) => {
                    match service_messages::find_conversation(tx, organization, &message.to, now)? {
                        Ok(place) => Some((place, message.text.as_str())),
                        Err(reason) => {
                            tracing::warn!(delivery = one.id, pack = one.pack, reason, "a delivery starts no turn");
                            return put_off(tx, organization, &one, reason, now);
                        }
                    }
                }
                Some(Started::Command(_)) | None => None,
            };
            let payload = json!({ "pack": one.pack, "delivery": prepared.said }).to_string();
            if !pack_delivery::hand_on(tx, organization, one.id, &payload, now)? {
                return Ok(false);
            }
            if let Some(Started::Command(CommandCall { command, arguments })) = &prepared.starts {
                let arguments = arguments.to_string();
                let new = NewCommand { delivery: one.id, pack: &one.pack, command, arguments: &arguments };
                pack_delivery_command::insert(tx, organization, new, now)?;
            }
            if let Some((place, text)) = place {
                let key = format!("pack_delivery:{}", one.id);
                service_messages::insert(tx, organization, &place, (&key, text), burst, now)?;
            }
            Ok(true)
        };
        self.app.store.write::<_, UseCaseError, _>(work).await
    }

    /// Hands on deliveries until `stop` is cancelled.
    pub async fn run(&self, reader: &dyn Reader, stop: CancellationToken) {
        loop {
            if let Err(error) = self.work_off(reader).await {
                tracing::error!(%error, "deliveries of packs stand still");
            }
            if stop.run_until_cancelled(tokio::time::sleep(POLL)).await.is_none() {
                return;
            }
        }
    }
}

/// Records that nothing could be done with a delivery, and when it is read again. It gives `false`: nothing was handed on.
fn put_off(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    one: &Waiting,
    reason: &str,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let pause = usize::try_from(one.attempts).ok().and_then(|made| PAUSES.get(made));
    let again = pause.and_then(|pause| SignedDuration::try_from(*pause).ok());
    let again = again.and_then(|pause| now.checked_add(pause).ok());
    pack_delivery::fail(tx, organization, one.id, reason, again)?;
    Ok(false)
}
