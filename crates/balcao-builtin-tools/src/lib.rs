//! The tools we ship: packs `crm`, `salon`, `followup`, `intake`, `analytics` and `calendar`, with their native handlers.
//!
//! The contracts are in `packs/*/tool.yaml`, and the rules are in `balcao-app`. A handler parses, calls one use case and shapes the answer.
//! To add a tool, copy a neighbour in `tools/`, list it in [`tools::handlers`], and define its command in a pack.

pub mod catalogue;
mod support;
pub mod tools;

use std::sync::LazyLock;

use balcao_app::AppContext;
use balcao_pack::{LoadedPack, Loader};
use balcao_tool::{Registry, Tool};
use balcao_yaml::{Document, Problem};
use serde_json::Value;

/// The packs that are part of the program, by file name.
pub const PACKS: [(&str, &str); 6] = [
    ("packs/crm/tool.yaml", include_str!("../../../packs/crm/tool.yaml")),
    ("packs/salon/tool.yaml", include_str!("../../../packs/salon/tool.yaml")),
    ("packs/followup/tool.yaml", include_str!("../../../packs/followup/tool.yaml")),
    ("packs/intake/tool.yaml", include_str!("../../../packs/intake/tool.yaml")),
    ("packs/analytics/tool.yaml", include_str!("../../../packs/analytics/tool.yaml")),
    ("packs/calendar/tool.yaml", include_str!("../../../packs/calendar/tool.yaml")),
];

/// The texts of [`PACKS`], read once: every world of an evaluation has a registry of its own.
static DOCUMENTS: LazyLock<Vec<Result<Document, Box<Problem>>>> =
    LazyLock::new(|| PACKS.iter().map(|(file, text)| Document::read(file, text)).collect());

/// The ids of the packs that are part of the program.
#[must_use]
pub fn pack_ids() -> Vec<&'static str> {
    PACKS.iter().filter_map(|(file, _)| file.split('/').nth(1)).collect()
}

/// What a profile decides about its tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether `add_tag` may create tags.
    pub allow_new_tags: bool,
    /// Lead of appointment reminders where the business states none, in minutes.
    pub reminder_minutes: u32,
    /// Delays that follow-ups may have, in minutes.
    pub followup_delays: Vec<u32>,
    /// Whom pack `calendar` books; anybody who is free and offers the service, if absent.
    pub professional: Option<String>,
}

/// Loads the shipped packs over the application context.
///
/// # Errors
/// Every problem of every pack.
pub fn registry(app: &AppContext, settings: &Settings) -> Result<Registry, Vec<Problem>> {
    let loader = Loader::new(tools::handlers(app, settings));
    let mut registry = Registry::default();
    let mut problems = Vec::new();
    for document in DOCUMENTS.iter() {
        let loaded = document.clone().map_err(|problem| vec![*problem]).and_then(|read| {
            let file = read.file.clone();
            Ok((file, loader.load_document(read)?))
        });
        match loaded {
            Ok((file, pack)) => problems.extend(register(&mut registry, &file, pack, settings)),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(registry) } else { Err(problems) }
}

fn register(registry: &mut Registry, file: &str, pack: LoadedPack, settings: &Settings) -> Vec<Problem> {
    let refused = |reason: String| Problem {
        file: file.to_owned(),
        pointer: String::new(),
        line: 0,
        column: 0,
        message: reason,
        suggestion: None,
        snippet: String::new(),
    };
    let mut problems = Vec::new();
    for tool in pack.tools {
        let name = tool.spec.name.clone();
        // There are no flows yet, so no model is offered to start one.
        if name == "trigger_flow" {
            continue;
        }
        if let Err(reason) = limited(tool, &name, settings).and_then(|tool| registry.add(tool)) {
            problems.push(refused(reason));
        }
    }
    problems
}

/// The delays of follow-ups are the profile's, not the pack's.
fn limited(tool: Tool, name: &str, settings: &Settings) -> Result<Tool, String> {
    match name {
        "schedule_followup" => {
            tool.restrict("delay_minutes", settings.followup_delays.iter().copied().map(Value::from).collect())
        }
        _ => Ok(tool),
    }
}
