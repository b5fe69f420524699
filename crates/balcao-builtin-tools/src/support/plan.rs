//! What a booking says of a plan that does not pay for it.

use balcao_app::scheduling::booking::{Booked, PlanNotice};
use balcao_domain::Money;
use balcao_domain::subscription::{NotCovered, PlanPeriod};
use balcao_tool::{Locale, Preview, ToolContext, ToolError, ToolOutput, ToolResult};

/// Whether the customer knows what a call costs them: they agreed to its question, which names the price, or staff speak for themselves.
pub(crate) fn is_price_agreed(cx: &ToolContext) -> bool {
    cx.agreed.is_some() || cx.principal.staff_facing
}

/// Puts the question of a preview to the customer, in place of a call that has a price which they do not know yet. A preview that refuses
/// answers the call.
pub(crate) fn ask_first(preview: Preview) -> ToolResult<ToolOutput> {
    match preview {
        Preview::Ask(question) => Err(ToolError::ask(question).into()),
        Preview::Refused(output) => Ok(output),
    }
}

/// The sentence of [`plan_sentence`] for a booking.
pub(crate) fn plan_notice(cx: &ToolContext, booked: &Booked) -> Option<String> {
    plan_sentence(cx, booked.plan_notice.as_ref(), booked.appointment.price)
}

/// Why the visit has its full price although the customer has a plan, as a sentence for the customer; `None` without a notice.
pub(crate) fn plan_sentence(cx: &ToolContext, notice: Option<&PlanNotice>, price: Money) -> Option<String> {
    let notice = notice?;
    let plan = &notice.plan;
    let is_portuguese = cx.principal.locale == Locale::PtBr;
    let why = match (notice.reason, is_portuguese) {
        (NotCovered::QuotaUsed { quota, period }, true) => {
            let each = match period {
                PlanPeriod::Week => "por semana",
                PlanPeriod::Month => "por mês",
                PlanPeriod::Year => "por ano",
            };
            format!("A cota do plano {plan} ({quota} {each}) já foi usada nesse período")
        }
        (NotCovered::QuotaUsed { quota, period }, false) => {
            format!("The quota of the plan {plan} ({quota} a {}) is used up for that period", period.as_str())
        }
        (NotCovered::OtherService, true) => format!("O plano {plan} não inclui este serviço"),
        (NotCovered::OtherService, false) => format!("The plan {plan} does not include this service"),
        (NotCovered::Overdue { .. }, true) => format!("O plano {plan} está com o pagamento em atraso"),
        (NotCovered::Overdue { .. }, false) => format!("A payment for the plan {plan} is overdue"),
        (NotCovered::Paused, true) => format!("O plano {plan} está pausado"),
        (NotCovered::Paused, false) => format!("The plan {plan} is paused"),
        (NotCovered::Ended { .. }, true) => format!("O plano {plan} não vale mais nessa data"),
        (NotCovered::Ended { .. }, false) => format!("The plan {plan} is over by that date"),
    };
    Some(if is_portuguese {
        format!("{why}: este horário custa {price}.")
    } else {
        format!("{why}: this visit costs {price}.")
    })
}

/// A question behind the sentence that the customer has to know before they answer.
pub(crate) fn question_after(sentence: Option<String>, question: String) -> Preview {
    Preview::Ask(match sentence {
        Some(sentence) => format!("{sentence} {question}"),
        None => question,
    })
}

/// A message with a sentence behind it.
pub(crate) fn with_sentence(message: &str, sentence: Option<&str>) -> String {
    sentence.map_or_else(|| message.to_owned(), |sentence| format!("{message} {sentence}"))
}
