//! When anything may be sent, and when only a template.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::inbound::{Content, InboundMessage};

/// How long after a customer's last message anything may be sent.
pub const SERVICE: Duration = Duration::from_hours(24);
/// How long after a customer came by an advertisement everything is free, if they were answered within a day.
pub const FREE_ENTRY: Duration = Duration::from_hours(72);
/// What is kept back at the end: clocks differ, and a message takes its time.
pub const MARGIN: Duration = Duration::from_mins(2);
/// How long "is writing…" stays.
pub const TYPING: Duration = Duration::from_secs(25);

/// Whether anything may be sent now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowState {
    /// Anything, before this instant.
    Open {
        /// The end, margin taken off.
        until: Timestamp,
    },
    /// Only an approved template.
    Closed,
}

impl WindowState {
    /// True if anything may be sent.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Open { .. })
    }
}

/// The window at `now`, by when the customer last wrote (of what [`opens`] it) or called. `None`: never.
#[must_use]
pub fn state(last_from_customer: Option<Timestamp>, now: Timestamp) -> WindowState {
    match last_from_customer.and_then(ends) {
        Some(until) if now < until => WindowState::Open { until },
        Some(_) | None => WindowState::Closed,
    }
}

/// When the window of a message ends, margin taken off. `None` at the end of time.
#[must_use]
pub fn ends(from_customer: Timestamp) -> Option<Timestamp> {
    after(from_customer, SERVICE)
}

/// Until when everything is free after a message that an advertisement led to; `None` if it was not answered within a day.
/// Counted from the message, the earlier of the readings of Meta's pages.
#[must_use]
pub fn free_entry(message: Timestamp, answered: Timestamp) -> Option<Timestamp> {
    let in_time = answered.duration_since(message) <= SignedDuration::from_hours(24);
    in_time.then(|| after(message, FREE_ENTRY)).flatten()
}

/// Until when everything is free for a customer whom advertisements led here: for each, when they wrote by it, and when they were
/// first answered; `None`: not yet, so that what is sent at `now` is the answer. `None` if nothing is free now.
#[must_use]
pub fn free_until(
    entries: impl IntoIterator<Item = (Timestamp, Option<Timestamp>)>,
    now: Timestamp,
) -> Option<Timestamp> {
    let each = entries.into_iter().filter_map(|(wrote, answered)| free_entry(wrote, answered.unwrap_or(now)));
    each.filter(|until| now < *until).max()
}

fn after(from: Timestamp, span: Duration) -> Option<Timestamp> {
    let span = SignedDuration::try_from(span.saturating_sub(MARGIN)).ok()?;
    from.checked_add(span).ok()
}

/// Whether a message opens the window. What is in doubt does not: a closed window costs a template, an assumed one a
/// refused answer.
#[must_use]
pub const fn opens(message: &InboundMessage) -> bool {
    if message.group.is_some() {
        return false;
    }
    match &message.content {
        Content::Text { .. }
        | Content::Media(_)
        | Content::Location(_)
        | Content::ContactCards { .. }
        | Content::ButtonReply { .. }
        | Content::ListReply { .. }
        | Content::Order(_) => true,
        Content::Reaction { .. }
        | Content::Edit { .. }
        | Content::Delete { .. }
        | Content::System(_)
        | Content::Unsupported { .. } => false,
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
