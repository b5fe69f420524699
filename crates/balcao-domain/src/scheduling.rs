//! The scheduling rules of a business, as data.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::appointment::visit::UnmarkedVisits;
use crate::reminder::ReminderLeads;
use crate::span::plus_minutes;

/// Time is cut in quanta of this many minutes; every duration, buffer and start is a multiple of it.
pub const QUANTUM_MIN: u32 = 5;

/// How starts are offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotMode {
    /// Every multiple of the step from the opening of a working period on.
    #[default]
    Grid,
    /// Only starts that leave no useless gap: back to back from the start of each free span, and flush with its end.
    Fit,
}

/// What happens with bookings while the external calendar does not answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalendarDown {
    /// Nothing is booked, moved or cancelled.
    #[default]
    Refuse,
    /// It is done here, and written into the calendar later.
    BookAnyway,
}

impl CalendarDown {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    const fn is_default(&self) -> bool {
        matches!(self, Self::Refuse)
    }
}

/// What the title of an event in an external calendar says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventTitle {
    /// The service.
    #[default]
    Service,
    /// The service, and the name of the person who comes.
    ServiceAndName,
}

impl EventTitle {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    const fn is_default(&self) -> bool {
        matches!(self, Self::Service)
    }
}

/// What a business lets its customers do with the agenda. A service may have its own notice and advance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SchedulingRules {
    /// Minutes between the starts that are offered.
    pub slot_step_minutes: u32,
    /// How starts are offered.
    pub slot_mode: SlotMode,
    /// How long before it starts an appointment must be booked.
    pub minimum_notice_minutes: u32,
    /// How many days ahead an appointment may be booked, counted in local dates.
    pub maximum_advance_days: u32,
    /// How long before it starts an appointment can still be cancelled or moved by the customer.
    pub cancellation_notice_minutes: u32,
    /// Duration for a look at the agenda that names no service.
    pub default_duration_minutes: u32,
    /// How many upcoming appointments one contact may hold.
    pub maximum_open_appointments: u32,
    /// How long a pending appointment holds its slot.
    pub pending_minutes: u32,
    /// How long a slot offered to the waitlist is kept for the contact that it was offered to.
    pub waitlist_hold_minutes: u32,
    /// How long before an appointment its reminder goes out, unless the caller says otherwise; without it, as long as the
    /// agent's profile says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reminder_minutes: Option<u32>,
    /// When every appointment gets an automatic reminder.
    // Programs from before this rule refuse a key that they do not know.
    #[serde(skip_serializing_if = "ReminderLeads::is_default")]
    pub automatic_reminder_minutes: ReminderLeads,
    /// What happens with unmarked visits.
    // Programs from before this rule refuse a key that they do not know.
    #[serde(skip_serializing_if = "UnmarkedVisits::is_default")]
    pub unmarked_visits: UnmarkedVisits,
    /// What happens with bookings while the external calendar does not answer.
    #[serde(skip_serializing_if = "CalendarDown::is_default")]
    pub when_calendar_is_down: CalendarDown,
    /// How old our copy of the calendars of a professional may be, in minutes; with an older one nothing is offered of them. Unset, 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calendar_mirror_minutes: Option<u32>,
    /// How many of a hundred events that we know of a calendar may be deleted there at once before a person has to say that it is true.
    /// Unset, 30.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calendar_drop_percent: Option<u32>,
    /// What the title of an event says that we write into an external calendar.
    #[serde(skip_serializing_if = "EventTitle::is_default")]
    pub calendar_event_title: EventTitle,
    /// How many days a subscription may be paid late before it covers nothing more.
    #[serde(skip_serializing_if = "is_zero")]
    pub plan_grace_days: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
const fn is_zero(days: &u32) -> bool {
    *days == 0
}

impl SchedulingRules {
    /// How old our copy of an external calendar may be, in minutes.
    #[must_use]
    pub fn calendar_mirror_bound(&self) -> u32 {
        const USUAL: u32 = 30;
        self.calendar_mirror_minutes.unwrap_or(USUAL)
    }

    /// Whether our copy of an external calendar, read at `as_of`, is new enough at `now`. After a clock was set back, a copy may be from the
    /// future, and its age is unknown: one from beyond the bound counts as too old.
    #[must_use]
    pub fn is_calendar_copy_current(&self, as_of: Option<Timestamp>, now: Timestamp) -> bool {
        let bound = i64::from(self.calendar_mirror_bound());
        as_of.is_some_and(|at| plus_minutes(now, -bound) <= at && at <= plus_minutes(now, bound))
    }

    /// How many of a hundred known events may be deleted in an external calendar at once.
    #[must_use]
    pub fn calendar_drop_bound(&self) -> u32 {
        const USUAL: u32 = 30;
        self.calendar_drop_percent.unwrap_or(USUAL)
    }
}

impl Default for SchedulingRules {
    fn default() -> Self {
        Self {
            slot_step_minutes: 15,
            slot_mode: SlotMode::Grid,
            minimum_notice_minutes: 0,
            maximum_advance_days: 60,
            cancellation_notice_minutes: 0,
            default_duration_minutes: 30,
            maximum_open_appointments: 5,
            pending_minutes: 15,
            waitlist_hold_minutes: 15,
            reminder_minutes: None,
            automatic_reminder_minutes: ReminderLeads::default(),
            unmarked_visits: UnmarkedVisits::Ask,
            when_calendar_is_down: CalendarDown::Refuse,
            calendar_mirror_minutes: None,
            calendar_drop_percent: None,
            calendar_event_title: EventTitle::Service,
            plan_grace_days: 0,
        }
    }
}
