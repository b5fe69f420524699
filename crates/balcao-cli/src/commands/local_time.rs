//! The local time of a new appointment, as an option says it.

use jiff::civil::DateTime;

/// Reads a local time in whole minutes.
pub(crate) fn local_time(text: &str) -> Result<DateTime, String> {
    let wrong = || format!("invalid time `{text}`; expected a local time in whole minutes, such as 2026-11-27T10:00");
    let time: DateTime = text.parse().map_err(|_source| wrong())?;
    if text.len() < "2026-11-27T10:00".len() || time.second() != 0 || time.subsec_nanosecond() != 0 {
        return Err(wrong());
    }
    Ok(time)
}
