//! Claims need receipts: a reply that says something was done must be able to prove it.
//!
//! [`claims_in`](find::claims_in) reads sentences: what each says was done or will be done, unless it asks, offers, denies or
//! describes a rule. [`facts_in`](facts::facts_in) reads the days, times, names and prices beside it. A claim is proven by a
//! receipt of its kind that has the same facts. A price, date or time that nothing is known to say is
//! found by [`find_ungrounded`].
//!
//! Not here: what tools did (receipts come from the turn), the customer's wording of true sentences (`locales/`).

mod facts;
mod find;
mod kind;
mod ungrounded;
mod words;

use balcao_language::format;
use balcao_tool::{Locale, Receipt, ReceiptKind};
use jiff::civil::Date;

use crate::notice::{fill, notices};
use crate::reply_checks::claims::kind::ClaimKind;
use facts::Facts;
pub(crate) use facts::prices_in;
use find::Claim;
pub use ungrounded::{UngroundedValue, find_ungrounded};

/// What a reply may rest on.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// Receipts of this turn, and those of records that it looked up.
    pub receipts: Vec<Receipt>,
    /// The organization's civil day.
    pub today: Date,
    /// The conversation's language.
    pub locale: Locale,
    /// Whether it is staff who read it: to them "12 cancelados" is a figure. What the writer says of its own acts stays a claim.
    pub staff_facing: bool,
}

/// Whether a reply's claims are proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimVerdict {
    /// All of them, or there are none.
    Proven,
    /// One is not. The text says which and what is true instead, for the model.
    Unproven(String),
}

/// Compares a reply's claims with the evidence. The first claim without proof decides.
#[must_use]
pub fn check(text: &str, evidence: &Evidence) -> ClaimVerdict {
    let counts = |claim: &Claim<'_>| !evidence.staff_facing || find::tells_of_own_act(claim.sentence);
    for claim in find::claims_in(text).into_iter().filter(counts) {
        if let Some(problem) = problem_of(&claim, evidence) {
            return ClaimVerdict::Unproven(correction(&claim, problem, evidence));
        }
    }
    ClaimVerdict::Proven
}

/// A true sentence made of the effects among the receipts; without effects, of the appointments that were found; `None`
/// if there is neither.
#[must_use]
pub fn fixed_sentence(evidence: &Evidence) -> Option<String> {
    let words = notices(evidence.locale);
    let sentences = |wanted: &dyn Fn(ReceiptKind) -> bool| -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for receipt in evidence.receipts.iter().filter(|receipt| wanted(receipt.kind)) {
            let notice = match receipt.kind {
                ReceiptKind::Booked => &words.booked,
                ReceiptKind::Rescheduled => &words.rescheduled,
                ReceiptKind::Cancelled => &words.cancelled,
                ReceiptKind::Waitlisted => &words.waitlisted,
                ReceiptKind::Existing => &words.existing,
                ReceiptKind::Noted
                | ReceiptKind::Updated
                | ReceiptKind::Started
                | ReceiptKind::Changed
                | ReceiptKind::HandedOff
                | ReceiptKind::MessagePlanned
                | ReceiptKind::MessageCancelled
                | ReceiptKind::Ended => continue,
            };
            let facts = facts_of(receipt, evidence.locale);
            let sentence = if facts.is_empty() {
                notice.split(':').next().map(|head| format!("{head}.")).unwrap_or_default()
            } else {
                fill(notice, "facts", &facts)
            };
            if !all.contains(&sentence) {
                all.push(sentence);
            }
        }
        all
    };
    let effects = sentences(&|kind| kind != ReceiptKind::Existing);
    let all = if effects.is_empty() { sentences(&|kind| kind == ReceiptKind::Existing) } else { effects };
    (!all.is_empty()).then(|| all.join(" "))
}

/// "Corte com João Batista, quarta, 25/11 às 15h": what the receipt has of it.
fn facts_of(receipt: &Receipt, locale: Locale) -> String {
    let (with, at) = match locale {
        Locale::PtBr => ("com", "às"),
        Locale::En => ("with", "at"),
    };
    let what = match (&receipt.service, &receipt.professional) {
        (Some(service), Some(professional)) => format!("{service} {with} {professional}"),
        (Some(service), None) => service.clone(),
        (None, Some(professional)) => format!("{with} {professional}"),
        (None, None) => String::new(),
    };
    let day = receipt.day.map(|day| format::day(day, locale)).unwrap_or_default();
    let time = receipt.start.map(|start| format!("{at} {}", format::time(start, locale))).unwrap_or_default();
    let when = [day, time].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    [what, when].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// What is wrong with a claim.
enum Problem {
    /// No receipt of its kind.
    NoReceipt,
    /// There is one, with other facts.
    OtherFacts,
}

fn problem_of(claim: &Claim<'_>, evidence: &Evidence) -> Option<Problem> {
    let proofs: Vec<&Receipt> =
        evidence.receipts.iter().filter(|receipt| claim.kinds.iter().any(|kind| proves(*kind, receipt.kind))).collect();
    let each_kind = claim.kinds.iter().all(|kind| proofs.iter().any(|receipt| proves(*kind, receipt.kind)));
    if !each_kind {
        return Some(Problem::NoReceipt);
    }
    let facts = facts::facts_in(claim.facts, evidence.today);
    let moved = claim.kinds.contains(&ClaimKind::Rescheduled);
    (!fit(&facts, &proofs, moved, claim.kinds.len() > 1)).then_some(Problem::OtherFacts)
}

/// One receipt with all the facts; or, where a sentence speaks of several things, each fact in some receipt.
fn fit(facts: &Facts, proofs: &[&Receipt], moved: bool, several: bool) -> bool {
    let one = proofs.iter().any(|receipt| facts.fit(receipt, moved));
    let listed = several || (proofs.len() > 1 && facts.is_list());
    one || (listed && facts.each_in(proofs))
}

const fn proves(claim: ClaimKind, receipt: ReceiptKind) -> bool {
    use ReceiptKind as R;
    match claim {
        ClaimKind::Booked => matches!(receipt, R::Booked),
        ClaimKind::Existing => matches!(receipt, R::Booked | R::Existing | R::Rescheduled),
        ClaimKind::Rescheduled => matches!(receipt, R::Rescheduled),
        ClaimKind::Cancelled => matches!(receipt, R::Cancelled),
        ClaimKind::Noted => matches!(receipt, R::Noted | R::Updated | R::Changed | R::HandedOff),
        ClaimKind::HandedOff => matches!(receipt, R::HandedOff),
        ClaimKind::Waitlisted => matches!(receipt, R::Waitlisted),
        ClaimKind::Planned => matches!(receipt, R::MessagePlanned | R::Waitlisted | R::HandedOff),
        ClaimKind::MessageCancelled => matches!(receipt, R::MessageCancelled | R::Cancelled),
        ClaimKind::Done => !matches!(receipt, R::Existing),
    }
}

fn correction(claim: &Claim<'_>, problem: Problem, evidence: &Evidence) -> String {
    let truth: Vec<String> = evidence.receipts.iter().map(|receipt| truth_of(receipt, evidence.locale)).collect();
    let said = claim.sentence.trim();
    match evidence.locale {
        Locale::PtBr => {
            let wrong = match problem {
                Problem::NoReceipt => "nada neste atendimento comprova isso",
                Problem::OtherFacts => "os dados não são os do registro",
            };
            let truth =
                if truth.is_empty() { "nada foi feito nem agendado até agora".to_owned() } else { truth.join("; ") };
            format!(
                "Você escreveu «{said}», mas {wrong}. A verdade: {truth}. Reescreva a resposta só com o que é verdade."
            )
        }
        Locale::En => {
            let wrong = match problem {
                Problem::NoReceipt => "nothing in this conversation proves it",
                Problem::OtherFacts => "the details are not those on record",
            };
            let truth = if truth.is_empty() {
                "nothing has been done or scheduled so far".to_owned()
            } else {
                truth.join("; ")
            };
            format!(
                "You wrote «{said}», but {wrong}. The truth: {truth}. Write the reply again with true statements only."
            )
        }
    }
}

/// A receipt in words, for the model.
fn truth_of(receipt: &Receipt, locale: Locale) -> String {
    let (pt, en) = match receipt.kind {
        ReceiptKind::Booked => ("foi marcado", "booked"),
        ReceiptKind::Rescheduled => ("foi remarcado para", "rescheduled to"),
        ReceiptKind::Cancelled => ("foi cancelado", "cancelled"),
        ReceiptKind::Existing => ("já existe", "already on record"),
        ReceiptKind::Noted => ("uma nota foi escrita", "a note was written"),
        ReceiptKind::Updated => ("o cadastro foi atualizado", "the contact's record was updated"),
        ReceiptKind::Started => ("uma automação foi iniciada", "an automation was started"),
        ReceiptKind::Changed => ("o sistema ligado foi alterado", "the connected system was changed"),
        ReceiptKind::HandedOff => ("uma pessoa foi chamada", "a person was called"),
        ReceiptKind::MessagePlanned => ("uma mensagem está programada", "a message is planned"),
        ReceiptKind::Waitlisted => ("entrou na lista de espera", "put on the waiting list"),
        ReceiptKind::MessageCancelled => ("a mensagem programada foi desfeita", "the planned message was called off"),
        ReceiptKind::Ended => ("a conversa será arquivada", "the conversation will be archived"),
    };
    let word = match locale {
        Locale::PtBr => pt,
        Locale::En => en,
    };
    let facts = facts_of(receipt, locale);
    let price = receipt.price_cents.map(|cents| format!(" ({})", format::reais(cents, locale))).unwrap_or_default();
    if facts.is_empty() { format!("{word}{price}") } else { format!("{word}: {facts}{price}") }
}
