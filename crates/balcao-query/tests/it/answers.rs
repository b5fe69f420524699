//! What questions are answered with.

use balcao_query::{Catalogue, Query, Type, Value, limits};
use jiff::civil::date;

use crate::{NOW, ask, catalogue, row, told};

#[test]
fn who_misses_most() {
    let question = r#"
        appointments
        | where status == "no_show" and starts_at >= today - 90d
        | summarize missed = count(), lost = sum(price) by client
        | sort missed desc, lost desc
        | take 5"#;
    assert_eq!(told(question), ["João Prado 1 R$45.00", "Joao Lima 1 R$30.00"]);
}

#[test]
fn figures_by_month_with_a_rate() {
    let question = r#"
        appointments
        | summarize missed = countif(status == "no_show"), due = countif(status in ("no_show", "completed")), sum(price)
          by month(starts_at)
        | extend rate = missed / due"#;
    let table = ask(question).unwrap();
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["month", "missed", "due", "sum_price", "rate"]);
    assert_eq!(table.columns.last().unwrap().of, Type::Number);
    assert_eq!(
        told(question),
        ["2026-09 0 1 R$45.00 0.000", "2026-10 1 2 R$135.00 0.500", "2026-11 1 2 R$210.50 0.500"]
    );
}

#[test]
fn nothing_divided_by_nothing_is_nothing() {
    assert_eq!(told("appointments | summarize a = countif(false), n = count() | extend rate = n / a"), ["0 7 -"]);
}

#[test]
fn without_rows_there_is_still_one_line_of_figures_but_no_group() {
    let none = r#"appointments | where client == "ninguém""#;
    assert_eq!(told(&format!("{none} | summarize count(), sum(price), avg(price), max(starts_at)")), ["0 R$0.00 - -"]);
    assert!(told(&format!("{none} | summarize count() by client")).is_empty());
}

#[test]
fn text_is_compared_without_case_and_accents() {
    assert_eq!(told(r#"appointments | where client == "ERICA dias" | select client"#), ["Érica Dias"]);
    assert_eq!(told(r#"appointments | where client startswith "joao" | summarize count()"#), ["3"]);
    assert_eq!(told(r#"appointments | where client contains "PRADO" | summarize count()"#), ["2"]);
    assert_eq!(told(r#"appointments | where client not in ("bia souza", "joão prado") | summarize count()"#), ["2"]);
}

#[test]
fn groups_keep_how_names_are_written() {
    assert_eq!(
        told("appointments | summarize count() by client"),
        ["Bia Souza 3", "Érica Dias 1", "Joao Lima 1", "João Prado 2"]
    );
}

#[test]
fn a_day_stands_for_all_of_it() {
    assert_eq!(told("appointments | where starts_at == today | summarize count()"), ["2"]);
    assert_eq!(told("appointments | where starts_at <= today | summarize count()"), ["6"]);
    assert_eq!(told("appointments | where starts_at > today | summarize count()"), ["1"]);
    assert_eq!(told("appointments | where starts_at < now | summarize count()"), ["5"]);
    assert_eq!(told(r#"appointments | where starts_at >= "2026-11-24T12:00" | summarize count()"#), ["2"]);
    assert_eq!(told("appointments | where 2026-10-05 = starts_at | summarize count()"), ["2"]);
}

#[test]
fn dates_move_by_durations() {
    assert_eq!(told("appointments | where starts_at >= today - 1d and starts_at < today | summarize count()"), ["1"]);
    assert_eq!(told("appointments | where starts_at > now + 4h and starts_at < now + 6h | summarize count()"), ["1"]);
    assert_eq!(told("appointments | where starts_at < today - 1mo | summarize count()"), ["3"]);
    assert_eq!(told("appointments | where starts_at < today - 1y | summarize count()"), ["0"]);
    // A year in minutes and in hours is no shorter.
    assert_eq!(told("appointments | where starts_at < now - 525600min | summarize count()"), ["0"]);
    assert_eq!(told("appointments | where starts_at < now - 8760h | summarize count()"), ["0"]);
}

#[test]
fn parts_of_a_date() {
    let parts = "date(starts_at), weekday(starts_at), week(starts_at), hour(starts_at), year(starts_at)";
    assert_eq!(
        told(&format!("appointments | take 1 | summarize count() by {parts}")),
        ["2026-09-30 wednesday 2026-09-28 23 2026 1"]
    );
    assert_eq!(told(r#"appointments | where weekday(starts_at) == "monday" | summarize count()"#), ["3"]);
    assert_eq!(told("appointments | take 1 | extend days = today - starts_at | select days"), ["55"]);
}

#[test]
fn money_is_exact_and_stays_money() {
    assert_eq!(told("appointments | where price > 45 | summarize avg(price), max(price)"), ["R$75.17 R$90.00"]);
    assert_eq!(told("appointments | where price == 45.50 | extend twice = price * 2 | select twice"), ["R$91.00"]);
    assert_eq!(
        told("appointments | take 1 | extend part = price / 45, times = price / price | select part, times"),
        ["R$1.00 1.000"]
    );
}

#[test]
fn nothing_is_counted_apart() {
    assert_eq!(told("appointments | where email == null | summarize count()"), ["1"]);
    assert_eq!(told("appointments | summarize count(), with_email = count(email), distinct(client)"), ["7 6 4"]);
    assert_eq!(
        told("appointments | summarize count() by email | sort email desc"),
        ["a@b.example 6", "- 1"],
        "nothing comes last, either way"
    );
}

#[test]
fn and_binds_closer_than_or_and_not_closest() {
    let count = |condition: &str| told(&format!("appointments | where {condition} | summarize count()"));
    assert_eq!(count(r#"status == "completed" or status == "no_show" and professional == "Caio""#), ["4"]);
    assert_eq!(count(r#"(status == "completed" or status == "no_show") and professional == "Caio""#), ["2"]);
    assert_eq!(count(r#"not status == "completed" and professional == "Caio""#), ["2"]);
    assert_eq!(count("minutes * 2 + 1 == 61 and -minutes < 0"), ["7"]);
}

#[test]
fn rows_beyond_the_answer_are_counted() {
    let plan = Query::parse("appointments | sort client").unwrap().plan(&catalogue(), NOW).unwrap();
    let mut run = plan.run();
    for _ in 0..limits::MAX_ANSWER_ROWS + 3 {
        run.push(row(crate::ROWS[0])).unwrap();
    }
    let table = run.finish().unwrap();
    assert_eq!((table.rows.len(), table.more), (limits::MAX_ANSWER_ROWS, 3));
}

#[test]
fn rows_that_would_have_to_be_kept_and_groups_have_a_bound() {
    let told = |question: &str, rows: usize| {
        let plan = Query::parse(question).unwrap().plan(&catalogue(), NOW).unwrap();
        let mut run = plan.run();
        let pushed = (0..rows).try_for_each(|number| {
            let mut next = row(crate::ROWS[0]);
            next[1] = Value::text(number.to_string());
            run.push(next).map(drop)
        });
        pushed.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let sorted = "appointments | sort client";
    assert_eq!(told(sorted, limits::MAX_KEPT_ROWS), "");
    assert!(told(sorted, limits::MAX_KEPT_ROWS + 1).contains("more than 100000 rows"));
    let grouped = "appointments | summarize count() by client";
    assert_eq!(told(grouped, limits::MAX_GROUPS), "");
    assert!(told(grouped, limits::MAX_GROUPS + 1).contains("more than 10000 groups"));
}

#[test]
fn what_need_not_be_read_is_told() {
    let range = |question: &str| {
        let plan = Query::parse(question).unwrap().plan(&catalogue(), NOW).unwrap();
        let range = plan.range("starts_at");
        let day = |at: Option<jiff::civil::DateTime>| at.map(|at| at.strftime("%m-%d %H").to_string());
        (day(range.from), day(range.until))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(range("appointments"), (None, None));
    assert_eq!(range("appointments | where starts_at >= today - 7d"), (some("11-17 00"), None));
    assert_eq!(
        range(r#"appointments | where starts_at > 2026-11-01 and status == "completed" | where now > starts_at"#),
        (some("11-02 00"), some("11-24 10"))
    );
    assert_eq!(range("appointments | where starts_at >= today or price > 1"), (None, None));
    assert_eq!(range("appointments | where starts_at == today"), (some("11-24 00"), some("11-25 00")));
    assert_eq!(range("appointments | take 2 | where starts_at == today"), (None, None), "it stands after the cut");
}

#[test]
fn a_field_that_is_not_in_the_catalogue_does_not_exist() {
    let mut less = catalogue();
    less.sources[0].fields.retain(|field| field.name != "price");
    let error = Query::parse("appointments | summarize sum(price)").unwrap().plan(&less, NOW).unwrap_err();
    assert!(error.message.contains("no field `price`"));
    let none = Query::parse("appointments").unwrap().plan(&Catalogue::default(), NOW).unwrap_err();
    assert!(none.message.contains("no source"));
}

#[test]
fn values_come_typed() {
    let table = ask("appointments | take 1 | select starts_at, price, minutes").unwrap();
    assert_eq!(table.rows[0][0], Value::DateTime(date(2026, 9, 30).at(23, 30, 0, 0)));
    assert_eq!(table.rows[0][1..], [Value::Money(4_500), Value::Integer(30)]);
}
