//! Wishes that the program itself must notice in every state, without a model: a human, silence, a word of a profile.

use crate::normalize::{Token, TokenKind, phrase_at, text_at, tokens};

/// True if `pattern` occurs in `text` as whole words, whatever case, accents and punctuation stand between them.
///
/// "PIX" is in "aceita pix?" and not in "pixel"; "corte e barba" is in "Corte, e Barba". An empty pattern is in nothing.
#[must_use]
pub fn contains_word(text: &str, pattern: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let significant = |token: &Token| token.kind != TokenKind::Mark || !token.text.is_ascii();
        tokens(text).into_iter().filter(significant).map(|token| token.text).collect()
    };
    let wanted = words(pattern);
    !wanted.is_empty() && words(text).windows(wanted.len()).any(|window| window == wanted.as_slice())
}

/// True if the customer asks to speak with a person of the business.
///
/// The rule: a word for a person in general or for a role of the team ("atendente", "alguém", "gerente", "dona", "a real
/// person") that is governed by a verb of contact ("falar com", "chama", "passa pra", "quero um") with nothing but small
/// words between them; or such a word, or "atendimento humano" and its kind, as the whole message. A professional's name
/// is no such word: "quero falar com o João" may be about a haircut and is left to the model. Negated wishes ("não
/// precisa chamar ninguém") and questions about people ("quem é o dono?", "você é humano?") are not wishes.
#[must_use]
pub fn asks_for_human(text: &str) -> bool {
    let all = tokens(text);
    all.split(|token| ["\n", ".", "!", ";"].contains(&token.text.as_str())).any(sentence_asks_for_human)
}

fn sentence_asks_for_human(sentence: &[Token]) -> bool {
    let words: Vec<Token> = sentence.iter().filter(|token| token.kind == TokenKind::Word).cloned().collect();
    let sure = (0..words.len()).any(|index| phrase_at(&words, index, SURE).is_some() && !negated(&words, index));
    if sure || (0..words.len()).any(|index| governed_person(&words, index)) {
        return true;
    }
    let rest: Vec<&str> = words
        .iter()
        .map(|token| token.text.as_str())
        .filter(|word| !SMALL.contains(word) && !POLITE.contains(word))
        .collect();
    let asks_back = sentence.iter().any(|token| token.text == "?");
    matches!(rest.as_slice(), [only] if ALONE.contains(only))
        && !(asks_back && words.iter().any(|w| ["voce", "vc", "e", "eh"].contains(&w.text.as_str())))
}

/// A verb of contact at `index` with a person behind it.
fn governed_person(words: &[Token], index: usize) -> bool {
    let Some(len) = phrase_at(words, index, CONTACT) else { return false };
    let mut next = index.saturating_add(len);
    while SMALL.contains(&text_at(words, next)) {
        next = next.saturating_add(1);
    }
    let person = text_at(words, next);
    let behind = text_at(words, next.saturating_add(1));
    // "Quero um atendente", but "quero alguém que corte cacheado" wishes for a professional.
    let wish = WISHES.contains(&text_at(words, index));
    let found = if wish { ROLES.contains(&person) } else { ROLES.contains(&person) || ANYBODY.contains(&person) };
    let of_service = ["cortar", "corte", "fazer", "faca", "cortasse"].contains(&behind) || behind == "que" && wish;
    found && !of_service && !negated(words, index)
}

/// True if a negation stands close before `index`: "não precisa me passar pra atendente".
fn negated(words: &[Token], index: usize) -> bool {
    let from = index.saturating_sub(3);
    let nearby = words.get(from..index).unwrap_or_default();
    nearby.iter().any(|word| ["nao", "n", "nem", "sem", "dont", "not", "never"].contains(&word.text.as_str()))
}

const SURE: &[&str] = &[
    "pessoa de verdade",
    "pessoa real",
    "pessoa humana",
    "gente de verdade",
    "alguem de verdade",
    "atendimento humano",
    "atendente humano",
    "atendente real",
    "atendimento com humano",
    "atendimento com uma pessoa",
    "ser humano de verdade",
    "nao quero falar com robo",
    "nao quero falar com um robo",
    "nao quero falar com maquina",
    "nao quero robo",
    "nao quero falar com bot",
    "cansei de robo",
    "odeio robo",
    "chega de robo",
    "sair do robo",
    "human agent",
    "live agent",
    "real person",
    "real human",
    "human being please",
    "speak to a representative",
    "talk to a representative",
    "fala com humano",
    "falar c atendente",
    "falar cm atendente",
];

const CONTACT: &[&str] = &[
    "falar direto com",
    "falar diretamente com",
    "falar pessoalmente com",
    "falar com",
    "falo com",
    "fala com",
    "fale com",
    "falar c",
    "falar cm",
    "falr com",
    "flar com",
    "fla com",
    "conversar com",
    "converso com",
    "atendido por",
    "atendida por",
    "atendimento com",
    "atendimento de",
    "atendimento por",
    "contato com",
    "contato de",
    "chama",
    "chame",
    "chamar",
    "me passa pro",
    "me passa pra",
    "me passa para",
    "me passe para",
    "me passa",
    "passa pro",
    "passa pra",
    "passa para",
    "passar pra",
    "passar para",
    "passe para",
    "transfere pro",
    "transfere pra",
    "transfere para",
    "transferir pra",
    "transferir para",
    "transfira para",
    "me transfere",
    "me transfira",
    "encaminha pro",
    "encaminha pra",
    "encaminha para",
    "encaminhar para",
    "me conecta com",
    "me liga com",
    "me poe com",
    "quero",
    "queria",
    "preciso de",
    "preciso",
    "tem algum",
    "tem alguma",
    "cade",
    "speak to",
    "speak with",
    "talk to",
    "talk with",
    "get me",
    "transfer me to",
    "connect me to",
    "connect me with",
    "i want",
    "i need",
    "contact",
    "call",
    "quero o",
];

const WISHES: &[&str] = &["quero", "queria", "preciso", "tem", "cade", "i", "get", "call"];

const ROLES: &[&str] = &[
    "atendente",
    "atendentes",
    "atendnte",
    "atendete",
    "antendente",
    "humano",
    "humana",
    "humanos",
    "gerente",
    "gerencia",
    "dono",
    "dona",
    "donos",
    "responsavel",
    "recepcao",
    "recepcionista",
    "supervisor",
    "supervisora",
    "proprietario",
    "proprietaria",
    "secretaria",
    "administrador",
    "human",
    "person",
    "agent",
    "manager",
    "representative",
    "owner",
    "supervisor",
    "staff",
    "operador",
    "operadora",
];

const ANYBODY: &[&str] =
    &["alguem", "pessoa", "pessoas", "gente", "equipe", "ser", "algm", "someone", "somebody", "anyone", "people"];

const SMALL: &[&str] = &[
    "o", "a", "os", "as", "um", "uma", "algum", "alguma", "com", "outro", "outra", "de", "da", "do", "seu", "sua",
    "pra", "para", "the", "an", "your", "real", "some", "ao", "pelo", "pela", "logo", "ja", "direto", "urgente", "meu",
    "por",
];

const POLITE: &[&str] =
    &["por", "favor", "pf", "pfv", "oi", "ola", "bom", "boa", "dia", "tarde", "noite", "please", "obrigado", "quero"];

const ALONE: &[&str] = &[
    "atendente",
    "humano",
    "humana",
    "gerente",
    "atendnte",
    "atendete",
    "human",
    "agent",
    "representative",
    "recepcao",
    "recepcionista",
    "secretaria",
];

/// True if the contact asks not to be messaged any more.
///
/// A keyword (`PARAR`, `SAIR`, `STOP`, `DESCADASTRAR` …) counts only as the whole message, so that "quero sair mais cedo"
/// and "pode parar de chover" do not. Sentences count if they ask for the end of messages.
#[must_use]
pub fn opt_out(text: &str) -> bool {
    let words: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind == TokenKind::Word).collect();
    let whole: Vec<&str> = words
        .iter()
        .map(|token| token.text.as_str())
        .filter(|word| !POLITE.contains(word) && *word != "quero")
        .collect();
    if OPT_OUT_WORDS.contains(&whole.join(" ").as_str()) {
        return true;
    }
    (0..words.len()).any(|index| phrase_at(&words, index, OPT_OUT_PHRASES).is_some())
}

/// True if a contact who asked for no more messages wants them again: a keyword (`VOLTAR`, `START`) as the whole message, or a
/// sentence that asks for messages.
#[must_use]
pub fn opt_in(text: &str) -> bool {
    let words: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind == TokenKind::Word).collect();
    let kept = words.iter().map(|token| token.text.as_str()).filter(|word| !POLITE.contains(word));
    let whole: Vec<&str> = kept.collect();
    OPT_IN_WORDS.contains(&whole.join(" ").as_str())
        || (0..words.len()).any(|index| phrase_at(&words, index, OPT_IN_PHRASES).is_some())
}

const OPT_IN_WORDS: &[&str] =
    &["voltar", "quero voltar", "start", "unstop", "inscrever", "reativar", "ativar mensagens", "subscribe", "opt in"];

const OPT_IN_PHRASES: &[&str] = &[
    "quero receber mensagens",
    "quero receber as mensagens",
    "quero voltar a receber",
    "pode voltar a mandar",
    "pode voltar a me mandar",
    "podem voltar a mandar",
    "want messages again",
    "start messaging me again",
];

const OPT_OUT_WORDS: &[&str] = &[
    "parar",
    "pare",
    "parem",
    "sair",
    "stop",
    "stopall",
    "unsubscribe",
    "descadastrar",
    "descadastre",
    "descadastro",
    "cancelar inscricao",
    "remover",
    "remova",
    "me remova",
    "opt out",
    "optout",
    "sair da lista",
    "me descadastra",
    "me descadastre",
    "para de mandar",
];

const OPT_OUT_PHRASES: &[&str] = &[
    "nao quero mais receber",
    "n quero mais receber",
    "nao quero receber mais",
    "nao quero receber mensagem",
    "nao quero receber mensagens",
    "nao quero receber promocoes",
    "nao quero receber propaganda",
    "nao desejo receber",
    "nao desejo mais receber",
    "nao gostaria de receber",
    "nao gostaria mais de receber",
    "nao quero mais mensagem",
    "nao quero mais mensagens",
    "nao me mande mais",
    "nao me manda mais",
    "nao mande mais",
    "nao mandem mais",
    "nao envie mais",
    "nao me envie mais",
    "nao enviem mais",
    "parar de receber",
    "deixar de receber",
    "para de me mandar mensagem",
    "para de me mandar mensagens",
    "parem de me mandar",
    "pare de me mandar",
    "pare de mandar mensagem",
    "pare de mandar mensagens",
    "para de mandar mensagem",
    "para de mandar mensagens",
    "parem de mandar",
    "me tira da lista",
    "me tirem da lista",
    "tira meu numero",
    "remove meu numero",
    "stop messaging me",
    "stop sending me",
    "no more messages",
];

#[cfg(test)]
#[path = "intents_rules_tests.rs"]
mod tests;
