//! Bytes on a real connection: what is slow or large, and how the server stops.

use std::net::SocketAddr;

use balcao_testkit::wait;
use balcao_web::{Limits, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{Instant, pause};
use tokio_util::sync::CancellationToken;

use crate::shop_with;

async fn listening(limits: Limits) -> (SocketAddr, CancellationToken, JoinHandle<()>) {
    let shop = shop_with(limits, true).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (address, stop) = (listener.local_addr().unwrap(), shop.stop.clone());
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(serve(listener, shop.router, limits, stop.clone()));
    let served = async move { tasks.join_next().await.unwrap().unwrap() };
    let handle = tokio::runtime::Handle::current().spawn(served);
    (address, stop, handle)
}

/// Sends these bytes, and reads until the server closes.
async fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // A server that refuses early does not read everything.
    drop(stream.write_all(bytes).await);
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).into_owned()
}

/// A webhook that shows a signature of the right form, of whatever it turns out to hold.
fn claiming(rest: &str) -> Vec<u8> {
    let digits = "0".repeat(64);
    format!("POST /webhooks/whatsapp HTTP/1.1\r\nhost: x\r\nX-Hub-Signature-256: sha256={digits}\r\n{rest}")
        .into_bytes()
}

#[tokio::test]
async fn a_45_what_shows_no_signature_is_refused_before_its_body_is_read() {
    let (address, ..) = listening(Limits::default()).await;
    // No limit passes: what is answered now was not waited for.
    let _time = wait::stand();
    let close = "connection: close\r\ncontent-length: 100\r\n\r\n";
    let digits = "0".repeat(64);
    let twice = format!("X-Hub-Signature-256: sha256={digits}\r\nX-Hub-Signature-256: sha256={digits}\r\n");
    for signature in ["", "X-Hub-Signature-256: sha256=00\r\n", "X-Hub-Signature: sha1=abc\r\n", &twice] {
        // None of the hundred bytes comes.
        let head = format!("POST /webhooks/whatsapp HTTP/1.1\r\nhost: x\r\n{signature}{close}");
        assert!(exchange(address, head.as_bytes()).await.contains("HTTP/1.1 401"), "{signature}");
    }
}

#[tokio::test]
async fn f_31_what_is_announced_to_be_too_large_is_refused_before_it_comes() {
    let (address, ..) = listening(Limits::default()).await;
    let _time = wait::stand();
    let head = claiming("content-length: 3145729\r\nconnection: close\r\n\r\n");
    assert!(exchange(address, &head).await.contains("HTTP/1.1 413"));
    // Nobody says how long this one is; it does not end, and is not waited for.
    let piece = format!("80000\r\n{}\r\n", " ".repeat(0x8_0000));
    let endless = claiming(&format!("transfer-encoding: chunked\r\n\r\n{}", piece.repeat(7)));
    assert!(exchange(address, &endless).await.contains("HTTP/1.1 413"));
}

#[tokio::test]
async fn headers_that_never_end_are_cut_off() {
    let limits = Limits::default();
    let (address, ..) = listening(limits).await;
    // From here on both ends wait for nothing but each other, and time jumps to the server's limits.
    pause();
    let began = Instant::now();
    let answer = exchange(address, b"GET /healthz HTTP/1.1\r\nhost: x\r\nslow: ").await;
    assert!(answer.is_empty() || answer.contains("408"), "{answer}");
    assert_eq!(began.elapsed().as_secs(), limits.header_time.as_secs());
}

#[tokio::test]
async fn a_body_that_never_ends_is_cut_off() {
    let limits = Limits::default();
    let (address, ..) = listening(limits).await;
    pause();
    let began = Instant::now();
    let head = &claiming("content-length: 100\r\nconnection: close\r\n\r\n{");
    let answer = exchange(address, head).await;
    assert!(answer.contains("HTTP/1.1 408"), "{answer}");
    assert_eq!(began.elapsed().as_secs(), limits.body_time.as_secs());
}

#[tokio::test]
async fn headers_that_are_too_large_or_too_many_are_refused() {
    let (address, ..) = listening(Limits::default()).await;
    let large = format!("GET /healthz HTTP/1.1\r\nhost: x\r\nlarge: {}\r\n\r\n", "x".repeat(64 * 1024));
    assert!(exchange(address, large.as_bytes()).await.contains("HTTP/1.1 431"));
    let many = "many: x\r\n".repeat(100);
    let many = format!("GET /healthz HTTP/1.1\r\nhost: x\r\n{many}\r\n");
    assert!(exchange(address, many.as_bytes()).await.contains("HTTP/1.1 431"));
}

#[tokio::test]
async fn who_was_being_answered_is_answered_before_the_server_stops() {
    let (address, stop, served) = listening(Limits::default()).await;
    let _time = wait::stand();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(&claiming("content-length: 2\r\n\r\n{")).await.unwrap();
    // One request that was answered on another connection: the server has seen this one, too.
    let health = exchange(address, b"GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await;
    assert!(health.contains("200 OK"));
    stop.cancel();
    stream.write_all(b"}").await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(String::from_utf8_lossy(&answer).contains("HTTP/1.1 401"));
    served.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn h12_health_is_answered_under_any_number_of_held_connections() {
    let limits = Limits { connections: 8, ..Limits::default() };
    let (address, ..) = listening(limits).await;
    let _time = wait::stand();
    let mut held = Vec::new();
    for _ in 0..120 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nslow: ").await.unwrap();
        held.push(stream);
    }
    let ask = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").into_bytes();
    for _ in 0..3 {
        for path in ["/healthz", "/readyz"] {
            let answer = exchange(address, &ask(path)).await;
            assert!(answer.contains("HTTP/1.1 200"), "{path}: {answer}");
        }
        let full = exchange(address, &ask("/v1/openapi.json")).await;
        assert!(full.contains("HTTP/1.1 503") && full.contains("retry-after: 1"), "{full}");
        assert!(full.contains("x-content-type-options: nosniff"), "{full}");
    }
    // A place that is free again is anybody's.
    drop(held);
    while exchange(address, b"GET /nothing HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.contains(" 503 ") {}
}

#[tokio::test]
async fn h12_a_connection_beyond_all_places_lasts_for_five_seconds() {
    let limits = Limits { connections: 1, ..Limits::default() };
    let (address, ..) = listening(limits).await;
    let time = wait::stand();
    let began = Instant::now();
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\nslow: ").await.unwrap();
        held.push(stream);
    }
    // Answered after them: both were accepted.
    assert!(exchange(address, b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await.contains("HTTP/1.1 200"));
    drop(time);
    let mut lasted = Vec::new();
    for mut stream in held.into_iter().rev() {
        drop(stream.read_to_end(&mut Vec::new()).await);
        lasted.push(began.elapsed().as_secs());
    }
    assert_eq!(lasted, [5, limits.header_time.as_secs()]);
}

#[tokio::test]
async fn h13_without_one_host_nothing_is_answered() {
    let (address, ..) = listening(Limits::default()).await;
    for (hosts, status) in [("", 400), ("host: a\r\nhost: b\r\n", 400), ("host: a\r\n", 200)] {
        let head = format!("GET /healthz HTTP/1.1\r\n{hosts}connection: close\r\n\r\n");
        let answer = exchange(address, head.as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
    assert!(exchange(address, b"GET /healthz HTTP/1.0\r\n\r\n").await.contains(" 200 "));
}
