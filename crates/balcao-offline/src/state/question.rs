//! What a reply asked, so that the next message can be understood as its answer.

use balcao_language::normalize;

use crate::results::Outcome;

/// What the last reply asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Question {
    /// Nothing.
    #[default]
    Nothing,
    /// Which service.
    Service,
    /// Which day.
    Day,
    /// Which time.
    Time,
    /// The professional of the appointment.
    Professional,
    /// Whether to book what was proposed.
    Book,
    /// Whether the next opening will do.
    Next,
    /// Whether to run a held cancellation.
    Cancel,
    /// Whether to run a held move.
    Reschedule,
    /// Which of several appointments.
    Which,
    /// Whether to begin a booking.
    Begin,
    /// Whether to call a person.
    Human,
    /// Whether to join the waiting list.
    Waitlist,
}

/// What a reply asks, from its last question. Written for our own words and tolerant of another model's.
pub(super) fn question_in(said: &str, held: Option<&Outcome>) -> Question {
    let folded = normalize(said);
    let Some((before, _)) = folded.rsplit_once('?') else { return Question::Nothing };
    let last = before.rsplit(['.', '!', '?', '\n']).next().unwrap_or_default();
    let asks = |words: &[&str]| words.iter().any(|word| last.contains(word));
    if let Some(held) = held {
        return match held.name.as_str() {
            "book_appointment" => Question::Book,
            name if name.starts_with("reschedule") => Question::Reschedule,
            _ => Question::Cancel,
        };
    }
    if asks(&["alguem da equipe", "someone from the team", "atendente"]) {
        Question::Human
    } else if asks(&["quer marcar um", "like to book one"]) {
        Question::Begin
    } else if asks(&["serve, ou", "suit you, or"]) {
        Question::Next
    } else if asks(&["lista de espera", "waiting list"]) {
        Question::Waitlist
    } else if asks(&["qual deles", "which one", "seria esse", "is it that one"]) {
        Question::Which
    } else if asks(&[
        "posso marcar",
        "posso agendar",
        "posso confirmar",
        "confirmo",
        "confirma",
        "quer que eu marque",
        "shall i book",
        "can i book",
        "posso reservar",
    ]) {
        Question::Book
    } else if asks(&["posso cancelar", "quer cancelar", "cancelar mesmo", "cancel it"]) {
        Question::Cancel
    } else if asks(&["posso remarcar", "quer remarcar"]) {
        Question::Reschedule
    } else if asks(&["qual servico", "which service", "que servico"]) {
        Question::Service
    } else if asks(&[
        "com quem",
        "qual profissional",
        "which professional",
        "who would you like",
        "preferencia",
        "seria com",
        "did you mean",
    ]) {
        Question::Professional
    } else if asks(&[
        "qual horario",
        "que horas",
        "que horario",
        "which time",
        "what time",
        "algum desses",
        "any of these",
    ]) {
        Question::Time
    } else if asks(&["qual dia", "que dia", "which day", "outro dia", "another day"]) {
        Question::Day
    } else {
        Question::Nothing
    }
}

/// True if the message speaks of an appointment that exists.
#[must_use]
pub fn own_appointment(text: &str) -> bool {
    let folded = normalize(text);
    ["meu horario", "minha consulta", "meu agendamento", "minha sessao", "my appointment", "minha hora"]
        .iter()
        .any(|words| folded.contains(words))
}
