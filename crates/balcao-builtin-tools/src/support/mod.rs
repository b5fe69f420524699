//! What handlers share: identity, errors, dates, and the shapes of answers.

pub(crate) mod analyst;
pub(crate) mod calendar;
mod offer;
mod plan;
mod refusals;
mod views;

use balcao_app::UseCaseError;
use balcao_app::context::names::NameRefusal;
use balcao_domain::{ContactId, ConversationId, FailureClass, OrganizationId, TurnId};
use balcao_language::{DateProblem, resolve_date_in};
use balcao_store::turns::ledger::EffectKey;
use balcao_tool::{
    ErrorCode, FieldProblem, Internal, Locale, ModelText, ToolContext, ToolError, ToolOutput, ToolResult,
};
use jiff::civil::Date;
use serde_json::{Value, json};

pub(crate) use offer::{professionals, services};
pub(crate) use plan::{
    ask_first, ask_if_price_changed, changed_price, is_price_agreed, plan_notice, plan_sentence, price_notice,
    price_sentence, question_after, with_sentence,
};
pub(crate) use refusals::{booking_refusal, history_error, intake_refusal, open_until};
pub(crate) use views::{appointment, day, periods, receipt, slots, time_in_words, visit_receipt, weekday};

/// The organization that the turn is bound to.
pub(crate) fn organization(cx: &ToolContext) -> ToolResult<OrganizationId> {
    OrganizationId::try_from(cx.principal.organization).map_err(defect)
}

/// The contact that the turn is bound to.
pub(crate) fn contact(cx: &ToolContext) -> ToolResult<ContactId> {
    ContactId::try_from(cx.principal.contact).map_err(defect)
}

/// The conversation that the turn is bound to.
pub(crate) fn conversation(cx: &ToolContext) -> ToolResult<ConversationId> {
    ConversationId::try_from(cx.principal.conversation).map_err(defect)
}

/// The call's key, as the ledger wants it.
pub(crate) fn key(cx: &ToolContext, tool: &str) -> EffectKey {
    EffectKey {
        key: cx.key.as_str().to_owned(),
        args_hash: cx.args_hash.clone(),
        turn: TurnId::try_from(cx.principal.turn).ok(),
        tool: tool.to_owned(),
    }
}

/// A use case that broke: the model learns that it did, staff learn why.
pub(crate) fn broke(error: UseCaseError) -> Box<ToolError> {
    let code = match error.class() {
        FailureClass::Transient => ErrorCode::Unavailable,
        FailureClass::Refused | FailureClass::Correction | FailureClass::Fault => ErrorCode::Internal,
    };
    let told = ToolError::from_source(code, &error);
    if error.is_unknown() { told.uncertain() } else { told }.into()
}

fn defect(error: impl std::error::Error + 'static) -> Box<ToolError> {
    ToolError::from_source(ErrorCode::Internal, &error).into()
}

/// Words in the conversation's language.
pub(crate) fn in_locale<'a>(cx: &ToolContext, pt_br: &'a str, en: &'a str) -> &'a str {
    match cx.principal.locale {
        Locale::PtBr => pt_br,
        Locale::En => en,
    }
}

/// The refusal of a message to a contact who asked for none on our own account.
pub(crate) fn opted_out(cx: &ToolContext) -> ToolOutput {
    let message = in_locale(
        cx,
        "Você pediu para não receber mensagens; nada foi programado. Para voltar a receber, basta escrever VOLTAR.",
        "You asked for no messages; nothing was planned. To hear from us again you only have to write START.",
    );
    ToolOutput::refusal(json!({"success": false, "reason": "OPTED_OUT", "message": message}))
}

/// The language for dates and times.
pub(crate) fn words(cx: &ToolContext) -> balcao_language::Locale {
    cx.principal.locale
}

/// Reads a date argument: ISO or the customer's words, counted from the turn's day.
pub(crate) fn date(cx: &ToolContext, text: &str, argument: &str) -> ToolResult<Date> {
    let read = resolve_date_in(text, cx.now.date(), words(cx)).map(|resolved| resolved.date);
    read.map_err(|problem| date_error(&problem, text, argument, "YYYY-MM-DD", |date| date.to_string()))
}

/// A date argument that is no one day. Of several that may be meant the customer is asked; `written` writes a day in
/// `format`, as the tool's other dates are.
pub(crate) fn date_error(
    problem: &DateProblem,
    text: &str,
    argument: &str,
    format: &str,
    written: impl Fn(Date) -> String,
) -> Box<ToolError> {
    let nearest = match problem {
        DateProblem::Ambiguous { .. } => {
            let candidates: Vec<String> = problem.readings().into_iter().map(written).collect();
            return ToolError::new(ErrorCode::Ambiguous, ModelText::new(format!("`{text}`: {problem}")))
                .detail("argument", argument)
                .detail("candidates", json!(candidates))
                .into();
        }
        DateProblem::WeekdayMismatch { date, .. } => Some(written(*date)),
        DateProblem::SeveralDays { first, .. } => Some(written(*first)),
        DateProblem::NotADate { .. } | DateProblem::Impossible { .. } => None,
    };
    let field = FieldProblem {
        pointer: format!("/{argument}"),
        problem: problem.to_string(),
        expected: format!("one day as {format} or in the customer's words"),
        got: Some(text.into()),
        nearest: nearest.map(Value::from),
        ..FieldProblem::default()
    };
    ToolError::invalid(vec![field]).into()
}

/// Reads `HH:MM`, which the schema has checked, as minutes since midnight.
pub(crate) fn minutes(text: &str) -> ToolResult<u16> {
    let (hour, minute) = text.split_once(':').unwrap_or((text, "0"));
    let (hour, minute): (u16, u16) = (hour.parse().map_err(defect)?, minute.parse().map_err(defect)?);
    Ok(hour * 60 + minute)
}

/// A name that led to nothing, or to several things.
pub(crate) fn name_error(refusal: NameRefusal, argument: &str) -> Box<ToolError> {
    let error = match refusal {
        NameRefusal::NotFound { query, nearest, known } => {
            ToolError::new(ErrorCode::NotFound, ModelText::new(format!("there is no `{query}` for {argument}")))
                .detail("argument", argument)
                .detail("nearest", nearest.map_or(json!([]), |name| json!([name])))
                .detail("available", json!(known))
        }
        NameRefusal::Ambiguous { query, candidates } => {
            ToolError::new(ErrorCode::Ambiguous, ModelText::new(format!("`{query}` may mean several, for {argument}")))
                .detail("argument", argument)
                .detail("candidates", json!(candidates))
        }
    };
    error.into()
}

/// A bad field that only the use case could see, with the value that came.
pub(crate) fn bad_field(
    argument: &str,
    problem: &str,
    expected: impl Into<String>,
    got: impl Into<Value>,
) -> Box<ToolError> {
    let field = FieldProblem {
        pointer: format!("/{argument}"),
        problem: problem.to_owned(),
        expected: expected.into(),
        got: Some(got.into()),
        ..FieldProblem::default()
    };
    ToolError::invalid(vec![field]).into()
}

/// An error for staff only.
pub(crate) fn internal(note: &str) -> Box<ToolError> {
    ToolError::new(ErrorCode::Internal, "the tool failed").internal(Internal::note(note)).into()
}
