//! Templates: messages for when a channel's window is closed. What each is used for, and what stands in it.

use balcao_channel::channels::whatsapp::price::Category;
use serde::{Deserialize, Serialize};

/// What a template is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Reminding of an appointment.
    Reminder,
    /// Taking up a conversation.
    FollowUp,
    /// Offering a time that was freed.
    Waitlist,
    /// Telling a professional of a new appointment.
    NoticeBooked,
    /// Telling a professional that one was moved.
    NoticeRescheduled,
    /// Telling a professional that one was cancelled.
    NoticeCancelled,
    /// Alerts a staff member to a conversation that waits for them.
    NoticeHandoff,
    /// Alerts staff to a hot lead.
    NoticeHotLead,
    /// Asks staff how unmarked visits ended.
    NoticeVisits,
    /// Tells staff that a person moved an appointment in an external calendar.
    NoticeCalendar,
    /// Telling the customer that staff moved the appointment.
    AppointmentMoved,
    /// Telling the customer that staff cancelled the appointment.
    AppointmentCancelled,
    /// Telling the customer that the appointment takes place all the same.
    AppointmentKept,
    /// Asking the customer to write, because an answer came too late for the window.
    Reopen,
}

impl Purpose {
    /// What a message of this kind of the outbox is sent for.
    #[must_use]
    pub fn of_kind(kind: &str) -> Self {
        match kind {
            "reminder" => Self::Reminder,
            "follow_up" => Self::FollowUp,
            "waitlist" => Self::Waitlist,
            "notice_booked" => Self::NoticeBooked,
            "notice_rescheduled" => Self::NoticeRescheduled,
            "notice_cancelled" => Self::NoticeCancelled,
            "notice_handoff" => Self::NoticeHandoff,
            "notice_hot_lead" => Self::NoticeHotLead,
            "notice_visits" => Self::NoticeVisits,
            "notice_calendar" => Self::NoticeCalendar,
            "appointment_moved" => Self::AppointmentMoved,
            "appointment_cancelled" => Self::AppointmentCancelled,
            "appointment_kept" => Self::AppointmentKept,
            _ => Self::Reopen,
        }
    }
}

/// What stands in a gap of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TemplateVariable {
    /// The customer's first name; a polite word for one whose name is not known.
    Customer,
    /// The business's name.
    Business,
    /// What is booked.
    Service,
    /// The professional of the appointment.
    Professional,
    /// The day, such as "sexta, 27/11".
    Day,
    /// The time, such as "15h".
    Time,
    /// The whole text that would have been sent inside the window.
    Text,
}

/// What a button of a template answers, as the same button of the free message does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuickReplyAction {
    /// They will come.
    Confirm,
    /// They want another time.
    Move,
}

/// The facts of one message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateVariables {
    /// [`TemplateVariable::Customer`].
    pub customer: String,
    /// [`TemplateVariable::Business`].
    pub business: String,
    /// [`TemplateVariable::Service`].
    pub service: Option<String>,
    /// [`TemplateVariable::Professional`].
    pub professional: Option<String>,
    /// [`TemplateVariable::Day`].
    pub day: Option<String>,
    /// [`TemplateVariable::Time`].
    pub time: Option<String>,
    /// [`TemplateVariable::Text`].
    pub text: Option<String>,
    /// The names that come back when an answer is tapped.
    pub answers: Vec<(QuickReplyAction, String)>,
}

/// A template that the provider approved, and what stands in its gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedTemplate {
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: String,
    /// What the provider bills it as.
    pub category: Category,
    /// Its gaps in order: their names, if it names them, and what stands there.
    pub parameters: Vec<(Option<String>, TemplateVariable)>,
    /// What its buttons of the kind "quick reply" answer, in order.
    pub quick_replies: Vec<QuickReplyAction>,
}
