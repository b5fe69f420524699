//! Profile `ops` over ClickUp: a request carries the contracts that its message needs, within its budget.

use std::sync::Arc;

use balcao_agent::limits::{NAME_TOKENS, TOOL_TOKENS};
use balcao_agent::{ProfileFile, TurnState};
use balcao_app::turns::{
    Agent, ContactRef, SelectionReason, ToolSelection, ToolSelectionRequest, ToolSelector, TurnRequest, TurnRunner,
};
use balcao_builtin_tools::catalogue::{self, CatalogueRules, Fitted};
use balcao_domain::{Locale, Phone};
use balcao_llm::providers::scripted::{Line, Scripted, calls, says};
use balcao_pack::{Handlers, LoadedPack, Loader, resolve::O200k};
use balcao_tool::Registry;
use balcao_yaml::Document;
use serde_json::json;

use crate::world::{figueira, root};

/// Two requests for each command of ClickUp, in Portuguese and in English; written before anything was measured with them.
const REQUESTS: &str = include_str!("../../../balcao-pack/tests/it/requests.tsv");

/// The command whose contract is always in view.
const CORE: &str = "get_task";

fn clickup() -> LoadedPack {
    Loader::new(Handlers::new()).describing().load_folder(&root().join("packs/clickup")).unwrap()
}

fn fitted(own: usize) -> Fitted {
    let mut pack = clickup();
    let knowledge = pack.knowledge();
    let mut registry = Registry::default();
    for tool in std::mem::take(&mut pack.tools) {
        registry.add(tool).unwrap();
    }
    let rules = CatalogueRules {
        all: 16_000,
        own,
        names: NAME_TOKENS,
        packs: vec![knowledge],
        tokens: Arc::new(O200k::default()),
        embedder: None,
    };
    catalogue::fit(registry.toolbox(|_| true), rules).unwrap()
}

/// A turn of `ops` for each message, over one conversation; and what its requests offered.
async fn turns(messages: &[&str], script: impl IntoIterator<Item = Line>) -> (Vec<TurnState>, Vec<Vec<String>>) {
    let world = figueira().await;
    let text = std::fs::read_to_string(root().join("agents/ops.yaml")).unwrap();
    let profile = Document::read("agents/ops.yaml", &text).unwrap().read_as::<ProfileFile>().unwrap().profile;
    let model = Scripted::new(script);
    let mut agent = Agent::new(profile, &Registry::default(), Arc::new(model.clone()));
    let fitted = fitted(TOOL_TOKENS);
    (agent.toolbox, agent.selector) = (Arc::new(fitted.toolbox), fitted.selector);
    let front = TurnRunner::new(world.app.clone(), [agent]);
    let mut states = Vec::new();
    for message in messages {
        let inbound = TurnRequest {
            organization: world.organization,
            channel: "terminal".to_owned(),
            from: ContactRef::Phone(Phone::parse("+5511987650001").unwrap()),
            name: None,
            texts: vec![(*message).to_owned()],
        };
        states.push(front.answer("ops", inbound, None).await.unwrap().state);
    }
    model.finish().unwrap();
    let requests = model.requests();
    let names = |request: &balcao_llm::ModelRequest| request.tools.iter().map(|tool| tool.name.clone()).collect();
    (states, requests.iter().map(names).collect())
}

async fn select(selector: &dyn ToolSelector, message: &str, locale: Locale) -> ToolSelection {
    let (earlier_messages, earlier_calls) = (Vec::new(), Vec::new());
    let request = ToolSelectionRequest { message: message.to_owned(), earlier_messages, earlier_calls, locale };
    selector.select(&request).await
}

fn holds(selection: &ToolSelection, name: &str) -> bool {
    selection.tools.iter().any(|tool| tool.name == name)
}

#[tokio::test]
async fn nine_of_ten_requests_find_their_contract_in_view_and_none_exceeds_the_budget() {
    let selector = fitted(TOOL_TOKENS).selector.unwrap();
    let (mut right, mut all, mut tokens) = (0, 0, 0);
    for line in REQUESTS.lines() {
        let [command, pt_br, en] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        for (words, locale) in [(pt_br, Locale::PtBr), (en, Locale::En)] {
            let selection = select(selector.as_ref(), words, locale).await;
            assert!(selection.tokens <= selection.budget, "{words}: {selection:?}");
            right += usize::from(command == CORE || holds(&selection, command));
            tokens += selection.tokens;
            all += 1;
        }
    }
    println!("{right} of {all} requests, {} tokens each", tokens / all);
    assert!(right * 10 >= all * 9, "{right} of {all}");
}

#[tokio::test]
async fn turn_offers_core_selected_and_called_tools_and_saves_its_selection() {
    let script =
        [calls("load_tool", &json!({"names": ["stop_timer"]})), says("Posso parar o cronômetro."), says("Está bem.")];
    let (states, offered) = turns(&["crie uma pasta chamada Clientes", "deixa"], script).await;
    let [first, second, third] = &offered[..] else { panic!("{offered:?}") };
    let has = |names: &[String], name: &str| names.iter().any(|one| one == name);
    for name in [CORE, "find_tools", "load_tool", "create_folder"] {
        assert!(has(first, name), "{name}: {first:?}");
    }
    assert!(!has(first, "stop_timer") && first.len() < 20, "{first:?}");
    assert_eq!((&second[..first.len()], &second[first.len()..]), (&first[..], &["stop_timer".to_owned()][..]));
    // The next message names nothing: the earlier one still brings its tools.
    assert!(has(third, "create_folder"), "{third:?}");
    let selected = states[0].selection.tools.iter().find(|tool| tool.name == "create_folder").unwrap();
    assert_eq!(selected.reason, SelectionReason::Message);
    let selected = states[1].selection.tools.iter().find(|tool| tool.name == "create_folder").unwrap();
    assert_eq!(selected.reason, SelectionReason::EarlierMessage);
    let saved: TurnState = serde_json::from_value(
        serde_json::to_value(&TurnState {
            phase: balcao_agent::turn::Phase::AwaitingModel { want: balcao_agent::turn::RequestKind::Step },
            ..states[0].clone()
        })
        .unwrap(),
    )
    .unwrap();
    assert_eq!(saved.selection, states[0].selection, "a resumed turn offers the same");
}

#[tokio::test]
async fn equal_requests_get_equal_selections_with_the_rules_of_what_they_show() {
    let message = "crie uma tarefa";
    let select_anew = || async { select(fitted(TOOL_TOKENS).selector.unwrap().as_ref(), message, Locale::PtBr).await };
    let (selection, again) = (select_anew().await, select_anew().await);
    assert_eq!(selection, again);
    assert!(
        holds(&selection, "create_task") && selection.guidance.contains("Creating takes assignees as a list of ids"),
        "{selection:?}"
    );
    let request = ToolSelectionRequest {
        message: "sim".to_owned(),
        earlier_messages: vec!["obrigada".to_owned()],
        earlier_calls: vec!["create_checklist".to_owned(), "unknown".to_owned()],
        locale: Locale::PtBr,
    };
    let selection = fitted(TOOL_TOKENS).selector.unwrap().select(&request).await;
    assert_eq!(
        selection.tools.first().map(|tool| (tool.name.as_str(), tool.reason)),
        Some(("create_checklist", SelectionReason::EarlierCall))
    );
}

#[test]
fn request_names_each_tool_whose_contract_it_may_lack() {
    let toolbox = fitted(TOOL_TOKENS).toolbox;
    let load = toolbox.get("load_tool").unwrap();
    for locale in [Locale::PtBr, Locale::En] {
        let told: Vec<&str> = load.spec.description.get(locale).split_whitespace().collect();
        for tool in clickup().tools.iter().filter(|tool| tool.spec.name != CORE && !tool.spec.internal) {
            assert!(told.contains(&tool.spec.name.as_str()), "{}: {told:?}", tool.spec.name);
        }
    }
}

#[test]
fn pack_that_fits_its_budget_is_shown_whole() {
    let fitted = fitted(100_000);
    assert!(fitted.selector.is_none() && fitted.toolbox.get("find_tools").is_none() && fitted.on_demand.is_empty());
}
