//! What customers tell of themselves: a name, an address or an e-mail that they never wrote, that they denied, or that is about
//! another person, is not theirs.

use balcao_language::{
    Statement, are_given, asks_own_contact, gives_contact, is_contact, is_first_name, is_form_of, is_function_word,
    normalize, own_names, statements,
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
/// ("r. augusta 1200" is "Rua Augusta, 1200") or bent ("gosto" is "gosta"), and only words of grammar may stand in the value alone: "cliente
/// prefere a manhã" is what "prefiro de manhã" says. An e-mail address is theirs to the letter, or spelt out ("ana arroba exemplo ponto
/// com").
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
                || spelt.iter().any(|word| word == "arroba" || word == "at")
                    && words(given).iter().all(|word| spelt.contains(word));
            is_there && (about.is_none() || !reaches_another(text))
        })
    } else {
        let clauses: Vec<Statement<'_>> =
            statements(given).into_iter().filter(|one| says_something(one.text)).collect();
        !clauses.is_empty()
            && clauses.iter().all(|clause| {
                let candidates = of_person(clause.denies, named, talk);
                candidates
                    .into_iter()
                    .any(|text| is_in(clause.text, text) && (named.is_none() || !is_another(clause.text, text)))
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
/// anybody without one. The first person of a clause is the one that it is about, and a later word may be a verb: "meu marido bebe muito".
fn of_person<'a>(denied: bool, about: Option<&str>, talk: &DialogueHistory<'a>) -> Vec<&'a str> {
    let named = about.map(words);
    let counts = |one: &Statement<'_>| {
        let of_person =
            named.as_ref().is_none_or(|named| one.others.first().is_none_or(|subject| named.contains(subject)));
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

/// Whether a clause of the customer has the words of a value, but for those of grammar.
pub(super) fn is_in(given: &str, clause: &str) -> bool {
    let (wanted, said) = (of_the_writer(given), words(clause));
    let is_there = |word: &String| said.iter().any(|said| is_form_of(word, said));
    wanted.iter().any(is_there) && wanted.iter().all(|word| is_function_word(word) || is_there(word))
}

/// Whether a clause of a value has other words than those of grammar.
fn says_something(clause: &str) -> bool {
    !of_the_writer(clause).iter().all(|word| is_function_word(word))
}

/// How a note names the person whose words it keeps.
const WRITERS: &[&str] = &["cliente", "paciente", "contato", "client", "customer", "patient", "contact"];

/// Verbs by which a note tells that its writer heard something.
#[rustfmt::skip] // a closed class: each form of a few verbs
const REPORTS: &[&str] = &[
    "diz", "disse", "informa", "informou", "relata", "relatou", "avisa", "avisou", "comenta", "comentou", "menciona",
    "mencionou", "afirma", "afirmou", "declara", "declarou", "says", "said", "reports", "reported", "mentions",
    "mentioned", "states", "stated",
];

/// The words of a clause of a value without those that name the customer: "a cliente disse que prefere …" is "prefere …".
fn of_the_writer(clause: &str) -> Vec<String> {
    let all = words(clause);
    let is = |place: usize, class: &[&str]| all.get(place).is_some_and(|word| class.contains(&word.as_str()));
    let name = usize::from(is(0, &["o", "a", "the"]));
    if !is(name, WRITERS) {
        return all;
    }
    let report = name.saturating_add(1);
    let rest = report.saturating_add(usize::from(is(report, REPORTS)));
    all.into_iter().skip(rest).collect()
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
            Utterance::Customer(
                "meu nome não é Bia. não gosto de conversa. minha filha tem alergia. meu marido bebe muito",
            ),
        ];
        let talk = DialogueHistory { lines: of_others, ..talk };
        for not_theirs in
            ["Carla", "Bia", "Davi Souza", "davi@exemplo.com", "Gosta de conversa", "Tem alergia", "Bebe muito"]
        {
            assert!(find_problem(not_theirs, &talk, Speaker::Own("")).is_some(), "{not_theirs}");
        }
        for fine in ["Não gosto de conversa", "Filha tem alergia", "Marido bebe muito"] {
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

    fn kept_of(customer: &str, note: &str) -> bool {
        let lines = vec![Utterance::Customer(customer)];
        let talk = DialogueHistory { lines, today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        find_problem(note, &talk, Speaker::Own("")).is_none()
    }

    #[test]
    fn a_note_says_in_other_forms_what_the_customer_said() {
        for (customer, note) in [
            ("prefiro de manhã", "cliente prefere manhã"),
            ("prefiro de manhã", "O cliente prefere as manhãs"),
            ("prefiro de manhã", "Cliente informou que prefere de manhã."),
            ("oi, sou alérgica a dipirona", "Alergia a dipirona"),
            ("oi, sou alérgica a dipirona", "A paciente relatou ser alérgica à dipirona"),
            ("tenho rinite e trabalho à noite", "Tem rinite, trabalha à noite"),
            ("gosto do corte bem curto, com café sem açúcar", "Gosta do corte bem curto"),
            ("não gosto de conversa", "Não gosta de conversa"),
            ("me casei e moro em Santos", "Casada"),
            ("I prefer mornings", "The client prefers mornings"),
        ] {
            assert!(kept_of(customer, note), "{customer}: {note}");
        }
    }

    #[test]
    fn one_word_that_was_not_said_costs_a_note() {
        let said = "prefiro o corte bem curto de manhã, moro numa casa, comprei um casaco, sou alérgica a dipirona";
        let notes =
            ["Prefere o corte bem curto de manhã", "Mora numa casa", "Comprou um casaco", "Alérgica a dipirona"];
        let invented = [
            "grátis", "casada", "VIP", "sempre", "nunca", "desconto", "diarista", "Carlos", "até", "sem", "premium",
            "20",
        ];
        for note in notes {
            assert!(kept_of(said, note), "{note}");
            let words: Vec<&str> = note.split(' ').collect();
            for word in invented {
                for place in 0..=words.len() {
                    let mut with = words.clone();
                    with.insert(place, word);
                    assert!(!kept_of(said, &with.join(" ")), "{with:?}");
                }
            }
        }
        for note in ["Casada", "Cliente é casada", "Cortesia", "Curtiu", "É de", "Cliente informou que"] {
            assert!(!kept_of(said, note), "{note}");
        }
        assert!(!kept_of("meu filho é alérgico", "Filha alérgica"));
    }

    #[test]
    fn what_is_said_of_another_behind_the_first_person_is_not_the_customers() {
        for (customer, note, is_kept) in [
            ("moro com minha mãe e minha filha tem alergia", "Tem alergia", false),
            ("moro com minha mãe e minha filha tem alergia", "Filha tem alergia", true),
            ("moro com minha mãe e minha filha tem alergia", "Mora com a mãe", true),
            ("moro com minha mãe e ela tem alergia", "Tem alergia", false),
            ("moro com minha mãe que tem alergia", "Tem alergia", false),
            ("levei minha filha e meu filho é alérgico", "Alérgico", false),
            ("levei minha filha e meu filho é alérgico", "Filha alérgica", false),
            ("levei minha filha e meu filho é alérgico", "Filho alérgico", true),
            ("levei minha filha e tenho alergia", "Tem alergia", true),
        ] {
            assert_eq!(kept_of(customer, note), is_kept, "{customer}: {note}");
        }
    }
}
