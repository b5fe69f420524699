//! What the model is told in each step.

use std::{borrow::Cow, sync::Arc};

use balcao_llm::{ModelRequest, Purpose, ResponseFormat, ToolChoice, ToolDefinition};
use balcao_tool::Tool;

use crate::{
    history,
    profile::Protocol,
    prompt,
    turn::{RequestKind, Turn, results, structured},
};

impl Turn {
    pub(super) fn request(&self, want: &RequestKind) -> ModelRequest {
        let locale = self.state.principal.locale;
        let mut system = self.setup.system.clone();
        system.push_str(&prompt::tool_guidance(&self.state.selection.guidance, locale));
        // Only tools that exist: a name that the model invented has no place in the prompt.
        let exists = |name: &&str| self.setup.toolbox.get(name).is_some();
        let withdrawn: Vec<&str> = self.state.breaker.withdrawn().filter(exists).collect();
        if !withdrawn.is_empty() {
            system.push_str(&prompt::withdrawn(&withdrawn, locale));
        }
        if let Some(question) = &self.state.declined {
            system.push_str(&prompt::declined(question, locale));
        }
        if let Some(held) = self.state.pending_confirmation.as_ref().filter(|held| held.asked_again) {
            system.push_str(&prompt::unclear(&held.question, locale));
        }
        let (choice, purpose) = match want {
            RequestKind::Step => (ToolChoice::Auto, Purpose::Step),
            RequestKind::Final => (ToolChoice::None, Purpose::Step),
            RequestKind::Correction(why) => {
                system.push_str(&prompt::correction(why, locale));
                (ToolChoice::None, Purpose::Correction)
            }
            RequestKind::LookUp(why) => {
                system.push_str(&prompt::look_up(why, locale));
                (ToolChoice::Auto, Purpose::Correction)
            }
        };
        let (may_call, protocol) = (choice != ToolChoice::None, self.setup.profile.protocol);
        let tools = if may_call && protocol == Protocol::Native { self.definitions() } else { Vec::new() };
        // An earlier turn may have ended in silence: its message and this one are then neighbours of one role.
        let messages =
            history::repair(self.setup.history.messages.iter().chain(&self.state.transcript).cloned().collect());
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
        match protocol {
            Protocol::Native => neutral,
            Protocol::Structured => {
                let listed = if may_call { self.listed() } else { Vec::new() };
                structured::render(neutral, &listed, self.state.retried.format, locale)
            }
        }
    }

    /// The tools that the model sees: withdrawn ones are gone.
    fn offered(&self) -> impl Iterator<Item = &Arc<Tool>> {
        let all = self.setup.toolbox.shown(|name| self.place_in_view(name));
        all.filter(|tool| !self.state.breaker.is_withdrawn(&tool.spec.name))
    }

    /// What the model may call, `read_result` among it once a result was cut.
    fn definitions(&self) -> Vec<ToolDefinition> {
        let locale = self.state.principal.locale;
        let define = |tool: &Arc<Tool>| ToolDefinition {
            name: tool.spec.name.clone(),
            description: tool.spec.description.get(locale).to_owned(),
            input_schema: tool.shown(),
        };
        let more = (!self.state.results.is_empty()).then(|| results::definition(locale));
        self.offered().map(define).chain(more).collect()
    }

    /// The same as lines of the structured protocol.
    fn listed(&self) -> Vec<Cow<'_, str>> {
        let locale = self.state.principal.locale;
        let more = (!self.state.results.is_empty()).then(|| Cow::from(structured::line(&results::definition(locale))));
        self.offered().map(|tool| Cow::from(tool.line(locale))).chain(more).collect()
    }
}
