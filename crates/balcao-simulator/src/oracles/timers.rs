//! O-12: a timer fires once, in its time, for somebody who still wants it.
//!
//! What was true when a message was written or left cannot be read from the tables afterwards. So triggers write it down, in
//! the transaction that did it.

use std::time::Duration;

use balcao_domain::scheduling::SchedulingRules;
use balcao_domain::{AppointmentId, FollowUpId, OrganizationId, ReminderId};
use balcao_store::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};

use super::Finding;
use crate::observations::Outside;
use crate::replica::TIMERS;

/// A kind of timer.
struct Kind {
    /// Its table, and the first part of its messages' names.
    name: &'static str,
    /// What its ids print with.
    prefix: &'static str,
    /// The column of its time.
    at: &'static str,
    /// How late it may fire.
    late: Duration,
}

const KINDS: [Kind; 2] = [
    Kind { name: "reminder", prefix: ReminderId::PREFIX, at: "remind_at", late: TIMERS.late_reminder },
    Kind { name: "follow_up", prefix: FollowUpId::PREFIX, at: "send_at", late: TIMERS.late_follow_up },
];

/// Lets the database write down, beside each step of a message that nobody asked for, why it should not have been taken.
pub(crate) fn record(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    tx.execute(
        "CREATE TABLE simulated_step (id INTEGER PRIMARY KEY, outbox_id INTEGER NOT NULL, state TEXT NOT NULL, wrong TEXT)",
        &[],
    )?;
    let unasked = "NEW.kind IN ('reminder', 'follow_up', 'waitlist')";
    let note = "INSERT INTO simulated_step (outbox_id, state, wrong) SELECT NEW.id, NEW.state, CASE
            WHEN c.state <> 'ai' THEN 'a person had the conversation'
            WHEN EXISTS (SELECT 1 FROM conversation o WHERE o.contact_id = c.contact_id AND o.opted_out_at IS NOT NULL)
                THEN 'the customer wanted none'
            WHEN NEW.about IS NOT NULL AND NOT EXISTS (SELECT 1 FROM appointment a WHERE a.status IN ('pending', 'confirmed')
                                                   AND NEW.about = 'appointment:' || a.id || ':' || a.starts_at)
                THEN 'the appointment had been changed'
            END FROM conversation c WHERE c.id = NEW.conversation_id;";
    let triggers = [
        ("written", "INSERT ON outbox", unasked.to_owned()),
        ("taken", "UPDATE OF state ON outbox", format!("{unasked} AND NEW.state <> OLD.state")),
    ];
    for (name, after, when) in triggers {
        tx.execute(&format!("CREATE TRIGGER simulated_{name} AFTER {after} WHEN {when} BEGIN {note} END"), &[])?;
    }
    Ok(())
}

/// How many timers should have come to an end by now: reminders, follow-ups, holds, offers, and visits that stay unmarked for an hour.
pub(super) fn due(tx: &mut Tx<'_>, now: Timestamp) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT (SELECT count(*) FROM reminder WHERE state = 'open' AND remind_at <= ?1)
              + (SELECT count(*) FROM follow_up WHERE state = 'open' AND send_at <= ?1)
              + (SELECT count(*) FROM appointment WHERE status = 'pending' AND expires_at <= ?1)
              + (SELECT count(*) FROM waitlist_offer WHERE state = 'open' AND held_until <= ?1)
              + (SELECT count(*) FROM appointment WHERE status = 'confirmed' AND reviewed_at IS NULL AND ends_at <= ?1 - 3600000)",
        &[now.into()],
        |row| row.get(0),
    )
}

/// Checks every timer of the run.
pub(super) fn fire_once(
    tx: &mut Tx<'_>,
    outside: &Outside,
    most_skew_ms: i64,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    for kind in KINDS {
        let late = SignedDuration::try_from(kind.late).unwrap_or(SignedDuration::MAX);
        for timer in timers(tx, &kind)? {
            timer.judge_lateness(late, found);
            timer.is_not_early(outside, most_skew_ms, found);
        }
    }
    messages_are_written_once(tx, found)?;
    bookings_are_reminded_of(tx, found)?;
    what_is_over_is_over(tx, found)?;
    nothing_unwanted_leaves(tx, found)
}

/// A timer, and what it led to.
struct Timer {
    name: String,
    state: String,
    due: Timestamp,
    /// Its message: our name of it, and when it was written.
    message: Option<(String, Timestamp)>,
    /// How many events say that it was skipped.
    skipped: i64,
}

fn timers(tx: &mut Tx<'_>, kind: &Kind) -> Result<Vec<Timer>, StoreError> {
    let (Kind { name, prefix, at, .. }, organization) = (kind, OrganizationId::PREFIX);
    let sql = format!(
        "SELECT t.id, t.state, t.{at}, o.correlation, o.created_at,
                (SELECT count(*) FROM event e WHERE e.organization_id = t.organization_id AND e.kind = '{name}_skipped'
                                              AND e.subject = '{prefix}_' || t.id)
         FROM {name} t LEFT JOIN outbox o
             ON o.correlation = '{organization}_' || t.organization_id || ':{name}/{prefix}_' || t.id || ':1'
         ORDER BY t.id"
    );
    tx.query_all(&sql, &[], |row| {
        let (correlation, written): (Option<String>, Option<Timestamp>) = (row.get(3)?, row.get(4)?);
        Ok(Timer {
            name: format!("{name} {}", row.get::<i64>(0)?),
            state: row.get(1)?,
            due: row.get(2)?,
            message: correlation.zip(written),
            skipped: row.get(5)?,
        })
    })
}

impl Timer {
    /// It fired if and only if its message was written, in its time; if it was skipped, it says so once.
    fn judge_lateness(&self, late: SignedDuration, found: &mut Vec<Finding>) {
        let Self { name, state, due, message, skipped } = self;
        if (state == "sent") != message.is_some() {
            found.push(format!(
                "O-12: {name} is {state}, and its message {}",
                if message.is_some() { "is written" } else { "is not" }
            ));
        }
        if (*skipped == 1) != (state == "skipped") || *skipped > 1 {
            found.push(format!("O-12: {name} is {state}, and was skipped {skipped} times"));
        }
        let Some((_, written)) = message else { return };
        if written < due {
            found.push(format!("O-12: {name} was due at {due} and fired at {written}"));
        }
        if written.duration_since(*due) > late {
            found.push(format!("O-12: {name} was due at {due} and fired as late as {written}"));
        }
    }

    /// It reached nobody before its time.
    fn is_not_early(&self, outside: &Outside, most_skew_ms: i64, found: &mut Vec<Finding>) {
        let Some((correlation, _)) = &self.message else { return };
        let skew = SignedDuration::from_millis(most_skew_ms);
        let early = |at: Timestamp| at.checked_add(skew).is_ok_and(|at| at < self.due);
        if let Some(sent) = outside.sent.iter().find(|sent| sent.correlation == *correlation && early(sent.at)) {
            found.push(format!("O-12: {} was due at {} and sent at {}", self.name, self.due, sent.at));
        }
    }
}

/// What was written for the customer stands once in the thread.
fn messages_are_written_once(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let (said, written): (i64, i64) = tx.query_one(
        "SELECT (SELECT count(*) FROM message WHERE author = 'system'),
                (SELECT count(*) FROM outbox WHERE kind IN ('reminder', 'follow_up', 'waitlist', 'appointment_moved',
                                                            'appointment_cancelled', 'appointment_kept'))",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if said != written {
        found.push(format!("O-12: {written} messages that nobody asked for, and {said} in the threads"));
    }
    Ok(())
}

/// An appointment that the program booked and that stands has the reminders of its business, except those that would have been due when it
/// was booked.
fn bookings_are_reminded_of(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let prefix = AppointmentId::PREFIX;
    let sql = format!(
        "SELECT a.id, a.starts_at, a.created_at, o.scheduling FROM appointment a JOIN organization o ON o.id = a.organization_id
         WHERE a.status IN ('pending', 'confirmed') AND EXISTS (
             SELECT 1 FROM event e WHERE e.organization_id = a.organization_id AND e.kind = 'appointment_booked'
               AND e.subject = '{prefix}_' || a.id)
         ORDER BY a.id"
    );
    let booked: Vec<(i64, Timestamp, Timestamp, String)> =
        tx.query_all(&sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    for (id, starts_at, booked_at, rules) in booked {
        let rules: SchedulingRules = serde_json::from_str(&rules).unwrap_or_default();
        let wanted = rules.automatic_reminder_minutes.plan(starts_at, booked_at);
        let planned: Vec<i64> = tx.query_all(
            "SELECT minutes_before FROM reminder WHERE appointment_id = ?1 AND starts_at = ?2 AND state <> 'cancelled'",
            &[id.into(), starts_at.into()],
            |row| row.get(0),
        )?;
        let missing = wanted.iter().filter(|one| !planned.contains(&i64::from(one.minutes_before)));
        found.extend(
            missing
                .map(|one| format!("O-12: appointment {id} lacks its reminder {} minutes before", one.minutes_before)),
        );
    }
    Ok(())
}

/// Who cancels an appointment cancels its reminders.
fn what_is_over_is_over(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let left: Vec<i64> = tx.query_all(
        "SELECT r.id FROM reminder r JOIN appointment a ON a.id = r.appointment_id
         WHERE r.state = 'open' AND a.status = 'cancelled' ORDER BY r.id",
        &[],
        |row| row.get(0),
    )?;
    found.extend(left.iter().map(|id| format!("O-12: reminder {id} waits for an appointment that is cancelled")));
    Ok(())
}

/// A step of a message that nobody asked for.
struct Step {
    correlation: String,
    kind: String,
    state: String,
    /// Why it should not have been taken.
    wrong: Option<String>,
}

/// What nobody wants any more is not written; and if it was written before, it does not leave.
fn nothing_unwanted_leaves(tx: &mut Tx<'_>, found: &mut Vec<Finding>) -> Result<(), StoreError> {
    let steps: Vec<Step> = tx.query_all(
        "SELECT o.correlation, o.kind, s.state, s.wrong FROM simulated_step s JOIN outbox o ON o.id = s.outbox_id
         ORDER BY s.outbox_id, s.id",
        &[],
        |row| Ok(Step { correlation: row.get(0)?, kind: row.get(1)?, state: row.get(2)?, wrong: row.get(3)? }),
    )?;
    for (place, Step { correlation, kind, state, wrong }) in steps.iter().enumerate() {
        let Some(wrong) = wrong else { continue };
        let of_it = |step: &&Step| step.correlation == *correlation;
        let next = steps.get(place + 1).filter(of_it).map(|next| next.state.as_str());
        let is_first = place.checked_sub(1).and_then(|before| steps.get(before)).filter(of_it).is_none();
        // An offer is written with the change that frees the time, whoever speaks; what leaves is judged.
        if is_first && kind != "waitlist" {
            found.push(format!("O-12: {correlation} was written, and {wrong}"));
        }
        if state == "sending" && next != Some("dead") {
            found.push(format!("O-12: {correlation} left, and {wrong}"));
        }
    }
    Ok(())
}
