//! What every database must do where several businesses share it, each served by programs of its own. Each function is one
//! case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::conversation::ConversationState;
use balcao_domain::follow_up::FollowUpType;
use balcao_domain::{ConversationId, OrganizationId};
use balcao_store::messaging::handoff::{self, NewHandoff};
use balcao_store::ops::api_key::{self, NewApiKey};
use balcao_store::scheduling::follow_up::NewFollowUp;
use balcao_store::turns::lease::{self, LeaseRequest};
use balcao_store::{
    Store, StoreError, Tx, messaging::attachment, messaging::conversation, messaging::outbox, ops::backlog,
    scheduling::appointment, scheduling::follow_up, scheduling::reminder,
};
use jiff::SignedDuration;

use super::Case;
use super::attachments::sent;
use super::delivery::{at, ripe, write};
use super::store::{World, now, world};
use super::watch::{push, receive};

cases!(
    a_program_works_off_only_what_it_serves,
    what_a_program_sends_is_given_up_by_its_own,
    keys_open_only_what_is_served,
);

/// Something of every kind that programs work off.
fn queue(tx: &mut Tx<'_>, world: World) -> Result<ConversationId, StoreError> {
    let organization = world.organization;
    let (talk, _inbox, _file) = sent(tx, world, "wamid.1")?;
    push(tx, world, talk, &format!("reply of {organization}"))?;
    let booked = appointment::insert(tx, organization, &super::store::at(world, 0, 10), now())?.unwrap();
    super::reminders::plan_reminder(tx, organization, booked, (60, now()))?;
    let contact = *world.contacts.first().unwrap();
    let new = NewFollowUp { contact, kind: FollowUpType::Value, hint: "dica".to_owned(), send_at: now(), episode: 1 };
    follow_up::insert(tx, organization, &new, now())?;
    let waits = ripe(tx, world, 1)?;
    receive(tx, world, waits, "wamid.2", 0)?;
    let new = NewHandoff {
        conversation: waits,
        turn: None,
        reason: "asked",
        summary: None,
        note: None,
        assigned_staff: None,
    };
    handoff::insert(tx, organization, &new, now())?;
    let mut found = conversation::get(tx, organization, waits)?;
    found.state = ConversationState::WaitingHuman;
    conversation::update(tx, organization, &found)?;
    Ok(waits)
}

/// Whose everything is that a program takes which serves `store`'s.
async fn taken(store: &Store) -> Vec<OrganizationId> {
    write(store, |tx| {
        let mut whose = Vec::new();
        let request = LeaseRequest { owner: "one", now: at(100), until: at(130), limit: 1, suspects: 1 };
        whose.extend(lease::lease_due(tx, &request)?.iter().map(|one| one.lease.organization));
        let request = LeaseRequest { owner: "other", limit: 10, suspects: 10, ..request };
        whose.extend(lease::lease_stuck(tx, &request, at(40), at(40))?.iter().map(|one| one.lease.organization));
        whose.extend(outbox::claim(tx, "claim", at(100), at(130), 10)?.iter().map(|one| one.organization));
        whose.extend(attachment::claim(tx, at(100), at(130), 10)?.iter().map(|one| one.organization));
        whose.extend(reminder::due(tx, at(100), 10)?.iter().map(|one| one.organization));
        while let Some(due) = follow_up::take_due(tx, at(100), at(200))? {
            whose.push(due.organization);
        }
        let after = [5, 15, 60].map(SignedDuration::from_secs);
        whose.extend(handoff::untaken(tx, after, at(100), 10)?.iter().map(|one| one.organization));
        Ok(whose)
    })
    .await
}

/// Another's messages would be answered in our name, its files asked for with our keys, and its replies given up.
pub async fn a_program_works_off_only_what_it_serves(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| queue(tx, theirs).and(queue(tx, ours)).map(drop)).await;
    let serves = |world: World| store.clone().serving(world.organization);
    let waits = |store: Store| async move { write(&store, |tx| backlog::read(tx, at(100))).await.inbox.count };
    assert_eq!((waits(serves(ours)).await, waits(store.clone()).await), (2, 4));
    // Two conversations, a message, a file, a reminder, a follow-up, and a contact who waits for a person.
    assert_eq!(taken(&serves(ours)).await, [ours.organization; 7]);
    assert_eq!(
        taken(&serves(ours)).await,
        [ours.organization; 2],
        "the reminder and who waits are not taken, only seen"
    );
    // A handle that serves no one organization serves what is left.
    let left = taken(store).await;
    assert_eq!(left.iter().filter(|one| **one == theirs.organization).count(), 7, "{left:?}");
}

/// What another program is sending is not ours to give up.
pub async fn what_a_program_sends_is_given_up_by_its_own(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| {
        let talk = ripe(tx, theirs, 0)?;
        push(tx, theirs, talk, "reply")?;
        assert_eq!(outbox::claim(tx, "claim", at(0), at(30), 10)?.len(), 1);
        Ok(())
    })
    .await;
    let expired = |store: Store| async move { write(&store, |tx| outbox::expire(tx, at(31), at(60))).await.len() };
    assert_eq!(expired(store.clone().serving(ours.organization)).await, 0);
    assert_eq!(expired(store.clone().serving(theirs.organization)).await, 1);
}

/// The key of another business opens nothing here: this program would answer for it with its own profile.
pub async fn keys_open_only_what_is_served(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| {
        let new = NewApiKey { name: "till", prefix: "abcd", hash: "h", scopes: "[]", per_minute: 60, expires_at: None };
        api_key::insert(tx, theirs.organization, &new, now()).map(drop)
    })
    .await;
    let found = |store: Store| async move { write(&store, |tx| api_key::find_by_prefix(tx, "abcd")).await.len() };
    assert_eq!(found(store.clone().serving(ours.organization)).await, 0);
    assert_eq!(found(store.clone().serving(theirs.organization)).await, 1);
    assert_eq!(found(store.clone()).await, 1);
}
