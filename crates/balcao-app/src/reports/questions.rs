//! Questions about the business that no fixed report answers, in a small read-only language ([`balcao_query`]).
//!
//! The catalogue decides what a caller may see: it leaves out each field that the caller has no permission for.

use std::ops::ControlFlow;

use balcao_domain::{Currency, OrganizationId};
use balcao_query::{Catalogue, Field, Plan, Progress, Query, QueryError, Source, Table, Type, Value};
use balcao_store::queries::report::{self, Booked, Scope};
use balcao_store::scheduling::catalog;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::admin::staff_access::StaffPermissions;
use crate::context::app_context::{AppContext, UseCaseError, organization};

/// The words of an appointment's `status`.
static STATUSES: &[&str] = &["pending", "confirmed", "completed", "no_show", "cancelled"];

/// Answers questions.
#[derive(Debug, Clone)]
pub struct Questions {
    app: AppContext,
}

/// An answer, and in which currency its money is.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Columns and rows.
    pub table: Table,
    /// The currency.
    pub currency: Currency,
}

/// Returns the fields that a caller with these permissions may ask about.
#[must_use]
pub fn catalogue(sees: StaffPermissions) -> Catalogue {
    let field = |name, of, description| Field { name, of, description };
    let mut fields = vec![
        field("starts_at", Type::DateTime, "local start"),
        field("booked_at", Type::DateTime, "when it was booked"),
        field("client", Type::Text, "who comes"),
        field("service", Type::Text, "for what"),
        field("professional", Type::Text, "to whom"),
        field("status", Type::Choice(STATUSES), "where it stands"),
        field("minutes", Type::Number, "how long it takes"),
        field("source", Type::Text, "where it was booked"),
    ];
    if sees.money {
        fields.push(field("price", Type::Money, "what it was booked at; revenue is that of completed ones"));
    }
    Catalogue { sources: vec![Source { name: "appointments", description: "every appointment ever booked", fields }] }
}

impl Questions {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Answers a question with the permissions of the caller.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed; inside, what is wrong with the question.
    pub async fn ask(
        &self,
        id: OrganizationId,
        sees: StaffPermissions,
        question: &str,
    ) -> Result<Result<Answer, QueryError>, UseCaseError> {
        let query = match Query::parse(question) {
            Ok(query) => query,
            Err(error) => return Ok(Err(error)),
        };
        self.app
            .look(move |tx, now| {
                let (organization, zone) = organization(tx, id)?;
                let plan = match query.plan(&catalogue(sees), zone.to_datetime(now)) {
                    Ok(plan) => plan,
                    Err(error) => return Ok(Err(error)),
                };
                let names = catalog::professional_names(tx, id)?;
                let (mut run, mut failed) = (plan.run(), None);
                report::each_booked(tx, id, scope(&plan, &zone, sees), |one| {
                    let professional = names.get(&one.professional).map_or("", String::as_str);
                    match run.push(row(one, &zone, professional, sees)) {
                        Ok(Progress::Goes) => ControlFlow::Continue(()),
                        Ok(Progress::Done) => ControlFlow::Break(()),
                        Err(error) => {
                            failed = Some(error);
                            ControlFlow::Break(())
                        }
                    }
                })?;
                let table = failed.map_or_else(|| run.finish(), Err);
                Ok(table.map(|table| Answer { table, currency: organization.currency }))
            })
            .await
    }
}

/// What need be read for an answer.
fn scope(plan: &Plan, zone: &TimeZone, sees: StaffPermissions) -> Scope {
    let range = plan.range("starts_at");
    let at = |local: Option<DateTime>| Some(local?.to_zoned(zone.clone()).ok()?.timestamp());
    // An hour that a clock change skips or repeats is looked at twice rather than not at all; the plan itself decides.
    let hour = jiff::SignedDuration::from_hours(2);
    let from = at(range.from).map_or(Timestamp::MIN, |from| from.checked_sub(hour).unwrap_or(Timestamp::MIN));
    let to = at(range.until).map_or(Timestamp::MAX, |to| to.checked_add(hour).unwrap_or(Timestamp::MAX));
    Scope { from, to, of: sees.only }
}

/// An appointment's values, in the order of the [`catalogue`].
fn row(one: Booked, zone: &TimeZone, professional: &str, sees: StaffPermissions) -> Vec<Value> {
    let minutes = one.ends_at.duration_since(one.starts_at).as_mins();
    let mut row = vec![
        Value::DateTime(zone.to_datetime(one.starts_at)),
        Value::DateTime(zone.to_datetime(one.booked_at)),
        one.client.map_or(Value::Null, Value::text),
        Value::text(one.service),
        Value::text(professional),
        Value::text(one.status.as_str()),
        Value::Integer(minutes),
        Value::text(one.source),
    ];
    if sees.money {
        row.push(Value::Money(one.cents));
    }
    row
}
