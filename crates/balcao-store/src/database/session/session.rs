//! One connection, and the transaction that runs on it.

use super::tenant::Tenant;
use std::collections::{BTreeSet, HashMap};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row, Statement};

use super::CHANNEL;
use super::address::Address;
use super::bind::{dollars, kind};
use super::deferred::{Failed, Query, Waiting};
use super::read_cache::{Known, only_reads};
use crate::database::driver_error::PostgresCause;
use crate::database::error::StoreError;
use crate::database::limits::LONGEST_STATEMENT;
use crate::database::value::Value;
use crate::database::wakeup::Wakeup;

/// How many prepared statements a connection keeps: more than the program has.
const STATEMENTS: usize = 1024;

/// The oldest server version that is tested, as `server_version_num` counts.
const OLDEST: i64 = 150_000;

/// A server that does not answer for so long is not there: it ends statements itself a second earlier.
const DEADLINE: Duration = Duration::from_secs(7);

/// The server's setting for how long a session may hold a transaction in which nothing happens.
const IDLE_IN_TRANSACTION: &str = "idle_in_transaction_session_timeout";

/// The timeout for opening a connection.
const CONNECT: Duration = Duration::from_secs(4);

/// The same for a migration.
const PATIENCE: Duration = Duration::from_hours(6);

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
    /// What the next statement takes along: savepoints to open and to release, the tenant whose rows are visible, and writes whose answer
    /// the caller does not need.
    waiting: Waiting,
    /// How many savepoints had a name of their own in the transaction.
    savepoints: u64,
    /// What was read and has not changed since.
    known: Known,
    /// The wake-ups that the commit sends to other processes.
    hints: BTreeSet<Wakeup>,
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
        // The runtime polls the socket after every step. Otherwise a busy task would see an answer of the server late.
        let runtime = Builder::new_current_thread().enable_all().event_interval(1).build();
        let runtime = runtime.map_err(|error| cannot(PostgresCause { code: None, message: error.to_string() }))?;
        let connected = runtime.block_on(async { tokio::time::timeout(CONNECT, address.connect()).await });
        let client =
            connected.map_err(|_late| cannot(late()))?.map_err(|error| cannot(PostgresCause::from_error(&error)))?;
        let mut session = Self {
            runtime,
            client,
            statements: HashMap::new(),
            broken: None,
            tenant: None,
            across: false,
            waiting: Waiting::default(),
            savepoints: 0,
            known: Known::default(),
            hints: BTreeSet::new(),
            deadline: DEADLINE,
            given_up: false,
        };
        session.check("server_version_num", |version| version.parse::<i64>().is_ok_and(|it| it >= OLDEST), "15")?;
        session.check("server_encoding", |encoding| encoding == "UTF8", "UTF8")?;
        session.control(&format!(
            "SET client_min_messages = warning; SET lock_timeout = {}; SET statement_timeout = {}",
            lock_timeout.as_millis(),
            LONGEST_STATEMENT.as_millis()
        ))?;
        // A program that hangs in a transaction holds the write lock: the server ends it, and the others go on.
        if !address.sets(IDLE_IN_TRANSACTION) {
            session.control(&format!("SET {IDLE_IN_TRANSACTION} = '15s'"))?;
        }
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

    /// Runs statements that give nothing, in one round trip, after what waits for one.
    pub(crate) fn control(&mut self, sql: &str) -> Result<(), StoreError> {
        self.usable()?;
        self.known.forget();
        self.waiting.control(sql);
        self.settle()
    }

    /// Makes a savepoint or lets go of one: the server hears of it together with the next statement.
    pub(crate) fn mark(&mut self, sql: &str) -> Result<(), StoreError> {
        self.usable()?;
        self.waiting.control(sql);
        Ok(())
    }

    /// Sends what waits, and learns whether it could be done.
    pub(crate) fn settle(&mut self) -> Result<(), StoreError> {
        self.usable()?;
        if self.waiting.is_empty() {
            return Ok(());
        }
        let waiting = std::mem::take(&mut self.waiting);
        let done = wait(&self.runtime, self.deadline, waiting.alone(&self.client));
        done.map_err(|trouble| self.fail(&trouble))
    }

    /// Begins a transaction in which row security hides all rows until a tenant is set.
    pub(crate) fn begin(&mut self, begin: &str) -> Result<(), StoreError> {
        (self.tenant, self.across, self.deadline) = (Some(Tenant::Nobody), false, DEADLINE);
        self.hints.clear();
        self.waiting.clear();
        self.savepoints = 0;
        self.control(begin)
    }

    /// Begins one of several closures that share a transaction; it sees nothing of the one before.
    pub(crate) fn savepoint(&mut self, name: &str) -> Result<(), StoreError> {
        self.across = false;
        self.mark(&format!("SAVEPOINT {name}"))?;
        if self.tenant != Some(Tenant::Nobody) {
            self.mark(&Tenant::Nobody.set())?;
        }
        self.tenant = Some(Tenant::Nobody);
        Ok(())
    }

    /// A name that no savepoint of the transaction had: where one cannot be made, none that is older must be taken for it, be it around
    /// it or before it and not let go of yet.
    pub(crate) fn new_savepoint(&mut self) -> String {
        self.savepoints += 1;
        format!("attempt_{}", self.savepoints)
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

    /// Undoes to a savepoint, whose name no other has that may still be there: what failed after it is forgotten.
    pub(crate) fn roll_back_to(&mut self, savepoint: &str) -> Result<(), StoreError> {
        if self.is_closed() {
            return self.usable();
        }
        self.tenant = None;
        self.known.forget();
        let (waiting, sql) = (std::mem::take(&mut self.waiting), format!("ROLLBACK TO {savepoint}"));
        let done = wait(&self.runtime, self.deadline, waiting.undone(&self.client, &sql));
        done.map_err(|trouble| self.fail(&trouble))?;
        self.broken = None;
        Ok(())
    }

    /// Undoes the transaction. If that fails, the connection is gone and the server undoes it.
    pub(crate) fn roll_back(&mut self) {
        self.broken = None;
        self.waiting.clear();
        if self.is_closed() {
            return;
        }
        if let Err(error) = self.control("ROLLBACK") {
            self.broken = None;
            tracing::warn!(%error, "a transaction was not rolled back");
        }
    }

    /// Adds a wake-up that the commit sends to other processes.
    pub(crate) fn hint(&mut self, hint: Wakeup) {
        self.hints.insert(hint);
    }

    /// Commits, and tells others of what there is to do, in `own` name. An error is one of three: refused, and nothing is changed; the transaction was broken before; unknown.
    pub(crate) fn commit(&mut self, own: &str) -> Result<(), StoreError> {
        if let Some(broken) = self.broken.clone() {
            self.roll_back();
            return Err(broken);
        }
        for hint in std::mem::take(&mut self.hints) {
            self.waiting.control(&format!("NOTIFY {CHANNEL}, '{} {own}'", hint.as_str()));
        }
        let Err(failure) = self.control("COMMIT") else { return Ok(()) };
        if let StoreError::Disconnected { source } = failure {
            self.broken = None;
            return Err(StoreError::CommitUnknown { source });
        }
        // After a write that waited and failed, the commit is a rollback, or was not reached: the transaction must not go on, with its lock.
        self.roll_back();
        Err(failure)
    }

    pub(crate) fn execute(&mut self, sql: &str, values: &[Value<'_>]) -> Result<usize, StoreError> {
        let statement = self.prepare(sql, values)?;
        self.admit(values);
        self.known.forget();
        let waiting = std::mem::take(&mut self.waiting);
        let run = waiting.before_write(&self.client, &statement, sql, values);
        let changed = wait(&self.runtime, self.deadline, run).map_err(|trouble| self.fail(&trouble))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    /// Defers a write whose answer the caller does not need. It goes out with the next statement; if it fails, that statement and the
    /// transaction fail.
    pub(crate) fn defer(&mut self, sql: &str, values: &[Value<'_>]) -> Result<(), StoreError> {
        let statement = self.prepare(sql, values)?;
        self.admit(values);
        self.known.forget();
        if !self.waiting.write(&statement, sql, values) {
            return self.execute(sql, values).map(drop);
        }
        if self.waiting.is_full() { self.settle() } else { Ok(()) }
    }

    pub(crate) fn rows(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Arc<Vec<Row>>, StoreError> {
        let rows = self.ask(&[(sql, values)])?.pop();
        Ok(rows.unwrap_or_default())
    }

    /// Asks for what is going to be asked for, in one round trip: until the next write, [`Self::rows`] has it.
    pub(crate) fn read_ahead(&mut self, queries: &[(&str, &[Value<'_>])]) -> Result<(), StoreError> {
        self.ask(queries).map(drop)
    }

    /// The rows of queries, in their order, which are all for the same organization.
    fn ask(&mut self, queries: &[(&str, &[Value<'_>])]) -> Result<Vec<Arc<Vec<Row>>>, StoreError> {
        self.usable()?;
        let mut unknown = Vec::new();
        let mut found = Vec::with_capacity(queries.len());
        for (sql, values) in queries {
            self.admit(values);
            let known = self.known.rows(sql, values, self.tenant);
            if known.is_none() {
                let statement = self.prepare(sql, values)?;
                unknown.push(Query { statement, sql, values });
            }
            found.push(known);
        }
        if unknown.is_empty() {
            return Ok(found.into_iter().flatten().collect());
        }
        if unknown.iter().any(|query| !only_reads(query.sql)) {
            self.known.forget();
        }
        let waiting = std::mem::take(&mut self.waiting);
        let rows = wait(&self.runtime, self.deadline, waiting.before(&self.client, &unknown));
        let mut rows = rows.map_err(|trouble| self.fail(&trouble))?.into_iter().map(Arc::new);
        for (known, (sql, values)) in found.iter_mut().zip(queries).filter(|(known, _)| known.is_none()) {
            *known = rows.next();
            if let Some(rows) = known {
                self.known.insert(sql, values, self.tenant, rows);
            }
        }
        Ok(found.into_iter().flatten().collect())
    }

    /// Has that set which a statement with these values needs to see whose rows it is for: those of the organization among them,
    /// else, if it asked for that, everybody's; else those of the statement before, unless those were everybody's.
    fn admit(&mut self, values: &[Value<'_>]) {
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
        if self.tenant != Some(wanted) {
            self.tenant = Some(wanted);
            self.waiting.control(&wanted.set());
        }
    }

    /// Why the transaction cannot be kept, if it cannot.
    pub(crate) const fn broken(&self) -> Option<&StoreError> {
        self.broken.as_ref()
    }

    /// Whether the connection is gone, be it that the client has not noticed yet.
    pub(crate) fn is_lost(&self) -> bool {
        self.is_closed() || matches!(self.broken, Some(StoreError::Disconnected { .. }))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.given_up || self.client.is_closed()
    }

    fn prepare(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Statement, StoreError> {
        self.usable()?;
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        // A statement that cannot be prepared breaks the transaction: what it is undone to must be there.
        self.settle()?;
        let kinds: Vec<Type> = values.iter().map(kind).collect();
        let text = dollars(sql);
        let prepared = async {
            let prepared = self.client.prepare_typed(&text, &kinds).await;
            prepared.map_err(|error| Failed { sql: sql.to_owned(), error })
        };
        let statement = wait(&self.runtime, self.deadline, prepared).map_err(|trouble| self.fail(&trouble))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn usable(&self) -> Result<(), StoreError> {
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn fail(&mut self, trouble: &Trouble) -> StoreError {
        let error = match trouble {
            Trouble::Late => {
                self.given_up = true;
                StoreError::Disconnected { source: std::sync::Arc::new(late().into()) }
            }
            Trouble::Said(Failed { sql, error }) => {
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
    Said(Failed),
}

fn late() -> PostgresCause {
    PostgresCause { code: None, message: "no answer in time".to_owned() }
}

fn wait<T>(runtime: &Runtime, deadline: Duration, work: impl Future<Output = Result<T, Failed>>) -> Result<T, Trouble> {
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
