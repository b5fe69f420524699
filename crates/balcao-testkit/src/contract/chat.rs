//! What every database must do for the web chat. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::ConversationId;
use balcao_store::messaging::attachment::{self, Fetched, OwnFile};
use balcao_store::messaging::web_chat::{self, ChatAuthor, Entry, NewEntry};
use balcao_store::{Store, StoreError, Tx, messaging::conversation, ops::request_rate, turns::lease};

use super::Case;
use super::delivery::{at, ripe, write};
use super::store::{World, now, world};

cases!(
    an_entry_of_one_name_is_kept_once,
    entries_are_numbered_without_gaps_however_many_write_at_once,
    whoever_read_up_to_a_number_asks_for_what_comes_after,
    an_answer_is_on_its_way_while_something_waits_or_is_worked_on,
    tenants_do_not_read_each_others_entries,
    a_pace_is_kept_by_name_and_forgotten_when_it_is_over,
    a_file_is_shown_in_its_own_conversation,
);

fn say(tx: &mut Tx<'_>, world: World, conversation: ConversationId, name: &str) -> Result<bool, StoreError> {
    let new = NewEntry { conversation, name, author: ChatAuthor::Visitor, text: name, file: None };
    web_chat::push(tx, world.organization, &new, now())
}

fn entries(tx: &mut Tx<'_>, world: World, conversation: ConversationId) -> Result<Vec<(i64, String)>, StoreError> {
    let entries = web_chat::after(tx, world.organization, conversation, 0, 1_000)?;
    Ok(entries.into_iter().map(|Entry { seq, name, .. }| (seq, name)).collect())
}

async fn begun(store: &Store, slug: &'static str) -> (World, ConversationId) {
    let world = world(store, slug).await;
    let contact = *world.contacts.first().unwrap();
    let found =
        write(store, move |tx| conversation::find_or_begin(tx, world.organization, contact, "web", now())).await;
    (world, found.id)
}

/// Two attempts are one entry.
pub async fn an_entry_of_one_name_is_kept_once(store: &Store) {
    let (world, id) = begun(store, "shop").await;
    write(store, move |tx| {
        assert!(say(tx, world, id, "a")?);
        assert!(!say(tx, world, id, "a")?);
        assert!(say(tx, world, id, "b")?);
        assert_eq!(entries(tx, world, id)?, [(1, "a".to_owned()), (2, "b".to_owned())]);
        Ok(())
    })
    .await;
}

/// Numbers have no gaps, so a reader that asks for the entries after one number misses nothing.
pub async fn entries_are_numbered_without_gaps_however_many_write_at_once(store: &Store) {
    let (world, id) = begun(store, "shop").await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..40 {
        let (store, name) = (store.clone(), (number % 20).to_string());
        tasks.spawn(async move { write(&store, move |tx| say(tx, world, id, &name)).await });
    }
    let added = tasks.join_all().await;
    assert_eq!(added.into_iter().filter(|new| *new).count(), 20);
    let kept = write(store, move |tx| entries(tx, world, id)).await;
    assert_eq!(kept.iter().map(|(seq, _)| *seq).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
}

/// A page that comes back goes on where it was.
pub async fn whoever_read_up_to_a_number_asks_for_what_comes_after(store: &Store) {
    let (world, id) = begun(store, "shop").await;
    write(store, move |tx| {
        assert_eq!(web_chat::last_seq(tx, world.organization, id)?, 0);
        for name in ["a", "b", "c", "d"] {
            say(tx, world, id, name)?;
        }
        let read = web_chat::after(tx, world.organization, id, 1, 2)?;
        assert_eq!(read.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["b", "c"]);
        let first = read.first().unwrap();
        assert_eq!((first.author, first.text.as_str(), first.created_at), (ChatAuthor::Visitor, "b", now()));
        assert_eq!(web_chat::after(tx, world.organization, id, 4, 2)?, []);
        assert_eq!(web_chat::last_seq(tx, world.organization, id)?, 4);
        Ok(())
    })
    .await;
}

/// While the chat expects a reply, the visitor sees the typing indicator.
pub async fn an_answer_is_on_its_way_while_something_waits_or_is_worked_on(store: &Store) {
    let world = world(store, "shop").await;
    write(store, move |tx| {
        let id = ripe(tx, world, 0)?;
        assert!(web_chat::is_answering(tx, world.organization, id)?);
        lease::set_due(tx, world.organization, id, None)?;
        assert!(!web_chat::is_answering(tx, world.organization, id)?);
        lease::set_due(tx, world.organization, id, Some(at(0)))?;
        let request = lease::LeaseRequest { owner: "a", now: at(9), until: at(30), limit: 1, suspects: 1 };
        let leased = lease::lease_due(tx, &request)?;
        lease::set_due(tx, world.organization, id, None)?;
        assert!(web_chat::is_answering(tx, world.organization, id)?);
        lease::finish(tx, &leased.first().unwrap().lease)?;
        assert!(!web_chat::is_answering(tx, world.organization, id)?);
        Ok(())
    })
    .await;
}

/// Every question names its organization.
pub async fn tenants_do_not_read_each_others_entries(store: &Store) {
    let (ours, id) = begun(store, "ours").await;
    let theirs = world(store, "theirs").await;
    write(store, move |tx| {
        say(tx, ours, id, "a")?;
        assert_eq!(entries(tx, theirs, id)?, []);
        assert_eq!(web_chat::last_seq(tx, theirs.organization, id)?, 0);
        assert!(!web_chat::is_answering(tx, theirs.organization, id)?);
        Ok(())
    })
    .await;
}

/// Each organization has its own names, and only what is over is forgotten.
pub async fn a_pace_is_kept_by_name_and_forgotten_when_it_is_over(store: &Store) {
    let (one, other) = (world(store, "one").await, world(store, "other").await);
    write(store, move |tx| {
        assert_eq!(request_rate::find(tx, one.organization, "ana")?, None);
        request_rate::set(tx, one.organization, "ana", at(5))?;
        request_rate::set(tx, one.organization, "ana", at(20))?;
        request_rate::set(tx, one.organization, "bia", at(10))?;
        request_rate::set(tx, other.organization, "ana", at(10))?;
        assert_eq!(request_rate::find(tx, one.organization, "ana")?, Some(at(20)));
        assert_eq!(request_rate::forget(tx, one.organization, at(10))?, 1);
        assert_eq!(request_rate::find(tx, one.organization, "bia")?, None);
        assert_eq!(request_rate::find(tx, one.organization, "ana")?, Some(at(20)));
        assert_eq!(request_rate::find(tx, other.organization, "ana")?, Some(at(10)));
        Ok(())
    })
    .await;
}

/// What a visitor may read is what their own chat shows.
pub async fn a_file_is_shown_in_its_own_conversation(store: &Store) {
    let (world, id) = begun(store, "shop").await;
    let (others, elsewhere) = begun(store, "others").await;
    write(store, move |tx| {
        let contact = *world.contacts.first().unwrap();
        let bytes = Fetched { mime: "image/png", sha256: "00", bytes: b"png" };
        let own = OwnFile { contact, conversation: id, channel: "web", media: "{}", file: bytes };
        let file = attachment::add(tx, world.organization, &own, now())?;
        assert!(!web_chat::shows(tx, world.organization, id, file)?);
        let new = NewEntry { conversation: id, name: "a", author: ChatAuthor::Staff, text: "", file: Some(file) };
        assert!(web_chat::push(tx, world.organization, &new, now())?);
        assert!(web_chat::shows(tx, world.organization, id, file)?);
        assert!(!web_chat::shows(tx, others.organization, id, file)?);
        assert!(!web_chat::shows(tx, others.organization, elsewhere, file)?);
        let [entry] = web_chat::after(tx, world.organization, id, 0, 10)?.try_into().unwrap();
        assert_eq!(entry.file, Some(file));
        Ok(())
    })
    .await;
}
