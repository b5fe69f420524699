use super::*;

#[test]
fn places_are_counted_and_weekdays_are_not() {
    for (text, weekdays, want) in [
        ("o segundo", true, Some(Place::At(1))),
        ("quero o terceiro", true, Some(Place::At(2))),
        ("a terceira opção", true, Some(Place::At(2))),
        ("a segunda opção", true, Some(Place::At(1))),
        ("a segunda", false, Some(Place::At(1))),
        ("a segunda", true, None),
        ("a de segunda", false, None),
        ("segunda-feira", false, None),
        ("o último", true, Some(Place::Last)),
        ("opção 2", true, Some(Place::At(1))),
        ("a 2ª", true, Some(Place::At(1))),
        ("second one", true, Some(Place::At(1))),
        ("the last one", true, Some(Place::Last)),
        ("sexta às 15h", true, None),
        ("às 2", true, None),
    ] {
        assert_eq!(place_in(text, weekdays), want, "{text:?}");
    }
}

#[test]
fn rows_of_days_begin_with_their_day() {
    let today = jiff::civil::date(2026, 11, 24);
    let row = "- quinta, 03/12: 14h, 15h20, 17h20 e 19h20";
    assert_eq!(row_date(row, today), Some(jiff::civil::date(2026, 12, 3)));
    assert_eq!(row_date("- Wesley Moura: 10h e 13h", today), None);
}
