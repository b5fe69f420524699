//! Nobody takes a handoff (F-153): staff are told again after five minutes, the customer after a quarter of an hour, and
//! whoever runs the business after an hour. Nothing is closed without a word.

use std::convert::Infallible;

use balcao_agent::notice::notices;
use balcao_language::format;
use balcao_store::messaging::handoff::{self, Untaken};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::{Tx, messaging::conversation, turns::event, turns::lease};
use balcao_tool::Locale;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::Timers;
use crate::context::app_context::{UseCaseError, organization};
use crate::messaging::outbound::enqueue::{self, OutgoingMessage};

/// After so many minutes it is told, each time once more.
const AFTER_MIN: [i64; 3] = [5, 15, 60];
/// How often it was told before the time at which the customer is told, too.
const CUSTOMER: u32 = 1;

impl Timers {
    /// Tells of handoffs that nobody takes; gives how many were told of.
    pub(super) async fn escalate(&self) -> Result<usize, UseCaseError> {
        let desk = self.front.desk();
        let (now, limit) = (desk.clock.now(), self.settings.at_once);
        let work = move |tx: &mut Tx<'_>| {
            let mut told = 0;
            for one in handoff::untaken(tx, AFTER_MIN.map(SignedDuration::from_mins), now, limit)? {
                match tx.savepoint(|tx| tell(tx, &one, now).map(Ok::<_, Infallible>)) {
                    Ok(Ok(())) => told += 1,
                    Err(error) => {
                        tracing::error!(conversation = %one.conversation, %error, "nobody could be told that it waits");
                        handoff::tell(tx, &one)?;
                    }
                }
            }
            Ok(told)
        };
        desk.store.write(work).await
    }
}

fn tell(tx: &mut Tx<'_>, one: &Untaken, now: Timestamp) -> Result<(), UseCaseError> {
    if !handoff::tell(tx, one)? {
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
    let locale = format::Locale::of(&organization.locale);
    let text = &notices(if locale == format::Locale::En { Locale::En } else { Locale::PtBr }).nobody_yet;
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
