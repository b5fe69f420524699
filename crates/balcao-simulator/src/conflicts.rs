//! Staff who go through the bookings that lie outside of working time. The list of them is held against the bookings themselves.

use std::collections::{BTreeMap, BTreeSet};

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::ways_out::Conflicts;
use balcao_app::scheduling::ways_out::{Way, WaysOut};
use balcao_domain::AppointmentId;
use balcao_store::{StoreError, Tx};
use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::Value;

use crate::businesses::Tenant;
use crate::opening_hours::{LocalSpan, texts};
use crate::workload::Crowd;

/// As many as a list names at most.
const MOST: usize = 40;
/// The day to which bookings are moved.
const TO: Date = Date::constant(2026, 11, 26);

impl Crowd {
    /// Two people choose a way out of each booking at about the same time; they may choose differently.
    pub(crate) async fn resolve_conflicts(&self, tenant: &Tenant, place: usize, owner: usize) {
        let organization = tenant.organization;
        let before = self.database.look(|tx| find_conflicts(tx, i64::from(organization)));
        let listed = self.once(format!("conflicts/{place}/{owner}"), move |app, _| async move {
            WaysOut::new(app, AccountPolicies::default()).conflicts(organization, MOST).await
        });
        let listed = listed.await;
        if let (Ok(before), Some(listed)) = (before, &listed) {
            self.compare_conflicts(tenant, &before, listed);
        }
        let Some(listed) = listed else { return };
        for conflict in listed.items {
            let id = conflict.appointment.id;
            let later = async {
                self.world.linger(0, 2_000).await;
                self.resolve(tenant, id, format!("{owner}/b")).await;
            };
            Box::pin(futures::future::join(self.resolve(tenant, id, format!("{owner}/a")), later)).await;
        }
    }

    /// O-21: while no booking and no hours change, the list names exactly the bookings that lie outside of working time. A clock that jumped
    /// counts other bookings as past.
    fn compare_conflicts(&self, tenant: &Tenant, before: &Bookings, listed: &Conflicts) {
        let after = self.database.look(|tx| find_conflicts(tx, i64::from(tenant.organization)));
        if self.world.plan.faults.jump > 0.0 || listed.more > 0 || !after.is_ok_and(|after| after == *before) {
            return;
        }
        let named: BTreeSet<String> = listed.items.iter().map(|one| one.appointment.id.to_string()).collect();
        self.world.strikes_as("lists of conflicts compared", 1.0);
        if named.symmetric_difference(&before.outside).any(|id| !before.held.contains(id)) {
            let expected = &before.outside;
            let words =
                format!("{} has {expected:?} outside of working time, and the list names {named:?}", tenant.account);
            self.world.outside().conflicts.push(words);
        }
    }

    async fn resolve(&self, tenant: &Tenant, id: AppointmentId, person: String) {
        let organization = tenant.organization;
        let start_min = self.world.draw(|rng| rng.u16(10..=18)) * 60;
        let way = match self.world.draw(|rng| rng.u8(..3)) {
            0 => Way::Cancel,
            1 => Way::Keep,
            _ => Way::Move { date: TO, start_min, professional: None },
        };
        let done = self.once(format!("resolve/{id}/{person}"), |app, key| {
            let (way, ways) = (way.clone(), WaysOut::new(app, AccountPolicies::default()).once(key));
            async move { ways.resolve(organization, id, way, None, Actor::Operator).await }
        });
        let outcome = match done.await {
            None => "no process answers".to_owned(),
            Some(Ok(done)) => format!("changed: {}", done.changed),
            Some(Err(refusal)) => refusal.to_string(),
        };
        self.world.strikes_as("ways out tried", 1.0);
        self.world.note(|| format!("staff resolve {id} by {way:?}: {outcome}"));
    }
}

/// The bookings to come of a business, apart from what the program says of them.
#[derive(Debug, PartialEq, Eq)]
struct Bookings {
    /// Those outside of working time that no person keeps, and of which it is certain that they are to come.
    outside: BTreeSet<String>,
    /// Those that hold their slot for a while only: what the program lists depends on the instant.
    held: BTreeSet<String>,
    /// The last event and the last act: they differ if anything changed.
    last: (i64, i64),
}

/// A booking as it is stored, with the hours of its professional.
struct Stored {
    id: i64,
    span: (Timestamp, Timestamp),
    is_held: bool,
    is_away: bool,
    weekly_hours: String,
}

fn find_conflicts(tx: &mut Tx<'_>, organization: i64) -> Result<Bookings, StoreError> {
    let of: &[balcao_store::Value<'_>] = &[organization.into()];
    let exceptions: Vec<(String, String)> = tx.query_all(
        "SELECT date, periods FROM hours_exception WHERE organization_id = ?1 AND professional_id = 0",
        of,
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let exceptions: BTreeMap<String, Value> = exceptions
        .into_iter()
        .map(|(date, periods)| (date, serde_json::from_str(&periods).unwrap_or_default()))
        .collect();
    let bookings: Vec<Stored> = tx.query_all(
        "SELECT a.id, a.starts_at, a.ends_at, a.expires_at IS NOT NULL AND a.status = 'pending',
             EXISTS (SELECT 1 FROM time_off t WHERE t.organization_id = a.organization_id AND t.professional_id = a.professional_id
                     AND t.starts_at < a.ends_at AND a.starts_at < t.ends_at),
             p.weekly_hours
         FROM appointment a JOIN professional p ON p.organization_id = a.organization_id AND p.id = a.professional_id
         WHERE a.organization_id = ?1 AND a.status IN ('pending', 'confirmed') AND a.starts_at >= 1795489200000",
        of,
        |row| {
            Ok(Stored {
                id: row.get(0)?,
                span: (row.get(1)?, row.get(2)?),
                is_held: row.get(3)?,
                is_away: row.get(4)?,
                weekly_hours: row.get(5)?,
            })
        },
    )?;
    let kept: Vec<(i64, String)> =
        tx.query_all("SELECT appointment_id, reason FROM kept_conflict WHERE organization_id = ?1", of, |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let last = "SELECT (SELECT COALESCE(max(id), 0) FROM event), (SELECT COALESCE(max(id), 0) FROM audit_log)";
    let last = tx.query_one(last, &[], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut found = Bookings { outside: BTreeSet::new(), held: BTreeSet::new(), last };
    for one in bookings {
        let id = format!("apt_{}", one.id);
        if one.is_held {
            found.held.insert(id.clone());
        }
        if reasons(&one, &exceptions).into_iter().any(|reason| !kept.contains(&(one.id, reason.to_owned()))) {
            found.outside.insert(id);
        }
    }
    Ok(found)
}

/// Why a booking lies outside of working time, in the words that are stored for one that staff keep.
fn reasons(one: &Stored, exceptions: &BTreeMap<String, Value>) -> Vec<&'static str> {
    let span = LocalSpan::local(one.span.0, one.span.1);
    let is_open = match exceptions.get(&span.date.to_string()) {
        Some(periods) => span.is_within(texts(periods)),
        None => span.is_within_week(),
    };
    let hours: Value = serde_json::from_str(&one.weekly_hours).unwrap_or_default();
    let works =
        hours.pointer(&format!("/days/{}", span.weekday())).is_some_and(|periods| span.is_within(texts(periods)));
    let closed = match (is_open, works) {
        (false, _) => Some("business_closed"),
        (true, false) => Some("not_working"),
        (true, true) => None,
    };
    one.is_away.then_some("time_off").into_iter().chain(closed).collect()
}
