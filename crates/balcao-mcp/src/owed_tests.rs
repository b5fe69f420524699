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
        assert!(stream.hear(&question(id)), "{id}");
    }
    assert!(!stream.hear(&question(most())));
}

#[test]
fn what_is_refused_does_not_count() {
    let owed = Arc::<Owed>::default();
    let stream = Stream::begin(Arc::clone(&owed));
    full(&stream);
    for id in 0..1_000 {
        assert!(!stream.hear(&question(most() + id)), "{id}");
    }
    // An answer makes room for one question, though it is not sent to its end.
    drop(Answering::begin(&owed, &RequestId::Number(7)));
    assert!(stream.hear(&question(most())));
    assert!(!stream.hear(&question(most() + 1)));
    // Another message of ours makes none, and neither does an answer to what was not asked.
    owed.take();
    owed.close(&RequestId::Number(-1));
    assert!(!stream.hear(&question(most() + 1)));
}

#[test]
fn what_is_withdrawn_counts_until_the_server_takes_a_message_for_it() {
    let owed = Arc::<Owed>::default();
    let stream = Stream::begin(Arc::clone(&owed));
    full(&stream);
    assert!(stream.hear(&withdrawal(0)) && stream.hear(&withdrawal(1)));
    assert!(!stream.hear(&question(most())));
    owed.take();
    assert!(stream.hear(&question(most())) && !stream.hear(&question(most() + 1)));
    owed.take();
    assert!(stream.hear(&question(most() + 1)) && !stream.hear(&question(most() + 2)));
    // A withdrawal of what is not owed makes no room.
    assert!(stream.hear(&withdrawal(-1)));
    owed.take();
    assert!(!stream.hear(&question(most() + 2)));
}

#[test]
fn a_stream_that_ends_makes_room_for_one_question_a_message() {
    let owed = Arc::<Owed>::default();
    let (kept, ended) = (Stream::begin(Arc::clone(&owed)), Stream::begin(Arc::clone(&owed)));
    assert!(kept.hear(&question(-1)));
    for id in 1..most() {
        assert!(ended.hear(&question(id)), "{id}");
    }
    drop(ended);
    assert!(!kept.hear(&question(most())));
    for id in 1..most() {
        owed.take();
        assert!(kept.hear(&question(id)) && !kept.hear(&question(most())), "{id}");
    }
}

#[test]
fn an_id_that_stands_twice_counts_twice() {
    let owed = Owed::default();
    for _ in 0..MAX_OWED {
        assert!(owed.hear(0, &question(1)));
    }
    assert!(!owed.hear(0, &question(1)));
    owed.close(&RequestId::Number(1));
    assert!(owed.hear(0, &question(1)));
    assert!(!owed.hear(0, &question(1)));
}

#[test]
fn only_an_answer_answers() {
    let text = |id: &str| Some(RequestId::String(id.into()));
    assert_eq!(read_answered(br#"{"jsonrpc": "2.0", "id": "a", "result": {}}"#), text("a"));
    assert_eq!(read_answered(br#"{"id": "a", "error": {"code": -32601, "message": "no"}}"#), text("a"));
    assert_eq!(read_answered(br#"{"id": "a", "method": "tools/call"}"#), None);
    assert_eq!(read_answered(br#"{"method": "notifications/initialized"}"#), None);
}
