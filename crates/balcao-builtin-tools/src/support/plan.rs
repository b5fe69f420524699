//! What a booking says of its price: that a plan does not pay for it, and that a reply named another price.

use balcao_app::scheduling::booking::{Booked, PlanNotice};
use balcao_domain::Money;
use balcao_domain::subscription::{NotCovered, PlanPeriod};
use balcao_language::contains_word;
use balcao_tool::{Locale, Preview, ToldPrices, ToolContext, ToolError, ToolOutput, ToolResult};

/// Whether the customer knows the full price of a visit: the question that they agreed to names a price, or staff speak for themselves.
pub(crate) fn is_price_agreed(cx: &ToolContext) -> bool {
    cx.principal.staff_facing || cx.agreed.as_ref().is_some_and(|agreed| prices(&agreed.question).next().is_some())
}

/// Asks the customer again if the question that they agreed to names another price than the same question would name now, or if it names
/// none and a reply named another price. `None` if no reply named a price: then `preview` is not awaited. `None`, too, if the visit costs
/// nothing more, or the act was done before a crash.
pub(crate) async fn ask_if_price_changed(
    cx: &ToolContext,
    preview: impl Future<Output = ToolResult<Preview>>,
) -> ToolResult<Option<ToolOutput>> {
    let agreed = cx.agreed.as_ref().filter(|agreed| prices(&agreed.question).next().is_some());
    if agreed.is_none() && cx.told_prices.is_empty() {
        return Ok(None);
    }
    let is_news = |now: &str| match agreed {
        Some(agreed) => prices(now).next().is_some() && prices(now).ne(prices(&agreed.question)),
        None => now.starts_with(price_lead(cx)),
    };
    match preview.await {
        Ok(Preview::Ask(now)) if is_news(&now) => ask_first(Preview::Ask(now)).map(Some),
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

/// What the customer has to know of the price before they agree: why a plan does not pay, or that the price is not the one that they
/// read.
pub(crate) fn price_notice(cx: &ToolContext, booked: &Booked) -> Option<String> {
    let one = &booked.appointment;
    plan_notice(cx, booked).or_else(|| price_sentence(cx, &one.service, one.price))
}

/// "Este horário custa R$ 77,00.", if the newest reply with a price of the service names another one. `None` for a visit that costs nothing.
pub(crate) fn price_sentence(cx: &ToolContext, service: &str, price: Money) -> Option<String> {
    let told = cx.told_prices.iter().find_map(|reply| prices_of(reply, service))?;
    let is_other = price.cents > 0 && !told.contains(&price.cents) && !cx.principal.staff_facing;
    is_other.then(|| format!("{} {price}.", price_lead(cx)))
}

/// The prices of a service in a reply: in the lines that name it, or in all lines if the customer's question named it and no line does.
fn prices_of(reply: &ToldPrices, service: &str) -> Option<Vec<i64>> {
    let lines = || reply.lines.iter();
    let naming: Vec<_> = lines().filter(|(line, _)| contains_word(line, service)).collect();
    let about: Vec<_> = match naming.is_empty() {
        true if contains_word(&reply.asked, service) => lines().collect(),
        true => return None,
        false => naming,
    };
    Some(about.into_iter().flat_map(|(_, cents)| cents).copied().collect())
}

/// "Este horário custa R$ 60,00.", if a move changes the price of a visit. `None` for a visit that costs nothing now.
pub(crate) fn changed_price(cx: &ToolContext, before: Money, now: Money) -> Option<String> {
    (now != before && now.cents > 0).then(|| format!("{} {now}.", price_lead(cx)))
}

const fn price_lead(cx: &ToolContext) -> &'static str {
    match cx.principal.locale {
        Locale::PtBr => "Este horário custa",
        Locale::En => "This visit costs",
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
