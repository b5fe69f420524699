//! Whether a message agrees to what was asked: the strict matcher decides, the model only where it cannot.

use balcao_language::{Asked, agreement_about};

pub(crate) use balcao_language::Agreement;

/// Judges an answer to the question about a held call of `tool`: "pode remarcar" does not agree to a cancellation.
pub(crate) fn judge(text: &str, tool: &str) -> Agreement {
    let asked = if tool.contains("cancel") {
        Asked::Cancelling
    } else if tool.contains("reschedule") || tool.contains("move") {
        Asked::Rescheduling
    } else if tool.contains("create") || tool.contains("book") || tool.contains("schedule") {
        Asked::Booking
    } else {
        Asked::Other
    };
    agreement_about(text, asked)
}
