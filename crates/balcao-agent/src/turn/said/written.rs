//! What customers tell of themselves: a name, an address or an e-mail that they never wrote, that they denied, or that they told of
//! another person, is not theirs.

use balcao_language::{Statement, fold, statements};

use super::{Amiss, Talk, words};

/// What is amiss with a value that must be in what the customer said of themselves: none of its numbers, and at most a third of its
/// words, may be others. "Rua Augusta, 1200" is "r. augusta 1200" in their words. An e-mail address is theirs to the letter, or
/// spelt out ("ana arroba exemplo ponto com").
pub(super) fn amiss(given: &str, talk: &Talk<'_>) -> Option<Amiss> {
    let clauses = of_themselves(given, talk);
    let theirs = if given.contains('@') {
        let to_the_letter = fold(given);
        clauses.iter().any(|text| {
            let spelt = words(text);
            fold(text).contains(&to_the_letter)
                || spelt.iter().any(|word| word == "arroba" || word == "at") && mostly_in(given, &spelt)
        })
    } else {
        mostly_in(given, &clauses.into_iter().flat_map(words).collect::<Vec<_>>())
    };
    (!theirs).then(|| Amiss::nobody_said("what the customer wrote of themselves"))
}

/// The clauses of the customer that speak of what the value speaks of: a denial states nothing unless the value denies, and what is
/// about another person counts only for a value that names that person.
pub(super) fn of_themselves<'a>(given: &str, talk: &Talk<'a>) -> Vec<&'a str> {
    let of_value = statements(given);
    let denied = of_value.iter().any(|one| one.denies);
    let named: Vec<&String> = of_value.iter().flat_map(|one| &one.others).collect();
    let counts = |one: &Statement<'_>| {
        (denied || !one.denies) && (one.others.is_empty() || one.others.iter().any(|other| named.contains(&other)))
    };
    talk.of_customer().flat_map(statements).filter(counts).map(|one| one.text).collect()
}

fn mostly_in(given: &str, written: &[String]) -> bool {
    let wanted = words(given);
    let missing: Vec<&String> = wanted.iter().filter(|word| !written.contains(word)).collect();
    let number = missing.iter().any(|word| word.contains(|c: char| c.is_ascii_digit()));
    !number && missing.len().saturating_mul(3) <= wanted.len()
}

#[cfg(test)]
mod tests {
    use balcao_tool::Locale;
    use jiff::civil::date;

    use super::{super::Said, *};

    #[test]
    fn only_what_the_customer_wrote_is_theirs() {
        let customer = "oi, sou a Ana Prado, moro na r. augusta 1200, meu email é ana.prado@exemplo.com.br";
        let lines = vec![Said::Us("Pronto, Tiago Lima!"), Said::Customer("isso"), Said::Customer(customer)];
        let talk = Talk { lines, today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        for fine in ["Ana Prado", "ana", "Rua Augusta, 1200", "ana.prado@exemplo.com.br"] {
            assert!(amiss(fine, &talk).is_none(), "{fine}");
        }
        for invented in
            ["Tiago", "Tiago Lima", "ana@exemplo.com", "Rua Augusta, 1300", "Ana Souza", "Avenida Augusta, Consolação"]
        {
            assert!(amiss(invented, &talk).is_some(), "{invented}");
        }
        let of_others = vec![
            Said::Customer("não me chamo Carla, meu marido é o Davi Souza, o email dele é davi@exemplo.com"),
            Said::Customer("meu nome não é Bia. não gosto de conversa. minha filha tem alergia"),
        ];
        let talk = Talk { lines: of_others, ..talk };
        for not_theirs in ["Carla", "Bia", "Davi Souza", "davi@exemplo.com", "Gosta de conversa", "Tem alergia"] {
            assert!(amiss(not_theirs, &talk).is_some(), "{not_theirs}");
        }
        for fine in ["Não gosto de conversa", "Filha tem alergia"] {
            assert!(amiss(fine, &talk).is_none(), "{fine}");
        }
        let spelt = vec![Said::Customer("é ana arroba exemplo ponto com")];
        assert!(amiss("ana@exemplo.com", &Talk { lines: spelt, ..talk }).is_none());
    }
}
