//! What every database must do for the business's records. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, clippy::panic, reason = "a case fails by panicking")]

use std::collections::BTreeMap;

use balcao_domain::appointment::visit::MarkAuthor;
use balcao_domain::contact::Contact;
use balcao_domain::entitlement::{Entitlement, Feature, Tier};
use balcao_domain::hours::{DayException, Hours, WeeklyHours};
use balcao_domain::knowledge::KnowledgeEntry;
use balcao_domain::professional::{Notify, Professional};
use balcao_domain::service::{OfferedService, Service};
use balcao_domain::subscription::{Plan, PlanPeriod};
use balcao_domain::{Currency, KnowledgeId, Money, PlanId, ProfessionalId, ServiceId, Span};
use balcao_store::knowledge::vectors::{self, EntryVector};
use balcao_store::messaging::message::{self, Author, NewMessage};
use balcao_store::messaging::template::{self, Media, Template};
use balcao_store::scheduling::catalog::{self, Around};
use balcao_store::turns::lease::{self, Route};
use balcao_store::{
    Store, StoreError, StoreErrorClass, Tx, crm::contact, crm::note, crm::organization, crm::pipeline, crm::tag,
    knowledge, messaging::conversation, ops::entitlement, scheduling::appointment, scheduling::hours,
};
use jiff::civil::{Date, date};

use super::Case;
use super::delivery::{at, write};
use super::store::{World, now, world};

cases!(
    an_organization_is_found_by_its_slug,
    a_contact_is_kept_whole_and_found_by_what_identifies_it,
    contacts_are_listed_page_by_page,
    services_and_professionals_come_back_as_they_went_in,
    plans_cover_services,
    a_name_is_taken_once,
    a_row_outside_the_rules_is_refused,
    hours_of_a_date_and_holidays_replace_each_other,
    a_contact_stands_in_one_stage_of_each_pipeline,
    a_tag_is_attached_once,
    names_are_ordered_byte_by_byte,
    knowledge_is_listed_by_category_and_forgotten,
    vectors_of_knowledge_are_kept_by_model_and_gone_with_their_entries,
    notes_templates_and_media_are_kept,
    texts_keep_every_character,
    what_a_business_has_booked_of_us_is_kept,
    a_35_a_contact_was_last_known_when_they_or_staff_wrote_or_came,
);

pub(super) fn first(world: World) -> balcao_domain::ContactId {
    let [contact, _] = world.contacts;
    contact
}

pub(super) fn day() -> Date {
    date(2026, 11, 24)
}

fn service(name: &str) -> Service {
    Service {
        id: ServiceId::try_from(1).unwrap(),
        name: name.to_owned(),
        aliases: vec!["a".to_owned(), "b".to_owned()],
        description: None,
        price: Money::new(4500, Currency::BRL),
        duration_min: 30,
        buffer_before_min: 0,
        buffer_after_min: 5,
        notice_min: Some(60),
        advance_days: None,
        cancellation_notice_min: None,
        active: true,
    }
}

fn around() -> Around {
    Around { from: day(), to: day(), since: now() }
}

/// The store returns what it stored, and an unknown slug finds no organization.
pub async fn an_organization_is_found_by_its_slug(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let found = organization::find_by_slug(tx, "a")?.unwrap();
        assert_eq!((found.id, found.timezone.as_str()), (world.organization, "America/Sao_Paulo"));
        assert_eq!(organization::get(tx, world.organization)?, found);
        assert_eq!(organization::list(tx)?, [found]);
        assert_eq!(organization::find_by_slug(tx, "A")?, None);
        Ok(())
    })
    .await;
    let again = move |tx: &mut Tx<'_>| {
        let found = organization::get(tx, world.organization)?;
        organization::insert(tx, &found, now())
    };
    assert!(store.write(again).await.is_err_and(|error: StoreError| error.is_unique_violation()));
}

/// Every field survives, and phone and channel user each find the contact.
pub async fn a_contact_is_kept_whole_and_found_by_what_identifies_it(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let before = contact::get(tx, world.organization, first(world))?;
        let whole = Contact {
            name: Some("João d'Ávila".to_owned()),
            preferred_name: Some("Jô".to_owned()),
            channel_user: Some("user-1".to_owned()),
            email: Some("jo@example.com".to_owned()),
            address: Some("Rua A, 1".to_owned()),
            custom_fields: BTreeMap::from([("corte".to_owned(), "\"degradê\"".to_owned())]),
            ..before
        };
        contact::update(tx, world.organization, &whole)?;
        assert_eq!(contact::find(tx, world.organization, whole.id)?, Some(whole.clone()));
        assert_eq!(contact::find_by_channel_user(tx, world.organization, "user-1")?, Some(whole.clone()));
        let phone = whole.phone.clone().unwrap();
        assert_eq!(contact::find_by_phone(tx, world.organization, &phone)?, Some(whole));
        assert_eq!(contact::find_by_channel_user(tx, world.organization, "user-2")?, None);
        Ok(())
    })
    .await;
}

/// Each page goes on after the one before.
pub async fn contacts_are_listed_page_by_page(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let page = contact::list(tx, world.organization, None, 1)?;
        let [one] = page.as_slice() else { panic!("one contact: {page:?}") };
        let rest = contact::list(tx, world.organization, Some(one.id), 10)?;
        assert_eq!([one.id, rest.first().unwrap().id], world.contacts);
        assert_eq!(rest.len(), 1);
        Ok(())
    })
    .await;
}

/// Aliases, offers, exceptions and time off come back with their owners.
pub async fn services_and_professionals_come_back_as_they_went_in(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let cut = catalog::insert_service(tx, organization, &service("Corte"))?;
        let expected = Service { id: cut, ..service("Corte") };
        assert_eq!(catalog::list_services(tx, organization, Currency::BRL)?, [expected]);
        let rui = Professional {
            id: ProfessionalId::try_from(1).unwrap(),
            name: "Rui".to_owned(),
            aliases: vec!["Ruizinho".to_owned()],
            profession: Some("barbeiro".to_owned()),
            hours: Hours::default(),
            services: vec![OfferedService { service: cut, duration_min: Some(45), price_cents: None }],
            time_off: Vec::new(),
            restrictions: Some("não atende crianças".to_owned()),
            capacity: 2,
            phone: None,
            email: None,
            notify: Notify { whatsapp: false, email: true },
            code: Some("rui".to_owned()),
            active: false,
        };
        let id = catalog::insert_professional(tx, organization, &rui)?;
        let span = Span::of_minutes(now(), 60);
        catalog::insert_time_off(tx, organization, id, span, Some("médico"))?;
        let closed = DayException { periods: Vec::new(), note: Some("folga".to_owned()) };
        hours::set_exception(tx, organization, Some(id), day(), &closed)?;
        let found = catalog::list_professionals(tx, organization, around())?;
        let names = catalog::professional_names(tx, organization)?;
        assert_eq!(names, found.iter().map(|one| (one.id, one.name.clone())).collect());
        assert!(names.len() > 1);
        let [_ana, found] = found.as_slice() else { panic!("two professionals: {found:?}") };
        assert_eq!(found.time_off.iter().map(|off| off.span).collect::<Vec<_>>(), [span]);
        assert_eq!(found.hours.exceptions, BTreeMap::from([(day(), closed)]));
        let bare = Professional { hours: Hours::default(), time_off: Vec::new(), ..found.clone() };
        assert_eq!(bare, Professional { id, ..rui });
        Ok(())
    })
    .await;
}

/// A plan knows its services.
pub async fn plans_cover_services(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let cut = catalog::insert_service(tx, organization, &service("Corte"))?;
        let plan = Plan {
            id: PlanId::try_from(1).unwrap(),
            name: "Mensal".to_owned(),
            price: Money::new(9900, Currency::BRL),
            period: PlanPeriod::Month,
            covers: vec![cut],
            quota: Some(4),
            benefits: vec!["10% em produtos".to_owned()],
            active: true,
        };
        let id = catalog::insert_plan(tx, organization, &plan)?;
        assert_eq!(catalog::list_plans(tx, organization, Currency::BRL)?, [Plan { id, ..plan }]);
        Ok(())
    })
    .await;
}

/// The second of a name is a unique violation, in another organization it is not.
pub async fn a_name_is_taken_once(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    for (organization, fine) in [(ours.organization, true), (ours.organization, false), (theirs.organization, true)] {
        let work = move |tx: &mut Tx<'_>| catalog::insert_service(tx, organization, &service("Corte"));
        let result: Result<_, StoreError> = store.write(work).await;
        assert_eq!(result.is_ok(), fine);
        assert!(result.is_ok() || result.is_err_and(|error| error.is_unique_violation()));
    }
}

/// Checks of the schema hold whatever the program writes.
pub async fn a_row_outside_the_rules_is_refused(store: &Store) {
    let world = world(store, "a").await;
    let odd = Service { duration_min: 7, ..service("Corte") };
    let free = Service { price: Money::new(-1, Currency::BRL), ..service("Corte") };
    for wrong in [odd, free] {
        let work = move |tx: &mut Tx<'_>| catalog::insert_service(tx, world.organization, &wrong);
        let error: StoreError = store.write(work).await.unwrap_err();
        assert_eq!(error.class(), StoreErrorClass::Constraint, "{error:?}");
        assert!(!error.is_unique_violation());
    }
    let backwards = move |tx: &mut Tx<'_>| {
        let span = Span::new(at(60), at(0));
        catalog::insert_time_off(tx, world.organization, world.professional, span, None)
    };
    let error: StoreError = store.write(backwards).await.unwrap_err();
    assert_eq!(error.class(), StoreErrorClass::Constraint, "{error:?}");
}

/// Of two for one date the later counts; dates outside are not read; the years behind the stored ones have the national holidays.
pub async fn hours_of_a_date_and_holidays_replace_each_other(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let business = organization::get(tx, world.organization)?;
        let short = DayException { periods: vec!["09:00-12:00".parse().unwrap()], note: None };
        for exception in [DayException { periods: Vec::new(), note: None }, short.clone()] {
            hours::set_exception(tx, world.organization, None, day(), &exception)?;
        }
        for name in ["Feriado", "Consciência Negra"] {
            hours::set_holiday(tx, world.organization, day(), name)?;
        }
        hours::set_holiday(tx, world.organization, date(2026, 12, 25), "Natal")?;
        let found = hours::of_business(tx, &business, date(2026, 11, 1), date(2026, 11, 30))?;
        assert_eq!(found.exceptions, BTreeMap::from([(day(), short)]));
        assert_eq!(found.holidays, BTreeMap::from([(day(), "Consciência Negra".to_owned())]));
        assert_eq!(found.weekly, WeeklyHours::default());
        // Behind the last stored one the years have the national holidays.
        let later = hours::of_business(tx, &business, date(2031, 11, 16), date(2031, 12, 31))?;
        let national = BTreeMap::from([
            (date(2031, 11, 20), "Dia Nacional de Zumbi e da Consciência Negra".to_owned()),
            (date(2031, 12, 25), "Natal".to_owned()),
        ]);
        assert_eq!(later.holidays, national);
        hours::remove_holidays(tx, world.organization, Date::MIN)?;
        let never = hours::of_business(tx, &business, date(2031, 11, 16), date(2031, 12, 31))?;
        assert_eq!(never.holidays, BTreeMap::new());
        Ok(())
    })
    .await;
}

/// Moving replaces the stage, and says whether it was placed before. A pipeline with a contact stays.
pub async fn a_contact_stands_in_one_stage_of_each_pipeline(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let stages = ["Novo", "Cliente"].map(str::to_owned);
        let sales = pipeline::insert(tx, world.organization, "Vendas", &stages)?;
        assert_eq!(pipeline::list(tx, world.organization)?.first(), Some(&sales));
        let [new, customer] = sales.stages.as_slice() else { panic!("two stages") };
        let contact = first(world);
        pipeline::place(tx, world.organization, contact, sales.id, new.id)?;
        pipeline::place(tx, world.organization, contact, sales.id, customer.id)?;
        assert_eq!(pipeline::stages_of(tx, world.organization, contact)?, [(sales.id, customer.id)]);
        assert_eq!(pipeline::contacts_in(tx, world.organization, sales.id, 3)?, (1, vec![contact]));
        assert!(!pipeline::remove(tx, world.organization, sales.id)?);
        let unused = pipeline::insert(tx, world.organization, "Cuidado", &stages)?;
        assert_eq!(pipeline::contacts_in(tx, world.organization, unused.id, 3)?, (0, Vec::new()));
        assert!(pipeline::remove(tx, world.organization, unused.id)?);
        assert_eq!(pipeline::list(tx, world.organization)?, [sales]);
        Ok(())
    })
    .await;
}

/// Attaching says whether it was lacking, detaching whether it was there. A tag that a contact carries stays.
pub async fn a_tag_is_attached_once(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (organization, contact) = (world.organization, first(world));
        let vip = tag::insert(tx, organization, "vip")?;
        assert!(tag::attach(tx, organization, contact, vip)?);
        assert!(!tag::attach(tx, organization, contact, vip)?);
        assert_eq!(tag::of_contact(tx, organization, contact)?.len(), 1);
        assert_eq!(tag::carriers(tx, organization, vip, 3)?, (1, vec![contact]));
        assert!(!tag::remove(tx, organization, vip)?);
        assert!(tag::detach(tx, organization, contact, vip)?);
        assert!(!tag::detach(tx, organization, contact, vip)?);
        assert_eq!(tag::list(tx, organization)?.len(), 1);
        assert!(tag::remove(tx, organization, vip)?);
        assert!(!tag::remove(tx, organization, vip)?);
        assert_eq!(tag::list(tx, organization)?, []);
        Ok(())
    })
    .await;
}

/// No database's idea of an alphabet decides what comes first.
pub async fn names_are_ordered_byte_by_byte(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        for name in ["zebra", "Ácido", "_x", "Zebra", "a b", "ab", "É"] {
            tag::insert(tx, world.organization, name)?;
        }
        let names: Vec<String> = tag::list(tx, world.organization)?.into_iter().map(|tag| tag.name).collect();
        assert_eq!(names, ["Zebra", "_x", "a b", "ab", "zebra", "Ácido", "É"]);
        Ok(())
    })
    .await;
}

/// What was deleted is not found either.
pub async fn knowledge_is_listed_by_category_and_forgotten(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let tokens = |text: &str| text.split(' ').map(str::to_lowercase).collect::<Vec<_>>();
        let mut add = |world: World, category: Option<&str>, title: &str| {
            let entry = KnowledgeEntry {
                id: KnowledgeId::try_from(1).unwrap(),
                category: category.map(str::to_owned),
                title: title.to_owned(),
                content: "pix".to_owned(),
            };
            knowledge::insert(tx, world.organization, &entry, tokens)
        };
        let pay = add(ours, Some("pagamento"), "Pix")?;
        let place = add(ours, Some("Local"), "Rua")?;
        let rest = add(ours, None, "Resto")?;
        add(theirs, Some("outra"), "Pix")?;
        assert_eq!(knowledge::categories(tx, ours.organization)?, ["Local", "pagamento"]);
        let ids = |tx: &mut Tx<'_>| {
            let found = knowledge::list(tx, ours.organization)?;
            Ok::<_, StoreError>(found.into_iter().map(|entry| entry.id).collect::<Vec<_>>())
        };
        assert_eq!(ids(tx)?, [pay, place, rest]);
        assert!(!knowledge::delete(tx, theirs.organization, pay)?);
        assert!(knowledge::delete(tx, ours.organization, pay)?);
        assert!(!knowledge::delete(tx, ours.organization, pay)?);
        assert_eq!(ids(tx)?, [place, rest]);
        let found = knowledge::search(tx, ours.organization, &["pix".to_owned()], None, 9)?;
        // The shorter one, without a category, comes first.
        assert_eq!(found.into_iter().map(|hit| hit.entry.id).collect::<Vec<_>>(), [rest, place]);
        Ok(())
    })
    .await;
}

/// One vector for each entry, of the model that made it last; none outlives its entry or its organization, and none is another's.
pub async fn vectors_of_knowledge_are_kept_by_model_and_gone_with_their_entries(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let mut add = |world: World, title: &str| {
            let (id, content) = (KnowledgeId::try_from(1).unwrap(), "pix".to_owned());
            let entry = KnowledgeEntry { id, category: None, title: title.to_owned(), content };
            knowledge::insert(tx, world.organization, &entry, |_text| Vec::new())
        };
        let (one, two, other) = (add(ours, "um")?, add(ours, "dois")?, add(theirs, "um")?);
        let made = |entry, digest: u8, numbers: &[f32]| EntryVector {
            entry,
            digest: vec![digest; 32],
            numbers: numbers.to_vec(),
        };
        let kept = |tx: &mut Tx<'_>, world: World, model: &str| vectors::list(tx, world.organization, model);
        let first = [made(two, 2, &[0.5, -1.0e-20]), made(one, 1, &[f32::MAX, 0.0]), made(other, 9, &[1.0])];
        vectors::store_vectors(tx, ours.organization, "small", &first)?;
        assert_eq!(kept(tx, ours, "small")?, [first[1].clone(), first[0].clone()], "not the other's");
        assert_eq!(kept(tx, theirs, "small")?, []);
        assert_eq!(kept(tx, ours, "large")?, []);
        let anew = [made(one, 3, &[2.0])];
        vectors::store_vectors(tx, ours.organization, "large", &anew)?;
        assert_eq!(kept(tx, ours, "large")?, anew);
        assert_eq!(kept(tx, ours, "small")?, [first[0].clone()]);
        assert!(knowledge::delete(tx, ours.organization, one)?);
        assert_eq!(kept(tx, ours, "large")?, []);
        vectors::store_vectors(tx, ours.organization, "large", &anew)?;
        assert_eq!(kept(tx, ours, "large")?, [], "the entry is gone");
        vectors::store_vectors(tx, theirs.organization, "small", &[made(other, 9, &[1.0])])?;
        assert_eq!(kept(tx, theirs, "small")?.len(), 1);
        tx.execute("DELETE FROM organization WHERE id = ?1", &[theirs.organization.into()])?;
        assert_eq!(kept(tx, theirs, "small")?, []);
        Ok(())
    })
    .await;
}

/// Every field comes back, the numbers with a fraction too.
pub async fn notes_templates_and_media_are_kept(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        note::insert(tx, organization, first(world), "agent", "prefere sábado", now())?;
        let notes = note::of_contact(tx, organization, first(world))?;
        assert_eq!(notes.iter().map(|note| note.content.as_str()).collect::<Vec<_>>(), ["prefere sábado"]);
        let template = Template {
            name: "lembrete".to_owned(),
            category: "utility".to_owned(),
            language: "pt_BR".to_owned(),
            body: "Oi {{1}}".to_owned(),
            approved: true,
        };
        template::insert_template(tx, organization, &template)?;
        assert_eq!(template::list_templates(tx, organization)?, [template]);
        let shop = Media {
            key: "loja".to_owned(),
            kind: "location".to_owned(),
            name: Some("A loja".to_owned()),
            path: None,
            latitude: Some(-23.5505),
            longitude: Some(0.0),
        };
        template::insert_media(tx, organization, &shop)?;
        assert_eq!(template::list_media(tx, organization)?, [shop]);
        Ok(())
    })
    .await;
}

/// Quotes, question marks, emoji and lines: nothing is taken for a parameter or a literal's end.
pub async fn texts_keep_every_character(store: &Store) {
    let world = world(store, "a").await;
    let text = "it's ?1 $2 \"quoted\" \\ %s\n\t👩🏽‍🦱 ação — {\"a\": null}";
    write(store, move |tx| {
        note::insert(tx, world.organization, first(world), "?1", text, now())?;
        let found = note::of_contact(tx, world.organization, first(world))?;
        assert_eq!(
            found.iter().map(|note| (note.author.as_str(), note.content.as_str())).collect::<Vec<_>>(),
            [("?1", text)]
        );
        Ok(())
    })
    .await;
}

/// An organization without a record has every feature, and each organization has its own record.
pub async fn what_a_business_has_booked_of_us_is_kept(store: &Store) {
    let (ours, theirs) = (world(store, "a").await.organization, world(store, "b").await.organization);
    write(store, move |tx| {
        assert_eq!(entitlement::get(tx, ours)?, Entitlement::default());
        let trial = Entitlement {
            tier: Tier::Basic,
            trial_ends_at: Some(at(60)),
            extra: [Feature::FreeQuestions].into_iter().collect(),
        };
        entitlement::set(tx, ours, &trial, now())?;
        assert_eq!(entitlement::get(tx, ours)?, trial);
        assert_eq!(entitlement::get(tx, theirs)?, Entitlement::default());
        let paid = Entitlement { trial_ends_at: None, ..trial };
        entitlement::set(tx, ours, &paid, now())?;
        assert_eq!(entitlement::get(tx, ours)?, paid);
        Ok(())
    })
    .await;
}

/// Messages of the agent and the system do not change the instant, and neither does a cancelled appointment.
pub async fn a_35_a_contact_was_last_known_when_they_or_staff_wrote_or_came(store: &Store) {
    let (world, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let (organization, id) = (world.organization, first(world));
        let known = |tx: &mut Tx<'_>| contact::last_known_at(tx, organization, id);
        assert_eq!(known(tx)?, Some(now()), "they were added");
        let talk = conversation::find_or_begin(tx, organization, id, "whatsapp", at(1))?.id;
        let say = |tx: &mut Tx<'_>, author, seconds| {
            let new = NewMessage { conversation: talk, turn: None, author, text: "oi", subject: None };
            message::insert(tx, organization, &new, at(seconds)).map(drop)
        };
        say(tx, Author::System, 10)?;
        say(tx, Author::Agent, 11)?;
        assert_eq!(known(tx)?, Some(now()));
        let route = Route { account: "7001".to_owned(), recipient: "{}".to_owned(), customer_wrote_at: Some(at(20)) };
        lease::set_route(tx, organization, talk, &route)?;
        assert_eq!(known(tx)?, Some(at(20)), "they wrote");
        say(tx, Author::Staff, 30)?;
        assert_eq!(known(tx)?, Some(at(30)), "staff wrote to them");
        let booked = appointment::insert(tx, organization, &super::store::at(world, 0, 1), now())?.unwrap();
        assert_eq!(known(tx)?, Some(at(3_600)), "they are booked");
        appointment::cancel(tx, organization, booked, &MarkAuthor::Customer, now())?;
        assert_eq!(known(tx)?, Some(at(30)));
        assert_eq!(contact::last_known_at(tx, theirs.organization, id)?, None, "of another business");
        Ok(())
    })
    .await;
}
