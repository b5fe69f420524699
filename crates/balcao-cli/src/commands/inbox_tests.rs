use balcao_domain::ContactId;

use super::*;

fn view(step: Option<DeliveryStep>, failure: Option<&str>) -> ConversationView {
    let delivery = |state| Delivery { state, failure: failure.map(str::to_owned), category: None, price: None };
    ConversationView {
        id: ConversationId::try_from(7).unwrap(),
        contact_id: ContactId::try_from(3).unwrap(),
        contact_name: Some("Caio Reis".to_owned()),
        phone: None,
        channel: "whatsapp".to_owned(),
        state: ConversationState::Human,
        assigned_to: Some("Davi Lopes".to_owned()),
        reason: None,
        waiting_since: None,
        last_message: Some("Às 15h?".to_owned()),
        last_message_author: Some(step.map_or(Author::Contact, |_| Author::Agent)),
        last_message_delivery: step.map(delivery),
        last_message_at: "2026-11-24T13:00:00Z".parse().unwrap(),
    }
}

#[test]
fn what_has_not_arrived_is_not_shown_as_if_it_had() {
    let head = "cnv_7  Caio Reis  with a person  Davi Lopes  –  24/11 13:00 «Às 15h?»";
    for (step, failure, told) in [
        (None, None, ""),
        (Some(DeliveryStep::Read), None, ""),
        (Some(DeliveryStep::Sent), None, ""),
        (Some(DeliveryStep::Waiting), None, " (on its way)"),
        (Some(DeliveryStep::Waiting), Some("busy"), " (tried again: busy)"),
        (Some(DeliveryStep::Unknown), None, " (may have arrived; see `balcao outbox`)"),
        (Some(DeliveryStep::Failed), Some("blocked\nus"), " (did not arrive: blocked us; see `balcao outbox`)"),
    ] {
        assert_eq!(line(&view(step, failure), &TimeZone::UTC), format!("{head}{told}"));
    }
}
