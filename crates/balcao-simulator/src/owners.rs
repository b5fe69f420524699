//! Owners who change their business while customers book: each looks at a plan, thinks, and applies exactly that plan.

use balcao_app::admin::business::{Business, BusinessPlan, BusinessRefusal, Edit, FieldEdit, Section};
use balcao_app::admin::seed::BusinessFile;
use serde_json::{Value, json};

use crate::businesses::Tenant;
use crate::observations::{AppliedPlan, NEW_PROFESSIONAL, TIME_OFF};
use crate::workload::Crowd;

/// Owners of each business.
const OWNERS: usize = 2;
/// How often an owner looks at the plan again because the business has changed meanwhile.
const LOOKS: usize = 4;
/// The service that customers book, which owners change.
const SERVICE: &str = "Corte na máquina";

/// What an owner wants.
#[derive(Debug, Clone)]
enum Wish {
    Edit(Edit),
    /// The business as it stands, written to a file and read back, with this price, this length and this address.
    File {
        price: String,
        minutes: u32,
        address: String,
    },
}

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
                self.resolve_conflicts(tenant, place).await;
                self.change_by_file(tenant, place).await;
            } else {
                self.archive_for_a_while(tenant, place).await;
                self.take_on_for_a_while(tenant, place).await;
            }
            self.plan_holiday(tenant, place, owner).await;
        });
        futures::future::join_all(changes).await;
    }

    /// The price of a service that customers book.
    async fn change_price(&self, tenant: &Tenant, place: usize, owner: usize) {
        let price = self.draw_price();
        let edit = change(Section::Services, SERVICE, ("price", FieldEdit::Set(json!(price))));
        self.make(tenant, Wish::Edit(edit), format!("price/{place}/{owner}")).await;
    }

    /// A price that another owner may want, too, or that the service had before.
    fn draw_price(&self) -> String {
        format!("{}.00", self.world.draw(|rng| rng.u8(50..=52)))
    }

    /// A service is offered no longer, and is again later. Its bookings stay meanwhile.
    async fn archive_for_a_while(&self, tenant: &Tenant, place: usize) {
        let gone = Edit::Remove { section: Section::Services, name: SERVICE.to_owned() };
        self.make(tenant, Wish::Edit(gone), format!("archive/{place}")).await;
        self.world.linger(2_000, 20_000).await;
        let back = change(Section::Services, SERVICE, ("active", FieldEdit::Set(json!(true))));
        self.make(tenant, Wish::Edit(back), format!("reactivate/{place}")).await;
    }

    /// A professional comes, customers book with them, and they leave. The plan refuses that while bookings with them are to come.
    async fn take_on_for_a_while(&self, tenant: &Tenant, place: usize) {
        let open = json!(["09:00-20:00"]);
        let hours = json!({ "tue": open, "wed": open, "thu": open, "fri": open });
        let new = json!({ "name": NEW_PROFESSIONAL, "hours": hours, "services": [SERVICE] });
        let fields = new.as_object().cloned().unwrap_or_default();
        let comes = Edit::Add { section: Section::Professionals, fields };
        self.make(tenant, Wish::Edit(comes), format!("comes/{place}")).await;
        self.world.linger(2_000, 30_000).await;
        let leaves = Edit::Remove { section: Section::Professionals, name: NEW_PROFESSIONAL.to_owned() };
        self.make(tenant, Wish::Edit(leaves), format!("leaves/{place}")).await;
    }

    /// An owner writes the business to a file, changes the file, looks at its plan, and applies it.
    async fn change_by_file(&self, tenant: &Tenant, place: usize) {
        let minutes = self.world.draw(|rng| rng.choice([30, 45])).unwrap_or(30);
        let wish = Wish::File { price: self.draw_price(), minutes, address: format!("Rua Nova, {place}") };
        self.make(tenant, wish, format!("file/{place}")).await;
    }

    /// A professional is away at a time at which customers book.
    async fn plan_time_off(&self, tenant: &Tenant, place: usize) {
        let (from, to) = TIME_OFF;
        let away = json!({ "from": from, "to": to });
        let edit = change(Section::Professionals, "Wesley Moura", ("time_off", FieldEdit::Add(away)));
        self.make(tenant, Wish::Edit(edit), format!("time_off/{place}")).await;
    }

    /// The business is closed for a day, and open longer on the next; each owner means other days, and customers do not book so far ahead.
    async fn plan_holiday(&self, tenant: &Tenant, place: usize, owner: usize) {
        let closed = json!({ "date": format!("2027-02-{:02}", 1 + 2 * owner), "periods": [] });
        let long = json!({ "date": format!("2027-02-{:02}", 2 + 2 * owner), "periods": ["08:00-22:00"] });
        for (name, day) in [("holiday", closed), ("hours", long)] {
            let edit = change(Section::Organization, "", ("exceptions", FieldEdit::Add(day)));
            self.make(tenant, Wish::Edit(edit), format!("{name}/{place}/{owner}")).await;
        }
    }

    /// Looks at the plan of a wish and applies it; looks again where it was refused because the business has changed.
    async fn make(&self, tenant: &Tenant, wish: Wish, name: String) {
        for look in 0..LOOKS {
            let Some(Ok((wanted, plan))) = self.look_at_plan(tenant, &wish, format!("{name}/look/{look}")).await else {
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
            // Where there is nothing to change, nothing is made.
            if matches!(applied, Some(Ok(_))) && !plan.changes.is_empty() {
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
        wish: &Wish,
        name: String,
    ) -> Option<Result<(BusinessFile, BusinessPlan), BusinessRefusal>> {
        let organization = tenant.organization;
        let (price, minutes, address) = match wish {
            Wish::Edit(edit) => {
                let looked = self.once(name, |app, _| {
                    let edit = edit.clone();
                    async move { Business::new(app).plan_edit(organization, edit).await }
                });
                return looked.await;
            }
            Wish::File { price, minutes, address } => (price, *minutes, address),
        };
        let export = self
            .once(format!("{name}/export"), move |app, _| async move { Business::new(app).export(organization).await });
        let text = edited(export.await?, (price, minutes), address).to_string();
        // The owner thinks, and the business may change behind the file.
        self.world.linger(0, 4_000).await;
        let file = BusinessFile::read("file.yaml", &text).ok()?;
        let plan = self.once(name, |app, _| {
            let file = file.clone();
            async move { Business::new(app).plan(organization, file).await }
        });
        Some(plan.await?.map(|plan| (file, plan)))
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

/// The document with another address, and another price and length of the service.
fn edited(mut document: Value, (price, minutes): (&str, u32), address: &str) -> Value {
    if let Some(organization) = document.get_mut("organization") {
        organization["address"] = json!(address);
    }
    let services = document.get_mut("services").and_then(Value::as_array_mut);
    for service in services.into_iter().flatten().filter(|one| one["name"] == SERVICE) {
        service["price"] = json!(price);
        service["duration_minutes"] = json!(minutes);
    }
    document
}

fn change(section: Section, name: &str, (field, edit): (&str, FieldEdit)) -> Edit {
    Edit::Change { section, name: name.to_owned(), fields: vec![(field.to_owned(), edit)] }
}
