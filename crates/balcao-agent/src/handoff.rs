//! Giving the conversation to staff: why, and what they need to know.

use balcao_tool::{Locale, ReceiptKind};
use serde::{Deserialize, Serialize};

use crate::record::CallRecord;
use crate::{memory::WorkingMemory, notice::notices, reply_checks::sanitise::Reply};

/// Why a person takes over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffReason {
    /// The model asked for it; its words.
    Model(String),
    /// The customer asked for a person.
    AskedForHuman,
    /// A forbidden topic, a hot lead, too many messages: the guardrail's name.
    Guardrail(String),
    /// A guardrail failed, and so denied.
    GuardrailFailed(String),
    /// Tools failed too often in a row.
    Breaker,
    /// The model could not mend its own mistakes.
    Corrections,
    /// A budget was used up: its name.
    Budget(String),
    /// No final text after the last round of tool calls.
    Rounds,
    /// No model answered; for staff.
    ModelFailure(String),
    /// Nothing readable was left of the reply.
    Unreadable,
    /// The reply claimed what had not happened, twice.
    FalseClaim,
    /// The turn took too long.
    Deadline,
    /// A command needs the approval of staff.
    StaffApproval(String),
    /// Whether this command had its effect is not known, and only people can tell.
    Uncertain(String),
}

impl HandoffReason {
    /// True where the customer must be told that it did not work, and nothing may follow after the reply.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        match self {
            Self::Model(_) | Self::AskedForHuman | Self::Guardrail(_) | Self::StaffApproval(_) | Self::Uncertain(_) => {
                false
            }
            Self::GuardrailFailed(_)
            | Self::Breaker
            | Self::Corrections
            | Self::Budget(_)
            | Self::Rounds
            | Self::ModelFailure(_)
            | Self::Unreadable
            | Self::FalseClaim
            | Self::Deadline => true,
        }
    }

    /// A word for records and metrics.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Model(_) => "model",
            Self::AskedForHuman => "asked_for_human",
            Self::Guardrail(_) => "guardrail",
            Self::GuardrailFailed(_) => "guardrail_failed",
            Self::Breaker => "breaker",
            Self::Corrections => "corrections",
            Self::Budget(_) => "budget",
            Self::Rounds => "rounds",
            Self::ModelFailure(_) => "model_failure",
            Self::Unreadable => "unreadable",
            Self::FalseClaim => "false_claim",
            Self::Deadline => "deadline",
            Self::StaffApproval(_) => "staff_approval",
            Self::Uncertain(_) => "uncertain",
        }
    }

    /// For staff, with whatever more is known.
    #[must_use]
    pub fn for_staff(&self) -> String {
        match self {
            Self::Model(text) | Self::Guardrail(text) | Self::GuardrailFailed(text) => {
                format!("{}: {text}", self.code())
            }
            Self::Budget(text) | Self::ModelFailure(text) | Self::StaffApproval(text) | Self::Uncertain(text) => {
                format!("{}: {text}", self.code())
            }
            Self::AskedForHuman
            | Self::Breaker
            | Self::Corrections
            | Self::Rounds
            | Self::Unreadable
            | Self::FalseClaim
            | Self::Deadline => self.code().to_owned(),
        }
    }
}

impl HandoffReason {
    /// The sentence that a staff member reads instead of a handoff, because no other person could be called. `None` if a person was asked
    /// for.
    #[must_use]
    pub fn text_for_staff(&self, locale: Locale) -> Option<Reply> {
        let words = notices(locale);
        let sentence = match self {
            Self::Model(_) | Self::AskedForHuman => return None,
            Self::Uncertain(_) => &words.staff_uncertain,
            Self::StaffApproval(_) => &words.staff_approval,
            Self::Guardrail(_)
            | Self::GuardrailFailed(_)
            | Self::Breaker
            | Self::Corrections
            | Self::Budget(_)
            | Self::Rounds
            | Self::ModelFailure(_)
            | Self::Unreadable
            | Self::FalseClaim
            | Self::Deadline => &words.staff_failed,
        };
        Some(Reply::written(sentence))
    }
}

/// What the note to staff is made of.
#[derive(Debug, Clone, Copy)]
pub struct NoteFacts<'a> {
    /// The language of the note.
    pub locale: Locale,
    /// Why.
    pub reason: &'a HandoffReason,
    /// The contact's name.
    pub contact_name: Option<&'a str>,
    /// The contact's phone.
    pub contact_phone: Option<&'a str>,
    /// The calls of the turn, with their arguments and internal errors.
    pub calls: &'a [CallRecord],
    /// Failures in a row that the breaker counts, those of earlier turns included.
    pub failures: u32,
    /// What was under discussion.
    pub memory: &'a WorkingMemory,
    /// What the customer wrote last.
    pub last_request: &'a str,
    /// The turn's id.
    pub turn: i64,
}

/// The internal note of a handoff: everything that staff need to go on, and nothing that a customer may see.
#[must_use]
pub fn note(facts: &NoteFacts<'_>) -> String {
    let words = notices(facts.locale);
    let none = words.note_none.as_str();
    let memory = facts.memory;
    let when = match (memory.day.as_deref(), memory.time.as_deref()) {
        (Some(day), Some(time)) => format!("{day} {time}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => none.to_owned(),
    };
    let failed: Vec<&CallRecord> = facts.calls.iter().filter(|call| call.result.is_error()).collect();
    let mut lines = vec![
        words.note_title.clone(),
        format!("{}: {}", words.note_trigger, facts.reason.for_staff()),
        format!("{}: {}", words.note_customer, facts.contact_name.unwrap_or(none)),
        format!("{}: {}", words.note_phone, facts.contact_phone.unwrap_or(none)),
        format!("{}: {}", words.note_service, memory.service.as_deref().unwrap_or(none)),
        format!("{}: {}", words.note_when, when),
        format!("{}: {}", words.note_professional, memory.professional.as_deref().unwrap_or(none)),
        format!("{}: {}", words.note_attempts, failed.len().max(usize::try_from(facts.failures).unwrap_or(usize::MAX))),
    ];
    // What did happen stays done: whoever goes on must know.
    let done = |call: &&CallRecord| call.result.receipts.iter().any(|receipt| receipt.kind != ReceiptKind::Existing);
    for call in facts.calls.iter().filter(done) {
        lines.push(format!("+ {} {}", call.tool, call.args));
    }
    for call in failed {
        let code = call.result.code.map_or("", |code| code.as_str());
        let internal = call.result.internal.as_deref().unwrap_or("");
        lines.push(format!("- {} {}: {code} {internal}", call.tool, call.args).trim_end().to_owned());
    }
    let request: String = facts.last_request.chars().take(400).collect();
    lines.push(crate::notice::fill(&words.summary_request, "request", &request));
    lines.push(format!("{}: {}", words.note_turn, facts.turn));
    lines.join("\n")
}
