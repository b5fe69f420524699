use serde_json::json;

use super::*;

fn pagination(value: Value) -> Pagination {
    let read: Pagination = crate::problem::read(&value).unwrap();
    assert_eq!(read.problems(), []);
    read
}

#[test]
fn counted_pages_end_with_the_one_that_is_not_full_or_that_says_so() {
    let counted =
        pagination(json!({ "style": "page", "items": "/tasks", "param": "page", "size": 100, "last": "/last_page" }));
    let next = |page| NextPage::Query("page".to_owned(), page);
    assert_eq!(counted.first(), [("page".to_owned(), "0".to_owned())]);
    assert_eq!(counted.after(0, 100, &json!({}), None), next("1".to_owned()));
    assert_eq!(counted.after(1, 99, &json!({}), None), NextPage::End);
    assert_eq!(counted.after(1, 100, &json!({ "last_page": true }), None), NextPage::End);
    assert_eq!(counted.after(1, 40, &json!({ "last_page": false }), None), next("2".to_owned()));
    assert_eq!(counted.after(5, 0, &json!({ "last_page": false }), None), NextPage::End);
}

#[test]
fn offsets_count_entries() {
    let style =
        json!({ "style": "offset", "items": "", "param": "skip", "size": 50, "size_param": "take", "start": 0 });
    let offset = pagination(style);
    assert_eq!(offset.first(), [("skip".to_owned(), "0".to_owned()), ("take".to_owned(), "50".to_owned())]);
    assert_eq!(offset.after(1, 50, &json!([]), None), NextPage::Query("skip".to_owned(), "100".to_owned()));
    assert_eq!(offset.after(1, 49, &json!([]), None), NextPage::End);
}

#[test]
fn cursors_addresses_and_links_come_from_the_answer() {
    let cursor = pagination(json!({ "style": "cursor", "items": "/data", "param": "cursor", "next": "/next" }));
    assert_eq!(
        cursor.after(0, 1, &json!({ "next": "abc" }), None),
        NextPage::Query("cursor".to_owned(), "abc".to_owned())
    );
    assert_eq!(
        cursor.after(0, 0, &json!({ "next": 0 }), None),
        NextPage::Query("cursor".to_owned(), "0".to_owned()),
        "an empty page that leads on"
    );
    for end in [json!({}), json!({ "next": null }), json!({ "next": "" }), json!({ "next": false })] {
        assert_eq!(cursor.after(0, 1, &end, None), NextPage::End);
    }
    let url = pagination(json!({ "style": "next_url", "items": "/data", "next": "/paging/next" }));
    let answer = json!({ "paging": { "next": "https://x.test/2" } });
    assert_eq!(url.after(0, 1, &answer, None), NextPage::Address("https://x.test/2".to_owned()));
    assert_eq!(url.after(0, 0, &answer, None), NextPage::Address("https://x.test/2".to_owned()));
    let link = pagination(json!({ "style": "link", "items": "" }));
    assert_eq!(link.after(0, 0, &json!([]), Some("</2>; rel=next")), NextPage::Address("/2".to_owned()));
    let header = r#"<https://x.test/1>; rel="prev", </2?a=1>; title="a"; rel="last next""#;
    assert_eq!(link.after(0, 1, &json!([]), Some(header)), NextPage::Address("/2?a=1".to_owned()));
    for header in [
        r#"</9>; rel="prev"; title="one, two; rel=next", </2?a=1,2>; rel="next""#,
        r#"</9>; rel=prev; title="a \" quote, <x>", </2?a=1,2>; title="é, ü"; REL=Next"#,
        r#"</2?a=1,2>; rel="last next"; rel=prev"#,
    ] {
        assert_eq!(link.after(0, 1, &json!([]), Some(header)), NextPage::Address("/2?a=1,2".to_owned()), "{header}");
    }
    for header in [r#"</2>; rel=prev; rel=next"#, r#"</2>; title="x; rel=next""#, "</2", "", "<>;rel"] {
        assert_eq!(link.after(0, 1, &json!([]), Some(header)), NextPage::End, "{header}");
    }
    assert_eq!(link.after(0, 1, &json!([]), None), NextPage::End);
}

#[test]
fn a_57_a_next_page_at_another_host_is_not_followed() {
    let from = Url::parse("https://api.example.com/v1/x?page=1").unwrap();
    assert_eq!(same_origin(&from, "/v1/x?page=2").unwrap().as_str(), "https://api.example.com/v1/x?page=2");
    for elsewhere in [
        "https://evil.test/",
        "http://api.example.com/",
        "//evil.test/",
        "https://api.example.com:8443/",
        "file:///etc",
    ] {
        assert!(same_origin(&from, elsewhere).is_err(), "{elsewhere}");
    }
}

#[test]
fn what_a_style_needs_is_told() {
    let read: Pagination = crate::problem::read(&json!({ "style": "cursor", "items": "data" })).unwrap();
    let told: Vec<String> = read.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "/: the style cursor needs `param`; add `param: …`",
            "/: the style cursor needs `next`; add `next: …`",
            "/items: invalid JSON pointer `data`; write `/data`",
        ]
    );
}
