//! What a text of ours offers: whether its question asks for one deed alone, and which part of it is an offer.

use balcao_language::{Asked, find_dates, find_times, mentions};
use jiff::civil::Date;

use super::super::grounding::words;

/// Whether a question of ours asks for the deed and for nothing else: each word is of the deed or of what the call is about, a day, a time,
/// or one that asks for leave. "Quer que eu te avise se vagar sexta às 15h?" does not ask to book. A word that is not known makes it
/// another question, so that the customer is asked once more.
pub(super) fn asks_only(question: &str, deed: Asked, about: &str, today: Date) -> bool {
    let about = words(about);
    let is_known = |word: &String| {
        let word = word.as_str();
        about.iter().any(|known| known == word)
            || mentions(word, deed)
            || words_of(deed).contains(&word)
            || OPEN_QUESTIONS.contains(&word)
            || OFFERING.contains(&word)
            || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    words(&without_when(without_address(question), today)).iter().all(is_known)
}

/// The part of a text of ours that offers: up to its last question, without sentences that say what cannot be.
pub(super) fn offered(text: &str) -> String {
    let asked = text.rsplit_once('?').map_or(text, |(asked, _)| asked);
    let sentences = asked.split_inclusive(['.', '!', ';', '\n', '?']).flat_map(|sentence| {
        let turned = [" mas ", " porém ", " but "].into_iter().find_map(|turn| sentence.split_once(turn));
        turned.map_or_else(|| vec![sentence], |(before, behind)| vec![before, behind])
    });
    sentences.filter(|sentence| !super::denies(sentence)).collect()
}

/// A question without the name that it ends with: "Posso marcar, Ana Prado".
fn without_address(question: &str) -> &str {
    let Some((before, last)) = question.rsplit_once(',') else { return question };
    let mut names = last.split_whitespace();
    let is_name = |name: &str| name.chars().next().is_some_and(char::is_uppercase);
    let is_address = names.clone().count() <= 2 && !last.trim().is_empty() && names.all(is_name);
    if is_address { before } else { question }
}

/// A text with nothing in the place of its days and times.
fn without_when(text: &str, today: Date) -> String {
    let days = find_dates(text, today);
    let times = find_times(text);
    let mut spans: Vec<(usize, usize)> = days
        .iter()
        .map(|found| (found.start, found.end))
        .chain(times.iter().map(|found| (found.start, found.end)))
        .collect();
    spans.sort_unstable();
    let (mut rest, mut done) = (String::new(), 0);
    for (start, end) in spans {
        rest.push_str(text.get(done..start.max(done)).unwrap_or_default());
        rest.push(' ');
        done = done.max(end);
    }
    rest.push_str(text.get(done..).unwrap_or_default());
    rest
}

/// What a question about the deed says beside its verbs.
const fn words_of(deed: Asked) -> &'static [&'static str] {
    match deed {
        Asked::Booking => {
            &["agendamento", "atendimento", "encaixar", "encaixe", "encaixo", "visita", "appointment", "visit"]
        }
        Asked::Cancelling | Asked::Rescheduling => &[
            "agendado",
            "agendamento",
            "atendimento",
            "mudar",
            "mudo",
            "passar",
            "passo",
            "visita",
            "change",
            "appointment",
            "move",
            "visit",
        ],
        Asked::Waiting => &[
            "abrir", "avisar", "avise", "aviso", "colocar", "coloco", "coloque", "deixar", "entrar", "espera", "fila",
            "incluir", "inclua", "lista", "ponha", "ponho", "se", "surgir", "vagar", "add", "if", "join", "list",
            "opens", "put", "waiting", "waitlist",
        ],
        Asked::Reminding => &[
            "antes", "avisar", "avise", "aviso", "enviar", "envie", "lembrete", "mandar", "mande", "minutos",
            "receber", "before", "get", "hours", "minutes", "reminder", "send",
        ],
        Asked::Other => &[],
    }
}

/// The words beside [`OPEN_QUESTIONS`] that name no other thing: what is free, prices, courtesy, and joining words.
const OFFERING: &[&str] = &[
    "agenda",
    "agora",
    "ainda",
    "ao",
    "consigo",
    "deseja",
    "dia",
    "disponivel",
    "do",
    "dos",
    "das",
    "em",
    "favor",
    "feira",
    "gostaria",
    "ha",
    "horarios",
    "horas",
    "ja",
    "livre",
    "livres",
    "nas",
    "ne",
    "nome",
    "nos",
    "r",
    "reais",
    "seu",
    "senhor",
    "senhora",
    "tambem",
    "tem",
    "temos",
    "tenho",
    "vaga",
    "an",
    "and",
    "at",
    "available",
    "can",
    "could",
    "for",
    "free",
    "have",
    "i",
    "in",
    "name",
    "on",
    "please",
    "there",
    "we",
    "with",
    "your",
];

/// The words of a question that asks how what was said suits: a closed class.
pub(super) const OPEN_QUESTIONS: &[&str] = &[
    "a",
    "acha",
    "seu",
    "sua",
    "teu",
    "mim",
    "confirme",
    "confirmamos",
    "fechamos",
    "combinado",
    "bons",
    "os",
    "as",
    "assim",
    "ai",
    "bem",
    "boa",
    "bom",
    "certo",
    "com",
    "confirma",
    "confirmar",
    "confirmo",
    "da",
    "de",
    "e",
    "entao",
    "essa",
    "esse",
    "esta",
    "este",
    "eu",
    "fica",
    "ficar",
    "for",
    "horario",
    "hora",
    "isso",
    "la",
    "lhe",
    "melhor",
    "mesmo",
    "na",
    "no",
    "o",
    "ok",
    "para",
    "pode",
    "podemos",
    "por",
    "posso",
    "pra",
    "prefere",
    "preferir",
    "qual",
    "que",
    "quer",
    "rola",
    "sendo",
    "ser",
    "seria",
    "serve",
    "sim",
    "sobre",
    "ta",
    "tal",
    "te",
    "topa",
    "tudo",
    "um",
    "uma",
    "vamos",
    "vc",
    "voce",
    "voces",
    "about",
    "does",
    "good",
    "how",
    "is",
    "it",
    "like",
    "me",
    "okay",
    "one",
    "right",
    "shall",
    "should",
    "so",
    "sound",
    "that",
    "the",
    "this",
    "time",
    "to",
    "want",
    "what",
    "which",
    "work",
    "works",
    "would",
    "you",
];
