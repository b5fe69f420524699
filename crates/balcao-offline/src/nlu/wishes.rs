//! Wishes that a negation or a past tense turns round: to cancel, to move, to be reminded, to be written to.

use super::{
    Act, Utterance, has,
    phrases::{
        ASKING, CANCEL, CANNOT_COME, LATER, MOVES, NO_LATER, OWN_APPOINTMENT, OWN_OTHER, POLICY, REMINDER, RESCHEDULE,
        STATE, WAITLIST,
    },
    polarity::{Polarity, cancels_something_else, happened, polarity, polarity_of_thing},
};

/// What a clause wants changed, or asks about changes. `words` is the clause [`spaced`](super::spaced).
pub(super) fn changes(clause: &str, words: &str, acts: &mut Vec<Act>) {
    let policy = has(words, POLICY);
    if happened(clause) && !policy {
        if asks_what_happened(clause, words) {
            acts.push(Act::MyAppointments);
        }
        return;
    }
    let moves = has(words, MOVES)
        && (has(words, OWN_APPOINTMENT)
            || has(words, &["meu", "minha"]) && !has(words, OWN_OTHER)
            || has(words, &["horario", "consulta", "o dia", "sessao"]));
    let wanted = polarity(clause, RESCHEDULE);
    let move_denied = wanted == Polarity::Denied || moves && polarity(clause, MOVES) == Polarity::Denied;
    if !policy && !move_denied && (moves || wanted == Polarity::Affirmed) {
        acts.push(Act::Reschedule);
    }
    let other = cancels_something_else(clause, MESSAGES) || cancels_something_else(clause, CONTRACTS);
    let cancel = polarity(clause, CANCEL);
    if !policy && (cancel == Polarity::Affirmed && !other || has(words, CANNOT_COME)) {
        acts.push(Act::Cancel);
    }
    if cancel == Polarity::Denied && !other || move_denied {
        acts.extend([Act::Refusal, Act::Keep]);
    }
    if cancel == Polarity::Affirmed && cancels_something_else(clause, CONTRACTS) {
        acts.push(Act::CancelOther);
    }
}

/// "Que horas é o corte do Bento?": when something is that is booked.
pub(super) fn asks_when_it_is(words: &str) -> bool {
    const WHEN: &[&str] = &["que horas", "que hora", "q horas", "que hrs", "que dia", "quando"];
    const BOOKED_THINGS: &[&str] =
        &["corte", "barba", "consulta", "sessao", "horario", "atendimento", "avaliacao", "retorno", "aula", "hora"];
    let all: Vec<&str> = words.split_whitespace().collect();
    all.windows(3).any(|window| {
        matches!(window, [is, article, thing] if ["e", "eh", "ficou", "sera", "vai"].contains(is)
            && ["o", "a"].contains(article)
            && BOOKED_THINGS.contains(thing))
    }) && has(words, WHEN)
}

/// "Vocês cancelaram?", "por que remarcaram?", "meu horário foi cancelado".
fn asks_what_happened(clause: &str, words: &str) -> bool {
    const WHOSE: &[&str] = &["voce", "voces", "vc", "vcs", "you", "meu", "minha", "meus", "minhas", "my", "nada"];
    clause.contains('?') || has(words, ASKING) || has(words, WHOSE)
}

/// What a clause says of messages to come: a reminder of an appointment, or a word later on.
pub(super) fn messages(clause: &str, words: &str, slots: &Utterance, acts: &mut Vec<Act>) {
    let waitlist = has(words, WAITLIST);
    if has(words, STATE) {
        acts.push(Act::MyAppointments);
        return;
    }
    let cancels = acts.contains(&Act::Cancel);
    match polarity_of_thing(clause, REMINDER) {
        Polarity::Affirmed if !waitlist && !cancels => acts.push(Act::Reminder),
        Polarity::Denied => acts.push(Act::NoReminder),
        Polarity::Affirmed | Polarity::Absent => {}
    }
    let no_contact = has(words, NO_LATER) || cancels_something_else(clause, &["mensage*", "msg", "aviso*", "retorno*"]);
    if no_contact {
        acts.push(Act::NoLaterContact);
    } else if has(words, LATER) || later_contact(words, slots) && !acts.contains(&Act::Reminder) {
        acts.push(Act::LaterContact);
    }
}

/// "Me manda uma mensagem amanhã de manhã": a verb that asks us to write later, with a day, a time or a "depois".
fn later_contact(words: &str, slots: &Utterance) -> bool {
    const CALLS: &[&str] = &[
        "me chama",
        "me chame",
        "me escreve",
        "me escreva",
        "me procura",
        "me procure",
        "me contata",
        "fala comigo",
        "fale comigo",
        "text me",
        "message me",
        "write me",
    ];
    const SENDS: &[&str] = &["me manda", "me mande", "me envia", "me envie", "manda", "mande", "send me"];
    const MESSAGE: &[&str] = &["mensagem", "mensagi", "msg", "zap", "whats", "whatsapp", "recado", "um oi", "message"];
    let verb = has(words, CALLS) || has(words, SENDS) && has(words, MESSAGE);
    let later = slots.has_when() || has(words, &["depois", "mais tarde", "outro dia", "outra hora", "later"]);
    verb && later && !has(words, &["me chama de", "me chame de"])
}

/// Messages of ours that a contact may want to stop.
const MESSAGES: &[&str] = &["lembrete*", "aviso*", "mensage*", "msg", "retorno*", "reminder*"];

/// Contracts that a customer can end; none of them is an appointment.
const CONTRACTS: &[&str] =
    &["plano", "assinatura", "mensalidade", "pacote", "cadastro", "conta", "plan", "subscription"];
