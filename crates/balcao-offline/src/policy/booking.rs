//! Booking: collect service, day, time and professional, one question at a time; propose; book what was agreed to.

use balcao_language::{Agreement, Asked, agreement, agreement_about};
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{
    Answer, ReplyDraft,
    slots::{candidates, clock, nearest, spread},
    wish::Wish,
};
use crate::{
    catalog::Named,
    nlu::Act,
    results::{self, Appointment, Availability, Outcome},
    state::Question,
    words::Line,
};

const OFFERED_PEOPLE: usize = 4;

impl ReplyDraft<'_> {
    pub(super) fn book(&mut self) {
        let dialogue = self.dialogue;
        if let Some(outcome) = self.answered("create_appointment") {
            self.not_booked(outcome);
            return;
        }
        if !self.about_booking() && self.repeat_proposal() {
            return;
        }
        if self.declines() {
            self.push_line(Line::NoProblem);
            return;
        }
        if let Some(proposal) = self.agreed() {
            self.create(&proposal);
            return;
        }
        if self.unclear_time() {
            return;
        }
        let Some(wish) = self.wish() else { return };
        let Some(day) = dialogue.day.or(dialogue.topic_day) else {
            self.without_day(&wish);
            return;
        };
        if let Some(line) = super::no_such_day(dialogue, day) {
            self.push_line(line);
            return;
        }
        if day.first == day.last { self.on_day(&wish, day.first) } else { self.in_days(&wish, day) }
    }

    /// Puts the open proposal again behind the answer to a digression. False if the business changed since the proposal, so that it has to
    /// be looked up again.
    pub(super) fn repeat_proposal(&mut self) -> bool {
        let dialogue = self.dialogue;
        let Some(proposal) = dialogue.proposal.clone().filter(|_| !self.lines.is_empty()) else { return true };
        if dialogue.is_offer_outdated && dialogue.asked == Question::Book {
            return false;
        }
        self.push_line(Line::Propose { what: proposal });
        true
    }

    /// True if the next of several wishes has its day and time: it is looked up instead of asked about.
    pub(super) fn next_is_complete(&self) -> bool {
        let dialogue = self.dialogue;
        let one_day = dialogue.day.is_some_and(|day| day.first == day.last);
        !dialogue.queue.is_empty() && one_day && !dialogue.times.is_empty()
    }

    /// Goes on with the next of several wishes when the one before is booked.
    pub(super) fn book_next(&mut self) {
        let Some(day) = self.dialogue.day.filter(|_| self.next_is_complete()) else { return };
        if let Some(wish) = self.wish() {
            self.on_day(&wish, day.first);
        }
    }

    /// True if a day or time in a question was all that spoke for a booking, and the question names nothing on offer:
    /// "vai chover amanhã?".
    pub(super) fn foreign_question(&self) -> bool {
        let dialogue = self.dialogue;
        let asks = dialogue.utterance.text.contains('?') || !dialogue.utterance.questions.is_empty();
        dialogue.presumed && asks && !self.names_something() && dialogue.utterance.has_foreign_words()
    }

    /// Asks again where the day or time cannot be, or where a mere yes leaves open which of several is meant.
    pub(super) fn unclear_time(&mut self) -> bool {
        let dialogue = self.dialogue;
        if let Some(problem) = &dialogue.utterance.problem {
            self.date_problem(problem.clone());
        } else if let Some(written) = &dialogue.utterance.impossible_time {
            self.push_line(Line::ImpossibleTime { written: written.clone() });
        } else if dialogue.offered.len() > 1
            && dialogue.says_yes_to_offer(&dialogue.utterance)
            && !self.names_something()
        {
            let several_days = dialogue.day.is_some_and(|day| day.first != day.last);
            let mut times = if several_days { Vec::new() } else { dialogue.offered.clone() };
            times.sort_unstable();
            times.dedup();
            self.push_line(Line::WhichTime { times });
        } else {
            return false;
        }
        true
    }

    pub(super) fn date_problem(&mut self, problem: balcao_language::DateProblem) {
        self.push_line(super::problem_line(problem, self.dialogue));
    }

    /// True if the message goes on with the booking rather than asking for something else meanwhile.
    pub(super) fn about_booking(&self) -> bool {
        let dialogue = self.dialogue;
        let utterance = &dialogue.utterance;
        let named = utterance.is(Act::Book)
            || utterance.is(Act::Availability)
            || utterance.is(Act::Want)
            || utterance.is(Act::Reschedule)
            || utterance.is(Act::GoAhead)
            || utterance.is(Act::AnyProfessional)
            || utterance.is(Act::Earliest)
            || utterance.is(Act::Latest)
            || utterance.is(Act::AnyTime)
            || !dialogue.offered.is_empty() && (utterance.is(Act::Later) || utterance.is(Act::Sooner));
        let elsewhere = utterance.acts.iter().any(|act| {
            matches!(
                act,
                Act::Hours
                    | Act::Prices
                    | Act::Offers
                    | Act::Services
                    | Act::WhoWorks
                    | Act::MyAppointments
                    | Act::Subscription
                    | Act::Plans
                    | Act::Identity
                    | Act::Anger
                    | Act::Waitlist
                    | Act::Reminder
                    | Act::LaterContact
                    | Act::NoLaterContact
                    | Act::NoReminder
                    | Act::Keep
                    | Act::CancelOther
                    | Act::Note
                    | Act::OnFile
                    | Act::Undecided
            )
        });
        if named {
            return true;
        }
        if elsewhere {
            return false;
        }
        let small = utterance.acts.iter().any(|act| matches!(act, Act::Greeting | Act::Thanks | Act::Goodbye));
        // "Ah tá, obrigado" to "com quem?" or "que horas?" chooses nothing: the customer knows what they wanted to know.
        let leaves = utterance.is(Act::Thanks) && !matches!(dialogue.asked, Question::Book | Question::Next);
        if leaves && !utterance.has_when() && utterance.bare_times.is_empty() && !self.names_something() {
            return false;
        }
        let answers = matches!(agreement(&utterance.text), Agreement::Yes | Agreement::No);
        utterance.has_when()
            || utterance.problem.is_some()
            || utterance.impossible_time.is_some()
            || dialogue.asked == Question::Book && answers
            || utterance.questions.is_empty() && (!small || answers) && dialogue.asked != Question::Nothing
            || self.names_something()
    }

    fn names_something(&self) -> bool {
        let text = &self.dialogue.utterance.text;
        let catalog = &self.dialogue.catalog;
        let pure_question = !self.dialogue.utterance.questions.is_empty();
        !pure_question
            && (catalog.service_in(text) != Named::Nothing || catalog.professional_in(text) != Named::Nothing)
    }

    pub(super) fn declines(&self) -> bool {
        let utterance = &self.dialogue.utterance;
        let says_no = agreement(&utterance.text) == Agreement::No;
        // "Não, mais tarde" after an offer asks for another.
        let beyond = (utterance.is(Act::Later) || utterance.is(Act::Sooner)) && !self.dialogue.offered.is_empty();
        let refuses = utterance.is(Act::Refusal) || says_no && !beyond;
        refuses && (!utterance.has_when() || utterance.ruled_out) && !self.names_something() && !utterance.is(Act::Book)
    }

    /// The proposal, if the message agrees to it: wholly, or in its first words with questions behind them.
    pub(super) fn agreed(&self) -> Option<Appointment> {
        let dialogue = self.dialogue;
        let proposal = dialogue.proposal.clone().filter(|_| dialogue.asked == Question::Book)?;
        let utterance = &dialogue.utterance;
        let yes = |text: &str| agreement_about(text, Asked::Booking) == Agreement::Yes;
        if yes(&utterance.text) {
            return Some(proposal);
        }
        let same_day = utterance.days.iter().all(|day| Some(day.first) == proposal.date && day.first == day.last);
        let same_time = utterance.times.iter().all(|time| Some(*time) == proposal.time);
        let same_window = utterance.window.is_none_or(|window| proposal.time.is_some_and(|time| window.contains(time)));
        let same_person = match dialogue.catalog.professional_in(&utterance.text) {
            Named::One(name) => Some(name) == proposal.professional,
            Named::Nothing => true,
            Named::Several(_) | Named::Unknown(_) => false,
        };
        let same_service = match dialogue.catalog.service_in(&utterance.text) {
            Named::One(name) => Some(name) == proposal.service,
            Named::Nothing => true,
            Named::Several(_) | Named::Unknown(_) => false,
        };
        // A service inside a question ("pode marcar! quanto custa a barba?") changes nothing.
        let same_service = same_service || !utterance.questions.is_empty() || utterance.is(Act::Prices);
        let elsewhere = utterance.acts.iter().any(|act| {
            matches!(
                act,
                Act::Cancel
                    | Act::Reschedule
                    | Act::Refusal
                    | Act::Undecided
                    | Act::Waitlist
                    | Act::LaterContact
                    | Act::Anger
            )
        });
        if elsewhere || !(same_day && same_time && same_window && same_person && same_service) {
            return None;
        }
        let folded = balcao_language::normalize(&utterance.text);
        let hedged = [" mas ", " so que ", " se ", " but ", " if ", " nao ", "?"];
        let first = folded.split([',', '.', '!', '\n', ';']).next().unwrap_or_default();
        let restates = utterance.has_when() || dialogue.catalog.professional_in(&utterance.text) != Named::Nothing;
        let asks = !utterance.questions.is_empty() || utterance.is(Act::Prices) || utterance.is(Act::Hours);
        let starts = yes(first) && (restates || asks);
        let rest_asks = !utterance.questions.is_empty();
        let padded = format!(" {folded} ");
        let plain = !hedged.iter().any(|word| padded.contains(word)) || rest_asks && !padded.contains(" mas ");
        // "Quero sexta, 27/11 às 17:00 com Otávio" is what the button under the proposal says: a yes in its own words.
        let repeats = !utterance.days.is_empty() && !utterance.times.is_empty() && !asks;
        (plain && (starts || repeats || utterance.is(Act::GoAhead))).then_some(proposal)
    }

    fn without_day(&mut self, wish: &Wish) {
        // "O mais cedo possível" needs no day: today's answer names the next opening.
        if (self.is(Act::Earliest) || self.is(Act::AnyTime)) && self.dialogue.asked != Question::Time {
            self.on_day(wish, self.dialogue.today());
            return;
        }
        if let Some(problem) = &self.dialogue.utterance.problem {
            self.date_problem(problem.clone());
            return;
        }
        if let (Some(name), Named::One(_)) =
            (wish.professional.clone(), self.dialogue.catalog.professional_in(&self.dialogue.utterance.text))
        {
            self.push_line(Line::With { name });
        }
        self.push_line(Line::AskDay);
    }

    pub(super) fn availability(&mut self, wish: &Wish, date: Date) -> Option<Availability> {
        let text = |value: &Option<String>| value.clone().map_or(Value::Null, Value::String);
        let arguments = [
            ("date", Value::String(date.to_string())),
            ("barber_name", text(&wish.professional)),
            ("service_name", text(&wish.service)),
        ];
        match self.ask("check_availability", &arguments) {
            Answer::Ready(outcome) => self.read_availability(outcome),
            Answer::Asked => None,
            Answer::Missing => {
                self.push_line(Line::CannotNow);
                None
            }
        }
    }

    fn read_availability(&mut self, outcome: &Outcome) -> Option<Availability> {
        let names = || self.dialogue.catalog.professionals.clone();
        match outcome.code() {
            None => return Some(results::availability(&outcome.result)),
            Some("not_found" | "ambiguous" | "invalid_arguments") => {
                let candidates = candidates(&outcome.result);
                let about = |key: &str| {
                    let argument = outcome.arguments.get(key).and_then(Value::as_str)?;
                    let folded = outcome.result.to_string().to_lowercase();
                    let field = folded.contains(key) || folded.contains(&argument.to_lowercase());
                    field.then(|| argument.to_owned())
                };
                let unknown_person = about("barber_name").filter(|name| !names().contains(name));
                let unknown_service: Option<String> =
                    about("service_name").filter(|name| self.dialogue.catalog.service(name).is_none());
                if let Some(said) = unknown_person {
                    let near: Vec<String> = candidates.into_iter().filter(|name| resembles(&said, name)).collect();
                    let list = if near.is_empty() { names() } else { near };
                    self.push_line(Line::NoSuchProfessional { said, list });
                } else if unknown_service.is_some() {
                    let all: Vec<String> =
                        self.dialogue.catalog.services.iter().map(|service| service.name.clone()).collect();
                    if let Some(said) = unknown_service.filter(|_| candidates.is_empty() || candidates == all) {
                        self.push_line(Line::NotOffered { said });
                    }
                    let list = if candidates.len() < 2 { all } else { candidates };
                    self.push_line(Line::AskService { list });
                } else if candidates.is_empty() {
                    self.push_line(Line::AskDay);
                } else {
                    self.push_line(Line::WhichProfessional { list: candidates });
                }
            }
            Some(_) => {
                self.failure(outcome);
            }
        }
        None
    }

    fn on_day(&mut self, wish: &Wish, date: Date) {
        // What the customer has already is not booked again: asked for together with the free times.
        let timed = !self.dialogue.times.is_empty();
        let waiting = timed && matches!(self.ask("get_appointment_history", &[]), Answer::Asked);
        let Some(found) = self.availability(wish, date) else { return };
        if waiting {
            return;
        }
        if let Some(name) = wish.professional.clone().filter(|_| found.no_hours) {
            self.push_line(Line::NoHours { name });
            return;
        }
        if let Some(message) = found.refusal.clone() {
            self.push_line(Line::Refused { message: Some(message) });
            let list = found.offered_by.clone();
            self.push_line(if list.is_empty() { Line::AskDay } else { Line::WhichProfessional { list } });
            return;
        }
        if let Some(what) = self.own_at(wish, date) {
            self.push_line(Line::HaveAlready { what });
            return;
        }
        if found.free.is_empty() {
            self.none_free(wish, date, found.next);
            return;
        }
        if self.dialogue.times.is_empty() {
            self.offer(wish, date, &found);
        } else {
            self.at_times(wish, date, &found);
        }
    }

    fn offer(&mut self, wish: &Wish, date: Date, found: &Availability) {
        let window = self.dialogue.window;
        let fits = |time: &Time| window.is_none_or(|window| window.contains(*time));
        let inside: Vec<(String, Vec<Time>)> = found
            .free
            .iter()
            .map(|(name, times)| (name.clone(), times.iter().copied().filter(fits).collect::<Vec<_>>()))
            .filter(|(_, times)| !times.is_empty())
            .collect();
        if inside.is_empty() {
            self.push_line(Line::NoneFree { date, professional: wish.professional.clone(), part: window });
            let list = found.free.iter().take(OFFERED_PEOPLE);
            let list = list.map(|(name, times)| (Some(name.clone()), spread(times))).collect();
            self.push_line(Line::Nearby { list });
            return;
        }
        if self.is(Act::Earliest) || self.is(Act::Latest) || self.is(Act::AnyTime) {
            let first =
                |times: &Vec<Time>| if self.is(Act::Latest) { times.last().copied() } else { times.first().copied() };
            let best = inside.iter().filter_map(|(name, times)| Some((first(times)?, name.clone())));
            let best = if self.is(Act::Latest) { best.max() } else { best.min() };
            if let (Some((time, name)), Some(_)) = (best, &wish.service) {
                self.propose(wish, date, time, name);
                return;
            }
        }
        let free = inside.iter().take(OFFERED_PEOPLE).map(|(name, times)| (name.clone(), spread(times))).collect();
        self.push_line(Line::Offer { date, free, service: wish.service.clone() });
    }

    fn at_times(&mut self, wish: &Wish, date: Date, found: &Availability) {
        let wanted = &self.dialogue.times;
        let free_at = |time: Time| -> Vec<String> {
            let free = found.free.iter().filter(|(_, times)| times.contains(&time));
            free.map(|(name, _)| name.clone()).collect()
        };
        let Some(time) = wanted.iter().copied().find(|time| !free_at(*time).is_empty()) else {
            // Nothing that is current names the time of an offer from before a change, so the reply does not name it either.
            if self.dialogue.is_offer_outdated {
                self.offer(wish, date, found)
            } else {
                self.not_free(wish, date, found)
            }
            return;
        };
        let people = free_at(time);
        if self.is(Act::JustAsking) {
            self.push_line(Line::FreeThen { date, time, list: people });
            return;
        }
        let indifferent = self.dialogue.any_professional || wish.professional.is_some();
        match people.as_slice() {
            [first, rest @ ..] if rest.is_empty() || indifferent => {
                if wish.service.is_none() {
                    let list = self.dialogue.catalog.services.iter().map(|service| service.name.clone()).collect();
                    self.push_line(Line::AskService { list });
                    return;
                }
                self.propose(wish, date, time, first.clone());
            }
            _ => self.push_line(Line::AskProfessional { date, time, list: people }),
        }
    }

    fn not_free(&mut self, wish: &Wish, date: Date, found: &Availability) {
        let Some(time) = self.dialogue.times.first().copied() else { return };
        let professional = found.free.first().map(|(name, _)| name.clone()).filter(|_| wish.professional.is_some());
        self.push_line(Line::NotFree { date, time, professional });
        let list: Vec<(Option<String>, Vec<Time>)> = found
            .free
            .iter()
            .take(OFFERED_PEOPLE)
            .map(|(name, times)| (Some(name.clone()), nearest(times, time)))
            .collect();
        self.push_line(Line::Nearby { list });
    }

    /// The customer's own appointment at the time that is wanted first.
    fn own_at(&self, wish: &Wish, date: Date) -> Option<Appointment> {
        let time = self.dialogue.times.first().copied();
        let same = |wanted: &Option<String>, own: &Option<String>| wanted.is_none() || own.is_none() || wanted == own;
        let own = self.dialogue.upcoming.iter().find(|own| {
            own.date == Some(date)
                && own.time.is_some()
                && own.time == time
                && same(&wish.professional, &own.professional)
                && same(&wish.service, &own.service)
        });
        own.cloned()
    }

    pub(super) fn propose(&mut self, wish: &Wish, date: Date, time: Time, professional: String) {
        let what = Appointment {
            id: None,
            attendee: None,
            date: Some(date),
            time: Some(time),
            professional: Some(professional),
            service: wish.service.clone(),
        };
        // The customer gave all details and said to go ahead, so we ask no further question.
        let told = self.dialogue.utterance.is(Act::GoAhead) && !self.dialogue.utterance.text.contains('?');
        let unchanged = self.dialogue.asked != Question::Book;
        let exact = self.dialogue.times.contains(&time) && !self.dialogue.any_professional;
        if told && unchanged && exact && wish.professional.is_some() {
            self.create(&what);
        } else {
            self.push_line(Line::Propose { what });
        }
    }

    /// Books what was proposed.
    fn create(&mut self, what: &Appointment) {
        let text = |value: &Option<String>| value.clone().map_or(Value::Null, Value::String);
        let (Some(date), Some(time)) = (what.date, what.time) else {
            self.push_line(Line::AskDay);
            return;
        };
        let arguments = [
            ("barber_name", text(&what.professional)),
            ("date", Value::String(date.to_string())),
            ("start_hour", Value::String(clock(time))),
            ("service_name", text(&what.service)),
        ];
        match self.ask("create_appointment", &arguments) {
            Answer::Ready(_) | Answer::Asked => {}
            Answer::Missing => self.push_line(Line::CannotNow),
        }
    }
}

/// True if what was said could be meant for a name: a word of it is spelled much like it.
fn resembles(said: &str, name: &str) -> bool {
    const ENOUGH: f64 = 0.8;
    let said = balcao_language::normalize(said);
    name.split_whitespace().any(|word| strsim::jaro_winkler(&said, &balcao_language::normalize(word)) >= ENOUGH)
}
