//! Hostile helpers, by the rows A-65 to A-77 of the threat table.

use std::time::Duration;

use balcao_sandbox::{BrokenLimit, Bundle, BundleError, Call, Helper, HelperError, Language, Limits};
use serde_json::{Value, json};

use crate::{generous, one, run, sandbox, thrown};

/// The limit that each source breaks, called in one sandbox one after the other.
async fn all_break(sources: &[String], time: Duration) {
    let helpers = (0..).zip(sources).map(|(n, source)| Helper::javascript(&format!("h{n}"), "h.js", source)).collect();
    let sandbox = sandbox(helpers);
    for (n, source) in sources.iter().enumerate() {
        let id = format!("h{n}");
        let limits = Limits { time, ..Limits::default() };
        match sandbox.call(&Call { limits, ..Call::new(&id, &[]) }).await {
            Err(HelperError::Limit { limit: BrokenLimit::Time(_) | BrokenLimit::Memory(_), .. }) => {}
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_65_fifty_shapes_of_endless_loops_end_and_none_catches_it() {
    let shapes = [
        "for (;;);",
        "while (true) {}",
        "do {} while (1);",
        "for (let i = 0; ; i++) i--;",
        "l: for (;;) { continue l }",
        "let i = 0; while (i < Infinity) i++;",
        "for (const x of (function* () { for (;;) yield 1 })());",
        "const a = [1]; for (const x of a) a.push(x, x); ",
        "const s = new Set([1]); for (const x of s) { s.delete(x); s.add(x) }",
        "const m = new Map([[1, 1]]); for (const [k] of m) { m.delete(k); m.set(k, 1) }",
        "for (;;) { try { throw 1 } catch {} }",
        "for (;;) { try { null.x } finally { continue } }",
        "for (;;) JSON.parse('[1,2,3]');",
        "for (;;) 'a'.replace(/a/, 'b');",
        "for (;;) new Date();",
        "for (;;) [3, 2, 1].sort();",
        "for (;;) Object.keys({ a: 1 });",
        "for (;;) (() => {})();",
        "for (;;) new Proxy({}, { get: () => 1 }).x;",
        "const o = { get x() { for (;;); } }; o.x;",
        "const o = { toString() { for (;;); } }; '' + o;",
        "const o = { valueOf() { for (;;); } }; +o;",
        "[...{ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }];",
        "new Array(3).fill().map(function again() { for (;;); });",
        "[2, 1].sort(() => { for (;;); });",
    ];
    let mut sources = Vec::new();
    for shape in shapes {
        sources.push(format!("() => {{ {shape} return 'went on' }}"));
        sources
            .push(format!("() => {{ try {{ {shape} }} catch {{ return 'caught' }} finally {{ return 'finally' }} }}"));
    }
    assert_eq!(sources.len(), 50);
    all_break(&sources, Duration::from_millis(10)).await;
}

#[tokio::test]
async fn a_65_floods_of_promises_end() {
    let sources = [
        "async () => { for (;;) await null }",
        "() => new Promise(() => { const again = () => Promise.resolve().then(again); again() })",
        "() => { const again = () => { Promise.resolve().then(again); Promise.resolve().then(again) }; again(); return new Promise(() => {}) }",
        "async () => { try { for (;;) await null } catch { return 1 } finally { return 2 } }",
        "() => { const p = Promise.resolve(); const f = () => { try { p.then(f) } catch {} }; f(); return new Promise(() => {}) }",
        "async () => { for await (const x of (async function* () { for (;;) yield 1 })()); }",
        "() => ({ then(done) { done(this) } })\n.then ? (async () => { for (;;) await { then(d) { d() } } })() : 0",
    ];
    let mut sources: Vec<String> = sources.map(str::to_owned).into();
    sources.pop();
    all_break(&sources, Duration::from_millis(20)).await;
}

#[tokio::test]
async fn a_66_the_engines_own_functions_are_stopped_from_outside() {
    let sources = [
        "() => /^(a+)+$/.test('a'.repeat(40) + 'b')",
        "() => /(x+x+)+y/.test('x'.repeat(100))",
        "() => /^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(100))",
        "() => { const big = 7n ** 30000n; for (;;) String(big) }",
        "() => { let n = 3n; for (;;) n = n * n }",
        "() => { const s = 'a'.repeat(4e6); for (;;) s.indexOf('b'.repeat(1e5)) }",
        "() => { const s = 'é'.repeat(5e5); for (;;) s.normalize('NFD') }",
        "() => { const a = Array.from({ length: 1e5 }, (_, i) => -i); for (;;) a.sort() }",
        "() => { const a = [3, 1, 2]; a.sort(() => { a.length = 1e6; return 1 }); for (;;) a.sort() }",
        "() => { for (;;) ' '.repeat(1e6).trim() }",
        "() => { const s = JSON.stringify(Array(1e5).fill({ a: 1 })); for (;;) JSON.parse(s) }",
        "() => new Array(2 ** 32 - 1).indexOf(1)",
        "() => { const a = []; a.length = 2 ** 32 - 1; a.reverse(); for (;;); }",
    ];
    all_break(&sources.map(str::to_owned), Duration::from_millis(20)).await;
}

#[tokio::test]
async fn a_68_deep_nesting_is_an_error() {
    assert!(matches!(
        run("() => JSON.parse('['.repeat(1e6))", &[]).await,
        Err(HelperError::Limit { limit: BrokenLimit::Stack(_), .. } | HelperError::Thrown { .. })
    ));
    assert!(matches!(
        run("() => { let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a }", &[]).await,
        Err(HelperError::Limit { limit: BrokenLimit::Stack(_) | BrokenLimit::Output(_), .. }
            | HelperError::Worker { .. })
    ));
    for nested in [
        "(".repeat(100_000),
        "[".repeat(100_000),
        "{".repeat(100_000),
        "x=>".repeat(50_000),
        "!".repeat(200_000),
        "`${".repeat(50_000),
    ] {
        let error = run(&format!("() => {nested}"), &[]).await.unwrap_err();
        assert!(
            matches!(error, HelperError::Limit { .. } | HelperError::Thrown { .. } | HelperError::Worker { .. }),
            "{error}"
        );
    }
    assert!(run("() => new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('')", &[]).await.is_err());
}

#[tokio::test]
async fn a_69_a_73_what_one_call_changes_no_other_call_sees() {
    let canary = r#"() => {
        const marks = [];
        const mark = (name, there) => { if (there) marks.push(name) };
        mark("global", "canary" in globalThis);
        mark("prototype", ({}).canary !== undefined || "canary" in Object.prototype);
        mark("array", [].canary !== undefined || [1].map((x) => x)[0] !== 1);
        mark("json", JSON.stringify({}) !== "{}");
        mark("symbol", Symbol.for("canary") !== undefined && globalThis[Symbol.for("canary")] !== undefined);
        mark("regexp", RegExp.$1 !== "" && RegExp.$1 !== undefined);
        mark("module", typeof state !== "undefined");
        mark("date", Date.now() !== 0);
        globalThis.canary = 1;
        globalThis[Symbol.for("canary")] = 1;
        Object.prototype.canary = 1;
        Array.prototype.canary = 1;
        Array.prototype.map = () => ["tampered"];
        JSON.stringify = () => "tampered";
        JSON.parse = () => "tampered";
        Object.prototype.toJSON = function () { return this };
        Promise.prototype.then = () => "tampered";
        Function.prototype.apply = () => "tampered";
        Reflect.construct = () => "tampered";
        Date.now = () => 5;
        Object.freeze(Object.prototype);
        /(.)/.exec("x");
        return marks;
    }"#;
    let sandbox = one(canary);
    for _ in 0..5 {
        assert_eq!(sandbox.call(&generous("it", &[])).await.unwrap(), json!([]));
    }
}

#[tokio::test]
async fn a_69_polluting_keys_are_only_keys() {
    let hostile: Value =
        serde_json::from_str(r#"{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}"#)
            .unwrap();
    let source = "(x) => [({}).polluted ?? null, Object.keys(x), x]";
    let expected = json!([null, ["__proto__", "constructor"], hostile]);
    assert_eq!(run(source, std::slice::from_ref(&hostile)).await.unwrap(), expected);
}

#[tokio::test]
async fn a_69_state_of_a_module_does_not_last() {
    let sandbox =
        one("let count = 0;\nconst seen = [];\nexport default () => { seen.push(1); return ++count + seen.length }");
    for _ in 0..3 {
        assert_eq!(sandbox.call(&generous("it", &[])).await.unwrap(), json!(2));
    }
}

#[tokio::test]
async fn a_70_there_is_no_host_to_call() {
    assert_eq!(thrown("() => glue", &[]).await, "ReferenceError: glue is not defined");
    // Tampering at the top level, before the worker looks at what was exported.
    for source in [
        "Object.keys = () => { throw new Error('mine') };\nexport default () => 1",
        "String.prototype.toLowerCase = () => 7; String.prototype.replace = () => 7; Array.prototype.find = () => 7;\nexport default () => 1",
        "Object.defineProperty(globalThis, 'it', { set() { throw new Error('mine') } });\nexport default () => 1",
        "Object.prototype.default = () => 2; Object.prototype.__functions = 3;\nexport default () => 1",
        "globalThis.module = null;\nexport default () => 1",
        "module.exports = new Proxy({}, { get() { throw new Error('mine') }, ownKeys() { for (;;); } });\n",
    ] {
        match run(source, &[]).await {
            Ok(value) => assert_eq!(value, json!(1), "{source}"),
            Err(error) => {
                assert!(matches!(error, HelperError::Thrown { .. } | HelperError::Limit { .. }), "{source}: {error}")
            }
        }
    }
}

#[tokio::test]
async fn a_72_text_does_not_become_code() {
    for source in [
        "() => eval('1')",
        "() => new Function('return 1')()",
        "() => (() => {}).constructor('return 1')()",
        "() => (function* () {}).constructor('yield 1')()",
        "() => (async () => {}).constructor('return 1')()",
        "() => Reflect.construct(Function, ['return 1'])()",
        "async () => (await import('data:text/javascript,export default 1')).default",
        "async () => (await import('prelude')).glue.call()",
        "() => setTimeout('1')",
        "() => std.evalScript('1')",
    ] {
        match run(source, &[]).await {
            Err(HelperError::Thrown { .. }) => {}
            other => panic!("{source}: {other:?}"),
        }
    }
}

/// The list is the whole of what a helper can name. Whoever adds to it says why here.
#[tokio::test]
async fn a_72_a_74_a_helper_sees_the_language_and_nothing_else() {
    let names =
        run("() => Object.getOwnPropertyNames(globalThis).filter((name) => name !== 'it').sort()", &[]).await.unwrap();
    let names: Vec<&str> = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let language = [
        "$json",
        "AggregateError",
        "Array",
        "ArrayBuffer",
        "AsyncDisposableStack",
        "BigInt",
        "BigInt64Array",
        "BigUint64Array",
        "Boolean",
        "DataView",
        "Date",
        "DisposableStack",
        "Error",
        "EvalError",
        "Float16Array",
        "Float32Array",
        "Float64Array",
        "Function",
        "Infinity",
        "Int16Array",
        "Int32Array",
        "Int8Array",
        "InternalError",
        "Iterator",
        "JSON",
        "Map",
        "Math",
        "NaN",
        "Number",
        "Object",
        "Promise",
        "Proxy",
        "RangeError",
        "ReferenceError",
        "Reflect",
        "RegExp",
        "Set",
        "String",
        "SuppressedError",
        "Symbol",
        "SyntaxError",
        "TypeError",
        "URIError",
        "Uint16Array",
        "Uint32Array",
        "Uint8Array",
        "Uint8ClampedArray",
        "WeakMap",
        "WeakSet",
        "decodeURI",
        "decodeURIComponent",
        "encodeURI",
        "encodeURIComponent",
        "escape",
        "exports",
        "globalThis",
        "isFinite",
        "isNaN",
        "module",
        "parseFloat",
        "parseInt",
        "queueMicrotask",
        "require",
        "undefined",
        "unescape",
    ];
    let more: Vec<&&str> = names.iter().filter(|name| !language.contains(name)).collect();
    let less: Vec<&&str> = language.iter().filter(|name| !names.contains(name)).collect();
    assert_eq!((more, less), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_75_the_same_call_gives_the_same_answer() {
    let source = r#"(input) => [Object.keys(input), new Date().toString(), new Date(2026, 6, 1).toLocaleString(), (1234.5).toLocaleString("pt-BR"),
        ["ä", "z", "a"].sort((a, b) => a.localeCompare(b)), typeof Intl, 0.1 + 0.2, Math.sin(1e6), [..."zyx"].map((x) => x.codePointAt(0)), new Error("x").stack.length]"#;
    let arguments = [json!({"b": 1, "a": 2, "10": 3, "9": 4})];
    let first = run(source, &arguments).await.unwrap();
    for _ in 0..3 {
        assert_eq!(run(source, &arguments).await.unwrap(), first);
    }
    assert_eq!(first[1], json!("Thu Jan 01 1970 00:00:00 GMT+0000"));
}

#[tokio::test]
async fn a_76_answers_that_are_no_json_are_errors() {
    assert!(
        thrown("() => { const a = []; a.push(a); return a }", &[]).await.starts_with("TypeError: circular reference")
    );
    assert!(thrown("() => 1n", &[]).await.starts_with("TypeError:"));
    for bomb in [
        "() => 'x'.repeat(1e6)",
        "() => Array(2e5).fill(1)",
        "() => ({ toJSON: () => Array(1e5).fill(null) })",
        "() => '\\u0001'.repeat(1e5)",
    ] {
        match run(bomb, &[]).await {
            Err(HelperError::Limit { limit, .. }) => assert_eq!(limit, BrokenLimit::Output(256 << 10), "{bomb}"),
            other => panic!("{bomb}: {other:?}"),
        }
    }
    // As long as an error's message is, it is cut; an error cannot be an output bomb.
    assert!(thrown("() => { throw new Error('x'.repeat(1e6)) }", &[]).await.chars().count() < 1_100);
    assert!(thrown("() => { throw 'x'.repeat(1e6) }", &[]).await.chars().count() < 1_100);
    assert!(
        thrown(
            "() => { const e = new Error(); e.stack = 'at '.repeat(1e6) + '\\n'; e.name = 'n'.repeat(1e6); throw e }",
            &[]
        )
        .await
        .chars()
        .count()
            < 1_100
    );
}

#[test]
fn a_77_python_is_refused_by_name_and_not_skipped() {
    let python = Helper { language: Language::Python, ..Helper::javascript("it", "it.py", "def it(x): return x") };
    let problems = Bundle::new(vec![python]).unwrap_err();
    assert_eq!(problems, [BundleError::UnsupportedLanguage { helper: "it".to_owned(), language: Language::Python }]);
    assert!(problems[0].to_string().starts_with("unsupported_language"));
}
