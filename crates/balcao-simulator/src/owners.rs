//! Owners who change their business while customers book: each looks at a plan, thinks, and applies exactly that plan.

use balcao_app::admin::business::{Business, BusinessPlan, BusinessRefusal, Edit, FieldEdit, Section};
use balcao_app::admin::seed::BusinessFile;
use serde_json::{Value, json};

use crate::businesses::{ATTENDANT, ENTRY, Tenant};
use crate::observations::{AppliedPlan, NEW_PROFESSIONAL, TIME_OFF};
use crate::opening_hours::{CLOSINGS, Closing};
use crate::workload::Crowd;

/// Owners of each business.
const OWNERS: usize = 2;
/// How often an owner looks at the plan again because the business has changed meanwhile.
const LOOKS: usize = 4;
/// The service that customers book, which owners change.
const SERVICE: &str = "Corte na máquina";

/// What an owner wants.
#[derive(Debug, Clone)]
pub(crate) enum Wish {
    Edit(Edit),
    /// The business as it stands, written to a file and read back, with changes in several of its sections.
    File(FileWish),
}

/// What an owner changes in the file.
#[derive(Debug, Clone)]
pub(crate) struct FileWish {
    /// The price and the length of the service.
    price: String,
    minutes: u32,
    address: String,
    /// The content of [`ENTRY`].
    content: String,
    /// A tag that the business may lack.
    tag: String,
    /// Whether [`ATTENDANT`] is on duty.
    on_duty: bool,
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
                self.resolve_conflicts(tenant, place, owner).await;
                self.change_by_file(tenant, place).await;
                self.apply_outdated_plan(tenant, place).await;
            } else {
                self.close_for_hours(tenant, place, owner).await;
                self.archive_for_a_while(tenant, place).await;
                self.take_on_for_a_while(tenant, place).await;
            }
            self.edit_entries(tenant, place, owner).await;
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
        let wish = self.draw_file_wish(format!("Rua Nova, {place}"));
        self.make(tenant, Wish::File(wish), format!("file/{place}")).await;
    }

    fn draw_file_wish(&self, address: String) -> FileWish {
        let minutes = self.world.draw(|rng| rng.choice([30, 45])).unwrap_or(30);
        let (price, content) = (self.draw_price(), self.draw_content());
        let on_duty = self.world.draw(|rng| rng.bool());
        FileWish { price, minutes, address, content, tag: "Da lista".to_owned(), on_duty }
    }

    /// Sometimes an owner looks at the plan of a file, another change is made, and the owner applies the plan: it must be refused.
    async fn apply_outdated_plan(&self, tenant: &Tenant, place: usize) {
        if self.world.draw(|rng| rng.bool()) {
            return;
        }
        let (address, name) = (format!("Rua Velha, {place}"), format!("outdated/{place}"));
        let wish = Wish::File(self.draw_file_wish(address.clone()));
        let Some(Ok((wanted, plan))) = self.look_at_plan(tenant, &wish, format!("{name}/look")).await else { return };
        let title = json!({ "title": "Plantão", "content": "Hoje há plantão." });
        let fields = title.as_object().cloned().unwrap_or_default();
        let other = Edit::Add { section: Section::Knowledge, fields };
        if !self.make(tenant, Wish::Edit(other), format!("{name}/other")).await {
            return;
        }
        self.world.outside().outdated.push((tenant.organization, address));
        let applied = self.apply_plan(tenant, &wanted, &plan.hash, format!("{name}/apply")).await;
        self.world.strikes_as("plans whose base had moved", 1.0);
        self.world.note(|| format!("{name}: refused: {}", matches!(applied, Some(Err(_)))));
    }

    /// Sometimes the business is closed for some hours of a day for which customers have bookings. Staff then go through what lies in them.
    async fn close_for_hours(&self, tenant: &Tenant, place: usize, owner: usize) {
        if self.world.draw(|rng| rng.u8(..3)) > 0 {
            return;
        }
        let Some(Closing { date, periods }) = self.world.draw(|rng| rng.choice(CLOSINGS)) else { return };
        let day = json!({ "date": date, "periods": periods });
        let edit = change(Section::Organization, "", ("exceptions", FieldEdit::Add(day)));
        if self.make(tenant, Wish::Edit(edit), format!("close/{place}")).await {
            self.world.strikes_as("days closed with bookings", 1.0);
            self.resolve_conflicts(tenant, place, owner).await;
        }
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

    /// Looks at the plan of a wish and applies it; looks again where it was refused because the business has changed. Returns whether the
    /// business acknowledged a change.
    pub(crate) async fn make(&self, tenant: &Tenant, wish: Wish, name: String) -> bool {
        for look in 0..LOOKS {
            let Some(Ok((wanted, plan))) = self.look_at_plan(tenant, &wish, format!("{name}/look/{look}")).await else {
                return false;
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
            let is_made = matches!(applied, Some(Ok(_))) && !plan.changes.is_empty();
            if is_made {
                self.world.outside().plans.push(AppliedPlan { organization: tenant.organization, plan });
            }
            if outcome != "moved" {
                return is_made;
            }
        }
        false
    }

    async fn look_at_plan(
        &self,
        tenant: &Tenant,
        wish: &Wish,
        name: String,
    ) -> Option<Result<(BusinessFile, BusinessPlan), BusinessRefusal>> {
        let organization = tenant.organization;
        let wish = match wish {
            Wish::Edit(edit) => {
                let looked = self.once(name, |app, _| {
                    let edit = edit.clone();
                    async move { Business::new(app).plan_edit(organization, edit).await }
                });
                return looked.await;
            }
            Wish::File(wish) => wish,
        };
        let export = self
            .once(format!("{name}/export"), move |app, _| async move { Business::new(app).export(organization).await });
        let text = edited(export.await?, wish).to_string();
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

/// The document with what an owner changes in it.
fn edited(mut document: Value, wish: &FileWish) -> Value {
    if let Some(organization) = document.get_mut("organization") {
        organization["address"] = json!(wish.address);
    }
    let mut of = |section: &str, key: &str, name: &str, fields: &[(&str, Value)]| {
        let entries = document.get_mut(section).and_then(Value::as_array_mut);
        for entry in entries.into_iter().flatten().filter(|one| one[key] == name) {
            fields.iter().for_each(|(field, value)| entry[field] = value.clone());
        }
    };
    let terms = [("price", json!(wish.price)), ("duration_minutes", json!(wish.minutes))];
    of("services", "name", SERVICE, &terms);
    of("knowledge", "title", ENTRY, &[("content", json!(wish.content))]);
    of("staff", "email", ATTENDANT, &[("on_duty", json!(wish.on_duty))]);
    let tags = document.get_mut("tags").and_then(Value::as_array_mut);
    if let Some(tags) = tags.filter(|tags| !tags.contains(&json!(wish.tag))) {
        tags.push(json!(wish.tag));
    }
    document
}

pub(crate) fn change(section: Section, name: &str, (field, edit): (&str, FieldEdit)) -> Edit {
    Edit::Change { section, name: name.to_owned(), fields: vec![(field.to_owned(), edit)] }
}
