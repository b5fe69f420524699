//! A profile with more tools than fit: what is not in view is found by words and shown for the rest of the turn.

use std::sync::Arc;

use balcao_app::turns::{Agent, ContactRef, TurnRequest, TurnRunner};
use balcao_builtin_tools::Settings;
use balcao_builtin_tools::catalogue::{self, CatalogueRules};
use balcao_domain::Phone;
use balcao_llm::providers::scripted::{Line, Scripted, calls, says};
use balcao_pack::{
    Handlers, Loader,
    resolve::{Knowledge, Tokens},
};
use balcao_tool::Toolbox;
use serde_json::json;

use crate::{
    messaging_harness::eli,
    world::{figueira, root},
};

struct Words;

impl Tokens for Words {
    fn vocabulary(&self) -> &'static str {
        "words"
    }

    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

/// What a turn's requests offered, and what its calls answered.
struct Seen {
    offered: Vec<Vec<String>>,
    answers: Vec<String>,
}

async fn turn(budget: usize, script: impl IntoIterator<Item = Line>) -> Seen {
    turn_knowing(Vec::new(), budget, script).await
}

/// A turn whose packs know more of their tools than the contracts.
async fn turn_knowing(packs: Vec<Knowledge>, budget: usize, script: impl IntoIterator<Item = Line>) -> Seen {
    let rules =
        CatalogueRules { all: budget, own: budget, names: budget / 10, packs, tokens: Arc::new(Words), embedder: None };
    turn_with(|toolbox| catalogue::fit(toolbox, rules).unwrap().toolbox, script).await
}

async fn turn_with(changed: impl FnOnce(Toolbox) -> Toolbox, script: impl IntoIterator<Item = Line>) -> Seen {
    let world = figueira().await;
    world.set_local("2026-11-24T10:00");
    let profile = eli();
    let settings = Settings {
        professional: None,
        allow_new_tags: profile.allow_new_tags,
        reminder_minutes: profile.reminder_minutes,
        followup_delays: profile.followup_delays.clone(),
    };
    let registry = balcao_builtin_tools::registry(&world.app, &settings).unwrap();
    let model = Scripted::new(script);
    let mut agent = Agent::new(profile, &registry, Arc::new(model.clone()));
    agent.toolbox = Arc::new(changed(Toolbox::clone(&agent.toolbox)));
    let front = TurnRunner::new(world.app.clone(), [agent]);
    let inbound = TurnRequest {
        organization: world.organization,
        channel: "terminal".to_owned(),
        from: ContactRef::Phone(Phone::parse("+5511987650001").unwrap()),
        name: None,
        texts: vec!["oi".to_owned()],
    };
    front.answer("eli", inbound, None).await.unwrap();
    model.finish().unwrap();
    let requests = model.requests();
    let offered = requests.iter().map(|request| request.tools.iter().map(|tool| tool.name.clone()).collect()).collect();
    let messages = requests.last().unwrap().messages.iter().map(|message| format!("{message:?}"));
    let answers = messages.filter(|message| message.starts_with("Tool")).collect();
    Seen { offered, answers }
}

fn holds(names: &[String], name: &str) -> bool {
    names.iter().any(|other| other == name)
}

#[tokio::test]
async fn a_small_profile_shows_all_its_contracts_at_once() {
    let seen = turn(1_000_000, [says("Oi!")]).await;
    assert!(holds(&seen.offered[0], "join_waitlist") && !holds(&seen.offered[0], "find_tools"), "{:?}", seen.offered);
}

#[tokio::test]
async fn what_does_not_fit_is_found_loaded_and_stays_in_view_behind_all_that_was_there() {
    let script = [
        calls("find_tools", &json!({"query": "entrar na lista de espera"})),
        calls("load_tool", &json!({"names": ["join_waitlist"]})),
        says("Oi! Como posso ajudar?"),
    ];
    let seen = turn(300, script).await;
    let [first, second, third] = &seen.offered[..] else { panic!("{:?}", seen.offered) };
    assert!(holds(first, "find_tools") && holds(first, "load_tool") && !holds(first, "join_waitlist"), "{first:?}");
    assert_eq!(first, second);
    assert_eq!((&third[..first.len()], &third[first.len()..]), (&first[..], &["join_waitlist".to_owned()][..]));
    assert!(seen.answers.iter().any(|answer| answer.contains("join_waitlist") && answer.contains("does")));
}

#[tokio::test]
async fn a_tool_that_the_profile_lacks_is_neither_found_nor_loaded_nor_named() {
    let script = [
        calls("find_tools", &json!({"query": "clientes que mais faltam, ranking de faltas"})),
        calls("load_tool", &json!({"names": ["join_waitlist", "get_no_show_clients"]})),
        says("Oi! Como posso ajudar?"),
    ];
    let seen = turn(300, script).await;
    assert_eq!(seen.offered[2], seen.offered[0], "nothing was loaded");
    let analytics = std::fs::read_to_string(root().join("packs/analytics/tool.yaml")).unwrap();
    let ids: Vec<&str> = analytics.lines().filter_map(|line| line.strip_prefix("    - id: ")).collect();
    assert!(ids.contains(&"get_no_show_clients"), "{ids:?}");
    let (found, refused) = (&seen.answers[0], &seen.answers[1]);
    for id in ids {
        assert!(!found.contains(id), "{id} in {found}");
    }
    assert!(refused.contains("there is no such tool"), "{refused}");
}

/// What a pack of the operator's own would say of one of its tools.
const KNOWN: &str = r#"tool:
  id: salon
  type: mcp
  name: Salon
  version: 1.0.0
  description: {pt-BR: Um salão., en: A salon.}
  commands:
    - id: join_waitlist
      description: {pt-BR: A lista de espera., en: The waiting list.}
      effect: read
      handler: {tool: join}
      input_schema: {type: object, additionalProperties: false, properties: {day: {type: string}}}
      output_schema: {type: object}
  validators:
    - {id: days, validates: join_waitlist, rule: A day as the calendar writes it., checks: [{format: {day: date}, anti_pattern: day-in-words}]}
  anti_patterns:
    - {id: day-in-words, title: A day in words, wrong: {day: hoje}, correct: {day: "2026-11-24"}, why: The list knows dates., reference: days}
  examples:
    success_cases: [{id: joins, operation: join_waitlist, input: {day: "2026-11-24"}, output: {}, response: {}}]
    failure_cases: [{id: today, operation: join_waitlist, wrong_input: {day: hoje}, error_message: day, cause: words, reference: day-in-words}]
"#;

#[tokio::test]
async fn with_a_tool_comes_what_its_pack_knows_of_using_it_and_not_its_contract_a_second_time() {
    let pack = Loader::new(Handlers::new()).describing().load("tool.yaml", KNOWN);
    let known = vec![pack.unwrap_or_else(|problems| panic!("{problems:#?}")).knowledge()];
    let script = [calls("load_tool", &json!({"names": ["join_waitlist"]})), says("Oi! Como posso ajudar?")];
    let seen = turn_knowing(known, 300, script).await;
    let answer = &seen.answers[0];
    for part in
        ["Rule: A day as the calendar writes it.", "Avoid: A day in words", "Example of join_waitlist", "Refused by"]
    {
        assert!(answer.contains(part), "{part}: {answer}");
    }
    assert!(!answer.contains("additionalProperties"), "{answer}");
}

#[tokio::test]
async fn what_a_pack_knows_in_prose_is_looked_up_and_a_pack_without_prose_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("knowledge")).unwrap();
    std::fs::write(folder.path().join("tool.yaml"), KNOWN).unwrap();
    let bare = Loader::new(Handlers::new()).describing().load_folder(folder.path()).unwrap();
    assert!(bare.notes().is_empty());
    let prose = "# Noivas\n\nNoivas entram na lista com três meses de antecedência.\n\n# Feriados\n\nNão há lista em feriados.\n";
    std::fs::write(folder.path().join("knowledge/lista.md"), prose).unwrap();
    let pack = Loader::new(Handlers::new()).describing().load_folder(folder.path()).unwrap();
    let noted = |notes| catalogue::with_notes(Toolbox::default(), notes, None).unwrap();
    let names = |toolbox: &Toolbox| toolbox.iter().map(|tool| tool.spec.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&noted(bare.notes())), Vec::<String>::new());
    assert_eq!(names(&noted(pack.notes())), [catalogue::SEARCH_NOTES]);
    let script =
        [calls("search_pack_notes", &json!({"query": "lista de espera para noiva"})), says("Oi! Como posso ajudar?")];
    let seen = turn_with(|toolbox| catalogue::with_notes(toolbox, pack.notes(), None).unwrap(), script).await;
    let answer = &seen.answers[0];
    assert!(answer.contains("três meses de antecedência") && answer.contains("salon"), "{answer}");
}
