//! What every database must do with deferred writes, whose answer the caller does not need, and with prefetches. Each function is one
//! case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use std::sync::mpsc::channel;

use balcao_domain::{Currency, OrganizationId, Span};
use balcao_store::messaging::message::Author;
use balcao_store::queries::prefetch::{self, TurnPrefetch};
use balcao_store::scheduling::catalog::Around;
use balcao_store::{
    Store, StoreError, Tx, Value, crm::organization, crm::tag, messaging::inbox, messaging::message,
    scheduling::appointment, scheduling::catalog, scheduling::hours, scheduling::waitlist, turns::lease, turns::turn,
};

use super::Case;
use super::delivery::{ripe, write};
use super::store::{World, now, open_turn, world};

cases!(
    a_deferred_write_is_seen_by_the_next_read,
    a_deferred_write_that_fails_undoes_its_transaction,
    a_deferred_write_that_fails_is_no_affair_of_its_neighbours,
    a_deferred_write_is_undone_with_its_attempt,
    what_failed_before_an_attempt_is_not_forgotten_with_it,
    what_failed_in_an_attempt_is_not_forgotten_with_the_next_one,
    a_deferred_write_that_fails_at_the_commit_is_in_nobodys_way,
    deferred_writes_keep_their_order_however_many,
    values_that_do_not_fit_fail_where_they_are_given,
    a_deferred_write_cannot_write_in_a_read,
    what_is_read_ahead_is_what_is_read,
    an_agenda_and_a_turn_are_the_same_if_they_are_read_ahead,
);

const INSERT: &str = "INSERT INTO tag (organization_id, name) VALUES (?1, ?2)";
const NAMES: &str = "SELECT name FROM tag WHERE organization_id = ?1 ORDER BY name";

/// Adds a tag later. A name that is taken makes that fail.
fn add(tx: &mut Tx<'_>, organization: OrganizationId, name: &str) -> Result<(), StoreError> {
    tx.defer(INSERT, &[organization.into(), name.into()])
}

fn names(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Vec<String>, StoreError> {
    tx.query_all(NAMES, &[organization.into()], |row| row.get(0))
}

/// Also by one that was asked before.
pub async fn a_deferred_write_is_seen_by_the_next_read(store: &Store) {
    let organization = world(store, "a").await.organization;
    write(store, move |tx| {
        assert!(names(tx, organization)?.is_empty());
        add(tx, organization, "vip")?;
        assert_eq!(names(tx, organization)?, ["vip"]);
        add(tx, organization, "noiva")?;
        assert_eq!(tag::list(tx, organization)?.len(), 2);
        assert_eq!(names(tx, organization)?, ["noiva", "vip"]);
        assert_eq!(tx.execute("DELETE FROM tag WHERE organization_id = ?1", &[organization.into()])?, 2);
        assert!(names(tx, organization)?.is_empty());
        add(tx, organization, "last")
    })
    .await;
    assert_eq!(store.read(move |tx| names(tx, organization)).await.unwrap(), ["last"]);
}

/// The caller receives the error, although its closure returned `Ok`.
pub async fn a_deferred_write_that_fails_undoes_its_transaction(store: &Store) {
    let organization = world(store, "a").await.organization;
    let done = store.write(move |tx| {
        tag::insert(tx, organization, "vip")?;
        add(tx, organization, "noiva")?;
        add(tx, organization, "vip")
    });
    assert!(matches!(done.await, Err(StoreError::Constraint { .. })));
    assert!(store.read(move |tx| names(tx, organization)).await.unwrap().is_empty());
    write(store, move |tx| add(tx, organization, "vip")).await;
}

/// Those that share its commit are kept, before it and after it.
pub async fn a_deferred_write_that_fails_is_no_affair_of_its_neighbours(store: &Store) {
    let organization = world(store, "a").await.organization;
    let (begin, begun) = channel::<()>();
    let adds = |names: [&'static str; 2]| {
        store.write(move |tx| names.into_iter().try_for_each(|name| add(tx, organization, name)))
    };
    // What is asked for while one is busy shares the next commit.
    let busy = store.write(move |_tx| begun.recv().map_err(|_gone| StoreError::Closed));
    let (_, first, second, third, ()) = tokio::join!(
        biased;
        busy,
        adds(["a", "b"]),
        adds(["c", "b"]),
        adds(["d", "e"]),
        async { begin.send(()).unwrap() }
    );
    first.unwrap();
    assert!(matches!(second, Err(StoreError::Constraint { .. })));
    third.unwrap();
    assert_eq!(store.read(move |tx| names(tx, organization)).await.unwrap(), ["a", "b", "d", "e"]);
}

/// What was deferred before it stays.
pub async fn a_deferred_write_is_undone_with_its_attempt(store: &Store) {
    let organization = world(store, "a").await.organization;
    write(store, move |tx| {
        add(tx, organization, "stays")?;
        let refused = tx.savepoint::<(), &str, StoreError>(|tx| {
            add(tx, organization, "goes")?;
            tx.savepoint::<(), (), StoreError>(|tx| Ok(Ok(add(tx, organization, "goes, too")?)))?.unwrap();
            Ok(Err("refused"))
        })?;
        assert_eq!(refused, Err("refused"));
        // A failure that its attempt knows of is undone with it.
        let failed = tx.savepoint::<(), (), StoreError>(|tx| {
            add(tx, organization, "stays")?;
            names(tx, organization).map(|_names| Ok(()))
        });
        assert!(matches!(failed, Err(StoreError::Constraint { .. })));
        assert_eq!(names(tx, organization)?, ["stays"]);
        Ok(())
    })
    .await;
    assert_eq!(store.read(move |tx| names(tx, organization)).await.unwrap(), ["stays"]);
}

/// An attempt within another, both refused: what failed between the two beginnings breaks the inner one and the outer one.
pub async fn what_failed_before_an_attempt_is_not_forgotten_with_it(store: &Store) {
    let organization = world(store, "a").await.organization;
    let done = store.write(move |tx| {
        tag::insert(tx, organization, "vip")?;
        let outer = tx.savepoint::<(), (), StoreError>(|tx| {
            tag::insert(tx, organization, "noiva")?;
            add(tx, organization, "vip")?;
            // It is content with anything that becomes of the inner one.
            drop(tx.savepoint::<(), (), StoreError>(|tx| tag::insert(tx, organization, "barba").map(|_id| Err(()))));
            Ok(Ok(()))
        })?;
        assert_eq!(outer, Ok(()));
        Ok::<(), StoreError>(())
    });
    assert!(matches!(done.await, Err(StoreError::Constraint { .. })));
    assert!(store.read(move |tx| names(tx, organization)).await.unwrap().is_empty());
}

/// One attempt after another, as a webhook's events or a timer's rows: whatever comes of the second, with a statement of its own or
/// without, the first is not undone in silence.
pub async fn what_failed_in_an_attempt_is_not_forgotten_with_the_next_one(store: &Store) {
    let organization = world(store, "a").await.organization;
    for with_a_statement in [false, true] {
        let done = store.write(move |tx| {
            tag::insert(tx, organization, "vip")?;
            let first = tx.savepoint::<(), (), StoreError>(|tx| {
                tag::insert(tx, organization, "noiva")?;
                add(tx, organization, "vip").map(Ok)
            })?;
            assert_eq!(first, Ok(()));
            // This closure drops the result of its savepoint, so it accepts every outcome of it.
            drop(tx.savepoint::<(), (), StoreError>(|tx| {
                if with_a_statement {
                    tag::insert(tx, organization, "barba")?;
                }
                Ok(Err(()))
            }));
            tag::insert(tx, organization, "last").map(drop)
        });
        assert!(matches!(done.await, Err(StoreError::Constraint { .. })), "{with_a_statement}");
        assert!(store.read(move |tx| names(tx, organization)).await.unwrap().is_empty());
    }
}

/// The transaction also has a savepoint behind it and a wake-up to send. After its failure the next transaction succeeds at once.
pub async fn a_deferred_write_that_fails_at_the_commit_is_in_nobodys_way(store: &Store) {
    let world = world(store, "a").await;
    let organization = world.organization;
    let done = store.write(move |tx| {
        let conversation = ripe(tx, world, 0)?;
        tag::insert(tx, organization, "vip")?;
        let kept = tx.savepoint::<(), (), StoreError>(|tx| {
            lease::set_due(tx, organization, conversation, Some(now()))?;
            add(tx, organization, "vip").map(Ok)
        })?;
        assert_eq!(kept, Ok(()));
        Ok::<(), StoreError>(())
    });
    assert!(matches!(done.await, Err(StoreError::Constraint { .. })));
    write(store, move |tx| add(tx, organization, "vip")).await;
    assert_eq!(store.read(move |tx| names(tx, organization)).await.unwrap(), ["vip"]);
}

/// More than wait at once.
pub async fn deferred_writes_keep_their_order_however_many(store: &Store) {
    let organization = world(store, "a").await.organization;
    let sum = write(store, move |tx| {
        add(tx, organization, "0")?;
        for number in 1..=300_i64 {
            let sql = "UPDATE tag SET name = ?2 WHERE organization_id = ?1 AND name = ?3";
            tx.defer(sql, &[organization.into(), number.to_string().into(), (number - 1).to_string().into()])?;
        }
        names(tx, organization)
    });
    assert_eq!(sum.await, ["300"]);
}

/// Not with a later statement, and never in silence. SQLite takes any value; its column refuses what it is not for.
pub async fn values_that_do_not_fit_fail_where_they_are_given(store: &Store) {
    let organization = world(store, "a").await.organization;
    let done = store.write(move |tx| {
        add(tx, organization, "vip")?;
        let strange = tx.defer(INSERT, &["not a number".into(), "noiva".into()]);
        assert!(strange.is_err());
        strange
    });
    assert!(done.await.is_err());
    assert!(store.read(move |tx| names(tx, organization)).await.unwrap().is_empty());
}

/// As any write.
pub async fn a_deferred_write_cannot_write_in_a_read(store: &Store) {
    let organization = world(store, "a").await.organization;
    let done = store.read(move |tx| add(tx, organization, "vip")).await;
    assert!(matches!(done, Err(StoreError::WriteInRead { .. })));
}

/// Of each organization its own, before a write and after it, asked for or not.
pub async fn what_is_read_ahead_is_what_is_read(store: &Store) {
    let (ours, theirs) = (world(store, "a").await.organization, world(store, "b").await.organization);
    write(store, move |tx| {
        add(tx, theirs, "theirs")?;
        let (one, other): ([Value<'_>; 1], [Value<'_>; 1]) = ([ours.into()], [theirs.into()]);
        tx.read_ahead(&[(NAMES, &one), ("SELECT count(*) FROM tag WHERE organization_id = ?1", &one)])?;
        tx.read_ahead(&[(NAMES, &other)])?;
        assert!(names(tx, ours)?.is_empty());
        assert_eq!(names(tx, theirs)?, ["theirs"]);
        tag::insert(tx, ours, "ours")?;
        assert_eq!(names(tx, ours)?, ["ours"]);
        assert_eq!(names(tx, theirs)?, ["theirs"]);
        Ok(())
    })
    .await;
}

/// Around today, as a text that tells all of it.
///
/// # Errors
/// What the database said.
pub fn read_agenda(tx: &mut Tx<'_>, world: World, is_ahead: bool) -> Result<String, StoreError> {
    let (id, span) = (world.organization, Span::of_minutes(now(), 24 * 60));
    let today = now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let around = Around { from: today, to: today, since: now() };
    let business = organization::get(tx, id)?;
    if is_ahead {
        prefetch::prefetch_agenda(tx, id, around, span, None, now())?;
    }
    let business = hours::of_business(tx, &business, today, today)?;
    let services = catalog::list_services(tx, id, Currency::BRL)?;
    let professionals = catalog::list_professionals(tx, id, around)?;
    let taken = appointment::occupied(tx, id, span, now())?;
    let held = waitlist::held_for_others(tx, id, span, None, now())?;
    Ok(format!("{business:?} {services:?} {professionals:?} {taken:?} {held:?}"))
}

/// What a turn begins with, as a text that tells all of it.
///
/// # Errors
/// What the database said.
pub fn read_turn(tx: &mut Tx<'_>, begins: &TurnPrefetch, is_ahead: bool) -> Result<String, StoreError> {
    let TurnPrefetch { organization: id, contact, conversation, transcripts: (from, most), .. } = *begins;
    if is_ahead {
        prefetch::prefetch_turn(tx, begins)?;
    }
    let transcripts = turn::transcripts(tx, id, conversation, from, most)?;
    let payloads = inbox::payloads_of_turn(tx, id, begins.turn)?;
    let told = message::find_last_notification(tx, id, conversation, begins.told_since)?;
    let upcoming = appointment::upcoming_of_contact(tx, id, contact, Currency::BRL, begins.now)?;
    let written = message::count_since(tx, id, conversation, Author::Contact, begins.written_since)?;
    let answered = message::count_since(tx, id, conversation, Author::Agent, begins.answered_since)?;
    Ok(format!("{transcripts:?} {payloads:?} {told:?} {upcoming:?} {written} {answered}"))
}

/// A turn of the world's first contact that begins now.
///
/// # Errors
/// What the database said.
pub fn turn_of(tx: &mut Tx<'_>, world: World) -> Result<TurnPrefetch, StoreError> {
    let conversation = ripe(tx, world, 0)?;
    let [contact, _other] = world.contacts;
    let turn = open_turn(tx, world.organization, conversation, now())?;
    Ok(TurnPrefetch {
        organization: world.organization,
        contact,
        conversation,
        turn,
        transcripts: (0, 40),
        told_since: now(),
        written_since: now(),
        answered_since: now(),
        now: now(),
    })
}

/// With an appointment in both.
pub async fn an_agenda_and_a_turn_are_the_same_if_they_are_read_ahead(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let before = read_agenda(tx, world, false)?;
        let booked = appointment::insert(tx, world.organization, &super::store::at(world, 0, 10), now())?;
        assert!(booked.is_some());
        let begins = turn_of(tx, world)?;
        let (late, early) = (read_agenda(tx, world, false)?, read_turn(tx, &begins, true)?);
        assert_ne!(late, before);
        assert_eq!(read_agenda(tx, world, true)?, late);
        assert_eq!(read_turn(tx, &begins, false)?, early);
        Ok(())
    })
    .await;
}
