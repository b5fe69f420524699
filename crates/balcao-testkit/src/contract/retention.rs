//! What every database must do when what it holds grows old. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::outbox::OutboxState;
use balcao_domain::{AttachmentId, ConversationId, TurnId};
use balcao_store::messaging::attachment::{self, Fetched, OwnFile};
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::messaging::outbox::{self, NewOutbox};
use balcao_store::messaging::web_chat::{self, ChatAuthor, NewEntry};
use balcao_store::ops::backlog;
use balcao_store::ops::retention::{self, RetentionKind};
use balcao_store::turns::ledger::{self, EffectKey};
use balcao_store::turns::turn::{self, Closing};
use balcao_store::{Store, StoreError, Tx, messaging::conversation, ops::webhook, turns::event};

use super::Case;
use super::delivery::{at, ripe, write};
use super::store::{World, now, open_turn, world};

cases!(
    what_is_older_than_its_time_goes_and_what_is_not_stays,
    what_work_goes_on_from_stays_however_old,
    what_came_is_forgotten_and_that_it_came_is_not,
    what_happened_goes_but_for_the_latest_and_its_numbers_rise,
    a_batch_is_no_larger_than_it_may_be,
    the_days_deleting_is_done_by_one,
    a_deletion_at_which_three_programs_died_is_set_aside,
    tenants_keep_their_own,
);

/// Everything that one turn leaves behind, at an instant: its conversation, itself, a file of staff that was sent.
fn lived(
    tx: &mut Tx<'_>,
    world: World,
    name: &str,
    seconds: i64,
) -> Result<(ConversationId, TurnId, AttachmentId), StoreError> {
    let (organization, now) = (world.organization, at(seconds));
    let id = ripe(tx, world, 0)?;
    let new = NewInbox {
        channel: "whatsapp",
        account: "7001",
        key: name,
        kind: "message",
        conversation: Some(id),
        provider_message: Some(name),
        text: Some("oi"),
        payload: "{}",
        provider_at: None,
        ignored: None,
    };
    inbox::insert(tx, organization, &new, now)?;
    let turn = open_turn(tx, organization, id, now)?;
    inbox::assign(tx, organization, id, turn, 10)?;
    turn::save(tx, organization, turn, "{}", "h")?;
    let new = NewMessage { conversation: id, turn: Some(turn), author: Author::Contact, text: "oi", subject: None };
    message::insert(tx, organization, &new, now)?;
    let key = EffectKey { key: name.to_owned(), args_hash: "h".to_owned(), turn: Some(turn), tool: "t".to_owned() };
    ledger::once(tx, organization, &key, now, |_| Ok::<_, StoreError>(1))?;
    let entry = NewEntry { conversation: id, name, author: ChatAuthor::Visitor, text: "oi", file: None };
    web_chat::push(tx, organization, &entry, now)?;
    let contact = conversation::get(tx, organization, id)?.contact;
    let file = Fetched { mime: "image/png", sha256: "00", bytes: b"png" };
    let own = OwnFile { contact, conversation: id, channel: "whatsapp", media: "{}", file };
    let file = attachment::add(tx, organization, &own, now)?;
    let new = NewMessage { conversation: id, turn: None, author: Author::Staff, text: "[imagem]", subject: None };
    let shown = message::insert(tx, organization, &new, now)?;
    attachment::give(tx, organization, id, file, shown)?;
    let new = NewOutbox {
        conversation: id,
        turn: Some(turn),
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
    outbox::push(tx, organization, &new, now)?;
    Ok((id, turn, file))
}

/// Creates what `lived` creates, and ends it: the turn is answered and the message is sent.
fn ended(
    tx: &mut Tx<'_>,
    world: World,
    name: &str,
    seconds: i64,
) -> Result<(ConversationId, TurnId, AttachmentId), StoreError> {
    let (id, turn, file) = lived(tx, world, name, seconds)?;
    let closing = Closing {
        id: turn,
        outcome: "reply",
        reason: None,
        machine: "{}",
        prompt_hash: "h",
        transcript: "[]",
        spent: turn::Spent { model_calls: 1, tool_calls: 1, tokens: 1, cost_micro_usd: 1 },
    };
    turn::close(tx, world.organization, &closing, at(seconds))?;
    inbox::set_state(tx, world.organization, turn, balcao_domain::inbox::InboxState::Answered, None)?;
    tx.execute(
        "UPDATE outbox SET state = 'sent' WHERE organization_id = ?1 AND correlation = ?2",
        &[world.organization.into(), name.into()],
    )?;
    Ok((id, turn, file))
}

/// How many of each kind are older than an instant.
fn due(tx: &mut Tx<'_>, world: World, seconds: i64) -> Result<Vec<(RetentionKind, i64)>, StoreError> {
    let mut all = Vec::new();
    for old in RetentionKind::ALL {
        let count = retention::count(tx, world.organization, old, at(seconds))?;
        if count > 0 {
            all.push((old, count));
        }
    }
    Ok(all)
}

/// Deletes all that is older than an instant.
fn delete(tx: &mut Tx<'_>, world: World, seconds: i64) -> Result<usize, StoreError> {
    let all =
        RetentionKind::ALL.into_iter().map(|old| retention::delete(tx, world.organization, old, at(seconds), 100));
    all.sum()
}

/// Each kind goes by its own age, once.
pub async fn what_is_older_than_its_time_goes_and_what_is_not_stays(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (id, turn, file) = ended(tx, world, "a", 0)?;
        ended(tx, world, "b", 100)?;
        assert_eq!(due(tx, world, 0)?, [], "nothing is older than itself");
        let expected = [
            (RetentionKind::File, 1),
            (RetentionKind::Trace, 1),
            (RetentionKind::Message, 2),
            (RetentionKind::ChatEntry, 1),
            (RetentionKind::Transcript, 1),
            (RetentionKind::Inbox, 1),
            (RetentionKind::Outbox, 1),
            (RetentionKind::Ledger, 1),
        ];
        assert_eq!(due(tx, world, 50)?, expected);
        assert_eq!(retention::delete(tx, world.organization, RetentionKind::File, at(50), 100)?, 1);
        assert_eq!(attachment::bytes(tx, world.organization, file)?, None);
        let kept = attachment::find(tx, world.organization, file)?.unwrap();
        assert_eq!((kept.state.as_str(), kept.size), ("expired", Some(3)));
        assert_eq!(delete(tx, world, 50)?, 8);
        assert_eq!((due(tx, world, 50)?, delete(tx, world, 50)?), (vec![], 0));
        assert_eq!(attachment::find(tx, world.organization, file)?, None, "it went with its message");
        assert_eq!(turn::record(tx, world.organization, turn)?, None);
        assert_eq!(message::last(tx, world.organization, id, 10)?.len(), 2);
        assert_eq!(outbox::of_conversation(tx, world.organization, id)?.len(), 1);
        assert_eq!(web_chat::after(tx, world.organization, id, 0, 10)?.len(), 1);
        assert_eq!(turn::transcripts(tx, world.organization, id, 0, 10)?.len(), 1);
        Ok(())
    })
    .await;
}

/// I-8: a turn that may be taken up keeps all that it would be taken up from.
pub async fn what_work_goes_on_from_stays_however_old(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (id, turn, file) = lived(tx, world, "a", 0)?;
        // Of all that, only what staff said and the visitor's own view go.
        assert_eq!(due(tx, world, 9_000)?, [(RetentionKind::Message, 1), (RetentionKind::ChatEntry, 1)]);
        tx.execute("DELETE FROM chat_entry WHERE organization_id = ?1", &[world.organization.into()])?;
        assert_eq!(retention::delete(tx, world.organization, RetentionKind::Ledger, at(9_000), 100)?, 0);
        assert_eq!(retention::delete(tx, world.organization, RetentionKind::Trace, at(9_000), 100)?, 0);
        assert_eq!(turn::find_open(tx, world.organization, id)?, Some((turn, Some("{}".to_owned()))));
        assert_eq!(inbox::of_turn(tx, world.organization, turn)?.len(), 1);
        assert_eq!(retention::delete(tx, world.organization, RetentionKind::File, at(9_000), 100)?, 0);
        assert!(attachment::bytes(tx, world.organization, file)?.is_some(), "what shows it has still to leave");
        for (state, goes) in [("unknown", 0), ("dead", 0), ("sent", 1)] {
            let sql = "UPDATE outbox SET state = ?2 WHERE organization_id = ?1";
            tx.execute(sql, &[world.organization.into(), state.into()])?;
            assert_eq!(retention::count(tx, world.organization, RetentionKind::Outbox, at(9_000))?, goes, "{state}");
        }
        assert_eq!(retention::count(tx, world.organization, RetentionKind::File, at(9_000))?, 1);
        let sql = "UPDATE outbox SET state = 'dead' WHERE organization_id = ?1";
        tx.execute(sql, &[world.organization.into()])?;
        let [dead] = outbox::list(tx, world.organization, OutboxState::Dead, 10)?.try_into().unwrap();
        outbox::give_up(tx, world.organization, dead.id, now())?;
        assert_eq!(retention::count(tx, world.organization, RetentionKind::Outbox, at(9_000))?, 1, "staff let it be");
        Ok(())
    })
    .await;
}

/// I-2: the store still recognises a repeat after the content is deleted.
pub async fn what_came_is_forgotten_and_that_it_came_is_not(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        ended(tx, world, "a", 0)?;
        assert_eq!(retention::delete(tx, world.organization, RetentionKind::Inbox, at(50), 100)?, 1);
        assert!(inbox::is_known(tx, world.organization, "whatsapp", "7001", "a")?);
        assert_eq!(inbox::find_message(tx, world.organization, "whatsapp", "7001", "a")?, None);
        inbox::insert_stray(tx, "whatsapp", "9", "k", "{}", now())?;
        assert_eq!(retention::count(tx, world.organization, RetentionKind::Stray, at(50))?, 1);
        assert_eq!(retention::delete(tx, world.organization, RetentionKind::Stray, at(50), 100)?, 1);
        Ok(())
    })
    .await;
}

/// An endpoint that has received events up to a number receives all later events.
pub async fn what_happened_goes_but_for_the_latest_and_its_numbers_rise(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let organization = world.organization;
        let push = |tx: &mut Tx<'_>, kind: &str, seconds| event::push(tx, organization, kind, "x", "{}", at(seconds));
        let told = |tx: &mut Tx<'_>, seconds| {
            webhook::fan_out(tx, organization, "crm", 10, at(seconds), |event| Some(event.kind.clone()))
        };
        told(tx, 0)?;
        push(tx, "a", 0)?;
        push(tx, "b", 1)?;
        assert_eq!(told(tx, 2)?, 2);
        for round in 0..3 {
            let left = i64::from(round == 0);
            assert_eq!(retention::count(tx, organization, RetentionKind::Event, at(9_000))?, left, "the latest stays");
            retention::delete(tx, organization, RetentionKind::Event, at(9_000), 100)?;
            assert_eq!(told(tx, 3)?, 0);
        }
        push(tx, "c", 9_001)?;
        assert_eq!(told(tx, 9_002)?, 1, "nothing is missed");
        assert_eq!(retention::count(tx, organization, RetentionKind::Event, at(9_001))?, 1);
        let sql = "UPDATE webhook_delivery SET state = ?2 WHERE organization_id = ?1";
        for (state, goes) in [("pending", 0), ("sent", 3), ("dead", 3)] {
            tx.execute(sql, &[organization.into(), state.into()])?;
            assert_eq!(retention::count(tx, organization, RetentionKind::Webhook, at(90_000))?, goes, "{state}");
        }
        Ok(())
    })
    .await;
}

/// Others write in between.
pub async fn a_batch_is_no_larger_than_it_may_be(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let id = ripe(tx, world, 0)?;
        for seconds in 0..5 {
            let name = seconds.to_string();
            let entry = NewEntry { conversation: id, name: &name, author: ChatAuthor::Agent, text: "oi", file: None };
            web_chat::push(tx, world.organization, &entry, at(seconds))?;
        }
        for (gone, left) in [(2, 3), (2, 1), (1, 0), (0, 0)] {
            assert_eq!(retention::delete(tx, world.organization, RetentionKind::ChatEntry, at(50), 2)?, gone);
            assert_eq!(web_chat::after(tx, world.organization, id, 0, 10)?.len(), left);
        }
        Ok(())
    })
    .await;
}

/// Of many programs one deletes; one that died is followed by another.
pub async fn the_days_deleting_is_done_by_one(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let claim = |tx: &mut Tx<'_>, seconds: i64| {
            retention::claim(tx, world.organization, at(seconds), at(seconds + 60), at(100))
        };
        assert!(!claim(tx, 0)?, "the first time has not come");
        assert!(claim(tx, 100)?);
        assert!(!claim(tx, 159)?, "somebody is at it");
        assert!(retention::renew(tx, world.organization, at(160), at(200))?);
        assert!(!claim(tx, 199)?);
        assert!(claim(tx, 200)?, "whoever was at it is dead");
        assert!(!retention::renew(tx, world.organization, at(200), at(300))?);
        assert!(!retention::finish(tx, world.organization, at(200), at(9_000))?);
        assert!(retention::finish(tx, world.organization, at(260), at(9_000))?);
        assert!(!claim(tx, 8_999)?, "it was done today");
        assert!(claim(tx, 9_000)?);
        Ok(())
    })
    .await;
}

/// A claim counts as a crash until it ends; one that is given back or comes to its end was none.
pub async fn a_deletion_at_which_three_programs_died_is_set_aside(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| {
        let organization = ours.organization;
        let claim =
            |tx: &mut Tx<'_>, seconds: i64| retention::claim(tx, organization, at(seconds), at(seconds + 60), at(100));
        assert!(claim(tx, 100)? && claim(tx, 160)?);
        retention::give_back(tx, organization, at(999))?;
        assert!(!claim(tx, 161)?, "another claim was given back");
        retention::give_back(tx, organization, at(220))?;
        for second in [170, 230, 290] {
            assert!(!retention::take_up(tx, organization)?, "nothing is set aside");
            assert!(claim(tx, second)?);
        }
        assert_eq!(backlog::read(tx, at(349))?.deletions.count, 0, "a process may be at it");
        assert!(!claim(tx, 350)? && !claim(tx, 99_999)?);
        let waiting = backlog::read(tx, at(350))?.deletions;
        assert_eq!((waiting.count, waiting.since), (1, Some(at(100))));
        assert!(retention::claim(tx, theirs.organization, at(350), at(410), at(100))?, "others go on");
        assert!(retention::take_up(tx, organization)?);
        assert_eq!(backlog::read(tx, at(350))?.deletions.count, 0);
        assert!(claim(tx, 350)?);
        assert!(retention::finish(tx, organization, at(410), at(9_000))?);
        for second in [9_000, 9_060, 9_120] {
            assert!(claim(tx, second)?, "an end begins the count again");
        }
        Ok(())
    })
    .await;
}

/// The organization is part of every question.
pub async fn tenants_keep_their_own(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| {
        ended(tx, ours, "a", 0)?;
        assert_eq!((due(tx, theirs, 50)?, delete(tx, theirs, 50)?), (vec![], 0));
        assert_eq!(due(tx, ours, 50)?.len(), 8);
        assert!(retention::claim(tx, ours.organization, at(0), at(60), at(0))?);
        assert!(retention::claim(tx, theirs.organization, at(0), at(60), at(0))?);
        Ok(())
    })
    .await;
}
