//! The attendee and the professional, if the calendar tools take neither as an argument. The program reads the professional from the
//! customer's words, and the answer of the calendar names the professionals of the times.

use serde_json::Value;

use super::{Answer, ReplyDraft, calendar_info::CLIENT, toolset::SLOTS};
use crate::{catalog::Named, results, state::Question, words::Line};

impl ReplyDraft<'_> {
    /// The professionals whose calendars the tool read: all that can be booked, or only the one that the customer asked for.
    fn people(&self) -> Vec<String> {
        let told = self.answered(SLOTS).and_then(|outcome| outcome.result.get("professionals")?.as_array());
        told.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The professional of the calendar, if the tool read only one; its times then belong to that professional.
    pub(super) fn only_one(&self) -> Option<String> {
        let mut people = self.people().into_iter();
        people.next().filter(|_| people.next().is_none())
    }

    /// True if the tool read the calendar of the professional that the customer wants, or if the customer wants any professional. Else
    /// the reply says so, because no customer should get another professional without knowing.
    pub(super) fn with_whom(&mut self) -> bool {
        let people = self.people();
        let named = self.dialogue.professional();
        let now = self.dialogue.catalog.professional_in(&self.dialogue.utterance.text);
        if self.dialogue.any_professional && matches!(now, Named::Nothing) || people.is_empty() {
            return true;
        }
        match (named, people.as_slice()) {
            (Named::One(name), [only]) if name == *only => true,
            (Named::One(name), [_]) => {
                self.push_line(Line::OnlyWith { said: name, list: people });
                true
            }
            (Named::One(name), _) => {
                self.push_line(Line::CannotChoose { name });
                false
            }
            (Named::Several(list), [_, _, ..]) => {
                self.push_line(Line::WhichProfessional { list });
                false
            }
            // Only what was said just now: "com franja" of an earlier message was no name.
            (Named::Unknown(said), [_]) if now == Named::Unknown(said.clone()) => {
                self.push_line(Line::OnlyWith { said, list: people });
                true
            }
            (Named::Unknown(said), [_, _, ..]) if now == Named::Unknown(said.clone()) => {
                self.push_line(Line::NoSuchProfessional { said, list: people });
                false
            }
            _ => true,
        }
    }

    /// Whether the message names a professional: "com o Wesley tem?"
    pub(super) fn names_somebody(&self) -> bool {
        matches!(self.dialogue.catalog.professional_in(&self.dialogue.utterance.text), Named::One(_))
    }

    /// "E o Wesley?": what he does, where the calendar is his because he was named.
    pub(super) fn what_somebody_does(&mut self) {
        let today = self.dialogue.today();
        if self.days(today, today).is_none() {
            return;
        }
        let list: Vec<String> = self.dialogue.catalog.services.iter().map(|one| one.name.clone()).collect();
        self.push_line(match self.only_one() {
            Some(name) if !list.is_empty() => Line::OnlyDoes { name, list },
            _ => Line::NotKnown,
        });
    }

    /// "E com a Gertrudes?": lists the professionals if none has that name.
    pub(super) fn not_known_or_nobody(&mut self) {
        let (dialogue, today) = (self.dialogue, self.dialogue.today());
        let text = &dialogue.utterance.text;
        let unread = !dialogue.catalog.has_professionals() && dialogue.catalog.nobody_in(text).is_some();
        if !unread || self.days(today, today).is_some() {
            self.not_known(text);
        }
    }

    /// If the wanted professional does not offer the service, lists that professional's services and returns true.
    pub(super) fn tells_what_one_does(&mut self, named: &Named) -> bool {
        let Some(name) = self.only_one().filter(|_| self.dialogue.asked != Question::Service) else { return false };
        let asked_for = matches!(self.dialogue.professional(), Named::One(wanted) if wanted == name);
        if !asked_for || matches!(named, Named::One(_)) {
            return false;
        }
        let list = self.dialogue.catalog.services.iter().map(|one| one.name.clone()).collect();
        self.push_line(Line::OnlyDoes { name, list });
        true
    }

    /// What these services cost and how long they take.
    pub(super) fn services_of(&mut self, names: &[String]) {
        let row = |name: &String| {
            let data = &self.dialogue.catalog.service(name)?.data;
            let minutes = data.get("durationMinutes").and_then(Value::as_i64).map(|minutes| format!("{minutes} min"));
            let facts: Vec<String> = results::price(data, self.locale).into_iter().chain(minutes).collect();
            Some(if facts.is_empty() { name.clone() } else { format!("{name}: {}", facts.join(", ")) })
        };
        let list = names.iter().filter_map(row).collect();
        self.push_line(Line::Services { list });
    }

    /// The name of the person who comes instead of the writer.
    pub(super) fn guest_name(&self) -> Option<String> {
        self.dialogue.who.guest.as_ref()?.name.clone()
    }

    /// Says who the appointment is for, if it is not for the writer.
    pub(super) fn for_whom(&mut self) {
        if let Some(name) = self.guest_name() {
            self.push_line(Line::For { name });
        }
    }

    /// True unless the visit is for another person and a name is missing; then it asks for the name. Without the writer's own name the
    /// guest's name would be stored as theirs.
    pub(super) fn names_are_known(&mut self) -> bool {
        let Some(guest) = self.dialogue.who.guest.clone() else { return true };
        if self.contact.is_none() {
            let Some(own) = self.dialogue.who.own_name.clone() else {
                self.push_line(Line::AskName { guest: false });
                return false;
            };
            if matches!(self.ask(CLIENT, &[("preferredName", Value::String(own))]), Answer::Asked) {
                return false;
            }
        }
        if guest.name.is_none() {
            self.push_line(Line::AskName { guest: true });
        }
        guest.name.is_some()
    }
}
