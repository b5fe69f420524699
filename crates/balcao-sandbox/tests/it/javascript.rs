//! What authors write, and what they get.

use balcao_sandbox::{Call, Helper, HelperError, Place};
use serde_json::json;

use crate::{generous, one, run, sandbox, thrown};

#[tokio::test]
async fn every_way_to_write_a_helper_is_called() {
    for source in [
        "(x) => x + 1",
        "(x) => x + 1;",
        "(x) => x + 1; // adds one",
        "// adds one\n(x) => x + 1 // really",
        "x => { return x + 1 }",
        "async (x) => x + 1",
        "async x => { await null; return x + 1; }",
        "function (x) { return x + 1 }",
        "function it(x) { return x + 1 }",
        "function anything(x) { return x + 1; }",
        "async function anything(x) { return x + 1; }",
        "const it = (x) => x + 1;",
        "const anything = function (x) { return x + 1 };",
        "const one = 1;\n\nfunction it(x) { return x + one }",
        "function other() { return 'no' }\nfunction it(x) { return x + 1 }",
        "let it = (x) => x + 1\nconst other = () => 0",
        "module.exports = (x) => x + 1;",
        "module.exports = function (x) { return x + 1 };\n",
        "function hidden(x) { return x + 1 }\nfunction other() {}\nmodule.exports = hidden;",
        "module.exports = { it: (x) => x + 1, other() {} };",
        "exports.it = (x) => x + 1;",
        "function it(x) { return x + 1 }\nfunction other() {}\nmodule.exports = { it, other };",
        "export default (x) => x + 1;",
        "export default function (x) { return x + 1 }",
        "export default function it(x) { return x + 1 }",
        "export default { it: (x) => x + 1, other: () => 0 }",
        "export const it = (x) => x + 1;\nexport const other = 3;",
        "export function it(x) { return x + 1 }",
        "const it = (x) => x + 1;\nexport { it };",
        "/* a comment with function of its own and let us */\n'use strict';\nfunction it(x) {\n  return x + 1;\n}\n",
        "const detect = () => $json + 1;",
    ] {
        assert_eq!(run(source, &[json!(1)]).await.unwrap(), json!(2), "{source}");
    }
}

#[tokio::test]
async fn the_function_is_found_by_the_id_in_any_spelling_and_by_the_name_of_a_signature() {
    for name in ["cleanName", "clean_name", "CleanName"] {
        let source = format!("function other() {{ return 0 }}\nfunction {name}() {{ return 1 }}");
        let helpers = vec![Helper::javascript("clean-name", "it.js", &source)];
        assert_eq!(sandbox(helpers).call(&generous("clean-name", &[])).await.unwrap(), json!(1), "{name}");
    }
    let mut helper =
        Helper::javascript("clean-name", "it.js", "function a() { return 'a' }\nfunction b() { return 'b' }");
    helper.function = Some("b".to_owned());
    assert_eq!(sandbox(vec![helper]).call(&generous("clean-name", &[])).await.unwrap(), json!("b"));
}

#[tokio::test]
async fn what_is_no_helper_is_told_apart() {
    assert_eq!(
        thrown("const limit = 5;", &[]).await,
        "TypeError: no function: write `function it(payload) { … }`, an arrow, `module.exports = …` or `export default …`"
    );
    assert_eq!(
        thrown("function a() {}\nfunction b() {}", &[]).await,
        "TypeError: several functions (a, b), and none is called `it`"
    );
    assert!(thrown("", &[]).await.contains("no function"));
}

#[tokio::test]
async fn arguments_stand_in_order_and_values_cross_as_json() {
    let all = json!({"null": null, "yes": true, "n": -1.5, "big": 9_007_199_254_740_991_i64, "text": "ação 🎉 \u{0}", "list": [[], {}], "__proto__": {"x": 1}});
    assert_eq!(run("(a, b) => [b, a]", &[all.clone(), json!("b")]).await.unwrap(), json!(["b", all]));
    assert_eq!(run("() => {}", &[]).await.unwrap(), json!(null));
    assert_eq!(
        run("() => [undefined, NaN, Infinity, () => 1, Symbol()]", &[]).await.unwrap(),
        json!([null, null, null, null, null])
    );
    assert_eq!(run("() => new Date(0)", &[]).await.unwrap(), json!("1970-01-01T00:00:00.000Z"));
}

#[tokio::test]
async fn halves_of_surrogate_pairs_become_replacement_characters() {
    let value = run(r#"() => ["\ud83d", "a\udc00b", "\ud83d\ude00", "\\ud83d", "\\\ud83d", {"\ud800": 1}]"#, &[])
        .await
        .unwrap();
    assert_eq!(value, json!(["\u{fffd}", "a\u{fffd}b", "😀", "\\ud83d", "\\\u{fffd}", {"\u{fffd}": 1}]));
}

#[tokio::test]
async fn unicode_is_whole() {
    let source = r#"(text) => text.normalize("NFD").replace(/\p{Diacritic}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/(?<=^)_|_$/g, "")"#;
    assert_eq!(
        run(source, &[json!("Endereço de Instalação nº 2")]).await.unwrap(),
        json!("endereco_de_instalacao_n_2")
    );
    assert_eq!(run(r#"() => [..."👩‍⚕️ok"].length + "ﬁ".normalize("NFKC")"#, &[]).await.unwrap(), json!("6fi"));
    assert_eq!(
        run(r"(id) => /^(?<prefix>\p{Lu}+)[-_.](?<number>\d+)$/u.exec(id).groups.prefix", &[json!("ÉDEV-12")])
            .await
            .unwrap(),
        json!("ÉDEV")
    );
}

#[tokio::test]
async fn promises_are_driven_to_their_end() {
    assert_eq!(
        run("async () => (await Promise.all([1, Promise.resolve(2)])).concat(await (async () => 3)())", &[])
            .await
            .unwrap(),
        json!([1, 2, 3])
    );
    assert_eq!(thrown("() => Promise.reject(new RangeError('no'))", &[]).await, "RangeError: no");
    assert_eq!(thrown("() => new Promise(() => {})", &[]).await, "the promise it returned never settles");
    assert_eq!(run("const late = await Promise.resolve(4);\nexport default () => late", &[]).await.unwrap(), json!(4));
}

#[tokio::test]
async fn dependencies_are_global_functions_and_can_be_required() {
    let helpers = || {
        vec![
            Helper::javascript("fold-text", "helpers/fold-text.js", "const foldText = (t) => t.toUpperCase();"),
            Helper::javascript("tools", "helpers/tools.js", "module.exports = { twice: (t) => t + t, shout: (t) => foldText(t) + '!' };")
                .with_dependencies(&["fold-text"]),
            Helper::javascript(
                "main",
                "helpers/main.js",
                "const { twice } = require('./tools.js');\nfunction main(t) { return [twice(t), shout(t), foldText(t), require('fold-text')(t)] }",
            )
            .with_dependencies(&["tools"]),
            Helper::javascript("lone", "lone.js", "() => typeof foldText"),
            Helper::javascript("wishing", "wishing.js", "() => require('fs')"),
        ]
    };
    let sandbox = sandbox(helpers());
    assert_eq!(sandbox.call(&generous("main", &[json!("a")])).await.unwrap(), json!(["aa", "A!", "A", "A"]));
    assert_eq!(
        sandbox.call(&generous("lone", &[])).await.unwrap(),
        json!("undefined"),
        "only what it depends on is loaded"
    );
    let wishing = sandbox.call(&generous("wishing", &[])).await.unwrap_err().to_string();
    assert_eq!(
        wishing,
        "helper `wishing`: TypeError: require: `fs` is not among the helper's dependencies (wishing.js:1:6)"
    );
}

#[tokio::test]
async fn an_error_names_file_line_and_stack() {
    let mut inline = Helper::javascript("inner", "tool.yaml", "function inner(x) {\n  return x.y.z;\n}");
    inline.first_line = 40;
    let outer = Helper::javascript("outer", "helpers/outer.js", "\nconst outer = (x) => {\n  return inner(x);\n};")
        .with_dependencies(&["inner"]);
    let error = sandbox(vec![inline, outer]).call(&generous("outer", &[json!({})])).await.unwrap_err();
    assert_eq!(error.for_model(), "TypeError: cannot read property 'z' of undefined", "no file, no line");
    let HelperError::Thrown { helper, message, place, stack } = error else { panic!("{error:?}") };
    assert_eq!((helper.as_str(), message.as_str()), ("outer", "TypeError: cannot read property 'z' of undefined"));
    assert_eq!(place, Some(Place { file: "tool.yaml".to_owned(), line: 41, column: 10 }));
    assert_eq!(stack, ["inner (tool.yaml:41:10)", "outer (helpers/outer.js:3:16)"]);
}

#[tokio::test]
async fn what_is_thrown_may_be_anything() {
    assert_eq!(thrown("() => { throw 'words' }", &[]).await, "threw \"words\"");
    assert_eq!(thrown("() => { throw { code: 4 } }", &[]).await, "threw {\"code\":4}");
    assert_eq!(thrown("() => { throw undefined }", &[]).await, "threw undefined");
    assert_eq!(thrown("() => { const e = new Error('x'); e.name = 'Mine'; throw e }", &[]).await, "Mine: x");
    assert_eq!(thrown("() => ({ toJSON() { throw new Error('late') } })", &[]).await, "Error: late");
}

#[tokio::test]
async fn a_check_finds_every_helper_that_is_none_with_its_place() {
    let helpers = vec![
        Helper::javascript("fine", "fine.js", "() => 1"),
        Helper::javascript("syntax", "syntax.js", "function syntax(x) {\n  return x +;\n}"),
        Helper::javascript("open", "open.js", "function open(x) {\n  return {\n}"),
        Helper::javascript("empty", "empty.js", "const x = 1;"),
        Helper::javascript("top", "top.js", "\nfunction top() {}\nmissing();"),
        Helper::javascript("uses-syntax", "u.js", "() => syntax()").with_dependencies(&["syntax"]),
        Helper::javascript("both", "both.js", "(").with_dependencies(&["syntax"]),
        Helper::javascript("library", "library.js", "function a() {}\nfunction b() {}"),
        Helper::javascript("module", "module.js", "import x from 'fs';\nexport default () => x;"),
    ];
    let told: Vec<String> = sandbox(helpers).check().await.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "helper `syntax`: SyntaxError: unexpected token in expression: ';' (syntax.js:2:13)",
            "helper `open`: SyntaxError: unexpected end of the code (open.js:3:2)",
            "helper `empty`: no function: write `function empty(payload) { … }`, an arrow, `module.exports = …` or `export default …`",
            "helper `top`: ReferenceError: missing is not defined (top.js:3:1)",
            "helper `both`: SyntaxError: unexpected end of the code (both.js:1:2)",
            "helper `module`: ReferenceError: could not load module 'fs'",
        ]
    );
}

#[tokio::test]
async fn time_is_the_calls_and_stands_still() {
    let source = "() => [Date.now(), +new Date(), new Date().toISOString(), new Date(2026, 0, 2).toISOString(), new Date().getTimezoneOffset(), new Date() instanceof Date, typeof Date(), Date.UTC(2026, 0), new (class extends Date {})().getTime(), new Date().constructor.now()]";
    let sandbox = one(source);
    let call = Call { now_ms: 1_767_323_045_678, ..generous("it", &[]) };
    let expected = json!([
        1_767_323_045_678_i64,
        1_767_323_045_678_i64,
        "2026-01-02T03:04:05.678Z",
        "2026-01-02T00:00:00.000Z",
        0,
        true,
        "string",
        1_767_225_600_000_i64,
        1_767_323_045_678_i64,
        1_767_323_045_678_i64
    ]);
    assert_eq!(sandbox.call(&call).await.unwrap(), expected);
    assert_eq!(
        run("() => { const a = Date.now(); for (let i = 0; i < 1e5; i++); return Date.now() - a }", &[]).await.unwrap(),
        json!(0)
    );
    assert_eq!(
        thrown("() => Math.random()", &[]).await,
        "TypeError: Math.random is not available: the same call must give the same answer"
    );
}

#[tokio::test]
async fn an_unknown_helper_is_told_of() {
    let error = one("() => 1").call(&Call::new("other", &[])).await.unwrap_err();
    assert_eq!(error.to_string(), "unknown helper `other`");
}

#[tokio::test]
async fn a_whole_number_beyond_a_double_is_refused_on_its_way_in_and_out() {
    let id = json!({ "list": [1, { "id": 1_917_043_659_912_705_296_u64 }] });
    for source in ["(x) => x", "(x) => String(x.list[1].id)", "(x) => 1"] {
        let error = run(source, std::slice::from_ref(&id)).await.unwrap_err();
        assert!(error.to_string().contains("`/list/1/id` of the arguments"), "{error}");
        assert!(error.for_model().contains("expected a text") && error.is_the_helpers(), "{error}");
    }
    let error = run("() => ({ n: 2 ** 53 })", &[]).await.unwrap_err();
    assert!(error.to_string().contains("`/n` of the answer"), "{error}");
    let as_text = json!("1917043659912705296");
    assert_eq!(run("(x) => x", std::slice::from_ref(&as_text)).await.unwrap(), as_text);
    let most = json!(9_007_199_254_740_991_i64);
    assert_eq!(run("(x) => x", std::slice::from_ref(&most)).await.unwrap(), most);
}
