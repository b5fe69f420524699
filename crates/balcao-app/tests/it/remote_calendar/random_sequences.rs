//! Whatever customers, staff, people in the calendar and the network do, one behind the other: once all is read and written, each visit has
//! one event at its time, or staff have a conflict about it, and no time that an event takes is offered.

mod acts;

use std::collections::BTreeSet;

use acts::{Act, Choice, PersonEdit, acts};
use balcao_app::context::staff_email::Actor;
use balcao_app::messaging::outbound::reach::AccountPolicies;
use balcao_app::scheduling::availability::{Availability, AvailabilityQuery};
use balcao_app::scheduling::calendar_conflicts::{CalendarConflict, ConflictChoice};
use balcao_app::scheduling::ways_out::{Way, WaysOut};
use balcao_domain::hours::parse_minute;
use balcao_domain::outside_event::{ConflictKind, EventMark, EventState, EventTime, OutsideEvent};
use balcao_domain::{AppointmentId, Span};
use balcao_store::scheduling::calendar_conflict::{self, StoredConflict};
use balcao_store::scheduling::calendar_event;
use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::fakes::calendar_service::CallFault;
use balcao_testkit::postgres::Database;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use proptest::test_runner::FailurePersistence;

use super::scene::{conflicts, open, read_both};
use super::{ANA, BRUNO, DAY, World, key, request, to, world};
use crate::gates::scale;

fn clock_of(half: u8) -> String {
    let minute = 9 * 60 + 30 * u32::from(half);
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn timed(half: u8, minutes: u32) -> EventTime {
    super::scene::at(&clock_of(half), minutes)
}

/// What the run knows besides the world.
struct Run {
    world: World,
    /// Counts acts and what people make, so that each has a name of its own.
    number: u32,
    /// Appointments whose event staff let stand as a person made it.
    accepted: BTreeSet<i64>,
    /// Events that are no event of ours: others', copies, and those that a person brought back.
    others: BTreeSet<String>,
    /// Visits that hold their time, as the answers say.
    visits: i64,
    /// Whether an act ended without an answer.
    is_unsure: bool,
}

impl Run {
    async fn of(store: Store) -> Self {
        let world = world(store).await;
        world.link_to_read(BRUNO).await;
        read_both(&world).await;
        Self { world, number: 0, accepted: BTreeSet::new(), others: BTreeSet::new(), visits: 0, is_unsure: false }
    }

    fn name(&mut self) -> String {
        self.number += 1;
        format!("act{}", self.number)
    }

    async fn pick_visit(&self, which: u8) -> Option<AppointmentId> {
        let all = self.world.appointments().await;
        let (id, _) = all.get(usize::from(which).checked_rem(all.len())?)?;
        Some((*id).try_into().unwrap())
    }

    /// Does one act; one that cannot be done now does nothing.
    async fn play(&mut self, act: Act) {
        let name = self.name();
        let world = &self.world;
        let (id, ana, bia) = (world.organization, world.ana.contact, world.bia.contact);
        let whose = |is_bia| if is_bia { bia } else { ana };
        match act {
            Act::Book { is_bia, half } => {
                let booked = world.booking().book(id, whose(is_bia), key(&name), request(&clock_of(half))).await;
                self.count(booked.map(|done| i64::from(done.value.is_ok_and(|booked| !booked.already_booked))).ok());
            }
            Act::MoveByCustomer { is_bia, half } => {
                let moved = world.booking().reschedule(id, whose(is_bia), key(&name), to(&clock_of(half))).await;
                self.count(moved.map(|_done| 0).ok());
            }
            Act::CancelByCustomer { is_bia } => {
                let gone = world.booking().cancel(id, whose(is_bia), key(&name), None).await;
                self.count(gone.map(|done| -i64::from(done.value.is_ok())).ok());
            }
            Act::MoveByStaff { which, half } => {
                let way =
                    Way::Move { date: DAY, start_min: parse_minute(&clock_of(half)).unwrap(), professional: None };
                self.change_by_staff(which, way, 0).await;
            }
            Act::CancelByStaff { which } => self.change_by_staff(which, Way::Cancel, -1).await,
            Act::Edit { which, edit } => {
                let held = world.appointments().await;
                self.edit(which, edit, name, &held);
            }
            Act::MakeOther { in_bruno, half } => {
                world.service.person_makes(if in_bruno { BRUNO } else { ANA }, &name, timed(half, 30), 5);
                self.others.insert(name);
            }
            Act::Choose { which, choice } => self.choose(which, choice).await,
            Act::Read { is_bruno } => {
                let calendar = if is_bruno { BRUNO } else { ANA };
                world.work().read(id, calendar.to_owned(), false).await.unwrap();
            }
            Act::Push => drop(world.work().push_due(id).await.unwrap()),
            Act::Later => world.settle_later(2).await,
            Act::ForgetTokens => world.service.forget_tokens(),
            Act::Fault(fault) => world.service.suffer([fault]),
            Act::DeliverLate => world.service.deliver_late(),
        }
    }

    fn count(&mut self, more: Option<i64>) {
        match more {
            Some(more) => self.visits += more,
            None => self.is_unsure = true,
        }
    }

    async fn change_by_staff(&mut self, which: u8, way: Way, more: i64) {
        let Some(visit) = self.pick_visit(which).await else { return };
        let ways = WaysOut::new(self.world.app.clone(), AccountPolicies::default());
        let done = ways.resolve(self.world.organization, visit, way, None, Actor::Operator).await;
        self.count(done.map(|done| if done.is_ok() { more } else { 0 }).ok());
    }

    async fn choose(&mut self, which: u8, choice: Choice) {
        let all = open(&self.world).await;
        let Some(place) = usize::from(which).checked_rem(all.len()) else { return };
        let conflict = &all[place];
        let choice = match choice {
            Choice::Take => ConflictChoice::TakeOutside,
            Choice::Restore => ConflictChoice::Restore,
            Choice::Cancel => ConflictChoice::Cancel,
            Choice::Move { half } => {
                let start_min = parse_minute(&clock_of(half)).unwrap();
                ConflictChoice::Move { date: DAY, start_min, professional: None }
            }
        };
        let found = self.find_conflict(conflict.id).await.found;
        if found.kind == ConflictKind::Copied {
            self.others.insert(found.event);
        }
        let is_take = choice == ConflictChoice::TakeOutside && conflict.kind.is_about_ours();
        let held_before = self.world.appointments().await.len();
        let done =
            conflicts(&self.world).resolve(self.world.organization, conflict.id, choice, true, Actor::Operator).await;
        let Ok(done) = done else {
            self.is_unsure = true;
            return;
        };
        let Ok(resolved) = done else { return };
        let held = self.world.appointments().await.len();
        self.visits += i64::try_from(held).unwrap() - i64::try_from(held_before).unwrap();
        if is_take {
            let now_at = resolved.booking.map_or(conflict.appointment.id, |booking| booking.appointment.id);
            self.accepted.insert(now_at.into());
        }
    }

    async fn find_conflict(&self, number: i64) -> StoredConflict {
        let id = self.world.organization;
        let found: Result<_, StoreError> =
            self.world.app.store.read(move |tx| calendar_conflict::find(tx, id, number)).await;
        found.unwrap().unwrap()
    }

    fn edit(&mut self, which: u8, edit: PersonEdit, name: String, held: &[(i64, Timestamp)]) {
        let service = &self.world.service;
        let all = if matches!(edit, PersonEdit::Undelete) { self.list_deleted() } else { self.list_events() };
        let Some(place) = usize::from(which).checked_rem(all.len()) else { return };
        let OutsideEvent { calendar, id, time, mark, .. } = all[place].clone();
        let start = time.and_then(|time| time.span(&TimeZone::UTC)).map(|span| span.start);
        let change = |change: &dyn Fn(&mut OutsideEvent)| service.person_changes(&calendar, &id, |one| change(one));
        match edit {
            PersonEdit::MoveTo { half } => change(&|one| one.time = Some(timed(half, 30))),
            PersonEdit::Resize { minutes } => change(&|one| {
                one.time = start.map(|start| EventTime::Timed(Span::of_minutes(start, minutes)));
            }),
            PersonEdit::MoveAndResize { half, minutes } => change(&|one| one.time = Some(timed(half, minutes))),
            PersonEdit::MakeAllDay => change(&|one| {
                one.time = Some(EventTime::AllDay { from: DAY, until: DAY.tomorrow().unwrap() });
            }),
            PersonEdit::Free => change(&|one| one.state = EventState::Free),
            PersonEdit::Occupy => change(&|one| one.state = EventState::Busy),
            PersonEdit::DropMark => {
                change(&|one| one.mark = None);
                // A request that came late, after the visit was given up: nothing says that it is ours.
                if !mark.is_some_and(|mark| held.iter().any(|(visit, _)| *visit == mark.appointment)) {
                    self.others.insert(id.clone());
                }
            }
            PersonEdit::Retitle => change(&|one| one.title = Some(name.clone())),
            PersonEdit::TakeElsewhere => {
                service.person_moves_to(&calendar, &id, if calendar == ANA { BRUNO } else { ANA });
            }
            PersonEdit::Delete => service.person_deletes(&calendar, &id),
            PersonEdit::Undelete => {
                change(&|one| one.state = EventState::Busy);
                self.others.insert(id.clone());
            }
            PersonEdit::Copy { half } => {
                service.person_makes(&calendar, &name, timed(half, 30), -60);
                service.person_changes(&calendar, &name, |copy| copy.mark = mark.clone());
                self.others.insert(name);
            }
        }
    }

    fn list_events(&self) -> Vec<OutsideEvent> {
        [ANA, BRUNO].into_iter().flat_map(|calendar| self.world.service.events(calendar)).collect()
    }

    /// The events that a person can bring back: deleted, and not in another calendar since.
    fn list_deleted(&self) -> Vec<OutsideEvent> {
        let mut deleted: Vec<OutsideEvent> =
            [ANA, BRUNO].into_iter().flat_map(|calendar| self.world.service.deleted(calendar)).collect();
        let all: Vec<OutsideEvent> = self.list_events().into_iter().chain(deleted.clone()).collect();
        let version = |event: &OutsideEvent| event.version.trim_matches('"').parse::<u64>().unwrap();
        deleted.retain(|one| all.iter().all(|other| other.id != one.id || version(other) <= version(one)));
        deleted
    }

    /// Nothing is lost any more, and all is read and written.
    async fn settle(&self) {
        self.world.service.end_faults();
        self.world.service.deliver_late();
        for _round in 0..4 {
            self.world.settle_later(15).await;
            read_both(&self.world).await;
        }
    }

    /// What is as it must not be.
    async fn find_faults(&self) -> Vec<String> {
        let world = &self.world;
        let mut faults = Vec::new();
        let (held, open) = (world.appointments().await, open(world).await);
        let events = self.list_events();
        let marked = |event: &OutsideEvent| event.mark.as_ref().map(|mark: &EventMark| mark.appointment);
        let has_conflict = |visit: i64| {
            open.iter().any(|one| i64::from(one.appointment.id) == visit && one.kind != ConflictKind::Moved)
        };
        for (visit, start) in &held {
            let is_exact = |event: &&OutsideEvent| {
                event.calendar == ANA
                    && marked(event) == Some(*visit)
                    && event.state == EventState::Busy
                    && event.time == Some(EventTime::Timed(Span::of_minutes(*start, 30)))
            };
            let is_shown = events.iter().any(|event| is_exact(&event));
            if !is_shown && !has_conflict(*visit) && !self.accepted.contains(visit) {
                faults.push(format!("visit {visit} has neither its event nor a conflict"));
            }
            let ours = events.iter().filter(|event| marked(event) == Some(*visit) && !self.others.contains(&event.id));
            let is_copied =
                open.iter().any(|one| one.kind == ConflictKind::Copied && i64::from(one.appointment.id) == *visit);
            if ours.count() > 1 && !is_copied {
                faults.push(format!("visit {visit} has two events"));
            }
        }
        for event in events.iter().filter(|event| !self.others.contains(&event.id)) {
            let shows = marked(event).is_some_and(|visit| held.iter().any(|(id, _)| *id == visit));
            let is_reported = self.is_reported(event, &open).await;
            if !shows && !is_reported && !self.accepted_shows(event).await {
                faults.push(format!("event {} of no visit is in no conflict", event.id));
            }
        }
        let offered = self.list_offered().await;
        for event in events.iter().filter(|event| event.state == EventState::Busy) {
            let zone = TimeZone::get("America/Sao_Paulo").unwrap();
            let Some(taken) = event.time.and_then(|time| time.span(&zone)) else { continue };
            let free = offered.iter().find(|slot| slot.overlaps(&taken));
            faults.extend(free.map(|slot| format!("{} takes {taken:?}, and {slot:?} is offered", event.id)));
        }
        let id = world.organization;
        let waiting: Result<_, StoreError> =
            world.app.store.read(move |tx| calendar_event::count_waiting(tx, id)).await;
        if waiting.unwrap().0 != 0 {
            faults.push("a push waits".to_owned());
        }
        if !self.is_unsure && i64::try_from(held.len()).unwrap() != self.visits {
            faults.push(format!("{} visits, and the answers say {}", held.len(), self.visits));
        }
        faults
    }

    /// Whether an open conflict is about an event.
    async fn is_reported(&self, event: &OutsideEvent, open: &[CalendarConflict]) -> bool {
        let (id, which) = (self.world.organization, event.id.clone());
        let found: Result<_, StoreError> =
            self.world.app.store.read(move |tx| calendar_conflict::list_open_of_event(tx, id, &which, 0, 50)).await;
        let found = found.unwrap();
        found.iter().any(|one| open.iter().any(|shown| shown.id == one.id))
    }

    /// Whether an event is the one of a visit whose event staff let stand.
    async fn accepted_shows(&self, event: &OutsideEvent) -> bool {
        let (id, which) = (self.world.organization, event.id.clone());
        let row: Result<_, StoreError> =
            self.world.app.store.read(move |tx| calendar_event::find_by_event(tx, id, &which)).await;
        row.unwrap().is_some_and(|row| self.accepted.contains(&row.appointment.into()))
    }

    async fn list_offered(&self) -> Vec<Span> {
        let query = AvailabilityQuery { date: Some(DAY), ..AvailabilityQuery::default() };
        let day = Availability::new(self.world.app.clone()).on(self.world.organization, None, query).await;
        let day = day.unwrap().unwrap();
        let slots = day.results.into_iter().flat_map(|one| one.slots);
        slots
            .map(|start| match super::scene::at(&start, 30) {
                EventTime::Timed(span) => span,
                EventTime::AllDay { .. } => unreachable!("a slot has a time"),
            })
            .collect()
    }

    /// All that can be seen.
    async fn picture(&self) -> String {
        let events: Vec<String> = self
            .list_events()
            .into_iter()
            .map(|one| {
                format!(
                    "{} {} {:?} {:?} {:?}",
                    one.calendar,
                    one.id,
                    one.state,
                    one.time,
                    one.mark.map(|m| m.appointment)
                )
            })
            .collect();
        let open: Vec<String> = open(&self.world)
            .await
            .into_iter()
            .map(|one| format!("{} {:?} of {} at {:?}", one.id, one.kind, one.appointment.id, one.event_from))
            .collect();
        format!(
            "visits {:?}\nevents {events:#?}\nopen {open:#?}\noffered {:?}",
            self.world.appointments().await,
            self.list_offered().await
        )
    }
}

/// Where proptest would keep what failed: an act that changes makes all of it worthless.
const NOTHING_KEPT: Option<Box<dyn FailurePersistence>> = None;

/// Plays the acts; what is wrong then, with how all stands.
async fn play(store: Store, acts: &[Act]) -> Result<(), String> {
    let mut run = Run::of(store).await;
    for act in acts {
        run.play(*act).await;
    }
    run.settle().await;
    let faults = run.find_faults().await;
    let picture = run.picture().await;
    if !faults.is_empty() {
        return Err(format!("{faults:#?}\n{picture}"));
    }
    run.world.service.forget_tokens();
    run.settle().await;
    let again = run.picture().await;
    if again != picture {
        return Err(format!("not settled: {picture}\nthen {again}"));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: NOTHING_KEPT, ..ProptestConfig::with_cases(100 * scale()) })]

    #[test]
    fn each_visit_has_its_event_or_a_conflict_on_sqlite(acts in prop::collection::vec(acts(), 1..20)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let played = runtime.block_on(play(Store::open_in_memory().unwrap(), &acts));
        prop_assert!(played.is_ok(), "{}", played.unwrap_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, failure_persistence: NOTHING_KEPT, ..ProptestConfig::with_cases(8 * scale()) })]

    #[test]
    fn each_visit_has_its_event_or_a_conflict_on_postgres(acts in prop::collection::vec(acts(), 1..20)) {
        let Some(database) = Database::migrated() else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let store = Store::connect(&database.url, OpenOptions::default()).unwrap();
        let played = runtime.block_on(play(store, &acts));
        prop_assert!(played.is_ok(), "{}", played.unwrap_err());
    }
}

/// The shortest sequences that once ended wrong.
#[tokio::test]
async fn sequences_that_went_wrong_once_end_well() {
    use Act::{Book, CancelByCustomer, CancelByStaff, Edit, Later, MoveByStaff, Read};
    use PersonEdit::{Copy, DropMark, Free, MakeAllDay, MoveTo, Resize, TakeElsewhere};
    let book = |half| Book { is_bia: false, half };
    let edit = |which, edit| Edit { which, edit };
    let choose = |choice| Act::Choose { which: 0, choice };
    let (gone, cancel) = (CancelByCustomer { is_bia: false }, CancelByStaff { which: 0 });
    let to = |half| MoveByStaff { which: 0, half };
    let drop_mark = edit(0, DropMark);
    let sequences: &[&[Act]] = &[
        &[book(0), book(6), cancel, book(1), edit(0, TakeElsewhere)],
        &[book(0), cancel, edit(0, TakeElsewhere), drop_mark],
        &[book(1), book(0), edit(0, MakeAllDay), cancel],
        &[book(0), edit(0, Copy { half: 0 }), gone, choose(Choice::Cancel)],
        &[book(0), cancel, edit(0, Copy { half: 0 }), book(0)],
        &[book(0), edit(0, Resize { minutes: 15 }), Read { is_bruno: false }, edit(0, MoveTo { half: 1 }), book(0)],
        &[book(0), drop_mark, to(1)],
        &[book(0), drop_mark, gone],
        &[book(0), edit(0, TakeElsewhere), edit(0, Free), to(1)],
        &[Act::Fault(CallFault::Busy), book(0), edit(0, Copy { half: 1 }), to(0), choose(Choice::Move { half: 0 })],
        &[book(0), drop_mark, cancel, Later, choose(Choice::Cancel)],
        &[book(2), edit(0, MakeAllDay), gone, book(0), edit(0, MoveTo { half: 2 })],
        &[book(0), drop_mark, to(0), choose(Choice::Move { half: 0 })],
        &[book(2), edit(0, TakeElsewhere), Read { is_bruno: false }, choose(Choice::Restore), to(0)],
        &[book(0), edit(0, TakeElsewhere), Read { is_bruno: false }, choose(Choice::Take)],
    ];
    for acts in sequences {
        play(Store::open_in_memory().unwrap(), acts).await.unwrap_or_else(|wrong| panic!("{acts:?}: {wrong}"));
    }
}
