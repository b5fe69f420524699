//! Search over 10,000 entries ≤ 10 ms, by keywords and by vectors.
#![expect(clippy::unwrap_used, reason = "a bench")]

use balcao_search::{Entry, Index, Labels, Query};
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const WORDS: [&str; 40] = [
    "task", "list", "space", "folder", "field", "value", "date", "assignee", "comment", "timer", "entry", "webhook",
    "tag", "member", "status", "priority", "name", "create", "update", "delete", "find", "move", "copy", "link",
    "merge", "start", "stop", "weather", "triangle", "area", "stock", "price", "recipe", "flight", "hotel", "city",
    "song", "movie", "loan", "interest",
];

/// The next number of a plain generator: the same entries each time.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 40).unwrap()
}

fn words(seed: &mut u64, number: usize) -> String {
    let word = |_| format!("{}{}", WORDS.get(next(seed) % WORDS.len()).unwrap(), next(seed) % 50);
    (0..number).map(word).collect::<Vec<_>>().join(" ")
}

fn index() -> Index {
    let mut seed = 7;
    let entry = |place| Entry {
        id: format!("e{place}"),
        title: words(&mut seed, 3),
        text: words(&mut seed, 15),
        details: words(&mut seed, 15),
        labels: Labels::default(),
    };
    let entries = (0..10_000).map(entry).collect();
    Index::new(entries, |text| text.split(' ').map(str::to_owned).collect())
}

#[divan::bench]
fn keywords(bencher: Bencher<'_, '_>) {
    let index = index();
    let query = Query { words: "task1 list2 create3 date4 assignee5 move6", limit: 10, ..Query::default() };
    bencher.bench_local(|| black_box(index.search(&query)).len());
}

#[divan::bench]
fn both(bencher: Bencher<'_, '_>) {
    let mut seed = 9;
    let mut number = || f32::from(u16::try_from(next(&mut seed) % 1000).unwrap()) - 499.5;
    let vectors: Vec<Vec<f32>> = (0..10_000).map(|_| (0..384).map(|_| number()).collect()).collect();
    let query: Vec<f32> = (0..384).map(|_| number()).collect();
    let index = index().with_vectors(&vectors).unwrap();
    let query = Query {
        words: "task1 list2 create3 date4 assignee5 move6",
        vector: Some(&query),
        limit: 10,
        ..Query::default()
    };
    bencher.bench_local(|| black_box(index.search(&query)).len());
}
