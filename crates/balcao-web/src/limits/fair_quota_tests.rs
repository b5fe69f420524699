use super::*;

/// Each of another network.
fn at(number: u8) -> ClientKey {
    ClientKey::from_address(std::net::Ipv4Addr::new(203, 0, number, 1).into())
}

fn nobody() -> ClientKey {
    ClientKey::default()
}

#[test]
fn a_51_no_address_takes_all_places() {
    let shares = FairQuota::with_total(16);
    let held = [shares.take(&at(1)).unwrap(), shares.take(&at(1)).unwrap()];
    assert_eq!(shares.take(&at(1)).unwrap_err(), QuotaExceeded::PerClient);
    assert!(shares.take(&at(2)).is_ok());
    drop(held);
    assert!(shares.take(&at(1)).is_ok());
    let taken = shares.0.taken.lock().unwrap();
    assert!(taken.by.is_empty() && taken.in_all == 0, "nothing is kept of who is gone");
}

#[test]
fn all_together_have_no_more_than_there_is_and_who_is_not_told_apart_counts_too() {
    let shares = FairQuota::with_total(3);
    let _held = [shares.take(&at(1)).unwrap(), shares.take(&nobody()).unwrap(), shares.take(&nobody()).unwrap()];
    assert_eq!(shares.take(&nobody()).unwrap_err(), QuotaExceeded::Total);
    assert_eq!(shares.take(&at(2)).unwrap_err(), QuotaExceeded::Total);
}

#[test]
fn a_share_grows_as_long_as_there_is_room_and_gives_all_of_it_back() {
    let shares = FairQuota::with_total(80);
    let mut body = shares.nothing_yet(&at(1));
    assert_eq!((body.grow(6), body.grow(5), body.grow(4)), (Ok(()), Err(QuotaExceeded::PerClient), Ok(())));
    assert_eq!(shares.take(&at(1)).unwrap_err(), QuotaExceeded::PerClient);
    drop(body);
    assert_eq!(shares.nothing_yet(&at(1)).grow(10), Ok(()));
}

#[test]
fn h10_a_wide_network_has_a_part_of_its_own_however_many_addresses_it_is() {
    let shares = FairQuota::with_total(32);
    let taken = |addresses: &dyn Fn(u8) -> String| {
        let taken: Vec<_> = (0..32)
            .map_while(|number| shares.take(&ClientKey::from_address(addresses(number).parse().unwrap())).ok())
            .collect();
        taken.len()
    };
    assert_eq!(taken(&|number| format!("2001:db8:1:23{number:02x}::1")), 6, "a /56");
    assert_eq!(taken(&|number| format!("2001:db8:1:{number:02x}00::1")), 8, "a /48");
    assert_eq!(taken(&|number| format!("203.0.113.{number}")), 8, "a /24");
    assert_eq!(taken(&|number| format!("2001:db8:{number:x}::1")), 32, "networks apart from each other");
}
