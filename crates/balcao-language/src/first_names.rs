//! First names that are common in Brazil, and some English ones. A customer often writes a name in small letters ("pra carla", "o horário
//! da lívia"), and this list tells it from another word.
//!
//! The list does not say what names there are. Names that are everyday words too ("Rosa", "Clara", "Luz", "Vitória") are left out: a
//! capital letter tells those.

use crate::normalize::normalize;

#[rustfmt::skip] // a table of words
const NAMES: &[&str] = &[
    "abel", "ademir", "adriana", "adriano", "agnes", "ailton", "alan", "alana", "alberto", "alessandra", "alessandro",
    "alex", "alexandra", "alexandre", "alfredo", "alice", "aline", "alvaro", "amanda", "amaury", "amelia", "ana", "anderson",
    "andre", "andrea", "andreia", "andressa", "angela", "anita", "antonia", "antonio", "ariana", "ariane", "arnaldo",
    "arthur", "artur", "augusto", "barbara", "beatriz", "benedito", "benicio", "bernardo", "betina", "bia", "bianca",
    "brenda", "breno", "bruna", "bruno", "bryan", "caio", "camila", "carina", "carla", "carlos", "carmem", "carmen", "carol",
    "carolina", "caroline", "cassia", "cassio", "catarina", "caua", "cauan", "cecilia", "celia", "celina", "celso", "cesar",
    "cida", "cintia", "clarice", "claudia", "claudio", "cleber", "cleide", "cleiton", "cristiane", "cristiano", "cristina",
    "daiane", "dalva", "daniel", "daniela", "daniele", "danilo", "davi", "david", "davina", "debora", "denise", "diana",
    "diego", "diogo", "dirce", "djalma", "dora", "douglas", "edgar", "edilson", "edna", "edson", "eduarda", "eduardo",
    "elaine", "elen", "eliana", "eliane", "elias", "elisa", "ellen", "eloisa", "elza", "emanuel", "emerson", "emilia",
    "enzo", "eric", "erica", "erick", "erika", "ester", "esther", "eunice", "eva", "evandro", "fabiana", "fabiano", "fabio",
    "fabricio", "fatima", "felipe", "fernanda", "fernando", "filipe", "flavia", "flavio", "francisca", "francisco",
    "gabriel", "gabriela", "gael", "geovana", "geraldo", "gerson", "gertrudes", "gerusa", "gilberto", "gilmar", "gilson",
    "giovana", "giovanna", "gisele", "glaucia", "graziela", "guilherme", "gustavo", "hamilton", "heitor", "helena", "helio",
    "heloisa", "henrique", "henry", "hilda", "hugo", "iago", "iara", "igor", "ilda", "ines", "ingrid", "iracema", "irene",
    "isaac", "isabel", "isabela", "isabella", "isabelle", "isadora", "ivan", "ivo", "ivone", "ivonete", "jair", "janaina",
    "jandira", "jane", "jaqueline", "jean", "jeferson", "jessica", "joana", "joao", "joaquim", "joel", "jonas", "jonathan",
    "jorge", "jose", "josefa", "josiane", "josue", "joyce", "juan", "julia", "juliana", "juliano", "julio", "junior",
    "jurandir", "karina", "karla", "katia", "keila", "kelly", "laila", "lais", "lara", "larissa", "laura", "lauro",
    "lavinia", "leandro", "leila", "leonardo", "leticia", "levi", "lia", "lidia", "ligia", "lilian", "livia", "lorena",
    "lorenzo", "lourdes", "luan", "luana", "lucas", "lucca", "lucia", "luciana", "luciano", "luciene", "lucimar", "lucio",
    "luis", "luisa", "luiz", "luiza", "lurdes", "madalena", "magali", "maisa", "malu", "manoel", "manuel", "manuela",
    "marcela", "marcella", "marcelle", "marcelo", "marcia", "marcio", "marcos", "marcus", "maria", "mariah", "mariana",
    "marilene", "marilia", "marina", "mario", "marisa", "marlene", "marli", "marta", "mateus", "matheus", "mathias",
    "matias", "mauricio", "mauro", "maya", "melissa", "michele", "miguel", "milena", "miriam", "moacir", "moises", "monica",
    "murilo", "nadia", "nair", "natalia", "natan", "nathalia", "neide", "nelson", "neusa", "nicolas", "nicole", "noah",
    "noemi", "odair", "olga", "olivia", "orlando", "oscar", "osmar", "osvaldo", "otavio", "pablo", "paloma", "pamela",
    "patricia", "paula", "paulo", "pedro", "pietro", "priscila", "rafael", "rafaela", "raissa", "raquel", "raul", "rayssa",
    "rebeca", "rebecca", "regiane", "regina", "reginaldo", "rejane", "renan", "renata", "renato", "ricardo", "rita",
    "roberta", "roberto", "robson", "rodolfo", "rodrigo", "roger", "rogerio", "romulo", "ronaldo", "rosana", "rosangela",
    "rosemary", "rosilene", "rosimeire", "ruan", "ruth", "ryan", "sabrina", "samanta", "samara", "samuel", "sandra", "sara",
    "saulo", "sebastiao", "selma", "sergio", "silvana", "silvia", "silvio", "simone", "sofia", "solange", "sonia", "sophia",
    "soraia", "stefany", "stella", "suelen", "sueli", "suzana", "tabata", "taina", "tais", "talita", "tamires", "tania",
    "tatiana", "tatiane", "teodoro", "teresa", "tereza", "thais", "theo", "thiago", "tiago", "tomas", "ulisses", "valdir",
    "valentina", "valeria", "valmir", "vanda", "vanessa", "vania", "vera", "veronica", "vicente", "victor", "vilma",
    "vinicius", "vitor", "vivian", "viviane", "wagner", "wallace", "walter", "wanda", "wellington", "wesley", "william",
    "wilson", "yago", "yan", "yara", "yasmin", "yuri", "ze", "zelia", "zilda",
    // English ones that are no everyday words.
    "andrew", "anthony", "ashley", "betty", "brandon", "brian", "charles", "christopher", "deborah", "donna", "dorothy", "edward",
    "elizabeth", "emily", "emma", "gary", "george", "heather", "helen", "james", "jason", "jeffrey", "jennifer", "jeremy", "joe", "john",
    "joseph", "joshua", "karen", "kenneth", "kevin", "kimberly", "larry", "linda", "lisa", "margaret", "mary", "matthew", "michael",
    "michelle", "nancy", "pamela", "peter", "rachel", "richard", "robert", "ronald", "sarah", "scott", "sharon", "stephanie", "stephen",
    "steve", "steven", "susan", "thomas", "timothy", "tyler",
];

/// True for a common first name, with or without accents and capitals.
#[must_use]
pub fn is_first_name(word: &str) -> bool {
    let folded = normalize(word);
    NAMES.contains(&folded.as_str())
}

#[cfg(test)]
mod tests {
    use super::{NAMES, is_first_name};
    use crate::normalize::normalize;

    #[test]
    fn names_are_heard_however_they_are_written_and_other_words_are_not() {
        for name in ["Lívia", "livia", "JOÃO", "carla"] {
            assert!(is_first_name(name), "{name}");
        }
        for word in ["barba", "sexta", "manhã", "cliente", "maio", ""] {
            assert!(!is_first_name(word), "{word}");
        }
        assert!(NAMES.iter().all(|name| !normalize(name).is_empty()));
    }
}
