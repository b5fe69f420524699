//! A vendor on 127.0.0.1 that answers with what it is given, in pieces of a given size.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use serde_json::Value;

/// How an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// As it should.
    Whole,
    /// The connection breaks in the middle of the body.
    Broken,
    /// Nothing more comes; the connection stays open until the client leaves.
    Hangs,
}

#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) piece: usize,
    pub(crate) end: End,
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: Vec::new(), body: body.into(), piece: 4096, end: End::Whole }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn in_pieces_of(mut self, piece: usize) -> Self {
        self.piece = piece;
        self
    }

    pub(crate) fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }
}

/// What the server was sent.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

pub(crate) struct Server {
    pub(crate) url: String,
    pub(crate) asked: Receiver<Asked>,
    /// Told when a client left an answer that hangs.
    pub(crate) left: Receiver<()>,
}

/// Starts a server that gives these replies, one a connection.
pub(crate) fn serve(replies: Vec<Reply>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, asked) = channel();
    let (tell_left, left) = channel();
    thread::spawn(move || {
        for reply in replies {
            let Ok((stream, _)) = listener.accept() else { return };
            answer(stream, &reply, &tell, &tell_left);
        }
    });
    Server { url, asked, left }
}

fn answer(stream: TcpStream, reply: &Reply, tell: &Sender<Asked>, tell_left: &Sender<()>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let Some(asked) = read_request(&mut reader) else { return };
    let _ = tell.send(asked);
    // A client that has read enough closes early; that is its right.
    let _ = write_reply(stream, reply);
    if reply.end == End::Hangs {
        let mut rest = Vec::new();
        let _ = reader.read_to_end(&mut rest);
        let _ = tell_left.send(());
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length")?.1.parse().ok()?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Asked { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

fn write_reply(mut stream: TcpStream, reply: &Reply) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    write!(stream, "HTTP/1.1 {} Told\r\ntransfer-encoding: chunked\r\nconnection: close\r\n", reply.status)?;
    for (name, value) in &reply.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    write!(stream, "\r\n")?;
    for piece in reply.body.chunks(reply.piece) {
        let mut framed = format!("{:x}\r\n", piece.len()).into_bytes();
        framed.extend_from_slice(piece);
        framed.extend_from_slice(b"\r\n");
        stream.write_all(&framed)?;
    }
    if reply.end == End::Whole {
        stream.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}
