//! Every mistake is told with its place and with what would be right.

use balcao_query::limits;

use crate::ask;

fn error(question: &str) -> String {
    ask(question).map_or_else(|error| error.to_string(), |table| panic!("{question} was answered: {table:?}"))
}

#[test]
fn each_mistake_has_its_place_and_a_way_out() {
    let cases = [
        ("", "line 1, column 1: the question ends where the name of a source"),
        ("apointments", "line 1, column 1: there is no source `apointments`; did you mean `appointments`?"),
        ("contacts", "there is no source `contacts`; there are: appointments"),
        ("appointments where", "line 1, column 14: `where` stands where `|` is wanted"),
        ("appointments | wher x", "line 1, column 16: there is no stage `wher`; did you mean `where`?"),
        (
            "appointments\n| where statu == \"x\"",
            "line 2, column 9: there is no field `statu` here; did you mean `status`?",
        ),
        ("appointments | where status == \"noshow\"", "`noshow` is none of its words; did you mean `no_show`?"),
        ("appointments | where status == \"faltou\"", "there are: pending, confirmed, completed, no_show, cancelled"),
        ("appointments | where status > \"completed\"", "not more or less"),
        ("appointments | where price", "a condition is wanted, and this is an amount of money"),
        ("appointments | where price == client", "is compared with"),
        ("appointments | where starts_at > \"ontem\"", "`ontem` is no date"),
        ("appointments | where starts_at > 30d", "a duration only stands after a date; as in today - 30d"),
        ("appointments | where starts_at - 30d > today", "only today, now and dates that are written out"),
        ("appointments | where starts_at > today - 30x", "`30x` is no duration; units are y, mo, w, d, h and min"),
        (
            "appointments | where starts_at > today - 9999999y",
            "`9999999y` is too long; a duration has at most 10000 years",
        ),
        ("appointments | where starts_at > now - 99999999999min", "is too long"),
        ("appointments | where client == \"Bia", "column 32: the text does not end"),
        ("appointments | where (price > 1", "the question ends where `)` is wanted"),
        ("appointments | where client; drop table x", "`;` means nothing here"),
        ("appointments | summarize price", "`summarize` wants figures"),
        ("appointments | summarize total(price)", "there is no figure `total`"),
        ("appointments | summarize sum(client)", "`sum` cannot be made of text"),
        ("appointments | summarize sum()", "`sum` takes one value; as in sum(price)"),
        ("appointments | summarize sum(price, price)", "`sum` takes one value"),
        ("appointments | summarize countif(price)", "`countif` takes a condition"),
        ("appointments | summarize count() | where price > 1", "there is no field `price` here; there are: count"),
        ("appointments | summarize count(), count()", "two fields are called `count`; name one of them otherwise"),
        ("appointments | extend price > 1", "what is added needs a name"),
        ("appointments | extend x = null", "there is nothing to show"),
        ("appointments | extend x = price * price", "`*` does not stand between"),
        ("appointments | extend x = quarter(starts_at)", "there is no function `quarter` here"),
        ("appointments | extend x = hour(price)", "`hour` takes a date and time, not an amount of money"),
        ("appointments | where price in (client)", "is compared with"),
        ("appointments | where client in (professional)", "`in` wants values, not fields"),
        ("appointments | sort nome", "there is no field `nome`"),
        ("appointments | take muitos", "`muitos` stands where a number of rows is wanted"),
        ("appointments | take -1", "`-` stands where a number of rows is wanted"),
        ("appointments | where minutes > 99999999999999999999", "too large"),
    ];
    for (question, expected) in cases {
        let told = error(question);
        assert!(told.contains(expected), "{question}\n  said: {told}\n  not:  {expected}");
    }
}

#[test]
fn what_costs_too_much_is_refused_before_anything_is_read() {
    let long = format!("appointments | where client == \"{}\"", "a".repeat(limits::MAX_TEXT));
    assert!(error(&long).contains("at most"));
    let stages = "| take 1 ".repeat(limits::MAX_STAGES + 1);
    assert!(error(&format!("appointments {stages}")).contains("stages"));
    let deep = format!("appointments | where {}true{}", "(".repeat(40), ")".repeat(40));
    assert!(error(&deep).contains("nest at most"));
    let nots = format!("appointments | where {}true", "not ".repeat(40));
    assert!(error(&nots).contains("nest at most"));
    let terms = format!("appointments | where {}true", "true or ".repeat(limits::MAX_TERMS));
    assert!(error(&terms).contains("words, values and signs"));
}

#[test]
fn a_number_that_grows_beyond_all_bounds_is_a_mistake_and_never_a_figure() {
    for question in [
        "appointments | extend x = price * 9223372036854775807 | summarize sum(x)",
        "appointments | extend x = minutes * 9223372036854775807",
        "appointments | extend x = 9223372036854775807 | summarize sum(x)",
        "appointments | where minutes + 9223372036854775807 > 0",
        "appointments | extend x = minutes - 9223372036854775807 - 9223372036854775807",
        "appointments | extend x = price * 9007199254740992.0 * 9007199254740992.0",
        "appointments | extend x = round(9223372036854775807.0 * 10.0)",
    ] {
        let told = error(question);
        assert!(told.contains("is larger than a number may be"), "{question}: {told}");
    }
    assert!(error("appointments | where price > 9223372036854775807").contains("the amount is too large"));
    assert!(error("appointments | where starts_at < today + 9000y").contains("beyond the calendar"));
    // What has its digits keeps them.
    let table = ask("appointments | take 1 | extend x = minutes * 9007199254740993").unwrap();
    assert_eq!(table.rows[0].last(), Some(&balcao_query::Value::Integer(30 * 9_007_199_254_740_993)));
}
