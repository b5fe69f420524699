//! First names that are common in Brazil, so that one is heard where nobody wrote a capital: "pra carla", "o horário da lívia".
//!
//! The list tells a name from another word; it does not say what names there are. Names that are everyday words too ("Rosa",
//! "Clara", "Luz", "Vitória") are left out: with a capital they are heard anyway.

use crate::fold::fold;

#[rustfmt::skip] // a table of words
const NAMES: &[&str] = &[
    "adriana", "adriano", "alan", "alana", "alex", "alexandra", "alexandre", "alice", "aline", "alvaro", "amanda", "amelia",
    "ana", "anderson", "andre", "andrea", "andreia", "andressa", "angela", "anita", "antonia", "antonio", "arthur", "artur",
    "augusto", "barbara", "beatriz", "bernardo", "bia", "bianca", "breno", "bruna", "bruno", "caio", "camila", "carina", "carla",
    "carlos", "carol", "carolina", "caroline", "cassia", "cassio", "catarina", "caua", "cecilia", "celia", "celso", "cesar",
    "cintia", "claudia", "claudio", "cristiane", "cristiano", "cristina", "daiane", "daniel", "daniela", "daniele", "danilo",
    "davi", "david", "debora", "denise", "diana", "diego", "diogo", "douglas", "eduarda", "eduardo", "elaine", "eliana", "eliane",
    "elias", "elisa", "emanuel", "emilia", "enzo", "erica", "erika", "evandro", "fabiana", "fabiano", "fabio", "fatima", "felipe",
    "fernanda", "fernando", "flavia", "flavio", "francisca", "francisco", "gabriel", "gabriela", "geraldo", "gilberto", "giovana",
    "giovanna", "gisele", "guilherme", "gustavo", "heitor", "helena", "helio", "henrique", "heloisa", "hugo", "iago", "igor",
    "ines", "isaac", "isabel", "isabela", "isadora", "ivan", "ivone", "jaqueline", "janaina", "jessica", "joana", "joao",
    "joaquim", "jonas", "jonathan", "jorge", "jose", "josefa", "joyce", "juliana", "juliano", "julia", "julio", "junior",
    "karina", "karla", "kelly", "larissa", "laura", "leandro", "leila", "leonardo", "leticia", "lia", "ligia", "lilian", "livia",
    "lorena", "lourdes", "luan", "luana", "lucas", "lucia", "luciana", "luciano", "lucio", "luis", "luiz", "luiza", "luisa",
    "maisa", "manuel", "manuela", "marcela", "marcelo", "marcia", "marcio", "marcos", "marcus", "maria", "mariana", "marina",
    "mario", "marlene", "marta", "mateus", "matheus", "mauricio", "mauro", "melissa", "miguel", "milena", "miriam", "monica",
    "murilo", "nadia", "natalia", "nathalia", "neide", "nelson", "nicole", "nicolas", "olivia", "otavio", "pablo", "patricia",
    "paula", "paulo", "pedro", "priscila", "rafael", "rafaela", "raquel", "raul", "rebeca", "regina", "reginaldo", "renan",
    "renata", "renato", "ricardo", "rita", "roberta", "roberto", "rodrigo", "rogerio", "romulo", "ronaldo", "rosana", "rosangela",
    "ruan", "sabrina", "samuel", "sandra", "sara", "sebastiao", "sergio", "silvana", "silvia", "silvio", "simone", "sonia",
    "sofia", "sophia", "sueli", "suzana", "taina", "talita", "tamires", "tania", "tatiana", "tatiane", "teresa", "tereza",
    "thais", "thiago", "tiago", "tomas", "valeria", "vanessa", "vera", "veronica", "vicente", "vinicius", "vitor", "victor",
    "viviane", "wagner", "wallace", "wellington", "wesley", "william", "yago", "yara", "yasmin", "yuri",
];

/// True for a common first name, with or without accents and capitals.
#[must_use]
pub fn is_first_name(word: &str) -> bool {
    let folded = fold(word);
    NAMES.contains(&folded.as_str())
}

#[cfg(test)]
mod tests {
    use super::{NAMES, is_first_name};
    use crate::fold::fold;

    #[test]
    fn names_are_heard_however_they_are_written_and_other_words_are_not() {
        for name in ["Lívia", "livia", "JOÃO", "carla"] {
            assert!(is_first_name(name), "{name}");
        }
        for word in ["barba", "sexta", "manhã", "cliente", "maio", ""] {
            assert!(!is_first_name(word), "{word}");
        }
        assert!(NAMES.iter().all(|name| !fold(name).is_empty()));
    }
}
