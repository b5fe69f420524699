//! What every database must do for changes of a business that is there. Each function is one case, as in [`super::store`].
#![expect(clippy::unwrap_used, reason = "a case fails by panicking")]

use std::collections::BTreeMap;

use balcao_domain::conversation::ConversationState;
use balcao_domain::hours::{DayException, Hours, WeeklyHours};
use balcao_domain::professional::{Notify, Professional};
use balcao_domain::service::{OfferedService, Service};
use balcao_domain::staff::Role;
use balcao_domain::subscription::{Plan, PlanPeriod};
use balcao_domain::time_off::TimeOff;
use balcao_domain::{Currency, Money, OrganizationId, PlanId, ProfessionalId, ServiceId, Span, StaffId, TimeOffId};
use balcao_store::crm::organization::Organization;
use balcao_store::crm::staff::{self, Staff};
use balcao_store::messaging::conversation::{self, Conversation};
use balcao_store::messaging::handoff::{self, NewHandoff};
use balcao_store::messaging::template::{self, Media, Template};
use balcao_store::queries::pages::{self, HandoffRow};
use balcao_store::scheduling::catalog::{self, Around};
use balcao_store::{Store, StoreError, crm::organization, crm::pipeline, scheduling::hours};
use jiff::Timestamp;
use jiff::civil::{Date, Weekday, date};

use super::Case;
use super::delivery::write;
use super::store::{now, world};
use super::talk::begin;

cases!(
    an_organization_is_changed_and_no_other,
    a_service_is_replaced_with_its_aliases,
    a_professional_is_replaced_with_all_that_belongs_to_it,
    a_plan_is_replaced_with_what_it_covers,
    exceptions_and_holidays_are_taken_back,
    a_person_of_staff_is_changed_archived_and_brought_back,
    a_stage_is_added_behind_the_others,
    templates_and_media_are_put_and_removed,
);

/// The slug stays, and an organization that is not there is an error.
pub async fn an_organization_is_changed_and_no_other(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        organization::lock(tx, ours.organization)?;
        let (before, other) = (organization::get(tx, ours.organization)?, organization::get(tx, theirs.organization)?);
        let mut weekly_hours = WeeklyHours::default();
        weekly_hours.set(Weekday::Monday, vec!["09:00-18:00".parse().unwrap()]).unwrap();
        let changed = Organization {
            name: "Figueira Nova".to_owned(),
            slug: "other".to_owned(),
            phone: Some("+55 31 3222-0000".to_owned()),
            address: None,
            weekly_hours,
            locale: "en".to_owned(),
            ..before.clone()
        };
        organization::update(tx, &changed)?;
        assert_eq!(organization::get(tx, ours.organization)?, Organization { slug: before.slug, ..changed.clone() });
        assert_eq!(organization::get(tx, theirs.organization)?, other);
        let nobody = OrganizationId::try_from(999).unwrap();
        let missing = organization::update(tx, &Organization { id: nobody, ..changed }).unwrap_err();
        assert!(matches!(missing, StoreError::NoRow { .. }), "{missing}");
        assert!(matches!(organization::lock(tx, nobody), Err(StoreError::NoRow { .. })));
        Ok(())
    })
    .await;
}

fn service(id: ServiceId, aliases: &[&str], cents: i64) -> Service {
    Service {
        id,
        name: "Corte".to_owned(),
        aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
        description: Some("com máquina".to_owned()),
        price: Money::new(cents, Currency::BRL),
        duration_min: 30,
        buffer_before_min: 5,
        buffer_after_min: 10,
        notice_min: Some(60),
        advance_days: Some(30),
        cancellation_notice_min: Some(120),
        active: true,
    }
}

/// Another organization's service is not reached by its id.
pub async fn a_service_is_replaced_with_its_aliases(store: &Store) {
    let (ours, theirs) = (world(store, "a").await, world(store, "b").await);
    write(store, move |tx| {
        let placeholder = ServiceId::try_from(1).unwrap();
        let id = catalog::insert_service(tx, ours.organization, &service(placeholder, &["a", "b"], 4_500))?;
        let changed = Service { active: false, duration_min: 45, ..service(id, &["b", "c"], 5_500) };
        catalog::update_service(tx, ours.organization, &changed)?;
        assert_eq!(catalog::list_services(tx, ours.organization, Currency::BRL)?, std::slice::from_ref(&changed));
        let strange = catalog::update_service(tx, theirs.organization, &changed).unwrap_err();
        assert!(matches!(strange, StoreError::NoRow { .. }), "{strange}");
        Ok(())
    })
    .await;
}

/// Aliases, services, exceptions and time off are those of the new form alone.
pub async fn a_professional_is_replaced_with_all_that_belongs_to_it(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let cut = catalog::insert_service(tx, organization, &service(ServiceId::try_from(1).unwrap(), &[], 4_500))?;
        let exception = |note: &str| DayException { periods: Vec::new(), note: Some(note.to_owned()) };
        let away = |minute: u32| TimeOff {
            id: TimeOffId::try_from(1).unwrap(),
            professional: ProfessionalId::try_from(1).unwrap(),
            span: Span::of_minutes(now(), minute),
            note: None,
        };
        let form = |id: ProfessionalId, alias: &str, minute: u32| Professional {
            id,
            name: "Rui".to_owned(),
            aliases: vec![alias.to_owned()],
            profession: Some("barbeiro".to_owned()),
            hours: Hours {
                weekly: WeeklyHours::default(),
                exceptions: BTreeMap::from([(date(2026, 12, i8::try_from(minute).unwrap()), exception(alias))]),
                holidays: BTreeMap::new(),
            },
            services: vec![OfferedService { service: cut, duration_min: Some(5 * minute), price_cents: Some(100) }],
            time_off: vec![away(minute)],
            restrictions: None,
            capacity: minute,
            phone: None,
            email: None,
            notify: Notify::default(),
            code: Some(alias.to_owned()),
            active: true,
        };
        let id = catalog::insert_professional(tx, organization, &form(ProfessionalId::try_from(1).unwrap(), "a", 3))?;
        let changed = form(id, "b", 7);
        catalog::update_professional(tx, organization, &changed)?;
        let always = Around { from: Date::MIN, to: Date::MAX, since: Timestamp::MIN };
        let all = catalog::list_professionals(tx, organization, always)?;
        let found = all.into_iter().find(|one| one.id == id).unwrap();
        let spans: Vec<Span> = found.time_off.iter().map(|off| off.span).collect();
        assert_eq!(spans, [away(7).span]);
        assert_eq!(Professional { time_off: changed.time_off.clone(), ..found }, changed);
        let nobody = Professional { id: ProfessionalId::try_from(999).unwrap(), ..changed };
        let missing = catalog::update_professional(tx, organization, &nobody).unwrap_err();
        assert!(matches!(missing, StoreError::NoRow { .. }), "{missing}");
        Ok(())
    })
    .await;
}

/// A plan that is not there is an error.
pub async fn a_plan_is_replaced_with_what_it_covers(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let placeholder = ServiceId::try_from(1).unwrap();
        let cut = catalog::insert_service(tx, organization, &service(placeholder, &[], 4_500))?;
        let beard = Service { name: "Barba".to_owned(), ..service(placeholder, &[], 3_000) };
        let beard = catalog::insert_service(tx, organization, &beard)?;
        let plan = Plan {
            id: PlanId::try_from(1).unwrap(),
            name: "Mensal".to_owned(),
            price: Money::new(9_900, Currency::BRL),
            period: PlanPeriod::Month,
            covers: vec![cut],
            quota: Some(4),
            benefits: vec!["10%".to_owned()],
            active: true,
        };
        let id = catalog::insert_plan(tx, organization, &plan)?;
        let changed = Plan {
            id,
            price: Money::new(8_900, Currency::BRL),
            period: PlanPeriod::Year,
            covers: vec![beard],
            quota: None,
            benefits: Vec::new(),
            active: false,
            ..plan
        };
        catalog::update_plan(tx, organization, &changed)?;
        assert_eq!(catalog::list_plans(tx, organization, Currency::BRL)?, std::slice::from_ref(&changed));
        let nobody = Plan { id: PlanId::try_from(999).unwrap(), ..changed };
        assert!(matches!(catalog::update_plan(tx, organization, &nobody), Err(StoreError::NoRow { .. })));
        Ok(())
    })
    .await;
}

/// A professional's exception of the date stays.
pub async fn exceptions_and_holidays_are_taken_back(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let (organization, day) = (world.organization, date(2026, 12, 24));
        let closed = DayException { periods: Vec::new(), note: None };
        hours::set_exception(tx, organization, None, day, &closed)?;
        hours::set_exception(tx, organization, Some(world.professional), day, &closed)?;
        assert!(hours::remove_exception(tx, organization, day)?);
        assert!(!hours::remove_exception(tx, organization, day)?);
        for (date, name) in
            [(date(2026, 11, 2), "Finados"), (date(2026, 12, 25), "Natal"), (date(2027, 1, 1), "Ano-novo")]
        {
            hours::set_holiday(tx, organization, date, name)?;
        }
        assert_eq!(hours::remove_holidays(tx, organization, date(2026, 12, 25))?, 2);
        let business = organization::get(tx, organization)?;
        let found = hours::of_business(tx, &business, Date::MIN, date(2026, 12, 31))?;
        assert!(found.exceptions.is_empty());
        assert_eq!(found.holidays.into_keys().collect::<Vec<_>>(), [date(2026, 11, 2)]);
        let always = Around { from: Date::MIN, to: Date::MAX, since: Timestamp::MIN };
        let all = catalog::list_professionals(tx, organization, always)?;
        assert_eq!(all.first().unwrap().hours.exceptions.len(), 1);
        Ok(())
    })
    .await;
}

/// The e-mail address stays; removing twice removes once.
pub async fn a_person_of_staff_is_changed_archived_and_brought_back(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let ana = Staff {
            id: StaffId::try_from(1).unwrap(),
            name: "Ana".to_owned(),
            email: "ana@figueira.example".to_owned(),
            role: Role::Attendant,
            phone: None,
            on_duty: true,
            professional: None,
            active: true,
        };
        let before = staff::list(tx, organization)?;
        let id = staff::insert(tx, organization, &ana)?;
        let changed = Staff {
            id,
            name: "Ana Maria".to_owned(),
            role: Role::Manager,
            phone: Some("+5531988112040".to_owned()),
            on_duty: false,
            professional: Some(world.professional),
            ..ana
        };
        staff::update(tx, organization, &changed)?;
        assert_eq!(staff::list(tx, organization)?.pop(), Some(changed.clone()));
        let nobody = Staff { id: StaffId::try_from(999).unwrap(), ..changed.clone() };
        assert!(matches!(staff::update(tx, organization, &nobody), Err(StoreError::NoRow { .. })));
        let old = begin(tx, world, 1, "a")?.id;
        let begun = begin(tx, world, 0, "a")?;
        let (conversation, contact, state) = (begun.id, begun.contact, ConversationState::Human);
        conversation::update(tx, organization, &Conversation { state, assigned_staff: Some(id), ..begun })?;
        for conversation in [old, conversation] {
            let (turn, summary, note) = (None, None, None);
            let new = NewHandoff { conversation, turn, reason: "asked", summary, note, assigned_staff: Some(id) };
            handoff::insert(tx, organization, &new, now())?;
        }
        handoff::resolve(tx, organization, old, now())?;
        staff::set_contact(tx, organization, id, contact)?;
        staff::update(tx, organization, &Staff { on_duty: true, ..changed.clone() })?;
        assert_eq!(conversation::least_loaded(tx, organization)?, Some((id, changed.name.clone())));
        assert_eq!(staff::assigned_conversations(tx, organization, id)?, [(conversation, contact)]);
        let archived = Staff { active: false, on_duty: true, ..changed.clone() };
        staff::update(tx, organization, &archived)?;
        let left = conversation::get(tx, organization, conversation)?;
        assert_eq!((left.state, left.assigned_staff), (state, None));
        // A handoff that is over keeps whose it was.
        let assigned = |all: &[HandoffRow]| all.iter().map(|one| one.assigned_staff).collect::<Vec<_>>();
        assert_eq!(assigned(&pages::handoffs(tx, organization, false, None, 9)?), [None, Some(id)]);
        assert_eq!(staff::list(tx, organization)?, before);
        assert_eq!(staff::list_with_archived(tx, organization)?.pop(), Some(archived.clone()));
        assert_eq!(staff::of_contact(tx, organization, contact)?, None);
        assert_eq!(conversation::least_loaded(tx, organization)?, None);
        let back = Staff { active: true, ..archived };
        staff::update(tx, organization, &back)?;
        assert_eq!(staff::list(tx, organization)?.pop(), Some(back.clone()));
        assert_eq!(staff::of_contact(tx, organization, contact)?, Some(back));
        Ok(())
    })
    .await;
}

/// Of one pipeline; the other has positions of its own.
pub async fn a_stage_is_added_behind_the_others(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let sales = pipeline::insert(tx, organization, "Vendas", &["Novo".to_owned(), "Fechado".to_owned()])?;
        let care = pipeline::insert(tx, organization, "Cuidado", &[])?;
        pipeline::add_stage(tx, organization, sales.id, "Perdido")?;
        pipeline::add_stage(tx, organization, care.id, "Primeiro")?;
        let all = pipeline::list(tx, organization)?;
        let stages = |place: usize| -> Vec<(String, u32)> {
            all.get(place).unwrap().stages.iter().map(|stage| (stage.name.clone(), stage.position)).collect()
        };
        let named = |all: &[(&str, u32)]| all.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect::<Vec<_>>();
        assert_eq!(stages(0), named(&[("Novo", 1), ("Fechado", 2), ("Perdido", 3)]));
        assert_eq!(stages(1), named(&[("Primeiro", 1)]));
        Ok(())
    })
    .await;
}

/// Putting the same name again replaces what it held.
pub async fn templates_and_media_are_put_and_removed(store: &Store) {
    let world = world(store, "a").await;
    write(store, move |tx| {
        let organization = world.organization;
        let text = |language: &str, body: &str| Template {
            name: "reminder".to_owned(),
            category: "utility".to_owned(),
            language: language.to_owned(),
            body: body.to_owned(),
            approved: body == "new",
        };
        for template in [text("en", "old"), text("pt_BR", "old"), text("pt_BR", "new")] {
            template::put_template(tx, organization, &template)?;
        }
        assert_eq!(template::list_templates(tx, organization)?, [text("en", "old"), text("pt_BR", "new")]);
        assert!(template::remove_template(tx, organization, "reminder", "en")?);
        assert!(!template::remove_template(tx, organization, "reminder", "en")?);
        assert_eq!(template::list_templates(tx, organization)?, [text("pt_BR", "new")]);
        let file = |path: &str| Media {
            key: "menu".to_owned(),
            kind: "document".to_owned(),
            name: None,
            path: Some(path.to_owned()),
            latitude: None,
            longitude: None,
        };
        for media in [file("a.pdf"), file("b.pdf")] {
            template::put_media(tx, organization, &media)?;
        }
        assert_eq!(template::list_media(tx, organization)?, [file("b.pdf")]);
        assert!(template::remove_media(tx, organization, "menu")?);
        assert!(!template::remove_media(tx, organization, "menu")?);
        Ok(())
    })
    .await;
}
