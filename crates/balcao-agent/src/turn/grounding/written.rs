//! What customers tell of themselves: a name, an address or an e-mail that they never wrote, that they denied, or that is about
//! another person, is not theirs.

use balcao_language::{
    Statement, are_given, asks_own_contact, gives_contact, is_contact, is_first_name, is_relative, normalize,
    own_names, statements,
};

use super::{DialogueHistory, GroundingProblem, words};

/// Whose words a value must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker<'a> {
    /// The customer's of themselves; these are words of the field that holds it.
    Own(&'a str),
    /// The customer's of anybody, such as the person who comes.
    Anybody,
}

/// What is amiss with a value that must be in the customer's words. Each clause of it must stand in one of theirs that
/// denies if it denies, and that is about the same person. Words may be shortened
/// ("r. augusta 1200" is "Rua Augusta, 1200") or bent ("gosto" is "gosta"); of five others one may be missing, but never a number. An
/// e-mail address is theirs to the letter, or spelt out ("ana arroba exemplo ponto com").
pub(super) fn find_problem(given: &str, talk: &DialogueHistory<'_>, whose: Speaker<'_>) -> Option<GroundingProblem> {
    let named = if let Speaker::Own(named) = whose { Some(format!("{given} {named}")) } else { None };
    let named = named.as_deref();
    if named.is_some() && is_contact(given) && !gives_own(given, talk) {
        return Some(GroundingProblem::nobody_said("what the customer gave as their own"));
    }
    let theirs = if given.contains('@') {
        let to_the_letter = normalize(given);
        // An address names no person that a clause may be about: "o email do Pedro é pedro@…" is Pedro's.
        let about = if let Speaker::Own(field) = whose { Some(field) } else { None };
        of_person(false, about, talk).into_iter().any(|text| {
            let spelt = words(text);
            let is_there = normalize(text).contains(&to_the_letter)
                || spelt.iter().any(|word| word == "arroba" || word == "at") && is_in(given, &spelt);
            is_there && (about.is_none() || !reaches_another(text))
        })
    } else {
        let clauses = statements(given);
        !clauses.is_empty()
            && clauses.iter().all(|clause| {
                let candidates = of_person(clause.denies, named, talk);
                candidates
                    .into_iter()
                    .any(|text| is_in(clause.text, &words(text)) && (named.is_none() || !is_another(clause.text, text)))
            })
    };
    (!theirs).then(|| GroundingProblem::nobody_said("what the customer wrote of themselves"))
}

/// Whether the customer gave an e-mail address, a telephone number or a street as their own, by their words or in answer to our question.
fn gives_own(given: &str, talk: &DialogueHistory<'_>) -> bool {
    talk.lines.iter().enumerate().any(|(place, line)| {
        let asked = talk.last_by_us(place).is_some_and(asks_own_contact);
        line.by_customer().is_some_and(|text| gives_contact(text, given, asked))
    })
}

/// The clauses of the customer that speak of what the value speaks of.
pub(super) fn of_themselves<'a>(given: &str, talk: &DialogueHistory<'a>) -> Vec<&'a str> {
    let denied = statements(given).iter().any(|one| one.denies);
    of_person(denied, Some(given), talk)
}

/// The clauses of the customer that state something, deny if it is `denied`, and are about no other person than the text names; about
/// anybody without one.
fn of_person<'a>(denied: bool, about: Option<&str>, talk: &DialogueHistory<'a>) -> Vec<&'a str> {
    let named = about.map(words);
    let counts = |one: &Statement<'_>| {
        let of_person = named
            .as_ref()
            .is_none_or(|named| one.others.is_empty() || one.others.iter().any(|other| named.contains(other)));
        (!one.open || named.is_none()) && one.denies == denied && of_person
    };
    talk.of_customer().flat_map(statements).filter(counts).map(|one| one.text).collect()
}

/// Whether a short value stands in a clause as another person: "com a Carla", "pela Bia".
fn is_another(given: &str, clause: &str) -> bool {
    let (wanted, said) = (words(given), words(clause));
    // "Muda meu nome pra Ana".
    if said.iter().any(|word| ["nome", "name", "chama", "call"].contains(&word.as_str())) {
        return false;
    }
    let Some(first) = wanted.first().filter(|_| wanted.len() <= 3) else { return false };
    let Some(place) = said.iter().position(|word| word == first) else { return false };
    let before = said.iter().take(place).rev().find(|word| !["o", "a", "os", "as", "the"].contains(&word.as_str()));
    before.is_some_and(|word| ["com", "pela", "pelo", "pra", "pro", "para", "with", "for"].contains(&word.as_str()))
}

/// Whether a clause with an address speaks of a person by name: "com o Pedro no pedro@…", "pra Carla, carla@…".
fn reaches_another(clause: &str) -> bool {
    let said: Vec<String> = clause.split_whitespace().filter(|word| !word.contains('@')).flat_map(words).collect();
    let leads = ["com", "pela", "pelo", "pra", "pro", "para", "do", "da", "de", "o", "a", "with", "for", "to", "of"];
    let own = own_names(clause, false);
    said.windows(2).any(|pair| match pair {
        [lead, name] => {
            leads.contains(&lead.as_str()) && is_first_name(name) && !are_given(std::slice::from_ref(name), &own)
        }
        _ => false,
    })
}

/// Whether a clause has the words of a value, but for one of five.
fn is_in(given: &str, said: &[String]) -> bool {
    let wanted = words(given);
    let missing: Vec<&String> = wanted.iter().filter(|word| !said.iter().any(|said| is_same(word, said))).collect();
    let must = |word: &&String| {
        word.contains(|c: char| c.is_ascii_digit()) || is_relative(word) || NOT.contains(&word.as_str())
    };
    !missing.iter().any(must) && missing.len().saturating_mul(4) < wanted.len().max(1)
}

const NOT: &[&str] = &["nao", "sem", "nem", "nunca", "not", "no", "never", "without"];

/// One word, or the same shortened or bent.
fn is_same(wanted: &str, said: &str) -> bool {
    let stem = |word: &str| word.chars().take(4).collect::<String>();
    let digits = wanted.contains(|c: char| c.is_ascii_digit());
    let small = ["a", "e", "o", "de", "da", "do", "as", "os", "em", "na", "no", "me", "eu"].contains(&said);
    wanted == said
        || !digits && !small && said.chars().count() <= 2 && wanted.starts_with(said)
        || !digits && wanted.chars().count() >= 4 && said.chars().count() >= 4 && stem(wanted) == stem(said)
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;

    use super::{super::Utterance, *};

    #[test]
    fn only_what_the_customer_wrote_is_theirs() {
        let customer = "oi, sou a Ana Prado, moro na r. augusta 1200, meu email é ana.prado@exemplo.com.br";
        let lines =
            vec![Utterance::Us("Pronto, Tiago Lima!"), Utterance::Customer("isso"), Utterance::Customer(customer)];
        let talk = DialogueHistory { lines, today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        for fine in ["Ana Prado", "ana", "Rua Augusta, 1200", "ana.prado@exemplo.com.br"] {
            assert!(find_problem(fine, &talk, Speaker::Own("")).is_none(), "{fine}");
        }
        for invented in
            ["Tiago", "Tiago Lima", "ana@exemplo.com", "Rua Augusta, 1300", "Ana Souza", "Avenida Augusta, Consolação"]
        {
            assert!(find_problem(invented, &talk, Speaker::Own("")).is_some(), "{invented}");
        }
        let of_others = vec![
            Utterance::Customer("não me chamo Carla, meu marido é o Davi Souza, o email dele é davi@exemplo.com"),
            Utterance::Customer("meu nome não é Bia. não gosto de conversa. minha filha tem alergia"),
        ];
        let talk = DialogueHistory { lines: of_others, ..talk };
        for not_theirs in ["Carla", "Bia", "Davi Souza", "davi@exemplo.com", "Gosta de conversa", "Tem alergia"] {
            assert!(find_problem(not_theirs, &talk, Speaker::Own("")).is_some(), "{not_theirs}");
        }
        for fine in ["Não gosto de conversa", "Filha tem alergia"] {
            assert!(find_problem(fine, &talk, Speaker::Own("")).is_none(), "{fine}");
        }
        let pooled = vec![
            Utterance::Customer("sou alérgica a amônia. adoro café, quero marcar com a Carla, sou a Ana Prado"),
            Utterance::Customer("será que tenho rinite? parei de fumar"),
        ];
        let talk = DialogueHistory { lines: pooled, ..talk };
        for not_theirs in [
            "Não sou alérgica a amônia",
            "Alérgica a café",
            "Filha alérgica a amônia",
            "Ana Prado Souza",
            "Carla",
            "Tenho rinite",
            "Fumar",
        ] {
            assert!(find_problem(not_theirs, &talk, Speaker::Own("")).is_some(), "{not_theirs}");
        }
        for fine in ["Alérgica a amônia", "Adora café", "Ana Prado"] {
            assert!(find_problem(fine, &talk, Speaker::Own("")).is_none(), "{fine}");
        }
        let mentioned = vec![
            Utterance::Customer("recebi um email de golpe@x.com, passei na rua Augusta 90 ontem"),
            Utterance::Customer("anota aí: ana@exemplo.com"),
            Utterance::Us("Qual é o seu endereço?"),
        ];
        let talk = DialogueHistory { lines: mentioned, ..talk };
        for (value, is_theirs) in [("golpe@x.com", false), ("Rua Augusta, 90", false), ("ana@exemplo.com", true)] {
            assert_eq!(find_problem(value, &talk, Speaker::Own("")).is_none(), is_theirs, "{value}");
        }
        assert!(find_problem("email de golpe@x.com", &talk, Speaker::Own("")).is_none());
        let booking = vec![Utterance::Customer("quero barba pra Lívia Campos amanhã, muda meu nome pra José Lima")];
        let talk = DialogueHistory { lines: booking, ..talk };
        assert!(find_problem("Lívia Campos", &talk, Speaker::Own("")).is_some());
        assert!(find_problem("Lívia Campos", &talk, Speaker::Anybody).is_none());
        assert!(find_problem("José Lima", &talk, Speaker::Own("name")).is_none());
        let spelt = vec![Utterance::Customer("é ana arroba exemplo ponto com")];
        assert!(find_problem("ana@exemplo.com", &DialogueHistory { lines: spelt, ..talk }, Speaker::Own("")).is_none());
    }
}
