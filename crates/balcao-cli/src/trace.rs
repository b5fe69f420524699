//! `--trace`: what happens inside a turn, step by step, on standard error.

use std::time::Duration;

use balcao_agent::{driver::Observer, turn::QueuedCall};
use balcao_llm::{ModelError, ModelResponse};
use balcao_tool::CallResult;

use crate::output::{indented, one_line, print_error};

/// Prints steps, tool calls, results and timings.
pub(crate) struct Trace;

impl Observer for Trace {
    fn model(&self, answer: &Result<ModelResponse, ModelError>, took: Duration) {
        match answer {
            Ok(response) => {
                let calls: Vec<&str> = response.tool_calls.iter().map(|call| call.name.as_str()).collect();
                print_error(&format!(
                    "  [model {} {:?} {} ms, {}+{} tokens] {}{}",
                    one_line(&response.model),
                    response.finish,
                    took.as_millis(),
                    response.usage.input_tokens,
                    response.usage.output_tokens,
                    if calls.is_empty() { String::new() } else { format!("calls {} ", one_line(&calls.join(", "))) },
                    one_line(&response.text),
                ));
            }
            Err(error) => {
                print_error(&format!(
                    "  [model failed after {} ms] {}",
                    took.as_millis(),
                    one_line(&error.to_string())
                ));
            }
        }
    }

    fn tool(&self, call: &QueuedCall, result: &CallResult) {
        print_error(&format!(
            "  [tool {} {:?} {:?} {} ms] {}",
            one_line(&call.planned.tool),
            call.mode,
            result.class,
            result.duration_ms,
            call.planned.args
        ));
        print_error(&format!("    → {}", result.value));
        if let Some(internal) = &result.internal {
            print_error(&format!("    staff only: {}", indented(internal, 6)));
        }
    }
}
