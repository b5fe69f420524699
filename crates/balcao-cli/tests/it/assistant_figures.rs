//! The assistant's figures against an independent computation: plain loops over the rows of the file that the business was
//! made from, in its own zone. None of our SQL, none of our calendar; the tools and `balcao stats` must tell the same.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use jiff::{
    ToSpan,
    civil::{Date, DateTime, date},
};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::{code, err, out, root, run};

const NOW: &str = "2026-11-24T10:00";
const MONTHS: i64 = 6;

/// An appointment as the file has it.
struct Row {
    client: String,
    starts: DateTime,
    status: &'static str,
    cents: u64,
}

/// The figures of a month: total, completed, missed, cancelled, cents.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Sum {
    total: u64,
    completed: u64,
    missed: u64,
    cancelled: u64,
    cents: u64,
}

/// Five hundred appointments of forty clients from last spring to next week, by a small generator with a fixed seed. Times
/// close to midnight fall into another month where somebody counts in UTC.
fn rows() -> Vec<Row> {
    let mut state = 20_261_124_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let today = date(2026, 11, 24);
    let row = |index: u64| {
        let day = today.checked_add((i64::try_from(index / 2).unwrap() - 240).days()).unwrap();
        let (hour, minute) = if index.is_multiple_of(2) { (0, 15) } else { (23, 0) };
        let past = day < today;
        let status = match next(10) {
            _ if !past => ["confirmed", "cancelled"][usize::from(next(5) == 0)],
            0 | 1 => "no_show",
            2 => "cancelled",
            _ => "completed",
        };
        let client = format!("Cliente {:02}", next(40));
        Row { client, starts: day.at(hour, minute, 0, 0), status, cents: 3_000 + next(60) * 150 }
    };
    (0..500).map(row).collect()
}

/// The sample business with these clients in the place of its own.
fn business(rows: &[Row]) -> String {
    let sample = std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap();
    let (before, rest) = sample.split_at(sample.find("\ncontacts:").unwrap() + 1);
    let end = rest.lines().skip(1).take_while(|line| line.starts_with([' ', '#']) || line.is_empty());
    let length: usize = "contacts:\n".len() + end.map(|line| line.len() + 1).sum::<usize>();
    let mut clients: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        clients.entry(&row.client).or_default().push(row);
    }
    let mut own = String::from("contacts:\n");
    for (place, (client, rows)) in clients.iter().enumerate() {
        writeln!(own, "  - name: {client}\n    phone: \"31 98{:03}-{place:04}\"\n    appointments:", 100 + place)
            .unwrap();
        for Row { starts, status, cents, .. } in rows {
            let (reais, rest) = (cents / 100, cents % 100);
            let starts = starts.strftime("%Y-%m-%dT%H:%M");
            writeln!(own, "      - {{service: Barba desenhada, professional: Wesley Moura, starts: \"{starts}\", status: {status}, price: \"{reais}.{rest:02}\"}}").unwrap();
        }
    }
    format!("{before}{own}{}", rest.split_at(length).1)
}

fn sums(rows: &[Row]) -> Vec<(String, Sum)> {
    let first = date(2026, 11, 1).checked_sub((MONTHS - 1).months()).unwrap();
    let month = |ahead: i64| {
        let begin = first.checked_add(ahead.months()).unwrap();
        let mut sum = Sum::default();
        for row in rows {
            if (row.starts.year(), row.starts.month()) != (begin.year(), begin.month()) {
                continue;
            }
            sum.total += 1;
            match row.status {
                "completed" => (sum.completed, sum.cents) = (sum.completed + 1, sum.cents + row.cents),
                "no_show" => sum.missed += 1,
                "cancelled" => sum.cancelled += 1,
                _ => {}
            }
        }
        (begin.strftime("%Y-%m").to_string(), sum)
    };
    (0..MONTHS).map(month).collect()
}

/// Who missed how many of how many due: most first, then the higher rate, then the older client (they are numbered so).
fn ranking(rows: &[Row]) -> Vec<(String, u64, u64)> {
    let first = date(2026, 11, 1).checked_sub((MONTHS - 1).months()).unwrap();
    let mut of: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.starts.date() >= first && row.starts.date() <= date(2026, 11, 24)) {
        let (missed, due) = of.entry(&row.client).or_default();
        *missed += u64::from(row.status == "no_show");
        *due += u64::from(["no_show", "completed"].contains(&row.status));
    }
    let mut all: Vec<_> = of.into_iter().map(|(who, (missed, due))| (who.to_owned(), missed, due)).collect();
    all.retain(|(_, missed, _)| *missed > 0);
    all.sort_by(|(one, missed, due), (other, more, of)| {
        more.cmp(missed).then((more * due).cmp(&(missed * of))).then(one.cmp(other))
    });
    all
}

fn coming(rows: &[Row], until: Date) -> Vec<(String, String)> {
    let now: DateTime = NOW.parse().unwrap();
    let open = rows.iter().filter(|row| row.status == "confirmed" && row.starts >= now && row.starts.date() <= until);
    let mut all: Vec<_> =
        open.map(|row| (row.starts.strftime("%Y-%m-%d %H:%M").to_string(), row.client.clone())).collect();
    all.sort();
    all
}

fn reais(cents: u64) -> String {
    let digits = (cents / 100).to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    format!("R$ {},{:02}", groups.join("."), cents % 100)
}

fn figure(value: &Value) -> Sum {
    let of = |name: &str| value[name].as_u64().unwrap();
    Sum {
        total: of("total"),
        completed: of("completed"),
        missed: of("no_shows"),
        cancelled: of("cancelled"),
        cents: value["revenue"]["cents"].as_u64().unwrap_or_default(),
    }
}

/// What the assistant's tools answered to three questions.
fn assistant(folder: &Path, file: &Path) -> Vec<Value> {
    let business = file.display().to_string();
    let arguments = [
        "chat",
        "--script",
        "-",
        "--business",
        &business,
        "--now",
        NOW,
        "--profile",
        "odys-assistant",
        "--as-staff",
        "renata@figueira.example",
        "--json",
    ];
    let output = run(folder, &arguments, "como foi o mês?\nquem mais faltou?\no que tem na agenda?\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn tools_and_table_tell_what_loops_over_the_rows_tell() {
    let (folder, rows) = (tempdir().unwrap(), rows());
    let file = folder.path().join("negocio.yaml");
    std::fs::write(&file, business(&rows)).unwrap();
    let turns = assistant(folder.path(), &file);
    let result = |turn: usize| &turns[turn]["calls"][0]["result"];

    let want = sums(&rows);
    let months = result(0)["months"].as_array().unwrap();
    assert_eq!(months.len(), want.len());
    let mut all = Sum::default();
    for (told, (month, sum)) in months.iter().zip(&want) {
        assert_eq!(told["month"], json!(month));
        let counts = Sum { cents: 0, ..sum.clone() };
        assert_eq!((figure(told), &told["revenue"]), (counts, &json!(reais(sum.cents))), "{month}");
        all.total += sum.total;
        all.cents += sum.cents;
        assert!(sum.total > 20 && sum.missed > 0, "a month without figures proves nothing: {month} {sum:?}");
    }
    assert_eq!(result(0)["summary"]["total"], json!(all.total));
    assert_eq!(result(0)["summary"]["revenue"], json!(reais(all.cents)));

    let want = ranking(&rows);
    let clients = result(1)["clients"].as_array().unwrap();
    assert!(clients.len() >= 5, "{clients:?}");
    for (told, (who, missed, due)) in clients.iter().zip(&want) {
        assert_eq!(
            (&told["name"], &told["no_shows"], &told["total_sessions"]),
            (&json!(who), &json!(missed), &json!(due))
        );
    }

    let days = turns[2]["calls"][0]["arguments"]["days"].as_i64().unwrap_or(7);
    let want = coming(&rows, date(2026, 11, 24).checked_add(days.days()).unwrap());
    let ahead = result(2)["appointments"].as_array().unwrap();
    let told: Vec<_> =
        ahead.iter().map(|one| (one["starts_at"].as_str().unwrap(), one["client"].as_str().unwrap())).collect();
    let want: Vec<_> = want.iter().map(|(starts, who)| (starts.as_str(), who.as_str())).collect();
    assert_eq!(told, want);
    assert!(told.len() > 5);
}

#[test]
fn the_table_tells_what_loops_over_the_rows_tell() {
    let (folder, rows) = (tempdir().unwrap(), rows());
    let file = folder.path().join("negocio.yaml");
    std::fs::write(&file, business(&rows)).unwrap();
    for arguments in [vec!["migrate"], vec!["seed", file.to_str().unwrap()]] {
        let output = run(folder.path(), &arguments, "");
        assert_eq!(code(&output), 0, "{}", err(&output));
    }
    let output = run(folder.path(), &["stats", "--now", NOW, "--months", "6", "--no-shows", "40", "--json"], "");
    let data: Value = serde_json::from_str(&out(&output)).unwrap();
    let told: Vec<_> = data["stats"]["months"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["month"].as_str().unwrap().to_owned(), figure(one)))
        .collect();
    assert_eq!(told, sums(&rows));
    let clients = data["no_show_clients"].as_array().unwrap();
    let told: Vec<_> = clients
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap().to_owned(),
                one["no_shows"].as_u64().unwrap(),
                one["total_sessions"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(told, ranking(&rows));
}
