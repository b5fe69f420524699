//! Packs that change while the program serves: each is dear to read, to compile or to check.

use std::path::Path;

use balcao_testkit::fakes::model::{FakeModel, calls, says};
use balcao_testkit::wait::until;
use serde_json::json;

use super::{has_stayed_small, while_health_answers, while_health_answers_once};
use crate::attack::packs::fan;
use crate::observed::{Observed, text};
use crate::ops::model_config;
use crate::ops_served::{PACK, house, house_with, rewrite, write_house};

/// What the log says of changed packs.
const IN_FORCE: &str = "changed packs are in force from the next turn on";
const REFUSED: &str = "the last good ones stay in force";

const SCHEMA: &str = "output_schema: {type: object, required: [text], properties: {text: {type: string}}}";

/// Makes a change, and waits until the log says this; what it says from the change on.
fn change(shop: &Observed, what: &str, told: &str, change: impl FnOnce()) -> String {
    let before = shop.log().len();
    change();
    until(what, || shop.log().get(before..)?.contains(told).then_some(()));
    shop.log().split_off(before)
}

#[test]
fn u11_under_packs_that_are_dear_to_load_health_answers_and_memory_stays() {
    let shop = house();
    let with = |other: &str| PACK.replace(SCHEMA, &format!("output_schema: {other}"));
    let patterns = |pattern: &str| {
        let parts: Vec<String> =
            (0..400).map(|one| format!("p{one}: {{type: string, pattern: '{pattern}'}}")).collect();
        with(&format!("{{type: object, properties: {{{}}}}}", parts.join(", ")))
    };
    let options: Vec<String> = (0..100_000).map(|one| format!("o{one}")).collect();
    let bombs = [
        ("stand for more than 10000 parts", with(&fan("allOf"))),
        ("more than 100 patterns", patterns("^a$")),
        ("more than 32 MiB of memory", patterns(r"^[\p{L}\p{N}]{4}$")),
        (
            "invalid schema",
            with(&format!("{{type: object, properties: {{text: {{enum: [{}]}}}}}}", options.join(", "))),
        ),
        ("larger than", PACK.replace("Rules of the house.", &"x".repeat(1_100_000))),
        ("holds too many values", format!("{PACK}  more: [{}]\n", vec!["[]"; 300_000].join(","))),
        ("nested too deep", format!("{PACK}  more: {}{}\n", "[".repeat(5_000), "]".repeat(5_000))),
    ];
    for (number, (why, bomb)) in bombs.iter().enumerate() {
        while_health_answers(&shop.address, |_| {
            let told = change(&shop, why, REFUSED, || rewrite(&shop, bomb));
            assert!(told.contains(why), "{why}: {told}");
        });
        // A good one is used again, so that the next one is seen to be refused.
        let good = PACK.replace("v1", &format!("good {number}"));
        change(&shop, "a good one is in force", IN_FORCE, || rewrite(&shop, &good));
    }
    has_stayed_small(shop.id());
    shop.stop();
}

#[test]
fn p07_a_schema_that_would_freeze_the_server_is_refused_while_it_serves_and_at_its_next_start() {
    let turn = || [calls("house_rule", json!({})), says("A regra está na parede.")];
    let model = FakeModel::start([turn(), turn(), turn()].concat()).unwrap();
    let mut shop = house_with(&["house"], &model_config(&model), |packs| write_house(packs, PACK));
    let ask = |shop: &Observed, number: usize| {
        shop.delivers(&text(&format!("wamid.{number}"), 1, "qual é a regra?"));
        until("the customer is answered", || (shop.said().len() == number).then_some(()));
    };
    ask(&shop, 1);
    // An answer would be checked against four to the power of twenty parts.
    let bomb = PACK.replace("v1", "v2").replace(SCHEMA, &format!("output_schema: {}", fan("anyOf")));
    while_health_answers_once(&shop.address, || {
        change(&shop, "the schema is refused", REFUSED, || rewrite(&shop, &bomb));
        ask(&shop, 2);
    });
    has_stayed_small(shop.id());
    let why = shop.crash_and_fail_to_start();
    assert!(why.contains("stand for more than 10000 parts"), "{why}");
    rewrite(&shop, PACK);
    shop.crash_and_start(|_| {});
    ask(&shop, 3);
    let asked = json!(model.asked()).to_string();
    assert!(asked.contains("v1") && !asked.contains("v2"), "{asked}");
    shop.stop();
}

/// A command that reads, whose answer has these properties.
fn read_command(id: &str, version: usize, properties: &str) -> String {
    format!(
        "    - id: {id}\n      description: {{pt-BR: Tudo {version}., en: All {version}.}}\n      effect: read\n      \
         handler: {{method: GET, path: /x}}\n      input_schema: {{type: object, additionalProperties: false, properties: {{}}}}\n      \
         output_schema: {{type: object, properties: {{{properties}}}}}\n"
    )
}

/// A pack whose files, values, patterns, enumerations and levels are nearly as many as they may be.
fn write_full_pack(folder: &Path, version: usize) {
    let options: Vec<String> = (0..4_990).map(|one| format!("o{one}")).collect();
    let patterns: Vec<String> =
        (0..99).map(|one| format!("p{one}: {{type: string, pattern: '^[a-z]{{1,9}}{one}$'}}")).collect();
    let deep = format!("{}{{type: string}}{}", "{type: array, items: ".repeat(28), "}".repeat(28));
    let strict = format!("one: {{enum: [{}]}}, deep: {deep}, {}", options.join(", "), patterns.join(", "));
    let tool =
        format!("{FULL}{}{}", read_command("get_all", version, ""), read_command("get_strict", version, &strict));
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("tool.yaml", &tool);
    let values = vec!["[]"; 57_000].join(",");
    for one in 0..2 {
        let example = format!(
            "[{{id: e{one}, operation: get_all, input: {{}}, response: {{all: [{values}]}}, output: {{all: [{values}]}}}}]\n"
        );
        write(&format!("examples/success/{one}.yaml"), &example);
    }
    for one in 0..14 {
        let mut prose = format!("# Tema {one}\n\n");
        for number in 0.. {
            let line = format!("palavra{} de outra{} em casa{one}.\n\n", number * 7 % 5_000, number % 997);
            if prose.len() + line.len() > 1 << 20 {
                break;
            }
            prose.push_str(&line);
        }
        write(&format!("knowledge/{one}.md"), &prose);
    }
}

/// How the pack begins whose folder is nearly full.
const FULL: &str = "tool:
  id: full
  type: http
  name: Full
  version: 1.0.0
  description: {pt-BR: Cheio., en: Full.}
  connection: {base_url: \"https://api.example.com\"}
  commands:
";

#[test]
fn u11_under_packs_just_below_their_bounds_health_answers_and_memory_stays() {
    let small = format!("{FULL}{}", read_command("get_all", 0, ""));
    let shop = house_with(&["full"], "", |packs| {
        std::fs::create_dir_all(packs.join("full")).unwrap();
        std::fs::write(packs.join("full/tool.yaml"), small).unwrap();
    });
    let (packs, beside) = (shop.folder.path().join("packs"), shop.folder.path().to_owned());
    while_health_answers(&shop.address, |number| {
        // The second is loaded while the first one is in force.
        for version in [2 * number, 2 * number + 1] {
            let (staged, gone) = (beside.join(format!("new-{version}")), beside.join(format!("gone-{version}")));
            write_full_pack(&staged, version);
            change(&shop, "a full pack is in force", IN_FORCE, || {
                std::fs::rename(packs.join("full"), gone).unwrap();
                std::fs::rename(staged, packs.join("full")).unwrap();
            });
        }
    });
    has_stayed_small(shop.id());
    shop.stop();
}
