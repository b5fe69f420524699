//! The built binary as a server, and requests to its API.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::balcao;

/// A server that runs. It is killed when it is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: String,
}

impl Running {
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = balcao(folder);
        command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("it says {line}"));
        Self { address: address.to_owned(), child }
    }

    /// As `kill -9`.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A call of the API.
pub(crate) fn ask(server: &Running, method: &str, path: &str, key: &str, body: Option<&Value>) -> (u16, Value) {
    try_ask(&server.address, method, path, key, None, body).unwrap()
}

/// A call of the API; `None` if no answer came.
pub(crate) fn try_ask(
    address: &str,
    method: &str,
    path: &str,
    key: &str,
    name: Option<&str>,
    body: Option<&Value>,
) -> Option<(u16, Value)> {
    let body = body.map(ToString::to_string).unwrap_or_default();
    let name = name.map(|name| format!("idempotency-key: {name}\r\n")).unwrap_or_default();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {key}\r\n{name}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, serde_json::from_str(body).ok()?))
}
