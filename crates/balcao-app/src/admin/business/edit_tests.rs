use serde_json::json;

use super::*;

fn shop() -> Value {
    json!({
        "organization": {"name": "Figueira", "hours": {"mon": ["09:00-18:00"]}, "exceptions": [
            {"date": "2026-12-24", "periods": []}, {"date": "2026-12-31", "periods": [], "note": "fechado"}
        ]},
        "services": [{"name": "Corte", "price": "45.00"}, {"name": "Barba", "price": "30.00"}],
        "tags": ["vip"],
    })
}

fn changed(section: Section, name: &str, field: &str, edit: FieldEdit) -> Result<Value, EditError> {
    let mut document = shop();
    let fields = vec![(field.to_owned(), edit)];
    apply(&mut document, &Edit::Change { section, name: name.to_owned(), fields }).map(|()| document)
}

#[test]
fn a_field_is_set_taken_away_and_reached_through_a_mapping() {
    use Section::{Organization, Services};
    let set = |field: &str, value| FieldEditOf(Organization, field, FieldEdit::Set(value)).run();
    assert_eq!(set("hours.tue", json!(["10:00-12:00"]))["organization"]["hours"]["tue"], json!(["10:00-12:00"]));
    assert_eq!(
        set("scheduling.pending_minutes", json!(5))["organization"]["scheduling"],
        json!({"pending_minutes": 5})
    );
    let gone = changed(Services, "Corte", "price", FieldEdit::Set(Value::Null)).unwrap();
    assert_eq!(gone["services"][0], json!({"name": "Corte"}));
}

/// A change of the organization.
struct FieldEditOf<'a>(Section, &'a str, FieldEdit);

impl FieldEditOf<'_> {
    fn run(self) -> Value {
        changed(self.0, "", self.1, self.2).unwrap()
    }
}

#[test]
fn an_item_is_added_to_a_list_and_taken_from_it_by_some_of_its_fields() {
    let add = FieldEdit::Add(json!({"date": "2027-01-02", "periods": []}));
    assert_eq!(
        FieldEditOf(Section::Organization, "exceptions", add).run()["organization"]["exceptions"][2]["date"],
        "2027-01-02"
    );
    let take = FieldEdit::Take(json!({"date": "2026-12-31"}));
    let left = FieldEditOf(Section::Organization, "exceptions", take).run();
    assert_eq!(left["organization"]["exceptions"], json!([{"date": "2026-12-24", "periods": []}]));
    let none = changed(Section::Organization, "", "exceptions", FieldEdit::Take(json!({"date": "2030-01-01"})));
    assert!(matches!(none, Err(EditError::NoSuchItem { .. })));
    let no_list = changed(Section::Services, "Corte", "price", FieldEdit::Add(json!("1.00")));
    assert_eq!(no_list, Err(EditError::NotAList { field: "price".to_owned() }));
}

#[test]
fn entries_are_added_and_removed_by_name() {
    let run = |edit: Edit| {
        let mut document = shop();
        apply(&mut document, &edit).map(|()| document)
    };
    let fields = |value: Value| value.as_object().unwrap().clone();
    let added = run(Edit::Add { section: Section::Services, fields: fields(json!({"name": "Luzes"})) }).unwrap();
    assert_eq!(added["services"][2]["name"], "Luzes");
    let tag = run(Edit::Add { section: Section::Tags, fields: fields(json!({"name": "novo"})) }).unwrap();
    assert_eq!(tag["tags"], json!(["vip", "novo"]));
    let plan = run(Edit::Add { section: Section::Plans, fields: fields(json!({"name": "Mensal"})) }).unwrap();
    assert_eq!(plan["plans"], json!([{"name": "Mensal"}]));
    let removed = run(Edit::Remove { section: Section::Services, name: "Corte".to_owned() }).unwrap();
    assert_eq!(removed["services"][0], json!({"name": "Corte", "price": "45.00", "active": false}));
    let untagged = run(Edit::Remove { section: Section::Tags, name: "vip".to_owned() }).unwrap();
    assert_eq!(untagged["tags"], json!([]));
}

#[test]
fn an_edit_that_fits_nothing_says_what_would() {
    let run = |edit: Edit| apply(&mut shop(), &edit).unwrap_err().to_string();
    let fields = |value: Value| value.as_object().unwrap().clone();
    let unknown = run(Edit::Remove { section: Section::Services, name: "Cort".to_owned() });
    assert_eq!(unknown, "unknown entry `Cort` of services; expected one of: Corte");
    let taken = run(Edit::Add { section: Section::Services, fields: fields(json!({"name": "Corte"})) });
    assert_eq!(taken, "invalid entry: services has `Corte` already; change it instead");
    let nameless = run(Edit::Add { section: Section::Staff, fields: fields(json!({"name": "Ana"})) });
    assert!(nameless.contains("`email` is missing"), "{nameless}");
    let organization = run(Edit::Remove { section: Section::Organization, name: String::new() });
    assert_eq!(organization, "invalid edit: organization can only be changed");
}

#[test]
fn imported_entry_takes_the_place_of_the_one_of_its_title() {
    let run = |stored: Value, new: Value| {
        let mut document = shop();
        document["knowledge"] = stored;
        let entries = new.as_array().unwrap().iter().map(|one| one.as_object().unwrap().clone()).collect();
        apply(&mut document, &Edit::Knowledge { entries, replace: false }).map(|()| document["knowledge"].clone())
    };
    let (bare, house) = (json!({"title": "Pets"}), json!({"category": "Casa", "title": "Pets"}));
    let street = json!({"category": "Rua", "title": "Pets"});
    assert_eq!(run(json!([bare]), json!([house])), Ok(json!([house])));
    assert_eq!(run(json!([house]), json!([bare])), Ok(json!([house])), "a text without a category leaves it");
    assert_eq!(run(json!([house]), json!([street])), Ok(json!([street])));
    assert_eq!(run(json!([house, street]), json!([street])), Ok(json!([house, street])));
    assert_eq!(
        run(json!([bare]), json!([house, street])),
        Ok(json!([bare, house, street])),
        "two of one title are two"
    );
    assert!(matches!(run(json!([house, street]), json!([bare])), Err(EditError::Ambiguous { .. })));
}

#[test]
fn a_title_that_two_categories_share_must_be_said_with_its_category() {
    let mut document = shop();
    document["knowledge"] = json!([{"category": "Casa", "title": "Pets"}, {"category": "Rua", "title": "Pets"}]);
    document["templates"] = json!([{"name": "aviso", "language": "pt_BR"}, {"name": "aviso", "language": "en"}]);
    let mut remove = |section, name: &str| apply(&mut document, &Edit::Remove { section, name: name.to_owned() });
    let refused = remove(Section::Knowledge, "Pets").unwrap_err().to_string();
    assert_eq!(refused, "ambiguous entry `Pets` of knowledge; expected one of: Casa › Pets, Rua › Pets");
    assert!(matches!(remove(Section::Templates, "aviso"), Err(EditError::Ambiguous { .. })));
    remove(Section::Knowledge, "Rua › Pets").unwrap();
    remove(Section::Knowledge, "Pets").unwrap();
    remove(Section::Templates, "aviso (pt_BR)").unwrap();
    assert_eq!((&document["knowledge"], &document["templates"][0]["language"]), (&json!([]), &json!("en")));
}
