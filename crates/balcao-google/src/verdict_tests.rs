use serde_json::json;

use super::*;

fn answer(status: u16, body: &[u8]) -> Answer {
    Answer { status, retry_after_ms: None, date: None, body: body.to_vec() }
}

fn refused(status: u16, errors: &[&str], details: &[&str]) -> Verdict {
    let list = |reasons: &[&str]| reasons.iter().map(|reason| json!({ "reason": reason })).collect::<Vec<_>>();
    let body = json!({ "error": { "message": "words", "errors": list(errors), "details": list(details) } });
    classify(Ok(answer(status, body.to_string().as_bytes())), Effect::Read, &Limits::default())
}

fn cause(verdict: &Verdict) -> Option<DisconnectCause> {
    let Verdict::Failed(ServiceError::Disconnected { cause, .. }) = verdict else { return None };
    Some(*cause)
}

#[test]
fn exact_reason_of_a_newer_front_end_counts_wherever_it_stands() {
    let scope = "ACCESS_TOKEN_SCOPE_INSUFFICIENT";
    assert_eq!(cause(&refused(403, &["forbidden"], &["x", scope])), Some(DisconnectCause::MissingScope));
    assert_eq!(cause(&refused(403, &[], &["SERVICE_DISABLED"])), Some(DisconnectCause::ApiDisabled));
    assert!(matches!(refused(403, &["forbidden"], &["RATE_LIMIT_EXCEEDED"]), Verdict::Again(_)));
    assert_eq!(cause(&refused(403, &["forbidden"], &[])), None);
}

#[test]
fn error_without_readable_words_is_classified_by_its_status() {
    for body in [&b"<html>"[..], b"", b"[]", b"{\"error\": 5}", b"{\"error\": {\"errors\": [5]}}"] {
        let of = |status, effect| classify(Ok(answer(status, body)), effect, &Limits::default());
        assert_eq!(of(401, Effect::Read), Verdict::Renew);
        assert!(matches!(of(403, Effect::Read), Verdict::Failed(ServiceError::Refused { .. })));
        assert_eq!(of(410, Effect::Read), Verdict::Failed(ServiceError::Deleted));
        assert!(matches!(of(503, Effect::Read), Verdict::Again(_)));
        assert!(matches!(of(503, Effect::Write), Verdict::Failed(ServiceError::Unknown { .. })));
        // A redirect would carry the token elsewhere, so it is not followed.
        assert!(matches!(of(302, Effect::Write), Verdict::Failed(ServiceError::Refused { .. })));
    }
}

#[test]
fn long_words_of_the_service_are_cut() {
    let body = json!({ "error": { "message": "x".repeat(10_000), "errors": [{ "reason": "y".repeat(10_000) }] } });
    let verdict = classify(Ok(answer(400, body.to_string().as_bytes())), Effect::Read, &Limits::default());
    let Verdict::Failed(ServiceError::Refused { reason }) = verdict else { panic!("{verdict:?}") };
    assert!(reason.len() < 500, "{}", reason.len());
}
