//! Customer-facing words by key. The words live in `locales/`, one file per language.

use std::sync::LazyLock;

use balcao_tool::Locale;
use serde::Deserialize;

/// All notices of one language. A key that a file lacks or has too many fails the tests of this module.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each field is the notice of that name; the words are in `locales/`")]
pub struct Notices {
    pub fallback: String,
    pub handoff: String,
    pub team_back: String,
    /// To somebody of staff, whom nobody else can be called for: no answer was found.
    pub staff_failed: String,
    /// The same: an effect may have happened or not.
    pub staff_uncertain: String,
    /// The same: what they ask for needs somebody's approval.
    pub staff_approval: String,
    /// An effect may have happened or not.
    pub uncertain: String,
    pub opted_out: String,
    /// Messages that nobody asked for are welcome again.
    pub opted_in: String,
    pub slow_down: String,
    /// What came has no words that can be read.
    pub wordless: String,
    /// The contact said yes to a reminder; `{service}`, `{professional}`, `{day}` and `{time}` are the visit's.
    pub visit_confirmed: String,
    pub summary_request: String,
    /// In a handoff's summary: the appointment in question. `{appointment}`.
    pub summary_appointment: String,
    pub note_title: String,
    pub note_customer: String,
    pub note_phone: String,
    pub note_service: String,
    pub note_when: String,
    pub note_professional: String,
    pub note_attempts: String,
    pub note_trigger: String,
    pub note_turn: String,
    pub note_none: String,
    pub booked: String,
    pub rescheduled: String,
    pub cancelled: String,
    pub waitlisted: String,
    pub existing: String,
    pub reminder: String,
    pub reminder_confirm: String,
    pub reminder_move: String,
    pub reminder_confirmed: String,
    pub reminder_moved: String,
    pub change_moved: String,
    /// Of a move that changes the price.
    pub change_price: String,
    pub change_cancelled: String,
    pub change_kept: String,
    pub change_visit: String,
    pub follow_up_ask: String,
    pub follow_up_curiosity: String,
    pub follow_up_value: String,
    /// To a customer whom nobody of staff has answered for a while.
    pub nobody_yet: String,
    pub follow_up_farewell: String,
}

static PT_BR: LazyLock<Notices> = LazyLock::new(|| load(include_str!("../locales/pt-BR.toml")));
static EN: LazyLock<Notices> = LazyLock::new(|| load(include_str!("../locales/en.toml")));

/// The notices of a language.
#[must_use]
pub fn notices(locale: Locale) -> &'static Notices {
    match locale {
        Locale::PtBr => &PT_BR,
        Locale::En => &EN,
    }
}

/// Puts `value` where the notice says `{name}`.
#[must_use]
pub fn fill(notice: &str, name: &str, value: &str) -> String {
    notice.replace(&format!("{{{name}}}"), value)
}

#[expect(clippy::expect_used, reason = "the files are part of the program, and a test loads both")]
fn load(text: &str) -> Notices {
    toml::from_str(text).expect("the shipped locale files hold exactly the keys of `Notices`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_have_every_notice_and_the_default_fallback_is_the_specified_sentence() {
        assert_eq!(
            notices(Locale::PtBr).fallback,
            "Estou com dificuldade para concluir essa ação no momento. Vou encaminhar para nossa equipe te ajudar diretamente!"
        );
        assert!(!notices(Locale::En).fallback.is_empty());
    }
}
