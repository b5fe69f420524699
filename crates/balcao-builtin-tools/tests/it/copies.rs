//! Answers from our copy of an external calendar: each tool that offers time says as of when the copy is.

use std::sync::Arc;

use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_domain::Clock as _;
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::{StoreError, messaging::conversation};
use balcao_testkit::fakes::calendar_service::MemoryService;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::world::figueira;

const CALENDAR: &str = "wesley@group.calendar.example";

/// What each tool that offers time is asked.
fn questions() -> [(&'static str, Value); 3] {
    [
        ("check_availability", json!({ "date": "2026-11-25", "barber_name": "Wesley" })),
        ("get_available_slots", json!({ "date": "2026-11-25" })),
        ("getAvailableSlotsTool", json!({ "startDate": "25/11/2026", "endDate": "25/11/2026" })),
    ]
}

#[tokio::test]
async fn every_tool_that_offers_time_says_how_old_the_copy_is() {
    let now = figueira().await.clock.now();
    let service = Arc::new(MemoryService::new(now, &[CALENDAR]));
    let world = figueira().await.with_calendar(service.clone());
    let (who, organization) = (world.livia().await, world.organization);
    let link = world.app.store.write(move |tx| {
        let professional = 2.try_into().unwrap();
        conversation::set_professional(tx, organization, who.conversation, Some(professional))?;
        let link = CalendarLink { professional, calendar: CALENDAR.to_owned(), access: LinkAccess::Write };
        calendar_link::link(tx, organization, &link, now)
    });
    let linked: Result<(), StoreError> = link.await;
    linked.unwrap();
    CalendarWork::new(world.app.clone()).sync(organization, false).await.unwrap().unwrap();
    for (tool, args) in questions() {
        let live = world.call(who, tool, args).await.value;
        assert!(!live.to_string().contains("cópia"), "{tool}: {live}");
    }
    service.set_down(true);
    world.clock.advance(SignedDuration::from_mins(5));
    for (tool, args) in questions() {
        let copied = world.call(who, tool, args.clone()).await.value;
        let message = copied["message"].as_str().unwrap_or_else(|| panic!("{tool}: {copied}"));
        assert!(message.contains("cópia, como estava em 24/11/2026 10:00"), "{tool}: {message}");
        let english = world.call(who.in_english(), tool, args).await.value;
        assert!(english["message"].as_str().unwrap().contains("our copy, as of 24/11/2026 10:00"), "{tool}: {english}");
    }
}
