//! Files, whatever channel they travel by: limits, what can go wrong, and what the bytes are. Those of ours are in [`own`].
//!
//! What a message or a provider says of a file is a claim. [`inspect`] looks at the bytes.

use crate::{
    error::{GiveUpReason, SendClass, SendError},
    inbound::MediaKind,
};

mod length;
pub mod own;
mod sendable;

pub use length::length;
pub use sendable::sendable;

const MIB: usize = 1024 * 1024;

/// What of customers' files is fetched.
#[derive(Debug, Clone, Copy)]
pub struct DownloadLimits {
    /// Largest size in bytes.
    pub max_bytes: usize,
    /// Types, such as `application/pdf`; one that ends in a slash stands for all below it.
    pub types: &'static [&'static str],
}

impl Default for DownloadLimits {
    /// Pictures without script (no SVG), sound, films and PDF up to 16 MiB.
    fn default() -> Self {
        let types = &["image/jpeg", "image/png", "image/webp", "audio/", "video/", "application/pdf"];
        Self { max_bytes: 16 * MIB, types }
    }
}

/// A file of a customer.
#[derive(Clone, PartialEq, Eq)]
pub struct Downloaded {
    /// Its type, without parameters.
    pub mime: String,
    /// Its bytes: untrusted.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Downloaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Downloaded").field("mime", &self.mime).field("bytes", &self.bytes.len()).finish()
    }
}

/// Why a file was not moved. All may be repeated without harm.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// It is too large.
    #[error("the file is larger than {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
    /// It is of another type.
    #[error("files of type `{mime}` are not taken here")]
    Type {
        /// Its type.
        mime: String,
    },
    /// It is empty.
    #[error("the file is empty")]
    Empty,
    /// Its id cannot be one.
    #[error("the id of the file holds what no id holds")]
    Id,
    /// It is not kept any longer (customers' files live seven days there), or never was.
    #[error("the file is not there any more: ask for it again")]
    Gone,
    /// It would have to be fetched where the token must not go.
    #[error("the file is said to be at `{host}`, which is not Meta's: not fetched")]
    Host {
        /// That host.
        host: String,
    },
    /// Its bytes are of another kind than it was said to be.
    #[error("the file was said to be of type `{said}`, and its bytes are of type `{found}`")]
    Disguised {
        /// What was said.
        said: String,
        /// What the bytes are; `unknown` if they are nothing that is known.
        found: String,
    },
    /// The channel cannot give files, or take them.
    #[error("no files travel by this channel")]
    Unsupported,
    /// Its bytes are not those that were announced.
    #[error("the file's hash differs from the one announced")]
    Altered,
    /// The exchange failed.
    #[error(transparent)]
    Exchange(#[from] SendError),
}

impl MediaError {
    /// What may be done.
    #[must_use]
    pub const fn class(&self) -> SendClass {
        match self {
            Self::TooLarge { .. }
            | Self::Type { .. }
            | Self::Empty
            | Self::Id
            | Self::Gone
            | Self::Host { .. }
            | Self::Disguised { .. }
            | Self::Unsupported => SendClass::give_up(GiveUpReason::Media),
            Self::Altered => SendClass::retry(),
            Self::Exchange(error) => error.class,
        }
    }
}

/// Looks at the bytes of a file that came as `kind`: the type is what they are, whatever was said of it.
///
/// # Errors
/// [`MediaError::Disguised`] if they are of another kind, or of none that is known; [`MediaError::Type`] if they are of a type
/// that is not taken.
pub fn inspect(kind: MediaKind, file: Downloaded, limits: DownloadLimits) -> Result<Downloaded, MediaError> {
    let found = sniffed(&file.bytes);
    // The container of MPEG-4 says nothing of whether there are pictures in it.
    let mime = match (kind, found) {
        (MediaKind::Audio, Some("audio/m4a" | "audio/x-m4a" | "video/mp4")) => Some("audio/mp4"),
        (MediaKind::Audio, Some("audio/opus" | "application/ogg" | "video/ogg")) => Some("audio/ogg"),
        (_, found) => found,
    };
    let of_its_kind = |mime: &str| match kind {
        MediaKind::Image => mime.starts_with("image/"),
        MediaKind::Sticker => mime == "image/webp",
        MediaKind::Audio => mime.starts_with("audio/"),
        MediaKind::Video => mime.starts_with("video/"),
        // Some phones send pictures as documents, to keep them sharp. What is said must be true all the same.
        MediaKind::Document => mime == file.mime,
    };
    match mime {
        Some(mime) if of_its_kind(mime) => {
            check_type(mime, limits)?;
            Ok(Downloaded { mime: mime.to_owned(), bytes: file.bytes })
        }
        other => Err(MediaError::Disguised { said: file.mime, found: other.unwrap_or("unknown").to_owned() }),
    }
}

/// The type that bytes have, if it is one that is known.
fn sniffed(bytes: &[u8]) -> Option<&'static str> {
    // The library takes anything that begins with `#!` for a script.
    let amr = bytes.starts_with(b"#!AMR").then_some("audio/amr");
    amr.or_else(|| infer::get(bytes).map(|known| known.mime_type()))
}

/// `audio/ogg` of `Audio/OGG; codecs=opus`.
pub(crate) fn bare_type(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

pub(crate) fn check_type(mime: &str, limits: DownloadLimits) -> Result<(), MediaError> {
    let mime = bare_type(mime);
    let taken =
        limits.types.iter().any(|known| if known.ends_with('/') { mime.starts_with(known) } else { mime == *known });
    if taken { Ok(()) } else { Err(MediaError::Type { mime }) }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
