use std::sync::atomic::{AtomicUsize, Ordering};

use axum::routing::get;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::*;

#[test]
fn a_51_no_address_holds_all_connections_and_proxies_and_neighbours_may() {
    let door = Door::new(16, vec!["198.51.100.0/24".parse().unwrap()]);
    let lets = |peer: &str| door.lets_in(peer.parse().unwrap());
    let held = [lets("203.0.113.9").unwrap(), lets("::ffff:203.0.113.9").unwrap()];
    assert_eq!(lets("203.0.113.9").unwrap_err(), QuotaExceeded::PerClient);
    assert!(lets("203.0.113.10").unwrap().is_some());
    for many in ["198.51.100.7", "127.0.0.1", "10.1.2.3", "::1"] {
        let all: Vec<_> = (0..16).map(|_| lets(many).unwrap()).collect();
        assert!(all.iter().all(Option::is_none), "{many}");
    }
    drop(held);
    assert!(lets("203.0.113.9").is_ok());
    let _network = [lets("2001:db8:1:2::1").unwrap(), lets("2001:db8:1:2::2").unwrap()];
    assert!(lets("2001:db8:1:2::3").is_err(), "whoever has an address of IPv6 has many");
    let _site = lets("2001:db8:1:3::1").unwrap();
    assert!(lets("2001:db8:1:4::1").is_err(), "whoever has a /56 has many of these");
    let _wide = lets("2001:db8:1:1003::1").unwrap();
    assert!(lets("2001:db8:1:2003::1").is_err(), "and a /48 has many of those");
}

/// Bytes of an answer.
const WHOLE: usize = 200_000;

/// A server whose answers are large, at the other end of bytes in memory; and how often it was asked.
fn spoken(limits: &Limits) -> (DuplexStream, Arc<AtomicUsize>, JoinSet<()>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let large = get(move || async move {
        counted.fetch_add(1, Ordering::Relaxed);
        "x".repeat(WHOLE)
    });
    let (ours, theirs) = tokio::io::duplex(1_024);
    let peer = Peer("203.0.113.9:4711".parse().unwrap());
    let served = connection(theirs, peer, May::All, Router::new().route("/", large), limits);
    let mut tasks = JoinSet::new();
    tasks.spawn(async { drop(served.await) });
    (ours, asked, tasks)
}

/// Reads so many bytes a second until the server ends the connection; gives how many came, and within how many seconds.
async fn reads(mut stream: DuplexStream, a_second: usize) -> (usize, u64) {
    let (began, mut came, mut piece) = (Instant::now(), 0, vec![0; a_second]);
    loop {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return (came, began.elapsed().as_secs()),
            Ok(read) => came += read,
        }
        sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn h02_whoever_takes_an_answer_by_the_byte_is_gone_and_whoever_is_slow_gets_it() {
    let limits = Limits::default();
    for (a_second, whole) in [(1, false), (900, false), (2_000, true)] {
        let (mut stream, _, _tasks) = spoken(&limits);
        stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        let (came, within) = reads(stream, a_second).await;
        assert_eq!(came > WHOLE, whole, "{a_second} bytes a second: {came} in {within} s");
        if !whole {
            // What was on its way is read to its end.
            let rest = u64::try_from(1_024 / a_second).unwrap() + 3;
            assert!(within <= limits.answer_time.as_secs() + rest, "{within}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn h02_whoever_reads_nothing_holds_a_connection_for_its_time_alone() {
    let limits = Limits::default();
    let (mut stream, _, mut tasks) = spoken(&limits);
    stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let began = Instant::now();
    tasks.join_next().await.unwrap().unwrap();
    assert_eq!(began.elapsed(), limits.answer_time);
}

#[tokio::test(start_paused = true)]
async fn h02_what_is_asked_behind_an_unread_answer_waits_for_it() {
    let (mut stream, asked, _tasks) = spoken(&Limits::default());
    let last = "GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    let all = ["GET / HTTP/1.1\r\nhost: x\r\n\r\n".repeat(9), last.to_owned()].concat();
    stream.write_all(all.as_bytes()).await.unwrap();
    // Longer than nothing, and shorter than the time that an answer may wait.
    sleep(Duration::from_secs(10)).await;
    assert_eq!(asked.load(Ordering::Relaxed), 1, "nine more were asked for");
    let mut answers = Vec::new();
    stream.read_to_end(&mut answers).await.unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 10);
    assert!(answers.len() > 10 * WHOLE);
}
