use serde_json::json;

use super::*;

fn key() -> SecretString {
    SecretString::from("a webhook key")
}

fn upsert(more: Value) -> Value {
    let mut data = json!({ "key": { "remoteJid": "554187654321@s.whatsapp.net", "fromMe": false, "id": "3A01" },
        "pushName": "João", "message": { "conversation": "oi" }, "messageType": "conversation",
        "messageTimestamp": 1_795_182_300, "source": "android" });
    data.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({ "event": "messages.upsert", "instance": "loja", "data": data, "apikey": "a webhook key" })
}

fn read(body: &Value) -> Inbound {
    let [one] = parse(body.to_string().as_bytes(), None, &key()).unwrap().try_into().unwrap();
    one
}

fn content_of(message: Value) -> Content {
    let event = read(&upsert(json!({ "message": message })));
    let Inbound::Message(message) = event else { panic!("{event:?}") };
    message.content
}

#[test]
fn nothing_is_read_without_the_key() {
    let body = upsert(json!({})).to_string();
    let parse = |body: &str, header| parse(body.as_bytes(), header, &key()).map(|events| events.len());
    assert_eq!(parse(&body, None), Ok(1));
    assert_eq!(parse(&body.replace("\"apikey\":\"a webhook key\"", "\"a\":1"), Some("a webhook key")), Ok(1));
    for (body, header) in [
        (body.as_str(), Some("wrong")),
        (&body.replace("a webhook key", "wrong"), None),
        (&body.replace("a webhook key", ""), None),
        ("{}", None),
        ("no json", None),
        ("{\"apikey\":[\"a webhook key\"]}", None),
        ("{\"data\":{\"apikey\":\"a webhook key\"}}", None),
        ("{\"apikey\":\"a webhook key\",\"apikey\":\"a webhook key\"}", None),
        ("{\"apikey\":\"a webhook key\"} {}", None),
        ("[\"a webhook key\"]", None),
    ] {
        assert_eq!(parse(body, header), Err(WebhookError::Key), "{body} {header:?}");
    }
    assert_eq!(parse("no json", Some("a webhook key")), Err(WebhookError::NotJson));
    let deep = format!("{{\"apikey\":\"a webhook key\",\"data\":{}{}}}", "[".repeat(100), "]".repeat(100));
    assert_eq!(parse(&deep, Some("a webhook key")), Err(WebhookError::NotJson));
    assert_eq!(parse(&deep, None), Err(WebhookError::NotJson), "whoever showed the key in the body may know");
    assert_eq!(parse(&deep.replace("a webhook key", "wrong"), None), Err(WebhookError::Key));
    assert_eq!(parse("{\"api\\u006bey\":\"a webhook \\u006bey\"}", None), Ok(1), "a name may be written so");
    let empty = SecretString::from("");
    assert_eq!(super::parse(b"{\"apikey\":\"\"}", Some(""), &empty), Err(WebhookError::Key));
}

#[test]
fn a_text_is_a_message_of_whoever_wrote() {
    let Inbound::Message(message) = read(&upsert(json!({}))) else { panic!() };
    assert_eq!((message.id.as_str(), message.content), ("3A01", Content::Text { body: "oi".to_owned() }));
    assert_eq!(message.origin.account, Some(AccountId::new("loja")));
    let sender = message.sender;
    assert_eq!(sender.phone.unwrap().e164(), "+5541987654321");
    assert_eq!((sender.number, sender.name.as_deref()), (Some(Number::new("554187654321")), Some("João")));
}

#[test]
fn a_hidden_number_is_a_user_and_shown_if_it_is_told() {
    let key =
        json!({ "remoteJid": "987@lid", "fromMe": false, "id": "3A02", "senderPn": "554187654321@s.whatsapp.net" });
    let Inbound::Message(message) = read(&upsert(json!({ "key": key }))) else { panic!() };
    assert_eq!(message.sender.user, Some(UserId::new("987@lid")));
    assert_eq!(message.sender.number, Some(Number::new("554187654321")));
    let key = json!({ "remoteJid": "987@lid", "fromMe": false, "id": "3A02" });
    let Inbound::Message(message) = read(&upsert(json!({ "key": key }))) else { panic!() };
    assert_eq!(message.sender.number, None);
}

#[test]
fn files_places_and_signs_are_what_they_are() {
    let audio = content_of(json!({ "audioMessage": { "mimetype": "audio/ogg; codecs=opus", "ptt": true } }));
    let Content::Media(media) = audio else { panic!("{audio:?}") };
    assert_eq!((media.media, media.voice, media.id.as_str()), (MediaKind::Audio, true, "3A01"));
    let place = content_of(json!({ "locationMessage": { "degreesLatitude": -19.9, "degreesLongitude": -43.9 } }));
    assert!(matches!(place, Content::Location(Location { latitude, .. }) if latitude < -19.0));
    let sign = content_of(json!({ "reactionMessage": { "key": { "id": "BAE5" }, "text": "👍" } }));
    assert!(matches!(sign, Content::Reaction { emoji: Some(_), .. }));
    let poll = content_of(json!({ "pollCreationMessage": {} }));
    assert!(matches!(poll, Content::Unsupported { .. }));
    let long = content_of(json!({ "extendedTextMessage": { "text": "oi de novo" } }));
    assert_eq!(long, Content::Text { body: "oi de novo".to_owned() });
}

#[test]
fn what_staff_wrote_on_the_phone_is_an_echo_and_our_own_is_not() {
    let from_us = json!({ "remoteJid": "554187654321@s.whatsapp.net", "fromMe": true, "id": "3A03" });
    let echo = read(&upsert(json!({ "key": from_us, "source": "ios" })));
    assert!(matches!(echo, Inbound::Echo(echo) if echo.to.number == Some(Number::new("554187654321"))));
    for source in ["web", "unknown"] {
        let own = read(&upsert(json!({ "key": from_us, "source": source })));
        assert!(matches!(own, Inbound::Unknown(_)), "{own:?}");
    }
}

#[test]
fn statuses_groups_and_strangers_are_told_apart() {
    let status = json!({ "event": "messages.update", "instance": "loja", "apikey": "a webhook key",
        "data": { "keyId": "BAE5", "status": "DELIVERY_ACK" } });
    assert!(matches!(read(&status), Inbound::Status(status) if status.state == DeliveryState::Delivered));
    let key =
        json!({ "remoteJid": "1203@g.us", "participant": "554187654321@s.whatsapp.net", "fromMe": false, "id": "3A" });
    assert!(matches!(read(&upsert(json!({ "key": key }))), Inbound::Message(message) if message.group.is_some()));
    for body in [
        json!({ "event": "connection.update", "instance": "loja", "apikey": "a webhook key", "data": {} }),
        json!({ "event": "messages.upsert", "apikey": "a webhook key" }),
        upsert(json!({ "key": { "remoteJid": "status@broadcast", "id": "1" } })),
        upsert(json!({ "key": { "remoteJid": "no jid", "id": "1" } })),
    ] {
        assert!(matches!(read(&body), Inbound::Unknown(_)), "{body}");
    }
}

#[test]
fn h07_of_a_body_without_a_key_before_it_little_is_looked_at_and_nothing_is_kept() {
    let filled = |bytes: usize| format!("{{\"a\":[1{}],\"apikey\":\"wrong\"}}", ",1".repeat(bytes / 2));
    let parse = |body: &str, header| parse(body.as_bytes(), header, &key()).map(|events| events.len());
    assert_eq!(parse(&filled(200 * 1024), None), Err(WebhookError::Key));
    assert_eq!(parse(&filled(300 * 1024), None), Err(WebhookError::TooLarge { most: MAX_UNPROVEN_BODY }));
    assert_eq!(parse(&filled(300 * 1024), Some("a webhook key")), Ok(1));
    let bottomless = format!("{{\"a\":{}", "[".repeat(250 * 1024));
    assert_eq!(parse(&bottomless, None), Err(WebhookError::Key));
}
