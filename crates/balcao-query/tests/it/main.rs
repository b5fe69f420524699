//! Questions through the front door: text and rows in, tables and errors out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod answers;
mod mistakes;
mod properties;

use balcao_query::{Catalogue, Field, Progress, Query, QueryError, Source, Table, Type, Value};
use jiff::civil::{DateTime, datetime};

const STATUSES: &[&str] = &["pending", "confirmed", "completed", "no_show", "cancelled"];

/// Tuesday, in the morning.
const NOW: DateTime = datetime(2026, 11, 24, 10, 0, 0, 0);

fn catalogue() -> Catalogue {
    let field = |name, of| Field { name, of, description: "" };
    let fields = vec![
        field("starts_at", Type::DateTime),
        field("client", Type::Text),
        field("professional", Type::Text),
        field("status", Type::Choice(STATUSES)),
        field("price", Type::Money),
        field("minutes", Type::Number),
        field("email", Type::Text),
    ];
    Catalogue { sources: vec![Source { name: "appointments", description: "", fields }] }
}

type Told = (&'static str, &'static str, &'static str, &'static str, i64);

/// Start, client, professional, status, price in cents. The last one has no e-mail.
const ROWS: [Told; 7] = [
    ("2026-09-30T23:30", "Bia Souza", "Ana", "completed", 4_500),
    ("2026-10-05T09:00", "João Prado", "Ana", "no_show", 4_500),
    ("2026-10-05T10:00", "Bia Souza", "Caio", "completed", 9_000),
    ("2026-11-23T18:00", "Joao Lima", "Caio", "no_show", 3_000),
    ("2026-11-24T09:00", "Érica Dias", "Ana", "completed", 4_550),
    ("2026-11-24T15:00", "João Prado", "Caio", "confirmed", 9_000),
    ("2026-11-28T11:00", "Bia Souza", "Ana", "cancelled", 4_500),
];

fn row((starts_at, client, professional, status, cents): Told) -> Vec<Value> {
    let email = if cents == 3_000 { Value::Null } else { Value::text("a@b.example") };
    vec![
        Value::DateTime(starts_at.parse().unwrap()),
        Value::text(client),
        Value::text(professional),
        Value::text(status),
        Value::Money(cents),
        Value::Integer(30),
        email,
    ]
}

fn ask(question: &str) -> Result<Table, QueryError> {
    let plan = Query::parse(question)?.plan(&catalogue(), NOW)?;
    let mut run = plan.run();
    for told in ROWS {
        if run.push(row(told))? == Progress::Done {
            break;
        }
    }
    run.finish()
}

/// An answer as lines of words.
fn told(question: &str) -> Vec<String> {
    let table = ask(question).unwrap_or_else(|error| panic!("{question}: {error}"));
    table.rows.iter().map(|row| row.iter().map(word).collect::<Vec<_>>().join(" ")).collect()
}

fn word(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::Boolean(is) => is.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::Decimal(number) => format!("{number:.3}"),
        Value::Money(cents) => format!("R${}.{:02}", cents / 100, cents % 100),
        Value::Text(text) => text.to_string(),
        Value::Date(date) => date.to_string(),
        Value::DateTime(at) => at.strftime("%Y-%m-%dT%H:%M").to_string(),
    }
}
