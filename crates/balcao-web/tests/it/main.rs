//! The server from outside: requests to its router, and bytes on a real connection.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "tests")]

mod api;
mod calendar;
mod chat;
mod connections;
mod evolution;
mod flood;
mod whatsapp;

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use balcao_app::AppContext;
use balcao_app::admin::backlog::BacklogMonitor;
use balcao_app::messaging::inbox::{Account, Inbox};
use balcao_app::scheduling::calendar_channels::CalendarChannels;
use balcao_channel::channels::whatsapp::signature::AppSecrets;
use balcao_domain::ManualClock;
use balcao_domain::burst::BurstRules;
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::store::{now, world};
use balcao_testkit::fakes::graph::webhooks::sign;
use balcao_testkit::fakes::graph::{ACCOUNT, webhooks};
use balcao_web::{
    EvolutionWebhook, Limits, Web, WhatsAppWebhook, calendar_router, evolution_router, router, router_with,
};
use serde_json::Value;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

const SECRET: &str = "an app secret";

/// The address of a number within a network.
type Address = fn(u32) -> String;

/// Networks of many addresses: what each is, its addresses, and how many times as often as one of them it may ask.
const NETWORKS: [(&str, Address, u32); 3] = [
    ("a /56", |number| format!("2001:db8:1:23{number:02x}::1"), 2),
    ("a /48", |number| format!("2001:db8:2:{number:02x}00::1"), 5),
    ("a /24", |number| format!("203.0.113.{number}"), 5),
];

struct Shop {
    store: Store,
    router: Router,
    stop: CancellationToken,
    app: AppContext,
    clock: Arc<ManualClock>,
}

async fn shop() -> Shop {
    shop_with(Limits::default(), true).await
}

async fn shop_with(limits: Limits, whatsapp: bool) -> Shop {
    watched_shop(limits, whatsapp, BacklogMonitor::default()).await
}

async fn watched_shop(limits: Limits, whatsapp: bool, watch: BacklogMonitor) -> Shop {
    shop_of(limits, whatsapp, watch, &[]).await
}

/// A proxy on this machine says who asks.
async fn behind_a_proxy(limits: Limits) -> Shop {
    shop_of(limits, true, BacklogMonitor::default(), &["127.0.0.1/32"]).await
}

async fn shop_of(limits: Limits, whatsapp: bool, watch: BacklogMonitor, proxies: &[&str]) -> Shop {
    let proxies = proxies.iter().map(|network| network.parse().unwrap()).collect();
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    let organization = world(&store, "shop").await.organization;
    let clock = Arc::new(ManualClock::at(now()));
    let app = AppContext::new(store.clone(), clock.clone());
    let account = Account {
        channel: "whatsapp".to_owned(),
        account: ACCOUNT.to_owned(),
        business: Some(webhooks::BUSINESS.to_owned()),
        organization,
    };
    let inbox = Inbox::new(app.clone(), [account], BurstRules::default(), Arc::new(Notify::new()));
    let hook =
        WhatsAppWebhook { secrets: AppSecrets::new(SECRET.into()).unwrap(), verify_token: "a verify token".into() };
    let stop = CancellationToken::new();
    let gateway = evolution_router(EvolutionWebhook { inbox: inbox.clone(), key: SECRET.into() });
    let gateway = gateway.merge(calendar_router(CalendarChannels::new(app.clone())));
    let web = Web::new(app.clone(), inbox, whatsapp.then_some(hook), stop.clone()).watched(watch, proxies);
    Shop { store, router: router_with(web, &limits, gateway), stop, app, clock }
}

impl Shop {
    async fn ask(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn get(&self, target: &str) -> (u16, String) {
        whole(self.ask(Request::get(target).body(Body::empty()).unwrap()).await).await
    }

    async fn count(&self, table: &'static str) -> i64 {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        let count = self.store.read(move |tx| tx.query_one(&sql, &[], |row| row.get(0))).await;
        count.map_err(|error: StoreError| error).unwrap()
    }
}

async fn whole(response: Response<Body>) -> (u16, String) {
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn health_says_that_it_lives_and_readiness_that_it_can_work() {
    let shop = shop().await;
    assert_eq!(shop.get("/healthz").await, (200, "ok".to_owned()));
    assert_eq!(shop.get("/readyz").await, (200, "ready".to_owned()));
    shop.stop.cancel();
    assert_eq!(shop.get("/healthz").await.0, 200);
    let (status, body) = shop.get("/readyz").await;
    assert!(status == 503 && body.contains("about to stop"), "{body}");
}

#[tokio::test]
async fn readiness_asks_the_database_once_a_second_however_many_ask() {
    let shop = shop().await;
    assert_eq!(shop.get("/readyz").await.0, 200);
    let forgets = shop.store.write(|tx| tx.execute("DELETE FROM schema_migration", &[])).await;
    forgets.map_err(|error: StoreError| error).unwrap();
    assert_eq!(shop.get("/readyz").await.0, 200, "the database was asked again");
    shop.clock.advance(jiff::SignedDuration::from_secs(1));
    let (status, body) = shop.get("/readyz").await;
    assert!(status == 503 && body.contains("balcao migrate"), "{body}");
}

#[tokio::test]
async fn a_database_without_its_schema_is_not_ready_and_says_what_to_do() {
    let mut shop = shop().await;
    let bare = Store::open_in_memory().unwrap();
    let app = AppContext::new(bare, Arc::new(ManualClock::at(now())));
    let inbox = Inbox::new(app.clone(), [], BurstRules::default(), Arc::new(Notify::new()));
    shop.router = router(Web::new(app, inbox, None, CancellationToken::new()), &Limits::default());
    let (status, body) = shop.get("/readyz").await;
    assert!(status == 503 && body.contains("balcao migrate"), "{body}");
}

#[tokio::test]
async fn a_body_that_is_cut_short_is_400_and_one_that_is_too_large_413() {
    let shop = shop().await;
    let piece = |bytes: usize| Ok::<_, std::io::Error>(vec![b' '; bytes]);
    let cut = || Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof));
    for (pieces, expected) in
        [(vec![piece(10), cut()], 400), (vec![piece(3 << 20)], 401), (vec![piece(3 << 20), piece(1), cut()], 413)]
    {
        let body = Body::from_stream(futures::stream::iter(pieces));
        let request = Request::post("/webhooks/whatsapp").header("X-Hub-Signature-256", sign(SECRET, b"of another"));
        let (status, told) = whole(shop.ask(request.body(body).unwrap()).await).await;
        assert_eq!(status, expected, "{told}");
    }
}

#[tokio::test]
async fn every_refusal_is_a_problem_with_security_headers() {
    let shop = shop().await;
    for (request, status) in [
        (Request::get("/nothing"), 404),
        (Request::put("/healthz"), 405),
        (Request::get("/webhooks/whatsapp"), 403),
        (Request::post("/webhooks/whatsapp"), 401),
        (Request::delete("/webhooks/whatsapp"), 405),
    ] {
        let response = shop.ask(request.body(Body::empty()).unwrap()).await;
        assert_eq!(response.status().as_u16(), status);
        let header = |name: &str| response.headers().get(name).unwrap().to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), "application/problem+json");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("cache-control"), "no-store");
        assert!(header("content-security-policy").contains("default-src 'none'"));
        let problem: Value = serde_json::from_str(&whole(response).await.1).unwrap();
        assert_eq!(problem["status"], status);
        assert!(problem["title"].is_string() && problem["detail"].is_string());
    }
}
