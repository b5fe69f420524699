use axum::body::Body;
use balcao_domain::ManualClock;

use super::*;

fn shed(trusted: &[&str]) -> LoadShedder {
    let trusted = trusted.iter().map(|network| network.parse().unwrap()).collect();
    let clock = ManualClock::at("2026-11-24T10:00:00Z".parse().unwrap());
    LoadShedder::new(&Limits::default(), BacklogMonitor::default(), trusted, Arc::new(clock))
}

fn stranger(shed: &LoadShedder, peer: &str, forwarded: &[&str]) -> Option<String> {
    let mut request = Request::get("/");
    for value in forwarded {
        request = request.header("X-Forwarded-For", *value);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(Peer(SocketAddr::new(peer.parse().unwrap(), 4711)));
    shed.caller(&request).name()
}

#[test]
fn what_a_proxy_says_counts_only_if_it_is_configured() {
    let some = |address: &str| Some(address.to_owned());
    let alone = shed(&[]);
    assert_eq!(stranger(&alone, "203.0.113.9", &[]), some("203.0.113.9"));
    assert_eq!(stranger(&alone, "203.0.113.9", &["198.51.100.1"]), some("203.0.113.9"), "anybody can write that");
    assert_eq!(stranger(&alone, "127.0.0.1", &["198.51.100.1"]), None, "a proxy that is not configured");
    assert_eq!(stranger(&alone, "127.0.0.1", &[]), some("127.0.0.1"));
    let behind = shed(&["127.0.0.1/32", "10.0.0.0/8"]);
    assert_eq!(stranger(&behind, "127.0.0.1", &["198.51.100.1"]), some("198.51.100.1"));
    assert_eq!(stranger(&behind, "127.0.0.1", &["1.2.3.4, 198.51.100.1, 10.1.2.3"]), some("198.51.100.1"));
    assert_eq!(stranger(&behind, "127.0.0.1", &["1.2.3.4", "198.51.100.1"]), some("198.51.100.1"));
    assert_eq!(stranger(&behind, "127.0.0.1", &["nonsense, 198.51.100.1:4711"]), some("198.51.100.1"));
    for unread in ["198.51.100.1, nonsense", "", "nonsense, 10.1.2.3", "unix:"] {
        assert_eq!(stranger(&behind, "127.0.0.1", &[unread]), some("unreadable"), "{unread}");
    }
    assert_eq!(stranger(&behind, "203.0.113.9", &["198.51.100.1"]), some("203.0.113.9"));
}

#[test]
fn a_network_of_ipv6_is_one_stranger() {
    let alone = shed(&[]);
    let one = stranger(&alone, "2001:db8:1:2:aaaa::1", &[]);
    assert_eq!(one, stranger(&alone, "2001:db8:1:2:bbbb::2", &[]));
    assert_ne!(one, stranger(&alone, "2001:db8:1:3::1", &[]));
    assert_eq!(stranger(&alone, "::ffff:203.0.113.9", &[]), Some("203.0.113.9".to_owned()));
}
