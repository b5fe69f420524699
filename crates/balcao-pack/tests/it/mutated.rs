//! The fuzz targets of `fuzz/`, for a bounded number of inputs on the stable compiler: what the packs and samples of this project become
//! when they are cut, doubled and mixed.

use std::{fs, path::Path};

use crate::{any_definition, any_delivery, world::Canned};

const INPUTS: usize = 150;

/// A plain generator: the same mutations in each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit.max(1)
    }

    /// A text with one to four things done to it, by characters, so that it stays UTF-8.
    fn mutate(&mut self, text: &str) -> String {
        const MARKS: [&str; 14] =
            ["{", "}", "[", "]", ": ", "- ", "&a ", "*a ", "|\n", "\u{0}", "null", "1e999", "\"", "\n  "];
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(3) {
            let (from, length) = (self.below(letters.len()), self.below(40));
            let to = (from + length).min(letters.len());
            match self.below(4) {
                0 => drop(letters.drain(from..to)),
                1 => drop(letters.splice(from..from, MARKS[self.below(MARKS.len())].chars())),
                2 => {
                    let piece: Vec<char> = letters[from..to].to_vec();
                    let at = self.below(letters.len());
                    drop(letters.splice(at..at, piece));
                }
                _ => letters.truncate(from.max(1)),
            }
        }
        letters.into_iter().collect()
    }
}

fn packs() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs")
}

#[test]
fn whatever_a_tool_yaml_becomes_it_loads_or_is_refused_with_places_within_it() {
    let seed = fs::read_to_string(packs().join("viacep/tool.yaml")).unwrap();
    let (mut dice, mut refused) = (Dice(1), 0);
    for _ in 0..INPUTS {
        refused += usize::from(any_definition::drive(&dice.mutate(&seed)));
    }
    assert!(refused > INPUTS / 3, "{refused}");
}

#[tokio::test]
async fn whatever_a_delivery_becomes_it_is_read_and_nothing_breaks() {
    let pack = Canned::default().loader().load_folder(&packs().join("clickup")).unwrap();
    let samples = fs::read_to_string(packs().join("clickup/examples/edge-cases/webhooks.yaml")).unwrap();
    let samples = balcao_yaml::Document::read("webhooks.yaml", &samples).unwrap().value;
    let cases = samples.as_array().unwrap().iter().flat_map(|case| case["cases"].as_array().unwrap());
    let inputs: Vec<String> = cases.map(|case| case["input"].to_string()).collect();
    let (mut dice, mut parsed, mut told) = (Dice(2), 0, 0);
    for round in 0..INPUTS * 20 {
        let text = dice.mutate(&inputs[round % inputs.len()]);
        let came = any_delivery::drive(&pack, text.as_bytes()).await;
        parsed += usize::from(came.is_some());
        told += usize::from(came == Some(true));
    }
    assert!(parsed > 50 && told > 0, "{parsed} {told}");
}
