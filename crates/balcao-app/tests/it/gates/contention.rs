//! G-04: many clients want one slot. One gets it; every other gets a refusal, with an alternative or an honest no.

use std::collections::BTreeSet;
use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::crm::contacts::{Arrival, Contacts};
use balcao_app::scheduling::booking::{BookRequest, Booking, BookingRefusal, ServiceChoice};
use balcao_app::scheduling::intake::{Intake, IntakeRefusal, IntakeRequest};
use balcao_domain::{ContactId, ConversationId, OrganizationId, Phone};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{OpenOptions, Store, StoreError, messaging::conversation};
use balcao_testkit::postgres::Database;
use tokio::task::JoinSet;

use super::scale;
use super::shop::{open, slot};

const CLIENTS: u32 = 64;

/// By which use case they book.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// As the calendar and the salon do.
    Booking,
    /// As the intake does: with the conversation's professional.
    Intake,
}

/// A client that wants the slot, at one of the programs.
struct Client {
    app: AppContext,
    contact: ContactId,
    phone: Phone,
    /// About Ana.
    conversation: ConversationId,
}

#[derive(Debug, Default)]
struct Figures {
    rounds: u32,
    booked: u32,
    offered_another: u32,
    refused: u32,
}

/// Rounds of all clients on so many slots, by several programs over one database.
async fn fight(way: Way, stores: &[Store], slots: u32, rounds: u32) -> Figures {
    let shop = open(&stores[0], &format!("slots-{slots}"), &[]).await;
    let organization = shop.organization;
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let store = &stores[usize::try_from(number).unwrap() % stores.len()];
        let app = AppContext::new(store.clone(), shop.clock.clone());
        let phone = Phone::parse(&format!("+55119{:08}", 80_000_000 + number)).unwrap();
        let arrival = Arrival { phone: Some(phone.clone()), channel_user: None, name: None };
        let contact = Contacts::new(app.clone()).arrive(organization, arrival).await.unwrap();
        let conversation = about_ana(&app, organization, contact).await;
        clients.push(Client { app, contact, phone, conversation });
    }
    let clients = Arc::new(clients);
    let mut figures = Figures { rounds, ..Figures::default() };
    for round in 0..rounds {
        let mut fight = JoinSet::new();
        for number in 0..CLIENTS {
            let clients = Arc::clone(&clients);
            let wanted = round * slots + number % slots;
            fight.spawn(async move {
                let client = &clients[usize::try_from(number).unwrap()];
                match way {
                    Way::Booking => book(client, organization, wanted).await,
                    Way::Intake => book_intake(client, organization, wanted).await,
                }
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
async fn book(client: &Client, organization: OrganizationId, wanted: u32) -> Option<usize> {
    let (date, start_min) = slot(wanted);
    let wish = BookRequest {
        professional: Some("Ana".to_owned().into()),
        service: Some(ServiceChoice::Name("Corte".to_owned())),
        date,
        start_min: u16::try_from(start_min).unwrap(),
        attendee: None,
        pending: false,
        source: "gate".to_owned(),
        price_agreed: true,
    };
    let booking = Booking::new(client.app.clone());
    let answer = booking.book(organization, client.contact, key(client, wanted), wish).await.unwrap();
    match answer.value {
        Ok(_booked) => None,
        Err(BookingRefusal::SlotTaken { alternatives }) => Some(alternatives.len()),
        Err(other) => panic!("an answer that is neither a booking nor an honest no: {other:?}"),
    }
}

/// Books the wanted slot through the intake.
async fn book_intake(client: &Client, organization: OrganizationId, wanted: u32) -> Option<usize> {
    let (date, start_min) = slot(wanted);
    let request = IntakeRequest {
        date,
        start_min: u16::try_from(start_min).unwrap(),
        client_name: "Cliente".to_owned(),
        client_phone: client.phone.clone(),
        service: None,
        price_agreed: true,
    };
    let intake = Intake::new(client.app.clone());
    let answer = intake.book(organization, client.contact, client.conversation, key(client, wanted), request).await;
    match answer.unwrap().value {
        Ok(_booked) => None,
        Err(IntakeRefusal::Booking(BookingRefusal::SlotTaken { alternatives })) => Some(alternatives.len()),
        Err(other) => panic!("an answer that is neither a booking nor an honest no: {other:?}"),
    }
}

fn key(client: &Client, wanted: u32) -> EffectKey {
    let key = format!("{wanted}/{}", client.contact);
    EffectKey { key, args_hash: String::new(), turn: None, tool: "gate".to_owned() }
}

/// A conversation of a contact's about the shop's only professional.
async fn about_ana(app: &AppContext, organization: OrganizationId, contact: ContactId) -> ConversationId {
    let now = app.clock.now();
    let begun = app.store.write(move |tx| {
        let begun = conversation::find_or_begin(tx, organization, contact, "terminal", now)?;
        let ana = tx.query_one(
            "SELECT id FROM professional WHERE organization_id = ?1 ORDER BY id LIMIT 1",
            &[balcao_store::Value::Organization(organization.into())],
            |row| row.get(0),
        )?;
        conversation::set_professional(tx, organization, begun.id, Some(ana))?;
        Ok::<_, StoreError>(begun.id)
    });
    begun.await.unwrap()
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

async fn gate(way: Way, stores: Vec<Store>, database: &str) {
    let mut seen = BTreeSet::new();
    // The same claims decide in both; a session costs several times as much to book.
    let share = match way {
        Way::Booking => 1,
        Way::Intake => 3,
    };
    for (slots, rounds) in [(1, 60 * scale() / share), (8, 20 * scale() / share)] {
        let figures = fight(way, &stores, slots, rounds).await;
        let Figures { rounds, booked, offered_another, refused } = figures;
        eprintln!(
            "G-04 by {way:?} on {database}, {} pools, {CLIENTS} clients on {slots} of one professional, {rounds} rounds: {booked} booked, \
             {offered_another} offered another, {refused} refused, 0 overlaps",
            stores.len()
        );
        seen.insert(booked);
    }
    assert!(seen.iter().all(|booked| *booked > 0));
}

async fn on_sqlite(way: Way) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    store.migrate().await.unwrap();
    gate(way, vec![store], "SQLite").await;
}

async fn on_postgres(way: Way) {
    let Some(database) = Database::migrated() else { return };
    let connect = || Store::connect(&database.url, OpenOptions::default()).unwrap();
    gate(way, vec![connect(), connect(), connect()], "PostgreSQL").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_04_f_155_one_slot_has_one_winner_sqlite() {
    on_sqlite(Way::Booking).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_04_f_155_one_slot_has_one_winner_postgres() {
    on_postgres(Way::Booking).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_04_one_session_of_the_intake_has_one_winner_sqlite() {
    on_sqlite(Way::Intake).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn g_04_one_session_of_the_intake_has_one_winner_postgres() {
    on_postgres(Way::Intake).await;
}
