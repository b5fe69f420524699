//! A business in the form of a business file: only what differs from what a file may leave out, lists in an order of their own.

use std::collections::BTreeMap;

use balcao_domain::hours::{DayException, WeeklyHours};
use balcao_domain::professional::Notify;
use balcao_domain::scheduling::SchedulingRules;
use balcao_domain::service::Service;
use jiff::Timestamp;
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};

use super::plan::{Records, Section};
use crate::admin::seed::{BusinessFile, FORMAT, NAME_SEPARATOR, PlanEntry, ProfessionalEntry};

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// The document, with the format of its keys at the top. Stored versions have no format, because this program alone reads them.
pub(super) fn with_format(document: Value) -> Value {
    let mut all = Map::from_iter([("format".to_owned(), json!(FORMAT))]);
    if let Value::Object(document) = document {
        all.extend(document);
    }
    Value::Object(all)
}

/// Fields of an entry, in the order in which a file has them.
#[derive(Default)]
struct Entry(Map<String, Value>);

impl Entry {
    fn put(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    /// Leaves out nothing, an empty list or an empty mapping.
    fn some(self, key: &str, value: impl Into<Value>) -> Self {
        let value = value.into();
        let empty = match &value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        };
        if empty { self } else { self.put(key, value) }
    }

    fn unless<T: PartialEq + Into<Value>>(self, usual: T, key: &str, value: T) -> Self {
        if value == usual { self } else { self.put(key, value) }
    }
}

/// The whole document; its keys are the sections.
pub(super) fn of_file(file: &BusinessFile) -> Value {
    let mut document = Map::new();
    for (section, name, entry) in entries(file) {
        let value = if section == Section::Tags { Value::String(name) } else { Value::Object(entry) };
        if section == Section::Organization {
            document.insert(section.as_str().to_owned(), value);
        } else if let Some(all) = list(&mut document, section) {
            all.push(value);
        }
    }
    Value::Object(document)
}

/// The part of a document that a reply may state.
pub(super) fn stated(document: &Value) -> Value {
    let is_stated = |key: &str| Section::from_word(key).is_some_and(Section::is_stated);
    let sections = document.as_object().into_iter().flatten().filter(|(key, _)| is_stated(key));
    Value::Object(sections.map(|(key, entries)| (key.clone(), entries.clone())).collect())
}

/// The list of a section, made where there is none; `None` if something else stands there.
pub(super) fn list(document: &mut Map<String, Value>, section: Section) -> Option<&mut Vec<Value>> {
    document.entry(section.as_str()).or_insert_with(|| Value::Array(Vec::new())).as_array_mut()
}

/// The entries by section and name, to be compared.
pub(super) fn records(file: &BusinessFile) -> Records {
    entries(file).into_iter().map(|(section, name, entry)| ((section, name), entry)).collect()
}

fn entries(file: &BusinessFile) -> Vec<(Section, String, Map<String, Value>)> {
    let zone = TimeZone::get(&file.organization.timezone).unwrap_or(TimeZone::UTC);
    let mut all = vec![(Section::Organization, "organization".to_owned(), organization(file))];
    let mut add = |section, name: &str, entry: Entry| all.push((section, name.to_owned(), entry.0));
    for one in &file.services {
        add(Section::Services, &one.name, service(one));
    }
    for one in &file.professionals {
        add(Section::Professionals, &one.professional.name, professional(file, one, &zone));
    }
    for one in &file.plans {
        add(Section::Plans, &one.plan.name, plan(file, one));
    }
    for (name, stages) in &file.pipelines {
        add(Section::Pipelines, name, Entry::default().put("name", name.as_str()).put("stages", stages.clone()));
    }
    for name in &file.tags {
        add(Section::Tags, name, Entry::default().put("name", name.as_str()));
    }
    for one in &file.staff {
        let linked = one.professional.and_then(|place| file.professionals.get(place));
        let entry = Entry::default()
            .put("name", one.person.name.as_str())
            .put("email", one.person.email.as_str())
            .put("role", one.person.role.as_str())
            .some("phone", one.person.phone.clone())
            .unless(true, "on_duty", one.person.on_duty)
            .some("professional", linked.map(|linked| linked.professional.name.clone()))
            .unless(true, "active", one.person.active);
        add(Section::Staff, &one.person.email, entry);
    }
    for one in &file.knowledge {
        let entry = Entry::default()
            .some("category", one.category.clone())
            .put("title", one.title.as_str())
            .put("content", one.content.as_str());
        add(Section::Knowledge, &knowledge_name(one.category.as_deref(), &one.title), entry);
    }
    for one in &file.templates {
        let entry = Entry::default()
            .put("name", one.name.as_str())
            .put("category", one.category.as_str())
            .put("language", one.language.as_str())
            .put("body", one.body.as_str())
            .unless(false, "approved", one.approved);
        add(Section::Templates, &template_name(&one.name, &one.language), entry);
    }
    for one in &file.media {
        let entry = Entry::default()
            .put("key", one.key.as_str())
            .put("kind", one.kind.as_str())
            .some("name", one.name.clone())
            .some("path", one.path.clone())
            .some("latitude", one.latitude)
            .some("longitude", one.longitude);
        add(Section::Media, &one.key, entry);
    }
    all
}

/// Pairs entries of the knowledge by their title alone where their category differs, so that a plan shows the change of the category.
/// Only a title that each side has once is sure to mean one entry.
pub(super) fn pair_knowledge(stored: &Records, wanted: &mut Records) {
    let titled = |records: &Records| {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for ((section, name), entry) in records {
            if let (Section::Knowledge, Some(title)) = (section, entry.get("title").and_then(Value::as_str)) {
                names.entry(title.to_owned()).or_default().push(name.clone());
            }
        }
        names
    };
    let before = titled(stored);
    for (title, names) in titled(wanted) {
        let (Some([old]), [new]) = (before.get(&title).map(Vec::as_slice), names.as_slice()) else { continue };
        if old != new
            && let Some(entry) = wanted.remove(&(Section::Knowledge, new.clone()))
        {
            wanted.insert((Section::Knowledge, old.clone()), entry);
        }
    }
}

/// Pairs people of staff whose addresses differ only in case: they are one person, who keeps the address as it is stored.
pub(super) fn pair_staff(stored: &Records, wanted: &mut Records) {
    for (section, email) in stored.keys().filter(|(section, _)| *section == Section::Staff) {
        let is_same = |(of, name): &&(Section, String)| of == section && name.eq_ignore_ascii_case(email);
        let Some(written) = wanted.keys().find(is_same).cloned() else { continue };
        if let Some(mut entry) = wanted.remove(&written) {
            entry.insert("email".to_owned(), Value::from(email.as_str()));
            wanted.insert((*section, email.clone()), entry);
        }
    }
}

/// What names an entry of the knowledge: two categories may have one title. Neither holds the sign between them.
pub(super) fn knowledge_name(category: Option<&str>, title: &str) -> String {
    category.map_or_else(|| title.to_owned(), |category| format!("{category} {NAME_SEPARATOR} {title}"))
}

/// What names a template: it may exist in several languages.
pub(super) fn template_name(name: &str, language: &str) -> String {
    format!("{name} ({language})")
}

fn organization(file: &BusinessFile) -> Map<String, Value> {
    let one = &file.organization;
    Entry::default()
        .put("name", one.name.as_str())
        .put("slug", one.slug.as_str())
        .put("timezone", one.timezone.as_str())
        .put("locale", one.locale.as_str())
        .put("currency", one.currency.code())
        .some("phone", one.phone.clone())
        .some("address", one.address.clone())
        .put("hours", weekly(&one.weekly_hours))
        .some("exceptions", exceptions(file.exceptions.iter().map(|(date, exception)| (*date, exception))))
        .unless(false, "national_holidays", file.national_holidays)
        .some("scheduling", scheduling(&one.scheduling))
        .0
}

fn weekly(hours: &WeeklyHours) -> Value {
    let day = |(word, weekday): (&str, Weekday)| {
        let periods: Vec<String> = hours.on(weekday).iter().map(ToString::to_string).collect();
        (word.to_owned(), Value::from(periods))
    };
    let open = WEEKDAYS.into_iter().filter(|(_, weekday)| !hours.on(*weekday).is_empty());
    Value::Object(open.map(day).collect())
}

fn exceptions<'a>(all: impl Iterator<Item = (Date, &'a DayException)>) -> Value {
    let mut all: Vec<_> = all.collect();
    all.sort_by_key(|(date, _)| *date);
    let entry = |(date, exception): (Date, &DayException)| {
        let periods: Vec<String> = exception.periods.iter().map(ToString::to_string).collect();
        let entry = Entry::default().put("date", date.to_string()).put("periods", periods);
        Value::Object(entry.some("note", exception.note.clone()).0)
    };
    Value::Array(all.into_iter().map(entry).collect())
}

/// The rules that differ from the usual ones.
fn scheduling(rules: &SchedulingRules) -> Value {
    let of = |rules: &SchedulingRules| serde_json::to_value(rules).ok().and_then(|value| value.as_object().cloned());
    let usual = of(&SchedulingRules::default()).unwrap_or_default();
    let own = of(rules).unwrap_or_default();
    Value::Object(own.into_iter().filter(|(key, value)| usual.get(key) != Some(value)).collect())
}

fn price(cents: i64) -> Value {
    Value::String(format!("{}.{:02}", cents / 100, cents % 100))
}

fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names
}

fn service(one: &Service) -> Entry {
    Entry::default()
        .put("name", one.name.as_str())
        .some("aliases", sorted(&one.aliases))
        .some("description", one.description.clone())
        .put("price", price(one.price.cents))
        .put("duration_minutes", one.duration_min)
        .unless(0, "buffer_before_minutes", one.buffer_before_min)
        .unless(0, "buffer_after_minutes", one.buffer_after_min)
        .some("minimum_notice_minutes", one.notice_min)
        .some("maximum_advance_days", one.advance_days)
        .some("cancellation_notice_minutes", one.cancellation_notice_min)
        .unless(true, "active", one.active)
}

fn professional(file: &BusinessFile, entry: &ProfessionalEntry, zone: &TimeZone) -> Entry {
    let one = &entry.professional;
    let mut offers: Vec<(&str, Value)> = Vec::new();
    for (place, duration, own_price) in &entry.offers {
        let Some(service) = file.services.get(*place) else { continue };
        let name = service.name.as_str();
        let offer = if duration.is_none() && own_price.is_none() {
            Value::from(name)
        } else {
            let offer = Entry::default().put("name", name).some("duration_minutes", *duration);
            Value::Object(offer.some("price", own_price.map_or(Value::Null, price)).0)
        };
        offers.push((name, offer));
    }
    offers.sort_by_key(|(name, _)| *name);
    let mut away = entry.away.clone();
    away.sort_by_key(|(span, _)| (span.start, span.end));
    let local = |at: Timestamp| zone.to_datetime(at).strftime("%Y-%m-%dT%H:%M").to_string();
    let time_off = away.iter().map(|(span, note)| {
        let entry = Entry::default().put("from", local(span.start)).put("to", local(span.end));
        Value::Object(entry.some("note", note.clone()).0)
    });
    let Notify { whatsapp, email } = one.notify;
    let notify: Vec<&str> =
        [(whatsapp, "whatsapp"), (email, "email")].iter().filter(|(on, _)| *on).map(|(_, word)| *word).collect();
    Entry::default()
        .put("name", one.name.as_str())
        .some("aliases", sorted(&one.aliases))
        .some("profession", one.profession.clone())
        .put("hours", weekly(&one.hours.weekly))
        .some("exceptions", exceptions(one.hours.exceptions.iter().map(|(date, exception)| (*date, exception))))
        .some("services", Value::Array(offers.into_iter().map(|(_, offer)| offer).collect()))
        .some("restrictions", one.restrictions.clone())
        .some("time_off", Value::Array(time_off.collect()))
        .unless(1, "capacity", one.capacity)
        .some("phone", one.phone.clone())
        .some("email", one.email.clone())
        .some("notify", json!(notify))
        .some("code", one.code.clone())
        .unless(true, "active", one.active)
}

fn plan(file: &BusinessFile, entry: &PlanEntry) -> Entry {
    let one = &entry.plan;
    let covers: Vec<String> =
        entry.covers.iter().filter_map(|place| Some(file.services.get(*place)?.name.clone())).collect();
    Entry::default()
        .put("name", one.name.as_str())
        .put("price", price(one.price.cents))
        .put("period", one.period.as_str())
        .some("covers", sorted(&covers))
        .some("quota", one.quota)
        .some("benefits", one.benefits.clone())
        .unless(true, "active", one.active)
}
