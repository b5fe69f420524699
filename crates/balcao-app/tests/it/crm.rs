use std::collections::BTreeMap;

use balcao_app::context::names::NameRefusal;
use balcao_app::crm::contacts::{Arrival, BadValue, ContactUpdate, Contacts, UpdateRefusal};
use balcao_app::crm::notes::{NoteRefusal, Notes};
use balcao_app::crm::pipelines::{MoveRefusal, Pipelines};
use balcao_app::scheduling::follow_ups::{FollowUpRefusal, FollowUpRequest, FollowUps};
use balcao_app::scheduling::reminders::{ReminderRefusal, Reminders};
use balcao_domain::Phone;
use balcao_domain::follow_up::FollowUpType;
use balcao_store::{StoreError, ops::audit};

use crate::world::{figueira, on};

#[tokio::test]
async fn one_person_is_one_contact_however_the_number_is_written() {
    let world = figueira().await;
    let contacts = Contacts::new(world.app.clone());
    let arrive = |phone: &str, user: Option<&str>, name: &str| {
        let arrival = Arrival {
            phone: Some(Phone::parse(phone).unwrap()),
            channel_user: user.map(str::to_owned),
            name: Some(name.to_owned()),
        };
        contacts.arrive(world.organization, arrival)
    };
    let caio = world.caio().await;
    assert_eq!(arrive("553196401177", Some("wa:1"), "caio ✂️").await.unwrap(), caio);
    let kept = contacts.info(world.organization, caio).await.unwrap();
    assert_eq!((kept.name.as_deref(), kept.phone.as_deref()), (Some("Caio Brandão"), Some("+5531996401177")));
    // The channel's own id is the first key: with a new number it is still Caio.
    assert_eq!(arrive("31 97777-0000", Some("wa:1"), "x").await.unwrap(), caio);
    let new = arrive("31 90000-1234", None, "Rui").await.unwrap();
    assert_ne!(new, caio);
    assert_eq!(arrive("0 15 31 90000 1234", None, "Rui").await.unwrap(), new);
}

#[tokio::test]
async fn an_update_is_checked_and_the_old_value_kept() {
    let world = figueira().await;
    let contacts = Contacts::new(world.app.clone());
    let livia = world.livia().await;
    let update =
        |update: ContactUpdate| contacts.update(world.organization, livia, world.key(), "agent".to_owned(), update);
    let email = |text: &str| ContactUpdate { email: Some(text.to_owned()), ..ContactUpdate::default() };
    assert_eq!(update(ContactUpdate::default()).await.unwrap().value, Err(UpdateRefusal::Nothing));
    // The error names all invalid fields at once, and the update stores none of the valid ones.
    let blank = ContactUpdate { name: Some("  ".to_owned()), address: Some("Rua A".to_owned()), ..email("livia") };
    let Err(UpdateRefusal::Fields(bad)) = update(blank).await.unwrap().value else { panic!("kept") };
    let bad: Vec<_> = bad.iter().map(|one| (one.field.as_str(), one.problem)).collect();
    assert_eq!(bad, [("name", BadValue::Empty), ("email", BadValue::Email)]);
    let birthday = |text: &str| ContactUpdate {
        custom_fields: [("birthday".to_owned(), text.to_owned())].into(),
        ..ContactUpdate::default()
    };
    for wrong in ["17/05/1990", "1990-02-30", "1890-05-17", "2090-05-17", "hoje"] {
        let Err(UpdateRefusal::Fields(bad)) = update(birthday(wrong)).await.unwrap().value else { panic!("{wrong}") };
        assert_eq!(bad[0].problem, BadValue::Birthday, "{wrong}");
    }
    let mut change = email("livia@EXAMPLE.com");
    change.custom_fields.insert("pet".to_owned(), "Nina".to_owned());
    assert_eq!(update(change.clone()).await.unwrap().value.unwrap().updated, ["email", "pet"]);
    assert!(update(change).await.unwrap().value.unwrap().updated.is_empty());
    let (organization, subject) = (world.organization, livia.to_string());
    let log: Result<_, StoreError> =
        world.app.store.read(move |tx| audit::of_subject(tx, organization, &subject)).await;
    let log = log.unwrap();
    assert_eq!(log.len(), 1);
    assert!(log[0].before.as_ref().unwrap().contains("\"email\":null"));
    assert!(log[0].after.as_ref().unwrap().contains("livia@example.com"));
}

#[tokio::test]
async fn fields_of_a_contact_have_500_characters_and_50_are_its_own() {
    let world = figueira().await;
    let contacts = Contacts::new(world.app.clone());
    let livia = world.livia().await;
    let update = |custom_fields: BTreeMap<String, String>| {
        let update = ContactUpdate { custom_fields, ..ContactUpdate::default() };
        contacts.update(world.organization, livia, world.key(), "agent".to_owned(), update)
    };
    let field = |name: &str, chars: usize| BTreeMap::from([(name.to_owned(), "é".repeat(chars))]);
    assert_eq!(update(field("pet", 500)).await.unwrap().value.unwrap().updated, ["pet"]);
    for long in [field("pet", 501), field(&"n".repeat(501), 1)] {
        let Err(UpdateRefusal::Fields(bad)) = update(long).await.unwrap().value else { panic!("kept") };
        assert_eq!(bad[0].problem, BadValue::TooLong);
    }
    let numbered = |count: u32| -> BTreeMap<String, String> {
        (0..count).map(|number| (format!("field {number}"), "x".to_owned())).collect()
    };
    // The contact has one field already.
    assert_eq!(update(numbered(50)).await.unwrap().value, Err(UpdateRefusal::TooManyFields));
    assert_eq!(update(numbered(49)).await.unwrap().value.unwrap().updated.len(), 49);
    assert_eq!(contacts.info(world.organization, livia).await.unwrap().custom_fields.len(), 50);
}

#[tokio::test]
async fn tags_are_given_and_taken_and_created_only_if_allowed() {
    let world = figueira().await;
    let contacts = Contacts::new(world.app.clone());
    let livia = world.livia().await;
    let add = |name: &str, may| contacts.add_tag(world.organization, livia, world.key(), name.to_owned(), may);
    let given = add("mensalista", false).await.unwrap().value.unwrap();
    assert_eq!((given.tag.as_str(), given.was_present, given.created), ("Mensalista", false, false));
    assert!(add("Mensalista", false).await.unwrap().value.unwrap().was_present);
    let near = add("Mensalistas", false).await.unwrap().value.unwrap_err();
    assert!(matches!(&near, NameRefusal::NotFound { nearest: Some(tag), .. } if tag == "Mensalista"), "{near:?}");
    assert!(add("Noivo", true).await.unwrap().value.unwrap().created);
    let remove = |name: &str| contacts.remove_tag(world.organization, livia, world.key(), name.to_owned());
    assert!(remove("MENSALISTA").await.unwrap().value.unwrap().was_present);
    assert!(!remove("Mensalista").await.unwrap().value.unwrap().was_present);
    assert_eq!(contacts.info(world.organization, livia).await.unwrap().tags, ["Indicação", "Noivo"]);
}

#[tokio::test]
async fn of_several_tags_all_are_given_or_none() {
    let world = figueira().await;
    let contacts = Contacts::new(world.app.clone());
    let livia = world.livia().await;
    let give = |names: &[&str], may| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        contacts.add_tags(world.organization, livia, world.key(), names, may)
    };
    let before = contacts.info(world.organization, livia).await.unwrap().tags;
    let refused = give(&["Mensalista", "Noivo"], false).await.unwrap().value.unwrap_err();
    assert!(matches!(&refused, NameRefusal::NotFound { query, .. } if query == "Noivo"), "{refused:?}");
    let refused = give(&["Noivo", "  "], true).await.unwrap().value.unwrap_err();
    assert!(matches!(refused, NameRefusal::NotFound { .. }), "{refused:?}");
    assert_eq!(contacts.info(world.organization, livia).await.unwrap().tags, before);
    // A new one that is named twice is made once.
    let given = give(&["mensalista", "Noivo", "noivo"], true).await.unwrap().value.unwrap();
    let given: Vec<_> = given.iter().map(|one| (one.tag.as_str(), one.was_present, one.created)).collect();
    assert_eq!(given, [("Mensalista", false, false), ("Noivo", false, true), ("Noivo", true, false)]);
}

#[tokio::test]
async fn a_stage_of_two_pipelines_must_be_told_apart() {
    let store = balcao_store::Store::open_in_memory().unwrap();
    let world = on(store, "clinica-vereda.yaml", "2026-11-30T07:00").await;
    let jorge = world.contact("81 98655-4410").await;
    let pipelines = Pipelines::new(world.app.clone());
    let place = |stage: &str, pipeline: Option<&str>| {
        pipelines.place(world.organization, jorge, world.key(), stage.to_owned(), pipeline.map(str::to_owned))
    };
    let vague = place("novo", None).await.unwrap().value.unwrap_err();
    assert!(matches!(&vague, MoveRefusal::Ambiguous { candidates } if candidates.len() == 2), "{vague:?}");
    let unknown = place("xyz", None).await.unwrap().value.unwrap_err();
    assert!(matches!(&unknown, MoveRefusal::UnknownStage { available, .. } if available.len() == 6), "{unknown:?}");
    assert!(!place("novo", Some("convenios")).await.unwrap().value.unwrap().was_in_pipeline);
    assert!(place("alta", None).await.unwrap().value.unwrap().was_in_pipeline);
    let current: Vec<String> = pipelines
        .list(world.organization, jorge)
        .await
        .unwrap()
        .into_iter()
        .flat_map(|one| one.stages.into_iter().filter(|stage| stage.current).map(|stage| stage.name))
        .collect();
    assert_eq!(current, ["Alta", "Novo"]);
}

#[tokio::test]
async fn notes_are_kept_for_staff() {
    let world = figueira().await;
    let notes = Notes::new(world.app.clone());
    let caio = world.caio().await;
    let add = |text: &str| notes.add(world.organization, caio, world.key(), "agent".to_owned(), text.to_owned());
    assert_eq!(add(" ").await.unwrap().value, Err(NoteRefusal::Empty));
    assert_eq!(add(&"é".repeat(10_001)).await.unwrap().value, Err(NoteRefusal::TooLong));
    add(" Prefere o Otávio ").await.unwrap().value.unwrap();
    let all: Vec<String> =
        notes.list(world.organization, caio).await.unwrap().into_iter().map(|note| note.content).collect();
    assert_eq!(all, ["Pede sempre a cadeira da janela.", "Prefere o Otávio"]);
}

#[tokio::test]
async fn three_follow_ups_an_episode_and_no_more() {
    let world = figueira().await;
    let follow_ups = FollowUps::new(world.app.clone());
    let caio = world.caio().await;
    let request = |delay_min, episode| FollowUpRequest {
        delay_min,
        allowed_delays_min: vec![30, 1440],
        hint: "perguntar do corte".to_owned(),
        kind: FollowUpType::Curiosity,
        episode,
    };
    let plan = |request| follow_ups.schedule(world.organization, caio, world.key(), request);
    let first = plan(request(30, 1)).await.unwrap().value.unwrap();
    assert_eq!(first.send_at_local, "2026-11-23T09:30");
    assert!(matches!(plan(request(31, 1)).await.unwrap().value, Err(FollowUpRefusal::Delay { .. })));
    plan(request(1440, 1)).await.unwrap().value.unwrap();
    plan(request(1440, 1)).await.unwrap().value.unwrap();
    assert_eq!(plan(request(30, 1)).await.unwrap().value, Err(FollowUpRefusal::TooMany { limit: 3 }));
    plan(request(30, 2)).await.unwrap().value.unwrap();
    let cancel = |only| follow_ups.cancel(world.organization, caio, world.key(), only);
    assert_eq!(cancel(Some(first.id)).await.unwrap().value.map(|one| one.cancelled), Ok(1));
    assert_eq!(cancel(None).await.unwrap().value.map(|one| one.cancelled), Ok(3));
    assert_eq!(cancel(None).await.unwrap().value.map(|one| one.cancelled), Ok(0));
}

#[tokio::test]
async fn a_reminder_needs_an_appointment_and_time_before_it() {
    let world = figueira().await;
    let reminders = Reminders::new(world.app.clone());
    let livia = world.livia().await;
    let plan = |minutes| reminders.schedule(world.organization, livia, world.key(), None, minutes, 60);
    // The business's own rule, a day before, comes before what is usual.
    assert_eq!(plan(None).await.unwrap().value.unwrap().remind_at_local, "2026-12-03T14:00");
    assert_eq!(plan(Some(30)).await.unwrap().value.unwrap().remind_at_local, "2026-12-04T13:30");
    world.set_local("2026-12-04T13:30");
    assert_eq!(
        plan(None).await.unwrap().value,
        Err(ReminderRefusal::TooLate { minutes_left: 30, minutes_before: 1_440 })
    );
    world.set_local("2026-12-05T13:30");
    assert!(matches!(plan(None).await.unwrap().value, Err(ReminderRefusal::NotFound { .. })));
}
