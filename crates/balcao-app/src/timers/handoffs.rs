//! Escalates handoffs that no staff member takes (F-153): staff get another alert after five minutes, the customer a message after a
//! quarter of an hour, and the person who runs the business an alert after an hour. No handoff closes without a message.

use std::convert::Infallible;

use balcao_agent::notice::notices;
use balcao_store::messaging::handoff::{self, Untaken};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::{Tx, messaging::conversation, turns::event, turns::lease};
use balcao_tool::Locale;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::Timers;
use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};

/// The age of a handoff at each alert, in minutes.
const AFTER_MIN: [i64; 3] = [5, 15, 60];
/// How many alerts precede the one at which the customer gets a message, too.
const CUSTOMER: u32 = 1;

impl Timers {
    /// Sends the alerts of handoffs that no staff member takes; returns how many handoffs got one.
    pub(super) async fn escalate(&self) -> Result<usize, UseCaseError> {
        let app = self.runner.app();
        let (now, limit) = (app.clock.now(), self.settings.at_once);
        let work = move |tx: &mut Tx<'_>| {
            let mut told = 0;
            for one in handoff::untaken(tx, AFTER_MIN.map(SignedDuration::from_mins), now, limit)? {
                match tx.savepoint(|tx| raise_alert(tx, &one, now).map(Ok::<_, Infallible>)) {
                    Ok(Ok(())) => told += 1,
                    Err(error) => {
                        tracing::error!(conversation = %one.conversation, %error, "nobody could be told that it waits");
                        handoff::count_alert(tx, &one)?;
                    }
                }
            }
            Ok(told)
        };
        app.store.write(work).await
    }
}

fn raise_alert(tx: &mut Tx<'_>, one: &Untaken, now: Timestamp) -> Result<(), UseCaseError> {
    if !handoff::count_alert(tx, one)? {
        return Ok(());
    }
    let minutes = usize::try_from(one.told).ok().and_then(|told| AFTER_MIN.get(told).copied()).unwrap_or_default();
    tracing::warn!(conversation = %one.conversation, minutes, "a conversation waits for a person");
    let payload = json!({ "minutes": minutes }).to_string();
    event::push(tx, one.organization, "handoff_untaken", &one.conversation.to_string(), &payload, now)?;
    if one.told == CUSTOMER { tell_customer(tx, one, now) } else { Ok(()) }
}

fn tell_customer(tx: &mut Tx<'_>, one: &Untaken, now: Timestamp) -> Result<(), UseCaseError> {
    // A channel that nothing can be sent by: they read it where they write, or not at all.
    if lease::route(tx, one.organization, one.conversation)?.is_none() {
        return Ok(());
    }
    let (organization, _zone) = organization(tx, one.organization)?;
    let found = conversation::get(tx, organization.id, one.conversation)?;
    let locale = Locale::closest_to_tag(&organization.locale);
    let text = &notices(locale).nobody_yet;
    let conversation = found.id;
    let new = NewMessage { conversation, turn: None, author: Author::System, text, subject: Some(text) };
    let message = message::insert(tx, organization.id, &new, now)?;
    let outgoing = OutgoingMessage {
        conversation,
        channel: &found.channel,
        turn: None,
        message: Some(message),
        kind: "waiting",
        name: &format!("handoff/{}", one.id),
        text,
        file: None,
        choices: None,
        about: None,
        fallback: None,
    };
    enqueue::enqueue(tx, organization.id, &outgoing, now)
}
