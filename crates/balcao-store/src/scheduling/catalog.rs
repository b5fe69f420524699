//! Services, professionals and plans: what a contact can book, which professional does it, and which plan pays for it.

use std::collections::BTreeMap;

use balcao_domain::hours::{Hours, WeeklyHours};
use balcao_domain::professional::{Notify, Professional};
use balcao_domain::service::{OfferedService, Service};
use balcao_domain::subscription::{Plan, PlanPeriod};
use balcao_domain::time_off::TimeOff;
use balcao_domain::{Currency, Money, OrganizationId, PlanId, ProfessionalId, ServiceId, Span, TimeOffId};
use jiff::Timestamp;
use jiff::civil::Date;

use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{json, read_word, to_json, values};

/// Adds a service with its aliases; its `id` is not looked at.
///
/// # Errors
/// A unique violation if the name is taken.
pub fn insert_service(tx: &mut Tx<'_>, organization: OrganizationId, new: &Service) -> Result<ServiceId, StoreError> {
    let id: ServiceId = tx.insert(
        "INSERT INTO service (organization_id, name, description, price_cents, duration_min, buffer_before_min,
                              buffer_after_min, notice_min, advance_days, cancellation_notice_min, active)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) RETURNING id",
        values![
            organization,
            &new.name,
            new.description.as_ref(),
            new.price.cents,
            new.duration_min,
            new.buffer_before_min,
            new.buffer_after_min,
            new.notice_min,
            new.advance_days,
            new.cancellation_notice_min,
            new.active,
        ],
    )?;
    insert_service_aliases(tx, organization, id, &new.aliases)?;
    Ok(id)
}

fn insert_service_aliases(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ServiceId,
    aliases: &[String],
) -> Result<(), StoreError> {
    for alias in aliases {
        tx.execute(
            "INSERT INTO service_alias (organization_id, service_id, alias) VALUES (?1, ?2, ?3)",
            values![organization, id, alias],
        )?;
    }
    Ok(())
}

/// Replaces everything of a service but its id and name, aliases included. Appointments keep the name and price that they were booked with.
///
/// # Errors
/// [`StoreError::NoRow`] if there is none.
pub fn update_service(tx: &mut Tx<'_>, organization: OrganizationId, changed: &Service) -> Result<(), StoreError> {
    let rows = tx.execute(
        "UPDATE service SET description = ?3, price_cents = ?4, duration_min = ?5, buffer_before_min = ?6,
                            buffer_after_min = ?7, notice_min = ?8, advance_days = ?9, cancellation_notice_min = ?10, active = ?11
         WHERE organization_id = ?1 AND id = ?2",
        values![
            organization,
            changed.id,
            changed.description.as_ref(),
            changed.price.cents,
            changed.duration_min,
            changed.buffer_before_min,
            changed.buffer_after_min,
            changed.notice_min,
            changed.advance_days,
            changed.cancellation_notice_min,
            changed.active,
        ],
    )?;
    if rows == 0 {
        return Err(StoreError::NoRow { sql: "UPDATE service".to_owned() });
    }
    tx.execute(
        "DELETE FROM service_alias WHERE organization_id = ?1 AND service_id = ?2",
        values![organization, changed.id],
    )?;
    insert_service_aliases(tx, organization, changed.id, &changed.aliases)
}

pub(crate) const SERVICE_ALIASES: &str =
    "SELECT service_id, alias FROM service_alias WHERE organization_id = ?1 ORDER BY service_id, alias";

pub(crate) const SERVICES: &str =
    "SELECT id, name, description, price_cents, duration_min, buffer_before_min, buffer_after_min, notice_min,
                advance_days, cancellation_notice_min, active
         FROM service WHERE organization_id = ?1 ORDER BY id";

/// Every service, inactive ones included, in order of id.
///
/// # Errors
/// What the database said.
pub fn list_services(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    currency: Currency,
) -> Result<Vec<Service>, StoreError> {
    let aliases = tx.query_all(SERVICE_ALIASES, values![organization], |row| {
        Ok((row.get::<ServiceId>(0)?, row.get::<String>(1)?))
    })?;
    let mut aliases = grouped(aliases);
    tx.query_all(SERVICES, values![organization], |row| {
        let id = row.get(0)?;
        Ok(Service {
            id,
            name: row.get(1)?,
            aliases: aliases.remove(&id).unwrap_or_default(),
            description: row.get(2)?,
            price: Money::new(row.get(3)?, currency),
            duration_min: row.get(4)?,
            buffer_before_min: row.get(5)?,
            buffer_after_min: row.get(6)?,
            notice_min: row.get(7)?,
            advance_days: row.get(8)?,
            cancellation_notice_min: row.get(9)?,
            active: row.get(10)?,
        })
    })
}

/// Adds a professional with aliases, services, exceptions and time off; ids in `new` are not looked at.
///
/// # Errors
/// A unique violation if the name is taken.
pub fn insert_professional(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    new: &Professional,
) -> Result<ProfessionalId, StoreError> {
    let id: ProfessionalId = tx.insert(
        "INSERT INTO professional (organization_id, name, profession, weekly_hours, restrictions, capacity, phone, email, active,
                                   notify_whatsapp, notify_email, code)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING id",
        values![
            organization,
            &new.name,
            new.profession.as_ref(),
            to_json(&new.hours.weekly)?,
            new.restrictions.as_ref(),
            new.capacity,
            new.phone.as_ref(),
            new.email.as_ref(),
            new.active,
            new.notify.whatsapp,
            new.notify.email,
            new.code.as_ref(),
        ],
    )?;
    insert_parts(tx, organization, id, new)?;
    Ok(id)
}

/// What a professional has beside the row of its own.
fn insert_parts(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ProfessionalId,
    new: &Professional,
) -> Result<(), StoreError> {
    for alias in &new.aliases {
        tx.execute(
            "INSERT INTO professional_alias (organization_id, professional_id, alias) VALUES (?1, ?2, ?3)",
            values![organization, id, alias],
        )?;
    }
    for offered in &new.services {
        tx.execute(
            "INSERT INTO professional_service (organization_id, professional_id, service_id, duration_min, price_cents)
             VALUES (?1, ?2, ?3, ?4, ?5)",
            values![organization, id, offered.service, offered.duration_min, offered.price_cents],
        )?;
    }
    for (date, exception) in &new.hours.exceptions {
        crate::scheduling::hours::set_exception(tx, organization, Some(id), *date, exception)?;
    }
    for away in &new.time_off {
        insert_time_off(tx, organization, id, away.span, away.note.as_deref())?;
    }
    Ok(())
}

/// Replaces everything of a professional but its id and name: aliases, services, exceptions and time off, too. Appointments stay.
///
/// # Errors
/// [`StoreError::NoRow`] if there is none.
pub fn update_professional(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    changed: &Professional,
) -> Result<(), StoreError> {
    let rows = tx.execute(
        "UPDATE professional SET profession = ?3, weekly_hours = ?4, restrictions = ?5, capacity = ?6, phone = ?7, email = ?8,
                                 active = ?9, notify_whatsapp = ?10, notify_email = ?11, code = ?12
         WHERE organization_id = ?1 AND id = ?2",
        values![
            organization,
            changed.id,
            changed.profession.as_ref(),
            to_json(&changed.hours.weekly)?,
            changed.restrictions.as_ref(),
            changed.capacity,
            changed.phone.as_ref(),
            changed.email.as_ref(),
            changed.active,
            changed.notify.whatsapp,
            changed.notify.email,
            changed.code.as_ref(),
        ],
    )?;
    if rows == 0 {
        return Err(StoreError::NoRow { sql: "UPDATE professional".to_owned() });
    }
    for sql in [
        "DELETE FROM professional_alias WHERE organization_id = ?1 AND professional_id = ?2",
        "DELETE FROM professional_service WHERE organization_id = ?1 AND professional_id = ?2",
        "DELETE FROM hours_exception WHERE organization_id = ?1 AND professional_id = ?2",
        "DELETE FROM time_off WHERE organization_id = ?1 AND professional_id = ?2",
    ] {
        tx.execute(sql, values![organization, changed.id])?;
    }
    insert_parts(tx, organization, changed.id, changed)
}

/// Adds a professional's time off. Appointments in it stay: they are for staff to move.
///
/// # Errors
/// What the database said.
pub fn insert_time_off(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    professional: ProfessionalId,
    span: Span,
    note: Option<&str>,
) -> Result<TimeOffId, StoreError> {
    tx.insert(
        "INSERT INTO time_off (organization_id, professional_id, starts_at, ends_at, note) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id",
        values![organization, professional, span.start, span.end, note],
    )
}

/// What part of the agenda to load with the professionals.
#[derive(Debug, Clone, Copy)]
pub struct Around {
    /// The first local date whose exceptions are loaded.
    pub from: Date,
    /// The last one, included.
    pub to: Date,
    /// Time off that ends after this instant is loaded.
    pub since: Timestamp,
}

/// The name of every professional, inactive ones included.
///
/// # Errors
/// What the database said.
pub fn professional_names(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
) -> Result<BTreeMap<ProfessionalId, String>, StoreError> {
    let sql = "SELECT id, name FROM professional WHERE organization_id = ?1";
    let all = tx.query_all(sql, values![organization], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(all.into_iter().collect())
}

pub(crate) const PROFESSIONAL_ALIASES: &str =
    "SELECT professional_id, alias FROM professional_alias WHERE organization_id = ?1 ORDER BY professional_id, alias";

pub(crate) const PROFESSIONAL_SERVICES: &str =
    "SELECT professional_id, service_id, duration_min, price_cents FROM professional_service
         WHERE organization_id = ?1 ORDER BY professional_id, service_id";

pub(crate) const TIME_OFF: &str = "SELECT professional_id, id, starts_at, ends_at, note FROM time_off
         WHERE organization_id = ?1 AND ends_at > ?2 ORDER BY professional_id, starts_at";

pub(crate) const PROFESSIONALS: &str =
    "SELECT id, name, profession, weekly_hours, restrictions, capacity, phone, email, active, notify_whatsapp, notify_email, code
         FROM professional WHERE organization_id = ?1 ORDER BY id";

/// Every professional, inactive ones included, in order of id, with the exceptions and time off around the dates given.
///
/// # Errors
/// What the database said.
pub fn list_professionals(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    around: Around,
) -> Result<Vec<Professional>, StoreError> {
    let aliases = tx.query_all(PROFESSIONAL_ALIASES, values![organization], |row| {
        Ok((row.get::<ProfessionalId>(0)?, row.get::<String>(1)?))
    })?;
    let services = tx.query_all(PROFESSIONAL_SERVICES, values![organization], |row| {
        let offered = OfferedService { service: row.get(1)?, duration_min: row.get(2)?, price_cents: row.get(3)? };
        Ok((row.get::<ProfessionalId>(0)?, offered))
    })?;
    let time_off = tx.query_all(TIME_OFF, values![organization, around.since], |row| {
        let professional = row.get::<ProfessionalId>(0)?;
        let span = Span::new(row.get(2)?, row.get(3)?);
        Ok((professional, TimeOff { id: row.get(1)?, professional, span, note: row.get(4)? }))
    })?;
    let mut exceptions = crate::scheduling::hours::exceptions(tx, organization, around.from, around.to)?;
    let (mut aliases, mut services, mut time_off) = (grouped(aliases), grouped(services), grouped(time_off));
    tx.query_all(PROFESSIONALS, values![organization], |row| {
        let id: ProfessionalId = row.get(0)?;
        let weekly: WeeklyHours = json(row, 3)?;
        let exceptions = exceptions.remove(&i64::from(id)).unwrap_or_default();
        Ok(Professional {
            id,
            name: row.get(1)?,
            aliases: aliases.remove(&id).unwrap_or_default(),
            profession: row.get(2)?,
            hours: Hours { weekly, exceptions, holidays: BTreeMap::new() },
            services: services.remove(&id).unwrap_or_default(),
            time_off: time_off.remove(&id).unwrap_or_default(),
            restrictions: row.get(4)?,
            capacity: row.get(5)?,
            phone: row.get(6)?,
            email: row.get(7)?,
            active: row.get(8)?,
            notify: Notify { whatsapp: row.get(9)?, email: row.get(10)? },
            code: row.get(11)?,
        })
    })
}

/// Adds a plan with the services it covers; its `id` is not looked at.
///
/// # Errors
/// A unique violation if the name is taken.
pub fn insert_plan(tx: &mut Tx<'_>, organization: OrganizationId, new: &Plan) -> Result<PlanId, StoreError> {
    let id: PlanId = tx.insert(
        "INSERT INTO plan (organization_id, name, price_cents, period, quota, benefits, active)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        values![
            organization,
            &new.name,
            new.price.cents,
            new.period.as_str(),
            new.quota,
            to_json(&new.benefits)?,
            new.active,
        ],
    )?;
    insert_covered(tx, organization, id, &new.covers)?;
    Ok(id)
}

fn insert_covered(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: PlanId,
    services: &[ServiceId],
) -> Result<(), StoreError> {
    for service in services {
        tx.execute(
            "INSERT INTO plan_service (organization_id, plan_id, service_id) VALUES (?1, ?2, ?3)",
            values![organization, id, *service],
        )?;
    }
    Ok(())
}

/// Replaces everything of a plan but its id and name. Its subscribers stay.
///
/// # Errors
/// [`StoreError::NoRow`] if there is none.
pub fn update_plan(tx: &mut Tx<'_>, organization: OrganizationId, changed: &Plan) -> Result<(), StoreError> {
    let rows = tx.execute(
        "UPDATE plan SET price_cents = ?3, period = ?4, quota = ?5, benefits = ?6, active = ?7
         WHERE organization_id = ?1 AND id = ?2",
        values![
            organization,
            changed.id,
            changed.price.cents,
            changed.period.as_str(),
            changed.quota,
            to_json(&changed.benefits)?,
            changed.active,
        ],
    )?;
    if rows == 0 {
        return Err(StoreError::NoRow { sql: "UPDATE plan".to_owned() });
    }
    tx.execute(
        "DELETE FROM plan_service WHERE organization_id = ?1 AND plan_id = ?2",
        values![organization, changed.id],
    )?;
    insert_covered(tx, organization, changed.id, &changed.covers)
}

/// Every plan, inactive ones included, in order of id.
///
/// # Errors
/// What the database said.
pub fn list_plans(tx: &mut Tx<'_>, organization: OrganizationId, currency: Currency) -> Result<Vec<Plan>, StoreError> {
    let covers = tx.query_all(
        "SELECT plan_id, service_id FROM plan_service WHERE organization_id = ?1 ORDER BY plan_id, service_id",
        values![organization],
        |row| Ok((row.get::<PlanId>(0)?, row.get::<ServiceId>(1)?)),
    )?;
    let mut covers = grouped(covers);
    tx.query_all(
        "SELECT id, name, price_cents, period, quota, benefits, active FROM plan WHERE organization_id = ?1 ORDER BY id",
        values![organization],
        |row| {
            let id = row.get(0)?;
            Ok(Plan {
                id,
                name: row.get(1)?,
                price: Money::new(row.get(2)?, currency),
                period: read_word(row, 3, PlanPeriod::from_word)?,
                covers: covers.remove(&id).unwrap_or_default(),
                quota: row.get(4)?,
                benefits: json(row, 5)?,
                active: row.get(6)?,
            })
        },
    )
}

fn grouped<K: Ord, V>(rows: Vec<(K, V)>) -> BTreeMap<K, Vec<V>> {
    let mut groups: BTreeMap<K, Vec<V>> = BTreeMap::new();
    for (key, value) in rows {
        groups.entry(key).or_default().push(value);
    }
    groups
}
