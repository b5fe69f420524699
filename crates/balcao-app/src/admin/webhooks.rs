//! Tells endpoints outside what happened here.
//!
//! What happened is a row that was written in the transaction in which it happened. For each endpoint that wants it, it becomes
//! a delivery, which is tried until the endpoint takes it or [`PAUSES`] are used up; then staff see it. A delivery may come
//! twice, under the same id, and deliveries may come in another order than things happened.
//!
//! An endpoint reads ids and words of ours, never what a customer wrote nor who they are: it asks the API for more. An event of a
//! pack's service is an exception: the endpoint receives it as the pack read it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use balcao_channel::endpoint::{Delivered, Endpoint};
use balcao_domain::{AppointmentId, OrganizationId};
use balcao_store::ops::pack_delivery;
use balcao_store::ops::webhook::{self, Attempted, Delivery};
use balcao_store::turns::event::Event;
use balcao_store::{StoreError, Tx};
use futures::FutureExt;
use futures::future::join_all;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::context::app_context::{AppContext, UseCaseError};
use crate::context::metrics;

/// The events that endpoints receive: our event kind, the type in the webhook, and a description.
pub const TYPES: &[(&str, &str, &str)] = &[
    ("contact_wrote", "message.received", "a contact wrote; `id` is the conversation"),
    (
        "reply_sent",
        "message.sent",
        "a message left the server; `id` is the message, `conversation_id` its conversation",
    ),
    ("message_dead", "message.failed", "a message failed and is not sent again"),
    ("message_unknown", "message.unknown", "the outcome of a message is unknown"),
    ("appointment_booked", "appointment.booked", "an appointment was booked"),
    ("appointment_rescheduled", "appointment.rescheduled", "an appointment was moved; `new_id` is the new one"),
    ("appointment_cancelled", "appointment.cancelled", "an appointment was cancelled"),
    ("appointment_confirmed", "appointment.confirmed", "an appointment was confirmed"),
    ("appointment_kept", "appointment.kept", "staff kept an appointment outside of working time"),
    ("appointment_completed", "appointment.completed", "a visit was marked as completed, by a person or by the server"),
    ("appointment_no_show", "appointment.no_show", "a person marked a visit as a no-show"),
    ("appointment_mark_undone", "appointment.mark_undone", "the mark of a visit was undone"),
    ("appointment_unmarked", "appointment.unmarked", "a visit ended and has no mark"),
    (
        "appointment_moved_outside",
        "appointment.moved_outside",
        "a person moved its event in an external calendar, and the appointment followed; `new_id` is the new one",
    ),
    (
        "calendar_conflict",
        "calendar.conflict",
        "a person changed an external calendar, and staff must decide; `id` is the appointment, `conflict_id` the conflict, `kind` one word: `deleted`, `collision`, …",
    ),
    ("appointment_expired", "appointment.expired", "a hold ran out before it was confirmed"),
    ("subscription_started", "subscription.started", "a contact subscribed to a plan; `id` is the subscription"),
    ("subscription_paid", "subscription.paid", "a payment of a subscription was noted"),
    ("subscription_payment_taken_back", "subscription.payment_taken_back", "a payment of a subscription was withdrawn"),
    ("subscription_renewed", "subscription.renewed", "a subscription was renewed without a payment"),
    ("subscription_paused", "subscription.paused", "a subscription was paused"),
    ("subscription_resumed", "subscription.resumed", "a subscription was resumed, or its end was withdrawn"),
    ("subscription_ended", "subscription.ended", "a subscription ended, or will end"),
    ("handoff", "conversation.handed_off", "a conversation was handed off to staff; `reason` is one word"),
    (
        "handoff_untaken",
        "conversation.waiting",
        "a conversation waits for staff; `minutes` is how long it has waited: 5, 15, 60",
    ),
    (
        "hot_lead",
        "contact.hot_lead",
        "a contact matches the profile's rule for hot leads, at most once a day; `id` is the conversation, `contact_id` the contact, `why` the rule's name",
    ),
    ("conversation_closed", "conversation.closed", "the matter is settled, and the conversation was archived"),
    ("conversation_taken_over", "conversation.taken_over", "a staff member wrote from the phone of the business"),
    ("waitlist_offered", "waitlist.offered", "a contact on the waiting list was offered a time"),
    (
        "template_changed",
        "template.changed",
        "Meta took a template out of use, or changed its category; `id` is its name, `change` one word: `paused`, `category`, …",
    ),
    (
        "pack_delivery",
        "pack.delivery",
        "the service of a pack sent a delivery; `delivery` is the data that the pack extracts from it",
    ),
];

/// The pauses between attempts, as Standard Webhooks recommends: about three days in all.
pub const PAUSES: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

/// Events that are looked at in one transaction.
const EVENTS: u32 = 200;
/// Deliveries at the same time.
const AT_ONCE: u32 = 16;
/// How long a claim lasts. A worker that records no outcome in this time counts as crashed.
const LEASE: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(500);
/// What staff read when no answer came, whatever stands behind the address.
const UNREACHED: &str = "the endpoint gave no answer; the server's log says why";

/// An endpoint and what it wants to hear.
#[derive(Debug)]
pub struct Subscriber {
    /// Its name: what was delivered is remembered by it.
    pub name: String,
    /// The types of [`TYPES`] that it wants; empty: all.
    pub types: BTreeSet<String>,
    /// Where it is.
    pub endpoint: Endpoint,
}

/// Tells endpoints what happened.
#[derive(Debug)]
pub struct Webhooks {
    app: AppContext,
    organization: OrganizationId,
    subscribers: BTreeMap<String, Subscriber>,
}

impl Webhooks {
    /// For these endpoints of an organization.
    #[must_use]
    pub fn new(
        app: AppContext,
        organization: OrganizationId,
        subscribers: impl IntoIterator<Item = Subscriber>,
    ) -> Self {
        let subscribers = subscribers.into_iter().map(|one| (one.name.clone(), one)).collect();
        Self { app, organization, subscribers }
    }

    /// Makes deliveries of what happened; nothing is delivered yet. From then on every endpoint is known.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn begin(&self) -> Result<(), UseCaseError> {
        for name in self.subscribers.keys() {
            while self.is_behind(name).await? && self.fan_out(name).await? > 0 {}
        }
        Ok(())
    }

    /// Ends the alarm of crashes at endpoints that are not configured any more: nothing is sent there again, so no retry can end it.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn end_alarms_of_removed(&self) -> Result<(), UseCaseError> {
        let organization = self.organization;
        let crashed = self.app.look(move |tx, _now| Ok(webhook::crashed_endpoints(tx, organization)?)).await?;
        for endpoint in crashed.into_iter().filter(|name| !self.subscribers.contains_key(name)) {
            let named = endpoint.clone();
            let work = move |tx: &mut Tx<'_>| webhook::take_back_deaths(tx, organization, &named);
            let deliveries = self.app.store.write::<_, StoreError, _>(work).await?;
            tracing::info!(
                endpoint,
                deliveries,
                "the endpoint is not configured any more; its crashes are no alarm now"
            );
        }
        Ok(())
    }

    /// Delivers until `stop` is cancelled; deliveries in progress come to their end first.
    pub async fn run(&self, stop: CancellationToken) {
        if self.subscribers.is_empty() {
            return;
        }
        loop {
            match self.work_off().await {
                Ok(_) => {}
                Err(error) => tracing::error!(%error, "outgoing webhooks stand still"),
            }
            if stop.run_until_cancelled(tokio::time::sleep(POLL)).await.is_none() {
                return;
            }
        }
    }

    /// Delivers what can be delivered now; gives how many attempts that were.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn work_off(&self) -> Result<usize, UseCaseError> {
        let mut attempts = 0;
        self.begin().await?;
        loop {
            let claimed = self.claim().await?;
            if claimed.is_empty() {
                return Ok(attempts);
            }
            attempts += claimed.len();
            for recorded in join_all(claimed.into_iter().map(|one| self.attempt(one))).await {
                recorded?;
            }
        }
    }

    /// A look that writes nothing: as a rule there is nothing to do.
    async fn is_behind(&self, name: &str) -> Result<bool, UseCaseError> {
        let (organization, name) = (self.organization, name.to_owned());
        self.app.look(move |tx, _now| Ok(webhook::is_behind(tx, organization, &name)?)).await
    }

    async fn fan_out(&self, name: &str) -> Result<usize, UseCaseError> {
        let now = self.app.clock.now();
        let types = self.subscribers.get(name).map(|one| one.types.clone()).unwrap_or_default();
        let (organization, name) = (self.organization, name.to_owned());
        let work =
            move |tx: &mut Tx<'_>| webhook::fan_out(tx, organization, &name, EVENTS, now, |event| body(event, &types));
        Ok(self.app.store.write::<_, StoreError, _>(work).await?)
    }

    async fn claim(&self) -> Result<Vec<Delivery>, UseCaseError> {
        let (organization, now) = (self.organization, self.app.clock.now());
        let is_due = self.app.look(move |tx, now| Ok(webhook::is_due(tx, organization, now)?)).await?;
        if !is_due {
            return Ok(Vec::new());
        }
        let until = later(now, LEASE);
        let work = move |tx: &mut Tx<'_>| webhook::claim(tx, organization, now, until, AT_ONCE);
        Ok(self.app.store.write::<_, StoreError, _>(work).await?)
    }

    async fn attempt(&self, delivery: Delivery) -> Result<(), UseCaseError> {
        let outcome = match self.subscribers.get(&delivery.endpoint) {
            Some(one) => {
                let (id, now) = (id(&delivery), self.app.clock.now());
                let told = AssertUnwindSafe(one.endpoint.deliver(&id, &delivery.body, now)).catch_unwind().await;
                // The panic ends only this delivery. Whether it arrived is unknown, and the endpoint recognises a repetition by its id.
                told.unwrap_or_else(|_panic| Delivered::Unreached { cause: "delivering it panicked".to_owned() })
            }
            None => Delivered::Gone { reason: "no endpoint of this name is configured any more".to_owned() },
        };
        let now = self.app.clock.now();
        let work = move |tx: &mut Tx<'_>| {
            let pause = usize::try_from(delivery.attempts).ok().and_then(|made| PAUSES.get(made.checked_sub(1)?));
            let (what, word) = match (&outcome, pause) {
                (Delivered::Taken, _) => (Attempted::Delivered, "delivered"),
                (Delivered::Again { after, reason }, Some(pause)) => {
                    let at = later(now, after.unwrap_or_default().clamp(*pause, Duration::from_hours(24)));
                    (Attempted::Again { at, failure: reason }, "retry")
                }
                (Delivered::Again { reason, .. } | Delivered::Gone { reason }, _) => {
                    (Attempted::Dead { failure: reason }, "dead")
                }
                (Delivered::Unreached { .. }, Some(pause)) => {
                    (Attempted::Again { at: later(now, *pause), failure: UNREACHED }, "retry")
                }
                (Delivered::Unreached { .. }, None) => (Attempted::Dead { failure: UNREACHED }, "dead"),
            };
            webhook::record(tx, &delivery, what, now)?;
            Ok::<_, StoreError>((word, delivery, outcome))
        };
        let (word, delivery, outcome) = self.app.store.write(work).await?;
        metrics::delivery(word);
        match outcome {
            Delivered::Taken => {}
            Delivered::Again { reason, .. } | Delivered::Gone { reason } | Delivered::Unreached { cause: reason } => {
                let endpoint = delivery.endpoint;
                tracing::warn!(
                    endpoint,
                    attempt = delivery.attempts,
                    reason,
                    outcome = word,
                    "a webhook was not taken"
                );
            }
        }
        Ok(())
    }
}

/// Our name of a delivery: the same at every attempt, another for each endpoint.
fn id(delivery: &Delivery) -> String {
    format!("msg_{}_{}_{}", i64::from(delivery.organization), delivery.event, delivery.id)
}

/// What an endpoint reads of an event; `None` if it does not want it. Only what is named here leaves.
fn body(event: &Event, types: &BTreeSet<String>) -> Option<String> {
    let (_, name, _) = TYPES.iter().find(|(kind, ..)| *kind == event.kind)?;
    if !types.is_empty() && !types.contains(*name) {
        return None;
    }
    let known: Map<String, Value> = serde_json::from_str(&event.payload).unwrap_or_default();
    let mut data = Map::from_iter([("id".to_owned(), Value::from(event.subject.as_str()))]);
    for (field, there) in [("contact", "contact_id"), ("conversation", "conversation_id")] {
        if let Some(value) = known.get(field) {
            data.insert(there.to_owned(), value.clone());
        }
    }
    let moved_to = known.get("new").and_then(Value::as_i64).and_then(|id| AppointmentId::try_from(id).ok());
    if let Some(id) = moved_to {
        data.insert("new_id".to_owned(), id.to_string().into());
    }
    if event.kind == pack_delivery::EVENT {
        for field in ["pack", "delivery"] {
            data.insert(field.to_owned(), known.get(field).cloned().unwrap_or_default());
        }
    }
    if let Some(number) = known.get("conflict").and_then(Value::as_i64) {
        data.insert("conflict_id".to_owned(), format!("conflict_{number}").into());
        data.insert("kind".to_owned(), known.get("kind").cloned().unwrap_or_default());
    }
    for field in ["language", "change", "why"] {
        if let Some(value) = known.get(field) {
            data.insert(field.to_owned(), value.clone());
        }
    }
    if let Some(minutes) = known.get("minutes").and_then(Value::as_i64) {
        data.insert("minutes".to_owned(), minutes.into());
    }
    // What follows the word may be anybody's.
    if let Some(reason) = known.get("reason").and_then(Value::as_str) {
        let word = reason.split(':').next().unwrap_or_default();
        data.insert("reason".to_owned(), word.into());
    }
    Some(json!({ "type": name, "timestamp": event.created_at, "data": data }).to_string())
}

fn later(at: Timestamp, by: Duration) -> Timestamp {
    SignedDuration::try_from(by).ok().and_then(|by| at.checked_add(by).ok()).unwrap_or(Timestamp::MAX)
}
