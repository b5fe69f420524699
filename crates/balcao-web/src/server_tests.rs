use super::*;

#[test]
fn a_51_no_address_holds_all_connections_and_proxies_and_neighbours_may() {
    let door = Door::new(16, vec!["198.51.100.0/24".parse().unwrap()]);
    let lets = |peer: &str| door.lets_in(peer.parse().unwrap());
    let held = [lets("203.0.113.9").unwrap(), lets("::ffff:203.0.113.9").unwrap()];
    assert_eq!(lets("203.0.113.9").unwrap_err(), NothingLeft::OfOne);
    assert!(lets("203.0.113.10").unwrap().is_some());
    for many in ["198.51.100.7", "127.0.0.1", "10.1.2.3", "::1"] {
        let all: Vec<_> = (0..16).map(|_| lets(many).unwrap()).collect();
        assert!(all.iter().all(Option::is_none), "{many}");
    }
    drop(held);
    assert!(lets("203.0.113.9").is_ok());
    let _network = [lets("2001:db8:1:2::1").unwrap(), lets("2001:db8:1:2::2").unwrap()];
    assert!(lets("2001:db8:1:2::3").is_err(), "whoever has an address of IPv6 has many");
}
