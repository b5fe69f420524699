//! Which of the two languages a text is in.

use crate::normalize::normalize;

/// True if a text is English, false if it is Portuguese, by their small words; `None` if neither shows.
#[must_use]
pub fn english(text: &str) -> Option<bool> {
    const EN: &[&str] = &[
        "the",
        "i",
        "you",
        "my",
        "is",
        "are",
        "do",
        "what",
        "how",
        "can",
        "want",
        "would",
        "like",
        "please",
        "at",
        "on",
        "hi",
        "hello",
        "hey",
        "yes",
        "thanks",
        "thank",
        "tomorrow",
        "today",
        "appointment",
        "book",
        "with",
        "for",
        "much",
        "have",
        "it",
        "cancel",
        "haircut",
        "time",
        "any",
        "ok",
        "sure",
        "friday",
        "saturday",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "sunday",
        "available",
        "speak",
    ];
    const PT: &[&str] = &[
        "o", "que", "eu", "voce", "voces", "vc", "vcs", "meu", "minha", "quero", "queria", "qual", "quanto", "para",
        "pra", "com", "de", "da", "do", "na", "no", "em", "oi", "ola", "sim", "nao", "obrigado", "obrigada", "amanha",
        "hoje", "marcar", "horario", "um", "uma", "tem", "as", "pode", "bom", "boa", "dia", "sexta", "sabado",
        "cancelar", "ta",
    ];
    let folded = normalize(text);
    let count = |list: &[&str]| {
        folded
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !["ok", "a"].contains(word) && list.contains(word))
            .count()
    };
    let (en, pt) = (count(EN), count(PT));
    (en != pt).then_some(en > pt)
}
