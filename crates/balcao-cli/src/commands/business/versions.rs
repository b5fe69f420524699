//! `balcao business versions` and `balcao business version`: what business, knowledge and prompts looked like each time that they changed.

use std::process::ExitCode;

use balcao_app::admin::versions::Versions;
use balcao_domain::{OrganizationId, VersionKind, VersionName};
use serde_json::json;

use crate::output::{Failure, cut, error_chain, print_cut, print_line};

/// Versions of a kind that are listed.
const LISTED: u32 = 50;

pub(super) fn kind(word: &str) -> Result<VersionKind, String> {
    let known = VersionKind::ALL.map(VersionKind::as_str).join(", ");
    VersionKind::from_word(word).ok_or_else(|| format!("unknown kind of version `{word}`; expected one of: {known}"))
}

pub(super) async fn list(
    versions: &Versions,
    organization: OrganizationId,
    kinds: &[VersionKind],
    as_json: bool,
) -> Result<ExitCode, Failure> {
    for kind in kinds {
        let found = versions.list(organization, *kind, LISTED.saturating_add(1)).await;
        let mut found = found.map_err(|error| Failure::operation(error_chain(&error)))?;
        let more = cut(&mut found, LISTED);
        for row in &found {
            let (name, made) = (row.name.to_string(), row.created_at);
            print_line(&if as_json {
                json!({ "id": name, "hash": row.hash, "author": row.author, "created_at": made }).to_string()
            } else {
                format!("{name:<16} {made}  {:<12} {}", row.author, row.hash)
            });
        }
        if more {
            let what = format!("versions of {}", kind.as_str());
            print_cut(found.len(), &what, "`balcao business version NAME` shows any earlier one");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The content of a version, as YAML.
pub(super) async fn content(
    versions: &Versions,
    organization: OrganizationId,
    name: VersionName,
) -> Result<serde_json::Value, Failure> {
    let found = versions.find(organization, name).await.map_err(|error| Failure::operation(error_chain(&error)))?;
    let found = found.ok_or_else(|| {
        Failure::usage(format!("unknown version `{name}`; `balcao business versions` lists those that there are"))
    })?;
    Ok(found.content)
}
