//! Every limit of the web chat, in one place.

use std::time::Duration;

use balcao_app::context::request_rate::RequestRate;

/// The limits of the web chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatLimits {
    /// Largest body of a request, in bytes.
    pub body: usize,
    /// Longest message, in characters.
    pub text_chars: usize,
    /// How fast one visitor may write.
    pub messages: RequestRate,
    /// Largest file of a visitor, in bytes.
    pub file_bytes: usize,
    /// How fast one visitor may send files, beside [`ChatLimits::messages`].
    pub files: RequestRate,
    /// How fast files are taken in, of all visitors together: they lie in the database.
    pub files_of_all: RequestRate,
    /// Files that come in at the same time, an eighth of them of one address.
    pub uploads: usize,
    /// Bytes that these may take at the same time, an eighth of them of one address: room for one file at least.
    pub upload_bytes: usize,
    /// How fast new visitors are taken in of one address.
    pub visitors_of_one: RequestRate,
    /// New visitors of one address in a day; the networks around it have a few times as many.
    pub visitors_of_one_day: u32,
    /// How fast new visitors are taken in, all together.
    pub visitors: RequestRate,
    /// Streams of one visitor at the same time: pages that show the conversation.
    pub streams_per_visitor: usize,
    /// Streams at the same time, of all visitors; an eighth of them for one address.
    pub streams: usize,
    /// How often a stream looks for what another process wrote.
    pub poll: Duration,
    /// How long a stream is silent at most.
    pub heartbeat: Duration,
    /// How long a stream lasts at most; the page opens another.
    pub stream_time: Duration,
    /// How long a visitor's token holds from the day it was given out or renewed.
    pub token_time: Duration,
}

impl Default for ChatLimits {
    fn default() -> Self {
        Self {
            body: 32 * 1024,
            text_chars: 4_000,
            messages: RequestRate { burst: 10, every: Duration::from_secs(2) },
            file_bytes: 5 * 1024 * 1024,
            files: RequestRate { burst: 5, every: Duration::from_secs(30) },
            files_of_all: RequestRate { burst: 60, every: Duration::from_secs(5) },
            uploads: 128,
            upload_bytes: 64 * 1024 * 1024,
            visitors_of_one: RequestRate { burst: 15, every: Duration::from_secs(2) },
            visitors_of_one_day: 60,
            // Forty addresses would have to go on for long before other newcomers were shut out.
            visitors: RequestRate { burst: 600, every: Duration::from_millis(50) },
            streams_per_visitor: 4,
            streams: 512,
            poll: Duration::from_secs(1),
            heartbeat: Duration::from_secs(15),
            stream_time: Duration::from_hours(1),
            token_time: Duration::from_hours(24 * 180),
        }
    }
}

impl ChatLimits {
    /// New visitors of one address over a day: so many at once, and they come back over the day.
    pub(crate) fn of_one_in_a_day(&self) -> RequestRate {
        let burst = self.visitors_of_one_day.max(1);
        RequestRate { burst, every: Duration::from_hours(24) / burst }
    }
}
