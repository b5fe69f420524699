//! What every database must do for agendas that are read elsewhere. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::{AppointmentId, AppointmentStatus, Span};
use balcao_store::{Store, StoreError, Tx, messaging::conversation, scheduling::agenda_feed, scheduling::appointment};

use super::Case;
use super::delivery::{at, write};
use super::store::{World, at as appointment_at, now, world};

cases!(
    an_address_opens_one_agenda_until_it_is_revoked,
    an_agenda_holds_what_takes_time_in_order,
    an_appointment_that_is_moved_keeps_its_name_and_who_comes,
    a_conversation_keeps_whom_it_is_about,
);

fn book(tx: &mut Tx<'_>, world: World, contact: usize, hour: i64) -> Result<AppointmentId, StoreError> {
    Ok(appointment::insert(tx, world.organization, &appointment_at(world, contact, hour), now())?.unwrap())
}

/// Found by its hash alone; another organization can neither list nor revoke it; the same token is there once.
pub async fn an_address_opens_one_agenda_until_it_is_revoked(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let id = agenda_feed::insert(tx, ours.organization, ours.professional, "h1", "busy", now())?;
        agenda_feed::insert(tx, theirs.organization, theirs.professional, "h2", "first_name", now())?;
        let found = agenda_feed::find_by_hash(tx, "h1")?.unwrap();
        assert_eq!((found.id, found.organization, found.professional), (id, ours.organization, ours.professional));
        assert_eq!((found.detail.as_str(), found.created_at, found.revoked_at), ("busy", now(), None));
        assert_eq!(agenda_feed::find_by_hash(tx, "h")?, None);
        assert_eq!(agenda_feed::list(tx, theirs.organization)?.len(), 1);
        assert!(!agenda_feed::revoke(tx, theirs.organization, id, at(1))?);
        assert!(agenda_feed::revoke(tx, ours.organization, id, at(1))?);
        assert!(!agenda_feed::revoke(tx, ours.organization, id, at(2))?);
        assert_eq!(agenda_feed::find_by_hash(tx, "h1")?, None);
        assert_eq!(agenda_feed::list(tx, ours.organization)?.remove(0).revoked_at, Some(at(1)));
        Ok(())
    })
    .await;
    let again =
        store.write(move |tx| agenda_feed::insert(tx, theirs.organization, theirs.professional, "h2", "busy", now()));
    assert!(again.await.is_err_and(|error: StoreError| error.is_unique_violation()));
}

/// What was cancelled, what is another organization's and what is outside the span is not in it.
pub async fn an_agenda_holds_what_takes_time_in_order(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let (late, early) = (book(tx, ours, 0, 5)?, book(tx, ours, 1, 2)?);
        let gone = book(tx, ours, 0, 8)?;
        appointment::cancel(tx, ours.organization, gone, &MarkAuthor::Customer, at(1))?;
        book(tx, ours, 0, 40)?;
        book(tx, theirs, 0, 3)?;
        let mut held = appointment_at(ours, 1, 10);
        held.status = AppointmentStatus::Pending;
        held.expires_at = Some(at(60));
        let held = appointment::insert(tx, ours.organization, &held, now())?.unwrap();
        let span = Span::of_minutes(now(), 24 * 60);
        let mut ids = |when, limit| {
            let all = agenda_feed::entries(tx, ours.organization, ours.professional, span, at(when), limit)?;
            Ok::<_, StoreError>(all.into_iter().map(|one| one.id).collect::<Vec<_>>())
        };
        assert_eq!(ids(0, 10)?, [early, late, held]);
        assert_eq!(ids(60, 10)?, [early, late]);
        assert_eq!(ids(0, 1)?, [early]);
        let cancelled = agenda_feed::entry(tx, ours.organization, gone)?;
        assert_eq!((cancelled.status, cancelled.changed_at), (AppointmentStatus::Cancelled, at(1)));
        assert!(agenda_feed::entry(tx, theirs.organization, gone).is_err());
        Ok(())
    })
    .await;
}

/// However often it is moved.
pub async fn an_appointment_that_is_moved_keeps_its_name_and_who_comes(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (first, second, third) = (book(tx, world, 0, 1)?, book(tx, world, 0, 3)?, book(tx, world, 0, 5)?);
        agenda_feed::set_attendee_phone(tx, world.organization, first, "+5511988887777")?;
        let original = agenda_feed::entry(tx, world.organization, first)?;
        assert_ne!(original.uid, agenda_feed::entry(tx, world.organization, second)?.uid);
        agenda_feed::moved(tx, world.organization, first, second)?;
        agenda_feed::moved(tx, world.organization, second, third)?;
        let moved = agenda_feed::entry(tx, world.organization, third)?;
        assert_eq!((moved.uid, moved.revision, original.revision), (original.uid, 2, 0));
        assert_eq!(moved.attendee_phone.as_deref(), Some("+5511988887777"));
        assert_eq!(moved.contact_phone.as_deref(), Some("+55 11 91111-1111"));
        Ok(())
    })
    .await;
}

/// The professional is absent until it is known, and absent again once any professional will do. Other updates of the conversation leave
/// it alone.
pub async fn a_conversation_keeps_whom_it_is_about(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let [contact, _] = ours.contacts;
        let begun = conversation::find_or_begin(tx, ours.organization, contact, "whatsapp", now())?;
        assert_eq!(begun.professional, None);
        conversation::set_professional(tx, theirs.organization, begun.id, Some(theirs.professional))?;
        assert_eq!(conversation::get(tx, ours.organization, begun.id)?.professional, None);
        conversation::set_professional(tx, ours.organization, begun.id, Some(ours.professional))?;
        conversation::update(tx, ours.organization, &begun)?;
        assert_eq!(conversation::get(tx, ours.organization, begun.id)?.professional, Some(ours.professional));
        conversation::set_professional(tx, ours.organization, begun.id, None)?;
        assert_eq!(conversation::get(tx, ours.organization, begun.id)?.professional, None);
        Ok(())
    })
    .await;
}
