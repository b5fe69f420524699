//! Another act than those on offer, on an object that is known: "pintar o cabelo" where hair is cut, "corte de unha" where
//! it is hair that is cut.
//!
//! Two rules. An object (hair, beard, nails) that a verb or noun governs is meant for that act, unless the act is one of
//! everyday ("fazer", "dar um trato") or is itself in a service's name. An act of a service's name that "de" ties to a
//! thing which no service is called by is an act on that thing.

use balcao_language::{Token, TokenKind, find_dates, find_times, search::is_stop_word, search::stem, tokens};

use super::{MEANINGS, same_word};

/// Something that no service is called by; the tools may know it under an alias.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherAct {
    /// The customer's words: "luzes no cabelo".
    pub said: String,
    /// The word that no service has, verbs in the infinitive: "luzes", "pintar".
    pub key: String,
    /// Where the words begin and end in the text, in bytes.
    pub span: (usize, usize),
}

/// Body and object words: what an act is done to.
const OBJECTS: &[&str] = &[
    "cabelo",
    "cabelos",
    "cabelinho",
    "barba",
    "bigode",
    "sobrancelha",
    "sobrancelhas",
    "unha",
    "unhas",
    "pele",
    "rosto",
    "cilios",
    "dente",
    "dentes",
    "hair",
    "beard",
    "eyebrows",
    "nails",
];

/// Acts of everyday that leave open what is done, or that every front desk hears. Compared by stem.
const EVERYDAY_ACTS: &[&str] = &[
    "fazer",
    "refazer",
    "dar",
    "cortar",
    "aparar",
    "raspar",
    "tirar",
    "arrumar",
    "ajeitar",
    "acertar",
    "alinhar",
    "ajustar",
    "cuidar",
    "caprichar",
    "renovar",
    "melhorar",
    "mudar",
    "baixar",
    "diminuir",
    "desenhar",
    "modelar",
    "marcar",
    "agendar",
    "reservar",
    "remarcar",
    "cancelar",
    "desmarcar",
    "confirmar",
    "encaixar",
    "incluir",
    "adicionar",
    "colocar",
    "botar",
    "trocar",
    "passar",
    "deixar",
    "manter",
    "pagar",
    "saber",
    "ver",
    "querer",
    "gostar",
    "precisar",
    "poder",
    "aproveitar",
    "tratar",
    "trato",
    "tapa",
    "jeito",
    "grau",
    "talento",
    "geral",
    "corte",
    "horario",
    "hora",
    "vaga",
    "servico",
    "preco",
    "valor",
    "combo",
    "pacote",
    "depois",
    "alem",
    "antes",
    "vez",
    "lugar",
    "parte",
    "dia",
    "caso",
    "tipo",
    "quanto",
    "custar",
    "ficar",
    "sair",
    "cobrar",
    "outro",
    "mesmo",
    "tambem",
    "homem",
    "mulher",
    "cut",
    "trim",
    "get",
    "have",
    "with",
    "need",
    "want",
    "shave",
];

/// What "de" ties to an act without changing it.
const EVERYDAY_THINGS: &[&str] = &[
    "rotina",
    "sempre",
    "costume",
    "novo",
    "urgencia",
    "emergencia",
    "volta",
    "avaliacao",
    "acompanhamento",
    "homem",
    "mulher",
    "adulto",
    "casal",
    "graca",
    "preferencia",
    "antemao",
    "uma",
    "duas",
    "tres",
    "quem",
    "voces",
    "vcs",
    "manha",
    "tarde",
    "noite",
    "casamento",
    "boa",
    "verdade",
    "repente",
    "cabelo",
    "cabelos",
    "hair",
];

const DETERMINERS: &[&str] =
    &["o", "a", "os", "as", "meu", "minha", "meus", "minhas", "seu", "sua", "um", "uma", "my", "the", "his", "her"];
const LINKS: &[&str] = &["no", "na", "nos", "nas", "do", "da", "dos", "das", "de"];

/// The other act of a text, if it names one. `names` are the significant words of the services' names.
pub(super) fn find(text: &str, names: &[Vec<String>]) -> Option<OtherAct> {
    if names.is_empty() {
        return None;
    }
    let all = tokens(text);
    let known = Known { text, names };
    (0..all.len()).find_map(|index| {
        let (from, key, to) = known.act_on(&all, index).or_else(|| known.thing_of(&all, index))?;
        let span = (all.get(from)?.start, all.get(to)?.end);
        let said = text.get(span.0..span.1)?.to_owned();
        Some(OtherAct { said, key: infinitive(&all.get(key)?.text), span })
    })
}

struct Known<'a> {
    text: &'a str,
    names: &'a [Vec<String>],
}

impl Known<'_> {
    /// The act that governs the object at `index`: where it stands, itself again as the key, and the object.
    fn act_on(&self, all: &[Token], index: usize) -> Option<(usize, usize, usize)> {
        let object = all.get(index).filter(|token| OBJECTS.contains(&token.text.as_str()))?;
        let mut at = index.checked_sub(1)?;
        let word = |at: usize| all.get(at).map_or("", |token| token.text.as_str());
        while DETERMINERS.contains(&word(at)) {
            at = at.checked_sub(1)?;
        }
        let determined = at.saturating_add(1) < index;
        let linked = LINKS.contains(&word(at));
        if linked {
            at = at.checked_sub(1)?;
        }
        let english = ["hair", "beard", "eyebrows", "nails"].contains(&object.text.as_str());
        let told = linked && PAST_ENDINGS.iter().any(|ending| word(at).ends_with(ending));
        let verb = VERB_ENDINGS.iter().any(|ending| word(at).ends_with(ending)) || english && determined;
        (!told && (linked || verb) && self.is_foreign(all.get(at)?, EVERYDAY_ACTS)).then_some((at, at, index))
    }

    /// The thing that "de" ties to an act of a service's name at `index`.
    fn thing_of(&self, all: &[Token], index: usize) -> Option<(usize, usize, usize)> {
        let act = all.get(index)?;
        let link = all.get(index.saturating_add(1))?.text.as_str();
        let at = index.saturating_add(2);
        let thing = all.get(at)?;
        let tied = link == "de" || ["da", "das", "do", "dos"].contains(&link) && OBJECTS.contains(&thing.text.as_str());
        let is_act = self.in_a_name(act) && !OBJECTS.contains(&act.text.as_str());
        (tied && is_act && self.is_foreign(thing, EVERYDAY_THINGS)).then_some((index, at, at))
    }

    fn is_foreign(&self, token: &Token, everyday: &[&str]) -> bool {
        let word = token.text.as_str();
        let stemmed = stem(word);
        let usual = everyday.iter().any(|one| *one == word || stem(one) == stemmed);
        // "Cotar o cabelo" is misspelt.
        let nearly = ["cortar", "aparar", "fazer"].iter().any(|one| strsim::osa_distance(one, word) <= 1);
        let when = || {
            let covers = |start: usize, end: usize| start <= token.start && token.start < end;
            let today = jiff::civil::date(2026, 1, 1); // only where dates stand matters
            find_dates(self.text, today).iter().any(|found| covers(found.start, found.end))
                || find_times(self.text).iter().any(|found| covers(found.start, found.end))
        };
        token.kind == TokenKind::Word
            && word.len() >= 3
            && !usual
            && !nearly
            && !is_stop_word(word)
            && !self.in_a_name(token)
            && !when()
    }

    /// True if a service is called by the word, in its own words or in a customer's.
    fn in_a_name(&self, token: &Token) -> bool {
        let heard = balcao_language::search_tokens(&token.text);
        let mut names = self.names.iter().flatten();
        let meant = |word: &String| {
            let mut meanings = MEANINGS.iter().filter(|(said, _)| *said == token.text);
            meanings.any(|(_, means)| balcao_language::search_tokens(means).contains(word))
        };
        names.any(|name| meant(name) || heard.iter().any(|heard| same_word(heard, name)))
    }
}

/// How Portuguese verbs end that ask for something to be done: "pintar", "pintam", "pintando".
const VERB_ENDINGS: &[&str] = &["ar", "er", "ir", "am", "em", "ando", "endo"];

/// How verbs end that tell what happened: "reparou na minha barba".
const PAST_ENDINGS: &[&str] = &["ou", "eu", "iu", "ei"];

/// "Pintam", "pintando" as services are called: "pintar". Other words as they are.
fn infinitive(word: &str) -> String {
    let endings = [("ando", "ar"), ("endo", "er"), ("am", "ar"), ("em", "er")];
    let found = endings.iter().find_map(|(said, bare)| Some(format!("{}{bare}", word.strip_suffix(said)?)));
    found.unwrap_or_else(|| word.to_owned())
}

/// True if a text names what an act is done to.
pub(crate) fn names_object(text: &str) -> bool {
    tokens(text).iter().any(|token| OBJECTS.contains(&token.text.as_str()))
}
