//! A server that is a program: started with nothing but what its pack states, and cut off if it says too much at once.

use std::{
    collections::BTreeMap,
    io,
    pin::Pin,
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
};

use secrecy::{ExposeSecret, SecretString};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};
use tokio_util::task::TaskTracker;

use crate::owed::{Owed, Unheard, read_answered};

/// The end of what a program wrote to its standard error that is kept for staff.
const COMPLAINT_BYTES: usize = 2_048;

/// A program's command line and environment.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, SecretString>,
}

/// A program that runs. It ends with this value, and whatever it started with it.
#[derive(Debug)]
pub(crate) struct Running {
    _child: Child,
    _group: Group,
    /// The end of what it complained of.
    pub(crate) complaints: Complaints,
}

/// The processes that a program is and starts: a group of their own.
#[derive(Debug)]
struct Group(Option<rustix::process::Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            // Who has ended already cannot be ended.
            let _ended = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// What a program wrote to its standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Complaints(Arc<Mutex<Vec<u8>>>);

impl Complaints {
    /// The end of it.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).trim().to_owned()
    }

    async fn collect(self, mut from: ChildStderr) {
        let mut piece = [0_u8; 512];
        while let Ok(read @ 1..) = from.read(&mut piece).await {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(piece.get(..read).unwrap_or_default());
            let over = kept.len().saturating_sub(COMPLAINT_BYTES);
            kept.drain(..over);
        }
    }
}

impl Program {
    /// Starts it. Nothing of our own environment is passed on.
    pub(crate) fn start(
        &self,
        most: usize,
        tasks: &TaskTracker,
    ) -> io::Result<(Running, Capped<ChildStdout>, Watched<ChildStdin>)> {
        let mut command = Command::new(&self.command);
        command.args(&self.args).env_clear().current_dir("/").kill_on_drop(true).process_group(0);
        command.envs(self.env.iter().map(|(name, value)| (name, value.expose_secret())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let group = Group(child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)));
        let missing = || io::Error::other("the program has no standard streams");
        let (output, input) = (child.stdout.take().ok_or_else(missing)?, child.stdin.take().ok_or_else(missing)?);
        let complaints = Complaints::default();
        if let Some(from) = child.stderr.take() {
            tasks.spawn(complaints.clone().collect(from));
        }
        let flow = Arc::<Flow>::default();
        let output = Capped { inner: output, most, line: Vec::new(), flow: Arc::clone(&flow) };
        Ok((
            Running { _child: child, _group: group, complaints },
            output,
            Watched { inner: input, line: Vec::new(), flow },
        ))
    }
}

/// Reads lines of at most so many bytes. A longer one is an error, at once: the caller that waits for the answer in it would wait in vain. So are
/// very many questions of a server that does not read the answers, and a question by a very long id.
#[derive(Debug)]
pub(crate) struct Capped<R> {
    inner: R,
    most: usize,
    line: Vec<u8>,
    flow: Arc<Flow>,
}

/// What the two directions of a conversation know of each other.
#[derive(Debug, Default)]
struct Flow {
    owed: Owed,
    /// The server was left: nothing is written any more.
    over: AtomicBool,
    /// Who waits to write.
    writer: Mutex<Option<Waker>>,
}

impl Flow {
    /// Notes what the server says.
    ///
    /// # Errors
    /// If a question of it is not heard. Then no writer waits any more, either.
    fn hear(&self, line: &[u8]) -> Result<(), Unheard> {
        let heard = self.owed.hear(0, line);
        if heard.is_ok() {
            return heard;
        }
        self.over.store(true, Ordering::SeqCst);
        if let Some(writer) = self.writer.lock().unwrap_or_else(PoisonError::into_inner).take() {
            writer.wake();
        }
        heard
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Capped<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if let Poll::Ready(Ok(())) = &polled {
            let mut lines = buf.filled().get(before..).unwrap_or_default().split_inclusive(|byte| *byte == b'\n');
            for piece in lines.by_ref() {
                self.line.extend_from_slice(piece);
                let ended = piece.ends_with(b"\n");
                if self.line.len() > self.most.saturating_add(usize::from(ended)) {
                    return Poll::Ready(Err(io::Error::other("the server's message is too large")));
                }
                if ended {
                    if balcao_json::count_values(&self.line) > balcao_json::MOST_VALUES {
                        return Poll::Ready(Err(io::Error::other("the server's message holds too many values")));
                    }
                    let heard = self.flow.hear(&self.line);
                    self.line.clear();
                    if let Err(unheard) = heard {
                        return Poll::Ready(Err(io::Error::other(unheard)));
                    }
                }
            }
        }
        polled
    }
}

/// Writes, and notes which messages the server has taken.
#[derive(Debug)]
pub(crate) struct Watched<W> {
    inner: W,
    /// What was written of a message that has not ended.
    line: Vec<u8>,
    flow: Arc<Flow>,
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Watched<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        *self.flow.writer.lock().unwrap_or_else(PoisonError::into_inner) = Some(cx.waker().clone());
        if self.flow.over.load(Ordering::SeqCst) {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let polled = Pin::new(&mut self.inner).poll_write(cx, buf);
        if let Poll::Ready(Ok(count)) = &polled {
            for piece in buf.get(..*count).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
                self.line.extend_from_slice(piece);
                if piece.ends_with(b"\n") {
                    self.flow.owed.take();
                    if let Some(id) = read_answered(&self.line) {
                        self.flow.owed.close(&id);
                    }
                    self.line.clear();
                }
            }
        }
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
