//! A booking that is moved keeps its price and its length, whatever its service costs and lasts today.

use balcao_app::context::staff_email::Actor;
use balcao_app::crm::subscriptions::{SubscriptionFilter, Subscriptions};
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::appointments::AppointmentView;
use balcao_app::scheduling::booking::{Booked, Booking, BookingRefusal, RescheduleRequest, Rescheduled, ServiceChoice};
use balcao_app::scheduling::ways_out::{Way, WaysOut};
use balcao_domain::hours::parse_minute;
use balcao_domain::subscription::NotCovered;
use balcao_domain::subscription::act::SubscriptionAct;
use balcao_domain::{AppointmentId, ContactId};
use balcao_store::Store;

use crate::world::{World, edited, figueira, wish};

const CUT: &str =
    r#"{name: Corte na máquina, aliases: [máquina, degradê, corte curto], price: "50.00", duration_minutes: 30}"#;
const DEARER: &str =
    r#"{name: Corte na máquina, aliases: [máquina, degradê, corte curto], price: "60.00", duration_minutes: 30}"#;
const LONGER: &str =
    r#"{name: Corte na máquina, aliases: [máquina, degradê, corte curto], price: "50.00", duration_minutes: 45}"#;
const BOTH: &str =
    r#"{name: Corte na máquina, aliases: [máquina, degradê, corte curto], price: "60.00", duration_minutes: 45}"#;
const ARCHIVED: &str = r#"{name: Corte na máquina, aliases: [máquina, degradê, corte curto], price: "60.00", duration_minutes: 45, active: false}"#;

async fn book(world: &World, who: ContactId, date: &str, start: &str) -> Booked {
    world.book(who, wish("Wesley", "Corte na máquina", date, start)).await.unwrap()
}

fn to(id: AppointmentId, date: &str, start: &str) -> RescheduleRequest {
    RescheduleRequest {
        appointment: Some(id),
        date: date.parse().unwrap(),
        start_min: parse_minute(start).unwrap(),
        professional: None,
        service: None,
        source: "agent".to_owned(),
        price_agreed: false,
    }
}

async fn reschedule(world: &World, who: ContactId, request: RescheduleRequest) -> Result<Rescheduled, BookingRefusal> {
    let done = Booking::new(world.app.clone()).reschedule(world.organization, who, world.key(), request).await;
    done.unwrap().value
}

/// The price and the times of an appointment.
fn terms(booked: &Booked) -> (i64, &str, &str) {
    (booked.appointment.price.cents, &booked.appointment.start, &booked.appointment.finish)
}

async fn change_cut(world: &World, cut: &str) {
    world.change_business(|text| text.replace(CUT, cut)).await;
}

#[tokio::test]
async fn move_keeps_price_and_length_by_whatever_name_the_service_stays() {
    for cut in [DEARER, LONGER, BOTH, ARCHIVED] {
        let world = figueira().await;
        let livia = world.livia().await;
        let mut booked = book(&world, livia, "2026-11-25", "10:00").await;
        let service = booked.appointment.service_id.unwrap();
        change_cut(&world, cut).await;
        let names = [
            None,
            Some(ServiceChoice::Name("corte na maquina".to_owned())),
            Some(ServiceChoice::Name("degradê".to_owned())),
            Some(ServiceChoice::Id(service)),
            Some(ServiceChoice::NameAndId { name: "máquina".to_owned(), id: service }),
        ];
        for (professional, choice) in
            [None, Some("Wesley".to_owned())].iter().flat_map(|who| names.iter().map(move |choice| (who, choice)))
        {
            let start = if booked.appointment.start == "11:00" { "14:00" } else { "11:00" };
            let end = start.replace(":00", ":30");
            let request = RescheduleRequest {
                service: choice.clone(),
                professional: professional.clone(),
                ..to(booked.appointment.id, "2026-11-26", start)
            };
            let moved = reschedule(&world, livia, request).await;
            booked = moved.unwrap_or_else(|refusal| panic!("{cut} {choice:?}: {refusal:?}")).new;
            assert_eq!(terms(&booked), (5_000, start, end.as_str()), "{cut} {choice:?}");
            assert_eq!(booked.plan_notice, None);
        }
    }
}

#[tokio::test]
async fn kept_length_decides_whether_the_new_time_is_free() {
    let world = figueira().await;
    let (livia, caio) = (world.livia().await, world.caio().await);
    let first = book(&world, livia, "2026-11-25", "10:00").await;
    book(&world, caio, "2026-11-25", "14:30").await;
    change_cut(&world, LONGER).await;
    let moved = reschedule(&world, livia, to(first.appointment.id, "2026-11-25", "14:00")).await.unwrap().new;
    assert_eq!(terms(&moved), (5_000, "14:00", "14:30"));
    // A shorter cut makes no room for what was booked longer.
    change_cut(&world, &CUT.replace("duration_minutes: 30", "duration_minutes: 15")).await;
    let refused = reschedule(&world, livia, to(moved.appointment.id, "2026-11-25", "14:15")).await.unwrap_err();
    assert!(matches!(refused, BookingRefusal::SlotTaken { .. }), "{refused:?}");
}

#[tokio::test]
async fn refused_move_names_free_times_by_the_kept_length() {
    let world = figueira().await;
    let (livia, caio) = (world.livia().await, world.caio().await);
    // Wesley works from ten to eight; between these two visits are thirty minutes.
    let first = book(&world, livia, "2026-11-25", "10:00").await;
    book(&world, caio, "2026-11-25", "14:00").await;
    book(&world, caio, "2026-11-25", "15:00").await;
    let refused = async |start: &str| {
        let refused = reschedule(&world, livia, to(first.appointment.id, "2026-11-25", start)).await.unwrap_err();
        let BookingRefusal::SlotTaken { alternatives } = refused else { panic!("{refused:?}") };
        alternatives.into_iter().map(|slot| slot.start).collect::<Vec<_>>()
    };
    // Three quarters of an hour would not fit there, and the move takes it.
    change_cut(&world, LONGER).await;
    let named = refused("14:15").await;
    assert!(named.iter().any(|start| start == "14:30"), "{named:?}");
    // A quarter of an hour would fit at a quarter to three as well, and the move does not take it.
    change_cut(&world, &CUT.replace("duration_minutes: 30", "duration_minutes: 15")).await;
    let named = refused("14:15").await;
    assert!(named.iter().any(|start| start == "14:30") && named.iter().all(|start| start != "14:45"), "{named:?}");
    for start in named {
        let mut moved = to(first.appointment.id, "2026-11-25", &start);
        moved.price_agreed = true;
        let would = Booking::new(world.app.clone()).preview_reschedule(world.organization, livia, moved).await;
        assert!(would.unwrap().is_ok(), "{start}");
    }
}

#[tokio::test]
async fn another_professional_or_service_has_the_terms_of_today_and_a_higher_price_needs_a_yes() {
    let world = figueira().await;
    let livia = world.livia().await;
    let booked = book(&world, livia, "2026-11-25", "10:00").await;
    change_cut(&world, BOTH).await;
    let otavio = RescheduleRequest {
        professional: Some("Otávio".to_owned()),
        ..to(booked.appointment.id, "2026-11-25", "15:00")
    };
    let refused = reschedule(&world, livia, otavio.clone()).await.unwrap_err();
    assert_eq!(refused, BookingRefusal::PriceNotAgreed);
    let moved = reschedule(&world, livia, RescheduleRequest { price_agreed: true, ..otavio }).await.unwrap();
    assert_eq!((moved.old.price.cents, terms(&moved.new)), (5_000, (6_000, "15:00", "15:45")));
    // What costs less needs no word before; the answer has both prices.
    let brow = RescheduleRequest {
        professional: Some("Wesley".to_owned()),
        service: Some(ServiceChoice::Name("Sobrancelha".to_owned())),
        ..to(moved.new.appointment.id, "2026-11-26", "15:00")
    };
    let moved = reschedule(&world, livia, brow).await.unwrap();
    assert_eq!((moved.old.price.cents, terms(&moved.new)), (6_000, (2_500, "15:00", "15:15")));
}

/// Lívia's plan runs to the end of the year and pays for one cut a month.
fn one_visit_a_month(text: String) -> String {
    let text = text.replace("plan: Raiz, status: overdue, due: 2026-11-08", "plan: Raiz, due: 2026-12-31");
    text.replace("covers: [Corte na máquina], quota: 2", "covers: [Corte na máquina], quota: 1")
}

async fn with_plan() -> World {
    let store = Store::open_in_memory().unwrap();
    edited(store, "barbearia-figueira.yaml", "2026-11-23T09:00", one_visit_a_month).await
}

/// Her plan ends before December.
async fn end_plan(world: &World, livia: ContactId) {
    let subscriptions = Subscriptions::new(world.app.clone());
    let filter = SubscriptionFilter { contact: Some(livia), status: None };
    let page = subscriptions.page(world.organization, filter, None, 10).await.unwrap();
    let end = SubscriptionAct::End { on: Some("2026-12-01".parse().unwrap()), gives_up_paid: true };
    subscriptions.change(world.organization, page.items[0].view.id, end, Actor::Operator).await.unwrap().unwrap();
}

#[tokio::test]
async fn plan_is_decided_by_the_new_date_and_the_full_price_is_the_kept_one() {
    let world = with_plan().await;
    let livia = world.livia().await;
    let covered = book(&world, livia, "2026-11-25", "10:00").await;
    let full = book(&world, livia, "2026-11-26", "10:00").await;
    assert_eq!((terms(&covered).0, terms(&full).0), (0, 5_000), "the quota is one visit");
    world.change_business(|text| one_visit_a_month(text).replace(CUT, BOTH)).await;

    // The quota is used up, so the full price is that of the booking.
    let full = reschedule(&world, livia, to(full.appointment.id, "2026-11-27", "10:00")).await.unwrap().new;
    assert_eq!(terms(&full), (5_000, "10:00", "10:30"));
    // The plan ends before December, and a booking that it paid has no price of its own: today's.
    end_plan(&world, livia).await;
    let lapsed = to(covered.appointment.id, "2026-12-02", "10:00");
    let refused = reschedule(&world, livia, lapsed.clone()).await;
    assert_eq!(refused.unwrap_err(), BookingRefusal::PriceNotAgreed);
    let moved = reschedule(&world, livia, RescheduleRequest { price_agreed: true, ..lapsed }).await.unwrap().new;
    assert_eq!(terms(&moved), (6_000, "10:00", "10:30"));
    let reason = moved.plan_notice.map(|notice| notice.reason);
    assert!(matches!(reason, Some(NotCovered::Ended { .. })), "{reason:?}");
    // November has a place again.
    let full = reschedule(&world, livia, to(full.appointment.id, "2026-11-27", "12:00")).await.unwrap().new;
    assert_eq!((terms(&full), full.plan_name.as_deref()), ((0, "12:00", "12:30"), Some("Raiz")));
}

/// Who asks for a move.
#[derive(Debug, Clone, Copy)]
enum Asker {
    Customer,
    Staff,
}

/// Moves an appointment, and gives what stands in its place, with what its customer reads of staff.
async fn move_as(
    world: &World,
    asker: Asker,
    who: ContactId,
    request: RescheduleRequest,
) -> (AppointmentView, Option<String>) {
    match asker {
        Asker::Customer => {
            let request = RescheduleRequest { price_agreed: true, ..request };
            (reschedule(world, who, request).await.unwrap().new.appointment, None)
        }
        Asker::Staff => {
            let ways = WaysOut::new(world.app.clone(), AccountPolicies::default());
            let way =
                Way::Move { date: request.date, start_min: request.start_min, professional: request.professional };
            let done = ways.resolve(world.organization, request.appointment.unwrap(), way, None, Actor::Operator).await;
            let done = done.unwrap().unwrap();
            (done.appointment, done.notice.map(|notice| notice.text))
        }
    }
}

#[tokio::test]
async fn move_by_staff_has_the_terms_of_a_move_by_the_customer() {
    for asker in [Asker::Customer, Asker::Staff] {
        let world = with_plan().await;
        let livia = world.livia().await;
        let covered = book(&world, livia, "2026-11-25", "10:00").await.appointment;
        let full = book(&world, livia, "2026-11-26", "10:00").await.appointment;
        assert_eq!((covered.price.cents, full.price.cents), (0, 5_000), "the quota is one visit");
        world.change_business(|text| one_visit_a_month(text).replace(CUT, BOTH)).await;
        let with_otavio = |id: AppointmentId, date: &str, start: &str| RescheduleRequest {
            professional: Some("Otávio".to_owned()),
            ..to(id, date, start)
        };
        let moved = async |request: RescheduleRequest, price: i64, end: &str, told: Option<&str>| {
            let (moved, text) = move_as(&world, asker, livia, request.clone()).await;
            assert_eq!((moved.price.cents, moved.finish.as_str()), (price, end), "{asker:?} {request:?}");
            if let Some(text) = text {
                assert_eq!(
                    text.split_once("O valor passa a ser ").and_then(|(_, price)| price.get(..8)),
                    told,
                    "{text}"
                );
            }
            moved.id
        };
        // The same professional and service: the price and the length of the booking.
        let full = moved(to(full.id, "2026-11-27", "14:00"), 5_000, "14:30", None).await;
        // Another professional: those of today.
        let full = moved(with_otavio(full, "2026-11-27", "15:00"), 6_000, "15:45", Some("R$ 60,00")).await;
        // Behind the end of the plan that paid: the price of today, and November has a place for the other visit.
        end_plan(&world, livia).await;
        moved(to(covered.id, "2026-12-02", "10:00"), 6_000, "10:30", Some("R$ 60,00")).await;
        moved(to(full, "2026-11-27", "16:00"), 0, "16:45", None).await;
    }
}
