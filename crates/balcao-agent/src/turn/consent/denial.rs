//! Whether words of ours say that something cannot be.

use balcao_language::weekday_named;

use super::sentences::parts;
use crate::turn::grounding::words;

/// Whether the last thing that a text of ours says is that something cannot be; "14h não tem, mas às 15h tem" says what can.
///
/// These are the words that deny whatever else a clause says. What denies by other words ("quinta lotou") differs from an offer in
/// its words: see [`super::ruled_out::rules_out`].
pub(super) fn denies(text: &str) -> bool {
    if text.contains(SIGNS) {
        return true;
    }
    let text = text.trim_end_matches(['.', '!', '\n', ' ', ':']);
    let said = words(parts(text, &['.', '!', '\n']).pop().unwrap_or_default());
    let turns = |word: &String| ["mas", "porem", "but", "however"].contains(&word.as_str());
    let said = said.rsplit(turns).next().unwrap_or_default();
    let at = |place: Option<usize>| place.and_then(|place| said.get(place)).map_or("", String::as_str);
    let is_denial = |(place, word): (usize, &String)| {
        let (before, behind) = (at(place.checked_sub(1)), at(place.checked_add(1)));
        match word.as_str() {
            // "Sem custo" denies nothing of an offer.
            "sem" => OFFERED.iter().any(|stem| behind.starts_with(stem)),
            // "Não precisa pagar antes" says that it can be without.
            "nao" => !behind.starts_with("precis"),
            // "No" alone is Portuguese for "on the", as in "no sábado", and "vê no sábado" is Portuguese, too.
            "no" if before == "ve" => ["i", "we", "they", "you"].contains(&at(place.checked_sub(2))),
            "no" => {
                ["is", "are", "have", "has", "there", "theres", "s", "got"].contains(&before)
                    || OFFERED_IN_ENGLISH.iter().any(|stem| behind.starts_with(stem))
            }
            // "Not a problem" and "not to worry" are courtesy.
            "not" => behind != "to" && !(behind == "a" && at(place.checked_add(2)) == "problem"),
            "0" | "zero" => OFFERED.iter().any(|stem| behind.starts_with(stem)),
            // "Isn't" and "isnt".
            "t" => before.strip_suffix('n').is_some_and(is_auxiliary),
            "full" | "cheio" | "cheia" | "cheios" | "cheias" => is_said_of_when(before, behind),
            word => NO.contains(&word) || word.strip_suffix("nt").is_some_and(is_auxiliary),
        }
    };
    said.iter().enumerate().any(is_denial)
}

/// Whether this is what stands before "n't".
fn is_auxiliary(word: &str) -> bool {
    ["is", "are", "was", "were", "do", "does", "did", "ca", "could", "wo", "would", "should", "has", "have", "had"]
        .contains(&word)
}

/// Signs that deny, and the mark of words that are struck out.
const SIGNS: &[char] = &['❌', '🚫', '⛔', '✖', '✗', '👎', '~'];

/// Words that deny by themselves.
pub(super) const NO: &[&str] = &[
    "nao",
    "nem",
    "nenhum",
    "nenhuma",
    "ninguem",
    "nunca",
    "ocupado",
    "ocupada",
    "lotado",
    "lotada",
    "indisponivel",
    "cannot",
    "not",
    "neither",
    "never",
    "none",
    "nor",
    "busy",
    "unavailable",
];

/// How the nouns of what an offer consists of begin: "sem vaga", "sem o Wesley".
const OFFERED: &[&str] =
    &["agenda", "atend", "dispon", "encaix", "espaco", "expediente", "hora", "lugar", "profission", "tempo", "vaga"];

/// The same in English: "no openings".
const OFFERED_IN_ENGLISH: &[&str] =
    &["appointment", "availab", "opening", "place", "room", "slot", "space", "spot", "time", "vacanc"];

/// Whether "full" or "cheia" between these words is said of a day, a time or an agenda. In "full color" it is said of a service.
fn is_said_of_when(before: &str, behind: &str) -> bool {
    let states = [
        "is",
        "are",
        "s",
        "re",
        "was",
        "already",
        "completely",
        "fully",
        "esta",
        "ta",
        "estao",
        "tao",
        "ficou",
        "fica",
        "ja",
        "toda",
        "todo",
        "muito",
        "bem",
        "completamente",
    ];
    let spans = [
        "",
        "agenda",
        "amanha",
        "dia",
        "hoje",
        "manha",
        "noite",
        "semana",
        "tarde",
        "afternoon",
        "day",
        "evening",
        "morning",
        "schedule",
        "today",
        "tomorrow",
        "week",
    ];
    let links = ["", "on", "at", "until", "this", "today", "tomorrow", "amanha", "ate", "hoje", "na", "no"];
    let is_when = spans.contains(&before)
        || weekday_named(before).is_some()
        || before.contains(|letter: char| letter.is_ascii_digit());
    states.contains(&before) || is_when && links.contains(&behind)
}
