//! What a list of conversations shows of each: what was said last, and whether it arrived.

use balcao_app::conversations::{Author, ConversationView, Conversations, DeliveryStep};
use balcao_domain::conversation::ConversationState;
use balcao_testkit::fakes::graph::{Behaviour, webhooks};
use serde_json::json;

use crate::messaging_harness::MessagingHarness;
use crate::sending::{HELLO, said_hello};

async fn listed(shop: &MessagingHarness) -> ConversationView {
    let id = shop.conversation().await.id;
    let conversations = Conversations::new(shop.world.app.clone());
    let all = conversations.list(shop.world.organization, ConversationState::ALL.to_vec()).await.unwrap();
    all.items.into_iter().find(|one| one.id == id).unwrap()
}

fn fails(code: i64) -> Behaviour {
    Behaviour::Error { status: 400, code, details: "Not now".to_owned() }
}

#[tokio::test]
async fn a_reply_that_has_not_left_is_shown_as_such() {
    for (behaviour, step, why) in [
        (Behaviour::Normal, DeliveryStep::Sent, None),
        (fails(131_016), DeliveryStep::Waiting, Some("Not now")),
        (fails(131_051), DeliveryStep::Failed, Some("Not now")),
        (Behaviour::AcceptThenDrop, DeliveryStep::Unknown, Some("")),
    ] {
        let shop = said_hello(behaviour).await;
        let shown = listed(&shop).await;
        assert_eq!((shown.last_message.as_deref(), shown.last_message_author), (Some(HELLO), Some(Author::Agent)));
        let delivery = shown.last_message_delivery.unwrap();
        assert_eq!((delivery.state, delivery.failure.is_some()), (step, why.is_some()));
        assert!(delivery.failure.unwrap_or_default().contains(why.unwrap_or_default()));
    }
}

#[tokio::test]
async fn what_the_customer_wrote_is_shown_when_the_reply_to_it_became_a_draft() {
    let shop = said_hello(fails(131_016)).await;
    shop.staff_takes_over().await;
    let shown = listed(&shop).await;
    assert_eq!((shown.last_message.as_deref(), shown.last_message_author), (Some("oi"), Some(Author::Contact)));
    assert_eq!(shown.last_message_delivery, None);
}

#[tokio::test]
async fn what_fails_later_is_shown_as_failed() {
    let shop = said_hello(Behaviour::Normal).await;
    let failed = json!({ "errors": [{ "code": 131_049, "title": "It failed" }] });
    shop.delivers(&webhooks::status("wamid.OUT1", "failed", failed)).await;
    assert_eq!(listed(&shop).await.last_message_delivery.unwrap().state, DeliveryStep::Failed);
}
