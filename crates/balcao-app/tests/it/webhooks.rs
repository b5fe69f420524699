//! External endpoints receive events, once they are certain and until the endpoint took them.

use std::path::Path;

use balcao_app::admin::backlog::{self, BacklogKind};
use balcao_app::admin::restore_guard;
use balcao_app::admin::webhooks::{PAUSES, Subscriber, Webhooks};
use balcao_app::context::app_context::AppContext;
use balcao_channel::endpoint::Endpoint;
use balcao_domain::OrganizationId;
use balcao_llm::providers::scripted::says;
use balcao_store::{OpenOptions, Store, turns::event};
use balcao_testkit::fakes::endpoint::{FakeEndpoint, SECRET};
use jiff::SignedDuration;

use crate::messaging_harness::{MessagingHarness, start_harness};
use crate::world::{World, on};

fn told(shop: &MessagingHarness, at: &FakeEndpoint, types: &[&str]) -> Webhooks {
    told_at(shop, &at.url(), types)
}

fn told_at(shop: &MessagingHarness, url: &str, types: &[&str]) -> Webhooks {
    told_of(shop.world.app.clone(), shop.world.organization, url, types)
}

fn told_of(app: AppContext, organization: OrganizationId, url: &str, types: &[&str]) -> Webhooks {
    let endpoint = Endpoint::new(url, &SECRET.into(), true).unwrap();
    let types = types.iter().map(|name| (*name).to_owned()).collect();
    Webhooks::new(app, organization, [Subscriber { name: "crm".to_owned(), types, endpoint }])
}

fn types(endpoint: &FakeEndpoint) -> Vec<String> {
    assert_eq!(endpoint.complaints(), Vec::<String>::new());
    endpoint.received().iter().map(|one| one.body["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_conversation_is_told_in_ids_and_nothing_of_what_was_said() {
    let (shop, endpoint) = (start_harness([says("Olá!")]).await, FakeEndpoint::start().unwrap());
    let webhooks = told(&shop, &endpoint, &[]);
    assert_eq!(webhooks.work_off().await.unwrap(), 0);
    shop.joao_writes("wamid.1", "oi, é o João").await;
    shop.run_until_idle().await;
    shop.joao_writes("wamid.2", "quero falar com uma pessoa").await;
    shop.run_until_idle().await;
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
    let (shop, endpoint) = (start_harness([]).await, FakeEndpoint::start().unwrap());
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
    shop.advance_secs(10_000_000);
    assert_eq!(webhooks.work_off().await.unwrap(), 0, "it is a dead letter");
    let organization = shop.world.organization;
    let dead = shop.in_transaction(move |tx| balcao_store::ops::webhook::dead(tx, organization, 10)).await;
    assert_eq!(dead[0].failure.as_deref(), Some("the endpoint answered 500"));
}

#[tokio::test]
async fn a_webhook_that_was_given_up_after_crashes_is_an_alarm_until_it_is_sent_again() {
    let (shop, endpoint) = (start_harness([]).await, FakeEndpoint::start().unwrap());
    let webhooks = told(&shop, &endpoint, &["message.received"]);
    webhooks.begin().await.unwrap();
    shop.joao_writes("wamid.1", "oi").await;
    webhooks.begin().await.unwrap();
    let organization = shop.world.organization;
    let is_alarm = async || {
        let now = balcao_domain::Clock::now(&*shop.world.clock);
        let figures = shop.in_transaction(move |tx| balcao_store::ops::backlog::read(tx, now)).await;
        backlog::alarms(&figures, now).iter().any(|alarm| alarm.what == BacklogKind::CrashedWebhook)
    };
    for death in 1..=3 {
        let now = balcao_domain::Clock::now(&*shop.world.clock);
        let until = now + SignedDuration::from_secs(60);
        let claimed =
            shop.in_transaction(move |tx| balcao_store::ops::webhook::claim(tx, organization, now, until, 10)).await;
        assert_eq!(claimed.len(), 1, "death {death}");
        shop.advance_secs(61);
        assert!(!is_alarm().await, "death {death}");
    }
    assert_eq!(webhooks.work_off().await.unwrap(), 0);
    shop.advance_secs(1);
    assert!(is_alarm().await);
    let now = balcao_domain::Clock::now(&*shop.world.clock);
    let retried = shop.in_transaction(move |tx| balcao_store::ops::webhook::retry(tx, organization, None, now)).await;
    assert_eq!((retried, webhooks.work_off().await.unwrap()), (1, 1));
    assert!(!is_alarm().await);
}

#[tokio::test]
async fn the_alarm_of_a_crashed_webhook_ends_at_a_start_without_its_endpoint() {
    let (shop, endpoint) = (start_harness([]).await, FakeEndpoint::start().unwrap());
    let webhooks = told(&shop, &endpoint, &["message.received"]);
    webhooks.begin().await.unwrap();
    shop.joao_writes("wamid.1", "oi").await;
    webhooks.begin().await.unwrap();
    let organization = shop.world.organization;
    let is_alarm = async || {
        let now = balcao_domain::Clock::now(&*shop.world.clock);
        let figures = shop.in_transaction(move |tx| balcao_store::ops::backlog::read(tx, now)).await;
        backlog::alarms(&figures, now).iter().any(|alarm| alarm.what == BacklogKind::CrashedWebhook)
    };
    for _death in 1..=3 {
        let now = balcao_domain::Clock::now(&*shop.world.clock);
        let until = now + SignedDuration::from_secs(60);
        shop.in_transaction(move |tx| balcao_store::ops::webhook::claim(tx, organization, now, until, 10)).await;
        shop.advance_secs(61);
    }
    assert_eq!(webhooks.work_off().await.unwrap(), 0);
    shop.advance_secs(1);
    webhooks.end_alarms_of_removed().await.unwrap();
    assert!(is_alarm().await, "its endpoint is there");
    Webhooks::new(shop.world.app.clone(), organization, []).end_alarms_of_removed().await.unwrap();
    assert!(!is_alarm().await);
    let dead = shop.in_transaction(move |tx| balcao_store::ops::webhook::dead(tx, organization, 10)).await;
    assert_eq!(dead.len(), 1, "it is listed still");
}

#[tokio::test]
async fn an_endpoint_that_says_gone_or_cannot_be_reached_stops_nobody_else() {
    let (shop, endpoint) = (start_harness([]).await, FakeEndpoint::start().unwrap());
    let webhooks = told(&shop, &endpoint, &["message.received"]);
    webhooks.work_off().await.unwrap();
    shop.joao_writes("wamid.1", "oi").await;
    endpoint.next([410]);
    assert_eq!(webhooks.work_off().await.unwrap(), 1);
    shop.joao_writes("wamid.2", "oi?").await;
    assert_eq!(webhooks.work_off().await.unwrap(), 1);
    assert_eq!(types(&endpoint).len(), 2);
    // No server listens at this address.
    let webhooks = told_at(&shop, "http://127.0.0.1:1/hook", &["message.received"]);
    shop.joao_writes("wamid.3", "alô?").await;
    assert_eq!(webhooks.work_off().await.unwrap(), 1);
    shop.advance_secs(6);
    assert_eq!(webhooks.work_off().await.unwrap(), 1, "it is tried again");
}

/// So many contacts write, at a program over this database, and the endpoint receives the events.
async fn write_at(app: &AppContext, world: &World, endpoint: &FakeEndpoint, times: usize) {
    let (organization, now) = (world.organization, balcao_domain::Clock::now(&*world.clock));
    for _ in 0..times {
        let one =
            move |tx: &mut balcao_store::Tx<'_>| event::push(tx, organization, "contact_wrote", "cnv_1", "{}", now);
        app.store.write(one).await.unwrap();
    }
    let told = told_of(app.clone(), organization, &endpoint.url(), &[]).work_off().await.unwrap();
    assert_eq!(told, times);
}

/// A program over a copy of the database that was restored.
async fn restored_from(copy: &Path, world: &World) -> AppContext {
    let app = AppContext::new(Store::open(copy, OpenOptions::default()).unwrap(), world.clock.clone());
    restore_guard::hold(&app).await.unwrap();
    app
}

#[tokio::test]
async fn f_82_what_a_restored_database_tells_has_ids_that_no_lost_program_gave() {
    let (folder, endpoint) = (tempfile::tempdir().unwrap(), FakeEndpoint::start().unwrap());
    let [file, copy, second] = ["now.db", "backup.db", "backup again.db"].map(|name| folder.path().join(name));
    let store = Store::open(&file, OpenOptions::default()).unwrap();
    let world = on(store, "barbearia-figueira.yaml", "2026-11-24T10:00").await;
    told_of(world.app.clone(), world.organization, &endpoint.url(), &[]).begin().await.unwrap();
    write_at(&world.app, &world, &endpoint, 2).await;
    Store::copy_file(&file, &copy).await.unwrap();
    Store::copy_file(&file, &second).await.unwrap();
    write_at(&world.app, &world, &endpoint, 3).await;
    let restored = restored_from(&copy, &world).await;
    write_at(&restored, &world, &endpoint, 3).await;
    // That was a mistake as well: the same backup once more, an hour later.
    world.clock.advance(SignedDuration::from_hours(1));
    let again = restored_from(&second, &world).await;
    write_at(&again, &world, &endpoint, 3).await;
    let mut ids: Vec<String> = endpoint.received().into_iter().map(|one| one.id).collect();
    assert_eq!(ids.len(), 11);
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 11, "{ids:?}");
}

/// What staff read of deliveries to an address that never answer.
async fn failure_at(url: &str, allow_private: bool) -> Option<String> {
    let shop = start_harness([]).await;
    let endpoint = Endpoint::new(url, &SECRET.into(), allow_private).unwrap();
    let subscriber = Subscriber { name: "crm".to_owned(), types: ["message.received".to_owned()].into(), endpoint };
    let webhooks = Webhooks::new(shop.world.app.clone(), shop.world.organization, [subscriber]);
    webhooks.begin().await.unwrap();
    shop.joao_writes("wamid.1", "oi").await;
    for _ in 0..=PAUSES.len() {
        assert_eq!(webhooks.work_off().await.unwrap(), 1);
        shop.world.clock.advance(SignedDuration::from_hours(24));
    }
    let organization = shop.world.organization;
    let mut dead = shop.in_transaction(move |tx| balcao_store::ops::webhook::dead(tx, organization, 10)).await;
    dead.pop().and_then(|one| one.failure)
}

#[tokio::test]
async fn a_64_staff_read_the_same_of_a_closed_port_a_name_inside_and_a_server_that_hangs_up() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let hangs_up = format!("http://{}/x", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().for_each(drop));
    // A port without a listener.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut told = Vec::new();
    for (url, allow_private) in
        [(hangs_up, true), (format!("http://{closed}/x"), true), ("https://nobody.invalid/x".to_owned(), false)]
    {
        told.push(failure_at(&url, allow_private).await.unwrap());
    }
    assert_eq!(told, ["the endpoint gave no answer; the server's log says why"; 3]);
}

#[test]
fn every_event_is_in_the_documentation() {
    let page = std::fs::read_to_string(crate::world::root().join("docs/OPERATIONS.md")).unwrap();
    for (_, name, says) in balcao_app::admin::webhooks::TYPES {
        assert!(page.contains(&format!("| `{name}` | {says} |")), "docs/OPERATIONS.md lacks {name}: {says}");
    }
}
