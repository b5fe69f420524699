//! What a reply can claim.

/// What a sentence claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClaimKind {
    Booked,
    Existing,
    Rescheduled,
    Cancelled,
    Noted,
    HandedOff,
    Waitlisted,
    /// A message or answer that comes later.
    Planned,
    MessageCancelled,
    /// "Prontinho!": something, whatever it was.
    Done,
}
