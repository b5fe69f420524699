//! Exceptions of a date, and holidays.

use std::collections::BTreeMap;

use balcao_domain::holidays::brazilian;
use balcao_domain::hours::{DayException, Hours};
use balcao_domain::{OrganizationId, ProfessionalId};
use jiff::civil::Date;

use crate::crm::organization::Organization;
use crate::database::error::StoreError;
use crate::database::tx::Tx;
use crate::database::value::{Value, json, to_json, values};

/// Whose hours an exception changes. Stored as professional 0 for the business.
fn owner(professional: Option<ProfessionalId>) -> Value<'static> {
    professional.map_or(Value::Integer(0), Value::from)
}

/// Replaces the hours of a date, of the business or of a professional.
///
/// # Errors
/// What the database said.
pub fn set_exception(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    professional: Option<ProfessionalId>,
    date: Date,
    exception: &DayException,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO hours_exception (organization_id, professional_id, date, periods, note) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (organization_id, professional_id, date) DO UPDATE SET periods = excluded.periods, note = excluded.note",
        values![organization, owner(professional), date, to_json(&exception.periods)?, exception.note.as_ref()],
    )?;
    Ok(())
}

/// Closes the business on a date.
///
/// # Errors
/// What the database said.
pub fn set_holiday(tx: &mut Tx<'_>, organization: OrganizationId, date: Date, name: &str) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO holiday (organization_id, date, name) VALUES (?1, ?2, ?3)
         ON CONFLICT (organization_id, date) DO UPDATE SET name = excluded.name",
        values![organization, date, name],
    )?;
    Ok(())
}

/// Takes back an exception of the business; tells whether there was one.
///
/// # Errors
/// What the database said.
pub fn remove_exception(tx: &mut Tx<'_>, organization: OrganizationId, date: Date) -> Result<bool, StoreError> {
    let removed = tx.execute(
        "DELETE FROM hours_exception WHERE organization_id = ?1 AND professional_id = 0 AND date = ?2",
        values![organization, date],
    )?;
    Ok(removed == 1)
}

/// Takes back every holiday from a date on.
///
/// # Errors
/// What the database said.
pub fn remove_holidays(tx: &mut Tx<'_>, organization: OrganizationId, from: Date) -> Result<usize, StoreError> {
    tx.execute("DELETE FROM holiday WHERE organization_id = ?1 AND date >= ?2", values![organization, from])
}

/// The last stored holiday comes with those of the dates: where it ends, the years behind it begin.
pub(crate) const HOLIDAYS: &str =
    "SELECT date, name FROM holiday WHERE organization_id = ?1 AND (date BETWEEN ?2 AND ?3
         OR date = (SELECT max(date) FROM holiday WHERE organization_id = ?1))";

/// For so many years behind the last stored holiday the national ones are read.
const YEARS_AHEAD: i16 = 50;

/// The hours of the business, with the exceptions and holidays from `from` to `to`, both included. The rows of holidays end some years after
/// the business began to close on them; the years behind have the national holidays.
///
/// # Errors
/// What the database said.
pub fn of_business(tx: &mut Tx<'_>, organization: &Organization, from: Date, to: Date) -> Result<Hours, StoreError> {
    let dates = values![organization.id, from, to];
    tx.read_ahead(&[(EXCEPTIONS, dates), (HOLIDAYS, dates)])?;
    let exceptions = exceptions(tx, organization.id, from, to)?.remove(&0).unwrap_or_default();
    let rows = tx.query_all(HOLIDAYS, dates, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut holidays: BTreeMap<Date, String> = rows.into_iter().collect();
    if let Some(last) = holidays.keys().next_back().map(|date| date.year()) {
        let years = last.saturating_add(1)..=to.year().min(last.saturating_add(YEARS_AHEAD));
        holidays.extend(years.flat_map(brazilian).map(|(date, name)| (date, name.to_owned())));
    }
    holidays.retain(|date, _| (from..=to).contains(date));
    Ok(Hours { weekly: organization.weekly_hours.clone(), exceptions, holidays })
}

pub(crate) const EXCEPTIONS: &str = "SELECT professional_id, date, periods, note FROM hours_exception WHERE organization_id = ?1 AND date BETWEEN ?2 AND ?3";

/// The exceptions from `from` to `to`, both included, by professional id; 0 is the business.
///
/// # Errors
/// What the database said.
pub(crate) fn exceptions(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    from: Date,
    to: Date,
) -> Result<BTreeMap<i64, BTreeMap<Date, DayException>>, StoreError> {
    let rows = tx.query_all(EXCEPTIONS, values![organization, from, to], |row| {
        Ok((row.get(0)?, row.get(1)?, DayException { periods: json(row, 2)?, note: row.get(3)? }))
    })?;
    let mut by_owner: BTreeMap<i64, BTreeMap<Date, DayException>> = BTreeMap::new();
    for (owner, date, exception) in rows {
        by_owner.entry(owner).or_default().insert(date, exception);
    }
    Ok(by_owner)
}
