use super::*;

#[test]
fn prints_as_brazilians_write_it() {
    for (cents, text) in [
        (0, "R$ 0,00"),
        (5, "R$ 0,05"),
        (4500, "R$ 45,00"),
        (123_450, "R$ 1.234,50"),
        (-123_456_789, "-R$ 1.234.567,89"),
        (100_000, "R$ 1.000,00"),
    ] {
        assert_eq!(Money::new(cents, Currency::BRL).to_string(), text);
    }
}

#[test]
fn reads_every_usual_spelling() {
    for (text, cents) in [
        ("45.00", 4500),
        ("45,00", 4500),
        ("45", 4500),
        ("R$ 1.234,50", 123_450),
        ("R$1.234,50", 123_450),
        ("1,234.50", 123_450),
        ("1.234", 123_400),
        ("1.234.567,89", 123_456_789),
        ("0.05", 5),
        ("1234,50", 123_450),
    ] {
        assert_eq!(Money::parse(text, Currency::BRL), Ok(Money::new(cents, Currency::BRL)), "{text}");
    }
}

#[test]
fn refuses_what_is_no_amount() {
    for text in [
        "",
        "R$",
        "4,5",
        "45.0",
        "45.000,0",
        "-45.00",
        "+45",
        "12.34.56",
        "1.23,45",
        "1.234.50",
        "abc",
        "4 5",
        ".50",
        "99999999999999999999",
        "45.é",
    ] {
        assert!(Money::parse(text, Currency::BRL).is_err(), "{text}");
    }
    assert!("real".parse::<Currency>().is_err());
    assert!("brl".parse::<Currency>().is_err());
}

#[test]
fn a_currency_has_its_code_and_sign() {
    for (code, sign) in [("BRL", "R$"), ("USD", "US$"), ("EUR", "€"), ("ARS", "ARS")] {
        let currency: Currency = code.parse().unwrap();
        assert_eq!((currency.code(), currency.symbol()), (code, sign));
        assert_eq!(Money::new(-1, currency).to_string(), format!("-{sign} 0,01"));
        assert_eq!(Money::parse(&format!("{sign} 12,30"), currency), Ok(Money::new(1_230, currency)));
    }
    assert_eq!(serde_json::to_string(&Currency::BRL).unwrap(), "\"BRL\"");
    assert!(serde_json::from_str::<Currency>("\"brl\"").is_err());
}

#[test]
fn the_largest_amount_is_read_and_the_next_refused() {
    assert_eq!(Money::parse("92233720368547758,07", Currency::BRL), Ok(Money::new(i64::MAX, Currency::BRL)));
    assert!(Money::parse("92233720368547758,08", Currency::BRL).is_err());
    for (text, cents) in [
        ("1.000.000", Some(100_000_000)),
        ("1,000,000.00", Some(100_000_000)),
        ("1000.000", None),
        ("1.00.000", None),
        ("1.000,000,00", None),
    ] {
        assert_eq!(Money::parse(text, Currency::BRL).ok().map(|one| one.cents), cents, "{text}");
    }
}
