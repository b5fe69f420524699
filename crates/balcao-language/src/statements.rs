//! What a message states, clause by clause: whether the clause denies, and whether it is about another person.
//!
//! "Não me chamo Ana" does not name the customer, and "minha filha é a Bia, mora na rua Augusta" gives neither the customer's name
//! nor address. A clause ends at a mark, at "mas", before a verb of the first person, and before one of which another person is the
//! subject. What is about another person stays so through the message, until words of the first person follow. A question, a doubt
//! and a supposition state nothing.

use crate::{
    detect::english,
    first_names::is_first_name,
    normalize::{Token, TokenKind, before, phrase_at, text_at, tokens},
    people::{THIRD_PERSON, is_relative},
    wishes::{CONDITIONS, DOUBTS, NEGATIONS, SUPPOSED},
};

/// One clause of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement<'a> {
    /// As it was written.
    pub text: &'a str,
    /// It has a negation.
    pub denies: bool,
    /// It asks, doubts or supposes, and so states nothing.
    pub open: bool,
    /// The words, folded, by which it is about another person: "filha", "dele". Empty: it is about the writer.
    pub others: Vec<String>,
    /// The mark before it ends no sentence, so that it may belong to what it follows: "anota aí: …".
    pub goes_on: bool,
}

/// Words of the first person.
const FIRST_PERSON: &[&str] = &[
    "eu", "me", "meu", "minha", "meus", "minhas", "sou", "moro", "tenho", "prefiro", "gosto", "quero", "i", "my",
    "mine", "i ' m",
];

/// Verbs of the first person, which begin a clause of their own.
const FIRST_PERSON_VERBS: &[&str] = &["sou", "moro", "tenho", "prefiro", "gosto", "adoro", "uso", "faço", "faco"];

/// Words of the first person before what is the writer's.
const POSSESSIVES: &[&str] = &["meu", "minha", "meus", "minhas", "my"];

/// Words behind which a clause with a subject of its own may begin: "e minha filha tem".
const JOINS: &[&str] = &["e", "and", "porque", "pq", "pois", "because"];

/// Words before a person.
const DETERMINERS: &[&str] =
    &["o", "a", "os", "as", "meu", "minha", "meus", "minhas", "nosso", "nossa", "nossos", "nossas", "the", "my", "our"];

/// Other persons as the subject of a clause.
const OTHER_SUBJECTS: &[&str] = &["ele", "ela", "eles", "elas", "he", "she", "they"];

/// Verbs that say something of another person; "é" is known by its accent.
#[rustfmt::skip] // a table of words
const OTHERS_VERBS: &[&str] = &[
    "tem", "tinha", "teve", "esta", "ta", "estao", "sao", "era", "foi", "mora", "moram", "trabalha", "gosta", "adora", "odeia",
    "prefere", "usa", "toma", "quer", "precisa", "sofre", "come", "bebe", "has", "had", "is", "are", "was", "likes",
    "loves", "hates", "prefers", "takes", "needs", "lives",
];

/// Words that lead from the writer's company to a place or a time: "moro com minha mãe e minha filha na rua Augusta".
#[rustfmt::skip] // a table of words
const LEADS_TO_PLACE: &[&str] = &[
    "em", "na", "no", "nas", "nos", "num", "numa", "ao", "perto", "aqui", "la", "ali", "desde", "ha", "in", "at", "on",
    "near", "here", "since",
];

/// Words that set a clause into another.
const SETS_IN: &[&str] = &["que", "quem", "who", "that", "se", "if"];

/// Words that deny beside negations.
const DENIALS: &[&str] = &["sem", "zero", "parei", "deixei", "odeio", "detesto", "without", "stopped", "hate"];

/// The person who is spoken to.
const SECOND_PERSON: &[&str] = &["vc", "voce", "vcs", "voces", "you", "sera", "sera que"];

/// What a person has or is, in addition to [`PERSONAL`]. "Meu" before another noun speaks of another person: "meu vizinho mora", "meu sócio".
const TRAITS: &[&str] = &[
    "e",
    "rua",
    "casa",
    "bairro",
    "cidade",
    "cep",
    "data",
    "alergia",
    "preferencia",
    "cabelo",
    "barba",
    "bigode",
    "pele",
    "rosto",
    "pe",
    "mao",
    "unha",
    "unhas",
    "dente",
    "dentes",
    "horario",
    "time",
    "profissao",
    "trabalho",
    "agendamento",
    "consulta",
    "corte",
    "hair",
    "beard",
    "skin",
];

/// What is one person's alone, such as an address; "of" names that person.
const PERSONAL: &[&str] = &[
    "nome",
    "sobrenome",
    "apelido",
    "email",
    "mail",
    "telefone",
    "celular",
    "cel",
    "numero",
    "whatsapp",
    "whats",
    "zap",
    "endereco",
    "cpf",
    "aniversario",
    "nascimento",
    "idade",
    "instagram",
    "insta",
    "name",
    "address",
    "phone",
    "number",
    "birthday",
];

/// Whether a word names a trait of a person: one that is one person's alone, or another one.
fn is_trait(word: &str) -> bool {
    PERSONAL.contains(&word) || TRAITS.contains(&word)
}

/// What has an address or a number and is not a person: "o email do trabalho" may be the writer's.
pub(crate) const PLACES: &[&str] = &[
    "trabalho",
    "servico",
    "empresa",
    "firma",
    "escritorio",
    "loja",
    "casa",
    "ap",
    "apartamento",
    "predio",
    "bloco",
    "faculdade",
    "escola",
    "cadastro",
    "cartao",
    "contato",
    "whatsapp",
    "whats",
    "instagram",
    "gmail",
    "hotmail",
    "outlook",
    "work",
    "company",
];

/// The clauses of a message, in its order.
#[must_use]
pub fn statements(text: &str) -> Vec<Statement<'_>> {
    let all = tokens(text);
    let in_english = english(text) == Some(true);
    let mut found: Vec<Statement<'_>> = Vec::new();
    let mut begins = 0;
    let mut carried: Vec<String> = Vec::new();
    let mut goes_on = false;
    for index in 0..=all.len() {
        let Some(end) = end_at(&all, begins, index, text) else { continue };
        let clause = all.get(begins..index).unwrap_or_default();
        if let (Some(first), Some(last)) = (clause.first(), clause.last()) {
            let mut others = others_in(clause, text);
            // "Minha filha, que eu amo, mora aqui" speaks of the daughter throughout.
            let aside = ["que", "who", "which"].contains(&text_at(clause, 0));
            if others.is_empty() && (aside || !has(clause, FIRST_PERSON)) {
                others = carried.clone();
            }
            carried = others.clone();
            let text = text.get(first.start..last.end).unwrap_or_default();
            let open = end == End::Question
                || [DOUBTS, CONDITIONS, SUPPOSED, SECOND_PERSON].iter().any(|words| has(clause, words));
            found.push(Statement { text, denies: denies(clause, in_english), open, others, goes_on });
        }
        goes_on = [",", ":", ";", "("].contains(&text_at(&all, index));
        if end == End::Message {
            carried = Vec::new();
        }
        // An "e" before the first person belongs to what follows, and says nothing.
        begins = if end == End::Joined { index } else { index.saturating_add(1) };
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Clause,
    Question,
    Message,
    Joined,
}

/// How the clause that begins at `begins` ends before the token at `index`, if it does.
fn end_at(all: &[Token], begins: usize, index: usize, text: &str) -> Option<End> {
    let Some(token) = all.get(index) else { return Some(End::Message) };
    // "ana.prado@exemplo.com.br" and "R$ 1.200" are one word each.
    let apart = text.get(token.end..).is_none_or(|rest| rest.chars().next().is_none_or(char::is_whitespace));
    let first_person = |from: usize| {
        let next = text_at(all, from.saturating_add(1));
        let owns = POSSESSIVES.contains(&text_at(all, from));
        phrase_at(all, from, FIRST_PERSON).is_some() && (!owns || is_trait(next))
    };
    match (token.kind, token.text.as_str()) {
        (TokenKind::Mark, "\n") => Some(End::Message),
        (TokenKind::Mark, "?") => Some(End::Question),
        // "R. Augusta", "av. Brasil".
        (TokenKind::Mark, ".") if apart && !is_short(all, index) => Some(End::Clause),
        (TokenKind::Mark, "!" | "," | ";" | ":" | "(" | ")") if apart => Some(End::Clause),
        (TokenKind::Word, verb) if index > 0 && FIRST_PERSON_VERBS.contains(&verb) && !leads_on(all, index) => {
            Some(End::Joined)
        }
        (TokenKind::Word, "mas" | "but") => Some(End::Clause),
        (TokenKind::Word, "e" | "and") if first_person(index.saturating_add(1)) => Some(End::Joined),
        (TokenKind::Word, _) if turns_to_another(all, begins, index, text) => Some(End::Joined),
        _ => None,
    }
}

/// Whether another person is the subject from the join at `index` on, behind a clause of the first person: "moro aqui e minha filha tem".
/// In "minha mãe e minha filha têm" both are the subject.
fn turns_to_another(all: &[Token], begins: usize, index: usize, text: &str) -> bool {
    if !JOINS.contains(&text_at(all, index)) || all.get(index).is_none_or(|token| is_accented(token, text)) {
        return false;
    }
    let front = all.get(begins..index).unwrap_or_default();
    let acts = |token: &Token| {
        let word = token.text.as_str();
        // "Levei", "marquei".
        let is_past = word.len() > 3 && word.ends_with("ei");
        is_past || ["eu", "i"].contains(&word) || FIRST_PERSON_VERBS.contains(&word)
    };
    let is_open = [DOUBTS, CONDITIONS, SUPPOSED, SETS_IN].iter().any(|words| has(front, words));
    let mut person = index.saturating_add(1);
    while DETERMINERS.contains(&text_at(all, person)) {
        person = person.saturating_add(1);
    }
    let word = text_at(all, person);
    let is_word = all.get(person).is_some_and(|token| token.kind == TokenKind::Word);
    let owned = is_word && POSSESSIVES.contains(&before(all, person, 1)) && !is_trait(word);
    let named = ["o", "a"].contains(&before(all, person, 1)) && is_first_name(word);
    let is_other = owned || named || is_relative(word) || OTHER_SUBJECTS.contains(&word);
    is_other && !is_open && front.iter().any(acts) && says_of_other(all, person.saturating_add(1), text)
}

/// Whether the words from `from` on say what another person has or does, before a mark or a clause that is set in.
fn says_of_other(all: &[Token], from: usize, text: &str) -> bool {
    let ends = |token: &Token| token.kind == TokenKind::Mark || SETS_IN.contains(&token.text.as_str());
    let is_verb =
        |token: &Token| OTHERS_VERBS.contains(&token.text.as_str()) || token.text == "e" && is_accented(token, text);
    all.iter().skip(from).take_while(|token| !ends(token)).any(is_verb)
}

/// Whether a token was written with an accent: it differs from "e".
fn is_accented(token: &Token, text: &str) -> bool {
    text.get(token.start..token.end).is_some_and(|written| !written.is_ascii())
}

/// True if the mark at `index` shortens the word before it.
fn is_short(all: &[Token], index: usize) -> bool {
    let word = before(all, index, 1);
    word.chars().count() <= 3 && all.get(index.saturating_add(1)).is_some_and(|next| next.kind == TokenKind::Word)
}

/// True if what stands before a verb of the first person belongs to it: "não sou", "eu tenho", "que moro".
fn leads_on(all: &[Token], index: usize) -> bool {
    let last = before(all, index, 1);
    FIRST_PERSON.contains(&last)
        || NEGATIONS.contains(&last)
        || ["e", "que", "nao", "so", "ja", "tambem", "aqui"].contains(&last)
        || all.get(index.saturating_sub(1)).is_some_and(|token| token.kind == TokenKind::Mark)
}

/// The words by which a clause is about another: relatives, the third person, "meu vizinho", and "a Bruna" where she begins it.
/// `text` is the message.
fn others_in(clause: &[Token], text: &str) -> Vec<String> {
    let possessive = |index: usize| POSSESSIVES.contains(&before(clause, index, 1));
    // "Moro com minha mãe": company of the one who acts.
    let company = |index: usize| {
        let acts = (0..index).any(|before| FIRST_PERSON_VERBS.contains(&text_at(clause, before)));
        acts && (0..index).any(|before| ["com", "with"].contains(&text_at(clause, before)))
    };
    let of_other = |index: &usize| {
        let word = text_at(clause, *index);
        let is_word = clause.get(*index).is_some_and(|token| token.kind == TokenKind::Word);
        let owned = is_word && possessive(*index) && !is_trait(word);
        let begins = usize::from(JOINS.contains(&text_at(clause, 0)));
        let named = *index == begins.saturating_add(1)
            && ["o", "a"].contains(&text_at(clause, begins))
            && is_first_name(word)
            && clause.len() > 2;
        let owner = owns_before(clause, *index);
        let told = owner || is_relative(word) || phrase_at(clause, *index, THIRD_PERSON).is_some();
        (told || owned || named) && (!company(*index) || is_subject(clause, *index, text))
    };
    (0..clause.len()).filter(of_other).map(|index| text_at(clause, index).to_owned()).collect()
}

/// Whether the clause says something of the person at `index`, who stands behind the writer's company or is it: "com minha mãe e ela
/// estuda", "com minha mãe que tem".
fn is_subject(clause: &[Token], index: usize, text: &str) -> bool {
    let named = usize::from(is_first_name(text_at(clause, index.saturating_add(1))));
    let behind = index.saturating_add(1).saturating_add(named);
    let next = text_at(clause, behind);
    if ["que", "who"].contains(&next) {
        return true;
    }
    let mut lead = index;
    while DETERMINERS.contains(&before(clause, lead, 1)) {
        lead = lead.saturating_sub(1);
    }
    let last = before(clause, lead, 1);
    let is_behind_another = JOINS.contains(&last) || is_relative(last);
    let is_mark = clause.get(behind).is_some_and(|token| token.kind == TokenKind::Mark);
    let goes_on = JOINS.contains(&next) && DETERMINERS.contains(&text_at(clause, behind.saturating_add(1)));
    let ends = next.is_empty() || is_mark || goes_on || LEADS_TO_PLACE.contains(&next);
    is_behind_another && (!ends || says_of_other(clause, behind, text))
}

/// Whether the word at `index` is the person whose name, address or number is spoken of: "o email do Pedro", "Pedro's e-mail".
fn owns_before(clause: &[Token], index: usize) -> bool {
    let word = text_at(clause, index);
    let is_word = clause.get(index).is_some_and(|token| token.kind == TokenKind::Word);
    if text_at(clause, index.saturating_add(1)) == "'" && text_at(clause, index.saturating_add(2)) == "s" {
        let owned = text_at(clause, index.saturating_add(3));
        return is_first_name(word) && (PERSONAL.contains(&owned) || owned == "e");
    }
    let of = before(clause, index, 1);
    let personal = before(clause, index, 2);
    let is_personal = PERSONAL.contains(&personal) && !owned_by_writer(clause, index);
    // A name is never that of a place of the writer's.
    let is_place = PLACES.contains(&word) && !["nome", "name"].contains(&personal);
    let named = match of {
        "do" | "da" | "dos" | "das" => !is_place && !["meu", "minha", "meus", "minhas"].contains(&word),
        "de" | "of" => is_first_name(word) || word == "quem",
        _ => false,
    };
    is_word && is_personal && named
}

/// "Meu email da faculdade" is the writer's, whatever it is of.
fn owned_by_writer(clause: &[Token], index: usize) -> bool {
    (3..=5).any(|back| ["meu", "minha", "my"].contains(&before(clause, index, back)))
}

fn denies(clause: &[Token], in_english: bool) -> bool {
    (0..clause.len()).any(|index| {
        let in_the = !in_english && text_at(clause, index) == "no";
        phrase_at(clause, index, NEGATIONS).is_some() && !in_the || DENIALS.contains(&text_at(clause, index))
    })
}

fn has(clause: &[Token], phrases: &[&str]) -> bool {
    (0..clause.len()).any(|index| phrase_at(clause, index, phrases).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By clause: its text, whether it denies, whether it is about another.
    fn read(text: &str) -> Vec<(&str, bool, bool)> {
        statements(text).iter().map(|one| (one.text, one.denies, !one.others.is_empty())).collect()
    }

    #[test]
    fn clauses_end_at_marks_and_before_the_first_person() {
        let said = "oi, sou a Ana, moro na rua Augusta 1200, meu email é ana.prado@exemplo.com.br";
        let clauses = ["oi", "sou a Ana", "moro na rua Augusta 1200", "meu email é ana.prado@exemplo.com.br"];
        assert_eq!(read(said), clauses.map(|clause| (clause, false, false)));
        assert_eq!(
            read("meu marido se chama Pedro e eu me chamo Ana"),
            [("meu marido se chama Pedro", false, true), ("e eu me chamo Ana", false, false)]
        );
    }

    #[test]
    fn what_is_about_another_stays_so_until_the_first_person() {
        assert_eq!(
            read("minha filha é a Bia, mora na rua Augusta. Gosta de café. eu moro em Santos"),
            [
                ("minha filha é a Bia", false, true),
                ("mora na rua Augusta", false, true),
                ("Gosta de café", false, true),
                ("eu moro em Santos", false, false)
            ]
        );
        assert_eq!(read("o email dela é bia@exemplo.com"), [("o email dela é bia@exemplo.com", false, true)]);
    }

    #[test]
    fn a_denial_reaches_as_far_as_its_clause() {
        assert_eq!(
            read("não me chamo Ana, me chamo Bia"),
            [("não me chamo Ana", true, false), ("me chamo Bia", false, false)]
        );
        assert_eq!(read("marca no sábado"), [("marca no sábado", false, false)]);
    }

    #[test]
    fn others_are_told_by_the_build_of_the_clause() {
        for other in [
            "meu vizinho mora na rua Augusta",
            "meu patrão é o Davi",
            "o Wesley gosta de café",
            "minha filha, que eu amo, mora na rua Augusta",
            "o email do Pedro é pedro@exemplo.com",
            "o e-mail do chefe é chefe@exemplo.com",
            "o aniversário da Bia é 12/05",
            "o nome do cachorro é Rex",
            "Pedro's email is pedro@exemplo.com",
            "o número de Carla é 99999",
        ] {
            assert!(statements(other).iter().all(|one| !one.others.is_empty()), "{other}: {:?}", statements(other));
        }
        for own in [
            "moro com minha mãe na rua Augusta",
            "meu email é ana@exemplo.com",
            "meu e-mail da faculdade é ana@exemplo.com",
            "o email do trabalho é ana@exemplo.com",
            "o número do apartamento é 12",
            "moro na rua da Consolação",
            "minha data de nascimento é 12/05",
            "aqui é a Ana",
            "sou a Ana",
        ] {
            assert!(statements(own).iter().all(|one| one.others.is_empty()), "{own}: {:?}", statements(own));
        }
    }

    #[test]
    fn a_clause_with_another_subject_is_not_the_writers() {
        for (said, own, of_other) in [
            ("moro com minha mãe e minha filha tem alergia", "moro com minha mãe", "e minha filha tem alergia"),
            ("moro com minha mãe e ela tem alergia", "moro com minha mãe", "e ela tem alergia"),
            (
                "tenho alergia e o meu filho mais novo é diabético",
                "tenho alergia",
                "e o meu filho mais novo é diabético",
            ),
            ("gosto de café porque meu pai gosta", "gosto de café", "porque meu pai gosta"),
            ("moro com minha mãe e a Bruna tem alergia", "moro com minha mãe", "e a Bruna tem alergia"),
            ("eu gosto de café e os meninos têm alergia", "eu gosto de café", "e os meninos têm alergia"),
            ("tenho alergia e as crianças são diabéticas", "tenho alergia", "e as crianças são diabéticas"),
        ] {
            assert_eq!(read(said), [(own, false, false), (of_other, false, true)]);
        }
        assert_eq!(
            read("levei minha filha e meu filho é alérgico"),
            [("levei minha filha", false, true), ("e meu filho é alérgico", false, true)]
        );
        assert_eq!(
            read("levei minha filha e tenho alergia"),
            [("levei minha filha", false, true), ("e tenho alergia", false, false)]
        );
        for other in [
            "moro com minha mãe que tem alergia",
            "moro com minha mãe ela tem alergia",
            "moro com minha mãe e minha filha estuda fora",
            "minha mãe e minha filha têm alergia",
            "quem tem alergia é minha filha mais nova",
        ] {
            assert_eq!(read(other), [(other, false, true)]);
        }
        for own in ["moro com minha mãe e minha filha na rua Augusta", "moro com meu pai e minha mãe e meu filho"] {
            assert_eq!(read(own), [(own, false, false)]);
        }
    }

    #[test]
    fn questions_doubts_and_suppositions_state_nothing() {
        for open in
            ["será que sou alérgica", "vc mora na rua Augusta?", "se eu tivesse alergia", "acho que tenho alergia"]
        {
            assert!(statements(open).iter().all(|one| one.open), "{open}: {:?}", statements(open));
        }
    }

    #[test]
    fn a_text_without_words_states_nothing() {
        assert_eq!(read(""), []);
        assert_eq!(read(" , . "), []);
    }
}
