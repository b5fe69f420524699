//! What else an answer says: names, questions, courtesy and quotes.

use jiff::civil::date;

use super::*;

const ABOUT: &str = "Corte na máquina , Wesley , 2026-11-27 , 15:00 , sexta 27/11 às 15h";

fn named(text: &str) -> Option<Named> {
    names_only(text, ABOUT, date(2026, 11, 24))
}

#[test]
fn a_day_a_time_or_a_name_alone_differs_from_words_that_only_have_one() {
    for text in [
        "sexta 15h",
        "15h",
        "às 15h, por favor",
        "sexta então",
        "é às 15h",
        "pode ser às 15h",
        "sexta 15h com o Wesley",
        "prefiro 15h",
        "15h fica melhor",
        "15h é melhor pra mim",
    ] {
        assert_eq!(named(text), Some(Named::When), "{text}");
    }
    for text in ["Wesley", "com o Wesley", "o Wesley mesmo", "corte na máquina"] {
        assert_eq!(named(text), Some(Named::Thing), "{text}");
    }
    for text in [
        "valeu Wesley",
        "oi, Wesley",
        "obrigado Wesley",
        "poxa, às 15h",
        "nossa, sexta",
        "gostei do Wesley",
        "e o Wesley",
        "ok, e às 15h",
        "meu horário é sexta",
        "a consulta é com o Wesley",
        "15h não",
        "sim",
        "amanhã",
    ] {
        assert_eq!(named(text), None, "{text}");
    }
}

#[test]
fn who_comes_or_stays_agrees_to_no_end_of_the_visit() {
    let question = "Posso cancelar o seu horário de Corte na máquina com Wesley Moura, sexta, 27/11 às 15h?";
    let judged = |text: &str| agreement_to(text, Asked::Cancelling, question, date(2026, 11, 24));
    for text in [
        "sim vou na sexta",
        "isso, fica sexta",
        "sim fico com o Wesley",
        "de boa",
        "sem problema",
        "sim, até lá",
        "sim e o corte",
        "'pode cancelar'",
    ] {
        assert_ne!(judged(text), Agreement::Yes, "{text}");
    }
    for text in [
        "sim",
        "pode cancelar",
        "sim, infelizmente",
        "sim, desculpa",
        "pode cancelar 😢",
        "poode",
        "siim",
        "kkk pode sim",
    ] {
        assert_eq!(judged(text), Agreement::Yes, "{text}");
    }
}

#[test]
fn a_question_behind_a_yes_a_quote_or_a_later_time_makes_it_unclear() {
    let judged = |text: &str| agreement_to(text, Asked::Booking, ABOUT, date(2026, 11, 24));
    for text in [
        "tá, e o horário",
        "ok e o Wesley",
        "sim e às 15h",
        "'pode marcar'",
        "`sim`",
        "confirmo já já",
        "manda o horário",
        "me manda",
        "manda tudo",
        "all good thanks",
    ] {
        assert_ne!(judged(text), Agreement::Yes, "{text}");
    }
    for text in [
        "kkk pode sim",
        "que bom! pode marcar",
        "desculpa a demora, pode marcar sim",
        "pode marcar amor",
        "fechado, abraço",
        "manda ver",
        "consigo sim",
        "gostaria de marcar sim",
        "🙌",
        "é isso",
        "sim, é às 15h",
        "let's do it",
    ] {
        assert_eq!(judged(text), Agreement::Yes, "{text}");
    }
}

#[test]
fn what_acknowledges_differs_from_what_wants() {
    for text in ["ok", "legal, obrigado", "👍", "tá", "show", "perfeito, obrigada"] {
        assert!(only_acknowledges(text), "{text}");
    }
    for text in ["quero", "pode marcar", "bora", "fechou", "pode ser", "ok, marca"] {
        assert!(!only_acknowledges(text), "{text}");
    }
}

#[test]
fn booking_words_and_what_suits_agree_to_a_move() {
    let question = "Posso remarcar Corte na máquina com Wesley de sexta, 27/11 às 15h para quinta, 26/11 às 16h?";
    for text in ["pode marcar", "serve sim", "pode ser", "marca"] {
        assert_eq!(agreement_to(text, Asked::Rescheduling, question, date(2026, 11, 24)), Agreement::Yes, "{text}");
    }
    assert_ne!(agreement_to("fica assim", Asked::Rescheduling, question, date(2026, 11, 24)), Agreement::Yes);
}
