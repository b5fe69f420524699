//! What every database must do for reminders. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::appointment::visit::{MarkAuthor, VisitEnd, VisitMark};
use balcao_domain::reminder::{PlannedReminder, ReminderOrigin};
use balcao_domain::{AppointmentId, Currency, OrganizationId, ReminderId};
use balcao_store::messaging::conversation;
use balcao_store::scheduling::reminder::{self, ReminderState, ReminderSubject};
use balcao_store::scheduling::visit_mark::{self, Batch, UnmarkedScope};
use balcao_store::{Store, StoreError, Tx, scheduling::appointment};
use jiff::Timestamp;

use super::Case;
use super::delivery::{at, write};
use super::store::{now, world};

cases!(
    a_reminder_that_was_cancelled_can_be_planned_again,
    a_reminder_is_known_by_its_start_and_its_minutes,
    a_sent_reminder_is_confirmed_once,
    a_mark_ends_the_reminders,
    two_who_begin_a_conversation_at_once_get_the_same_one,
);

/// The same reminder is one row, and comes back to life.
pub async fn a_reminder_that_was_cancelled_can_be_planned_again(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let booked = appointment::insert(tx, organization, &super::store::at(world, 0, 10), now())?.unwrap();
        let first = plan_reminder(tx, organization, booked, (30, at(60)))?;
        assert_eq!(plan_reminder(tx, organization, booked, (30, at(60)))?, first);
        plan_reminder(tx, organization, booked, (60, at(30)))?;
        assert_eq!(open_reminders(tx, organization, booked)?, [at(30), at(60)]);
        assert_eq!(reminder::cancel_of(tx, organization, booked)?, 2);
        assert_eq!(plan_reminder(tx, organization, booked, (30, at(60)))?, first);
        assert_eq!(open_reminders(tx, organization, booked)?, [at(60)]);
        Ok(())
    })
    .await;
}

/// Plans a reminder that the contact asked for: so many minutes before the start, at an instant.
pub(super) fn plan_reminder(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
    (minutes_before, remind_at): (u32, Timestamp),
) -> Result<ReminderId, StoreError> {
    let subject = ReminderSubject { appointment, starts_at: at(3_600) };
    let planned = PlannedReminder { minutes_before, remind_at };
    reminder::insert(tx, organization, subject, ReminderOrigin::Asked, planned, now())
}

/// When the open reminders of an appointment leave.
pub(super) fn open_reminders(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    appointment: AppointmentId,
) -> Result<Vec<Timestamp>, StoreError> {
    let all = reminder::list_of(tx, organization, appointment)?;
    Ok(all.iter().filter(|one| one.state == ReminderState::Open).map(|one| one.planned.remind_at).collect())
}

/// The key is the appointment, its start and the minutes before: automatic and asked-for reminders are one, wherever quiet hours move it.
pub async fn a_reminder_is_known_by_its_start_and_its_minutes(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = ours.organization;
        let booked = appointment::insert(tx, organization, &super::store::at(ours, 0, 10), now())?.unwrap();
        let subject = ReminderSubject { appointment: booked, starts_at: at(7_200) };
        let (day, hour) = (
            PlannedReminder { minutes_before: 90, remind_at: at(1_800) },
            PlannedReminder { minutes_before: 60, remind_at: at(3_600) },
        );
        let plan =
            |tx: &mut Tx<'_>, origin| reminder::insert_each(tx, organization, subject, origin, &[day, hour], now());
        plan(tx, ReminderOrigin::Automatic)?;
        plan(tx, ReminderOrigin::Automatic)?;
        let [first, second] = reminder::list_of(tx, organization, booked)?.try_into().unwrap();
        assert_eq!((first.planned, second.planned), (day, hour));
        assert_eq!(
            (first.origin, first.state, first.subject),
            (ReminderOrigin::Automatic, ReminderState::Open, subject)
        );
        // Quiet hours move it; the contact asks for the same one, and an automatic plan follows.
        assert!(reminder::move_to(tx, organization, second.id, at(4_000))?);
        assert_eq!(reminder::insert(tx, organization, subject, ReminderOrigin::Asked, hour, now())?, second.id);
        plan(tx, ReminderOrigin::Automatic)?;
        let found = reminder::find(tx, organization, second.id)?.unwrap();
        assert_eq!((found.origin, found.planned.remind_at), (ReminderOrigin::Asked, at(4_000)));
        // One that was sent stays sent, and another start has reminders of its own.
        assert!(reminder::end(tx, organization, first.id, true)?);
        plan(tx, ReminderOrigin::Automatic)?;
        assert_eq!(open_reminders(tx, organization, booked)?, [at(4_000)]);
        let other = ReminderSubject { starts_at: at(9_000), ..subject };
        reminder::insert_each(tx, organization, other, ReminderOrigin::Automatic, &[hour], now())?;
        assert_eq!(reminder::list_of(tx, organization, booked)?.len(), 3);
        // The list of what is to come goes page by page, and shows one organization.
        let page = reminder::list_open(tx, organization, None, 1)?;
        assert_eq!(page.iter().map(|one| one.planned.remind_at).collect::<Vec<_>>(), [at(3_600)]);
        let next = page.first().map(|one| (one.planned.remind_at, one.id));
        assert_eq!(
            reminder::list_open(tx, organization, next, 10)?.iter().map(|one| one.id).collect::<Vec<_>>(),
            [second.id]
        );
        assert_eq!(reminder::list_open(tx, theirs.organization, None, 10)?, []);
        assert_eq!(reminder::find(tx, theirs.organization, second.id)?, None);
        Ok(())
    })
    .await;
}

/// The contact's answer counts once for a start, and only of a reminder that was sent.
pub async fn a_sent_reminder_is_confirmed_once(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let booked = appointment::insert(tx, organization, &super::store::at(world, 0, 10), now())?.unwrap();
        let subject = ReminderSubject { appointment: booked, starts_at: at(3_600) };
        let first = plan_reminder(tx, organization, booked, (30, at(10)))?;
        let second = plan_reminder(tx, organization, booked, (20, at(20)))?;
        assert!(!reminder::confirm(tx, organization, subject, at(15))?, "nothing was sent");
        assert!(reminder::end(tx, organization, first, true)?);
        let other = ReminderSubject { starts_at: at(7_200), ..subject };
        assert!(!reminder::confirm(tx, organization, other, at(15))?, "another start");
        assert!(reminder::confirm(tx, organization, subject, at(15))?);
        assert!(reminder::end(tx, organization, second, true)?);
        assert!(!reminder::confirm(tx, organization, subject, at(25))?, "they said so before");
        let answered =
            reminder::list_of(tx, organization, booked)?.iter().map(|one| one.confirmed_at).collect::<Vec<_>>();
        assert_eq!(answered, [Some(at(15)), None]);
        Ok(())
    })
    .await;
}

/// A mark of staff or of the server ends the reminders of a visit.
pub async fn a_mark_ends_the_reminders(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let mut booked = Vec::new();
        for hour in [10, 12] {
            let id = appointment::insert(tx, organization, &super::store::at(world, 0, hour), now())?.unwrap();
            plan_reminder(tx, organization, id, (30, at(60)))?;
            booked.push(id);
        }
        let [shown, assumed] = booked.try_into().unwrap();
        let open = appointment::find(tx, organization, shown, Currency::BRL)?.unwrap();
        let mark = VisitMark { by: MarkAuthor::Operator, at: at(100), from: open.status };
        assert!(visit_mark::set(tx, organization, &open, VisitEnd::NoShow, &mark)?);
        assert_eq!(open_reminders(tx, organization, shown)?, []);
        let (all, batch) = (UnmarkedScope::NotTakenUp, Batch { ended_by: Timestamp::MAX, limit: 10 });
        assert_eq!(visit_mark::complete_unmarked(tx, organization, all, batch, &MarkAuthor::Job, at(100))?, 1);
        assert_eq!(open_reminders(tx, organization, assumed)?, []);
        assert!(appointment::lock_open(tx, organization, assumed).is_ok_and(|open| !open));
        Ok(())
    })
    .await;
}

/// A reminder may begin a conversation while the contact writes for the first time.
pub async fn two_who_begin_a_conversation_at_once_get_the_same_one(store: &Store) {
    let world = world(store, "a").await;
    let contact = *world.contacts.first().unwrap();
    let begin =
        || write(store, move |tx| conversation::find_or_begin(tx, world.organization, contact, "whatsapp", now()));
    let begun = futures::future::join_all((0..8).map(|_| begin())).await;
    let first = begun.first().map(|one| one.id).unwrap();
    assert!(begun.iter().all(|one| one.id == first));
}
