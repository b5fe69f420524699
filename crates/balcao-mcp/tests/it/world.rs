//! A folder that the test server lives in, and a clock that a test turns.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use balcao_connector::{Clock, Egress, Settings};
use balcao_mcp::{CallError, Connection, FilePins, Permitted, Reach, Server};
use balcao_testkit::wait;
use balcao_tool::{EffectKey, Locale, Principal, ToolContext};
use jiff::Timestamp;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a call may take: long, since machines are slow. Where a test waits for its end, virtual time passes.
pub(crate) const LONG: Duration = Duration::from_secs(100);

/// Stands until it is turned.
#[derive(Debug, Default)]
pub(crate) struct TestClock(Mutex<Duration>);

impl TestClock {
    pub(crate) fn turn(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

#[async_trait]
impl Clock for TestClock {
    fn elapsed(&self) -> Duration {
        *self.0.lock().unwrap()
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    async fn sleep(&self, wait: Duration) {
        self.turn(wait);
    }
}

pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) clock: Arc<TestClock>,
}

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-test-server");

impl World {
    /// A server with these tools.
    pub(crate) fn new(tools: &[&str]) -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap(), clock: Arc::default() };
        world.tools(&tools.iter().map(|name| tool(name)).collect::<Vec<_>>());
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn modes(&self, modes: &str) {
        fs::write(self.path("modes"), modes).unwrap();
    }

    pub(crate) fn tools(&self, tools: &[Value]) {
        fs::write(self.path("tools"), Value::from(tools).to_string()).unwrap();
    }

    pub(crate) fn connection(&self, more: Value) -> Value {
        let mut connection = json!({"command": PROGRAM, "args": [self.folder.path()], "start_timeout_ms": 100_000});
        connection.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        connection
    }

    pub(crate) fn pins(&self) -> Arc<FilePins> {
        Arc::new(FilePins::new(self.folder.path().join("mcp.lock")))
    }

    pub(crate) fn server(&self, more: Value) -> Arc<Server> {
        let connection = Connection::read(&self.connection(more)).unwrap();
        let settings = Settings::new().secret("token", "sk-secret-1234567890");
        let reach = reach().starting(&connection);
        Arc::new(Server::open(&connection, settings, &reach, self.clock.clone(), self.pins()).unwrap())
    }

    /// A server all of whose tools were accepted.
    pub(crate) async fn accepted(&self, more: Value) -> Arc<Server> {
        let server = self.server(more);
        let reviewed = server.review().await.unwrap();
        server.accept(&reviewed).await.unwrap();
        server
    }

    pub(crate) fn log(&self) -> Vec<String> {
        fs::read_to_string(self.path("log")).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    pub(crate) fn logged(&self, beginning: &str) -> usize {
        self.log().iter().filter(|line| line.starts_with(beginning)).count()
    }

    /// Waits, where it is called, until the server has noted this.
    pub(crate) fn notes(&self, beginning: &'static str) -> impl FnOnce() + Send + 'static {
        let path = self.path("log");
        let found =
            move || fs::read_to_string(&path).ok()?.lines().any(|line| line.starts_with(beginning)).then_some(());
        move || wait::until(beginning, found)
    }

    /// Where servers wait from now on, until this is dropped: before they start (`start`), or before they look at their tools (`hold`).
    pub(crate) fn gate(&self, name: &str) -> Gate {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let file = self.path(name);
        write(&file, &listener.local_addr().unwrap().to_string());
        Gate { file, listener: Arc::new(listener), waiting: Arc::default() }
    }
}

/// A place where servers wait.
pub(crate) struct Gate {
    file: PathBuf,
    listener: Arc<TcpListener>,
    waiting: Arc<Mutex<Vec<TcpStream>>>,
}

impl Gate {
    /// Waits, where it is called, until a server waits.
    pub(crate) fn is_reached(&self) -> impl FnOnce() + Send + 'static {
        let (listener, waiting) = (Arc::clone(&self.listener), Arc::clone(&self.waiting));
        move || {
            let (server, _) = wait::until("a server waits", || listener.accept().ok());
            waiting.lock().unwrap().push(server);
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // First nobody comes any more, and then all are let go, who closing the connections tells.
        fs::remove_file(&self.file).unwrap();
        self.waiting.lock().unwrap().clear();
    }
}

pub(crate) fn reach() -> Reach {
    let egress = Egress { allow: vec!["127.0.0.0/8".parse().unwrap()], plain_http: true, ..Egress::default() };
    Reach { egress, programs: Vec::new() }
}

/// A reach that permits the program that a connection names.
pub(crate) trait Starting {
    fn starting(self, connection: &Connection) -> Self;
}

impl Starting for Reach {
    fn starting(mut self, connection: &Connection) -> Self {
        let args = connection.args.clone();
        self.programs.extend(connection.command.clone().map(|command| Permitted { command, args }));
        self
    }
}

pub(crate) fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}})
}

/// A call without arguments.
pub(crate) async fn call(server: &Server, tool: &str) -> Result<Value, CallError> {
    server.call(tool, serde_json::Map::new(), LONG).await
}

/// A call of a tool that never answers: time stands until it has `begun`, and jumps from there on.
pub(crate) async fn call_in_vain(server: &Server, tool: &str, begun: impl FnOnce() + Send + 'static) -> CallError {
    wait::stand_until(begun);
    call(server, tool).await.unwrap_err()
}

pub(crate) fn context() -> ToolContext {
    let principal =
        Principal { organization: 1, contact: 2, conversation: 3, turn: 4, staff_facing: true, locale: Locale::En };
    let now = "2026-11-23T09:00[America/Sao_Paulo]".parse().unwrap();
    ToolContext {
        principal,
        key: EffectKey::derive(4, 1, 0, "t", "h"),
        args_hash: "h".to_owned(),
        now,
        agreed: None,
        told_prices: Vec::new(),
    }
}

pub(crate) fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
}
