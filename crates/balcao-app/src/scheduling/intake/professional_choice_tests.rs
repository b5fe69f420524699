use balcao_domain::hours::Hours;
use balcao_domain::professional::Notify;

use super::super::professional_mention;
use super::*;

fn named(active: &[Professional], said: &str, known: bool) -> Option<ProfessionalId> {
    match find_mention(active, said, MentionContext { known, named: false }) {
        Mention::One(professional) => Some(professional),
        Mention::Several(_) | Mention::Nobody => None,
    }
}

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
        ("quero uma consulta com a dra amanhã", false, Some(1)),
        ("prefiro o doutor", true, Some(2)),
        ("com a dra Paula", false, None),
        ("a dra me indicou vocês", false, None),
    ] {
        let found = named(&all, &normalize(said), known).map(i64::from);
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
        assert_eq!(named(&all, &normalize(said), false).map(i64::from), expected, "{said}");
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

#[test]
fn a_name_as_an_answer_changes_to_whoever_bears_it_and_several_are_left_open() {
    let all = [
        professional(1, "Otávio Prado", "Otávio", "otavio"),
        professional(2, "Wesley Moura", "Uéslei", "wesley"),
        professional(3, "Ana Souza", "Aninha", "ana"),
        professional(4, "Ana Luz", "Nana", "luz"),
    ];
    let (some, two) = (|id: i64| Some(vec![id]), |one: i64, other: i64| Some(vec![one, other]));
    for (said, known, name_asked, expected) in [
        ("com o Otávio ou com o Wesley", true, false, two(1, 2)),
        ("quero com otavio ou wesley amanha as 10", false, false, two(1, 2)),
        ("prefiro o Otávio", true, false, some(1)),
        ("melhor o otavio", true, true, some(1)),
        ("Wesley", true, false, some(2)),
        ("wesley entao, sexta as 10h30", true, false, some(2)),
        ("e o wesley, tem vaga amanha?", true, false, some(2)),
        ("pode ser o Prado", true, false, some(1)),
        ("com a Ana", false, false, two(3, 4)),
        ("ana", false, false, two(3, 4)),
        ("a Luz", false, false, some(4)),
        ("com a Ana Luz", true, false, some(4)),
        ("com o otavo", true, false, some(1)),
        ("não quero o Otávio, quero o Wesley", true, false, some(2)),
        ("com o Otávio não, com o Wesley", false, false, some(2)),
        ("Wesley", true, true, None),
        ("Pedro Prado", false, true, None),
        ("o Wesley me indicou vocês", true, false, None),
        ("com o Zé", true, false, None),
        ("não, deixa", true, false, None),
        ("com desconto amanhã", true, false, None),
    ] {
        let found = match find_mention(&all, &normalize(said), MentionContext { known, named: name_asked }) {
            Mention::Nobody => None,
            Mention::One(professional) => Some(vec![i64::from(professional)]),
            Mention::Several(several) => Some(several.into_iter().map(i64::from).collect()),
        };
        assert_eq!(found, expected, "{said}");
    }
}

#[test]
fn a_yes_takes_the_one_whom_we_asked_about_and_no_other() {
    let all =
        [professional(1, "Otávio Prado", "Otávio", "otavio"), professional(2, "Wesley Moura", "Uéslei", "wesley")];
    let agreed = |ours: &str, said: &str| agreed_to(&all, ours, said).map(i64::from);
    assert_eq!(agreed("Barba é com Otávio ou Wesley. Seria com Wesley Moura?", "sim"), Some(2));
    assert_eq!(agreed("Com qual profissional: Otávio Prado ou Wesley Moura?", "sim"), None);
    assert_eq!(agreed("Seria com Wesley Moura?", "não"), None);
    assert_eq!(offered(&all, "Com qual profissional: Otávio Prado, Wesley Moura?").len(), 2);
    assert!(offered(&all, "Posso marcar com Wesley Moura?").is_empty());
    assert!(asks_for_a_name("Certo. Qual é o seu nome?") && !asks_for_a_name("Para qual dia?"));
}

#[test]
fn a_question_for_a_number_is_known() {
    for (ours, asks) in [
        ("Qual é o seu telefone?", true),
        ("Pode me passar o celular?", true),
        ("Certo! Qual é o seu número para contato?", true),
        ("What is your phone number?", true),
        ("Qual é o número do seu apartamento? Brincadeira! Que dia fica bom?", false),
        ("Para quantas pessoas? O número de lugares é pequeno.", false),
        ("Anotei o seu telefone. Que dia fica bom?", false),
        ("Seu telefone está anotado.", false),
    ] {
        assert_eq!(professional_mention::asks_for_a_number(ours), asks, "{ours}");
    }
}
