use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::Striker;

const SECRET: &str = "pk_12345_ABCDEFGHIJKLMNOP";

#[test]
fn a_secret_is_struck_as_services_echo_it() {
    let striker = Striker::new([SECRET]);
    for echoed in [
        SECRET.to_owned(),
        format!("Bearer {SECRET}"),
        SECRET.to_lowercase(),
        STANDARD.encode(SECRET),
        STANDARD.encode(format!("user:{SECRET}")),
        STANDARD.encode(format!("u:{SECRET}@host")),
        SECRET.bytes().map(|byte| format!("{byte:02X}")).collect::<String>(),
        SECRET.replace('_', "%5F"),
        SECRET.chars().skip(4).take(12).collect(),
    ] {
        let told = striker.text(&format!("before {echoed} after"));
        assert!(told.starts_with("before ") && told.ends_with(" after"), "{echoed}: {told}");
        assert!(told.contains('…') && told.len() < echoed.len().max(30), "{echoed}: {told}");
    }
}

const HTML_NAMES: [(char, &str); 12] = [
    ('/', "sol"),
    ('"', "quot"),
    ('&', "amp"),
    ('<', "lt"),
    ('>', "gt"),
    ('\'', "apos"),
    ('_', "lowbar"),
    ('-', "#45"),
    ('+', "plus"),
    ('=', "equals"),
    (':', "colon"),
    ('.', "period"),
];

#[test]
fn a_secret_is_struck_however_it_is_escaped() {
    for secret in ["aB3/d\"e&f<g>'h_9", "correct/horse-battery&staple"] {
        let striker = Striker::new([secret]);
        let html = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
        let marks = |code: fn(char) -> String| -> String {
            secret.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { code(c) }).collect()
        };
        for echoed in [
            json!(secret).to_string(),
            secret.replace('"', "\\\"").replace('/', "\\/"),
            html.replace('\'', "&apos;"),
            html.replace('\'', "&#39;"),
            marks(|c| format!("&#{};", u32::from(c))),
            marks(|c| format!("&#x{:X};", u32::from(c))),
            secret.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect(),
            secret.chars().map(|c| format!("&#{};", u32::from(c))).collect(),
            marks(|c| format!("\\{c}")),
            marks(|c| format!("&{};", HTML_NAMES.iter().find(|(mark, _)| *mark == c).unwrap().1)),
        ] {
            let told = striker.text(&format!("before {echoed} after"));
            assert!(told.starts_with("before ") && told.ends_with(" after"), "{echoed}: {told}");
            assert!(told.contains('…') && told.len() < 40, "{echoed}: {told}");
        }
    }
}

#[test]
fn a_secret_is_struck_where_each_byte_is_spelt_by_itself() {
    let secret = "correct/horse-battery&staple";
    for (secret, own) in [(SECRET, "pk"), (secret, "horse")] {
        let striker = Striker::new([secret]);
        let each = |code: fn(u8) -> String, between: &str| secret.bytes().map(code).collect::<Vec<_>>().join(between);
        let quoted = each(|byte| format!("={byte:02X}"), "");
        let (head, tail) = quoted.split_at(30);
        for echoed in [
            each(|byte| format!("%{byte:02X}"), ""),
            each(|byte| format!("%{byte:02x}"), ""),
            quoted.clone(),
            format!("{head}=\r\n{tail}"),
            format!("{}=\n{}", secret.get(..9).unwrap(), secret.get(9..).unwrap()),
            each(|byte| format!("{byte:02x}"), ":"),
            each(|byte| format!("{byte:02X}"), " "),
            each(|byte| format!("{byte:02x}"), "-"),
            each(|byte| format!("{byte:02x}"), ", "),
        ] {
            let told = striker.text(&format!("before: {echoed} (after)"));
            assert!(told.starts_with("before") && told.ends_with("after)"), "{echoed}: {told}");
            assert!(told.contains('…') && told.len() < 40 && !told.contains(own), "{echoed}: {told}");
        }
    }
    let striker = Striker::new([SECRET]);
    for plain in
        ["100% de 20%", "a=1&b=20", "25/11, 15:00, 16:30", "00:1A:2B:3C:4D:5E:6F:70", "%41%42%43", "=C3=A9 =C3=A3"]
    {
        assert_eq!(striker.text(plain), plain);
    }
}

#[test]
fn a_large_part_of_a_secret_of_small_letters_is_struck() {
    let striker = Striker::new(["correct-horse-battery-staple"]);
    assert_eq!(striker.text("a correct-horse-battery b"), "a … b");
    assert_eq!(striker.text("a correct horse"), "a correct horse");
}

#[test]
fn values_keep_everything_else() {
    let striker = Striker::new([SECRET, "31984327788"]);
    let mut value =
        json!({"id": 7, "seen": ["ação", format!("x{SECRET}y")], SECRET: 1, "n": 31_984_327_788_u64, "ok": true});
    striker.value(&mut value);
    assert_eq!(value, json!({"id": 7, "seen": ["ação", "x…y"], "…": 1, "n": "…", "ok": true}));
    let mut untouched = json!({"a": ["pk_", "12345", {"b": null}]});
    striker.value(&mut untouched);
    assert_eq!(untouched, json!({"a": ["pk_", "12345", {"b": null}]}));
}

proptest! {
    #[test]
    fn texts_that_return_in_a_list_are_struck_as_each_alone(
        texts in prop::collection::vec("(pk_44100|due_date|assignees|[ab]{8})(21_SECRET|[ab]{1,2})?", 1..80),
    ) {
        let striker = Striker::new(["pk_4410021_SECRET"]);
        let mut list: Value = texts.iter().map(|text| json!({ text: text })).collect();
        striker.value(&mut list);
        let alone: Value = texts.iter().map(|text| json!({ striker.text(text): striker.text(text) })).collect();
        prop_assert_eq!(list, alone);
    }
}

#[test]
fn what_anybody_may_see_of_a_file_of_keys_is_not_struck() {
    let file = json!({
        "type": "service_account", "private_key": format!("-----BEGIN PRIVATE KEY-----\n{}", "aB3".repeat(100)),
        "token_uri": "https://oauth2.googleapis.com/token",
    });
    let striker = Striker::new([file.to_string().as_str(), "https://hooks.example.com/T0/s3cretpart"]);
    for plain in ["https://www.googleapis.com/calendar/v3", "see https://oauth2.googleapis.com", "service_account"] {
        assert_eq!(striker.text(plain), plain);
    }
    assert!(!striker.text(&"aB3".repeat(20)).contains("aB3aB3aB3aB3aB3aB3"));
    assert!(!striker.text("hooks.example.com/T0/s3cretpart").contains("s3cret"));
}

#[test]
fn without_secrets_nothing_is_struck() {
    for none in [Striker::new([]), Striker::new(["", "abc"])] {
        assert_eq!(none.text("abc and all"), "abc and all");
    }
}

proptest! {
    #[test]
    fn a_secret_is_struck_whole(secret in "[!-~]{8,40}", before in "\\PC{0,20}", after in "\\PC{0,20}") {
        let told = Striker::new([secret.as_str()]).text(&format!("{before}{secret}{after}"));
        let whole = told.as_bytes().windows(secret.len()).any(|part| part.eq_ignore_ascii_case(secret.as_bytes()));
        prop_assert!(!whole, "{}", told);
    }
}

/// The marks that say by themselves what a number is, or stand with pairs of hexadecimal digits.
const MARKS: [fn(u8, &str) -> String; 12] = [
    |byte, _| format!("%{byte:02X}"),
    |byte, _| format!("={byte:02x}"),
    |byte, _| format!("\\x{byte:02x}"),
    |byte, _| format!("\\u{byte:04x}"),
    |byte, zeros| format!("\\u{{{zeros}{byte:x}}}"),
    |byte, zeros| format!("0x{zeros}{byte:02X}"),
    |byte, zeros| format!("U+{zeros}{byte:02X}"),
    |byte, zeros| format!("&#{zeros}{byte};"),
    |byte, zeros| format!("&#{zeros}{byte}"),
    |byte, zeros| format!("&#x{zeros}{byte:x};"),
    |byte, zeros| format!("&#X{zeros}{byte:x}"),
    |byte, zeros| format!("{zeros}{byte:02x}"),
];

/// How a whole text is written.
#[derive(Debug, Clone)]
enum Writing {
    /// Each byte with its own mark.
    Marked(Vec<usize>),
    Decimal,
    Octal,
    Base64,
    /// Of UTF-16, as shells of Windows make it.
    WideBase64,
    Base32,
    /// Pairs of digits with nothing between them.
    Hex,
}

impl Writing {
    fn write(&self, text: &str, zeros: &str, between: &str) -> String {
        match self {
            Self::Base64 => return STANDARD.encode(text),
            Self::WideBase64 => {
                let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                return STANDARD.encode(wide);
            }
            Self::Hex => return text.bytes().map(|byte| format!("{byte:02x}")).collect(),
            Self::Base32 => return base32(text),
            Self::Marked(_) | Self::Decimal | Self::Octal => {}
        }
        let code = |(index, byte): (usize, u8)| match self {
            Self::Marked(marks) => MARKS[marks[index % marks.len()]](byte, zeros),
            Self::Decimal => format!("{zeros}{byte}"),
            Self::Octal | Self::Base64 | Self::WideBase64 | Self::Base32 | Self::Hex => format!("\\{byte:03o}"),
        };
        text.bytes().enumerate().map(code).collect::<Vec<_>>().join(between)
    }
}

/// The text in the 32 letters of RFC 4648, five bits each.
fn base32(text: &str) -> String {
    let bits: String = text.bytes().map(|byte| format!("{byte:08b}")).collect();
    let letter = |five: &[u8]| {
        let five = format!("{:0<5}", std::str::from_utf8(five).unwrap());
        let value = usize::from_str_radix(&five, 2).unwrap();
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[value])
    };
    bits.as_bytes().chunks(5).map(letter).collect()
}

fn writings() -> impl Strategy<Value = (Writing, String, String)> {
    let marked = prop::collection::vec(0..MARKS.len(), 1..6).prop_map(Writing::Marked);
    let writing = prop_oneof![
        4 => marked,
        1 => Just(Writing::Decimal),
        1 => Just(Writing::Octal),
        1 => Just(Writing::Base64),
        1 => Just(Writing::WideBase64),
        1 => Just(Writing::Base32),
        1 => Just(Writing::Hex),
    ];
    // What stands between does not mark a decimal number itself.
    let between = "[ -/:-@\\[-`{-~\\t\\r\\n\u{b7}\u{2192}]{1,2}".prop_filter("a mark", |text| !text.ends_with('#'));
    (writing, "0{0,5}", between)
}

proptest! {
    #[test]
    fn a_secret_is_struck_however_its_bytes_are_written(
        secret in "[!-~]{8,40}",
        depth in prop::collection::vec(writings(), 1..3),
    ) {
        let mut echoed = secret.clone();
        // Of Base64 and Base32 only parts of ASCII are read.
        let is_packed = depth.iter().any(|(writing, ..)| matches!(writing, Writing::Base64 | Writing::WideBase64 | Writing::Base32));
        for (writing, zeros, between) in &depth {
            let between = if is_packed && !between.is_ascii() { "," } else { between };
            echoed = writing.write(&echoed, zeros, between);
        }
        let told = Striker::new([secret.as_str()]).text(&format!("before ({echoed}) after"));
        prop_assert!(told.starts_with("before (") && told.ends_with(") after"), "{}: {}", echoed, told);
        prop_assert!(told.contains('…') && told.len() < 20 + echoed.len() / 2, "{}: {}", echoed, told);
    }

    #[test]
    fn ordinary_numbers_stay(
        numbers in prop::collection::vec(prop_oneof![
            "[0-9]{1,4}", "R\\$ [0-9]{1,4},[0-9]{2}", "[0-2][0-9]:[0-5][0-9]", "[0-3][0-9]/[01][0-9]/20[0-9]{2}",
            "#[0-9a-f]{6}", "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}", "[0-9]{8,16}", "\\+55 11 9[0-9]{4}-[0-9]{4}",
            "https://a\\.example/\\?id=[0-9]{2}&at=%[2-7][0-9]", "&#[1-9][0-9];", "[a-f]{2}",
        ], 1..20),
        between in "[ ,;|\\n-]{1,2}",
    ) {
        let striker = Striker::new([SECRET, "correct-horse-battery-staple"]);
        let plain = numbers.join(&between);
        prop_assert_eq!(striker.text(&plain), plain);
        let mut value = json!(numbers);
        striker.value(&mut value);
        prop_assert_eq!(value, json!(numbers));
    }

    #[test]
    fn a_list_of_the_codes_of_a_secret_is_struck(
        secret in "[!-~]{8,40}",
        before in prop::collection::vec(any::<u8>(), 0..4),
        form in 0..4_usize,
    ) {
        let code = |byte: u8| match form {
            0 => json!(byte),
            1 => json!(f64::from(byte)),
            2 => json!(format!("0x{byte:02x}")),
            _ => json!(char::from(byte).to_string()),
        };
        let codes: Vec<_> = before.into_iter().chain(secret.bytes()).map(code).collect();
        let mut fields = json!(codes.iter().cloned().enumerate().map(|(at, code)| (at.to_string(), code)).collect::<Map<_, _>>());
        Striker::new([secret.as_str()]).value(&mut fields);
        prop_assert_eq!(fields, json!("…"));
        let mut value = json!({ "id": 7, "seen": codes, "hours": [9, 12, 14, 18, 20] });
        Striker::new([secret.as_str()]).value(&mut value);
        prop_assert_eq!(value, json!({ "id": 7, "seen": ["…"], "hours": [9, 12, 14, 18, 20] }));
    }
}

#[test]
fn a_secret_is_struck_in_two_encodings_within_one_another_and_no_further() {
    let striker = Striker::new([SECRET]);
    let percent = |text: &str| text.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let twice = percent(&percent(SECRET));
    assert_eq!(striker.text(&twice), "…");
    assert_eq!(striker.text(&SECRET.replace('_', "%255F")), "…");
    assert_eq!(striker.text(&SECRET.replace('_', "&amp;#0095;")), "…");
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(striker.text(&hex(STANDARD.encode(SECRET).trim_end_matches('='))), "…");
    let thrice = percent(&twice);
    assert_eq!(striker.text(&thrice), thrice);
}

#[test]
fn a_secret_is_struck_in_a_list_over_several_lines() {
    let codes: Vec<u8> = SECRET.bytes().collect();
    let told = Striker::new([SECRET]).text(&serde_json::to_string_pretty(&json!({ "seen": codes, "id": 7 })).unwrap());
    assert!(told.contains('…') && told.len() < 40, "{told}");
}
