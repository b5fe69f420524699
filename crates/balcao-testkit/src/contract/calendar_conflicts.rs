//! What every database must do for conflicts with external calendars, reports of moves and comparisons. Each function is one case, as in
//! [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::outside_event::ConflictKind;
use balcao_domain::{AppointmentId, Span};
use balcao_store::ops::backlog;
use balcao_store::scheduling::appointment;
use balcao_store::scheduling::calendar_claim::{self, CalendarClaim};
use balcao_store::scheduling::calendar_comparison::{self, ComparisonResult, MAX_DIFFERENCES, StoredDifference};
use balcao_store::scheduling::calendar_conflict::{self, FoundConflict, RecordedConflict};
use balcao_store::scheduling::calendar_crash;
use balcao_store::scheduling::calendar_link::{self, LinkAccess};
use balcao_store::scheduling::calendar_mirror::{self, BusyEvent};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{Store, StoreError, Tx};
use jiff::civil::date;

use super::Case;
use super::delivery::{at, write};
use super::outside_calendars::link;
use super::store::{World, at as appointment_at, now, world};

cases!(
    a_conflict_is_open_once_and_resolved_once,
    a_series_is_one_conflict_that_ends_with_its_last_instance,
    a_report_of_a_move_follows_the_appointment_and_ends_with_it,
    time_of_an_event_that_stays_when_its_visit_moves_is_taken,
    a_comparison_is_claimed_once_a_day_and_again_after_a_crash,
    a_comparison_at_which_three_programs_crashed_is_set_aside,
);

const CALENDAR: &str = "ana@calendar.example";

fn book(tx: &mut Tx<'_>, world: World, contact: usize, hour: i64) -> Result<AppointmentId, StoreError> {
    Ok(appointment::insert(tx, world.organization, &appointment_at(world, contact, hour), now())?.unwrap())
}

/// A later edit of the same event brings it up to date.
pub async fn a_conflict_is_open_once_and_resolved_once(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let id = book(tx, ours, 0, 1)?;
        let found = |kind, span| FoundConflict {
            appointment: id,
            kind,
            calendar: CALENDAR.to_owned(),
            event: "e1".to_owned(),
            span,
            version: "1".to_owned(),
            moved_from: None,
        };
        let longer = found(ConflictKind::Lengthened, Some(Span::of_minutes(at(0), 90)));
        let first = calendar_conflict::record(tx, ours.organization, &longer, at(1))?;
        let number = first.id;
        let news = |is_news| RecordedConflict { id: number, is_news };
        assert_eq!(first, news(true));
        assert_eq!(calendar_conflict::record(tx, ours.organization, &longer, at(1))?, news(false), "found again");
        let deleted = found(ConflictKind::Deleted, None);
        assert_eq!(calendar_conflict::record(tx, ours.organization, &deleted, at(2))?, news(true), "of another kind");
        let open = calendar_conflict::list_open(tx, ours.organization, 0, 9)?;
        assert_eq!(open.iter().map(|one| (&one.found, one.found_at)).collect::<Vec<_>>(), [(&deleted, at(1))]);
        assert_eq!(calendar_conflict::list_open_of_event(tx, ours.organization, "e1", 0, 9)?, open);
        assert_eq!(calendar_conflict::list_open_of_event(tx, ours.organization, "e1", number, 9)?, []);
        assert_eq!(calendar_conflict::list_open_of_event(tx, ours.organization, "e2", 0, 9)?, []);
        assert_eq!(calendar_conflict::list_open_of_event(tx, theirs.organization, "e1", 0, 9)?, []);
        assert_eq!(calendar_conflict::find(tx, theirs.organization, number)?, None);
        assert!(!calendar_conflict::resolve(tx, theirs.organization, number, "ours", at(3))?);
        assert!(calendar_conflict::resolve(tx, ours.organization, number, "ours", at(3))?);
        assert!(!calendar_conflict::reopen(tx, theirs.organization, number, false)?);
        assert!(calendar_conflict::reopen(tx, ours.organization, number, false)?);
        assert_eq!(calendar_conflict::list_open(tx, ours.organization, 0, 9)?, open);
        assert_eq!(calendar_conflict::list_open(tx, ours.organization, number, 9)?, []);
        let counts =
            [ours.organization, theirs.organization].map(|id| calendar_conflict::count_open(tx, id, at(0)).unwrap());
        assert_eq!(counts, [1, 0]);
        let own = (CALENDAR, "e1");
        assert_eq!(calendar_conflict::resolve_own(tx, theirs.organization, id, own, "as it was", at(3))?, 0);
        assert_eq!(calendar_conflict::resolve_own(tx, ours.organization, id, own, "as it was", at(3))?, 1);
        assert!(calendar_conflict::reopen(tx, ours.organization, number, false)?);
        let other = book(tx, ours, 1, 9)?;
        assert!(!calendar_conflict::hand_over(tx, ours.organization, (id, other), "e2")?);
        assert!(!calendar_conflict::hand_over(tx, theirs.organization, (id, other), "e1")?);
        assert!(calendar_conflict::hand_over(tx, ours.organization, (id, other), "e1")?);
        assert!(calendar_conflict::has_open(tx, ours.organization, other)?);
        assert!(calendar_conflict::hand_over(tx, ours.organization, (other, id), "e1")?);
        assert!(!calendar_mirror::holds(tx, ours.organization, (CALENDAR, "e1"), at(0))?, "its time is its own");
        assert!(!calendar_conflict::reopen(tx, ours.organization, number, true)?, "it is open");
        assert!(calendar_conflict::resolve(tx, ours.organization, number, "ours", at(3))?);
        assert!(calendar_conflict::reopen(tx, ours.organization, number, true)?);
        let written = calendar_conflict::find(tx, ours.organization, number)?.unwrap();
        assert_eq!((written.found.version.as_str(), written.found.span, written.resolution), ("", None, None));
        assert!(calendar_conflict::resolve(tx, ours.organization, number, "ours", at(3))?);
        assert!(!calendar_conflict::resolve(tx, ours.organization, number, "theirs", at(4))?);
        let ended = calendar_conflict::find(tx, ours.organization, number)?.unwrap();
        assert_eq!(ended.resolution, Some((at(3), "ours".to_owned())));
        assert_eq!(calendar_conflict::list_open(tx, ours.organization, 0, 9)?, []);
        let again = calendar_conflict::record(tx, ours.organization, &longer, at(5))?;
        assert!(again.is_news && again.id != number, "{again:?}");
        let is_accepted =
            |tx: &mut Tx<'_>, of: World, found| calendar_conflict::is_accepted(tx, of.organization, found, None);
        assert!(!is_accepted(tx, ours, &longer)?, "it is open");
        assert!(calendar_conflict::resolve(tx, ours.organization, again.id, calendar_conflict::OUTSIDE_HOLDS, at(5))?);
        assert!(is_accepted(tx, ours, &longer)?);
        assert!(!is_accepted(tx, theirs, &longer)?);
        assert!(!is_accepted(tx, ours, &deleted)?, "another kind");
        let elsewhere = found(ConflictKind::Lengthened, Some(Span::of_minutes(at(0), 91)));
        assert!(!is_accepted(tx, ours, &elsewhere)?, "another time");
        calendar_conflict::record(tx, ours.organization, &elsewhere, at(5))?;
        assert!(!is_accepted(tx, ours, &longer)?, "not the last word");
        let collision = FoundConflict { event: "e4".to_owned(), kind: ConflictKind::Collision, ..longer.clone() };
        let number = calendar_conflict::record(tx, ours.organization, &collision, at(5))?.id;
        calendar_conflict::resolve(tx, ours.organization, number, calendar_conflict::CUSTOMER_MOVED, at(5))?;
        assert!(is_accepted(tx, ours, &collision)?, "the visit stayed where it is");
        let event = (CALENDAR, "e1");
        assert_eq!(calendar_conflict::resolve_of_event(tx, ours.organization, event, "gone", at(6))?, 1);
        assert_eq!(calendar_conflict::resolve_of_event(tx, ours.organization, event, "gone", at(7))?, 0);
        Ok(())
    })
    .await;
}

/// An instance is listed once and kept up to date, and so many of them are listed at most.
pub async fn a_series_is_one_conflict_that_ends_with_its_last_instance(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = ours.organization;
        let found = FoundConflict {
            appointment: book(tx, ours, 0, 1)?,
            kind: ConflictKind::Collision,
            calendar: CALENDAR.to_owned(),
            event: "series".to_owned(),
            span: None,
            version: "1".to_owned(),
            moved_from: None,
        };
        let number = calendar_conflict::record(tx, organization, &found, at(1))?.id;
        let instance = |event: &str, minute: i64| {
            let span = Some(Span::of_minutes(at(minute), 30));
            calendar_conflict::SeriesInstance { event: event.to_owned(), span }
        };
        for one in [instance("i2", 900), instance("i1", 500), instance("i2", 700)] {
            calendar_conflict::record_instance(tx, organization, number, &one)?;
        }
        calendar_conflict::record_instance(tx, theirs.organization, number, &instance("i3", 1))?;
        let listed = calendar_conflict::list_instances(tx, organization, number)?;
        assert_eq!(listed, [instance("i1", 500), instance("i2", 700)]);
        assert_eq!(calendar_conflict::list_instances(tx, theirs.organization, number)?, []);
        let end = |tx: &mut Tx<'_>, whose: World, event: &str| {
            calendar_conflict::resolve_of_event(tx, whose.organization, (CALENDAR, event), "gone", at(6))
        };
        let accepted = |tx: &mut Tx<'_>, of: World, one: &calendar_conflict::SeriesInstance| {
            calendar_conflict::is_accepted(tx, of.organization, &found, Some(one))
        };
        assert!(!accepted(tx, ours, &instance("i1", 500))?, "it is open");
        assert!(calendar_conflict::resolve(tx, organization, number, calendar_conflict::OUTSIDE_HOLDS, at(5))?);
        assert!(accepted(tx, ours, &instance("i1", 500))? && accepted(tx, ours, &instance("i2", 700))?);
        assert!(!accepted(tx, ours, &instance("i1", 501))? && !accepted(tx, ours, &instance("i3", 500))?);
        assert!(!accepted(tx, theirs, &instance("i1", 500))?);
        assert!(calendar_conflict::reopen(tx, organization, number, false)?);
        assert_eq!(end(tx, theirs, "i1")?, 0);
        assert_eq!(end(tx, ours, "i1")?, 0, "another one is left");
        assert_eq!(end(tx, ours, "i2")?, 1);
        assert_eq!(calendar_conflict::list_open(tx, organization, 0, 9)?, []);
        let again = calendar_conflict::record(tx, organization, &found, at(7))?.id;
        for minute in 0..i64::from(calendar_conflict::MAX_INSTANCES) + 5 {
            calendar_conflict::record_instance(tx, organization, again, &instance(&format!("i{minute}"), minute))?;
        }
        assert!(!calendar_conflict::remove_instance(tx, theirs.organization, again, "i1")?, "not theirs");
        assert!(!calendar_conflict::remove_instance(tx, organization, again, "i1")?, "others are left");
        assert!(!calendar_conflict::remove_instance(tx, organization, again, "i1")?, "it is not there any more");
        calendar_conflict::record_instance(tx, organization, again, &instance("i1", 1))?;
        let listed = calendar_conflict::list_instances(tx, organization, again)?;
        assert_eq!(listed.len(), usize::try_from(calendar_conflict::MAX_INSTANCES).unwrap());
        assert_eq!(end(tx, ours, "series")?, 1, "the whole series");
        Ok(())
    })
    .await;
}

/// Nothing waits for a decision, and a further move keeps what the customer knows.
pub async fn a_report_of_a_move_follows_the_appointment_and_ends_with_it(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = ours.organization;
        let [known, first, second] = [1, 5, 9].map(|hour| book(tx, ours, 0, hour).unwrap());
        let report = FoundConflict {
            appointment: first,
            kind: ConflictKind::Moved,
            calendar: CALENDAR.to_owned(),
            event: "e1".to_owned(),
            span: Some(Span::of_minutes(at(5 * 3_600), 60)),
            version: "1".to_owned(),
            moved_from: Some(known),
        };
        let number = calendar_conflict::record(tx, organization, &report, at(1))?.id;
        assert!(!calendar_conflict::has_open(tx, organization, first)?);
        let deleted = FoundConflict { kind: ConflictKind::Deleted, event: "e2".to_owned(), moved_from: None, ..report };
        calendar_conflict::record(tx, organization, &deleted, at(1))?;
        assert!(calendar_conflict::has_open(tx, organization, first)?);
        assert!(!calendar_conflict::has_open(tx, theirs.organization, first)?);
        let further = Span::of_minutes(at(9 * 3_600), 60);
        assert!(!calendar_conflict::follow_move(tx, theirs.organization, number, second, further)?);
        assert!(calendar_conflict::follow_move(tx, organization, number, second, further)?);
        assert_eq!(calendar_conflict::find_move(tx, organization, first)?, None);
        assert_eq!(calendar_conflict::find_move(tx, theirs.organization, second)?, None);
        let found = calendar_conflict::find_move(tx, organization, second)?.unwrap();
        assert_eq!((found.id, found.found.moved_from, found.found.span), (number, Some(known), Some(further)));
        let collision = FoundConflict { kind: ConflictKind::Collision, event: "e3".to_owned(), ..deleted.clone() };
        for appointment in [second, known] {
            calendar_conflict::record(tx, organization, &FoundConflict { appointment, ..collision.clone() }, at(1))?;
        }
        assert_eq!(calendar_conflict::end_past(tx, organization, at(2))?, 0);
        appointment::cancel(tx, organization, second, &MarkAuthor::Customer, at(3))?;
        assert_eq!(calendar_conflict::count_open(tx, organization, at(3))?, 2, "a deletion and a collision of another");
        appointment::set_moved_to(tx, organization, second, known)?;
        let key = EffectKey { key: "move".to_owned(), args_hash: String::new(), turn: None, tool: "test".to_owned() };
        let claim = CalendarClaim { appointment: known, answer: () };
        calendar_claim::insert_move(tx, organization, &key, &claim, at(3))?;
        assert_eq!(calendar_conflict::end_past(tx, organization, at(3))?, 0, "the move may be taken back");
        assert!(calendar_claim::remove(tx, organization, &key)?);
        assert_eq!(calendar_conflict::end_past(tx, theirs.organization, at(3))?, 0);
        assert_eq!(calendar_conflict::end_past(tx, organization, at(3))?, 2);
        assert_eq!(calendar_conflict::find_move(tx, organization, second)?, None);
        assert!(!calendar_conflict::follow_move(tx, organization, number, first, further)?);
        Ok(())
    })
    .await;
}

/// What a push found of an event is taken at once, and so is the time of one that lost its mark when its visit moves.
pub async fn time_of_an_event_that_stays_when_its_visit_moves_is_taken(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let (organization, span) = (ours.organization, Span::of_minutes(at(3_600), 60));
        let holds = |tx: &mut Tx<'_>, world: World, event: &str| {
            calendar_mirror::holds(tx, world.organization, (CALENDAR, event), at(0))
        };
        let [calendar, version] = [CALENDAR, "1"].map(ToOwned::to_owned);
        let busy = BusyEvent { calendar, event: "e1".to_owned(), span, all_day: false, version };
        calendar_mirror::put_found(tx, organization, &busy)?;
        assert!(!holds(tx, ours, "e1")?, "no calendar is linked");
        for one in [ours, theirs] {
            calendar_link::link(tx, one.organization, &link(one, CALENDAR, LinkAccess::Write), now())?;
        }
        calendar_mirror::put_found(tx, organization, &busy)?;
        assert!(holds(tx, ours, "e1")? && !holds(tx, theirs, "e1")?);
        let (before, after) = (book(tx, ours, 0, 1)?, book(tx, ours, 0, 3)?);
        for (event, kind) in [("e2", ConflictKind::OwnerChanged), ("e3", ConflictKind::NoLongerBusy)] {
            let found = FoundConflict {
                appointment: before,
                kind,
                calendar: CALENDAR.to_owned(),
                event: event.to_owned(),
                span: Some(span),
                version: "1".to_owned(),
                moved_from: None,
            };
            calendar_conflict::record(tx, organization, &found, at(1))?;
            assert!(calendar_conflict::hand_over(tx, organization, (before, after), event)?);
        }
        assert!(holds(tx, ours, "e2")? && !holds(tx, ours, "e3")? && !holds(tx, theirs, "e2")?);
        let later = BusyEvent { span: Span::of_minutes(at(7_200), 60), ..busy };
        calendar_mirror::put_found(tx, organization, &later)?;
        let counted = calendar_mirror::count(tx, organization, CALENDAR, at(7_200))?;
        assert_eq!(counted, 0, "what a reading found is not overwritten");
        Ok(())
    })
    .await;
}

/// A claim counts as a crash until its end, from night to night; what ended without a result was none.
pub async fn a_comparison_at_which_three_programs_crashed_is_set_aside(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = ours.organization;
        let (day, next) = (date(2026, 11, 24), date(2026, 11, 25));
        let claim = |tx: &mut Tx<'_>, day, second: i64| {
            calendar_comparison::claim(tx, organization, day, at(second), at(second + 60))
        };
        assert!(claim(tx, day, 0)? && claim(tx, day, 60)?);
        calendar_comparison::forget_crash(tx, organization, day)?;
        assert!(!claim(tx, day, 119)?, "the claim holds until it runs out");
        assert!(claim(tx, day, 120)? && claim(tx, day, 180)? && claim(tx, next, 300)?);
        assert!(!calendar_comparison::is_set_aside(tx, organization, at(359))?, "a process may be at it");
        assert_eq!(backlog::read(tx, at(359))?.comparisons.count, 0);
        assert!(!claim(tx, next, 360)? && !claim(tx, date(2026, 11, 26), 9_000)?);
        assert!(calendar_comparison::is_set_aside(tx, organization, at(360))?);
        let waiting = backlog::read(tx, at(400))?.comparisons;
        assert_eq!((waiting.count, waiting.since), (1, Some(at(360))));
        assert!(calendar_comparison::claim(tx, theirs.organization, next, at(360), at(420))?, "others go on");
        assert!(!calendar_comparison::is_set_aside(tx, theirs.organization, at(999))?);
        assert_eq!(calendar_crash::take_up(tx, theirs.organization, at(400))?, 0);
        assert_eq!(calendar_crash::take_up(tx, organization, at(400))?, 1);
        assert!(!calendar_comparison::is_set_aside(tx, organization, at(400))?);
        assert!(claim(tx, next, 400)?);
        let result = ComparisonResult { equal: 1, repaired: 0, differing: 0 };
        assert!(calendar_comparison::record_end(tx, organization, next, result, at(410))?);
        for (day, second) in [(26, 500), (26, 560), (26, 620)] {
            assert!(claim(tx, date(2026, 11, day), second)?, "an end begins the count again");
        }
        Ok(())
    })
    .await;
}

/// Each business for itself; a day that ended is not compared again.
pub async fn a_comparison_is_claimed_once_a_day_and_again_after_a_crash(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let organization = ours.organization;
        let (day, next) = (date(2026, 11, 24), date(2026, 11, 25));
        assert!(calendar_comparison::claim(tx, organization, day, at(0), at(60))?);
        assert!(!calendar_comparison::claim(tx, organization, day, at(59), at(119))?);
        assert!(calendar_comparison::claim(tx, theirs.organization, day, at(59), at(119))?);
        // The first process died.
        assert!(calendar_comparison::claim(tx, organization, day, at(60), at(120))?);
        assert_eq!(calendar_comparison::find_last(tx, organization)?, None);
        let result = ComparisonResult { equal: 7, repaired: 2, differing: 1 };
        assert!(calendar_comparison::record_end(tx, organization, day, result, at(70))?);
        assert!(!calendar_comparison::record_end(tx, organization, day, result, at(71))?, "another process was faster");
        assert_eq!(calendar_comparison::find_last(tx, organization)?, Some((at(70), result)));
        assert_eq!(calendar_comparison::find_last(tx, theirs.organization)?, None);
        let difference = |event: &str, found_at: i64| StoredDifference {
            kind: "no_appointment".to_owned(),
            appointment: None,
            calendar: Some("ana".to_owned()),
            event: Some(event.to_owned()),
            found_at: Some(at(found_at)),
        };
        let many: Vec<_> = (0..300).map(|number| difference(&number.to_string(), 70)).collect();
        calendar_comparison::replace_differences(tx, organization, &many, at(70))?;
        assert_eq!(calendar_comparison::list_differences(tx, organization)?, many.get(..MAX_DIFFERENCES).unwrap());
        let both = [difference("7", 80), difference("a", 80)];
        calendar_comparison::replace_differences(tx, organization, &both, at(80))?;
        let since = [difference("7", 70), difference("a", 80)];
        assert_eq!(calendar_comparison::list_differences(tx, organization)?, since);
        assert_eq!(calendar_comparison::list_differences(tx, theirs.organization)?, []);
        assert!(!calendar_comparison::claim(tx, organization, day, at(999), at(1_099))?);
        assert!(calendar_comparison::claim(tx, organization, next, at(999), at(1_099))?);
        assert!(!calendar_comparison::claim(tx, organization, day, at(5_000), at(5_100))?);
        Ok(())
    })
    .await;
}
