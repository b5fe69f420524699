//! Every answer about a professional's working hours agrees with the free times: the shop's hours, its
//! closed and its special days, the professional's own, and the days on which they are away.

use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::booking::{BookRequest, Booking, BookingRefusal, ServiceChoice};
use balcao_app::scheduling::calendar::{BuiltIn, BusyQuery, Calendar, Owner};
use balcao_app::scheduling::catalog::Catalog;
use balcao_app::scheduling::day_view::DayViews;
use balcao_app::scheduling::intake::Intake;
use balcao_domain::ConversationId;
use balcao_domain::hours::Period;
use balcao_store::{Store, StoreError, messaging::conversation};
use jiff::civil::Date;

use crate::world::{World, of_file};

const SHOP: &str = r#"
organization:
  name: Turnos
  slug: turnos
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  hours: {mon: ["09:00-20:00"], tue: ["09:00-20:00"], wed: ["09:00-20:00"], thu: ["09:00-20:00"], fri: ["09:00-20:00"]}
  exceptions:
    - {date: 2026-12-06, periods: ["10:00-14:00"], note: "Domingo aberto"}
    - {date: 2026-12-08, periods: [], note: "Feriado municipal"}
  national_holidays: true
  scheduling: {slot_step_minutes: 15, minimum_notice_minutes: 0, maximum_advance_days: 60, cancellation_notice_minutes: 0, maximum_open_appointments: 10}
services:
  - {name: Corte, price: "45.00", duration_minutes: 15}
professionals:
  - name: Ana
    hours: {mon: ["08:00-12:00", "13:00-18:00"], tue: ["08:00-12:00"], wed: ["08:00-12:00"], thu: ["08:00-12:00"], fri: ["08:00-12:00"], sun: ["08:00-12:00"]}
    exceptions:
      - {date: 2026-12-10, periods: ["15:00-21:00"]}
    time_off:
      - {from: "2026-12-02T00:00", to: "2026-12-03T00:00"}
      - {from: "2026-12-03T10:00", to: "2026-12-03T11:00"}
      - {from: "2026-12-03T23:00", to: "2026-12-04T09:30"}
      - {from: "2026-12-09T08:00", to: "2026-12-09T12:00"}
    services: [Corte]
  - {name: Noa, hours: {}, services: [Corte]}
contacts:
  - {name: Lia, phone: "+55 31 98432-7788"}
"#;

/// A date, and when Ana works on it.
const ANA: [(&str, &str); 10] = [
    ("2026-11-30", "09:00-12:00 13:00-18:00"),
    ("2026-12-01", "09:00-12:00"),
    // Away all day, for an hour, from the evening before, and for just as long as she would have worked.
    ("2026-12-02", ""),
    ("2026-12-03", "09:00-10:00 11:00-12:00"),
    ("2026-12-04", "09:30-12:00"),
    ("2026-12-09", ""),
    // The shop opens for once, is closed for once, and has a holiday; she works other hours for once.
    ("2026-12-06", "10:00-12:00"),
    ("2026-12-08", ""),
    ("2026-12-25", ""),
    ("2026-12-10", "15:00-20:00"),
];

fn written(periods: &[Period]) -> String {
    periods.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// What each of those who tell it says of one professional on a date, which is today.
async fn told(world: &World, name: &str, date: Date) -> Vec<(&'static str, String)> {
    let organization = world.organization;
    let owner = Owner { organization, contact: world.livia().await };
    let day = DayViews::new(world.app.clone()).show(organization, Some(date)).await.unwrap();
    let column = day.professionals.into_iter().find(|one| one.name == name).unwrap();
    let listed = Catalog::new(world.app.clone()).professionals(organization, Some(date), None).await.unwrap().unwrap();
    let listed = listed.professionals.into_iter().find(|one| one.name == name);
    let info = Intake::new(world.app.clone()).professional(organization, about(world, name).await).await.unwrap();
    let query = BusyQuery { from: date, to: date, professional: Some(name.to_owned()) };
    let calendar = BuiltIn::new(world.app.clone()).busy(owner, query).await.unwrap().value.unwrap();
    let late = BookRequest {
        professional: Some(name.to_owned().into()),
        service: Some(ServiceChoice::Name("Corte".to_owned())),
        date,
        start_min: 22 * 60,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let refused = Booking::new(world.app.clone()).preview_book(organization, owner.contact, late).await.unwrap();
    let Err(BookingRefusal::OutsideHours { works, .. }) = refused else { panic!("{refused:?}") };
    vec![
        ("the day of the console", written(&column.works)),
        ("the list of professionals", listed.map(|one| written(&one.works)).unwrap_or_default()),
        ("the professional's information", written(&info.unwrap().working_hours[0].1)),
        ("the calendar", written(&calendar[0].open)),
        ("a booking's refusal", written(&works)),
    ]
}

/// A conversation of the contact's about a professional.
async fn about(world: &World, name: &str) -> ConversationId {
    let (organization, contact, now) = (world.organization, world.livia().await, world.app.clock.now());
    let whom = if name == "Ana" { 1 } else { 2 };
    let begun = world.app.store.write(move |tx| {
        let begun = conversation::find_or_begin(tx, organization, contact, "terminal", now)?;
        conversation::set_professional(tx, organization, begun.id, Some(whom.try_into().unwrap()))?;
        Ok::<_, StoreError>(begun.id)
    });
    begun.await.unwrap()
}

async fn shop() -> World {
    let file = BusinessFile::read("turnos", SHOP).unwrap();
    of_file(Store::open_in_memory().unwrap(), file, "2026-11-30T00:10").await
}

#[tokio::test]
async fn everybody_tells_the_same_working_time() {
    let world = shop().await;
    for (date, expected) in ANA {
        world.set_local(&format!("{date}T00:10"));
        for (who, works) in told(&world, "Ana", date.parse().unwrap()).await {
            assert_eq!(works, expected, "{who}, {date}");
        }
    }
}

#[tokio::test]
async fn whoever_has_no_hours_works_at_no_time_for_anybody() {
    let world = shop().await;
    for (who, works) in told(&world, "Noa", "2026-11-30".parse().unwrap()).await {
        assert_eq!(works, "", "{who}");
    }
}

#[tokio::test]
async fn who_asks_for_nobody_is_told_when_somebody_works_and_not_when_the_door_is_open() {
    let world = shop().await;
    for (date, expected) in [("2026-11-30", "09:00-12:00 13:00-18:00"), ("2026-12-02", "")] {
        let late = BookRequest {
            professional: None,
            service: None,
            date: date.parse().unwrap(),
            start_min: 22 * 60,
            attendee: None,
            pending: false,
            source: "test".to_owned(),
            price_agreed: true,
        };
        let booking = Booking::new(world.app.clone());
        let refused = booking.preview_book(world.organization, world.livia().await, late).await.unwrap();
        let Err(BookingRefusal::OutsideHours { works, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(written(&works), expected, "{date}");
    }
}
