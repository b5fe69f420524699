//! What becomes of messages that we sent.

use std::time::Duration;

use balcao_channel::channels::whatsapp::price::{Category, Expected};
use balcao_channel::inbound::{DeliveryFailure, DeliveryState, Pricing, StatusUpdate};
use balcao_channel::{PaceLimit, SendClass};
use balcao_domain::outbox::{AttemptOutcome, OutboxState, after_attempt};
use balcao_store::messaging::outbox::{self, Outbox};
use balcao_store::{Tx, turns::lease};
use jiff::Timestamp;

use super::EventHandler;
use crate::context::app_context::UseCaseError;
use crate::messaging::outbound::delivery_failure;
use crate::messaging::outbound::sender;

impl EventHandler<'_> {
    /// What a message costs that the provider bills so; `None` if that is not known here.
    fn billed(&self, pricing: &Pricing) -> Option<i64> {
        if pricing.price_type.as_deref().map_or(!pricing.billable, |kind| kind.starts_with("free")) {
            return Some(0);
        }
        let category = Category::read(pricing.category.as_deref()?);
        i64::try_from(self.rates?.micros(&Expected { category, billable: true })).ok()
    }

    /// Moves the message on that a status is about. Statuses repeat, and come in any order, also before the answer to the
    /// request that sent the message.
    pub(super) fn status(&self, tx: &mut Tx<'_>, status: &StatusUpdate) -> Result<&'static str, UseCaseError> {
        let organization = self.organization();
        let account = (self.account.channel.as_str(), self.account.account.as_str());
        let found =
            outbox::find_for_status(tx, organization, account, status.correlation.as_deref(), status.message.as_str())?;
        let Some(mut message) = found else { return Ok("a status of a message that is not known here") };
        // The row describes only the last copy. A status of an earlier copy does not count, because staff had the message sent again.
        let by_us = message.provider_message.as_deref() != Some(status.message.as_str());
        if by_us && status.correlation.as_deref().is_some_and(|name| message.is_earlier_copy(name)) {
            return Ok("a status of an earlier copy of a message that was sent anew");
        }
        // What was expected of its price is one thing, what it is billed as another: only the provider knows of free entry points.
        if let Some(pricing) = &status.pricing {
            let micros = self.billed(pricing);
            outbox::learn_price(tx, organization, message.id, pricing.category.as_deref(), micros)?;
        }
        let known = message.delivery.as_deref().and_then(DeliveryState::from_word);
        let delivery = known.map_or(status.state, |known| known.merge(status.state));
        let state = moved(message.state, delivery);
        if state == OutboxState::Dead
            && message.state != OutboxState::Dead
            && let Some(failure) = &status.failure
            && self.sent_anew(tx, &message, failure, status.at.unwrap_or(self.now))?
        {
            return Ok("the message failed and is sent anew");
        }
        // The spelling that arrived is the one to send to.
        if message.respelled && !matches!(delivery, DeliveryState::Sent | DeliveryState::Failed) {
            lease::readdress(tx, organization, message.conversation, &message.recipient)?;
        }
        if state == OutboxState::Dead && message.state != OutboxState::Dead {
            let failure = status.failure.as_ref().map_or_else(|| "it failed".to_owned(), failure_text);
            sender::record_outcome_event(tx, &message, state, &failure, self.now)?;
            message.failure = Some(failure);
        } else if state == OutboxState::Sent {
            message.failure = None;
        }
        message.state = state;
        message.delivery = Some(delivery.as_str().to_owned());
        message.provider_message = Some(status.message.as_str().to_owned());
        outbox::set_delivery(tx, &message, self.now)?;
        Ok("the message's state was brought up to date")
    }
}

impl EventHandler<'_> {
    /// Acts on a later failure of a message that the provider had accepted. Returns `true` if the sender sends it again.
    fn sent_anew(
        &self,
        tx: &mut Tx<'_>,
        message: &Outbox,
        failure: &DeliveryFailure,
        at: Timestamp,
    ) -> Result<bool, UseCaseError> {
        let words = failure_text(failure);
        if failure.class == SendClass::OutsideWindow && !delivery_failure::is_template(message) {
            // The next attempt finds the window closed, and takes the template, if there is one.
            lease::close_window(tx, message.organization, message.conversation, at)?;
            return Ok(outbox::send_anew(tx, message, None, &words, self.now, self.now)?);
        }
        if delivery_failure::handle(tx, message, failure.class, &words, self.now)? {
            return Ok(true);
        }
        self.tried_again(tx, message, failure.class, &words)
    }

    /// Has a message that failed for now tried again as if its attempt had failed at once. Returns `true` if it is.
    /// Returns `false` if a later message has left, because the retry would arrive out of order (I-14); staff see the failure instead.
    fn tried_again(
        &self,
        tx: &mut Tx<'_>,
        message: &Outbox,
        class: SendClass,
        failure: &str,
    ) -> Result<bool, UseCaseError> {
        let outcome = match class {
            SendClass::Retry { after } => AttemptOutcome::Retry { after },
            SendClass::TooFast { limit: PaceLimit::Account } => AttemptOutcome::TooFast,
            SendClass::TooFast { limit: PaceLimit::Customer } => AttemptOutcome::TooManyToOne,
            // Of an account that can send nothing the next message says so, and has it wait.
            SendClass::Misconfigured | SendClass::GiveUp { .. } | SendClass::OutsideWindow | SendClass::Unknown => {
                return Ok(false);
            }
        };
        let own = message.attempts.saturating_sub(message.excused);
        let next = after_attempt(outcome, own, sender::compute_retry_jitter(message), Duration::ZERO, self.now);
        if next.state != OutboxState::Pending || outbox::is_followed(tx, message)? {
            return Ok(false);
        }
        let anew = outbox::send_anew(tx, message, None, failure, next.not_before, self.now)?;
        if anew && outcome == AttemptOutcome::TooFast {
            sender::slow_down(tx, message, self.now)?;
        }
        Ok(anew)
    }
}

/// The state of a message once the provider spoke of it: it has it, or it will not come.
const fn moved(state: OutboxState, delivery: DeliveryState) -> OutboxState {
    match (state, delivery) {
        (_, DeliveryState::Failed) => OutboxState::Dead,
        // Whatever we thought of it, even that it was never sent: it was.
        (
            OutboxState::Pending | OutboxState::Sending | OutboxState::Sent | OutboxState::Unknown | OutboxState::Dead,
            DeliveryState::Sent | DeliveryState::Delivered | DeliveryState::Read | DeliveryState::Played,
        ) => OutboxState::Sent,
    }
}

fn failure_text(failure: &DeliveryFailure) -> String {
    let detail = failure.detail.as_deref().unwrap_or("the provider gave no reason");
    match failure.code {
        Some(code) => format!("{detail} (error {code})"),
        None => detail.to_owned(),
    }
}
