//! What a text of ours offers: whether its question asks for one deed alone, and which part of it is an offer.

use std::collections::BTreeMap;

use balcao_language::{
    Agreement, Asked, agreement_about, are_given, find_dates, find_times, is_first_name, mentions, own_names,
    resolve_date, weekday_named,
};
use balcao_tool::SaidAs;
use jiff::civil::{Date, Time};
use serde_json::Value;

use super::super::grounding::{DialogueHistory, Utterance, clock_time, fits, words};
use super::{days_in, denies, telling};

/// Whether a question of ours asks for the deed and for nothing else: each word is of the deed or of what the call is about, a day, a time,
/// or one that asks for leave. "Quer que eu te avise se vagar sexta às 15h?" does not ask to book. A word that is not known makes it
/// another question, so that the customer is asked once more.
pub(super) fn asks_only(question: &str, deed: Asked, about: &str, talk: &DialogueHistory<'_>) -> bool {
    let about = words(about);
    let asked = without_address(without_lead(question, deed, talk));
    let said = words(&without_when(asked, talk.today));
    let at = |place: Option<usize>| place.and_then(|place| said.get(place)).map_or("", String::as_str);
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_known = |(place, word): (usize, &String)| {
        let (before, behind) = (at(place.checked_sub(1)), at(place.checked_add(1)));
        match word.as_str() {
            // These two mean leave only together.
            "go" if behind == "ahead" => true,
            "ahead" if before == "go" => true,
            // "No valor de R$ 40" says a price, and "quer saber o valor" asks for another thing.
            "valor" => said.iter().skip(place).take(4).any(is_number),
            known => {
                about.iter().any(|one| one == known)
                    || mentions(known, deed)
                    || words_of(deed).contains(&known)
                    || OPEN_QUESTIONS.contains(&known)
                    || OFFERING.contains(&known)
                    || TITLES.contains(&known)
                    || is_number(word)
            }
        }
    };
    said.iter().enumerate().all(is_known)
}

/// The part of a text of ours that offers: the clauses that do not say what cannot be.
pub(super) fn offered(text: &str) -> String {
    join(clauses(text).iter().filter(|clause| !clause.denies))
}

/// Whether a text of ours says that what a call does cannot be: one of its clauses denies, names something of the call and no other day
/// or time, and no clause offers that again. "O Wesley não atende sexta, só o Bruno" leaves Bruno, and Wesley on another day.
pub(super) fn rules_out(text: &str, args: &Value, kinds: &BTreeMap<String, SaidAs>, today: Date) -> bool {
    let given = |kind: SaidAs| {
        kinds.iter().filter(move |(_, said)| **said == kind).filter_map(|(name, _)| args.get(name)?.as_str())
    };
    let days: Vec<Date> = given(SaidAs::Day).filter_map(|day| Some(resolve_date(day, today).ok()?.date)).collect();
    let times: Vec<Time> = given(SaidAs::Time).filter_map(clock_time).collect();
    let is_small = |word: &str| OPEN_QUESTIONS.contains(&word) || OFFERING.contains(&word);
    let mut names: Vec<String> = given(SaidAs::Name).chain(given(SaidAs::Service)).flat_map(telling).collect();
    names.retain(|word| !is_small(word));
    let names_time =
        |text: &str| find_times(text).iter().any(|found| times.iter().any(|time| fits(found.reading, *time)));
    let all = clauses(text);
    let is_ruled_out = |clause: &Clause| {
        let said = words(&clause.text);
        let denied: Vec<&String> = names.iter().filter(|name| said.contains(name)).collect();
        let on = days_in(&clause.text, today);
        let (names_when, names_hour) = (!on.is_empty(), !find_times(&clause.text).is_empty());
        // "Quinta está cheia" is said of the Thursday that was offered.
        let of_day = on.iter().any(|on| days.iter().any(|day| day.weekday() == on.weekday()));
        let of_time = names_time(&clause.text);
        if names_when && !of_day || names_hour && !of_time || denied.is_empty() && !of_day && !of_time {
            return false;
        }
        // What stands behind the question corrects what stands before it, and not the other way round.
        let again = join(all.iter().filter(|other| !other.denies && (other.is_behind || !clause.is_behind)));
        let offered = words(&again);
        if denied.is_empty() && names_other(&clause.text, &names) && names.iter().any(|name| offered.contains(name)) {
            return false;
        }
        let is_offered = denied.iter().all(|name| offered.contains(name))
            && (!of_day || days_in(&again, today).iter().any(|day| days.contains(day)))
            && (!of_time || names_time(&again));
        !is_offered
    };
    all.iter().filter(|clause| clause.denies).any(is_ruled_out)
}

/// Whether a clause names one who is none of `names`: a word with a capital behind its first word.
fn names_other(clause: &str, names: &[String]) -> bool {
    let is_other = |word: &String| word.len() >= 3 && weekday_named(word).is_none() && !names.contains(word);
    let capital = |written: &&str| written.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase);
    clause.split_whitespace().skip(1).filter(capital).any(|written| words(written).iter().any(is_other))
}

/// A part of a text of ours that either offers or denies.
struct Clause {
    text: String,
    denies: bool,
    /// It stands behind the last question.
    is_behind: bool,
}

/// The clauses of a text of ours. This is the one rule for days, times, persons and services.
fn clauses(text: &str) -> Vec<Clause> {
    let (asked, behind) = text.rsplit_once('?').unwrap_or((text, ""));
    let mut all = clauses_of(asked, false);
    let mut tail = clauses_of(behind, true);
    // "Se não puder, me avise" denies nothing.
    tail.retain(|clause| words(&clause.text).first().is_none_or(|first| !CONDITIONS.contains(&first.as_str())));
    // What stands behind the question offers something only where it corrects the question: "quinta está cheia, seria sexta".
    if tail.iter().any(|clause| clause.denies) {
        all.extend(tail);
    }
    all
}

/// The clauses of a part of a text. A comma parts what cannot be from what can: "barba a gente não faz, só corte". It parts nothing else,
/// since it also stands within a day: "sexta, 27/11, às 15h".
fn clauses_of(text: &str, is_behind: bool) -> Vec<Clause> {
    let mut all = Vec::new();
    for sentence in parts(text, &['.', '!', ';', '\n', '?']) {
        let mut turned = vec![sentence];
        for turn in [" mas ", " porém ", " but "] {
            turned = turned.into_iter().flat_map(|part| part.split(turn)).collect();
        }
        for part in turned {
            let (mut text, mut is_denied) = (String::new(), false);
            for piece in part.split_inclusive(',') {
                let denied = denies(piece);
                let affirms = || words(piece).iter().any(|word| AFFIRMING.contains(&word.as_str()));
                if is_denied && !denied && affirms() {
                    all.push(Clause { text: std::mem::take(&mut text), denies: true, is_behind });
                    is_denied = false;
                }
                text.push_str(piece);
                is_denied |= denied;
            }
            all.push(Clause { text, denies: is_denied, is_behind });
        }
    }
    all
}

fn join<'a>(clauses: impl Iterator<Item = &'a Clause>) -> String {
    clauses.map(|clause| clause.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The parts of a text, each with the mark that ends it. The dot of a title before a name ends nothing: "o Dr. Wesley".
pub(super) fn parts<'a>(text: &'a str, marks: &[char]) -> Vec<&'a str> {
    let (mut all, mut begins) = (Vec::new(), 0);
    for (at, mark) in text.match_indices(marks) {
        let behind = at.saturating_add(mark.len());
        let (Some(part), Some(rest)) = (text.get(begins..behind), text.get(behind..)) else { continue };
        if mark == "." && ends_with_title(part) && rest.trim_start().starts_with(char::is_uppercase) {
            continue;
        }
        all.push(part);
        begins = behind;
    }
    all.extend(text.get(begins..).filter(|rest| !rest.is_empty()));
    all
}

fn ends_with_title(text: &str) -> bool {
    words(text).last().is_some_and(|last| TITLES.contains(&last.as_str()))
}

/// A question without what it begins with before a comma, if that is courtesy or calls the customer: "Ótimo, Ana, posso marcar".
fn without_lead<'a>(question: &'a str, deed: Asked, talk: &DialogueHistory<'_>) -> &'a str {
    let mut rest = question;
    while let Some((lead, behind)) = rest.split_once(',') {
        if !is_lead(lead, deed, talk) {
            break;
        }
        rest = behind;
    }
    // Without a verb that asks, the name is what is asked about: "Bruno, sexta às 15h?".
    let asks = |word: &String| ASKING.contains(&word.as_str()) || mentions(word, deed);
    if words(rest).iter().any(asks) { rest } else { question }
}

/// Whether what stands before a comma agrees, or is a first name alone that was not spoken of.
fn is_lead(lead: &str, deed: Asked, talk: &DialogueHistory<'_>) -> bool {
    let mut said = words(lead);
    said.retain(|word| !TITLES.contains(&word.as_str()));
    let is_capital = |written: &str| written.chars().next().is_some_and(char::is_uppercase);
    let is_name = said.len() <= 2
        && said.first().is_some_and(|name| is_first_name(name))
        && lead.split_whitespace().all(is_capital)
        && !is_spoken_of(&said, talk);
    is_name || agreement_about(lead, deed) == Agreement::Yes
}

/// Whether a name is that of a person who is spoken of, such as a professional, and so may be what a question asks about.
fn is_spoken_of(name: &[String], talk: &DialogueHistory<'_>) -> bool {
    talk.lines.iter().any(|line| {
        let said = words(line.text());
        let is_led = |pair: &[String]| matches!(pair, [before, word] if name.contains(word) && ["o", "a", "com", "with"].contains(&before.as_str()));
        match line {
            Utterance::Us(_) => said.windows(2).any(is_led),
            // "Sou a Ana" gives the customer's own name.
            Utterance::Customer(text) => {
                name.iter().any(|word| said.contains(word)) && !are_given(name, &own_names(text, false))
            }
        }
    })
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

/// What is put before a name.
const TITLES: &[&str] = &["dr", "dra", "doutor", "doutora", "sr", "sra"];

/// What begins a condition.
const CONDITIONS: &[&str] = &["se", "caso", "if"];

/// The verbs of a question that asks for leave.
const ASKING: &[&str] = &[
    "confirma",
    "confirmamos",
    "confirmo",
    "pode",
    "podemos",
    "posso",
    "quer",
    "vamos",
    "can",
    "could",
    "may",
    "shall",
    "should",
    "want",
    "would",
];

/// The words by which a clause behind a denial says what can be.
const AFFIRMING: &[&str] = &[
    "apenas",
    "cabe",
    "consigo",
    "disponivel",
    "fica",
    "ha",
    "livre",
    "livres",
    "pode",
    "posso",
    "seria",
    "sim",
    "so",
    "somente",
    "tem",
    "temos",
    "tenho",
    "available",
    "free",
    "have",
    "only",
    "works",
];

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
