//! What is done about a message that certainly did not arrive, beside telling staff: the same whether the provider says so at
//! once or by a status later.

use balcao_channel::channels::whatsapp::identity;
use balcao_channel::outbound::OutboundContent;
use balcao_channel::{Capabilities, GiveUpReason, Outbound, Recipient, SendClass};
use balcao_store::messaging::outbox::{self, Outbox};
use balcao_store::{Tx, messaging::conversation};
use jiff::Timestamp;

use crate::context::app_context::UseCaseError;

/// Acts on a failure. Returns `true` if the sender sends the message again, so that it does not become a dead letter yet. The caller
/// handles a message that the closed window kept back: at once there is a template, later only the next attempt knows it.
pub(crate) fn handle(
    tx: &mut Tx<'_>,
    message: &Outbox,
    class: SendClass,
    failure: &str,
    now: Timestamp,
) -> Result<bool, UseCaseError> {
    let SendClass::GiveUp { reason } = class else { return Ok(false) };
    match reason {
        GiveUpReason::OptedOut => {
            conversation::opt_out(tx, message.organization, message.conversation, now)?;
            Ok(false)
        }
        GiveUpReason::Unreachable => match other_recipient(message) {
            Some(other) => Ok(outbox::send_anew(tx, message, Some(&other), failure, now, now)?),
            None => Ok(false),
        },
        // What the provider does not take with its buttons may be said without them.
        GiveUpReason::Rejected => match rejection_text(message) {
            Some(words) if outbox::send_anew(tx, message, None, failure, now, now)? => {
                outbox::reword(tx, message, &words)?;
                Ok(true)
            }
            Some(_) | None => Ok(false),
        },
        GiveUpReason::Capped
        | GiveUpReason::NeedsNumber
        | GiveUpReason::Template
        | GiveUpReason::Media
        | GiveUpReason::IdentityChanged => Ok(false),
    }
}

/// The words of a message with buttons, a list or a question that has one of its own; `None` of every other.
fn rejection_text(message: &Outbox) -> Option<String> {
    let body: Outbound = serde_json::from_str(&message.body).ok()?;
    let plain = body.adapted_to(&Capabilities::NONE);
    if plain == body { None } else { serde_json::to_string(&plain).ok() }
}

/// The other spelling of the customer's number, once.
fn other_recipient(message: &Outbox) -> Option<String> {
    if message.respelled {
        return None;
    }
    let Ok(Recipient::Number(number)) = serde_json::from_str(&message.recipient) else { return None };
    let other = identity::other_spelling(&number)?;
    serde_json::to_string(&Recipient::Number(other)).ok()
}

/// Whether a message is a template: outside of the window there is nothing else to try.
pub(crate) fn is_template(message: &Outbox) -> bool {
    let body = serde_json::from_str::<Outbound>(&message.body);
    body.is_ok_and(|body| matches!(body.content(), OutboundContent::Template(_)))
}
