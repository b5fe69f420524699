//! P-06: old rows disappear by themselves, once a day, and only a search for them notices.

use balcao_app::admin::backlog::{self, BacklogKind};
use balcao_app::admin::retention::{Periods, Retention, Tally};
use balcao_app::conversations::Conversations;
use balcao_app::messaging::files::{FileRefusal, Files};
use balcao_domain::Clock;
use balcao_domain::attachment::AttachmentState;
use balcao_llm::providers::scripted::says;
use balcao_store::Tx;
use balcao_store::ops::retention::RetentionKind;
use jiff::SignedDuration;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::messaging_harness::{MessagingHarness, start_harness};

const DAY: i64 = 86_400;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn keeper(shop: &MessagingHarness, periods: Periods) -> Retention {
    Retention::new(shop.world.app.clone(), shop.world.organization, periods)
}

fn of(tally: &Tally, old: RetentionKind) -> i64 {
    tally.iter().find(|(one, _)| *one == old).map_or(0, |(_, count)| *count)
}

/// A customer sent a picture and was answered, at ten in the morning.
async fn answered(later: &[&str]) -> MessagingHarness {
    let shop = start_harness(["Bonito!"].iter().chain(later).map(|words| says(words))).await;
    shop.graph.keep_file("m1", "image/png", PNG);
    shop.joao_sends("wamid.1", json!({ "type": "image", "image": { "id": "m1", "mime_type": "image/png" } })).await;
    shop.files.work_off().await.unwrap();
    shop.run_until_idle().await;
    shop
}

#[tokio::test]
async fn p_06_each_kind_goes_when_its_own_time_is_over() {
    let shop = answered(&["Oi de novo!"]).await;
    let keeper = keeper(&shop, Periods::default());
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let mut passed = 0;
    for (days, expected) in [
        (30, vec![]),
        (31, vec![RetentionKind::Trace]),
        (89, vec![]),
        (91, vec![RetentionKind::File, RetentionKind::Inbox, RetentionKind::Outbox, RetentionKind::Event]),
        (729, vec![]),
        (731, vec![RetentionKind::Message, RetentionKind::Transcript]),
        (10_000, vec![]),
    ] {
        shop.advance_secs((days - passed) * DAY);
        passed = days;
        let told = keeper.preview().await.unwrap();
        let gone = keeper.now().await.unwrap();
        assert_eq!(told, gone, "day {days}: what is told is what goes");
        let kinds: Vec<RetentionKind> = gone.iter().filter(|(_, count)| *count > 0).map(|(old, _)| *old).collect();
        assert_eq!(kinds, expected, "day {days}");
        if days == 91 {
            let shown = Conversations::new(shop.world.app.clone()).show(organization, id).await.unwrap().unwrap();
            let [picture] = shown.messages[0].attachments.as_slice() else { panic!("{shown:?}") };
            assert_eq!((picture.state, picture.size), (AttachmentState::Expired, Some(16)));
            let refused = Files::new(shop.world.app.clone()).open(organization, picture.id).await.unwrap();
            let id = picture.id;
            assert_eq!(refused, Err(FileRefusal::NotHere { id, state: AttachmentState::Expired }));
            // A repeat of what is forgotten is a repeat.
            let again = json!({ "type": "image", "image": { "id": "m1", "mime_type": "image/png" } });
            assert_eq!(shop.joao_sends("wamid.1", again).await.new, 0);
        }
    }
    // A contact who comes back after years gets an answer like any other.
    shop.joao_writes("wamid.2", "oi").await;
    shop.run_until_idle().await;
    assert_eq!(shop.texts().last().map(String::as_str), Some("Oi de novo!"));
}

#[tokio::test]
async fn zero_keeps_for_ever() {
    let shop = answered(&[]).await;
    let all = Periods { files: 0, traces: 0, messages: 0, inbox: 0, outbox: 0, ledger: 0 };
    shop.advance_secs(10_000 * DAY);
    let told = keeper(&shop, all).preview().await.unwrap();
    assert!(told.iter().all(|(old, count)| *old == RetentionKind::UnsentFile && *count == 0), "{told:?}");
}

#[tokio::test]
async fn it_is_done_once_a_day_at_night_and_by_one_of_many() {
    let shop = answered(&[]).await;
    let (one, other) = (keeper(&shop, Periods::default()), keeper(&shop, Periods::default()));
    let stop = CancellationToken::new();
    assert_eq!(one.when_due(&stop).await.unwrap(), None, "it is morning");
    shop.advance_secs(17 * 3_600);
    assert_eq!(one.when_due(&stop).await.unwrap(), None, "three at night");
    shop.advance_secs(40 * DAY);
    let (a, b) = tokio::join!(one.when_due(&stop), other.when_due(&stop));
    let done: Vec<Tally> = [a.unwrap(), b.unwrap()].into_iter().flatten().collect();
    assert_eq!(done.len(), 1, "both or none were at it");
    assert_eq!(of(&done[0], RetentionKind::Trace), 1);
    assert_eq!(one.when_due(&stop).await.unwrap(), None, "it was done");
    shop.advance_secs(DAY);
    assert!(other.when_due(&stop).await.unwrap().is_some());
}

#[tokio::test]
async fn whoever_is_told_to_stop_leaves_the_rest_to_the_next() {
    let shop = answered(&[]).await;
    let keeper = keeper(&shop, Periods::default());
    assert_eq!(keeper.when_due(&CancellationToken::new()).await.unwrap(), None);
    shop.advance_secs(40 * DAY);
    let stopped = CancellationToken::new();
    stopped.cancel();
    let told = keeper.when_due(&stopped).await.unwrap().unwrap();
    assert!(told.iter().all(|(_, count)| *count == 0), "{told:?}");
    // The claim was given back, and the stop was no crash.
    let told = keeper.when_due(&CancellationToken::new()).await.unwrap().unwrap();
    assert_eq!(of(&told, RetentionKind::Trace), 1);
}

#[tokio::test]
async fn a_deletion_at_which_the_program_died_three_times_waits_for_a_person() {
    let shop = answered(&[]).await;
    let organization = shop.world.organization;
    let (keeper, stop) = (keeper(&shop, Periods::default()), CancellationToken::new());
    assert_eq!(keeper.when_due(&stop).await.unwrap(), None);
    shop.advance_secs(40 * DAY);
    let alarms = async || {
        let now = shop.world.clock.now();
        let figures = shop.in_transaction(move |tx| balcao_store::ops::backlog::read(tx, now)).await;
        backlog::alarms(&figures, now).into_iter().map(|alarm| alarm.what).collect::<Vec<_>>()
    };
    for _death in 0..3 {
        assert!(!alarms().await.contains(&BacklogKind::Nightly));
        let now = shop.world.clock.now();
        let until = now + SignedDuration::from_secs(600);
        let claim = move |tx: &mut Tx<'_>| balcao_store::ops::retention::claim(tx, organization, now, until, now);
        assert!(shop.in_transaction(claim).await);
        assert_eq!(keeper.when_due(&stop).await.unwrap(), None, "a process may be at it");
        shop.advance_secs(600);
    }
    assert_eq!(keeper.when_due(&stop).await.unwrap(), None, "it is set aside");
    shop.advance_secs(DAY);
    assert_eq!(keeper.when_due(&stop).await.unwrap(), None, "also a day later");
    assert!(alarms().await.contains(&BacklogKind::Nightly));
    // A person deletes by command, and the daily deletion goes on.
    assert_eq!(of(&keeper.now().await.unwrap(), RetentionKind::Trace), 1);
    assert!(!alarms().await.contains(&BacklogKind::Nightly));
    assert!(keeper.when_due(&stop).await.unwrap().is_some());
}

#[tokio::test]
async fn a_file_that_was_never_sent_goes_after_a_day() {
    let shop = answered(&[]).await;
    let (organization, id) = (shop.world.organization, shop.conversation().await.id);
    let files = Files::new(shop.world.app.clone());
    let taken = files.take_in(organization, id, "davi@figueira.example".to_owned(), "a.png".to_owned(), PNG.to_vec());
    taken.await.unwrap().unwrap();
    let keeper = keeper(&shop, Periods::default());
    shop.advance_secs(DAY);
    assert_eq!(of(&keeper.now().await.unwrap(), RetentionKind::UnsentFile), 0);
    shop.advance_secs(1);
    assert_eq!(of(&keeper.now().await.unwrap(), RetentionKind::UnsentFile), 1);
}
