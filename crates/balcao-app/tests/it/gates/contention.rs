//! G-04: many want the same slot. One gets it; every other is told so, with an alternative or an honest no.

use std::collections::BTreeSet;
use std::sync::Arc;

use balcao_app::Desk;
use balcao_app::booking::{BookRequest, Booking, BookingRefusal, ServiceChoice};
use balcao_app::contacts::{Arrival, Contacts};
use balcao_domain::{ContactId, OrganizationId, Phone};
use balcao_store::ledger::EffectKey;
use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::postgres::Database;
use tokio::task::JoinSet;

use super::scale;
use super::shop::{open, slot};

const CLIENTS: u32 = 64;

#[derive(Debug, Default)]
struct Figures {
    rounds: u32,
    booked: u32,
    offered_another: u32,
    refused: u32,
}

/// Rounds of all clients on so many slots, by several programs over one database.
async fn fight(stores: &[Store], slots: u32, rounds: u32, first: u32) -> Figures {
    let shop = open(&stores[0], &format!("slots-{slots}"), &[]).await;
    let organization = shop.organization;
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let store = &stores[usize::try_from(number).unwrap() % stores.len()];
        let desk = Desk::new(store.clone(), shop.clock.clone());
        let phone = Phone::parse(&format!("+55119{:08}", 80_000_000 + number)).ok();
        let arrival = Arrival { phone, channel_user: None, name: None };
        let contact = Contacts::new(desk.clone()).arrive(organization, arrival).await.unwrap();
        clients.push((Booking::new(desk), contact));
    }
    let clients = Arc::new(clients);
    let mut figures = Figures { rounds, ..Figures::default() };
    for round in 0..rounds {
        let mut fight = JoinSet::new();
        for number in 0..CLIENTS {
            let clients = Arc::clone(&clients);
            let wanted = first + round * slots + number % slots;
            fight.spawn(async move {
                let (booking, contact) = &clients[usize::try_from(number).unwrap()];
                book(booking, organization, *contact, wanted).await
            });
        }
        let mut winners = 0;
        for answer in fight.join_all().await {
            match answer {
                None => winners += 1,
                Some(alternatives) if alternatives > 0 => figures.offered_another += 1,
                Some(_) => figures.refused += 1,
            }
        }
        assert_eq!(winners, slots, "round {round}: each slot has one winner");
        figures.booked += winners;
    }
    assert_eq!(overlaps(&stores[0], organization).await, 0);
    assert_eq!(figures.booked + figures.offered_another + figures.refused, rounds * CLIENTS);
    figures
}

/// `None`: it is booked. Else how many alternatives were offered. Anything else fails the gate.
async fn book(booking: &Booking, organization: OrganizationId, contact: ContactId, wanted: u32) -> Option<usize> {
    let (date, start_min) = slot(wanted);
    let key =
        EffectKey { key: format!("{wanted}/{contact}"), args_hash: String::new(), turn: None, tool: "gate".to_owned() };
    let wish = BookRequest {
        professional: Some("Ana".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte".to_owned())),
        date,
        start_min: u16::try_from(start_min).unwrap(),
        attendee: None,
        pending: false,
        source: "gate".to_owned(),
    };
    let answer = booking.book(organization, contact, key, wish).await.unwrap();
    match answer.value {
        Ok(_booked) => None,
        Err(BookingRefusal::SlotTaken { alternatives }) => Some(alternatives.len()),
        Err(other) => panic!("an answer that is neither a booking nor an honest no: {other:?}"),
    }
}

/// Pairs of active appointments of one professional and seat that overlap.
async fn overlaps(store: &Store, organization: OrganizationId) -> i64 {
    let count = store.read(move |tx| {
        tx.query_one(
            "SELECT COUNT(*) FROM appointment a JOIN appointment b
               ON b.organization_id = a.organization_id AND b.professional_id = a.professional_id AND b.seat = a.seat
              AND b.id > a.id AND b.occupied_from < a.occupied_to AND a.occupied_from < b.occupied_to
             WHERE a.organization_id = ?1 AND a.status <> 'cancelled' AND b.status <> 'cancelled'",
            &[balcao_store::Value::Organization(organization.into())],
            |row| row.get(0),
        )
    });
    count.await.map_err(|error: StoreError| error).unwrap()
}

async fn gate(stores: Vec<Store>, database: &str) {
    let mut seen = BTreeSet::new();
    for (slots, rounds) in [(1, 60 * scale()), (8, 20 * scale())] {
        let figures = fight(&stores, slots, rounds, 0).await;
        let Figures { rounds, booked, offered_another, refused } = figures;
        eprintln!(
            "G-04 on {database}, {} pools, {CLIENTS} clients on {slots} of one professional, {rounds} rounds: {booked} booked, \
             {offered_another} offered another, {refused} refused, 0 overlaps",
            stores.len()
        );
        seen.insert(booked);
    }
    assert!(seen.iter().all(|booked| *booked > 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_04_f_155_one_slot_has_one_winner_sqlite() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    gate(vec![store], "SQLite").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_04_f_155_one_slot_has_one_winner_postgres() {
    let Some(database) = Database::migrated() else { return };
    let connect = || Store::connect(&database.url, OpenOptions::default()).unwrap();
    gate(vec![connect(), connect(), connect()], "PostgreSQL").await;
}
