//! A customer who came by an advertisement and was answered in time costs nothing for three days.

use balcao_channel::channels::whatsapp::price::FREE_SERVICE_MESSAGES;
use balcao_domain::Clock;
use balcao_llm::providers::scripted::says;
use balcao_store::messaging::conversation;
use balcao_testkit::fakes::graph::ACCOUNT;
use serde_json::{Value, json};

use crate::messaging_harness::{MessagingHarness, start_harness, terms};

/// The price of a message without a template, and of a message with one.
const PRICE: i64 = 40_000;

fn by_an_advertisement(text: &str) -> Value {
    let referral =
        json!({ "source_url": "https://fb.me/x", "source_id": "1", "source_type": "ad", "ctwa_clid": "click" });
    json!({ "type": "text", "text": { "body": text }, "referral": referral })
}

/// The month's free messages went to others.
async fn no_message_is_free(shop: &MessagingHarness) {
    let (organization, caio, now) = (shop.world.organization, shop.world.caio().await, shop.world.clock.now());
    shop.in_transaction(move |tx| {
        let other = conversation::find_or_begin(tx, organization, caio, "whatsapp", now)?.id;
        let (organization, other, at) = (i64::from(organization), i64::from(other), now.as_millisecond());
        let sql = format!(
            "INSERT INTO outbox (organization_id, conversation_id, seq, kind, channel, account, recipient, body, correlation,
                                 state, not_before, created_at, changed_at, category, price_micros, priced_at)
             WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {FREE_SERVICE_MESSAGES})
             SELECT {organization}, {other}, n, 'staff', 'whatsapp', '{ACCOUNT}', '{{}}', '{{}}', 'before:' || n, 'sent',
                    {at}, {at}, {at}, 'service', 0, {at} FROM number"
        );
        tx.execute(&sql, &[])
    })
    .await;
}

/// What each message cost, in order.
async fn costs(shop: &MessagingHarness) -> Vec<Option<i64>> {
    shop.outbox().await.into_iter().map(|one| one.price_micros).collect()
}

async fn answers(shop: &MessagingHarness) {
    shop.advance_secs(3);
    shop.dispatcher.work_off().await.unwrap();
    shop.sends(terms()).await;
}

#[tokio::test]
async fn an_answer_in_time_is_free_and_so_is_what_comes_after_it_for_three_days() {
    let shop = start_harness(["Um.", "Dois.", "Três."].map(says)).await;
    no_message_is_free(&shop).await;
    shop.joao_sends("wamid.1", by_an_advertisement("vi o anúncio")).await;
    answers(&shop).await;
    shop.advance_secs(70 * 3_600);
    shop.joao_writes("wamid.2", "oi").await;
    answers(&shop).await;
    shop.advance_secs(3 * 3_600);
    shop.joao_writes("wamid.3", "oi de novo").await;
    answers(&shop).await;
    assert_eq!(costs(&shop).await, [Some(0), Some(0), Some(PRICE)]);
}

#[tokio::test]
async fn without_an_advertisement_or_an_answer_in_time_nothing_is_free() {
    let shop = start_harness([says("Um.")]).await;
    no_message_is_free(&shop).await;
    let words = r#"{"referral":{"source_type":"ad"}}"#;
    shop.joao_writes("wamid.1", words).await;
    answers(&shop).await;
    assert_eq!(costs(&shop).await, [Some(PRICE)]);
    // The advertisement was a day and an hour ago when the answer leaves.
    let shop = start_harness([says("Um.")]).await;
    no_message_is_free(&shop).await;
    shop.joao_sends("wamid.1", by_an_advertisement("vi o anúncio")).await;
    shop.advance_secs(25 * 3_600);
    shop.joao_writes("wamid.2", "oi?").await;
    answers(&shop).await;
    assert_eq!(costs(&shop).await.last(), Some(&Some(PRICE)));
}
