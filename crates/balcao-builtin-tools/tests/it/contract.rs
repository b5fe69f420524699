//! What holds for every tool.

use balcao_tool::{Effect, Locale};
use serde_json::Value;

use crate::world::figueira;

#[tokio::test]
async fn every_tool_of_the_specification_is_there_and_no_other() {
    let world = figueira().await;
    let names = |pack: &str| {
        let tools = world.tools().iter().filter(|tool| tool.spec.pack == pack);
        tools.map(|tool| tool.spec.name.clone()).collect::<Vec<_>>()
    };
    let crm = [
        "get_contact_info",
        "add_tag",
        "remove_tag",
        "list_pipeline_stages",
        "move_pipeline_stage",
        "add_internal_note",
        "update_contact",
        "search_knowledge_base",
        "get_business_hours",
        "transfer_to_human",
    ];
    let salon = [
        "get_services",
        "get_barbers",
        "check_availability",
        "get_subscriber_status",
        "get_subscription_plans",
        "get_appointment_history",
        "create_appointment",
        "cancel_appointment",
        "reschedule_appointment",
        "schedule_appointment_reminder",
        "join_waitlist",
    ];
    assert_eq!(names("crm"), crm);
    assert_eq!(names("salon"), salon);
    assert_eq!(names("followup"), ["schedule_followup", "cancel_followup"]);
    assert_eq!(names("analytics"), ["get_stats", "get_upcoming", "get_no_show_clients", "run_query"]);
    let calendar = [
        "scheduleAppointmentTool",
        "getAvailableSlotsTool",
        "listEventsTool",
        "cancelAppointmentTool",
        "rescheduleAppointmentTool",
        "requestHumanSupportTool",
        "updateClientInfoTool",
        "updateConversationTagsTool",
        "endConversationTool",
    ];
    assert_eq!(names("calendar"), calendar);
    assert_eq!(names("intake"), ["get_available_slots", "book_appointment", "get_professional_info"]);
    assert_eq!(world.tools().iter().count(), 39);
}

#[tokio::test]
async fn every_definition_is_closed_bounded_and_in_both_languages() {
    let world = figueira().await;
    for tool in world.tools().iter() {
        let (name, spec) = (&tool.spec.name, &tool.spec);
        assert_eq!(spec.input_schema["additionalProperties"], false, "{name}");
        for (field, schema) in spec.input_schema["properties"].as_object().unwrap() {
            let bounded = match schema["type"].as_str() {
                Some("string") => schema.get("maxLength").is_some() || schema.get("pattern").is_some(),
                Some("integer") => schema.get("minimum").is_some() && schema.get("maximum").is_some(),
                Some("object") => schema.get("maxProperties").is_some(),
                Some("array") => schema.get("maxItems").is_some() && schema["items"].get("maxLength").is_some(),
                _ => schema.get("enum").is_some(),
            };
            assert!(bounded, "{name}.{field} has no bound");
            // Identity is the runtime's; the one phone there is may only be the writer's own.
            let own = ["phone", "contact", "contact_id", "organization", "organization_id"].contains(&field.as_str());
            assert!(!own || name == "get_subscriber_status", "{name}.{field}");
        }
        let describes = |locale| spec.description.get(locale).chars().count() > 20;
        assert!(describes(Locale::PtBr) && describes(Locale::En), "{name}");
        assert_ne!(spec.description.get(Locale::PtBr), spec.description.get(Locale::En), "{name}");
        for (code, text) in &spec.on_error {
            assert_ne!(text.get(Locale::PtBr), text.get(Locale::En), "{name} {code}");
        }
        // Our own tables answer fast; what hangs is stopped long before a customer gives up.
        let limit = if spec.behaviour.effect == Effect::Read { 5 } else { 10 };
        assert!((1..=limit).contains(&spec.timeout.as_secs()), "{name} {:?}", spec.timeout);
        assert!(spec.output_schema["required"].as_array().is_some_and(|required| !required.is_empty()), "{name}");
    }
}

#[tokio::test]
async fn a_tool_that_takes_names_or_dates_says_what_to_do_when_they_lead_nowhere() {
    let world = figueira().await;
    for tool in world.tools().iter() {
        let has = |field: &str| tool.spec.input_schema["properties"].get(field).is_some_and(Value::is_object);
        let said: Vec<&str> = tool.spec.on_error.keys().map(|code| code.as_str()).collect();
        let named = [
            "barber_name",
            "service_name",
            "tag_name",
            "stage_name",
            "category",
            "appointment_id",
            "serviceName",
            "eventId",
            "tags",
        ];
        if named.iter().any(|field| has(field)) {
            assert!(said.contains(&"not_found") && said.contains(&"ambiguous"), "{}: {said:?}", tool.spec.name);
        }
        if ["date", "new_date", "appointmentDate", "startDate"].iter().any(|field| has(field)) {
            assert!(said.contains(&"invalid_arguments"), "{}: {said:?}", tool.spec.name);
        }
    }
}
