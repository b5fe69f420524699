use std::{collections::BTreeSet, fmt, io};

use super::*;

#[derive(Debug)]
struct Outer(io::Error);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request failed")
    }
}

impl Error for Outer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn each_code_has_its_word_class_and_whether_the_same_call_may_work_later() {
    use ResultClass::{Correction, Fault, Refusal};
    let table = [
        ("invalid_arguments", Correction, false),
        ("not_found", Correction, false),
        ("ambiguous", Correction, false),
        ("conflict", Refusal, false),
        ("forbidden", Correction, false),
        ("confirmation_required", Refusal, false),
        ("rate_limited", Fault, true),
        ("unavailable", Fault, true),
        ("timeout", Fault, true),
        ("blocked", Refusal, false),
        ("unknown_tool", Correction, false),
        ("upgrade_required", Refusal, false),
        ("internal", Fault, false),
    ];
    for (code, (word, class, retryable)) in ErrorCode::ALL.into_iter().zip(table) {
        assert_eq!((code.as_str(), code.class(), code.retryable()), (word, class, retryable));
        assert_eq!(code.to_string(), word);
        assert_eq!(serde_json::to_value(code).unwrap(), word);
    }
}

#[test]
fn every_code_guides_in_both_languages() {
    for locale in [Locale::PtBr, Locale::En] {
        let texts: BTreeSet<&str> = ErrorCode::ALL.into_iter().map(|code| code.guidance(locale)).collect();
        // A service that does not answer and one that answers too late need the same.
        assert_eq!(texts.len(), ErrorCode::ALL.len() - 1);
        assert!(texts.iter().all(|text| text.ends_with('.') && text.len() > 20));
    }
    assert!(ErrorCode::ALL.into_iter().all(|code| code.guidance(Locale::PtBr) != code.guidance(Locale::En)));
}

#[test]
fn staff_read_the_whole_chain_and_a_model_only_what_it_can_act_on() {
    let error = Outer(io::Error::other("10.0.0.7 refused the connection"));
    let down = ToolError::from_source(ErrorCode::Unavailable, &error);
    assert_eq!(down.text.as_str(), "the system behind this tool does not answer now");
    let defect = ToolError::from_source(ErrorCode::Internal, &error);
    assert_eq!(defect.text.as_str(), "the tool failed");
    for error in [down, defect] {
        let told = error.internal.as_ref().unwrap().for_staff();
        assert_eq!(told, "the request failed: 10.0.0.7 refused the connection");
        assert!(!error.to_model(None, Locale::En).to_string().contains("10.0.0.7"));
        assert!(!error.uncertain && error.clone().uncertain().uncertain);
    }
}

#[test]
fn bad_fields_are_told_in_one_sentence_and_each_by_itself() {
    let field = |pointer: &str| FieldProblem {
        pointer: pointer.to_owned(),
        problem: "missing".to_owned(),
        expected: "a day".to_owned(),
        ..FieldProblem::default()
    };
    let text = |fields| ToolError::invalid(fields).text.as_str().to_owned();
    assert_eq!(text(vec![field("/day")]), "/day: missing; expected a day");
    assert_eq!(text(vec![field("")]), "missing; expected a day");
    assert_eq!(text(vec![field("/day"), field("/hour")]), "2 fields are wrong");
    let told = ToolError::invalid(vec![field("/day")]).to_model(None, Locale::En);
    assert_eq!(told["details"]["fields"], json!([{"pointer": "/day", "problem": "missing", "expected": "a day"}]));
}

#[test]
fn a_model_reads_text_code_details_and_what_to_do_next() {
    let error = ToolError::new(ErrorCode::Timeout, "too slow");
    let plain = json!({
        "error": "too slow", "code": "timeout", "retryable": true, "_context": ErrorCode::Timeout.guidance(Locale::En)
    });
    assert_eq!(error.to_model(None, Locale::En), plain);
    let mut told = error.detail("after_ms", 5).to_model(Some("Wait."), Locale::En);
    assert_eq!((&told["details"], &told["_context"]), (&json!({"after_ms": 5}), &json!("Wait.")));
    tell_uncertain(&mut told, Locale::En);
    assert_eq!((&told["retryable"], told["_context"].as_str().unwrap().contains("not known")), (&json!(false), true));
    tell_uncertain(&mut told, Locale::PtBr);
    assert!(told["_context"].as_str().unwrap().starts_with("Não se sabe"));
}
