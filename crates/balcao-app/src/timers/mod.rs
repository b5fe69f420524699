//! Timers: reminders, follow-ups, alerts of handoffs without a staff member, expired holds, expired waitlist offers, and visits without a
//! mark.
//!
//! Invariant (I-18): a timer fires once. The transaction that writes its consequence also takes its row out of the state `open`, so only
//! one of several replicas finds the row open. This transaction checks whether the timer should still fire, and the sender checks it once
//! more when the message leaves ([`crate::messaging::outbound::sender`]). If a timer is skipped, an event shows staff the reason.

mod follow_ups;
mod handoffs;
mod reminders;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use balcao_channel::Channel;
use balcao_domain::{ContactId, OrganizationId};
use balcao_store::messaging::conversation;
use balcao_store::{Tx, crm::organization, messaging::choice, turns::event};
use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::message_templates::{Purpose, TemplateVariables};
use crate::messaging::outbound::reach::{Place, find_place, is_window_open};
use crate::messaging::outbound::send_policy::SendPolicy;
use crate::scheduling::booking::Booking;
use crate::scheduling::visits::Visits;
use crate::scheduling::waitlist::Waitlist;
use crate::turns::TurnRunner;

/// Why nothing goes out to a contact without a conversation.
const NO_CHANNEL: &str = "no channel reaches the customer";

/// What is kept back at the end of a channel's window, as the sender does.
const MARGIN: Duration = Duration::from_mins(2);

/// How timers fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimerSettings {
    /// Contacts get no proactive message from this local time on…
    pub quiet_from: Time,
    /// …until this one.
    pub quiet_until: Time,
    /// A reminder that is later than this is dropped (F-141).
    pub late_reminder: Duration,
    /// A follow-up that is later than this is dropped.
    pub late_follow_up: Duration,
    /// Unasked-for messages of one kind that a conversation gets in a day.
    pub most_a_day: u32,
    /// Timers that are looked at together.
    pub at_once: u32,
    /// How often the database is looked at.
    pub poll: Duration,
}

impl Default for TimerSettings {
    fn default() -> Self {
        Self {
            quiet_from: Time::constant(21, 0, 0, 0),
            quiet_until: Time::constant(8, 0, 0, 0),
            late_reminder: Duration::from_mins(30),
            late_follow_up: Duration::from_hours(12),
            most_a_day: 4,
            at_once: 20,
            poll: Duration::from_secs(5),
        }
    }
}

/// Fires what is due.
#[derive(Debug)]
pub struct Timers {
    runner: Arc<TurnRunner>,
    profile: String,
    /// How long the window of each channel's account is; `None`: it has none.
    windows: Arc<BTreeMap<(String, String), Option<Duration>>>,
    terms: Arc<SendPolicy>,
    settings: TimerSettings,
    /// Tells that something is to be sent.
    outgoing: Arc<Notify>,
}

/// Whether a timer may fire now.
enum May {
    Fire(Box<Place>),
    /// Nothing speaks against it, but the contact has no conversation that a channel carries.
    Begin,
    /// Not before.
    Later(Timestamp),
    /// It never should, for this reason.
    Skip(&'static str),
}

impl Timers {
    /// Timers of what this front desk keeps. Follow-ups are written by the profile's model; `terms` has the templates for
    /// customers whose window is closed.
    #[must_use]
    pub fn new(
        runner: Arc<TurnRunner>,
        profile: impl Into<String>,
        channels: impl IntoIterator<Item = Arc<dyn Channel>>,
        terms: SendPolicy,
        settings: TimerSettings,
        outgoing: Arc<Notify>,
    ) -> Self {
        let window = |one: Arc<dyn Channel>| {
            ((one.kind().to_owned(), one.account().as_str().to_owned()), one.capabilities().window)
        };
        let windows = Arc::new(channels.into_iter().map(window).collect());
        Self { runner, profile: profile.into(), windows, terms: Arc::new(terms), settings, outgoing }
    }

    /// Fires due timers until `stop` is cancelled.
    pub async fn run(&self, stop: CancellationToken) {
        while !stop.is_cancelled() {
            if let Err(error) = self.work_off().await {
                tracing::error!(%error, "timers cannot be read");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(self.settings.poll) => {}
            }
        }
    }

    /// Fires what is due now; gives how many timers came to an end. A kind of them that fails holds up no other.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed for one of them; everything else was done.
    pub async fn work_off(&self) -> Result<usize, UseCaseError> {
        let mut ended = 0;
        let mut failed = None;
        loop {
            let mut fired = 0;
            for kind in [self.remind().await, self.follow_up().await, self.escalate().await] {
                match kind {
                    Ok(of_kind) => fired += of_kind,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
            if fired == 0 {
                break;
            }
            ended += fired;
        }
        let passed_on = self.pass_on().await;
        if ended > 0 {
            self.outgoing.notify_one();
        }
        failed.or(passed_on.err()).map_or(Ok(ended), Err)
    }

    /// Slots that were held and not confirmed, or offered and not taken, go to who waits next; staff are asked about visits that
    /// are unmarked; choices that count no longer are forgotten.
    async fn pass_on(&self) -> Result<(), UseCaseError> {
        let app = self.runner.app();
        let all = app.look(|tx, _now| Ok(organization::list(tx)?)).await?;
        let served = app.store.served();
        for one in all.into_iter().filter(|one| served.is_none_or(|served| served == one.id)) {
            let expired = Booking::new(app.clone()).expire_pending(one.id).await;
            let offered = Waitlist::new(app.clone()).pass_on(one.id).await;
            for passed in [expired, offered, Visits::new(app.clone()).review_unmarked(one.id).await] {
                match passed {
                    Ok(passed) if passed > 0 => self.outgoing.notify_one(),
                    Ok(_) => {}
                    // What is wrong with one business must not hold up the others.
                    Err(error) => {
                        tracing::error!(organization = %one.id, %error, "held slots or visits without a mark cannot be worked off")
                    }
                }
            }
        }
        let long_ago = app.clock.now().checked_sub(SignedDuration::from_hours(24 * 30)).unwrap_or(Timestamp::MIN);
        app.store.write(move |tx| Ok(choice::sweep(tx, long_ago)?)).await.map(|_swept: usize| ())
    }
}

/// Whether an unasked-for message for a contact may leave now, and where it goes.
fn may_fire(
    tx: &mut Tx<'_>,
    settings: &TimerSettings,
    organization: OrganizationId,
    zone: &TimeZone,
    contact: ContactId,
    kind: &str,
    now: Timestamp,
) -> Result<May, UseCaseError> {
    if conversation::opted_out(tx, organization, contact)? {
        return Ok(May::Skip("the customer wants no such messages"));
    }
    let place = find_place(tx, organization, contact)?;
    if place.as_ref().is_some_and(|place| place.conversation.state.is_with_staff()) {
        return Ok(May::Skip("a person has the conversation"));
    }
    if let Some(until) = quiet_until(settings, zone, now) {
        return Ok(May::Later(until));
    }
    let Some(place) = place else { return Ok(May::Begin) };
    let day_ago = now.checked_sub(SignedDuration::from_hours(24)).unwrap_or(now);
    let sent = balcao_store::messaging::outbox::count_of_kind(tx, organization, place.conversation.id, kind, day_ago)?;
    if sent >= settings.most_a_day {
        return Ok(May::Skip("the customer got enough such messages today"));
    }
    Ok(May::Fire(Box::new(place)))
}

/// When quiet hours end, if it is in them.
fn quiet_until(settings: &TimerSettings, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let local = zone.to_datetime(now);
    let (from, until, time) = (settings.quiet_from, settings.quiet_until, local.time());
    let quiet = if from <= until { from <= time && time < until } else { from <= time || time < until };
    if !quiet {
        return None;
    }
    let day = if time < until { local.date() } else { local.date().checked_add(1.day()).ok()? };
    zone.to_timestamp(day.to_datetime(until)).ok().filter(|end| *end > now)
}

/// Whether anything may be sent there now, or a template at least.
fn reaches(
    windows: &BTreeMap<(String, String), Option<Duration>>,
    terms: &SendPolicy,
    place: &Place,
    purpose: Purpose,
    facts: &TemplateVariables,
    now: Timestamp,
) -> bool {
    let window = windows.get(&(place.conversation.channel.clone(), place.route.account.clone())).copied().flatten();
    let Some(window) = window else { return true };
    let open = is_window_open(&place.route, window, MARGIN, now);
    open || terms.template(purpose, facts).is_some()
}

/// Tells staff why a timer was skipped.
fn tell_skipped(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: &str,
    subject: &str,
    why: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    tracing::info!(kind, subject, why, "a timer was skipped");
    event::push(tx, organization, kind, subject, &json!({ "reason": why }).to_string(), now)?;
    Ok(())
}

#[cfg(test)]
#[path = "timers_tests.rs"]
mod tests;
