//! The calendar's contract on our own tables, in both databases, and on one in memory that loses answers; and the errors that callers
//! receive if an external calendar fails.

use std::sync::Arc;

use balcao_app::AppContext;
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::booking::{BookRequest, BookingRefusal, RescheduleRequest, ServiceChoice};
use balcao_app::scheduling::calendar::{
    self, BuiltIn, CalendarError, EntryId, Health, Owner, Refusal, Source, VisitPart,
};
use balcao_domain::{ManualClock, Phone};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::{OpenOptions, Store, StoreError, crm::contact};
use balcao_testkit::contract::calendar::{Authority, BUSINESS, NOW, Outside, Setting, all, all_outside};
use balcao_testkit::fakes::calendar::{Fault, Memory};
use balcao_testkit::postgres::Database;
use jiff::Timestamp;
use jiff::civil::date;

async fn built_in(store: Store) -> Setting {
    let now: Timestamp = NOW.parse().unwrap();
    store.migrate().await.unwrap();
    let organization =
        BusinessFile::read("contract", BUSINESS).unwrap().import(&store, now).await.unwrap().organization;
    let owner = async |phone: &str| {
        let phone = Phone::parse(phone).unwrap();
        let look = store.read(move |tx| contact::find_by_phone(tx, organization, &phone));
        let found: Result<_, StoreError> = look.await;
        Owner { organization, contact: found.unwrap().unwrap().id }
    };
    let (ana, bia) = (owner("31 99640-1177").await, owner("31 98432-7788").await);
    let app = AppContext::new(store.clone(), Arc::new(ManualClock::at(now)));
    Setting { calendar: Arc::new(BuiltIn::new(app)), ana, bia }
}

fn in_memory(memory: Memory) -> (Setting, Arc<Memory>) {
    let memory = Arc::new(memory);
    let owner = |contact: i64| Owner { organization: 1.try_into().unwrap(), contact: contact.try_into().unwrap() };
    (Setting { calendar: memory.clone(), ana: owner(1), bia: owner(2) }, memory)
}

fn memory() -> Memory {
    Memory::new(NOW.parse().unwrap(), date(2026, 11, 23))
}

#[tokio::test]
async fn our_own_tables_keep_the_contract_on_sqlite() {
    for (name, case) in all() {
        eprintln!("{name}");
        case(built_in(Store::open_in_memory().unwrap()).await).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn our_own_tables_keep_the_contract_on_postgres() {
    for (name, case) in all() {
        let Some(database) = Database::migrated() else { return };
        eprintln!("{name}");
        case(built_in(Store::connect(&database.url, OpenOptions::default()).unwrap()).await).await;
    }
}

#[tokio::test]
async fn a_calendar_in_memory_keeps_the_contract_also_while_it_loses_answers() {
    for (name, case) in all() {
        eprintln!("{name}");
        case(in_memory(memory()).0).await;
        // What looks at single answers of the calendar itself needs one that gives them.
        if !["what_was_changed_meanwhile_is_not_overwritten", "an_entry_of_another_is_as_if_it_did_not_exist"]
            .contains(&name)
        {
            case(in_memory(memory().lossy()).0).await;
        }
    }
}

/// Several services in a row are one booking: they are shown together, and they are moved and cancelled as a whole.
#[tokio::test]
async fn visit_of_several_services_is_one_entry() {
    let (Setting { calendar, ana, .. }, memory) = in_memory(memory());
    let wanted = BookRequest {
        professional: None,
        service: Some(ServiceChoice::Name("Corte".to_owned())),
        date: date(2026, 11, 24),
        start_min: 10 * 60,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let entry = calendar::book(calendar.as_ref(), ana, key("1"), wanted.clone()).await.unwrap().unwrap().entry;
    let shave = VisitPart {
        service: "Barba".to_owned(),
        professional: "Bruno Reis".to_owned(),
        resources: vec!["Cadeira 2".to_owned()],
    };
    memory.add_part(&entry.id, shave.clone());
    // What was seen has another end and another service than what is there.
    let stale = calendar.cancel(ana, key("2"), &entry.id, &entry.version).await.unwrap();
    assert!(matches!(stale, Err(Refusal::Changed { .. })), "{stale:?}");
    let to = RescheduleRequest {
        appointment: None,
        date: wanted.date,
        start_min: 15 * 60,
        professional: None,
        service: None,
        source: "test".to_owned(),
        price_agreed: true,
    };
    let moved = calendar::reschedule(calendar.as_ref(), ana, key("3"), &entry.id, to).await.unwrap().unwrap().entry;
    let visit = &moved.visit;
    assert_eq!(
        (visit.parts.services(), visit.parts.professionals()),
        ("Corte + Barba".into(), "Ana Prado + Bruno Reis".into())
    );
    assert_eq!((visit.start.as_str(), visit.finish.as_str()), ("15:00", "16:00"));
    assert_eq!(visit.parts.iter().nth(1), Some(&shave));
    let taken = BookRequest { start_min: 15 * 60 + 30, ..wanted };
    let refused = calendar.would_book(ana, taken).await.unwrap();
    assert!(matches!(refused, Err(Refusal::Rule(BookingRefusal::SlotTaken { .. }))), "{refused:?}");
    calendar::cancel(calendar.as_ref(), ana, key("4"), &moved.id).await.unwrap().unwrap();
    assert_eq!(calendar.list(ana, date(2026, 11, 24), date(2026, 11, 24)).await.unwrap().value, []);
}

#[tokio::test]
async fn a_calendar_outside_keeps_what_is_asked_of_those() {
    for (name, case) in all_outside() {
        eprintln!("{name}");
        let (setting, memory) = in_memory(memory());
        case(Outside { setting, hand: memory, authority: Authority::Service }).await;
    }
}

fn request(start_min: u16) -> BookRequest {
    BookRequest {
        professional: None,
        service: Some(ServiceChoice::Name("Corte".to_owned())),
        date: date(2026, 11, 24),
        start_min,
        attendee: None,
        pending: false,
        source: "test".to_owned(),
        price_agreed: true,
    }
}

fn key(name: &str) -> EffectKey {
    EffectKey { key: name.to_owned(), args_hash: String::new(), turn: None, tool: "test".to_owned() }
}

async fn held(setting: &Setting) -> Vec<String> {
    let day = date(2026, 11, 24);
    let own = setting.calendar.list(setting.ana, day, day).await.unwrap().value;
    own.into_iter().map(|entry| entry.visit.start).collect()
}

#[tokio::test]
async fn a_lost_answer_is_looked_up_and_only_what_was_not_done_is_tried_again() {
    for fault in [Fault::AnswerLost, Fault::RequestLost] {
        let (setting, memory) = in_memory(memory());
        memory.suffer([fault]);
        let done =
            calendar::book(setting.calendar.as_ref(), setting.ana, key("1"), request(600)).await.unwrap().unwrap();
        assert_eq!((done.entry.visit.start.as_str(), held(&setting).await.len()), ("10:00", 1), "{fault:?}");
    }
    // A request that is lost twice has an unknown outcome, and the error does not claim a failure.
    let (setting, memory) = in_memory(memory());
    memory.suffer([Fault::RequestLost, Fault::RequestLost]);
    let lost = calendar::book(setting.calendar.as_ref(), setting.ana, key("1"), request(600)).await.unwrap_err();
    assert!(lost.is_unknown() && held(&setting).await.is_empty(), "{lost}");
}

#[tokio::test]
async fn an_edit_that_the_customer_would_not_see_is_no_conflict_and_a_move_is() {
    let cancelled = async |fault: Fault| {
        let (setting, memory) = in_memory(memory());
        let booked =
            calendar::book(setting.calendar.as_ref(), setting.ana, key("1"), request(600)).await.unwrap().unwrap();
        memory.suffer([fault]);
        let answer =
            calendar::cancel(setting.calendar.as_ref(), setting.ana, key("2"), &booked.entry.id).await.unwrap();
        (answer, held(&setting).await)
    };
    let (answer, left) = cancelled(Fault::Touched).await;
    assert!(answer.is_ok() && left.is_empty(), "{answer:?}");
    let (answer, left) = cancelled(Fault::Shifted).await;
    match answer {
        Err(Refusal::Changed { now }) => assert_eq!(now.visit.start, "10:30"),
        other => panic!("{other:?}"),
    }
    assert_eq!(left, ["10:30"]);
}

#[tokio::test]
async fn a_calendar_that_is_down_answers_from_its_copy_and_says_so_and_does_nothing() {
    let (setting, memory) = in_memory(memory());
    calendar::book(setting.calendar.as_ref(), setting.ana, key("1"), request(600)).await.unwrap().unwrap();
    memory.go_down();
    let as_of = NOW.parse().unwrap();
    let day = date(2026, 11, 24);
    let listed = setting.calendar.list(setting.ana, day, day).await.unwrap();
    assert_eq!((listed.value.len(), listed.source), (1, Source::Mirror { as_of }));
    let book = calendar::book(setting.calendar.as_ref(), setting.ana, key("2"), request(660)).await;
    assert!(matches!(book, Err(CalendarError::Unavailable { .. })), "{book:?}");
    let cancel = calendar::cancel(setting.calendar.as_ref(), setting.ana, key("3"), &EntryId::new("evt1")).await;
    assert!(matches!(cancel, Err(CalendarError::Unavailable { .. })), "{cancel:?}");
    assert_eq!(held(&setting).await, ["10:00"]);
    assert_eq!(setting.calendar.health(setting.ana.organization).await, Health::Mirrored { as_of });
}
