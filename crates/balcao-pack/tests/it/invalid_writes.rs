//! A corpus of writes made by rule from the ClickUp pack: wrong ones are stopped before anything is read or sent, each with the
//! anti-pattern that it is; right ones go through.
//!
//! Not in it: the anti-patterns that no arguments show (`multiple-api-calls-custom-fields`, `payload-path-assumed`), and a value for a field
//! whose type the call does not say: that has to be read (`field_types`).

use std::{collections::BTreeMap, path::Path};

use async_trait::async_trait;
use balcao_pack::{
    LoadedPack,
    validate::{CheckContext, CheckError, Lookup},
};
use balcao_tool::{CallResult, FieldProblem, ResultClass, RunMode, ToolContext};
use serde_json::{Value, json};

use crate::{
    world::{Canned, context},
    writes_corpus::{Write, invalid, valid},
};

fn clickup(world: &Canned) -> LoadedPack {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/clickup");
    world.loader().load_folder(&folder).unwrap()
}

/// What came of a call.
enum Came {
    /// Refused, with this.
    Refused(Vec<FieldProblem>),
    /// It ran.
    Ran,
}

async fn call(pack: &LoadedPack, write: &Write) -> Came {
    let tool = pack.tools.iter().find(|tool| tool.spec.name == write.command).unwrap();
    let checked = match tool.check_arguments(write.args.clone()) {
        Ok(checked) => checked,
        Err(problems) => return Came::Refused(problems),
    };
    let result = tool.execute(&context(), checked.args, RunMode::Execute).await;
    if result.class != ResultClass::Correction {
        return Came::Ran;
    }
    let problems = result.value.pointer("/details/fields").cloned();
    Came::Refused(serde_json::from_value(problems.unwrap_or_else(|| panic!("{}", result.value))).unwrap())
}

#[tokio::test]
async fn of_invalid_writes_at_least_95_of_100_are_stopped_before_any_io_each_with_its_anti_pattern() {
    let world = Canned::new(json!({}));
    let pack = clickup(&world);
    let corpus = invalid(&pack);
    let mut by_rule: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut through, mut otherwise) = (Vec::new(), Vec::new());
    for write in &corpus {
        let touched = world.called().len();
        let came = call(&pack, write).await;
        let (of, stopped) = by_rule.entry(write.rule).or_default();
        *of += 1;
        match came {
            Came::Refused(problems) if world.called().len() == touched => {
                *stopped += 1;
                let right = problems.iter().any(|problem| {
                    problem.pointer.contains(&write.place)
                        && write.cites.is_none_or(|id| problem.anti_pattern.as_deref() == Some(id))
                });
                if !right {
                    otherwise.push(format!("{} {}: {} -> {}", write.rule, write.command, write.args, json!(problems)));
                }
            }
            Came::Refused(_) | Came::Ran => through.push(format!("{} {}: {}", write.rule, write.command, write.args)),
        }
    }
    let cited = corpus.iter().filter(|write| write.cites.is_some()).count();
    let (all, stopped) = (corpus.len(), corpus.len() - through.len());
    println!(
        "{stopped} of {all} invalid writes were stopped before any I/O; {cited} of them follow from anti-patterns"
    );
    for (rule, (of, stopped)) in &by_rule {
        println!("  {rule}: {stopped} of {of}");
    }
    assert!(all >= 300 && cited >= 150, "{all} {cited}");
    assert!(stopped * 100 >= all * 95, "through:\n{}", through.join("\n"));
    assert!(otherwise.is_empty(), "stopped with something else:\n{}", otherwise.join("\n"));
}

/// Lists and tasks whose fields are what a call takes them for.
struct AsSaid<'a>(&'a Value);

impl AsSaid<'_> {
    /// Every entry of a field in the arguments, with the type that it is said to have; a date that none is said of.
    fn fields(&self) -> Vec<Value> {
        let args = self.0;
        let one = args.get("field_id").map(|id| json!({"id": id, "type": args.get("field_type")}));
        let lists = ["/fields", "/custom_fields", "/tasks/0/custom_fields", "/tasks/1/custom_fields"];
        let entries = lists.iter().filter_map(|place| args.pointer(place)?.as_array()).flatten().cloned();
        let named = |entry: Value| {
            let kind = entry.get("type").filter(|kind| kind.is_string()).cloned();
            json!({"id": entry["id"], "name": "Campo", "type": kind.unwrap_or_else(|| json!("date")), "type_config": {}})
        };
        one.into_iter().chain(entries).map(named).collect()
    }
}

#[async_trait]
impl Lookup for AsSaid<'_> {
    async fn read(&self, _cx: &ToolContext, command: &str, _args: Value) -> CallResult {
        let key = if command == "get_task" { "custom_fields" } else { "fields" };
        let value = json!({ key: self.fields() });
        CallResult {
            class: ResultClass::Success,
            code: None,
            value,
            receipts: Vec::new(),
            offers: Vec::new(),
            internal: None,
            confirm: None,
            uncertain: false,
            duration_ms: 0,
        }
    }
}

/// What is wrong with a call, by all its checks; nothing of it is run.
async fn judged(pack: &LoadedPack, write: &Write) -> Vec<FieldProblem> {
    let tool = pack.tools.iter().find(|tool| tool.spec.name == write.command).unwrap();
    let checked = match tool.check_arguments(write.args.clone()) {
        Ok(checked) => checked,
        Err(problems) => return problems,
    };
    let Some(admission) = pack.admissions.get(&write.command) else { return Vec::new() };
    let cx = context();
    let world = CheckContext { cx: &cx, lookup: &AsSaid(&write.args), sandbox: pack.sandbox.as_deref() };
    match admission.admit(world, &tool.input, checked.args).await {
        Ok(_) => Vec::new(),
        Err(CheckError::Arguments(problems)) => problems,
        Err(CheckError::Undecided(error)) => panic!("{}: {error:?}", write.args),
    }
}

#[tokio::test]
async fn of_several_hundred_valid_writes_none_raises_an_alarm() {
    let pack = clickup(&Canned::new(json!({})));
    let corpus = valid(&pack);
    let mut alarms = Vec::new();
    for write in &corpus {
        let problems = judged(&pack, write).await;
        if !problems.is_empty() {
            alarms.push(format!("{} {}: {} -> {}", write.rule, write.command, write.args, json!(problems)));
        }
    }
    println!("{} of {} valid writes went through", corpus.len() - alarms.len(), corpus.len());
    assert!(corpus.len() >= 300, "{}", corpus.len());
    assert!(alarms.is_empty(), "{}", alarms.join("\n"));
}
