//! Prices, dates and times of a reply must stand somewhere.

use balcao_agent::reply_checks::claims::{UngroundedValue, find_ungrounded};
use balcao_tool::ReceiptKind;
use jiff::civil::date;

use crate::claims::{evidence, receipt};

#[test]
fn a_figure_that_stands_nowhere_is_told_from_one_that_was_looked_up() {
    let result = r#"{"services":[{"name":"Corte","price":"R$ 45,00","duration_min":60}],"slots":["2026-11-25T09:00:00","2026-11-25T15:30:00"]}"#;
    let said = ["{}", result, "tenho 100 reais e saio às 5 da tarde, umas 7 da noite talvez, até 5/12"];
    let prompt = "Agora: terça, 2026-11-24, 08:10\nDias: terça 2026-11-24, quarta 2026-11-25, quinta 2026-11-26, sexta 2026-11-27\n- Corte, sexta 2026-11-27 às 11:45";
    let found = |text: &str| find_ungrounded(text, &evidence(Vec::new()), said.into_iter(), prompt);
    let time = |hour, minute| Some(UngroundedValue::Time(jiff::civil::Time::constant(hour, minute, 0, 0)));
    for known in [
        "O corte custa R$ 45,00.",
        "Com R$ 100 dá sim.",
        "Temos 9h e 15h30.",
        "Temos 9:00 ou 15:30, pode ser?",
        "Consigo às 3:30 da tarde.",
        "Às 17h fica corrido para você?",
        "Às 19h já fechamos.",
        "O corte leva 1h, e a barba 30 minutos.",
        "Cancele até 2 horas antes, por favor.",
        "Fica das 15h30 às 16h30.",
        "15:30 - 16:30 está livre.",
        "Quer de manhã ou à tarde?",
        "Atendemos rapidinho, em 40 minutos.",
        "Na quarta, 25/11, tem 9h.",
        "Hoje, 24/11, já encerramos.",
        "Seu plano vence em 5 de dezembro.",
        "Volto a falar sexta que vem.",
    ] {
        assert_eq!(found(known), None, "{known}");
    }
    // "3h" is read as fifteen where nothing else is known, and is three where the customer or a tool said three.
    for three in ["quero amanhã às 3h da manhã", "às 03:00", r#"{"slots":["03:00"]}"#] {
        let said = |text: &str| find_ungrounded(text, &evidence(Vec::new()), [three].into_iter(), prompt);
        assert_eq!(said("Às 3h não está livre."), None, "{three}");
        assert_eq!(said("Às 3h30 não está livre."), time(15, 30), "{three}");
    }
    assert_eq!(found("O corte custa R$ 50,00."), Some(UngroundedValue::Price(5_000)));
    assert_eq!(found("Temos 9h e 10h30."), time(10, 30));
    assert_eq!(found("Tenho às 14:00 livre."), time(14, 0));
    assert_eq!(found("Sábado abrimos das 9h às 18h."), time(18, 0));
    assert_eq!(found("O horário de funcionamento no sábado é de 10:00 às 18:00."), time(10, 0));
    assert_eq!(found("Fechamos às 20h."), time(20, 0));
    assert_eq!(found("Tem vaga das 10h às 11h."), time(10, 0));
    let day = |month, day| Some(UngroundedValue::Date(date(if month == 1 { 2027 } else { 2026 }, month, day)));
    // A date that was said with another weekday was said.
    let asked = |text: &str| find_ungrounded(text, &evidence(Vec::new()), ["quero sexta dia 10"].into_iter(), prompt);
    assert_eq!(asked("Só pra eu não errar: 10/12 é quinta, não sexta. Qual dia você quer?"), None);
    assert_eq!(asked("11/12 é sexta."), day(12, 11));
    assert_eq!(found("O seu plano vence em 2027-01-24."), day(1, 24));
    assert_eq!(found("Seu plano vence em 24/01/2027."), day(1, 24));
    assert_eq!(found("Tenho livre no dia 28/11."), day(11, 28));
    // Tuesday the 24th is today: that something is free today must stand somewhere, what day it is need not.
    assert_eq!(found("Hoje é terça, 24/11."), None);
    assert_eq!(found("Quinta é dia 26/11."), None);
    assert_eq!(found("Você tem corte na sexta, 27/11, às 11h45."), None);
    assert_eq!(found("Na quinta, 26/11, tem 9h."), day(11, 26));
    assert_eq!(found("Amanhã às 9h está livre."), None);
    assert_eq!(found("Sim, temos um horário para o dia de hoje, às 9:00."), day(11, 24));
    assert_eq!(found("O próximo dia aberto é terça, 2026-11-24, às 09:00."), day(11, 24));
    assert_eq!(found("Depois de amanhã às 9h tem vaga."), day(11, 26));
    let asked = [result, "tem vaga hoje?"].into_iter();
    assert_eq!(find_ungrounded("Hoje às 9:00 tem.", &evidence(Vec::new()), asked, ""), None);
    let proven = evidence(vec![receipt(ReceiptKind::Booked)]);
    let text = "Seu corte é às 15h, sai por R$ 45,00 e termina às 15:30.";
    assert_eq!(find_ungrounded(text, &proven, std::iter::empty(), ""), None);
}

#[test]
fn a_day_that_is_over_may_be_named_without_its_year() {
    // Read alone, "23/11" on the 24th is next year's.
    let asked = ["quero marcar ontem às 10"];
    let found = |text: &str| find_ungrounded(text, &evidence(Vec::new()), asked.into_iter(), "");
    assert_eq!(found("23/11 já passou. Qual dia você quer?"), None);
    assert_eq!(found("Ontem, segunda, 23/11, às 10h, já passou."), None);
    assert_eq!(found("Tenho em 22/11."), Some(UngroundedValue::Date(date(2027, 11, 22))));
    assert_eq!(found("Tenho em 23/11/2027."), Some(UngroundedValue::Date(date(2027, 11, 23))));
    assert_eq!(found("Tenho em 23/11/27."), Some(UngroundedValue::Date(date(2027, 11, 23))));
}
