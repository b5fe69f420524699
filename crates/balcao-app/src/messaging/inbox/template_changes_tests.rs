use balcao_channel::channels::whatsapp::webhook;
use balcao_channel::inbound::InboundEvent;

use super::*;

fn told(field: &str, value: &Value) -> Option<TemplateChange> {
    let body = json!({ "object": "whatsapp_business_account",
        "entry": [{ "id": "1", "changes": [{ "field": field, "value": value }] }] });
    let read = webhook::parse(body.to_string().as_bytes()).unwrap().remove(0);
    let InboundEvent::Unknown(event) = read else { panic!("{read:?}") };
    change(&event)
}

#[test]
fn what_takes_a_template_away_or_makes_it_dearer_is_told_and_good_news_are_not() {
    let named = |more: Value| {
        let mut value = json!({ "message_template_id": 7, "message_template_name": "lembrete",
            "message_template_language": "pt_BR" });
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        value
    };
    for (event, change) in
        [("PAUSED", "paused"), ("disabled", "disabled"), ("REJECTED", "rejected"), ("PENDING_DELETION", "deleted")]
    {
        let found =
            told("message_template_status_update", &named(json!({ "event": event, "reason": "NONE" }))).unwrap();
        assert_eq!((found.name.as_str(), found.language.as_str(), found.change), ("lembrete", "pt_BR", change));
        assert_eq!(found.detail, "NONE");
    }
    let moved = named(json!({ "previous_category": "UTILITY", "new_category": "MARKETING" }));
    let found = told("template_category_update", &moved).unwrap();
    assert_eq!((found.change, found.detail.as_str()), ("category", "from UTILITY to MARKETING"));
    for (field, value) in [
        ("message_template_status_update", named(json!({ "event": "APPROVED" }))),
        ("message_template_status_update", named(json!({ "event": 7 }))),
        ("message_template_status_update", json!("PAUSED")),
        ("message_template_quality_update", named(json!({ "new_quality_score": "RED" }))),
        ("account_update", json!({ "event": "DISABLED_UPDATE" })),
    ] {
        assert_eq!(told(field, &value), None, "{field} {value}");
    }
}
