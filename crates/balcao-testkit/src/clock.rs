//! The time of a program that is built for tests: it passes when the test says so.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;

use crate::wait::until;

/// The variable that names the clock for the program.
pub const VARIABLE: &str = "BALCAO_TEST_CLOCK";

/// A clock on 127.0.0.1 that any number of programs go by. What a program does at an instant may still be under way when
/// [`OutsideClock::advance`] returns: wait for what it leads to before more time passes.
#[derive(Debug)]
pub struct OutsideClock {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    now: Timestamp,
    programs: Vec<Program>,
}

/// A program that goes by the clock.
#[derive(Debug)]
struct Program {
    told: TcpStream,
    answers: BufReader<TcpStream>,
}

impl Program {
    fn begin(stream: TcpStream, now: Timestamp) -> io::Result<Self> {
        // A line that is not sent at once waits 40 ms for an acknowledgement.
        stream.set_nodelay(true)?;
        let mut program = Self { told: stream.try_clone()?, answers: BufReader::new(stream) };
        program.told.write_all(format!("{now}\n").as_bytes())?;
        Ok(program)
    }

    /// Lets time pass, and waits until it has.
    fn advance(&mut self, by: Duration) -> io::Result<()> {
        self.told.write_all(format!("{}\n", by.as_millis()).as_bytes())?;
        let mut answer = String::new();
        match self.answers.read_line(&mut answer)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

impl OutsideClock {
    /// A clock that shows `now`.
    ///
    /// # Errors
    /// The system gives no socket.
    pub fn start(now: Timestamp) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let state = Arc::new(Mutex::new(State { now, programs: Vec::new() }));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let now = state.now;
                // A program that went away before it knew the time needs none.
                if let Ok(program) = Program::begin(stream, now) {
                    state.programs.push(program);
                }
            }
        });
        Ok(Self { address, state })
    }

    /// What [`VARIABLE`] is set to.
    #[must_use]
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).now
    }

    /// Lets time pass in every program that still runs: each of them has woken what was due when this returns.
    pub fn advance(&self, by: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.now = state.now.saturating_add(by).unwrap_or(state.now);
        state.programs.retain_mut(|program| program.advance(by).is_ok());
    }

    /// Lets a second pass between two looks, until `look` finds something. A program may fall asleep until its next second after the
    /// test looked last; on a clock that stands still it would sleep for ever.
    ///
    /// # Panics
    /// As [`until`].
    pub fn advance_until<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        until(what, || {
            look().or_else(|| {
                self.advance(Duration::from_secs(1));
                None
            })
        })
    }
}
