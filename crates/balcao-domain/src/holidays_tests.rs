use std::collections::BTreeMap;

use super::*;
use crate::material;

#[test]
fn the_national_holidays_agree_with_the_published_ones() {
    let Some(text) = material("scheduling/br-holidays-2025-2028.json") else { return };
    let published: BTreeMap<String, BTreeMap<String, String>> = serde_json::from_str(&text).unwrap();
    let computed: BTreeMap<String, String> =
        (2025..=2028).flat_map(brazilian).map(|(day, name)| (day.to_string(), name.to_owned())).collect();
    assert_eq!(computed, published["BR"]);
}

#[test]
fn easter_falls_where_the_church_put_it() {
    for (year, month, day) in [(1818, 3, 22), (1943, 4, 25), (2000, 4, 23), (2024, 3, 31), (2038, 4, 25), (2285, 3, 22)]
    {
        assert_eq!(easter(year), Some(date(year, month, day)));
    }
}

#[test]
fn a_holiday_counts_from_the_year_of_its_law() {
    let names = |year| brazilian(year).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert!(!names(2023).contains(&"Dia Nacional de Zumbi e da Consciência Negra"));
    assert!(names(2024).contains(&"Dia Nacional de Zumbi e da Consciência Negra"));
    assert!(brazilian(0).is_empty());
}
