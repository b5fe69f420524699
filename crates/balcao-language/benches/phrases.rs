//! What a phrase costs: all dates and times of what a customer writes. The limit is 20 µs a phrase.

use balcao_language::{agreement, find_dates, find_times, quantities::find_numbers};
use divan::{Bencher, black_box};
use jiff::civil::date;

const PHRASES: [&str; 8] = [
    "amanhã de tarde",
    "sexta que vem",
    "dia 5",
    "meio-dia e meia",
    "daqui a duas semanas",
    "depois das 17",
    "lá pelas 4",
    "pode ser quinta ou sexta, depois das 17h, ou no sábado de manhã?",
];

fn main() {
    divan::main();
}

#[divan::bench(args = PHRASES)]
fn date_and_time(bencher: Bencher<'_, '_>, phrase: &str) {
    let today = date(2026, 11, 23);
    bencher.bench(|| (find_dates(black_box(phrase), today), find_times(black_box(phrase))));
}

#[divan::bench]
fn yes_or_no(bencher: Bencher<'_, '_>) {
    bencher.bench(|| agreement(black_box("sim, pode marcar por favor")));
}

#[divan::bench]
fn number(bencher: Bencher<'_, '_>) {
    bencher.bench(|| find_numbers(black_box("dois mil trezentos e quarenta e sete reais")));
}
