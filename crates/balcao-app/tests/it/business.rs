//! A business that is there is changed as it was shown, or not at all.

use balcao_app::admin::business::{Action, Business, BusinessPlan, BusinessRefusal, Edit, FieldEdit, Hit, Section};
use balcao_app::admin::seed::BusinessFile;
use balcao_app::scheduling::catalog::Catalog;
use balcao_store::ops::audit::{self, AuditEntry};
use balcao_store::{Store, StoreError};
use serde_json::{Value, json};

use crate::world::{World, edited, figueira, on, root};

fn file(text: &str) -> BusinessFile {
    BusinessFile::read("shop.yaml", text).unwrap_or_else(|problems| panic!("{problems:?}"))
}

fn sample() -> String {
    std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap()
}

struct Shop {
    world: World,
    business: Business,
}

impl Shop {
    async fn open() -> Self {
        Self::over(figueira().await)
    }

    fn over(world: World) -> Self {
        let business = Business::new(world.app.clone());
        Self { world, business }
    }

    async fn document(&self) -> Value {
        self.business.export(self.world.organization).await.unwrap()
    }

    async fn plan(&self, text: &str) -> BusinessPlan {
        self.business.plan(self.world.organization, file(text)).await.unwrap().unwrap()
    }

    async fn apply(&self, file: BusinessFile, hash: &str) -> Result<BusinessPlan, BusinessRefusal> {
        self.business.apply(self.world.organization, file, hash.to_owned(), "Renata".to_owned()).await.unwrap()
    }

    async fn planned(&self, edit: Edit) -> Result<(BusinessFile, BusinessPlan), BusinessRefusal> {
        self.business.plan_edit(self.world.organization, edit).await.unwrap()
    }

    async fn make(&self, edit: Edit) -> Result<BusinessPlan, BusinessRefusal> {
        let (file, plan) = self.planned(edit).await?;
        self.apply(file, &plan.hash).await
    }

    async fn audited(&self, subject: &str) -> Vec<AuditEntry> {
        let (organization, subject) = (self.world.organization, subject.to_owned());
        let read = self.world.app.store.read(move |tx| audit::of_subject(tx, organization, &subject)).await;
        read.map_err(|error: StoreError| error).unwrap()
    }
}

fn set(section: Section, name: &str, field: &str, value: Value) -> Edit {
    Edit::Change { section, name: name.to_owned(), fields: vec![(field.to_owned(), FieldEdit::Set(value))] }
}

fn add(section: Section, fields: Value) -> Edit {
    Edit::Add { section, fields: fields.as_object().unwrap().clone() }
}

fn remove(section: Section, name: &str) -> Edit {
    Edit::Remove { section, name: name.to_owned() }
}

#[tokio::test]
async fn what_is_exported_and_what_was_loaded_change_nothing_when_they_are_applied() {
    for name in ["barbearia-figueira.yaml", "clinica-vereda.yaml"] {
        let store = balcao_store::Store::open_in_memory().unwrap();
        let shop = Shop::over(on(store, name, "2026-11-23T09:00").await);
        let loaded = std::fs::read_to_string(root().join("samples").join(name)).unwrap();
        assert_eq!(shop.plan(&loaded).await.changes, [], "{name}");
        let exported = balcao_yaml::write(&shop.document().await).unwrap();
        assert_eq!(shop.plan(&exported).await.changes, [], "{name}");
    }
}

#[tokio::test]
async fn each_kind_of_single_edit_is_made_audited_and_found_in_the_file() {
    use Section::{Knowledge, Media, Organization, Pipelines, Plans, Professionals, Services, Staff, Tags, Templates};
    let shop = Shop::open().await;
    let whole = |section: &str| format!("/{section}");
    let table = [
        // The edit, where the file has it, what it says there, whose row of the audit log, what was done.
        (
            set(Organization, "", "hours.sun", json!(["09:00-12:00"])),
            "/organization/hours/sun".to_owned(),
            json!(["09:00-12:00"]),
            "organization",
            "organization.update",
        ),
        (
            set(Organization, "", "scheduling.pending_minutes", json!(40)),
            "/organization/scheduling/pending_minutes".to_owned(),
            json!(40),
            "organization",
            "organization.update",
        ),
        (
            set(Organization, "", "national_holidays", json!(false)),
            "/organization/national_holidays".to_owned(),
            Value::Null,
            "organization",
            "organization.update",
        ),
        (
            set(Services, "Sobrancelha", "price", json!("39.90")),
            "/services/5/price".to_owned(),
            json!("39.90"),
            "Sobrancelha",
            "services.update",
        ),
        (
            set(Services, "Sobrancelha", "aliases", json!(["design"])),
            "/services/5/aliases".to_owned(),
            json!(["design"]),
            "Sobrancelha",
            "services.update",
        ),
        (
            set(Professionals, "Otávio Prado", "restrictions", json!("só de manhã")),
            "/professionals/0/restrictions".to_owned(),
            json!("só de manhã"),
            "Otávio Prado",
            "professionals.update",
        ),
        (set(Plans, "Copa", "price", json!("199.00")), whole("plans"), Value::Null, "Copa", "plans.update"),
        (
            set(Staff, "davi@figueira.example", "on_duty", json!(false)),
            "/staff/1/on_duty".to_owned(),
            json!(false),
            "davi@figueira.example",
            "staff.update",
        ),
        (
            add(Staff, json!({"name": "Bia", "email": "bia@figueira.example", "role": "viewer"})),
            "/staff/3/name".to_owned(),
            json!("Bia"),
            "bia@figueira.example",
            "staff.add",
        ),
        (
            remove(Staff, "bia@figueira.example"),
            "/staff/3/active".to_owned(),
            json!(false),
            "bia@figueira.example",
            "staff.archive",
        ),
        (
            add(Services, json!({"name": "Luzes", "price": "180.00", "duration_minutes": 90})),
            "/services/7/duration_minutes".to_owned(),
            json!(90),
            "Luzes",
            "services.add",
        ),
        (remove(Services, "Luzes"), "/services/7/active".to_owned(), json!(false), "Luzes", "services.archive"),
        (
            add(Professionals, json!({"name": "Nina", "hours": {"mon": ["13:00-20:00"]}, "services": ["Sobrancelha"]})),
            "/professionals/3/services".to_owned(),
            json!(["Sobrancelha"]),
            "Nina",
            "professionals.add",
        ),
        (
            remove(Professionals, "Nina"),
            "/professionals/3/active".to_owned(),
            json!(false),
            "Nina",
            "professionals.archive",
        ),
        (
            add(Plans, json!({"name": "Semanal", "price": "25.00", "period": "week", "covers": ["Sobrancelha"]})),
            whole("plans"),
            Value::Null,
            "Semanal",
            "plans.add",
        ),
        (remove(Plans, "Semanal"), whole("plans"), Value::Null, "Semanal", "plans.archive"),
        (
            add(Pipelines, json!({"name": "Cursos", "stages": ["Interessado"]})),
            whole("pipelines"),
            Value::Null,
            "Cursos",
            "pipelines.add",
        ),
        (
            Edit::Change {
                section: Pipelines,
                name: "Cursos".to_owned(),
                fields: vec![("stages".to_owned(), FieldEdit::Add(json!("Matriculado")))],
            },
            whole("pipelines"),
            Value::Null,
            "Cursos",
            "pipelines.update",
        ),
        (add(Tags, json!({"name": "Novo"})), whole("tags"), Value::Null, "Novo", "tags.add"),
        (
            add(Knowledge, json!({"title": "Pets", "content": "Pode trazer."})),
            whole("knowledge"),
            Value::Null,
            "Pets",
            "knowledge.add",
        ),
        (
            set(Knowledge, "Pets", "content", json!("Na coleira.")),
            whole("knowledge"),
            Value::Null,
            "Pets",
            "knowledge.update",
        ),
        (remove(Knowledge, "Pets"), whole("knowledge"), Value::Null, "Pets", "knowledge.remove"),
        (
            add(Templates, json!({"name": "aviso", "category": "utility", "body": "Olá {{1}}"})),
            whole("templates"),
            Value::Null,
            "aviso (pt_BR)",
            "templates.add",
        ),
        (
            set(Templates, "aviso", "body", json!("Oi {{1}}")),
            whole("templates"),
            Value::Null,
            "aviso (pt_BR)",
            "templates.update",
        ),
        (remove(Templates, "aviso"), whole("templates"), Value::Null, "aviso (pt_BR)", "templates.remove"),
        (
            add(Media, json!({"key": "lista", "kind": "document", "path": "lista.pdf"})),
            whole("media"),
            Value::Null,
            "lista",
            "media.add",
        ),
        (set(Media, "lista", "path", json!("nova.pdf")), whole("media"), Value::Null, "lista", "media.update"),
        (remove(Media, "lista"), whole("media"), Value::Null, "lista", "media.remove"),
    ];
    for (edit, place, said, subject, action) in table {
        let before = shop.document().await;
        let plan = shop.make(edit.clone()).await.unwrap_or_else(|refusal| panic!("{edit:?}: {refusal}"));
        let after = shop.document().await;
        assert_ne!(before, after, "{edit:?}");
        if !said.is_null() {
            assert_eq!(after.pointer(&place), Some(&said), "{edit:?}");
        }
        let [change] = plan.changes.as_slice() else { panic!("{edit:?}: {plan:?}") };
        let audited = shop.audited(subject).await.pop().unwrap_or_else(|| panic!("no row of {subject}"));
        assert_eq!((audited.actor.as_str(), audited.action.as_str()), ("Renata", action), "{edit:?}");
        for field in &change.fields {
            let told = |text: &Option<String>| -> Value {
                let all: Value = serde_json::from_str(text.as_deref().unwrap()).unwrap();
                all.get(&field.field).cloned().unwrap_or(Value::Null)
            };
            assert_eq!(
                (told(&audited.before), told(&audited.after)),
                (field.before.clone(), field.after.clone()),
                "{edit:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_catalog_has_a_new_price_at_once() {
    let shop = Shop::open().await;
    shop.make(set(Section::Services, "Coloração", "price", json!("222.00"))).await.unwrap();
    let offer = Catalog::new(shop.world.app.clone()).offer(shop.world.organization).await.unwrap();
    let found = offer.services.into_iter().find(|one| one.name == "Coloração").unwrap();
    assert_eq!(found.price.cents, 22_200);
}

/// A booking that a change hits, as a line.
fn booking(hit: &Hit) -> String {
    match hit {
        Hit::Booking(hit) => format!("{} {}", hit.starts, hit.service),
        Hit::Subscription(hit) => hit.subscription.clone(),
        Hit::Conversation(hit) => hit.conversation.clone(),
    }
}

#[tokio::test]
async fn a_plan_lists_the_bookings_that_it_hits_and_says_what_cannot_be() {
    let shop = Shop::open().await;
    let hits = async |edit: Edit| {
        let (_, plan) = shop.planned(edit).await.unwrap();
        let [change] = plan.changes.as_slice() else { panic!("{plan:?}") };
        let starts: Vec<String> = change.hits.iter().map(booking).collect();
        (starts, change.impossible.clone())
    };
    let item = |field: &str, value: Value| vec![(field.to_owned(), FieldEdit::Add(value))];
    let edit = |section, name: &str, fields| Edit::Change { section, name: name.to_owned(), fields };
    let closed = item("exceptions", json!({"date": "2026-12-03", "periods": []}));
    let boy = "2026-12-03 09:30 Corte de menino";
    let color = "2026-12-04 14:00 Coloração";
    assert_eq!(hits(edit(Section::Organization, "", closed.clone())).await, (vec![boy.to_owned()], None));
    assert_eq!(hits(edit(Section::Professionals, "Íris Valente", closed)).await, (vec![boy.to_owned()], None));
    let away = item("time_off", json!({"from": "2026-12-03T12:00", "to": "2026-12-05T00:00"}));
    assert_eq!(hits(edit(Section::Professionals, "Íris Valente", away)).await, (vec![color.to_owned()], None));
    let shorter = set(Section::Professionals, "Íris Valente", "hours.fri", json!(["09:00-14:00"]));
    assert_eq!(hits(shorter).await, (vec![color.to_owned()], None));
    let no_color = vec![("services".to_owned(), FieldEdit::Take(json!("Coloração")))];
    assert_eq!(
        hits(edit(Section::Professionals, "Íris Valente", no_color.clone())).await,
        (vec![color.to_owned()], None)
    );
    let twice = [
        no_color,
        item("time_off", json!({"from": "2026-12-03T00:00", "to": "2026-12-05T00:00"})),
        vec![("hours.fri".to_owned(), FieldEdit::Set(json!(["09:00-14:00"])))],
    ];
    let both = vec![boy.to_owned(), color.to_owned()];
    assert_eq!(hits(edit(Section::Professionals, "Íris Valente", twice.concat())).await, (both, None));
    assert_eq!(hits(set(Section::Services, "Coloração", "price", json!("1.00"))).await.0, [color]);
    assert_eq!(hits(remove(Section::Services, "Coloração")).await, (vec![color.to_owned()], None));
    assert_eq!(hits(set(Section::Services, "Coloração", "description", json!("x"))).await.0, [""; 0]);
    for (edit, reason) in [
        (
            remove(Section::Professionals, "Íris Valente"),
            "has 2 bookings from 2026-12-03 09:30 on; move or cancel them first",
        ),
        (set(Section::Professionals, "Íris Valente", "active", json!(false)), "has 2 bookings"),
        (
            set(Section::Organization, "", "timezone", json!("America/Manaus")),
            "cannot change while 2 bookings are to come",
        ),
        (remove(Section::Tags, "Mensalista"), "cannot be removed"),
        (set(Section::Pipelines, "Relacionamento", "stages", json!(["Outro"])), "can only be added behind the others"),
    ] {
        let (_, told) = hits(edit.clone()).await;
        assert!(told.as_deref().is_some_and(|told| told.contains(reason)), "{edit:?}: {told:?}");
        let before = shop.document().await;
        assert!(matches!(shop.make(edit).await, Err(BusinessRefusal::Impossible { .. })));
        assert_eq!(shop.document().await, before);
    }
    assert!(hits(remove(Section::Professionals, "Otávio Prado")).await.1.is_none());
}

/// Two at once, and then one: the later of the two has no place.
#[tokio::test]
async fn a_professional_who_serves_fewer_at_once_sees_the_bookings_beyond() {
    let two_at_once = |text: String| {
        let colour = "starts: \"2026-12-03T09:45\"";
        text.replace("profession: Cabeleireira", "profession: Cabeleireira\n    capacity: 2")
            .replace("starts: \"2026-12-04T14:00\"", colour)
    };
    let world =
        edited(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-24T10:00", two_at_once).await;
    let shop = Shop::over(world);
    let hits = async |capacity: u32| {
        let edit = set(Section::Professionals, "Íris Valente", "capacity", json!(capacity));
        let (_, plan) = shop.planned(edit).await.unwrap();
        plan.changes[0].hits.iter().map(booking).collect::<Vec<_>>()
    };
    assert_eq!(hits(1).await, ["2026-12-03 09:45 Coloração"]);
    assert_eq!(hits(3).await, [""; 0]);
}

#[tokio::test]
async fn a_business_that_begins_to_close_on_holidays_sees_the_bookings_on_them() {
    let on_christmas = |text: String| {
        text.replace("national_holidays: true", "national_holidays: false")
            .replace("2026-12-04T14:00", "2026-12-25T14:00")
    };
    let world =
        edited(Store::open_in_memory().unwrap(), "barbearia-figueira.yaml", "2026-11-24T10:00", on_christmas).await;
    let shop = Shop::over(world);
    let (_, plan) = shop.planned(set(Section::Organization, "", "national_holidays", json!(true))).await.unwrap();
    let hits: Vec<String> = plan.changes[0].hits.iter().map(booking).collect();
    assert_eq!(hits, ["2026-12-25 14:00 Coloração"]);
}

#[tokio::test]
async fn a_file_is_made_as_one_plan_and_a_second_time_changes_nothing() {
    let shop = Shop::open().await;
    let text = sample()
        .replace("price: \"70.00\", duration_minutes: 45", "price: \"75.00\", duration_minutes: 45")
        .replace("  name: Barbearia Figueira", "  name: Figueira Barbearia");
    let plan = shop.plan(&text).await;
    let told: Vec<_> = plan.changes.iter().map(|one| (one.section, one.name.as_str(), one.action)).collect();
    assert_eq!(
        told,
        [
            (Section::Services, "Corte na tesoura", Action::Changed),
            (Section::Organization, "organization", Action::Changed)
        ]
    );
    assert_eq!(shop.apply(file(&text), &plan.hash).await.unwrap(), plan);
    assert_eq!(shop.apply(file(&text), &plan.hash).await.unwrap().changes, []);
    let nothing = shop.plan(&text).await;
    assert_eq!(nothing.changes, []);
    assert_eq!(shop.apply(file(&text), &nothing.hash).await.unwrap(), nothing);
    // A hash that names no plan of this business is refused, though nothing is left to do.
    let refusal = shop.apply(file(&text), "0000000000000000000000000000000000000000").await.unwrap_err();
    assert!(matches!(&refusal, BusinessRefusal::Moved { now } if **now == nothing), "{refusal}");
    let other = shop.business.plan(shop.world.organization, file(&text.replace("slug: figueira", "slug: outra")));
    let refusal = other.await.unwrap().unwrap_err();
    assert_eq!(refusal.to_string(), "invalid file: it describes `outra`; expected the business `figueira`");
}

#[tokio::test]
async fn an_edit_that_leaves_an_invalid_business_is_refused_as_the_file_would_be() {
    let shop = Shop::open().await;
    let before = shop.document().await;
    for (edit, words) in [
        (set(Section::Services, "Coloração", "price", json!("-5.00")), "invalid price `-5.00`; write zero or more"),
        (set(Section::Services, "Coloração", "duration_minutes", json!(7)), "write"),
        (set(Section::Organization, "", "hours.mon", json!(["09:00-12:00", "11:00-13:00"])), "overlap"),
        (set(Section::Services, "Coloração", "colour", json!("red")), "unknown"),
        (set(Section::Plans, "Copa", "covers", json!(["Massagem"])), "Massagem"),
        (set(Section::Services, "Coloração", "name", json!("Cor")), "keep their names; add another"),
        (set(Section::Services, "Tatuagem", "price", json!("1.00")), "unknown entry `Tatuagem`"),
        (
            add(Section::Services, json!({"name": "coloracao", "price": "1.00", "duration_minutes": 5})),
            "one name to a customer",
        ),
    ] {
        let refusal = shop.make(edit.clone()).await.unwrap_err();
        assert!(matches!(refusal, BusinessRefusal::Invalid { .. } | BusinessRefusal::Edit(_)), "{refusal:?}");
        assert!(refusal.to_string().contains(words), "{edit:?}: {refusal}");
    }
    assert_eq!(shop.document().await, before);
}

#[tokio::test]
async fn what_is_archived_keeps_its_code_and_leaves_it_and_its_names_to_others() {
    let shop = Shop::open().await;
    // Another name is another professional: the one goes, the other comes, with the same code.
    let renamed = sample().replace("Wesley Moura", "Weslei Moura");
    let plan = shop.plan(&renamed).await;
    shop.apply(file(&renamed), &plan.hash).await.unwrap();
    let document = shop.document().await;
    let of = |name: &str| {
        let all = document["professionals"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).cloned().unwrap()
    };
    let (gone, come) = (of("Wesley Moura"), of("Weslei Moura"));
    assert_eq!((&gone["active"], &gone["code"], &come["code"]), (&json!(false), &json!("wesley"), &json!("wesley")));
    // Who comes back has the code that they had, once it is free again.
    let back = set(Section::Professionals, "Wesley Moura", "active", json!(true));
    let taken = shop.planned(back.clone()).await;
    assert!(
        matches!(&taken, Err(refusal) if refusal.to_string().contains("two professionals have the code `wesley`")),
        "{taken:?}"
    );
    shop.make(set(Section::Professionals, "Weslei Moura", "active", json!(false))).await.unwrap();
    shop.make(back).await.unwrap();
    let document = shop.document().await;
    let all = document["professionals"].as_array().unwrap();
    let wesley = all.iter().find(|one| one["name"] == "Wesley Moura").unwrap();
    assert_eq!((&wesley["active"], &wesley["code"]), (&Value::Null, &json!("wesley")));

    let luzes = |name: &str| json!({"name": name, "price": "180.00", "duration_minutes": 90, "aliases": ["mechas"]});
    shop.make(add(Section::Services, luzes("Luzes"))).await.unwrap();
    let taken = shop.planned(add(Section::Services, luzes("Luzes novas"))).await;
    assert!(
        matches!(&taken, Err(refusal) if refusal.to_string().contains("`mechas` already means Luzes")),
        "{taken:?}"
    );
    shop.make(remove(Section::Services, "Luzes")).await.unwrap();
    shop.make(add(Section::Services, luzes("Luzes novas"))).await.unwrap();
    shop.make(set(Section::Services, "Luzes novas", "price", json!("190.00"))).await.unwrap();
    let back = shop.planned(set(Section::Services, "Luzes", "active", json!(true))).await;
    assert!(matches!(back, Err(BusinessRefusal::Invalid { .. })), "{back:?}");
}

#[tokio::test]
async fn what_the_database_cannot_take_in_this_order_is_refused_with_a_way_out() {
    let shop = Shop::open().await;
    let second = json!({"name": "Segundo", "code": "segundo", "hours": {"mon": ["13:00-20:00"]}});
    shop.make(add(Section::Professionals, second)).await.unwrap();
    let before = shop.document().await;
    let mut swapped = before.clone();
    for one in swapped["professionals"].as_array_mut().unwrap() {
        match one["code"].as_str() {
            Some("wesley") => one["code"] = json!("segundo"),
            Some(_) => one["code"] = json!("wesley"),
            None => {}
        }
    }
    let swapped = swapped.to_string();
    let plan = shop.plan(&swapped).await;
    assert_eq!(plan.changes.len(), 2);
    let refused = shop.apply(file(&swapped), &plan.hash).await;
    assert!(
        matches!(&refused, Err(refusal) if refusal.to_string().contains("change one of them first")),
        "{refused:?}"
    );
    assert_eq!(shop.document().await, before);
}

#[tokio::test]
async fn what_could_not_be_stored_as_it_was_written_is_refused() {
    let shop = Shop::open().await;
    for (field, value) in [
        ("price", json!("1.500")),
        ("price", json!(1.234)),
        ("price", json!(45.001)),
        ("price", json!(45.5)),
        ("description", json!("a\0b")),
    ] {
        let refused = shop.planned(set(Section::Services, "Coloração", field, value.clone())).await;
        assert!(matches!(refused, Err(BusinessRefusal::Invalid { .. })), "{value}: {refused:?}");
    }
    shop.make(set(Section::Services, "Coloração", "price", json!(45))).await.unwrap();
    let away = |from: &str, to: &str| json!({"from": from, "to": to});
    let (once, late) = (away("2027-03-01T00:00", "2027-03-02T00:00"), away("2027-03-01T00:00", "9999-12-31T23:59"));
    for refused in [json!([once, once]), json!([late])] {
        let refused = shop.planned(set(Section::Professionals, "Wesley Moura", "time_off", refused)).await;
        assert!(matches!(refused, Err(BusinessRefusal::Invalid { .. })), "{refused:?}");
    }
    shop.make(set(Section::Professionals, "Wesley Moura", "time_off", json!([once]))).await.unwrap();
}

#[tokio::test]
async fn what_would_leave_the_business_without_its_people_or_its_folder_is_refused() {
    let shop = Shop::open().await;
    let owner = shop.world.staff().await.into_iter().find(|one| one.role == balcao_domain::staff::Role::Owner).unwrap();
    for edit in [remove(Section::Staff, &owner.email), set(Section::Staff, &owner.email, "role", json!("manager"))] {
        let refused = shop.make(edit).await.unwrap_err();
        assert!(refused.to_string().contains("is the last owner; give another person"), "{refused}");
    }
    let twin = json!({"name": "Outra", "email": owner.email.to_uppercase(), "role": "viewer"});
    let paths = ["/etc/passwd", "../x.pdf", "fotos/../../x.pdf", "C:\\x.pdf", "\\\\server\\x", "a//b"];
    let media = |path: &str| add(Section::Media, json!({"key": "lista", "kind": "document", "path": path}));
    let mut refused = vec![add(Section::Staff, twin)];
    refused.extend(paths.map(media));
    refused.push(add(Section::Knowledge, json!({"title": "Casa › Pets", "content": "x"})));
    refused
        .push(add(Section::Templates, json!({"name": "a", "category": "utility", "language": "b (c)", "body": "x"})));
    for edit in refused {
        let told = shop.planned(edit.clone()).await.unwrap_err();
        assert!(told.to_string().starts_with(&edit.place()), "{told}");
    }
    shop.make(media("fotos/lista.pdf")).await.unwrap();
}
