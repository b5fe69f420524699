//! Sessions with one professional: who they are, what is free, and a booking once day, time, name and number are known.

mod beside;
mod service;

use balcao_language::{Locale, format};
use balcao_llm::TurnFacts;
use jiff::civil::{Date, Time};
use serde_json::{Map, Value, json};

use super::hours::{periods, worded};
use super::{
    Call, Decision, ReplyDraft,
    slots::{OFFERED_TIMES, spread},
};
use crate::catalog::Named;
use crate::nlu::Act;
use crate::results::{self, Outcome};
use crate::state::{Dialogue, GUEST_NAME, OWN_NAME, Question};
use crate::words::Line;

/// The most free times in one reply.
const TOLD: usize = 6;
/// A message of so many words is a mere answer.
const SHORT: usize = 6;

struct Intake<'a> {
    draft: ReplyDraft<'a>,
    dialogue: &'a Dialogue,
    facts: &'a TurnFacts,
    locale: Locale,
}

/// What is to be booked, as far as it is settled.
enum Service {
    /// This one, as the tools call it.
    Wanted(String),
    /// Nothing was asked for.
    Open,
}

/// The next step: a call that is missing, or what it says.
pub(super) fn decide(draft: ReplyDraft<'_>, facts: &TurnFacts) -> Decision {
    let (dialogue, locale) = (draft.dialogue, draft.locale);
    let mut intake = Intake { draft, dialogue, facts, locale };
    let last = intake.next();
    let ReplyDraft { mut calls, lines, .. } = intake.draft;
    match last {
        Decision::Call(more) => {
            calls.extend(more);
            Decision::Call(calls)
        }
        Decision::Say(_) if !calls.is_empty() => Decision::Call(calls),
        Decision::Say(text) => {
            let said = crate::words::reply(&super::each_once(lines), locale, dialogue.today());
            Decision::Say([said, text].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n"))
        }
    }
}

impl<'a> Intake<'a> {
    fn next(&mut self) -> Decision {
        let dialogue = self.dialogue;
        if let Some(done) = self.answered("transfer_to_human") {
            let text = if done.succeeded() {
                self.say("Vou passar você para a equipe.", "I am handing you over to our team.")
            } else {
                self.sorry()
            };
            return Decision::Say(text);
        }
        if let Some(done) = self.answered("book_appointment") {
            return self.after_booking(done);
        }
        if self.wants_a_person() {
            let reason = crate::summary::reason(dialogue);
            return self.ask("transfer_to_human", json!({ "reason": reason }));
        }
        if let Some(decision) = self.beside_the_booking() {
            return decision;
        }
        if let Some(line) = self.unclear_when() {
            return Decision::Say(self.line(line));
        }
        let Some(info) = self.answered("get_professional_info") else { return self.ask_info() };
        if let Some(line) = self.changes_what_is_booked() {
            // Said only of what is still booked.
            return match self.still_booked() {
                None => Decision::Say(String::new()),
                Some(false) => self.go_on(info),
                Some(true) => Decision::Say(self.line(line)),
            };
        }
        if let Some(decision) = self.questions() {
            return decision;
        }
        if let Some(line) = self.nobody_of_that_name() {
            return Decision::Say(self.line(line));
        }
        self.draft.one_at_a_time();
        if info.code().is_some() {
            return Decision::Say(self.refused(info));
        }
        self.go_on(info)
    }

    /// Continues the booking with the service, the time and the person that it is for.
    fn go_on(&mut self, info: &Outcome) -> Decision {
        let dialogue = self.dialogue;
        let who = results::text(&info.result, &["name"]).unwrap_or_default();
        // The next of several wishes may be for another person.
        if let (Named::One(name), false) = (dialogue.professional(), dialogue.queue.is_empty())
            && name != who
        {
            return Decision::Say(self.line(Line::WhichProfessional { list: vec![name] }));
        }
        let Some(service) = self.service(&who) else { return Decision::Say(String::new()) };
        let earliest = dialogue.utterance.is(Act::Earliest) || dialogue.utterance.is(Act::AnyTime);
        match (dialogue.day, dialogue.times.first()) {
            (Some(day), _) if self.asks_what_is_free() => self.offer(day.first.max(dialogue.today()), &service),
            (Some(day), Some(time)) => {
                let name = service.name().or_else(|| self.services_of(&who).into_iter().next());
                self.book(day.first, *time, &service, name)
            }
            (Some(day), None) => self.offer(day.first.max(dialogue.today()), &service),
            (None, _) if earliest => self.offer(dialogue.today(), &service),
            (None, _) => self.inform(&service),
        }
    }

    fn ask_info(&mut self) -> Decision {
        self.ask("get_professional_info", Value::Object(Map::new()))
    }

    /// What follows an answer of the booking: a question, a refusal, or what is booked, and the next of several wishes.
    fn after_booking(&mut self, last: &Outcome) -> Decision {
        for done in self.dialogue.outcomes.iter().filter(|one| one.name == "book_appointment" && one.succeeded()) {
            let what = results::appointment(&done.result);
            let plan = results::text(&done.result, &["plan_name"]);
            let price = results::price(&done.result, self.locale).filter(|_| plan.is_none());
            self.draft.push_line(Line::SessionBooked { what, price, plan });
            if let Some(text) = results::text(&done.result, &["plan_notice"]) {
                self.draft.push_line(Line::PlanNotice { text });
            }
        }
        let was_booked = !self.draft.lines.is_empty();
        if !last.succeeded() {
            if !was_booked {
                self.answers();
                self.draft.one_at_a_time();
            }
            let stays =
                self.dialogue.booked.clone().filter(|one| one.date.is_some_and(|date| date >= self.dialogue.today()));
            let stands = self.dialogue.upcoming.iter().any(|one| stays.as_ref().is_some_and(|what| one.id == what.id));
            if let Some(what) = stays.filter(|_| stands && last.is_held() && !was_booked) {
                self.draft.push_line(Line::OneMore { what });
            }
            if last.is_held() && self.proposes_the_usual() {
                self.draft.push_line(Line::AnotherIsPossible);
            }
            return Decision::Say(self.booked(last));
        }
        let Some(wish) = self.dialogue.queue.first() else { return Decision::Say(String::new()) };
        if !self.draft.next_is_complete() {
            let settled = matches!(self.dialogue.catalog.service_in(wish), Named::One(_));
            let wish = self.draft.label(wish);
            self.draft.push_line(Line::NextOf { wish, settled });
            return Decision::Say(String::new());
        }
        match self.answered("get_professional_info") {
            Some(info) if info.code().is_some() => Decision::Say(self.refused(info)),
            Some(info) => self.go_on(info),
            None => self.ask_info(),
        }
    }

    /// What is asked where the day or time cannot be, or a mere yes leaves open which of several is meant.
    fn unclear_when(&self) -> Option<Line> {
        let (dialogue, said) = (self.dialogue, &self.dialogue.utterance);
        if let Some(problem) = &said.problem {
            return Some(super::problem_line(problem.clone(), dialogue));
        }
        if let Some(written) = &said.impossible_time {
            return Some(Line::ImpossibleTime { written: written.clone() });
        }
        if let Some(line) = dialogue.day.and_then(|day| super::no_such_day(dialogue, day)) {
            return Some(line);
        }
        let mut times = dialogue.offered.clone();
        times.sort_unstable();
        times.dedup();
        (times.len() > 1 && dialogue.says_yes_to_offer(said)).then_some(Line::WhichTime { times })
    }

    /// "Que horários tem?" with a time that was wanted before: that time is not asked for again.
    fn asks_what_is_free(&self) -> bool {
        let said = &self.dialogue.utterance;
        said.is(Act::Availability) && !said.is(Act::Services) && said.times.is_empty() && said.bare_times.is_empty()
    }

    /// "Que horas ela atende?" is about her alone.
    fn asks_for_hours(&self) -> bool {
        let said = &self.dialogue.utterance;
        said.is(Act::Hours) || said.is(Act::WhoWorks)
    }

    fn line(&self, line: Line) -> String {
        crate::words::reply(&[line], self.locale, self.dialogue.today())
    }

    fn say(&self, pt: &str, en: &str) -> String {
        if self.locale == Locale::PtBr { pt.to_owned() } else { en.to_owned() }
    }

    fn sorry(&self) -> String {
        self.say("Não consegui consultar isso agora.", "I could not look that up now.")
    }

    fn answered(&self, name: &str) -> Option<&'a Outcome> {
        self.dialogue.outcomes.iter().rev().find(|outcome| outcome.name == name)
    }

    fn ask(&self, name: &str, arguments: Value) -> Decision {
        if self.draft.may_call {
            Decision::Call(vec![Call { name: name.to_owned(), arguments }])
        } else {
            Decision::Say(self.sorry())
        }
    }

    /// The reply to a failed tool call: the professionals to choose from, or the reason for the failure.
    fn refused(&self, outcome: &Outcome) -> String {
        let names = self.to_choose_from(outcome);
        // If each of several wishes names a professional, the reply uses the one of the first wish.
        if let Named::One(name) = self.dialogue.professional()
            && names.contains(&name)
        {
            return self.line(Line::WhichProfessional { list: vec![name] });
        }
        if let [_] = names.as_slice() {
            return self.line(Line::WhichProfessional { list: names });
        }
        if !names.is_empty() {
            let list = format::list(&names, if self.locale == Locale::PtBr { "ou" } else { "or" });
            let greets = self.dialogue.utterance.is(Act::Greeting) && !self.dialogue.greeted;
            let house = &self.facts.organization;
            let hello = self.say(
                &format!("Oi! Sou o atendente automático da {house}. "),
                &format!("Hi! I am the automatic front desk of {house}. "),
            );
            let question =
                self.say(&format!("Com qual profissional: {list}?"), &format!("With which professional: {list}?"));
            return if greets { format!("{hello}{question}") } else { question };
        }
        let message = outcome.result.get("message").and_then(Value::as_str).map_or_else(|| self.sorry(), str::to_owned);
        let others = results::appointments(&outcome.result, &["alternatives"]);
        // Those of the wanted day, where there are any, though another day's may be nearer by the clock.
        let wanted = results::appointment(&outcome.arguments).date;
        let that_day = others.iter().find(|one| one.date.is_some() && one.date == wanted);
        let date = that_day.or(others.iter().find(|one| one.date.is_some())).and_then(|one| one.date);
        let times = others.iter().filter(|one| one.date == date).filter_map(|one| one.time);
        let times: Vec<String> = times.map(|time| format::time(time, self.locale)).take(TOLD).collect();
        match date.filter(|_| !times.is_empty()) {
            Some(date) => {
                let (day, times) = (format::day(date, self.locale), times.join(", "));
                self.say(
                    &format!("{message} Tenho livre em {day}: {times}. Qual horário?"),
                    &format!("{message} Free on {day}: {times}. Which time?"),
                )
            }
            None if results::is_no_slot(&outcome.result) => {
                self.say(&format!("{message} Qual outro dia?"), &format!("{message} Which other day?"))
            }
            None => message,
        }
    }

    /// The professionals that the customer must choose from if the tools do not know which one they mean: those that they named, or those
    /// who offer the service, else all.
    fn to_choose_from(&self, outcome: &Outcome) -> Vec<String> {
        let details = outcome.result.get("details");
        let argument = details.and_then(|details| details.get("argument")).and_then(Value::as_str);
        let all = details.and_then(|details| details.get("available")).and_then(Value::as_array);
        let all = all.filter(|_| argument == Some("professional")).into_iter().flatten().filter_map(Value::as_str);
        let all: Vec<String> = all.map(str::to_owned).collect();
        let narrowed = match (self.dialogue.professional(), self.dialogue.service()) {
            (Named::Several(named), _) => named,
            (_, Named::One(service)) => self.dialogue.catalog.performers(&service),
            (_, Named::Several(_) | Named::Unknown(_) | Named::Nothing) => Vec::new(),
        };
        let those: Vec<String> = all.iter().filter(|name| narrowed.contains(name)).cloned().collect();
        if those.is_empty() { all } else { those }
    }

    fn when(&self, date: Date, time: Time) -> String {
        let at = if self.locale == Locale::PtBr { "às" } else { "at" };
        format!("{} {at} {}", format::day(date, self.locale), format::time(time, self.locale))
    }

    fn offer(&mut self, date: Date, service: &Service) -> Decision {
        let Some(found) = self.times_of(date, service) else { return self.ask_times(date, service) };
        let text = |key: &str| found.result.get(key).and_then(Value::as_str).unwrap_or_default();
        let Some(all) = free_times(found) else { return Decision::Say(self.refused(found)) };
        let day = format::day(date, self.locale);
        let window = self.dialogue.window;
        let fits = |time: &Time| window.is_none_or(|window| window.contains(*time));
        let free: Vec<Time> = all.iter().copied().filter(fits).collect();
        if free.is_empty() {
            return self.nothing_free(date, found, &all);
        }
        let told = spread(&free);
        let more = if told.len() < free.len() { self.say(", entre outros", ", among others") } else { String::new() };
        let times: Vec<String> = told.into_iter().map(|time| format::time(time, self.locale)).collect();
        let (times, who) = (times.join(", "), text("professional"));
        Decision::Say(self.say(
            &format!("Em {day}, {who} tem{more}: {times}. Qual horário?"),
            &format!("On {day}, {who} has{more}: {times}. Which time?"),
        ))
    }

    /// What is free instead of a time that is not; `None` if it is, or if only the booking can tell.
    fn not_free(&self, date: Date, time: Time, service: &Service) -> Option<Decision> {
        let Some(found) = self.times_of(date, service) else { return Some(self.ask_times(date, service)) };
        let mut free = free_times(found).filter(|free| !free.contains(&time))?;
        if free.is_empty() {
            return Some(self.nothing_free(date, found, &free));
        }
        let not = Line::NotFree { date, time, professional: results::text(&found.result, &["professional"]) };
        free.sort_by_key(|one| one.duration_since(time).abs());
        free.truncate(OFFERED_TIMES);
        free.sort_unstable();
        let near = Line::Nearby { list: vec![(None, free)] };
        Some(Decision::Say(crate::words::reply(&[not, near], self.locale, self.dialogue.today())))
    }

    /// Why nothing is free on a day, or in the part of it that was wanted, and what is free instead: later that day, or on the
    /// days after.
    fn nothing_free(&self, date: Date, found: &Outcome, all: &[Time]) -> Decision {
        let professional = results::text(&found.result, &["professional"]);
        let note = results::text(&found.result, &["note"]);
        let flag = |key: &str| found.result.get(key).and_then(Value::as_bool).unwrap_or_default();
        let part = self.dialogue.window.filter(|_| !all.is_empty());
        let none = match professional.clone() {
            _ if flag("closed") => Line::HoursOf { date, periods: Vec::new(), note },
            Some(name) if flag("away") => Line::Away { name, date },
            professional => Line::NoneFree { date, professional, part },
        };
        if !all.is_empty() {
            let near = Line::Nearby { list: vec![(None, spread(all))] };
            return Decision::Say(crate::words::reply(&[none, near], self.locale, self.dialogue.today()));
        }
        if flag("no_hours")
            && let Some(name) = professional
        {
            return Decision::Say(self.line(Line::NoHours { name }));
        }
        let days: Vec<(Date, Vec<Time>)> = results::appointments(&found.result, &["next_free"])
            .into_iter()
            .filter_map(|next| Some((next.date?, vec![next.time?])))
            .collect();
        let then = if days.is_empty() { Line::AnotherDay } else { Line::OfferDays { days: by_day(days), until: None } };
        Decision::Say(crate::words::reply(&[none, then], self.locale, self.dialogue.today()))
    }

    fn book(&mut self, date: Date, time: Time, wanted: &Service, service: Option<String>) -> Decision {
        let booked = self.dialogue.booked.is_some() && self.still_booked().is_none();
        if booked && self.answered("get_contact_info").is_some() {
            return Decision::Say(String::new());
        }
        let Some(card) = self.answered("get_contact_info") else {
            return self.ask("get_contact_info", Value::Object(Map::new()));
        };
        let known = |key: &str| card.result.get(key).and_then(Value::as_str).map(str::to_owned);
        let who = &self.dialogue.who;
        let kept = known("name").or_else(|| self.facts.contact_name.clone());
        let own = kept.clone().or_else(|| who.own_name.clone());
        let guest = who.guest.as_ref();
        let (name, question) = guest.map_or((own.clone(), OWN_NAME), |guest| (guest.name.clone(), GUEST_NAME));
        // We do not ask for a name for a time that the customer cannot have.
        if name.is_none()
            && let Some(decision) = self.not_free(date, time, wanted)
        {
            return decision;
        }
        let Some(name) = name else {
            let [pt, en] = question;
            return Decision::Say(self.say(pt, en));
        };
        // Beside the writer's own number a name is theirs, if we have none of them.
        let shared = known("phone").filter(|_| guest.is_none() || kept.is_some());
        let Some(phone) = guest.and_then(|guest| guest.phone.clone()).or(shared) else {
            return Decision::Say(if guest.is_some() {
                self.say(
                    &format!("Qual é o telefone de {name}, com DDD?"),
                    &format!("What is {name}'s number, with area code?"),
                )
            } else {
                self.say("Qual é o seu telefone, com DDD?", "What is your number, with area code?")
            });
        };
        let time = time.strftime("%H:%M").to_string();
        let mut wish = json!({ "date": date.to_string(), "time": time, "client_name": name, "client_phone": phone });
        if let (Some(service), Some(fields)) = (service, wish.as_object_mut()) {
            fields.insert("service".to_owned(), service.into());
        }
        self.ask("book_appointment", wish)
    }

    fn booked(&self, done: &Outcome) -> String {
        if done.is_held() {
            let summary = done.summary().map(str::to_owned);
            return summary.unwrap_or_else(|| self.say("Posso marcar?", "May I book it?"));
        }
        self.refused(done)
    }

    /// Who the professional is, what they do at which price, and what is missing.
    fn inform(&self, service: &Service) -> Decision {
        let Some(info) = self.answered("get_professional_info") else {
            return self.ask("get_professional_info", Value::Object(Map::new()));
        };
        if info.code().is_some() {
            return Decision::Say(self.refused(info));
        }
        let text = |key: &str| info.result.get(key).and_then(Value::as_str);
        if self.is_told() {
            return Decision::Say(self.line(Line::AskDay));
        }
        let who = text("name").unwrap_or_default();
        let what = text("profession").map(|what| format!(" ({what})")).unwrap_or_default();
        let own = match service {
            Service::Wanted(name) => vec![name.clone()],
            Service::Open => self.services_of(who),
        };
        let only_hours = self.asks_for_hours() && !self.dialogue.utterance.is(Act::Prices);
        let own = if only_hours && own.len() > 1 { Vec::new() } else { own };
        let rows: Vec<String> = own.iter().filter_map(|name| self.draft.row_of(name, who)).collect();
        let session = match rows.as_slice() {
            [] if only_hours => String::new(),
            [] => self.say(&format!("Certo, com {who}{what}."), &format!("Right, with {who}{what}.")),
            [only] => format!("{who}{what}: {only}."),
            several => {
                let head = self.say(&format!("{who}{what} faz:"), &format!("{who}{what} does:"));
                let rows: Vec<String> = several.iter().map(|row| format!("- {row}")).collect();
                format!("{head}\n{}", rows.join("\n"))
            }
        };
        let hours = if self.asks_for_hours() { self.hours_of(who, info) } else { String::new() };
        let told = format!("{session}{hours}\n{}", self.what_is_missing());
        Decision::Say(told.trim_start().to_owned())
    }

    /// Whether the last reply already described the session and the customer does not ask for it again.
    fn is_told(&self) -> bool {
        let said = &self.dialogue.utterance;
        let all = &self.dialogue.catalog.services;
        let told = all.iter().any(|service| self.dialogue.said.contains(&format!("{}: ", service.name)));
        let named = self.dialogue.catalog.professional_in(&said.text) != Named::Nothing;
        told && !self.asks_for_hours()
            && !said.is(Act::Prices)
            && !said.is(Act::Services)
            && !named
            && self.dialogue.asked == Question::Day
    }

    /// When the professional works, a line a day.
    fn hours_of(&self, who: &str, info: &Outcome) -> String {
        let days = info.result.get("working_hours").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let row = |day: &Value| {
            let date: Date = day.get("date")?.as_str()?.parse().ok()?;
            let open = periods(day, "periods");
            (!open.is_empty()).then(|| format!("- {}: {}", format::day(date, self.locale), worded(&open, self.locale)))
        };
        let rows: Vec<String> = days.iter().filter_map(row).collect();
        if rows.is_empty() {
            return String::new();
        }
        let head = self.say(&format!("{who} atende:"), &format!("{who} works:"));
        format!("\n{head}\n{}", rows.join("\n"))
    }

    /// The question that goes on with the booking.
    fn what_is_missing(&self) -> String {
        match (self.dialogue.day, self.dialogue.times.first()) {
            (None, _) => self.say("Para qual dia você quer?", "Which day would you like?"),
            (Some(_), None) => self.say("Qual horário você prefere?", "Which time would you like?"),
            (Some(day), Some(time)) => {
                let when = self.when(day.first, *time);
                self.say(&format!("Quer que eu marque {when}?"), &format!("Shall I book {when}?"))
            }
        }
    }
}

impl Service {
    fn name(&self) -> Option<String> {
        match self {
            Self::Wanted(name) => Some(name.clone()),
            Self::Open => None,
        }
    }
}

fn times_asked(date: Date, service: &Service) -> Value {
    let mut arguments = json!({ "date": date.to_string() });
    if let (Some(name), Some(fields)) = (service.name(), arguments.as_object_mut()) {
        fields.insert("service".to_owned(), name.into());
    }
    arguments
}

/// The free times of a day. `None` if the question itself was refused: a day that is over, or too far ahead.
fn free_times(found: &Outcome) -> Option<Vec<Time>> {
    let refused = found.code().is_some() || results::text(&found.result, &["reason"]).is_some();
    let slots = found.result.get("slots").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    (!refused).then(|| slots.iter().filter_map(|slot| slot.as_str()?.parse::<Time>().ok()).collect())
}

/// "Uma sessão" names no service, and neither does "como assim".
fn says_nothing(said: &str) -> bool {
    const GENERAL: [&str; 26] = [
        "sessao",
        "sessoes",
        "session",
        "appointment",
        "visita",
        "encaixe",
        "agendamento",
        "reserva",
        "marcacao",
        "horarinho",
        "assim",
        "poxa",
        "puxa",
        "hein",
        "ue",
        "oxe",
        "eita",
        "nossa",
        "caramba",
        "sou",
        "aqui",
        "serio",
        "entendi",
        "kkk",
        "rs",
        "what",
    ];
    let folded = balcao_language::normalize(said);
    GENERAL.iter().any(|word| balcao_language::contains_word(&folded, word))
}

/// The times of each day together, in their order.
fn by_day(all: Vec<(Date, Vec<Time>)>) -> Vec<(Date, Vec<Time>)> {
    let mut days: Vec<(Date, Vec<Time>)> = Vec::new();
    for (date, times) in all {
        match days.iter_mut().find(|(one, _)| *one == date) {
            Some((_, known)) => known.extend(times),
            None => days.push((date, times)),
        }
    }
    days
}
