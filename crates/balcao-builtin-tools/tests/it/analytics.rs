//! The pack `analytics`: figures, the agenda ahead, no-shows, free questions; only for staff, and by role.

use std::collections::BTreeSet;

use balcao_app::admin::plans::{PlanChange, PlanRefusal, Plans};
use balcao_domain::entitlement::{Feature, Tier};
use balcao_tool::ResultClass;
use serde_json::json;

use crate::world::figueira;

const OWNER: &str = "renata@figueira.example";
const ATTENDANT: &str = "davi@figueira.example";
const PROFESSIONAL: &str = "iris@figueira.example";

#[tokio::test]
async fn the_owner_sees_figures_with_money_and_a_layout() {
    let world = figueira().await;
    let owner = world.staff(OWNER).await;
    let stats = world.call(owner, "get_stats", json!({"months": 2})).await;
    assert_eq!(stats.class, ResultClass::Success, "{}", stats.value);
    let value = &stats.value;
    assert_eq!(value["months"][0]["month"], "2026-10");
    assert_eq!((&value["from"], &value["to"]), (&json!("2026-10-01"), &json!("2026-11-30")));
    assert_eq!((&value["summary"]["total"], &value["summary"]["no_shows"]), (&json!(3), &json!(1)));
    assert_eq!(value["months"][1]["revenue"], "R$ 95,00");
    let layout = value["layout"].as_str().unwrap();
    assert!(layout.starts_with("Resumo de 2026-11\n- Agendamentos: "), "{layout}");
    assert!(layout.ends_with("- Receita: R$ 95,00"), "{layout}");
    let english = world.call(owner.in_english(), "get_stats", json!({})).await;
    assert_eq!(english.value["months"].as_array().unwrap().len(), 6);
    assert!(english.value["layout"].as_str().unwrap().starts_with("Summary of 2026-11"));
}

#[tokio::test]
async fn the_agenda_ahead_and_the_ranking() {
    let world = figueira().await;
    let owner = world.staff(OWNER).await;
    let ahead = world.call(owner, "get_upcoming", json!({"days": 9})).await.value;
    assert_eq!(ahead["appointments"][0]["client"], "Bento, filho");
    assert_eq!(ahead["appointments"][0]["starts_at"], "2026-12-03 09:30");
    let week = world.call(owner, "get_upcoming", json!({})).await.value;
    assert_eq!(week, json!({ "from": "2026-11-24", "to": "2026-12-01", "appointments": [] }));
    let missed = world.call(owner, "get_no_show_clients", json!({})).await.value;
    assert_eq!((&missed["from"], &missed["to"]), (&json!("2026-06-01"), &json!("2026-11-24")));
    assert_eq!(missed["layout"], "Faltas de 01/06/2026 a 24/11/2026\n1. Lívia Campos: 1 falta em 1 (100,0%)");
    let none = world.call(owner, "get_no_show_clients", json!({"months": 1})).await.value;
    assert_eq!((&none["clients"], &none["layout"]), (&json!([]), &json!("Ninguém faltou de 01/11/2026 a 24/11/2026.")));
}

#[tokio::test]
async fn free_questions_are_answered_or_corrected_with_their_place() {
    let world = figueira().await;
    let owner = world.staff(OWNER).await;
    let ask = async |text: &str| world.call(owner, "run_query", json!({"query": text})).await;
    let answer =
        ask(r#"appointments | where status == "completed" | summarize total = sum(price) by month(starts_at)"#).await;
    let sample = json!({"columns": ["month", "total"], "rows": [["2026-10", "R$ 0,00"], ["2026-11", "R$ 95,00"]], "more_rows": 0});
    assert_eq!(answer.value, sample);
    let wrong = ask("appointments | where statu == \"completed\"").await;
    assert_eq!(wrong.class, ResultClass::Correction);
    let told = wrong.value.to_string();
    assert!(told.contains("column 22") && told.contains("did you mean `status`?"), "{told}");
    let sql = ask("SELECT * FROM contact; DROP TABLE contact").await;
    assert_eq!(sql.class, ResultClass::Correction);
}

#[tokio::test]
async fn what_somebody_may_not_see_does_not_exist_for_them() {
    let world = figueira().await;
    let attendant = world.staff(ATTENDANT).await;
    let stats = world.call(attendant, "get_stats", json!({})).await.value;
    assert!(stats["summary"].get("revenue").is_none() && !stats.to_string().contains("R$"), "{stats}");
    let priced = world.call(attendant, "run_query", json!({"query": "appointments | summarize sum(price)"})).await;
    assert!(priced.value.to_string().contains("no field `price`"));
    let iris = world.staff(PROFESSIONAL).await;
    let own = world.call(iris, "run_query", json!({"query": "appointments | summarize count() by professional"})).await;
    assert_eq!(own.value["rows"].as_array().unwrap().len(), 1);
    assert_eq!(own.value["rows"][0][0], "Íris Valente");
    let missed = world.call(iris, "get_no_show_clients", json!({})).await.value;
    assert_eq!(missed["clients"], json!([]), "it was Wesley's");
}

#[tokio::test]
async fn customers_are_refused_whatever_the_profile_says() {
    let world = figueira().await;
    let caio = world.caio().await;
    for (tool, args) in [
        ("get_stats", json!({})),
        ("get_upcoming", json!({})),
        ("get_no_show_clients", json!({})),
        ("run_query", json!({"query": "appointments"})),
    ] {
        for who in [caio, caio.of_staff()] {
            let refused = world.call(who, tool, args.clone()).await;
            assert_eq!(refused.value["code"], "forbidden", "{}", refused.value);
        }
    }
}

#[tokio::test]
async fn a_plan_without_it_is_a_refusal_that_names_what_is_missing() {
    let world = figueira().await;
    let owner = world.staff(OWNER).await;
    let plans = Plans::new(world.app.clone());
    let basic = PlanChange { tier: Some(Tier::Basic), ..PlanChange::default() };
    plans.change(world.organization, basic).await.unwrap().unwrap();
    for tool in ["get_stats", "get_upcoming", "get_no_show_clients"] {
        let refused = world.call(owner, tool, json!({})).await;
        assert_eq!(refused.class, ResultClass::Refusal, "{tool}: {}", refused.value);
        assert_eq!(
            (&refused.value["code"], &refused.value["details"]["feature"]),
            (&json!("upgrade_required"), &json!("assistant"))
        );
        assert!(
            refused.value["error"].as_str().unwrap().contains("não faz parte do plano `basic`"),
            "{}",
            refused.value
        );
    }
    // The assistant beside the plan opens the reports, not the free questions.
    let grant = PlanChange { grant: BTreeSet::from([Feature::Assistant]), ..PlanChange::default() };
    plans.change(world.organization, grant).await.unwrap().unwrap();
    assert_eq!(world.call(owner, "get_stats", json!({})).await.class, ResultClass::Success);
    let free = json!({"query": "appointments | summarize count()"});
    let refused = world.call(owner, "run_query", free.clone()).await;
    assert_eq!(refused.value["details"]["feature"], "free_questions", "{}", refused.value);
    // A trial opens everything; its last day counts, the next one does not. None begins when it is over.
    let until = |day: &str| PlanChange { trial_until: Some(Some(day.parse().unwrap())), ..PlanChange::default() };
    let over = plans.change(world.organization, until("2026-11-23")).await.unwrap();
    assert!(matches!(over, Err(PlanRefusal::TrialInThePast { .. })), "{over:?}");
    plans.change(world.organization, until("2026-11-24")).await.unwrap().unwrap();
    assert_eq!(world.call(owner, "run_query", free.clone()).await.class, ResultClass::Success);
    world.set_local("2026-11-25T00:00");
    let ended = world.call(owner, "run_query", free).await;
    assert!(ended.value["error"].as_str().unwrap().contains("período de teste terminou"), "{}", ended.value);
}
