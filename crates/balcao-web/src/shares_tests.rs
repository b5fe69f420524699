use super::*;

#[test]
fn a_51_no_address_takes_all_places() {
    let shares = Shares::of(16);
    let held = [shares.take(Some("a")).unwrap(), shares.take(Some("a")).unwrap()];
    assert_eq!(shares.take(Some("a")).unwrap_err(), NothingLeft::OfOne);
    assert!(shares.take(Some("b")).is_ok());
    drop(held);
    assert!(shares.take(Some("a")).is_ok());
    let taken = shares.0.taken.lock().unwrap();
    assert!(taken.by.is_empty() && taken.in_all == 0, "nothing is kept of who is gone");
}

#[test]
fn all_together_have_no_more_than_there_is_and_who_is_not_told_apart_counts_too() {
    let shares = Shares::of(3);
    let _held = [shares.take(Some("a")).unwrap(), shares.take(None).unwrap(), shares.take(None).unwrap()];
    assert_eq!(shares.take(None).unwrap_err(), NothingLeft::OfAll);
    assert_eq!(shares.take(Some("b")).unwrap_err(), NothingLeft::OfAll);
}

#[test]
fn a_share_grows_as_long_as_there_is_room_and_gives_all_of_it_back() {
    let shares = Shares::of(80);
    let mut body = shares.nothing_yet(Some("a"));
    assert_eq!((body.grow(6), body.grow(5), body.grow(4)), (Ok(()), Err(NothingLeft::OfOne), Ok(())));
    assert_eq!(shares.take(Some("a")).unwrap_err(), NothingLeft::OfOne);
    drop(body);
    assert_eq!(shares.nothing_yet(Some("a")).grow(10), Ok(()));
}
