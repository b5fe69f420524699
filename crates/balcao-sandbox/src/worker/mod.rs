//! The inside of a worker process.

pub mod confine;
mod engine;
mod heap;
mod host;
mod source;
mod trace;

use std::{
    io::{self, Read, Write},
    process::ExitCode,
    time::Duration,
};

use crate::confinement::Confinement;
use crate::protocol::{self, CallHeader, Greeting, Kind, MAX_REQUEST_BYTES, Setup};
use host::Host;

/// The argument by which [`Launcher::this_executable`](crate::Launcher::this_executable) asks an executable to become a worker.
///
/// A program that uses it calls [`run`] first thing in `main` if this is its only argument.
pub const SUBCOMMAND: &str = "sandbox-worker";

/// The whole life of a worker: confines the process, introduces itself on standard output, and answers what comes on standard input
/// until that ends.
///
/// To be called first thing in a process of its own, before it has other threads: they would not be confined. Nothing is read but
/// standard input: no arguments, no environment, no files.
#[must_use]
pub fn run() -> ExitCode {
    if engine::settle_time_zone().is_err() {
        return ExitCode::FAILURE;
    }
    let confinement = confine::confine();
    match serve(&mut io::stdin().lock(), &mut io::stdout().lock(), confinement) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve(input: &mut impl Read, output: &mut impl Write, confinement: Confinement) -> io::Result<()> {
    let mut greeting = protocol::frame(Kind::Greeting);
    serde_json::to_writer(&mut greeting, &Greeting { version: protocol::VERSION, confinement })?;
    send(output, protocol::seal(greeting))?;
    let Some((Kind::Setup, body)) = receive(input)? else { return Err(unexpected()) };
    let setup: Setup = serde_json::from_slice(&body)?;
    let mut host = Host::new(setup.helpers).map_err(io::Error::other)?;
    while let Some((kind, body)) = receive(input)? {
        let Some((header, arguments)) = CallHeader::read(&body).filter(|_| kind == Kind::Call) else {
            return Err(unexpected());
        };
        let outcome = host.call(&header, arguments);
        let (kind, body) = match outcome.result {
            Ok(json) => (Kind::Value, json.into_bytes()),
            Err(failure) => (Kind::Failure, serde_json::to_vec(&failure)?),
        };
        send(output, protocol::answer(kind, header.number, outcome.spent, &body))?;
        if outcome.spent {
            break;
        }
        host.prepare();
        stay_awake();
    }
    Ok(())
}

/// How long a worker looks for the next call before it sleeps: calls come in groups (the fields of a task, the checks of a command), and to
/// be woken on an idle processor takes longer than most helpers do.
const AWAKE: Duration = Duration::from_micros(100);

/// Waits for the next call without sleeping, for a short while, and lets others have the processor who want it.
#[cfg(unix)]
fn stay_awake() {
    use rustix::{
        event::{PollFd, PollFlags, Timespec, poll},
        time::{ClockId, clock_gettime},
    };
    let stdin = io::stdin();
    let now = || clock_gettime(ClockId::Monotonic);
    let end = now() + Timespec { tv_sec: 0, tv_nsec: AWAKE.subsec_nanos().into() };
    while now() < end {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut input = [PollFd::new(&stdin, PollFlags::IN)];
        if poll(&mut input, Some(&at_once)) != Ok(0) {
            return;
        }
        rustix::thread::sched_yield();
    }
}

#[cfg(not(unix))]
fn stay_awake() {}

fn send(output: &mut impl Write, frame: Option<Vec<u8>>) -> io::Result<()> {
    output.write_all(&frame.ok_or_else(unexpected)?)?;
    output.flush()
}

/// The next frame, or `None` where the input ends between two.
fn receive(input: &mut impl Read) -> io::Result<Option<(Kind, Vec<u8>)>> {
    let mut length = [0; 4];
    if let Err(error) = input.read_exact(&mut length) {
        return if error.kind() == io::ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
    }
    let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
    if length == 0 || length > MAX_REQUEST_BYTES {
        return Err(unexpected());
    }
    let mut kind = [0];
    input.read_exact(&mut kind)?;
    let mut body = vec![0; length - 1];
    input.read_exact(&mut body)?;
    let [kind] = kind;
    Ok(Some((Kind::from_byte(kind).ok_or_else(unexpected)?, body)))
}

fn unexpected() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not a frame of this protocol")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_more_than_16_mib_is_refused_before_it_is_read() {
        let frame = |length: usize| {
            let mut bytes = u32::try_from(length).unwrap().to_le_bytes().to_vec();
            bytes.push(Kind::Call.byte());
            bytes.resize(4 + length.min(MAX_REQUEST_BYTES), b'x');
            receive(&mut bytes.as_slice()).map(|received| received.map(|(_, body)| body.len()))
        };
        assert_eq!(frame(MAX_REQUEST_BYTES).unwrap(), Some(MAX_REQUEST_BYTES - 1));
        assert_eq!(frame(MAX_REQUEST_BYTES + 1).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(frame(0).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
