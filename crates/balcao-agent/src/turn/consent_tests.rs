use balcao_tool::Locale;
use jiff::civil::date;
use serde_json::json;

use super::*;

/// The newest first.
fn consent(deed: Asked, lines: &[Utterance<'_>]) -> Consent {
    consent_to(deed, lines, "2026-11-27", "15:00")
}

/// The same with another day and time.
fn consent_to(deed: Asked, lines: &[Utterance<'_>], day: &str, time: &str) -> Consent {
    let args = json!({"barber_name": "Wesley", "date": day, "start_hour": time, "service_name": "Corte na máquina"});
    let kinds = [
        ("barber_name", SaidAs::Name),
        ("date", SaidAs::Day),
        ("start_hour", SaidAs::Time),
        ("service_name", SaidAs::Service),
    ];
    of_words(
        deed,
        &args,
        &kinds.map(|(name, kind)| (name.to_owned(), kind)).into(),
        &DialogueHistory { lines: lines.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None },
    )
}

#[test]
fn an_offer_is_agreed_to_by_a_yes_that_says_no_other_thing() {
    let offer = Utterance::Us("Sexta, 27/11, às 15h com o Wesley. Posso marcar?");
    for given in ["sim", "bora", "👍", "pode marcar sexta às 15h", "sim, com o Wesley", "15h então"] {
        assert_eq!(
            consent(Asked::Booking, &[Utterance::Customer(given), offer, Utterance::Customer("quero cortar sexta")]),
            Consent::Given,
            "{given}"
        );
    }
    for open in ["sim, mas às 16h", "sim, com a Íris", "talvez", "não", "sim?", "quanto custa?", "👎"] {
        assert_ne!(
            consent(Asked::Booking, &[Utterance::Customer(open), offer, Utterance::Customer("quero cortar sexta")]),
            Consent::Given,
            "{open}"
        );
    }
    assert_eq!(consent(Asked::Cancelling, &[Utterance::Customer("sim"), offer]), Consent::Absent);
}

#[test]
fn a_yes_agrees_to_the_day_and_time_that_it_answers() {
    let offer = Utterance::Us("Sexta, 27/11, às 15h o Wesley tem horário para Corte na máquina. Posso marcar?");
    for wish in [
        "quero cortar na máquina sexta com o Wesley",
        "quero cortar com o Wesley",
        "quero cortar amanhã com o Wesley",
        "quero cortar quarta ou sexta com o Wesley",
        "às 11h de sexta não consigo, quero cortar com o Wesley",
    ] {
        let to = |day, time| {
            consent_to(Asked::Booking, &[Utterance::Customer("sim"), offer, Utterance::Customer(wish)], day, time)
        };
        assert_eq!(to("2026-11-27", "15:00"), Consent::Given, "{wish}");
        for (day, time) in
            [("2026-12-04", "15:00"), ("2026-12-11", "15:00"), ("2026-11-25", "15:00"), ("2026-11-27", "11:00")]
        {
            assert_ne!(to(day, time), Consent::Given, "{wish}: {day} {time}");
        }
    }
    // Where the offer names no day, the newest line that does counts.
    let talk = [Utterance::Customer("sim"), Utterance::Us("Às 15h tem. Pode ser?"), Utterance::Customer("quero sexta")];
    assert_eq!(consent_to(Asked::Booking, &talk, "2026-11-27", "15:00"), Consent::Given);
    assert_ne!(consent_to(Asked::Booking, &talk, "2026-12-04", "15:00"), Consent::Given);
}

#[test]
fn a_yes_to_another_question_agrees_to_no_deed() {
    let asked = Utterance::Customer("quero cortar sexta com o Wesley");
    for offer in [
        "Sexta, 27/11, às 15h o Wesley tem horário. Quer saber os preços?",
        "Sexta, 27/11, às 15h o Wesley tem horário. Posso te mandar fotos dos cortes?",
        "Sexta, 27/11, às 15h com o Wesley. Posso ajudar em mais alguma coisa?",
        "Você mora perto? Sexta 27/11 às 15h o Wesley faz Corte na máquina.",
        "Não temos sexta 27/11 às 15h com o Wesley. Tudo bem?",
        "Sexta 27/11 às 15h o Wesley já está ocupado. Quer que eu veja outro dia?",
        "Quer que eu te avise se vagar sexta, 27/11, às 15h?",
        "Quer que a equipe te ligue sexta, 27/11, às 15h?",
        "Quer que eu veja se tem sexta, 27/11, às 15h?",
        "Quer receber um lembrete de sexta, 27/11, às 15h?",
        "Seu amigo vem sexta, 27/11, às 15h?",
        "Foi você que perguntou de sexta, 27/11, às 15h?",
        "Sexta, 27/11, às 15h fica ruim pra você?",
        "Sexta, 27/11, às 15h é muito cedo?",
        "Sexta, 27/11, o Wesley não tem; quinta, 03/12, às 15h tem. Posso marcar?",
        "Sexta, 27/11, às 15h o Wesley está cheio, a Íris está livre. Posso marcar com a Íris?",
        "Corte na máquina não cabe; barba cabe sexta, 27/11, às 15h. Posso marcar a barba?",
    ] {
        let said = consent(Asked::Booking, &[Utterance::Customer("sim"), Utterance::Us(offer), asked]);
        assert_ne!(said, Consent::Given, "{offer}");
    }
    for offer in [
        "Sexta, 27/11, às 15h o Wesley tem horário. Pode ser?",
        "Com a Íris não tem, mas sexta, 27/11, às 15h o Wesley tem. Fica bom pra você?",
        "Sexta, 27/11: confirmo às 15h?",
        "Sexta, 27/11, às 15h está livre.",
        "Friday, Nov 27 at 3pm works. Shall I book it?",
        "O Wesley tem sexta, 27/11, às 15h. Quer esse horário?",
        "Posso marcar Corte na máquina com o Wesley sexta, 27/11, às 15h, por R$ 45,00, Ana?",
        "Quinta o Wesley não tem; sexta, 27/11, às 15h tem. Posso marcar no seu nome?",
    ] {
        let said = consent(Asked::Booking, &[Utterance::Customer("sim"), Utterance::Us(offer), asked]);
        assert_eq!(said, Consent::Given, "{offer}");
    }
}

/// What a "sim" to the offer consents to, where the customer asked for a haircut on Thursday or on Friday at three.
fn consent_by_yes(offer: &str, wish: &str, given: [&str; 3]) -> Consent {
    let [barber, service, day] = given;
    let args = json!({"barber_name": barber, "date": day, "start_hour": "15:00", "service_name": service});
    let kinds = [
        ("barber_name", SaidAs::Name),
        ("date", SaidAs::Day),
        ("start_hour", SaidAs::Time),
        ("service_name", SaidAs::Service),
    ];
    let lines = vec![Utterance::Customer("sim"), Utterance::Us(offer), Utterance::Customer(wish)];
    of_words(
        Asked::Booking,
        &args,
        &kinds.map(|(name, kind)| (name.to_owned(), kind)).into(),
        &DialogueHistory { lines, today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None },
    )
}

#[test]
fn what_an_offer_rules_out_is_not_agreed_to() {
    let (cut, beard) = ("Corte na máquina", "Barba desenhada");
    let (thursday, friday) = ("2026-11-26", "2026-11-27");
    let (on_thursday, on_friday) = ("quero cortar quinta às 15h", "quero cortar sexta às 15h");
    for (offer, wish, given, may) in [
        ("Posso marcar? Quinta está cheia, seria sexta…", on_thursday, ["Wesley", cut, thursday], false),
        ("Posso marcar? Quinta está cheia, seria sexta…", on_thursday, ["Wesley", cut, friday], true),
        ("Posso marcar quinta? Quinta está cheia, seria sexta…", on_thursday, ["Wesley", cut, thursday], false),
        ("Quinta não tem. Posso marcar?", on_thursday, ["Wesley", cut, thursday], false),
        ("There's no time on Thursday. Posso marcar?", on_thursday, ["Wesley", cut, thursday], false),
        ("Posso marcar sexta, 27/11, às 15h? Se não puder, me avise.", on_friday, ["Wesley", cut, friday], true),
        ("O Wesley não atende sexta, só o Bruno. Posso marcar?", on_friday, ["Wesley", cut, friday], false),
        ("O Wesley não atende sexta, só o Bruno. Posso marcar?", on_friday, ["Bruno", cut, friday], true),
        ("O Dr. Wesley não atende sexta, só o Bruno. Posso marcar?", on_friday, ["Wesley", cut, friday], false),
        ("Não atende o Dr. Wesley. Posso marcar?", on_friday, ["Wesley", cut, friday], false),
        ("Barba a gente não faz, só corte. Posso marcar?", on_friday, ["Wesley", beard, friday], false),
        ("Barba a gente não faz, só corte. Posso marcar?", on_friday, ["Wesley", cut, friday], true),
        (
            "Sexta às 15h com a Íris não tem, mas com o Wesley tem. Posso marcar?",
            on_friday,
            ["Wesley", cut, friday],
            true,
        ),
        ("Quinta o Wesley não tem; sexta às 15h tem. Posso marcar?", on_friday, ["Wesley", cut, friday], true),
        ("Corte na tesoura não cabe, só corte na máquina. Posso marcar?", on_friday, ["Wesley", cut, friday], true),
        (
            "Corte na tesoura não cabe, só corte na máquina. Posso marcar?",
            on_friday,
            ["Wesley", "Corte na tesoura", friday],
            false,
        ),
    ] {
        let said = consent_by_yes(offer, wish, given);
        assert_eq!(said == Consent::Given, may, "{offer}: {given:?} {said:?}");
    }
    // A day that is full is what a customer waits for.
    let full = Utterance::Us("Sexta, 27/11, está cheia. Posso pôr você na lista de espera?");
    assert_eq!(consent(Asked::Waiting, &[Utterance::Customer("sim"), full]), Consent::Given);
}

/// A statement that names what the call does has to say by known words that it can be. Whatever else it says may be a denial.
#[test]
fn a_statement_that_may_deny_what_was_asked_for_is_not_agreed_to() {
    let cut = "Corte na máquina";
    let (thursday, friday) = ("2026-11-26", "2026-11-27");
    let on_thursday = "quero cortar quinta às 15h";
    for denial in [
        "Quinta está indisponível",
        "Quinta lotou",
        "Quinta esgotou",
        "Quinta está esgotada",
        "Quinta estamos fechados",
        "Quinta já era",
        "O Wesley está de folga",
        "Wesley viajou",
        "Thursday isn't available",
        "We can't do Thursday",
        "We dont open on Thursday",
        "No openings on Thursday",
        "Thursday looks full",
        "Thursday is gone",
        "Quinta não tem, Ana",
        "Quinta não tem por causa do Natal",
        "Quinta, 26 Nov, não tem",
        "Quinta às 15h está marcado",
        "Ana, quinta não tem",
        "Quinta às 15h sem o Wesley",
        "Quinta às 15h sem Wesley",
        // A word that also affirms does not undo the rest.
        "Quinta o Wesley está de folga e o Bruno tem horário às 15h",
        "O Wesley viajou, tenho o Bruno quinta às 15h",
        "O Wesley tem folga na quinta",
        "Quinta às 15h só com o Bruno",
        "Quinta lotou, só tem sexta às 15h",
        "Quinta temos feriado",
        "Quinta às 15h já tem cliente",
        "Quinta fica difícil",
        "Thursday has been taken",
        "Only Bruno is in on Thursday at 3pm",
        // Another person alone is offered.
        "Corte na máquina quinta às 15h com o Bruno",
        "Data: quinta, 26/11, às 15h\nServiço: Corte na máquina\nProfissional: Bruno",
        // What stands beside a day may be no name, no label and no courtesy.
        "Quinta às 15h, Esgotado",
        "Lotou: quinta às 15h",
        "Fechado: quinta às 15h",
        "Quinta às 15h, não precisa vir",
        "Quinta às 15h, sem chance",
        "Quinta: 0 horários",
        "❌ Quinta, 26/11, 15h\n✅ Sexta, 27/11, 15h",
        "~Quinta, 26/11, 15h~",
        // Without a name it is said of what was asked for.
        "Não tem mais vaga",
        "Esse horário não está disponível",
        "Esse dia lotou",
    ] {
        for ending in [". Posso marcar?", ". Shall I book it?", ", posso marcar?"] {
            let offer = format!("{denial}{ending}");
            let said = consent_by_yes(&offer, on_thursday, ["Wesley", cut, thursday]);
            assert_ne!(said, Consent::Given, "{offer}");
        }
    }
    for offer in [
        "Não se preocupe, o Wesley atende quinta às 15h. Posso marcar?",
        "Quinta às 15h, não precisa pagar antes. Posso marcar?",
        "Not a problem, Thursday at 3pm is free. Shall I book it?",
        "Quinta às 15h, sem falta. Posso marcar?",
        "Quinta às 15h, sem sinal. Posso marcar?",
        "Quinta às 15h, sem pressa. Posso marcar?",
        "O corte leva 30 minutos e é sem amônia. Posso marcar quinta às 15h?",
        "Sexta não tem, posso marcar quinta às 15h?",
        "Perfeito, Ana! Achei: quinta, 26/11, às 15h com o Wesley. Posso confirmar?",
        "Ana, quinta às 15h com o Wesley. Posso marcar?",
        "Vou marcar quinta às 15h com o Wesley. Confirma?",
        "📅 Data: quinta, 26/11\n⏰ Horário: 15h\n💈 Serviço: Corte na máquina\n👤 Profissional: Wesley\nConfirma?",
        "Quinta às 15h com o Wesley (R$ 40, 30 min). Posso marcar?",
        "Posso marcar quinta às 15h? Te esperamos!",
        "O Wesley é ótimo! Posso marcar quinta às 15h com ele?",
        "Será com o Wesley, quinta às 15h. Posso confirmar?",
        "Verifiquei aqui: quinta às 15h está aberto com o Wesley. Posso garantir?",
        "Data e horário: quinta, 26/11, às 15h\nProfissional: Wesley\nPosso fechar?",
        "Quinta às 15h com nosso barbeiro Wesley, na Rua Augusta, 100. Posso marcar?",
        "Just to confirm: Thursday at 3pm with Wesley. Shall I confirm?",
        "Não se preocupe! Posso marcar quinta às 15h?",
    ] {
        let said = consent_by_yes(offer, on_thursday, ["Wesley", cut, thursday]);
        assert_eq!(said, Consent::Given, "{offer}");
    }
    // What stands behind the question and corrects nothing offers nothing.
    let aside = "Posso marcar sexta às 15h? Não se atrase. Sábado é feriado.";
    assert_ne!(consent_by_yes(aside, "quero cortar sábado às 15h", ["Wesley", cut, "2026-11-28"]), Consent::Given);
    assert_eq!(consent_by_yes(aside, "quero cortar sexta", ["Wesley", cut, friday]), Consent::Given);
    let other = "Quinta lotou, só tem sexta às 15h. Posso marcar?";
    assert_eq!(consent_by_yes(other, on_thursday, ["Wesley", cut, friday]), Consent::Given);
}

#[test]
fn a_span_of_days_that_is_full_or_is_offered_counts_for_each_of_its_days() {
    let given = |offer: &str, day| {
        consent_by_yes(offer, "quero cortar quinta às 15h", ["Wesley", "Corte na máquina", day]) == Consent::Given
    };
    for offer in [
        "Esta semana está lotada. Posso marcar para a semana que vem?",
        "Não tem mais vaga. Posso marcar para a semana que vem?",
        "We're closed this week. Shall I book it next week?",
        "Em novembro a agenda está fechada. Posso marcar em dezembro?",
    ] {
        assert!(!given(offer, "2026-11-26"), "{offer}");
    }
    assert!(given("Esta semana tem sim. Posso marcar?", "2026-11-26"));
}

/// The judgement of a text takes time in proportion to its length.
#[test]
fn a_text_of_ours_of_many_denials_is_judged_once_a_clause() {
    let text = format!("{}Posso marcar?", "Ana, Ana, Ana, quinta lotou. ".repeat(100));
    let said = consent_by_yes(&text, "quero cortar quinta", ["Wesley", "Corte na máquina", "2026-11-26"]);
    assert_ne!(said, Consent::Given);
}

#[test]
fn an_order_runs_what_was_ruled_out_only_if_it_names_that_again() {
    let offer = Utterance::Us("Quinta está cheia, só sexta às 15h. Posso marcar?");
    let asked = Utterance::Customer("quero cortar quinta às 15h com o Wesley");
    for (order, day, may) in [
        ("sim, pode marcar às 15h", "2026-11-26", false),
        ("sim, pode marcar às 15h", "2026-11-27", true),
        ("pode marcar com o Wesley", "2026-11-26", false),
        ("marca quinta às 15h mesmo", "2026-11-26", true),
    ] {
        let said = consent_to(Asked::Booking, &[Utterance::Customer(order), offer, asked], day, "15:00");
        assert_eq!(said == Consent::Given, may, "{order}: {day} {said:?}");
    }
}

#[test]
fn words_that_deny_nothing_of_an_offer_leave_it() {
    let asked = Utterance::Customer("quero cortar sexta com o Wesley");
    for offer in [
        "Sexta, 27/11, às 15h com o Wesley, sem custo. Posso marcar?",
        "Sexta, 27/11, às 15h com o Wesley, sem taxa. Posso marcar?",
        "Sexta, 27/11, às 15h com o Wesley, sem compromisso. Posso marcar?",
        "Sem problema! Sexta, 27/11, às 15h com o Wesley. Posso marcar?",
        "Sexta, 27/11, às 15h mas chegue arrumado. Posso marcar?",
    ] {
        let said = consent(Asked::Booking, &[Utterance::Customer("sim"), Utterance::Us(offer), asked]);
        assert_eq!(said, Consent::Given, "{offer}");
        assert_eq!(
            find_times(&offered(offer, date(2026, 11, 24))).len(),
            1,
            "{offer}: {}",
            offered(offer, date(2026, 11, 24))
        );
    }
    for denial in [
        "There's no time on Friday",
        "We've got no time on Friday",
        "We've no time on Friday",
        "Friday is full",
        "We're full on Friday",
        "Sexta está cheia",
        "Sexta às 15h já está cheio",
        "Sexta cheia",
        "Sexta sem vaga",
        "Sexta não atende o Dr. Wesley",
    ] {
        assert!(denies(denial) && offered(denial, date(2026, 11, 24)).is_empty(), "{denial}");
    }
    for offer in ["A gente se vê no sábado", "Full color às 15h", "Sexta, sem problema", "15h, full color"] {
        assert!(!denies(offer), "{offer}");
    }
}

#[test]
fn courtesy_an_address_a_price_or_a_title_does_not_make_another_question() {
    let asked = Utterance::Customer("quero cortar sexta com o Wesley");
    for offer in [
        "Ana, posso marcar o corte sexta, 27/11, às 15h?",
        "Ana Prado, posso marcar o corte sexta, 27/11, às 15h?",
        "Ok, Ana, posso marcar o corte sexta, 27/11, às 15h?",
        "Ótimo, posso marcar sexta, 27/11, às 15h?",
        "Perfeito! Posso marcar sexta, 27/11, às 15h?",
        "Certo, posso marcar sexta, 27/11, às 15h?",
        "Posso marcar sexta, 27/11, às 15h, no valor de R$ 40?",
        "Shall I go ahead and book Friday, Nov 27 at 3pm?",
        "Posso marcar com a doutora Wesley sexta, 27/11, às 15h?",
        "Posso marcar sexta, 27/11, às 15h, com o Dr. Wesley?",
        "Posso marcar sexta, 27/11, às 15h, com a dra. Wesley?",
    ] {
        let said = consent(Asked::Booking, &[Utterance::Customer("sim"), Utterance::Us(offer), asked]);
        assert_eq!(said, Consent::Given, "{offer}");
    }
    for offer in [
        "Barba, posso marcar sexta, 27/11, às 15h?",
        "Com a Ana, posso marcar sexta, 27/11, às 15h?",
        "Ana, sexta, 27/11, às 15h?",
        "O Wesley ou a Ana. Ana, posso marcar sexta, 27/11, às 15h?",
        "Posso marcar sexta, 27/11, às 15h, com o Dr. Bruno?",
        "Com o Dr. Wesley ou o Dr. Bruno posso marcar sexta, 27/11, às 15h?",
        "Quer saber o valor de sexta, 27/11, às 15h?",
    ] {
        let said = consent(Asked::Booking, &[Utterance::Customer("sim"), Utterance::Us(offer), asked]);
        assert_ne!(said, Consent::Given, "{offer}");
    }
}

#[test]
fn a_yes_chooses_none_of_several() {
    let offer = Utterance::Us("O Wesley tem sexta às 15h, 16h ou 17h. Qual prefere?");
    assert_eq!(
        consent(Asked::Booking, &[Utterance::Customer("sim"), offer, Utterance::Customer("quero sexta")]),
        Consent::Open
    );
    assert_eq!(
        consent(Asked::Booking, &[Utterance::Customer("15h"), offer, Utterance::Customer("quero sexta")]),
        Consent::Given
    );
}

#[test]
fn a_wish_that_was_declined_is_over() {
    let wish = Utterance::Customer("quero marcar sexta às 15h com o Wesley");
    assert_eq!(
        consent(Asked::Booking, &[Utterance::Customer("fechado"), Utterance::Us("Está livre."), wish]),
        Consent::Given
    );
    let declined = [
        Utterance::Customer("tá bom"),
        Utterance::Us("Tudo certo."),
        Utterance::Customer("não"),
        Utterance::Us("Posso?"),
        wish,
    ];
    assert_eq!(consent(Asked::Booking, &declined), Consent::Open);
}

#[test]
fn what_nobody_spoke_of_is_nobodys_wish() {
    for deed in [Asked::Booking, Asked::Cancelling, Asked::Rescheduling, Asked::Waiting, Asked::Reminding] {
        assert_eq!(consent(deed, &[Utterance::Customer("oi")]), Consent::Absent, "{deed:?}");
        assert_eq!(
            consent(deed, &[Utterance::Customer("sim"), Utterance::Us("Quer um café?")]),
            Consent::Absent,
            "{deed:?}"
        );
    }
    assert_eq!(
        consent(Asked::Waiting, &[Utterance::Customer("quero"), Utterance::Us("Posso pôr você na lista de espera?")]),
        Consent::Given
    );
    for other in [
        "Posso te tirar da lista de espera?",
        "Quer que eu explique como funciona a lista de espera?",
        "A lista de espera está cheia, ok?",
    ] {
        assert_ne!(
            consent(Asked::Waiting, &[Utterance::Customer("sim"), Utterance::Us(other)]),
            Consent::Given,
            "{other}"
        );
    }
}

#[test]
fn a_service_is_named_in_full_or_by_words_that_fit_it_alone() {
    let all: Vec<Vec<String>> =
        ["Corte na tesoura", "Corte na máquina", "Barba desenhada", "Corte e barba"].map(telling).to_vec();
    let fits = |said: &str, name: &str| fits_alone(&telling(name), &words(said), &all);
    assert!(fits("pra barba amanhã", "Barba desenhada") && fits("na tesoura", "Corte na tesoura"));
    assert!(!fits("quero um corte", "Corte na máquina") && !fits("barba", "Corte e barba"));
    assert!(!fits("corte na tesoura", "Corte na máquina") && !fits("combo", "Corte e barba"));
    assert_eq!(services_in(r#"{"services":[{"name":"Corte","id":1}]}"#), ["Corte"]);
}

#[test]
fn a_booking_for_another_person_waits_until_the_question_says_for_whom() {
    let for_mother = Utterance::Customer("marca corte na máquina sexta 15h com o Wesley pra minha mãe");
    let is_open = |lines: &[Utterance<'_>], args: &Value, kinds: &[(&str, SaidAs)]| {
        let kinds = kinds.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        let talk =
            DialogueHistory { lines: lines.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        is_for_unnamed(Asked::Booking, args, &kinds, &talk)
    };
    let (none, yes) = (json!({"barber_name": "Wesley"}), Utterance::Customer("sim"));
    let barber = ("barber_name", SaidAs::Name);
    assert!(is_open(&[for_mother], &none, &[barber]));
    assert!(is_open(&[yes, Utterance::Us("Sexta às 15h. Posso marcar?"), for_mother], &none, &[barber]));
    for offer in ["Sexta às 15h para a sua mãe. Posso marcar?", "Sexta às 15h, no seu nome?"] {
        assert!(!is_open(&[yes, Utterance::Us(offer), for_mother], &none, &[barber]), "{offer}");
    }
    for other in
        ["marca corte sexta 15h pro meu vizinho", "marca sexta 15h pra minha cabeleireira", "book for my roommate"]
    {
        assert!(is_open(&[Utterance::Customer(other)], &none, &[barber]), "{other}");
    }
    let for_neighbour = Utterance::Customer("marca corte sexta 15h pro meu vizinho");
    let offer = Utterance::Us("Sexta às 15h para o seu vizinho. Posso marcar?");
    assert!(!is_open(&[yes, offer, for_neighbour], &none, &[barber]));
    let named = json!({"barber_name": "Wesley", "client_name": "Joana Prado"});
    assert!(!is_open(&[for_mother], &named, &[barber, ("client_name", SaidAs::Words)]));
    for own in [
        "marca sexta 15h pra mim",
        "marca sexta 15h pra mim e pro meu filho",
        "marca pro Wesley sexta 15h",
        "marca com o Wesley sexta 15h",
        "marca sexta 15h pro meu casamento",
        "marca corte pro meu aniversário sexta",
        "marca sexta 15h pra minha barba",
    ] {
        assert!(!is_open(&[Utterance::Customer(own)], &none, &[barber]), "{own}");
    }
}

/// The newest line that names a professional decides, as the newest day and time do.
#[test]
fn an_order_with_another_professional_is_not_for_the_one_of_the_call() {
    let args = json!({"barber_name": "Wesley Moura"});
    let kinds = [("barber_name".to_owned(), SaidAs::Name)].into();
    let is_other = |lines: &[Utterance<'_>]| {
        let talk =
            DialogueHistory { lines: lines.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        is_with_another(&args, &kinds, &talk)
    };
    let (asked, answered) = (Utterance::Customer("o Wesley tá aí?"), Utterance::Us("Está sim."));
    let listed = Utterance::Us("Oi! Quer marcar com o Wesley, o Otávio ou a Íris?");
    for other in [
        &[Utterance::Customer("marca corte sexta às 15h com o Otávio"), answered, asked][..],
        &[Utterance::Customer("marca corte sexta às 15h com a Íris"), listed],
        &[Utterance::Customer("marca sexta 15h com o otávio que o Wesley me cortou mal")],
        &[
            Utterance::Customer("sim"),
            Utterance::Us("Sexta às 15h. Posso marcar?"),
            Utterance::Customer("com o Otávio"),
        ],
    ] {
        assert!(is_other(other), "{other:?}");
    }
    for this in [
        &[Utterance::Customer("marca corte sexta às 15h com o Wesley"), answered, asked][..],
        &[Utterance::Customer("marca sexta 15h com o Wesley, vou com o João")],
        &[
            Utterance::Customer("sim"),
            Utterance::Us("Com o Wesley tem. Posso marcar?"),
            Utterance::Customer("com o Otávio"),
        ],
        &[Utterance::Customer("Wesley"), listed],
        &[Utterance::Customer("marca sexta 15h com urgência"), answered, asked],
    ] {
        assert!(!is_other(this), "{this:?}");
    }
}

#[test]
fn an_order_for_another_service_is_not_for_the_one_of_the_call() {
    let kinds = [("service_name".to_owned(), SaidAs::Service)].into();
    let args = json!({"service_name": "Corte na máquina"});
    let all = ["Corte na máquina", "Barba desenhada", "Sobrancelha"].map(str::to_owned);
    let is_named = |lines: &[Utterance<'_>]| {
        let talk =
            DialogueHistory { lines: lines.to_vec(), today: date(2026, 11, 24), locale: Locale::PtBr, unasked: None };
        service_is_named(&args, &kinds, &talk, &all)
    };
    let listed = Utterance::Us("Temos Corte na máquina, Barba desenhada e Sobrancelha.");
    assert!(!is_named(&[Utterance::Customer("quero só barba desenhada, sexta 15h, pode marcar"), listed]));
    assert!(!is_named(&[Utterance::Customer("quero sobrancelha sexta 15h, pode marcar"), listed]));
    assert!(is_named(&[Utterance::Customer("quero corte na máquina sexta 15h, pode marcar"), listed]));
    assert!(is_named(&[Utterance::Customer("sim"), Utterance::Us("Corte na máquina, posso marcar?")]));
}

#[test]
fn a_request_that_is_put_off_is_no_wish_for_the_next_ok() {
    let (ok, taken) = (Utterance::Customer("ok"), Utterance::Us("Tá bom."));
    let wish = Utterance::Customer("marca corte na máquina sexta às 15h com o Wesley, amanhã eu confirmo");
    assert_eq!(consent(Asked::Booking, &[wish]), Consent::Open);
    assert_eq!(consent(Asked::Booking, &[ok, taken, wish]), Consent::Open);
}

#[test]
fn a_name_answers_the_question_which_person() {
    for offer in [
        "Sexta, 27/11, às 15h tenho o Wesley ou o Otávio para Corte na máquina. Com quem prefere?",
        "Com o Wesley ou com o Otávio?",
        "Tenho sexta às 15h. Com qual profissional?",
    ] {
        let lines = |answer| {
            [
                Utterance::Customer(answer),
                Utterance::Us(offer),
                Utterance::Customer("quero cortar na máquina sexta às 15h"),
            ]
        };
        for answer in ["Wesley", "com o Wesley", "o Wesley mesmo", "pode ser o Wesley"] {
            assert_eq!(consent(Asked::Booking, &lines(answer)), Consent::Given, "{offer} {answer}");
        }
        for answer in ["valeu, Wesley", "e o Wesley", "sim", "gostei do Wesley"] {
            assert_ne!(consent(Asked::Booking, &lines(answer)), Consent::Given, "{offer} {answer}");
        }
    }
}
