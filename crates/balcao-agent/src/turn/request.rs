//! What the model is told in each step.

use balcao_llm::{Message, ModelRequest, Purpose, ResponseFormat, ToolChoice, ToolDefinition};
use balcao_tool::{LOAD_TOOL, ResultClass};
use serde_json::json;

use crate::{
    history,
    profile::Protocol,
    prompt,
    turn::{HeldCall, Turn, Want, results, structured},
};

impl Turn {
    pub(super) fn request(&self, want: &Want) -> ModelRequest {
        let locale = self.state.principal.locale;
        let mut system = self.setup.system.clone();
        // Only tools that exist: a name that the model invented has no place in the prompt.
        let exists = |name: &&str| self.setup.toolbox.get(name).is_some();
        let withdrawn: Vec<&str> = self.state.breaker.withdrawn().filter(exists).collect();
        if !withdrawn.is_empty() {
            system.push_str(&prompt::withdrawn(&withdrawn, locale));
        }
        if let Some(question) = &self.state.declined {
            system.push_str(&prompt::declined(question, locale));
        }
        let (choice, purpose) = match want {
            Want::Step => (ToolChoice::Auto, Purpose::Step),
            Want::Final => (ToolChoice::None, Purpose::Step),
            Want::Correction(why) => {
                system.push_str(&prompt::correction(why, locale));
                (ToolChoice::None, Purpose::Correction)
            }
            Want::LookUp(why) => {
                system.push_str(&prompt::look_up(why, locale));
                (ToolChoice::Auto, Purpose::Correction)
            }
        };
        let tools = if choice == ToolChoice::None { Vec::new() } else { self.offered() };
        // An earlier turn may have ended in silence: its message and this one are then neighbours of one role.
        let messages = history::repair(self.setup.history.iter().chain(&self.state.transcript).cloned().collect());
        let neutral = ModelRequest {
            system,
            messages,
            tools,
            tool_choice: choice,
            format: ResponseFormat::Text,
            max_output_tokens: self.state.output_budget,
            temperature_milli: self.setup.profile.model.temperature_milli,
            purpose,
            facts: self.setup.facts.clone(),
        };
        match self.setup.profile.protocol {
            Protocol::Native => neutral,
            Protocol::Structured => structured::render(neutral, self.state.retried.format, locale),
        }
    }

    pub(super) fn judge_request(&self, held: &HeldCall) -> ModelRequest {
        let locale = self.state.principal.locale;
        ModelRequest {
            system: prompt::judge(&held.question, locale),
            messages: vec![Message::User { text: self.state.inbound.clone() }],
            tools: Vec::new(),
            tool_choice: ToolChoice::None,
            format: ResponseFormat::Json {
                name: "agreement".to_owned(),
                schema: json!({
                    "type": "object",
                    "properties": {"agrees": {"type": "boolean"}},
                    "required": ["agrees"],
                    "additionalProperties": false
                }),
            },
            max_output_tokens: 64,
            temperature_milli: Some(0),
            purpose: Purpose::JudgeAgreement,
            facts: self.setup.facts.clone(),
        }
    }

    /// The tools as the model sees them: withdrawn ones are gone, `read_result` is there once a result was cut.
    fn offered(&self) -> Vec<ToolDefinition> {
        let locale = self.state.principal.locale;
        let mut tools: Vec<ToolDefinition> = self
            .setup
            .toolbox
            .shown(|name| self.was_loaded(name))
            .filter(|tool| !self.state.breaker.is_withdrawn(&tool.spec.name))
            .map(|tool| ToolDefinition {
                name: tool.spec.name.clone(),
                description: tool.spec.description.get(locale).to_owned(),
                input_schema: tool.shown(),
            })
            .collect();
        if !self.state.results.is_empty() {
            tools.push(results::definition(locale));
        }
        tools
    }

    /// Whether a call of this turn asked for a tool's contract.
    fn was_loaded(&self, name: &str) -> bool {
        let loads =
            self.state.calls.iter().filter(|call| call.tool == LOAD_TOOL && call.result.class == ResultClass::Success);
        let mut names = loads.filter_map(|call| call.args.get("names")?.as_array()).flatten();
        names.any(|asked| asked == name)
    }
}
