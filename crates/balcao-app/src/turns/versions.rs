//! The versions that a turn runs under.
//!
//! A change of the business is recorded when it is made. The first turn under a version that is not recorded yet records it: the prompt of
//! a changed profile or of a new release, and a business that was loaded and never changed.

use std::sync::Arc;

use balcao_agent::{Profile, prompt};
use balcao_domain::{ConversationId, OrganizationId, TurnId, VersionKind};
use balcao_store::Tx;
use balcao_store::crm::organization;
use balcao_store::ops::version;
use balcao_store::turns::turn::{self, TurnAgent};
use balcao_tool::{Toolbox, canonical};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::admin::business::record_version;
use crate::admin::versions::{self, RecordedVersions};
use crate::context::app_context::UseCaseError;

/// The author of a version that a turn records.
const AUTHOR: &str = "program";

/// What an agent's prompts are made of, with a hash that names exactly this.
#[derive(Debug, Clone)]
pub(super) struct PromptVersion {
    profile: String,
    hash: String,
    content: Arc<str>,
}

impl PromptVersion {
    /// Creates the version of a profile and its tools: its fields, the templates of its prompt modules, and each tool as a model sees it.
    pub(super) fn new(profile: &Profile, toolbox: &Toolbox) -> Self {
        let module = |name: &String| (name.clone(), Value::from(prompt::module_template(name, profile.language)));
        let modules: Map<String, Value> = profile.prompt.iter().map(module).collect();
        let tool = |tool: &Arc<balcao_tool::Tool>| {
            let spec = &tool.spec;
            json!({ "name": spec.name, "description": spec.description, "input_schema": spec.input_schema })
        };
        let tools: Vec<Value> = toolbox.iter().map(tool).collect();
        let content = canonical::text(&json!({ "profile": profile, "modules": modules, "tools": tools }));
        Self { profile: profile.id.clone(), hash: canonical::hash_text(&content), content: content.into() }
    }
}

/// Opens a turn that names its versions.
pub(super) fn open_turn(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    prompt: &PromptVersion,
    now: Timestamp,
) -> Result<TurnId, UseCaseError> {
    let opener = TurnAgent { profile: &prompt.profile, prompt: &prompt.hash };
    let (turn, mut found) = turn::open(tx, organization, conversation, opener, now)?;
    if found.business.is_some() && found.knowledge.is_some() && found.prompt.is_some() {
        return Ok(turn);
    }
    organization::lock(tx, organization)?;
    if found.business.is_none() || found.knowledge.is_none() {
        let RecordedVersions { business, knowledge } = record_version(tx, organization, AUTHOR, now)?;
        (found.business, found.knowledge) = (Some(business.number), Some(knowledge.number));
    }
    if found.prompt.is_none() {
        // Another process may have recorded it since.
        let known = version::of_hash(tx, organization, VersionKind::Prompt, &prompt.hash)?;
        let recorded = match known {
            Some(known) => known.name,
            None => versions::append(tx, organization, VersionKind::Prompt, &prompt.content, AUTHOR, now)?,
        };
        found.prompt = Some(recorded.number);
    }
    turn::set_versions(tx, organization, turn, found)?;
    Ok(turn)
}
