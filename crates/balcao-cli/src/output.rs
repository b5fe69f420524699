//! What the command says: answers on standard output, everything else on standard error.
//!
//! Nothing that is said here steers a terminal: what customers, models and services wrote is in it. [`one_line`] and
//! [`indented`] keep it from looking like lines of ours, too.

use std::{
    borrow::Cow,
    fmt,
    io::{IsTerminal, Write},
    process::ExitCode,
    sync::atomic::{AtomicU8, Ordering},
};

use balcao_yaml::Problem;
use tokio::sync::Notify;

/// A command that did not do what was asked.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: String,
}

impl Failure {
    /// A check failed or the operation was refused.
    pub(crate) fn operation(message: impl fmt::Display) -> Self {
        Self { code: 1, message: message.to_string() }
    }

    /// Wrong usage or invalid configuration.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self { code: 2, message: message.to_string() }
    }

    /// Mistakes in files.
    pub(crate) fn problems(problems: &[Problem]) -> Self {
        let list: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Self::usage(format!("{}:\n{}", counted(list.len(), "mistake"), list.join("\n")))
    }

    /// Examples that do not hold: a failed check, no mistake in the files.
    pub(crate) fn unheld(examples: &[Problem]) -> Self {
        let list: Vec<String> = examples.iter().map(ToString::to_string).collect();
        let count = if list.len() == 1 { "1 example does".to_owned() } else { format!("{} examples do", list.len()) };
        Self::operation(format!("{count} not hold:\n{}", list.join("\n")))
    }

    /// What went wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Says what went wrong and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        // What an operation says may be another system's words; a list of mistakes has lines of its own.
        let message = if self.code == 1 { indented(&self.message, 2) } else { self.message.clone() };
        print_error(&format!("error: {message}"));
        ExitCode::from(self.code)
    }
}

/// So many of something, in words: `1 command`, `2 commands`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// An error with all its causes, in one line.
pub(crate) fn error_chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        // Transparent wrappers repeat their source.
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// Whether a terminal would do something else with it than show it where it stands: control characters, and those that turn the
/// direction of what follows.
fn steers(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// A text whose characters are all shown and do nothing else. Those that would steer a terminal stand there as in JSON, such as
/// `\u001b`: a JSON document stays the same document.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if steers(c) { shown.push_str(&format!("\\u{:04x}", u32::from(c))) } else { shown.push(c) }
    }
    Cow::Owned(shown)
}

/// What somebody else wrote, as a part of one line.
pub(crate) fn one_line(text: &str) -> String {
    visible(&text.replace(['\n', '\t'], " ")).into_owned()
}

/// What somebody else wrote, on as many lines as it has. Those after its first begin with so many spaces, at least one, which no
/// line of ours with another meaning does.
pub(crate) fn indented(text: &str, by: usize) -> String {
    visible(text).replace('\n', &format!("\n{:by$}", "", by = by.max(1)))
}

/// Writes a piece of a line to standard output, at once. Whether the reader is still there shows when the line ends.
pub(crate) fn say_piece(text: &str) {
    let mut out = std::io::stdout().lock();
    drop(out.write_all(visible(text).as_bytes()).and_then(|()| out.flush()));
}

/// Writes a line to standard output. A reader that went away ends the program quietly, as of every filter; an answer that
/// could not be written for another reason is a failure.
pub(crate) fn print_line(line: &str) {
    write(&visible(line));
}

/// Writes what is a file as it is to standard output; to a terminal, as a person can look at it.
pub(crate) fn say_file(text: &str) {
    if std::io::stdout().is_terminal() { print_line(&text.replace("\r\n", "\n")) } else { write(text) }
}

fn write(line: &str) {
    if STANDARD_OUTPUT.load(Ordering::Relaxed) != OPEN {
        return;
    }
    let mut out = std::io::stdout().lock();
    if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
        let is_closed = error.kind() == std::io::ErrorKind::BrokenPipe;
        STANDARD_OUTPUT.store(if is_closed { CLOSED } else { FAILED }, Ordering::Relaxed);
        if !is_closed {
            print_error(&format!("error: standard output: {error}"));
        }
        LOST.notify_one();
    }
}

/// Whether lines still reach standard output: its reader may have closed it, or a write may have failed.
static STANDARD_OUTPUT: AtomicU8 = AtomicU8::new(OPEN);
const OPEN: u8 = 0;
const CLOSED: u8 = 1;
const FAILED: u8 = 2;
static LOST: Notify = Notify::const_new();

/// Waits until standard output accepts no more lines.
pub(crate) async fn standard_output_lost() {
    LOST.notified().await;
}

/// The exit code of a command: a failure if its output did not arrive. A reader that closes the pipe has read enough.
pub(crate) fn with_output(code: ExitCode) -> ExitCode {
    if STANDARD_OUTPUT.load(Ordering::Relaxed) == FAILED { ExitCode::FAILURE } else { code }
}

/// Writes a line to standard error.
pub(crate) fn print_error(line: &str) {
    let mut out = std::io::stderr().lock();
    // If this fails, no other output is left for a report.
    drop(writeln!(out, "{}", visible(line)));
}

/// Cuts a list that was read with one row more than it shows. Returns whether there was more.
pub(crate) fn cut<T>(found: &mut Vec<T>, most: u32) -> bool {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let more = found.len() > most;
    found.truncate(most);
    more
}

/// Says of a list, behind it, that it is cut. This goes to standard error, because standard output may be JSON for a program.
pub(crate) fn print_cut(shown: usize, what: &str, way_out: &str) {
    print_error(&format!("warning: there are more than {shown} {what}, and the list ends here; {way_out}"));
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
