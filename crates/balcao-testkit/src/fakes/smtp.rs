//! A strict server for mail on 127.0.0.1: commands in their order, lines that end as they must, a login where one is wanted. It can
//! be told to make trouble.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What the server does with one letter instead of taking it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// Says nothing at all, until whoever connected leaves.
    Silence,
    /// Lets so much time pass before each answer, the greeting included.
    Slow(Duration),
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
    /// From whom, by the envelope.
    pub from: String,
    /// To whom, by the envelope.
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
}

/// The server; it ends with the test.
#[derive(Debug, Clone)]
pub struct FakeSmtp {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl FakeSmtp {
    /// Starts one; with `login`, `AUTH PLAIN` of user and password is wanted.
    ///
    /// # Errors
    /// No port could be opened.
    pub fn start(login: Option<(&'static str, &'static str)>) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let server = Self { address: listener.local_addr()?, state: Arc::default() };
        let state = Arc::clone(&server.state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&state);
                // One that is silent must not keep the next one waiting.
                std::thread::spawn(move || drop(serve(&stream, &state, login)));
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

    /// Every letter that arrived whole, also where nobody was told so.
    #[must_use]
    pub fn letters(&self) -> Vec<Letter> {
        self.locked(|state| state.letters.clone())
    }

    /// How often somebody connected.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.locked(|state| state.connections)
    }

    /// What whoever connected did against the protocol.
    #[must_use]
    pub fn breaches(&self) -> Vec<String> {
        self.locked(|state| state.breaches.clone())
    }

    fn locked<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn with<T>(state: &Mutex<State>, work: impl FnOnce(&mut State) -> T) -> T {
    work(&mut state.lock().unwrap_or_else(PoisonError::into_inner))
}

/// A line without its end; `None` at the end of the connection.
fn line(reader: &mut impl BufRead, state: &Mutex<State>) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if reader.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match text.strip_suffix("\r\n") {
        Some(line) => {
            if line.len() > 998 {
                with(state, |state| state.breaches.push("a line of more than 998 bytes".to_owned()));
            }
            Ok(Some(line.to_owned()))
        }
        None => {
            with(state, |state| state.breaches.push(format!("a line that does not end in CR LF: {text:?}")));
            Ok(Some(text.trim_end().to_owned()))
        }
    }
}

/// Answers, in its own time.
fn reply(mut out: &TcpStream, trouble: Option<Trouble>, answer: &str) -> std::io::Result<()> {
    if let Some(Trouble::Slow(before)) = trouble {
        std::thread::sleep(before);
    }
    out.write_all(format!("{answer}\r\n").as_bytes())
}

fn serve(stream: &TcpStream, state: &Mutex<State>, login: Option<(&str, &str)>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let trouble = with(state, |state| {
        state.connections += 1;
        state.troubles.pop_front()
    });
    if trouble == Some(Trouble::Silence) {
        while line(&mut reader, state)?.is_some() {}
        return Ok(());
    }
    let wanted = login.map(|(user, password)| base64(format!("\0{user}\0{password}").as_bytes()));
    let mut greeted = false;
    let mut known = wanted.is_none();
    let (mut from, mut to): (Option<String>, Vec<String>) = (None, Vec::new());
    reply(stream, trouble, "220 fake ESMTP")?;
    while let Some(command) = line(&mut reader, state)? {
        let verb = command.split([' ', ':']).next().unwrap_or_default().to_uppercase();
        if let Some(Trouble::Answer(at, code)) = trouble
            && at == verb
        {
            reply(stream, trouble, &format!("{code} no"))?;
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
                reply(stream, trouble, "354 go")?;
                if trouble == Some(Trouble::DropAtData) {
                    return Ok(());
                }
                let mut text = String::new();
                loop {
                    // Whoever leaves before the last dot has sent nothing.
                    let Some(part) = line(&mut reader, state)? else { return Ok(()) };
                    if part == "." {
                        break;
                    }
                    text.push_str(part.strip_prefix('.').unwrap_or(&part));
                    text.push_str("\r\n");
                }
                if let Some(Trouble::AnswerLetter(code)) = trouble {
                    reply(stream, trouble, &format!("{code} no"))?;
                    continue;
                }
                let letter = Letter { from: from.take().unwrap_or_default(), to: std::mem::take(&mut to), text };
                with(state, |state| state.letters.push(letter));
                match trouble {
                    Some(Trouble::DropAfterData) => return Ok(()),
                    Some(Trouble::SilenceAfterData) => {
                        while line(&mut reader, state)?.is_some() {}
                        return Ok(());
                    }
                    _ => "250 taken",
                }
            }
            "QUIT" => return reply(stream, trouble, "221 bye"),
            "NOOP" | "RSET" => "250 ok",
            _ => {
                with(state, |state| state.breaches.push(format!("out of order: {verb}")));
                "503 out of order"
            }
        };
        reply(stream, trouble, answer)?;
    }
    Ok(())
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
