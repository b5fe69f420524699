//! What every database must do with what services of packs tell of. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_store::pack_delivery::{self, Arrived};
use balcao_store::retention::{self, Old};
use balcao_store::{Store, event};

use super::Case;
use super::delivery::{at, write};
use super::store::world;

cases!(
    a_delivery_and_a_change_are_taken_once_for_ever,
    a_delivery_without_a_name_is_a_repeat_for_a_short_while_only,
    a_delivery_becomes_one_event_and_forgets_what_was_sent,
    a_delivery_that_cannot_be_read_is_tried_again_and_then_given_up,
);

const fn told(once: &'static str, change: Option<&'static str>) -> Arrived<'static> {
    Arrived { pack: "clickup", once, named: true, change, body: "{}" }
}

/// Another organization and another pack have theirs; what names no change is told apart by itself alone.
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
        assert_eq!(pack_delivery::due(tx, ours, at(1), 10)?.len(), 5);
        assert_eq!(pack_delivery::due(tx, ours, at(0), 10)?.len(), 1);
        assert_eq!(pack_delivery::due(tx, ours, at(1), 2)?.len(), 2);
        let id = pack_delivery::due(tx, ours, at(1), 1)?.remove(0).id;
        assert!(pack_delivery::hand_on(tx, ours, id, "{}", at(2))?);
        assert!(!pack_delivery::accept(tx, ours, told("created", Some("h1")), at(9_000))?, "also after that");
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
        assert!(pack_delivery::accept(tx, ours, told("a folder", None), at(1))?, "a name is no bytes");
        let change = |once| Arrived { named: false, ..told(once, Some("h1")) };
        assert!(pack_delivery::accept(tx, ours, change("a task"), at(1))?);
        assert!(!pack_delivery::accept(tx, ours, change("a task"), at(9 * within))?, "the same change");
        Ok(())
    })
    .await;
}

/// Whoever comes second does nothing; another organization cannot.
pub async fn a_delivery_becomes_one_event_and_forgets_what_was_sent(store: &Store) {
    let (ours, theirs) = (world(store, "a").await.organization, world(store, "b").await.organization);
    write(store, move |tx| {
        pack_delivery::accept(tx, ours, Arrived { body: "{\"a\":1}", ..told("x", None) }, at(0))?;
        let waiting = pack_delivery::due(tx, ours, at(0), 10)?.remove(0);
        assert_eq!((waiting.pack.as_str(), waiting.body.as_str(), waiting.attempts), ("clickup", "{\"a\":1}", 0));
        assert!(!pack_delivery::hand_on(tx, theirs, waiting.id, "{}", at(1))?);
        assert!(pack_delivery::hand_on(tx, ours, waiting.id, "{\"pack\":\"clickup\"}", at(1))?);
        assert!(!pack_delivery::hand_on(tx, ours, waiting.id, "{}", at(2))?);
        assert!(pack_delivery::due(tx, ours, at(9), 10)?.is_empty());
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
        let id = pack_delivery::due(tx, ours, at(0), 10)?.remove(0).id;
        pack_delivery::fail(tx, ours, id, "no worker", Some(at(60)))?;
        assert!(pack_delivery::due(tx, ours, at(59), 10)?.is_empty());
        assert_eq!(pack_delivery::due(tx, ours, at(60), 10)?.remove(0).attempts, 1);
        assert_eq!(pack_delivery::failed(tx, ours)?, 0);
        pack_delivery::fail(tx, ours, id, "no worker", None)?;
        assert!(pack_delivery::due(tx, ours, at(9_000), 10)?.is_empty());
        assert_eq!(pack_delivery::failed(tx, ours)?, 1);
        assert!(!pack_delivery::hand_on(tx, ours, id, "{}", at(61))?, "it was given up");
        assert_eq!(retention::count(tx, ours, Old::PackDelivery, at(0))?, 0);
        assert_eq!(retention::delete(tx, ours, Old::PackDelivery, at(1), 10)?, 1);
        assert_eq!(retention::delete(tx, ours, Old::PackDelivery, at(1), 10)?, 0, "once");
        assert!(!pack_delivery::accept(tx, ours, told("x", None), at(9_000))?, "that it came stays");
        Ok(())
    })
    .await;
}
