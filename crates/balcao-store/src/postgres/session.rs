//! One connection, and the transaction that runs on it.

use std::collections::{BTreeSet, HashMap};
use std::future::poll_fn;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Row, Statement};

use super::address::Address;
use super::bind::{dollars, kind};
use super::listen::CHANNEL;
use crate::cause::PostgresCause;
use crate::error::StoreError;
use crate::hint::Hint;
use crate::value::Value;

/// How many prepared statements a connection keeps: more than the program has.
const STATEMENTS: usize = 1024;

/// The oldest server version that is tested, as `server_version_num` counts.
const OLDEST: i64 = 150_000;

/// A server that does not answer for so long is not there: it ends statements itself a second earlier.
const DEADLINE: Duration = Duration::from_secs(7);

/// What the server is told to end statements at.
pub(crate) const LONGEST_STATEMENT: Duration = Duration::from_secs(6);

/// The same for a connection that is made.
const CONNECT: Duration = Duration::from_secs(4);

/// The same for a migration.
const PATIENCE: Duration = Duration::from_hours(6);

/// Whose rows a statement sees (row-level security; the migration of that name).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tenant {
    Nobody,
    One(i64),
    Everybody,
}

impl Tenant {
    /// The setting that the policies read; it ends with the transaction, or with the savepoint that is undone.
    fn set(self) -> String {
        let value = match self {
            Self::Nobody => String::new(),
            Self::One(id) => id.to_string(),
            Self::Everybody => "*".to_owned(),
        };
        format!("SET LOCAL balcao.organization = '{value}'")
    }
}

/// A connection with its prepared statements.
pub(crate) struct Session {
    /// The connection lives on it, while something is waited for.
    runtime: Runtime,
    client: Client,
    statements: HashMap<String, Statement>,
    /// Why the transaction cannot go on. PostgreSQL refuses every statement after one that failed, and turns `COMMIT` into
    /// `ROLLBACK` without calling it an error: so it is remembered here.
    broken: Option<StoreError>,
    /// Whose rows are seen now; `None`: that is not known.
    tenant: Option<Tenant>,
    /// Whether the next statement may see everybody's.
    across: bool,
    /// Savepoints to be made and let go of, which the next statement takes along: each alone would be a round trip.
    marks: String,
    /// What others are told of by the commit.
    hints: BTreeSet<Hint>,
    deadline: Duration,
    /// The server did not answer in time: whatever it says now belongs to something that was given up.
    given_up: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("broken", &self.broken).finish_non_exhaustive()
    }
}

impl Session {
    /// Connects, and reads back what correctness rests on.
    pub(crate) fn connect(address: &Address, lock_timeout: Duration) -> Result<Self, StoreError> {
        let cannot = |cause: PostgresCause| StoreError::CannotConnect {
            place: address.place.clone(),
            source: std::sync::Arc::new(cause.into()),
        };
        // Whoever is awake sees an answer only when the runtime asks the system for one: after every step.
        let runtime = Builder::new_current_thread().enable_all().event_interval(1).build();
        let runtime = runtime.map_err(|error| cannot(PostgresCause { code: None, message: error.to_string() }))?;
        let connected = runtime.block_on(async { tokio::time::timeout(CONNECT, address.connect()).await });
        let client = connected.map_err(|_late| cannot(late()))?.map_err(|error| cannot(PostgresCause::of(&error)))?;
        let mut session = Self {
            runtime,
            client,
            statements: HashMap::new(),
            broken: None,
            tenant: None,
            across: false,
            marks: String::new(),
            hints: BTreeSet::new(),
            deadline: DEADLINE,
            given_up: false,
        };
        session.check("server_version_num", |version| version.parse::<i64>().is_ok_and(|it| it >= OLDEST), "15")?;
        session.check("server_encoding", |encoding| encoding == "UTF8", "UTF8")?;
        // A program that hangs in a transaction holds the write lock: the server ends it, and the others go on.
        session.control(&format!(
            "SET client_min_messages = warning; SET lock_timeout = {}; SET statement_timeout = {};
             SET idle_in_transaction_session_timeout = '15s'",
            lock_timeout.as_millis(),
            LONGEST_STATEMENT.as_millis()
        ))?;
        let durable = |found: &str| found != "off";
        if session.check("synchronous_commit", durable, "on").is_err() {
            session.control("SET synchronous_commit = on")?;
            session.check("synchronous_commit", durable, "on")?;
        }
        Ok(session)
    }

    fn check(&mut self, name: &'static str, accept: impl FnOnce(&str) -> bool, wanted: &str) -> Result<(), StoreError> {
        let rows = self.rows(&format!("SELECT current_setting('{name}')"), &[])?;
        let found: String = rows.first().and_then(|row| row.try_get(0).ok()).unwrap_or_default();
        let refused = || StoreError::Setting { name, wanted: wanted.to_owned(), found: found.clone() };
        if accept(&found) { Ok(()) } else { Err(refused()) }
    }

    /// Runs statements that give nothing, in one round trip, after the savepoints that wait for one.
    pub(crate) fn control(&mut self, sql: &str) -> Result<(), StoreError> {
        self.usable()?;
        let batch = std::mem::take(&mut self.marks) + sql;
        let done = wait(&self.runtime, self.deadline, self.client.batch_execute(&batch));
        done.map_err(|trouble| self.fail(sql, &trouble))
    }

    /// Makes a savepoint or lets go of one: the server hears of it together with the next statement.
    pub(crate) fn mark(&mut self, sql: &str) -> Result<(), StoreError> {
        self.usable()?;
        self.marks.push_str(sql);
        self.marks.push_str("; ");
        Ok(())
    }

    /// Begins a transaction, in which nobody's rows are seen yet.
    pub(super) fn begin(&mut self, begin: &str) -> Result<(), StoreError> {
        (self.tenant, self.across, self.deadline) = (Some(Tenant::Nobody), false, DEADLINE);
        self.hints.clear();
        self.marks.clear();
        self.control(begin)
    }

    /// Begins one of several closures that share a transaction; it sees nothing of the one before.
    pub(super) fn savepoint(&mut self, name: &str) -> Result<(), StoreError> {
        self.across = false;
        self.mark(&format!("SAVEPOINT {name}"))?;
        if self.tenant != Some(Tenant::Nobody) {
            self.mark(&Tenant::Nobody.set())?;
        }
        self.tenant = Some(Tenant::Nobody);
        Ok(())
    }

    /// The next statement sees rows of every organization.
    pub(crate) const fn across_organizations(&mut self) {
        self.across = true;
    }

    /// Statements may take as long as they need, until the transaction ends, and see everything.
    pub(crate) fn be_patient(&mut self) -> Result<(), StoreError> {
        self.deadline = PATIENCE;
        self.control(&format!("SET LOCAL statement_timeout = 0; {}", Tenant::Everybody.set()))?;
        self.tenant = Some(Tenant::Everybody);
        Ok(())
    }

    /// Undoes to a savepoint: what failed after it is forgotten.
    pub(crate) fn roll_back_to(&mut self, savepoint: &str) -> Result<(), StoreError> {
        if self.is_closed() {
            return self.usable();
        }
        let sql = std::mem::take(&mut self.marks) + "ROLLBACK TO " + savepoint;
        self.tenant = None;
        let done = wait(&self.runtime, self.deadline, self.client.batch_execute(&sql));
        done.map_err(|trouble| self.fail(&sql, &trouble))?;
        self.broken = None;
        Ok(())
    }

    /// Undoes the transaction. If that fails, the connection is gone and the server undoes it.
    pub(super) fn roll_back(&mut self) {
        self.broken = None;
        self.marks.clear();
        if self.is_closed() {
            return;
        }
        if let Err(trouble) = wait(&self.runtime, self.deadline, self.client.batch_execute("ROLLBACK")) {
            let error = self.fail("ROLLBACK", &trouble);
            self.broken = None;
            tracing::warn!(%error, "a transaction was not rolled back");
        }
    }

    /// Others are told of this when the transaction is committed.
    pub(crate) fn hint(&mut self, hint: Hint) {
        self.hints.insert(hint);
    }

    /// Commits, and tells others of what there is to do, in `own` name. An error is one of three: refused, and nothing is changed; the transaction was broken before; unknown.
    pub(super) fn commit(&mut self, own: &str) -> Result<(), StoreError> {
        if let Some(broken) = self.broken.clone() {
            self.roll_back();
            return Err(broken);
        }
        let mut commit = std::mem::take(&mut self.marks);
        for hint in std::mem::take(&mut self.hints) {
            commit.push_str(&format!("NOTIFY {CHANNEL}, '{} {own}'; ", hint.as_str()));
        }
        commit.push_str("COMMIT");
        let done = wait(&self.runtime, self.deadline, self.client.batch_execute(&commit));
        let Err(trouble) = done else { return Ok(()) };
        let failure = self.fail("COMMIT", &trouble);
        self.broken = None;
        Err(if let StoreError::Disconnected { source } = failure {
            StoreError::CommitUnknown { source }
        } else {
            failure
        })
    }

    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize, StoreError> {
        let statement = self.prepare(sql, values)?;
        let (first, parameters) = (self.first(values), parameters(values));
        let run = self.client.execute(&statement, &parameters);
        let changed = wait(&self.runtime, self.deadline, after(&self.client, &first, run));
        let changed = changed.map_err(|trouble| self.fail(sql, &trouble))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    pub(crate) fn rows(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        let statement = self.prepare(sql, values)?;
        let (first, parameters) = (self.first(values), parameters(values));
        let run = self.client.query(&statement, &parameters);
        let rows = wait(&self.runtime, self.deadline, after(&self.client, &first, run));
        rows.map_err(|trouble| self.fail(sql, &trouble))
    }

    /// What goes before a statement with these values, in the same round trip.
    fn first(&mut self, values: &[Value<'_>]) -> String {
        std::mem::take(&mut self.marks) + &self.admit(values).unwrap_or_default()
    }

    /// What must be set so that a statement with these values sees whose rows it is for: those of the organization among them,
    /// else, if it asked for that, everybody's; else those of the statement before, unless those were everybody's.
    fn admit(&mut self, values: &[Value<'_>]) -> Option<String> {
        let across = std::mem::take(&mut self.across);
        let named = values.iter().find_map(|value| match value {
            Value::Organization(id) => Some(Tenant::One(*id)),
            Value::Null | Value::Integer(_) | Value::Real(_) | Value::Text(_) | Value::Bytes(_) => None,
        });
        let wanted = named.unwrap_or(match self.tenant {
            _ if across || self.deadline == PATIENCE => Tenant::Everybody,
            Some(Tenant::One(id)) => Tenant::One(id),
            Some(Tenant::Nobody | Tenant::Everybody) | None => Tenant::Nobody,
        });
        if self.tenant == Some(wanted) {
            return None;
        }
        self.tenant = Some(wanted);
        Some(wanted.set())
    }

    /// Why the transaction cannot be kept, if it cannot.
    pub(super) const fn broken(&self) -> Option<&StoreError> {
        self.broken.as_ref()
    }

    /// Whether the connection is gone, be it that the client has not noticed yet.
    pub(super) fn is_lost(&self) -> bool {
        self.is_closed() || matches!(self.broken, Some(StoreError::Disconnected { .. }))
    }

    pub(super) fn is_closed(&self) -> bool {
        self.given_up || self.client.is_closed()
    }

    fn prepare(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Statement, StoreError> {
        self.usable()?;
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        // A statement that cannot be prepared breaks the transaction: what it is undone to must be there.
        if !self.marks.is_empty() {
            self.control("")?;
        }
        let kinds: Vec<Type> = values.iter().map(kind).collect();
        let text = dollars(sql);
        let statement = wait(&self.runtime, self.deadline, self.client.prepare_typed(&text, &kinds));
        let statement = statement.map_err(|trouble| self.fail(sql, &trouble))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn usable(&self) -> Result<(), StoreError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn fail(&mut self, sql: &str, trouble: &Trouble) -> StoreError {
        let error = match trouble {
            Trouble::Late => {
                self.given_up = true;
                StoreError::Disconnected { source: std::sync::Arc::new(late().into()) }
            }
            Trouble::Said(error) => {
                // A migration of another program changed what a prepared statement gives, or a pooler gave us another session.
                let stale = [&SqlState::FEATURE_NOT_SUPPORTED, &SqlState::INVALID_SQL_STATEMENT_NAME];
                if error.code().is_some_and(|code| stale.contains(&code)) {
                    self.statements.clear();
                }
                StoreError::of_postgres(sql, error, self.client.is_closed())
            }
        };
        self.broken.get_or_insert(error).clone()
    }
}

/// How long a thread looks for an answer before it goes to sleep over it.
///
/// A server on the same machine answers most statements sooner than a sleeping thread is woken, and a writer that waits holds the lock
/// that all others wait for: turns and webhooks came to a third more (docs/PERFORMANCE.md). A longer wait, such as one for the lock or
/// for a server far away, costs no more than this.
const AWAKE: Duration = Duration::from_micros(200);

/// Why something has no answer.
enum Trouble {
    Late,
    Said(tokio_postgres::Error),
}

fn late() -> PostgresCause {
    PostgresCause { code: None, message: "no answer in time".to_owned() }
}

fn wait<T>(
    runtime: &Runtime,
    deadline: Duration,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Trouble> {
    match runtime.block_on(async { tokio::time::timeout(deadline, awake(work)).await }) {
        Ok(done) => done.map_err(Trouble::Said),
        Err(_elapsed) => Err(Trouble::Late),
    }
}

/// The same work, looked after for a while before the thread sleeps.
async fn awake<T>(work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    let began = Instant::now();
    while began.elapsed() < AWAKE {
        let looked = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
        if let Poll::Ready(done) = looked {
            return done;
        }
        tokio::task::yield_now().await;
    }
    work.await
}

/// Sends savepoints and settings and, without waiting for their answer, what needs them.
async fn after<T>(
    client: &Client,
    first: &str,
    work: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, tokio_postgres::Error> {
    if first.is_empty() {
        return work.await;
    }
    let (first, done) = tokio::join!(client.batch_execute(first), work);
    // If both failed, the first says why.
    first.and(done)
}

fn parameters<'v>(values: &'v [Value<'_>]) -> Vec<&'v (dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| {
            let one: &(dyn ToSql + Sync) = value;
            one
        })
        .collect()
}
