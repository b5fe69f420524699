use jiff::civil::date;
use proptest::prelude::*;

use super::*;

const TODAY: Date = date(2026, 12, 10);

/// A payment of one period.
const PAY: SubscriptionAct = SubscriptionAct::Pay { periods: 1 };

fn started() -> SubscriptionDates {
    SubscriptionDates::start(date(2026, 11, 30), Some(date(2026, 12, 31)), TODAY).unwrap()
}

fn decide(dates: SubscriptionDates, act: SubscriptionAct) -> Result<Option<SubscriptionDates>, ActRefusal> {
    dates.decide(act, PlanPeriod::Month, TODAY)
}

#[test]
fn start_is_today_or_earlier_and_due_from_the_start_on() {
    let dates = SubscriptionDates::start(TODAY, None, TODAY).unwrap();
    assert_eq!((dates.due, dates.anchor_day), (Some(TODAY), Some(10)));
    let tomorrow = date(2026, 12, 11);
    assert_eq!(SubscriptionDates::start(tomorrow, None, TODAY), Err(ActRefusal::StartsLater { today: TODAY }));
    let early = SubscriptionDates::start(TODAY, Some(date(2026, 12, 9)), TODAY);
    assert_eq!(early, Err(ActRefusal::DueBeforeStart { started: TODAY }));
}

#[test]
fn payment_moves_the_due_date_by_one_period() {
    let paid = decide(started(), PAY).unwrap().unwrap();
    assert_eq!(paid, SubscriptionDates { due: Some(date(2027, 1, 31)), ..started() });
    let twice = decide(paid, PAY).unwrap().unwrap();
    assert_eq!((twice.due, twice.anchor_day), (Some(date(2027, 2, 28)), Some(31)));
    let unbilled = SubscriptionDates { due: None, anchor_day: None, ..started() };
    let billed = decide(unbilled, PAY).unwrap().unwrap();
    assert_eq!((billed.due, billed.anchor_day), (Some(date(2027, 1, 10)), Some(10)));
    let last = SubscriptionDates { due: Some(Date::MAX), ..started() };
    assert_eq!(decide(last, PAY), Err(ActRefusal::BeyondCalendar));
}

#[test]
fn renewal_of_the_same_due_date_happens_once() {
    let act = SubscriptionAct::Renew { due: date(2026, 12, 31) };
    let renewed = decide(started(), act).unwrap().unwrap();
    assert_eq!(renewed.due, Some(date(2027, 1, 31)));
    assert_eq!(decide(renewed, act), Ok(None));
    let other = SubscriptionAct::Renew { due: date(2026, 10, 31) };
    assert_eq!(decide(renewed, other), Err(ActRefusal::OtherDue { due: renewed.due }));
    let unbilled = SubscriptionDates { due: None, ..started() };
    assert_eq!(decide(unbilled, act), Err(ActRefusal::OtherDue { due: None }));
}

#[test]
fn days_of_rest_are_added_to_the_due_date() {
    let paused = decide(started(), SubscriptionAct::Pause).unwrap().unwrap();
    assert_eq!(paused.paused, Some(TODAY));
    assert_eq!(decide(paused, SubscriptionAct::Pause), Ok(None));
    assert_eq!(decide(paused, SubscriptionAct::Resume), Ok(Some(started())));
    let later = paused.decide(SubscriptionAct::Resume, PlanPeriod::Month, date(2026, 12, 25)).unwrap().unwrap();
    assert_eq!((later.due, later.anchor_day, later.paused), (Some(date(2027, 1, 15)), Some(15), None));
    assert_eq!(decide(started(), SubscriptionAct::Resume), Ok(None));
}

#[test]
fn end_comes_after_the_start_and_can_be_taken_back_while_it_is_to_come() {
    let end = |on| SubscriptionAct::End { on, gives_up_paid: true };
    let early = decide(started(), end(Some(date(2026, 11, 29))));
    assert_eq!(early, Err(ActRefusal::EndsBeforeStart { started: date(2026, 11, 30) }));
    let planned = decide(started(), end(Some(date(2026, 12, 31)))).unwrap().unwrap();
    assert_eq!(decide(planned, SubscriptionAct::Resume), Ok(Some(started())));
    let ended = decide(planned, end(None)).unwrap().unwrap();
    assert_eq!(ended.ended, Some(TODAY));
    assert_eq!((decide(ended, end(None)), decide(ended, end(Some(TODAY)))), (Ok(None), Ok(None)));
    let refused = Err(ActRefusal::Ended { on: TODAY });
    let renew = SubscriptionAct::Renew { due: date(2026, 12, 31) };
    let others = [renew, PAY, SubscriptionAct::Pause, SubscriptionAct::Resume, end(Some(Date::MAX))];
    for act in others {
        assert_eq!(decide(ended, act), refused, "{act:?}");
    }
}

#[test]
fn end_before_the_paid_time_is_over_has_to_be_meant() {
    let end = |on, gives_up_paid| decide(started(), SubscriptionAct::End { on, gives_up_paid });
    let lost = ActRefusal::PaidUntil { on: TODAY, until: date(2026, 12, 31), days: 21 };
    assert_eq!(end(None, false), Err(lost));
    assert_eq!(end(None, true).unwrap().unwrap().ended, Some(TODAY));
    assert_eq!(end(Some(date(2026, 12, 31)), false).unwrap().unwrap().ended, Some(date(2026, 12, 31)));
    let late = SubscriptionDates { due: Some(date(2026, 12, 1)), ..started() };
    assert!(decide(late, SubscriptionAct::End { on: None, gives_up_paid: false }).is_ok());
}

#[test]
fn amount_is_the_price_or_what_was_said_of_it() {
    use crate::subscription::payment::{AmountKind, AmountRefusal};
    let periods = |kind: AmountKind, paid: i64| kind.periods(paid, 8_900);
    assert_eq!(
        [8_899, 8_900, 8_901].map(|paid| periods(AmountKind::Price, paid)),
        [Err(AmountRefusal::Less), Ok(1), Err(AmountRefusal::More)]
    );
    assert_eq!([8_899, 8_900].map(|paid| periods(AmountKind::Partial, paid)), [Ok(0), Err(AmountRefusal::NotPartial)]);
    let refused = Err(AmountRefusal::NotMore);
    assert_eq!(
        [8_900, 8_901, 17_800, 17_801, 26_700, 120 * 8_900, 121 * 8_900].map(|paid| periods(AmountKind::More, paid)),
        [refused, refused, Ok(2), refused, Ok(3), Ok(120), refused]
    );
    assert_eq!(AmountKind::More.periods(100, 0), refused, "a plan without a price has no multiples");
}

#[test]
fn payment_of_several_periods_moves_by_each_of_them_and_is_taken_back_at_once() {
    // The last day of a month stays the last day, over short months, too.
    let before = SubscriptionDates { due: Some(date(2026, 12, 31)), anchor_day: Some(31), ..started() };
    let after = decide(before, SubscriptionAct::Pay { periods: 3 }).unwrap().unwrap();
    assert_eq!(after.due, Some(date(2027, 3, 31)));
    let one_by_one = (0..3).fold(before, |dates, _| decide(dates, PAY).unwrap().unwrap());
    assert_eq!(after, one_by_one);
    assert_eq!(after.take_back(before.due, date(2027, 3, 31)), Ok(before));
    let unbilled = SubscriptionDates { due: None, anchor_day: None, ..started() };
    let paid = decide(unbilled, SubscriptionAct::Pay { periods: 2 }).unwrap().unwrap();
    assert_eq!(paid.take_back(None, paid.due.unwrap()), Ok(unbilled));
}

#[test]
fn payment_that_is_taken_back_leaves_the_dates_as_they_were() {
    let unbilled = SubscriptionDates { due: None, anchor_day: None, ..started() };
    for before in [started(), unbilled] {
        let after = decide(before, PAY).unwrap().unwrap();
        assert_eq!(after.take_back(before.due, after.due.unwrap()), Ok(before));
        let later = decide(after, PAY).unwrap().unwrap();
        assert_eq!(later.take_back(before.due, after.due.unwrap()), Err(later.due));
    }
}

fn acts() -> impl Strategy<Value = SubscriptionAct> {
    let day = (-40_i64..400).prop_map(|days| TODAY.saturating_add(days.days()));
    prop_oneof![
        day.clone().prop_map(|due| SubscriptionAct::Renew { due }),
        (1_u32..4).prop_map(|periods| SubscriptionAct::Pay { periods }),
        Just(SubscriptionAct::Pause),
        Just(SubscriptionAct::Resume),
        (prop::option::of(day), any::<bool>())
            .prop_map(|(on, gives_up_paid)| SubscriptionAct::End { on, gives_up_paid }),
    ]
}

proptest! {
    /// Whatever happens in whatever order: an ended subscription stays so, the due date never moves back, and an act that changes
    /// nothing says so.
    #[test]
    fn every_story_of_acts_keeps_the_rules(
        period in prop::sample::select(PlanPeriod::ALL.to_vec()), steps in prop::collection::vec((acts(), 0_i64..50), 1..30),
    ) {
        let (mut dates, mut today) = (started(), TODAY);
        for (act, days) in steps {
            today = today.saturating_add(days.days());
            let before = dates.status_on(today, 0);
            match dates.decide(act, period, today) {
                Ok(Some(after)) => {
                    prop_assert!(before != SubscriberStatus::Cancelled && after != dates);
                    prop_assert!(after.due >= dates.due && after.started == dates.started);
                    if let SubscriptionAct::Pay { periods } = act {
                        let next = |due, _| period.next_due(due, dates.anchor_day.unwrap()).unwrap();
                        prop_assert_eq!(after.due, Some((0..periods).fold(dates.due.unwrap(), next)));
                    }
                    dates = after;
                }
                Ok(None) => {
                    let is_payment = matches!(act, SubscriptionAct::Pay { .. });
                    prop_assert!(!is_payment, "a payment changes something");
                }
                Err(ActRefusal::OtherDue { .. } | ActRefusal::EndsBeforeStart { .. }) => {}
                Err(ActRefusal::PaidUntil { on, until, days }) => {
                    prop_assert!(days > 0 && Some(until) == dates.due && on < until);
                }
                Err(refusal) => prop_assert!(before == SubscriberStatus::Cancelled, "{refusal:?}"),
            }
        }
    }
}
