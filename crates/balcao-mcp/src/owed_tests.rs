use super::*;

fn question(id: i64) -> Vec<u8> {
    format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "ping"}}"#).into_bytes()
}

fn withdrawal(id: i64) -> Vec<u8> {
    format!(r#"{{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {{"requestId": {id}}}}}"#)
        .into_bytes()
}

fn most() -> i64 {
    i64::try_from(MAX_OWED).unwrap()
}

/// A server that has asked as much as it may.
fn full(stream: &Stream) {
    for id in 0..most() {
        assert!(stream.hear(&question(id)).is_ok(), "{id}");
    }
    assert!(stream.hear(&question(most())).is_err());
}

#[test]
fn what_is_refused_does_not_count() {
    let owed = Arc::<Owed>::default();
    let stream = Stream::begin(Arc::clone(&owed));
    full(&stream);
    for id in 0..1_000 {
        assert!(stream.hear(&question(most() + id)).is_err(), "{id}");
    }
    // An answer makes room for one question, though it is not sent to its end.
    drop(Answering::begin(&owed, &RequestId::Number(7)));
    assert!(stream.hear(&question(most())).is_ok());
    assert!(stream.hear(&question(most() + 1)).is_err());
    // Another message of ours makes none, and neither does an answer to what was not asked.
    owed.take();
    owed.close(&RequestId::Number(-1));
    assert!(stream.hear(&question(most() + 1)).is_err());
}

#[test]
fn what_is_withdrawn_counts_until_the_server_takes_a_message_for_it() {
    let owed = Arc::<Owed>::default();
    let stream = Stream::begin(Arc::clone(&owed));
    full(&stream);
    assert!(stream.hear(&withdrawal(0)).is_ok() && stream.hear(&withdrawal(1)).is_ok());
    assert!(stream.hear(&question(most())).is_err());
    owed.take();
    assert!(stream.hear(&question(most())).is_ok() && stream.hear(&question(most() + 1)).is_err());
    owed.take();
    assert!(stream.hear(&question(most() + 1)).is_ok() && stream.hear(&question(most() + 2)).is_err());
    // A withdrawal of what is not owed makes no room.
    assert!(stream.hear(&withdrawal(-1)).is_ok());
    owed.take();
    assert!(stream.hear(&question(most() + 2)).is_err());
}

#[test]
fn a_stream_that_ends_makes_room_for_one_question_a_message() {
    let owed = Arc::<Owed>::default();
    let (kept, ended) = (Stream::begin(Arc::clone(&owed)), Stream::begin(Arc::clone(&owed)));
    assert!(kept.hear(&question(-1)).is_ok());
    for id in 1..most() {
        assert!(ended.hear(&question(id)).is_ok(), "{id}");
    }
    drop(ended);
    assert!(kept.hear(&question(most())).is_err());
    for id in 1..most() {
        owed.take();
        assert!(kept.hear(&question(id)).is_ok() && kept.hear(&question(most())).is_err(), "{id}");
    }
}

#[test]
fn an_id_that_stands_twice_counts_twice() {
    let owed = Owed::default();
    for _ in 0..MAX_OWED {
        assert!(owed.hear(0, &question(1)).is_ok());
    }
    assert!(owed.hear(0, &question(1)).is_err());
    owed.close(&RequestId::Number(1));
    assert!(owed.hear(0, &question(1)).is_ok());
    assert!(owed.hear(0, &question(1)).is_err());
}

#[test]
fn an_id_that_is_too_long_is_refused_and_not_kept() {
    let owed = Owed::default();
    let asked = |bytes: usize| format!(r#"{{"id": "{}", "method": "ping"}}"#, "a".repeat(bytes)).into_bytes();
    assert_eq!(owed.hear(0, &asked(MAX_ID_BYTES)), Ok(()));
    for _ in 0..MAX_OWED {
        assert_eq!(owed.hear(0, &asked(MAX_ID_BYTES + 1)), Err(Unheard::LongId));
    }
    assert_eq!(owed.questions().open.len(), 1);
    // What is not a question keeps nothing.
    let answer = format!(r#"{{"id": "{}", "result": {{}}}}"#, "a".repeat(1_000));
    assert_eq!(owed.hear(0, answer.as_bytes()), Ok(()));
    assert!(Unheard::LongId.to_string().contains("at most 256 bytes"));
}

#[test]
fn only_an_answer_answers() {
    let text = |id: &str| Some(RequestId::String(id.into()));
    assert_eq!(read_answered(br#"{"jsonrpc": "2.0", "id": "a", "result": {}}"#), text("a"));
    assert_eq!(read_answered(br#"{"id": "a", "error": {"code": -32601, "message": "no"}}"#), text("a"));
    assert_eq!(read_answered(br#"{"id": "a", "method": "tools/call"}"#), None);
    assert_eq!(read_answered(br#"{"method": "notifications/initialized"}"#), None);
}
