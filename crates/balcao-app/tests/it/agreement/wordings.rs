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
    ] {
        assert_eq!(booked_by(answer).await, 0, "{answer}");
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
async fn a_question_about_a_visit_without_a_service_names_a_time() {
    let shop = Shop::open(false).await;
    let call = Step::call("create_appointment", &json!({"barber_name": WHO, "date": DAY, "start_hour": AT}));
    shop.turn("marca sexta 15h com o Wesley", vec![call, Step::text("Certo.")]).await;
    assert!(shop.told().contains("Posso marcar um horário com Wesley"), "{}", shop.told());
}
