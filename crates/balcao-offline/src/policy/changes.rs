//! Cancelling and moving: find the appointment that is meant, then let the tool ask for the customer's agreement.

use balcao_language::{Agreement, Asked, agreement_about};
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{
    Answer, ReplyDraft,
    slots::{asking, clock, nearest, spread},
    wish::Wish,
};
use crate::{
    catalog::Named,
    results::{self, Appointment, Outcome},
    state::{Goal, Question, place_in, says_all},
    words::Line,
};

impl ReplyDraft<'_> {
    pub(super) fn cancel(&mut self) {
        if let Some(outcome) = self.answered("cancel_appointment") {
            self.held_or_refused(outcome);
            return;
        }
        if self.repeats_held("cancel_appointment", Asked::Cancelling) {
            return;
        }
        if self.speaks_of_others(true) != Some(false) {
            return;
        }
        let Some(what) = self.which() else { return };
        self.cancel_this(&what);
    }

    fn cancel_this(&mut self, what: &Appointment) {
        let id = what.id.clone().unwrap_or(Value::Null);
        if let Answer::Missing = self.ask("cancel_appointment", &[("appointment_id", id)]) {
            self.push_line(Line::CannotNow);
        }
    }

    /// After one of several cancellations: the next one is asked for.
    pub(super) fn cancel_next(&mut self) {
        let Some(words) = self.dialogue.several.clone() else { return };
        if let Some(held) = self.dialogue.outcomes.last().filter(|outcome| outcome.name == "cancel_appointment")
            && !held.succeeded()
        {
            self.held_or_refused(held);
            return;
        }
        let Answer::Ready(outcome) = self.ask("get_appointment_history", &[]) else { return };
        // A list from before the cancellation still has what is gone.
        let read_after = self.dialogue.outcomes.last() == Some(outcome);
        if outcome.code().is_none()
            && read_after
            && let Some(next) = self.named(&self.dialogue.upcoming, &words).first()
        {
            self.cancel_this(next);
        }
    }

    pub(super) fn reschedule(&mut self) {
        let dialogue = self.dialogue;
        if let Some(outcome) = self.answered("reschedule_appointment") {
            self.held_or_refused(outcome);
            return;
        }
        if self.repeats_held("reschedule_appointment", Asked::Rescheduling) {
            return;
        }
        if self.unclear_time() {
            return;
        }
        if self.speaks_of_others(true) != Some(false) {
            return;
        }
        let Some(what) = self.which() else { return };
        // "Remarcar sexta" names the appointment if there is one that day, else where it is to go.
        let source_is_target = dialogue.day.is_none()
            && dialogue.source.is_some_and(|day| what.date.is_none_or(|date| date < day.first || day.last < date));
        let day = if source_is_target { dialogue.source } else { dialogue.day };
        let same = ["mesmo horario", "mesma hora", "same time"];
        let same = same.iter().any(|words| balcao_language::contains_word(&dialogue.utterance.text, words));
        let time = dialogue.times.first().copied().or(what.time.filter(|_| same));
        let date = match (day, time) {
            (Some(day), _) if day.first == day.last => day.first,
            (None, Some(_)) => what.date.unwrap_or_else(|| dialogue.today()),
            _ => {
                self.push_line(Line::AskNewTime { what });
                return;
            }
        };
        let person = match dialogue.professional() {
            Named::One(name) | Named::Unknown(name) if Some(&name) != what.professional.as_ref() => Some(name),
            Named::One(_) | Named::Unknown(_) | Named::Several(_) | Named::Nothing => None,
        };
        if Some(date) == what.date && time.is_some() && time == what.time && person.is_none() {
            // The words name the present time, as those of a reminder's button do: where it is to go is still open.
            self.push_line(Line::AskNewTime { what });
            return;
        }
        if Some(date) == what.date && time.is_some() && person.is_none() {
            // The contact's own appointment hides the times around it: only the tool can tell.
            self.reschedule_to(&what, date, time, person);
            return;
        }
        self.reschedule_if_free(&what, date, time, person);
    }

    fn reschedule_if_free(&mut self, what: &Appointment, date: Date, wanted: Option<Time>, person: Option<String>) {
        let text = |value: Option<String>| value.map_or(Value::Null, Value::String);
        let with = person.clone().or_else(|| what.professional.clone());
        let arguments = [
            ("date", Value::String(date.to_string())),
            ("barber_name", text(with.clone())),
            ("service_name", text(what.service.clone())),
        ];
        let outcome = match self.ask("check_availability", &arguments) {
            Answer::Ready(outcome) => outcome,
            Answer::Asked => return,
            Answer::Missing if self.may_call => return self.reschedule_to(what, date, wanted, person),
            Answer::Missing => return self.push_line(Line::CannotNow),
        };
        if outcome.code().is_some() {
            self.failure(outcome);
            return;
        }
        let found = results::availability(&outcome.result);
        if let Some(name) = with.clone().filter(|_| found.no_hours) {
            self.push_line(Line::NoHours { name });
            return;
        }
        let times = found.free.iter().flat_map(|(_, times)| times.iter().copied()).collect::<Vec<_>>();
        if times.is_empty() {
            let wish = Wish { service: what.service.clone(), professional: with };
            self.none_free(&wish, date, found.next);
            return;
        }
        match self.dialogue.times.iter().copied().chain(wanted).find(|time| times.contains(time)) {
            Some(time) => self.reschedule_to(what, date, Some(time), person),
            None => match wanted {
                Some(time) => {
                    self.push_line(Line::NotFree { date, time, professional: with.clone() });
                    self.push_line(Line::Nearby { list: vec![(with, nearest(&times, time))] });
                }
                None => {
                    let window = self.dialogue.window;
                    let fits = |time: &Time| window.is_none_or(|window| window.contains(*time));
                    let inside: Vec<_> = times.iter().copied().filter(fits).collect();
                    let offered = if inside.is_empty() { &times } else { &inside };
                    let name = found.free.first().map(|(name, _)| name.clone()).unwrap_or_default();
                    self.push_line(Line::Offer { date, free: vec![(name, spread(offered))], service: None });
                }
            },
        }
    }

    fn reschedule_to(&mut self, what: &Appointment, date: Date, time: Option<Time>, person: Option<String>) {
        let Some(time) = time else {
            self.push_line(Line::AskNewTime { what: what.clone() });
            return;
        };
        let arguments = [
            ("new_date", Value::String(date.to_string())),
            ("new_start_hour", Value::String(clock(time))),
            ("barber_name", person.map_or(Value::Null, Value::String)),
            ("appointment_id", what.id.clone().unwrap_or(Value::Null)),
        ];
        if let Answer::Missing = self.ask("reschedule_appointment", &arguments) {
            self.push_line(Line::CannotNow);
        }
    }

    /// Asks the held call again if the customer agreed and nothing has run: the tool decides what that means.
    pub(super) fn repeats_held(&mut self, name: &str, asked: Asked) -> bool {
        let dialogue = self.dialogue;
        let waiting = matches!(dialogue.asked, Question::Cancel | Question::Reschedule);
        let Some(held) = dialogue.held.clone().filter(|held| waiting && held.name == name) else { return false };
        if agreement_about(&dialogue.utterance.text, asked) != Agreement::Yes {
            return false;
        }
        let fields = held.arguments.as_object().cloned().unwrap_or_default();
        let arguments: Vec<(&str, Value)> = fields.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
        if let Answer::Missing = self.ask(name, &arguments) {
            self.push_line(Line::CannotNow);
        }
        true
    }

    /// Words a call that waits for agreement, or that was refused.
    pub(super) fn held_or_refused(&mut self, outcome: &Outcome) {
        if outcome.is_held() {
            self.confirm(outcome);
            return;
        }
        match outcome.code() {
            Some("not_found") => self.push_line(Line::NoAppointments),
            Some("ambiguous") => {
                let list =
                    results::appointments(outcome.result.get("details").unwrap_or(&Value::Null), &["candidates"]);
                let list = if list.is_empty() { self.dialogue.upcoming.clone() } else { list };
                self.push_line(Line::Which { list });
            }
            Some("invalid_arguments") => self.push_line(Line::Refused { message: None }),
            Some(_) => {
                self.failure(outcome);
            }
            None => {
                let slots = results::appointments(&outcome.result, &["available_slots", "alternatives"]);
                let times: Vec<_> = slots.iter().filter_map(|slot| slot.time).collect();
                let wanted = results::appointment(&outcome.arguments);
                if let (false, Some(date), Some(time)) = (times.is_empty(), wanted.date, wanted.time) {
                    let professional = wanted.professional;
                    self.push_line(Line::NotFree { date, time, professional });
                    self.push_line(Line::Nearby { list: vec![(None, nearest(&times, time))] });
                } else {
                    self.refused(outcome);
                }
            }
        }
    }

    /// Words a refusal by its reason, and offers a person.
    fn refused(&mut self, outcome: &Outcome) {
        if outcome.result.get("reason").and_then(Value::as_str) == Some("NO_UPCOMING") {
            self.push_line(Line::NoAppointments);
            return;
        }
        if let Some(message) = results::message(&outcome.result) {
            self.push_line(Line::Refused { message: Some(message) });
        }
        self.push_line(Line::Refused { message: None });
    }

    /// Relays the summary as a question; names the appointment where the summary does not.
    pub(super) fn confirm(&mut self, outcome: &Outcome) {
        let first = !self
            .dialogue
            .outcomes
            .iter()
            .any(|one| results::usual_name(&one.name) == "cancel_appointment" && one.succeeded());
        if first && self.first_of_several(&self.dialogue.upcoming).is_some() {
            self.push_line(Line::OneByOne);
        }
        let id = results::appointment(&outcome.arguments).id;
        let known = self.dialogue.upcoming.iter().find(|one| one.id == id).cloned();
        let known = known.or_else(|| match self.dialogue.upcoming.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        });
        let summary = outcome.summary().unwrap_or_default();
        // A summary comes in the business's language; another language's question is worded here.
        if let (Some(what), true) = (known.clone(), self.locale == balcao_language::Locale::En) {
            let to = results::appointment(&outcome.arguments);
            self.push_line(match results::usual_name(&outcome.name) {
                "reschedule_appointment" => Line::MayMove { what, to },
                _ => Line::MayCancel { what },
            });
            return;
        }
        let names_time = !balcao_language::find_times(summary).is_empty();
        if let Some(what) = known.filter(|_| !names_time) {
            self.push_line(Line::Appointments { list: vec![what] });
        }
        self.push_line(Line::Confirm { summary: asking(summary, self.locale) });
    }

    /// The appointment that is meant; asks or fetches what is missing.
    fn which(&mut self) -> Option<Appointment> {
        let outcome = match self.ask("get_appointment_history", &[]) {
            Answer::Ready(outcome) => outcome,
            Answer::Asked => return None,
            Answer::Missing => {
                self.push_line(Line::CannotNow);
                return None;
            }
        };
        if outcome.code().is_some() {
            self.failure(outcome);
            return None;
        }
        self.meant()
    }

    /// The appointment that is meant, of those that were listed; asks which.
    pub(super) fn meant(&mut self) -> Option<Appointment> {
        let all = &self.dialogue.upcoming;
        if all.is_empty() {
            self.push_line(Line::NoAppointments);
            return None;
        }
        if let Some(first) = self.first_of_several(all) {
            return Some(first);
        }
        let moving = self.dialogue.goal == Goal::Reschedule;
        let known = self.dialogue.moving.as_ref().filter(|_| moving);
        if let Some(same) = known.and_then(|known| all.iter().find(|one| one.id == known.id)) {
            return Some(same.clone());
        }
        if let (true, [first, _, ..], Some(_)) = (moving, all.as_slice(), says_all(&self.dialogue.utterance.text)) {
            // There is one new time for each: one after the other.
            self.push_line(Line::OneByOne);
            return Some(first.clone());
        }
        let mut left = self.on_source_day(all)?;
        if left.len() > 1 {
            left = self.narrowed(left);
        }
        let told = self.dialogue.told;
        let told = left.iter().find(|one| told.is_some() && one.id.as_ref().and_then(Value::as_i64) == told).cloned();
        match left.as_slice() {
            [only] => Some(only.clone()),
            // Who answers a reminder means its appointment.
            _ if told.is_some() => told,
            _ => {
                self.push_line(Line::Which { list: left });
                None
            }
        }
    }

    /// The first of several that are to be cancelled, if they are clear: one by one, each confirmed.
    fn first_of_several(&self, all: &[Appointment]) -> Option<Appointment> {
        let words = self.dialogue.several.as_ref().filter(|_| self.dialogue.goal == Goal::Cancel)?;
        let named = self.named(all, words);
        let counted = says_all(words).flatten().is_none_or(|count| count == named.len());
        named.first().filter(|_| counted && named.len() > 1).cloned()
    }

    /// The appointments that words such as "os dois", "tudo de sexta" or "a barba e o corte" name.
    fn named(&self, all: &[Appointment], words: &str) -> Vec<Appointment> {
        let dialogue = self.dialogue;
        if says_all(words).is_some() {
            let wanted = |one: &&Appointment| {
                dialogue.source.is_none_or(|day| one.date.is_some_and(|date| day.first <= date && date <= day.last))
            };
            return all.iter().filter(wanted).cloned().collect();
        }
        let mut found: Vec<Appointment> = Vec::new();
        for part in words.split(" e ").flat_map(|part| part.split(" and ")).flat_map(|part| part.split(',')) {
            let days = crate::nlu::read(part, dialogue.clock(), &[]).days;
            let that_day = |one: &&Appointment| {
                days.iter().any(|day| one.date.is_some_and(|date| day.first <= date && date <= day.last))
            };
            let by_day: Vec<&Appointment> = all.iter().filter(that_day).collect();
            let by_name: Vec<&Appointment> = all.iter().filter(|one| self.is_named(one, part)).collect();
            let both: Vec<&Appointment> = by_name.iter().copied().filter(that_day).collect();
            let one = [both, by_name, by_day].into_iter().find(|some| some.len() == 1);
            found.extend(one.into_iter().flatten().cloned());
        }
        found.dedup();
        found
    }

    /// True if the words name the appointment's service or professional.
    fn is_named(&self, one: &Appointment, text: &str) -> bool {
        let catalog = &self.dialogue.catalog;
        let named = |name: &Option<String>| {
            name.as_ref().is_some_and(|name| {
                name.split_whitespace().any(|word| word.len() > 3 && balcao_language::contains_word(text, word))
            })
        };
        named(&one.service)
            || named(&one.professional)
            || matches!(catalog.service_in(text), Named::One(name) if Some(&name) == one.service.as_ref())
            || matches!(catalog.professional_in(text), Named::One(name) if Some(&name) == one.professional.as_ref())
    }

    fn on_source_day(&mut self, all: &[Appointment]) -> Option<Vec<Appointment>> {
        let Some(day) = self.dialogue.source else { return Some(all.to_vec()) };
        let that_day: Vec<Appointment> = all
            .iter()
            .filter(|one| one.date.is_some_and(|date| day.first <= date && date <= day.last))
            .cloned()
            .collect();
        if !that_day.is_empty() {
            return Some(that_day);
        }
        // Moving "para sexta" needs no appointment on Friday; cancelling "o de sexta" does.
        if self.dialogue.goal == Goal::Reschedule {
            return Some(all.to_vec());
        }
        self.push_line(Line::NotThatDay { date: day.first, list: all.to_vec() });
        None
    }

    fn narrowed(&self, left: Vec<Appointment>) -> Vec<Appointment> {
        let dialogue = self.dialogue;
        let cancelling = dialogue.goal == Goal::Cancel;
        let text = balcao_language::normalize(&dialogue.utterance.text);
        let times = &dialogue.utterance.bare_times;
        let fits = |one: &&Appointment| -> bool {
            let by_time = one.time.is_some_and(|time| times.contains(&time) && (cancelling || times.len() > 1));
            by_time || self.is_named(one, &dialogue.utterance.text)
        };
        let narrowed: Vec<Appointment> = left.iter().filter(fits).cloned().collect();
        if narrowed.len() == 1 {
            return narrowed;
        }
        let picked = place_in(&text, false).filter(|_| dialogue.asked == Question::Which);
        picked.and_then(|place| place.pick_from(&left)).map_or(left, |one| vec![one])
    }
}
