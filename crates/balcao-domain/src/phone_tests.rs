use serde::Deserialize;

use super::*;
use crate::material;

#[derive(Deserialize)]
struct Row {
    input: String,
    #[serde(default)]
    e164: String,
    #[serde(default)]
    valid: bool,
}

/// Agrees with libphonenumber on every number that it calls valid, apart from the rules named in the module comment.
#[test]
fn agrees_with_libphonenumber_except_for_the_ninth_digit() {
    let Some(text) = material("phone/br-phones-libphonenumber.json") else { return };
    let rows: Vec<Row> = serde_json::from_str(&text).unwrap();
    let (mut agreed, mut ninth, mut other) = (0, 0, Vec::new());
    for row in &rows {
        let ours = Phone::parse(&row.input).ok().map(|phone| phone.e164().to_owned());
        let theirs = row.valid.then(|| row.e164.clone());
        if ours == theirs {
            agreed += 1;
        } else if ours == with_ninth_digit(&row.e164) {
            ninth += 1;
        } else {
            other.push((row.input.clone(), ours, theirs));
        }
    }
    assert!(agreed > 0 && ninth > 0);
    for (input, ours, theirs) in &other {
        let our_rule = input.starts_with("00 55") || input.contains("ramal");
        let no_area_code = input == "4004-1234" && ours.is_none();
        assert!(our_rule || no_area_code, "{input}: {ours:?}, libphonenumber says {theirs:?}");
    }
    eprintln!("{agreed} agree, {ninth} differ by the ninth digit, {} by another stated rule", other.len());
}

fn with_ninth_digit(e164: &str) -> Option<String> {
    let national = e164.strip_prefix("+55")?;
    let (area, line) = national.split_at(2);
    (line.len() == 8 && line.starts_with(['6', '7', '8', '9'])).then(|| format!("+55{area}9{line}"))
}

#[test]
fn one_person_is_one_contact_however_the_number_was_written() {
    let spellings = [
        "+55 11 98765-4321",
        "5511987654321",
        "551187654321",
        "whatsapp:+551187654321",
        "551187654321@s.whatsapp.net",
        "(11) 98765-4321",
        "011 98765 4321",
        "0 15 11 98765-4321",
        "(0xx11) 8765-4321",
        "00 55 11 98765 4321",
        "＋５５ １１ ９８７６５-４３２１",
        "\u{202a}+55 11 98765\u{2011}4321\u{202c}",
    ];
    for text in spellings {
        let phone = Phone::parse(text).unwrap();
        assert_eq!(phone.e164(), "+5511987654321", "{text}");
        assert_eq!(phone.as_received(), text);
        assert_eq!(phone.identity().as_str(), "551187654321");
    }
}

#[test]
fn area_code_55_is_not_the_country_code() {
    assert_eq!(Phone::parse("(55) 2488-0341").unwrap().e164(), "+555524880341");
    assert_eq!(Phone::parse("55 99123-4567").unwrap().e164(), "+5555991234567");
    assert_eq!(Phone::parse("+55 55 99123-4567").unwrap().e164(), "+5555991234567");
}

#[test]
fn other_countries_are_kept_as_valid_e164() {
    let phone = Phone::parse("+351 912 345 678").unwrap();
    assert_eq!((phone.e164(), phone.identity().as_str()), ("+351912345678", "+351912345678"));
    assert_eq!(Phone::parse("0041 44 668 18 00").unwrap().e164(), "+41446681800");
    assert!(Phone::parse("+1 111 111 1111").is_err());
}

#[test]
fn refuses_what_reaches_nobody() {
    for text in [
        "",
        "abc",
        "190",
        "4004-1234",
        "+55 11",
        "99999999",
        "+55 23 96852-1259",
        "11 987654321 9",
        "+",
        "11 98765+4321",
        "+55 11 18765-4321",
    ] {
        assert!(Phone::parse(text).is_err(), "{text}");
    }
    assert!(Phone::parse("+55 23 96852-1259").unwrap_err().to_string().contains("no area code 23"));
}
