//! The tokens under which a text is indexed and searched: folded, without stop words, stemmed, synonyms made one.
//!
//! Both the index and the query go through [`search_tokens`], so that "horários", "horario" and "HORÁRIO" meet. The stemmer
//! works on folded text, because customers write "remarcacao" as often as "remarcação".

use std::{collections::HashSet, sync::LazyLock};

use crate::normalize::{TokenKind, tokens};

/// The search tokens of a text, in its order; a word that occurs twice is given twice.
#[must_use]
pub fn search_tokens(text: &str) -> Vec<String> {
    let words = tokens(text).into_iter().filter(|token| token.kind != TokenKind::Mark);
    words.filter(|token| !is_stop_word(&token.text)).map(|token| synonym(stem(&token.text))).collect()
}

/// The stem of a folded word: plural, gender, and the commonest endings of Portuguese nouns and verbs taken off.
///
/// Light on purpose: "horarios" and "horario", "avaliacoes" and "avaliacao", "agendar", "agendei" and "agendamento" meet;
/// "barba" and "barbeiro" do not.
#[must_use]
pub fn stem(word: &str) -> String {
    if word.len() <= 3 || !word.is_ascii() || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.to_owned();
    }
    let singular = singular(word);
    let bare = strip(&singular, NOUN_ENDINGS, 3)
        .or_else(|| strip(&singular, VERB_ENDINGS, 3))
        .unwrap_or_else(|| singular.clone());
    let vowel_off = bare.strip_suffix(['a', 'e', 'o', 'i']).filter(|stem| stem.len() >= 3);
    vowel_off.map_or_else(|| bare.clone(), str::to_owned)
}

fn singular(word: &str) -> String {
    const RULES: [(&str, &str); 10] = [
        ("coes", "cao"),
        ("soes", "sao"),
        ("oes", "ao"),
        ("aes", "ao"),
        ("ais", "al"),
        ("eis", "el"),
        ("ois", "ol"),
        ("ns", "m"),
        ("res", "r"),
        ("zes", "z"),
    ];
    for (plural, single) in RULES {
        if let Some(stem) = word.strip_suffix(plural).filter(|stem| stem.len() >= 2) {
            return format!("{stem}{single}");
        }
    }
    let stem = word.strip_suffix('s').filter(|stem| stem.len() >= 3 && !stem.ends_with('s'));
    stem.map_or_else(|| word.to_owned(), str::to_owned)
}

const NOUN_ENDINGS: &[&str] =
    &["izacao", "amento", "imento", "acao", "icao", "ucao", "mente", "idade", "adora", "ador", "agem", "inho", "inha"];

const VERB_ENDINGS: &[&str] = &[
    "ariamos", "eriamos", "assem", "ando", "endo", "indo", "aram", "eram", "iram", "avam", "ava", "aria", "eria",
    "arei", "erei", "irei", "amos", "emos", "imos", "ado", "ada", "ido", "ida", "ou", "ei", "am", "em", "ar", "er",
    "ir", "io", "ia",
];

fn strip(word: &str, endings: &[&str], least: usize) -> Option<String> {
    let stem = endings.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= least))?;
    Some(stem.to_owned())
}

/// Generic words of a front desk that mean one thing; the first of each row stands for all. Given as stems.
fn synonym(stem: String) -> String {
    for row in SYNONYMS {
        if let [head, rest @ ..] = *row
            && rest.contains(&stem.as_str())
        {
            return (*head).to_owned();
        }
    }
    stem
}

const SYNONYMS: &[&[&str]] = &[
    &["estacion", "vag", "vagas", "garag", "parking", "park", "estacionamento"],
    &["pag", "pix", "carta", "cartao", "dinheir", "credit", "debit", "parcel", "payment", "card", "cash", "pagamento"],
    &[
        "fic",
        "enderec",
        "localiz",
        "local",
        "localizacao",
        "ond",
        "onde",
        "address",
        "located",
        "location",
        "chegar",
        "cheg",
        "situ",
        "ru",
    ],
    &["crianc", "infantil", "filh", "kid", "bebe", "menin", "child", "children"],
    &["cancel", "desmarc", "desist"],
    &["remarc", "reagend", "adi"],
    &["atras", "tolerancia", "toleranc", "late"],
    &["prec", "cust", "valor", "val", "quant", "price", "cost"],
    &["wifi", "wif", "wi", "fi", "internet"],
    &["conveni", "plan", "segur", "unimed"],
    &["hor", "horari", "func", "abr", "fech"],
    &["prod", "produt", "pomad", "shampo", "vend", "product"],
    &["caf", "cervej", "bebid", "coffee"],
];

/// True for words that tell nothing about a subject, Portuguese and English, folded.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.iter().copied().collect());
    WORDS.contains(word)
}

const STOP_WORDS: &[&str] = &[
    "a",
    "o",
    "as",
    "os",
    "um",
    "uma",
    "uns",
    "umas",
    "de",
    "do",
    "da",
    "dos",
    "das",
    "em",
    "no",
    "na",
    "nos",
    "nas",
    "ao",
    "aos",
    "por",
    "pelo",
    "pela",
    "para",
    "pra",
    "pro",
    "com",
    "sem",
    "e",
    "ou",
    "que",
    "q",
    "se",
    "mas",
    "como",
    "mais",
    "menos",
    "muito",
    "ja",
    "nao",
    "n",
    "sim",
    "eu",
    "tu",
    "ele",
    "ela",
    "nos",
    "voces",
    "voce",
    "vc",
    "vcs",
    "eles",
    "elas",
    "me",
    "te",
    "lhe",
    "meu",
    "minha",
    "meus",
    "minhas",
    "seu",
    "sua",
    "seus",
    "suas",
    "esse",
    "essa",
    "isso",
    "este",
    "esta",
    "isto",
    "aquele",
    "aquela",
    "ai",
    "la",
    "aqui",
    "ali",
    "tem",
    "ter",
    "tenho",
    "teria",
    "ha",
    "foi",
    "ser",
    "sao",
    "era",
    "estou",
    "estao",
    "ta",
    "to",
    "tao",
    "eh",
    "pode",
    "posso",
    "poderia",
    "podem",
    "quero",
    "queria",
    "gostaria",
    "saber",
    "sobre",
    "favor",
    "oi",
    "ola",
    "bom",
    "boa",
    "dia",
    "tarde",
    "noite",
    "obrigado",
    "obrigada",
    "qual",
    "quais",
    "quem",
    "quando",
    "algum",
    "alguma",
    "tambem",
    "tbm",
    "so",
    "ate",
    "entao",
    "depois",
    "antes",
    "vou",
    "vai",
    "vamos",
    "ir",
    "fazer",
    "faz",
    "fazem",
    "dar",
    "the",
    "an",
    "of",
    "to",
    "in",
    "on",
    "at",
    "is",
    "are",
    "do",
    "does",
    "you",
    "your",
    "i",
    "my",
    "we",
    "and",
    "or",
    "for",
    "with",
    "it",
    "there",
    "have",
    "has",
    "can",
    "what",
    "where",
    "how",
    "when",
    "please",
    "be",
    "this",
    "that",
    "hi",
    "hello",
    "any",
    "me",
    "diz",
    "aproveita",
    "por",
    "existe",
    "la",
];

#[cfg(test)]
#[path = "search_tests.rs"]
mod tests;
