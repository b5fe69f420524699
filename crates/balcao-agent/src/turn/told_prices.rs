//! The prices that replies of this conversation named: a booking at another price is asked about again.

use balcao_llm::Message;
use balcao_tool::{Act, ToldPrices};

use super::{QueuedCall, Turn};
use crate::reply_checks::claims::prices_in;

impl Turn {
    /// The prices that a call has to know: of all replies so far for one that books or moves, no others.
    #[must_use]
    pub fn told_prices(&self, call: &QueuedCall) -> Vec<ToldPrices> {
        let tool = self.setup.toolbox.get(&call.planned.tool);
        match tool.and_then(|tool| tool.spec.act) {
            Some(Act::Book | Act::Move) => self.prices_of_replies(),
            _ => Vec::new(),
        }
    }

    fn prices_of_replies(&self) -> Vec<ToldPrices> {
        let (mut told, mut asked) = (Vec::new(), "");
        for message in self.setup.history.messages.iter().chain(&self.state.transcript) {
            match message {
                Message::User { text } => asked = text,
                // What stands beside calls is usually not sent.
                Message::Assistant { text, tool_calls } if tool_calls.is_empty() => {
                    let lines = text.lines().map(|line| (line.to_owned(), prices_in(line)));
                    let lines: Vec<_> = lines.filter(|(_, prices)| !prices.is_empty()).collect();
                    if !lines.is_empty() {
                        told.push(ToldPrices { asked: asked.to_owned(), lines });
                    }
                }
                Message::Assistant { .. } | Message::ToolResult { .. } => {}
            }
        }
        told.reverse();
        told
    }
}
