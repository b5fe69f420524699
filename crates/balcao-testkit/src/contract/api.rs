//! What every database must do for the HTTP API: keys, their requests, names of conversations, pages. Each function is one
//! case, as in [`super::store`].
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a case fails by panicking")]

use balcao_domain::conversation::ConversationState;
use balcao_domain::{ApiKeyId, AppointmentId, ConversationId, Currency, MessageId};
use balcao_store::messaging::conversation;
use balcao_store::messaging::handoff::{self, NewHandoff};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::ops::api_key::NewApiKey;
use balcao_store::queries::pages::{self, AppointmentRange, TurnEnd};
use balcao_store::turns::turn::{self, Closing, TurnVersions};
use balcao_store::{
    Store, StoreError, Tx, crm::contact, messaging::api_conversation, ops::api_key, scheduling::appointment,
};

use super::Case;
use super::delivery::{at, write};
use super::store::{World, now, open_turn, world};

cases!(
    a_key_is_found_by_its_prefix_and_revoked_once,
    the_requests_of_a_minute_are_given_out_once,
    many_take_requests_at_once_and_nobody_gets_too_many,
    a_name_of_a_conversation_is_taken_once_per_organization,
    pages_of_conversations_have_no_gap_and_no_repeat,
    pages_of_messages_and_handoffs_go_back_in_time,
    pages_of_appointments_go_on_in_time,
    a_turn_tells_its_end_once_it_is_closed,
);

fn add(tx: &mut Tx<'_>, world: World, hash: &str, per_minute: u32) -> Result<ApiKeyId, StoreError> {
    let new =
        NewApiKey { name: "x", prefix: "bk_abcdef", hash, scopes: "read turn", per_minute, expires_at: Some(at(60)) };
    api_key::insert(tx, world.organization, &new, now())
}

/// Two keys may begin alike; the same key is there once. Another organization cannot revoke it.
pub async fn a_key_is_found_by_its_prefix_and_revoked_once(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let (first, second) = (add(tx, ours, "h1", 5)?, add(tx, theirs, "h2", 5)?);
        let found = api_key::find_by_prefix(tx, "bk_abcdef")?;
        assert_eq!(found.iter().map(|key| key.id).collect::<Vec<_>>(), [first, second]);
        let key = found.into_iter().next().unwrap();
        assert_eq!(
            (key.organization, key.scopes.as_str(), key.expires_at),
            (ours.organization, "read turn", Some(at(60)))
        );
        assert_eq!((key.revoked_at, key.last_used_at, key.created_at), (None, None, now()));
        assert!(api_key::find_by_prefix(tx, "bk_")?.is_empty());
        assert_eq!(api_key::list(tx, ours.organization)?.len(), 1);
        assert!(!api_key::revoke(tx, theirs.organization, first, now())?);
        assert!(api_key::revoke(tx, ours.organization, first, at(1))?);
        assert!(!api_key::revoke(tx, ours.organization, first, at(2))?);
        assert_eq!(api_key::list(tx, ours.organization)?.remove(0).revoked_at, Some(at(1)));
        Ok(())
    })
    .await;
    let again = store.write(move |tx| add(tx, theirs, "h1", 5)).await;
    assert!(again.unwrap_err().is_unique_violation());
}

/// A new minute restores the whole quota; a refused request does not count as use of the key.
pub async fn the_requests_of_a_minute_are_given_out_once(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let key = add(tx, world, "h", 5)?;
        let mut take =
            |minute, wanted, when| api_key::take_requests(tx, world.organization, key, at(minute), wanted, at(when));
        assert_eq!((take(0, 3, 1)?, take(0, 3, 2)?, take(0, 3, 3)?), (3, 2, 0));
        assert_eq!(take(60, 9, 61)?, 5);
        assert_eq!(take(60, 1, 62)?, 0);
        assert_eq!(api_key::list(tx, world.organization)?.remove(0).last_used_at, Some(at(61)));
        Ok(())
    })
    .await;
}

/// However many ask at the same time.
pub async fn many_take_requests_at_once_and_nobody_gets_too_many(store: &Store) {
    let world = world(store, "a").await;
    let key = write(store, move |tx| add(tx, world, "h", 50)).await;
    let take = || async {
        let work = move |tx: &mut Tx<'_>| api_key::take_requests(tx, world.organization, key, now(), 3, now());
        loop {
            match store.write::<_, StoreError, _>(work).await {
                Ok(given) => break given,
                Err(error) => assert_eq!(error.failure(), balcao_domain::FailureClass::Transient, "{error}"),
            }
        }
    };
    let given = futures::future::join_all((0..40).map(|_| take())).await;
    assert_eq!(given.iter().sum::<u32>(), 50, "{given:?}");
}

/// A conversation may have several names.
pub async fn a_name_of_a_conversation_is_taken_once_per_organization(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        for world in [ours, theirs] {
            let [first, second] = world.contacts;
            let one = conversation::find_or_begin(tx, world.organization, first, "api", now())?.id;
            let other = conversation::find_or_begin(tx, world.organization, second, "api", now())?.id;
            assert_eq!(api_conversation::find(tx, world.organization, "c")?, None);
            api_conversation::insert(tx, world.organization, "c", one)?;
            api_conversation::insert(tx, world.organization, "d", one)?;
            let taken = tx.savepoint::<(), (), StoreError>(|tx| {
                api_conversation::insert(tx, world.organization, "c", other).map(Ok)
            });
            assert!(taken.unwrap_err().is_unique_violation());
            assert_eq!(api_conversation::find(tx, world.organization, "c")?, Some(one));
            assert_eq!(api_conversation::find(tx, world.organization, "C")?, None);
        }
        Ok(())
    })
    .await;
}

/// Also where several have one instant.
pub async fn pages_of_conversations_have_no_gap_and_no_repeat(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        conversation::find_or_begin(tx, theirs.organization, theirs.contacts[0], "api", at(9))?;
        for (number, seconds) in [30, 10, 20, 20, 20, 40].into_iter().enumerate() {
            let id = contact::insert(tx, ours.organization, &contact::NewContact::default(), now())?;
            let mut begun = conversation::find_or_begin(tx, ours.organization, id, "api", at(seconds))?;
            if number % 2 == 0 {
                begun.state = ConversationState::Human;
                conversation::update(tx, ours.organization, &begun)?;
            }
        }
        let mut page = |state, after, limit| pages::conversations(tx, ours.organization, state, after, limit);
        let whole: Vec<ConversationId> = page(None, None, 100)?.into_iter().map(|one| one.id).collect();
        assert_eq!(whole.len(), 6);
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let part = page(None, after, 2)?;
            let Some(last) = part.last() else { break };
            after = Some((last.last_message_at, last.id));
            found.extend(part.iter().map(|one| one.id));
        }
        assert_eq!(found, whole);
        let instants: Vec<_> = page(None, None, 100)?.into_iter().map(|one| one.last_message_at).collect();
        assert_eq!(instants, [at(40), at(30), at(20), at(20), at(20), at(10)]);
        assert_eq!(page(Some(ConversationState::Human), None, 100)?.len(), 3);
        assert!(page(Some(ConversationState::Closed), None, 100)?.is_empty());
        Ok(())
    })
    .await;
}

/// The latest first; those of other conversations and organizations are not among them.
pub async fn pages_of_messages_and_handoffs_go_back_in_time(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let mut begin = |world: World, contact: usize| {
            conversation::find_or_begin(tx, world.organization, world.contacts[contact], "api", now()).map(|one| one.id)
        };
        let (mine, other, foreign) = (begin(ours, 0)?, begin(ours, 1)?, begin(theirs, 0)?);
        for (world, conversation) in [(ours, mine), (ours, other), (theirs, foreign), (ours, mine), (ours, mine)] {
            let new = NewMessage { conversation, turn: None, author: Author::Contact, text: "oi", subject: None };
            message::insert(tx, world.organization, &new, now())?;
            let new = NewHandoff {
                conversation,
                turn: None,
                reason: "asked",
                summary: None,
                note: None,
                assigned_staff: None,
            };
            // A conversation has one open handoff at a time.
            handoff::resolve(tx, world.organization, conversation, now())?;
            handoff::insert(tx, world.organization, &new, now())?;
        }
        let ids = |found: Vec<message::Message>| found.into_iter().map(|one| one.id).collect::<Vec<MessageId>>();
        let all = ids(pages::messages(tx, ours.organization, mine, None, 10)?);
        assert!(all.len() == 3 && all.is_sorted_by(|a, b| a > b), "{all:?}");
        let first = all.first().copied();
        assert_eq!(ids(pages::messages(tx, ours.organization, mine, first, 1)?), all[1..2]);
        assert!(pages::messages(tx, theirs.organization, mine, None, 10)?.is_empty());
        let all: Vec<i64> =
            pages::handoffs(tx, ours.organization, false, None, 10)?.into_iter().map(|one| one.id).collect();
        assert_eq!(all.len(), 4);
        handoff::resolve(tx, ours.organization, mine, at(1))?;
        let open = pages::handoffs(tx, ours.organization, true, None, 10)?;
        assert_eq!(open.iter().map(|one| one.conversation).collect::<Vec<_>>(), [other]);
        let before = all.get(1).copied();
        let rest: Vec<i64> =
            pages::handoffs(tx, ours.organization, false, before, 10)?.into_iter().map(|one| one.id).collect();
        assert_eq!(rest, all[2..]);
        Ok(())
    })
    .await;
}

/// From the first instant on, up to the last one, that one not included.
pub async fn pages_of_appointments_go_on_in_time(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        for (contact, hour) in [(0, 5), (1, 3), (0, 1), (1, 9)] {
            appointment::insert(tx, world.organization, &super::store::at(world, contact, hour), now())?.unwrap();
        }
        let hour = |hours: i64| at(hours * 3_600);
        let mut page = |from, to, after, limit| {
            let range = AppointmentRange { from: hour(from), to: hour(to), after, unmarked_at: None };
            pages::appointments(tx, world.organization, &range, Currency::BRL, limit)
        };
        let starts: Vec<_> = page(0, 24, None, 10)?.into_iter().map(|one| one.span.start).collect();
        assert_eq!(starts, [hour(1), hour(3), hour(5), hour(9)]);
        assert_eq!(page(3, 9, None, 10)?.len(), 2);
        let (mut found, mut after): (Vec<_>, Option<(_, AppointmentId)>) = (Vec::new(), None);
        while let Some(one) = page(0, 24, after, 1)?.pop() {
            after = Some((one.span.start, one.id));
            found.push(one.span.start);
        }
        assert_eq!(found, starts);
        Ok(())
    })
    .await;
}

/// An open turn has no end. The end of a closed turn holds its outcome and the reply, if the agent wrote one.
pub async fn a_turn_tells_its_end_once_it_is_closed(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let conversation = conversation::find_or_begin(tx, world.organization, world.contacts[0], "api", now())?.id;
        for reply in [Some("Bom dia!"), None] {
            let id = open_turn(tx, world.organization, conversation, now())?;
            assert_eq!(pages::turn_end(tx, world.organization, id)?, None);
            let outcome = if reply.is_some() { "reply" } else { "silence" };
            for (author, text) in [(Author::Contact, Some("oi")), (Author::Agent, reply)] {
                let Some(text) = text else { continue };
                let new = NewMessage { conversation, turn: Some(id), author, text, subject: None };
                message::insert(tx, world.organization, &new, now())?;
            }
            let closing = Closing {
                id,
                outcome,
                reason: None,
                machine: "{}",
                prompt_hash: "",
                transcript: "[]",
                spent: turn::Spent { model_calls: 1, tool_calls: 0, tokens: 0, cost_micro_usd: 0 },
            };
            turn::close(tx, world.organization, &closing, now())?;
            let end = TurnEnd {
                outcome: outcome.to_owned(),
                reply: reply.map(str::to_owned),
                versions: TurnVersions::default(),
            };
            assert_eq!(pages::turn_end(tx, world.organization, id)?, Some(end));
        }
        Ok(())
    })
    .await;
}
