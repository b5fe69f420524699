//! Packs that change while the program serves: each is dear to read, to compile or to check.

use balcao_testkit::wait::until;

use super::{has_stayed_small, while_health_answers};
use crate::attack::packs::fan;
use crate::ops_served::{PACK, house, rewrite};

#[test]
fn u11_under_packs_that_are_dear_to_load_health_answers_and_memory_stays() {
    let shop = house();
    let schema = "output_schema: {type: object, required: [text], properties: {text: {type: string}}}";
    let with = |other: &str| PACK.replace(schema, &format!("output_schema: {other}"));
    let patterns: Vec<String> =
        (0..400).map(|one| format!("p{one}: {{type: string, pattern: '^[\\p{{L}}\\p{{N}}]{{40}}$'}}")).collect();
    let options: Vec<String> = (0..100_000).map(|one| format!("o{one}")).collect();
    let bombs = [
        ("stand for more than 10000 parts", with(&fan("allOf"))),
        ("more than 100 patterns", with(&format!("{{type: object, properties: {{{}}}}}", patterns.join(", ")))),
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
            let before = shop.log().len();
            rewrite(&shop, bomb);
            until(why, || shop.log().get(before..)?.contains("the last good ones stay in force").then_some(()));
            let told = shop.log();
            assert!(told.contains(why), "{why}: {told}");
        });
        // A good one is used again, so that the next one is seen to be refused.
        let before = shop.log().len();
        rewrite(&shop, &PACK.replace("v1", &format!("good {number}")));
        until("a good one is in force", || {
            shop.log().get(before..)?.contains("changed packs are in force from the next turn on").then_some(())
        });
    }
    has_stayed_small(shop.id());
    shop.stop();
}
