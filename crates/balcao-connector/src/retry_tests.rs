use super::*;

fn error(kind: FailureKind, status: Option<u16>, outcome: Outcome) -> CallError {
    CallError { status, ..CallError::new(kind, outcome, "") }
}

fn waits(error: &CallError, repeatable: bool) -> bool {
    wait(Retry::default(), error, repeatable, 1, Duration::from_secs(60), 7).is_some()
}

#[test]
fn a_write_that_may_have_been_carried_out_is_never_sent_again() {
    let lost = error(FailureKind::Unavailable, None, Outcome::Unknown);
    let broke = error(FailureKind::Unavailable, Some(502), Outcome::Unknown);
    assert!(!waits(&lost, false));
    assert!(!waits(&broke, false));
    assert!(waits(&lost, true));
    assert!(waits(&broke, true));
}

#[test]
fn what_was_certainly_not_carried_out_may_be_sent_again() {
    assert!(waits(&error(FailureKind::RateLimited, Some(429), Outcome::NotDone), false));
    assert!(waits(&error(FailureKind::Unavailable, None, Outcome::NotDone), false));
}

#[test]
fn what_will_be_refused_again_is_not_asked_again() {
    for kind in [
        FailureKind::Invalid,
        FailureKind::Unauthorized,
        FailureKind::Forbidden,
        FailureKind::NotFound,
        FailureKind::Conflict,
    ] {
        assert!(!waits(&error(kind, Some(400), Outcome::NotDone), true), "{kind:?}");
    }
    assert!(!waits(&error(FailureKind::Unavailable, Some(501), Outcome::NotDone), true));
    assert!(!waits(&error(FailureKind::Unreadable, Some(200), Outcome::NotDone), true));
    assert!(waits(
        &CallError { detail: CUT.to_owned(), ..error(FailureKind::Unreadable, Some(200), Outcome::NotDone) },
        true
    ));
}

#[test]
fn waits_grow_with_jitter_and_what_the_service_asks_for_is_kept_in_full() {
    let refused = error(FailureKind::Unavailable, Some(503), Outcome::NotDone);
    let long = Duration::from_secs(600);
    let retry = Retry { attempts: 9, base_ms: 1_000, max_ms: 8_000 };
    let at = |made, random| wait(retry, &refused, true, made, long, random).unwrap().as_millis();
    assert_eq!((at(1, 0), at(1, 1_000)), (500, 1_000));
    assert_eq!((at(3, 0), at(3, 1_000)), (2_000, 4_000));
    assert_eq!((at(8, 0), at(8, 1_000)), (4_000, 8_000));
    let asked = CallError { retry_after: Some(Duration::from_secs(30)), ..refused.clone() };
    assert!(wait(retry, &asked, true, 1, long, 5).unwrap() >= Duration::from_secs(30));
    assert_eq!(wait(retry, &asked, true, 1, Duration::from_secs(20), 5), None);
    assert_eq!(wait(retry, &refused, true, 9, long, 0), None);
}
