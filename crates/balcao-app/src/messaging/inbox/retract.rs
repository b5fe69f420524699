//! A customer takes a message back that was read already: its words go from wherever staff or later turns would read them.
//!
//! Not here: what was made of them. A reply that repeats them was sent, and a note or a summary is the business's own.

use balcao_domain::{OrganizationId, TurnId};
use balcao_store::messaging::inbox::{self, InboxRow};
use balcao_store::{Tx, crm::organization, messaging::attachment, messaging::message, turns::turn};
use serde_json::Value;

use super::message_text;
use crate::context::app_context::UseCaseError;

/// Words that long are found also within others; shorter ones only where they stand alone.
const TELLING_CHARS: usize = 12;

/// Forgets what a message said.
pub(super) fn retract(tx: &mut Tx<'_>, organization: OrganizationId, row: &InboxRow) -> Result<(), UseCaseError> {
    let instead = message_text::retracted(&organization::get(tx, organization)?.locale);
    inbox::retract(tx, organization, row.id, &instead)?;
    attachment::forget(tx, organization, row.id)?;
    if let Some(conversation) = row.conversation {
        message::retract(tx, organization, conversation, row.turn, &row.text, &instead)?;
    }
    if let Some(turn) = row.turn {
        forget_in(tx, organization, turn, &row.text, &instead)?;
    }
    Ok(())
}

/// Forgets in a turn that closes what was taken back while it ran: it was opened with the words.
pub(crate) fn forget_late(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    turn: TurnId,
    read: &str,
) -> Result<(), UseCaseError> {
    let instead = message_text::retracted(&organization::get(tx, organization)?.locale);
    let rows = inbox::of_turn(tx, organization, turn)?;
    if rows.iter().all(|row| row.text != instead) || read.contains(&instead) {
        return Ok(());
    }
    let left: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    Ok(turn::rewrite(tx, organization, turn, |json| without(json, read, &left.join("\n")))?)
}

fn forget_in(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    turn: TurnId,
    text: &str,
    instead: &str,
) -> Result<(), UseCaseError> {
    let Some(machine) = turn::record(tx, organization, turn)? else { return Ok(()) };
    let machine: Value = serde_json::from_str(&machine).unwrap_or_default();
    let read = machine.get("inbound").and_then(Value::as_str).unwrap_or(text);
    let left = format!("\n{read}\n").replacen(&format!("\n{text}\n"), &format!("\n{instead}\n"), 1);
    let left = left.trim_matches('\n');
    let rewritten = |json: &str| without(&without(json, read, left), text, instead);
    Ok(turn::rewrite(tx, organization, turn, rewritten)?)
}

/// A record in which every text that is `read`, or holds it, says `left` there.
fn without(json: &str, read: &str, left: &str) -> String {
    let Ok(mut record) = serde_json::from_str::<Value>(json) else { return String::new() };
    replace(&mut record, read, left);
    record.to_string()
}

fn replace(value: &mut Value, read: &str, left: &str) {
    match value {
        Value::String(text) if text == read => left.clone_into(text),
        Value::String(text) if read.chars().count() >= TELLING_CHARS && text.contains(read) => {
            *text = text.replace(read, left);
        }
        Value::Array(all) => all.iter_mut().for_each(|one| replace(one, read, left)),
        Value::Object(all) => all.values_mut().for_each(|one| replace(one, read, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
#[path = "retract_tests.rs"]
mod tests;
