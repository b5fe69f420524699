use super::*;

fn team() -> Vec<Candidate<'static>> {
    vec![
        Candidate { names: vec!["João Batista", "JB"] },
        Candidate::named("Vanderson Reis"),
        Candidate::named("Stephane Duarte"),
        Candidate::named("Marcelo Prado"),
        Candidate::named("Dra. Helena Matos"),
    ]
}

#[test]
fn people_are_found_as_customers_spell_them() {
    for (query, index, how) in [
        ("João Batista", 0, How::Exact),
        ("joao batista", 0, How::Exact),
        ("jb", 0, How::Alias),
        ("joao", 0, How::Near),
        ("Jão", 0, How::Near),
        ("o João", 0, How::Near),
        ("Wanderson", 1, How::Near),
        ("vand", 1, How::Near),
        ("Vandersom", 1, How::Near),
        ("wandersson", 1, How::Near),
        ("Stefane", 2, How::Near),
        ("stefani", 2, How::Near),
        ("estephane", 2, How::Near),
        ("Marcelo", 3, How::Near),
        ("dra helena", 4, How::Near),
        ("doutora elena", 4, How::Near),
        ("Helena Matos", 4, How::Exact),
    ] {
        assert_eq!(match_name(query, &team()), NameMatch::One { index, how }, "{query:?}");
    }
}

#[test]
fn another_name_is_not_guessed() {
    assert_eq!(match_name("Marcos", &team()), NameMatch::None { nearest: Some(3) });
    assert_eq!(match_name("Zuleica", &team()), NameMatch::None { nearest: None });
    assert_eq!(match_name("", &team()), NameMatch::None { nearest: None });
    assert_eq!(match_name("Paulo", &[Candidate::named("Paula")]), NameMatch::None { nearest: Some(0) });
    let two = [Candidate::named("Ana Lima"), Candidate::named("Ana Souza"), Candidate::named("Bia")];
    assert_eq!(match_name("ana", &two), NameMatch::Several(vec![0, 1]));
    assert_eq!(match_name("ana lima", &two), NameMatch::One { index: 0, how: How::Exact });
}

#[test]
fn services_are_found_too() {
    let services = [
        Candidate { names: vec!["Corte", "corte de cabelo", "cabelo"] },
        Candidate { names: vec!["Barba", "fazer a barba"] },
        Candidate { names: vec!["Corte + Barba", "corte e barba", "combo"] },
        Candidate::named("Limpeza de pele"),
    ];
    for (query, index) in [
        ("corte de cabelo", 0),
        ("corte", 0),
        ("barba", 1),
        ("corte com barba", 2),
        ("Corte + Barba", 2),
        ("barba e corte", 2),
        ("limpesa de pele", 3),
        ("limpeza", 3),
    ] {
        let found = match_name(query, &services);
        assert!(matches!(found, NameMatch::One { index: i, .. } if i == index), "{query:?}: {found:?}");
    }
}

proptest::proptest! {
    #[test]
    fn every_name_finds_itself_or_its_twins(names in proptest::collection::vec("[a-zç]{2,9}( [a-z]{2,9})?", 1..8)) {
        let candidates: Vec<Candidate<'_>> = names.iter().map(|name| Candidate::named(name)).collect();
        for (index, name) in names.iter().enumerate() {
            match match_name(name, &candidates) {
                NameMatch::One { index: found, .. } => proptest::prop_assert_eq!(found, index),
                NameMatch::Several(found) => proptest::prop_assert!(found.contains(&index)),
                NameMatch::None { .. } => proptest::prop_assert!(false, "{name:?} not found"),
            }
        }
    }
}
