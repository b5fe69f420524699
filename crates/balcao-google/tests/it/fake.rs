//! The fake is strict: what the documents refuse, it refuses.

use balcao_connector::Egress;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};
use std::time::Duration;

use balcao_testkit::fakes::google::{CLIENT_ID, CLIENT_SECRET};

use crate::world::{RAFA, World};

struct Caller {
    world: World,
    client: Client,
    token: String,
}

impl Caller {
    async fn new() -> Self {
        let world = World::unconnected();
        let refresh = world.google.grant(&["calendar"]);
        let egress = Egress { allow: vec!["127.0.0.0/8".parse().unwrap()], plain_http: true, ..Egress::default() };
        let client = egress.client(Duration::from_secs(5), true).unwrap();
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", &refresh),
            ("client_id", CLIENT_ID),
            ("client_secret", CLIENT_SECRET),
        ];
        let given = client.post(format!("{}/oauth2/token", world.google.url())).form(&form).send().await.unwrap();
        let given: Value = given.json().await.unwrap();
        let token = given["access_token"].as_str().unwrap().to_owned();
        Self { world, client, token }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}/calendar/v3/{path}", self.world.google.url());
        self.client.request(method, url).bearer_auth(&self.token)
    }

    /// Status and reason of a refusal.
    async fn refusal(&self, request: RequestBuilder) -> (u16, String) {
        let answer = request.send().await.unwrap();
        let status = answer.status().as_u16();
        let body: Value = answer.json().await.unwrap_or_default();
        (status, body["error"]["errors"][0]["reason"].as_str().unwrap_or_default().to_owned())
    }

    async fn assert_refused(&self, request: RequestBuilder, status: u16, reason: &str, why: &str) {
        assert_eq!(self.refusal(request).await, (status, reason.to_owned()), "{why}");
    }
}

fn good() -> Value {
    json!({ "id": "visit1", "summary": "Corte", "start": { "dateTime": "2026-11-27T15:00:00-03:00" },
        "end": { "dateTime": "2026-11-27T15:30:00-03:00" } })
}

fn with(changes: &Value) -> Value {
    let mut body = good();
    for (key, value) in changes.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

#[tokio::test]
async fn event_with_a_mistake_is_refused() {
    let caller = Caller::new().await;
    let rows = [
        ("misspelt key", json!({ "sumary": "Corte" }), "invalid"),
        ("no end", json!({ "end": null }), "required"),
        ("no offset", json!({ "start": { "dateTime": "2026-11-27T15:00:00" } }), "badRequest"),
        ("words for a time", json!({ "start": { "dateTime": "amanhã 10h" } }), "badRequest"),
        (
            "unknown zone",
            json!({ "start": { "dateTime": "2026-11-27T15:00:00-03:00", "timeZone": "Brasil" } }),
            "invalid",
        ),
        ("end before start", json!({ "end": { "dateTime": "2026-11-27T14:00:00-03:00" } }), "timeRangeEmpty"),
        ("days and times", json!({ "end": { "date": "2026-11-28" } }), "timeRangeEmpty"),
        ("id with a dash", json!({ "id": "visit-1" }), "invalid"),
        ("id with a capital", json!({ "id": "Visit1" }), "invalid"),
        ("id with a w", json!({ "id": "wisit1" }), "invalid"),
        ("short id", json!({ "id": "v1" }), "invalid"),
        ("unknown status", json!({ "status": "done" }), "invalid"),
        ("unknown transparency", json!({ "transparency": "clear" }), "invalid"),
        ("number as a property", json!({ "extendedProperties": { "private": { "a": 5 } } }), "invalid"),
        ("series without a zone", json!({ "recurrence": ["RRULE:FREQ=WEEKLY"] }), "invalid"),
        ("rule that does not exist", json!({ "recurrence": ["RRULE:FREQ=SOMETIMES"] }), "invalid"),
    ];
    let path = format!("calendars/{RAFA}/events?sendUpdates=none");
    for (why, changes, reason) in rows {
        let request = caller.request(Method::POST, &path).json(&with(&changes));
        caller.assert_refused(request, 400, reason, why).await;
    }
    assert_eq!(caller.world.google.count_events(RAFA), 0);
    let done = caller.request(Method::POST, &path).json(&good()).send().await.unwrap();
    assert_eq!(done.status(), 200);
    let twice = caller.request(Method::POST, &path).json(&good());
    caller.assert_refused(twice, 409, "duplicate", "the id is taken").await;
}

#[tokio::test]
async fn request_with_a_mistake_is_refused() {
    let caller = Caller::new().await;
    let list = format!("calendars/{RAFA}/events");
    let rows = [
        ("unknown parameter", "?single=true", "invalid"),
        ("long quota user", "?quotaUser=a234567890123456789012345678901234567890x", "invalid"),
        ("day for an instant", "?timeMin=2026-11-27", "badRequest"),
        ("instant without offset", "?timeMin=2026-11-27T10:00:00", "badRequest"),
        ("order of series", "?orderBy=startTime", "invalid"),
        ("order that does not exist", "?singleEvents=true&orderBy=inicio", "invalid"),
        ("too many results", "?maxResults=2501", "invalid"),
        ("odd boolean", "?singleEvents=yes", "invalid"),
        ("unknown page", "?pageToken=x", "invalid"),
        ("odd fields", "?fields=items(id", "invalidParameter"),
    ];
    for (why, query, reason) in rows {
        let request = caller.request(Method::GET, &format!("{list}{query}"));
        caller.assert_refused(request, 400, reason, why).await;
    }
    let url = |path: &str| format!("{}/calendar/v3/{path}", caller.world.google.url());
    caller.assert_refused(caller.client.get(url(&list)), 401, "required", "no token").await;
    caller.assert_refused(caller.client.get(url(&list)).bearer_auth("x"), 401, "authError", "odd token").await;
    let typed = caller.request(Method::POST, &list).header("content-type", "text/plain").body(good().to_string());
    caller.assert_refused(typed, 400, "parseError", "wrong type").await;
    let cut = caller.request(Method::POST, &list).header("content-type", "application/json").body("{");
    caller.assert_refused(cut, 400, "parseError", "no JSON").await;
    caller.assert_refused(caller.request(Method::GET, "calendars/x/events"), 404, "notFound", "no calendar").await;
    let sending = caller.request(Method::POST, &format!("{list}?sendUpdates=everybody")).json(&good());
    caller.assert_refused(sending, 400, "invalid", "odd sendUpdates").await;
}

#[tokio::test]
async fn sync_token_is_bound_to_what_it_was_given_for() {
    let caller = Caller::new().await;
    let list = format!("calendars/{RAFA}/events?singleEvents=true");
    let first = caller.request(Method::GET, &format!("{list}&timeMin=2026-11-25T00:00:00Z")).send().await.unwrap();
    let first: Value = first.json().await.unwrap();
    let token = first["nextSyncToken"].as_str().unwrap();
    for beside in [
        "timeMin=2026-11-25T00:00:00Z",
        "timeMax=2026-12-25T00:00:00Z",
        "q=corte",
        "orderBy=startTime",
        "privateExtendedProperty=a%3D1",
        "showDeleted=false",
    ] {
        let request = caller.request(Method::GET, &format!("{list}&syncToken={token}&{beside}"));
        caller.assert_refused(request, 400, "invalid", beside).await;
    }
    let other = caller.request(Method::GET, &format!("calendars/{RAFA}/events?syncToken={token}"));
    caller.assert_refused(other, 400, "invalid", "another set of parameters").await;
    let unknown = caller.request(Method::GET, &format!("{list}&syncToken=x"));
    caller.assert_refused(unknown, 410, "fullSyncRequired", "unknown token").await;
    let good = caller.request(Method::GET, &format!("{list}&syncToken={token}")).send().await.unwrap();
    assert_eq!(good.status(), 200);
    caller.world.google.expire_sync_tokens();
    let expired = caller.request(Method::GET, &format!("{list}&syncToken={token}"));
    caller.assert_refused(expired, 410, "fullSyncRequired", "expired").await;
}

#[tokio::test]
async fn channel_with_a_mistake_is_refused() {
    let caller = Caller::new().await;
    let watch = format!("calendars/{RAFA}/events/watch");
    let good = json!({ "id": "c-1", "type": "web_hook", "address": "https://desk.example.test/push", "token": "t" });
    let rows = [
        ("plain HTTP", json!({ "address": "http://desk.example.test/push" }), "push.webhookUrlNotHttps"),
        ("odd type", json!({ "type": "email" }), "invalid"),
        ("odd id", json!({ "id": "c 1" }), "invalid"),
        ("long token", json!({ "token": "t".repeat(257) }), "invalid"),
        ("number as ttl", json!({ "params": { "ttl": 60 } }), "invalid"),
        ("long ttl", json!({ "params": { "ttl": "604801" } }), "invalid"),
        ("unknown key", json!({ "url": "x" }), "invalid"),
    ];
    for (why, changes, reason) in rows {
        let mut body = good.clone();
        for (key, value) in changes.as_object().unwrap() {
            body[key] = value.clone();
        }
        caller.assert_refused(caller.request(Method::POST, &watch).json(&body), 400, reason, why).await;
    }
    let opened = caller.request(Method::POST, &watch).json(&good).send().await.unwrap();
    assert_eq!(opened.status(), 200);
    let twice = caller.request(Method::POST, &watch).json(&good);
    caller.assert_refused(twice, 400, "channelIdNotUnique", "the id is in use").await;
    let stop = caller.request(Method::POST, "channels/stop").json(&json!({ "id": "c-1", "resourceId": "other" }));
    caller.assert_refused(stop, 404, "notFound", "another resource").await;
}

#[tokio::test]
async fn consent_page_refuses_a_request_without_its_parts() {
    let world = World::unconnected();
    let addresses = balcao_google::Addresses::under(&world.google.url()).unwrap();
    let scopes = balcao_google::scopes(false);
    let consent = balcao_google::Consent::ask(&addresses, CLIENT_ID, &scopes, "http://127.0.0.1:1/", [1; 64]);
    let egress = Egress { allow: vec!["127.0.0.0/8".parse().unwrap()], plain_http: true, ..Egress::default() };
    let client = egress.client(Duration::from_secs(5), true).unwrap();
    assert_eq!(client.get(consent.address().clone()).send().await.unwrap().status(), 200);
    let pairs: Vec<(String, String)> = consent.address().query_pairs().into_owned().collect();
    for (left_out, _) in &pairs {
        let mut url = consent.address().clone();
        url.query_pairs_mut().clear().extend_pairs(pairs.iter().filter(|(name, _)| name != left_out));
        assert_eq!(client.get(url).send().await.unwrap().status(), 400, "{left_out}");
    }
}

#[tokio::test]
async fn notice_reaches_a_server_and_gives_its_status() {
    let caller = Caller::new().await;
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/push", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut stream, _) = listener.accept().unwrap();
        let mut text = Vec::new();
        let mut byte = [0];
        while !text.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            text.push(byte[0]);
        }
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        String::from_utf8(text).unwrap()
    });
    let body = json!({ "id": "c-1", "type": "web_hook", "address": address, "token": "secret" });
    let watch = format!("calendars/{RAFA}/events/watch");
    assert_eq!(caller.request(Method::POST, &watch).json(&body).send().await.unwrap().status(), 200);
    let notices = caller.world.google.take_notices();
    assert_eq!(notices[0].deliver().unwrap(), 204);
    let seen = server.join().unwrap();
    assert!(seen.starts_with("POST /push HTTP/1.1\r\n"), "{seen}");
    for header in [
        "X-Goog-Channel-ID: c-1",
        "X-Goog-Channel-Token: secret",
        "X-Goog-Resource-State: sync",
        "X-Goog-Message-Number: 1",
    ] {
        assert!(seen.contains(header), "{header}: {seen}");
    }
}
