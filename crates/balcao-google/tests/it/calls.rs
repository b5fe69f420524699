//! What each call does when all goes well, and what it leaves at the service.

use balcao_app::context::calendar_service::{CalendarService as _, ChangeCursor, NextPage, PushRequest, ServiceError};
use balcao_domain::outside_event::{EventState, EventTime, OutsideEvent};
use balcao_testkit::fakes::google::{Call, Fault};
use serde_json::json;

use crate::world::{BIA, RAFA, World, draft, friday, instant, shop, span};

/// All changes from a cursor on, page by page, with the token that ends them and the number of pages.
async fn all_changes(world: &World, cursor: &ChangeCursor) -> (Vec<OutsideEvent>, String, usize) {
    let (mut all, mut page, mut pages) = (Vec::new(), None, 0);
    loop {
        let got = world.service.changes(shop(), RAFA, cursor, page.as_deref()).await.unwrap();
        all.extend(got.events.into_iter().map(Result::unwrap));
        pages += 1;
        match got.next {
            NextPage::Page(token) => page = Some(token),
            NextPage::Done(token) => return (all, token, pages),
        }
    }
}

fn everything() -> ChangeCursor {
    ChangeCursor::Everything { since: instant("2026-11-25T12:00:00Z") }
}

#[tokio::test]
async fn event_is_written_as_the_documents_say_and_read_back() {
    let world = World::new();
    let written = world.insert("visit1").await;
    let expected = OutsideEvent {
        calendar: RAFA.to_owned(),
        id: "visit1".to_owned(),
        version: written.version.clone(),
        state: EventState::Busy,
        time: Some(EventTime::Timed(draft("visit1").span)),
        title: Some("Corte".to_owned()),
        mark: Some(draft("visit1").mark),
        series: None,
        created_at: Some(instant("2026-11-26T12:00:00Z")),
        updated_at: Some(instant("2026-11-26T12:00:00Z")),
    };
    assert_eq!(written, expected);
    assert_eq!(world.service.find(shop(), RAFA, "visit1").await, Ok(Some(expected)));
    let stored = world.google.event(RAFA, "visit1").unwrap();
    assert_eq!(stored["start"], json!({ "dateTime": "2026-11-27T15:00:00-03:00", "timeZone": "America/Sao_Paulo" }));
    assert_eq!((&stored["visibility"], &stored["transparency"]), (&json!("private"), &json!("opaque")));
    let private = json!({ "balcaoInstallation": "5eed", "balcaoOrganization": "7", "balcaoAppointment": "9" });
    assert_eq!(stored["extendedProperties"]["private"], private);
}

#[tokio::test]
async fn change_holds_for_the_version_that_was_seen() {
    let world = World::new();
    let first = world.insert("visit1").await;
    world.google.move_event(RAFA, "visit1", 30);
    let draft = draft("visit1");
    assert_eq!(world.service.change(shop(), &draft, &first.version).await, Err(ServiceError::Changed));
    let now = world.service.find(shop(), RAFA, "visit1").await.unwrap().unwrap();
    let changed = world.service.change(shop(), &draft, &now.version).await.unwrap();
    assert_eq!(changed.time, Some(EventTime::Timed(draft.span)));
    assert_ne!(changed.version, now.version);
}

#[tokio::test]
async fn change_brings_an_event_of_whole_days_back_to_its_time() {
    let world = World::new();
    world.insert("visit1").await;
    for (key, day) in [("start", "2026-11-27"), ("end", "2026-11-28")] {
        world.google.set_field(RAFA, "visit1", key, json!({ "date": day }));
    }
    let days = world.service.find(shop(), RAFA, "visit1").await.unwrap().unwrap();
    assert!(matches!(days.time, Some(EventTime::AllDay { .. })), "{days:?}");
    let changed = world.service.change(shop(), &draft("visit1"), &days.version).await.unwrap();
    assert_eq!(changed.time, Some(EventTime::Timed(draft("visit1").span)));
}

#[tokio::test]
async fn deletion_holds_for_the_version_that_was_seen_and_happens_once() {
    let world = World::new();
    let first = world.insert("visit1").await;
    world.google.shorten_event(RAFA, "visit1", 10);
    let delete = |version: Option<String>| {
        let service = &world.service;
        async move { service.delete(shop(), RAFA, "visit1", version.as_deref()).await }
    };
    assert_eq!(delete(Some(first.version.clone())).await, Err(ServiceError::Changed));
    assert_eq!(delete(None).await, Ok(()));
    assert_eq!(delete(Some(first.version)).await, Err(ServiceError::Deleted));
    // The id stays taken.
    assert_eq!(world.service.insert(shop(), &draft("visit1")).await, Err(ServiceError::Duplicate));
    let found = world.service.find(shop(), RAFA, "visit1").await.unwrap();
    assert_eq!(found.map(|one| one.state), Some(EventState::Cancelled));
}

#[tokio::test]
async fn transfer_leaves_a_deleted_event_behind() {
    let world = World::new();
    world.insert("visit1").await;
    let moved = world.service.transfer(shop(), "visit1", RAFA, BIA).await.unwrap();
    assert_eq!((moved.calendar.as_str(), moved.mark), (BIA, Some(draft("visit1").mark)));
    assert_eq!((world.google.count_events(RAFA), world.google.count_events(BIA)), (0, 1));
    let back = world.service.transfer(shop(), "visit1", BIA, RAFA).await.unwrap();
    assert_eq!((back.calendar.as_str(), back.state), (RAFA, EventState::Busy));
}

#[tokio::test]
async fn changes_go_on_from_a_token_over_short_and_empty_pages() {
    let world = World::new();
    for number in 1..=5 {
        world.insert(&format!("visit{number}")).await;
    }
    world.google.set_page_size(2);
    world.google.insert_empty_pages();
    let (all, token, pages) = all_changes(&world, &everything()).await;
    assert_eq!((all.len(), pages), (5, 4));

    let (none, token, _) = all_changes(&world, &ChangeCursor::Since(token)).await;
    assert!(none.is_empty(), "{none:?}");
    world.google.move_event(RAFA, "visit2", 15);
    world.google.delete_event(RAFA, "visit3");
    let (changed, _, _) = all_changes(&world, &ChangeCursor::Since(token)).await;
    let states: Vec<_> = changed.iter().map(|one| (one.id.as_str(), one.state)).collect();
    assert_eq!(states, [("visit2", EventState::Busy), ("visit3", EventState::Cancelled)]);
}

#[tokio::test]
async fn token_that_expired_asks_for_everything() {
    let world = World::new();
    world.insert("visit1").await;
    let (_, token, _) = all_changes(&world, &everything()).await;
    world.google.expire_sync_tokens();
    let gone = world.service.changes(shop(), RAFA, &ChangeCursor::Since(token), None).await;
    assert_eq!(gone, Err(ServiceError::TokenGone));
    assert_eq!(all_changes(&world, &everything()).await.0.len(), 1);
}

#[tokio::test]
async fn busy_times_are_merged_and_a_calendar_with_errors_is_not_free() {
    let world = World::new();
    world.insert("visit1").await;
    let body =
        |from: &str, until: &str| json!({ "id": "other", "start": { "dateTime": from }, "end": { "dateTime": until } });
    world.google.put_event(RAFA, body("2026-11-27T15:30:00-03:00", "2026-11-27T16:00:00-03:00"));
    let wanted = [RAFA.to_owned(), BIA.to_owned(), "gone@example.test".to_owned()];
    world.google.set_busy_error(BIA, Some("internalError"));
    let found = world.service.busy(shop(), &wanted, friday()).await.unwrap();
    let rafa = vec![span("2026-11-27T18:00:00Z", "2026-11-27T19:00:00Z")];
    assert_eq!(found[RAFA], Ok(rafa));
    assert_eq!(found[BIA], Err("internalError".to_owned()));
    assert_eq!(found["gone@example.test"], Err("notFound".to_owned()));
}

#[tokio::test]
async fn more_than_fifty_calendars_are_asked_in_turns() {
    let world = World::new();
    let ids: Vec<String> = (0..51).map(|number| format!("one{number}@example.test")).collect();
    for id in &ids {
        world.google.add_calendar(id, "America/Sao_Paulo", "writer").unwrap();
    }
    let found = world.service.busy(shop(), &ids, friday()).await.unwrap();
    assert_eq!(found.len(), 51);
    assert!(found.values().all(|busy| *busy == Ok(Vec::new())), "{found:?}");
}

#[tokio::test]
async fn calendars_are_listed_over_pages_with_rights_and_owner() {
    let world = World::new();
    world.google.add_calendar("lia@example.test", "America/Manaus", "reader").unwrap();
    world.google.set_page_size(1);
    let all = world.service.calendars(shop()).await.unwrap();
    let shown: Vec<_> = all.iter().map(|one| (one.id.as_str(), one.zone.as_str(), one.is_writable)).collect();
    let expected = [
        (BIA, "America/Sao_Paulo", true),
        ("lia@example.test", "America/Manaus", false),
        (RAFA, "America/Sao_Paulo", true),
    ];
    assert_eq!(shown, expected);
    assert_eq!(all[0].data_owner.as_deref(), Some("dona@example.test"));
}

#[tokio::test]
async fn channel_is_opened_with_its_token_and_stopped_twice() {
    let world = World::new();
    let address = "https://desk.example.test/push";
    let request = PushRequest { id: "c-1".to_owned(), address: address.to_owned(), token: "secret".to_owned() };
    let channel = world.service.watch(shop(), RAFA, &request).await.unwrap();
    assert_eq!(channel.ends_at, instant("2026-12-03T12:00:00Z"));
    world.insert("visit1").await;
    let notices = world.google.take_notices();
    let states: Vec<_> = notices.iter().map(|one| one.header("x-goog-resource-state").unwrap()).collect();
    assert_eq!(states, ["sync", "exists"]);
    assert!(notices.iter().all(|one| one.address == address && one.header("x-goog-channel-token") == Some("secret")));
    assert_eq!(notices[1].header("x-goog-resource-id"), Some(channel.resource.as_str()));
    assert_eq!(world.service.stop(shop(), &channel).await, Ok(()));
    assert_eq!(world.service.stop(shop(), &channel).await, Ok(()));
    world.insert("visit2").await;
    assert!(world.google.take_notices().is_empty());
}

#[tokio::test]
async fn guests_are_never_told_and_quotas_are_counted_for_the_business() {
    let world = World::new();
    let first = world.insert("visit1").await;
    let changed = world.service.change(shop(), &draft("visit1"), &first.version).await.unwrap();
    world.service.transfer(shop(), "visit1", RAFA, BIA).await.unwrap();
    world.service.delete(shop(), BIA, "visit1", None).await.unwrap();
    assert_ne!(changed.version, first.version);
    assert_eq!(world.google.send_updates(), ["none"; 4]);
    let asked = world.google.asked();
    let calls = asked.iter().filter(|one| one.target.starts_with("/calendar/"));
    assert!(calls.clone().count() >= 4);
    assert!(calls.into_iter().all(|one| one.target.contains("quotaUser=org_7")), "{asked:?}");
}

#[tokio::test]
async fn id_that_the_service_would_not_take_is_not_sent() {
    let world = World::new();
    for id in ["abcd", "visit-1", "VISIT1", "visitz", ""] {
        let came = world.service.insert(shop(), &draft(id)).await;
        assert!(matches!(came, Err(ServiceError::Refused { .. })), "{id}: {came:?}");
    }
    assert_eq!(world.count_requests(), 0);
}

#[tokio::test]
async fn id_of_a_calendar_cannot_leave_its_place_in_the_path() {
    let world = World::new();
    for id in ["../../users/me/calendarList", "a/events/b", "x?y=1", "%2e%2e", ".."] {
        let came = world.service.overlapping(shop(), id, friday()).await;
        assert!(matches!(came, Err(ServiceError::NotFound { .. } | ServiceError::Refused { .. })), "{id}: {came:?}");
    }
}

#[tokio::test]
async fn pages_and_values_of_an_answer_have_a_limit() {
    let world = World::new();
    for number in 1..=21 {
        world.insert(&format!("visit{number}")).await;
    }
    world.google.set_page_size(1);
    let came = world.service.overlapping(shop(), RAFA, friday()).await;
    assert!(matches!(came, Err(ServiceError::TooMany { .. })), "{came:?}");
    for number in 1..=19 {
        world.google.add_calendar(&format!("one{number}@example.test"), "America/Sao_Paulo", "writer").unwrap();
    }
    let came = world.service.calendars(shop()).await;
    assert!(matches!(came, Err(ServiceError::TooMany { .. })), "{came:?}");

    let world = World::new();
    let many: Vec<u8> = vec![7; 60_000];
    world.google.put_event(RAFA, json!({ "id": "heavy1", "start": many, "end": 1 }));
    let came = world.service.overlapping(shop(), RAFA, friday()).await;
    assert!(came.is_ok_and(|found| found.is_empty()), "an event without a time is in no span");
    let found = world.service.find(shop(), RAFA, "heavy1").await;
    assert!(matches!(found, Err(ServiceError::Unavailable { .. })), "{found:?}");
}

#[tokio::test]
async fn list_that_takes_longer_than_a_call_may_is_too_long() {
    let world = World::new();
    for number in 1..=3 {
        world.insert(&format!("visit{number}")).await;
    }
    world.google.set_page_size(1);
    for (pages, is_too_long) in [(2, true), (0, false)] {
        world.google.fail_later(Call::List, pages, Fault::Silence);
        let last = world.count_requests() + pages + 1;
        let silence = async {
            while world.count_requests() < last {
                tokio::task::yield_now().await;
            }
            // From here on nothing comes from outside, and time passes as soon as nothing else happens.
            tokio::time::pause();
        };
        let (came, ()) = tokio::join!(world.service.overlapping(shop(), RAFA, friday()), silence);
        tokio::time::resume();
        assert_eq!(matches!(came, Err(ServiceError::TooMany { .. })), is_too_long, "{pages}: {came:?}");
    }
}
