//! What every database must do for customers' files. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::attachment::AttachmentState;
use balcao_domain::{AttachmentId, ConversationId, InboxId, MessageId};
use balcao_store::messaging::attachment::{self, Attachment, Fetched, NewAttachment, OwnFile};
use balcao_store::messaging::inbox::{self, NewInbox};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::{Store, StoreError, Tx, messaging::conversation};

use super::Case;
use super::delivery::{at, ripe, write};
use super::store::{World, now, open_turn, world};

cases!(
    a_file_is_fetched_by_one_and_again_after_a_death,
    files_in_hand_at_a_death_are_fetched_one_at_a_time,
    the_bytes_of_a_file_come_back_as_they_went_in,
    only_the_attempt_that_counts_ends_the_waiting,
    a_turn_waits_for_files_of_what_it_has_not_read,
    a_file_goes_with_its_message_and_its_contact,
    tenants_do_not_read_each_others_files,
    a_customers_file_belongs_to_the_message_that_its_turn_made,
    a_file_of_staff_is_sent_with_one_message_of_its_conversation,
);

const PNG: Fetched<'static> =
    Fetched { mime: "image/png", sha256: "00", bytes: &[0x89, b'P', b'N', b'G', 0, 255, b'\'', b'?', b'1'] };

fn message(conversation: ConversationId, key: &str) -> NewInbox<'_> {
    NewInbox {
        channel: "whatsapp",
        account: "7001",
        key,
        kind: "message",
        conversation: Some(conversation),
        provider_message: Some(key),
        text: Some("[imagem]"),
        payload: "{}",
        provider_at: None,
        ignored: None,
    }
}

/// A file of the first contact of a world, awaited for 20 seconds.
pub(super) fn sent(
    tx: &mut Tx<'_>,
    world: World,
    key: &str,
) -> Result<(ConversationId, InboxId, AttachmentId), StoreError> {
    let conversation = ripe(tx, world, 0)?;
    let inbox = inbox::insert(tx, world.organization, &message(conversation, key), now())?.unwrap();
    let new = NewAttachment {
        contact: *world.contacts.first().unwrap(),
        conversation,
        inbox,
        channel: "whatsapp",
        account: "7001",
        media: "{}",
        awaited_until: at(20),
    };
    Ok((conversation, inbox, attachment::insert(tx, world.organization, &new, now())?))
}

fn claim(tx: &mut Tx<'_>, seconds: i64) -> Result<Vec<Attachment>, StoreError> {
    attachment::claim(tx, at(seconds), at(seconds + 60), 10)
}

/// A claim on a file excludes other workers until it expires, which means that its worker is dead.
pub async fn a_file_is_fetched_by_one_and_again_after_a_death(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (_, _, id) = sent(tx, world, "wamid.1")?;
        let [first] = claim(tx, 0)?.try_into().unwrap();
        assert_eq!((first.id, first.attempts, first.state), (id, 1, AttachmentState::Waiting));
        assert_eq!(claim(tx, 59)?, []);
        let [second] = claim(tx, 60)?.try_into().unwrap();
        assert_eq!((second.id, second.attempts, second.deaths), (id, 2, 1));
        assert!(attachment::postpone(tx, &second, at(100), "busy", at(61))?);
        assert_eq!(claim(tx, 99)?, []);
        let [third] = claim(tx, 100)?.try_into().unwrap();
        assert_eq!((third.attempts, third.failure.as_deref()), (3, Some("busy")));
        assert_eq!(third.deaths, 0, "a death is an attempt that did not end");
        assert!(attachment::excuse(tx, &third, at(200), "no room", at(101))?);
        let [again] = claim(tx, 200)?.try_into().unwrap();
        assert_eq!((again.attempts, again.failure.as_deref()), (3, Some("no room")), "the attempt did not count");
        for (second, deaths) in [(260, 1), (320, 2), (380, 3)] {
            assert_eq!(claim(tx, second)?.first().map(|one| one.deaths), Some(deaths));
        }
        Ok(())
    })
    .await;
}

/// So only the file to blame counts further deaths.
pub async fn files_in_hand_at_a_death_are_fetched_one_at_a_time(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (_, _, first) = sent(tx, world, "wamid.1")?;
        let (_, _, second) = sent(tx, world, "wamid.2")?;
        assert_eq!(claim(tx, 0)?.len(), 2);
        let (_, _, third) = sent(tx, world, "wamid.3")?;
        assert!(!attachment::is_suspect_due(tx, at(59))? && attachment::is_suspect_due(tx, at(60))?);
        for (id, deaths) in [(first, 1), (second, 1), (third, 0)] {
            let [one] = claim(tx, 60)?.try_into().unwrap();
            assert_eq!((one.id, one.deaths), (id, deaths));
        }
        assert!(!attachment::is_suspect_due(tx, at(60))?);
        Ok(())
    })
    .await;
}

/// All bytes are kept, whatever they are.
pub async fn the_bytes_of_a_file_come_back_as_they_went_in(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (conversation, _, id) = sent(tx, world, "wamid.1")?;
        let [one] = claim(tx, 0)?.try_into().unwrap();
        assert_eq!(attachment::bytes(tx, world.organization, id)?, None);
        let every: Vec<u8> = (0..=255).cycle().take(70_000).collect();
        let fetched = Fetched { bytes: &every, ..PNG };
        assert!(attachment::store_bytes(tx, &one, &fetched, now())?);
        assert!(attachment::finish(tx, &one, AttachmentState::Stored, Some("oi"), None, now())?);
        assert_eq!(attachment::bytes(tx, world.organization, id)?, Some(("image/png".to_owned(), every)));
        let [kept] = attachment::of_conversation(tx, world.organization, conversation, 10)?.try_into().unwrap();
        assert_eq!(
            (kept.state, kept.size, kept.transcript.as_deref()),
            (AttachmentState::Stored, Some(70_000), Some("oi"))
        );
        Ok(())
    })
    .await;
}

/// A worker whose claim expired changes nothing when it returns.
pub async fn only_the_attempt_that_counts_ends_the_waiting(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        sent(tx, world, "wamid.1")?;
        let [dead] = claim(tx, 0)?.try_into().unwrap();
        let [alive] = claim(tx, 60)?.try_into().unwrap();
        assert!(!attachment::store_bytes(tx, &dead, &PNG, now())?);
        assert!(!attachment::postpone(tx, &dead, at(61), "busy", now())?);
        assert!(!attachment::excuse(tx, &dead, at(61), "no room", now())?);
        assert!(!attachment::finish(tx, &dead, AttachmentState::Unreadable, None, Some("gone"), now())?);
        assert!(attachment::finish(tx, &alive, AttachmentState::Unreadable, None, Some("gone"), now())?);
        assert!(!attachment::finish(tx, &alive, AttachmentState::Stored, None, None, now())?, "the end is the end");
        assert_eq!(claim(tx, 10_000)?, []);
        Ok(())
    })
    .await;
}

/// Once a turn has read the message, no turn waits for its file.
pub async fn a_turn_waits_for_files_of_what_it_has_not_read(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (conversation, _, _) = sent(tx, world, "wamid.1")?;
        assert_eq!(attachment::awaited_until(tx, world.organization, conversation)?, Some(at(20)));
        let turn = open_turn(tx, world.organization, conversation, now())?;
        inbox::assign(tx, world.organization, conversation, turn, 10)?;
        assert_eq!(attachment::awaited_until(tx, world.organization, conversation)?, None);
        sent(tx, world, "wamid.2")?;
        let [_, two] = claim(tx, 0)?.try_into().unwrap();
        assert_eq!(attachment::awaited_until(tx, world.organization, conversation)?, Some(at(20)));
        attachment::finish(tx, &two, AttachmentState::Stored, None, None, now())?;
        assert_eq!(attachment::awaited_until(tx, world.organization, conversation)?, None);
        Ok(())
    })
    .await;
}

/// P-02: what is erased takes its files along.
pub async fn a_file_goes_with_its_message_and_its_contact(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (conversation, inbox, _) = sent(tx, world, "wamid.1")?;
        sent(tx, world, "wamid.2")?;
        assert_eq!(attachment::forget(tx, world.organization, inbox)?, 1);
        assert_eq!(attachment::of_conversation(tx, world.organization, conversation, 10)?.len(), 1);
        let (organization, contact) = (world.organization.into(), (*world.contacts.first().unwrap()).into());
        tx.execute("DELETE FROM contact WHERE organization_id = ?1 AND id = ?2", &[organization, contact])?;
        assert_eq!(attachment::of_conversation(tx, world.organization, conversation, 10)?, []);
        Ok(())
    })
    .await;
}

/// The organization is part of every question.
pub async fn tenants_do_not_read_each_others_files(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| {
        let (conversation, inbox, id) = sent(tx, ours, "wamid.1")?;
        let [one] = claim(tx, 0)?.try_into().unwrap();
        attachment::store_bytes(tx, &one, &PNG, now())?;
        assert_eq!(attachment::bytes(tx, theirs.organization, id)?, None);
        assert_eq!(attachment::of_conversation(tx, theirs.organization, conversation, 10)?, []);
        assert_eq!(attachment::forget(tx, theirs.organization, inbox)?, 0);
        Ok(())
    })
    .await;
}

fn say(tx: &mut Tx<'_>, world: World, conversation: ConversationId) -> Result<MessageId, StoreError> {
    let new = NewMessage { conversation, turn: None, author: Author::Staff, text: "oi", subject: None };
    message::insert(tx, world.organization, &new, now())
}

fn own(tx: &mut Tx<'_>, world: World, conversation: ConversationId) -> Result<AttachmentId, StoreError> {
    let contact = conversation::get(tx, world.organization, conversation)?.contact;
    let own = OwnFile { contact, conversation, channel: "whatsapp", media: "{}", file: PNG };
    attachment::add(tx, world.organization, &own, now())
}

/// Messages show their files, and no other message does.
pub async fn a_customers_file_belongs_to_the_message_that_its_turn_made(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let (conversation, inbox, id) = sent(tx, world, "wamid.1")?;
        let (_, _, other) = sent(tx, world, "wamid.2")?;
        let (before, message) = (say(tx, world, conversation)?, say(tx, world, conversation)?);
        assert_eq!(attachment::of_messages(tx, world.organization, conversation, before, message)?, []);
        attachment::show_with(tx, world.organization, inbox, message)?;
        let [shown] =
            attachment::of_messages(tx, world.organization, conversation, before, message)?.try_into().unwrap();
        assert_eq!((shown.id, shown.message, shown.inbox), (id, Some(message), Some(inbox)));
        assert_eq!(attachment::of_messages(tx, world.organization, conversation, before, before)?, []);
        let found = attachment::find(tx, world.organization, other)?.unwrap();
        assert_eq!((found.message, found.created_at), (None, now()));
        Ok(())
    })
    .await;
}

/// A file goes out with one message only, and never in another conversation.
pub async fn a_file_of_staff_is_sent_with_one_message_of_its_conversation(store: &Store) {
    let (ours, theirs) = (world(store, "ours").await, world(store, "theirs").await);
    write(store, move |tx| {
        let (conversation, elsewhere) = (ripe(tx, ours, 0)?, ripe(tx, ours, 1)?);
        let (id, message) = (own(tx, ours, conversation)?, say(tx, ours, conversation)?);
        let found = attachment::find(tx, ours.organization, id)?.unwrap();
        assert_eq!((found.state, found.inbox, found.message), (AttachmentState::Stored, None, None));
        assert_eq!((found.mime.as_deref(), found.size), (Some("image/png"), Some(9)));
        assert_eq!(attachment::find(tx, theirs.organization, id)?, None);
        assert_eq!(claim(tx, 0)?, [], "there is nothing to fetch");
        assert!(!attachment::give(tx, theirs.organization, conversation, id, message)?);
        assert!(!attachment::give(tx, ours.organization, elsewhere, id, message)?);
        assert!(attachment::give(tx, ours.organization, conversation, id, message)?);
        assert!(!attachment::give(tx, ours.organization, conversation, id, message)?, "it was sent");
        let (_, _, customers) = sent(tx, ours, "wamid.1")?;
        assert!(!attachment::give(tx, ours.organization, conversation, customers, message)?, "it is the customer's");
        Ok(())
    })
    .await;
}
