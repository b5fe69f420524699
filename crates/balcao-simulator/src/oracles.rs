//! What must be true at the end of every run.
//!
//! The oracles read the tables and what the outside saw, not the program's own opinion.

pub(crate) mod agenda;
mod business;
pub(crate) mod closings;
pub(crate) mod entries;
pub(crate) mod leases;
pub(crate) mod moves;
mod records;
mod subscriptions;
pub(crate) mod timers;
mod visits;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use balcao_agent::limits::{MAX_MODEL_CALLS, MAX_TOOL_CALLS};
use balcao_app::messaging::outbound::sender::SenderSettings;
use balcao_domain::Phone;
use balcao_store::{InlineDatabase, StoreError, Tx};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::businesses::Tenant;
use crate::model::{SECRET, canary};
use crate::observations::{Outside, Sent};
use crate::world::World;

/// So long a request may be under way before the provider has it.
const IN_FLIGHT: Duration = Duration::from_secs(30);

/// What an oracle found: its name and what is wrong.
pub(crate) type Finding = String;

/// A turn's record.
struct Turn {
    calls: Vec<Call>,
}

/// A call of a turn's record.
struct Call {
    tool: String,
    key: Option<String>,
    uncertain: bool,
    appointment: Option<i64>,
}

/// Checks a run that is over.
///
/// # Errors
/// What the database said.
pub(crate) fn judge_run(
    world: &World,
    database: &InlineDatabase,
    tenants: &[Tenant],
) -> Result<Vec<Finding>, StoreError> {
    let outside = world.outside();
    database.look(|tx| {
        let turns = turns(tx)?;
        let mut found = Vec::new();
        inbound_is_kept(tx, &outside, &mut found)?;
        replies_are_single(tx, &outside, &mut found)?;
        effects_are_single(tx, &outside, &turns, &mut found)?;
        agenda::is_sound(tx, &outside, world.now(), &mut found)?;
        visits::end_once(tx, tenants, world.now(), &mut found)?;
        subscriptions::are_sound(tx, &mut found)?;
        business::plans_are_kept(tx, tenants, &outside, &mut found)?;
        entries::stand_as_edited(tx, tenants, &outside, &mut found)?;
        closings::show_what_they_hit(tx, tenants, &outside, &mut found)?;
        moves::keep_what_was_booked(tx, &mut found)?;
        records::are_true(tx, &turns, &mut found)?;
        leases::fence(&outside, &mut found);
        leases::are_waited_for(tx, world, &mut found)?;
        customers_stay_themselves(tx, &outside, tenants, &mut found)?;
        order_is_kept(tx, &outside, &mut found)?;
        tenants_are_apart(tx, &outside, tenants, &mut found)?;
        words_are_clean(&outside, &mut found);
        people_are_left_alone(tx, &outside, tenants, world.most_skew_ms(), &mut found)?;
        budgets_are_kept(tx, &mut found)?;
        timers::fire_once(tx, &outside, world.plan.faults.skew_ms, &mut found)?;
        Ok(found)
    })
}

/// What is still waiting, in words; `None` if nothing is.
///
/// # Errors
/// What the database said.
pub(crate) fn waiting(database: &InlineDatabase, now: Timestamp) -> Result<Option<String>, StoreError> {
    let count = |tx: &mut Tx<'_>, sql: &str| tx.query_one(sql, &[], |row| row.get::<i64>(0));
    database.look(|tx| {
        let inbox = count(tx, "SELECT count(*) FROM inbox WHERE state IN ('new', 'assigned')")?;
        let turns = count(tx, "SELECT count(*) FROM turn WHERE state = 'open'")?;
        let outbox = count(tx, "SELECT count(*) FROM outbox WHERE state IN ('pending', 'sending')")?;
        let leases = count(tx, "SELECT count(*) FROM dispatch WHERE owner IS NOT NULL")?;
        let timers = timers::due(tx, now)?;
        let any = inbox + turns + outbox + leases + timers > 0;
        let words =
            || format!("{inbox} inbox rows, {turns} turns, {outbox} messages, {leases} leases, {timers} timers");
        Ok(any.then(words))
    })
}

/// Whether a process works, or has work that it may do now: a message to send, a conversation or a timer that is due. Work that waits for
/// a later instant does not count.
///
/// # Errors
/// What the database said.
pub(crate) fn is_anything_due(database: &InlineDatabase, now: Timestamp) -> Result<bool, StoreError> {
    database.look(|tx| {
        let sql = "SELECT (SELECT count(*) FROM dispatch d WHERE d.owner IS NOT NULL
                           OR (d.ripe_at <= ?1 AND (d.not_before IS NULL OR d.not_before <= ?1)))
                        + (SELECT count(*) FROM outbox o WHERE o.state = 'sending' OR (o.state = 'pending' AND o.not_before <= ?1
                           AND NOT EXISTS (SELECT 1 FROM outbox before WHERE before.conversation_id = o.conversation_id
                                           AND before.seq < o.seq AND (before.state = 'pending'
                                                OR (before.state = 'unknown' AND before.not_before > ?1)))
                           AND NOT EXISTS (SELECT 1 FROM pause p WHERE p.organization_id = o.organization_id
                                           AND p.channel = o.channel AND p.account = o.account AND p.until > ?1)
                           AND NOT EXISTS (SELECT 1 FROM throttle t WHERE t.organization_id = o.organization_id
                                           AND t.channel = o.channel AND t.account = o.account AND t.until > ?1)))";
        let due = tx.query_one(sql, &[now.into()], |row| row.get::<i64>(0))? + timers::due(tx, now)?;
        Ok(due > 0)
    })
}

/// O-1: what was acknowledged is stored, once, and came to an end; what counts as answered has an answer on its way.
fn inbound_is_kept(tx: &mut Tx<'_>, outside: &Outside, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let rows: Vec<(String, String, bool)> = tx.query_all(
        "SELECT provider_message, state, EXISTS (SELECT 1 FROM outbox o WHERE o.turn_id = i.turn_id)
         FROM inbox i WHERE kind = 'message' AND provider_message IS NOT NULL",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let mut ends: BTreeMap<String, Vec<(String, bool)>> = BTreeMap::new();
    for (id, state, answer) in rows {
        ends.entry(id).or_default().push((state, answer));
    }
    for (id, written) in &outside.written {
        match ends.get(id).map(Vec::as_slice) {
            None if written.acknowledged => found.push(format!("O-1: {id} was acknowledged and is not stored")),
            None => {}
            Some([(state, false)]) if state == "answered" => {
                found.push(format!("O-1: {id} counts as answered, and nothing was written to its customer"));
            }
            Some([(state, _)]) if matches!(state.as_str(), "answered" | "handed_off" | "ignored") => {}
            Some(ends) => {
                found.push(format!("O-1: {id} ended as {:?}", ends.iter().map(|(state, _)| state).collect::<Vec<_>>()))
            }
        }
    }
    Ok(())
}

/// O-2: one set of messages per turn that answers, and none reached the customer twice.
fn replies_are_single(tx: &mut Tx<'_>, outside: &Outside, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let rows: Vec<(i64, String, i64, i64)> = tx.query_all(
        "SELECT t.id, t.outcome, (SELECT count(*) FROM outbox o WHERE o.turn_id = t.id),
                (SELECT count(*) FROM message m WHERE m.turn_id = t.id AND m.author IN ('agent', 'draft'))
         FROM turn t WHERE t.state = 'closed'",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
    )?;
    for (turn, outcome, outgoing, said) in rows {
        let speaks = outcome != "silence";
        if speaks != (outgoing == 1) || said > 1 {
            found.push(format!("O-2: turn {turn} ended as {outcome} with {outgoing} messages, {said} in its thread"));
        }
    }
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for sent in &outside.sent {
        *times.entry(&sent.correlation).or_default() += 1;
    }
    found.extend(times.iter().filter(|(_, times)| **times > 1).map(|(id, n)| format!("O-2: {id} was sent {n} times")));
    let unsent: Vec<String> =
        tx.query_all("SELECT correlation FROM outbox WHERE state = 'sent' ORDER BY id", &[], |row| row.get(0))?;
    let lost = unsent.into_iter().filter(|id| !times.contains_key(id.as_str()));
    found.extend(lost.map(|id| format!("O-2: {id} counts as sent and was not")));
    Ok(())
}

/// O-3: at most one effect per key, and none that no record knows.
fn effects_are_single(
    tx: &mut Tx<'_>,
    outside: &Outside,
    turns: &[Turn],
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let known: BTreeSet<&str> =
        turns.iter().flat_map(|turn| &turn.calls).filter_map(|call| call.key.as_deref()).collect();
    for ((system, key), times) in &outside.effects {
        if times.len() > 1 {
            found.push(format!("O-3: {system} did {key} {} times", times.len()));
        }
        if !known.contains(key.as_str()) {
            found.push(format!("O-3: {system} did {key}, and no turn has it on record"));
        }
    }
    let recorded: Vec<(String, String)> = tx.query_all(
        "SELECT key, tool FROM effect_ledger WHERE turn IS NOT NULL AND key NOT LIKE 'after/%'",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let strange = recorded.into_iter().filter(|(key, _)| !known.contains(key.as_str()));
    found.extend(strange.map(|(key, tool)| format!("O-3: {tool} ran under {key}, and no turn has it on record")));
    Ok(())
}

/// Our name of a message's first copy, and whether this is a later one.
fn first_copy(correlation: &str) -> (&str, bool) {
    correlation.split_once('~').map_or((correlation, false), |(first, _)| (first, true))
}

/// F-28: whoever is renamed stays one contact, who is known by their latest id.
fn customers_stay_themselves(
    tx: &mut Tx<'_>,
    outside: &Outside,
    tenants: &[Tenant],
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    for ((account, number), user) in &outside.users {
        let Some(tenant) = tenants.iter().find(|tenant| tenant.account == *account) else { continue };
        let Ok(phone) = Phone::parse(number) else { continue };
        let known: Vec<Option<String>> = tx.query_all(
            "SELECT channel_user FROM contact WHERE organization_id = ?1 AND (phone_identity = ?2 OR channel_user = ?3)",
            &[i64::from(tenant.organization).into(), phone.identity().as_str().into(), user.as_str().into()],
            |row| row.get(0),
        )?;
        if known != [Some(user.clone())] {
            found.push(format!("F-28: {number} is {user}, and the contacts of that number and id are {known:?}"));
        }
    }
    Ok(())
}

/// O-7: parts of a conversation reach the customer in their order.
fn order_is_kept(tx: &mut Tx<'_>, outside: &Outside, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let rows: Vec<(String, i64, i64)> =
        tx.query_all("SELECT correlation, conversation_id, seq FROM outbox", &[], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    // What did not arrive is sent anew, after what came behind it: its place is that of its first copy.
    let place: BTreeMap<&str, (i64, i64)> = rows.iter().map(|(id, of, seq)| (id.as_str(), (*of, *seq))).collect();
    let mut last: BTreeMap<i64, i64> = BTreeMap::new();
    // Whoever freezes with the request in hand and wakes when it counts as unknown sends it late: nobody can call it back.
    let lease = SenderSettings::default().lease;
    for Sent { correlation, .. } in outside.sent.iter().filter(|sent| sent.late_by < lease) {
        let (first, copy) = first_copy(correlation);
        if copy && place.contains_key(first) {
            continue;
        }
        let Some((conversation, seq)) = place.get(correlation.as_str()) else {
            found.push(format!("O-3: {correlation} was sent, and the outbox does not know it"));
            continue;
        };
        let before = last.entry(*conversation).or_default();
        if *seq < *before {
            found.push(format!("O-7: {correlation} came after a later message of conversation {conversation}"));
        }
        *before = (*before).max(*seq);
    }
    Ok(())
}

/// O-9: nothing of one tenant is in another's rows or prompts, or went out by another's account.
fn tenants_are_apart(
    tx: &mut Tx<'_>,
    outside: &Outside,
    tenants: &[Tenant],
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    found.extend(outside.crossings.iter().map(|what| format!("O-9: {what}")));
    for (place, tenant) in tenants.iter().enumerate() {
        let texts: Vec<String> = tx.query_all(
            "SELECT text FROM message WHERE organization_id = ?1 UNION ALL
             SELECT content FROM note WHERE organization_id = ?1 UNION ALL
             SELECT COALESCE(text, '') || COALESCE(payload, '') FROM inbox WHERE organization_id = ?1 UNION ALL
             SELECT COALESCE(machine, '') || COALESCE(transcript, '') FROM turn WHERE organization_id = ?1",
            &[i64::from(tenant.organization).into()],
            |row| row.get(0),
        )?;
        let foreign = (0..tenants.len()).filter(|other| *other != place).map(canary);
        for word in foreign {
            let many = texts.iter().filter(|text| text.contains(word)).count();
            if many > 0 {
                found.push(format!("O-9: {many} rows of {} hold {word}", tenant.account));
            }
        }
    }
    let by_wrong = outside.sent.iter().filter(|sent| {
        let owner = tenants.iter().find(|tenant| tenant.account == sent.account);
        !owner.is_some_and(|owner| sent.correlation.starts_with(&format!("{}:", owner.organization)))
    });
    found.extend(by_wrong.map(|sent| format!("O-9: {} went out by {}", sent.correlation, sent.account)));
    Ok(())
}

/// O-10: nothing of our insides reached a customer.
fn words_are_clean(outside: &Outside, found: &mut Vec<Finding>) {
    let marks = [SECRET, "<think>", "{\"", "push_crm", "open_task", "send_sms", "drop_database"];
    for sent in &outside.sent {
        if let Some(mark) = marks.iter().find(|mark| sent.text.contains(**mark)) {
            found.push(format!("O-10: a customer read `{mark}` in {:?}", sent.text));
        }
    }
}

/// O-13: no reply of the agent is written for a conversation that a person has, and none leaves that was not being sent already.
fn people_are_left_alone(
    tx: &mut Tx<'_>,
    outside: &Outside,
    tenants: &[Tenant],
    most_skew_ms: i64,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let tolerance = SignedDuration::from_millis(2 * most_skew_ms + 100);
    for human in &outside.human {
        let Some(tenant) = tenants.iter().find(|tenant| tenant.account == human.account) else { continue };
        let Ok(phone) = Phone::parse(&human.number) else { continue };
        let written: Vec<(String, i64)> = tx.query_all(
            "SELECT o.correlation, o.id FROM outbox o JOIN conversation c ON c.id = o.conversation_id
             JOIN contact k ON k.id = c.contact_id
             WHERE o.organization_id = ?1 AND k.phone_identity = ?2 AND o.kind = 'reply'",
            &[i64::from(tenant.organization).into(), phone.identity().as_str().into()],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let from = human.from.checked_add(tolerance).unwrap_or(Timestamp::MAX);
        let until = human.until.and_then(|until| until.checked_sub(tolerance).ok()).unwrap_or(Timestamp::MAX);
        let replies: BTreeSet<String> = written.iter().map(|(id, _)| id.clone()).collect();
        let (first, last) = (human.rows.0, human.rows.1.unwrap_or(i64::MAX));
        let spoken = written.into_iter().filter(|(_, row)| *row > first && *row <= last);
        found.extend(spoken.map(|(id, _)| format!("O-13: {id} was written while a person had {}", human.number)));
        let theirs = outside.sent.iter().filter(|sent| replies.contains(first_copy(&sent.correlation).0));
        let left = theirs.filter(|sent| {
            let decided = sent.at.checked_sub(SignedDuration::try_from(sent.late_by + IN_FLIGHT).unwrap_or_default());
            decided.is_ok_and(|at| at > from) && sent.at < until
        });
        found.extend(left.map(|sent| format!("O-13: {} left while a person had {}", sent.correlation, human.number)));
    }
    Ok(())
}

fn turns(tx: &mut Tx<'_>) -> Result<Vec<Turn>, StoreError> {
    let rows: Vec<Option<String>> = tx.query_all("SELECT machine FROM turn ORDER BY id", &[], |row| row.get(0))?;
    let read = |machine: Option<String>| {
        let machine: Value = serde_json::from_str(&machine.unwrap_or_default()).unwrap_or_default();
        let calls = machine.get("calls").and_then(Value::as_array).into_iter().flatten().map(call).collect();
        Turn { calls }
    };
    Ok(rows.into_iter().map(read).collect())
}

fn call(record: &Value) -> Call {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    let result = record.get("result").cloned().unwrap_or_default();
    let succeeded = result.get("class").and_then(Value::as_str) == Some("success");
    Call {
        tool: text(record.get("tool")).unwrap_or_default(),
        key: text(record.get("key")),
        uncertain: result.get("uncertain") == Some(&Value::Bool(true)),
        appointment: ["/value/appointment_id", "/value/new_appointment/appointment_id"]
            .into_iter()
            .find_map(|place| result.pointer(place).and_then(Value::as_i64))
            .filter(|_| succeeded),
    }
}

/// O-11: no turn asks the model or runs tools more often than its limits allow, but for the call that reaches the limit. A turn
/// that began again for a message that came later had its limits once more.
fn budgets_are_kept(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let over: Vec<(i64, i64, i64)> = tx.query_all(
        "SELECT id, model_calls, tool_calls FROM
             (SELECT t.*, (SELECT count(*) FROM inbox i WHERE i.turn_id = t.id) AS messages FROM turn t) AS one
         WHERE model_calls > ?1 * max(1, messages) OR tool_calls > ?2 * max(1, messages)",
        &[i64::from(MAX_MODEL_CALLS).into(), i64::from(MAX_TOOL_CALLS).into()],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let in_words = |(id, model, tools)| format!("O-11: turn {id} made {model} model calls and {tools} tool calls");
    found.extend(over.into_iter().map(in_words));
    Ok(())
}
