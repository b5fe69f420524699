//! Figures and questions about the business.

use balcao_app::admin::staff_access::{StaffAccess, StaffAccessRefusal, StaffPermissions};
use balcao_app::reports::analytics::Analytics;
use balcao_app::reports::questions::Questions;
use balcao_domain::ProfessionalId;
use balcao_domain::staff::Role;
use jiff::SignedDuration;

use crate::world::figueira;

#[tokio::test]
async fn months_are_counted_in_the_zone_of_the_business() {
    let world = figueira().await;
    let analytics = Analytics::new(world.app.clone());
    let stats = analytics.stats(world.organization, StaffPermissions::ALL, 2).await.unwrap();
    let months: Vec<&str> = stats.months.iter().map(|month| month.month.as_str()).collect();
    assert_eq!(months, ["2026-10", "2026-11"]);
    assert_eq!((stats.from.to_string(), stats.to.to_string()), ("2026-10-01".to_owned(), "2026-11-30".to_owned()));
    let (october, november) = (stats.months[0].figures, stats.months[1].figures);
    assert_eq!((october.total, october.completed, october.no_shows), (2, 1, 1));
    assert!((october.no_show_rate - 0.5).abs() < f64::EPSILON);
    assert_eq!(
        (october.revenue.map(|money| money.cents), november.revenue.map(|money| money.cents)),
        (Some(0), Some(9500))
    );
    assert_eq!((stats.summary.total, stats.summary.no_shows), (3, 1));
    // Booked for December: not of these months.
    let one = analytics.stats(world.organization, StaffPermissions::ALL, 1).await.unwrap();
    assert_eq!((one.months.len(), one.summary.no_show_rate.to_bits()), (1, 0.0_f64.to_bits()));
}

#[tokio::test]
async fn the_agenda_ahead_is_in_order_and_ends_with_the_last_day() {
    let world = figueira().await;
    let analytics = Analytics::new(world.app.clone());
    let ahead = analytics.upcoming(world.organization, StaffPermissions::ALL, 11).await.unwrap();
    assert_eq!((ahead.from.to_string().as_str(), ahead.to.to_string().as_str()), ("2026-11-23", "2026-12-04"));
    let ahead = ahead.appointments;
    let starts: Vec<&str> = ahead.iter().map(|one| one.starts_at.as_str()).collect();
    assert_eq!(starts, ["2026-12-03 09:30", "2026-12-04 14:00"]);
    assert_eq!(ahead[0].client.as_deref(), Some("Bento, filho"));
    assert_eq!(analytics.upcoming(world.organization, StaffPermissions::ALL, 10).await.unwrap().appointments.len(), 1);
}

#[tokio::test]
async fn who_does_not_come_is_ranked() {
    let world = figueira().await;
    let missed = Analytics::new(world.app.clone())
        .no_show_clients(world.organization, StaffPermissions::ALL, 6, 10)
        .await
        .unwrap();
    assert_eq!((missed.from.to_string(), missed.to.to_string()), ("2026-06-01".to_owned(), "2026-11-23".to_owned()));
    let missed = missed.clients;
    assert_eq!(missed.len(), 1);
    assert_eq!((missed[0].name.as_deref(), missed[0].no_shows, missed[0].total_sessions), (Some("Lívia Campos"), 1, 1));
    let recent = Analytics::new(world.app.clone())
        .no_show_clients(world.organization, StaffPermissions::ALL, 1, 10)
        .await
        .unwrap();
    assert!(recent.clients.is_empty());
}

#[tokio::test]
async fn a_question_is_answered_in_local_time_by_what_the_asker_may_see() {
    let world = figueira().await;
    let questions = Questions::new(world.app.clone());
    let ask = async |sees, text: &str| questions.ask(world.organization, sees, text).await.unwrap();
    let question = r#"appointments | where status == "no_show" | summarize count(), sum(price) by month(starts_at)"#;
    let table = ask(StaffPermissions::ALL, question).await.unwrap().table;
    let months: Vec<String> = table.rows.iter().map(|row| format!("{:?}", row[0])).collect();
    assert_eq!(months, [r#"Text("2026-10")"#]);
    let blind = StaffPermissions { money: false, only: None };
    let error = ask(blind, question).await.unwrap_err();
    assert!(error.to_string().contains("no field `price`"), "{error}");
    let all = ask(StaffPermissions::ALL, "appointments | summarize count()").await.unwrap().table.rows;
    let mut by_professional = 0;
    for id in 1..=9 {
        let only = StaffPermissions { money: true, only: Some(ProfessionalId::try_from(id).unwrap()) };
        let rows = ask(only, "appointments | summarize count(), distinct(professional)").await.unwrap().table.rows;
        by_professional += match rows[0][..] {
            [balcao_query::Value::Integer(count), balcao_query::Value::Integer(0 | 1)] => count,
            _ => panic!("{rows:?}"),
        };
    }
    assert_eq!(all, [[balcao_query::Value::Integer(by_professional)]]);
}

#[tokio::test]
async fn staff_write_through_a_contact_of_their_own_and_see_what_their_role_allows() {
    let world = figueira().await;
    let people = StaffAccess::new(world.app.clone());
    let unknown = people.contact_of(world.organization, "ninguem@figueira.example".to_owned()).await.unwrap();
    assert!(unknown.unwrap_err().to_string().contains("known: "));
    let staff = world.staff().await;
    for one in staff {
        let contact = people.contact_of(world.organization, one.email.to_uppercase()).await.unwrap().unwrap();
        assert_eq!(people.contact_of(world.organization, one.email).await.unwrap(), Ok(contact));
        let sees = people.sees(world.organization, contact).await.unwrap();
        match one.role {
            Role::Owner | Role::Manager => assert_eq!(sees, Ok(StaffPermissions::ALL)),
            Role::Professional => assert!(sees.unwrap().only.is_some()),
            Role::Attendant | Role::Viewer => assert_eq!(sees, Ok(StaffPermissions { money: false, only: None })),
        }
    }
    let customer = world.caio().await;
    assert_eq!(people.sees(world.organization, customer).await.unwrap(), Err(StaffAccessRefusal::NotStaff));
}

#[tokio::test]
async fn an_assistant_is_asked_so_often_an_hour_by_each() {
    let world = figueira().await;
    let people = StaffAccess::new(world.app.clone());
    let ask = async |who: &str| people.asks(world.organization, who.to_owned(), 3).await.unwrap();
    for _ in 0..3 {
        ask("renata@figueira.example").await.unwrap();
    }
    let StaffAccessRefusal::TooOften { per_hour: 3, wait } = ask("renata@figueira.example").await.unwrap_err() else {
        panic!("a fourth question within the hour");
    };
    assert_eq!(wait.as_secs(), 60 * 60);
    ask("davi@figueira.example").await.unwrap();
    // The limit counts any span of an hour; it does not restart at full hours or refill bit by bit.
    let later = async |minutes| {
        world.clock.advance(SignedDuration::from_mins(minutes));
        ask("renata@figueira.example").await.is_ok()
    };
    assert_eq!((later(21).await, later(38).await), (false, false), "21 and 59 minutes after");
    assert_eq!((later(1).await, later(0).await, later(0).await, later(0).await), (true, true, true, false));
    assert_eq!((later(59).await, later(1).await), (false, true));
}
