//! Statements that wait for the next round trip. Alone, each of them would cost a round trip of its own.
//!
//! Invariants: deferred statements keep their order and go out before the statement that takes them along; the caller receives the first
//! error in that order, because the server refuses all later statements of the transaction.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use bytes::BytesMut;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use super::bind::parameters;
use crate::database::value::Value;

/// So many writes wait at most.
const MOST: usize = 64;

/// One thing that waits.
#[derive(Debug)]
enum Item {
    /// Savepoints, settings, notices, or the end of the transaction.
    Control(String),
    /// A statement whose answer the caller does not need.
    Write(Write),
}

#[derive(Debug)]
struct Write {
    statement: Statement,
    sql: String,
    values: Vec<Value<'static>>,
}

/// A statement that gives rows.
pub(super) struct Query<'q> {
    pub(super) statement: Statement,
    pub(super) sql: &'q str,
    pub(super) values: &'q [Value<'q>],
}

/// What failed first, and with what.
#[derive(Debug)]
pub(super) struct Failed {
    pub(super) sql: String,
    pub(super) error: Error,
}

/// What waits to be sent.
#[derive(Debug, Default)]
pub(super) struct Waiting(Vec<Item>);

impl Waiting {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether it is time to send it.
    pub(super) const fn is_full(&self) -> bool {
        self.0.len() >= MOST
    }

    /// Adds something that gives nothing and takes no values.
    pub(super) fn control(&mut self, sql: &str) {
        if let Some(Item::Control(batch)) = self.0.last_mut() {
            batch.push_str("; ");
            batch.push_str(sql);
        } else {
            self.0.push(Item::Control(sql.to_owned()));
        }
    }

    /// Adds a write. It tells whether it could: values that do not fit the statement have to fail where they are given.
    pub(super) fn write(&mut self, statement: &Statement, sql: &str, values: &[Value<'_>]) -> bool {
        let kinds = statement.params();
        let mut scratch = BytesMut::new();
        let fits = kinds.len() == values.len()
            && values.iter().zip(kinds).all(|(value, kind)| value.to_sql(kind, &mut scratch).is_ok());
        if fits {
            let values = values.iter().map(Value::to_owned_value).collect();
            self.0.push(Item::Write(Write { statement: statement.clone(), sql: sql.to_owned(), values }));
        }
        fits
    }

    /// Sends what waits.
    pub(super) async fn alone(self, client: &Client) -> Result<(), Failed> {
        self.before(client, &[]).await.map(drop)
    }

    /// Sends what waits and then these queries, before any of it is answered. Rows in the order of the queries.
    pub(super) async fn before(self, client: &Client, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Failed> {
        let (sent, rows) = tokio::join!(biased; in_order(self.started(client)), in_order(asked(client, queries)));
        for done in sent {
            done?;
        }
        rows.into_iter().collect()
    }

    /// Sends what waits and then a write, and gives how many rows that changed.
    pub(super) async fn before_write(
        self,
        client: &Client,
        statement: &Statement,
        sql: &str,
        values: &[Value<'_>],
    ) -> Result<u64, Failed> {
        let parameters = parameters(values);
        let (sent, changed) =
            tokio::join!(biased; in_order(self.started(client)), client.execute(statement, &parameters));
        for done in sent {
            done?;
        }
        changed.map_err(|error| Failed { sql: sql.to_owned(), error })
    }

    /// Sends what waits and then undoes it, to a savepoint: what failed of it is undone too. The savepoint may be among what waits; its
    /// name must be that of no other, or one that is older would be found if it could not be made.
    pub(super) async fn undone(self, client: &Client, roll_back: &str) -> Result<(), Failed> {
        let (sent, undone) = tokio::join!(biased; in_order(self.started(client)), client.batch_execute(roll_back));
        let Err(error) = undone else { return Ok(()) };
        let first = sent.into_iter().find_map(Result::err);
        Err(first.unwrap_or_else(|| Failed { sql: roll_back.to_owned(), error }))
    }

    fn started<'c>(&'c self, client: &'c Client) -> Vec<Work<'c, ()>> {
        let start = |item: &'c Item| -> Work<'c, ()> {
            Box::pin(async move {
                let (sql, done) = match item {
                    Item::Control(sql) => (sql, client.batch_execute(sql).await),
                    Item::Write(Write { statement, sql, values }) => {
                        (sql, client.execute(statement, &parameters(values)).await.map(drop))
                    }
                };
                done.map_err(|error| Failed { sql: sql.clone(), error })
            })
        };
        self.0.iter().map(start).collect()
    }
}

fn asked<'c>(client: &'c Client, queries: &'c [Query<'c>]) -> Vec<Work<'c, Vec<Row>>> {
    let start = |query: &'c Query<'c>| -> Work<'c, Vec<Row>> {
        Box::pin(async move {
            let rows = client.query(&query.statement, &parameters(query.values)).await;
            rows.map_err(|error| Failed { sql: query.sql.to_owned(), error })
        })
    };
    queries.iter().map(start).collect()
}

/// Something that is sent when it is first polled.
type Work<'w, T> = Pin<Box<dyn Future<Output = Result<T, Failed>> + 'w>>;

/// Begins all of it in this order, and waits for all.
async fn in_order<T>(mut all: Vec<Work<'_, T>>) -> Vec<Result<T, Failed>> {
    let mut done: Vec<Option<Result<T, Failed>>> = all.iter().map(|_work| None).collect();
    poll_fn(|context| {
        for (work, result) in all.iter_mut().zip(&mut done).filter(|(_, result)| result.is_none()) {
            if let Poll::Ready(ready) = work.as_mut().poll(context) {
                *result = Some(ready);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
