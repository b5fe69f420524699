//! A way to a server that can be cut, and that can swallow what goes over it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What the way does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// No data passes, and neither side receives an error.
    Held,
    /// Connections are closed, and new ones too.
    Cut,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    open: Mutex<Vec<TcpStream>>,
}

/// Passes bytes on, both ways. Its threads end with the test's process.
#[derive(Debug, Clone)]
pub struct Partition {
    shared: Arc<Shared>,
    /// Where to connect.
    pub address: SocketAddr,
}

impl Partition {
    /// A way to this port of 127.0.0.1.
    ///
    /// # Errors
    /// If this machine has no free port.
    pub fn to(port: u16) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared =
            Arc::new(Shared { state: Mutex::new(State::Open), changed: Condvar::new(), open: Mutex::default() });
        let told = Arc::clone(&shared);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    // What both ends send at once passes at once.
                    drop(to.set_nodelay(true));
                    let (Ok(from), Ok(to)) = (from.try_clone(), to.try_clone()) else { continue };
                    let shared = Arc::clone(&told);
                    std::thread::spawn(move || pass(from, to, &shared));
                }
                let mut open = lock(&told.open);
                open.extend([client, server]);
                if *lock(&told.state) == State::Cut {
                    close(&mut open);
                }
            }
        });
        Ok(Self { shared, address })
    }

    /// Swallows everything from now on, on connections that stay open, and takes new ones in silence.
    pub fn hold(&self) {
        self.set(State::Held);
    }

    /// Closes what is open, and whatever is opened from now on.
    pub fn cut(&self) {
        self.set(State::Cut);
        close(&mut lock(&self.shared.open));
    }

    /// Everything passes again, what was held first.
    pub fn heal(&self) {
        self.set(State::Open);
    }

    fn set(&self, state: State) {
        *lock(&self.shared.state) = state;
        self.shared.changed.notify_all();
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, shared: &Shared) {
    let mut buffer = vec![0; 65_536];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        let state = lock(&shared.state);
        let state = shared.changed.wait_while(state, |state| *state == State::Held);
        drop(state.unwrap_or_else(PoisonError::into_inner));
        let Some(bytes) = buffer.get(..read) else { break };
        if to.write_all(bytes).is_err() {
            break;
        }
    }
    // Whatever ends one way ends the other; it may have been closed before.
    drop(from.shutdown(Shutdown::Both));
    drop(to.shutdown(Shutdown::Both));
}

fn close(open: &mut Vec<TcpStream>) {
    for stream in open.drain(..) {
        drop(stream.shutdown(Shutdown::Both));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
