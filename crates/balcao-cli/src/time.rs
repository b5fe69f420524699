//! What time it is for the program: the one place from which every command takes its clock.
//!
//! A build for tests (feature `test-clock`) takes the time from outside, if the environment names where: then nothing passes
//! but what is told, neither on the clock nor for any timer of the program, and a quarter of a year goes through the real
//! server in seconds. The program connects to the address, reads one line with the instant that it begins at, and then lines
//! with a number of milliseconds, each of which lets so much time pass; it answers each with the instant that it is now.

use std::{io, sync::Arc};

use balcao_domain::{Clock, SystemClock};
use jiff::Timestamp;
use tokio::runtime::{Builder, Runtime};

/// The clock that everything goes by.
pub(crate) fn clock() -> Arc<dyn Clock> {
    #[cfg(feature = "test-clock")]
    if let Some(clock) = outside::clock() {
        return clock;
    }
    Arc::new(SystemClock)
}

/// What time it is.
pub(crate) fn now() -> Timestamp {
    clock().now()
}

/// Whether the time comes from outside: then it is not corrected by a database's.
pub(crate) fn is_outside() -> bool {
    #[cfg(feature = "test-clock")]
    return outside::clock().is_some();
    #[cfg(not(feature = "test-clock"))]
    false
}

/// What the program runs on.
///
/// # Errors
/// The system gives no threads; in a build for tests, the clock outside does not answer.
pub(crate) fn runtime() -> io::Result<Runtime> {
    #[cfg(feature = "test-clock")]
    if let Some(runtime) = outside::runtime()? {
        return Ok(runtime);
    }
    Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

#[cfg(feature = "test-clock")]
mod outside {
    use std::{
        io::{self, BufRead, BufReader, Lines, Write},
        net::TcpStream,
        sync::{Arc, OnceLock},
        time::Duration,
    };

    use balcao_domain::Clock;
    use jiff::Timestamp;
    use tokio::{
        runtime::{Builder, Runtime},
        sync::mpsc,
        time::{Instant, advance},
    };

    /// Names the address of the clock.
    const VARIABLE: &str = "BALCAO_TEST_CLOCK";

    /// The clock outside, once the program is connected to it.
    static CLOCK: OnceLock<Arc<OutsideClock>> = OnceLock::new();

    /// Shows the instant that it was told first, and since then what the runtime let pass.
    struct OutsideClock {
        origin: Timestamp,
        start: Instant,
    }

    impl Clock for OutsideClock {
        fn now(&self) -> Timestamp {
            self.origin.saturating_add(self.start.elapsed()).unwrap_or(self.origin)
        }
    }

    pub(super) fn clock() -> Option<Arc<dyn Clock>> {
        CLOCK.get().map(|clock| -> Arc<dyn Clock> { Arc::<OutsideClock>::clone(clock) })
    }

    /// A runtime whose time stands still until the clock outside says otherwise; `None` if none is named.
    pub(super) fn runtime() -> io::Result<Option<Runtime>> {
        let Some(address) = std::env::var_os(VARIABLE).and_then(|address| address.into_string().ok()) else {
            return Ok(None);
        };
        let stream = TcpStream::connect(&address)
            .map_err(|error| io::Error::new(error.kind(), format!("{VARIABLE} {address}: {error}")))?;
        // Both sides write a line at a time: without this a line would wait for the other side to acknowledge the one before.
        stream.set_nodelay(true)?;
        let answers = stream.try_clone()?;
        let mut lines = BufReader::new(stream).lines();
        let origin =
            next::<Timestamp>(&mut lines)?.ok_or_else(|| io::Error::other(format!("{VARIABLE}: no instant")))?;
        let runtime = Builder::new_current_thread().enable_all().start_paused(true).build()?;
        runtime.block_on(async {
            let clock = CLOCK.get_or_init(|| Arc::new(OutsideClock { origin, start: Instant::now() }));
            follow(Arc::clone(clock), lines, answers);
        });
        Ok(Some(runtime))
    }

    /// Lets time pass as the clock says, until it goes away; then the program ends, since its time would run on by itself.
    fn follow(clock: Arc<OutsideClock>, mut lines: Lines<BufReader<TcpStream>>, mut answers: TcpStream) {
        let (told, mut steps) = mpsc::unbounded_channel::<Duration>();
        // While a blocking task runs, the paused time of the runtime does not move by itself: this one reads until the end.
        tokio::task::spawn_blocking(move || {
            while let Ok(Some(step)) = next::<u64>(&mut lines) {
                if told.send(Duration::from_millis(step)).is_err() {
                    break;
                }
            }
            std::process::exit(1);
        });
        #[expect(
            clippy::disallowed_methods,
            reason = "it ends with the program, and holds nothing that shutdown waits for"
        )]
        drop(tokio::spawn(async move {
            while let Some(step) = steps.recv().await {
                advance(step).await;
                if answers.write_all(format!("{}\n", clock.now()).as_bytes()).is_err() {
                    break;
                }
            }
        }));
    }

    fn next<T: std::str::FromStr>(lines: &mut Lines<BufReader<TcpStream>>) -> io::Result<Option<T>>
    where
        T::Err: std::fmt::Display,
    {
        let Some(line) = lines.next().transpose()? else { return Ok(None) };
        line.trim().parse().map(Some).map_err(|error| io::Error::other(format!("{VARIABLE}: `{line}`: {error}")))
    }
}
