//! A person of staff leaves and comes back, by the API.

use balcao_llm::providers::scripted::calls;
use balcao_store::{OpenOptions, Store};
use balcao_testkit::postgres::Database;
use serde_json::{Value, json};

use super::world::{Answer, Shop, shop_in};

const DAVI: &str = "davi@figueira.example";
const NAME: &str = "Davi Lopes";

/// A customer asks for a person; gives the path of the conversation.
async fn hand_over(shop: &Shop, conversation: &str) -> String {
    let asked = json!({ "conversation": conversation, "text": "oi" });
    let answer = shop.post("/v1/turn", asked).await;
    assert_eq!(answer.body["outcome"], "handoff", "{answer:?}");
    format!("/v1/conversations/{}", answer.body["conversation_id"].as_str().unwrap())
}

/// Who has each handoff, the latest first.
async fn handoffs(shop: &Shop) -> Vec<Value> {
    let all = shop.get("/v1/handoffs").await.body["items"].as_array().unwrap().clone();
    all.iter().map(|one| one["assigned_to"].clone()).collect()
}

/// Makes what a document changes, and gives the one change.
async fn apply(shop: &Shop, document: &Value) -> Value {
    let plan = shop.post("/v1/business/plan", json!({ "document": document })).await;
    assert_eq!(plan.body["changes"].as_array().map(Vec::len), Some(1), "{plan:?}");
    let made = shop.post("/v1/business/apply", json!({ "document": document, "plan": plan.body["hash"] })).await;
    assert_eq!((made.status, &made.body["changes"]), (200, &plan.body["changes"]), "{made:?}");
    plan.body["changes"][0].clone()
}

fn is_unknown(answer: &Answer) -> bool {
    answer.status == 422 && answer.fields()[0].0 == "/staff"
}

#[tokio::test]
async fn who_leaves_stays_by_name_does_nothing_new_and_comes_back_with_a_file() {
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    leave_and_come_back(store).await;
}

#[tokio::test]
async fn who_leaves_stays_by_name_does_nothing_new_and_comes_back_with_a_file_on_postgres() {
    let Some(database) = Database::migrated() else { return };
    leave_and_come_back(Store::connect(&database.url, OpenOptions::default()).unwrap()).await;
}

async fn leave_and_come_back(store: Store) {
    let turn = || calls("transfer_to_human", &json!({ "reason": "quer falar com uma pessoa" }));
    let shop = shop_in(store, [turn(), turn(), turn()]).await;
    let contact = shop.contact("lívia").await;
    let booking = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "11:00" });
    let booked = shop.post("/v1/appointments", booking).await;
    let mark = format!("/v1/appointments/{}/mark", booked.body["appointment"]["id"].as_str().unwrap());
    shop.clock.set("2026-11-25T14:10:00Z".parse().unwrap());
    assert_eq!(shop.post(&mark, json!({ "end": "no_show", "staff": DAVI })).await.status, 200);
    let over = hand_over(&shop, "first").await;
    assert_eq!(shop.post(&format!("{over}/give-back"), json!({ "staff": DAVI })).await.status, 200);
    let open = hand_over(&shop, "second").await;
    assert_eq!(handoffs(&shop).await, [NAME, NAME]);

    // A file without him archives him, and says which conversation he has.
    let before = shop.get("/v1/business").await.body["document"].clone();
    let mut without = before.clone();
    without["staff"].as_array_mut().unwrap().retain(|one| one["email"] != DAVI);
    let change = apply(&shop, &without).await;
    assert_eq!(
        (&change["section"], &change["name"], &change["action"]),
        (&json!("staff"), &json!(DAVI), &json!("archived"))
    );
    assert_eq!(change["hits"].as_array().map(Vec::len), Some(1), "{change}");
    assert_eq!(shop.audit(DAVI).await.pop().unwrap().action, "staff.archive");
    let after = shop.get("/v1/business").await.body["document"].clone();
    let davi = after["staff"].as_array().unwrap().iter().find(|one| one["email"] == DAVI).unwrap();
    assert_eq!(davi["active"], false, "{davi}");
    for document in [&without, &after] {
        let plan = shop.post("/v1/business/plan", json!({ "document": document })).await;
        assert_eq!(plan.body["changes"], json!([]), "{plan:?}");
    }

    // What he did keeps his name; what is open is assigned to no person.
    assert_eq!(handoffs(&shop).await, [Value::Null, json!(NAME)]);
    assert_eq!(shop.get(&open).await.body["conversation"]["assigned_to"], Value::Null);
    let marked = shop.post(&mark, json!({ "end": "completed" })).await;
    assert_eq!(marked.problem(), (409, "marked_before"));
    assert_eq!(marked.body["facts"]["mark"]["name"], NAME, "{marked:?}");

    // He does nothing new, and nothing new comes to him.
    for (path, body) in [
        (format!("{open}/take"), json!({ "staff": DAVI })),
        (format!("{open}/notes"), json!({ "staff": DAVI, "text": "Volto já." })),
        (mark, json!({ "end": "completed", "staff": DAVI })),
        ("/v1/visits/complete-day".to_owned(), json!({ "date": "2026-11-25", "staff": DAVI })),
    ] {
        let answer = shop.post(&path, body).await;
        assert!(is_unknown(&answer), "{path}: {answer:?}");
    }
    hand_over(&shop, "third").await;
    let now = handoffs(&shop).await;
    assert!(now[0].is_string() && now[0] != NAME, "{now:?}");

    // A file that names him again brings him back, also with his address in capitals.
    let mut again = before.clone();
    for one in again["staff"].as_array_mut().unwrap().iter_mut().filter(|one| one["email"] == DAVI) {
        one["email"] = json!("DAVI@figueira.example");
    }
    let change = apply(&shop, &again).await;
    assert_eq!((&change["name"], &change["action"]), (&json!(DAVI), &json!("changed")));
    assert_eq!(change["fields"], json!([{ "field": "active", "before": false, "after": null }]));
    assert_eq!(shop.get("/v1/business").await.body["document"], before);
    assert_eq!(shop.post(&format!("{open}/take"), json!({ "staff": DAVI })).await.status, 200);
}
