//! Answers to an offer that were written before the rules that judge them by their build.

use balcao_language::{Agreement, Asked, agreement_to};
use jiff::civil::date;

/// The arguments of the booking that was offered, as [`agreement_to`] is given them.
const OFFER: &str = "Wesley , 2026-11-27 , 15:00 , Corte na máquina";

const AGREE: [&str; 40] = [
    "pode tocar o barco",
    "pode anotar aí",
    "pode registrar",
    "pode segurar esse pra mim",
    "pode deixar marcado",
    "pode deixar reservado pra mim",
    "pode colocar meu nome aí",
    "põe meu nome",
    "bota eu nesse horário",
    "anota aí meu nome",
    "vai ser esse mesmo",
    "vai nesse mesmo",
    "vou querer esse",
    "vou nesse",
    "fico com esse",
    "quero esse mesmo",
    "é esse",
    "é esse mesmo, pode marcar",
    "esse tá ótimo",
    "esse horário serve",
    "pra mim serve",
    "pra mim tá perfeito",
    "por mim fechou",
    "vamos nesse então",
    "bora nessa",
    "bora marcar",
    "vamos marcar então",
    "vamos fechar",
    "vamos de sexta",
    "pode me encaixar",
    "me encaixa aí",
    "me coloca nesse",
    "segura pra mim",
    "garante esse pra mim",
    "manda ver, pode reservar",
    "pode ir marcando",
    "pode confirmar pra mim",
    "isso, pode agendar nesse horário",
    "let's go with that",
    "that one works for me",
];

/// Refusals, delays, conditions, questions and other wishes in the same build.
const DO_NOT: [&str; 36] = [
    "vou querer saber o preço",
    "vou querer não",
    "vou querer?",
    "vou querer outro",
    "vou sim, mas sábado",
    "pode pôr na agenda da minha mãe",
    "põe na agenda amanhã",
    "faz favor de esperar",
    "deixa marcado no sábado",
    "deixa, marcado já tá",
    "pode mandar o preço?",
    "pode mandar o endereço",
    "pode botar outro nome",
    "pode botar no nome da minha filha",
    "vai ser outro",
    "vai ser esse?",
    "vai ser caro",
    "vai nessa",
    "vamos ver",
    "vamos nessa semana não",
    "vamos nessa outra",
    "pode esperar",
    "pode tirar meu nome",
    "não vai ser esse",
    "esse não",
    "pode segurar até amanhã",
    "vou pensar nesse",
    "bota outro",
    "põe meu nome se tiver desconto",
    "vamos deixar pra outro dia",
    "pode chamar um atendente",
    "quero anotar",
    "quanto vai ser esse",
    "bota meu nome sexta às 16h",
    "segura aí",
    "pode por favor esperar",
];

/// These agree, too, and are asked about once more: each has a word that also says something else.
const ASKED_AGAIN: [&str; 5] =
    ["pode tocar o barco", "pode deixar reservado pra mim", "vai nesse mesmo", "é esse", "that one works for me"];

/// What a customer said and was not understood.
const REPORTED: [&str; 13] = [
    "pode mandar bala",
    "pode botar meu nome",
    "vai ser esse",
    "vamos nessa",
    "vou querer",
    "vou querer sim",
    "vou sim",
    "pode pôr na agenda",
    "põe na agenda aí",
    "pode colocar na agenda",
    "deixa marcado",
    "faz favor",
    "esse aí mesmo",
];

fn agrees(text: &str, asked: Asked) -> bool {
    agreement_to(text, asked, OFFER, date(2026, 11, 24)) == Agreement::Yes
}

/// 20 of the 40 agreed while lists of words alone judged them.
#[test]
fn answer_agrees_by_its_build() {
    let missed: Vec<&str> = AGREE.into_iter().chain(REPORTED).filter(|text| !agrees(text, Asked::Booking)).collect();
    assert_eq!(missed, ASKED_AGAIN);
    let taken: Vec<&str> = DO_NOT.into_iter().filter(|text| agrees(text, Asked::Booking)).collect();
    assert_eq!(taken, Vec::<&str>::new());
}

#[test]
fn choice_and_name_agree_to_no_end_of_an_appointment() {
    for text in [
        "pode botar meu nome",
        "anota meu nome",
        "vai ser esse",
        "vamos nessa",
        "vou querer esse",
        "quero esse",
        "vou querer",
        "vou sim",
        "deixa marcado",
    ] {
        assert!(!agrees(text, Asked::Cancelling), "{text}");
    }
    // The question names the appointment: "Posso cancelar o seu horário de corte na sexta às 15h?".
    for text in [
        "pode confirmar meu horário",
        "pode confirmar o horário",
        "sim, confirma meu horário",
        "confirma meu horário",
        "pode confirmar sexta",
        "pode ser sexta",
        "confirmado, sexta às 15h",
    ] {
        assert!(!agrees(text, Asked::Cancelling), "{text}");
        assert!(agrees(text, Asked::Booking), "{text}");
    }
    for text in [
        "confirmo, pode cancelar meu horário",
        "pode sim",
        "isso mesmo",
        "sim, sexta às 15h",
        "pode cancelar meu horário",
    ] {
        assert!(agrees(text, Asked::Cancelling), "{text}");
    }
    for text in ["vai ser esse", "vou nesse", "fico com esse"] {
        assert!(!agrees(text, Asked::Rescheduling), "{text}");
    }
    assert!(agrees("pode mandar bala", Asked::Cancelling));
    for text in ["pode por favor", "quero isso"] {
        assert!(agrees(text, Asked::Cancelling), "{text}");
    }
    assert!(agrees("pode botar meu nome", Asked::Waiting));
}
