//! Packs of the operator's own. This module finds them in the configured folders, reports all mistakes at once, and connects them to the
//! accounts of the organization.
//!
//! Invariants: a secret comes from the environment and appears in no message; a loaded pack does not change, so its holder works with one
//! snapshot. [`tools`] combines packs with profiles.

pub(crate) mod accept;
mod account;
mod current;
pub(crate) mod health;
mod kinds;
mod names;
mod on_delivery;
pub(crate) mod programs;
pub(crate) mod reload;
mod tokens;
pub(crate) mod tools;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use balcao_app::admin::delivery_rule::DeliveryRule;
use balcao_connector::{Deliveries, Keys, Striker};
use balcao_llm::embed::Embedder;
use balcao_mcp::Server;
use balcao_pack::{Handlers, LoadedPack};
use balcao_tool::Tool;
use balcao_yaml::Problem;
use serde_json::Value;

use accept::Accepted;
pub(crate) use current::Current;
pub(crate) use kinds::{Connected, loader};

use crate::{config::PacksConfig, output::Failure};

/// A pack of a folder.
#[derive(Debug)]
pub(crate) struct OwnPack {
    /// The folder, as the configuration names it.
    pub(crate) folder: PathBuf,
    /// What was loaded, but for its tools.
    pub(crate) pack: LoadedPack,
    /// Its commands.
    pub(crate) tools: Vec<Arc<Tool>>,
    /// Commands that are not as they were accepted: they are not offered, and do not run.
    pub(crate) changed: Vec<String>,
    /// Why its commands cannot run for this organization, and what to set.
    pub(crate) unconnected: Option<String>,
    /// The server that its commands are tools of.
    pub(crate) server: Option<Arc<Server>>,
    /// What its commands go through.
    link: Option<Link>,
    /// How its service proves what it sends, and with which secrets.
    pub(crate) deliveries: Option<(Deliveries, Keys)>,
    /// Finds those secrets in what the service sends.
    keys_striker: Option<Arc<Striker>>,
    /// Which deliveries start a command or a turn: the first rule that applies.
    pub(crate) on_delivery: Vec<DeliveryRule>,
}

/// What a pack's commands go through, and what it was made of: as long as that is the same, so are a pack's budget of requests, its access
/// token and its server's process, though the pack be loaded anew.
#[derive(Debug, Clone)]
struct Link {
    /// The connection and what settings it knows, as they were read.
    of: Value,
    connected: Connected,
}

/// The packs of the configured folders, for one organization.
#[derive(Debug, Default)]
pub(crate) struct OwnPacks {
    pub(crate) all: Vec<OwnPack>,
    /// What makes vectors of texts, for search among their tools.
    pub(crate) embedder: Option<Arc<dyn Embedder>>,
}

impl OwnPacks {
    /// Loads every pack of the folders. `organization` is its short name; without one, any account will do. `taken` are the ids of the
    /// packs that are part of the program, `before` what was loaded last.
    ///
    /// # Errors
    /// Every mistake of every pack, and of the accounts; what is wrong with `[embedding]`.
    pub(crate) fn load(
        config: &PacksConfig,
        organization: Option<&str>,
        handlers: &Handlers,
        taken: &[&str],
        before: &Self,
    ) -> Result<Self, Failure> {
        let (mut all, mut problems): (Vec<OwnPack>, Vec<Problem>) = (Vec::new(), Vec::new());
        let accepted = Accepted::read(config)?;
        for folder in found(config, &mut problems) {
            let link = before.all.iter().find(|one| one.folder == folder).and_then(|one| one.link.as_ref());
            match account::load(config, organization, handlers, (&folder, &accepted), link) {
                Ok(mut own) => {
                    if let Some(account) = config.account(&own.pack.id, organization) {
                        problems.extend(on_delivery::check(account, &own));
                        own.on_delivery.clone_from(&account.on_delivery);
                    }
                    let other = all.iter().find(|one| one.pack.id == own.pack.id);
                    if taken.contains(&own.pack.id.as_str()) {
                        let message = format!("`{}` is the id of a pack that is part of the program", own.pack.id);
                        problems.push(problem(&folder.join("tool.yaml"), message, "give it another id"));
                    } else if let Some(other) = other {
                        let message = format!("the pack `{}` is in {} already", own.pack.id, other.folder.display());
                        problems.push(problem(&folder.join("tool.yaml"), message, "give one of them another id"));
                    } else {
                        all.push(own);
                    }
                }
                Err(found) => problems.extend(found),
            }
        }
        let known: Vec<String> = all.iter().map(|one| one.pack.id.clone()).collect();
        if problems.is_empty() {
            problems.extend(strangers(config, &known));
        }
        if !problems.is_empty() {
            return Err(Failure::problems(&problems));
        }
        for own in all.iter_mut().filter(|own| own.changed.is_empty()) {
            own.changed = accept::changed(config, own, &accepted);
        }
        let embedder = config.embedding.read().map_err(Failure::usage)?;
        Ok(Self { all, embedder })
    }

    /// One pack.
    pub(crate) fn get(&self, id: &str) -> Option<&OwnPack> {
        self.all.iter().find(|one| one.pack.id == id)
    }
}

/// The folders of all packs.
pub(super) fn folders(config: &PacksConfig) -> Vec<PathBuf> {
    found(config, &mut Vec::new())
}

/// The folders that hold a `tool.yaml`: those that are named, and those within them. A folder that holds none is told.
fn found(config: &PacksConfig, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in &config.folders {
        if folder.join("tool.yaml").is_file() {
            found.push(folder.clone());
            continue;
        }
        let inside = std::fs::read_dir(folder).map(|entries| {
            let mut inside: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
            inside.retain(|path| path.join("tool.yaml").is_file());
            inside.sort();
            inside
        });
        match inside {
            Ok(inside) if inside.is_empty() => {
                let message = "packs.folders: no tool.yaml found in the folder or in a folder of it";
                problems.push(problem(folder, message, "name the folder of a pack, or one that holds packs"));
            }
            Ok(inside) => found.extend(inside),
            Err(error) => {
                problems.push(problem(folder, format!("packs.folders: {error}"), "name a folder that can be read"));
            }
        }
    }
    found
}

/// Accounts of packs that are not there.
fn strangers(config: &PacksConfig, known: &[String]) -> Vec<Problem> {
    let strange = config.accounts.iter().filter(|one| !known.contains(&one.pack));
    let told = strange.map(|one| {
        let near = balcao_yaml::nearest(&one.pack, known.iter().map(String::as_str));
        let mend = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name its folder under packs.folders, or take the account out".to_owned(),
        };
        let message = format!("unknown pack `{}`; expected a pack of packs.folders", one.pack);
        problem(Path::new("packs.accounts"), message, &mend)
    });
    told.collect()
}

/// A mistake that has no line.
pub(crate) fn problem(place: &Path, message: impl Into<String>, suggestion: &str) -> Problem {
    Problem {
        file: place.display().to_string(),
        pointer: String::new(),
        line: 0,
        column: 0,
        message: message.into(),
        suggestion: Some(suggestion.to_owned()),
        snippet: String::new(),
    }
}
