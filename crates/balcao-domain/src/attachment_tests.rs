use super::*;

#[test]
fn pauses_grow_and_end() {
    let now = Timestamp::UNIX_EPOCH;
    let pauses: Vec<Option<i64>> =
        (1..=MAX_ATTEMPTS).map(|attempt| try_again(attempt, None, now).map(Timestamp::as_second)).collect();
    assert_eq!(pauses, [Some(1), Some(2), Some(4), Some(8), None]);
    assert_eq!(try_again(1, Some(Duration::from_secs(30)), now).map(Timestamp::as_second), Some(30));
}

#[test]
fn every_state_has_a_word() {
    for state in AttachmentState::ALL {
        assert_eq!(AttachmentState::from_word(state.as_str()), Some(state));
    }
}
