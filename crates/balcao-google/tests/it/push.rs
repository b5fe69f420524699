//! Push channels over real HTTP: opened, renewed before they end, the old one stopped, and calls of channels that we no longer have.

use std::sync::atomic::{AtomicU8, Ordering};

use balcao_app::scheduling::calendar_channels::{CalendarChannels, ChannelCall};
use balcao_app::scheduling::calendar_work::{CalendarWork, PushSettings};
use balcao_testkit::fakes::google::{Call, Fault, Notice};
use jiff::SignedDuration;
use serde_json::json;

use crate::desk::{Act, Desk, Founded, Program, TEAM};
use crate::world::RAFA;

const ADDRESS: &str = "https://balcao.example/hooks/google-calendar";

/// Other bytes each time.
fn random() -> Option<[u8; 32]> {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    Some([NEXT.fetch_add(1, Ordering::Relaxed); 32])
}

fn worker(program: &Program) -> CalendarWork {
    let push = PushSettings { address: ADDRESS.to_owned(), random };
    CalendarWork::new(program.app.clone()).with_push(Some(push))
}

/// What a notice says to the address that it goes to.
fn call_of(notice: &Notice) -> ChannelCall {
    let header = |name| notice.header(name).unwrap().to_owned();
    ChannelCall {
        channel: header("X-Goog-Channel-ID"),
        token: header("X-Goog-Channel-Token"),
        resource: header("X-Goog-Resource-ID"),
    }
}

/// A person blocks a day of Rafa's.
fn block(desk: &Desk, id: &str) {
    desk.google.block_days(RAFA, id, "2026-12-24", "2026-12-25");
}

/// How many requests of this kind came so far.
fn count(desk: &Desk, end: &str) -> usize {
    desk.google.asked().iter().filter(|asked| asked.target.split('?').next().unwrap().ends_with(end)).count()
}

#[tokio::test]
async fn channels_are_renewed_before_they_end_and_the_old_ones_are_stopped() {
    let desk = Desk::prepare(&Founded::new().await, Act::Move).await;
    let program = desk.start(None);
    let (work, id) = (worker(&program), program.organization);
    let channels = CalendarChannels::new(program.app.clone());
    program.read_all().await;
    assert_eq!(CalendarWork::new(program.app.clone()).renew_channels(id).await.unwrap(), 0, "no address, no channel");
    assert_eq!(work.renew_channels(id).await.unwrap(), TEAM.len());
    let first = desk.google.channels();
    assert_eq!((first.len(), count(&desk, "/watch"), count(&desk, "/stop")), (2, 2, 0));
    let hello = desk.google.take_notices();
    assert!(hello.iter().all(|notice| notice.address == ADDRESS), "{hello:?}");
    for notice in &hello {
        assert!(channels.accept(call_of(notice)).await.unwrap(), "{notice:?}");
    }
    work.read_due(id).await.unwrap();

    // They live for seven days: until the last of them nothing is opened.
    for _day in 0..5 {
        desk.clock.advance(SignedDuration::from_hours(24));
        assert_eq!(work.renew_channels(id).await.unwrap(), 0);
    }
    assert_eq!(desk.google.channels(), first);
    desk.clock.advance(SignedDuration::from_hours(25));
    // Before the new ones are open, a report still comes on the old ones.
    block(&desk, "before");
    let late: Vec<_> = desk.google.take_notices();
    assert_eq!(work.renew_channels(id).await.unwrap(), 2);
    let second = desk.google.channels();
    assert_eq!((second.len(), count(&desk, "/watch"), count(&desk, "/stop")), (2, 4, 2), "the old ones are stopped");
    assert!(first.iter().all(|old| !second.contains(old)), "{first:?} {second:?}");
    assert_eq!(work.renew_channels(id).await.unwrap(), 0);

    // A call of a channel that we no longer have is unknown, and makes nothing due.
    work.read_due(id).await.unwrap();
    assert_eq!(late.len(), 1, "{late:?}");
    assert!(!channels.accept(call_of(&late[0])).await.unwrap());
    let mut forged = call_of(&late[0]);
    forged.channel.clone_from(&second[0]);
    assert!(!channels.accept(forged).await.unwrap(), "a channel of ours with the secret of another");
    assert_eq!(work.read_due(id).await.unwrap(), 0);

    // A change is read at once by the new one, and the day that it blocks is taken.
    drop(desk.google.take_notices());
    block(&desk, "after");
    let notice = desk.google.take_notices().remove(0);
    assert!(channels.accept(call_of(&notice)).await.unwrap());
    assert_eq!(work.read_due(id).await.unwrap(), 1);
}

/// While no new channel is to be had, the old one stays; a calendar without one is read at its turn.
#[tokio::test]
async fn channel_that_cannot_be_renewed_lives_on_and_is_tried_again() {
    let desk = Desk::prepare(&Founded::new().await, Act::Move).await;
    let program = desk.start(None);
    let (work, id) = (worker(&program), program.organization);
    assert_eq!(work.renew_channels(id).await.unwrap(), 2);
    let first = desk.google.channels();
    desk.clock.advance(SignedDuration::from_hours(24 * 6 + 1));
    for fault in [Fault::refuse(403, "quotaExceeded"), Fault::refuse(400, "push.webhookUrlUnauthorized")] {
        (0..2).for_each(|_calendar| desk.google.fail(Call::Watch, fault.clone()));
        assert_eq!(work.renew_channels(id).await.unwrap(), 0, "{fault:?}");
        assert_eq!(desk.google.channels(), first, "{fault:?}");
        desk.google.clear_faults();
    }
    // The answer of the stop is lost: the old one ends by itself, and its calls are unknown from now on.
    desk.google.fail(Call::Stop, Fault::refuse(503, "backendError"));
    desk.google.fail(Call::Stop, Fault::refuse(503, "backendError"));
    assert_eq!(work.renew_channels(id).await.unwrap(), 2);
    assert_eq!(work.renew_channels(id).await.unwrap(), 0);
    desk.clock.advance(SignedDuration::from_hours(24));
    let living = desk.google.channels();
    assert!(living.len() == 2 && first.iter().all(|old| !living.contains(old)), "{first:?} {living:?}");
    let body = json!({ "id": "meeting", "start": { "dateTime": "2026-12-24T10:00:00-03:00" },
                       "end": { "dateTime": "2026-12-24T11:00:00-03:00" } });
    desk.google.put_event(RAFA, body);
    assert!(work.read_due(id).await.unwrap() >= 1, "read at its turn");
}
