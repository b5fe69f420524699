use serde_json::json;

use super::*;

const MISCONFIGURED: SendClass = SendClass::Misconfigured;
const RETRY: SendClass = SendClass::Retry { after: None };
const TOO_FAST: SendClass = SendClass::TooFast { limit: PaceLimit::Account };
const TOO_MANY_TO_ONE: SendClass = SendClass::TooFast { limit: PaceLimit::Customer };

/// Every code of Meta's page on errors, as the project's facts list them.
#[test]
fn every_documented_code_has_its_class() {
    let up = SendClass::give_up;
    for (codes, class) in [
        (&[0, 190][..], MISCONFIGURED),
        (&[3, 10, 200, 250, 299], MISCONFIGURED),
        (&[1, 2, 131_000, 131_016, 133_004, 131_057], RETRY),
        (&[4, 80_007, 130_429], TOO_FAST),
        (&[131_056], TOO_MANY_TO_ONE),
        (&[131_048, 368, 131_031], MISCONFIGURED),
        (&[130_497], up(Unreachable)),
        (&[131_047], SendClass::OutsideWindow),
        (&[131_026], up(Unreachable)),
        (&[131_021], up(Rejected)),
        (&[131_030, 131_063, 131_064], SendClass::Retry { after: Some(OPERATOR) }),
        (&[131_049, 130_472], up(Capped)),
        (&[131_050], up(OptedOut)),
        (&[131_008, 131_009, 100, 33], up(Rejected)),
        (&[131_051], up(Rejected)),
        (&[131_052, 131_053], up(Media)),
        (&[131_042, 131_037, 131_045, 133_016], MISCONFIGURED),
        (&[131_062], up(NeedsNumber)),
        (&[132_000, 132_001, 132_005, 132_007, 132_008, 132_012, 132_018], up(Template)),
        (&[132_015, 132_016, 132_068, 132_069], up(Template)),
        (&[135_000], up(Rejected)),
        (&[137_000], up(IdentityChanged)),
        (&[138_000, 138_006, 139_100, 139_103], up(Rejected)),
        (&[999_999, -1], up(Rejected)),
    ] {
        for code in codes {
            assert_eq!(class_of(Some(*code), false), class, "{code}");
        }
    }
    assert_eq!(class_of(None, false), up(Rejected));
}

#[test]
fn only_an_unknown_code_is_retried_because_meta_calls_it_transient() {
    assert_eq!(class_of(Some(999_999), true), RETRY);
    assert_eq!(class_of(None, true), RETRY);
    assert_eq!(class_of(Some(190), true), MISCONFIGURED);
    assert_eq!(class_of(Some(131_047), true), SendClass::OutsideWindow);
}

#[test]
fn an_error_is_read_in_each_of_its_forms() {
    let error = |part: Value| {
        let mut error = json!({ "code": 131_047, "fbtrace_id": "Ax1" });
        error.as_object_mut().unwrap().extend(part.as_object().unwrap().clone());
        from_answer(400, json!({ "error": error }).to_string().as_bytes()).to_string()
    };
    let full =
        json!({ "message": "(#131047) Re-engagement message", "error_data": { "details": "More than 24 hours" } });
    assert_eq!(error(full), "More than 24 hours (error 131047, trace Ax1)");
    assert_eq!(error(json!({ "error_data": "plain words" })), "plain words (error 131047, trace Ax1)");
    assert_eq!(error(json!({ "message": "m", "title": "t" })), "m (error 131047, trace Ax1)");
    assert_eq!(error(json!({ "title": "t" })), "t (error 131047, trace Ax1)");
    assert_eq!(error(json!({})), "refused without words (error 131047, trace Ax1)");
    let written = from_answer(400, br#"{"error":{"code":"131056"}}"#);
    assert_eq!(written.class, TOO_MANY_TO_ONE);
}

#[test]
fn the_status_decides_only_where_meta_says_nothing() {
    for (status, class) in [
        (500, SendClass::Unknown),
        (502, SendClass::Unknown),
        (504, SendClass::Unknown),
        (429, RETRY),
        (401, MISCONFIGURED),
        (403, MISCONFIGURED),
        (404, MISCONFIGURED),
        (302, MISCONFIGURED),
        (400, SendClass::give_up(Rejected)),
        (413, SendClass::give_up(Rejected)),
    ] {
        for body in [&b""[..], b"<html>", b"[]", br#"{"error":null}"#] {
            assert_eq!(from_answer(status, body).class, class, "{status} {body:?}");
        }
    }
    let own = from_answer(500, br#"{"error":{"code":131000,"message":"Something went wrong"}}"#);
    assert_eq!(own.class, RETRY, "Meta itself refused it: it was not sent");
}

#[test]
fn what_an_error_repeats_of_ours_is_struck() {
    let words =
        "Invalid parameter '+5541987654321' for token EAAGm0PX4ZCpsBAKZCmZBZAZAZBZBZCZAZDZDEAAGm0PX4ZCpsBAK (#100)";
    assert_eq!(clean(words), "Invalid parameter … for token … (#100)");
    assert_eq!(clean(&"long words ".repeat(100)).chars().count(), SendError::MAX_MESSAGE);
}
