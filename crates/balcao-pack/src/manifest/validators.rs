//! Validators as written.

use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// Checks of a command, before it runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Validator {
    /// Its id.
    pub id: String,
    /// The command; absent for one that commands name under `uses_validators`.
    #[serde(default)]
    pub validates: Option<String>,
    /// What it demands, in words: for models and people.
    #[serde(default)]
    pub rule: Option<String>,
    /// The checks, in order.
    #[serde(default)]
    pub checks: Vec<CheckSpec>,
    /// A JavaScript file of the folder that is one more check, as `helper` is.
    #[serde(default)]
    pub file: Option<String>,
    /// Helpers that `file` uses.
    #[serde(default)]
    pub dependencies: Vec<String>,
}

/// One check: exactly one of the kinds, and what belongs to every check.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckSpec {
    /// These are there, and neither null nor blank.
    pub required_fields: Option<Vec<String>>,
    /// At least one of these is there.
    pub one_of: Option<Vec<String>>,
    /// At most one of these is there.
    pub mutually_exclusive: Option<Vec<String>>,
    /// Fields with the format of each.
    pub format: Option<IndexMap<String, String>>,
    /// Fields with the regular expression of each.
    pub pattern: Option<IndexMap<String, String>>,
    /// Fields with the range of each.
    pub range: Option<IndexMap<String, Range>>,
    /// A field holds one of the values that a read command gives.
    pub enum_from: Option<EnumFrom>,
    /// Assignees as the create or the update call wants them.
    pub assignee_format: Option<Assignees>,
    /// Task ids of these forms.
    pub task_id_format: Option<TaskIds>,
    /// Custom fields that the list has.
    pub custom_field_ids_exist: Option<FieldIds>,
    /// A read command finds what a field refers to.
    pub reference_exists: Option<Reference>,
    /// A helper that gives `{valid, message, path, fix}`.
    pub helper: Option<HelperCheck>,
    /// An expression that must hold over the arguments.
    pub expression: Option<String>,
    /// Only where this expression holds.
    pub when: Option<String>,
    /// What is said if it fails, in place of our own words.
    pub message: Option<String>,
    /// What is suggested if it fails.
    pub suggestion: Option<String>,
    /// The field that `expression` or `helper` is about; what a helper gives as `path` without a `/` lies within it.
    pub field: Option<String>,
    /// The anti-pattern that a failure is, as `anti_patterns.<id>` or its id.
    pub anti_pattern: Option<String>,
    /// How a failure is mended where that is unambiguous.
    pub fix: Option<Fix>,
}

/// The kind of a check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CheckKind<'a> {
    /// [`CheckSpec::required_fields`].
    RequiredFields(&'a [String]),
    /// [`CheckSpec::one_of`].
    OneOf(&'a [String]),
    /// [`CheckSpec::mutually_exclusive`].
    MutuallyExclusive(&'a [String]),
    /// [`CheckSpec::format`].
    Format(&'a IndexMap<String, String>),
    /// [`CheckSpec::pattern`].
    Pattern(&'a IndexMap<String, String>),
    /// [`CheckSpec::range`].
    Range(&'a IndexMap<String, Range>),
    /// [`CheckSpec::enum_from`].
    EnumFrom(&'a EnumFrom),
    /// [`CheckSpec::assignee_format`].
    AssigneeFormat(&'a Assignees),
    /// [`CheckSpec::task_id_format`].
    TaskIdFormat(&'a TaskIds),
    /// [`CheckSpec::custom_field_ids_exist`].
    CustomFieldIdsExist(&'a FieldIds),
    /// [`CheckSpec::reference_exists`].
    ReferenceExists(&'a Reference),
    /// [`CheckSpec::helper`].
    Helper(&'a HelperCheck),
    /// [`CheckSpec::expression`].
    Expression(&'a str),
}

impl CheckSpec {
    /// The kinds that it names: a check that holds together names one.
    #[must_use]
    pub fn kinds(&self) -> Vec<CheckKind<'_>> {
        [
            self.required_fields.as_deref().map(CheckKind::RequiredFields),
            self.one_of.as_deref().map(CheckKind::OneOf),
            self.mutually_exclusive.as_deref().map(CheckKind::MutuallyExclusive),
            self.format.as_ref().map(CheckKind::Format),
            self.pattern.as_ref().map(CheckKind::Pattern),
            self.range.as_ref().map(CheckKind::Range),
            self.enum_from.as_ref().map(CheckKind::EnumFrom),
            self.assignee_format.as_ref().map(CheckKind::AssigneeFormat),
            self.task_id_format.as_ref().map(CheckKind::TaskIdFormat),
            self.custom_field_ids_exist.as_ref().map(CheckKind::CustomFieldIdsExist),
            self.reference_exists.as_ref().map(CheckKind::ReferenceExists),
            self.helper.as_ref().map(CheckKind::Helper),
            self.expression.as_deref().map(CheckKind::Expression),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// The anti-pattern's id.
    #[must_use]
    pub fn anti_pattern(&self) -> Option<&str> {
        self.anti_pattern.as_deref().map(|named| named.strip_prefix("anti_patterns.").unwrap_or(named))
    }
}

/// Bounds of a number, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// At least.
    #[serde(default)]
    pub min: Option<f64>,
    /// At most.
    #[serde(default)]
    pub max: Option<f64>,
}

/// A field that holds one of the values that a read command of the pack gives.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnumFrom {
    /// The field; `[*]` for each of a list.
    pub field: String,
    /// The read command.
    pub command: String,
    /// Its arguments: expressions over the arguments of the call.
    #[serde(default)]
    pub arguments: IndexMap<String, String>,
    /// Where its result holds the values: an expression.
    pub values: String,
}

/// A field that refers to something that a read command of the pack finds.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The field.
    pub field: String,
    /// The read command.
    pub command: String,
    /// Its arguments: expressions over the arguments of the call.
    #[serde(default)]
    pub arguments: IndexMap<String, String>,
}

/// How assignees are written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Assignees {
    /// In `assignees`.
    Form(AssigneeForm),
    /// In another field.
    In {
        /// The form.
        form: AssigneeForm,
        /// The field.
        field: String,
    },
}

/// The two forms of assignees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssigneeForm {
    /// A list of ids.
    CreateApi,
    /// `{add: [ids], rem: [ids]}`.
    UpdateApi,
}

/// Forms of task ids.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum TaskIds {
    /// In whichever of `task_id`, `taskId` is there.
    Forms(Vec<TaskIdForm>),
    /// In another field.
    In {
        /// The forms.
        forms: Vec<TaskIdForm>,
        /// The field; `[*]` for each of a list.
        field: String,
    },
}

/// A form of task ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskIdForm {
    /// Nine lower-case letters and digits.
    Regular,
    /// An upper-case prefix, `-`, `_` or `.`, and a number.
    Custom,
}

/// Custom fields that must exist.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum FieldIds {
    /// `true`: the ids in `custom_fields[*].id`, against `fields[*].id` of `get_list_custom_fields {list_id}`.
    Usual(bool),
    /// As stated.
    Stated(EnumFrom),
}

/// A helper as a check.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum HelperCheck {
    /// Called with the arguments of the call and `{command}`.
    Named(String),
    /// Called with what these expressions give.
    With {
        /// Its id.
        id: String,
        /// Expressions over the arguments of the call, and over what was read.
        arguments: Vec<String>,
        /// Read commands of the pack, by the name under which `arguments` find what they answer; `null` if they find nothing.
        #[serde(default)]
        reads: IndexMap<String, HelperRead>,
    },
}

/// What a helper that checks is given besides the arguments: the answer of a read command.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HelperRead {
    /// The read command.
    pub command: String,
    /// Its arguments: expressions over the arguments of the call.
    #[serde(default)]
    pub arguments: IndexMap<String, String>,
}

impl HelperCheck {
    /// The helper's id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::Named(id) | Self::With { id, .. } => id,
        }
    }
}

/// How a failure is mended.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Fix {
    /// As the check itself knows how; a helper by its `fix`.
    Known(bool),
    /// Fields, each set to what an expression over the arguments gives; `null` removes the field.
    Set(IndexMap<String, Option<String>>),
}

/// The JSON that a helper's check may answer with.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Verdict {
    pub(crate) valid: bool,
    #[serde(default)]
    pub(crate) message: Option<String>,
    /// A JSON pointer, or a place within the check's `field`.
    #[serde(default)]
    pub(crate) path: Option<String>,
    /// All arguments, mended.
    #[serde(default)]
    pub(crate) fix: Option<Value>,
    /// The anti-pattern that the mistake is, in place of the check's own.
    #[serde(default)]
    pub(crate) anti_pattern: Option<String>,
}
