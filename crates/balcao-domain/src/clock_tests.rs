use super::*;

#[test]
fn a_manual_clock_moves_only_when_told() {
    let start: Timestamp = "2026-11-23T12:00:00Z".parse().unwrap();
    let clock = ManualClock::at(start);
    assert_eq!(clock.now(), start);
    clock.advance(SignedDuration::from_mins(90));
    assert_eq!(clock.now(), "2026-11-23T13:30:00Z".parse().unwrap());
    clock.set(start);
    assert_eq!(clock.now(), start);
    clock.advance(SignedDuration::MAX);
    assert_eq!(clock.now(), Timestamp::MAX);
}
