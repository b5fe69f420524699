use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

#[test]
fn so_many_at_once_then_one_after_the_other_each_for_themselves() {
    let paces = RateLimiter::new(RequestRate { burst: 3, every: Duration::from_secs(10) });
    for _ in 0..3 {
        assert_eq!(paces.ask("ana", at(0)), Ok(()));
    }
    assert_eq!(paces.ask("ana", at(0)), Err(Duration::from_secs(10)));
    assert_eq!(paces.ask("ana", at(4)), Err(Duration::from_secs(6)));
    assert_eq!(paces.ask("bia", at(4)), Ok(()));
    assert_eq!(paces.ask("ana", at(10)), Ok(()));
    assert_eq!(paces.ask("ana", at(11)), Err(Duration::from_secs(9)));
    for _ in 0..3 {
        assert_eq!(paces.ask("ana", at(500)), Ok(()));
    }
    assert!(paces.ask("ana", at(500)).is_err());
}

#[test]
fn a_clock_that_is_set_back_shuts_nobody_out_for_long() {
    let paces = RateLimiter::new(RequestRate { burst: 2, every: Duration::from_secs(10) });
    assert_eq!(paces.ask("ana", at(100_000)), Ok(()));
    assert_eq!(paces.ask("ana", at(0)), Err(Duration::from_secs(10)));
    assert_eq!(paces.ask("ana", at(10)), Err(Duration::from_secs(10)));
}

#[test]
fn those_who_may_ask_at_once_again_are_forgotten() {
    let paces = RateLimiter::new(RequestRate { burst: 1, every: Duration::from_secs(1) });
    for one in 0..REMEMBERED {
        assert_eq!(paces.ask(&one.to_string(), at(0)), Ok(()));
    }
    assert_eq!(paces.ask("one more", at(60)), Ok(()));
    assert_eq!(paces.names.lock().unwrap().full_at.len(), 1);
}

#[test]
fn names_have_a_bound_and_are_forgotten_once_a_second() {
    let paces = RateLimiter::new(RequestRate { burst: 1, every: Duration::from_secs(60) });
    for name in 0..MOST {
        assert_eq!(paces.ask(&name.to_string(), at(0)), Ok(()));
    }
    assert_eq!(paces.ask("one more", at(0)), Err(Duration::from_secs(1)));
    assert_eq!(paces.ask("0", at(60)), Ok(()), "who is remembered goes on, and the others are forgotten");
    assert_eq!(paces.ask("one more", at(60)), Ok(()));
    assert!(paces.names.lock().unwrap().full_at.len() < REMEMBERED);
}
