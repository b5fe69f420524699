//! Agent profiles: what differs between agents is data.

use std::collections::BTreeMap;

use balcao_tool::{CommandSpec, Confirm, Locale, Registry, Toolbox};
use serde::{Deserialize, Serialize};

use crate::{breaker::BreakerRules, limits};

/// A profile file: root key `profile`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileFile {
    /// The profile.
    pub profile: Profile,
}

/// How one agent behaves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name in files and on the command line.
    pub id: String,
    /// Its name towards people.
    pub name: String,
    /// The language of prompts, descriptions and notices.
    #[serde(default)]
    pub language: Locale,
    /// Whom it talks with.
    #[serde(default)]
    pub audience: Audience,
    /// The packs whose commands it offers.
    pub packs: Vec<String>,
    /// Commands of those packs that it does not offer.
    #[serde(default)]
    pub without_tools: Vec<String>,
    /// Replaces a command's own confirmation rule.
    #[serde(default)]
    pub confirm: BTreeMap<String, Confirm>,
    /// Whether arguments that break a check of an own pack are mended where the check says how, and the call then runs.
    #[serde(default)]
    pub autofix: bool,
    /// Lets the model write programs over its tools; for staff only.
    #[serde(default)]
    pub program: Option<ProgramRules>,
    /// Native tool calls or structured JSON.
    #[serde(default)]
    pub protocol: Protocol,
    /// The model.
    #[serde(default)]
    pub model: ModelRules,
    /// Prompt modules, in order.
    #[serde(default = "default_modules")]
    pub prompt: Vec<String>,
    /// One sentence on how it speaks.
    #[serde(default)]
    pub tone: String,
    /// Further instructions of this business, as data.
    #[serde(default)]
    pub instructions: Vec<String>,
    /// What the customer hears on an automatic handoff; the language's own sentence if not given.
    #[serde(default)]
    pub fallback_message: Option<String>,
    /// Circuit breaker thresholds.
    #[serde(default)]
    pub breaker: BreakerRules,
    /// Limits of a turn.
    #[serde(default)]
    pub limits: TurnLimits,
    /// Daily budgets.
    #[serde(default)]
    pub budgets: Budgets,
    /// Guardrails.
    #[serde(default)]
    pub guardrails: GuardrailRules,
    /// What may reach the customer.
    #[serde(default)]
    pub reply: ReplyRules,
    /// Steps after the reply.
    #[serde(default)]
    pub after_reply: AfterReply,
    /// Internal commands without arguments that run when a conversation was handed over; not after a failure.
    #[serde(default)]
    pub on_handoff: Vec<String>,
    /// Whom its customers are booked with; anybody who is free and offers the service, if not given.
    #[serde(default)]
    pub professional: Option<String>,
    /// What a model may keep of a customer, and only as they said it of themselves.
    #[serde(default)]
    pub records: RecordRules,
    /// Whether `add_tag` may create tags.
    #[serde(default)]
    pub allow_new_tags: bool,
    /// Lead of appointment reminders where the business states none, in minutes.
    #[serde(default = "default_reminder")]
    pub reminder_minutes: u32,
    /// Delays that follow-ups may have, in minutes.
    #[serde(default = "default_delays")]
    pub followup_delays: Vec<u32>,
    /// Names of flows. Flows do not exist yet, so the loader warns of names and no tool starts one.
    #[serde(default)]
    pub flows: Vec<String>,
}

fn default_modules() -> Vec<String> {
    ["identity", "rules", "truth", "flows", "tools", "context"].map(str::to_owned).to_vec()
}

const fn default_reminder() -> u32 {
    60
}

fn default_delays() -> Vec<u32> {
    vec![30, 1_440, 4_320]
}

impl Profile {
    /// The tools that this profile's model sees.
    #[must_use]
    pub fn toolbox(&self, registry: &Registry) -> Toolbox {
        let offered = |spec: &CommandSpec| self.packs.contains(&spec.pack) && !self.without_tools.contains(&spec.name);
        let mut toolbox = registry.toolbox(offered);
        for (name, confirm) in &self.confirm {
            toolbox.set_confirm(name, *confirm);
        }
        toolbox
    }
}

/// What a model may keep of a customer, and only as they said it of themselves. What is not named here stays with staff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RecordRules {
    /// Their name, address and the like.
    pub contact: bool,
    /// Notes for staff, in the customer's words.
    pub notes: bool,
    /// Fields of the business's own, by key.
    pub fields: Vec<String>,
    /// Tags, by name.
    pub tags: Vec<String>,
    /// Stages of a pipeline, by name.
    pub stages: Vec<String>,
}

impl Default for RecordRules {
    fn default() -> Self {
        Self { contact: true, notes: true, fields: Vec::new(), tags: Vec::new(), stages: Vec::new() }
    }
}

/// What programs of the model may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProgramRules {
    /// The tools that programs may call; if not given, all of the profile that may be called so.
    pub tools: Option<Vec<String>>,
    /// Calls of one program at most; the program's own number, if not given.
    pub max_calls: Option<usize>,
}

/// Whom a profile talks with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// Customers.
    #[default]
    Customer,
    /// Staff: tools may then look at other contacts.
    Staff,
}

/// How a model asks for tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// The provider's own tool calling.
    #[default]
    Native,
    /// One JSON object a step.
    Structured,
}

/// How the model is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelRules {
    /// Providers by configured name, tried in order; empty takes the configuration's.
    pub providers: Vec<String>,
    /// What happens when all of them fail.
    pub degraded: Degraded,
    /// Output tokens of one call.
    pub max_output_tokens: u32,
    /// Sampling temperature in thousandths.
    pub temperature_milli: Option<u32>,
    /// Tokens of history that go with a request.
    pub history_tokens: usize,
    /// Tokens of a request for the tools of the operator's own packs. If their contracts take more, each turn shows those that its
    /// messages fit.
    pub tool_tokens: usize,
    /// Tokens of a request for the names of those tools whose contracts are not in view. If the names take more, the request says how many
    /// tools there are of each category.
    pub name_tokens: usize,
}

impl Default for ModelRules {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            degraded: Degraded::Offline,
            max_output_tokens: limits::MAX_OUTPUT_TOKENS,
            temperature_milli: Some(300),
            history_tokens: limits::HISTORY_TOKENS,
            tool_tokens: limits::TOOL_TOKENS,
            name_tokens: limits::NAME_TOKENS,
        }
    }
}

/// What answers when no model does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Degraded {
    /// The built-in deterministic model.
    #[default]
    Offline,
    /// A person.
    Handoff,
}

/// Limits of one turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TurnLimits {
    /// Rounds of tool calls; at most [`limits::MAX_TOOL_ROUNDS`].
    pub max_tool_rounds: u32,
    /// Corrections of the model's own mistakes.
    pub corrections: u32,
    /// Model calls.
    pub model_calls: u32,
    /// Tool calls.
    pub tool_calls: u32,
    /// Tokens, input and output together.
    pub tokens: u64,
    /// Cost in millionths of a US dollar, if prices are configured.
    pub cost_micro_usd: Option<u64>,
    /// The whole turn, in seconds.
    pub timeout_s: u64,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            max_tool_rounds: limits::MAX_TOOL_ROUNDS,
            corrections: limits::MAX_CORRECTIONS,
            model_calls: limits::MAX_MODEL_CALLS,
            tool_calls: limits::MAX_TOOL_CALLS,
            tokens: limits::MAX_TURN_TOKENS,
            cost_micro_usd: None,
            timeout_s: limits::TURN_TIMEOUT.as_secs(),
        }
    }
}

/// What one day may cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budgets {
    /// One conversation.
    pub conversation_day: DayBudget,
    /// The whole organization.
    pub organization_day: DayBudget,
}

/// Ceilings of a day; `None` has none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DayBudget {
    /// Model calls.
    pub model_calls: Option<u64>,
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// Tokens, input and output together.
    pub tokens: Option<u64>,
    /// Cost in millionths of a US dollar.
    pub cost_micro_usd: Option<u64>,
}

/// Which guardrails run, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GuardrailRules {
    /// Hands over when the customer asks for a person.
    pub asks_for_human: bool,
    /// Obeys "stop".
    pub opt_out: bool,
    /// Messages a minute before a contact is slowed down; 0 switches it off.
    pub flood_per_minute: u32,
    /// Topics with a fixed reply.
    pub forbidden_topics: Vec<ForbiddenTopic>,
    /// AI messages in a conversation and day; 0 switches it off.
    pub max_messages_per_day: u32,
    /// Patterns that staff want to know of.
    pub hot_leads: Vec<HotLead>,
    /// What happens outside of business hours.
    pub outside_hours: OutsideHours,
}

impl Default for GuardrailRules {
    fn default() -> Self {
        Self {
            asks_for_human: true,
            opt_out: true,
            flood_per_minute: limits::FLOOD_PER_MINUTE,
            forbidden_topics: Vec::new(),
            max_messages_per_day: limits::MAX_AI_MESSAGES_PER_DAY,
            hot_leads: Vec::new(),
            outside_hours: OutsideHours::Continue,
        }
    }
}

/// A topic that the agent does not discuss.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForbiddenTopic {
    /// Words or phrases; accents and case do not matter, whole words only.
    pub patterns: Vec<String>,
    /// What the customer hears instead.
    pub reply: String,
    /// Whether a person takes over.
    #[serde(default)]
    pub handoff: bool,
}

/// Something that staff want to handle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HotLead {
    /// Words or phrases, as for forbidden topics.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// Or: contacts in this pipeline stage.
    #[serde(default)]
    pub stage: Option<String>,
    /// A tag that the contact gets.
    #[serde(default)]
    pub tag: Option<String>,
    /// Whether a person takes over.
    #[serde(default)]
    pub handoff: bool,
}

/// What the agent does while the business is closed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutsideHours {
    /// Goes on; it knows that the business is closed.
    #[default]
    Continue,
    /// Answers with this fixed text.
    Message(String),
    /// Says nothing.
    Silence,
}

/// What may reach the customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReplyRules {
    /// Removes "as a language model" and the like.
    pub hide_model_identity: bool,
    /// Sends text that the model writes beside tool calls, before the final text.
    pub interim_text: bool,
    /// Hosts whose links may be sent, beside those of the knowledge base.
    pub allowed_hosts: Vec<String>,
    /// Longest reply, in characters.
    pub max_chars: usize,
}

impl Default for ReplyRules {
    fn default() -> Self {
        Self { hide_model_identity: true, interim_text: false, allowed_hosts: Vec::new(), max_chars: 2_000 }
    }
}

/// Steps that run after the reply.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AfterReply {
    /// Keeps a running summary of the conversation.
    pub summary: bool,
    /// Plans a follow-up when the conversation stopped before booking: the delay in minutes.
    pub followup_minutes: Option<u32>,
    /// Moves a contact who booked to this stage.
    pub stage_after_booking: Option<String>,
    /// Keeps a name or e-mail that the customer tells, and tags that fit.
    pub contact_facts: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_profile_leaves_out_takes_the_documented_defaults() {
        let file: ProfileFile =
            serde_json::from_value(serde_json::json!({"profile": {"id": "x", "name": "X", "packs": ["crm"]}})).unwrap();
        let profile = file.profile;
        assert_eq!(profile.breaker, BreakerRules::default());
        assert_eq!(profile.limits.max_tool_rounds, 5);
        assert_eq!(profile.followup_delays, [30, 1440, 4320]);
        assert_eq!(profile.guardrails.max_messages_per_day, 50);
    }
}
