//! A person moves one of our events to a time that can be booked: the appointment follows, and staff decide what the customer reads.

use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::Reach;
use balcao_app::scheduling::calendar_conflicts::{ConflictChoice, ConflictRefusal, ResolvedConflict};
use balcao_app::scheduling::ways_out::ResolveRefusal;
use balcao_domain::Span;
use balcao_domain::outbox::OutboxState;
use balcao_domain::outside_event::{ConflictKind, EventTime};
use balcao_store::StoreError;
use balcao_store::messaging::conversation;
use balcao_store::messaging::outbox::{self, Outbox};
use balcao_store::turns::lease::{self, Route};
use balcao_testkit::contract::calendar::BUSINESS;

use super::scene::{conflicts, open, with_letters};
use super::{ANA, DAY, World, key};

const TOLD: &str = "Precisamos mudar o seu horário de Corte: era terça, 24/11 às 10h com Ana Prado, e agora é terça, 24/11 às 15h \
                    com Ana Prado. Se não der para você, responda aqui.";

/// A business whose staff get letters, and whose customer can be reached.
async fn shop() -> World {
    let world = with_letters(BUSINESS).await;
    reach(&world).await;
    world.book("10:00").await;
    world
}

/// The customer can be reached in a conversation.
pub(super) async fn reach(world: &World) {
    let (organization, ana, now) = (world.organization, world.ana.contact, world.app.clock.now());
    let reached = world.app.store.write(move |tx| {
        let talk = conversation::find_or_begin(tx, organization, ana, "telegram", now)?.id;
        let route =
            Route { account: "bot".to_owned(), recipient: r#"{"user":"7"}"#.to_owned(), customer_wrote_at: Some(now) };
        lease::set_route(tx, organization, talk, &route)
    });
    let reached: Result<(), StoreError> = reached.await;
    reached.unwrap();
}

/// A person moves the one event of the calendar, and the server reads it.
async fn person_moves(world: &World, start: &str) {
    let event = world.service.events(ANA).remove(0);
    let time = EventTime::Timed(Span::of_minutes(format!("2026-11-24T{start}:00-03:00").parse().unwrap(), 30));
    world.service.person_changes(ANA, &event.id, |event| event.time = Some(time));
    world.read().await;
}

async fn resolve(world: &World, choice: ConflictChoice, notify: bool) -> Result<ResolvedConflict, ConflictRefusal> {
    let number = open(world).await[0].id;
    conflicts(world).resolve(world.organization, number, choice, notify, Actor::Operator).await.unwrap()
}

async fn sent(world: &World, kind: &'static str) -> Vec<Outbox> {
    let organization = world.organization;
    let read = world.app.store.read(move |tx| {
        let mut all = outbox::list(tx, organization, OutboxState::Pending, 100)?;
        all.retain(|one| one.kind == kind);
        Ok::<_, StoreError>(all)
    });
    read.await.unwrap()
}

#[tokio::test]
async fn staff_read_of_a_move_with_the_proposed_message_and_nothing_is_sent_to_the_customer() {
    let world = shop().await;
    person_moves(&world, "15:00").await;
    let alerts = sent(&world, "notice_calendar").await;
    assert_eq!(alerts.len(), 1, "the staff member who answers customers, and nobody else");
    let text = serde_json::from_str::<serde_json::Value>(&alerts[0].body).unwrap().to_string();
    for part in ["Ana, Corte (Ana Prado)", "Era 24/11 10:00, agora é 24/11 15:00", TOLD, "--take --silent --as davi@"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    let moves = open(&world).await;
    let [one] = moves.as_slice() else { panic!("one report: {moves:?}") };
    assert_eq!((one.kind, one.appointment.start.as_str()), (ConflictKind::Moved, "15:00"));
    assert_eq!(one.known.as_ref().unwrap().start, "10:00");
    assert_eq!(sent(&world, "appointment_moved").await.len(), 0);
    world.read().await;
    assert_eq!(
        (open(&world).await.len(), sent(&world, "notice_calendar").await.len()),
        (1, 1),
        "read again, told once"
    );
}

#[tokio::test]
async fn the_customer_reads_of_a_move_once_staff_send_the_message() {
    let world = shop().await;
    person_moves(&world, "15:00").await;
    let ways = conflicts(&world).find(world.organization, open(&world).await[0].id).await.unwrap().unwrap();
    let tell = ways.ways[0].notice.as_ref().unwrap();
    assert_eq!(ways.ways[0].choice, ConflictChoice::TakeOutside);
    assert_eq!((tell.text.as_str(), &tell.reach), (TOLD, &Reach::Message { price_micros: Some(0) }));
    let resolved = resolve(&world, ConflictChoice::TakeOutside, true).await.unwrap().booking.unwrap();
    assert_eq!((resolved.changed, resolved.notice.unwrap().text.as_str()), (false, TOLD));
    assert_eq!(sent(&world, "appointment_moved").await.len(), 1);
    assert_eq!(open(&world).await, []);
    world.settle_later(1).await;
    world.assert_equal("told").await;
}

#[tokio::test]
async fn staff_may_keep_silent_about_a_move() {
    let world = shop().await;
    person_moves(&world, "15:00").await;
    let resolved = resolve(&world, ConflictChoice::TakeOutside, false).await.unwrap();
    assert_eq!(resolved.booking.unwrap().notice, None);
    assert_eq!((open(&world).await.len(), sent(&world, "appointment_moved").await.len()), (0, 0));
}

/// Whatever happens in between, the message goes from the time that the customer knows to the one that holds.
#[tokio::test]
async fn several_moves_are_one_report_and_a_move_back_is_none() {
    let world = shop().await;
    person_moves(&world, "14:00").await;
    let number = open(&world).await[0].id;
    person_moves(&world, "15:00").await;
    let moves = open(&world).await;
    assert_eq!(moves.iter().map(|one| one.id).collect::<Vec<_>>(), [number]);
    assert_eq!(moves[0].known.as_ref().unwrap().start, "10:00");
    let ways = conflicts(&world).find(world.organization, number).await.unwrap().unwrap();
    assert_eq!(ways.ways[0].notice.as_ref().unwrap().text, TOLD);
    person_moves(&world, "10:00").await;
    assert_eq!(open(&world).await, []);
    assert_eq!(sent(&world, "appointment_moved").await.len(), 0);
}

#[tokio::test]
async fn a_move_is_put_back_without_a_word_or_taken_elsewhere_with_the_known_time() {
    let world = shop().await;
    person_moves(&world, "15:00").await;
    let back = resolve(&world, ConflictChoice::Restore, true).await.unwrap().booking.unwrap();
    assert_eq!((back.appointment.start.as_str(), back.notice), ("10:00", None));
    world.settle_later(1).await;
    world.assert_equal("put back").await;
    person_moves(&world, "16:00").await;
    let to = ConflictChoice::Move { date: DAY, start_min: 15 * 60, professional: None };
    let moved = resolve(&world, to, true).await.unwrap().booking.unwrap();
    assert_eq!(moved.notice.unwrap().text, TOLD);
    world.settle_later(1).await;
    world.assert_equal("taken elsewhere").await;
    assert_eq!(open(&world).await, []);
}

/// A later edit of the event is a conflict beside the report, and its end does not end the report.
#[tokio::test]
async fn a_report_stays_open_beside_a_later_conflict_of_the_same_event() {
    let world = shop().await;
    person_moves(&world, "15:00").await;
    let event = world.service.events(ANA).remove(0);
    let longer = EventTime::Timed(Span::of_minutes("2026-11-24T15:00:00-03:00".parse().unwrap(), 60));
    world.service.person_changes(ANA, &event.id, |event| event.time = Some(longer));
    world.read().await;
    let kinds: Vec<_> = open(&world).await.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [ConflictKind::Moved, ConflictKind::Lengthened]);
    person_moves(&world, "15:00").await;
    let kinds: Vec<_> = open(&world).await.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [ConflictKind::Moved]);
}

#[tokio::test]
async fn a_report_ends_with_a_cancellation_of_the_customer() {
    let world = shop().await;
    person_moves(&world, "15:00").await;
    let number = open(&world).await[0].id;
    let cancelled = world.booking().cancel(world.organization, world.ana.contact, key("cancel"), None).await.unwrap();
    cancelled.value.unwrap();
    assert_eq!(open(&world).await, []);
    let all = conflicts(&world);
    let take = async |notify| {
        let by = Actor::Operator;
        all.resolve(world.organization, number, ConflictChoice::TakeOutside, notify, by).await.unwrap()
    };
    let refused = take(true).await;
    assert!(matches!(refused, Err(ConflictRefusal::Booking(ResolveRefusal::Ended { .. }))), "{refused:?}");
    assert_eq!(take(false).await, Ok(ResolvedConflict { id: number, booking: None }));
}
