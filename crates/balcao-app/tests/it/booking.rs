use balcao_app::context::names::NameRefusal;
use balcao_app::scheduling::appointments::Appointments;
use balcao_app::scheduling::booking::{BookRequest, Booking, BookingRefusal, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::reminders::Reminders;
use balcao_app::scheduling::waitlist::{JoinRequest, Waitlist};
use balcao_domain::hours::parse_minute;
use balcao_domain::{AppointmentStatus, ContactId};
use balcao_store::{OpenOptions, Store, StoreError, messaging::conversation, messaging::message};

use crate::world::{World, figueira, on, wish};

async fn upcoming(world: &World, who: ContactId) -> Vec<(String, String)> {
    let history = Appointments::new(world.app.clone()).history(world.organization, who).await.unwrap();
    history.upcoming.into_iter().map(|one| (one.date.to_string(), one.start)).collect()
}

#[tokio::test]
async fn a_subscriber_pays_nothing_for_what_the_plan_covers() {
    let world = figueira().await;
    let caio = world.caio().await;
    let booked = world.book(caio, wish("tavinho", "degrade", "2026-11-24", "10:00")).await.unwrap();
    assert_eq!(booked.plan_name.as_deref(), Some("Copa"));
    assert!(booked.is_subscriber && !booked.already_booked);
    assert_eq!(booked.appointment.professional, "Otávio Prado");
    assert_eq!(booked.appointment.service, "Corte na máquina");
    assert_eq!((booked.appointment.start.as_str(), booked.appointment.finish.as_str()), ("10:00", "10:30"));
    assert_eq!(booked.appointment.price.cents, 0);
    // Not covered by the plan.
    let dyed = world.book(caio, wish("Íris", "Coloração", "2026-11-26", "10:00")).await.unwrap();
    assert_eq!((dyed.plan_name, dyed.appointment.price.cents), (None, 12_000));
    // Overdue plans cover nothing; the professional's own price and duration count.
    let livia = world.livia().await;
    let combo = world.book(livia, wish("Otávio", "combo", "2026-11-25", "09:00")).await.unwrap();
    assert_eq!((combo.is_subscriber, combo.appointment.price.cents), (false, 9500));
    assert_eq!(combo.appointment.finish, "09:50");
}

#[tokio::test]
async fn a_name_and_an_id_of_two_services_are_asked_about() {
    let world = figueira().await;
    let caio = world.caio().await;
    let shave = world.book(caio, wish("Otávio", "Barba desenhada", "2026-11-24", "10:00")).await.unwrap();
    let view = Appointments::new(world.app.clone()).history(world.organization, caio).await.unwrap();
    let id = view.upcoming.first().and_then(|one| one.service_id).unwrap();
    let both = |name: &str, start: &str| BookRequest {
        service: Some(ServiceChoice::NameAndId { name: name.to_owned(), id }),
        ..wish("Otávio", "", "2026-11-24", start)
    };
    let refused = world.book(caio, both("degrade", "11:00")).await.unwrap_err();
    let BookingRefusal::Service(NameRefusal::Ambiguous { candidates, .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(candidates, ["Corte na máquina", "Barba desenhada"]);
    assert_eq!(upcoming(&world, caio).await.len(), view.upcoming.len());
    let again = world.book(caio, both("barba desenhada", "11:00")).await.unwrap();
    assert_eq!(again.appointment.service, shave.appointment.service);
}

#[tokio::test]
async fn asking_twice_books_once() {
    let world = figueira().await;
    let caio = world.caio().await;
    let booking = Booking::new(world.app.clone());
    let (key, request) = (world.key(), wish("Otávio", "Barba desenhada", "2026-11-24", "10:00"));
    let first = booking.book(world.organization, caio, key.clone(), request.clone()).await.unwrap();
    let replayed = booking.book(world.organization, caio, key, request.clone()).await.unwrap();
    assert!(!first.repeated && replayed.repeated);
    assert_eq!(first.value, replayed.value);
    let later = world.book(caio, request).await.unwrap();
    assert!(later.already_booked);
    assert_eq!(later.appointment.id, first.value.unwrap().appointment.id);
    let other = world.book(caio, wish("Wesley", "Sobrancelha", "2026-11-24", "10:00")).await.unwrap_err();
    assert!(matches!(other, BookingRefusal::OtherAtThatTime { .. }), "{other:?}");
    assert_eq!(upcoming(&world, caio).await.len(), 2);
}

#[tokio::test]
async fn who_comes_second_is_offered_the_nearest() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    world.book(caio, wish("Otávio", "Corte na máquina", "2026-11-24", "10:00")).await.unwrap();
    let refusal = world.book(livia, wish("Otávio", "Corte na máquina", "2026-11-24", "10:00")).await.unwrap_err();
    let BookingRefusal::SlotTaken { alternatives } = refusal else { unreachable!("{refusal:?}") };
    let own: Vec<&str> = alternatives.iter().map(|slot| slot.start.as_str()).collect();
    assert_eq!(own, ["09:00", "09:15", "09:30", "10:30", "10:45"]);
    assert!(alternatives.iter().all(|slot| slot.professional == "Otávio Prado"));
    // With anybody: another who offers it is free.
    let anybody = world.book(livia, wish("", "Corte na máquina", "2026-11-24", "10:00")).await.unwrap();
    assert_eq!(anybody.appointment.professional, "Wesley Moura");
}

#[tokio::test]
async fn customers_begin_where_the_business_lets_appointments_begin_and_staff_at_any_five_minutes() {
    let world = figueira().await;
    let livia = world.livia().await;
    let at = |source: &str, start: &str| {
        let source = source.to_owned();
        BookRequest { source, ..wish("Otávio", "Corte na máquina", "2026-11-24", start) }
    };
    let beside = world.book(livia, at("agent", "14:10")).await.unwrap_err();
    let BookingRefusal::OffGrid { alternatives } = beside else { unreachable!("{beside:?}") };
    assert!(alternatives.iter().any(|slot| slot.start == "14:15"), "{alternatives:?}");
    let booked = world.book(livia, at("agent", "14:15")).await.unwrap();
    assert_eq!(booked.appointment.start, "14:15");
    let by_staff = world.book(livia, at("console", "15:10")).await.unwrap();
    assert_eq!(by_staff.appointment.start, "15:10");
    let to = |start: &str, source: &str| RescheduleRequest {
        appointment: Some(booked.appointment.id),
        professional: None,
        date: "2026-11-24".parse().unwrap(),
        start_min: parse_minute(start).unwrap(),
        service: None,
        source: source.to_owned(),
        price_agreed: true,
    };
    let moves = Booking::new(world.app.clone());
    let moved = moves.reschedule(world.organization, livia, world.key(), to("16:05", "agent")).await.unwrap().value;
    assert!(matches!(moved, Err(BookingRefusal::OffGrid { .. })), "{moved:?}");
    let moved = moves.reschedule(world.organization, livia, world.key(), to("16:00", "agent")).await.unwrap().value;
    assert_eq!(moved.unwrap().new.appointment.start, "16:00");
}

#[tokio::test]
async fn what_cannot_be_booked_is_refused_with_the_reason() {
    let world = figueira().await;
    let livia = world.livia().await;
    let refused = |wish| world.book(livia, wish);
    let cut = "Corte na máquina";
    let lunch = refused(wish("Otávio", cut, "2026-11-24", "12:00")).await.unwrap_err();
    let BookingRefusal::OutsideHours { works, note: None, absent: None, alternatives } = lunch else {
        unreachable!("{lunch:?}")
    };
    assert_eq!(works.iter().map(ToString::to_string).collect::<Vec<_>>(), ["09:00-12:00", "13:30-20:00"]);
    assert!(!alternatives.is_empty());
    let christmas = refused(wish("Otávio", cut, "2026-12-25", "14:00")).await.unwrap_err();
    assert!(
        matches!(&christmas, BookingRefusal::OutsideHours { works, note: Some(note), .. } if works.is_empty() && note == "Natal"),
        "{christmas:?}"
    );
    let yesterday = refused(wish("Otávio", cut, "2026-11-20", "14:00")).await.unwrap_err();
    assert!(matches!(yesterday, BookingRefusal::PastDate { .. }), "{yesterday:?}");
    let far = refused(wish("Otávio", cut, "2027-01-12", "10:00")).await.unwrap_err();
    assert!(matches!(&far, BookingRefusal::TooFar { last_date } if last_date.to_string() == "2027-01-07"), "{far:?}");
    let odd = refused(wish("Otávio", cut, "2026-11-24", "10:07")).await.unwrap_err();
    assert!(matches!(odd, BookingRefusal::OffGrid { .. }), "{odd:?}");
    let scissors = refused(wish("Wesley", "tesoura", "2026-11-24", "10:00")).await.unwrap_err();
    let BookingRefusal::NotOffered { offered_by, professional, .. } = scissors else { unreachable!("{scissors:?}") };
    assert_eq!(professional.as_deref(), Some("Wesley Moura"));
    assert_eq!(offered_by, ["Otávio Prado", "Íris Valente"]);
    let unknown = refused(wish("Zuleide", cut, "2026-11-24", "10:00")).await.unwrap_err();
    assert!(matches!(unknown, BookingRefusal::Professional(NameRefusal::NotFound { .. })), "{unknown:?}");
    let away = refused(wish("Wesley", cut, "2027-01-05", "11:00")).await.unwrap_err();
    assert!(matches!(away, BookingRefusal::SlotTaken { .. }), "{away:?}");
    let evening = refused(wish("Íris", "menino", "2026-11-23", "19:00")).await.unwrap_err();
    assert!(
        matches!(&evening, BookingRefusal::OutsideHours { alternatives, .. } if !alternatives.is_empty()),
        "{evening:?}"
    );
    world.set_local("2026-11-24T09:45");
    let soon = refused(wish("Otávio", cut, "2026-11-24", "10:00")).await.unwrap_err();
    assert!(matches!(soon, BookingRefusal::TooSoon { notice_min: 30, .. }), "{soon:?}");
    let service_notice = refused(wish("Íris", "Coloração", "2026-11-25", "09:00")).await.unwrap_err();
    assert!(matches!(service_notice, BookingRefusal::TooSoon { notice_min: 1440, .. }), "{service_notice:?}");
    let earlier = refused(wish("Otávio", cut, "2026-11-24", "09:00")).await.unwrap_err();
    assert!(matches!(&earlier, BookingRefusal::PastDate { time, .. } if time == "09:45"), "{earlier:?}");
    assert_eq!(upcoming(&world, livia).await, [("2026-12-04".to_owned(), "14:00".to_owned())]);
}

#[tokio::test]
async fn a_43_a_contact_holds_no_more_than_the_limit() {
    let world = figueira().await;
    let livia = world.livia().await;
    for start in ["10:00", "11:00", "14:00"] {
        world.book(livia, wish("Wesley", "Sobrancelha", "2026-11-24", start)).await.unwrap();
    }
    let refusal = world.book(livia, wish("Wesley", "Sobrancelha", "2026-11-24", "15:00")).await.unwrap_err();
    assert!(
        matches!(&refusal, BookingRefusal::TooManyOpen { limit: 4, upcoming } if upcoming.len() == 4),
        "{refusal:?}"
    );
}

#[tokio::test]
async fn cancelling_finds_the_one_that_is_meant() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let booking = Booking::new(world.app.clone());
    let cancel = |who, id| {
        let (booking, key, organization) = (booking.clone(), world.key(), world.organization);
        async move { booking.cancel(organization, who, key, id).await.unwrap().value }
    };
    let first = world.book(livia, wish("Wesley", "Sobrancelha", "2026-11-24", "16:00")).await.unwrap();
    let second = world.book(livia, wish("Wesley", "Sobrancelha", "2026-11-24", "17:00")).await.unwrap();
    let vague = cancel(livia, None).await.unwrap_err();
    assert!(matches!(&vague, BookingRefusal::Ambiguous { candidates } if candidates.len() == 2), "{vague:?}");
    let foreign = cancel(caio, Some(first.appointment.id)).await.unwrap_err();
    let missing = cancel(caio, Some(balcao_domain::AppointmentId::try_from(9999).unwrap())).await.unwrap_err();
    assert_eq!(foreign, missing);
    let gone = cancel(livia, Some(first.appointment.id)).await.unwrap();
    assert_eq!(gone.status, AppointmentStatus::Cancelled);
    let again = cancel(livia, Some(first.appointment.id)).await.unwrap_err();
    assert_eq!(again, BookingRefusal::AlreadyCancelled);
    world.set_local("2026-11-24T14:30");
    let late = cancel(livia, None).await.unwrap_err();
    assert_eq!(late, BookingRefusal::CancellationNotice { notice_min: 180 });
    world.set_local("2026-11-24T17:05");
    let over = cancel(livia, Some(second.appointment.id)).await.unwrap_err();
    assert_eq!(over, BookingRefusal::AlreadyStarted);
}

#[tokio::test]
async fn moving_frees_the_old_time_only_if_the_new_one_is_had() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let booking = Booking::new(world.app.clone());
    let to = |start: &str| RescheduleRequest {
        appointment: None,
        date: "2026-11-24".parse().unwrap(),
        start_min: parse_minute(start).unwrap(),
        professional: None,
        service: None,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let own = world.book(livia, wish("Otávio", "Corte na máquina", "2026-11-24", "10:00")).await.unwrap();
    world.book(caio, wish("Otávio", "Corte na máquina", "2026-11-24", "11:00")).await.unwrap();
    let reminders = Reminders::new(world.app.clone());
    let planned = reminders.schedule(world.organization, livia, world.key(), None, Some(60), 30).await.unwrap();
    assert_eq!(planned.value.unwrap().remind_at_local, "2026-11-24T09:00");

    let taken = booking.reschedule(world.organization, livia, world.key(), to("11:15")).await.unwrap().value;
    assert!(matches!(taken, Err(BookingRefusal::SlotTaken { .. })), "{taken:?}");
    let still = ("2026-11-24".to_owned(), "10:00".to_owned());
    assert_eq!(upcoming(&world, livia).await[0], still);

    // The new time overlaps the old one.
    let moved = booking.reschedule(world.organization, livia, world.key(), to("10:15")).await.unwrap().value.unwrap();
    assert_eq!((moved.old.id, moved.old.status), (own.appointment.id, AppointmentStatus::Cancelled));
    assert_eq!(moved.new.appointment.start, "10:15");
    let (organization, id) = (world.organization, moved.new.appointment.id);
    let all: Result<Vec<_>, StoreError> =
        world.app.store.read(move |tx| balcao_store::scheduling::reminder::list_of(tx, organization, id)).await;
    let due: Vec<_> = all.unwrap().iter().map(|one| one.planned.remind_at).collect();
    let at = |time: &str| time.parse().unwrap();
    assert_eq!(due, [at("2026-11-23T10:15:00-03:00"), at("2026-11-24T09:15:00-03:00")]);
    // What was given up can be had.
    world.book(caio, wish("Otávio", "Barba desenhada", "2026-11-24", "09:45")).await.unwrap();
}

#[tokio::test]
async fn a_hold_is_confirmed_or_expires() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let booking = Booking::new(world.app.clone());
    let mut hold = wish("Otávio", "Corte na máquina", "2026-11-24", "10:00");
    hold.pending = true;
    let held = world.book(livia, hold.clone()).await.unwrap();
    assert_eq!(held.appointment.status, AppointmentStatus::Pending);
    assert!(world.book(caio, hold.clone()).await.is_err());
    let confirmed = booking.confirm(world.organization, livia, world.key(), Some(held.appointment.id)).await.unwrap();
    assert_eq!(confirmed.value.unwrap().status, AppointmentStatus::Confirmed);

    hold.start_min += 60;
    let held = world.book(livia, hold.clone()).await.unwrap();
    world.set_local("2026-11-23T09:20");
    let late = booking.confirm(world.organization, livia, world.key(), Some(held.appointment.id)).await.unwrap();
    assert_eq!(late.value.unwrap_err(), BookingRefusal::AlreadyCancelled);
    assert_eq!(booking.expire_pending(world.organization).await.unwrap(), 1);
    assert_eq!(booking.expire_pending(world.organization).await.unwrap(), 0);
    world.book(caio, hold).await.unwrap();
}

#[tokio::test]
async fn a_freed_slot_is_kept_for_the_first_who_waits() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let waitlist = Waitlist::new(world.app.clone());
    let cut = || wish("Otávio", "Corte na máquina", "2026-11-24", "10:00");
    world.book(caio, cut()).await.unwrap();
    let join = JoinRequest {
        date: "2026-11-24".parse().unwrap(),
        professional: Some("Otávio".to_owned()),
        service: Some("Corte na máquina".to_owned()),
        period: None,
    };
    let joined = waitlist.join(world.organization, livia, world.key(), join.clone()).await.unwrap().value.unwrap();
    assert_eq!((joined.position, joined.already_waiting), (1, false));
    let again = waitlist.join(world.organization, livia, world.key(), join).await.unwrap().value.unwrap();
    assert_eq!((again.id, again.already_waiting), (joined.id, true));

    let booking = Booking::new(world.app.clone());
    let on_that_day = booking.cancel(world.organization, caio, world.key(), None).await.unwrap().value.unwrap();
    assert_eq!(on_that_day.start, "10:00");
    assert!(matches!(world.book(caio, cut()).await, Err(BookingRefusal::SlotTaken { .. })));
    world.book(livia, cut()).await.unwrap();
}

#[tokio::test]
async fn who_waits_is_told_of_a_start_that_can_be_booked() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let (organization, store) = (world.organization, world.app.store.clone());
    let now = world.app.clock.now();
    let begun: Result<_, StoreError> =
        store.write(move |tx| conversation::find_or_begin(tx, organization, livia, "terminal", now)).await;
    let thread = begun.unwrap().id;
    // What it occupies begins five minutes before ten.
    world.book(caio, wish("Íris", "Coloração", "2026-11-26", "10:00")).await.unwrap();
    let join = JoinRequest {
        date: "2026-11-26".parse().unwrap(),
        professional: Some("Íris".to_owned()),
        service: Some("Corte de menino".to_owned()),
        period: None,
    };
    let waitlist = Waitlist::new(world.app.clone());
    waitlist.join(organization, livia, world.key(), join).await.unwrap().value.unwrap();
    Booking::new(world.app.clone()).cancel(organization, caio, world.key(), None).await.unwrap().value.unwrap();
    let last: Result<_, StoreError> = store.read(move |tx| message::last(tx, organization, thread, 1)).await;
    let told = last.unwrap().first().map(|one| one.text.clone()).unwrap_or_default();
    assert!(told.contains("Íris Valente: quinta, 26/11 às 10h."), "{told}");
    world.book(livia, wish("Íris", "Corte de menino", "2026-11-26", "10:00")).await.unwrap();
}

#[tokio::test]
async fn an_offer_that_nobody_takes_lapses() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let waitlist = Waitlist::new(world.app.clone());
    let cut = || wish("Otávio", "Corte na máquina", "2026-11-24", "10:00");
    world.book(caio, cut()).await.unwrap();
    let join = JoinRequest { date: "2026-11-24".parse().unwrap(), professional: None, service: None, period: None };
    waitlist.join(world.organization, livia, world.key(), join).await.unwrap().value.unwrap();
    let booking = Booking::new(world.app.clone());
    booking.cancel(world.organization, caio, world.key(), None).await.unwrap().value.unwrap();
    assert_eq!(waitlist.pass_on(world.organization).await.unwrap(), 0);
    world.set_local("2026-11-23T09:15");
    assert_eq!(waitlist.pass_on(world.organization).await.unwrap(), 1);
    world.book(caio, cut()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_fight_for_one_slot_a_thousand_times_through_the_front_door() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    let world = on(store, "barbearia-figueira.yaml", "2026-11-23T09:00").await;
    let contacts = [world.caio().await, world.livia().await];
    let booking = Booking::new(world.app.clone());
    for round in 0..1000_u32 {
        let minute = 13 * 60 + 30 + 5 * u16::try_from(round % 70).unwrap();
        let start = balcao_domain::hours::format_minute(minute);
        let mut fight = tokio::task::JoinSet::new();
        for who in contacts {
            let (booking, key, organization) = (booking.clone(), world.key(), world.organization);
            let request = wish("Otávio", "Barba desenhada", "2026-11-25", &start);
            fight.spawn(async move { (who, booking.book(organization, who, key, request).await.unwrap().value) });
        }
        let results = fight.join_all().await;
        let won: Vec<_> = results.iter().filter_map(|(who, result)| Some((*who, result.as_ref().ok()?))).collect();
        assert_eq!(won.len(), 1, "round {round}: {results:?}");
        let lost = results.iter().filter(|(_, one)| matches!(one, Err(BookingRefusal::SlotTaken { .. }))).count();
        assert_eq!(lost, 1, "round {round}: {results:?}");
        let (winner, booked) = won[0];
        let id = Some(booked.appointment.id);
        booking.cancel(world.organization, winner, world.key(), id).await.unwrap().value.unwrap();
    }
}
