//! A move by staff is looked at as a customer's: its customer reads of it only once no event was at its new time before.

use balcao_app::UseCaseError;
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::booking::BookingRefusal;
use balcao_app::scheduling::calendar_conflicts::{ConflictChoice, ConflictRefusal};
use balcao_app::scheduling::ways_out::{ResolveRefusal, Resolved, Way, WaysOut};
use balcao_domain::AppointmentId;
use balcao_domain::outbox::OutboxState;
use balcao_domain::outside_event::{ConflictKind, EventState, OutsideEvent};
use balcao_store::messaging::outbox;
use balcao_store::ops::audit;
use balcao_store::turns::event;
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use balcao_testkit::fakes::calendar_service::CallFault;
use jiff::SignedDuration;

use super::moves::reach;
use super::scene::{at, conflicts, open};
use super::{ANA, DAY, World, key, with_business};

const THREE: u16 = 15 * 60;

/// A visit at ten of a customer who can be reached.
async fn shop() -> (World, AppointmentId) {
    let world = with_business(Store::open_in_memory().unwrap(), BUSINESS.to_owned()).await;
    reach(&world).await;
    let id = world.book("10:00").await;
    (world, id)
}

/// A person has an event at three that no listing of changes shows.
fn hide_rival(world: &World) {
    world.service.hide_from_listings(true);
    world.service.person_makes(ANA, "theirs", at("15:00", 30), 60);
}

fn ways(world: &World) -> WaysOut {
    WaysOut::new(world.app.clone(), AccountPolicies::default())
}

async fn move_to_three(
    ways: WaysOut,
    world: &World,
    id: AppointmentId,
) -> Result<Result<Resolved, ResolveRefusal>, UseCaseError> {
    let way = Way::Move { date: DAY, start_min: THREE, professional: None };
    ways.resolve(world.organization, id, way, None, Actor::Operator).await
}

/// The messages to the customer, the moves that programs learned of, and the rows of the audit log about them.
async fn heard(world: &World, id: AppointmentId) -> (usize, usize, Vec<String>) {
    let organization = world.organization;
    let read = world.app.store.read(move |tx| {
        let written = outbox::list(tx, organization, OutboxState::Pending, 100)?;
        let told = event::waiting(tx, 100)?;
        let logged = audit::of_subject(tx, organization, &id.to_string())?;
        let actions = logged.into_iter().map(|one| one.action);
        Ok::<_, StoreError>((
            written.iter().filter(|one| one.kind == "appointment_moved").count(),
            told.iter().filter(|one| one.kind == "appointment_rescheduled").count(),
            actions.filter(|one| one == "appointment.reschedule" || one == "calendar.resolve").collect(),
        ))
    });
    read.await.unwrap()
}

#[tokio::test]
async fn move_of_staff_to_a_time_that_a_person_took_is_taken_back_and_its_customer_reads_nothing() {
    for keyed in [false, true] {
        let (world, id) = shop().await;
        let before = (world.appointments().await, world.events());
        hide_rival(&world);
        let way = || if keyed { ways(&world).once(key("way")) } else { ways(&world) };
        for _attempt in 0..2 {
            let refused = move_to_three(way(), &world, id).await.unwrap();
            let Err(ResolveRefusal::Booking(BookingRefusal::SlotTaken { .. })) = refused else { panic!("{refused:?}") };
            assert_eq!((world.appointments().await, world.events()), before);
            assert_eq!((world.count_visits().await, heard(&world, id).await), (1, (0, 0, vec![])), "{keyed}");
        }
        world.settle_later(4).await;
        world.assert_equal("refused").await;
        assert_eq!(heard(&world, id).await, (0, 0, vec![]), "nothing waits to be announced");
    }
}

#[tokio::test]
async fn move_of_staff_that_stands_is_announced_once() {
    let (world, id) = shop().await;
    let take = async || move_to_three(ways(&world).once(key("way")), &world, id).await.unwrap().unwrap();
    let first = take().await;
    assert!(first.changed && first.notice.is_some());
    assert_eq!(take().await, first, "the same answer");
    assert_eq!(heard(&world, id).await, (1, 1, vec!["appointment.reschedule".to_owned()]));
    world.assert_equal("moved").await;
}

/// The copy is new enough, so staff act while the service does not answer.
#[tokio::test]
async fn move_of_staff_stands_while_the_service_does_not_say_what_was_there_first() {
    let (world, id) = shop().await;
    world.service.set_blind(true);
    move_to_three(ways(&world), &world, id).await.unwrap().unwrap();
    assert_eq!(heard(&world, id).await.0, 1);
    world.assert_equal("unsure").await;
}

/// The program ends before the look, and no run resumes: the move stands, and its customer reads of it once.
#[tokio::test]
async fn move_of_staff_whose_run_ended_is_announced_by_the_server() {
    for keyed in [false, true] {
        let (world, id) = shop().await;
        let way = || if keyed { ways(&world).once(key("way")) } else { ways(&world) };
        let next = (i64::from(id) + 1).to_string();
        world.service.set_deadly(&next, true);
        tokio::select! {
            moved = move_to_three(way(), &world, id) => panic!("{moved:?}"),
            () = world.service.crash() => {}
        }
        world.service.set_deadly(&next, false);
        assert_eq!(heard(&world, id).await, (0, 0, vec![]));
        world.settle_later(4).await;
        assert_eq!(heard(&world, id).await, (1, 1, vec!["appointment.reschedule".to_owned()]), "{keyed}");
        let again = move_to_three(way(), &world, id).await.unwrap().unwrap();
        assert_eq!((again.appointment.start.as_str(), again.changed), ("15:00", keyed), "the answer of the key");
        world.settle_later(4).await;
        assert_eq!(heard(&world, id).await.0, 1);
        world.assert_equal("announced").await;
    }
}

/// The conflict is open again, and its ways can be taken as if nothing had been tried.
#[tokio::test]
async fn conflict_whose_move_is_taken_back_is_open_again() {
    type Deed = fn(&World, &mut OutsideEvent);
    let deeds: [(ConflictKind, Deed); 5] = [
        (ConflictKind::RefusedMove, |_, event| event.time = Some(at("12:00", 30))),
        (ConflictKind::Lengthened, |_, event| event.time = Some(at("10:00", 90))),
        (ConflictKind::NoLongerBusy, |_, event| event.state = EventState::Free),
        (ConflictKind::OwnerChanged, |_, event| event.mark = None),
        (ConflictKind::Deleted, |_, event| event.state = EventState::Cancelled),
    ];
    for (kind, deed) in deeds {
        let (world, id) = shop().await;
        let event = world.service.events(ANA).remove(0);
        world.service.person_changes(ANA, &event.id, |event| deed(&world, event));
        world.read().await;
        let number = open(&world).await[0].id;
        hide_rival(&world);
        let move_to = async |start_min| {
            let choice = ConflictChoice::Move { date: DAY, start_min, professional: None };
            conflicts(&world).resolve(world.organization, number, choice, true, Actor::Operator).await.unwrap()
        };
        let refused = move_to(THREE).await;
        let Err(ConflictRefusal::Booking(ResolveRefusal::Booking(BookingRefusal::SlotTaken { .. }))) = refused else {
            panic!("{kind:?}: {refused:?}")
        };
        assert_eq!(heard(&world, id).await, (0, 0, vec![]), "{kind:?}");
        let listed: Vec<_> = open(&world).await.into_iter().map(|one| (one.id, one.kind)).collect();
        assert_eq!(listed, [(number, kind)]);
        // Our event was put back with the appointment, and the other time is free.
        world.assert_equal(&format!("{kind:?}, taken back")).await;
        let resolved = move_to(16 * 60).await.unwrap();
        assert!(resolved.booking.unwrap().changed);
        assert_eq!(
            heard(&world, id).await,
            (1, 1, vec!["appointment.reschedule".to_owned(), "calendar.resolve".to_owned()]),
            "{kind:?}"
        );
        world.service.hide_from_listings(false);
        world.settle_later(1).await;
        world.service.forget_tokens();
        world.read().await;
        assert_eq!(open(&world).await, [], "{kind:?}");
        world.assert_equal(&format!("{kind:?}, moved")).await;
    }
}

/// What lies on a visit stays a conflict if the visit cannot leave.
#[tokio::test]
async fn collision_whose_move_is_taken_back_is_open_again() {
    let (world, _) = shop().await;
    world.service.person_makes(ANA, "late", at("10:00", 60), -5);
    world.read().await;
    let number = open(&world).await[0].id;
    hide_rival(&world);
    let choice = ConflictChoice::Move { date: DAY, start_min: THREE, professional: None };
    let refused = conflicts(&world).resolve(world.organization, number, choice, true, Actor::Operator).await.unwrap();
    assert!(refused.is_err(), "{refused:?}");
    world.service.hide_from_listings(false);
    world.read().await;
    let listed: Vec<_> = open(&world).await.into_iter().map(|one| (one.id, one.kind)).collect();
    assert_eq!(listed, [(number, ConflictKind::Collision)]);
    world.settle_later(1).await;
    world.assert_equal("stays").await;
}

/// The change of the event is lost on its way, and arrives after the move was made and announced: it changes nothing.
#[tokio::test]
async fn late_change_of_a_move_of_staff_changes_nothing() {
    let (world, id) = shop().await;
    world.service.suffer([CallFault::Late]);
    move_to_three(ways(&world), &world, id).await.unwrap().unwrap();
    world.service.deliver_late();
    world.clock.advance(SignedDuration::from_secs(5));
    world.settle_later(2).await;
    world.read().await;
    world.assert_equal("late").await;
    assert_eq!((heard(&world, id).await.0, open(&world).await.len()), (1, 0));
}
