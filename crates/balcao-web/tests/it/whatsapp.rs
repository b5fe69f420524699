//! The webhook of WhatsApp.

use axum::body::Body;
use axum::http::Request;
use balcao_testkit::fakes::graph::webhooks::{self, sign};
use balcao_web::Limits;

use crate::{SECRET, Shop, shop, shop_with, whole};

fn hello() -> Vec<u8> {
    webhooks::text("wamid.1", "oi").to_string().into_bytes()
}

async fn post(shop: &Shop, body: Vec<u8>, signatures: &[&str]) -> (u16, String) {
    let mut request = Request::post("/webhooks/whatsapp").header("content-type", "application/json");
    for signature in signatures {
        request = request.header("X-Hub-Signature-256", *signature);
    }
    whole(shop.ask(request.body(Body::from(body)).unwrap()).await).await
}

async fn post_signed(shop: &Shop, body: Vec<u8>) -> (u16, String) {
    let signature = sign(SECRET, &body);
    post(shop, body, &[&signature]).await
}

#[tokio::test]
async fn a_49_the_check_of_the_address_is_answered_with_its_challenge() {
    let shop = shop().await;
    let at = |query: &str| format!("/webhooks/whatsapp?{query}");
    let right = "hub.mode=subscribe&hub.verify_token=a%20verify%20token&hub.challenge=12345";
    assert_eq!(shop.get(&at(right)).await, (200, "12345".to_owned()));
    for wrong in [
        "hub.mode=subscribe&hub.verify_token=guessed&hub.challenge=12345",
        "hub.mode=subscribe&hub.verify_token=a%20verify%20token&hub.challenge=%3Cscript%3E",
        "hub.mode=subscribe&hub.verify_token=x&hub.verify_token=a%20verify%20token&hub.challenge=12345",
        "",
    ] {
        let (status, body) = shop.get(&at(wrong)).await;
        assert!(status == 403 && !body.contains("a verify token"), "{wrong}: {body}");
    }
}

#[tokio::test]
async fn i_1_what_is_answered_with_200_is_stored_and_five_times_is_once() {
    let shop = shop().await;
    for _ in 0..5 {
        assert_eq!(post_signed(&shop, hello()).await, (200, String::new()));
    }
    assert_eq!((shop.count("inbox").await, shop.count("dispatch").await), (1, 1));
}

#[tokio::test]
async fn a_45_what_is_not_signed_is_refused_and_nothing_is_stored() {
    let shop = shop().await;
    let (right, other) = (sign(SECRET, &hello()), sign("another secret", &hello()));
    let cases: [&[&str]; 5] = [&[], &[&other], &["sha256=00"], &["sha1=abc"], &[&right, &right]];
    for signatures in cases {
        let (status, body) = post(&shop, hello(), signatures).await;
        assert!(status == 401 && !body.contains("secret"), "{signatures:?}: {body}");
    }
    // A-46: the same JSON, written otherwise.
    let spaced = [hello(), b" ".to_vec()].concat();
    assert_eq!(post(&shop, spaced, &[&right]).await.0, 401);
    // Also what could not be read anyway.
    assert_eq!(post(&shop, b"{".to_vec(), &[&right]).await.0, 401);
    assert_eq!((shop.count("inbox").await, shop.count("stray_event").await), (0, 0));
}

#[tokio::test]
async fn f_30_what_cannot_be_read_is_refused_and_nothing_is_stored() {
    let shop = shop().await;
    let deep = [vec![b'['; 10_000], vec![b']'; 10_000]].concat();
    let twice = br#"{"object":"whatsapp_business_account","object":"whatsapp_business_account","entry":[]}"#.to_vec();
    let cases = [
        (b"".to_vec(), 400),
        (b"{".to_vec(), 400),
        (vec![0xff, 0xfe], 400),
        (deep, 400),
        (twice, 400),
        (br#"{"object":"page","entry":[]}"#.to_vec(), 404),
        (vec![b' '; 3 * 1024 * 1024 + 1], 413),
    ];
    for (body, expected) in cases {
        let (status, answer) = post_signed(&shop, body).await;
        assert_eq!(status, expected, "{answer}");
    }
    assert_eq!((shop.count("inbox").await, shop.count("stray_event").await), (0, 0));
}

#[tokio::test]
async fn what_nobody_knows_is_stored_and_acknowledged() {
    let shop = shop().await;
    let unknown = webhooks::envelope("something_new", serde_json::json!({ "x": 1 }));
    assert_eq!(post_signed(&shop, unknown.to_string().into_bytes()).await.0, 200);
    assert_eq!(shop.count("inbox").await, 1);
    let elsewhere = webhooks::text("wamid.1", "oi").to_string().replace("7001", "4711");
    assert_eq!(post_signed(&shop, elsewhere.into_bytes()).await.0, 200);
    assert_eq!((shop.count("inbox").await, shop.count("stray_event").await), (1, 1));
}

#[tokio::test]
async fn f_73_what_cannot_be_stored_is_not_acknowledged() {
    let shop = shop().await;
    let broken = shop.store.write(|tx| tx.execute("DROP TABLE inbox", &[])).await;
    broken.map_err(|error: balcao_store::StoreError| error).unwrap();
    let (status, body) = post_signed(&shop, hello()).await;
    assert!(status == 503 && body.contains("send it again") && !body.contains("no such table"), "{body}");
}

#[tokio::test]
async fn without_an_account_there_is_no_webhook() {
    let shop = shop_with(Limits::default(), false).await;
    assert_eq!(post_signed(&shop, hello()).await.0, 404);
}
