use balcao_app::context::names::NameRefusal;
use balcao_app::crm::subscriptions::{SubscriberRefusal, Subscriptions};
use balcao_app::knowledge::Knowledge;
use balcao_app::scheduling::appointments::Appointments;
use balcao_app::scheduling::availability::{Availability, AvailabilityQuery, AvailabilityRefusal, DayAvailability};
use balcao_app::scheduling::catalog::Catalog;
use balcao_app::scheduling::hours::BusinessHours;
use balcao_domain::subscription::SubscriberStatus;

use crate::world::{World, figueira, on};

async fn free(world: &World, date: &str, who: &str, what: &str) -> Result<DayAvailability, AvailabilityRefusal> {
    let named = |name: &str| Some(name.to_owned()).filter(|name| !name.is_empty());
    let query = AvailabilityQuery {
        date: Some(date.parse().unwrap()),
        professional: named(who),
        service: named(what),
        duration_min: None,
    };
    Availability::new(world.app.clone()).on(world.organization, None, query).await.unwrap()
}

#[tokio::test]
async fn free_slots_are_those_of_who_offers_the_service() {
    let world = figueira().await;
    let day = free(&world, "2026-11-28", "", "combo").await.unwrap();
    assert_eq!((day.service.as_deref(), day.duration_min), (Some("Corte e barba"), 60));
    assert_eq!(day.results.len(), 1);
    assert_eq!(day.results[0].professional, "Wesley Moura");
    assert_eq!(day.results[0].slots.first().map(String::as_str), Some("08:00"));
    assert_eq!(day.results[0].slots.last().map(String::as_str), Some("16:00"));
    assert_eq!(day.total, day.results[0].slots.len());
    let own = free(&world, "2026-11-25", "tavinho", "combo").await.unwrap();
    assert_eq!((own.professional.as_deref(), own.duration_min), (Some("Otávio Prado"), 50));
}

#[tokio::test]
async fn a_day_without_slots_names_the_next_one() {
    let world = figueira().await;
    let sunday = free(&world, "2026-11-29", "Íris", "Sobrancelha").await.unwrap();
    assert_eq!(sunday.total, 0);
    let next = sunday.next_available.unwrap();
    assert_eq!(
        (next.professional.as_str(), next.date.to_string().as_str(), next.start.as_str()),
        ("Íris Valente", "2026-12-02", "09:00")
    );
    let holiday = free(&world, "2026-12-25", "", "").await.unwrap();
    assert_eq!((holiday.total, holiday.note.as_deref()), (0, Some("Natal")));
}

#[tokio::test]
async fn a_question_without_an_answer_is_refused_with_the_reason() {
    let world = figueira().await;
    let past = free(&world, "2026-11-22", "", "").await.unwrap_err();
    assert_eq!(past, AvailabilityRefusal::PastDate { today: "2026-11-23".parse().unwrap(), duration_min: 30 });
    assert!(matches!(free(&world, "2027-02-01", "", "").await, Err(AvailabilityRefusal::TooFar { .. })));
    let scissors = free(&world, "2026-11-24", "Wesley", "tesoura").await;
    assert!(matches!(scissors, Err(AvailabilityRefusal::NotOffered { .. })), "{scissors:?}");
    let cut = free(&world, "2026-11-24", "", "corte").await;
    assert!(matches!(cut, Err(AvailabilityRefusal::Service(NameRefusal::Ambiguous { .. }))), "{cut:?}");
    let query = AvailabilityQuery { duration_min: Some(7), ..AvailabilityQuery::default() };
    let odd = Availability::new(world.app.clone()).on(world.organization, None, query).await.unwrap();
    assert_eq!(odd.unwrap_err(), AvailabilityRefusal::Duration { duration_min: 7 });
}

#[tokio::test]
async fn a_class_has_as_many_places_as_its_capacity() {
    let store = balcao_store::Store::open_in_memory().unwrap();
    let world = on(store, "clinica-vereda.yaml", "2026-11-30T07:00").await;
    // Two of four places are taken at nine.
    let day = free(&world, "2026-12-02", "Pilates", "Aula de pilates").await.unwrap();
    assert!(day.results[0].slots.contains(&"09:00".to_owned()), "{day:?}");
    let doctor = free(&world, "2026-11-30", "Helena", "Consulta").await.unwrap();
    assert!(!doctor.results[0].slots.iter().any(|start| start.as_str() < "09:00"), "{doctor:?}");
}

#[tokio::test]
async fn the_offer_lists_what_is_active_with_prices() {
    let world = figueira().await;
    let catalog = Catalog::new(world.app.clone());
    let offer = catalog.offer(world.organization).await.unwrap();
    assert_eq!((offer.services.len(), offer.professionals.len()), (7, 3));
    assert_eq!(offer.services[0].price.to_string(), "R$ 70,00");
    let saturday = catalog.professionals(world.organization, Some("2026-11-28".parse().unwrap()), None).await.unwrap();
    let names: Vec<_> =
        saturday.unwrap().professionals.into_iter().map(|one| (one.name, one.works[0].to_string())).collect();
    assert_eq!(
        names,
        [("Wesley Moura".to_owned(), "08:00-17:00".to_owned()), ("Íris Valente".to_owned(), "08:00-16:00".to_owned())]
    );
    let dyers = catalog.professionals(world.organization, None, Some("pintar".to_owned())).await.unwrap().unwrap();
    assert_eq!((dyers.service.as_deref(), dyers.professionals.len()), (Some("Coloração"), 1));
    let plans = catalog.plans(world.organization).await.unwrap();
    assert_eq!((plans[1].name.as_str(), plans[1].services.len(), plans[1].quota), ("Copa", 4, None));
}

#[tokio::test]
async fn hours_know_exceptions_holidays_and_the_next_opening() {
    let world = figueira().await;
    let hours = BusinessHours::new(world.app.clone());
    let week = hours.view(world.organization, None).await.unwrap();
    assert!(!week.open_now);
    let next = week.next_opening.unwrap();
    assert_eq!((next.date.to_string().as_str(), next.opens.as_str()), ("2026-11-23", "13:00"));
    let weekdays: Vec<&str> = week.days.iter().map(|day| day.weekday.as_str()).collect();
    assert_eq!(weekdays, ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]);
    world.set_local("2026-12-23T21:59");
    let late = hours.view(world.organization, Some("2026-12-25".parse().unwrap())).await.unwrap();
    assert!(late.open_now);
    assert_eq!((late.days[0].periods.len(), late.days[0].note.as_deref()), (0, Some("Natal")));
    world.set_local("2026-12-24T23:00");
    let eve = hours.view(world.organization, None).await.unwrap().next_opening.unwrap();
    assert_eq!(eve.date.to_string(), "2026-12-26");
}

#[tokio::test]
async fn knowledge_is_found_by_the_words_of_a_customer() {
    let world = figueira().await;
    let knowledge = Knowledge::new(world.app.clone());
    let ask = |query: &str, category: Option<&str>| {
        knowledge.search(world.organization, query.to_owned(), category.map(str::to_owned))
    };
    let hits = ask("onde posso estacionar o carro?", None).await.unwrap().unwrap();
    assert_eq!(hits[0].title, "Endereço e estacionamento");
    assert!(ask("xilofone", None).await.unwrap().unwrap().is_empty());
    let only = ask("atrasado", Some("regras da casa")).await.unwrap().unwrap();
    assert_eq!(only[0].title, "Chegar atrasado");
    let unknown = ask("pix", Some("Bebidas")).await.unwrap().unwrap_err();
    assert!(matches!(unknown, NameRefusal::NotFound { .. }));
}

#[tokio::test]
async fn a_subscriber_is_told_their_own_state_and_nobody_elses() {
    let world = figueira().await;
    let (caio, livia) = (world.caio().await, world.livia().await);
    let subscriptions = Subscriptions::new(world.app.clone());
    let own = subscriptions.status(world.organization, caio, None, false).await.unwrap().unwrap();
    assert!(own.is_subscriber);
    assert_eq!((own.subscriptions[0].quota, own.subscriptions[0].used), (None, 0));
    assert_eq!(own.due_date, Some("2026-12-10".parse().unwrap()));
    let overdue = subscriptions.status(world.organization, livia, Some("031984327788".to_owned()), false).await;
    let overdue = overdue.unwrap().unwrap();
    assert_eq!((overdue.is_subscriber, overdue.subscriptions[0].status), (false, SubscriberStatus::Overdue));
    for phone in ["31 99640-1177", "31 90000-0000"] {
        let other = subscriptions.status(world.organization, livia, Some(phone.to_owned()), false).await.unwrap();
        assert_eq!(other, Err(SubscriberRefusal::Forbidden));
    }
    let staff = subscriptions.status(world.organization, livia, Some("31 99640-1177".to_owned()), true).await;
    assert_eq!(staff.unwrap().unwrap().client_name.as_deref(), Some("Caio Brandão"));
}

#[tokio::test]
async fn history_counts_visits_and_knows_the_favourite() {
    let world = figueira().await;
    let appointments = Appointments::new(world.app.clone());
    let caio = appointments.history(world.organization, world.caio().await).await.unwrap();
    assert_eq!((caio.total_visits, caio.no_shows), (2, 0));
    assert_eq!(caio.preferred_professional.as_deref(), Some("Otávio Prado"));
    let last: Vec<String> = caio.last.iter().map(|one| one.date.to_string()).collect();
    assert_eq!(last, ["2026-11-10", "2026-10-13"]);
    assert_eq!(caio.upcoming[0].attendee.as_deref(), Some("Bento, filho"));
    let livia = appointments.history(world.organization, world.livia().await).await.unwrap();
    assert_eq!((livia.total_visits, livia.no_shows, livia.upcoming.len()), (0, 1, 1));
}
