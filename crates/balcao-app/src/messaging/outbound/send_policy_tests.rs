use super::*;

fn terms(gaps: Vec<(Option<String>, TemplateVariable)>) -> SendPolicy {
    let (name, language) = ("aviso".to_owned(), "pt_BR".to_owned());
    let approved =
        ApprovedTemplate { name, language, category: Category::Utility, parameters: gaps, quick_replies: Vec::new() };
    SendPolicy { templates: BTreeMap::from([(Purpose::Reminder, approved)]), ..SendPolicy::default() }
}

fn facts() -> TemplateVariables {
    TemplateVariables {
        customer: "João".into(),
        business: "Figueira".into(),
        day: Some("sexta,\n 27/11".into()),
        ..TemplateVariables::default()
    }
}

#[test]
fn gaps_are_filled_in_one_line() {
    let terms =
        terms(vec![(Some("nome".into()), TemplateVariable::Customer), (Some("quando".into()), TemplateVariable::Day)]);
    let template = terms.template(Purpose::Reminder, &facts()).unwrap();
    let texts: Vec<_> = template.body.iter().map(|gap| (gap.name.as_deref(), gap.text.as_str())).collect();
    assert_eq!(texts, [(Some("nome"), "João"), (Some("quando"), "sexta, 27/11")]);
    assert_eq!(terms.category_of(&template), Some(&Category::Utility));
}

#[test]
fn quick_replies_come_back_under_the_names_of_the_answers_in_the_order_of_the_template() {
    let mut terms = terms(Vec::new());
    let approved = terms.templates.get_mut(&Purpose::Reminder).unwrap();
    approved.quick_replies = vec![QuickReplyAction::Move, QuickReplyAction::Confirm];
    assert_eq!(terms.template(Purpose::Reminder, &facts()), None, "a button that answers nothing is not offered");
    let answers =
        vec![(QuickReplyAction::Confirm, "balcao:1:confirm".into()), (QuickReplyAction::Move, "balcao:1:move".into())];
    let template = terms.template(Purpose::Reminder, &TemplateVariables { answers, ..facts() }).unwrap();
    assert_eq!(template.quick_replies, ["balcao:1:move", "balcao:1:confirm"]);
}

#[test]
fn a_template_without_its_facts_is_not_used() {
    let terms = terms(vec![(None, TemplateVariable::Time)]);
    assert_eq!(terms.template(Purpose::Reminder, &facts()), None);
    assert_eq!(terms.template(Purpose::Waitlist, &facts()), None);
}
