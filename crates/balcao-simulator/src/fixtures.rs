//! The businesses of a run, made once, and what was planned in them before it begins: reminders, follow-ups, slots on hold.

use std::sync::{Arc, OnceLock};

use anyhow::anyhow;
use async_trait::async_trait;
use balcao_app::admin::seed::BusinessFile;
use balcao_domain::follow_up::FollowUpType;
use balcao_domain::reminder::{PlannedReminder, ReminderOrigin};
use balcao_domain::{
    Appointment, AppointmentId, AppointmentStatus, ContactId, Currency, OrganizationId, ProfessionalId, Span,
};
use balcao_store::scheduling::appointment::NewAppointment;
use balcao_store::scheduling::follow_up;
use balcao_store::scheduling::follow_up::NewFollowUp;
use balcao_store::scheduling::reminder::{self, ReminderSubject};
use balcao_store::turns::lease::Route;
use balcao_store::{
    CommitOutcome, FaultInjector, InlineDatabase, StoreError, Tx, crm::contact, messaging::conversation,
    scheduling::appointment, turns::lease,
};
use jiff::{SignedDuration, Timestamp};

use crate::businesses::{CUSTOMERS, Tenant, begins, number, person};
use crate::model::canary;
use crate::observations::CHANNEL;
use crate::oracles;
use crate::world::World;

/// When the first of those appointments begins.
const FIRST: &str = "2026-11-24T12:00:00Z";

const BUSINESS: &str = include_str!("../../../samples/barbearia-figueira.yaml");

/// What was planned before the run, and staff or the customer may think better of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planned {
    /// The business's place.
    pub(crate) tenant: usize,
    /// The customer's place.
    pub(crate) customer: usize,
    /// The same in the database.
    pub(crate) contact: ContactId,
    pub(crate) appointment: AppointmentId,
    pub(crate) what: Plans,
}

/// What is to happen with an appointment.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plans {
    /// Its customer is reminded of it then.
    Reminder(Timestamp),
    /// It holds its slot until then, if nobody confirms it.
    Hold(Timestamp),
    /// It is over, and it is unmarked.
    Visit,
}

/// When a customer's appointment of the next morning begins.
pub(crate) fn starts(customer: usize) -> Timestamp {
    let first: Timestamp = FIRST.parse().unwrap_or_default();
    let after = SignedDuration::from_mins(30 * i64::try_from(customer).unwrap_or_default());
    first.checked_add(after).unwrap_or(first)
}

/// A migrated database with so many businesses, made once.
pub(crate) async fn template(tenants: usize) -> anyhow::Result<(InlineDatabase, Vec<Tenant>)> {
    static ONE: OnceLock<(InlineDatabase, Vec<Tenant>)> = OnceLock::new();
    static TWO: OnceLock<(InlineDatabase, Vec<Tenant>)> = OnceLock::new();
    let made = if tenants == 1 { &ONE } else { &TWO };
    if let Some(made) = made.get() {
        return Ok(made.clone());
    }
    let fresh = make(tenants).await?;
    Ok(made.get_or_init(|| fresh).clone())
}

async fn make(tenants: usize) -> anyhow::Result<(InlineDatabase, Vec<Tenant>)> {
    let database = InlineDatabase::new()?;
    let store = database.behind(Arc::new(Open));
    store.migrate().await?;
    let mut made = Vec::new();
    for place in 0..tenants {
        let text = BUSINESS
            .replace("slug: figueira", &format!("slug: loja{place}"))
            .replace("name: Barbearia Figueira", &format!("name: Barbearia {}", canary(place)))
            .replace("waitlist_hold_minutes: 15", "waitlist_hold_minutes: 1")
            // The first business is asked about its visits, and the second lets the server complete them.
            .replace(
                "unmarked_visits: ask",
                if place == 0 { "unmarked_visits: ask" } else { "unmarked_visits: complete" },
            )
            .replace("contacts:\n", &format!("contacts:\n{}", customers()));
        let file = BusinessFile::read("sample.yaml", &text).map_err(|problems| anyhow!("{problems:?}"))?;
        let organization = file.import(&store, begins()?).await?.organization;
        made.push(Tenant { organization, account: format!("10{place}") });
    }
    database.change(oracles::timers::record)?;
    database.change(oracles::leases::record)?;
    database.change(oracles::moves::record)?;
    database.change(oracles::entries::record)?;
    database.change(oracles::closings::record)?;
    Ok((database, made))
}

fn customers() -> String {
    let one = |customer: usize| {
        let (number, half_hours) = (number(customer), 18 + customer);
        let (hour, minute) = (half_hours / 2, half_hours % 2 * 30);
        format!(
            "  - name: Cliente {customer}
    phone: \"{number}\"
    appointments:
      - {{service: Corte na máquina, professional: Otávio Prado, starts: \"2026-11-24T{hour:02}:{minute:02}\"}}\n"
        )
    };
    (0..CUSTOMERS).map(one).collect()
}

/// Plans what a run begins with. Most customers have written before, so that something can be sent to them.
pub(crate) fn plan_ahead(
    world: &World,
    database: &InlineDatabase,
    tenants: &[Tenant],
) -> Result<Vec<Planned>, StoreError> {
    let soon = || {
        let most = i64::try_from(world.plan.span.as_millis()).unwrap_or_default();
        let after = SignedDuration::from_millis(world.draw(|rng| rng.i64(5_000..=most.max(5_001))));
        world.now().checked_add(after).unwrap_or(Timestamp::MAX)
    };
    database.change(|tx| {
        let mut planned = Vec::new();
        for (place, tenant) in tenants.iter().enumerate() {
            let organization = tenant.organization;
            for customer in 0..world.plan.contacts {
                let Some(contact) = contact_of(tx, organization, customer)? else { continue };
                if world.draw(|rng| rng.u8(..4)) > 0 {
                    has_written(tx, tenant, customer, contact, world.now())?;
                }
                let next = appointment::upcoming_of_contact(tx, organization, contact, Currency::BRL, world.now())?;
                let mut plan = |appointment, what| {
                    planned.push(Planned { tenant: place, customer, contact, appointment, what });
                };
                if let Some(next) = next.first().filter(|_| world.draw(|rng| rng.u8(..3)) > 0) {
                    let at = soon();
                    remind(tx, organization, next, at, world.now())?;
                    plan(next.id, Plans::Reminder(at));
                }
                if world.draw(|rng| rng.u8(..4)) > 0 {
                    let (kind, hint) = (FollowUpType::Curiosity, "ficou de voltar".to_owned());
                    let new = NewFollowUp { contact, kind, hint, send_at: soon(), episode: 1 };
                    follow_up::insert(tx, organization, &new, world.now())?;
                }
                if let Some(over) = visit(tx, world, organization, (customer, contact))? {
                    plan(over, Plans::Visit);
                }
                // One customer, one hour: so that they do not stand in each other's way.
                if customer < 3 && world.draw(|rng| rng.bool()) {
                    let until = soon();
                    if let Some(held) = hold(tx, world, organization, (customer, contact), until)? {
                        plan(held, Plans::Hold(until));
                    }
                }
            }
        }
        Ok(planned)
    })
}

/// Plans a reminder that a customer asked for, at an instant of the run.
fn remind(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    next: &Appointment,
    remind_at: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    let subject = ReminderSubject { appointment: next.id, starts_at: next.span.start };
    let minutes_before = u32::try_from(next.span.start.duration_since(remind_at).as_mins()).unwrap_or_default();
    let planned = PlannedReminder { minutes_before, remind_at };
    reminder::insert(tx, organization, subject, ReminderOrigin::Asked, planned, now)?;
    Ok(())
}

fn contact_of(tx: &mut Tx<'_>, id: OrganizationId, customer: usize) -> Result<Option<ContactId>, StoreError> {
    let Some(phone) = person(customer).phone else { return Ok(None) };
    Ok(contact::find_by_phone(tx, id, &phone)?.map(|found| found.id))
}

fn has_written(
    tx: &mut Tx<'_>,
    tenant: &Tenant,
    customer: usize,
    contact: ContactId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let before = now.checked_sub(SignedDuration::from_hours(1)).unwrap_or(now);
    let found = conversation::find_or_begin(tx, tenant.organization, contact, CHANNEL, before)?;
    let recipient = serde_json::to_string(&person(customer).recipient()).unwrap_or_default();
    let route = Route { account: tenant.account.clone(), recipient, customer_wrote_at: Some(before) };
    lease::set_route(tx, tenant.organization, found.id, &route)
}

/// Adds a visit that was over an hour before the run.
fn visit(
    tx: &mut Tx<'_>,
    world: &World,
    organization: OrganizationId,
    (customer, contact): (usize, ContactId),
) -> Result<Option<AppointmentId>, StoreError> {
    let professional: ProfessionalId = tx.query_one(
        "SELECT id FROM professional WHERE organization_id = ?1 AND name = 'Wesley Moura'",
        &[i64::from(organization).into()],
        |row| row.get(0),
    )?;
    let start: Timestamp = format!("2026-11-23T0{}:00:00Z", 3 + customer).parse().unwrap_or_default();
    let span = Span::of_minutes(start, 30);
    let new = NewAppointment {
        contact,
        professional,
        capacity: 1,
        service: None,
        service_name: "Corte na máquina".to_owned(),
        span,
        occupied: span,
        status: AppointmentStatus::Confirmed,
        price_cents: 5_000,
        plan: None,
        attendee: None,
        source: "console".to_owned(),
        expires_at: None,
    };
    appointment::insert(tx, organization, &new, world.now())
}

/// Holds one of the slots that customers want.
fn hold(
    tx: &mut Tx<'_>,
    world: &World,
    organization: OrganizationId,
    (customer, contact): (usize, ContactId),
    until: Timestamp,
) -> Result<Option<AppointmentId>, StoreError> {
    let (day, name) = world.draw(|rng| (rng.u8(25..=26), rng.choice(["Wesley Moura", "Otávio Prado"])));
    let professional: ProfessionalId = tx.query_one(
        "SELECT id FROM professional WHERE organization_id = ?1 AND name = ?2",
        &[i64::from(organization).into(), name.unwrap_or_default().into()],
        |row| row.get(0),
    )?;
    // From two in the afternoon on, in São Paulo.
    let start: Timestamp = format!("2026-11-{day}T{}:00:00Z", 17 + customer).parse().unwrap_or_default();
    let span = Span::of_minutes(start, 30);
    let new = NewAppointment {
        contact,
        professional,
        capacity: 1,
        service: None,
        service_name: "Corte na máquina".to_owned(),
        span,
        occupied: span,
        status: AppointmentStatus::Pending,
        price_cents: 5_000,
        plan: None,
        attendee: None,
        source: "console".to_owned(),
        expires_at: Some(until),
    };
    appointment::insert(tx, organization, &new, world.now())
}

/// A gate that is always open.
#[derive(Debug)]
struct Open;

#[async_trait]
impl FaultInjector for Open {
    async fn enter(&self, _may_write: bool) -> CommitOutcome {
        CommitOutcome::Commit
    }

    async fn leave(&self, _may_write: bool) {}
}
