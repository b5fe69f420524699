//! What a booking says of a plan that does not pay for it.

use balcao_app::scheduling::booking::{Booked, PlanNotice};
use balcao_domain::Money;
use balcao_domain::subscription::{NotCovered, PlanPeriod};
use balcao_tool::{Locale, Preview, ToolContext, ToolError, ToolOutput, ToolResult};

/// Whether the customer knows the full price of a visit: the question that they agreed to names a price, or staff speak for themselves.
pub(crate) fn is_price_agreed(cx: &ToolContext) -> bool {
    cx.principal.staff_facing || cx.agreed.as_ref().is_some_and(|agreed| prices(&agreed.question).next().is_some())
}

/// Asks the customer again if the question that they agreed to names another price than the same question would name now. `None` if one of
/// the two names no price: then `preview` is not awaited, or the visit costs nothing more, or the act was done before a crash.
pub(crate) async fn ask_if_price_changed(
    cx: &ToolContext,
    preview: impl Future<Output = ToolResult<Preview>>,
) -> ToolResult<Option<ToolOutput>> {
    let Some(agreed) = cx.agreed.as_ref().filter(|agreed| prices(&agreed.question).next().is_some()) else {
        return Ok(None);
    };
    match preview.await {
        Ok(Preview::Ask(now)) if prices(&now).next().is_some() && prices(&now).ne(prices(&agreed.question)) => {
            ask_first(Preview::Ask(now)).map(Some)
        }
        // What refuses or breaks the preview does the same to the act, which says so and is repeated where that is safe.
        Ok(Preview::Ask(_) | Preview::Refused(_)) | Err(_) => Ok(None),
    }
}

/// The prices that a text names, as [`balcao_domain::Money`] prints them: "1.500,00" of "(R$ 1.500,00)".
fn prices(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_digit())).filter(|word| {
        word.rsplit_once(',').is_some_and(|(whole, cents)| {
            let digits =
                |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            cents.len() == 2 && digits(cents) && digits(whole)
        })
    })
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
