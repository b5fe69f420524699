//! Push channels that are open, and the notifications that the service owes them.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use jiff::Timestamp;

/// A notification: a `POST` without a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Where it goes.
    pub address: String,
    /// `X-Goog-…`, in the order of the documentation.
    pub headers: Vec<(String, String)>,
}

impl Notice {
    /// A header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Sends it to an address that begins with `http://`, and gives the status of the answer.
    ///
    /// # Errors
    /// No answer came, or the address is one of TLS.
    pub fn deliver(&self) -> std::io::Result<u16> {
        let odd = || std::io::Error::other(format!("invalid address `{}`; expected http://host:port/…", self.address));
        let rest = self.address.strip_prefix("http://").ok_or_else(odd)?;
        let (host, path) = rest.split_once('/').ok_or_else(odd)?;
        let headers: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let mut stream = TcpStream::connect(host)?;
        let head =
            format!("POST /{path} HTTP/1.1\r\nhost: {host}\r\n{headers}content-length: 0\r\nconnection: close\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(odd)
    }
}

/// A channel.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) calendar: String,
    pub(super) resource: String,
    pub(super) address: String,
    pub(super) token: Option<String>,
    pub(super) until: Timestamp,
    pub(super) number: u64,
}

/// What is watched.
#[derive(Debug, Default)]
pub(super) struct Channels {
    pub(super) open: BTreeMap<String, Channel>,
    pub(super) notices: Vec<Notice>,
}

impl Channels {
    /// Owes every living channel of a calendar a notification.
    pub(super) fn note_change(&mut self, calendar: &str, now: Timestamp) {
        let watching = self.open.iter_mut().filter(|(_, one)| one.calendar == calendar && now < one.until);
        let due: Vec<Notice> = watching.map(|(id, channel)| notice(id, channel, "exists")).collect();
        self.notices.extend(due);
    }

    /// The ids of channels that live.
    pub(super) fn living(&self, now: Timestamp) -> Vec<String> {
        self.open.iter().filter(|(_, one)| now < one.until).map(|(id, _)| id.clone()).collect()
    }
}

/// The next notification of a channel.
pub(super) fn notice(id: &str, channel: &mut Channel, state: &str) -> Notice {
    // The numbers grow, with gaps.
    channel.number += if state == "sync" { 1 } else { 3 };
    let pair = |name: &str, value: &str| (format!("X-Goog-{name}"), value.to_owned());
    let mut headers = vec![
        pair("Channel-ID", id),
        pair("Resource-ID", &channel.resource),
        pair("Resource-State", state),
        pair(
            "Resource-URI",
            &format!("https://www.googleapis.com/calendar/v3/calendars/{}/events?alt=json", channel.calendar),
        ),
        pair("Message-Number", &channel.number.to_string()),
        pair("Channel-Expiration", &channel.until.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()),
    ];
    if let Some(token) = &channel.token {
        headers.insert(1, pair("Channel-Token", token));
    }
    Notice { address: channel.address.clone(), headers }
}
