use jiff::civil::date;
use proptest::prelude::*;

use super::*;
use crate::money::Currency;

#[test]
fn a_period_is_a_calendar_one() {
    let day = date(2026, 11, 26); // a Thursday
    assert_eq!(PlanPeriod::Week.around(day), (date(2026, 11, 23), date(2026, 11, 30)));
    assert_eq!(PlanPeriod::Month.around(day), (date(2026, 11, 1), date(2026, 12, 1)));
    assert_eq!(PlanPeriod::Year.around(day), (date(2026, 1, 1), date(2027, 1, 1)));
}

fn plan(quota: Option<u32>) -> Plan {
    Plan {
        id: PlanId::try_from(1).unwrap(),
        name: "Dois por mês".to_owned(),
        price: Money::new(7990, Currency::BRL),
        period: PlanPeriod::Month,
        covers: vec![ServiceId::try_from(1).unwrap()],
        quota,
        benefits: Vec::new(),
        active: true,
    }
}

fn due(day: Date) -> SubscriptionDates {
    SubscriptionDates { due: Some(day), ..SubscriptionDates::default() }
}

#[test]
fn subscription_is_overdue_from_the_day_after_its_last_day_of_grace() {
    let dates = due(date(2026, 12, 10));
    let status = |day, grace_days| dates.status_on(date(2026, 12, day), grace_days);
    assert_eq!([status(10, 0), status(11, 0)], [SubscriberStatus::Active, SubscriberStatus::Overdue]);
    assert_eq!([status(13, 3), status(14, 3)], [SubscriberStatus::Active, SubscriberStatus::Overdue]);
    assert_eq!(SubscriptionDates::default().status_on(date(2026, 12, 10), 0), SubscriberStatus::Active);
    let paused = SubscriptionDates { paused: Some(date(2026, 12, 1)), ..dates };
    assert_eq!(paused.status_on(date(2027, 1, 1), 0), SubscriberStatus::Paused);
    let ended = SubscriptionDates { ended: Some(date(2026, 12, 5)), ..paused };
    assert_eq!(ended.status_on(date(2026, 12, 4), 0), SubscriberStatus::Paused);
    assert_eq!(ended.status_on(date(2026, 12, 5), 0), SubscriberStatus::Cancelled);
    assert_eq!(due(Date::MAX).status_on(Date::MAX, u32::MAX), SubscriberStatus::Active);
}

#[test]
fn plan_pays_within_its_quota_while_the_subscription_is_active() {
    let (today, visit) = (date(2026, 12, 10), date(2026, 12, 20));
    let asked = |used| CoverageQuestion { names_service: true, today, grace_days: 0, visit, used };
    let dates = due(today);
    let decide = |dates: SubscriptionDates, used| plan(Some(2)).decide_coverage(&dates, asked(used));
    assert_eq!((decide(dates, 0), decide(dates, 1)), (Ok(()), Ok(())));
    assert_eq!(decide(dates, 2), Err(NotCovered::QuotaUsed { quota: 2, period: PlanPeriod::Month }));
    assert_eq!(plan(None).decide_coverage(&dates, asked(1_000)), Ok(()));
    let late = date(2026, 12, 9);
    assert_eq!(decide(due(late), 0), Err(NotCovered::Overdue { due: late }));
    assert_eq!(decide(SubscriptionDates { paused: Some(late), ..dates }, 0), Err(NotCovered::Paused));
    for on in [late, today, visit] {
        let ended = SubscriptionDates { ended: Some(on), ..dates };
        assert_eq!(decide(ended, 0), Err(NotCovered::Ended { on }));
    }
    assert_eq!(decide(SubscriptionDates { ended: Some(date(2026, 12, 21)), ..dates }, 0), Ok(()));
    // Of a service that it does not name a plan that runs says so; one that does not run has another reason.
    let other = |dates| plan(None).decide_coverage(&dates, CoverageQuestion { names_service: false, ..asked(0) });
    assert_eq!(other(dates), Err(NotCovered::OtherService));
    assert_eq!(other(due(late)), Err(NotCovered::Overdue { due: late }));
}

#[test]
fn due_date_keeps_its_day_of_the_month_through_shorter_months() {
    let walk = |period: PlanPeriod, from: Date, steps: usize| {
        let mut dates = vec![from];
        for _ in 0..steps {
            let last = dates[dates.len() - 1];
            dates.push(period.next_due(last, from.day()).unwrap());
        }
        dates.split_off(1)
    };
    let months = walk(PlanPeriod::Month, date(2027, 1, 31), 4);
    assert_eq!(months, [date(2027, 2, 28), date(2027, 3, 31), date(2027, 4, 30), date(2027, 5, 31)]);
    assert_eq!(walk(PlanPeriod::Month, date(2028, 1, 31), 1), [date(2028, 2, 29)]);
    let years = walk(PlanPeriod::Year, date(2028, 2, 29), 4);
    assert_eq!((years[0], years[3]), (date(2029, 2, 28), date(2032, 2, 29)));
    assert_eq!(walk(PlanPeriod::Week, date(2026, 12, 28), 1), [date(2027, 1, 4)]);
    for period in PlanPeriod::ALL {
        assert_eq!(period.next_due(Date::MAX, 31), None);
    }
}

proptest! {
    /// The periods of a plan lie side by side, and the due date passes through each of them once.
    #[test]
    fn each_month_and_year_has_one_due_date(
        day in 0_i64..200_000, anchor_day in 1_i8..=31, period in prop::sample::select(vec![PlanPeriod::Month, PlanPeriod::Year]),
    ) {
        let start = date(1970, 1, 1).checked_add(day.days()).unwrap();
        let (first, after) = period.around(start);
        prop_assert!(first <= start && start < after);
        let next = period.next_due(start, anchor_day).unwrap();
        prop_assert_eq!(period.around(next).0, after);
        prop_assert_eq!(next.day(), anchor_day.min(next.days_in_month()));
    }
}

#[test]
fn a_week_begins_on_monday() {
    let week = (date(2026, 11, 23), date(2026, 11, 30));
    assert_eq!([23, 26, 29].map(|day| PlanPeriod::Week.around(date(2026, 11, day))), [week; 3]);
    assert_eq!(PlanPeriod::Month.around(date(2028, 2, 29)), (date(2028, 2, 1), date(2028, 3, 1)));
}
