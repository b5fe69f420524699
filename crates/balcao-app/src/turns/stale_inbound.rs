//! Messages that come hours after they were written, or wait as long: they are not answered as if they were fresh (F-31).

use std::time::Duration;

use balcao_channel::channels::whatsapp::window;
use balcao_domain::inbox::Speaker;
use balcao_language::format;
use balcao_store::messaging::inbox::InboxRow;
use balcao_tool::Locale;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};

/// The channel that closes the service window after a while.
const WHATSAPP: &str = "whatsapp";
/// So old a message is late.
const LATE: SignedDuration = SignedDuration::from_hours(2);

/// What a turn answers: words of the contact, or messages of services.
#[derive(Debug, Clone, Default)]
pub(super) struct InboundText {
    /// The contact's messages, joined by line breaks.
    pub(super) words: String,
    /// The messages of services; then the contact wrote nothing.
    pub(super) service_messages: Vec<String>,
}

impl InboundText {
    /// Holds messages of the contact.
    pub(super) fn of_contact(words: String) -> Self {
        Self { words, service_messages: Vec::new() }
    }
}

/// Reads the messages of a turn. The result leaves out the age of a message, because the contact did not write it.
pub(super) fn inbound_text(rows: &[InboxRow]) -> InboundText {
    let of = |speaker| rows.iter().filter(move |row| row.speaker == speaker).map(|row| row.text.clone());
    let words = of(Speaker::Contact).collect::<Vec<_>>().join("\n");
    InboundText { words, service_messages: of(Speaker::Service).collect() }
}

/// When the last of the messages was written, if all of them are late: days and times in them are meant from then.
pub(super) fn written(rows: &[InboxRow], zone: &TimeZone, now: Timestamp) -> Option<Zoned> {
    let written = rows.iter().map(|row| row.written_at).max().filter(|at| now.duration_since(*at) > LATE)?;
    Some(written.to_zoned(zone.clone()))
}

/// The same in words, for the model: "segunda, 23/11 às 14h".
pub(super) fn lateness_text(written: &Zoned, today: Date, locale: Locale) -> String {
    let (day, time) = (format::day_from(written.date(), today, locale), format::time(written.time(), locale));
    match locale {
        Locale::PtBr => format!("{day} às {time}"),
        Locale::En => format!("{day} at {time}"),
    }
}

/// Whether messages are so old that the channel's window for an answer is closed: a person gets them.
pub(super) fn reply_window_closed(rows: &[InboxRow], channel: &str, now: Timestamp) -> bool {
    let window = if channel == WHATSAPP { window::SERVICE } else { Duration::MAX };
    let Ok(window) = SignedDuration::try_from(window) else { return false };
    rows.iter().map(|row| row.written_at).max().is_some_and(|at| now.duration_since(at) >= window)
}
