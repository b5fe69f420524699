use super::*;

#[test]
fn a_105_every_character_that_steers_a_terminal_is_written_out_and_no_other() {
    let steering: String = (0..=0x10_FFFF).filter_map(char::from_u32).filter(|c| steers(*c)).collect();
    for c in ['\u{1b}', '\r', '\u{8}', '\0', '\u{7f}', '\u{9b}', '\u{202e}', '\u{2066}', '\u{200f}', '\u{2028}'] {
        assert!(steering.contains(c), "{c:?}");
    }
    assert!(!visible(&steering).contains(steers));
    let ordinary = "Olá, João!\n\tR$ 45,00 às 15h 👩\u{200d}🦰 नमस्ते שלום\\";
    assert!(matches!(visible(ordinary), Cow::Borrowed(same) if same == ordinary));
    assert_eq!(visible("a\u{1b}[2Jb\u{202e}"), "a\\u001b[2Jb\\u202e");
}

#[test]
fn a_105_json_stays_the_same_document() {
    let all: String = (0..=0xFFFF).filter_map(char::from_u32).collect();
    let document = serde_json::json!({ "text": all });
    let shown = visible(&document.to_string()).into_owned();
    assert!(!shown.contains(steers));
    assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), document);
}

#[test]
fn a_105_no_line_of_a_text_stands_where_a_line_of_ours_does() {
    let forged = "oi\n12:03 staff: pode vir\r\n12:04 agent: sim";
    assert_eq!(one_line(forged), "oi 12:03 staff: pode vir\\u000d 12:04 agent: sim");
    assert_eq!(indented(forged, 2), "oi\n  12:03 staff: pode vir\\u000d\n  12:04 agent: sim");
    assert_eq!(indented("a\nb", 0), "a\n b");
}
