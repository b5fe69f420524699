//! Contacts with their tags, stages, subscriptions, notes and appointments.

use std::collections::BTreeMap;

use balcao_domain::availability::instant_of;
use balcao_domain::service::Service;
use balcao_domain::subscription::{SubscriberStatus, SubscriptionDates};
use balcao_domain::{AppointmentStatus, Phone, Span};
use balcao_store::crm::contact::NewContact;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::reader::{At, Fields, Reader};
use super::{AppointmentEntry, ContactEntry, PlanEntry, ProfessionalEntry, SubscriptionEntry};

/// What contacts can refer to.
pub(super) struct World {
    pub(super) services: Vec<Service>,
    pub(super) professionals: Vec<ProfessionalEntry>,
    pub(super) plans: Vec<PlanEntry>,
    pub(super) pipelines: Vec<(String, Vec<String>)>,
    pub(super) tags: Vec<String>,
    pub(super) zone: TimeZone,
}

pub(super) fn contacts<'a>(reader: &mut Reader<'a>, top: &Fields<'a>, world: &World) -> Vec<ContactEntry> {
    const KEYS: [&str; 12] = [
        "name",
        "preferred_name",
        "phone",
        "channel_user",
        "email",
        "address",
        "custom_fields",
        "tags",
        "stage",
        "subscription",
        "notes",
        "appointments",
    ];
    let mut contacts: Vec<ContactEntry> = Vec::new();
    for item in reader.items(top.get("contacts")) {
        let Some(fields) = reader.fields(&item, &KEYS) else { continue };
        let phone = reader.phone(&fields, "phone");
        let channel_user = reader.optional_text(&fields, "channel_user");
        if fields.get("phone").is_none() && channel_user.is_none() {
            reader.wrong(
                &item.pointer,
                "a contact needs a phone",
                "add `phone:`, or `channel_user:` for a contact without a phone",
            );
        }
        if let Some(phone) = &phone {
            let identity = phone.identity();
            let known = contacts.iter().filter_map(|one| one.contact.phone.as_ref()).map(Phone::identity);
            if known.into_iter().any(|other| other == identity) {
                let pointer = format!("{}/phone", item.pointer);
                reader.wrong(&pointer, format!("two contacts have the phone {phone}"), "join them, or correct one");
            }
        }
        if channel_user.is_some() && contacts.iter().any(|one| one.contact.channel_user == channel_user) {
            reader.wrong(
                &format!("{}/channel_user", item.pointer),
                "two contacts have this channel user",
                "correct one",
            );
        }
        let contact = NewContact {
            name: reader.optional_text(&fields, "name"),
            preferred_name: reader.optional_text(&fields, "preferred_name"),
            phone,
            channel_user,
            email: reader.email(&fields, "email"),
            address: reader.optional_text(&fields, "address"),
            custom_fields: custom_fields(reader, fields.get("custom_fields")),
        };
        let tags = tags(reader, fields.get("tags"), world);
        let stages = stages(reader, fields.get("stage"), world);
        let subscription = fields.get("subscription").and_then(|at| subscription(reader, &at, world));
        let notes = reader.texts(fields.get("notes"));
        let appointments = appointments(reader, fields.get("appointments"), world);
        contacts.push(ContactEntry { contact, tags, stages, subscription, notes, appointments });
    }
    contacts
}

fn custom_fields<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>) -> BTreeMap<String, String> {
    let Some(fields) = at.and_then(|at| reader.any_fields(&at)) else { return BTreeMap::new() };
    let entries: Vec<_> = fields.entries().collect();
    entries.into_iter().filter_map(|(key, at)| Some((key.clone(), reader.text(&at)?))).collect()
}

fn tags<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>, world: &World) -> Vec<usize> {
    let mut tags = Vec::new();
    for item in reader.items(at) {
        match reader.reference(&item, "tag", &world.tags) {
            Some(tag) if tags.contains(&tag) => reader.wrong(&item.pointer, "the tag is there twice", "remove one"),
            Some(tag) => tags.push(tag),
            None => {}
        }
    }
    tags
}

/// A stage by its name, or `Pipeline/Stage` where several pipelines have one of that name; or a list of those.
fn stages<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>, world: &World) -> Vec<(usize, usize)> {
    let Some(at) = at else { return Vec::new() };
    let items = if at.value.is_array() { reader.items(Some(at)) } else { vec![at] };
    let mut places: Vec<(usize, usize)> = Vec::new();
    for item in items {
        let Some(text) = reader.text(&item) else { continue };
        let (pipeline, name) = match text.split_once('/') {
            Some((pipeline, name)) if world.pipelines.iter().any(|(known, _)| known == pipeline) => {
                (Some(pipeline), name)
            }
            Some(_) | None => (None, text.as_str()),
        };
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (number, (known, stages)) in world.pipelines.iter().enumerate() {
            if pipeline.is_none_or(|wanted| wanted == known) {
                found.extend(stages.iter().position(|stage| stage == name).map(|stage| (number, stage)));
            }
        }
        match found.as_slice() {
            [place] if places.iter().any(|(pipeline, _)| *pipeline == place.0) => {
                reader.wrong(&item.pointer, "a contact stands at one stage of a pipeline", "remove one");
            }
            [place] => places.push(*place),
            [] => {
                let known: Vec<String> = world.pipelines.iter().flat_map(|(_, stages)| stages.clone()).collect();
                // Notes that there is none, with the nearest.
                reader.reference(&item, "stage", &known);
            }
            [..] => {
                let right = "write it as Pipeline/Stage";
                reader.wrong(&item.pointer, format!("several pipelines have a stage `{name}`"), right);
            }
        }
    }
    places
}

fn subscription<'a>(reader: &mut Reader<'a>, at: &At<'a>, world: &World) -> Option<SubscriptionEntry> {
    let fields = reader.fields(at, &["plan", "status", "due", "started", "paused", "ended"])?;
    let plans: Vec<String> = world.plans.iter().map(|one| one.plan.name.clone()).collect();
    let statuses = SubscriberStatus::ALL.map(|status| (status.as_str(), status));
    let plan = reader.required(&fields, "plan").and_then(|at| reader.reference(&at, "plan", &plans));
    let mut date = |key| fields.get(key).and_then(|at| reader.date(&at));
    let (started, due, paused, ended) = (date("started"), date("due"), date("paused"), date("ended"));
    let usual = if ended.is_some() {
        SubscriberStatus::Cancelled
    } else if paused.is_some() {
        SubscriberStatus::Paused
    } else {
        SubscriberStatus::Active
    };
    let status = fields.get("status").map_or(Some(usual), |at| reader.read_word(&at, &statuses))?;
    if status == SubscriberStatus::Overdue && due.is_none() {
        reader.wrong(&at.pointer, "an overdue subscription has no `due`", "add the date on which the payment was due");
    }
    if let (Some(started), Some(ended)) = (started, ended)
        && ended < started
    {
        reader.wrong(&at.pointer, format!("it ends on {ended}, before its start"), format!("use {started} or later"));
    }
    let dates = SubscriptionDates { started, due, anchor_day: due.map(Date::day), paused, ended };
    Some(SubscriptionEntry { plan: plan?, status, dates })
}

fn appointments<'a>(reader: &mut Reader<'a>, at: Option<At<'a>>, world: &World) -> Vec<AppointmentEntry> {
    let mut found: Vec<AppointmentEntry> = Vec::new();
    for item in reader.items(at) {
        let Some(entry) = appointment(reader, &item, world) else { continue };
        let same = |other: &AppointmentEntry| {
            other.span.start == entry.span.start
                && other.attendee == entry.attendee
                && other.status.is_open()
                && entry.status.is_open()
        };
        if found.iter().any(same) {
            reader.wrong(&item.pointer, "the contact has another appointment at that start", "remove or move one");
        }
        found.push(entry);
    }
    found
}

fn appointment<'a>(reader: &mut Reader<'a>, at: &At<'a>, world: &World) -> Option<AppointmentEntry> {
    let fields = reader.fields(at, &["service", "professional", "starts", "status", "price", "attendee"])?;
    let services: Vec<String> = world.services.iter().map(|one| one.name.clone()).collect();
    let professionals: Vec<String> = world.professionals.iter().map(|one| one.professional.name.clone()).collect();
    let statuses = AppointmentStatus::ALL.map(|status| (status.as_str(), status));
    let service = reader.required(&fields, "service").and_then(|at| reader.reference(&at, "service", &services));
    let professional =
        reader.required(&fields, "professional").and_then(|at| reader.reference(&at, "professional", &professionals));
    let starts = reader.required(&fields, "starts").and_then(|at| start(reader, &at, &world.zone));
    let status = fields.get("status").map_or(Some(AppointmentStatus::Confirmed), |at| reader.read_word(&at, &statuses));
    let attendee = reader.optional_text(&fields, "attendee");
    let (service, professional, starts) = (service?, professional?, starts?);
    let (kind, one) = (world.services.get(service)?, world.professionals.get(professional)?);
    let Some((_, duration, own_price)) = one.offers.iter().find(|(offered, _, _)| *offered == service) else {
        let right = "name a professional who offers it, or add it to their services";
        reader.wrong(&at.pointer, format!("{} does not offer {}", one.professional.name, kind.name), right);
        return None;
    };
    let price = fields.get("price").and_then(|at| reader.cents(&at, kind.price.currency));
    let span = Span::of_minutes(starts, duration.unwrap_or(kind.duration_min));
    Some(AppointmentEntry {
        service,
        professional,
        span,
        occupied: span.widened(kind.buffer_before_min, kind.buffer_after_min),
        status: status?,
        price_cents: price.or(*own_price).unwrap_or(kind.price.cents),
        attendee,
        pointer: at.pointer.clone(),
    })
}

/// A local start that exists and lies on five minutes.
fn start<'a>(reader: &mut Reader<'a>, at: &At<'a>, zone: &TimeZone) -> Option<jiff::Timestamp> {
    let local = reader.local_time(at)?;
    let minute = u16::try_from(i32::from(local.hour()) * 60 + i32::from(local.minute())).ok()?;
    if !minute.is_multiple_of(5) {
        reader.wrong(&at.pointer, "the start is not on five minutes", "let it begin at a multiple of five");
        return None;
    }
    let start = instant_of(zone, local.date(), minute);
    if start.is_none() {
        reader.wrong(&at.pointer, "the clock change skips that time", "choose another one");
    }
    start
}
