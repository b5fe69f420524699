//! The people that the business talks to.

use std::collections::BTreeMap;

use balcao_app::admin::keys::Scope;
use balcao_app::crm::contacts::{ContactUpdate, ContactView, Contacts};
use balcao_domain::ContactId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::cursor::{self, Page};
use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route};
use super::method::Method;
use super::refusals;
use crate::problem::Problem;

/// Which contacts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ContactQuery {
    /// Words that the name, the preferred name or the e-mail address must hold, whatever their case and accents; or a phone.
    #[schemars(length(min = 1, max = 200), regex(pattern = r"^[^\u0000]*$"), example = &"ana reis")]
    search: Option<String>,
    /// How many rows at most.
    #[schemars(range(min = 1, max = 100), example = 25)]
    limit: Option<u32>,
    /// `next_cursor` of the page before; without it, the first page.
    #[schemars(length(max = 200), regex(pattern = r"^[A-Za-z0-9_-]+$"))]
    cursor: Option<String>,
}

/// A contact.
#[derive(Debug, Serialize, JsonSchema)]
struct Contact {
    /// Their id.
    id: String,
    /// Their name.
    name: Option<String>,
    /// How they want to be called.
    preferred_name: Option<String>,
    /// Their number in E.164.
    phone: Option<String>,
    /// Their e-mail address.
    email: Option<String>,
    /// Their postal address.
    address: Option<String>,
    /// What else is kept.
    custom_fields: BTreeMap<String, String>,
    /// Their tags, in alphabetical order.
    tags: Vec<String>,
    /// Where they stand, in each pipeline they are in.
    pipeline_stages: Vec<Place>,
}

/// A place in a pipeline.
#[derive(Debug, Serialize, JsonSchema)]
struct Place {
    /// The pipeline.
    pipeline: String,
    /// The stage.
    stage: String,
}

/// What is to be changed; what is absent stays.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1))]
struct ContactChange {
    /// The full name.
    #[schemars(length(min = 1, max = 500), regex(pattern = r"^[^\u0000]*$"), example = &"Ana Reis")]
    name: Option<String>,
    /// How they want to be called.
    #[schemars(length(min = 1, max = 500), regex(pattern = r"^[^\u0000]*$"), example = &"Aninha")]
    preferred_name: Option<String>,
    /// The e-mail address.
    #[schemars(length(min = 1, max = 254), extend("format" = "email"), example = &"ana@example.com")]
    email: Option<String>,
    /// The postal address.
    #[schemars(length(min = 1, max = 500), regex(pattern = r"^[^\u0000]*$"), example = &"Rua das Flores 12")]
    address: Option<String>,
    /// Other fields, by name; an empty text removes one. At most 50 of a contact. `birthday` is a date, `YYYY-MM-DD`.
    #[serde(default)]
    #[schemars(extend("maxProperties" = 50))]
    custom_fields: BTreeMap<String, String>,
}

/// The fields that were changed.
#[derive(Debug, Serialize, JsonSchema)]
struct ContactChanged {
    /// Their names; those that had the value already are left out.
    updated: Vec<String>,
}

impl From<ContactView> for Contact {
    fn from(view: ContactView) -> Self {
        let place = |one: balcao_app::crm::contacts::StageView| Place { pipeline: one.pipeline, stage: one.stage };
        Self {
            id: view.id.to_string(),
            name: view.name,
            preferred_name: view.preferred_name,
            phone: view.phone,
            email: view.email,
            address: view.address,
            custom_fields: view.custom_fields,
            tags: view.tags,
            pipeline_stages: view.pipeline_stages.into_iter().map(place).collect(),
        }
    }
}

fn example() -> Value {
    json!({ "id": "con_12", "name": "Ana Reis", "preferred_name": "Aninha", "phone": "+5531988880001",
        "email": "ana@example.com", "address": null, "custom_fields": { "café": "sem açúcar" }, "tags": ["vip"],
        "pipeline_stages": [{ "pipeline": "Vendas", "stage": "Agendado" }] })
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let id = Some(PathId { kind: "contact", prefix: ContactId::PREFIX });
    let list = Route {
        method: Method::Get,
        path: "/v1/contacts",
        scope: Scope::Read,
        name: "list_contacts",
        group: "Contacts",
        summary: "Contacts, or those that a search finds",
        description: "In order of id. A page of a search may hold fewer rows than `limit`, even none: go on while there is a \
                      `next_cursor`.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [example()], "next_cursor": null }),
    };
    let show = Route {
        path: "/v1/contacts/{id}",
        name: "get_contact",
        summary: "One contact",
        description: "",
        id,
        answer: example(),
        ..list.clone()
    };
    let update = Route {
        method: Method::Patch,
        scope: Scope::Write,
        name: "update_contact",
        summary: "Change a contact",
        description: "What is absent stays. The phone is who they are, and cannot be changed. The old values go to the audit log.",
        body: Some(json!({ "preferred_name": "Aninha", "custom_fields": { "café": "sem açúcar" } })),
        answer: json!({ "updated": ["preferred_name"] }),
        ..show.clone()
    };
    Ok(vec![Endpoint::new(list, page)?, Endpoint::new(show, get)?, Endpoint::new(update, change)?])
}

async fn page(call: Call, query: ContactQuery, _body: Nothing) -> Result<Done<Page<Contact>>, Problem> {
    let after = query.cursor.as_deref().map(cursor::read_id).transpose()?;
    let limit = cursor::limit(query.limit);
    let found = Contacts::new(call.api.app()).page(call.organization(), query.search, after, limit).await?;
    let next_cursor = found.next.map(|id| cursor::of_id(id.into()));
    Ok(Page { items: found.items.into_iter().map(Into::into).collect(), next_cursor }.into())
}

async fn get(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<Contact>, Problem> {
    let id: ContactId = call.id()?;
    let found = Contacts::new(call.api.app()).find(call.organization(), id).await?;
    found.map(|view| Contact::from(view).into()).ok_or_else(|| refusals::missing("contact", id))
}

async fn change(call: Call, _query: Nothing, asked: ContactChange) -> Result<Done<ContactChanged>, Problem> {
    let id: ContactId = call.id()?;
    let contacts = Contacts::new(call.api.app());
    if contacts.find(call.organization(), id).await?.is_none() {
        return Err(refusals::missing("contact", id));
    }
    let update = ContactUpdate {
        name: asked.name,
        preferred_name: asked.preferred_name,
        email: asked.email,
        address: asked.address,
        custom_fields: asked.custom_fields,
    };
    let done = contacts.update(call.organization(), id, call.key.clone(), call.caller.actor(), update).await?;
    let updated = done.value.map_err(refusals::of_update)?.updated;
    Ok(Done::once(ContactChanged { updated }, done.repeated))
}
