//! Which files can be sent.

use crate::inbound::MediaKind;

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// The types that WhatsApp's Cloud API takes, with the largest size in bytes: what fits there fits every channel.
#[must_use]
pub const fn sendable(kind: MediaKind) -> (&'static [&'static str], usize) {
    match kind {
        MediaKind::Image => (&["image/jpeg", "image/png"], 5 * MIB),
        MediaKind::Audio => (&["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"], 16 * MIB),
        MediaKind::Video => (&["video/mp4", "video/3gpp"], 16 * MIB),
        MediaKind::Document => (
            &[
                "text/plain",
                "application/pdf",
                "application/msword",
                "application/vnd.ms-excel",
                "application/vnd.ms-powerpoint",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            ],
            100 * MIB,
        ),
        // An animated sticker may have 500 KB, another 100; which it is shows at Meta only.
        MediaKind::Sticker => (&["image/webp"], 500 * KIB),
    }
}
