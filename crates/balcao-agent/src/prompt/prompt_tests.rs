use super::*;

fn data() -> PromptData {
    PromptData {
        agent: AgentFacts { name: "Lia".into(), tone: "Gentil.".into(), instructions: vec!["Chame de você.".into()] },
        organization: OrganizationFacts {
            name: "Clínica Aurora".into(),
            address: Some("Rua A, 1".into()),
            phone: None,
        },
        tools: ["create_appointment", "check_availability", "transfer_to_human"]
            .iter()
            .map(|name| ((*name).to_owned(), (*name).to_owned()))
            .collect(),
        now: NowFacts {
            weekday: "terça-feira".into(),
            date: "2026-11-24".into(),
            time: "10:00".into(),
            zone: "America/Sao_Paulo".into(),
        },
        ..PromptData::default()
    }
}

fn all() -> Vec<String> {
    MODULES.map(str::to_owned).to_vec()
}

#[test]
fn every_module_renders_in_both_languages_from_data_alone() {
    for locale in [Locale::PtBr, Locale::En] {
        let prompt = system(&all(), &data(), locale).unwrap();
        assert!(
            prompt.contains("Lia") && prompt.contains("Clínica Aurora") && prompt.contains("2026-11-24"),
            "{prompt}"
        );
        assert!(prompt.contains("create_appointment") && prompt.contains("transfer_to_human"));
        assert!(!prompt.contains("{{") && !prompt.contains("{%"));
    }
}

#[test]
fn a_tool_that_is_not_on_offer_is_never_named() {
    let prompt = system(&all(), &data(), Locale::PtBr).unwrap();
    for absent in ["cancel_appointment", "join_waitlist", "get_services", "schedule_followup"] {
        assert!(!prompt.contains(absent), "{absent}");
    }
}

#[test]
fn what_stays_the_same_in_a_conversation_is_a_stable_prefix() {
    let mut later = data();
    later.now.time = "10:01".into();
    later.summary = Some("Quer um corte.".into());
    let (first, second) =
        (system(&all(), &data(), Locale::PtBr).unwrap(), system(&all(), &later, Locale::PtBr).unwrap());
    let stable = first.find("## Agora").unwrap();
    assert_eq!(first.get(..stable), second.get(..stable));
}

#[test]
fn an_unknown_module_is_an_error_that_lists_the_known_ones() {
    let error = system(&["personality".to_owned()], &data(), Locale::PtBr).unwrap_err();
    assert!(error.to_string().contains("identity, rules, truth"), "{error}");
}
