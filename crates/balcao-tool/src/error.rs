//! Errors of tools: one per reader.
//!
//! The model gets [`ToolError::to_model`]: facts it can act on. Staff and logs get [`Internal`]. The customer gets a notice
//! by key from the turn. No text moves from one reader to another: `Internal` has no `Display` and no `Serialize`.

use std::{error::Error, fmt};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::Locale;
use crate::class::ResultClass;
use crate::text::ModelText;

/// What went wrong, as a word that programs can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The arguments break the contract; one entry per bad field.
    InvalidArguments,
    /// A name or id that does not exist for this contact.
    NotFound,
    /// Several things match; candidates are given.
    Ambiguous,
    /// It contradicts what is stored.
    Conflict,
    /// Not for this contact or profile.
    Forbidden,
    /// A confirmation is needed first; a summary is given.
    ConfirmationRequired,
    /// Too often; `retry_after_s` is given.
    RateLimited,
    /// The system behind the tool does not answer.
    Unavailable,
    /// It took longer than its limit and was stopped.
    Timeout,
    /// Withdrawn after repeated failures.
    Blocked,
    /// No such tool; the nearest names are given.
    UnknownTool,
    /// The organization's plan does not include it.
    UpgradeRequired,
    /// A defect on our side.
    Internal,
}

impl ErrorCode {
    /// All codes.
    pub const ALL: [Self; 13] = [
        Self::InvalidArguments,
        Self::NotFound,
        Self::Ambiguous,
        Self::Conflict,
        Self::Forbidden,
        Self::ConfirmationRequired,
        Self::RateLimited,
        Self::Unavailable,
        Self::Timeout,
        Self::Blocked,
        Self::UnknownTool,
        Self::UpgradeRequired,
        Self::Internal,
    ];

    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArguments => "invalid_arguments",
            Self::NotFound => "not_found",
            Self::Ambiguous => "ambiguous",
            Self::Conflict => "conflict",
            Self::Forbidden => "forbidden",
            Self::ConfirmationRequired => "confirmation_required",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::Timeout => "timeout",
            Self::Blocked => "blocked",
            Self::UnknownTool => "unknown_tool",
            Self::UpgradeRequired => "upgrade_required",
            Self::Internal => "internal",
        }
    }

    /// How the circuit breaker reads it.
    #[must_use]
    pub const fn class(self) -> ResultClass {
        match self {
            Self::InvalidArguments | Self::NotFound | Self::Ambiguous | Self::Forbidden | Self::UnknownTool => {
                ResultClass::Correction
            }
            Self::Conflict | Self::ConfirmationRequired | Self::Blocked | Self::UpgradeRequired => ResultClass::Refusal,
            Self::RateLimited | Self::Unavailable | Self::Timeout | Self::Internal => ResultClass::Fault,
        }
    }

    /// Whether the same call may work later without any change.
    #[must_use]
    pub const fn retryable(self) -> bool {
        match self {
            Self::RateLimited | Self::Unavailable | Self::Timeout => true,
            Self::InvalidArguments
            | Self::NotFound
            | Self::Ambiguous
            | Self::Conflict
            | Self::Forbidden
            | Self::ConfirmationRequired
            | Self::Blocked
            | Self::UnknownTool
            | Self::UpgradeRequired
            | Self::Internal => false,
        }
    }

    /// What to do next, where the command's definition says nothing of its own.
    #[must_use]
    pub const fn guidance(self, locale: Locale) -> &'static str {
        match (self, locale) {
            (Self::InvalidArguments, Locale::PtBr) => {
                "Corrija só os campos listados e chame de novo. Se faltar um dado, pergunte ao cliente; não invente."
            }
            (Self::InvalidArguments, Locale::En) => {
                "Mend only the listed fields and call again. If a value is missing, ask the customer; never invent it."
            }
            (Self::NotFound, Locale::PtBr) => "Ofereça ao cliente as opções mais próximas e pergunte qual é.",
            (Self::NotFound, Locale::En) => "Offer the customer the nearest options and ask which one is meant.",
            (Self::Ambiguous, Locale::PtBr) => "Pergunte ao cliente qual dos candidatos é; não escolha por ele.",
            (Self::Ambiguous, Locale::En) => "Ask the customer which of the candidates is meant; do not choose.",
            (Self::Conflict, Locale::PtBr) => "Consulte a situação atual antes de tentar outra coisa.",
            (Self::Conflict, Locale::En) => "Look up the present state before you try anything else.",
            (Self::Forbidden, Locale::PtBr) => "Isso não é permitido nesta conversa. Diga que não pode, sem detalhes.",
            (Self::Forbidden, Locale::En) => {
                "This is not allowed in this conversation. Say that you cannot, without details."
            }
            (Self::ConfirmationRequired, Locale::PtBr) => {
                "Nada foi feito ainda. Faça ao cliente a pergunta do resumo e espere a resposta; não chame de novo agora."
            }
            (Self::ConfirmationRequired, Locale::En) => {
                "Nothing has been done yet. Ask the customer the question in the summary and wait; do not call again now."
            }
            (Self::RateLimited, Locale::PtBr) => "Não chame de novo agora. Responda com o que já sabe.",
            (Self::RateLimited, Locale::En) => "Do not call again now. Answer with what you know.",
            (Self::Unavailable | Self::Timeout, Locale::PtBr) => {
                "Tente no máximo mais uma vez. Se falhar de novo, diga que não conseguiu e ofereça um atendente."
            }
            (Self::Unavailable | Self::Timeout, Locale::En) => {
                "Try at most once more. If it fails again, say that it did not work and offer a person."
            }
            (Self::Blocked, Locale::PtBr) => {
                "Esta ferramenta está fora de uso nesta conversa. Não tente contornar; diga que não conseguiu e ofereça um atendente."
            }
            (Self::Blocked, Locale::En) => {
                "This tool is withdrawn for this conversation. Do not work around it; say that it did not work and offer a person."
            }
            (Self::UnknownTool, Locale::PtBr) => "Use só as ferramentas oferecidas, com o nome exato.",
            (Self::UnknownTool, Locale::En) => "Use only the tools on offer, by their exact names.",
            (Self::UpgradeRequired, Locale::PtBr) => "Este recurso não faz parte do plano. Ofereça um atendente.",
            (Self::UpgradeRequired, Locale::En) => "This is not part of the plan. Offer a person.",
            (Self::Internal, Locale::PtBr) => "Não repita a chamada. Diga que não conseguiu e ofereça um atendente.",
            (Self::Internal, Locale::En) => "Do not repeat the call. Say that it did not work and offer a person.",
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One bad field.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldProblem {
    /// JSON pointer into the arguments; empty for the whole.
    pub pointer: String,
    /// What is wrong: `missing`, `unknown_field`, `wrong_type`, `not_allowed`, `out_of_range`, `bad_format`, …
    pub problem: String,
    /// What would be right, in words.
    pub expected: String,
    /// What came, cut to a readable length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub got: Option<Value>,
    /// The nearest valid value or name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<Value>,
    /// The known wrong use that this is, by its id in the pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anti_pattern: Option<String>,
    /// How it is wrongly done, as the anti-pattern shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<Value>,
    /// How it is rightly done, as the anti-pattern shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correct: Option<Value>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// What only staff and logs may read: the source error's chain and whatever the upstream said.
///
/// It has no `Display`: text that reaches a model or a customer cannot be made of it by accident.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Internal(Vec<String>);

impl Internal {
    /// Keeps an error with all its causes.
    pub fn from_error(error: &(dyn Error + 'static)) -> Self {
        let mut chain = Vec::new();
        let mut next = Some(error);
        while let Some(error) = next {
            chain.push(error.to_string());
            next = error.source();
        }
        Self(chain)
    }

    /// Keeps words for staff.
    pub fn note(text: impl Into<String>) -> Self {
        Self(vec![text.into()])
    }

    /// The chain in one line, for a note to staff or a log.
    #[must_use]
    pub fn for_staff(&self) -> String {
        self.0.join(": ")
    }
}

/// A call that failed other than by a refusal.
#[derive(Debug, Clone)]
pub struct ToolError {
    /// What happened.
    pub code: ErrorCode,
    /// The text for the model.
    pub text: ModelText,
    /// Facts that the model can act on: candidates, nearest names, a summary.
    pub details: Map<String, Value>,
    /// The bad fields, for [`ErrorCode::InvalidArguments`].
    pub fields: Vec<FieldProblem>,
    /// For staff only.
    pub internal: Option<Internal>,
    /// Whether the effect may have happened all the same.
    pub uncertain: bool,
    /// The question that the customer has to agree to before the call may run.
    pub question: Option<String>,
}

/// What handlers return: boxed, since the error is large and rare.
pub type ToolResult<T> = Result<T, Box<ToolError>>;

impl ToolError {
    /// An error with the words that the model reads.
    pub fn new(code: ErrorCode, text: impl Into<ModelText>) -> Self {
        Self {
            code,
            text: text.into(),
            details: Map::new(),
            fields: Vec::new(),
            internal: None,
            uncertain: false,
            question: None,
        }
    }

    /// The customer asked for the call, and has to learn something before it runs: nothing was done, and the question says what.
    pub fn ask(question: String) -> Self {
        let text = "the customer has to agree first; nothing has been done";
        let error = Self::new(ErrorCode::ConfirmationRequired, text).detail("summary", question.as_str());
        Self { question: Some(question), ..error }
    }

    /// Bad fields.
    #[must_use]
    pub fn invalid(fields: Vec<FieldProblem>) -> Self {
        let text = match fields.as_slice() {
            [one] if !one.pointer.is_empty() => format!("{}: {}; expected {}", one.pointer, one.problem, one.expected),
            [one] => format!("{}; expected {}", one.problem, one.expected),
            several => format!("{} fields are wrong", several.len()),
        };
        Self { fields, ..Self::new(ErrorCode::InvalidArguments, ModelText::new(text)) }
    }

    /// A defect or failure behind the tool: the model learns no more than that, staff everything.
    pub fn from_source(code: ErrorCode, error: &(dyn Error + 'static)) -> Self {
        let text = if code == ErrorCode::Unavailable {
            "the system behind this tool does not answer now"
        } else {
            "the tool failed"
        };
        Self::new(code, text).internal(Internal::from_error(error))
    }

    /// Adds a fact.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Adds what staff need.
    #[must_use]
    pub fn internal(mut self, internal: Internal) -> Self {
        self.internal = Some(internal);
        self
    }

    /// The request left and no readable answer came: the effect may have happened all the same. What is certainly not done
    /// (no connection, an answer that says no) is a plain error.
    #[must_use]
    pub fn uncertain(mut self) -> Self {
        self.uncertain = true;
        self
    }

    /// The JSON that the model reads. `guidance` is the command's own for this code.
    #[must_use]
    pub fn to_model(&self, guidance: Option<&str>, locale: Locale) -> Value {
        let mut details = self.details.clone();
        if !self.fields.is_empty() {
            details.insert("fields".to_owned(), json!(self.fields));
        }
        let mut out = Map::new();
        out.insert("error".to_owned(), self.text.as_str().into());
        out.insert("code".to_owned(), self.code.as_str().into());
        out.insert("retryable".to_owned(), self.code.retryable().into());
        if !details.is_empty() {
            out.insert("details".to_owned(), Value::Object(details));
        }
        out.insert("_context".to_owned(), guidance.unwrap_or_else(|| self.code.guidance(locale)).into());
        Value::Object(out)
    }
}

/// Tells a model that a call may have been done: whatever the error is by itself, the call is not made again.
pub(crate) fn tell_uncertain(told: &mut Value, locale: Locale) {
    let Some(object) = told.as_object_mut() else { return };
    let guidance = match locale {
        Locale::PtBr => {
            "Não se sabe se isso foi feito. Não chame de novo. Diga ao cliente que a equipe vai conferir e responder."
        }
        Locale::En => {
            "It is not known whether this was done. Do not call again. Say that the team will check and answer."
        }
    };
    object.insert("retryable".to_owned(), false.into());
    object.insert("_context".to_owned(), guidance.into());
}

#[cfg(test)]
#[path = "error_tests.rs"]
mod tests;
