//! What the answer of a tool adds to what is known: what there is, what was booked, what is next.

use balcao_language::find_times;
use balcao_llm::{Message, SERVICE_MESSAGE};
use jiff::civil::Date;
use serde_json::Value;

use super::{Dialogue, Goal, Question};
use crate::catalog::Named;
use crate::nlu::{self, Day};
use crate::results::{self, Appointment, Outcome};

/// Whether the words at `at` are the program's, ahead of a message of a service.
pub(super) fn precedes_service_message(messages: &[Message], at: usize) -> bool {
    let Some(Message::Assistant { text, tool_calls }) = messages.get(at.saturating_add(1)) else { return false };
    tool_calls.iter().any(|call| call.name == SERVICE_MESSAGE)
        || crate::structured::reply(text).1.iter().any(|(name, _)| name == SERVICE_MESSAGE)
}

impl Dialogue {
    /// Takes in messages of services: a turn of its own, which leaves what the customer wants as it is.
    fn hear_service(&mut self, result: &Value) {
        let messages = result.get("messages").and_then(Value::as_array).into_iter().flatten();
        self.news = messages.filter_map(Value::as_str).map(str::to_owned).collect();
        self.outcomes.clear();
    }

    /// Takes in a tool's answer.
    pub(super) fn see(&mut self, outcome: Outcome, today: Date) {
        if outcome.name == SERVICE_MESSAGE {
            return self.hear_service(&outcome.result);
        }
        if results::usual_name(&outcome.name) == "check_availability" {
            let named = outcome.arguments.get("barber_name").is_some_and(serde_json::Value::is_string);
            self.nobody_so_named = named && outcome.code() == Some("not_found");
        }
        if outcome.code().is_none() {
            match results::usual_name(&outcome.name) {
                "get_services" | "get_barbers" | "get_subscription_plans" | "get_professional_info" => {
                    let unknown = self.catalog.services.is_empty();
                    self.catalog.renew(&outcome.result);
                    self.catalog.meet(&outcome.result);
                    self.catalog.learn(&outcome.result);
                    if unknown {
                        self.first_of_several(&self.utterance.clone());
                    }
                    self.settle_guest();
                    self.settle_answers();
                }
                // A second request for this time would fail, too. The customer's next message chooses a new time.
                "create_appointment" if outcome.name == "book_appointment" && results::is_no_slot(&outcome.result) => {
                    self.times.clear();
                }
                "get_available_slots" => {
                    self.catalog.renew(&outcome.result);
                    self.catalog.meet(&outcome.result);
                }
                "schedule_appointment_reminder" if outcome.succeeded() => self.reminded = true,
                "get_appointment_history" => {
                    let mut upcoming = results::appointments(&outcome.result, &["upcoming", "events"]);
                    upcoming.retain(|one| one.date.is_none_or(|date| date >= today));
                    upcoming.iter_mut().for_each(|one| self.name_booked(one));
                    self.upcoming = upcoming;
                }
                "create_appointment" | "cancel_appointment" | "reschedule_appointment" if outcome.succeeded() => {
                    let queue = self.left_to_book(&outcome);
                    // A time that only one of the wishes has was meant for the first.
                    let wanted = self.wanted_services();
                    let each_timed = wanted.iter().all(|wish| !find_times(wish).is_empty());
                    self.goal = Goal::None;
                    self.held = None;
                    self.mentions.clear();
                    self.proposal = None;
                    self.any_professional = false;
                    self.who.booked();
                    self.service_asked = false;
                    if results::usual_name(&outcome.name) == "create_appointment" {
                        let booked = results::appointment(&outcome.result);
                        self.booked_here.push(booked.clone());
                        self.booked = Some(booked);
                    } else if let Some(new) = moved_to(&outcome) {
                        // A calendar does not tell what an event is, so what this conversation moved is remembered.
                        self.booked_here.push(new);
                    }
                    self.day = None;
                    self.times.clear();
                    self.window = None;
                    if let Some(next) = queue.first() {
                        self.goal = Goal::Book;
                        self.mentions.push(next.clone());
                        self.who.hear(next, next, "", false);
                        self.meet_guest(&next.clone());
                        let own = nlu::read(next, self.clock(), &[]);
                        self.day = own.days.first().copied().or_else(|| booked_day(&outcome));
                        self.times = if each_timed { own.times } else { Vec::new() };
                    }
                    self.queue = queue;
                }
                _ => {}
            }
        } else if outcome.is_held() {
            self.held = Some(outcome.clone());
        } else {
            let unknown = self.catalog.services.is_empty();
            self.catalog.meet(&outcome.result);
            if unknown {
                self.first_of_several(&self.utterance.clone());
            }
            self.settle_guest();
            self.settle_answers();
        }
        self.outcomes.push(outcome);
    }

    /// The business changed after the last reply. What it proposed is still wanted, and has to be looked up again.
    pub(super) fn outdate_offer(&mut self) {
        self.is_offer_outdated = true;
        let proposed = self.proposal.as_ref().filter(|_| self.asked == Question::Book);
        let person = proposed.and_then(|proposal| proposal.professional.as_ref());
        self.mentions.extend(person.map(|name| format!("com {name}")));
    }

    /// Fills in what a listed appointment is, where this conversation booked it.
    fn name_booked(&self, listed: &mut Appointment) {
        if let Some(known) = self.booked_here.iter().find(|one| one.id.is_some() && one.id == listed.id) {
            listed.service = listed.service.take().or_else(|| known.service.clone());
            listed.professional = listed.professional.take().or_else(|| known.professional.clone());
        }
    }

    /// What of several services wanted at once is not booked yet.
    fn left_to_book(&self, outcome: &Outcome) -> Vec<String> {
        if results::usual_name(&outcome.name) != "create_appointment" {
            return Vec::new();
        }
        let wanted = self.wanted_services();
        let done = results::appointment(&outcome.result).service.or(results::appointment(&outcome.arguments).service);
        let is_done =
            |wish: &String| matches!(self.catalog.service_in(wish), Named::One(name) if Some(&name) == done.as_ref());
        let place = wanted.iter().position(is_done).unwrap_or_default();
        wanted.into_iter().enumerate().filter(|(index, _)| *index != place).map(|(_, wish)| wish).collect()
    }
}

/// The appointment that a move left.
fn moved_to(outcome: &Outcome) -> Option<Appointment> {
    let is_move = results::usual_name(&outcome.name) == "reschedule_appointment";
    is_move.then(|| results::appointment(outcome.result.get("new_appointment").unwrap_or(&outcome.result)))
}

/// The day of a booking that was made.
fn booked_day(outcome: &Outcome) -> Option<Day> {
    let date = results::appointment(&outcome.result).date.or(results::appointment(&outcome.arguments).date)?;
    Some(Day::on(date))
}
