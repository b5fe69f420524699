use balcao_testkit::fakes::graph::webhooks;
use serde_json::json;

use super::{
    tests::{one, some, wamid},
    *,
};
use crate::{
    error::{GiveUpReason, SendClass},
    id::Number,
};

fn status(body: &Value) -> StatusUpdate {
    let event = one(body);
    let InboundEvent::Status(status) = event else { panic!("{event:?}") };
    *status
}

#[test]
fn a_status_says_how_far_a_message_came_and_what_it_costs() {
    let delivered = status(&webhooks::status(
        "wamid.OUT1",
        "delivered",
        json!({ "biz_opaque_callback_data": "outbox:8812", "pricing": { "billable": true, "pricing_model": "PMP",
            "type": "regular", "category": "service" } }),
    ));
    assert_eq!((delivered.message, delivered.state), (wamid("wamid.OUT1"), DeliveryState::Delivered));
    assert_eq!(delivered.correlation.as_deref(), Some("outbox:8812"));
    assert_eq!(delivered.recipient.number, Some(Number::new("554187654321")));
    let pricing = Pricing { billable: true, category: some("service"), price_type: some("regular") };
    assert_eq!((delivered.pricing, delivered.failure), (Some(pricing), None));
    for (word, state) in
        [("sent", DeliveryState::Sent), ("read", DeliveryState::Read), ("played", DeliveryState::Played)]
    {
        assert_eq!(status(&webhooks::status("wamid.OUT1", word, json!({}))).state, state);
    }
}

#[test]
fn a_failed_status_has_the_class_of_its_code() {
    let failed = |errors: Value| status(&webhooks::status("wamid.OUT1", "failed", json!({ "errors": errors }))).failure;
    let window =
        failed(json!([{ "code": 131_047, "title": "Re-engagement", "error_data": { "details": "24 hours" } }]));
    let class = SendClass::OutsideWindow;
    assert_eq!(window, Some(DeliveryFailure { class, code: Some(131_047), detail: some("24 hours") }));
    let class = SendClass::give_up(GiveUpReason::Rejected);
    assert_eq!(failed(json!([])), Some(DeliveryFailure { class, code: None, detail: None }));
}

#[test]
fn a_status_of_a_group_names_a_member_and_no_number() {
    let body = webhooks::status(
        "wamid.OUT1",
        "read",
        json!({ "recipient_id": "5511999999999", "recipient_type": "group", "recipient_participant_user_id": "BR.3" }),
    );
    let status = status(&body);
    assert_eq!((status.recipient.number.as_ref(), status.participant.as_deref()), (None, Some("BR.3")));
    assert_eq!(InboundEvent::Status(Box::new(status)).dedupe_key(), "status:wamid.OUT1:read:BR.3");
}

#[test]
fn statuses_merge_in_any_order() {
    use DeliveryState::{Delivered, Failed, Played, Read, Sent};
    for (news, known) in [
        (&[Sent, Delivered, Read][..], Read),
        (&[Read, Delivered, Sent], Read),
        (&[Played, Read], Played),
        (&[Sent, Failed], Failed),
        (&[Failed, Sent], Failed),
        (&[Failed, Delivered], Delivered),
        (&[Delivered, Failed], Delivered),
    ] {
        assert_eq!(news.iter().copied().reduce(DeliveryState::merge), Some(known), "{news:?}");
    }
}
