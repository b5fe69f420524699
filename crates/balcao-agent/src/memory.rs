//! Working memory: the day, time, service and professional under discussion, as data.

use balcao_language::resolve_date;
use balcao_tool::{Receipt, ReceiptKind};
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::limits::MEMORY_EXPIRY;

/// What is being talked about. Empty fields are not known yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkingMemory {
    /// The day, as a tool call gave it.
    pub day: Option<String>,
    /// The start time.
    pub time: Option<String>,
    /// The service.
    pub service: Option<String>,
    /// The professional.
    pub professional: Option<String>,
    /// When it was last touched.
    pub touched_at: Option<Timestamp>,
}

/// Argument names of the shipped packs, by what they mean.
const DAY: &[&str] = &["date", "new_date", "appointmentDate"];
const TIME: &[&str] = &["start_hour", "new_start_hour", "time", "appointmentTime"];
const SERVICE: &[&str] = &["service_name", "service", "serviceName"];
const PROFESSIONAL: &[&str] = &["barber_name", "professional"];

impl WorkingMemory {
    /// Forgets what is older than a day.
    pub fn expire(&mut self, now: Timestamp) {
        if self.touched_at.is_some_and(|at| now.duration_since(at).unsigned_abs() >= MEMORY_EXPIRY) {
            *self = Self::default();
        }
    }

    /// Learns from the arguments of a call. A day in words ("amanhã") is kept as the date that it was on that day.
    pub fn learn(&mut self, args: &Value, now: &Zoned) {
        let find =
            |names: &[&str]| names.iter().find_map(|name| args.get(name).and_then(Value::as_str)).map(str::to_owned);
        let mut learned = false;
        for (field, names) in [
            (&mut self.day, DAY),
            (&mut self.time, TIME),
            (&mut self.service, SERVICE),
            (&mut self.professional, PROFESSIONAL),
        ] {
            if let Some(value) = find(names) {
                *field = Some(value);
                learned = true;
            }
        }
        if let Some(resolved) = self.day.as_deref().and_then(|day| resolve_date(day, now.date()).ok()) {
            self.day = Some(resolved.date.to_string());
        }
        if learned {
            self.touched_at = Some(now.timestamp());
        }
    }

    /// Forgets what has been used: a booking, a move or a cancellation ends the matter.
    pub fn settle(&mut self, receipts: &[Receipt]) {
        let settled = |receipt: &Receipt| {
            matches!(
                receipt.kind,
                ReceiptKind::Booked | ReceiptKind::Rescheduled | ReceiptKind::Cancelled | ReceiptKind::Waitlisted
            )
        };
        if receipts.iter().any(settled) {
            *self = Self::default();
        }
    }

    /// True if nothing is known.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.day.is_none() && self.time.is_none() && self.service.is_none() && self.professional.is_none()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_learns_from_calls_is_cleared_when_used_and_expires_after_a_day() {
        let now: Zoned = "2026-11-24T10:00[America/Sao_Paulo]".parse().unwrap();
        let mut memory = WorkingMemory::default();
        memory.learn(&json!({"date": "amanhã", "service_name": "Corte"}), &now);
        memory.learn(&json!({"start_hour": "15:00"}), &now);
        assert_eq!(
            (memory.day.as_deref(), memory.time.as_deref(), memory.service.as_deref()),
            (Some("2026-11-25"), Some("15:00"), Some("Corte"))
        );
        let mut later = memory.clone();
        later.expire(now.timestamp() + MEMORY_EXPIRY);
        assert!(later.is_empty());
        memory.settle(&[Receipt::bare(ReceiptKind::Noted)]);
        assert!(!memory.is_empty());
        memory.settle(&[Receipt::bare(ReceiptKind::Booked)]);
        assert!(memory.is_empty());
    }
}
