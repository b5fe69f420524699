//! What strangers send to the door.

use std::io::{Read, Write};
use std::net::TcpStream;

use balcao_testkit::fakes::evolution::{FakeEvolution, INSTANCE, KEY};
use balcao_testkit::fakes::graph::{ACCOUNT, FakeGraph, TOKEN, webhooks};
use balcao_testkit::wait::until;
use serde_json::{Value, json};

use super::connections::{fill_all_places, has_room};
use super::{has_stayed_small, shop_with, while_health_answers};
use crate::observed::{SECRET, post, request};
use crate::ops_served::{WEBHOOK, clickup_config, delivery_of, signed};
use crate::web_chat::{ORIGIN, Running, exchange, read, token, write};

/// Connections that the shop takes at the same time.
const PLACES: usize = 64;

/// A shop with all channels and a pack that takes deliveries, served.
pub(super) struct Open {
    pub(super) graph: FakeGraph,
    pub(super) gateway: FakeEvolution,
    _folder: tempfile::TempDir,
    pub(super) server: Running,
}

/// Such a shop, with more in its environment.
pub(super) fn open(more: &[(&str, &str)]) -> Open {
    let (graph, gateway) = (FakeGraph::start().unwrap(), FakeEvolution::start().unwrap());
    let folder = shop_with(&format!(
        "[whatsapp]\naccount = \"{ACCOUNT}\"\nbusiness = \"{}\"\nbase_url = \"{}\"\n\
         [evolution]\ninstance = \"{INSTANCE}\"\nbase_url = \"{}\"\n{}",
        webhooks::BUSINESS,
        graph.url(),
        gateway.url(),
        clickup_config()
    ));
    let secrets = [
        ("BALCAO__WHATSAPP__TOKEN", TOKEN),
        ("BALCAO__WHATSAPP__APP_SECRET", SECRET),
        ("BALCAO__WHATSAPP__VERIFY_TOKEN", "a verify token"),
        ("BALCAO__EVOLUTION__TOKEN", KEY),
        ("BALCAO__EVOLUTION__SECRET", "a webhook key"),
        ("CLICKUP_TOKEN", "a token of ClickUp"),
        ("CLICKUP_WEBHOOK_SECRET", WEBHOOK),
    ];
    let environment = [&secrets[..], more].concat();
    let server = Running::start_in(&environment, folder.path(), &["serve", "--model", "offline"]);
    Open { graph, gateway, _folder: folder, server }
}

/// The status of a request with a body; none where the connection ended before all of the body was written.
pub(super) fn status(address: &str, head: &str, body: &[u8]) -> Option<u16> {
    let head = format!("{head}\r\ncontent-type: application/json\r\ncontent-length: {}", body.len());
    request(address, &head, body).map(|(status, ..)| status)
}

/// The status of a file that is sent. Who is refused early cannot write all of it, and may read the answer all the same.
fn uploads(address: &str, head: &str, file: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    let length = file.len();
    write!(stream, "{head}\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n").ok()?;
    drop(stream.write_all(file));
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).split(' ').nth(1)?.parse().ok()
}

/// As many values as so many bytes hold.
pub(super) fn many_values(bytes: usize) -> String {
    let one = "{\"\":0},";
    format!("[{}0]", one.repeat(bytes / one.len()))
}

#[test]
fn u07_under_what_strangers_send_health_answers_and_memory_stays() {
    let shop = open(&[("BALCAO__SERVER__MAX_CONNECTIONS", &PLACES.to_string())]);
    let address = shop.server.address();
    let visitor = token(address);
    while_health_answers(address, |number| {
        // As many days as the 4,000 characters of one message hold: eight hundred and more.
        let days: Vec<String> = (0..856).map(|day| format!("{}/{}", day % 28 + 1, day % 9 + 1)).collect();
        let days = days.join(" ");
        assert!((3_900..=4_000).contains(&days.len()), "{}", days.len());
        let said = write(address, &visitor, &format!("message-days-{number}"), &days);
        assert!(said.starts_with("HTTP/1.1 202"), "{said}");
        read(address, &visitor, "\"author\":\"agent\"");
    });
    while_health_answers(address, |_| {
        let held = fill_all_places(address, 3 * PLACES);
        assert!(!has_room(address), "{PLACES} places beside {} connections", held.len());
        drop(held);
        until("a place is free again", || has_room(address).then_some(()));
    });
    while_health_answers(address, |_| {
        // Bodies of as many values as fit, which are no delivery. Who is refused early may not have written all of its body.
        let wrong = format!("X-Hub-Signature-256: sha256={}", "0".repeat(64));
        for (head, bytes, refused) in [
            (format!("POST /webhooks/whatsapp HTTP/1.1\r\n{wrong}"), 2_800_000, 401),
            ("POST /webhooks/evolution HTTP/1.1".to_owned(), 250_000, 401),
            ("POST /webhooks/packs/up HTTP/1.1".to_owned(), 1_000_000, 404),
            ("POST /chat/v1/messages HTTP/1.1".to_owned(), 2_800_000, 401),
        ] {
            let found = status(address, &head, many_values(bytes).as_bytes());
            assert!(found.is_none_or(|found| found == refused), "{head}: {found:?}");
        }
        // Signed, and of too many values: it is read no further than they are counted.
        let body = many_values(2_800_000).into_bytes();
        let signature = webhooks::sign(SECRET, &body);
        let head = format!("POST /webhooks/whatsapp HTTP/1.1\r\nX-Hub-Signature-256: {signature}");
        assert_eq!(status(address, &head, &body), Some(413));
        // To the route of a pack, signed: too many values, and nearly as many as there may be, which its helper reads.
        for (values, expected) in [(200_001, 400), (199_000, 200)] {
            let body = delivery_of(values);
            let head = format!("POST /webhooks/packs/clickup HTTP/1.1\r\nX-Signature: {}", signed(&body));
            assert_eq!(status(address, &head, body.as_bytes()), Some(expected), "{values}");
        }
    });
    while_health_answers(address, |number| {
        // A signed body of as many contacts as messages.
        let (contacts, messages): (Vec<Value>, Vec<Value>) = (0..8_000)
            .map(|one| {
                let from = format!("55319{one:08}");
                let message = json!({"from": from, "id": format!("wamid.{number}"), "timestamp": webhooks::now(), "type": "text", "text": {"body": "x"}});
                (json!({"profile": {"name": "x"}, "wa_id": from}), message)
            })
            .unzip();
        let body = webhooks::envelope("messages", json!({"contacts": contacts, "messages": messages}));
        assert_eq!(post(address, &body, SECRET).map(|(status, ..)| status), Some(200));
    });
    while_health_answers(address, |number| {
        // Without a host, or with two; a key twice; addresses that no proxy wrote; visitors without end.
        for head in ["GET /chat/widget.js HTTP/1.1\r\n", "GET /chat/widget.js HTTP/1.1\r\nhost: x\r\nhost: y\r\n"] {
            for _ in 0..50 {
                assert_eq!(first_status(address, &format!("{head}connection: close\r\n\r\n")), Some(400), "{head}");
            }
        }
        let twice = format!("{{\"id\":\"message-twice-{number}\",\"text\":\"oi\",\"text\":\"tchau\"}}");
        let head = format!("POST /chat/v1/messages HTTP/1.1\r\norigin: {ORIGIN}\r\nauthorization: Bearer {visitor}");
        assert_eq!(status(address, &head, twice.as_bytes()), Some(400));
        for one in 0..100 {
            let forged = format!("203.0.113.{one}, 2001:db8:{one:x}::1, unknown");
            let head =
                format!("POST /chat/v1/session HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\nx-forwarded-for: {forged}");
            let answer = exchange(address, &head, "", None);
            let status = answer.get(9..12).unwrap_or_default();
            assert!(["200", "201", "429"].contains(&status), "{answer}");
        }
    });
    has_stayed_small(shop.server.id());
}

/// The status of a request that is sent as it stands.
fn first_status(address: &str, whole: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(whole.as_bytes()).ok()?;
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer));
    String::from_utf8_lossy(&answer).split(' ').nth(1)?.parse().ok()
}

#[test]
fn u09_under_files_of_strangers_health_answers_and_memory_stays() {
    let shop = open(&[("BALCAO__SERVER__MAX_CONNECTIONS", &PLACES.to_string())]);
    let address = shop.server.address();
    let head = |visitor: &str, id: &str| {
        format!("POST /chat/v1/files?id={id}&name=a.pdf HTTP/1.1\r\nauthorization: Bearer {visitor}")
    };
    while_health_answers(address, |number| {
        // As many and as large as they may be, until no more are taken.
        let visitor = token(address);
        let file = [&b"%PDF-1.7\n"[..], &vec![b'x'; (5 << 20) - 64]].concat();
        let sent: Vec<Option<u16>> = (0..16)
            .map(|one| uploads(address, &head(&visitor, &format!("file-{number:03}-{one:03}")), &file))
            .collect();
        assert!(sent.contains(&Some(202)) && sent.contains(&Some(429)), "{sent:?}");
    });
    while_health_answers(address, |number| {
        // By the byte, as many as an address may have on their way and more.
        let visitor = token(address);
        let held: Vec<TcpStream> = (0..40)
            .filter_map(|one| {
                let mut stream = TcpStream::connect(address).ok()?;
                let head = head(&visitor, &format!("slow-{number:03}-{one:03}"));
                write!(stream, "{head}\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n%").ok()?;
                Some(stream)
            })
            .collect();
        assert!(held.len() > 30, "{}", held.len());
        let said = write(address, &token(address), "message-1", "oi");
        assert!(said.starts_with("HTTP/1.1 202"), "{said}");
    });
    has_stayed_small(shop.server.id());
}
