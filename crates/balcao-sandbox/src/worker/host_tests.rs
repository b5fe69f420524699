use super::*;

#[test]
fn halves_of_pairs_are_replaced_and_escaped_backslashes_are_not() {
    for (json, whole) in [
        (r#""\ud800""#, "\"\u{fffd}\""),
        (r#""\\ud800""#, r#""\\ud800""#),
        (r#""\\\udfff.""#, "\"\\\\\u{fffd}.\""),
        (r#""\n\u0001\ud83d\ude""#, "\"\\n\\u0001\u{fffd}\\ude\""),
        (r#""\ud""#, r#""\ud""#),
        ("\"😀\\ud83d\"", "\"😀\u{fffd}\""),
        ("[1]", "[1]"),
    ] {
        assert_eq!(whole_characters(json.to_owned()), whole, "{json}");
    }
}

#[test]
fn what_is_wanted_at_the_start_is_compiled_before_the_first_call_and_the_rest_when_it_is_needed() {
    let at_start = |id: &str, code: &str| Helper { at_start: true, ..Helper::javascript(id, "a.js", code) };
    let helpers = vec![Helper::javascript("a", "a.js", "(x) => x + 1"), at_start("b", "(x) => x + 2")];
    let host = Host::new(helpers).unwrap();
    assert!(host.compiled[0].is_none() && host.compiled[1].is_some());
    // One that is broken is told when it is called, and a worker starts all the same.
    let mut host = Host::new(vec![at_start("b", "(x => ")]).unwrap();
    let limits = Limits::default().bounded();
    let header = CallHeader { number: 1, check_only: false, now_ms: 0, limits, order: vec![0] };
    assert!(host.call(&header, b"[1]").result.is_err());
}

#[test]
fn an_engine_waits_for_the_next_call_and_serves_one() {
    let mut host = Host::new(vec![Helper::javascript("a", "a.js", "(x) => x + 1")]).unwrap();
    let header =
        CallHeader { number: 1, check_only: false, now_ms: 0, limits: Limits::default().bounded(), order: vec![0] };
    for _ in 0..3 {
        assert_eq!(host.call(&header, b"[1]").result, Ok("2".to_owned()));
        assert!(host.waiting.is_none());
        host.prepare();
        assert!(host.waiting.is_some());
    }
}
