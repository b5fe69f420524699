//! What every database must do for accounts that may send nothing for a while, or nothing so fast. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::outbox::AttemptOutcome;
use balcao_domain::throttle::Throttle;
use balcao_store::ops::day_budget::{self, Day, DayCounter};
use balcao_store::{Store, messaging::account_pause, messaging::outbox, messaging::throttle, ops::backlog};

use super::Case;
use super::delivery::{at, ripe, write};
use super::outbox::{names, push, record, send_at};
use super::store::world;

cases!(
    an_account_that_can_send_nothing_is_paused_as_a_whole,
    an_account_that_is_too_fast_waits_as_a_whole,
    what_would_leave_too_fast_is_put_back_at_no_cost,
    what_a_day_may_take_is_taken_once_however_many_take_at_once,
);

/// Nothing leaves by it until it is tried again, at no cost of the messages; other organizations' accounts are not paused.
pub async fn an_account_that_can_send_nothing_is_paused_as_a_whole(store: &Store) {
    let (world, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let (one, other, elsewhere) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?, ripe(tx, theirs, 0)?);
        push(tx, world, one, None, "a1")?;
        let first = send_at(tx, 0)?.remove(0);
        assert!(record(tx, &first, AttemptOutcome::Misconfigured, 0)?);
        account_pause::begin(tx, &first, "the token expired", at(60), at(0))?;
        push(tx, world, other, None, "b1")?;
        push(tx, theirs, elsewhere, None, "c1")?;
        assert_eq!(names(&send_at(tx, 59)?), ["c1"]);
        let paused = backlog::read(tx, at(59))?.paused;
        assert_eq!((paused.count, paused.since), (1, Some(at(0))));
        let again = send_at(tx, 60)?;
        assert_eq!(names(&again), ["a1", "b1"]);
        let first = again.first().unwrap();
        assert_eq!((first.attempts, first.excused), (2, 1));
        account_pause::begin(tx, first, "the token expired", at(120), at(60))?;
        assert!(record(tx, first, AttemptOutcome::Misconfigured, 60)?);
        assert_eq!(backlog::read(tx, at(60))?.paused.since, Some(at(0)), "since it began");
        assert!(account_pause::end(tx, first)?);
        assert!(!account_pause::end(tx, first)?);
        assert_eq!(backlog::read(tx, at(60))?.paused.count, 0);
        Ok(())
    })
    .await;
}

/// Where an account stands is kept, and until then nothing leaves by it; other accounts and organizations go on.
pub async fn an_account_that_is_too_fast_waits_as_a_whole(store: &Store) {
    let (world, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let (one, elsewhere) = (ripe(tx, world, 0)?, ripe(tx, theirs, 0)?);
        push(tx, world, one, None, "a1")?;
        push(tx, theirs, elsewhere, None, "c1")?;
        let account = "7001";
        assert_eq!(throttle::find(tx, world.organization, "whatsapp", account)?, None);
        let stands = Throttle { full_at_us: 1_795_000_000_000_017, until: at(9), level: 2, since: at(3) };
        throttle::set(tx, world.organization, "whatsapp", account, &Throttle { until: at(99), ..stands })?;
        throttle::set(tx, world.organization, "whatsapp", account, &stands)?;
        throttle::set(tx, world.organization, "whatsapp", "another", &Throttle { until: at(99), ..stands })?;
        assert_eq!(throttle::find(tx, world.organization, "whatsapp", account)?, Some(stands), "to the microsecond");
        assert_eq!(throttle::find(tx, theirs.organization, "whatsapp", account)?, None);
        assert_eq!(names(&send_at(tx, 8)?), ["c1"]);
        assert_eq!(names(&send_at(tx, 9)?), ["a1"]);
        Ok(())
    })
    .await;
}

/// A message that would leave too fast counts no attempt, keeps later messages in order, and waits for the given time.
pub async fn what_would_leave_too_fast_is_put_back_at_no_cost(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (one, other) = (ripe(tx, world, 0)?, ripe(tx, world, 1)?);
        for name in ["a1", "a2"] {
            push(tx, world, one, None, name)?;
        }
        push(tx, world, other, None, "b1")?;
        let [first, second] = send_at(tx, 0)?.try_into().unwrap();
        throttle::put_back(tx, &first, Some(at(20)), at(0))?;
        throttle::put_back(tx, &second, None, at(0))?;
        let [again] = send_at(tx, 1)?.try_into().unwrap();
        assert_eq!((again.correlation.as_str(), again.attempts), ("b1", 1));
        outbox::excuse(tx, &again)?;
        assert!(record(tx, &again, AttemptOutcome::TooFast, 1)?);
        let [third] = send_at(tx, 2)?.try_into().unwrap();
        assert_eq!((third.correlation.as_str(), third.attempts, third.excused), ("b1", 2, 1));
        // What was taken once more since is not theirs to put back.
        throttle::put_back(tx, &again, None, at(2))?;
        outbox::excuse(tx, &again)?;
        assert!(record(tx, &third, AttemptOutcome::Accepted, 2)?);
        assert!(send_at(tx, 19)?.is_empty(), "the second of a conversation does not overtake the first");
        let [first] = send_at(tx, 20)?.try_into().unwrap();
        assert_eq!((first.correlation.as_str(), first.attempts), ("a1", 1));
        Ok(())
    })
    .await;
}

/// Of many that take at once no more take than there is; another day, name and organization have their own.
pub async fn what_a_day_may_take_is_taken_once_however_many_take_at_once(store: &Store) {
    let (world, theirs) = (world(store, "a").await, world(store, "b").await);
    let day =
        |number: i8| Day { date: jiff::civil::date(2026, 11, 24 + number), ends_at: at(100 * i64::from(number) + 100) };
    let mut takers = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let store = store.clone();
        takers.spawn(async move {
            write(&store, move |tx| day_budget::take(tx, world.organization, day(0).budget("files"), 10, 105, at(0)))
                .await
        });
    }
    let taken = takers.join_all().await.into_iter().filter(|taken| *taken).count();
    assert_eq!(taken, 10);
    write(store, move |tx| {
        let one = world.organization;
        assert_eq!(day_budget::used(tx, one, day(0).budget("files"))?, 100);
        assert!(!day_budget::take(tx, one, day(0).budget("files/x"), 11, 10, at(0))?, "more than there is of it");
        assert!(day_budget::take(tx, theirs.organization, day(0).budget("files"), 10, 105, at(0))?);
        day_budget::give_back(tx, one, day(0).budget("files"), 10)?;
        day_budget::give_back(tx, one, day(0).budget("files"), 1_000)?;
        assert!(day_budget::take(tx, one, day(0).budget("files"), 15, 105, at(0))?);
        // What was spent already counts, also beyond the most.
        day_budget::spend(tx, one, day(0).budget("strangers_tokens"), 90, 100, at(0))?;
        day_budget::spend(tx, one, day(0).budget("strangers_tokens"), 90, 100, at(0))?;
        let used = backlog::read(tx, at(99))?.budgets;
        let of = |counted| used.iter().flatten().find(|(of, _)| *of == counted).map(|(_, used)| used.percent());
        assert_eq!(
            (of(DayCounter::StrangersTokens), of(DayCounter::Files), of(DayCounter::StrangersCost)),
            (Some(180), Some(100), None)
        );
        assert!(
            day_budget::of_today(tx, at(99))?.contains(&(DayCounter::Files, day_budget::Used { used: 105, most: 105 }))
        );
        assert_eq!(backlog::read(tx, at(100))?.budgets, [None; 3], "the day is over");
        // The first of the next day makes room.
        assert!(day_budget::take(tx, one, day(1).budget("files"), 1, 105, at(100))?);
        assert_eq!(day_budget::used(tx, one, day(0).budget("strangers_tokens"))?, 0);
        Ok(())
    })
    .await;
}
