//! What a question costs before and per row.

use balcao_query::{Catalogue, Field, Query, Source, Type, Value};
use divan::counter::ItemsCount;
use jiff::civil::{DateTime, datetime};

const NOW: DateTime = datetime(2026, 11, 24, 10, 0, 0, 0);
const ROWS: usize = 100_000;
const QUESTION: &str = r#"
    appointments
    | where status == "completed" and starts_at >= today - 3000d
    | summarize count(), total = sum(price) by professional, month(starts_at)
    | sort total desc
    | take 10"#;

fn catalogue() -> Catalogue {
    let field = |name, of| Field { name, of, description: "" };
    let fields = vec![
        field("starts_at", Type::DateTime),
        field("professional", Type::Text),
        field("status", Type::Choice(&["completed", "no_show"])),
        field("price", Type::Money),
    ];
    Catalogue { sources: vec![Source { name: "appointments", description: "", fields }] }
}

#[divan::bench]
fn read_and_check() -> bool {
    Query::parse(QUESTION).and_then(|query| query.plan(&catalogue(), NOW)).is_ok()
}

#[divan::bench]
fn a_hundred_thousand_rows(bencher: divan::Bencher<'_, '_>) {
    let Ok(plan) = Query::parse(QUESTION).and_then(|query| query.plan(&catalogue(), NOW)) else { return };
    let names = ["Ana Prado", "Íris Valente", "Otávio", "Wesley Moura"].map(Value::text);
    let row = |number: usize| {
        let hours = i64::try_from(number).unwrap_or(0);
        vec![
            Value::DateTime(NOW.saturating_sub(jiff::Span::new().hours(hours % 20_000))),
            names.get(number % names.len()).cloned().unwrap_or(Value::Null),
            Value::text(if number.is_multiple_of(7) { "no_show" } else { "completed" }),
            Value::Money(4_500),
        ]
    };
    let rows: Vec<Vec<Value>> = (0..ROWS).map(row).collect();
    bencher.counter(ItemsCount::new(ROWS)).with_inputs(|| rows.clone()).bench_values(|rows| {
        let mut run = plan.run();
        for row in rows {
            drop(run.push(row));
        }
        run.finish().map(|table| table.rows.len())
    });
}

fn main() {
    divan::main();
}
