//! The log: lines on standard error, redacted.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::Arc,
};

use balcao_agent::spans::CONTENT;
use tracing::{Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{
    EnvFilter, Layer,
    filter::{FilterExt, filter_fn},
    fmt::{self, MakeWriter},
    registry::LookupSpan,
};

use super::redact::Redactor;
use crate::{
    config::{LogConfig, LogFormat},
    output::indented,
};

/// The variable that says what is logged, whatever the file says.
const VARIABLE: &str = "BALCAO_LOG";

/// The log as a layer. What decides the level: `-v`, else the environment, else the file, else what is usual.
pub(super) fn layer<S>(
    config: &LogConfig,
    verbose: u8,
    usual: LevelFilter,
    environment: &BTreeMap<String, String>,
    redactor: Arc<Redactor>,
) -> Result<Box<dyn Layer<S> + Send + Sync>, String>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let (place, directives) = match (verbose, environment.get(VARIABLE), &config.level) {
        (0, Some(directives), _) => (VARIABLE, directives.clone()),
        (0, None, Some(directives)) => ("log.level", directives.clone()),
        (0, None, None) => ("", usual.to_string()),
        // Libraries write much at these levels that does not help an operator.
        (1, ..) => ("", "info".to_owned()),
        (2, ..) => ("", ours("debug")),
        (..) => ("", ours("trace")),
    };
    let wrong = |why: &str| {
        format!(
            "{place} `{directives}`: {why}; write error, warn, info, debug or trace, or directives such as balcao_app=debug,warn"
        )
    };
    // A word alone that is no level would be taken for a part of the program, and everything else would fall silent.
    if let Some(word) = directives.split(',').map(str::trim).find(|word| is_no_level(word)) {
        return Err(wrong(&format!("invalid level `{word}`")));
    }
    let filter = EnvFilter::try_new(&directives).map_err(|error| wrong(&error.to_string()))?;
    // What was said is for traces alone, if the operator wants it: no directive brings it into a log.
    let filter = filter.and(filter_fn(|metadata| metadata.target() != CONTENT));
    let lines = fmt::layer().with_writer(Redacting(redactor));
    Ok(match config.format {
        LogFormat::Text => lines.with_ansi(false).with_filter(filter).boxed(),
        LogFormat::Json => lines.json().with_filter(filter).boxed(),
    })
}

fn is_no_level(word: &str) -> bool {
    !word.is_empty() && !word.contains(['=', '[']) && word.parse::<LevelFilter>().is_err()
}

fn ours(level: &str) -> String {
    let crates = ["agent", "app", "builtin_tools", "channel", "llm", "offline", "pack", "store", "tool", "web"];
    let ours: Vec<String> = crates.iter().map(|name| format!("balcao_{name}={level}")).collect();
    format!("info,balcao={level},{}", ours.join(","))
}

/// Writes lines to standard error without what must not be in them.
struct Redacting(Arc<Redactor>);

impl<'a> MakeWriter<'a> for Redacting {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Line<'a> {
        Line(&self.0)
    }
}

/// One line: the layer writes each in one piece.
struct Line<'a>(&'a Redactor);

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        // What is in a record was written by anybody: it looks like no other record, and steers no terminal.
        let line_of_ours = indented(self.0.clean(text.trim_end_matches('\n')).as_ref(), 4);
        io::stderr().lock().write_all(format!("{line_of_ours}\n").as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}
