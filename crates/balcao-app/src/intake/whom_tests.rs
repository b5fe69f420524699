use balcao_domain::hours::Hours;
use balcao_domain::professional::Notify;

use super::*;

fn professional(id: i64, name: &str, alias: &str, code: &str) -> Professional {
    Professional {
        id: id.try_into().unwrap(),
        name: name.to_owned(),
        aliases: vec![alias.to_owned()],
        profession: None,
        hours: Hours::default(),
        services: Vec::new(),
        time_off: Vec::new(),
        restrictions: None,
        capacity: 1,
        phone: None,
        email: None,
        notify: Notify::default(),
        code: Some(code.to_owned()),
        active: true,
    }
}

#[test]
fn a_code_comes_before_a_name_and_a_name_must_mean_one() {
    let all = [
        professional(1, "Dra. Ana Prado", "Ana", "ana"),
        professional(2, "Dr. Saulo Meireles", "Saulo", "saulo"),
        professional(3, "Ana Maria Luz", "Ana Maria", "ana-maria"),
    ];
    for (said, known, expected) in [
        ("oi! quero marcar (#saulo)", false, Some(2)),
        ("#ana-maria", false, Some(3)),
        ("#ana", true, Some(1)),
        ("olá #ana, o saulo me indicou", false, Some(1)),
        ("#anabela", false, None),
        ("com o dr. Saulo", false, Some(2)),
        ("Saulo Meireles", false, Some(2)),
        ("com Ana Prado", false, Some(1)),
        ("pode ser a ana ou o saulo", false, None),
        ("oi, aqui é o Saulo", true, None),
        ("prefiro com o Dr. Saulo", true, Some(2)),
        ("with Saulo", true, Some(2)),
        ("bom dia", false, None),
    ] {
        let found = named(&all, &fold(said), known).map(i64::from);
        assert_eq!(found, expected, "{said}");
    }
}
