//! Everything that can be told of a pack or of one of its commands, with what it is worth.

use std::collections::BTreeSet;

use balcao_sandbox::Bundle;
use balcao_tool::Effect;
use serde_json::json;

use super::{Piece, Question, Sort, Tokens};
use crate::manifest::{Command, Helper, Inject, Pack, Validator};

/// A piece and the blank line behind it.
const SEPARATOR: &str = "\n\n";
/// What fitting the user's words adds at most: less than the distance between two sorts.
const MOST_FOR_WORDS: u32 = 9;

/// What each sort is worth: without the contract nothing can be called, without its helpers not rightly.
const fn worth(sort: Sort) -> u32 {
    match sort {
        Sort::Line => 110,
        Sort::Contract => 100,
        Sort::Helper => 90,
        Sort::Rule => 80,
        Sort::AntiPattern => 70,
        Sort::Example => 60,
        Sort::Failure => 50,
    }
}

struct Pieces<'a> {
    words: BTreeSet<String>,
    tokens: &'a dyn Tokens,
    made: Vec<Piece>,
}

/// The pieces of one command, or of all; a whole pack begins with its catalogue.
pub(super) fn of(
    pack: &Pack,
    helpers: &Bundle,
    question: &Question<'_>,
    only: Option<&Command>,
    tokens: &dyn Tokens,
) -> Vec<Piece> {
    let mut pieces = Pieces { words: words(question.words), tokens, made: Vec::new() };
    let about = |command: &&Command| !command.internal && only.is_none_or(|only| only.id == command.id);
    let commands: Vec<&Command> = pack.commands.iter().filter(about).collect();
    if only.is_none() {
        for command in &commands {
            let description = command.description.get(question.locale);
            let first = description.split_inclusive(['.', '\n']).next().unwrap_or_default().trim();
            pieces.add(Sort::Line, &command.id, format!("{}: {first}", command.id));
        }
    }
    for command in &commands {
        pieces.add(Sort::Contract, &command.id, contract(command, question));
    }
    for helper in pack.helpers.iter().filter(|helper| needed(helpers, &commands, &helper.id)) {
        if let Some(text) = told(helper, helpers) {
            pieces.add(Sort::Helper, &helper.id, text);
        }
    }
    knowledge(&mut pieces, pack, &commands, only.is_none());
    pieces.made
}

impl Pieces<'_> {
    fn add(&mut self, sort: Sort, id: &str, text: String) {
        let shared = words(&text).intersection(&self.words).count();
        let fits = u32::try_from(shared).unwrap_or(MOST_FOR_WORDS).min(MOST_FOR_WORDS);
        let tokens = self.tokens.count(&text) + self.tokens.count(SEPARATOR);
        self.made.push(Piece { sort, id: id.to_owned(), value: worth(sort) + fits, tokens, text });
    }
}

fn knowledge(pieces: &mut Pieces<'_>, pack: &Pack, commands: &[&Command], whole: bool) {
    let of_one = |operation: &str| commands.iter().any(|command| command.id == operation);
    let validators: Vec<&Validator> = pack
        .validators
        .iter()
        .filter(|validator| {
            validator.validates.as_deref().is_some_and(of_one)
                || commands.iter().any(|command| command.uses_validators.contains(&validator.id))
        })
        .collect();
    for validator in &validators {
        if let Some(rule) = &validator.rule {
            pieces.add(Sort::Rule, &validator.id, format!("Rule: {rule}"));
        }
    }
    for anti in &pack.anti_patterns {
        let found = validators.iter().any(|validator| {
            anti.validator() == Some(validator.id.as_str())
                || validator.checks.iter().any(|check| check.anti_pattern() == Some(anti.id.as_str()))
        });
        let named = anti.commands.iter().any(|id| of_one(id)) || (whole && anti.of_the_whole());
        if found || named {
            let right = anti.instead().map(|right| format!("\nRight: {right}")).unwrap_or_default();
            let text = format!("Avoid: {}\nWrong: {}{right}\nWhy: {}", anti.title, anti.wrong, anti.why);
            pieces.add(Sort::AntiPattern, &anti.id, text);
        }
    }
    for case in pack.examples.success_cases.iter().filter(|case| of_one(&case.operation)) {
        let notes = case.notes.as_ref().map(|notes| format!("\n{notes}")).unwrap_or_default();
        let text = format!("Example of {}: {} gives {}{notes}", case.operation, case.input, case.output);
        pieces.add(Sort::Example, &case.id, text);
    }
    for case in pack.examples.failure_cases.iter().filter(|case| of_one(&case.operation)) {
        let right = case.correct_input.as_ref().map(|right| format!("; right: {right}")).unwrap_or_default();
        let text = format!("Refused by {}: {} ({}){right}", case.operation, case.wrong_input, case.cause);
        pieces.add(Sort::Failure, &case.id, text);
    }
}

fn contract(command: &Command, question: &Question<'_>) -> String {
    let effect = match command.effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Destructive => "destructive",
    };
    let description = command.description.get(question.locale);
    let schema = json!({"input": command.input_schema, "output": command.output_schema});
    format!("{} ({effect}): {description}\n{schema}", command.id)
}

/// Whether a command uses a helper, itself or by another one.
fn needed(helpers: &Bundle, commands: &[&Command], id: &str) -> bool {
    let mut open: Vec<&str> =
        commands.iter().flat_map(|command| command.uses_helpers.iter().map(String::as_str)).collect();
    let mut seen = BTreeSet::new();
    while let Some(next) = open.pop() {
        if next == id {
            return true;
        }
        if seen.insert(next) {
            let found = helpers.helpers().iter().filter(|helper| helper.id == next);
            open.extend(found.flat_map(|helper| helper.dependencies.iter().map(String::as_str)));
        }
    }
    false
}

/// What a model is shown of a helper.
fn told(helper: &Helper, bundle: &Bundle) -> Option<String> {
    let summary = helper.summary.as_deref().unwrap_or_default();
    match helper.inject {
        Inject::Never => None,
        Inject::Signature => {
            Some(format!("Helper {}: {summary}", helper.signature.as_deref().unwrap_or(&helper.id)).trim().to_owned())
        }
        Inject::Source => {
            let source = bundle.helpers().iter().find(|other| other.id == helper.id)?;
            Some(format!("Helper {}: {summary}\n{}", helper.id, source.source.trim_end()))
        }
    }
}

/// The beginnings of the words of a text: enough to tell whether two texts speak of the same things.
fn words(text: &str) -> BTreeSet<String> {
    let long = text.split(|character: char| !character.is_alphanumeric()).filter(|word| word.chars().count() > 2);
    long.map(|word| word.to_lowercase().chars().take(5).collect()).collect()
}
