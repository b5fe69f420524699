//! `run_query`: a question that no fixed report answers, in the query language.

use async_trait::async_trait;
use balcao_app::admin::plans::Plans;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_app::reports::questions::{Answer, Questions};
use balcao_domain::entitlement::Feature;
use balcao_domain::{Currency, Money};
use balcao_query::Value as Cell;
use balcao_tool::{FieldProblem, NativeTool, ToolContext, ToolError, ToolOutput, ToolResult};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::analyst::{sees, thousandths, upgrade_required};
use crate::support::{broke, organization};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    query: String,
}

pub(crate) struct RunQuery {
    pub(crate) people: StaffAccess,
    pub(crate) questions: Questions,
    pub(crate) plans: Plans,
}

#[async_trait]
impl NativeTool for RunQuery {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let sees = sees(&self.people, cx).await?;
        let open = self.plans.allows(organization(cx)?, Feature::FreeQuestions).await.map_err(broke)?;
        open.map_err(|missing| upgrade_required(cx, &missing))?;
        let answer = self.questions.ask(organization(cx)?, sees, &args.query).await.map_err(broke)?;
        let Answer { table, currency } = answer.map_err(|error| {
            ToolError::invalid(vec![FieldProblem {
                pointer: "/query".to_owned(),
                problem: format!("line {}, column {}: {}", error.line, error.column, error.message),
                expected: error.suggestion.unwrap_or_else(|| "a question of the grammar in the description".to_owned()),
                got: Some(args.query.as_str().into()),
                ..FieldProblem::default()
            }])
        })?;
        let row = |row: &Vec<Cell>| row.iter().map(|cell| shown(cell, currency)).collect::<Value>();
        Ok(ToolOutput::success(json!({
            "columns": table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(),
            "rows": table.rows.iter().map(row).collect::<Value>(),
            "more_rows": table.more,
        })))
    }
}

/// A value as it may be said.
fn shown(cell: &Cell, currency: Currency) -> Value {
    match cell {
        Cell::Null => Value::Null,
        Cell::Boolean(is) => json!(is),
        Cell::Integer(number) => json!(number),
        Cell::Decimal(number) => json!(thousandths(*number)),
        Cell::Money(cents) => json!(Money::new(*cents, currency).to_string()),
        Cell::Text(text) => json!(&**text),
        Cell::Date(date) => json!(date.to_string()),
        Cell::DateTime(at) => json!(at.strftime("%Y-%m-%d %H:%M").to_string()),
    }
}
