//! What a channel can carry.

use std::time::Duration;

use crate::inbound::MediaKind;

/// What a channel can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// Longest text of one message, in UTF-16 units; see [`crate::split_text`].
    pub max_text: usize,
    /// Most buttons below one message; 0 if there are none.
    pub max_buttons: usize,
    /// Most rows of one list; 0 if there are no lists.
    pub max_rows: usize,
    /// Kinds of files that can be sent.
    pub media: &'static [MediaKind],
    /// How files of ours reach customers.
    pub own_files: MediaDelivery,
    /// Whether approved templates exist.
    pub templates: bool,
    /// Whether a message can quote another.
    pub quotes: bool,
    /// Whether messages can be marked as read.
    pub read_marks: bool,
    /// How long "is writing…" stays; `None` if it cannot be shown.
    pub typing: Option<Duration>,
    /// How long after the customer's last message anything may be sent; later only templates. `None`: always.
    pub window: Option<Duration>,
    /// Whether sending a message again under its [`crate::outbound::CorrelationId`] changes nothing: then an attempt of
    /// unknown outcome is simply repeated.
    pub idempotent: bool,
}

impl Capabilities {
    /// A channel that can do nothing. Of a message, only the words remain there.
    pub const NONE: Self = Self {
        max_text: 0,
        max_buttons: 0,
        max_rows: 0,
        media: &[],
        own_files: MediaDelivery::Link,
        templates: false,
        quotes: false,
        read_marks: false,
        typing: None,
        window: None,
        idempotent: false,
    };
}

/// How files of ours reach customers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaDelivery {
    /// The provider is given the file, and the message names it: before that, the message cannot have been sent.
    Uploaded,
    /// Within the message.
    Inline,
    /// Customers read them from us, if they get any.
    Link,
}
