//! What a file or an edit would change: pure, so that the same two forms always make the same plan.

use std::collections::BTreeMap;
use std::fmt;

use balcao_tool::canonical;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A part of a business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    /// Name, zone, hours, exceptions, rules.
    Organization,
    /// What can be booked.
    Services,
    /// Who can be booked.
    Professionals,
    /// What customers subscribe to.
    Plans,
    /// Where contacts stand.
    Pipelines,
    /// What contacts are tagged with.
    Tags,
    /// Who answers.
    Staff,
    /// What the agent may tell.
    Knowledge,
    /// Messages outside of the window.
    Templates,
    /// Pictures and files.
    Media,
}

impl Section {
    /// All sections, in the order in which a plan is applied: what others refer to comes first.
    pub const ALL: [Self; 10] = [
        Self::Services,
        Self::Professionals,
        Self::Plans,
        Self::Pipelines,
        Self::Tags,
        Self::Staff,
        Self::Knowledge,
        Self::Templates,
        Self::Media,
        Self::Organization,
    ];

    /// The key in a business file.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Services => "services",
            Self::Professionals => "professionals",
            Self::Plans => "plans",
            Self::Pipelines => "pipelines",
            Self::Tags => "tags",
            Self::Staff => "staff",
            Self::Knowledge => "knowledge",
            Self::Templates => "templates",
            Self::Media => "media",
        }
    }

    /// The section of a key.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|section| section.as_str() == word)
    }

    /// The field that names an entry; `None` where the section is one entry.
    #[must_use]
    pub const fn name_field(self) -> Option<&'static str> {
        match self {
            Self::Organization | Self::Tags => None,
            Self::Services | Self::Professionals | Self::Plans | Self::Pipelines | Self::Templates => Some("name"),
            Self::Staff => Some("email"),
            Self::Knowledge => Some("title"),
            Self::Media => Some("key"),
        }
    }

    /// Whether a reply may state what the section holds, so that a change of it outdates what was read before.
    pub(super) const fn is_stated(self) -> bool {
        match self {
            Self::Organization | Self::Services | Self::Professionals | Self::Plans | Self::Knowledge => true,
            Self::Pipelines | Self::Tags | Self::Staff | Self::Templates | Self::Media => false,
        }
    }

    /// Whether an entry stays as an inactive one when it is taken out.
    pub(super) const fn is_archived(self) -> bool {
        matches!(self, Self::Services | Self::Professionals | Self::Plans | Self::Staff)
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happens to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// It is new.
    Added,
    /// Some of its fields differ.
    Changed,
    /// It can no longer be booked or subscribed to, or act; what refers to it stays.
    Archived,
    /// It is gone.
    Removed,
}

/// A field that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FieldChange {
    /// Its key.
    pub field: String,
    /// The stored value; `null` if there is none.
    pub before: Value,
    /// The wanted value; `null` if there is none.
    pub after: Value,
}

/// What a change hits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Hit {
    /// A booking to come.
    Booking(HitBooking),
    /// A subscription that has not ended.
    Subscription(HitSubscription),
    /// A conversation with staff.
    Conversation(HitConversation),
}

/// A conversation that the removal of its person of staff hits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitConversation {
    /// The id of the conversation, as it is printed everywhere: `cnv_3`.
    pub conversation: String,
    /// The id of the contact: `con_12`.
    pub contact: String,
    /// What the change means for it.
    pub why: String,
}

/// A subscription that a change of its plan hits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitSubscription {
    /// The id of the subscription, as it is printed everywhere: `sub_3`.
    pub subscription: String,
    /// The id of the contact: `con_12`.
    pub contact: String,
    /// What the change means for it.
    pub why: String,
}

/// A booking that a change hits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitBooking {
    /// The id of the appointment, as it is printed everywhere: `apt_3`.
    pub appointment: String,
    /// When it starts, local to the business.
    pub starts: String,
    /// The name of the professional.
    pub professional: String,
    /// What.
    pub service: String,
    /// What the change means for it.
    pub why: String,
}

impl Hit {
    /// Its id, as it is printed everywhere.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Booking(one) => &one.appointment,
            Self::Subscription(one) => &one.subscription,
            Self::Conversation(one) => &one.conversation,
        }
    }

    /// When a booking starts, local to the business; nothing of anything else.
    pub(super) fn starts(&self) -> &str {
        match self {
            Self::Booking(one) => &one.starts,
            Self::Subscription(_) | Self::Conversation(_) => "",
        }
    }
}

/// One change of one entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Where.
    pub section: Section,
    /// Which entry.
    pub name: String,
    /// What happens.
    pub action: Action,
    /// What differs.
    pub fields: Vec<FieldChange>,
    /// Bookings, subscriptions and conversations that it hits. Each says what becomes of it.
    pub hits: Vec<Hit>,
    /// Why it cannot be made, with a way out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impossible: Option<String>,
}

/// What would change, and what that hits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BusinessPlan {
    /// The slug of the business.
    pub business: String,
    /// The changes, in the order in which they are made.
    pub changes: Vec<Change>,
    /// Names exactly this plan: another state, another wish or another booking that is hit has another hash, and so has the same plan after
    /// it was made and changed back.
    pub hash: String,
    /// What is valid and probably unintended in the business as the plan leaves it, each with a cure. No part of the hash.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl BusinessPlan {
    /// `made`: how many times the same changes were made before.
    pub(super) fn new(business: &str, changes: Vec<Change>, made: u32) -> Self {
        let hash = canonical::hash(&json!({ "business": business, "changes": changes, "made": made }));
        Self { business: business.to_owned(), changes, hash, warnings: Vec::new() }
    }
}

/// Entries of a business by section and name.
pub(super) type Records = BTreeMap<(Section, String), Map<String, Value>>;

/// The differences between what is stored and what is wanted. An archived entry that is not wanted either makes no difference.
pub(super) fn changes(stored: &Records, wanted: &Records) -> Vec<Change> {
    let nothing = Map::new();
    let mut found = Vec::new();
    for section in Section::ALL {
        let of = |records: &Records| -> Vec<String> {
            records.keys().filter(|(of, _)| *of == section).map(|(_, name)| name.clone()).collect()
        };
        let mut names = of(stored);
        names.extend(of(wanted));
        names.sort();
        names.dedup();
        let first = found.len();
        for name in names {
            let key = (section, name.clone());
            let (before, after) = (stored.get(&key), wanted.get(&key));
            let is_active = |entry: &Map<String, Value>| entry.get("active") != Some(&Value::Bool(false));
            let action = match (before, after) {
                (None, _) => Action::Added,
                (Some(before), Some(after)) if is_active(before) && !is_active(after) => Action::Archived,
                (Some(_), Some(_)) => Action::Changed,
                (Some(before), None) if section.is_archived() && is_active(before) => Action::Archived,
                (Some(_), None) if section.is_archived() => continue,
                (Some(_), None) => Action::Removed,
            };
            let kept = before.filter(|_| action == Action::Archived && after.is_none()).map(archived);
            let fields = differing(before.unwrap_or(&nothing), after.or(kept.as_ref()).unwrap_or(&nothing));
            if !fields.is_empty() || before.is_none() || after.is_none() {
                found.push(Change { section, name, action, fields, hits: Vec::new(), impossible: None });
            }
        }
        // What goes makes room for what comes: a professional with a new name has the code of the one who left.
        if let Some(of_section) = found.get_mut(first..) {
            of_section.sort_by_key(|change: &Change| !matches!(change.action, Action::Archived | Action::Removed));
        }
    }
    found
}

/// The entry as it stays when a file no longer has it.
fn archived(entry: &Map<String, Value>) -> Map<String, Value> {
    let mut kept = entry.clone();
    kept.insert("active".to_owned(), Value::Bool(false));
    kept
}

fn differing(before: &Map<String, Value>, after: &Map<String, Value>) -> Vec<FieldChange> {
    let mut keys: Vec<&String> = before.keys().chain(after.keys()).collect();
    keys.sort();
    keys.dedup();
    let of = |entry: &Map<String, Value>, key: &str| entry.get(key).cloned().unwrap_or(Value::Null);
    let change = |key: &String| FieldChange { field: key.clone(), before: of(before, key), after: of(after, key) };
    keys.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
