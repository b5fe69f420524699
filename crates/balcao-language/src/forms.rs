//! Whether two words are forms of one word, and which words carry grammar alone.
//!
//! A note is compared with the words of the customer by this: "prefere" is what "prefiro" says, "casada" is not what "casaco" says.
//! Stems alone do not decide it, because an ending may make another word: "caminho" does not mean a small "cama", and "casada" does not
//! follow from "casa". Only endings that bend a word may differ; whatever makes a word of another kind must stand on both.

use crate::{first_names::is_first_name, people::is_relative, search::stem};

/// Articles, the prepositions that only join, pronouns without a person of their own, "and" and "that", and the present of "to be".
/// A preposition that says something ("até", "sem", "contra") is none of them, nor is the past of a verb, nor "ele" and "she".
#[rustfmt::skip] // a closed class of grammar
const FUNCTION_WORDS: &[&str] = &[
    "o", "a", "os", "as", "um", "uma", "uns", "umas", "the", "an",
    "de", "do", "da", "dos", "das", "em", "no", "na", "nos", "nas", "num", "numa", "ao", "aos", "por", "pelo", "pela",
    "pelos", "pelas", "para", "pra", "pro", "pras", "pros", "com", "of", "in", "on", "at", "to", "for", "with",
    "eu", "me", "mim", "comigo", "meu", "minha", "meus", "minhas", "se", "seu", "sua", "seus", "suas", "isso", "isto",
    "i", "my", "mine", "it", "its", "this",
    "e", "que", "and", "that",
    "eh", "sou", "somos", "sao", "ser", "sendo", "estou", "esta", "estao", "estar", "to", "ta", "be", "am", "is", "are", "being", "m", "s",
];

/// The first person of the verbs whose stem changes in it, beside the third.
#[rustfmt::skip] // a closed class of grammar
const FIRST_AND_THIRD: &[(&str, &str)] = &[
    ("tenho", "tem"), ("venho", "vem"), ("faco", "faz"), ("trago", "traz"), ("digo", "diz"), ("peco", "pede"),
    ("meco", "mede"), ("posso", "pode"), ("perco", "perde"), ("ouco", "ouve"), ("sei", "sabe"), ("vou", "vai"),
    ("vejo", "ve"), ("leio", "le"), ("caibo", "cabe"), ("ponho", "poe"), ("durmo", "dorme"), ("tusso", "tosse"),
    ("cubro", "cobre"), ("subo", "sobe"), ("fujo", "foge"), ("engulo", "engole"), ("prefiro", "prefere"),
    ("confiro", "confere"), ("sugiro", "sugere"), ("sirvo", "serve"), ("visto", "veste"), ("sinto", "sente"),
    ("sigo", "segue"), ("consigo", "consegue"), ("repito", "repete"), ("divirto", "diverte"), ("have", "has"),
    ("do", "does"),
];

/// How streets and what stands in them are shortened.
#[rustfmt::skip] // a table of words
const SHORT_AND_WHOLE: &[(&str, &str)] = &[
    ("r", "rua"), ("av", "avenida"), ("al", "alameda"), ("tv", "travessa"), ("pc", "praca"), ("ap", "apartamento"),
    ("apto", "apartamento"), ("bl", "bloco"), ("jd", "jardim"), ("vl", "vila"), ("n", "numero"), ("st", "street"),
    ("ave", "avenue"), ("rd", "road"),
];

/// Endings of participles, which name the state of a person.
const PARTICIPLES: &[&str] = &["ado", "ada", "ido", "ida"];

/// Endings that make another word of a word: nouns of verbs, trades, shops, diminutives, adverbs; and the conditional.
const MAKING: &[&str] = &[
    "izacao", "amento", "imento", "acao", "icao", "ucao", "mente", "idade", "ador", "adora", "agem", "inho", "inha",
    "aria", "eria",
];

/// Endings by which a form is plainly a verb's.
const OF_VERBS: &[&str] =
    &["ar", "er", "ir", "ei", "ou", "ando", "endo", "indo", "amos", "emos", "imos", "aram", "eram", "iram"];

/// Whether a folded word carries grammar alone, so that a sentence says the same without it.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&word)
}

/// Whether a folded word is one that was said, bent or shortened: another number, gender, person or tense, "rua" for "r.". Numbers, first
/// names and words for relatives have no other form: "Carla" is not "Carlos", and a "filha" is not a "filho".
#[must_use]
pub fn is_form_of(word: &str, said: &str) -> bool {
    let fixed =
        |word: &str| word.contains(|letter: char| letter.is_ascii_digit()) || is_first_name(word) || is_relative(word);
    if word == said || SHORT_AND_WHOLE.contains(&(said, word)) {
        return true;
    }
    if fixed(word) || fixed(said) {
        return false;
    }
    let (word, said) = (in_third_person(word), in_third_person(said));
    word == said || is_adjective_of(word, said) || is_adjective_of(said, word) || is_bent(word, said)
}

/// Two forms of one stem whose endings make the same of it.
fn is_bent(one: &str, other: &str) -> bool {
    if stem(one) != stem(other) {
        return false;
    }
    let is_past = |word: &str| word.ends_with("ei");
    let is_verb = |word: &str| OF_VERBS.iter().any(|ending| word.ends_with(ending));
    match (made_by(one), made_by(other)) {
        (one, other) if one == other => true,
        (Some(Made::Participle), None) => is_past(other),
        (None, Some(Made::Participle)) => is_past(one),
        (Some(Made::Word(_)), None) => is_verb(other),
        (None, Some(Made::Word(_))) => is_verb(one),
        _ => false,
    }
}

/// What an ending made of a stem.
#[derive(PartialEq, Eq)]
enum Made {
    /// A state.
    Participle,
    /// Another word, by this ending.
    Word(&'static str),
}

fn made_by(word: &str) -> Option<Made> {
    let single = word.strip_suffix('s').unwrap_or(word);
    let single = single.strip_suffix("coe").map_or_else(|| single.to_owned(), |stem| format!("{stem}cao"));
    let ends = |ending: &&&str| single.strip_suffix(**ending).is_some_and(|stem| stem.len() >= 3);
    let made = MAKING.iter().find(ends).map(|ending| Made::Word(ending));
    made.or_else(|| PARTICIPLES.iter().any(|ending| ends(&ending)).then_some(Made::Participle))
}

fn in_third_person(word: &str) -> &str {
    FIRST_AND_THIRD.iter().find(|(first, _)| *first == word).map_or(word, |(_, third)| third)
}

/// "Alérgica" of "alergia". In short words the endings tell nothing: "médica" is not of "média".
fn is_adjective_of(adjective: &str, noun: &str) -> bool {
    let single = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    let (adjective, noun) = (single(adjective), single(noun));
    let of = adjective.strip_suffix("ica").or_else(|| adjective.strip_suffix("ico"));
    noun.len() >= 6 && of.is_some_and(|of| noun.strip_suffix("ia") == Some(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bent_and_shortened_words_are_those_that_were_said() {
        for (word, said) in [
            ("prefere", "prefiro"),
            ("preferir", "prefiro"),
            ("gosta", "gosto"),
            ("tem", "tenho"),
            ("manhas", "manha"),
            ("alergia", "alergica"),
            ("alergico", "alergica"),
            ("agendamento", "agendar"),
            ("avaliacoes", "avaliacao"),
            ("casada", "casado"),
            ("casada", "casei"),
            ("trabalha", "trabalho"),
            ("likes", "like"),
            ("rua", "r"),
            ("avenida", "av"),
            ("1200", "1200"),
        ] {
            assert!(is_form_of(word, said), "{word} of {said}");
        }
    }

    #[test]
    fn words_that_only_begin_alike_are_others() {
        for (word, said) in [
            ("casada", "casaco"),
            ("casada", "casa"),
            ("casada", "casar"),
            ("casada", "casamento"),
            ("cama", "caminho"),
            ("massa", "massagem"),
            ("livraria", "livro"),
            ("coragem", "cor"),
            ("caro", "carinho"),
            ("mar", "marido"),
            ("carlos", "carla"),
            ("filha", "filho"),
            ("jardim", "ja"),
            ("oitavo", "oi"),
            ("medica", "media"),
            ("barba", "barbeiro"),
            ("pente", "pinto"),
            ("diabetes", "diarista"),
            ("cigarro", "cigana"),
            ("gravida", "gravata"),
            ("1300", "1200"),
            ("10", "1"),
        ] {
            assert!(!is_form_of(word, said), "{word} of {said}");
            assert!(!is_form_of(said, word), "{said} of {word}");
        }
    }

    #[test]
    fn what_says_something_is_no_function_word() {
        for word in ["a", "de", "com", "minha", "sou", "e", "que", "the", "is"] {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["nao", "sem", "ate", "antes", "contra", "ela", "tem", "era", "so", "gratis", "sempre", "not"] {
            assert!(!is_function_word(word), "{word}");
        }
    }
}
