//! `get_subscriber_status`: the contact's plan.

use async_trait::async_trait;
use balcao_app::crm::subscriptions::{SubscriberRefusal, SubscriptionView, Subscriptions};
use balcao_domain::subscription::SubscriberStatus;
use balcao_tool::{ErrorCode, NativeTool, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{bad_field, broke, contact, in_locale, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    phone: Option<String>,
}

pub(crate) struct GetSubscriberStatus {
    pub(crate) subscriptions: Subscriptions,
}

#[async_trait]
impl NativeTool for GetSubscriberStatus {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let staff = cx.principal.staff_facing;
        let found =
            self.subscriptions.status(organization(cx)?, contact(cx)?, args.phone, staff).await.map_err(broke)?;
        let view = found.map_err(|refusal| match refusal {
            SubscriberRefusal::Forbidden => Box::new(ToolError::new(
                ErrorCode::Forbidden,
                "only the plan of the person who writes can be looked up",
            )),
            SubscriberRefusal::Phone { text } => {
                bad_field("phone", "bad_format", "a phone number with its area code, or nothing", text)
            }
        })?;
        // Plans that are overdue, paused or cancelled cover nothing, so the result lists them apart from the active ones.
        let (active, others): (Vec<_>, Vec<_>) =
            view.subscriptions.iter().partition(|one| one.status == SubscriberStatus::Active);
        let shown = |plans: &[&SubscriptionView]| plans.iter().copied().map(plan).collect::<Value>();
        let status = view.subscriptions.first().map(|one| one.status);
        let used_up = active.iter().find(|one| one.quota.is_some_and(|quota| one.used >= quota));
        let message = match status {
            None => in_locale(cx, "Não é assinante.", "No subscription."),
            Some(SubscriberStatus::Active) if used_up.is_some() => in_locale(
                cx,
                "Plano ativo, com a cota do período atual já usada: outro horário neste período tem o preço cheio.",
                "The plan is active, and its quota of the current period is used up: another visit in it has the full price.",
            ),
            Some(SubscriberStatus::Active) => in_locale(cx, "Plano ativo.", "The plan is active."),
            Some(SubscriberStatus::Overdue) => in_locale(
                cx,
                "Plano com pagamento em atraso: não cobre serviços até regularizar.",
                "The plan is overdue: it covers nothing until it is paid.",
            ),
            Some(SubscriberStatus::Paused) => in_locale(
                cx,
                "Plano pausado: não cobre serviços até ser retomado.",
                "The plan is paused: it covers nothing until it is resumed.",
            ),
            Some(SubscriberStatus::Cancelled) => in_locale(cx, "Plano cancelado.", "The plan was cancelled."),
        };
        let value = json!({
            "found": view.found,
            "client_name": view.client_name,
            "phone": view.phone,
            "is_subscriber": view.is_subscriber,
            "active_plans": shown(&active),
            "active_count": active.len(),
            "other_plans": shown(&others),
            "status": status.map_or("none", |status| status.as_str()),
            "due_date": view.due_date.map(|due| due.to_string()),
            "message": message,
        });
        Ok(if view.found { ToolOutput::success(value) } else { ToolOutput::refusal(value) })
    }
}

fn plan(one: &SubscriptionView) -> Value {
    json!({
        "name": one.plan,
        "price": one.price.to_string(),
        "status": one.status.as_str(),
        "due_date": one.dates.due.map(|due| due.to_string()),
        "quota": one.quota,
        "used": one.used,
        "period": one.period.as_str(),
        "ends_on": one.dates.ended.map(|ended| ended.to_string()),
        "benefits": one.benefits,
    })
}
