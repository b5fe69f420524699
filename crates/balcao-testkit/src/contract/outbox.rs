//! What every database must do for the outbox. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::outbox::{AttemptOutcome, Next, OutboxState, SETTLE, after_attempt};
use balcao_domain::{ConversationId, TurnId};
use balcao_store::messaging::choice::{self, NewChoice};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::messaging::outbox::{self, Bill, NewOutbox, Outbox};
use balcao_store::turns::lease;
use balcao_store::{Store, StoreError, Tx, messaging::conversation, messaging::delivery, messaging::web_chat};

use super::Case;
use super::delivery::{at, ripe, write};
use super::store::{World, now, open_turn, world};

cases!(
    messages_leave_in_order,
    a_message_is_claimed_by_one,
    a_claim_that_nobody_learned_of_is_given_back,
    an_unknown_message_holds_the_next_back_for_a_while_and_is_never_repeated,
    an_attempt_that_was_cut_short_is_unknown,
    a_late_answer_still_counts_and_an_older_one_does_not,
    what_was_given_up_is_left_behind_by_what_leaves_after_it,
    a_status_finds_its_message_by_either_name,
    f_55_a_turn_has_one_set_of_messages,
    what_is_pending_is_withdrawn_when_a_person_takes_over,
    staff_may_send_a_dead_message_again,
    a_template_takes_the_place_of_what_came_too_late_once,
    a_price_is_known_before_and_the_dead_cost_nothing,
    what_may_be_chosen_counts_in_its_conversation_for_a_while,
    tenants_have_outboxes_of_their_own,
    a_message_is_held_while_its_file_is_handed_in_and_only_by_whoever_has_it,
    what_has_not_left_follows_whoever_moved,
    what_did_not_arrive_is_sent_anew_as_another_copy,
    a_message_of_the_thread_is_known_by_what_leaves_of_it,
);

fn named(conversation: ConversationId, turn: Option<TurnId>, name: &str) -> NewOutbox<'_> {
    NewOutbox {
        conversation,
        turn,
        message: None,
        part: 1,
        kind: "reply",
        channel: "whatsapp",
        account: "7001",
        recipient: "{}",
        body: "{}",
        correlation: name,
        about: Some("reminder:1"),
        fallback: Some("{\"template\":1}"),
    }
}

pub(super) fn push(
    tx: &mut Tx<'_>,
    world: World,
    conversation: ConversationId,
    turn: Option<TurnId>,
    name: &str,
) -> Result<(), StoreError> {
    outbox::push(tx, world.organization, &named(conversation, turn, name), now()).map(drop)
}

pub(super) fn send_at(tx: &mut Tx<'_>, seconds: i64) -> Result<Vec<Outbox>, StoreError> {
    outbox::expire(tx, at(seconds), at(seconds + 60))?;
    outbox::claim(tx, &format!("claim {seconds}"), at(seconds), at(seconds + 30), 10)
}

pub(super) fn names(claimed: &[Outbox]) -> Vec<&str> {
    claimed.iter().map(|one| one.correlation.as_str()).collect()
}

pub(super) fn record(tx: &mut Tx<'_>, one: &Outbox, outcome: AttemptOutcome, seconds: i64) -> Result<bool, StoreError> {
    let next = after_attempt(outcome, one.attempts, 0, SETTLE, at(seconds));
    outbox::record(tx, one, next, (outcome == AttemptOutcome::Accepted).then_some("wamid.1"), None, at(seconds))
}

/// F-72: a sender that did not learn the outcome of its claim gives the messages back, because it sent none of them.
pub async fn a_claim_that_nobody_learned_of_is_given_back(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        push(tx, world, one, None, "a1")?;
        assert_eq!(send_at(tx, 1)?.len(), 1);
        push(tx, world, other, None, "b1")?;
        assert_eq!(names(&send_at(tx, 2)?), ["b1"]);
        assert_eq!(outbox::give_back(tx, "claim 1", at(3))?, 1);
        assert_eq!(outbox::give_back(tx, "claim 1", at(3))?, 0);
        assert_eq!(outbox::give_back(tx, "no such claim", at(3))?, 0);
        let [again] = send_at(tx, 4)?.try_into().unwrap();
        assert_eq!((again.correlation.as_str(), again.attempts), ("a1", 1));
        Ok(())
    })
    .await;
}

/// I-14: the next one leaves when the one before it is settled; other conversations do not wait.
pub async fn messages_leave_in_order(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        push(tx, world, one, None, "a1")?;
        push(tx, world, one, None, "a2")?;
        push(tx, world, other, None, "b1")?;
        let sending = send_at(tx, 0)?;
        assert_eq!(names(&sending), ["a1", "b1"]);
        assert!(send_at(tx, 1)?.is_empty());
        let first = sending.first().unwrap();
        assert!(record(tx, first, AttemptOutcome::Retry { after: None }, 1)?);
        assert!(send_at(tx, 1)?.is_empty());
        let again = send_at(tx, 2)?;
        assert_eq!((names(&again), again.first().map(|one| one.attempts)), (vec!["a1"], Some(2)));
        assert!(record(tx, again.first().unwrap(), AttemptOutcome::Accepted, 2)?);
        assert_eq!(names(&send_at(tx, 2)?), ["a2"]);
        Ok(())
    })
    .await;
}

/// Two senders never have the same message.
pub async fn a_message_is_claimed_by_one(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")
    })
    .await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let store = store.clone();
        tasks.spawn(async move { store.write(|tx| send_at(tx, 0)).await.unwrap().len() });
    }
    let mut claimed = 0;
    while let Some(done) = tasks.join_next().await {
        claimed += done.unwrap();
    }
    assert_eq!(claimed, 1);
}

/// I-10: at most once, and the conversation goes on.
pub async fn an_unknown_message_holds_the_next_back_for_a_while_and_is_never_repeated(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")?;
        push(tx, world, conversation, None, "a2")?;
        let sending = send_at(tx, 0)?;
        assert!(record(tx, sending.first().unwrap(), AttemptOutcome::Unknown, 1)?);
        assert!(send_at(tx, 60)?.is_empty());
        let next = send_at(tx, 61)?;
        assert_eq!(names(&next), ["a2"]);
        assert!(record(tx, next.first().unwrap(), AttemptOutcome::Accepted, 61)?);
        assert!(send_at(tx, 1_000_000)?.is_empty());
        Ok(())
    })
    .await;
}

/// A sender died between the intent and the answer, so the outcome is unknown.
pub async fn an_attempt_that_was_cut_short_is_unknown(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")?;
        send_at(tx, 0)?;
        assert!(outbox::expire(tx, at(29), at(89))?.is_empty());
        assert_eq!(names(&outbox::expire(tx, at(30), at(90))?), ["a1"]);
        let [found] = outbox::of_conversation(tx, world.organization, conversation)?.try_into().unwrap();
        assert_eq!((found.state, found.not_before, found.deaths), (OutboxState::Unknown, at(90), 1));
        assert!(send_at(tx, 1_000_000)?.is_empty());
        outbox::retry(tx, world.organization, found.id, at(90))?;
        assert_eq!(send_at(tx, 100)?.len(), 1);
        assert_eq!(outbox::expire(tx, at(130), at(190))?.first().map(|lost| lost.deaths), Some(2));
        Ok(())
    })
    .await;
}

/// An answer belongs to its attempt.
pub async fn a_late_answer_still_counts_and_an_older_one_does_not(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")?;
        let [first] = send_at(tx, 0)?.try_into().unwrap();
        outbox::expire(tx, at(30), at(90))?;
        assert!(record(tx, &first, AttemptOutcome::Retry { after: None }, 31)?);
        let [second] = send_at(tx, 40)?.try_into().unwrap();
        assert!(!record(tx, &first, AttemptOutcome::Accepted, 41)?);
        outbox::expire(tx, at(70), at(130))?;
        assert!(record(tx, &second, AttemptOutcome::Accepted, 71)?);
        let [found] = outbox::of_conversation(tx, world.organization, conversation)?.try_into().unwrap();
        assert_eq!((found.state, found.provider_message.as_deref()), (OutboxState::Sent, Some("wamid.1")));
        Ok(())
    })
    .await;
}

/// I-14: what was given up has no place any more once something behind it has left.
pub async fn what_was_given_up_is_left_behind_by_what_leaves_after_it(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")?;
        push(tx, world, conversation, None, "a2")?;
        let [first] = send_at(tx, 0)?.try_into().unwrap();
        assert!(!outbox::is_left_behind(tx, &first)?);
        outbox::expire(tx, at(30), at(90))?;
        assert!(!outbox::is_left_behind(tx, &first)?, "nothing has left behind it");
        let [second] = send_at(tx, 90)?.try_into().unwrap();
        assert_eq!(second.correlation, "a2");
        assert!(outbox::is_left_behind(tx, &first)? && outbox::is_followed(tx, &first)?);
        assert!(!outbox::is_left_behind(tx, &second)?);
        assert!(record(tx, &second, AttemptOutcome::Refused, 91)?);
        assert!(!outbox::is_left_behind(tx, &first)?, "what was behind it did not leave");
        Ok(())
    })
    .await;
}

/// By the provider's name once it is known, before that by ours.
pub async fn a_status_finds_its_message_by_either_name(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")?;
        send_at(tx, 0)?;
        let account = ("whatsapp", "7001");
        let find = |tx: &mut Tx<'_>, ours: Option<&str>, theirs: &str| {
            outbox::find_for_status(tx, world.organization, account, ours, theirs)
        };
        assert_eq!(find(tx, None, "wamid.9")?, None);
        let mut found = find(tx, Some("a1"), "wamid.9")?.unwrap();
        found.state = OutboxState::Sent;
        found.provider_message = Some("wamid.9".to_owned());
        found.delivery = Some("delivered".to_owned());
        outbox::set_delivery(tx, &found, at(1))?;
        assert_eq!(find(tx, None, "wamid.9")?.and_then(|one| one.delivery).as_deref(), Some("delivered"));
        assert_eq!(find(tx, Some("a1"), "wamid.of another")?, None);
        let next = Next { state: OutboxState::Unknown, not_before: at(9) };
        assert!(!outbox::record(tx, &found, next, None, None, at(2))?);
        Ok(())
    })
    .await;
}

/// I-13: at most one reply set per turn.
pub async fn f_55_a_turn_has_one_set_of_messages(store: &Store) {
    let world = world(store, "a").await;
    let (conversation, turn) = write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        let turn = open_turn(tx, world.organization, conversation, now())?;
        push(tx, world, conversation, Some(turn), "a1")?;
        let found = web_chat::outgoing(tx, world.organization, "a1")?;
        assert_eq!(found, Some((conversation, "reply".to_owned())));
        assert_eq!(web_chat::outgoing(tx, world.organization, "a2")?, None);
        Ok((conversation, turn))
    })
    .await;
    let second = move |tx: &mut Tx<'_>| push(tx, world, conversation, Some(turn), "a2");
    assert!(store.write(second).await.is_err_and(|error| error.is_unique_violation()));
}

/// I-17: the human wins.
pub async fn what_is_pending_is_withdrawn_when_a_person_takes_over(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        let turn = open_turn(tx, world.organization, conversation, now())?;
        push(tx, world, conversation, None, "a1")?;
        push(tx, world, conversation, Some(turn), "a2")?;
        assert_eq!(names(&send_at(tx, 0)?), ["a1"]);
        let turns = outbox::withdraw(tx, world.organization, conversation, "a person took over", at(1))?;
        assert_eq!(turns, [turn]);
        let states: Vec<OutboxState> =
            outbox::of_conversation(tx, world.organization, conversation)?.into_iter().map(|one| one.state).collect();
        assert_eq!(states, [OutboxState::Sending, OutboxState::Dead]);
        Ok(())
    })
    .await;
}

/// A dead letter is not lost.
pub async fn staff_may_send_a_dead_message_again(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")?;
        let [sending] = send_at(tx, 0)?.try_into().unwrap();
        assert!(record(tx, &sending, AttemptOutcome::Refused, 1)?);
        let dead = outbox::list(tx, world.organization, OutboxState::Dead, 10)?;
        assert_eq!(names(&dead), ["a1"]);
        assert!(outbox::retry(tx, world.organization, sending.id, at(2))?);
        assert!(!outbox::retry(tx, world.organization, sending.id, at(2))?);
        let [again] = send_at(tx, 2)?.try_into().unwrap();
        assert_eq!((again.attempts, again.round, again.copy_name().as_str()), (2, 1, "a1~1"));
        assert!(again.is_earlier_copy("a1") && !again.is_earlier_copy("a1~1"));
        // The provider's name of the copy before is forgotten, and a status finds it by either of ours.
        assert!(record(tx, &again, AttemptOutcome::Accepted, 3)?);
        let account = ("whatsapp", "7001");
        let mut sent = outbox::find_for_status(tx, world.organization, account, None, "wamid.1")?.unwrap();
        (sent.state, sent.delivery) = (OutboxState::Dead, Some("failed".to_owned()));
        outbox::set_delivery(tx, &sent, at(4))?;
        assert!(outbox::retry(tx, world.organization, sending.id, at(5))?);
        let by = |tx: &mut Tx<'_>, ours| outbox::find_for_status(tx, world.organization, account, ours, "wamid.1");
        assert_eq!(by(tx, None)?, None);
        let found = by(tx, Some("a1~1"))?.unwrap();
        assert_eq!((found.id, found.delivery, found.provider_message), (sending.id, None, None));
        assert_eq!(by(tx, Some("a1"))?.map(|found| found.id), Some(sending.id));
        Ok(())
    })
    .await;
}

/// One organization's outbox is not there for another.
pub async fn tenants_have_outboxes_of_their_own(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let conversation = ripe(tx, ours, 0)?;
        push(tx, ours, conversation, None, "a1")?;
        assert!(outbox::of_conversation(tx, theirs.organization, conversation)?.is_empty());
        let account = ("whatsapp", "7001");
        assert_eq!(outbox::find_for_status(tx, theirs.organization, account, Some("a1"), "wamid.1")?, None);
        let [sending] = send_at(tx, 0)?.try_into().unwrap();
        assert!(record(tx, &sending, AttemptOutcome::Refused, 1)?);
        assert!(!outbox::retry(tx, theirs.organization, sending.id, at(2))?);
        Ok(())
    })
    .await;
}

/// Once, and only by the attempt that counts.
pub async fn a_template_takes_the_place_of_what_came_too_late_once(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a")?;
        let [first] = send_at(tx, 0)?.try_into().unwrap();
        assert_eq!((first.about.as_deref(), first.kind.as_str()), (Some("reminder:1"), "reply"));
        outbox::set_price(tx, world.organization, first.id, "service", 7, now())?;
        assert!(outbox::fall_back(tx, &first, "closed", at(1))?);
        assert!(!outbox::fall_back(tx, &first, "closed", at(1))?);
        let [second] = send_at(tx, 1)?.try_into().unwrap();
        assert_eq!((second.body.as_str(), second.fallback.as_deref()), ("{\"template\":1}", None));
        assert_eq!((second.attempts, second.price_micros), (2, None));
        assert!(!outbox::fall_back(tx, &second, "closed", at(2))?, "a template has no template");
        outbox::set_fallback(tx, &first, "{}")?;
        assert!(!outbox::fall_back(tx, &second, "closed", at(2))?, "an older attempt gives none");
        outbox::set_fallback(tx, &second, "{}")?;
        assert!(outbox::fall_back(tx, &second, "closed", at(2))?);
        Ok(())
    })
    .await;
}

/// A bill is what was sent, or is being sent, by one account since an instant.
pub async fn a_price_is_known_before_and_the_dead_cost_nothing(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        let account = ("whatsapp", "7001");
        for (number, name) in (0_i64..).zip(["a", "b", "c"]) {
            push(tx, world, conversation, None, name)?;
            let [one] = send_at(tx, number)?.try_into().unwrap();
            let category = if name == "b" { "utility" } else { "service" };
            outbox::set_price(tx, world.organization, one.id, category, 1_000 + number, at(number))?;
            let outcome = if name == "c" { AttemptOutcome::Refused } else { AttemptOutcome::Accepted };
            record(tx, &one, outcome, number)?;
        }
        let bill = |tx: &mut Tx<'_>, account, since| outbox::bill(tx, world.organization, account, "service", since);
        assert_eq!(bill(tx, account, now())?, Bill { messages: 1, micros: 2_001 });
        assert_eq!(bill(tx, account, at(1))?, Bill { messages: 0, micros: 1_001 });
        assert_eq!(bill(tx, ("whatsapp", "7002"), now())?, Bill::default());
        // The provider bills the first as something else, and the second, which began at an advertisement, not at all.
        let sent = outbox::of_conversation(tx, world.organization, conversation)?;
        let (first, second) = (sent.first().unwrap(), sent.get(1).unwrap());
        outbox::learn_price(tx, world.organization, first.id, Some("utility"), None)?;
        outbox::learn_price(tx, world.organization, second.id, None, Some(0))?;
        assert_eq!(bill(tx, account, now())?, Bill { messages: 0, micros: 1_000 });
        let utility = delivery::Cost { category: "utility".to_owned(), messages: 2, micros: 1_000 };
        assert_eq!(delivery::costs(tx, world.organization, now())?, std::slice::from_ref(&utility));
        // What was taken for free is on the bill after all.
        outbox::learn_price(tx, world.organization, second.id, Some("utility"), Some(70))?;
        assert_eq!(delivery::costs(tx, world.organization, now())?, [delivery::Cost { micros: 1_070, ..utility }]);
        assert_eq!(delivery::costs(tx, world.organization, at(5))?, []);
        assert_eq!(outbox::count_of_kind(tx, world.organization, conversation, "reply", now())?, 2);
        assert_eq!(outbox::count_of_kind(tx, world.organization, conversation, "reminder", now())?, 0);
        Ok(())
    })
    .await;
}

/// A name that was offered elsewhere, or never, is nothing.
pub async fn what_may_be_chosen_counts_in_its_conversation_for_a_while(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (conversation, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        let new = NewChoice { conversation, name: "balcao:1", words: "às 10h", expires_at: at(60) };
        choice::insert(tx, world.organization, &new, now())?;
        choice::insert(tx, world.organization, &NewChoice { words: "às 11h", ..new }, now())?;
        let found = |tx: &mut Tx<'_>, place| choice::find(tx, world.organization, place, "balcao:1");
        assert_eq!(found(tx, conversation)?, Some(("às 10h".to_owned(), at(60))));
        assert_eq!(found(tx, other)?, None);
        assert_eq!(choice::sweep(tx, at(60))?, 0);
        assert_eq!(choice::sweep(tx, at(61))?, 1);
        assert_eq!(found(tx, conversation)?, None);
        Ok(())
    })
    .await;
}

/// An upload takes longer than a send, so the sender extends its claim. A sender whose claim expired does not send.
pub async fn a_message_is_held_while_its_file_is_handed_in_and_only_by_whoever_has_it(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a")?;
        let [first] = send_at(tx, 0)?.try_into().unwrap();
        assert!(outbox::extend(tx, &first, at(150))?);
        assert_eq!(send_at(tx, 149)?, [], "it is being handed in");
        assert!(outbox::set_body(tx, &first, "{\"there\":1}")?);
        assert_eq!(outbox::expire(tx, at(150), at(150))?.len(), 1);
        assert!(!outbox::extend(tx, &first, at(300))?);
        assert!(!outbox::set_body(tx, &first, "{\"late\":1}")?);
        assert!(outbox::retry(tx, world.organization, first.id, at(151))?);
        let [second] = send_at(tx, 152)?.try_into().unwrap();
        assert_eq!((second.attempts, second.body.as_str()), (2, "{\"there\":1}"));
        assert!(!outbox::extend(tx, &first, at(300))?, "an older attempt has it no more");
        Ok(())
    })
    .await;
}

/// Later replies and messages that have not left go to the contact's new address; a message that arrived keeps its old one.
pub async fn what_has_not_left_follows_whoever_moved(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        for name in ["a1", "a2", "a3"] {
            push(tx, world, one, None, name)?;
        }
        push(tx, world, other, None, "b1")?;
        let first = send_at(tx, 0)?.remove(0);
        assert!(record(tx, &first, AttemptOutcome::Accepted, 1)?);
        assert_eq!(names(&send_at(tx, 1)?), ["a2"]);
        lease::readdress(tx, world.organization, one, "{\"user\":\"BR.2\"}")?;
        let to = |all: Vec<Outbox>| all.into_iter().map(|one| one.recipient).collect::<Vec<_>>();
        let new = "{\"user\":\"BR.2\"}";
        assert_eq!(to(outbox::of_conversation(tx, world.organization, one)?), ["{}", new, new]);
        assert_eq!(to(outbox::of_conversation(tx, world.organization, other)?), ["{}"]);
        let route = lease::route(tx, world.organization, one)?.unwrap();
        assert_eq!(route.recipient, new);
        Ok(())
    })
    .await;
}

/// A message is sent again once per attempt. The store also closes the window that the provider closed, and records one opt-out.
pub async fn what_did_not_arrive_is_sent_anew_as_another_copy(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        push(tx, world, conversation, None, "a1")?;
        let first = send_at(tx, 0)?.remove(0);
        outbox::set_price(tx, world.organization, first.id, "service", 7, now())?;
        assert!(record(tx, &first, AttemptOutcome::Accepted, 1)?);
        assert!(outbox::send_anew(tx, &first, Some("{\"number\":\"1\"}"), "not reached", at(2), at(2))?);
        assert!(!outbox::send_anew(tx, &first, None, "not reached", at(2), at(2))?, "it waits already");
        let second = send_at(tx, 2)?.remove(0);
        assert_eq!((second.round, second.respelled, second.recipient.as_str()), (1, true, "{\"number\":\"1\"}"));
        assert_eq!((second.provider_message.as_deref(), second.price_micros), (None, None));
        assert!(!outbox::send_anew(tx, &first, None, "an older attempt", at(3), at(3))?);
        assert!(outbox::send_anew(tx, &second, None, "closed", at(3), at(3))?);
        outbox::reword(tx, &second, "{\"plain\":1}")?;
        let third = send_at(tx, 3)?.remove(0);
        assert!(third.respelled, "it stays at the spelling");
        outbox::reword(tx, &third, "{\"late\":1}")?;
        let [kept] = outbox::of_conversation(tx, world.organization, conversation)?.try_into().unwrap();
        assert_eq!(kept.body, "{\"plain\":1}", "what is being sent keeps its words");
        let wrote = |tx: &mut Tx<'_>| {
            let route = lease::route(tx, world.organization, conversation)?.unwrap();
            Ok::<_, StoreError>(route.customer_wrote_at)
        };
        let mut route = lease::route(tx, world.organization, conversation)?.unwrap();
        route.customer_wrote_at = Some(at(5));
        lease::set_route(tx, world.organization, conversation, &route)?;
        lease::close_window(tx, world.organization, conversation, at(5))?;
        assert_eq!(wrote(tx)?, Some(at(5)), "they wrote after it");
        lease::close_window(tx, world.organization, conversation, at(6))?;
        assert_eq!(wrote(tx)?, None);
        for second in [7, 8] {
            conversation::opt_out(tx, world.organization, conversation, at(second))?;
        }
        assert_eq!(conversation::get(tx, world.organization, conversation)?.opted_out_at, Some(at(7)));
        Ok(())
    })
    .await;
}

/// The message that is named, else the reply of the turn; what came in has none.
pub async fn a_message_of_the_thread_is_known_by_what_leaves_of_it(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = ripe(tx, world, 0)?;
        let turn = open_turn(tx, world.organization, conversation, now())?;
        let mut say = |author, turn| {
            let new = NewMessage { conversation, turn, author, text: "oi", subject: None };
            message::insert(tx, world.organization, &new, now())
        };
        let (came, reply, staff) =
            (say(Author::Contact, Some(turn))?, say(Author::Agent, Some(turn))?, say(Author::Staff, None)?);
        push(tx, world, conversation, Some(turn), "a1")?;
        let second = NewOutbox { message: Some(staff), ..named(conversation, None, "a2") };
        outbox::push(tx, world.organization, &second, now())?;
        let first = send_at(tx, 0)?.remove(0);
        assert!(record(tx, &first, AttemptOutcome::Accepted, 1)?);
        let parts = delivery::of_messages(tx, world.organization, conversation, came, staff)?;
        let known: Vec<_> = parts.iter().map(|part| (part.message, part.state)).collect();
        assert_eq!(known, [(reply, OutboxState::Sent), (staff, OutboxState::Pending)]);
        assert!(parts.iter().all(|part| (part.category.as_ref(), part.price_micros) == (None, None)));
        outbox::set_price(tx, world.organization, first.id, "service", 7, now())?;
        let priced = delivery::of_messages(tx, world.organization, conversation, reply, reply)?.remove(0);
        assert_eq!((priced.category.as_deref(), priced.price_micros), (Some("service"), Some(7)));
        assert!(delivery::of_messages(tx, world.organization, conversation, came, came)?.is_empty());
        Ok(())
    })
    .await;
}
