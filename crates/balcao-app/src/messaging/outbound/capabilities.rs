//! The capabilities of a channel of which nothing is known.

use balcao_channel::{Capabilities, MediaDelivery};

/// A channel that can do nothing: what is left of a message there are its words.
pub(crate) const NOTHING: Capabilities = Capabilities {
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
