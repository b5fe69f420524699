//! What people do in their calendars, as the client reads it.

use balcao_app::context::calendar_service::{CalendarService as _, ChangeCursor};
use balcao_domain::outside_event::{EventState, EventTime, OutsideEvent};
use jiff::civil::date;
use serde_json::{Value, json};

use crate::world::{BIA, RAFA, World, draft, friday, instant, shop, span};

fn timed(id: &str, more: &Value) -> Value {
    let mut body = json!({ "id": id, "summary": "Dentista",
        "start": { "dateTime": "2026-11-27T10:00:00-03:00", "timeZone": "America/Sao_Paulo" },
        "end": { "dateTime": "2026-11-27T11:00:00-03:00", "timeZone": "America/Sao_Paulo" } });
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

async fn friday_of(world: &World) -> Vec<OutsideEvent> {
    world.service.overlapping(shop(), RAFA, friday()).await.unwrap()
}

#[tokio::test]
async fn kind_of_event_decides_whether_it_takes_its_time() {
    let world = World::new();
    let declined = json!([{ "email": "rafa@example.test", "self": true, "responseStatus": "declined" }]);
    let other_declined = json!([{ "email": "lia@example.test", "responseStatus": "declined" }]);
    let rows = [
        ("plain1", json!({}), EventState::Busy),
        ("tentative", json!({ "status": "tentative" }), EventState::Busy),
        ("private1", json!({ "visibility": "private" }), EventState::Busy),
        ("outofoffice", json!({ "eventType": "outOfOffice" }), EventState::Busy),
        ("focus1", json!({ "eventType": "focusTime" }), EventState::Busy),
        ("fromgmail", json!({ "eventType": "fromGmail" }), EventState::Busy),
        ("guest1", json!({ "attendees": other_declined }), EventState::Busy),
        ("newkind", json!({ "eventType": "aKindOfTomorrow" }), EventState::Busy),
        ("transparent", json!({ "transparency": "transparent" }), EventState::Free),
        ("declined", json!({ "attendees": declined }), EventState::Free),
        ("birthday", json!({ "eventType": "birthday" }), EventState::Free),
        ("place1", json!({ "eventType": "workingLocation" }), EventState::Free),
    ];
    for (id, more, _) in &rows {
        world.google.put_event(RAFA, timed(id, more));
    }
    let found = friday_of(&world).await;
    for (id, _, state) in &rows {
        let event = found.iter().find(|one| one.id == *id).unwrap();
        assert_eq!(event.state, *state, "{id}");
        assert_eq!(event.title.is_none(), *id == "private1", "{id}");
    }
    assert_eq!(found.len(), rows.len());
    // Without the busy events, the free/busy answer of the service is empty, too.
    let free: Vec<_> = rows.iter().filter(|row| row.2 == EventState::Free).map(|row| row.0).collect();
    for (id, ..) in rows.iter().filter(|row| !free.contains(&row.0)) {
        world.google.delete_event(RAFA, id);
    }
    let busy = world.service.busy(shop(), &[RAFA.to_owned()], friday()).await.unwrap();
    assert_eq!(busy[RAFA], Ok(Vec::new()));
}

#[tokio::test]
async fn one_bad_event_stops_no_other() {
    let world = World::new();
    world.google.put_event(RAFA, timed("good1", &json!({})));
    world.google.put_event(RAFA, timed("good2", &json!({})));
    let bad = [
        json!({ "id": "nostart", "end": { "dateTime": "2026-11-27T11:00:00-03:00" } }),
        json!({ "id": "words", "start": { "dateTime": "amanhã" }, "end": { "dateTime": "amanhã" } }),
        json!({ "id": "nozone", "start": { "dateTime": "2026-11-27T10:00:00" }, "end": { "dateTime": "2026-11-27T11:00:00" } }),
        json!({ "id": "mixed", "start": { "date": "2026-11-27" }, "end": { "dateTime": "2026-11-27T11:00:00-03:00" } }),
        json!({ "id": "backwards", "start": { "date": "2026-11-27" }, "end": { "date": "2026-11-26" } }),
        json!({ "id": "numbers", "start": 5, "end": 6 }),
    ];
    let cursor = {
        let everything = ChangeCursor::Everything { since: instant("2026-11-25T12:00:00Z") };
        let page = world.service.changes(shop(), RAFA, &everything, None).await.unwrap();
        assert!(page.events.iter().all(Result::is_ok));
        match page.next {
            balcao_app::context::calendar_service::NextPage::Done(token) => ChangeCursor::Since(token),
            other => panic!("{other:?}"),
        }
    };
    for body in &bad {
        world.google.put_event(RAFA, body.clone());
    }
    world.google.move_event(RAFA, "good2", 30);
    let page = world.service.changes(shop(), RAFA, &cursor, None).await.unwrap();
    let (good, unread): (Vec<_>, Vec<_>) = page.events.into_iter().partition(Result::is_ok);
    assert_eq!(good.len(), 1);
    let mut ids: Vec<_> = unread.into_iter().map(|one| one.unwrap_err().id.unwrap()).collect();
    ids.sort();
    assert_eq!(ids, ["backwards", "mixed", "nostart", "nozone", "numbers", "words"]);
}

#[tokio::test]
async fn unreadable_event_of_a_day_takes_no_time() {
    let world = World::new();
    world.google.put_event(RAFA, timed("good1", &json!({ "etag": null })));
    let mixed =
        json!({ "id": "mixed", "start": { "date": "2026-11-27" }, "end": { "dateTime": "2026-11-27T11:00:00-03:00" } });
    world.google.put_event(RAFA, mixed);
    let found = friday_of(&world).await;
    assert_eq!(found.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["good1"]);
}

#[tokio::test]
async fn time_without_offset_is_read_by_its_zone() {
    let world = World::new();
    let at = |time: &str| json!({ "dateTime": time, "timeZone": "America/Manaus" });
    let body = json!({ "start": at("2026-11-27T10:00:00"), "end": at("2026-11-27T11:00:00") });
    world.google.put_event(RAFA, timed("manaus", &body));
    let found = world.service.find(shop(), RAFA, "manaus").await.unwrap().unwrap();
    assert_eq!(found.time, Some(EventTime::Timed(span("2026-11-27T14:00:00Z", "2026-11-27T15:00:00Z"))));
}

#[tokio::test]
async fn series_is_seen_singly_with_its_exceptions() {
    let world = World::new();
    world.google.put_event(RAFA, timed("weekly", &json!({ "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=3"] })));
    let month = span("2026-11-27T03:00:00Z", "2026-12-27T03:00:00Z");
    let all = world.service.overlapping(shop(), RAFA, month).await.unwrap();
    let ids: Vec<_> = all.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["weekly_20261127T130000Z", "weekly_20261204T130000Z", "weekly_20261211T130000Z"]);
    assert!(all.iter().all(|one| one.series.as_deref() == Some("weekly")));

    world.google.move_event(RAFA, "weekly_20261204T130000Z", 60);
    world.google.delete_event(RAFA, "weekly_20261211T130000Z");
    let all = world.service.overlapping(shop(), RAFA, month).await.unwrap();
    let times: Vec<_> = all.iter().filter_map(|one| one.time).collect();
    let at = |from: &str, until: &str| EventTime::Timed(span(from, until));
    let expected =
        [at("2026-11-27T13:00:00Z", "2026-11-27T14:00:00Z"), at("2026-12-04T14:00:00Z", "2026-12-04T15:00:00Z")];
    assert_eq!(times, expected);
    let busy = world.service.busy(shop(), &[RAFA.to_owned()], month).await.unwrap();
    assert_eq!(busy[RAFA].as_ref().map(Vec::len), Ok(2));
}

#[tokio::test]
async fn whole_days_are_read_as_days() {
    let world = World::new();
    world.google.block_days(RAFA, "vacation", "2026-11-27", "2026-11-30");
    let found = friday_of(&world).await;
    let days = EventTime::AllDay { from: date(2026, 11, 27), until: date(2026, 11, 30) };
    assert_eq!((found[0].time, found[0].state), (Some(days), EventState::Busy));
}

#[tokio::test]
async fn copy_keeps_the_mark_and_has_an_id_of_its_own() {
    let world = World::new();
    world.insert("visit1").await;
    let copy = world.google.copy_event(RAFA, "visit1").unwrap();
    let found = world.service.find(shop(), RAFA, &copy).await.unwrap().unwrap();
    assert_eq!(found.mark, Some(draft("visit1").mark));
    assert_ne!(found.id, "visit1");
    world.google.set_property(RAFA, &copy, "balcaoAppointment", Some("a text"));
    let found = world.service.find(shop(), RAFA, &copy).await.unwrap().unwrap();
    assert_eq!(found.mark, None);
}

#[tokio::test]
async fn event_that_a_person_moved_to_another_calendar_is_deleted_here() {
    let world = World::new();
    world.insert("visit1").await;
    world.google.transfer_event(RAFA, BIA, "visit1");
    let here = world.service.find(shop(), RAFA, "visit1").await.unwrap().unwrap();
    let there = world.service.find(shop(), BIA, "visit1").await.unwrap().unwrap();
    assert_eq!((here.state, there.state), (EventState::Cancelled, EventState::Busy));
    assert_eq!(there.mark, Some(draft("visit1").mark));
}

#[tokio::test]
async fn reader_of_a_calendar_learns_when_a_private_event_is_and_not_what() {
    let world = World::unconnected();
    *world.known.credential.lock().unwrap() = Some(crate::world::grant(world.google.grant(&[
        "calendar.events",
        "calendar.freebusy",
        "calendar.calendarlist.readonly",
    ])));
    world.google.put_event(RAFA, timed("private1", &json!({ "visibility": "private" })));
    world.google.share_calendar(RAFA, "reader", None);
    let found = friday_of(&world).await;
    assert_eq!((found[0].title.as_deref(), found[0].state), (None, EventState::Busy));
    assert!(found[0].time.is_some());
}

#[tokio::test]
async fn series_keeps_its_local_time_where_the_clock_changes() {
    let world = World::new();
    world.google.add_calendar("ny@example.test", "America/New_York", "owner").unwrap();
    let at = |time: &str| json!({ "dateTime": time, "timeZone": "America/New_York" });
    let weekly = json!({ "id": "weekly", "start": at("2026-10-27T10:00:00-04:00"), "end": at("2026-10-27T11:00:00-04:00"),
        "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=2"] });
    world.google.put_event("ny@example.test", weekly);
    let autumn = span("2026-10-20T00:00:00Z", "2026-11-10T00:00:00Z");
    let found = world.service.overlapping(shop(), "ny@example.test", autumn).await.unwrap();
    let times: Vec<_> = found.iter().filter_map(|one| one.time).collect();
    let at = |from: &str, until: &str| EventTime::Timed(span(from, until));
    let expected =
        [at("2026-10-27T14:00:00Z", "2026-10-27T15:00:00Z"), at("2026-11-03T15:00:00Z", "2026-11-03T16:00:00Z")];
    assert_eq!(times, expected);
    // Half past one comes twice on that night; without an offset, the first one is meant.
    let night = |time: &str| json!({ "dateTime": time, "timeZone": "America/New_York" });
    let twice = json!({ "id": "twice", "start": night("2026-11-01T01:30:00"), "end": night("2026-11-01T01:45:00") });
    world.google.put_event("ny@example.test", twice);
    let found = world.service.find(shop(), "ny@example.test", "twice").await.unwrap().unwrap();
    assert_eq!(found.time, Some(at("2026-11-01T05:30:00Z", "2026-11-01T05:45:00Z")));
}

/// The service spreads a change of the visibility of one instance over its series.
#[tokio::test]
async fn visibility_of_a_series_changes_no_busy_time() {
    let world = World::new();
    world.google.put_event(RAFA, timed("weekly", &json!({ "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=3"] })));
    world.insert("visit1").await;
    let month = span("2026-11-27T03:00:00Z", "2026-12-27T03:00:00Z");
    let taken = async || {
        let all = world.service.overlapping(shop(), RAFA, month).await.unwrap();
        all.into_iter().map(|one| (one.id, one.state, one.time, one.mark)).collect::<Vec<_>>()
    };
    let before = taken().await;
    for visibility in ["private", "confidential", "public"] {
        world.google.set_visibility(RAFA, "weekly_20261204T130000Z", visibility);
        world.google.set_visibility(RAFA, "visit1", visibility);
        assert_eq!(world.google.event(RAFA, "weekly").unwrap()["visibility"], visibility);
        assert_eq!(taken().await, before, "{visibility}");
    }
}
