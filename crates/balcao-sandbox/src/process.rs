//! One worker process, seen from the server: started, asked, and not believed.

use std::{
    ffi::OsString,
    future::poll_fn,
    path::PathBuf,
    process::Stdio,
    task::Poll,
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

use crate::{
    confinement::Confinement,
    error::StartError,
    protocol::{self, ANSWER_OVERHEAD_BYTES, CallHeader, Failure, Greeting, Kind, MAX_REQUEST_BYTES},
    worker::SUBCOMMAND,
};

/// How a worker process is started.
#[derive(Debug, Clone)]
pub struct Launcher {
    program: PathBuf,
    arguments: Vec<OsString>,
}

/// From start to introduction, on a busy machine too.
const GREETING_WAIT: Duration = Duration::from_secs(10);

/// How long a caller looks for an answer before it sleeps over it: most helpers are done sooner than a sleeping thread is woken on another
/// processor. Other tasks of the thread have their turn meanwhile.
const AWAKE: Duration = Duration::from_micros(100);

/// So many times the wall-clock limit, a worker that the machine does not let run is waited for.
const MOST_WAITS: u32 = 8;

/// A worker is replaced after so many calls, or so much time in calls: what it leaked goes with it.
const CALLS_PER_LIFE: u32 = 1_000;
const TIME_PER_LIFE: Duration = Duration::from_secs(60);

impl Launcher {
    /// Starts `program` with `arguments`; it has to call [`worker::run`](crate::worker::run).
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, arguments: &[&str]) -> Self {
        Self { program: program.into(), arguments: arguments.iter().map(OsString::from).collect() }
    }

    /// Starts this very executable with the argument `sandbox-worker`, also after the file was replaced by a newer version.
    #[must_use]
    pub fn this_executable() -> Self {
        let program = if cfg!(target_os = "linux") {
            PathBuf::from("/proc/self/exe")
        } else {
            std::env::current_exe().unwrap_or_else(|_| PathBuf::from("balcao"))
        };
        Self::new(program, &[SUBCOMMAND])
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            // Local time is UTC, without a look at the machine's files.
            .env("TZ", "UTC0")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        // What a terminal sends to the server's group is not for workers: they answer until the server lets go of them.
        #[cfg(unix)]
        command.process_group(0);
        command
    }
}

/// A process that has been given its bundle. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    pipes: Pipes<ChildStdout, ChildStdin>,
    pub(crate) confinement: Confinement,
    calls: u32,
    busy: Duration,
    /// The processor time that its start used.
    starting: Duration,
}

/// How one exchange with a worker ended that did not give an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// It did not answer in time, by the clock on the wall.
    Late,
    /// It ended, or its answer was none.
    Nonsense(String),
}

/// An answer to a call.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) result: Result<Value, Failure>,
    /// Whether the worker can be asked again.
    pub(crate) reusable: bool,
}

impl Worker {
    /// Starts a worker and gives it its code. `setup` is the sealed frame, the same for all workers of a bundle.
    pub(crate) async fn start(launcher: &Launcher, setup: &[u8]) -> Result<Self, StartError> {
        let mut child = launcher.command().spawn().map_err(StartError::Spawn)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(StartError::Greeting { reason: "it has no pipes".to_owned() });
        };
        let mut pipes = Pipes { from: BufReader::new(stdout), to: stdin };
        let greeting = timeout(GREETING_WAIT, pipes.greeting(setup)).await.unwrap_or(Err(Broken::Late));
        let greeting = match greeting {
            Ok(greeting) => greeting,
            Err(broken) => {
                let reason = match broken {
                    Broken::Late => "it said nothing".to_owned(),
                    Broken::Nonsense(reason) => reason,
                };
                return Err(StartError::Greeting { reason });
            }
        };
        let starting = child.id().and_then(Standing::find).map(|standing| standing.processor_time).unwrap_or_default();
        Ok(Self { child, pipes, confinement: greeting.confinement, calls: 0, busy: Duration::ZERO, starting })
    }

    /// Makes one call. After anything but a reusable answer this worker must be dropped.
    pub(crate) async fn call(&mut self, header: &CallHeader, arguments: &[u8]) -> Result<Answer, Broken> {
        let began = Instant::now();
        // An upper bound: earlier calls used at most what they took by the clock. To ask before each call would cost more than
        // most calls.
        let spent_before = self.starting + self.busy;
        let process = self.child.id();
        let may_use = spent_before + header.limits.time;
        let is_starved = || process.and_then(Standing::find).is_some_and(|now| now.is_starved(may_use));
        let exchanged = wait_for(self.pipes.exchange(header, arguments), header.limits.wall(), is_starved).await;
        let answer = match exchanged {
            Ok(answer) => answer,
            Err(Broken::Nonsense(reason)) => return Err(Broken::Nonsense(self.ending().await.unwrap_or(reason))),
            Err(Broken::Late) => return Err(Broken::Late),
        };
        self.calls += 1;
        self.busy += began.elapsed();
        let old = self.calls >= CALLS_PER_LIFE || self.busy >= TIME_PER_LIFE;
        Ok(Answer { reusable: answer.reusable && !old, ..answer })
    }

    /// How the process ended, if it does so by itself now.
    async fn ending(&mut self) -> Option<String> {
        let status = timeout(Duration::from_millis(200), self.child.wait()).await.ok()?.ok()?;
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Some(format!("died of signal {signal}"));
        }
        Some(format!("ended: {status}"))
    }

    /// Whether it has answered a call before.
    pub(crate) fn has_served(&self) -> bool {
        self.calls > 0
    }

    /// Whether it has not ended since it was last asked.
    pub(crate) fn lives(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

/// What the system says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    /// It would run, if it were let.
    wants_to_run: bool,
    /// User and system.
    processor_time: Duration,
}

impl Standing {
    /// `None` where the system does not say, as on others than Linux.
    fn find(process: u32) -> Option<Self> {
        Self::read(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
    }

    /// Reads what proc(5) describes: the state is field 3, times in hundredths of a second are fields 14 and 15. The name before them
    /// may hold blanks and brackets.
    fn read(stat: &str) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(')')?;
        let mut fields = fields.split_whitespace();
        let wants_to_run = matches!(fields.next()?, "R" | "D");
        let mut ticks = fields.skip(10).map(|field| field.parse::<u64>().ok());
        let used = ticks.next()??.checked_add(ticks.next()??)?;
        Some(Self { wants_to_run, processor_time: Duration::from_millis(used.checked_mul(10)?) })
    }

    /// Whether the machine kept the process from using the processor time that it may.
    fn is_starved(self, may: Duration) -> bool {
        self.wants_to_run && self.processor_time < may
    }
}

/// The two ends of the conversation.
#[derive(Debug)]
struct Pipes<R, W> {
    from: BufReader<R>,
    to: W,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Pipes<R, W> {
    async fn greeting(&mut self, setup: &[u8]) -> Result<Greeting, Broken> {
        let (kind, body) = self.receive(ANSWER_OVERHEAD_BYTES).await?;
        let greeting: Option<Greeting> = serde_json::from_slice(&body).ok().filter(|_| kind == Kind::Greeting);
        let greeting = greeting.ok_or_else(|| nonsense("its first words were not a greeting"))?;
        if greeting.version != protocol::VERSION {
            return Err(nonsense("it speaks another version of the protocol"));
        }
        self.send(setup).await?;
        Ok(greeting)
    }

    async fn exchange(&mut self, header: &CallHeader, arguments: &[u8]) -> Result<Answer, Broken> {
        let mut call = protocol::frame(Kind::Call);
        header.write(&mut call);
        call.extend_from_slice(arguments);
        let call = protocol::seal(call)
            .filter(|call| call.len() <= MAX_REQUEST_BYTES)
            .ok_or_else(|| nonsense("cannot be asked so much"))?;
        self.send(&call).await?;
        let most =
            usize::try_from(header.limits.output_bytes).unwrap_or(usize::MAX).saturating_add(ANSWER_OVERHEAD_BYTES);
        let (kind, body) = awake(self.receive(most)).await?;
        let Some((number, last, rest)) = protocol::read_answer(&body) else {
            return Err(nonsense("sent half an answer"));
        };
        if number != header.number {
            return Err(nonsense("answered another call"));
        }
        if !self.from.buffer().is_empty() {
            return Err(nonsense("said more than it was asked"));
        }
        let result =
            match kind {
                Kind::Value => Ok(serde_json::from_slice(rest)
                    .map_err(|error| Broken::Nonsense(format!("sent invalid JSON for a value: {error}")))?),
                Kind::Failure => Err(serde_json::from_slice(rest)
                    .map_err(|error| Broken::Nonsense(format!("sent no failure: {error}")))?),
                Kind::Greeting | Kind::Setup | Kind::Call => {
                    return Err(nonsense("sent an unexpected frame; expected a value or a failure"));
                }
            };
        Ok(Answer { result, reusable: !last })
    }

    async fn send(&mut self, frame: &[u8]) -> Result<(), Broken> {
        self.to.write_all(frame).await.map_err(|error| Broken::Nonsense(format!("takes nothing: {error}")))
    }

    /// The next frame, of at most `most` bytes: nothing longer is ever held.
    async fn receive(&mut self, most: usize) -> Result<(Kind, Vec<u8>), Broken> {
        let gone = |error: std::io::Error| Broken::Nonsense(format!("broke off: {error}"));
        let length = self.from.read_u32_le().await.map_err(gone)?;
        let length = usize::try_from(length).ok().filter(|length| (1..=most).contains(length));
        let length = length.ok_or_else(|| nonsense("sent a frame of a wrong length"))?;
        let kind = self.from.read_u8().await.map_err(gone)?;
        let mut body = vec![0; length - 1];
        self.from.read_exact(&mut body).await.map_err(gone)?;
        Ok((Kind::from_byte(kind).ok_or_else(|| nonsense("sent a frame of an unknown kind"))?, body))
    }
}

/// Waits for an answer for `wall`, and up to [`MOST_WAITS`] times as long while the machine does not let the worker run.
async fn wait_for<T>(
    exchange: impl Future<Output = Result<T, Broken>>,
    wall: Duration,
    is_starved: impl Fn() -> bool,
) -> Result<T, Broken> {
    let mut exchange = std::pin::pin!(exchange);
    for _ in 0..MOST_WAITS {
        match timeout(wall, exchange.as_mut()).await {
            Ok(answer) => return answer,
            Err(_elapsed) if is_starved() => {}
            Err(_elapsed) => break,
        }
    }
    Err(Broken::Late)
}

/// The same work, looked after for a while before anybody sleeps.
async fn awake<T>(work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    let began = Instant::now();
    while began.elapsed() < AWAKE {
        if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await {
            return done;
        }
        tokio::task::yield_now().await;
    }
    work.await
}

fn nonsense(reason: &str) -> Broken {
    Broken::Nonsense(reason.to_owned())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const WALL: Duration = Duration::from_millis(500);

    /// How the wait for an answer that comes after `answer` ends and how long it takes, where the worker is starved at its first `starved`
    /// looks.
    async fn wait(answer: Duration, starved: u32) -> (Result<&'static str, Broken>, Duration) {
        let began = tokio::time::Instant::now();
        let looks = Cell::new(0);
        let exchange = async {
            tokio::time::sleep(answer).await;
            Ok("answer")
        };
        let ended = wait_for(exchange, WALL, || {
            looks.set(looks.get() + 1);
            looks.get() <= starved
        });
        (ended.await, began.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn a_worker_that_may_run_has_its_wall_clock_limit_and_a_starved_one_up_to_eight_times_that() {
        let millis = Duration::from_millis;
        assert_eq!(wait(millis(499), 0).await, (Ok("answer"), millis(499)));
        assert_eq!(wait(Duration::MAX, 0).await, (Err(Broken::Late), WALL));
        assert_eq!(wait(Duration::MAX, 2).await, (Err(Broken::Late), 3 * WALL));
        assert_eq!(wait(millis(1_200), 2).await, (Ok("answer"), millis(1_200)));
        assert_eq!(wait(Duration::MAX, u32::MAX).await, (Err(Broken::Late), 8 * WALL));
    }

    #[test]
    fn what_the_system_says_of_a_process_is_read() {
        let stat = "71 (a (b) c) R 1 71 71 0 -1 4194304 94 0 0 0 3 2 0 0 20 0 1 0 8170 5 1 18446744073709551615";
        let read = Standing::read(stat).unwrap();
        assert_eq!(read, Standing { wants_to_run: true, processor_time: Duration::from_millis(50) });
        assert_eq!(Standing::read("71 (x) S 1"), None);
    }

    #[test]
    fn a_worker_is_starved_if_it_wants_to_run_and_has_processor_time_left() {
        let used = Standing { wants_to_run: true, processor_time: Duration::from_millis(40) };
        assert!(used.is_starved(Duration::from_millis(50)));
        assert!(!used.is_starved(Duration::from_millis(40)));
        assert!(!Standing { wants_to_run: false, ..used }.is_starved(Duration::from_millis(50)));
    }
}
