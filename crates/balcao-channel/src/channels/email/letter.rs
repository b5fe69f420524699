//! A letter as bytes. Its `Message-ID` comes from our name of the message: each attempt has the same, so that a server or a mailbox
//! that knows one tells a repeated letter from a new one.

use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use sha2::{Digest, Sha256};

const FILE: &str = "agendamento.ics";

/// What a letter holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letter<'a> {
    pub(super) subject: &'a str,
    pub(super) body: &'a str,
    pub(super) calendar: Option<&'a str>,
}

/// `<…@example.com>`.
pub(super) fn message_id(correlation: &str, from: &Mailbox) -> String {
    let digest = Sha256::digest(correlation.as_bytes());
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    format!("<{name}@{}>", from.email.domain())
}

/// The letter, as it is written to the server.
///
/// # Errors
/// What the letter cannot be made of.
pub(super) fn written(letter: Letter<'_>, id: &str, from: &Mailbox, to: &Mailbox) -> Result<Vec<u8>, String> {
    let subject: String = letter.subject.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let builder = lettre::Message::builder().from(from.clone()).to(to.clone()).subject(subject.trim());
    let builder = builder.message_id(Some(id.to_owned()));
    let words = SinglePart::plain(letter.body.to_owned());
    let built = match letter.calendar {
        None => builder.singlepart(words),
        Some(calendar) => {
            let kind = ContentType::parse("text/calendar; charset=utf-8; method=PUBLISH")
                .map_err(|error| error.to_string())?;
            let file = Attachment::new(FILE.to_owned()).body(calendar.to_owned(), kind);
            builder.multipart(MultiPart::mixed().singlepart(words).singlepart(file))
        }
    };
    let mut message = built.map_err(|error| error.to_string())?;
    // No vacation answers to a machine (RFC 3834).
    let name = HeaderName::new_from_ascii_str("Auto-Submitted");
    message.headers_mut().insert_raw(HeaderValue::new(name, "auto-generated".to_owned()));
    Ok(message.formatted())
}
