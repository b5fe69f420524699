use jiff::civil::date;

use super::*;
use crate::money::Currency;

#[test]
fn a_period_is_a_calendar_one() {
    let day = date(2026, 11, 26); // a Thursday
    assert_eq!(PlanPeriod::Week.around(day), (date(2026, 11, 23), date(2026, 11, 30)));
    assert_eq!(PlanPeriod::Month.around(day), (date(2026, 11, 1), date(2026, 12, 1)));
    assert_eq!(PlanPeriod::Year.around(day), (date(2026, 1, 1), date(2027, 1, 1)));
}

#[test]
fn a_plan_covers_its_services_within_its_quota() {
    let service = |number| ServiceId::try_from(number).unwrap();
    let mut plan = Plan {
        id: PlanId::try_from(1).unwrap(),
        name: "Dois por mês".to_owned(),
        price: Money::new(7990, Currency::BRL),
        period: PlanPeriod::Month,
        covers: vec![service(1)],
        quota: Some(2),
        benefits: Vec::new(),
        active: true,
    };
    assert!(plan.covers(service(1), 0) && plan.covers(service(1), 1));
    assert!(!plan.covers(service(1), 2));
    assert!(!plan.covers(service(2), 0));
    plan.quota = None;
    assert!(plan.covers(service(1), 1000));
}

#[test]
fn a_week_begins_on_monday() {
    let week = (date(2026, 11, 23), date(2026, 11, 30));
    assert_eq!([23, 26, 29].map(|day| PlanPeriod::Week.around(date(2026, 11, day))), [week; 3]);
    assert_eq!(PlanPeriod::Month.around(date(2028, 2, 29)), (date(2028, 2, 1), date(2028, 3, 1)));
}
