//! A service that others wrote: `emulate`, which `.ci/google` installs and names (`BALCAO_EMULATE_NODE`, `BALCAO_EMULATE`).
//!
//! It judges consent with PKCE, refresh, calendars, events and busy times. Where it differs from the documents, the documents hold:
//! it gives an event an id of its own, keeps no private properties, knows no sync tokens, and leaves unknown calendars out of busy times.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use balcao_app::context::calendar_service::{CalendarService as _, ChangeCursor, ServiceError};
use balcao_connector::Egress;
use balcao_domain::outside_event::{EventState, EventTime};
use balcao_domain::{ManualClock, Span};
use balcao_google::{Addresses, Consent, Credential, GoogleCalendar, Grant, OAuth, missing_scopes, scopes};
use reqwest::header::LOCATION;
use secrecy::SecretString;

use crate::world::{Known, NOW, draft, friday, instant, limits, shop};

const MISSING: &str = "BALCAO_EMULATE_NODE and BALCAO_EMULATE do not say where `emulate` is (see .ci/google)";
const CALENDAR: &str = "primary";
const REDIRECT: &str = "http://127.0.0.1:53682/";

/// What it begins with: one user, one calendar, one OAuth client.
const SEED: &str = r#"
google:
  users: [{email: dona@example.com, name: Dona}]
  calendars: [{id: primary, user_email: dona@example.com, summary: Studio, primary: true, time_zone: America/Sao_Paulo}]
  oauth_clients: [{client_id: client, client_secret: secret, name: Balcao, redirect_uris: ["http://127.0.0.1:53682/"]}]
"#;

/// The running service. It ends when it is dropped.
struct Emulate {
    child: Child,
    base: String,
    _seed: tempfile::TempDir,
}

impl Drop for Emulate {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn start() -> Option<Emulate> {
    let variable = |name: &str| std::env::var_os(name)?.into_string().ok();
    let (node, script) = variable("BALCAO_EMULATE_NODE").zip(variable("BALCAO_EMULATE"))?;
    let seed = tempfile::tempdir().unwrap();
    let file = seed.path().join("seed.yaml");
    std::fs::write(&file, SEED).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = Command::new(node);
    command.arg(script).args(["start", "--service", "google", "--port", &port.to_string(), "--seed"]).arg(&file);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.is_ok_and(|line| line.contains("Ready"))), "emulate does not start");
    Some(Emulate { child, base: format!("http://127.0.0.1:{port}"), _seed: seed })
}

/// Consents as the user on its page does, and exchanges the code.
async fn consent(emulate: &Emulate, addresses: &Addresses) -> SecretString {
    let wanted = scopes(false);
    let consent = Consent::ask(addresses, "client", &wanted, REDIRECT, [9; 64]);
    let egress = Egress { allow: vec!["127.0.0.0/8".parse().unwrap()], plain_http: true, ..Egress::default() };
    let client = egress.client(limits().whole, true).unwrap();
    assert_eq!(client.get(consent.address().clone()).send().await.unwrap().status(), 200);
    let mut form: Vec<(String, String)> = consent.address().query_pairs().into_owned().collect();
    form.push(("email".to_owned(), "dona@example.com".to_owned()));
    let sent = client.post(format!("{}/o/oauth2/v2/auth/callback", emulate.base)).form(&form).send().await.unwrap();
    let back = sent.headers()[LOCATION].to_str().unwrap().split_once('?').unwrap().1.to_owned();
    let code = consent.read_answer(&back).unwrap();
    let oauth = OAuth::new(addresses.clone(), limits()).unwrap();
    let granted = oauth.exchange("client", &SecretString::from("secret"), &code).await.unwrap();
    assert_eq!(missing_scopes(&wanted, &granted.scopes), Vec::<String>::new());
    granted.refresh_token
}

#[tokio::test]
async fn foreign_service_is_understood() {
    let Some(emulate) = start() else {
        balcao_testkit::skip(MISSING);
        return;
    };
    let addresses = Addresses::under(&emulate.base).unwrap();
    let refresh_token = consent(&emulate, &addresses).await;
    let client_secret = SecretString::from("secret");
    let grant = Grant { client_id: "client".to_owned(), client_secret, refresh_token, granted_at: None };
    let known = Arc::new(Known::default());
    *known.credential.lock().unwrap() = Some(Credential::Grant(grant));
    let clock = Arc::new(ManualClock::at(instant(NOW)));
    let service = GoogleCalendar::new(addresses, limits(), known, clock).unwrap();

    let calendars = service.calendars(shop()).await.unwrap();
    assert_eq!((calendars[0].name.as_str(), calendars[0].zone.as_str()), ("Studio", "America/Sao_Paulo"));
    assert!(calendars[0].is_writable);

    let mut visit = draft("visit1");
    CALENDAR.clone_into(&mut visit.calendar);
    let time = Some(EventTime::Timed(visit.span));
    let made = service.insert(shop(), &visit).await.unwrap();
    assert_eq!((made.state, made.time), (EventState::Busy, time));
    assert_ne!(made.id, visit.id, "emulate has begun to honour ids: judge more of them");
    let found = service.overlapping(shop(), CALENDAR, friday()).await.unwrap();
    assert_eq!(found.iter().map(|one| (one.id.as_str(), one.time)).collect::<Vec<_>>(), [(made.id.as_str(), time)]);

    let wanted = [CALENDAR.to_owned(), "gone@example.com".to_owned()];
    let busy = service.busy(shop(), &wanted, friday()).await.unwrap();
    let taken: Vec<Span> = vec![visit.span];
    assert_eq!(busy[CALENDAR], Ok(taken));
    assert!(busy["gone@example.com"].is_err(), "a calendar without an answer is not free");

    service.delete(shop(), CALENDAR, &made.id, None).await.unwrap();
    assert!(service.overlapping(shop(), CALENDAR, friday()).await.unwrap().is_empty());
    let again = service.delete(shop(), CALENDAR, &made.id, None).await;
    assert!(matches!(again, Err(ServiceError::NotFound { .. })), "{again:?}");
    let everything = ChangeCursor::Everything { since: instant(NOW) };
    let changes = service.changes(shop(), CALENDAR, &everything, None).await;
    assert!(matches!(changes, Err(ServiceError::Unavailable { .. })), "emulate has no sync tokens: {changes:?}");
}
