//! From the engine's stack traces to places in the author's files.

use crate::{error::Place, helper::Helper};

/// The name under which the engine knows the helper at that position. Unlike a file's name it is unique.
pub(super) fn module_name(position: u32) -> String {
    format!("helper-{position}")
}

/// What maps lines of compiled code back.
pub(super) struct Origins<'a> {
    pub(super) helpers: &'a [Helper],
    /// For each helper, the characters that its frame puts before the first line.
    pub(super) shifts: &'a [u32],
}

impl Origins<'_> {
    /// The frames of a trace that lie in helpers, innermost first, and the place of the first of them.
    pub(super) fn trace(&self, stack: &str) -> (Vec<String>, Option<Place>) {
        let mut frames = Vec::new();
        let mut first = None;
        for line in stack.lines().take(MAX_FRAMES) {
            let line = line.trim().strip_prefix("at ").unwrap_or(line);
            let (name, location) = match line.rsplit_once(" (") {
                Some((name, location)) => (name, location.trim_end_matches(')')),
                None => ("", line),
            };
            let Some(place) = self.place(location) else { continue };
            frames.push(if name.is_empty() { place.to_string() } else { format!("{} ({place})", clip(name)) });
            first.get_or_insert(place);
        }
        (frames, first)
    }

    /// `helper-3:12:5` in the author's terms.
    fn place(&self, location: &str) -> Option<Place> {
        let mut parts = location.strip_prefix("helper-")?.split(':');
        let position: usize = parts.next()?.parse().ok()?;
        let line: u32 = parts.next()?.parse().ok()?;
        let column: u32 = parts.next().and_then(|column| column.parse().ok()).unwrap_or(1);
        let helper = self.helpers.get(position)?;
        let shift = if line == 1 { self.shifts.get(position).copied().unwrap_or(0) } else { 0 };
        // A frame closes after the author's last line: what is missing there is missing at the end.
        let lines = u32::try_from(helper.source.lines().count()).unwrap_or(u32::MAX).max(1);
        let (line, column) = if line > lines {
            let end = helper.source.lines().last().map_or(0, |last| last.chars().count());
            (lines, u32::try_from(end).unwrap_or(u32::MAX).saturating_add(1))
        } else {
            (line, column.saturating_sub(shift).max(1))
        };
        Some(Place {
            file: helper.file.clone(),
            line: helper.first_line.saturating_sub(1).saturating_add(line),
            column: column.saturating_add(helper.indent),
        })
    }
}

const MAX_FRAMES: usize = 64;

/// A function may be called anything; a frame is one short line.
fn clip(name: &str) -> String {
    name.chars().filter(|character| !character.is_control()).take(80).collect()
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
