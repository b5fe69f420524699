//! A connection to PostgreSQL that can be cut around a commit.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};

/// Where the next commit is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The server does not get it.
    BeforeCommit,
    /// The server gets it, and its answer is dropped.
    BeforeItsAnswer,
}

/// Forwards every connection until the test cuts it.
pub(crate) struct Proxy {
    pub(crate) url: String,
    cut: Arc<Mutex<Option<Cut>>>,
}

/// A connection to the server, by whatever way the tests reach it.
enum Upstream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Upstream {
    fn connect(host: &str, port: u16) -> Self {
        if host.starts_with('/') {
            Self::Unix(UnixStream::connect(format!("{host}/.s.PGSQL.{port}")).unwrap())
        } else {
            Self::Tcp(TcpStream::connect((host, port)).unwrap())
        }
    }

    fn again(&self) -> Self {
        match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone().unwrap()),
            Self::Unix(stream) => Self::Unix(stream.try_clone().unwrap()),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> usize {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
        .unwrap_or(0)
    }

    fn write(&mut self, bytes: &[u8]) {
        let done = match self {
            Self::Tcp(stream) => stream.write_all(bytes),
            Self::Unix(stream) => stream.write_all(bytes),
        };
        drop(done);
    }

    fn close(&self) {
        let done = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
        drop(done);
    }
}

impl Proxy {
    /// Listens for connections to the database of `url`. Its threads end with the test's process.
    pub(crate) fn start(url: &str) -> Self {
        let config: postgres::Config = url.parse().unwrap();
        let host = match config.get_hosts().first().unwrap() {
            postgres::config::Host::Tcp(name) => name.clone(),
            postgres::config::Host::Unix(path) => path.display().to_string(),
        };
        let port = config.get_ports().first().map_or(5432, |port| *port);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let user = url.split_once("://").and_then(|(_scheme, rest)| rest.rsplit_once('@')).unwrap().0;
        let url = format!(
            "postgres://{user}@127.0.0.1:{}/{}",
            listener.local_addr().unwrap().port(),
            config.get_dbname().unwrap()
        );
        let cut = Arc::new(Mutex::new(None));
        let told = Arc::clone(&cut);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                pass(client, Upstream::connect(&host, port), Arc::clone(&told));
            }
        });
        Self { url, cut }
    }

    /// Cuts the connection that commits next.
    pub(crate) fn cut(&self, cut: Cut) {
        *self.cut.lock().unwrap() = Some(cut);
    }
}

fn pass(client: TcpStream, server: Upstream, cut: Arc<Mutex<Option<Cut>>>) {
    let (mut to_client, mut from_server) = (client.try_clone().unwrap(), server.again());
    let muted = Arc::new(Mutex::new(false));
    let mute = Arc::clone(&muted);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 65_536];
        loop {
            let read = from_server.read(&mut buffer);
            let muted = *muted.lock().unwrap();
            if read == 0 || (!muted && to_client.write_all(&buffer[..read]).is_err()) {
                break;
            }
            // The answer to the commit, and those to what was sent with it, are dropped with the connection. It is not closed before:
            // a server that cannot answer a statement would not go on to the next.
            if muted && buffer[..read].windows(7).any(|window| window == b"COMMIT\0") {
                break;
            }
        }
        drop(to_client.shutdown(Shutdown::Both));
    });
    let (mut client, mut server) = (client, server);
    std::thread::spawn(move || {
        let mut buffer = vec![0; 65_536];
        while let Ok(read @ 1..) = client.read(&mut buffer) {
            let bytes = &buffer[..read];
            // A simple query: its letter, its length, its text and a zero.
            let commits = bytes.windows(12).any(|window| window == b"Q\0\0\0\x0bCOMMIT\0");
            let cut = if commits { cut.lock().unwrap().take() } else { None };
            match cut {
                Some(Cut::BeforeCommit) => break,
                Some(Cut::BeforeItsAnswer) => *mute.lock().unwrap() = true,
                None => {}
            }
            server.write(bytes);
        }
        server.close();
        drop(client.shutdown(Shutdown::Both));
    });
}
