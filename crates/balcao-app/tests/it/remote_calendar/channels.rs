//! Push channels: a call marks its calendar as due, and whatever does not prove itself is unknown. Links, and how calendars are.

use balcao_app::admin::backlog::{self, BacklogKind};
use balcao_app::scheduling::calendar_channels::{CalendarChannels, ChannelCall, NewChannel};
use balcao_app::scheduling::calendar_links::{CalendarLinks, LinkRefusal};
use balcao_domain::outside_event::EventTime;
use balcao_store::StoreError;
use jiff::SignedDuration;
use jiff::civil::date;

use super::{ANA, BRUNO, DAY, in_memory};

#[tokio::test]
async fn a_call_marks_its_calendar_as_due_if_it_proves_itself() {
    let world = in_memory().await;
    let channels = CalendarChannels::new(world.app.clone());
    assert_eq!(channels.list_ending(world.organization).await.unwrap(), [ANA]);
    let open = async |random: u8| {
        let new = NewChannel { address: "https://balcao.example/hooks/google-calendar", random: [random; 32] };
        channels.renew(world.organization, ANA.to_owned(), new).await.unwrap().unwrap();
        let request = world.service.last_channel();
        ChannelCall { channel: request.id, token: request.token, resource: format!("r-{ANA}") }
    };
    let (first, second) = (open(1).await, open(2).await);
    assert_eq!(channels.list_ending(world.organization).await.unwrap(), Vec::<String>::new());
    world.service.person_makes(ANA, "holiday", EventTime::AllDay { from: DAY, until: date(2026, 11, 25) }, 60);
    let due = async || world.work().read_due(world.organization).await.unwrap();
    assert_eq!(due().await, 0);
    let wrong = [
        first,
        ChannelCall { token: "other".to_owned(), ..second.clone() },
        ChannelCall { resource: "other".to_owned(), ..second.clone() },
        ChannelCall { channel: String::new(), ..second.clone() },
    ];
    for call in wrong {
        assert!(!channels.accept(call.clone()).await.unwrap(), "{call:?}");
    }
    assert_eq!(due().await, 0);
    assert!(channels.accept(second.clone()).await.unwrap());
    assert!(channels.accept(second).await.unwrap());
    assert_eq!((due().await, due().await), (1, 0));
    world.clock.advance(SignedDuration::from_hours(24 * 6));
    assert_eq!(channels.list_ending(world.organization).await.unwrap(), [ANA]);
}

#[tokio::test]
async fn a_calendar_is_linked_read_and_unlinked_and_its_events_go_with_it() {
    let world = in_memory().await;
    let links = CalendarLinks::new(world.app.clone());
    world.book("10:00").await;
    assert_eq!(world.events().len(), 1);
    let link = async |name: &str, calendar: &str, write| {
        links.link(world.organization, name.to_owned(), calendar.to_owned(), write).await.unwrap()
    };
    assert!(matches!(link("Zoe", BRUNO, false).await, Err(LinkRefusal::Professional(_))));
    assert!(matches!(link("Ana Prado", BRUNO, true).await, Err(LinkRefusal::OtherWritten { .. })));
    link("Ana Prado", BRUNO, false).await.unwrap();
    let status = links.status(world.organization).await.unwrap();
    let shown: Vec<_> =
        status.links.iter().map(|one| (one.calendar.as_str(), one.is_written, one.is_too_old)).collect();
    assert_eq!(shown, [(ANA, true, false), (BRUNO, false, true)]);
    let unlink = async |calendar: &str| {
        links.unlink(world.organization, "Ana Prado".to_owned(), calendar.to_owned()).await.unwrap()
    };
    unlink(ANA).await.unwrap();
    assert!(matches!(unlink(ANA).await, Err(LinkRefusal::NotLinked { .. })));
    world.work().push_due(world.organization).await.unwrap();
    assert_eq!(world.events(), []);
    link("Ana Prado", ANA, true).await.unwrap();
    world.work().push_due(world.organization).await.unwrap();
    world.assert_equal("linked again").await;
}

/// The service would call for a calendar of which nothing is left here.
#[tokio::test]
async fn channel_of_a_calendar_without_links_is_stopped() {
    let world = in_memory().await;
    let (links, channels) = (CalendarLinks::new(world.app.clone()), CalendarChannels::new(world.app.clone()));
    let new = NewChannel { address: "https://balcao.example/hooks/google-calendar", random: [1; 32] };
    channels.renew(world.organization, ANA.to_owned(), new).await.unwrap().unwrap();
    let request = world.service.last_channel();
    world.service.take_calls();
    links.unlink(world.organization, "Ana Prado".to_owned(), ANA.to_owned()).await.unwrap().unwrap();
    assert_eq!(world.service.take_calls(), ["stop"]);
    let call = ChannelCall { channel: request.id, token: request.token, resource: format!("r-{ANA}") };
    assert!(!channels.accept(call).await.unwrap());
}

#[tokio::test]
async fn credentials_that_are_dead_raise_an_alarm_with_their_age() {
    let world = in_memory().await;
    let alarms = async || {
        let now = balcao_domain::Clock::now(world.clock.as_ref());
        let figures: Result<_, StoreError> =
            world.app.store.read(move |tx| balcao_store::ops::backlog::read(tx, now)).await;
        backlog::alarms(&figures.unwrap(), now)
    };
    world.service.set_shut_out(true);
    for _ in 0..4 {
        world.clock.advance(SignedDuration::from_mins(15));
        world.work().work_off().await.unwrap();
    }
    let alarm = alarms().await.into_iter().find(|alarm| alarm.what == BacklogKind::Calendar).unwrap();
    assert!(alarm.age_s >= 30 * 60, "{alarm:?}");
    let status = CalendarLinks::new(world.app.clone()).status(world.organization).await.unwrap();
    assert!(status.links[0].is_too_old && status.links[0].failure.as_ref().unwrap().contains("invalid_grant"));
    world.service.set_shut_out(false);
    world.clock.advance(SignedDuration::from_hours(2));
    world.work().work_off().await.unwrap();
    assert!(alarms().await.iter().all(|alarm| alarm.what != BacklogKind::Calendar));
}
