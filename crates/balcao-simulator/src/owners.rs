//! Owners who change their business while customers book: each looks at a plan, thinks, and applies exactly that plan.

use balcao_app::admin::business::{Business, BusinessPlan, BusinessRefusal, Edit, FieldEdit, Section};
use balcao_app::admin::seed::BusinessFile;
use serde_json::json;

use crate::businesses::Tenant;
use crate::observations::{AppliedPlan, TIME_OFF};
use crate::workload::Crowd;

/// Owners of each business.
const OWNERS: usize = 2;
/// How often an owner looks at the plan again because the business has changed meanwhile.
const LOOKS: usize = 4;

impl Crowd {
    /// Every owner of every business makes a change, most of them at about the same time.
    pub(crate) async fn run_businesses(&self) {
        let owners = (0..self.tenants.len()).flat_map(|tenant| (0..OWNERS).map(move |owner| (tenant, owner)));
        let changes = owners.map(|(place, owner)| async move {
            let Some(tenant) = self.tenants.get(place) else { return };
            let span = u64::try_from(self.world.plan.span.as_millis()).unwrap_or(1);
            self.world.linger(span / 4, span / 2).await;
            self.change_price(tenant, place, owner).await;
            if owner == 0 {
                self.plan_time_off(tenant, place).await;
            }
            self.plan_holiday(tenant, place, owner).await;
        });
        futures::future::join_all(changes).await;
    }

    /// The price of a service that customers book.
    async fn change_price(&self, tenant: &Tenant, place: usize, owner: usize) {
        // No two owners want the same price, so that a plan is not made again after a change back.
        let price = format!("{}.00", 51 + owner);
        let edit = change(Section::Services, "Corte na máquina", ("price", FieldEdit::Set(json!(price))));
        self.make(tenant, edit, format!("price/{place}/{owner}")).await;
    }

    /// A professional is away at a time at which customers book.
    async fn plan_time_off(&self, tenant: &Tenant, place: usize) {
        let (from, to) = TIME_OFF;
        let away = json!({ "from": from, "to": to });
        let edit = change(Section::Professionals, "Wesley Moura", ("time_off", FieldEdit::Add(away)));
        self.make(tenant, edit, format!("time_off/{place}")).await;
    }

    /// The business is closed for a day, and open longer on the next; each owner means other days, and customers do not book so far ahead.
    async fn plan_holiday(&self, tenant: &Tenant, place: usize, owner: usize) {
        let closed = json!({ "date": format!("2027-02-{:02}", 1 + 2 * owner), "periods": [] });
        let long = json!({ "date": format!("2027-02-{:02}", 2 + 2 * owner), "periods": ["08:00-22:00"] });
        for (name, day) in [("holiday", closed), ("hours", long)] {
            let edit = change(Section::Organization, "", ("exceptions", FieldEdit::Add(day)));
            self.make(tenant, edit, format!("{name}/{place}/{owner}")).await;
        }
    }

    /// Looks at the plan of an edit and applies it; looks again where it was refused because the business has changed.
    async fn make(&self, tenant: &Tenant, edit: Edit, name: String) {
        for look in 0..LOOKS {
            let Some(Ok((wanted, plan))) = self.look_at_plan(tenant, &edit, format!("{name}/look/{look}")).await else {
                return;
            };
            self.world.linger(0, 4_000).await;
            let applied = self.apply_plan(tenant, &wanted, &plan.hash, format!("{name}/apply/{look}")).await;
            let outcome = match applied {
                None => "nobody answers".to_owned(),
                Some(Ok(_)) => "applied".to_owned(),
                Some(Err(BusinessRefusal::Moved { .. })) => "moved".to_owned(),
                Some(Err(ref refusal)) => refusal.to_string(),
            };
            self.world.note(|| format!("{name}: {outcome}"));
            if matches!(applied, Some(Ok(_))) {
                self.world.outside().plans.push(AppliedPlan { organization: tenant.organization, plan });
            }
            if outcome != "moved" {
                return;
            }
        }
    }

    async fn look_at_plan(
        &self,
        tenant: &Tenant,
        edit: &Edit,
        name: String,
    ) -> Option<Result<(BusinessFile, BusinessPlan), BusinessRefusal>> {
        let organization = tenant.organization;
        self.once(name, |app, _| {
            let edit = edit.clone();
            async move { Business::new(app).plan_edit(organization, edit).await }
        })
        .await
    }

    async fn apply_plan(
        &self,
        tenant: &Tenant,
        wanted: &BusinessFile,
        hash: &str,
        name: String,
    ) -> Option<Result<BusinessPlan, BusinessRefusal>> {
        let organization = tenant.organization;
        self.once(name, |app, _| {
            let (wanted, hash) = (wanted.clone(), hash.to_owned());
            async move { Business::new(app).apply(organization, wanted, hash, "operator".to_owned()).await }
        })
        .await
    }
}

fn change(section: Section, name: &str, (field, edit): (&str, FieldEdit)) -> Edit {
    Edit::Change { section, name: name.to_owned(), fields: vec![(field.to_owned(), edit)] }
}
