//! The assistant's figures against an independent computation: plain loops over the rows of the file that the business was
//! made from, in its own zone. None of our SQL, none of our calendar; the tools, free questions and `balcao stats` must tell the same.
//!
//! All of it twice: on a day of 2026, and in 2019, when the clocks of São Paulo had been put back on 17 February at midnight, and
//! forward on 4 November before.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use balcao_testkit::fakes::model::{FakeModel, calls, says};
use jiff::{
    ToSpan,
    civil::{Date, DateTime, Weekday, date},
};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::ops::model_config;
use crate::{code, err, out, root, run};

/// Ten o'clock of these days is now.
const TODAYS: [Date; 2] = [date(2026, 11, 24), date(2019, 2, 20)];
/// The hour after midnight is not there.
const SKIPPED: Date = date(2018, 11, 4);
const MONTHS: i64 = 6;

/// An appointment as the file has it.
struct Row {
    client: String,
    professional: &'static str,
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
    unmarked: u64,
    cents: u64,
}

/// Five hundred appointments of forty clients from last spring to next week, by a small generator with a fixed seed. Times
/// close to midnight fall into another month where somebody counts in UTC.
fn rows(today: Date) -> Vec<Row> {
    let mut state = 20_261_124_u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let row = |index: u64| {
        let day = today.checked_add((i64::try_from(index / 2).unwrap() - 240).days()).unwrap();
        let (hour, minute) = if index.is_multiple_of(2) { (0, 15) } else { (23, 0) };
        let hour = if day == SKIPPED && hour == 0 { 1 } else { hour };
        let past = day < today;
        let status = match next(10) {
            _ if !past => ["confirmed", "cancelled"][usize::from(next(5) == 0)],
            0 | 1 => "no_show",
            2 => "cancelled",
            _ => "completed",
        };
        let client = format!("Cliente {:02}", next(40));
        let cents = 3_000 + next(60) * 150;
        let professional = ["Wesley Moura", "Otávio Prado"][usize::from(next(3) == 0)];
        Row { client, professional, starts: day.at(hour, minute, 0, 0), status, cents }
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
        for Row { professional, starts, status, cents, .. } in rows {
            let (reais, rest) = (cents / 100, cents % 100);
            let starts = starts.strftime("%Y-%m-%dT%H:%M");
            writeln!(own, "      - {{service: Barba desenhada, professional: {professional}, starts: \"{starts}\", status: {status}, price: \"{reais}.{rest:02}\"}}").unwrap();
        }
    }
    format!("{before}{own}{}", rest.split_at(length).1)
}

/// The first day of the months that figures are of.
fn first_day(today: Date) -> Date {
    today.first_of_month().checked_sub((MONTHS - 1).months()).unwrap()
}

fn sums(today: Date, rows: &[Row]) -> Vec<(String, Sum)> {
    let first = first_day(today);
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
                "confirmed" if row.starts < today.at(10, 0, 0, 0) => sum.unmarked += 1,
                _ => {}
            }
        }
        (begin.strftime("%Y-%m").to_string(), sum)
    };
    (0..MONTHS).map(month).collect()
}

/// Who missed how many of how many due: most first, then the higher rate, then the older client (they are numbered so).
fn ranking(today: Date, rows: &[Row]) -> Vec<(String, u64, u64)> {
    let first = first_day(today);
    let mut of: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.starts.date() >= first && row.starts.date() <= today) {
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

fn coming(today: Date, rows: &[Row], until: Date) -> Vec<(String, String)> {
    let now = today.at(10, 0, 0, 0);
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

/// Missed of those that were due, as a number between 0 and 1.
fn rate(missed: u64, due: u64) -> f64 {
    let number = |count: u64| f64::from(u32::try_from(count).unwrap());
    number(missed) / number(due)
}

/// Whether figures tell this rate; a text has not always all its digits.
fn is_rate(told: &Value, missed: u64, due: u64) {
    let difference = told["no_show_rate"].as_f64().unwrap() - rate(missed, due);
    assert!(difference.abs() < 1e-12, "{told}: {missed} of {due}");
}

/// The rate with three digits.
fn thousandths(missed: u64, due: u64) -> Value {
    json!(rate((missed * 2_000 + due) / (2 * due), 1_000))
}

fn figure(value: &Value) -> Sum {
    let of = |name: &str| value[name].as_u64().unwrap();
    Sum {
        total: of("total"),
        completed: of("completed"),
        missed: of("no_shows"),
        cancelled: of("cancelled"),
        unmarked: of("unmarked"),
        cents: value["revenue"]["cents"].as_u64().unwrap_or_default(),
    }
}

/// Figures as a tool tells them: with money in words and a rate of three digits.
fn told_as(sum: &Sum) -> Value {
    let Sum { total, completed, missed, cancelled, unmarked, cents } = sum;
    json!({"total": total, "completed": completed, "no_shows": missed, "cancelled": cancelled, "unmarked": unmarked,
        "no_show_rate": thousandths(*missed, missed + completed), "revenue": reais(*cents)})
}

/// What the assistant's tools answered to some questions, at ten o'clock of a day.
fn assistant(folder: &Path, today: Date, rows: &[Row], questions: &str) -> Vec<Value> {
    let file = folder.join("negocio.yaml");
    std::fs::write(&file, business(rows)).unwrap();
    let (business, now) = (file.display().to_string(), format!("{today}T10:00"));
    let arguments = [
        "chat",
        "--script",
        "-",
        "--business",
        &business,
        "--now",
        &now,
        "--profile",
        "odys-assistant",
        "--as-staff",
        "renata@figueira.example",
        "--json",
    ];
    let output = run(folder, &arguments, questions);
    assert_eq!(code(&output), 0, "{}", err(&output));
    out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn tools_tell_what_loops_over_the_rows_tell() {
    for today in TODAYS {
        let (folder, rows) = (tempdir().unwrap(), rows(today));
        let questions = "como foi o mês?\nquem mais faltou?\no que tem na agenda?\n";
        let turns = assistant(folder.path(), today, &rows, questions);
        let result = |turn: usize| &turns[turn]["calls"][0]["result"];

        let want = sums(today, &rows);
        let months = result(0)["months"].as_array().unwrap();
        assert_eq!(months.len(), want.len());
        let mut all = Sum::default();
        for (told, (month, sum)) in months.iter().zip(&want) {
            let mut figures = told_as(sum);
            figures["month"] = json!(month);
            assert_eq!(told, &figures);
            all.total += sum.total;
            all.completed += sum.completed;
            all.missed += sum.missed;
            all.cancelled += sum.cancelled;
            all.unmarked += sum.unmarked;
            all.cents += sum.cents;
            assert!(sum.total > 20 && sum.missed > 0, "a month without figures proves nothing: {month} {sum:?}");
        }
        assert_eq!(result(0)["summary"], told_as(&all));

        let want = ranking(today, &rows);
        let clients = result(1)["clients"].as_array().unwrap();
        let limit = turns[1]["calls"][0]["arguments"]["limit"].as_u64().map_or(10, |limit| limit.try_into().unwrap());
        assert_eq!(clients.len(), want.len().min(limit), "{clients:?}");
        assert!(clients.len() >= 5, "{clients:?}");
        for (told, (who, missed, due)) in clients.iter().zip(&want) {
            let rate = thousandths(*missed, *due);
            let want = json!({"name": who, "no_shows": missed, "total_sessions": due, "no_show_rate": rate});
            assert_eq!(told, &want);
        }

        let days = turns[2]["calls"][0]["arguments"]["days"].as_i64().unwrap_or(7);
        let want = coming(today, &rows, today.checked_add(days.days()).unwrap());
        let ahead = result(2)["appointments"].as_array().unwrap();
        let told: Vec<_> =
            ahead.iter().map(|one| (one["starts_at"].as_str().unwrap(), one["client"].as_str().unwrap())).collect();
        let want: Vec<_> = want.iter().map(|(starts, who)| (starts.as_str(), who.as_str())).collect();
        assert_eq!(told, want);
        assert!(told.len() > 5);
    }
}

/// Rows of a query's answer with two columns, by the first.
fn pairs(result: &Value) -> BTreeMap<String, Value> {
    assert_eq!(result["more_rows"], 0, "{result}");
    let row = |row: &Value| (row[0].as_str().unwrap().to_owned(), row[1].clone());
    result["rows"].as_array().unwrap().iter().map(row).collect()
}

#[test]
fn free_questions_tell_what_loops_over_the_rows_tell() {
    for today in TODAYS {
        let (folder, rows) = (tempdir().unwrap(), rows(today));
        let first = first_day(today);
        let (mut revenue, mut missed, mut months) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for row in &rows {
            if row.status == "completed" && row.starts.date() >= first {
                *revenue.entry(row.professional.to_owned()).or_insert(0) += row.cents;
            }
            if row.status == "no_show" {
                let day = match row.starts.weekday() {
                    Weekday::Monday => "monday",
                    Weekday::Tuesday => "tuesday",
                    Weekday::Wednesday => "wednesday",
                    Weekday::Thursday => "thursday",
                    Weekday::Friday => "friday",
                    Weekday::Saturday => "saturday",
                    Weekday::Sunday => "sunday",
                };
                *missed.entry(day.to_owned()).or_insert(0_u64) += 1;
            }
            *months.entry(row.starts.strftime("%Y-%m").to_string()).or_insert(0_u64) += 1;
        }
        let queries = [
            format!(
                r#"appointments | where status == "completed" and starts_at >= {first} | summarize sum(price) by professional"#
            ),
            r#"appointments | where status == "no_show" | summarize count() by weekday(starts_at)"#.to_owned(),
            "appointments | summarize count() by month(starts_at)".to_owned(),
        ];
        let script = queries.iter().flat_map(|query| [calls("run_query", json!({ "query": query })), says("Aí está.")]);
        let model = FakeModel::start(script).unwrap();
        std::fs::write(folder.path().join("balcao.toml"), model_config(&model)).unwrap();
        let questions = "receita por profissional?\nfaltas por dia da semana?\nquantos por mês?\n";
        let turns = assistant(folder.path(), today, &rows, questions);
        assert_eq!(model.left(), 0, "{turns:#?}");
        // Groups stand key first.
        let told: Vec<_> = turns.iter().map(|turn| pairs(&turn["calls"][0]["result"])).collect();
        let whole = |counts: &BTreeMap<String, u64>| -> BTreeMap<String, Value> {
            counts.iter().map(|(key, count)| (key.clone(), json!(count))).collect()
        };
        let revenue: BTreeMap<_, _> = revenue.iter().map(|(who, cents)| (who.clone(), json!(reais(*cents)))).collect();
        assert_eq!(told, [revenue, whole(&missed), whole(&months)], "{today}");
        assert!(missed.len() == 7 && months.len() > 6);
    }
}

#[test]
fn the_table_tells_what_loops_over_the_rows_tell() {
    for today in TODAYS {
        let (folder, rows) = (tempdir().unwrap(), rows(today));
        let (file, now) = (folder.path().join("negocio.yaml"), format!("{today}T10:00"));
        std::fs::write(&file, business(&rows)).unwrap();
        for arguments in [vec!["migrate"], vec!["seed", file.to_str().unwrap()]] {
            let output = run(folder.path(), &arguments, "");
            assert_eq!(code(&output), 0, "{}", err(&output));
        }
        let output = run(folder.path(), &["stats", "--now", &now, "--months", "6", "--no-shows", "40", "--json"], "");
        let data: Value = serde_json::from_str(&out(&output)).unwrap();
        let months = data["stats"]["months"].as_array().unwrap();
        let told: Vec<_> = months.iter().map(|one| (one["month"].as_str().unwrap().to_owned(), figure(one))).collect();
        assert_eq!(told, sums(today, &rows));
        for (one, (_, sum)) in months.iter().zip(&told) {
            is_rate(one, sum.missed, sum.missed + sum.completed);
        }
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
        assert_eq!(told, ranking(today, &rows));
        for (one, (_, missed, due)) in clients.iter().zip(&told) {
            is_rate(one, *missed, *due);
        }
    }
}
