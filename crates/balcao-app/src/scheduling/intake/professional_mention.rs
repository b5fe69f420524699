//! Finds the professional that a text means: by code, by name or part of it, by a choice between several, or by a yes to our question.

use std::ops::Range;

use balcao_domain::ProfessionalId;
use balcao_domain::professional::Professional;
use balcao_language::names::sound;
use balcao_language::{
    Agreement, Candidate, NameMatch, agreement, contains_word, is_relative, match_name, normalize, weekday_named,
};

/// Words before a name by which a customer changes to another professional.
const TOWARDS: [&str; 10] = ["com", "with", "para", "cm", "c", "pelo", "pela", "pro", "pra", "prof"];
/// Words that can only introduce the professional who serves, so a name behind them may be misspelt.
const WITH: [&str; 2] = ["com", "with"];
/// Words before a name that express a preference: "melhor o Otávio", "pode ser o Wesley".
const PREFERRING: [&str; 14] = [
    "prefiro", "preferia", "prefere", "melhor", "quero", "queria", "ser", "seja", "troca", "trocar", "muda", "mudar",
    "prefer", "rather",
];
/// Words that may stand between these and the name.
const BETWEEN: [&str; 13] =
    ["o", "a", "dr", "dra", "doutor", "doutora", "doctor", "the", "sr", "sra", "seu", "dona", "mesmo"];
/// Words before the name of the writer or of the person who comes, as relatives do: "sou o Saulo", "meu filho Saulo".
const INTRODUCING: [&str; 6] = ["sou", "chamo", "chama", "nome", "am", "name"];
/// What may stand beside a name in a message that is nothing but a choice: "otavio entao, sexta as 10".
const BESIDE: [&str; 64] = [
    "e", "ou", "or", "and", "entao", "nao", "sim", "na", "no", "verdade", "pode", "poderia", "eu", "mas", "so", "se",
    "for", "possivel", "por", "favor", "pf", "pfv", "pfvr", "please", "tem", "teria", "horario", "horarios", "vaga",
    "livre", "atende", "as", "aos", "h", "hr", "hrs", "hora", "horas", "hoje", "amanha", "depois", "de", "da", "do",
    "manha", "tarde", "noite", "dia", "em", "vez", "ao", "inves", "agora", "oi", "ola", "bom", "boa", "vc", "vcs",
    "voces", "nesse", "esse", "tb", "tambem",
];
/// Titles and particles: they belong to many names, so they identify no professional.
const NO_PARTS: [&str; 12] =
    ["dra", "doutor", "doutora", "doctor", "dos", "das", "sra", "prof", "professor", "professora", "neto", "filho"];
/// Shortest part of a name that can identify a professional, in characters.
const PART: usize = 3;
/// A shorter word is not taken for a misspelt name.
const MISSPELT: usize = 4;

/// What is known when a text is heard.
#[derive(Debug, Clone, Copy)]
pub(super) struct MentionContext {
    /// The conversation has a professional, so a name in passing is not enough: it may be the customer's own.
    pub(super) known: bool,
    /// A name was asked for: one without a word of choice answers that.
    pub(super) named: bool,
}

/// The professionals that a text means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mention {
    /// None, or none with certainty.
    Nobody,
    /// Exactly one.
    One(ProfessionalId),
    /// Several: a choice that is left open, or a name that several bear.
    Several(Vec<ProfessionalId>),
}

/// Finds the professionals that a folded text means: code before name.
pub(super) fn find_mention(active: &[Professional], said: &str, hearing: MentionContext) -> Mention {
    let codes = active.iter().filter(|one| one.code.as_ref().is_some_and(|code| has_code(said, code)));
    if let [one] = codes.map(|one| one.id).collect::<Vec<_>>().as_slice() {
        return Mention::One(*one);
    }
    let words = words_of(said);
    let mut found = spans(&words, active);
    let chooses = !hearing.named && only_names(&words, &found);
    let ends: Vec<usize> = found.iter().map(|one| one.at.end).collect();
    let unnamed = found.is_empty();
    found.retain(|one| counts(&words, one, &ends, chooses, hearing));
    let mut professionals: Vec<ProfessionalId> = found.iter().map(|one| one.professional).collect();
    professionals.sort_unstable();
    professionals.dedup();
    match professionals.as_slice() {
        [] if unnamed => match misspelt(active, &words) {
            Mention::Nobody => titled(active, &words),
            meant @ (Mention::One(_) | Mention::Several(_)) => meant,
        },
        [] => Mention::Nobody,
        [one] => Mention::One(*one),
        _ => Mention::Several(professionals),
    }
}

/// Returns the professional that our last question named, if the customer says yes to it: "Seria com a Íris?"
pub(super) fn agreed_to(active: &[Professional], ours: &str, said: &str) -> Option<ProfessionalId> {
    match named_in_question(active, ours).as_slice() {
        [one] if agreement(said) == Agreement::Yes => Some(*one),
        _ => None,
    }
}

/// Lists the professionals that our last question offered as a choice.
pub(super) fn offered(active: &[Professional], ours: &str) -> Vec<ProfessionalId> {
    Some(named_in_question(active, ours)).filter(|named| named.len() > 1).unwrap_or_default()
}

/// Returns `true` if our last question asked for a person's name.
pub(super) fn asks_for_a_name(ours: &str) -> bool {
    last_question(ours).is_some_and(|question| contains_word(question, "nome") || contains_word(question, "name"))
}

/// Returns `true` if our last question or request asked for a person's telephone number.
pub(crate) fn asks_for_a_number(ours: &str) -> bool {
    let has = |question: &str, words: &[&str]| words.iter().any(|word| contains_word(question, word));
    last_question(ours).is_some_and(|question| {
        has(question, &["telefone", "celular", "phone"])
            || (has(question, &["número", "number"]) && has(question, &["seu", "teu", "your"]))
    })
}

fn named_in_question(active: &[Professional], ours: &str) -> Vec<ProfessionalId> {
    let words = words_of(&normalize(last_question(ours).unwrap_or_default()));
    let mut named: Vec<ProfessionalId> =
        spans(&words, active).iter().filter(|one| one.whole).map(|one| one.professional).collect();
    named.sort_unstable();
    named.dedup();
    named
}

/// The last sentence of a text, if it asks.
fn last_question(text: &str) -> Option<&str> {
    let (before, _) = text.rsplit_once('?')?;
    let last = before.rsplit(['!', '?', '\n']).next()?;
    // "Dra. Ana" ends no sentence.
    let title = |before: &str| {
        let word = before.rsplit(' ').next().unwrap_or_default();
        ["Dr", "Dra", "Sr", "Sra", "Prof", "Profa"].contains(&word)
    };
    let ends = last.rmatch_indices(". ").find(|(at, _)| last.get(..*at).is_some_and(|before| !title(before)));
    ends.map_or(Some(last), |(at, stop)| last.get(at.saturating_add(stop.len())..))
}

/// A place in a text that holds the name of a professional.
struct Span {
    professional: ProfessionalId,
    at: Range<usize>,
    /// The whole name or an alias, and not a part of it.
    whole: bool,
    /// As it is written.
    exact: bool,
}

fn words_of(folded: &str) -> Vec<String> {
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// The names in these words; of names of which one is a part of the other, the longer.
fn spans(words: &[String], active: &[Professional]) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for one in active {
        for name in std::iter::once(&one.name).chain(&one.aliases) {
            let name = words_of(&normalize(name));
            let whole = words.windows(name.len().max(1)).enumerate().filter(|(_, window)| *window == name.as_slice());
            found.extend(whole.map(|(at, _)| Span {
                professional: one.id,
                at: at..at + name.len(),
                whole: true,
                exact: true,
            }));
            let part = |part: &&String| part.len() >= PART && !NO_PARTS.contains(&part.as_str());
            let same = |word: &String| name.iter().filter(part).any(|part| part == word);
            let alike = |word: &String| {
                word.len() >= PART && name.iter().filter(part).any(|part| part == word || sound(part) == sound(word))
            };
            // "Ana Luz" of "Ana Maria Luz": as many words as follow each other.
            for at in 0..words.len() {
                let run = words.iter().skip(at).take_while(|word| alike(word)).count();
                if run > 0 {
                    let exact = words.iter().skip(at).take(run).all(same);
                    found.push(Span { professional: one.id, at: at..at + run, whole: false, exact });
                }
            }
        }
    }
    let longer = |one: &Span| {
        let holds = |other: &Span| other.at.start <= one.at.start && one.at.end <= other.at.end;
        found.iter().any(|other| holds(other) && other.at.len() > one.at.len())
    };
    let kept: Vec<bool> = found.iter().map(|one| !longer(one)).collect();
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(true));
    found
}

/// Returns `true` if a name in a text expresses a wish for that professional. `ends` is where names end: "não" behind one denies that one.
fn counts(words: &[String], one: &Span, ends: &[usize], chooses: bool, hearing: MentionContext) -> bool {
    let before = words.iter().enumerate().take(one.at.start).rev();
    let before = before.filter(|(at, word)| !(word.as_str() == "nao" && ends.contains(at)));
    let mut before = before.map(|(_, word)| word.as_str()).filter(|word| !BETWEEN.contains(word));
    let (last, first) = (before.next().unwrap_or_default(), before.next().unwrap_or_default());
    let lead = |word: &str| TOWARDS.contains(&word) || PREFERRING.contains(&word);
    let after: Vec<&str> = words.get(one.at.end..).unwrap_or_default().iter().map(String::as_str).take(2).collect();
    // "Com o Otávio não, com o Wesley", "não quero o Otávio".
    let denied = last == "nao"
        || lead(last) && first == "nao"
        || after.first() == Some(&"nao") && after.get(1).is_none_or(|next| lead(next) || BETWEEN.contains(next));
    // "Aqui é o Saulo".
    let introduced = INTRODUCING.contains(&last)
        || is_relative(last)
        || last == "e" && ["aqui", "nome"].contains(&first)
        || ["aqui", "falando"].iter().any(|word| after.first() == Some(word));
    if denied || introduced {
        return false;
    }
    let wished = TOWARDS.contains(&last) || PREFERRING.contains(&last);
    let listed = ["e", "ou", "or", "and"].contains(&last) && words.iter().any(|word| lead(word));
    wished && (one.exact || WITH.contains(&last))
        || chooses && one.exact
        || listed && one.exact
        || one.whole && !hearing.known
}

/// Returns `true` if the words only choose a professional: names, days, times and words that may stand beside them.
fn only_names(words: &[String], found: &[Span]) -> bool {
    let plain =
        |(at, word): (usize, &String)| found.iter().any(|one| one.exact && one.at.contains(&at)) || is_beside(word);
    words.iter().enumerate().all(plain)
}

/// Finds a misspelt name of a professional behind "com": "com o otavo".
fn misspelt(active: &[Professional], words: &[String]) -> Mention {
    let candidates: Vec<Candidate<'_>> = active
        .iter()
        .map(|one| Candidate { names: std::iter::once(&one.name).chain(&one.aliases).map(String::as_str).collect() })
        .collect();
    let starts = words.iter().enumerate().filter(|(_, word)| WITH.contains(&word.as_str()));
    for (at, _) in starts {
        let behind = words.get(at + 1..).unwrap_or_default();
        let Some(name) = behind.iter().find(|word| !BETWEEN.contains(&word.as_str())) else { continue };
        if name.len() < MISSPELT || weekday_named(name).is_some() || BESIDE.contains(&name.as_str()) {
            continue;
        }
        let id = |index: &usize| active.get(*index).map(|one| one.id);
        match match_name(name, &candidates) {
            NameMatch::One { index, .. } => return id(&index).map_or(Mention::Nobody, Mention::One),
            NameMatch::Several(several) => return Mention::Several(several.iter().filter_map(id).collect()),
            NameMatch::None { .. } => {}
        }
    }
    Mention::Nobody
}

/// "Com a doutora", with no name behind it: the only one who bears that title.
fn titled(active: &[Professional], words: &[String]) -> Mention {
    const TITLES: [&[&str]; 2] = [&["dra", "doutora"], &["dr", "doutor"]];
    let led = |at: usize| {
        let mut before = words.iter().take(at).rev().map(String::as_str).filter(|word| !["o", "a"].contains(word));
        before.next().is_some_and(|word| TOWARDS.contains(&word) || PREFERRING.contains(&word))
    };
    let nameless = |at: usize| words.get(at + 1).is_none_or(|next| is_beside(next));
    for title in TITLES {
        let said = |(at, word): (usize, &String)| title.contains(&word.as_str()) && led(at) && nameless(at);
        if !words.iter().enumerate().any(said) {
            continue;
        }
        let bears = |one: &&Professional| {
            words_of(&normalize(&one.name)).first().is_some_and(|first| title.contains(&first.as_str()))
        };
        let professionals: Vec<ProfessionalId> = active.iter().filter(bears).map(|one| one.id).collect();
        return match professionals.as_slice() {
            [] => Mention::Nobody,
            [one] => Mention::One(*one),
            _ => Mention::Several(professionals),
        };
    }
    Mention::Nobody
}

/// Whether a word may stand beside a name in a message that is nothing but a choice.
fn is_beside(word: &str) -> bool {
    [&BETWEEN[..], &TOWARDS, &PREFERRING, &BESIDE].iter().any(|known| known.contains(&word))
        || word.starts_with(|c: char| c.is_ascii_digit())
        || weekday_named(word).is_some()
}

/// `#ana`, and not `#ana-maria`.
fn has_code(said: &str, code: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
    said.match_indices('#').any(|(at, _)| {
        let rest = said.get(at + 1..).and_then(|rest| rest.strip_prefix(code));
        rest.is_some_and(ends)
    })
}
