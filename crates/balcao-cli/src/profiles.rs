//! Profiles: those of the `agents/` folder over those that are part of the program.

use std::{collections::BTreeMap, path::Path};

use balcao_agent::{Audience, Profile, ProfileFile, limits, prompt::MODULES};
use balcao_builtin_tools::Settings;
use balcao_pack::program;
use balcao_tool::{Confirm, Registry};
use balcao_yaml::{Document, Problem, nearest};

use crate::output::Failure;

/// The profiles that are part of the program, by file name.
const SHIPPED: [(&str, &str); 5] = [
    ("agents/eli.yaml", include_str!("../../../agents/eli.yaml")),
    ("agents/manual.yaml", include_str!("../../../agents/manual.yaml")),
    ("agents/odys-assistant.yaml", include_str!("../../../agents/odys-assistant.yaml")),
    ("agents/odys-intake.yaml", include_str!("../../../agents/odys-intake.yaml")),
    ("agents/ops.yaml", include_str!("../../../agents/ops.yaml")),
];

/// Whether a profile came with the program.
pub(crate) fn is_shipped(document: &Document) -> bool {
    SHIPPED.iter().any(|(file, _)| *file == document.file)
}

/// All profiles with the files they came from, by id. A file of the folder replaces a shipped profile of its id.
pub(crate) fn load(folder: &Path) -> Result<BTreeMap<String, (Profile, Document)>, Failure> {
    let mut profiles = BTreeMap::new();
    let mut problems = Vec::new();
    let mut own: BTreeMap<String, String> = BTreeMap::new();
    let mut add = |file: &str, text: &str, shipped: bool| match read(file, text) {
        Ok((profile, document)) => {
            for warning in warnings(&profile, &document) {
                tracing::warn!(%warning, "profile setting without effect");
            }
            let id = profile.id.clone();
            match own.get(&id) {
                Some(other) => {
                    let message = format!("the profile `{id}` is defined by {other} already");
                    problems.push(document.problem(
                        "/profile/id",
                        message,
                        Some("give one of them another id".to_owned()),
                    ));
                }
                None if !shipped => {
                    own.insert(id.clone(), file.to_owned());
                }
                None => {}
            }
            profiles.insert(id, (profile, document));
        }
        Err(found) => problems.extend(found),
    };
    for (file, text) in SHIPPED {
        add(file, text, true);
    }
    if folder.is_dir() {
        let entries =
            std::fs::read_dir(folder).map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
        let mut files: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
        files.sort();
        for path in files.iter().filter(|path| path.extension().is_some_and(|end| end == "yaml" || end == "yml")) {
            let text = crate::files::read_text(path)?;
            add(&path.display().to_string(), &text, false);
        }
    }
    if problems.is_empty() { Ok(profiles) } else { Err(Failure::problems(&problems)) }
}

fn read(file: &str, text: &str) -> Result<(Profile, Document), Vec<Problem>> {
    let document = Document::read(file, text).map_err(|problem| vec![*problem])?;
    let profile = document.read_as::<ProfileFile>().map_err(|problem| vec![*problem])?.profile;
    let problems = check(&profile, &document);
    if problems.is_empty() { Ok((profile, document)) } else { Err(problems) }
}

/// Settings of a profile that have no effect, each with a cure.
pub(crate) fn warnings(profile: &Profile, document: &Document) -> Vec<Problem> {
    if profile.flows.is_empty() {
        return Vec::new();
    }
    let message =
        "invalid `flows`; expected none, because flows do not exist yet: `trigger_flow` is not offered".to_owned();
    vec![document.problem("/profile/flows", message, Some("take `flows` out".to_owned()))]
}

/// What the shape of the file cannot say.
fn check(profile: &Profile, document: &Document) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut complain = |at: String, message: String, suggestion: Option<String>| {
        problems.push(document.problem(&format!("/profile/{at}"), message, suggestion));
    };
    for (index, module) in profile.prompt.iter().enumerate() {
        if !MODULES.contains(&module.as_str()) {
            let near = nearest(module, MODULES).map(|name| format!("did you mean `{name}`?"));
            complain(format!("prompt/{index}"), format!("unknown prompt module `{module}`"), near);
        }
    }
    if profile.limits.max_tool_rounds > limits::MAX_TOOL_ROUNDS {
        let suggestion = Some(format!("at most {}", limits::MAX_TOOL_ROUNDS));
        complain("limits/max_tool_rounds".to_owned(), "more rounds than a turn may have".to_owned(), suggestion);
    }
    for (name, count) in [("overall", profile.breaker.overall), ("same_tool", profile.breaker.same_tool)] {
        if count == 0 {
            complain(
                format!("breaker/{name}"),
                "a breaker that opens at zero failures never lets a tool run".to_owned(),
                Some("at least 1".to_owned()),
            );
        }
    }
    problems.extend(check_programs(profile, document));
    problems
}

/// What a profile says of programs that no profile may say.
fn check_programs(profile: &Profile, document: &Document) -> Vec<Problem> {
    let Some(rules) = &profile.program else { return Vec::new() };
    let mut problems = Vec::new();
    let mut complain = |at: &str, message: &str, suggestion: String| {
        problems.push(document.problem(at, message.to_owned(), Some(suggestion)));
    };
    if profile.audience != Audience::Staff {
        let message =
            "a model that talks with customers writes no programs: whoever writes to it would have a hand in them";
        let suggestion = "take `program` out, or make this a profile for staff (`audience: staff`)";
        complain("/profile/program", message, suggestion.to_owned());
    }
    if rules.max_calls.is_some_and(|most| !(1..=program::MOST_CALLS).contains(&most)) {
        let suggestion = format!("from 1 to {}", program::MOST_CALLS);
        complain("/profile/program/max_calls", "so many calls no program makes", suggestion);
    }
    problems
}

/// What a profile says about tools, held against the tools that exist. `others` are packs of the operator's own.
pub(crate) fn check_tools(
    profile: &Profile,
    document: &Document,
    registry: &Registry,
    others: &[&str],
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let packs: Vec<&str> = registry.iter().map(|tool| tool.spec.pack.as_str()).collect();
    let names: Vec<&str> = registry.iter().map(|tool| tool.spec.name.as_str()).collect();
    let did_you_mean =
        |word: &str, known: &[&str]| nearest(word, known.iter().copied()).map(|name| format!("did you mean `{name}`?"));
    for (index, pack) in profile.packs.iter().enumerate() {
        if !packs.contains(&pack.as_str()) {
            let at = format!("/profile/packs/{index}");
            let known: Vec<&str> = packs.iter().chain(others).copied().collect();
            let near = did_you_mean(pack, &known)
                .unwrap_or_else(|| "a pack of your own is found in a folder of packs.folders".to_owned());
            problems.push(document.problem(&at, format!("unknown pack `{pack}`"), Some(near)));
        }
    }
    // Profiles from before name it; no profile offers it, because there are no flows yet.
    let known_later = |name: &str| name == "trigger_flow";
    // A name that several packs share leaves out the command of each.
    let shared = |name: &str| registry.iter().any(|tool| tool.command == name);
    for (index, name) in profile.without_tools.iter().enumerate() {
        if !names.contains(&name.as_str()) && !known_later(name) && !shared(name) {
            let at = format!("/profile/without_tools/{index}");
            problems.push(document.problem(&at, format!("unknown tool `{name}`"), did_you_mean(name, &names)));
        }
    }
    for (index, name) in profile.on_handoff.iter().enumerate() {
        let at = format!("/profile/on_handoff/{index}");
        match registry.get(name) {
            None => {
                problems.push(document.problem(&at, format!("unknown tool `{name}`"), did_you_mean(name, &names)));
            }
            Some(tool) if !tool.spec.internal || !tool.input.is_valid(&serde_json::json!({})) => {
                let message = format!("invalid command `{name}`; expected an internal command without arguments");
                problems.push(document.problem(&at, message, None));
            }
            Some(_) => {}
        }
    }
    for (name, confirm) in &profile.confirm {
        let at = format!("/profile/confirm/{name}");
        match registry.get(name) {
            None if known_later(name) => {}
            None => problems.push(document.problem(&at, format!("unknown tool `{name}`"), did_you_mean(name, &names))),
            Some(tool) if matches!(confirm, Confirm::Customer | Confirm::Staff) && !tool.confirmable() => {
                let suggestion = Some("say none or model".to_owned());
                problems.push(document.problem(
                    &at,
                    format!("`{name}` cannot say beforehand what it would do"),
                    suggestion,
                ));
            }
            Some(_) => {}
        }
    }
    problems
}

/// What a profile decides about its tools.
pub(crate) fn settings(profile: &Profile) -> Settings {
    Settings {
        allow_new_tags: profile.allow_new_tags,
        reminder_minutes: profile.reminder_minutes,
        followup_delays: profile.followup_delays.clone(),
        professional: profile.professional.clone(),
    }
}

/// What is decided where no profile decides.
pub(crate) fn usual_settings() -> Settings {
    Settings { allow_new_tags: false, reminder_minutes: 60, followup_delays: vec![60], professional: None }
}
