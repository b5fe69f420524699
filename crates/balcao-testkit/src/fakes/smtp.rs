//! A strict server for mail on 127.0.0.1: commands in their order, lines that end as they must, a login if a test asks for one. A test
//! can make it misbehave.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::wait;

/// What the server does with one letter instead of taking it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Sends no answer until the client disconnects.
    Silence,
    /// Answers, the greeting included, only as often as it was let: [`FakeSmtp::answers`].
    Slow,
    /// Answers a command with this code and a word: `("RCPT", 550)`.
    Answer(&'static str, u16),
    /// Lets the letter begin, and hangs up before its last dot.
    DropAtData,
    /// Takes the letter, keeps it, and hangs up without a word.
    DropAfterData,
    /// Takes the letter, keeps it, and never answers.
    SilenceAfterData,
    /// Answers the letter with this code.
    AnswerLetter(u16),
}

/// A letter that arrived whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    /// The sender, by the envelope.
    pub from: String,
    /// The recipients, by the envelope.
    pub to: Vec<String>,
    /// Headers and body, without dots that were stuffed.
    pub text: String,
}

#[derive(Debug, Default)]
struct State {
    letters: Vec<Letter>,
    troubles: VecDeque<Trouble>,
    connections: usize,
    breaches: Vec<String>,
    /// How often it fell silent, or waited to be let answer.
    silences: usize,
    /// How many answers it was let give, of those that wait for that.
    let_answer: usize,
}

/// The state that all connections share, and the signal that it changed.
type Shared = (Mutex<State>, Condvar);

/// The server; it ends with the test.
#[derive(Debug, Clone)]
pub struct FakeSmtp {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl FakeSmtp {
    /// Starts one; with `login`, `AUTH PLAIN` of user and password is wanted.
    ///
    /// # Errors
    /// No port could be opened.
    pub fn start(login: Option<(&'static str, &'static str)>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self { address: listener.local_addr()?, shared: Arc::default() };
        let shared = Arc::clone(&server.shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                // One that is silent must not keep the next one waiting.
                std::thread::spawn(move || drop(serve(&stream, &shared, login)));
            }
        });
        Ok(server)
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// The next connections meet these, one each.
    pub fn make(&self, troubles: impl IntoIterator<Item = Trouble>) {
        self.locked(|state| state.troubles.extend(troubles));
    }

    /// Every letter that arrived whole, even if the client received no confirmation.
    #[must_use]
    pub fn letters(&self) -> Vec<Letter> {
        self.locked(|state| state.letters.clone())
    }

    /// The number of connections so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.locked(|state| state.connections)
    }

    /// The breaches of the protocol by clients.
    #[must_use]
    pub fn breaches(&self) -> Vec<String> {
        self.locked(|state| state.breaches.clone())
    }

    /// Waits until it has fallen silent so often in all, or would have to be let answer.
    ///
    /// # Panics
    /// If that does not come to pass.
    pub fn fell_silent(&self, often: usize) {
        wait::until("it falls silent", || self.locked(|state| (state.silences >= often).then_some(())));
    }

    /// Lets it give one more answer that waits for that.
    pub fn answers(&self) {
        self.locked(|state| state.let_answer += 1);
    }

    fn locked<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        with(&self.shared, work)
    }
}

fn with<T>(shared: &Shared, work: impl FnOnce(&mut State) -> T) -> T {
    let done = work(&mut shared.0.lock().unwrap_or_else(PoisonError::into_inner));
    shared.1.notify_all();
    done
}

/// Sends no more answers until the client disconnects.
fn falls_silent(reader: &mut impl BufRead, shared: &Shared) -> std::io::Result<()> {
    with(shared, |state| state.silences += 1);
    while line(reader, shared)?.is_some() {}
    Ok(())
}

/// A line without its end; `None` at the end of the connection.
fn line(reader: &mut impl BufRead, shared: &Shared) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match text.strip_suffix("\r\n") {
        Some(line) => {
            if line.len() > 998 {
                with(shared, |state| state.breaches.push("a line of more than 998 bytes".to_owned()));
            }
            Ok(Some(line.to_owned()))
        }
        None => {
            with(shared, |state| state.breaches.push(format!("a line that does not end in CR LF: {text:?}")));
            Ok(Some(text.trim_end().to_owned()))
        }
    }
}

/// Answers, where it must as soon as it is let.
fn reply(mut out: &TcpStream, shared: &Shared, trouble: Option<Trouble>, answer: &str) -> std::io::Result<()> {
    if trouble == Some(Trouble::Slow) {
        with(shared, |state| state.silences += 1);
        let state = shared.0.lock().unwrap_or_else(PoisonError::into_inner);
        let state = shared.1.wait_while(state, |state| state.let_answer == 0);
        state.unwrap_or_else(PoisonError::into_inner).let_answer -= 1;
    }
    out.write_all(format!("{answer}\r\n").as_bytes())
}

fn serve(stream: &TcpStream, shared: &Shared, login: Option<(&str, &str)>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let trouble = with(shared, |state| {
        state.connections += 1;
        state.troubles.pop_front()
    });
    if trouble == Some(Trouble::Silence) {
        return falls_silent(&mut reader, shared);
    }
    let wanted = login.map(|(user, password)| base64(format!("\0{user}\0{password}").as_bytes()));
    let mut greeted = false;
    let mut known = wanted.is_none();
    let (mut from, mut to): (Option<String>, Vec<String>) = (None, Vec::new());
    reply(stream, shared, trouble, "220 fake ESMTP")?;
    while let Some(command) = line(&mut reader, shared)? {
        let verb = command.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        if let Some(Trouble::Answer(at, code)) = trouble
            && at == verb
        {
            reply(stream, shared, trouble, &format!("{code} no"))?;
            continue;
        }
        let path = || Some(command.split_once('<')?.1.split_once('>')?.0.to_owned());
        let answer = match verb.as_str() {
            "EHLO" => {
                greeted = true;
                "250-fake\r\n250-8BITMIME\r\n250 AUTH PLAIN"
            }
            "AUTH" if greeted && wanted.as_ref().is_some_and(|wanted| command == format!("AUTH PLAIN {wanted}")) => {
                known = true;
                "235 in"
            }
            "AUTH" => "535 no",
            "MAIL" if greeted && known && from.is_none() && command.starts_with("MAIL FROM:<") => {
                from = path();
                "250 ok"
            }
            "RCPT" if from.is_some() && command.starts_with("RCPT TO:<") => {
                to.extend(path());
                "250 ok"
            }
            "DATA" if !to.is_empty() => {
                reply(stream, shared, trouble, "354 go")?;
                if trouble == Some(Trouble::DropAtData) {
                    return Ok(());
                }
                let mut text = String::new();
                loop {
                    // A client that disconnects before the last dot has sent no letter.
                    let Some(part) = line(&mut reader, shared)? else { return Ok(()) };
                    if part == "." {
                        break;
                    }
                    text.push_str(part.strip_prefix('.').unwrap_or(&part));
                    text.push_str("\r\n");
                }
                if let Some(Trouble::AnswerLetter(code)) = trouble {
                    reply(stream, shared, trouble, &format!("{code} no"))?;
                    continue;
                }
                let letter = Letter { from: from.take().unwrap_or_default(), to: std::mem::take(&mut to), text };
                with(shared, |state| state.letters.push(letter));
                match trouble {
                    Some(Trouble::DropAfterData) => return Ok(()),
                    Some(Trouble::SilenceAfterData) => {
                        return falls_silent(&mut reader, shared);
                    }
                    _ => "250 taken",
                }
            }
            "QUIT" => return reply(stream, shared, trouble, "221 bye"),
            "NOOP" | "RSET" => "250 ok",
            _ => {
                with(shared, |state| state.breaches.push(format!("out of order: {verb}")));
                "503 out of order"
            }
        };
        reply(stream, shared, trouble, answer)?;
    }
    Ok(())
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
