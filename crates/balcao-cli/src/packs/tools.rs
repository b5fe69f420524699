//! The tools of a profile: those that are part of the program, and those of the operator's own packs.
//!
//! The one place where they are put together. A profile names packs of either sort in the same way.

use std::{collections::BTreeMap, sync::Arc};

use balcao_agent::Profile;
use balcao_app::{AppContext, turns::Agent};
use balcao_builtin_tools::catalogue::{self, CatalogueRules};
use balcao_llm::ChatProvider;
use balcao_pack::resolve::{O200k, Piece, Question, Sort, Tokens};
use balcao_tool::{Registry, Toolbox};
use balcao_yaml::{Document, Problem};

use super::{OwnPack, OwnPacks, programs};
use crate::{output::Failure, profiles};

/// Tokens that what is known of a profile's own packs may take of its prompt.
const KNOWLEDGE: usize = 1_500;
/// Tokens that the contracts of a profile's tools may take; of more, the last are shown when they are asked for.
const CONTRACTS: usize = 16_000;

/// Binds a profile to its tools and its model.
///
/// # Errors
/// What the profile says about tools that do not exist, or that cannot run for this organization.
pub(crate) fn agent(
    desk: &AppContext,
    profile: &Profile,
    document: &Document,
    own: &OwnPacks,
    model: Arc<dyn ChatProvider>,
) -> Result<Agent, Failure> {
    let mut registry = balcao_builtin_tools::registry(desk, &profiles::settings(profile))
        .map_err(|problems| Failure::problems(&problems))?;
    let named: Vec<(usize, &OwnPack)> =
        profile.packs.iter().enumerate().filter_map(|(place, id)| Some((place, own.get(id)?))).collect();
    let mut problems = Vec::new();
    for (place, pack) in &named {
        problems.extend(add(&mut registry, profile, document, *place, pack));
    }
    let others: Vec<&str> = own.all.iter().map(|pack| pack.pack.id.as_str()).collect();
    problems.extend(profiles::check_tools(profile, document, &registry, &others));
    if !problems.is_empty() {
        return Err(Failure::problems(&problems));
    }
    let mut profile = profile.clone();
    let rules = profile.program.clone();
    profile.without_tools.extend(named.iter().flat_map(|(_, pack)| pack.changed.iter().cloned()));
    // What a pack says of its use is withheld with its commands: it becomes a part of the instructions.
    let offered: Vec<&OwnPack> = named
        .iter()
        .map(|(_, pack)| *pack)
        .filter(|pack| pack.changed.is_empty() || pack.changed.len() < pack.tools.len())
        .collect();
    let mut agent = Agent::new(profile, &registry, model);
    let mut toolbox = Toolbox::clone(&agent.toolbox);
    if let Some(rules) = rules {
        programs::add(&mut toolbox, &rules, own, document)?;
    }
    let fitted = catalogue::fit(toolbox, catalogue_rules(&agent.profile, &offered, own)).map_err(Failure::operation)?;
    let told = offered.iter().filter_map(|pack| match fitted.on_demand.contains(&pack.pack.id) {
        true => known_to_programs(pack, &agent.profile),
        false => known(pack, &agent.profile, named.len()),
    });
    let told: Vec<String> = told.collect();
    Arc::make_mut(&mut agent.profile).instructions.extend(told);
    let notes = offered.iter().flat_map(|pack| pack.pack.notes()).collect();
    let noted = catalogue::with_notes(fitted.toolbox, notes, own.embedder.clone());
    agent.toolbox = Arc::new(noted.map_err(Failure::operation)?);
    agent.selector = fitted.selector;
    Ok(agent)
}

fn catalogue_rules(profile: &Profile, offered: &[&OwnPack], own: &OwnPacks) -> CatalogueRules {
    CatalogueRules {
        all: CONTRACTS,
        own: profile.model.tool_tokens,
        packs: offered.iter().map(|pack| pack.pack.knowledge()).collect(),
        tokens: Arc::new(O200k::default()),
        embedder: own.embedder.clone(),
    }
}

/// Adds a pack's commands. A name that a pack has which the profile does not offer is free.
fn add(registry: &mut Registry, profile: &Profile, document: &Document, place: usize, own: &OwnPack) -> Vec<Problem> {
    let at = format!("/profile/packs/{place}");
    let mut problems = Vec::new();
    if let Some(mend) = &own.unconnected {
        let (message, suggestion) = mend.split_once("; ").unwrap_or((mend, ""));
        problems.push(document.problem(&at, message.to_owned(), Some(suggestion.to_owned())));
    }
    let mut clashes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for tool in &own.tools {
        let mending = if profile.autofix { tool.mending() } else { None };
        let before = registry
            .put(mending.map_or_else(|| Arc::clone(tool), Arc::new))
            .filter(|other| profile.packs.contains(&other.spec.pack));
        if let Some(before) = before.filter(|_| !profile.without_tools.contains(&tool.spec.name)) {
            clashes.entry(before.spec.pack.clone()).or_default().push(tool.spec.name.clone());
        }
    }
    for (pack, names) in clashes {
        let message = format!("the packs `{}` and `{pack}` both have: {}", own.pack.id, names.join(", "));
        problems.push(document.problem(&at, message, Some("a profile offers only one of these packs".to_owned())));
    }
    problems
}

/// As many tokens as a text takes at most, or nearly so: a start need not wait for a tokenizer.
struct AtMost;

impl Tokens for AtMost {
    fn vocabulary(&self) -> &'static str {
        "at most"
    }

    fn count(&self, text: &str) -> usize {
        text.chars().count().div_ceil(3)
    }
}

/// What a pack says about using it rightly that belongs to no command: only programs can make such a mistake. The rest is told with the
/// commands that a turn shows.
fn known_to_programs(own: &OwnPack, profile: &Profile) -> Option<String> {
    profile.program.as_ref()?;
    let pieces = own.pack.knowledge().of_the_whole(profile.language, &AtMost);
    let told: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    (!told.is_empty()).then(|| format!("{}:\n{}", own.pack.pack.name, told.join("\n")))
}

/// What a pack says about using it rightly, within its share of the prompt: rules, and known mistakes with what is right.
fn known(own: &OwnPack, profile: &Profile, packs: usize) -> Option<String> {
    let question = Question { command: None, words: "", budget: usize::MAX, locale: profile.language };
    let all = own.pack.resolve(&question, &AtMost)?;
    let mut left = KNOWLEDGE / packs.max(1);
    let fits = |piece: &&Piece| {
        let fits = matches!(piece.sort, Sort::Rule | Sort::AntiPattern) && piece.tokens <= left;
        left -= if fits { piece.tokens } else { 0 };
        fits
    };
    let mut told: Vec<&str> = all.told.iter().filter(fits).map(|piece| piece.text.as_str()).collect();
    let undone = undone(own, profile);
    told.extend(undone.as_deref());
    (!told.is_empty()).then(|| format!("{}:\n{}", own.pack.pack.name, told.join("\n")))
}

/// Which command undoes which, of those that are offered.
fn undone(own: &OwnPack, profile: &Profile) -> Option<String> {
    let offered = |id: &str| !profile.without_tools.contains(&id.replace('-', "_"));
    let commands = own.pack.pack.commands.iter().filter(|command| !command.internal && offered(&command.id));
    let pairs: Vec<String> = commands
        .filter_map(|command| Some((command, command.undo.as_ref().filter(|undo| offered(&undo.command))?)))
        .map(|(command, undo)| format!("{} by {}", command.id, undo.command))
        .collect();
    (!pairs.is_empty()).then(|| format!("Undone: {}", pairs.join(", ")))
}
