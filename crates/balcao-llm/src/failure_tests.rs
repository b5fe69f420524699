use serde_json::json;

use super::*;

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| ((*name).parse().unwrap(), value.parse().unwrap())).collect()
}

fn kind(status: u16, body: &Value) -> ModelErrorKind {
    from_status(status, &HeaderMap::new(), body.to_string().as_bytes()).kind
}

#[test]
fn status_codes_decide_unless_the_vendors_word_says_more() {
    use ModelErrorKind::{Denied, RateLimited, Rejected, ToolUseFailed, Upstream};
    let none = json!({});
    for (status, expected) in [
        (301, Rejected),
        (400, Rejected),
        (401, Denied),
        (402, Denied),
        (403, Denied),
        (404, Rejected),
        (408, Upstream),
        (413, Rejected),
        (422, Rejected),
        (429, RateLimited),
        (500, Upstream),
        (503, Upstream),
        (529, RateLimited),
    ] {
        assert_eq!(kind(status, &none), expected, "{status}");
    }
    assert_eq!(kind(429, &json!({"error": {"code": "insufficient_quota", "message": "m"}})), Denied);
    assert_eq!(kind(400, &json!({"error": {"code": "tool_use_failed", "message": "m"}})), ToolUseFailed);
    assert_eq!(kind(400, &json!([{"error": {"code": 400, "details": [{"reason": "API_KEY_INVALID"}]}}])), Denied);
}

#[test]
fn errors_inside_an_answer_are_told_apart() {
    use ModelErrorKind::{Denied, RateLimited, Rejected, ToolUseFailed, Upstream};
    for (body, expected) in [
        (json!({"error": {"code": 429, "message": "m"}}), RateLimited),
        (json!({"error": {"code": 502, "message": "m"}}), Upstream),
        (json!({"error": {"type": "overloaded_error", "message": "m"}}), RateLimited),
        (json!({"error": {"type": "api_error", "message": "m"}}), Upstream),
        (json!({"error": {"type": "authentication_error"}}), Denied),
        (json!({"error": {"status": "INVALID_ARGUMENT", "message": "m"}}), Rejected),
        (json!({"error": {"code": "tool_use_failed", "status_code": 400}}), ToolUseFailed),
        (json!({"error": "out of memory"}), Upstream),
    ] {
        assert_eq!(from_body(&body).kind, expected, "{body}");
    }
}

#[test]
fn the_vendors_wait_is_read_wherever_it_stands() {
    let wait = |pairs: &[(&'static str, &str)], body: Value| {
        from_status(429, &headers(pairs), body.to_string().as_bytes()).retry_after.map(|wait| wait.as_millis())
    };
    assert_eq!(wait(&[("retry-after", "7")], json!({})), Some(7_000));
    assert_eq!(wait(&[("retry-after-ms", "250"), ("retry-after", "7")], json!({})), Some(250));
    let dates = [("date", "Sun, 06 Nov 1994 08:49:37 GMT"), ("retry-after", "Sun, 06 Nov 1994 08:50:00 GMT")];
    assert_eq!(wait(&dates, json!({})), Some(23_000));
    let past = [("date", "Sun, 06 Nov 1994 08:50:37 GMT"), ("retry-after", "Sun, 06 Nov 1994 08:50:00 GMT")];
    assert_eq!(wait(&past, json!({})), Some(0));
    assert_eq!(wait(&[("retry-after", "Sun, 06 Nov 1994 08:50:00 GMT")], json!({})), None, "no Date to compare with");
    assert_eq!(wait(&[("retry-after", "-3")], json!({})), None);
    assert_eq!(wait(&[("retry-after", "999999999")], json!({})), Some(86_400_000), "not now");
    let google = json!({"error": {"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.074824224s"}]}});
    assert_eq!(wait(&[], google.clone()), Some(34_074));
    assert_eq!(wait(&[], json!({"error": {"metadata": {"raw": google.to_string()}}})), Some(34_074));
    assert_eq!(wait(&[], json!({"error": {"metadata": {"retry_after_seconds": 2}}})), Some(2_000));
    assert_eq!(wait(&[], json!({"error": {"message": "Limit. Please try again in 1m2.5s. See"}})), Some(62_500));
    assert_eq!(wait(&[], json!({"error": {"message": "Please try again in 20ms."}})), Some(20));
    assert_eq!(wait(&[], json!({"error": {"message": "Please try again in a moment"}})), None);
}

#[test]
fn messages_quote_neither_the_request_nor_a_key() {
    let secrets = ["key-12345", "quero cortar o cabelo amanhã de manhã com o Zé", "oi"];
    let shown =
        |message: &str| Failure::new(ModelErrorKind::Rejected, message).into_error("p", secrets.into_iter()).message;
    assert_eq!(shown("bad input 'quero cortar o cabelo amanhã de manhã com o Zé' here"), "bad input '…' here");
    assert_eq!(shown("cut: cabelo amanhã de manhã com"), "cut:…");
    assert_eq!(shown("key-12345 is wrong"), "… is wrong");
    assert_eq!(shown("Incorrect API key provided: sk-ab***yz. Find"), "Incorrect API key provided: … Find");
    assert_eq!(shown("plain words"), "plain words");
    assert_eq!(shown(&"x".repeat(5_000)).chars().count(), 500);
}

#[test]
fn what_the_model_wrote_is_not_in_the_message() {
    let body = json!({"error": {"code": "tool_use_failed", "message": "m", "failed_generation": "<function=book>"}});
    assert_eq!(from_body(&body).message, "error in the answer: m (tool_use_failed)");
}
