//! Messages that come hours after they were written, or wait as long: they are not answered as if they were fresh (F-31).

use std::time::Duration;

use balcao_channel::channels::whatsapp::window;
use balcao_language::say;
use balcao_store::inbox::InboxRow;
use balcao_tool::Locale;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// The channel that lets nobody answer after a while.
const WHATSAPP: &str = "whatsapp";
/// So old a message is late.
const LATE: SignedDuration = SignedDuration::from_hours(2);

/// What a turn reads of messages: their words and, if all of them are late, when the last was written.
pub(super) fn words(rows: &[InboxRow], zone: &TimeZone, locale: Locale, now: Timestamp) -> String {
    let said = rows.iter().map(|row| row.text.as_str()).collect::<Vec<_>>().join("\n");
    let Some(written) = rows.iter().map(|row| row.written_at).max().filter(|at| now.duration_since(*at) > LATE) else {
        return said;
    };
    let (written, today) = (written.to_zoned(zone.clone()), now.to_zoned(zone.clone()).date());
    let language = say::Locale::of(locale.tag());
    let (day, time) = (say::day_from(written.date(), today, language), say::time(written.time(), language));
    let note = match locale {
        Locale::PtBr => format!("mensagem escrita {day} às {time}, que só chegou agora"),
        Locale::En => format!("message written {day} at {time}, which came only now"),
    };
    format!("{said}\n[{note}]")
}

/// Whether messages are so old that the channel's window for an answer is closed: a person gets them.
pub(super) fn too_late(rows: &[InboxRow], channel: &str, now: Timestamp) -> bool {
    let window = if channel == WHATSAPP { window::SERVICE } else { Duration::MAX };
    let Ok(window) = SignedDuration::try_from(window) else { return false };
    rows.iter().map(|row| row.written_at).max().is_some_and(|at| now.duration_since(at) >= window)
}
