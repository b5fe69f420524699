//! Arguments that must come from the conversation: a model that makes one up, or reckons it wrong, is corrected.
//!
//! A pack says which they are (`said` in `tool.yaml`). Nothing here decides what the customer meant; it only refuses what
//! nobody can have meant, and the way out is always the same: ask.

mod day;
mod kept;
mod lead_time;
mod name;
mod narrowed;
mod own_name;
mod part_of_day;
mod time;
mod written;

pub(super) use narrowed::is_undecided;
pub(super) use time::{clock_time, fits};

use balcao_language::normalize;
use balcao_llm::Message;
use balcao_tool::{Act, CommandSpec, Confirm, Effect, FieldProblem, Locale, PlannedCall, SaidAs};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::{profile::RecordRules, prompt};

/// So many messages of the customer are looked at for what they named last, the newest first: "fechado, pode marcar" agrees
/// to a day named before.
const LOOK_BACK: usize = 3;

/// So many bytes of a message of the customer are read: a voice note of two minutes. Reading costs time for each call that a model makes.
pub(super) const READ_OF_A_MESSAGE: usize = 1_500;

/// Messages are read, the newest first, until they have so many bytes together.
const READ_OF_A_TALK: usize = 8_000;

/// Stands behind what is read of a message of which more was written: words that agree to nothing and ask for nothing.
const UNREAD: &str = "(continua)";

/// What was said, and when it is.
#[derive(Debug)]
pub(super) struct DialogueHistory<'a> {
    /// The newest first.
    pub(super) lines: Vec<Utterance<'a>>,
    /// Today at the business.
    pub(super) today: Date,
    /// In which the model is told.
    pub(super) locale: Locale,
    /// The last message that we sent unasked, such as a free place. It counts as an offer, with or without a question mark.
    pub(super) unasked: Option<&'a str>,
}

/// Who said something.
#[derive(Debug, Clone, Copy)]
pub(super) enum Utterance<'a> {
    /// The customer.
    Customer(&'a str),
    /// We.
    Us(&'a str),
}

impl<'a> Utterance<'a> {
    /// What a message of a transcript said, the newest first. What stands beside calls was no answer, results were not said, and what
    /// the customer forwarded are another person's words. A message of ours that they name in their answer is the one that they answer.
    /// A message without a word of their own is an empty one of theirs: an older one is not what they said last.
    pub(super) fn in_message(message: &'a Message) -> Vec<Self> {
        match message {
            Message::User { text } if prompt::is_service_message(text) => Vec::new(),
            Message::User { text } => {
                let said = |part| match part {
                    prompt::Part::Own(words) => Self::Customer(words.trim()),
                    prompt::Part::Answered(ours) => Self::Us(ours),
                };
                let mut lines: Vec<Self> = prompt::parts(text).into_iter().rev().map(said).collect();
                if lines.iter().all(|line| line.by_customer().is_none()) {
                    lines.insert(0, Self::Customer(""));
                }
                // The turn was cut: more was written behind this.
                if text.ends_with("[…]") {
                    lines.insert(0, Self::Customer(UNREAD));
                }
                lines
            }
            Message::Assistant { text, tool_calls } if tool_calls.is_empty() => vec![Self::Us(text)],
            Message::Assistant { .. } | Message::ToolResult { .. } => Vec::new(),
        }
    }

    /// What it says.
    pub(super) const fn text(&self) -> &'a str {
        match self {
            Self::Customer(text) | Self::Us(text) => text,
        }
    }

    /// What it says, if the customer does.
    pub(super) const fn by_customer(&self) -> Option<&'a str> {
        match self {
            Self::Customer(text) => Some(text),
            Self::Us(_) => None,
        }
    }

    /// What it says, if we do.
    pub(super) const fn by_us(&self) -> Option<&'a str> {
        match self {
            Self::Us(text) => Some(text),
            Self::Customer(_) => None,
        }
    }
}

impl<'a> DialogueHistory<'a> {
    /// As much of the messages, the newest first, as is read. One of the customer's that is too long is read from its beginning, and its end
    /// counts as words that say something else: an act that it asks for or agrees to is asked about once more, and what only its end
    /// names was not said.
    pub(super) fn new(
        messages: impl Iterator<Item = Utterance<'a>>,
        today: Date,
        locale: Locale,
        unasked: Option<&'a str>,
    ) -> Self {
        let mut read = 0usize;
        let mut lines = Vec::new();
        for message in messages.take_while(|message| {
            let fits = read < READ_OF_A_TALK;
            read = read.saturating_add(message.text().len().min(READ_OF_A_MESSAGE));
            fits
        }) {
            match message {
                Utterance::Customer(text) if text.len() > READ_OF_A_MESSAGE => {
                    let beginning = text.get(..text.floor_char_boundary(READ_OF_A_MESSAGE)).unwrap_or_default();
                    lines.extend([Utterance::Customer(UNREAD), Utterance::Customer(beginning)]);
                }
                // Without its end, a text of ours asks nothing.
                Utterance::Us(text) if text.len() > READ_OF_A_TALK => {
                    let beginning = text.get(..text.floor_char_boundary(READ_OF_A_TALK)).unwrap_or_default();
                    lines.push(Utterance::Us(beginning));
                }
                Utterance::Customer(_) | Utterance::Us(_) => lines.push(message),
            }
        }
        Self { lines, today, locale, unasked }
    }

    /// The customer's messages, the newest first.
    pub(super) fn of_customer(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().filter_map(Utterance::by_customer)
    }

    /// What we said last before the line at `place`, which that line answers.
    fn last_by_us(&self, place: usize) -> Option<&'a str> {
        self.lines.iter().skip(place.saturating_add(1)).find_map(Utterance::by_us)
    }
}

/// What is amiss with one argument.
#[derive(Debug)]
struct GroundingProblem {
    problem: &'static str,
    expected: String,
    nearest: Option<String>,
}

impl GroundingProblem {
    fn nobody_said(what: &str) -> Self {
        let expected = format!("{what}; nobody has said this one: ask the customer first");
        Self { problem: "nobody_said_so", expected, nearest: None }
    }
}

/// What is wrong with the arguments of a call, held against the talk; `earlier` are those of the same tool in this turn.
///
/// What somebody is asked before it runs is named by the question itself, so nobody needs to have named it before. A call
/// that only reads may go beyond what was said once it has looked there: "sexta" first, then the days around it.
pub(super) fn problems(
    planned: &PlannedCall,
    spec: &CommandSpec,
    talk: &DialogueHistory<'_>,
    earlier: &[&Value],
    records: &RecordRules,
) -> Vec<FieldProblem> {
    let reads = spec.behaviour.effect == Effect::Read;
    let must_be_named = !reads && !matches!(planned.confirm, Confirm::Customer | Confirm::Staff);
    // A record takes what the customer said of themselves; a booking may be for anybody.
    let is_record = |act| matches!(act, Act::Record | Act::Note | Act::Tag | Act::Stage);
    let whose = if spec.act.is_some_and(is_record) { written::Speaker::Own("") } else { written::Speaker::Anybody };
    let amiss = |kind: SaidAs, given: &str| match kind {
        SaidAs::Day => day::find_problem(given, talk, must_be_named),
        SaidAs::Time => time::find_problem(given, talk, must_be_named),
        SaidAs::PartOfDay => part_of_day::find_problem(given, talk),
        SaidAs::LeadTime => given.parse().ok().and_then(|minutes| lead_time::find_problem(minutes, talk)),
        SaidAs::Name => name::find_problem(given, talk),
        SaidAs::OwnName => own_name::find_problem(given, talk),
        SaidAs::Words => written::find_problem(given, talk, whose),
        // Whether the customer has to be asked is another question.
        SaidAs::Service => None,
        SaidAs::Tag => kept::find_problem(given, &records.tags, talk),
        SaidAs::Stage => kept::find_problem(given, &records.stages, talk),
        SaidAs::Fields => None,
    };
    let check = |(name, kind): (&String, &SaidAs)| {
        let value = planned.args.get(name)?;
        if *kind == SaidAs::Fields {
            return kept::find_problem_in_fields(value, &records.fields, talk).map(|amiss| problem(name, value, amiss));
        }
        if let Some(several) = value.as_array() {
            let mut each = several.iter().filter_map(Value::as_str);
            return each.find_map(|one| amiss(*kind, one)).map(|amiss| problem(name, value, amiss));
        }
        let number = value.as_u64().map(|number| number.to_string());
        let given = value.as_str().or(number.as_deref())?;
        let amiss_now = amiss(*kind, given)?;
        let mut before = earlier.iter().filter_map(|args| args.get(name)?.as_str());
        if reads && before.any(|earlier| amiss(*kind, earlier).is_none()) {
            return None;
        }
        Some(problem(name, value, amiss_now))
    };
    spec.said.iter().filter_map(check).collect()
}

fn problem(name: &str, value: &Value, amiss: GroundingProblem) -> FieldProblem {
    FieldProblem {
        pointer: format!("/{name}"),
        problem: amiss.problem.to_owned(),
        expected: amiss.expected,
        got: Some(json!(value)),
        nearest: amiss.nearest.map(Value::String),
        ..FieldProblem::default()
    }
}

/// The words and numbers of a text, folded.
pub(super) fn words(text: &str) -> Vec<String> {
    normalize(text).split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
