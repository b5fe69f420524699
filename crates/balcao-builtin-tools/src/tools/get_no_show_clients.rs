//! `get_no_show_clients`: who does not come.

use async_trait::async_trait;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_app::reports::analytics::{Analytics, NoShowClient, NoShowRanking};
use balcao_tool::{NativeTool, ToolContext, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::analyst::{percent, sees, span, thousandths};
use crate::support::{broke, in_locale, organization};

const MONTHS: u32 = 6;
const LIMIT: u32 = 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    months: Option<u32>,
    limit: Option<u32>,
}

pub(crate) struct GetNoShowClients {
    pub(crate) people: StaffAccess,
    pub(crate) analytics: Analytics,
}

#[async_trait]
impl NativeTool for GetNoShowClients {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let sees = sees(&self.people, cx).await?;
        let (months, limit) = (args.months.unwrap_or(MONTHS), args.limit.unwrap_or(LIMIT));
        let found = self.analytics.no_show_clients(organization(cx)?, sees, months, limit);
        let NoShowRanking { from, to, clients } = found.await.map_err(broke)?;
        let span = span(cx, from, to);
        let client = |one: &NoShowClient| {
            json!({
                "name": name(cx, one),
                "no_shows": one.no_shows,
                "total_sessions": one.total_sessions,
                "no_show_rate": thousandths(one.no_show_rate),
            })
        };
        let lines: Vec<String> = (1..).zip(&clients).map(|(place, one)| line(cx, place, one)).collect();
        Ok(ToolOutput::success(json!({
            "from": from.to_string(),
            "to": to.to_string(),
            "clients": clients.iter().map(client).collect::<Value>(),
            "layout": if lines.is_empty() { nobody(cx, sees.only.is_some(), &span) } else { ranking(cx, &span, &lines) },
        })))
    }
}

/// `own`: of one professional's appointments alone.
fn nobody(cx: &ToolContext, own: bool, span: &str) -> String {
    let nobody = if own {
        in_locale(cx, "Nenhum dos seus clientes faltou", "None of your customers missed one")
    } else {
        in_locale(cx, "Ninguém faltou", "Nobody missed one")
    };
    format!("{nobody} {span}.")
}

fn ranking(cx: &ToolContext, span: &str, lines: &[String]) -> String {
    format!("{} {span}\n{}", in_locale(cx, "Faltas", "Missed"), lines.join("\n"))
}

fn name<'a>(cx: &ToolContext, one: &'a NoShowClient) -> &'a str {
    one.name.as_deref().unwrap_or_else(|| in_locale(cx, "sem nome", "no name"))
}

/// A line of the ranking, as it is to be shown.
fn line(cx: &ToolContext, place: u32, one: &NoShowClient) -> String {
    let (who, rate) = (name(cx, one), percent(cx, one.no_show_rate));
    let (missed, total) = (one.no_shows, one.total_sessions);
    let of = in_locale(cx, if missed == 1 { "falta em" } else { "faltas em" }, "missed of");
    format!("{place}. {who}: {missed} {of} {total} ({rate})")
}
