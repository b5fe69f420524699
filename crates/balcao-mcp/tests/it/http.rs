//! The same over streamable HTTP: a server of bytes, a thread for each connection.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use balcao_connector::{Outcome, Settings};
use balcao_mcp::{Connection, FailureKind, MemoryPins, Server};
use balcao_testkit::wait;
use serde_json::{Value, json};

use crate::{
    protocol::{About, Say, answer},
    world::{LONG, TestClock, call, call_in_vain, reach, tool},
};

/// A server of the protocol over HTTP. What it was asked is kept: the head, and the message.
pub(crate) struct HttpServer {
    pub(crate) address: SocketAddr,
    pub(crate) asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl HttpServer {
    pub(crate) fn start<A: About + Send + 'static>(about: A) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::<Mutex<Vec<_>>>::default());
        let (about, kept) = (Arc::new(Mutex::new(about)), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (about, kept) = (Arc::clone(&about), Arc::clone(&kept));
                thread::spawn(move || serve(stream, &about, &kept));
            }
        });
        Self { address, asked }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(crate) fn calls(&self) -> usize {
        calls(&self.asked)
    }

    /// Waits, where it is called, until there were so many calls in all.
    fn is_called(&self, times: usize) -> impl FnOnce() + Send + 'static {
        let asked = Arc::clone(&self.asked);
        move || wait::until("the call comes", || (calls(&asked) == times).then_some(()))
    }
}

fn calls(asked: &Mutex<Vec<(String, Value)>>) -> usize {
    asked.lock().unwrap().iter().filter(|(_, message)| message["method"] == json!("tools/call")).count()
}

/// One request; the connection closes behind it.
fn serve<A: About>(stream: TcpStream, about: &Mutex<A>, asked: &Mutex<Vec<(String, Value)>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let length =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    asked.lock().unwrap().push((head.clone(), message.clone()));
    let mut stream = stream;
    if !head.starts_with("POST") {
        return say(&mut stream, "405 Method Not Allowed", "", b"");
    }
    if message["params"]["name"] == "ask_without_end" {
        return ask_without_end(&mut stream);
    }
    if message.get("id").is_some() && message.get("method").is_none() {
        // An answer to one of our questions, which is never taken.
        return stream.read_to_end(&mut Vec::new()).ok().map(drop);
    }
    let said = answer(&mut *about.lock().unwrap(), &message);
    if message.get("id").is_none() {
        return say(&mut stream, "202 Accepted", "", b"");
    }
    match said.into_iter().next()? {
        Say::Line(line) if message["params"]["name"].as_str().is_some_and(|tool| tool.contains("event")) => {
            // A comment and an event without data come before it, as from servers that keep a stream open.
            let asks = message["params"]["name"] == "asking_event";
            let question =
                if asks { "data: {\"jsonrpc\": \"2.0\", \"id\": \"q\", \"method\": \"ping\"}\n\n" } else { "" };
            let body = format!(": hello\n\nid: 1\nretry: 10\n\n{question}event: message\r\ndata: {line}\r\n\r\n");
            say(&mut stream, "200 OK", "content-type: text/event-stream\r\n", body.as_bytes())
        }
        Say::Line(line) => {
            say(&mut stream, "200 OK", "content-type: application/json\r\n", line.to_string().as_bytes())
        }
        Say::Raw(bytes) => stream.write_all(&bytes).ok(),
        // Until the client leaves.
        Say::Hang => stream.read_to_end(&mut Vec::new()).ok().map(drop),
        Say::Die => None,
    }
}

/// Asks, as events, until the client leaves.
fn ask_without_end(stream: &mut TcpStream) -> Option<()> {
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n").ok()?;
    for id in 0_u64.. {
        let question = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
        stream.write_all(format!("data: {question}\n\n").as_bytes()).ok()?;
    }
    None
}

fn say(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) -> Option<()> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat()).ok()
}

pub(crate) async fn accepted(url: &str, auth: Value) -> Result<Arc<Server>, String> {
    let connection = Connection::read(&json!({"url": url, "auth": auth, "start_timeout_ms": 100_000})).unwrap();
    let settings = Settings::new().secret("token", "sk-secret-1234567890");
    let (clock, pins) = (Arc::<TestClock>::default(), Arc::<MemoryPins>::default());
    let server = Server::open(&connection, settings, &reach(), clock, pins);
    let server = Arc::new(server.map_err(|problems| format!("{problems:?}"))?);
    let reviewed = server.review().await.map_err(|error| error.for_staff())?;
    server.accept(&reviewed).await.map_err(|error| error.for_staff())?;
    Ok(server)
}

const TOOLS: [&str; 15] = [
    "echo",
    "hang",
    "die",
    "huge",
    "html",
    "redirect",
    "many",
    "event",
    "event_of_many",
    "huge_event",
    "busy",
    "told",
    "keyless",
    "ask_without_end",
    "asking_event",
];

struct Echo {
    modern: bool,
    agreeable: bool,
}

impl About for Echo {
    fn tools(&mut self) -> Vec<Value> {
        TOOLS.map(tool).to_vec()
    }

    fn modern(&self) -> bool {
        self.modern
    }

    fn agreeable(&self) -> bool {
        self.agreeable
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value, Vec<Say>> {
        let raw = |head: &str, body: &str| {
            let head = format!("HTTP/1.1 {head}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
            Err(vec![Say::Raw(format!("{head}{body}").into_bytes())])
        };
        let says = |said: Value| Ok(json!({"content": [], "structuredContent": {"said": said}}));
        let many = || Value::from(vec![0; balcao_json::MOST_VALUES]);
        match tool {
            "many" | "event_of_many" => says(many()),
            "event" | "asking_event" => says("as an event".into()),
            "huge_event" => says("x".repeat(10 << 20).into()),
            "busy" => raw("503 Busy\r\ncontent-type: text/plain", "Come again"),
            "told" => {
                let error = r#"{"jsonrpc": "2.0", "id": null, "error": {"code": -32602, "message": "no such thing"}}"#;
                raw("400 Bad Request\r\ncontent-type: Application/JSON; charset=utf-8", error)
            }
            "keyless" => raw("401 Unauthorized\r\nwww-authenticate: Bearer", ""),
            "echo" => says(arguments.clone()),
            "hang" => Err(vec![Say::Hang]),
            "huge" => Ok(json!({"content": [{"type": "text", "text": "x".repeat(10 << 20)}]})),
            "html" => raw("200 OK\r\ncontent-type: text/html", "<h1>Log in</h1>"),
            "redirect" => raw("307 Elsewhere\r\nlocation: http://169.254.169.254/latest", ""),
            _ => Err(vec![Say::Die]),
        }
    }
}

#[tokio::test]
async fn over_http_the_token_goes_with_every_request_of_both_revisions() {
    for (modern, agreeable) in [(true, false), (false, false), (false, true)] {
        let http = HttpServer::start(Echo { modern, agreeable });
        let server = accepted(&http.url(), json!({"bearer": "{settings.token}"})).await.unwrap();
        assert_eq!(call(&server, "echo").await.unwrap()["structuredContent"], json!({"said": {}}));
        let asked = http.asked.lock().unwrap().clone();
        let proven = |head: &str| head.to_ascii_lowercase().contains("authorization: bearer sk-secret-1234567890\r\n");
        assert!(asked.iter().all(|(head, _)| proven(head)), "{asked:#?}");
        let greeted = asked.iter().any(|(_, message)| message["method"] == json!("initialize"));
        assert_eq!(greeted, !modern);
    }
}

#[tokio::test]
async fn what_is_no_answer_over_http_leaves_the_outcome_unknown_and_is_not_sent_again() {
    let http = HttpServer::start(Echo { modern: false, agreeable: false });
    let server = accepted(&http.url(), Value::Null).await.unwrap();
    let lies = ["die", "huge", "html", "redirect", "many", "event_of_many", "huge_event", "busy"];
    for (before, tool) in lies.into_iter().enumerate() {
        let error = call(&server, tool).await.unwrap_err();
        assert_eq!(error.outcome, Outcome::Unknown, "{tool}: {}", error.for_staff());
        assert_eq!(http.calls(), before + 1, "{tool}");
    }
    let error = call_in_vain(&server, "hang", http.is_called(lies.len() + 1)).await;
    assert_eq!((error.kind, error.outcome), (FailureKind::Timeout, Outcome::Unknown));
}

#[tokio::test]
async fn a_server_that_asks_without_end_over_http_is_left() {
    let http = HttpServer::start(Echo { modern: false, agreeable: false });
    let server = accepted(&http.url(), Value::Null).await.unwrap();
    let error = call(&server, "ask_without_end").await.unwrap_err();
    assert_eq!(error.outcome, Outcome::Unknown, "{}", error.for_staff());
    assert_ne!(error.kind, FailureKind::Timeout, "{}", error.for_staff());
    let answers = |(_, message): &&(String, Value)| message.get("method").is_none() && message.get("id").is_some();
    assert!(http.asked.lock().unwrap().iter().filter(answers).count() <= 256);
    // It is not left for ever: what it asks in another answer is heard once it has taken a message.
    assert!(call(&server, "event").await.is_ok());
    let said = call(&server, "asking_event").await.unwrap_or_else(|error| panic!("{}", error.for_staff()));
    assert_eq!(said["structuredContent"], json!({"said": "as an event"}));
}

#[tokio::test]
async fn an_answer_over_http_may_be_an_event_or_a_refusal_in_words_of_the_protocol() {
    let http = HttpServer::start(Echo { modern: false, agreeable: false });
    let server = accepted(&http.url(), Value::Null).await.unwrap();
    assert_eq!(call(&server, "event").await.unwrap()["structuredContent"], json!({"said": "as an event"}));
    for (tool, kind) in [("told", FailureKind::Invalid), ("keyless", FailureKind::Unauthorized)] {
        let error = call(&server, tool).await.unwrap_err();
        assert_eq!((error.kind, error.outcome), (kind, Outcome::NotDone), "{tool}: {}", error.for_staff());
    }
    // A larger answer within the bounds is read.
    let many = json!({"said": vec![0; 1_000]});
    let said = server.call("echo", many.as_object().unwrap().clone(), LONG).await.unwrap();
    assert_eq!(said["structuredContent"], json!({"said": many}));
}

#[tokio::test]
async fn a_server_of_an_older_revision_may_refuse_the_newer_greeting_in_any_way() {
    struct Old(&'static str);
    impl About for Old {
        fn tools(&mut self) -> Vec<Value> {
            vec![tool("echo")]
        }

        fn refusal(&self) -> Option<String> {
            Some(format!("HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{{}}", self.0))
        }

        fn call(&mut self, _tool: &str, arguments: &Value) -> Result<Value, Vec<Say>> {
            Ok(json!({"content": [], "structuredContent": {"said": arguments}}))
        }
    }
    for refusal in ["400 Bad Request", "404 Not Found\r\ncontent-type: application/json", "405 Method Not Allowed"] {
        let http = HttpServer::start(Old(refusal));
        let server = accepted(&http.url(), Value::Null).await.unwrap();
        assert!(call(&server, "echo").await.is_ok(), "{refusal}");
    }
}

#[tokio::test]
async fn a_60_an_address_that_is_not_permitted_is_not_asked_whatever_leads_there() {
    for url in [
        "https://169.254.169.254/mcp",
        "http://10.0.0.1/mcp",
        "https://[fe80::1]/mcp",
        "file:///etc/passwd",
        "https://u:p@example.com",
    ] {
        let refused = accepted(url, Value::Null).await.unwrap_err();
        assert!(refused.contains("/url"), "{url}: {refused}");
    }
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = accepted(&format!("http://{nobody}/mcp"), Value::Null).await.unwrap_err();
    assert!(!refused.is_empty());
}
