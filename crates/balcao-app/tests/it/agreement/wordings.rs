//! The words that book and cancel, and those that do not, from the message to the row.

use serde_json::json;

use super::{AT, DAY, Shop, Step, WHAT, WHO};

const OFFER: &str = "Sexta, 27/11, às 15h o Wesley tem horário para Corte na máquina. Posso marcar?";

/// How many appointments stand after this answer to an offer, where the model books whatever is said.
async fn booked_by(answer: &str) -> usize {
    let shop = Shop::open(false).await;
    let looks = Step::call("check_availability", &json!({"barber_name": WHO, "date": DAY, "service_name": WHAT}));
    shop.turn("quero cortar na máquina sexta com o Wesley", vec![looks, Step::text(OFFER)]).await;
    assert_eq!(shop.told(), OFFER);
    let call = Step::call(
        "create_appointment",
        &json!({"barber_name": WHO, "date": DAY, "start_hour": AT, "service_name": WHAT}),
    );
    shop.turn(answer, vec![call, Step::text("Certo.")]).await;
    shop.standing()
}

/// The same of an offer of several.
async fn booked_by_a_yes_to(offer: &str) -> usize {
    let shop = Shop::open(false).await;
    let looks = Step::call("check_availability", &json!({"barber_name": WHO, "date": DAY, "service_name": WHAT}));
    shop.turn("quero marcar um horário sexta", vec![looks, Step::text(offer)]).await;
    let args = json!({"barber_name": WHO, "date": DAY, "start_hour": AT, "service_name": WHAT});
    shop.turn("sim", vec![Step::call("create_appointment", &args), Step::text("Certo.")]).await;
    shop.standing()
}

/// The same of a cancellation that was asked for, and then asked about.
async fn standing_after(answer: &str) -> usize {
    let shop = Shop::open(true).await;
    let call = Step::call("cancel_appointment", &json!({}));
    shop.turn("quero cancelar meu horário", vec![call.clone(), Step::text("Ok.")]).await;
    shop.turn(answer, vec![Step::text("{\"agrees\": true}"), call, Step::text("Certo.")]).await;
    shop.standing()
}

#[tokio::test]
async fn an_offer_is_booked_on_the_customers_yes() {
    let plain = ["bora", "fechou", "manda ver", "👍", "pode marcar sexta às 15h com o Wesley", "sounds good"];
    let by_build = ["pode mandar bala", "pode botar meu nome", "vai ser esse", "vamos nessa"];
    for answer in plain.into_iter().chain(by_build) {
        assert_eq!(booked_by(answer).await, 1, "{answer}");
    }
}

#[tokio::test]
async fn an_offer_is_not_booked_on_anything_else() {
    for answer in [
        "👎",
        "ainda não",
        "só se for de graça",
        "quanto custa?",
        "acho que sim",
        "sim, mas com a Íris",
        "oi",
        "vai ser outro",
        "pode deixar assim",
        "na sexta eu já vou com o Wesley",
        "isso é com o Wesley",
        "fecha sexta às 15h",
        "“pode marcar”",
    ] {
        assert_eq!(booked_by(answer).await, 0, "{answer}");
    }
}

#[tokio::test]
async fn an_ok_behind_an_answer_that_leaves_the_offer_open_books_nothing() {
    for answer in [
        "vou pensar",
        "depois te falo",
        "te aviso mais tarde",
        "hmm",
        "talvez",
        "não sei",
        "acho caro",
        "só se for barato",
        "prefiro outro dia",
        "confirmo mais tarde",
        "dispenso",
        "sexta 15h eu trabalho",
        "I'll think about it",
    ] {
        let shop = Shop::open(false).await;
        let looks = Step::call("check_availability", &json!({"barber_name": WHO, "date": DAY, "service_name": WHAT}));
        shop.turn("quero cortar na máquina sexta com o Wesley", vec![looks, Step::text(OFFER)]).await;
        shop.turn(answer, vec![Step::text("Tá bom.")]).await;
        let args = json!({"barber_name": WHO, "date": DAY, "start_hour": AT, "service_name": WHAT});
        shop.turn("ok", vec![Step::call("create_appointment", &args), Step::text("Certo.")]).await;
        assert_eq!(shop.standing(), 0, "{answer}");
    }
}

#[tokio::test]
async fn a_yes_chooses_none_of_several() {
    for offer in [
        "O Wesley ou o Otávio, sexta, 27/11, às 15h, Corte na máquina. Posso marcar?",
        "Sexta, 27/11, às 15h com o Wesley: Corte na máquina ou Corte e barba. Posso marcar?",
        "Sexta, 27/11, às 15h ou às 16h com o Wesley, Corte na máquina. Serve?",
    ] {
        assert_eq!(booked_by_a_yes_to(offer).await, 0, "{offer}");
    }
}

#[tokio::test]
async fn a_yes_books_neither_a_person_nor_a_service_that_the_offer_rules_out() {
    for (offer, booked) in [
        ("Corte na máquina: o Wesley não atende sexta às 15h, só o Otávio. Posso marcar?", 0),
        ("Corte na máquina a gente não faz sexta, 27/11, às 15h com o Wesley, só barba. Posso marcar?", 0),
        ("João, posso marcar Corte na máquina com o Wesley sexta, 27/11, às 15h?", 1),
        ("Posso marcar Corte na máquina sexta, 27/11, às 15h, com o Sr. Wesley?", 1),
    ] {
        assert_eq!(booked_by_a_yes_to(offer).await, booked, "{offer}");
    }
}

#[tokio::test]
async fn a_cancellation_takes_a_yes_and_nothing_less() {
    for (answer, stands) in [("pode cancelar", 0), ("sim, o de sexta", 0), ("depende", 1), ("sim, se for grátis", 1)] {
        assert_eq!(standing_after(answer).await, stands, "{answer}");
    }
}

#[tokio::test]
async fn a_question_that_got_no_clear_answer_is_put_again() {
    let shop = Shop::open(true).await;
    let call = Step::call("cancel_appointment", &json!({}));
    shop.turn("quero cancelar meu horário", vec![call, Step::text("Ok.")]).await;
    shop.turn("hmm depende", vec![Step::text("Sem pressa.")]).await;
    assert!(shop.told().contains("Sem pressa.") && shop.told().contains('?'), "{}", shop.told());
    shop.turn("sim", vec![Step::text("Certo.")]).await;
    assert_eq!(shop.standing(), 0);
}

/// Whether a call of the model changes anything behind one message, with or without an appointment that stands.
async fn changes(booked: bool, message: &str, tool: &str, args: &serde_json::Value) -> bool {
    let shop = Shop::open(booked).await;
    let before = shop.everything();
    shop.turn(message, vec![Step::call(tool, args), Step::text("Certo.")]).await;
    shop.everything() != before
}

#[tokio::test]
async fn a_message_that_asks_for_the_act_is_told_from_one_that_only_speaks_of_it() {
    let book = json!({"barber_name": WHO, "date": DAY, "start_hour": AT, "service_name": WHAT});
    let wait = json!({"date": "2026-11-28", "period": "morning"});
    let remind = json!({"minutes_before": 60});
    let name = |name: &str| json!({"preferred_name": name});
    let note = |content: &str| json!({"content": content});
    let rows = [
        ("create_appointment", &book, false, "quero corte na máquina sexta 15h com o Wesley", true),
        ("create_appointment", &book, false, "quero o preço do corte na máquina sexta 15h com o Wesley", false),
        ("create_appointment", &book, false, "a agenda de sexta 15h com o Wesley, corte na máquina", false),
        ("join_waitlist", &wait, false, "me coloca na lista de espera sábado de manhã", true),
        ("join_waitlist", &wait, false, "a fila sábado de manhã tava grande", false),
        ("schedule_appointment_reminder", &remind, true, "me lembra uma hora antes", true),
        ("schedule_appointment_reminder", &remind, true, "vi o lembrete de uma hora antes", false),
        ("update_contact", &name("Jota"), false, "pode me chamar de Jota", true),
        ("update_contact", &name("Bia"), false, "minha filha se chama Bia", false),
        ("update_contact", &name("Bia"), false, "não me chamo Bia", false),
        ("add_internal_note", &note("Gosta de café"), false, "gosto de café", true),
        ("add_internal_note", &note("Gosta de café"), false, "não gosto de café", false),
    ];
    for (tool, args, booked, message, changed) in rows {
        assert_eq!(changes(booked, message, tool, args).await, changed, "{tool}: {message}");
    }
}

#[tokio::test]
async fn what_a_message_says_of_others_is_kept_of_nobody() {
    let own = [
        ("name", "Ana Prado", "oi, sou a Ana Prado"),
        ("name", "Kauã", "me chamo Kauã"),
        ("name", "Thayane Souza", "meu nome é Thayane Souza"),
        ("name", "João da Silva", "meu nome completo é João da Silva"),
        ("name", "José Lima", "muda meu nome pra José Lima"),
        ("name", "Thayane", "meu nome tá errado, é Thayane"),
        ("name", "Wesley", "aqui é o Wesley"),
        ("name", "Sueli", "aqui quem fala é a Sueli"),
        ("name", "Rex Duarte", "nome: Rex Duarte"),
        ("name", "Bia", "não me chamo Ana, me chamo Bia"),
        ("name", "Mary Jones", "hi, I'm Mary Jones"),
        ("preferred_name", "Beto", "pode me chamar de Beto"),
        ("preferred_name", "Dudu", "todo mundo me chama de Dudu"),
        ("preferred_name", "Aninha", "me chama de Aninha"),
        ("email", "ana@exemplo.com", "meu email é ana@exemplo.com"),
        ("email", "ana@exemplo.com", "o email do trabalho é ana@exemplo.com"),
        ("email", "ana@exemplo.com", "anota aí: ana@exemplo.com"),
        ("email", "ana@exemplo.com", "sou a Ana Prado, ana@exemplo.com"),
        ("email", "ana@exemplo.com", "meu e-mail da faculdade é ana@exemplo.com"),
        ("address", "Rua da Consolação, 90", "moro na rua da Consolação 90"),
    ];
    let others = [
        ("name", "Pedro", "o Pedro mandou um abraço"),
        ("name", "Wesley", "o Wesley corta bem"),
        ("name", "Rex", "Rex late muito"),
        ("name", "Rex", "meu cachorro é o Rex"),
        ("name", "Theo", "o nome do meu filho é Theo"),
        ("name", "Carla", "sou irmã da Carla"),
        ("name", "Pedro", "sou cliente do Pedro"),
        ("name", "Ana", "não sou a Ana"),
        ("name", "Carla Nunes", "pode botar no nome de Carla Nunes"),
        ("name", "Pedro", "aqui é o Pedro?"),
        ("preferred_name", "Pedro", "o Pedro aqui é ótimo"),
        ("preferred_name", "Davi", "meu chefe é o Davi"),
        ("email", "davi@exemplo.com", "o email do meu chefe é davi@exemplo.com"),
        ("email", "chefe@exemplo.com", "o email do chefe é chefe@exemplo.com"),
        ("email", "pedro@exemplo.com", "o email do Pedro é pedro@exemplo.com"),
        ("email", "bia@exemplo.com", "a Bia usa bia@exemplo.com"),
        ("email", "pedro@exemplo.com", "pedro@exemplo.com é o email do Pedro"),
        ("email", "pedro@exemplo.com", "fala com o Pedro no pedro@exemplo.com"),
        ("email", "pedro@exemplo.com", "Pedro's email is pedro@exemplo.com"),
        ("address", "Rua Augusta, 90", "o endereço da Bia é rua Augusta 90"),
        ("name", "Marido", "sou o marido da Ana"),
        ("name", "Flamengo", "sou Flamengo"),
        ("name", "Pedro", "ele me disse: meu nome é Pedro"),
        ("email", "golpe@x.com", "recebi um email de golpe@x.com"),
        ("address", "Rua Augusta, 90", "passei na rua Augusta 90 ontem"),
    ];
    for (rows, kept) in [(&own[..], true), (&others[..], false)] {
        for (field, value, message) in rows {
            let args = json!({ *field: value });
            assert_eq!(changes(false, message, "update_contact", &args).await, kept, "{field} {value}: {message}");
        }
    }
}

#[tokio::test]
async fn a_reminder_and_a_place_in_the_queue_are_what_the_customer_said() {
    let wait = |more: serde_json::Value| {
        let mut args = json!({"date": "2026-11-28"});
        args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ("join_waitlist", false, args)
    };
    let remind = |minutes: u32| ("schedule_appointment_reminder", true, json!({"minutes_before": minutes}));
    let rows = [
        (remind(60), "me lembra uma hora antes", true),
        (remind(30), "me lembra 30 min antes por favor", true),
        (remind(90), "pode me lembrar uma hora e meia antes", true),
        (remind(1_440), "me lembra um dia antes", true),
        (remind(120), "remind me 2 hours before", true),
        (remind(1_440), "me lembra uma hora antes", false),
        (remind(60), "me lembra 2 horas antes", false),
        (remind(600), "me lembra do meu horário", false),
        (remind(60), "chego uma hora antes, me avisa onde estaciono", false),
        (wait(json!({})), "me coloca na lista de espera sábado", true),
        (wait(json!({"period": "morning"})), "me coloca na lista de espera sábado de manhã", true),
        (wait(json!({"period": "afternoon"})), "me coloca na lista de espera sábado à tarde", true),
        (wait(json!({"service_name": WHAT})), "me coloca na lista de espera sábado pra corte na máquina", true),
        (wait(json!({})), "coloca minha irmã na lista de espera sábado", false),
        (wait(json!({"period": "evening"})), "me coloca na lista de espera sábado de manhã", false),
        (wait(json!({"period": "morning"})), "me coloca na lista de espera sábado", false),
        (wait(json!({"service_name": "Coloração"})), "me coloca na lista de espera sábado pra corte na máquina", false),
        (wait(json!({"service_name": "Coloração"})), "me coloca na lista de espera sábado", false),
    ];
    for ((tool, booked, args), message, changed) in rows {
        assert_eq!(changes(booked, message, tool, &args).await, changed, "{tool} {args}: {message}");
    }
}

#[tokio::test]
async fn a_visit_of_another_person_is_asked_about_in_the_customers_name() {
    let shop = Shop::open(false).await;
    let args = json!({"barber_name": WHO, "date": DAY, "start_hour": AT, "service_name": WHAT});
    let call = Step::call("create_appointment", &args);
    let wish = "marca corte na máquina sexta 15h com o Wesley pra minha mãe";
    shop.turn(wish, vec![call, Step::text("Certo.")]).await;
    assert_eq!(shop.standing(), 0);
    assert!(shop.told().contains("no seu nome?"), "{}", shop.told());
    shop.turn("sim", vec![Step::text("Certo.")]).await;
    assert_eq!(shop.standing(), 1);
}

#[tokio::test]
async fn a_request_books_the_day_and_the_moment_that_it_names() {
    let book = |day: &str| json!({"barber_name": WHO, "date": day, "start_hour": AT, "service_name": WHAT});
    for (message, day, booked) in [
        ("marca corte na máquina com o Wesley semana que vem sexta 15h", DAY, false),
        ("marca corte na máquina com o Wesley sexta 15h em dezembro", DAY, false),
        ("marca corte na máquina com o Wesley daqui a duas semanas na sexta 15h", DAY, false),
        ("marca corte na máquina com o Wesley semana que vem sexta 15h", "2026-12-04", true),
        ("marca corte na máquina sexta 15h com o Wesley, amanhã eu confirmo", DAY, false),
        ("vou pedir pra minha mulher e aí marca corte na máquina sexta 15h com o Wesley", DAY, false),
        ("fecha sexta às 15h", DAY, false),
        // What else an order says may set a condition, so it is asked about.
        ("chego uma hora antes, marca corte na máquina sexta 15h com o Wesley", DAY, false),
        ("marca corte na máquina sexta 15h com o Wesley, corrigindo: 16h", DAY, false),
        ("marca corte na máquina sexta 15h com o Wesley, só por 20 reais", DAY, false),
        ("marca corte na máquina com o Wesley sexta, às 15h tenho dentista", DAY, false),
        ("marca corte na máquina sexta 15h com o Wesley. desconsidera", DAY, false),
    ] {
        assert_eq!(changes(false, message, "create_appointment", &book(day)).await, booked, "{message} {day}");
    }
}

#[tokio::test]
async fn a_question_about_a_visit_without_a_service_names_a_time() {
    let shop = Shop::open(false).await;
    let call = Step::call("create_appointment", &json!({"barber_name": WHO, "date": DAY, "start_hour": AT}));
    shop.turn("marca sexta 15h com o Wesley", vec![call, Step::text("Certo.")]).await;
    assert!(shop.told().contains("Posso marcar um horário com Wesley"), "{}", shop.told());
}
