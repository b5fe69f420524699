use super::*;

fn names(address: &str) -> Vec<String> {
    ClientKey::from_address(address.parse().unwrap()).names().iter().map(|counted| counted.name.clone()).collect()
}

#[test]
fn hops_are_read_as_proxies_write_them() {
    for (written, address) in [
        ("203.0.113.5", "203.0.113.5"),
        (" 203.0.113.5\t", "203.0.113.5"),
        ("203.0.113.5:4711", "203.0.113.5"),
        ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"),
        ("[2001:db8::7]:4711", "2001:db8::7"),
    ] {
        assert_eq!(hop_address(written.as_bytes()), Some(address.parse().unwrap()), "{written}");
    }
    for odd in ["", "unknown", "_hidden", "203.0.113.5:port", "203.0.113", "unix:", "[203.0.113.5]", "\"203.0.113.5\""]
    {
        assert_eq!(hop_address(odd.as_bytes()), None, "{odd}");
    }
}

#[test]
fn an_address_counts_for_the_networks_around_it() {
    assert_eq!(names("203.0.113.5"), ["203.0.113.5", "203.0.113.0/24"]);
    assert_eq!(names("2001:db8:1:2345:a::1"), ["2001:db8:1:2345::/64", "2001:db8:1:2300::/56", "2001:db8:1::/48"]);
}

#[test]
fn near_addresses_are_many_and_unreadable_ones_are_one() {
    assert_eq!(Caller::At("10.1.2.3".parse().unwrap()).sharer(), ClientKey::default());
    assert_eq!(Caller::Many.sharer(), ClientKey::default());
    assert_eq!(Caller::Unreadable.sharer().own(), Some("unreadable"));
}

#[test]
fn h01_only_what_our_proxies_wrote_is_read_and_from_the_end() {
    let named = |address: IpAddr| address.is_loopback();
    let counted = |values: &[&[u8]]| caller("127.0.0.1".parse().unwrap(), values.iter().copied(), named).name();
    for before in [&b"\xff"[..], "é".as_bytes(), b"", b"nonsense", b"10.0.0.1, \x00", &[b','; 4_000]] {
        let whole = [before, b", 203.0.113.5"].concat();
        assert_eq!(counted(&[&whole]).as_deref(), Some("203.0.113.5"), "{before:?}");
        assert_eq!(counted(&[before, b"203.0.113.5:4711"]).as_deref(), Some("203.0.113.5"), "{before:?}");
    }
    for unread in [&b"\xff"[..], b"203.0.113.5, \xff", b"203.0.113.5,"] {
        assert_eq!(counted(&[unread]).as_deref(), Some("unreadable"), "{unread:?}");
    }
}
