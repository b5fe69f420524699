use super::*;

fn terms(gaps: Vec<(Option<String>, Fact)>) -> Terms {
    let (name, language) = ("aviso".to_owned(), "pt_BR".to_owned());
    let approved = ApprovedTemplate { name, language, category: Category::Utility, gaps };
    Terms { templates: BTreeMap::from([(Purpose::Reminder, approved)]), ..Terms::default() }
}

fn facts() -> Facts {
    Facts {
        customer: "João".into(),
        business: "Figueira".into(),
        day: Some("sexta,\n 27/11".into()),
        ..Facts::default()
    }
}

#[test]
fn gaps_are_filled_in_one_line() {
    let terms = terms(vec![(Some("nome".into()), Fact::Customer), (Some("quando".into()), Fact::Day)]);
    let template = terms.template(Purpose::Reminder, &facts()).unwrap();
    let texts: Vec<_> = template.body.iter().map(|gap| (gap.name.as_deref(), gap.text.as_str())).collect();
    assert_eq!(texts, [(Some("nome"), "João"), (Some("quando"), "sexta, 27/11")]);
    assert_eq!(terms.category_of(&template), Some(&Category::Utility));
}

#[test]
fn a_template_without_its_facts_is_not_used() {
    let terms = terms(vec![(None, Fact::Time)]);
    assert_eq!(terms.template(Purpose::Reminder, &facts()), None);
    assert_eq!(terms.template(Purpose::Waitlist, &facts()), None);
}
