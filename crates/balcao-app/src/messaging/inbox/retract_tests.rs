use super::*;

#[test]
fn short_words_go_only_where_they_stand_alone() {
    let record = r#"{"inbound":"oi","calls":[{"text":"coisa"},{"text":"oi"}],"n":1}"#;
    let left: Value = serde_json::from_str(&without(record, "oi", "[x]")).unwrap();
    assert_eq!(
        left,
        serde_json::json!({ "inbound": "[x]", "calls": [{ "text": "coisa" }, { "text": "[x]" }], "n": 1 })
    );
}

#[test]
fn telling_words_go_wherever_they_stand() {
    let record = r#"["o cliente disse: meu cpf é 123, certo?"]"#;
    assert_eq!(without(record, "meu cpf é 123", "[x]"), r#"["o cliente disse: [x], certo?"]"#);
}
