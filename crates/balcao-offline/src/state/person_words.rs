//! Words of names, and numbers: what both readings of who comes look for.

/// Words that may answer a question for a name without being a name.
pub(super) const NO_NAMES: [&str; 45] = [
    "prefiro", "muda", "mudar", "troca", "trocar", "queria", "gostaria", "como", "assim", "ue", "sei", "la", "mim",
    "quem", "eu", "sim", "nao", "isso", "ok", "oi", "ola", "obrigado", "obrigada", "quero", "yes", "no", "pra",
    "mesmo", "tanto", "qualquer", "melhor", "pode", "pera", "espera", "qual", "quanto", "onde", "voce", "vc", "vcs",
    "que", "hoje", "amanha", "marcar", "tem",
];
/// Particles of names.
pub(super) const PARTICLES: [&str; 5] = ["da", "de", "do", "dos", "das"];
/// A number with area code has so many digits, without or with its country.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 10..=13;

/// Whether a folded word is none of a name.
pub(super) fn is_no_name(folded: &str) -> bool {
    NO_NAMES.contains(&folded)
}

/// The first number in a text that has an area code.
pub(super) fn phone_in(text: &str) -> Option<String> {
    let part_of_one = |letter: char| letter.is_ascii_digit() || " +()-.".contains(letter);
    let runs = text.split(|letter: char| !part_of_one(letter)).map(str::trim);
    let digits = |run: &&str| PHONE_DIGITS.contains(&run.chars().filter(char::is_ascii_digit).count());
    runs.map(|run| run.trim_matches(|letter| ".-".contains(letter)).trim()).find(digits).map(str::to_owned)
}
