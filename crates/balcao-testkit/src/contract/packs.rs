//! What every database must do with what services of packs tell of. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::OrganizationId;
use balcao_domain::inbox::{InboxState, Speaker};
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::ops::backlog;
use balcao_store::ops::pack_delivery::{self, Arrived};
use balcao_store::ops::pack_delivery_command::{self, ClaimedCommand, FailedAttempt, NewCommand};
use balcao_store::ops::retention::{self, RetentionKind};
use balcao_store::{Store, StoreError, Tx, turns::event, turns::turn};

use super::Case;
use super::delivery::{at, message, ripe, write};
use super::store::{now, open_turn, world};
use super::talk::closing;

cases!(
    a_delivery_and_a_change_are_taken_once_for_ever,
    a_delivery_without_a_name_is_a_repeat_for_a_short_while_only,
    a_delivery_becomes_one_event_and_forgets_what_was_sent,
    a_delivery_that_cannot_be_read_is_tried_again_and_then_given_up,
    a_delivery_that_the_program_died_at_three_times_is_set_aside,
    a_delivery_starts_one_command_whose_end_is_recorded_once,
    a_command_that_was_begun_three_times_without_an_end_is_set_aside,
    commands_in_hand_at_a_death_run_one_at_a_time,
    what_services_tell_waits_for_the_contact_and_shares_no_turn,
);

const fn told(once: &'static str, change: Option<&'static str>) -> Arrived<'static> {
    Arrived { pack: "clickup", once, named: true, change, body: "{}" }
}

/// Each organization and each pack has its own deliveries and changes. A delivery without a change is identified by its own name alone.
pub async fn a_delivery_and_a_change_are_taken_once_for_ever(store: &Store) {
    let (ours, theirs) = (world(store, "a").await.organization, world(store, "b").await.organization);
    write(store, move |tx| {
        assert!(pack_delivery::accept(tx, ours, told("created", Some("h1")), at(0))?);
        assert!(!pack_delivery::accept(tx, ours, told("created", Some("h1")), at(1))?, "sent again");
        assert!(!pack_delivery::accept(tx, ours, told("updated", Some("h1")), at(1))?, "the same change");
        assert!(pack_delivery::accept(tx, ours, told("updated", Some("h2")), at(1))?);
        assert!(pack_delivery::accept(tx, ours, told("deleted 1", None), at(1))?);
        assert!(pack_delivery::accept(tx, ours, told("deleted 2", None), at(1))?);
        assert!(pack_delivery::accept(tx, theirs, told("created", Some("h1")), at(1))?);
        let other = Arrived { pack: "orders", ..told("created", Some("h1")) };
        assert!(pack_delivery::accept(tx, ours, other, at(1))?);
        let first = pack_delivery::take(tx, ours, at(0), at(100), 10)?;
        assert_eq!(first.len(), 1);
        assert_eq!(pack_delivery::take(tx, ours, at(1), at(100), 2)?.len(), 2);
        assert_eq!(pack_delivery::take(tx, ours, at(1), at(100), 10)?.len(), 2);
        assert!(!pack_delivery::is_due(tx, ours, at(99))?, "somebody has them");
        assert!(pack_delivery::is_due(tx, ours, at(100))?);
        assert!(pack_delivery::hand_on(tx, ours, first.first().map(|one| one.id).unwrap(), "{}", at(2))?);
        assert!(!pack_delivery::accept(tx, ours, told("created", Some("h1")), at(9_000))?, "also after that");
        Ok(())
    })
    .await;
}

/// An attempt that ends, well or badly, is none that the program died at.
pub async fn a_delivery_that_the_program_died_at_three_times_is_set_aside(store: &Store) {
    let ours = world(store, "a").await.organization;
    write(store, move |tx| {
        let arrived = |once| Arrived { pack: "clickup", once, named: true, change: None, body: "{}" };
        assert!(pack_delivery::accept(tx, ours, arrived("deadly"), at(0))?);
        for time in [0, 100, 200] {
            assert_eq!(pack_delivery::set_aside(tx, ours, at(time))?, 0);
            assert_eq!(pack_delivery::take(tx, ours, at(time), at(time + 100), 10)?.len(), 1);
        }
        assert_eq!(pack_delivery::set_aside(tx, ours, at(299))?, 0, "somebody may still read it");
        assert_eq!(backlog::read(tx, at(299))?.deliveries().count, 0);
        assert_eq!((pack_delivery::set_aside(tx, ours, at(300))?, pack_delivery::failed(tx, ours)?), (1, 1));
        let told = |tx: &mut Tx<'_>, second| Ok::<_, StoreError>(backlog::read(tx, at(second))?.deliveries());
        assert_eq!((told(tx, 301)?.count, told(tx, 301)?.since), (1, Some(at(300))));
        assert_eq!(told(tx, 300 + 86_400)?.count, 0, "it is told for a day");
        assert!(!pack_delivery::is_due(tx, ours, at(9_000))?);
        assert!(pack_delivery::accept(tx, ours, arrived("hard to read"), at(300))?);
        for time in [300, 400, 500, 600] {
            assert_eq!(pack_delivery::set_aside(tx, ours, at(time))?, 0);
            let taken = pack_delivery::take(tx, ours, at(time), at(time + 50), 10)?.remove(0);
            pack_delivery::fail(tx, ours, taken.id, "no worker", Some(at(time + 100)))?;
        }
        Ok(())
    })
    .await;
}

/// Wherever in an hour of the clock it comes, and whatever was read of it meanwhile. A change is one for ever all the same.
pub async fn a_delivery_without_a_name_is_a_repeat_for_a_short_while_only(store: &Store) {
    let (ours, theirs) = (world(store, "a").await.organization, world(store, "b").await.organization);
    let within = pack_delivery::REPEATED_WITHIN.as_secs();
    let bytes = |once| Arrived { named: false, ..told(once, None) };
    write(store, move |tx| {
        for (first, of) in [(0, "a folder"), (within / 2, "a space"), (within - 1, "a list")] {
            assert!(pack_delivery::accept(tx, ours, bytes(of), at(first))?, "{of}");
            for later in [0, 60, within / 2, within - 1] {
                assert!(!pack_delivery::accept(tx, ours, bytes(of), at(first + later))?, "{of}, {later} seconds later");
            }
            assert!(pack_delivery::accept(tx, ours, bytes(of), at(first + within))?, "{of}, again");
            assert!(!pack_delivery::accept(tx, ours, bytes(of), at(first + within + 60))?, "{of}, again, repeated");
            assert!(pack_delivery::accept(tx, ours, bytes(of), at(first + 9 * within))?, "{of}, hours later");
        }
        assert!(pack_delivery::accept(tx, theirs, bytes("a folder"), at(1))?);
        assert!(pack_delivery::accept(tx, ours, Arrived { pack: "orders", ..bytes("a folder") }, at(1))?);
        assert!(pack_delivery::accept(tx, ours, told("a folder", None), at(1))?, "a name differs from bytes");
        let change = |once| Arrived { named: false, ..told(once, Some("h1")) };
        assert!(pack_delivery::accept(tx, ours, change("a task"), at(1))?);
        assert!(!pack_delivery::accept(tx, ours, change("a task"), at(9 * within))?, "the same change");
        Ok(())
    })
    .await;
}

/// A second caller changes nothing, and another organization cannot hand the delivery on.
pub async fn a_delivery_becomes_one_event_and_forgets_what_was_sent(store: &Store) {
    let (ours, theirs) = (world(store, "a").await.organization, world(store, "b").await.organization);
    write(store, move |tx| {
        pack_delivery::accept(tx, ours, Arrived { body: "{\"a\":1}", ..told("x", None) }, at(0))?;
        let waiting = pack_delivery::take(tx, ours, at(0), at(50), 10)?.remove(0);
        assert_eq!((waiting.pack.as_str(), waiting.body.as_str(), waiting.attempts), ("clickup", "{\"a\":1}", 0));
        assert!(!pack_delivery::hand_on(tx, theirs, waiting.id, "{}", at(1))?);
        assert!(pack_delivery::hand_on(tx, ours, waiting.id, "{\"pack\":\"clickup\"}", at(1))?);
        assert!(!pack_delivery::hand_on(tx, ours, waiting.id, "{}", at(2))?);
        assert!(pack_delivery::take(tx, ours, at(9), at(59), 10)?.is_empty());
        let events = event::waiting(tx, 100)?;
        let mut ours_of: Vec<_> = events.into_iter().filter(|one| one.kind == pack_delivery::EVENT).collect();
        let only = ours_of.pop().unwrap();
        assert_eq!((only.organization, only.subject), (ours, format!("pde_{}", waiting.id)));
        assert_eq!((only.payload.as_str(), ours_of.len()), ("{\"pack\":\"clickup\"}", 0));
        Ok(())
    })
    .await;
}

/// It waits in between; what was given up keeps what was sent until that is old.
pub async fn a_delivery_that_cannot_be_read_is_tried_again_and_then_given_up(store: &Store) {
    let ours = world(store, "a").await.organization;
    write(store, move |tx| {
        pack_delivery::accept(tx, ours, told("x", None), at(0))?;
        let id = pack_delivery::take(tx, ours, at(0), at(50), 10)?.remove(0).id;
        pack_delivery::fail(tx, ours, id, "no worker", Some(at(60)))?;
        assert!(pack_delivery::take(tx, ours, at(59), at(109), 10)?.is_empty());
        assert_eq!(pack_delivery::take(tx, ours, at(60), at(110), 10)?.remove(0).attempts, 1);
        assert_eq!(pack_delivery::failed(tx, ours)?, 0);
        pack_delivery::fail(tx, ours, id, "no worker", None)?;
        assert!(pack_delivery::take(tx, ours, at(9_000), at(9_050), 10)?.is_empty());
        assert_eq!(pack_delivery::failed(tx, ours)?, 1);
        assert!(!pack_delivery::hand_on(tx, ours, id, "{}", at(61))?, "it was given up");
        assert_eq!(retention::count(tx, ours, RetentionKind::PackDelivery, at(0))?, 0);
        assert_eq!(retention::delete(tx, ours, RetentionKind::PackDelivery, at(1), 10)?, 1);
        assert_eq!(retention::delete(tx, ours, RetentionKind::PackDelivery, at(1), 10)?, 0, "once");
        assert!(!pack_delivery::accept(tx, ours, told("x", None), at(9_000))?, "that it came stays");
        Ok(())
    })
    .await;
}

/// The one delivery of an organization that starts a command, by its number.
fn started(tx: &mut Tx<'_>, organization: OrganizationId, once: &'static str) -> Result<i64, StoreError> {
    pack_delivery::accept(tx, organization, told(once, None), at(0))?;
    let delivery = pack_delivery::take(tx, organization, at(0), at(50), 10)?.remove(0).id;
    pack_delivery::hand_on(tx, organization, delivery, "{}", at(0))?;
    let new = NewCommand { delivery, pack: "clickup", command: "note", arguments: "{\"a\":1}" };
    assert!(pack_delivery_command::insert(tx, organization, new, at(0))?);
    let other = NewCommand { command: "other", ..new };
    assert!(!pack_delivery_command::insert(tx, organization, other, at(0))?, "a delivery starts one command");
    Ok(delivery)
}

/// The claim of a command; `None` if none is due.
fn claim(tx: &mut Tx<'_>, organization: OrganizationId, second: i64) -> Result<Option<ClaimedCommand>, StoreError> {
    assert!(pack_delivery_command::claim(tx, organization, at(second), at(second + 100), 0)?.is_empty());
    Ok(pack_delivery_command::claim(tx, organization, at(second), at(second + 100), 10)?.pop())
}

/// The record of an end from a program that lost its claim changes nothing, unless the command took effect.
pub async fn a_delivery_starts_one_command_whose_end_is_recorded_once(store: &Store) {
    let (ours, theirs) = (world(store, "a").await.organization, world(store, "b").await.organization);
    write(store, move |tx| {
        let delivery = started(tx, ours, "x")?;
        assert!(pack_delivery_command::is_due(tx, ours, at(0))? && !pack_delivery_command::is_due(tx, theirs, at(9))?);
        let lost = claim(tx, ours, 0)?.unwrap();
        assert_eq!((lost.command.as_str(), lost.arguments.as_str(), lost.may_have_run()), ("note", "{\"a\":1}", false));
        assert_eq!(claim(tx, ours, 99)?, None, "somebody has it");
        let second = claim(tx, ours, 100)?.unwrap();
        assert!(second.may_have_run(), "the first claim left no end");
        let failed = FailedAttempt { failure: "no answer", again: Some(at(300)), begun: 0 };
        assert!(!pack_delivery_command::fail(tx, ours, &lost, failed)?, "the claim was lost");
        assert!(!pack_delivery_command::fail(tx, theirs, &second, failed)?);
        assert!(pack_delivery_command::fail(tx, ours, &second, failed)?);
        assert_eq!(claim(tx, ours, 299)?, None);
        let third = claim(tx, ours, 300)?.unwrap();
        assert_eq!((third.attempts, third.may_have_run()), (1, false), "certainly not done");
        assert!(!pack_delivery_command::finish(tx, theirs, delivery)?);
        assert!(pack_delivery_command::finish(tx, ours, delivery)?);
        assert!(!pack_delivery_command::finish(tx, ours, delivery)?);
        assert!(!pack_delivery_command::fail(tx, ours, &third, FailedAttempt { again: None, ..failed })?, "it is done");
        assert_eq!((claim(tx, ours, 9_000)?, pack_delivery_command::failed(tx, ours)?), (None, 0));
        let new = NewCommand { delivery, pack: "clickup", command: "note", arguments: "{}" };
        assert!(!pack_delivery_command::insert(tx, ours, new, at(9_000))?, "for ever");
        Ok(())
    })
    .await;
}

/// A command whose service did not answer was in hand at no death.
pub async fn commands_in_hand_at_a_death_run_one_at_a_time(store: &Store) {
    let ours = world(store, "a").await.organization;
    write(store, move |tx| {
        let claim = |tx: &mut Tx<'_>, second: i64| {
            let claimed = pack_delivery_command::claim(tx, ours, at(second), at(second + 100), 10)?;
            Ok::<Vec<i64>, StoreError>(claimed.into_iter().map(|one| one.delivery).collect())
        };
        let (x, y) = (started(tx, ours, "x")?, started(tx, ours, "y")?);
        assert_eq!(claim(tx, 0)?, [x, y]);
        let (z, w) = (started(tx, ours, "z")?, started(tx, ours, "w")?);
        assert_eq!(claim(tx, 100)?, [x], "a suspect is alone");
        assert!(pack_delivery_command::finish(tx, ours, x)?);
        let [second] = pack_delivery_command::claim(tx, ours, at(100), at(200), 10)?.try_into().unwrap();
        assert_eq!((second.delivery, second.begun), (y, 2));
        let unanswered = FailedAttempt { failure: "no answer", again: Some(at(150)), begun: 1 };
        assert!(pack_delivery_command::fail(tx, ours, &second, unanswered)?);
        assert_eq!(claim(tx, 150)?, [y, z, w]);
        Ok(())
    })
    .await;
}

/// Its arguments stay for staff until they are old.
pub async fn a_command_that_was_begun_three_times_without_an_end_is_set_aside(store: &Store) {
    let ours = world(store, "a").await.organization;
    write(store, move |tx| {
        let delivery = started(tx, ours, "x")?;
        for second in [0, 100, 200] {
            assert_eq!(pack_delivery_command::set_aside(tx, ours, at(second))?, 0);
            assert_eq!(claim(tx, ours, second)?.unwrap().delivery, delivery);
        }
        assert_eq!(pack_delivery_command::set_aside(tx, ours, at(299))?, 0, "it may still run");
        assert_eq!(pack_delivery_command::set_aside(tx, ours, at(300))?, 1);
        assert_eq!((claim(tx, ours, 9_000)?, pack_delivery_command::failed(tx, ours)?), (None, 1));
        assert_eq!(backlog::read(tx, at(301))?.deliveries().count, 1);
        assert_eq!(retention::delete(tx, ours, RetentionKind::DeliveryCommand, at(0), 10)?, 0);
        assert_eq!(retention::delete(tx, ours, RetentionKind::DeliveryCommand, at(1), 10)?, 1);
        assert_eq!(retention::delete(tx, ours, RetentionKind::DeliveryCommand, at(1), 10)?, 0, "once");
        Ok(())
    })
    .await;
}

/// A turn answers the contact or services, the contact first; messages of services have words that are not the contact's.
pub async fn what_services_tell_waits_for_the_contact_and_shares_no_turn(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let conversation = ripe(tx, world, 0)?;
        let of = |kind: &'static str, key| NewInbox { kind, provider_message: None, ..message(conversation, key) };
        let texts =
            |rows: Vec<inbox::InboxRow>| rows.into_iter().map(|row| (row.text, row.speaker)).collect::<Vec<_>>();
        assert_eq!(inbox::next_speaker(tx, organization, conversation)?, None);
        for key in ["d1", "d1", "d2"] {
            inbox::insert(tx, organization, &of(inbox::SERVICE, key), now())?;
        }
        assert_eq!(inbox::next_speaker(tx, organization, conversation)?, Some(Speaker::Service));
        inbox::insert(tx, organization, &of(inbox::WORDLESS, "s1"), now())?;
        let taken = inbox::take_wordless(tx, organization, conversation, "no words")?;
        assert_eq!(texts(taken), [("s1".to_owned(), Speaker::Contact)]);
        inbox::insert(tx, organization, &message(conversation, "m1"), at(1))?;
        assert_eq!(inbox::next_speaker(tx, organization, conversation)?, Some(Speaker::Contact));
        let first = open_turn(tx, organization, conversation, now())?;
        let taken = inbox::assign(tx, organization, conversation, first, 20)?;
        assert_eq!(texts(taken), [("m1".to_owned(), Speaker::Contact)]);
        inbox::set_state(tx, organization, first, InboxState::Answered, None)?;
        turn::close(tx, organization, &closing(first, "[]"), now())?;
        let second = open_turn(tx, organization, conversation, now())?;
        let taken = inbox::assign(tx, organization, conversation, second, 20)?;
        assert_eq!(texts(taken), [("d1".to_owned(), Speaker::Service), ("d2".to_owned(), Speaker::Service)]);
        Ok(())
    })
    .await;
}
