//! What is refused, with words that say why.

use std::time::Duration;

use balcao_web::Limits;
use balcao_web::chat::{ChatLimits, RequestRate};
use serde_json::json;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::world::{ORIGIN, Shop, Visit, body_of, shop, shop_behind, shop_under, shop_with};

#[tokio::test]
async fn what_is_no_message_is_refused_as_a_problem_and_nothing_is_stored() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    let message = |id: &str, text: &str| json!({ "id": id, "text": text }).to_string();
    let cases = [
        (String::new(), 400),
        ("{".to_owned(), 400),
        ("[]".to_owned(), 422),
        (json!(["message-1", "oi"]).to_string(), 422),
        (json!({ "id": 12_345_678, "text": "oi" }).to_string(), 422),
        (json!({ "id": "message-1" }).to_string(), 422),
        (json!({ "id": "message-1", "text": "oi", "as": "staff" }).to_string(), 422),
        (message("short", "oi"), 422),
        (message("not / an id", "oi"), 422),
        (message(&"x".repeat(65), "oi"), 422),
        (message("message-1", " \n\u{0}\u{7} "), 422),
        (message("message-1", &"á".repeat(4_001)), 422),
        (message("message-1", &"x".repeat(40_000)), 413),
    ];
    for (body, expected) in cases {
        let answer = shop.asks("POST", "messages", Some(&ana), &[], &body).await;
        assert_eq!(answer.status().as_u16(), expected, "{body}");
        assert_eq!(answer.headers().get("content-type").unwrap(), "application/problem+json");
        let problem = body_of(answer).await;
        let detail = problem["detail"].as_str().unwrap();
        assert_eq!(problem["status"], expected, "{problem}");
        assert!(!detail.contains("struct") && !detail.contains("deserialize"), "the parser's own words: {problem}");
    }
    let plain = [("content-type", "text/plain")];
    let answer = shop.asks("POST", "messages", Some(&ana), &plain, &message("message-1", "oi")).await;
    assert_eq!(answer.status().as_u16(), 415);
    assert_eq!(shop.asks("DELETE", "messages", Some(&ana), &[], "").await.status().as_u16(), 405);
    assert_eq!((shop.count("inbox").await, shop.count("contact").await), (0, shop.people));
    assert_eq!(shop.writes(&ana, "message-1", &"á".repeat(4_000)).await.0, 202);
}

#[tokio::test]
async fn a_visitor_who_writes_too_fast_is_told_when_to_come_again_and_others_are_not_touched() {
    let limits =
        ChatLimits { messages: RequestRate { burst: 3, every: Duration::from_secs(5) }, ..ChatLimits::default() };
    let shop = shop_with([], limits).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    for number in 0..3 {
        assert_eq!(shop.writes(&ana, &format!("message-{number}"), "oi").await.0, 202);
    }
    let body = json!({ "id": "message-3", "text": "oi" }).to_string();
    let answer = shop.asks("POST", "messages", Some(&ana), &[], &body).await;
    assert_eq!(answer.status().as_u16(), 429);
    assert_eq!(answer.headers().get("retry-after").unwrap(), "6");
    assert_eq!(shop.writes(&bia, "message-0", "oi").await.0, 202);
    assert_eq!(shop.count("inbox").await, 4);
    shop.pass(6);
    assert_eq!(shop.writes(&ana, "message-3", "oi").await.0, 202);
}

/// Whether a page of an allowed origin may read an answer, when it was told to come again, and what the browser asked before.
async fn read_by_the_page(shop: &Shop, visitor: &Visit) -> (u16, Option<String>) {
    let origin = [("origin", ORIGIN)];
    let before = shop.asks("OPTIONS", "messages", None, &origin, "").await;
    assert_eq!(
        (before.status().as_u16(), before.headers()["access-control-allow-origin"].to_str().unwrap()),
        (204, ORIGIN)
    );
    let body = json!({ "id": "message-x", "text": "oi" }).to_string();
    let answer = shop.asks("POST", "messages", Some(visitor), &origin, &body).await;
    let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    assert_eq!(header("access-control-allow-origin").as_deref(), Some(ORIGIN));
    assert_eq!(header("access-control-expose-headers").as_deref(), Some("retry-after"));
    assert_eq!(header("vary").as_deref(), Some("origin"));
    (answer.status().as_u16(), header("retry-after"))
}

#[tokio::test]
async fn a_page_of_another_origin_reads_when_it_may_come_again_whatever_limit_says_so() {
    let full = shop_under(Limits { waiting: 1, ..Limits::default() }, [], ChatLimits::default(), &[]).await;
    let ana = full.visitor().await;
    assert_eq!(read_by_the_page(&full, &ana).await, (202, None));
    full.watch.look(full.chats.app()).await.unwrap();
    assert_eq!(read_by_the_page(&full, &ana).await, (429, Some("30".to_owned())));
    let nowhere = full.asks("POST", "nothing", None, &[("origin", ORIGIN)], "").await;
    assert_eq!(
        (nowhere.status().as_u16(), nowhere.headers()["access-control-allow-origin"].to_str().unwrap()),
        (404, ORIGIN)
    );
    let small = shop_under(Limits { memory: Some(1), ..Limits::default() }, [], ChatLimits::default(), &[]).await;
    assert_eq!(read_by_the_page(&small, &ana).await, (503, Some("10".to_owned())));
    // Nobody else reads it.
    let other = small.asks("POST", "messages", Some(&ana), &[("origin", "https://evil.example")], "").await;
    assert_eq!((other.status().as_u16(), other.headers().get("access-control-allow-origin")), (403, None));
}

#[tokio::test]
async fn new_visitors_are_taken_in_at_a_pace() {
    let limits =
        ChatLimits { visitors: RequestRate { burst: 2, every: Duration::from_secs(1) }, ..ChatLimits::default() };
    let shop = shop_with([], limits).await;
    let ana = shop.visitor().await;
    shop.visitor().await;
    assert_eq!(shop.asks("POST", "session", None, &[], "").await.status().as_u16(), 429);
    assert_eq!(shop.asks("POST", "session", Some(&ana), &[], "").await.status().as_u16(), 200, "who is known may come");
}

#[tokio::test]
async fn a_visitor_has_so_many_pages_open_and_a_closed_one_makes_room() {
    let limits = ChatLimits { streams_per_visitor: 2, streams: 3, ..ChatLimits::default() };
    let shop = shop_with([], limits).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    let pages = [shop.listens(&ana, None).await, shop.listens(&ana, None).await];
    assert_eq!(shop.opens(&ana, None).await.status().as_u16(), 429);
    let _other = shop.listens(&bia, None).await;
    assert_eq!(shop.opens(&bia, None).await.status().as_u16(), 429, "three are all that there may be");
    drop(pages);
    assert_eq!(shop.opens(&bia, None).await.status().as_u16(), 200);
}

/// Opens a page of the visitor as a proxy passes it on for this address, and gives the status.
async fn opens_from(at: std::net::SocketAddr, visitor: &Visit, from: &str) -> (TcpStream, String) {
    asks_from(at, "GET /chat/v1/events", &format!("authorization: Bearer {}", visitor.token), from).await
}

/// Begins a session as somebody new at this address, and gives the status.
async fn comes_from(at: std::net::SocketAddr, from: &str) -> String {
    asks_from(at, "POST /chat/v1/session", "content-length: 0", from).await.1
}

async fn asks_from(at: std::net::SocketAddr, what: &str, header: &str, from: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let head = format!("{what} HTTP/1.1\r\nhost: x\r\nX-Forwarded-For: {from}\r\n{header}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    (stream, String::from_utf8_lossy(&status).into_owned())
}

#[tokio::test]
async fn a_51_one_address_with_many_visitors_leaves_pages_for_others() {
    let limits = ChatLimits { streams: 16, ..ChatLimits::default() };
    let shop = shop_behind([], limits, &["127.0.0.1/32"]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(balcao_web::serve(listener, shop.router.clone(), balcao_web::Limits::default(), shop.stop.clone()));
    let mut open = Vec::new();
    for _ in 0..2 {
        let (page, status) = opens_from(at, &shop.visitor().await, "203.0.113.9").await;
        assert_eq!(status, "HTTP/1.1 200");
        open.push(page);
    }
    let visitor = shop.visitor().await;
    assert_eq!(opens_from(at, &visitor, "203.0.113.9").await.1, "HTTP/1.1 429");
    let (_page, status) = opens_from(at, &visitor, "203.0.113.10").await;
    assert_eq!(status, "HTTP/1.1 200");
}

#[tokio::test]
async fn a_51_an_address_that_makes_visitors_without_end_keeps_no_visitor_of_another_out() {
    let one = RequestRate { burst: 2, every: Duration::from_secs(1) };
    let all = RequestRate { burst: 4, every: Duration::from_secs(1) };
    let limits = ChatLimits { visitors_of_one: one, visitors: all, ..ChatLimits::default() };
    let shop = shop_behind([], limits, &["127.0.0.1/32"]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(balcao_web::serve(listener, shop.router.clone(), balcao_web::Limits::default(), shop.stop.clone()));
    for status in ["201", "201", "429", "429", "429"] {
        assert_eq!(comes_from(at, "203.0.113.9").await, format!("HTTP/1.1 {status}"));
    }
    // What was refused to one is not counted for all; only behind it stands the wall for all.
    for (from, status) in [("203.0.113.10", "201"), ("203.0.113.11", "201"), ("203.0.113.12", "429")] {
        assert_eq!(comes_from(at, from).await, format!("HTTP/1.1 {status}"), "{from}");
    }
    shop.pass(2);
    assert_eq!(comes_from(at, "203.0.113.12").await, "HTTP/1.1 201");
}
