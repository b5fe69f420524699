//! The owner of the appointment that a customer mentions. The agent shows and changes only their own, and does not reveal whether another
//! exists.

use super::{ReplyDraft, toolset::is_calendar};
use crate::{catalog::Named, state::owner_named, words::Line};

impl ReplyDraft<'_> {
    /// Whether the message mentions the appointment of a named person who is not the writer, not a guest of the writer and not on the
    /// team; if so, the reply says that. `None` while the tools have not yet returned the team and the guests.
    pub(super) fn speaks_of_others(&mut self, asks: bool) -> Option<bool> {
        let text = &self.dialogue.utterance.text;
        let Some(name) = owner_named(text).filter(|name| !self.is_writer(name)) else { return Some(false) };
        if !self.dialogue.catalog.has_professionals() {
            if is_calendar(self.dialogue, self.tools) {
                let today = self.dialogue.today();
                self.days(today, today)?;
            } else {
                self.read("get_services", &[])?;
            }
        }
        if self.tool("get_appointment_history").is_some() {
            self.read("get_appointment_history", &[])?;
        }
        let attendees = self.dialogue.upcoming.iter().filter_map(|one| one.attendee.as_deref());
        if attendees.into_iter().any(|attendee| shares_name(attendee, &name)) {
            return Some(false);
        }
        let catalog = &self.dialogue.catalog;
        let staff = matches!(catalog.professional_in(&name), Named::One(_) | Named::Several(_));
        if staff || catalog.service_in(&name) != Named::Nothing {
            return Some(false);
        }
        self.push_line(Line::OnlyOwn { asks });
        Some(true)
    }

    /// Whether a name may be the writer's own, as the business or they themselves say it.
    fn is_writer(&self, name: &str) -> bool {
        let own = [self.contact, self.dialogue.who.own_name.as_deref()];
        own.into_iter().flatten().any(|own| shares_name(own, name))
    }
}

/// Whether one of two names is said whole in the other: "Bento" in "Bento, filho".
fn shares_name(one: &str, other: &str) -> bool {
    let words = |text: &str| {
        let folded = balcao_language::normalize(text);
        folded
            .split(|letter: char| !letter.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (one, other) = (words(one), words(other));
    one.iter().all(|word| other.contains(word)) || other.iter().all(|word| one.contains(word))
}
