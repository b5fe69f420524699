//! Laws that hold for any text.

use proptest::prelude::*;

use super::{benign::replies, mark_in, sanitiser, sent};

/// Pieces that meet in leaks, and words between them.
const PIECES: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "{\"name\":",
    "\"agendar_horario\"",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    "<think>",
    "</think>",
    "<|",
    "|>",
    "<|channel|>",
    "final",
    "<|message|>",
    "Temos às 15h. ",
    "Oi! ",
    "\n",
    "\n\n",
    "**",
    "*",
    "_",
    "`",
    "```",
    "json",
    "check_availability",
    "to=functions.x ",
    "agendar_horario(",
    "dia=\"27/11\"",
    "[TOOL_CALLS]",
    "Cliente: oi",
    "\\n",
    "\\\"",
    "&lt;",
    "&amp;",
    "<",
    ">",
    "|",
    "https://mau.example/x",
    "\u{200B}",
    "｜",
    "tool",
    "_call",
    "\u{202E}",
    "R$ 45,00",
    "#",
    "[NOME]",
    "{{",
    "}}",
    "[x](",
    "👨‍👩‍👧",
    "é",
    "sk-ant-0123456789abcdef",
    "Traceback (most recent call last)",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_judged_and_cleaning_twice_is_cleaning_once(text in any::<String>()) {
        twice(&text)?;
    }

    #[test]
    fn cleaning_twice_is_cleaning_once_for_mixtures_of_leaks(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..24)) {
        twice(&pieces.concat())?;
    }
}

fn twice(text: &str) -> Result<(), TestCaseError> {
    static SANITISER: std::sync::LazyLock<balcao_agent::reply_checks::sanitise::Sanitiser> =
        std::sync::LazyLock::new(sanitiser);
    let sanitiser = &*SANITISER;
    if let Some(once) = sent(&sanitiser.clean(text).verdict) {
        let again = sanitiser.clean(once).verdict;
        prop_assert_eq!(sent(&again), Some(once), "from {:?}", text);
        prop_assert_eq!(mark_in(once).filter(|mark| mark.starts_with("<tool") || mark == "<|"), None);
    }
    Ok(())
}

#[test]
fn a_long_hostile_text_is_cleaned_like_a_short_one() {
    let sanitiser = sanitiser();
    for piece in [
        "{\"a\":",
        "<tool_call>",
        "[[[[",
        "(((",
        "<|",
        "```",
        "**a",
        "\\\\\"",
        "&amp;",
        "a_b(",
        "<think>",
        "</x>",
        "to=a ",
        "\"a\":",
        "_",
        "|a|\n",
    ] {
        let text = piece.repeat(64 * 1024 / piece.len());
        if let Some(once) = sent(&sanitiser.clean(&text).verdict) {
            assert_eq!(mark_in(once), None, "{piece}");
        }
    }
    let whole = replies().join("\n\n");
    assert!(sent(&sanitiser.clean(&whole).verdict).is_some());
}
