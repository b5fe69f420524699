use serde_json::json;

use super::*;
use crate::{GiveUpReason, ProviderMediaId, SendClass};

fn origin() -> Origin {
    Origin { account: Some(AccountId::new("7001")), business: "9001".into() }
}

fn voice_note() -> InboundEvent {
    InboundEvent::Message(Box::new(InboundMessage {
        origin: origin(),
        id: ProviderMessageId::new("wamid.1"),
        sender: Person { user: Some(UserId::new("BR.1")), ..Person::default() },
        at: Some("2026-11-23T12:00:00Z".parse().unwrap()),
        content: Content::Media(Media {
            media: MediaKind::Audio,
            id: ProviderMediaId::new("m1"),
            mime: None,
            sha256: None,
            caption: None,
            filename: None,
            voice: true,
        }),
        quoted: None,
        referral: None,
        forwarded: Forwarded::Once,
        group: None,
    }))
}

fn failed() -> InboundEvent {
    let class = SendClass::give_up(GiveUpReason::OptedOut);
    InboundEvent::Status(Box::new(StatusUpdate {
        origin: origin(),
        message: ProviderMessageId::new("wamid.2"),
        state: DeliveryState::Failed,
        at: None,
        recipient: Person::default(),
        participant: None,
        correlation: Some("outbox:7".into()),
        failure: Some(DeliveryFailure { class, code: Some(131_050), detail: None }),
        pricing: None,
    }))
}

/// Rows of an inbox outlive a version: what changes here needs a way to read the old.
#[test]
fn the_stored_form_is_this() {
    let person = |user: Option<&str>| json!({ "user": user, "parent_user": null, "number": null, "phone": null, "name": null, "username": null });
    for (event, stored) in [
        (
            voice_note(),
            json!({ "event": "message", "origin": { "account": "7001", "business": "9001" }, "id": "wamid.1",
                "sender": person(Some("BR.1")), "at": "2026-11-23T12:00:00Z",
                "content": { "kind": "media", "media": "audio", "id": "m1", "mime": null, "sha256": null, "caption": null,
                    "filename": null, "voice": true },
                "quoted": null, "referral": null, "forwarded": "once", "group": null }),
        ),
        (
            failed(),
            json!({ "event": "status", "origin": { "account": "7001", "business": "9001" }, "message": "wamid.2",
                "state": "failed", "at": null, "recipient": person(None), "participant": null, "correlation": "outbox:7",
                "failure": { "class": { "class": "give_up", "reason": "opted_out" }, "code": 131_050, "detail": null },
                "pricing": null }),
        ),
    ] {
        assert_eq!(serde_json::to_value(&event).unwrap(), stored);
        assert_eq!(serde_json::from_value::<InboundEvent>(stored).unwrap(), event);
        assert_eq!(event.origin(), &origin());
    }
}

#[test]
fn each_event_has_its_key() {
    assert_eq!(voice_note().dedupe_key(), "message:wamid.1");
    assert_eq!(failed().dedupe_key(), "status:wamid.2:failed");
}

#[test]
fn what_only_changes_something_wakes_nobody() {
    let message = ProviderMessageId::new("wamid.0");
    let text = || Content::Text { body: "Oi".into() };
    for (content, wakes) in [
        (text(), true),
        (Content::ButtonReply { id: "1".into(), title: "Sim".into() }, true),
        (Content::Unsupported { original: "poll".into(), code: None, detail: None }, true),
        (Content::Reaction { message: message.clone(), emoji: Some("👍".into()) }, false),
        (Content::Edit { message: message.clone(), content: Box::new(text()) }, false),
        (Content::Delete { message }, false),
    ] {
        assert_eq!(content.wakes(), wakes, "{content:?}");
    }
}
