//! What a person puts into an external calendar a second before counts for each way to a free time, and a copy that is too old counts for none.

use std::pin::Pin;
use std::sync::Arc;

use balcao_app::context::app_context::UseCaseError;
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::booking::{BookRequest, BookingRefusal};
use balcao_app::scheduling::calendar_conflicts::{CalendarConflicts, ConflictChoice, ConflictRefusal};
use balcao_app::scheduling::calendar_work::CalendarWork;
use balcao_app::scheduling::intake::{Intake, IntakeRefusal, IntakeRequest};
use balcao_app::scheduling::waitlist::{JoinRequest, Waitlist};
use balcao_app::scheduling::ways_out::{ResolveRefusal, Way, WaysOut};
use balcao_app::turns::{ContactRef, TurnRequest, TurnRunner};
use balcao_domain::outside_event::EventTime;
use balcao_domain::waitlist::DayPeriod;
use balcao_domain::{Clock as _, ConversationId, Phone, ProfessionalId, Span};
use balcao_llm::providers::scripted::{Scripted, says};
use balcao_store::messaging::conversation;
use balcao_store::scheduling::calendar_link::{self, CalendarLink, LinkAccess};
use balcao_store::scheduling::waitlist;
use balcao_store::{Store, StoreError};
use balcao_testkit::contract::calendar::{BUSINESS, NOW};
use balcao_testkit::fakes::calendar_service::MemoryService;
use balcao_tool::With;
use jiff::SignedDuration;

use super::{ANA, DAY, World, in_memory, key, request, to, with_business};
use crate::messaging_harness::start_in_world;
use crate::with_whom::{agent, intake_profile};
use crate::world::on;

/// What a path to a free time sees: once without an event of a person, once with one from a second before.
type Path = fn(bool) -> Pin<Box<dyn Future<Output = String>>>;

/// Our copy is new; with `puts` a person puts an event into the calendar, and a second passes.
async fn pass_second(world: &World, puts: bool, start: &str) {
    world.read().await;
    if puts {
        let span = Span::of_minutes(format!("2026-11-24T{start}:00-03:00").parse().unwrap(), 30);
        world.service.person_makes(ANA, "dentist", EventTime::Timed(span), 0);
    }
    world.clock.advance(SignedDuration::from_secs(1));
}

fn word<T>(answer: &Result<T, BookingRefusal>) -> String {
    match answer {
        Ok(_) => "granted".to_owned(),
        Err(BookingRefusal::SlotTaken { .. }) => "taken".to_owned(),
        Err(_) => "refused".to_owned(),
    }
}

fn ways(world: &World) -> WaysOut {
    WaysOut::new(world.app.clone(), AccountPolicies::default())
}

fn move_to(start_min: u16) -> Way {
    Way::Move { date: DAY, start_min, professional: None }
}

async fn preview_book(puts: bool) -> String {
    let world = in_memory().await;
    pass_second(&world, puts, "10:00").await;
    word(&world.booking().preview_book(world.organization, world.ana.contact, request("10:00")).await.unwrap())
}

async fn preview_reschedule(puts: bool) -> String {
    let world = in_memory().await;
    world.book("09:00").await;
    pass_second(&world, puts, "10:00").await;
    word(&world.booking().preview_reschedule(world.organization, world.ana.contact, to("10:00")).await.unwrap())
}

/// A person moves the event of the appointment itself.
async fn preview_cancel(puts: bool) -> String {
    let world = in_memory().await;
    world.book("10:00").await;
    pass_second(&world, false, "").await;
    if puts {
        let event = world.service.events(ANA).remove(0);
        let span = Span::of_minutes("2026-11-24T11:00:00-03:00".parse().unwrap(), 30);
        world.service.person_changes(ANA, &event.id, |event| event.time = Some(EventTime::Timed(span)));
    }
    let would = world.booking().preview_cancel(world.organization, world.ana.contact, None).await.unwrap();
    would.unwrap().start
}

/// A conversation of Ana's that is about the professional.
async fn conversation_of(world: &World) -> ConversationId {
    let (organization, contact, professional) = (world.organization, world.ana.contact, world.professional);
    let now = NOW.parse().unwrap();
    let begin = move |tx: &mut balcao_store::Tx<'_>| {
        let begun = conversation::find_or_begin(tx, organization, contact, "terminal", now)?;
        conversation::set_professional(tx, organization, begun.id, Some(professional))?;
        Ok::<_, StoreError>(begun.id)
    };
    world.app.store.write(begin).await.unwrap()
}

fn session() -> IntakeRequest {
    IntakeRequest {
        date: DAY,
        start_min: 10 * 60,
        client_name: "Ana".to_owned(),
        client_phone: Phone::parse("31 99640-1177").unwrap(),
        service: None,
        price_agreed: true,
    }
}

async fn preview_intake(puts: bool) -> String {
    let world = in_memory().await;
    let conversation = conversation_of(&world).await;
    pass_second(&world, puts, "10:00").await;
    let intake = Intake::new(world.app.clone());
    match intake.preview(world.organization, world.ana.contact, conversation, session()).await.unwrap() {
        Err(IntakeRefusal::Booking(refusal)) => word::<()>(&Err(refusal)),
        Ok(_) => "granted".to_owned(),
        Err(other) => format!("{other:?}"),
    }
}

/// Bia has 10:00, and Ana waits for that day, in as many places.
async fn waited_for(pending: bool, places: &[Option<DayPeriod>]) -> World {
    let world = in_memory().await;
    let wish = BookRequest { pending, ..request("10:00") };
    world.booking().book(world.organization, world.bia.contact, key("bia"), wish).await.unwrap().value.unwrap();
    for (number, period) in places.iter().enumerate() {
        let wish = JoinRequest { date: DAY, professional: None, service: None, period: *period };
        let joined = Waitlist::new(world.app.clone())
            .join(world.organization, world.ana.contact, key(&format!("join {number}")), wish)
            .await;
        joined.unwrap().value.unwrap();
    }
    world
}

/// How many places have no offer.
async fn places_without_offer(world: &World) -> String {
    let organization = world.organization;
    let waiting: Result<_, StoreError> =
        world.app.store.read(move |tx| waitlist::waiting_for(tx, organization, DAY)).await;
    waiting.unwrap().len().to_string()
}

async fn offer_of_cancelled_time(puts: bool) -> String {
    let world = waited_for(false, &[None]).await;
    pass_second(&world, puts, "10:00").await;
    world.booking().cancel(world.organization, world.bia.contact, key("cancel"), None).await.unwrap().value.unwrap();
    places_without_offer(&world).await
}

async fn offer_of_expired_hold(puts: bool) -> String {
    let world = waited_for(true, &[None]).await;
    world.clock.advance(SignedDuration::from_hours(3));
    pass_second(&world, puts, "10:00").await;
    assert_eq!(world.booking().expire_pending(world.organization).await.unwrap(), 1);
    places_without_offer(&world).await
}

async fn offer_that_is_passed_on(puts: bool) -> String {
    let world = waited_for(false, &[None, Some(DayPeriod::Morning)]).await;
    world.booking().cancel(world.organization, world.bia.contact, key("cancel"), None).await.unwrap().value.unwrap();
    world.clock.advance(SignedDuration::from_hours(3));
    pass_second(&world, puts, "10:00").await;
    assert_eq!(Waitlist::new(world.app.clone()).pass_on(world.organization).await.unwrap(), 1);
    places_without_offer(&world).await
}

async fn find_ways(puts: bool) -> String {
    let world = in_memory().await;
    let id = world.book("10:00").await;
    pass_second(&world, puts, "10:30").await;
    let found = ways(&world).find(world.organization, id).await.unwrap().unwrap();
    let is_proposed = found.ways.iter().filter_map(|way| way.to.as_ref()).any(|to| to.start == "10:30");
    is_proposed.to_string()
}

async fn take_way(puts: bool) -> String {
    let world = in_memory().await;
    let id = world.book("10:00").await;
    pass_second(&world, puts, "11:00").await;
    let taken = ways(&world).resolve(world.organization, id, move_to(11 * 60), None, Actor::Operator).await.unwrap();
    match taken {
        Err(ResolveRefusal::Booking(refusal)) => word::<()>(&Err(refusal)),
        Ok(_) => "granted".to_owned(),
        Err(other) => format!("{other:?}"),
    }
}

/// Staff answer the report of a move outside with another time.
async fn answer_report(puts: bool) -> String {
    let world = in_memory().await;
    world.book("10:00").await;
    let event = world.service.events(ANA).remove(0);
    let span = Span::of_minutes("2026-11-24T11:00:00-03:00".parse().unwrap(), 30);
    world.service.person_changes(ANA, &event.id, |event| event.time = Some(EventTime::Timed(span)));
    pass_second(&world, puts, "15:00").await;
    let conflicts = CalendarConflicts::new(world.app.clone(), AccountPolicies::default());
    let number = conflicts.page(world.organization, None, 9).await.unwrap().items.first().unwrap().id;
    let choice = ConflictChoice::Move { date: DAY, start_min: 15 * 60, professional: None };
    match conflicts.resolve(world.organization, number, choice, false, Actor::Operator).await.unwrap() {
        Err(ConflictRefusal::Booking(ResolveRefusal::Booking(refusal))) => word::<()>(&Err(refusal)),
        Ok(_) => "granted".to_owned(),
        Err(other) => format!("{other:?}"),
    }
}

/// Of two who are free at ten, the first is chosen.
async fn choose_first_available(puts: bool) -> String {
    let second = "contacts:\n".to_owned();
    let hours = r#"{tue: ["09:00-12:00", "14:00-18:00"]}"#;
    let beto = format!("  - {{name: Beto Lima, hours: {hours}, services: [Corte]}}\n{second}");
    let world = with_business(Store::open_in_memory().unwrap(), BUSINESS.replace(&second, &beto)).await;
    pass_second(&world, puts, "10:00").await;
    let model = Scripted::new([says("Certo.")]);
    let front = TurnRunner::new(world.app.clone(), [agent("house", Some(With::One), "", &model)]);
    let inbound = TurnRequest {
        organization: world.organization,
        channel: "terminal".to_owned(),
        from: ContactRef::Contact(world.ana.contact),
        name: None,
        texts: vec!["amanhã às 10h, com qualquer um".to_owned()],
    };
    let answered = front.answer("caseira", inbound, None).await.unwrap();
    let organization = world.organization;
    let read = world.app.store.read(move |tx| conversation::get(tx, organization, answered.conversation)).await;
    let chosen = read.map_err(|error: StoreError| error).unwrap().professional;
    (chosen == Some(world.professional)).to_string()
}

/// The same of messages that a channel delivers.
async fn choose_by_messages(puts: bool) -> String {
    let mut world = on(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-24T10:00").await;
    let (organization, now, first) = (world.organization, world.clock.now(), ProfessionalId::try_from(1).unwrap());
    let link = CalendarLink { professional: first, calendar: ANA.to_owned(), access: LinkAccess::Read };
    let linked: Result<(), StoreError> =
        world.app.store.write(move |tx| calendar_link::link(tx, organization, &link, now)).await;
    linked.unwrap();
    let service = Arc::new(MemoryService::new(now, &[ANA]));
    world.app = world.app.clone().with_remote_calendar(Some(service.clone()));
    CalendarWork::new(world.app.clone()).read(organization, ANA.to_owned(), false).await.unwrap();
    let shop = start_in_world(world, intake_profile(), [says("Oi!")]);
    shop.joao_writes("wamid.1", "quero um corte na máquina amanhã às 15h, com qualquer um").await;
    if puts {
        let span = Span::of_minutes("2026-11-25T15:00:00-03:00".parse().unwrap(), 30);
        service.person_makes(ANA, "dentist", EventTime::Timed(span), 0);
    }
    shop.run_until_idle().await;
    (shop.conversation().await.professional == Some(first)).to_string()
}

#[tokio::test]
async fn event_put_in_by_hand_a_second_before_counts_on_every_path() {
    let paths: [(&str, Path, &str, &str); 12] = [
        ("preview of a booking", |puts| Box::pin(preview_book(puts)), "granted", "taken"),
        ("preview of a move", |puts| Box::pin(preview_reschedule(puts)), "granted", "taken"),
        ("preview of a cancellation", |puts| Box::pin(preview_cancel(puts)), "10:00", "11:00"),
        ("preview of a session", |puts| Box::pin(preview_intake(puts)), "granted", "taken"),
        ("time of a cancelled booking", |puts| Box::pin(offer_of_cancelled_time(puts)), "0", "1"),
        ("time of an expired hold", |puts| Box::pin(offer_of_expired_hold(puts)), "0", "1"),
        ("time of a lapsed offer", |puts| Box::pin(offer_that_is_passed_on(puts)), "0", "1"),
        ("ways out", |puts| Box::pin(find_ways(puts)), "true", "false"),
        ("way out that is taken", |puts| Box::pin(take_way(puts)), "granted", "taken"),
        ("report of a move", |puts| Box::pin(answer_report(puts)), "granted", "taken"),
        ("professional who is free first", |puts| Box::pin(choose_first_available(puts)), "true", "false"),
        ("the same by messages", |puts| Box::pin(choose_by_messages(puts)), "true", "false"),
    ];
    let mut wrong = Vec::new();
    for (name, path, without, with) in paths {
        let seen = (path(false).await, path(true).await);
        if seen != (without.to_owned(), with.to_owned()) {
            wrong.push(format!("{name}: {seen:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// What each preview and act of staff comes to, so many minutes after the last reading, while the service does not answer.
async fn asked_while_down(rules: &str, minutes: i64) -> Vec<&'static str> {
    let usual = "cancellation_notice_minutes: 0,";
    let business = BUSINESS.replace(usual, &format!("{usual}{rules}"));
    let world = with_business(Store::open_in_memory().unwrap(), business).await;
    let id = world.book("10:00").await;
    let conversation = conversation_of(&world).await;
    world.read().await;
    world.service.set_down(true);
    world.clock.advance(SignedDuration::from_mins(minutes));
    let (organization, contact, booking) = (world.organization, world.ana.contact, world.booking());
    let session = IntakeRequest { start_min: 11 * 60, ..session() };
    vec![
        outcome(booking.preview_book(organization, contact, request("09:00")).await),
        outcome(booking.preview_reschedule(organization, contact, to("11:00")).await),
        outcome(booking.preview_cancel(organization, contact, None).await),
        outcome(Intake::new(world.app.clone()).preview(organization, contact, conversation, session).await),
        outcome(ways(&world).find(organization, id).await),
        outcome(ways(&world).resolve(organization, id, move_to(11 * 60), None, Actor::Operator).await),
    ]
}

fn outcome<T, R>(answer: Result<Result<T, R>, UseCaseError>) -> &'static str {
    match answer {
        Ok(Ok(_)) => "granted",
        Ok(Err(_)) => "refused",
        Err(UseCaseError::RemoteCalendar(_)) => "not answered",
        Err(_) => "failed",
    }
}

#[tokio::test]
async fn copy_counts_while_the_service_is_down_until_it_is_too_old() {
    assert_eq!(asked_while_down("", 29).await, ["granted"; 6]);
    assert_eq!(asked_while_down("", 31).await, ["not answered"; 6]);
    assert_eq!(asked_while_down(" when_calendar_is_down: book_anyway,", 31).await, ["granted"; 6]);
}

/// A clock that was set back leaves a copy from the future, whose age is unknown.
#[tokio::test]
async fn copy_from_before_the_clock_was_set_back_is_too_old() {
    assert_eq!(asked_while_down("", -29).await, ["granted"; 6]);
    assert_eq!(asked_while_down("", -31).await, ["not answered"; 6]);
}

/// Acts and the worker read a copy from the future again at once, and do not wait until the clock has reached it.
#[tokio::test]
async fn copy_from_the_future_is_read_again_at_once() {
    let world = in_memory().await;
    let (organization, contact) = (world.organization, world.ana.contact);
    world.read().await;
    let span = Span::of_minutes("2026-11-24T10:00:00-03:00".parse().unwrap(), 30);
    world.service.person_makes(ANA, "dentist", EventTime::Timed(span), 0);
    world.clock.advance(SignedDuration::from_mins(-20));
    assert_eq!(word(&world.booking().preview_book(organization, contact, request("10:00")).await.unwrap()), "taken");
    world.clock.advance(SignedDuration::from_mins(-20));
    assert_eq!(world.work().read_due(organization).await.unwrap(), 1);
    assert_eq!(world.work().read_due(organization).await.unwrap(), 0);
}

/// A key that has its answer gives it again, although the service does not answer and the copy is too old.
#[tokio::test]
async fn answered_way_out_is_given_again_while_the_service_is_down() {
    let world = in_memory().await;
    let id = world.book("10:00").await;
    let take = async || {
        let ways = ways(&world).once(key("way"));
        ways.resolve(world.organization, id, move_to(11 * 60), None, Actor::Operator).await.unwrap().unwrap()
    };
    let first = take().await;
    world.service.set_down(true);
    world.clock.advance(SignedDuration::from_mins(31));
    assert_eq!(take().await, first);
}
