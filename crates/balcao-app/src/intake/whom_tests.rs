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

#[test]
fn the_name_of_the_writer_or_of_whoever_comes_is_no_choice() {
    let all = [professional(2, "Dr. Saulo Meireles", "Saulo", "saulo")];
    for (said, expected) in [
        ("oi, aqui é o Saulo", None),
        ("meu nome é Saulo", None),
        ("sou o Saulo, tudo bem?", None),
        ("é pro meu filho Saulo", None),
        ("meu sobrinho Saulo quer marcar", None),
        ("é pro meu cunhado, o Saulo", None),
        ("ele se chama Saulo", None),
        ("o Saulo tem horário?", Some(2)),
        ("e o Saulo?", Some(2)),
    ] {
        assert_eq!(named(&all, &fold(said), false).map(i64::from), expected, "{said}");
    }
}

#[test]
fn in_a_calendar_of_all_the_last_wish_counts_for_a_day() {
    let all =
        [professional(1, "Dra. Ana Prado", "Ana", "ana"), professional(2, "Dr. Saulo Meireles", "Saulo", "saulo")];
    let now: Timestamp = "2026-11-24T13:00:00Z".parse().unwrap();
    let message = |author: Author, hours_ago: i64, text: &str| Message {
        id: 1.try_into().unwrap(),
        author,
        text: text.to_owned(),
        subject: None,
        created_at: now - SignedDuration::from_hours(hours_ago),
    };
    let contact = |hours_ago: i64, text: &str| message(Author::Contact, hours_ago, text);
    let asked = |last: &[Message]| asked_for(&all, last, now).map(i64::from);
    assert_eq!(asked(&[contact(2, "quero com a Ana"), contact(1, "sexta às 15h")]), Some(1));
    assert_eq!(asked(&[contact(2, "quero com a Ana"), contact(1, "melhor com o Saulo")]), Some(2));
    assert_eq!(asked(&[contact(2, "quero com a Ana"), contact(1, "com qualquer um")]), None);
    assert_eq!(asked(&[contact(2, "quero com a Ana"), contact(1, "tanto faz o horário")]), Some(1));
    assert_eq!(asked(&[contact(2, "quero com a Ana"), contact(1, "quem vc quiser")]), None);
    assert_eq!(asked(&[contact(30, "quero com a Ana"), contact(1, "oi")]), None);
    assert_eq!(asked(&[message(Author::Agent, 1, "Marcado com Ana."), contact(0, "valeu")]), None);
}
