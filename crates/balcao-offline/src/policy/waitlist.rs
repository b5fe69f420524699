//! The waiting list: what the message names counts, then what was spoken of before.

use balcao_language::{Agreement, Period, TimeWindow, agreement};
use serde_json::Value;

use super::{Answer, ReplyDraft};
use crate::{
    catalog::Named,
    state::Question,
    words::{Line, Waited},
};

impl ReplyDraft<'_> {
    pub(super) fn accepts_waitlist(&self) -> bool {
        self.dialogue.asked == Question::Waitlist && agreement(&self.dialogue.utterance.text) == Agreement::Yes
    }

    pub(super) fn waitlist(&mut self) {
        let dialogue = self.dialogue;
        if !dialogue.catalog.has_services() && matches!(self.ask("get_services", &[]), Answer::Asked) {
            return;
        }
        let day = dialogue.utterance.days.last().copied().or(dialogue.day);
        let Some(day) = day else {
            self.push_line(Line::AskDay);
            return;
        };
        let text = &dialogue.utterance.text;
        let window = dialogue.utterance.window.or(dialogue.window);
        let wanted = Waited {
            date: day.first,
            period: window.and_then(|window| window.period),
            professional: one_of([dialogue.catalog.professional_in(text), dialogue.professional()]),
            service: one_of([dialogue.catalog.service_in(text), dialogue.service()]),
        };
        let named = |name: &Option<String>| name.clone().map_or(Value::Null, Value::String);
        let arguments = [
            ("date", Value::String(wanted.date.to_string())),
            ("barber_name", named(&wanted.professional)),
            ("service_name", named(&wanted.service)),
            ("period", self.period(window)),
        ];
        match self.ask("join_waitlist", &arguments) {
            Answer::Ready(outcome) if outcome.succeeded() => self.push_line(Line::Waitlisted { wanted }),
            Answer::Ready(_) | Answer::Missing => self.push_line(Line::CannotNow),
            Answer::Asked => {}
        }
    }

    /// The part of the day in the words of the tool's schema.
    fn period(&self, window: Option<TimeWindow>) -> Value {
        let Some(period) = window.and_then(|window| window.period) else { return Value::Null };
        let words: &[&str] = match period {
            Period::Morning => &["morning", "manhã", "manha"],
            Period::Afternoon => &["afternoon", "tarde"],
            Period::Evening | Period::Night => &["evening", "noite", "night"],
        };
        let schema = self.tool("join_waitlist").map(|tool| &tool.input_schema);
        let allowed = schema.and_then(|schema| schema.pointer("/properties/period/enum")).and_then(Value::as_array);
        match allowed {
            Some(allowed) => allowed
                .iter()
                .find(|value| value.as_str().is_some_and(|value| words.contains(&value)))
                .cloned()
                .unwrap_or(Value::Null),
            None => words.first().map_or(Value::Null, |word| Value::String((*word).to_owned())),
        }
    }
}

/// The first that is exactly one.
fn one_of(named: [Named; 2]) -> Option<String> {
    named.into_iter().find_map(|named| match named {
        Named::One(name) => Some(name),
        Named::Several(_) | Named::Unknown(_) | Named::Nothing => None,
    })
}
