//! What a transaction has read and nothing has changed since.
//!
//! A use case asks for the same contact or business in several of its steps. Other writers wait while a transaction holds the write lock,
//! and a reading transaction sees one state. So only a write of the transaction itself can change an answer.

use std::sync::Arc;

use tokio_postgres::Row;

use super::tenant::Tenant;
use crate::database::value::Value;

/// So many answers are kept, the latest.
const ANSWERS: usize = 32;

/// Answers of more rows are not kept.
const ROWS: usize = 128;

/// One answer.
#[derive(Debug)]
struct Answer {
    sql: String,
    values: Vec<Value<'static>>,
    /// Whose rows were seen.
    tenant: Option<Tenant>,
    rows: Arc<Vec<Row>>,
}

/// The answers that still hold.
#[derive(Debug, Default)]
pub(super) struct Known(Vec<Answer>);

impl Known {
    /// What a query gave.
    pub(super) fn rows(&self, sql: &str, values: &[Value<'_>], tenant: Option<Tenant>) -> Option<Arc<Vec<Row>>> {
        let same = |answer: &&Answer| answer.sql == sql && answer.tenant == tenant && answer.values == values;
        self.0.iter().find(same).map(|answer| Arc::clone(&answer.rows))
    }

    /// Keeps what a query gave, if it only reads tables.
    pub(super) fn insert(&mut self, sql: &str, values: &[Value<'_>], tenant: Option<Tenant>, rows: &Arc<Vec<Row>>) {
        if only_reads(sql) && rows.len() <= ROWS {
            if self.0.len() == ANSWERS {
                self.0.remove(0);
            }
            let values = values.iter().map(Value::to_owned_value).collect();
            self.0.push(Answer { sql: sql.to_owned(), values, tenant, rows: Arc::clone(rows) });
        }
    }

    /// Something was written.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

/// Whether a statement changes nothing. What reads no table may be a function that does something.
pub(super) fn only_reads(sql: &str) -> bool {
    sql.trim_start().starts_with("SELECT ") && sql.contains(" FROM ")
}
