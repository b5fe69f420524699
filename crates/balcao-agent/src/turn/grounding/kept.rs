//! Tags, stages and fields of the business's own: what the profile lets a model keep, and only in the customer's words.
//!
//! A tag such as "VIP" is the business's judgement: a customer who asks for it gets it only where the profile says that asking
//! is enough.

use balcao_language::normalize;
use serde_json::Value;

use super::{
    DialogueHistory, GroundingProblem,
    written::{self, Speaker},
};

/// What is amiss with a name that must be on the profile's list and in the customer's words, in any form of them.
pub(super) fn find_problem(given: &str, allowed: &[String], talk: &DialogueHistory<'_>) -> Option<GroundingProblem> {
    if !allowed.iter().any(|one| normalize(one) == normalize(given)) {
        return Some(not_ours());
    }
    let is_said = written::of_themselves(given, talk).into_iter().any(|clause| written::is_in(given, clause));
    (!is_said).then(|| GroundingProblem::nobody_said("what the customer said of themselves"))
}

/// The same of fields: each key on the list, each value in the customer's words.
pub(super) fn find_problem_in_fields(
    given: &Value,
    allowed: &[String],
    talk: &DialogueHistory<'_>,
) -> Option<GroundingProblem> {
    given.as_object().into_iter().flatten().find_map(|(key, value)| {
        if !allowed.contains(key) {
            return Some(not_ours());
        }
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        written::find_problem(&text, talk, Speaker::Own(key))
    })
}

fn not_ours() -> GroundingProblem {
    let expected = "what this profile lets you keep; leave it to staff, and go on without".to_owned();
    GroundingProblem { problem: "not_kept_here", expected, nearest: None }
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;
    use serde_json::json;

    use super::{super::Utterance, *};

    #[test]
    fn only_what_is_on_the_list_and_was_said_is_kept() {
        let lines = vec![Utterance::Customer("prefiro de manhã, sou mensalista e meu time é o Galo")];
        let talk = DialogueHistory { lines, today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        let allowed = ["Prefere manhã".to_owned(), "Indicação".to_owned()];
        assert!(find_problem("prefere manhã", &allowed, &talk).is_none());
        for (tag, problem) in [("Mensalista", "not_kept_here"), ("Indicação", "nobody_said_so")] {
            assert_eq!(find_problem(tag, &allowed, &talk).unwrap().problem, problem, "{tag}");
        }
        for other in ["não prefiro de manhã", "minha filha prefere de manhã"] {
            let talk = DialogueHistory { lines: vec![Utterance::Customer(other)], ..talk };
            assert_eq!(find_problem("prefere manhã", &allowed, &talk).unwrap().problem, "nobody_said_so", "{other}");
        }
        let allowed = ["Prefere manhã".to_owned(), "Corte grátis".to_owned(), "Agendamento".to_owned()];
        for (said, tag, is_kept) in [
            ("quero um corte", "Corte grátis", false),
            ("prefiro a Ana", "Prefere manhã", false),
            ("prefiro o Wesley. manhã é ruim", "Prefere manhã", false),
            ("quero agendar um corte", "Agendamento", true),
        ] {
            let talk = DialogueHistory { lines: vec![Utterance::Customer(said)], ..talk };
            assert_eq!(find_problem(tag, &allowed, &talk).is_none(), is_kept, "{said}: {tag}");
        }
        let fields = ["time".to_owned()];
        assert!(find_problem_in_fields(&json!({"time": "Galo"}), &fields, &talk).is_none());
        assert!(find_problem_in_fields(&json!({"time": "Cruzeiro"}), &fields, &talk).is_some());
        assert!(find_problem_in_fields(&json!({"desconto": "Galo"}), &fields, &talk).is_some());
    }
}
