//! Processors: steps from one shape of data to another. The first and the last shape are checked against their schemas.

mod compile;
mod payload;

use std::collections::BTreeMap;

use balcao_sandbox::{Call, Sandbox};
use balcao_tool::validate::Schema;
use serde_json::{Map, Value, json};

use crate::{
    expression::{Expression, ExpressionError},
    kind::script::{self, RunError},
};

pub(crate) use compile::compile;
pub use payload::{Detected, Formats};

/// Processors within processors.
const MAX_DEPTH: usize = 8;

/// The processors of a pack, by id.
#[derive(Debug, Default)]
pub struct Processors {
    by_id: BTreeMap<String, Processor>,
    formats: Formats,
}

#[derive(Debug)]
struct Processor {
    input: Option<Schema>,
    output: Option<Schema>,
    steps: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    Helper { id: String, arguments: Option<Vec<Expression>> },
    Path(Expression),
    Set(Vec<(String, Expression)>),
    Pick(Vec<String>),
    Omit(Vec<String>),
    Rename(Vec<(String, String)>),
    Payload { with_format: bool },
    Processor(String),
}

/// Why a processor gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// No such processor.
    #[error("unknown processor `{0}`")]
    Unknown(String),
    /// What came, or what was made, is of the wrong shape.
    #[error("the {end} of processor `{processor}` breaks its schema: {problems}")]
    Schema {
        /// The processor.
        processor: String,
        /// `input` or `output`.
        end: &'static str,
        /// What breaks it.
        problems: String,
    },
    /// A helper failed.
    #[error("processor `{processor}`, step {step}: {source}")]
    Helper {
        /// The processor.
        processor: String,
        /// From 1.
        step: usize,
        /// How.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// An expression could not be computed.
    #[error("processor `{processor}`, step {step}: {source}")]
    Expression {
        /// The processor.
        processor: String,
        /// From 1.
        step: usize,
        /// Why.
        source: ExpressionError,
    },
    /// A built-in step over what it does not take.
    #[error("processor `{processor}`, step {step}: {what}")]
    Value {
        /// The processor.
        processor: String,
        /// From 1.
        step: usize,
        /// What it takes.
        what: &'static str,
    },
    /// Processors that run each other too deep.
    #[error("processor `{0}` runs processors more than {MAX_DEPTH} deep")]
    Deep(String),
}

/// What a processor runs in: it does not change from step to step.
#[derive(Debug, Clone, Copy)]
pub struct ProcessContext<'a> {
    /// Runs the helpers of the pack.
    pub sandbox: Option<&'a Sandbox>,
    /// The only time that helpers see, in milliseconds since 1970.
    pub now_ms: i64,
    /// The arguments of the call whose result is processed; `None` for a delivery or an example.
    pub arguments: Option<&'a Value>,
}

/// One run.
#[derive(Clone, Copy)]
struct Run<'a> {
    context: ProcessContext<'a>,
    depth: usize,
}

impl Processors {
    /// The formats of payloads.
    #[must_use]
    pub const fn formats(&self) -> &Formats {
        &self.formats
    }

    /// Runs a processor over a value.
    ///
    /// # Errors
    /// Where and why it gave nothing.
    pub async fn run(&self, id: &str, value: Value, context: ProcessContext<'_>) -> Result<Value, ProcessError> {
        self.within(id, value, Run { context, depth: 0 }).await
    }

    /// Runs several processors, one after the other.
    ///
    /// # Errors
    /// Where and why the first one that failed gave nothing.
    pub async fn run_all(
        &self,
        ids: &[String],
        value: Value,
        context: ProcessContext<'_>,
    ) -> Result<Value, ProcessError> {
        let mut value = value;
        for id in ids {
            value = self.run(id, value, context).await?;
        }
        Ok(value)
    }

    async fn within(&self, id: &str, value: Value, run: Run<'_>) -> Result<Value, ProcessError> {
        let processor = self.by_id.get(id).ok_or_else(|| ProcessError::Unknown(id.to_owned()))?;
        if run.depth >= MAX_DEPTH {
            return Err(ProcessError::Deep(id.to_owned()));
        }
        fits(id, "input", processor.input.as_ref(), &value)?;
        let began_with = value.clone();
        let mut value = value;
        for (step, place) in processor.steps.iter().zip(1..) {
            value = self.step(id, place, step, value, &began_with, run).await?;
        }
        fits(id, "output", processor.output.as_ref(), &value)?;
        Ok(value)
    }

    async fn step(
        &self,
        id: &str,
        place: usize,
        step: &Step,
        value: Value,
        began_with: &Value,
        run: Run<'_>,
    ) -> Result<Value, ProcessError> {
        let computed = |source| ProcessError::Expression { processor: id.to_owned(), step: place, source };
        match step {
            Step::Helper { id: helper, arguments } => {
                let arguments = match arguments {
                    None => vec![value, beside(began_with, run.context.arguments)],
                    Some(stated) => {
                        let values: Result<_, _> = stated.iter().map(|argument| argument.value(&value)).collect();
                        values.map_err(computed)?
                    }
                };
                let call = Call { now_ms: run.context.now_ms, ..Call::new(helper, &arguments) };
                script::run(run.context.sandbox, &call).await.map_err(|error: RunError| ProcessError::Helper {
                    processor: id.to_owned(),
                    step: place,
                    source: error.into(),
                })
            }
            Step::Path(expression) => expression.value(&value).map_err(computed),
            Step::Processor(other) => Box::pin(self.within(other, value, Run { depth: run.depth + 1, ..run })).await,
            Step::Payload { with_format } => {
                let wrong = |what| ProcessError::Value { processor: id.to_owned(), step: place, what };
                let found = self.formats.detect(&value).map_err(|error| computed(error.source))?;
                let found = found.ok_or_else(|| wrong("it is of no format that `payload_schemas` knows"))?;
                Ok(if *with_format { json!({"format": found.format, "payload": found.payload}) } else { found.payload })
            }
            Step::Set(fields) => {
                let mut made = Vec::new();
                for (name, expression) in fields {
                    made.push((name.clone(), expression.value(&value).map_err(computed)?));
                }
                object(id, place, value, |fields| fields.extend(made))
            }
            Step::Pick(names) => object(id, place, value, |fields| fields.retain(|name, _| names.contains(name))),
            Step::Omit(names) => object(id, place, value, |fields| fields.retain(|name, _| !names.contains(name))),
            Step::Rename(names) => object(id, place, value, |fields| {
                for (from, to) in names {
                    if let Some(value) = fields.shift_remove(from) {
                        fields.insert(to.clone(), value);
                    }
                }
            }),
        }
    }
}

/// What a helper gets beside the value: what the processor began with, and the arguments of the call if there was one.
fn beside(input: &Value, arguments: Option<&Value>) -> Value {
    match arguments {
        Some(arguments) => json!({ "input": input, "args": arguments }),
        None => json!({ "input": input }),
    }
}

fn fits(id: &str, end: &'static str, schema: Option<&Schema>, value: &Value) -> Result<(), ProcessError> {
    let problems = schema.map(|schema| schema.problems(value)).unwrap_or_default();
    if problems.is_empty() {
        return Ok(());
    }
    Err(ProcessError::Schema { processor: id.to_owned(), end, problems: json!(problems).to_string() })
}

fn object(
    id: &str,
    step: usize,
    mut value: Value,
    change: impl FnOnce(&mut Map<String, Value>),
) -> Result<Value, ProcessError> {
    match value.as_object_mut() {
        Some(fields) => {
            change(fields);
            Ok(value)
        }
        None => Err(ProcessError::Value { processor: id.to_owned(), step, what: "this step takes an object" }),
    }
}
