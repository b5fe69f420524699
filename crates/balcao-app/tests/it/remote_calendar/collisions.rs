//! What an event hits besides the visit that it shows: each visit is a conflict of its own, and the time is offered to no customer.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::availability::{Availability, AvailabilityQuery};
use balcao_app::scheduling::booking::{BookRequest, BookingRefusal};
use balcao_app::scheduling::calendar_conflicts::{CalendarConflict, CalendarConflicts, ConflictChoice};
use balcao_domain::outside_event::{ConflictKind, EventTime, OutsideEvent};
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::scheduling::catalog;
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::calendar::BUSINESS;
use jiff::ToSpan;
use jiff::civil::Weekday;

use super::scene::at;
use super::{ANA, BRUNO, DAY, World, in_memory, key, request, with_business};

/// The open conflicts, page by page.
async fn open(world: &World) -> Vec<CalendarConflict> {
    let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
    let (mut after, mut found) = (None, Vec::new());
    loop {
        let page = all.page(world.organization, after, 14).await.unwrap();
        assert!(page.items.len() <= 14);
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

/// The open conflicts by the start of the visit that each hits.
async fn hit(world: &World) -> Vec<(String, ConflictKind)> {
    let mut all: Vec<_> = open(world).await.into_iter().map(|one| (one.appointment.start, one.kind)).collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

#[tokio::test]
async fn block_over_very_many_visits_lists_each_of_them() {
    let business = BUSINESS.replace("maximum_open_appointments: 10", "maximum_open_appointments: 150");
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    let mut visits = 0_usize;
    for date in
        DAY.series(1.day()).filter(|date| !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday)).take(8)
    {
        for start_min in (9 * 60..18 * 60).step_by(30).filter(|minute| !(12 * 60..14 * 60).contains(minute)) {
            let wish = BookRequest { date, start_min, ..request("10:00") };
            let name = format!("{date} {start_min}");
            let booked = world.booking().book(world.organization, world.ana.contact, key(&name), wish).await;
            booked.unwrap().value.unwrap();
            visits += 1;
        }
    }
    assert!(visits > 100, "{visits}");
    let until = DAY.checked_add(1.month()).unwrap();
    world.service.person_makes(ANA, "holiday", EventTime::AllDay { from: DAY, until }, -5);
    world.read().await;
    let all = open(&world).await;
    assert_eq!(all.len(), visits);
    assert!(all.iter().all(|one| one.kind == ConflictKind::AllDayBlock));
    let until = DAY.tomorrow().unwrap();
    let shorten = |event: &mut OutsideEvent| event.time = Some(EventTime::AllDay { from: DAY, until });
    world.service.person_changes(ANA, "holiday", shorten);
    world.read().await;
    let left = open(&world).await;
    assert_eq!(left.len(), 14, "the visits of the day that the block still has");
    assert!(left.iter().all(|one| one.appointment.date == DAY));
    world.service.person_deletes(ANA, "holiday");
    world.read().await;
    assert_eq!(open(&world).await, []);
}

/// Our own event hits other visits as an event of other people does.
#[tokio::test]
async fn our_event_that_a_person_stretched_or_moved_names_the_other_visits_below_it() {
    use ConflictKind::{AllDayBlock, BecameAllDay, Collision, Lengthened, RefusedMove};
    let whole_day = EventTime::AllDay { from: DAY, until: DAY.tomorrow().unwrap() };
    let cases = [
        (whole_day, BecameAllDay, AllDayBlock),
        (at("10:00", 360), Lengthened, Collision),
        (at("15:00", 30), RefusedMove, Collision),
    ];
    for (time, own, other) in cases {
        let both = [("10:00".to_owned(), own), ("15:00".to_owned(), other)];
        // Twice, because an event may be put back by its person or by staff.
        for by_staff in [false, true] {
            let world = in_memory().await;
            world.book("10:00").await;
            let event = world.service.events(ANA).remove(0);
            world.book("15:00").await;
            world.read().await;
            world.service.person_changes(ANA, &event.id, |event| event.time = Some(time));
            world.read().await;
            world.read().await;
            assert_eq!(hit(&world).await, both, "{time:?}");
            if by_staff {
                let number = open(&world).await.iter().find(|one| one.kind == own).unwrap().id;
                let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
                let by = Actor::Operator;
                all.resolve(world.organization, number, ConflictChoice::Restore, true, by).await.unwrap().unwrap();
            } else {
                world.service.person_changes(ANA, &event.id, |changed| changed.time = event.time);
            }
            world.read().await;
            assert_eq!(hit(&world).await, [], "{time:?}, by staff: {by_staff}");
        }
    }
}

/// Staff let the longer event stand, and a person changes its title: it lies on the other visit as before.
#[tokio::test]
async fn harmless_edit_of_our_event_ends_no_collision_with_other_visits() {
    let world = in_memory().await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0).id;
    world.book("11:00").await;
    world.read().await;
    world.service.person_changes(ANA, &event, |event| event.time = Some(at("10:00", 90)));
    world.read().await;
    let own = open(&world).await.into_iter().find(|one| one.kind == ConflictKind::Lengthened).unwrap();
    let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
    let (take, by) = (ConflictChoice::TakeOutside, Actor::Operator);
    all.resolve(world.organization, own.id, take, true, by).await.unwrap().unwrap();
    world.service.person_changes(ANA, &event, |event| event.title = Some("Corte".to_owned()));
    world.read().await;
    assert_eq!(hit(&world).await, [("11:00".to_owned(), ConflictKind::Collision)]);
}

/// As [`in_memory`], with Bruno Lima, who has a calendar to write into, too.
async fn with_bruno() -> World {
    let hours = r#"{mon: ["09:00-12:00"], tue: ["09:00-12:00"], wed: ["09:00-12:00"]}"#;
    let bruno = format!("  - {{name: Bruno Lima, hours: {hours}, services: [Corte]}}\ncontacts:");
    let world = with_business(Store::open_in_memory().unwrap(), BUSINESS.replace("contacts:", &bruno)).await;
    let (organization, now) = (world.organization, world.app.clock.now());
    let link = move |tx: &mut balcao_store::Tx<'_>| {
        let names = catalog::professional_names(tx, organization)?;
        let professional = *names.iter().find(|(_, name)| *name == "Bruno Lima").unwrap().0;
        let link = CalendarLink { professional, calendar: BRUNO.to_owned(), access: LinkAccess::Write };
        calendar_link::link(tx, organization, &link, now)
    };
    let linked: Result<_, StoreError> = world.app.store.write(link).await;
    linked.unwrap();
    world.work().sync(organization, false).await.unwrap().unwrap();
    world
}

/// At the same hour, in the calendar of another professional: that hour is theirs no longer.
#[tokio::test]
async fn time_of_our_event_in_another_calendar_is_not_offered_there() {
    let world = with_bruno().await;
    let organization = world.organization;
    let of = |name: &str| BookRequest { professional: Some(name.to_owned().into()), ..request("10:00") };
    let booked = world.booking().book(organization, world.ana.contact, key("first"), of("Ana Prado")).await;
    booked.unwrap().value.unwrap();
    let event = world.service.events(ANA).remove(0);
    world.service.person_moves_to(ANA, &event.id, BRUNO);
    world.work().sync(organization, false).await.unwrap().unwrap();
    let free = async || {
        let query = AvailabilityQuery {
            date: Some(DAY),
            professional: Some("Bruno Lima".to_owned()),
            ..AvailabilityQuery::default()
        };
        let found = Availability::new(world.app.clone()).on(organization, None, query).await.unwrap().unwrap();
        found.results.into_iter().flat_map(|one| one.slots).any(|slot| slot == "10:00")
    };
    assert!(!free().await);
    let refused = world.booking().book(organization, world.bia.contact, key("second"), of("Bruno Lima")).await;
    let refused = refused.unwrap().value;
    assert!(matches!(refused, Err(BookingRefusal::SlotTaken { .. })), "{refused:?}");
    assert_eq!(hit(&world).await, [("10:00".to_owned(), ConflictKind::OtherCalendar)]);

    let number = open(&world).await[0].id;
    let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
    let back = all.resolve(organization, number, ConflictChoice::Restore, true, Actor::Operator).await;
    back.unwrap().unwrap();
    world.work().sync(organization, false).await.unwrap().unwrap();
    assert!(free().await, "the event is in its own calendar again");
}

/// What staff let stand is asked once, until it takes another time.
#[tokio::test]
async fn collision_that_staff_let_stand_stays_resolved() {
    let world = in_memory().await;
    world.book("10:00").await;
    world.service.person_makes(ANA, "late", at("10:00", 60), -5);
    world.read().await;
    assert_eq!(hit(&world).await, [("10:00".to_owned(), ConflictKind::Collision)]);
    let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
    let take = async || {
        let number = open(&world).await[0].id;
        let choice = ConflictChoice::TakeOutside;
        all.resolve(world.organization, number, choice, true, Actor::Operator).await.unwrap().unwrap();
    };
    take().await;
    // A title alone makes another version.
    world.service.person_changes(ANA, "late", |_| ());
    world.read().await;
    assert_eq!(hit(&world).await, [], "another title");
    world.service.forget_tokens();
    world.read().await;
    assert_eq!(hit(&world).await, [], "read from the beginning");
    let move_to = async |minutes| {
        world.service.person_changes(ANA, "late", |event| event.time = Some(at("10:00", minutes)));
        world.read().await;
        hit(&world).await
    };
    assert_eq!(move_to(90).await, [("10:00".to_owned(), ConflictKind::Collision)], "another time");
    take().await;
    assert_eq!(
        move_to(60).await,
        [("10:00".to_owned(), ConflictKind::Collision)],
        "the last word was about another time"
    );
}

/// Of an event that a person put into another calendar, staff learn what became of it there.
#[tokio::test]
async fn our_event_that_goes_on_from_another_calendar_is_looked_for() {
    let world = with_bruno().await;
    let organization = world.organization;
    let of_ana = BookRequest { professional: Some("Ana Prado".to_owned().into()), ..request("10:00") };
    world.booking().book(organization, world.ana.contact, key("first"), of_ana).await.unwrap().value.unwrap();
    let event = world.service.events(ANA).remove(0);
    let sync = async || {
        world.work().sync(organization, false).await.unwrap().unwrap();
        hit(&world).await.into_iter().map(|(_, kind)| kind).collect::<Vec<_>>()
    };
    world.service.person_moves_to(ANA, &event.id, BRUNO);
    assert_eq!(sync().await, [ConflictKind::OtherCalendar]);
    world.service.person_moves_to(BRUNO, &event.id, ANA);
    assert_eq!(sync().await, [], "it is in its own calendar again");
    world.service.person_moves_to(ANA, &event.id, BRUNO);
    assert_eq!(sync().await, [ConflictKind::OtherCalendar]);
    world.service.person_deletes(BRUNO, &event.id);
    assert_eq!(sync().await, [ConflictKind::Deleted]);
    let number = open(&world).await[0].id;
    let all = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
    all.resolve(organization, number, ConflictChoice::Restore, true, Actor::Operator).await.unwrap().unwrap();
    assert_eq!(sync().await, []);
    assert_eq!(world.service.events(ANA).len(), 1, "it has an event again");
}

/// What the calendar held before counts for the further professional, too.
#[tokio::test]
async fn calendar_that_gets_a_further_professional_is_read_from_the_beginning() {
    let world = with_bruno().await;
    let of_ana = BookRequest { professional: Some("Ana Prado".to_owned().into()), ..request("10:00") };
    world.booking().book(world.organization, world.ana.contact, key("first"), of_ana).await.unwrap().value.unwrap();
    world.service.person_makes(BRUNO, "room", at("10:00", 60), -5);
    world.work().sync(world.organization, false).await.unwrap().unwrap();
    assert_eq!(hit(&world).await, []);
    world.link_to_read(BRUNO).await;
    world.work().sync(world.organization, false).await.unwrap().unwrap();
    assert_eq!(hit(&world).await, [("10:00".to_owned(), ConflictKind::Collision)]);
}

/// The usual copy lies where its original is.
#[tokio::test]
async fn copy_at_the_time_of_its_original_is_one_conflict() {
    let world = in_memory().await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    world.read().await;
    world.service.person_makes(ANA, "copy", event.time.unwrap(), -5);
    world.service.person_changes(ANA, "copy", |copy| copy.mark.clone_from(&event.mark));
    world.read().await;
    assert_eq!(hit(&world).await, [("10:00".to_owned(), ConflictKind::Copied)]);
    world.service.person_changes(ANA, "copy", |_| ());
    world.read().await;
    assert_eq!(hit(&world).await, [("10:00".to_owned(), ConflictKind::Copied)]);
}
