use proptest::prelude::*;

use super::*;

fn records(all: &[(Section, &str, Value)]) -> Records {
    let entry = |(section, name, fields): &(Section, &str, Value)| {
        ((*section, (*name).to_owned()), fields.as_object().unwrap().clone())
    };
    all.iter().map(entry).collect()
}

#[test]
fn what_is_new_differs_or_is_gone_is_a_change_in_the_order_of_its_making() {
    use Section::{Knowledge, Organization, Professionals, Services};
    let stored = records(&[
        (Organization, "organization", json!({"name": "Figueira"})),
        (Services, "Corte", json!({"name": "Corte", "price": "45.00"})),
        (Services, "Barba", json!({"name": "Barba", "price": "30.00"})),
        (Services, "Luzes", json!({"name": "Luzes", "active": false})),
        (Knowledge, "Estacionamento", json!({"title": "Estacionamento"})),
    ]);
    let wanted = records(&[
        (Organization, "organization", json!({"name": "Figueira Nova"})),
        (Services, "Corte", json!({"name": "Corte", "price": "50.00", "description": "rápido"})),
        (Professionals, "Rafa", json!({"name": "Rafa"})),
    ]);
    let found = changes(&stored, &wanted);
    let told: Vec<_> = found.iter().map(|one| (one.section, one.name.as_str(), one.action)).collect();
    assert_eq!(
        told,
        [
            (Services, "Barba", Action::Archived),
            (Services, "Corte", Action::Changed),
            (Professionals, "Rafa", Action::Added),
            (Knowledge, "Estacionamento", Action::Removed),
            (Organization, "organization", Action::Changed),
        ]
    );
    let price = FieldChange { field: "price".to_owned(), before: json!("45.00"), after: json!("50.00") };
    let text = FieldChange { field: "description".to_owned(), before: Value::Null, after: json!("rápido") };
    assert_eq!(found[1].fields, [text, price]);
}

#[test]
fn a_plan_is_named_by_all_that_it_says() {
    let change = |name: &str| Change {
        section: Section::Services,
        name: name.to_owned(),
        action: Action::Added,
        fields: Vec::new(),
        hits: Vec::new(),
        impossible: None,
    };
    let hit = Hit::Booking(HitBooking {
        appointment: "apt_1".to_owned(),
        starts: "2026-11-27 15:00".to_owned(),
        professional: "Rafa".to_owned(),
        service: "Corte".to_owned(),
        why: "the price".to_owned(),
    });
    let hash = |business: &str, changes| BusinessPlan::new(business, changes, 0).hash;
    let all = [
        hash("a", vec![change("x")]),
        hash("b", vec![change("x")]),
        hash("a", vec![change("y")]),
        hash("a", vec![change("x"), change("y")]),
        hash("a", vec![Change { hits: vec![hit], ..change("x") }]),
    ];
    assert!(all.iter().enumerate().all(|(place, one)| !all[..place].contains(one)));
    assert_eq!(hash("a", vec![change("x")]), all[0]);
}

fn any_records() -> impl Strategy<Value = Records> {
    let name = prop::sample::select(vec!["a", "b", "c"]);
    let section = prop::sample::select(vec![Section::Services, Section::Knowledge]);
    let entry = ((section, name), 0..3_u8, any::<bool>());
    prop::collection::vec(entry, 0..5).prop_map(|all| {
        let of = |((section, name), price, active): ((Section, &str), u8, bool)| {
            let mut fields = json!({"name": name, "price": price}).as_object().unwrap().clone();
            if section == Section::Services && !active {
                fields.insert("active".to_owned(), json!(false));
            }
            ((section, name.to_owned()), fields)
        };
        all.into_iter().map(of).collect()
    })
}

proptest! {
    #[test]
    fn nothing_changes_from_a_state_to_itself_and_every_wanted_field_is_reached(stored in any_records(), wanted in any_records()) {
        prop_assert!(changes(&stored, &stored).is_empty());
        let mut made = stored.clone();
        for change in changes(&stored, &wanted) {
            let key = (change.section, change.name.clone());
            match change.action {
                Action::Removed => drop(made.remove(&key)),
                Action::Archived if !wanted.contains_key(&key) => {
                    made.get_mut(&key).unwrap().insert("active".to_owned(), json!(false));
                }
                Action::Added | Action::Changed | Action::Archived => {
                    let entry = made.entry(key).or_default();
                    for field in change.fields {
                        if field.after.is_null() { entry.remove(&field.field); } else { entry.insert(field.field, field.after); }
                    }
                }
            }
        }
        prop_assert!(changes(&made, &wanted).is_empty());
    }
}
