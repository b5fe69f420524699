//! Which business the offered tools are made for.

use balcao_llm::ToolDefinition;

use crate::state::Dialogue;

pub(super) const SCHEDULE: &str = "scheduleAppointmentTool";
pub(super) const SLOTS: &str = "getAvailableSlotsTool";
pub(super) const LIST: &str = "listEventsTool";
pub(super) const CANCEL: &str = "cancelAppointmentTool";
pub(super) const RESCHEDULE: &str = "rescheduleAppointmentTool";

/// Whether these tools, or those that this turn has used, are those of a bare calendar.
pub(super) fn is_calendar(dialogue: &Dialogue, tools: &[ToolDefinition]) -> bool {
    let own = |name: &str| [SCHEDULE, SLOTS, LIST, CANCEL, RESCHEDULE].contains(&name);
    tools.iter().any(|tool| own(&tool.name)) || dialogue.outcomes.iter().any(|outcome| own(&outcome.name))
}

/// Whether these tools are those of an intake.
pub(super) fn is_intake(tools: &[ToolDefinition]) -> bool {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    has("book_appointment") && has("get_available_slots") && !has("get_services")
}
