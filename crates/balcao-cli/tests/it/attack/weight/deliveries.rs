//! What telephones and gateways deliver in odd shapes, and deliveries while memory runs short.

use std::sync::atomic::{AtomicUsize, Ordering};

use balcao_testkit::fakes::evolution::INSTANCE;
use balcao_testkit::fakes::graph::webhooks;
use balcao_testkit::wait::until;
use serde_json::{Value, json};

use super::strangers::{Open, open, status};
use super::{has_stayed_small, while_health_answers};
use crate::observed::{SECRET, post, text};
use crate::web_chat::exchange;

/// Customers of each kind of message.
const CUSTOMERS: usize = 5;

/// What the gateway delivers of an event; its status.
fn deliver(shop: &Open, event: &str, data: &Value) -> Option<u16> {
    let body = json!({ "event": event, "instance": INSTANCE, "data": data }).to_string();
    // Half of a character, as a telephone cuts it.
    let body = body.replace("HALF", r"\ud83d");
    status(shop.server.address(), "POST /webhooks/evolution HTTP/1.1\r\napikey: a webhook key", body.as_bytes())
}

fn message(key: Value, message: &Value) -> Value {
    json!({ "key": key, "pushName": "João HALF", "message": message, "messageTimestamp": webhooks::now().parse::<i64>().unwrap() })
}

/// How many messages the gateway sent to a number, with the ninth digit or without, or to a hidden id.
fn sent_to(shop: &Open, number: &str) -> usize {
    let last = number.get(number.len() - 8..).unwrap();
    shop.gateway.sent().iter().filter(|(_, body)| body["number"].as_str().is_some_and(|to| to.contains(last))).count()
}

#[test]
fn w08_w12_under_deliveries_in_odd_shapes_health_answers_and_each_customer_is_answered() {
    let shop = open(&[]);
    let asks = json!({ "extendedTextMessage": { "text": "que horas abre?", "contextInfo": { "expiration": 86_400 } } });
    let chosen = json!({ "title": "que horas abre?", "listType": 1, "singleSelectReply": { "selectedRowId": "7" } });
    let pressed = json!({ "selectedButtonId": "7", "selectedDisplayText": "que horas abre?" });
    let edit = |id: &str, number: &str| {
        let key = json!({ "remoteJid": format!("{number}@s.whatsapp.net"), "fromMe": true, "id": id });
        json!({ "editedMessage": { "message": { "protocolMessage": { "key": key, "type": "MESSAGE_EDIT",
            "editedMessage": { "conversation": "que horas fecha?" } } } } })
    };
    let shapes = [
        json!({ "conversation": "HALF que horas abre?" }),
        json!({ "ephemeralMessage": { "message": asks } }),
        json!({ "viewOnceMessageV2": { "message": asks } }),
        json!({ "deviceSentMessage": { "message": { "ephemeralMessage": { "message": asks } } } }),
        json!({ "listResponseMessage": chosen }),
        json!({ "buttonsResponseMessage": pressed }),
    ];
    while_health_answers(shop.server.address(), |round| {
        for (shape, customer) in
            shapes.iter().enumerate().flat_map(|(shape, _)| (0..CUSTOMERS).map(move |one| (shape, one)))
        {
            let number = format!("55418{round}{shape:02}{customer:04}");
            let key = |id: &str| json!({ "remoteJid": format!("{number}@s.whatsapp.net"), "fromMe": false, "id": format!("{number}-{id}") });
            assert_eq!(deliver(&shop, "messages.upsert", &message(key("1"), &shapes[shape])), Some(200));
            until("the customer is answered", || (sent_to(&shop, &number) > 0).then_some(()));
            // The words are replaced, and taken back, after they were answered.
            let edited = message(key("2"), &edit(&format!("{number}-1"), &number));
            assert_eq!(deliver(&shop, "messages.upsert", &edited), Some(200));
            let mut gone = key("1");
            gone["status"] = json!("DELETED");
            assert_eq!(deliver(&shop, "messages.delete", &gone), Some(200));
        }
        // One person by a hidden id and by a number.
        for customer in 0..CUSTOMERS {
            let (hidden, number) = (format!("98765{round}99{customer:04}"), format!("55418{round}99{customer:04}"));
            let words = json!({ "conversation": "que horas abre?" });
            for (id, mut key) in [
                json!({ "remoteJid": format!("{hidden}@lid"), "fromMe": false, "senderPn": format!("{number}@s.whatsapp.net") }),
                json!({ "remoteJid": format!("{hidden}@lid"), "fromMe": false }),
            ].into_iter().enumerate() {
                key["id"] = json!(format!("{hidden}-{id}"));
                assert_eq!(deliver(&shop, "messages.upsert", &message(key, &words)), Some(200));
                let sent = || sent_to(&shop, &number) + sent_to(&shop, &hidden);
                until("the person is answered", || (sent() > id).then_some(()));
            }
        }
        // By WhatsApp, half a character.
        for customer in 0..CUSTOMERS {
            let number = u32::try_from(round * CUSTOMERS + customer).unwrap();
            let body = text(&format!("wamid.half.{number}"), number, "HALF que horas abre?").to_string();
            let body = body.replace("HALF", r"\ud83d").into_bytes();
            let head =
                format!("POST /webhooks/whatsapp HTTP/1.1\r\nX-Hub-Signature-256: {}", webhooks::sign(SECRET, &body));
            assert_eq!(status(shop.server.address(), &head, &body), Some(200));
        }
        until("the customers of WhatsApp are answered", || {
            (shop.graph.accepted().len() >= (round + 1) * CUSTOMERS).then_some(())
        });
    });
    has_stayed_small(shop.server.id());
}

/// What the system keeps in memory of a program, in MiB.
fn resident_mib(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? >> 10)
}

#[test]
fn u02_under_a_memory_limit_health_answers_and_what_is_too_much_is_turned_away() {
    let Some(idle) = resident_mib(open(&[]).server.id()) else {
        balcao_testkit::skip("this system does not say how much memory a program uses");
        return;
    };
    // Nothing new is taken in beyond four fifths of it: a little above what an idle server takes.
    let limit = ((idle + 24) * 5 / 4).to_string();
    let shop = open(&[("BALCAO__SERVER__MEMORY_MIB", &limit)]);
    let address = shop.server.address();
    assert_eq!(post(address, &text("wamid.first", 1, "oi"), SECRET).map(|(status, ..)| status), Some(200));
    while_health_answers(address, |round| {
        // Signed bodies of as many contacts as messages, some at the same time, until memory runs short.
        let (next, refused) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let flood = || {
            while refused.load(Ordering::SeqCst) == 0 {
                let number = next.fetch_add(1, Ordering::SeqCst);
                assert!(number < 200, "{number} bodies were taken in");
                let (contacts, messages): (Vec<Value>, Vec<Value>) = (0..8_000)
                    .map(|one| {
                        let from = format!("55319{one:08}");
                        let message = json!({ "from": from, "id": format!("wamid.{round}.{number}"), "timestamp": webhooks::now(),
                            "type": "text", "text": { "body": "x" } });
                        (json!({ "profile": { "name": "x" }, "wa_id": from }), message)
                    })
                    .unzip();
                let body = webhooks::envelope("messages", json!({ "contacts": contacts, "messages": messages }));
                if post(address, &body, SECRET).is_none_or(|(status, ..)| status == 503) {
                    refused.fetch_add(1, Ordering::SeqCst);
                }
            }
        };
        std::thread::scope(|scope| {
            for _client in 0..4 {
                scope.spawn(flood);
            }
        });
        let ready = exchange(address, "GET /readyz HTTP/1.1\r\nhost: x", "", None);
        assert!(ready.starts_with("HTTP/1.1 200") || ready.starts_with("HTTP/1.1 503"), "{ready}");
    });
    has_stayed_small(shop.server.id());
}
