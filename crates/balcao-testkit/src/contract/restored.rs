//! What every database must do once it was restored from a backup. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::ConversationId;
use balcao_domain::inbox::InboxState;
use balcao_domain::outbox::OutboxState;
use balcao_store::ops::restore::{self, Held};
use balcao_store::{
    Store, StoreError, Tx, messaging::conversation, messaging::handoff, messaging::inbox, messaging::outbox,
    turns::event, turns::lease, turns::turn,
};

use super::Case;
use super::delivery::{at, ripe, write};
use super::store::{World, open_turn, world};
use super::watch::{push, receive};

cases!(
    f_82_what_a_lost_program_may_have_done_is_held_once,
    f_82_another_business_is_not_held,
    f_82_the_last_note_of_a_server_at_work_counts,
    f_82_events_are_numbered_past_what_a_lost_program_gave,
);

/// A conversation with a turn under way, something unread behind it, and a message that waits to leave.
fn under_way(tx: &mut Tx<'_>, world: World, name: &str) -> Result<ConversationId, StoreError> {
    let organization = world.organization;
    let id = ripe(tx, world, 0)?;
    receive(tx, world, id, &format!("{name} 1"), 1)?;
    let open = open_turn(tx, organization, id, at(1))?;
    inbox::assign(tx, organization, id, open, 10)?;
    receive(tx, world, id, &format!("{name} 2"), 2)?;
    push(tx, world, id, name)?;
    Ok(id)
}

/// After a restore a waiting message may have left, and a waiting conversation may have an answer. Staff decide,
/// and each item is held only once.
pub async fn f_82_what_a_lost_program_may_have_done_is_held_once(store: &Store) {
    let world = world(store, "figueira").await;
    write(store, move |tx| {
        let organization = world.organization;
        let id = under_way(tx, world, "a")?;
        let held = restore::hold(tx, organization, at(100), at(90))?;
        let Held { messages, conversations, timers, last_known } = held;
        assert_eq!((messages, conversations, timers, last_known), (1, 1, 0, Some(at(2))));
        let left = outbox::of_conversation(tx, organization, id)?;
        assert!(left.iter().all(|one| one.state == OutboxState::Unknown), "{left:?}");
        let came = inbox::of_conversation(tx, organization, id, 10)?;
        assert!(came.len() == 2 && came.iter().all(|one| one.state == InboxState::HandedOff), "{came:?}");
        assert!(turn::find_open(tx, organization, id)?.is_none());
        assert_eq!(handoff::open_of(tx, organization, id)?.unwrap().reason, restore::REASON);
        assert_eq!(conversation::get(tx, organization, id)?.state.as_str(), "waiting_human");
        // No process works on the conversation, and it has nothing that is due.
        let request = lease::LeaseRequest { owner: "here", now: at(9_000), until: at(9_030), limit: 10, suspects: 10 };
        assert!(lease::lease_due(tx, &request)?.is_empty());
        assert!(outbox::claim(tx, "c", at(9_000), at(9_030), 10)?.is_empty());
        let again = restore::hold(tx, organization, at(200), at(190))?;
        // What is known last is what was held then.
        assert_eq!((again.messages, again.conversations, again.timers, again.last_known), (0, 0, 0, Some(at(100))));
        Ok(())
    })
    .await;
}

/// Each is held by its own name.
pub async fn f_82_another_business_is_not_held(store: &Store) {
    let (one, other) = (world(store, "figueira").await, world(store, "vereda").await);
    write(store, move |tx| {
        under_way(tx, one, "one")?;
        let theirs = under_way(tx, other, "other")?;
        restore::hold(tx, one.organization, at(100), at(90))?;
        assert!(turn::find_open(tx, other.organization, theirs)?.is_some());
        let left = outbox::of_conversation(tx, other.organization, theirs)?;
        assert!(left.iter().all(|one| one.state == OutboxState::Pending) && left.len() == 1, "{left:?}");
        Ok(())
    })
    .await;
}

/// A backup knows of an earlier one.
pub async fn f_82_the_last_note_of_a_server_at_work_counts(store: &Store) {
    write(store, |tx| {
        assert_eq!(restore::marked(tx)?, None);
        restore::mark(tx, at(60))?;
        restore::mark(tx, at(120))?;
        assert_eq!(restore::marked(tx)?, Some(at(120)));
        Ok(())
    })
    .await;
}

/// Each business's go on from the instant of the restoring, one after the other, and so do those of the next restoring.
pub async fn f_82_events_are_numbered_past_what_a_lost_program_gave(store: &Store) {
    let (one, other) = (world(store, "figueira").await, world(store, "vereda").await);
    write(store, move |tx| {
        let push =
            |tx: &mut Tx<'_>, world: World| event::push(tx, world.organization, "contact_wrote", "1", "{}", at(1));
        push(tx, one)?;
        restore::hold(tx, one.organization, at(100), at(90))?;
        restore::hold(tx, other.organization, at(100), at(90))?;
        push(tx, one)?;
        push(tx, other)?;
        let third = event::push_past_all(tx, one.organization, restore::EVENT, "1", at(9_000))?;
        assert_eq!(third, at(9_000).as_millisecond());
        push(tx, one)?;
        let all = event::waiting(tx, 100)?.into_iter().filter(|one| one.kind != "handoff");
        let numbers: Vec<i64> = all.map(|one| one.id).collect();
        let (first, second) = (at(100).as_millisecond(), at(9_000).as_millisecond());
        assert!(numbers.first().is_some_and(|id| *id < first), "{numbers:?}");
        assert_eq!(numbers.get(1..), Some(&[first, first + 1, first + 2, first + 3, second, second + 1][..]));
        Ok(())
    })
    .await;
}
