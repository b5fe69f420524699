//! Contacts: finds or adds them by phone or channel, describes them, and updates them with the old value kept in the audit log.

mod pages;

use std::collections::BTreeMap;

use balcao_domain::contact::{BIRTHDAY, Contact, check_email, read_birthday};
use balcao_domain::{ContactId, OrganizationId, Phone};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{StoreError, Tx, crm::contact, crm::pipeline, crm::tag, ops::audit};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::context::app_context::{AppContext, Effect, UseCaseError, granted, organization as business};
use crate::context::names::{NameRefusal, find};
use crate::crm::notes::{self, NoteRefusal};

pub use pages::ContactPage;

/// How a channel identifies a person who wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrival {
    /// Their number, where the channel tells it.
    pub phone: Option<Phone>,
    /// The channel's own id of them: the first key where there is one.
    pub channel_user: Option<String>,
    /// The name that the channel tells. It is kept only if none is known.
    pub name: Option<String>,
}

/// A contact with tags and stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactView {
    /// Their id.
    pub id: ContactId,
    /// Their name.
    pub name: Option<String>,
    /// How they want to be called.
    pub preferred_name: Option<String>,
    /// Their number in E.164.
    pub phone: Option<String>,
    /// Their e-mail address.
    pub email: Option<String>,
    /// Their postal address.
    pub address: Option<String>,
    /// What else is kept.
    pub custom_fields: BTreeMap<String, String>,
    /// Their tags, in alphabetical order.
    pub tags: Vec<String>,
    /// Where they stand, in each pipeline they are in.
    pub pipeline_stages: Vec<StageView>,
}

/// A place in a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageView {
    /// The pipeline.
    pub pipeline: String,
    /// The stage.
    pub stage: String,
}

/// What is to be changed; what is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactUpdate {
    /// The full name.
    pub name: Option<String>,
    /// How they want to be called.
    pub preferred_name: Option<String>,
    /// The e-mail address.
    pub email: Option<String>,
    /// The postal address.
    pub address: Option<String>,
    /// Other fields, by name; an empty text removes one. [`BIRTHDAY`] is a date.
    pub custom_fields: BTreeMap<String, String>,
}

/// Longest value of a field, in characters.
const MAX_FIELD_CHARS: usize = 500;
/// Most custom fields of one contact.
const MAX_CUSTOM_FIELDS: usize = 50;

/// Why a contact was not updated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "refusal", content = "details", rename_all = "snake_case")]
pub enum UpdateRefusal {
    /// Nothing was to be changed.
    Nothing,
    /// Values that cannot be kept: each of them, in the order of [`ContactUpdate`].
    Fields(Vec<BadField>),
    /// More than fifty custom fields.
    TooManyFields,
}

/// Why the update of a contact was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotWritten {
    /// For what was to be changed of the contact.
    Contact(UpdateRefusal),
    /// For the note.
    Note(NoteRefusal),
}

/// A value that cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadField {
    /// The field's name.
    pub field: String,
    /// Whether it is a custom field.
    pub custom: bool,
    /// As given.
    pub text: String,
    /// What is wrong with it.
    pub problem: BadValue,
}

/// What is wrong with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BadValue {
    /// Not an e-mail address.
    Email,
    /// Empty, or only spaces; of a custom field, its name.
    Empty,
    /// Longer than 500 characters; of a custom field, it or its name.
    TooLong,
    /// Not a birthday.
    Birthday,
}

impl BadValue {
    /// What would be right, for people.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Email => "an e-mail address such as ana@example.com",
            Self::Empty => "a value that is more than spaces",
            Self::TooLong => "at most 500 characters",
            Self::Birthday => "a date such as 1990-05-17, from 1900 to today",
        }
    }
}

/// The fields that were changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Updated {
    /// Their names; those that had the value already are left out.
    pub updated: Vec<String>,
}

/// A tag that was given or taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tagged {
    /// The tag as it is written in the organization.
    pub tag: String,
    /// Whether the contact carried it before.
    pub was_present: bool,
    /// Whether the tag is new to the organization.
    pub created: bool,
}

/// Finds, adds and updates contacts.
#[derive(Debug, Clone)]
pub struct Contacts {
    app: AppContext,
}

impl Contacts {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// Returns the contact of a person who wrote, added if they are new. One person is one contact however the number is written.
    ///
    /// The channel's own id is looked for first, then the phone; what was missing is filled in. The phone is kept as it was
    /// received last, because that is where answers go.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn arrive(&self, organization: OrganizationId, arrival: Arrival) -> Result<ContactId, UseCaseError> {
        let now = self.app.clock.now();
        Ok(self.app.store.write(move |tx| arrive(tx, organization, arrival, now)).await?)
    }

    /// A contact with tags and stages.
    ///
    /// # Errors
    /// [`UseCaseError::NoContact`] if the organization has none of that id.
    pub async fn info(&self, organization: OrganizationId, id: ContactId) -> Result<ContactView, UseCaseError> {
        self.app.look(move |tx, _now| info(tx, organization, id)).await
    }

    /// Updates a contact. Its phone and its organization are not among what can be changed. The old values go to the audit
    /// log under `actor`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn update(
        &self,
        organization: OrganizationId,
        id: ContactId,
        key: EffectKey,
        actor: String,
        update: ContactUpdate,
    ) -> Effect<Updated, UpdateRefusal> {
        let change = move |tx: &mut Tx<'_>, now| change(tx, organization, id, &actor, &update, now);
        self.app.effect(organization, key, change).await
    }

    /// Updates a contact as [`Self::update`] does, by a person whose act needs no key: a second time it changes nothing.
    ///
    /// # Errors
    /// [`UseCaseError::NoContact`] if the organization has none of that id; [`UseCaseError`] if the database failed.
    pub async fn edit(
        &self,
        organization: OrganizationId,
        id: ContactId,
        actor: String,
        update: ContactUpdate,
    ) -> Result<Result<Updated, UpdateRefusal>, UseCaseError> {
        self.app.act(organization, None, move |tx, now| change(tx, organization, id, &actor, &update, now)).await
    }

    /// Updates a contact, or writes a note about them, or both at once: if one is refused, neither is kept.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn write_down(
        &self,
        organization: OrganizationId,
        id: ContactId,
        key: EffectKey,
        actor: String,
        update: Option<ContactUpdate>,
        note: Option<String>,
    ) -> Effect<(), NotWritten> {
        let write = move |tx: &mut Tx<'_>, now| {
            if let Some(update) = &update {
                granted!(change(tx, organization, id, &actor, update, now)?.map_err(NotWritten::Contact));
            }
            if let Some(note) = &note {
                granted!(notes::add(tx, organization, id, &actor, note, now)?.map_err(NotWritten::Note));
            }
            Ok(Ok(()))
        };
        self.app.effect(organization, key, write).await
    }

    /// Gives a contact a tag. A tag that the organization lacks is created if `may_create`.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn add_tag(
        &self,
        organization: OrganizationId,
        id: ContactId,
        key: EffectKey,
        name: String,
        may_create: bool,
    ) -> Effect<Tagged, NameRefusal> {
        let add = move |tx: &mut Tx<'_>, _now| tag_as(tx, organization, id, &name, may_create);
        self.app.effect(organization, key, add).await
    }

    /// Gives a contact several tags, or none of them: where one is refused, none is given.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn add_tags(
        &self,
        organization: OrganizationId,
        id: ContactId,
        key: EffectKey,
        names: Vec<String>,
        may_create: bool,
    ) -> Effect<Vec<Tagged>, NameRefusal> {
        let add = move |tx: &mut Tx<'_>, _now| {
            for name in &names {
                if let Err(refusal) = meant_tag(tx, organization, name, may_create)? {
                    return Ok(Err(refusal));
                }
            }
            let mut given = Vec::new();
            for name in &names {
                match tag_as(tx, organization, id, name, may_create)? {
                    Ok(tagged) => given.push(tagged),
                    Err(refusal) => return Ok(Err(refusal)),
                }
            }
            Ok(Ok(given))
        };
        self.app.effect(organization, key, add).await
    }

    /// Takes a tag from a contact.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn remove_tag(
        &self,
        organization: OrganizationId,
        id: ContactId,
        key: EffectKey,
        name: String,
    ) -> Effect<Tagged, NameRefusal> {
        let remove = move |tx: &mut Tx<'_>, _now| {
            let found = match find_tag(tx, organization, &name)? {
                Ok(found) => found,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let was_present = tag::detach(tx, organization, id, found.id)?;
            Ok(Ok(Tagged { tag: found.name, was_present, created: false }))
        };
        self.app.effect(organization, key, remove).await
    }
}

/// The tag of that name; `None` for one that is still to be made.
fn meant_tag(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    name: &str,
    may_create: bool,
) -> Result<Result<Option<balcao_domain::tag::Tag>, NameRefusal>, UseCaseError> {
    Ok(match find_tag(tx, organization, name)? {
        Ok(found) => Ok(Some(found)),
        Err(NameRefusal::NotFound { .. }) if may_create => {
            let name = name.trim();
            let fits = !name.is_empty() && name.chars().count() <= MAX_FIELD_CHARS;
            let refusal = || NameRefusal::NotFound { query: name.to_owned(), nearest: None, known: Vec::new() };
            if fits { Ok(None) } else { Err(refusal()) }
        }
        Err(refusal) => Err(refusal),
    })
}

/// Gives a contact the tag of that name, which is made if it may be.
fn tag_as(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ContactId,
    name: &str,
    may_create: bool,
) -> Result<Result<Tagged, NameRefusal>, UseCaseError> {
    let (found, created) = match meant_tag(tx, organization, name, may_create)? {
        Ok(Some(found)) => (found, false),
        Ok(None) => {
            let name = name.trim().to_owned();
            (balcao_domain::tag::Tag { id: tag::insert(tx, organization, &name)?, name }, true)
        }
        Err(refusal) => return Ok(Err(refusal)),
    };
    let added = tag::attach(tx, organization, id, found.id)?;
    Ok(Ok(Tagged { tag: found.name, was_present: !added, created }))
}

/// A tag by name. A near spelling is not enough: a tag is written down, not spoken, and a wrong one would stay unseen.
fn find_tag(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    name: &str,
) -> Result<Result<balcao_domain::tag::Tag, NameRefusal>, StoreError> {
    let tags = tag::list(tx, organization)?;
    let known = || tags.iter().map(|tag| tag.name.clone()).collect();
    Ok(match find(name, tags.iter().map(|tag| (&tag.name, [].as_slice()))) {
        Ok(found) => {
            let nearest = tags.get(found.index);
            let exact = nearest.filter(|_| !found.near).cloned();
            exact.ok_or_else(|| NameRefusal::NotFound {
                query: name.to_owned(),
                nearest: nearest.map(|tag| tag.name.clone()),
                known: known(),
            })
        }
        Err(refusal) => Err(refusal),
    })
}

fn arrive(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    arrival: Arrival,
    now: Timestamp,
) -> Result<ContactId, StoreError> {
    let mut known = match arrival.channel_user.as_deref() {
        Some(user) => contact::find_by_channel_user(tx, organization, user)?,
        None => None,
    };
    if let (None, Some(phone)) = (&known, &arrival.phone) {
        known = contact::find_by_phone(tx, organization, phone)?;
    }
    let Some(mut found) = known else {
        let new = contact::NewContact {
            name: arrival.name,
            phone: arrival.phone,
            channel_user: arrival.channel_user,
            ..contact::NewContact::default()
        };
        return contact::insert(tx, organization, &new, now);
    };
    let before = found.clone();
    found.name = found.name.or(arrival.name);
    found.channel_user = found.channel_user.or(arrival.channel_user);
    if let Some(phone) = arrival.phone {
        // Another contact may have the phone already; merging the two is for staff.
        let owner = contact::find_by_phone(tx, organization, &phone)?;
        if owner.is_none_or(|owner| owner.id == found.id) {
            found.phone = Some(phone);
        }
    }
    if found != before {
        contact::update(tx, organization, &found)?;
    }
    Ok(found.id)
}

fn get(tx: &mut Tx<'_>, organization: OrganizationId, id: ContactId) -> Result<Contact, UseCaseError> {
    contact::find(tx, organization, id)?.ok_or(UseCaseError::NoContact { organization, contact: id })
}

fn info(tx: &mut Tx<'_>, organization: OrganizationId, id: ContactId) -> Result<ContactView, UseCaseError> {
    let found = get(tx, organization, id)?;
    let pipelines = pipeline::list(tx, organization)?;
    let places = pipeline::stages_of(tx, organization, id)?;
    let named = |(pipeline, stage)| {
        let pipeline = pipelines.iter().find(|one| one.id == pipeline)?;
        let stage = pipeline.stages.iter().find(|one| one.id == stage)?;
        Some(StageView { pipeline: pipeline.name.clone(), stage: stage.name.clone() })
    };
    Ok(ContactView {
        id: found.id,
        name: found.name,
        preferred_name: found.preferred_name,
        phone: found.phone.map(|phone| phone.e164().to_owned()),
        email: found.email,
        address: found.address,
        custom_fields: found.custom_fields,
        tags: tag::of_contact(tx, organization, id)?.into_iter().map(|tag| tag.name).collect(),
        pipeline_stages: places.into_iter().filter_map(named).collect(),
    })
}

fn change(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    id: ContactId,
    actor: &str,
    update: &ContactUpdate,
    now: Timestamp,
) -> Result<Result<Updated, UpdateRefusal>, UseCaseError> {
    let before = get(tx, organization, id)?;
    let mut after = before.clone();
    let mut updated = Vec::new();
    let today = business(tx, organization)?.1.to_datetime(now).date();
    if let Err(refusal) = apply(&mut after, update, today, &mut updated) {
        return Ok(Err(refusal));
    }
    if after != before {
        contact::update(tx, organization, &after)?;
        let shown = |one: &Contact| {
            serde_json::json!({ "name": one.name, "preferred_name": one.preferred_name, "email": one.email,
                                "address": one.address, "custom_fields": one.custom_fields })
            .to_string()
        };
        let entry = audit::AuditEntry {
            at: now,
            actor: actor.to_owned(),
            action: "contact.update".to_owned(),
            subject: id.to_string(),
            before: Some(shown(&before)),
            after: Some(shown(&after)),
        };
        audit::append(tx, organization, &entry)?;
    }
    Ok(Ok(Updated { updated }))
}

fn apply(
    contact: &mut Contact,
    update: &ContactUpdate,
    today: Date,
    updated: &mut Vec<String>,
) -> Result<(), UpdateRefusal> {
    if *update == ContactUpdate::default() {
        return Err(UpdateRefusal::Nothing);
    }
    let mut bad = Vec::new();
    let fields = [
        ("name", &mut contact.name, &update.name),
        ("preferred_name", &mut contact.preferred_name, &update.preferred_name),
        ("email", &mut contact.email, &update.email),
        ("address", &mut contact.address, &update.address),
    ];
    for (field, old, text) in fields {
        let Some(text) = text else { continue };
        let fits = match fitting(text) {
            Ok(Some(text)) if field == "email" => check_email(&text).map_err(|_unreadable| BadValue::Email),
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(BadValue::Empty),
            Err(problem) => Err(problem),
        };
        match fits {
            Ok(new) if old.as_ref() != Some(&new) => {
                *old = Some(new);
                updated.push(field.to_owned());
            }
            Ok(_same) => {}
            Err(problem) => {
                bad.push(BadField { field: field.to_owned(), custom: false, text: text.clone(), problem });
            }
        }
    }
    for (field, text) in &update.custom_fields {
        let name = fitting(field).and_then(|name| name.ok_or(BadValue::Empty));
        match name.and_then(|_| fitting(text)).and_then(|new| dated(field, new, today)) {
            Ok(new) => {
                let changed = match new {
                    Some(new) => contact.custom_fields.insert(field.clone(), new.clone()) != Some(new),
                    None => contact.custom_fields.remove(field).is_some(),
                };
                if changed {
                    updated.push(field.clone());
                }
            }
            Err(problem) => bad.push(BadField { field: field.clone(), custom: true, text: text.clone(), problem }),
        }
    }
    if !bad.is_empty() {
        return Err(UpdateRefusal::Fields(bad));
    }
    if contact.custom_fields.len() > MAX_CUSTOM_FIELDS { Err(UpdateRefusal::TooManyFields) } else { Ok(()) }
}

/// A value of a custom field, if it may be kept under that name.
fn dated(field: &str, value: Option<String>, today: Date) -> Result<Option<String>, BadValue> {
    let is_wrong = |text: &String| field == BIRTHDAY && read_birthday(text, today).is_none();
    if value.as_ref().is_some_and(is_wrong) { Err(BadValue::Birthday) } else { Ok(value) }
}

/// A value without the spaces around it, if any is left.
fn fitting(text: &str) -> Result<Option<String>, BadValue> {
    // One line: what a customer is called is shown in lists and prompts, and is not to look like more than a value there.
    let text = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let text = text.collect::<Vec<_>>().join(" ");
    if text.chars().count() > MAX_FIELD_CHARS {
        return Err(BadValue::TooLong);
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}
