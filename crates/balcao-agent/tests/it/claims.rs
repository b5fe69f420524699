//! What a reply claims must stand on a receipt.

mod corpus;

use balcao_agent::reply_checks::claims::{ClaimVerdict, Evidence, check, fixed_sentence};
use balcao_tool::{Locale, Receipt, ReceiptKind};
use jiff::civil::{Date, date, time};

use self::corpus::{CLAIMS, INNOCENT};

/// A Tuesday.
const TODAY: Date = date(2026, 11, 24);

pub(crate) fn evidence(receipts: Vec<Receipt>) -> Evidence {
    Evidence { receipts, today: TODAY, locale: Locale::PtBr, staff_facing: false }
}

/// Corte with João Batista on Wednesday, 25/11 at 15h for R$ 45,00.
pub(crate) fn receipt(kind: ReceiptKind) -> Receipt {
    Receipt {
        day: Some(date(2026, 11, 25)),
        start: Some(time(15, 0, 0, 0)),
        end: Some(time(15, 30, 0, 0)),
        professional: Some("João Batista".to_owned()),
        service: Some("Corte".to_owned()),
        price_cents: Some(4500),
        ..Receipt::bare(kind)
    }
}

#[test]
fn claims_without_a_receipt_are_caught() {
    let (mut missed, mut all) = (Vec::new(), 0);
    for (_, sentences) in CLAIMS {
        for sentence in *sentences {
            all += 1;
            if check(sentence, &evidence(Vec::new())) == ClaimVerdict::Proven {
                missed.push(*sentence);
            }
        }
    }
    assert!(all >= 150, "{all}");
    assert!(missed.len() * 100 <= all * 2, "{} of {all} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn sentences_without_a_claim_are_left_alone() {
    assert!(INNOCENT.len() >= 150, "{}", INNOCENT.len());
    let alarms: Vec<String> = INNOCENT
        .iter()
        .filter_map(|sentence| match check(sentence, &evidence(Vec::new())) {
            ClaimVerdict::Proven => None,
            ClaimVerdict::Unproven(why) => Some(why),
        })
        .collect();
    assert!(alarms.len() * 100 <= INNOCENT.len(), "{} of {}:\n{}", alarms.len(), INNOCENT.len(), alarms.join("\n"));
}

#[test]
fn the_right_receipt_proves_a_claim() {
    let (mut refused, mut all) = (Vec::new(), 0);
    for (kind, sentences) in CLAIMS {
        for sentence in *sentences {
            all += 1;
            let proof = match kind {
                ReceiptKind::Booked | ReceiptKind::Existing | ReceiptKind::Rescheduled | ReceiptKind::Cancelled => {
                    receipt(*kind)
                }
                ReceiptKind::Noted
                | ReceiptKind::Updated
                | ReceiptKind::Started
                | ReceiptKind::Changed
                | ReceiptKind::HandedOff
                | ReceiptKind::MessagePlanned
                | ReceiptKind::Waitlisted
                | ReceiptKind::MessageCancelled
                | ReceiptKind::Ended => Receipt::bare(*kind),
            };
            if let ClaimVerdict::Unproven(why) = check(sentence, &evidence(vec![proof])) {
                refused.push(why);
            }
        }
    }
    assert!(refused.len() * 100 <= all * 2, "{} of {all} refused:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn a_receipt_of_another_kind_proves_nothing() {
    for (text, kind) in [
        ("Cancelei seu horário de amanhã.", ReceiptKind::Existing),
        ("Remarquei para amanhã às 15h.", ReceiptKind::Existing),
        ("Marquei para amanhã às 15h.", ReceiptKind::Existing),
        ("Marquei para amanhã às 15h.", ReceiptKind::Cancelled),
        ("Chamei um atendente.", ReceiptKind::Noted),
        ("Te lembro amanhã.", ReceiptKind::Booked),
        // What another system changed is nothing that was booked or called off here.
        ("Cancelei seu horário de amanhã.", ReceiptKind::Changed),
        ("Marquei para amanhã às 15h.", ReceiptKind::Changed),
        ("Chamei um atendente.", ReceiptKind::Changed),
        // An automation is nothing that was noted, sent or called off.
        ("Anotei aqui.", ReceiptKind::Started),
        ("Atualizei seu cadastro.", ReceiptKind::Started),
        ("Cancelei o lembrete.", ReceiptKind::Started),
    ] {
        assert!(matches!(check(text, &evidence(vec![receipt(kind)])), ClaimVerdict::Unproven(_)), "{text} {kind:?}");
    }
}

#[test]
fn wrong_facts_beside_a_right_receipt_are_caught() {
    let wrong = [
        "Marquei para amanhã às 16h com o João.",
        "Marquei para amanhã às 15h30.",
        "Tá marcado! Quinta às 15h.",
        "Agendado para sexta, 27/11, às 15h.",
        "Agendado para quinta, 25/11, às 15h.",
        "Marquei seu corte com a Stephane amanhã às 15h.",
        "Marquei com o Vanderson Reis para quarta às 15h.",
        "Corte marcado para amanhã às 15h por R$ 50,00.",
        "Marquei sua barba para amanhã às 15h.",
        "Agendei corte e barba para quarta às 15h.",
        "Confirmado para hoje às 15h!",
        "Marcado para amanhã de manhã.",
        "I've booked your haircut for Friday at 3pm.",
        "Booked! Tomorrow at 4pm.",
    ];
    for text in wrong {
        assert!(
            matches!(check(text, &evidence(vec![receipt(ReceiptKind::Booked)])), ClaimVerdict::Unproven(_)),
            "{text}"
        );
    }
}

#[test]
fn several_receipts_prove_a_sentence_about_several_things() {
    let friday =
        Receipt { day: Some(date(2026, 11, 27)), start: Some(time(10, 0, 0, 0)), ..receipt(ReceiptKind::Booked) };
    let both = evidence(vec![receipt(ReceiptKind::Cancelled), friday.clone()]);
    assert_eq!(check("Cancelei o de quarta às 15h e marquei para sexta às 10h.", &both), ClaimVerdict::Proven);
    let listed = evidence(vec![receipt(ReceiptKind::Existing), Receipt { kind: ReceiptKind::Existing, ..friday }]);
    assert_eq!(check("Você tem dois horários: quarta às 15h e sexta às 10h.", &listed), ClaimVerdict::Proven);
    assert_ne!(check("Você tem dois horários: quarta às 15h e sábado às 10h.", &listed), ClaimVerdict::Proven);
}

#[test]
fn the_correction_says_what_is_true() {
    let ClaimVerdict::Unproven(facts) =
        check("Marquei para amanhã às 16h.", &evidence(vec![receipt(ReceiptKind::Booked)]))
    else {
        panic!("the time is wrong");
    };
    assert!(
        facts.contains("Marquei para amanhã às 16h.") && facts.contains("Corte com João Batista, quarta, 25/11 às 15h"),
        "{facts}"
    );
}

#[test]
fn the_fixed_sentence_is_made_of_the_effects() {
    let all = evidence(vec![receipt(ReceiptKind::Existing), receipt(ReceiptKind::Booked)]);
    assert_eq!(fixed_sentence(&all).as_deref(), Some("Confirmado: Corte com João Batista, quarta, 25/11 às 15h."));
    let english = Evidence { locale: Locale::En, ..evidence(vec![receipt(ReceiptKind::Cancelled)]) };
    assert_eq!(
        fixed_sentence(&english).as_deref(),
        Some("Cancelled: Corte with João Batista, Wednesday, Nov 25 at 15:00.")
    );
    assert_eq!(fixed_sentence(&evidence(vec![Receipt::bare(ReceiptKind::Noted)])), None);
    assert_eq!(fixed_sentence(&evidence(Vec::new())), None);
    // What it says is proven by the same receipts.
    let said = fixed_sentence(&all).unwrap();
    assert_eq!(check(&said, &all), ClaimVerdict::Proven);
}

#[test]
fn to_staff_a_figure_is_no_claim_and_an_act_of_ones_own_is() {
    let staff = Evidence { staff_facing: true, ..evidence(Vec::new()) };
    let figures = [
        "Resumo de 2026-11\n- Agendamentos: 12\n- Cancelados: 3",
        "Foram cancelados 3 horários neste mês.",
        "A Lívia cancelou duas vezes; o horário de sexta foi cancelado.",
        "O corte da Ana está marcado para sexta às 15h.",
        "3 appointments were cancelled this month.",
    ];
    for text in figures {
        assert_eq!(check(text, &staff), ClaimVerdict::Proven, "{text}");
    }
    for text in
        ["Pronto, cancelei o horário da Ana.", "Cancelado!", "Marquei a Lívia para sexta.", "I've cancelled it."]
    {
        assert!(matches!(check(text, &staff), ClaimVerdict::Unproven(_)), "{text}");
    }
    assert!(matches!(check("O horário de sexta foi cancelado.", &evidence(Vec::new())), ClaimVerdict::Unproven(_)));
}
