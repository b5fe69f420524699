//! Days on which clocks change, people without hours, months without figures: said as they are, and nothing invented.

use tempfile::tempdir;

use crate::{code, err, out, root, run};

/// A business that is open day and night, in a zone; one of its professionals has no hours.
fn studio(zone: &str) -> String {
    let hours = "{sat: [\"00:00-24:00\"], sun: [\"00:00-24:00\"], mon: [\"09:00-18:00\"]}";
    format!(
        "organization:
  name: Estúdio Tejo
  slug: tejo
  timezone: {zone}
  locale: pt-BR
  currency: EUR
  hours: {hours}
  scheduling: {{slot_step_minutes: 60, maximum_advance_days: 45}}
professionals:
  - {{name: Inês Moura, aliases: [Inês], hours: {hours}, services: [Massagem]}}
  - {{name: Rui Prates, aliases: [Rui], hours: {{}}, services: [Reiki]}}
services:
  - {{name: Massagem, duration_minutes: 60, price: \"40.00\"}}
  - {{name: Reiki, duration_minutes: 60, price: \"40.00\"}}
"
    )
}

/// The replies to a customer's messages, a line each; list items are joined to their line.
fn replies(zone: &str, now: &str, profile: &str, messages: &str) -> String {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("studio.yaml"), studio(zone)).unwrap();
    let chat = [
        "chat",
        "--business",
        "studio.yaml",
        "--profile",
        profile,
        "--now",
        now,
        "--model",
        "offline",
        "--script",
        "-",
    ];
    let output = run(folder.path(), &chat, messages);
    assert_eq!(code(&output), 0, "{}", err(&output));
    out(&output)
}

#[test]
fn f_93_an_hour_that_the_clock_skips_is_not_booked() {
    // Lisbon, 28 March 2027: 01:00 becomes 02:00.
    let night = "quero massagem amanhã à 1h da manhã\nsim\n";
    let told = replies("Europe/Lisbon", "2027-03-27T10:00", "eli", night);
    assert!(told.contains("às 1h não está livre") && told.contains("0h, 2h, 3h e 4h"), "{told}");
    let told = replies("Europe/Lisbon", "2027-03-27T10:00", "manual", night);
    assert!(told.contains("às 1h não está livre") && told.contains("0h, 2h, 3h e 4h"), "{told}");
    assert!(!told.contains("marcado"), "{told}");
    let night = "quero massagem com a Inês amanhã à 1h da manhã\n";
    let told = replies("Europe/Lisbon", "2027-03-27T10:00", "odys-intake", night);
    assert!(told.contains("às 1h com Inês Moura não está livre") && told.contains("0h, 2h, 3h e 4h"), "{told}");
    // Whose name is known is answered by the booking itself.
    let night = "sou o Pedro, quero massagem com a Inês amanhã à 1h da manhã\nsim\n";
    let told = replies("Europe/Lisbon", "2027-03-27T10:00", "odys-intake", night);
    assert!(told.contains("Essa hora não existe nesse dia") && !told.contains("Marcado"), "{told}");
    // São Paulo, 4 November 2018: the day begins at 01:00.
    let midnight = "quero massagem amanhã à meia-noite\nsim\n";
    let told = replies("America/Sao_Paulo", "2018-11-03T10:00", "eli", midnight);
    assert!(told.contains("às 0h não está livre") && told.contains("1h, 2h, 3h e 4h"), "{told}");
}

#[test]
fn f_94_an_hour_that_the_clock_repeats_is_booked_once_and_told_as_it_was_asked_for() {
    // São Paulo, 16 February 2019: 23:00 to 24:00 comes twice. Lisbon, 25 October 2026: 01:00 to 02:00.
    for (zone, now, asked, told) in [
        ("America/Sao_Paulo", "2019-02-16T10:00", "quero massagem hoje às 23h", "hoje (sábado, 16/02) às 23h"),
        ("Europe/Lisbon", "2026-10-24T10:00", "quero massagem amanhã à 1h da manhã", "amanhã (domingo, 25/10) às 1h"),
    ] {
        let replies = replies(zone, now, "eli", &format!("{asked}\nsim\nquais são meus horários?\n"));
        let lines: Vec<&str> = replies.lines().collect();
        assert!(lines.iter().all(|line| line.contains(told)), "{replies}");
        assert!(lines[1].starts_with("Prontinho, marcado!"), "{replies}");
        assert_eq!(lines[2], format!("Você tem Massagem com Inês Moura, {told}."));
    }
}

#[test]
fn a_session_in_the_hour_that_the_clock_repeats_is_booked_once_by_its_service_and_price() {
    for (zone, now, asked, told) in [
        ("America/Sao_Paulo", "2019-02-16T10:00", "hoje às 23h", "hoje (sábado, 16/02) às 23h"),
        ("Europe/Lisbon", "2026-10-24T10:00", "amanhã à 1h da manhã", "amanhã (domingo, 25/10) às 1h"),
    ] {
        let messages = format!("quero massagem com a Inês {asked}\nPedro\nsim\nquais são meus horários?\n");
        let replies = replies(zone, now, "odys-intake", &messages);
        let lines: Vec<&str> = replies.lines().collect();
        assert!(lines[1].starts_with("Posso marcar Massagem (€ 40,00) com Inês Moura"), "{replies}");
        assert_eq!(lines[2], format!("Marcado: Massagem por € 40,00 com Inês Moura, {told}."));
        assert_eq!(lines[3], format!("Você tem Massagem com Inês Moura, {told}."));
    }
}

#[test]
fn whoever_has_no_hours_is_never_free_and_the_customer_is_told_so() {
    let monday = "2027-03-27T10:00";
    let eli = replies("Europe/Lisbon", monday, "eli", "quero reiki segunda\n");
    assert!(eli.starts_with("Não há horário livre nesse dia nem nos 30 dias seguintes."), "{eli}");
    let eli = replies("Europe/Lisbon", monday, "eli", "quero reiki com o Rui segunda\n");
    assert!(eli.starts_with("Rui Prates ainda não tem horários de atendimento definidos"), "{eli}");
    let intake = replies("Europe/Lisbon", monday, "odys-intake", "quero marcar com o Rui segunda\n");
    assert!(intake.starts_with("Rui Prates ainda não tem horários de atendimento definidos"), "{intake}");
    let intake = replies("Europe/Lisbon", monday, "odys-intake", "com o Rui segunda às 14h\nPedro\nsim\n");
    assert!(intake.contains("ainda não tem horários de atendimento") && !intake.contains("Marcado"), "{intake}");
    let manual = replies("Europe/Lisbon", monday, "manual", "quero reiki segunda às 14h\nsim\n");
    assert!(
        manual.starts_with("Na segunda, 29/03 não tenho horário livre.") && !manual.contains("marcado"),
        "{manual}"
    );
}

#[test]
fn a_month_without_data_has_figures_of_zero() {
    let folder = tempdir().unwrap();
    let business = root().join("samples/barbearia-figueira.yaml").display().to_string();
    let owner = "renata@figueira.example";
    let mut chat = vec!["chat", "--business", &business, "--profile", "odys-assistant", "--as-staff", owner];
    chat.extend(["--now", "2028-02-10T10:00", "--model", "offline", "--script", "-"]);
    let output = run(folder.path(), &chat, "como foi o mês?\nquem mais faltou?\no que tem na agenda?\n");
    assert_eq!(code(&output), 0, "{}", err(&output));
    let month = "Resumo de 2028-02\n- Agendamentos: 0\n- Realizados: 0\n- Faltas: 0 (0,0%)\n- Cancelados: 0\n- Receita: R$ 0,00\n";
    assert_eq!(
        out(&output),
        format!("{month}Ninguém faltou de 01/09/2027 a 10/02/2028.\nNada marcado de 10/02/2028 a 17/02/2028.\n")
    );
}
