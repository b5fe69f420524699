//! Table tests of the numbers: what is one, what is two, what is none.

use super::{find_numbers, find_ordinals, find_percentages};

fn values(text: &str) -> Vec<f64> {
    find_numbers(text).iter().map(|found| found.value).collect()
}

#[test]
fn figures_group_by_points_and_divide_by_commas() {
    let cases: [(&str, &[f64]); 10] = [
        ("R$ 1.234,56", &[1234.56]),
        ("1. 234", &[1.0, 234.0]),
        ("12,5", &[12.5]),
        ("0,50", &[0.5]),
        ("o 2, 3 e 4", &[2.0, 3.0, 4.0]),
        ("custa 50k", &[50_000.0]),
        ("5 m de fio", &[5.0]),
        ("2½", &[2.5]),
        ("1/0", &[1.0]),
        ("- 2 cortes", &[2.0]),
    ];
    for (text, want) in cases {
        assert_eq!(values(text), want, "{text}");
    }
}

#[test]
fn what_touches_letters_is_no_number() {
    for text in ["15h30", "A4", "7pm", "4o piso", "2ª"] {
        assert!(values(text).is_empty(), "{text}");
    }
}

#[test]
fn words_join_from_large_to_small_only() {
    let cases: [(&str, &[f64]); 10] = [
        ("dez e quinze", &[10.0, 15.0]),
        ("cento e dois", &[102.0]),
        ("cem e dois", &[100.0, 2.0]),
        ("dois mil e quinhentos", &[2500.0]),
        ("dois milhões e trezentos mil", &[2_300_000.0]),
        ("2 mil e 500 reais", &[2500.0]),
        ("três e meia", &[3.5]),
        ("meia dúzia de ovos", &[6.0]),
        ("vinte vírgula zero cinco", &[20.05]),
        ("mil e um", &[1001.0]),
    ];
    for (text, want) in cases {
        assert_eq!(values(text), want, "{text}");
    }
}

#[test]
fn percentages_and_ordinals_say_where_they_stand() {
    let text = "só dez por cento";
    let [found] = find_percentages(text)[..] else { panic!("one percentage") };
    assert_eq!((text.get(found.start..found.end), found.value), (Some("dez por cento"), 10.0));
    assert!(find_percentages("10 reais").is_empty());
    let text = "na vigésima segunda vez";
    let [found] = find_ordinals(text)[..] else { panic!("one ordinal") };
    assert_eq!((text.get(found.start..found.end), found.value), (Some("vigésima segunda"), 22.0));
    assert!(find_ordinals("o último").is_empty());
}
