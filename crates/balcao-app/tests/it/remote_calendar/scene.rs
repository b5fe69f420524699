//! What tests of conflicts with an external calendar begin with, and how they look at what is open.

use balcao_app::context::notification_accounts::{HandoffAlerts, NotificationAccounts};
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::calendar_conflicts::{
    CalendarConflict, CalendarConflicts, ConflictChoice, ConflictRefusal, ResolvedConflict,
};
use balcao_domain::Span;
use balcao_domain::outbox::OutboxState;
use balcao_domain::outside_event::EventTime;
use balcao_store::messaging::outbox;
use balcao_store::{Store, StoreError};

use super::{ANA, BRUNO, World, in_memory, key, to, with_business};

const STAFF: &str = "staff:\n  - {name: Davi, email: davi@contrato.example, role: attendant, on_duty: true}\n  \
                     - {name: Ana Prado, email: prado@contrato.example, role: professional, on_duty: true}\n";

/// A time of the day.
pub(super) fn at(start: &str, minutes: u32) -> EventTime {
    EventTime::Timed(Span::of_minutes(format!("2026-11-24T{start}:00-03:00").parse().unwrap(), minutes))
}

/// A business whose staff get letters.
pub(super) async fn with_letters(business: &str) -> World {
    let mut world = with_business(Store::open_in_memory().unwrap(), format!("{business}{STAFF}")).await;
    let accounts = NotificationAccounts {
        email: Some("agenda@contrato.example".to_owned()),
        handoffs: HandoffAlerts { email: true, whatsapp: false },
        ..NotificationAccounts::default()
    };
    world.app = world.app.clone().with_notices(accounts);
    world
}

/// Books ten o'clock with a professional who has two calendars, which are read; the event of the booking.
pub(super) async fn book_at_ten(world: &World) -> String {
    world.link_to_read(BRUNO).await;
    world.book("10:00").await;
    read_both(world).await;
    world.service.events(ANA).remove(0).id
}

/// [`book_at_ten`] in a business of its own.
pub(super) async fn booked() -> (World, String) {
    let world = in_memory().await;
    let event = book_at_ten(&world).await;
    (world, event)
}

pub(super) async fn read_both(world: &World) {
    for calendar in [ANA, BRUNO] {
        world.work().read(world.organization, calendar.to_owned(), false).await.unwrap();
    }
}

/// The customer moves the visit.
pub(super) async fn move_to(world: &World, name: &str, start: &str) {
    let moved = world.booking().reschedule(world.organization, world.ana.contact, key(name), to(start)).await;
    moved.unwrap().value.unwrap();
}

pub(super) fn conflicts(world: &World) -> CalendarConflicts {
    CalendarConflicts::new(world.app.clone(), AccountPolicies::default())
}

pub(super) async fn open(world: &World) -> Vec<CalendarConflict> {
    conflicts(world).page(world.organization, None, 20).await.unwrap().items
}

/// Staff choose, and the customer reads of it.
pub(super) async fn resolve(
    world: &World,
    number: i64,
    choice: ConflictChoice,
) -> Result<ResolvedConflict, ConflictRefusal> {
    conflicts(world).resolve(world.organization, number, choice, true, Actor::Operator).await.unwrap()
}

/// The letters about calendars so far: who gets each, and its text.
pub(super) async fn letters(world: &World) -> Vec<(String, String)> {
    let organization = world.organization;
    let read = world.app.store.read(move |tx| outbox::list(tx, organization, OutboxState::Pending, 100));
    let all: Result<_, StoreError> = read.await;
    let ours = all.unwrap().into_iter().filter(|one| one.kind == "notice_calendar");
    let text = |body: &str| serde_json::from_str::<serde_json::Value>(body).unwrap()["content"].to_string();
    ours.map(|one| (one.recipient, text(&one.body))).collect()
}
