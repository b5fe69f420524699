//! One file per tool. To add one: copy a neighbour, list it here, define its command in a pack.

mod add_internal_note;
mod add_tag;
mod book_appointment;
mod cancel_appointment;
mod cancel_appointment_tool;
mod cancel_followup;
mod check_availability;
mod create_appointment;
mod end_conversation_tool;
mod get_appointment_history;
mod get_available_slots;
mod get_available_slots_tool;
mod get_barbers;
mod get_business_hours;
mod get_contact_info;
mod get_no_show_clients;
mod get_professional_info;
mod get_services;
mod get_stats;
mod get_subscriber_status;
mod get_subscription_plans;
mod get_upcoming;
mod join_waitlist;
mod list_events_tool;
mod list_pipeline_stages;
mod move_pipeline_stage;
mod remove_tag;
mod request_human_support_tool;
mod reschedule_appointment;
mod reschedule_appointment_tool;
mod run_query;
mod schedule_appointment_reminder;
mod schedule_appointment_tool;
mod schedule_followup;
mod search_knowledge_base;
mod summarize_conversation_tool;
mod transfer_to_human;
mod trigger_flow;
mod update_client_info_tool;
mod update_contact;
mod update_conversation_tags_tool;

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::plans::Plans;
use balcao_app::admin::staff_access::StaffAccess;
use balcao_app::crm::contacts::Contacts;
use balcao_app::crm::notes::Notes;
use balcao_app::crm::pipelines::Pipelines;
use balcao_app::crm::subscriptions::Subscriptions;
use balcao_app::knowledge::Knowledge;
use balcao_app::reports::analytics::Analytics;
use balcao_app::reports::questions::Questions;
use balcao_app::scheduling::appointments::Appointments;
use balcao_app::scheduling::availability::Availability;
use balcao_app::scheduling::booking::Booking;
use balcao_app::scheduling::calendar::{BuiltIn, Calendar};
use balcao_app::scheduling::catalog::Catalog;
use balcao_app::scheduling::follow_ups::FollowUps;
use balcao_app::scheduling::hours::BusinessHours;
use balcao_app::scheduling::intake::Intake;
use balcao_app::scheduling::reminders::Reminders;
use balcao_app::scheduling::waitlist::Waitlist;
use balcao_app::turns::summaries::Summaries;
use balcao_pack::Handlers;
use balcao_tool::erase;

use crate::Settings;

/// All native handlers, by the name that packs use.
#[must_use]
pub fn handlers(app: &AppContext, settings: &Settings) -> Handlers {
    let app = || app.clone();
    let (contacts, booking) = (Contacts::new(app()), Booking::new(app()));
    let (catalog, pipelines, follow_ups) = (Catalog::new(app()), Pipelines::new(app()), FollowUps::new(app()));
    let intake = Intake::new(app());
    let (people, analytics) = (StaffAccess::new(app()), Analytics::new(app()));
    let calendar: Arc<dyn Calendar> = Arc::new(BuiltIn::new(app()));
    let (agenda, professional) = (|| Arc::clone(&calendar), || settings.professional.clone());
    let list = [
        ("get_contact_info", erase(get_contact_info::GetContactInfo { contacts: contacts.clone() })),
        ("add_tag", erase(add_tag::AddTag { contacts: contacts.clone(), may_create: settings.allow_new_tags })),
        ("remove_tag", erase(remove_tag::RemoveTag { contacts: contacts.clone() })),
        ("list_pipeline_stages", erase(list_pipeline_stages::ListPipelineStages { pipelines: pipelines.clone() })),
        ("move_pipeline_stage", erase(move_pipeline_stage::MovePipelineStage { pipelines })),
        ("add_internal_note", erase(add_internal_note::AddInternalNote { notes: Notes::new(app()) })),
        ("update_contact", erase(update_contact::UpdateContact { contacts: contacts.clone() })),
        (
            "search_knowledge_base",
            erase(search_knowledge_base::SearchKnowledgeBase { knowledge: Knowledge::new(app()) }),
        ),
        ("get_business_hours", erase(get_business_hours::GetBusinessHours { hours: BusinessHours::new(app()) })),
        ("transfer_to_human", erase(transfer_to_human::TransferToHuman { app: app() })),
        ("get_services", erase(get_services::GetServices { catalog: catalog.clone() })),
        ("get_barbers", erase(get_barbers::GetBarbers { catalog: catalog.clone() })),
        ("check_availability", erase(check_availability::CheckAvailability { availability: Availability::new(app()) })),
        (
            "get_subscriber_status",
            erase(get_subscriber_status::GetSubscriberStatus { subscriptions: Subscriptions::new(app()) }),
        ),
        ("get_subscription_plans", erase(get_subscription_plans::GetSubscriptionPlans { catalog: catalog.clone() })),
        (
            "get_appointment_history",
            erase(get_appointment_history::GetAppointmentHistory { appointments: Appointments::new(app()) }),
        ),
        ("create_appointment", erase(create_appointment::CreateAppointment { booking: booking.clone() })),
        ("cancel_appointment", erase(cancel_appointment::CancelAppointment { booking: booking.clone() })),
        ("reschedule_appointment", erase(reschedule_appointment::RescheduleAppointment { booking })),
        (
            "schedule_appointment_reminder",
            erase(schedule_appointment_reminder::ScheduleAppointmentReminder {
                reminders: Reminders::new(app()),
                usual_minutes: settings.reminder_minutes,
            }),
        ),
        ("join_waitlist", erase(join_waitlist::JoinWaitlist { waitlist: Waitlist::new(app()) })),
        (
            "schedule_followup",
            erase(schedule_followup::ScheduleFollowup {
                app: app(),
                follow_ups: follow_ups.clone(),
                delays: settings.followup_delays.clone(),
            }),
        ),
        ("cancel_followup", erase(cancel_followup::CancelFollowup { follow_ups })),
        ("trigger_flow", erase(trigger_flow::TriggerFlow)),
        ("get_stats", erase(get_stats::GetStats { people: people.clone(), analytics: analytics.clone() })),
        ("get_upcoming", erase(get_upcoming::GetUpcoming { people: people.clone(), analytics: analytics.clone() })),
        ("get_no_show_clients", erase(get_no_show_clients::GetNoShowClients { people: people.clone(), analytics })),
        ("get_available_slots", erase(get_available_slots::GetAvailableSlots { intake: intake.clone() })),
        ("book_appointment", erase(book_appointment::BookAppointment { intake: intake.clone() })),
        (
            "get_professional_info",
            erase(get_professional_info::GetProfessionalInfo { intake: intake.clone(), catalog: catalog.clone() }),
        ),
        (
            "run_query",
            erase(run_query::RunQuery { people, questions: Questions::new(app()), plans: Plans::new(app()) }),
        ),
        (
            "schedule_appointment_tool",
            erase(schedule_appointment_tool::ScheduleAppointmentTool {
                calendar: agenda(),
                contacts: contacts.clone(),
                professional: professional(),
                intake: intake.clone(),
            }),
        ),
        (
            "get_available_slots_tool",
            erase(get_available_slots_tool::GetAvailableSlotsTool {
                calendar: agenda(),
                professional: professional(),
                intake,
            }),
        ),
        ("list_events_tool", erase(list_events_tool::ListEventsTool { calendar: agenda() })),
        ("cancel_appointment_tool", erase(cancel_appointment_tool::CancelAppointmentTool { calendar: agenda() })),
        (
            "reschedule_appointment_tool",
            erase(reschedule_appointment_tool::RescheduleAppointmentTool { calendar: agenda() }),
        ),
        ("request_human_support_tool", erase(request_human_support_tool::RequestHumanSupportTool)),
        (
            "update_client_info_tool",
            erase(update_client_info_tool::UpdateClientInfoTool { contacts: contacts.clone() }),
        ),
        (
            "update_conversation_tags_tool",
            erase(update_conversation_tags_tool::UpdateConversationTagsTool {
                contacts,
                may_create: settings.allow_new_tags,
            }),
        ),
        ("end_conversation_tool", erase(end_conversation_tool::EndConversationTool)),
        (
            "summarize_conversation_tool",
            erase(summarize_conversation_tool::SummarizeConversationTool { summaries: Summaries::new(app()) }),
        ),
    ];
    list.into_iter().map(|(name, handler)| (name.to_owned(), handler)).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_of_the_folder_is_in_the_list() {
        let source = include_str!("mod.rs");
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tools");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
            assert!(
                name == "mod"
                    || source.contains(&format!("(\"{name}\""))
                    || source.contains(&format!("            \"{name}\",")),
                "{name}"
            );
        }
    }
}
