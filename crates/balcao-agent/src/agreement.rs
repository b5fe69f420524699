//! Whether a message agrees to what was asked: the strict matcher decides, the model only where it cannot.

pub(crate) use balcao_language::agreement::Agreement;

/// Judges a message. Several messages of a burst must all agree, so that "sim" followed by "não, espera" does not.
pub(crate) fn judge(text: &str) -> Agreement {
    balcao_language::agreement::agreement(text)
}
