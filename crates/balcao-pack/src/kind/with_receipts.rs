//! What is said of a write of the operator's own packs, once it was made: a receipt, and, to staff, how it is undone.
//!
//! A handler of the program issues receipts of its own. A pack is data, and knows no receipts: that the service said yes is what is proven.

use std::sync::Arc;

use async_trait::async_trait;
use balcao_tool::{Found, Preview, Receipt, ReceiptKind, ToolContext, ToolHandler, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use crate::{
    expression::Expression,
    manifest::{Command, Pack},
};

/// A write with its receipt.
#[derive(Clone)]
pub(crate) struct WithReceipts {
    pub(crate) inner: Arc<dyn ToolHandler>,
    pub(crate) undo: Option<Undo>,
    /// Made of others: proven is what they prove, and nothing if none of them changed anything.
    pub(crate) of_others: bool,
}

impl WithReceipts {
    fn proven(&self, cx: &ToolContext, input: &Value, output: ToolOutput) -> ToolOutput {
        if output.refused || (self.of_others && output.receipts.is_empty()) {
            return output;
        }
        let undo = self.undo.as_ref().filter(|_| cx.principal.staff_facing);
        // If the result lacks an argument for the undo command, the receipt names no undo command.
        let undo = undo.and_then(|undo| {
            let arguments = undo.arguments(input, &output.value).ok()?;
            Some(Box::new(json!({"tool": undo.tool, "arguments": arguments})))
        });
        let output = ToolOutput { undo, ..output };
        if output.receipts.is_empty() { output.receipt(Receipt::bare(ReceiptKind::Changed)) } else { output }
    }
}

#[async_trait]
impl ToolHandler for WithReceipts {
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

    fn is_safe(&self) -> bool {
        self.inner.is_safe()
    }

    fn repeats(&self) -> bool {
        self.inner.repeats()
    }

    fn args_schema(&self) -> Value {
        self.inner.args_schema()
    }

    fn mending(&self) -> Option<Arc<dyn ToolHandler>> {
        Some(Arc::new(Self { inner: self.inner.mending()?, ..self.clone() }))
    }

    fn calls(&self, args: &Value) -> Vec<String> {
        self.inner.calls(args)
    }
}

/// How a command is undone: by which tool, and where its arguments come from.
#[derive(Debug, Clone)]
pub struct Undo {
    /// The name of the tool that undoes it.
    pub tool: String,
    /// What that tool takes.
    schema: Value,
    /// Arguments that the pack states.
    stated: Vec<(String, Expression)>,
}

impl Undo {
    /// How a command of the pack is undone; `None` if it names no command for that.
    #[must_use]
    pub fn of(pack: &Pack, command: &Command) -> Option<Self> {
        let undone = command.undo.as_ref()?;
        let by = pack.commands.iter().find(|known| known.id == undone.command)?;
        // That they can be read was seen when the pack was loaded.
        let read = |(name, text): (&String, &String)| Some((name.clone(), Expression::parse(text).ok()?));
        let stated = undone.arguments.iter().filter_map(read).collect();
        Some(Self { tool: by.spec("").name, schema: by.input_schema.clone(), stated })
    }

    /// The arguments that undo one call. What the pack states is computed over `{input, result}`, and left out where it is `null`. The
    /// others are those of the same name: from what came of the call, then from what it was called with. `id` of the result is the id of
    /// what was made, for an argument that must be there and ends in `_id`.
    ///
    /// # Errors
    /// The arguments that must be there, and that nothing of this call gives.
    pub fn arguments(&self, input: &Value, result: &Value) -> Result<Map<String, Value>, Vec<String>> {
        let over = json!({"input": input, "result": result});
        let required: Vec<&str> = names(&self.schema, "required");
        let given = |name: &str| match self.stated.iter().find(|(stated, _)| stated == name) {
            Some((_, expression)) => expression.value(&over).ok().filter(|value| !value.is_null()),
            None => {
                let same = result.get(name).or_else(|| input.get(name));
                let made = || result.get("id").filter(|_| name.ends_with("_id") && required.contains(&name));
                same.or_else(made).cloned()
            }
        };
        let properties = names(&self.schema, "properties");
        let arguments: Map<String, Value> =
            properties.iter().filter_map(|name| Some(((*name).to_owned(), given(name)?))).collect();
        let missing = required.iter().filter(|name| !arguments.contains_key(**name));
        let missing: Vec<String> = missing.map(|name| (*name).to_owned()).collect();
        if missing.is_empty() { Ok(arguments) } else { Err(missing) }
    }
}

/// The names under a key of a schema that is an object or a list of names.
pub(crate) fn names<'a>(schema: &'a Value, key: &str) -> Vec<&'a str> {
    let (map, list) = (schema.get(key).and_then(Value::as_object), schema.get(key).and_then(Value::as_array));
    let keys = map.into_iter().flat_map(|map| map.keys().map(String::as_str));
    keys.chain(list.into_iter().flatten().filter_map(Value::as_str)).collect()
}

#[cfg(test)]
#[path = "with_receipts_tests.rs"]
mod tests;
