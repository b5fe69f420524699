//! HTTP/1.1 as far as fakes need it: a thread for each connection.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// What was asked.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) method: String,
    /// With the query.
    pub(super) target: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(super) enum Reply {
    /// Status, type, body.
    Whole(u16, String, Vec<u8>),
    /// Status, further headers, a body of JSON.
    Json(u16, Vec<(String, String)>, Vec<u8>),
    /// The head and half of the body, and then the connection closes.
    Cut(u16, String, Vec<u8>),
    /// The head without a length, and a body that never ends.
    Endless(String),
    /// The connection closes without a word.
    Nothing,
    /// No word, until the client leaves.
    Silence,
}

/// Runs until it is dropped.
#[derive(Debug)]
pub(super) struct Server {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
}

impl Server {
    /// Starts on a free port; `answer` decides each request, on the thread of its connection.
    pub(super) fn start(answer: impl Fn(Request) -> Reply + Send + Sync + 'static) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let stopping = Arc::new(AtomicBool::new(false));
        let (stopped, answer) = (Arc::clone(&stopping), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), answer) = (stream, Arc::clone(&answer)) else { continue };
                // A client that leaves early has its reasons.
                thread::spawn(move || serve(stream, &*answer).ok());
            }
        });
        Ok(Self { address, stopping })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for the next connection.
        let _ = TcpStream::connect(self.address);
    }
}

/// Serves one connection, which the client may use again and again.
fn serve(mut stream: TcpStream, answer: &dyn Fn(Request) -> Reply) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some(request) = read(&mut reader)? {
        match answer(request) {
            Reply::Whole(status, kind, body) => write(&mut stream, status, &kind, body.len(), &body)?,
            Reply::Json(status, headers, body) => {
                let further = headers.iter().map(|(name, value)| format!("\r\n{name}: {value}"));
                let kind = format!("application/json; charset=utf-8{}", further.collect::<String>());
                write(&mut stream, status, &kind, body.len(), &body)?;
            }
            Reply::Cut(status, kind, body) => {
                return write(&mut stream, status, &kind, body.len(), body.get(..body.len() / 2).unwrap_or_default());
            }
            Reply::Endless(kind) => {
                stream.write_all(format!("HTTP/1.1 200 Told\r\ncontent-type: {kind}\r\n\r\n").as_bytes())?;
                // Until the client has had enough.
                loop {
                    stream.write_all(&[0x41; 4_096])?;
                }
            }
            Reply::Nothing => return Ok(()),
            Reply::Silence => return reader.read_to_end(&mut Vec::new()).map(|_read| ()),
        }
    }
    Ok(())
}

fn read(reader: &mut BufReader<TcpStream>) -> std::io::Result<Option<Request>> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    Ok(Some(Request { method, target, headers, body }))
}

fn write(stream: &mut TcpStream, status: u16, kind: &str, length: usize, body: &[u8]) -> std::io::Result<()> {
    // One write sends head and body, because a client that knows the length may leave once it has the body.
    let mut whole =
        format!("HTTP/1.1 {status} Told\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n").into_bytes();
    whole.extend_from_slice(body);
    stream.write_all(&whole)
}

/// A part of an address or of a form, with its escapes resolved.
pub(super) fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).unwrap_or(b'?')
            }
            other => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
