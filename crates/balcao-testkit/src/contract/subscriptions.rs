//! What every database must do for subscriptions and their payments. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::subscription::{Plan, PlanPeriod, Subscriber, SubscriptionDates};
use balcao_domain::{Currency, Money, OrganizationId, PlanId, SubscriberId};
use balcao_store::crm::subscription::{self, NewSubscription, SubscriptionPayment};
use balcao_store::{Store, StoreError, StoreErrorClass, Tx, scheduling::catalog};
use jiff::civil::{Date, date};

use super::Case;
use super::delivery::{at, write};
use super::store::{World, world};

cases!(
    a_subscription_starts_once_and_again_after_its_end,
    of_two_changes_of_one_revision_the_first_is_written,
    a_payment_counts_once_per_reference,
    subscriptions_are_listed_by_id_and_tenant,
);

const TODAY: Date = date(2026, 11, 23);

fn plan(tx: &mut Tx<'_>, organization: OrganizationId, name: &str) -> Result<PlanId, StoreError> {
    let plan = Plan {
        id: PlanId::try_from(1).unwrap(),
        name: name.to_owned(),
        price: Money::new(9900, Currency::BRL),
        period: PlanPeriod::Month,
        covers: Vec::new(),
        quota: None,
        benefits: Vec::new(),
        active: true,
    };
    catalog::insert_plan(tx, organization, &plan)
}

fn new(world: World, contact: usize, plan: PlanId) -> NewSubscription {
    let dates = SubscriptionDates::start(date(2026, 10, 31), None, TODAY).unwrap();
    NewSubscription { contact: *world.contacts.get(contact).unwrap(), plan, dates }
}

fn started(tx: &mut Tx<'_>, world: World) -> Result<Subscriber, StoreError> {
    let plan = plan(tx, world.organization, "Mensal")?;
    let id = subscription::start(tx, world.organization, &new(world, 0, plan), TODAY)?.unwrap();
    Ok(subscription::find(tx, world.organization, id)?.unwrap())
}

/// Of two starts the first is written. One that ended starts again in its row; one whose end is still to come does not.
pub async fn a_subscription_starts_once_and_again_after_its_end(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let first = started(tx, world)?;
        let dates = SubscriptionDates { anchor_day: Some(31), ..first.dates };
        assert_eq!((first.dates, dates.started, first.revision), (dates, Some(date(2026, 10, 31)), 0));
        let again = new(world, 0, first.plan);
        assert_eq!(subscription::start(tx, organization, &again, TODAY)?, None);
        let ends = |ended| SubscriptionDates { ended: Some(ended), paused: Some(TODAY), ..dates };
        assert!(subscription::change(tx, organization, &first, &ends(date(2026, 11, 24)))?);
        assert_eq!(subscription::start(tx, organization, &again, TODAY)?, None, "it ends tomorrow");
        assert_eq!(subscription::start(tx, organization, &again, date(2026, 11, 24))?, Some(first.id));
        let restarted = subscription::find(tx, organization, first.id)?.unwrap();
        assert_eq!((restarted.dates, restarted.revision), (dates, 2));
        assert_eq!(subscription::lock_of_contact(tx, organization, first.contact)?, [restarted]);
        Ok(())
    })
    .await;
}

/// The second of two that read the same revision finds it changed.
pub async fn of_two_changes_of_one_revision_the_first_is_written(store: &Store) {
    let (world, other) = (world(store, "a").await, super::store::world(store, "b").await);
    write(store, move |tx| {
        let organization = world.organization;
        let read = started(tx, world)?;
        let paused = SubscriptionDates { paused: Some(TODAY), ..read.dates };
        assert!(!subscription::change(tx, other.organization, &read, &paused)?, "another's");
        assert!(subscription::change(tx, organization, &read, &paused)?);
        let ended = SubscriptionDates { ended: Some(TODAY), ..read.dates };
        assert!(!subscription::change(tx, organization, &read, &ended)?, "read before");
        let now = subscription::find(tx, organization, read.id)?.unwrap();
        assert_eq!((now.dates, now.revision), (paused, 1));
        assert_eq!(subscription::find(tx, other.organization, read.id)?, None);
        Ok(())
    })
    .await;
}

/// A reference is new once for each subscription, and no payment is for nothing.
pub async fn a_payment_counts_once_per_reference(store: &Store) {
    let world = world(store, "a").await;
    let paid = |reference: &str, amount_cents, second| SubscriptionPayment {
        reference: reference.to_owned(),
        amount_cents,
        due_from: Some(TODAY),
        due_to: date(2026, 12, 23),
        noted_at: at(second),
        noted_by: "davi@a".to_owned(),
        is_partial: false,
        taken_back: None,
    };
    let (first, second, free) = (paid("PIX-1", 9_900, 1), paid("PIX-2", 5_000, 2), paid("PIX-3", 0, 3));
    let id = write(store, move |tx| {
        let organization = world.organization;
        let one = started(tx, world)?;
        assert!(subscription::insert_payment(tx, organization, one.id, &first)?);
        assert!(!subscription::insert_payment(
            tx,
            organization,
            one.id,
            &SubscriptionPayment { amount_cents: 1, ..first.clone() }
        )?);
        assert!(subscription::insert_payment(tx, organization, one.id, &second)?);
        assert_eq!(subscription::find_payment(tx, organization, one.id, "PIX-1")?.as_ref(), Some(&first));
        assert_eq!(subscription::find_payment(tx, organization, one.id, "pix-1")?, None);
        assert_eq!(subscription::list_payments(tx, organization, one.id, 9)?, [second.clone(), first]);
        assert_eq!(subscription::list_payments(tx, organization, one.id, 1)?, std::slice::from_ref(&second));
        // A payment that was taken back gives its reference free, and stays on record until then.
        let by = ("ana@a", at(4));
        assert!(subscription::take_back_payment(tx, organization, one.id, "PIX-2", by)?);
        assert!(!subscription::take_back_payment(tx, organization, one.id, "PIX-2", by)?);
        let taken = subscription::find_payment(tx, organization, one.id, "PIX-2")?.unwrap();
        assert_eq!(taken.taken_back, Some((at(4), "ana@a".to_owned())));
        let partial = SubscriptionPayment { amount_cents: 1, is_partial: true, ..second.clone() };
        assert!(subscription::insert_payment(tx, organization, one.id, &partial)?);
        assert_eq!(subscription::find_payment(tx, organization, one.id, "PIX-2")?, Some(partial));
        Ok(one.id)
    })
    .await;
    let work = move |tx: &mut Tx<'_>| subscription::insert_payment(tx, world.organization, id, &free);
    let refused: StoreError = store.write(work).await.unwrap_err();
    assert_eq!(refused.class(), StoreErrorClass::Constraint, "{refused:?}");
}

/// Each business sees its own, in order of id.
pub async fn subscriptions_are_listed_by_id_and_tenant(store: &Store) {
    let (world, other) = (world(store, "a").await, super::store::world(store, "b").await);
    write(store, move |tx| {
        let organization = world.organization;
        let first = started(tx, world)?;
        started(tx, other)?;
        let yearly = plan(tx, organization, "Anual")?;
        let mut start = |contact| subscription::start(tx, organization, &new(world, contact, yearly), TODAY);
        let (second, third) = (start(0)?.unwrap(), start(1)?.unwrap());
        let mut page = |after, limit| {
            let found = subscription::list(tx, organization, after, limit)?;
            Ok::<Vec<SubscriberId>, StoreError>(found.into_iter().map(|one| one.id).collect())
        };
        assert_eq!(page(None, 2)?, [first.id, second]);
        assert_eq!(page(Some(second), 2)?, [third]);
        let own = subscription::of_contact(tx, organization, first.contact)?;
        assert_eq!(own.iter().map(|one| one.id).collect::<Vec<_>>(), [first.id, second]);
        // Those of one plan that have not ended.
        let mut running = |on: Date, limit| {
            let found = subscription::list_running(tx, organization, yearly, on, limit)?;
            Ok::<Vec<SubscriberId>, StoreError>(found.into_iter().map(|one| one.id).collect())
        };
        assert_eq!((running(TODAY, 9)?, running(TODAY, 1)?), (vec![second, third], vec![second]));
        let read = subscription::find(tx, organization, second)?.unwrap();
        let ended = SubscriptionDates { ended: Some(TODAY), ..read.dates };
        assert!(subscription::change(tx, organization, &read, &ended)?);
        let running = subscription::list_running(tx, organization, yearly, TODAY, 9)?;
        assert_eq!(running.iter().map(|one| one.id).collect::<Vec<_>>(), [third]);
        Ok(())
    })
    .await;
}
