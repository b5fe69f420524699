//! Sessions with one professional: who they are, what is free, and a booking once day, time, name and number are known.

use balcao_language::say::{self, Locale};
use balcao_language::{Agreement, agreement};
use balcao_llm::{ToolDefinition, TurnFacts};
use jiff::civil::{Date, Time};
use serde_json::{Map, Value, json};

use super::hours::{periods, worded};
use super::{Call, Decision, slots::spread};
use crate::catalog::Named;
use crate::nlu::Act;
use crate::results::{self, Outcome};
use crate::state::{Dialogue, GUEST_NAME, Goal, OWN_NAME, Question, own_appointment};
use crate::words::Line;

/// So many free times are told.
const TOLD: usize = 6;

/// Whether these tools are those of an intake.
pub(super) fn serves(tools: &[ToolDefinition]) -> bool {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    has("book_appointment") && has("get_available_slots") && !has("get_services")
}

struct Intake<'a> {
    dialogue: &'a Dialogue,
    facts: &'a TurnFacts,
    locale: Locale,
    may_call: bool,
}

/// The next step: a call that is missing, or what it says.
pub(super) fn decide(dialogue: &Dialogue, facts: &TurnFacts, locale: Locale, may_call: bool) -> Decision {
    let intake = Intake { dialogue, facts, locale, may_call };
    if let Some(done) = intake.answered("transfer_to_human") {
        let text = if done.succeeded() {
            intake.say("Vou passar você para a equipe.", "I am handing you over to our team.")
        } else {
            intake.sorry()
        };
        return Decision::Say(text);
    }
    if let Some(done) = intake.answered("book_appointment") {
        return Decision::Say(intake.booked(done));
    }
    if intake.wants_a_person() {
        let reason = crate::summary::reason(dialogue);
        return intake.ask("transfer_to_human", json!({ "reason": reason }));
    }
    if let Some(decision) = intake.beside_the_booking() {
        return decision;
    }
    if let Some(line) = intake.unclear_when() {
        return Decision::Say(intake.line(line));
    }
    let earliest = dialogue.utterance.is(Act::Earliest) || dialogue.utterance.is(Act::AnyTime);
    match (dialogue.day, dialogue.times.first()) {
        (Some(day), _) if intake.asks_what_is_free() => intake.offer(day.first.max(dialogue.today())),
        (Some(day), Some(time)) => intake.book(day.first, *time),
        (Some(day), None) => intake.offer(day.first.max(dialogue.today())),
        (None, _) if earliest => intake.offer(dialogue.today()),
        (None, _) => intake.inform(),
    }
}

impl<'a> Intake<'a> {
    /// Whether a person is to be called: asked for, accepted, or for what only a person does.
    fn wants_a_person(&self) -> bool {
        let said = &self.dialogue.utterance;
        let accepted = super::accepts_a_person(self.dialogue);
        // "Melhor mudar pra 16h" about what is not booked yet is a change of mind.
        let changes = matches!(self.dialogue.goal, Goal::Cancel | Goal::Reschedule);
        let moves = (said.is(Act::Cancel) || said.is(Act::Reschedule)) && changes && !self.calls_it_off();
        accepted || moves || said.is(Act::Human)
    }

    /// "Cancela" or "não" to what was proposed, with no other day, name or person in it.
    fn calls_it_off(&self) -> bool {
        let said = &self.dialogue.utterance;
        let proposed = self.dialogue.asked == Question::Book && !own_appointment(&said.text);
        let declines = said.is(Act::Refusal) || agreement(&said.text) == Agreement::No;
        let more = said.has_when()
            || !said.bare_times.is_empty()
            || said.own_name.is_some()
            || [Act::AnyProfessional, Act::AnyTime, Act::Later, Act::Sooner].into_iter().any(|act| said.is(act))
            || balcao_language::tokens(&said.text).iter().any(|token| balcao_language::is_relative(&token.text))
            || self.dialogue.catalog.professional_in(&said.text) != Named::Nothing;
        (declines || said.is(Act::Cancel) && proposed) && !more
    }

    /// What is not about when and who: what we are, where, prices and hours, thanks, a refusal.
    fn beside_the_booking(&self) -> Option<Decision> {
        let said = &self.dialogue.utterance;
        let plain = !said.has_when() && said.bare_times.is_empty();
        if said.is(Act::Identity) {
            return Some(Decision::Say(self.say(
                &format!("Sou o atendente automático da {}: um programa, não uma pessoa. Posso marcar a sua sessão. Se preferir, quer que eu chame alguém da equipe?", self.facts.organization),
                &format!("I am the automatic front desk of {}: a program, not a person. I can book your session. Or would you like me to call someone from the team?", self.facts.organization),
            )));
        }
        if let Some(address) = self.facts.address.clone().filter(|_| super::asks_where(&said.text)) {
            return Some(Decision::Say(self.line(Line::Address { address })));
        }
        if plain && self.asks_of_the_session() {
            return Some(self.inform());
        }
        if self.calls_it_off() && self.dialogue.asked != Question::Nothing {
            return Some(Decision::Say(self.line(Line::NoProblem)));
        }
        let polite = said.is(Act::Thanks) || said.is(Act::Goodbye);
        if plain && polite && agreement(&said.text) != Agreement::Yes {
            return Some(Decision::Say(
                self.say("Por nada! Se precisar, é só chamar.", "You are welcome! Just call if you need us."),
            ));
        }
        // What was declined is not asked about again.
        let paused = self.dialogue.said == self.line(Line::NoProblem) && plain;
        paused.then(|| Decision::Say(self.line(Line::AskDay)))
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
        said.is(Act::Availability) && said.times.is_empty() && said.bare_times.is_empty()
    }

    /// "Que horas ela atende?" is about her alone.
    fn asks_for_hours(&self) -> bool {
        let said = &self.dialogue.utterance;
        said.is(Act::Hours) || said.is(Act::WhoWorks)
    }

    fn asks_of_the_session(&self) -> bool {
        let said = &self.dialogue.utterance;
        said.is(Act::Prices) || said.is(Act::Services) || self.asks_for_hours()
    }

    fn line(&self, line: Line) -> String {
        crate::words::reply(&[line], self.locale, self.dialogue.today())
    }

    fn say(&self, pt: &str, en: &str) -> String {
        if self.locale == Locale::Pt { pt.to_owned() } else { en.to_owned() }
    }

    fn sorry(&self) -> String {
        self.say("Não consegui consultar isso agora.", "I could not look that up now.")
    }

    fn answered(&self, name: &str) -> Option<&'a Outcome> {
        self.dialogue.outcomes.iter().rev().find(|outcome| outcome.name == name)
    }

    fn ask(&self, name: &str, arguments: Value) -> Decision {
        if self.may_call {
            Decision::Call(vec![Call { name: name.to_owned(), arguments }])
        } else {
            Decision::Say(self.sorry())
        }
    }

    /// What an answer without success says: with whom, or why not.
    fn refused(&self, outcome: &Outcome) -> String {
        let names =
            outcome.result.get("details").and_then(|details| details.get("available")).and_then(Value::as_array);
        let names: Vec<&str> = names.into_iter().flatten().filter_map(Value::as_str).collect();
        if !names.is_empty() {
            let list = names.join(", ");
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
        let times: Vec<String> = times.map(|time| say::time(time, self.locale)).take(TOLD).collect();
        match date.filter(|_| !times.is_empty()) {
            Some(date) => {
                let (day, times) = (say::day(date, self.locale), times.join(", "));
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

    fn when(&self, date: Date, time: Time) -> String {
        let at = if self.locale == Locale::Pt { "às" } else { "at" };
        format!("{} {at} {}", say::day(date, self.locale), say::time(time, self.locale))
    }

    fn offer(&self, date: Date) -> Decision {
        let Some(found) = self.answered("get_available_slots") else {
            return self.ask("get_available_slots", json!({ "date": date.to_string() }));
        };
        let text = |key: &str| found.result.get(key).and_then(Value::as_str).unwrap_or_default();
        let slots = found.result.get("slots").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if found.code().is_some() || !text("reason").is_empty() {
            return Decision::Say(self.refused(found));
        }
        let day = say::day(date, self.locale);
        let all: Vec<Time> = slots.iter().filter_map(|slot| slot.as_str()?.parse::<Time>().ok()).collect();
        let window = self.dialogue.window;
        let fits = |time: &Time| window.is_none_or(|window| window.contains(*time));
        let free: Vec<Time> = all.iter().copied().filter(fits).collect();
        if free.is_empty() {
            return self.nothing_free(date, found, &all);
        }
        let told = spread(&free);
        let more = if told.len() < free.len() { self.say(", entre outros", ", among others") } else { String::new() };
        let times: Vec<String> = told.into_iter().map(|time| say::time(time, self.locale)).collect();
        let (times, who) = (times.join(", "), text("professional"));
        Decision::Say(self.say(
            &format!("Em {day}, {who} tem{more}: {times}. Qual horário?"),
            &format!("On {day}, {who} has{more}: {times}. Which time?"),
        ))
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

    fn book(&self, date: Date, time: Time) -> Decision {
        let Some(card) = self.answered("get_contact_info") else {
            return self.ask("get_contact_info", Value::Object(Map::new()));
        };
        let known = |key: &str| card.result.get(key).and_then(Value::as_str).map(str::to_owned);
        let who = &self.dialogue.who;
        let own = known("name").or_else(|| self.facts.contact_name.clone()).or_else(|| who.own_name.clone());
        let guest = who.guest.as_ref();
        let (name, question) = guest.map_or((own.clone(), OWN_NAME), |guest| (guest.name.clone(), GUEST_NAME));
        let Some(name) = name else {
            let [pt, en] = question;
            return Decision::Say(self.say(pt, en));
        };
        // Beside the writer's own number a name is theirs, if they have told us none.
        let shared = known("phone").filter(|_| guest.is_none() || own.is_some());
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
        let wish = json!({ "date": date.to_string(), "time": time, "client_name": name, "client_phone": phone });
        self.ask("book_appointment", wish)
    }

    fn booked(&self, done: &Outcome) -> String {
        if done.is_held() {
            let summary = done.summary().map(str::to_owned);
            return summary.unwrap_or_else(|| self.say("Posso marcar?", "May I book it?"));
        }
        if !done.succeeded() {
            return self.refused(done);
        }
        let text = |key: &str| done.result.get(key).and_then(Value::as_str).unwrap_or_default();
        let (date, time) = (text("date").parse::<Date>(), text("time").parse::<Time>());
        let when = match (date, time) {
            (Ok(date), Ok(time)) => self.when(date, time),
            _ => return self.say("Marcado.", "Booked."),
        };
        let who = text("professional");
        self.say(&format!("Marcado com {who}, {when}."), &format!("Booked with {who}, {when}."))
    }

    fn inform(&self) -> Decision {
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
        let minutes = info.result.get("session_minutes").and_then(Value::as_u64).unwrap_or_default();
        let (pt, en) = match text("price") {
            Some(price) => (format!(", por {price}"), format!(", for {price}")),
            None => (String::new(), String::new()),
        };
        let session = self.say(
            &format!("A sessão com {who}{what} dura {minutes} minutos{pt}."),
            &format!("A session with {who}{what} takes {minutes} minutes{en}."),
        );
        let hours = if self.asks_for_hours() { self.hours_of(who, info) } else { String::new() };
        let gap = if hours.is_empty() { " " } else { "\n" };
        Decision::Say(format!("{session}{hours}{gap}{}", self.what_is_missing()))
    }

    /// Whether the session was told just now, and nobody asks for it again.
    fn is_told(&self) -> bool {
        let said = &self.dialogue.utterance;
        let told = ["A sessão com ", "A session with "].iter().any(|lead| self.dialogue.said.contains(lead));
        let named = self.dialogue.catalog.professional_in(&said.text) != Named::Nothing;
        told && !self.asks_of_the_session() && !named && self.dialogue.asked == Question::Day
    }

    /// When the professional works, a line a day.
    fn hours_of(&self, who: &str, info: &Outcome) -> String {
        let days = info.result.get("working_hours").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let row = |day: &Value| {
            let date: Date = day.get("date")?.as_str()?.parse().ok()?;
            let open = periods(day, "periods");
            (!open.is_empty()).then(|| format!("- {}: {}", say::day(date, self.locale), worded(&open, self.locale)))
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
