//! Whatever a business is like: each move that is proposed for a booking is done if staff choose it.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::appointments::{AppointmentView, Appointments};
use balcao_app::scheduling::booking::{BookRequest, Booking, ServiceChoice};
use balcao_app::scheduling::ways_out::{Way, WaysOut};
use balcao_domain::AppointmentId;
use balcao_domain::hours::parse_minute;
use balcao_store::Store;
use jiff::ToSpan;
use jiff::civil::date;
use proptest::prelude::*;

use crate::world::{World, edited};

/// What differs from the sample once the bookings are there.
#[derive(Debug, Clone)]
struct Changed {
    /// Whether the machine cut is archived.
    archived: bool,
    /// How long it lasts now.
    lasts_min: u32,
    /// Whether another has a name that begins as that of Wesley, who does it.
    namesake: bool,
    /// Whether Wesley does it.
    offered: bool,
    /// How many open appointments a customer may hold.
    open: u32,
    /// The notice of a booking.
    notice_min: u32,
    /// Minutes between starts.
    step_min: u32,
    /// Bookings of Caio and Lívia, by day and half hour.
    bookings: Vec<(u8, u8, bool)>,
}

fn changes() -> impl Strategy<Value = Changed> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>());
    let numbers =
        (1..13_u32, 1..5_u32, prop::sample::select(vec![0_u32, 30, 2_880]), prop::sample::select(vec![5_u32, 15, 60]));
    let bookings = prop::collection::vec((0..6_u8, 20..38_u8, any::<bool>()), 1..7);
    (flags, numbers, bookings).prop_map(|((archived, namesake, offered), (fives, open, notice, step), bookings)| {
        let (lasts_min, notice_min, step_min) = (fives * 10, notice, step);
        Changed { archived, lasts_min, namesake, offered, open, notice_min, step_min, bookings }
    })
}

impl Changed {
    fn apply(&self, text: String) -> String {
        let machine = r#"aliases: [máquina, degradê, corte curto], price: "50.00", duration_minutes: 30}"#;
        let changed = format!(
            r#"aliases: [máquina, degradê, corte curto], price: "50.00", duration_minutes: {}, active: {}}}"#,
            self.lasts_min, !self.archived
        );
        let mut text = text.replace(machine, &changed);
        text = text.replace("maximum_open_appointments: 4", &format!("maximum_open_appointments: {}", self.open));
        text = text
            .replace("    minimum_notice_minutes: 30\n", &format!("    minimum_notice_minutes: {}\n", self.notice_min));
        text = text.replace("slot_step_minutes: 15", &format!("slot_step_minutes: {}", self.step_min));
        if self.namesake {
            let hours = r#"{tue: ["10:00-20:00"], wed: ["10:00-20:00"], thu: ["10:00-20:00"], fri: ["10:00-20:00"]}"#;
            let other = format!("  - {{name: Wesley Moura Filho, hours: {hours}, services: [Corte na máquina]}}\n");
            text = text.replace("\nservices:\n", &format!("{other}\nservices:\n"));
        }
        if !self.offered {
            text = text.replace(
                "services: [Corte na máquina, Corte e barba, Barba desenhada, Sobrancelha]",
                "services: [Sobrancelha]",
            );
        }
        text
    }
}

/// Books what can be booked; the ids.
async fn book(world: &World, changed: &Changed) -> Vec<AppointmentId> {
    let (caio, livia) = (world.caio().await, world.livia().await);
    let mut ids = Vec::new();
    for (day, half, is_caio) in &changed.bookings {
        let request = BookRequest {
            professional: None,
            service: Some(ServiceChoice::Name("máquina".to_owned())),
            date: date(2026, 11, 24).saturating_add(i64::from(*day).days()),
            start_min: u16::from(*half) * 30,
            attendee: None,
            pending: false,
            source: "console".to_owned(),
            price_agreed: true,
        };
        let who = if *is_caio { caio } else { livia };
        let done = Booking::new(world.app.clone()).book(world.organization, who, world.key(), request).await.unwrap();
        // The very same wish twice is one booking.
        ids.extend(done.value.ok().filter(|booked| !booked.already_booked).map(|booked| booked.appointment.id));
    }
    ids
}

async fn every_proposal_is_taken(changed: &Changed) -> Option<String> {
    let world =
        edited(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-23T09:00", |text| text).await;
    let ids = book(&world, changed).await;
    world.change_business(|text| changed.apply(text)).await;
    let ways = WaysOut::new(world.app.clone(), AccountPolicies::default());
    for (turn, id) in ids.into_iter().enumerate() {
        let view = ways.find(world.organization, id).await.unwrap().unwrap();
        let moves: Vec<_> = view.ways.iter().filter_map(|way| way.to.clone()).collect();
        let Some(to) = moves.get(turn % moves.len().max(1)) else { continue };
        let professional = Some(to.professional.clone()).filter(|name| *name != view.appointment.professional);
        let way = Way::Move { date: to.date, start_min: parse_minute(&to.start).unwrap(), professional };
        match ways.resolve(world.organization, id, way, None, Actor::Operator).await.unwrap() {
            Ok(done) => {
                let now = &done.appointment;
                let is_there = (now.date, &now.start, &now.professional) == (to.date, &to.start, &to.professional);
                let found = Appointments::new(world.app.clone()).find(world.organization, now.id).await.unwrap();
                if !done.changed || !is_there || found.is_none() {
                    return Some(format!("{id} to {to:?}: {done:?}"));
                }
            }
            Err(refusal) => return Some(format!("{id} to {to:?}: {refusal}")),
        }
    }
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn proposed_moves_are_those_that_resolve_takes(changed in changes()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        prop_assert_eq!(runtime.block_on(every_proposal_is_taken(&changed)), None);
    }
}

/// The moves that are proposed for a booking at the machine cut of Wesley after a change, each by its professional, and the booking as
/// the first of them leaves it.
async fn moves_after(archived: bool, offered: bool) -> (Vec<String>, AppointmentView) {
    let bookings = vec![(1, 20, true)];
    let changed =
        Changed { archived, lasts_min: 60, namesake: false, offered, open: 4, notice_min: 30, step_min: 15, bookings };
    let world =
        edited(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-23T09:00", |text| text).await;
    let request = BookRequest {
        professional: Some("Wesley".to_owned().into()),
        service: Some(ServiceChoice::Name("máquina".to_owned())),
        date: date(2026, 11, 25),
        start_min: 600,
        attendee: None,
        pending: false,
        source: "console".to_owned(),
        price_agreed: true,
    };
    let caio = world.livia().await;
    let booked = Booking::new(world.app.clone()).book(world.organization, caio, world.key(), request).await.unwrap();
    let id = booked.value.unwrap().appointment.id;
    world
        .change_business(|text| {
            changed.apply(text).replace(r#"price: "50.00", duration"#, r#"price: "99.00", duration"#)
        })
        .await;
    let ways = WaysOut::new(world.app.clone(), AccountPolicies::default());
    let view = ways.find(world.organization, id).await.unwrap().unwrap();
    let moves: Vec<_> = view.ways.iter().filter_map(|way| way.to.clone()).collect();
    let first = moves.first().unwrap();
    let way = Way::Move { date: first.date, start_min: parse_minute(&first.start).unwrap(), professional: None };
    let moved = ways.resolve(world.organization, id, way, None, Actor::Operator).await.unwrap().unwrap();
    (moves.into_iter().map(|slot| slot.professional).collect(), moved.appointment)
}

#[tokio::test]
async fn booking_of_what_is_offered_no_longer_has_moves_that_keep_its_professional_and_terms() {
    let (wesley, otavio) = ("Wesley Moura", "Otávio Prado");
    for (archived, offered, with) in [
        // The other who did the cut may have the booking, too.
        (true, true, [wesley, wesley, wesley, otavio, otavio, otavio]),
        (true, false, [wesley, wesley, wesley, otavio, otavio, otavio]),
        (false, false, [wesley, wesley, wesley, otavio, otavio, otavio]),
    ] {
        let (moves, moved) = moves_after(archived, offered).await;
        assert_eq!(moves, with, "{archived} {offered}");
        let terms = (moved.professional.as_str(), moved.service.as_str(), moved.price.cents);
        assert_eq!(terms, (wesley, "Corte na máquina", 5_000), "{archived} {offered}");
        let minutes = parse_minute(&moved.finish).unwrap() - parse_minute(&moved.start).unwrap();
        assert_eq!(minutes, 30, "{archived} {offered}: {moved:?}");
    }
}
