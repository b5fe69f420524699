//! What every database must do. Each function is one case and panics if the database fails it; run all with [`all`].
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case fails by panicking")]

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::hours::{Hours, WeeklyHours};
use balcao_domain::knowledge::KnowledgeEntry;
use balcao_domain::professional::{Notify, Professional};
use balcao_domain::reminder::{PlannedReminder, ReminderOrigin};
use balcao_domain::scheduling::SchedulingRules;
use balcao_domain::{
    AppointmentStatus, ContactId, ConversationId, Currency, OrganizationId, Phone, ProfessionalId, Span, TurnId,
};
use balcao_store::crm::organization::Organization;
use balcao_store::scheduling::appointment::NewAppointment;
use balcao_store::scheduling::reminder::{self, ReminderState, ReminderSubject};
use balcao_store::turns::ledger::EffectKey;
use balcao_store::turns::turn::{self, TurnAgent};
use balcao_store::{
    Store, StoreError, StoreErrorClass, Tx, Value, crm::contact, crm::organization, knowledge, ops::audit,
    scheduling::appointment, scheduling::catalog, scheduling::slot_claim, turns::event, turns::ledger,
};
use jiff::Timestamp;

use super::Case;

cases!(
    a_closure_that_fails_undoes_itself_alone,
    a_closure_that_panics_undoes_itself_and_the_next_one_runs,
    a_read_cannot_write,
    an_attempt_that_is_refused_changes_nothing,
    a_foreign_key_is_enforced,
    an_effect_happens_once_per_key,
    what_an_effect_gave_is_found_by_its_key,
    overlapping_appointments_are_refused_by_the_claims,
    overlapping_appointments_are_refused_by_the_trigger,
    capacity_is_a_number_of_seats,
    a_claim_takes_the_first_free_seat,
    a_cancelled_appointment_frees_its_time_and_its_reminders,
    an_expired_hold_gives_way,
    two_fight_for_one_slot_a_thousand_times,
    one_open_appointment_per_contact_and_start,
    the_audit_log_cannot_be_changed,
    knowledge_is_found_by_its_tokens,
    tenants_do_not_see_each_other,
    events_are_taken_once,
);

/// The instant that cases call now.
///
/// # Panics
/// Never: the text is well formed.
#[must_use]
pub fn now() -> Timestamp {
    "2026-11-23T12:00:00Z".parse().unwrap()
}

/// Opens a turn of the profile `eli`.
pub(crate) fn open_turn(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    conversation: ConversationId,
    at: Timestamp,
) -> Result<TurnId, StoreError> {
    let agent = TurnAgent { profile: "eli", prompt: "" };
    turn::open(tx, organization, conversation, agent, at).map(|(id, _)| id)
}

/// A business with one professional and two contacts.
#[derive(Debug, Clone, Copy)]
pub struct World {
    /// The business.
    pub organization: OrganizationId,
    /// Its professional.
    pub professional: ProfessionalId,
    /// Two contacts.
    pub contacts: [ContactId; 2],
}

/// Builds a world under a slug.
pub async fn world(store: &Store, slug: &'static str) -> World {
    store
        .write(move |tx| {
            let organization = organization::insert(
                tx,
                &Organization {
                    id: OrganizationId::try_from(1).unwrap(),
                    slug: slug.to_owned(),
                    name: slug.to_owned(),
                    timezone: "America/Sao_Paulo".to_owned(),
                    locale: "pt-BR".to_owned(),
                    currency: Currency::BRL,
                    phone: None,
                    address: None,
                    weekly_hours: WeeklyHours::default(),
                    scheduling: SchedulingRules::default(),
                },
                now(),
            )?;
            let professional = catalog::insert_professional(
                tx,
                organization,
                &Professional {
                    id: ProfessionalId::try_from(1).unwrap(),
                    name: "Ana".to_owned(),
                    aliases: Vec::new(),
                    profession: None,
                    hours: Hours::default(),
                    services: Vec::new(),
                    time_off: Vec::new(),
                    restrictions: None,
                    capacity: 1,
                    phone: None,
                    email: None,
                    notify: Notify::default(),
                    code: None,
                    active: true,
                },
            )?;
            let mut add = |phone: &str| {
                let phone = Some(Phone::parse(phone).unwrap());
                let new = contact::NewContact { phone, ..contact::NewContact::default() };
                contact::insert(tx, organization, &new, now())
            };
            let contacts = [add("+55 11 91111-1111")?, add("+55 11 92222-2222")?];
            Ok::<_, StoreError>(World { organization, professional, contacts })
        })
        .await
        .unwrap()
}

/// An appointment of an hour, `hour` hours from now, with the contact of that number.
#[must_use]
pub fn at(world: World, contact: usize, hour: i64) -> NewAppointment {
    let span = Span::of_minutes(balcao_domain::span::plus_minutes(now(), hour * 60), 60);
    NewAppointment {
        contact: *world.contacts.get(contact).unwrap_or_else(|| panic!("a world has two contacts")),
        professional: world.professional,
        capacity: 1,
        service: None,
        service_name: "Corte".to_owned(),
        span,
        occupied: span,
        status: AppointmentStatus::Confirmed,
        price_cents: 4500,
        plan: None,
        attendee: None,
        source: "test".to_owned(),
        expires_at: None,
    }
}

/// Counts the rows of a table over all organizations, because one statement sees only the rows of the organization that it names.
async fn count(store: &Store, table: &'static str) -> i64 {
    let sql = format!("SELECT COUNT(*) FROM {table} WHERE organization_id = ?1");
    let all = store.read(move |tx| {
        let organizations = organization::list(tx)?;
        organizations.iter().try_fold(0, |sum, one| {
            Ok::<_, StoreError>(sum + tx.query_one(&sql, &[Value::from(one.id)], |row| row.get::<i64>(0))?)
        })
    });
    all.await.unwrap()
}

/// Group commit isolates: of many concurrent closures, those that fail leave nothing, the others everything.
pub async fn a_closure_that_fails_undoes_itself_alone(store: &Store) {
    let world = world(store, "a").await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..200_i64 {
        let store = store.clone();
        tasks.spawn(async move {
            let work = move |tx: &mut balcao_store::Tx<'_>| {
                event::push(tx, world.organization, "tried", &number.to_string(), "{}", now())?;
                if number % 3 == 0 { Err(StoreError::Closed) } else { Ok(number) }
            };
            (number, store.write(work).await.is_ok())
        });
    }
    let mut kept: Vec<String> = Vec::new();
    while let Some(done) = tasks.join_next().await {
        let (number, fine) = done.unwrap();
        assert_eq!(fine, number % 3 != 0);
        if fine {
            kept.push(number.to_string());
        }
    }
    let mut found: Vec<String> = store
        .read(|tx| Ok::<_, StoreError>(event::waiting(tx, 1000)?.into_iter().map(|event| event.subject).collect()))
        .await
        .unwrap();
    found.sort();
    kept.sort();
    assert_eq!(found, kept);
}

/// A panic is an error for its caller and nothing for anybody else.
pub async fn a_closure_that_panics_undoes_itself_and_the_next_one_runs(store: &Store) {
    let world = world(store, "a").await;
    let result: Result<(), StoreError> = store
        .write(move |tx| {
            event::push(tx, world.organization, "tried", "x", "{}", now())?;
            panic!("on purpose")
        })
        .await;
    assert!(matches!(result, Err(StoreError::Panicked { message }) if message == "on purpose"));
    assert_eq!(count(store, "event").await, 0);
    let push = store.write(move |tx| event::push(tx, world.organization, "tried", "y", "{}", now())).await;
    push.map_err(|error: StoreError| error).unwrap();
    assert_eq!(count(store, "event").await, 1);
}

/// A read transaction refuses to write.
pub async fn a_read_cannot_write(store: &Store) {
    let world = world(store, "a").await;
    let result: Result<(), StoreError> =
        store.read(move |tx| event::push(tx, world.organization, "tried", "x", "{}", now())).await;
    assert!(matches!(result, Err(StoreError::WriteInRead { .. })));
    assert_eq!(count(store, "event").await, 0);
}

/// `Tx::attempt` undoes a refusal and keeps what was done before it.
pub async fn an_attempt_that_is_refused_changes_nothing(store: &Store) {
    let world = world(store, "a").await;
    store
        .write(move |tx| {
            event::push(tx, world.organization, "kept", "x", "{}", now())?;
            let refused: Result<(), &str> = tx.savepoint(|tx| {
                event::push(tx, world.organization, "undone", "x", "{}", now())?;
                Ok::<_, StoreError>(Err("no"))
            })?;
            assert_eq!(refused, Err("no"));
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
    let kinds: Vec<String> = store
        .read(|tx| Ok::<_, StoreError>(event::waiting(tx, 10)?.into_iter().map(|event| event.kind).collect()))
        .await
        .unwrap();
    assert_eq!(kinds, ["kept"]);
}

/// A row cannot refer to one that is not there.
pub async fn a_foreign_key_is_enforced(store: &Store) {
    let organization = OrganizationId::try_from(77).unwrap();
    let result: Result<(), StoreError> =
        store.write(move |tx| event::push(tx, organization, "tried", "x", "{}", now())).await;
    assert_eq!(result.unwrap_err().class(), StoreErrorClass::Constraint);
}

/// The same key gives the same result, and executes once; with other arguments it is an error.
pub async fn an_effect_happens_once_per_key(store: &Store) {
    let world = world(store, "a").await;
    let key = |args: &str| EffectKey {
        key: "turn-1/0".to_owned(),
        args_hash: args.to_owned(),
        turn: TurnId::try_from(1_i64).ok(),
        tool: "add_internal_note".to_owned(),
    };
    let run = |key: EffectKey| {
        store.write(move |tx| {
            ledger::once(tx, world.organization, &key, now(), |tx| {
                event::push(tx, world.organization, "done", "x", "{}", now())?;
                Ok::<_, StoreError>("first".to_owned())
            })
        })
    };
    let first = run(key("h1")).await.unwrap();
    assert_eq!((first.value.as_str(), first.repeated), ("first", false));
    let again = run(key("h1")).await.unwrap();
    assert_eq!((again.value.as_str(), again.repeated), ("first", true));
    assert!(matches!(run(key("h2")).await, Err(StoreError::KeyReused { .. })));
    assert_eq!(count(store, "event").await, 1);
}

/// A lookup by key finds the result of an effect. It finds nothing for an effect that did not run, or for one of another organization.
pub async fn what_an_effect_gave_is_found_by_its_key(store: &Store) {
    let (world, other) = (world(store, "a").await, self::world(store, "b").await);
    let key =
        |args: &str| EffectKey { key: "k".to_owned(), args_hash: args.to_owned(), turn: None, tool: "t".to_owned() };
    let look = |organization, key: EffectKey| store.read(move |tx| ledger::find::<String>(tx, organization, &key));
    assert_eq!(look(world.organization, key("h1")).await.unwrap(), None);
    let done = store.write(move |tx| {
        ledger::once(tx, world.organization, &key("h1"), now(), |_tx| Ok::<_, StoreError>("gave".to_owned()))
    });
    done.await.unwrap();
    assert_eq!(look(world.organization, key("h1")).await.unwrap().as_deref(), Some("gave"));
    assert_eq!(look(other.organization, key("h1")).await.unwrap(), None);
    assert!(matches!(look(world.organization, key("h2")).await, Err(StoreError::KeyReused { .. })));
}

/// An overlap of any kind loses; touching does not.
pub async fn overlapping_appointments_are_refused_by_the_claims(store: &Store) {
    let world = world(store, "a").await;
    store
        .write(move |tx| {
            let mut book =
                |contact, hour| appointment::insert(tx, world.organization, &at(world, contact, hour), now());
            assert!(book(0, 10)?.is_some());
            assert!(book(1, 10)?.is_none());
            assert!(book(1, 11)?.is_some());
            assert!(book(1, 9)?.is_some());
            let mut across = at(world, 1, 12);
            across.occupied = Span::of_minutes(balcao_domain::span::plus_minutes(across.span.start, -5), 65);
            assert!(appointment::insert(tx, world.organization, &across, now())?.is_none());
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
    assert_eq!(count(store, "appointment").await, 3);
    assert_eq!(count(store, "slot_claim").await, 36);
}

/// The second wall holds although no claim is in the way.
pub async fn overlapping_appointments_are_refused_by_the_trigger(store: &Store) {
    let world = world(store, "a").await;
    let result: Result<(), StoreError> = store
        .write(move |tx| {
            let first = appointment::insert(tx, world.organization, &at(world, 0, 10), now())?;
            slot_claim::release(tx, world.organization, first.unwrap_or_else(|| panic!("free")))?;
            appointment::insert(tx, world.organization, &at(world, 1, 10), now())?;
            Ok(())
        })
        .await;
    let error = result.unwrap_err();
    assert!(error.to_string().contains("overlaps"), "{error}");
    assert_eq!(count(store, "appointment").await, 0);
}

/// A capacity of two takes two at a time, on different seats.
pub async fn capacity_is_a_number_of_seats(store: &Store) {
    let world = world(store, "a").await;
    let seats: Vec<u32> = store
        .write(move |tx| {
            let mut first = at(world, 0, 10);
            let mut second = at(world, 1, 10);
            let mut third = at(world, 0, 10);
            third.attendee = Some("Bia".to_owned());
            for new in [&mut first, &mut second, &mut third] {
                new.capacity = 2;
            }
            let booked = [&first, &second, &third]
                .map(|new| appointment::insert(tx, world.organization, new, now()).map(|id| id.is_some()));
            assert!(matches!(booked, [Ok(true), Ok(true), Ok(false)]));
            let span = Span::of_minutes(now(), 24 * 60);
            let occupied = appointment::occupied(tx, world.organization, span, now())?;
            Ok::<_, StoreError>(occupied.into_iter().filter_map(|(_, taken)| taken.seat).collect())
        })
        .await
        .unwrap();
    assert_eq!(seats, [1, 2]);
}

/// Seats are tried in order, and one claim holds all of its span or nothing.
pub async fn a_claim_takes_the_first_free_seat(store: &Store) {
    let world = world(store, "a").await;
    store
        .write(move |tx| {
            let mut book = |contact, capacity| {
                let new = NewAppointment { capacity, ..at(world, contact, 10) };
                appointment::insert(tx, world.organization, &new, now()).map(Option::unwrap)
            };
            let (first, second) = (book(0, 2)?, book(1, 2)?);
            slot_claim::release(tx, world.organization, first)?;
            slot_claim::release(tx, world.organization, second)?;
            let mut claim = |appointment, capacity| {
                let (professional, occupied) = (world.professional, at(world, 0, 10).occupied);
                let wanted = slot_claim::SlotRequest { appointment, professional, capacity, occupied, now: now() };
                slot_claim::claim_slot(tx, world.organization, &wanted)
            };
            assert_eq!(claim(first, 2)?, Some(1));
            assert_eq!(claim(second, 1)?, None);
            assert_eq!(claim(second, 2)?, Some(2));
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
    assert_eq!(count(store, "slot_claim").await, 24);
}

/// Cancelling frees the time in the same transaction.
pub async fn a_cancelled_appointment_frees_its_time_and_its_reminders(store: &Store) {
    let world = world(store, "a").await;
    store
        .write(move |tx| {
            let id = appointment::insert(tx, world.organization, &at(world, 0, 10), now())?.unwrap();
            let subject = ReminderSubject { appointment: id, starts_at: now() };
            let planned = PlannedReminder { minutes_before: 60, remind_at: now() };
            reminder::insert(tx, world.organization, subject, ReminderOrigin::Asked, planned, now())?;
            appointment::cancel(tx, world.organization, id, &MarkAuthor::Customer, now())?;
            let [planned] = reminder::list_of(tx, world.organization, id)?.try_into().unwrap();
            assert_eq!(planned.state, ReminderState::Cancelled);
            assert!(appointment::insert(tx, world.organization, &at(world, 1, 10), now())?.is_some());
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
}

/// An expired hold does not block the slot; an open hold blocks it.
pub async fn an_expired_hold_gives_way(store: &Store) {
    let world = world(store, "a").await;
    store
        .write(move |tx| {
            let mut hold = at(world, 0, 10);
            hold.status = AppointmentStatus::Pending;
            hold.expires_at = Some(balcao_domain::span::plus_minutes(now(), 15));
            assert!(appointment::insert(tx, world.organization, &hold, now())?.is_some());
            assert!(appointment::insert(tx, world.organization, &at(world, 1, 10), now())?.is_none());
            let later = balcao_domain::span::plus_minutes(now(), 15);
            assert!(appointment::insert(tx, world.organization, &at(world, 1, 10), later)?.is_some());
            hold.span = at(world, 0, 20).span;
            hold.occupied = hold.span;
            assert!(appointment::insert(tx, world.organization, &hold, now())?.is_some());
            // The same contact's own hold neither.
            assert!(appointment::insert(tx, world.organization, &at(world, 0, 20), later)?.is_some());
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
}

/// Two callers, no check of their own, a thousand slots: of each exactly one gets it.
pub async fn two_fight_for_one_slot_a_thousand_times(store: &Store) {
    let world = world(store, "a").await;
    for hour in 0..1000 {
        let mut fight = tokio::task::JoinSet::new();
        for contact in 0..2 {
            let store = store.clone();
            let book = move |tx: &mut balcao_store::Tx<'_>| {
                appointment::insert(tx, world.organization, &at(world, contact, hour), now())
            };
            fight.spawn(async move { store.write(book).await.map_err(|error: StoreError| error).unwrap().is_some() });
        }
        let won = fight.join_all().await;
        assert_eq!(won.iter().filter(|won| **won).count(), 1, "hour {hour}");
    }
    assert_eq!(count(store, "appointment").await, 1000);
    assert_eq!(count(store, "slot_claim").await, 12_000);
}

/// Two turns that ask for the same thing book once.
pub async fn one_open_appointment_per_contact_and_start(store: &Store) {
    let world = world(store, "a").await;
    let result: Result<_, StoreError> = store
        .write(move |tx| {
            let mut new = at(world, 0, 10);
            new.capacity = 2;
            appointment::insert(tx, world.organization, &new, now())?;
            appointment::insert(tx, world.organization, &new, now())
        })
        .await;
    assert!(result.unwrap_err().is_unique_violation());
}

/// What is written there stays as it is.
pub async fn the_audit_log_cannot_be_changed(store: &Store) {
    let world = world(store, "a").await;
    let entry = audit::AuditEntry {
        at: now(),
        actor: "agent".to_owned(),
        action: "contact.update".to_owned(),
        subject: "con_1".to_owned(),
        before: Some("{}".to_owned()),
        after: None,
    };
    let written = entry.clone();
    let write = store.write(move |tx| audit::append(tx, world.organization, &written)).await;
    write.map_err(|error: StoreError| error).unwrap();
    let change = "UPDATE audit_log SET actor = 'nobody' WHERE organization_id = ?1";
    let changed: Result<usize, StoreError> =
        store.write(move |tx| tx.execute(change, &[Value::from(world.organization)])).await;
    assert!(changed.unwrap_err().to_string().contains("append-only"));
    let found = store.read(move |tx| audit::of_subject(tx, world.organization, "con_1")).await;
    assert_eq!(found.map_err(|error: StoreError| error).unwrap(), [entry]);
}

/// Entries are found by what the tokenizer makes of them, best first, and operators are plain words.
pub async fn knowledge_is_found_by_its_tokens(store: &Store) {
    fn tokens(text: &str) -> Vec<String> {
        text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_lowercase).filter(|t| !t.is_empty()).collect()
    }
    let world = world(store, "a").await;
    let titles = |query: &'static str, category: Option<&'static str>| {
        store.read(move |tx| {
            let hits = knowledge::search(tx, world.organization, &tokens(query), category, 5)?;
            Ok::<_, StoreError>(hits.into_iter().map(|hit| hit.entry.title).collect::<Vec<_>>())
        })
    };
    store
        .write(move |tx| {
            for (category, title, content) in
                [("Pagamento", "Formas", "Pix e dinheiro"), ("Local", "Estacionamento", "Pix na cancela e vaga")]
            {
                let entry = KnowledgeEntry {
                    id: balcao_domain::KnowledgeId::try_from(1).unwrap(),
                    category: Some(category.to_owned()),
                    title: title.to_owned(),
                    content: content.to_owned(),
                };
                knowledge::insert(tx, world.organization, &entry, tokens)?;
            }
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
    assert_eq!(titles("tem estacionamento?", None).await.unwrap(), ["Estacionamento"]);
    assert_eq!(titles("pix", Some("Pagamento")).await.unwrap(), ["Formas"]);
    assert_eq!(titles("pix vaga", None).await.unwrap(), ["Estacionamento", "Formas"]);
    for query in ["", "nada", "NEAR(", "\"", "pagamento:x AND *"] {
        let found = titles(query, None).await.unwrap();
        assert!(found.is_empty() || query.contains("pagamento"), "{query}: {found:?}");
    }
}

/// One organization's rows are not there for another.
pub async fn tenants_do_not_see_each_other(store: &Store) {
    let walled = store.read(organization::walls_hold).await;
    assert!(walled.map_err(|error: StoreError| error).unwrap(), "the database's user is above its walls");
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    let phone = Phone::parse("11 91111-1111").unwrap();
    store
        .write(move |tx| {
            let same_phone = contact::find_by_phone(tx, theirs.organization, &phone)?;
            assert_eq!(same_phone.map(|found| found.id), theirs.contacts.first().copied());
            let [contact, _] = ours.contacts;
            assert_eq!(contact::find(tx, theirs.organization, contact)?, None);
            let id = appointment::insert(tx, ours.organization, &at(ours, 0, 10), now())?.unwrap();
            assert_eq!(appointment::find(tx, theirs.organization, id, Currency::BRL)?, None);
            appointment::cancel(tx, theirs.organization, id, &MarkAuthor::Customer, now())?;
            let still = appointment::find(tx, ours.organization, id, Currency::BRL)?;
            assert_eq!(still.map(|found| found.status), Some(AppointmentStatus::Confirmed));
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
}

/// Of many takers one gets an event.
pub async fn events_are_taken_once(store: &Store) {
    let world = world(store, "a").await;
    store
        .write(move |tx| {
            event::push(tx, world.organization, "appointment_booked", "apt_1", "{}", now())?;
            let [waiting] = event::waiting(tx, 10)?.try_into().unwrap_or_else(|_| panic!("one event"));
            assert!(event::take(tx, waiting.id, now())?);
            assert!(!event::take(tx, waiting.id, now())?);
            assert!(event::waiting(tx, 10)?.is_empty());
            Ok::<_, StoreError>(())
        })
        .await
        .unwrap();
}
