//! What a day may take of the business: strangers, however many of them there are, cost no more, and fill no disk.

use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use balcao_app::admin::backlog::Scarce;
use balcao_app::context::budgets::{FileBudgets, StrangerBudgets};
use balcao_app::scheduling::follow_ups::{FollowUpRequest, FollowUps};
use balcao_domain::follow_up::FollowUpType;
use balcao_llm::providers::scripted::{Scripted, fails_with};
use balcao_llm::{ModelError, ModelErrorKind, Usage};
use balcao_store::messaging::conversation;
use balcao_store::ops::day_budget::DayCounter;
use balcao_store::turns::ledger::EffectKey;
use balcao_testkit::contract::store::now;
use balcao_web::Limits;
use balcao_web::chat::{ChatLimits, RequestRate};
use serde_json::Value;

use crate::NETWORKS;

use super::world::{Ceilings, Line, ORIGIN, Shop, Visit, body_of, says, shop, shop_within};

const DAY: i64 = 24 * 60 * 60;
const PDF: &[u8] = b"%PDF-1.7\ntabela";

/// A line of a model that costs so many tokens, and as many millionths of a dollar.
fn costs(tokens: u64) -> Line {
    says("Pode me dizer o dia?").using(Usage { input_tokens: tokens, cost_micro_usd: Some(tokens), ..Usage::default() })
}

/// A shop where strangers may cost so much, and what answers them after it. The model is asked so often.
async fn where_strangers_cost(strangers: StrangerBudgets, instead: Option<Scripted>, asked: usize) -> Shop {
    let ceilings = Ceilings { strangers, instead, ..Ceilings::default() };
    let limits = ChatLimits { poll: Duration::from_millis(20), ..ChatLimits::default() };
    shop_within(ceilings, Limits::default(), (0..asked).map(|_| costs(400)), limits, &[]).await
}

/// Somebody new writes once, and is answered.
async fn a_stranger_writes(shop: &Shop) -> Visit {
    let visitor = shop.visitor().await;
    assert_eq!(shop.writes(&visitor, "message-1", "quero um horário").await.0, 202);
    shop.works().await;
    visitor
}

#[tokio::test]
async fn h08_strangers_cost_no_more_in_a_day_however_many_they_are_and_customers_go_on() {
    for budgets in [
        StrangerBudgets { tokens: Some(1_000), cost_micro_usd: None },
        StrangerBudgets { tokens: None, cost_micro_usd: Some(1_000) },
    ] {
        let instead = Scripted::new((0..3).map(|_| says("Sem pressa: qual é o serviço?")));
        let shop = where_strangers_cost(budgets, Some(instead.clone()), 5).await;
        for _ in 0..6 {
            let visitor = a_stranger_writes(&shop).await;
            assert_eq!(shop.reads(&visitor, None).await.len(), 2, "everybody is answered");
        }
        // The third turn reaches the ceiling; a turn that has begun is not broken off.
        assert_eq!((shop.model.requests().len(), instead.requests().len()), (3, 3), "{budgets:?}");
        assert_eq!(shop.count("handoff").await, 0);
        // Somebody whom another channel knows is no stranger, though they write by the page.
        let known = shop.visitor().await;
        shop.writes(&known, "message-1", "oi").await;
        let (organization, id) = (shop.organization, shop.conversation().await);
        shop.look(move |tx| {
            let found = conversation::get(tx, organization, id)?;
            conversation::find_or_begin(tx, organization, found.contact, "whatsapp", now()).map(drop)
        })
        .await;
        shop.works().await;
        assert_eq!((shop.model.requests().len(), instead.requests().len()), (4, 3));
        // The next day is another.
        shop.pass(DAY);
        a_stranger_writes(&shop).await;
        assert_eq!((shop.model.requests().len(), instead.requests().len()), (5, 3));
    }
}

/// A follow-up for the contact of the latest conversation, in half an hour.
async fn plan_follow_up(shop: &Shop) {
    let request = FollowUpRequest {
        delay_min: 30,
        allowed_delays_min: vec![30],
        hint: "perguntar se ainda quer cortar".to_owned(),
        kind: FollowUpType::Value,
        episode: 1,
    };
    let (organization, id) = (shop.organization, shop.conversation().await);
    let contact = shop.look(move |tx| Ok(conversation::get(tx, organization, id)?.contact)).await;
    let key = EffectKey { key: "k".to_owned(), args_hash: String::new(), turn: None, tool: "test".to_owned() };
    let follow_ups = FollowUps::new(shop.chats.app().clone());
    follow_ups.schedule(organization, contact, key, request).await.unwrap().value.unwrap();
}

#[tokio::test]
async fn h08_an_answer_that_breaks_off_counts_too() {
    let budgets = StrangerBudgets { tokens: Some(1_000), cost_micro_usd: None };
    let lost = || {
        let usage = Usage { input_tokens: 500, ..Usage::default() };
        let (provider, message) = ("scripted".to_owned(), "it broke off".to_owned());
        fails_with(ModelError { kind: ModelErrorKind::Network, provider, message, retry_after: None, usage })
    };
    let ceilings = Ceilings { strangers: budgets, ..Ceilings::default() };
    let limits = ChatLimits { poll: Duration::from_millis(20), ..ChatLimits::default() };
    let shop = shop_within(ceilings, Limits::default(), [lost(), lost()], limits, &[]).await;
    for _ in 0..4 {
        a_stranger_writes(&shop).await;
    }
    assert_eq!(shop.model.requests().len(), 2);
}

#[tokio::test]
async fn h08_follow_ups_to_strangers_count_and_once_the_day_is_used_up_no_model_writes_them() {
    const ASKS: &str = "agent: Pode me dizer o dia?";
    for (tokens, asked, used, follow_up) in [
        (1_000, 2, 800, ASKS),
        (400, 1, 400, "system: Oi! Ainda quer ver um horário? É só me dizer o dia que prefere."),
    ] {
        let budgets = StrangerBudgets { tokens: Some(tokens), cost_micro_usd: None };
        let shop = where_strangers_cost(budgets, None, asked).await;
        let visitor = a_stranger_writes(&shop).await;
        plan_follow_up(&shop).await;
        shop.pass(30 * 60);
        assert_eq!(shop.fires().await, 1);
        assert_eq!(shop.model.requests().len(), asked, "{tokens}");
        let shown = shop.reads(&visitor, None).await;
        assert_eq!(
            shown.last().map(|last| last.replace("system:", "agent:")),
            Some(follow_up.replace("system:", "agent:"))
        );
        assert_eq!(shop.count(&format!("day_budget WHERE name = 'strangers_tokens' AND used = {used}")).await, 1);
    }
}

#[tokio::test]
async fn h08_where_no_model_is_to_answer_instead_a_person_does() {
    for (budgets, handed_over) in [
        (
            StrangerBudgets { tokens: Some(300), cost_micro_usd: None },
            "handoff WHERE reason LIKE 'budget: strangers_day.tokens%'",
        ),
        (
            StrangerBudgets { tokens: None, cost_micro_usd: Some(300) },
            "handoff WHERE reason LIKE 'budget: strangers_day.cost%'",
        ),
    ] {
        let shop = where_strangers_cost(budgets, None, 1).await;
        for _ in 0..3 {
            a_stranger_writes(&shop).await;
        }
        assert_eq!(shop.model.requests().len(), 1, "{budgets:?}");
        assert_eq!(shop.count(handed_over).await, 2, "{budgets:?}");
    }
}

#[tokio::test]
async fn h08_at_half_of_a_ceiling_readiness_says_so() {
    for (tokens, cost, scarce, words) in [
        (1_000, 100_000, DayCounter::StrangersTokens, "80 % of today's tokens for strangers of the web chat are used"),
        (100_000, 1_000, DayCounter::StrangersCost, "80 % of today's money for strangers of the web chat are used"),
    ] {
        let budgets = StrangerBudgets { tokens: Some(tokens), cost_micro_usd: Some(cost) };
        let shop = where_strangers_cost(budgets, Some(Scripted::new([])), 2).await;
        a_stranger_writes(&shop).await;
        assert_eq!(runs_out(&shop).await.0, []);
        a_stranger_writes(&shop).await;
        let (found, told) = runs_out(&shop).await;
        assert_eq!(found, [Scarce::Day(scarce, 80)]);
        assert!(told.contains(&format!("alarm: {words}")), "{told}");
    }
}

/// What runs out, and what readiness says of it.
async fn runs_out(shop: &Shop) -> (Vec<Scarce>, String) {
    shop.watch.look(shop.chats.app()).await.unwrap();
    let ready = shop.get("/readyz", &[]).await;
    let body = axum::body::to_bytes(ready.into_body(), 1 << 20).await.unwrap();
    (shop.watch.scarce(), String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn h09_at_half_of_what_files_may_take_in_a_day_readiness_says_so() {
    let shop = where_files_may_take(4, 4).await;
    let ana = shop.visitor().await;
    assert_eq!(sends(&shop, &ana, "file-0001").await.0, 202);
    assert_eq!(runs_out(&shop).await.0, []);
    assert_eq!(sends(&shop, &ana, "file-0002").await.0, 202);
    let (found, told) = runs_out(&shop).await;
    assert_eq!(found, [Scarce::Day(DayCounter::Files, 50)]);
    assert!(told.contains("alarm: 50 % of today's bytes of files of the web chat are used"), "{told}");
}

#[tokio::test]
async fn h08_an_address_makes_so_many_visitors_in_a_day() {
    let limits = ChatLimits {
        visitors_of_one_day: 3,
        visitors_of_one: RequestRate { burst: 100, every: Duration::from_secs(1) },
        ..ChatLimits::default()
    };
    let shop = shop_within(Ceilings::default(), Limits::default(), [], limits, &["127.0.0.1/32"]).await;
    let (shop, at, _tasks) = super::door::served(shop).await;
    let mut came = Vec::new();
    for _ in 0..4 {
        came.push(super::door::comes(at, b"x", "203.0.113.5").await);
    }
    assert_eq!(came, ["201", "201", "201", "429"]);
    assert_eq!(super::door::comes(at, b"x", "198.51.100.5").await, "201");
    assert_eq!(shop.count("pace WHERE name LIKE '%203.0.113%'").await, 0, "no address is kept");
    shop.pass(DAY);
    assert_eq!(super::door::comes(at, b"x", "203.0.113.5").await, "201");
}

#[tokio::test]
async fn h08_the_networks_around_an_address_make_a_few_times_as_many_visitors_in_a_day() {
    let limits = ChatLimits {
        visitors_of_one_day: 1,
        visitors_of_one: RequestRate { burst: 100, every: Duration::from_secs(1) },
        ..ChatLimits::default()
    };
    let shop = shop_within(Ceilings::default(), Limits::default(), [], limits, &["127.0.0.1/32"]).await;
    let (shop, at, _tasks) = super::door::served(shop).await;
    for _day in 0..2 {
        for (network, addresses, times) in NETWORKS {
            for number in 0..=times {
                let status = if number < times { "201" } else { "429" };
                assert_eq!(super::door::comes(at, b"x", &addresses(number)).await, status, "{network} {number}");
            }
        }
        shop.pass(DAY);
    }
}

/// Sends a file; gives status, how long to wait, and what is said.
async fn sends(shop: &Shop, visitor: &Visit, id: &str) -> (u16, Option<String>, Value) {
    let request = Request::post(format!("/chat/v1/files?id={id}&name=a.pdf"))
        .header("origin", ORIGIN)
        .header("authorization", format!("Bearer {}", visitor.token));
    let answer = shop.answers(request.body(Body::from(PDF)).unwrap()).await;
    let wait = answer.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    (answer.status().as_u16(), wait, body_of(answer).await)
}

async fn where_files_may_take(visitors_day: usize, contact_day: usize) -> Shop {
    let bytes = |count: usize| u64::try_from(count * PDF.len()).unwrap();
    let files =
        FileBudgets { visitors_day: bytes(visitors_day), contact_day: bytes(contact_day), ..FileBudgets::default() };
    let ceilings = Ceilings { files, ..Ceilings::default() };
    shop_within(ceilings, Limits::default(), [], ChatLimits::default(), &[]).await
}

#[tokio::test]
async fn h09_files_of_one_and_of_all_visitors_have_a_ceiling_in_a_day() {
    let shop = where_files_may_take(3, 2).await;
    let (ana, bia) = (shop.visitor().await, shop.visitor().await);
    for (number, status) in [(1, 202), (1, 202), (2, 202), (3, 429)] {
        let (found, wait, told) = sends(&shop, &ana, &format!("file-000{number}")).await;
        assert_eq!(found, status, "{number}: {told}");
        // It is ten in the morning.
        assert_eq!(wait.is_some(), status == 429, "{told}");
        assert!(status == 202 || told["detail"].as_str().unwrap().contains("one person may in a day"), "{told}");
    }
    assert_eq!(sends(&shop, &bia, "file-0001").await.0, 202, "what one has used up is not another's");
    let (status, wait, told) = sends(&shop, &bia, "file-0002").await;
    assert_eq!((status, wait.as_deref()), (429, Some("50401")), "{told}");
    assert!(told["detail"].as_str().unwrap().starts_with("visitors have sent "), "{told}");
    assert_eq!(shop.count("attachment").await, 3);
    shop.pass(DAY);
    assert_eq!(sends(&shop, &bia, "file-0002").await.0, 202);
    assert_eq!(shop.count("day_budget").await, 2, "days that are over are forgotten");
}

#[tokio::test]
async fn what_is_used_up_stays_out_of_the_way_of_words() {
    let shop = where_files_may_take(0, 0).await;
    let ana = shop.visitor().await;
    assert_eq!(sends(&shop, &ana, "file-0001").await.0, 429);
    assert_eq!(shop.writes(&ana, "message-1", "oi").await.0, 202);
}

#[tokio::test]
async fn h06_a_key_that_is_given_twice_is_refused_here_as_everywhere() {
    let shop = shop([]).await;
    let ana = shop.visitor().await;
    let twice = r#"{"id":"message-1","text":"oi","text":"outro"}"#;
    let answer = shop.asks("POST", "messages", Some(&ana), &[("origin", ORIGIN)], twice).await;
    assert_eq!(answer.status().as_u16(), 400);
    assert!(body_of(answer).await["detail"].as_str().unwrap().contains("`/text` is given twice"));
    assert_eq!(shop.count("inbox").await, 0);
}
