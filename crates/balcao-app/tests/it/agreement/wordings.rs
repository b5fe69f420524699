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
    for answer in ["bora", "fechou", "manda ver", "👍", "pode marcar sexta às 15h com o Wesley", "sounds good"] {
        assert_eq!(booked_by(answer).await, 1, "{answer}");
    }
}

#[tokio::test]
async fn an_offer_is_not_booked_on_anything_else() {
    for answer in
        ["👎", "ainda não", "só se for de graça", "quanto custa?", "acho que sim", "sim, mas com a Íris", "oi"]
    {
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
