//! `get_stats`: figures month by month.

use async_trait::async_trait;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_app::reports::analytics::{Analytics, Figures};
use balcao_tool::{Locale, NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::analyst::{figures, percent, sees};
use crate::support::{broke, organization};

const MONTHS: u32 = 6;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    months: Option<u32>,
}

pub(crate) struct GetStats {
    pub(crate) people: StaffAccess,
    pub(crate) analytics: Analytics,
}

#[async_trait]
impl NativeTool for GetStats {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let sees = sees(&self.people, cx).await?;
        let months = args.months.unwrap_or(MONTHS);
        let stats = self.analytics.stats(organization(cx)?, sees, months).await.map_err(broke)?;
        let month = |one: &balcao_app::reports::analytics::Month| {
            let mut value = figures(&one.figures);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("month".to_owned(), one.month.as_str().into());
            }
            value
        };
        Ok(ToolOutput::success(json!({
            "timezone": stats.timezone,
            "from": stats.from.to_string(),
            "to": stats.to.to_string(),
            "summary": figures(&stats.summary),
            "months": stats.months.iter().map(month).collect::<Value>(),
            "layout": stats.months.last().map_or_else(String::new, |one| layout(cx, &one.month, &one.figures)),
        })))
    }
}

/// The current month's summary, as it is to be shown.
fn layout(cx: &ToolContext, month: &str, of: &Figures) -> String {
    let rate = percent(cx, of.no_show_rate);
    let revenue = of.revenue.map(|money| money.to_string());
    let Figures { total, completed, no_shows, cancelled, unmarked, .. } = of;
    // Without these the others do not add up, and the rate is of fewer visits than there were.
    let unmarked = match (unmarked, cx.principal.locale) {
        (0, _) => String::new(),
        (_, Locale::PtBr) => format!("\n- Sem marcação: {unmarked}"),
        (_, Locale::En) => format!("\n- Without a mark: {unmarked}"),
    };
    match cx.principal.locale {
        Locale::PtBr => format!(
            "Resumo de {month}\n- Agendamentos: {total}\n- Realizados: {completed}\n- Faltas: {no_shows} ({rate})\n\
             - Cancelados: {cancelled}{unmarked}{}",
            revenue.map_or_else(String::new, |revenue| format!("\n- Receita: {revenue}"))
        ),
        Locale::En => format!(
            "Summary of {month}\n- Appointments: {total}\n- Completed: {completed}\n- No-shows: {no_shows} ({rate})\n\
             - Cancelled: {cancelled}{unmarked}{}",
            revenue.map_or_else(String::new, |revenue| format!("\n- Revenue: {revenue}"))
        ),
    }
}
