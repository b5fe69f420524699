//! What the command says: answers on standard output, everything else on standard error.

use std::{fmt, io::Write, process::ExitCode};

use balcao_yaml::Problem;

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
        let count = if list.len() == 1 { "1 mistake".to_owned() } else { format!("{} mistakes", list.len()) };
        Self::usage(format!("{count}:\n{}", list.join("\n")))
    }

    /// What went wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Says what went wrong and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        complain(&format!("error: {}", self.message));
        ExitCode::from(self.code)
    }
}

/// An error with all its causes, in one line.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
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

/// Writes a piece of a line to standard output, at once. Whether the reader is still there shows when the line ends.
pub(crate) fn say_piece(text: &str) {
    let mut out = std::io::stdout().lock();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Writes a line to standard output. A reader that went away ends the program quietly, as of every filter; an answer that
/// could not be written for another reason is a failure.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        complain(&format!("error: standard output: {error}"));
        std::process::exit(1);
    }
}

/// Writes a line to standard error.
pub(crate) fn complain(line: &str) {
    let mut out = std::io::stderr().lock();
    // Nobody is left to be told if this fails.
    drop(writeln!(out, "{line}"));
}
