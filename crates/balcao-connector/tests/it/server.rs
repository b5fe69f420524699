//! A server that says exactly what a test wants, byte by byte, and remembers what it was asked. And a clock that a test turns.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Duration,
};

use async_trait::async_trait;
use balcao_connector::{Account, Clock, Connection, Egress, HttpCommand, Operation, Settings};
use balcao_testkit::wait;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// What is said.
pub(crate) enum Say {
    /// These bytes, and the connection closes.
    Bytes(Vec<u8>),
    /// These bytes, and then one more each time that a drop falls.
    Drip(Vec<u8>, Arc<Drops>),
    /// Nothing until the client leaves.
    Silence,
}

/// Drops of an answer: one falls when a test says so, and is told of when it fell.
pub(crate) struct Drops {
    falls: Mutex<Receiver<()>>,
    fell: Sender<()>,
}

impl Drops {
    pub(crate) fn new() -> (Arc<Self>, Sender<()>, Arc<Mutex<Receiver<()>>>) {
        let ((fall, falls), (fell, is_fallen)) = (channel(), channel());
        (Arc::new(Self { falls: Mutex::new(falls), fell }), fall, Arc::new(Mutex::new(is_fallen)))
    }
}

pub(crate) fn json_answer(status: u16, headers: &str, body: &Value) -> Say {
    answer(status, &format!("content-type: application/json\r\n{headers}"), body.to_string().as_bytes())
}

pub(crate) fn answer(status: u16, headers: &str, body: &[u8]) -> Say {
    let head =
        format!("HTTP/1.1 {status} Told\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    Say::Bytes([head.as_bytes(), body].concat())
}

/// Runs for the length of the test.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// `say` decides each answer; it is told how many requests came before.
    pub(crate) fn start(say: impl Fn(&Asked, usize) -> Say + Send + Sync + 'static) -> Self {
        Self::on([127, 0, 0, 1], say)
    }

    pub(crate) fn on(ip: [u8; 4], say: impl Fn(&Asked, usize) -> Say + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(SocketAddr::from((ip, 0))).unwrap();
        Self::listening(listener, say)
    }

    pub(crate) fn listening(listener: TcpListener, say: impl Fn(&Asked, usize) -> Say + Send + Sync + 'static) -> Self {
        let server = Self { address: listener.local_addr().unwrap(), asked: Arc::default() };
        let (asked, say) = (Arc::clone(&server.asked), Arc::new(say));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (asked, say) = (Arc::clone(&asked), Arc::clone(&say));
                thread::spawn(move || serve(stream, &asked, say.as_ref()));
            }
        });
        server
    }

    /// Waits, where it is called, until it is asked.
    pub(crate) fn is_asked(&self) -> impl FnOnce() + Send + 'static {
        let asked = Arc::clone(&self.asked);
        move || wait::until("the server is asked", || (!asked.lock().unwrap().is_empty()).then_some(()))
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn serve(mut stream: TcpStream, asked: &Mutex<Vec<Asked>>, say: &dyn Fn(&Asked, usize) -> Say) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let request = read(&mut reader)?;
    let before = {
        let mut asked = asked.lock().ok()?;
        asked.push(request.clone());
        asked.len() - 1
    };
    match say(&request, before) {
        Say::Bytes(bytes) => stream.write_all(&bytes).ok()?,
        Say::Drip(bytes, drops) => {
            stream.write_all(&bytes).ok()?;
            while drops.falls.lock().ok()?.recv().is_ok() {
                // Also where the client has left.
                drop(stream.write_all(b" "));
                drops.fell.send(()).ok()?;
            }
        }
        Say::Silence => drop(reader.read_to_end(&mut Vec::new())),
    }
    Some(())
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { method, target, headers, body })
}

/// Time that passes only when somebody waits.
#[derive(Debug, Default)]
pub(crate) struct TestClock {
    elapsed: Mutex<Duration>,
    waits: Mutex<Vec<Duration>>,
}

impl TestClock {
    pub(crate) fn turn(&self, by: Duration) {
        *self.elapsed.lock().unwrap() += by;
    }

    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waits.lock().unwrap().clone()
    }
}

#[async_trait]
impl Clock for TestClock {
    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap()
    }

    fn now(&self) -> Timestamp {
        "2026-11-22T10:00:00Z".parse::<Timestamp>().unwrap() + self.elapsed()
    }

    async fn sleep(&self, wait: Duration) {
        *self.elapsed.lock().unwrap() += wait;
        self.waits.lock().unwrap().push(wait);
    }
}

pub(crate) const TOKEN: &str = "pk_4410021_SECRETSECRETSECRET";

/// What lets a test reach this machine, and nothing else.
pub(crate) fn local() -> Egress {
    Egress { allow: vec!["127.0.0.1/32".parse().unwrap()], plain_http: true, ..Egress::default() }
}

pub(crate) fn settings() -> Settings {
    Settings::new().secret("token", TOKEN)
}

/// An account at that server. `more` goes into the connection.
pub(crate) fn account(server: &Server, more: Value) -> (Account, Arc<TestClock>) {
    let mut connection = json!({
        "base_url": server.url(),
        "auth": { "header": { "name": "Authorization", "value": "{settings.token}" } },
        "errors": { "code": "/ECODE", "message": "/err" },
    });
    connection.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let clock = Arc::new(TestClock::default());
    let connection = Connection::read(&connection).unwrap();
    let account = Account::open(&connection, settings(), &local(), clock.clone(), None, 7).unwrap();
    (account, clock)
}

/// A command whose arguments are `id`, `name` and `items`.
pub(crate) fn operation(command: Value) -> Operation {
    let schema = json!({ "required": ["id", "items"], "properties": { "id": {}, "name": {}, "items": {} } });
    HttpCommand::read(&command).unwrap().compile(&schema).unwrap()
}

pub(crate) fn arguments(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}
