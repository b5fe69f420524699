//! Yes and no.

use balcao_language::{Agreement, agreement, agreement::leans_to};

use crate::cases;

/// The recogniser finds a "sim" anywhere; a confirmation must not. What hedges, negates or goes on is not.
#[test]
fn plain_agreement_is_yes_and_hedged_agreement_is_not() {
    let Some(cases) = cases("Choice/BooleanModel.json") else { return };
    let mut yes = 0;
    for case in &cases {
        let text = case["Input"].as_str().unwrap();
        let hedged = ["Acho", "não"].iter().any(|word| text.contains(word));
        let found = agreement(text);
        let fits =
            if hedged { matches!(found, Agreement::Unclear | Agreement::Contested) } else { found == Agreement::Yes };
        assert!(fits, "{text:?} is {found:?}");
        yes += usize::from(!hedged);
    }
    assert_eq!((yes, cases.len()), (4, 7));
}

/// Where nothing hangs on it, the first word of agreement or refusal is the answer: all of the source's cases.
#[test]
fn all_answers_lean_the_way_that_the_recogniser_reads() {
    let Some(cases) = cases("Choice/BooleanModel.json") else { return };
    for case in &cases {
        let text = case["Input"].as_str().unwrap();
        assert_eq!(leans_to(text), case["Results"][0]["Resolution"]["value"].as_bool(), "{text:?}");
    }
    eprintln!("Choice/BooleanModel.json: {} of {} alike", cases.len(), cases.len());
}
