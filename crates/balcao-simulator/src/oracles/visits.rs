//! O-16: a visit has one mark at a time, and figures count what was marked.
//!
//! The rows of the audit log are in the order of their commits, so a replay of them tells how each visit ended, without a look at the
//! table of appointments.

use std::collections::BTreeMap;

use balcao_domain::AppointmentId;
use balcao_store::queries::report::{self, Scope};
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;

use super::Finding;
use crate::businesses::{Tenant, begins};

/// A visit as the acts of the audit log left it.
#[derive(Debug, Default)]
struct Replay {
    /// How it ended, and whether the server said so; `None` while it has no mark.
    mark: Option<(&'static str, bool)>,
    /// Marks and undoes, each of which has an event.
    acts: BTreeMap<&'static str, i64>,
}

/// The status and the event of an act.
const ACTS: [(&str, &str, &str); 4] = [
    ("appointment.complete", "completed", "appointment_completed"),
    ("appointment.no_show", "no_show", "appointment_no_show"),
    ("appointment.cancel", "cancelled", "appointment_cancelled"),
    ("appointment.undo_mark", "confirmed", "appointment_mark_undone"),
];

/// Every visit that was over before the run: its marks, its events, the server's question, and the figures of all of them.
pub(super) fn end_once(
    tx: &mut Tx<'_>,
    tenants: &[Tenant],
    now: Timestamp,
    found: &mut Vec<Finding>,
) -> Result<(), StoreError> {
    let begun = begins().unwrap_or(now);
    for tenant in tenants {
        let organization = i64::from(tenant.organization);
        let visits: Vec<(AppointmentId, String, bool)> = tx.query_all(
            "SELECT id, status, reviewed_at IS NOT NULL FROM appointment
             WHERE organization_id = ?1 AND source = 'console' AND ends_at < ?2 ORDER BY id",
            &[organization.into(), begun.into()],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )?;
        let mut counted: BTreeMap<String, u32> = BTreeMap::new();
        for (id, status, reviewed) in visits {
            let replay = replay(tx, organization, id, found)?;
            let expected = replay.mark.map_or("confirmed", |(status, _)| status);
            if status != expected {
                found.push(format!("O-16: the acts on {id} end as {expected}, and it is {status}"));
            }
            if status == "confirmed" && !reviewed {
                found.push(format!("O-16: nobody marked {id}, and the server did not take it up"));
            }
            for (_, _, event) in ACTS {
                let acts = replay.acts.get(event).copied().unwrap_or_default();
                let events = count_events(tx, organization, id, event)?;
                if acts != events {
                    found.push(format!("O-16: {id} has {acts} acts and {events} events {event}"));
                }
            }
            let asked = count_events(tx, organization, id, "appointment_unmarked")?;
            if asked > 1 {
                found.push(format!("O-16: staff were asked about {id} {asked} times"));
            }
            *counted.entry(expected.to_owned()).or_default() += 1;
        }
        let scope = Scope { from: "2026-11-23T00:00:00Z".parse().unwrap_or(begun), to: begun, of: None };
        let told = report::totals(tx, tenant.organization, scope, now)?;
        let told: BTreeMap<String, u32> = told.into_iter().map(|one| (one.status.to_string(), one.count)).collect();
        if told != counted {
            found.push(format!("O-16: the figures are {told:?}, and the acts come to {counted:?}"));
        }
    }
    Ok(())
}

fn replay(
    tx: &mut Tx<'_>,
    organization: i64,
    id: AppointmentId,
    found: &mut Vec<Finding>,
) -> Result<Replay, StoreError> {
    let log: Vec<(String, String)> = tx.query_all(
        "SELECT action, actor FROM audit_log WHERE organization_id = ?1 AND subject = ?2 ORDER BY id",
        &[organization.into(), id.to_string().into()],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let mut replay = Replay::default();
    for (action, actor) in log {
        let Some((_, status, event)) = ACTS.into_iter().find(|(name, ..)| *name == action) else { continue };
        *replay.acts.entry(event).or_default() += 1;
        let by_server = actor == "job";
        match (status, replay.mark) {
            ("confirmed", None) => found.push(format!("O-16: a mark of {id} was undone that it did not have")),
            ("confirmed", Some(_)) => replay.mark = None,
            // A person may replace what the server assumed.
            (_, Some((before, false))) => {
                found.push(format!("O-16: {id} was marked as {before}, and then as {status}"))
            }
            (_, Some((before, true))) if by_server || before == status => {
                found
                    .push(format!("O-16: {id} was marked as {before} by the server, and again as {status} by {actor}"));
            }
            _ => replay.mark = Some((status, by_server)),
        }
    }
    Ok(replay)
}

fn count_events(tx: &mut Tx<'_>, organization: i64, id: AppointmentId, kind: &str) -> Result<i64, StoreError> {
    tx.query_one(
        "SELECT count(*) FROM event WHERE organization_id = ?1 AND subject = ?2 AND kind = ?3",
        &[organization.into(), id.to_string().into(), kind.into()],
        |row| row.get(0),
    )
}
