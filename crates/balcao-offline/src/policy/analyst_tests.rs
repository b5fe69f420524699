use jiff::civil::date;

use super::*;

/// A Tuesday.
const TODAY: Date = date(2026, 11, 24);

#[test]
fn a_question_for_another_time_for_one_of_many_or_of_somebody_else_is_not_answered_by_a_report_of_all() {
    for question in [
        "faturamento de outubro",
        "faturamento do mês passado",
        "e o mês passado?",
        "quanto o Otávio faturou?",
        "faturamento da iris",
        "qual profissional faturou mais?",
        "quantas faltas em outubro?",
        "quantas faltas teve a Lívia?",
        "quantos clientes faltaram?",
        "quem faltou hoje?",
        "quem faltou menos?",
        "quem não faltou?",
        "faturamento do ano",
        "faturamento de amanhã",
        "resumo de hoje",
        "resumo da semana",
        "clientes da outra barbearia faltaram?",
        "receita da figueira de contagem",
        "número de telefone da lívia",
        "total em select * from appointment",
        "revenue last month",
        "next month's revenue",
        "agenda da Íris",
        "agenda do mês",
        "agenda de ontem",
        "agenda de amanhã à tarde",
        "agenda de quinta e sábado",
        "agenda um horário amanhã pro João",
        "como foi a agenda de hoje?",
        "agenda de 25/12/2028",
    ] {
        assert_eq!(wish(question, TODAY), Wish::Narrower, "{question}");
    }
}

#[test]
fn a_question_gets_the_tool_that_answers_it() {
    for (question, tool, arguments) in [
        ("resumo do mês", "get_stats", json!({})),
        ("como foi o mês?", "get_stats", json!({})),
        ("qual a receita do mês", "get_stats", json!({})),
        ("quanto faturei este mês?", "get_stats", json!({})),
        ("quantos agendamentos teve no mês?", "get_stats", json!({})),
        ("quantos agendamentos este mês?", "get_stats", json!({})),
        ("total de agendamentos", "get_stats", json!({})),
        ("Qual a taxa de faltas?", "get_stats", json!({})),
        ("quantas faltas teve o mês?", "get_stats", json!({})),
        ("faltas do mês", "get_stats", json!({})),
        ("show me the month's summary", "get_stats", json!({})),
        ("what is our no-show rate?", "get_stats", json!({})),
        ("how many no-shows this month?", "get_stats", json!({})),
        ("quem mais faltou?", "get_no_show_clients", json!({})),
        ("quem faltou mais vezes", "get_no_show_clients", json!({})),
        ("quem teve mais faltas?", "get_no_show_clients", json!({})),
        ("quem não compareceu?", "get_no_show_clients", json!({})),
        ("quem faltou este mês?", "get_no_show_clients", json!({ "months": 1 })),
        ("who missed the most appointments", "get_no_show_clients", json!({})),
        ("o que tem na agenda?", "get_upcoming", json!({})),
        ("e agenda dos próximos dias?", "get_upcoming", json!({})),
        ("próximos agendamentos", "get_upcoming", json!({})),
        ("agenda de hoje", "get_upcoming", json!({ "days": 0 })),
        ("o que tem hoje?", "get_upcoming", json!({ "days": 0 })),
        ("boa tarde, agenda de hoje", "get_upcoming", json!({ "days": 0 })),
        ("Agenda de amanhã", "get_upcoming", json!({ "days": 1 })),
        ("e amanhã?", "get_upcoming", json!({ "days": 1 })),
        ("hoje e amanhã, o que tem?", "get_upcoming", json!({ "days": 1 })),
        ("what is booked tomorrow?", "get_upcoming", json!({ "days": 1 })),
        ("agenda de sexta", "get_upcoming", json!({ "days": 3 })),
        ("agenda dos próximos 3 dias", "get_upcoming", json!({ "days": 3 })),
        ("o que tem marcado na semana que vem?", "get_upcoming", json!({ "days": 12 })),
    ] {
        let call = calls(asked(question, "", TODAY).unwrap(), TODAY).pop().map(|call| (call.name, call.arguments));
        assert_eq!(call, Some((tool.to_owned(), arguments)), "{question}");
    }
    for question in ["como foi hoje?", "como foi ontem?", "qual a capital da França?", "oi", "sou da agência"] {
        assert_eq!(wish(question, TODAY), Wish::Other, "{question}");
    }
}

#[test]
fn of_the_agenda_only_the_days_that_were_asked_for_are_shown() {
    let row =
        |starts: &str| json!({ "starts_at": starts, "client": "Ana", "service": "Corte", "professional": "Wesley" });
    let result = json!({ "appointments": [row("2026-11-24 10:00"), row("2026-11-25 09:00"), row("2026-11-27 09:00")] });
    let outcome = Outcome { name: "get_upcoming".to_owned(), arguments: json!({}), result };
    let shown = |question: &str| shown(&outcome, wish(question, TODAY), Locale::PtBr);
    assert_eq!(shown("agenda de amanhã"), "- 2026-11-25 09:00: Ana, Corte (Wesley)");
    assert_eq!(shown("agenda de hoje"), "- 2026-11-24 10:00: Ana, Corte (Wesley)");
    assert_eq!(shown("agenda").lines().count(), 3);
    assert_eq!(shown("agenda de quinta"), "Nada marcado em 26/11/2026.");
}

#[test]
fn a_time_that_no_report_tells_of_is_asked_for_by_a_query() {
    let figures = |from: Date, to: Date| Ok(Wish::FiguresOf(Days { first: from, last: to }));
    for (question, from, to) in [
        ("faturamento de outubro", date(2026, 10, 1), date(2026, 10, 31)),
        ("faturamento do mês passado", date(2026, 10, 1), date(2026, 10, 31)),
        ("quantos atendimentos em agosto?", date(2026, 8, 1), date(2026, 8, 31)),
        ("quantos atendimentos em dezembro?", date(2025, 12, 1), date(2025, 12, 31)),
        ("quantos atendimentos em fevereiro de 2020?", date(2020, 2, 1), date(2020, 2, 29)),
        ("faturamento de janeiro de 2031", date(2031, 1, 1), date(2031, 1, 31)),
        ("estatísticas de 1999", date(1999, 1, 1), date(1999, 12, 31)),
        ("faturamento do ano", date(2026, 1, 1), date(2026, 12, 31)),
        ("movimento de ontem", date(2026, 11, 23), date(2026, 11, 23)),
        ("como foi ontem?", date(2026, 11, 23), date(2026, 11, 23)),
        ("resumo de hoje", TODAY, TODAY),
        ("quanto faturei em 20/11?", date(2026, 11, 20), date(2026, 11, 20)),
        ("quanto faturei em 29/02?", date(2024, 2, 29), date(2024, 2, 29)),
        ("quantas faltas em outubro?", date(2026, 10, 1), date(2026, 10, 31)),
        ("revenue last month", date(2026, 10, 1), date(2026, 10, 31)),
    ] {
        assert_eq!(asked(question, "", TODAY), figures(from, to), "{question}");
    }
    let missed = Ok(Wish::MissedOn(Days { first: date(2026, 11, 16), last: date(2026, 11, 22) }));
    assert_eq!(asked("quem faltou semana passada?", "", TODAY), missed);
    assert_eq!(asked("quem faltou hoje?", "", TODAY), Ok(Wish::MissedOn(Days { first: TODAY, last: TODAY })));
    for (question, written) in
        [("quem faltou em 30/02?", "30/02"), ("agenda do dia 45", "dia 45"), ("faturamento de 12/13", "12/13")]
    {
        assert_eq!(asked(question, "", TODAY), Err(written.to_owned()), "{question}");
    }
    // No query of ours answers a question about one of many, about another person or about a part of a day.
    for question in [
        "quanto o Otávio faturou em outubro?",
        "quantas faltas teve a Lívia em outubro?",
        "faturamento de ontem à tarde",
    ] {
        assert_eq!(asked(question, "", TODAY), Ok(Wish::Narrower), "{question}");
    }
}

#[test]
fn a_time_alone_asks_for_the_same_of_that_time() {
    let october = Days { first: date(2026, 10, 1), last: date(2026, 10, 31) };
    let after = |said: &str, text: &str| asked(text, said, TODAY).unwrap();
    assert_eq!(after("Resumo de 2026-11\n- Faltas: 0 (0,0%)", "e outubro?"), Wish::FiguresOf(october));
    assert_eq!(after("1. Lívia Campos: 1 falta em 1 (100,0%)", "e mês passado?"), Wish::MissedOn(october));
    let tomorrow = TODAY.tomorrow().unwrap();
    let days = Days { first: tomorrow, last: tomorrow };
    assert_eq!(after("", "e amanhã?"), Wish::Agenda(Some(days)));
    assert_eq!(after("Resumo de 2026-11", "e outubro com o Wesley?"), Wish::Other);
}
