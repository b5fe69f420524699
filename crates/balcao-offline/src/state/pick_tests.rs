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
