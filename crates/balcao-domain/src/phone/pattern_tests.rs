use super::*;

#[test]
fn a_pattern_holds_for_the_beginning_of_a_number() {
    let cases = [
        ("", "", true),
        ("12", "", true),
        ("12", "1", true),
        ("12", "2", false),
        ("12", "123", false),
        ("12", "1d", true),
        ("1", "1d", false),
        ("15", "1[2-57]", true),
        ("17", "1[2-57]", true),
        ("16", "1[2-57]", false),
        ("13", "2|1(2|3)", true),
        ("14", "2|1(2|3)", false),
        ("13", "12?3", true),
        ("1123", "1{2}23", true),
        ("123", "1{2}23", false),
        ("1222", "12{2,3}$", true),
        ("12222", "12{2,3}$", false),
        ("12", "1$", false),
        ("1", "(1|12)$", true),
        ("12", "(1|12)$", true),
        ("1122", "(1d?)?2$", false),
        ("112", "(1d?)?2$", true),
    ];
    for (number, pattern, holds) in cases {
        assert_eq!(Number::new(number).unwrap().begins(pattern), holds, "{number} {pattern}");
    }
}

#[test]
fn as_much_as_fits_is_taken_off() {
    let number = Number::new("0812345").unwrap();
    assert_eq!(number.without("0"), Some("812345"));
    assert_eq!(number.without("0(8(1|2))?"), Some("2345"));
    assert_eq!(number.without("0|081d"), Some("345"));
    assert_eq!(number.without("9"), None);
    assert_eq!(number.without(""), Some("0812345"));
}

#[test]
fn a_part_is_found_between_others() {
    let number = Number::new("01115234").unwrap();
    assert_eq!(number.find("0?", "11|22", "15"), Some(("11", "234")));
    assert_eq!(number.find("", "0d{7}", "$"), Some(("01115234", "")));
    assert_eq!(number.find("", "0d{6}", "$"), None);
}

#[test]
fn numbers_of_any_length_are_safe() {
    let longest = "7".repeat(MOST_DIGITS);
    assert!(Number::new(&longest).unwrap().begins("7{62}$"));
    assert!(Number::new(&(longest + "7")).is_none());
}
