use super::*;
use crate::normalize::normalize;

fn gives(text: &str, name: &str, asked: bool) -> bool {
    let words: Vec<String> = normalize(name)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    are_given(&words, &own_names(text, asked))
}

#[test]
fn whoever_names_themselves_gives_their_name() {
    for (text, name) in [
        ("oi, sou a Ana", "Ana"),
        ("sou o Zé Lima", "Zé Lima"),
        ("oi eu sou ana prado tudo bem?", "Ana Prado"),
        ("me chamo Kauã", "Kauã"),
        ("pode me chamar de Beto", "Beto"),
        ("todo mundo me chama de Dudu", "Dudu"),
        ("meu nome é Thayane Souza", "Thayane Souza"),
        ("meu nome completo é João da Silva", "João da Silva"),
        ("muda meu nome pra José Lima", "José Lima"),
        ("meu nome tá errado, é Thayane", "Thayane"),
        ("não me chamo Ana, me chamo Bia", "Bia"),
        ("aqui é o Wesley", "Wesley"),
        ("aqui quem fala é a Sueli", "Sueli"),
        ("aqui é a Ana tudo bem?", "Ana"),
        ("Nome: Rex Duarte", "Rex Duarte"),
        ("oi, Ana Prado falando", "Ana Prado"),
        ("Thayane é meu nome", "Thayane"),
        ("é o Pedro aqui", "Pedro"),
        ("hi, I'm Mary Jones", "Mary Jones"),
        ("my name is D'Ávila", "D'Ávila"),
        ("sou a Ana, meu sobrenome é Prado", "Ana Prado"),
        ("this is Joe", "Joe"),
    ] {
        assert!(gives(text, name, false), "{text}: {:?}", own_names(text, false));
    }
}

#[test]
fn a_name_in_any_other_place_is_somebodys() {
    for (text, name) in [
        ("o Pedro mandou um abraço", "Pedro"),
        ("o Wesley corta bem", "Wesley"),
        ("Rex late muito", "Rex"),
        ("meu cachorro é o Rex", "Rex"),
        ("minha filha se chama Bia", "Bia"),
        ("o nome do meu filho é Theo", "Theo"),
        ("quero marcar com a Carla", "Carla"),
        ("sou irmã da Carla", "Carla"),
        ("sou cliente do Pedro", "Pedro"),
        ("não sou a Ana", "Ana"),
        ("não me chamo Bia", "Bia"),
        ("meu nome não é Bia", "Bia"),
        ("eu não sou o Pedro", "Pedro"),
        ("pode botar no nome de Carla Nunes", "Carla Nunes"),
        ("aqui é o Pedro?", "Pedro"),
        ("quem fala é o Pedro?", "Pedro"),
        ("o Pedro aqui é ótimo", "Pedro"),
        ("tem o João aqui?", "João"),
        ("Pedro", "Pedro"),
        ("meu chefe é o Davi", "Davi"),
        ("sou a Ana", "Ana Souza"),
        ("is Pedro free?", "Pedro"),
    ] {
        assert!(!gives(text, name, false), "{text}: {:?}", own_names(text, false));
    }
}

#[test]
fn what_one_is_is_a_name_only_by_its_form() {
    let own = [
        ("sou a Thayane", "Thayane"),
        ("sou a Thayane da Silva", "Thayane da Silva"),
        ("sou Thayane Souza", "Thayane Souza"),
        ("SOU ANA PRADO", "Ana Prado"),
        ("sou pedro", "Pedro"),
        ("sou o pedro da padaria", "Pedro"),
        ("sou a Bia mãe do Theo", "Bia"),
        ("I'm Mary", "Mary"),
        ("im john", "John"),
        ("I am Will Smith", "Will Smith"),
        ("aqui é o Kauã", "Kauã"),
        ("this is Thayane Souza", "Thayane Souza"),
        ("me chama Dudu", "Dudu"),
        ("call me Joe", "Joe"),
        ("me chamo thayane", "Thayane"),
        ("meu nome é kauã", "Kauã"),
        ("my name is xolani", "Xolani"),
        ("eu já disse que meu nome é Ana", "Ana"),
        ("já te disse, sou a Ana", "Ana"),
        ("I said my name is Ana", "Ana"),
        ("você falou errado, meu nome é Ana", "Ana"),
        ("ele disse isso. meu nome é Ana", "Ana"),
        ("vcs disseram pra mandar: meu nome é Ana", "Ana"),
        ("oi, tudo bem? sou o Zé", "Zé"),
        ("sou eu, a Ana. me chamo Ana Prado", "Ana Prado"),
        ("Bruno falando", "Bruno"),
    ];
    let not_own = [
        ("sou o marido da Ana", "marido"),
        ("sou o Marido da Ana", "Marido"),
        ("sou alérgico", "alérgico"),
        ("sou Alérgico", "Alérgico"),
        ("SOU ALÉRGICO", "Alérgico"),
        ("sou Flamengo", "Flamengo"),
        ("sou o Primeiro da fila", "Primeiro"),
        ("sou o Barbeiro da Ana", "Barbeiro"),
        ("sou intolerante à lactose", "intolerante"),
        ("sou cliente antigo", "cliente"),
        ("sou de Santos", "Santos"),
        ("sou Dentista", "Dentista"),
        ("sou vegana", "vegana"),
        ("I'm late", "late"),
        ("I'm Late", "Late"),
        ("I'm allergic", "allergic"),
        ("I'm Brazilian", "Brazilian"),
        ("I'm Ana's sister", "Ana"),
        ("im here", "here"),
        ("aqui é ótimo", "ótimo"),
        ("this is urgent", "urgent"),
        ("me chama quando abrir", "quando"),
        ("me chama o Pedro", "Pedro"),
        ("eu me chamo? adivinha", "adivinha"),
        ("call me tomorrow", "tomorrow"),
        ("meu nome tá na lista", "tá"),
        ("marca no meu nome amanhã", "amanhã"),
        ("meu nome é difícil", "difícil"),
        ("tudo certo aqui", "tudo certo"),
        ("ele me disse: meu nome é Pedro", "Pedro"),
        ("o rapaz falou que eu sou o Pedro", "Pedro"),
        ("minha irmã disse, meu nome é Carla", "Carla"),
        ("Pedro: meu nome é Pedro", "Pedro"),
        ("she told me: my name is Carla", "Carla"),
        ("ele escreveu “meu nome é Pedro”", "Pedro"),
        ("\"sou o Pedro\" foi o que li", "Pedro"),
    ];
    for (rows, expected) in [(&own[..], true), (&not_own[..], false)] {
        for (text, name) in rows {
            assert_eq!(gives(text, name, false), expected, "{text}: {:?}", own_names(text, false));
        }
    }
}

#[test]
fn a_bare_name_is_the_writers_where_it_answers_our_question() {
    for (text, name) in [
        ("Ana", "Ana"),
        ("ana prado", "Ana Prado"),
        ("Ana Prado", "Ana"),
        ("é Ana Prado", "Ana Prado"),
        ("oi, Ana Prado. quero cortar amanhã", "Ana Prado"),
        ("Ana Prado, ana@exemplo.com", "Ana Prado"),
        ("Ana Prado ana@exemplo.com", "Ana Prado"),
    ] {
        assert!(gives(text, name, true), "{text}: {:?}", own_names(text, true));
        assert!(!gives(text, name, false), "{text}");
    }
    for (text, name) in
        [("Pedro corta bem", "Pedro"), ("quero com o Pedro", "Pedro"), ("o Wesley tem horário?", "Wesley")]
    {
        assert!(!gives(text, name, true), "{text}: {:?}", own_names(text, true));
    }
}

#[test]
fn a_question_for_the_name_of_whom_it_speaks_to_is_told_from_others() {
    for ours in [
        "Qual é o seu nome?",
        "Como você se chama?",
        "Posso saber seu nome completo?",
        "Com quem eu falo?",
        "Como posso te chamar?",
        "What's your name?",
        "Olá! Me diz seu nome, por favor.",
    ] {
        assert!(asks_own_name(ours), "{ours}");
    }
    for other in [
        "Qual o nome do seu filho?",
        "Com qual profissional?",
        "Qual o nome da pessoa que vem?",
        "Qual o nome do serviço?",
        "Quer marcar com o Pedro?",
    ] {
        assert!(!asks_own_name(other), "{other}");
    }
}
