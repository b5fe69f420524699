//! A plan meets its rows.

use std::collections::BTreeMap;

use crate::QueryError;
use crate::aggregate::{Ordered, Tally};
use crate::error::Problem;
use crate::limits::{MAX_ANSWER_ROWS, MAX_GROUPS, MAX_KEPT_ROWS};
use crate::plan::{Column, Plan, Step};
use crate::syntax::Direction;
use crate::value::Value;

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows; each has a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// How many rows more there are than are given.
    pub more: usize,
}

/// Whether further rows are of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The next row is wanted.
    Goes,
    /// The answer is complete whatever comes.
    Done,
}

/// An answer as it grows, row by row.
#[derive(Debug)]
pub struct Run<'p> {
    plan: &'p Plan,
    held: Vec<Held>,
    rows: Vec<Vec<Value>>,
    more: usize,
}

/// What a step holds until all rows are there.
#[derive(Debug)]
enum Held {
    Nothing,
    Count(usize),
    Rows(Vec<Vec<Value>>),
    Groups(BTreeMap<Vec<Ordered>, Vec<Tally>>),
}

type Fed = Result<Progress, Problem>;

impl Plan {
    /// Begins an answer.
    #[must_use]
    pub fn run(&self) -> Run<'_> {
        let held = self.steps.iter().map(|step| match step {
            Step::Where(_) | Step::Extend(_) | Step::Select(_) => Held::Nothing,
            Step::Take(_) => Held::Count(0),
            Step::Sort(_) => Held::Rows(Vec::new()),
            // Without keys there is one group, even of no rows.
            Step::Summarize { figures, by } if by.is_empty() => {
                Held::Groups(BTreeMap::from([(Vec::new(), vec![Tally::default(); figures.len()])]))
            }
            Step::Summarize { .. } => Held::Groups(BTreeMap::new()),
        });
        Run { plan: self, held: held.collect(), rows: Vec::new(), more: 0 }
    }
}

impl Run<'_> {
    /// Takes a row of the source: its values in the order of the catalogue's fields.
    ///
    /// # Errors
    /// The question would hold more than [`limits`](crate::limits) allow.
    pub fn push(&mut self, row: Vec<Value>) -> Result<Progress, QueryError> {
        self.feed(0, row).map_err(|problem| problem.placed(""))
    }

    /// The answer.
    ///
    /// # Errors
    /// As [`Run::push`].
    pub fn finish(mut self) -> Result<Table, QueryError> {
        for at in 0..self.held.len() {
            let Some(held) = self.held.get_mut(at) else { break };
            let held = std::mem::replace(held, Held::Nothing);
            let released = self.released(at, held).map_err(|problem| problem.placed(""))?;
            for row in released {
                if self.feed(at + 1, row).map_err(|problem| problem.placed(""))? == Progress::Done {
                    break;
                }
            }
        }
        Ok(Table { columns: self.plan.columns.clone(), rows: self.rows, more: self.more })
    }

    fn feed(&mut self, at: usize, mut row: Vec<Value>) -> Fed {
        let (Some(step), Some(held)) = (self.plan.steps.get(at), self.held.get_mut(at)) else {
            if self.rows.len() < MAX_ANSWER_ROWS {
                self.rows.push(row);
            } else {
                self.more += 1;
            }
            return Ok(Progress::Goes);
        };
        match (step, held) {
            (Step::Where(condition), _) => {
                if condition.evaluate(&row)?.is_true() {
                    self.feed(at + 1, row)
                } else {
                    Ok(Progress::Goes)
                }
            }
            (Step::Extend(codes), _) => {
                for code in codes {
                    row.push(code.evaluate(&row)?);
                }
                self.feed(at + 1, row)
            }
            (Step::Select(places), _) => {
                let row = places.iter().map(|place| row.get(*place).cloned().unwrap_or(Value::Null)).collect();
                self.feed(at + 1, row)
            }
            (Step::Take(count), Held::Count(taken)) => {
                if *taken >= *count {
                    return Ok(Progress::Done);
                }
                *taken += 1;
                let is_last = *taken == *count;
                let progress = self.feed(at + 1, row)?;
                Ok(if is_last { Progress::Done } else { progress })
            }
            (Step::Sort(_), Held::Rows(rows)) => {
                if rows.len() == MAX_KEPT_ROWS {
                    let problem = Problem::new(0, format!("more than {MAX_KEPT_ROWS} rows would have to be sorted"));
                    return Err(problem.suggest("narrow them with where, or summarize them first"));
                }
                rows.push(row);
                Ok(Progress::Goes)
            }
            (Step::Summarize { figures, by }, Held::Groups(groups)) => {
                let key: Vec<Ordered> =
                    by.iter().map(|code| code.evaluate(&row).map(Ordered)).collect::<Result<_, _>>()?;
                if groups.len() >= MAX_GROUPS && !groups.contains_key(&key) {
                    let problem = Problem::new(0, format!("there are more than {MAX_GROUPS} groups"));
                    return Err(problem.suggest("group by something coarser, such as month(starts_at)"));
                }
                let tallies = groups.entry(key).or_insert_with(|| vec![Tally::default(); figures.len()]);
                for (figure, tally) in figures.iter().zip(tallies) {
                    tally.add(figure, &row)?;
                }
                Ok(Progress::Goes)
            }
            (_, Held::Nothing | Held::Count(_) | Held::Rows(_) | Held::Groups(_)) => Ok(Progress::Done),
        }
    }

    /// What a step held, in the order in which it goes on.
    fn released(&self, at: usize, held: Held) -> Result<Vec<Vec<Value>>, Problem> {
        Ok(match (self.plan.steps.get(at), held) {
            (Some(Step::Sort(keys)), Held::Rows(mut rows)) => {
                rows.sort_by(|a, b| {
                    keys.iter().fold(std::cmp::Ordering::Equal, |order, (place, direction)| {
                        order.then_with(|| by_key(a.get(*place), b.get(*place), *direction))
                    })
                });
                rows
            }
            (Some(Step::Summarize { figures, .. }), Held::Groups(groups)) => groups
                .into_iter()
                .map(|(key, tallies)| {
                    let figures = figures.iter().zip(tallies).map(|(figure, tally)| tally.figure(figure));
                    key.into_iter().map(|Ordered(value)| Ok(value)).chain(figures).collect()
                })
                .collect::<Result<_, _>>()?,
            (_, Held::Nothing | Held::Count(_) | Held::Rows(_) | Held::Groups(_)) => Vec::new(),
        })
    }
}

/// Nothing comes last, either way.
fn by_key(a: Option<&Value>, b: Option<&Value>, direction: Direction) -> std::cmp::Ordering {
    let (a, b) = (a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null));
    match direction {
        Direction::Descending if !a.is_null() && !b.is_null() => b.order(a),
        Direction::Ascending | Direction::Descending => a.order(b),
    }
}
