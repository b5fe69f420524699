//! Immutable versions of business and knowledge, recorded whenever one of them changes, and reading them and those of prompts.

use balcao_domain::{OrganizationId, VersionKind, VersionName};
use balcao_store::Tx;
use balcao_store::ops::version::{self, NewVersion};
use balcao_tool::canonical;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::context::app_context::{AppContext, UseCaseError};

pub use balcao_store::ops::version::VersionRow;

/// The section of a business file that has versions of its own.
const KNOWLEDGE: &str = "knowledge";

/// Most versions in one list.
pub const MOST_LISTED: u32 = 500;

/// A version with its content.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// Its name, who made it, and when.
    pub row: VersionRow,
    /// Of a business: sections of a business file without knowledge; of knowledge: that section; of a prompt: profile, modules, tools.
    pub content: Value,
}

/// The last versions of a business.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RecordedVersions {
    pub(crate) business: VersionName,
    pub(crate) knowledge: VersionName,
}

/// Records a document of the stored business, its knowledge apart, each where it differs from its last version. `stated` is the part of the
/// document that a reply may state. The caller holds the organization's lock.
pub(crate) fn record_business(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    mut document: Value,
    stated: &Value,
    author: &str,
    now: Timestamp,
) -> Result<RecordedVersions, UseCaseError> {
    let knowledge = document.as_object_mut().and_then(|sections| sections.remove(KNOWLEDGE)).unwrap_or(json!([]));
    let mut record = |kind, content: &Value| {
        let content = canonical::text(content);
        let last = version::last(tx, organization, kind)?;
        match last.filter(|last| last.hash == canonical::hash_text(&content)) {
            Some(last) => Ok(last.name),
            None if kind == VersionKind::Business => {
                append_stating(tx, organization, kind, &content, &canonical::hash(stated), author, now)
            }
            None => append(tx, organization, kind, &content, author, now),
        }
    };
    Ok(RecordedVersions {
        business: record(VersionKind::Business, &document)?,
        knowledge: record(VersionKind::Knowledge, &knowledge)?,
    })
}

/// A document of the stored business with what a version of it holds. Tags of the stored one stay, because contacts may carry them.
pub(crate) fn with_version(document: Value, kind: VersionKind, content: Value) -> Value {
    const TAGS: &str = "tags";
    let Value::Object(stored) = document else { return content };
    let mut sections = match (kind, content) {
        (VersionKind::Business, Value::Object(sections)) => sections,
        (_, entries) => {
            let mut sections = stored;
            sections.insert(KNOWLEDGE.to_owned(), entries);
            return Value::Object(sections);
        }
    };
    let named = |sections: &Map<String, Value>| sections.get(TAGS).and_then(Value::as_array).cloned();
    let mut tags = [named(&stored), named(&sections)].into_iter().flatten().flatten().collect::<Vec<_>>();
    tags.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
    tags.dedup();
    if !tags.is_empty() {
        sections.insert(TAGS.to_owned(), Value::Array(tags));
    }
    if let Some(entries) = stored.get(KNOWLEDGE) {
        sections.insert(KNOWLEDGE.to_owned(), entries.clone());
    }
    Value::Object(sections)
}

/// Adds a version with this content, all of which a reply may state. The caller holds the organization's lock.
pub(crate) fn append(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: VersionKind,
    content: &str,
    author: &str,
    now: Timestamp,
) -> Result<VersionName, UseCaseError> {
    append_stating(tx, organization, kind, content, &canonical::hash_text(content), author, now)
}

fn append_stating(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    kind: VersionKind,
    content: &str,
    stated: &str,
    author: &str,
    now: Timestamp,
) -> Result<VersionName, UseCaseError> {
    let hash = canonical::hash_text(content);
    Ok(version::append(tx, organization, &NewVersion { kind, hash: &hash, stated, content, author }, now)?)
}

/// Reads versions.
#[derive(Debug, Clone)]
pub struct Versions {
    app: AppContext,
}

impl Versions {
    /// Over the application context.
    #[must_use]
    pub fn new(app: AppContext) -> Self {
        Self { app }
    }

    /// The last versions of a kind, the newest first, at most [`MOST_LISTED`].
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn list(
        &self,
        organization: OrganizationId,
        kind: VersionKind,
        limit: u32,
    ) -> Result<Vec<VersionRow>, UseCaseError> {
        let limit = limit.min(MOST_LISTED);
        self.app.look(move |tx, _now| Ok(version::list(tx, organization, kind, limit)?)).await
    }

    /// A version; `None` if the organization has no such one.
    ///
    /// # Errors
    /// [`UseCaseError`] if the database failed.
    pub async fn find(&self, organization: OrganizationId, name: VersionName) -> Result<Option<Version>, UseCaseError> {
        let found = self.app.look(move |tx, _now| Ok(version::find(tx, organization, name)?)).await?;
        // What was stored as JSON reads as JSON.
        Ok(found.map(|(row, content)| Version { row, content: serde_json::from_str(&content).unwrap_or(Value::Null) }))
    }
}
