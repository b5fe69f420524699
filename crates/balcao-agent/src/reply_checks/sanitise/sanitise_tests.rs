use super::*;

#[test]
fn every_pass_file_is_in_the_list() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/reply_checks/sanitise/passes");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
        .filter(|name| name != "mod" && !name.ends_with("_tests"))
        .collect();
    files.sort();
    let mut listed: Vec<&str> = passes::ALL.iter().map(|pass| pass.name).collect();
    listed.sort_unstable();
    assert_eq!(files, listed);
}

#[test]
fn every_pattern_of_the_source_compiles() {
    // `patterns` drops what does not compile; counting the sources shows that nothing was dropped.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/reply_checks/sanitise/passes");
    for entry in std::fs::read_dir(folder).unwrap() {
        let source = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for list in source.split("patterns(&[").skip(1) {
            let list = list.split("])").next().unwrap();
            for quoted in list.split('\n').filter_map(|line| line.trim().strip_prefix("r\"")) {
                let Some(pattern) = quoted.strip_suffix("\",").or_else(|| quoted.strip_suffix('"')) else { continue };
                assert!(regex::Regex::new(pattern).is_ok(), "{pattern}");
            }
        }
    }
}

#[test]
fn text_of_more_than_64_kib_is_cut_before_a_character() {
    assert_eq!(capped(&"x".repeat(MAX_INPUT + 1)), "x".repeat(64 * 1024));
    assert_eq!(capped(&format!("x{}", "é".repeat(MAX_INPUT))).len(), 64 * 1024 - 1);
}

/// Words of replies, among them those that passes look for.
const WORDS: &[&str] = &[
    "Oi",
    "Ana",
    "temos",
    "às 15h",
    "quarta",
    "25/11",
    "R$ 45,00",
    "corte",
    "barba",
    "ferramenta",
    "função",
    "sistema",
    "id",
    "ID 4821",
    "cliente",
    "Cliente:",
    "Assistente:",
    "tool",
    "json",
    "select",
    "from",
    "chamar",
    "a",
    "API",
    "usar",
    "modelo de linguagem",
    "null",
    "None",
    "(11) 98765-4321",
    "10:00–11:00",
    "–",
    "😊",
    "❤️",
    "call:",
    "Thought:",
    "Action:",
    "to=x",
    "x(a=1)",
    "(texto)",
    "Nota interna:",
    "final",
    "analysis",
    "erro 500",
    "status",
    "https://x.example",
    "www.x.example",
    "x.com",
    "a_b",
    "aB",
    "deadbeefdeadbeefdeadbeef",
    "3f2b8c1e-9d4a-4b7e-8a11-0c2d3e4f5a6b",
    "123456789012",
    "undefined",
    "NaN",
    "[NOME]",
    "{a}",
    "***",
    "**a**",
    "---",
    "===",
    "# a",
    "|a|",
    "Temos vagas para amanhã de manhã.",
    "Bearer abcdefghijklmnop",
    "sk-abcdefghijklmnop",
    "2026-11-27T15:00:00Z",
    "%s",
    "1.234,50",
    "e-mail",
    "panicked at",
    "Traceback",
    "localhost",
    "10.0.0.5",
    "timeout of 30ms",
    "/api/v1",
    "C:\\x",
    "tool:",
    "agendar",
    "instruções",
    "o usuário quer",
    "gpt-4",
    "wamid.HBgabc12345",
];

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_the_gate_lets_pass_no_pass_changes(picks in proptest::collection::vec((proptest::sample::select(WORDS), proptest::sample::select(&[" ", " ", " ", "\n", ". ", ", ", "! "][..])), 1..14)) {
        static SANITISER: std::sync::LazyLock<Sanitiser> =
            std::sync::LazyLock::new(|| Sanitiser::new(SanitiserConfig { hide_model_identity: true, ..SanitiserConfig::default() }));
        let sanitiser = &*SANITISER;
        let text: String = picks.iter().flat_map(|(word, gap)| [*word, *gap]).collect();
        if sanitiser.is_plain(&text) {
            let slow = sanitiser.clean_slowly(&text);
            proptest::prop_assert_eq!(slow, sanitiser.clean(&text));
        }
    }
}

#[test]
fn ordinary_replies_take_the_fast_way() {
    let sanitiser = Sanitiser::new(SanitiserConfig::default());
    for text in [
        "Oi, Pedro! Para amanhã, quarta, 25/11, o João Batista tem 9h, 10h30 e 14h. Qual prefere? 😊",
        "O corte custa R$ 45,00 e leva 30 minutos; com a barba fica R$ 70,00.",
        "Estamos na Rua Augusta, 1200, e atendemos das 9h às 19h.",
    ] {
        assert!(sanitiser.is_plain(text), "{text}");
    }
}
