//! What every database must do for bookings that wait for a calendar outside. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use std::ops::ControlFlow;

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{AppointmentStatus, Currency};
use balcao_store::queries::pages::{self, AppointmentRange};
use balcao_store::queries::report::{self, Scope};
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict};
use balcao_store::scheduling::calendar_event::FailedPush;
use balcao_store::scheduling::calendar_link::LinkAccess;
use balcao_store::scheduling::{appointment, calendar_claim, calendar_event, calendar_link};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Store, StoreError};
use jiff::Timestamp;

use super::Case;
use super::delivery::{at, write};
use super::outside_calendars::{CALENDAR, claimed, link};
use super::store::{at as appointment_at, now, world};

cases!(a_claim_goes_with_its_key, a_held_appointment_is_agreed_or_removed);

/// Another business does not see it, and other arguments are an error.
pub async fn a_claim_goes_with_its_key(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let id = appointment::insert(tx, ours.organization, &appointment_at(ours, 0, 1), now())?.unwrap();
        let key = |hash: &str| EffectKey {
            key: "k".to_owned(),
            args_hash: hash.to_owned(),
            turn: None,
            tool: "t".to_owned(),
        };
        let claim = calendar_claim::CalendarClaim { appointment: id, answer: "yes".to_owned() };
        calendar_claim::insert(tx, ours.organization, &key("h"), &claim)?;
        assert_eq!(calendar_claim::find(tx, ours.organization, &key("h"))?, Some(claim.clone()));
        assert_eq!(calendar_claim::find::<String>(tx, theirs.organization, &key("h"))?, None);
        assert!(
            calendar_claim::holds(tx, ours.organization, id)? && !calendar_claim::holds(tx, theirs.organization, id)?
        );
        let reused = calendar_claim::find::<String>(tx, ours.organization, &key("other"));
        assert!(matches!(reused, Err(StoreError::KeyReused { .. })), "{reused:?}");
        assert!(calendar_claim::remove(tx, ours.organization, &key("h"))?);
        assert!(!calendar_claim::remove(tx, ours.organization, &key("h"))?);
        assert!(!calendar_claim::holds(tx, ours.organization, id)?);
        calendar_claim::insert(tx, ours.organization, &key("h"), &claim)?;
        assert_eq!(calendar_claim::remove_of(tx, ours.organization, id)?, 1);
        calendar_claim::insert(tx, ours.organization, &key("h"), &claim)?;
        calendar_claim::sweep(tx, theirs.organization)?;
        assert!(calendar_claim::find::<String>(tx, ours.organization, &key("h"))?.is_some());
        // It is agreed, so it waits no more.
        calendar_claim::sweep(tx, ours.organization)?;
        assert_eq!(calendar_claim::find::<String>(tx, ours.organization, &key("h"))?, None);
        // A move stands, and its claim waits until it is announced.
        calendar_claim::insert_move(tx, ours.organization, &key("h"), &claim, at(5))?;
        calendar_claim::sweep(tx, ours.organization)?;
        assert_eq!(calendar_claim::remove_of(tx, ours.organization, id)?, 0);
        assert!(calendar_claim::list_old_moves::<String>(tx, ours.organization, at(4))?.is_empty());
        assert!(calendar_claim::list_old_moves::<String>(tx, theirs.organization, at(5))?.is_empty());
        let old = calendar_claim::list_old_moves::<String>(tx, ours.organization, at(5))?;
        let old: Vec<_> = old.into_iter().map(|(key, claim)| (key.key, key.args_hash, claim)).collect();
        assert_eq!(old, [("k".to_owned(), "h".to_owned(), claim)]);
        Ok(())
    })
    .await;
}

/// One that was agreed stays, and so does one whose event may still be there.
pub async fn a_held_appointment_is_agreed_or_removed(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let held = |contact, hour| {
            let mut new = appointment_at(world, contact, hour);
            (new.status, new.expires_at) = (AppointmentStatus::Pending, Some(at(60)));
            new
        };
        let first = appointment::insert(tx, world.organization, &held(0, 1), now())?.unwrap();
        assert!(appointment::agree(tx, world.organization, first, AppointmentStatus::Confirmed, None)?);
        assert!(!appointment::agree(tx, world.organization, first, AppointmentStatus::Confirmed, None)?);
        assert!(!appointment::remove_untold(tx, world.organization, first, at(1))?);
        let second = appointment::insert(tx, world.organization, &held(1, 3), now())?.unwrap();
        appointment::cancel(tx, world.organization, second, &MarkAuthor::Job, at(1))?;
        assert!(!appointment::agree(tx, world.organization, second, AppointmentStatus::Confirmed, None)?);
        assert!(appointment::remove_untold(tx, world.organization, second, at(1))?);
        assert_eq!(appointment::find(tx, world.organization, second, Currency::BRL)?, None);
        calendar_link::link(tx, world.organization, &link(world, CALENDAR, LinkAccess::Write), now())?;
        let third = appointment::insert(tx, world.organization, &held(1, 5), now())?.unwrap();
        let push = claimed(tx, world, third)?;
        let down = FailedPush { failure: "down", due: at(0), sent_nothing: true };
        assert!(calendar_event::record_failure(tx, world.organization, &push, down)?);
        assert_eq!(calendar_event::find(tx, world.organization, third)?.unwrap().begun, 0);
        let push = claimed(tx, world, third)?;
        appointment::cancel(tx, world.organization, third, &MarkAuthor::Job, at(1))?;
        assert!(!appointment::remove_untold(tx, world.organization, third, at(1))?);
        assert!(calendar_event::record_gone(tx, world.organization, &push)?);
        // The cancellation wanted another push.
        let push = claimed(tx, world, third)?;
        assert!(calendar_event::record_gone(tx, world.organization, &push)?);
        let collision = FoundConflict {
            appointment: third,
            kind: ConflictKind::Collision,
            calendar: CALENDAR.to_owned(),
            event: "theirs".to_owned(),
            span: None,
            version: "1".to_owned(),
            moved_from: None,
        };
        calendar_conflict::record(tx, world.organization, &collision, at(2))?;
        // The insert was not there yet when it was looked up.
        assert!(!appointment::remove_untold(tx, world.organization, third, at(2))?);
        assert!(!calendar_conflict::has_open(tx, world.organization, third)?);
        assert_eq!(
            appointment::find(tx, world.organization, third, Currency::BRL)?,
            None,
            "the customer has no such visit"
        );
        let scope = Scope { from: at(0), to: Timestamp::MAX, of: None };
        let counted: u32 = report::totals(tx, world.organization, scope, at(2))?.iter().map(|one| one.count).sum();
        let mut exported = 0;
        report::each_booked(tx, world.organization, scope, |_one| {
            exported += 1;
            ControlFlow::Continue(())
        })?;
        let range = AppointmentRange { from: at(0), to: Timestamp::MAX, after: None, unmarked_at: None };
        let paged = pages::appointments(tx, world.organization, &range, Currency::BRL, 99)?;
        assert_eq!((counted, exported, paged.len()), (1, 1, 1), "the first alone");
        assert!(!appointment::changed_since(tx, world.organization, world.contacts[1], at(0))?);
        assert_eq!(appointment::sweep_given_up(tx, world.organization, at(86_400))?, 0);
        assert_eq!(appointment::sweep_given_up(tx, world.organization, at(86_401))?, 0, "not read since");
        tx.execute("UPDATE outside_calendar SET synced_at = ?1", &[at(86_401).into()])?;
        assert_eq!(appointment::sweep_given_up(tx, world.organization, at(86_401))?, 1);
        assert_eq!(appointment::find(tx, world.organization, third, Currency::BRL)?, None);
        Ok(())
    })
    .await;
}
