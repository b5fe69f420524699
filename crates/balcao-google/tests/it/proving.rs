//! Access tokens: when they are got, and what stops it.

use std::sync::Arc;

use balcao_app::context::calendar_service::{CalendarService as _, DisconnectCause, ServiceError};
use balcao_google::{Addresses, Credential, GoogleCalendar};
use balcao_testkit::fakes::google::{Call, Fault};
use jiff::{SignedDuration, ToSpan};
use secrecy::SecretString;

use crate::world::{Known, NOW, SCOPES, World, draft, grant, instant, limits, shop};

fn service_account(world: &World) -> Credential {
    Credential::ServiceAccount { key_file: SecretString::from(world.google.key_file()), subject: None }
}

fn connect(world: &World, credential: Credential) {
    *world.known.credential.lock().unwrap() = Some(credential);
}

async fn refused(world: &World) -> (DisconnectCause, String) {
    match world.service.calendars(shop()).await {
        Err(ServiceError::Disconnected { cause, reason }) => (cause, reason),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn many_requests_share_one_refresh() {
    let world = World::new();
    let ask = || world.service.calendars(shop());
    let (a, b, c, d) = tokio::join!(ask(), ask(), ask(), ask());
    assert!([a, b, c, d].iter().all(Result::is_ok));
    assert_eq!(world.count_tokens(), 1);
}

#[tokio::test]
async fn token_is_renewed_a_minute_before_its_end() {
    let world = World::new();
    world.service.calendars(shop()).await.unwrap();
    world.clock.set(instant(NOW) + 3_538.seconds());
    world.service.calendars(shop()).await.unwrap();
    assert_eq!(world.count_tokens(), 1);
    world.clock.set(instant(NOW) + 3_540.seconds());
    world.service.calendars(shop()).await.unwrap();
    assert_eq!(world.count_tokens(), 2);
}

#[tokio::test]
async fn token_that_the_service_forgot_is_renewed_also_for_a_write() {
    let world = World::new();
    world.service.calendars(shop()).await.unwrap();
    world.google.end_access_tokens();
    world.insert("visit1").await;
    assert_eq!((world.count_tokens(), world.google.count_events(crate::world::RAFA)), (2, 1));
}

#[tokio::test]
async fn service_account_signs_and_works() {
    let world = World::unconnected();
    connect(&world, service_account(&world));
    world.google.share_calendar(crate::world::RAFA, "writer", Some("dona@example.test"));
    world.insert("visit1").await;
    world.insert("visit2").await;
    assert_eq!(world.count_tokens(), 1);
}

#[tokio::test]
async fn clock_that_is_off_is_named_as_the_cause() {
    for minutes in [-70, 70] {
        let world = World::unconnected();
        connect(&world, service_account(&world));
        world.google.set_clock_ahead(SignedDuration::from_mins(minutes));
        let (cause, reason) = refused(&world).await;
        assert_eq!(cause, DisconnectCause::RefusedKey);
        assert!(reason.contains(&format!("{} s ahead of the clock of this machine", minutes * 60)), "{reason}");
    }
}

#[tokio::test]
async fn key_file_of_another_service_is_not_used() {
    let world = World::unconnected();
    let file = world.google.key_file().replace("/token", "/elsewhere");
    connect(&world, Credential::ServiceAccount { key_file: SecretString::from(file), subject: None });
    let (cause, reason) = refused(&world).await;
    assert_eq!(cause, DisconnectCause::RefusedKey);
    assert!(reason.contains("expected") && reason.contains("/token"), "{reason}");
    connect(&world, Credential::ServiceAccount { key_file: SecretString::from("SECRET"), subject: None });
    let (cause, reason) = refused(&world).await;
    assert_eq!(cause, DisconnectCause::RefusedKey);
    assert!(!reason.contains("SECRET"), "{reason}");
    assert_eq!(world.count_tokens(), 0);
}

#[tokio::test]
async fn dead_grant_names_its_likely_cause_by_its_age() {
    let world = World::new();
    world.google.kill_grants("Token has been expired or revoked.");
    let (cause, young) = refused(&world).await;
    assert_eq!(cause, DisconnectCause::DeadGrant);
    assert!(young.contains("revoked it") && !young.contains("testing"), "{young}");
    world.clock.set(instant("2026-11-27T12:00:00Z"));
    let (cause, old) = refused(&world).await;
    assert_eq!(cause, DisconnectCause::OldGrant);
    assert!(old.contains("in testing") && old.contains("seven days"), "{old}");
}

#[tokio::test]
async fn error_of_the_token_endpoint_is_named_and_nothing_was_done() {
    let rows = [
        ("invalid_grant", DisconnectCause::DeadGrant),
        ("invalid_client", DisconnectCause::RefusedKey),
        ("unauthorized_client", DisconnectCause::MissingScope),
        ("invalid_scope", DisconnectCause::MissingScope),
        ("admin_policy_enforced", DisconnectCause::MissingScope),
    ];
    for (error, expected) in rows {
        let world = World::new();
        world.google.fail(Call::Token, Fault::refuse(400, error));
        assert_eq!(refused(&world).await.0, expected, "{error}");
        assert_eq!(world.count_requests(), 0);
    }
    let silent = [
        Fault::refuse(500, "internal_failure"),
        Fault::refuse(429, "rate_limit_exceeded"),
        Fault::Break,
        Fault::LoseAnswer,
        Fault::NoJson,
        Fault::Cut,
        Fault::Endless,
    ];
    for fault in silent {
        let world = World::new();
        world.google.fail(Call::Token, fault.clone());
        let came = world.service.insert(shop(), &draft("visit1")).await;
        assert!(matches!(came, Err(ServiceError::Unavailable { .. })), "{fault:?}: {came:?}");
        assert_eq!(world.count_requests(), 0);
    }
}

#[tokio::test]
async fn business_without_a_connection_asks_nothing() {
    let world = World::unconnected();
    assert_eq!(refused(&world).await.0, DisconnectCause::NotConnected);
    assert!(world.google.asked().is_empty());
}

#[tokio::test]
async fn new_connection_counts_at_once() {
    let world = World::new();
    world.service.calendars(shop()).await.unwrap();
    connect(&world, grant(world.google.grant(&SCOPES)));
    world.service.calendars(shop()).await.unwrap();
    assert_eq!(world.count_tokens(), 2);
    *world.known.credential.lock().unwrap() = None;
    assert_eq!(refused(&world).await.0, DisconnectCause::NotConnected);
}

#[tokio::test]
async fn grant_without_a_scope_is_named_as_such() {
    let world = World::unconnected();
    connect(&world, grant(world.google.grant(&["calendar.freebusy", "calendar.calendarlist.readonly"])));
    world.service.calendars(shop()).await.unwrap();
    let came = world.service.insert(shop(), &draft("visit1")).await;
    let missing = matches!(came, Err(ServiceError::Disconnected { cause: DisconnectCause::MissingScope, .. }));
    assert!(missing, "{came:?}");
}

#[tokio::test]
async fn secrets_stand_in_no_error_and_no_debug() {
    let world = World::new();
    world.service.calendars(shop()).await.unwrap();
    world.google.fail(Call::Token, Fault::refuse(400, "invalid_grant"));
    world.google.end_access_tokens();
    let (_, reason) = refused(&world).await;
    let shown = format!("{reason} {:?} {:?}", world.service, world.known);
    assert!(!shown.contains("refresh0") && !shown.contains("GOCSPX") && !shown.contains("ya29"), "{shown}");
}

#[test]
fn address_of_another_machine_needs_tls() {
    for base in [
        "http://google.example",
        "http://192.168.0.9:80",
        "ftp://127.0.0.1",
        "https://a@google.example",
        "https://g.example/?x",
    ] {
        assert!(Addresses::under(base).is_err(), "{base}");
    }
    for base in ["http://127.0.0.1:4070", "https://google.example/proxy/", "http://[::1]:9"] {
        assert!(Addresses::under(base).is_ok(), "{base}");
    }
}

#[tokio::test]
async fn stand_in_with_a_public_name_cannot_lead_into_a_private_network() {
    let world = World::new();
    let addresses = Addresses::under("https://localhost:9/").unwrap();
    let known = Arc::<Known>::clone(&world.known);
    let service =
        GoogleCalendar::new(addresses, limits(), known, Arc::<balcao_domain::ManualClock>::clone(&world.clock));
    let came = service.unwrap().calendars(shop()).await;
    assert!(matches!(came, Err(ServiceError::Unavailable { .. })), "{came:?}");
}
