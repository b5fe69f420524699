//! What holds for every question.

use balcao_query::{Progress, Query, Value};
use jiff::ToSpan;
use proptest::prelude::*;

use crate::{NOW, catalogue};

fn condition() -> impl Strategy<Value = String> {
    let operator = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let value =
        prop::sample::select(vec!["today", "now", "today - 3d", "2026-11-22", "\"2026-11-23T12:00\"", "now + 1h"]);
    let leaf = (operator, value, any::<bool>()).prop_map(|(operator, value, swapped)| {
        if swapped { format!("{value} {operator} starts_at") } else { format!("starts_at {operator} {value}") }
    });
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) and ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) or ({b})")),
            inner.prop_map(|a| format!("not ({a})")),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_with_a_place_within_it(text in ".{0,200}") {
        if let Err(error) = Query::parse(&text) {
            prop_assert!(error.at <= text.len() && error.line >= 1 && error.column >= 1);
        }
    }

    #[test]
    fn any_words_of_the_language_are_answered_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "appointments", "|", "where", "summarize", "sort", "take", "select", "extend", "by", "count", "sum", "(", ")", ",",
            "=", "==", "<", "-", "/", "price", "status", "starts_at", "\"x\"", "1", "30d", "today", "and", "not", "in", "null",
            "month", "desc",
        ]), 0..25)
    ) {
        drop(crate::ask(&format!("appointments | {}", words.join(" "))));
    }

    #[test]
    fn rows_outside_of_the_range_are_in_no_answer(condition in condition(), hours in -200_i64..200) {
        let plan = Query::parse(&format!("appointments | where {condition}")).unwrap().plan(&catalogue(), NOW).unwrap();
        let at = NOW.saturating_add(hours.hours());
        let mut row = crate::row(crate::ROWS[0]);
        row[0] = Value::DateTime(at);
        let mut run = plan.run();
        prop_assert_eq!(run.push(row).unwrap(), Progress::Goes);
        let counts = !run.finish().unwrap().rows.is_empty();
        let range = plan.range("starts_at");
        let within = range.from.is_none_or(|from| at >= from) && range.until.is_none_or(|until| at < until);
        prop_assert!(within || !counts, "{condition} at {at}: {range:?}");
    }
}
