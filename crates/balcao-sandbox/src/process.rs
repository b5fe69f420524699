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
    error::StartError,
    protocol::{self, ANSWER_OVERHEAD_BYTES, CallHeader, Failure, Greeting, Kind, MAX_REQUEST_BYTES},
    worker::{SUBCOMMAND, confine::Confinement},
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
        Ok(Self { child, pipes, confinement: greeting.confinement, calls: 0, busy: Duration::ZERO })
    }

    /// Makes one call. After anything but a reusable answer this worker must be dropped.
    pub(crate) async fn call(&mut self, header: &CallHeader, arguments: &[u8]) -> Result<Answer, Broken> {
        let began = Instant::now();
        let answer = match timeout(header.limits.wall(), self.pipes.exchange(header, arguments)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(Broken::Nonsense(reason))) => return Err(Broken::Nonsense(self.ending().await.unwrap_or(reason))),
            Ok(Err(Broken::Late)) | Err(_) => return Err(Broken::Late),
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
                    .map_err(|error| Broken::Nonsense(format!("sent what is no JSON: {error}")))?),
                Kind::Failure => Err(serde_json::from_slice(rest)
                    .map_err(|error| Broken::Nonsense(format!("sent no failure: {error}")))?),
                Kind::Greeting | Kind::Setup | Kind::Call => return Err(nonsense("sent what is no answer")),
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
