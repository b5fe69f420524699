//! Whether a clause wants what it names, refuses it, or asks whether it happened.
//!
//! Two rules. A wish is refused if a negation or a word of dropping stands before it with nothing but small words between
//! ("não quero mais cancelar nada", "esquece o lembrete"), or if "não" ends its part of the sentence ("precisa de lembrete
//! não"). A verb of change in the past ("você cancelou", "foi remarcado") tells or asks what happened and wants nothing.

use super::spaced;

/// How something is spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    /// It is not.
    Absent,
    /// As something wanted, or asked about.
    Affirmed,
    /// As something not wanted.
    Denied,
}

/// How a clause speaks of what `phrases` name. What is wanted in one part of it counts more than what is refused in another.
pub(super) fn polarity(clause: &str, phrases: &[&str]) -> Polarity {
    judged(clause, phrases, NEGATIONS)
}

/// As [`polarity`], of a thing that can be dropped: "esquece o lembrete", "sem lembrete", "cancela o lembrete".
pub(super) fn polarity_of_thing(clause: &str, phrases: &[&str]) -> Polarity {
    let droppers: Vec<&str> = NEGATIONS.iter().chain(DROPPERS).copied().collect();
    judged(clause, phrases, &droppers)
}

/// True if the clause speaks of a cancellation or move that happened, was said to happen, or was asked about.
pub(super) fn happened(clause: &str) -> bool {
    spaced(clause).split_whitespace().any(|word| {
        let changed = ["cancel", "desmarc", "desmarq", "remarc", "remarq", "reagend", "reschedul"];
        let moved = ["mud", "troc", "alter", "transfer"];
        let rest = |stems: &[&str]| stems.iter().find_map(|stem| word.strip_prefix(stem));
        rest(&changed).is_some_and(|rest| PAST.contains(&rest) || PARTICIPLES.contains(&rest))
            || rest(&moved).is_some_and(|rest| PAST.contains(&rest))
    })
}

/// True if the object of a word of cancelling is not an appointment: "cancela o lembrete".
pub(super) fn cancels_something_else(clause: &str, things: &[&str]) -> bool {
    parts(clause).iter().any(|part| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let mut starts = words.iter().enumerate().filter(|(_, word)| is_one_of(word, &["cancel*", "canselar"]));
        starts.any(|(index, _)| {
            let mut rest = words.iter().skip(index.saturating_add(1)).skip_while(|word| ARTICLES.contains(*word));
            rest.next().is_some_and(|word| is_one_of(word, things))
        })
    })
}

fn judged(clause: &str, phrases: &[&str], negations: &[&str]) -> Polarity {
    let mut found = Polarity::Absent;
    for part in parts(clause) {
        let words: Vec<&str> = part.split_whitespace().collect();
        for (from, to) in places(&words, phrases) {
            if !is_denied(&words, from, to, negations) {
                return Polarity::Affirmed;
            }
            found = Polarity::Denied;
        }
    }
    found
}

/// The parts of a clause between commas, as [`spaced`] words.
fn parts(clause: &str) -> Vec<String> {
    clause.split([',', ':', '(', ')', ';']).map(spaced).collect()
}

/// Where phrases stand: the first word and the one behind the last.
fn places(words: &[&str], phrases: &[&str]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for phrase in phrases {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        for (index, window) in words.windows(wanted.len()).enumerate() {
            if window.iter().zip(&wanted).all(|(word, wanted)| is_one_of(word, &[*wanted])) {
                found.push((index, index.saturating_add(wanted.len())));
            }
        }
    }
    found
}

fn is_denied(words: &[&str], from: usize, to: usize, negations: &[&str]) -> bool {
    let before: Vec<&str> = words.iter().take(from).rev().copied().collect();
    let small = before.iter().take_while(|word| SMALL.contains(*word) && !negations.contains(*word)).count();
    let at = before.get(small).copied().unwrap_or_default();
    // "Não esquece de me lembrar", "não precisa cancelar o lembrete" want it: two negations are none.
    let mut further = before.iter().skip(small.saturating_add(1)).skip_while(|word| SMALL.contains(*word));
    let twice = DROPPERS.contains(&at) && further.next().is_some_and(|word| NEGATIONS.contains(word));
    let led = is_one_of(at, negations) && !twice;
    let behind: Vec<&str> = words.iter().skip(to).filter(|word| !TAILS.contains(*word)).copied().collect();
    let trailing = matches!(behind.as_slice(), ["nao"]) || behind.starts_with(&["pra", "la"]);
    led || trailing && !led_by_question(words)
}

/// "Cancelar por que não?", "posso cancelar ou não?" refuse nothing.
fn led_by_question(words: &[&str]) -> bool {
    words.iter().any(|word| ["ou", "que", "or"].contains(word))
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|one| one.strip_suffix('*').map_or(*one == word, |stem| word.starts_with(stem)))
}

const NEGATIONS: &[&str] =
    &["nao", "n", "nem", "nunca", "ninguem", "sem", "jamais", "t", "not", "never", "no", "without"];

/// Verbs that drop a thing.
const DROPPERS: &[&str] = &[
    "esquece",
    "esqueca",
    "esquecer",
    "deixa",
    "deixe",
    "dispensa",
    "dispenso",
    "tira",
    "tire",
    "tirar",
    "remove",
    "remova",
    "remover",
    "cancela",
    "cancele",
    "cancelar",
    "apaga",
    "apague",
    "apagar",
    "desmarca",
    "desmarque",
    "desliga",
    "desativa",
    "retira",
    "retire",
    "retirar",
    "forget",
    "skip",
    "drop",
    "cancel",
];

/// What may stand between a negation and what it denies.
const SMALL: &[&str] = &[
    "quero",
    "queria",
    "quer",
    "precisa",
    "preciso",
    "precisava",
    "mais",
    "de",
    "do",
    "da",
    "o",
    "a",
    "os",
    "as",
    "e",
    "eh",
    "era",
    "pra",
    "para",
    "que",
    "vou",
    "me",
    "te",
    "gostaria",
    "pode",
    "mandei",
    "pedi",
    "pediu",
    "disse",
    "falei",
    "um",
    "uma",
    "esse",
    "este",
    "aquele",
    "nenhum",
    "meu",
    "seu",
    "ser",
    "ta",
    "to",
    "want",
    "need",
    "any",
    "the",
    "my",
    "a",
    "to",
    "please",
    "send",
    "vai",
    "ter",
    "mandar",
    "manda",
    "mande",
    "enviar",
    "envia",
    "receber",
    "com",
    "isso",
    "tao",
    "eu",
    "it",
    "mesmo",
    "agora",
    "desejo",
    "fazer",
    "tem",
    "ainda",
    "ja",
];

const ARTICLES: &[&str] = &[
    "o", "a", "os", "as", "esse", "esses", "este", "aquele", "meu", "minha", "meus", "seu", "um", "the", "my", "that",
    "essa", "aquela",
];

/// What may stand behind something before the "não" that ends it.
const TAILS: &[&str] = &[
    "mais", "nada", "agora", "hoje", "obrigado", "obrigada", "viu", "por", "favor", "de", "o", "a", "meu", "horario",
    "consulta",
];

/// Endings of a past tense.
const PAST: &[&str] = &["ou", "aram", "ei", "aste", "amos", "uei"];

/// Endings of a participle.
const PARTICIPLES: &[&str] = &["ado", "ada", "ados", "adas", "led", "ed", "lado", "lada"];

#[cfg(test)]
#[path = "polarity_tests.rs"]
mod tests;
