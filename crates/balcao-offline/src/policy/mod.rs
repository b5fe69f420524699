//! What to do next: the calls that are missing, or the lines to say. Plain functions of the dialogue; no I/O.
//!
//! A message may want several things. Each is a job that either finds its tool's answer among the outcomes of this turn
//! or asks for the call; the calls of all jobs go out together, and once none is missing the lines become the reply:
//! information first, the question about the appointment last.

mod analyst;
mod booking;
mod calendar;
mod calendar_info;
mod calendar_people;
mod changes;
mod days;
mod hours;
mod intake;
mod offer;
mod people;
mod questions;
mod receipts;
mod slots;
mod spoken;
mod toolset;
mod waitlist;
mod whose;
mod wish;

use balcao_language::Locale;
use balcao_language::agreement::leans_to;
use balcao_language::{Agreement, agreement};
use balcao_llm::{ToolDefinition, TurnFacts};
use serde_json::{Map, Value};

use crate::{
    nlu::Act,
    results::{self, Outcome},
    state::{Dialogue, Goal, Question},
    words::Line,
};

/// A call to make.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// Its arguments: an object.
    pub arguments: Value,
}

/// What the next step is.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Make these calls.
    Call(Vec<Call>),
    /// Say this.
    Say(String),
}

/// Rounds of calls after which only words are left, as the loop allows.
const MAX_ROUNDS: usize = 5;

/// Decides the next step. With `may_call` false it words what is known.
#[must_use]
pub fn decide(
    dialogue: &Dialogue,
    tools: &[ToolDefinition],
    facts: &TurnFacts,
    locale: Locale,
    may_call: bool,
) -> Decision {
    if !dialogue.news.is_empty() {
        return Decision::Say(dialogue.news.join("\n"));
    }
    let may_call = may_call && dialogue.rounds < MAX_ROUNDS;
    if analyst::serves(tools) {
        return analyst::decide(dialogue, tools, locale, may_call);
    }
    let decision = draft_reply(dialogue, tools, facts, locale, may_call);
    match person_instead(&decision, dialogue, tools) {
        Some(call) if may_call => Decision::Call(vec![call]),
        Some(_) | None => decision,
    }
}

/// So often the same is asked one time after the other; then a person goes on.
const ASKED_AT_MOST: usize = 2;

/// The call of a person, where a reply would ask once more what was not understood so often before.
fn person_instead(decision: &Decision, dialogue: &Dialogue, tools: &[ToolDefinition]) -> Option<Call> {
    let Decision::Say(text) = decision else { return None };
    let again = dialogue.times_asked(text) >= ASKED_AT_MOST;
    if !again || dialogue.utterance.adds_something() {
        return None;
    }
    let name = tools.iter().map(|tool| tool.name.as_str()).find(|name| CALLS_A_PERSON.contains(name))?;
    let reason = crate::summary::reason(dialogue);
    Some(Call { name: name.to_owned(), arguments: serde_json::json!({ "reason": reason }) })
}

/// The tools that hand over.
const CALLS_A_PERSON: [&str; 2] = ["transfer_to_human", calendar::HUMAN];

fn draft_reply(
    dialogue: &Dialogue,
    tools: &[ToolDefinition],
    facts: &TurnFacts,
    locale: Locale,
    may_call: bool,
) -> Decision {
    let mut draft = ReplyDraft {
        dialogue,
        tools,
        organization: &facts.organization,
        address: facts.address.as_deref(),
        contact: facts.contact_name.as_deref(),
        locale,
        may_call,
        calls: Vec::new(),
        lines: Vec::new(),
    };
    if toolset::is_intake(tools) {
        return intake::decide(draft, facts);
    }
    if toolset::is_calendar(dialogue, tools) {
        draft.calendar();
    } else {
        draft.work();
    }
    if !draft.calls.is_empty() {
        return Decision::Call(draft.calls);
    }
    Decision::Say(crate::words::reply(&each_once(draft.lines), locale, dialogue.today()))
}

fn each_once(all: Vec<Line>) -> Vec<Line> {
    let mut lines = Vec::new();
    for line in all {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// The answer to a tool that a job needs.
enum Answer<'a> {
    /// It is here.
    Ready(&'a Outcome),
    /// The call has been put on the list.
    Asked,
    /// The tool is not on offer or no call is possible any more.
    Missing,
}

/// Where jobs leave their calls and lines.
struct ReplyDraft<'a> {
    dialogue: &'a Dialogue,
    tools: &'a [ToolDefinition],
    organization: &'a str,
    address: Option<&'a str>,
    contact: Option<&'a str>,
    locale: Locale,
    may_call: bool,
    calls: Vec<Call>,
    lines: Vec<Line>,
}

impl<'a> ReplyDraft<'a> {
    fn is(&self, act: Act) -> bool {
        self.dialogue.utterance.is(act)
    }

    fn push_line(&mut self, line: Line) {
        self.lines.push(line);
    }

    fn tool(&self, name: &str) -> Option<&'a ToolDefinition> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// The answer of a tool to these arguments; asks for it if it is not there yet.
    ///
    /// Arguments that the tool's schema does not know are left out.
    fn ask(&mut self, name: &str, arguments: &[(&str, Value)]) -> Answer<'a> {
        let properties =
            self.tool(name).and_then(|tool| tool.input_schema.get("properties")).and_then(Value::as_object);
        let known = |key: &str| properties.is_none_or(|properties| properties.contains_key(key));
        let fields: Map<String, Value> = arguments
            .iter()
            .filter(|(key, value)| known(key) && !value.is_null())
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect();
        let arguments = Value::Object(fields);
        let same = |outcome: &&Outcome| {
            outcome.name == name
                && (outcome.arguments == arguments
                    || outcome.arguments.is_null() && arguments == Value::Object(Map::new()))
        };
        if let Some(outcome) = self.dialogue.outcomes.iter().rev().find(same) {
            return Answer::Ready(outcome);
        }
        if self.tool(name).is_none() || !self.may_call {
            return Answer::Missing;
        }
        let call = Call { name: name.to_owned(), arguments };
        if !self.calls.contains(&call) {
            self.calls.push(call);
        }
        Answer::Asked
    }

    /// The last answer of a tool in this turn, whatever its arguments.
    fn answered(&self, name: &str) -> Option<&'a Outcome> {
        self.dialogue.outcomes.iter().rev().find(|outcome| outcome.name == name)
    }

    /// Words a failed call; `None` if it did not fail.
    fn failure(&mut self, outcome: &Outcome) -> Option<()> {
        let code = outcome.code()?;
        let line = match code {
            "confirmation_required" => return None,
            "forbidden" | "conflict" | "rate_limited" | "upgrade_required" => Line::Refused { message: None },
            _ => Line::CannotNow,
        };
        self.push_line(line);
        Some(())
    }

    fn work(&mut self) {
        if self.is(Act::Injection) {
            self.push_line(Line::NotThat);
            return;
        }
        if self.hand_over() {
            return;
        }
        let done = self.effects();
        if done {
            self.cancel_next();
            self.book_next();
        }
        self.information();
        let touched = if done { false } else { self.appointment() };
        self.extras();
        self.manners(done || touched);
    }

    /// Calls a person where the customer asked for one or accepted the offer.
    fn hand_over(&mut self) -> bool {
        self.hand_over_by("transfer_to_human")
    }

    fn hand_over_by(&mut self, tool: &str) -> bool {
        let accepted = accepts_a_person(self.dialogue);
        let called = self.answered(tool).is_some();
        if !(self.is(Act::Human) || accepted || called) {
            return false;
        }
        let reason = Value::String(crate::summary::reason(self.dialogue));
        let answer = match self.answered(tool) {
            Some(outcome) => Answer::Ready(outcome),
            None => self.ask(tool, &[("reason", reason)]),
        };
        match answer {
            Answer::Ready(outcome) if outcome.succeeded() => self.push_line(Line::Transferred),
            Answer::Ready(_) | Answer::Missing => self.push_line(Line::CannotNow),
            Answer::Asked => {}
        }
        true
    }

    /// Words the bookings, moves and cancellations of this turn, also those that the program ran after an agreement.
    fn effects(&mut self) -> bool {
        let mut done = false;
        for outcome in &self.dialogue.outcomes {
            let effect = ["create_appointment", "reschedule_appointment", "cancel_appointment"];
            if effect.contains(&results::usual_name(&outcome.name)) && outcome.succeeded() {
                self.effect(outcome);
                done = true;
            }
        }
        done
    }

    /// Small talk, and what is left if nothing else was understood.
    fn manners(&mut self, appointment: bool) {
        let busy = !self.lines.is_empty() || !self.calls.is_empty();
        let (dialogue, first) = (self.dialogue, !self.dialogue.greeted);
        if self.is(Act::Greeting) && (first || !busy) {
            let name = self.contact.and_then(|name| name.split_whitespace().next()).map(str::to_owned);
            let moves = self.tool("reschedule_appointment").is_some();
            let organization = self.organization.to_owned();
            let hello = Line::Hello { name, organization, alone: !busy, moves };
            self.lines.insert(0, hello);
            return;
        }
        if busy || appointment {
            return;
        }
        let declined = self.is(Act::Refusal) || agreement(&dialogue.utterance.text) == Agreement::No;
        let line = if self.is(Act::Keep) {
            Line::LeftAsIs
        } else if self.is(Act::Thanks) && !declined {
            Line::Welcome
        } else if self.is(Act::Goodbye) {
            Line::Goodbye
        } else if self.is(Act::Undecided) {
            Line::NoHurry
        } else if matches!(dialogue.asked, Question::Cancel | Question::Reschedule) {
            Line::LeftAsIs
        } else if declined {
            Line::NoProblem
        } else if agreement(&dialogue.utterance.text) == Agreement::Yes {
            Line::MoreHelp
        } else {
            Line::WhatElse
        };
        self.push_line(line);
    }

    /// The job about an appointment, if the message goes on with one. True if it had anything to do.
    fn appointment(&mut self) -> bool {
        let dialogue = self.dialogue;
        let before = (self.lines.len(), self.calls.len());
        let changes = matches!(dialogue.goal, Goal::Cancel | Goal::Reschedule);
        let starts = self.is(Act::Cancel) || self.is(Act::Reschedule);
        let declined = agreement(&dialogue.utterance.text) == Agreement::No;
        if changes && !starts && declined && !dialogue.utterance.has_when() {
            self.push_line(Line::LeftAsIs);
            return true;
        }
        match dialogue.goal {
            Goal::Cancel if self.continues_change() => self.cancel(),
            Goal::Reschedule if self.continues_change() => self.reschedule(),
            Goal::Book if self.foreign_question() => {
                if dialogue.utterance.questions.is_empty() {
                    self.knowledge(&dialogue.utterance.text);
                }
            }
            Goal::Book => self.book(),
            Goal::None if dialogue.asked == Question::Waitlist => {}
            Goal::None if self.bare_service() => self.book(),
            Goal::None | Goal::Cancel | Goal::Reschedule => {}
        }
        before != (self.lines.len(), self.calls.len())
    }

    /// Whether the message may be a service's name and little else: a few words that ask for nothing, where nothing was asked.
    fn bare_words(&self) -> bool {
        let utterance = &self.dialogue.utterance;
        let small = |act: &Act| matches!(act, Act::Greeting | Act::AnyProfessional);
        let plain = utterance.acts.iter().all(small) && utterance.questions.is_empty() && !utterance.text.contains('?');
        plain
            && matches!(self.dialogue.asked, Question::Nothing | Question::Next | Question::Begin | Question::Service)
            && utterance.has_foreign_words()
            && utterance.text.len() <= 60
    }

    /// True if the message is a service's name and little else: "corte na máquina". Looks the services up first.
    fn bare_service(&mut self) -> bool {
        if !self.bare_words() {
            return false;
        }
        let unknown = !self.dialogue.catalog.has_services();
        if unknown && matches!(self.ask("get_services", &[]), Answer::Asked) {
            return false;
        }
        use crate::catalog::Named;
        matches!(self.dialogue.catalog.service_in(&self.dialogue.utterance.text), Named::One(_) | Named::Several(_))
    }

    /// True unless the message only digresses from the change.
    fn continues_change(&self) -> bool {
        let utterance = &self.dialogue.utterance;
        let about = utterance.is(Act::Cancel) || utterance.is(Act::Reschedule) || utterance.has_when();
        let answers = !utterance.acts.iter().any(|act| {
            matches!(
                act,
                Act::Hours
                    | Act::Prices
                    | Act::Services
                    | Act::Subscription
                    | Act::Plans
                    | Act::Identity
                    | Act::WhoWorks
            )
        }) && utterance.questions.is_empty();
        about || answers
    }
}

/// Whether the customer takes the offer of a person. Nothing is lost by calling one, so leaning to it is enough ("acho que sim"),
/// unless they say something else besides, or decline in the same breath.
fn accepts_a_person(dialogue: &Dialogue) -> bool {
    let said = &dialogue.utterance;
    let polite = |act: &Act| matches!(act, Act::Greeting | Act::Thanks | Act::Want | Act::GoAhead);
    let plain = said.acts.iter().all(polite) && said.questions.is_empty() && !said.has_when();
    let chooses = dialogue.catalog.professional_in(&said.text) != crate::catalog::Named::Nothing;
    dialogue.asked == Question::Human
        && !chooses
        && match agreement(&said.text) {
            Agreement::Yes => true,
            Agreement::Unclear => plain && leans_to(&said.text) == Some(true),
            Agreement::No | Agreement::Contested => false,
        }
}

/// What is said to a day that is over, or that the coming year does not have; `None` for one that may be asked for.
fn no_such_day(dialogue: &Dialogue, day: crate::nlu::Day) -> Option<Line> {
    if let Some(written) = dialogue.missing(day.first) {
        return Some(Line::ImpossibleDate { written });
    }
    let over = (day.last < dialogue.today()).then_some(day.first);
    over.or_else(|| dialogue.passed(day.first)).map(|date| Line::DatePassed { date })
}

/// What is said to a date that cannot be.
fn problem_line(problem: balcao_language::DateProblem, dialogue: &Dialogue) -> Line {
    use balcao_language::DateProblem;
    match problem {
        DateProblem::WeekdayMismatch { said, date, .. } => Line::WeekdayMismatch { date, said },
        DateProblem::Impossible { written } => Line::ImpossibleDate { written },
        DateProblem::Ambiguous { .. } => Line::WhichDay { days: problem.readings(), time: dialogue.other_reading },
        DateProblem::NotADate { .. } | DateProblem::SeveralDays { .. } => Line::AskDay,
    }
}

/// Whether a message asks where the business is.
fn asks_where(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "onde fica",
        "onde vcs ficam",
        "onde voces ficam",
        "onde e",
        "onde vocês ficam",
        "endereco",
        "localizacao",
        "como chego",
        "where are you",
        "address",
    ];
    WORDS.iter().any(|words| balcao_language::contains_word(text, words))
}

/// A sentence that claims nothing.
pub(crate) fn neutral(locale: Locale, today: jiff::civil::Date) -> String {
    crate::words::reply(&[Line::MoreHelp], locale, today)
}
