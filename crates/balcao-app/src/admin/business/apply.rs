//! Makes a plan, in the transaction that looked at what it changes.

use balcao_domain::service::OfferedService;
use balcao_domain::time_off::TimeOff;
use balcao_domain::{OrganizationId, ServiceId};
use balcao_language::search::search_tokens;
use balcao_store::crm::organization::Organization;
use balcao_store::crm::staff::Staff;
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::scheduling::catalog::{self, Around};
use balcao_store::{
    Tx, crm::organization, crm::pipeline, crm::staff, crm::tag, knowledge, messaging::template, scheduling::hours,
};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::document::{knowledge_name, template_name};
use super::plan::{Action, BusinessPlan, Change, Section};
use crate::admin::seed::{BusinessFile, new_holidays};
use crate::context::app_context::UseCaseError;

/// Makes every change and writes a row of the audit log for each.
pub(super) fn apply(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    wanted: &BusinessFile,
    plan: &BusinessPlan,
    actor: &str,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    for change in &plan.changes {
        let mut maker = Maker { tx, organization, wanted, name: &change.name, now };
        maker.make(change)?;
        let of = |value: fn(&super::plan::FieldChange) -> &Value| {
            let fields = change.fields.iter().filter(|field| !value(field).is_null());
            let fields: serde_json::Map<String, Value> =
                fields.map(|field| (field.field.clone(), value(field).clone())).collect();
            Some(Value::Object(fields).to_string())
        };
        let word = match change.action {
            Action::Added => "add",
            Action::Changed => "update",
            Action::Archived => "archive",
            Action::Removed => "remove",
        };
        let entry = AuditEntry {
            at: now,
            actor: actor.to_owned(),
            action: format!("{}.{word}", change.section),
            subject: change.name.clone(),
            before: of(|field| &field.before),
            after: of(|field| &field.after),
        };
        audit::append(tx, organization, &entry)?;
    }
    Ok(())
}

/// One entry on its way into the database.
struct Maker<'a, 'tx> {
    tx: &'a mut Tx<'tx>,
    organization: OrganizationId,
    wanted: &'a BusinessFile,
    name: &'a str,
    now: Timestamp,
}

impl Maker<'_, '_> {
    fn make(&mut self, change: &Change) -> Result<(), UseCaseError> {
        match change.section {
            Section::Services => self.service(change.action),
            Section::Professionals => self.professional(change.action),
            Section::Plans => self.plan(change.action),
            Section::Pipelines => self.pipeline(change.action),
            Section::Tags => self.tag(change.action),
            Section::Staff => self.person(change.action),
            Section::Knowledge => self.knowledge(change.action),
            Section::Templates => self.template(change.action),
            Section::Media => self.media(change.action),
            Section::Organization => self.organization(),
        }
    }

    fn service(&mut self, action: Action) -> Result<(), UseCaseError> {
        let currency = self.wanted.organization.currency;
        let stored = catalog::list_services(self.tx, self.organization, currency)?;
        let stored = stored.into_iter().find(|one| one.name == self.name);
        let wanted = self.wanted.services.iter().find(|one| one.name == self.name);
        match (action, stored, wanted) {
            (Action::Archived, Some(mut service), None) => {
                service.active = false;
                catalog::update_service(self.tx, self.organization, &service)?;
            }
            (_, Some(service), Some(wanted)) => {
                let changed = balcao_domain::service::Service { id: service.id, ..wanted.clone() };
                catalog::update_service(self.tx, self.organization, &changed)?;
            }
            (_, None, Some(wanted)) => drop(catalog::insert_service(self.tx, self.organization, wanted)?),
            (_, _, None) => {}
        }
        Ok(())
    }

    /// The ids of services of the wanted business, by place.
    fn services(&mut self) -> Result<Vec<Option<ServiceId>>, UseCaseError> {
        let currency = self.wanted.organization.currency;
        let stored = catalog::list_services(self.tx, self.organization, currency)?;
        let id = |name: &str| stored.iter().find(|one| one.name == name).map(|one| one.id);
        Ok(self.wanted.services.iter().map(|one| id(&one.name)).collect())
    }

    fn professional(&mut self, action: Action) -> Result<(), UseCaseError> {
        let always = Around { from: Date::MIN, to: Date::MAX, since: Timestamp::MIN };
        let stored = catalog::list_professionals(self.tx, self.organization, always)?;
        let stored = stored.into_iter().find(|one| one.name == self.name);
        let wanted = self.wanted.professionals.iter().find(|one| one.professional.name == self.name);
        if let (Action::Archived, Some(professional), None) = (action, &stored, wanted) {
            let archived = balcao_domain::professional::Professional { active: false, ..professional.clone() };
            catalog::update_professional(self.tx, self.organization, &archived)?;
            return Ok(());
        }
        let Some(entry) = wanted else { return Ok(()) };
        let services = self.services()?;
        let mut changed = entry.professional.clone();
        let offer = |(place, duration_min, price_cents): &(usize, Option<u32>, Option<i64>)| {
            let service = services.get(*place).copied().flatten()?;
            Some(OfferedService { service, duration_min: *duration_min, price_cents: *price_cents })
        };
        changed.services = entry.offers.iter().filter_map(offer).collect();
        let id = stored.as_ref().map_or(changed.id, |stored| stored.id);
        let away = entry.away.iter().filter_map(|(span, note)| {
            Some(TimeOff { id: crate::admin::seed::placeholder(0)?, professional: id, span: *span, note: note.clone() })
        });
        changed.time_off = away.collect();
        match stored {
            Some(stored) => {
                changed.id = stored.id;
                catalog::update_professional(self.tx, self.organization, &changed)?;
            }
            None => drop(catalog::insert_professional(self.tx, self.organization, &changed)?),
        }
        Ok(())
    }

    fn plan(&mut self, action: Action) -> Result<(), UseCaseError> {
        let currency = self.wanted.organization.currency;
        let stored = catalog::list_plans(self.tx, self.organization, currency)?;
        let stored = stored.into_iter().find(|one| one.name == self.name);
        let wanted = self.wanted.plans.iter().find(|one| one.plan.name == self.name);
        if let (Action::Archived, Some(plan), None) = (action, &stored, wanted) {
            let archived = balcao_domain::subscription::Plan { active: false, ..plan.clone() };
            catalog::update_plan(self.tx, self.organization, &archived)?;
            return Ok(());
        }
        let Some(entry) = wanted else { return Ok(()) };
        let services = self.services()?;
        let mut changed = entry.plan.clone();
        changed.covers = entry.covers.iter().filter_map(|place| services.get(*place).copied().flatten()).collect();
        match stored {
            Some(stored) => {
                changed.id = stored.id;
                catalog::update_plan(self.tx, self.organization, &changed)?;
            }
            None => drop(catalog::insert_plan(self.tx, self.organization, &changed)?),
        }
        Ok(())
    }

    fn pipeline(&mut self, action: Action) -> Result<(), UseCaseError> {
        let Some((name, stages)) = self.wanted.pipelines.iter().find(|(name, _)| name == self.name) else {
            let stored = pipeline::list(self.tx, self.organization)?.into_iter().find(|one| one.name == self.name);
            if let Some(stored) = stored {
                pipeline::remove(self.tx, self.organization, stored.id)?;
            }
            return Ok(());
        };
        if action == Action::Added {
            pipeline::insert(self.tx, self.organization, name, stages)?;
            return Ok(());
        }
        let stored = pipeline::list(self.tx, self.organization)?;
        let Some(stored) = stored.into_iter().find(|one| one.name == *name) else { return Ok(()) };
        for stage in stages.iter().skip(stored.stages.len()) {
            pipeline::add_stage(self.tx, self.organization, stored.id, stage)?;
        }
        Ok(())
    }

    fn tag(&mut self, action: Action) -> Result<(), UseCaseError> {
        if action == Action::Added {
            tag::insert(self.tx, self.organization, self.name)?;
            return Ok(());
        }
        let stored = tag::list(self.tx, self.organization)?.into_iter().find(|one| one.name == self.name);
        if let (Action::Removed, Some(stored)) = (action, stored) {
            tag::remove(self.tx, self.organization, stored.id)?;
        }
        Ok(())
    }

    fn person(&mut self, action: Action) -> Result<(), UseCaseError> {
        let stored = staff::list_with_archived(self.tx, self.organization)?;
        let stored = stored.into_iter().find(|one| one.email == self.name);
        let wanted = self.wanted.staff.iter().find(|one| one.person.email.eq_ignore_ascii_case(self.name));
        if let (Action::Archived, Some(person), None) = (action, &stored, wanted) {
            staff::update(self.tx, self.organization, &Staff { active: false, ..person.clone() })?;
            return Ok(());
        }
        let Some(entry) = wanted else { return Ok(()) };
        let linked = entry.professional.and_then(|place| self.wanted.professionals.get(place));
        let names = catalog::professional_names(self.tx, self.organization)?;
        let professional = linked
            .and_then(|linked| names.iter().find(|(_, name)| **name == linked.professional.name).map(|(id, _)| *id));
        let changed = Staff { professional, ..entry.person.clone() };
        match stored {
            Some(stored) => staff::update(self.tx, self.organization, &Staff { id: stored.id, ..changed })?,
            None => drop(staff::insert(self.tx, self.organization, &changed)?),
        }
        Ok(())
    }

    fn knowledge(&mut self, action: Action) -> Result<(), UseCaseError> {
        let named = |category: Option<&str>, title: &str| knowledge_name(category, title) == self.name;
        let stored = knowledge::list(self.tx, self.organization)?;
        let stored = stored.into_iter().find(|one| named(one.category.as_deref(), &one.title));
        let stored_title = stored.as_ref().map(|one| one.title.clone());
        // An entry that changes is another one for searches: its words and its vector go with the old one.
        if let Some(stored) = stored {
            knowledge::delete(self.tx, self.organization, stored.id)?;
        }
        let wanted = &self.wanted.knowledge;
        let named = wanted.iter().find(|one| named(one.category.as_deref(), &one.title));
        // An entry that changes its category keeps its title.
        let titled = || wanted.iter().find(|one| stored_title.as_ref() == Some(&one.title));
        if let Some(wanted) = named.or_else(|| titled().filter(|_| action == Action::Changed)) {
            knowledge::insert(self.tx, self.organization, wanted, search_tokens)?;
        }
        Ok(())
    }

    fn template(&mut self, _action: Action) -> Result<(), UseCaseError> {
        let wanted = self.wanted.templates.iter().find(|one| template_name(&one.name, &one.language) == self.name);
        if let Some(wanted) = wanted {
            template::put_template(self.tx, self.organization, wanted)?;
            return Ok(());
        }
        let stored = template::list_templates(self.tx, self.organization)?;
        let stored = stored.into_iter().find(|one| template_name(&one.name, &one.language) == self.name);
        if let Some(stored) = stored {
            template::remove_template(self.tx, self.organization, &stored.name, &stored.language)?;
        }
        Ok(())
    }

    fn media(&mut self, _action: Action) -> Result<(), UseCaseError> {
        match self.wanted.media.iter().find(|one| one.key == self.name) {
            Some(wanted) => template::put_media(self.tx, self.organization, wanted)?,
            None => drop(template::remove_media(self.tx, self.organization, self.name)?),
        }
        Ok(())
    }

    fn organization(&mut self) -> Result<(), UseCaseError> {
        let wanted = &self.wanted.organization;
        let stored = organization::get(self.tx, self.organization)?;
        organization::update(self.tx, &Organization { id: stored.id, slug: stored.slug.clone(), ..wanted.clone() })?;
        let open = hours::of_business(self.tx, &stored, Date::MIN, Date::MAX)?;
        for date in open.exceptions.keys().filter(|date| !self.wanted.exceptions.iter().any(|(kept, _)| kept == *date))
        {
            hours::remove_exception(self.tx, self.organization, *date)?;
        }
        for (date, exception) in &self.wanted.exceptions {
            hours::set_exception(self.tx, self.organization, None, *date, exception)?;
        }
        let today = TimeZone::get(&wanted.timezone).unwrap_or(TimeZone::UTC).to_datetime(self.now).date();
        if !self.wanted.national_holidays {
            hours::remove_holidays(self.tx, self.organization, Date::MIN)?;
        } else if open.holidays.is_empty() {
            for (date, name) in new_holidays(today) {
                hours::set_holiday(self.tx, self.organization, date, &name)?;
            }
        }
        Ok(())
    }
}
