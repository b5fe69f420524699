//! `check_availability`: free times on a day.

use async_trait::async_trait;
use balcao_app::scheduling::availability::{
    Availability, AvailabilityQuery, AvailabilityRefusal, DayAvailability, MoveTimes, NEXT_DAYS, ProfessionalSlots,
};
use balcao_tool::{NativeTool, Offer, ToolContext, ToolOutput, ToolResult};
use jiff::civil::{Date, Time};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::support::calendar::note_age;
use crate::support::{bad_field, broke, contact, date, in_locale, name_error, open_until, organization, weekday};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    date: String,
    barber_name: Option<String>,
    service_name: Option<String>,
    duration_minutes: Option<u32>,
}

pub(crate) struct CheckAvailability {
    pub(crate) availability: Availability,
}

#[async_trait]
impl NativeTool for CheckAvailability {
    type Args = Args;

    async fn call(&self, cx: &ToolContext, args: Args) -> ToolResult<ToolOutput> {
        let day = date(cx, &args.date, "date")?;
        let query = AvailabilityQuery {
            date: Some(day),
            professional: args.barber_name,
            service: args.service_name,
            duration_min: args.duration_minutes,
        };
        let found = self.availability.on(organization(cx)?, Some(contact(cx)?), query).await.map_err(broke)?;
        let answer = match found {
            Ok(answer) => answer,
            Err(refusal) => return refused(cx, refusal, day),
        };
        let results: Vec<_> = answer
            .results
            .iter()
            .filter(|one| !one.slots.is_empty())
            .map(|one| json!({"barber": one.professional, "available_slots": one.slots}))
            .collect();
        let offers = offers(day, &answer);
        let mut value = Map::new();
        value.insert("date".to_owned(), day.to_string().into());
        value.insert("weekday".to_owned(), weekday(cx, day).into());
        value.insert("duration_minutes".to_owned(), answer.duration_min.into());
        value.insert("available".to_owned(), (answer.total > 0).into());
        value.insert("total_free_slots".to_owned(), answer.total.into());
        value.insert("results".to_owned(), results.into());
        if answer.only_to_move {
            value.insert("only_to_move".to_owned(), true.into());
        }
        if let Some(times) = &answer.to_move {
            value.insert("to_move".to_owned(), to_move(cx, times));
        }
        let no_hours = answer.professional.clone().filter(|_| answer.no_hours);
        // What was understood, so that a near name is confirmed and not assumed.
        for (field, name) in [("service", answer.service), ("barber", answer.professional), ("note", answer.note)] {
            if let Some(name) = name {
                value.insert(field.to_owned(), name.into());
            }
        }
        if let Some(name) = no_hours {
            value.insert("reason".to_owned(), "NO_HOURS".into());
            value.insert("message".to_owned(), without_hours(cx, &name).into());
        } else if let Some(next) = answer.next_available {
            let next = json!({
                "date": next.date.to_string(),
                "weekday": weekday(cx, next.date),
                "start_hour": next.start,
                "barber": next.professional,
            });
            value.insert("next_available".to_owned(), next);
        } else if answer.total == 0 {
            value.insert("reason".to_owned(), "NONE_FREE".into());
            value.insert("message".to_owned(), none_free(cx).into());
        }
        let mut value = Value::Object(value);
        note_age(cx, &mut value, answer.as_of);
        Ok(if answer.total > 0 { ToolOutput::success(value).offering(offers) } else { ToolOutput::refusal(value) })
    }
}

/// The times for a move of the customer's own appointment, which keeps its length.
fn to_move(cx: &ToolContext, times: &MoveTimes) -> Value {
    let note = in_locale(
        cx,
        "Para remarcar o horário que o cliente já tem valem estes: ele mantém a duração que tinha.",
        "To move the appointment that the customer has, these count: it keeps the length that it had.",
    );
    json!({
        "appointment_id": i64::from(times.appointment),
        "barber": times.professional,
        "duration_minutes": times.duration_min,
        "available_slots": times.slots,
        "note": note,
    })
}

/// The free times as data, for channels that show them as buttons.
fn offers(day: Date, answer: &DayAvailability) -> Vec<Offer> {
    let of = |one: &ProfessionalSlots| {
        let starts: Vec<Time> = one.slots.iter().filter_map(|start| start.parse().ok()).collect();
        let (professional, service) = (one.professional.clone(), answer.service.clone());
        starts.into_iter().map(move |start| Offer {
            day,
            start,
            professional: professional.clone(),
            service: service.clone(),
        })
    };
    answer.results.iter().flat_map(of).collect()
}

/// Neither on the day nor as far as was looked: a service that nobody with hours offers, or a calendar that is full.
fn none_free(cx: &ToolContext) -> String {
    match in_locale(cx, "pt", "en") {
        "pt" => format!("Não há horário livre nesse dia nem nos {NEXT_DAYS} dias seguintes."),
        _ => format!("Nothing is free on that day or in the {NEXT_DAYS} days after it."),
    }
}

/// A professional of whom no day has hours: not "not that day".
fn without_hours(cx: &ToolContext, name: &str) -> String {
    match in_locale(cx, "pt", "en") {
        "pt" => format!("{name} ainda não tem horários de atendimento cadastrados."),
        _ => format!("No working hours are registered for {name} yet."),
    }
}

fn refused(cx: &ToolContext, refusal: AvailabilityRefusal, day: Date) -> ToolResult<ToolOutput> {
    let no = |reason: &str, duration_min: u32, message: &str, facts: Value| {
        let mut value = json!({
            "date": day.to_string(),
            "weekday": weekday(cx, day),
            "duration_minutes": duration_min,
            "available": false,
            "total_free_slots": 0,
            "results": [],
            "reason": reason,
            "message": message,
        });
        if let (Some(map), Value::Object(facts)) = (value.as_object_mut(), facts) {
            map.extend(facts);
        }
        Ok(ToolOutput::refusal(value))
    };
    match refusal {
        AvailabilityRefusal::PastDate { today, duration_min } => {
            let message = in_locale(cx, "Esse dia já passou.", "That day is over.");
            no("PAST_DATE", duration_min, message, json!({"today": today.to_string()}))
        }
        AvailabilityRefusal::TooFar { last_date, duration_min } => {
            no("TOO_FAR", duration_min, &open_until(cx, last_date), json!({"last_date": last_date.to_string()}))
        }
        AvailabilityRefusal::NotOffered { service, professional, offered_by, duration_min } => {
            let message = in_locale(
                cx,
                "Esse profissional não faz esse serviço.",
                "This professional does not offer this service.",
            );
            let facts = json!({"service": service, "barber": professional, "offered_by": offered_by});
            no("NOT_OFFERED", duration_min, message, facts)
        }
        AvailabilityRefusal::Duration { duration_min } => {
            Err(bad_field("duration_minutes", "not_allowed", "a multiple of 5 from 5 to 720", duration_min))
        }
        AvailabilityRefusal::Professional(refusal) => Err(name_error(refusal, "barber_name")),
        AvailabilityRefusal::Service(refusal) => Err(name_error(refusal, "service_name")),
    }
}
