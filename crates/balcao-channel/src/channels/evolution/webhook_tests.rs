use serde_json::json;

use super::*;
use crate::{
    id::UserId,
    inbound::{Forwarded, Location, MediaKind},
};

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

fn read(body: &Value) -> InboundEvent {
    let [one] = parse(body.to_string().as_bytes(), None, &key()).unwrap().try_into().unwrap();
    one
}

fn content_of(message: Value) -> Content {
    let event = read(&upsert(json!({ "message": message })));
    let InboundEvent::Message(message) = event else { panic!("{event:?}") };
    message.content
}

#[test]
fn guide_names_each_event_that_is_read() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/GUIDE.md")).unwrap();
    let place = guide.split("\n\n").find(|part| part.contains("/webhooks/evolution` with the events"));
    let named: Vec<&str> = place.unwrap().split('`').filter(|word| word.starts_with("MESSAGES_")).collect();
    assert_eq!(named, Known::ALL.map(Known::name));
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
    let InboundEvent::Message(message) = read(&upsert(json!({}))) else { panic!() };
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
    let InboundEvent::Message(message) = read(&upsert(json!({ "key": key }))) else { panic!() };
    assert_eq!(message.sender.user, Some(UserId::new("987@lid")));
    assert_eq!(message.sender.number, Some(Number::new("554187654321")));
    let key = json!({ "remoteJid": "987@lid", "fromMe": false, "id": "3A02" });
    let InboundEvent::Message(message) = read(&upsert(json!({ "key": key }))) else { panic!() };
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
    assert!(matches!(echo, InboundEvent::Echo(echo) if echo.to.number == Some(Number::new("554187654321"))));
    for source in ["web", "unknown"] {
        let own = read(&upsert(json!({ "key": from_us, "source": source })));
        assert!(matches!(own, InboundEvent::Unknown(_)), "{own:?}");
    }
}

#[test]
fn statuses_groups_and_strangers_are_told_apart() {
    let status = json!({ "event": "messages.update", "instance": "loja", "apikey": "a webhook key",
        "data": { "keyId": "BAE5", "status": "DELIVERY_ACK" } });
    assert!(matches!(read(&status), InboundEvent::Status(status) if status.state == DeliveryState::Delivered));
    let key =
        json!({ "remoteJid": "1203@g.us", "participant": "554187654321@s.whatsapp.net", "fromMe": false, "id": "3A" });
    assert!(matches!(read(&upsert(json!({ "key": key }))), InboundEvent::Message(message) if message.group.is_some()));
    for body in [
        json!({ "event": "connection.update", "instance": "loja", "apikey": "a webhook key", "data": {} }),
        json!({ "event": "messages.upsert", "apikey": "a webhook key" }),
        upsert(json!({ "key": { "remoteJid": "status@broadcast", "id": "1" } })),
        upsert(json!({ "key": { "remoteJid": "no jid", "id": "1" } })),
    ] {
        assert!(matches!(read(&body), InboundEvent::Unknown(_)), "{body}");
    }
}

fn message_of(more: Value) -> InboundMessage {
    let event = read(&upsert(more));
    let InboundEvent::Message(message) = event else { panic!("{event:?}") };
    *message
}

/// A message in wrappers, from the outermost.
fn wrapped(wrappers: &[&str], inner: Value) -> Value {
    wrappers.iter().rev().fold(inner, |inner, wrapper| json!({ *wrapper: { "message": inner } }))
}

#[test]
fn whatever_wraps_a_message_is_opened() {
    let text = || json!({ "extendedTextMessage": { "text": "oi", "contextInfo": { "expiration": 86_400 } } });
    for wrappers in [
        &["ephemeralMessage"][..],
        &["viewOnceMessage"],
        &["viewOnceMessageV2"],
        &["viewOnceMessageV2Extension"],
        &["ephemeralMessage", "viewOnceMessageV2"],
        &["deviceSentMessage"],
        &["aWrapperOfNextYear"],
    ] {
        assert_eq!(content_of(wrapped(wrappers, text())), Content::Text { body: "oi".to_owned() }, "{wrappers:?}");
    }
    let document = json!({ "documentMessage": { "fileName": "a.pdf", "caption": "o contrato" } });
    let Content::Media(media) = content_of(wrapped(&["documentWithCaptionMessage"], document)) else { panic!() };
    assert_eq!(
        (media.media, media.id.as_str(), media.caption.as_deref()),
        (MediaKind::Document, "3A01", Some("o contrato"))
    );
    let picture = json!({ "imageMessage": { "mimetype": "image/jpeg" }, "messageContextInfo": {} });
    assert!(matches!(content_of(wrapped(&["viewOnceMessage"], picture)), Content::Media(_)));
    let bottomless = wrapped(&["ephemeralMessage"; 20], text());
    assert!(matches!(content_of(bottomless), Content::Unsupported { .. }));
}

#[test]
fn an_answer_by_a_list_or_a_button_is_its_words() {
    let row = json!({ "listResponseMessage": { "title": "Corte", "singleSelectReply": { "selectedRowId": "r1" } } });
    let reply = |id: &str, title: &str| Content::ButtonReply { id: id.to_owned(), title: title.to_owned() };
    assert_eq!(
        content_of(row),
        Content::ListReply { id: "r1".to_owned(), title: "Corte".to_owned(), description: None }
    );
    let row =
        |id: &str, title: &str| Content::ListReply { id: id.to_owned(), title: title.to_owned(), description: None };
    for (message, read) in [
        (
            json!({ "listResponseMessage": { "singleSelectReply": { "selectedRowId": "corte" } } }),
            row("corte", "corte"),
        ),
        (
            json!({ "listResponseMessage": { "description": "Corte", "singleSelectReply": { "selectedRowId": "r1" } } }),
            row("r1", "Corte"),
        ),
        (
            json!({ "buttonsResponseMessage": { "selectedButtonId": "b1", "selectedDisplayText": "Sim" } }),
            reply("b1", "Sim"),
        ),
        (
            json!({ "templateButtonReplyMessage": { "selectedId": "t1", "selectedDisplayText": "Confirmo" } }),
            reply("t1", "Confirmo"),
        ),
        (
            json!({ "interactiveResponseMessage": { "body": { "text": "Quinta" },
                "nativeFlowResponseMessage": { "name": "quick_reply", "paramsJson": "{\"id\":\"q1\"}" } } }),
            reply("q1", "Quinta"),
        ),
        (
            json!({ "interactiveResponseMessage": {
                "nativeFlowResponseMessage": { "paramsJson": "{\"id\":\"q2\",\"display_text\":\"Sexta\"}" } } }),
            reply("q2", "Sexta"),
        ),
        (json!({ "buttonsResponseMessage": { "selectedButtonId": "sim" } }), reply("sim", "sim")),
    ] {
        assert_eq!(content_of(message), read);
    }
}

#[test]
fn an_edit_and_a_deletion_name_the_earlier_message_however_they_are_told() {
    let change = |kind: Value| {
        json!({ "key": { "remoteJid": "554187654321@s.whatsapp.net", "fromMe": true, "id": "3A00" }, "type": kind,
            "editedMessage": { "conversation": "quinta" } })
    };
    let earlier = || ProviderMessageId::new("3A00");
    let edit = Content::Edit { message: earlier(), content: Box::new(Content::Text { body: "quinta".to_owned() }) };
    let delete = Content::Delete { message: earlier() };
    for (kind, read) in
        [(json!("MESSAGE_EDIT"), &edit), (json!(14), &edit), (json!("REVOKE"), &delete), (json!(0), &delete)]
    {
        assert_eq!(content_of(json!({ "protocolMessage": change(kind.clone()) })), *read, "{kind}");
        let inner = json!({ "protocolMessage": change(kind.clone()) });
        assert_eq!(content_of(wrapped(&["editedMessage"], inner.clone())), *read, "{kind}");
        assert_eq!(content_of(wrapped(&["ephemeralMessage", "editedMessage"], inner)), *read, "{kind}");
    }
    let told = |event: &str, data: Value| {
        let event = read(&json!({ "event": event, "instance": "loja", "apikey": "a webhook key", "data": data }));
        let InboundEvent::Message(message) = &event else { panic!("{event:?}") };
        (message.content.clone(), event.dedupe_key())
    };
    let key = json!({ "remoteJid": "554187654321@s.whatsapp.net", "fromMe": false, "id": "3A00" });
    let deletions = [
        told("messages.delete", key.clone()),
        told("MESSAGES_DELETE", json!({ "key": key, "status": "DELETED" })),
        told("messages.update", json!({ "keyId": "3A00", "remoteJid": key["remoteJid"], "status": "DELETED" })),
    ];
    for (content, dedupe) in &deletions {
        assert_eq!((content, dedupe.as_str()), (&delete, "message:3A00:delete:554187654321"), "told twice, it is one");
    }
    let edits = [
        told("messages.edited", json!({ "key": key, "editedMessage": { "conversation": "quinta" } })),
        told(
            "messages.update",
            json!({ "key": key, "update": { "message": { "editedMessage": { "message": { "conversation": "quinta" } } } } }),
        ),
    ];
    assert_eq!(edits[0], edits[1]);
    assert_eq!(edits[0].0, edit);
    let other =
        json!({ "key": key, "update": { "message": { "editedMessage": { "message": { "conversation": "sexta" } } } } });
    assert_ne!(told("messages.update", other).1, edits[0].1, "edited again");
}

/// The key of the message that the next tests change.
fn earlier() -> Value {
    json!({ "remoteJid": "554187654321@s.whatsapp.net", "fromMe": false, "id": "3A00" })
}

fn events(name: &str, data: &Value) -> Vec<InboundEvent> {
    let body = json!({ "event": name, "instance": "loja", "apikey": "a webhook key", "data": data,
        "sender": "553133330000@s.whatsapp.net" });
    parse(body.to_string().as_bytes(), None, &key()).unwrap()
}

/// What the messages of an event are.
fn contents(name: &str, data: &Value) -> Vec<Content> {
    let message = |event| if let InboundEvent::Message(message) = event { Some(message.content) } else { None };
    events(name, data).into_iter().filter_map(message).collect()
}

#[test]
fn what_was_taken_back_is_a_deletion_however_it_is_told() {
    let (key, asks) = (earlier(), json!({ "remoteJid": earlier()["remoteJid"], "fromMe": false, "id": "3A09" }));
    let revoke = json!({ "protocolMessage": { "key": key, "type": "REVOKE" } });
    let unnumbered = json!({ "protocolMessage": { "key": key } });
    for (name, data) in [
        ("messages.update", json!({ "key": key, "update": { "message": null, "messageStubType": 1 } })),
        (
            "messages.update",
            json!({ "key": key, "update": { "message": null, "messageStubType": "REVOKE", "key": asks } }),
        ),
        ("messages.update", json!({ "key": key, "update": { "message": null } })),
        ("messages.update", json!({ "key": key, "update": { "status": "DELETED" } })),
        ("messages.update", json!({ "key": key, "update": { "message": unnumbered } })),
        ("messages.update", json!([{ "key": asks, "update": { "message": revoke } }])),
        ("messages.upsert", json!({ "key": key, "message": null, "messageStubType": "REVOKE" })),
        ("messages.upsert", json!({ "key": key, "message": null, "messageStubType": 1 })),
        ("messages.upsert", json!({ "key": key, "message": { "conversation": "oi" }, "status": "DELETED" })),
        ("messages.upsert", json!({ "key": asks, "message": unnumbered })),
        ("messages.upsert", json!({ "key": asks, "message": { "ephemeralMessage": { "message": unnumbered } } })),
        ("messages.delete", json!({ "keys": [key] })),
        ("messages.delete", json!({ "key": asks, "message": revoke })),
        ("messages.edited", json!({ "key": key, "type": "REVOKE" })),
    ] {
        let delete = Content::Delete { message: ProviderMessageId::new("3A00") };
        assert_eq!(contents(name, &data), [delete], "{name} {data}");
    }
    assert_eq!(contents("messages.delete", &json!({ "keys": [key, asks] })).len(), 2);
    for (name, data) in [
        ("messages.update", json!({ "key": key, "update": { "message": null, "status": "READ" } })),
        ("messages.update", json!({ "key": key, "update": { "message": null, "messageStubType": 2 } })),
        (
            "messages.upsert",
            json!({ "key": { "remoteJid": key["remoteJid"], "fromMe": true, "id": "1" }, "messageStubType": 1 }),
        ),
        ("messages.upsert", json!({ "key": key, "message": null, "messageStubType": "CALL_MISSED_VOICE" })),
    ] {
        assert_eq!(contents(name, &data), [], "{name} {data}");
    }
    let undecrypted = json!({ "key": key, "message": null, "messageType": "unknown", "messageStubType": "CIPHERTEXT" });
    assert!(matches!(contents("messages.upsert", &undecrypted)[..], [Content::Unsupported { .. }]));
}

#[test]
fn a_correction_is_read_wherever_it_stands() {
    let key = earlier();
    let words = json!({ "conversation": "quinta" });
    let sent = json!({ "key": { "remoteJid": "553133330000@s.whatsapp.net", "fromMe": true, "id": "3A00" },
        "type": "MESSAGE_EDIT", "editedMessage": words });
    let asks = json!({ "remoteJid": key["remoteJid"], "fromMe": false, "id": "3A09" });
    let nested = json!({ "message": { "protocolMessage": sent } });
    for (name, data) in [
        ("messages.edited", sent.clone()),
        ("messages.edited", json!({ "key": key, "type": 14, "editedMessage": { "message": words } })),
        ("messages.edited", json!({ "key": key, "type": "14", "editedMessage": words })),
        ("messages.edited", json!({ "key": key, "editedMessage": words })),
        ("messages.edited", json!({ "key": key, "editedMessage": { "message": words } })),
        ("messages.edited", json!({ "key": asks, "editedMessage": nested })),
        ("messages.edited", json!({ "key": asks, "message": { "protocolMessage": sent } })),
        ("messages.edited", json!({ "key": asks, "message": { "editedMessage": nested } })),
        ("messages.edited", json!({ "key": key, "message": { "editedMessage": { "message": words } } })),
        ("messages.edited", json!({ "key": key, "message": { "editedMessage": words } })),
        (
            "messages.update",
            json!({ "key": key, "status": "READ", "update": { "message": { "editedMessage": words } } }),
        ),
        (
            "messages.update",
            json!({ "key": key, "update": { "status": "READ", "message": { "editedMessage": words } } }),
        ),
        ("messages.update", json!({ "keyId": "3A00", "status": "READ", "message": { "editedMessage": words } })),
        (
            "messages.upsert",
            json!({ "key": asks, "message": { "protocolMessage": { "key": key, "editedMessage": { "message": words } } } }),
        ),
    ] {
        let now = Box::new(Content::Text { body: "quinta".to_owned() });
        let edit = Content::Edit { message: ProviderMessageId::new("3A00"), content: now };
        assert_eq!(contents(name, &data), [edit], "{name} {data}");
    }
    let both = json!({ "key": key, "status": "READ", "update": { "message": { "editedMessage": words } } });
    assert!(matches!(events("messages.update", &both)[..], [InboundEvent::Status(_), InboundEvent::Message(_)]));
    let delivered = json!({ "keyId": "3A00", "status": "READ", "message": words });
    assert_eq!(contents("messages.update", &delivered), [], "the message that was read corrects nothing");
}

#[test]
fn a_change_is_of_whom_its_key_names_and_never_of_the_business() {
    let number_of = |data: &Value| {
        let [InboundEvent::Message(message)] = &events("messages.edited", data)[..] else { panic!("{data}") };
        message.sender.number.clone()
    };
    let edit = |jid: &str, from_me: bool| {
        json!({ "key": { "remoteJid": jid, "fromMe": from_me, "id": "3A00" }, "type": 14,
            "editedMessage": { "conversation": "quinta" } })
    };
    let theirs = Some(Number::new("554187654321"));
    assert_eq!(number_of(&edit("554187654321@s.whatsapp.net", false)), theirs);
    assert_eq!(number_of(&edit("554187654321@s.whatsapp.net", true)), theirs);
    assert_eq!(number_of(&edit("553133330000@s.whatsapp.net", true)), None, "the chat as its writer has it");
    let bare = json!({ "remoteJid": "554187654321@s.whatsapp.net", "id": "3A00", "editedMessage": { "conversation": "quinta" } });
    assert_eq!(number_of(&bare), theirs);
    let mut hidden = edit("987@lid", false);
    hidden["senderPn"] = json!("554187654321@s.whatsapp.net");
    assert_eq!(number_of(&hidden), theirs);
}

#[test]
fn what_a_telephone_sends_by_itself_is_no_message() {
    for message in [
        json!({ "protocolMessage": { "type": "EPHEMERAL_SETTING", "key": { "id": "1" } } }),
        json!({ "albumMessage": { "expectedImageCount": 2 } }),
        json!({ "senderKeyDistributionMessage": {}, "messageContextInfo": {}, "conversation": null }),
        json!({ "fastRatchetKeySenderKeyDistributionMessage": { "groupId": "1" } }),
        json!({ "messageContextInfo": { "deviceListMetadataVersion": 2 } }),
        json!({ "protocolMessage": { "type": "APP_STATE_SYNC_KEY_SHARE" }, "messageContextInfo": {} }),
        json!({ "pinInChatMessage": { "key": { "id": "1" } } }),
    ] {
        assert!(matches!(read(&upsert(json!({ "message": message }))), InboundEvent::Unknown(_)), "{message}");
    }
    let beside = json!({ "senderKeyDistributionMessage": {}, "eventMessage": { "name": "festa" } });
    assert!(matches!(content_of(beside), Content::Unsupported { .. }), "a person sent the other part");
}

#[test]
fn what_is_quoted_and_forwarded_is_told_with_the_words_that_it_stands_beside() {
    let text = |context: Value| json!({ "extendedTextMessage": { "text": "esse", "contextInfo": context } });
    let quoting = text(json!({ "stanzaId": "BAE5", "quotedMessage": { "conversation": "Qual dia?" } }));
    for message in [quoting.clone(), wrapped(&["ephemeralMessage"], quoting)] {
        let read = message_of(json!({ "message": message }));
        assert_eq!(read.content, Content::Text { body: "esse".to_owned() });
        assert_eq!(read.quoted.unwrap().message, Some(ProviderMessageId::new("BAE5")));
    }
    for (context, forwarded) in [
        (json!({}), Forwarded::No),
        (json!({ "isForwarded": true }), Forwarded::Once),
        (json!({ "isForwarded": true, "forwardingScore": 1 }), Forwarded::Once),
        (json!({ "forwardingScore": 127 }), Forwarded::Often),
    ] {
        assert_eq!(message_of(json!({ "message": text(context.clone()) })).forwarded, forwarded, "{context}");
    }
}

#[test]
fn a_hidden_id_and_a_number_are_one_person_whichever_the_event_uses() {
    let number = "554187654321@s.whatsapp.net";
    for key in [
        json!({ "remoteJid": "987@lid", "id": "1", "senderPn": number }),
        json!({ "remoteJid": "987:4@lid", "id": "1", "remoteJidAlt": "554187654321:2@s.whatsapp.net" }),
        json!({ "remoteJid": number, "id": "1", "senderLid": "987@lid" }),
        json!({ "remoteJid": number, "id": "1", "remoteJidAlt": "987@lid" }),
        json!({ "remoteJid": "1203@g.us", "participant": "987@lid", "id": "1", "participantAlt": number }),
    ] {
        let sender = message_of(json!({ "key": key })).sender;
        assert_eq!(sender.user, Some(UserId::new("987@lid")), "{key}");
        assert_eq!(sender.number, Some(Number::new("554187654321")), "{key}");
    }
    for (jid, name, other) in [
        ("987@lid", "senderPn", number),
        ("987@lid", "remoteJidAlt", number),
        ("987@lid", "participantPn", number),
        (number, "senderLid", "987@lid"),
        (number, "remoteJidAlt", "987:4@lid"),
    ] {
        let sender = message_of(json!({ "key": { "remoteJid": jid, "id": "1" }, name: other })).sender;
        assert_eq!(sender.user, Some(UserId::new("987@lid")), "{name} beside the key");
        assert_eq!(sender.number, Some(Number::new("554187654321")), "{name} beside the key");
    }
    let mut ours = upsert(json!({ "key": { "remoteJid": "987@lid", "fromMe": true, "id": "1" }, "senderPn": number }));
    ours["sender"] = json!("5541987654321@s.whatsapp.net");
    let InboundEvent::Echo(echo) = read(&ours) else { panic!() };
    assert_eq!(echo.to.number, None, "the number is the business's own");
}

#[test]
fn a_card_has_its_numbers_and_a_time_may_come_in_halves() {
    let vcard =
        "BEGIN:VCARD\nFN:Bia\nitem1.TEL;waid=5531999990000:+55 31 99999-0000\nTEL;TYPE=home:31 3222-0000\nEND:VCARD";
    let one = json!({ "displayName": "Bia", "vcard": vcard });
    for message in [json!({ "contactMessage": one }), json!({ "contactsArrayMessage": { "contacts": [one] } })] {
        let Content::ContactCards { cards, own_number: false } = content_of(message) else { panic!() };
        let phones: Vec<&str> = cards[0].phones.iter().map(|phone| phone.written.as_str()).collect();
        assert_eq!(phones, ["+55 31 99999-0000", "31 3222-0000"]);
        assert_eq!(cards[0].phones[0].number, Some(Number::new("5531999990000")));
    }
    let halves = message_of(json!({ "messageTimestamp": { "low": 1_795_182_300, "high": 0, "unsigned": true } }));
    assert_eq!(halves.at.map(|at| at.as_second()), Some(1_795_182_300));
}

#[test]
fn no_delivery_is_lost_for_a_character() {
    let body = upsert(json!({})).to_string();
    for (name, said) in [(r"Jo\ud83d", "Jo\u{fffd}"), ("Jo\n", "Jo\n")] {
        let body = body.replace("João", name);
        let [one] = parse(body.as_bytes(), None, &key()).unwrap().try_into().unwrap();
        assert!(matches!(one, InboundEvent::Message(message) if message.sender.name.as_deref() == Some(said)));
    }
    let broken = [b"\xef\xbb\xbf", body.replace("oi", "o\u{1}").as_bytes()].concat();
    let broken: Vec<u8> = broken.into_iter().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
    let [one] = parse(&broken, None, &key()).unwrap().try_into().unwrap();
    assert!(
        matches!(one, InboundEvent::Message(message) if message.content == Content::Text { body: "o\u{fffd}".to_owned() })
    );
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
