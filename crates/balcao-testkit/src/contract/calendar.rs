//! What every calendar must do. Each case wants a [`Setting`] of its own, and acts through
//! [`balcao_app::scheduling::calendar`], as callers do: so it holds for one that loses answers, too.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case fails by panicking")]

use std::sync::Arc;

use balcao_app::scheduling::booking::{BookRequest, BookingRefusal, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::calendar::{
    self, Act, BusyDay, BusyQuery, Calendar, CalendarError, Done, Entry, EntryId, Health, Owner, Refusal, Source,
    Version,
};
use balcao_domain::hours::{Period, parse_minute};
use balcao_domain::{AppointmentStatus, FailureClass};
use balcao_store::turns::ledger::EffectKey;
use jiff::civil::Date;

/// A business of one professional, "Ana Prado", who offers "Corte" of 30 minutes, Monday to Friday from 09:00 to 12:00 and
/// from 14:00 to 18:00, without notice; it is Monday 2026-11-23, 08:00 in São Paulo, and nothing is booked.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The calendar.
    pub calendar: Arc<dyn Calendar>,
    /// A contact.
    pub ana: Owner,
    /// Another one of the same business.
    pub bia: Owner,
}

/// The business as a file, for calendars that are filled from one. The contacts are found by their phones.
pub const BUSINESS: &str = r#"
organization:
  name: Contrato
  slug: contrato
  timezone: America/Sao_Paulo
  locale: pt-BR
  currency: BRL
  hours: {mon: ["09:00-12:00", "14:00-18:00"], tue: ["09:00-12:00", "14:00-18:00"], wed: ["09:00-12:00", "14:00-18:00"], thu: ["09:00-12:00", "14:00-18:00"], fri: ["09:00-12:00", "14:00-18:00"]}
  scheduling: {slot_step_minutes: 30, minimum_notice_minutes: 0, maximum_advance_days: 60, cancellation_notice_minutes: 0, maximum_open_appointments: 10}
services:
  - {name: Corte, price: "45.00", duration_minutes: 30}
professionals:
  - {name: Ana Prado, hours: {mon: ["09:00-12:00", "14:00-18:00"], tue: ["09:00-12:00", "14:00-18:00"], wed: ["09:00-12:00", "14:00-18:00"], thu: ["09:00-12:00", "14:00-18:00"], fri: ["09:00-12:00", "14:00-18:00"]}, services: [Corte]}
contacts:
  - {name: Ana, phone: "+55 31 99640-1177"}
  - {name: Bia, phone: "+55 31 98432-7788"}
"#;

/// What others do to a service outside, and its client's job.
pub trait Hand: std::fmt::Debug + Send + Sync {
    /// A person gives the entry to another professional, in the service itself.
    fn give_to(&self, id: &EntryId, professional: &str);
    /// A person deletes the entry in the service.
    fn delete(&self, id: &EntryId);
    /// The client asks what changed since it last did.
    fn sync(&self);
    /// The service forgets all sync tokens, so the client can no longer fetch single changes (410).
    fn forget_tokens(&self);
    /// It does not answer from now on.
    fn go_down(&self);
    /// It refuses the client's credentials (401), or takes them again.
    fn shut_out(&self, shut_out: bool);
}

/// Who decides what an edit in the service means for a booking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authority {
    /// The service: what a person did there holds at once.
    Service,
    /// Our own tables: what a person did there waits for staff, and the booking stands until then.
    OurTables,
}

/// An external calendar, with what can happen to it.
#[derive(Debug, Clone)]
pub struct Outside {
    /// Who decides.
    pub authority: Authority,
    /// As every calendar.
    pub setting: Setting,
    /// What others do.
    pub hand: Arc<dyn Hand>,
}

/// A named case of external calendars.
pub type OutsideCase = (&'static str, fn(Outside) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>);

/// What every external calendar must do beside [`all`].
#[must_use]
pub fn all_outside() -> Vec<OutsideCase> {
    vec![
        ("whoever_has_to_connect_again_is_told_so", |outside| {
            Box::pin(async move { whoever_has_to_connect_again_is_told_so(&outside).await })
        }),
        ("a_forgotten_token_means_that_all_is_read_anew", |outside| {
            Box::pin(async move { a_forgotten_token_means_that_all_is_read_anew(&outside).await })
        }),
        ("what_was_given_to_another_professional_is_theirs", |outside| {
            Box::pin(async move { what_was_given_to_another_professional_is_theirs(&outside).await })
        }),
    ]
}

/// The instant of [`Setting`].
pub const NOW: &str = "2026-11-23T11:00:00Z";

/// A named case.
pub type Case = (&'static str, fn(Setting) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>);

macro_rules! calendar_cases {
    ($($name:ident),* $(,)?) => {
        /// Every case with its name.
        #[must_use]
        pub fn all() -> Vec<Case> {
            vec![$((stringify!($name), |setting| Box::pin(async move { $name(&setting).await }))),*]
        }
    };
}

calendar_cases!(
    services_and_professionals_are_told,
    a_day_has_its_hours_and_its_busy_times,
    an_act_happens_once_per_key,
    whoever_comes_second_is_told_what_is_free,
    what_is_asked_before_changes_nothing,
    an_entry_of_another_is_as_if_it_did_not_exist,
    a_cancelled_entry_frees_its_time_once,
    a_move_gives_up_the_old_time_only_for_the_new_one,
    what_was_changed_meanwhile_is_not_overwritten,
    what_came_of_an_act_is_found_by_its_key,
    what_cannot_be_booked_is_refused_with_its_reason,
    it_is_well_and_answers_itself,
);

/// A Tuesday.
const DAY: Date = Date::constant(2026, 11, 24);

fn key(name: &str) -> EffectKey {
    EffectKey { key: name.to_owned(), args_hash: "h".to_owned(), turn: None, tool: "contract".to_owned() }
}

fn request(date: Date, start: &str) -> BookRequest {
    BookRequest {
        professional: None,
        service: Some(ServiceChoice::Name("corte".to_owned())),
        date,
        start_min: parse_minute(start).unwrap(),
        attendee: None,
        pending: false,
        source: "contract".to_owned(),
        price_agreed: true,
    }
}

fn to(date: Date, start: &str) -> RescheduleRequest {
    RescheduleRequest {
        appointment: None,
        date,
        start_min: parse_minute(start).unwrap(),
        professional: None,
        service: None,
        source: "contract".to_owned(),
        price_agreed: true,
    }
}

async fn try_book(setting: &Setting, owner: Owner, name: &str, start: &str) -> Result<Done, Refusal> {
    calendar::book(setting.calendar.as_ref(), owner, key(name), request(DAY, start)).await.unwrap()
}

async fn book(setting: &Setting, owner: Owner, name: &str, start: &str) -> Entry {
    try_book(setting, owner, name, start).await.unwrap().entry
}

async fn cancel(setting: &Setting, owner: Owner, name: &str, id: &EntryId) -> Result<Done, Refusal> {
    calendar::cancel(setting.calendar.as_ref(), owner, key(name), id).await.unwrap()
}

async fn starts(setting: &Setting, owner: Owner) -> Vec<String> {
    let own = setting.calendar.list(owner, DAY, DAY).await.unwrap().value;
    own.into_iter().map(|entry| entry.visit.start).collect()
}

async fn busy(setting: &Setting, from: Date, to: Date) -> Result<Vec<BusyDay>, BookingRefusal> {
    let query = BusyQuery { from, to, professional: None };
    setting.calendar.busy(setting.bia, query).await.unwrap().value
}

async fn busy_times(setting: &Setting) -> Vec<String> {
    let days = busy(setting, DAY, DAY).await.unwrap();
    days.iter().flat_map(|day| day.busy.iter().map(Period::to_string)).collect()
}

/// The calendar lists its services and its professionals.
pub async fn services_and_professionals_are_told(setting: &Setting) {
    let offer = setting.calendar.offer(setting.ana.organization).await.unwrap().value;
    assert_eq!(
        offer.services.iter().map(|one| (one.name.as_str(), one.duration_min)).collect::<Vec<_>>(),
        [("Corte", 30)]
    );
    assert_eq!(offer.professionals.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["Ana Prado"]);
}

/// Open days have hours and what is taken of them, closed ones nothing.
pub async fn a_day_has_its_hours_and_its_busy_times(setting: &Setting) {
    book(setting, setting.ana, "1", "09:30").await;
    book(setting, setting.ana, "2", "14:00").await;
    let days = busy(setting, DAY, DAY).await.unwrap();
    let shown: Vec<String> = days.iter().flat_map(|day| day.open.iter().map(Period::to_string)).collect();
    assert_eq!(shown, ["09:00-12:00", "14:00-18:00"]);
    assert_eq!(busy_times(setting).await, ["09:30-10:00", "14:00-14:30"]);
    let free =
        ["09:00", "10:00", "10:30", "11:00", "11:30", "14:30", "15:00", "15:30", "16:00", "16:30", "17:00", "17:30"];
    assert_eq!(days.iter().flat_map(|day| day.free.clone()).collect::<Vec<_>>(), free);
    let weekend = busy(setting, Date::constant(2026, 11, 28), Date::constant(2026, 11, 30)).await.unwrap();
    let open: Vec<bool> = weekend.iter().map(|day| !day.open.is_empty()).collect();
    assert_eq!(open, [false, false, true]);
    assert!(weekend.iter().all(|day| day.busy.is_empty() && day.open.is_empty() == day.free.is_empty()));
}

/// The same key is the same act, however often it is asked for.
pub async fn an_act_happens_once_per_key(setting: &Setting) {
    let first = book(setting, setting.ana, "1", "10:00").await;
    let again = book(setting, setting.ana, "1", "10:00").await;
    assert_eq!((&first.id, &first.visit), (&again.id, &again.visit));
    assert_eq!(starts(setting, setting.ana).await, ["10:00"]);
    let cancelled = cancel(setting, setting.ana, "2", &first.id).await.unwrap();
    assert_eq!(cancel(setting, setting.ana, "2", &first.id).await.unwrap().entry, cancelled.entry);
}

/// Of two who want one time, one has it.
pub async fn whoever_comes_second_is_told_what_is_free(setting: &Setting) {
    book(setting, setting.ana, "1", "10:00").await;
    match try_book(setting, setting.bia, "2", "10:00").await {
        Err(Refusal::Rule(BookingRefusal::SlotTaken { alternatives })) => assert!(!alternatives.is_empty()),
        other => panic!("{other:?}"),
    }
    assert!(starts(setting, setting.bia).await.is_empty());
    assert_eq!(starts(setting, setting.ana).await, ["10:00"]);
}

/// A question is none but a question.
pub async fn what_is_asked_before_changes_nothing(setting: &Setting) {
    let would = setting.calendar.would_book(setting.ana, request(DAY, "10:00")).await.unwrap().unwrap();
    assert_eq!(would.entry.visit.start, "10:00");
    assert!(starts(setting, setting.ana).await.is_empty());
    let entry = book(setting, setting.ana, "1", "10:00").await;
    setting.calendar.would_cancel(setting.ana, &entry.id).await.unwrap().unwrap();
    let would = setting.calendar.would_reschedule(setting.ana, &entry.id, to(DAY, "15:00")).await.unwrap().unwrap();
    assert_eq!(
        (would.entry.visit.start.as_str(), would.before.map(|visit| visit.start)),
        ("15:00", Some("10:00".to_owned()))
    );
    assert_eq!(starts(setting, setting.ana).await, ["10:00"]);
    let taken = setting.calendar.would_book(setting.bia, request(DAY, "10:00")).await.unwrap();
    assert!(matches!(taken, Err(Refusal::Rule(BookingRefusal::SlotTaken { .. }))), "{taken:?}");
}

/// A contact sees nothing of another contact's entry and cannot change it. An unknown id gets an equal answer.
pub async fn an_entry_of_another_is_as_if_it_did_not_exist(setting: &Setting) {
    let (ana, bia) = (setting.ana, setting.bia);
    let entry = book(setting, ana, "1", "10:00").await;
    let own = book(setting, bia, "2", "11:00").await;
    let nobodys = EntryId::new("none");
    let mut answers = Vec::new();
    for (name, id) in [("3", &entry.id), ("4", &nobodys)] {
        assert_eq!(setting.calendar.find(bia, id).await.unwrap().value, None);
        answers.push(setting.calendar.would_cancel(bia, id).await.unwrap());
        answers.push(setting.calendar.would_reschedule(bia, id, to(DAY, "15:00")).await.unwrap());
        answers.push(cancel(setting, bia, name, id).await);
        let moved = calendar::reschedule(setting.calendar.as_ref(), bia, key(name), id, to(DAY, "15:00")).await;
        answers.push(moved.unwrap());
        answers.push(setting.calendar.cancel(bia, key(name), id, &entry.version).await.unwrap());
    }
    let upcoming = vec![own];
    for answer in answers {
        assert_eq!(answer, Err(Refusal::NotFound { upcoming: upcoming.clone() }));
    }
    assert_eq!(starts(setting, ana).await, ["10:00"]);
}

/// What was cancelled is free for others, and cannot be cancelled again.
pub async fn a_cancelled_entry_frees_its_time_once(setting: &Setting) {
    let entry = book(setting, setting.ana, "1", "10:00").await;
    let done = cancel(setting, setting.ana, "2", &entry.id).await.unwrap();
    assert_eq!(done.entry.visit.status, AppointmentStatus::Cancelled);
    assert_eq!((starts(setting, setting.ana).await.len(), busy_times(setting).await.len()), (0, 0));
    let kept = setting.calendar.find(setting.ana, &entry.id).await.unwrap().value.unwrap();
    assert_eq!(kept.visit.status, AppointmentStatus::Cancelled);
    assert_ne!(kept.version, entry.version);
    let again = cancel(setting, setting.ana, "3", &entry.id).await;
    assert_eq!(again, Err(Refusal::Rule(BookingRefusal::AlreadyCancelled)));
    book(setting, setting.bia, "4", "10:00").await;
}

/// A move that is refused changes nothing.
pub async fn a_move_gives_up_the_old_time_only_for_the_new_one(setting: &Setting) {
    let entry = book(setting, setting.ana, "1", "10:00").await;
    book(setting, setting.bia, "2", "15:00").await;
    let go = async |name: &str, start: &str| {
        calendar::reschedule(setting.calendar.as_ref(), setting.ana, key(name), &entry.id, to(DAY, start))
            .await
            .unwrap()
    };
    assert!(matches!(go("3", "15:00").await, Err(Refusal::Rule(BookingRefusal::SlotTaken { .. }))));
    assert_eq!(starts(setting, setting.ana).await, ["10:00"]);
    let moved = go("4", "16:00").await.unwrap();
    assert_eq!((moved.entry.visit.start.as_str(), moved.before.unwrap().start.as_str()), ("16:00", "10:00"));
    assert_eq!(starts(setting, setting.ana).await, ["16:00"]);
    assert_eq!(busy_times(setting).await, ["15:00-15:30", "16:00-16:30"]);
}

/// The calendar refuses an act on an outdated version of an entry and returns the current version.
pub async fn what_was_changed_meanwhile_is_not_overwritten(setting: &Setting) {
    let entry = book(setting, setting.ana, "1", "10:00").await;
    let stale = Version::new("of another time");
    let mut answers = vec![setting.calendar.cancel(setting.ana, key("2"), &entry.id, &stale).await.unwrap()];
    let moved = setting.calendar.reschedule(setting.ana, key("3"), &entry.id, &stale, to(DAY, "16:00")).await;
    answers.push(moved.unwrap());
    for answer in answers {
        match answer {
            Err(Refusal::Changed { now }) => assert_eq!(now.version, entry.version),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(starts(setting, setting.ana).await, ["10:00"]);
    // An act after a fresh read uses the current version, so it succeeds.
    cancel(setting, setting.ana, "4", &entry.id).await.unwrap();
}

/// A lookup by key finds an act whose answer was lost, and finds nothing for an act that never happened.
pub async fn what_came_of_an_act_is_found_by_its_key(setting: &Setting) {
    let ana = setting.ana;
    let look = async |name: &str, act| setting.calendar.came_of(ana, &key(name), act).await.unwrap();
    assert_eq!(look("1", Act::Book).await, None);
    let entry = book(setting, ana, "1", "10:00").await;
    assert_eq!(look("1", Act::Book).await.unwrap().unwrap().entry.id, entry.id);
    let moved = calendar::reschedule(setting.calendar.as_ref(), ana, key("2"), &entry.id, to(DAY, "11:00")).await;
    let id = moved.unwrap().unwrap().entry.id;
    assert_eq!(look("2", Act::Reschedule).await.unwrap().unwrap().entry.visit.start, "11:00");
    cancel(setting, ana, "3", &id).await.unwrap();
    let gone = look("3", Act::Cancel).await.unwrap().unwrap();
    assert_eq!(gone.entry.visit.status, AppointmentStatus::Cancelled);
    assert_eq!(look("4", Act::Cancel).await, None);
}

/// A correct "no" says which one it is.
pub async fn what_cannot_be_booked_is_refused_with_its_reason(setting: &Setting) {
    let go = async |name: &str, request: BookRequest| {
        calendar::book(setting.calendar.as_ref(), setting.ana, key(name), request).await.unwrap()
    };
    let closed = go("1", request(DAY, "12:00")).await;
    assert!(matches!(closed, Err(Refusal::Rule(BookingRefusal::OutsideHours { .. }))), "{closed:?}");
    let past = go("2", request(Date::constant(2026, 11, 20), "10:00")).await;
    assert!(matches!(past, Err(Refusal::Rule(BookingRefusal::PastDate { .. }))), "{past:?}");
    let unknown = ServiceChoice::Name("massagem".to_owned());
    let unknown = go("3", BookRequest { service: Some(unknown), ..request(DAY, "10:00") }).await;
    assert!(matches!(unknown, Err(Refusal::Rule(BookingRefusal::Service(_)))), "{unknown:?}");
    let over = busy(setting, Date::constant(2026, 11, 19), Date::constant(2026, 11, 20)).await;
    assert!(matches!(over, Err(BookingRefusal::PastDate { .. })), "{over:?}");
    assert!(starts(setting, setting.ana).await.is_empty());
}

/// If the service refuses the credentials, an act fails with its own error and changes nothing. Reads still return the earlier copy.
pub async fn whoever_has_to_connect_again_is_told_so(Outside { setting, hand, .. }: &Outside) {
    let entry = book(setting, setting.ana, "1", "10:00").await;
    hand.sync();
    hand.shut_out(true);
    let booked = calendar::book(setting.calendar.as_ref(), setting.ana, key("2"), request(DAY, "11:00")).await;
    let cancelled = calendar::cancel(setting.calendar.as_ref(), setting.ana, key("3"), &entry.id).await;
    let moved =
        calendar::reschedule(setting.calendar.as_ref(), setting.ana, key("4"), &entry.id, to(DAY, "16:00")).await;
    for answer in [booked, cancelled, moved] {
        match answer {
            Err(error @ CalendarError::Disconnected { .. }) => {
                assert!(!error.is_unknown());
                assert_eq!(error.class(), FailureClass::Fault);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_ne!(setting.calendar.health(setting.ana.organization).await, Health::Well);
    let listed = setting.calendar.list(setting.ana, DAY, DAY).await.unwrap();
    assert!(matches!(listed.source, Source::Mirror { .. }), "{listed:?}");
    assert_eq!(listed.value, [entry]);
    hand.shut_out(false);
    assert_eq!(starts(setting, setting.ana).await, ["10:00"], "nothing was done meanwhile");
    assert_eq!(setting.calendar.health(setting.ana.organization).await, Health::Well);
}

/// The copy holds what was there when it was last brought up to date, and nothing that was deleted before: also where the
/// service can no longer tell what that was.
pub async fn a_forgotten_token_means_that_all_is_read_anew(Outside { setting, hand, authority }: &Outside) {
    let deleted = book(setting, setting.ana, "1", "10:00").await;
    let given = book(setting, setting.ana, "2", "11:00").await;
    book(setting, setting.ana, "3", "15:00").await;
    hand.sync();
    hand.give_to(&given.id, "Bruno Reis");
    hand.sync();
    hand.delete(&deleted.id);
    hand.forget_tokens();
    hand.sync();
    hand.go_down();
    let listed = setting.calendar.list(setting.ana, DAY, DAY).await.unwrap();
    assert!(matches!(listed.source, Source::Mirror { .. }), "{listed:?}");
    let shown = listed.value.iter().map(|entry| (entry.visit.start.clone(), entry.visit.parts.professionals()));
    let shown = shown.collect::<Vec<_>>();
    let shown = shown.iter().map(|(start, who)| (start.as_str(), who.as_str())).collect::<Vec<_>>();
    let found = setting.calendar.find(setting.ana, &deleted.id).await.unwrap().value;
    match authority {
        Authority::Service => {
            assert_eq!(shown, [("11:00", "Bruno Reis"), ("15:00", "Ana Prado")]);
            assert_eq!(found, None);
        }
        Authority::OurTables => {
            assert_eq!(shown, [("10:00", "Ana Prado"), ("11:00", "Ana Prado"), ("15:00", "Ana Prado")]);
            assert_eq!(found, Some(deleted));
        }
    }
}

/// The calendar refuses an act on an outdated entry and returns the current one. The contact then reads the new professional. Where our own
/// tables decide, the entry stays with its professional until staff agree, and its owner may still cancel it.
pub async fn what_was_given_to_another_professional_is_theirs(Outside { setting, hand, authority }: &Outside) {
    let entry = book(setting, setting.ana, "1", "10:00").await;
    hand.give_to(&entry.id, "Bruno Reis");
    if *authority == Authority::OurTables {
        let own = setting.calendar.list(setting.ana, DAY, DAY).await.unwrap().value;
        assert_eq!(own.iter().map(|one| one.visit.parts.professionals()).collect::<Vec<_>>(), ["Ana Prado"]);
        cancel(setting, setting.ana, "2", &entry.id).await.unwrap();
        assert!(starts(setting, setting.ana).await.is_empty());
        return;
    }
    let stale = setting.calendar.cancel(setting.ana, key("2"), &entry.id, &entry.version).await.unwrap();
    match stale {
        Err(Refusal::Changed { now }) => {
            assert_eq!((now.visit.parts.professionals().as_str(), now.id), ("Bruno Reis", entry.id.clone()));
        }
        other => panic!("{other:?}"),
    }
    let own = setting.calendar.list(setting.ana, DAY, DAY).await.unwrap().value;
    assert_eq!(own.iter().map(|one| one.visit.parts.professionals()).collect::<Vec<_>>(), ["Bruno Reis"]);
    assert_eq!(setting.calendar.find(setting.bia, &entry.id).await.unwrap().value, None, "it is still its owner's");
    cancel(setting, setting.ana, "3", &entry.id).await.unwrap();
    assert!(starts(setting, setting.ana).await.is_empty());
}

/// A calendar that answers says that it does.
pub async fn it_is_well_and_answers_itself(setting: &Setting) {
    assert_eq!(setting.calendar.health(setting.ana.organization).await, Health::Well);
    let listed = setting.calendar.list(setting.ana, DAY, DAY).await.unwrap();
    assert_eq!((listed.source, listed.value.len()), (Source::Live, 0));
    assert!(!setting.calendar.name().is_empty());
}
