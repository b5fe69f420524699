//! Who may do what: scopes, other organizations, keys that end, limits.

use std::time::Duration;

use balcao_app::admin::keys::{KeyRefusal, KeyRequest, Scope};
use balcao_domain::ApiKeyId;
use balcao_domain::outbox::OutboxState;
use balcao_llm::providers::scripted::says;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use super::world::{Shop, operations, quiet, shop};

#[tokio::test]
async fn an_endpoint_opens_to_its_scope_and_to_no_other() {
    let shop = quiet([], Duration::ZERO).await;
    for scope in Scope::ALL {
        let key = shop.make_key(shop.organization, &[scope]).await;
        for (method, path, needed) in operations(&shop.document) {
            let Some(needed) = needed else { continue };
            let answer = shop.send(method.clone(), &path.replace("{id}", "x_1"), &key, None, Some(json!({}))).await;
            let may = needed == scope.as_str();
            assert_eq!(answer.status == 403, !may, "{method} {path} with {}: {answer:?}", scope.as_str());
            if !may {
                assert_eq!(answer.problem(), (403, "insufficient_scope"));
                let challenge = answer.headers.get("www-authenticate").unwrap();
                assert!(challenge.contains(&format!(r#"scope="{needed}""#)), "{challenge}");
            }
        }
    }
}

#[tokio::test]
async fn without_a_valid_key_nothing_opens_and_nobody_learns_why() {
    let shop = quiet([], Duration::ZERO).await;
    let valid = shop.key.clone();
    let other = format!("{}{}", &valid[..valid.len() - 1], if valid.ends_with('A') { 'B' } else { 'A' });
    let expired = shop
        .make_limited_key(shop.organization, &[Scope::Read], 10, Some("2026-11-24T12:01:00Z".parse().unwrap()))
        .await;
    assert_eq!(shop.send(Method::GET, "/v1/services", &expired, None, None).await.status, 200);
    let revoked = shop.make_key(shop.organization, &[Scope::Read]).await;
    assert_eq!(shop.send(Method::GET, "/v1/services", &revoked, None, None).await.status, 200);
    let id = shop.keys.list(shop.organization).await.unwrap().last().unwrap().id;
    shop.keys.revoke(shop.organization, id).await.unwrap().unwrap();
    shop.clock.advance(SignedDuration::from_secs(60));
    let mut told = Vec::new();
    for header in [
        None,
        Some("Basic Zm9vOmJhcg==".to_owned()),
        Some("Bearer".to_owned()),
        Some("Bearer ".to_owned()),
        Some("Bearer bk_short".to_owned()),
        Some(format!("Bearer {other}")),
        Some(format!("Bearer {valid}x")),
        Some(format!("Bearer {expired}")),
        Some(format!("Bearer {revoked}")),
    ] {
        let mut request = shop.request(Method::GET, "/v1/services");
        if let Some(header) = &header {
            request = request.header("authorization", header);
        }
        let answer = shop.finish(request).await;
        assert_eq!(answer.status, 401, "{header:?}");
        assert!(answer.headers.get("www-authenticate").unwrap().starts_with("Bearer "), "{header:?}");
        told.push(answer.body);
    }
    assert!(told.iter().skip(4).all(|body| *body == told[4]), "unknown, expired and revoked differ: {told:?}");
    let twice = shop.request(Method::GET, "/v1/services");
    let twice = twice.header("authorization", format!("Bearer {valid}")).header("authorization", "Bearer x");
    assert_eq!(shop.finish(twice).await.status, 401);
    assert_eq!(shop.send(Method::GET, "/v1/services", &valid, None, None).await.status, 200);
}

#[tokio::test]
async fn a_key_is_stored_as_its_hash_and_says_when_it_was_used() {
    let shop = quiet([], Duration::ZERO).await;
    let secret = shop.key.clone();
    let found = shop
        .store
        .read(move |tx| {
            let like = format!("%{}%", &secret[9..]);
            tx.query_one(
                "SELECT COUNT(*) FROM api_key WHERE name || prefix || hash || scopes LIKE ?1",
                &[balcao_store::Value::from(like)],
                |row| row.get::<i64>(0),
            )
        })
        .await;
    assert_eq!(found.map_err(|error: balcao_store::StoreError| error).unwrap(), 0);
    let key = shop.keys.list(shop.organization).await.unwrap().remove(0);
    assert!(shop.key.starts_with(&key.prefix) && key.prefix.len() == 9 && key.last_used_at.is_none(), "{key:?}");
    shop.get("/v1/services").await;
    let key = shop.keys.list(shop.organization).await.unwrap().remove(0);
    assert_eq!(key.last_used_at, Some("2026-11-24T12:00:00Z".parse().unwrap()));
    assert_eq!(shop.count("SELECT COUNT(*) FROM audit_log WHERE action = 'api_key.create'").await, 2);
}

#[tokio::test]
async fn a_key_that_cannot_be_is_not_made() {
    let shop = quiet([], Duration::ZERO).await;
    let good = KeyRequest { name: "x".to_owned(), scopes: vec![Scope::Read], expires_at: None, per_minute: 1 };
    let past = Some("2026-11-24T12:00:00Z".parse().unwrap());
    for (request, refusal) in [
        (KeyRequest { name: "  ".to_owned(), ..good.clone() }, KeyRefusal::Name),
        (KeyRequest { name: "a".repeat(101), ..good.clone() }, KeyRefusal::Name),
        (KeyRequest { scopes: Vec::new(), ..good.clone() }, KeyRefusal::NoScope),
        (KeyRequest { per_minute: 0, ..good.clone() }, KeyRefusal::NoRequests),
        (KeyRequest { expires_at: past, ..good.clone() }, KeyRefusal::Expired),
    ] {
        assert_eq!(shop.keys.create(shop.organization, request, [9; 32]).await.unwrap().unwrap_err(), refusal);
    }
    let id = ApiKeyId::try_from(1).unwrap();
    let refused = shop.keys.revoke(shop.rival, id).await.unwrap();
    assert_eq!(refused, Err(KeyRefusal::NotFound { id }), "another organization revoked a key");
    assert_eq!(shop.get("/v1/services").await.status, 200);
}

#[tokio::test]
async fn the_requests_of_a_minute_are_counted_over_all_processes() {
    let shop = quiet([], Duration::ZERO).await;
    let key = shop.make_limited_key(shop.organization, &[Scope::Read], 50, None).await;
    shop.clock.advance(SignedDuration::from_secs(15));
    // Another process spends, too: it takes a share of three.
    let other = balcao_app::admin::keys::ApiKeys::new(shop.app.clone());
    let caller = other.recognise(&key).await.unwrap().unwrap();
    for _ in 0..3 {
        other.spend(&caller).await.unwrap().unwrap();
    }
    for number in 0..47 {
        assert_eq!(shop.send(Method::GET, "/v1/services", &key, None, None).await.status, 200, "{number}");
    }
    let refused = shop.send(Method::GET, "/v1/services", &key, None, None).await;
    assert_eq!(refused.problem(), (429, "rate_limited"));
    assert_eq!(refused.headers.get("retry-after").map(String::as_str), Some("45"));
    assert_eq!(other.spend(&caller).await.unwrap(), Err(45));
    shop.clock.advance(SignedDuration::from_secs(45));
    assert_eq!(shop.send(Method::GET, "/v1/services", &key, None, None).await.status, 200);
}

/// What one organization has does not exist for another, whatever the endpoint.
#[tokio::test]
async fn g_10_a_100_another_organization_is_not_there() {
    let shop = shop([says("Bom dia!"), says("Bom dia!")]).await;
    let contact = shop.contact("lívia").await;
    let turn = json!({ "conversation": "canary", "text": "canário", "contact": { "phone": "31 98432-7788" } });
    let conversation = shop.post("/v1/turn", turn.clone()).await.body["conversation_id"].as_str().unwrap().to_owned();
    let booking = json!({ "contact_id": contact, "service": "Sobrancelha", "date": "2026-11-25", "start": "11:00" });
    let appointment =
        shop.post("/v1/appointments", booking).await.body["appointment"]["id"].as_str().unwrap().to_owned();
    let failed = shop.failed_message(&conversation, OutboxState::Dead, "canário").await;
    let added = shop.upload(&conversation, &shop.key, "can%C3%A1rio.pdf", b"%PDF-1.7 canary").await;
    let file = added.body["id"].as_str().unwrap().to_owned();
    let subscriptions = shop.get("/v1/subscriptions").await;
    let subscription = subscriptions.body["items"][0]["id"].as_str().unwrap().to_owned();
    let conflict = shop.calendar_conflict(&appointment).await;
    let shown = shop.get("/v1/calendars/conflicts").await;
    assert_eq!(shown.body["items"][0]["id"], json!(conflict), "{shown:?}");
    let named = |path: &str| match path.split('/').nth(2) {
        Some("conversations") => conversation.clone(),
        Some("contacts") => contact.clone(),
        Some("appointments") => appointment.clone(),
        Some("outbox") => failed.clone(),
        Some("attachments") => file.clone(),
        Some("subscriptions") => subscription.clone(),
        Some("calendars") => conflict.clone(),
        // The turn above recorded it; the rival had none.
        Some("versions") => "prompt_1".to_owned(),
        other => panic!("{other:?}"),
    };
    let (mut checked, mut left) = (0, Vec::new());
    for (method, path, scope) in operations(&shop.document) {
        if scope.is_none() {
            continue;
        }
        let content = &shop.document["paths"][&path][method.as_str().to_lowercase()]["requestBody"]["content"];
        let body = Some(content["application/json"]["example"].clone()).filter(|example| !example.is_null());
        if content["application/octet-stream"].is_object() {
            let answer = shop.upload(&named(&path), &shop.rival_key, "a.pdf", b"%PDF-1.7").await;
            assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
            checked += 1;
        } else if path.contains("{id}") {
            let target = path.replace("{id}", &named(&path));
            let answer = shop.send(method.clone(), &target, &shop.rival_key, None, body.clone()).await;
            assert_eq!(answer.status, 404, "{method} {path}: {answer:?}");
            checked += 1;
        } else if method == Method::GET {
            let answer = shop.send(method.clone(), &format!("{path}?"), &shop.rival_key, None, None).await;
            assert_eq!(answer.status, 200, "{path}: {answer:?}");
            let text = answer.body.to_string();
            for canary in ["canary", "canário", "Lívia", "988432-7788", "Sobrancelha", "Figueira"] {
                assert!(!text.contains(canary), "{path} shows {canary}: {text}");
            }
            checked += 1;
        } else {
            left.push(path);
        }
    }
    // Coverage is that of the document: what names nothing and changes something comes below.
    assert_eq!(
        left,
        [
            "/v1/turn",
            "/v1/appointments",
            "/v1/visits/complete-day",
            "/v1/calendars/link",
            "/v1/calendars/unlink",
            "/v1/calendars/sync",
            "/v1/calendars/reconcile",
            "/v1/subscriptions",
            "/v1/business/knowledge",
            "/v1/business/plan",
            "/v1/business/apply",
            "/v1/business/edit"
        ]
    );
    eprintln!(
        "G-10, the API: {checked} of {} operations by key, {} below, 0 crossings",
        checked + left.len(),
        left.len()
    );
    // A business is changed by keys of its own alone.
    let document = shop.get("/v1/business").await.body;
    let crossed = shop.send(Method::POST, "/v1/business/plan", &shop.rival_key, None, Some(document)).await;
    assert_eq!(crossed.problem(), (409, "other_business"));
    // A calendar takes the time of their own professionals alone.
    let link = json!({ "professional": "Wesley Moura", "calendar": "davi@calendar.example", "write": true });
    let refused = shop.send(Method::POST, "/v1/calendars/link", &shop.rival_key, None, Some(link)).await;
    assert_eq!(refused.fields(), [("/professional".to_owned(), "unknown_name".to_owned())]);
    // Nor can one be subscribed to a plan.
    let started = json!({ "contact_id": contact, "plan": "Pilates anual" });
    let refused = shop.send(Method::POST, "/v1/subscriptions", &shop.rival_key, None, Some(started)).await;
    assert_eq!(refused.fields(), [("/contact_id".to_owned(), "unknown_name".to_owned())]);
    // A contact of theirs cannot be booked for, and a conversation of that name is their own.
    let booking = json!({ "contact_id": contact, "service": "Consulta", "date": "2026-12-01", "start": "09:00" });
    let refused = shop.send(Method::POST, "/v1/appointments", &shop.rival_key, None, Some(booking)).await;
    assert_eq!(refused.fields(), [("/contact_id".to_owned(), "bad_format".to_owned())]);
    let theirs = shop.send(Method::POST, "/v1/turn", &shop.rival_key, None, Some(turn)).await;
    assert_ne!(theirs.body["conversation_id"], Value::from(conversation));
    unchanged(&shop, &contact).await;
}

async fn unchanged(shop: &Shop, contact: &str) {
    let livia = shop.get(&format!("/v1/contacts/{contact}")).await;
    assert_eq!((&livia.body["name"], &livia.body["preferred_name"]), (&json!("Lívia Campos"), &Value::Null));
    assert_eq!(shop.count("SELECT COUNT(*) FROM conversation WHERE state <> 'ai'").await, 0);
    assert_eq!(shop.count("SELECT COUNT(*) FROM note WHERE content = 'Prefere ligação.'").await, 0);
}

#[tokio::test]
async fn requests_that_come_at_once_wait_for_the_share_that_one_of_them_takes() {
    let shop = quiet([], Duration::ZERO).await;
    let key = shop.make_limited_key(shop.organization, &[Scope::Read], 60, None).await;
    let caller = shop.keys.recognise(&key).await.unwrap().unwrap();
    let all = futures::future::join_all((0..61).map(|_| shop.keys.spend(&caller))).await;
    let refused = all.into_iter().filter(|one| one.as_ref().unwrap().is_err()).count();
    assert_eq!(refused, 1, "60 requests are in a minute's");
}
