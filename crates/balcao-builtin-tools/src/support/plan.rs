//! What a booking says of a plan that does not pay for it.

use balcao_app::scheduling::booking::Booked;
use balcao_domain::subscription::{NotCovered, PlanPeriod};
use balcao_tool::{Locale, ToolContext};

/// Why the visit has its full price although a plan of the customer names the service, as a sentence for the customer; `None` if no plan
/// names it or a plan pays.
pub(crate) fn plan_notice(cx: &ToolContext, booked: &Booked) -> Option<String> {
    let notice = booked.plan_notice.as_ref()?;
    let (plan, price) = (&notice.plan, booked.appointment.price);
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

/// A message with a sentence behind it.
pub(crate) fn with_sentence(message: &str, sentence: Option<&str>) -> String {
    sentence.map_or_else(|| message.to_owned(), |sentence| format!("{message} {sentence}"))
}
