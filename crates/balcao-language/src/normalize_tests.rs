use super::*;

#[test]
fn folding_takes_case_accents_and_typography_off() {
    for (text, want) in [
        ("  Às 3 — AMANHÃ ", "as 3 - amanha"),
        ("João’s “corte”", "joao's \"corte\""),
        ("6ª feira, 1º de maio", "6a feira, 1o de maio"),
        ("linha\r\noutra", "linha outra"),
        ("👌🏿 Tá ok…", "👌 ta ok..."),
        ("", ""),
        ("\u{301}", ""),
        ("１５ｈ", "15h"),
    ] {
        assert_eq!(normalize(text), want, "{text:?}");
        assert_eq!(normalize(&normalize(text)), normalize(text), "{text:?}");
    }
}

#[test]
fn tokens_know_their_place() {
    let text = "às 15h30, João?";
    let found: Vec<(String, &str, bool)> =
        tokens(text).into_iter().map(|t| (t.text, text.get(t.start..t.end).unwrap(), t.glued)).collect();
    let want = [
        ("as", "às", false),
        ("15", "15", false),
        ("h", "h", true),
        ("30", "30", true),
        (",", ",", true),
        ("joao", "João", false),
        ("?", "?", true),
    ];
    assert_eq!(found, want.map(|(a, b, c)| (a.to_owned(), b, c)));
}

proptest::proptest! {
    #[test]
    fn any_text_folds_once_and_splits_in_order(text in "\\PC*") {
        let once = normalize(&text);
        proptest::prop_assert_eq!(normalize(&once), once.clone());
        let mut last = 0;
        for token in tokens(&text) {
            proptest::prop_assert!(token.start >= last && token.end > token.start && !token.text.is_empty());
            proptest::prop_assert!(text.get(token.start..token.end).is_some());
            last = token.end;
        }
    }
}
