//! The parts of a day as customers name them.

use super::Period;

/// Phrases, first and last start as hour and minute, and the part of the day they belong to.
pub(super) type PeriodRow = (&'static [&'static str], (i8, i8), (i8, i8), Option<Period>);

/// Longer phrases first: the first that fits wins.
pub(super) const PERIODS: [PeriodRow; 14] = [
    (
        &[
            "fim da tarde",
            "fim de tarde",
            "final da tarde",
            "final de tarde",
            "finalzinho da tarde",
            "fimzinho da tarde",
            "finzinho da tarde",
            "tardinha",
            "late afternoon",
            "end of the afternoon",
        ],
        (16, 0),
        (18, 59),
        Some(Period::Afternoon),
    ),
    (&["fim do dia", "final do dia", "end of the day", "ultimo horario"], (17, 0), (23, 59), None),
    (&["comeco da tarde", "inicio da tarde", "early afternoon"], (12, 0), (14, 59), Some(Period::Afternoon)),
    (&["fim da manha", "final da manha", "meio da manha", "late morning"], (10, 0), (12, 0), Some(Period::Morning)),
    (
        &[
            "comeco da manha",
            "inicio da manha",
            "manha cedo",
            "manha bem cedo",
            "logo cedo",
            "bem cedo",
            "cedinho",
            "primeira hora",
            "primeiro horario",
            "early morning",
        ],
        (0, 0),
        (9, 59),
        Some(Period::Morning),
    ),
    (
        &["depois do almoco", "dps do almoco", "apos o almoco", "depois de almoco", "after lunch"],
        (13, 0),
        (17, 59),
        Some(Period::Afternoon),
    ),
    (&["antes do almoco", "before lunch"], (0, 0), (11, 59), Some(Period::Morning)),
    (
        &["hora do almoco", "hora de almoco", "horario de almoco", "horario do almoco", "no almoco", "lunchtime"],
        (11, 30),
        (13, 59),
        None,
    ),
    (
        &["depois do trabalho", "apos o trabalho", "depois do expediente", "depois do servico", "after work"],
        (18, 0),
        (23, 59),
        Some(Period::Evening),
    ),
    (&["madrugada"], (0, 0), (5, 59), Some(Period::Night)),
    (&["manha", "manhazinha", "morning"], (0, 0), (11, 59), Some(Period::Morning)),
    (&["tarde", "afternoon"], (12, 0), (17, 59), Some(Period::Afternoon)),
    (&["noite", "noitinha", "evening", "tonight", "night"], (18, 0), (23, 59), Some(Period::Evening)),
    (&["qualquer hora", "qualquer horario", "any time", "anytime"], (0, 0), (23, 59), None),
];
