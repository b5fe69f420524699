//! All pieces of a pack with their values, made once for each language.

use std::{
    collections::{BTreeSet, HashMap},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use balcao_sandbox::Bundle;
use balcao_tool::{Effect, Locale};

use super::{Piece, Sort, Tokens};
use crate::manifest::{AntiPattern, Command, Helper, Inject, Pack, Validator};

/// A piece and the blank line behind it.
const SEPARATOR: &str = "\n\n";
/// What fitting the user's words adds at most: less than the distance between two sorts.
const MOST_FOR_WORDS: u32 = 9;
/// Of a word, as many letters tell what it speaks of.
const STEM: usize = 5;

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

/// The shelves of a pack, each made when its language is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Shelves {
    portuguese: OnceLock<Shelf>,
    english: OnceLock<Shelf>,
}

impl Shelves {
    pub(super) fn of(&self, pack: &Pack, helpers: &Bundle, locale: Locale) -> &Shelf {
        let shelf = match locale {
            Locale::PtBr => &self.portuguese,
            Locale::En => &self.english,
        };
        shelf.get_or_init(|| Shelf::new(pack, helpers, locale))
    }
}

/// All pieces of a pack in one language, in the order in which a model reads them.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    pieces: Vec<Prepared>,
    /// The tokens of the pieces, by what counted them.
    counts: Mutex<HashMap<&'static str, Arc<Counts>>>,
}

/// The tokens of each piece, its separator included; counted when the piece is first asked for. To count a whole pack takes longer than
/// to tell of one of its commands.
#[derive(Debug)]
struct Counts {
    separator: usize,
    pieces: Box<[OnceLock<usize>]>,
}

#[derive(Debug)]
struct Prepared {
    sort: Sort,
    id: String,
    text: String,
    /// The ids of the commands that the piece belongs to; empty if only a bundle of the whole pack contains it.
    commands: Vec<String>,
    stems: OnceLock<Vec<u64>>,
}

impl Shelf {
    fn new(pack: &Pack, helpers: &Bundle, locale: Locale) -> Self {
        let commands: Vec<&Command> = pack.commands.iter().filter(|command| !command.internal).collect();
        let mut shelf = Self::default();
        for command in &commands {
            let first = command.description.get(locale).split_inclusive(['.', '\n']).next().unwrap_or_default().trim();
            shelf.add(Sort::Line, &command.id, Vec::new(), format!("{}: {first}", command.id));
        }
        for command in &commands {
            shelf.add(Sort::Contract, &command.id, vec![command.id.clone()], contract(command, locale));
        }
        let used: Vec<BTreeSet<&str>> = commands.iter().map(|command| used_by(command, helpers)).collect();
        for helper in &pack.helpers {
            let users = commands.iter().zip(&used).filter(|(_, used)| used.contains(helper.id.as_str()));
            let users: Vec<String> = users.map(|(command, _)| command.id.clone()).collect();
            if let Some(text) = helper_text(helper, helpers).filter(|_| !users.is_empty()) {
                shelf.add(Sort::Helper, &helper.id, users, text);
            }
        }
        shelf.add_knowledge(pack, &commands);
        shelf
    }

    fn add(&mut self, sort: Sort, id: &str, commands: Vec<String>, text: String) {
        self.pieces.push(Prepared { sort, id: id.to_owned(), text, commands, stems: OnceLock::new() });
    }

    fn add_knowledge(&mut self, pack: &Pack, commands: &[&Command]) {
        let those = |belongs: &dyn Fn(&Command) -> bool| -> Vec<String> {
            commands.iter().filter(|command| belongs(command)).map(|command| command.id.clone()).collect()
        };
        for validator in &pack.validators {
            let bound = those(&|command| checks(validator, command));
            if let Some(rule) = validator.rule.as_ref().filter(|_| !bound.is_empty()) {
                self.add(Sort::Rule, &validator.id, bound, format!("Rule: {rule}"));
            }
        }
        for anti in &pack.anti_patterns {
            let found = those(&|command| warns(anti, command, &pack.validators));
            if !found.is_empty() || anti.of_the_whole() {
                let right = anti.instead().map(|right| format!("\nRight: {right}")).unwrap_or_default();
                let text = format!("Avoid: {}\nWrong: {}{right}\nWhy: {}", anti.title, anti.wrong, anti.why);
                self.add(Sort::AntiPattern, &anti.id, found, text);
            }
        }
        let offered = |operation: &str| those(&|command| command.id == operation);
        for case in &pack.examples.success_cases {
            let notes = case.notes.as_ref().map(|notes| format!("\n{notes}")).unwrap_or_default();
            let text = format!("Example of {}: {} gives {}{notes}", case.operation, case.input, case.output);
            let of = offered(&case.operation);
            if !of.is_empty() {
                self.add(Sort::Example, &case.id, of, text);
            }
        }
        for case in &pack.examples.failure_cases {
            let right = case.correct_input.as_ref().map(|right| format!("; right: {right}")).unwrap_or_default();
            let text = format!("Refused by {}: {} ({}){right}", case.operation, case.wrong_input, case.cause);
            let of = offered(&case.operation);
            if !of.is_empty() {
                self.add(Sort::Failure, &case.id, of, text);
            }
        }
    }

    /// The counts of one vocabulary.
    fn counts(&self, tokens: &dyn Tokens) -> Arc<Counts> {
        let mut kept = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || {
            let pieces = self.pieces.iter().map(|_| OnceLock::new()).collect();
            Arc::new(Counts { separator: tokens.count(SEPARATOR), pieces })
        };
        Arc::clone(kept.entry(tokens.vocabulary()).or_insert_with(fresh))
    }

    /// What all pieces take.
    pub(super) fn tokens_of_all(&self, tokens: &dyn Tokens) -> usize {
        let counts = self.counts(tokens);
        self.pieces
            .iter()
            .zip(&counts.pieces)
            .map(|(piece, count)| piece.counted(count, counts.separator, tokens))
            .sum()
    }

    /// The pieces of one command, or of all; a whole pack begins with its catalogue.
    pub(super) fn pieces(&self, words: &str, only: Option<&Command>, tokens: &dyn Tokens) -> Vec<Piece> {
        self.those(words, |piece| only.is_none_or(|only| piece.commands.contains(&only.id)), tokens)
    }

    /// The pieces of a sort that belong to no command.
    pub(super) fn of_no_command(&self, sort: Sort, tokens: &dyn Tokens) -> Vec<Piece> {
        self.those("", |piece| piece.sort == sort && piece.commands.is_empty(), tokens)
    }

    fn those(&self, words: &str, takes: impl Fn(&Prepared) -> bool, tokens: &dyn Tokens) -> Vec<Piece> {
        let (words, counts) = (stems(words), self.counts(tokens));
        let those = self.pieces.iter().zip(&counts.pieces).filter(|(piece, _)| takes(piece));
        those
            .map(|(piece, count)| Piece {
                sort: piece.sort,
                id: piece.id.clone(),
                value: worth(piece.sort) + piece.fits(&words),
                tokens: piece.counted(count, counts.separator, tokens),
                text: piece.text.clone(),
            })
            .collect()
    }
}

impl Prepared {
    /// Its tokens with its separator, counted at the first time.
    fn counted(&self, count: &OnceLock<usize>, separator: usize, tokens: &dyn Tokens) -> usize {
        *count.get_or_init(|| tokens.count(&self.text) + separator)
    }

    /// What fitting these words adds to its worth.
    fn fits(&self, words: &[u64]) -> u32 {
        if words.is_empty() {
            return 0;
        }
        let stems = self.stems.get_or_init(|| stems(&self.text));
        let shared = words.iter().filter(|word| stems.binary_search(word).is_ok()).count();
        u32::try_from(shared).unwrap_or(MOST_FOR_WORDS).min(MOST_FOR_WORDS)
    }
}

/// Whether a validator looks at what a command is given.
fn checks(validator: &Validator, command: &Command) -> bool {
    validator.validates.as_ref() == Some(&command.id) || command.uses_validators.contains(&validator.id)
}

/// Whether a mistake is one that can be made with a command.
fn warns(anti: &AntiPattern, command: &Command, validators: &[Validator]) -> bool {
    anti.commands.contains(&command.id)
        || validators.iter().filter(|validator| checks(validator, command)).any(|validator| {
            anti.validator() == Some(validator.id.as_str())
                || validator.checks.iter().any(|check| check.anti_pattern() == Some(anti.id.as_str()))
        })
}

fn contract(command: &Command, locale: Locale) -> String {
    let effect = match command.effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Destructive => "destructive",
    };
    let description = command.description.get(locale);
    let (input, output) = (&command.input_schema, &command.output_schema);
    format!("{} ({effect}): {description}\n{{\"input\":{input},\"output\":{output}}}", command.id)
}

/// The helpers that a command uses, itself or by another one.
pub(crate) fn used_by<'a>(command: &'a Command, helpers: &'a Bundle) -> BTreeSet<&'a str> {
    let mut open: Vec<&str> = command.uses_helpers.iter().map(String::as_str).collect();
    let mut seen = BTreeSet::new();
    while let Some(next) = open.pop() {
        if seen.insert(next) {
            let found = helpers.helpers().iter().filter(|helper| helper.id == next);
            open.extend(found.flat_map(|helper| helper.dependencies.iter().map(String::as_str)));
        }
    }
    seen
}

/// What a model is shown of a helper.
fn helper_text(helper: &Helper, bundle: &Bundle) -> Option<String> {
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

/// The beginnings of the words of a text, as sorted numbers: enough to tell whether two texts speak of the same things.
fn stems(text: &str) -> Vec<u64> {
    let long = text.split(|character: char| !character.is_alphanumeric()).filter(|word| word.chars().nth(2).is_some());
    let mut stems: Vec<u64> = long
        .map(|word| {
            let mut hasher = DefaultHasher::new();
            word.chars().flat_map(char::to_lowercase).take(STEM).for_each(|letter| letter.hash(&mut hasher));
            hasher.finish()
        })
        .collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}
