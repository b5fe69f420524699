//! A server that is a program: started with nothing but what its pack states, and cut off if it says too much at once.

use std::{
    collections::BTreeMap,
    io,
    pin::Pin,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use secrecy::{ExposeSecret, SecretString};
use tokio::{
    io::{AsyncRead, AsyncReadExt, ReadBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};
use tokio_util::task::TaskTracker;

/// The end of what a program wrote to its standard error that is kept for staff.
const COMPLAINT_BYTES: usize = 2_048;

/// A program's command line and environment.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, SecretString>,
}

/// A program that runs. It ends with this value.
#[derive(Debug)]
pub(crate) struct Running {
    _child: Child,
    /// The end of what it complained of.
    pub(crate) complaints: Complaints,
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
    ) -> io::Result<(Running, Capped<ChildStdout>, ChildStdin)> {
        let mut command = Command::new(&self.command);
        command.args(&self.args).env_clear().current_dir("/").kill_on_drop(true);
        command.envs(self.env.iter().map(|(name, value)| (name, value.expose_secret())));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the program has no standard streams");
        let (output, input) = (child.stdout.take().ok_or_else(missing)?, child.stdin.take().ok_or_else(missing)?);
        let complaints = Complaints::default();
        if let Some(from) = child.stderr.take() {
            tasks.spawn(complaints.clone().collect(from));
        }
        Ok((Running { _child: child, complaints }, Capped { inner: output, most, line: 0 }, input))
    }
}

/// Reads lines of at most so many bytes. A longer one is an error, at once: whoever waits for the answer in it would wait in vain.
#[derive(Debug)]
pub(crate) struct Capped<R> {
    inner: R,
    most: usize,
    line: usize,
}

impl<R: AsyncRead + Unpin> AsyncRead for Capped<R> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buf);
        if let Poll::Ready(Ok(())) = &polled {
            for byte in buf.filled().get(before..).unwrap_or_default() {
                self.line = if *byte == b'\n' { 0 } else { self.line.saturating_add(1) };
                if self.line > self.most {
                    return Poll::Ready(Err(io::Error::other("the server's message is too large")));
                }
            }
        }
        polled
    }
}
