//! Strangers at the chat's door who hide where they come from, or come from many places at once.

use std::net::SocketAddr;
use std::time::Duration;

use balcao_web::Limits;
use balcao_web::chat::{ChatLimits, RequestRate};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::world::{Shop, shop_behind};
use crate::NETWORKS;

/// The shop on a real connection, behind a proxy on this machine.
async fn behind_a_proxy(limits: ChatLimits) -> (Shop, SocketAddr, JoinSet<()>) {
    served(shop_behind([], limits, &["127.0.0.1/32"]).await).await
}

/// The shop on a real connection.
pub(super) async fn served(shop: Shop) -> (Shop, SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(balcao_web::serve(listener, shop.router.clone(), Limits::default(), shop.stop.clone()));
    (shop, at, tasks)
}

/// Asks as a proxy passes it on that adds `from` to what the client said of itself; gives the connection and the status.
async fn asks(at: SocketAddr, head: &str, said: &[u8], from: &str) -> (TcpStream, String) {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let rest = format!(", {from}\r\n\r\n");
    let bytes = [format!("{head}\r\nhost: x\r\nX-Forwarded-For: ").as_bytes(), said, rest.as_bytes()].concat();
    stream.write_all(&bytes).await.unwrap();
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.unwrap();
    (stream, String::from_utf8_lossy(&status).into_owned())
}

pub(super) async fn comes(at: SocketAddr, said: &[u8], from: &str) -> String {
    let status = asks(at, "POST /chat/v1/session HTTP/1.1\r\ncontent-length: 0", said, from).await.1;
    status.replace("HTTP/1.1 ", "")
}

#[tokio::test]
async fn h01_what_a_client_writes_before_the_proxys_word_hides_it_from_no_limit() {
    let limits = ChatLimits {
        visitors_of_one: RequestRate { burst: 2, every: Duration::from_secs(2) },
        streams: 16,
        ..ChatLimits::default()
    };
    let (shop, at, _tasks) = behind_a_proxy(limits).await;
    let lies = [&b"\xff"[..], "é".as_bytes(), b"198.51.100.1", b"10.0.0.7", b"unknown"];
    // New visitors: two, whatever each of them says of itself.
    let mut came = Vec::new();
    for said in lies {
        came.push(comes(at, said, "203.0.113.5").await);
    }
    assert_eq!(came, ["201", "201", "429", "429", "429"]);
    assert_eq!(comes(at, b"203.0.113.5", "192.0.2.7:4711").await, "201", "somebody else, by a proxy that writes ports");
    // Pages: an eighth.
    let mut open = Vec::new();
    for said in lies {
        let visitor = shop.visitor().await;
        let head = format!("GET /chat/v1/events HTTP/1.1\r\nauthorization: Bearer {}", visitor.token);
        open.push(asks(at, &head, said, "203.0.113.5").await);
    }
    let opened: Vec<&str> = open.iter().map(|(_, status)| status.trim_start_matches("HTTP/1.1 ")).collect();
    assert_eq!(opened, ["200", "200", "429", "429", "429"]);
    // Wrong keys: the thirty-first is not looked at.
    let mut last = String::new();
    for _ in 0..31 {
        let head = "GET /chat/v1/events HTTP/1.1\r\nauthorization: Bearer wrong";
        last = asks(at, head, b"\xff", "203.0.113.77").await.1;
    }
    assert!(last.ends_with("429"), "{last}");
}

#[tokio::test]
async fn h01_all_whose_address_cannot_be_read_are_counted_as_one() {
    let limits = ChatLimits {
        visitors_of_one: RequestRate { burst: 2, every: Duration::from_secs(2) },
        ..ChatLimits::default()
    };
    let (_shop, at, _tasks) = behind_a_proxy(limits).await;
    let mut came = Vec::new();
    for unread in ["nobody", "", "203.0.113", "unix:"] {
        came.push(comes(at, b"203.0.113.5", unread).await);
    }
    assert_eq!(came, ["201", "201", "429", "429"]);
    assert_eq!(comes(at, b"x", "203.0.113.5").await, "201", "whoever can be told apart is not among them");
}

#[tokio::test]
async fn h10_a_network_of_many_addresses_leaves_room_for_newcomers_of_others() {
    let (_shop, at, _tasks) = behind_a_proxy(ChatLimits::default()).await;
    let mut let_in = 0;
    for number in 0..100 {
        // Each of another /64, and every fourth of another /56, of one /48.
        let from = format!("2001:db8:1:{:x}{:02x}::1", number / 4, number % 4);
        if comes(at, b"x", &from).await == "201" {
            let_in += 1;
        }
    }
    assert_eq!(let_in, 75, "an eighth of what all may be");
    for number in 0..40 {
        assert_eq!(comes(at, b"x", &format!("198.51.{number}.7")).await, "201");
    }
}

#[tokio::test]
async fn h10_the_networks_around_an_address_make_no_more_than_a_few_times_as_many_visitors() {
    let limits = ChatLimits {
        visitors_of_one: RequestRate { burst: 2, every: Duration::from_secs(60) },
        ..ChatLimits::default()
    };
    let (_shop, at, _tasks) = behind_a_proxy(limits).await;
    for (network, addresses, times) in NETWORKS {
        for number in 0..=2 * times {
            let status = if number < 2 * times { "201" } else { "429" };
            assert_eq!(comes(at, b"x", &addresses(number)).await, status, "{network} {number}");
        }
    }
    assert_eq!(comes(at, b"x", "198.51.100.7").await, "201", "another network");
}

/// Begins to send a file of so many bytes for an address: what of it comes at once.
async fn uploads(
    at: SocketAddr,
    shop: &Shop,
    from: &str,
    number: usize,
    (bytes, at_once): (usize, &[u8]),
) -> TcpStream {
    let token = shop.visitor().await.token;
    let head = format!(
        "POST /chat/v1/files?id=file-{number:04}&name=a.pdf HTTP/1.1\r\nhost: x\r\nX-Forwarded-For: {from}\r\n\
         authorization: Bearer {token}\r\nconnection: close\r\ncontent-length: {bytes}\r\n\r\n"
    );
    let mut stream = TcpStream::connect(at).await.unwrap();
    stream.write_all(&[head.as_bytes(), at_once].concat()).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends a whole file of so many bytes until no room is left for it, and returns the last answer. Files that came before are
/// taken in by tasks of their own.
async fn until_refused(at: SocketAddr, shop: &Shop, from: &str, bytes: usize) -> String {
    for number in 1_000.. {
        let whole = [b"%PDF-1.7", vec![b' '; bytes - 8].as_slice()].concat();
        let answer = answer(uploads(at, shop, from, number, (bytes, &whole)).await).await;
        if answer.starts_with("HTTP/1.1 429") {
            return answer;
        }
        assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    }
    unreachable!("numbers do not end")
}

/// Files come in without a pace of their own.
fn at_any_pace(limits: ChatLimits) -> ChatLimits {
    let fast = RequestRate { burst: 10_000, every: Duration::from_millis(1) };
    ChatLimits { files: fast, files_of_all: fast, visitors: fast, ..limits }
}

#[tokio::test]
async fn h11_files_on_their_way_have_a_number_in_all_and_an_eighth_of_it_for_an_address() {
    let (shop, at, _tasks) = behind_a_proxy(at_any_pace(ChatLimits { uploads: 16, ..ChatLimits::default() })).await;
    let _time = balcao_testkit::wait::stand();
    let mut held = Vec::new();
    for number in 0..2 {
        held.push(uploads(at, &shop, "203.0.113.9", number, (1_000_000, b"%")).await);
    }
    let refused = until_refused(at, &shop, "203.0.113.9", 8).await;
    assert!(refused.contains("retry-after: "), "{refused}");
    let other = answer(uploads(at, &shop, "198.51.100.7", 0, (8, b"%PDF-1.7")).await).await;
    assert!(other.starts_with("HTTP/1.1 202"), "{other}");
    for number in 2..16 {
        held.push(uploads(at, &shop, &format!("203.{}.113.9", number / 2), number, (1_000_000, b"%")).await);
    }
    let refused = until_refused(at, &shop, "198.51.100.7", 8).await;
    assert!(refused.contains("retry-after: "), "{refused}");
}

#[tokio::test]
async fn h11_files_on_their_way_have_a_size_in_all_and_an_eighth_of_it_for_an_address() {
    let (shop, at, _tasks) =
        behind_a_proxy(at_any_pace(ChatLimits { upload_bytes: 160, ..ChatLimits::default() })).await;
    let _time = balcao_testkit::wait::stand();
    let large = answer(uploads(at, &shop, "203.0.113.9", 0, (21, b"%PDF-1.7 and a little")).await).await;
    assert!(large.starts_with("HTTP/1.1 429") && large.contains("retry-after: 1\r\n"), "{large}");
    let mut held = Vec::new();
    for number in 0..8 {
        let from = format!("203.{number}.113.9");
        held.push(uploads(at, &shop, &from, number, (20, b"%PDF-1.7 and so on.")).await);
    }
    // They hold 152 bytes.
    let refused = until_refused(at, &shop, "198.51.100.7", 9).await;
    assert!(refused.contains("retry-after: 1\r\n"), "{refused}");
    for mut stream in held {
        stream.write_all(b" ").await.unwrap();
        let taken = answer(stream).await;
        assert!(taken.starts_with("HTTP/1.1 202"), "{taken}");
    }
    let whole = answer(uploads(at, &shop, "198.51.100.7", 1, (9, b"%PDF-1.7 ")).await).await;
    assert!(whole.starts_with("HTTP/1.1 202"), "{whole}");
}

#[tokio::test]
async fn h11_slow_files_keep_nobody_elses_out_and_end_by_their_speed() {
    let (shop, at, _tasks) = behind_a_proxy(ChatLimits::default()).await;
    let mut slow = Vec::new();
    let time = balcao_testkit::wait::stand();
    for number in 0..16 {
        slow.push(uploads(at, &shop, &format!("203.0.{}.9", number / 2), number, (1_000_000, b"%")).await);
    }
    let honest = uploads(at, &shop, "198.51.100.7", 100, (8, b"%PDF-1.7")).await;
    let taken = answer(honest).await;
    assert!(taken.starts_with("HTTP/1.1 202"), "{taken}");
    drop(time);
    let began = Instant::now();
    for stream in slow {
        let refused = answer(stream).await;
        assert!(refused.starts_with("HTTP/1.1 408") && refused.contains("8192 bytes a second"), "{refused}");
    }
    assert_eq!(began.elapsed().as_secs(), Limits::default().body_grace.as_secs());
}
