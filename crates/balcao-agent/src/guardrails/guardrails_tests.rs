use serde_json::json;

use super::*;

fn profile(extra: serde_json::Value) -> Profile {
    let mut value = json!({"id": "t", "name": "T", "packs": ["crm"]});
    value.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    serde_json::from_value(value).unwrap()
}

fn open() -> GuardInput {
    GuardInput { open_now: true, messages_last_minute: 1, ..GuardInput::default() }
}

fn verdict(profile: &Profile, text: &str, input: &GuardInput) -> Guarded {
    run(profile, text, input).0
}

#[test]
fn each_guardrail_does_what_the_specification_says() {
    let plain = profile(json!({}));
    let input = open();
    assert_eq!(verdict(&plain, "oi, quero cortar o cabelo", &input), Guarded::Pass);
    assert!(matches!(
        verdict(&plain, "quero falar com um atendente", &input),
        Guarded::Handoff { reason: HandoffReason::AskedForHuman, .. }
    ));
    assert!(matches!(verdict(&plain, "PARAR", &input), Guarded::Reply(_)));
    assert!(matches!(verdict(&plain, "oi", &GuardInput { human_has_it: true, ..open() }), Guarded::Silence(_)));
    let tired = GuardInput { ai_messages_today: 50, ..open() };
    assert!(matches!(verdict(&plain, "oi", &tired), Guarded::Handoff { reason: HandoffReason::Guardrail(_), .. }));
}

#[test]
fn a_person_who_has_the_conversation_comes_before_everything_else() {
    let (verdict, records, _) =
        run(&profile(json!({})), "quero um atendente", &GuardInput { human_has_it: true, ..open() });
    assert_eq!(verdict, Guarded::Silence("human_assigned".to_owned()));
    assert_eq!(records.len(), 1);
}

#[test]
fn opting_out_is_confirmed_once_and_remembered() {
    let (verdict, _, effects) = run(&profile(json!({})), "sair", &open());
    assert!(matches!(verdict, Guarded::Reply(_)));
    assert_eq!(effects, [GuardEffect::OptOut]);
    let again = run(&profile(json!({})), "sair", &GuardInput { opted_out: true, ..open() });
    assert!(matches!(again.0, Guarded::Silence(_)) && again.2.is_empty());
}

#[test]
fn f_132_a_flood_is_slowed_down_then_silenced_with_one_note() {
    let profile = profile(json!({"guardrails": {"flood_per_minute": 3}}));
    let at = |messages_last_minute, slowed_down| {
        run(&profile, "oi", &GuardInput { messages_last_minute, slowed_down, ..open() })
    };
    assert_eq!(at(3, SlowedDown::No).0, Guarded::Pass);
    assert!(matches!(at(4, SlowedDown::No).0, Guarded::Reply(_)));
    let first = at(4, SlowedDown::JustNow);
    assert!(matches!(first.0, Guarded::Silence(_)) && first.2.len() == 1);
    let later = at(4, SlowedDown::Before);
    assert!(matches!(later.0, Guarded::Silence(_)) && later.2.is_empty());
    // Who has calmed down is answered.
    assert_eq!(at(3, SlowedDown::Before).0, Guarded::Pass);
}

#[test]
fn forbidden_topics_match_whole_words_without_accents_or_case() {
    let profile = profile(json!({"guardrails": {"forbidden_topics": [
        {"patterns": ["política"], "reply": "Aqui não falamos disso."},
        {"patterns": ["processo judicial"], "reply": "Vou chamar o gerente.", "handoff": true}]}}));
    assert_eq!(verdict(&profile, "e a POLITICA hein", &open()), Guarded::Reply("Aqui não falamos disso.".into()));
    assert_eq!(verdict(&profile, "apolitico", &open()), Guarded::Pass);
    assert!(matches!(
        verdict(&profile, "vou abrir um processo judicial", &open()),
        Guarded::Handoff { reply: Some(_), .. }
    ));
}

#[test]
fn hot_leads_are_noted_and_tagged_and_go_on_unless_told_to_hand_over() {
    let profile = profile(
        json!({"guardrails": {"hot_leads": [{"patterns": ["casamento"], "tag": "Noiva"}, {"stage": "VIP", "handoff": true}]}}),
    );
    let (verdict, _, effects) = run(&profile, "é pro meu casamento", &open());
    assert_eq!(verdict, Guarded::Pass);
    assert_eq!(effects.len(), 3);
    assert!(effects.contains(&GuardEffect::HotLead { why: "casamento".into() }));
    let vip = GuardInput { stages: vec!["VIP".into()], ..open() };
    assert!(matches!(run(&profile, "oi", &vip).0, Guarded::Handoff { .. }));
}

#[test]
fn outside_of_hours_the_profile_decides() {
    let closed = GuardInput { open_now: false, ..open() };
    assert_eq!(verdict(&profile(json!({})), "oi", &closed), Guarded::Pass);
    assert_eq!(
        verdict(&profile(json!({"guardrails": {"outside_hours": {"message": "Fechado."}}})), "oi", &closed),
        Guarded::Reply("Fechado.".into())
    );
    assert!(matches!(
        verdict(&profile(json!({"guardrails": {"outside_hours": "silence"}})), "oi", &closed),
        Guarded::Silence(_)
    ));
}

#[test]
fn a_daily_budget_that_is_used_up_calls_a_person_with_its_name() {
    let profile = profile(json!({"budgets": {"organization_day": {"tokens": 1000}}}));
    let spent = GuardInput { organization_today: DaySpent { tokens: 1000, ..DaySpent::default() }, ..open() };
    let Guarded::Handoff { reason, .. } = verdict(&profile, "oi", &spent) else { panic!("no handoff") };
    assert_eq!(reason, HandoffReason::Budget("organization_day.tokens".into()));
}

#[test]
fn a_guardrail_that_fails_denies() {
    let profile = profile(json!({}));
    let input = open();
    let failing: &[(&str, Check)] = &[("broken", |_| Err("no data".to_owned()))];
    let (verdict, records, _) =
        run_all(failing, &Guard { profile: &profile, text: "oi", with_forwarded: "oi", input: &input });
    assert!(matches!(verdict, Guarded::Handoff { reason: HandoffReason::GuardrailFailed(_), .. }));
    assert_eq!(records, [GuardRecord { guardrail: "broken".into(), action: "handoff".into() }]);
}

#[test]
fn every_file_of_the_folder_is_in_the_list() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/guardrails");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name != "mod" && name != "guardrails_tests")
        .collect();
    files.sort();
    let mut listed: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(files, listed);
}
