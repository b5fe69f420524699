//! The tools of a profile: those that are part of the program, and those of the operator's own packs.
//!
//! The one place where they are put together. A profile names packs of either sort in the same way.

use std::sync::Arc;

use balcao_agent::Profile;
use balcao_app::{AppContext, turns::Agent};
use balcao_builtin_tools::catalogue::{self, CatalogueRules};
use balcao_llm::ChatProvider;
use balcao_pack::resolve::{O200k, Piece, Question, Sort, Tokens};
use balcao_tool::{Registry, Toolbox};
use balcao_yaml::{Document, Problem};

use super::{
    OwnPack, OwnPacks,
    names::{Names, PackCommand},
    programs,
};
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
    app: &AppContext,
    profile: &Profile,
    document: &Document,
    own: &OwnPacks,
    model: Arc<dyn ChatProvider>,
) -> Result<Agent, Failure> {
    let registry = balcao_builtin_tools::registry(app, &profiles::settings(profile))
        .map_err(|problems| Failure::problems(&problems))?;
    let named: Vec<(usize, &OwnPack)> =
        profile.packs.iter().enumerate().filter_map(|(place, id)| Some((place, own.get(id)?))).collect();
    let names = names(profile, document, &registry, &named)?;
    let mut problems: Vec<Problem> =
        named.iter().filter_map(|(place, pack)| unconnected(document, *place, pack)).collect();
    let registry = together(registry, profile, &named, &names).map_err(Failure::operation)?;
    let others: Vec<&str> = own.all.iter().map(|pack| pack.pack.id.as_str()).collect();
    problems.extend(profiles::check_tools(profile, document, &registry, &others));
    if !problems.is_empty() {
        return Err(Failure::problems(&problems));
    }
    let mut profile = profile.clone();
    names.expand(&mut profile);
    let rules = profile.program.clone();
    let changed = named
        .iter()
        .flat_map(|(_, pack)| pack.changed.iter().map(|command| names.exposed(&pack.pack.id, command).to_owned()));
    profile.without_tools.extend(changed);
    // What a pack says of its use is withheld with its commands: it becomes a part of the instructions.
    let offered: Vec<&OwnPack> = named
        .iter()
        .map(|(_, pack)| *pack)
        .filter(|pack| pack.changed.is_empty() || pack.changed.len() < pack.tools.len())
        .collect();
    let mut agent = Agent::new(profile, &registry, model);
    let mut toolbox = Toolbox::clone(&agent.toolbox);
    let budgets = catalogue_rules(&agent.profile, &offered, own);
    if let Some(rules) = rules {
        let on_demand = catalogue::shown_on_demand(&toolbox, &budgets);
        programs::add(&mut toolbox, &rules, own, &offered, &on_demand, document)?;
    }
    let fitted = catalogue::fit(toolbox, budgets).map_err(Failure::operation)?;
    let told = offered.iter().filter_map(|pack| match fitted.on_demand.contains(&pack.pack.id) {
        true => known_to_programs(pack, &agent.profile),
        false => known(pack, &agent.profile, &names, named.len()),
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
        names: profile.model.name_tokens,
        packs: offered.iter().map(|pack| pack.pack.knowledge()).collect(),
        tokens: Arc::new(O200k::default()),
        embedder: own.embedder.clone(),
    }
}

/// Why a pack's commands cannot run for this organization, and what to set.
fn unconnected(document: &Document, place: usize, own: &OwnPack) -> Option<Problem> {
    let mend = own.unconnected.as_ref()?;
    let (message, suggestion) = mend.split_once("; ").unwrap_or((mend, ""));
    Some(document.problem(&format!("/profile/packs/{place}"), message.to_owned(), Some(suggestion.to_owned())))
}

/// The names of the commands of all packs that the profile has.
fn names(
    profile: &Profile,
    document: &Document,
    registry: &Registry,
    named: &[(usize, &OwnPack)],
) -> Result<Names, Failure> {
    let shipped = registry.iter().filter(|tool| profile.packs.contains(&tool.spec.pack));
    let own = named.iter().flat_map(|(_, pack)| &pack.tools);
    Names::new(shipped.chain(own).map(|tool| PackCommand::from(tool.as_ref()))).map_err(|clashes| {
        let told = clashes.into_iter().map(|clash| {
            let message = format!("invalid tool name `{}` of the packs {}", clash.name, clash.packs.join(", "));
            let suggestion = "expected names of at most 64 characters that differ; rename the command in its pack";
            document.problem("/profile/packs", message, Some(suggestion.to_owned()))
        });
        Failure::problems(&told.collect::<Vec<_>>())
    })
}

/// All tools, those of own packs in the place of tools of packs that the profile does not have.
///
/// # Errors
/// If a schema does not compile under another name.
fn together(
    shipped: Registry,
    profile: &Profile,
    named: &[(usize, &OwnPack)],
    names: &Names,
) -> Result<Registry, String> {
    let mut registry = Registry::default();
    for tool in shipped.iter() {
        let ours = names.of_pack(&tool.spec.pack).filter(|_| !tool.spec.internal);
        registry.put(match ours {
            Some(names) => Arc::new(tool.renamed(names)?),
            None => Arc::clone(tool),
        });
    }
    for tool in named.iter().flat_map(|(_, pack)| &pack.tools) {
        let mending = if profile.autofix { tool.mending() } else { None };
        let tool = mending.map_or_else(|| Arc::clone(tool), Arc::new);
        registry.put(match names.of_pack(&tool.spec.pack) {
            Some(names) => Arc::new(tool.renamed(names)?),
            None => tool,
        });
    }
    Ok(registry)
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

/// What a pack says about using it rightly that belongs to no command: only programs can make such a mistake. The rest comes with the
/// commands that a turn shows.
fn known_to_programs(own: &OwnPack, profile: &Profile) -> Option<String> {
    profile.program.as_ref()?;
    let pieces = own.pack.knowledge().of_the_whole(profile.language, &AtMost);
    let told: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    (!told.is_empty()).then(|| format!("{}:\n{}", own.pack.pack.name, told.join("\n")))
}

/// What a pack says about using it rightly, within its share of the prompt: rules, and known mistakes with what is right.
fn known(own: &OwnPack, profile: &Profile, names: &Names, packs: usize) -> Option<String> {
    let question = Question { command: None, words: "", budget: usize::MAX, locale: profile.language };
    let all = own.pack.resolve(&question, &AtMost)?;
    let mut left = KNOWLEDGE / packs.max(1);
    let fits = |piece: &&Piece| {
        let fits = matches!(piece.sort, Sort::Rule | Sort::AntiPattern) && piece.tokens <= left;
        left -= if fits { piece.tokens } else { 0 };
        fits
    };
    let mut told: Vec<&str> = all.told.iter().filter(fits).map(|piece| piece.text.as_str()).collect();
    let undone = undone(own, profile, names);
    told.extend(undone.as_deref());
    (!told.is_empty()).then(|| format!("{}:\n{}", own.pack.pack.name, told.join("\n")))
}

/// Which command undoes which, of those that are offered.
fn undone(own: &OwnPack, profile: &Profile, names: &Names) -> Option<String> {
    let exposed = |id: &str| names.exposed(&own.pack.id, &id.replace('-', "_")).to_owned();
    let offered = |id: &str| !profile.without_tools.contains(&exposed(id));
    let commands = own.pack.pack.commands.iter().filter(|command| !command.internal && offered(&command.id));
    let pairs: Vec<String> = commands
        .filter_map(|command| Some((command, command.undo.as_ref().filter(|undo| offered(&undo.command))?)))
        .map(|(command, undo)| format!("{} by {}", exposed(&command.id), exposed(&undo.command)))
        .collect();
    (!pairs.is_empty()).then(|| format!("Undone: {}", pairs.join(", ")))
}
