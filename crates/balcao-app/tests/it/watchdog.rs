//! The watchdog: no contact waits for ever.

use balcao_app::admin::backlog::{BacklogKind, BacklogMonitor};
use balcao_app::turns::watchdog::Watchdog;
use balcao_domain::conversation::ConversationState;
use balcao_domain::inbox::InboxState;
use balcao_domain::outbox::OutboxState;
use balcao_llm::providers::scripted::says;
use balcao_testkit::fakes::graph::Behaviour;

use crate::messaging_harness::{MessagingHarness, start_harness};

fn watchdog(shop: &MessagingHarness, watch: &BacklogMonitor) -> Watchdog {
    Watchdog::new(shop.world.app.clone(), shop.another_process(), watch.clone())
}

#[tokio::test]
async fn i_16_what_nobody_answers_for_a_minute_goes_to_a_person_without_a_model() {
    // A model that is asked panics: its script is empty.
    let shop = start_harness([]).await;
    let watchdog = watchdog(&shop, &BacklogMonitor::default());
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(59);
    assert_eq!(watchdog.look().await.unwrap(), 0);
    // A minute after it was ripe.
    shop.advance_secs(4);
    assert_eq!(watchdog.look().await.unwrap(), 1);
    assert_eq!(shop.inbox_states().await, [InboxState::HandedOff]);
    assert_eq!(shop.conversation().await.state, ConversationState::WaitingHuman);
    shop.sender.work_off().await.unwrap();
    let said = shop.texts();
    assert_eq!(said.len(), 1, "{said:?}");
    shop.advance_secs(600);
    assert_eq!((watchdog.look().await.unwrap(), shop.texts()), (0, said));
}

#[tokio::test]
async fn what_somebody_works_on_is_left_to_them() {
    let shop = start_harness([]).await;
    let watchdog = watchdog(&shop, &BacklogMonitor::default());
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(63);
    // The first process has the lease for another half minute.
    let lease = shop.lease("somebody", 30).await;
    assert_eq!(watchdog.look().await.unwrap(), 0);
    assert_eq!(shop.inbox_states().await, [InboxState::New]);
    // It died: who was left behind is answered one at a time, and may wait for that.
    shop.advance_secs(31);
    assert_eq!(watchdog.look().await.unwrap(), 0);
    shop.advance_secs(30);
    assert_eq!(watchdog.look().await.unwrap(), 1);
    assert_eq!(shop.inbox_states().await, [InboxState::HandedOff]);
    assert!(shop.lost(lease).await, "whoever slept through it changes nothing");
}

#[tokio::test]
async fn f_03_what_lay_there_while_nobody_ran_is_answered() {
    let shop = start_harness([says("Olá!")]).await;
    shop.joao_writes("wamid.1", "oi").await;
    shop.advance_secs(3_600);
    let watchdog = watchdog(&shop, &BacklogMonitor::default());
    assert_eq!(watchdog.look().await.unwrap(), 0);
    shop.run_until_idle().await;
    assert_eq!((shop.inbox_states().await, shop.texts()), (vec![InboxState::Answered], vec!["Olá!".to_owned()]));
}

#[tokio::test]
async fn what_a_person_has_is_left_to_them_without_a_word() {
    let shop = start_harness([]).await;
    let watchdog = watchdog(&shop, &BacklogMonitor::default());
    shop.joao_writes("wamid.1", "oi").await;
    shop.staff_takes_over().await;
    shop.advance_secs(63);
    assert_eq!(watchdog.look().await.unwrap(), 1);
    assert_eq!(shop.inbox_states().await, [InboxState::Ignored]);
    shop.sender.work_off().await.unwrap();
    assert_eq!((shop.texts().len(), shop.conversation().await.state), (0, ConversationState::Human));
}

#[tokio::test]
async fn a_message_that_does_not_leave_is_an_alarm_until_it_does() {
    let shop = start_harness([says("Olá!")]).await;
    let watch = BacklogMonitor::default();
    let watchdog = watchdog(&shop, &watch);
    shop.joao_writes("wamid.1", "oi").await;
    let busy = Behaviour::Error { status: 500, code: 131_016, details: "Service overloaded".to_owned() };
    shop.graph.next(busy);
    shop.run_until_idle().await;
    assert_eq!(shop.outbox_states().await, [OutboxState::Pending]);
    shop.advance_secs(121);
    watchdog.look().await.unwrap();
    let alarms = watch.alarms();
    assert_eq!(alarms.iter().map(|alarm| (alarm.what, alarm.count)).collect::<Vec<_>>(), [(BacklogKind::Message, 1)]);
    assert!(alarms[0].to_string().contains("has waited for 12"), "{}", alarms[0]);
    shop.sender.work_off().await.unwrap();
    watchdog.look().await.unwrap();
    assert_eq!((watch.alarms(), watch.waiting()), (Vec::new(), 0));
}
