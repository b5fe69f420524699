//! The bundle of a pack holds what a model needs, stays within the budget, and is always equal for equal questions.

use balcao_pack::{
    LoadedPack,
    resolve::{Context, O200k, Question, Sort, Tokens},
};
use balcao_tool::Locale;
use proptest::prelude::*;

use crate::world::{Canned, UPDATE, pack};

/// A word is a token.
struct Words;

impl Tokens for Words {
    fn vocabulary(&self) -> &'static str {
        "words"
    }

    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }
}

const MORE: &str = r#"  helpers:
    - {id: fold, signature: fold(text), summary: Takes accents away., function: "(x) => x"}
    - {id: field-id, dependencies: [fold], inject: source, summary: Finds a field., function: "(name) => name"}
    - {id: secret, inject: never, function: "(x) => x"}
    - {id: unused, function: "(x) => x"}
  examples:
    success_cases:
      - {id: renames, operation: update_task, input: {task_id: DEV-1, name: Meeting}, output: {}}
      - {id: assigns, operation: update_task, input: {task_id: DEV-1, assignees: {add: [1], rem: []}}, output: {}}
      - {id: reads, operation: get_task, input: {task_id: DEV-1}, output: {}}
    failure_cases:
      - {id: list, operation: update_task, wrong_input: {task_id: DEV-1, assignees: [1]}, error_message: wrong_form, cause: The form of create.}
"#;

fn loaded() -> LoadedPack {
    with("")
}

/// With further anti-patterns.
fn with(anti_patterns: &str) -> LoadedPack {
    let update = UPDATE.replace(
        "      validates: update_task\n",
        "      validates: update_task\n      rule: Assignees are added and removed.\n",
    );
    let text = pack(&format!("{update}{anti_patterns}{MORE}")).replacen(
        "    - id: update_task\n",
        "    - id: update_task\n      uses_helpers: [field-id, secret]\n",
        1,
    );
    Canned::default().loader().load("tool.yaml", &text).unwrap_or_else(|found| panic!("{found:#?}"))
}

fn resolve(command: Option<&str>, words: &str, budget: usize) -> Context {
    let question = Question { command, words, budget, locale: Locale::En };
    loaded().resolve(&question, &Words).unwrap()
}

fn ids(context: &Context) -> Vec<(Sort, &str)> {
    context.told.iter().map(|piece| (piece.sort, piece.id.as_str())).collect()
}

#[test]
fn a_command_comes_with_all_that_it_needs_and_nothing_else() {
    let context = resolve(Some("update_task"), "", 10_000);
    assert_eq!(
        ids(&context),
        [
            (Sort::Contract, "update_task"),
            (Sort::Helper, "fold"),
            (Sort::Helper, "field-id"),
            (Sort::Rule, "validate-update-task"),
            (Sort::AntiPattern, "assignee-format-mismatch"),
            (Sort::Example, "renames"),
            (Sort::Example, "assigns"),
            (Sort::Failure, "list"),
        ]
    );
    assert!(context.left_out.is_empty());
    let text = context.text();
    assert!(text.contains("Helper fold(text): Takes accents away.") && text.contains("(name) => name"), "{text}");
    assert!(context.tokens < loaded().tokens_of_all(Locale::En, &Words));
}

#[test]
fn under_a_small_budget_what_is_worth_most_comes_first_and_the_rest_is_told_of() {
    let contract = resolve(Some("update_task"), "", 10_000).told[0].tokens;
    let context = resolve(Some("update_task"), "", contract + 12);
    assert_eq!(ids(&context)[..2], [(Sort::Contract, "update_task"), (Sort::Helper, "fold")]);
    assert!(context.left_out.iter().any(|piece| piece.id == "list"));
    let explained = context.explain(1_000);
    assert!(explained.contains("the whole pack takes 1000"), "{explained}");
    assert!(explained.contains("in  ") && explained.contains("out "), "{explained}");
    assert!(resolve(Some("update_task"), "", 0).told.is_empty());
}

#[test]
fn of_two_examples_the_one_that_fits_the_users_words_comes_first() {
    let with = |words: &str| {
        let context = resolve(Some("update_task"), words, 10_000);
        context.told.iter().max_by_key(|piece| (piece.sort == Sort::Example, piece.value)).unwrap().id.clone()
    };
    assert_eq!(with("rename it to meeting"), "renames");
    assert_eq!(with("change the assignees"), "assigns");
}

#[test]
fn without_a_command_the_catalogue_comes_first() {
    let context = resolve(None, "", 30);
    assert!(
        context.told.len() >= 4 && context.told.iter().take(4).all(|piece| piece.sort == Sort::Line),
        "{context:#?}"
    );
    let question = Question { command: Some("gone"), words: "", budget: 1, locale: Locale::En };
    assert_eq!(loaded().resolve(&question, &Words), None);
}

#[test]
fn tokens_are_those_of_a_real_vocabulary() {
    let tokens = O200k::default();
    assert_eq!(tokens.count("hello world"), 2);
    assert_eq!(tokens.count("hello world"), 2);
    assert_eq!(tokens.count(""), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn no_bundle_is_larger_than_its_budget_and_the_same_question_has_the_same_answer(budget in 0_usize..400, words in "[a-z ]{0,20}") {
        let pack = loaded();
        for command in [None, Some("update_task"), Some("get_task")] {
            let question = Question { command, words: &words, budget, locale: Locale::PtBr };
            let context = pack.resolve(&question, &Words).unwrap();
            prop_assert!(context.tokens <= budget);
            prop_assert!(Words.count(&context.text()) <= context.tokens);
            prop_assert_eq!(&Some(context), &pack.resolve(&question, &Words));
        }
    }
}

/// Tokens as a real vocabulary counts them.
#[test]
fn of_every_clickup_command_a_tenth_of_the_pack_is_told_with_all_helpers_that_it_needs_and_never_more_than_the_budget()
{
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup");
    let pack = balcao_pack::Loader::new(balcao_pack::Handlers::new()).describing().load_folder(&folder).unwrap();
    let tokens = O200k::default();
    let mut most = (0, String::new());
    let whole = pack.tokens_of_all(Locale::En, &tokens);
    for command in pack.pack.commands.iter().filter(|command| !command.internal) {
        let question = |budget| Question { command: Some(&command.id), words: "", budget, locale: Locale::En };
        let all = pack.resolve(&question(usize::MAX), &tokens).unwrap();
        let context = pack.resolve(&question(whole / 10), &tokens).unwrap();
        assert!(context.tokens * 10 <= whole && context.tokens <= context.budget, "{}", command.id);
        assert_eq!(context.told[0].sort, Sort::Contract, "{}", command.id);
        let mut needed: Vec<&str> = command.uses_helpers.iter().map(String::as_str).collect();
        let mut place = 0;
        while let Some(id) = needed.get(place).copied() {
            let helper = pack.pack.helpers.iter().find(|helper| helper.id == id).unwrap();
            needed.extend(
                helper.dependencies.iter().map(String::as_str).filter(|id| !needed.contains(id)).collect::<Vec<_>>(),
            );
            let told = context.told.iter().any(|piece| piece.sort == Sort::Helper && piece.id == id);
            assert!(told || helper.inject == balcao_pack::manifest::Inject::Never, "{} lacks {id}", command.id);
            place += 1;
        }
        if all.tokens > most.0 {
            most = (all.tokens, command.id.clone());
        }
    }
    println!("the whole pack takes {whole} tokens; all about one command at most {} ({})", most.0, most.1);
}

#[test]
fn without_the_contract_nothing_else_is_told_and_the_least_that_fits_is_said() {
    let least = resolve(Some("update_task"), "", 10_000).told[0].tokens;
    let context = resolve(Some("update_task"), "", least - 1);
    assert_eq!((context.told.len(), context.least), (0, least));
    assert!(context.explain(0).contains(&format!("the least that fits is {least} tokens")), "{}", context.explain(0));
    assert!(!resolve(Some("update_task"), "", least).explain(0).contains("least"));
}

#[test]
fn a_mistake_that_no_check_finds_is_told_with_the_commands_that_it_names_or_of_the_whole_pack() {
    let pack = with(
        "    - {id: one-by-one, title: One by one, wrong: w, better: b, why: slow, commands: [update_task]}\n    \
         - {id: guessed, title: A guess, wrong: w, correct: c, why: deliveries differ}\n",
    );
    for (command, expected) in [
        (Some("update_task"), &["assignee-format-mismatch", "one-by-one"][..]),
        (Some("get_task"), &[]),
        (None, &["assignee-format-mismatch", "one-by-one", "guessed"]),
    ] {
        let question = Question { command, words: "", budget: 10_000, locale: Locale::En };
        let context = pack.resolve(&question, &Words).unwrap();
        let told = context.told.iter().filter(|piece| piece.sort == Sort::AntiPattern);
        assert_eq!(told.map(|piece| piece.id.as_str()).collect::<Vec<_>>(), expected, "{command:?}");
    }
}

#[test]
fn beside_a_contract_that_is_shown_elsewhere_the_rest_is_told_within_its_budget() {
    let known = loaded().knowledge();
    let told = |tool, budget| known.beside_the_contract(tool, budget, Locale::En, &Words);
    let all = told("update_task", 10_000).unwrap();
    assert_eq!(ids(&all), ids(&resolve(Some("update_task"), "", 10_000))[1..]);
    let some = told("update_task", 12).unwrap();
    assert!(!some.told.is_empty() && some.tokens <= 12 && some.told.len() < all.told.len(), "{some:#?}");
    assert_eq!(told("gone", 10_000), None);
}

/// Words, and the texts that were counted.
#[derive(Default)]
struct Noted(std::sync::Mutex<Vec<String>>);

impl Tokens for Noted {
    fn vocabulary(&self) -> &'static str {
        "noted"
    }

    fn count(&self, text: &str) -> usize {
        self.0.lock().unwrap().push(text.to_owned());
        Words.count(text)
    }
}

#[test]
fn to_tell_of_one_command_nothing_else_is_counted_and_nothing_twice() {
    let (pack, tokens) = (loaded(), Noted::default());
    let question = Question { command: Some("get_task"), words: "", budget: 10_000, locale: Locale::En };
    let context = pack.resolve(&question, &tokens).unwrap();
    let told: Vec<&str> = context.told.iter().map(|piece| piece.text.as_str()).collect();
    let counted = tokens.0.lock().unwrap().clone();
    assert_eq!(counted.iter().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>(), told);
    pack.resolve(&question, &tokens).unwrap();
    assert_eq!(tokens.0.lock().unwrap().len(), counted.len());
    assert_eq!(pack.tokens_of_all(Locale::En, &tokens), pack.tokens_of_all(Locale::En, &Words));
}
