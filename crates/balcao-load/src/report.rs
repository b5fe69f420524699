//! What was measured, as a table or as JSON.

use std::time::Duration;

use serde::Serialize;

use crate::machine;

/// Figures, and where they were measured.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    machine: String,
    profile: &'static str,
    rows: Vec<Row>,
}

/// A figure.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// On what: `sqlite`, `postgres`.
    pub(crate) database: &'static str,
    /// Of what.
    pub(crate) what: String,
    /// The figure.
    pub(crate) value: f64,
    /// Its unit.
    pub(crate) unit: &'static str,
    /// What it should be, where something says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<Target>,
}

/// What a figure should be.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Target {
    /// At least so much.
    AtLeast(f64),
    /// At most so much.
    AtMost(f64),
}

impl Row {
    /// Whether it is what it should be; `None` if nothing says what that is.
    pub(crate) fn is_met(&self) -> Option<bool> {
        self.target.map(|target| match target {
            Target::AtLeast(least) => self.value >= least,
            Target::AtMost(most) => self.value <= most,
        })
    }
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { machine: machine::description(), profile: machine::profile(), rows: Vec::new() }
    }

    pub(crate) fn add(
        &mut self,
        database: &'static str,
        what: impl Into<String>,
        value: f64,
        unit: &'static str,
        target: Option<Target>,
    ) {
        self.rows.push(Row { database, what: what.into(), value, unit, target });
    }

    /// Median and 99th percentile of `times`.
    pub(crate) fn add_times(&mut self, database: &'static str, what: &str, mut times: Vec<Duration>) {
        times.sort();
        for (name, share) in [("p50", 50), ("p99", 99)] {
            let rank = times.len().saturating_mul(share) / 100;
            let at = times.get(rank.min(times.len().saturating_sub(1))).copied().unwrap_or_default();
            self.add(database, format!("{what}, {name}"), at.as_secs_f64() * 1_000.0, "ms", None);
        }
    }

    /// The figures.
    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The lines of a table.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("{}; {} build", self.machine, self.profile), String::new()];
        let longest = |of: fn(&Row) -> usize| self.rows.iter().map(of).max().unwrap_or(0);
        let (first, second) = (longest(|row| row.database.len()), longest(|row| row.what.chars().count()));
        for row in &self.rows {
            let verdict = match (row.target, row.is_met()) {
                (Some(Target::AtLeast(target)), Some(met)) => format!("≥ {target}: {}", verdict(met)),
                (Some(Target::AtMost(target)), Some(met)) => format!("≤ {target}: {}", verdict(met)),
                _ => String::new(),
            };
            let line =
                format!("{:first$}  {:second$}  {:>10.2} {:<9} {verdict}", row.database, row.what, row.value, row.unit);
            lines.push(line.trim_end().to_owned());
        }
        lines
    }
}

const fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
