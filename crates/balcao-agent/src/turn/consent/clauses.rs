//! The clauses of a text of ours, and which of them offer.

use balcao_language::{find_dates, find_times};
use jiff::civil::Date;

use super::{
    denial::denies,
    sentences::parts,
    vocabulary::{AFFIRMING, CONDITIONS},
};
use crate::turn::grounding::words;

/// What a clause does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It says what can be, or might: the rest decides.
    Statement,
    /// It says that something cannot be.
    Denial,
    /// It is of the last question.
    Question,
    /// It stands behind the question and corrects nothing: "Te espero!".
    Aside,
}

/// A part of a text of ours that either offers or denies.
pub(super) struct Clause {
    pub(super) text: String,
    pub(super) role: Role,
    /// It stands behind the last question.
    pub(super) is_behind: bool,
}

impl Clause {
    /// Whether the clause belongs to what is offered.
    pub(super) fn offers(&self) -> bool {
        matches!(self.role, Role::Statement | Role::Question)
    }
}

/// The clauses of a text of ours. This is the one rule for days, times, persons and services.
pub(super) fn clauses(text: &str, today: Date) -> Vec<Clause> {
    let Some((asked, behind)) = text.rsplit_once('?') else {
        return clauses_of(text, false).into_iter().flatten().collect();
    };
    let mut sentences = clauses_of(asked, false);
    for clause in sentences.last_mut().into_iter().flatten().filter(|clause| clause.role == Role::Statement) {
        clause.role = Role::Question;
    }
    let mut all: Vec<Clause> = sentences.into_iter().flatten().collect();
    let mut tail = clauses_of(behind, true);
    // "Se não puder, me avise" denies nothing.
    let is_condition =
        |clause: &Clause| words(&clause.text).first().is_some_and(|first| CONDITIONS.contains(&first.as_str()));
    for sentence in &mut tail {
        sentence.retain(|clause| !is_condition(clause));
    }
    tail.retain(|sentence| !sentence.is_empty());
    // What stands behind the question offers something only where it corrects the question, with the denial in its own sentence or right
    // before it: "quinta está cheia, seria sexta". "Não se atrase. Sábado temos festa." corrects nothing.
    let mut corrects = false;
    for sentence in &mut tail {
        let denies_here = sentence.iter().any(|clause| clause.role == Role::Denial);
        for clause in sentence.iter_mut().filter(|clause| clause.role == Role::Statement) {
            if !(denies_here || corrects) || !affirms(&clause.text) {
                clause.role = Role::Aside;
            }
        }
        let names_when = |text: &str| !find_dates(text, today).is_empty() || !find_times(text).is_empty();
        corrects = sentence.iter().any(|clause| clause.role == Role::Denial && names_when(&clause.text));
    }
    all.extend(tail.into_iter().flatten());
    all
}

/// Whether a text has a word by which a clause says what can be.
pub(super) fn affirms(text: &str) -> bool {
    words(text).iter().any(|word| AFFIRMING.contains(&word.as_str()))
}

/// The clauses of a part of a text, sentence by sentence. A comma parts what cannot be from what can: "barba a gente não faz, só corte". It
/// parts nothing else, since it also stands within a day: "sexta, 27/11, às 15h".
fn clauses_of(text: &str, is_behind: bool) -> Vec<Vec<Clause>> {
    let mut all = Vec::new();
    for sentence in parts(text, &['.', '!', ';', '\n', '?']) {
        let mut turned = vec![sentence];
        for turn in [" mas ", " porém ", " but "] {
            turned = turned.into_iter().flat_map(|part| part.split(turn)).collect();
        }
        let mut clauses = Vec::new();
        let mut push = |text: String, is_denied: bool| {
            let role = if is_denied { Role::Denial } else { Role::Statement };
            clauses.push(Clause { text, role, is_behind });
        };
        for part in turned {
            let (mut text, mut is_denied) = (String::new(), false);
            for piece in part.split_inclusive(',') {
                let denied = denies(piece);
                if is_denied && !denied && affirms(piece) {
                    push(std::mem::take(&mut text), true);
                    is_denied = false;
                }
                text.push_str(piece);
                is_denied |= denied;
            }
            push(text, is_denied);
        }
        all.push(clauses);
    }
    all
}

/// The texts of clauses as one.
pub(super) fn join<'a>(clauses: impl Iterator<Item = &'a Clause>) -> String {
    clauses.map(|clause| clause.text.as_str()).collect::<Vec<_>>().join(" ")
}
