use proptest::prelude::*;

use super::*;

#[test]
fn a_cut_falls_where_a_reader_would_pause() {
    for (text, limit, parts) in [
        ("", 10, &[][..]),
        (" \n ", 10, &[]),
        (" curto ", 10, &["curto"]),
        ("Oi! Tudo bem? Temos 15h.", 14, &["Oi! Tudo bem?", "Temos 15h."]),
        ("Primeiro parágrafo.\n\nSegundo. Terceiro.", 30, &["Primeiro parágrafo.", "Segundo. Terceiro."]),
        ("- corte 45\n- barba 30\n- os dois 70", 24, &["- corte 45\n- barba 30", "- os dois 70"]),
        ("Fale com o Dr. Rafael Souza hoje", 20, &["Fale com o Dr.", "Rafael Souza hoje"]),
        ("Custa R$ 1.234,50 no total. Pode?", 29, &["Custa R$ 1.234,50 no total.", "Pode?"]),
        ("uma duas três quatro", 9, &["uma duas", "três", "quatro"]),
        ("abcdefghij", 4, &["abcd", "efgh", "ij"]),
        ("👨‍👩‍👧👨‍👩‍👧", 9, &["👨‍👩‍👧", "👨‍👩‍👧"]),
        ("👍👍", 1, &["👍", "👍"]),
    ] {
        assert_eq!(split_text(text, limit), parts, "{text:?} at {limit}");
    }
}

#[test]
fn a_name_is_not_cut_behind_its_title_while_a_sentence_ends_before_it() {
    let parts = split_text("Ele atende sexta. Fale com o Dr. Rafael amanhã cedo", 36);
    assert_eq!(parts, ["Ele atende sexta.", "Fale com o Dr. Rafael amanhã cedo"]);
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

proptest! {
    #[test]
    fn nothing_but_blanks_is_lost_and_every_part_fits(text in "(\\PC|[ \n.!?]|👨‍👩‍👧|😀){0,300}", limit in 2_usize..80) {
        let parts = split_text(&text, limit);
        prop_assert_eq!(without_blanks(&parts.concat()), without_blanks(&text));
        for part in &parts {
            prop_assert!(!part.trim().is_empty());
            prop_assert!(length(part) <= limit, "{} > {}", length(part), limit);
        }
    }

    #[test]
    fn any_text_at_any_limit_ends(text in any::<String>(), limit in any::<usize>()) {
        let parts = split_text(&text, limit);
        prop_assert!(parts.iter().all(|part| !part.is_empty()));
    }
}
