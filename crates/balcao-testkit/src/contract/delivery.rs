//! What every database must do for inbox and leases. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case fails by panicking")]

use balcao_domain::inbox::InboxState;
use balcao_domain::lease::{AttemptHistory, Verdict};
use balcao_domain::{ConversationId, InboxId};
use balcao_store::messaging::delivery;
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::turns::lease::{self, LeaseRequest, LeasedConversation, Route};
use balcao_store::{Store, StoreError, Tx, crm::contact, messaging::conversation, turns::turn};
use jiff::{SignedDuration, Timestamp};

use super::Case;
use super::store::{World, now, open_turn, world};

cases!(
    an_event_is_stored_once_per_account,
    what_came_last_is_known_by_account,
    an_event_for_nobody_is_kept_once,
    what_waits_is_given_to_one_turn_for_ever,
    a_turn_takes_at_most_so_many_messages,
    what_came_out_of_order_is_given_in_the_order_of_writing,
    a_message_that_waits_can_be_reworded_and_withdrawn,
    what_has_no_words_is_taken_alone,
    what_was_read_can_be_retracted,
    the_latest_of_an_inbox_come_in_order_of_arrival,
    what_is_not_due_is_not_leased,
    a_conversation_is_leased_by_one,
    a_hundred_lease_and_each_conversation_is_leased_once,
    whoever_lost_the_lease_changes_nothing,
    a_renewed_lease_lasts,
    no_renewal_makes_a_lease_shorter,
    a_lease_that_ran_out_is_a_death,
    one_suspect_is_worked_on_at_a_time,
    a_failure_waits_and_is_counted,
    what_comes_during_the_work_stays_ripe,
    a_route_keeps_the_latest_word_of_the_customer,
    whom_an_advertisement_led_here_is_known_and_when_they_were_answered,
    tenants_have_inboxes_of_their_own,
);

pub(super) async fn write<T: Send + 'static>(
    store: &Store,
    work: impl FnOnce(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.write(work).await.unwrap()
}

/// An instant, so many seconds from [`now`].
pub(super) fn at(seconds: i64) -> Timestamp {
    now().checked_add(SignedDuration::from_secs(seconds)).unwrap()
}

fn route() -> Route {
    Route { account: "7001".to_owned(), recipient: "{}".to_owned(), customer_wrote_at: None }
}

/// A conversation with the contact of that number, ripe since [`now`].
pub(super) fn ripe(tx: &mut Tx<'_>, world: World, number: usize) -> Result<ConversationId, StoreError> {
    let contact = *world.contacts.get(number).unwrap_or_else(|| panic!("a world has two contacts"));
    let found = conversation::find_or_begin(tx, world.organization, contact, "whatsapp", now())?;
    lease::set_route(tx, world.organization, found.id, &route())?;
    lease::set_due(tx, world.organization, found.id, Some(now()))?;
    Ok(found.id)
}

pub(super) fn message(conversation: ConversationId, key: &'static str) -> NewInbox<'static> {
    NewInbox {
        channel: "whatsapp",
        account: "7001",
        key,
        kind: "message",
        conversation: Some(conversation),
        provider_message: Some(key),
        text: Some(key),
        payload: "{}",
        provider_at: None,
        ignored: None,
    }
}

fn lease_at(tx: &mut Tx<'_>, seconds: i64, suspects: u32) -> Result<Vec<LeasedConversation>, StoreError> {
    let request = LeaseRequest { owner: "here", now: at(seconds), until: at(seconds + 30), limit: 10, suspects };
    lease::lease_due(tx, &request)
}

fn only(mut leased: Vec<LeasedConversation>) -> LeasedConversation {
    assert_eq!(leased.len(), 1);
    leased.pop().unwrap()
}

/// The provider delivers at least once; we store once, per account.
pub async fn an_event_is_stored_once_per_account(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        let new = message(conversation, "message:wamid.1");
        assert!(inbox::insert(tx, world.organization, &new, now())?.is_some());
        assert_eq!(inbox::insert(tx, world.organization, &new, at(1))?, None);
        assert!(inbox::is_known(tx, world.organization, "whatsapp", "7001", "message:wamid.1")?);
        let elsewhere = NewInbox { account: "7002", ..new };
        assert!(inbox::insert(tx, world.organization, &elsewhere, now())?.is_some());
        let burst = inbox::burst(tx, world.organization, conversation)?.unwrap();
        assert_eq!((burst.count, burst.last), (2, now()));
        Ok(())
    })
    .await;
}

/// That nothing comes any more is seen by what came last.
pub async fn what_came_last_is_known_by_account(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| {
        let last =
            |tx: &mut Tx<'_>, world: World, account| inbox::last_received(tx, world.organization, "whatsapp", account);
        assert_eq!(last(tx, ours, "7001")?, None);
        let conversation = ripe(tx, ours, 0)?;
        for (key, seconds) in [("message:1", 0), ("message:2", 5)] {
            inbox::insert(tx, ours.organization, &message(conversation, key), at(seconds))?;
        }
        let elsewhere = NewInbox { account: "7002", ..message(conversation, "message:3") };
        inbox::insert(tx, ours.organization, &elsewhere, at(9))?;
        assert_eq!((last(tx, ours, "7001")?, last(tx, ours, "7002")?), (Some(at(5)), Some(at(9))));
        assert_eq!((last(tx, ours, "7003")?, last(tx, theirs, "7001")?), (None, None));
        Ok(())
    })
    .await;
}

/// The store keeps an event for an unknown account.
pub async fn an_event_for_nobody_is_kept_once(store: &Store) {
    write(store, |tx| {
        assert!(inbox::insert_stray(tx, "whatsapp", "1", "message:1", "{}", now())?);
        assert!(!inbox::insert_stray(tx, "whatsapp", "1", "message:1", "{}", now())?);
        assert!(inbox::insert_stray(tx, "whatsapp", "2", "message:1", "{}", now())?);
        assert!(inbox::insert_stray(tx, "whatsapp", "2", "message:2", "{}", at(10))?);
        let strays = |account: &str, count, last| inbox::Strays {
            channel: "whatsapp".to_owned(),
            account: account.to_owned(),
            count,
            last,
        };
        assert_eq!(inbox::strays(tx, now())?, [strays("1", 1, now()), strays("2", 2, at(10))]);
        assert_eq!(inbox::strays(tx, at(1))?, [strays("2", 1, at(10))]);
        Ok(())
    })
    .await;
}

/// I-3: a row's turn is set once.
pub async fn what_waits_is_given_to_one_turn_for_ever(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = ripe(tx, world, 0)?;
        for key in ["m1", "m2"] {
            inbox::insert(tx, organization, &message(conversation, key), now())?;
        }
        let first = open_turn(tx, organization, conversation, now())?;
        let taken = inbox::assign(tx, organization, conversation, first, 20)?;
        assert_eq!(taken.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["m1", "m2"]);
        assert_eq!(inbox::payloads_of_turn(tx, organization, first)?, ["{}", "{}"]);
        assert!(inbox::assign(tx, organization, conversation, first, 20)?.is_empty());
        inbox::set_state(tx, organization, first, InboxState::Answered, None)?;
        inbox::set_state(tx, organization, first, InboxState::Ignored, None)?;
        let rows = inbox::of_turn(tx, organization, first)?;
        assert_eq!(rows.len(), 2);
        assert!(rows.iter().all(|row| row.state == InboxState::Answered && row.turn == Some(first)));
        assert_eq!(inbox::burst(tx, organization, conversation)?, None);
        Ok(())
    })
    .await;
}

/// The rest waits for the next turn.
pub async fn a_turn_takes_at_most_so_many_messages(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = ripe(tx, world, 0)?;
        for key in ["m1", "m2", "m3"] {
            inbox::insert(tx, organization, &message(conversation, key), now())?;
        }
        let turn = open_turn(tx, organization, conversation, now())?;
        let taken = inbox::assign(tx, organization, conversation, turn, 2)?;
        assert_eq!(taken.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["m1", "m2"]);
        assert_eq!(inbox::burst(tx, organization, conversation)?.map(|burst| burst.count), Some(1));
        Ok(())
    })
    .await;
}

/// F-22: providers deliver in any order.
pub async fn what_came_out_of_order_is_given_in_the_order_of_writing(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = ripe(tx, world, 0)?;
        for (key, second) in [("m3", Some(-7)), ("m2", Some(-8)), ("m4", None), ("m1", Some(-9))] {
            let new = NewInbox { provider_at: second.map(at), ..message(conversation, key) };
            inbox::insert(tx, organization, &new, now())?;
        }
        let turn = open_turn(tx, organization, conversation, now())?;
        let texts = |rows: Vec<inbox::InboxRow>| rows.into_iter().map(|row| row.text).collect::<Vec<_>>();
        let taken = inbox::assign(tx, organization, conversation, turn, 3)?;
        assert_eq!(taken.first().map(|row| row.written_at), Some(at(-9)));
        assert_eq!(texts(taken), ["m1", "m2", "m3"]);
        assert_eq!(texts(inbox::assign(tx, organization, conversation, turn, 3)?), ["m4"]);
        assert_eq!(texts(inbox::of_turn(tx, organization, turn)?), ["m1", "m2", "m3", "m4"]);
        Ok(())
    })
    .await;
}

/// An edit may change or withdraw a message only before a turn has read it.
pub async fn a_message_that_waits_can_be_reworded_and_withdrawn(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = ripe(tx, world, 0)?;
        let ids: Vec<InboxId> = ["m1", "m2"]
            .into_iter()
            .map(|key| Ok(inbox::insert(tx, organization, &message(conversation, key), now())?.unwrap()))
            .collect::<Result<_, StoreError>>()?;
        let found = inbox::find_message(tx, organization, "whatsapp", "7001", "m1")?.unwrap();
        assert_eq!(Some(&found.id), ids.first());
        assert!(inbox::reword(tx, organization, found.id, "other words")?);
        let second = *ids.last().unwrap();
        assert!(inbox::withdraw(tx, organization, second, "deleted")?);
        let turn = open_turn(tx, organization, conversation, now())?;
        let taken = inbox::assign(tx, organization, conversation, turn, 20)?;
        assert_eq!(taken.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["other words"]);
        assert!(!inbox::reword(tx, organization, found.id, "too late")?);
        assert!(!inbox::withdraw(tx, organization, found.id, "too late")?);
        Ok(())
    })
    .await;
}

/// Words beside it make it a turn's.
pub async fn what_has_no_words_is_taken_alone(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        let wordless = |conversation, key| NewInbox { kind: inbox::WORDLESS, ..message(conversation, key) };
        inbox::insert(tx, organization, &wordless(one, "s1"), now())?;
        inbox::insert(tx, organization, &message(one, "m1"), now())?;
        inbox::insert(tx, organization, &wordless(other, "s2"), now())?;
        assert!(inbox::take_wordless(tx, organization, one, "no words")?.is_empty());
        let [taken] = inbox::take_wordless(tx, organization, other, "no words")?.try_into().unwrap();
        assert_eq!(
            (taken.text.as_str(), taken.state, taken.reason.as_deref()),
            ("s2", InboxState::Ignored, Some("no words"))
        );
        assert!(inbox::take_wordless(tx, organization, other, "no words")?.is_empty());
        assert_eq!(inbox::burst(tx, organization, one)?.map(|burst| burst.count), Some(2));
        assert_eq!(inbox::list_waiting(tx, organization, one, 9)?.len(), 2);
        assert_eq!(inbox::list_waiting(tx, organization, one, 1)?.len(), 1);
        assert!(inbox::find_message(tx, organization, "whatsapp", "7001", "s2")?.is_some());
        Ok(())
    })
    .await;
}

/// The store replaces the text in the inbox, the thread and the turn, and leaves all other messages alone.
pub async fn what_was_read_can_be_retracted(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = ripe(tx, world, 0)?;
        let id = inbox::insert(tx, organization, &message(conversation, "m1"), now())?.unwrap();
        inbox::retract(tx, organization, id, "gone")?;
        assert_eq!(inbox::get(tx, organization, id)?.text, "m1", "what waits is withdrawn");
        let turn = open_turn(tx, organization, conversation, now())?;
        inbox::assign(tx, organization, conversation, turn, 20)?;
        inbox::retract(tx, organization, id, "gone")?;
        assert_eq!(inbox::get(tx, organization, id)?.text, "gone");
        let new = |turn| NewMessage { conversation, turn, author: Author::Contact, text: "m1", subject: None };
        for turn in [Some(turn), None] {
            message::insert(tx, organization, &new(turn), now())?;
        }
        assert!(message::retract(tx, organization, conversation, Some(turn), "m1", "gone")?);
        assert!(!message::retract(tx, organization, conversation, Some(turn), "m1", "gone")?);
        let texts = message::last(tx, organization, conversation, 10)?.into_iter().map(|one| one.text);
        assert_eq!(texts.collect::<Vec<_>>(), ["gone", "m1"]);
        assert!(message::retract(tx, organization, conversation, None, "m1", "gone")?);
        turn::save(tx, organization, turn, "{\"inbound\":\"m1\"}", "hash")?;
        turn::rewrite(tx, organization, turn, |json| json.replace("m1", "gone"))?;
        assert_eq!(turn::record(tx, organization, turn)?.as_deref(), Some("{\"inbound\":\"gone\"}"));
        Ok(())
    })
    .await;
}

/// The limit cuts at the beginning, and other conversations are not read.
pub async fn the_latest_of_an_inbox_come_in_order_of_arrival(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        for (conversation, key) in [(one, "m1"), (other, "x1"), (one, "m2"), (one, "m3")] {
            inbox::insert(tx, organization, &message(conversation, key), now())?;
        }
        let found = inbox::of_conversation(tx, organization, one, 2)?;
        assert_eq!(found.iter().map(|row| row.text.as_str()).collect::<Vec<_>>(), ["m2", "m3"]);
        assert!(found.iter().all(|row| row.conversation == Some(one) && row.state == InboxState::New));
        let first = found.first().unwrap();
        assert_eq!(inbox::get(tx, organization, first.id)?, *first);
        Ok(())
    })
    .await;
}

/// Neither before its time, nor without anything that waits.
pub async fn what_is_not_due_is_not_leased(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        lease::set_due(tx, world.organization, conversation, Some(at(3)))?;
        assert!(lease_at(tx, 2, 1)?.is_empty());
        lease::set_due(tx, world.organization, conversation, None)?;
        assert!(lease_at(tx, 10, 1)?.is_empty());
        lease::set_due(tx, world.organization, conversation, Some(at(3)))?;
        assert_eq!(only(lease_at(tx, 3, 1)?).lease.conversation, conversation);
        Ok(())
    })
    .await;
}

/// I-4: while the lease lasts, no other process can lease the conversation.
pub async fn a_conversation_is_leased_by_one(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversations = [ripe(tx, world, 0)?, ripe(tx, world, 1)?];
        let leased = lease_at(tx, 0, 1)?;
        assert_eq!(leased.iter().map(|one| one.lease.conversation).collect::<Vec<_>>(), conversations);
        assert!(leased.iter().all(|one| one.lease.epoch == 1 && one.attempts.verdict() == Verdict::Answer));
        assert!(lease_at(tx, 29, 1)?.is_empty());
        Ok(())
    })
    .await;
}

/// Many processes look at the same time.
pub async fn a_hundred_lease_and_each_conversation_is_leased_once(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        for number in 0..40 {
            let new = contact::NewContact { name: Some(number.to_string()), ..contact::NewContact::default() };
            let contact = contact::insert(tx, world.organization, &new, now())?;
            let found = conversation::find_or_begin(tx, world.organization, contact, "whatsapp", now())?;
            lease::set_route(tx, world.organization, found.id, &route())?;
            lease::set_due(tx, world.organization, found.id, Some(now()))?;
        }
        Ok(())
    })
    .await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..100 {
        let store = store.clone();
        tasks.spawn(async move {
            let owner = format!("process {number}");
            let lease = move |tx: &mut Tx<'_>| {
                lease::lease_due(tx, &LeaseRequest { owner: &owner, now: now(), until: at(30), limit: 3, suspects: 1 })
            };
            store.write(lease).await.unwrap()
        });
    }
    let mut leased = Vec::new();
    while let Some(done) = tasks.join_next().await {
        leased.extend(done.unwrap().into_iter().map(|one| i64::from(one.lease.conversation)));
    }
    leased.sort_unstable();
    let count = leased.len();
    leased.dedup();
    assert_eq!((count, leased.len()), (40, 40));
}

/// I-5: the epoch fences.
pub async fn whoever_lost_the_lease_changes_nothing(store: &Store) {
    let world = world(store, "a").await;
    let (slept, works) = write(store, move |tx| {
        ripe(tx, world, 0)?;
        Ok((only(lease_at(tx, 0, 1)?), only(lease_at(tx, 31, 1)?)))
    })
    .await;
    assert_eq!(works.lease.epoch, 2);
    let lease = slept.lease;
    let late = store
        .write(move |tx| {
            lease::guard(tx, &lease)?;
            lease::set_due(tx, world.organization, lease.conversation, None)
        })
        .await;
    assert!(matches!(late, Err(StoreError::LeaseLost { .. })));
    write(store, move |tx| {
        assert!(matches!(lease::renew(tx, &slept.lease, at(90)), Err(StoreError::LeaseLost { .. })));
        assert!(matches!(lease::finish(tx, &slept.lease), Err(StoreError::LeaseLost { .. })));
        assert!(matches!(lease::fail(tx, &slept, at(32)), Err(StoreError::LeaseLost { .. })));
        lease::guard(tx, &works.lease)?;
        lease::finish(tx, &works.lease)?;
        assert!(matches!(lease::guard(tx, &works.lease), Err(StoreError::LeaseLost { .. })));
        Ok(())
    })
    .await;
}

/// A heartbeat keeps others away.
pub async fn a_renewed_lease_lasts(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        ripe(tx, world, 0)?;
        let leased = only(lease_at(tx, 0, 1)?);
        lease::renew(tx, &leased.lease, at(40))?;
        assert!(lease_at(tx, 39, 1)?.is_empty());
        assert_eq!(lease_at(tx, 40, 1)?.len(), 1);
        Ok(())
    })
    .await;
}

/// A renewal that was decided before another one, and comes after it, takes nothing from what its holder was promised.
pub async fn no_renewal_makes_a_lease_shorter(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        ripe(tx, world, 0)?;
        let leased = only(lease_at(tx, 0, 1)?);
        lease::renew(tx, &leased.lease, at(50))?;
        lease::renew(tx, &leased.lease, at(40))?;
        assert!(lease_at(tx, 49, 1)?.is_empty());
        assert_eq!(lease_at(tx, 50, 1)?.len(), 1);
        Ok(())
    })
    .await;
}

/// I-20: attempts count when the lease begins, deaths of a suspect as blame; an answer forgets them.
pub async fn a_lease_that_ran_out_is_a_death(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        let mut tallies = Vec::new();
        for round in 0..4 {
            tallies.push(only(lease_at(tx, round * 30, 1)?).attempts);
        }
        let expected = |attempts, blame, suspect| AttemptHistory {
            attempts,
            failures: 0,
            crashes: blame,
            poison_suspect: suspect,
        };
        assert_eq!(tallies, [expected(1, 0, false), expected(2, 0, true), expected(3, 1, true), expected(4, 2, true)]);
        assert_eq!(tallies.last().map(|tally| tally.verdict()), Some(Verdict::HandOver));
        let last = only(lease_at(tx, 120, 1)?);
        lease::finish(tx, &last.lease)?;
        lease::set_due(tx, world.organization, conversation, Some(now()))?;
        assert_eq!(only(lease_at(tx, 121, 0)?).attempts, expected(1, 0, false));
        Ok(())
    })
    .await;
}

/// A process that dies leaves all its conversations suspect. The store leases them one by one to find the one that is to blame.
pub async fn one_suspect_is_worked_on_at_a_time(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        ripe(tx, world, 0)?;
        ripe(tx, world, 1)?;
        assert_eq!(lease_at(tx, 0, 1)?.len(), 2);
        assert!(lease_at(tx, 31, 0)?.is_empty());
        let first = only(lease_at(tx, 31, 1)?);
        assert!(first.attempts.poison_suspect);
        lease::set_due(tx, world.organization, first.lease.conversation, None)?;
        lease::finish(tx, &first.lease)?;
        let second = only(lease_at(tx, 32, 1)?);
        assert_ne!(second.lease.conversation, first.lease.conversation);
        Ok(())
    })
    .await;
}

/// An error is not a crash: the store offers the same message again after a pause.
pub async fn a_failure_waits_and_is_counted(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        ripe(tx, world, 0)?;
        let leased = only(lease_at(tx, 0, 1)?);
        lease::set_due(tx, world.organization, leased.lease.conversation, None)?;
        lease::fail(tx, &leased, at(0))?;
        assert!(lease_at(tx, 0, 1)?.is_empty());
        let again = only(lease_at(tx, 1, 0)?);
        assert_eq!(again.attempts, AttemptHistory { attempts: 2, failures: 1, crashes: 0, poison_suspect: false });
        lease::give_back(tx, &again, at(1))?;
        assert_eq!(only(lease_at(tx, 1, 0)?).attempts.failures, 1);
        Ok(())
    })
    .await;
}

/// A message that arrives during the turn is answered right after it.
pub async fn what_comes_during_the_work_stays_ripe(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        let leased = only(lease_at(tx, 0, 1)?);
        lease::set_due(tx, world.organization, conversation, None)?;
        lease::set_due(tx, world.organization, conversation, Some(at(4)))?;
        assert!(lease_at(tx, 5, 1)?.is_empty());
        lease::finish(tx, &leased.lease)?;
        assert_eq!(only(lease_at(tx, 5, 1)?).lease.epoch, 2);
        Ok(())
    })
    .await;
}

/// Events come in any order.
pub async fn a_route_keeps_the_latest_word_of_the_customer(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        for seconds in [Some(10), Some(5), None] {
            let route = Route { customer_wrote_at: seconds.map(at), ..route() };
            lease::set_route(tx, world.organization, conversation, &route)?;
        }
        let found = lease::route(tx, world.organization, conversation)?.unwrap();
        assert_eq!(found.customer_wrote_at, Some(at(10)));
        Ok(())
    })
    .await;
}

/// By what came with the message, not by its words.
pub async fn whom_an_advertisement_led_here_is_known_and_when_they_were_answered(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (organization, one) = (world.organization, ripe(tx, world, 0)?);
        for (key, payload, seconds) in
            [("m1", r#"{"text":"\"referral\":{"}"#, 1), ("m2", r#"{"referral":{"source":"ad"}}"#, 2), ("m3", "{}", 3)]
        {
            inbox::insert(tx, organization, &NewInbox { payload, ..message(one, key) }, at(seconds))?;
        }
        assert_eq!(inbox::referred(tx, organization, one, at(0))?, [at(2)]);
        assert!(inbox::referred(tx, organization, one, at(3))?.is_empty());
        assert_eq!(delivery::first_left(tx, organization, one, at(2))?, None);
        for seconds in [1, 7, 9] {
            let new = NewMessage { conversation: one, turn: None, author: Author::Staff, text: "oi", subject: None };
            message::insert(tx, organization, &new, at(seconds))?;
        }
        assert_eq!(delivery::first_left(tx, organization, one, at(2))?, Some(at(7)));
        Ok(())
    })
    .await;
}

/// One organization's inbox and leases are not there for another.
pub async fn tenants_have_inboxes_of_their_own(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let conversation = ripe(tx, ours, 0)?;
        let new = message(conversation, "m1");
        assert!(inbox::insert(tx, ours.organization, &new, now())?.is_some());
        assert!(!inbox::is_known(tx, theirs.organization, "whatsapp", "7001", "m1")?);
        assert_eq!(inbox::burst(tx, theirs.organization, conversation)?, None);
        assert_eq!(inbox::find_message(tx, theirs.organization, "whatsapp", "7001", "m1")?, None);
        assert_eq!(lease::route(tx, theirs.organization, conversation)?, None);
        let mut lease = only(lease_at(tx, 0, 1)?).lease;
        lease.organization = theirs.organization;
        assert!(matches!(lease::guard(tx, &lease), Err(StoreError::LeaseLost { .. })));
        Ok(())
    })
    .await;
}
