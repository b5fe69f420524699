//! The dialogue so far, built from the transcript at every call: what the customer wants, what is known, and our last question.
//!
//! Older messages are read with today's date, because the transcript carries no dates; the replies echo weekday and date,
//! and what a reply said overrides what the words before it seemed to say. Only the message to answer may have come late: it is read with
//! the day on which it was written.

mod fill;
mod named;
mod person_words;
mod pick;
mod question;
mod seen;
mod who;

use balcao_language::{
    Agreement, DateSpan, Locale, TimeReading, TimeWindow, agreement, find_dates, find_times_from, normalize,
};
use balcao_llm::{Message, ModelRequest};
use jiff::{
    Zoned,
    civil::{Date, Time},
};
use serde_json::Value;

use crate::{
    catalog::{Catalog, Named},
    nlu::{self, Act, Clock, Day, Utterance},
    results::{self, Appointment, Outcome},
};

pub use fill::says_all;
use fill::{informative, wants_a_time};
pub(crate) use named::{introduced, owner_named};
pub use pick::{Place, place_in};
use question::question_in;
pub use question::{Question, own_appointment};
pub(crate) use who::is_asked_for;
use who::same_question;
pub use who::{GUEST_NAME, Guest, OWN_NAME, Who};

/// What the customer is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Goal {
    /// Nothing that is still open.
    #[default]
    None,
    /// A new appointment.
    Book,
    /// To cancel one.
    Cancel,
    /// To move one.
    Reschedule,
}

/// The dialogue at the point where the next step is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// The organization's local time.
    pub now: Zoned,
    /// The day that the messages' days are counted from: today, or the day on which a message was written that came late.
    pub read_on: Date,
    /// From when on a customer's bare hour is as written.
    pub opens: Time,
    /// What tools have shown of the business.
    pub catalog: Catalog,
    /// What the customer is after.
    pub goal: Goal,
    /// Messages that may name service and professional, oldest first.
    pub mentions: Vec<String>,
    /// The same of mere questions about prices: they count if nothing else names a service.
    pub weak_mentions: Vec<String>,
    /// The wishes still to be booked, of a message that had several: services' names or the customer's words.
    pub queue: Vec<String>,
    /// True if the goal rests on nothing but a day or time in the last message, which may be no wish at all.
    pub presumed: bool,
    /// True if any professional will do.
    pub any_professional: bool,
    /// True if the last call for free times failed because no professional has the requested name.
    pub nobody_so_named: bool,
    /// The day wanted.
    pub day: Option<Day>,
    /// The day that a question for hours or people was about: meant if no other is named.
    pub topic_day: Option<Day>,
    /// The times wanted; the first that is free is meant.
    pub times: Vec<Time>,
    /// The part of the day wanted.
    pub window: Option<TimeWindow>,
    /// True if the window is only relative to an offer ("mais tarde"): it ends with the next message.
    pub passing: bool,
    /// The day of the appointment to cancel or move.
    pub source: Option<Day>,
    /// The appointment that is being moved, once a reply has named it.
    pub moving: Option<Appointment>,
    /// The words that named several appointments to cancel ("os dois"), while they are cancelled one by one.
    pub several: Option<String>,
    /// What was asked last.
    pub asked: Question,
    /// Who comes, where that was said or asked.
    pub who: Who,
    /// What was proposed for booking.
    pub proposal: Option<Appointment>,
    /// The times that the last reply named.
    pub offered: Vec<Time>,
    /// True if the business changed after the last reply: what it offered may be gone.
    pub is_offer_outdated: bool,
    /// The last reply.
    pub said: String,
    /// How often it has been given, one time after the other, while the customer added nothing: the same words, or the same question
    /// for a name.
    pub said_times: usize,
    /// The question that was asked before a person was offered, and how often.
    pub before_offer: Option<(String, usize)>,
    /// True if the service was asked for since the booking was begun.
    pub service_asked: bool,
    /// The last booking of this conversation.
    pub booked: Option<Appointment>,
    /// All appointments that this conversation booked, with service and professional, because a calendar lists only the id and the time
    /// of its events.
    pub(crate) booked_here: Vec<Appointment>,
    /// The contact's appointments, as last listed.
    pub upcoming: Vec<Appointment>,
    /// The appointment that a notification was about which the message may answer.
    pub told: Option<i64>,
    /// True if a reminder was planned in this conversation.
    pub reminded: bool,
    /// The held call that waits for agreement.
    pub held: Option<Outcome>,
    /// The message to answer.
    pub utterance: Utterance,
    /// True if a reply has been given before.
    pub greeted: bool,
    /// Messages of services in this turn: to be passed on, and the customer wrote nothing.
    pub news: Vec<String>,
    /// The calls of this turn, answered.
    pub outcomes: Vec<Outcome>,
    /// How many rounds of calls this turn has had.
    pub rounds: usize,
    /// True if the customer writes English.
    pub english: Option<bool>,
    /// The organization's language.
    home: Locale,
    /// The offered time that "a segunda" may mean instead of Monday, where the message leaves that open.
    pub other_reading: Option<Time>,
}

impl Dialogue {
    /// Reads the dialogue of a request.
    #[must_use]
    pub fn from_request(request: &ModelRequest) -> Self {
        let offered = crate::structured::tools(request);
        let tools: Vec<&str> = offered.iter().map(|tool| tool.name.as_str()).collect();
        let now = request.facts.now.clone();
        let today = now.date();
        let mut dialogue = Self {
            catalog: Catalog::default(),
            goal: Goal::None,
            mentions: Vec::new(),
            weak_mentions: Vec::new(),
            queue: Vec::new(),
            presumed: false,
            any_professional: false,
            nobody_so_named: false,
            day: None,
            topic_day: None,
            times: Vec::new(),
            window: None,
            passing: false,
            source: None,
            several: None,
            moving: None,
            asked: Question::Nothing,
            who: Who::default(),
            proposal: None,
            offered: Vec::new(),
            is_offer_outdated: false,
            said: String::new(),
            said_times: 0,
            before_offer: None,
            service_asked: false,
            booked: None,
            booked_here: Vec::new(),
            upcoming: Vec::new(),
            told: request.facts.appointment,
            reminded: false,
            held: None,
            utterance: nlu::read("", today, &tools),
            greeted: false,
            news: Vec::new(),
            outcomes: Vec::new(),
            rounds: 0,
            english: None,
            home: Locale::closest_to_tag(&request.facts.locale),
            other_reading: None,
            opens: request.facts.opens.unwrap_or(Time::MAX),
            read_on: today,
            now,
        };
        let written = request.facts.written.as_ref().map(Zoned::date);
        // Results of the structured protocol come as a user's message, too.
        let is_said =
            |message: &Message| matches!(message, Message::User { text } if !text.starts_with("{\"tool_result\""));
        let last = request.messages.iter().rposition(is_said);
        let mut calls: Vec<(String, Value)> = Vec::new();
        // Requests of the structured protocol whose results are still to come: only then is a text read as results, so
        // that a customer cannot write one.
        let mut pending: Vec<(String, Value)> = Vec::new();
        for (at, message) in request.messages.iter().enumerate() {
            if Some(at) == last {
                dialogue.read_on = written.unwrap_or(today);
            }
            if at == request.facts.outdated && at > 0 {
                dialogue.outdate_offer();
            }
            match message {
                Message::User { text } => {
                    let (results, said) = crate::structured::results(text, &mut pending);
                    for outcome in results {
                        dialogue.see(outcome, today);
                    }
                    if let Some(said) = said.filter(|_| !seen::precedes_service_message(&request.messages, at)) {
                        dialogue.news.clear();
                        dialogue.hear(nlu::read(&said, dialogue.clock(), &tools));
                    }
                }
                Message::Assistant { text, tool_calls } => {
                    for call in tool_calls {
                        let arguments = serde_json::from_str(&call.arguments).unwrap_or_default();
                        calls.push((call.id.clone(), arguments));
                    }
                    let (said, requests) = crate::structured::reply(text);
                    if !requests.is_empty() {
                        pending = requests;
                        dialogue.rounds = dialogue.rounds.saturating_add(1);
                    } else if !tool_calls.is_empty() {
                        dialogue.rounds = dialogue.rounds.saturating_add(1);
                    } else if !said.is_empty() {
                        dialogue.say(&said, today);
                    }
                }
                Message::ToolResult { call_id, name, content, .. } => {
                    let call = calls.iter().rev().find(|(id, _)| id == call_id);
                    let arguments = call.map(|(_, arguments)| arguments.clone()).unwrap_or_default();
                    let result = serde_json::from_str(content).unwrap_or_else(|_| Value::String(content.clone()));
                    dialogue.see(Outcome { name: name.clone(), arguments, result }, today);
                }
            }
        }
        dialogue
    }

    /// Today in the organization's zone.
    #[must_use]
    pub fn today(&self) -> Date {
        self.now.date()
    }

    /// By what messages are read.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock { today: self.read_on, opens: self.opens, locale: self.locale() }
    }

    /// The customer's language where it shows, else the organization's.
    #[must_use]
    pub fn locale(&self) -> Locale {
        match self.english {
            Some(true) => Locale::En,
            Some(false) => Locale::PtBr,
            None => self.home,
        }
    }

    /// Takes in a message of the customer.
    fn hear(&mut self, mut utterance: Utterance) {
        // "E dia 24?" after "que horas abre?" asks the same again.
        if utterance.acts.is_empty() && utterance.has_when() && self.goal == Goal::None {
            utterance.acts.extend([Act::Hours, Act::WhoWorks].into_iter().filter(|act| self.utterance.is(*act)));
            if utterance.is(Act::Hours) {
                utterance.questions.clear();
            }
        }
        // A second message without a reply between them is the same turn.
        let goal_before = self.goal;
        let just_booked =
            self.outcomes.iter().any(|one| results::usual_name(&one.name) == "create_appointment" && one.succeeded());
        if just_booked {
            // What was to be moved has its new time: what is left of it is the question whether to cancel it.
            self.moving = None;
        }
        self.outcomes.clear();
        self.rounds = 0;
        if let Some(english) = utterance.english {
            self.english = Some(english);
        }
        if matches!(self.asked, Question::Day | Question::Time) && utterance.is(Act::AnyProfessional) {
            // "Tanto faz" is meant for what was asked.
            utterance.acts.push(Act::AnyTime);
        }
        self.presumed = false;
        self.take_pick(&mut utterance);
        if std::mem::take(&mut self.passing) {
            self.window = None;
        }
        self.aim(&utterance, goal_before);
        if just_booked && self.changes_its_mind(&utterance) {
            self.move_booked();
        }
        self.several = self.several_to_cancel(&utterance);
        self.take_next(&utterance);
        self.fill(&utterance);
        // "Com o Wesley" after "who comes?" names the professional and not the attendee.
        let staff = matches!(self.catalog.professional_in(&utterance.text), Named::One(_));
        // Of "pra mim e pro meu filho" the first is who comes now.
        let wishes = self.catalog.several_in(&utterance.text);
        let first = wishes.first().filter(|wish| crate::catalog::person_in(wish).is_some()).unwrap_or(&utterance.text);
        // "Meus horários" does not answer a question for a name, whatever we asked.
        let said = if informative(&utterance) { "" } else { &self.said };
        self.who.hear(&utterance.text, first, said, staff);
        self.meet_guest(first);
        self.settle_answers();
        self.utterance = utterance;
    }

    fn aim(&mut self, utterance: &Utterance, before: Goal) {
        let open_booking = before == Goal::Book && self.asked != Question::Nothing && !own_appointment(&utterance.text);
        if utterance.is(Act::Injection) {
        } else if utterance.is(Act::Reschedule) && !open_booking {
            self.begin(Goal::Reschedule);
        } else if utterance.is(Act::Cancel) {
            self.begin(Goal::Cancel);
        } else if utterance.is(Act::Keep) && matches!(before, Goal::Cancel | Goal::Reschedule) {
            self.goal = Goal::None;
        } else if utterance.is(Act::Book) || utterance.is(Act::Availability) {
            if before != Goal::Book {
                self.begin(Goal::Book);
            }
        } else if self.asked == Question::Begin && agreement(&utterance.text) == Agreement::Yes {
            self.begin(Goal::Book);
        } else if before == Goal::None && wants_a_time(utterance) && !informative(utterance) {
            self.begin(Goal::Book);
            self.presumed = !utterance.is(Act::Want) && utterance.impossible_time.is_none();
        } else if matches!(self.asked, Question::Cancel | Question::Reschedule) {
            // A held call runs by the program if the customer agrees; anything else drops it, unless it goes on about it.
            let goes_on = self.asked == Question::Reschedule && utterance.has_when() && !informative(utterance);
            if !goes_on {
                self.goal = Goal::None;
            }
        } else if before == Goal::Cancel && self.asked != Question::Which {
            self.goal = Goal::None;
        }
    }

    /// "Melhor às 16h", right behind a booking and with nothing else in it: what was booked is to be then.
    fn changes_its_mind(&self, utterance: &Utterance) -> bool {
        const RATHER: [&str; 9] =
            ["melhor", "prefiro", "preferia", "pensando", "verdade", "alias", "pode ser", "better", "rather"];
        let folded = normalize(&utterance.text);
        let another = |named: Named, known: Option<&String>| match named {
            Named::Nothing => false,
            Named::One(name) => Some(&name) != known,
            Named::Several(_) | Named::Unknown(_) => true,
        };
        let booked = self.booked.as_ref();
        self.queue.is_empty()
            && utterance.has_when()
            && [Goal::None, Goal::Book].contains(&self.goal)
            && !(utterance.is(Act::Book) || utterance.is(Act::Availability) || informative(utterance))
            && RATHER.iter().any(|words| balcao_language::contains_word(&folded, words))
            && !another(self.catalog.service_in(&utterance.text), booked.and_then(|one| one.service.as_ref()))
            && !another(self.catalog.professional_in(&utterance.text), booked.and_then(|one| one.professional.as_ref()))
    }

    /// What was booked last is to be moved.
    fn move_booked(&mut self) {
        let Some(what) = self.booked.clone().filter(|one| one.id.is_some()) else { return };
        self.begin(Goal::Reschedule);
        self.day = what.date.map(Day::on);
        self.mentions.extend(what.service.clone());
        self.mentions.extend(what.professional.as_ref().map(|name| format!("com {name}")));
        self.moving = Some(what);
    }

    /// "Serve" to the next opening: its day, time and professional are wanted now.
    fn take_next(&mut self, utterance: &Utterance) {
        let accepts = self.asked == Question::Next && agreement(&utterance.text) == Agreement::Yes;
        let thanks = utterance.is(Act::Thanks);
        if self.asked == Question::Professional && agreement(&utterance.text) == Agreement::Yes && !thanks {
            // "Seria com …?" was answered with yes; yes to a choice of several leaves it to us.
            let question = self.said.trim_end().rsplit('\n').next().unwrap_or_default();
            match self.catalog.professional_in(question) {
                Named::One(name) => self.mentions.push(format!("com {name}")),
                Named::Several(_) | Named::Unknown(_) | Named::Nothing => self.any_professional = true,
            }
        }
        if let Some(name) = self.pronoun(&utterance.text) {
            self.mentions.push(format!("com {name}"));
            return;
        }
        let Some(next) = self.proposal.clone().filter(|_| accepts) else { return };
        self.day = next.date.map(Day::on);
        self.times = next.time.into_iter().collect();
        self.window = None;
        self.mentions.extend(next.professional.map(|name| format!("com {name}")));
    }

    fn begin(&mut self, goal: Goal) {
        self.goal = goal;
        self.day = None;
        self.times.clear();
        self.window = None;
        self.source = None;
        self.moving = None;
        self.proposal = None;
        self.service_asked = false;
        if goal != Goal::Book {
            self.any_professional = false;
            self.mentions.clear();
        }
    }

    /// Takes in a reply of ours (or of a model before us).
    fn say(&mut self, said: &str, today: Date) {
        let asks = question_in(said, self.held.as_ref());
        let again = if self.utterance.adds_something() { 0 } else { self.times_asked(said) };
        if asks != Question::Human {
            self.before_offer = None;
        } else if self.asked != Question::Human {
            self.before_offer = Some((self.said.clone(), self.said_times)).filter(|(said, _)| !said.is_empty());
        }
        self.said_times = again.saturating_add(1);
        self.said = said.to_owned();
        self.greeted = true;
        self.asked = asks;
        self.service_asked |= asks == Question::Service;
        self.is_offer_outdated = false;
        self.moving = self.named_to_move(said).or(self.moving.take());
        if self.presumed && matches!(self.asked, Question::Nothing | Question::Human) && !who::is_asked_for(said) {
            // The reply took the day for no wish; nor does what comes next.
            self.begin(Goal::None);
            self.presumed = false;
        }
        // A line that says that a time is not free does not offer that time.
        let free = |line: &&str| !["nao esta livre", "not free"].iter().any(|words| normalize(line).contains(words));
        let offer = said.lines().filter(free).collect::<Vec<_>>().join("\n");
        // Our own "1h" is one in the night: only customers leave the afternoon out.
        self.offered = find_times_from(&offer, Time::MIN)
            .into_iter()
            .filter_map(|found| match found.reading {
                TimeReading::At { time, .. } => Some(time),
                TimeReading::Window(_) => None,
            })
            .collect();
        self.proposal = matches!(self.asked, Question::Book | Question::Next).then(|| self.proposal_in(said, today));
        if let Some(proposal) = self.proposal.as_ref().filter(|_| self.asked == Question::Book) {
            self.goal = Goal::Book;
            if let Some(date) = proposal.date {
                self.day = Some(Day::on(date));
            }
            if let Some(time) = proposal.time {
                self.times = vec![time];
            }
        }
        if !matches!(self.asked, Question::Cancel | Question::Reschedule) {
            self.held = None;
        }
    }

    /// How often a reply that asks the same was given, one time after the other or with the offer of a person between.
    #[must_use]
    pub fn times_asked(&self, text: &str) -> usize {
        if same_question(&self.said, text) {
            return self.said_times;
        }
        let before = self.before_offer.as_ref().filter(|(said, _)| same_question(said, text));
        before.map_or(0, |(_, times)| *times)
    }

    fn proposal_in(&self, said: &str, today: Date) -> Appointment {
        // The sentence that asks for agreement is the last one; what it is about stands before it.
        let days = find_dates(said, today);
        let date = days.iter().rev().find_map(|found| match found.reading {
            Ok(DateSpan::Day(day)) => Some(day),
            _ => None,
        });
        let line = said.trim_end().rsplit('\n').next().unwrap_or_default();
        let between = |lead: &str, ends: &[&str]| -> Option<String> {
            let (_, rest) = line.split_once(lead)?;
            let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
            let end = sentence_end(rest).map_or(end, |stop| stop.min(end));
            rest.get(..end).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let ends = [" para ", " for ", "?", ",", "!"];
        let named = match self.catalog.professional_in(said) {
            Named::One(name) => Some(name),
            Named::Several(_) | Named::Unknown(_) | Named::Nothing => None,
        };
        Appointment {
            id: None,
            attendee: None,
            date,
            time: self.offered.last().copied(),
            professional: between(" com ", &ends).or_else(|| between(" with ", &ends)).or(named),
            service: between(" para ", &["?"]).or_else(|| between(" for ", &["?"])),
        }
    }

    /// The appointment of an id, if it is one of those that were listed, or that this conversation booked.
    #[must_use]
    pub fn known(&self, id: &serde_json::Value) -> Option<Appointment> {
        self.upcoming.iter().chain(&self.booked_here).find(|one| one.id.as_ref() == Some(id)).cloned()
    }

    /// "Barba pra Lívia Campos": who comes, unless that is who serves, or who writes.
    fn meet_guest(&mut self, text: &str) {
        if self.goal == Goal::Book {
            self.who.unmet = who::named_behind_for(text).or(self.who.unmet.take());
            self.settle_guest();
        }
    }

    /// After "Qual é o seu nome?" the answer "Corte e barba" is a service. The agent knows that once the tools have returned the
    /// services.
    fn settle_answers(&mut self) {
        if self.catalog.services.is_empty() {
            return;
        }
        for answer in std::mem::take(&mut self.who.answers) {
            let named = matches!(self.catalog.service_in(&answer), Named::One(_) | Named::Several(_));
            let person = balcao_language::tokens(&answer).iter().any(|word| balcao_language::is_first_name(&word.text));
            if named && !person {
                self.who.takes_back(&answer);
                self.mentions.push(format!("marcar {answer}"));
            }
        }
    }

    /// Decides whether the name that was heard is a professional's, once the tools have returned the professionals.
    fn settle_guest(&mut self) {
        let Some(name) = self.who.unmet.take_if(|_| !self.catalog.professionals.is_empty()) else { return };
        let own = self.who.own_name.as_ref().is_some_and(|own| balcao_language::contains_word(own, &name));
        if !own && self.catalog.professional_in(&name) == Named::Nothing {
            self.who.guest.get_or_insert_default().name = Some(name);
        }
    }

    /// The wishes of a message that had several, those still open first; empty if there is one or none.
    #[must_use]
    pub fn wanted_services(&self) -> Vec<String> {
        if !self.queue.is_empty() {
            return self.queue.clone();
        }
        let several = self.mentions.iter().rev().map(|text| self.catalog.several_in(text));
        several.into_iter().find(|several| !several.is_empty()).unwrap_or_default()
    }

    /// The service wanted, if the catalog knows it.
    #[must_use]
    pub fn service(&self) -> Named {
        let newest = self.mentions.iter().rev().chain(self.weak_mentions.iter().rev());
        let mut named = newest.map(|text| match self.catalog.several_in(text).into_iter().next() {
            Some(first) => self.catalog.service_in(&first),
            None => self.catalog.service_in(text),
        });
        named.find(|named| *named != Named::Nothing).unwrap_or(Named::Nothing)
    }

    /// The professional wanted.
    #[must_use]
    pub fn professional(&self) -> Named {
        for text in self.mentions.iter().rev() {
            // Who is named beside the first of several wishes is meant for it; else the names count for all.
            let first = self.catalog.several_in(text).into_iter().next();
            let first = first.filter(|wish| self.catalog.professional_in(wish) != Named::Nothing);
            let text = first.as_ref().unwrap_or(text);
            let preferred = self.catalog.professional_in(nlu::before_condition(text));
            let named = match preferred {
                Named::One(_) => preferred,
                Named::Several(_) | Named::Unknown(_) | Named::Nothing => self.catalog.professional_in(text),
            };
            if named != Named::Nothing {
                return named;
            }
            if nlu::read(text, self.today(), &[]).is(Act::AnyProfessional) {
                return Named::Nothing;
            }
        }
        Named::Nothing
    }
}

/// Where the first sentence of a text ends; "Dra. Ana" does not end one.
fn sentence_end(text: &str) -> Option<usize> {
    let title = |before: &str| {
        let last = before.rsplit(' ').next().unwrap_or_default();
        ["Dr", "Dra", "Sr", "Sra", "Prof"].contains(&last)
    };
    text.match_indices(". ").map(|(at, _)| at).find(|at| text.get(..*at).is_some_and(|before| !title(before)))
}
