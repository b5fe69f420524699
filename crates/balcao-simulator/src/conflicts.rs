//! Staff who go through the bookings that lie outside of working time.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::ways_out::{Way, WaysOut};
use balcao_domain::AppointmentId;
use jiff::civil::Date;

use crate::businesses::Tenant;
use crate::workload::Crowd;

/// The day to which bookings are moved.
const TO: Date = Date::constant(2026, 11, 26);

impl Crowd {
    /// Two people choose a way out of each booking at about the same time; they may choose differently.
    pub(crate) async fn resolve_conflicts(&self, tenant: &Tenant, place: usize) {
        let organization = tenant.organization;
        let listed = self.once(format!("conflicts/{place}"), move |app, _| async move {
            WaysOut::new(app, AccountPolicies::default()).conflicts(organization, 20).await
        });
        let Some(listed) = listed.await else { return };
        for conflict in listed.items {
            let id = conflict.appointment.id;
            let later = async {
                self.world.linger(0, 2_000).await;
                self.resolve(tenant, id, "b").await;
            };
            Box::pin(futures::future::join(self.resolve(tenant, id, "a"), later)).await;
        }
    }

    async fn resolve(&self, tenant: &Tenant, id: AppointmentId, person: &str) {
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
