//! What a reply claims must stand on a receipt.

use balcao_agent::claims::{ClaimVerdict, Evidence, check, fixed_sentence};
use balcao_tool::{Locale, Receipt, ReceiptKind};
use jiff::civil::{Date, date, time};

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

/// Sentences that claim, with the receipt that would prove each.
const CLAIMS: &[(ReceiptKind, &[&str])] = &[
    (
        ReceiptKind::Booked,
        &[
            "Sim, confirmo. O horário é amanhã às 15h com João Batista.",
            "Confirmo seu corte para amanhã às 15h.",
            "Ok, confirmado então: amanhã às 15h.",
            "Yes, I confirm your haircut for tomorrow at 3pm.",
            "Perfeito, confirmamos para amanhã às 15h.",
            "O cliente marcou corte com o João amanhã às 15h.",
            "Agendamos seu corte para amanhã às 15h.",
            "Marcamos pra amanhã às 15h com o João.",
            "O sistema reservou seu horário, amanhã às 15h.",
            "A gente já agendou pra você, amanhã às 15h.",
            "Acabei de marcar seu corte para amanhã às 15h.",
            "Marquei seu corte para amanhã às 15h com o João.",
            "Agendei para quarta, 25/11, às 15h.",
            "Prontinho, tá marcado!",
            "Tá marcado, Pedro! Quarta às 15h.",
            "Seu horário está confirmado para amanhã às 15h.",
            "Agendamento confirmado!",
            "Corte agendado com João Batista, 25/11 às 15h.",
            "Reservei pra vc amanhã 15h.",
            "Fechado! Amanhã às 15h com o João.",
            "Marcado para quarta às 15h ✅",
            "✅ Agendado: Corte com João Batista, quarta, 25/11 às 15h.",
            "Confirmado! Te espero amanhã às 15h.",
            "Ficou agendado para as 15h de amanhã.",
            "Deixei marcado pra amanhã às 15h.",
            "Já está tudo certo, reservado para quarta 15h.",
            "Consegui te encaixar amanhã às 15h!",
            "Fiz o agendamento do seu corte.",
            "Foi agendado com sucesso!",
            "Seu corte foi marcado para 25/11.",
            "Horário garantido com o João amanhã às 15h!",
            "Garanti seu horário de amanhã.",
            "Confirmei aqui: quarta às 15h.",
            "Coloquei você na agenda do João amanhã às 15h.",
            "Marquei para as 15h, tudo bem?",
            "Combinado, amanhã às 15h então!",
            "Reserva feita!",
            "A reserva do seu horário foi realizada.",
            "Agendado!",
            "Pronto, agendado.",
            "Pronto! Marcado com o João às 15h.",
            "Tudo certo! Marcado.",
            "Está confirmado o seu corte de R$ 45,00.",
            "O horário é seu!",
            "Beleza, marcado então.",
            "Show, marquei!",
            "ta marcado mano",
            "ja ta agendado viu",
            "Não se preocupe, está marcado.",
            "Te esperamos amanhã às 15h!",
            "Booked! Tomorrow at 3pm with João.",
            "I've booked your haircut for tomorrow at 15:00.",
            "Your appointment is confirmed for November 25.",
            "You're all set for tomorrow at 3 pm.",
            "I have scheduled your haircut with João Batista.",
            "Your booking has been confirmed.",
            "We've reserved your slot.",
            "It's booked!",
            "I just scheduled it for you.",
            "See you on Wednesday!",
            "You're booked with João tomorrow.",
        ],
    ),
    (
        ReceiptKind::Existing,
        &[
            "Você marcou corte com o João, amanhã às 15h.",
            "O cliente já tem um horário marcado amanhã às 15h.",
            "Você tem um horário marcado para amanhã às 15h.",
            "Você já tem um corte agendado na quarta às 15h com o João.",
            "Seu próximo horário é amanhã, 25/11, às 15h.",
            "Seu agendamento está marcado para quarta.",
            "Você tem horário dia 25 às 15h.",
            "Você possui um agendamento em 25/11.",
            "Seu corte continua marcado para amanhã.",
            "Seu horário segue confirmado para quarta às 15h.",
            "You have an appointment tomorrow at 3pm.",
            "Your next appointment is on November 25.",
            "You already have a haircut booked for tomorrow.",
            "Your appointment is still scheduled for tomorrow.",
        ],
    ),
    (
        ReceiptKind::Rescheduled,
        &[
            "O cliente remarcou para amanhã às 15h.",
            "Remarcamos seu corte para amanhã às 15h.",
            "Acabamos de remarcar para amanhã às 15h.",
            "Remarquei para amanhã às 15h.",
            "Prontinho, reagendei seu corte para quarta às 15h.",
            "Mudei seu horário para as 15h.",
            "Seu horário foi remarcado para amanhã.",
            "Remarcado! Agora é quarta às 15h.",
            "Seu agendamento foi alterado para 25/11.",
            "Passei você para amanhã às 15h.",
            "Transferi seu horário de sexta às 10h para quarta às 15h.",
            "Ficou remarcado para amanhã às 15h com o João.",
            "Troquei seu horário pra quarta.",
            "Adiantei seu corte para amanhã.",
            "Alterei o agendamento como você pediu.",
            "Tá remarcado!",
            "Consulta reagendada para 25/11 às 15h.",
            "I've rescheduled your appointment to tomorrow at 3pm.",
            "I moved your haircut to Wednesday.",
            "Your appointment has been moved to tomorrow.",
            "Rescheduled! See you tomorrow.",
            "It's been rescheduled to 15:00.",
            "I have changed your appointment to November 25.",
        ],
    ),
    (
        ReceiptKind::Cancelled,
        &[
            "Tudo ótimo! O cliente cancelou o horário de amanhã às 15h.",
            "Você cancelou o corte de amanhã às 15h.",
            "Cancelamos seu horário de amanhã às 15h.",
            "O sistema já cancelou seu horário.",
            "Acabei de cancelar seu corte de amanhã.",
            "The customer has cancelled the appointment.",
            "You have cancelled your haircut for tomorrow at 3pm.",
            "Cancelei seu horário de amanhã.",
            "Seu agendamento foi cancelado.",
            "Prontinho, cancelado!",
            "Cancelado.",
            "Desmarquei seu corte de quarta.",
            "Tá cancelado.",
            "O horário das 15h foi desmarcado.",
            "Cancelamento feito!",
            "Seu corte de amanhã está cancelado.",
            "Pronto, desmarcado.",
            "Já cancelei pra você.",
            "Fiz o cancelamento do seu horário.",
            "Agendamento cancelado com sucesso!",
            "ok, cancelei",
            "Seu horário com o João foi cancelado.",
            "I've cancelled your appointment.",
            "Your appointment has been canceled.",
            "Cancelled!",
            "Done, it's cancelled.",
            "I canceled it for you.",
            "We have cancelled your booking for tomorrow.",
        ],
    ),
    (
        ReceiptKind::HandedOff,
        &[
            "Avisamos a equipe.",
            "Já acionamos um atendente para você.",
            "A equipe já foi avisada.",
            "Chamei um atendente para você.",
            "Já avisei a equipe, logo te respondem.",
            "Encaminhei seu caso para o gerente.",
            "Passei seu pedido para nossa equipe.",
            "Vou te transferir para um atendente.",
            "Estou transferindo você para uma pessoa da equipe.",
            "Um atendente vai te responder em breve.",
            "Alguém da equipe vai falar com você.",
            "Acionei o responsável.",
            "Seu atendimento foi encaminhado para a equipe.",
            "Notifiquei a gerência.",
            "Falei com a recepção sobre isso.",
            "I've notified the team.",
            "Someone from our team will contact you.",
            "I'm transferring you to a person.",
            "I have called the manager for you.",
            "A colleague will get back to you.",
        ],
    ),
    (
        ReceiptKind::MessagePlanned,
        &[
            "Te aviso quando abrir uma vaga.",
            "Vou te lembrar amanhã cedo.",
            "Vou verificar e volto já.",
            "Vou verificar com a equipe e te retorno.",
            "Já te retorno!",
            "Te lembro um dia antes.",
            "Assim que abrir horário te aviso.",
            "Vou te avisar se alguém desistir.",
            "Você vai receber um lembrete na véspera.",
            "Você receberá uma mensagem de confirmação.",
            "Entraremos em contato em breve.",
            "Mando um lembrete amanhã.",
            "Volto em breve com a resposta.",
            "Só um momento, vou verificar.",
            "Um instante, vou consultar a agenda.",
            "Vou checar com o João e te falo.",
            "Pode deixar que eu te aviso.",
            "Te ligo mais tarde.",
            "Vou ficar de olho e te aviso.",
            "Enviei a confirmação por e-mail.",
            "I'll let you know when a slot opens.",
            "I will remind you tomorrow.",
            "You'll receive a reminder the day before.",
            "We'll get back to you soon.",
            "I'll check and get back to you.",
            "I sent you a confirmation email.",
        ],
    ),
    (
        ReceiptKind::Noted,
        &[
            "Anotamos sua preferência.",
            "O sistema registrou sua preferência.",
            "Anotei que você prefere máquina 2.",
            "Registrei sua preferência.",
            "Deixei anotado para o João.",
            "Atualizei seu cadastro.",
            "Ficou registrado aqui.",
            "Adicionei uma observação no seu cadastro.",
            "Salvei sua preferência.",
            "I've noted your preference.",
            "I made a note for João.",
            "Your record has been updated.",
        ],
    ),
    (
        ReceiptKind::Waitlisted,
        &[
            "Coloquei você na lista de espera.",
            "Te incluí na lista de espera de sexta.",
            "Você já está na lista de espera.",
            "I've added you to the waiting list.",
            "You're on the waitlist now.",
        ],
    ),
];

/// Sentences without a claim.
const INNOCENT: &[&str] = &[
    "Confirmo sim: temos estacionamento.",
    "Confirmo o endereço: Rua Augusta, 1200.",
    "Posso confirmar para amanhã às 15h?",
    "Nós só cancelamos o horário se você faltar sem avisar.",
    "Se o cliente cancelou em cima da hora, não há multa.",
    "Cancelamos seu horário se você atrasar mais de 15 minutos.",
    "Quem cancelou o horário?",
    "Você marcou com quem?",
    "Marcamos por aqui mesmo, é só dizer o dia.",
    "Agendamos pelo WhatsApp.",
    "Remarcamos sem custo até 2 horas antes.",
    "Oi, tudo bem? Como posso ajudar?",
    "Posso marcar para amanhã às 15h?",
    "Quer que eu cancele?",
    "Quer que eu marque?",
    "Tenho 15h e 16h.",
    "Na quinta, 26/11 tenho para Retorno com Dra. Helena Duque: 14h e 16h. Qual horário prefere?",
    "Tenho 14h para o retorno com a doutora.",
    "Tenho 15h com o João. Serve?",
    "Se quiser, eu marco para as 15h.",
    "Se preferir, posso remarcar.",
    "Ainda não marquei, me confirma o horário?",
    "Não foi cancelado.",
    "Seu horário não foi cancelado.",
    "Não consegui marcar às 15h.",
    "Não está confirmado ainda.",
    "Cancelamentos até 2 horas antes são sem custo.",
    "Remarcações podem ser feitas até a véspera.",
    "Os horários são confirmados por mensagem.",
    "O corte custa R$ 45,00 e leva 30 minutos.",
    "Atendemos de terça a sábado.",
    "Abrimos às 9h e fechamos às 19h.",
    "Estamos na Rua Augusta, 1200.",
    "Qual horário você prefere?",
    "Com qual profissional?",
    "Para quando você gostaria?",
    "Temos vagas amanhã às 9h, 10h30 e 14h.",
    "Esse horário já foi reservado por outro cliente.",
    "Infelizmente as 15h já estão ocupadas.",
    "O João não atende às segundas.",
    "Confirma para mim: quarta às 15h com o João?",
    "Posso confirmar?",
    "Então fica quarta às 15h, confirma?",
    "Você quer cancelar o horário de amanhã?",
    "Para cancelar, preciso da sua confirmação.",
    "Para confirmar, responda sim.",
    "Para marcar, me diga o dia e a hora.",
    "Me diga seu nome para eu agendar.",
    "O horário só fica confirmado depois do sinal.",
    "Você já marcou com a gente antes?",
    "Já está marcado com outro profissional?",
    "Posso te colocar na lista de espera?",
    "Quer entrar na lista de espera?",
    "Quer que eu te avise quando abrir vaga?",
    "Se quiser, te aviso quando abrir.",
    "Se preferir, chamo um atendente.",
    "Quer falar com um atendente?",
    "Posso chamar alguém da equipe?",
    "Deseja que eu transfira para uma pessoa?",
    "Entendi que você quer remarcar.",
    "Você disse que queria cancelar, certo?",
    "Você prefere manhã ou tarde?",
    "Perfeito! E qual o serviço?",
    "Combinado! Qual horário fica melhor?",
    "Certo, Pedro. Para qual dia?",
    "Anotado! Qual o seu nome?",
    "Fechado! Com qual barbeiro você quer?",
    "Prontinho! Mais alguma dúvida?",
    "Obrigado pelo contato!",
    "De nada! Até logo.",
    "Bom dia! Em que posso ajudar?",
    "Boa tarde, Ana!",
    "Aceitamos Pix e cartão.",
    "Temos estacionamento ao lado.",
    "O João corta muito bem!",
    "O plano BLACK inclui cortes ilimitados.",
    "A barba sai por R$ 35,00.",
    "O combo custa R$ 70,00.",
    "Trabalhamos com hora marcada.",
    "Atendemos com hora marcada e também por ordem de chegada.",
    "É preciso ter horário marcado.",
    "Sem horário marcado a espera é maior.",
    "Não precisa de agendamento.",
    "O agendamento é feito por aqui mesmo.",
    "O agendamento pode ser cancelado até 2 horas antes.",
    "A consulta pode ser remarcada uma vez.",
    "Seu horário pode ser alterado até amanhã.",
    "Caso precise remarcar, é só avisar.",
    "Se precisar cancelar, avise com 2 horas.",
    "Me avise se precisar cancelar.",
    "Avise a gente se for atrasar.",
    "Gostaria de agendar?",
    "Vamos marcar?",
    "Bora marcar?",
    "Posso reservar esse horário pra você?",
    "Deixo marcado?",
    "Fica confirmado?",
    "Está confirmado?",
    "Foi cancelado por quem?",
    "Você não tem horário marcado.",
    "Não encontrei nenhum agendamento no seu nome.",
    "Você ainda não tem agendamentos.",
    "Não há horários marcados.",
    "Nenhum horário foi cancelado.",
    "Preciso que você confirme antes de eu marcar.",
    "Depois que você confirmar, eu marco.",
    "Quando você confirmar eu agendo.",
    "Assim que você confirmar, eu cancelo.",
    "Tentei marcar às 15h, mas o horário acabou de ser ocupado.",
    "Não consegui cancelar agora.",
    "Não pude remarcar.",
    "Infelizmente não foi possível agendar.",
    "Nunca cancelamos sem avisar.",
    "O horário das 15h está livre.",
    "As 15h estão disponíveis.",
    "O João está disponível amanhã às 15h.",
    "Amanhã às 15h com o João: posso marcar?",
    "Confirmando: corte, amanhã, 15h. Pode ser?",
    "O cancelamento é gratuito até 2 horas antes.",
    "Há multa de 50% para cancelamentos em cima da hora.",
    "Nossa política: cancelado com menos de 2 horas, paga metade.",
    "A taxa de cancelamento é 50%.",
    "Todo agendamento cancelado com antecedência é sem custo.",
    "Cada horário reservado dura 30 minutos.",
    "Você tem alguma preferência de horário?",
    "Você tem interesse na barba também?",
    "Você tem até amanhã para decidir.",
    "Seu nome é Pedro, certo?",
    "Seu plano inclui 2 cortes.",
    "Hi! How can I help?",
    "Shall I book it?",
    "Would you like me to cancel it?",
    "I have 3pm and 4pm open.",
    "If you want, I can book it for you.",
    "I haven't booked anything yet.",
    "Your appointment has not been cancelled.",
    "It is not confirmed yet.",
    "Cancellations are free up to 2 hours before.",
    "Bookings are confirmed by message.",
    "Do you want to reschedule?",
    "Which day works for you?",
    "We are open from 9 to 19.",
    "The haircut costs R$ 45.00.",
    "To book, tell me the day and the time.",
    "To cancel I need your confirmation.",
    "I couldn't book 3pm.",
    "That slot was taken by someone else.",
    "You have no appointments.",
    "Should I put you on the waiting list?",
    "Can I confirm it for tomorrow at 3pm?",
    "Is it confirmed?",
    "You said you wanted to cancel, right?",
    "Please tell me your name so I can book it.",
    "Your appointment can be cancelled until tomorrow.",
    "If you need to cancel, let us know.",
    "We usually book one week ahead.",
    "I can call someone from the team if you prefer.",
    "Would you like to talk to a person?",
    "Once you confirm, I will book it.",
    "Thanks for reaching out!",
    "See you!",
    "Anything else I can help with?",
    "João is available tomorrow at 3pm.",
    "The price is 45 reais.",
    "Temos horário marcado só a partir das 9h?",
    "O corte fica ótimo com a barba feita.",
    "Nossa equipe é formada por três barbeiros.",
    "A equipe atende até as 19h.",
    "O gerente trabalha de terça a sexta.",
    "Vou precisar do seu nome.",
    "Vou te explicar como funciona.",
    "Te mando o endereço: Rua Augusta, 1200.",
    "Te espero uma resposta então!",
    "Pode me avisar se mudar de ideia.",
];

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
