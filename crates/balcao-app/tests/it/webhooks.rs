//! Endpoints outside are told of what happened, once it is certain and until they took it.

use balcao_app::webhooks::{PAUSES, Subscriber, Webhooks};
use balcao_channel::endpoint::Endpoint;
use balcao_llm::providers::scripted::says;
use balcao_testkit::fakes::endpoint::{FakeEndpoint, SECRET};
use jiff::SignedDuration;

use crate::counter::{Counter, counter};

fn told(shop: &Counter, at: &FakeEndpoint, types: &[&str]) -> Webhooks {
    told_at(shop, &at.url(), types)
}

fn told_at(shop: &Counter, url: &str, types: &[&str]) -> Webhooks {
    let endpoint = Endpoint::new(url, &SECRET.into(), true).unwrap();
    let types = types.iter().map(|name| (*name).to_owned()).collect();
    let subscriber = Subscriber { name: "crm".to_owned(), types, endpoint };
    Webhooks::new(shop.world.desk.clone(), shop.world.organization, [subscriber])
}

fn types(endpoint: &FakeEndpoint) -> Vec<String> {
    assert_eq!(endpoint.complaints(), Vec::<String>::new());
    endpoint.received().iter().map(|one| one.body["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_conversation_is_told_in_ids_and_nothing_of_what_was_said() {
    let (shop, endpoint) = (counter([says("Olá!")]).await, FakeEndpoint::start().unwrap());
    let webhooks = told(&shop, &endpoint, &[]);
    assert_eq!(webhooks.work_off().await.unwrap(), 0);
    shop.joao_writes("wamid.1", "oi, é o João").await;
    shop.works().await;
    shop.joao_writes("wamid.2", "quero falar com uma pessoa").await;
    shop.works().await;
    assert_eq!(webhooks.work_off().await.unwrap(), 5);
    let mut types = types(&endpoint);
    types.sort();
    assert_eq!(
        types,
        ["conversation.handed_off", "message.received", "message.received", "message.sent", "message.sent"]
    );
    let conversation = shop.conversation().await.id.to_string();
    for one in endpoint.received() {
        let data = &one.body["data"];
        let ids = [&data["id"], &data["conversation_id"]];
        assert!(ids.iter().any(|id| **id == *conversation), "{}", one.body);
        let whole = one.body.to_string();
        assert!(["oi", "João", "5531", "pessoa"].iter().all(|said| !whole.contains(said)), "{whole}");
    }
    let handoff = endpoint.received().into_iter().find(|one| one.body["type"] == "conversation.handed_off").unwrap();
    assert_eq!(handoff.body["data"]["reason"], "asked_for_human");
    assert_eq!(webhooks.work_off().await.unwrap(), 0, "once");
}

#[tokio::test]
async fn an_endpoint_that_fails_is_asked_again_under_the_same_id_and_given_up_at_last() {
    let (shop, endpoint) = (counter([]).await, FakeEndpoint::start().unwrap());
    let webhooks = told(&shop, &endpoint, &["message.received"]);
    webhooks.work_off().await.unwrap();
    shop.joao_writes("wamid.1", "oi").await;
    endpoint.next(std::iter::repeat_n(500, PAUSES.len() + 1));
    webhooks.work_off().await.unwrap();
    for pause in PAUSES {
        assert_eq!(webhooks.work_off().await.unwrap(), 0, "the pause is not over");
        shop.world.clock.advance(SignedDuration::try_from(pause).unwrap());
        assert_eq!(webhooks.work_off().await.unwrap(), 1);
    }
    let received = endpoint.received();
    assert_eq!(received.len(), PAUSES.len() + 1);
    assert!(received.iter().all(|one| (&one.id, &one.body) == (&received[0].id, &received[0].body)));
    assert!(received.windows(2).all(|pair| pair[0].timestamp < pair[1].timestamp));
    shop.pass(10_000_000);
    assert_eq!(webhooks.work_off().await.unwrap(), 0, "it is a dead letter");
    let organization = shop.world.organization;
    let dead = shop.look(move |tx| balcao_store::webhook::dead(tx, organization, 10)).await;
    assert_eq!(dead[0].failure.as_deref(), Some("the endpoint answered 500"));
}

#[tokio::test]
async fn an_endpoint_that_says_gone_or_cannot_be_reached_stops_nobody_else() {
    let (shop, endpoint) = (counter([]).await, FakeEndpoint::start().unwrap());
    let webhooks = told(&shop, &endpoint, &["message.received"]);
    webhooks.work_off().await.unwrap();
    shop.joao_writes("wamid.1", "oi").await;
    endpoint.next([410]);
    assert_eq!(webhooks.work_off().await.unwrap(), 1);
    shop.joao_writes("wamid.2", "oi?").await;
    assert_eq!(webhooks.work_off().await.unwrap(), 1);
    assert_eq!(types(&endpoint).len(), 2);
    // Nobody listens there.
    let webhooks = told_at(&shop, "http://127.0.0.1:1/hook", &["message.received"]);
    shop.joao_writes("wamid.3", "alô?").await;
    assert_eq!(webhooks.work_off().await.unwrap(), 1);
    shop.pass(6);
    assert_eq!(webhooks.work_off().await.unwrap(), 1, "it is tried again");
}

#[test]
fn every_event_is_in_the_documentation() {
    let page = std::fs::read_to_string(crate::world::root().join("docs/OPERATIONS.md")).unwrap();
    for (_, name, says) in balcao_app::webhooks::TYPES {
        assert!(page.contains(&format!("| `{name}` | {says} |")), "docs/OPERATIONS.md lacks {name}: {says}");
    }
}
