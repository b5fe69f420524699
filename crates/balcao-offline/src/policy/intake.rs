//! Sessions with one professional: who they are, what is free, and a booking once day, time, name and number are known.

use balcao_language::say::{self, Locale};
use balcao_llm::ToolDefinition;
use jiff::civil::{Date, Time};
use serde_json::{Map, Value, json};

use super::{Call, Decision};
use crate::nlu::Act;
use crate::results::Outcome;
use crate::state::{Dialogue, GUEST_NAME, OWN_NAME};

/// So many free times are told.
const TOLD: usize = 6;

/// Whether these tools are those of an intake.
pub(super) fn serves(tools: &[ToolDefinition]) -> bool {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    has("book_appointment") && has("get_available_slots") && !has("get_services")
}

struct Intake<'a> {
    dialogue: &'a Dialogue,
    locale: Locale,
    may_call: bool,
}

/// The next step: a call that is missing, or what it says.
pub(super) fn decide(dialogue: &Dialogue, contact: Option<&str>, locale: Locale, may_call: bool) -> Decision {
    let intake = Intake { dialogue, locale, may_call };
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
    let said = &dialogue.utterance;
    if [Act::Human, Act::Cancel, Act::Reschedule].into_iter().any(|act| said.is(act)) {
        let reason = crate::summary::reason(dialogue);
        return intake.ask("transfer_to_human", json!({ "reason": reason }));
    }
    if dialogue.day.is_none() && [Act::Thanks, Act::Goodbye].into_iter().any(|act| said.is(act)) {
        return Decision::Say(
            intake.say("Por nada! Se precisar, é só chamar.", "You are welcome! Just call if you need us."),
        );
    }
    match (dialogue.day, dialogue.times.first()) {
        (Some(day), Some(time)) => intake.book(contact, day.first, *time),
        (Some(day), None) => intake.offer(day.first),
        (None, _) => intake.inform(),
    }
}

impl<'a> Intake<'a> {
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
            return self.say(&format!("Com qual profissional: {list}?"), &format!("With which professional: {list}?"));
        }
        let message = outcome.result.get("message").and_then(Value::as_str).map_or_else(|| self.sorry(), str::to_owned);
        let others = outcome.result.get("alternatives").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let free: Vec<String> = others.iter().filter_map(|one| self.slot(one)).take(TOLD).collect();
        if free.is_empty() {
            return message;
        }
        let free = free.join(", ");
        self.say(&format!("{message} Tenho livre: {free}."), &format!("{message} These are free: {free}."))
    }

    fn slot(&self, one: &Value) -> Option<String> {
        let date: Date = one.get("date")?.as_str()?.parse().ok()?;
        let time: Time = one.get("start_hour")?.as_str()?.parse().ok()?;
        Some(self.when(date, time))
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
        let window = self.dialogue.window;
        let fits = |time: &Time| window.is_none_or(|window| window.from <= *time && *time <= window.until);
        let times = slots.iter().filter_map(|slot| slot.as_str()?.parse::<Time>().ok()).filter(fits);
        let times: Vec<String> = times.map(|time| say::time(time, self.locale)).take(TOLD).collect();
        let (times, who) = (times.join(", "), text("professional"));
        Decision::Say(if times.is_empty() {
            self.say(
                &format!("Não há horário livre em {day}. Qual outro dia?"),
                &format!("Nothing is free on {day}. Which other day?"),
            )
        } else {
            self.say(
                &format!("Em {day}, {who} tem: {times}. Qual horário?"),
                &format!("On {day}, {who} has: {times}. Which time?"),
            )
        })
    }

    fn book(&self, contact: Option<&str>, date: Date, time: Time) -> Decision {
        let Some(card) = self.answered("get_contact_info") else {
            return self.ask("get_contact_info", Value::Object(Map::new()));
        };
        let known = |key: &str| card.result.get(key).and_then(Value::as_str).map(str::to_owned);
        let who = &self.dialogue.who;
        let own = known("name").or_else(|| contact.map(str::to_owned)).or_else(|| who.own_name.clone());
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
        let who = text("name").unwrap_or_default();
        let what = text("profession").map(|what| format!(" ({what})")).unwrap_or_default();
        let minutes = info.result.get("session_minutes").and_then(Value::as_u64).unwrap_or_default();
        let (pt, en) = match text("price") {
            Some(price) => (format!(", por {price}"), format!(", for {price}")),
            None => (String::new(), String::new()),
        };
        Decision::Say(self.say(
            &format!("A sessão com {who}{what} dura {minutes} minutos{pt}. Para qual dia você quer?"),
            &format!("A session with {who}{what} takes {minutes} minutes{en}. Which day would you like?"),
        ))
    }
}
