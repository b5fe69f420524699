//! O-5: what is on record was done, what was done is on record, and turns say what is so.

use std::collections::BTreeSet;

use balcao_store::{StoreError, Tx};
use serde_json::Value;

use super::{Finding, Turn};
use crate::model::{FOLLOW_UP_HINT, SECRET};

/// The tool that moves an appointment.
const MOVE: &str = "reschedule_appointment";

/// A tool whose every success leaves one row, and the rows that nothing else writes.
struct Leaves {
    tool: &'static str,
    /// A field of its answer that says that the row was there before.
    unless: Option<&'static str>,
    rows: String,
}

fn kinds() -> [Leaves; 5] {
    let in_place = "EXISTS (SELECT 1 FROM appointment o WHERE o.moved_to = a.id)";
    let of = |tool, unless, rows: &str| Leaves { tool, unless, rows: format!("SELECT count(*) FROM {rows}") };
    [
        of(SECRET, Some("already_booked"), &format!("appointment a WHERE source = 'agent' AND NOT {in_place}")),
        of(MOVE, None, &format!("appointment a WHERE source = 'agent' AND {in_place}")),
        of("join_waitlist", Some("already_waiting"), "waitlist"),
        of("add_internal_note", None, "note WHERE content LIKE 'pediu %'"),
        of("schedule_followup", None, &format!("follow_up WHERE hint LIKE '{FOLLOW_UP_HINT}%'")),
    ]
}

/// Holds the records of effects against the rows, and the turns against both.
pub(super) fn are_true(tx: &mut Tx<'_>, turns: &[Turn], found: &mut Vec<Finding>) -> Result<(), StoreError> {
    for kind in kinds() {
        let rows: i64 = tx.query_one(&kind.rows, &[], |row| row.get(0))?;
        let recorded = successes(tx, &kind)?;
        if rows != i64::try_from(recorded).unwrap_or(i64::MAX) {
            found.push(format!("O-5: {} left {rows} rows, and {recorded} are on record", kind.tool));
        }
    }
    bookings_are_told(tx, turns, found)
}

/// How many calls of a tool are on record as done, without those that found it done.
fn successes(tx: &mut Tx<'_>, kind: &Leaves) -> Result<usize, StoreError> {
    let sql = "SELECT result FROM effect_ledger WHERE tool = ?1";
    let results: Vec<String> = tx.query_all(sql, &[kind.tool.into()], |row| row.get(0))?;
    let is_new = |result: &String| {
        let result: Value = serde_json::from_str(result).unwrap_or_default();
        let done = result.get("Ok")?;
        let was_there = kind.unless.and_then(|field| done.get(field)) == Some(&Value::Bool(true));
        (!was_there).then_some(())
    };
    Ok(results.iter().filter_map(is_new).count())
}

/// What a turn says that it booked is booked, and what is booked a turn says, or says that it does not know.
fn bookings_are_told(tx: &mut Tx<'_>, turns: &[Turn], found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let booked: Vec<(i64, String)> =
        tx.query_all("SELECT id, source FROM appointment ORDER BY id", &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let calls = || turns.iter().flat_map(|turn| &turn.calls);
    let told: BTreeSet<i64> = calls().filter_map(|call| call.appointment).collect();
    let unsure = calls().filter(|call| [SECRET, MOVE].contains(&call.tool.as_str()) && call.uncertain).count();
    let is_booked = |id: &i64| booked.iter().any(|(one, _)| one == id);
    found.extend(told.iter().filter(|id| !is_booked(id)).map(|id| format!("O-5: {id} was told and is not booked")));
    let by_agent = booked.iter().filter(|(_, source)| source == "agent").map(|(id, _)| id);
    let untold: Vec<&i64> = by_agent.filter(|id| !told.contains(id)).collect();
    if untold.len() > unsure {
        found.push(format!("O-5: {untold:?} are booked and were not told; {unsure} bookings were said to be unknown"));
    }
    Ok(())
}
