//! Who we are.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

use balcao_connector::{Account, Connection, FailureKind, RefreshKeeper, Settings};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use rustls_pki_types::{PrivatePkcs8KeyDer, pem::PemObject};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

use crate::server::{Server, TestClock, account, arguments, json_answer, local, operation};

fn read() -> balcao_connector::Operation {
    operation(json!({ "method": "GET", "path": "/x" }))
}

#[tokio::test]
async fn each_way_of_proving_who_we_are_is_written_as_its_standard_says() {
    let server = Server::start(|_, _| json_answer(200, "", &json!(1)));
    let ways = [
        (json!({ "bearer": "{settings.token}" }), "Bearer pk_4410021_SECRETSECRETSECRET"),
        (
            json!({ "header": { "name": "Authorization", "value": "Key {settings.token}" } }),
            "Key pk_4410021_SECRETSECRETSECRET",
        ),
        (
            json!({ "basic": { "user": "ana", "password": "{settings.token}" } }),
            "Basic YW5hOnBrXzQ0MTAwMjFfU0VDUkVUU0VDUkVUU0VDUkVU",
        ),
    ];
    for (auth, expected) in ways {
        let (account, _) = account(&server, json!({ "auth": auth }));
        account.call(&read(), &arguments(json!({})), None).await.unwrap();
        assert_eq!(server.asked().last().unwrap().header("authorization"), Some(expected));
        assert!(!format!("{account:?}").contains("SECRET"));
    }
}

#[derive(Default)]
struct Kept(Mutex<Vec<String>>);

impl RefreshKeeper for Kept {
    fn kept(&self, configured: &SecretString) -> Option<SecretString> {
        assert_eq!(configured.expose_secret(), "refresh-token-1");
        self.0.lock().unwrap().last().map(|token| SecretString::from(token.clone()))
    }

    fn keep(&self, configured: &SecretString, refresh_token: &SecretString) {
        assert_eq!(configured.expose_secret(), "refresh-token-1");
        self.0.lock().unwrap().push(refresh_token.expose_secret().to_owned());
    }
}

/// A service whose access tokens are `a1`, `a2`, …; `refused` says which it no longer takes.
fn service(refused: fn(&str) -> bool, grant: fn(usize) -> Value) -> Server {
    Server::start(move |asked, before| {
        if asked.target == "/token" {
            let answer = grant(before);
            return json_answer(if answer.get("error").is_some() { 400 } else { 200 }, "", &answer);
        }
        let token = asked.header("authorization").unwrap_or_default().to_owned();
        json_answer(if refused(&token) { 401 } else { 200 }, "", &json!(token))
    })
}

fn oauth(server: &Server, keeper: Arc<Kept>) -> Account {
    let auth = json!({ "oauth2_refresh": { "token_url": format!("{}/token", server.url()), "client_id": "app",
        "client_secret": "{settings.secret}", "refresh_token": "{settings.refresh}" } });
    let connection = Connection::read(&json!({ "base_url": server.url(), "auth": auth })).unwrap();
    let settings = Settings::new().secret("secret", "client-secret-1").secret("refresh", "refresh-token-1");
    Account::open(&connection, settings, &local(), Arc::new(TestClock::default()), Some(keeper), 1).unwrap()
}

#[tokio::test]
async fn a_refresh_token_is_traded_once_and_its_successor_is_kept() {
    let server = service(
        |_| false,
        |_| json!({ "access_token": "a1", "expires_in": 3_600, "refresh_token": "refresh-token-2" }),
    );
    let kept = Arc::new(Kept::default());
    let account = oauth(&server, Arc::clone(&kept));
    let (first, second) = (read(), read());
    let none = arguments(json!({}));
    let (first, second) = tokio::join!(account.call(&first, &none, None), account.call(&second, &none, None));
    assert_eq!((first, second), (Ok(json!("Bearer a1")), Ok(json!("Bearer a1"))));
    let trades: Vec<_> = server.asked().into_iter().filter(|asked| asked.target == "/token").collect();
    assert_eq!(trades.len(), 1);
    assert_eq!(
        String::from_utf8(trades[0].body.clone()).unwrap(),
        "grant_type=refresh_token&refresh_token=refresh-token-1&client_id=app&client_secret=client-secret-1"
    );
    assert_eq!(*kept.0.lock().unwrap(), ["refresh-token-2"]);
}

/// A service that takes each refresh token once, and says the next one.
fn rotating() -> Server {
    Server::start(|asked, before| {
        if asked.target != "/token" {
            return json_answer(200, "", &json!("done"));
        }
        let body = String::from_utf8_lossy(&asked.body).into_owned();
        // Every trade is followed by a call.
        let current = before / 2 + 1;
        if !body.contains(&format!("refresh_token=refresh-token-{current}&")) {
            return json_answer(400, "", &json!({ "error": "invalid_grant" }));
        }
        let next = format!("refresh-token-{}", current + 1);
        json_answer(200, "", &json!({ "access_token": "a", "expires_in": 1, "refresh_token": next }))
    })
}

#[tokio::test]
async fn an_account_that_is_opened_anew_goes_on_with_the_exchanged_token() {
    let server = rotating();
    let kept = Arc::new(Kept::default());
    for round in 0..2 {
        let account = oauth(&server, Arc::clone(&kept));
        let done = account.call(&read(), &arguments(json!({})), None).await;
        assert_eq!(done, Ok(json!("done")), "{round}");
    }
    let trades = server.asked().iter().filter(|asked| asked.target == "/token").count();
    assert_eq!(
        (trades, kept.0.lock().unwrap().clone()),
        (2, vec!["refresh-token-2".to_owned(), "refresh-token-3".to_owned()])
    );
}

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_once_also_for_a_write() {
    let server = service(
        |token| token == "Bearer a0",
        |before| json!({ "access_token": if before == 0 { "a0" } else { "a1" } }),
    );
    let account = oauth(&server, Arc::default());
    let write = operation(json!({ "method": "POST", "path": "/x" }));
    assert_eq!(account.call(&write, &arguments(json!({})), None).await, Ok(json!("Bearer a1")));
    let never = service(|_| true, |_| json!({ "access_token": "a" }));
    let account = oauth(&never, Arc::default());
    let error = account.call(&read(), &arguments(json!({})), None).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Unauthorized);
    assert_eq!(never.asked().iter().filter(|asked| asked.target == "/x").count(), 2);
}

#[tokio::test]
async fn a_grant_that_is_over_is_told_as_such_and_no_secret_with_it() {
    let server =
        service(|_| false, |_| json!({ "error": "invalid_grant", "error_description": "refresh-token-1 revoked" }));
    let account = oauth(&server, Arc::default());
    let error = account.call(&read(), &arguments(json!({})), None).await.unwrap_err();
    assert_eq!((error.kind, error.code.as_deref()), (FailureKind::Unauthorized, Some("invalid_grant")));
    assert!(!format!("{error} {error:?} {} {account:?}", error.for_staff()).contains("token-1"));
}

/// Made for tests with `openssl genpkey`; it opens nothing.
const PEM: &str = include_str!("test_key.pem");

/// A key file as Google writes it.
fn key_file(token_uri: &str) -> String {
    let file = json!({ "type": "service_account", "project_id": "p", "private_key_id": "kid-7", "private_key": PEM,
        "client_email": "agenda@p.iam.gserviceaccount.com", "client_id": "1", "token_uri": token_uri });
    file.to_string()
}

/// Header and claims of a statement, if its signature holds against the key of the key file.
fn verified(assertion: &str) -> (Value, Value) {
    let (stated, signature) = assertion.rsplit_once('.').unwrap();
    let (header, claims) = stated.split_once('.').unwrap();
    let [header, claims, signature] = [header, claims, signature].map(|part| URL_SAFE_NO_PAD.decode(part).unwrap());
    let pair = PrivatePkcs8KeyDer::from_pem_slice(PEM.as_bytes()).unwrap();
    let pair = RsaKeyPair::from_pkcs8(pair.secret_pkcs8_der()).unwrap();
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, pair.public_key());
    public.verify(stated.as_bytes(), &signature).unwrap();
    (serde_json::from_slice(&header).unwrap(), serde_json::from_slice(&claims).unwrap())
}

fn google(server: &Server, key: &str) -> Result<Account, Vec<balcao_connector::Problem>> {
    let auth = json!({ "google_service_account": { "key": "{settings.key}", "subject": "{settings.user}",
        "scope": "https://www.googleapis.com/auth/calendar", "token_url": format!("{}/token", server.url()) } });
    let connection = Connection::read(&json!({ "base_url": server.url(), "auth": auth })).unwrap();
    let settings = Settings::new().secret("key", key).value("user", json!("dona@figueira.example"));
    Account::open(&connection, settings, &local(), Arc::new(TestClock::default()), None, 1)
}

#[tokio::test]
async fn a_service_account_signs_who_it_is_and_gets_a_token_for_it_once() {
    let server = service(|_| false, |_| json!({ "access_token": "ya29.a1", "expires_in": 3_599 }));
    let token_url = format!("{}/token", server.url());
    let account = google(&server, &key_file(&token_url)).unwrap();
    for _ in 0..2 {
        account.call(&read(), &arguments(json!({})), None).await.unwrap();
        assert_eq!(server.asked().last().unwrap().header("authorization"), Some("Bearer ya29.a1"));
    }
    let trades: Vec<_> = server.asked().into_iter().filter(|asked| asked.target == "/token").collect();
    assert_eq!(trades.len(), 1);
    let body = String::from_utf8(trades[0].body.clone()).unwrap();
    let grant = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
    let signed = body.strip_prefix(grant).unwrap_or_else(|| panic!("{body}"));
    let (header, claims) = verified(signed);
    assert_eq!(header, json!({ "typ": "JWT", "alg": "RS256", "kid": "kid-7" }));
    assert_eq!(claims["aud"], json!(token_url));
    assert_eq!(claims["iss"], "agenda@p.iam.gserviceaccount.com");
    assert_eq!(
        (&claims["scope"], &claims["sub"]),
        (&json!("https://www.googleapis.com/auth/calendar"), &json!("dona@figueira.example"))
    );
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 3_600);
    assert!(!format!("{account:?}").contains("PRIVATE"));
}

#[test]
fn a_key_file_that_is_none_or_is_for_somebody_else_opens_no_account_and_is_not_repeated() {
    let server = service(|_| false, |_| json!({}));
    let url = format!("{}/token", server.url());
    let broken =
        json!({ "client_email": "a", "private_key": "SECRET-no-pem", "private_key_id": "k", "token_uri": url });
    for (file, says) in [
        ("SECRET, not JSON".to_owned(), "invalid key file"),
        (json!({ "client_email": ["SECRET"] }).to_string(), "invalid key file"),
        (broken.to_string().replacen('{', "{\"private_key\": \"SECRET\", ", 1), "given twice"),
        (broken.to_string(), "expected an RSA key"),
        (key_file("https://evil.example/token"), "another `token_uri`"),
    ] {
        let problems = google(&server, &file).unwrap_err();
        let told = problems.iter().map(ToString::to_string).collect::<String>();
        assert!(told.contains(says) && told.contains("/auth/google_service_account/key"), "{told}");
        assert!(!told.contains("SECRET") && !told.contains("evil"), "{told}");
    }
}

#[test]
fn settings_that_are_missing_or_secret_in_the_wrong_place_are_told_all_at_once() {
    let connection = Connection::read(&json!({
        "base_url": "https://api.example.com/{settings.region}",
        "headers": { "X-Token": "{settings.token}", "X-Team": "{settings.teem}" },
        "auth": { "bearer": "{settings.tokn}" },
        "rate_limit": { "requests": "{settings.team}", "per_s": 60 },
    }));
    let settings = Settings::new().secret("token", "s3cret-s3cret").value("team", "nine");
    let clock = Arc::new(TestClock::default());
    let problems = Account::open(&connection.unwrap(), settings, &local(), clock, None, 1).unwrap_err();
    let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "/headers/X-Team: the setting `teem` is missing; did you mean `team`?",
            "/headers/X-Token: the setting `token` is a secret, which is used under `auth` only",
            "/base_url: the setting `region` is missing",
            "/rate_limit/requests: invalid number of requests in the setting; expected 1 to 1000000",
            "/auth/bearer: the setting `tokn` is missing; did you mean `token`?",
        ]
    );
}

#[tokio::test]
async fn calls_that_were_refused_together_get_one_new_token_and_not_each_its_own() {
    let trades = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&trades);
    // Of its tokens the service takes only the latest, and not even the first.
    let server = Server::start(move |asked, _before| {
        if asked.target == "/token" {
            let number = counted.fetch_add(1, Ordering::SeqCst) + 1;
            return json_answer(200, "", &json!({ "access_token": format!("a{number}") }));
        }
        let latest = counted.load(Ordering::SeqCst);
        let token = asked.header("authorization").unwrap_or_default().to_owned();
        let taken = latest > 1 && token == format!("Bearer a{latest}");
        json_answer(if taken { 200 } else { 401 }, "", &json!(token))
    });
    let account = oauth(&server, Arc::default());
    let (read, none) = (read(), arguments(json!({})));
    let call = || account.call(&read, &none, None);
    let (one, two, three, four) = tokio::join!(call(), call(), call(), call());
    assert_eq!([one, two, three, four], [(); 4].map(|()| Ok(json!("Bearer a2"))));
    assert_eq!(trades.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn an_answer_of_a_token_endpoint_of_more_than_256_kib_is_left_unread() {
    let small: fn(usize) -> Value =
        |_| json!({ "access_token": "a1", "expires_in": 3_600, "more": "x".repeat(200 << 10) });
    let large: fn(usize) -> Value =
        |_| json!({ "access_token": "a1", "expires_in": 3_600, "more": "x".repeat(257 << 10) });
    for (grant, reads) in [(small, true), (large, false)] {
        let server = service(|_| false, grant);
        let account = oauth(&server, Arc::default());
        let called = account.call(&read(), &arguments(json!({})), None).await;
        assert_eq!(called.is_ok(), reads, "{called:?}");
        let calls = server.asked().iter().filter(|asked| asked.target != "/token").count();
        assert_eq!(calls, usize::from(reads), "without a token nothing is asked");
    }
}
