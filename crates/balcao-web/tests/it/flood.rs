//! What is turned away in a flood, and that nothing of what was taken in is lost.

use std::net::SocketAddr;

use balcao_app::admin::backlog::BacklogMonitor;
use balcao_testkit::fakes::graph::webhooks::{self, sign};
use balcao_testkit::wait;
use balcao_web::Limits;
use balcao_web::chat::RequestRate;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::{NETWORKS, SECRET, Shop, behind_a_proxy, shop_with, watched_shop};

async fn serve(shop: &Shop, limits: Limits) -> (SocketAddr, tokio::task::JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(balcao_web::serve(listener, shop.router.clone(), limits, shop.stop.clone()));
    (address, tasks)
}

fn delivery(number: u32) -> (String, Vec<u8>) {
    let text = json!({ "type": "text", "text": { "body": "oi" } });
    let body = webhooks::message(&format!("wamid.{number}"), text).to_string().into_bytes();
    let head = format!(
        "POST /webhooks/whatsapp HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\nX-Hub-Signature-256: {}\r\n\r\n",
        body.len(),
        sign(SECRET, &body)
    );
    (head, body)
}

async fn send(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    drop(stream.write_all(bytes).await);
    stream
}

async fn answer(mut stream: TcpStream) -> String {
    let mut answer = Vec::new();
    drop(stream.read_to_end(&mut answer).await);
    String::from_utf8_lossy(&answer).to_lowercase()
}

async fn ask(address: SocketAddr, head: &str) -> String {
    answer(send(address, format!("{head}\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes()).await).await
}

/// Meta delivers a message; what it is answered.
async fn deliver(address: SocketAddr, number: u32) -> String {
    let (head, body) = delivery(number);
    answer(send(address, &[head.as_bytes(), &body].concat()).await).await
}

/// A shop where so many messages may wait for an answer, as far as `Watch::look` has seen.
async fn where_so_many_may_wait(waiting: u32) -> (Shop, BacklogMonitor, SocketAddr, tokio::task::JoinSet<()>) {
    let (limits, watch) = (Limits { waiting, ..Limits::default() }, BacklogMonitor::default());
    let shop = watched_shop(limits, true, watch.clone()).await;
    let (address, tasks) = serve(&shop, limits).await;
    (shop, watch, address, tasks)
}

#[tokio::test]
async fn a_flood_is_shed_before_its_bodies_are_read_and_what_was_taken_in_is_stored() {
    let limits = Limits { webhooks: 4, ..Limits::default() };
    let shop = shop_with(limits, true).await;
    let (address, _tasks) = serve(&shop, limits).await;
    // However long this takes, nobody's time is over.
    let _time = wait::stand();
    // Four that have begun and whose bodies have not come yet hold every place.
    let mut begun = Vec::new();
    for number in 0..4 {
        let (head, body) = delivery(number);
        begun.push((send(address, head.as_bytes()).await, body));
    }
    // Answered on another connection: those before were seen.
    assert!(ask(address, "GET /healthz HTTP/1.1").await.contains("200 ok"));
    let flood = (4..60).map(|number| async move {
        let (head, _) = delivery(number);
        // No body at all: the answer comes all the same.
        answer(send(address, head.as_bytes()).await).await
    });
    for refused in futures::future::join_all(flood).await {
        assert!(refused.starts_with("http/1.1 429") && refused.contains("retry-after: 1\r\n"), "{refused}");
        assert!(refused.contains("application/problem+json"), "{refused}");
    }
    assert_eq!(shop.count("inbox").await, 0);
    for (mut stream, body) in begun {
        stream.write_all(&body).await.unwrap();
        assert!(answer(stream).await.starts_with("http/1.1 200"));
    }
    assert_eq!(shop.count("inbox").await, 4);
    // Meta comes again, as fast as it likes.
    let mut open: Vec<u32> = (4..60).collect();
    while !open.is_empty() {
        let again = open.iter().map(|number| async move {
            let (head, body) = delivery(*number);
            let whole = answer(send(address, &[head.as_bytes(), &body].concat()).await).await;
            (*number, whole)
        });
        let answers = futures::future::join_all(again).await;
        open =
            answers.into_iter().filter(|(_, whole)| !whole.starts_with("http/1.1 200")).map(|(one, _)| one).collect();
    }
    assert_eq!(shop.count("inbox").await, 60, "every one is stored, and once");
}

#[tokio::test]
async fn when_too_much_waits_webhooks_are_told_to_come_again() {
    let (shop, watch, address, _tasks) = where_so_many_may_wait(2).await;
    for number in 0..3 {
        assert!(deliver(address, number).await.starts_with("http/1.1 200"));
    }
    watch.look(&shop.app).await.unwrap();
    let refused = deliver(address, 3).await;
    assert!(refused.starts_with("http/1.1 429") && refused.contains("retry-after: 30\r\n"), "{refused}");
    let answered = shop.store.write(|tx| tx.execute("UPDATE inbox SET state = 'ignored'", &[])).await;
    answered.map_err(|error: balcao_store::StoreError| error).unwrap();
    watch.look(&shop.app).await.unwrap();
    assert!(deliver(address, 3).await.starts_with("http/1.1 200"));
}

#[tokio::test]
async fn a_51_the_web_chat_and_the_api_are_told_to_come_again_long_before_a_channel_is() {
    let (shop, watch, address, _tasks) = where_so_many_may_wait(4).await;
    let turns = ["POST /chat/v1/messages HTTP/1.1", "POST /v1/turn HTTP/1.1"];
    for (number, status) in [(0, "404"), (1, "404"), (2, "429")] {
        assert!(deliver(address, number).await.starts_with("http/1.1 200"));
        watch.look(&shop.app).await.unwrap();
        for turn in turns {
            let answered = ask(address, turn).await;
            assert!(answered.starts_with(&format!("http/1.1 {status}")), "{number}: {answered}");
            assert_eq!(answered.contains("retry-after: 30\r\n"), status == "429", "{answered}");
        }
    }
    assert!(ask(address, "GET /chat/v1/messages HTTP/1.1").await.starts_with("http/1.1 404"), "what asks for no turn");
    assert!(deliver(address, 3).await.starts_with("http/1.1 200"), "Meta is still heard");
}

#[tokio::test]
async fn an_address_that_knocks_too_often_without_a_key_waits() {
    let strangers = RequestRate { burst: 3, every: std::time::Duration::from_secs(7) };
    let limits = Limits { strangers, ..Limits::default() };
    let shop = shop_with(limits, true).await;
    let (address, _tasks) = serve(&shop, limits).await;
    let guess = "GET /webhooks/whatsapp?hub.mode=subscribe&hub.verify_token=guessed&hub.challenge=1 HTTP/1.1";
    for _ in 0..3 {
        assert!(ask(address, guess).await.starts_with("http/1.1 403"));
    }
    let refused = ask(address, guess).await;
    assert!(refused.starts_with("http/1.1 429") && refused.contains("retry-after: 8\r\n"), "{refused}");
    // Whoever has a signature, and the health checks, do not wait.
    let taken = deliver(address, 1).await;
    assert!(taken.starts_with("http/1.1 200"), "{taken}");
    assert!(ask(address, "GET /readyz HTTP/1.1").await.starts_with("http/1.1 200"));
    shop.clock.advance(jiff::SignedDuration::from_secs(8));
    assert!(ask(address, guess).await.starts_with("http/1.1 403"));
}

#[tokio::test]
async fn h10_the_networks_around_an_address_knock_no_more_than_a_few_times_as_often() {
    let strangers = RequestRate { burst: 2, every: std::time::Duration::from_secs(60) };
    let limits = Limits { strangers, ..Limits::default() };
    let shop = behind_a_proxy(limits).await;
    let (address, _tasks) = serve(&shop, limits).await;
    let asked = async |from: String| {
        let guess = "GET /webhooks/whatsapp?hub.mode=subscribe&hub.verify_token=guessed&hub.challenge=1 HTTP/1.1";
        let answered = ask(address, &format!("{guess}\r\nX-Forwarded-For: {from}")).await;
        answered.split(' ').nth(1).unwrap().to_owned()
    };
    for (network, addresses, times) in NETWORKS {
        // Each asks for the first time.
        for number in 0..=2 * times {
            let status = if number < 2 * times { "403" } else { "429" };
            assert_eq!(asked(addresses(number)).await, status, "{network} {number}");
        }
    }
    assert_eq!(asked("198.51.100.7".to_owned()).await, "403", "another network");
}

#[tokio::test]
async fn a_51_who_holds_webhooks_open_or_shows_wrong_signatures_shuts_out_nobody_else() {
    let strangers = RequestRate { burst: 2, every: std::time::Duration::from_secs(60) };
    let limits = Limits { webhooks: 8, strangers, ..Limits::default() };
    let shop = behind_a_proxy(limits).await;
    let (address, _tasks) = serve(&shop, limits).await;
    let from =
        |who: &str, head: &str| head.replacen("host: x\r\n", &format!("host: x\r\nX-Forwarded-For: {who}\r\n"), 1);
    let _time = wait::stand();
    // One place of eight is held without a body.
    let (head, body) = delivery(0);
    let mut held = send(address, from("203.0.113.9", &head).as_bytes()).await;
    assert!(ask(address, "GET /healthz HTTP/1.1").await.contains("200 ok"));
    let (more, _) = delivery(1);
    let refused = answer(send(address, from("203.0.113.9", &more).as_bytes()).await).await;
    assert!(refused.starts_with("http/1.1 429"), "{refused}");
    let (head, whole) = delivery(2);
    let whole = [from("157.240.1.1", &head).as_bytes(), &whole].concat();
    assert!(answer(send(address, &whole).await).await.starts_with("http/1.1 200"));
    held.write_all(&body).await.unwrap();
    assert!(answer(held).await.starts_with("http/1.1 200"));
    // Two wrong signatures, and the third is not looked at.
    let forged = |number| {
        let (head, mut body) = delivery(number);
        body[10] ^= 1;
        let bytes = [from("203.0.113.9", &head).as_bytes(), &body].concat();
        async move { answer(send(address, &bytes).await).await }
    };
    for number in 3..5 {
        assert!(forged(number).await.starts_with("http/1.1 401"));
    }
    assert!(forged(5).await.starts_with("http/1.1 429"));
}

#[tokio::test]
async fn a_51_bodies_that_are_held_have_a_bound_in_all_and_for_each_address() {
    // Unsigned bodies are looked at as often as they come.
    let strangers = RequestRate { burst: 10_000, every: std::time::Duration::from_secs(1) };
    let limits = Limits { bodies: 8_000, strangers, ..Limits::default() };
    let shop = behind_a_proxy(limits).await;
    let (address, _tasks) = serve(&shop, limits).await;
    let begin = |from: String, bytes: usize| async move {
        let head = format!(
            "POST /webhooks/whatsapp HTTP/1.1\r\nhost: x\r\nX-Forwarded-For: {from}\r\nconnection: close\r\ncontent-length: {}\r\nX-Hub-Signature-256: {}\r\n\r\n",
            bytes + 1,
            sign(SECRET, b"of another")
        );
        send(address, &[head.as_bytes(), &vec![b' '; bytes]].concat()).await
    };
    let _time = wait::stand();
    // More than an eighth of the room is more than one address gets.
    let refused = answer(begin("203.0.113.9".to_owned(), 1_001).await).await;
    assert!(refused.starts_with("http/1.1 429") && refused.contains("retry-after: 1\r\n"), "{refused}");
    let mut held = Vec::new();
    for number in 0..8 {
        held.push(begin(format!("198.51.{number}.1"), 990).await);
    }
    // Each is read by a task of its own: whoever asks until there is no more room has seen all of them.
    let refused = loop {
        let mut more = begin("192.0.2.1".to_owned(), 99).await;
        more.write_all(b" ").await.unwrap();
        let answer = answer(more).await;
        if answer.starts_with("http/1.1 429") {
            break answer;
        }
        assert!(answer.starts_with("http/1.1 401"), "{answer}");
    };
    assert!(refused.contains("retry-after: 1\r\n"), "{refused}");
    for mut stream in held {
        stream.write_all(b" ").await.unwrap();
        assert!(answer(stream).await.starts_with("http/1.1 401"), "what was let in is treated as ever");
    }
    assert!(deliver(address, 1).await.starts_with("http/1.1 200"));
    assert_eq!(shop.count("inbox").await, 1);
}
