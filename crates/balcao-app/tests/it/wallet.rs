//! Attacks that cost the business money: long messages, many numbers, a whole day of it.

use balcao_agent::Profile;
use balcao_domain::conversation::ConversationState;
use balcao_llm::providers::scripted::says;
use serde_json::json;

use crate::messaging_harness::{MessagingHarness, eli, start_with_profile};

/// What a day may cost, in calls of the model. Each turn here needs one; one more than the script has would fail the test.
const MOST: usize = 12;

fn capped(scope: &str) -> Profile {
    let mut profile = serde_json::to_value(eli()).unwrap();
    profile["budgets"][scope] = json!({ "model_calls": MOST });
    serde_json::from_value(profile).unwrap()
}

async fn handed_over(shop: &MessagingHarness) -> i64 {
    shop.in_transaction(|tx| {
        tx.query_one("SELECT COUNT(*) FROM handoff WHERE reason LIKE 'budget%'", &[], |row| row.get(0))
    })
    .await
}

#[tokio::test]
async fn a_120_whoever_writes_for_a_day_costs_no_more_than_the_cap() {
    let shop = start_with_profile(capped("conversation_day"), (0..MOST).map(|_| says("Pode me dizer o dia?"))).await;
    for round in 0..48 {
        shop.joao_writes(&format!("wamid.{round}"), &"quero um horário ".repeat(200)).await;
        shop.run_until_idle().await;
        // Every half an hour, within one day.
        shop.advance_secs(1_000);
    }
    assert_eq!(shop.model.requests().len(), MOST);
    assert_eq!(handed_over(&shop).await, 1);
    assert_eq!(shop.conversation().await.state, ConversationState::WaitingHuman);
}

#[tokio::test]
async fn a_121_many_numbers_together_cost_no_more_than_the_business_allows() {
    let shop = start_with_profile(capped("organization_day"), (0..MOST).map(|_| says("Pode me dizer o dia?"))).await;
    for number in 0..60 {
        let (phone, user) = (format!("55319888{number:05}"), format!("BR.9{number}"));
        shop.writes_as(Some(&phone), Some(&user), &format!("wamid.{number}"), "quero um horário").await;
        shop.run_until_idle().await;
    }
    assert_eq!(shop.model.requests().len(), MOST);
    // Every contact gets a message: after the cap it says that a person will answer.
    assert_eq!(shop.texts().len(), 60);
    assert_eq!(handed_over(&shop).await, 60 - i64::try_from(MOST).unwrap());
}
