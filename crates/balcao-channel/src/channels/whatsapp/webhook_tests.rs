use balcao_testkit::fakes::graph::webhooks;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{
    id::{Number, ProviderMediaId},
    inbound::{
        CardPhone, ContactCard, Forwarded, Location, Media, MediaKind, Order, OrderItem, Quoted, SystemChange,
        SystemNotice,
    },
};

fn read(body: &Value) -> Vec<InboundEvent> {
    let events = parse(body.to_string().as_bytes()).unwrap();
    let stored = serde_json::to_string(&events).unwrap();
    assert_eq!(
        serde_json::from_str::<Vec<InboundEvent>>(&stored).unwrap(),
        events,
        "what is stored comes back: {stored}"
    );
    events
}

pub(super) fn one(body: &Value) -> InboundEvent {
    let [event] = <[InboundEvent; 1]>::try_from(read(body)).unwrap();
    event
}

fn message(part: Value) -> InboundMessage {
    let event = one(&webhooks::message("wamid.IN1", part));
    let InboundEvent::Message(message) = event else { panic!("{event:?}") };
    *message
}

fn unknown(body: &Value) -> UnknownEvent {
    let event = one(body);
    let InboundEvent::Unknown(unknown) = event else { panic!("{event:?}") };
    *unknown
}

pub(super) fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn unsupported(original: &str) -> Content {
    Content::Unsupported { original: original.to_owned(), code: None, detail: None }
}

fn file(media: MediaKind, mime: &str) -> Media {
    let id = ProviderMediaId::new("m1");
    Media { media, id, mime: some(mime), sha256: some("aGFzaA=="), caption: None, filename: None, voice: false }
}

pub(super) fn wamid(text: &str) -> ProviderMessageId {
    ProviderMessageId::new(text)
}

#[test]
fn a_message_says_who_wrote_when_and_where() {
    let InboundEvent::Message(message) = one(&webhooks::text("wamid.TESTE1", "Olá")) else { panic!() };
    assert_eq!(message.origin, Origin { account: Some(AccountId::new("7001")), business: "9001".into() });
    assert_eq!(message.id, wamid("wamid.TESTE1"));
    assert_eq!(message.at, Some("2026-11-20T13:45:00Z".parse().unwrap()));
    assert_eq!(message.content, Content::Text { body: "Olá".into() });
    let sender = &message.sender;
    assert_eq!(sender.user, Some(UserId::new("BR.1234567890")));
    assert_eq!(sender.number, Some(Number::new("554187654321")), "as it came");
    assert_eq!(sender.phone.as_ref().unwrap().e164(), "+5541987654321", "with the ninth digit");
    assert_eq!((sender.name.as_deref(), sender.username.as_deref()), (Some("João"), Some("joao.s")));
    assert_eq!((message.forwarded, message.group, message.quoted, message.referral), (Forwarded::No, None, None, None));
}

#[test]
fn every_kind_of_file_is_read() {
    let part = |mime: &str| json!({ "id": "m1", "mime_type": mime, "sha256": "aGFzaA==", "url": "https://lookaside.fbsbx.com/1" });
    let with = |mut part: Value, key: &str, value: Value| {
        part[key] = value;
        part
    };
    for (kind, part, media) in [
        (
            "image",
            with(part("image/jpeg"), "caption", json!("Assim")),
            Media { caption: some("Assim"), ..file(MediaKind::Image, "image/jpeg") },
        ),
        ("video", part("video/mp4"), file(MediaKind::Video, "video/mp4")),
        (
            "audio",
            with(part("audio/ogg; codecs=opus"), "voice", json!(true)),
            Media { voice: true, ..file(MediaKind::Audio, "audio/ogg; codecs=opus") },
        ),
        ("audio", with(part("audio/mpeg"), "voice", json!(false)), file(MediaKind::Audio, "audio/mpeg")),
        (
            "document",
            with(part("application/pdf"), "filename", json!("exame.pdf")),
            Media { filename: some("exame.pdf"), ..file(MediaKind::Document, "application/pdf") },
        ),
        ("sticker", with(part("image/webp"), "animated", json!(false)), file(MediaKind::Sticker, "image/webp")),
    ] {
        assert_eq!(message(json!({ "type": kind, kind: part })).content, Content::Media(media), "{kind}");
    }
}

#[test]
fn every_other_kind_is_read() {
    let ana = ContactCard {
        name: some("Ana"),
        phones: vec![CardPhone { written: "+55 41 98765-0000".into(), number: Some(Number::new("554187650000")) }],
        emails: vec!["ana@example.com".into()],
    };
    let card = json!({ "name": { "formatted_name": "Ana" }, "phones": [{ "phone": "+55 41 98765-0000", "wa_id": "554187650000",
        "type": "CELL" }], "emails": [{ "email": "ana@example.com" }] });
    for (part, content) in [
        (
            json!({ "type": "location", "location": { "latitude": -23.5, "longitude": -46.6, "name": "Casa" } }),
            Content::Location(Location {
                latitude: -23.5,
                longitude: -46.6,
                name: some("Casa"),
                address: None,
                url: None,
            }),
        ),
        (
            json!({ "type": "contacts", "contacts": [card], "origin": "other" }),
            Content::ContactCards { cards: vec![ana.clone()], own_number: false },
        ),
        (
            json!({ "type": "contacts", "contacts": [card], "origin": "contact_request" }),
            Content::ContactCards { cards: vec![ana], own_number: true },
        ),
        (
            json!({ "type": "contacts", "contacts": [{ "vcard": "BEGIN:VCARD" }] }),
            Content::ContactCards { cards: vec![ContactCard::default()], own_number: false },
        ),
        (
            json!({ "type": "button", "button": { "payload": "CONFIRMAR:apt_7", "text": "Confirmar" } }),
            Content::ButtonReply { id: "CONFIRMAR:apt_7".into(), title: "Confirmar".into() },
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "button_reply", "button_reply": { "id": "slot:1",
                "title": "15:00" } } }),
            Content::ButtonReply { id: "slot:1".into(), title: "15:00".into() },
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "list_reply", "list_reply": { "id": "svc:7",
                "title": "Corte", "description": "30 min" } } }),
            Content::ListReply { id: "svc:7".into(), title: "Corte".into(), description: some("30 min") },
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "button_reply", "button_reply": { "title": "Sim" } } }),
            Content::ButtonReply { id: "Sim".into(), title: "Sim".into() },
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "list_reply", "list_reply": {
                "description": "30 min" } } }),
            Content::ListReply { id: "30 min".into(), title: "30 min".into(), description: None },
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply", "nfm_reply": { "body": "Sent",
                "response_json": "{\"flow_token\":\"x\",\"dia\":[\"sexta\",\"sábado\"],\"pessoas\":2}" } } }),
            Content::Text { body: "dia: sexta, sábado\npessoas: 2".into() },
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply", "nfm_reply": { "body": "Sent" } } }),
            Content::Text { body: "Sent".into() },
        ),
        (
            json!({ "type": "reaction", "reaction": { "message_id": "wamid.0", "emoji": "👍" } }),
            Content::Reaction { message: wamid("wamid.0"), emoji: some("👍") },
        ),
        (
            json!({ "type": "reaction", "reaction": { "message_id": "wamid.0", "emoji": "" } }),
            Content::Reaction { message: wamid("wamid.0"), emoji: None },
        ),
        (
            json!({ "type": "reaction", "reaction": { "message_id": "wamid.0" } }),
            Content::Reaction { message: wamid("wamid.0"), emoji: None },
        ),
        (
            json!({ "type": "edit", "edit": { "original_message_id": "wamid.0", "message": { "type": "text",
                "text": { "body": "às 16h" }, "context": {} } } }),
            Content::Edit { message: wamid("wamid.0"), content: Box::new(Content::Text { body: "às 16h".into() }) },
        ),
        (
            json!({ "type": "revoke", "revoke": { "original_message_id": "wamid.0" } }),
            Content::Delete { message: wamid("wamid.0") },
        ),
        (
            json!({ "type": "order", "order": { "catalog_id": "c1", "text": "hoje", "product_items": [
                { "product_retailer_id": "pomada", "quantity": "2", "item_price": 35.5, "currency": "BRL" }, {}] } }),
            Content::Order(Order {
                catalog: some("c1"),
                text: some("hoje"),
                items: vec![OrderItem {
                    product: "pomada".into(),
                    quantity: 2,
                    price: Some(35.5),
                    currency: some("BRL"),
                }],
            }),
        ),
    ] {
        assert_eq!(message(part.clone()).content, content, "{part}");
    }
}

#[test]
fn an_id_that_is_written_as_a_number_is_its_digits() {
    let value = json!({ "metadata": { "phone_number_id": 7001 },
        "contacts": [{ "wa_id": 5_541_987_654_321_u64, "profile": { "name": "João" } }],
        "messages": [{ "from": 5_541_987_654_321_u64, "id": "wamid.1", "timestamp": 1_795_182_300,
            "type": "text", "text": { "body": "oi" } }] });
    let body = json!({ "object": "whatsapp_business_account",
        "entry": [{ "id": 9001, "changes": [{ "field": "messages", "value": value }] }] });
    let InboundEvent::Message(message) = one(&body) else { panic!("{body}") };
    assert_eq!(message.origin, Origin { account: Some(AccountId::new("7001")), business: "9001".to_owned() });
    assert_eq!(message.sender.number, Some(Number::new("5541987654321")));
    assert_eq!(message.sender.name.as_deref(), Some("João"));
}

#[test]
fn what_cannot_be_read_is_kept_as_unsupported() {
    for (part, content) in [
        (json!({ "type": "hologram", "hologram": {} }), unsupported("hologram")),
        (json!({}), unsupported("missing")),
        (json!({ "type": 7 }), unsupported("missing")),
        (json!({ "type": "text" }), unsupported("text")),
        (json!({ "type": "text", "text": { "body": 7 } }), unsupported("text")),
        (json!({ "type": "text", "text": { "body": "" } }), unsupported("text")),
        (json!({ "type": "image", "image": { "mime_type": "image/png" } }), unsupported("image")),
        (json!({ "type": "location", "location": { "latitude": "north" } }), unsupported("location")),
        (json!({ "type": "interactive" }), unsupported("interactive")),
        (
            json!({ "type": "interactive", "interactive": { "type": "nfm_reply", "nfm_reply": { "name": "flow" } } }),
            unsupported("interactive:nfm_reply"),
        ),
        (
            json!({ "type": "interactive", "interactive": { "type": "call_permission_reply" } }),
            unsupported("interactive:call_permission_reply"),
        ),
        (
            json!({ "type": "unsupported", "unsupported": { "type": "poll" }, "errors": [{ "code": 131_051,
                "title": "Message type unknown", "error_data": { "details": "Not supported." } }] }),
            Content::Unsupported {
                original: "unsupported:poll".into(),
                code: Some(131_051),
                detail: some("Not supported."),
            },
        ),
        (json!({ "type": "unknown", "errors": [] }), unsupported("unknown")),
    ] {
        assert_eq!(message(part.clone()).content, content, "{part}");
    }
}

#[test]
fn an_edit_of_an_edit_of_an_edit_ends() {
    let edit = |inner: Value| json!({ "type": "edit", "edit": { "original_message_id": "wamid.0", "message": inner } });
    let content = message(edit(edit(edit(edit(json!({ "type": "text", "text": { "body": "x" } })))))).content;
    let Content::Edit { content, .. } = content else { panic!() };
    let Content::Edit { content, .. } = *content else { panic!() };
    assert_eq!(*content, unsupported("edit"));
}

#[test]
fn context_referral_and_group_are_read() {
    let answer =
        json!({ "type": "text", "text": { "body": "Sim" }, "context": { "from": "551130001000", "id": "wamid.OUT1" } });
    assert_eq!(message(answer).quoted, Some(Quoted { message: Some(wamid("wamid.OUT1")), product: None }));
    let product = json!({ "type": "text", "text": { "body": "Tem?" }, "context": { "referred_product": { "catalog_id": "c1",
        "product_retailer_id": "pomada" } } });
    assert_eq!(message(product).quoted, Some(Quoted { message: None, product: Some(("c1".into(), "pomada".into())) }));
    for (context, forwarded) in [
        (json!({ "forwarded": true }), Forwarded::Once),
        (json!({ "forwarded": true, "frequently_forwarded": true }), Forwarded::Often),
        (json!({ "forwarded": false }), Forwarded::No),
    ] {
        let message = message(json!({ "type": "text", "text": { "body": "x" }, "context": context }));
        assert_eq!((message.forwarded, message.quoted), (forwarded, None));
    }
    let advertised = message(json!({ "type": "text", "text": { "body": "Oi" }, "group_id": "g1", "referral": {
        "source_type": "ad", "source_id": "1", "headline": "Corte", "ctwa_clid": "click" } }));
    assert_eq!(advertised.group.as_deref(), Some("g1"));
    let referral = advertised.referral.unwrap();
    assert_eq!((referral.source_type.as_deref(), referral.click_id.as_deref()), (Some("ad"), Some("click")));
}

#[test]
fn a_hidden_number_leaves_a_user_id_to_answer_to() {
    let part = json!({ "from": null, "from_user_id": "BR.77", "type": "text", "text": { "body": "Oi" } });
    let sender = message(part).sender;
    assert_eq!((sender.number, sender.phone), (None, None));
    assert_eq!(sender.user, Some(UserId::new("BR.77")));
}

#[test]
fn a_new_number_is_told_by_the_system() {
    let system = |part: Value| webhooks::envelope("messages", json!({ "messages": [part] }));
    let moved = system(json!({ "from": "554187654321", "id": "wamid.S1", "timestamp": 1_795_182_300, "type": "system",
        "system": { "body": "moved", "type": "user_changed_number", "wa_id": "554187650000", "user_id": "BR.9" } }));
    let InboundEvent::Message(moved) = one(&moved) else { panic!() };
    assert_eq!(
        moved.content,
        Content::System(SystemNotice {
            change: SystemChange::Number,
            body: some("moved"),
            number: Some(Number::new("554187650000")),
            user: Some(UserId::new("BR.9")),
        })
    );
    assert_eq!(moved.sender.number, Some(Number::new("554187654321")));
    for (word, change) in [
        ("customer_changed_number", SystemChange::Number),
        ("user_changed_user_id", SystemChange::User),
        ("customer_identity_changed", SystemChange::Identity),
        ("solar_eclipse", SystemChange::Other("solar_eclipse".into())),
    ] {
        // Without a sender, as it may come.
        let body = system(json!({ "id": "wamid.S1", "type": "system", "system": { "type": word, "new_wa_id": "1" } }));
        let InboundEvent::Message(message) = one(&body) else { panic!("{word}") };
        let Content::System(notice) = message.content else { panic!("{word}") };
        assert_eq!((notice.change, notice.number), (change, Some(Number::new("1"))), "{word}");
    }
}

#[test]
fn what_staff_wrote_on_the_phone_is_an_echo() {
    let body = webhooks::envelope(
        "smb_message_echoes",
        json!({ "message_echoes": [{ "from": "551130001000", "to": "554187654321", "to_user_id": "BR.1234567890",
            "id": "wamid.E1", "timestamp": "1795182300", "type": "text", "text": { "body": "Deixa comigo" } }] }),
    );
    let InboundEvent::Echo(echo) = one(&body) else { panic!() };
    assert_eq!(echo.content, Content::Text { body: "Deixa comigo".into() });
    assert_eq!(echo.to.number, Some(Number::new("554187654321")));
    assert_eq!(echo.to.user, Some(UserId::new("BR.1234567890")));
}

#[test]
fn preferences_and_new_user_ids_are_read() {
    let preference = |word: &str| {
        one(&webhooks::envelope(
            "user_preferences",
            json!({ "user_preferences": [{ "wa_id": "554187654321", "user_id": "BR.1", "detail": "…",
                "category": "marketing_messages", "value": word, "timestamp": 1_795_182_300 }] }),
        ))
    };
    for (word, wanted) in [("stop", false), ("resume", true), ("signup", true)] {
        let InboundEvent::Preference(preference) = preference(word) else { panic!("{word}") };
        assert_eq!((preference.wanted, preference.category.as_str()), (wanted, "marketing_messages"));
        assert_eq!(preference.person.user, Some(UserId::new("BR.1")));
    }
    assert!(matches!(preference("perhaps"), InboundEvent::Unknown(_)));
    let ids = json!({ "wa_id": "554187654321", "user_id": { "previous": "BR.1", "current": "BR.2" } });
    for value in [ids.clone(), json!({ "user_id_update": [ids] })] {
        let InboundEvent::Renamed(renamed) = one(&webhooks::envelope("user_id_update", value)) else { panic!() };
        assert_eq!((renamed.previous, renamed.current.user), (UserId::new("BR.1"), Some(UserId::new("BR.2"))));
    }
}

#[test]
fn many_changes_come_in_one_body() {
    let mut body = webhooks::text("wamid.1", "um");
    let more = webhooks::text("wamid.2", "dois")["entry"][0]["changes"][0].clone();
    let status = webhooks::status("wamid.OUT1", "read", json!({}))["entry"][0].clone();
    body["entry"][0]["changes"][0]["value"]["statuses"] = json!([{ "id": "wamid.OUT2", "status": "sent" }]);
    body["entry"][0]["changes"][0]["value"]["errors"] = json!([{ "code": 131_042 }]);
    body["entry"][0]["changes"].as_array_mut().unwrap().push(more);
    body["entry"].as_array_mut().unwrap().push(status);
    let keys: Vec<String> = read(&body).iter().map(InboundEvent::dedupe_key).collect();
    assert_eq!(keys[0], "message:wamid.1");
    assert_eq!(keys[1], "status:wamid.OUT2:sent");
    assert!(keys[2].starts_with("unknown:"), "{keys:?}");
    assert_eq!(keys[3..], ["message:wamid.2", "status:wamid.OUT1:read"]);
}

#[test]
fn what_is_not_known_is_kept() {
    let template = webhooks::envelope("message_template_status_update", json!({ "event": "APPROVED" }));
    let kept = unknown(&template);
    assert_eq!(
        (kept.field.as_str(), &kept.raw["value"]["event"]),
        ("message_template_status_update", &json!("APPROVED"))
    );
    assert_eq!(unknown(&template).digest, kept.digest, "a redelivery is the same event");
    let other = unknown(&webhooks::envelope("message_template_status_update", json!({ "event": "PAUSED" })));
    assert_ne!(other.digest, kept.digest);
    for value in [
        json!({}),
        json!({ "messages": [] }),
        json!({ "messages": "none" }),
        json!({ "messages": [{ "from": "1" }] }),
        json!({ "messages": [{ "id": "wamid.1", "type": "text", "text": { "body": "from nobody" } }] }),
        json!({ "statuses": [{ "id": "wamid.1", "status": "teleported" }] }),
        json!({ "statuses": [{ "status": "sent" }] }),
    ] {
        unknown(&webhooks::envelope("messages", value));
    }
    let object = "whatsapp_business_account";
    unknown(&json!({ "object": object, "entry": [{ "changes": [{}] }] }));
    unknown(&json!({ "object": object, "entry": [{ "changes": [7] }] }));
    for empty in [json!({ "object": object }), json!({ "object": object, "entry": [7, {}] })] {
        assert_eq!(read(&empty), []);
    }
}

#[test]
fn what_is_no_webhook_of_whatsapp_is_refused() {
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!(r#"{{"object":"whatsapp_business_account","entry":[],"x":{open}{close}}}"#)
    };
    for (body, error) in [
        (String::new(), WebhookError::NotJson),
        ("{".to_owned(), WebhookError::NotJson),
        ("{} {}".to_owned(), WebhookError::NotJson),
        ("\u{feff}{}".to_owned(), WebhookError::NotWhatsApp),
        ("[]".to_owned(), WebhookError::NotWhatsApp),
        ("7".to_owned(), WebhookError::NotWhatsApp),
        (r#"{"object":"page","entry":[]}"#.to_owned(), WebhookError::NotWhatsApp),
        (r#"{"object":"page","object":"whatsapp_business_account"}"#.to_owned(), WebhookError::KeyTwice),
        (r#"{"object":"whatsapp_business_account","x":{"a":1,"\u0061":2}}"#.to_owned(), WebhookError::KeyTwice),
        (nested(64), WebhookError::TooDeep),
        (nested(100_000), WebhookError::TooDeep),
        (" ".repeat(MAX_BODY + 1), WebhookError::TooLarge),
    ] {
        let shown: String = body.chars().take(60).collect();
        assert_eq!(parse(body.as_bytes()), Err(error), "{shown}");
    }
    assert_eq!(parse(nested(63).as_bytes()), Ok(vec![]));
}

#[test]
fn a_49_the_handshake_gives_the_challenge_back() {
    let token = SecretString::from("meu-token");
    let long = "1".repeat(65);
    let query = |mode, token, challenge| {
        [("hub.mode", mode), ("hub.challenge", challenge), ("hub.verify_token", token), ("x", "y")]
    };
    let ok = handshake(query("subscribe", "meu-token", "1158201444"), &token);
    assert_eq!(ok.as_deref(), Ok("1158201444"));
    for (mode, given, challenge, error) in [
        ("unsubscribe", "meu-token", "1", HandshakeError::Mode),
        ("subscribe", "meu-toke", "1", HandshakeError::Token),
        ("subscribe", "", "1", HandshakeError::Token),
        ("subscribe", "meu-token", "", HandshakeError::Challenge),
        ("subscribe", "meu-token", "<script>", HandshakeError::Challenge),
        ("subscribe", "meu-token", long.as_str(), HandshakeError::Challenge),
    ] {
        assert_eq!(handshake(query(mode, given, challenge), &token), Err(error), "{mode} {given} {challenge}");
    }
    assert_eq!(handshake(query("subscribe", "", "1"), &"".into()), Err(HandshakeError::Token), "no token of ours");
    assert_eq!(handshake([("hub.mode", "subscribe")], &token), Err(HandshakeError::Parameters));
    let twice = query("subscribe", "meu-token", "1").into_iter().chain([("hub.challenge", "2")]);
    assert_eq!(handshake(twice, &token), Err(HandshakeError::Parameters));
}

/// Any JSON, with the keys that are looked for among its keys.
fn any_json() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        proptest::sample::select(vec![
            "id",
            "type",
            "text",
            "body",
            "messages",
            "statuses",
            "contacts",
            "status",
            "errors",
            "code",
            "from",
            "edit",
            "message",
            "original_message_id",
            "timestamp",
            "interactive",
            "image",
            "system",
            "order",
            "context",
            "metadata",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        proptest::sample::select(vec!["text", "image", "edit", "system", "order", "contacts", "failed", "interactive"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::hash_map(key.clone(), inner, 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(body in any::<Vec<u8>>()) {
        prop_assert!(parse(&body).is_err());
    }

    #[test]
    fn no_json_makes_it_panic_or_refuse(value in any_json(), field in "messages|smb_message_echoes|user_preferences|user_id_update|x") {
        let body = json!({ "object": "whatsapp_business_account", "entry": [{ "id": "9001", "changes": [
            { "field": field, "value": value }, { "field": "messages", "value": { "messages": [value], "statuses": [value] } }] }] });
        prop_assert!(parse(body.to_string().as_bytes()).is_ok());
    }

    #[test]
    fn no_text_of_a_customer_is_lost(text in "\\PC{1,200}") {
        prop_assume!(!text.is_empty());
        let InboundEvent::Message(message) = one(&webhooks::text("wamid.1", &text)) else { panic!() };
        prop_assert_eq!(message.content, Content::Text { body: text });
    }
}

#[test]
fn no_delivery_is_lost_for_a_character() {
    let around = |text: &str| {
        format!(
            r#"{{"object":"whatsapp_business_account","entry":[{{"id":"1","changes":[{{"field":"messages","value":{{"metadata":{{"phone_number_id":"2"}},"contacts":[{{"profile":{{"name":"A{text}"}},"wa_id":"5531988880001"}}],"messages":[{{"from":"5531988880001","id":"w1","timestamp":"1795577600","type":"image","image":{{"id":"3","caption":"a{text}"}}}},{{"from":"5531988880001","id":"w2","timestamp":"1795577600","type":"text","text":{{"body":"b{text}"}}}}]}}}}]}}]}}"#
        )
    };
    let half = around(r"\ud83d").into_bytes();
    let broken: Vec<u8> =
        around("#").into_bytes().into_iter().map(|byte| if byte == b'#' { 0xff } else { byte }).collect();
    let marked = [b"\xef\xbb\xbf".as_slice(), around("\u{fffd}").as_bytes()].concat();
    for body in [half, broken, marked] {
        let events = parse(&body).unwrap();
        let [InboundEvent::Message(picture), InboundEvent::Message(text)] = events.as_slice() else {
            panic!("{events:?}")
        };
        assert_eq!(picture.sender.name.as_deref(), Some("A\u{fffd}"));
        assert!(matches!(&picture.content, Content::Media(media) if media.caption.as_deref() == Some("a\u{fffd}")));
        assert_eq!(text.content, Content::Text { body: "b\u{fffd}".to_owned() });
    }
}

/// A body of 3 MB may name so many of both.
#[test]
fn h04_a_body_of_many_contacts_and_many_messages_is_read_contact_by_contact_once() {
    const MANY: u32 = 15_000;
    let numbers = || (0..MANY).map(|number| 5_511_900_000_000 + u64::from(number));
    let contacts: Vec<Value> = numbers()
        .map(|number| json!({ "wa_id": number.to_string(), "profile": { "name": format!("nº {number}") } }))
        .collect();
    let messages: Vec<Value> = numbers()
        .rev()
        .map(|number| json!({ "from": number.to_string(), "id": format!("wamid.{number}"), "type": "text", "text": { "body": "oi" } }))
        .collect();
    let mut body = webhooks::message("wamid.IN1", json!({ "type": "text", "text": { "body": "oi" } }));
    let value = body.pointer_mut("/entry/0/changes/0/value").unwrap();
    value["contacts"] = json!(contacts);
    value["messages"] = json!(messages);
    let events = parse(body.to_string().as_bytes()).unwrap();
    assert_eq!(events.len(), usize::try_from(MANY).unwrap());
    for event in events {
        let InboundEvent::Message(message) = event else { panic!("{event:?}") };
        let number = message.sender.number.unwrap();
        assert_eq!(message.sender.name, Some(format!("nº {number}")));
    }
}

#[test]
fn h07_a_signed_body_of_very_many_values_is_refused_before_a_tree_is_built() {
    let body = format!("{{\"object\": \"whatsapp_business_account\", \"entry\": [{}0]}}", "0,".repeat(200_000));
    assert_eq!(parse(body.as_bytes()), Err(WebhookError::TooLarge));
}
