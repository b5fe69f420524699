//! Answers that agree by the build of their clause, whatever its idiom or its verb: a permission before an order ("pode mandar
//! bala"), a choice of what was shown ("vai ser esse"), and a verb of putting with the customer as its object ("pode botar meu
//! nome"). Each function gives the count of tokens; what the clause agrees to is for [`super`] to say.

use super::words::{APPOINTMENT, FILLER, GREETINGS, LATER, LEADS, PERMISSIONS, PLEASE, SALUTATIONS, THANKS, YES};
use crate::{
    dates::weekday_named,
    normalize::{Token, TokenKind, phrase_at, text_at},
};

/// What leads to a choice in the future: "vou querer", "vai ser", "bora".
const FUTURE: &[&str] = &["vou", "vai", "vamos", "vamo", "bora", "simbora"];

/// Verbs of choosing behind [`FUTURE`].
const TO_CHOOSE: &[&str] =
    &["ser", "querer", "ficar", "ficar com", "aceitar", "escolher", "pegar", "preferir", "ir", "com", "de"];

/// Verbs of choosing by themselves.
const CHOOSE: &[&str] = &[
    "quero",
    "fica",
    "fico",
    "fico com",
    "ficamos com",
    "aceito",
    "escolho",
    "pego",
    "prefiro",
    "i ' ll take",
    "i ' ll go with",
    "i will take",
    "lets go with",
    "let ' s go with",
    "go with",
];

/// What points to something that was shown. "Esta" is left out, because it is also "está".
const SHOWN: &[&str] = &["esse", "essa", "este", "that", "this", "that one", "this one", "it"];

/// The same with its preposition, so that "vou" and "vamos" need no other verb.
const IN_SHOWN: &[&str] = &["nesse", "nessa", "neste", "nesta", "nisso", "desse", "dessa"];

/// Nouns that may follow what points.
const NOUNS: &[&str] = &["horario", "hora", "dia", "data", "vaga"];

/// Infinitives of putting a name down for something.
const TO_PUT: &[&str] = &[
    "botar",
    "colocar",
    "anotar",
    "registrar",
    "incluir",
    "inserir",
    "inscrever",
    "adicionar",
    "segurar",
    "guardar",
    "separar",
];

/// Orders of the same verbs that no rule of spelling leads to.
const PUT: &[&str] = &["poe", "ponha", "inclua", "insira", "inscreva"];

/// Objects of a verb of putting or booking: the customer, or what was shown.
const OBJECTS: &[&str] = &[
    "meu nome",
    "o meu nome",
    "no meu nome",
    "em meu nome",
    "me",
    "eu",
    "pra mim",
    "para mim",
    "esse",
    "essa",
    "este",
    "na agenda",
];

/// Finds a permission before an idiom of agreement: "pode mandar bala" permits what "manda bala" orders.
pub(super) fn permitted_idiom(tokens: &[Token], index: usize) -> Option<usize> {
    let lead = phrase_at(tokens, index, LEADS)?;
    let verb = index.saturating_add(lead);
    let order = order_of(text_at(tokens, verb))?;
    let rest = |phrase: &&str| {
        let (first, rest) = phrase.split_once(' ')?;
        if first == order { phrase_at(tokens, verb.saturating_add(1), &[rest]) } else { None }
    };
    let rest = YES.iter().filter_map(rest).max()?;
    Some(lead.saturating_add(1).saturating_add(rest))
}

/// Finds a choice of what was shown: "vai ser esse horário", "vamos nessa", "fico com esse". "Vai nessa" mocks, and chooses nothing.
pub(super) fn choice(tokens: &[Token], index: usize) -> Option<usize> {
    let shown = |from: usize, phrases: &[&str]| {
        let end = from.saturating_add(phrase_at(tokens, from, phrases)?);
        Some(end.saturating_add(phrase_at(tokens, end, NOUNS).unwrap_or(0)))
    };
    let any = |from: usize| shown(from, SHOWN).or_else(|| shown(from, IN_SHOWN));
    // "Esse mesmo" points, and says that it is the one.
    let same = |end: &usize| ["mesmo", "mesma", "msm", "ai"].contains(&text_at(tokens, *end));
    // "Vou querer" chooses what was offered if nothing else follows.
    let ends = |end: &usize| {
        let rest = tokens.get(*end);
        rest.is_none_or(|token| token.kind == TokenKind::Mark || ["sim", "s"].contains(&token.text.as_str()))
    };
    let end = if let Some(pointed) = shown(index, SHOWN).filter(same) {
        Some(pointed.saturating_add(1))
    } else if let Some(future) = phrase_at(tokens, index, FUTURE) {
        let verb = index.saturating_add(future);
        match phrase_at(tokens, verb, TO_CHOOSE) {
            Some(len) => {
                let end = verb.saturating_add(len);
                let wants = ["querer", "aceitar"].contains(&text_at(tokens, verb));
                any(end).or_else(|| Some(end).filter(|end| wants && ends(end)))
            }
            None if text_at(tokens, index) == "vai" => None,
            None => shown(verb, IN_SHOWN),
        }
    } else {
        any(index.saturating_add(phrase_at(tokens, index, CHOOSE)?))
    }?;
    Some(end.saturating_sub(index))
}

/// Finds a permission or an order to put the customer down: "pode anotar", "põe meu nome aí". An order needs an object, because "segura
/// aí" asks to wait; and "quero anotar" tells what the customer would do.
pub(super) fn put_down(tokens: &[Token], index: usize) -> Option<usize> {
    let lead = phrase_at(tokens, index, LEADS).unwrap_or(0);
    let word = text_at(tokens, index.saturating_add(lead));
    let is_order = PUT.contains(&word) || order_is_of(word, TO_PUT);
    let is_put = is_order || lead > 0 && (TO_PUT.contains(&word) || gerund_is_of(word, TO_PUT));
    let permitted = lead > 0 && PERMISSIONS.contains(&text_at(tokens, index));
    let own = ["quero", "queria", "i"].contains(&text_at(tokens, index));
    let verb = lead.saturating_add(1);
    let object = objects(tokens, index.saturating_add(verb));
    let before = index.checked_sub(1).map_or("", |before| text_at(tokens, before));
    (is_put && !own && (permitted || object > 0 || before == "me")).then(|| verb.saturating_add(object))
}

/// The count of tokens up to the last object of a verb of putting or booking: "aí meu nome", "nesse horário". Courtesy may stand before
/// an object.
pub(super) fn objects(tokens: &[Token], from: usize) -> usize {
    let (mut end, mut seen) = (from, from);
    loop {
        let object = [OBJECTS, IN_SHOWN].iter().filter_map(|list| phrase_at(tokens, seen, list)).max();
        let Some(len) = object.or_else(|| phrase_at(tokens, seen, FILLER)) else { break };
        seen = seen.saturating_add(len);
        if object.is_some() {
            seen = seen.saturating_add(phrase_at(tokens, seen, NOUNS).unwrap_or(0));
            end = seen;
        }
    }
    end.saturating_sub(from)
}

/// Verbs before the going that a customer denies: "vou", "posso ir", "vou conseguir ir".
const ABLE: &[&str] =
    &["vou", "posso", "consigo", "poderei", "conseguirei", "poder", "conseguir", "vai dar", "da", "vai", "dar"];

/// Verbs of coming to a visit.
const TO_COME: &[&str] = &["ir", "vir", "comparecer", "aparecer", "estar", "chegar"];

/// Finds the denial that the customer comes: "não vou poder ir", "não consigo ir". It gives the reason of a cancellation. A denial of
/// any other act is a refusal: "não vou cancelar".
pub(super) fn denied_coming(tokens: &[Token], index: usize) -> Option<usize> {
    let joined = phrase_at(tokens, index, &["que", "porque", "pq", "pois"]).unwrap_or(0);
    let mut len = joined.saturating_add(phrase_at(tokens, index.saturating_add(joined), &["nao", "n"])?);
    let able = len;
    while let Some(more) = phrase_at(tokens, index.saturating_add(len), ABLE) {
        len = len.saturating_add(more);
    }
    if len == able {
        return None;
    }
    let next = index.saturating_add(len);
    let comes = phrase_at(tokens, next, &["mais"]).unwrap_or(0);
    let next = next.saturating_add(comes);
    let to = phrase_at(tokens, next, &["pra", "para"]).unwrap_or(0);
    match phrase_at(tokens, next.saturating_add(to), TO_COME) {
        Some(come) => Some(len.saturating_add(comes).saturating_add(to).saturating_add(come)),
        None => tokens.get(next).is_none_or(|token| token.kind == TokenKind::Mark).then_some(len.saturating_add(comes)),
    }
}

/// Whether a word of agreement is the first person of a regular verb: "confirmo", because "confirmar" agrees, too. "Combinado" is none.
fn is_first_person(word: &str) -> bool {
    word.strip_suffix('o').is_some_and(|stem| YES.contains(&format!("{stem}ar").as_str()))
}

/// Verbs of the first person that say what one will decide, answer or ask for first, in addition to those of agreement: "aviso".
const DECIDING: &[&str] = &[
    "aviso", "falo", "digo", "retorno", "respondo", "decido", "resolvo", "vejo", "ligo", "volto", "penso", "mando",
    "chamo",
];

/// Infinitives of these verbs behind "vou".
const TO_DECIDE: &[&str] = &[
    "confirmar",
    "avisar",
    "falar",
    "dizer",
    "retornar",
    "responder",
    "decidir",
    "resolver",
    "ver",
    "ligar",
    "pensar",
    "pedir",
    "perguntar",
    "conversar",
    "combinar",
    "checar",
    "conferir",
    "consultar",
    "verificar",
    "esperar",
    "olhar",
    "ask",
    "check",
    "think",
    "talk",
    "see",
    "confirm",
    "decide",
];

/// What leads to an act that the customer does first.
const OWN_ACTS: &[&str] = &[
    "vou",
    "vamos",
    "preciso",
    "tenho que",
    "tenho de",
    "deixa eu",
    "deixe eu",
    "i ' ll",
    "i will",
    "i have to",
    "i need to",
    "let me",
];

/// Pronouns and the like between a day and the verb of who acts on that day.
const PRONOUNS: &[&str] = &["eu", "te", "lhe", "vos", "ja", "me"];

/// Whether the word at `index` says when the customer will agree, and so agrees to nothing now: "amanhã eu confirmo", "depois te aviso",
/// "vou ver com ela". `is_when`: whether a token names a day, a time or a later moment.
pub(crate) fn puts_off(tokens: &[Token], index: usize, is_when: impl Fn(usize) -> bool) -> bool {
    let word = text_at(tokens, index);
    if let Some(len) = phrase_at(tokens, index, OWN_ACTS) {
        let verb = index.saturating_add(len);
        let verb = verb.saturating_add(usize::from(PRONOUNS.contains(&text_at(tokens, verb))));
        return TO_DECIDE.contains(&text_at(tokens, verb));
    }
    if !is_first_person(word) && !DECIDING.contains(&word) {
        return false;
    }
    let before = (0..index).rev().find(|index| !PRONOUNS.contains(&text_at(tokens, *index)));
    let next = index.saturating_add(1);
    let is_later = phrase_at(tokens, next, LATER).is_some();
    before.is_some_and(&is_when) || (is_later || !is_first_person(word)) && tokens.get(next).is_some() && is_when(next)
}

/// Whether an act of the customer's own begins at `index`: "vou pedir", "preciso falar".
pub(crate) fn is_own_act(tokens: &[Token], index: usize) -> bool {
    let verb = |at: usize| {
        let word = text_at(tokens, at);
        word.len() >= 3 && ["ar", "er", "ir"].iter().any(|ending| word.ends_with(ending)) && !TO_CHOOSE.contains(&word)
    };
    phrase_at(tokens, index, OWN_ACTS).is_some_and(|len| verb(index.saturating_add(len)))
}

/// "Fecha sexta às 15h": without its mark it may ask when the house closes.
pub(crate) fn may_ask_for_hours(tokens: &[Token], index: usize) -> bool {
    let next = index.saturating_add(1);
    let small = ["as", "a", "no", "na", "dia", "hoje", "amanha", "de", "que"].contains(&text_at(tokens, next));
    let is_when = small
        || tokens.get(next).is_some_and(|token| token.kind == TokenKind::Number)
        || weekday_named(text_at(tokens, next)).is_some();
    ["fecha", "close", "closes"].contains(&text_at(tokens, index)) && is_when
}

/// So many marks may stand between a salutation and a question how we are.
const MARKS_BETWEEN: usize = 8;

/// The words of the longest salutation.
const LONGEST_SALUTATION: usize = 3;

/// Finds a question how we are behind a salutation, with or without its mark: "oi, tudo bem". It agrees to nothing.
pub(super) fn asked_how_we_are(tokens: &[Token], index: usize) -> Option<usize> {
    let is_mark = |at: usize| tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark);
    let behind =
        (index.saturating_sub(MARKS_BETWEEN)..=index).rev().find(|at| at.checked_sub(1).is_none_or(|at| !is_mark(at)));
    let greets = behind.is_some_and(|behind| {
        (behind.saturating_sub(LONGEST_SALUTATION)..behind)
            .any(|start| phrase_at(tokens, start, SALUTATIONS).is_some_and(|len| start.saturating_add(len) == behind))
    });
    phrase_at(tokens, index, GREETINGS).filter(|_| greets)
}

/// Finds words by which a customer takes the visit that is offered: "deixa marcado", "vou sim". To another question the first refuses,
/// and the second may say that they come.
pub(super) fn takes_visit(tokens: &[Token], index: usize) -> Option<usize> {
    const TAKING: &[&str] = &[
        "vou sim",
        "consigo sim",
        "posso sim",
        "deixa marcado",
        "deixe marcado",
        "deixa agendado",
        "deixe agendado",
        "deixa reservado",
        "deixe reservado",
    ];
    phrase_at(tokens, index, TAKING)
}

/// Finds an order to send something, which agrees only as its idiom: "manda ver" and "manda" agree, "me manda" and "manda o horário" ask for it.
/// `reminds`: whether a reminder was asked about, which is sent.
pub(super) fn asks_to_send(tokens: &[Token], index: usize, reminds: bool) -> Option<usize> {
    const SENDING: &[&str] = &["pode mandar", "manda", "mande", "segue"];
    let len = phrase_at(tokens, index, SENDING)?;
    let next = index.saturating_add(len);
    let goes_on = [YES, PLEASE, THANKS, &["ver", "bala", "brasa", "ai", "entao"]]
        .iter()
        .any(|list| phrase_at(tokens, next, list).is_some());
    let has_object = tokens.get(next).is_some_and(|token| token.kind == TokenKind::Word) && !goes_on;
    // A reminder is sent, so there only what else would be sent asks for another thing.
    let of_another =
        [APPOINTMENT, &["tudo", "todos", "todas"]].iter().any(|list| phrase_at(tokens, next, list).is_some());
    let to_me = index.checked_sub(1).is_some_and(|before| text_at(tokens, before) == "me");
    let asks = if reminds { of_another } else { has_object || to_me };
    asks.then_some(len)
}

/// What an apology is for.
const APOLOGISED: &[&str] = &[
    "a demora",
    "o atraso",
    "o incomodo",
    "pela demora",
    "pelo atraso",
    "pelo incomodo",
    "a confusao",
    "pela confusao",
    "qualquer coisa",
];

/// Finds words that only keep company: laughter, an apology, joy, a form of address, a farewell. `ends`: whether the question would end a
/// visit, where "até sexta" and "estarei aí" keep it.
pub(super) fn courtesy_at(tokens: &[Token], index: usize, ends: bool) -> Option<usize> {
    const APOLOGIES: &[&str] =
        &["desculpa", "desculpe", "desculpas", "perdao", "foi mal", "sorry", "infelizmente", "unfortunately"];
    const JOY: &[&str] = &["que bom", "que otimo", "que legal", "que maravilha", "que massa", "que show", "how nice"];
    const ADDRESSES: &[&str] = &[
        "amor", "anjo", "flor", "lindo", "linda", "patrao", "mestre", "brother", "bro", "man", "velho", "mana", "rei",
    ];
    const FAREWELLS: &[&str] = &[
        "tchau",
        "abraco",
        "abracos",
        "abs",
        "beijo",
        "beijos",
        "bjs",
        "bj",
        "bye",
        "ate logo",
        "ate mais",
        "ate breve",
    ];
    const PRESENCE: &[&str] = &[
        "ate la",
        "ate entao",
        "te vejo la",
        "nos vemos",
        "nos vemos la",
        "estarei ai",
        "estarei la",
        "vou estar ai",
        "vou estar la",
        "to ai",
        "que eu vou",
        "see you",
        "see you there",
        "see you then",
        "see ya",
    ];
    let after = |lead: usize, list: &[&str]| {
        lead.saturating_add(phrase_at(tokens, index.saturating_add(lead), list).unwrap_or(0))
    };
    if let Some(len) = phrase_at(tokens, index, APOLOGIES) {
        return Some(after(len, APOLOGISED));
    }
    if let Some(len) = phrase_at(tokens, index, PRESENCE) {
        return (!ends).then_some(len);
    }
    let own = usize::from(["meu", "minha"].contains(&text_at(tokens, index)));
    let address = index.saturating_add(own);
    let fond = ["querido", "querida", "amigo", "amiga", "chefe", "irmao", "parceiro", "consagrado", "bem"];
    if phrase_at(tokens, address, ADDRESSES).is_some() || own == 1 && fond.contains(&text_at(tokens, address)) {
        return Some(own.saturating_add(1));
    }
    phrase_at(tokens, index, JOY)
        .or_else(|| phrase_at(tokens, index, FAREWELLS))
        .or_else(|| is_laughter(text_at(tokens, index)).then_some(1))
}

/// Whether a word laughs: "kkk", "rs", "hahaha".
fn is_laughter(word: &str) -> bool {
    let all = |letters: &[char]| word.chars().all(|letter| letters.contains(&letter));
    let has = |letter: char| word.contains(letter);
    ["k", "kk", "rs", "rsrs", "haha", "hehe", "lol"].contains(&word)
        || word.len() >= 2 && (all(&['k']) || all(&['r', 's']) && has('r') && has('s'))
        || word.len() >= 3
            && has('h')
            && (all(&['h', 'a']) || all(&['h', 'e']) || all(&['h', 'u', 'e']) || all(&['h', 'u', 'a']))
}

/// What leaves a thing as it is behind "deixar".
const AS_IT_IS: &[&str] = &["assim", "como esta", "como ta", "do jeito", "quieto", "pra la", "para la"];

/// Finds words that only look like agreement: "pode deixar assim" leaves what is, "já vou com o Wesley" tells what is so, and "isso é com
/// o Wesley" says whose affair it is.
pub(super) fn told_of_what_is(tokens: &[Token], index: usize) -> Option<usize> {
    let lead = phrase_at(tokens, index, PERMISSIONS).unwrap_or(0);
    let left = index.saturating_add(lead);
    if ["deixar", "deixa", "deixe"].contains(&text_at(tokens, left)) && lead > 0 {
        let rest = phrase_at(tokens, left.saturating_add(1), AS_IT_IS)?;
        return Some(lead.saturating_add(1).saturating_add(rest));
    }
    let next = index.saturating_add(1);
    // "Já é" agrees only by itself.
    if text_at(tokens, index) == "ja" && ["e", "eh"].contains(&text_at(tokens, next)) {
        let says_more = tokens.get(next.saturating_add(1)).is_some_and(|token| token.kind != TokenKind::Mark);
        return says_more.then_some(2);
    }
    if text_at(tokens, index) == "ja" && choice(tokens, next).is_none() {
        return phrase_at(tokens, next, &["vou", "fico", "tenho", "to", "estou", "i ' m"])
            .map(|len| len.saturating_add(1));
    }
    let is = ["e", "eh"].contains(&text_at(tokens, next)) && !text_at(tokens, next.saturating_add(1)).is_empty();
    (text_at(tokens, index) == "isso" && is).then_some(2)
}

/// Words of agreement behind "já" that report what is so, and wish nothing: "já tá marcado", "já fechou".
pub(super) fn told_as_done(tokens: &[Token], index: usize, done: &[&[&str]]) -> Option<usize> {
    let next = index.saturating_add(1);
    let is_told = text_at(tokens, index) == "ja" && phrase_at(tokens, next, LEADS).is_none();
    let len = done.iter().find_map(|phrases| phrase_at(tokens, next, phrases))?;
    is_told.then(|| len.saturating_add(1))
}

/// The infinitive of a gerund: "marcar" of "marcando".
pub(super) fn infinitive_of(gerund: &str) -> Option<String> {
    gerund.strip_suffix("ndo").map(|stem| format!("{stem}r"))
}

/// The order of an infinitive or a gerund: "manda" of "mandar" and "mandando".
fn order_of(verb: &str) -> Option<&str> {
    verb.strip_suffix("ndo").or_else(|| verb.strip_suffix('r'))
}

fn gerund_is_of(word: &str, infinitives: &[&str]) -> bool {
    infinitive_of(word).is_some_and(|infinitive| infinitives.contains(&infinitive.as_str()))
}

/// Whether a word orders one of the verbs: "anota" and "anote" of "anotar", "coloque" of "colocar", "inclui" of "incluir".
fn order_is_of(word: &str, infinitives: &[&str]) -> bool {
    let is_order = |infinitive: &&str| {
        let Some(stem) = infinitive.strip_suffix("ar") else { return infinitive.strip_suffix('r') == Some(word) };
        let formal = stem.strip_suffix('c').map_or_else(|| format!("{stem}e"), |stem| format!("{stem}que"));
        word.strip_suffix('a') == Some(stem) || word == formal
    };
    infinitives.iter().any(is_order)
}
