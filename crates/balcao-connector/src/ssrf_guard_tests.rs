use super::*;

/// Another way to say what is public: by ranges of numbers, from RFC 6890 and its updates.
fn reference_v4(number: u32) -> bool {
    let ranges: [(u32, u32); 17] = [
        (0x0000_0000, 0x00ff_ffff),
        (0x0a00_0000, 0x0aff_ffff),
        (0x6440_0000, 0x647f_ffff),
        (0x7f00_0000, 0x7fff_ffff),
        (0xa9fe_0000, 0xa9fe_ffff),
        (0xac10_0000, 0xac1f_ffff),
        (0xc000_0000, 0xc000_00ff),
        (0xc000_0200, 0xc000_02ff),
        (0xc01f_c400, 0xc01f_c4ff),
        (0xc034_c100, 0xc034_c1ff),
        (0xc058_6300, 0xc058_63ff),
        (0xc0a8_0000, 0xc0a8_ffff),
        (0xc612_0000, 0xc613_ffff),
        (0xc633_6400, 0xc633_64ff),
        (0xcb00_7100, 0xcb00_71ff),
        (0xe000_0000, 0xefff_ffff),
        (0xf000_0000, 0xffff_ffff),
    ];
    !ranges.iter().any(|(low, high)| (*low..=*high).contains(&number))
}

/// The same IPv4 address in the spellings that parsers of addresses take for one.
fn spellings(number: u32) -> Vec<String> {
    let [a, b, c, d] = number.to_be_bytes();
    let low = number & 0x00ff_ffff;
    let lower = number & 0x0000_ffff;
    vec![
        format!("{a}.{b}.{c}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        format!("{number}"),
        format!("0x{number:x}"),
        format!("0{number:o}"),
        format!("0x{a:x}.0{b:o}.{c}.0x{d:X}"),
        format!("{a}.{low}"),
        format!("{a}.{b}.{lower}"),
        format!("%{:02x}{}", format!("{a}").as_bytes()[0], format!("{a}.{b}.{c}.{d}").split_at(1).1),
        format!("{a}。{b}．{c}.{d}"),
        format!("[::ffff:{a}.{b}.{c}.{d}]"),
        format!("[::ffff:{:x}:{:x}]", number >> 16, lower),
        format!("[64:ff9b::{a}.{b}.{c}.{d}]"),
    ]
}

#[test]
fn a_55_a_private_address_is_told_in_every_spelling() {
    let egress = Egress::default();
    let mut random = fastrand::Rng::with_seed(55);
    let (mut public, mut barred) = (0, 0);
    for round in 0..8_000_u32 {
        // Half of them near the edges of what is special.
        let number = if round % 2 == 0 {
            random.u32(..)
        } else {
            let [.., network] = SPECIAL_V4.map(|net| net.parse::<ipnet::Ipv4Net>().unwrap());
            let networks = SPECIAL_V4.map(|net| net.parse::<ipnet::Ipv4Net>().unwrap());
            let chosen = random.choice(networks).unwrap_or(network);
            let edge = if random.bool() { chosen.network() } else { chosen.broadcast() };
            u32::from(edge).wrapping_add(random.u32(0..4)).wrapping_sub(2)
        };
        for host in spellings(number) {
            let url = Url::parse(&format!("https://{host}/")).unwrap();
            let passed = egress.check(&url).is_ok();
            assert_eq!(passed, reference_v4(number), "{host} of {number:#010x}");
            if passed { public += 1 } else { barred += 1 }
        }
    }
    assert!(public > 10_000 && barred > 10_000, "{public} and {barred}");
}

#[test]
fn a_55_addresses_of_version_6_and_names_of_this_machine_are_told() {
    let egress = Egress::default();
    let passes = |host: &str| egress.check(&Url::parse(&format!("https://{host}/")).unwrap()).is_ok();
    for public in
        ["[2606:4700::1111]", "[2a00:1450:4001::1]", "[64:ff9b::8.8.8.8]", "[::ffff:8.8.8.8]", "api.example.com"]
    {
        assert!(passes(public), "{public}");
    }
    for private in [
        "[::]",
        "[::1]",
        "[::8.8.8.8]",
        "[fc00::1]",
        "[fd12:3456::1]",
        "[fe80::1]",
        "[fec0::1]",
        "[ff02::1]",
        "[2001:db8::1]",
        "[2001::1]",
        "[2001:10::1]",
        "[2002:7f00:1::]",
        "[3fff::1]",
        "[100::1]",
        "[64:ff9b::10.0.0.1]",
        "[64:ff9b:1::8.8.8.8]",
        "[5f00::1]",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "a.localhost",
        "ⓛocalhost",
    ] {
        assert!(!passes(private), "{private}");
    }
}

#[test]
fn a_55_what_the_operator_permits_is_permitted_and_nothing_near_it() {
    let egress = Egress { allow: vec!["10.1.0.0/16".parse().unwrap()], plain_http: true, ..Egress::default() };
    let check = |url: &str| egress.check(&Url::parse(url).unwrap()).is_ok();
    assert!(check("https://10.1.2.3/"));
    assert!(check("https://[::ffff:10.1.2.3]/"));
    assert!(check("http://10.1.2.3:8080/"));
    assert!(!check("https://10.2.2.3/"));
    assert!(!check("https://localhost/"));
    assert!(!check("ftp://10.1.2.3/"));
    assert!(!check("file:///etc/passwd"));
    assert!(Egress::default().check(&Url::parse("http://api.example.com/").unwrap()).is_err());
}

#[test]
fn a_56_plain_http_goes_to_listed_networks_only_whatever_the_host_looks_like() {
    let egress = Egress { plain_http: true, ..Egress::default() };
    for url in ["http://8.8.8.8/", "http://[2001:4860:4860::8888]/", "http://10.0.0.1/"] {
        assert!(egress.check(&url.parse().unwrap()).is_err(), "{url}");
    }
    assert_eq!(egress.check(&"https://8.8.8.8/".parse().unwrap()), Ok(()));
}
