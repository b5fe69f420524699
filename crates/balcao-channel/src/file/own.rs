//! Files of ours: what staff give us to send, and what a file is called when somebody saves it.
//!
//! A file is what its bytes are. Its name says nothing but what to show; its ending is made to fit, so that nothing is saved as
//! something else.

use super::{MIB, MediaError};
use crate::file::sendable;
use crate::inbound::MediaKind;

/// Largest file that is kept here, in bytes, whatever a channel takes: it lies in the database and is moved as a whole.
pub const LARGEST: usize = 16 * MIB;
/// Longest file name, in characters.
const NAME_CHARS: usize = 100;
/// The kinds that staff can send.
const KINDS: [MediaKind; 4] = [MediaKind::Image, MediaKind::Video, MediaKind::Audio, MediaKind::Document];
/// Every type that is given out under its name, with the endings that fit; the first is put where none does.
const TYPES: [(&str, &[&str]); 23] = [
    ("image/jpeg", &["jpg", "jpeg"]),
    ("image/png", &["png"]),
    ("image/webp", &["webp"]),
    ("audio/aac", &["aac"]),
    ("audio/amr", &["amr"]),
    ("audio/mpeg", &["mp3"]),
    ("audio/mp4", &["m4a", "mp4"]),
    ("audio/ogg", &["ogg", "oga", "opus"]),
    ("audio/x-wav", &["wav"]),
    ("audio/x-flac", &["flac"]),
    ("video/mp4", &["mp4"]),
    ("video/3gpp", &["3gp"]),
    ("video/quicktime", &["mov"]),
    ("video/webm", &["webm"]),
    ("video/x-matroska", &["mkv"]),
    // Never `csv`: a spreadsheet would run formulas that a stranger wrote.
    ("text/plain", &["txt", "md"]),
    ("application/pdf", &["pdf"]),
    ("application/msword", &["doc"]),
    ("application/vnd.ms-excel", &["xls"]),
    ("application/vnd.ms-powerpoint", &["ppt"]),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx"]),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx"]),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", &["pptx"]),
];
/// The type of what is none of these.
pub const UNKNOWN: &str = "application/octet-stream";

/// What a file of ours is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnKind {
    /// How it is sent.
    pub kind: MediaKind,
    /// Its type, as its bytes say.
    pub mime: &'static str,
}

/// Looks at the bytes of a file that staff want to send: whether channels take it, and as what. The sizes and types are
/// WhatsApp's, the narrowest, and nothing is larger than [`LARGEST`].
///
/// # Errors
/// [`MediaError::Empty`], [`MediaError::Type`], [`MediaError::TooLarge`].
pub fn recognise(bytes: &[u8]) -> Result<OwnKind, MediaError> {
    if bytes.is_empty() {
        return Err(MediaError::Empty);
    }
    let found = super::sniffed(bytes);
    let mime = match found {
        Some("audio/m4a" | "audio/x-m4a") => "audio/mp4",
        Some("audio/opus" | "application/ogg") => "audio/ogg",
        Some(other) => other,
        None if is_text(bytes) => "text/plain",
        None => "unknown",
    };
    let fitting = KINDS.into_iter().find_map(|kind| {
        let (types, limit) = sendable(kind);
        types.iter().find(|known| **known == mime).map(|mime| (kind, *mime, limit.min(LARGEST)))
    });
    let (kind, mime, limit) = fitting.ok_or_else(|| MediaError::Type { mime: mime.to_owned() })?;
    if bytes.len() > limit { Err(MediaError::TooLarge { limit }) } else { Ok(OwnKind { kind, mime }) }
}

/// The type under which a file is given out: what its bytes were found to be, if a reader does nothing with it but show it.
#[must_use]
pub fn served_type(mime: &str) -> &'static str {
    TYPES.iter().find(|(known, _)| *known == mime).map_or(UNKNOWN, |(known, _)| known)
}

/// Every type that a file can be given out under.
pub fn served_types() -> impl Iterator<Item = &'static str> {
    TYPES.iter().map(|(mime, _)| *mime).chain([UNKNOWN])
}

/// The name under which a file of this type is saved: the last part of `said`, without what nobody sees or a file system would
/// read, and with an ending that fits; `otherwise` where nothing is left of it.
#[must_use]
pub fn name(said: Option<&str>, otherwise: &str, mime: &str) -> String {
    let last = said.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = last.chars().filter(|c| !is_hidden(*c) && !r#"<>:"|?*"#.contains(*c)).collect();
    let plain: String = plain.trim_matches([' ', '.']).chars().take(NAME_CHARS).collect();
    let base = if plain.is_empty() { otherwise } else { &plain };
    let endings: &[&str] = TYPES.iter().find(|(known, _)| *known == mime).map_or(&["bin"], |(_, endings)| endings);
    let has_it = base.rsplit_once('.').is_some_and(|(_, own)| endings.iter().any(|one| one.eq_ignore_ascii_case(own)));
    if has_it { base.to_owned() } else { format!("{base}.{}", endings.first().copied().unwrap_or("bin")) }
}

/// Controls, and what turns or hides the letters around it.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Whether bytes are words and nothing else.
fn is_text(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes);
    text.is_ok_and(|text| text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t' | '\u{c}')))
}

#[cfg(test)]
#[path = "own_tests.rs"]
mod tests;
