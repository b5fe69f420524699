//! Wording what was booked, moved and cancelled from its receipt, and what was refused from its reason.

use jiff::civil::{Date, Time};
use serde_json::Value;

use super::{
    ReplyDraft,
    slots::{OFFERED_TIMES, asking, candidates},
};
use crate::{
    catalog::Named,
    results::{self, Appointment, Outcome},
    words::Line,
};

impl ReplyDraft<'_> {
    /// Words a booking that was refused.
    pub(super) fn not_booked(&mut self, outcome: &Outcome) {
        if let Some(summary) = outcome.summary().filter(|_| outcome.is_held()) {
            self.push_line(Line::Confirm { summary: asking(summary, self.locale) });
            return;
        }
        match outcome.code() {
            Some("ambiguous" | "not_found") => {
                let list = candidates(&outcome.result);
                let said = outcome.arguments.get("barber_name").and_then(Value::as_str).unwrap_or_default().to_owned();
                self.push_line(if list.is_empty() { Line::AskDay } else { Line::NoSuchProfessional { said, list } });
                return;
            }
            Some("invalid_arguments") => {
                self.push_line(Line::Refused { message: None });
                return;
            }
            Some(_) => {
                self.failure(outcome);
                return;
            }
            None => {}
        }
        let wanted = results::appointment(&outcome.arguments);
        let mut others = results::appointments(&outcome.result, &["alternatives", "available_slots"]);
        others.truncate(OFFERED_TIMES);
        // On a closed day, the time is not taken.
        let reason = outcome.result.get("reason").and_then(Value::as_str);
        let taken = reason.map_or(!others.is_empty(), |reason| reason == "SLOT_TAKEN");
        match (wanted.date, wanted.time) {
            (Some(date), Some(time)) if taken => {
                self.push_line(Line::NotFree { date, time, professional: wanted.professional.clone() });
            }
            _ => self.push_line(Line::Refused { message: results::message(&outcome.result) }),
        }
        let is_of_that_day = |one: &Appointment| one.date.is_none() || one.date == wanted.date;
        if others.is_empty() {
            self.push_line(Line::AnotherDay);
        } else if others.iter().all(is_of_that_day) {
            self.push_line(Line::Nearby { list: by_professional(&others) });
        } else {
            self.push_line(Line::NearbyDays { list: by_day(&others, wanted.date) });
        }
    }

    /// Words a done booking, move or cancellation from its receipt.
    pub(super) fn effect(&mut self, outcome: &Outcome) {
        let mut what = results::appointment(&outcome.result);
        let given = results::appointment(&outcome.arguments);
        let inner = ["new_appointment", "appointment", "cancelled_appointment", "cancelled", "event"];
        if let Some(inner) = inner.iter().find_map(|key| outcome.result.get(key)).map(results::appointment) {
            what = filled(inner, what);
        }
        match results::usual_name(&outcome.name) {
            "create_appointment" => {
                let what = filled(what, given);
                self.push_line(if results::was_booked(&outcome.result) {
                    Line::HaveAlready { what }
                } else {
                    Line::Booked { what }
                });
                self.plan_notice(outcome);
                if let Some(wish) = self.dialogue.queue.first().filter(|_| !self.next_is_complete()) {
                    let settled = matches!(self.dialogue.catalog.service_in(wish), Named::One(_));
                    self.push_line(Line::NextOf { wish: self.label(wish), settled });
                }
            }
            "reschedule_appointment" => {
                let known = self.known(&given.id);
                let mut moved = filled(what, given);
                moved.service = moved.service.or(known.as_ref().and_then(|known| known.service.clone()));
                moved.professional = moved.professional.or(known.and_then(|known| known.professional));
                self.push_line(Line::Moved { what: moved });
                self.plan_notice(outcome);
            }
            _ => {
                let id = what.id.clone().or(given.id);
                let known = self.known(&id).unwrap_or_default();
                self.push_line(Line::Cancelled { what: filled(what, known) });
            }
        }
    }

    fn plan_notice(&mut self, outcome: &Outcome) {
        if let Some(text) = results::text(&outcome.result, &["plan_notice", "price_notice"]) {
            self.push_line(Line::PlanNotice { text });
        }
    }

    fn known(&self, id: &Option<Value>) -> Option<Appointment> {
        self.dialogue.known(id.as_ref()?)
    }
}

fn filled(one: Appointment, other: Appointment) -> Appointment {
    Appointment {
        id: one.id.or(other.id),
        date: one.date.or(other.date),
        time: one.time.or(other.time),
        professional: one.professional.or(other.professional),
        service: one.service.or(other.service),
        attendee: one.attendee.or(other.attendee),
    }
}

/// Times near the wanted one, with their days: those of one day and one professional together.
fn by_day(others: &[Appointment], wanted: Option<Date>) -> Vec<(Date, Option<String>, Vec<Time>)> {
    let mut rows: Vec<(Date, Option<String>, Vec<Time>)> = Vec::new();
    for other in others {
        let (Some(date), Some(time)) = (other.date.or(wanted), other.time) else { continue };
        match rows.iter_mut().find(|(day, name, _)| *day == date && *name == other.professional) {
            Some((_, _, times)) => times.push(time),
            None => rows.push((date, other.professional.clone(), vec![time])),
        }
    }
    rows
}

fn by_professional(others: &[Appointment]) -> Vec<(Option<String>, Vec<Time>)> {
    let mut rows: Vec<(Option<String>, Vec<Time>)> = Vec::new();
    for other in others {
        let Some(time) = other.time else { continue };
        match rows.iter_mut().find(|(name, _)| *name == other.professional) {
            Some((_, times)) => times.push(time),
            None => rows.push((other.professional.clone(), vec![time])),
        }
    }
    rows
}
