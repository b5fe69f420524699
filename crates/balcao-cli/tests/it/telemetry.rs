//! What the built binary measures and traces while it serves.

use balcao_store::crm::organization;
use balcao_store::ops::day_budget::{self, Day};
use balcao_store::{OpenOptions, Store, StoreError};
use balcao_testkit::fakes::evolution::{FakeEvolution, INSTANCE, KEY};
use balcao_testkit::fakes::otlp::{FakeCollector, Span};
use balcao_testkit::wait::until;
use serde_json::Value;

use crate::attack::door::log_holds_no_person_and_no_secret;
use crate::observed::{Observed, post, request, serve, text};

/// Where Prometheus reads.
pub(crate) fn metrics_of(shop: &Observed) -> String {
    let log = shop.log();
    let line = log.lines().find_map(|line| line.strip_prefix("metrics at http://"));
    line.unwrap_or_else(|| panic!("no metrics: {log}")).strip_suffix("/metrics").unwrap().to_owned()
}

/// The value of a line of the metrics' page.
fn value(page: &str, name: &str) -> f64 {
    let found = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    found.unwrap_or_else(|| panic!("there is no {name} in\n{page}")).parse().unwrap()
}

#[test]
fn webhooks_are_counted_whatever_channel_they_are_of() {
    let gateway = FakeEvolution::start().unwrap();
    let config = format!(
        "[server]\nmetrics_listen = \"127.0.0.1:0\"\n[evolution]\ninstance = \"{INSTANCE}\"\nbase_url = \"{}\"\n\
         token = \"{KEY}\"\nsecret = \"a key of ours\"\n",
        gateway.url()
    );
    let shop = serve(&config, |_| {});
    for (path, key, expected) in
        [("evolution", "guessed", 401), ("evolution", "a key of ours", 400), ("packs/nothing", "guessed", 404)]
    {
        let head = format!("POST /webhooks/{path} HTTP/1.1\r\napikey: {key}\r\ncontent-length: 1");
        assert_eq!(request(&shop.address, &head, b"[").unwrap().0, expected);
    }
    let page = request(&metrics_of(&shop), "GET /metrics HTTP/1.1", b"").unwrap().2;
    for (channel, result) in [("evolution", "bad_signature"), ("evolution", "malformed"), ("packs", "not_ours")] {
        let name = format!("balcao_webhooks_total{{channel=\"{channel}\",result=\"{result}\"}}");
        assert_eq!(value(&page, &name), 1.0, "{name} in\n{page}");
    }
}

#[test]
fn a_conversation_is_in_the_metrics_and_nobody_in_it() {
    let shop = serve("[server]\nmetrics_listen = \"127.0.0.1:0\"\n", |_| {});
    let at = metrics_of(&shop);
    let scrape = || request(&at, "GET /metrics HTTP/1.1", b"").unwrap();
    let (status, head, before) = scrape();
    assert!(status == 200 && head.contains("text/plain; version=0.0.4"), "{head}");
    assert_eq!(value(&before, "balcao_breaker_openings_total"), 0.0);
    assert_eq!(value(&before, "balcao_database_up"), 1.0);
    assert_eq!(post(&shop.address, &text("wamid.0", 1, "oi"), "guessed").unwrap().0, 401);
    shop.delivers(&text("wamid.1", 1, "quais os serviços?"));
    shop.delivers(&text("wamid.1", 1, "quais os serviços?"));
    until("the question is answered", || (shop.said().len() == 1).then_some(()));
    shop.delivers(&text("wamid.2", 2, "quero falar com uma pessoa"));
    until("the handoff is told", || (shop.said().len() == 2).then_some(()));
    let page = until("everything is counted", || {
        let page = scrape().2;
        (value(&page, "balcao_outbox_messages{state=\"sending\"}") == 0.0).then_some(page)
    });
    for (name, expected) in [
        ("balcao_turn_duration_seconds_count{outcome=\"reply\"}", 1.0),
        ("balcao_turn_duration_seconds_count{outcome=\"handoff\"}", 1.0),
        ("balcao_turn_overhead_seconds_count", 2.0),
        ("balcao_tool_calls_total{tool=\"get_services\",result=\"success\"}", 1.0),
        ("balcao_handoffs_total{reason=\"asked_for_human\"}", 1.0),
        ("balcao_sends_total{channel=\"whatsapp\",outcome=\"sent\"}", 2.0),
        ("balcao_webhooks_total{channel=\"whatsapp\",result=\"accepted\"}", 3.0),
        ("balcao_webhooks_total{channel=\"whatsapp\",result=\"bad_signature\"}", 1.0),
        ("balcao_inbox_events_total{channel=\"whatsapp\",kind=\"new\"}", 2.0),
        ("balcao_inbox_events_total{channel=\"whatsapp\",kind=\"repeated\"}", 1.0),
        ("balcao_http_requests_total{method=\"POST\",route=\"/webhooks/whatsapp\",status=\"200\"}", 3.0),
        ("balcao_http_requests_total{method=\"POST\",route=\"/webhooks/whatsapp\",status=\"401\"}", 1.0),
        ("balcao_handoffs_open", 1.0),
        ("balcao_inbox_waiting", 0.0),
        ("balcao_outbox_oldest_seconds", 0.0),
        ("balcao_turns_open", 0.0),
    ] {
        assert_eq!(value(&page, name), expected, "{name} in\n{page}");
    }
    assert!(page.lines().any(|line| line.starts_with("balcao_model_call_duration_seconds_count{model=\"")));
    for (name, ..) in balcao_app::context::metrics::ALL {
        let described = page.contains(&format!("# TYPE {name} "));
        // What has not happened yet has no line.
        assert!(described || !page.contains(&format!("{name}{{")), "{name} is not described");
    }
    for personal in ["5531988880", "88880001", "BR.9001", "wamid", "serviços"] {
        assert!(!page.contains(personal), "{personal} is in\n{page}");
    }
    assert_eq!(request(&at, "GET / HTTP/1.1", b"").unwrap().0, 404);
    assert_eq!(request(&shop.address, "GET /metrics HTTP/1.1", b"").unwrap().0, 404, "not on the open port");
}

#[test]
fn how_much_is_used_of_what_a_day_may_take_is_in_the_metrics() {
    let shop = serve("[server]\nmetrics_listen = \"127.0.0.1:0\"\n", |_| {});
    let store = Store::open(&shop.folder.path().join("balcao.db"), OpenOptions::default()).unwrap();
    let work = store.write(|tx| {
        let organization = organization::list(tx)?.remove(0).id;
        let now = "2026-11-24T13:00:00Z".parse().unwrap();
        let day = Day { date: "2026-11-24".parse().unwrap(), ends_at: "2999-01-01T00:00:00Z".parse().unwrap() };
        day_budget::spend(tx, organization, day.budget("strangers_tokens"), 20, 40, now)?;
        day_budget::spend(tx, organization, day.budget("files"), 30, 40, now)?;
        Ok::<_, StoreError>(())
    });
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work).unwrap();
    let at = metrics_of(&shop);
    let ratio = |page: &str, budget: &str| value(page, &format!("balcao_day_budget_used_ratio{{budget=\"{budget}\"}}"));
    let page = until("the budgets are read", || {
        let page = request(&at, "GET /metrics HTTP/1.1", b"").unwrap().2;
        (ratio(&page, "files") > 0.0).then_some(page)
    });
    let ratios = ["strangers_tokens", "strangers_cost", "files"].map(|budget| ratio(&page, budget));
    assert_eq!(ratios, [0.5, 0.0, 0.75], "{page}");
}

/// One conversation with a question that a tool answers.
fn traced(content: bool) -> FakeCollector {
    let collector = FakeCollector::start().unwrap();
    let config = format!("[telemetry]\notlp_endpoint = \"{}\"\ncapture_content = {content}\n", collector.url());
    let shop = serve(&config, |_| {});
    shop.delivers(&text("wamid.1", 1, "quais os serviços? xilofone"));
    until("the question is answered", || (shop.said().len() == 1).then_some(()));
    // Told to stop, it sends its last spans first.
    shop.stop();
    assert_eq!(collector.complaints(), Vec::<String>::new());
    collector
}

#[test]
fn a_turn_is_a_trace_by_the_conventions_and_holds_nothing_that_was_said() {
    let collector = traced(false);
    let spans = collector.spans();
    let named = |name: &str| spans.iter().filter(|span| span.name.starts_with(name)).collect::<Vec<_>>();
    let [turn] = named("invoke_agent ")[..] else { panic!("{spans:?}") };
    assert_eq!((turn.name.as_str(), turn.kind, turn.parent.as_str()), ("invoke_agent eli", "internal", ""));
    assert_eq!(turn.resource["service.name"], "balcao");
    let has = |span: &Span, name: &str| span.attributes.get(name).cloned().unwrap_or_default();
    assert_eq!(has(turn, "gen_ai.operation.name"), "invoke_agent");
    assert_eq!(has(turn, "gen_ai.agent.name"), "eli");
    assert!(has(turn, "gen_ai.conversation.id").starts_with("cnv_"), "{turn:?}");
    assert_eq!(has(turn, "balcao.outcome"), "reply");
    let chats = named("chat ");
    assert!(chats.len() >= 2, "{spans:?}");
    for chat in &chats {
        assert_eq!((chat.kind, &chat.parent, &chat.trace), ("client", &turn.id, &turn.trace), "{chat:?}");
        assert_eq!(has(chat, "gen_ai.operation.name"), "chat");
        assert_eq!(has(chat, "gen_ai.provider.name"), "offline");
        assert!(!has(chat, "gen_ai.request.model").is_empty() && !has(chat, "gen_ai.response.model").is_empty());
        for tokens in ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens", "gen_ai.request.max_tokens"] {
            assert!(has(chat, tokens).parse::<u64>().is_ok(), "{tokens} of {chat:?}");
        }
    }
    let [tool] = named("execute_tool ")[..] else { panic!("{spans:?}") };
    assert_eq!((tool.name.as_str(), &tool.parent, tool.failed), ("execute_tool get_services", &turn.id, false));
    assert_eq!(
        (has(tool, "gen_ai.tool.name"), has(tool, "gen_ai.tool.type")),
        ("get_services".into(), "function".into())
    );
    let [webhook] = named("POST /webhooks/whatsapp")[..] else { panic!("{spans:?}") };
    assert_eq!((webhook.kind, has(webhook, "http.response.status_code")), ("server", "200".to_owned()));
    let [sent] = named("send whatsapp")[..] else { panic!("{spans:?}") };
    assert_eq!((sent.kind, has(sent, "balcao.outcome")), ("producer", "sent".to_owned()));
    for said in ["xilofone", "serviços", "Corte", "5531988880001"] {
        assert!(!collector.heard(said), "{said} left in a span");
    }
}

#[test]
fn what_was_said_is_in_the_trace_if_the_operator_wants_it() {
    let collector = traced(true);
    let spans = collector.spans();
    let said = spans.iter().flat_map(|span| &span.events);
    let said: Vec<_> = said.filter(|(name, _)| name == "gen_ai.client.inference.operation.details").collect();
    assert!(said.iter().all(|(_, content)| content["gen_ai.input.messages"].contains("xilofone")), "{said:?}");
    let input: Value = serde_json::from_str(&said[0].1["gen_ai.input.messages"]).unwrap();
    assert_eq!(input[0]["parts"][0]["type"], "text");
    let tool = spans.iter().find(|span| span.name == "execute_tool get_services").unwrap();
    assert!(tool.events.iter().any(|(_, content)| content.contains_key("gen_ai.tool.call.result")), "{tool:?}");
}

#[test]
fn a_112_no_log_line_at_any_level_holds_a_person_or_a_secret() {
    let collector = FakeCollector::start().unwrap();
    // What is said goes into the traces, and into no log.
    let traces = format!("[telemetry]\notlp_endpoint = \"{}\"\ncapture_content = true\n", collector.url());
    log_holds_no_person_and_no_secret(&traces);
}
