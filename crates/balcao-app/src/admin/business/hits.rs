//! Which bookings a change hits, and which changes those make impossible.

use std::collections::{BTreeMap, BTreeSet};

use balcao_domain::appointment::Appointment;
use balcao_domain::conflict::is_within;
use balcao_domain::hours::Hours;
use balcao_domain::staff::Role;
use balcao_domain::subscription::Subscriber;
use balcao_domain::{AppointmentId, ContactId, ConversationId, OrganizationId, ProfessionalId, Span};
use balcao_seeded_bugs::{Bug, is_on};
use balcao_store::Tx;
use balcao_store::crm::{pipeline, staff, subscription, tag};
use balcao_store::scheduling::{appointment, hours};
use jiff::tz::TimeZone;
use jiff::{Timestamp, civil::Date};

use super::plan::{Action, Change, Hit, HitBooking, HitConversation, HitSubscription, Section};
use crate::admin::seed::{BusinessFile, ProfessionalEntry, StaffEntry, new_holidays};
use crate::context::app_context::UseCaseError;

/// What the bookings are held against.
struct Scene<'a> {
    stored: &'a BusinessFile,
    wanted: &'a BusinessFile,
    zone: TimeZone,
    /// Dates on which the business is closed by holidays, as stored.
    holidays: BTreeMap<Date, String>,
    /// Those that are stored if the business begins to close on holidays.
    new_holidays: BTreeMap<Date, String>,
    upcoming: Vec<Appointment>,
}

/// Notes at each change which bookings to come it hits, and whether they forbid it.
pub(super) fn find(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    stored: &BusinessFile,
    wanted: &BusinessFile,
    changes: &mut [Change],
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let open = hours::of_business(tx, &stored.organization, Date::MIN, Date::MAX)?;
    let zone = TimeZone::get(&stored.organization.timezone).unwrap_or(TimeZone::UTC);
    let today = zone.to_datetime(now).date();
    let all = appointment::starting_between(tx, organization, now, Timestamp::MAX, stored.organization.currency)?;
    let scene = Scene {
        stored,
        wanted,
        zone,
        holidays: open.holidays,
        new_holidays: new_holidays(today),
        upcoming: all.into_iter().filter(|one| one.status.is_open()).collect(),
    };
    for change in changes {
        scene.note_hits(change);
        match (change.section, change.action) {
            (Section::Plans, _) => change.hits = subscriptions(tx, organization, stored, change, today)?,
            (Section::Tags | Section::Pipelines, Action::Removed) if !is_on(Bug::CarriedTagRemoved) => {
                change.impossible = why_kept(tx, organization, change)?;
            }
            (Section::Staff, Action::Archived) => change.hits = conversations(tx, organization, stored, change)?,
            _ => {}
        }
    }
    Ok(())
}

impl Scene<'_> {
    fn note_hits(&self, change: &mut Change) {
        match (change.section, change.action) {
            (Section::Services, Action::Archived) => {
                let why = "its service is offered no longer; the booking stays, and can be moved";
                change.hits = self.hits(|one| one.service_name == change.name, why);
            }
            (Section::Services, Action::Changed) if differs(change, &["price", "duration_minutes"]) => {
                change.hits = self.hits_for(|one| one.service_name == change.name, kept_terms);
            }
            (Section::Professionals, Action::Archived) => self.leaves(change),
            (Section::Professionals, Action::Changed) if differs(change, &["active"]) => self.leaves(change),
            (Section::Professionals, Action::Changed) => self.works_otherwise(change),
            (Section::Organization, Action::Changed) => self.opens_otherwise(change),
            (Section::Staff, Action::Changed | Action::Archived) => self.keeps_an_owner(change),
            (Section::Pipelines, Action::Changed) => self.keeps_stages(change),
            _ => {}
        }
    }

    /// A professional with bookings to come cannot leave, because their bookings would be left alone.
    fn leaves(&self, change: &mut Change) {
        let Some(whose) = self.professional(&change.name) else { return };
        change.hits = self.hits(|one| one.professional == whose, "nobody would serve it");
        let is_back =
            self.wanted.professionals.iter().any(|one| one.professional.name == change.name && one.professional.active);
        if !is_back && !change.hits.is_empty() {
            change.impossible = Some(format!(
                "`{}` has {} bookings from {} on; move or cancel them first",
                change.name,
                change.hits.len(),
                change.hits.first().map_or("", Hit::starts)
            ));
        }
    }

    fn works_otherwise(&self, change: &mut Change) {
        let of =
            |file: &BusinessFile| file.professionals.iter().find(|one| one.professional.name == change.name).cloned();
        let (Some(before), Some(after)) = (of(self.stored), of(self.wanted)) else { return };
        let whose = before.professional.id;
        let away =
            |all: &[(Span, Option<String>)], one: &Appointment| all.iter().any(|(span, _)| span.overlaps(&one.span));
        let mut hits = self.hits(
            |one| one.professional == whose && away(&after.away, one) && !away(&before.away, one),
            "its professional is away then; move it, cancel it, or keep it",
        );
        let (old, new) = (&before.professional.hours, &after.professional.hours);
        hits.extend(self.hits(
            |one| one.professional == whose && self.is_within(old, one) && !self.is_within(new, one),
            "its professional does not work then; move it, cancel it, or keep it",
        ));
        let (offered, still) = (offers(self.stored, &before), offers(self.wanted, &after));
        hits.extend(self.hits(
            |one| {
                let name = &one.service_name;
                one.professional == whose && offered.contains_key(name) && !still.contains_key(name)
            },
            "its professional offers its service no longer; the booking stays with them, and can be moved",
        ));
        hits.extend(self.hits_for(
            |one| {
                let name = &one.service_name;
                let terms = still.get(name);
                one.professional == whose && terms.is_some() && offered.get(name).is_some_and(|old| Some(old) != terms)
            },
            kept_terms,
        ));
        let (could, can) = (before.professional.capacity, after.professional.capacity);
        let beyond = if can < could { self.beyond_capacity(whose, can) } else { BTreeSet::new() };
        hits.extend(self.hits(
            |one| beyond.contains(&one.id),
            "its professional serves fewer at once, and others have its time; move it or cancel it",
        ));
        // A booking that is hit twice is listed with the first reason.
        let mut listed = BTreeSet::new();
        hits.retain(|hit| listed.insert(hit.id().to_owned()));
        hits.sort_by(|one, other| one.starts().cmp(other.starts()));
        change.hits = hits;
    }

    /// The bookings of a professional that overlap as many earlier ones as the professional serves at once.
    fn beyond_capacity(&self, whose: ProfessionalId, capacity: u32) -> BTreeSet<AppointmentId> {
        let mut own: Vec<&Appointment> = self.upcoming.iter().filter(|one| one.professional == whose).collect();
        own.sort_by_key(|one| (one.span.start, one.id));
        let (mut at_once, mut beyond): (Vec<Span>, _) = (Vec::new(), BTreeSet::new());
        for one in own {
            at_once.retain(|earlier| earlier.end > one.span.start);
            if u32::try_from(at_once.len()).is_ok_and(|count| count < capacity) {
                at_once.push(one.span);
            } else {
                beyond.insert(one.id);
            }
        }
        beyond
    }

    fn opens_otherwise(&self, change: &mut Change) {
        if differs(change, &["timezone", "currency"]) && !self.upcoming.is_empty() {
            change.impossible = Some(format!(
                "zone and currency cannot change while {} bookings are to come, because their times and prices are in them",
                self.upcoming.len()
            ));
            return;
        }
        let hours = |file: &BusinessFile| Hours {
            weekly: file.organization.weekly_hours.clone(),
            exceptions: file.exceptions.iter().cloned().collect(),
            holidays: match (file.national_holidays, self.stored.national_holidays) {
                (true, true) => self.holidays.clone(),
                (true, false) => self.new_holidays.clone(),
                (false, _) => BTreeMap::new(),
            },
        };
        let (old, new) = (hours(self.stored), hours(self.wanted));
        change.hits = self.hits(
            |one| self.is_within(&old, one) && !self.is_within(&new, one),
            "the business is closed then; move it, cancel it, or keep it",
        );
    }

    /// A business that has an owner keeps one, because only an owner may do everything.
    fn keeps_an_owner(&self, change: &mut Change) {
        let is_owner = |one: &&StaffEntry| one.person.role == Role::Owner && one.person.active;
        let was_owner = self.stored.staff.iter().filter(is_owner).any(|one| one.person.email == change.name);
        if was_owner && !self.wanted.staff.iter().any(|one| is_owner(&one)) {
            change.impossible =
                Some(format!("`{}` is the last owner; give another person the role `owner` first", change.name));
        }
    }

    /// Stages may be added behind the others; contacts stand in those that are there.
    fn keeps_stages(&self, change: &mut Change) {
        let of = |file: &BusinessFile| {
            file.pipelines
                .iter()
                .find(|(name, _)| *name == change.name)
                .map(|(_, stages)| stages.clone())
                .unwrap_or_default()
        };
        if !of(self.wanted).starts_with(&of(self.stored)) {
            change.impossible = Some(format!(
                "stages of `{}` can only be added behind the others, because contacts stand in them; expected {} first",
                change.name,
                of(self.stored).join(", ")
            ));
        }
    }

    fn professional(&self, name: &str) -> Option<ProfessionalId> {
        self.stored.professionals.iter().find(|one| one.professional.name == name).map(|one| one.professional.id)
    }

    fn is_within(&self, hours: &Hours, one: &Appointment) -> bool {
        let span = if is_on(Bug::HitByItsStart) { Span::of_minutes(one.span.start, 1) } else { one.span };
        is_within(&self.zone, hours, span)
    }

    fn hits(&self, is_hit: impl Fn(&Appointment) -> bool, why: &'static str) -> Vec<Hit> {
        self.hits_for(is_hit, |_one| why)
    }

    fn hits_for(&self, is_hit: impl Fn(&Appointment) -> bool, why: impl Fn(&Appointment) -> &'static str) -> Vec<Hit> {
        let name = |id: ProfessionalId| {
            let found = self.stored.professionals.iter().find(|one| one.professional.id == id);
            found.map(|one| one.professional.name.clone()).unwrap_or_default()
        };
        let hit = |one: &Appointment| {
            Hit::Booking(HitBooking {
                appointment: one.id.to_string(),
                starts: self.zone.to_datetime(one.span.start).strftime("%Y-%m-%d %H:%M").to_string(),
                professional: name(one.professional),
                service: one.service_name.clone(),
                why: why(one).to_owned(),
            })
        };
        self.upcoming.iter().filter(|one| is_hit(one)).map(hit).collect()
    }
}

/// The running subscriptions to a plan whose terms change.
fn subscriptions(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    stored: &BusinessFile,
    change: &Change,
    today: Date,
) -> Result<Vec<Hit>, UseCaseError> {
    let facts = [
        (change.action == Action::Archived, "it goes on, and nobody can subscribe to its plan any more"),
        (change.action == Action::Changed && differs(change, &["active"]), "it goes on, and its plan is sold again"),
        (differs(change, &["price"]), "its next payments are of the new price"),
        (differs(change, &["period", "covers", "quota"]), "its plan pays by the new terms at once"),
    ];
    let true_of_it = facts.iter().filter(|(is_so, _)| *is_so).map(|(_, fact)| *fact);
    let why = true_of_it.collect::<Vec<_>>().join("; ");
    if why.is_empty() {
        return Ok(Vec::new());
    }
    let Some(plan) = stored.plans.iter().find(|entry| entry.plan.name == change.name) else { return Ok(Vec::new()) };
    let running = subscription::list_running(tx, organization, plan.plan.id, today, u32::MAX)?;
    let hit = |one: &Subscriber| {
        let (subscription, contact) = (one.id.to_string(), one.contact.to_string());
        Hit::Subscription(HitSubscription { subscription, contact, why: why.clone() })
    };
    Ok(running.iter().map(hit).collect())
}

/// Why a tag or a pipeline cannot be removed; `None` if no contact has it.
fn why_kept(tx: &mut Tx<'_>, organization: OrganizationId, change: &Change) -> Result<Option<String>, UseCaseError> {
    const NAMED: u32 = 3;
    let (count, first) = if change.section == Section::Tags {
        let found = tag::list(tx, organization)?.into_iter().find(|one| one.name == change.name);
        let Some(found) = found else { return Ok(None) };
        tag::carriers(tx, organization, found.id, NAMED)?
    } else {
        let found = pipeline::list(tx, organization)?.into_iter().find(|one| one.name == change.name);
        let Some(found) = found else { return Ok(None) };
        pipeline::contacts_in(tx, organization, found.id, NAMED)?
    };
    let first = first.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let more = if count > u64::from(NAMED) { ", …" } else { "" };
    let (name, section) = (&change.name, change.section);
    Ok((count > 0).then(|| {
        format!("`{name}` of {section} cannot be removed, because contacts have it ({count}: {first}{more}); keep it in the file")
    }))
}

/// The conversations that a person of staff has when they leave.
fn conversations(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    stored: &BusinessFile,
    change: &Change,
) -> Result<Vec<Hit>, UseCaseError> {
    let Some(entry) = stored.staff.iter().find(|one| one.person.email == change.name) else { return Ok(Vec::new()) };
    let assigned = staff::assigned_conversations(tx, organization, entry.person.id)?;
    let hit = |(conversation, contact): &(ConversationId, ContactId)| {
        let why = "it stays with staff, and is assigned to no person".to_owned();
        let (conversation, contact) = (conversation.to_string(), contact.to_string());
        Hit::Conversation(HitConversation { conversation, contact, why })
    };
    Ok(assigned.iter().map(hit).collect())
}

/// What a booking keeps when the terms of its service change.
const fn kept_terms(one: &Appointment) -> &'static str {
    if one.plan.is_some() {
        "its plan pays for it, and it keeps its length; moved to a date that no plan pays for, it has the price of that day"
    } else {
        "it keeps the price and the length that it was booked with, also if it is moved to another time"
    }
}

/// What a professional offers, by the name of the service: the length and the price of their own, in minutes and cents.
fn offers(file: &BusinessFile, entry: &ProfessionalEntry) -> BTreeMap<String, (Option<u32>, Option<i64>)> {
    let offer = |(place, minutes, cents): &(usize, Option<u32>, Option<i64>)| {
        Some((file.services.get(*place)?.name.clone(), (*minutes, *cents)))
    };
    entry.offers.iter().filter_map(offer).collect()
}

fn differs(change: &Change, fields: &[&str]) -> bool {
    change.fields.iter().any(|field| fields.contains(&field.field.as_str()))
}
