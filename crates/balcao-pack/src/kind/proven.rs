//! What is said of a write of the operator's own packs, once it was made: a receipt, and, to staff, how it is undone.
//!
//! A handler of the program issues receipts of its own. A pack is data, and knows no receipts: that the service said yes is what is proven.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_tool::{Found, Preview, Receipt, ReceiptKind, ToolContext, ToolHandler, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

/// A write with its receipt.
#[derive(Clone)]
pub(crate) struct Proven {
    pub(crate) inner: Arc<dyn ToolHandler>,
    pub(crate) undo: Option<Undo>,
}

/// The command that undoes another one.
#[derive(Debug, Clone)]
pub(crate) struct Undo {
    /// Its tool.
    pub(crate) tool: String,
    /// What it takes.
    pub(crate) schema: Value,
}

impl Proven {
    fn proven(&self, cx: &ToolContext, input: &Value, output: ToolOutput) -> ToolOutput {
        if output.refused {
            return output;
        }
        let undo = self
            .undo
            .as_ref()
            .filter(|_| cx.principal.staff_facing)
            .map(|undo| json!({"tool": undo.tool, "arguments": undoing(&undo.schema, input, &output.value)}))
            .map(Box::new);
        let output = ToolOutput { undo, ..output };
        // A command made of others has the receipts of its parts.
        if output.receipts.is_empty() { output.receipt(Receipt::bare(ReceiptKind::Changed)) } else { output }
    }
}

#[async_trait]
impl ToolHandler for Proven {
    async fn call(&self, cx: &ToolContext, args: Value) -> ToolResult<ToolOutput> {
        let output = self.inner.call(cx, args.clone()).await?;
        Ok(self.proven(cx, &args, output))
    }

    async fn preview(&self, cx: &ToolContext, args: Value) -> ToolResult<Preview> {
        self.inner.preview(cx, args).await
    }

    async fn find(&self, cx: &ToolContext, args: Value) -> ToolResult<Found> {
        Ok(match self.inner.find(cx, args.clone()).await? {
            Found::There(output) => Found::There(self.proven(cx, &args, output)),
            Found::Absent => Found::Absent,
        })
    }

    fn confirmable(&self) -> bool {
        self.inner.confirmable()
    }

    fn args_schema(&self) -> Value {
        self.inner.args_schema()
    }

    fn mending(&self) -> Option<Arc<dyn ToolHandler>> {
        Some(Arc::new(Self { inner: self.inner.mending()?, undo: self.undo.clone() }))
    }

    fn calls(&self, args: &Value) -> Vec<String> {
        self.inner.calls(args)
    }
}

/// The arguments that undo a command: from what came of it, then from what it was called with, as far as `schema` (of the command that
/// undoes) has them. `id` of the result is the id of what was made, for an argument that must be there and ends in `_id`.
#[must_use]
pub fn undoing(schema: &Value, input: &Value, result: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = |name: &str| {
        let all = schema.get("required").and_then(Value::as_array);
        all.is_some_and(|all| all.iter().any(|one| one == name))
    };
    let names = properties.into_iter().flatten().map(|(name, _)| name);
    let value = |name: &String| {
        let same = result.get(name).or_else(|| input.get(name));
        let made = || result.get("id").filter(|_| name.ends_with("_id") && required(name));
        Some((name.clone(), same.or_else(made)?.clone()))
    };
    names.filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undoing_takes_what_was_made_and_what_it_was_made_with() {
        let schema =
            json!({"required": ["task_id"], "properties": {"task_id": {}, "team_id": {}, "list_id": {}, "force": {}}});
        let cases = [
            (
                json!({"list_id": "9", "name": "x"}),
                json!({"id": "t1", "name": "x"}),
                json!({"task_id": "t1", "list_id": "9"}),
            ),
            (json!({"task_id": "a"}), json!({"id": "b"}), json!({"task_id": "a"})),
            (json!({"task_id": "a"}), json!({"task_id": "b"}), json!({"task_id": "b"})),
            (json!({}), json!({}), json!({})),
        ];
        for (input, result, expected) in cases {
            assert_eq!(Value::Object(undoing(&schema, &input, &result)), expected);
        }
    }
}
