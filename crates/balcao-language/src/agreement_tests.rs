use super::*;

#[test]
fn agreement_and_nothing_else_is_yes() {
    for text in [
        "sim",
        "Sim!",
        "SIM",
        "s",
        "ss",
        "siiim",
        "simm",
        "sim sim",
        "sim, por favor",
        "sim por favor",
        "isso",
        "isso mesmo",
        "isso aí",
        "isso, pode marcar",
        "pode",
        "pode sim",
        "pode ser",
        "pode cancelar",
        "pode confirmar",
        "pode marcar",
        "pode remarcar sim",
        "fechado, pode marcar",
        "fechado",
        "fechou!",
        "blz",
        "blz obrigado",
        "beleza, valeu",
        "ok",
        "okk",
        "Ok, obrigada!",
        "tá bom",
        "ta ok",
        "tá certo",
        "certo",
        "certinho",
        "correto",
        "exato",
        "exatamente",
        "claro",
        "claro!",
        "claro que sim",
        "com certeza",
        "confirmo",
        "confirmo sim por favor",
        "confirma",
        "confirmado",
        "quero",
        "quero sim",
        "bora",
        "vamos",
        "perfeito",
        "perfeito, obrigada",
        "ótimo",
        "show",
        "show de bola",
        "fechadíssimo",
        "tranquilo",
        "já é",
        "dale",
        "gostei, marca",
        "boa, fechado",
        "marca lá",
        "com toda certeza",
        "works great",
        "dá certo",
        "anota aí",
        "firmeza",
        "top",
        "combinado",
        "positivo",
        "de acordo",
        "uhum",
        "aham",
        "👍",
        "👍🏽",
        "👌👌👌",
        "👌🏿 Tá ok",
        "✅",
        "sim 👍",
        "sim 🙏",
        "sim, obg",
        "sim obrigado moça",
        "pode sim, bom dia",
        "marca",
        "marca sim",
        "pode agendar",
        "pode mandar",
        "tudo bem",
        "por mim tudo bem",
        "sim, pode cancelar",
        "sim\npode marcar",
        "sim, quero",
        "esse mesmo, pode marcar",
        "yes",
        "Yes please",
        "yep",
        "yeah, thanks",
        "sure",
        "ok, go ahead",
        "please do",
        "that's right",
        "sounds good",
        "perfect, thank you",
        "of course",
        "correct",
        "confirm",
        "please cancel",
        "sin",
        "pd ser",
        "pode por favor",
    ] {
        assert_eq!(agreement(text), Agreement::Yes, "{text:?}");
    }
}

#[test]
fn refusals_are_no() {
    for text in [
        "não",
        "nao",
        "n",
        "nn",
        "não!",
        "não, obrigado",
        "nao precisa",
        "não quero",
        "melhor não",
        "deixa",
        "deixa pra lá",
        "deixa quieto",
        "desisti",
        "esquece",
        "negativo",
        "agora não",
        "ainda não",
        "de jeito nenhum",
        "👎",
        "❌",
        "no",
        "No thanks",
        "nope",
        "never mind",
        "don't",
        "espera",
        "calma",
        "nada disso",
        "não vou cancelar",
        "na verdade deixa, vou sim",
        "não, melhor sexta 17:30",
        "nem pensar",
        "mudei de ideia",
    ] {
        assert_ne!(agreement(text), Agreement::Yes, "{text:?}");
    }
    for text in ["não", "n", "deixa pra lá", "não, obrigado", "nope", "👎", "não quero", "agora não", "desisti"]
    {
        assert_eq!(agreement(text), Agreement::No, "{text:?}");
    }
}

#[test]
fn anything_more_than_agreement_is_unclear() {
    for text in [
        "já é tarde",
        "boa",
        "tristíssimo",
        "obviamente não sei",
        "sim, mas às 16h",
        "sim mas com o joão",
        "pode ser às 16h?",
        "pode?",
        "sim?",
        "talvez",
        "acho que sim",
        "se der, sim",
        "sim, se tiver vaga",
        "pode, só que mais tarde",
        "sim ou não",
        "sim. Eu disse não.",
        "não sei",
        "hoje não, amanhã sim",
        "sexta",
        "15h",
        "quanto custa?",
        "e o preço?",
        "obrigado",
        "valeu",
        "🤔",
        "",
        "   ",
        "???",
        "na verdade",
        "oi",
        "bom dia",
        "quero cancelar",
        "quero remarcar",
        "cancela",
        "sim, amanhã",
        "pode cancelar o de sexta e marcar sábado",
        "vou sim",
        "depende",
        "quero falar com um atendente",
        "sim e marca outro pra minha filha",
        "maybe",
        "yes but later",
        "if possible",
        "yes or no",
        "not sure",
        "hmm",
        "kkk",
        "pode ser outro dia?",
        "sim... eu já disse que eu não gosto",
    ] {
        assert_ne!(agreement(text), Agreement::Yes, "{text:?}");
    }
    for text in [
        "sim, mas às 16h",
        "talvez",
        "acho que sim",
        "obrigado",
        "pode?",
        "",
        "quero cancelar",
        "vou sim",
        "não sei",
        "n sei ainda",
        "not sure",
    ] {
        assert_eq!(agreement(text), Agreement::Unclear, "{text:?}");
    }
}

#[test]
fn a_day_or_time_before_the_first_person_puts_the_agreement_off() {
    let today: Date = "2026-11-24".parse().unwrap();
    let about = "Corte na tesoura com Wesley Moura, quarta-feira, 25/11, às 15:00";
    let judge = |text: &str| agreement_to(text, Asked::Booking, about, today);
    for when in ["amanhã", "quarta", "às 15h", "amanhã às 15h", "dia 25"] {
        for verb in ["confirmo", "eu confirmo", "te confirmo", "eu já te confirmo", "sim eu confirmo"] {
            let text = format!("{when} {verb}");
            let expected = verb.starts_with("sim");
            assert_eq!(judge(&text) == Agreement::Yes, expected, "{text}");
        }
        for text in [format!("confirmo {when}"), format!("{when}, confirmo"), format!("{when} confirmado")] {
            assert_eq!(judge(&text), Agreement::Yes, "{text}");
        }
    }
}

#[test]
fn a_preposition_of_the_offer_says_nothing_again() {
    let offer = "Cancelar: Corte com Wesley para sexta, 27/11, às 15:00. Posso?";
    let today: Date = "2026-11-24".parse().unwrap();
    for text in ["para com isso", "com isso", "para isso"] {
        assert_ne!(agreement_to(text, Asked::Cancelling, offer, today), Agreement::Yes, "{text}");
    }
    for text in ["sim, com o Wesley", "isso, para sexta", "sim, para o dia 27"] {
        assert_eq!(agreement_to(text, Asked::Cancelling, offer, today), Agreement::Yes, "{text}");
    }
}

#[test]
fn please_alone_and_what_points_agree() {
    let offer = "Corte com Wesley, sexta, 27/11, às 15:00. Posso marcar?";
    let judge = |text: &str, asked: Asked| agreement_to(text, asked, offer, "2026-11-24".parse().unwrap());
    for text in ["por favor", "Please!", "pfv 🙏", "esse mesmo", "essa mesma", "esse horário mesmo"] {
        assert_eq!(judge(text, Asked::Booking), Agreement::Yes, "{text}");
    }
    for text in ["o horário, por favor", "por favor?", "por favor não", "por favor espera", "oi", "esse mesmo?"] {
        assert_ne!(judge(text, Asked::Booking), Agreement::Yes, "{text}");
    }
    // Who points to what stands does not agree to end it.
    assert_ne!(judge("esse mesmo", Asked::Rescheduling), Agreement::Yes);
}

#[test]
fn who_cannot_come_gives_the_reason_of_a_cancellation() {
    let about = |text: &str| agreement_about(text, Asked::Cancelling);
    for reason in [
        "não vou poder ir",
        "não vou conseguir",
        "não consigo ir",
        "não posso",
        "não vou mais",
        "não vai dar",
        "não vai dar pra ir",
    ] {
        for agrees in ["sim", "pode cancelar", "cancela", "ok"] {
            let text = format!("{agrees}, {reason}");
            assert_eq!(about(&text), Agreement::Yes, "{text}");
            assert_eq!(about(&format!("{agrees} que {reason}")), Agreement::Yes, "{agrees} que {reason}");
            assert_ne!(agreement_about(&text, Asked::Booking), Agreement::Yes, "{text}");
        }
        assert_ne!(about(reason), Agreement::Yes, "{reason}");
    }
    for text in [
        "sim, não vou cancelar",
        "ok, não posso cancelar",
        "não vou faltar, ok",
        "sim, não vou desmarcar",
        "não, pode cancelar",
    ] {
        assert_ne!(about(text), Agreement::Yes, "{text}");
    }
}

#[test]
fn the_subject_decides_what_a_verb_means() {
    for (text, asked, want) in [
        ("sim, as duas", Asked::Cancelling, Agreement::Yes),
        ("cancela os dois", Asked::Cancelling, Agreement::Yes),
        ("os dois", Asked::Cancelling, Agreement::Unclear),
        ("cancela os dois", Asked::Booking, Agreement::Contested),
        ("cancela", Asked::Cancelling, Agreement::Yes),
        ("quero cancelar", Asked::Cancelling, Agreement::Yes),
        ("pode desmarcar", Asked::Cancelling, Agreement::Yes),
        ("cancela", Asked::Booking, Agreement::Contested),
        ("pode cancelar", Asked::Booking, Agreement::Contested),
        ("pode cancelar", Asked::Rescheduling, Agreement::Contested),
        ("sim, pode remarcar", Asked::Cancelling, Agreement::Unclear),
        ("pode mudar", Asked::Rescheduling, Agreement::Yes),
        ("pode passar", Asked::Rescheduling, Agreement::Yes),
        ("marca", Asked::Booking, Agreement::Yes),
        ("pode agendar por favor", Asked::Booking, Agreement::Yes),
        ("não cancela", Asked::Cancelling, Agreement::Contested),
        ("na verdade deixa, vou sim", Asked::Cancelling, Agreement::Contested),
        ("é o de quinta mesmo", Asked::Cancelling, Agreement::Unclear),
        ("qual horário?", Asked::Cancelling, Agreement::Contested),
        ("book it please", Asked::Booking, Agreement::Yes),
        ("sim", Asked::Cancelling, Agreement::Yes),
        ("não", Asked::Booking, Agreement::No),
        ("isso, confirma", Asked::Cancelling, Agreement::Yes),
    ] {
        assert_eq!(agreement_about(text, asked), want, "{text:?} {asked:?}");
    }
}

proptest::proptest! {
    #[test]
    fn a_negation_anywhere_is_never_yes(before in "(sim|ok|pode|isso|claro)?", after in "(sim|ok|pode|isso| claro)?") {
        let text = format!("{before} não {after}");
        proptest::prop_assert_ne!(agreement(&text), Agreement::Yes);
    }

    #[test]
    fn a_question_is_never_yes(text in "\\PC*") {
        proptest::prop_assert_ne!(agreement(&format!("{text}?")), Agreement::Yes);
    }
}

#[test]
fn who_wants_what_stands_does_not_agree_to_end_it() {
    let today = Date::constant(2026, 11, 24);
    let question = "Posso cancelar o seu horário de Corte na máquina com Wesley, sexta, 27/11 às 15h?";
    let said = |text: &str, asked: Asked, about: &str| agreement_to(text, asked, about, today);
    for keeps in [
        "quero meu horário",
        "confirmo meu horário",
        "confirmo meu agendamento",
        "quero o corte",
        "quero sim o corte",
        "fica assim",
        "ficamos assim",
        "tá marcado",
        "já tá marcado",
        "segue assim",
        "tudo certo com meu horário",
        "serve meu horário",
        "tá certo o horário",
        "confirmado o corte",
        "eu topo o corte",
        "partiu corte",
        "pode vir",
        "ah tá",
        "quero o de sexta",
    ] {
        assert_ne!(said(keeps, Asked::Cancelling, question), Agreement::Yes, "{keeps}");
    }
    for agrees in [
        "sim",
        "pode",
        "pode cancelar",
        "cancela o de sexta",
        "sim, o de sexta",
        "isso",
        "confirmo",
        "quero",
        "ok, pode sim",
        "👍",
        "quero cancelar",
    ] {
        assert_eq!(said(agrees, Asked::Cancelling, question), Agreement::Yes, "{agrees}");
    }
    // To a booking the same words agree.
    for agrees in ["quero esse horário", "confirmo o horário", "fica assim", "topo", "serve", "partiu"] {
        assert_eq!(
            said(agrees, Asked::Booking, "Sexta às 15h com o Wesley. Posso marcar?"),
            Agreement::Yes,
            "{agrees}"
        );
    }
    for tells in ["já tá marcado", "já fechou", "já marcado", "demorou demais", "isso tudo", "~sim~"] {
        assert_ne!(agreement_about(tells, Asked::Booking), Agreement::Yes, "{tells}");
    }
    for agrees in ["já pode marcar", "demorou", "já"] {
        let expected = if agrees == "já" { Agreement::Unclear } else { Agreement::Yes };
        assert_eq!(agreement_about(agrees, Asked::Booking), expected, "{agrees}");
    }
}

#[test]
fn who_settles_on_the_day_of_a_visit_does_not_agree_to_cancel_it() {
    let today = jiff::civil::date(2026, 11, 24);
    let about = "Posso cancelar o seu corte de sexta, 27/11, às 15h?";
    let judged = |text: &str| agreement_to(text, Asked::Cancelling, about, today);
    for text in
        ["fechado então sexta 15h", "ok, sexta 15h", "beleza, sexta", "combinado, sexta às 15h", "ok, meu horário"]
    {
        assert_eq!(judged(text), Agreement::Unclear, "{text}");
    }
    for text in
        ["sim, sexta 15h", "isso, o de sexta", "pode, o de sexta 15h", "pode cancelar sexta 15h", "ok", "fechado"]
    {
        assert_eq!(judged(text), Agreement::Yes, "{text}");
    }
    let to_saturday = |text: &str| agreement_to(text, Asked::Rescheduling, "sábado 10:00", today);
    assert_eq!(to_saturday("fechado então sábado 10h"), Agreement::Yes);
}

#[test]
fn a_greeting_and_a_polite_close_agree_to_nothing() {
    let today = Date::constant(2026, 11, 24);
    for asked in [Asked::Booking, Asked::Cancelling, Asked::Rescheduling] {
        for text in [
            "oi tudo bem",
            "oi, tudo bem",
            "bom dia, tudo bem",
            "boa tarde tudo certo",
            "opa, tudo certo",
            "oi, tudo tranquilo",
            "e aí beleza",
            "e aí, beleza",
            "oi tudo bem e vc",
            "tudo bem, obrigado",
            "obrigado, tudo bem",
            "sem problemas, obrigado",
            "tá, obrigado",
        ] {
            assert_ne!(agreement_about(text, asked), Agreement::Yes, "{text}");
            assert_ne!(
                agreement_to(text, asked, "Sexta, 27/11, às 15h com o Wesley?", today),
                Agreement::Yes,
                "{text}"
            );
        }
    }
    for text in
        ["oi, tudo bem, pode marcar", "opa, bora", "tudo bem", "tudo bem, pode marcar, obrigado", "ok, obrigado"]
    {
        assert_eq!(agreement_about(text, Asked::Booking), Agreement::Yes, "{text}");
    }
}

#[test]
fn what_only_tells_what_is_agrees_to_nothing() {
    let today = Date::constant(2026, 11, 24);
    let about = "Wesley , 2026-11-27 , 15:00 , Corte na máquina";
    let judge = |text: &str| agreement_to(text, Asked::Booking, about, today);
    for text in [
        "pode deixar assim",
        "pode deixar como está",
        "pode deixar do jeito que tá",
        "na sexta eu já vou com o Wesley",
        "já tenho sexta com o Wesley",
        "isso é com o Wesley",
        "isso é pra sexta",
        "fecha sexta às 15h",
        "fecha às 15h",
        "“pode marcar”",
        "\"sim\"",
        "vou confirmar",
        "opa",
        "eita",
    ] {
        assert_ne!(judge(text), Agreement::Yes, "{text}");
        assert!(!only_repeats(text, Asked::Booking, about, today), "{text}");
    }
    for text in [
        "pode deixar marcado",
        "pode deixar",
        "já vou querer esse",
        "isso, com o Wesley",
        "é isso",
        "isso",
        "pode fechar sexta às 15h",
        "fecha",
        "fecha pra mim",
        "vou com o Wesley, sim",
    ] {
        assert_eq!(judge(text), Agreement::Yes, "{text}");
    }
}

#[test]
fn an_interjection_bears_no_act() {
    for word in ["opa", "eba", "eita", "oba", "uau", "ufa", "wow"] {
        for text in [format!("{word}, sim"), format!("{word} pode marcar"), format!("sim {word}")] {
            assert_eq!(agreement_about(&text, Asked::Booking), Agreement::Yes, "{text}");
        }
        for text in [word.to_owned(), format!("{word}, não"), format!("{word}, sexta não"), format!("{word}?")] {
            assert_ne!(agreement_about(&text, Asked::Booking), Agreement::Yes, "{text}");
        }
    }
    for text in ["fecho", "vamo", "vamo sim", "opa, vamo"] {
        assert_eq!(agreement_about(text, Asked::Booking), Agreement::Yes, "{text}");
    }
}
