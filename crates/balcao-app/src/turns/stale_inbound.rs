//! Late messages: they arrive hours after the contact wrote them, or waited for hours. A turn does not answer them like new messages
//! (F-31).

use std::time::Duration;

use balcao_channel::channels::whatsapp::window;
use balcao_language::format;
use balcao_store::messaging::inbox::InboxRow;
use balcao_store::turns::turn;
use balcao_store::{StoreError, Tx};
use balcao_tool::Locale;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};

use super::opened_turn::TurnSubject;

/// The channel that closes the service window after a while.
const WHATSAPP: &str = "whatsapp";
/// Age from which a message is late.
const LATE: SignedDuration = SignedDuration::from_hours(2);

/// Returns when the last of the messages was written, if all of them are late. Days and times in the messages count from that time.
pub(super) fn written(rows: &[InboxRow], zone: &TimeZone, now: Timestamp) -> Option<Zoned> {
    let written = rows.iter().map(|row| row.written_at).max().filter(|at| now.duration_since(*at) > LATE)?;
    Some(written.to_zoned(zone.clone()))
}

/// Returns whether another turn was answered after late messages were written at `written`. They answer nothing of that turn.
///
/// # Errors
/// What the database said.
pub(super) fn is_overtaken(tx: &mut Tx<'_>, subject: &TurnSubject, written: Timestamp) -> Result<bool, StoreError> {
    let turns = turn::latest(tx, subject.organization.id, subject.conversation.id, 2)?;
    Ok(turns.iter().any(|other| other.id != subject.turn && other.closed_at.is_some_and(|closed| closed > written)))
}

/// Words the time at which late messages were written, for the model: "segunda, 23/11 às 14h".
pub(super) fn lateness_text(written: &Zoned, today: Date, locale: Locale) -> String {
    let (day, time) = (format::day_from(written.date(), today, locale), format::time(written.time(), locale));
    match locale {
        Locale::PtBr => format!("{day} às {time}"),
        Locale::En => format!("{day} at {time}"),
    }
}

/// Returns whether the messages are so old that the service window of the channel is closed. A person then gets them.
pub(super) fn reply_window_closed(rows: &[InboxRow], channel: &str, now: Timestamp) -> bool {
    let window = if channel == WHATSAPP { window::SERVICE } else { Duration::MAX };
    let Ok(window) = SignedDuration::try_from(window) else { return false };
    rows.iter().map(|row| row.written_at).max().is_some_and(|at| now.duration_since(at) >= window)
}
