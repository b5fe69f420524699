//! Appointments with their reminders.

use balcao_app::scheduling::appointments::AppointmentRecord;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Appointment, appointment};

/// An appointment with its reminders.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RemindedAppointment {
    #[serde(flatten)]
    appointment: Appointment,
    /// Its reminders in order of time.
    reminders: Vec<PlannedReminder>,
}

/// A reminder of an appointment.
#[derive(Debug, Serialize, JsonSchema)]
struct PlannedReminder {
    /// Its id.
    id: String,
    /// How long before the start it was planned, in minutes.
    minutes_before: u32,
    /// When it leaves, or left.
    #[schemars(extend("format" = "date-time"))]
    remind_at: String,
    /// `automatic`, or `asked`: the contact wanted it.
    origin: String,
    /// `open`, `sent`, `cancelled`, or `skipped`: it was due, and something spoke against it.
    state: String,
    /// When the contact answered that they will come.
    #[schemars(extend("format" = "date-time"))]
    confirmed_at: Option<String>,
}

pub(super) fn shown(found: AppointmentRecord) -> RemindedAppointment {
    let reminders = found.reminders.iter().map(|one| PlannedReminder {
        id: one.id.to_string(),
        minutes_before: one.planned.minutes_before,
        remind_at: one.planned.remind_at.to_string(),
        origin: one.origin.as_str().to_owned(),
        state: one.state.as_str().to_owned(),
        confirmed_at: one.confirmed_at.map(|at| at.to_string()),
    });
    let reminders = reminders.collect();
    RemindedAppointment { appointment: appointment(found.view, found.contact), reminders }
}

pub(super) fn example() -> Value {
    let mut example = super::example("confirmed");
    let reminder = json!({ "id": "rem_7", "minutes_before": 60, "remind_at": "2026-11-24T12:30:00Z", "origin": "automatic",
        "state": "open", "confirmed_at": null });
    if let Some(fields) = example.as_object_mut() {
        fields.insert("reminders".to_owned(), json!([reminder]));
    }
    example
}
