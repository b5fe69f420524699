//! Questions: people, hours, own appointments, subscription, and the knowledge base for the rest.

use balcao_language::Locale;
use serde_json::Value;

use super::{Answer, ReplyDraft};
use crate::{
    nlu::Act,
    results::{self, Appointment, Outcome},
    state::{Goal, Question, introduced},
    words::Line,
};

impl<'a> ReplyDraft<'a> {
    pub(super) fn information(&mut self) {
        self.own_data();
        if self.is(Act::Identity) {
            self.push_line(Line::Identity { organization: self.organization.to_owned() });
        }
        if self.is(Act::Anger) {
            self.push_line(Line::Sorry);
        }
        if self.is(Act::Prices) || self.is(Act::Offers) || self.is(Act::Services) {
            self.services();
        }
        if self.is(Act::WhoWorks) {
            self.team();
        }
        if self.is(Act::Hours) {
            self.hours();
        }
        if self.is(Act::MyAppointments) && self.dialogue.goal != Goal::Cancel && self.dialogue.goal != Goal::Reschedule
        {
            self.appointments();
        }
        if self.is(Act::Subscription) {
            self.subscription();
        }
        if self.is(Act::Plans) {
            self.plans();
        }
        if !self.is(Act::Anger) && !self.is(Act::Identity) {
            for question in &self.dialogue.utterance.questions {
                self.knowledge(question);
            }
        }
    }

    pub(super) fn extras(&mut self) {
        if self.is(Act::Waitlist) || self.accepts_waitlist() {
            self.waitlist();
        }
        if self.is(Act::Reminder) && self.dialogue.goal == Goal::Book && !self.lines.is_empty() {
            // There is nothing to be reminded of yet.
            self.lines.insert(0, Line::ReminderLater);
        } else if self.is(Act::Reminder) {
            self.reminder();
        }
        if self.is(Act::LaterContact) {
            self.follow_up();
        }
        if self.is(Act::NoLaterContact) {
            self.drop_follow_up();
        }
        if self.is(Act::NoReminder) {
            // No tool drops a reminder: a person does.
            self.push_line(if self.dialogue.reminded { Line::ReminderStays } else { Line::NoReminder });
        }
        if self.is(Act::CancelOther) {
            self.push_line(Line::Refused { message: None });
        }
        if self.is(Act::Note) {
            self.note();
        }
        if self.is(Act::OnFile) {
            self.on_file();
        }
    }

    /// A read's answer; words its failure. `None` while it is missing.
    pub(super) fn read(&mut self, name: &str, arguments: &[(&str, Value)]) -> Option<&'a Outcome> {
        match self.ask(name, arguments) {
            Answer::Ready(outcome) if outcome.code().is_some() => {
                self.failure(outcome);
                None
            }
            Answer::Ready(outcome) => Some(outcome),
            Answer::Asked => None,
            Answer::Missing => {
                self.push_line(Line::CannotNow);
                None
            }
        }
    }

    pub(super) fn appointments(&mut self) {
        let dialogue = self.dialogue;
        if self.is(Act::IsBooked) && dialogue.asked == Question::Book {
            self.push_line(Line::NotYet);
            return;
        }
        if self.speaks_of_others(false) != Some(false) {
            return;
        }
        let Some(outcome) = self.read("get_appointment_history", &[]) else { return };
        if self.is(Act::IsBooked) && !dialogue.upcoming.is_empty() {
            self.push_line(Line::Yes);
        }
        let past = ["ultima", "ultimo", "historico", "last"];
        let asks_past = past.iter().any(|word| balcao_language::contains_word(&dialogue.utterance.text, word));
        let last = results::appointments(&outcome.result, &["last_5"]);
        if let Some(what) = last.first().filter(|_| asks_past) {
            self.push_line(Line::LastVisit { what: what.clone() });
            return;
        }
        let days = &dialogue.utterance.days;
        let on_day = |one: &&Appointment| {
            days.iter().any(|day| one.date.is_some_and(|date| day.first <= date && date <= day.last))
        };
        let that_day: Vec<Appointment> = dialogue.upcoming.iter().filter(on_day).cloned().collect();
        let list = if that_day.is_empty() { dialogue.upcoming.clone() } else { that_day };
        self.push_line(if list.is_empty() { Line::NoAppointments } else { Line::Appointments { list } });
    }

    fn subscription(&mut self) {
        let Some(outcome) = self.read("get_subscriber_status", &[]) else { return };
        let result = &outcome.result;
        let message = results::message(result);
        if result.get("is_subscriber").and_then(Value::as_bool) != Some(true) {
            self.push_line(Line::NotSubscribed { message });
            return;
        }
        let active = result.get("active_plans").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let name = |plan: &Value| {
            plan.as_str().map(str::to_owned).or_else(|| results::text(plan, &["name", "plan", "plan_name"]))
        };
        let plans: Vec<String> = active.iter().filter_map(name).collect();
        let own_due = active.iter().find_map(|plan| results::text(plan, &["due_date", "due"]));
        let due = results::text(result, &["due_date", "due"]).or(own_due).as_deref().and_then(results::date_of);
        if plans.is_empty() && due.is_none() {
            self.push_line(Line::NotSubscribed { message });
        } else {
            self.push_line(Line::Subscribed { plans, due });
        }
    }

    fn plans(&mut self) {
        let Some(outcome) = self.read("get_subscription_plans", &[]) else { return };
        let plans = outcome.result.get("plans").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let locale = self.locale;
        let named = |plan: &&Value| {
            let text = &self.dialogue.utterance.text;
            results::text(plan, &["name"]).is_some_and(|name| balcao_language::contains_word(text, &name))
        };
        let mut asked: Vec<&Value> = plans.iter().filter(named).collect();
        if asked.is_empty() {
            asked = plans.iter().collect();
        }
        let list: Vec<String> = asked.into_iter().filter_map(|plan| plan_row(plan, locale)).collect();
        self.push_line(if list.is_empty() { Line::NoPlans } else { Line::Plans { list } });
    }

    pub(super) fn knowledge(&mut self, question: &str) {
        if self.price_follow_up(question) {
            return;
        }
        let catalog = &self.dialogue.catalog;
        let on_the_list = crate::catalog::names_object(question) || catalog.nobody_in(question).is_some();
        if !catalog.has_services() && on_the_list && self.read("get_services", &[]).is_none() {
            return;
        }
        if self.skill(question) {
            return;
        }
        if let Some(other) = catalog.other_act(question) {
            self.unlisted(&other.said);
            return;
        }
        let query = Value::String(question.to_owned());
        let searched = if self.may_call && self.tool("search_knowledge_base").is_none() {
            None
        } else {
            let Some(outcome) = self.read("search_knowledge_base", &[("query", query)]) else { return };
            outcome.result.get("results").and_then(Value::as_array)
        };
        let found = searched.map(Vec::as_slice).unwrap_or_default();
        let asked = telling(balcao_language::search_tokens(question));
        let spoken = telling(stems(question));
        let shared = |entry: &Value| {
            let text: Vec<String> =
                ["title", "content", "category"].iter().filter_map(|key| results::text(entry, &[key])).collect();
            let text = text.join(" ");
            let words = balcao_language::search_tokens(&text);
            let shared = asked.iter().filter(|word| words.contains(word)).count();
            let literal = stems(&text);
            // A word of the question itself is evidence in a short one; synonyms alone must make up half of it.
            let literal = spoken.iter().filter(|word| literal.contains(word)).count();
            let evident = literal.saturating_mul(2) >= spoken.len().max(1) || shared.saturating_mul(2) >= asked.len();
            if evident { shared } else { 0 }
        };
        // The first of the best: the search's own order breaks ties.
        let mut best: Option<(usize, &Value)> = None;
        for entry in found {
            let score = shared(entry);
            if score > 0 && best.is_none_or(|(most, _)| score > most) {
                best = Some((score, entry));
            }
        }
        match best.and_then(|(_, entry)| results::text(entry, &["content"])) {
            Some(content) => self.push_line(Line::Knowledge { content }),
            None if self.restriction(question) => {}
            None => match self.other_service(question) {
                Some(said) => self.unlisted(&said),
                None => self.not_known(question),
            },
        }
    }

    /// Says that a question has no answer here, because its subject is not on the team or is unknown.
    pub(super) fn not_known(&mut self, question: &str) {
        let list = self.dialogue.catalog.professionals.clone();
        let nobody = self.dialogue.catalog.nobody_in(question).filter(|_| !list.is_empty());
        self.push_line(nobody.map_or(Line::NotKnown, |said| Line::NoSuchProfessional { said, list }));
    }

    /// Keeps the e-mail address and the name that the customer gives.
    fn own_data(&mut self) {
        if let Some(email) = self.dialogue.utterance.email.clone() {
            match self.ask("update_contact", &[("email", Value::String(email.clone()))]) {
                Answer::Ready(outcome) if outcome.succeeded() => self.push_line(Line::EmailKept { email }),
                Answer::Ready(_) | Answer::Missing => self.push_line(Line::CannotNow),
                Answer::Asked => {}
            }
        }
        self.own_name();
    }

    /// Passes on what the team should know, in the customer's words.
    fn note(&mut self) {
        let content: String = self.dialogue.utterance.text.chars().take(500).collect();
        match self.ask("add_internal_note", &[("content", Value::String(content))]) {
            Answer::Ready(outcome) if outcome.succeeded() => self.push_line(Line::Noted),
            Answer::Ready(_) | Answer::Missing => self.push_line(Line::CannotNow),
            Answer::Asked => {}
        }
    }

    /// What is on file about the customer.
    fn on_file(&mut self) {
        let Some(outcome) = self.read("get_contact_info", &[]) else { return };
        let list = ["name", "email", "phone"].iter().filter_map(|key| results::text(&outcome.result, &[key])).collect();
        self.push_line(Line::OnFile { list });
    }

    fn drop_follow_up(&mut self) {
        match self.ask("cancel_followup", &[]) {
            Answer::Ready(_) | Answer::Missing => self.push_line(Line::NoFollowUp),
            Answer::Asked => {}
        }
    }

    /// Keeps the name that the customer gives, if it is not the one we have.
    fn own_name(&mut self) {
        let utterance = &self.dialogue.utterance;
        // "Sou a Ana" counts as the contact's name only if the contact has no name yet.
        let introduced = introduced(&utterance.text).filter(|_| self.contact.is_none());
        let Some(name) = utterance.own_name.clone().or(introduced) else { return };
        let known =
            self.contact.is_some_and(|known| balcao_language::normalize(known) == balcao_language::normalize(&name));
        if known && self.answered("update_contact").is_none() {
            return;
        }
        match self.ask("update_contact", &[("name", Value::String(name.clone()))]) {
            Answer::Ready(outcome) if outcome.succeeded() => {
                let first = name.split_whitespace().next().unwrap_or_default().to_owned();
                self.push_line(Line::NameKept { name: first });
            }
            // The conversation goes on without it.
            Answer::Ready(_) | Answer::Asked | Answer::Missing => {}
        }
    }

    fn reminder(&mut self) {
        let minutes = self.dialogue.utterance.minutes_before;
        let value = minutes.map_or(Value::Null, Value::from);
        match self.ask("schedule_appointment_reminder", &[("minutes_before", value)]) {
            Answer::Ready(outcome) if outcome.succeeded() => self.push_line(Line::ReminderSet { minutes }),
            Answer::Ready(outcome) => {
                let nothing = outcome.result.get("reason").and_then(Value::as_str) == Some("NO_UPCOMING");
                let line = match outcome.code() {
                    None if nothing => Line::NoAppointments,
                    Some("not_found") => Line::NoAppointments,
                    Some(_) => Line::CannotNow,
                    None => Line::Refused { message: results::message(&outcome.result) },
                };
                self.push_line(line);
            }
            Answer::Missing => self.push_line(Line::CannotNow),
            Answer::Asked => {}
        }
    }

    fn follow_up(&mut self) {
        let hint: String = self.dialogue.utterance.text.chars().take(200).collect();
        let arguments = [
            ("delay_minutes", Value::from(1440)),
            ("message_hint", Value::String(hint)),
            ("followup_type", Value::String("value".to_owned())),
        ];
        match self.ask("schedule_followup", &arguments) {
            Answer::Ready(outcome) if outcome.succeeded() => self.push_line(Line::FollowUpSet),
            Answer::Ready(_) | Answer::Missing => self.push_line(Line::NoHurry),
            Answer::Asked => {}
        }
    }
}

pub(super) fn plan_row(plan: &Value, locale: Locale) -> Option<String> {
    let name = results::text(plan, &["name"])?;
    let price = results::price(plan, locale).map(|price| format!(": {price}")).unwrap_or_default();
    let benefits = plan.get("benefits").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let benefits: Vec<&str> = benefits.iter().filter_map(Value::as_str).collect();
    let benefits = if benefits.is_empty() { String::new() } else { format!(" ({})", benefits.join(", ")) };
    Some(format!("{name}{price}{benefits}"))
}

/// The words that tell what a question is about: of when ("na hora"), of problems, of needs and of serving every entry may speak.
fn telling(words: Vec<String>) -> Vec<String> {
    const EVERYWHERE: &[&str] = &[
        "hor", "hora", "dia", "seman", "mes", "ano", "temp", "minut", "min", "moment", "vez", "problem", "atend",
        "antes", "depois", "precis",
    ];
    let told: Vec<String> = words.iter().filter(|word| !EVERYWHERE.contains(&word.as_str())).cloned().collect();
    if told.is_empty() { words } else { told }
}

/// The significant words of a text by their stems, synonyms kept apart.
fn stems(text: &str) -> Vec<String> {
    let words = balcao_language::tokens(text).into_iter().map(|token| token.text);
    let words = words.filter(|word| word.len() > 2 && !balcao_language::search::is_stop_word(word));
    words.map(|word| balcao_language::search::stem(&word)).collect()
}
