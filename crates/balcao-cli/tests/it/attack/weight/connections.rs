//! Connections that strangers hold, and strangers from many addresses of one network.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use balcao_testkit::fakes::graph::webhooks;
use balcao_testkit::wait::{patiently, until, until_within};

use super::strangers::open;
use super::{has_stayed_small, shop_with, while_health_answers, while_health_answers_once};
use crate::observed::{SECRET, text};
use crate::web_chat::{ORIGIN, Running, exchange};

/// Connections that are opened between two requests for health: fewer than may ask for health alone, because the newest replace the oldest.
const BETWEEN: usize = 8;

/// Holds so many connections: half a request each, or whole ones whose answers are never read. Asks for health while it does.
pub(super) fn fill_all_places(address: &str, connections: usize) -> Vec<TcpStream> {
    let half = "POST /chat/v1/messages HTTP/1.1\r\nhost: x\r\ncontent-le".to_owned();
    let whole = "GET /chat/widget.js HTTP/1.1\r\nhost: x\r\n\r\n".repeat(20);
    let hold = |number: usize| {
        let mut stream = TcpStream::connect(address).unwrap();
        // Who is turned away early cannot write all of it.
        drop(stream.write_all(if number.is_multiple_of(2) { half.as_bytes() } else { whole.as_bytes() }));
        if number.is_multiple_of(BETWEEN) {
            let health = exchange(address, "GET /healthz HTTP/1.1\r\nhost: x", "", None);
            assert!(health.starts_with("HTTP/1.1 200"), "{health}");
        }
        stream
    };
    (0..connections).map(hold).collect()
}

/// Whether the server has a place for one more connection.
pub(super) fn has_room(address: &str) -> bool {
    let answer = exchange(address, "GET /chat/widget.js HTTP/1.1\r\nhost: x", "", None);
    assert!(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 503"), "{answer}");
    answer.starts_with("HTTP/1.1 200")
}

/// Whether the server has not ended a connection on which nothing was answered.
fn is_held(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    stream.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

#[test]
fn h12_under_more_connections_than_open_files_health_answers_and_memory_stays() {
    let shop = shop_with("");
    let server = Running::start_with_files(256, &[], shop.path(), &["serve", "--model", "offline"]);
    let address = server.address();
    while_health_answers(address, |_| {
        let mut held = fill_all_places(address, 400);
        // Health did not wait until the first of them had its time.
        assert!(is_held(&mut held[0]));
        assert!(!has_room(address));
    });
    has_stayed_small(server.id());
}

#[test]
fn h02_who_reads_nothing_and_who_ends_no_headers_is_gone_while_the_client_holds_on() {
    let shop = shop_with("");
    let places = [("BALCAO__SERVER__MAX_CONNECTIONS", "64")];
    let server = Running::start_in(&places, shop.path(), &["serve", "--model", "offline"]);
    let held = fill_all_places(server.address(), 192);
    assert!(!has_room(server.address()), "64 places beside {} connections", held.len());
    // Headers have 15 s, answers 30 s.
    until_within(Duration::from_mins(2), "the program ends them", || has_room(server.address()).then_some(()));
    drop(held);
}

/// An address of a network, by its number.
type AddressOf = fn(usize) -> String;

/// Networks that one attacker may own, and the sixteenths that each may have of what all share.
const NETWORKS: [(&str, AddressOf, usize); 3] = [
    ("a /56", |number| format!("2001:db8:1:23{:02x}::1", number % 256), 3),
    ("a /48", |number| format!("2001:db8:2:{:02x}00::1", number % 256), 4),
    ("a /24", |number| format!("203.0.113.{}", number % 256), 4),
];

/// Streams of the web chat at the same time, and files on their way.
const STREAMS: usize = 512;
const UPLOADS: usize = 128;

/// Asks as a proxy passes it on from an address: the connection, and the status of its answer.
fn ask_from(address: &str, from: &str, head: &str) -> (TcpStream, String) {
    ask_as(address, (b"192.0.2.1", from), head, b"")
}

/// The same of a client that says of itself whence it comes, before its proxy adds the address.
fn ask_as(address: &str, (said, from): (&[u8], &str), head: &str, body: &[u8]) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    patiently(&stream).unwrap();
    let head = format!("{head}\r\nhost: x\r\norigin: {ORIGIN}\r\nx-forwarded-for: ");
    let rest = format!(", {from}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), said, rest.as_bytes(), body].concat()).unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).unwrap();
    (stream, String::from_utf8_lossy(&status[9..]).into_owned())
}

/// A new visitor from an address; none if the server takes no more of them.
fn visitor_from(address: &str, from: &str) -> Option<String> {
    visitor_as(address, (b"192.0.2.1", from))
}

/// The same of a client that says of itself whence it comes.
fn visitor_as(address: &str, from: (&[u8], &str)) -> Option<String> {
    let head = "POST /chat/v1/session HTTP/1.1\r\ncontent-length: 0\r\nconnection: close";
    let (mut stream, status) = ask_as(address, from, head, b"");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(["200", "201", "429"].contains(&status.as_str()), "{status} {rest}");
    let (_, body) = rest.split_once("\r\n\r\n")?;
    serde_json::from_str::<serde_json::Value>(body).unwrap()["token"].as_str().map(str::to_owned)
}

/// All that the addresses of one network get: pages that stay open, and files that come by the byte.
fn hold_from(address: &str, (name, address_of, sixteenths): (&str, AddressOf, usize), number: usize) -> Vec<TcpStream> {
    let visitors: Vec<String> = (0..100).map_while(|one| visitor_from(address, &address_of(one))).collect();
    assert!((10..100).contains(&visitors.len()), "{name} makes {} visitors", visitors.len());
    let mut held = Vec::new();
    for (one, visitor) in visitors.iter().flat_map(|visitor| [visitor; 4]).enumerate() {
        let head = format!("GET /chat/v1/events HTTP/1.1\r\nauthorization: Bearer {visitor}");
        let (stream, status) = ask_from(address, &address_of(one), &head);
        if status == "429" {
            break;
        }
        assert_eq!(status, "200", "{name}");
        held.push(stream);
    }
    assert_eq!(held.len(), STREAMS * sixteenths / 16, "{name}");
    let upload = |one: usize| {
        let (from, visitor) = (address_of(one), &visitors[one % visitors.len()]);
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "POST /chat/v1/files?id=slow-{number:03}-{one:03}&name=a.pdf HTTP/1.1\r\nhost: x\r\nx-forwarded-for: {from}\r\n\
             authorization: Bearer {visitor}\r\ncontent-length: 1000000\r\n\r\n%"
        )
        .unwrap();
        stream
    };
    let mut files: Vec<TcpStream> = (0..UPLOADS).map(upload).collect();
    let refused = UPLOADS - UPLOADS * sixteenths / 16;
    until("the network's part is taken", || {
        (files.iter_mut().map(is_held).filter(|is_held| !is_held).count() >= refused).then_some(())
    });
    held.extend(files);
    held
}

/// A customer of another network writes, sends a file, and is answered.
fn customer_is_served(address: &str, from: &str, number: usize) {
    let visitor = visitor_from(address, from).unwrap();
    let head = |line: &str| {
        format!(
            "{line} HTTP/1.1\r\nhost: x\r\norigin: {ORIGIN}\r\nx-forwarded-for: {from}\r\nauthorization: Bearer {visitor}"
        )
    };
    let message = serde_json::json!({ "id": format!("message-{number}"), "text": "oi" }).to_string();
    let said = exchange(address, &head("POST /chat/v1/messages"), &message, None);
    assert!(said.starts_with("HTTP/1.1 202"), "{said}");
    exchange(address, &head("GET /chat/v1/events"), "", Some("\"author\":\"agent\""));
    let file = head(&format!("POST /chat/v1/files?id=file-{number:03}&name=a.pdf"));
    let sent = exchange(address, &file, "%PDF-1.7", None);
    assert!(sent.starts_with("HTTP/1.1 202"), "{sent}");
}

#[test]
fn h10_under_all_that_wide_networks_get_customers_of_others_are_served_and_memory_stays() {
    let shop = shop_with("");
    let proxies = [("BALCAO__SERVER__TRUSTED_PROXIES", "[\"127.0.0.1/32\"]")];
    let server = Running::start_in(&proxies, shop.path(), &["serve", "--model", "offline"]);
    let address = server.address();
    // Once: a network has its part for a day.
    while_health_answers_once(address, || {
        let mut held = Vec::new();
        for (number, network) in NETWORKS.into_iter().enumerate() {
            held.push(hold_from(address, network, number));
            customer_is_served(address, &format!("198.51.{number}.7"), number);
        }
    });
    has_stayed_small(server.id());
}

/// What a client writes before its proxy's word, so that its address could not be read.
const LIES: [&[u8]; 6] = [b"\xff", b"\xe9", "é".as_bytes(), b"198.51.100.1", b"10.0.0.7", b"unknown"];

#[test]
fn h01_under_addresses_that_no_proxy_wrote_each_limit_of_one_address_holds_and_memory_stays() {
    const FROM: &str = "203.0.113.5";
    const OTHER: (&[u8], &str) = (b"\xff", "198.51.100.7");
    let shop = open(&[("BALCAO__SERVER__TRUSTED_PROXIES", "[\"127.0.0.1/32\"]")]);
    let address = shop.server.address();
    let lie = |number: usize| (LIES[number % LIES.len()], FROM);
    let is_refused = |head: &str| {
        let status = |number: usize| ask_as(address, lie(number), head, b"").1;
        (0..300).map(status).any(|status| status == "429")
    };
    // Once: an address has its part for a day.
    while_health_answers_once(address, || {
        let mut visitors: Vec<String> = (0..100).map_while(|number| visitor_as(address, lie(number))).collect();
        assert!((10..100).contains(&visitors.len()), "{} visitors", visitors.len());
        // Pages of visitors who came from elsewhere count for the address that asks for them.
        visitors.extend((0..20).filter_map(|one| visitor_from(address, &format!("198.51.{one}.7"))));
        let other = visitor_as(address, OTHER).unwrap();
        // Pages that stay open: an eighth of all.
        let page = |visitor: &str| format!("GET /chat/v1/events HTTP/1.1\r\nauthorization: Bearer {visitor}");
        let mut open = Vec::new();
        for (number, visitor) in visitors.iter().flat_map(|visitor| [visitor; 4]).enumerate() {
            let (stream, status) = ask_as(address, lie(number), &page(visitor), b"");
            if status == "429" {
                break;
            }
            open.push(stream);
        }
        assert_eq!(open.len(), STREAMS / 8);
        assert_eq!(ask_as(address, OTHER, &page(&other), b"").1, "200");
        // Wrong keys and wrong signatures: after some they are not looked at.
        assert!(is_refused("GET /v1/contacts HTTP/1.1\r\nauthorization: Bearer balcao_wrong"));
        let key = "GET /v1/contacts HTTP/1.1\r\nauthorization: Bearer balcao_wrong";
        assert_eq!(ask_as(address, OTHER, key, b"").1, "401");
        let wrong = format!("X-Hub-Signature-256: sha256={}", "0".repeat(64));
        assert!(is_refused(&format!("POST /webhooks/whatsapp HTTP/1.1\r\n{wrong}\r\ncontent-length: 0")));
        let body = text("wamid.other", 1, "oi").to_string().into_bytes();
        let (length, signature) = (body.len(), webhooks::sign(SECRET, &body));
        let signed =
            format!("POST /webhooks/whatsapp HTTP/1.1\r\ncontent-length: {length}\r\nX-Hub-Signature-256: {signature}");
        assert_eq!(ask_as(address, OTHER, &signed, &body).1, "200");
    });
    has_stayed_small(shop.server.id());
}
