//! Ways into the intranet.

use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use balcao_connector::{Account, Connection, Egress, FailureKind, Lookup, Settings};
use serde_json::json;

use crate::server::{Server, TestClock, account, answer, arguments, json_answer, local, operation, settings};

/// Answers a name with one address after the other, as an attacker's own name server does.
#[derive(Debug)]
struct Rebinding {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

#[async_trait]
impl Lookup for Rebinding {
    async fn lookup(&self, _name: &str) -> io::Result<Vec<IpAddr>> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst);
        Ok(self.answers[turn.min(self.answers.len() - 1)].clone())
    }
}

/// A server outside and one inside at the same port: only the address tells them apart.
fn outside_and_inside() -> (Server, Server) {
    loop {
        let outside = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = outside.local_addr().unwrap().port();
        let Ok(inside) = TcpListener::bind(("127.0.0.2", port)) else { continue };
        let outside = Server::listening(outside, |_, _| json_answer(200, "", &json!("outside")));
        return (outside, Server::listening(inside, |_, _| json_answer(200, "", &json!("inside"))));
    }
}

fn named(address: SocketAddr, answers: &[&[&str]], redirects: u8) -> Account {
    let addresses = |names: &&[&str]| names.iter().map(|ip| ip.parse().unwrap()).collect();
    let lookup = Arc::new(Rebinding { answers: answers.iter().map(addresses).collect(), asked: AtomicUsize::new(0) });
    let base = format!("http://api.example.com:{}", address.port());
    let auth = json!({ "bearer": "{settings.token}" });
    let connection = json!({ "base_url": base, "redirects": redirects, "auth": auth, "retry": { "attempts": 1 } });
    let connection = Connection::read(&connection).unwrap();
    let egress = Egress { lookup, ..local() };
    Account::open(&connection, settings(), &egress, Arc::new(TestClock::default()), None, 1).unwrap()
}

#[tokio::test]
async fn a_56_a_name_that_turns_to_the_intranet_is_not_followed_there() {
    let (outside, inside) = outside_and_inside();
    let account = named(outside.address, &[&["127.0.0.1"], &["127.0.0.2"]], 0);
    let read = operation(json!({ "method": "GET", "path": "/x" }));
    assert_eq!(account.call(&read, &arguments(json!({})), None).await, Ok(json!("outside")));
    let error = account.call(&read, &arguments(json!({})), None).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Unavailable);
    assert!(error.for_staff().contains("no address that may be reached"), "{}", error.for_staff());
    assert_eq!((outside.asked().len(), inside.asked().len()), (1, 0));
}

#[tokio::test]
async fn a_56_of_several_addresses_only_those_that_passed_are_connected_to() {
    let (outside, inside) = outside_and_inside();
    let account = named(outside.address, &[&["127.0.0.2", "169.254.169.254", "::1", "127.0.0.1", "10.0.0.1"]], 0);
    let read = operation(json!({ "method": "GET", "path": "/x" }));
    assert_eq!(account.call(&read, &arguments(json!({})), None).await, Ok(json!("outside")));
    assert_eq!(inside.asked().len(), 0);
}

#[tokio::test]
async fn a_57_a_redirect_is_refused_and_carries_nothing() {
    let (_, inside) = outside_and_inside();
    for to in [inside.url(), "file:///etc/passwd".to_owned(), "http://169.254.169.254/latest".to_owned()] {
        let server = Server::start(move |_, _| answer(302, &format!("location: {to}\r\n"), b""));
        for redirects in [0, 3] {
            let (account, _) = account(&server, json!({ "redirects": redirects }));
            let read = operation(json!({ "method": "GET", "path": "/x" }));
            let error = account.call(&read, &arguments(json!({})), None).await.unwrap_err();
            assert_eq!((error.kind, error.status), (FailureKind::Unreadable, Some(302)));
        }
    }
    assert_eq!(inside.asked().len(), 0);
}

#[tokio::test]
async fn a_57_a_redirect_within_the_origin_is_followed_so_many_times_where_the_author_allows_it() {
    let server = Server::start(|asked, _| match asked.target.as_str() {
        "/end" => json_answer(200, "", &json!("there")),
        "/round" => answer(307, "location: /round\r\n", b""),
        _ => answer(302, "location: /end\r\n", b""),
    });
    let (account, _) = account(&server, json!({ "redirects": 2 }));
    let read = |path: &str| operation(json!({ "method": "GET", "path": path }));
    assert_eq!(account.call(&read("/x"), &arguments(json!({})), None).await, Ok(json!("there")));
    assert!(account.call(&read("/round"), &arguments(json!({})), None).await.is_err());
    assert_eq!(server.asked().iter().filter(|asked| asked.target == "/round").count(), 3);
    // A write is never sent on.
    let write = operation(json!({ "method": "POST", "path": "/x" }));
    assert!(account.call(&write, &arguments(json!({})), None).await.is_err());
}

#[test]
fn a_55_a_setting_that_leads_into_a_private_network_opens_no_account() {
    let connection = Connection::read(&json!({ "base_url": "{settings.url}" })).unwrap();
    for url in [
        "https://127.0.0.1/",
        "https://0x7f.1/",
        "https://[::ffff:10.0.0.1]/",
        "http://api.example.com/",
        "https://localhost/",
    ] {
        let settings = Settings::new().value("url", url);
        let problems =
            Account::open(&connection, settings, &Egress::default(), Arc::new(TestClock::default()), None, 1)
                .unwrap_err();
        assert_eq!(problems[0].pointer, "/base_url", "{url}");
    }
}

#[tokio::test]
async fn a_64_a_model_is_told_the_same_of_a_closed_port_a_barred_address_and_a_silent_server() {
    // A port where nobody listens any more.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let barred = named(port, &[&["10.0.0.1"]], 0);
    let refused = named(port, &[&["127.0.0.1"]], 0);
    let silent = Server::start(|_, _| crate::server::Say::Silence);
    let (silent, _) = account(&silent, json!({ "timeout_ms": 200 }));
    let broken = Server::start(|_, _| crate::server::Say::Bytes(Vec::new()));
    let (broken, _) = account(&broken, json!({}));
    let read = operation(json!({ "method": "GET", "path": "/x" }));
    let mut told = Vec::new();
    for account in [barred, refused, silent, broken] {
        told.push(account.call(&read, &arguments(json!({})), None).await.unwrap_err().for_model());
    }
    assert_eq!(told, ["the service does not answer now"; 4]);
}
