//! What every database must do for what is watched: figures, rescues, dead letters, outgoing webhooks. Each function is one
//! case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::lease::Verdict;
use balcao_domain::outbox::{AttemptOutcome, SETTLE, after_attempt};
use balcao_domain::{ConversationId, OutboxId};
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::ops::backlog::{self, Waiting};
use balcao_store::ops::webhook::{self, Attempted};
use balcao_store::turns::lease::{self, LeaseRequest, LeasedConversation};
use balcao_store::{Store, StoreError, Tx, messaging::handoff, turns::event};

use super::Case;
use super::delivery::{at, ripe, write};
use super::store::{World, now, open_turn, world};

cases!(
    what_waits_is_counted_and_its_age_told,
    what_waits_too_long_is_leased_to_be_handed_over_once,
    what_is_not_ripe_yet_is_not_stuck,
    what_failed_is_listed_until_staff_let_it_be,
    an_event_is_one_delivery_for_each_endpoint_that_is_known,
    a_webhook_is_delivered_by_one_and_comes_again_after_a_death,
    a_webhook_that_was_given_up_can_be_delivered_once_more,
    a_webhook_that_the_program_died_at_three_times_is_given_up,
    deaths_at_webhooks_of_one_endpoint_are_taken_back,
    tenants_are_told_of_their_own,
);

pub(super) fn receive(
    tx: &mut Tx<'_>,
    world: World,
    conversation: ConversationId,
    key: &str,
    seconds: i64,
) -> Result<(), StoreError> {
    let new = NewInbox {
        channel: "whatsapp",
        account: "7001",
        key,
        kind: "message",
        conversation: Some(conversation),
        provider_message: Some(key),
        text: Some("oi"),
        payload: "{}",
        provider_at: None,
        ignored: None,
    };
    inbox::insert(tx, world.organization, &new, at(seconds)).map(drop)
}

pub(super) fn push(
    tx: &mut Tx<'_>,
    world: World,
    conversation: ConversationId,
    name: &str,
) -> Result<OutboxId, StoreError> {
    let new = NewOutbox {
        conversation,
        turn: None,
        message: None,
        part: 1,
        kind: "reply",
        channel: "whatsapp",
        account: "7001",
        recipient: "{}",
        body: "{}",
        correlation: name,
        about: None,
        fallback: None,
    };
    outbox::push(tx, world.organization, &new, now())
}

/// Each figure is of what waits, and of nothing else.
pub async fn what_waits_is_counted_and_its_age_told(store: &Store) {
    let world = world(store, "a").await;
    let figures = write(store, move |tx| {
        assert_eq!(backlog::read(tx, now())?, backlog::Figures::default());
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        receive(tx, world, one, "m1", 5)?;
        receive(tx, world, one, "m2", 3)?;
        let opened = open_turn(tx, world.organization, one, at(6))?;
        inbox::assign(tx, world.organization, one, opened, 1)?;
        for name in ["a1", "a2"] {
            push(tx, world, one, name)?;
        }
        push(tx, world, other, "b1")?;
        let claimed = outbox::claim(tx, "claim", at(1), at(31), 10)?;
        let first = claimed.iter().find(|one| one.correlation == "a1").unwrap();
        let dead = after_attempt(AttemptOutcome::Refused, 1, 0, SETTLE, at(1));
        outbox::record(tx, first, dead, None, Some("no"), at(1))?;
        let new = handoff::NewHandoff {
            conversation: other,
            turn: None,
            reason: "asked",
            summary: None,
            note: None,
            assigned_staff: None,
        };
        handoff::insert(tx, world.organization, &new, at(7))?;
        backlog::read(tx, at(60))
    })
    .await;
    assert_eq!(figures.inbox, Waiting { count: 2, since: Some(at(3)) });
    assert_eq!(figures.inbox.age(at(60)), 57);
    assert_eq!(figures.due, Waiting { count: 2, since: Some(now()) });
    assert_eq!((figures.open_turns, figures.dead, figures.unknown), (1, 1, 0));
    assert_eq!((figures.pending.count, figures.sending.count), (1, 1));
    assert_eq!(figures.unsent(), Waiting { count: 2, since: Some(now()) });
    assert_eq!(figures.handoffs, Waiting { count: 1, since: Some(at(7)) });
    assert_eq!(figures.untaken, Waiting::default(), "nobody waits for a person");
    assert_eq!((figures.due(), figures.webhooks, figures.dead_webhooks), (Waiting::default(), Waiting::default(), 0));
}

fn stuck(tx: &mut Tx<'_>, seconds: i64) -> Result<Vec<LeasedConversation>, StoreError> {
    let request =
        LeaseRequest { owner: "watchdog", now: at(seconds), until: at(seconds + 30), limit: 10, suspects: 10 };
    lease::lease_stuck(tx, &request, at(seconds - 60), at(seconds - 120))
}

/// I-16: each row is a reason once, even if the process that leased the conversation died. The next lease holder hands the conversation over, too.
pub async fn what_waits_too_long_is_leased_to_be_handed_over_once(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        receive(tx, world, one, "m1", 0)?;
        receive(tx, world, other, "m2", 30)?;
        assert!(stuck(tx, 59)?.is_empty());
        let request = LeaseRequest { owner: "a", now: at(59), until: at(89), limit: 1, suspects: 1 };
        assert_eq!(lease::lease_due(tx, &request)?.len(), 1);
        assert!(stuck(tx, 61)?.is_empty(), "somebody works on it");
        let mut leased = stuck(tx, 90)?;
        assert_eq!(leased.iter().map(|one| one.lease.conversation).collect::<Vec<_>>(), [other]);
        assert!(stuck(tx, 119)?.is_empty(), "who was left behind waits for others of that kind");
        leased.extend(stuck(tx, 120)?);
        assert_eq!(leased.iter().map(|one| one.lease.conversation).collect::<Vec<_>>(), [other, one]);
        assert!(leased.iter().all(|one| one.attempts.verdict() == Verdict::HandOver));
        assert!(stuck(tx, 200)?.is_empty(), "it was rescued once");
        let request = LeaseRequest { owner: "b", now: at(200), until: at(230), limit: 10, suspects: 10 };
        let again = lease::lease_due(tx, &request)?;
        assert!(again.len() == 2 && again.iter().all(|one| one.attempts.verdict() == Verdict::HandOver));
        Ok(())
    })
    .await;
}

/// What waits for a file, or for more of what the customer writes, has not waited until it is ripe.
pub async fn what_is_not_ripe_yet_is_not_stuck(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let one = ripe(tx, world, 0)?;
        receive(tx, world, one, "m1", 0)?;
        lease::set_due(tx, world.organization, one, Some(at(65)))?;
        assert!(stuck(tx, 124)?.is_empty());
        assert_eq!(stuck(tx, 125)?.len(), 1);
        Ok(())
    })
    .await;
}

/// What staff let be is out of the list and the figures; sent again, it is a message as any other.
pub async fn what_failed_is_listed_until_staff_let_it_be(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = ripe(tx, world, 0)?;
        let mut ids = Vec::new();
        for (name, outcome) in
            [("a1", AttemptOutcome::Refused), ("a2", AttemptOutcome::Refused), ("a3", AttemptOutcome::Unknown)]
        {
            ids.push(push(tx, world, conversation, name)?);
            let [claimed] = outbox::claim(tx, "claim", at(1), at(31), 10)?.try_into().unwrap();
            outbox::record(tx, &claimed, after_attempt(outcome, 1, 0, SETTLE, at(1)), None, Some("why"), at(2))?;
        }
        let listed = |tx: &mut Tx<'_>, all, before, limit| {
            let found = outbox::list_failed(tx, organization, all, before, limit)?;
            Ok::<Vec<OutboxId>, StoreError>(found.into_iter().map(|one| one.message.id).collect())
        };
        let [first, second, third] = ids.try_into().unwrap();
        assert_eq!(listed(tx, false, None, 10)?, [third, second, first]);
        assert_eq!(listed(tx, false, Some(third), 1)?, [second]);
        assert!(outbox::give_up(tx, organization, first, at(9))?);
        assert!(!outbox::give_up(tx, organization, first, at(10))?);
        assert_eq!(
            (listed(tx, false, None, 10)?, listed(tx, true, None, 10)?),
            (vec![third, second], vec![third, second, first])
        );
        let one = outbox::find_failed(tx, organization, first)?.unwrap();
        assert_eq!(
            (one.message.kind.as_str(), one.message.created_at, one.changed_at, one.given_up_at),
            ("reply", now(), at(2), Some(at(9)))
        );
        let figures = backlog::read(tx, at(10))?;
        assert_eq!((figures.dead, figures.unknown), (1, 1));
        assert!(outbox::retry(tx, organization, first, at(11))?);
        assert_eq!(outbox::find_failed(tx, organization, first)?, None);
        assert!(!outbox::give_up(tx, organization, first, at(12))?, "it waits to be sent");
        Ok(())
    })
    .await;
}

fn happens(tx: &mut Tx<'_>, world: World, kind: &str) -> Result<(), StoreError> {
    event::push(tx, world.organization, kind, "apt_1", "{}", now())
}

fn enqueue_deliveries(tx: &mut Tx<'_>, world: World, endpoint: &str, limit: u32) -> Result<usize, StoreError> {
    webhook::fan_out(tx, world.organization, endpoint, limit, at(1), |event| {
        (event.kind != "unwanted").then(|| event.kind.clone())
    })
}

fn claim(tx: &mut Tx<'_>, world: World, seconds: i64) -> Result<Vec<webhook::Delivery>, StoreError> {
    webhook::claim(tx, world.organization, at(seconds), at(seconds + 60), 10)
}

/// An endpoint receives no event from before it was known, and the cursor passes over the events that it does not want.
pub async fn an_event_is_one_delivery_for_each_endpoint_that_is_known(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        happens(tx, world, "before")?;
        assert!(webhook::is_behind(tx, world.organization, "crm")?);
        assert_eq!(enqueue_deliveries(tx, world, "crm", 10)?, 0);
        assert!(!webhook::is_behind(tx, world.organization, "crm")?);
        for kind in ["one", "unwanted", "two"] {
            happens(tx, world, kind)?;
        }
        assert!(webhook::is_behind(tx, world.organization, "crm")?);
        assert_eq!(
            (
                enqueue_deliveries(tx, world, "crm", 2)?,
                enqueue_deliveries(tx, world, "crm", 2)?,
                enqueue_deliveries(tx, world, "crm", 2)?
            ),
            (2, 1, 0)
        );
        assert_eq!(enqueue_deliveries(tx, world, "new", 10)?, 0);
        let bodies: Vec<String> = claim(tx, world, 1)?.into_iter().map(|one| one.body).collect();
        assert_eq!(bodies, ["one", "two"]);
        Ok(())
    })
    .await;
}

/// A claim counts the attempt; an answer that comes after the next claim changes nothing.
pub async fn a_webhook_is_delivered_by_one_and_comes_again_after_a_death(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        enqueue_deliveries(tx, world, "crm", 10)?;
        happens(tx, world, "one")?;
        enqueue_deliveries(tx, world, "crm", 10)?;
        assert!(webhook::is_due(tx, organization, at(1))?);
        let [late] = claim(tx, world, 1)?.try_into().unwrap();
        assert!(claim(tx, world, 60)?.is_empty() && !webhook::is_due(tx, organization, at(60))?);
        assert!(webhook::is_due(tx, organization, at(61))?);
        let [second] = claim(tx, world, 61)?.try_into().unwrap();
        assert_eq!((second.id, second.attempts), (late.id, 2));
        assert!(!webhook::record(tx, &late, Attempted::Delivered, at(62))?);
        assert!(webhook::record(tx, &second, Attempted::Again { at: at(100), failure: "500" }, at(62))?);
        assert!(claim(tx, world, 99)?.is_empty());
        let [third] = claim(tx, world, 100)?.try_into().unwrap();
        assert_eq!(third.failure.as_deref(), Some("500"));
        assert_eq!(backlog::read(tx, at(100))?.webhooks.count, 0);
        assert!(webhook::record(tx, &third, Attempted::Delivered, at(101))?);
        assert!(claim(tx, world, 100_000)?.is_empty());
        Ok(())
    })
    .await;
}

/// Staff may send a webhook again; the count of attempts starts at zero.
pub async fn a_webhook_that_was_given_up_can_be_delivered_once_more(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        enqueue_deliveries(tx, world, "crm", 10)?;
        happens(tx, world, "one")?;
        enqueue_deliveries(tx, world, "crm", 10)?;
        let [first] = claim(tx, world, 1)?.try_into().unwrap();
        assert!(webhook::record(tx, &first, Attempted::Dead { failure: "410" }, at(2))?);
        let dead = webhook::dead(tx, organization, 10)?;
        assert_eq!(dead.iter().map(|one| one.failure.as_deref()).collect::<Vec<_>>(), [Some("410")]);
        let figures = backlog::read(tx, at(3))?;
        assert_eq!((figures.dead_webhooks, figures.crashed_webhooks), (1, Waiting::default()));
        assert_eq!(webhook::retry(tx, organization, Some("other"), at(4))?, 0);
        assert_eq!(webhook::retry(tx, organization, None, at(4))?, 1);
        assert_eq!(claim(tx, world, 5)?.first().map(|one| one.attempts), Some(1));
        Ok(())
    })
    .await;
}

/// Only an attempt that does not end counts as a death.
pub async fn a_webhook_that_the_program_died_at_three_times_is_given_up(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        enqueue_deliveries(tx, world, "crm", 10)?;
        happens(tx, world, "one")?;
        enqueue_deliveries(tx, world, "crm", 10)?;
        for second in [100, 200] {
            assert_eq!(claim(tx, world, second)?.len(), 1);
        }
        let [third] = claim(tx, world, 300)?.try_into().unwrap();
        assert!(webhook::record(tx, &third, Attempted::Again { at: at(350), failure: "500" }, at(301))?);
        for second in [400, 500, 600] {
            assert_eq!(claim(tx, world, second)?.len(), 1, "{second}");
        }
        assert!(claim(tx, world, 700)?.is_empty());
        let crashed = Waiting { count: 1, since: Some(at(700)) };
        assert_eq!(backlog::read(tx, at(701))?.crashed_webhooks, crashed);
        let dead = webhook::dead(tx, organization, 10)?;
        assert!(
            dead.iter().all(|one| one.failure.as_ref().is_some_and(|failure| failure.contains("the program ended")))
        );
        assert_eq!((dead.len(), webhook::retry(tx, organization, None, at(701))?), (1, 1));
        assert_eq!(backlog::read(tx, at(701))?.crashed_webhooks, Waiting::default());
        assert_eq!(claim(tx, world, 702)?.len(), 1);
        assert_eq!(claim(tx, world, 800)?.len(), 1, "the count of deaths starts at zero, too");
        Ok(())
    })
    .await;
}

/// What was given up stays so, and the deaths at another endpoint count on.
pub async fn deaths_at_webhooks_of_one_endpoint_are_taken_back(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        for endpoint in ["crm", "shop"] {
            enqueue_deliveries(tx, world, endpoint, 10)?;
        }
        happens(tx, world, "one")?;
        for endpoint in ["crm", "shop"] {
            enqueue_deliveries(tx, world, endpoint, 10)?;
        }
        assert_eq!(webhook::crashed_endpoints(tx, organization)?, Vec::<String>::new());
        let mut second = 100;
        while webhook::dead(tx, organization, 10)?.len() < 2 {
            assert!(second < 2_000, "each is given up after three deaths");
            claim(tx, world, second)?;
            second += 100;
        }
        assert_eq!(webhook::crashed_endpoints(tx, organization)?, ["crm", "shop"]);
        assert_eq!(webhook::take_back_deaths(tx, organization, "crm")?, 1);
        assert_eq!(webhook::crashed_endpoints(tx, organization)?, ["shop"]);
        let figures = backlog::read(tx, at(second))?;
        assert_eq!((figures.dead_webhooks, figures.crashed_webhooks.count), (2, 1));
        Ok(())
    })
    .await;
}

/// Nothing of one organization is in what another reads.
pub async fn tenants_are_told_of_their_own(store: &Store) {
    let (one, other) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        for world in [one, other] {
            enqueue_deliveries(tx, world, "crm", 10)?;
            happens(tx, world, "one")?;
            enqueue_deliveries(tx, world, "crm", 10)?;
        }
        let theirs = claim(tx, one, 1)?;
        assert!(theirs.len() == 1 && theirs.iter().all(|delivery| delivery.organization == one.organization));
        let conversation = ripe(tx, one, 0)?;
        let id = push(tx, one, conversation, "a1")?;
        let [claimed] = outbox::claim(tx, "claim", at(1), at(31), 10)?.try_into().unwrap();
        outbox::record(tx, &claimed, after_attempt(AttemptOutcome::Refused, 1, 0, SETTLE, at(1)), None, None, at(2))?;
        assert_eq!(outbox::find_failed(tx, other.organization, id)?, None);
        assert!(outbox::list_failed(tx, other.organization, true, None, 10)?.is_empty());
        assert!(!outbox::give_up(tx, other.organization, id, at(3))?);
        Ok(())
    })
    .await;
}
