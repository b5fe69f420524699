use balcao_app::analytics::Analytics;

use crate::world::figueira;

#[tokio::test]
async fn months_are_counted_in_the_zone_of_the_business() {
    let world = figueira().await;
    let analytics = Analytics::new(world.desk.clone());
    let stats = analytics.stats(world.organization, 2).await.unwrap();
    let months: Vec<&str> = stats.months.iter().map(|month| month.month.as_str()).collect();
    assert_eq!(months, ["2026-10", "2026-11"]);
    let (october, november) = (stats.months[0].figures, stats.months[1].figures);
    assert_eq!((october.total, october.completed, october.no_shows), (2, 1, 1));
    assert!((october.no_show_rate - 0.5).abs() < f64::EPSILON);
    assert_eq!((october.revenue.cents, november.revenue.cents), (0, 9500));
    assert_eq!((stats.summary.total, stats.summary.no_shows), (3, 1));
    // Booked for December: not of these months.
    let one = analytics.stats(world.organization, 1).await.unwrap();
    assert_eq!((one.months.len(), one.summary.no_show_rate.to_bits()), (1, 0.0_f64.to_bits()));
}

#[tokio::test]
async fn the_agenda_ahead_is_in_order_and_ends_with_the_last_day() {
    let world = figueira().await;
    let analytics = Analytics::new(world.desk.clone());
    let ahead = analytics.upcoming(world.organization, 11).await.unwrap();
    let starts: Vec<&str> = ahead.iter().map(|one| one.starts_at.as_str()).collect();
    assert_eq!(starts, ["2026-12-03 09:30", "2026-12-04 14:00"]);
    assert_eq!(ahead[0].client.as_deref(), Some("Bento, filho"));
    assert_eq!(analytics.upcoming(world.organization, 10).await.unwrap().len(), 1);
}

#[tokio::test]
async fn who_does_not_come_is_ranked() {
    let world = figueira().await;
    let missed = Analytics::new(world.desk.clone()).no_show_clients(world.organization, 6, 10).await.unwrap();
    assert_eq!(missed.len(), 1);
    assert_eq!((missed[0].name.as_deref(), missed[0].no_shows, missed[0].total_sessions), (Some("Lívia Campos"), 1, 1));
    let recent = Analytics::new(world.desk.clone()).no_show_clients(world.organization, 1, 10).await.unwrap();
    assert!(recent.is_empty());
}
