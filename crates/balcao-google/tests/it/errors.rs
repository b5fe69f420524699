//! Each error of the documented table at each call that can give it, and answers that are lost or cannot be read.

use balcao_app::context::calendar_service::{
    CalendarService as _, ChangeCursor, DisconnectCause, PushChannel, PushRequest, ServiceError,
};
use balcao_domain::ManualClock;
use balcao_google::{Addresses, GoogleCalendar};
use balcao_testkit::fakes::google::{Call, Fault};
use std::sync::Arc;

use crate::world::{BIA, Known, RAFA, World, draft, friday, instant, limits, shop};

const READS: [Call; 5] = [Call::Calendars, Call::FreeBusy, Call::Get, Call::List, Call::List];
const WRITES: [Call; 6] = [Call::Insert, Call::Patch, Call::Delete, Call::Move, Call::Watch, Call::Stop];

/// An event and a channel that calls can work on, and the version of the event.
struct Prepared {
    id: String,
    version: String,
    channel: PushChannel,
}

async fn prepare(world: &World, number: usize) -> Prepared {
    let id = format!("visit{number}");
    let version = world.insert(&id).await.version;
    let request = PushRequest {
        id: format!("channel-{number}"),
        address: "https://desk.example.test/push".to_owned(),
        token: "secret".to_owned(),
    };
    let channel = world.service.watch(shop(), RAFA, &request).await.unwrap();
    Prepared { id, version, channel }
}

/// Makes one call, and gives what came back as text: only that it is the same again matters.
async fn make(world: &World, call: Call, with: &Prepared, variant: usize) -> Result<String, ServiceError> {
    let (service, id) = (&world.service, with.id.as_str());
    let new = format!("{id}again");
    Ok(match call {
        Call::Calendars => format!("{:?}", service.calendars(shop()).await?),
        Call::FreeBusy => format!("{:?}", service.busy(shop(), &[RAFA.to_owned()], friday()).await?),
        Call::Get => format!("{:?}", service.find(shop(), RAFA, id).await?),
        Call::List if variant.is_multiple_of(2) => format!("{:?}", service.overlapping(shop(), RAFA, friday()).await?),
        Call::List => {
            let cursor = ChangeCursor::Everything { since: instant("2026-11-26T00:00:00Z") };
            format!("{:?}", service.changes(shop(), RAFA, &cursor, None).await?.events)
        }
        Call::Insert => format!("{:?}", service.insert(shop(), &draft(&new)).await?),
        Call::Patch => format!("{:?}", service.change(shop(), &draft(id), &with.version).await?),
        Call::Delete => format!("{:?}", service.delete(shop(), RAFA, id, Some(&with.version)).await?),
        Call::Move => format!("{:?}", service.transfer(shop(), id, RAFA, BIA).await?),
        Call::Watch => {
            let request =
                PushRequest { id: new, address: "https://desk.example.test/push".to_owned(), token: "t".to_owned() };
            format!("{:?}", service.watch(shop(), RAFA, &request).await?)
        }
        Call::Stop => format!("{:?}", service.stop(shop(), &with.channel).await?),
        Call::Token | Call::Revoke => unreachable!("no call of the API"),
    })
}

/// Makes a call while `fault` happens so many times; gives what came of it and how many requests it took.
async fn with_fault(call: Call, variant: usize, fault: &Fault, times: usize) -> (Result<String, ServiceError>, usize) {
    let world = World::new();
    let prepared = prepare(&world, 1).await;
    let before = world.count_requests();
    for _ in 0..times {
        world.google.fail(call, fault.clone());
    }
    let came = make(&world, call, &prepared, variant).await;
    (came, world.count_requests() - before)
}

fn is_disconnected(error: &ServiceError, expected: DisconnectCause) -> bool {
    matches!(error, ServiceError::Disconnected { cause, .. } if *cause == expected)
}

fn calls() -> impl Iterator<Item = (usize, Call)> {
    READS.into_iter().chain(WRITES).enumerate()
}

#[tokio::test]
async fn refusal_for_good_is_asked_once_and_named() {
    type Expected = fn(&ServiceError) -> bool;
    let refused: Expected = |error| matches!(error, ServiceError::Refused { .. });
    let rows: [(u16, &str, Expected); 10] = [
        (400, "invalid", refused),
        (400, "badRequest", refused),
        (400, "required", refused),
        (403, "forbidden", refused),
        (403, "forbiddenForServiceAccounts", refused),
        (403, "forbiddenForNonOrganizer", refused),
        (403, "requiredAccessLevel", refused),
        (403, "insufficientPermissions", |error| is_disconnected(error, DisconnectCause::MissingScope)),
        (403, "accessNotConfigured", |error| is_disconnected(error, DisconnectCause::ApiDisabled)),
        (403, "quotaExceeded", |error| {
            matches!(error, ServiceError::Unavailable { retry_after_ms: Some(3_600_000..), .. })
        }),
    ];
    for (variant, call) in calls() {
        for (status, reason, expected) in rows {
            let (came, requests) = with_fault(call, variant, &Fault::refuse(status, reason), 2).await;
            let error = came.expect_err(reason);
            assert!(expected(&error), "{call:?} {status} {reason}: {error:?}");
            assert_eq!(requests, 1, "{call:?} {status} {reason}");
        }
    }
}

#[tokio::test]
async fn missing_or_taken_or_changed_is_named_and_asked_once() {
    for (variant, call) in calls() {
        for (status, reason) in [
            (404, "notFound"),
            (409, "duplicate"),
            (410, "deleted"),
            (410, "fullSyncRequired"),
            (412, "conditionNotMet"),
        ] {
            let (came, requests) = with_fault(call, variant, &Fault::refuse(status, reason), 2).await;
            assert_eq!(requests, 1, "{call:?} {status}");
            let expected = match (call, status, reason) {
                (Call::Get, 404 | 410, "notFound" | "deleted") => Ok("None".to_owned()),
                (Call::Stop, 404 | 410, "notFound" | "deleted") => Ok("()".to_owned()),
                (_, 404, _) => Err(ServiceError::NotFound { what: "notFound, as the test says".to_owned() }),
                (_, 409, _) => Err(ServiceError::Duplicate),
                (_, 410, "deleted") => Err(ServiceError::Deleted),
                (_, 410, _) => Err(ServiceError::TokenGone),
                (_, _, _) => Err(ServiceError::Changed),
            };
            assert_eq!(came, expected, "{call:?} {status} {reason}");
        }
    }
}

#[tokio::test]
async fn limit_of_rate_is_waited_for_once_at_every_call() {
    for (variant, call) in calls() {
        for (status, reason) in [(403, "rateLimitExceeded"), (403, "userRateLimitExceeded"), (429, "rateLimitExceeded")]
        {
            let fault = Fault::refuse(status, reason);
            let (came, requests) = with_fault(call, variant, &fault, 1).await;
            assert!(came.is_ok(), "{call:?} {status} {reason}: {came:?}");
            assert_eq!(requests, 2, "{call:?} {status} {reason}");
            let (came, requests) = with_fault(call, variant, &fault, 2).await;
            let unavailable = matches!(came, Err(ServiceError::Unavailable { retry_after_ms: None, .. }));
            assert!(unavailable && requests == 2, "{call:?} {status} {reason}: {came:?}");
        }
    }
}

#[tokio::test]
async fn call_of_many_pages_is_repeated_once_in_all() {
    let world = World::new();
    world.google.set_page_size(1);
    let fault = Fault::refuse(503, "backendError");
    world.google.fail(Call::Calendars, fault.clone());
    assert_eq!(world.service.calendars(shop()).await.map(|all| all.len()), Ok(2));
    world.google.fail(Call::Calendars, fault.clone());
    world.google.fail_later(Call::Calendars, 1, fault);
    let came = world.service.calendars(shop()).await;
    assert!(matches!(came, Err(ServiceError::Unavailable { .. })), "{came:?}");
}

#[tokio::test]
async fn limit_of_rate_that_lasts_longer_than_the_call_is_not_waited_for() {
    let fault = Fault::Refuse { status: 429, reason: "rateLimitExceeded".to_owned(), retry_after_s: Some(60) };
    for (variant, call) in calls() {
        let (came, requests) = with_fault(call, variant, &fault, 1).await;
        let is_passed_on = matches!(came, Err(ServiceError::Unavailable { retry_after_ms: Some(60_000), .. }));
        assert!(is_passed_on && requests == 1, "{call:?}: {came:?}");
    }
}

#[tokio::test]
async fn refused_token_is_renewed_once_at_every_call() {
    let fault = Fault::refuse(401, "authError");
    for (variant, call) in calls() {
        let (came, requests) = with_fault(call, variant, &fault, 1).await;
        assert!(came.is_ok() && requests == 2, "{call:?}: {came:?}");
        let (came, requests) = with_fault(call, variant, &fault, 2).await;
        let error = came.unwrap_err();
        assert!(is_disconnected(&error, DisconnectCause::DeadGrant) && requests == 2, "{call:?}: {error:?}");
    }
}

fn faults_without_an_answer() -> [Fault; 7] {
    [
        Fault::refuse(500, "backendError"),
        Fault::refuse(503, "backendError"),
        Fault::Break,
        Fault::LoseAnswer,
        Fault::NoJson,
        Fault::Cut,
        Fault::Endless,
    ]
}

#[tokio::test]
async fn read_without_an_answer_is_asked_twice() {
    for (variant, call) in READS.into_iter().enumerate() {
        for fault in faults_without_an_answer() {
            let (came, requests) = with_fault(call, variant, &fault, 1).await;
            assert!(came.is_ok() && requests == 2, "{call:?} {fault:?}: {came:?}");
            let (came, requests) = with_fault(call, variant, &fault, 2).await;
            let unavailable = matches!(came, Err(ServiceError::Unavailable { .. }));
            assert!(unavailable && requests == 2, "{call:?} {fault:?}: {came:?}");
        }
    }
}

#[tokio::test]
async fn write_without_an_answer_is_unknown_and_never_repeated() {
    for call in WRITES {
        for fault in faults_without_an_answer() {
            // A channel's end and a deletion have no body that could be cut.
            if fault == Fault::Cut && matches!(call, Call::Stop | Call::Delete) {
                continue;
            }
            let (came, requests) = with_fault(call, 0, &fault, 1).await;
            let unknown = matches!(came, Err(ServiceError::Unknown { .. }));
            assert!(unknown && requests == 1, "{call:?} {fault:?}: {came:?}");
        }
    }
}

#[tokio::test]
async fn silence_ends_with_the_time_of_the_call() {
    for (variant, call) in calls() {
        let world = World::new();
        let prepared = prepare(&world, 1).await;
        world.google.fail(call, Fault::Silence);
        world.google.fail(call, Fault::Silence);
        // From here on time passes as soon as nothing else happens.
        tokio::time::pause();
        let came = make(&world, call, &prepared, variant).await;
        tokio::time::resume();
        match came {
            Err(ServiceError::Unavailable { .. }) => assert!(READS.contains(&call), "{call:?}"),
            Err(ServiceError::Unknown { .. }) => assert!(WRITES.contains(&call), "{call:?}"),
            other => panic!("{call:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn lost_answer_of_a_write_can_be_looked_up() {
    let world = World::new();
    world.google.fail(Call::Insert, Fault::LoseAnswer);
    let lost = world.service.insert(shop(), &draft("visit9")).await.unwrap_err();
    assert!(matches!(lost, ServiceError::Unknown { .. }), "{lost:?}");
    assert_eq!(world.service.insert(shop(), &draft("visit9")).await, Err(ServiceError::Duplicate));
    let found = world.service.find(shop(), RAFA, "visit9").await.unwrap().unwrap();
    assert_eq!(found.mark, Some(draft("visit9").mark));
    assert_eq!(world.google.count_events(RAFA), 1);

    world.google.fail(Call::Delete, Fault::LoseAnswer);
    let lost = world.service.delete(shop(), RAFA, "visit9", Some(&found.version)).await.unwrap_err();
    assert!(matches!(lost, ServiceError::Unknown { .. }), "{lost:?}");
    let again = world.service.delete(shop(), RAFA, "visit9", Some(&found.version)).await;
    assert_eq!(again, Err(ServiceError::Deleted));
}

#[tokio::test]
async fn service_that_cannot_be_reached_did_nothing() {
    let world = World::new();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let addresses = Addresses::under(&format!("http://{closed}")).unwrap();
    let (known, clock) = (Arc::<Known>::clone(&world.known), Arc::<ManualClock>::clone(&world.clock));
    let service = GoogleCalendar::new(addresses, limits(), known, clock).unwrap();
    let came = service.insert(shop(), &draft("visit9")).await;
    assert!(matches!(came, Err(ServiceError::Unavailable { .. })), "{came:?}");
}
