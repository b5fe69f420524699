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
    // A call of a broken helper gets the error, and a worker starts all the same.
    let mut host = Host::new(vec![at_start("b", "(x => ")]).unwrap();
    let limits = Limits::default().bounded();
    let header = CallHeader { number: 1, check_only: false, now_ms: 0, limits, order: vec![0] };
    assert!(host.call(&header, b"[1]").result.is_err());
}

#[test]
fn no_call_finds_what_another_left_whatever_it_did_to_the_realm_and_however_it_ended() {
    let helper = |id: &str, code: &str| Helper::javascript(id, "a.js", code);
    let mut host = Host::new(vec![
        helper("look", "() => [Object.getOwnPropertyNames(globalThis).sort().join(), typeof left, [].at === undefined, 'a'.left, Date.now()]"),
        helper("leave", "() => { globalThis.left = 1; String.prototype.left = 2; delete Array.prototype.at; Math.max = null; return 1 }"),
        helper("break", "() => { Object.prototype.toJSON = () => { throw new Error('x') }; globalThis.JSON = null; throw { a: 1 } }"),
        helper("fill", "() => { const all = []; for (;;) all.push('x'.repeat(1000) + all.length) }"),
        helper("sink", "() => { const f = () => f() + 1; return f() }"),
        helper("turn", "() => { for (;;); }"),
        helper("pend", "() => new Promise(() => { Promise.resolve().then(function again() { Promise.resolve().then(again) }) })"),
    ])
    .unwrap();
    let mut call = |position: u32| {
        let limits = Limits::default().bounded();
        let outcome =
            host.call(&CallHeader { number: 1, check_only: false, now_ms: 7, limits, order: vec![position] }, b"[]");
        host.prepare();
        outcome.result
    };
    let new = call(0);
    assert!(new.as_ref().is_ok_and(|seen| seen.ends_with(r#""undefined",false,null,7]"#)), "{new:?}");
    for breaker in [1, 2, 3, 4, 5, 6, 3, 1] {
        let result = call(breaker);
        assert_eq!(result.is_ok(), breaker == 1, "{result:?}");
        assert_eq!(call(0), new, "after {breaker}");
    }
}

#[test]
fn helpers_stay_loaded_and_those_that_ask_for_the_time_while_they_load_are_loaded_for_each_call() {
    let helper = |id: &str, code: &str| Helper::javascript(id, "a.js", code);
    let mut host = Host::new(vec![
        helper("count", "let calls = 0; module.exports = () => { calls += 1; return [calls, Date.now()] }"),
        helper("born", "const born = Date.now(); module.exports = () => [born, new Date().getTime()]"),
        helper(
            "spy",
            "Object.defineProperty(globalThis, 'glue', { set(v) { globalThis.caught = v }, configurable: true });\
                       module.exports = () => typeof caught",
        ),
        helper("bolt", "Object.defineProperty(globalThis, 'glue', { value: 1 }); module.exports = () => 1"),
    ])
    .unwrap();
    let mut call = |position: u32, now_ms: i64| {
        let limits = Limits::default().bounded();
        let outcome =
            host.call(&CallHeader { number: 1, check_only: false, now_ms, limits, order: vec![position] }, b"[]");
        host.prepare();
        (outcome.result, host.loaded.len(), host.unkept.len())
    };
    for now in [7, 8, 9] {
        assert_eq!(call(0, now), (Ok(format!("[1,{now}]")), 1, 0));
    }
    for now in [7, 8] {
        assert_eq!(call(1, now), (Ok(format!("[{now},{now}]")), 1, 1));
    }
    assert_eq!(call(2, 7), (Ok("\"undefined\"".to_owned()), 2, 1));
    assert!(call(3, 7).0.is_err());
    assert_eq!(call(0, 10), (Ok("[1,10]".to_owned()), 2, 1));
}

#[test]
fn no_more_than_some_sets_of_helpers_stay_loaded() {
    let helpers = (0..20).map(|n| Helper::javascript(&format!("h{n}"), "a.js", &format!("() => {n}"))).collect();
    let mut host = Host::new(helpers).unwrap();
    for position in (0..20).chain(0..20) {
        let limits = Limits::default().bounded();
        let header = CallHeader { number: 1, check_only: false, now_ms: 0, limits, order: vec![position] };
        assert_eq!(host.call(&header, b"[]").result, Ok(position.to_string()));
        assert!(host.loaded.len() <= LOADED);
    }
}
