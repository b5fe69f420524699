//! Versions of business, knowledge and prompts.

use balcao_app::admin::keys::Scope;
use balcao_app::admin::versions::{MOST_LISTED, VersionRow, Versions};
use balcao_domain::{VersionKind, VersionName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::endpoint::{Call, Done, Endpoint, Nothing, PathId, Route};
use super::method::Method;
use crate::problem::Problem;

/// What has versions.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(extend("example" = "business"))]
enum Kind {
    /// A business file without its knowledge.
    Business,
    /// The entries that the agent may tell.
    Knowledge,
    /// A profile with its prompt modules and its tools.
    Prompt,
}

/// Of which kind, and how many.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct VersionQuery {
    /// What they are versions of; the business if not given.
    kind: Option<Kind>,
    /// How many of the newest; 50 if not given.
    #[schemars(range(min = 1, max = 500), example = &20)]
    limit: Option<u32>,
}

/// A version without its content.
#[derive(Debug, Serialize, JsonSchema)]
struct VersionEntry {
    /// Its name, such as `business_3`; a later version of the kind has a greater number.
    id: String,
    /// The hash of its content.
    hash: String,
    /// Who made it: a key, a person, `operator`, or `program` for what was found when a turn first ran under it.
    author: String,
    /// When.
    created_at: String,
}

/// Versions of a kind, the newest first.
#[derive(Debug, Serialize, JsonSchema)]
struct VersionList {
    /// The versions.
    items: Vec<VersionEntry>,
}

/// A version with its content.
#[derive(Debug, Serialize, JsonSchema)]
struct VersionDetail {
    /// Name, author and time.
    version: VersionEntry,
    /// Of a business: sections of a business file; of knowledge: a list of entries; of a prompt: profile, modules and tools.
    content: Value,
}

pub(super) fn endpoints() -> Result<Vec<Endpoint>, String> {
    let entry = json!({ "id": "business_3", "hash": "18d3487439c5f9ea4ca9b02c5463aa72f5149ef0", "author": "operator",
                        "created_at": "2026-11-24T12:00:00Z" });
    let list = Route {
        method: Method::Get,
        path: "/v1/versions",
        scope: Scope::Business,
        name: "list_versions",
        group: "Business",
        summary: "The versions of business, knowledge or prompts",
        description: "The newest first. A version never changes. Each change of the business makes one; a prompt makes one with the first \
                      turn that runs under it. A turn names the versions that it ran under.",
        id: None,
        success: 200,
        refusals: &[],
        body: None,
        answer: json!({ "items": [entry] }),
    };
    let one = Route {
        path: "/v1/versions/{id}",
        name: "get_version",
        summary: "A version with its content",
        description: "The content of a business version, with the knowledge of another, is a document for `/v1/business/plan`.",
        id: Some(PathId { kind: "version", prefix: "business" }),
        answer: json!({ "version": entry, "content": { "organization": { "name": "Figueira" } } }),
        ..list.clone()
    };
    Ok(vec![Endpoint::new(list, list_versions)?, Endpoint::new(one, get_version)?])
}

async fn list_versions(call: Call, query: VersionQuery, _body: Nothing) -> Result<Done<VersionList>, Problem> {
    let kind = match query.kind {
        Some(Kind::Business) | None => VersionKind::Business,
        Some(Kind::Knowledge) => VersionKind::Knowledge,
        Some(Kind::Prompt) => VersionKind::Prompt,
    };
    let limit = query.limit.unwrap_or(50).min(MOST_LISTED);
    let found = Versions::new(call.api.app()).list(call.organization(), kind, limit).await?;
    Ok(VersionList { items: found.into_iter().map(entry).collect() }.into())
}

async fn get_version(call: Call, _query: Nothing, _body: Nothing) -> Result<Done<VersionDetail>, Problem> {
    let name: VersionName = call.id()?;
    let found = Versions::new(call.api.app()).find(call.organization(), name).await?;
    let found = found.ok_or_else(|| {
        Problem::new(axum::http::StatusCode::NOT_FOUND, format!("unknown version `{name}`; `/v1/versions` lists all"))
    })?;
    Ok(VersionDetail { version: entry(found.row), content: found.content }.into())
}

fn entry(row: VersionRow) -> VersionEntry {
    let VersionRow { name, hash, author, created_at } = row;
    VersionEntry { id: name.to_string(), hash, author, created_at: created_at.to_string() }
}
